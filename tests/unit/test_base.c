// Text, buffers, problems and checked arithmetic.
#include <stdio.h>
#include <string.h>
#include <wchar.h>

#include <kvbudget/gpu.h>
#include <kvbudget/problem.h>
#include <kvbudget/version.h>

#include "base/arena.h"
#include "base/buffer.h"
#include "base/checked.h"
#include "base/memory.h"
#include "base/text.h"
#include "unit/test.h"

static void test_copy(void **state)
{
    (void)state;
    char out[4];
    assert_true(kvb_copy(out, sizeof out, "abc"));
    assert_string_equal(out, "abc");
    assert_false(kvb_copy(out, sizeof out, "abcd"));
    assert_string_equal(out, "abc");
    assert_true(kvb_copy(out, sizeof out, ""));
    assert_string_equal(out, "");
    kvb_append(out, sizeof out, "ab", 2);
    kvb_append(out, sizeof out, "cde", 3); // as far as there is room
    assert_string_equal(out, "abc");
    kvb_append(out, sizeof out, "d", 1);
    assert_string_equal(out, "abc");
}

static void test_compare(void **state)
{
    (void)state;
    assert_true(kvb_equal_ignoring_case("NVIDIA L4", "nvidia l4"));
    assert_false(kvb_equal_ignoring_case("a", "ab"));
    assert_false(kvb_equal_ignoring_case("ab", "a"));
    assert_true(kvb_starts_with("abc", "ab") && kvb_starts_with("abc", "") && !kvb_starts_with("a", "ab"));
    assert_true(kvb_contains_ignoring_case("xEAGLE3", "eagle") && kvb_contains_ignoring_case("", ""));
    assert_false(kvb_contains_ignoring_case("eagl", "eagle"));
    assert_true(kvb_contains_ignoring_case("a{B", "{b"));
    assert_false(kvb_contains_ignoring_case("a[b", "{b")); // '[' is '{' less the distance of a letter to its capital
}

// One rule for every flag and key that takes a name or a path.
static void test_path(void **state)
{
    (void)state;
    static const char *const paths[] = {"-",    "./x",    "/x",    "~/x",    "../x",   ".",       "a/b/c",
                                        "a\\b", "x.yaml", "x.YML", "x.json", "m.gguf", "a/b.yaml"};
    static const char *const names[] = {"",       "Qwen/Qwen3-8B", "qwen3-8b", "l4", "vllm@0.19.0",
                                        "2xh100", "yaml",          "a.yamlx"};
    for (size_t i = 0; i < sizeof paths / sizeof paths[0]; i++) {
        assert_true(kvb_is_path(paths[i]));
    }
    for (size_t i = 0; i < sizeof names / sizeof names[0]; i++) {
        assert_false(kvb_is_path(names[i]));
    }
    assert_true(kvb_ends_with("a.YAML", ".yaml") && kvb_ends_with("a", "") && !kvb_ends_with("l", ".yaml"));
    char ended[16] = "B-GGUF";
    assert_true(kvb_cut_ending(ended, "-gguf") && strcmp(ended, "B") == 0);
    assert_false(kvb_cut_ending(ended, "-GGUF") || kvb_cut_ending(ended, "b"));
    assert_string_equal(ended, "B");
}

static void test_distance(void **state)
{
    (void)state;
    assert_int_equal(kvb_edit_distance("kitten", "sitting"), 3); // the textbook pair
    assert_int_equal(kvb_edit_distance("", "abc"), 3);
    assert_int_equal(kvb_edit_distance("ABC", "abc"), 0);
    assert_int_equal(kvb_edit_distance("modle", "model"), 1); // two letters swapped
    char longer[300];
    memset(longer, 'a', sizeof longer);
    longer[299] = '\0';
    assert_int_equal(kvb_edit_distance(longer, "b"), 128);
    struct kvb_nearest nearest;
    kvb_nearest_init(&nearest, "max_model_length");
    kvb_nearest_offer(&nearest, "block_size");
    assert_null(nearest.best);
    kvb_nearest_offer(&nearest, "max_model_len");
    kvb_nearest_offer(&nearest, "max_model_lens");
    assert_string_equal(nearest.best, "max_model_len"); // of two as near, the first
}

struct printable_row {
    const char *text;
    const char *expected;
};

static void test_printable(void **state)
{
    (void)state;
    static const struct printable_row rows[] = {
        {"plain", "plain"},
        {"\x1b[31mred", "?[31mred"},
        {"a\nb\tc\x7f", "a?b?c?"},
        {"mod\xc3\xa8le", "mod\xc3\xa8le"},
        {"\xc2\x9b"
         "31m",
         "??31m"}, // C1 control
        {"\xe2\x80\xae"
         "abc",
         "???abc"},                       // right-to-left override
        {"\xe2\x82\xac", "\xe2\x82\xac"}, // euro
        {"\xf0\x9f\x98\x80", "\xf0\x9f\x98\x80"},
        {"\xff\xc3", "??"},           // broken, and cut
        {"\xed\xa0\x80", "???"},      // surrogate
        {"\xc0\xaf", "??"},           // overlong
        {"\xf4\x90\x80\x80", "????"}, // beyond Unicode
    };
    for (size_t i = 0; i < sizeof rows / sizeof rows[0]; i++) {
        char text[32];
        assert_true(kvb_copy(text, sizeof text, rows[i].text));
        kvb_make_printable(text);
        assert_string_equal(text, rows[i].expected);
    }
}

static void test_buffer(void **state)
{
    (void)state;
    struct kvb_buffer buffer;
    kvb_buffer_init(&buffer);
    kvb_buffer_add(&buffer, "");
    assert_string_equal(buffer.data, "");
    for (int i = 0; i < 1000; i++) {
        kvb_buffer_printf(&buffer, "%03d,", i);
    }
    kvb_buffer_fill(&buffer, '-', 3);
    assert_int_equal(buffer.length, 4003);
    assert_string_equal(buffer.data + 3996, "999,---");
    kvb_memory_fail_after(1);
    kvb_buffer_fill(&buffer, 'x', 100000);
    kvb_memory_fail_after(0);
    assert_true(buffer.failed);
    kvb_buffer_add(&buffer, "ignored");
    assert_int_equal(buffer.length, 4003);
    kvb_buffer_fill(&buffer, ' ', SIZE_MAX);
    kvb_buffer_free(&buffer);
    kvb_buffer_fill(&buffer, ' ', SIZE_MAX / 2);
    assert_true(buffer.failed);
}

static void test_arena(void **state)
{
    (void)state;
    struct kvb_arena arena;
    kvb_arena_init(&arena);
    for (size_t size = 1; size < 100000; size = size * 3 + 1) {
        unsigned char *piece = kvb_arena_take(&arena, size);
        assert_non_null(piece);
        assert_int_equal((uintptr_t)piece % sizeof(void *), 0);
        assert_int_equal(piece[0] | piece[size - 1], 0);
        memset(piece, 0xAB, size);
    }
    assert_null(kvb_arena_take(&arena, SIZE_MAX));
    kvb_arena_free(&arena);
}

static void test_problems(void **state)
{
    (void)state;
    struct kvb_problems problems;
    struct kvb_place place = {"f.yaml", 3, 7};
    kvb_problems_init(&problems);
    assert_int_equal(kvb_problems_status(&problems), KVB_OK);
    (void)kvb_problem_add(&problems, KVB_NOTICE, KVB_OUT_OF_RANGE, place, "%s", "bell \a");
    assert_int_equal(kvb_problems_status(&problems), KVB_OK);
    assert_string_equal(problems.items[0].text, "bell ?");
    for (int i = 1; i < KVB_PROBLEMS_MAX; i++) {
        (void)kvb_problem_add(&problems, KVB_WARNING, KVB_BAD_TYPE, place, "w");
    }
    char longer[2000];
    memset(longer, 'x', sizeof longer);
    longer[1999] = '\0';
    // Full of milder things: an error still gets in.
    assert_int_equal(kvb_problem_add(&problems, KVB_ERROR, KVB_OVERFLOW, place, "%s", longer), KVB_OVERFLOW);
    assert_int_equal(kvb_problems_status(&problems), KVB_OVERFLOW);
    assert_int_equal(problems.count, KVB_PROBLEMS_MAX);
    assert_int_equal(problems.dropped, 1);
    const char *text = problems.items[KVB_PROBLEMS_MAX - 1].text;
    assert_string_equal(text + strlen(text) - 4, "x...");
    (void)kvb_problem_add(&problems, KVB_NOTICE, KVB_BAD_TYPE, place, "too late");
    assert_int_equal(problems.dropped, 2);
    // Errors take the places of what is milder from the end on; full of errors, the next is counted and not kept.
    for (int i = 0; i < KVB_PROBLEMS_MAX; i++) {
        (void)kvb_problem_add(&problems, KVB_ERROR, KVB_BAD_TYPE, place, "%d", i);
    }
    assert_int_equal(problems.dropped, 2 + KVB_PROBLEMS_MAX);
    assert_string_equal(problems.items[KVB_PROBLEMS_MAX - 2].text, "0");
    assert_int_equal(problems.items[0].status, KVB_BAD_TYPE);
    assert_int_equal(kvb_problems_status(NULL), KVB_OK);
}

// A character that the locale of programs, "C", cannot write.
static void test_what_cannot_be_written(void **state)
{
    (void)state;
    struct kvb_problems problems;
    kvb_problems_init(&problems);
    (void)kvb_problem_add(&problems, KVB_ERROR, KVB_BAD_TYPE, (struct kvb_place){0}, "%lc", (wint_t)0x110000);
    assert_string_equal(problems.items[0].text, "(this sentence could not be written)");
    struct kvb_buffer buffer;
    kvb_buffer_init(&buffer);
    kvb_buffer_add(&buffer, "before");
    kvb_buffer_printf(&buffer, "%lc", (wint_t)0x110000);
    assert_true(buffer.failed);
    assert_string_equal(buffer.data, "before");
    kvb_buffer_free(&buffer);
}

static void test_words(void **state)
{
    (void)state;
    static const char *const assignments[] = {"A=1", "_x2=", "Z_=a=b"};
    static const char *const others[] = {"=1", "9a=1", "a-b=1", "A", ""};
    for (size_t i = 0; i < sizeof assignments / sizeof assignments[0]; i++) {
        assert_true(kvb_is_assignment(assignments[i]));
    }
    for (size_t i = 0; i < sizeof others / sizeof others[0]; i++) {
        assert_false(kvb_is_assignment(others[i]));
    }
    assert_string_equal(kvb_basis_name(KVB_BASIS_NAMEPLATE), "nameplate");
    assert_string_equal(kvb_basis_name(KVB_BASIS_COUNT), "unknown");
}

// A program compiled with the headers of another release is told so.
static void test_version(void **state)
{
    (void)state;
    assert_int_equal(kvb_init(), KVB_OK);
    assert_int_equal(kvb_init_for("0.0.0"), KVB_BAD_ARGUMENT);
    assert_int_equal(kvb_init_for(NULL), KVB_BAD_ARGUMENT);
}

struct status_row {
    enum kvb_status status;
    const char *name;
    int exit_code;
};

static void test_statuses(void **state)
{
    (void)state;
    static const struct status_row rows[] = {
        {KVB_OK, "ok", 0},
        {KVB_BAD_ARGUMENT, "bad_argument", 2},
        {KVB_BAD_SYNTAX, "bad_syntax", 3},
        {KVB_UNKNOWN_KIND, "unknown_kind", 3},
        {KVB_CONTRADICTION, "contradiction", 3},
        {KVB_CANNOT_OPEN, "cannot_open", 4},
        {KVB_DEVICE_FAILED, "device_failed", 4},
        {(enum kvb_status)99, "unknown", 4},
    };
    for (size_t i = 0; i < sizeof rows / sizeof rows[0]; i++) {
        assert_string_equal(kvb_status_name(rows[i].status), rows[i].name);
        assert_int_equal(kvb_status_exit_code(rows[i].status), rows[i].exit_code);
    }
}

static void test_checked(void **state)
{
    (void)state;
    assert_true(kvb_add(2, 3) == 5 && kvb_mul(2, 3) == 6);
    assert_true(kvb_is_saturated(kvb_add(UINT64_MAX, 1)) && kvb_is_saturated(kvb_mul(UINT64_MAX, 2)));
    assert_true(kvb_add(KVB_SATURATED, 1) == KVB_SATURATED && kvb_mul(KVB_SATURATED, 2) == KVB_SATURATED);
    assert_true(kvb_is_saturated(kvb_add(KVB_SATURATED, 0)) && kvb_is_saturated(kvb_mul(KVB_SATURATED, 1)));
    assert_true(kvb_div_up(0, 4) == 0 && kvb_div_up(1, 4) == 1 && kvb_div_up(4, 4) == 1 && kvb_div_up(5, 4) == 2);
    assert_true(kvb_div_up(UINT64_MAX, 1) == UINT64_MAX);
    assert_true(kvb_round_up(17, 16) == 32 && kvb_balance(3, 5) == -2);
    assert_true(kvb_less(5, 3) == 2 && kvb_less(3, 5) == 0 && kvb_less(3, 3) == 0);
    assert_true(kvb_min(1, 2) == 1 && kvb_max(1, 2) == 2);
}

// What pasting leaves in front of a flag.
static void test_slips(void **state)
{
    (void)state;
    static const char *const blanks[] = {" --x", "\t--x", "\n--x", "\r--x"};
    for (size_t i = 0; i < sizeof blanks / sizeof blanks[0]; i++) {
        assert_non_null(strstr(kvb_word_slip(blanks[i]), "begins with a blank"));
    }
    assert_non_null(strstr(kvb_word_slip("\xE2\x80\x94x"), "its dash is none"));
    assert_string_equal(kvb_word_slip("--x"), "");
    assert_string_equal(kvb_word_slip(""), "");
}

KVB_TEST_MAIN(cmocka_unit_test(test_copy), cmocka_unit_test(test_compare), cmocka_unit_test(test_path),
              cmocka_unit_test(test_distance), cmocka_unit_test(test_printable), cmocka_unit_test(test_buffer),
              cmocka_unit_test(test_arena), cmocka_unit_test(test_problems), cmocka_unit_test(test_statuses),
              cmocka_unit_test(test_checked), cmocka_unit_test(test_slips),
              cmocka_unit_test(test_what_cannot_be_written), cmocka_unit_test(test_words),
              cmocka_unit_test(test_version))
