// Figures as Python prints them, against values computed with Python itself.
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

KVB_TEST_MAIN(cmocka_unit_test(requests), cmocka_unit_test(two_decimals), cmocka_unit_test(tokens),
              cmocka_unit_test(gib), cmocka_unit_test(fractions))
