// Drafts: which heads a release takes for which models, the ranks of a draft, and the tokens it adds to a step.
#include <string.h>

#include "base/checked.h"
#include "base/text.h"
#include "budget/shapes.h"
#include "engines/vllm/refusal.h"
#include "engines/vllm/release_tables.h"

#define R(minor, patch) KVB_RELEASE(0, minor, patch)

// ---- EAGLE3

#define EAGLE3_SINCE R(8, 5)

bool kvb_drafts_by_eagle3(const struct kvb_context *context)
{
    const struct kvb_model *draft = context->plan->draft;
    return context->speculative == KVB_SPECULATIVE_EAGLE &&
           (kvb_has_plain(context, KVB_PLAIN_EAGLE3) ||
            (draft != NULL && strstr(draft->architecture, "Eagle3") != NULL));
}

// The class of a draft model is looked up like any other; one that no release has may come with transformers. Heads go
// by several names, of which the release makes one of its own.
bool kvb_refusal_draft_class(const struct kvb_context *context, char out[KVB_ERROR_TEXT_CAPACITY])
{
    const struct kvb_model *draft = context->plan->draft;
    const char *name = draft != NULL ? draft->architecture : "";
    bool whole = (context->speculative == KVB_SPECULATIVE_DRAFT_MODEL || context->speculative == KVB_SPECULATIVE_MTP) &&
                 name[0] != '\0' && !kvb_brings_mtp(draft, context->release);
    bool listed = kvb_class_is_known(name) || (draft != NULL && kvb_model_assists(draft));
    bool unknown = whole && listed && kvb_class_of(name, context->release) == NULL;
    bool early = kvb_drafts_by_eagle3(context) && context->release < EAGLE3_SINCE;
    if (!early && !unknown) {
        return false;
    }
    name = name[0] != '\0' ? name : "LlamaForCausalLMEagle3";
    kvb_refusal_say(out, "Model architectures ['{0}'] are not supported for now.", &name);
    return true;
}

// Beginnings of the classes whose model types a release lists for EAGLE3 heads, and from when. Source:
// vllm/config/speculative.py eagle3_target_supported, later aux_hidden_states_supported.
static const struct {
    uint32_t since;
    const char *class_begins;
} targets[] = {
    {R(8, 5), "Llama"},      {R(8, 5), "Mllama"},      {R(10, 1), "Qwen"},         {R(11, 0), "MiniCPM"},
    {R(11, 0), "GptOss"},    {R(16, 0), "HunYuanVL"},  {R(16, 0), "HunYuanDense"}, {R(16, 0), "Afmoe"},
    {R(17, 0), "NemotronH"}, {R(18, 0), "DeepseekV2"}, {R(18, 0), "DeepseekV3"},   {R(18, 0), "KimiK2"},
    {R(18, 0), "KimiVL"},    {R(19, 1), "MiniMaxM2"},  {R(19, 1), "Gemma4"},       {R(21, 0), "Laguna"},
};
#define TARGETS_LISTED_SINCE R(10, 1)
#define METHOD_NAMED_SINCE R(17, 0)

static void say_target(const struct kvb_context *context, char out[KVB_ERROR_TEXT_CAPACITY])
{
    const char *method = context->speculative == KVB_SPECULATIVE_DFLASH ? "dflash" : "eagle3";
    kvb_refusal_say(out,
                    context->release < TARGETS_LISTED_SINCE ? "Eagle3 is only supported for Llama models."
                    : context->release < METHOD_NAMED_SINCE
                        ? "Eagle3 is only supported for ['llama', 'qwen', ...] "
                          "models."
                        : "{0} is only supported for ['llama', 'qwen', ...] models.",
                    &method);
}

bool kvb_refusal_eagle3_target(const struct kvb_context *context, char out[KVB_ERROR_TEXT_CAPACITY])
{
    const char *name = context->model->architecture;
    bool asked = kvb_drafts_by_eagle3(context) || context->speculative == KVB_SPECULATIVE_DFLASH;
    if (!asked || name[0] == '\0') {
        return false;
    }
    for (size_t i = 0; i < sizeof targets / sizeof targets[0]; i++) {
        if (context->release >= targets[i].since && kvb_starts_with(name, targets[i].class_begins)) {
            return false;
        }
    }
    say_target(context, out);
    return true;
}

// ---- Stages of a pipeline

#define MTP_LOST_STAGES R(14, 0)

// Targets whose MTP class still takes intermediate_tensors. Source: glm4_moe_lite_mtp.py, glm_ocr_mtp.py v0.16.0,
// nemotron_h_mtp.py v0.17.0, inkling v0.26.0; before 0.14 all but MiMo's did.
static bool mtp_has_stages(const struct kvb_context *context)
{
    static const char *const begins[] = {"Glm4MoeLite", "GlmOcr", "NemotronH", "Inkling"};
    const struct kvb_model *draft = context->plan->draft;
    const char *name = draft != NULL ? draft->architecture : context->model->architecture;
    if (context->release < MTP_LOST_STAGES) {
        return !kvb_starts_with(name, "MiMo");
    }
    for (size_t i = 0; i < sizeof begins / sizeof begins[0]; i++) {
        if (kvb_starts_with(name, begins[i])) {
            return true;
        }
    }
    return false;
}

static bool draft_has_stages(const struct kvb_context *context)
{
    switch (context->speculative) {
    case KVB_SPECULATIVE_EAGLE: // forward() of every head goes without intermediate_tensors
    case KVB_SPECULATIVE_DFLASH:
    case KVB_SPECULATIVE_DSPARK:
        return false;
    case KVB_SPECULATIVE_MTP:
        return context->plan->draft_unknown || mtp_has_stages(context);
    default:
        return true;
    }
}

// The draft's class is asked whether it can be split, though it runs on the last stage alone.
// Source: vllm/config/speculative.py _verify_args, config/model.py verify_with_parallel_config.
bool kvb_refusal_draft_stages(const struct kvb_context *context, char out[KVB_ERROR_TEXT_CAPACITY])
{
    return kvb_refuse_if(context->pp > 1 && !draft_has_stages(context), out, KVB_NO_STAGES);
}

// ---- Ranks and tokens of a draft

#define TARGETS_RANKS_SINCE R(6, 4) // the target's number is taken too

bool kvb_refusal_draft_ranks(const struct kvb_context *context, char out[KVB_ERROR_TEXT_CAPACITY])
{
    const struct kvb_plain_value *ranks = &context->plan->plain_numbers[KVB_PLAIN_DRAFT_RANKS];
    bool drafts =
        context->plan->draft != NULL || context->plan->draft_unknown || context->speculative == KVB_SPECULATIVE_MTP;
    bool taken = ranks->number == 1 || (context->release >= TARGETS_RANKS_SINCE && ranks->number == context->tp);
    if (!ranks->set || !drafts || taken) {
        return false;
    }
    char count[24];
    const char *value = kvb_refusal_count(count, ranks->number);
    kvb_refusal_say(out,
                    context->release < R(5, 5)
                        ? "speculative_draft_tensor_parallel_size={0} cannot beother value than 1"
                    : context->release < TARGETS_RANKS_SINCE
                        ? "speculative_draft_tensor_parallel_size={0} cannot be other value than 1"
                        : "speculative_draft_tensor_parallel_size={0} cannot be other value than 1 or target model "
                          "tensor_parallel_size",
                    &value);
    return true;
}

// A length of its own may not be above the target's; above the draft's another error comes first.
bool kvb_refusal_draft_length(const struct kvb_context *context, char out[KVB_ERROR_TEXT_CAPACITY])
{
    const struct kvb_plain_value *asked = &context->plan->plain_numbers[KVB_PLAIN_DRAFT_LENGTH];
    const struct kvb_model *draft = context->plan->draft;
    bool model = context->speculative != KVB_SPECULATIVE_NONE && context->speculative != KVB_SPECULATIVE_NGRAM;
    bool within = draft == NULL || asked->number <= draft->context_tokens;
    if (!asked->set || !model || !within || asked->number <= context->max_model_len) {
        return false;
    }
    return kvb_refuse_two(out, "speculative_max_model_len={0} cannot be larger than target_max_model_len={1}",
                          asked->number, context->max_model_len);
}

// A module of several layers drafts as many tokens at once; more than that only in multiples.
bool kvb_refusal_draft_multiple(const struct kvb_context *context, char out[KVB_ERROR_TEXT_CAPACITY])
{
    uint64_t tokens = kvb_number(context->plan, KVB_SET_NUM_SPECULATIVE_TOKENS);
    uint32_t layers = kvb_mtp_modules(context->plan->draft != NULL ? context->plan->draft : context->model);
    if (context->speculative != KVB_SPECULATIVE_MTP || context->plan->draft_unknown || layers < 2 || tokens <= layers ||
        tokens % layers == 0) {
        return false;
    }
    char asked[24], made[24];
    const char *values[] = {kvb_refusal_count(asked, tokens), kvb_refusal_count(made, layers)};
    kvb_refusal_say(out, "num_speculative_tokens:{0} must be divisible by n_predict={1}", values);
    return true;
}

#define STATES_OF_QWEN_SINCE R(10, 2)

// Layers that keep a state take back no draft yet, but for one model type.
bool kvb_refusal_draft_states(const struct kvb_context *context, char out[KVB_ERROR_TEXT_CAPACITY])
{
    bool qwen = context->release >= STATES_OF_QWEN_SINCE && kvb_starts_with(context->model->architecture, "Qwen3Next");
    return kvb_refuse_if(context->generation == KVB_GENERATION_V1 && context->speculative != KVB_SPECULATIVE_NONE &&
                             kvb_model_has_state(context->model) && !qwen,
                         out, "Mamba with speculative decoding is not supported yet.");
}

// V1's drafter shares embeddings of equal width alone there, which an assistant's is not: its first projection gets
// other widths than it was made for while memory is profiled. vllm#47794; gemma4.py v0.27.0 has a rule of its own.
bool kvb_refusal_assistant(const struct kvb_context *context, char out[KVB_ERROR_TEXT_CAPACITY])
{
    const struct kvb_model *draft = context->plan->draft;
    bool cut = context->speculative == KVB_SPECULATIVE_MTP && draft != NULL && kvb_model_assists(draft);
    if (!cut || context->v2_runner) {
        return false;
    }
    return kvb_refuse_two(out,
                          "a and b must have same reduction dim (Target embedding dim ({0}) differs from draft "
                          "embedding dim ({1}). Keeping separate embedding weights.)",
                          context->model->hidden_size, draft->hidden_size);
}

#define NONE_REFUSED_SINCE R(20, 0)

// A draft model of its own puts one token of each sequence into the step beside the drafts it checks.
bool kvb_refusal_scheduled_tokens(const struct kvb_context *context, char out[KVB_ERROR_TEXT_CAPACITY])
{
    const struct kvb_plain_value *asked = &context->plan->plain_numbers[KVB_PLAIN_SCHEDULED_TOKENS];
    uint64_t added = context->speculative == KVB_SPECULATIVE_DRAFT_MODEL ? context->max_num_seqs : 0;
    uint64_t step = context->max_num_batched_tokens;
    bool drafts = context->speculative != KVB_SPECULATIVE_NONE;
    char first[24], second[24], third[24];
    if (drafts && !asked->set && added >= step && context->release >= NONE_REFUSED_SINCE) {
        const char *values[] = {kvb_refusal_count(first, added - step), added == step ? "" : "-"};
        kvb_refusal_say(out,
                        "max_num_scheduled_tokens is set to {1}{0} based on the speculative decoding settings, which "
                        "does not allow any tokens to be scheduled. Increase max_num_batched_tokens to accommodate the "
                        "additional draft token slots, or decrease num_speculative_tokens or max_num_seqs.",
                        values);
        return true;
    }
    if (!drafts || !asked->set || step >= kvb_add(asked->number, added)) {
        return false;
    }
    const char *values[] = {kvb_refusal_count(first, added), kvb_refusal_count(second, step),
                            kvb_refusal_count(third, asked->number)};
    kvb_refusal_say(out,
                    "VllmConfig received max_num_scheduled_tokens but it does not have enough slots to support the "
                    "speculative decoding settings. It should be greater by at least {0}, but got "
                    "max_num_batched_tokens={1} and max_num_scheduled_tokens={2}.",
                    values);
    return true;
}
