// From the plan's settings to SGLang's arguments. Source: sgl-project/sglang, python/sglang/srt/server_args.py.
#include "engines/sglang/context.h"

#include <string.h>

#include <kvbudget/units.h>

#include "base/checked.h"
#include "budget/gpu_facts.h"
#include "budget/shapes.h"
#include "engines/sglang/models.h"

#define DSV4_REQUESTS 256U // arg_groups/deepseek_v4_hook.py
#define WINDOW_RATIO_PPM 800000U
#define STATE_RATIO_PPM 900000U
#define FIRST_STATE_RATIO_PPM 200000U // 0.5.3.post2, the first release with --mamba-full-memory-ratio
#define DSV4_PAGE_TOKENS 256U
#define SPARSE_PAGE_TOKENS 64U
#define DSV4_WINDOW_RATIO_PPM 100000U

static bool is_on(const struct kvb_plan *plan, enum kvb_setting setting)
{
    return kvb_number(plan, setting) != 0;
}

// nvidia-smi counts the driver's reserve, CUDA's total does not.
static uint64_t card_mib(const struct kvb_gpu *gpu)
{
    uint64_t bytes = gpu->device_bytes > 0 ? gpu->device_bytes : gpu->memory_bytes;
    return bytes >> 20;
}

static enum kvb_dtype dtype_of(const struct kvb_plan *plan)
{
    uint64_t word = kvb_number(plan, KVB_SET_DTYPE);
    enum kvb_dtype own = plan->model.dtype;
    if (word == KVB_DTYPE_AUTO) { // configs/model_config.py _get_and_verify_dtype; server_args.py for MXFP4
        bool wide =
            strncmp(plan->model.architecture, "Gemma", 5) == 0 || plan->model.quantisation.method == KVB_QUANT_MXFP4;
        return own == KVB_DTYPE_FP32 ? (wide ? KVB_DTYPE_BF16 : KVB_DTYPE_FP16) : own;
    }
    return (enum kvb_dtype)(word - KVB_DTYPE_WORD_BF16);
}

static void fill_split(const struct kvb_plan *plan, struct kvb_sgl_setup *setup)
{
    setup->tp = (uint32_t)kvb_number_or(plan, KVB_SET_TENSOR_PARALLEL_SIZE, 1);
    setup->pp = (uint32_t)kvb_number_or(plan, KVB_SET_PIPELINE_PARALLEL_SIZE, 1);
    setup->dp = (uint32_t)kvb_number_or(plan, KVB_SET_DATA_PARALLEL_SIZE, 1);
    setup->dp_attention = is_on(plan, KVB_SET_ENABLE_DP_ATTENTION);
    bool whole = setup->release < KVB_RELEASE(0, 4, 4) + 1; // data-parallel attention over all ranks
    // server_args.py: DeepSeek V3.2 turns it on, to 0.5.5.post3 over all ranks, to 0.5.7 over --dp-size
    bool sparse = kvb_kind_of(setup->model, 0)->attention.kind == KVB_ATTENTION_MLA &&
                  kvb_kind_of(setup->model, 0)->attention.index_heads > 0;
    bool forced = sparse && setup->release >= KVB_RELEASE(0, 5, 3) && setup->release < KVB_RELEASE(0, 5, 6);
    bool turned_on = sparse && setup->release >= KVB_RELEASE(0, 5, 6) && setup->release < KVB_RELEASE(0, 5, 8);
    turned_on = forced || (turned_on && setup->dp > 1);
    setup->dp_attention_late = turned_on && !setup->dp_attention;
    setup->dp_attention = setup->dp_attention || turned_on;
    if (setup->dp_attention && (whole || forced)) {
        setup->dp = setup->tp;
    }
}

// ---- The cache

// DeepSeek V3.2 and its like on Blackwell: nothing else is served to 0.5.4.post1, then where nothing is asked for
// (server_args.py, "Setting KV cache dtype to").
static bool sparse_in_eight_bits(const struct kvb_plan *plan, const struct kvb_sgl_setup *setup, uint64_t word)
{
    const struct kvb_attention_shape *first = &kvb_kind_of(setup->model, 0)->attention;
    bool sparse = first->kind == KVB_ATTENTION_MLA && first->index_heads > 0;
    bool blackwell = plan->gpu.vendor == KVB_VENDOR_NVIDIA && plan->gpu.compute_capability >= KVB_CAPABILITY_BLACKWELL;
    bool forced = setup->release < KVB_RELEASE(0, 5, 4) + 2;
    return sparse && blackwell && setup->release >= KVB_RELEASE(0, 5, 3) && (forced || word == KVB_KV_AUTO);
}

static void fill_cache(const struct kvb_plan *plan, enum kvb_dtype dtype, struct kvb_sgl_setup *setup)
{
    uint64_t word = kvb_number(plan, KVB_SET_KV_CACHE_DTYPE);
    bool declared = plan->model.quantisation.cache == KVB_DECLARED_FP8 && setup->release >= KVB_RELEASE(0, 5, 3);
    setup->fp8_cache =
        word == KVB_KV_FP8 || word == KVB_KV_FP8_E4M3 || word == KVB_KV_FP8_E5M2 || (word == KVB_KV_AUTO && declared);
    setup->fp8_cache = setup->fp8_cache || sparse_in_eight_bits(plan, setup, word);
    setup->four_bits = word == KVB_KV_NVFP4 || word == KVB_KV_FP4_E2M1;
    setup->mxfp8 = word == KVB_KV_MXFP8;
    bool small = setup->fp8_cache || setup->four_bits || setup->mxfp8;
    setup->element_bytes = small ? 1 : kvb_dtype_bytes(dtype);
    setup->window_ratio_ppm = kvb_number_or(plan, KVB_SET_SWA_FULL_TOKENS_RATIO, WINDOW_RATIO_PPM);
    if (kvb_model_has(setup->model, KVB_ATTENTION_DSV4) && !kvb_is_set(plan, KVB_SET_SWA_FULL_TOKENS_RATIO)) {
        setup->window_ratio_ppm = DSV4_WINDOW_RATIO_PPM; // arg_groups/deepseek_v4_hook.py
    }
    setup->no_window_pools = is_on(plan, KVB_SET_DISABLE_HYBRID_KV_CACHE_MANAGER);
    setup->no_radix = kvb_is_off(plan, KVB_SET_ENABLE_PREFIX_CACHING);
    setup->no_overlap = kvb_is_off(plan, KVB_SET_ASYNC_SCHEDULING);
    uint64_t ratio = setup->release == KVB_RELEASE(0, 5, 3) + 2 ? FIRST_STATE_RATIO_PPM : STATE_RATIO_PPM;
    setup->state_ratio_ppm = kvb_number_or(plan, KVB_SET_MAMBA_FULL_MEMORY_RATIO, ratio);
    setup->state_slots = kvb_number(plan, KVB_SET_MAX_MAMBA_CACHE_SIZE);
    setup->state_extra_buffer = is_on(plan, KVB_SET_MAMBA_EXTRA_BUFFER);
    uint64_t state = kvb_number(plan, KVB_SET_MAMBA_SSM_CACHE_DTYPE);
    if (state != KVB_DTYPE_AUTO) {
        setup->state_element = state == KVB_DTYPE_WORD_FP32 ? 4 : 2;
    } else if (plan->model.state_dtype_known) {
        setup->state_element = kvb_dtype_bytes(plan->model.state_dtype);
    }
}

// Pages that kernels force; 1 otherwise.
static uint64_t page_tokens(const struct kvb_sgl_setup *setup)
{
    const struct kvb_attention_shape *first = &kvb_kind_of(setup->model, 0)->attention;
    if (first->kind == KVB_ATTENTION_DSV4) {
        return DSV4_PAGE_TOKENS;
    }
    if (first->kind == KVB_ATTENTION_MLA && first->index_heads > 0) {
        return setup->hip ? 1 : SPARSE_PAGE_TOKENS;
    }
    return kvb_sgl_page_of(setup, setup->backend, setup->page_asked);
}

static enum kvb_sgl_backend backend_asked(const struct kvb_plan *plan)
{
    static const enum kvb_sgl_backend of[] = {
        [KVB_BACKEND_FLASHINFER] = KVB_SGL_BACKEND_FLASHINFER,
        [KVB_BACKEND_TRITON] = KVB_SGL_BACKEND_TRITON,
        [KVB_BACKEND_FLASH_ATTN] = KVB_SGL_BACKEND_FA3,
        [KVB_BACKEND_FLASHMLA] = KVB_SGL_BACKEND_FLASHMLA,
        [KVB_BACKEND_CUTLASS_MLA] = KVB_SGL_BACKEND_CUTLASS_MLA,
        [KVB_BACKEND_FA4] = KVB_SGL_BACKEND_FA4,
        [KVB_BACKEND_TRTLLM_MLA] = KVB_SGL_BACKEND_TRTLLM_MLA,
        [KVB_BACKEND_TRTLLM_MHA] = KVB_SGL_BACKEND_TRTLLM_MHA,
        [KVB_BACKEND_AITER] = KVB_SGL_BACKEND_AITER,
    };
    uint64_t word = kvb_number(plan, KVB_SET_ATTENTION_BACKEND);
    enum kvb_sgl_backend known = word < sizeof of / sizeof of[0] ? of[word] : KVB_SGL_BACKEND_AUTO;
    return word == KVB_BACKEND_AUTO        ? KVB_SGL_BACKEND_AUTO
           : known != KVB_SGL_BACKEND_AUTO ? known
                                           : KVB_SGL_BACKEND_OTHER;
}

// ---- Recurrent states beside prefixes

bool kvb_sgl_has_states(const struct kvb_model *model)
{
    static const enum kvb_attention kinds[] = {KVB_ATTENTION_MAMBA1, KVB_ATTENTION_MAMBA2, KVB_ATTENTION_LINEAR,
                                               KVB_ATTENTION_GDN,    KVB_ATTENTION_KDA,    KVB_ATTENTION_SHORT_CONV};
    bool found = false;
    for (size_t i = 0; i < sizeof kinds / sizeof kinds[0]; i++) {
        found = found || kvb_model_has(model, kinds[i]);
    }
    return found;
}

// What the releases switch off by themselves: model_executor/model_runner.py to 0.5.6 ("disable radix cache"),
// server_args.py (_handle_mamba_radix_cache) behind.
static bool drops_prefixes(const struct kvb_sgl_setup *setup)
{
    uint32_t release = setup->release;
    bool drafts = setup->draft != KVB_SGL_DRAFT_NONE && !setup->state_extra_buffer;
    if (release < KVB_RELEASE(0, 5, 3) + 2) {
        return true;
    }
    if (release < KVB_RELEASE(0, 5, 7)) {
        return kvb_model_has(setup->model, KVB_ATTENTION_MAMBA2);
    }
    if (release < KVB_RELEASE(0, 5, 9)) {
        return drafts && release >= KVB_RELEASE(0, 5, 8) &&
               strcmp(setup->model->architecture, "NemotronHForCausalLM") == 0;
    }
    bool refused = release >= KVB_RELEASE(0, 5, 10) && !(setup->hip && release >= KVB_RELEASE(0, 5, 11));
    return drafts && !refused && release < KVB_RELEASE(0, 5, 14);
}

static void fill_states(const struct kvb_plan *plan, struct kvb_sgl_setup *setup)
{
    if (!kvb_sgl_has_states(setup->model)) {
        return;
    }
    bool own = !kvb_is_set(plan, KVB_SET_MAMBA_EXTRA_BUFFER) && setup->cuda && !setup->no_radix && !setup->no_overlap;
    if (own && kvb_sgl_model_is(setup->model, KVB_SGL_EXTRA_BUFFER, setup->release)) {
        setup->state_extra_buffer = true;
    }
    setup->no_radix = setup->no_radix || drops_prefixes(setup);
}

// ---- All arguments

static void fill_switches(const struct kvb_plan *plan, struct kvb_sgl_setup *setup)
{
    setup->no_graphs = is_on(plan, KVB_SET_ENFORCE_EAGER);
    setup->torch_compile = is_on(plan, KVB_SET_ENABLE_TORCH_COMPILE);
    setup->lora = is_on(plan, KVB_SET_ENABLE_LORA);
    setup->offloads = kvb_number(plan, KVB_SET_CPU_OFFLOAD_GB) > 0;
    setup->hierarchical = is_on(plan, KVB_SET_ENABLE_HIERARCHICAL_CACHE);
    setup->deterministic = is_on(plan, KVB_SET_ENABLE_DETERMINISTIC_INFERENCE);
    setup->symmetric_memory = is_on(plan, KVB_SET_ENABLE_SYMM_MEM);
    setup->embedding = kvb_number(plan, KVB_SET_RUNNER) == KVB_RUNNER_POOLING;
    setup->expert_balancing = is_on(plan, KVB_SET_ENABLE_EPLB);
    setup->two_batch_overlap = is_on(plan, KVB_SET_ENABLE_TWO_BATCH_OVERLAP);
    setup->all_to_all = kvb_number(plan, KVB_SET_MOE_A2A_BACKEND) != KVB_A2A_NONE;
    setup->deepep = kvb_number(plan, KVB_SET_MOE_A2A_BACKEND) == KVB_A2A_DEEPEP;
    setup->experts = (enum kvb_moe_backend)kvb_number(plan, KVB_SET_MOE_BACKEND);
    setup->role = (enum kvb_sgl_role)kvb_number(plan, KVB_SET_DISAGGREGATION_MODE);
    setup->text_only = is_on(plan, KVB_SET_LANGUAGE_MODEL_ONLY);
    setup->multimodal = kvb_sgl_builds_towers(setup->model, setup->release) || is_on(plan, KVB_SET_ENABLE_MULTIMODAL);
    setup->other_format = setup->model->quantisation.method == KVB_QUANT_GGUF;
    if (kvb_is_set(plan, KVB_SET_PREFILL_GRAPHS)) {
        setup->prefill_graphs = is_on(plan, KVB_SET_PREFILL_GRAPHS) ? KVB_YES : KVB_NO;
    }
}

static void fill_sizes(const struct kvb_plan *plan, struct kvb_sgl_setup *setup)
{
    setup->fraction_ppb = kvb_number_or(plan, KVB_SET_GPU_MEMORY_UTILIZATION, 0) * (KVB_SGL_PPB / KVB_PPM);
    uint64_t length = kvb_number_or(plan, KVB_SET_MAX_MODEL_LEN, KVB_AUTO);
    setup->context_asked = length == KVB_AUTO ? 0 : length;
    setup->context_tokens = length == KVB_AUTO ? setup->model->context_tokens : length;
    setup->chunk_tokens = kvb_is_off(plan, KVB_SET_ENABLE_CHUNKED_PREFILL)
                              ? KVB_SGL_OFF
                              : kvb_number(plan, KVB_SET_MAX_NUM_BATCHED_TOKENS);
    setup->max_prefill_tokens = kvb_number(plan, KVB_SET_MAX_PREFILL_TOKENS);
    setup->max_total_tokens = kvb_number(plan, KVB_SET_MAX_TOTAL_TOKENS);
    setup->requests_asked = kvb_number(plan, KVB_SET_MAX_NUM_SEQS);
    bool compressed = kvb_model_has(setup->model, KVB_ATTENTION_DSV4);
    setup->max_running_requests = kvb_number_or(plan, KVB_SET_MAX_NUM_SEQS, compressed ? DSV4_REQUESTS : 0);
    setup->graph_batch = kvb_number(plan, KVB_SET_MAX_CUDAGRAPH_CAPTURE_SIZE);
    setup->prefill_graph_tokens = kvb_number(plan, KVB_SET_PREFILL_GRAPH_TOKENS);
}

// The last stages take one of the layers that are left over. Source: distributed/utils.py get_pp_indices.
static bool split_stages(const struct kvb_plan *plan, struct kvb_sgl_context *context)
{
    uint32_t layers = plan->model.layer_count;
    uint32_t stages = context->setup.pp;
    if (stages == 0 || stages > KVB_STAGES_MAX || stages > layers) {
        context->stage_begin[1] = (uint16_t)layers;
        return false;
    }
    for (uint32_t stage = 0; stage < stages; stage++) {
        uint32_t count = layers / stages + (stage >= stages - layers % stages ? 1 : 0);
        context->stage_begin[stage + 1] = (uint16_t)(context->stage_begin[stage] + count);
    }
    return true;
}

void kvb_sgl_context_init(const struct kvb_plan *plan, struct kvb_sgl_context *context)
{
    struct kvb_sgl_setup *setup = &context->setup;
    memset(context, 0, sizeof *context);
    context->plan = plan;
    context->dtype = dtype_of(plan);
    setup->release = plan->engine.release;
    setup->model = &plan->model;
    setup->card_mib = card_mib(&plan->gpu);
    setup->hip = plan->gpu.vendor == KVB_VENDOR_AMD;
    setup->cuda = plan->gpu.vendor == KVB_VENDOR_NVIDIA;
    setup->compute_capability = plan->gpu.compute_capability;
    fill_split(plan, setup);
    fill_sizes(plan, setup);
    fill_switches(plan, setup);
    fill_cache(plan, context->dtype, setup);
    setup->backend_asked = backend_asked(plan);
    setup->page_asked = kvb_number(plan, KVB_SET_BLOCK_SIZE);
    kvb_sgl_fill_draft(plan, setup);
    fill_states(plan, setup);
    setup->backend = kvb_sgl_backend_of(setup);
    setup->page_tokens = page_tokens(setup);
    context->uncounted = !split_stages(plan, context);
    kvb_sgl_defaults_of(setup, &context->defaults);
}
