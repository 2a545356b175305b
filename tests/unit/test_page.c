// Pages of a given width: what is broken where, tables that are folded, commands that stay whole, bars.
#include <string.h>

#include "base/memory.h"
#include "report/bar.h"
#include "report/columns.h"
#include "report/page.h"
#include "report/safe_text.h"
#include "report/style.h"
#include "unit/test.h"

static void folded_is(const char *text, unsigned page_columns, const char *wanted)
{
    struct kvb_buffer out;
    kvb_buffer_init(&out);
    out.page_columns = page_columns;
    kvb_buffer_add(&out, text);
    kvb_page_fold(&out);
    assert_string_equal(out.data, wanted);
    kvb_buffer_free(&out);
}

static void long_lines_go_on_further_in(void **state)
{
    (void)state;
    folded_is("one two three four\n", 0, "one two three four\n");
    folded_is("one two three four\n", 18, "one two three four\n");
    folded_is("one two three four\nx\n", 14, "one two three\n    four\nx\n");
    folded_is("  one two three four\n", 12, "  one two\n      three\n      four\n");
    folded_is("a        right\n", 10, "a\n    right\n");
    folded_is("a_word_that_is_too_long b\n", 10, "a_word_that_is_too_long\n    b\n");
    folded_is("\n\nlast", 10, "\n\nlast\n");
}

static void colours_and_bytes_take_no_columns(void **state)
{
    (void)state;
    folded_is("\033[1mone two\033[0m\n", 7, "\033[1mone two\033[0m\n");
    folded_is("\033[1mone two\033[0m\n", 6, "\033[1mone\n    two\033[0m\n");
    folded_is("\xc3\xa9\xc3\xa9\xc3\xa9 two\n", 7, "\xc3\xa9\xc3\xa9\xc3\xa9 two\n");
}

static void commands_stay_as_they_are(void **state)
{
    (void)state;
    folded_is("  vllm serve some/model --flag \\\n      --more 'a b c d e'\none two\n", 6,
              "  vllm serve some/model --flag \\\n      --more 'a b c d e'\none\n    two\n");
}

static void a_failed_page_is_left_alone(void **state)
{
    (void)state;
    struct kvb_buffer out;
    kvb_buffer_init(&out);
    out.page_columns = 40;
    kvb_page_fold(&out);
    assert_null(out.data);
    kvb_buffer_add(&out, "text of a page");
    kvb_memory_fail_after(1);
    kvb_page_fold(&out);
    kvb_memory_fail_after(0);
    assert_true(out.failed);
    kvb_buffer_free(&out);
}

static void command_is(const char *command, unsigned width, const char *wanted)
{
    struct kvb_buffer out;
    kvb_buffer_init(&out);
    kvb_text_add_command(&out, command, 2, width);
    assert_string_equal(out.data, wanted);
    kvb_buffer_free(&out);
}

static void commands_are_broken_before_flags_and_never_in_quotes(void **state)
{
    (void)state;
    command_is("vllm serve m --a 1", 40, "  vllm serve m --a 1\n");
    command_is("vllm serve model --a 1", 20, "  vllm serve model \\\n      --a 1\n");
    command_is("vllm serve model --a 1 --b 2", 24, "  vllm serve model \\\n      --a 1 --b 2\n");
    command_is("run --a '{\"x\": \"y z\"}' --b", 12,
               "  run \\\n      --a \\\n      '{\"x\": \"y z\"}' \\\n      --b\n");
    command_is("run 'it'\\''s so' --b", 12, "  run \\\n      'it'\\''s so' \\\n      --b\n");
}

static void fill(struct kvb_columns *columns, const char *const *cells, unsigned rows)
{
    for (unsigned row = 0; row < rows; row++) {
        for (unsigned i = 0; i < columns->count; i++) {
            kvb_columns_cell(columns, cells[row * columns->count + i]);
        }
        kvb_columns_end_row(columns);
    }
}

static void table_is(const char *alignment, const char *const *cells, unsigned rows, unsigned page, const char *wanted)
{
    struct kvb_buffer out;
    struct kvb_columns columns;
    kvb_buffer_init(&out);
    out.page_columns = page;
    kvb_columns_init(&columns, alignment, 0, 2);
    fill(&columns, cells, rows);
    kvb_columns_write(&columns, &out);
    assert_string_equal(out.data, wanted);
    kvb_buffer_free(&out);
}

static void text_is_broken_in_its_column_or_below_its_row(void **state)
{
    (void)state;
    static const char *const cells[] = {"key", "1", "some words that say what it is", "k", "22", "short"};
    table_is("lrl", cells, 2, 60, "key   1  some words that say what it is\nk    22  short\n");
    table_is("lrl", cells, 2, 30, "key   1  some words that say\n         what it is\nk    22  short\n");
    table_is("lrl", cells, 2, 20, "key   1\n    some words that\n    say what it is\nk    22\n    short\n");
    static const char *const word[] = {"key", "a_word_of_many_letters_without_a_blank"};
    table_is("ll", word, 1, 30, "key  a_word_of_many_letters_wi\n     thout_a_blank\n");
}

static void figures_go_on_below(void **state)
{
    (void)state;
    static const char *const cells[] = {"GiB", "first", "second", "third", "a", "1", "2", "3"};
    table_is("lrrr", cells, 2, 30, "GiB  first  second  third\na        1       2      3\n");
    table_is("lrrr", cells, 2, 20, "GiB  first  second\na        1       2\n\nGiB  third\na        3\n");
    table_is("lrrr", cells, 2, 12, "GiB  first\na        1\n\nGiB  second\na         2\n\nGiB  third\na        3\n");
}

static void a_bar_is_letters_or_blocks(void **state)
{
    (void)state;
    struct kvb_buffer out;
    size_t used = 1;
    kvb_buffer_init(&out);
    kvb_bar_add(&out, true, "WWk.");
    assert_string_equal(out.data, "WWk.");
    kvb_buffer_free(&out);
    out.blocks = true;
    kvb_bar_add(&out, false, "WW");
    kvb_bar_add(&out, true, "WW.");
    kvb_bar_add(&out, true, "");
    kvb_bar_add(&out, true, "?");
    assert_string_equal(out.data,
                        "WW\033[34m\xe2\x96\x88\xe2\x96\x88\033[0m\033[2m\xe2\x96\x91\033[0m\xe2\x96\x92\033[0m");
    kvb_buffer_free(&out);
    out.page_columns = 12;
    kvb_bar_legend(&out, true, &used, 'W', "weights");
    kvb_bar_legend(&out, true, &used, 'k', "KV");
    assert_string_equal(out.data, "  W weights\n   k KV");
    kvb_buffer_free(&out);
}

KVB_TEST_MAIN(cmocka_unit_test(long_lines_go_on_further_in), cmocka_unit_test(colours_and_bytes_take_no_columns),
              cmocka_unit_test(commands_stay_as_they_are), cmocka_unit_test(a_failed_page_is_left_alone),
              cmocka_unit_test(commands_are_broken_before_flags_and_never_in_quotes),
              cmocka_unit_test(text_is_broken_in_its_column_or_below_its_row), cmocka_unit_test(figures_go_on_below),
              cmocka_unit_test(a_bar_is_letters_or_blocks))
