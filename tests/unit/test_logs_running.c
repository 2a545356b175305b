// A server that runs: scrapes of its metrics, memory over time, PyTorch's summary; and bytes that are no log.
#include <stdio.h>
#include <string.h>

#include "log_text.h"
#include "unit/test.h"

#define MIB (INT64_C(1) << 20)

#define VLLM(waiting, usage, preemptions)                                                                              \
    "# HELP vllm:num_requests_running Number of requests\n"                                                            \
    "vllm:num_requests_running{engine=\"0\",model_name=\"a/b\"} 12.0\n"                                                \
    "vllm:num_requests_waiting{engine=\"0\",model_name=\"a/b\"} " waiting "\n"                                         \
    "vllm:kv_cache_usage_perc{engine=\"0\",model_name=\"a/b\"} " usage "\n"                                            \
    "vllm:num_preemptions_total{engine=\"0\",model_name=\"a/b\"} " preemptions "\n"                                    \
    "vllm:cache_config_info{block_size=\"16\",cache_dtype=\"fp8\",gpu_memory_utilization=\"0.85\",num_gpu_blocks="     \
    "\"4388\",num_gpu_blocks_override=\"None\"} 1.0\n"

static void test_metrics(void **state)
{
    (void)state;
    const struct kvb_log_report *report = read_log(VLLM("3.0", "0.9512", "1.2e+01"));
    assert_int_equal(report->verdict, KVB_LOG_HEALTHY);
    assert_int_equal(report->engine, KVB_LOG_VLLM);
    assert_int_equal(report->observed[KVB_OBS_RUNNING].value, 12);
    assert_int_equal(report->observed[KVB_OBS_WAITING].value, 3);
    assert_int_equal(report->observed[KVB_OBS_KV_USAGE].value, 951200);
    assert_int_equal(report->observed[KVB_OBS_PREEMPTIONS].value, 12);
    assert_int_equal(report->observed[KVB_OBS_NUM_GPU_BLOCKS].value, 4388);
    assert_int_equal(report->settings.values[KVB_SET_BLOCK_SIZE].number, 16);
    assert_int_equal(report->settings.values[KVB_SET_GPU_MEMORY_UTILIZATION].number, 850000);
    assert_int_equal(report->settings.values[KVB_SET_KV_CACHE_DTYPE].number, KVB_KV_FP8);
    report = read_log("sglang:num_running_reqs{model_name=\"a\"} 2.0\nsglang:token_usage{model_name=\"a\"} 5e-02\n"
                      "sglang:max_total_num_tokens{model_name=\"a\"} 1.234567e+06\n");
    assert_int_equal(report->engine, KVB_LOG_SGLANG);
    assert_int_equal(report->observed[KVB_OBS_KV_USAGE].value, 50000);
    assert_int_equal(report->observed[KVB_OBS_KV_TOKENS].value, 1234567);
}

static void test_metrics_say(void **state)
{
    (void)state;
    static const struct {
        const char *log, *says;
    } rows[] = {
        {VLLM("0.0", "0.1", "2.0"), "preempted"},     {VLLM("4.0", "0.95", "0.0"), "too small for this load"},
        {VLLM("4.0", "0.2", "0.0"), "not memory"},    {VLLM("0.0", "0.95", "0.0"), "nothing waits yet"},
        {VLLM("0.0", "0.2", "0.0"), "room for more"},
    };
    for (size_t i = 0; i < sizeof rows / sizeof rows[0]; i++) {
        const char *says = kvb_log_metrics_say(read_log(rows[i].log));
        if (says == NULL || strstr(says, rows[i].says) == NULL) {
            fail_msg("row %zu: %s", i, says != NULL ? says : "nothing");
        }
    }
    assert_null(kvb_log_metrics_say(read_log("Model loading took 8.25 GiB memory\n")));
}

// An hour at one reading in ten seconds: 500 MiB, a jump to 20000 MiB, then 1 MiB more with each reading.
static void test_csv_series(void **state)
{
    (void)state;
    static char text[64 * 1024];
    size_t used = (size_t)sprintf(text, "timestamp, memory.used [MiB], memory.free [MiB]\n");
    for (int i = 0; i < 361; i++) {
        int mib = i < 6 ? 500 : 20000 + i - 6;
        used += (size_t)sprintf(text + used, "2025/11/22 %02d:%02d:%02d.123, %d MiB, %d MiB\n", 5 + i / 360, i / 6 % 60,
                                i % 6 * 10, mib, 24576 - mib);
    }
    const struct kvb_log_report *report = read_log_pieces(text, used, 700);
    const struct kvb_log_series *series = &report->series;
    int64_t left;
    assert_true(report->has_series);
    assert_int_equal(report->verdict, KVB_LOG_HEALTHY);
    assert_int_equal(series->samples, 361);
    assert_int_equal(series->point_count, 61); // stretches of six, and one of one
    assert_int_equal(series->points[0].used_bytes, INT64_C(500) << 20);
    assert_int_equal(series->points[1].second, 110); // the last of its stretch is the highest
    assert_int_equal(series->points[1].used_bytes, INT64_C(20005) << 20);
    assert_int_equal(series->points[60].second, 3600);
    assert_int_equal(series->points[60].used_bytes, INT64_C(20354) << 20);
    assert_int_equal(series->seconds, 3600);
    assert_int_equal(series->first_bytes, 500 * MIB);
    assert_int_equal(series->jump_bytes, 19500 * MIB);
    assert_int_equal(series->peak_bytes, 20354 * MIB);
    assert_int_equal(series->steady_bytes, 20264 * MIB); // the middle of readings 180 to 360
    assert_int_equal(series->growth_bytes_per_hour, 360 * MIB);
    assert_int_equal(series->free_bytes, 4222 * MIB);
    assert_true(kvb_log_series_left(series, &left));
    assert_int_equal(left, 42220); // 4222 MiB at 360 MiB in 3600 s
}

// A clock that no clock shows is no time: the reading counts, its time does not.
static void test_impossible_clocks(void **state)
{
    (void)state;
    static const char *const clocks[] = {"2025/11/22 05:00:10.000",
                                         "2025/11/22 24:00:10.000",
                                         "2025/11/22 05:60:10.000",
                                         "2025/11/32 05:00:10.000",
                                         "2025/11/00 05:00:10.000",
                                         "2025/11/22 05:00:61.000",
                                         "2025/11/22 4444444444444444444:00:10.000"};
    for (size_t i = 0; i < sizeof clocks / sizeof clocks[0]; i++) {
        char text[512];
        (void)snprintf(text, sizeof text,
                       "timestamp, memory.used [MiB], memory.free [MiB]\n"
                       "2025/11/22 05:00:00.000, 500 MiB, 1000 MiB\n%s, 500 MiB, 1000 MiB\n",
                       clocks[i]);
        assert_int_equal(read_log(text)->series.seconds, i == 0 ? 10 : 0);
    }
}

// Half a million readings in the memory of 512; the second GPU is the fullest.
static void test_long_dmon(void **state)
{
    (void)state;
    struct kvb_log_reader *reader = kvb_log_reader_new();
    static struct kvb_log_report report;
    const char *header = "# gpu     fb   bar1\n# Idx     MB     MB\n";
    kvb_log_reader_feed(reader, header, strlen(header));
    for (unsigned i = 0; i < 500000; i++) {
        char line[96];
        int length = snprintf(line, sizeof line, "    0     12      3\n    1  20238      3\n");
        kvb_log_reader_feed(reader, line, (size_t)length);
    }
    kvb_log_reader_finish(reader, &report);
    kvb_log_reader_free(reader);
    assert_int_equal(report.series.samples, 500000);
    assert_int_equal(report.series.gpus, 2);
    assert_int_equal(report.series.gpu, 1);
    assert_int_equal(report.series.steady_bytes, 20238 * MIB);
    assert_int_equal(report.series.growth_bytes_per_hour, 0);
}

#define TABLE(minute, used)                                                                                            \
    "Sat Nov 22 05:" minute ":07 2025\n"                                                                               \
    "| NVIDIA-SMI 535.161.07      Driver Version: 535.161.07   CUDA Version: 12.2     |\n"                             \
    "|   0  Tesla T4                       Off | 00000001:00:00.0 Off |                  Off |\n"                      \
    "| N/A   26C    P8              13W /  70W |  " used "MiB / 16384MiB |      0%      Default |\n"

static void test_tables(void **state)
{
    (void)state;
    const struct kvb_log_report *report =
        read_log(TABLE("00", "  100") TABLE("01", "  100") TABLE("02", "12100") TABLE("03", "12100"));
    assert_true(report->has_series);
    assert_int_equal(report->series.samples, 4);
    assert_int_equal(report->series.seconds, 180);
    assert_int_equal(report->series.jump_bytes, 12000 * MIB);
    assert_int_equal(report->series.total_bytes, 16384 * MIB);
    // one table above a log is no series
    assert_false(read_log(TABLE("00", "  100") "Model loading took 8.25 GiB memory\n")->has_series);
}

static void test_memory_summary(void **state)
{
    (void)state;
    const struct kvb_log_report *report =
        read_log("|            CUDA OOMs: 1            |        cudaMalloc retries: 2         |\n"
                 "| Allocated memory      |  14336 MiB |  15000 MiB |  99999 MiB |  85663 MiB |\n"
                 "| GPU reserved memory   |  16000 MiB |  16000 MiB |  16000 MiB |      0 B   |\n");
    assert_int_equal(report->observed[KVB_OBS_TORCH_ALLOCATED].value, 14336 * MIB);
    assert_int_equal(report->observed[KVB_OBS_TORCH_PEAK].value, 15000 * MIB);
    assert_int_equal(report->observed[KVB_OBS_TORCH_RESERVED].value, 16000 * MIB);
    assert_int_equal(report->observed[KVB_OBS_TORCH_OOMS].value, 1);
}

static void test_packed(void **state)
{
    (void)state;
    static const char gzip[] = "\x1f\x8b\x08\x00\x00\x00\x00\x00\x00\x03\x01\x02\x03";
    assert_string_equal(read_log_pieces(gzip, sizeof gzip, 5)->packed, "gzip");
    assert_string_equal(read_log("\x28\xb5\x2f\xfd xyz")->packed, "zstd");
    assert_null(read_log("Model loading took 8.25 GiB memory\n")->packed);
}

KVB_TEST_MAIN(cmocka_unit_test(test_metrics), cmocka_unit_test(test_metrics_say), cmocka_unit_test(test_csv_series),
              cmocka_unit_test(test_impossible_clocks), cmocka_unit_test(test_long_dmon), cmocka_unit_test(test_tables),
              cmocka_unit_test(test_memory_summary), cmocka_unit_test(test_packed))
