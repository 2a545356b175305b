// The items of an answer and the buffers behind them.
#ifndef KVB_ENGINES_LLAMACPP_ITEMS_H
#define KVB_ENGINES_LLAMACPP_ITEMS_H

#include "engines/llamacpp/start.h"

// Settings as the start uses them, whoever said them.
void kvb_llama_put_settings(const struct kvb_llama_start *start, struct kvb_budget *budget);
void kvb_llama_add_parts(const struct kvb_llama_start *start, uint32_t device, struct kvb_budget *budget);
void kvb_llama_fill_items(const struct kvb_plan *plan, const struct kvb_llama_start *start, uint32_t device,
                          struct kvb_budget *budget);

#endif
