// A plan without a GPU: what is needed, and the smallest built-in cards that start.
#ifndef KVB_CLI_CARDS_H
#define KVB_CLI_CARDS_H

#include "base/buffer.h"
#include "cli/arguments.h"

int cards_run(struct arguments *arguments, struct kvb_buffer *out);

#endif
