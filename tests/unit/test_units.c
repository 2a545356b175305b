// Sizes, fractions and counts: exact both ways.
#include <string.h>

#include <kvbudget/units.h>

#include "unit/test.h"

struct row {
    const char *text;
    bool valid;
    uint64_t expected;
};

typedef bool reader(const char *text, uint64_t *value);

static void walk(reader *read, const struct row *rows, size_t count)
{
    for (size_t i = 0; i < count; i++) {
        uint64_t value = 77;
        bool valid = read(rows[i].text, &value);
        if (valid != rows[i].valid || value != (rows[i].valid ? rows[i].expected : 77)) {
            fail_msg("'%s': %s %llu", rows[i].text, valid ? "read as" : "refused", (unsigned long long)value);
        }
    }
}
#define WALK(read, rows) walk(read, rows, sizeof(rows) / sizeof(rows)[0])

static void test_bytes(void **state)
{
    (void)state;
    static const struct row rows[] = {
        {"24564MiB", true, UINT64_C(24564) << 20},
        {"23.64GiB", true, UINT64_C(25383256719)}, // 23.64 x 1073741824 = 25383256719.36
        {"80GB", true, UINT64_C(80000000000)},
        {"819 MiB", true, UINT64_C(858783744)},
        {"1024", true, 1024},
        {"0", true, 0},
        {"512B", true, 512},
        {"1kb", true, 1000},
        {"0.1KiB", true, 102}, // 102.4
        {"0.123456789012345678901234567890TiB", true, UINT64_C(135742175046)},
        {"8192TiB", true, UINT64_C(1) << 53},
        {"8192.0000000000001TiB", true, UINT64_C(1) << 53}, // 0.1 byte more, rounded down
        {"8193TiB", false, 0},
        {"8192.5TiB", false, 0},
        {"99999999999999999999999999", false, 0},
        {"1GiB\n", false, 0},
        {"1.5.5GiB", false, 0},
        {"9007199254740992", true, UINT64_C(1) << 53},
        {"9007199254740993", false, 0},
        {"99999999999999999999", false, 0},
        {"1.5", false, 0}, // no part of a byte
        {"1.5B", false, 0},
        {"", false, 0},
        {"GiB", false, 0},
        {"-1GiB", false, 0},
        {"+1GiB", false, 0},
        {"01GiB", false, 0},
        {"1.GiB", false, 0},
        {".5GiB", false, 0},
        {"1e9", false, 0},
        {"1_000", false, 0},
        {"1:0", false, 0},
        {"/", false, 0},
        {"1GiBs", false, 0},
        {"1G", false, 0}, // decimal or binary?
        {"0x10", false, 0},
        {" 1GiB", false, 0},
        {"1GiB ", false, 0},
    };
    WALK(kvb_parse_bytes, rows);
}

// vLLM 0.11 human_readable_int: 1k 1000, 1K 1024, 25.6k 25600, decimals refused with a binary suffix.
static void test_count(void **state)
{
    (void)state;
    static const struct row rows[] = {
        {"32k", true, 32000},
        {"32K", true, 32768},
        {"1M", true, 1048576},
        {"1m", true, 1000000},
        {"25.6k", true, 25600},
        {"5 ", false, 0},
        {"5_", false, 0},
        {"1.5k", true, 1500},
        {"1.0001k", true, 1000},
        {"1G", true, UINT64_C(1) << 30},
        {"2t", true, UINT64_C(2000000000000)},
        {"131072", true, 131072},
        {"0", true, 0},
        {"1.5K", false, 0},
        {"1.5", false, 0},
        {"32kk", false, 0},
        {"k", false, 0},
        {"1.5x", false, 0},
        {"1z", false, 0},
        {"9007199254740993", false, 0},
        {"auto", false, 0},
        {"-1", false, 0},
        {"9T", true, UINT64_C(9) << 40},
        {"8193T", false, 0},
    };
    WALK(kvb_parse_count, rows);
}

static void test_whole(void **state)
{
    (void)state;
    static const struct row rows[] = {
        {"0", true, 0},
        {"18446744073709551615", true, UINT64_MAX},
        {"18446744073709551616", false, 0},
        {"-5", false, 0},
        {"0100", false, 0},
        {"0o17", false, 0},
        {"0x10", false, 0},
        {"1.0", false, 0},
        {"1e3", false, 0},
        {"", false, 0},
        {"12 ", false, 0},
        {"80GiB", false, 0},
    };
    WALK(kvb_parse_whole, rows);
}

static void test_gib(void **state)
{
    (void)state;
    static const struct row rows[] = {
        {"12", true, UINT64_C(12) << 30},
        {"0.5", true, UINT64_C(1) << 29},
        {"12GiB", false, 0},
        {"8388609", false, 0},
        {"x", false, 0},
        {"", false, 0},
    };
    WALK(kvb_parse_gib, rows);
}

static void test_ppm(void **state)
{
    (void)state;
    static const struct row rows[] = {
        {"0.925", true, 925000}, {"0.9", true, 900000},   {".9", true, 900000},
        {"1", true, 1000000},    {"1.0", true, 1000000},  {"0", true, 0},
        {"0.000001", true, 1},   {"0.0000001", false, 0}, {"1.000001", false, 0},
        {"90%", false, 0},       {"9e-1", false, 0},      {"-0.1", false, 0},
        {".", false, 0},         {"", false, 0},          {".9x", false, 0},
        {".9:", false, 0},       {"0.9x", false, 0},      {"99999999999", false, 0},
        {".0000001", false, 0},
    };
    for (size_t i = 0; i < sizeof rows / sizeof rows[0]; i++) {
        uint32_t ppm = 77;
        bool valid = kvb_parse_ppm(rows[i].text, KVB_PPM, &ppm);
        if (valid != rows[i].valid || ppm != (valid ? rows[i].expected : 77)) {
            fail_msg("'%s': %u", rows[i].text, ppm);
        }
    }
}

static void test_formats(void **state)
{
    (void)state;
    char out[32];
    assert_string_equal(kvb_format_gib(out, -INT64_C(4069507072), 2), "-3.79"); // 3.790024
    assert_string_equal(kvb_format_gib(out, INT64_C(1073741823), 2), "1.00");
    assert_string_equal(kvb_format_gib(out, INT64_C(1) << 29, 0), "1"); // half away from zero
    assert_string_equal(kvb_format_gib(out, -(INT64_C(1) << 29), 0), "-1");
    assert_string_equal(kvb_format_gib(out, INT64_MIN, 6), "-8589934592.000000");
    assert_string_equal(kvb_format_count(out, 1721888), "1,721,888");
    assert_string_equal(kvb_format_count(out, 0), "0");
    assert_string_equal(kvb_format_count(out, UINT64_MAX), "18,446,744,073,709,551,615");
    assert_string_equal(kvb_format_ppm(out, 925000), "0.925");
    assert_string_equal(kvb_format_ppm(out, 900000), "0.90");
    assert_string_equal(kvb_format_ppm(out, 1000000), "1.00");
    assert_string_equal(kvb_format_ppm(out, 1), "0.000001");
    assert_string_equal(kvb_format_bytes_exact(out, UINT64_C(24564) << 20), "24564MiB");
    assert_string_equal(kvb_format_bytes_exact(out, UINT64_C(1) << 30), "1GiB");
    assert_string_equal(kvb_format_bytes_exact(out, 1000), "1000B");
    assert_string_equal(kvb_format_bytes_exact(out, 0), "0B");
}

// What is written is read back as the same number.
static void test_round_trip(void **state)
{
    (void)state;
    uint64_t bytes = 1;
    for (int i = 0; i < 5000; i++) {
        bytes = (bytes * UINT64_C(6364136223846793005) + UINT64_C(1442695040888963407));
        uint64_t wanted = bytes >> 11;
        char out[32];
        uint64_t read = 0;
        assert_true(kvb_parse_bytes(kvb_format_bytes_exact(out, wanted), &read));
        assert_true(read == wanted);
        uint32_t ppm = (uint32_t)(wanted % (KVB_PPM + 1));
        uint32_t ppm_read = 0;
        assert_true(kvb_parse_ppm(kvb_format_ppm(out, ppm), KVB_PPM, &ppm_read));
        assert_int_equal(ppm_read, ppm);
    }
}

KVB_TEST_MAIN(cmocka_unit_test(test_bytes), cmocka_unit_test(test_count), cmocka_unit_test(test_whole),
              cmocka_unit_test(test_gib), cmocka_unit_test(test_ppm), cmocka_unit_test(test_formats),
              cmocka_unit_test(test_round_trip))
