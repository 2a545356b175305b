// A dense model of a few small layers and what counting its weights takes.
#ifndef KVB_TESTS_SMALL_WEIGHTS_H
#define KVB_TESTS_SMALL_WEIGHTS_H

#include "budget/weights/weights.h"
#include "unit/plans.h"

static struct kvb_model model;
static struct kvb_load load;
static struct kvb_weights weights;

static void make(uint32_t layers)
{
    const struct shape shape = {"small", layers, 4, 2, 64, 0, 0, 0, KVB_ATTENTION_SLIDING, 4096};
    make_model(&shape, &model);
    load = (struct kvb_load){
        .shares_index = true, .model = &model, .tp = 1, .pp = 1, .dp = 1, .pcp = 1, .ep = 1, .exact_allocations = true};
    load.dtype = model.dtype = KVB_DTYPE_BF16;
    load.stage_begin[1] = (uint16_t)layers;
}

static uint64_t counted(void)
{
    kvb_weights_count(&load, 0, &weights);
    return weights.total_bytes;
}

#endif
