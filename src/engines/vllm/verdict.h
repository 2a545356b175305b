// Whether it starts, what lies outside the request, the verdict and what must be said about it.
#ifndef KVB_ENGINES_VLLM_VERDICT_H
#define KVB_ENGINES_VLLM_VERDICT_H

#include "engines/vllm/context.h"

// Each may end the start with its error; called in the order in which the engine gets there, last first.
void kvb_check_device(const struct kvb_context *context, struct kvb_budget *budget);
void kvb_check_cache(const struct kvb_context *context, struct kvb_budget *budget);
void kvb_check_length(const struct kvb_context *context, struct kvb_budget *budget);
void kvb_check_batch(const struct kvb_context *context, struct kvb_budget *budget);
void kvb_check_free(const struct kvb_context *context, uint64_t requested_bytes, struct kvb_budget *budget);

// Sets what is held outside of the request (outside_bytes) and what it leaves of the card (slack_bytes, signed).
void kvb_settle_outside(const struct kvb_context *context, struct kvb_budget *budget);
// Sets the verdict, and needed_bytes and balance_bytes where more is wanted than the release checks.
void kvb_judge(const struct kvb_context *context, struct kvb_budget *budget);
// Adds what must be said beside the verdict; refuses nothing.
void kvb_warn(const struct kvb_context *context, const struct kvb_budget *budget, struct kvb_problems *problems);
// packages.c: of packages that the start needs, a part of it.
void kvb_warn_of_packages(const struct kvb_context *context, struct kvb_problems *problems);

#endif
