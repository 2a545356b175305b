// One computation from plan to answer.
#ifndef KVB_ENGINES_VLLM_COMPUTE_H
#define KVB_ENGINES_VLLM_COMPUTE_H

#include <kvbudget/budget.h>

// The whole answer; `quiet`: for searches, without problems, steps and parameters.
enum kvb_status kvb_vllm_compute(const struct kvb_plan *plan, struct kvb_budget *budget, struct kvb_problems *problems,
                                 bool quiet);

#endif
