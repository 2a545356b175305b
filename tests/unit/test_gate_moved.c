// What moved between two cases made by hand: each figure alone, each way a flag may come, go and change, and findings
// where there are no figures.
#include <stdio.h>
#include <string.h>

#include "gate/gate.h"
#include "unit/test.h"

#define GIB (INT64_C(1) << 30)

static struct kvb_gate gate;
static struct kvb_moved scratch[KVB_MOVED_MAX];
static struct kvb_case_figures old_figures, new_figures;
static struct kvb_check_case old_case, new_case;
static char said[512];

static int begin(void **state)
{
    (void)state;
    memset(&gate, 0, sizeof gate);
    kvb_arena_init(&gate.arena);
    old_figures = (struct kvb_case_figures){.model = "M",
                                            .engine = "vllm 0.11.0",
                                            .gpus = "1 x L4",
                                            .weights_bytes = 4 * GIB,
                                            .kv_cache_bytes = 8 * GIB,
                                            .needed_bytes = (uint64_t)(2 * GIB),
                                            .length_tokens = 4096,
                                            .concurrency_hundredths = 400};
    new_figures = old_figures;
    old_case =
        (struct kvb_check_case){.file = "a.sh", .kind = "command", .name = "n", .text = "old", .figures = &old_figures};
    new_case = old_case;
    new_case.text = "new";
    new_case.figures = &new_figures;
    return 0;
}

static int end(void **state)
{
    (void)state;
    kvb_arena_free(&gate.arena);
    return 0;
}

// "WHAT BEFORE>AFTER@LINE;"
static const char *moved(const struct kvb_check_case *before, const struct kvb_check_case *after)
{
    struct kvb_case_change change = {.before = before, .after = after};
    kvb_gate_say_moved(&gate, &change, scratch);
    said[0] = '\0';
    for (uint32_t i = 0; i < change.moved_count; i++) {
        const struct kvb_moved *each = &change.moved[i];
        (void)snprintf(said + strlen(said), sizeof said - strlen(said), "%s %s>%s@%u;", each->what,
                       each->before != NULL ? each->before : "-", each->after != NULL ? each->after : "-",
                       (unsigned)each->line);
    }
    return said;
}

static const char *moves(void)
{
    return moved(&old_case, &new_case);
}

static void figures(void **state)
{
    (void)state;
    assert_string_equal(moves(), ""); // that the sentences differ tells nothing where figures are
    new_figures.model = "N";
    assert_string_equal(moves(), "model M>N@0;");
    new_figures.model = "M";
    new_figures.gpus = "2 x L4";
    assert_string_equal(moves(), "GPUs 1 x L4>2 x L4@0;");
    new_figures.gpus = "1 x L4";
    new_figures.engine = "vllm 0.12.0";
    assert_string_equal(moves(), "engine vllm 0.11.0>vllm 0.12.0@0;");
    new_figures.engine = "vllm 0.11.0";
    new_figures.weights_bytes = 5 * GIB;
    assert_string_equal(moves(), "weights 4.00 GiB>5.00 GiB@0;");
    new_figures.weights_bytes = 4 * GIB;
    new_figures.kv_cache_bytes = -GIB;
    assert_string_equal(moves(), "KV cache 8.00 GiB>-1.00 GiB@0;");
    new_figures.kv_cache_bytes = 8 * GIB;
    new_figures.needed_bytes = (uint64_t)GIB;
    assert_string_equal(moves(), "one request needs 2.00 GiB>1.00 GiB@0;");
    new_figures.needed_bytes = (uint64_t)(2 * GIB);
    new_figures.length_tokens = 8192;
    assert_string_equal(moves(), "longest request, tokens 4,096>8,192@0;");
    new_figures.length_tokens = 4096;
    new_figures.concurrency_hundredths = 1205;
    assert_string_equal(moves(), "requests at once 4.00>12.05@0;");
    old_figures.concurrency_hundredths = 1207;
    assert_string_equal(moves(), "requests at once 12.07>12.05@0;");
    new_figures.concurrency_hundredths = 1207;
    new_figures.requested_bytes = 7; // which follow from the others
    new_figures.balance_bytes = 7;
    assert_string_equal(moves(), "");
    new_case.file = "b.sh";
    new_case.name = "m";
    assert_string_equal(moves(), "file a.sh>b.sh@0;name n>m@0;");
}

static void set_settings(const struct kvb_case_setting *before, uint32_t before_count,
                         const struct kvb_case_setting *after, uint32_t after_count)
{
    old_figures.settings = before;
    old_figures.setting_count = before_count;
    new_figures.settings = after;
    new_figures.setting_count = after_count;
}

static void flags(void **state)
{
    (void)state;
    static const struct kvb_case_setting lengths[] = {{KVB_SET_MAX_MODEL_LEN, 4096, {3, 1}},
                                                      {KVB_SET_MAX_MODEL_LEN, 8192, {4, 1}}};
    static const struct kvb_case_setting eager[] = {{KVB_SET_ENFORCE_EAGER, 1, {5, 1}},
                                                    {KVB_SET_ENFORCE_EAGER, 0, {6, 1}}};
    static const struct kvb_case_setting both[] = {{KVB_SET_MAX_NUM_SEQS, 8, {7, 1}},
                                                   {KVB_SET_MAX_MODEL_LEN, 4096, {8, 1}}};
    set_settings(lengths, 1, lengths + 1, 1);
    assert_string_equal(moves(), "--max-model-len 4096>8192@4;");
    set_settings(lengths, 1, lengths, 1);
    assert_string_equal(moves(), "");
    set_settings(NULL, 0, lengths, 1);
    assert_string_equal(moves(), "--max-model-len ->4096@3;");
    set_settings(lengths, 1, NULL, 0);
    assert_string_equal(moves(), "--max-model-len 4096>-@0;");
    set_settings(eager, 1, eager + 1, 1);
    assert_string_equal(moves(), "--enforce-eager --enforce-eager>--no-enforce-eager@6;");
    set_settings(eager + 1, 1, eager, 1);
    assert_string_equal(moves(), "--enforce-eager --no-enforce-eager>--enforce-eager@5;");
    set_settings(NULL, 0, eager + 1, 1);
    assert_string_equal(moves(), "--no-enforce-eager ->--no-enforce-eager@6;");
    set_settings(lengths, 1, both, 2); // in another order, and one more
    assert_string_equal(moves(), "--max-num-seqs ->8@7;");
    set_settings(both, 2, lengths + 1, 1);
    assert_string_equal(moves(), "--max-model-len 4096>8192@4;--max-num-seqs 8>-@0;");
}

// Of cases without figures what is said, while the verdict is the same; of one alone nothing.
static void findings(void **state)
{
    (void)state;
    static const struct kvb_check_finding first = {.rule = KVB_CHECK_INPUT, .severity = KVB_ERROR, .text = "no model"};
    static const struct kvb_check_finding second = {.rule = KVB_CHECK_INPUT, .severity = KVB_ERROR, .text = "no GPU"};
    new_case.figures = NULL;
    assert_string_equal(moves(), "finding old>new@0;");
    new_case.figures = &new_figures;
    old_case.figures = NULL;
    assert_string_equal(moves(), "finding old>new@0;");
    new_case.figures = NULL;
    assert_string_equal(moves(), "finding old>new@0;");
    new_case.verdict = KVB_CASE_FAIL;
    assert_string_equal(moves(), "");
    old_case.verdict = new_case.verdict = KVB_CASE_ERROR;
    old_case.findings = &first;
    new_case.findings = &second;
    old_case.finding_count = new_case.finding_count = 1;
    assert_string_equal(moves(), "finding no model>no GPU@0;");
    new_case.findings = &first;
    assert_string_equal(moves(), "");
    old_case.figures = &old_figures;
    new_case.figures = &new_figures;
    assert_string_equal(moved(NULL, &new_case), "");
    assert_string_equal(moved(&old_case, NULL), "");
}

// ---- the finding that decides

static void reasons(void **state)
{
    (void)state;
    static const struct kvb_check_finding rows[] = {
        {.rule = KVB_CHECK_INPUT, .severity = KVB_WARNING, .place = {1, 1}, .text = "only said"},
        {.rule = KVB_CHECK_FITS, .severity = KVB_ERROR, .waived = true, .place = {2, 1}, .text = "waived"},
        {.rule = KVB_CHECK_FITS, .severity = KVB_ERROR, .place = {3, 1}, .text = "does not fit"},
        {.rule = KVB_CHECK_INPUT, .severity = KVB_ERROR, .text = "not understood"},
        {.rule = KVB_CHECK_INPUT, .severity = KVB_ERROR, .place = {5, 1}, .text = "nor this"},
    };
    new_case.findings = rows;
    new_case.finding_count = 5;
    new_case.place.line = 9;
    assert_null(kvb_case_reason(&new_case)); // it passes
    assert_int_equal(kvb_case_spot(&new_case).line, 9);
    new_case.verdict = KVB_CASE_FAIL;
    assert_ptr_equal(kvb_case_reason(&new_case), &rows[2]);
    assert_int_equal(kvb_case_spot(&new_case).line, 3);
    new_case.verdict = KVB_CASE_ERROR;
    assert_ptr_equal(kvb_case_reason(&new_case), &rows[3]);
    assert_int_equal(kvb_case_spot(&new_case).line, 9); // it has no place of its own
    new_case.finding_count = 3;
    assert_null(kvb_case_reason(&new_case));
}

#define EACH(test) cmocka_unit_test_setup_teardown(test, begin, end)

KVB_TEST_MAIN(EACH(figures), EACH(flags), EACH(findings), EACH(reasons))
