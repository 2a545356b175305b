// The `vllm serve` line that starts the deployment with the advised changes applied.
#ifndef KVB_CLI_SERVE_LINE_H
#define KVB_CLI_SERVE_LINE_H

#include "base/buffer.h"
#include "cli/arguments.h"

// Appends one line without a line break, quoted for a POSIX shell. A serve command that was given is
// kept word for word except for what changes.
void serve_line_write(struct kvb_buffer *out, const struct arguments *arguments, const struct kvb_plan *plan,
                      const struct kvb_advice *advice);

// Appends one word, quoted when the shell would read it otherwise.
void serve_line_quote(struct kvb_buffer *out, const char *word);

#endif
