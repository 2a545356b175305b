// Remedies that raise or lower the share of the card that the engine requests.
#ifndef KVB_LOGS_UTILIZATION_H
#define KVB_LOGS_UTILIZATION_H

#include "logs/remedy.h"

// The engine has such a setting, as far as is known.
bool kvb_utilization_exists(const struct kvb_reckoning *r);
// Rounded so that it can be typed: three decimals, away from the bound.
int64_t kvb_utilization_up(int64_t ppm);
// The most a start of this card accepts.
int64_t kvb_utilization_highest(const struct kvb_reckoning *r);
// The present value as text, or "".
struct kvb_remedy_text kvb_utilization_text(const struct kvb_reckoning *r);

// Raising it until `wanted` bytes of KV cache exist.
void kvb_utilization_raise_for(struct kvb_reckoning *r, int64_t wanted);
// Raising it by what is known, with the warning below; nothing where it does not exist.
void kvb_utilization_raise(struct kvb_reckoning *r);
// Says what lowering it, the wrong way round, would take from the KV cache.
// Without the card's size: how large it must be for the missing bytes to be had. False when nothing can be said.
bool kvb_utilization_bound(struct kvb_reckoning *r, int64_t missing);
void kvb_utilization_warn_lowering(struct kvb_reckoning *r);
// Lowering it to leave `missing` bytes outside the request.
void kvb_utilization_lower_for(struct kvb_reckoning *r, int64_t missing);

#endif
