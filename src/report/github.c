// Escapes of GitHub workflow commands.
#include "report/github.h"

void kvb_github_add(struct kvb_buffer *out, const char *text, bool is_property)
{
    for (; *text != '\0'; text++) {
        bool escape = *text == '%' || *text == '\r' || *text == '\n' || (is_property && (*text == ':' || *text == ','));
        if (escape) {
            kvb_buffer_printf(out, "%%%02X", (unsigned)(unsigned char)*text);
        } else if ((unsigned char)*text >= 0x20 && *text != 0x7f) {
            kvb_buffer_add_n(out, text, 1);
        }
    }
}
