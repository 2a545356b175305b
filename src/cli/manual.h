// What the pages of the manual are written with.
#ifndef KVB_CLI_MANUAL_H
#define KVB_CLI_MANUAL_H

#include "base/buffer.h"

// A text as man takes it: no character of it is a request, and a dash is one that can be copied.
void kvb_manual_text(struct kvb_buffer *out, const char *text);
void kvb_manual_section(struct kvb_buffer *out, const char *title);
void kvb_manual_heading(struct kvb_buffer *out, const char *name, int section, const char *what);

void kvb_manual_library(struct kvb_buffer *out);

#endif
