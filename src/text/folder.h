// Folders as a cache needs them: made with all above them, moved whole, taken away with what is in them.
#ifndef KVB_TEXT_FOLDER_H
#define KVB_TEXT_FOLDER_H

#include <stdbool.h>
#include <stdint.h>

#include <kvbudget/problem.h>

// As mkdir -p; a folder that is there already is fine.
enum kvb_status kvb_folder_make(const char *path, struct kvb_problems *problems);
// Files and folders below and itself; links are taken away, not followed. What is not there is fine.
enum kvb_status kvb_folder_remove(const char *path, struct kvb_problems *problems);
// Moves a folder to a name that nobody has; false: somebody has it, or it cannot be done.
bool kvb_folder_move(const char *from, const char *to);
// Bytes of all files below.
uint64_t kvb_folder_bytes(const char *path);
// Seconds since it was changed last; UINT64_MAX: it is not there.
uint64_t kvb_path_age_seconds(const char *path);

#endif
