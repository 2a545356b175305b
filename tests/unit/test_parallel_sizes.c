// Parallel sizes against the release's own checks: both methods of each tag were run on random sizes
// (tests/fixtures/parallel_sizes.csv).
#include <stdlib.h>

#include "unit/fixture_rows.h"
#include "unit/plans.h"

#define FIELDS 14
#define LEAST_ROWS 700

enum field { RELEASE, HEADS, KV_HEADS, LATENT, EXPERTS, TP, PP, DCP, PCP, DP, EP, EPLB, COPIES, SENTENCE };

static struct kvb_plan plan;
static struct kvb_budget budget;

static void make_row(char *const fields[FIELDS])
{
    static const struct {
        enum field field;
        enum kvb_setting setting;
    } sizes[] = {{TP, KVB_SET_TENSOR_PARALLEL_SIZE},
                 {PP, KVB_SET_PIPELINE_PARALLEL_SIZE},
                 {DCP, KVB_SET_DECODE_CONTEXT_PARALLEL_SIZE},
                 {PCP, KVB_SET_PREFILL_CONTEXT_PARALLEL_SIZE},
                 {DP, KVB_SET_DATA_PARALLEL_SIZE},
                 {EP, KVB_SET_ENABLE_EXPERT_PARALLEL}};
    uint32_t numbers[FIELDS] = {0};
    for (size_t i = HEADS; i < SENTENCE; i++) {
        numbers[i] = (uint32_t)strtoul(fields[i], NULL, 10);
    }
    if (numbers[LATENT] != 0) {
        make_latent_plan(&plan, release_of(fields[RELEASE]), 8192, 256);
    } else {
        make_llama_plan(&plan, release_of(fields[RELEASE]));
        plan.model.kinds[0].attention.kv_heads = numbers[KV_HEADS];
    }
    plan.model.kinds[0].attention.heads = numbers[HEADS];
    plan.model.vocabulary_size = 64 * 15; // divides by each size, padded to 64
    plan.model.kinds[0].mlp.intermediate_size = 16 * 15 * 64;
    plan.gpu.memory_bytes = 640 * GIB;
    if (numbers[EXPERTS] != 0) {
        plan.model.kinds[0].mlp = (struct kvb_mlp_shape){
            .kind = KVB_MLP_MOE, .experts = 64, .experts_per_token = 4, .expert_intermediate_size = 16 * 15 * 8};
    }
    for (size_t i = 0; i < sizeof sizes / sizeof sizes[0]; i++) {
        set(&plan, sizes[i].setting, numbers[sizes[i].field]);
    }
    plan.plain_flags = KVB_PLAIN_SERVE_LINE | (numbers[EPLB] != 0 ? KVB_PLAIN_EPLB : 0U);
    memset(plan.plain_numbers, 0, sizeof plan.plain_numbers);
    plan.plain_numbers[KVB_PLAIN_REDUNDANT_EXPERTS] = (struct kvb_plain_value){.set = numbers[COPIES] > 0, .number = numbers[COPIES]};
}

// What passes these checks may still be refused by a layer or a backend, which are made later.
static bool is_later(const char *error)
{
    static const char *const later[] = {"PCP requires attention impls", "No valid attention backend found",
                                        "key/value heads cannot be split", "experts cannot be spread",
                                        "vocabulary rows"};
    for (size_t i = 0; i < sizeof later / sizeof later[0]; i++) {
        if (strstr(error, later[i]) != NULL) {
            return true;
        }
    }
    return false;
}

static bool look(char *const *cells, struct seen_rows *seen)
{
    make_row(cells);
    (void)answer_into(&plan, &budget);
    bool none = strcmp(cells[SENTENCE], "-") == 0;
    bool same =
        none ? budget.starts || is_later(budget.error) : !budget.starts && begins_with(budget.error, cells[SENTENCE]);
    if (!same) {
        print_error("%s\n", budget.error);
    }
    seen->raised += !none;
    return same;
}

static void each_release_raises_what_its_checks_raise(void **state)
{
    (void)state;
    struct seen_rows seen;
    walk_rows("fixtures/parallel_sizes.csv", FIELDS, look, &seen);
    assert_true(seen.rows >= LEAST_ROWS && seen.raised > seen.rows / 2 && seen.raised < seen.rows * 9 / 10);
    assert_int_equal(seen.different, 0);
}

KVB_TEST_MAIN(cmocka_unit_test(each_release_raises_what_its_checks_raise))
