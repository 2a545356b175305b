// Checks and remedies: case studies A, B and C, every kind of failure, and arithmetic by hand.
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include <kvbudget/units.h>

#include "log_text.h"
#include "logs/levers.h"
#include "unit/test.h"

#define GIB (INT64_C(1) << 30)
#define CENT (GIB / 100)

static const struct kvb_check *find_check(const struct kvb_log_report *report, const char *what)
{
    for (uint32_t i = 0; i < report->check_count; i++) {
        if (strstr(report->checks[i].what, what) != NULL) {
            return &report->checks[i];
        }
    }
    fail_msg("no check '%s'", what);
    return NULL;
}

static const struct kvb_remedy *find_remedy(const struct kvb_log_report *report, const char *setting, bool works)
{
    for (uint32_t i = 0; i < report->remedy_count; i++) {
        if (strcmp(report->remedies[i].setting, setting) == 0 && report->remedies[i].works == works) {
            return &report->remedies[i];
        }
    }
    return NULL;
}

// The remedy must be there.
static const struct kvb_remedy *need_remedy(const struct kvb_log_report *report, const char *setting, bool works)
{
    const struct kvb_remedy *remedy = find_remedy(report, setting, works);
    if (remedy == NULL) {
        fail_msg("no remedy '%s'", setting);
        abort(); // not reached: the compiler does not know that fail_msg ends the test
    }
    return remedy;
}

static void assert_says(const char *text, const char *part)
{
    if (strstr(text, part) == NULL) {
        fail_msg("'%s' does not say '%s'", text, part);
    }
}

static void assert_near(int64_t value, int64_t wanted)
{
    if (value < wanted - CENT || value > wanted + CENT) {
        fail_msg("%lld is not %lld", (long long)value, (long long)wanted);
    }
}

#define NO_BLOCKS "ValueError: No available memory for the cache blocks. Try increasing `gpu_memory_utilization`\n"

// A vision model on an 8 GB card under WSL2: 0.80 x 7.96 = 6.37; 6.37 + 3.79 = 10.16 GiB.
static void test_case_a(void **state)
{
    (void)state;
    struct kvb_log_report *report = read_log("[gpu_worker.py:298] Available KV cache memory: -3.79 GiB\n" NO_BLOCKS);
    struct kvb_log_given given;
    kvb_log_given_init(&given);
    given.gpu_memory_bytes = (uint64_t)(796 * CENT);
    given.model = "Qwen/Qwen3-VL-4B-Instruct-FP8";
    kvb_settings_set(&given.settings, KVB_SET_GPU_MEMORY_UTILIZATION, 800000, KVB_ORIGIN_FLAG);
    kvb_log_explain(report, &given);
    const struct kvb_check *held = find_check(report, "memory other than KV cache");
    assert_near(held->computed, 1016 * CENT);
    assert_says(held->note, "WSL2");
    const struct kvb_remedy *raise = find_remedy(report, "gpu-memory-utilization", false);
    assert_non_null(raise);
    assert_string_equal(raise->to, "1.00"); // 7.96 - 10.16 = -2.20
    assert_says(raise->why, "-2.20 GiB");
    bool lowered = false;
    for (uint32_t i = 0; i < report->remedy_count; i++) {
        lowered |= strcmp(report->remedies[i].to, "0.70") == 0 && !report->remedies[i].works &&
                   strstr(report->remedies[i].why, "0.80 GiB smaller: -4.59 GiB") != NULL;
    }
    assert_true(lowered);
    assert_null(find_remedy(report, "gpu-memory-utilization", true));
    assert_non_null(find_remedy(report, "mm-processor-kwargs", true));
    assert_non_null(find_remedy(report, "limit-mm-per-prompt", true));
    assert_non_null(find_remedy(report, "max-num-batched-tokens", false));
    assert_non_null(find_remedy(report, "max-model-len", false));
}

// Somebody freed 41.640380859375 - 41.19354248046875 = 0.44683837890625 GiB; 0.11.0 has no V0.
static void test_case_b(void **state)
{
    (void)state;
    struct kvb_log_report *report = read_log(
        "INFO [core.py:77] Initializing a V1 LLM engine (v0.11.0) with config: model='a/b', max_seq_len=32768\n"
        "AssertionError: Error in memory profiling. Initial free memory 41.19354248046875 GiB, current free memory "
        "41.640380859375 GiB. This happens when other processes\n");
    struct kvb_log_given given;
    kvb_log_given_init(&given);
    kvb_log_explain(report, &given);
    assert_int_equal(report->failure.kind, KVB_FAILURE_PROFILING_ASSERTION);
    // 0.44683837890625 x 2^30
    assert_int_equal(find_check(report, "freed by other processes")->computed, INT64_C(479789056));
    assert_says(need_remedy(report, "retry", true)->why, "0.447 GiB");
    assert_says(need_remedy(report, "VLLM_USE_V1", false)->why, "no V0 engine");
    assert_non_null(find_remedy(report, "kv-cache-memory-bytes", true));
    assert_non_null(find_remedy(report, "gpu-memory-utilization", false));
}

// The second start of B: 1,721,888 / 32,768 = 52.55; x 12,288 bytes = 19.71 GiB.
static void test_case_b_second_start(void **state)
{
    (void)state;
    struct kvb_log_report *report =
        read_log("GPU KV cache size: 1,721,888 tokens\nMaximum concurrency for 32,768 tokens per request: 52.55x\n");
    struct kvb_log_given given;
    kvb_log_given_init(&given);
    given.model_known = true;
    given.bytes_per_token = 12288; // 24 layers x 2 KV heads x 64 x K and V x 2 bytes
    kvb_log_explain(report, &given);
    assert_int_equal(report->verdict, KVB_LOG_HEALTHY);
    assert_true(find_check(report, "concurrency = tokens")->agrees);
    assert_near(find_check(report, "KV cache = tokens x bytes")->computed, 1971 * CENT);
    assert_int_equal(report->remedy_count, 0);
}

// 0.02 of an 80 GB card is 1.6 GB = 1.49 GiB.
static void test_case_c(void **state)
{
    (void)state;
    struct kvb_log_report *report = read_log(NO_BLOCKS);
    struct kvb_log_given given;
    kvb_log_given_init(&given);
    given.gpu_memory_bytes = UINT64_C(80000000000);
    kvb_settings_set(&given.settings, KVB_SET_GPU_MEMORY_UTILIZATION, 20000, KVB_ORIGIN_FLAG);
    kvb_log_explain(report, &given);
    const struct kvb_remedy *raise = find_remedy(report, "gpu-memory-utilization", true);
    assert_non_null(raise);
    assert_says(raise->why, "1.49 GiB");
    assert_says(raise->why, "was lowered although the message asks for more");
    assert_non_null(find_remedy(report, "gpu-memory-utilization", false));
}

// 23.5 x 0.8 = 18.8; 18.8 - 7.5 - 1.5 - 0.25 = 9.55.
static void test_pool(void **state)
{
    (void)state;
    struct kvb_log_report *report = read_log(
        "the current vLLM instance can use total_gpu_memory (23.50GiB) x gpu_memory_utilization (0.80) = 18.80GiB\n"
        "model weights take 7.50GiB; non_torch_memory takes 0.25GiB; PyTorch activation peak memory takes 1.50GiB; the "
        "rest of the memory reserved for KV Cache is 9.55GiB.\n# GPU blocks: 1200, # CPU blocks: 512\n"
        "Maximum concurrency for 4096 tokens per request: 4.69x\n");
    struct kvb_log_given given;
    kvb_log_given_init(&given);
    kvb_log_explain(report, &given);
    assert_true(find_check(report, "requested = GPU memory")->agrees);
    assert_true(find_check(report, "KV cache = requested")->agrees);
    assert_near(find_check(report, "KV cache = requested")->computed, 955 * CENT);
    assert_int_equal(find_check(report, "tokens = blocks")->computed, 19200); // 1200 x 16
    assert_true(find_check(report, "concurrency")->agrees);                   // 19200 / 4096 = 4.69
}

static void test_wrong_pool(void **state)
{
    (void)state;
    struct kvb_log_report *report = read_log(
        "the current vLLM instance can use total_gpu_memory (23.50GiB) x gpu_memory_utilization (0.80) = 18.80GiB\n"
        "model weights take 7.50GiB; non_torch_memory takes 0.25GiB; PyTorch activation peak memory takes 1.50GiB; the "
        "rest of the memory reserved for KV Cache is 8.55GiB.\n");
    struct kvb_log_given given;
    kvb_log_given_init(&given);
    kvb_log_explain(report, &given);
    assert_false(find_check(report, "KV cache = requested")->agrees);
}

// 0.36 GiB / (0.8200 - 0.8048) = 23.68 GiB.
static void test_total_from_graphs(void **state)
{
    (void)state;
    struct kvb_log_report *report = read_log(
        "Estimated CUDA graph memory: 0.36 GiB total\nThe current --gpu-memory-utilization=0.8200 is equivalent to "
        "--gpu-memory-utilization=0.8048 without CUDA graph memory profiling.\n");
    struct kvb_log_given given;
    kvb_log_given_init(&given);
    kvb_log_explain(report, &given);
    assert_near(find_check(report, "GPU memory = graph estimate")->computed, 2368 * CENT);
}

// need 24.0, have 3.18 GiB: 262144 x 3.18 / 24 = 34734; halved need 12 > 3.18.
static void test_length(void **state)
{
    (void)state;
    struct kvb_log_report *report = read_log(
        "Model loading took 8.25 GiB memory\n"
        "ValueError: To serve at least one request with the models's max seq len (262144), (24.0 GiB KV cache is "
        "needed, "
        "which is larger than the available KV cache memory (3.18 GiB). Based on the available memory, the estimated "
        "maximum model length is 34736. Try increasing\n");
    struct kvb_log_given given;
    kvb_log_given_init(&given);
    given.gpu_memory_bytes = (uint64_t)(1590 * CENT);
    kvb_settings_set(&given.settings, KVB_SET_GPU_MEMORY_UTILIZATION, 900000, KVB_ORIGIN_FLAG);
    kvb_log_explain(report, &given);
    assert_int_equal(report->failure.kind, KVB_FAILURE_NOT_ENOUGH_FOR_MAX_LEN);
    assert_string_equal(need_remedy(report, "max-model-len", true)->to, "34736");
    assert_string_equal(need_remedy(report, "max-model-len", true)->from, "262144");
    assert_non_null(find_remedy(report, "kv-cache-dtype", false));
    assert_non_null(find_remedy(report, "gpu-memory-utilization", false));
    assert_null(find_remedy(report, "gpu-memory-utilization", true));
    assert_true(find_check(report, "engine's estimate")->agrees);
    assert_near(find_check(report, "missing for one request")->computed, 2082 * CENT);
}

// 4.26 needed, 4.25 there, of 24 GiB: 0.01 / 24 is less than 0.001 of utilization.
static void test_a_little_more(void **state)
{
    (void)state;
    struct kvb_log_report *report =
        read_log("ValueError: To serve at least one request with the model's max seq len (8192), (4.26 GiB KV cache is "
                 "needed, which is larger than the available KV cache memory (4.25 GiB).\n");
    struct kvb_log_given given;
    kvb_log_given_init(&given);
    given.gpu_memory_bytes = (uint64_t)(24 * GIB);
    kvb_settings_set(&given.settings, KVB_SET_GPU_MEMORY_UTILIZATION, 900000, KVB_ORIGIN_FLAG);
    kvb_log_explain(report, &given);
    assert_string_equal(need_remedy(report, "gpu-memory-utilization", true)->to, "0.901");
}

// 19.77 / 22.05 = 0.8965: 0.896 is the most, and costs 19.84 - 0.896 x 22.05 = 0.09 GiB.
static void test_gate(void **state)
{
    (void)state;
    struct kvb_log_report *report = read_log(
        "ValueError: Free memory on device cuda:0 (19.77/22.05 GiB) on startup is less than desired GPU memory "
        "utilization (0.9, 19.84 GiB). Decrease\n");
    struct kvb_log_given given;
    kvb_log_given_init(&given);
    kvb_log_explain(report, &given);
    const struct kvb_remedy *lower = find_remedy(report, "gpu-memory-utilization", true);
    assert_string_equal(lower->from, "0.90");
    assert_string_equal(lower->to, "0.896");
    assert_says(lower->why, "0.08 GiB smaller"); // 19.84 - 19.7568 = 0.0832
    assert_says(need_remedy(report, "other processes", true)->why, "2.28 GiB");
    assert_non_null(find_remedy(report, "max-model-len", false));
}

#define OOM                                                                                                            \
    "torch.OutOfMemoryError: CUDA out of memory. Tried to allocate 256.00 MiB. GPU 0 has a total capacity of "         \
    "24.00 GiB of which 56.00 MiB is free. Of the allocated memory 22.75 GiB is allocated by PyTorch, and "            \
    "96.00 MiB is reserved by PyTorch but unallocated.\n"

// missing 200 MiB + 150 MiB = 350 MiB of 24 GiB = 0.0143: 0.015 less.
static void test_graph_oom(void **state)
{
    (void)state;
    struct kvb_log_report *report = read_log("GPU KV cache size: 12,352 tokens\n" OOM);
    struct kvb_log_given given;
    kvb_log_given_init(&given);
    kvb_settings_set(&given.settings, KVB_SET_GPU_MEMORY_UTILIZATION, 920000, KVB_ORIGIN_FLAG);
    kvb_log_explain(report, &given);
    assert_int_equal(report->failure.kind, KVB_FAILURE_OOM_GRAPH);
    assert_string_equal(need_remedy(report, "gpu-memory-utilization", true)->to, "0.905");
    assert_non_null(find_remedy(report, "enforce-eager", true));
    assert_non_null(find_remedy(report, "max-model-len", false));
    assert_int_equal(find_check(report, "missing at the failure")->computed, INT64_C(200) << 20);
}

// Lowering utilization while loading or profiling changes nothing.
static void test_useless_utilization(void **state)
{
    (void)state;
    static const char *const logs[] = {"Starting to load model a/b...\n" OOM,
                                       "Model loading took 8.25 GiB memory\n" OOM};
    for (size_t i = 0; i < 2; i++) {
        struct kvb_log_report *report = read_log(logs[i]);
        struct kvb_log_given given;
        kvb_log_given_init(&given);
        kvb_log_explain(report, &given);
        assert_null(find_remedy(report, "gpu-memory-utilization", true));
        assert_non_null(find_remedy(report, "gpu-memory-utilization", false));
        assert_non_null(find_remedy(report, "tensor-parallel-size", true));
    }
}

// SGLang turns the same knob in opposite directions.
// SGLang, mem_cache/allocation.py (0.5.18) and managers/schedule_batch.py (0.4.6.post5): the pool's tokens are out,
// which no failed allocation of GPU memory is. Each text, what explain calls it and the first thing to change.
static void test_tokens_out(void **state)
{
    (void)state;
    static const char start[] =
        "[2025-06-01 10:00:00 TP0] max_total_num_tokens=46620, chunked_prefill_size=2048, max_prefill_tokens=16384, "
        "max_running_requests=2048, context_len=32768\n"
        "[2025-06-01 10:00:05] The server is fired up and ready to roll!\n"
        "[2025-06-01 10:01:00 TP0] Prefill batch. #new-seq: 1, #new-token: 7\n";
    static const struct {
        const char *text, *first, *to;
        enum kvb_log_answer about_memory;
    } rows[] = {
        {"RuntimeError: Prefill out of memory. Try to lower your batch size.\nTry to allocate 1034 tokens.\n",
         "schedule-conservativeness", "1.3 or more", KVB_LOG_YES},
        {"RuntimeError: Decode out of memory. Try to lower your batch size.\nTry to allocate 2 tokens.\n",
         "schedule-conservativeness", "1.3 or more", KVB_LOG_YES},
        {"RuntimeError: Out of memory. Try to lower your batch size.\nTry to allocate 9 tokens.\n",
         "schedule-conservativeness", "1.3 or more", KVB_LOG_YES},
        {"RuntimeError: alloc_req_slots runs out of memory. Please set a smaller number for "
         "`--max-running-requests`. ",
         "max-running-requests", "lower", KVB_LOG_NO},
    };
    for (size_t i = 0; i < sizeof rows / sizeof rows[0]; i++) {
        char log[1024];
        (void)snprintf(log, sizeof log, "%s%s", start, rows[i].text);
        struct kvb_log_given given;
        kvb_log_given_init(&given);
        struct kvb_log_report *report = read_log(log);
        kvb_log_explain(report, &given);
        assert_int_equal(report->verdict, KVB_LOG_FAILED);
        assert_int_equal(report->failure.kind, KVB_FAILURE_OTHER);
        assert_int_equal(report->failure.about_memory, rows[i].about_memory);
        assert_non_null(report->failure.title);
        assert_true(report->remedy_count > 0 && report->remedies[0].works);
        assert_string_equal(report->remedies[0].setting, rows[i].first);
        assert_string_equal(report->remedies[0].to, rows[i].to);
        bool up = false, down = false;
        for (uint32_t k = 0; k < report->remedy_count; k++) {
            const struct kvb_remedy *r = &report->remedies[k];
            bool share = strcmp(r->setting, "mem-fraction-static") == 0;
            up = up || (share && r->works && strcmp(r->to, "higher") == 0);
            down = down || (share && r->works && strcmp(r->to, "lower") == 0);
        }
        assert_int_equal(up, rows[i].about_memory == KVB_LOG_YES);
        assert_false(down);
    }
    char log[1024];
    static const char *const healthy[] = {
        "[TP0] KV cache pool is full. Retract requests. #retracted_reqs: 1, #new_tokens_gained: 90\n",
        "[TP0] Decode out of memory happened. #retracted_reqs: 1, #new_token_ratio: 0.6 -> 0.9\n"};
    for (size_t i = 0; i < 2; i++) {
        (void)snprintf(log, sizeof log, "%s%s", start, healthy[i]);
        assert_int_equal(read_log(log)->verdict, KVB_LOG_HEALTHY);
        assert_true(read_log(log)->notes[KVB_NOTE_PREEMPTION]);
    }
    (void)snprintf(log, sizeof log, "%s%s", start, "[TP0] retract_decode: aborted last request 0a1b due to OOM\n");
    assert_int_equal(read_log(log)->verdict, KVB_LOG_HEALTHY);
    assert_true(read_log(log)->notes[KVB_NOTE_REQUEST_ABORTED]);
}

static void test_sglang_directions(void **state)
{
    (void)state;
    struct kvb_log_given given;
    kvb_log_given_init(&given);
    struct kvb_log_report *report =
        read_log("[TP0] Load weight begin. avail mem=40.25 GB\nRuntimeError: Not enough memory. Please try to increase "
                 "--mem-fraction-static.\n");
    kvb_log_explain(report, &given);
    assert_string_equal(need_remedy(report, "mem-fraction-static", true)->to, "higher");
    report = read_log("[TP0] Memory pool end. avail mem=4.25 GB\n" OOM);
    kvb_log_explain(report, &given);
    assert_string_equal(need_remedy(report, "mem-fraction-static", true)->to, "lower");
}

// Every row says something, and no row says a thing and its opposite under the same conditions.
static void test_levers(void **state)
{
    (void)state;
    for (size_t i = 0; i < kvb_lever_row_count; i++) {
        const struct kvb_lever_row *row = &kvb_lever_rows[i];
        assert_true(row->kind > KVB_FAILURE_NONE && row->kind < KVB_FAILURE_COUNT);
        assert_true(row->engines != 0 && row->setting[0] != '\0' && row->to[0] != '\0');
        assert_true(strlen(row->why) > 10 && strlen(row->why) < sizeof((struct kvb_remedy *)0)->why);
        assert_true(strlen(row->to) < sizeof((struct kvb_remedy *)0)->to);
        for (size_t k = 0; k < i; k++) {
            const struct kvb_lever_row *other = &kvb_lever_rows[k];
            bool same = other->kind == row->kind && (other->engines & row->engines) != 0 && other->when == row->when &&
                        strcmp(other->setting, row->setting) == 0 && strcmp(other->to, row->to) == 0;
            assert_false(same);
        }
    }
}

KVB_TEST_MAIN(cmocka_unit_test(test_case_a), cmocka_unit_test(test_case_b), cmocka_unit_test(test_case_b_second_start),
              cmocka_unit_test(test_case_c), cmocka_unit_test(test_pool), cmocka_unit_test(test_wrong_pool),
              cmocka_unit_test(test_total_from_graphs), cmocka_unit_test(test_length),
              cmocka_unit_test(test_a_little_more), cmocka_unit_test(test_gate), cmocka_unit_test(test_graph_oom),
              cmocka_unit_test(test_useless_utilization), cmocka_unit_test(test_sglang_directions),
              cmocka_unit_test(test_tokens_out), cmocka_unit_test(test_levers))
