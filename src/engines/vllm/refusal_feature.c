// Features that a release does not have together, or not on this platform: asynchronous scheduling, experts'
// parallelism, LoRA, prefix caching, offloading and sleeping.
#include <string.h>

#include "base/text.h"
#include "engines/vllm/refusal.h"
#include "engines/vllm/serve.h"

#define R(minor, patch) KVB_RELEASE(0, minor, patch)

static bool is_on(const struct kvb_context *context, enum kvb_setting setting)
{
    return kvb_number(context->plan, setting) != 0;
}

// ---- Asynchronous scheduling, asked for

static bool drafts_ahead(enum kvb_speculative method, uint32_t release)
{
    bool early = method == KVB_SPECULATIVE_DRAFT_MODEL && release < R(16, 0);
    return !early && method != KVB_SPECULATIVE_NGRAM; // ngram_gpu and newer ones are others
}

static const struct {
    uint32_t since;
    const char *stages, *drafts; // NULL: taken
} async_rows[] = {
    {R(10, 0), "Async scheduling is not supported with pipeline-parallel-size > 1.",
     "Currently, speculative decoding is not supported with async scheduling."},
    {R(11, 1), "Async scheduling is not yet compatible with pipeline_parallel_size > 1.",
     "Currently, async scheduling is only supported with EAGLE/MTP kind of speculative decoding"},
    {R(14, 0), "Async scheduling is not yet compatible with pipeline_parallel_size > 1.",
     "Currently, async scheduling is only supported with EAGLE/MTP kind of speculative decoding."},
    {R(15, 0), NULL, "Currently, async scheduling is only supported with EAGLE/MTP kind of speculative decoding."},
    {R(16, 0), NULL,
     "Currently, async scheduling is only supported with EAGLE/MTP/Draft Model kind of speculative decoding."},
    {R(18, 0), NULL,
     "Currently, async scheduling is only supported with EAGLE/MTP/Draft Model/NGram GPU kind of speculative decoding"},
    {R(25, 0), NULL,
     "Currently, async scheduling is only supported with EAGLE/MTP/Draft Model/NGram GPU/DSpark kind of speculative "
     "decoding"},
};

bool kvb_refusal_async(const struct kvb_context *context, char out[KVB_ERROR_TEXT_CAPACITY])
{
    size_t at = 0;
    if (!is_on(context, KVB_SET_ASYNC_SCHEDULING)) {
        return false;
    }
    while (at + 1 < sizeof async_rows / sizeof async_rows[0] && async_rows[at + 1].since <= context->release) {
        at++;
    }
    if (context->pp > 1 && async_rows[at].stages != NULL) {
        return kvb_refuse(out, async_rows[at].stages);
    }
    bool none = at == 0 && context->speculative != KVB_SPECULATIVE_NONE;
    return kvb_refuse_if((none || !drafts_ahead(context->speculative, context->release)), out, async_rows[at].drafts);
}

bool kvb_refusal_async_executor(const struct kvb_context *context, char out[KVB_ERROR_TEXT_CAPACITY])
{
    return kvb_refuse_if(is_on(context, KVB_SET_ASYNC_SCHEDULING) && kvb_has_plain(context, KVB_PLAIN_RAY), out,
                         "Currently, async scheduling only supports `mp`, `uni`, or `external_launcher` distributed "
                         "executor backend, but you chose `ray`.");
}

// ---- Experts

bool kvb_refusal_no_experts(const struct kvb_context *context, char out[KVB_ERROR_TEXT_CAPACITY])
{
    if (!is_on(context, KVB_SET_ENABLE_EXPERT_PARALLEL) || kvb_model_has_experts(context->model)) {
        return false;
    }
    return kvb_refuse(out, "Number of experts in the model must be greater than 0 when expert parallelism is enabled.");
}

#define EPLB_ASKS_PROMPTS_SINCE R(26, 0) // ranks that share a prompt count from there on

bool kvb_refusal_eplb(const struct kvb_context *context, char out[KVB_ERROR_TEXT_CAPACITY])
{
    if ((context->plan->plain_flags & KVB_PLAIN_EPLB) == 0) {
        return false;
    }
    if (!is_on(context, KVB_SET_ENABLE_EXPERT_PARALLEL)) {
        return kvb_refuse(out, "enable_expert_parallel must be True to use EPLB.");
    }
    if (context->release < EPLB_ASKS_PROMPTS_SINCE) {
        return kvb_refuse_if(
            context->tp * context->dp <= 1, out,
            "EPLB requires tensor_parallel_size or data_parallel_size to be greater than 1, but got TP=1,DP=1.");
    }
    return kvb_refuse_if(context->tp * context->dp * context->pcp <= 1, out,
                         "EPLB requires tensor, prefill-context, or data parallelism, but got TP=1, PCP=1, DP=1.");
}

// ---- LoRA

#define LORA_ROWS_MAX 33024 // csrc/punica/bgmv/bgmv_config.h

// Classes whose head takes adapters (lm_head in supported_lora_modules). Source: vllm/lora/layers.py v0.3.0 to v0.4.0
// create_lora_weights; what later releases allow, none of these classes exceeds.
bool kvb_refusal_lora_vocabulary(const struct kvb_context *context, char out[KVB_ERROR_TEXT_CAPACITY])
{
    const char *name = context->model->architecture;
    bool head = strcmp(name, "LlamaForCausalLM") == 0 || strcmp(name, "MistralForCausalLM") == 0 ||
                strcmp(name, "MixtralForCausalLM") == 0;
    if (!is_on(context, KVB_SET_ENABLE_LORA) || !head || context->model->vocabulary_size <= LORA_ROWS_MAX) {
        return false;
    }
    return kvb_refuse(out, "When using LoRA, vocab size must be 32000 >= vocab_size <= 33024");
}

bool kvb_refusal_lora_chunks(const struct kvb_context *context, char out[KVB_ERROR_TEXT_CAPACITY])
{
    return kvb_refuse_if(is_on(context, KVB_SET_ENABLE_LORA) && is_on(context, KVB_SET_ENABLE_CHUNKED_PREFILL), out,
                         "LoRA is not supported with chunked prefill yet.");
}

// Adapters of all experts of a layer are one piece. Source: vllm/lora/layers/fused_moe.py v0.11.1.
bool kvb_refusal_lora_experts(const struct kvb_context *context, char out[KVB_ERROR_TEXT_CAPACITY])
{
    bool spread = is_on(context, KVB_SET_ENABLE_EXPERT_PARALLEL) && context->tp * context->pcp * context->dp > 1;
    return kvb_refuse_if(is_on(context, KVB_SET_ENABLE_LORA) && spread && kvb_model_has_experts(context->model), out,
                         "EP support for Fused MoE LoRA is not implemented yet.");
}

// ---- Cache, pictures, host memory, sleep

// The allocator may move what a connector has pinned. Source: vllm/config/vllm.py v0.21.0 _verify_kv_transfer_compat,
// which asks for the variable's older name.
bool kvb_refusal_connector_segments(const struct kvb_context *context, char out[KVB_ERROR_TEXT_CAPACITY])
{
    bool moves = context->plan->environment.expandable_by_cuda_name == KVB_YES;
    bool own_pool = is_on(context, KVB_SET_ENABLE_SLEEP_MODE) || kvb_has_plain(context, KVB_PLAIN_CUMEM);
    return kvb_refuse_if(moves && is_on(context, KVB_SET_KV_TRANSFER) && !own_pool, out,
                         "The KV connector is incompatible with PYTORCH_CUDA_ALLOC_CONF=expandable_segments:True");
}

// A model with windows in every layer; one with some full layers has no window of its own here.
bool kvb_refusal_prefix_window(const struct kvb_context *context, char out[KVB_ERROR_TEXT_CAPACITY])
{
    if (context->generation != KVB_GENERATION_V0 || !is_on(context, KVB_SET_ENABLE_PREFIX_CACHING) ||
        kvb_number(context->plan, KVB_SET_DISABLE_SLIDING_WINDOW) != 0 || context->model->kind_count != 1 ||
        context->model->kinds[0].attention.kind != KVB_ATTENTION_SLIDING) {
        return false;
    }
    return kvb_refuse(out,
                      "Prefix caching is not supported with sliding window. Run with --disable-sliding-window to use "
                      "prefix caching.");
}

bool kvb_refusal_no_pictures(const struct kvb_context *context, char out[KVB_ERROR_TEXT_CAPACITY])
{
    const struct kvb_plan *plan = context->plan;
    bool limits = kvb_is_set(plan, KVB_SET_LIMIT_IMAGES) || kvb_is_set(plan, KVB_SET_LIMIT_VIDEOS) ||
                  kvb_is_set(plan, KVB_SET_LIMIT_AUDIOS);
    return kvb_refuse_if(limits && !kvb_model_is_multimodal(context->model), out,
                         "`limit_mm_per_prompt` is only supported for multimodal models.");
}

bool kvb_refusal_no_pixels(const struct kvb_context *context, char out[KVB_ERROR_TEXT_CAPACITY])
{
    return kvb_refuse_if(kvb_is_set(context->plan, KVB_SET_MM_MAX_PIXELS) && !kvb_model_is_multimodal(context->model),
                         out, "`mm_processor_kwargs` is only supported for multimodal models.");
}

// Memory cannot be pinned under WSL, and V1 hands weights to the GPU in pinned memory alone.
bool kvb_refusal_offload_wsl(const struct kvb_context *context, char out[KVB_ERROR_TEXT_CAPACITY])
{
    return kvb_refuse_if(context->generation == KVB_GENERATION_V1 && is_on(context, KVB_SET_CPU_OFFLOAD_GB) &&
                             context->plan->platform == KVB_PLATFORM_WSL2,
                         out, "V1 CPU offloading requires uva (pin memory) support");
}

#define RUNNER_RENAMED_SINCE R(23, 0)

// Asked for by VLLM_USE_V2_MODEL_RUNNER; a release that chooses falls back to V1.
bool kvb_refusal_v2_runner(const struct kvb_context *context, char out[KVB_ERROR_TEXT_CAPACITY])
{
    bool asked = context->plan->environment.use_v2_model_runner == KVB_YES;
    const char *lacking = asked ? kvb_v2_runner_lacks(context) : NULL;
    if (lacking == NULL) {
        return false;
    }
    kvb_refusal_say(out,
                    context->release < RUNNER_RENAMED_SINCE ? "VLLM_USE_V2_MODEL_RUNNER does not yet support: {0}"
                                                            : "Model Runner V2 does not yet support: {0}",
                    &lacking);
    return true;
}

#define SLEEPS_ON_ROCM R(11, 1)
#define SLEEP_CHECKED_SINCE R(8, 5)
#define EXPANDS_ASLEEP R(20, 1) // the allocator of sleep mode takes segments that expand

bool kvb_refusal_sleep(const struct kvb_context *context, char out[KVB_ERROR_TEXT_CAPACITY])
{
    if (!is_on(context, KVB_SET_ENABLE_SLEEP_MODE)) {
        return false;
    }
    bool elsewhere = context->gpu->vendor != KVB_VENDOR_NVIDIA && context->release >= SLEEP_CHECKED_SINCE;
    if (elsewhere && (context->gpu->vendor != KVB_VENDOR_AMD || context->release < SLEEPS_ON_ROCM)) {
        return kvb_refuse(out, "Sleep mode is not supported on current platform.");
    }
    return kvb_refuse_if(context->plan->environment.expandable_segments == KVB_YES && context->release < EXPANDS_ASLEEP,
                         out,
                         "Expandable segments are not compatible with memory pool. Please track "
                         "https://github.com/pytorch/pytorch/issues/147851 for the latest updates.");
}

bool kvb_refusal_block(const struct kvb_context *context, char out[KVB_ERROR_TEXT_CAPACITY])
{
    uint64_t block = kvb_number(context->plan, KVB_SET_BLOCK_SIZE);
    char count[24], said[256] = "";
    const char *value = kvb_refusal_count(count, block);
    return kvb_refuse_if(block > 0 && kvb_vllm_judge_block(value, strlen(value), context->release, said), out, said);
}

bool kvb_refusal_async_states(const struct kvb_context *context, char out[KVB_ERROR_TEXT_CAPACITY])
{
    bool kept = context->mamba_mode == KVB_MAMBA_MODE_ALIGN || context->mamba_mode == KVB_MAMBA_MODE_ALL;
    return kvb_refuse_if(kept && kvb_number(context->plan, KVB_SET_ASYNC_SCHEDULING) != 0, out,
                         "Currently, async scheduling is not compatible with prefix caching for Mamba models.");
}

bool kvb_refusal_mamba_block(const struct kvb_context *context, char out[KVB_ERROR_TEXT_CAPACITY])
{
    uint64_t block = kvb_number(context->plan, KVB_SET_MAMBA_BLOCK_SIZE);
    if (!kvb_is_set(context->plan, KVB_SET_MAMBA_BLOCK_SIZE) || context->prefix_caching ||
        block == context->max_model_len) {
        return false;
    }
    return kvb_refuse(out, "--mamba-block-size can only be set with --enable-prefix-caching");
}
