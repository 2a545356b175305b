// One environment variable, from wherever it was written.
#ifndef KVB_COMMAND_ENVIRONMENT_H
#define KVB_COMMAND_ENVIRONMENT_H

#include <kvbudget/plan.h>
#include <kvbudget/problem.h>

// A name without effect on memory is accepted and ignored.
enum kvb_status kvb_environment_set_at(const char *name, const char *value, struct kvb_place place,
                                       struct kvb_environment *environment, struct kvb_problems *problems) KVB_MUST_USE;

// What `flags` says goes before what `out` holds.
void kvb_environment_overlay(struct kvb_environment *out, const struct kvb_environment *flags);

#define KVB_SWITCH_CAPACITY 80
// "VLLM_USE_V1=0" of the variable at `index`; "" when it is not set, or no switch. False: beyond the last.
bool kvb_environment_switch(const struct kvb_environment *environment, unsigned index, char out[KVB_SWITCH_CAPACITY]);

#endif
