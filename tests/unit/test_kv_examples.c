// Worked examples of vLLM's KV sizing: 40 GiB for the cache, 8192 batched tokens, bf16. The expected figures
// were computed by the released engine's own code (v1/core/kv_cache_utils.py at each tag).
#include "unit/kv_models.h"
#include "unit/test.h"

#define R(minor, patch) KVB_RELEASE(0, minor, patch)
#define POOL 42949672960ULL
#define SW KVB_ATTENTION_SLIDING

struct row {
    struct shape shape;
    uint32_t tp;
    uint64_t length;
    uint32_t release;
    uint64_t blocks, tokens, hundredths, needed;
};

#define LLAMA_8B                                                                                                       \
    {                                                                                                                  \
        "Llama-3.1-8B", 32, 32, 8, 128, 0, 0, 0, SW, 10000000                                                          \
    }
#define LLAMA_70B                                                                                                      \
    {                                                                                                                  \
        "Llama-3.3-70B", 80, 64, 8, 128, 0, 0, 0, SW, 10000000                                                         \
    }
#define QWEN_7B                                                                                                        \
    {                                                                                                                  \
        "Qwen2.5-7B", 28, 28, 4, 128, 0, 0, 0, SW, 10000000                                                            \
    }
#define QWEN_30B                                                                                                       \
    {                                                                                                                  \
        "Qwen3-30B-A3B", 48, 32, 4, 128, 0, 0, 0, SW, 10000000                                                         \
    }
#define GEMMA_2_9B                                                                                                     \
    {                                                                                                                  \
        "Gemma-2-9B", 42, 16, 8, 256, 4096, 2, 1, SW, 10000000                                                         \
    }
#define GEMMA_3_27B                                                                                                    \
    {                                                                                                                  \
        "Gemma-3-27B", 62, 32, 16, 128, 1024, 6, 5, SW, 10000000                                                       \
    }
#define GPT_OSS_20B                                                                                                    \
    {                                                                                                                  \
        "gpt-oss-20b", 24, 64, 8, 64, 128, 2, 1, SW, 10000000                                                          \
    }
#define GPT_OSS_120B                                                                                                   \
    {                                                                                                                  \
        "gpt-oss-120b", 36, 64, 8, 64, 128, 2, 1, SW, 10000000                                                         \
    }
#define SCOUT                                                                                                          \
    {                                                                                                                  \
        "Llama-4-Scout", 48, 40, 8, 128, 8192, 4, 3, KVB_ATTENTION_CHUNKED, 10485760                                   \
    }
#define MISTRAL_V01                                                                                                    \
    {                                                                                                                  \
        "Mistral-7B-v0.1", 32, 32, 8, 128, 4096, 1, 0, SW, 10000000                                                    \
    }

static const struct row rows[] = {
    {LLAMA_8B, 1, 131072, R(11, 0), 20480, 327680, 250, 17179869184},
    {LLAMA_8B, 1, 131072, R(14, 0), 20480, 327680, 250, 17179869184},
    {LLAMA_8B, 1, 131072, R(19, 0), 20480, 327680, 250, 17179869184},
    {LLAMA_8B, 1, 131072, R(27, 1), 20480, 327680, 250, 17179869184},
    {LLAMA_70B, 4, 131072, R(11, 0), 32768, 524288, 400, 10737418240},
    {LLAMA_70B, 4, 131072, R(27, 1), 32768, 524288, 400, 10737418240},
    {QWEN_7B, 1, 32768, R(14, 0), 46811, 748976, 2286, 1879048192},
    {QWEN_30B, 8, 40960, R(19, 0), 109226, 1747616, 4267, 1006632960},
    {GEMMA_2_9B, 1, 8192, R(11, 0), 15603, 124816, 1522, 2821324800},
    {GEMMA_2_9B, 1, 8192, R(14, 0), 15603, 124816, 1522, 1412038656},
    {GEMMA_2_9B, 1, 8192, R(27, 1), 15603, 124702, 1522, 2821324800},
    {GEMMA_3_27B, 1, 131072, R(11, 0), 32768, 74896, 281, 14670102528},
    {GEMMA_3_27B, 1, 131072, R(14, 0), 32768, 74896, 281, 756285440},
    {GEMMA_3_27B, 1, 131072, R(19, 0), 32768, 74896, 281, 15275130880},
    {GEMMA_3_27B, 1, 131072, R(27, 1), 32768, 291658, 223, 19301662720},
    {GPT_OSS_20B, 1, 131072, R(11, 0), 109226, 873808, 1254, 3426091008},
    {GPT_OSS_20B, 1, 131072, R(14, 0), 109226, 873808, 1254, 204865536},
    {GPT_OSS_20B, 1, 131072, R(27, 1), 109226, 1551920, 1184, 3627417600},
    {GPT_OSS_120B, 2, 131072, R(19, 0), 145635, 1165072, 1671, 2569568256},
    {GPT_OSS_120B, 2, 131072, R(27, 1), 145635, 2069232, 1579, 2720563200},
    {SCOUT, 8, 1000000, R(11, 0), 109226, 1747616, 175, 6445989888},
    {SCOUT, 8, 1000000, R(14, 0), 436906, 1747616, 666, 100663296}, // chunks in groups of their own from here
    {SCOUT, 8, 1000000, R(19, 0), 436906, 1747616, 666, 6445989888},
    {SCOUT, 8, 1000000, R(27, 1), 436906, 6510490, 651, 6596984832},
    {MISTRAL_V01, 1, 32768, R(11, 0), 20480, 327680, 2663, 1612709888},
    {MISTRAL_V01, 1, 32768, R(19, 0), 20480, 327680, 2663, 1612709888},
    {MISTRAL_V01, 1, 32768, R(27, 1), 20480, 523878, 1599, 2686451712},
};

static void check(const struct row *row, const char *what, uint64_t got, uint64_t wanted)
{
    if (got != wanted) {
        fail_msg("%s, release %u: %s is %llu, the engine gives %llu", row->shape.name, row->release, what,
                 (unsigned long long)got, (unsigned long long)wanted);
    }
}

static void worked_examples(void **state)
{
    (void)state;
    static struct kvb_plan plan;
    static struct kvb_budget budget;
    static struct kvb_problems problems;
    for (size_t i = 0; i < sizeof rows / sizeof rows[0]; i++) {
        const struct row *row = &rows[i];
        make_model(&row->shape, &plan.model);
        make_plan(&plan, row->release, POOL, row->length);
        set(&plan, KVB_SET_TENSOR_PARALLEL_SIZE, row->tp);
        kvb_problems_init(&problems);
        assert_int_equal(kvb_budget_compute(&plan, &budget, &problems), KVB_OK);
        check(row, "blocks", budget.kv.num_blocks, row->blocks);
        check(row, "tokens", budget.kv.tokens, row->tokens);
        check(row, "concurrency in hundredths", budget.kv.max_concurrency_hundredths, row->hundredths);
        check(row, "need", budget.needed_bytes, row->needed);
    }
}

KVB_TEST_MAIN(cmocka_unit_test(worked_examples))
