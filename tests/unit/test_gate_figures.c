// The gate over answers made by hand, so that each figure can stand right at its bound. All sums are by hand, in GiB,
// beside the case.
#include <stdio.h>
#include <string.h>

#include "gate/gate.h"
#include "unit/test.h"

#define GIB (UINT64_C(1) << 30)

static struct kvb_gate gate;
static struct kvb_policy policy;
static struct kvb_answer answer;
static struct kvb_deployment deployment;
static struct kvb_problems problems, scratch;
static struct kvb_findings findings;
static struct kvb_found found;

static int begin(void **state)
{
    (void)state;
    kvb_arena_free(&gate.arena); // of a case before, in the same test
    memset(&gate, 0, sizeof gate);
    memset(&policy, 0, sizeof policy);
    memset(&answer, 0, sizeof answer);
    memset(&deployment, 0, sizeof deployment);
    memset(&findings, 0, sizeof findings);
    memset(&found, 0, sizeof found);
    kvb_problems_init(&problems);
    kvb_arena_init(&gate.arena);
    gate.policy = &policy;
    gate.answer = &answer;
    gate.deployment = &deployment;
    gate.problems = &problems;
    gate.scratch = &scratch;
    gate.findings = &findings;
    gate.file = "run.sh";
    strcpy(answer.plan.engine.name, "vllm");
    strcpy(answer.plan.engine.version, "0.11.0");
    answer.plan.engine.release = KVB_RELEASE(0, 11, 0);
    strcpy(answer.plan.gpu.name, "Card");
    found.place = (struct kvb_spot){3, 1};
    return 0;
}

static int end(void **state)
{
    (void)state;
    kvb_arena_free(&gate.arena);
    return 0;
}

static void use(enum kvb_setting setting, uint64_t number)
{
    kvb_settings_set(&answer.budget.settings, setting, number, KVB_ORIGIN_COMMAND);
}

static const char *said(uint32_t index)
{
    return index < findings.count ? findings.items[index].text : "";
}

static void assert_says(uint32_t index, const char *text)
{
    if (strstr(said(index), text) == NULL) {
        fail_msg("'%s' has no '%s'", said(index), text);
    }
}

// ---- together

struct resident {
    const char *devices, *gpu;
    uint32_t group;
    uint64_t requested_gib;
    int64_t outside_gib;
};

static void stand(const char *name, const struct resident *resident, uint64_t more_bytes)
{
    found.together = true;
    (void)snprintf(found.name, sizeof found.name, "%s", name);
    (void)snprintf(found.devices, sizeof found.devices, "%s", resident->devices);
    (void)snprintf(answer.plan.gpu.name, sizeof answer.plan.gpu.name, "%s", resident->gpu);
    found.group = resident->group;
    answer.budget.free_bytes = 24 * GIB;
    answer.budget.requested_bytes = resident->requested_gib * GIB + more_bytes;
    answer.budget.outside_bytes = resident->outside_gib * (int64_t)GIB;
    kvb_gate_judge_together(&gate, &found);
}

// Of 24 GiB: what the first holds and the second asks for are as much as there is, or a byte more.
static void at_the_bound(void **state)
{
    static const struct {
        struct resident first, second;
        bool shares;
    } rows[] = {
        {{"", "Card", 0, 10, 0}, {"", "Card", 0, 14, 0}, true},
        {{"", "Card", 0, 10, 2}, {"0", "Card", 0, 12, 0}, true}, // what nobody names is the first card
        {{"", "Card", 0, 10, -2}, {"", "Card", 0, 14, 0}, true}, // less than nothing is held outside by none
        {{"0,1", "Card", 0, 10, 0}, {"1,2", "Card", 0, 14, 0}, true},
        {{"2,1", "Card", 0, 10, 0}, {"0,1", "Card", 0, 14, 0}, true},
        {{"1", "Card", 0, 10, 0}, {"3,2,1", "Card", 0, 14, 0}, true},
        {{"0,1", "Card", 0, 10, 0}, {"2,3", "Card", 0, 14, 0}, false},
        {{"1", "Card", 0, 10, 0}, {"10", "Card", 0, 14, 0}, false},
        {{"10", "Card", 0, 10, 0}, {"1", "Card", 0, 14, 0}, false},
        {{",1", "Card", 0, 10, 0}, {",2", "Card", 0, 14, 0}, false}, // two gaps are no card
        {{"", "Card", 0, 10, 0}, {"", "Other", 0, 14, 0}, false},
        {{"", "Card", 0, 10, 0}, {"", "Card", 1, 14, 0}, false},
        {{"", "Card", 0, 24, 0}, {"", "Card", 0, 0, 0}, true},
    };
    for (size_t i = 0; i < sizeof rows / sizeof rows[0]; i++) {
        for (uint64_t more = 0; more < 2; more++) {
            assert_int_equal(begin(state), 0);
            stand("one", &rows[i].first, 0);
            assert_int_equal(findings.count, 0); // alone
            stand("two", &rows[i].second, more);
            if (findings.count != (rows[i].shares && more > 0)) {
                fail_msg("row %zu, %u findings", i, (unsigned)findings.count);
            }
            assert_int_equal(end(state), 0);
        }
    }
}

// Each stands against all before it: 8 + 8 of 24 leave 8. The oldest is named, the place is the flag's.
static void three(void **state)
{
    (void)state;
    static const struct resident each = {"0", "Card", 0, 8, 0}, huge = {"0", "Card", 0, 30, 0};
    stand("one", &each, 0);
    stand("two", &each, 0);
    stand("three", &each, 0);
    assert_int_equal(findings.count, 0);
    found.settings[KVB_SET_GPU_MEMORY_UTILIZATION] = (struct kvb_spot){7, 5};
    stand("four", &each, GIB);
    assert_int_equal(findings.count, 1);
    assert_int_equal(findings.items[0].place.line, 7);
    assert_int_equal(findings.items[0].rule, KVB_CHECK_TOGETHER);
    assert_string_equal(said(0), "it shares GPU 0 (Card) with one: it asks for 9.00 GiB there and finds 0.00 GiB free "
                                 "when it starts last; lower --gpu-memory-utilization of both, or give each a card of "
                                 "its own");
    found.together = false; // another start of the same file
    stand("five", &huge, 0);
    found.together = true;
    assert_int_equal(begin(state), 0);
    stand("one", &huge, 0); // more than there is leaves nothing
    stand("two", &each, 0);
    assert_says(0, "it asks for 8.00 GiB there and finds 0.00 GiB free");
}

// ---- GPUs that the file hands over

static void gpu_counts(void **state)
{
    static const struct {
        uint64_t tensor, pipeline;
        uint32_t limit;
        const char *flags;
        int severity; // -1: nothing is said
    } rows[] = {
        {2, 1, 2, "", -1},
        {2, 1, 1, "", KVB_ERROR},
        {2, 2, 4, "", -1},
        {2, 2, 3, "", KVB_WARNING}, // a stage may be elsewhere
        {2, 2, 2, "", KVB_WARNING},
        {2, 2, 1, "", KVB_ERROR},
        {2, 1, 0, "", -1}, // not said
        {0, 0, 1, "", -1},
        {65535, 1, 1, "", KVB_ERROR},
        {65536, 1, 1, "", -1}, // no number of GPUs
        {4, 2, 4, "--nnodes 2", -1},
        {4, 2, 4, "--nnodes=2", -1},
        {4, 2, 4, "--nnodes 1", KVB_WARNING},
        {8, 2, 4, "--nnodes 3", KVB_ERROR},
        {8, 2, 4, "--nnodes 4", -1},
        {4, 2, 4, "--nnodes-of-mine 2", KVB_WARNING},
        {4, 2, 4, "--first 9\n--nnodes 2\n--last 3", -1},
        {4, 2, 4, "--first 9\n--last 3", KVB_WARNING},
        {4, 2, 4, "--nnodes $N", -1}, // nobody knows
        {4, 2, 4, "--nnodes ", -1},
        {4, 2, 4, "--nnodes 1\n2", KVB_WARNING},
    };
    for (size_t i = 0; i < sizeof rows / sizeof rows[0]; i++) {
        assert_int_equal(begin(state), 0);
        use(KVB_SET_TENSOR_PARALLEL_SIZE, rows[i].tensor);
        use(KVB_SET_PIPELINE_PARALLEL_SIZE, rows[i].pipeline);
        found.gpu_limit = rows[i].limit;
        found.gpu_limit_place.line = 9;
        (void)snprintf(deployment.serve_flags, sizeof deployment.serve_flags, "%s", rows[i].flags);
        kvb_gate_judge_answer(&gate, &found);
        int severity = findings.count > 0 ? (int)findings.items[0].severity : -1;
        if (severity != rows[i].severity || findings.count > 1) {
            fail_msg("row %zu: %d, %s", i, severity, said(0));
        }
        if (findings.count > 0) {
            assert_int_equal(findings.items[0].rule, KVB_CHECK_GPU_COUNT);
            assert_says(0, "and the file hands over ");
            assert_says(0, " on line 9");
        }
        assert_int_equal(end(state), 0);
    }
}

// ---- flags of other releases

static void dated_flags(void **state)
{
    static const struct {
        uint32_t since, until;
        const char *text; // NULL: this release has it
    } rows[] = {
        {0, 0, NULL},
        {KVB_RELEASE(0, 11, 0), 0, NULL},
        {KVB_RELEASE(0, 11, 1), 0, "x exists from vLLM 0.11.1; 0.11.0 refuses it"},
        {0, KVB_RELEASE(0, 11, 0), NULL},
        {0, KVB_RELEASE(0, 10, 2), "x exists up to vLLM 0.10.2; 0.11.0 refuses it"},
        {KVB_RELEASE(0, 10, 0), KVB_RELEASE(0, 12, 0), NULL},
        {KVB_RELEASE(0, 9, 0), KVB_RELEASE(0, 10, 0), "x exists up to vLLM 0.10.0; 0.11.0 refuses it"},
        {KVB_RELEASE(0, 12, 0), KVB_RELEASE(0, 13, 0), "x exists from vLLM 0.12.0; 0.11.0 refuses it"},
    };
    for (size_t i = 0; i < sizeof rows / sizeof rows[0]; i++) {
        for (unsigned told = 0; told < 2; told++) { // whether the file says which release it runs
            assert_int_equal(begin(state), 0);
            (void)strcpy(deployment.engine, told != 0 ? "vllm@0.11.0" : "");
            found.dated_count = 1;
            found.dated[0] =
                (struct kvb_dated_flag){.name = "x", .since = rows[i].since, .until = rows[i].until, .place = {8, 4}};
            kvb_gate_judge_answer(&gate, &found);
            assert_int_equal(findings.count, rows[i].text != NULL);
            if (rows[i].text != NULL) {
                assert_says(0, rows[i].text);
                assert_int_equal(findings.items[0].severity, told != 0 ? KVB_ERROR : KVB_WARNING);
                assert_int_equal(strstr(said(0), "but the file does not say") != NULL, told == 0);
                assert_int_equal(findings.items[0].place.line, 8);
            }
            assert_int_equal(end(state), 0);
        }
    }
}

// ---- what does not fit

enum {
    ON_UTILIZATION = 10,
    ON_LENGTH,
    ON_TENSOR,
    ON_BATCH,
    ON_METHOD,
    ON_DTYPE,
    ON_LORA,
    ON_MODEL,
};

// Every flag has a line of its own.
static void place_flags(void)
{
    static const struct {
        enum kvb_setting setting;
        uint32_t line;
    } rows[] = {
        {KVB_SET_GPU_MEMORY_UTILIZATION, ON_UTILIZATION},
        {KVB_SET_MAX_MODEL_LEN, ON_LENGTH},
        {KVB_SET_TENSOR_PARALLEL_SIZE, ON_TENSOR},
        {KVB_SET_MAX_NUM_BATCHED_TOKENS, ON_BATCH},
        {KVB_SET_QUANTIZATION, ON_METHOD},
        {KVB_SET_DTYPE, ON_DTYPE},
        {KVB_SET_MAX_LORA_RANK, ON_LORA},
    };
    for (size_t i = 0; i < sizeof rows / sizeof rows[0]; i++) {
        found.settings[rows[i].setting].line = rows[i].line;
    }
    found.model.line = ON_MODEL;
}

static void misfit(uint64_t requested, uint64_t free, int64_t weights, int64_t cache)
{
    answer.budget.verdict = KVB_DOES_NOT_FIT;
    answer.budget.requested_bytes = requested;
    answer.budget.free_bytes = free;
    answer.budget.items[KVB_ITEM_WEIGHTS].bytes = weights;
    answer.budget.items[KVB_ITEM_KV_CACHE].bytes = cache;
    findings.count = 0;
    kvb_gate_judge_answer(&gate, &found);
    assert_int_equal(findings.count, 1);
    assert_int_equal(findings.items[0].rule, KVB_CHECK_FITS);
}

#define NOTHING_HELPS "; no change of one setting or two is known to make it fit"

static void reasons(void **state)
{
    (void)state;
    place_flags();
    misfit(20 * GIB + 1, 20 * GIB, 10, 10);
    assert_says(0, "it asks for 20.00 GiB and 20.00 GiB are free at start" NOTHING_HELPS);
    assert_int_equal(findings.items[0].place.line, ON_UTILIZATION);
    // A cache of nothing is none: the weights are below nine tenths of what is asked for, or they are not.
    misfit(20 * GIB, 20 * GIB, 18 * GIB - 1, 0);
    assert_says(0, "weights take 18.00 GiB of the 20.00 GiB requested, which leaves 0.00 GiB for KV cache");
    assert_int_equal(findings.items[0].place.line, ON_UTILIZATION);
    misfit(20 * GIB, 20 * GIB, 18 * GIB, -(int64_t)GIB);
    assert_says(0, "which leaves -1.00 GiB for KV cache");
    assert_int_equal(findings.items[0].place.line, ON_TENSOR);
    // A cache of a byte is one.
    use(KVB_SET_MAX_MODEL_LEN, 4096);
    answer.budget.needed_bytes = 3 * GIB;
    answer.budget.balance_bytes = -1;
    misfit(20 * GIB, 20 * GIB, 19 * GIB, 1);
    assert_says(0, "one request of 4,096 tokens needs 3.00 GiB of KV cache and there are 0.00 GiB");
    assert_int_equal(findings.items[0].place.line, ON_LENGTH);
    // What the engine says where memory is enough; where it is not, or it says nothing, the sum.
    strcpy(answer.budget.error, "no.");
    misfit(20 * GIB, 20 * GIB, 19 * GIB, 1);
    assert_says(0, "one request of 4,096");
    answer.budget.balance_bytes = 0;
    misfit(20 * GIB, 20 * GIB, 19 * GIB, 1);
    assert_says(0, "the engine refuses to start: no.;");
    answer.budget.error[0] = '\0';
    misfit(20 * GIB, 20 * GIB, 19 * GIB, 1);
    assert_says(0, "one request of 4,096");
    answer.budget.verdict = KVB_TIGHT;
    findings.count = 0;
    kvb_gate_judge_answer(&gate, &found);
    assert_int_equal(findings.count, 0);
}

// A refusal points at the flag it is about, or at the model.
static void refusals(void **state)
{
    (void)state;
    static const struct {
        const char *rule;
        uint32_t line;
    } rows[] = {
        {"parallel-split", ON_TENSOR},
        {"pipeline-parallel-method", ON_TENSOR},
        {"max-model-len", ON_LENGTH},
        {"max-num-batched-tokens", ON_BATCH},
        {"quantization-capability", ON_METHOD},
        {"dtype-bfloat16", ON_DTYPE},
        {"lora-rank", ON_LORA},
        {"anything-else", ON_MODEL},
        {"quantization", ON_MODEL},
    };
    for (size_t i = 0; i < sizeof rows / sizeof rows[0]; i++) {
        assert_int_equal(begin(state), 0);
        place_flags();
        answer.budget.refusal = rows[i].rule;
        strcpy(answer.budget.error, "It will not.");
        misfit(20 * GIB, 10 * GIB, 0, 0);
        assert_int_equal(findings.items[0].place.line, rows[i].line);
        assert_string_equal(said(0), "It will not" NOTHING_HELPS);
        strcpy(answer.budget.error, "It will not"); // no full stop is taken
        misfit(20 * GIB, 10 * GIB, 0, 0);
        assert_string_equal(said(0), "It will not" NOTHING_HELPS);
        memset(found.settings, 0, sizeof found.settings);
        memset(&found.model, 0, sizeof found.model);
        misfit(20 * GIB, 10 * GIB, 0, 0);
        assert_int_equal(findings.items[0].place.line, 3); // of the deployment
        assert_int_equal(end(state), 0);
    }
}

// ---- the sentence

static void summaries(void **state)
{
    (void)state;
    static const char whole[] = "M on 2 x Card, vllm 0.11.0: fits; 3.00 GiB of KV cache, 7.05 requests of 4,096 tokens";
    char out[160];
    strcpy(answer.plan.model.name, "M");
    use(KVB_SET_TENSOR_PARALLEL_SIZE, 2);
    use(KVB_SET_PIPELINE_PARALLEL_SIZE, 1);
    use(KVB_SET_DATA_PARALLEL_SIZE, 1);
    use(KVB_SET_MAX_MODEL_LEN, 4096);
    answer.budget.verdict = KVB_FITS;
    answer.budget.items[KVB_ITEM_KV_CACHE].bytes = (int64_t)(3 * GIB);
    answer.budget.kv.max_concurrency_hundredths = 705;
    assert_string_equal(kvb_gate_summary(&gate, out, sizeof out), whole);
    for (size_t capacity = 1; capacity < sizeof whole; capacity++) { // as much of it as there is room for
        memset(out, '#', sizeof out);
        assert_int_equal(strncmp(kvb_gate_summary(&gate, out, capacity), whole, capacity - 1), 0);
        assert_int_equal(strlen(out), capacity - 1);
        assert_int_equal(out[capacity], '#');
    }
    answer.budget.verdict = KVB_DOES_NOT_FIT;
    assert_string_equal(kvb_gate_summary(&gate, out, sizeof out), "M on 2 x Card, vllm 0.11.0: does not fit");
    answer.budget.verdict = KVB_TIGHT;
    assert_non_null(strstr(kvb_gate_summary(&gate, out, sizeof out), ": is tight; 3.00 GiB"));
}

// ---- what no deployment says

// The last error of the sizes that cannot be divided; nothing where nothing is one.
static void splits(void **state)
{
    (void)state;
    kvb_gate_judge_split(&gate, &found);
    assert_int_equal(findings.count, 0);
    (void)kvb_problem_add(&problems, KVB_ERROR, KVB_INDIVISIBLE, (struct kvb_place){0}, "first");
    (void)kvb_problem_add(&problems, KVB_ERROR, KVB_INDIVISIBLE, (struct kvb_place){0}, "second");
    (void)kvb_problem_add(&problems, KVB_WARNING, KVB_INDIVISIBLE, (struct kvb_place){0}, "third");
    found.settings[KVB_SET_PIPELINE_PARALLEL_SIZE].line = 12;
    kvb_gate_judge_split(&gate, &found);
    assert_int_equal(findings.count, 1);
    assert_string_equal(said(0), "second");
    assert_int_equal(findings.items[0].place.line, 12);
    found.settings[KVB_SET_TENSOR_PARALLEL_SIZE].line = 11;
    kvb_gate_judge_split(&gate, &found);
    assert_int_equal(findings.items[1].place.line, 11);
}

// A file that cannot be read is a case of its own, with each problem and the place of the first.
static void unreadable(void **state)
{
    (void)state;
    static struct kvb_problems none;
    kvb_problems_init(&none);
    kvb_gate_unreadable(&gate, &none);
    assert_int_equal(gate.cases.count, 1);
    assert_int_equal(gate.cases.items[0].place.line, 0);
    assert_int_equal(gate.cases.items[0].finding_count, 0);
    (void)kvb_problem_add(&problems, KVB_WARNING, KVB_BAD_SYNTAX, (struct kvb_place){.line = 4, .column = 2}, "a");
    (void)kvb_problem_add(&problems, KVB_ERROR, KVB_BAD_SYNTAX, (struct kvb_place){.line = 6, .column = 9}, "b");
    kvb_gate_unreadable(&gate, &problems);
    const struct kvb_check_case *each = &gate.cases.items[1];
    assert_int_equal(gate.cases.count, 2);
    assert_int_equal(each->verdict, KVB_CASE_ERROR);
    assert_int_equal(each->finding_count, 2);
    assert_int_equal(each->place.line, 4);
    assert_int_equal(each->place.column, 2);
    assert_int_equal(each->findings[1].place.line, 6);
    assert_int_equal(each->findings[1].place.column, 9);
    assert_int_equal(kvb_case_spot(each).line, 6); // of the error that decides
    assert_null(each->kind);
    assert_string_equal(each->file, "run.sh");
    assert_int_equal(gate.totals.errors, 1);
    assert_int_equal(gate.totals.passed, 1);
}

// What is missing counts as the policy says of what nobody knows; what is wrong is an error whatever it says.
static void unknown_or_wrong(void **state)
{
    static const struct {
        enum kvb_policy_unknown counts;
        enum kvb_status status;
        enum kvb_severity severity;
        const char *foreign;
        enum kvb_case_verdict verdict;
        unsigned findings;
    } rows[] = {
        {KVB_UNKNOWN_DEFAULT, KVB_MISSING_KEY, KVB_ERROR, NULL, KVB_CASE_ERROR, 1},
        {KVB_UNKNOWN_ERROR, KVB_MISSING_KEY, KVB_ERROR, NULL, KVB_CASE_ERROR, 1},
        {KVB_UNKNOWN_WARN, KVB_MISSING_KEY, KVB_ERROR, NULL, KVB_CASE_PASS, 1},
        {KVB_UNKNOWN_IGNORE, KVB_MISSING_KEY, KVB_ERROR, NULL, KVB_CASE_PASS, 0},
        {KVB_UNKNOWN_WARN, KVB_BAD_TYPE, KVB_ERROR, NULL, KVB_CASE_ERROR, 1},
        {KVB_UNKNOWN_IGNORE, KVB_BAD_TYPE, KVB_ERROR, NULL, KVB_CASE_ERROR, 1},
        {KVB_UNKNOWN_IGNORE, KVB_BAD_TYPE, KVB_ERROR, "another engine", KVB_CASE_PASS, 0}, // which is not known here
        {KVB_UNKNOWN_IGNORE, KVB_MISSING_KEY, KVB_WARNING, NULL, KVB_CASE_ERROR, 2},       // no warning answers it
    };
    static struct kvb_question flags;
    kvb_deployment_init(&flags.deployment);
    for (size_t i = 0; i < sizeof rows / sizeof rows[0]; i++) {
        assert_int_equal(begin(state), 0);
        gate.options.flags = &flags;
        gate.options.keeps_figures = true;
        policy.unknown = rows[i].counts;
        found.status = rows[i].status;
        found.foreign = rows[i].foreign;
        (void)kvb_problem_add(&found.problems, rows[i].severity, rows[i].status, (struct kvb_place){.line = 4}, "x");
        kvb_gate_found(&gate, &found);
        const struct kvb_check_case *each = &gate.cases.items[0];
        if (each->verdict != rows[i].verdict || each->finding_count != rows[i].findings) {
            fail_msg("row %zu: %d, %u", i, (int)each->verdict, (unsigned)each->finding_count);
        }
        assert_null(each->figures); // it was not answered
        assert_string_equal(each->text, "");
        assert_int_equal(gate.deployments, 1);
        assert_int_equal(end(state), 0);
    }
}

#define EACH(test) cmocka_unit_test_setup_teardown(test, begin, end)

KVB_TEST_MAIN(cmocka_unit_test(at_the_bound), EACH(three), cmocka_unit_test(gpu_counts), cmocka_unit_test(dated_flags),
              cmocka_unit_test(unknown_or_wrong), EACH(reasons), cmocka_unit_test(refusals), EACH(summaries),
              EACH(splits), EACH(unreadable))
