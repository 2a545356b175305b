// What shares the GPUs with a deployment, over answers made by hand: which sentence is said, and what is to be lowered.
#include <stdio.h>
#include <string.h>

#include "gate/gate.h"
#include "unit/test.h"

#define GIB (UINT64_C(1) << 30)

static struct kvb_gate gate;
static struct kvb_answer answer;
static struct kvb_findings findings;
static struct kvb_found found;
static struct kvb_training training;
static struct kvb_side_by_side side;
static struct kvb_resident residents[3];
static struct kvb_placed placed;

static int begin(void **state)
{
    (void)state;
    memset(&gate, 0, sizeof gate);
    memset(&answer, 0, sizeof answer);
    memset(&findings, 0, sizeof findings);
    memset(&found, 0, sizeof found);
    memset(&training, 0, sizeof training);
    memset(&side, 0, sizeof side);
    gate.answer = &answer;
    gate.findings = &findings;
    answer.budget.verdict = KVB_FITS;
    answer.budget.starts = true;
    answer.advice.apply_count = 2;
    kvb_settings_set(&answer.budget.settings, KVB_SET_GPU_MEMORY_UTILIZATION, 600000, KVB_ORIGIN_COMMAND);
    found.place.line = 3;
    side.all_start = true;
    side.count = 3;
    side.held_bytes = 85 * GIB;
    side.memory_bytes = 80 * GIB;
    for (unsigned i = 0; i < 3; i++) {
        static const char *const names[] = {"trainer", "first", "second"};
        residents[i].kind = i == 0 ? KVB_RESIDENT_FIXED : KVB_RESIDENT_ENGINE;
        residents[i].name = names[i];
        side.rows[i].starts = i > 0; // what only holds memory starts nothing
    }
    placed = (struct kvb_placed){.residents = residents, .side = &side};
    return 0;
}

static const char *judged(void)
{
    findings.count = 0;
    answer.budget.verdict = answer.budget.verdict == KVB_DOES_NOT_FIT ? KVB_FITS : answer.budget.verdict;
    kvb_gate_judge_residents(&gate, &found, &placed);
    assert_int_equal(findings.count == 1, answer.budget.verdict == KVB_DOES_NOT_FIT);
    return findings.count > 0 ? findings.items[0].text : "";
}

static void who_does_not_start(void **state)
{
    (void)state;
    assert_string_equal(judged(), "");
    assert_int_equal(answer.advice.apply_count, 2);
    side.crowded = true;
    assert_string_equal(judged(), "all that share the GPU hold 85.00 GiB together and it has 80.00 GiB");
    assert_int_equal(answer.advice.apply_count, 0); // which was for it alone
    assert_false(answer.budget.starts);
    assert_int_equal(findings.items[0].rule, KVB_CHECK_FITS);
    assert_int_equal(findings.items[0].place.line, 3);
    side.all_start = false;
    side.rows[2].starts = false;
    strcpy(side.rows[2].error, "too little is free");
    found.settings[KVB_SET_GPU_MEMORY_UTILIZATION].line = 7;
    assert_string_equal(judged(),
                        "second does not start in its place beside the others on the GPU: too little is free");
    assert_int_equal(findings.items[0].place.line, 7);
    side.rows[1].starts = false;
    strcpy(side.rows[1].error, "nothing is free");
    assert_string_equal(judged(), "first does not start in its place beside the others on the GPU: nothing is free");
    answer.budget.verdict = KVB_DOES_NOT_FIT; // said already
    findings.count = 0;
    kvb_gate_judge_residents(&gate, &found, &placed);
    assert_int_equal(findings.count, 0);
    answer.budget.verdict = KVB_TIGHT;
    kvb_gate_judge_residents(&gate, &found, NULL);
    assert_int_equal(findings.count, 0);
}

// A lower share helps where the rollout starts with it, it is one, and it is lower than the share in use.
static void a_step(void **state)
{
    (void)state;
    static const struct {
        uint32_t needs_ppm, highest_ppm;
        const char *advice;
    } rows[] = {
        {400000, 400000, "; lower the rollout's gpu_memory_utilization to 0.40"},
        {400000, 599999, "; lower the rollout's gpu_memory_utilization to 0.59"},
        {50000, 50000, "; lower the rollout's gpu_memory_utilization to 0.05"},
        {400001, 400000, "; spread it over more GPUs, offload, or let the rollout sleep while training"},
        {400000, 600000, "; spread it over more GPUs, offload, or let the rollout sleep while training"},
        {0, 0, "; spread it over more GPUs, offload, or let the rollout sleep while training"},
    };
    training.totals[KVB_TRAIN_SYNC] = 81 * GIB;
    training.memory_bytes = 79 * GIB;
    training.deciding = KVB_TRAIN_SYNC;
    placed.training = &training;
    for (size_t i = 0; i < sizeof rows / sizeof rows[0]; i++) {
        char wanted[256];
        training.needs_ppm = rows[i].needs_ppm;
        training.highest_ppm = rows[i].highest_ppm;
        (void)snprintf(wanted, sizeof wanted,
                       "a training step does not fit: its phase '%s' holds 81.00 GiB and each GPU has 79.00 GiB%s",
                       kvb_train_phase_row_of(KVB_TRAIN_SYNC)->label, rows[i].advice);
        assert_string_equal(judged(), wanted);
    }
    training.fits = true;
    assert_string_equal(judged(), "");
    side.crowded = true; // the step fits, and its neighbours do not
    assert_string_equal(judged(), "all that share the GPU hold 85.00 GiB together and it has 80.00 GiB");
}

// The sentence of a case names the fullest phase, as far as there is room.
static void summary(void **state)
{
    (void)state;
    char out[256], whole[256];
    answer.budget.verdict = KVB_DOES_NOT_FIT;
    strcpy(answer.plan.engine.name, "vllm");
    assert_null(strstr(kvb_gate_summary(&gate, out, sizeof out), "step"));
    gate.placed = &placed;
    assert_null(strstr(kvb_gate_summary(&gate, out, sizeof out), "step"));
    placed.training = &training;
    training.totals[KVB_TRAIN_START] = 60 * GIB;
    training.memory_bytes = 79 * GIB;
    (void)kvb_gate_summary(&gate, whole, sizeof whole);
    const char *step = strstr(whole, "; a training step is fullest in its phase '");
    assert_non_null(step);
    assert_non_null(strstr(step, "': 60.00 of 79.00 GiB"));
    for (size_t capacity = 1; capacity <= strlen(whole) + 1; capacity++) {
        memset(out, '#', sizeof out);
        (void)kvb_gate_summary(&gate, out, capacity);
        assert_int_equal(strlen(out), capacity - 1);
        assert_memory_equal(out, whole, capacity - 1);
        assert_int_equal(out[capacity], '#');
    }
}

#define EACH(test) cmocka_unit_test_setup(test, begin)

KVB_TEST_MAIN(EACH(who_does_not_start), EACH(a_step), EACH(summary))
