// One command from its words to its answer, whoever asked and wherever the answer goes.
#ifndef KVB_CLI_RUN_H
#define KVB_CLI_RUN_H

#include "base/buffer.h"
#include "cli/commands.h"

// Empty arguments of a command, given back with kvb_run_end; NULL: out of memory.
struct arguments *kvb_run_begin(const struct command_row *command);
void kvb_run_end(struct arguments *arguments);

// Reads the words, runs the command and returns its exit code. `answer` holds what is to be printed: the answer, or
// with --json for codes 2, 3 and 4 the document that says why there is none. Nothing is written.
int kvb_run_words(struct arguments *arguments, int count, const char *const *words, struct kvb_buffer *answer);

#endif
