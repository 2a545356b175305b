// A plan as a run: defaults by build and by program, the backend by the card, then what --fit makes of it.
// Source: common/common.h, common/arg.cpp, tools/server/server.cpp by build; server/routes.go, server/sched.go and
// llm/llama_server.go of ollama v0.30.0 to v0.33.0 (-c num_ctx x parallel, -b and -ub 512 unless said).
#include <string.h>

#include <kvbudget/units.h>

#include "base/checked.h"
#include "budget/shapes.h"
#include "engines/llamacpp/mixture.h"
#include "engines/llamacpp/ollama.h"

#define WIDE 9999U

static uint32_t build_of(const struct kvb_plan *plan, bool ollama)
{
    uint32_t release = plan->engine.release;
    if (ollama) {
        return kvb_ollama_build(release);
    }
    return release - KVB_BUILD_MARK;
}

static enum kvb_llama_backend backend_of(const struct kvb_plan *plan)
{
    if (kvb_is_set(plan, KVB_SET_GGML_BACKEND)) {
        return (enum kvb_llama_backend)kvb_number(plan, KVB_SET_GGML_BACKEND);
    }
    switch (plan->gpu.vendor) {
    case KVB_VENDOR_AMD:
        return KVB_LLAMA_ROCM;
    case KVB_VENDOR_INTEL:
        return KVB_LLAMA_SYCL;
    case KVB_VENDOR_NVIDIA:
        return KVB_LLAMA_CUDA;
    default:
        return plan->gpu.unified_memory ? KVB_LLAMA_METAL : KVB_LLAMA_CUDA;
    }
}

// Ollama's length by the memory of all cards, since none was said.
static uint64_t usual_context(const struct kvb_plan *plan, const struct kvb_llama_start *start)
{
    const struct kvb_llama_run *run = &start->run;
    if (start->ollama) {
        return kvb_ollama_usual_context(plan->engine.release, kvb_mul(plan->gpu.memory_bytes, run->devices));
    }
    if (kvb_llama_since(run, KVB_LLAMA_FIT)) {
        return plan->model.context_tokens;
    }
    if (kvb_llama_since(run, KVB_LLAMA_CONTEXT_4096)) {
        return 4096;
    }
    return kvb_llama_since(run, KVB_LLAMA_CONTEXT_TRAINED_OLD) ? plan->model.context_tokens : 512;
}

static void take_context(const struct kvb_plan *plan, struct kvb_llama_start *start)
{
    struct kvb_llama_run *run = &start->run;
    uint64_t asked = kvb_number_or(plan, KVB_SET_MAX_MODEL_LEN, 0);
    start->context_said = asked > 0 && asked != KVB_AUTO;
    uint64_t tokens = start->context_said ? asked
                      : asked == KVB_AUTO ? plan->model.context_tokens
                                          : usual_context(plan, start);
    if (start->ollama) { // for each slot, as a rule at most the trained length
        bool capped = kvb_ollama_caps_context(plan->engine.release);
        start->slot_tokens = capped ? kvb_min(tokens, plan->model.context_tokens) : tokens;
        tokens = kvb_mul(start->slot_tokens, run->sequences);
        start->context_said = true; // it hands a number over
    }
    run->context_tokens = tokens > 0 ? tokens : 512;
    start->asked_tokens = run->context_tokens;
}

// Before SLOTS_AUTO one slot, asked for or not, became four, but where -kvu or (later) a draft was asked for.
static bool takes_four(const struct kvb_plan *plan, const struct kvb_llama_start *start, bool said)
{
    const struct kvb_llama_run *run = &start->run;
    if (start->ollama || !kvb_llama_since(run, KVB_LLAMA_SLOTS_4) || kvb_llama_since(run, KVB_LLAMA_SLOTS_AUTO)) {
        return !said && !start->ollama && kvb_llama_since(run, KVB_LLAMA_SLOTS_AUTO);
    }
    bool one = !said || kvb_number(plan, KVB_SET_MAX_NUM_SEQS) == 1;
    bool drafts = plan->draft != NULL && kvb_llama_since(run, KVB_LLAMA_SLOTS_WITHOUT_DRAFT);
    return one && !drafts && kvb_number_or(plan, KVB_SET_KV_UNIFIED, 0) == 0;
}

static void take_slots(const struct kvb_plan *plan, struct kvb_llama_start *start)
{
    struct kvb_llama_run *run = &start->run;
    bool said = kvb_is_set(plan, KVB_SET_MAX_NUM_SEQS);
    bool four = takes_four(plan, start, said);
    uint64_t asked = said ? kvb_min(kvb_number(plan, KVB_SET_MAX_NUM_SEQS), KVB_LLAMA_SLOTS_MAX) : 1;
    run->sequences = (uint32_t)(four ? 4 : kvb_max(asked, 1));
    run->unified = kvb_is_set(plan, KVB_SET_KV_UNIFIED) ? kvb_number(plan, KVB_SET_KV_UNIFIED) != 0 : four;
}

static void take_batch(const struct kvb_plan *plan, struct kvb_llama_start *start)
{
    struct kvb_llama_run *run = &start->run;
    uint64_t batch = kvb_number_or(plan, KVB_SET_MAX_NUM_BATCHED_TOKENS, 2048);
    uint64_t ubatch = kvb_number_or(plan, KVB_SET_UBATCH_SIZE, 512);
    batch = start->ollama ? ubatch : kvb_min(batch, run->context_tokens);
    run->batch = (uint32_t)kvb_min(batch, UINT32_MAX);
    run->ubatch = (uint32_t)kvb_min(ubatch, run->batch);
}

static void take_cache(const struct kvb_plan *plan, struct kvb_llama_start *start)
{
    struct kvb_llama_run *run = &start->run;
    uint64_t flash = kvb_number_or(plan, KVB_SET_FLASH_ATTENTION, KVB_ON_OFF_AUTO);
    bool usual = kvb_llama_since(run, KVB_LLAMA_FLASH_AUTO) && run->backend != KVB_LLAMA_SYCL;
    run->flash = flash == KVB_ON || (flash == KVB_ON_OFF_AUTO && usual);
    run->key_type = (enum kvb_llama_cache)kvb_number_or(plan, KVB_SET_CACHE_TYPE_K, KVB_GGUF_F16);
    run->value_type = (enum kvb_llama_cache)kvb_number_or(plan, KVB_SET_CACHE_TYPE_V,
                                                          start->ollama ? (uint64_t)run->key_type : KVB_GGUF_F16);
    if (start->placed) {
        bool takes = kvb_ollama_takes_cache(plan->engine.release, plan, run->key_type);
        run->flash = kvb_ollama_uses_flash(plan->engine.release, plan);
        run->key_type = takes ? run->key_type : KVB_LLAMA_CACHE_F16;
        run->value_type = run->key_type;
    }
    run->window_full = kvb_number_or(plan, KVB_SET_SWA_FULL, 0) != 0;
    run->keep_cache_on_host = kvb_number_or(plan, KVB_SET_KV_OFFLOAD, 1) == 0;
}

static void take_layers(const struct kvb_plan *plan, struct kvb_llama_start *start)
{
    struct kvb_llama_run *run = &start->run;
    uint64_t usual = kvb_llama_since(run, KVB_LLAMA_FLASH_AUTO) || run->backend == KVB_LLAMA_METAL ? WIDE : 0;
    uint64_t asked = kvb_number_or(plan, KVB_SET_GPU_LAYERS, KVB_AUTO);
    start->layers_said = asked != KVB_AUTO;
    run->gpu_layers = (uint32_t)kvb_min(start->layers_said ? asked : usual, (uint64_t)plan->model.layer_count + 1);
    start->asked_layers = run->gpu_layers;
    run->overrides = plan->tensor_overrides;
    run->cpu_experts = (uint32_t)kvb_min(kvb_number_or(plan, KVB_SET_CPU_MOE_LAYERS, 0), plan->model.layer_count);
    run->split = (enum kvb_llama_split)kvb_number_or(plan, KVB_SET_SPLIT_MODE, KVB_LLAMA_SPLIT_LAYER);
    bool shared = plan->environment.layer_partition_count > 0 || run->split == KVB_LLAMA_SPLIT_ROW;
    start->split_said =
        (run->devices > 1 && shared) || kvb_is_set(plan, KVB_SET_CPU_MOE_LAYERS) || plan->tensor_overrides[0] != '\0';
    for (uint32_t i = 0; i < plan->environment.layer_partition_count && i < run->devices; i++) {
        run->share[i] = plan->environment.layer_partition[i];
    }
}

static void take_memory(const struct kvb_plan *plan, struct kvb_llama_start *start)
{
    uint64_t free_bytes =
        plan->gpu_free_stated ? kvb_min(plan->gpu_free_bytes, plan->gpu.memory_bytes) : plan->gpu.memory_bytes;
    uint64_t taken = kvb_llama_backend_row_of(start->run.backend)->context_low_bytes;
    taken = kvb_add(taken, kvb_held_by_reserves(plan));
    start->free_bytes = kvb_less(free_bytes, taken);
    start->margin_bytes = kvb_mul(kvb_number_or(plan, KVB_SET_FIT_TARGET, 1024), KVB_MIB);
    start->shortest_tokens = kvb_number_or(plan, KVB_SET_FIT_CTX, 4096);
    bool on = kvb_llama_since(&start->run, KVB_LLAMA_FIT);
    start->fits_itself = kvb_number_or(plan, KVB_SET_FIT, on ? KVB_ON : KVB_OFF) != KVB_OFF && start->run.devices > 0;
}

// What the name says; a bare tag of Ollama's library is Q4_K_M (ollama.com/library, "latest"); a model published in
// MXFP4 stays so.
static uint32_t usual_mixture(const struct kvb_plan *plan, bool ollama)
{
    if (plan->model.checkpoint.gguf_format[0] != '\0') {
        return kvb_llama_mixture_find(plan->model.checkpoint.gguf_format);
    }
    if (plan->model.quantisation.method == KVB_QUANT_MXFP4) {
        return kvb_llama_mixture_find("MXFP4_MOE");
    }
    return ollama ? kvb_llama_mixture_find("Q4_K_M") : 0;
}

void kvb_llama_start_begin(const struct kvb_plan *plan, bool ollama, struct kvb_llama_start *out)
{
    memset(out, 0, sizeof *out);
    out->ollama = ollama;
    out->placed = ollama && kvb_ollama_estimates(plan->engine.release);
    struct kvb_llama_run *run = &out->run;
    run->model = &plan->model;
    run->build = build_of(plan, ollama);
    run->backend = backend_of(plan);
    run->mixture = (uint32_t)kvb_number_or(plan, KVB_SET_GGUF_TYPE, usual_mixture(plan, ollama));
    run->server = true;
    run->mapped = true;
    run->devices =
        run->backend == KVB_LLAMA_CPU ? 0 : (uint32_t)kvb_min(kvb_gpu_count(&plan->settings), KVB_LLAMA_DEVICES);
    take_slots(plan, out);
    take_context(plan, out);
    take_batch(plan, out);
    take_cache(plan, out);
    take_layers(plan, out);
    take_memory(plan, out);
    kvb_llama_beside_begin(plan, out);
    if (out->placed) {
        kvb_ollama_settle(plan, out);
    }
}

void kvb_llama_start_settle(struct kvb_llama_start *start)
{
    if (start->fits_itself) {
        kvb_llama_fit(start);
    }
    if (!start->measured) {
        kvb_llama_measure(start, &start->buffers);
    }
}

void kvb_llama_start_of(const struct kvb_plan *plan, bool ollama, struct kvb_llama_start *out)
{
    kvb_llama_start_begin(plan, ollama, out);
    kvb_llama_start_settle(out);
}
