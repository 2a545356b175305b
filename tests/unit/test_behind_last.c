// Nothing behind the last layer and the last kind of layer is looked at: every built-in model, answered as it is and
// with layers of an odd kind behind it, at releases of either engine and both kinds of runner.
#include <string.h>

#include <kvbudget/kvbudget.h>

#include "unit/odd_kind.h"
#include "unit/plans.h"
#include "unit/same_budget.h"
#include "unit/test.h"

static struct kvb_plan plan;

static void nothing_behind_the_last(void **state)
{
    (void)state;
    static const uint32_t releases[] = {R(4, 2), R(6, 6), R(9, 2), R(12, 0), R(18, 0), R(22, 0), R(28, 0)};
    static struct kvb_budget with, without;
    static struct kvb_problems problems;
    size_t count, answered = 0;
    const struct kvb_builtin *rows = kvb_builtins(&count);
    for (size_t i = 0; i < count; i++) {
        struct kvb_model_source source;
        if (rows[i].kind != KVB_PROFILE_MODEL) {
            continue;
        }
        make_llama_plan(&plan, releases[i % (sizeof releases / sizeof releases[0])]);
        kvb_problems_init(&problems);
        if (kvb_model_load(rows[i].id, NULL, &plan.model, &source, &problems) != KVB_OK ||
            plan.model.layer_count == KVB_LAYERS_MAX || plan.model.kind_count == KVB_LAYER_KINDS_MAX) {
            continue;
        }
        set(&plan, KVB_SET_MAX_MODEL_LEN, 512);
        set(&plan, KVB_SET_TENSOR_PARALLEL_SIZE, 1 + i % 2);
        set(&plan, KVB_SET_PIPELINE_PARALLEL_SIZE, 1 + i / 2 % 2);
        set(&plan, KVB_SET_SPECULATIVE_METHOD, i % 3 == 0 ? KVB_SPECULATIVE_EAGLE : KVB_SPECULATIVE_NONE);
        bool is_answered = answers(&plan, &without);
        add_odd_kind(&plan.model, (uint32_t)i);
        if (answers(&plan, &with) != is_answered || !same_budget(&with, &without)) {
            fail_msg("%s at %u: %s; %s", rows[i].id, plan.engine.release, without.error, with.error);
        }
        answered += is_answered;
    }
    print_message("%zu models answered\n", answered);
    assert_true(answered >= 400);
}

// Mistral 7B's windows, whose head takes theirs (arg_utils.py create_engine_config): 32 layers of one and none behind.
static void windows_of_all(void **state)
{
    (void)state;
    static const struct shape shape = {"windows", 32, 32, 8, 128, 4096, 1, 0, KVB_ATTENTION_SLIDING, 32768};
    static struct kvb_budget with, without;
    make_llama_plan(&plan, R(19, 0));
    make_model(&shape, &plan.model);
    plan.model.kinds[0] = plan.model.kinds[1];
    plan.model.kind_count = 1;
    memset(plan.model.kind_of_layer, 0, sizeof plan.model.kind_of_layer);
    set(&plan, KVB_SET_SPECULATIVE_METHOD, KVB_SPECULATIVE_EAGLE);
    assert_true(answers(&plan, &without));
    assert_int_equal(without.kv.group_count, 1);
    for (uint32_t turn = 0; turn < KVB_ATTENTION_COUNT - 1; turn++) {
        add_odd_kind(&plan.model, turn);
        assert_true(answers(&plan, &with));
        assert_memory_equal(&with, &without, sizeof with);
    }
}

KVB_TEST_MAIN(cmocka_unit_test(nothing_behind_the_last), cmocka_unit_test(windows_of_all))
