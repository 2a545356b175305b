// The bound of the pool: margins of the terms, widened by what unseen starts of the same era, card and model showed.
#include "engines/vllm/residual.h"

#include <string.h>

#include "base/checked.h"
#include "budget/gpu_facts.h"
#include "budget/reuse.h"
#include "budget/shapes.h"

#define NARROWEST 75 // hundredths: the margins of the terms are added up, and they are not wrong all at once
#define R(minor, patch) KVB_RELEASE(0, minor, patch)

// Releases that charge alike; one newer than is known belongs to none.
static const struct {
    uint32_t before;
    const char *group;
} eras[] = {
    {R(11, 0), "to 0.10"},
    {R(17, 0), "0.11 to 0.16"},
    {R(20, 0), "0.17 to 0.19"},
    {KVB_NEWEST_VLLM + 1, "0.20 and later"},
};

static const char *era_of(uint32_t release)
{
    for (size_t i = 0; i < sizeof eras / sizeof eras[0]; i++) {
        if (release < eras[i].before) {
            return eras[i].group;
        }
    }
    return "";
}

// The first row that a card is not older than, in compute capability.
static const struct {
    uint32_t capability;
    bool nvlink; // only with it
    const char *group;
} cards[] = {
    {KVB_CAPABILITY_CONSUMER_BLACKWELL, false, "consumer Blackwell"},
    {KVB_CAPABILITY_HOPPER, false, "Hopper and later"},
    {KVB_CAPABILITY_AMPERE, true, "A100"},
    {KVB_CAPABILITY_AMPERE, false, "Ampere and Ada"},
    {1, false, "before Ampere"},
};

static const char *card_of(const struct kvb_gpu *gpu)
{
    if (gpu->vendor == KVB_VENDOR_AMD) {
        return "AMD";
    }
    if (gpu->unified_memory) {
        return "unified memory";
    }
    for (size_t i = 0; i < sizeof cards / sizeof cards[0]; i++) {
        if (gpu->compute_capability >= cards[i].capability && (gpu->nvlink || !cards[i].nvlink)) {
            return cards[i].group;
        }
    }
    return "";
}

// From rare to common: the first row that any layer has.
static const struct {
    enum kvb_attention from, to;
    const char *group;
} kinds[] = {
    {KVB_ATTENTION_MAMBA1, KVB_ATTENTION_SHORT_CONV, "state layers"},
    {KVB_ATTENTION_DSV4, KVB_ATTENTION_DSV4, "latent attention"},
    {KVB_ATTENTION_MLA, KVB_ATTENTION_MLA, "latent attention"},
    {KVB_ATTENTION_SLIDING, KVB_ATTENTION_CHUNKED, "sliding window"},
};

static bool has_attention(const struct kvb_model *model, enum kvb_attention from, enum kvb_attention to)
{
    for (uint8_t i = 0; i < model->kind_count; i++) {
        enum kvb_attention kind = model->kinds[i].attention.kind;
        if (from <= kind && kind <= to) {
            return true;
        }
    }
    return false;
}

const char *kvb_attention_group(const struct kvb_model *model)
{
    for (size_t i = 0; i < sizeof kinds / sizeof kinds[0]; i++) {
        if (has_attention(model, kinds[i].from, kinds[i].to)) {
            return kinds[i].group;
        }
    }
    return "";
}

static const char *kind_of(const struct kvb_model *model)
{
    const char *attention = kvb_attention_group(model);
    if (attention[0] != '\0') {
        return attention;
    }
    if (kvb_model_is_multimodal(model)) {
        return "pictures or sound";
    }
    return kvb_model_has_experts(model) ? "experts" : "dense";
}

const char *kvb_residual_group(const struct kvb_plan *plan, enum kvb_residual_axis axis)
{
    switch (axis) {
    case KVB_RESIDUAL_ERA:
        return era_of(plan->engine.release);
    case KVB_RESIDUAL_CARD:
        return card_of(&plan->gpu);
    default:
        return kind_of(&plan->model);
    }
}

// The row of a group, or the one for what too few runs are known of.
static const struct kvb_residual_row *row_of(enum kvb_residual_axis axis, const char *group)
{
    const struct kvb_residual_row *found = &kvb_residual_rows[0];
    for (size_t i = 0; i < kvb_residual_row_count; i++) { // that for few stands before the others of its axis
        const struct kvb_residual_row *row = &kvb_residual_rows[i];
        bool fits = row->group[0] == '\0' || strcmp(row->group, group) == 0;
        found = row->axis == axis && fits ? row : found;
    }
    return found;
}

// What belongs to no era is bounded no narrower than any era.
static struct kvb_residual_row widest_of(enum kvb_residual_axis axis)
{
    struct kvb_residual_row widest = {axis, "", 0, 0, 0};
    for (size_t i = 0; i < kvb_residual_row_count; i++) {
        const struct kvb_residual_row *row = &kvb_residual_rows[i];
        if (row->axis == axis) {
            widest.below = (uint32_t)kvb_max(widest.below, row->below);
            widest.above = (uint32_t)kvb_max(widest.above, row->above);
        }
    }
    return widest;
}

// Percent by which margins are widened: below, above.
struct factors {
    uint32_t below, above;
};

static struct factors factors_of(const struct kvb_plan *plan)
{
    struct factors widest = {NARROWEST, NARROWEST};
    for (uint32_t axis = 0; axis < KVB_RESIDUAL_AXES; axis++) {
        enum kvb_residual_axis of = (enum kvb_residual_axis)axis;
        const char *group = kvb_residual_group(plan, of);
        bool newer = of == KVB_RESIDUAL_ERA && group[0] == '\0';
        struct kvb_residual_row row = newer ? widest_of(of) : *row_of(of, group);
        widest.below = (uint32_t)kvb_max(widest.below, row.below);
        widest.above = (uint32_t)kvb_max(widest.above, row.above);
    }
    return widest;
}

// The same for every plan of one release, card and model.
void kvb_residual_factors(const struct kvb_plan *plan, uint32_t *below, uint32_t *above)
{
    const uint64_t key[] = {(uintptr_t)&plan->model, plan->engine.release, plan->gpu.compute_capability,
                            plan->gpu.vendor, (uint64_t)plan->gpu.nvlink << 1 | plan->gpu.unified_memory};
    struct kvb_reuse_slot *slot = kvb_reuse_find(plan->reuse, KVB_REUSE_MARGINS, key, sizeof key);
    struct factors factors;
    if (slot != NULL && slot->used) {
        memcpy(&factors, slot->value, sizeof factors);
    } else {
        factors = factors_of(plan);
        kvb_reuse_keep(slot, &factors, sizeof factors);
    }
    *below = factors.below;
    *above = factors.above;
}
