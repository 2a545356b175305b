// What a release makes of a speculative config: the method it settles on, and what it asks for with each.
// Source: vllm/config/speculative.py __post_init__, hf_config_override and _verify_args (vllm/config.py to 0.10.2).
#include <string.h>

#include "base/text.h"
#include "budget/shapes.h"
#include "engines/vllm/encoder_items.h"
#include "engines/vllm/refusal.h"
#include "engines/vllm/release_tables.h"
#include "engines/vllm/serve.h"

#define R(minor, patch) KVB_RELEASE(0, minor, patch)

static const char no_draft_model[] =
    "Speculative decoding with draft model is not supported yet. Please consider using other speculative decoding "
    "methods such as ngram, medusa, eagle, or mtp.";

static bool says_how_many(const struct kvb_context *context)
{
    return kvb_is_set(context->plan, KVB_SET_NUM_SPECULATIVE_TOKENS);
}

// ---- Modules that a checkpoint brings for drafting (MTP)

// A class of the release that nothing turns into modules; of one that it does not have, nothing is known.
static bool lacks_mtp(const struct kvb_model *model, uint32_t release)
{
    bool known = kvb_class_of(model->architecture, release) != NULL;
    bool modules = strstr(model->architecture, "MTP") != NULL || strstr(model->architecture, "Assistant") != NULL;
    return known && !modules && !kvb_brings_mtp(model, release);
}

// ---- Whole models that draft

#define BLOCKS_BY_NAME_SINCE R(20, 0) // "dflash" in the name of a model

// A checkpoint with modules drafts with these, whatever it was called.
static bool drafts_whole(const struct kvb_context *context)
{
    const struct kvb_model *draft = context->plan->draft;
    bool blocks = context->speculative == KVB_SPECULATIVE_DFLASH && context->release < BLOCKS_BY_NAME_SINCE &&
                  !kvb_has_plain(context, KVB_PLAIN_METHOD_NAMED);
    bool nothing = kvb_has_plain(context, KVB_PLAIN_SERVE_LINE) && !kvb_has_plain(context, KVB_PLAIN_DRAFT_NAMED);
    return (context->speculative == KVB_SPECULATIVE_DRAFT_MODEL || blocks) && !nothing &&
           (draft == NULL || !kvb_brings_mtp(draft, context->release));
}

bool kvb_refusal_draft_model(const struct kvb_context *context, char out[KVB_ERROR_TEXT_CAPACITY])
{
    return kvb_refuse_if(drafts_whole(context), out, no_draft_model);
}

// Until the method followed from a model that nothing else is known of.
bool kvb_refusal_draft_unnamed(const struct kvb_context *context, char out[KVB_ERROR_TEXT_CAPACITY])
{
    bool unnamed = kvb_has_plain(context, KVB_PLAIN_DRAFT_NAMED) && !kvb_has_plain(context, KVB_PLAIN_METHOD_NAMED);
    return kvb_refuse_if(unnamed && drafts_whole(context) && context->plan->draft != NULL, out,
                         "Unsupported speculative method: 'None'");
}

// The proposer of whole models, made once the weights are loaded. Source: vllm/v1/spec_decode/draft_model.py v0.15.0,
// eagle.py v0.16.0 and llm_base_proposer.py v0.20.0.
bool kvb_refusal_draft_ranks_differ(const struct kvb_context *context, char out[KVB_ERROR_TEXT_CAPACITY])
{
    uint64_t ranks = kvb_plain_or(context, KVB_PLAIN_DRAFT_RANKS, context->tp);
    if (!drafts_whole(context) || context->plan->draft == NULL || ranks == context->tp) {
        return false;
    }
    return kvb_refuse_two(
        out,
        "Currently, 'draft_tensor_parallel_size' and 'tensor_parallel_size' must be the same. Got {0} "
        "and {1}. Please pass 'draft_tensor_parallel_size' in the speculative_config.",
        ranks, context->tp);
}

#define PARALLEL_DRAFTS_SINCE R(16, 0)

bool kvb_refusal_draft_pictures(const struct kvb_context *context, char out[KVB_ERROR_TEXT_CAPACITY])
{
    struct kvb_encoder_load load;
    if (!drafts_whole(context) || context->plan->draft == NULL) {
        return false;
    }
    kvb_encoder_load_of(context, &load);
    return kvb_refuse_if(load.takes_items, out,
                         context->release < PARALLEL_DRAFTS_SINCE
                             ? "Speculative Decoding with draft models does not support multimodal models yet"
                             : "Speculative Decoding with draft models or parallel drafting does not support "
                               "multimodal models yet");
}

// Only the method draft_model compares the two vocabularies.
bool kvb_refusal_draft_vocabulary(const struct kvb_context *context, char out[KVB_ERROR_TEXT_CAPACITY])
{
    const struct kvb_model *draft = context->plan->draft;
    if (!drafts_whole(context) || draft == NULL || draft->vocabulary_size == context->model->vocabulary_size) {
        return false;
    }
    char target[24], own[24];
    const char *values[] = {kvb_refusal_count(target, context->model->vocabulary_size),
                            kvb_refusal_count(own, draft->vocabulary_size)};
    kvb_refusal_say(out,
                    "Target and draft model should have the same vocabulary size. Target model vocab_size={0}. Draft "
                    "model vocab_size={1}. Using models with different tokenizers can cause out-of-bounds errors "
                    "during speculative decoding.",
                    values);
    return true;
}

#define DRAFTS_OTHERWISE_UNTIL R(15, 0) // "mtp" of another class is taken for a draft model, which was not there yet

bool kvb_refusal_draft_mtp(const struct kvb_context *context, char out[KVB_ERROR_TEXT_CAPACITY])
{
    const struct kvb_model *draft = context->plan->draft != NULL ? context->plan->draft : context->model;
    bool uncounted = kvb_has_plain(context, KVB_PLAIN_SERVE_LINE) && !says_how_many(context) &&
                     !kvb_has_plain(context, KVB_PLAIN_DRAFT_NAMED); // asked for first then
    if (context->speculative != KVB_SPECULATIVE_MTP || context->plan->draft_unknown || uncounted ||
        !lacks_mtp(draft, context->release)) {
        return false;
    }
    return kvb_refuse(out, context->release >= DRAFTS_OTHERWISE_UNTIL ? "Unsupported speculative method: 'mtp'"
                                                                      : no_draft_model);
}

// ---- What each method asks for

#define METHODS_KNOWN_SINCE R(11, 0) // before, modules of one's own go by the model type alone
#define BLOCKS_OF_ITS_OWN_SINCE R(25, 0)

static bool drafts_itself(const struct kvb_context *context)
{
    static const char *const early[] = {"DeepseekV3ForCausalLM", "MiMoForCausalLM", "Ernie4_5_MoeForCausalLM",
                                        "Qwen3NextForCausalLM"};
    if (context->speculative == KVB_SPECULATIVE_NGRAM) {
        return context->release >= METHODS_KNOWN_SINCE || !kvb_has_plain(context, KVB_PLAIN_SUFFIX);
    }
    if (context->release >= METHODS_KNOWN_SINCE) {
        return context->speculative == KVB_SPECULATIVE_MTP ||
               (context->speculative == KVB_SPECULATIVE_OTHER && !kvb_has_plain(context, KVB_PLAIN_HEADS_ONLY)) ||
               (context->speculative == KVB_SPECULATIVE_DSPARK && context->release >= BLOCKS_OF_ITS_OWN_SINCE);
    }
    for (size_t i = 0; i < sizeof early / sizeof early[0]; i++) {
        if (strcmp(context->model->architecture, early[i]) == 0) {
            return kvb_brings_mtp(context->model, context->release);
        }
    }
    return false;
}

#define BOUNDED_SINCE R(11, 1) // by the type of the field
#define TREES_SINCE R(17, 0)   // speculative_token_tree is asked for beside the number of tokens
#define TREES_GONE R(21, 0)

// A head, or a whole model, whose config is not asked for a number of its own.
static const char *without_tokens(const struct kvb_context *context)
{
    bool head = context->speculative == KVB_SPECULATIVE_EAGLE || context->speculative == KVB_SPECULATIVE_DFLASH ||
                drafts_whole(context);
    if (!head || context->release < TREES_SINCE || !kvb_has_plain(context, KVB_PLAIN_DRAFT_NAMED)) {
        return "num_speculative_tokens must be provided with speculative model unless the draft model config contains "
               "an n_predict parameter.";
    }
    return context->release < TREES_GONE ? "A speculative model was provided, but neither `speculative_token_tree` nor "
                                           "`num_speculative_tokens` was provided"
                                         : "A speculative model was provided, but `num_speculative_tokens` was not "
                                           "provided";
}

// Methods whose drafts may say in their own config how many tokens they make, or that need none.
static bool may_count_itself(const struct kvb_context *context)
{
    bool heads = context->speculative == KVB_SPECULATIVE_EAGLE || context->speculative == KVB_SPECULATIVE_DRAFT_MODEL;
    bool unknown = context->plan->draft_unknown || context->speculative == KVB_SPECULATIVE_OTHER;
    bool assists = context->plan->draft != NULL && kvb_model_assists(context->plan->draft); // n_predict is 1
    bool named = kvb_has_plain(context, KVB_PLAIN_DRAFT_NAMED);
    bool blocks = context->speculative == KVB_SPECULATIVE_DSPARK && // a tree of its own may know its blocks
                  (named || !kvb_vllm_is_release(&context->plan->engine));
    return kvb_has_plain(context, KVB_PLAIN_SUFFIX) || blocks || assists || (unknown && !heads && named);
}

// A profile may leave out what is only for the engine: asked of serve commands alone.
bool kvb_refusal_draft_words(const struct kvb_context *context, char out[KVB_ERROR_TEXT_CAPACITY])
{
    const struct kvb_plan *plan = context->plan;
    bool named = kvb_has_plain(context, KVB_PLAIN_DRAFT_NAMED);
    bool none = says_how_many(context) && kvb_number(plan, KVB_SET_NUM_SPECULATIVE_TOKENS) == 0;
    if (!kvb_has_plain(context, KVB_PLAIN_SERVE_LINE) || !says_how_many(context)) {
        return false;
    }
    if (none && context->release >= BOUNDED_SINCE) {
        return kvb_refuse(out, "1 validation error for SpeculativeConfig, num_speculative_tokens: Input should be "
                               "greater than 0");
    }
    if (!named && !drafts_itself(context)) {
        return kvb_refuse(out, context->release < METHODS_KNOWN_SINCE
                                   ? "num_speculative_tokens was provided without speculative model."
                                   : "num_speculative_tokens was provided but without speculative model.");
    }
    return kvb_refuse_if(none, out, "Expected num_speculative_tokens to be greater than zero (0).");
}

bool kvb_refusal_draft_uncounted(const struct kvb_context *context, char out[KVB_ERROR_TEXT_CAPACITY])
{
    bool asked = kvb_has_plain(context, KVB_PLAIN_SERVE_LINE) && context->speculative != KVB_SPECULATIVE_NONE;
    return kvb_refuse_if(asked && !says_how_many(context) && !may_count_itself(context), out, without_tokens(context));
}

// A draft is split as the model is, or not at all.
bool kvb_refusal_draft_heads(const struct kvb_context *context, char out[KVB_ERROR_TEXT_CAPACITY])
{
    const struct kvb_model *draft = context->plan->draft;
    if (draft == NULL || context->speculative == KVB_SPECULATIVE_NGRAM) {
        return false;
    }
    uint64_t ranks = kvb_plain_or(context, KVB_PLAIN_DRAFT_RANKS, context->tp);
    uint32_t heads = draft->kinds[0].attention.heads;
    if (ranks == 0 || heads % ranks == 0) { // no ranks are refused before
        return false;
    }
    return kvb_refuse_two(out, "Total number of attention heads ({0}) must be divisible by tensor parallel size ({1}).",
                          heads, ranks);
}

// A DSpark head of Kimi K3, whose attention is latent.
bool kvb_refusal_draft_context(const struct kvb_context *context, char out[KVB_ERROR_TEXT_CAPACITY])
{
    const struct kvb_model *draft = context->plan->draft;
    bool latent = context->speculative == KVB_SPECULATIVE_DSPARK && draft != NULL &&
                  strcmp(draft->architecture, "K3DSparkModel") == 0;
    return kvb_refuse_if(latent && context->dcp > 1, out,
                         "MLA DSpark does not currently support decode context parallelism; set "
                         "decode_context_parallel_size=1.");
}

// Hidden states of the target's layers: a class has to hand them out. Source: vllm/v1/worker/gpu_model_runner.py
// v0.11.0, v0.27.1 and gpu/spec_decode/eagle/eagle3_utils.py, interfaces.py SupportsEagle3.
bool kvb_refusal_hidden_states(const struct kvb_context *context, char out[KVB_ERROR_TEXT_CAPACITY])
{
    bool asked = context->speculative == KVB_SPECULATIVE_DFLASH || kvb_drafts_by_eagle3(context);
    return kvb_refuse_if(asked && kvb_class_lacks(context, 'E'), out,
                         context->v2_runner
                             ? "Model does not support EAGLE3 interface"
                             : "Model does not support EAGLE3 interface but aux_hidden_state_outputs was "
                               "requested");
}
