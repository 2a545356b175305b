// Packages that a start asks for and the release does not bring: without them it refuses to start. What stands in the
// release's requirements (requirements/common.txt, cuda.txt) or is installed by its docker/Dockerfile is there, and no
// row says it; a package that is only an extra of setup.py, or in no list at all, may be there or not, and the answer
// is given with a warning. What a start of the plain image would raise is then no refusal: whoever wrote the line may
// have another image. Source: vllm/config/speculative.py _validate_suffix_decoding v0.11.1 to v0.27.1 (arctic-inference
// is in requirements/test alone), setup.py extras and docs/features/quantization/gguf.md v0.24.0 (vllm-gguf-plugin),
// setup.py extra grpc v0.18.0, quantization/torchao.py and bitblas.py (ImportError), model_loader by tag.
#include "budget/shapes.h"
#include "engines/vllm/refusal.h"
#include "engines/vllm/verdict.h"

#include <string.h>

#define R(minor, patch) KVB_RELEASE(0, minor, patch)
#define SUFFIX_SINCE R(11, 1)
#define PLUGIN_SINCE R(24, 0)
#define RAY_GONE R(18, 0) // from requirements/cuda.txt

static void warn(const char *what, const char *package, struct kvb_problems *problems)
{
    (void)kvb_problem_add(problems, KVB_WARNING, KVB_OK, (struct kvb_place){0},
                          "%s needs the package %s, which neither this release nor its images bring: without it the "
                          "engine refuses to start.",
                          what, package);
}

// ---- Formats of files

static const struct {
    uint64_t loader;
    uint32_t gone; // 0 = no end: in the image from here on
    const char *what, *package;
} loaders[] = {
    {KVB_LOADER_TENSORIZER, 0, "--load-format tensorizer", "tensorizer"},
    {KVB_LOADER_FASTSAFETENSORS, R(10, 2), "--load-format fastsafetensors", "fastsafetensors"},
    {KVB_LOADER_INSTANTTENSOR, 0, "--load-format instanttensor", "instanttensor"},
    {KVB_LOADER_MODELEXPRESS, 0, "--load-format modelexpress", "modelexpress"},
};

static void warn_of_loader(const struct kvb_context *context, struct kvb_problems *problems)
{
    uint64_t loader = context->plan->plain_numbers[KVB_PLAIN_LOADER_PACKAGE].number;
    for (size_t i = 0; i < sizeof loaders / sizeof loaders[0]; i++) {
        if (loaders[i].loader == loader && (loaders[i].gone == 0 || context->release < loaders[i].gone)) {
            warn(loaders[i].what, loaders[i].package, problems);
        }
    }
}

// ---- Methods of quantisation

static const struct {
    const char *method, *what, *package;
} methods[] = {
    {"torchao", "Quantization by torchao", "torchao"},
    {"bitblas", "BitBLAS", "bitblas"},
    {"gptq_bitblas", "BitBLAS", "bitblas"},
};

static void warn_of_method(const struct kvb_context *context, struct kvb_problems *problems)
{
    char word[48];
    const char *method = kvb_method_used(context, word);
    for (size_t i = 0; method != NULL && i < sizeof methods / sizeof methods[0]; i++) {
        if (strcmp(methods[i].method, method) == 0) {
            warn(methods[i].what, methods[i].package, problems);
        }
    }
}

void kvb_warn_of_packages(const struct kvb_context *context, struct kvb_problems *problems)
{
    const struct kvb_plan *plan = context->plan;
    if ((plan->plain_flags & KVB_PLAIN_SUFFIX) != 0 && context->release >= SUFFIX_SINCE) {
        warn("Suffix decoding", "arctic-inference", problems);
    }
    bool method =
        kvb_is_set(plan, KVB_SET_QUANTIZATION) && kvb_number(plan, KVB_SET_QUANTIZATION) == KVB_QUANTIZATION_GGUF;
    bool gguf = method || plan->plain_numbers[KVB_PLAIN_LOADER_PACKAGE].number == KVB_LOADER_GGUF ||
                context->model->checkpoint.kind == KVB_CHECKPOINT_GGUF;
    if (gguf && context->release >= PLUGIN_SINCE) {
        warn("GGUF", "vllm-gguf-plugin", problems);
    }
    if (plan->plain_numbers[KVB_PLAIN_GRPC].set) {
        warn("--grpc", "smg-grpc-servicer", problems);
    }
    bool ray = (plan->plain_flags & KVB_PLAIN_RAY) != 0 || plan->plain_numbers[KVB_PLAIN_DATA_PARALLEL_RAY].set;
    if (ray && context->release >= RAY_GONE && context->gpu->vendor == KVB_VENDOR_NVIDIA) {
        warn("Ray", "ray", problems);
    }
    warn_of_loader(context, problems);
    warn_of_method(context, problems);
}
