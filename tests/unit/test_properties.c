// Properties over thousands of deployments: what must hold whatever the numbers are.
#include <stdio.h>

#include "base/checked.h"
#include "engines/vllm/rules.h"
#include "unit/kv_models.h"
#include "unit/test.h"

#define ROUNDS 3000

static uint64_t seed = 88172645463325252ULL;

static uint64_t next(uint64_t below)
{
    seed ^= seed << 13;
    seed ^= seed >> 7;
    seed ^= seed << 17;
    return seed % below;
}

static const uint32_t releases[] = {
    KVB_RELEASE(0, 2, 4),  KVB_RELEASE(0, 3, 0),  KVB_RELEASE(0, 6, 3),  KVB_RELEASE(0, 6, 4),  KVB_RELEASE(0, 8, 5),
    KVB_RELEASE(0, 9, 2),  KVB_RELEASE(0, 11, 0), KVB_RELEASE(0, 14, 0), KVB_RELEASE(0, 17, 0), KVB_RELEASE(0, 19, 0),
    KVB_RELEASE(0, 20, 0), KVB_RELEASE(0, 24, 0), KVB_RELEASE(0, 27, 1),
};

static void make_random(struct kvb_plan *plan)
{
    static const enum kvb_attention others[] = {KVB_ATTENTION_SLIDING, KVB_ATTENTION_CHUNKED};
    struct shape shape = {"random", 8 + (uint32_t)next(60), 32,    8, 128, 1024, (uint32_t)next(7),
                          0,        others[next(2)],        131072};
    make_model(&shape, &plan->model);
    plan->model.hidden_size = 1024 * (1 + (uint32_t)next(8));
    plan->model.kinds[0].mlp.intermediate_size = 3 * plan->model.hidden_size;
    plan->model.kinds[1].mlp = plan->model.kinds[0].mlp;
    make_plan(plan, releases[next(sizeof releases / sizeof releases[0])], 0, UINT64_C(1024) << next(7));
    plan->settings.values[KVB_SET_KV_CACHE_MEMORY_BYTES].set = 0;
    plan->gpu.memory_bytes = (16ULL + next(160)) << 30;
    plan->gpu.memory_low_bytes = plan->gpu.memory_bytes - (100ULL << 20);
    plan->gpu.memory_high_bytes = plan->gpu.memory_bytes + (100ULL << 20);
    plan->gpu.nvlink = next(2) == 0;
    plan->gpu.compute_capability = next(2) == 0 ? 80 : 90;
    set(plan, KVB_SET_GPU_MEMORY_UTILIZATION, 300000 + next(65) * 10000);
    set(plan, KVB_SET_TENSOR_PARALLEL_SIZE, 1ULL << next(4));
    plan->settings.values[KVB_SET_MAX_NUM_BATCHED_TOKENS].set = 0;
    plan->settings.values[KVB_SET_MAX_NUM_SEQS].set = 0;
}

static bool answer(const struct kvb_plan *plan, struct kvb_budget *budget)
{
    static struct kvb_problems problems;
    kvb_problems_init(&problems);
    return kvb_budget_compute(plan, budget, &problems) == KVB_OK;
}

static void items_sum_to_requested(void **state)
{
    (void)state;
    static struct kvb_plan plan;
    static struct kvb_budget budget;
    for (int i = 0; i < ROUNDS; i++) {
        make_random(&plan);
        assert_true(answer(&plan, &budget));
        int64_t sum = 0;
        for (uint32_t item = 0; item < KVB_ITEM_COUNT; item++) {
            const struct kvb_term *term = &budget.items[item];
            sum += term->bytes;
            assert_true(term->low_bytes <= term->bytes && term->bytes <= term->high_bytes);
        }
        if (sum > 0) {
            assert_int_equal((uint64_t)sum, budget.requested_bytes);
        }
        assert_true(budget.balance_bytes == budget.items[KVB_ITEM_KV_CACHE].bytes - (int64_t)budget.needed_bytes);
    }
}

static void longer_never_needs_less(void **state)
{
    (void)state;
    static struct kvb_plan plan;
    static struct kvb_budget shorter;
    static struct kvb_budget longer;
    for (int i = 0; i < ROUNDS; i++) {
        make_random(&plan);
        uint64_t length = 512 + next(60000);
        set(&plan, KVB_SET_MAX_MODEL_LEN, length);
        set(&plan, KVB_SET_MAX_NUM_BATCHED_TOKENS, 65536);
        assert_true(answer(&plan, &shorter));
        set(&plan, KVB_SET_MAX_MODEL_LEN, length + 1 + next(4000));
        assert_true(answer(&plan, &longer));
        assert_true(longer.needed_bytes >= shorter.needed_bytes);
        assert_true(longer.kv.really_needed_bytes >= shorter.kv.really_needed_bytes);
    }
}

static void more_ranks_never_weigh_more(void **state)
{
    (void)state;
    static struct kvb_plan plan;
    static struct kvb_budget few;
    static struct kvb_budget many;
    for (int i = 0; i < ROUNDS / 3; i++) {
        make_random(&plan);
        set(&plan, KVB_SET_TENSOR_PARALLEL_SIZE, 2);
        assert_true(answer(&plan, &few));
        set(&plan, KVB_SET_TENSOR_PARALLEL_SIZE, 4);
        assert_true(answer(&plan, &many));
        assert_true(many.weights.total_bytes <= few.weights.total_bytes);
    }
}

// What each adds: adapters, a draft of two layers, weights on the host. Another generation is another engine.
static void add_adapters(struct kvb_plan *plan)
{
    set(plan, KVB_SET_ENABLE_LORA, 1);
    set(plan, KVB_SET_MAX_LORAS, 1 + next(4));
    set(plan, KVB_SET_MAX_LORA_RANK, 16ULL << next(3));
}

static void add_draft(struct kvb_plan *plan)
{
    static struct kvb_model draft;
    struct shape shape = {"draft", 2, 8, 8, 64, 1024, 0, 0, KVB_ATTENTION_SLIDING, 131072};
    make_model(&shape, &draft);
    draft.vocabulary_size = plan->model.vocabulary_size;
    draft.hidden_size = 512;
    draft.kinds[0].mlp.intermediate_size = 1536;
    plan->draft = &draft;
    set(plan, KVB_SET_SPECULATIVE_METHOD, next(2) == 0 ? KVB_SPECULATIVE_EAGLE : KVB_SPECULATIVE_DRAFT_MODEL);
    set(plan, KVB_SET_NUM_SPECULATIVE_TOKENS, 1 + next(5));
}

static void add_offloading(struct kvb_plan *plan)
{
    set(plan, KVB_SET_CPU_OFFLOAD_GB, (1 + next(8)) << 30);
}

static void additions_cost_what_they_hold(void **state)
{
    (void)state;
    static const struct {
        void (*add)(struct kvb_plan *plan);
        bool frees;
    } rows[] = {{add_adapters, false}, {add_draft, false}, {add_offloading, true}};
    static struct kvb_plan plan;
    static struct kvb_budget without, with;
    uint64_t compared = 0;
    for (int i = 0; i < ROUNDS; i++) {
        make_random(&plan);
        assert_true(answer(&plan, &without));
        rows[i % 3].add(&plan);
        assert_true(answer(&plan, &with));
        if (with.generation == without.generation) {
            int64_t grown = with.items[KVB_ITEM_KV_CACHE].bytes - without.items[KVB_ITEM_KV_CACHE].bytes;
            int64_t heavier = with.items[KVB_ITEM_WEIGHTS].bytes - without.items[KVB_ITEM_WEIGHTS].bytes;
            bool stays = heavier == 0 && plan.engine.release >= KVB_RELEASE(0, 22, 0) &&
                         plan.engine.release < KVB_RELEASE(0, 28, 0); // vllm#51396
            // the pool lacks what was added; a byte, for what is below 0 is cut toward it
            assert_true(rows[i % 3].frees ? (heavier < 0 || stays) && grown >= 0 : heavier > 0 && grown <= 1 - heavier);
            compared++;
        }
    }
    assert_true(compared > ROUNDS / 2);
}

static void check_recommendation(struct kvb_plan *plan, const struct kvb_advice *advice)
{
    static struct kvb_budget again;
    if (advice->has_utilization) {
        set(plan, KVB_SET_GPU_MEMORY_UTILIZATION, advice->gpu_memory_utilization_ppm);
        assert_true(answer(plan, &again));
        assert_true(again.verdict != KVB_DOES_NOT_FIT);
        set(plan, KVB_SET_GPU_MEMORY_UTILIZATION, advice->gpu_memory_utilization_ppm + 10000);
        int64_t rounding = (int64_t)(plan->gpu.memory_bytes / 100000); // the share is reckoned in millionths, downwards
        bool room = answer(plan, &again) && again.verdict != KVB_DOES_NOT_FIT && again.slack_bytes > rounding;
        assert_true(!room || advice->gpu_memory_utilization_ppm >= 980000);
        set(plan, KVB_SET_GPU_MEMORY_UTILIZATION, advice->gpu_memory_utilization_ppm);
    }
    if (advice->has_max_model_len) {
        set(plan, KVB_SET_MAX_MODEL_LEN, advice->max_model_len);
        assert_true(answer(plan, &again));
        assert_true(again.verdict != KVB_DOES_NOT_FIT);
    }
}

static void advice_keeps_its_promise(void **state)
{
    (void)state;
    static struct kvb_plan plan;
    static struct kvb_plan changed;
    static struct kvb_budget budget;
    static struct kvb_budget again;
    static struct kvb_advice advice;
    for (int i = 0; i < ROUNDS / 3; i++) {
        make_random(&plan);
        assert_true(answer(&plan, &budget));
        assert_int_equal(kvb_advise(&plan, &budget, &advice), KVB_OK);
        changed = plan;
        for (uint32_t c = 0; c < advice.apply_count; c++) {
            const struct kvb_change *change = &advice.changes[advice.apply[c]];
            set(&changed, change->setting, change->to);
        }
        if (advice.apply_count > 0) {
            assert_true(answer(&changed, &again));
            assert_true(again.verdict != KVB_DOES_NOT_FIT);
        }
        check_recommendation(&plan, &advice);
    }
}

static void rows_are_sorted_and_bounded(void **state)
{
    (void)state;
    size_t count = 0;
    const struct kvb_rule_row *rows = kvb_rule_rows(&count);
    for (size_t i = 0; i < count; i++) {
        struct kvb_rules before;
        struct kvb_rules from;
        assert_true(i == 0 || rows[i].since >= rows[i - 1].since);
        assert_true(rows[i].since <= KVB_PARTLY_VLLM);
        kvb_rules_of(rows[i].since - 1, &before);
        kvb_rules_of(rows[i].since, &from);
        for (uint32_t rule = 0; rule < KVB_RULE_COUNT; rule++) {
            bool named = false;
            for (size_t j = 0; j < count; j++) {
                named = named || (rows[j].since == rows[i].since && (uint32_t)rows[j].rule == rule);
            }
            assert_true(named || before.value[rule] == from.value[rule]);
        }
        assert_int_equal(from.value[rows[i].rule], rows[i].value);
    }
}

// Nothing between two releases changes an answer unless a row says so.
static void patch_releases_agree(void **state)
{
    (void)state;
    static struct kvb_plan plan;
    static struct kvb_budget one;
    static struct kvb_budget other;
    for (int i = 0; i < 200; i++) {
        make_random(&plan);
        plan.engine.release = KVB_RELEASE(0, 19, 0);
        assert_true(answer(&plan, &one));
        plan.engine.release = KVB_RELEASE(0, 19, 1);
        assert_true(answer(&plan, &other));
        assert_int_equal(one.requested_bytes, other.requested_bytes);
        assert_int_equal(one.kv.num_blocks, other.kv.num_blocks);
        assert_int_equal(one.needed_bytes, other.needed_bytes);
        assert_string_equal(one.error, other.error);
    }
}

static void saturation_is_refused(void **state)
{
    (void)state;
    static struct kvb_plan plan;
    static struct kvb_budget budget;
    static struct kvb_problems problems;
    make_random(&plan);
    plan.model.hidden_size = UINT32_MAX;
    plan.model.vocabulary_size = UINT32_MAX - 63;
    set(&plan, KVB_SET_TENSOR_PARALLEL_SIZE, 1);
    kvb_problems_init(&problems);
    assert_int_equal(kvb_budget_compute(&plan, &budget, &problems), KVB_OVERFLOW);
    assert_int_equal(problems.count, 1);
    assert_int_equal(kvb_mul(1ULL << 40, 1ULL << 40), KVB_SATURATED);
    assert_int_equal(kvb_add(UINT64_MAX, 1), KVB_SATURATED);
}

KVB_TEST_MAIN(cmocka_unit_test(items_sum_to_requested), cmocka_unit_test(longer_never_needs_less),
              cmocka_unit_test(more_ranks_never_weigh_more), cmocka_unit_test(additions_cost_what_they_hold),
              cmocka_unit_test(advice_keeps_its_promise), cmocka_unit_test(rows_are_sorted_and_bounded),
              cmocka_unit_test(patch_releases_agree), cmocka_unit_test(saturation_is_refused))
