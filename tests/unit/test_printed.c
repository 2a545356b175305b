// Figures as Python prints them, against values computed with Python itself.
#include <locale.h>
#include <stdio.h>
#include <string.h>

#include "engines/vllm/printed.h"
#include "unit/test.h"

// 85028372480 x 0.9 = 76525535232 exactly; 25757220864 x 0.675 = 17386124083.2 is cut or rounded up.
static void requests(void **state)
{
    (void)state;
    assert_int_equal(kvb_printed_request(85028372480, 900000, false), 76525535232);
    assert_int_equal(kvb_printed_request(85028372480, 900000, true), 76525535232);
    assert_int_equal(kvb_printed_request(25757220864, 675000, false), 17386124083);
    assert_int_equal(kvb_printed_request(25757220864, 675000, true), 17386124084);
    // int() cuts towards zero, on both sides of it: 17386124083.2 - 17386124083 and - 17386124085
    assert_int_equal(kvb_printed_pool(25757220864, 675000, 17386124083), 0);
    assert_int_equal(kvb_printed_pool(25757220864, 675000, 17386124085), -1);
}

static void two_decimals(void **state)
{
    (void)state;
    assert_int_equal(kvb_printed_hundredths(1721888, 32768), 5255); // 52.55x, public log of 0.11.0
    assert_int_equal(kvb_printed_hundredths(1, 3), 33);
    assert_int_equal(kvb_printed_hundredths(5, 0), 0);
    assert_int_equal(kvb_printed_hundredths(0, 7), 0);
    assert_int_equal(kvb_printed_hundredths(UINT64_C(1) << 52, 1), (UINT64_C(1) << 52) * 100); // the last bit is one
    assert_int_equal(kvb_printed_hundredths(UINT64_C(1) << 53, 1), (UINT64_C(1) << 53) * 100);
    assert_int_equal(kvb_printed_hundredths((UINT64_C(1) << 52) - 1, 2), ((UINT64_C(1) << 52) - 1) * 50);
}

// int(109226 / 8194 * 131072) and nothing when a request takes no blocks.
static void tokens(void **state)
{
    (void)state;
    assert_int_equal(kvb_printed_tokens(20480, 8192, 131072), 327680);
    assert_int_equal(kvb_printed_tokens(10, 3, 100), 333);
    assert_int_equal(kvb_printed_tokens(10, 0, 100), 0);
}

struct text_row {
    int64_t bytes;
    const char *fixed, *rounded;
};

// "%.2f" and round(x, 2): 24 GiB is "24.00" or 24.0, 4.50 is 4.5; a shortage keeps its sign.
static void gib(void **state)
{
    (void)state;
    static const struct text_row rows[] = {
        {25769803776, "24.00", "24.0"},  {4831838208, "4.50", "4.5"}, {16094593352, "14.99", "14.99"},
        {-4069480398, "-3.79", "-3.79"}, {0, "0.00", "0.0"},
    };
    for (size_t i = 0; i < sizeof rows / sizeof rows[0]; i++) {
        char out[32];
        assert_int_equal(kvb_printed_gib(out, rows[i].bytes, false), strlen(rows[i].fixed));
        assert_string_equal(out, rows[i].fixed);
        assert_int_equal(kvb_printed_gib(out, rows[i].bytes, true), strlen(rows[i].rounded));
        assert_string_equal(out, rows[i].rounded);
    }
}

static void fractions(void **state)
{
    (void)state;
    static const struct {
        uint32_t ppm;
        const char *text;
    } rows[] = {{900000, "0.9"}, {675000, "0.675"}, {1000000, "1.0"}, {20000, "0.02"}, {123456, "0.123456"}};
    for (size_t i = 0; i < sizeof rows / sizeof rows[0]; i++) {
        char out[32];
        (void)kvb_printed_fraction(out, rows[i].ppm);
        assert_string_equal(out, rows[i].text);
    }
}

// The same digits as printf's "%.2f" in the C locale, ties and large values included; a comma changes nothing.
static void as_printf_rounds(void **state)
{
    (void)state;
    static const uint64_t ties[][2] = {{1, 8}, {3, 8}, {5, 8}, {7, 8}, {1, 200}, {201, 200}, {9007199254740993, 1024}};
    uint64_t seed = 88172645463325252;
    for (uint32_t i = 0; i < 200000; i++) {
        seed ^= seed << 13;
        seed ^= seed >> 7;
        seed ^= seed << 17;
        bool tie = i < sizeof ties / sizeof ties[0];
        uint64_t a = tie ? ties[i][0] : seed >> (seed % 40 + 4);
        uint64_t b = tie ? ties[i][1] : (seed >> 40) % 100000 + 1;
        char wanted[64], got[64];
        (void)snprintf(wanted, sizeof wanted, "%.2f", (double)a / (double)b);
        uint64_t hundredths = kvb_printed_hundredths(a, b);
        (void)snprintf(got, sizeof got, "%llu.%02llu", (unsigned long long)(hundredths / 100),
                       (unsigned long long)(hundredths % 100));
        assert_string_equal(got, wanted);
    }
    (void)setlocale(LC_NUMERIC, "de_DE.UTF-8"); // where it is installed
    char text[32];
    (void)kvb_printed_gib(text, 4810363372, false);
    assert_string_equal(text, "4.48");
    assert_int_equal(kvb_printed_hundredths(112, 25), 448);
    (void)kvb_printed_fraction(text, 925000);
    assert_string_equal(text, "0.925");
    (void)setlocale(LC_NUMERIC, "C");
}

// Beyond 64 bits the largest number is said, not whatever a conversion leaves.
static void beyond_64_bits(void **state)
{
    (void)state;
    assert_true(kvb_printed_tokens(UINT64_C(1) << 50, 1, UINT64_C(1) << 20) == UINT64_MAX);
    assert_true(kvb_printed_tokens(UINT64_C(1) << 43, 1, UINT64_C(1) << 20) == UINT64_C(1) << 63);
    assert_true(kvb_printed_hundredths(UINT64_MAX, 1) == UINT64_MAX);
}

KVB_TEST_MAIN(cmocka_unit_test(as_printf_rounds), cmocka_unit_test(beyond_64_bits), cmocka_unit_test(requests),
              cmocka_unit_test(two_decimals), cmocka_unit_test(tokens), cmocka_unit_test(gib),
              cmocka_unit_test(fractions))
