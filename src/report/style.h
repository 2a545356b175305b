// Colour of terminal text; it only repeats what the words say.
#ifndef KVB_REPORT_STYLE_H
#define KVB_REPORT_STYLE_H

#include <stdbool.h>

#include "base/buffer.h"

enum kvb_style { KVB_STYLE_PLAIN, KVB_STYLE_STRONG, KVB_STYLE_DIM, KVB_STYLE_GOOD, KVB_STYLE_WARN, KVB_STYLE_BAD };

// Switches to `style` when `color` is on.
void kvb_style(struct kvb_buffer *out, bool color, enum kvb_style style);

// A line of its own in strong, after an empty line.
void kvb_style_heading(struct kvb_buffer *out, bool color, const char *text);

#endif
