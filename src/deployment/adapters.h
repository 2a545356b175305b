// LoRA adapters that are loaded at start: whether the release takes their ranks.
#ifndef KVB_DEPLOYMENT_ADAPTERS_H
#define KVB_DEPLOYMENT_ADAPTERS_H

#include <kvbudget/input.h>

// The highest rank of the adapters that are here; 0 if none is.
uint64_t kvb_adapters_rank(const struct kvb_deployment *deployment);

// A warning for each adapter that is here and has a higher rank than max_lora_rank.
void kvb_adapters_judge(const struct kvb_deployment *deployment, struct kvb_problems *problems);

#endif
