// The engine's own arithmetic, repeated: each figure as logged, as computed, and whether they agree.
#include <stdarg.h>
#include <stdio.h>
#include <string.h>

#include <kvbudget/units.h>

#include "base/checked.h"
#include "base/text.h"
#include "logs/explain.h"
#include "logs/utilization.h"

#define ROUNDING ((INT64_C(1) << 30) * 5 / 1000) // of one figure printed with two decimals

static struct kvb_check *open_check(struct kvb_reckoning *r, const char *what, enum kvb_log_unit unit)
{
    struct kvb_check empty = {0};
    empty.unit = unit;
    kvb_copy(empty.what, sizeof empty.what, what);
    if (!kvb_log_add_check(r->report, &empty)) {
        return NULL;
    }
    return &r->report->checks[r->report->check_count - 1];
}

__attribute__((format(printf, 2, 3))) static void say(struct kvb_check *check, const char *format, ...)
{
    va_list list;
    va_start(list, format);
    vsnprintf(check->note, sizeof check->note, format, list);
    va_end(list);
}

// A figure that is compared; `slack` is what rounding of its parts may make of it.
static struct kvb_check *compare(struct kvb_reckoning *r, const char *what, enum kvb_log_unit unit, int64_t logged,
                                 int64_t computed, int64_t slack)
{
    struct kvb_check *check = open_check(r, what, unit);
    if (check != NULL) {
        check->has_logged = check->has_computed = check->has_agrees = true;
        check->logged = logged;
        check->computed = computed;
        check->agrees = computed - logged <= slack && logged - computed <= slack;
    }
    return check;
}

// A figure the log leaves out.
static struct kvb_check *solve(struct kvb_reckoning *r, const char *what, enum kvb_log_unit unit, int64_t computed)
{
    struct kvb_check *check = open_check(r, what, unit);
    if (check != NULL) {
        check->has_computed = true;
        check->computed = computed;
    }
    return check;
}

static void check_requested(struct kvb_reckoning *r)
{
    if (kvb_is_observed(r, KVB_OBS_REQUESTED) && r->total.known && r->utilization.known) {
        compare(r, "requested = GPU memory x utilization", KVB_LOG_BYTES, kvb_observed(r, KVB_OBS_REQUESTED),
                kvb_scale(r->total.value, r->utilization.value), 3 * ROUNDING);
    } else if (r->requested.known && !kvb_is_observed(r, KVB_OBS_REQUESTED)) {
        solve(r, "requested = GPU memory x utilization", KVB_LOG_BYTES, r->requested.value);
    }
}

static void check_pool(struct kvb_reckoning *r)
{
    bool given_pool = r->report->settings.values[KVB_SET_KV_CACHE_MEMORY_BYTES].set;
    if (!r->requested.known || !r->pool.known || !r->activation.known || given_pool) {
        return;
    }
    int64_t rest = r->requested.value - r->activation.value;
    if (kvb_is_observed(r, KVB_OBS_CONSUMED)) { // 0.27: the peak printed beside it holds the graph estimate
        compare(r,
                r->parted ? "KV cache = requested - consumed - activation - graph estimate"
                          : "KV cache = requested - consumed - activation",
                KVB_LOG_BYTES, r->pool.value,
                rest - kvb_observed(r, KVB_OBS_CONSUMED) - (r->parted ? r->estimate.value : 0), 4 * ROUNDING);
        return;
    }
    if (!r->weights.known || !r->non_torch.known) {
        return;
    }
    bool charged = r->graphs_charged && !r->facts.peak_holds_graphs && r->estimate.known;
    compare(r,
            charged ? "KV cache = requested - weights - activation - outside PyTorch - graph estimate"
                    : "KV cache = requested - weights - activation - outside PyTorch",
            KVB_LOG_BYTES, r->pool.value,
            rest - r->weights.value - r->non_torch.value - (charged ? r->estimate.value : 0), 5 * ROUNDING);
}

static void check_other_than_pool(struct kvb_reckoning *r)
{
    bool terms_logged = r->weights.known && r->activation.known && r->non_torch.known;
    if (!r->other_than_pool.known || terms_logged) {
        return;
    }
    struct kvb_check *check =
        solve(r, "memory other than KV cache = requested - KV cache", KVB_LOG_BYTES, r->other_than_pool.value);
    char total[32];
    if (check != NULL && r->total.known && r->other_than_pool.value > r->total.value) {
        say(check, "more than the %s GiB of the card: part of it spilled into system memory, as WSL2 and Windows allow",
            kvb_format_gib(total, r->total.value, 2));
    }
    if (r->weights.known) {
        check = solve(r, "of it besides the weights: profiling peak, outside PyTorch, graphs", KVB_LOG_BYTES,
                      r->other_than_pool.value - r->weights.value);
        if (check != NULL && r->multimodal) {
            say(check, "for a multimodal model mostly the encoder's peak on items of the largest size");
        }
    }
}

static void check_total(struct kvb_reckoning *r)
{
    if (!kvb_is_observed(r, KVB_OBS_GPU_MEMORY) && r->given->gpu_memory_bytes == 0 && r->total.known) {
        bool learnt = r->total.value == r->report->lesson.total_bytes;
        struct kvb_check *check = solve(r,
                                        learnt ? "GPU memory = difference of KV cache of two starts / of utilization"
                                               : "GPU memory = graph estimate / difference of the two utilizations",
                                        KVB_LOG_BYTES, r->total.value);
        if (check != NULL) {
            say(check, "rounded figures: good to about two per cent");
        }
    }
}

static void check_freed(struct kvb_reckoning *r)
{
    if (!kvb_is_observed(r, KVB_OBS_INITIAL_FREE) || !kvb_is_observed(r, KVB_OBS_CURRENT_FREE)) {
        return;
    }
    int64_t freed = kvb_observed(r, KVB_OBS_CURRENT_FREE) - kvb_observed(r, KVB_OBS_INITIAL_FREE);
    struct kvb_check *check = solve(r, "freed by other processes during profiling, at least", KVB_LOG_BYTES, freed);
    if (check != NULL && freed == 0) {
        say(check, "nothing was freed: releases 0.9.1 to 0.15.1 refuse equal figures too");
    }
}

static void check_highest_utilization(struct kvb_reckoning *r)
{
    if (r->free.known && r->total.known && kvb_utilization_exists(r)) {
        solve(r, "highest utilization the start accepts = free / GPU memory", KVB_LOG_PPM,
              kvb_share_ppm(r->free.value, r->total.value, false));
    }
}

static void check_tokens(struct kvb_reckoning *r)
{
    uint64_t block_size = r->facts.block_tokens;
    bool said = kvb_log_setting(r->report, r->given, KVB_SET_BLOCK_SIZE, &block_size);
    if (!kvb_is_observed(r, KVB_OBS_NUM_GPU_BLOCKS) || (!said && (r->engine == NULL || r->facts.block_tokens == 0)) ||
        block_size > 65536) {
        return;
    }
    int64_t tokens = kvb_observed(r, KVB_OBS_NUM_GPU_BLOCKS) * (int64_t)block_size;
    if (kvb_is_observed(r, KVB_OBS_KV_TOKENS)) {
        struct kvb_check *check = compare(r, "tokens = blocks x block size", KVB_LOG_TOKENS,
                                          kvb_observed(r, KVB_OBS_KV_TOKENS), tokens, (int64_t)block_size);
        if (check != NULL && !check->agrees) {
            say(check, "expected of hybrid models and of context parallelism, where a token is not one block slot");
        }
    } else {
        solve(r, "tokens = blocks x block size", KVB_LOG_TOKENS, tokens);
    }
}

static int64_t tokens_known(const struct kvb_reckoning *r)
{
    if (kvb_is_observed(r, KVB_OBS_KV_TOKENS)) {
        return kvb_observed(r, KVB_OBS_KV_TOKENS);
    }
    return kvb_is_observed(r, KVB_OBS_NUM_GPU_BLOCKS) && r->v0 ? kvb_observed(r, KVB_OBS_NUM_GPU_BLOCKS) * 16 : 0;
}

static void check_concurrency(struct kvb_reckoning *r)
{
    int64_t tokens = tokens_known(r);
    int64_t length =
        kvb_is_observed(r, KVB_OBS_CONCURRENCY_LEN) ? kvb_observed(r, KVB_OBS_CONCURRENCY_LEN) : r->length.value;
    if (!kvb_is_observed(r, KVB_OBS_MAX_CONCURRENCY) || tokens == 0 || length <= 0) {
        return;
    }
    int64_t computed = (tokens * 100 + length / 2) / length;
    struct kvb_check *check = compare(r, "concurrency = tokens / longest request", KVB_LOG_HUNDREDTHS,
                                      kvb_observed(r, KVB_OBS_MAX_CONCURRENCY), computed, 1 + computed / 200);
    if (check != NULL && kvb_observed(r, KVB_OBS_MAX_CONCURRENCY) < 100) {
        say(check, "below one: a request of this length cannot run, and the engine's next line refuses it");
    } else if (check != NULL && !check->agrees) {
        say(check, "expected of hybrid and sliding-window models before 0.20.1: trust the concurrency, not the tokens");
    }
}

static void check_bytes_per_token(struct kvb_reckoning *r)
{
    int64_t tokens = tokens_known(r);
    if (r->pool.known && r->pool.value > 0 && tokens > 0) {
        solve(r, "KV cache bytes of one token on this rank", KVB_LOG_BYTES, r->pool.value / tokens);
    }
}

// A request takes whole blocks, so that blocks and concurrency have to agree.
static void check_state_blocks(struct kvb_reckoning *r)
{
    if (!kvb_is_observed(r, KVB_OBS_MAMBA_BLOCKS) || kvb_observed(r, KVB_OBS_MAMBA_BLOCKS) <= 0) {
        return;
    }
    int64_t blocks = kvb_observed(r, KVB_OBS_MAMBA_BLOCKS);
    if (kvb_is_observed(r, KVB_OBS_MAX_CONCURRENCY) && kvb_observed(r, KVB_OBS_MAX_CONCURRENCY) > 0) {
        int64_t logged = kvb_observed(r, KVB_OBS_MAX_CONCURRENCY);
        int64_t rounded = (blocks * 100 + logged / 2) / logged, each = rounded > 0 ? rounded : 1;
        compare(r, "concurrency = blocks / blocks of the longest request", KVB_LOG_HUNDREDTHS, logged,
                (blocks * 100 + each / 2) / each, 1);
    }
    if (r->pool.known && r->pool.value > 0) {
        solve(r, "one state block = KV cache / blocks", KVB_LOG_BYTES, r->pool.value / blocks);
    }
}

static void check_need(struct kvb_reckoning *r)
{
    if (!r->needed.known || !r->pool.known) {
        return;
    }
    if (!kvb_is_observed(r, KVB_OBS_NEEDED)) {
        solve(r, "KV cache one request needs = length x KV cache / tokens", KVB_LOG_BYTES, r->needed.value);
    }
    solve(r, "KV cache missing for one request", KVB_LOG_BYTES, r->needed.value - r->pool.value);
    bool whole = kvb_is_observed(r, KVB_OBS_ESTIMATED_MAX_MODEL_LEN) && kvb_is_observed(r, KVB_OBS_NEEDED_FOR_LEN) &&
                 r->pool.value > 0 && r->needed.value >= r->pool.value;
    if (whole) {
        int64_t share = kvb_share_ppm(r->pool.value, r->needed.value, false);
        int64_t computed = kvb_scale(kvb_observed(r, KVB_OBS_NEEDED_FOR_LEN), share);
        int64_t slack = 16 + computed / 100 + computed * (2 * ROUNDING) / r->pool.value;
        struct kvb_check *check =
            compare(r, "engine's estimate of the longest request = length x have / need", KVB_LOG_TOKENS,
                    kvb_observed(r, KVB_OBS_ESTIMATED_MAX_MODEL_LEN), computed, slack);
        if (check != NULL && !check->agrees) {
            say(check, "expected where cache does not grow evenly with length: hybrids, windows, speculation");
        }
    }
}

// With the model known, tokens say how large the pool is where the log does not.
static void check_pool_from_tokens(struct kvb_reckoning *r)
{
    int64_t tokens = tokens_known(r);
    if (r->given->bytes_per_token == 0 || tokens == 0) {
        return;
    }
    int64_t computed = (int64_t)kvb_mul((uint64_t)tokens, r->given->bytes_per_token);
    if (r->pool.known) {
        compare(r, "KV cache = tokens x bytes of one token of this model", KVB_LOG_BYTES, r->pool.value, computed,
                2 * ROUNDING + 16 * (int64_t)r->given->bytes_per_token);
    } else {
        solve(r, "KV cache = tokens x bytes of one token of this model", KVB_LOG_BYTES, computed);
    }
}

// The engine offers a size for --kv-cache-memory: what is left inside the request, less 150 MiB.
static void check_suggestion(struct kvb_reckoning *r)
{
    bool terms = r->requested.known && r->activation.known && r->graphs.known;
    bool split = r->weights.known && r->non_torch.known;
    bool merged = kvb_is_observed(r, KVB_OBS_CONSUMED);
    if (!kvb_is_observed(r, KVB_OBS_SUGGESTED_FIT) || !terms || (!split && !merged)) {
        return;
    }
    int64_t held = merged ? kvb_observed(r, KVB_OBS_CONSUMED) : r->weights.value + r->non_torch.value;
    int64_t estimate = r->parted ? r->estimate.value : 0;
    int64_t computed =
        r->requested.value - held - r->activation.value - estimate - r->graphs.value - (INT64_C(150) << 20);
    struct kvb_check *check = compare(r, "suggested --kv-cache-memory = requested - all terms - 150 MiB", KVB_LOG_BYTES,
                                      kvb_observed(r, KVB_OBS_SUGGESTED_FIT), computed, 6 * ROUNDING);
    if (check != NULL && merged) {
        say(check, "from 0.27 on the engine takes graphs off twice: as estimated, inside the peak it prints, and as captured");
    }
}

static void check_sglang(struct kvb_reckoning *r)
{
    bool known = kvb_is_observed(r, KVB_OBS_AVAIL_BEFORE_LOAD) && kvb_is_observed(r, KVB_OBS_AVAIL_AFTER_LOAD) &&
                 kvb_is_observed(r, KVB_OBS_STATIC_FRACTION);
    if (r->report->engine != KVB_LOG_SGLANG || !known) {
        return;
    }
    int64_t before = kvb_observed(r, KVB_OBS_AVAIL_BEFORE_LOAD);
    int64_t kept = before - kvb_scale(before, kvb_observed(r, KVB_OBS_STATIC_FRACTION));
    int64_t computed = kvb_observed(r, KVB_OBS_AVAIL_AFTER_LOAD) - kept;
    if (r->pool.known) {
        compare(r, "pool = free after weights - free before x (1 - static fraction)", KVB_LOG_BYTES, r->pool.value,
                computed, computed / 20 + 4 * ROUNDING);
    } else {
        solve(r, "pool = free after weights - free before x (1 - static fraction)", KVB_LOG_BYTES, computed);
    }
}

static void check_oom(struct kvb_reckoning *r)
{
    if (!kvb_is_observed(r, KVB_OBS_TRIED_ALLOC) || !kvb_is_observed(r, KVB_OBS_OOM_FREE)) {
        return;
    }
    int64_t missing = kvb_observed(r, KVB_OBS_TRIED_ALLOC) - kvb_observed(r, KVB_OBS_OOM_FREE);
    struct kvb_check *check = solve(r, "missing at the failure, at least = asked for - free", KVB_LOG_BYTES, missing);
    if (check != NULL && missing <= 0) {
        say(check, "more was free than was asked for: the driver needs some memory of its own");
    }
}

void kvb_check_all(struct kvb_reckoning *r)
{
    check_requested(r);
    check_pool(r);
    check_other_than_pool(r);
    check_total(r);
    check_freed(r);
    check_state_blocks(r);
    check_need(r);
    check_oom(r);
    check_highest_utilization(r);
    check_tokens(r);
    check_concurrency(r);
    check_bytes_per_token(r);
    check_pool_from_tokens(r);
    check_suggestion(r);
    check_sglang(r);
}
