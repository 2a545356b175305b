// Every row of the line tables: its specimen matches it and no other row; its anchor can be searched for.
#include <stdio.h>
#include <string.h>

#include "logs/lines.h"
#include "logs/scan.h"
#include "unit/test.h"

// Rows that any text about memory or any Python program may match beside the row that is meant.
static bool is_companion(const struct kvb_line_row *row)
{
    return row->event == KVB_EVENT_NEAR || row->event == KVB_EVENT_EXCEPTION;
}

// The row that a text is taken for at `at`, by the rule of the reader: the first of the table that fits.
static const struct kvb_line_row *row_at(const struct kvb_scanner *scanner, uint16_t entry, const char *text, size_t at)
{
    size_t length = strlen(text);
    for (; entry != 0; entry = kvb_scanner_following(scanner, entry, text + at)) {
        const struct kvb_scan_entry *candidate = &scanner->entries[entry];
        struct kvb_hole holes[KVB_HOLES_MAX];
        size_t end;
        if (candidate->row == NULL) { // a form
            continue;
        }
        for (size_t from = candidate->leading_hole ? 0 : at; from <= at; from++) {
            if (kvb_pattern_match(candidate->row->pattern, text, length, from, holes, &end) && end > at) {
                return candidate->row;
            }
        }
    }
    return NULL;
}

static void check_specimen(const struct kvb_scanner *scanner, const struct kvb_line_row *wanted)
{
    size_t length = strlen(wanted->specimen);
    uint16_t entry = 0;
    bool found = false;
    size_t at = 0;
    while ((at = kvb_scanner_next(scanner, wanted->specimen, length, at, length, &entry)) < length) {
        const struct kvb_line_row *row = row_at(scanner, entry, wanted->specimen, at);
        if (row == wanted) {
            found = true;
        } else if (row != NULL && !is_companion(row)) {
            fail_msg("specimen '%s' of '%s' is taken for '%s' too", wanted->specimen, wanted->pattern, row->pattern);
        }
        at++;
    }
    if (!found) {
        fail_msg("specimen '%s' is not taken for its own row '%s'", wanted->specimen, wanted->pattern);
    }
}

static void each_row(void (*check)(const struct kvb_scanner *scanner, const struct kvb_line_row *row))
{
    static struct kvb_scanner scanner;
    kvb_scanner_init(&scanner);
    for (size_t t = 0; t < KVB_LINE_TABLES; t++) {
        for (size_t i = 0; i < kvb_line_tables[t]->count; i++) {
            check(&scanner, &kvb_line_tables[t]->rows[i]);
        }
    }
}

static void test_specimens(void **state)
{
    (void)state;
    each_row(check_specimen);
}

static void check_shape(const struct kvb_scanner *scanner, const struct kvb_line_row *row)
{
    const char *anchor;
    bool leading_hole;
    (void)scanner;
    if (kvb_pattern_anchor(row->pattern, &anchor, &leading_hole) < KVB_SCAN_WINDOW) {
        fail_msg("'%s': the first literal is shorter than %d characters", row->pattern, KVB_SCAN_WINDOW);
    }
    if (kvb_pattern_holes(row->pattern) > KVB_ROW_GIVES_MAX) {
        fail_msg("'%s' has more holes than a row can give", row->pattern);
    }
    if (row->since != 0 && row->until != 0 && row->since > row->until) {
        fail_msg("'%s': its releases end before they begin", row->pattern);
    }
    if (row->specimen == NULL || row->specimen[0] == '\0') {
        fail_msg("'%s' has no specimen", row->pattern);
    }
}

static void test_shapes(void **state)
{
    (void)state;
    each_row(check_shape);
}

static void test_all_rows_are_searched_for(void **state)
{
    (void)state;
    static struct kvb_scanner scanner;
    size_t rows = 0;
    kvb_scanner_init(&scanner);
    for (size_t t = 0; t < KVB_LINE_TABLES; t++) {
        rows += kvb_line_tables[t]->count;
    }
    assert_int_equal(scanner.count, rows + kvb_form_anchor_count);
}

// A pattern as the page writes it.
static void page_text(const char *pattern, char out[512])
{
    size_t used = 0;
    out[used++] = '`';
    for (const char *p = pattern; *p != '\0' && used < 480; p++) {
        if (strncmp(p, "\xe2\x96\x88", 3) == 0) {
            memcpy(out + used, "<block>", 7);
            used += 7;
            p += 2;
        } else {
            out[used++] = *p == '`' ? '\'' : *p;
        }
    }
    memcpy(out + used, "` |", 4);
}

static char page[64 * 1024];

static void check_page(const struct kvb_scanner *scanner, const struct kvb_line_row *row)
{
    char text[512];
    (void)scanner;
    page_text(row->pattern, text);
    if (strstr(page, text) == NULL) {
        fail_msg("docs/log-lines.md does not list %s", text);
    }
}

// The page of recognised lines names every row, and no more rows than there are.
static void test_page(void **state)
{
    (void)state;
    FILE *file = fopen(KVB_SOURCE_DIR "/docs/log-lines.md", "r");
    assert_non_null(file);
    size_t length = fread(page, 1, sizeof page - 1, file);
    fclose(file);
    page[length] = '\0';
    each_row(check_page);
    size_t listed = 0;
    size_t rows = 0;
    const char *begin = strstr(page, "\n## ");
    assert_non_null(begin);
    for (const char *p = begin; (p = strstr(p, "\n| `")) != NULL; p++) {
        listed++;
    }
    for (size_t t = 0; t < KVB_LINE_TABLES; t++) {
        rows += kvb_line_tables[t]->count;
    }
    assert_int_equal(listed, rows);
}

static void test_words(void **state)
{
    (void)state;
    for (unsigned i = 0; i < KVB_OBS_COUNT; i++) {
        assert_non_null(kvb_observation_row_of(i)->key);
        assert_non_null(kvb_observation_row_of(i)->label);
    }
    for (unsigned i = 0; i < KVB_FAILURE_COUNT; i++) {
        assert_non_null(kvb_failure_name((enum kvb_failure)i));
        assert_non_null(kvb_failure_title((enum kvb_failure)i));
    }
    for (unsigned i = 0; i < KVB_STAGE_COUNT; i++) {
        assert_non_null(kvb_log_stage_name((enum kvb_log_stage)i));
    }
    for (unsigned i = 0; i < KVB_LOG_ENGINE_COUNT; i++) {
        assert_non_null(kvb_log_engine_name((enum kvb_log_engine)i));
    }
}

KVB_TEST_MAIN(cmocka_unit_test(test_specimens), cmocka_unit_test(test_shapes),
              cmocka_unit_test(test_all_rows_are_searched_for), cmocka_unit_test(test_page),
              cmocka_unit_test(test_words))
