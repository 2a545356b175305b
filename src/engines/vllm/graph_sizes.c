// Which CUDA graphs are captured: the sizes, read at every minor tag from v0.4.0 to v0.27.1 and in the branch of 0.28.
// Source: vllm/worker/model_runner.py _get_graph_batch_size and capture_model; vllm/config/vllm.py
// _set_cudagraph_sizes (config.py before 0.11.1); config/compilation.py adjust_cudagraph_sizes_for_spec_decode and
// resolve_cudagraph_mode_and_sizes; v1/cudagraph_dispatcher.py; v1/worker/gpu/cudagraph_utils.py.
#include "engines/vllm/graph_sizes.h"

#include "base/checked.h"
#include "budget/gpu_facts.h"
#include "engines/vllm/compile.h"
#include "engines/vllm/kv_backend.h"

#define R(minor, patch) KVB_RELEASE(0, minor, patch)
#define LARGEST_BY_DEFAULT 512
#define LARGEST_V0_EARLY 256
#define LARGEST_V0 8192
#define SPARSE_FROM 256 // tokens
#define EVERY_SIZE_TO 32
#define LONGER_V0_SINCE R(6, 0)
#define STAGES_V0_SINCE R(5, 1)        // each virtual engine captures its own
#define MODES_SINCE R(10, 1)           // cudagraph_mode
#define BOTH_SINCE R(11, 0)            // full decode graphs by default
#define CHECKED_SINCE R(11, 1)         // named sizes are held against the step, too, and adapters have graphs
#define SHARED_BY_RANKS_SINCE R(11, 2) // 0.11.1 rounds to ranks without sequence parallelism, too
#define SMALLEST_MULTIPLE_SINCE R(12, 0)
#define DRAFTS_RAISE_SINCE R(13, 0) // the limit
#define INTERACTIVITY_SINCE R(17, 0)
#define V2_PIECEWISE_SINCE R(17, 0)
#define V2_CHECKS_SINCE R(20, 0) // what its attention can be captured with
#define ALL_FULL_ROUNDED_SINCE R(20, 0)
#define OWN_SIZE_SINCE R(20, 1)
#define V2_ALWAYS_ROUNDS_SINCE R(21, 0)
#define ADAPTER_COUNTS_SINCE R(16, 0)
#define V2_ADAPTERS_SINCE R(24, 0)
#define V2_ROUNDS_DECODE_SINCE R(25, 0)
#define ENCODERS_DECODE_SINCE R(13, 0)
#define XQA_SINCE R(28, 0)

// ---- The limit

static bool is_data_centre_blackwell(const struct kvb_context *context)
{
    uint32_t capability = context->gpu->compute_capability;
    return capability >= KVB_CAPABILITY_BLACKWELL && capability < KVB_CAPABILITY_THOR;
}

static uint64_t limit_v0(const struct kvb_context *context)
{
    uint64_t seqs = context->max_num_seqs;
    uint64_t few = 4; // same: no size lies between 4 and 8
    uint64_t padded = seqs <= 2 ? seqs : seqs <= few ? few : kvb_round_up(seqs, 8);
    return kvb_min(padded, context->release >= LONGER_V0_SINCE ? LARGEST_V0 : LARGEST_V0_EARLY);
}

// What a flag of one size stands for, up to 0.11.0; 0: it was not given.
static uint64_t limit_of_flag(const struct kvb_context *context)
{
    const struct kvb_graph_sizes *sizes = &context->plan->graph_sizes;
    bool pattern = sizes->of_flag && sizes->count == 1 && context->release < CHECKED_SINCE;
    return pattern ? sizes->tokens[0] : 0;
}

// Source: vllm/config/vllm.py v0.28.0:1920, is_device_capability_family(100).
static uint64_t limit_of(const struct kvb_context *context)
{
    uint32_t rule = kvb_rule(context, KVB_RULE_CAPTURE_SIZES);
    bool raised = rule >= KVB_CAPTURE_1024 && is_data_centre_blackwell(context);
    uint64_t limit = raised ? 2 * LARGEST_BY_DEFAULT : LARGEST_BY_DEFAULT;
    uint64_t drafts = context->release >= DRAFTS_RAISE_SINCE ? context->speculative_tokens : 0;
    if (context->generation == KVB_GENERATION_V0) {
        return limit_v0(context);
    }
    if (rule >= KVB_CAPTURE_TWICE_SEQS) {
        limit = kvb_min(limit, kvb_mul(2 * (1 + drafts), context->max_num_seqs));
    }
    if (kvb_is_set(context->plan, KVB_SET_MAX_CUDAGRAPH_CAPTURE_SIZE) && context->release >= CHECKED_SINCE) {
        limit = kvb_number(context->plan, KVB_SET_MAX_CUDAGRAPH_CAPTURE_SIZE);
    }
    limit = limit_of_flag(context) > 0 ? limit_of_flag(context) : limit;
    return kvb_min(limit, context->max_num_batched_tokens);
}

// ---- Sizes by default: 1, 2, 4, then every 8; later every 16 from 256

static uint64_t default_after(const struct kvb_context *context, uint64_t after)
{
    uint64_t limit = limit_of(context);
    bool v1 = context->generation == KVB_GENERATION_V1;
    bool each = context->release >= INTERACTIVITY_SINCE &&
                kvb_number(context->plan, KVB_SET_PERFORMANCE_MODE) == KVB_PERFORMANCE_INTERACTIVITY;
    bool sparse = kvb_rule(context, KVB_RULE_CAPTURE_SIZES) >= KVB_CAPTURE_SPARSE;
    uint64_t eighth = kvb_round_up(after + 1, sparse && after >= SPARSE_FROM ? 16 : 8);
    uint64_t next = each && after < EVERY_SIZE_TO ? after + 1 : after < 1 ? 1 : after < 2 ? 2 : after < 4 ? 4 : eighth;
    bool always = v1 && context->release < CHECKED_SINCE && after < 4; // whatever the limit
    if (next <= limit || always) {
        return next;
    }
    bool own = context->release >= OWN_SIZE_SINCE && limit == context->max_num_batched_tokens && after < limit;
    return own ? limit : 0;
}

// Of many sizes only their number and the largest are known; they are taken for evenly spread from 1 on.
static uint64_t spread_after(const struct kvb_context *context, uint64_t after)
{
    uint64_t count = kvb_number(context->plan, KVB_SET_CUDAGRAPH_CAPTURE_SIZES);
    bool known = kvb_is_set(context->plan, KVB_SET_MAX_CUDAGRAPH_CAPTURE_SIZE);
    uint64_t largest = known ? kvb_number(context->plan, KVB_SET_MAX_CUDAGRAPH_CAPTURE_SIZE) : limit_of(context);
    uint64_t step = kvb_max(1, largest / count);
    uint64_t before = after == 0 ? 0 : (after - 1) / step + 1;
    uint64_t next = before + 1 < count ? 1 + before * step : largest;
    return next > after && next <= largest ? next : 0;
}

static uint64_t named_after(const struct kvb_context *context, uint64_t after)
{
    const struct kvb_graph_sizes *sizes = &context->plan->graph_sizes;
    uint64_t next = 0;
    for (uint32_t i = 0; i < sizes->count; i++) {
        bool nearer = next == 0 || sizes->tokens[i] < next; // same: equal ones are one size
        next = sizes->tokens[i] > after && nearer ? sizes->tokens[i] : next;
    }
    return sizes->count > 0 ? next : spread_after(context, after);
}

static bool is_shared(const struct kvb_context *context)
{
    return context->plan->graph_sizes.sequence_parallel;
}

// Before sizes are rounded to whole requests.
static uint64_t chosen_after(const struct kvb_context *context, uint64_t after)
{
    bool named = kvb_number(context->plan, KVB_SET_CUDAGRAPH_CAPTURE_SIZES) > 0 && limit_of_flag(context) == 0;
    bool v0 = context->generation == KVB_GENERATION_V0;
    bool unchecked = named && !context->plan->graph_sizes.of_flag && context->release < CHECKED_SINCE;
    uint64_t most = unchecked || v0 ? UINT64_MAX : context->max_num_batched_tokens;
    uint64_t ranks = is_shared(context) && !unchecked ? context->tp : 1;
    uint64_t next = after;
    do {
        next = named ? named_after(context, next) : default_after(context, next);
    } while (next != 0 && next % ranks != 0);
    return next <= most ? next : 0;
}

uint64_t kvb_largest_capture(const struct kvb_context *context)
{
    uint64_t largest = 0;
    for (uint64_t next = chosen_after(context, 0); next != 0; next = chosen_after(context, next)) {
        largest = next;
    }
    return largest;
}

// ---- The mode

// Latent attention has kernels of its own, all of which take uniform batches (_cudagraph_support,
// v1/attention/backends/mla and models/deepseek_v4/sparse_mla.py v0.25.0:137).
bool kvb_graphs_use_flashinfer(const struct kvb_context *context)
{
    bool own = kvb_model_is_mla(context->model) || kvb_model_has(context->model, KVB_ATTENTION_DSV4);
    return own ? kvb_backend_asked(context) == KVB_BACKEND_FLASHINFER : kvb_takes_flashinfer(context);
}

// can_use_trtllm_attention, asked by get_cudagraph_support of v1/attention/backends/flashinfer.py since v0.11.1:574;
// from 0.28 cards of 12.x decode with XQA, which takes several tokens, too, but gives no logarithms to ranks that split
// the context (v0.28.0:979).
static bool decodes_with_trtllm(const struct kvb_context *context)
{
    bool consumer = KVB_CAPABILITY_MAJOR(context->gpu->compute_capability) == 12;
    bool xqa = consumer && context->release >= XQA_SINCE && context->dcp == 1;
    return context->gpu->vendor == KVB_VENDOR_NVIDIA && context->release >= CHECKED_SINCE &&
           (is_data_centre_blackwell(context) || xqa);
}

// Backends without uniform batches of several tokens fall back to piecewise graphs alone.
static bool decodes_in_full_graphs(const struct kvb_context *context)
{
    bool several =
        context->speculative_tokens > 0 && kvb_graphs_use_flashinfer(context) && !decodes_with_trtllm(context);
    return !several && !kvb_model_has(context->model, KVB_ATTENTION_CHUNKED);
}

// FlashAttention 3 and Triton's kernels are captured with any batch, _cudagraph_support of their builders.
static bool any_batch_is_captured(const struct kvb_context *context)
{
    enum kvb_backend asked = kvb_backend_asked(context);
    bool hopper =
        context->gpu->vendor == KVB_VENDOR_NVIDIA && context->gpu->compute_capability == KVB_CAPABILITY_HOPPER;
    bool flash = hopper && (asked == KVB_BACKEND_AUTO || asked == KVB_BACKEND_FLASH_ATTN);
    return (flash || asked == KVB_BACKEND_TRITON) && !kvb_model_is_mla(context->model) &&
           !kvb_model_has_state(context->model);
}

static enum kvb_graph_mode mode_of(const struct kvb_context *context)
{
    uint64_t mode = kvb_graph_mode_asked(context);
    if (context->generation == KVB_GENERATION_V0) {
        return KVB_GRAPH_MODE_FULL;
    }
    if (context->pools) { // config/vllm.py v0.11.1:485
        return KVB_GRAPH_MODE_PIECEWISE;
    }
    if (mode == KVB_GRAPH_MODE_AUTO) {
        mode = context->release >= BOTH_SINCE ? KVB_GRAPH_MODE_FULL_AND_PIECEWISE : KVB_GRAPH_MODE_PIECEWISE;
    }
    if (kvb_model_has(context->model, KVB_ATTENTION_CROSS) && mode != KVB_GRAPH_MODE_NONE) {
        mode = context->release >= ENCODERS_DECODE_SINCE ? KVB_GRAPH_MODE_FULL_DECODE_ONLY : KVB_GRAPH_MODE_PIECEWISE;
    }
    bool checked = context->release >= (context->v2_runner ? V2_CHECKS_SINCE : MODES_SINCE);
    if (mode == KVB_GRAPH_MODE_FULL && checked && !any_batch_is_captured(context)) {
        mode = KVB_GRAPH_MODE_FULL_AND_PIECEWISE;
    }
    bool decode = mode == KVB_GRAPH_MODE_FULL_DECODE_ONLY || mode == KVB_GRAPH_MODE_FULL_AND_PIECEWISE;
    return decode && checked && !decodes_in_full_graphs(context) ? KVB_GRAPH_MODE_PIECEWISE : (enum kvb_graph_mode)mode;
}

// ---- Whole requests

static uint64_t request_tokens(const struct kvb_context *context)
{
    return 1 + (uint64_t)context->speculative_tokens;
}

static bool rounds(const struct kvb_context *context)
{
    enum kvb_graph_mode mode = mode_of(context);
    bool several = request_tokens(context) > 1 && mode != KVB_GRAPH_MODE_PIECEWISE;
    bool all_full = context->release >= ALL_FULL_ROUNDED_SINCE || mode != KVB_GRAPH_MODE_FULL;
    if (context->generation == KVB_GENERATION_V0 || context->release < CHECKED_SINCE) {
        return false;
    }
    if (!context->v2_runner) {
        return several && all_full;
    }
    bool always = context->release >= V2_ALWAYS_ROUNDS_SINCE;
    return context->release >= ALL_FULL_ROUNDED_SINCE && context->release < V2_ROUNDS_DECODE_SINCE &&
           (several || always);
}

static bool counts_ranks(const struct kvb_context *context)
{
    return is_shared(context) || context->release < SHARED_BY_RANKS_SINCE;
}

static uint64_t multiple_of(const struct kvb_context *context)
{
    uint64_t tokens = request_tokens(context);
    return !rounds(context) ? 1 : counts_ranks(context) ? kvb_max(tokens, context->tp) : tokens;
}

static uint64_t rounded_after(const struct kvb_context *context, uint64_t multiple, uint64_t largest, uint64_t after)
{
    uint64_t next = chosen_after(context, after);
    uint64_t rounded = next == 0 ? 0 : kvb_round_up(next, multiple);
    if (rounded != 0 && rounded <= largest) {
        return rounded;
    }
    bool none = after == 0 && multiple <= largest; // same: an equal one was rounded to
    return none && context->release >= SMALLEST_MULTIPLE_SINCE ? multiple : 0;
}

uint64_t kvb_capture_size_after(const struct kvb_context *context, uint64_t tokens)
{
    uint64_t multiple = multiple_of(context);
    if (multiple <= 1) { // same: only sooner
        return chosen_after(context, tokens);
    }
    uint64_t largest = kvb_largest_capture(context);
    bool left = context->release < SMALLEST_MULTIPLE_SINCE && rounded_after(context, multiple, largest, 0) == 0;
    return left ? chosen_after(context, tokens) : rounded_after(context, multiple, largest, tokens);
}

uint64_t kvb_capture_sizes(const struct kvb_context *context)
{
    uint64_t count = 0;
    for (uint64_t next = kvb_capture_size_after(context, 0); next != 0; next = kvb_capture_size_after(context, next)) {
        count++;
    }
    return count;
}

// ---- What is captured

// Numbers of adapters that have graphs of their own: powers of two and all of them, or all alone.
static uint64_t adapter_counts(const struct kvb_context *context)
{
    uint64_t adapters = kvb_max(1, kvb_number(context->plan, KVB_SET_MAX_LORAS)), counts = 1;
    bool each =
        (context->plan->plain_flags & KVB_PLAIN_ADAPTER_COUNTS) != 0 && context->release >= ADAPTER_COUNTS_SINCE;
    for (uint64_t power = 1; each && power <= adapters; power *= 2) {
        counts++;
    }
    return counts;
}

static uint64_t adapter_cases(const struct kvb_context *context)
{
    uint32_t since = context->v2_runner ? V2_ADAPTERS_SINCE : CHECKED_SINCE;
    bool v0 = context->generation == KVB_GENERATION_V0;
    if (v0 || context->release < since || kvb_number(context->plan, KVB_SET_ENABLE_LORA) == 0) {
        return 1;
    }
    if (context->plan->graph_sizes.adapters_always) {
        return context->v2_runner ? 2 : 1;
    }
    return 1 + adapter_counts(context);
}

// Full graphs are captured for decode steps alone: of one request and of all of them, and what is between.
static uint64_t decode_sizes(const struct kvb_context *context, uint64_t *largest)
{
    uint64_t tokens = request_tokens(context), all = kvb_mul(tokens, context->max_num_seqs);
    bool rounded = context->v2_runner && context->release >= V2_ROUNDS_DECODE_SINCE;
    if (context->v2_runner && context->release < V2_PIECEWISE_SINCE) { // any batch, or one token a request
        tokens = 1;
        all = mode_of(context) == KVB_GRAPH_MODE_FULL_DECODE_ONLY ? context->max_num_seqs : UINT64_MAX;
    }
    uint64_t count = 0, most = rounded ? kvb_min(all, kvb_largest_capture(context)) : all;
    *largest = 0;
    for (uint64_t next = kvb_capture_size_after(context, 0); next != 0; next = kvb_capture_size_after(context, next)) {
        uint64_t size = rounded ? kvb_round_up(next, tokens) : next;
        if (size >= tokens && size <= most && size != *largest) {
            count++;
            *largest = size;
        }
    }
    return count;
}

static bool captures_any(const struct kvb_context *context)
{
    return !context->eager && !kvb_loses_graphs(context) && kvb_graph_mode_asked(context) != KVB_GRAPH_MODE_NONE &&
           !context->model->pooling && !context->plan->graph_sizes.named_none; // refused from 0.11.1 on
}

void kvb_capture_rounding_of(const struct kvb_context *context, struct kvb_capture_rounding *rounding)
{
    *rounding = (struct kvb_capture_rounding){.tokens = request_tokens(context), .multiple = 1};
    if (captures_any(context)) {
        rounding->multiple = multiple_of(context);
        rounding->largest = kvb_largest_capture(context);
        rounding->both = counts_ranks(context);
    }
}

static uint64_t largest_captured(const struct kvb_context *context)
{
    uint64_t largest = 0;
    for (uint64_t next = kvb_capture_size_after(context, 0); next != 0; next = kvb_capture_size_after(context, next)) {
        largest = next;
    }
    return largest;
}

void kvb_captures_of(const struct kvb_context *context, struct kvb_captures *captures)
{
    *captures = (struct kvb_captures){0, 0, 0, 0};
    if (!captures_any(context)) {
        return;
    }
    enum kvb_graph_mode mode = mode_of(context);
    bool v0 = context->generation == KVB_GENERATION_V0;
    bool v2_early = context->v2_runner && context->release < V2_PIECEWISE_SINCE;
    uint64_t cases = v0 && context->release >= STAGES_V0_SINCE ? context->pp : adapter_cases(context);
    uint64_t sizes = kvb_mul(kvb_capture_sizes(context), cases), tokens = largest_captured(context);
    if (mode == KVB_GRAPH_MODE_FULL) {
        *captures = (struct kvb_captures){0, sizes, 0, tokens};
        return;
    }
    if (mode != KVB_GRAPH_MODE_FULL_DECODE_ONLY && !v2_early && !context->uncompiled) { // no pieces, no graphs of them
        captures->piecewise = sizes;
        captures->piecewise_tokens = tokens;
    }
    if (mode != KVB_GRAPH_MODE_PIECEWISE) {
        captures->full = kvb_mul(decode_sizes(context, &captures->full_tokens), cases);
    }
}

uint64_t kvb_full_graph_tokens(const struct kvb_context *context)
{
    struct kvb_captures captures;
    kvb_captures_of(context, &captures);
    return captures.full_tokens;
}
