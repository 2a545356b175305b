// Escapes of GitHub workflow commands.
#include "report/github.h"

#include <string.h>

#include "base/utf8.h"

void kvb_github_add(struct kvb_buffer *out, const char *text, bool is_property)
{
    const char *end = text + strlen(text);
    while (*text != '\0') {
        uint32_t code;
        size_t left = (size_t)(end - text);
        size_t length = kvb_utf8_read(text, left, &code);
        if (length != 1) { // bytes that are no character are not handed on
            kvb_buffer_add_n(out, length > 0 ? text : "?", length > 0 ? length : 1);
            text += length > 0 ? length : 1;
            continue;
        }
        bool escape = *text == '%' || *text == '\r' || *text == '\n' || (is_property && (*text == ':' || *text == ','));
        if (escape) {
            kvb_buffer_printf(out, "%%%02X", (unsigned)(unsigned char)*text);
        } else if ((unsigned char)*text >= 0x20 && *text != 0x7f) {
            kvb_buffer_add_n(out, text, 1);
        }
        text++;
    }
}
