// Text of a GitHub workflow command.
#ifndef KVB_REPORT_GITHUB_H
#define KVB_REPORT_GITHUB_H

#include <stdbool.h>

#include "base/buffer.h"

// GitHub shows about ten annotations of a level for a step.
#define KVB_GITHUB_SHOWN_MAX 9

// In a property ':' and ',' are escaped as well as '%' and line breaks.
void kvb_github_add(struct kvb_buffer *out, const char *text, bool is_property);

#endif
