// MLA: over the latent vector as one head, or with keys and values expanded for every head.
// Source: src/models/deepseek2.cpp at ec98e2002; src/llama.cpp, build_deepseek2, at b4747.
#include "engines/llamacpp/build.h"

// Queries, through their own low rank where there is one.
static kvb_llama_node query_of(struct kvb_llama_graph *graph, const struct kvb_llama_layer *layer, kvb_llama_node in)
{
    const struct kvb_attention_shape *shape = layer->attention;
    uint64_t size = (uint64_t)shape->heads * (shape->nope_size + shape->rope_size);
    if (shape->query_rank == 0) {
        return kvb_llama_matmul(graph, "attn_q.weight", size, graph->tokens, in);
    }
    kvb_llama_node low = kvb_llama_matmul(graph, "attn_q_a.weight", shape->query_rank, graph->tokens, in);
    low = kvb_llama_norm(graph, "attn_q_a_norm.weight", low);
    return kvb_llama_matmul(graph, "attn_q_b.weight", size, graph->tokens, low);
}

static kvb_llama_node cut(struct kvb_llama_graph *graph, kvb_llama_node of, uint64_t size, uint64_t heads)
{
    const uint64_t ne[3] = {size, heads, graph->tokens};
    return kvb_llama_view(graph, KVB_LLAMA_OP_VIEW, of, ne);
}

// Rope of a view that does not lie together: a tensor of its own, before b5137 made whole first.
static kvb_llama_node rope_of(struct kvb_llama_graph *graph, kvb_llama_node view, uint64_t size, uint64_t heads,
                              bool whole)
{
    const uint64_t ne[3] = {size, heads, graph->tokens};
    kvb_llama_node part = whole ? kvb_llama_new(graph, size, heads, graph->tokens, view, 0) : view;
    return kvb_llama_op(graph, KVB_LLAMA_OP_ROPE, ne, part, graph->positions);
}

struct parts {
    kvb_llama_node q_nope, q_rope, k_rope, latent;
};

static void cut_all(struct kvb_llama_graph *graph, const struct kvb_llama_layer *layer, kvb_llama_node in, bool whole,
                    struct parts *out)
{
    const struct kvb_attention_shape *shape = layer->attention;
    kvb_llama_node q = query_of(graph, layer, in);
    out->q_nope = cut(graph, q, shape->nope_size, shape->heads);
    kvb_llama_node q_rope = cut(graph, q, shape->rope_size, shape->heads);
    kvb_llama_node both =
        kvb_llama_matmul(graph, "attn_kv_a_mqa.weight", shape->latent_rank + shape->rope_size, graph->tokens, in);
    const uint64_t ne[3] = {shape->latent_rank, graph->tokens, 1};
    kvb_llama_node latent = kvb_llama_view(graph, KVB_LLAMA_OP_VIEW, both, ne);
    kvb_llama_node k_rope = cut(graph, both, shape->rope_size, 1);
    latent = whole ? kvb_llama_new(graph, ne[0], ne[1], 1, latent, 0) : latent;
    out->q_rope = rope_of(graph, q_rope, shape->rope_size, shape->heads, whole);
    out->k_rope = rope_of(graph, k_rope, shape->rope_size, 1, whole);
    out->latent = kvb_llama_norm(graph, "attn_kv_a_norm.weight", latent);
}

static kvb_llama_node build_absorbed(struct kvb_llama_graph *graph, const struct kvb_llama_layer *layer,
                                     const struct parts *parts)
{
    const struct kvb_attention_shape *shape = layer->attention;
    const uint64_t turned[3] = {shape->nope_size, graph->tokens, shape->heads};
    kvb_llama_node q_nope = kvb_llama_view(graph, KVB_LLAMA_OP_PERMUTE, parts->q_nope, turned);
    kvb_llama_node absorbed =
        kvb_llama_matmul(graph, "attn_k_b.weight", shape->latent_rank, graph->tokens * shape->heads, q_nope);
    const uint64_t back[3] = {shape->latent_rank, shape->heads, graph->tokens};
    kvb_llama_node view = kvb_llama_view(graph, KVB_LLAMA_OP_PERMUTE, absorbed, back);
    kvb_llama_node qkv[4] = {0};
    qkv[0] = kvb_llama_new(graph, layer->key_size, shape->heads, graph->tokens, parts->q_rope, view);
    kvb_llama_node latent = kvb_llama_reshape(graph, parts->latent, shape->latent_rank, 1, graph->tokens);
    qkv[1] = kvb_llama_new(graph, layer->key_size, 1, graph->tokens, parts->k_rope, latent);
    qkv[2] = latent;
    return kvb_llama_attend(graph, layer, qkv);
}

static kvb_llama_node build_expanded(struct kvb_llama_graph *graph, const struct kvb_llama_layer *layer,
                                     const struct parts *parts)
{
    const struct kvb_attention_shape *shape = layer->attention;
    uint64_t keys = shape->nope_size, values = shape->value_head_size;
    kvb_llama_node both =
        kvb_llama_matmul(graph, "attn_kv_b.weight", shape->heads * (keys + values), graph->tokens, parts->latent);
    kvb_llama_node k_nope = cut(graph, both, keys, shape->heads);
    kvb_llama_node v =
        kvb_llama_new(graph, values, shape->heads, graph->tokens, cut(graph, both, values, shape->heads), 0);
    kvb_llama_node qkv[4] = {0};
    qkv[0] = kvb_llama_new(graph, layer->key_size, shape->heads, graph->tokens, parts->q_nope, parts->q_rope);
    kvb_llama_node repeated =
        kvb_llama_new(graph, shape->rope_size, shape->heads, graph->tokens, parts->k_rope, parts->q_rope);
    qkv[1] = kvb_llama_new(graph, layer->key_size, shape->heads, graph->tokens, k_nope, repeated);
    qkv[2] = kvb_llama_reshape(graph, v, values * shape->heads, graph->tokens, 1);
    return kvb_llama_attend(graph, layer, qkv);
}

kvb_llama_node kvb_llama_build_latent(struct kvb_llama_graph *graph, const struct kvb_llama_layer *layer,
                                      kvb_llama_node in)
{
    struct parts parts;
    bool absorbed = layer->mixer == KVB_LLAMA_MIXER_LATENT;
    cut_all(graph, layer, in, !absorbed, &parts);
    return absorbed ? build_absorbed(graph, layer, &parts) : build_expanded(graph, layer, &parts);
}
