// Rows of the record from reports made by hand: which figures a row takes, what it cannot do without, and the table it
// is added to.
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include <kvbudget/record.h>

#include "base/memory.h"
#include "text/file.h"
#include "unit/test.h"

#define GIB (INT64_C(1) << 30)

static struct kvb_deployment deployment;
static struct kvb_log_report report;
static struct kvb_record record;
static struct kvb_problems problems;
static struct kvb_record_words words;

static void see(enum kvb_observation what, int64_t value, uint64_t line)
{
    report.observed[what] = (struct kvb_log_value){.set = true, .value = value, .line = line};
}

// A healthy start of 0.19.0 with a pool of 3.75 GiB.
static int begin(void **state)
{
    (void)state;
    kvb_deployment_init(&deployment);
    kvb_problems_init(&problems);
    memset(&report, 0, sizeof report);
    words = (struct kvb_record_words){NULL, NULL};
    report.engine = KVB_LOG_VLLM;
    (void)snprintf(report.version, sizeof report.version, "0.19.0+cu129");
    (void)snprintf(report.model, sizeof report.model, "Qwen/Qwen2.5-7B-Instruct");
    (void)snprintf(report.gpu, sizeof report.gpu, "NVIDIA L4");
    see(KVB_OBS_KV_CACHE, 15 * GIB / 4, 7);
    see(KVB_OBS_KV_TOKENS, 70208, 8);
    return 0;
}

static const char *cell(const char *name)
{
    for (uint32_t i = 0; i < record.column_count; i++) {
        if (strcmp(record.names[i], name) == 0) {
            return record.cells[i];
        }
    }
    return "(no such column)";
}

static void make(void)
{
    assert_int_equal(kvb_record_make(&deployment, &report, &words, &record, &problems), KVB_OK);
}

static void refused(const char *text)
{
    kvb_problems_init(&problems);
    assert_int_equal(kvb_record_make(&deployment, &report, &words, &record, &problems), KVB_MISSING_KEY);
    assert_string_equal(problems.items[0].text, text);
}

static void what_a_row_cannot_do_without(void **state)
{
    (void)state;
    report.gpu[0] = '\0';
    refused("no row: the log does not say its GPU; give --gpu NAME, as nvidia-smi prints it");
    report.model[0] = '\0';
    refused("no row: the log does not say its model; give --model NAME");
    report.version[0] = '\0';
    refused("no row: the log does not say its release; give --engine vllm@RELEASE");
    report.observed[KVB_OBS_KV_TOKENS].set = report.observed[KVB_OBS_KV_CACHE].set = false;
    refused("no row: the log ends before the KV cache has a size, and no failure is in it");
    see(KVB_OBS_NUM_GPU_BLOCKS, 375, 9); // blocks are a size, too
    refused("no row: the log does not say its release; give --engine vllm@RELEASE");
    report.engine = KVB_LOG_TGI;
    kvb_problems_init(&problems);
    assert_int_equal(kvb_record_make(&deployment, &report, &words, &record, &problems), KVB_MISSING_KEY);
    assert_non_null(strstr(problems.items[0].text, "no row: this is not the log of a "));
}

// The card by its memory where its name is not logged; the free memory first seen; a positive figure only.
static void memory_of_the_card(void **state)
{
    (void)state;
    report.gpu[0] = '\0';
    see(KVB_OBS_GPU_MEMORY, 24 * GIB, 3);
    see(KVB_OBS_GPU_FREE, 20 * GIB, 4);
    make();
    assert_string_equal(cell("gpu_memory"), "24.00GiB");
    assert_string_equal(cell("gpu_free"), "20.00GiB");
    assert_true(record.planned);
    see(KVB_OBS_INITIAL_FREE, 21 * GIB, 2);
    make();
    assert_string_equal(cell("gpu_free"), "21.00GiB");
    see(KVB_OBS_INITIAL_FREE, -GIB, 2);
    see(KVB_OBS_GPU_MEMORY, 0, 3);
    make();
    assert_string_equal(cell("gpu_free"), "");
    assert_string_equal(cell("gpu_memory"), "");
    deployment.gpu_memory_bytes = 80 * (uint64_t)GIB;
    deployment.gpu_free_bytes = 70 * (uint64_t)GIB;
    make();
    assert_string_equal(cell("gpu_memory"), "80.00GiB");
    assert_string_equal(cell("gpu_free"), "70.00GiB");
}

// V0 prints blocks: of 16 tokens where nothing was said, of as many as was said; a number nobody has is none.
static void tokens_of_blocks(void **state)
{
    (void)state;
    report.observed[KVB_OBS_KV_TOKENS].set = false;
    see(KVB_OBS_NUM_GPU_BLOCKS, 375, 9);
    make();
    assert_string_equal(cell("tokens"), "6000");
    kvb_settings_set(&report.settings, KVB_SET_BLOCK_SIZE, 32, KVB_ORIGIN_COMMAND);
    make();
    assert_string_equal(cell("tokens"), "12000");
    kvb_settings_set(&report.settings, KVB_SET_BLOCK_SIZE, KVB_AUTO, KVB_ORIGIN_COMMAND);
    make();
    assert_string_equal(cell("tokens"), "6000");
    see(KVB_OBS_NUM_GPU_BLOCKS, INT64_C(1) << 40, 9);
    make();
    assert_string_equal(cell("tokens"), "");
    see(KVB_OBS_NUM_GPU_BLOCKS, 0, 9);
    make();
    assert_string_equal(cell("tokens"), "");
}

// An estimate of the graphs on the same line is no measurement; trailing zeros are none.
static void figures(void **state)
{
    (void)state;
    see(KVB_OBS_CUDA_GRAPH, GIB / 4, 12);
    see(KVB_OBS_GRAPH_ESTIMATE, GIB / 4, 12);
    see(KVB_OBS_WEIGHTS, 14 * GIB, 5);
    see(KVB_OBS_MAX_CONCURRENCY, 857, 9);
    make();
    assert_string_equal(cell("graphs_gib"), "");
    assert_string_equal(cell("estimate_gib"), "0.25");
    assert_string_equal(cell("weights_gib"), "14");
    assert_string_equal(cell("pool_gib"), "3.75");
    assert_string_equal(cell("concurrency"), "8.57");
    see(KVB_OBS_CUDA_GRAPH, GIB / 2, 14);
    make();
    assert_string_equal(cell("graphs_gib"), "0.5");
}

static void words_beside_the_figures(void **state)
{
    (void)state;
    report.notes[KVB_NOTE_WSL] = true;
    report.notes[KVB_NOTE_COMPILE_LOADED] = true;
    words.source = "https://example.com/issues/2";
    make();
    assert_string_equal(cell("platform"), "wsl2");
    assert_string_equal(cell("usage"), "serve");
    assert_string_equal(cell("compile_cache"), "warm");
    assert_string_equal(cell("source"), "https://example.com/issues/2");
    assert_string_equal(cell("half"), "build"); // sha1 begins with 0, which is even
    report.notes[KVB_NOTE_COMPILED] = true;
    report.notes[KVB_NOTE_WSL] = false;
    deployment.usage_set = true;
    deployment.usage = KVB_USAGE_SERVE;
    words.source = "https://example.com/issues/1";
    make();
    assert_string_equal(cell("platform"), "linux");
    assert_string_equal(cell("usage"), "serve");
    assert_string_equal(cell("compile_cache"), "cold");
    assert_string_equal(cell("half"), "held"); // sha1 begins with 5
    deployment.usage = KVB_USAGE_OFFLINE;
    deployment.platform_set = true;
    deployment.platform = KVB_PLATFORM_WINDOWS;
    make();
    assert_string_equal(cell("usage"), "offline");
    assert_string_equal(cell("platform"), "wsl2");
}

static int64_t planned_pool(void)
{
    make();
    for (uint32_t i = 0; i < record.figure_count; i++) {
        if (strcmp(record.figures[i].name, "KV pool") == 0) {
            return record.figures[i].planned;
        }
    }
    return 0;
}

// The plan beside the row is of the start that the log shows: a later one holds no embedding table of 152,064 x 3,584 x
// 2 B (1.02 GiB) while kernels are timed, but logits of 256 rows instead. What flags say stands above the log.
static void the_plan_of_a_later_start(void **state)
{
    (void)state;
    (void)snprintf(report.version, sizeof report.version, "0.26.0");
    int64_t first = planned_pool();
    report.notes[KVB_NOTE_COMPILE_LOADED] = true;
    int64_t later = planned_pool();
    assert_true(first > 0 && later - first > GIB / 4);
    report.notes[KVB_NOTE_COMPILED] = true; // a part of it was compiled
    assert_int_equal(planned_pool(), first);
    report.notes[KVB_NOTE_COMPILED] = false;
    deployment.compile_cache = KVB_COMPILE_COLD;
    assert_int_equal(planned_pool(), first);
}

// A failure that is not for want of memory leaves the figures of a start that ran; one in serving, too.
static void which_table(void **state)
{
    (void)state;
    static const struct {
        enum kvb_failure kind;
        bool tokens, failed;
    } rows[] = {{KVB_FAILURE_NONE, true, false},
                {KVB_FAILURE_OOM_SERVING, true, false},
                {KVB_FAILURE_OTHER, true, false},
                {KVB_FAILURE_OTHER, false, true},
                {KVB_FAILURE_OOM_GRAPH, true, true}};
    for (size_t i = 0; i < sizeof rows / sizeof rows[0]; i++) {
        report.failure.kind = rows[i].kind;
        report.observed[KVB_OBS_KV_TOKENS].set = rows[i].tokens;
        make();
        assert_int_equal(record.failed, rows[i].failed);
        assert_string_equal(record.table, rows[i].failed ? "failures.csv" : "runs.csv");
    }
    assert_string_equal(cell("kind"), "oom_graph");
}

// Names of folders on somebody's machine are left out, on whichever system they are.
static void names(void **state)
{
    (void)state;
    static const struct {
        const char *logged, *given, *served, *model, *shape;
    } rows[] = {
        {"/srv/models/secret/Qwen3-8B/", "", "", "Qwen3-8B", ""},
        {"C:\\models\\Qwen3-8B\\", "", "", "Qwen3-8B", ""},
        {"/", "", "", "", ""},
        {"/x/models--Qwen/snapshots/a", "", "", "a", ""},
        {"", "Qwen/Qwen3-8B", "", "Qwen/Qwen3-8B", ""},
        {"org/other", "Qwen/Qwen3-8B", "", "org/other", "Qwen/Qwen3-8B"},
        {"org/other", "/here/Qwen3-8B", "", "org/other", ""},
        {"", "/here/Qwen3-8B", "org/name", "org/name", "Qwen3-8B"},
        {"/srv/x", "Qwen/Qwen3-8B", "org/name", "org/name", "Qwen/Qwen3-8B"},
    };
    for (size_t i = 0; i < sizeof rows / sizeof rows[0]; i++) {
        (void)snprintf(report.model, sizeof report.model, "%s", rows[i].logged);
        (void)snprintf(deployment.model, sizeof deployment.model, "%s", rows[i].given);
        (void)snprintf(deployment.served_name, sizeof deployment.served_name, "%s", rows[i].served);
        enum kvb_status status = kvb_record_make(&deployment, &report, &words, &record, &problems);
        if (rows[i].model[0] == '\0') {
            assert_int_equal(status, KVB_MISSING_KEY);
        } else if (strcmp(cell("model"), rows[i].model) != 0 || strcmp(cell("shape"), rows[i].shape) != 0) {
            fail_msg("row %zu: '%s' '%s'", i, cell("model"), cell("shape"));
        }
    }
}

// Settings as they were logged, where flags say nothing else; what is the engine's own or no word is left out.
static void settings(void **state)
{
    (void)state;
    see(KVB_OBS_UTILIZATION, 850000, 2);
    see(KVB_OBS_MAX_MODEL_LEN, 0, 2); // no length
    kvb_settings_set(&report.settings, KVB_SET_MAX_NUM_SEQS, 64, KVB_ORIGIN_COMMAND);
    kvb_settings_set(&report.settings, KVB_SET_BLOCK_SIZE, KVB_AUTO, KVB_ORIGIN_COMMAND);
    kvb_settings_set(&deployment.settings, KVB_SET_MAX_NUM_SEQS, 32, KVB_ORIGIN_FLAG);
    make();
    assert_string_equal(cell("settings"), "--gpu-memory-utilization 0.85 --max-num-seqs 32");
    see(KVB_OBS_UTILIZATION, 0, 2);
    see(KVB_OBS_CONCURRENCY_LEN, 8192, 2);
    make();
    assert_string_equal(cell("settings"), "--max-model-len 8192 --max-num-seqs 32");
    assert_string_equal(cell("id"), "l4-0190-qwen2-5-7b-instruct-len8192");
    memset(&deployment.settings, 0, sizeof deployment.settings);
    memset(&report.settings, 0, sizeof report.settings);
    report.observed[KVB_OBS_CONCURRENCY_LEN].set = false;
    (void)snprintf(deployment.overrides, sizeof deployment.overrides, "{\"a\": \"b c\\\" \t\",\n \"d\": 1}\r");
    make();
    assert_string_equal(cell("settings"), "--hf-overrides {\"a\":\"b\\u0020c\\\"\\u0020\\u0009\",\"d\":1}");
    deployment.overrides[0] = '\0';
    kvb_settings_set(&deployment.settings, KVB_SET_NUM_SPECULATIVE_TOKENS, 3, KVB_ORIGIN_FLAG);
    make();
    assert_string_equal(cell("settings"), "--speculative-config {\"num_speculative_tokens\":3}");
    assert_string_equal(cell("id"), "l4-0190-qwen2-5-7b-instruct");
}

// ---- the table

static void table(const char *path, const char *text, const char *wanted)
{
    FILE *file = fopen(path, "w");
    assert_non_null(file);
    assert_true(fputs(text, file) >= 0);
    assert_int_equal(fclose(file), 0);
    kvb_problems_init(&problems);
    enum kvb_status status = kvb_record_append(&record, path, &problems);
    if (wanted == NULL) {
        assert_int_equal(status, KVB_OK);
    } else {
        assert_int_not_equal(status, KVB_OK);
        assert_string_equal(problems.items[0].text, wanted);
    }
}

static void content(const char *path, const char *wanted)
{
    struct kvb_file file;
    assert_int_equal(kvb_file_read(&file, path, 1 << 20, &problems), KVB_OK);
    assert_string_equal(file.text, wanted);
    kvb_file_free(&file);
}

static void tables(void **state)
{
    (void)state;
    char path[64] = "/tmp/kvb-record-XXXXXX", text[8192], whole[16384];
    int descriptor = mkstemp(path);
    assert_true(descriptor >= 0);
    (void)close(descriptor);
    words.id = "a,\"b\"";
    make();
    char *header = kvb_record_header(&record), *line = kvb_record_line(&record);
    assert_non_null(header);
    assert_memory_equal(line, "\"a,\"\"b\"\"\",", 10);
    (void)unlink(path);
    assert_int_equal(kvb_record_append(&record, path, &problems), KVB_OK);
    (void)snprintf(whole, sizeof whole, "%s\n%s\n", header, line);
    content(path, whole);
    (void)snprintf(text, sizeof text, "%s\r\nx,", header); // another system's line end, and no end of the last line
    table(path, text, NULL);
    (void)snprintf(whole, sizeof whole, "%s\r\nx,\n%s\n", header, line);
    content(path, whole);
    table(path, whole, "has a row called 'a,\"b\"' already; --id gives another name");
    static const char other[] = "these are not the columns of runs.csv; nothing was written";
    (void)snprintf(text, sizeof text, "%s,more\n", header);
    table(path, text, other);
    (void)snprintf(text, sizeof text, "%s\rmore\n", header);
    table(path, text, other);
    table(path, "id\n", other);
    table(path, "", other);
    (void)snprintf(text, sizeof text, "X%s\n", header);
    table(path, text, other);
    for (unsigned long n = 1; n < 12; n++) { // and nothing is written where memory runs out
        table(path, text, other);
        (void)kvb_memory_fail_once(n);
        assert_int_not_equal(kvb_record_append(&record, path, &problems), KVB_OK);
        (void)kvb_memory_fail_once(0);
        content(path, text);
    }
    kvb_free(header);
    kvb_free(line);
    (void)unlink(path);
}

static void no_memory_for_the_plan(void **state)
{
    (void)state;
    (void)kvb_memory_fail_once(1);
    make();
    (void)kvb_memory_fail_once(0);
    assert_false(record.planned);
    assert_string_equal(record.not_planned, "not enough memory");
    (void)snprintf(report.model, sizeof report.model, "nobody/knows-this-one");
    make();
    assert_false(record.planned);
    assert_non_null(strstr(record.not_planned, "nobody/knows-this-one"));
}

#define TEST(name) cmocka_unit_test_setup(name, begin)

static int offline(void **state)
{
    (void)state;
    return setenv("KVBUDGET_OFFLINE", "1", 1) == 0 && setenv("KVBUDGET_CACHE", "/nowhere", 1) == 0 ? 0 : -1;
}

KVB_TEST_MAIN_WITH(offline, NULL, TEST(what_a_row_cannot_do_without), TEST(memory_of_the_card), TEST(tokens_of_blocks),
                   TEST(figures), TEST(words_beside_the_figures), TEST(the_plan_of_a_later_start), TEST(which_table),
                   TEST(names), TEST(settings), TEST(tables), TEST(no_memory_for_the_plan))
