// The writers under the reports: JSON, columns, safe text, wrapping.
#include <string.h>

#include "base/memory.h"
#include "report/columns.h"
#include "report/json_writer.h"
#include "report/plan_report.h"
#include "report/safe_text.h"
#include "unit/test.h"

static void json_is_written_in_order(void **state)
{
    (void)state;
    struct kvb_buffer out;
    struct kvb_json json;
    kvb_buffer_init(&out);
    kvb_json_init(&json, &out);
    kvb_json_open_object(&json, NULL);
    kvb_json_text(&json, "text", "a\"b\\c\n\x1b\x7f\xff");
    kvb_json_number(&json, "number", INT64_C(-9007199254740993));
    kvb_json_hundredths(&json, "times", 5205);
    kvb_json_ppm(&json, "share", 900000);
    kvb_json_open_list(&json, "list");
    kvb_json_close_list(&json);
    kvb_json_open_list(&json, "two");
    kvb_json_bool(&json, NULL, true);
    kvb_json_null(&json, NULL);
    kvb_json_close_list(&json);
    kvb_json_close_object(&json);
    kvb_json_finish(&json);
    assert_string_equal(out.data, "{\n"
                                  "  \"text\": \"a\\\"b\\\\c\\n\\u001b\\u007f\\ufffd\",\n"
                                  "  \"number\": -9007199254740993,\n"
                                  "  \"times\": 52.05,\n"
                                  "  \"share\": 0.90,\n"
                                  "  \"list\": [],\n"
                                  "  \"two\": [\n"
                                  "    true,\n"
                                  "    null\n"
                                  "  ]\n"
                                  "}\n");
    kvb_buffer_free(&out);
}

static void text_cannot_reach_the_terminal_raw(void **state)
{
    (void)state;
    static const struct {
        const char *text, *safe;
    } rows[] = {
        {"plain", "plain"},
        {"\x1b[31mred\r\n\t\x7f", "?[31mred????"},
        {"gr\xc3\xbc\xc3\x9f", "gr\xc3\xbc\xc3\x9f"}, // UTF-8 is kept
        {"\xc2\x9b"
         "31m",
         "?31m"}, // an 8-bit control character
        {"\xe2\x80\xae"
         "abc",
         "?abc"},                // right-to-left override
        {"\xff\xc3", "??"},      // broken UTF-8
        {"\xed\xa0\x80", "???"}, // a surrogate
        {"\xc0\xaf", "??"},      // overlong
    };
    for (size_t i = 0; i < sizeof rows / sizeof rows[0]; i++) {
        struct kvb_buffer out;
        kvb_buffer_init(&out);
        kvb_text_add_safe(&out, rows[i].text);
        assert_string_equal(out.data, rows[i].safe);
        kvb_buffer_free(&out);
    }
}

static void lines_are_wrapped_at_blanks(void **state)
{
    (void)state;
    struct kvb_buffer out;
    kvb_buffer_init(&out);
    kvb_text_add_wrapped(&out, "one two three four\nfive https://example.com/a-very-long-word-indeed", 2, 16);
    assert_string_equal(out.data, "  one two three\n  four\n  five\n  https://example.com/a-very-long-word-indeed\n");
    kvb_buffer_free(&out);
}

static void columns_are_aligned_without_trailing_blanks(void **state)
{
    (void)state;
    struct kvb_buffer out;
    struct kvb_columns columns;
    kvb_buffer_init(&out);
    kvb_columns_init(&columns, "lrl", 1, 2);
    kvb_columns_cell(&columns, "a");
    kvb_columns_cell(&columns, "10");
    kvb_columns_cell(&columns, "note");
    kvb_columns_end_row(&columns);
    kvb_columns_cell(&columns, "longer");
    kvb_columns_cell(&columns, "5");
    kvb_columns_end_row(&columns);
    kvb_columns_write(&columns, &out);
    assert_string_equal(out.data, " a       10  note\n longer   5\n");
    kvb_buffer_free(&out);
}

static void a_failed_allocation_is_kept(void **state)
{
    (void)state;
    for (unsigned long n = 1; n < 4; n++) {
        struct kvb_buffer out;
        struct kvb_columns columns;
        kvb_buffer_init(&out);
        kvb_memory_fail_after(n);
        kvb_columns_init(&columns, "l", 0, 2);
        for (int i = 0; i < 200; i++) {
            kvb_columns_cell(&columns, "a cell of some length, so that the buffer has to grow");
            kvb_columns_end_row(&columns);
        }
        kvb_columns_write(&columns, &out);
        kvb_memory_fail_after(0);
        assert_true(out.failed);
        kvb_buffer_free(&out);
    }
}

// An engine's own names stand under the item that holds them, and beside all where the host does.
static void parts_of_an_engine_are_shown(void **state)
{
    (void)state;
    struct kvb_plan *plan = kvb_reallocate(NULL, sizeof *plan);
    struct kvb_budget *budget = kvb_reallocate(NULL, sizeof *budget);
    memset(plan, 0, sizeof *plan);
    memset(budget, 0, sizeof *budget);
    (void)memcpy(plan->engine.name, "generic", 8);
    budget->requested_bytes = 3ULL << 30;
    budget->items[KVB_ITEM_KV_CACHE] = (struct kvb_term){3LL << 30, 3LL << 30, 3LL << 30, KVB_BASIS_MODELLED};
    budget->parts[0] =
        (struct kvb_budget_part){"window_pool_bytes", "window pool", KVB_ITEM_KV_CACHE, false, 1LL << 30};
    budget->parts[1] =
        (struct kvb_budget_part){"host_cache_bytes", "hierarchical cache", KVB_ITEM_KV_CACHE, true, 2LL << 30};
    budget->part_count = 2;
    (void)memcpy(budget->requested_as, "weights and pools", 18);
    const struct kvb_plan_report report = {.plan = plan, .budget = budget};
    struct kvb_buffer out;
    kvb_buffer_init(&out);
    kvb_render_plan_budget(&out, &report);
    assert_non_null(strstr(out.data, "  requested                 3.00 GiB  100.0 %  weights and pools\n"
                                     "    KV cache                3.00 GiB  100.0 %  what is left\n"
                                     "      window pool           1.00 GiB\n"
                                     "  slack                     0.00 GiB           free while serving\n"
                                     "  host: hierarchical cache  2.00 GiB\n"));
    kvb_buffer_free(&out);
    kvb_free(budget);
    kvb_free(plan);
}

KVB_TEST_MAIN(cmocka_unit_test(json_is_written_in_order), cmocka_unit_test(text_cannot_reach_the_terminal_raw),
              cmocka_unit_test(lines_are_wrapped_at_blanks),
              cmocka_unit_test(columns_are_aligned_without_trailing_blanks),
              cmocka_unit_test(a_failed_allocation_is_kept), cmocka_unit_test(parts_of_an_engine_are_shown))
