// Which of the changes that were tried stay in the answer.
#ifndef KVB_PLAN_ADVICE_SETTLE_H
#define KVB_PLAN_ADVICE_SETTLE_H

#include <kvbudget/budget.h>

// What is advised somewhere is not called useless elsewhere, and a step that is not taken is not listed.
void kvb_advice_settle(struct kvb_advice *advice);

#endif
