// A node of a tree as text again, each value at the line and column where it stood, so that a second
// reader of the same text names the same places.
#ifndef KVB_TEXT_TREE_TEXT_H
#define KVB_TEXT_TREE_TEXT_H

#include "base/buffer.h"
#include "text/tree.h"

// Adds the node in flow form. `head` goes behind the first '{' of a mapping ("kind: model, "), or is "".
void kvb_node_write_at_place(struct kvb_buffer *out, const struct kvb_node *node, const char *head);

// Adds the node as JSON on one line. Plain numbers, true, false and null stay bare, all else is quoted.
void kvb_node_write_json(struct kvb_buffer *out, const struct kvb_node *node);

#endif
