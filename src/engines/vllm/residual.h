// How far runs that fed no constant lay outside the margins of the plan's terms, by release era, card and model.
#ifndef KVB_ENGINES_VLLM_RESIDUAL_H
#define KVB_ENGINES_VLLM_RESIDUAL_H

#include <kvbudget/plan.h>

enum kvb_residual_axis { KVB_RESIDUAL_ERA, KVB_RESIDUAL_CARD, KVB_RESIDUAL_KIND, KVB_RESIDUAL_AXES };

// One group of runs. The factors are hundredths that the margin below and above the likely pool is multiplied by.
struct kvb_residual_row {
    enum kvb_residual_axis axis;
    const char *group; // "": what too few runs are known of
    uint32_t below, above, runs;
};
extern const struct kvb_residual_row kvb_residual_rows[];
extern const size_t kvb_residual_row_count;

// What no term names, in millionths of what the engine asks for: added to the margins before they are widened. Chosen
// with the shares of scripts/residuals so that as many pools as before lie in bounds a quarter narrower.
#define KVB_RESIDUAL_UNNAMED_PPM 10000

// The group of a plan on one axis; "": of no group.
const char *kvb_residual_group(const struct kvb_plan *plan, enum kvb_residual_axis axis);
// What attention of a model's layers sets it apart; "": it is full in all of them.
const char *kvb_attention_group(const struct kvb_model *model);
// Hundredths for the margin below and above the pool: the widest of the axes, never less than 75.
void kvb_residual_factors(const struct kvb_plan *plan, uint32_t *below, uint32_t *above);

#endif
