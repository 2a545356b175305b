// Nothing behind the last layer and the last kind of layer is looked at by engines other than vLLM either: every
// built-in model, answered as it is and with layers of an odd kind behind it.
#include <string.h>

#include <kvbudget/kvbudget.h>

#include "engines/llamacpp/flags.h"
#include "unit/odd_kind.h"
#include "unit/plans.h"
#include "unit/same_budget.h"
#include "unit/test.h"

static struct kvb_plan plan;

static const struct {
    const char *engine;
    uint32_t release;
    uint64_t gib; // of the card
} seats[] = {
    {"sglang", R(5, 6), 80}, {"sglang", R(5, 12), 80}, {"sglang", R(5, 18), 8},  {"generic", KVB_RELEASE(1, 0, 0), 80},
    {"ollama", R(5, 1), 24}, {"ollama", R(13, 5), 24}, {"ollama", R(33, 0), 24}, {"llama.cpp", KVB_BUILD(9500), 24},
};
#define SEATS (sizeof seats / sizeof seats[0])

static void nothing_behind_the_last(void **state)
{
    (void)state;
    static struct kvb_budget with, without;
    static struct kvb_problems problems;
    size_t count, answered = 0;
    const struct kvb_builtin *rows = kvb_builtins(&count);
    for (size_t i = 0; i < count; i++) {
        struct kvb_model_source source;
        const struct kvb_builtin *row = &rows[i];
        if (row->kind != KVB_PROFILE_MODEL) {
            continue;
        }
        make_llama_plan(&plan, seats[i % SEATS].release);
        (void)strcpy(plan.engine.name, seats[i % SEATS].engine);
        plan.gpu.memory_bytes = seats[i % SEATS].gib * GIB;
        unset(&plan, KVB_SET_GPU_MEMORY_UTILIZATION);
        unset(&plan, KVB_SET_MAX_NUM_BATCHED_TOKENS);
        unset(&plan, KVB_SET_MAX_NUM_SEQS);
        kvb_problems_init(&problems);
        if (kvb_model_load(row->id, NULL, &plan.model, &source, &problems) != KVB_OK ||
            plan.model.layer_count == KVB_LAYERS_MAX || plan.model.kind_count == KVB_LAYER_KINDS_MAX) {
            continue;
        }
        set(&plan, KVB_SET_MAX_MODEL_LEN, 2048);
        set(&plan, KVB_SET_TENSOR_PARALLEL_SIZE, 1 + i / SEATS % 2);
        set(&plan, KVB_SET_SPECULATIVE_METHOD, i % 3 == 0 ? KVB_SPECULATIVE_EAGLE : KVB_SPECULATIVE_NONE);
        bool is_answered = answers(&plan, &without);
        add_odd_kind(&plan.model, (uint32_t)i);
        if (answers(&plan, &with) != is_answered || !same_budget(&with, &without)) {
            fail_msg("%s by %s: %s; %s", row->id, plan.engine.name, without.error, with.error);
        }
        answered += is_answered;
    }
    print_message("%zu answers\n", answered);
    assert_true(answered >= 400);
}

KVB_TEST_MAIN(cmocka_unit_test(nothing_behind_the_last))
