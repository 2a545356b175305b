// The cleaner by itself: escapes, JSON, line prefixes, capacities.
#define _DEFAULT_SOURCE // MAP_ANONYMOUS
#include <string.h>

#include "guarded.h"
#include "logs/clean.h"
#include "unit/test.h"

struct row {
    const char *in;
    bool json;
    unsigned lines;
    const char *out;
};

static void test_cleaning(void **state)
{
    (void)state;
    static const struct row rows[] = {
        {"plain", false, 1, "plain"},
        {"a\x1b[1;36mb\x1b[0m", false, 1, "ab"},
        {"a\x1b]0;title\x07"
         "b",
         false, 1, "ab"},
        {"a\x1b]0;title\x1b\\b", false, 1, "ab"}, // ended by ESC backslash
        {"a\x1b"
         "7b",
         false, 1, "ab"},
        {"a\x1b[", false, 1, "a"}, // cut off
        {"^[[36mred^[[0m ^[x ^", false, 1, "red ^[x ^"},
        {"[1;36mred [0m[7]x a[0mb", false, 1, "red [7]x a[0mb"}, // only at the border of a word
        {"one\r\ntwo\rthree", false, 9, "one\ntwo\nthree"},
        {"one\ntwo\nthree", false, 2, "one\ntwo"},
        {"one^M\ntwo", false, 9, "one\ntwo"},
        {"one\n> two\nvllm-1  | three\n >> four", false, 9, "one\n two\nthree\n four"},
        {"a\tb\x01\x02"
         "c",
         false, 1, "a\tbc"},
        {"say \\\"hi\\\" \\\\ \\/", true, 1, "say \"hi\" \\ /"},
        {"one\\ntwo\\tx\\r\\b\\f", true, 1, "one\ntwo\tx\n"},
        {"\\u00d7 \\u2212 \\u0041\\u0007", true, 1, "\xc3\x97 \xe2\x88\x92 A"},
        {"\\u001b[36mred\\u001b[0m", true, 1, "red"},
        {"\\uZZ1", true, 1, "ZZ1"},
        {"\\u00E9\\u0009 \\u00g1 \\u00:1 \\u00/1 \\u00`1", true, 1, "\xc3\xa9\t 00g1 00:1 00/1 00`1"},
        {"\\u001b36m", true, 1, "36m"},
        {"a\x1b]0;tit", false, 1, "a"}, // cut off
        {"a\x1b]\ab\x1b[mc", false, 1, "abc"},
        {"a\x1b[1;36", false, 1, "a"},
        {"a\x1b[ 6n", false, 1, "a"},
        {"^[[1234567890123456789mred", false, 1, "red"}, // at most nineteen digits
        {"^[[12345678901234567890mred", false, 1, "^[[12345678901234567890mred"},
        {"^[[1:2mred", false, 1, "^[[1:2mred"},
        {"^[[1/2mred", false, 1, "^[[1/2mred"},
        {"\\u00ab\\u00fb", true, 1, "\xc2\xab\xc3\xbb"},
        {"a\\u0020b\\u001fc", true, 1, "a bc"},
        {"a\x1b[@b\x1b[?25hc", false, 1, "abc"},
        {"red^[[m x", false, 1, "red x"},
        {"red^[[am x", false, 1, "red^[[am x"},
        {"x [m] y", false, 1, "x [m] y"},                                   // a bracket of its own
        {"a\x1b[012345678901234567890123456789012345678m", false, 1, "am"}, // an escape ends at the latest after 41
        {"a\x1b[01234567890123456789012345678901234567m", false, 1, "a"},
        {"a\x1b[0123456789012345678901234567890123456789", false, 1, "a9"},
        {"a[0mb A[0mb 9[0mb _[0mb", false, 1, "a[0mb A[0mb 9[0mb _b"},
        {"one^M", false, 9, "one"},
        {"one^Mtwo ^N", false, 9, "one^Mtwo ^N"},
        {"one\nmy_app.1-x  | two\nx| three\n  | four\nx  |five\nx \n", false, 9,
         "one\ntwo\nx| three\n  | four\nx  |five\nx \n"},
        {"one\n1234567890123456789012345678901234567890 | two", false, 9, "one\ntwo"}, // at most forty characters
        {"one\n12345678901234567890123456789012345678901 | two", false, 9,
         "one\n12345678901234567890123456789012345678901 | two"},
        {"one\nname                                                        | two", false, 9,
         "one\ntwo"}, // and sixty in all
        {"one\nname                                                         | two", false, 9,
         "one\nname                                                         | two"},
        {"end\\", true, 1, "end"},
        {"say \\\"hi\\\"", false, 1, "say \\\"hi\\\""},
    };
    for (size_t i = 0; i < sizeof rows / sizeof rows[0]; i++) {
        char out[128];
        size_t length = strlen(rows[i].in);
        length = kvb_clean(guarded(rows[i].in, length, true), length, rows[i].json, rows[i].lines, out, sizeof out - 1);
        out[length] = '\0';
        if (strcmp(out, rows[i].out) != 0) {
            fail_msg("row %zu: '%s', wanted '%s'", i, out, rows[i].out);
        }
    }
}

static void test_capacity(void **state)
{
    (void)state;
    const char *text = "one\x1b[36m two \\u2212 three\r\nfour";
    for (size_t capacity = 0; capacity < 40; capacity++) {
        char out[40];
        memset(out, '#', sizeof out);
        assert_true(kvb_clean(text, strlen(text), true, 9, out, capacity) <= capacity);
        for (size_t i = capacity; i < sizeof out; i++) {
            assert_int_equal(out[i], '#');
        }
    }
}

static void test_utf16(void **state)
{
    (void)state;
    struct kvb_utf16 utf16 = {0};
    char out[32];
    // "A", e acute, minus sign, a surrogate pair: each half becomes '?'; behind surrogates the private area begins
    size_t length = kvb_utf16_decode(&utf16, "A\0\xe9\0\x12\x22\x3d\xd8\x00\xde\x00\xe0", 12, out);
    assert_int_equal(length, 1 + 2 + 3 + 1 + 1 + 3);
    assert_memory_equal(out, "A\xc3\xa9\xe2\x88\x92??\xee\x80\x80", 11);
    length = kvb_utf16_decode(&utf16, "\x00\xd8\xff\xd7\xff\xdf", 6, out); // the first half, and what stands beside
    assert_int_equal(length, 1 + 3 + 1);
    assert_memory_equal(out, "?\xed\x9f\xbf?", 5);
    utf16.big_endian = true;
    length = kvb_utf16_decode(&utf16, "\x00\xe9\x22\x12", 4, out);
    assert_int_equal(length, 2 + 3);
    assert_memory_equal(out, "\xc3\xa9\xe2\x88\x92", 5);
}

static void test_printable_utf8(void **state)
{
    (void)state;
    static const struct {
        const char *in, *out;
    } rows[] = {
        {"\xf0\x9f\x98\x80", "\xf0\x9f\x98\x80"}, // four bytes
        {"\xe0\x80\x80", "???"},                  // overlong
        {"\xe2\x80\x94", "\xe2\x80\x94"},         // a dash is no control
        {"\x7f", "?"},
        {"", ""},
        {"   ", ""},
        {" a\tb\r\nc \n", "a b c"},
        {"12345678901234 x", "12345678901234"}, // fifteen and the end of the text fit
        {"123456789012345 x", "123456789012345"},
        {"12345678901234\xff", "12345678901234?"},
        {"123456789012345\xff", "123456789012345"},
        {"a\xc3", "a?"}, // cut off
        {"abc\xf0\x9f\x98", "abc???"},
    };
    for (size_t i = 0; i < sizeof rows / sizeof rows[0]; i++) {
        char out[16];
        size_t length = strlen(rows[i].in);
        kvb_printable(guarded(rows[i].in, length, true), length, out, sizeof out);
        assert_string_equal(out, rows[i].out);
    }
    char out[16];
    kvb_printable("a\xc3\xa4", 2, out, sizeof out); // what stands behind it is another's
    assert_string_equal(out, "a?");
}

// A title of a terminal's window ends at the latest after 256 characters.
static void test_long_title(void **state)
{
    (void)state;
    char text[400] = "\x1b]", out[400];
    memset(text + 2, 'x', 300);
    assert_int_equal(kvb_clean(text, 302, false, 1, out, sizeof out), 302 - 256);
    assert_null(kvb_packed_as((const unsigned char *)"Bz"));
    assert_string_equal(kvb_packed_as((const unsigned char *)"BZ"), "bzip2");
    assert_string_equal(kvb_packed_as((const unsigned char *)"\xfd\x37"), "xz");
}

KVB_TEST_MAIN(cmocka_unit_test(test_cleaning), cmocka_unit_test(test_capacity), cmocka_unit_test(test_utf16),
              cmocka_unit_test(test_printable_utf8), cmocka_unit_test(test_long_title))
