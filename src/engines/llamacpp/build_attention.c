// Attention: projections, cache, flash attention or the three steps without it; and MLA in both its forms.
// Source: src/llama-graph.cpp (build_attn, build_attn_mha), src/models/deepseek2.cpp at ec98e2002;
// src/llama.cpp (llm_build_kv_store, llm_build_kqv, build_deepseek2) at b4747.
#include "engines/llamacpp/build.h"

#include "base/checked.h"

#define KEYS_EXPANDED_LAST 7010 // build_attn expands q, v, k; before, and with windows, q, k, v
#define ROTATED_VALUES 64
#define SINKS_BIND_NOT 10149       // sinks say no more where flash attention runs
#define KVB_LLAMA_VIEWS_SINCE 5600 // fused projections are read through views; before they are cut into copies

static uint64_t cells_of(const struct kvb_llama_graph *graph, const struct kvb_llama_layer *layer)
{
    return layer->windowed ? graph->cells.windowed : graph->cells.full;
}

// What lies in the cache: read through views, which no buffer here pays for unless it is copied to another device.
static kvb_llama_node cache_view(struct kvb_llama_graph *graph, enum kvb_llama_kept kept, uint64_t bytes)
{
    kvb_llama_node view = kvb_llama_kept_view(graph, kept, KVB_LLAMA_OP_VIEW, 0, bytes);
    return kvb_llama_kept_view(graph, kept, KVB_LLAMA_OP_PERMUTE, view, bytes);
}

static void write_cache(struct kvb_llama_graph *graph, enum kvb_llama_kept kept, kvb_llama_node values,
                        kvb_llama_node rows)
{
    const struct kvb_llama_tensor_node *node = &graph->nodes[values];
    uint64_t all = (uint64_t)node->ne[0] * node->ne[1] * node->ne[2];
    const uint64_t flat[3] = {all / graph->tokens, graph->tokens, 1};
    kvb_llama_node view = kvb_llama_view(graph, KVB_LLAMA_OP_VIEW, values, flat);
    kvb_llama_expand(graph, view);
    if (graph->cells.streams > 1) {
        kvb_llama_expand(graph, kvb_llama_kept_view(graph, kept, KVB_LLAMA_OP_RESHAPE, 0, 0));
    }
    kvb_llama_write(graph, kept, KVB_LLAMA_OP_SET_ROWS, view, rows);
}

// The mask as attention reads it: cast once, by the first layer that does.
static kvb_llama_node mask_of(struct kvb_llama_graph *graph, bool windowed)
{
    uint32_t which = windowed ? 1 : 0;
    if (!kvb_llama_casts_mask(graph->run)) {
        return graph->mask[which];
    }
    if (graph->cast[which] == 0) {
        kvb_llama_node cast = kvb_llama_new(graph, 1, 1, 1, graph->mask[which], 0);
        graph->nodes[cast].bytes = graph->nodes[graph->mask[which]].bytes / 2;
        graph->cast[which] = cast;
    }
    return graph->cast[which];
}

static void read_sinks(struct kvb_llama_graph *graph, const struct kvb_llama_layer *layer, kvb_llama_node node)
{
    kvb_llama_reads_weight(graph, node, (uint64_t)layer->heads * 4, graph->layer_place);
}

static kvb_llama_node attend_at_once(struct kvb_llama_graph *graph, const struct kvb_llama_layer *layer,
                                     kvb_llama_node q, const kvb_llama_node cached[2])
{
    const uint64_t ne[3] = {layer->value_size, layer->heads, graph->tokens};
    kvb_llama_node flash = kvb_llama_op(graph, KVB_LLAMA_OP_OTHER, ne, q, cached[0]);
    kvb_llama_add_source(graph, flash, cached[1]);
    kvb_llama_add_source(graph, flash, mask_of(graph, layer->windowed));
    if (layer->attention->sinks && graph->run->build < SINKS_BIND_NOT) {
        read_sinks(graph, layer, flash);
    }
    if (layer->mixer == KVB_LLAMA_MIXER_LATENT) { // back to full heads
        uint64_t values = layer->attention->value_head_size;
        kvb_llama_node turned = kvb_llama_view(graph, KVB_LLAMA_OP_PERMUTE, flash, ne);
        kvb_llama_node full = kvb_llama_matmul(graph, "attn_v_b.weight", values, graph->tokens * layer->heads, turned);
        kvb_llama_node whole = kvb_llama_new(graph, values * layer->heads, graph->tokens, 1, full, 0);
        return whole;
    }
    return kvb_llama_reshape(graph, flash, (uint64_t)layer->value_size * layer->heads, graph->tokens, 1);
}

static kvb_llama_node attend_in_steps(struct kvb_llama_graph *graph, const struct kvb_llama_layer *layer,
                                      kvb_llama_node q, const kvb_llama_node cached[2])
{
    uint64_t cells = cells_of(graph, layer);
    const uint64_t scores_ne[3] = {cells, graph->tokens, layer->heads};
    const uint64_t mixed_ne[3] = {layer->value_size, graph->tokens, layer->heads};
    kvb_llama_node scores = kvb_llama_op(graph, KVB_LLAMA_OP_MUL_MAT, scores_ne, cached[0], q);
    kvb_llama_node soft = kvb_llama_over(graph, KVB_LLAMA_OP_SOFT_MAX, scores, mask_of(graph, layer->windowed));
    kvb_llama_node mixed = kvb_llama_op(graph, KVB_LLAMA_OP_MUL_MAT, mixed_ne, cached[1], soft);
    if (layer->attention->sinks) {
        read_sinks(graph, layer, soft);
    }
    uint64_t values = layer->value_size;
    if (layer->mixer == KVB_LLAMA_MIXER_LATENT) {
        values = layer->attention->value_head_size;
        mixed = kvb_llama_matmul(graph, "attn_v_b.weight", values, graph->tokens * layer->heads, mixed);
    }
    const uint64_t turned_ne[3] = {values, layer->heads, graph->tokens};
    kvb_llama_node turned = kvb_llama_view(graph, KVB_LLAMA_OP_PERMUTE, mixed, turned_ne);
    kvb_llama_node whole = kvb_llama_new(graph, values * layer->heads, graph->tokens, 1, turned, 0);
    if (graph->run->keep_cache_on_host) { // all between the cache and the output projection
        graph->nodes[whole].device = KVB_LLAMA_HOST;
    }
    return whole;
}

// A product with a small matrix: as large as what goes in.
static kvb_llama_node rotated(struct kvb_llama_graph *graph, kvb_llama_node in, kvb_llama_node rotation, uint64_t size)
{
    const struct kvb_llama_tensor_node whole = graph->nodes[in];
    const uint64_t ne[3] = {size, whole.bytes / 4 / size, 1};
    kvb_llama_node rows = kvb_llama_reshape(graph, in, ne[0], ne[1], 1);
    rows = kvb_llama_op(graph, KVB_LLAMA_OP_MUL_MAT, ne, rotation, rows);
    return kvb_llama_reshape(graph, rows, whole.ne[0], whole.ne[1], whole.ne[2]);
}

// Keys and values of the step into the layer's cache.
static void fill_cache(struct kvb_llama_graph *graph, const struct kvb_llama_layer *layer, const kvb_llama_node qkv[4])
{
    uint32_t cache = layer->windowed ? 1 : 0;
    bool windows = graph->mask[1] != 0;
    bool keys_last = graph->run->build >= KEYS_EXPANDED_LAST && !windows;
    if (layer->cache_keys > 0) { // else an earlier layer's cache is read and nothing made here
        if (!keys_last) {        // else when they are written
            kvb_llama_expand(graph, qkv[1]);
        }
        kvb_llama_expand(graph, qkv[2]);
        write_cache(graph, KVB_LLAMA_KEPT_KEYS, qkv[1], graph->key_rows[cache]);
    }
    if (layer->cache_values > 0) {
        write_cache(graph, KVB_LLAMA_KEPT_VALUES, qkv[2], graph->value_rows[cache]);
    }
}

static kvb_llama_node gated(struct kvb_llama_graph *graph, kvb_llama_node out, kvb_llama_node by)
{
    const struct kvb_llama_tensor_node *whole = &graph->nodes[out];
    uint64_t width = whole->ne[0], tokens = whole->ne[1];
    kvb_llama_node gate = kvb_llama_over(graph, KVB_LLAMA_OP_UNARY, by, 0);
    gate = graph->class->one_rate ? kvb_llama_reshape(graph, gate, width, tokens, 1) : gate;
    return kvb_llama_over(graph, KVB_LLAMA_OP_MUL, out, gate);
}

kvb_llama_node kvb_llama_attend(struct kvb_llama_graph *graph, const struct kvb_llama_layer *layer,
                                const kvb_llama_node given[4])
{
    kvb_llama_node qkv[4] = {given[0], given[1], given[2], given[3]};
    bool turns = layer->mixer == KVB_LLAMA_MIXER_ATTENTION;
    uint32_t cache = layer->windowed ? 1 : 0;
    for (uint32_t i = 0; i < 3 && turns; i++) {
        kvb_llama_node rotation = graph->rotation[cache][i == 2 ? 1 : 0];
        uint64_t size = i == 2 ? ROTATED_VALUES : graph->rotated_keys[cache];
        qkv[i] = rotation != 0 ? rotated(graph, qkv[i], rotation, size) : qkv[i];
    }
    const struct kvb_llama_run *run = graph->run;
    uint64_t cells = kvb_mul(cells_of(graph, layer), graph->cells.streams);
    uint64_t keys = (uint64_t)layer->kv_heads * layer->key_size, values = (uint64_t)layer->kv_heads * layer->value_size;
    kvb_llama_expand(graph, qkv[0]);
    fill_cache(graph, layer, qkv);
    const uint64_t lying[3] = {layer->key_size, layer->heads, graph->tokens};
    const uint64_t ne[3] = {layer->key_size, graph->tokens, layer->heads};
    kvb_llama_node q = kvb_llama_view(graph, KVB_LLAMA_OP_VIEW, qkv[0], lying);
    q = kvb_llama_view(graph, KVB_LLAMA_OP_PERMUTE, q, ne);
    uint64_t key_bytes = kvb_llama_cache_bytes(run->key_type, kvb_mul(cells, keys));
    uint64_t value_bytes = kvb_llama_cache_bytes(run->value_type, kvb_mul(cells, values));
    kvb_llama_node cached[2] = {cache_view(graph, KVB_LLAMA_KEPT_KEYS, key_bytes),
                                cache_view(graph, KVB_LLAMA_KEPT_VALUES, value_bytes)};
    kvb_llama_node out =
        run->flash ? attend_at_once(graph, layer, q, cached) : attend_in_steps(graph, layer, q, cached);
    if (turns && graph->rotation[cache][1] != 0) {
        out = rotated(graph, out, graph->rotation[cache][1], ROTATED_VALUES);
    }
    kvb_llama_expand(graph, out);
    out = qkv[3] != 0 ? gated(graph, out, qkv[3]) : out;
    out = kvb_llama_matmul(graph, "attn_output.weight", run->model->hidden_size, graph->tokens, out);
    return layer->attention->output_bias ? kvb_llama_with(graph, KVB_LLAMA_OP_ADD, out) : out;
}

static kvb_llama_node rotate(struct kvb_llama_graph *graph, kvb_llama_node in, uint64_t size, uint64_t heads)
{
    kvb_llama_node shaped = kvb_llama_reshape(graph, in, size, heads, graph->tokens);
    return kvb_llama_over(graph, KVB_LLAMA_OP_ROPE, shaped, graph->positions);
}

static void take_fused(struct kvb_llama_graph *graph, const struct kvb_llama_layer *layer, kvb_llama_node in,
                       kvb_llama_node qkv[4])
{
    uint64_t q = (uint64_t)layer->heads * layer->key_size;
    uint64_t k = (uint64_t)layer->kv_heads * layer->key_size, v = (uint64_t)layer->kv_heads * layer->value_size;
    kvb_llama_node all = kvb_llama_matmul(graph, "attn_qkv.weight", q + k + v, graph->tokens, in);
    const uint64_t sizes[3] = {q, k, v};
    for (uint32_t i = 0; i < 3; i++) {
        const uint64_t ne[3] = {i == 2 ? layer->value_size : layer->key_size, i == 0 ? layer->heads : layer->kv_heads,
                                graph->tokens};
        bool cut = graph->run->build < KVB_LLAMA_VIEWS_SINCE; // then made whole again
        kvb_llama_node part = kvb_llama_view(graph, KVB_LLAMA_OP_VIEW, all, ne);
        if (cut) {
            part = kvb_llama_new(graph, sizes[i], graph->tokens, 1, part, 0);
        }
        qkv[i] = i == 2 ? part
                 : cut  ? rotate(graph, part, ne[0], ne[1])
                        : kvb_llama_op(graph, KVB_LLAMA_OP_ROPE, ne, part, graph->positions);
    }
}

// Queries and their gate are one matrix.
static void take_gated_queries(struct kvb_llama_graph *graph, const struct kvb_llama_layer *layer, kvb_llama_node in,
                               kvb_llama_node qkv[4])
{
    uint64_t size = layer->key_size, heads = layer->heads;
    kvb_llama_node both = kvb_llama_matmul(graph, "attn_q.weight", 2 * size * heads, graph->tokens, in);
    const uint64_t ne[3] = {size, heads, graph->tokens};
    if (graph->class->one_rate) {
        both = kvb_llama_reshape(graph, both, 2 * size, heads, graph->tokens);
    }
    qkv[0] = kvb_llama_view(graph, KVB_LLAMA_OP_VIEW, both, ne); // read by its norm, as it lies
    kvb_llama_node part = kvb_llama_view(graph, KVB_LLAMA_OP_VIEW, both, ne);
    qkv[3] = kvb_llama_new(graph, size * heads, graph->tokens, 1, part, 0);
}

kvb_llama_node kvb_llama_build_attention(struct kvb_llama_graph *graph, const struct kvb_llama_layer *layer,
                                         kvb_llama_node in)
{
    const struct kvb_attention_shape *shape = layer->attention;
    kvb_llama_node qkv[4] = {0};
    static const char *const names[3] = {"attn_q.weight", "attn_k.weight", "attn_v.weight"};
    if (graph->class->fused_qkv) {
        take_fused(graph, layer, in, qkv);
        return kvb_llama_attend(graph, layer, qkv);
    }
    const uint64_t heads[3] = {layer->heads, layer->kv_heads, layer->kv_heads};
    for (uint32_t i = 0; i < 3; i++) {
        uint64_t size = i == 2 ? layer->value_size : layer->key_size;
        if (i == 0 && shape->gated_output) {
            take_gated_queries(graph, layer, in, qkv);
        } else {
            qkv[i] = kvb_llama_matmul(graph, names[i], size * heads[i], graph->tokens, in);
        }
        if (shape->query_key_value_bias) {
            qkv[i] = kvb_llama_with(graph, KVB_LLAMA_OP_ADD, qkv[i]);
        }
    }
    for (uint32_t i = 0; i < 3; i++) {
        uint64_t size = i == 2 ? layer->value_size : layer->key_size;
        bool lies = i == 0 && shape->gated_output;
        qkv[i] = lies ? qkv[i] : kvb_llama_reshape(graph, qkv[i], size, heads[i], graph->tokens);
        if (i < 2 && shape->qk_norm != KVB_QK_NORM_NONE) {
            qkv[i] = kvb_llama_norm(graph, i == 0 ? "attn_q_norm.weight" : "attn_k_norm.weight", qkv[i]);
        }
        if (i == 2 && graph->class->layer_factor) {
            qkv[i] = kvb_llama_over(graph, KVB_LLAMA_OP_RMS_NORM, qkv[i], 0);
        }
        if (i < 2) {
            qkv[i] = kvb_llama_over(graph, KVB_LLAMA_OP_ROPE, qkv[i], graph->positions);
        }
    }
    if (graph->class->scales_query) {
        qkv[0] = kvb_llama_over(graph, KVB_LLAMA_OP_SCALE, qkv[0], 0);
    }
    return kvb_llama_attend(graph, layer, qkv);
}
