// Paths put together of their parts.
#ifndef KVB_TEXT_PATH_H
#define KVB_TEXT_PATH_H

#include <stdbool.h>

#include <kvbudget/problem.h>

// FOLDER/NAME with one slash between; of no folder the name alone. False: it is too long for `out`.
bool kvb_path_join(char out[KVB_PATH_CAPACITY], const char *folder, const char *name);
// FOLDER/BELOW/NAME, or FOLDER/NAME where `below` is "".
bool kvb_path_join_below(char out[KVB_PATH_CAPACITY], const char *folder, const char *below, const char *name);

#endif
