// Patterns with typed holes: every kind of hole, wrapping, and what is refused.
#define _DEFAULT_SOURCE // MAP_ANONYMOUS
#include <string.h>

#include "guarded.h"
#include "logs/pattern.h"
#include "unit/test.h"

#define GIB (INT64_C(1) << 30)

struct row {
    const char *pattern, *text;
    bool matches;
    int64_t value; // of the last hole
};

static void test_holes(void **state)
{
    (void)state;
    static const struct row rows[] = {
        {"took {size}", "took 1.5 GiB", true, GIB + GIB / 2},
        {"took {size}", "took 2 GB", true, 2 * GIB}, // engines print GB and divide by 2^30
        {"took {size}", "took -0.25GiB", true, -GIB / 4},
        {"took {size}",
         "took \xe2\x88\x92"
         "2.00 GiB",
         true, -2 * GIB}, // U+2212
        {"took {size}", "took 448.00 KiB", true, 448 * 1024},
        {"took {size}", "took 0 bytes", true, 0},
        {"took {size}", "took 0.5 bytes", true, 1}, // to the nearest
        {"took {size}", "took 0.4 bytes", true, 0},
        {"took {size}", "took 1 byte", true, 1},
        {"took {size}", "took 7 B", true, 7},
        {"took {size}", "took 3 KB", true, 3 * 1024}, // engines print powers of two with these names, too
        {"took {size}", "took 3 MB", true, 3 * (GIB / 1024)},
        {"took {size}", "took 3 GB", true, 3 * GIB},
        {"took {size}", "took 3 Gib", true, 3 * GIB},
        {"took {size}", "took 3 TB", true, 3 * 1024 * GIB},
        {"took {size}", "took 3 TiB", true, 3 * 1024 * GIB},
        {"took {size}", "took 4294967295 GiB", true, 4294967295 * GIB}, // 2^32 GiB are the most, 2^62 bytes
        {"took {size}", "took 4294967297 GiB", true, INT64_C(1) << 62},
        {"took {size}", "took -4294967297 GiB", true, -(INT64_C(1) << 62)},
        {"n={count}", "n=461168601842738789", true, INT64_C(461168601842738789)},   // a tenth of 2^62, less one,
        {"n={count}", "n=4611686018427387899", true, INT64_C(4611686018427387899)}, // takes one more digit
        {"n={count}", "n=99999999999999999999", true, INT64_C(461168601842738790)}, // and is the most beyond
        {"n={num}", "n=0.5", true, 1},
        {"n={num}", "n=0.4", true, 0},
        {"p={part}", "p=0.0000005", true, 1},
        {"p={part}", "p=0.0000004", true, 0},
        {"took {size}", "took 1.5", false, 0},
        {"took {size}", "took many GiB", false, 0},
        {"({gib}/{size})", "(1.25/4.0 GiB)", true, 4 * GIB},
        {"= {mib} MiB", "=  0.50 MiB", true, GIB / 2048},
        {"free {mem},", "free 5000000000,", true, INT64_C(5000000000)}, // the older form is in bytes
        {"free {mem},", "free 2.5 GiB,", true, 2 * GIB + GIB / 2},
        {"free {mem}", "free 41.19354248046875 GiB", true, INT64_C(44231229440)}, // x 2^30 = 44231229440
        {"{count} tokens", "1,721,888 tokens", true, 1721888},
        {"len ({count}), (", "len (8192), (", true, 8192},
        {"n={count}", "n=12,34", true, 12}, // no thousands separator: two numbers
        {"x {dec}x", "x 52.55x", true, 5255},
        {"x {dec}x", "x 9x", true, 900},
        {"u={ppm}", "u=0.925", true, 925000},
        {"in {word}s", "in abc", false, 0},
        {"done{any} took {count}", "done in 20 secs, took 7", true, 7},
        {"done{any} took {count}", "done\n took 7", true, 7},       // wrapped inside the literal
        {"done{any} took {count}", "done in\n20 took 7", false, 0}, // {any} stays on its line
        {"blocks: {count}{!,}", "blocks: 12", true, 12},
        {"blocks: {count}{!,}", "blocks: 12, more", false, 0},
        {"free on {count} x", "free\n   on 12 x", true, 12},       // wrapped at a blank
        {"max_model_len {count}", "max_m\nodel_len 12", true, 12}, // wrapped in a word
        {"a  b {count}", "a b 1", true, 1},
        {"a b {count}", "ab 1", false, 0},
        {"took {size}", "took 99999999999999999999999999 GiB", true, INT64_C(1) << 62}, // saturates
        {"took {size}", "took -99999999999999999999999999 GiB", true, -(INT64_C(1) << 62)},
        {"n={num}", "n=1.5e3", true, 1500}, // as /metrics prints large numbers
        {"n={num}", "n=2E+09", true, INT64_C(2000000000)},
        {"n={num}", "n=1.5", true, 2}, // rounded
        {"n={num}", "n=5e-7", true, 0},
        {"n={num}", "n=9e99", true, INT64_C(900000000000000000)},    // as far as digits go
        {"n={num}", "n=4.3e99", true, INT64_C(4300000000000000000)}, // below a tenth of 2^62 once more
        {"n={num}", "n=1e", false, 0},
        {"n={num}", "n=e3", false, 0},
        {"p={part}", "p=0.25", true, 250000},
        {"p={part}", "p=2.5e-1", true, 250000},
        {"n={count}", "n=-7", true, -7},
        {"n={count}", "n=x", false, 0},
        {"n={count}", "n=1,7x", true, 1},
        {"n={count}", "n=1,72x", true, 1},
        {"n={count}", "n=1,7234", true, 1},
        {"n={count}", "n=1,x", true, 1},
        {"n={count}", "n=1,x23", true, 1}, // three digits and no fourth, all three of them
        {"n={count}", "n=1,7x3", true, 1},
        {"free {mem}", "free 1.5", true, GIB + GIB / 2}, // a point and no unit: GiB
        {"free {mem}", "free x", false, 0},
        {"u={ppm}", "u=x", false, 0},
        {"a{sep}b {count}", "a: = b 5", true, 5},
        {"a{sep}b {count}", "a:", false, 0},
        {"x {name}", "x (", false, 0},
        {"x {word}", "x ", false, 0},
        {"x {word} {count}", "x y", false, 0},
        {"free ({count})", "free (\n12)", true, 12}, // wrapped behind the bracket
        {"{nothing} {count}", "1 2", false, 0},      // no such hole, and one that only begins like one
        {"{sizes} {count}", "1 GiB 2", false, 0},
        {"{count} {count} {count} {count} {count} {count} {count} {count} {count} {count} {count} {count} {count}",
         "1 2 3 4 5 6 7 8 9 10 11 12 13", false, 0}, // more than are kept
    };
    for (size_t i = 0; i < sizeof rows / sizeof rows[0]; i++) {
        struct kvb_hole holes[KVB_HOLES_MAX];
        size_t end = 0;
        size_t length = strlen(rows[i].text);
        bool matches = kvb_pattern_match(rows[i].pattern, guarded(rows[i].text, length, true), length, 0, holes, &end);
        unsigned count = kvb_pattern_holes(rows[i].pattern);
        if (matches != rows[i].matches) {
            fail_msg("'%s' on '%s': %s", rows[i].pattern, rows[i].text, matches ? "matches" : "does not match");
        }
        if (matches && holes[count - 1].value != rows[i].value) {
            fail_msg("'%s' on '%s': %lld", rows[i].pattern, rows[i].text, (long long)holes[count - 1].value);
        }
        assert_true(end <= strlen(rows[i].text));
    }
}

static void test_slices(void **state)
{
    (void)state;
    struct kvb_hole holes[KVB_HOLES_MAX];
    size_t end;
    const char *text = "device cuda:0 (NVIDIA X 1) end";
    assert_true(kvb_pattern_match("device {word} ({name})", text, strlen(text), 0, holes, &end));
    assert_int_equal(holes[0].length, strlen("cuda:0"));
    assert_memory_equal(holes[0].text, "cuda:0", 6);
    assert_memory_equal(holes[1].text, "NVIDIA X 1", 10);
    assert_int_equal(end, strlen("device cuda:0 (NVIDIA X 1)"));
    char longer[200]; // a name takes at most 120 characters
    memset(longer, 'n', sizeof longer);
    assert_true(kvb_pattern_match("{name}", longer, sizeof longer, 0, holes, &end));
    assert_int_equal(end, 120);
    assert_true(kvb_pattern_match("{name}", "a\0b", 3, 0, holes, &end)); // a NUL ends it, as a line's end does
    assert_int_equal(end, 1);
    assert_true(kvb_pattern_match("{word}", "a\0b", 3, 0, holes, &end));
    assert_int_equal(end, 1);
    assert_true(kvb_pattern_match("a{sep}", "a:\0", 3, 0, holes, &end));
    assert_int_equal(end, 2);
}

// A match never reads behind the length it is given.
static void test_every_length(void **state)
{
    (void)state;
    struct kvb_hole holes[KVB_HOLES_MAX];
    const char *pattern = "on {word} ({gib}/{size}) is{any} less ({ppm}, {size})";
    const char *text = "on cuda:0 (1.25/4.0 GiB) is much less (0.9, 3.6 GiB)";
    for (size_t length = 0; length <= strlen(text); length++) {
        size_t end;
        const char *copy = guarded(text, length, true);
        bool whole = length == strlen(text);
        assert_int_equal(kvb_pattern_match(pattern, copy, length, 0, holes, &end), whole);
        assert_true(end <= length);
    }
}

// Where a match fails is how near it was; {any} reaches 400 characters.
static void reach_of_patterns(void **state)
{
    (void)state;
    static const struct {
        const char *pattern, *text;
        bool matches;
        size_t end;
    } rows[] = {
        {"{count} a", "1 a", true, 3},
        {"{word}", "abc", true, 3},
        {"abc", "abd", false, 2},
        {"abc", "abc", true, 3},
        {"abc", "ab", false, 2},
        {"a{any}b", "axxxb", true, 5},
        {"a{any}b", "axxx", false, 4},
        {"a{any}bc", "abxbc", true, 5},
        {"a{any}b", "ax\nb", true, 4},
        {"a{any}b", "ax\nxb", false, 5},
        {"a {any}b{count}", "a xb7", true, 5},
        {"x {name}", "x abc", true, 5},
        {"x {name}", "x abc)", true, 5},
        {"x {word}", "x abc", true, 5},
        {"x{sep}{count}", "x:7", true, 3},
        {"a b", "a", false, 1},
        {"{!x}a", "a", true, 1},
        {"{!x}a", "xa", false, 0},
        {"a{!b}", "a", true, 1},
        {"n={count}", "n=-", false, 3},
        {"n={count},", "n=1,", true, 4},
        {"n={count},234", "n=1,234", false, 7},
        {"n={count}", "n=1,x234", true, 3}, // a comma that parts no thousands is left
        {"n={count}", "n=1,2x34", true, 3},
        {"n={count}", "n=1,23x4", true, 3},
        {"n={count}", "n=1,2345", true, 3},
        {"n={count}", "n=1,x23", true, 3},
    };
    struct kvb_hole holes[KVB_HOLES_MAX];
    size_t end;
    for (size_t i = 0; i < 2 * (sizeof rows / sizeof rows[0]); i++) { // nothing is read before it nor behind it
        const char *pattern = rows[i / 2].pattern, *text = rows[i / 2].text;
        size_t length = strlen(text);
        bool matches = kvb_pattern_match(pattern, guarded(text, length, i % 2 == 0), length, 0, holes, &end);
        if (matches != rows[i / 2].matches || end != rows[i / 2].end) {
            fail_msg("'%s' on '%s': %d, %zu", pattern, text, (int)matches, end);
        }
    }
    char text[512];
    for (size_t between = 398; between <= 402; between++) {
        text[0] = 'a';
        memset(text + 1, 'x', between);
        strcpy(text + 1 + between, "bc");
        bool matches = kvb_pattern_match("a{any}bc", guarded(text, between + 3, true), between + 3, 0, holes, &end);
        assert_int_equal(matches, between < 400);
        assert_int_equal(end, matches ? between + 3 : 401);
    }
}

KVB_TEST_MAIN(cmocka_unit_test(test_holes), cmocka_unit_test(test_slices), cmocka_unit_test(test_every_length),
              cmocka_unit_test(reach_of_patterns))
