// Text as int() and float() of CPython 3.12 take it: each row was put to both.
#include <string.h>

#include "base/python_numbers.h"
#include "unit/test.h"

static void whole_numbers(void **state)
{
    (void)state;
    static const struct {
        const char *text;
        bool taken;
    } rows[] = {
        {"0", true},    {" 12 ", true}, {"\t-3", true}, {"+1_000", true}, {"", false},    {" ", false},
        {"-", false},   {"1_", false},  {"_1", false},  {"1__0", false},  {"1.0", false}, {"0x10", false},
        {"1 0", false}, {"1e3", false}, {"--1", false}, {"00", true},     {"4k", false},
    };
    for (size_t i = 0; i < sizeof rows / sizeof rows[0]; i++) {
        assert_int_equal(kvb_python_is_int(rows[i].text, strlen(rows[i].text)), rows[i].taken);
    }
}

// Against -1, 0 and 1; 9: no number at all.
static void real_numbers(void **state)
{
    (void)state;
    static const struct {
        const char *text;
        int one_below, zero, one;
    } rows[] = {
        {"0", 1, 0, -1},
        {"-0.0", 1, 0, -1},
        {".0", 1, 0, -1},
        {"1", 1, 1, 0},
        {"1.", 1, 1, 0},
        {"01.00", 1, 1, 0},
        {"10e-1", 1, 1, 0},
        {"0.1E+1", 1, 1, 0},
        {"-1", 0, -1, -1},
        {"-1e0", 0, -1, -1},
        {"-0.5", 1, -1, -1},
        {"-2", -1, -1, -1},
        {"-1.5", -1, -1, -1},
        {"0.99", 1, 1, -1},
        {"1.000001", 1, 1, 1},
        {"2", 1, 1, 1},
        {"11", 1, 1, 1},
        {"0.001", 1, 1, -1},
        {"1_0.0_1", 1, 1, 1},
        {"1e400000000000", 1, 1, 1},
        {"5e-99", 1, 1, -1},
        {"inf", 1, 1, 1},
        {"-Infinity", -1, -1, -1},
        {" 0.5 ", 1, 1, -1},
        {"NaN", 2, 2, 2},
        {"-nan", 2, 2, 2},
        {"", 9, 9, 9},
        {".", 9, 9, 9},
        {"1e", 9, 9, 9},
        {"1e+", 9, 9, 9},
        {"e5", 9, 9, 9},
        {"1._5", 9, 9, 9},
        {"1_.5", 9, 9, 9},
        {"1__0", 9, 9, 9},
        {"0x1", 9, 9, 9},
        {"infinit", 9, 9, 9},
        {"1.5s", 9, 9, 9},
        {"1e5_0", 1, 1, 1},
        {"abc", 9, 9, 9},
    };
    for (size_t i = 0; i < sizeof rows / sizeof rows[0]; i++) {
        struct kvb_python_number number;
        bool taken = kvb_python_read_float(rows[i].text, strlen(rows[i].text), &number);
        assert_int_equal(taken, rows[i].zero != 9);
        if (taken) {
            assert_int_equal(kvb_python_compare(&number, -1), rows[i].one_below);
            assert_int_equal(kvb_python_compare(&number, 0), rows[i].zero);
            assert_int_equal(kvb_python_compare(&number, 1), rows[i].one);
        }
    }
}

// str(int(text)).
static void whole_numbers_are_written(void **state)
{
    (void)state;
    static const struct {
        const char *text, *plain;
    } rows[] = {
        {"+4", "4"},
        {"1_0", "10"},
        {" 7\t", "7"},
        {"007", "7"},
        {"00", "0"},
        {"-1", "-1"},
        {"-00", "0"},
        {"-0_12", "-12"},
        {"100", "100"},
        {"4k", ""},
        {"1__0", ""},
        {"", ""},
        {"000000000000000000000000000000000000000000000000000000000000000000008", "8"},
        {"123456789012345678901234567890123456789012345678901234567890123", // 63 digits
         "123456789012345678901234567890123456789012345678901234567890123"},
        {"1234567890123456789012345678901234567890123456789012345678901234", ""}, // no room
    };
    for (size_t i = 0; i < sizeof rows / sizeof rows[0]; i++) {
        char out[KVB_PLAIN_CAPACITY] = "";
        assert_int_equal(kvb_python_write_int(rows[i].text, strlen(rows[i].text), out), rows[i].plain[0] != '\0');
        if (rows[i].plain[0] != '\0') {
            assert_string_equal(out, rows[i].plain);
        }
    }
}

// format(Decimal(text).quantize(Decimal(10) ** -decimals, ROUND_HALF_UP).normalize(), "f")
static void real_numbers_are_written(void **state)
{
    (void)state;
    static const struct {
        const char *text;
        unsigned decimals;
        const char *plain;
    } rows[] = {
        {"0.9", 6, "0.9"},
        {"+0.9", 6, "0.9"},
        {" .9 ", 6, "0.9"},
        {"5.", 6, "5"},
        {"0.9_5", 6, "0.95"},
        {"0.30000000000000004", 6, "0.3"},
        {"0.8999999999999999", 6, "0.9"},
        {"0.1234564", 6, "0.123456"},
        {"0.12345649999999999999999999999999999999", 6, "0.123456"},
        {"0.1234565", 6, "0.123457"},
        {"99.9999999", 6, "100"},
        {"1e1", 12, "10"},
        {"0.25E+1", 12, "2.5"},
        {"95e-2", 6, "0.95"},
        {"1_0e1", 6, "100"},
        {"1e-30", 12, "0"},
        {"0e9", 12, "0"},
        {"-0.5", 6, "-0.5"},
        {"-0.0", 6, "0"},
        {"1e20", 12, "100000000000000000000"},
        {"999999999999999999999.9", 0, "1000000000000000000000"},
        {"0.000000000000000000015", 20, "0.00000000000000000002"},
        {"0.0000000000000000000012345678901234567890123", 20, "0"},
        {"1e21", 12, ""},
        {"inf", 12, ""},
        {"nan", 12, ""},
        {"1e", 12, ""},
        {"x", 12, ""},
    };
    for (size_t i = 0; i < sizeof rows / sizeof rows[0]; i++) {
        char out[KVB_PLAIN_CAPACITY] = "";
        bool taken = kvb_python_write_float(rows[i].text, strlen(rows[i].text), rows[i].decimals, out);
        assert_int_equal(taken, rows[i].plain[0] != '\0');
        if (taken) {
            assert_string_equal(out, rows[i].plain);
        }
    }
}

KVB_TEST_MAIN(cmocka_unit_test(whole_numbers), cmocka_unit_test(real_numbers),
              cmocka_unit_test(whole_numbers_are_written), cmocka_unit_test(real_numbers_are_written))
