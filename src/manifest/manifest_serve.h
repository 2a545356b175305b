// The words of a serve command while they become a deployment, and where its settings and mistakes stand.
#ifndef KVB_MANIFEST_SERVE_H
#define KVB_MANIFEST_SERVE_H

#include "command/serve_command.h"
#include "engines/flags.h"
#include "manifest/manifest_found.h"

// The command as it is handed to the reader; `words` keeps the places.
struct kvb_manifest_serve {
    struct kvb_manifest *manifest;
    struct kvb_found *found;
    const struct kvb_engine_rows *engine;
    struct kvb_words words;
    const char **texts;
    uint32_t program_words; // at the beginning
};

// What to do about a value that nobody knows: a variable can be given, the output of a command or an expression of
// Python cannot.
const char *kvb_serve_remedy(struct kvb_manifest *manifest, const char *unknown);
// The variable nobody knows in the flag at `index` or its value, or NULL.
const char *kvb_serve_unknown(const struct kvb_manifest_serve *serve, uint32_t index);
// Problems from the `problems_before`-th on and settings receive the place of the flag that brought them.
void kvb_serve_place(struct kvb_manifest_serve *serve, const struct kvb_serve_trace *trace, uint32_t problems_before);

#endif
