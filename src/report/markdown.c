// Text of others in a cell of Markdown.
#include <string.h>

#include "report/check_report.h"
#include "report/safe_text.h"

void kvb_markdown_add(struct kvb_buffer *out, const char *text)
{
    static const char marked[] = "|\\`*_[]#!~>";
    struct kvb_buffer safe;
    kvb_buffer_init(&safe);
    kvb_text_add_safe(&safe, text);
    for (const char *c = kvb_buffer_text(&safe); *c != '\0'; c++) {
        switch (*c) {
        case '<':
            kvb_buffer_add(out, "&lt;");
            break;
        case '&':
            kvb_buffer_add(out, "&amp;");
            break;
        case '@': // would call somebody
            kvb_buffer_add(out, "&#64;");
            break;
        default:
            kvb_buffer_add(out, strchr(marked, *c) != NULL ? "\\" : "");
            kvb_buffer_add_n(out, c, 1);
        }
    }
    out->failed |= safe.failed;
    kvb_buffer_free(&safe);
}
