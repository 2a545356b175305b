// Rows of a sweep by hand: which beats which, what a condition lets through, how figures and values are written and
// read.
#include <stdio.h>
#include <string.h>

#include <kvbudget/sweep.h>

#include "answer/sweep_values.h"
#include "unit/test.h"

#define GIB (INT64_C(1) << 30)

static struct kvb_sweep sweep;
static char why[256];

static struct kvb_sweep_row row_of(uint64_t gpus, uint64_t length, uint64_t requests)
{
    return (struct kvb_sweep_row){
        .gpus = gpus, .max_model_len_that_fits = length, .max_model_len = 7, .max_concurrency_hundredths = requests};
}

// No worse in anything and better in something.
static void beats(void **state)
{
    (void)state;
    static const struct {
        uint64_t gpus, length, requests; // beside 2 GPUs, 1000 tokens and 100 hundredths
        bool beats, is_beaten;
    } rows[] = {
        {2, 1000, 100, false, false}, {1, 1000, 100, true, false}, {3, 1000, 100, false, true},
        {2, 1001, 100, true, false},  {2, 999, 100, false, true},  {2, 1000, 101, true, false},
        {2, 1000, 99, false, true},   {1, 999, 100, false, false}, {1, 1000, 99, false, false},
        {3, 1001, 101, false, false}, {2, 1001, 99, false, false}, {1, 1001, 101, true, false},
    };
    const struct kvb_sweep_row other = row_of(2, 1000, 100);
    memset(&sweep, 0, sizeof sweep);
    for (size_t i = 0; i < sizeof rows / sizeof rows[0]; i++) {
        const struct kvb_sweep_row row = row_of(rows[i].gpus, rows[i].length, rows[i].requests);
        if (kvb_sweep_beats(&sweep, &row, &other) != rows[i].beats ||
            kvb_sweep_beats(&sweep, &other, &row) != rows[i].is_beaten) {
            fail_msg("row %zu", i);
        }
    }
}

// Where lengths vary, the length that is asked for counts; rows of two models are two things.
static void beats_by_axes(void **state)
{
    (void)state;
    struct kvb_sweep_row longer = row_of(2, 10, 100), shorter = row_of(2, 1000, 100);
    longer.max_model_len = 9;
    memset(&sweep, 0, sizeof sweep);
    sweep.axis_count = 1;
    sweep.axes[0] = (struct kvb_sweep_axis){.kind = KVB_SWEEP_SETTING, .setting = KVB_SET_MAX_MODEL_LEN, .count = 2};
    assert_true(kvb_sweep_beats(&sweep, &longer, &shorter));
    assert_false(kvb_sweep_beats(&sweep, &shorter, &longer));
    sweep.axes[0].setting = KVB_SET_MAX_NUM_SEQS;
    assert_true(kvb_sweep_beats(&sweep, &shorter, &longer));
    sweep.axes[0] = (struct kvb_sweep_axis){.kind = KVB_SWEEP_MODEL, .count = 2};
    assert_true(kvb_sweep_beats(&sweep, &shorter, &longer)); // of one model
    longer.index = 1;
    assert_false(kvb_sweep_beats(&sweep, &shorter, &longer));
    sweep.axes[0].kind = KVB_SWEEP_GPU;
    assert_true(kvb_sweep_beats(&sweep, &shorter, &longer));
}

static void digits(void **state)
{
    (void)state;
    memset(&sweep, 0, sizeof sweep);
    assert_int_equal(kvb_sweep_count(&sweep), 1);
    sweep.axis_count = 3;
    for (uint32_t i = 0; i < 3; i++) {
        sweep.axes[i].count = 2 + i;
    }
    assert_int_equal(kvb_sweep_count(&sweep), 24);
    assert_int_equal(kvb_sweep_digit(&sweep, 0, 23), 1); // 23 = 1 x 12 + 2 x 4 + 3
    assert_int_equal(kvb_sweep_digit(&sweep, 1, 23), 2);
    assert_int_equal(kvb_sweep_digit(&sweep, 2, 23), 3);
    assert_int_equal(kvb_sweep_digit(&sweep, 0, 11), 0); // 11 = 2 x 4 + 3
    assert_int_equal(kvb_sweep_digit(&sweep, 1, 11), 2);
    assert_int_equal(kvb_sweep_digit(&sweep, 1, 4), 1);
    assert_int_equal(kvb_sweep_digit(&sweep, 2, 4), 0);
}

static void conditions(void **state)
{
    (void)state;
    static const struct {
        const char *text;
        bool below, equal, above; // what holds of tokens of 9, 10 and 11
    } rows[] = {
        {"tokens < 10", true, false, false},  {"tokens > 10", false, false, true}, {"tokens = 10", false, true, false},
        {"tokens <= 10", true, true, false},  {"tokens >= 10", false, true, true}, {"tokens != 10", true, false, true},
        {"tokens == 10", false, true, false}, {"tokens>=10", false, true, true},
    };
    for (size_t i = 0; i < sizeof rows / sizeof rows[0]; i++) {
        struct kvb_sweep_condition condition;
        assert_true(kvb_sweep_condition_parse(rows[i].text, &condition, why));
        for (uint64_t tokens = 9; tokens < 12; tokens++) {
            const struct kvb_sweep_row row = {.tokens = tokens};
            bool wanted = tokens == 9 ? rows[i].below : tokens == 10 ? rows[i].equal : rows[i].above;
            if (kvb_sweep_condition_holds(&condition, &row) != wanted) {
                fail_msg("%s: %u", rows[i].text, (unsigned)tokens);
            }
        }
    }
    static const char *const wrong[] = {"",
                                        "tokens",
                                        "tokens 10",
                                        "tokens =",
                                        "tokens <> 10",
                                        "tokens === 10",
                                        "tokens ! 10",
                                        "= 10",
                                        "nothing = 1",
                                        "tokens = x",
                                        "tokens =< 10",
                                        "verdict = yes",
                                        "pool = 12 apples",
                                        "tokens10",
                                        "a_name_that_is_longer_than_any_figure = 1"};
    for (size_t i = 0; i < sizeof wrong / sizeof wrong[0]; i++) {
        struct kvb_sweep_condition condition;
        if (kvb_sweep_condition_parse(wrong[i], &condition, why)) {
            fail_msg("'%s'", wrong[i]);
        }
        assert_non_null(strstr(why, "is no condition"));
    }
}

// Each figure by its name, of a row in which all differ.
static void figures(void **state)
{
    (void)state;
    static const struct kvb_sweep_row row = {.verdict = KVB_TIGHT,
                                             .tokens = 1234,
                                             .max_concurrency_hundredths = 123456,
                                             .kv_cache_bytes = 3 * GIB,
                                             .slack_bytes = -GIB,
                                             .max_model_len_that_fits = 4096,
                                             .balance_bytes = GIB / 2,
                                             .gpus = 8};
    static const struct {
        const char *name, *text, *condition;
    } rows[] = {
        {"verdict", "tight", "verdict = tight"},
        {"tokens", "1,234", "tokens = 1234"},
        {"concurrency", "1,234.56", "concurrency = 1234.56"},
        {"pool", "3.00", "pool = 3GiB"},
        {"slack", "-1.00", "slack < 0"},
        {"length", "4,096", "length = 4096"},
        {"balance", "0.50", "balance = 512MiB"},
        {"gpus", "8", "gpus = 8"},
    };
    for (size_t i = 0; i < sizeof rows / sizeof rows[0]; i++) {
        enum kvb_sweep_figure figure;
        struct kvb_sweep_condition condition;
        char text[48];
        assert_true(kvb_sweep_figure_find(rows[i].name, &figure));
        assert_string_equal(kvb_sweep_figure_name(figure), rows[i].name);
        assert_string_equal(kvb_sweep_figure_format(text, figure, kvb_sweep_figure_of(&row, figure)), rows[i].text);
        if (!kvb_sweep_condition_parse(rows[i].condition, &condition, why)) {
            fail_msg("%s: %s", rows[i].condition, why);
        }
        assert_true(kvb_sweep_condition_holds(&condition, &row));
    }
    char text[48];
    assert_string_equal(kvb_sweep_figure_format(text, KVB_SWEEP_FIGURE_CONCURRENCY, 705), "7.05");
    assert_string_equal(kvb_sweep_figure_format(text, KVB_SWEEP_FIGURE_CONCURRENCY, 100), "1.00");
    assert_string_equal(kvb_sweep_figure_format(text, KVB_SWEEP_FIGURE_VERDICT, 0), "no");
    assert_string_equal(kvb_sweep_figure_format(text, KVB_SWEEP_FIGURE_VERDICT, 2), "fits");
    assert_null(kvb_sweep_figure_name(KVB_SWEEP_FIGURE_COUNT));
}

// ---- values

static struct kvb_sweep_value values[KVB_SWEEP_VALUES_MAX];

static const char *read_values(enum kvb_sweep_kind kind, enum kvb_setting setting, const char *text)
{
    static char joined[512];
    struct kvb_sweep_axis axis = {.kind = kind, .setting = setting, .values = values};
    joined[0] = '\0';
    if (!kvb_sweep_values_read(&axis, text, why)) {
        return NULL;
    }
    for (uint32_t i = 0; i < axis.count; i++) {
        size_t used = strlen(joined);
        (void)snprintf(joined + used, sizeof joined - used, "%s%s", i > 0 ? " " : "", values[i].text);
    }
    return joined;
}

static void ranges(void **state)
{
    (void)state;
    static const struct {
        enum kvb_setting setting;
        const char *text, *values; // NULL: refused
    } rows[] = {
        {KVB_SET_MAX_NUM_SEQS, "1..8", "1 2 4 8"}, // doubled
        {KVB_SET_MAX_NUM_SEQS, "1..7", "1 2 4"},
        {KVB_SET_MAX_NUM_SEQS, "3..3", "3"},
        {KVB_SET_MAX_NUM_SEQS, "1..9:x3", "1 3 9"},
        {KVB_SET_MAX_NUM_SEQS, "1..9:+4", "1 5 9"},
        {KVB_SET_MAX_NUM_SEQS, "2..9:+3", "2 5 8"},
        {KVB_SET_MAX_NUM_SEQS, "1,5..6:+1,9", "1 5 6 9"},
        {KVB_SET_MAX_NUM_SEQS, "8..1", NULL},
        {KVB_SET_MAX_NUM_SEQS, "1..9:x1", NULL},
        {KVB_SET_MAX_NUM_SEQS, "1..9:+0", NULL},
        {KVB_SET_MAX_NUM_SEQS, "1..9:3", NULL},
        {KVB_SET_MAX_NUM_SEQS, "1..9:y3", NULL},
        {KVB_SET_MAX_NUM_SEQS, "1,2,1", NULL},
        {KVB_SET_MAX_NUM_SEQS, "1,,2", NULL},
        {KVB_SET_MAX_NUM_SEQS, "", NULL},
        {KVB_SET_MAX_NUM_SEQS, "1,", NULL},
        {KVB_SET_CPU_OFFLOAD_GB, "0..4", NULL}, // nothing is not doubled
        {KVB_SET_ENFORCE_EAGER, "false..true", NULL},
        {KVB_SET_MAX_MODEL_LEN, "4096..auto", NULL},
        {KVB_SET_GPU_MEMORY_UTILIZATION, "0.8..0.9:+0.05", "0.80 0.85 0.90"},
    };
    for (size_t i = 0; i < sizeof rows / sizeof rows[0]; i++) {
        const char *read = read_values(KVB_SWEEP_SETTING, rows[i].setting, rows[i].text);
        bool right = rows[i].values == NULL ? read == NULL : read != NULL && strcmp(read, rows[i].values) == 0;
        if (!right) {
            fail_msg("%s: '%s'", rows[i].text, read != NULL ? read : why);
        }
    }
    assert_string_equal(read_values(KVB_SWEEP_GPU, KVB_SET_MAX_NUM_SEQS, "l4,1..2"), "l4 1..2"); // a name has no range
    assert_null(read_values(KVB_SWEEP_GPU, KVB_SET_MAX_NUM_SEQS, "l4,L4"));
    assert_non_null(strstr(why, "'L4' is there twice"));
    char text[32];
    (void)snprintf(text, sizeof text, "1..%d:+1", KVB_SWEEP_VALUES_MAX);
    assert_non_null(read_values(KVB_SWEEP_SETTING, KVB_SET_MAX_NUM_SEQS, text));
    (void)snprintf(text, sizeof text, "1..%d:+1", KVB_SWEEP_VALUES_MAX + 1);
    assert_null(read_values(KVB_SWEEP_SETTING, KVB_SET_MAX_NUM_SEQS, text));
    static char name[KVB_NAME_CAPACITY + 1];
    for (size_t length = KVB_NAME_CAPACITY - 1; length <= KVB_NAME_CAPACITY; length++) {
        memset(name, 'm', length);
        name[length] = '\0';
        struct kvb_sweep_axis axis = {.kind = KVB_SWEEP_MODEL, .values = values};
        bool fits = length < KVB_NAME_CAPACITY && length < sizeof values[0].text;
        assert_int_equal(kvb_sweep_values_read(&axis, name, why), fits);
    }
}

KVB_TEST_MAIN(cmocka_unit_test(beats), cmocka_unit_test(beats_by_axes), cmocka_unit_test(digits),
              cmocka_unit_test(conditions), cmocka_unit_test(figures), cmocka_unit_test(ranges))
