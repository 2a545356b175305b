// A walk through a folder that need not be on the disk.
#ifndef KVB_MANIFEST_MANIFEST_WALK_H
#define KVB_MANIFEST_MANIFEST_WALK_H

#include <kvbudget/manifest.h>

#include "text/files.h"

// What lies at a path, or below it, could not be looked at; the walk's problems say why.
typedef enum kvb_status kvb_missed_taker(void *context, const char *path, struct kvb_problems *problems);

struct kvb_walk {
    const struct kvb_files *files; // NULL: the disk
    kvb_file_visitor *visit;
    kvb_missed_taker *missed; // or NULL; the walk goes on behind it
    void *context;
    uint32_t *seen;
    struct kvb_problems *problems;
    enum kvb_status not_read; // of the first that was missed
};
// KVB_OK: all of it was looked at, by a visitor that was content.
enum kvb_status kvb_manifest_walk_in(struct kvb_walk *walk, const char *folder) KVB_MUST_USE;

#endif
