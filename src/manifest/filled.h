// Deployments of a filled template, told where they stand in the template itself.
#ifndef KVB_MANIFEST_FILLED_H
#define KVB_MANIFEST_FILLED_H

#include "manifest/chart.h"
#include "manifest/manifest_reader.h"

struct kvb_filled {
    struct kvb_chart *chart;
    const char *overlay; // its file of values beside values.yaml, or NULL
    const char *file;
    kvb_found_taker *take;
    void *context;
    struct kvb_found *copy;              // room for one
    const struct kvb_manifest *rendered; // NULL: the template is read as it stands
    struct kvb_manifest source;          // its lines
};

bool kvb_filled_open(struct kvb_filled *filled, const char *text, size_t length); // false: no memory
void kvb_filled_close(struct kvb_filled *filled);
kvb_found_taker kvb_filled_take; // `context` is a struct kvb_filled

#endif
