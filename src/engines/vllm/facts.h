// What a release of vLLM does that its log does not say.
#ifndef KVB_ENGINES_VLLM_FACTS_H
#define KVB_ENGINES_VLLM_FACTS_H

#include "budget/engine.h"
#include "engines/vllm/rules.h"

// Whether memory that others hold counts against the request: V1 to 0.9.0, V0 0.2.5 to 0.3.0 and 0.6.4.
bool kvb_rules_charge_others(const struct kvb_rules *rules, enum kvb_generation generation);
void kvb_vllm_facts(uint32_t release, enum kvb_generation generation, struct kvb_release_facts *out);

#endif
