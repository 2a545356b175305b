// Packages that a start needs and the release does not bring; more GPUs than are stated.
// Source: vllm/config/speculative.py v0.11.1 and v0.27.1, requirements/common.txt; setup.py v0.23.0 and v0.24.0;
// vllm/config/parallel.py v0.27.1.
#include <string.h>

#include "base/text.h"
#include "unit/command_rows.h"
#include "unit/plans.h"

static struct kvb_plan plan;
static struct kvb_budget budget;

static bool warns(const char *package)
{
    const struct kvb_problems *said = answer_into(&plan, &budget);
    for (uint32_t i = 0; i < said->count; i++) {
        if (strstr(said->items[i].text, package) != NULL) {
            return true;
        }
    }
    return false;
}

static void packages(void **state)
{
    (void)state;
    make_llama_plan(&plan, KVB_RELEASE(0, 11, 1));
    assert_false(warns("arctic-inference"));
    plan.plain_flags = KVB_PLAIN_SUFFIX;
    assert_true(warns("Suffix decoding needs the package arctic-inference"));
    plan.engine.release = KVB_RELEASE(0, 11, 0); // knows no such method
    assert_false(warns("arctic-inference"));
    make_llama_plan(&plan, KVB_RELEASE(0, 24, 0));
    assert_false(warns("vllm-gguf-plugin"));
    set(&plan, KVB_SET_QUANTIZATION, KVB_QUANTIZATION_FP8);
    assert_false(warns("vllm-gguf-plugin"));
    set(&plan, KVB_SET_QUANTIZATION, KVB_QUANTIZATION_GGUF);
    assert_true(warns("GGUF needs the package vllm-gguf-plugin"));
    plan.engine.release = KVB_RELEASE(0, 23, 0); // gguf is in requirements/common.txt
    assert_false(warns("vllm-gguf-plugin"));
    make_llama_plan(&plan, KVB_RELEASE(0, 24, 0));
    plan.model.checkpoint.kind = KVB_CHECKPOINT_GGUF;
    assert_true(warns("vllm-gguf-plugin"));
}

// docker/Dockerfile and requirements/common.txt, cuda.txt: fastsafetensors from 0.10.2 on, Ray to 0.17; none has
// torchao (asked for by quantization/torchao.py), BitBLAS (bitblas.py) or what setup.py calls extras.
static void packages_of_formats(void **state)
{
    (void)state;
    static const struct {
        enum kvb_loader_package loader;
        uint32_t release;
        const char *package;
        bool warned;
    } rows[] = {
        {KVB_LOADER_TENSORIZER, KVB_RELEASE(0, 10, 2), "tensorizer", true},
        {KVB_LOADER_FASTSAFETENSORS, KVB_RELEASE(0, 10, 1), "fastsafetensors", true},
        {KVB_LOADER_FASTSAFETENSORS, KVB_RELEASE(0, 10, 2), "fastsafetensors", false},
        {KVB_LOADER_INSTANTTENSOR, KVB_RELEASE(0, 20, 0), "instanttensor", true},
        {KVB_LOADER_MODELEXPRESS, KVB_RELEASE(0, 24, 0), "modelexpress", true},
        {KVB_LOADER_NONE, KVB_RELEASE(0, 10, 2), "needs the package", false},
    };
    for (size_t i = 0; i < sizeof rows / sizeof rows[0]; i++) {
        make_llama_plan(&plan, rows[i].release);
        plan.plain_numbers[KVB_PLAIN_LOADER_PACKAGE] = (struct kvb_plain_value){.set = true, .number = rows[i].loader};
        assert_int_equal(warns(rows[i].package), rows[i].warned);
    }
    make_llama_plan(&plan, KVB_RELEASE(0, 18, 0));
    plan.plain_flags = KVB_PLAIN_RAY;
    assert_true(warns("Ray needs the package ray"));
    plan.gpu.vendor = KVB_VENDOR_AMD;
    assert_false(warns("the package ray"));
    make_llama_plan(&plan, KVB_RELEASE(0, 17, 0));
    plan.plain_flags = KVB_PLAIN_RAY;
    assert_false(warns("the package ray"));
    make_llama_plan(&plan, KVB_RELEASE(0, 18, 0));
    plan.plain_numbers[KVB_PLAIN_DATA_PARALLEL_RAY].set = true;
    assert_true(warns("Ray needs the package ray"));
    make_llama_plan(&plan, KVB_RELEASE(0, 20, 0));
    assert_false(warns("smg-grpc-servicer"));
    plan.plain_numbers[KVB_PLAIN_GRPC].set = true;
    assert_true(warns("--grpc needs the package smg-grpc-servicer"));
    make_llama_plan(&plan, KVB_RELEASE(0, 20, 0));
    plan.model.quantisation = (struct kvb_quantisation){.method = KVB_QUANT_FP8, .bits = 8};
    (void)kvb_copy(plan.model.quantisation.name, sizeof plan.model.quantisation.name, "torchao");
    assert_true(warns("Quantization by torchao needs the package torchao"));
}

static void lines(void **state)
{
    (void)state;
#define PLAN "plan --gpu h100-sxm --engine vllm@0.26.0 -- vllm serve Qwen/Qwen3-8B "
    static const struct command_row_of_test rows[] = {
        {PLAN "--load-format gguf", 0, {"GGUF needs the package vllm-gguf-plugin"}},
        {PLAN "--load-format gguf-of-mine", 1, {"!vllm-gguf-plugin"}},
        {PLAN "--load-format auto", 0, {"!vllm-gguf-plugin"}},
        {PLAN "--load-format gguf --load-format auto", 0, {"!vllm-gguf-plugin"}},
        {"plan --gpu 2xh100-sxm --engine vllm@0.26.0 -- vllm serve Qwen/Qwen3-8B --tensor-parallel-size 4",
         1,
         {"it runs on 4 GPUs and 2 are stated: the others have to be on further machines",
          "World size (4) is larger than the number", "--tensor-parallel-size 2", "as many GPUs as are stated"}},
        {"plan --gpu 2xh100-sxm --engine vllm@0.26.0 -- vllm serve Qwen/Qwen3-8B --tensor-parallel-size 4 "
         "--distributed-executor-backend ray",
         0,
         {"the others have to be on further machines"}},
        {"plan --gpu 2xh100-sxm --engine vllm@0.26.0 -- vllm serve Qwen/Qwen3-8B --tensor-parallel-size 8",
         1,
         {"vllm serve Qwen/Qwen3-8B --tensor-parallel-size 2"}},
        {"plan --gpu 2xh100-sxm --engine vllm@0.26.0 -- vllm serve Qwen/Qwen3-8B --tensor-parallel-size 2",
         0,
         {"!are stated"}},
        {"plan --usage offline --gpu 2xh100-sxm --engine vllm@0.20.2 --model Qwen/Qwen3-30B-A3B --data-parallel-size 4",
         0,
         {"!out of bounds"}},
        {"plan --gpu h100-sxm --engine vllm@0.26.0 -- vllm serve Qwen/Qwen3-8B --tensor-parallel-size 4",
         0,
         {"!are stated"}},
    };
    EACH_COMMAND(rows);
}

// model_executor/model_runner.py init_torch_distributed of SGLang 0.4.6 and 0.5.9: set_device(gpu_id).
static void sglang(void **state)
{
    (void)state;
#define LAUNCH "-- python -m sglang.launch_server --model-path Qwen/Qwen3-8B "
    static const struct command_row_of_test rows[] = {
        {"plan --gpu 2xh100-sxm --engine sglang@0.5.9 " LAUNCH "--tp 4", 1, {"invalid device ordinal"}},
        {"plan --gpu 2xh100-sxm --engine sglang@0.4.6 " LAUNCH "--tp 2 --dp 2", 1, {"invalid device ordinal"}},
        {"plan --gpu 2xh100-sxm --engine sglang@0.5.9 " LAUNCH "--tp 2", 0, {"!device ordinal"}},
        {"plan --gpu 2xh100-sxm --engine sglang@0.5.9 " LAUNCH "--tp 4 --nnodes 2", 0, {"!device ordinal"}},
        {"plan --gpu h100-sxm --engine sglang@0.5.9 " LAUNCH "--tp 4", 0, {"!device ordinal"}},
        {"plan --gpu 2xh100-sxm --engine sglang@0.5.9 " LAUNCH "--tp 4 --unheard-of 1", 1, {"unrecognized arguments"}},
        {"plan --gpu 2xh100-sxm --engine sglang@0.5.9 " LAUNCH "--tp 4 --base-gpu-id -1", 1, {"base_gpu_id must be"}},
    };
    EACH_COMMAND(rows);
}

KVB_TEST_MAIN_WITH(stand_in_sources, NULL, cmocka_unit_test(packages), cmocka_unit_test(packages_of_formats),
                   cmocka_unit_test(lines), cmocka_unit_test(sglang))
