// The words of a record's cells: names, ids, overrides, lengths and flags, each with as much room as it has.
#include <stdio.h>
#include <string.h>

#include "answer/record_words.h"
#include "unit/test.h"

static void model_names(void **state)
{
    (void)state;
    static const struct {
        const char *model, *name;
    } rows[] = {
        {"Qwen/Qwen3-8B", "Qwen/Qwen3-8B"},
        {"/models/Qwen3-8B", "Qwen3-8B"},
        {"/models/Qwen3-8B/", "Qwen3-8B"},
        {"/models/Qwen3-8B//", "Qwen3-8B"},
        {"./q/m.gguf", "m.gguf"},
        {"/m", "m"},
        {"/", ""},
        {"/x/models--Qwen--Qwen3-8B/snapshots/abc", "Qwen/Qwen3-8B"},
        {"models--Qwen--Qwen3-8B", "Qwen/Qwen3-8B"},
        {"/x/models--Qwen--Qwen3-8B--v2/snapshots", "Qwen/Qwen3-8B--v2"}, // an owner has no two dashes
        {"/x/models--Qwen3-8B/snapshots", "snapshots"},                   // no owner
        {"C:\\x\\models--a--b\\snapshots", "a/b"},
    };
    for (size_t i = 0; i < sizeof rows / sizeof rows[0]; i++) {
        char name[KVB_NAME_CAPACITY];
        kvb_record_model_name(name, sizeof name, rows[i].model);
        if (strcmp(name, rows[i].name) != 0) {
            fail_msg("'%s': '%s'", rows[i].model, name);
        }
    }
}

// Lower case, digits and dashes: of a maker nothing, of a release no dots, of all else a dash for what stands between.
static void ids(void **state)
{
    (void)state;
    static const struct {
        const char *gpu, *version, *model;
        uint64_t length; // 0: none
        const char *id;
    } rows[] = {
        {"NVIDIA GeForce RTX 4090", "0.11.0", "Qwen/Qwen3-8B", 4096, "rtx-4090-0110-qwen3-8b-len4096"},
        {"NVIDIA H100 80GB HBM3", "0.19.0", "Qwen/Qwen2.5-7B", 0, "h100-80gb-hbm3-0190-qwen2-5-7b"},
        {"AMD Instinct MI300X", "0.6.4.post1", "m", 0, "mi300x-064post1-m"},
        {"AMD Radeon RX 7900", "1", "/models/m", 0, "rx-7900-1-m"},
        {"AMD Other", "1", "m", 0, "other-1-m"},
        {"Intel Arc", "1", "m", 0, "intel-arc-1-m"},
        {"", "0.11.0", "a/b", 16, "0110-b-len16"},
        {"A", "", "Zz-@-[9", 0, "a-zz-9"},
        {"`{:/", "1", "m", KVB_AUTO, "1-m"},
        {"az09AZ", "1", "m_", 0, "az09az-1-m-"},
    };
    for (size_t i = 0; i < sizeof rows / sizeof rows[0]; i++) {
        struct kvb_settings settings = {0};
        char id[96], cut[96];
        if (rows[i].length > 0) {
            kvb_settings_set(&settings, KVB_SET_MAX_MODEL_LEN, rows[i].length, KVB_ORIGIN_COMMAND);
        }
        kvb_record_write_id(id, sizeof id, rows[i].gpu, rows[i].version, rows[i].model, &settings);
        if (strcmp(id, rows[i].id) != 0) {
            fail_msg("%s: '%s'", rows[i].id, id);
        }
        for (size_t capacity = 2; capacity <= strlen(id) + 1; capacity++) { // one is kept free
            memset(cut, '#', sizeof cut);
            kvb_record_write_id(cut, capacity, rows[i].gpu, rows[i].version, rows[i].model, &settings);
            assert_true(strlen(cut) < capacity);
            assert_memory_equal(cut, id, strlen(cut));
            assert_int_equal(cut[capacity], '#');
        }
    }
}

static void overrides(void **state)
{
    (void)state;
    static const struct {
        const char *before, *overrides, *out;
    } rows[] = {
        {"", "", ""},
        {"--a", "", "--a"},
        {"", "{\"a\": 1}", "--hf-overrides {\"a\":1}"},
        {"--a 1", "{ }", "--a 1 --hf-overrides {}"},
        {"", "{\"a b\":\t\"c\td\"}\n", "--hf-overrides {\"a\\u0020b\":\"c\\u0009d\"}"},
        {"", "{\"a\": \"b \\\" c\", \"d\": \"\\\\\" }",
         "--hf-overrides {\"a\":\"b\\u0020\\\"\\u0020c\",\"d\":\"\\\\\"}"},
        {"", "{\"a\": \"\r\n\"}", "--hf-overrides {\"a\":\"\\u000d\\u000a\"}"},
    };
    for (size_t i = 0; i < sizeof rows / sizeof rows[0]; i++) {
        char out[128];
        strcpy(out, rows[i].before);
        kvb_record_write_overrides(out, sizeof out, rows[i].overrides);
        if (strcmp(out, rows[i].out) != 0) {
            fail_msg("%s: '%s'", rows[i].overrides, out);
        }
        for (size_t capacity = 1; capacity < sizeof out; capacity++) { // never beyond
            memset(out, '#', sizeof out);
            out[0] = '\0';
            kvb_record_write_overrides(out, capacity, rows[i].overrides);
            assert_true(strlen(out) < capacity);
            assert_int_equal(out[capacity], '#');
        }
    }
}

// Six bytes, of which an escape takes all, and the end of the text are kept free before each character.
static void overrides_are_cut(void **state)
{
    (void)state;
    static const char *const texts[] = {"--hf-overrides ", "--hf-overrides {", "--hf-overrides {}"};
    for (size_t i = 0; i < 3; i++) {
        char out[64] = "";
        kvb_record_write_overrides(out, strlen("--hf-overrides ") + 7 + i, "{}");
        assert_string_equal(out, texts[i]);
    }
}

// A flag outranks the log's own settings, and those what its lines show; the last of three lines that tell a length
// counts.
static void settings_of_a_start(void **state)
{
    (void)state;
    static struct kvb_deployment deployment;
    static struct kvb_log_report log;
    static const enum kvb_observation lengths[] = {KVB_OBS_NEEDED_FOR_LEN, KVB_OBS_CONCURRENCY_LEN,
                                                   KVB_OBS_MAX_MODEL_LEN};
    struct kvb_settings settings;
    kvb_deployment_init(&deployment);
    memset(&log, 0, sizeof log);
    kvb_record_settings(&deployment, &log, &settings);
    for (unsigned i = 0; i < KVB_SETTING_COUNT; i++) {
        assert_false(settings.values[i].set);
    }
    for (unsigned i = 0; i < 3; i++) {
        log.observed[lengths[i]] = (struct kvb_log_value){.set = true, .value = 100 + i};
        kvb_record_settings(&deployment, &log, &settings);
        assert_int_equal(settings.values[KVB_SET_MAX_MODEL_LEN].number, 100 + i);
    }
    log.observed[KVB_OBS_MAX_MODEL_LEN].value = 0; // says nothing
    log.observed[KVB_OBS_UTILIZATION] = (struct kvb_log_value){.set = true, .value = 0};
    kvb_record_settings(&deployment, &log, &settings);
    assert_int_equal(settings.values[KVB_SET_MAX_MODEL_LEN].number, 101);
    assert_false(settings.values[KVB_SET_GPU_MEMORY_UTILIZATION].set);
    log.observed[KVB_OBS_MAX_MODEL_LEN].value = 1;
    log.observed[KVB_OBS_UTILIZATION].value = 1;
    kvb_record_settings(&deployment, &log, &settings);
    assert_int_equal(settings.values[KVB_SET_MAX_MODEL_LEN].number, 1);
    assert_int_equal(settings.values[KVB_SET_GPU_MEMORY_UTILIZATION].number, 1);
    kvb_settings_set(&log.settings, KVB_SET_MAX_MODEL_LEN, 200, KVB_ORIGIN_COMMAND);
    kvb_settings_set(&log.settings, KVB_SET_MAX_NUM_SEQS, 8, KVB_ORIGIN_COMMAND);
    kvb_record_settings(&deployment, &log, &settings);
    assert_int_equal(settings.values[KVB_SET_MAX_MODEL_LEN].number, 200);
    kvb_settings_set(&deployment.settings, KVB_SET_MAX_MODEL_LEN, 300, KVB_ORIGIN_FLAG);
    kvb_record_settings(&deployment, &log, &settings);
    assert_int_equal(settings.values[KVB_SET_MAX_MODEL_LEN].number, 300);
    assert_int_equal(settings.values[KVB_SET_MAX_NUM_SEQS].number, 8);
}

// In the order of the settings, with one JSON for those that are members of it.
static void flags(void **state)
{
    (void)state;
    const struct kvb_engine_rows *vllm = kvb_engine_said("vllm");
    struct kvb_settings settings = {0};
    char out[512];
    kvb_record_write_settings(out, sizeof out, vllm, &settings, "");
    assert_string_equal(out, "");
    kvb_settings_set(&settings, KVB_SET_MAX_MODEL_LEN, KVB_AUTO, KVB_ORIGIN_COMMAND); // nothing to write
    kvb_settings_set(&settings, KVB_SET_TRUST_REMOTE_CODE, 1, KVB_ORIGIN_COMMAND);    // moves no memory
    kvb_record_write_settings(out, sizeof out, vllm, &settings, "a/b");
    assert_string_equal(out, "");
    kvb_settings_set(&settings, KVB_SET_ENFORCE_EAGER, 1, KVB_ORIGIN_COMMAND);
    kvb_settings_set(&settings, KVB_SET_MAX_MODEL_LEN, 4096, KVB_ORIGIN_COMMAND);
    kvb_record_write_settings(out, sizeof out, vllm, &settings, "");
    assert_string_equal(out, "--max-model-len 4096 --enforce-eager");
    settings = (struct kvb_settings){0};
    kvb_settings_set(&settings, KVB_SET_NUM_SPECULATIVE_TOKENS, 3, KVB_ORIGIN_COMMAND);
    kvb_record_write_settings(out, sizeof out, vllm, &settings, "");
    assert_string_equal(out, "--speculative-config {\"num_speculative_tokens\":3}");
    kvb_record_write_settings(out, sizeof out, vllm, &settings, "/models/draft");
    assert_string_equal(out, "--speculative-config {\"num_speculative_tokens\":3,\"model\":\"draft\"}");
    kvb_settings_set(&settings, KVB_SET_MAX_NUM_SEQS, 8, KVB_ORIGIN_COMMAND);
    kvb_settings_set(&settings, KVB_SET_LIMIT_IMAGES, 2, KVB_ORIGIN_COMMAND);
    kvb_settings_set(&settings, KVB_SET_LIMIT_VIDEOS, 0, KVB_ORIGIN_COMMAND);
    kvb_record_write_settings(out, sizeof out, vllm, &settings, "");
    assert_non_null(strstr(out, "--max-num-seqs 8 --"));
    assert_non_null(strstr(out, "--limit-mm-per-prompt {\"image\":2,\"video\":0}"));
}

KVB_TEST_MAIN(cmocka_unit_test(model_names), cmocka_unit_test(ids), cmocka_unit_test(overrides),
              cmocka_unit_test(overrides_are_cut), cmocka_unit_test(settings_of_a_start), cmocka_unit_test(flags))
