// The ends of the core's tables and numbers: rows that are not there, releases that are none, advice that is doubled.
#include <stdio.h>
#include <string.h>

#include <kvbudget/kvbudget.h>

#include "budget/shapes.h"
#include "plan/advice_settle.h"
#include "unit/plans.h"
#include "unit/test.h"

static void rows_beyond_the_last(void **state)
{
    (void)state;
    assert_null(kvb_setting_row_of(KVB_SETTING_COUNT));
    assert_null(kvb_host_row_of(KVB_HOST_KIND_COUNT));
    assert_null(kvb_charge_row_of(KVB_CHARGE_COUNT));
    assert_null(kvb_train_phase_row_of(KVB_TRAIN_PHASE_COUNT));
    assert_null(kvb_train_part_row_of(KVB_TRAIN_PART_COUNT));
}

// A build is one number of at most seven digits.
static void builds(void **state)
{
    (void)state;
    uint32_t release = 0;
    assert_true(kvb_release_parse("b1234567", &release));
    assert_int_equal(release, KVB_BUILD(1234567));
    assert_false(kvb_release_parse("b12345678", &release));
    assert_false(kvb_release_parse("b123x", &release));
    assert_false(kvb_release_parse("b", &release));
    assert_int_equal(release, KVB_BUILD(1234567));
}

// A warning against what another part advises is left out: a length below 8192 where the advice is a length below it.
static void warnings_that_are_advised(void **state)
{
    (void)state;
    static const struct {
        bool utilization, length;
        uint64_t advised;
        uint32_t kept;
    } rows[] = {{false, true, 4096, 1}, {true, false, 4096, 1}, {true, true, 4096, 0}, {true, true, 16384, 1}};
    for (size_t i = 0; i < sizeof rows / sizeof rows[0]; i++) {
        struct kvb_advice advice = {.has_utilization = rows[i].utilization,
                                    .has_max_model_len = rows[i].length,
                                    .max_model_len = rows[i].advised,
                                    .change_count = 1};
        advice.changes[0] =
            (struct kvb_change){.setting = KVB_SET_MAX_MODEL_LEN, .from = 8192, .to = 2048, .useless = true};
        kvb_advice_settle(&advice);
        assert_int_equal(advice.change_count, rows[i].kept);
    }
}

// What files of weights say is counted, not estimated.
static void basis_of_a_generic_engine(void **state)
{
    (void)state;
    static struct kvb_plan plan;
    static struct kvb_budget budget;
    make_llama_plan(&plan, 0);
    (void)strcpy(plan.engine.name, "generic");
    plan.model.checkpoint.kind = KVB_CHECKPOINT_GGUF;
    (void)answer_into(&plan, &budget);
    assert_int_equal(budget.items[KVB_ITEM_WEIGHTS].basis, KVB_BASIS_CHECKPOINT);
    plan.model.checkpoint.kind = KVB_CHECKPOINT_NONE;
    (void)answer_into(&plan, &budget);
    assert_int_equal(budget.items[KVB_ITEM_WEIGHTS].basis, KVB_BASIS_CONFIG);
}

// What drafts alone says so in its class: heads of EAGLE one token after another, DFlash and DSpark blocks of them.
static void classes_that_only_draft(void **state)
{
    (void)state;
    static const struct {
        const char *name;
        bool only, blocks;
    } rows[] = {{"LlamaForCausalLMEagle3", true, false},
                {"DFlashDraftModel", true, true},
                {"Qwen3DSparkModel", true, true},
                {"Qwen3ForCausalLM", false, false}};
    for (size_t i = 0; i < sizeof rows / sizeof rows[0]; i++) {
        struct kvb_model model = {.layer_count = 1};
        (void)snprintf(model.architecture, sizeof model.architecture, "%s", rows[i].name);
        assert_int_equal(kvb_model_only_drafts(&model), rows[i].only);
        assert_int_equal(kvb_model_drafts_blocks(&model), rows[i].blocks);
    }
}

KVB_TEST_MAIN(cmocka_unit_test(classes_that_only_draft), cmocka_unit_test(rows_beyond_the_last),
              cmocka_unit_test(builds), cmocka_unit_test(warnings_that_are_advised),
              cmocka_unit_test(basis_of_a_generic_engine))
