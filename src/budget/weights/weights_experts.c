// Experts of 16 bits whose rows are set apart once they are loaded, layer by layer: the first matrix gets a segment of
// its own, and the second lies in the one that the first was loaded into, whose rest serves nothing as large again.
// Source: fused_moe/unquantized_fused_moe_method.py v0.12.0:192 _maybe_pad_weight and 207, v0.20.2:183,
// fused_moe/oracle/unquantized.py v0.20.0:321; pytorch/pytorch c10/cuda/CUDACachingAllocator.cpp release_cached_blocks.
#include "budget/weights/weights.h"

#include "base/checked.h"

#define SEGMENT_STEP (2ULL << 20)
#define OWN_SEGMENT_FROM (10ULL << 20)

static uint64_t segment_of(uint64_t bytes)
{
    return bytes < OWN_SEGMENT_FROM ? 0 : kvb_round_up(bytes, SEGMENT_STEP); // smaller ones share theirs
}

// A layer's copies leave their segments to the next layer's; the last ones stay.
static void add_copied_back(const struct kvb_parameter *matrices[2], struct kvb_expert_rests *rests)
{
    uint64_t first = segment_of(matrices[0]->apart_bytes), second = segment_of(matrices[1]->apart_bytes);
    bool both = first > 0 && second > 0;
    rests->last_bytes = kvb_add(first > 0 ? first : second, both ? segment_of(matrices[0]->expert_bytes) : 0);
}

static void add_set_apart(const struct kvb_parameter *matrices[2], struct kvb_expert_rests *rests)
{
    uint64_t loaded = segment_of(matrices[0]->expert_bytes), second = segment_of(matrices[1]->apart_bytes);
    bool free = matrices[0]->apart_bytes > 0;
    if (free && second > 0 && loaded >= second) {
        rests->held_bytes = kvb_add(rests->held_bytes, loaded - second);
    }
    uint64_t left = segment_of(matrices[1]->expert_bytes);
    rests->last_bytes = second > 0 ? left : (free ? loaded : 0);
}

void kvb_expert_rests_add(const struct kvb_load *load, const struct kvb_parameter *parameters, uint32_t count,
                          struct kvb_expert_rests *rests)
{
    const struct kvb_parameter *matrices[2];
    uint32_t found = 0;
    for (uint32_t i = 0; i < count && found < 2; i++) {
        if (parameters[i].expert_bytes > 0) {
            matrices[found++] = &parameters[i];
        }
    }
    if (found < 2) {
        return;
    }
    if (load->expert_rows == KVB_EXPERT_ROWS_BACK) {
        add_copied_back(matrices, rests);
    } else {
        add_set_apart(matrices, rests);
    }
}
