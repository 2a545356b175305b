// From pools to blocks, tokens, concurrency, fit and the release's own error (V1).
#include "engines/vllm/kv.h"

#include <string.h>

#include "base/checked.h"
#include "engines/vllm/errors.h"
#include "engines/vllm/printed.h"

static uint64_t pool_of(const int64_t pools[KVB_STAGES_MAX], uint32_t stage)
{
    return kvb_positive(pools[stage]);
}

static uint32_t stage_of_smallest_pool(const struct kvb_context *context, const int64_t pools[KVB_STAGES_MAX])
{
    uint32_t stage = 0;
    for (uint32_t i = 1; i < context->pp; i++) {
        stage = pools[i] < pools[stage] ? i : stage;
    }
    return stage;
}

static uint64_t blocks_on(const struct kvb_sizing *sizing, uint32_t stage, uint64_t pool_bytes)
{
    uint64_t bytes = sizing->block_bytes[stage];
    return bytes > 0 ? pool_bytes / bytes : 1;
}

// The blocks that all stages share, and the stage that sets them.
static uint64_t smallest_blocks(const struct kvb_context *context, const struct kvb_sizing *sizing,
                                const int64_t pools[KVB_STAGES_MAX], uint32_t *tightest)
{
    uint64_t least = UINT64_MAX;
    if (kvb_rule(context, KVB_RULE_MODEL_MAX_MEMORY)) {
        uint64_t largest_block = 0;
        for (uint32_t stage = 0; stage < context->pp; stage++) {
            largest_block = kvb_max(largest_block, sizing->block_bytes[stage]);
        }
        *tightest = stage_of_smallest_pool(context, pools);
        return largest_block > 0 ? pool_of(pools, *tightest) / largest_block : 1;
    }
    for (uint32_t stage = 0; stage < context->pp; stage++) {
        if (sizing->block_bytes[stage] == 0) {
            continue;
        }
        uint64_t blocks = blocks_on(sizing, stage, pool_of(pools, stage));
        if (blocks < least) {
            least = blocks;
            *tightest = stage;
        }
    }
    return least == UINT64_MAX ? 1 : least;
}

static uint64_t smallest_group_block(const struct kvb_context *context, const struct kvb_sizing *sizing)
{
    uint64_t smallest = UINT64_MAX;
    for (uint32_t i = 0; i < sizing->groups.count; i++) {
        smallest = kvb_min(smallest, sizing->groups.items[i].bucket->block_tokens);
    }
    return smallest == UINT64_MAX ? context->block_tokens : smallest;
}

static uint64_t printed_tokens(const struct kvb_context *context, const struct kvb_sizing *sizing,
                               const struct kvb_kv_cache *kv)
{
    uint64_t groups = sizing->groups.count > 0 ? sizing->groups.count : 1;
    uint64_t ranks = kvb_rule(context, KVB_RULE_DCP) ? context->dcp : 1;
    ranks *= kvb_rule(context, KVB_RULE_PCP_DIVIDES) ? context->pcp : 1;
    switch (kvb_rule(context, KVB_RULE_TOKENS)) {
    case KVB_TOKENS_BLOCKS:
        return kvb_mul(kv->num_blocks, context->block_tokens);
    case KVB_TOKENS_GROUPS_CACHE_BLOCK:
        return kvb_mul(kv->num_blocks / groups, context->block_tokens);
    case KVB_TOKENS_CONCURRENCY:
        return kvb_printed_tokens(kv->num_blocks, kv->blocks_per_request, context->max_model_len);
    default:
        return kvb_mul(kv->num_blocks / groups, kvb_mul(smallest_group_block(context, sizing), ranks));
    }
}

static uint64_t printed_concurrency(const struct kvb_context *context, const struct kvb_kv_cache *kv)
{
    if (!kvb_rule(context, KVB_RULE_GROUPS)) {
        return kvb_printed_hundredths(kvb_mul(kv->num_blocks, context->block_tokens), context->max_model_len);
    }
    return kvb_printed_hundredths(kv->num_blocks, kv->blocks_per_request);
}

static void describe_groups(const struct kvb_context *context, const struct kvb_sizing *sizing, struct kvb_kv_cache *kv)
{
    kv->group_count = sizing->groups.count;
    bool uniform = sizing->groups.layout == KVB_LAYOUT_UNIFORM;
    for (uint32_t i = 0; i < sizing->groups.count; i++) {
        const struct kvb_group *group = &sizing->groups.items[i];
        struct kvb_kv_group *out = &kv->groups[i];
        out->kind = group->bucket->kind;
        out->layers = group->layers;
        out->padding_slots = uniform ? 0 : sizing->groups.group_size - group->layers;
        out->block_tokens = group->bucket->block_tokens;
        out->page_bytes = uniform ? 0 : group->bucket->page_bytes;
        out->window_tokens = group->bucket->window_tokens;
        out->blocks_per_request =
            uniform ? kv->blocks_per_request : kvb_blocks_of(context, group->bucket, context->max_model_len);
    }
}

static void apply_override(const struct kvb_context *context, const struct kvb_sizing *sizing, uint64_t *blocks,
                           int64_t pools[KVB_STAGES_MAX])
{
    uint64_t override = kvb_number(context->plan, KVB_SET_NUM_GPU_BLOCKS_OVERRIDE);
    uint32_t rule = kvb_rule(context, KVB_RULE_OVERRIDE);
    if (override == 0 || rule == 0) {
        return;
    }
    *blocks = override;
    for (uint32_t stage = 0; rule >= 2 && stage < context->pp; stage++) {
        pools[stage] = (int64_t)kvb_mul(override, sizing->block_bytes[stage]);
    }
}

// What the check and the automatic length plan with: from 0.29 without the block that is never given away.
// Source: vllm/v1/core/kv_cache_utils.py get_kv_cache_configs at main of 2026-08-20 (vllm#47272), first in 0.29.0.
static int64_t checked_pool(const struct kvb_context *context, const struct kvb_sizing *sizing, uint32_t stage,
                            int64_t pool_bytes)
{
    bool reserved = kvb_rule(context, KVB_RULE_NULL_BLOCK) && sizing->groups.layout != KVB_LAYOUT_NO_CACHE;
    return reserved ? pool_bytes - (int64_t)sizing->block_bytes[stage] : pool_bytes;
}

// The first stage that the release's check refuses; the tightest by that check when none is refused.
static uint32_t stage_of_check(const struct kvb_context *context, const struct kvb_sizing *sizing,
                               const int64_t pools[KVB_STAGES_MAX], uint32_t tightest)
{
    uint32_t worst = tightest;
    int64_t least = INT64_MAX;
    for (uint32_t stage = 0; stage < context->pp; stage++) {
        uint64_t needed = kvb_checked_need(context, sizing, stage, context->max_model_len);
        int64_t pool = checked_pool(context, sizing, stage, pools[stage]);
        int64_t balance = pool - (int64_t)needed;
        if (pool <= 0 || balance < 0) {
            return stage;
        }
        if (balance < least) {
            least = balance;
            worst = stage;
        }
    }
    return worst;
}

static void check_fit(const struct kvb_context *context, const struct kvb_sizing *sizing,
                      const int64_t pools[KVB_STAGES_MAX], uint32_t tightest, struct kvb_budget *budget)
{
    uint32_t stage = stage_of_check(context, sizing, pools, tightest);
    int64_t pool = checked_pool(context, sizing, stage, pools[stage]);
    budget->needed_bytes = kvb_checked_need(context, sizing, stage, context->max_model_len);
    budget->kv.really_needed_bytes = kvb_real_need(context, sizing, stage, context->max_model_len);
    budget->balance_bytes = pool - (int64_t)budget->needed_bytes;
    budget->tightest_stage = stage;
    budget->starts = true;
    if (sizing->groups.layout == KVB_LAYOUT_NO_CACHE) {
        return;
    }
    if (pool <= 0) {
        budget->starts = false;
        kvb_error_no_memory(context, budget->error);
    } else if (budget->balance_bytes < 0) {
        budget->starts = false;
        uint64_t estimate =
            kvb_longest(context, sizing, stage, (uint64_t)pool, context->max_model_len, kvb_checked_need);
        kvb_error_too_long(context, budget->needed_bytes, pool, estimate, budget->error);
    }
}

static void refuse_layout(const struct kvb_sizing *sizing, int64_t pool_bytes, struct kvb_budget *budget)
{
    budget->starts = false;
    budget->balance_bytes = pool_bytes; // nothing is known of the need
    const char *why = sizing->groups.refusal;
    kvb_error_text(why[0] != '\0' ? why : "this model's layers are of more kinds than kvbudget can group",
                   budget->error);
}

static uint64_t auto_length(const struct kvb_context *context, const struct kvb_sizing *sizing,
                            const int64_t pools[KVB_STAGES_MAX])
{
    uint64_t length = context->max_model_len;
    for (uint32_t stage = 0; stage < context->pp; stage++) {
        int64_t pool = checked_pool(context, sizing, stage, (int64_t)pool_of(pools, stage));
        length = kvb_longest(context, sizing, stage, kvb_positive(pool), length, kvb_checked_need);
    }
    return length;
}

// Concurrency at halvings of the longest length, and what the wish for more than one request comes to.
static void look_ahead(const struct kvb_context *context, const struct kvb_sizing *sizing, uint32_t stage,
                       struct kvb_kv_cache *kv)
{
    const struct kvb_need *need = &context->plan->need;
    uint64_t length = context->max_model_len;
    while (length / 2 >= 1024 && kv->frontier_count + 1 < KVB_FRONTIER_MAX) {
        length /= 2;
        kv->frontier_count++;
    }
    kv->frontier_count++;
    for (uint32_t i = 0; i < kv->frontier_count; i++) {
        uint64_t at = context->max_model_len >> (kv->frontier_count - 1 - i);
        kv->frontier[i].length_tokens = at;
        kv->frontier[i].concurrency_hundredths =
            kvb_printed_hundredths(kv->num_blocks, kvb_printed_blocks(context, sizing, 0, at));
    }
    if (need->length_tokens > 0 || need->concurrency_hundredths > 0) {
        uint64_t wanted_length = need->length_tokens > 0 ? need->length_tokens : context->max_model_len;
        uint64_t requests = need->concurrency_hundredths > 0 ? need->concurrency_hundredths : 100;
        uint64_t bytes = kvb_real_need(context, sizing, stage, wanted_length);
        kv->wanted_bytes = kvb_div_up(kvb_mul(bytes, requests), 100);
    }
}

// Before 0.11 every worker groups its own layers: the one with the fewest blocks answers for all.
static void narrow_to_tightest(const struct kvb_context *whole, struct kvb_context *context, struct kvb_sizing *sizing,
                               int64_t pools[KVB_STAGES_MAX], struct kvb_budget *budget)
{
    uint64_t least = UINT64_MAX;
    for (uint32_t stage = 0; stage < whole->pp; stage++) {
        kvb_stage_apart(whole, stage, context, sizing);
        uint64_t blocks = blocks_on(sizing, 0, pool_of(pools, stage));
        if (blocks < least) {
            least = blocks;
            budget->tightest_stage = stage;
        }
    }
    kvb_stage_apart(whole, budget->tightest_stage, context, sizing);
    pools[0] = pools[budget->tightest_stage];
}

// Of workers that are checked alone, the first that is refused speaks.
static void check_alone(const struct kvb_context *whole, struct kvb_sizing *sizing, const int64_t given[KVB_STAGES_MAX],
                        struct kvb_budget *budget)
{
    struct kvb_context own;
    for (uint32_t stage = 0; stage < whole->pp; stage++) {
        int64_t pool[KVB_STAGES_MAX] = {given[stage]};
        kvb_stage_apart(whole, stage, &own, sizing);
        if (sizing->groups.layout != KVB_LAYOUT_REFUSED && sizing->groups.layout != KVB_LAYOUT_NO_CACHE &&
            (pool[0] <= 0 || kvb_checked_need(&own, sizing, 0, own.max_model_len) > pool_of(pool, 0))) {
            check_fit(&own, sizing, pool, 0, budget);
            budget->tightest_stage = stage;
            return;
        }
    }
}

// The longest request that a stage's pool holds and the release's own check lets start.
static uint64_t longest_on(const struct kvb_context *context, const struct kvb_sizing *sizing, uint32_t stage,
                           uint64_t pool_bytes, uint64_t limit)
{
    if (sizing->block_bytes[stage] == 0) {
        return limit;
    }
    uint64_t held = kvb_longest(context, sizing, stage, pool_bytes, limit, kvb_real_need);
    int64_t checked = checked_pool(context, sizing, stage, (int64_t)pool_bytes);
    return kvb_longest(context, sizing, stage, kvb_positive(checked), held, kvb_checked_need);
}

uint64_t kvb_kv_longest_v1(const struct kvb_context *context, const int64_t given[KVB_STAGES_MAX])
{
    struct kvb_sizing sizing;
    uint64_t longest = context->longest_taken;
    bool apart = kvb_stages_are_apart(context);
    struct kvb_context own;
    for (uint32_t stage = 0; apart && stage < context->pp; stage++) {
        kvb_stage_apart(context, stage, &own, &sizing);
        longest = longest_on(&own, &sizing, 0, pool_of(given, stage), longest);
    }
    if (apart) {
        return longest;
    }
    int64_t pools[KVB_STAGES_MAX];
    uint32_t tightest = 0;
    memcpy(pools, given, sizeof pools);
    kvb_buckets_fill(context, &sizing.own);
    kvb_groups_make(context, &sizing);
    uint64_t blocks = smallest_blocks(context, &sizing, pools, &tightest);
    apply_override(context, &sizing, &blocks, pools);
    if (sizing.groups.layout != KVB_LAYOUT_REFUSED && kvb_state_blocks_needed(context) > blocks) {
        return 0;
    }
    for (uint32_t stage = 0; stage < context->pp && sizing.groups.layout != KVB_LAYOUT_REFUSED; stage++) {
        longest = longest_on(context, &sizing, stage, pool_of(pools, stage), longest);
    }
    return longest;
}

static void describe_pool(const struct kvb_context *context, const struct kvb_sizing *sizing, uint64_t blocks,
                          uint32_t tightest, struct kvb_kv_cache *kv)
{
    kv->block_tokens = context->block_tokens;
    kv->num_blocks = blocks;
    kv->bytes_per_block = sizing->block_bytes[tightest];
    kv->blocks_per_request = kvb_printed_blocks(context, sizing, 0, context->max_model_len);
    kv->tokens = printed_tokens(context, sizing, kv);
    kv->max_concurrency_hundredths = printed_concurrency(context, kv);
    kv->state_blocks_needed = kvb_state_blocks_needed(context);
    kv->hybrid_manager_off = context->hybrid_off;
    kv->hybrid_manager_why = context->hybrid_off_why;
    describe_groups(context, sizing, kv);
}

void kvb_kv_answer_v1(const struct kvb_context *resolved, const int64_t given[KVB_STAGES_MAX],
                      struct kvb_budget *budget)
{
    struct kvb_context context = *resolved;
    struct kvb_sizing sizing;
    struct kvb_kv_cache *kv = &budget->kv;
    int64_t pools[KVB_STAGES_MAX];
    memcpy(pools, given, sizeof pools);
    bool apart = kvb_stages_are_apart(&context);
    if (apart) {
        narrow_to_tightest(resolved, &context, &sizing, pools, budget);
    } else {
        kvb_buckets_fill(&context, &sizing.own);
        kvb_groups_make(&context, &sizing);
    }
    uint32_t narrowed_stage = budget->tightest_stage;
    if (sizing.groups.layout == KVB_LAYOUT_REFUSED) {
        refuse_layout(&sizing, pools[budget->tightest_stage], budget);
        return;
    }
    uint32_t tightest = 0;
    uint64_t blocks = smallest_blocks(&context, &sizing, pools, &tightest);
    apply_override(&context, &sizing, &blocks, pools);
    if (context.auto_length) {
        uint64_t fitted = auto_length(&context, &sizing, pools);
        kv->auto_max_model_len = fitted;
        context.max_model_len = fitted > 0 ? fitted : context.max_model_len;
    }
    describe_pool(&context, &sizing, blocks, tightest, kv);
    check_fit(&context, &sizing, pools, tightest, budget);
    look_ahead(&context, &sizing, budget->tightest_stage, kv);
    if (context.auto_length && kv->auto_max_model_len == 0 && budget->starts == false) {
        kvb_error_no_auto_fit(budget->error);
    }
    budget->tightest_stage = apart ? narrowed_stage : budget->tightest_stage;
    if (apart) {
        check_alone(resolved, &sizing, given, budget);
    }
    if (apart && budget->starts && kvb_stages_disagree(resolved, &sizing)) {
        budget->starts = false;
        kvb_error_text("AssertionError", budget->error);
    }
    if (kvb_kv_refused(&context, budget->error)) {
        budget->starts = false;
    }
    kv->bytes_per_token = context.max_model_len > 0 ? kv->really_needed_bytes / context.max_model_len : 0;
}
