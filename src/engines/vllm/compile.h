// What a first start allocates while it compiles inside the profile run.
#ifndef KVB_ENGINES_VLLM_COMPILE_H
#define KVB_ENGINES_VLLM_COMPILE_H

#include <stdbool.h>
#include <stdint.h>

#include "engines/vllm/context.h"

// The graphs that are asked for, by their own setting or what else decides them; AUTO: as the release does by itself.
enum kvb_graph_mode kvb_graph_mode_asked(const struct kvb_context *context);
// Whether nothing is compiled, whatever an earlier start left.
bool kvb_compiles_never(const struct kvb_context *context);
// Whether graphs of parts, the default, are given up for want of compiled parts, and so all graphs.
bool kvb_loses_graphs(const struct kvb_context *context);
// The peak of the timed arguments on the first stage; 0 when nothing is compiled there.
uint64_t kvb_compile_peak_bytes(const struct kvb_context *context);
// What a first start charges (0.27 and later) of a block of the table's size that torch cannot give back, since a
// workspace lies in it.
uint64_t kvb_compile_rest_bytes(const struct kvb_context *context);

#endif
