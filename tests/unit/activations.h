// The peak of the profile run of one plan, and the batch it runs.
#ifndef KVB_TEST_ACTIVATIONS_H
#define KVB_TEST_ACTIVATIONS_H

#include "engines/vllm/overhead.h"
#include "unit/plans.h"

static struct kvb_plan plan;
static struct kvb_activation activation;

static void estimate(uint32_t stage)
{
    kvb_activation_estimate(resolved(&plan), stage, &activation);
}

static void set_batch(uint64_t tokens, uint64_t seqs)
{
    set(&plan, KVB_SET_MAX_NUM_BATCHED_TOKENS, tokens);
    set(&plan, KVB_SET_MAX_NUM_SEQS, seqs);
    set(&plan, KVB_SET_MAX_MODEL_LEN, tokens < 2048 ? tokens : 2048);
}

#endif
