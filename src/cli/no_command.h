// What was meant by a command line whose first word is no command.
#ifndef KVB_CLI_NO_COMMAND_H
#define KVB_CLI_NO_COMMAND_H

#include <kvbudget/problem.h>

// Adds the one sentence: a misspelt command, a flag or a serve command without the command before it.
void kvb_no_command(int count, const char *const *words, struct kvb_problems *problems);

#endif
