// Budgets asked for again, and whether two say the same: bytes between members say nothing, so they are not compared as
// memory.
#ifndef KVB_TESTS_SAME_BUDGET_H
#define KVB_TESTS_SAME_BUDGET_H

#include <stddef.h>
#include <string.h>

#include <kvbudget/budget.h>

// Whether the plan is answered; what stood in the budget before is gone.
static inline bool answers(const struct kvb_plan *plan, struct kvb_budget *budget)
{
    static struct kvb_problems problems;
    memset(budget, 0, sizeof *budget);
    kvb_problems_init(&problems);
    return kvb_budget_compute(plan, budget, &problems) == KVB_OK;
}

static inline bool same_terms(const struct kvb_term *a, const struct kvb_term *b, size_t count)
{
    bool same = true;
    for (size_t i = 0; i < count; i++) {
        same = same && a[i].bytes == b[i].bytes && a[i].low_bytes == b[i].low_bytes &&
               a[i].high_bytes == b[i].high_bytes && a[i].basis == b[i].basis;
    }
    return same;
}

static inline bool same_settings(const struct kvb_settings *a, const struct kvb_settings *b)
{
    bool same = true;
    for (size_t i = 0; i < KVB_SETTING_COUNT; i++) {
        same = same && a->values[i].number == b->values[i].number && a->values[i].set == b->values[i].set &&
               a->values[i].origin == b->values[i].origin;
    }
    return same;
}

static inline bool same_steps(const struct kvb_budget *a, const struct kvb_budget *b)
{
    bool same = a->step_count == b->step_count && a->part_count == b->part_count;
    for (size_t i = 0; same && i < a->step_count; i++) {
        same = a->steps[i].result == b->steps[i].result && a->steps[i].name == b->steps[i].name &&
               a->steps[i].formula == b->steps[i].formula &&
               memcmp(a->steps[i].values, b->steps[i].values, sizeof a->steps[i].values) == 0;
    }
    return same;
}

static inline bool same_cache(const struct kvb_kv_cache *a, const struct kvb_kv_cache *b)
{
    bool figures = memcmp(a, b, offsetof(struct kvb_kv_cache, hybrid_manager_off)) == 0; // eight bytes each
    return figures && a->hybrid_manager_off == b->hybrid_manager_off && a->group_count == b->group_count &&
           a->frontier_count == b->frontier_count && a->wanted_bytes == b->wanted_bytes;
}

static inline bool same_budget(const struct kvb_budget *a, const struct kvb_budget *b)
{
    bool words = strcmp(a->error, b->error) == 0 && strcmp(a->requested_as, b->requested_as) == 0 &&
                 a->refusal == b->refusal && a->widest_term == b->widest_term;
    bool verdict = a->verdict == b->verdict && a->generation == b->generation && a->starts == b->starts &&
                   a->fails_loading == b->fails_loading && a->uncounted == b->uncounted &&
                   a->tightest_stage == b->tightest_stage;
    size_t from = offsetof(struct kvb_budget, parameters), until = offsetof(struct kvb_budget, kv);
    bool figures = memcmp((const char *)a + from, (const char *)b + from, until - from) == 0; // eight bytes each
    bool memory = a->memory_bytes == b->memory_bytes && a->free_bytes == b->free_bytes &&
                  a->requested_bytes == b->requested_bytes && a->share_of_bytes == b->share_of_bytes;
    size_t weights = offsetof(struct kvb_weights, rank_stage);
    return words && verdict && figures && memory && same_settings(&a->settings, &b->settings) &&
           same_terms(a->items, b->items, KVB_ITEM_COUNT) && same_terms(a->beside, b->beside, KVB_BESIDE_COUNT) &&
           memcmp(&a->weights, &b->weights, weights) == 0 && same_cache(&a->kv, &b->kv) && same_steps(a, b);
}

#endif
