// From the pools of the tightest stage to tokens, groups, concurrency and the need of one request.
#include "engines/sglang/cache.h"

#include <kvbudget/units.h>

#include "base/checked.h"
#include "budget/shapes.h"

static uint64_t bytes_for(const struct kvb_sgl_setup *setup, const struct kvb_sgl_stage *stage, uint64_t tokens)
{
    const struct kvb_sgl_cell *cell = &stage->cell;
    uint64_t whole = kvb_mul(tokens / KVB_PPM, cell->token_micro);
    uint64_t bytes = kvb_add(whole, kvb_mul(tokens % KVB_PPM, cell->token_micro / KVB_PPM + 1));
    if (cell->state_bytes > 0) {
        uint64_t slots = kvb_mul(cell->state_bytes, kvb_sgl_slots_per_request(setup));
        uint64_t shared = kvb_mul(bytes / 1000, setup->state_ratio_ppm) / 1000; // the ratio gives state its share
        bytes = kvb_add(bytes, stage->pool.state_slots > 0 && shared < slots ? slots : shared);
    }
    return kvb_add(bytes, stage->pool.fixed_bytes);
}

static uint64_t concurrency(const struct kvb_sgl_context *context, const struct kvb_sgl_stage *stage, uint64_t length)
{
    const struct kvb_sgl_pool *pool = &stage->pool;
    uint64_t most = kvb_mul(pool->tokens, 100) / kvb_max(length, 1);
    if (stage->cell.windows && pool->window_tokens > 0) {
        uint64_t window = kvb_min(length, stage->cell.window_tokens + pool->page_tokens);
        most = kvb_min(most, kvb_mul(pool->window_tokens, 100) / kvb_max(window, 1));
    }
    if (stage->cell.state_bytes > 0) {
        most = kvb_min(most, pool->state_slots * 100 / kvb_sgl_slots_per_request(&context->setup));
    }
    return kvb_min(most, kvb_mul(pool->requests, 100));
}

static void add_group(struct kvb_kv_cache *kv, const struct kvb_kv_group *group)
{
    if (group->layers > 0) { // two at most
        kv->groups[kv->group_count++] = *group;
    }
}

static void fill_groups(const struct kvb_sgl_context *context, const struct kvb_sgl_stage *stage,
                        struct kvb_kv_cache *kv)
{
    const struct kvb_sgl_cell *cell = &stage->cell;
    uint64_t page = stage->pool.page_tokens;
    uint64_t length = context->setup.context_tokens;
    enum kvb_attention kind = kvb_model_is_mla(context->setup.model) ? KVB_ATTENTION_MLA : KVB_ATTENTION_FULL;
    struct kvb_kv_group full = {.kind = cell->compressed ? KVB_ATTENTION_DSV4 : kind,
                                .layers = cell->compressed ? context->setup.model->layer_count : cell->full_layers,
                                .block_tokens = page,
                                .blocks_per_request = kvb_div_up(length, page)};
    full.page_bytes = cell->full_layers > 0 ? cell->full_bytes / cell->full_layers * page : 0;
    add_group(kv, &full);
    struct kvb_kv_group window = {.kind = KVB_ATTENTION_SLIDING,
                                  .layers = cell->window_layers,
                                  .block_tokens = page,
                                  .window_tokens = cell->window_tokens,
                                  .blocks_per_request = kvb_div_up(kvb_min(length, cell->window_tokens), page)};
    window.page_bytes = cell->window_layers > 0 ? cell->window_bytes / cell->window_layers * page : 0;
    add_group(kv, &window);
}

static void fill_frontier(const struct kvb_sgl_context *context, const struct kvb_sgl_stage *stage,
                          struct kvb_kv_cache *kv)
{
    uint64_t length = context->setup.context_tokens;
    while (length / 2 >= 1024 && kv->frontier_count + 1 < KVB_FRONTIER_MAX) {
        length /= 2;
        kv->frontier_count++;
    }
    kv->frontier_count++;
    for (uint32_t i = 0; i < kv->frontier_count; i++) {
        uint64_t at = context->setup.context_tokens >> (kv->frontier_count - 1 - i);
        kv->frontier[i] = (struct kvb_frontier_point){at, concurrency(context, stage, at)};
    }
}

void kvb_sgl_cache_fill(const struct kvb_sgl_context *context, const struct kvb_sgl_stage *stage,
                        struct kvb_budget *budget)
{
    struct kvb_kv_cache *kv = &budget->kv;
    const struct kvb_sgl_setup *setup = &context->setup;
    const struct kvb_need *need = &context->plan->need;
    uint64_t length = setup->context_tokens;
    kv->bytes_per_token = stage->cell.token_micro / KVB_PPM;
    kv->block_tokens = stage->pool.page_tokens;
    kv->bytes_per_block = stage->cell.token_micro / KVB_PPM * kv->block_tokens;
    kv->num_blocks = stage->pool.tokens / kv->block_tokens;
    kv->tokens = stage->pool.tokens;
    kv->blocks_per_request = kvb_div_up(length, kv->block_tokens);
    kv->max_concurrency_hundredths = concurrency(context, stage, length);
    kv->max_model_len_that_fits = kvb_min(kv->tokens, setup->model->context_tokens);
    budget->needed_bytes = bytes_for(setup, stage, length);
    kv->really_needed_bytes = budget->needed_bytes;
    if (need->length_tokens > 0 || need->concurrency_hundredths > 0) {
        uint64_t wanted = need->length_tokens > 0 ? need->length_tokens : length;
        uint64_t hundredths = need->concurrency_hundredths > 0 ? need->concurrency_hundredths : 100;
        kv->wanted_bytes = bytes_for(setup, stage, kvb_div_up(kvb_mul(wanted, hundredths), 100));
    }
    fill_groups(context, stage, kv);
    fill_frontier(context, stage, kv);
}
