// Buffers that the model runner makes before the profile run: on the device, which only the accounting of 0.27 charges,
// and pinned ones of the host, which lie in the same memory where the device shares it.
// Source: vllm/v1/worker/gpu_model_runner.py, vllm/v1/worker/gpu and vllm/v1/spec_decode at v0.20.0 to v0.27.1.
#include "engines/vllm/runner.h"

#include "base/checked.h"
#include "base/text.h"
#include "engines/vllm/encoder_items.h"
#include "engines/vllm/graph_sizes.h"
#include "engines/vllm/overhead.h"

#define INDEX_BYTES 4
#define BITS_OF_A_WORD 32
// allowed tokens, biased tokens and their bias, stop tokens, words that are forbidden, and where each of them begins:
// gpu/sample/logit_bias.py:10-12 and bad_words.py:10-11, logprob.py MAX_LOGPROB_TOKEN_IDS
#define WORDS_OF_A_SEQUENCE (3 * 1024 + 128 + 1024 + 129 + 128)
#define MROPE_DIMENSIONS 3
#define WHOLE_FILES_SINCE KVB_RELEASE(0, 27, 0) // whose accounting alone charges what is held
#define GIB (1ULL << 30)

static uint64_t hidden_rows(const struct kvb_context *context, uint64_t hidden_size)
{
    uint64_t elements = kvb_mul(context->max_num_batched_tokens, hidden_size);
    return kvb_mul(elements, kvb_dtype_bytes(context->dtype));
}

// A drafter that is a model keeps the target's hidden tensors. Source: spec_decode/llm_base_proposer.py v0.27.1:202,
// gpu/spec_decode/autoregressive/speculator.py v0.27.1:32; of Gemma 4's assistants as wide as the target's
// (model_arch_config_convertor.py v0.27.1:583).
static uint64_t draft_hidden_rows(const struct kvb_context *context)
{
    switch (context->speculative) {
    case KVB_SPECULATIVE_EAGLE:
    case KVB_SPECULATIVE_MTP:
    case KVB_SPECULATIVE_DFLASH:
    case KVB_SPECULATIVE_DSPARK:
    case KVB_SPECULATIVE_DRAFT_MODEL: {
        const struct kvb_model *draft = context->plan->draft;
        bool own = draft != NULL && !kvb_model_assists(draft);
        return hidden_rows(context, own ? draft->hidden_size : context->model->hidden_size);
    }
    default:
        return 0;
    }
}

// A count and a bit of every vocabulary entry for each sequence, lists of tokens, and a bit of every entry for each
// row of logits. Sources: gpu/sample/penalties.py v0.27.1:32-42, gpu/structured_outputs.py:17; an L4 at 0.28.0 reads
// 0.29 GiB beside its weights.
static uint64_t sampling_states(const struct kvb_context *context)
{
    uint64_t vocabulary = context->model->vocabulary_size;
    uint64_t bits = kvb_div_up(vocabulary, BITS_OF_A_WORD);
    uint64_t masks = kvb_mul(bits, 2 + (uint64_t)context->speculative_tokens);
    uint64_t words = kvb_add(kvb_add(vocabulary, masks), WORDS_OF_A_SEQUENCE);
    return context->pools ? 0 : kvb_mul(kvb_mul(context->max_num_seqs, words), INDEX_BYTES);
}

#define LOGITS_IN_32_BITS_UNTIL KVB_RELEASE(0, 28, 0)
#define LOGIT_BYTES 4

// Runner V2 keeps the logits of drafts that are sampled. Source: gpu/spec_decode/speculator.py v0.27.1:130,
// v0.28.0:133.
static uint64_t draft_logits(const struct kvb_context *context)
{
    const struct kvb_model *draft = context->plan->draft;
    uint64_t rows = kvb_mul(context->max_num_seqs, context->speculative_tokens);
    uint64_t entries = kvb_mul(rows, (draft != NULL ? draft : context->model)->vocabulary_size);
    bool wide = context->release < LOGITS_IN_32_BITS_UNTIL;
    bool keeps = draft_hidden_rows(context) > 0 && context->plan->plain_numbers[KVB_PLAIN_DRAFT_SAMPLES].set;
    return keeps ? kvb_mul(entries, wide ? LOGIT_BYTES : kvb_dtype_bytes(context->dtype)) : 0;
}

static bool takes_items(const struct kvb_context *context)
{
    struct kvb_encoder_load load;
    kvb_encoder_load_of(context, &load);
    return load.takes_items;
}

static uint64_t block_table(const struct kvb_context *context)
{
    uint64_t blocks = kvb_div_up(context->max_model_len, kvb_max(1, context->block_tokens));
    return kvb_mul(kvb_mul(context->max_num_seqs, blocks), INDEX_BYTES);
}

uint64_t kvb_runner_device_bytes(const struct kvb_context *context)
{
    uint64_t drafts = draft_hidden_rows(context);
    uint64_t embeddings = hidden_rows(context, context->model->hidden_size);
    if (context->v2_runner) { // its block tables follow the pool
        uint64_t bytes = kvb_add(kvb_add(sampling_states(context), drafts), draft_logits(context));
        return takes_items(context) ? kvb_add(bytes, embeddings) : bytes;
    }
    return kvb_add(kvb_add(embeddings, block_table(context)), kvb_mul(2, drafts)); // its drafter keeps embeddings, too
}

// Pinned memory comes in powers of two, and what is freed of it stays with torch: ATen/core/CachingHostAllocator.h.
static uint64_t pinned(uint64_t bytes)
{
    uint64_t rounded = 1;     // same: nothing that is pinned has one byte
    while (rounded < bytes) { // which end far below 2^64
        rounded *= 2;
    }
    return bytes > 0 ? kvb_max(rounded, bytes) : 0;
}

// Several dummy items are copied behind one another into pinned memory. Source: multimodal/inputs.py v0.20.0
// MultiModalFlatField, gpu_model_runner.py v0.20.0:5221.
static uint64_t pinned_items(const struct kvb_context *context)
{
    struct kvb_encoder_load load;
    kvb_encoder_load_of(context, &load);
    return load.items > 1 ? pinned(load.pixel_bytes) : 0;
}

// The first graph that is captured hands what is freed of pinned memory back (torch/cuda/graphs.py __enter__), so that
// a mode's first capture reads less than it takes by as much. Piecewise graphs come first, and of both modes' first
// ones the larger counts: with full graphs behind them it is one of those. Source: gpu_model_runner.py v0.20.0
// profile_cudagraph_memory, cudagraph_dispatcher.py v0.20.0 get_capture_descs; logs of a GB10 estimate -0.87 and -0.90
// GiB where 1 GiB is pinned.
static bool graphs_return_items(const struct kvb_context *context)
{
    struct kvb_captures captures;
    kvb_captures_of(context, &captures);
    return kvb_graphs_are_charged(context) && captures.piecewise > 0 && captures.full == 0;
}

static bool rotates_in_several_dimensions(const struct kvb_context *context)
{
    enum kvb_encoder_family family = context->model->encoder.family;
    return family == KVB_ENCODER_QWEN2_VL || family == KVB_ENCODER_QWEN25_VL || family == KVB_ENCODER_QWEN3_VL;
}

uint64_t kvb_runner_host_bytes(const struct kvb_context *context)
{
    uint64_t items = pinned_items(context);
    if (context->v2_runner) { // gpu/states.py v0.22.0 and v0.27.1:34, gpu/mm/rope.py v0.27.1:49
        uint64_t tokens = kvb_mul(kvb_mul(context->max_num_seqs, context->max_model_len), INDEX_BYTES);
        uint64_t positions = rotates_in_several_dimensions(context) ? kvb_mul(tokens, MROPE_DIMENSIONS) : 0;
        return kvb_add(kvb_add(pinned(tokens), pinned(positions)), items);
    }
    uint64_t embeddings = pinned(hidden_rows(context, context->model->hidden_size)); // v0.20.0:713, a copy on the host
    items = graphs_return_items(context) ? 0 : items;
    return kvb_add(kvb_add(embeddings, pinned(block_table(context))), items);
}

// On a GB10 fastsafetensors holds copies of whole files until the first graph is captured, with one rank alone, as
// others ask for its small buffers (weight_utils.py v0.27.1; copier/unified.py 0.3.2 pins each under the next power of
// two). How large files are no config says: of 10 GB two copies stay at most, 16 and 8 GiB, of 5 GB one of 8, and a
// checkpoint may be one file. Of one checkpoint with 21.9 GiB of weights a start of 0.28.0 lost 23.3 GiB, at two shares
// of the memory alike; one of 0.26.0, whose graphs are all piecewise, estimates -20.5 GiB of them.
struct kvb_estimate kvb_pinned_files(const struct kvb_context *context, uint64_t weights_bytes)
{
    bool pins = (context->plan->plain_flags & KVB_PLAIN_LOADS_WHOLE_FILES) != 0 && context->tp == 1 &&
                context->gpu->unified_memory && kvb_contains_ignoring_case(context->gpu->name, "gb10") &&
                context->release >= WHOLE_FILES_SINCE && !graphs_return_items(context);
    if (!pins) {
        return (struct kvb_estimate){0, 0, 0};
    }
    return (struct kvb_estimate){kvb_min(weights_bytes, 24 * GIB), kvb_min(weights_bytes, 8 * GIB),
                                 pinned(kvb_min(weights_bytes, 64 * GIB))};
}
