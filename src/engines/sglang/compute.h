// The whole answer of SGLang.
#ifndef KVB_ENGINES_SGLANG_COMPUTE_H
#define KVB_ENGINES_SGLANG_COMPUTE_H

#include "engines/sglang/cache.h"
#include "engines/sglang/context.h"

enum kvb_status kvb_sgl_compute(const struct kvb_plan *plan, struct kvb_budget *budget, struct kvb_problems *problems,
                                bool quiet);

void kvb_sgl_steps(const struct kvb_sgl_context *context, const struct kvb_sgl_cell *cell,
                   const struct kvb_sgl_pool *pool, struct kvb_budget *budget);
void kvb_sgl_warn(const struct kvb_sgl_context *context, const struct kvb_sgl_stage *stage,
                  const struct kvb_budget *budget, struct kvb_problems *problems);

#endif
