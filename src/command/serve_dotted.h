// Dotted flags of a serve command: --compilation-config.cudagraph_mode=NONE, -cc.pass_config.x 1.
#ifndef KVB_COMMAND_SERVE_DOTTED_H
#define KVB_COMMAND_SERVE_DOTTED_H

#include <stdbool.h>

#include "base/buffer.h"
#include "engines/flags.h"

bool kvb_serve_is_dotted(const char *word);

// Gathers every dotted word of the flag at `index`, spelled as it is there, into one JSON object, so that parts which
// belong together arrive together. Returns the JSON flag, or NULL when it is none; `json` stays empty for all but the
// first such word, and where words of another spelling begin behind it: they replace it whole.
const struct kvb_serve_flag *kvb_serve_dotted_read(const struct kvb_engine_rows *engine, int count,
                                                   const char *const *words, int index, struct kvb_buffer *json);

// Whether the JSON that the flag is given at `index` is replaced: by the same flag behind it, or by dotted words of it,
// which are read behind all others.
bool kvb_serve_is_replaced(const struct kvb_engine_rows *engine, int count, const char *const *words, int index,
                           const struct kvb_serve_flag *flag);

#endif
