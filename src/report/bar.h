// A bar of a page: letters, or blocks in colour where the terminal shows both.
#ifndef KVB_REPORT_BAR_H
#define KVB_REPORT_BAR_H

#include <stdbool.h>
#include <stddef.h>

#include "base/buffer.h"

#define KVB_BAR_CELLS_MAX 160U

// A letter stands for one thing in all bars; '.' is free, '!' too much.
void kvb_bar_add(struct kvb_buffer *out, bool color, const char *cells);

// One entry of the legend under a bar, whose lines begin with one blank; `used` columns of the line are taken, and a
// new line begins when the entry would not fit.
void kvb_bar_legend(struct kvb_buffer *out, bool color, size_t *used, char letter, const char *label);

#endif
