// What the completion scripts of all shells are made from.
#ifndef KVB_CLI_COMPLETION_H
#define KVB_CLI_COMPLETION_H

#include "base/buffer.h"
#include "cli/options.h"

// Words a flag's value can be, separated by blanks; adds nothing when anything goes.
// What may stand behind the command's name: "list show check import"; nothing where that is a file or free text.
void kvb_completion_actions(struct kvb_buffer *out, const struct command_row *command);
void kvb_completion_words(struct kvb_buffer *out, const struct option_row *row);
// "models", "gpus" or "engines" where the value is a name that `kvbudget completion` lists; else NULL.
const char *kvb_completion_names_of(const struct option_row *row);

// The built-in names of an operand like "models", one a line; false: it is no such operand.
bool kvb_completion_write_names(struct kvb_buffer *out, const char *operand);

void kvb_completion_zsh(struct kvb_buffer *out);
void kvb_completion_fish(struct kvb_buffer *out);

#endif
