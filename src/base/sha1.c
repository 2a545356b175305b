// SHA-1, block by block: the text, one bit, zeros, and the length in bits.
#include "base/sha1.h"

#include <stdint.h>
#include <string.h>

#define BLOCK 64

static uint32_t rotate(uint32_t value, unsigned bits)
{
    return value << bits | value >> (32 - bits);
}

// The function and constant of a round, FIPS 180-4, 4.1.1 and 4.2.1.
static uint32_t mix(unsigned round, uint32_t b, uint32_t c, uint32_t d)
{
    if (round < 20) {
        return ((b & c) | (~b & d)) + 0x5a827999U;
    }
    if (round < 40) {
        return (b ^ c ^ d) + 0x6ed9eba1U;
    }
    if (round < 60) {
        return ((b & c) | (b & d) | (c & d)) + 0x8f1bbcdcU;
    }
    return (b ^ c ^ d) + 0xca62c1d6U;
}

static void add_block(uint32_t state[5], const unsigned char block[BLOCK])
{
    uint32_t words[80], v[5];
    for (unsigned i = 0; i < 16; i++) {
        const unsigned char *at = block + 4 * (size_t)i;
        words[i] = (uint32_t)at[0] << 24 | (uint32_t)at[1] << 16 | (uint32_t)at[2] << 8 | at[3];
    }
    for (unsigned i = 16; i < 80; i++) {
        words[i] = rotate(words[i - 3] ^ words[i - 8] ^ words[i - 14] ^ words[i - 16], 1);
    }
    memcpy(v, state, sizeof v);
    for (unsigned i = 0; i < 80; i++) {
        uint32_t next = rotate(v[0], 5) + mix(i, v[1], v[2], v[3]) + v[4] + words[i];
        v[4] = v[3];
        v[3] = v[2];
        v[2] = rotate(v[1], 30);
        v[1] = v[0];
        v[0] = next;
    }
    for (unsigned i = 0; i < 5; i++) {
        state[i] += v[i];
    }
}

// The last one or two blocks.
static void add_end(uint32_t state[5], const char *rest, size_t rest_length, uint64_t bits)
{
    unsigned char end[2 * BLOCK] = {0};
    size_t blocks = rest_length + 9 > BLOCK ? 2 : 1;
    memcpy(end, rest, rest_length);
    end[rest_length] = 0x80;
    for (unsigned i = 0; i < 8; i++) {
        end[blocks * BLOCK - 1 - i] = (unsigned char)(bits >> 8 * i);
    }
    for (size_t i = 0; i < blocks; i++) {
        add_block(state, end + i * BLOCK);
    }
}

char *kvb_sha1(char out[KVB_SHA1_HEX], const char *text, size_t length)
{
    static const char digits[] = "0123456789abcdef";
    uint32_t state[5] = {0x67452301U, 0xefcdab89U, 0x98badcfeU, 0x10325476U, 0xc3d2e1f0U};
    size_t whole = length / BLOCK * BLOCK;
    for (size_t at = 0; at < whole; at += BLOCK) {
        unsigned char block[BLOCK];
        memcpy(block, text + at, BLOCK);
        add_block(state, block);
    }
    add_end(state, text + whole, length - whole, (uint64_t)length * 8);
    for (unsigned i = 0; i < 40; i++) {
        out[i] = digits[state[i / 8] >> (28 - 4 * (i % 8)) & 15U];
    }
    out[40] = '\0';
    return out;
}
