// What is said of a flag that nobody knows.
#ifndef KVB_CLI_UNKNOWN_FLAG_H
#define KVB_CLI_UNKNOWN_FLAG_H

#include "cli/options.h"

// Adds the one sentence; `name` is as typed, of `length` characters.
enum kvb_status kvb_unknown_flag(struct arguments *arguments, const struct option_list *list, const char *name,
                                 size_t length);

#endif
