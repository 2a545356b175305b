// Exactly as much as there is, and one more: memory, tokens and lengths at the very line that vLLM draws. By its
// comparisons at the tags named beside them.
#include <string.h>

#include "engines/vllm/overhead.h"
#include "engines/vllm/terms.h"
#include "engines/vllm/verdict.h"
#include "unit/plans.h"
#include "unit/test.h"

static struct kvb_plan plan;
static struct kvb_budget budget;

static bool is_told(const char *part)
{
    const struct kvb_problems *problems = answer_into(&plan, &budget);
    for (uint32_t i = 0; i < problems->count; i++) {
        if (strstr(problems->items[i].text, part) != NULL) {
            return true;
        }
    }
    return false;
}

// v1/worker/utils.py v0.12.0 request_memory: free memory below what is requested.
static void free_memory_that_is_requested(void **state)
{
    (void)state;
    make_llama_plan(&plan, R(12, 0));
    plan.gpu_free_stated = true;
    plan.gpu_free_bytes = kvb_stage_requested(resolved(&plan));
    (void)answer_into(&plan, &budget);
    assert_true(budget.starts);
    plan.gpu_free_bytes--;
    (void)answer_into(&plan, &budget);
    assert_false(budget.starts);
    assert_non_null(strstr(budget.error, "Free memory on device"));
}

// No more is free than the card has. Elsewhere than on Linux, and where the host's memory is the card's, what finds no
// room spills.
static void what_a_device_has(void **state)
{
    (void)state;
    make_llama_plan(&plan, R(20, 0));
    plan.gpu_free_stated = true;
    plan.gpu_free_bytes = 100 * GIB;
    struct kvb_context context = *resolved(&plan);
    kvb_free_resolve(&context);
    assert_int_equal(context.free_bytes, 81088 * MIB);
    plan.gpu_free_bytes = 40 * GIB;
    context = *resolved(&plan);
    kvb_free_resolve(&context);
    assert_int_equal(context.free_bytes, 40 * GIB);
    assert_false(kvb_exceeds_device(&context, 40 * (int64_t)GIB));
    assert_true(kvb_exceeds_device(&context, 40 * (int64_t)GIB + 1));
    plan.platform = KVB_PLATFORM_WSL2;
    context = *resolved(&plan);
    kvb_free_resolve(&context);
    assert_false(kvb_exceeds_device(&context, 80 * (int64_t)GIB));
    plan.platform = KVB_PLATFORM_LINUX;
    plan.gpu.unified_memory = true;
    context = *resolved(&plan);
    kvb_free_resolve(&context);
    assert_false(kvb_exceeds_device(&context, 80 * (int64_t)GIB));
}

// 10 GiB of weights, 5 of activation, 2 of growth and 3 that loading has given back: 20 stand there at once, and the
// weights before them alone.
static void peaks_of_a_start(void **state)
{
    (void)state;
    static const struct {
        uint64_t free_bytes;
        bool starts, fails_loading;
    } rows[] = {
        {20 * GIB, true, false}, {20 * GIB - 1, false, false}, {10 * GIB, false, false}, {10 * GIB - 1, false, true}};
    make_llama_plan(&plan, R(20, 0));
    struct kvb_context context = *resolved(&plan);
    for (size_t i = 0; i < sizeof rows / sizeof rows[0]; i++) {
        memset(&budget, 0, sizeof budget);
        budget.starts = true;
        budget.items[KVB_ITEM_WEIGHTS].bytes = 10 * GIB;
        budget.items[KVB_ITEM_ACTIVATION].bytes = 5 * GIB;
        budget.items[KVB_ITEM_NON_TORCH].bytes = 2 * GIB;
        budget.released_bytes = 3 * GIB;
        context.free_bytes = rows[i].free_bytes;
        kvb_check_device(&context, &budget);
        assert_int_equal(budget.starts, rows[i].starts);
        assert_int_equal(budget.fails_loading, rows[i].fails_loading);
    }
}

// 6 blocks of 1 GiB beside the least of the weights and of growth, 10 + 1 + 3; growth below nothing counts as none.
static void caches_beside_weights(void **state)
{
    (void)state;
    static const struct {
        uint64_t free_bytes;
        int64_t growth_bytes;
        bool starts;
    } rows[] = {{20 * GIB, GIB, true},
                {20 * GIB - 1, GIB, false},
                {16 * GIB, -4 * (int64_t)GIB, true},
                {16 * GIB - 1, -4 * (int64_t)GIB, false}};
    make_llama_plan(&plan, R(20, 0));
    struct kvb_context context = *resolved(&plan);
    for (size_t i = 0; i < sizeof rows / sizeof rows[0]; i++) {
        memset(&budget, 0, sizeof budget);
        budget.starts = true;
        budget.items[KVB_ITEM_WEIGHTS] = (struct kvb_term){.bytes = 12 * GIB, .low_bytes = 10 * GIB};
        budget.items[KVB_ITEM_NON_TORCH] = (struct kvb_term){.bytes = 5 * GIB, .low_bytes = rows[i].growth_bytes};
        budget.released_bytes = 3 * GIB;
        budget.kv.num_blocks = 6;
        budget.kv.bytes_per_block = GIB;
        context.free_bytes = rows[i].free_bytes;
        kvb_check_cache(&context, &budget);
        assert_int_equal(budget.starts, rows[i].starts);
    }
}

// Where nothing is stated the engine's own context and what is reserved for others are gone: 1 + 2 GiB.
static void what_others_take(void **state)
{
    (void)state;
    struct kvb_estimate before;
    make_llama_plan(&plan, R(20, 0));
    plan.reserve_count = 2;
    plan.reserves[0].bytes = GIB;
    plan.reserves[1].bytes = 2 * GIB;
    struct kvb_context context = *resolved(&plan);
    kvb_context_estimate(&context, &before);
    kvb_free_resolve(&context);
    assert_int_equal(context.free_bytes, 81088 * MIB - 3 * GIB - before.bytes);
}

// arg_utils.py v0.20.0: prompt and answer up to max_model_len, 8,000 + 192.
static void requests_as_long_as_the_model(void **state)
{
    (void)state;
    make_llama_plan(&plan, R(20, 0));
    plan.request = (struct kvb_request){.set = true, .prompt_tokens = 8000, .answer_tokens = 192};
    assert_false(is_told("more than max_model_len"));
    assert_int_equal(budget.request_tokens, 8192);
    plan.request.answer_tokens = 193;
    assert_true(is_told("The request of --request is 8193 tokens, more than max_model_len (8192)"));
}

// config/model.py _get_and_verify_max_len: longer than the config allows.
static void lengths_of_the_config(void **state)
{
    (void)state;
    make_llama_plan(&plan, R(20, 0));
    set(&plan, KVB_SET_MAX_MODEL_LEN, 131072);
    (void)answer_into(&plan, &budget);
    assert_true(budget.refusal == NULL);
    set(&plan, KVB_SET_MAX_MODEL_LEN, 131073);
    (void)answer_into(&plan, &budget);
    assert_string_equal(budget.refusal, "max-model-len");
    plan.environment.allow_long_max_model_len = KVB_YES;
    (void)answer_into(&plan, &budget);
    assert_true(budget.refusal == NULL);
}

// config/scheduler.py v0.20.0: no fewer tokens a step than sequences; no fewer than a prompt that is not cut.
static void steps_of_the_scheduler(void **state)
{
    (void)state;
    static const struct {
        uint64_t tokens, sequences, chunks;
        bool refused;
    } rows[] = {{256, 256, 1, false}, {255, 256, 1, true}, {8192, 256, 0, false}, {8191, 256, 0, true}};
    for (size_t i = 0; i < sizeof rows / sizeof rows[0]; i++) {
        make_llama_plan(&plan, R(20, 0));
        set(&plan, KVB_SET_MAX_NUM_BATCHED_TOKENS, rows[i].tokens);
        set(&plan, KVB_SET_MAX_NUM_SEQS, rows[i].sequences);
        set(&plan, KVB_SET_ENABLE_CHUNKED_PREFILL, rows[i].chunks);
        (void)answer_into(&plan, &budget);
        assert_int_equal(budget.refusal != NULL, rows[i].refused);
        if (rows[i].refused) {
            assert_string_equal(budget.refusal, "max-num-batched-tokens");
        }
    }
}

KVB_TEST_MAIN(cmocka_unit_test(peaks_of_a_start), cmocka_unit_test(caches_beside_weights),
              cmocka_unit_test(free_memory_that_is_requested), cmocka_unit_test(what_a_device_has),
              cmocka_unit_test(what_others_take), cmocka_unit_test(requests_as_long_as_the_model),
              cmocka_unit_test(lengths_of_the_config), cmocka_unit_test(steps_of_the_scheduler))
