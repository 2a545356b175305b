// Exactly as much as there is, and one more: memory, tokens and lengths at the very line that vLLM draws. By its
// comparisons at the tags named beside them.
#include <string.h>

#include "engines/vllm/overhead.h"
#include "engines/vllm/terms.h"
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

KVB_TEST_MAIN(cmocka_unit_test(free_memory_that_is_requested), cmocka_unit_test(what_a_device_has),
              cmocka_unit_test(what_others_take), cmocka_unit_test(requests_as_long_as_the_model),
              cmocka_unit_test(lengths_of_the_config), cmocka_unit_test(steps_of_the_scheduler))
