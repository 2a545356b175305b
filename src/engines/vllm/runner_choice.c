// Which model runner a start uses: V2 by release, model and features, or V1.
// Source: vllm/config/vllm.py use_v2_model_runner and _get_v2_model_runner_unsupported_features at v0.22.0 to v0.28.0;
// for 0.29.0 its release notes (vllm#53183 all models, #48290 pooling ones, #42963 prompt embeddings).
#include "engines/vllm/context.h"

#include <string.h>

#define R(minor, patch) KVB_RELEASE(0, minor, patch)
#define DFLASH_SINCE R(24, 0)
#define DSPARK_FORCES_SINCE R(25, 0)
#define MIXED_WINDOWS_FORCE_SINCE R(26, 0)
#define SPLITS_LATENT_SINCE R(26, 0)
#define SPLITS_ALL_SINCE R(27, 0)

// Classes that run on V2 before their kind does.
struct class_row {
    enum kvb_v2_rule since, gone; // half open
    const char *architecture;
    bool but_amd; // not on AMD cards
};

static const struct class_row classes[] = {
    {KVB_V2_QWEN3, KVB_V2_DENSE, "Qwen3ForCausalLM", false},
    {KVB_V2_LLAMA, KVB_V2_DENSE, "LlamaForCausalLM", false},
    {KVB_V2_LLAMA, KVB_V2_DENSE, "MistralForCausalLM", false},
    {KVB_V2_SOME_MOE, KVB_V2_ALL, "DeepseekV2ForCausalLM", false},
    {KVB_V2_SOME_MOE, KVB_V2_ALL, "Qwen2MoeForCausalLM", false},
    {KVB_V2_SOME_MOE, KVB_V2_ALL, "GraniteMoeForCausalLM", false},
    {KVB_V2_DENSE_26, KVB_V2_ALL, "InklingForCausalLM", false},
    {KVB_V2_DENSE_26, KVB_V2_ALL, "InklingForConditionalGeneration", false},
    {KVB_V2_DENSE_26, KVB_V2_ALL, "LongcatFlashNgramForCausalLM", false},
    {KVB_V2_DENSE_27, KVB_V2_DSV4, "KimiK3ForConditionalGeneration", true},
    {KVB_V2_DSV4, KVB_V2_ALL, "KimiK3ForConditionalGeneration", false},
    {KVB_V2_DSV4, KVB_V2_ALL, "DeepseekV4ForCausalLM", true},
};

// Flags that V2 does not run with, and so bring V1 back.
struct feature_row {
    uint32_t flag;  // enum kvb_plain_flag
    uint32_t until; // the first release that runs it on V2; 0: none known
};

static const struct feature_row features[] = {
    {KVB_PLAIN_DBO, 0},
    {KVB_PLAIN_ROUTED_EXPERTS, R(28, 0)},
    {KVB_PLAIN_LOGITS_PROCESSORS, 0},
    {KVB_PLAIN_PROMPT_EMBEDS, R(29, 0)},
    {KVB_PLAIN_LOGPROBS_OF_LOGITS, R(26, 0)},
    {KVB_PLAIN_SHARED_PREFILL, 0},
    {KVB_PLAIN_ENCODER_CACHE_TRANSFER, R(28, 0)},
};

static bool has_odd_feature(const struct kvb_context *context)
{
    uint32_t flags = context->plan->plain_flags;
    for (size_t i = 0; i < sizeof features / sizeof features[0]; i++) {
        bool lacks = features[i].until == 0 || context->release < features[i].until;
        if (lacks && (flags & features[i].flag) != 0) {
            return true;
        }
    }
    bool stages = context->pp > 1;
    bool launched = (flags & KVB_PLAIN_EXTERNAL_LAUNCHER) != 0 && context->release >= R(24, 0);
    bool elastic = (flags & KVB_PLAIN_ELASTIC_EP) != 0 && context->release >= R(24, 0);
    return elastic || (stages && (launched || (flags & KVB_PLAIN_EAGLE3) != 0));
}

static bool takes_draft(const struct kvb_context *context)
{
    switch (kvb_number(context->plan, KVB_SET_SPECULATIVE_METHOD)) {
    case KVB_SPECULATIVE_NONE:
    case KVB_SPECULATIVE_EAGLE:
    case KVB_SPECULATIVE_MTP:
        return true;
    case KVB_SPECULATIVE_DFLASH:
        return context->release >= DFLASH_SINCE;
    default:
        return false;
    }
}

static bool splits_prompts(const struct kvb_context *context)
{
    return context->pcp > 1 && !(kvb_model_is_mla(context->model) && context->release >= SPLITS_LATENT_SINCE);
}

// A draft of both windows and whole contexts needs several groups, which V1's drafters do not keep.
static bool mixes_windows(const struct kvb_model *draft)
{
    return draft != NULL && kvb_model_has(draft, KVB_ATTENTION_SLIDING) && kvb_model_has(draft, KVB_ATTENTION_FULL);
}

// What V2 alone can do asks for it, whatever else is set.
static bool is_forced(const struct kvb_context *context)
{
    uint64_t method = kvb_number(context->plan, KVB_SET_SPECULATIVE_METHOD);
    bool dspark = method == KVB_SPECULATIVE_DSPARK && context->release >= DSPARK_FORCES_SINCE;
    bool mixed = method == KVB_SPECULATIVE_DFLASH && context->release >= MIXED_WINDOWS_FORCE_SINCE &&
                 mixes_windows(context->plan->draft);
    bool selects = method == KVB_SPECULATIVE_DFLASH && context->plan->draft != NULL &&
                   strcmp(context->plan->draft->architecture, "DFlash2DraftModel") == 0;
    return dspark || mixed || selects || (context->pcp > 1 && context->release >= SPLITS_ALL_SINCE);
}

static bool is_named(const struct kvb_context *context, uint32_t rule)
{
    bool amd = context->gpu->vendor == KVB_VENDOR_AMD;
    for (size_t i = 0; i < sizeof classes / sizeof classes[0]; i++) {
        const struct class_row *row = &classes[i];
        if (rule >= row->since && rule < row->gone && !(row->but_amd && amd) &&
            strcmp(row->architecture, context->model->architecture) == 0) {
            return true;
        }
    }
    return false;
}

// Until 0.29 models that generate alone; until 0.24 neither quantised ones nor experts.
static bool is_default(const struct kvb_context *context)
{
    uint32_t rule = kvb_rule(context, KVB_RULE_V2_RUNNER);
    const struct kvb_model *model = context->model;
    if (rule >= KVB_V2_ALL) {
        bool slow = context->gpu->vendor == KVB_VENDOR_AMD && kvb_model_has(model, KVB_ATTENTION_DSV4);
        return !slow; // "apart from some specific models in the ROCm case", of which V4 was one in 0.28
    }
    bool experts = kvb_model_has_experts(model);
    bool early = rule < KVB_V2_SOME_MOE && (experts || model->quantisation.method != KVB_QUANT_NONE);
    if (context->pools || early) {
        return false;
    }
    return (rule >= KVB_V2_DENSE && !experts && !kvb_model_has_state(model)) || is_named(context, rule);
}

#define STATES_SINCE R(25, 0)

const char *kvb_v2_runner_lacks(const struct kvb_context *context)
{
    uint64_t method = kvb_number(context->plan, KVB_SET_SPECULATIVE_METHOD);
    bool dspark = method == KVB_SPECULATIVE_DSPARK && context->release >= DSPARK_FORCES_SINCE;
    return kvb_model_has_state(context->model) && context->release < STATES_SINCE ? "hybrid/mamba models"
           : method == KVB_SPECULATIVE_NGRAM  ? "ngram/ngram_gpu speculative decoding"
           : !takes_draft(context) && !dspark ? "speculative method"
           : splits_prompts(context)          ? "prefill context parallelism"
           : has_odd_feature(context)         ? "a feature of the command"
                                              : NULL;
}

bool kvb_v2_runner_of(const struct kvb_context *context)
{
    uint8_t asked = context->plan->environment.use_v2_model_runner;
    if (context->generation == KVB_GENERATION_V0 || asked == KVB_NO) {
        return false;
    }
    if (asked == KVB_YES || is_forced(context)) {
        return true;
    }
    return takes_draft(context) && !splits_prompts(context) && !has_odd_feature(context) && is_default(context);
}
