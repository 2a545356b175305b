// Packages that a release asks for and does not bring: without them it refuses to start.
// Source: vllm/config/speculative.py _validate_suffix_decoding v0.11.1 to v0.27.1 (arctic-inference is in
// requirements/test alone), setup.py extras and docs/features/quantization/gguf.md v0.24.0 (vllm-gguf-plugin).
#include "budget/shapes.h"
#include "engines/vllm/verdict.h"

#define R(minor, patch) KVB_RELEASE(0, minor, patch)
#define SUFFIX_SINCE R(11, 1)
#define PLUGIN_SINCE R(24, 0)

static void warn(const char *what, const char *package, struct kvb_problems *problems)
{
    (void)kvb_problem_add(problems, KVB_WARNING, KVB_OK, (struct kvb_place){0},
                          "%s needs the package %s, which neither this release nor its images bring: without it the "
                          "engine refuses to start.",
                          what, package);
}

void kvb_warn_of_packages(const struct kvb_context *context, struct kvb_problems *problems)
{
    const struct kvb_plan *plan = context->plan;
    if ((plan->plain_flags & KVB_PLAIN_SUFFIX) != 0 && context->release >= SUFFIX_SINCE) {
        warn("Suffix decoding", "arctic-inference", problems);
    }
    bool method =
        kvb_is_set(plan, KVB_SET_QUANTIZATION) && kvb_number(plan, KVB_SET_QUANTIZATION) == KVB_QUANTIZATION_GGUF;
    bool gguf = method || plan->plain_numbers[KVB_PLAIN_GGUF_LOADER].set ||
                context->model->checkpoint.kind == KVB_CHECKPOINT_GGUF;
    if (gguf && context->release >= PLUGIN_SINCE) {
        warn("GGUF", "vllm-gguf-plugin", problems);
    }
}
