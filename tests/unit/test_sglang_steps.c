// The figures behind an answer of SGLang: each step's numbers lead to its result, and are those of server_args.py
// (_handle_gpu_memory_settings) at the releases named.
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <string.h>

#include <cmocka.h>

#include "engines/sglang/context.h"
#include "unit/sglang_plan.h"

#define MIB (INT64_C(1) << 20)

static const struct kvb_step *step(const char *name)
{
    for (uint32_t i = 0; i < budget.step_count; i++) {
        if (strcmp(budget.steps[i].name, name) == 0) {
            return &budget.steps[i];
        }
    }
    return NULL;
}

// 512 + 1.5 x tokens + 128 x GPUs + 2 x requests + 8 x prompt lengths.
static void reserves(void **state)
{
    (void)state;
    static const struct {
        const char *engine, *gpu, *line;
        int64_t tokens, gpus, requests, prompts, mib;
    } rows[] = {
        {"sglang@0.5.12", "h100-sxm", Q3, 8192, 1, 256, 58, 13904},
        {"sglang@0.5.3", "h100-sxm", Q3 "--tp-size 2", 8192, 2, 256, 0, 13568},
        {"sglang@0.5.12", "h100-sxm", Q3 "--chunked-prefill-size 1024", 2048, 1, 256, 38,
         10240}, // 2,048 tokens, 10 GiB at least
        {"sglang@0.5.9", "h100-sxm", Q3 "--chunked-prefill-size -1", 16384, 1, 256, 0, 25728},
        {"sglang@0.5.9", "h100-sxm", Q3 "--chunked-prefill-size -1 --max-prefill-tokens 12000", 12000, 1, 256, 0,
         19152},
        // chunks are divided among groups behind: 512 + 12,288 + 256 + 512 + 3 x 256 x 2
        {"sglang@0.5.9", "h200", "deepseek-ai/DeepSeek-V2-Lite --tp-size 2 --dp-size 2 --enable-dp-attention", 8192, 2,
         256, 0, 15104},
    };
    for (size_t i = 0; i < sizeof rows / sizeof rows[0]; i++) {
        compute(rows[i].engine, rows[i].gpu, rows[i].line);
        const struct kvb_step *reserve = step("reserve");
        assert_non_null(reserve);
        assert_true(strncmp(reserve->formula, "512 MiB + 1.5 MiB x ", 20) == 0);
        assert_int_equal(reserve->values[0], rows[i].tokens);
        assert_int_equal(reserve->values[1], rows[i].gpus);
        assert_int_equal(reserve->values[2], rows[i].requests);
        assert_int_equal(reserve->values[3], rows[i].prompts);
        assert_int_equal(reserve->result, rows[i].mib * MIB);
    }
    compute("sglang@0.5.2", "h100-sxm", Q3 "--tp-size 2"); // 9.5 + 2 / 2 GiB
    assert_string_equal(step("reserve")->formula, "by the card and {1:n} GPUs");
    assert_int_equal(step("reserve")->values[1], 2);
    assert_int_equal(step("reserve")->result, 10752 * MIB);
    compute("sglang@0.5.12", "h100-sxm", Q3 "--mem-fraction-static 0.8"); // nothing is reserved for
    assert_null(step("reserve"));
    compute("sglang@0.4.6", "h100-sxm", Q3); // a table of shares
    assert_null(step("reserve"));
}

static void pools(void **state)
{
    (void)state;
    compute("sglang@0.5.12", "h100-sxm", Q3 "--mem-fraction-static 0.8");
    const struct kvb_step *share = step("static memory"), *rest = step("rest"), *tokens = step("tokens");
    assert_int_equal(share->values[0], budget.free_bytes);
    assert_int_equal(share->values[1], 800000);
    assert_in_range(share->result, budget.free_bytes / 5 * 4, budget.free_bytes / 5 * 4 + 5);
    assert_int_equal(rest->values[0], (int64_t)budget.free_bytes - budget.items[KVB_ITEM_WEIGHTS].bytes);
    assert_int_equal(rest->values[1], budget.free_bytes);
    assert_int_equal(rest->values[2], 800000);
    assert_in_range(rest->values[0] - rest->result, budget.free_bytes / 5 - 5, budget.free_bytes / 5 + 5);
    assert_string_equal(tokens->formula, "{0:gib} GiB over {1:n} B a token");
    assert_int_equal(tokens->values[1], 36 * 2 * 8 * 128 * 2);
    assert_int_equal(tokens->values[2], 36 * 2 * 8 * 128 * 2);
    assert_int_equal(tokens->values[3], 0);
    assert_int_equal(tokens->result, tokens->values[0] / tokens->values[1]);
    assert_int_equal(tokens->result, budget.kv.tokens);
    assert_null(step("state slots"));
    // 12 layers with a window and 12 without, 2 x 8 x 64 x 2 bytes each
    compute("sglang@0.5.12", "h100-sxm", OSS);
    tokens = step("tokens");
    assert_non_null(strstr(tokens->formula, "{2:n} B in full layers, a share of {3:n} B in window layers"));
    assert_int_equal(tokens->values[2], 12 * 2048);
    assert_int_equal(tokens->values[3], 12 * 2048);
    assert_int_equal(tokens->values[1], 12 * 2048 * 18 / 10);
    // states: so many slots of so many bytes, three of them a request
    compute("sglang@0.5.12", "h200", HYBRID "--tp-size 4");
    const struct kvb_step *slots = step("state slots");
    assert_int_equal(slots->values[0], slots->values[1] * slots->values[2]);
    assert_int_equal(slots->values[3], 3);
    assert_int_equal(slots->result, slots->values[1]);
    compute("sglang@0.5.18", "h200", HYBRID "--tp-size 4"); // one more is allocated
    slots = step("state slots");
    assert_int_equal(slots->values[0], (slots->values[1] + 1) * slots->values[2]);
}

// What lies beside is said where there is any, each with the numbers its formula names.
static void beside(void **state)
{
    (void)state;
    compute("sglang@0.5.9", "h200",
            Q3 "--tp-size 2 --speculative-algorithm STANDALONE --speculative-draft-model-path Qwen/Qwen3-0.6B "
               "--max-running-requests 20 --enable-piecewise-cuda-graph --piecewise-cuda-graph-max-tokens 2048");
    static const char *const names[] = {"gone before", "tables", "graphs", "activation", "draft"};
    for (size_t i = 0; i < sizeof names / sizeof names[0]; i++) {
        const struct kvb_step *one = step(names[i]);
        assert_non_null(one);
        assert_int_equal(one->values[0], 2);
        assert_int_equal(one->values[1], 20);
        assert_int_equal(one->values[2], 36);
        assert_int_equal(one->values[3], 256);
        assert_int_equal(one->values[4], 42);
        assert_int_equal(one->values[5], 8192);
    }
    assert_int_equal(step("tables")->result, budget.beside[KVB_BESIDE_TABLES].bytes);
    assert_int_equal(step("draft")->result, budget.beside[KVB_BESIDE_DRAFT].bytes);
    compute("sglang@0.5.9", "h200", Q3 "--disable-cuda-graph");
    assert_null(step("graphs"));
    assert_null(step("draft"));
}

KVB_TEST_MAIN(cmocka_unit_test(reserves), cmocka_unit_test(pools), cmocka_unit_test(beside))
