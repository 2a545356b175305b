// The bound of the pool: groups a plan belongs to, and how far its margins are widened.
#include "engines/vllm/residual.h"

#include <string.h>

#include "unit/plans.h"
#include "unit/test.h"

static struct kvb_plan plan;

static void assert_group(enum kvb_residual_axis axis, const char *group)
{
    assert_string_equal(kvb_residual_group(&plan, axis), group);
}

static void eras(void **state)
{
    (void)state;
    static const struct {
        uint32_t release;
        const char *group;
    } rows[] = {
        {R(6, 3), "to 0.10"},       {R(10, 2), "to 0.10"},        {R(11, 0), "0.11 to 0.16"},
        {R(19, 1), "0.17 to 0.19"}, {R(20, 0), "0.20 and later"}, {KVB_NEWEST_VLLM, "0.20 and later"},
        {KVB_NEWEST_VLLM + 1, ""}, // newer than is known
    };
    for (size_t i = 0; i < sizeof rows / sizeof rows[0]; i++) {
        make_llama_plan(&plan, rows[i].release);
        assert_group(KVB_RESIDUAL_ERA, rows[i].group);
    }
}

static void cards(void **state)
{
    (void)state;
    static const struct {
        enum kvb_vendor vendor;
        uint32_t capability;
        bool nvlink, unified;
        const char *group;
    } rows[] = {
        {KVB_VENDOR_NVIDIA, 75, false, false, "before Ampere"},
        {KVB_VENDOR_NVIDIA, 86, false, false, "Ampere and Ada"},
        {KVB_VENDOR_NVIDIA, 80, true, false, "A100"},
        {KVB_VENDOR_NVIDIA, 90, true, false, "Hopper and later"},
        {KVB_VENDOR_NVIDIA, 90, false, false, "Hopper and later"},
        {KVB_VENDOR_NVIDIA, 120, false, false, "consumer Blackwell"},
        {KVB_VENDOR_NVIDIA, 121, false, true, "unified memory"},
        {KVB_VENDOR_AMD, 0, false, true, "AMD"},
        {KVB_VENDOR_NVIDIA, 0, false, false, ""}, // known by its memory alone
    };
    make_llama_plan(&plan, R(19, 0));
    for (size_t i = 0; i < sizeof rows / sizeof rows[0]; i++) {
        plan.gpu.vendor = rows[i].vendor;
        plan.gpu.compute_capability = rows[i].capability;
        plan.gpu.nvlink = rows[i].nvlink;
        plan.gpu.unified_memory = rows[i].unified;
        assert_group(KVB_RESIDUAL_CARD, rows[i].group);
    }
}

static void models(void **state)
{
    (void)state;
    make_llama_plan(&plan, R(19, 0));
    assert_group(KVB_RESIDUAL_KIND, "dense");
    plan.model.kinds[0].mlp.kind = KVB_MLP_MOE;
    plan.model.kinds[0].mlp.experts = 8;
    assert_group(KVB_RESIDUAL_KIND, "experts");
    plan.model.kinds[0].attention.kind = KVB_ATTENTION_SLIDING;
    assert_group(KVB_RESIDUAL_KIND, "sliding window");
    plan.model.kinds[0].attention.kind = KVB_ATTENTION_MLA;
    assert_group(KVB_RESIDUAL_KIND, "latent attention");
}

// Every row is of a group that a plan can have, each axis has the row for few runs, and none narrows.
static void table(void **state)
{
    (void)state;
    uint32_t few = 0;
    for (size_t i = 0; i < kvb_residual_row_count; i++) {
        few += kvb_residual_rows[i].group[0] == '\0';
        for (size_t j = 0; j < i; j++) {
            assert_false(kvb_residual_rows[i].axis == kvb_residual_rows[j].axis &&
                         strcmp(kvb_residual_rows[i].group, kvb_residual_rows[j].group) == 0);
        }
    }
    assert_int_equal(few, KVB_RESIDUAL_AXES);
}

static uint32_t most_below(const char *const groups[KVB_RESIDUAL_AXES])
{
    uint32_t most = 75;
    for (size_t i = 0; i < kvb_residual_row_count; i++) {
        const struct kvb_residual_row *row = &kvb_residual_rows[i];
        most = strcmp(row->group, groups[row->axis]) == 0 && row->below > most ? row->below : most;
    }
    return most;
}

// Each factor is the widest of three rows, at least 75; a release newer than is known is bounded no narrower.
static void factors(void **state)
{
    (void)state;
    uint32_t below, above, newer_below, newer_above;
    make_llama_plan(&plan, R(20, 0));
    const char *const groups[KVB_RESIDUAL_AXES] = {"0.20 and later", kvb_residual_group(&plan, KVB_RESIDUAL_CARD),
                                                   "dense"};
    kvb_residual_factors(&plan, &below, &above);
    assert_int_equal(below, most_below(groups));
    assert_true(above >= 75);
    plan.engine.release = KVB_NEWEST_VLLM + 1;
    kvb_residual_factors(&plan, &newer_below, &newer_above);
    assert_true(newer_below >= below && newer_above >= above);
    for (size_t i = 0; i < kvb_residual_row_count; i++) {
        bool era = kvb_residual_rows[i].axis == KVB_RESIDUAL_ERA;
        assert_true(!era || newer_below >= kvb_residual_rows[i].below);
        assert_true(!era || newer_above >= kvb_residual_rows[i].above);
    }
}

KVB_TEST_MAIN(cmocka_unit_test(eras), cmocka_unit_test(cards), cmocka_unit_test(models), cmocka_unit_test(table),
              cmocka_unit_test(factors))
