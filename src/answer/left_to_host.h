// What an engine leaves to the CPU when the GPU is too small for it.
#ifndef KVB_ANSWER_LEFT_TO_HOST_H
#define KVB_ANSWER_LEFT_TO_HOST_H

#include <kvbudget/budget.h>
#include <kvbudget/plan.h>

// Layers on the GPUs of `layers`, the output counted as one; all of them where the engine moves none.
uint64_t kvb_layers_on_gpu(const struct kvb_plan *plan, const struct kvb_budget *budget, uint64_t *layers);

// It starts, but not on the GPUs alone, and nobody asked for that.
bool kvb_is_left_to_host(const struct kvb_plan *plan, const struct kvb_budget *budget);

#endif
