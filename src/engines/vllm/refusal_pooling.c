// Encoders and models served by the pooling runner: what a release does not do with them.
#include "base/text.h"
#include "engines/vllm/refusal.h"
#include "engines/vllm/release_tables.h"

#define R(minor, patch) KVB_RELEASE(0, minor, patch)
#define RUNNER_SINCE R(10, 0)

static bool is_encoder(const struct kvb_model *model)
{
    return model->pooling && kvb_model_has(model, KVB_ATTENTION_ENCODER);
}

// Source: vllm/engine/arg_utils.py v0.6.5 to v0.10.1, for V0 alone.
bool kvb_refusal_pooling_chunks(const struct kvb_context *context, char out[KVB_ERROR_TEXT_CAPACITY])
{
    if (!context->pools || context->generation != KVB_GENERATION_V0 ||
        kvb_number(context->plan, KVB_SET_ENABLE_CHUNKED_PREFILL) == 0) {
        return false;
    }
    kvb_refusal_say(out, "Chunked prefill is not supported for pooling models", NULL);
    return true;
}

static const struct {
    uint32_t since;
    const char *text;
} generate_rows[] = {
    {0, "This model does not support the 'generate' task."},
    {R(10, 0), "This model does not support task='generate'."},
    {R(10, 1), "This model does not support `--runner generate`."},
    {R(22, 0), "Embedding models do not support `--runner generate`. Use `--runner pooling` or `--runner auto` for "
               "embedding models."},
};

// Classes that pool and do nothing else, by the ends of their names; as long as a release has one of its own, or makes
// it of another.
static bool only_pools(const struct kvb_model *model)
{
    static const char *const ends[] = {"ForSequenceClassification", "ForTokenClassification", "RewardModel",
                                       "ForRewardModeling"};
    for (size_t i = 0; i < sizeof ends / sizeof ends[0]; i++) {
        if (kvb_ends_with(model->architecture, ends[i])) {
            return true;
        }
    }
    return false;
}

// --runner generate, or --task generate, of an encoder. Source: vllm/config/model.py.
bool kvb_refusal_runner(const struct kvb_context *context, char out[KVB_ERROR_TEXT_CAPACITY])
{
    size_t at = 0;
    bool class_pools = context->release >= RUNNER_SINCE && only_pools(context->model);
    bool generates = kvb_number(context->plan, KVB_SET_RUNNER) == KVB_RUNNER_GENERATE;
    if (!generates || (!is_encoder(context->model) && !class_pools)) {
        return false;
    }
    if (kvb_class_of(context->model->architecture, context->release) == NULL) { // nothing is made of another then
        const char *name = context->model->architecture;
        kvb_refusal_say(out, "Model architectures ['{0}'] are not supported for now.", &name);
        return true;
    }
    while (at + 1 < sizeof generate_rows / sizeof generate_rows[0] && generate_rows[at + 1].since <= context->release) {
        at++;
    }
    kvb_refusal_say(out, generate_rows[at].text, NULL);
    return true;
}

#define STEP_RAISED_SINCE R(9, 2)  // the step of such a model is its length, whatever was asked
#define STEP_RAISED_UNTIL R(10, 1) // vllm/engine/arg_utils.py _set_default_args_v1

bool kvb_prompts_are_whole(const struct kvb_context *context)
{
    bool raised = context->generation == KVB_GENERATION_V1 && context->release >= STEP_RAISED_SINCE &&
                  context->release < STEP_RAISED_UNTIL;
    return !context->chunked_prefill && (!context->model->pooling || (is_encoder(context->model) && !raised));
}
