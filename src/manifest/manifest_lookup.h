// Values of a training run by their dotted key, wherever they are kept; and the trainer that they describe.
#ifndef KVB_MANIFEST_MANIFEST_LOOKUP_H
#define KVB_MANIFEST_MANIFEST_LOOKUP_H

#include "deployment/residents.h"
#include "manifest/manifest_found.h"
#include "manifest/manifest_reader.h"

// One value with its place, or nothing.
struct kvb_looked_up {
    const char *text; // NULL: nothing
    size_t offset;
    const char *unknown; // a variable in it that nobody knows, or NULL
};

typedef struct kvb_looked_up kvb_lookup(struct kvb_manifest *manifest, const void *source, const char *key);

kvb_lookup kvb_lookup_in_tree;  // source: a struct kvb_node
kvb_lookup kvb_lookup_in_words; // source: struct kvb_words, KEY=VALUE or +KEY=VALUE of hydra; the last one counts
kvb_lookup kvb_lookup_in_flags; // source: struct kvb_words, --NAME VALUE or --NAME=VALUE; without a value "true"

// The trainer that holds memory on the same GPUs, with the framework's defaults and keys as `plan` reads them for a
// resident of kind trainer. What keeps it from being counted becomes a notice.
void kvb_rollout_add_trainer(struct kvb_manifest *manifest, struct kvb_found *found, enum kvb_framework framework,
                             kvb_lookup *find, const void *source);

#endif
