// A walk through a folder that need not be on the disk.
#ifndef KVB_MANIFEST_MANIFEST_WALK_H
#define KVB_MANIFEST_MANIFEST_WALK_H

#include <kvbudget/manifest.h>

#include "text/files.h"

// As kvb_manifest_walk(); `files` NULL: the disk.
enum kvb_status kvb_manifest_walk_in(const struct kvb_files *files, const char *folder, kvb_file_visitor *visit,
                                     void *context, uint32_t *seen, struct kvb_problems *problems) KVB_MUST_USE;

#endif
