// The figures behind an answer: which steps there are, and that each repeats the budget's own numbers.
#include <string.h>

#include "unit/plans.h"
#include "unit/test.h"

static struct kvb_plan plan;
static struct kvb_budget budget;

static const struct kvb_step *find(const char *name)
{
    for (uint32_t i = 0; i < budget.step_count; i++) {
        if (strcmp(budget.steps[i].name, name) == 0) {
            return &budget.steps[i];
        }
    }
    return NULL;
}

static const struct kvb_step *step(const char *name)
{
    (void)answer_into(&plan, &budget);
    const struct kvb_step *found = find(name);
    assert_non_null(found);
    return found;
}

static void the_request(void **state)
{
    (void)state;
    make_llama_plan(&plan, R(19, 0));
    const struct kvb_step *requested = step("requested");
    assert_string_equal(requested->formula, "ceil({0:gib} GiB x {1:ppm})");
    assert_int_equal(requested->result, budget.requested_bytes);
    plan.engine.release = R(12, 0);
    assert_string_equal(step("requested")->formula, "{0:gib} GiB x {1:ppm}");
    set(&plan, KVB_SET_KV_CACHE_MEMORY_BYTES, GIB);
    assert_string_equal(step("requested")->formula, "sum of the terms, with the KV cache fixed at {0:gib} GiB");
}

// The pool is what is left of the request after the six terms before it.
static void the_pool(void **state)
{
    (void)state;
    make_llama_plan(&plan, R(19, 0));
    const struct kvb_step *pool = step("KV cache");
    int64_t rest = pool->values[0];
    for (int i = 1; i < 7; i++) {
        rest -= pool->values[i];
    }
    assert_int_equal(rest, pool->result);
    assert_int_equal(pool->values[7], 0); // the pool itself is no term
}

// Tokens: blocks times tokens; by groups; from 0.20.1 from the concurrency.
static void tokens_by_release(void **state)
{
    (void)state;
    make_llama_plan(&plan, R(19, 0));
    const struct kvb_step *tokens = step("tokens");
    assert_string_equal(tokens->formula, "{0:n} blocks x {2:n} tokens a block");
    assert_int_equal(tokens->values[0] * tokens->values[2], tokens->result);
    plan.engine.release = R(20, 1);
    assert_non_null(strstr(step("tokens")->formula, "a request x"));
    struct shape shape = {"hybrid", 32, 32, 8, 128, 1024, 2, 0, KVB_ATTENTION_SLIDING, 131072};
    make_model(&shape, &plan.model);
    plan.engine.release = R(19, 0);
    tokens = step("tokens");
    assert_string_equal(tokens->formula, "floor({0:n} blocks / {4:n} groups) x {2:n} tokens a block");
    assert_int_equal(tokens->values[0] / tokens->values[4] * tokens->values[2], tokens->result);
    plan.environment.use_v1 = KVB_NO;
    plan.engine.release = R(8, 5);
    assert_string_equal(step("tokens")->formula, "{0:n} blocks x {2:n} tokens a block");
}

// 0.14 checks the first group only: what is really needed is a step of its own then.
static void two_needs(void **state)
{
    (void)state;
    struct shape shape = {"hybrid", 32, 32, 8, 128, 1024, 2, 0, KVB_ATTENTION_SLIDING, 131072};
    make_llama_plan(&plan, R(14, 0));
    make_model(&shape, &plan.model);
    const struct kvb_step *really = step("really needed");
    assert_int_equal(really->result, budget.kv.really_needed_bytes);
    assert_int_equal(really->result, really->values[0] * really->values[1]);
    make_llama_plan(&plan, R(14, 0));
    (void)answer_into(&plan, &budget);
    assert_null(find("really needed"));
    assert_int_equal(find("balance")->result, find("balance")->values[0] - find("balance")->values[1]);
    assert_non_null(find("layer phase"));
    assert_non_null(find("sampler phase"));
    assert_null(find("encoder phase"));
}

KVB_TEST_MAIN(cmocka_unit_test(the_request), cmocka_unit_test(the_pool), cmocka_unit_test(tokens_by_release),
              cmocka_unit_test(two_needs))
