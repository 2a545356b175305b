// The two deployments of a file that are in hand: one waiting for its comments, one being read.
#ifndef KVB_MANIFEST_MANIFEST_FOUND_H
#define KVB_MANIFEST_MANIFEST_FOUND_H

#include "manifest/manifest_reader.h"

struct kvb_pending {
    unsigned next; // the slot to be filled
    bool full;     // the other one waits
    uint32_t scope_line, last_line;
    uint32_t count; // handed over
    uint64_t *identities;
    uint32_t identity_count, identity_capacity;
    kvb_found_taker *take;
    void *context;
    struct kvb_resident_entry *residents[2]; // of each slot, made when it is needed
    struct kvb_found slots[2];
};

// Room for KVB_RESIDENTS_MAX residents of the deployment that is being made; NULL: no memory.
struct kvb_resident_entry *kvb_found_residents(struct kvb_manifest *manifest, const struct kvb_found *found);

#endif
