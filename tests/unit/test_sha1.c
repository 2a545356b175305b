// SHA-1 of the texts that FIPS 180-4's examples and RFC 3174 give.
#include "test.h"

#include <string.h>

#include "base/sha1.h"

static void known_digests(void **state)
{
    static const struct {
        const char *text, *digest;
    } rows[] = {
        {"", "da39a3ee5e6b4b0d3255bfef95601890afd80709"},
        {"abc", "a9993e364706816aba3e25717850c26c9cd0d89d"},
        {"abcdbcdecdefdefgefghfghighijhijkijkljklmklmnlmnomnopnopq", "84983e441c3bd26ebaae4aa1f95129e5e54670f1"},
    };
    (void)state;
    for (size_t i = 0; i < sizeof rows / sizeof rows[0]; i++) {
        char digest[KVB_SHA1_HEX];
        assert_string_equal(kvb_sha1(digest, rows[i].text, strlen(rows[i].text)), rows[i].digest);
    }
}

// RFC 3174, test 4: the 64 digits of the last row ten times.
static void many_blocks(void **state)
{
    static const char part[] = "0123456701234567012345670123456701234567012345670123456701234567";
    char text[10 * (sizeof part - 1) + 1] = "", digest[KVB_SHA1_HEX];
    (void)state;
    for (unsigned i = 0; i < 10; i++) {
        memcpy(text + i * (sizeof part - 1), part, sizeof part);
    }
    assert_string_equal(kvb_sha1(digest, text, strlen(text)), "dea356a2cddd90c7a7ecedc5ebb563934f460452");
}

KVB_TEST_MAIN(cmocka_unit_test(known_digests), cmocka_unit_test(many_blocks))
