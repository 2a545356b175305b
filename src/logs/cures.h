// Remedies that need more than a row: a cause outside memory, a message without a stage, values the user forced.
#ifndef KVB_LOGS_CURES_H
#define KVB_LOGS_CURES_H

#include "logs/explain.h"

// The one thing to do about a cause that is not about GPU memory; or that the cause has to be looked for.
void kvb_cure_other(struct kvb_reckoning *r);
// A hybrid with fewer blocks than sequences.
void kvb_cure_states(struct kvb_reckoning *r);
// Out of memory at a stage that the message does not tell: levers and when each holds.
void kvb_cure_unknown_stage(struct kvb_reckoning *r);
// Somebody else on the card.
void kvb_cure_tenant(struct kvb_reckoning *r);
// The pool was forced to a size: only that setting moves it. False when it was not.
bool kvb_cure_override(struct kvb_reckoning *r);

#endif
