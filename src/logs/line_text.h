// Small questions about the characters of a log's line.
#ifndef KVB_LOGS_LINE_TEXT_H
#define KVB_LOGS_LINE_TEXT_H

#include <stdbool.h>
#include <stddef.h>
#include <string.h>

#include "base/text.h"

static inline bool kvb_is_upper(char c)
{
    return c >= 'A' && c <= 'Z';
}

static inline bool kvb_is_letter_or_digit(char c)
{
    return (c >= 'a' && c <= 'z') || kvb_is_upper(c) || kvb_is_digit(c);
}

// As identifiers have them.
static inline bool kvb_is_word(char c)
{
    return kvb_is_letter_or_digit(c) || c == '_';
}

static inline bool kvb_is_name(char c)
{
    return kvb_is_word(c) || c == '.';
}

static inline bool kvb_has_word(const char *text, size_t length, const char *word)
{
    size_t size = strlen(word);
    for (size_t i = 0; i + size <= length; i++) {
        if (memcmp(text + i, word, size) == 0) {
            return true;
        }
    }
    return false;
}

static inline size_t kvb_line_start(const char *record, size_t at)
{
    while (at > 0 && record[at - 1] != '\n') {
        at--;
    }
    return at;
}

static inline size_t kvb_line_end(const char *record, size_t length, size_t at)
{
    while (at < length && record[at] != '\n' && record[at] != '\r') {
        at++;
    }
    return at;
}

static inline bool kvb_ends_with_n(const char *text, size_t length, const char *word)
{
    size_t size = strlen(word);
    return length >= size && memcmp(text + length - size, word, size) == 0;
}

#endif
