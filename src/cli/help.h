// Help and version texts, made from the command and flag rows.
#ifndef KVB_CLI_HELP_H
#define KVB_CLI_HELP_H

#include "base/buffer.h"

void kvb_help_overview(struct kvb_buffer *out);
void kvb_help_version(struct kvb_buffer *out);

#endif
