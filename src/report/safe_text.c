// Text from files and logs made harmless for a terminal or a JSON document.
#include "report/safe_text.h"

#include <string.h>

#include "base/utf8.h"

void kvb_text_add_safe_n(struct kvb_buffer *out, const char *text, size_t length)
{
    for (size_t i = 0; i < length;) {
        uint32_t code;
        size_t bytes = kvb_utf8_read(text + i, length - i, &code);
        if (bytes == 0 || !kvb_is_harmless(code)) {
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
