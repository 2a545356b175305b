// docs/profile-format.md has one table line per key, word for word as the rows describe it, and every
// row fits its member: numbers have its width, a word list is not empty.
#include <stdio.h>
#include <string.h>

#include "base/buffer.h"
#include "catalogue/profile.h"
#include "deployment/schemas.h"
#include "text/file.h"
#include "unit/test.h"

static void add_value(struct kvb_buffer *line, const struct kvb_field_row *row)
{
    switch (row->kind) {
    case KVB_FIELD_TEXT:
        kvb_buffer_printf(line, "text, at most %zu characters", row->size - 1);
        return;
    case KVB_FIELD_WORD:
        for (size_t i = 0; row->words[i]; i++) {
            kvb_buffer_printf(line, "%s`%s`", i ? ", " : "", row->words[i]);
        }
        return;
    case KVB_FIELD_WHOLE:
        kvb_buffer_printf(line, "whole number, %llu to %llu", (unsigned long long)row->minimum,
                          (unsigned long long)row->maximum);
        return;
    case KVB_FIELD_SWITCH:
        kvb_buffer_add(line, "`true` or `false`");
        return;
    case KVB_FIELD_SIZE:
        kvb_buffer_add(line, "size");
        return;
    case KVB_FIELD_RELEASE:
        kvb_buffer_add(line, "release");
        return;
    case KVB_FIELD_TEXT_LIST:
    case KVB_FIELD_SIZE_LIST:
        kvb_buffer_printf(line, "list of at most %llu %s", (unsigned long long)row->maximum,
                          row->kind == KVB_FIELD_SIZE_LIST ? "sizes" : "texts");
        return;
    case KVB_FIELD_MAPPING:
        kvb_buffer_add(line, "mapping");
        return;
    case KVB_FIELD_MAPPING_LIST:
        kvb_buffer_add(line, "list of mappings");
        return;
    case KVB_FIELD_TEXT_OR_MAPPING:
        kvb_buffer_add(line, "text or mapping");
        return;
    default:
        fail_msg("no profile has a key of kind %d", (int)row->kind);
    }
}

static void check_row(const struct kvb_schema *schema, const struct kvb_field_row *row, const char *document)
{
    struct kvb_buffer line;
    kvb_buffer_init(&line);
    kvb_buffer_printf(&line, "| `%s` | ", row->key);
    add_value(&line, row);
    kvb_buffer_printf(&line, " | %s%s |\n", row->help, row->required ? " (needed)" : "");
    if (!strstr(document, line.data)) {
        fail_msg("%s: docs/profile-format.md lacks the line\n%s", schema->noun, line.data);
    }
    assert_true(row->kind != KVB_FIELD_WORD || (row->words && row->words[0]));
    assert_true(row->kind != KVB_FIELD_WHOLE || row->size == sizeof(uint64_t) || row->size == sizeof(uint32_t));
    assert_true(row->kind != KVB_FIELD_SIZE || row->size == sizeof(uint64_t));
    assert_true(row->kind != KVB_FIELD_WORD || row->size == sizeof(uint32_t));
    kvb_buffer_free(&line);
}

static void test_every_key_is_documented(void **state)
{
    (void)state;
    struct kvb_file document;
    struct kvb_problems problems;
    kvb_problems_init(&problems);
    assert_int_equal(kvb_file_read(&document, KVB_SOURCE_DIR "/docs/profile-format.md", 1 << 20, &problems), KVB_OK);
    for (int kind = 0; kind < KVB_PROFILE_KIND_COUNT; kind++) {
        const struct kvb_schema *schema = kvb_profile_schema((enum kvb_profile_kind)kind);
        for (size_t i = 0; schema && i < schema->row_count; i++) {
            check_row(schema, &schema->rows[i], document.text);
        }
    }
    assert_null(kvb_profile_schema(KVB_PROFILE_MODEL));
    kvb_file_free(&document);
}

KVB_TEST_MAIN(cmocka_unit_test(test_every_key_is_documented))
