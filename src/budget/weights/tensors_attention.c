// Matrices of ordinary, latent (MLA) and DeepSeek V4 attention.
#include "base/checked.h"
#include "budget/weights/tensors.h"

static struct kvb_tensor *add_small(struct kvb_tensor_list *list, const char *name, enum kvb_role role, uint64_t rows)
{
    return kvb_tensor_add(list, name, role, KVB_SPLIT_COPY, rows, 1);
}

static void add_kv(struct kvb_tensor_list *list, const struct kvb_attention_shape *shape, bool bias)
{
    uint64_t columns = bias ? 1 : list->model->hidden_size;
    uint64_t rows[2] = {kvb_mul(shape->kv_heads, shape->head_size), kvb_mul(shape->kv_heads, shape->value_head_size)};
    const char *names[2] = {bias ? "k_bias" : "k_proj", bias ? "v_bias" : "v_proj"};
    for (int i = 0; i < 2; i++) {
        struct kvb_tensor *tensor = kvb_tensor_linear(list, names[i], KVB_SPLIT_KV, rows[i], columns,
                                                      bias ? KVB_FUSED_QKV_BIAS : KVB_FUSED_QKV);
        tensor->heads = shape->kv_heads;
        tensor->quantised = tensor->quantised && !bias;
        tensor->engine_only = i == 1 && shape->key_is_value;
    }
}

static void add_qk_norms(struct kvb_tensor_list *list, const struct kvb_attention_shape *shape)
{
    bool whole = shape->qk_norm == KVB_QK_NORM_WHOLE;
    if (shape->qk_norm == KVB_QK_NORM_NONE) {
        return;
    }
    add_small(list, "q_norm", KVB_ROLE_NORM, kvb_mul(shape->head_size, whole ? shape->heads : 1));
    if (!shape->queries_only) {
        add_small(list, "k_norm", KVB_ROLE_NORM, kvb_mul(shape->head_size, whole ? shape->kv_heads : 1));
    }
}

// MiniMax-M3: index queries and one index key beside the ordinary ones.
static void add_block_index(struct kvb_tensor_list *list, const struct kvb_attention_shape *shape)
{
    uint64_t hidden = list->model->hidden_size;
    uint64_t size = shape->index_head_size;
    if (shape->has_indexer) {
        kvb_tensor_linear(list, "index_q_proj", KVB_SPLIT_COPY, kvb_mul(shape->index_heads, size), hidden,
                          KVB_FUSED_NONE);
        kvb_tensor_linear(list, "index_k_proj", KVB_SPLIT_COPY, size, hidden, KVB_FUSED_NONE);
        add_small(list, "index_q_norm", KVB_ROLE_NORM, size);
        add_small(list, "index_k_norm", KVB_ROLE_NORM, size);
    }
}

void kvb_attention_tensors(struct kvb_tensor_list *list, const struct kvb_attention_shape *shape)
{
    uint64_t hidden = list->model->hidden_size;
    uint64_t rows = kvb_mul(kvb_mul(shape->heads, shape->head_size), shape->gated_output ? 2 : 1);
    kvb_tensor_linear(list, "q_proj", KVB_SPLIT_ROWS, rows, hidden, KVB_FUSED_QKV);
    if (!shape->queries_only) {
        add_kv(list, shape, false);
    }
    if (shape->query_key_value_bias || shape->query_bias_only) {
        kvb_tensor_add(list, "q_bias", KVB_ROLE_ATTENTION, KVB_SPLIT_ROWS, rows, 1)->fused = KVB_FUSED_QKV_BIAS;
    }
    if (shape->query_key_value_bias) {
        add_kv(list, shape, true);
    }
    kvb_tensor_linear(list, "o_proj", KVB_SPLIT_COLUMNS, hidden, kvb_mul(shape->heads, shape->value_head_size),
                      KVB_FUSED_NONE);
    if (shape->output_bias) {
        add_small(list, "o_bias", KVB_ROLE_ATTENTION, hidden);
    }
    if (shape->sinks) {
        kvb_tensor_add(list, "sinks", KVB_ROLE_ATTENTION, KVB_SPLIT_ROWS, shape->heads, 1);
    }
    add_qk_norms(list, shape);
    add_block_index(list, shape);
}

static void add_mla_queries(struct kvb_tensor_list *list, const struct kvb_attention_shape *shape)
{
    uint64_t hidden = list->model->hidden_size;
    uint64_t rows = kvb_mul(shape->heads, kvb_add(shape->nope_size, shape->rope_size));
    uint64_t latent_rows = kvb_add(shape->latent_rank, shape->rope_size);
    if (shape->query_rank == 0) {
        kvb_tensor_linear(list, "q_proj", KVB_SPLIT_ROWS, rows, hidden, KVB_FUSED_NONE);
        kvb_tensor_linear(list, "kv_a_proj", KVB_SPLIT_COPY, latent_rows, hidden, KVB_FUSED_NONE);
        return;
    }
    kvb_tensor_linear(list, "q_a_proj", KVB_SPLIT_COPY, shape->query_rank, hidden, KVB_FUSED_QKV_A);
    kvb_tensor_linear(list, "kv_a_proj", KVB_SPLIT_COPY, latent_rows, hidden, KVB_FUSED_QKV_A);
    add_small(list, "q_a_layernorm", KVB_ROLE_NORM, shape->query_rank);
    kvb_tensor_linear(list, "q_b_proj", KVB_SPLIT_ROWS, rows, shape->query_rank, KVB_FUSED_NONE);
}

static void add_indexer(struct kvb_tensor_list *list, const struct kvb_attention_shape *shape)
{
    uint64_t hidden = list->model->hidden_size;
    uint64_t size = shape->index_head_size;
    if (!shape->has_indexer) {
        return;
    }
    kvb_tensor_linear(list, "indexer_wq_b", KVB_SPLIT_COPY, kvb_mul(shape->index_heads, size), shape->query_rank,
                      KVB_FUSED_NONE);
    if (shape->kind == KVB_ATTENTION_MLA) {
        kvb_tensor_linear(list, "indexer_wk", KVB_SPLIT_COPY, size, hidden, KVB_FUSED_NONE);
        add_small(list, "indexer_k_norm", KVB_ROLE_NORM, size)->always_fp32 = true;
        add_small(list, "indexer_k_norm_bias", KVB_ROLE_NORM, size)->always_fp32 = true;
    }
    kvb_tensor_add(list, "indexer_weights_proj", KVB_ROLE_ATTENTION, KVB_SPLIT_COPY, shape->index_heads, hidden);
}

// MiniCPM3 caches values padded to the keys' size; its matrices have hidden / heads of them.
static uint64_t padded_value_size(const struct kvb_tensor_list *list, const struct kvb_attention_shape *shape)
{
    return shape->heads ? list->model->hidden_size / shape->heads : 0;
}

static void add_mla(struct kvb_tensor_list *list, const struct kvb_attention_shape *shape)
{
    uint64_t hidden = list->model->hidden_size;
    uint64_t value_size = shape->kind == KVB_ATTENTION_MLA ? shape->value_head_size : padded_value_size(list, shape);
    uint64_t values = kvb_mul(shape->heads, value_size);
    uint64_t expanded = kvb_mul(shape->heads, kvb_add(shape->nope_size, value_size));
    add_mla_queries(list, shape);
    add_small(list, "kv_a_layernorm", KVB_ROLE_NORM, shape->latent_rank);
    kvb_tensor_linear(list, "kv_b_proj", KVB_SPLIT_ROWS, expanded, shape->latent_rank, KVB_FUSED_NONE);
    if (shape->gated_output) {
        kvb_tensor_linear(list, "g_proj", KVB_SPLIT_ROWS, values, hidden, KVB_FUSED_NONE);
    }
    kvb_tensor_linear(list, "o_proj", KVB_SPLIT_COLUMNS, hidden, values, KVB_FUSED_NONE);
    add_indexer(list, shape);
}

// Gated pooling of compress_ratio tokens into one entry; ratio 4 keeps two overlapping halves.
static void add_compressor(struct kvb_tensor_list *list, const struct kvb_attention_shape *shape, uint32_t size,
                           enum kvb_fused fused)
{
    uint64_t rows = kvb_mul(size, shape->compress_ratio == 4 ? 2 : 1);
    uint64_t hidden = list->model->hidden_size;
    kvb_tensor_add(list, "compressor_wkv", KVB_ROLE_ATTENTION, KVB_SPLIT_COPY, rows, hidden)->fused = (uint8_t)fused;
    kvb_tensor_add(list, "compressor_gate", KVB_ROLE_ATTENTION, KVB_SPLIT_COPY, rows, hidden)->fused = (uint8_t)fused;
    kvb_tensor_add(list, "compressor_ape", KVB_ROLE_ATTENTION, KVB_SPLIT_COPY, shape->compress_ratio, rows)
        ->always_fp32 = true;
    add_small(list, "compressor_norm", KVB_ROLE_NORM, size);
}

static void add_dsv4(struct kvb_tensor_list *list, const struct kvb_attention_shape *shape)
{
    uint64_t hidden = list->model->hidden_size;
    uint64_t size = shape->head_size;
    uint64_t out_rows = kvb_mul(shape->output_groups, shape->output_rank);
    uint64_t values = kvb_mul(shape->heads, size);
    kvb_tensor_linear(list, "wq_a", KVB_SPLIT_COPY, shape->query_rank, hidden, KVB_FUSED_QKV_A);
    kvb_tensor_linear(list, "wkv", KVB_SPLIT_COPY, size, hidden, KVB_FUSED_QKV_A);
    add_small(list, "q_norm", KVB_ROLE_NORM, shape->query_rank);
    kvb_tensor_linear(list, "wq_b", KVB_SPLIT_ROWS, values, shape->query_rank, KVB_FUSED_NONE);
    add_small(list, "kv_norm", KVB_ROLE_NORM, size);
    kvb_tensor_linear(list, "wo_a", KVB_SPLIT_ROWS, out_rows, values / shape->output_groups, KVB_FUSED_NONE);
    kvb_tensor_linear(list, "wo_b", KVB_SPLIT_COLUMNS, hidden, out_rows, KVB_FUSED_NONE);
    kvb_tensor_add(list, "attn_sink", KVB_ROLE_ATTENTION, KVB_SPLIT_ROWS, shape->heads, 1)->always_fp32 = true;
    if (shape->compress_ratio > 1) {
        add_compressor(list, shape, shape->head_size, KVB_FUSED_COMPRESSOR);
    }
    add_indexer(list, shape);
    if (shape->has_indexer) {
        add_compressor(list, shape, shape->index_head_size, KVB_FUSED_INDEX_COMPRESSOR);
    }
}

void kvb_latent_tensors(struct kvb_tensor_list *list, const struct kvb_attention_shape *shape)
{
    if (shape->output_groups) { // only DeepSeek V4 groups its outputs
        add_dsv4(list, shape);
    } else {
        add_mla(list, shape);
    }
}
