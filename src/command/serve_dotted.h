// Dotted flags of a serve command: --compilation-config.cudagraph_mode=NONE, -cc.pass_config.x 1.
#ifndef KVB_COMMAND_SERVE_DOTTED_H
#define KVB_COMMAND_SERVE_DOTTED_H

#include <stdbool.h>

#include "base/buffer.h"
#include "engines/flags.h"

bool kvb_serve_is_dotted(const char *word);

// Gathers every dotted word of the flag at `index` into one JSON object, so that parts which belong
// together arrive together. Returns the JSON flag, or NULL when it is none; `json` stays empty for all
// but the first such word.
const struct kvb_serve_flag *kvb_serve_dotted_read(const struct kvb_engine_rows *engine, int count,
                                                   const char *const *words, int index, struct kvb_buffer *json);

#endif
