// Text from files and logs made harmless for a terminal or a JSON document.
#include "report/safe_text.h"

#include <stdbool.h>
#include <string.h>

static bool is_follower(char c)
{
    return ((unsigned char)c & 0xC0U) == 0x80U;
}

static size_t sequence_length(unsigned char first)
{
    if (first < 0x80U) {
        return 1;
    }
    if (first >= 0xC2U && first <= 0xDFU) {
        return 2;
    }
    if ((first & 0xF0U) == 0xE0U) {
        return 3;
    }
    return first >= 0xF0U && first <= 0xF4U ? 4 : 0;
}

size_t kvb_utf8_read(const char *text, uint32_t *code)
{
    static const uint32_t least[] = {0, 0, 0x80, 0x800, 0x10000};
    unsigned char first = (unsigned char)text[0];
    size_t length = sequence_length(first);
    if (length == 0) {
        return 0;
    }
    *code = length == 1 ? first : first & (0x7FU >> length);
    for (size_t i = 1; i < length; i++) {
        if (!is_follower(text[i])) {
            return 0;
        }
        *code = *code << 6 | ((unsigned char)text[i] & 0x3FU);
    }
    bool surrogate = *code >= 0xD800 && *code <= 0xDFFF;
    return *code < least[length] || *code > 0x10FFFF || surrogate ? 0 : length;
}

static bool is_control(uint32_t code)
{
    bool bidirectional = (code >= 0x202A && code <= 0x202E) || (code >= 0x2066 && code <= 0x2069);
    return code < 0x20 || (code >= 0x7F && code <= 0x9F) || bidirectional;
}

void kvb_text_add_safe_n(struct kvb_buffer *out, const char *text, size_t length)
{
    for (size_t i = 0; i < length;) {
        uint32_t code = 0;
        size_t bytes = kvb_utf8_read(text + i, &code);
        if (bytes == 0 || is_control(code)) {
            kvb_buffer_add_n(out, "?", 1);
            i += bytes == 0 ? 1 : bytes;
            continue;
        }
        kvb_buffer_add_n(out, text + i, bytes);
        i += bytes;
    }
}

void kvb_text_add_safe(struct kvb_buffer *out, const char *text)
{
    kvb_text_add_safe_n(out, text, strlen(text));
}

// Length of the longest piece of `text` that fits into `room`, cut at a blank or a line break.
static size_t piece_length(const char *text, size_t room)
{
    size_t stop = 0, i = 0;
    for (; text[i] != '\0' && text[i] != '\n'; i++) {
        if (text[i] == ' ') {
            stop = i;
        }
        if (i >= room && stop > 0) {
            return stop;
        }
    }
    return i;
}

void kvb_text_add_wrapped(struct kvb_buffer *out, const char *text, unsigned indent, unsigned width)
{
    size_t room = width > indent + 8 ? width - indent : 8;
    while (*text != '\0') {
        size_t length = piece_length(text, room);
        kvb_buffer_fill(out, ' ', indent);
        kvb_text_add_safe_n(out, text, length);
        kvb_buffer_add(out, "\n");
        text += length;
        while (*text == ' ') {
            text++;
        }
        if (*text == '\n') {
            text++;
        }
    }
}
