// What residents and training phases share: what an engine keeps, and from where it starts.
#ifndef KVB_PLAN_NEIGHBOURS_H
#define KVB_PLAN_NEIGHBOURS_H

#include <kvbudget/residents.h>

#include "budget/engine.h"

// What the engine keeps once it runs: its own terms, graphs that were not charged, and its context
// unless the release has charged that already.
uint64_t kvb_held_by(const struct kvb_neighbourhood *around, const struct kvb_budget *budget);

// The smallest whole hundredth at which it starts among what is held already; 0: none does.
// `plan` and `tried` are worked with; the plan is left as it was.
uint32_t kvb_needs_ppm(struct kvb_plan *plan, const struct kvb_budget *budget, struct kvb_budget *tried);

#endif
