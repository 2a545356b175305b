// JSON by RFC 8259 and json.loads of CPython 3.12, which each row was put to; literals by its ast.literal_eval.
#include <string.h>

#include "base/json_text.h"
#include "unit/test.h"

struct row {
    const char *text;
    size_t at;            // where it stops being JSON
    const char *expected; // NULL: it is
};

static void judge(const struct row *rows, size_t count, enum kvb_json_dialect dialect)
{
    for (size_t i = 0; i < count; i++) {
        struct kvb_json_slip slip;
        char opening = rows[i].text[0] == '[' ? '[' : '{';
        bool whole = kvb_json_is_whole(rows[i].text, strlen(rows[i].text), opening, dialect, &slip);
        assert_int_equal(whole, rows[i].expected == NULL);
        assert_int_equal(slip.at, rows[i].at);
        if (rows[i].expected != NULL) {
            assert_string_equal(slip.expected, rows[i].expected);
        }
    }
}

#define NAME "a name in double quotes"
#define VALUE "a value: text in double quotes, a number, true, false, null, { or ["
#define ESCAPE "one of \" \\ / b f n r t u behind a backslash"
#define FOUR "four hexadecimal digits behind \\u"

static void json(void **state)
{
    (void)state;
    static const struct row rows[] = {
        {"{}", 2, NULL},
        {" { } ", 5, NULL},
        {"[]", 2, NULL},
        {"{\"a\":1}", 7, NULL},
        {"{\"a\" : [1, -2.5, 0, 0.5e3, 1E-2, 1e+2], \"b\":{}}", 47, NULL},
        {"[true,false,null,NaN,Infinity,-Infinity]", 40, NULL},
        {"{\"\\\"\\\\\\/\\b\\f\\n\\r\\t\\u00e9\\uABCD\":\"'\"}", 36, NULL},
        {"[[[]],{\"a\":{\"b\":[]}}]", 21, NULL},
        {"{\"a\":\t1\r\n}", 10, NULL},
        {"", 0, "{"},
        {"3", 0, "{"},
        {"[1", 2, "a comma or ]"},
        {"{\"a\":1", 6, "a comma or }"},
        {"{\"a\":1}}", 7, "nothing behind the end"},
        {"{\"a\":1}{", 7, "nothing behind the end"},
        {"{'a':1}", 1, NAME},
        {"{a:1}", 1, NAME},
        {"{\"a\":1,}", 7, NAME},
        {"{,}", 1, NAME},
        {"[1,]", 3, VALUE},
        {"[1,,2]", 3, VALUE},
        {"[1 2]", 3, "a comma or ]"},
        {"{\"a\":1]", 6, "a comma or }"},
        {"{\"a\" 1}", 5, "a colon behind the name"},
        {"{\"a\"", 4, "a colon behind the name"},
        {"{\"a\":}", 5, VALUE},
        {"{\"a\":", 5, VALUE},
        {"[True]", 1, VALUE},
        {"['a']", 1, VALUE},
        {"[tru]", 1, VALUE},
        {"[nul", 1, VALUE},
        {"[-]", 2, "a digit"},
        {"[-", 2, "a digit"},
        {"[1.]", 3, "a digit"},
        {"[1e]", 3, "a digit"},
        {"[01]", 2, "no digit behind a leading 0"},
        {"[-00]", 3, "no digit behind a leading 0"},
        {"[1k]", 2, "a comma or ]"},
        {"{\"a", 3, "the quote that ends the text"},
        {"[\"a\tb\"]", 3, "no control character inside quotes"},
        {"[\"\\x\"]", 3, ESCAPE},
        {"[\"\\", 3, ESCAPE},
        {"[\"\\u12\"]", 3, FOUR},
        {"[\"\\u123g\"]", 3, FOUR},
        {"[\"\\u12/4\"]", 3, FOUR},
        {"[\"\\u12", 3, FOUR},
        {"[-In]", 1, VALUE},
    };
    judge(rows, sizeof rows / sizeof rows[0], KVB_JSON);
}

static void numbers_with_suffixes(void **state)
{
    (void)state;
    static const struct row rows[] = {
        {"{\"a\":80m,\"b\":1.5G,\"c\":2}", 24, NULL},
        {"[1k,2K,3M,4g,5t,6T]", 19, NULL},
        {"[1kk]", 3, "a comma or ]"},
        {"[1x]", 2, "a comma or ]"},
        {"[1", 2, "a comma or ]"},
    };
    judge(rows, sizeof rows / sizeof rows[0], KVB_JSON_SUFFIXES);
}

static void literals_of_python(void **state)
{
    (void)state;
    static const struct row rows[] = {
        {"{'a': True, \"b\": [False, None,], 'c\\'d': '\\d',}", 47, NULL},
        {"{'a\": 1}", 8, "the quote that ends the text"},
        {"{a: 1}", 1, "a name in quotes"},
        {"[true]", 1, "a value: text in quotes, a number, True, False, None, { or ["},
    };
    judge(rows, sizeof rows / sizeof rows[0], KVB_JSON_PYTHON);
}

// jiter's limit; Python's own reader ends near 1,000.
static void nesting(void **state)
{
    (void)state;
    char text[402];
    struct kvb_json_slip slip;
    memset(text, '[', 201);
    memset(text + 201, ']', 201);
    assert_true(kvb_json_is_whole(text + 1, 400, '[', KVB_JSON, &slip));
    assert_false(kvb_json_is_whole(text, 402, '[', KVB_JSON, &slip));
    assert_int_equal(slip.at, 200);
    assert_string_equal(slip.expected, "no more than 200 brackets inside each other");
}

KVB_TEST_MAIN(cmocka_unit_test(json), cmocka_unit_test(numbers_with_suffixes), cmocka_unit_test(literals_of_python),
              cmocka_unit_test(nesting))
