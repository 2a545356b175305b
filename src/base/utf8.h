// UTF-8, read and written in one place, and which characters may reach a terminal.
#ifndef KVB_BASE_UTF8_H
#define KVB_BASE_UTF8_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

// A byte inside a character, not its first.
static inline bool kvb_utf8_follows(char byte)
{
    return ((unsigned char)byte & 0xC0U) == 0x80U;
}

// Bytes of the valid character at `text`, at most `left`; 0 when it is none. `code` receives its code point.
size_t kvb_utf8_read(const char *text, size_t left, uint32_t *code);

// Writes a code point below 0x110000; returns its bytes.
size_t kvb_utf8_write(char out[4], uint32_t code);

// Neither a control character nor one that turns the direction of text or hides in it.
bool kvb_is_harmless(uint32_t code);

// As kvb_utf8_read, but 0 for what is not harmless too.
size_t kvb_utf8_harmless(const char *text, size_t left);

#endif
