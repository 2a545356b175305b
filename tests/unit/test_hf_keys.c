// The key table walked: every row is whole, every name is found again, no name means two things.
#include <stdio.h>
#include <string.h>

#include "model/config/hf.h"
#include "text/file.h"
#include "unit/test.h"

#define NAMES (sizeof((struct kvb_hf_key_row *)0)->names / sizeof((struct kvb_hf_key_row *)0)->names[0])

static void every_row_is_whole(void **state)
{
    (void)state;
    for (int key = 0; key < HF_KEY_COUNT; key++) {
        const struct kvb_hf_key_row *row = kvb_hf_row((enum kvb_hf_key)key);
        if (!row->names[0]) {
            fail_msg("key %d has no row", key);
        }
        assert_true(row->section < HF_SECTION_COUNT && row->kind <= HF_RAW);
        assert_true(row->minimum <= row->maximum);
        assert_true(row->kind != HF_COUNT || row->maximum > 0);
        assert_true(row->kind != HF_GROUP || row->child < HF_SECTION_COUNT);
    }
}

static void every_name_is_found(void **state)
{
    (void)state;
    for (int key = 0; key < HF_KEY_COUNT; key++) {
        const struct kvb_hf_key_row *row = kvb_hf_row((enum kvb_hf_key)key);
        for (size_t i = 0; i < NAMES && row->names[i]; i++) {
            if (kvb_hf_key_find((enum kvb_hf_section)row->section, row->names[i]) != (enum kvb_hf_key)key) {
                fail_msg("%s stands in two rows of one section", row->names[i]);
            }
        }
    }
    assert_int_equal(kvb_hf_key_find(HF_TEXT, "no_such_key"), HF_KEY_COUNT);
    assert_int_equal(kvb_hf_key_find(HF_ROPE, "hidden_size"), HF_KEY_COUNT);
}

static void the_top_takes_both(void **state)
{
    (void)state;
    assert_int_equal(kvb_hf_key_find(HF_TOP, "hidden_size"), HF_HIDDEN);
    assert_int_equal(kvb_hf_key_find(HF_TOP, "vision_config"), HF_VISION_CONFIG);
    assert_int_equal(kvb_hf_key_find(HF_TEXT, "vision_config"), HF_KEY_COUNT);
}

static void every_class_is_whole(void **state)
{
    uint32_t count;
    const struct kvb_hf_architecture *rows = kvb_hf_architecture_rows(&count);
    (void)state;
    for (uint32_t i = 0; i < count; i++) {
        if (rows[i].traits & HF_WRAPS) {
            assert_non_null(rows[i].finish);
        } else {
            assert_non_null(rows[i].attention);
            assert_non_null(rows[i].mlp);
        }
        assert_true(rows[i].pattern <= HF_PATTERN_MAMBA);
        assert_ptr_equal(kvb_hf_architecture_find(rows[i].name), &rows[i]); // no name twice
        for (const struct kvb_hf_default *row = rows[i].defaults; row && row->key != HF_KEY_COUNT; row++) {
            assert_true(row->key < HF_KEY_COUNT);
        }
    }
    assert_null(kvb_hf_architecture_find("NoSuchForCausalLM"));
}

static void every_class_is_documented(void **state)
{
    char word[96];
    uint32_t count;
    struct kvb_file file;
    struct kvb_problems problems;
    const struct kvb_hf_architecture *rows = kvb_hf_architecture_rows(&count);
    (void)state;
    kvb_problems_init(&problems);
    assert_int_equal(kvb_file_read(&file, KVB_SOURCE_DIR "/docs/model-classes.md", KVB_FILE_MAX_BYTES, &problems),
                     KVB_OK);
    for (uint32_t i = 0; i < count; i++) {
        (void)snprintf(word, sizeof word, "- `%s`\n", rows[i].name);
        if (!strstr(file.text, word)) {
            fail_msg("docs/model-classes.md does not name %s", rows[i].name);
        }
    }
    kvb_file_free(&file);
}

struct ratio_row {
    const char *text;
    uint64_t millionths;
};
static const struct ratio_row ratios[] = {
    {"0.5", 500000},
    {"8.0", 8000000},
    {"1e3", 1000000000},
    {"1.5e-1", 150000},
    {"0.334", 334000},
    {"40", 40000000},
    {"0", 0},
    {"1E2", 100000000},
    {"2.625", 2625000},
    {".25", 250000},
    {"0.0000019", 1},
    {"1000000.0", 1000000000000},
    {"0.333333333333333333333333", 333333},
};
static const char *const no_ratios[] = {"",     ".",   "-1",  "1.2.3", "x",  "1e",
                                        "1e99", "nan", "inf", "0x10",  "1 ", "99999999999999999999999999"};

static void decimals_are_exact(void **state)
{
    uint64_t value;
    (void)state;
    for (size_t i = 0; i < sizeof ratios / sizeof ratios[0]; i++) {
        if (!kvb_hf_parse_ratio(ratios[i].text, &value) || value != ratios[i].millionths) {
            fail_msg("%s is read as %llu", ratios[i].text, (unsigned long long)value);
        }
    }
    for (size_t i = 0; i < sizeof no_ratios / sizeof no_ratios[0]; i++) {
        if (kvb_hf_parse_ratio(no_ratios[i], &value)) {
            fail_msg("'%s' is taken for a number", no_ratios[i]);
        }
    }
}

KVB_TEST_MAIN(cmocka_unit_test(every_row_is_whole), cmocka_unit_test(every_name_is_found),
              cmocka_unit_test(the_top_takes_both), cmocka_unit_test(every_class_is_whole),
              cmocka_unit_test(decimals_are_exact), cmocka_unit_test(every_class_is_documented))
