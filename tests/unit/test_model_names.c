// Words for attention kinds, number formats, quantisations, roles, items, verdicts and origins.
#include <string.h>

#include <kvbudget/kvbudget.h>

#include "unit/test.h"

typedef const char *namer(uint32_t);

static const char *attention(uint32_t i)
{
    return kvb_attention_name((enum kvb_attention)i);
}

static const char *dtype(uint32_t i)
{
    return kvb_dtype_name((enum kvb_dtype)i);
}

static const char *quantisation(uint32_t i)
{
    return kvb_quantisation_name((enum kvb_quantisation_method)i);
}

static const char *role(uint32_t i)
{
    return kvb_role_name((enum kvb_role)i);
}

// Every number has a word of its own; one beyond the last is "unknown".
static void every_kind_has_a_word(void **state)
{
    (void)state;
    static const struct {
        namer *name;
        uint32_t count;
    } rows[] = {{attention, KVB_ATTENTION_COUNT},
                {dtype, KVB_DTYPE_COUNT},
                {quantisation, KVB_QUANT_COUNT},
                {role, KVB_ROLE_COUNT}};
    for (size_t i = 0; i < sizeof rows / sizeof rows[0]; i++) {
        for (uint32_t kind = 0; kind < rows[i].count; kind++) {
            assert_string_not_equal(rows[i].name(kind), "unknown");
            for (uint32_t other = 0; other < kind; other++) {
                assert_string_not_equal(rows[i].name(kind), rows[i].name(other));
            }
        }
        assert_string_equal(rows[i].name(rows[i].count), "unknown");
    }
}

static void sizes_of_formats(void **state)
{
    (void)state;
    assert_int_equal(kvb_dtype_bytes(KVB_DTYPE_BF16), 2);
    assert_int_equal(kvb_dtype_bytes(KVB_DTYPE_FP16), 2);
    assert_int_equal(kvb_dtype_bytes(KVB_DTYPE_FP32), 4);
    assert_int_equal(kvb_dtype_bytes(KVB_DTYPE_COUNT), 0);
}

static void words_of_an_answer(void **state)
{
    (void)state;
    assert_string_equal(kvb_verdict_name(KVB_FITS), "fits");
    assert_string_equal(kvb_verdict_name(KVB_TIGHT), "tight");
    assert_string_equal(kvb_verdict_name(KVB_DOES_NOT_FIT), "does_not_fit");
    static const char *const keys[] = {"weights_bytes",  "activation_bytes", "non_torch_bytes", "cuda_graph_bytes",
                                       "reserved_bytes", "other_bytes",      "kv_cache_bytes"};
    for (uint32_t item = 0; item < KVB_ITEM_COUNT; item++) {
        assert_string_equal(kvb_item_row_of(item)->key, keys[item]);
        assert_true(strlen(kvb_item_row_of(item)->label) > 0 && strlen(kvb_item_row_of(item)->help) > 0);
    }
    assert_string_equal(kvb_origin_name(KVB_ORIGIN_DEFAULT), "default");
    assert_string_equal(kvb_origin_name(KVB_ORIGIN_PROFILE), "profile");
    assert_string_equal(kvb_origin_name(KVB_ORIGIN_COMMAND), "command");
    assert_string_equal(kvb_origin_name(KVB_ORIGIN_FLAG), "flag");
}

// Numbers without a row of their own are shown as what they are.
static void odd_values_of_settings(void **state)
{
    (void)state;
    char out[48], why[256];
    uint64_t number = 0;
    assert_string_equal(kvb_setting_format(out, KVB_SET_DTYPE, 99), "unknown");
    assert_string_equal(kvb_setting_format(out, KVB_SET_NUM_SPECULATIVE_TOKENS, 4), "4");
    assert_string_equal(kvb_setting_format(out, KVB_SET_CPU_OFFLOAD_GB, 1610612736), "1.5");
    assert_true(kvb_setting_parse(KVB_SET_LIMIT_IMAGES, "2", &number, why));
    assert_int_equal(number, 2);
    assert_false(kvb_setting_parse(KVB_SET_LIMIT_IMAGES, "two", &number, why));
    assert_false(kvb_setting_parse(KVB_SET_CPU_OFFLOAD_GB, "much", &number, why));
    assert_false(kvb_setting_parse(KVB_SET_MAX_NUM_SEQS, "many", &number, why));
}

static void odd_releases(void **state)
{
    (void)state;
    static const char *const bad[] = {"0.6.100", "0.6.4.post100", "0.6.4rc/1", "0.6.4+CU[", "0.6.4.", "0.6.4-{"};
    uint32_t release = 7;
    for (size_t i = 0; i < sizeof bad / sizeof bad[0]; i++) {
        assert_false(kvb_release_parse(bad[i], &release));
        assert_int_equal(release, 7);
    }
    assert_true(kvb_release_parse("0.9.2+CU128.Zz_1", &release));
    assert_int_equal(release, KVB_RELEASE(0, 9, 2));
    char out[32];
    assert_string_equal(kvb_release_format(out, 123 * 1000000U), "123.0.0");
}

KVB_TEST_MAIN(cmocka_unit_test(every_kind_has_a_word), cmocka_unit_test(sizes_of_formats),
              cmocka_unit_test(words_of_an_answer), cmocka_unit_test(odd_values_of_settings),
              cmocka_unit_test(odd_releases))
