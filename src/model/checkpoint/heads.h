// Weight files of which only the beginning is kept, and what was read from them before.
#ifndef KVB_MODEL_CHECKPOINT_HEADS_H
#define KVB_MODEL_CHECKPOINT_HEADS_H

#include <kvbudget/checkpoint.h>

#include "text/file.h"

// In the folder of such files, lines of "SIZE NAME": how long they are where they were fetched from.
#define KVB_HEADS_NAME "kvbudget-heads.txt"

// As kvb_file_open; its size is the whole file's when only the beginning is here.
enum kvb_status kvb_open_weights(struct kvb_open_file *file, const char *path,
                                 struct kvb_problems *problems) KVB_MUST_USE;

// What a folder's headers say when elements in packed words have `bits`, kept beside them so that they need not be
// read again. False: it was not kept, or by another version.
bool kvb_heads_recall(const char *folder, uint32_t bits, struct kvb_checkpoint *out);
enum kvb_status kvb_heads_keep(const char *folder, uint32_t bits, const struct kvb_checkpoint *checkpoint,
                               struct kvb_problems *problems) KVB_MUST_USE;

#endif
