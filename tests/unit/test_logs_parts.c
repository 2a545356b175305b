// Lines that a container runtime cut: how long a head may be, how much is held between two parts, and how late one may
// come.
#define _DEFAULT_SOURCE // MAP_ANONYMOUS
#include <stdio.h>
#include <string.h>

#include "guarded.h"
#include "log_text.h"
#include "logs/parts.h"
#include "unit/test.h"

static char joined[16384];

static void keep(void *context, const char *bytes, size_t length)
{
    size_t *used = context;
    assert_true(*used + length < sizeof joined);
    memcpy(joined + *used, bytes, length);
    *used += length;
    joined[*used] = '\0';
}

static const char *join(const char *text, bool at_the_end)
{
    static struct kvb_parts parts;
    size_t used = 0, length = strlen(text);
    memset(&parts, 0, sizeof parts);
    kvb_parts_feed(&parts, guarded(text, length, at_the_end), length, keep, &used);
    kvb_parts_finish(&parts, keep, &used);
    return joined;
}

#define AT "2026-11-22T04:26:09Z "

// A head has 64 characters at most: its blank behind the tag may be the one after those.
static void heads(void **state)
{
    (void)state;
    char text[512], wanted[512];
    for (unsigned digits = 30; digits < 45; digits++) {
        bool known = 19 + digits + strlen(" stderr P") <= 64;
        char clock[128];
        (void)snprintf(clock, sizeof clock, "2026-11-22T04:26:09%0*d", (int)digits, 0);
        (void)snprintf(text, sizeof text, "%s stderr P one\n" AT "stderr F two\n", clock);
        (void)snprintf(wanted, sizeof wanted,
                       known ? "%s stderr P onetwo\n\n" : "%s stderr P one\n" AT "stderr F two\n", clock);
        assert_string_equal(join(text, digits % 2 == 0), wanted);
    }
}

// A line that is shorter than a head, or ends inside of one, is none, whatever the line before was.
static void short_heads(void **state)
{
    (void)state;
    char text[256];
    for (size_t length = 0; length <= strlen(AT "stderr F"); length++) {
        (void)snprintf(text, sizeof text, AT "stderr P one\n%.*s\n", (int)length, AT "stderr F");
        bool whole = length == strlen(AT "stderr F");
        assert_string_equal(join(text, true), whole ? AT "stderr P one\n\n" : text);
        (void)snprintf(text, sizeof text, AT "stderr P one\n%.*s", (int)length, AT "stderr F");
        if (length > 0 && !whole) {
            assert_string_equal(join(text, true), text);
        }
    }
}

// What comes between two parts is held up to 4096 bytes, with a byte for each break that goes.
static void held(void **state)
{
    (void)state;
    static char text[8192], wanted[8192], other[4200];
    for (unsigned bytes = 4094; bytes <= 4098; bytes++) {
        memset(other, 'x', bytes);
        memcpy(other, AT "stdout F ", strlen(AT "stdout F "));
        other[bytes - 1] = '\n';
        other[bytes] = '\0';
        bool kept = bytes + 1 <= 4096;
        (void)snprintf(text, sizeof text, AT "stderr P one\n%s" AT "stderr F two\n", other);
        (void)snprintf(wanted, sizeof wanted,
                       kept ? AT "stderr P onetwo\n%s\n" : AT "stderr P one\n%s" AT "stderr F two\n", other);
        if (strcmp(join(text, true), wanted) != 0) {
            fail_msg("%u bytes between", bytes);
        }
    }
    // Each break of a part that goes takes one of them.
    size_t length = (size_t)snprintf(text, sizeof text, AT "stdout P a\n" AT "stdout P b\n" AT "stdout P c\n");
    (void)snprintf(text + length, sizeof text - length, AT "stderr F x\n" AT "stdout F d\n");
    assert_string_equal(join(text, true), AT "stdout P abcd\n\n\n" AT "stderr F x\n\n");
}

// Behind 64 KiB without such a line none is expected any more.
static void late(void **state)
{
    (void)state;
    static char log[80 << 10];
    static const struct {
        size_t before;
        bool joins;
    } rows[] = {{65000, true}, {66000, false}};
    for (size_t i = 0; i < sizeof rows / sizeof rows[0]; i++) {
        for (size_t at = 0; at < rows[i].before; at += 2) {
            memcpy(log + at, "x\n", 2);
        }
        strcpy(log + rows[i].before, AT "stderr P Model loading to\n" AT "stderr F ok 8.25 GiB\n");
        assert_int_equal(read_log_pieces(log, strlen(log), 4096)->observed[KVB_OBS_WEIGHTS].set, rows[i].joins);
    }
}

KVB_TEST_MAIN(cmocka_unit_test(heads), cmocka_unit_test(short_heads), cmocka_unit_test(held), cmocka_unit_test(late))
