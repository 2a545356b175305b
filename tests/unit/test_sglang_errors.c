// Errors of SGLang's starts, word for word, and what lifts them. Expected: python/sglang/srt of sgl-project/sglang at
// the releases named: model_executor/model_runner.py and its successors, configs/model_config.py, layers/linear.py.
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <string.h>

#include <cmocka.h>

#include <kvbudget/units.h>

#include "engines/sglang/context.h"
#include "engines/sglang/engine.h"
#include "engines/sglang/errors.h"
#include "engines/sglang/models.h"
#include "engines/sglang/say.h"
#include "unit/sglang_plan.h"

#define R(minor, patch) KVB_RELEASE(0, minor, patch)
#define GIB (INT64_C(1) << 30)

struct error_row {
    const char *engine, *gpu, *line, *error;
};

// model_runner.py and its successors: the sentence when nothing is left, release by release.
static void no_pool(void **state)
{
    (void)state;
#define NO_MORE "Not enough memory. Please try to increase --mem-fraction-static."
    static const struct error_row rows[] = {
        {"sglang@0.5.2", "rtx4090", LLAMA "--mem-fraction-static 0.5", NO_MORE},
        {"sglang@0.5.3", "rtx4090", LLAMA "--mem-fraction-static 0.5",
         NO_MORE " Current value: self.server_args.mem_fraction_static=0.5"},
        {"sglang@0.5.9", "rtx4090", LLAMA "--mem-fraction-static 0.5",
         NO_MORE " Current value: self.server_args.mem_fraction_static=0.5"},
        {"sglang@0.5.10", "rtx4090", LLAMA "--mem-fraction-static 0.5",
         NO_MORE " Current value: mem_fraction_static=0.5"},
        // states: before 0.5.13 the same sentence
        {"sglang@0.5.12", "h200", HYBRID "--tp-size 2 --mem-fraction-static 0.5",
         NO_MORE " Current value: mem_fraction_static=0.5"},
        {"sglang@0.5.12", "h100-sxm", HYBRID "--tp-size 4 --max-mamba-cache-size 2",
         NO_MORE " Current value: mem_fraction_static=0.824"},
        {"sglang@0.5.13", "h100-sxm", HYBRID "--tp-size 4 --max-mamba-cache-size 2",
         "Hybrid (mamba/linear-attention) state cache is too small to serve any requests. max_mamba_cache_size=2, "
         "mamba_ratio=3, resulting max_num_reqs=0. Try: (1) reduce --max-running-requests, (2) increase "
         "--mem-fraction-static, or (3) use GPUs with more memory."},
    };
    for (size_t i = 0; i < sizeof rows / sizeof rows[0]; i++) {
        compute(rows[i].engine, rows[i].gpu, rows[i].line);
        if (strcmp(budget.error, rows[i].error) != 0) {
            print_error("row %zu: %s\n", i, budget.error);
        }
        assert_false(budget.starts);
        assert_string_equal(budget.error, rows[i].error);
    }
}

// What is said of a share of all there is, as Python writes it.
static void whole_share(void **state)
{
    (void)state;
    resolve("sglang@0.5.10", "rtx4090", LLAMA "--mem-fraction-static 1.0");
    plan.gpu.memory_bytes = 4 * (uint64_t)GIB;
    plan.gpu.device_bytes = 0;
    again();
    assert_false(budget.starts);
    plan.stated[KVB_STATED_WEIGHTS].set = true; // all of what is free
    plan.stated[KVB_STATED_WEIGHTS].bytes = budget.free_bytes;
    again();
    assert_string_equal(budget.error, NO_MORE " Current value: mem_fraction_static=1.0");
}

// 8,190,735,360 parameters in 16 bits and a table of angles of 40,960 x 128 x 4 bytes are 15.28 GiB, where ten are
// free.
static void loaded_in_16_bits(void **state)
{
    (void)state;
    resolve("sglang@0.5.10", "rtx4090", Q3 "--quantization fp8");
    plan.stated[KVB_STATED_NON_TORCH].set = true;
    plan.gpu_free_stated = true;
    plan.gpu_free_bytes = 10 * (uint64_t)GIB;
    again();
    assert_non_null(said("8-bit after all of it is on the card: 15.28 GiB, where 10.00 GiB are free;"));
}

// Sentences of pools with figures in them.
static void no_pool_of_kinds(void **state)
{
    (void)state;
    compute("sglang@0.5.13", "h100-sxm", HYBRID "--tp-size 4 --mem-fraction-static 0.515");
    struct kvb_sgl_context context;
    kvb_sgl_context_init(&plan, &context);
    struct kvb_sgl_pool none = {.refusal = KVB_SGL_NO_STATE, .rest_bytes = GIB / 2};
    struct kvb_sgl_cell cell = {.state_bytes = (uint64_t)GIB / 16, .window_bytes = 1000, .window_tokens = 128};
    kvb_sgl_pool_error(&context, &none, &cell, 1, 1, budget.error);
    assert_non_null(strstr(budget.error, "Computed max_mamba_cache_size=0 (total_rest_memory=0.50 GB, "
                                         "mamba_cache_per_req=64.00 MB)"));
    context.setup.release = R(5, 12);
    kvb_sgl_pool_error(&context, &none, &cell, 1, 1, budget.error);
    assert_true(strncmp(budget.error, NO_MORE, strlen(NO_MORE)) == 0);
    // 0.5.14: the least share, rounded up to three digits
    compute("sglang@0.5.14", "rtx4090", LLAMA "--mem-fraction-static 0.5");
    assert_non_null(strstr(budget.error, "Loaded weights leave no GPU memory for the KV cache under "
                                         "--mem-fraction-static=0.5. Raise --mem-fraction-static above 0.6"));
    // windows
    none = (struct kvb_sgl_pool){.refusal = KVB_SGL_WINDOW_SMALL, .window_tokens = 64, .page_tokens = 1};
    kvb_sgl_pool_error(&context, &none, &cell, 1, 1, budget.error);
    assert_string_equal(budget.error, "SWA pool (64 tokens) cannot hold even one request: the prefill admission floor "
                                      "is sliding_window_size (128) + page_size (1). Increase "
                                      "--swa-full-tokens-ratio or the total KV budget.");
    none = (struct kvb_sgl_pool){.refusal = KVB_SGL_WINDOW_CAP, .window_tokens = 1 << 20, .cache_bytes = GIB / 2};
    kvb_sgl_pool_error(&context, &none, &cell, 1, 1, budget.error);
    assert_true(strncmp(budget.error,
                        "SWA pool cap (1048576 tokens, 0.98 GiB) leaves no room for the full KV pool "
                        "within the available 0.50 GiB.",
                        60) == 0);
    none = (struct kvb_sgl_pool){.refusal = KVB_SGL_NO_TOKENS};
    kvb_sgl_pool_error(&context, &none, &cell, 1, 1, budget.error);
    assert_true(strncmp(budget.error, NO_MORE, strlen(NO_MORE)) == 0);
}

// mem_cache/kv_cache_configurator.py (model_runner_kv_cache_mixin.py at 0.5.14): 1 - available / pre, with four digits
// rounded, and its thousandths rounded up. 10 of 80 GiB: 0.875; 8,873 of 100,000 MiB: 0.91127.
static void least_shares(void **state)
{
    (void)state;
    static const struct {
        int64_t before_mib, after_mib;
        const char *suggested, *least;
    } rows[] = {
        {81920, 10240, "above 0.875 ", "= 0.8750)"}, {100000, 8873, "above 0.912 ", "= 0.9113)"},
        {100000, 8875, "above 0.912 ", "= 0.9113)"}, {100000, 8876, "above 0.912 ", "= 0.9112)"},
        {100000, 8900, "above 0.911 ", "= 0.9110)"}, {24000, 0, "above 1.000 ", "= 1.0000)"},
        {24000, -500, "above 1.000 ", "= 1.0000)"},  {24000, 24000, "above 0.000 ", "= 0.0000)"},
        {24000, 30000, "above 0.000 ", "= 0.0000)"}, {0, 0, "above 1.000 ", "= 1.0000)"},
    };
    static struct kvb_sgl_cell cell;
    struct kvb_sgl_pool none = {.refusal = KVB_SGL_NO_MEMORY};
    struct kvb_sgl_context context;
    resolve("sglang@0.5.14", "h100-sxm", LLAMA "--mem-fraction-static 0.5");
    kvb_sgl_context_init(&plan, &context);
    for (size_t i = 0; i < sizeof rows / sizeof rows[0]; i++) {
        kvb_sgl_pool_error(&context, &none, &cell, (uint64_t)rows[i].before_mib << 20, rows[i].after_mib * 1048576,
                           budget.error);
        assert_non_null(strstr(budget.error, "--mem-fraction-static=0.5. "));
        assert_non_null(strstr(budget.error, rows[i].suggested));
        assert_non_null(strstr(budget.error, rows[i].least));
    }
}

// configs/model_config.py, layers/linear.py, models/registry.py: before memory is looked at.
static void refused_early(void **state)
{
    (void)state;
#define LONGER                                                                                                         \
    "User-specified context_length (200000) is greater than the derived context_length (131072). This may lead to "    \
    "incorrect model outputs or CUDA errors. Note that the derived context_length may differ from "                    \
    "max_position_embeddings in the model's config. To allow overriding this maximum, set the env var "                \
    "SGLANG_ALLOW_OVERWRITE_LONGER_CONTEXT_LEN=1"
    static const struct error_row rows[] = {
        {"sglang@0.4.6", "h100-sxm", LLAMA "--context-length 200000", LONGER},
        {"sglang@0.4.10.post2", "h100-sxm", LLAMA "--context-length 200000", LONGER},
        {"sglang@0.5.0", "h100-sxm", LLAMA "--context-length 200000", "Warning: " LONGER},
        {"sglang@0.5.9", "h100-sxm", LLAMA "--context-length 200000", "Warning: " LONGER},
        {"sglang@0.5.9", "h100-sxm", Q3 "--tp-size 3", "AssertionError: 32 is not divisible by 3"},
        {"sglang@0.5.9", "h100-sxm", "Qwen/Qwen2.5-14B-Instruct --tp-size 5",
         "assert self.total_num_kv_heads % tp_size == 0: AssertionError"},
        {"sglang@0.5.9", "h100-sxm", "Qwen/Qwen2.5-7B-Instruct --tp-size 7",
         "assert tp_size % self.total_num_kv_heads == 0: AssertionError"},
        {"sglang@0.4.6", "h200", V4,
         "Model architectures ['DeepseekV4ForCausalLM'] are not supported for now. (The first release that serves it "
         "is 0.5.12.)"},
        {"sglang@0.4.3", "h100-sxm", Q3 "--page-size 64",
         "launch_server.py: error: unrecognized arguments: --page-size 64"},
    };
    for (size_t i = 0; i < sizeof rows / sizeof rows[0]; i++) {
        compute(rows[i].engine, rows[i].gpu, rows[i].line);
        if (strcmp(budget.error, rows[i].error) != 0) {
            print_error("row %zu: %s\n", i, budget.error);
        }
        assert_string_equal(budget.error, rows[i].error);
        assert_false(budget.starts);
    }
}

// What lifts a sentence: the variable, a length nobody says.
static void lifted(void **state)
{
    (void)state;
    compute("sglang@0.5.9", "h100-sxm", LLAMA "--context-length 200000");
    plan.environment.allow_long_max_model_len = KVB_YES;
    again();
    assert_null(budget.refusal);
    plan.environment.allow_long_max_model_len = KVB_NO;
    plan.model.context_tokens = 0; // nobody says how long it may be
    again();
    assert_null(budget.refusal);
}

// A setting that came without a flag, in a release without one.
static void without_flags(void **state)
{
    (void)state;
    compute("sglang@0.4.3", "h100-sxm", Q3);
    set_number(&plan, KVB_SET_BLOCK_SIZE, 64);
    again();
    assert_string_equal(budget.error, "launch_server.py: error: unrecognized arguments: --page-size");
    // 0.5.4 took --enable-ep-moe away, --ep-size gives the same setting; settings without a flag are nobody's
    compute("sglang@0.5.9", "h100-sxm", "Qwen/Qwen3-30B-A3B --tp-size 2 --ep-size 2");
    assert_null(budget.refusal);
    compute("sglang@0.4.0", "h100-sxm", "Qwen/Qwen2.5-7B-Instruct");
    set_number(&plan, KVB_SET_ENABLE_EXPERT_PARALLEL, 1); // 0.4.0.post1 brings --ep-size
    again();
    assert_string_equal(budget.error, "launch_server.py: error: unrecognized arguments: --ep-size");
    plan.engine.release = R(4, 0) + 1;
    again();
    assert_null(budget.refusal);
    set_number(&plan, KVB_SET_SWAP_SPACE, 4);
    again();
    assert_null(budget.refusal);
    // 0.5.4 took --enable-deepep-moe away, 0.5.12 --enable-piecewise-cuda-graph; before and behind them others say it
    resolve("sglang@0.4.8", "h200", "Qwen/Qwen3-30B-A3B --tp-size 2");
    set_number(&plan, KVB_SET_MOE_A2A_BACKEND, KVB_A2A_DEEPEP);
    again();
    assert_null(budget.refusal);
    set_number(&plan, KVB_SET_MOE_A2A_BACKEND, KVB_A2A_OTHER);
    again();
    assert_string_equal(budget.error, "launch_server.py: error: unrecognized arguments: --moe-a2a-backend");
    resolve("sglang@0.5.13", "h100-sxm", Q3);
    set_number(&plan, KVB_SET_PREFILL_GRAPHS, 1);
    again();
    assert_null(budget.refusal);
}

// Digits of a count, in 24 characters and no more.
static void digits(void **state)
{
    (void)state;
    static const struct {
        uint64_t count;
        const char *text;
    } rows[] = {{0, "0"}, {9, "9"}, {10, "10"}, {40960, "40960"}, {UINT64_MAX, "18446744073709551615"}};
    for (size_t i = 0; i < sizeof rows / sizeof rows[0]; i++) {
        char room[32];
        memset(room, 'x', sizeof room);
        assert_string_equal(kvb_sgl_digits(room, rows[i].count), rows[i].text);
        assert_memory_equal(room + 24, "xxxxxxxx", 8);
    }
}

// More stages than layers, refused for something else before; classes and keys nobody has.
static void odd_models(void **state)
{
    (void)state;
    resolve("sglang@0.5.13", "h100-sxm", Q3 "--pp-size 37");
    strcpy(plan.command_error, "refused");
    again();
    assert_string_equal(budget.refusal, "flags");
    assert_true(budget.uncounted);
    // heads that do not divide: nothing is counted, but for what the config says
    compute("sglang@0.5.9", "h100-sxm", Q3 "--tp-size 3");
    assert_string_equal(budget.error, "AssertionError: 32 is not divisible by 3");
    assert_true(budget.uncounted);
    assert_int_equal(budget.items[KVB_ITEM_WEIGHTS].bytes, 0);
    assert_int_equal(budget.verdict, KVB_DOES_NOT_FIT);
    assert_true(budget.parameters > 8000000000);
    // what is refused for its arguments is counted all the same
    compute("sglang@0.5.9", "h100-sxm", Q3 "--page-size 64 --chunked-prefill-size 1000");
    assert_false(budget.uncounted);
    assert_true(budget.items[KVB_ITEM_WEIGHTS].bytes > 0);
    // a class that no release has a file for, and a model without a name for its class
    compute("sglang@0.5.9", "h100-sxm", Q3);
    strcpy(plan.model.architecture, "NobodysForCausalLM");
    again();
    assert_null(budget.refusal);
    assert_non_null(said("SGLang's releases up to 0.5.18 have no model file for NobodysForCausalLM"));
    plan.model.architecture[0] = '\0';
    again();
    assert_null(said("have no model file"));
    assert_null(kvb_sgl_class_of("NobodysForCausalLM", R(5, 9)));
    assert_int_equal(kvb_sgl_class_since("NobodysForCausalLM"), 0);
    assert_false(kvb_sgl_builds_towers(&plan.model, R(5, 9)));
    assert_null(kvb_sgl_class_of("DeepseekV4ForCausalLM", R(5, 9)));
    // keys of a model without any are not dealt out
    compute("sglang@0.5.9", "h100-sxm", Q3 "--tp-size 2");
    plan.model.kinds[0].attention.kv_heads = 0;
    again();
    assert_null(budget.refusal);
    // the oldest release knows no list of classes
    compute("sglang@0.3.6", "h100-sxm", "Qwen/Qwen2.5-7B-Instruct");
    assert_null(budget.refusal);
}

KVB_TEST_MAIN(cmocka_unit_test(whole_share), cmocka_unit_test(loaded_in_16_bits), cmocka_unit_test(no_pool),
              cmocka_unit_test(no_pool_of_kinds), cmocka_unit_test(least_shares), cmocka_unit_test(refused_early),
              cmocka_unit_test(lifted), cmocka_unit_test(without_flags), cmocka_unit_test(digits),
              cmocka_unit_test(odd_models))
