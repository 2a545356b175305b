// What is not known widens the bound and caps the verdict: a release to come, a draft model without a file.
#include <string.h>

#include <kvbudget/kvbudget.h>

#include "engines/vllm/unknown.h"
#include "unit/plans.h"
#include "unit/test.h"

static struct kvb_plan plan;
static struct kvb_budget known, unknown;

static void answer(struct kvb_budget *budget)
{
    assert_int_equal(kvb_budget_compute(&plan, budget, NULL), KVB_OK);
}

static void a_release_to_come(void **state)
{
    (void)state;
    make_llama_plan(&plan, KVB_NEWEST_VLLM);
    answer(&known);
    plan.engine.assumed = true;
    answer(&unknown);
    const struct kvb_term *before = &known.items[KVB_ITEM_KV_CACHE], *after = &unknown.items[KVB_ITEM_KV_CACHE];
    assert_int_equal(after->bytes, before->bytes);
    // 0.20.0 took 0.92 of the card instead of 0.90; the share is set here, so that other rules make the step
    assert_true(after->low_bytes < before->low_bytes && after->high_bytes > before->high_bytes);
    assert_int_equal(before->low_bytes - after->low_bytes, after->high_bytes - before->high_bytes);
}

static void draft(enum kvb_speculative method)
{
    make_llama_plan(&plan, R(19, 0));
    set(&plan, KVB_SET_SPECULATIVE_METHOD, method);
    set(&plan, KVB_SET_NUM_SPECULATIVE_TOKENS, 3);
    answer(&known);
    plan.draft_unknown = true;
    answer(&unknown);
    assert_int_equal(known.verdict, KVB_FITS);
    assert_int_equal(unknown.verdict, KVB_TIGHT);
}

// A head of one layer: 10 squares of 4096 at least, 24 and two tables of 128,256 rows at most, 2 bytes each.
static void a_head(void **state)
{
    (void)state;
    draft(KVB_SPECULATIVE_EAGLE);
    const struct kvb_term *before = &known.items[KVB_ITEM_WEIGHTS], *after = &unknown.items[KVB_ITEM_WEIGHTS];
    assert_int_equal(after->bytes - before->bytes, 10LL * 4096 * 4096 * 2);
    assert_int_equal(after->high_bytes - before->high_bytes, (24LL * 4096 * 4096 + 2LL * 128256 * 4096) * 2);
}

// A whole model: at most as large as the one it drafts for, with a cache as large.
static void a_model(void **state)
{
    (void)state;
    draft(KVB_SPECULATIVE_DRAFT_MODEL);
    const struct kvb_term *before = &known.items[KVB_ITEM_WEIGHTS], *after = &unknown.items[KVB_ITEM_WEIGHTS];
    assert_int_equal(after->bytes - before->bytes, 128256LL * 256 * 2);
    assert_int_equal(after->high_bytes - before->high_bytes, before->bytes);
    assert_true(unknown.items[KVB_ITEM_KV_CACHE].low_bytes <=
                known.items[KVB_ITEM_KV_CACHE].low_bytes - (int64_t)known.needed_bytes);
}

// Several layers that draft a block: 50 squares of 4096 at least, 130 and two tables at most, with a cache.
static void a_block(void **state)
{
    (void)state;
    static const enum kvb_speculative methods[] = {KVB_SPECULATIVE_DFLASH, KVB_SPECULATIVE_DSPARK};
    for (size_t i = 0; i < sizeof methods / sizeof methods[0]; i++) {
        draft(methods[i]);
        const struct kvb_term *before = &known.items[KVB_ITEM_WEIGHTS], *after = &unknown.items[KVB_ITEM_WEIGHTS];
        assert_int_equal(after->bytes - before->bytes, 50LL * 4096 * 4096 * 2);
        assert_int_equal(after->high_bytes - before->high_bytes, (130LL * 4096 * 4096 + 2LL * 128256 * 4096) * 2);
        assert_true(unknown.items[KVB_ITEM_KV_CACHE].low_bytes <=
                    known.items[KVB_ITEM_KV_CACHE].low_bytes - (int64_t)known.needed_bytes);
    }
}

// Heads of one layer have no cache worth the name; what is known is no matter of this.
static void who_keeps_a_cache(void **state)
{
    (void)state;
    static const struct {
        enum kvb_speculative method;
        bool keeps;
    } rows[] = {{KVB_SPECULATIVE_EAGLE, false},
                {KVB_SPECULATIVE_DRAFT_MODEL, true},
                {KVB_SPECULATIVE_DFLASH, true},
                {KVB_SPECULATIVE_DSPARK, true}};
    for (size_t i = 0; i < sizeof rows / sizeof rows[0]; i++) {
        make_llama_plan(&plan, R(25, 0));
        set(&plan, KVB_SET_SPECULATIVE_METHOD, rows[i].method);
        set(&plan, KVB_SET_NUM_SPECULATIVE_TOKENS, 3);
        assert_false(kvb_unknown_draft_caches(resolved(&plan)));
        plan.draft_unknown = true;
        assert_int_equal(kvb_unknown_draft_caches(resolved(&plan)), rows[i].keeps);
    }
}

KVB_TEST_MAIN(cmocka_unit_test(who_keeps_a_cache), cmocka_unit_test(a_release_to_come), cmocka_unit_test(a_head),
              cmocka_unit_test(a_model), cmocka_unit_test(a_block))
