// Setting rows, their words and values, and release numbers. Expected numbers are written out by hand.
#include <string.h>

#include <kvbudget/kvbudget.h>

#include "unit/test.h"

static void every_row_is_complete(void **state)
{
    (void)state;
    for (uint32_t i = 0; i < KVB_SETTING_COUNT; i++) {
        const struct kvb_setting_row *row = kvb_setting_row_of(i);
        assert_non_null(row->key);
        assert_non_null(row->help);
        assert_true(row->minimum <= row->maximum);
        assert_int_equal(row->kind == KVB_VALUE_WORD, row->words != NULL && row->kind != KVB_VALUE_PART);
        for (uint32_t j = 0; j < i; j++) {
            assert_string_not_equal(row->key, kvb_setting_row_of(j)->key);
        }
    }
}

static void every_word_reads_back(void **state)
{
    (void)state;
    for (uint32_t i = 0; i < KVB_SETTING_COUNT; i++) {
        const struct kvb_setting_row *row = kvb_setting_row_of(i);
        for (uint32_t w = 0; w < row->word_count; w++) {
            uint64_t number = 99;
            char why[256], out[48];
            assert_true(kvb_setting_parse((enum kvb_setting)i, row->words[w].text, &number, why));
            assert_int_equal(number, row->words[w].number);
            assert_true(number <= row->maximum);
            uint64_t again = 99;
            assert_true(kvb_setting_parse((enum kvb_setting)i, kvb_setting_format(out, (enum kvb_setting)i, number),
                                          &again, why));
            assert_int_equal(again, number);
        }
    }
}

struct value_row {
    enum kvb_setting setting;
    const char *text;
    uint64_t number;
    const char *written;
};

static void values_are_read_as_vllm_reads_them(void **state)
{
    (void)state;
    static const struct value_row rows[] = {
        {KVB_SET_GPU_MEMORY_UTILIZATION, "0.9", 900000, "0.90"},
        {KVB_SET_GPU_MEMORY_UTILIZATION, "1", 1000000, "1.00"},
        {KVB_SET_GPU_MEMORY_UTILIZATION, "0.925", 925000, "0.925"},
        {KVB_SET_MAX_MODEL_LEN, "32k", 32000, "32000"},
        {KVB_SET_MAX_MODEL_LEN, "32K", 32768, "32768"},
        {KVB_SET_MAX_MODEL_LEN, "1M", 1048576, "1048576"},
        {KVB_SET_MAX_MODEL_LEN, "auto", KVB_AUTO, "auto"},
        {KVB_SET_MAX_MODEL_LEN, "-1", KVB_AUTO, "auto"},
        {KVB_SET_MAX_NUM_BATCHED_TOKENS, "25.6k", 25600, "25600"},
        {KVB_SET_CPU_OFFLOAD_GB, "0.5", 536870912, "0.5"},
        {KVB_SET_SWAP_SPACE, "4", 4294967296, "4"},
        {KVB_SET_SWAP_SPACE, "0", 0, "0"},
        {KVB_SET_ENFORCE_EAGER, "True", 1, "true"},
        {KVB_SET_ENABLE_PREFIX_CACHING, "off", 0, "false"},
        {KVB_SET_KV_CACHE_DTYPE, "fp8_e5m2", KVB_KV_FP8_E5M2, "fp8_e5m2"},
        {KVB_SET_DTYPE, "half", KVB_DTYPE_WORD_FP16, "float16"},
        {KVB_SET_ATTENTION_BACKEND, "FLASHINFER", KVB_BACKEND_FLASHINFER, "flashinfer"},
    };
    for (size_t i = 0; i < sizeof rows / sizeof rows[0]; i++) {
        uint64_t number = 0;
        char why[256], out[48];
        assert_true(kvb_setting_parse(rows[i].setting, rows[i].text, &number, why));
        assert_true(number == rows[i].number);
        assert_string_equal(kvb_setting_format(out, rows[i].setting, number), rows[i].written);
    }
}

static void bad_values_say_what_would_do(void **state)
{
    (void)state;
    static const struct {
        enum kvb_setting setting;
        const char *text, *why;
    } rows[] = {
        {KVB_SET_GPU_MEMORY_UTILIZATION, "90", "'90' is out of range; expected from 0.000001 to 1.00"},
        {KVB_SET_GPU_MEMORY_UTILIZATION, "0", "'0' is out of range; expected from 0.000001 to 1.00"},
        {KVB_SET_GPU_MEMORY_UTILIZATION, "90%", "'90%' is not a decimal number such as 0.9"},
        {KVB_SET_MAX_MODEL_LEN, "32KiB", "'32KiB' is not a whole number, 32k, 32K, 1M or auto"},
        {KVB_SET_MAX_MODEL_LEN, "", "'' is not a whole number, 32k, 32K, 1M or auto"},
        {KVB_SET_TENSOR_PARALLEL_SIZE, "0", "'0' is out of range; expected from 1 to 65536"},
        {KVB_SET_KV_CACHE_DTYPE, "fp9", "'fp9' is not known; did you mean 'fp8'?"},
        {KVB_SET_DTYPE, "zzzzz", "'zzzzz' is not known; expected one of auto, bfloat16, float16, float32"},
        {KVB_SET_ENFORCE_EAGER, "maybe", "'maybe' is not true or false"},
    };
    for (size_t i = 0; i < sizeof rows / sizeof rows[0]; i++) {
        uint64_t number = 77;
        char why[256];
        assert_false(kvb_setting_parse(rows[i].setting, rows[i].text, &number, why));
        assert_string_equal(why, rows[i].why);
        assert_int_equal(number, 77);
    }
}

static void a_long_value_is_cut(void **state)
{
    (void)state;
    char text[600], why[256];
    uint64_t number;
    memset(text, 'x', sizeof text - 1);
    text[sizeof text - 1] = '\0';
    for (uint32_t i = 0; i < KVB_SETTING_COUNT; i++) {
        assert_false(kvb_setting_parse((enum kvb_setting)i, text, &number, why));
        assert_true(strlen(why) < sizeof why);
        assert_non_null(strstr(why, "..."));
    }
}

static void a_higher_origin_stays(void **state)
{
    (void)state;
    struct kvb_settings settings;
    memset(&settings, 0, sizeof settings);
    const struct kvb_setting_value *value = &settings.values[KVB_SET_MAX_NUM_SEQS];
    kvb_settings_set(&settings, KVB_SET_MAX_NUM_SEQS, 1, KVB_ORIGIN_COMMAND);
    kvb_settings_set(&settings, KVB_SET_MAX_NUM_SEQS, 2, KVB_ORIGIN_PROFILE);
    assert_int_equal(value->number, 1);
    kvb_settings_set(&settings, KVB_SET_MAX_NUM_SEQS, 3, KVB_ORIGIN_COMMAND);
    assert_int_equal(value->number, 3);
    kvb_settings_set(&settings, KVB_SET_MAX_NUM_SEQS, 4, KVB_ORIGIN_FLAG);
    assert_int_equal(value->number, 4);
    assert_string_equal(kvb_origin_name((enum kvb_origin)value->origin), "flag");
}

static void releases_sort_and_read_back(void **state)
{
    (void)state;
    static const struct {
        const char *text;
        uint32_t release;
        const char *written;
    } rows[] = {
        {"0.2.0", 20000, "0.2.0"},
        {"0.6.4.post1", 60401, "0.6.4.post1"},
        {"v0.19.0", 190000, "0.19.0"},
        {"0.27", 270000, "0.27.0"},
        {"0.11.0rc2", 110000, "0.11.0"},
        {"0.11.1.dev12+gabc1234.cu128", 110100, "0.11.1"},
        {"0.10.2+cu128", 100200, "0.10.2"},
        {"b5429", 2147489077, "b5429"},
        {"0.10.1.1", 100101, "0.10.1.post1"}, // a hot fix counts as a post release
        {"1.0.0", 1000000, "1.0.0"},
        {"99.99.99.post99", 99999999, "99.99.99.post99"},
    };
    for (size_t i = 0; i < sizeof rows / sizeof rows[0]; i++) {
        uint32_t release = 0;
        char out[32];
        assert_true(kvb_release_parse(rows[i].text, &release));
        assert_int_equal(release, rows[i].release);
        assert_string_equal(kvb_release_format(out, release), rows[i].written);
    }
    static const char *const bad[] = {"",     "v",       "0",        "0.",     "latest",     "0.6.x",
                                      "0..1", "0.100.0", "0.6.4foo", "-0.6.4", "0.6.4rc1\n", "0.6.4.5.6"};
    for (size_t i = 0; i < sizeof bad / sizeof bad[0]; i++) {
        uint32_t release = 5;
        assert_false(kvb_release_parse(bad[i], &release));
        assert_int_equal(release, 5);
    }
}

KVB_TEST_MAIN(cmocka_unit_test(every_row_is_complete), cmocka_unit_test(every_word_reads_back),
              cmocka_unit_test(values_are_read_as_vllm_reads_them), cmocka_unit_test(bad_values_say_what_would_do),
              cmocka_unit_test(a_long_value_is_cut), cmocka_unit_test(a_higher_origin_stays),
              cmocka_unit_test(releases_sort_and_read_back))
