// The way out: answer and problems written, flushed and checked.
#ifndef KVB_CLI_OUTPUT_H
#define KVB_CLI_OUTPUT_H

#include <stdbool.h>

#include <kvbudget/problem.h>

#include "base/buffer.h"
#include "cli/arguments.h"

extern const char *const kvb_output_formats[FORMAT_COUNT + 1]; // by enum format, NULL-ended

// Whether colour may be used on standard output.
bool kvb_output_use_color(enum color_mode mode);

// The page on standard output: columns of the terminal, else COLUMNS, from 40 to 160; block characters in a UTF-8
// locale.
void kvb_output_page(struct kvb_buffer *page);

// Writes the answer to standard output, flushes and checks. Returns `code`, or 4 when it cannot be
// written; a closed pipe is 4 without a message.
int kvb_output_answer(const struct kvb_buffer *answer, int code);

// Problems on standard error, one per line: `file:line:column: text`.
void kvb_output_problems(const struct kvb_problems *problems, enum kvb_severity least, bool without_assumed);

// The one document for exit codes 2, 3 and 4.
void kvb_output_problems_json(struct kvb_buffer *out, const char *schema, const struct kvb_problems *problems);

#endif
