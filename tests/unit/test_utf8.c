// UTF-8 by the table of RFC 3629: what is a character, what is none, and what may reach a terminal.
#include <string.h>

#include "base/utf8.h"
#include "unit/test.h"

static const struct {
    const char *bytes;
    size_t length;
    uint32_t code; // 0 bytes: none
} rows[] = {
    {"A", 1, 0x41},
    {"\xC3\xA9", 2, 0xE9},
    {"\xE2\x82\xAC", 3, 0x20AC},
    {"\xF0\x9F\x98\x80", 4, 0x1F600},
    {"\xF4\x8F\xBF\xBF", 4, 0x10FFFF},
    {"\xC0\x80", 0, 0},         // overlong
    {"\xE0\x9F\xBF", 0, 0},     // overlong
    {"\xF0\x8F\xBF\xBF", 0, 0}, // overlong
    {"\xED\xA0\x80", 0, 0},     // half of a pair
    {"\xF4\x90\x80\x80", 0, 0}, // beyond the last
    {"\x80", 0, 0},             // a follower alone
    {"\xE2\x82", 0, 0},         // cut short
    {"\xE2\x82G", 0, 0},
    {"\xFF", 0, 0},
};

static void reads_and_writes(void **state)
{
    (void)state;
    for (size_t i = 0; i < sizeof rows / sizeof rows[0]; i++) {
        uint32_t code = 0;
        char back[4];
        assert_int_equal(kvb_utf8_read(rows[i].bytes, strlen(rows[i].bytes), &code), rows[i].length);
        if (rows[i].length > 0) {
            assert_int_equal(code, rows[i].code);
            assert_int_equal(kvb_utf8_write(back, code), rows[i].length);
            assert_memory_equal(back, rows[i].bytes, rows[i].length);
            assert_int_equal(kvb_utf8_read(rows[i].bytes, rows[i].length - 1, &code), 0);
        }
    }
}

static void harmless(void **state)
{
    (void)state;
    static const uint32_t bad[] = {0, 0x1B, 0x7F, 0x9B, 0x200B, 0x200F, 0x202A, 0x202E, 0x2066, 0x2069, 0xFEFF};
    static const uint32_t good[] = {' ', 'a', 0xA0, 0xE9, 0x2013, 0x2026, 0x20AC, 0x1F600};
    for (size_t i = 0; i < sizeof bad / sizeof bad[0]; i++) {
        assert_false(kvb_is_harmless(bad[i]));
    }
    for (size_t i = 0; i < sizeof good / sizeof good[0]; i++) {
        assert_true(kvb_is_harmless(good[i]));
    }
}

KVB_TEST_MAIN(cmocka_unit_test(reads_and_writes), cmocka_unit_test(harmless))
