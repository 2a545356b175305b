// What a sparse index and DeepSeek V4's attention hold beside the tensors of a layer. The profile run reserves it.
// Source: vllm/model_executor/layers/sparse_attn_indexer.py, v1/attention/backends/mla/indexer.py and
// flashmla_sparse.py, models/deepseek_v4/attention.py, nvidia/flashmla.py and nvidia/flashinfer_sparse.py.
#include "engines/vllm/overhead.h"

#include "base/checked.h"
#include "budget/gpu_facts.h"

#define MIB (1ULL << 20)
#define GATHERED_LENGTHS 40           // indexer.py v0.13.0:188, v0.27.0:452 get_max_prefill_buffer_size
#define GATHERED_SCALE_BYTES 4        // beside 8-bit keys
#define PREFILL_LENGTHS 5             // flashmla_sparse.py v0.13.0:367, v0.27.0:229 get_prefill_workspace_size
#define PREFILL_CHUNK 4               // deepseek_v4_attention.py v0.20.0, attention.py v0.25.0:122 PREFILL_CHUNK_SIZE
#define TOPK_WORKSPACE (1 * MIB)      // RADIX_TOPK_WORKSPACE_SIZE, sparse_attn_indexer.py v0.20.0:37
#define DUMMY_LOGITS_MIB 512          // VLLM_SPARSE_INDEXER_MAX_LOGITS_MB, envs.py v0.19.0:849
#define FLASHINFER_BUFFER (128 * MIB) // nvidia/flashinfer_sparse.py v0.24.0:32
#define FLASHINFER_HEADS_LEAST 16     // nvidia/flashinfer_sparse.py v0.25.0:547 get_padded_num_q_heads
#define FLASHMLA_HEADS_LEAST 64       // nvidia/flashmla.py v0.25.0:59
#define OVERLAPPED 2                  // a compressed entry of four tokens reads eight
#define R(minor, patch) KVB_RELEASE(0, minor, patch)
#define LOGITS_SINCE R(19, 0)
#define QUERIES_SINCE R(18, 0) // flashmla_sparse.py v0.18.0:573 q_concat_shape
#define TOPK_SINCE R(20, 0)

static bool on_flashinfer(const struct kvb_context *context)
{
    return KVB_CAPABILITY_MAJOR(context->gpu->compute_capability) == 12;
}

static uint64_t ratio_of(const struct kvb_attention_shape *shape)
{
    return kvb_max(shape->compress_ratio, 1);
}

// Keys of 40 whole contexts, gathered for a prefill.
static uint64_t gathered_keys(const struct kvb_context *context, const struct kvb_attention_shape *shape)
{
    uint64_t entries = kvb_mul(context->max_model_len, GATHERED_LENGTHS) / ratio_of(shape);
    uint64_t bytes = kvb_mul(entries, shape->index_head_size + GATHERED_SCALE_BYTES);
    return kvb_add(bytes, context->release >= TOPK_SINCE ? TOPK_WORKSPACE : 0);
}

// FlashMLA reads 16-bit entries: of packed caches it writes five contexts out, beside the queries of a batch. Its
// constructor asks for them, so that the log counts them as weights (flashmla_sparse.py v0.13.0:725, v0.26.0:570).
static uint64_t unpacked_entries(const struct kvb_context *context, const struct kvb_attention_shape *shape)
{
    if (context->mla_backend.backend != KVB_BACKEND_FLASHMLA_SPARSE) {
        return 0;
    }
    uint64_t entry = 2 * ((uint64_t)shape->latent_rank + shape->rope_size);
    bool packed = context->kv_word != KVB_KV_AUTO && context->kv_word != KVB_KV_16BIT;
    uint64_t entries = packed ? kvb_mul(context->max_model_len, PREFILL_LENGTHS) : 0;
    uint64_t queries = kvb_mul(context->max_num_batched_tokens, kvb_heads_on_rank(shape->heads, context->tp));
    return kvb_mul(kvb_add(entries, context->release >= QUERIES_SINCE ? queries : 0), entry);
}

// DeepSeek V4's: the compressed context, the window and a batch of four sequences in 16 bits.
static uint64_t prefill_entries(const struct kvb_context *context, const struct kvb_attention_shape *shape)
{
    if (on_flashinfer(context)) {
        return 0;
    }
    uint64_t compressed = shape->compress_ratio > 1 ? kvb_div_up(context->max_model_len, shape->compress_ratio) : 0;
    uint64_t tokens = kvb_add(kvb_add(compressed, shape->window_tokens), context->max_num_batched_tokens);
    return kvb_mul(kvb_mul(PREFILL_CHUNK * 2, tokens), shape->head_size);
}

static uint64_t padded_heads(const struct kvb_context *context, const struct kvb_attention_shape *shape)
{
    uint64_t heads = kvb_heads_on_rank(shape->heads, context->tp);
    uint64_t padded = on_flashinfer(context) ? FLASHINFER_HEADS_LEAST : FLASHMLA_HEADS_LEAST;
    while (padded < heads) {
        padded *= 2;
    }
    return padded;
}

// Elements a token of what is alive while the index chooses: streams as they came and as they leave, hidden tensors,
// queries (V4: padded, and the output), both ranks before and after their norms, the index's queries and their 8-bit
// copy; in V4 what the compressors read, in 32 bits. Source: layers/mla.py v0.21.0:120, attention.py v0.25.0:287.
static uint64_t choosing_elements(const struct kvb_context *context, const struct kvb_attention_shape *shape)
{
    uint64_t hidden = context->model->hidden_size;
    uint64_t index = (uint64_t)shape->index_heads * shape->index_head_size * 3 / 2;
    if (shape->kind == KVB_ATTENTION_DSV4) {
        uint64_t scores = 2ULL * OVERLAPPED * 2 * ((uint64_t)shape->head_size + shape->index_head_size);
        uint64_t ranks = 2 * ((uint64_t)shape->query_rank + shape->head_size);
        return kvb_mul(2 * (uint64_t)shape->residual_streams + 2, hidden) +
               2 * padded_heads(context, shape) * shape->head_size + ranks + scores + index;
    }
    uint64_t queries = kvb_heads_on_rank(shape->heads, context->tp) * ((uint64_t)shape->nope_size + shape->rope_size);
    return 2 * hidden + 2 * ((uint64_t)shape->query_rank + shape->latent_rank) + shape->rope_size + queries + index;
}

// Logits that the index would have at most while it serves.
static uint64_t dummy_logits(const struct kvb_context *context)
{
    const struct kvb_environment *environment = &context->plan->environment;
    uint64_t mib = environment->index_logits_stated ? environment->index_logits_mib : DUMMY_LOGITS_MIB;
    return context->release >= LOGITS_SINCE ? mib * MIB : 0;
}

static void add_shape(const struct kvb_context *context, const struct kvb_attention_shape *shape,
                      struct kvb_sparse_bytes *sparse)
{
    uint64_t workspace = 0;
    if (shape->kind == KVB_ATTENTION_DSV4) {
        workspace = prefill_entries(context, shape);
        sparse->kept_bytes = on_flashinfer(context) ? FLASHINFER_BUFFER : 0;
    }
    if (shape->index_heads > 0) {
        uint64_t unpacked = unpacked_entries(context, shape); // asked for by the layer's constructor
        sparse->loaded_bytes = kvb_max(sparse->loaded_bytes, unpacked);
        workspace = kvb_max(workspace, kvb_max(gathered_keys(context, shape), unpacked));
        uint64_t tokens = kvb_mul(context->max_num_batched_tokens, kvb_dtype_bytes(context->dtype));
        uint64_t choosing = kvb_mul(tokens, choosing_elements(context, shape));
        choosing = kvb_add(choosing, dummy_logits(context));
        sparse->choosing_bytes = kvb_max(sparse->choosing_bytes, choosing);
    }
    sparse->workspace_bytes = kvb_max(sparse->workspace_bytes, workspace);
}

struct kvb_sparse_bytes kvb_sparse_scratch(const struct kvb_context *context)
{
    struct kvb_sparse_bytes sparse = {0};
    if (!kvb_rule(context, KVB_RULE_MOE_WORKSPACE) || context->gpu->vendor != KVB_VENDOR_NVIDIA) {
        return sparse; // before 0.13 there is no such manager
    }
    for (uint32_t i = 0; i < context->model->kind_count; i++) {
        add_shape(context, &context->model->kinds[i].attention, &sparse);
    }
    return sparse;
}
