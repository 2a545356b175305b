// Checks and remedies from figures alone, second part: what 0.27 prints as one figure, shares that are too low, and
// what is said where a figure is missing. All sums are by hand, in GiB, beside the case.
#include "unit/log_report.h"

#define SHARE "gpu-memory-utilization"
#define POOL "KV cache = requested - weights - activation - outside PyTorch"
#define POOL_OF_CONSUMED "KV cache = requested - consumed - activation"

// As four public logs of 0.27 print them, in hundredths of a GiB: 172.52 - 11.88 - 5.59 = 155.05 beside 155.04 and so
// on.
static void pool_of_consumed(void **state)
{
    (void)state;
    static const struct {
        int64_t requested, consumed, peak, pool, computed;
    } rows[] = {{17252, 1188, 559, 15504, 15505},
                {8642, 6450, 419, 1773, 1773},
                {9212, 8170, 178, 864, 864},
                {1680, 1070, 154, 455, 456}};
    static const enum kvb_observation terms[] = {KVB_OBS_REQUESTED, KVB_OBS_KV_CACHE, KVB_OBS_CONSUMED,
                                                 KVB_OBS_ACTIVATION};
#define HUNDREDTHS(number) ((number) * (GIB / 100))
    for (size_t i = 0; i < sizeof rows / sizeof rows[0]; i++) {
        start(KVB_LOG_VLLM, V(27, 0), KVB_FAILURE_NONE);
        see(KVB_OBS_REQUESTED, HUNDREDTHS(rows[i].requested));
        see(KVB_OBS_CONSUMED, HUNDREDTHS(rows[i].consumed));
        see(KVB_OBS_ACTIVATION, HUNDREDTHS(rows[i].peak));
        see(KVB_OBS_KV_CACHE, HUNDREDTHS(rows[i].pool));
        see(KVB_OBS_GRAPH_ESTIMATE, GIB); // inside the peak
        explain();
        computed(POOL_OF_CONSUMED, HUNDREDTHS(rows[i].computed), 1);
        see(KVB_OBS_WEIGHTS, GIB); // inside what is consumed, as is what lies outside PyTorch
        see(KVB_OBS_NON_TORCH, GIB);
        explain();
        computed(POOL_OF_CONSUMED, HUNDREDTHS(rows[i].computed), 1);
        assert_null(check(POOL));
    }
    see(KVB_OBS_KV_CACHE, HUNDREDTHS(456) + 4 * (GIB * 5 / 1000)); // four figures of two decimals
    explain();
    computed(POOL_OF_CONSUMED, HUNDREDTHS(456), 1);
    see(KVB_OBS_KV_CACHE, HUNDREDTHS(456) + 4 * (GIB * 5 / 1000) + 1);
    explain();
    computed(POOL_OF_CONSUMED, HUNDREDTHS(456), 0);
    forget(KVB_OBS_WEIGHTS);
    for (size_t i = 0; i < sizeof terms / sizeof terms[0]; i++) {
        forget(terms[i]);
        explain();
        assert_null(check(POOL_OF_CONSUMED));
        report.observed[terms[i]].set = true;
    }
    log_states(KVB_SET_KV_CACHE_MEMORY_BYTES, (uint64_t)GIB);
    explain();
    assert_null(check(POOL_OF_CONSUMED));
}

// vLLM 0.27.1 on a card of 32 GiB: 30.10 - 14.94 - 4.81 = 10.35 GiB of KV cache, and in the peak of 4.81 the estimate of
// 3.51 (gpu_worker.py v0.27.1: peak_activation_memory = transient_peak_headroom + cudagraph_memory_estimate_applied).
static void parted_peak(void **state)
{
    (void)state;
    static const struct {
        bool charged, estimate;
        int64_t peak;
    } rows[] = {{true, true, 130}, {false, true, 481}, {true, false, 481}};
    for (size_t i = 0; i < sizeof rows / sizeof rows[0]; i++) {
        start(KVB_LOG_VLLM, V(27, 1), KVB_FAILURE_NONE);
        report.notes[KVB_NOTE_GRAPHS_NOT_CHARGED] = !rows[i].charged;
        see(KVB_OBS_REQUESTED, HUNDREDTHS(3010));
        see(KVB_OBS_CONSUMED, HUNDREDTHS(1494));
        see(KVB_OBS_PEAK_WITH_GRAPHS, HUNDREDTHS(481));
        see(KVB_OBS_ACTIVATION, HUNDREDTHS(481)); // as it is read, before anything is said of graphs
        see(KVB_OBS_KV_CACHE, HUNDREDTHS(1035));
        if (rows[i].estimate) {
            see(KVB_OBS_GRAPH_ESTIMATE, HUNDREDTHS(351));
        }
        for (unsigned again = 0; again < 2; again++) { // explained twice, it is parted once
            explain();
            assert_int_equal(report.observed[KVB_OBS_ACTIVATION].value, HUNDREDTHS(rows[i].peak));
            bool parted = rows[i].charged && rows[i].estimate;
            computed(parted ? POOL_OF_CONSUMED " - graph estimate" : POOL_OF_CONSUMED, HUNDREDTHS(1035), 1);
        }
    }
    see(KVB_OBS_GRAPH_ESTIMATE, HUNDREDTHS(482)); // more than the peak holds
    explain();
    assert_int_equal(report.observed[KVB_OBS_ACTIVATION].value, HUNDREDTHS(481));
}

// 0.2 of 24 are 4.8 GiB: the message was answered the wrong way round.
static void lowered_shares(void **state)
{
    (void)state;
    start(KVB_LOG_VLLM, V(19, 0), KVB_FAILURE_NEGATIVE_KV);
    see(KVB_OBS_UTILIZATION, 200000);
    explain();
    helps(SHARE, "higher", true, "weights, peak and KV cache must all fit into this share; utilization was lowered");
    given.gpu_memory_bytes = (uint64_t)(24 * GIB);
    explain();
    helps(
        SHARE, "higher", true,
        "0.20 of 24.00 GiB is 4.80 GiB, which must hold weights, peak and cache; utilization was lowered although the "
        "message asks for more");
    see(KVB_OBS_WEIGHTS, 10 * GIB);
    explain();
    helps(SHARE, "higher", true, "is 4.80 GiB, below the weights alone (10.00 GiB); utilization was lowered");
    see(KVB_OBS_REQUESTED, 10 * GIB); // as much as the weights is not below them
    explain();
    helps(SHARE, "higher", true, "is 10.00 GiB, which must hold weights, peak and cache; utilization was lowered");
    see(KVB_OBS_REQUESTED, 10 * GIB - 1);
    explain();
    helps(SHARE, "higher", true, "below the weights alone (10.00 GiB)");
    see(KVB_OBS_UTILIZATION, 300000); // no less than many a small model needs
    explain();
    helps(SHARE, "higher", true,
          "the KV cache is what the request leaves after weights and peak: only a larger request "
          "or smaller terms help");
    see(KVB_OBS_UTILIZATION, 299999);
    explain();
    helps(SHARE, "higher", true, "utilization was lowered although the message asks for more");
}

// With what was free known, the most that a start accepts is said: 21 of 24 are 0.875.
static void most_that_is_accepted(void **state)
{
    (void)state;
    start(KVB_LOG_VLLM, V(19, 0), KVB_FAILURE_NEGATIVE_KV);
    see(KVB_OBS_UTILIZATION, 800000);
    given.gpu_free_bytes = (uint64_t)(21 * GIB);
    explain(); // of a card that nobody knows
    helps(SHARE, "higher", true, "or smaller terms help; give --gpu-memory for the arithmetic");
    given.gpu_memory_bytes = (uint64_t)(24 * GIB);
    explain();
    helps(SHARE, "0.875", true,
          "the KV cache is what the request leaves after weights and peak: only a larger request");
    given.gpu_free_bytes = (uint64_t)(24 * GIB); // all of it is no bound
    explain();
    helps(SHARE, "higher", true, "the KV cache is what the request leaves");
    given.gpu_free_bytes = (uint64_t)(25 * GIB); // nor is more than there is
    explain();
    helps(SHARE, "higher", true, "the KV cache is what the request leaves");
}

// What is missing over the share that is left: 2 GiB over 0.1 are a card of 20.
static void size_of_card(void **state)
{
    (void)state;
    start(KVB_LOG_VLLM, V(19, 0), KVB_FAILURE_NEGATIVE_KV);
    see(KVB_OBS_UTILIZATION, 900000);
    see(KVB_OBS_KV_CACHE, -2 * GIB);
    explain(); // and a little more than 2: something has to be left for the cache, 1 MiB
    helps(SHARE, "higher", true,
          "helps only on a card of 21 GiB or more: the deficit is 2.00 GiB and 0.10 of the card");
    see(KVB_OBS_KV_CACHE, -2 * GIB + MIB);
    explain();
    helps(SHARE, "higher", true,
          "helps only on a card of 20 GiB or more: the deficit is 2.00 GiB and 0.10 of the card");
    see(KVB_OBS_KV_CACHE, MIB); // nothing is missing
    explain();
    helps(SHARE, "higher", true, "the KV cache is what the request leaves");
    see(KVB_OBS_KV_CACHE, MIB - 1); // a byte is: any card helps
    explain();
    helps(SHARE, "higher", true, "helps only on a card of 1 GiB or more: the deficit is 0.00 GiB");
    see(KVB_OBS_KV_CACHE, MIB - (INT64_C(1) << 42));
    explain();
    helps(SHARE, "higher", true, "helps only on a card of 40960 GiB or more"); // 4096 over a tenth
    see(KVB_OBS_KV_CACHE, MIB - (INT64_C(1) << 42) - 1);                       // no machine lacks that
    explain();
    helps(SHARE, "higher", true, "the KV cache is what the request leaves");
    see(KVB_OBS_UTILIZATION, 300000); // 751619278 x 10 / 7 = 1 GiB and a byte
    see(KVB_OBS_KV_CACHE, MIB - 751619278);
    explain();
    helps(SHARE, "higher", true, "helps only on a card of 2 GiB or more");
    see(KVB_OBS_KV_CACHE, MIB - 751619277); // and without that byte
    explain();
    helps(SHARE, "higher", true, "helps only on a card of 1 GiB or more");
    forget(KVB_OBS_UTILIZATION);
    see(KVB_OBS_KV_CACHE, -2 * GIB);
    explain();
    helps(SHARE, "higher", true, "the KV cache is what the request leaves");
    see(KVB_OBS_UTILIZATION, KVB_PPM); // nothing of the card is left
    explain();
    helps(SHARE, "higher", true, "the KV cache is what the request leaves");
    see(KVB_OBS_UTILIZATION, 900000);
    see(KVB_OBS_NEEDED, 3 * GIB); // with a need of 3, 5 are missing
    explain();
    helps(SHARE, "higher", true, "helps only on a card of 50 GiB or more: the deficit is 5.00 GiB");
    // With requested known and the card not, the sum cannot be made.
    forget(KVB_OBS_NEEDED);
    see(KVB_OBS_REQUESTED, 20 * GIB);
    explain();
    helps(SHARE, "higher", true, "helps only on a card of 21 GiB or more");
}

// A request of its own that does not fit: the sum with the whole card, or what is missing where a part is not known.
static void shares_for_one_request(void **state)
{
    (void)state;
    start(KVB_LOG_VLLM, V(19, 0), KVB_FAILURE_NOT_ENOUGH_FOR_MAX_LEN);
    see(KVB_OBS_REQUESTED, 20 * GIB);
    see(KVB_OBS_KV_CACHE, GIB);
    given.gpu_memory_bytes = (uint64_t)(24 * GIB);
    explain(); // what it needs is not known
    helps(SHARE, "higher", true, "what it adds becomes KV cache, up to what is free");
    see(KVB_OBS_NEEDED, 2 * GIB); // (19 + 2) / 24 = 0.875
    explain();
    helps(SHARE, "0.875", true, "(19.00 GiB in use besides + 2.00 GiB of KV cache) / 24.00 GiB; each 0.01 is 0.24 GiB");
    see(KVB_OBS_NEEDED, 5 * GIB); // all of the card: 19 + 5
    explain();
    helps(SHARE, "1.00", true, "(19.00 GiB in use besides + 5.00 GiB of KV cache) / 24.00 GiB");
    see(KVB_OBS_NEEDED, 5 * GIB + MIB);
    explain();
    helps(SHARE, "1.00", false, "even 1.00, the most this card has, makes the KV cache 5.00 GiB; 5.00 GiB are needed");
    given.gpu_memory_bytes = 0; // the card is not known, and neither is the share
    explain();
    helps(SHARE, "higher", true, "what it adds becomes KV cache, up to what is free");
}

// 512 MiB were missing of 24576, and 150 more (0.15 GiB): 0.0269 of the card, rounded up to 0.027.
static void lower_shares(void **state)
{
    (void)state;
    start(KVB_LOG_VLLM, V(19, 0), KVB_FAILURE_OOM_GRAPH);
    see(KVB_OBS_TRIED_ALLOC, GIB);
    see(KVB_OBS_OOM_FREE, GIB / 2);
    explain();
    helps(SHARE, "lower", true, "the KV cache shrinks and leaves memory for what comes after it");
    given.gpu_memory_bytes = (uint64_t)(24 * GIB);
    explain();
    helps(SHARE, "lower", true, "by 0.027: 0.50 GiB were missing, plus 0.15 GiB, of 24.00 GiB");
    see(KVB_OBS_UTILIZATION, 900000); // 0.027 of 24 are 0.648
    explain();
    helps(SHARE, "0.873", true,
          "frees at least the 0.50 GiB that were missing and 0.15 GiB more; the KV cache shrinks "
          "by 0.65 GiB");
    see(KVB_OBS_UTILIZATION, 27999); // 0.000999 is typed as nothing
    explain();
    helps(SHARE, "0.00", false, "frees at least");
    see(KVB_OBS_UTILIZATION, 28000);
    explain();
    helps(SHARE, "0.001", true, "frees at least");
    see(KVB_OBS_UTILIZATION, 20000); // less than nothing is nothing
    explain();
    helps(SHARE, "0.00", false, "frees at least");
}

// What one request needs follows from tokens only where a length is one.
static void need_from_tokens(void **state)
{
    (void)state;
#define MISSING "KV cache missing for one request"
    start(KVB_LOG_VLLM, V(10, 0), KVB_FAILURE_NOT_ENOUGH_FOR_MAX_LEN);
    see(KVB_OBS_KV_CACHE, GIB);
    see(KVB_OBS_KV_TOKENS, 1 << 20); // 1024 bytes of each
    see(KVB_OBS_MAX_MODEL_LEN, 3 << 20);
    explain();
    computed(MISSING, 2 * GIB, -1);
    see(KVB_OBS_MAX_MODEL_LEN, (INT64_C(1) << 30) - 1);
    explain();
    computed(MISSING, 1023 * GIB - 1024, -1);
    see(KVB_OBS_MAX_MODEL_LEN, INT64_C(1) << 30);
    explain();
    assert_null(check(MISSING));
    see(KVB_OBS_MAX_MODEL_LEN, 3 << 20);
    see(KVB_OBS_KV_CACHE, 0); // nothing holds no token
    explain();
    assert_null(check(MISSING));
    see(KVB_OBS_KV_CACHE, GIB);
    report.failure.kind = KVB_FAILURE_NEGATIVE_KV; // another refusal counts no tokens
    explain();
    assert_null(check(MISSING));
}

// Each figure printed is off by half of its last digit at most: a sum agrees by as many of these as figures go into it.
static void within_rounding(void **state)
{
    (void)state;
    const int64_t half = GIB * 5 / 1000;
    static const struct {
        const char *what;
        enum kvb_observation logged;
        int64_t computed, figures;
    } rows[] = {
        {"requested = GPU memory x utilization", KVB_OBS_REQUESTED, 18 * GIB, 3}, // 20 x 0.9
        {POOL, KVB_OBS_KV_CACHE, 5 * GIB, 5},                                     // 18 - 10 - 2 - 1
        {"suggested --kv-cache-memory = requested - all terms - 150 MiB", KVB_OBS_SUGGESTED_FIT, 4 * GIB - 150 * MIB,
         6}, // and 1 of graphs
    };
    for (size_t i = 0; i < sizeof rows / sizeof rows[0]; i++) {
        for (int side = -1; side <= 1; side += 2) {
            for (int64_t more = 0; more <= 1; more++) {
                start(KVB_LOG_VLLM, V(19, 0), KVB_FAILURE_NONE);
                see(KVB_OBS_GPU_MEMORY, 20 * GIB);
                see(KVB_OBS_UTILIZATION, 900000);
                see(KVB_OBS_REQUESTED, 18 * GIB);
                see(KVB_OBS_WEIGHTS, 10 * GIB);
                see(KVB_OBS_ACTIVATION, 2 * GIB);
                see(KVB_OBS_NON_TORCH, GIB);
                see(KVB_OBS_CUDA_GRAPH, GIB);
                see(rows[i].logged, rows[i].computed + side * (rows[i].figures * half + more));
                explain();
                computed(rows[i].what, rows[i].computed, more == 0);
            }
        }
    }
    // 18 - 11 - 2 where one figure is weights and all outside PyTorch, and 40960 tokens of 128 KiB, of 16 in a block
    for (int64_t more = 0; more <= 1; more++) {
        start(KVB_LOG_VLLM, V(27, 0), KVB_FAILURE_NONE);
        given.bytes_per_token = 128 << 10;
        see(KVB_OBS_REQUESTED, 18 * GIB);
        see(KVB_OBS_CONSUMED, 11 * GIB);
        see(KVB_OBS_ACTIVATION, 2 * GIB);
        see(KVB_OBS_CUDA_GRAPH, GIB);
        see(KVB_OBS_KV_TOKENS, 40960);
        see(KVB_OBS_KV_CACHE, 5 * GIB - 4 * half - more);
        see(KVB_OBS_SUGGESTED_FIT, 4 * GIB - 150 * MIB + 6 * half + more);
        explain();
        computed("KV cache = requested - consumed - activation", 5 * GIB, more == 0);
        computed("suggested --kv-cache-memory = requested - all terms - 150 MiB", 4 * GIB - 150 * MIB, more == 0);
        see(KVB_OBS_KV_CACHE, 5 * GIB + 2 * half + (2 << 20) + more);
        explain();
        computed("KV cache = tokens x bytes of one token of this model", 5 * GIB, more == 0);
    }
    // 1495 of 1000 tokens are 149.5 hundredths, which are 150; 1494 are 149.
    static const int64_t tokens[][2] = {{1494, 149}, {1495, 150}};
    for (size_t i = 0; i < 2; i++) {
        start(KVB_LOG_VLLM, V(19, 0), KVB_FAILURE_NONE);
        see(KVB_OBS_KV_TOKENS, tokens[i][0]);
        see(KVB_OBS_CONCURRENCY_LEN, 1000);
        see(KVB_OBS_MAX_CONCURRENCY, 100); // one request: nothing is said against it
        explain();
        computed("concurrency = tokens / longest request", tokens[i][1], 0);
        assert_null(strstr(check("concurrency = tokens / longest request")->note, "below one"));
    }
}

// Of two sequences one is fewer, of one none is.
static void fewest_sequences(void **state)
{
    (void)state;
    start(KVB_LOG_VLLM, V(19, 0), KVB_FAILURE_OOM_SAMPLER);
    see(KVB_OBS_WARMUP_REQUESTS, 2);
    explain();
    helps("max-num-seqs", "1", true, "the warm-up samples for that many sequences at once, each about");
    see(KVB_OBS_WARMUP_REQUESTS, 1);
    explain();
    helps("max-num-seqs", "lower", true, "the warm-up samples for that many sequences at once");
}

// The sampler warms up behind the cache, which then gives memory back; before it nothing is to give.
static void before_or_behind_the_cache(void **state)
{
    (void)state;
    start(KVB_LOG_VLLM, V(20, 0), KVB_FAILURE_OOM_SAMPLER);
    report.start_seen = true;
    report.stage = KVB_STAGE_LOADED;
    explain();
    helps(SHARE, "lower", false, "");
    report.stage = KVB_STAGE_SIZED;
    explain();
    helps(SHARE, "lower", true, "the KV cache shrinks and leaves memory for what comes after it");
    for (uint32_t i = 0; i < report.remedy_count; i++) { // and nothing against it
        assert_true(strcmp(report.remedies[i].setting, SHARE) != 0 || report.remedies[i].works);
    }
    report.stage = KVB_STAGE_LOADED;
    see(KVB_OBS_KV_CACHE, GIB); // a size that was read is one
    explain();
    assert_null(remedy(SHARE, "lower"));
}

// A third of three million, in millionths that are cut: 333333.
static void estimate_of_length(void **state)
{
    (void)state;
#define ESTIMATE "engine's estimate of the longest request = length x have / need"
    start(KVB_LOG_VLLM, V(19, 0), KVB_FAILURE_NOT_ENOUGH_FOR_MAX_LEN);
    see(KVB_OBS_KV_CACHE, GIB);
    see(KVB_OBS_NEEDED, 3 * GIB);
    see(KVB_OBS_NEEDED_FOR_LEN, 3000000);
    see(KVB_OBS_ESTIMATED_MAX_MODEL_LEN, 1000000);
    explain();
    computed(ESTIMATE, 999999, 1);
}

// A lesson that points down leaves what is said against "higher" beside it, one that points up does not.
static void lessons_beside_higher(void **state)
{
    (void)state;
    static const struct {
        uint64_t to;
        bool kept;
    } rows[] = {{850000, true}, {950000, false}};
    for (size_t i = 0; i < sizeof rows / sizeof rows[0]; i++) {
        start(KVB_LOG_VLLM, V(19, 0), KVB_FAILURE_NOT_ENOUGH_FOR_MAX_LEN);
        report.lesson = (struct kvb_log_lesson){.known = true,
                                                .setting = KVB_SET_GPU_MEMORY_UTILIZATION,
                                                .from_set = true,
                                                .to_set = true,
                                                .from = 900000,
                                                .to = rows[i].to,
                                                .first_line = 20,
                                                .ready_line = 90};
        see(KVB_OBS_NEEDED, 13 * GIB); // 12 of 24 are missing: more than anybody raises
        see(KVB_OBS_KV_CACHE, GIB);
        given.gpu_memory_bytes = (uint64_t)(24 * GIB);
        explain();
        assert_int_equal(remedy(SHARE, "higher") != NULL, rows[i].kept);
        // The value that failed points nowhere: 18 of 20 free are the 0.90 of the start that is shown.
        report.failure.kind = KVB_FAILURE_NEGATIVE_KV;
        see(KVB_OBS_UTILIZATION, 900000);
        see(KVB_OBS_KV_CACHE, -2 * GIB);
        given.gpu_memory_bytes = (uint64_t)(20 * GIB);
        given.gpu_free_bytes = (uint64_t)(18 * GIB);
        explain();
        assert_null(remedy(SHARE, "0.90"));
    }
}

KVB_TEST_MAIN(cmocka_unit_test(pool_of_consumed), cmocka_unit_test(parted_peak), cmocka_unit_test(lowered_shares),
              cmocka_unit_test(most_that_is_accepted), cmocka_unit_test(size_of_card),
              cmocka_unit_test(shares_for_one_request), cmocka_unit_test(lower_shares),
              cmocka_unit_test(need_from_tokens), cmocka_unit_test(estimate_of_length),
              cmocka_unit_test(fewest_sequences), cmocka_unit_test(within_rounding),
              cmocka_unit_test(before_or_behind_the_cache), cmocka_unit_test(lessons_beside_higher))
