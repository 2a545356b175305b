// Two starts of one log compared: what the difference of their caches says of the card, and what one of them teaches.
#include "logs/lessons.h"
#include "unit/log_report.h"

static struct kvb_log_report one, other;

static void observe_in(struct kvb_log_report *of, enum kvb_observation what, int64_t value)
{
    of->observed[what] = (struct kvb_log_value){.set = true, .value = value};
}

static void state_in(struct kvb_log_report *of, enum kvb_setting setting, uint64_t number)
{
    kvb_settings_set(&of->settings, setting, number, KVB_ORIGIN_COMMAND);
}

static void start_with(struct kvb_log_report *of, int64_t utilization_ppm, int64_t pool_bytes)
{
    memset(of, 0, sizeof *of);
    of->engine = KVB_LOG_VLLM;
    of->release = V(19, 0);
    of->arguments_seen = true;
    observe_in(of, KVB_OBS_UTILIZATION, utilization_ppm);
    observe_in(of, KVB_OBS_KV_CACHE, pool_bytes);
    observe_in(of, KVB_OBS_WEIGHTS, 5 * GIB);
}

// 0.9 gives 10 GiB and 0.8 gives 7.6: 2.4 over 0.1 are 24.
static void two_starts(void)
{
    start_with(&one, 900000, 10 * GIB);
    start_with(&other, 800000, TENTHS(76));
}

static int64_t card(void)
{
    int64_t bytes = 0, back = 0;
    bool known = kvb_lesson_total(&one, &other, &bytes);
    bool again = kvb_lesson_total(&other, &one, &back);
    assert_int_equal(known, again); // which of the two is asked makes no difference
    assert_int_equal(known ? bytes : 0, again ? back : 0);
    return known ? bytes : 0;
}

// Pools apart by 2576980378 bytes (10 GiB - 8160437862) over 100000 millionths: 25769 x 10^6 + 80378 x 10.
static void card_from_two_starts(void **state)
{
    (void)state;
    two_starts();
    assert_int_equal(card(), INT64_C(25769803780));
    one.observed[KVB_OBS_WEIGHTS].set = other.observed[KVB_OBS_WEIGHTS].set = false;
    assert_int_equal(card(), 0); // nothing that is equal is known
    observe_in(&one, KVB_OBS_CONSUMED, 6 * GIB);
    assert_int_equal(card(), 0);
    observe_in(&other, KVB_OBS_CONSUMED, 6 * GIB);
    assert_int_equal(card(), INT64_C(25769803780));
    observe_in(&other, KVB_OBS_CONSUMED, 6 * GIB + 1);
    assert_int_equal(card(), 0);
}

static void no_card_from_two_starts(void **state)
{
    (void)state;
    static const int64_t pools[] = {INT64_C(1) << 40, -(INT64_C(1) << 40)};
    for (size_t i = 0; i < sizeof pools / sizeof pools[0]; i++) {
        two_starts();
        observe_in(&one, KVB_OBS_KV_CACHE, pools[i]);
        assert_int_equal(card(), 0);
    }
    two_starts();
    other.observed[KVB_OBS_KV_CACHE].set = false;
    assert_int_equal(card(), 0);
    two_starts();
    one.engine = other.engine = KVB_LOG_SGLANG; // whose share is another one
    assert_int_equal(card(), 0);
    one.engine = other.engine = KVB_LOG_TENSORRT; // which is not planned here
    assert_int_equal(card(), 0);
    two_starts();
    other.engine = KVB_LOG_UNKNOWN_ENGINE;
    assert_int_equal(card(), 0);
    two_starts();
    strcpy(other.model, "a/b");
    assert_int_equal(card(), 0);
    two_starts();
    other.release = V(18, 0);
    assert_int_equal(card(), 0);
    two_starts();
    state_in(&one, KVB_SET_KV_CACHE_MEMORY_BYTES, 1);
    state_in(&other, KVB_SET_KV_CACHE_MEMORY_BYTES, 1);
    assert_int_equal(card(), 0); // forced to a size
    two_starts();
    state_in(&one, KVB_SET_MAX_NUM_SEQS, 8);
    assert_int_equal(card(), 0); // differs as well
    state_in(&other, KVB_SET_MAX_NUM_SEQS, 8);
    assert_int_equal(card(), INT64_C(25769803780));
}

// Shares are at least 0.001 apart and at most 1, pools half a GiB; a card has between 1 GiB and 1 TiB.
static void cards_that_are_none(void **state)
{
    (void)state;
    static const struct {
        int64_t share, pool; // of a start beside one with 0.9 and 10 GiB
        int64_t card;
    } rows[] = {
        {899001, 10 * GIB - GIB / 2, 0},                     // 999 millionths
        {899000, 10 * GIB - GIB / 2, INT64_C(536870912000)}, // 0.5 GiB over 1000 millionths: 536870 x 10^6 + 912 x 1000
        {899000, 10 * GIB - GIB / 2 + 1, 0},
        {900000, 9 * GIB, 0},
        {1900000, 11 * GIB, GIB}, // 1 GiB over the whole
        {1900001, 11 * GIB, 0},
        {1900000, 11 * GIB - 1, 0},                                 // a byte less than 1 GiB
        {1000000, 10 * GIB + TENTHS(1024), INT64_C(1099511627770)}, // 102.4 GiB over 0.1, cut to whole bytes below
        {1000000, 10 * GIB + TENTHS(1025), 0},
        {1900000, 10 * GIB + (INT64_C(1) << 40), INT64_C(1) << 40}, // over the whole
        {1900000, 10 * GIB + (INT64_C(1) << 40) + 1, 0},
        {1000000, 9 * GIB, 0}, // more share and less cache
    };
    for (size_t i = 0; i < sizeof rows / sizeof rows[0]; i++) {
        start_with(&one, 900000, 10 * GIB);
        start_with(&other, rows[i].share, rows[i].pool);
        assert_int_equal(card(), rows[i].card);
    }
}

static void what_another_start_changed(void **state)
{
    (void)state;
    start_with(&one, 900000, 10 * GIB);
    start_with(&other, 900000, 10 * GIB);
    assert_false(kvb_lesson_change(&one, &other).known);
    state_in(&one, KVB_SET_MAX_NUM_SEQS, 256);
    struct kvb_log_lesson lesson = kvb_lesson_change(&one, &other);
    assert_true(lesson.known && lesson.from_set && !lesson.to_set);
    assert_int_equal(lesson.setting, KVB_SET_MAX_NUM_SEQS);
    assert_int_equal(lesson.from, 256);
    other.arguments_seen = false; // nobody knows what it was there
    assert_false(kvb_lesson_change(&one, &other).known);
    one.arguments_seen = false;
    other.arguments_seen = true;
    assert_false(kvb_lesson_change(&one, &other).known);
    state_in(&other, KVB_SET_MAX_NUM_SEQS, 64);
    lesson = kvb_lesson_change(&one, &other);
    assert_true(lesson.known && lesson.to_set);
    assert_int_equal(lesson.to, 64);
    state_in(&one, KVB_SET_MAX_MODEL_LEN, 1);
    state_in(&other, KVB_SET_MAX_MODEL_LEN, 2);
    assert_false(kvb_lesson_change(&one, &other).known); // two of them
}

static void learnt(enum kvb_failure kind, enum kvb_setting setting, uint64_t from, uint64_t to)
{
    start(KVB_LOG_VLLM, V(19, 0), kind);
    report.lesson = (struct kvb_log_lesson){.known = true,
                                            .setting = setting,
                                            .from_set = from > 0,
                                            .to_set = to > 0,
                                            .from = from,
                                            .to = to,
                                            .first_line = 20,
                                            .ready_line = 90};
}

// What the log proves is not called wrong; what points the other way may be.
static void the_proven_is_upheld(void **state)
{
    (void)state;
    learnt(KVB_FAILURE_OOM_LOAD, KVB_SET_MAX_NUM_SEQS, 256, 0);
    explain();
    helps("max-num-seqs", "not set", true,
          "worked at line 90 of this log: the start from line 20 differs in nothing else that is printed");
    assert_string_equal(remedy("max-num-seqs", "not set")->from, "256");
    assert_null(remedy("max-num-seqs", "lower"));
    learnt(KVB_FAILURE_OOM_LOAD, KVB_SET_MAX_NUM_SEQS, 256, 64);
    explain();
    helps("max-num-seqs", "64", true, "worked at line 90");
    assert_null(remedy("max-num-seqs", "lower"));
    learnt(KVB_FAILURE_OOM_LOAD, KVB_SET_MAX_NUM_SEQS, 64, 256);
    explain();
    helps("max-num-seqs", "256", true, "worked at line 90");
    helps("max-num-seqs", "lower", false, "weights do not depend on it");
    learnt(KVB_FAILURE_OOM_LOAD, KVB_SET_MAX_NUM_SEQS, 0, 256);
    explain();
    assert_string_equal(remedy("max-num-seqs", "256")->from, "not set");
    assert_null(remedy("max-num-seqs", "lower"));
    learnt(KVB_FAILURE_OOM_LOAD, KVB_SET_MAX_MODEL_LEN, 4096, 8192);
    explain();
    helps("max-model-len", "shorter", false, "weights do not depend on it");
    learnt(KVB_FAILURE_OOM_LOAD, KVB_SET_MAX_MODEL_LEN, 8192, 4096);
    explain();
    assert_null(remedy("max-model-len", "shorter"));
}

// Lowering 0.90 to 0.80 is called wrong, beside a start that worked at another share.
static void shares_point_up_or_down(void **state)
{
    (void)state;
    static const struct {
        uint64_t to;
        bool kept;
    } rows[] = {{950000, true}, {850000, false}};
    for (size_t i = 0; i < sizeof rows / sizeof rows[0]; i++) {
        learnt(KVB_FAILURE_NEGATIVE_KV, KVB_SET_GPU_MEMORY_UTILIZATION, 900000, rows[i].to);
        see(KVB_OBS_UTILIZATION, 900000);
        explain();
        assert_int_equal(remedy("gpu-memory-utilization", "0.80") != NULL, rows[i].kept);
        // The most of a card of 24 with 22.8 free, 0.95, is too little for a deficit of 2: 0.9 + 0.084.
        see(KVB_OBS_KV_CACHE, -2 * GIB);
        given.gpu_memory_bytes = (uint64_t)(24 * GIB);
        given.gpu_free_bytes = (uint64_t)TENTHS(230); // 0.958
        explain();
        assert_int_equal(remedy("gpu-memory-utilization", "0.958") != NULL, !rows[i].kept);
    }
    // Where too little is said to point anywhere, nothing wrong stays beside the proven.
    learnt(KVB_FAILURE_NEGATIVE_KV, KVB_SET_GPU_MEMORY_UTILIZATION, 900000, 900000);
    see(KVB_OBS_UTILIZATION, 900000);
    explain();
    assert_null(remedy("gpu-memory-utilization", "0.80"));
}

// What nobody said is the default of the release, where the arguments were printed.
static void shares_nobody_said(void **state)
{
    (void)state;
    uint64_t number = 0;
    start(KVB_LOG_VLLM, V(19, 0), KVB_FAILURE_NONE);
    assert_false(kvb_log_setting(&report, &given, KVB_SET_GPU_MEMORY_UTILIZATION, &number));
    report.arguments_seen = true;
    assert_true(kvb_log_setting(&report, &given, KVB_SET_GPU_MEMORY_UTILIZATION, &number));
    assert_int_equal(number, 900000);
    assert_false(kvb_log_setting(&report, &given, KVB_SET_MAX_NUM_SEQS, &number));
    log_states(KVB_SET_GPU_MEMORY_UTILIZATION, KVB_AUTO);
    kvb_settings_set(&given.settings, KVB_SET_GPU_MEMORY_UTILIZATION, KVB_AUTO, KVB_ORIGIN_FLAG);
    assert_true(kvb_log_setting(&report, &given, KVB_SET_GPU_MEMORY_UTILIZATION, &number));
    assert_int_equal(number, 900000);
    see(KVB_OBS_UTILIZATION, 0); // no share: an engine that was not asked yet
    assert_true(kvb_log_setting(&report, &given, KVB_SET_GPU_MEMORY_UTILIZATION, &number));
    assert_int_equal(number, 900000);
    report.release = 0;
    assert_false(kvb_log_setting(&report, &given, KVB_SET_GPU_MEMORY_UTILIZATION, &number));
    report.release = V(19, 0);
    report.engine = KVB_LOG_TENSORRT;
    assert_false(kvb_log_setting(&report, &given, KVB_SET_GPU_MEMORY_UTILIZATION, &number));
    // Parts of nothing are nothing, and so are parts below it.
    assert_int_equal(kvb_share_ppm(GIB, 1023, true), 0);
    assert_int_equal(kvb_share_ppm(-GIB, GIB, true), 0);
    assert_int_equal(kvb_share_ppm(GIB, 3 * GIB, false), 333333);
    assert_int_equal(kvb_share_ppm(GIB, 3 * GIB, true), 333334);
    assert_int_equal(kvb_share_ppm(GIB, 4 * GIB, true), 250000);
}

KVB_TEST_MAIN(cmocka_unit_test(card_from_two_starts), cmocka_unit_test(no_card_from_two_starts),
              cmocka_unit_test(cards_that_are_none), cmocka_unit_test(what_another_start_changed),
              cmocka_unit_test(the_proven_is_upheld), cmocka_unit_test(shares_point_up_or_down),
              cmocka_unit_test(shares_nobody_said))
