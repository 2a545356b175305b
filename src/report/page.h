// The last look at a page: lines that are wider than it go on below.
#ifndef KVB_REPORT_PAGE_H
#define KVB_REPORT_PAGE_H

#include "base/buffer.h"

// Breaks what is wider than the page at blanks, further in than the line began. Commands that are to be pasted, which
// go on behind a backslash, and words without a blank stay whole. Nothing where no width was said.
void kvb_page_fold(struct kvb_buffer *page);

#endif
