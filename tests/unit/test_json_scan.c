// The streaming JSON reader: tokens, places of mistakes, limits, texts across its window.
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/memory.h"
#include "text/json_scan.h"
#include "unit/test.h"

static struct kvb_problems problems;
static struct kvb_json_scan scan;
static struct kvb_open_file file;

static void open_text(const char *text, size_t length)
{
    kvb_problems_init(&problems);
    kvb_open_memory(&file, "a.json", text, length);
    assert_int_equal(kvb_json_open(&scan, &file, 0, length, &problems), KVB_OK);
}

// One letter a token: { } [ ] k t n w, '.' the end, '!' a failure.
static void tokens_of(const char *text, char out[64])
{
    static const char letters[] = "!.{}[]ktnw";
    size_t count = 0;
    open_text(text, strlen(text));
    for (;;) {
        enum kvb_json_token token = kvb_json_next(&scan);
        assert_true(count + 1 < 64);
        out[count++] = letters[token];
        if (token == KVB_JSON_END || token == KVB_JSON_FAILED) {
            break;
        }
    }
    out[count] = '\0';
    kvb_json_close(&scan);
}

struct row {
    const char *text, *tokens, *problem; // problem: a part of it; NULL: none
};

static const struct row rows[] = {
    {"{}", "{}.", NULL},
    {" [ ] ", "[].", NULL},
    {"{\"a\": 1, \"b\": [true, null, \"x\"]}", "{knk[wwt]}.", NULL},
    {"-1.5e+10", "n.", NULL},
    {"", "!", "byte 0: the JSON ends"},
    {"{\"a\": 1", "{kn!", "byte 7: the JSON ends"},
    {"{\"a\" 1}", "{!", "byte 5: expected ':'"},
    {"{\"a\": 1,}", "{kn!", "byte 8: expected a key"},
    {"[1,]", "[n!", "byte 3: expected a JSON value"},
    {"[1 2]", "[n!", "byte 3: expected ','"},
    {"[01]", "[!", "'01' is no JSON value"},
    {"[1.]", "[!", "'1.' is no JSON value"},
    {"[NaN]", "[!", "'NaN' is no JSON value"},
    {"[+1]", "[!", "'+1' is no JSON value"},
    {"{} {}", "{}!", "byte 3: more text"},
    {"[1e5, 1E-5, 1e+5, -0]", "[nnnn].", NULL},
    {"[1e]", "[!", "'1e' is no JSON value"},
    {"[1e+]", "[!", "'1e+' is no JSON value"},
    {"[-]", "[!", "'-' is no JSON value"},
    {"[1.5.5]", "[!", "'1.5.5' is no JSON value"},
    {"[false]", "[w].", NULL},
    {"[true}", "[w!", "expected ','"},
    {"{\"a\": 1]", "{kn!", "expected ','"},
    {"[,1]", "[!", "expected a JSON value"},
    {"{,}", "{!", "expected a key in quotes"},
    {"\"\\u12", "!", "not an escape"},
    {"\"\\", "!", "not an escape"},
    {"\"\\u12`4\"", "!", "not an escape"},
    {"\"\\u12G4\"", "!", "not an escape"},
    {"\"\\u12/4\"", "!", "not an escape"},
    {"[1}", "[n!", "expected ','"},
    {"\"a\nb\"", "!", "byte 2: a control character"},
    {"\"\\q\"", "!", "not an escape"},
    {"\"\\u12g4\"", "!", "not an escape"},
    {"\"abc", "!", "the JSON ends"},
    {"{a: 1}", "{!", "expected a key in quotes"},
    {"[[[[[[[[[[[[[[[[[[[[[[[[[[[[[[[[[[", "[[[[[[[[[[[[[[[[[[[[[[[[[[[[[[[!", "nested deeper than 31 levels"},
};

static void test_tokens(void **state)
{
    (void)state;
    for (size_t i = 0; i < sizeof rows / sizeof rows[0]; i++) {
        char found[64];
        tokens_of(rows[i].text, found);
        assert_string_equal(found, rows[i].tokens);
        if (rows[i].problem == NULL) {
            assert_int_equal(problems.count, 0);
        } else if (problems.count != 1 || strstr(problems.items[0].text, rows[i].problem) == NULL) {
            fail_msg("%s: %s", rows[i].text, problems.count ? problems.items[0].text : "no problem");
        }
    }
}

static void test_escapes(void **state)
{
    (void)state;
    static const char text[] = "\"a\\u00e9\\\"\\/\\n\\ud83d\"";
    open_text(text, sizeof text - 1);
    assert_int_equal(kvb_json_next(&scan), KVB_JSON_TEXT);
    assert_string_equal(scan.text, "a\xc3\xa9\"/ ?");
    kvb_json_close(&scan);
    // either case of a digit; a control character and both halves of a pair are shown as '?'
    static const char points[] = "\"\\\\ \\u00E9\\u0001\\ud800\\udfff\\ue000\\uD7FF\"";
    open_text(points, sizeof points - 1);
    assert_int_equal(kvb_json_next(&scan), KVB_JSON_TEXT);
    assert_string_equal(scan.text, "\\ \xc3\xa9???\xee\x80\x80\xed\x9f\xbf");
    kvb_json_close(&scan);
}

// A list whose numbers lie across every multiple of the window.
static void test_across_windows(void **state)
{
    (void)state;
    enum { COUNT = 200000 };
    char *text = malloc(COUNT * 8 + 3);
    size_t length = 1;
    assert_non_null(text);
    text[0] = '[';
    for (int i = 0; i < COUNT; i++) {
        length += (size_t)snprintf(text + length, 9, "%d,", 100000 + i);
    }
    text[length - 1] = ']';
    open_text(text, length);
    assert_int_equal(kvb_json_next(&scan), KVB_JSON_ARRAY);
    for (uint64_t i = 0; i < COUNT; i++) {
        uint64_t number = 0;
        assert_true(kvb_json_whole(&scan, "a number", &number));
        assert_int_equal(number, 100000 + i);
    }
    assert_int_equal(kvb_json_next(&scan), KVB_JSON_ARRAY_END);
    assert_int_equal(kvb_json_next(&scan), KVB_JSON_END);
    kvb_json_close(&scan);
    free(text);
}

// A whole number, or what stands in its place.
static void test_wrong_numbers(void **state)
{
    (void)state;
    static const struct {
        const char *text, *says;
    } wrong[] = {
        {"\"12\"", "expected a size, a whole number, got 12"},
        {"true", "expected a size, a whole number, got true"},
        {"1.5", "expected a size, a whole number, got 1.5"},
        {"-1", "expected a size, a whole number, got -1"},
        {"99999999999999999999", "expected a size, a whole number, got 99999999999999999999"},
        {"4611686018427387904", "expected a size, a whole number, got 4611686018427387904"}, // 2^62
        {"[1]", "expected a size, a whole number"},
        {"{}", "expected a size, a whole number"},
        {"nul", "'nul' is no JSON value"},
    };
    for (size_t i = 0; i < sizeof wrong / sizeof wrong[0]; i++) {
        uint64_t number;
        open_text(wrong[i].text, strlen(wrong[i].text));
        assert_false(kvb_json_whole(&scan, "a size", &number));
        kvb_json_close(&scan);
        const char *said = problems.items[0].text;
        const char *says = strstr(said, wrong[i].says);
        if (problems.count != 1 || says == NULL || says[strlen(wrong[i].says)] != '\0') {
            fail_msg("%s: %s", wrong[i].text, said);
        }
    }
}

static void test_long_text_is_cut(void **state)
{
    (void)state;
    enum { LENGTH = 400000 };
    char *text = malloc(LENGTH);
    assert_non_null(text);
    memset(text, 'x', LENGTH);
    text[0] = '"';
    text[LENGTH - 1] = '"';
    open_text(text, LENGTH);
    assert_int_equal(kvb_json_next(&scan), KVB_JSON_TEXT);
    assert_true(scan.cut);
    assert_int_equal(scan.length, KVB_JSON_TEXT_CAPACITY - 1);
    assert_int_equal(kvb_json_next(&scan), KVB_JSON_END);
    kvb_json_close(&scan);
    free(text);
}

static void test_whole_numbers(void **state)
{
    (void)state;
    static const char *const refused[] = {"-1", "1.0", "1e3", "4611686018427387904", "99999999999999999999", "\"1\""};
    uint64_t number = 7;
    for (size_t i = 0; i < sizeof refused / sizeof refused[0]; i++) {
        open_text(refused[i], strlen(refused[i]));
        assert_false(kvb_json_whole(&scan, "a size", &number));
        assert_int_equal(problems.count, 1);
        assert_non_null(strstr(problems.items[0].text, "expected a size, a whole number"));
        kvb_json_close(&scan);
    }
    open_text("4611686018427387903", 19);
    assert_true(kvb_json_whole(&scan, "a size", &number));
    assert_int_equal(number, 4611686018427387903);
    kvb_json_close(&scan);
}

static void test_skip(void **state)
{
    (void)state;
    static const char text[] = "{\"a\": {\"b\": [1, {\"c\": []}]}, \"d\": 5}";
    open_text(text, sizeof text - 1);
    assert_int_equal(kvb_json_next(&scan), KVB_JSON_OBJECT);
    assert_int_equal(kvb_json_next(&scan), KVB_JSON_KEY);
    assert_true(kvb_json_skip(&scan));
    assert_int_equal(kvb_json_next(&scan), KVB_JSON_KEY);
    assert_string_equal(scan.text, "d");
    kvb_json_close(&scan);
}

static void test_no_memory(void **state)
{
    (void)state;
    kvb_problems_init(&problems);
    kvb_open_memory(&file, "a.json", "{}", 2);
    kvb_memory_fail_after(1);
    assert_int_equal(kvb_json_open(&scan, &file, 0, 2, &problems), KVB_NO_MEMORY);
    kvb_memory_fail_after(0);
    kvb_json_close(&scan);
}

KVB_TEST_MAIN(cmocka_unit_test(test_tokens), cmocka_unit_test(test_escapes), cmocka_unit_test(test_across_windows),
              cmocka_unit_test(test_wrong_numbers), cmocka_unit_test(test_long_text_is_cut),
              cmocka_unit_test(test_whole_numbers), cmocka_unit_test(test_skip), cmocka_unit_test(test_no_memory))
