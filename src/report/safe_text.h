// Text from files and logs made harmless for a terminal or a JSON document.
#ifndef KVB_REPORT_SAFE_TEXT_H
#define KVB_REPORT_SAFE_TEXT_H

#include <stddef.h>

#include "base/buffer.h"

// Adds `text` with control characters and broken UTF-8 replaced by '?'.
void kvb_text_add_safe(struct kvb_buffer *out, const char *text);
void kvb_text_add_safe_n(struct kvb_buffer *out, const char *text, size_t length);

// Text of an element or an attribute of XML and HTML: markup escaped, the rest made safe.
void kvb_xml_add(struct kvb_buffer *out, const char *text);

// Length of the longest piece of `text` that fits into `room`, cut at a blank or a line break; of the first word where
// that is longer.
size_t kvb_text_piece(const char *text, size_t room);

// Adds `text` broken at blanks into lines of at most `width` columns, each after `indent` blanks.
void kvb_text_add_wrapped(struct kvb_buffer *out, const char *text, unsigned indent, unsigned width);

// The same of a line that is freed, over the width of the page; an empty one adds nothing.
void kvb_text_add_line(struct kvb_buffer *out, struct kvb_buffer *line);

// Adds a command broken before flags, each line but the last with a backslash, so that it can be pasted.
void kvb_text_add_command(struct kvb_buffer *out, const char *command, unsigned indent, unsigned width);

#endif
