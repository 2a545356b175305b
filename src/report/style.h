// Colour of terminal text; it only repeats what the words say.
#ifndef KVB_REPORT_STYLE_H
#define KVB_REPORT_STYLE_H

#include <stdbool.h>

#include "base/buffer.h"

enum kvb_styles { KVB_STYLE_PLAIN, KVB_STYLE_STRONG, KVB_STYLE_DIM, KVB_STYLE_GOOD, KVB_STYLE_WARN, KVB_STYLE_BAD };

#define KVB_PAGE_UNBROKEN 10000U // page_columns of lines that are read by a program or copied

// Columns of the page that `out` becomes; 80 where nothing was said.
unsigned kvb_page_width(const struct kvb_buffer *out);

// Switches to `style` when `color` is on.
void kvb_style(struct kvb_buffer *out, bool color, enum kvb_styles style);

// A line of its own in strong, after an empty line.
void kvb_style_heading(struct kvb_buffer *out, bool color, const char *text);

#endif
