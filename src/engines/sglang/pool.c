// Tokens that the static fraction leaves room for, slots of recurrent state, and requests. Source: sgl-project/sglang,
// python/sglang/srt: model_executor/model_runner.py (profile_max_num_token, handle_max_mamba_cache, init_memory_pool),
// model_runner_kv_cache_mixin.py, mem_cache/kv_cache_configurator.py (0.5.16 and later).
#include "engines/sglang/pool.h"

#include <kvbudget/units.h>

#include "base/checked.h"
#include "budget/shapes.h"

#define REQUESTS_LEAST 2048U
#define REQUESTS_MOST 4096U
#define REQUESTS_OF_LENGTH 512U // that many requests of full length are allowed for
#define SLOTS_WITHOUT_RADIX 512U
#define TABLE_ELEMENT_BYTES 4U
#define TABLE_EXTRA_TOKENS 4U
#define TOWER_CACHE_BYTES (UINT64_C(100) << 20) // SGLANG_VLM_CACHE_SIZE_MB

uint64_t kvb_sgl_outside(uint64_t before_bytes, uint64_t fraction_ppb)
{
    uint64_t outside = KVB_SGL_PPB - kvb_min(fraction_ppb, KVB_SGL_PPB);
    return before_bytes / KVB_SGL_PPB * outside + before_bytes % KVB_SGL_PPB * outside / KVB_SGL_PPB;
}

// ---- Recurrent state

// Drafts that switch scheduling one step ahead off: all to 0.5.10, those with branches, of words and of blocks to
// 0.5.12.
static bool drafts_wait(const struct kvb_sgl_setup *setup)
{
    bool chain = (setup->draft == KVB_SGL_DRAFT_EAGLE || setup->draft == KVB_SGL_DRAFT_STANDALONE) &&
                 setup->draft_topk_asked <= 1;
    return setup->draft != KVB_SGL_DRAFT_NONE && setup->release < KVB_RELEASE(0, 5, 13) &&
           !(chain && setup->release >= KVB_RELEASE(0, 5, 11));
}

uint64_t kvb_sgl_slots_per_request(const struct kvb_sgl_setup *setup)
{
    if (setup->no_radix) {
        return 1;
    }
    uint64_t slots = 3; // MAMBA_CACHE_SIZE_MAX_RUNNING_REQUESTS_RATIO
    bool asked = setup->release >= KVB_RELEASE(0, 5, 10) && (setup->no_overlap || setup->pp > 1);
    return setup->state_extra_buffer ? slots + (asked || drafts_wait(setup) ? 1 : 2) : slots;
}

static uint64_t requests_of_group(const struct kvb_sgl_setup *setup)
{
    return setup->max_running_requests / kvb_sgl_attention_groups(setup);
}

static uint64_t drafted(const struct kvb_sgl_setup *setup)
{
    return setup->draft == KVB_SGL_DRAFT_NONE ? 0 : setup->draft_tokens;
}

// rest x m / (1 + m)
static uint64_t state_share(const struct kvb_sgl_setup *setup, uint64_t rest_bytes)
{
    uint64_t whole = KVB_PPM + setup->state_ratio_ppm;
    return kvb_mul(rest_bytes, setup->state_ratio_ppm) / whole;
}

// Slots are dealt out to data-parallel groups; 0.5.3.post2 to 0.5.6 those of GDN alone.
static uint64_t dealt_out(const struct kvb_sgl_setup *setup, uint64_t slots)
{
    bool some = setup->release >= KVB_RELEASE(0, 5, 3) + 2 && setup->release < KVB_RELEASE(0, 5, 7);
    bool whole = some && !kvb_model_has(setup->model, KVB_ATTENTION_GDN);
    return whole ? slots : slots / kvb_sgl_attention_groups(setup);
}

// Slots said or implied by the arguments; false: the ratio decides.
static bool stated_slots(const struct kvb_sgl_setup *setup, uint64_t *slots)
{
    uint32_t release = setup->release;
    if (setup->state_slots > 0 &&
        (release < KVB_RELEASE(0, 5, 3) + 2 || release >= KVB_RELEASE(0, 5, 7) || setup->no_radix)) {
        *slots = dealt_out(setup, setup->state_slots);
        return true;
    }
    bool fixed = release < KVB_RELEASE(0, 5, 9);
    if (setup->no_radix && (setup->max_running_requests > 0 || fixed)) {
        *slots = dealt_out(setup, setup->max_running_requests > 0 ? setup->max_running_requests : SLOTS_WITHOUT_RADIX);
        return true;
    }
    return false;
}

// Slots by the ratio between state and tokens.
static uint64_t shared_slots(const struct kvb_sgl_setup *setup, uint64_t slot, uint64_t rest_bytes)
{
    uint64_t budget = state_share(setup, rest_bytes);
    uint64_t drafts = drafted(setup);
    if (setup->release < KVB_RELEASE(0, 5, 7)) {
        return dealt_out(setup, budget / slot / (1 + drafts));
    }
    if (setup->release < KVB_RELEASE(0, 5, 13)) {
        return budget / slot;
    }
    uint64_t padding = setup->release >= KVB_RELEASE(0, 5, 18) ? slot * (1 + drafts) : 0; // one slot more is allocated
    uint64_t each = kvb_sgl_slots_per_request(setup);
    return kvb_mul(budget - kvb_min(padding, budget), each) / kvb_mul(slot, each + drafts);
}

// Intermediate states of drafts, taken off before or beside the slots.
static uint64_t draft_states(const struct kvb_sgl_setup *setup, uint64_t slot, uint64_t slots, bool stated)
{
    uint64_t drafts = drafted(setup);
    uint64_t padding = setup->release >= KVB_RELEASE(0, 5, 18) ? 1 : 0;
    if (drafts == 0 || setup->release < KVB_RELEASE(0, 5, 3) + 2) { // before, they are taken off nothing
        return 0;
    }
    if (setup->release < KVB_RELEASE(0, 5, 7)) {
        return slots * slot * drafts;
    }
    if (setup->release < KVB_RELEASE(0, 5, 13)) {
        bool late = setup->release >= KVB_RELEASE(0, 5, 8); // 0.5.7: of all groups' requests, beside the ratio alone
        uint64_t requests = late ? requests_of_group(setup) : setup->max_running_requests;
        return late || !stated ? slot * requests * drafts : 0;
    }
    uint64_t requests = kvb_min(requests_of_group(setup), slots / kvb_sgl_slots_per_request(setup));
    return slot * (requests + padding) * drafts;
}

static int64_t take_state(const struct kvb_sgl_setup *setup, const struct kvb_sgl_cell *cell, int64_t rest_bytes,
                          struct kvb_sgl_pool *pool)
{
    uint64_t slot = cell->state_bytes;
    uint64_t padding = setup->release >= KVB_RELEASE(0, 5, 18) ? 1 : 0;
    bool stated = stated_slots(setup, &pool->state_slots);
    int64_t left = rest_bytes;
    bool first = setup->release >= KVB_RELEASE(0, 5, 7) && setup->release < KVB_RELEASE(0, 5, 13);
    if (first) { // drafts before slots
        left -= (int64_t)draft_states(setup, slot, 0, stated);
    }
    if (!stated) {
        pool->state_slots = left > 0 ? shared_slots(setup, slot, (uint64_t)left) : 0;
    }
    pool->draft_state_bytes = draft_states(setup, slot, pool->state_slots, stated);
    pool->state_bytes = kvb_mul(slot, pool->state_slots + padding);
    return rest_bytes - (int64_t)kvb_add(pool->draft_state_bytes, pool->state_bytes);
}

// ---- Requests

uint64_t kvb_sgl_requests(const struct kvb_sgl_setup *setup, uint64_t tokens, uint64_t state_slots)
{
    uint64_t length = kvb_max(setup->context_tokens, 1);
    uint64_t requests = kvb_mul(tokens, REQUESTS_OF_LENGTH) / length;
    bool capped = setup->release >= KVB_RELEASE(0, 3, 0);
    requests = kvb_max(capped ? kvb_min(requests, REQUESTS_MOST) : requests, REQUESTS_LEAST);
    // what is said is bounded by the estimate from 0.5.10 on, by half of the tokens, as the estimate is, from 0.5.14 on
    bool bounded = setup->release >= KVB_RELEASE(0, 5, 10);
    bool stated = setup->max_running_requests > 0, estimated = bounded && setup->release < KVB_RELEASE(0, 5, 14);
    if (stated) {
        requests = kvb_min(requests_of_group(setup), estimated ? requests : UINT64_MAX);
    }
    if (bounded && !(stated && estimated)) {
        requests = kvb_min(requests, tokens / 2);
    }
    return state_slots > 0 ? kvb_min(requests, state_slots / kvb_sgl_slots_per_request(setup)) : requests;
}

uint64_t kvb_sgl_request_table_bytes(const struct kvb_sgl_setup *setup, uint64_t requests)
{
    uint64_t rows = requests + (setup->release < KVB_RELEASE(0, 4, 7) ? 1 : 0);
    uint64_t drafts = setup->draft == KVB_SGL_DRAFT_NONE ? 0 : kvb_max(setup->draft_tokens_most, setup->draft_tokens);
    uint64_t width = setup->context_tokens + TABLE_EXTRA_TOKENS + drafts;
    return kvb_mul(kvb_mul(rows, width), TABLE_ELEMENT_BYTES);
}

// ---- Tokens

static uint64_t whole_pages(uint64_t tokens, uint64_t page)
{
    return tokens / page * page;
}

// bytes / (micro / a million)
static uint64_t tokens_of(uint64_t bytes, uint64_t micro)
{
    return micro > 0 ? kvb_mul(bytes, KVB_PPM) / micro : 0;
}

static uint64_t scaled(uint64_t tokens, uint64_t ppm)
{
    return tokens / KVB_PPM * ppm + tokens % KVB_PPM * ppm / KVB_PPM;
}

static void split_windows(const struct kvb_sgl_setup *setup, const struct kvb_sgl_cell *cell, uint64_t tokens,
                          struct kvb_sgl_pool *pool)
{
    uint64_t page = setup->release < KVB_RELEASE(0, 5, 7) ? 1 : pool->page_tokens;
    pool->tokens = whole_pages(tokens, page);
    if (cell->full_layers == 0) {
        pool->window_tokens = pool->tokens;
    } else {
        pool->full_tokens = pool->tokens;
        uint64_t base = setup->release < KVB_RELEASE(0, 5, 12) ? tokens : pool->tokens;
        pool->window_tokens = whole_pages(scaled(base, setup->window_ratio_ppm), page);
    }
    pool->held_bytes =
        kvb_add(kvb_mul(pool->full_tokens, cell->full_bytes), kvb_mul(pool->window_tokens, cell->window_bytes));
    bool one_window = cell->window_tokens + pool->page_tokens < pool->window_tokens;
    if (!one_window && cell->full_layers > 0 && setup->release >= KVB_RELEASE(0, 5, 18)) {
        pool->refusal = KVB_SGL_WINDOW_SMALL;
    }
}

// To 0.5.8: tokens x layers of the whole model, as if every layer were a full one.
static uint64_t uniform_split(const struct kvb_sgl_setup *setup, uint64_t alike)
{
    uint64_t layers = setup->model->layer_count, weight = 0;
    for (uint32_t layer = 0; layer < layers; layer++) {
        bool window = kvb_sgl_is_window(&kvb_kind_of(setup->model, layer)->attention);
        weight += window ? setup->window_ratio_ppm : KVB_PPM;
    }
    return kvb_mul(kvb_mul(alike, layers), KVB_PPM) / kvb_max(weight, 1);
}

// 0.5.14 and later, when requests are stated and nothing is kept for prefixes: a cap per request.
static bool caps_window(const struct kvb_sgl_setup *setup, const struct kvb_sgl_cell *cell,
                        const struct kvb_sgl_defaults *defaults)
{
    return cell->windows && cell->full_layers > 0 && setup->release >= KVB_RELEASE(0, 5, 14) && setup->no_radix &&
           setup->max_running_requests > 0 && defaults->chunk_tokens != KVB_SGL_OFF;
}

#define EVICTION_INTERVAL 128U // SGLANG_SWA_EVICTION_INTERVAL

static void cap_window(const struct kvb_sgl_setup *setup, const struct kvb_sgl_cell *cell,
                       const struct kvb_sgl_defaults *defaults, struct kvb_sgl_pool *pool)
{
    uint64_t drafts = kvb_max(drafted(setup), 1);
    uint64_t decode = setup->draft == KVB_SGL_DRAFT_NONE ? pool->page_tokens : 2 * drafts;
    uint64_t request = cell->window_tokens + EVICTION_INTERVAL * drafts + pool->page_tokens + decode;
    uint64_t chunks = setup->no_overlap || setup->pp > 1 ? 1 : 2;
    uint64_t cap = request * requests_of_group(setup) + chunks * defaults->chunk_tokens + pool->page_tokens;
    pool->window_tokens = kvb_round_up(cap, pool->page_tokens);
    int64_t left = pool->cache_bytes - (int64_t)kvb_mul(pool->window_tokens, cell->window_bytes);
    pool->full_tokens = left > 0 ? whole_pages((uint64_t)left / kvb_max(cell->full_bytes, 1), pool->page_tokens) : 0;
    pool->tokens = pool->full_tokens;
    pool->held_bytes =
        kvb_add(kvb_mul(pool->full_tokens, cell->full_bytes), kvb_mul(pool->window_tokens, cell->window_bytes));
    if (pool->full_tokens == 0) {
        pool->refusal = KVB_SGL_WINDOW_CAP;
    }
}

static uint64_t limited(const struct kvb_sgl_setup *setup, uint64_t tokens)
{
    return setup->max_total_tokens > 0 ? kvb_min(tokens, setup->max_total_tokens) : tokens;
}

// 0.4.3.post3 to 0.5.6: tokens that drafts and their verification hold beside the others (draft_runner_cache_size),
// in memory that nobody asked for.
static uint64_t headroom(const struct kvb_sgl_setup *setup, uint64_t tokens, uint64_t state_slots)
{
    bool then = setup->release >= KVB_RELEASE(0, 4, 3) + 3 && setup->release < KVB_RELEASE(0, 5, 7);
    bool holds = setup->draft == KVB_SGL_DRAFT_EAGLE || setup->draft == KVB_SGL_DRAFT_STANDALONE;
    uint64_t requests = kvb_sgl_requests(setup, tokens, state_slots);
    uint64_t each = setup->draft_steps * setup->draft_topk + setup->draft_tokens;
    return then && holds ? requests * each + 100 : 0;
}

static void fill_tokens(const struct kvb_sgl_setup *setup, const struct kvb_sgl_cell *cell, uint64_t bytes,
                        struct kvb_sgl_pool *pool)
{
    bool uniform = cell->windows && setup->release < KVB_RELEASE(0, 5, 9) && cell->full_layers > 0;
    uint64_t fits = uniform ? bytes / cell->uniform_bytes : tokens_of(bytes, cell->token_micro);
    uint64_t tokens = limited(setup, fits + headroom(setup, fits, pool->state_slots));
    pool->extra_tokens = kvb_less(tokens, fits);
    if (cell->windows) {
        tokens = uniform ? uniform_split(setup, whole_pages(tokens, pool->page_tokens)) : tokens;
        split_windows(setup, cell, tokens, pool);
        return;
    }
    pool->tokens = whole_pages(tokens, pool->page_tokens);
    pool->held_bytes =
        cell->compressed ? scaled(pool->tokens, cell->token_micro) : kvb_mul(pool->tokens, cell->full_bytes);
}

// Compressed states of DeepSeek V4's requests, from 0.5.15 on. Requests are those of the tokens that would fit without.
static uint64_t ring_states(const struct kvb_sgl_setup *setup, const struct kvb_sgl_cell *cell, uint64_t bytes)
{
    uint64_t requests = setup->max_running_requests > 0
                            ? requests_of_group(setup)
                            : kvb_sgl_requests(setup, tokens_of(bytes, cell->token_micro), 0);
    uint64_t rows = setup->draft != KVB_SGL_DRAFT_NONE ? 256 : 128;                         // of one ring
    return kvb_add(kvb_mul(cell->ring_bytes, requests + 2), cell->ring_bytes * 128 / rows); // one more, in steps of 128
}

static uint64_t fixed_bytes(const struct kvb_sgl_setup *setup, const struct kvb_sgl_cell *cell, int64_t rest_bytes)
{
    uint64_t bytes = rest_bytes > 0 ? ring_states(setup, cell, (uint64_t)rest_bytes) : 0;
    bool pictures = setup->multimodal && !setup->text_only && setup->release >= KVB_RELEASE(0, 5, 18);
    return bytes + (pictures ? TOWER_CACHE_BYTES : 0);
}

void kvb_sgl_pool_of(const struct kvb_sgl_setup *setup, const struct kvb_sgl_defaults *defaults,
                     const struct kvb_sgl_cell *cell, uint64_t before_bytes, int64_t after_bytes,
                     struct kvb_sgl_pool *pool)
{
    *pool = (struct kvb_sgl_pool){.page_tokens = kvb_max(defaults->page_tokens, 1)};
    pool->rest_bytes = after_bytes - (int64_t)kvb_sgl_outside(before_bytes, defaults->fraction_ppb);
    pool->fixed_bytes = fixed_bytes(setup, cell, pool->rest_bytes);
    pool->cache_bytes = pool->rest_bytes - (int64_t)pool->fixed_bytes;
    if (cell->state_bytes > 0) {
        pool->cache_bytes = take_state(setup, cell, pool->cache_bytes, pool);
    }
    if (pool->rest_bytes <= 0) {
        pool->refusal = KVB_SGL_NO_MEMORY;
        return;
    }
    if (cell->state_bytes > 0 && pool->state_slots == 0) {
        pool->refusal = KVB_SGL_NO_STATE;
        return;
    }
    if (pool->cache_bytes <= 0) {
        pool->refusal = KVB_SGL_NO_MEMORY;
        return;
    }
    if (caps_window(setup, cell, defaults)) {
        cap_window(setup, cell, defaults, pool);
    } else {
        fill_tokens(setup, cell, (uint64_t)pool->cache_bytes, pool);
    }
    pool->requests = kvb_sgl_requests(setup, pool->tokens, pool->state_slots);
    if (pool->refusal == KVB_SGL_STARTS && pool->tokens == 0) {
        pool->refusal = KVB_SGL_NO_TOKENS;
    } else if (pool->refusal == KVB_SGL_STARTS && pool->requests == 0) {
        pool->refusal = KVB_SGL_STATE_REQUESTS;
    }
}
