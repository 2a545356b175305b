// UTF-8, read and written in one place, and which characters may reach a terminal.
#include "base/utf8.h"

static size_t length_of(unsigned char first)
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

size_t kvb_utf8_read(const char *text, size_t left, uint32_t *code)
{
    static const uint32_t least[] = {0, 0, 0x80, 0x800, 0x10000};
    if (left == 0) {
        return 0;
    }
    unsigned char first = (unsigned char)text[0];
    size_t length = length_of(first);
    if (length == 0 || length > left) {
        return 0;
    }
    *code = length == 1 ? first : first & (0x7FU >> length);
    for (size_t i = 1; i < length; i++) {
        if (!kvb_utf8_follows(text[i])) {
            return 0;
        }
        *code = *code << 6 | ((unsigned char)text[i] & 0x3FU);
    }
    bool surrogate = *code >= 0xD800 && *code <= 0xDFFF;
    return *code < least[length] || *code > 0x10FFFF || surrogate ? 0 : length;
}

size_t kvb_utf8_write(char out[4], uint32_t code)
{
    static const unsigned char marks[] = {0, 0, 0xC0, 0xE0, 0xF0};
    size_t length = code < 0x80 ? 1 : code < 0x800 ? 2 : code < 0x10000 ? 3 : 4;
    for (size_t i = length; i-- > 1; code >>= 6) {
        out[i] = (char)(0x80U | (code & 0x3FU));
    }
    out[0] = (char)(marks[length] | code);
    return length;
}

bool kvb_is_harmless(uint32_t code)
{
    bool control = code < 0x20 || (code >= 0x7F && code <= 0x9F);
    bool hidden = (code >= 0x200B && code <= 0x200F) || (code >= 0x2028 && code <= 0x202E) ||
                  (code >= 0x2060 && code <= 0x206F) || code == 0xFEFF;
    return !control && !hidden;
}

size_t kvb_utf8_harmless(const char *text, size_t left)
{
    uint32_t code;
    size_t length = kvb_utf8_read(text, left, &code);
    return length > 0 && kvb_is_harmless(code) ? length : 0;
}
