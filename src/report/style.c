// Colour of terminal text; it only repeats what the words say.
#include "report/style.h"

#define PAGE_USUAL 80U

unsigned kvb_page_width(const struct kvb_buffer *out)
{
    return out->page_columns > 0 ? out->page_columns : PAGE_USUAL;
}

void kvb_style(struct kvb_buffer *out, bool color, enum kvb_styles style)
{
    static const char *const codes[] = {
        [KVB_STYLE_PLAIN] = "\033[0m",   [KVB_STYLE_STRONG] = "\033[1m",  [KVB_STYLE_DIM] = "\033[2m",
        [KVB_STYLE_GOOD] = "\033[1;32m", [KVB_STYLE_WARN] = "\033[1;33m", [KVB_STYLE_BAD] = "\033[1;31m",
    };
    if (color) {
        kvb_buffer_add(out, codes[style]);
    }
}

void kvb_style_heading(struct kvb_buffer *out, bool color, const char *text)
{
    kvb_buffer_add(out, "\n");
    kvb_style(out, color, KVB_STYLE_STRONG);
    kvb_buffer_add(out, text);
    kvb_style(out, color, KVB_STYLE_PLAIN);
    kvb_buffer_add(out, "\n");
}
