// Whole graphs: inputs, layers one after the other, the output; and what is left of it as buffers.
// Source: src/llama-graph.cpp and src/models/llama.cpp at ec98e2002, src/llama.cpp at b4747 (build_llama).
#include "engines/llamacpp/build.h"

#include <string.h>

#include "base/checked.h"
#include "budget/shapes.h"
#include "engines/llamacpp/tensors.h"

// ---- Inputs

static uint64_t widest_value(const struct kvb_llama_run *run)
{
    uint64_t widest = 0;
    for (uint32_t i = 0; i < run->model->layer_count; i++) {
        struct kvb_llama_layer layer;
        kvb_llama_layer_of(run, i, &layer);
        widest = kvb_max(widest, layer.cache_values);
    }
    return widest;
}

// Rows that keys and values go to: 64-bit numbers, for values that lie across one for each element.
static void add_rows(struct kvb_llama_graph *graph, uint32_t which)
{
    const struct kvb_llama_run *run = graph->run;
    uint64_t each = run->flash ? 1 : widest_value(run);
    if (kvb_llama_since(run, KVB_LLAMA_ROWS_BY_INDEX)) {
        graph->key_rows[which] = kvb_llama_input(graph, graph->tokens * 8);
        graph->value_rows[which] = kvb_llama_input(graph, kvb_mul(kvb_mul(graph->tokens, each), 8));
    }
}

static void add_mask(struct kvb_llama_graph *graph, uint32_t which)
{
    bool half = graph->run->flash && kvb_llama_since(graph->run, KVB_LLAMA_MASK_F16);
    uint64_t cells = which > 0 ? graph->cells.windowed : graph->cells.full;
    add_rows(graph, which);
    graph->mask[which] = kvb_llama_input(graph, kvb_mul(kvb_mul(cells, graph->tokens), half ? 2 : 4));
}

static bool has_windows(const struct kvb_llama_run *run)
{
    bool found = false;
    for (uint32_t i = 0; i < run->model->kind_count; i++) {
        struct kvb_llama_layer layer;
        kvb_llama_layer_of_kind(run, &run->model->kinds[i], &layer);
        found = found || layer.windowed;
    }
    return found;
}

static void add_states(struct kvb_llama_graph *graph)
{
    const uint64_t some[3] = {graph->run->sequences, 1, 1}, none[3] = {0, 1, 1}; // same: views take no memory
    kvb_llama_node rows = kvb_llama_input(graph, (uint64_t)graph->run->sequences * 4);
    graph->state_rows = kvb_llama_view(graph, KVB_LLAMA_OP_VIEW, rows, some);
    graph->no_rows = kvb_llama_view(graph, KVB_LLAMA_OP_VIEW, rows, none);
}

static bool is_quantised(enum kvb_llama_cache type)
{
    return type != KVB_LLAMA_CACHE_F16 && type != KVB_LLAMA_CACHE_F32 && type != KVB_LLAMA_CACHE_BF16;
}

// Heads of one size, a multiple of 64, in a quantised cache are rotated: keys by the largest matrix that divides them
// among 64, 128, 256, ..., values by 64. Layers with a window have a cache and matrices of their own.
// Source: src/llama-kv-cache.cpp, build_input_k_rot and build_input_v_rot.
static void add_rotation(struct kvb_llama_graph *graph, bool windowed)
{
    const struct kvb_llama_run *run = graph->run;
    uint64_t keys = 0, values = 0;
    for (uint32_t i = 0; i < run->model->layer_count; i++) {
        struct kvb_llama_layer layer;
        kvb_llama_layer_of(run, i, &layer);
        if (layer.mixer == KVB_LLAMA_MIXER_ATTENTION && layer.windowed == windowed) {
            keys = keys == 0 || keys == layer.key_size ? layer.key_size : 1;
            values = values == 0 || values == layer.value_size ? layer.value_size : 1;
        }
    }
    uint64_t size = 64;
    uint32_t which = windowed ? 1 : 0;
    while (keys > 0 && keys % (size * 2) == 0) {
        size *= 2;
    }
    if (is_quantised(run->key_type) && keys > 1 && keys % 64 == 0) {
        graph->rotated_keys[which] = size;
        graph->rotation[which][0] = kvb_llama_input(graph, size * size * 4);
    }
    if (is_quantised(run->value_type) && values > 1 && values % 64 == 0) {
        graph->rotation[which][1] = kvb_llama_input(graph, UINT64_C(64) * 64 * 4);
    }
}

// Inputs that nothing reads take no memory: they come into the order with their first reader.
static void add_inputs(struct kvb_llama_graph *graph, bool head)
{
    const struct kvb_llama_run *run = graph->run;
    uint64_t tokens = graph->tokens, hidden = run->model->hidden_size;
    const uint64_t ne[3] = {hidden, tokens, 1};
    kvb_llama_node ids = kvb_llama_input(graph, tokens * 4);
    graph->hidden = kvb_llama_op(graph, KVB_LLAMA_OP_GET_ROWS, ne, ids, 0);
    kvb_llama_reads_weight(graph, graph->hidden, 0, KVB_LLAMA_HOST);
    if (kvb_llama_since(run, KVB_LLAMA_EMBEDDING_INPUT) && !head) { // one of the two is chosen, both are made
        kvb_llama_expand(graph, graph->hidden);
        kvb_llama_expand(graph, kvb_llama_input(graph, kvb_mul(tokens * 4, hidden)));
    }
    add_states(graph);
    graph->positions = kvb_llama_input(graph, tokens * (graph->class->four_positions ? 16 : 4));
    add_mask(graph, 0);
    if (has_windows(run)) {
        add_mask(graph, 1);
    }
    if (kvb_llama_since(run, KVB_LLAMA_ROTATED)) {
        add_rotation(graph, false);
        add_rotation(graph, true);
    }
    if (!head && kvb_llama_since(run, KVB_LLAMA_CHOSEN_ROWS)) {
        graph->chosen_rows = kvb_llama_input(graph, graph->output_rows * 4);
    }
    if (!head) {
        kvb_llama_pick_slices(graph, ids);
    }
}

// ---- Layers

static bool takes_rows_last(const struct kvb_llama_graph *graph)
{
    uint32_t since = graph->class->rows_last;
    return since > 0 && graph->run->build >= since && graph->chosen_rows != 0;
}

static kvb_llama_node build_mixer(struct kvb_llama_graph *graph, const struct kvb_llama_layer *layer, kvb_llama_node in)
{
    switch (layer->mixer) {
    case KVB_LLAMA_MIXER_ATTENTION:
        return kvb_llama_build_attention(graph, layer, in);
    case KVB_LLAMA_MIXER_LATENT:
    case KVB_LLAMA_MIXER_EXPANDED:
        return kvb_llama_build_latent(graph, layer, in);
    default:
        return kvb_llama_build_state(graph, layer, in);
    }
}

static kvb_llama_node build_layer(struct kvb_llama_graph *graph, const struct kvb_llama_layer *layer, bool last)
{
    const struct kvb_llama_class *class = graph->class;
    kvb_llama_node residual = graph->hidden;
    kvb_llama_node current;
    if (graph->layer == 0 && class->scales_input) {
        graph->scaled_slices = graph->picked != 0 ? kvb_llama_scale_slices(graph) : 0;
        residual = kvb_llama_over(graph, KVB_LLAMA_OP_SCALE, residual, 0);
        graph->scaled_input = residual;
    }
    kvb_llama_node normed = 0;
    if (layer->mixer == KVB_LLAMA_MIXER_NONE) {
        current = residual;
    } else {
        normed = kvb_llama_norm(graph, "attn_norm.weight", residual);
        current = build_mixer(graph, layer, normed);
    }
    if (last) {
        current = kvb_llama_take_rows(graph, current);
        residual = layer->mixer == KVB_LLAMA_MIXER_NONE ? current : kvb_llama_take_rows(graph, residual);
        normed = class->parallel ? kvb_llama_take_rows(graph, normed) : normed;
    }
    if (class->parallel) { // both read the same norm, all is added at the end
        kvb_llama_node mlp = kvb_llama_build_mlp(graph, layer, normed);
        mlp = kvb_llama_over(graph, KVB_LLAMA_OP_ADD, mlp, residual);
        return kvb_llama_over(graph, KVB_LLAMA_OP_ADD, mlp, current);
    }
    if (layer->mixer != KVB_LLAMA_MIXER_NONE) {
        current = class->norms_after ? kvb_llama_norm(graph, "post_attention_norm.weight", current) : current;
        residual = kvb_llama_over(graph, KVB_LLAMA_OP_ADD, current, residual);
    }
    if (layer->mlp->kind == KVB_MLP_NONE) {
        return residual;
    }
    kvb_llama_node mlp = kvb_llama_build_mlp(graph, layer, kvb_llama_norm(graph, "ffn_norm.weight", residual));
    mlp = class->norms_after ? kvb_llama_norm(graph, "post_ffw_norm.weight", mlp) : mlp;
    mlp = class->residual_first ? kvb_llama_over(graph, KVB_LLAMA_OP_ADD, residual, mlp)
                                : kvb_llama_over(graph, KVB_LLAMA_OP_ADD, mlp, residual);
    return class->layer_factor ? kvb_llama_add_slice(graph, mlp, last) : mlp;
}

static void build_output(struct kvb_llama_graph *graph)
{
    const struct kvb_model *model = graph->run->model;
    bool tied = model->tied_embeddings;
    kvb_llama_layer_begin(graph, model->layer_count);
    kvb_llama_node normed = kvb_llama_norm(graph, "output_norm.weight", graph->hidden);
    if (takes_rows_last(graph)) { // all rows stay for a draft to read (llm_graph_result, t_h_nextn)
        graph->nodes[normed].flags |= KVB_LLAMA_STAYS;
        normed = kvb_llama_take_rows(graph, normed);
    }
    kvb_llama_node logits = kvb_llama_matmul(graph, tied ? "token_embd.weight" : "output.weight",
                                             model->vocabulary_size, graph->output_rows, normed);
    if (graph->class->caps_logits) {
        logits = kvb_llama_over(graph, KVB_LLAMA_OP_SCALE, logits, 0);
    }
    kvb_llama_layer_end(graph, logits);
}

static uint64_t rows_of_output(const struct kvb_llama_run *run, uint64_t tokens)
{
    if (run->output_rows > 0) {
        return kvb_min(run->output_rows, tokens);
    }
    bool few = run->server && kvb_llama_since(run, KVB_LLAMA_FEW_OUTPUTS);
    return few ? kvb_min(run->sequences, tokens) : tokens;
}

static void take_heaps(const struct kvb_llama_graph *graph, struct kvb_llama_buffers *out)
{
    for (uint32_t i = 0; i < KVB_LLAMA_PLACES; i++) {
        out->places[i].compute_bytes = kvb_add(graph->heaps[i].highest, graph->heaps[i].pinned);
    }
    out->compute_bounded = graph->unknown || graph->rough || graph->class->outlined;
    out->mask_bytes = kvb_mul(kvb_mul(graph->cells.full, graph->tokens), 4);
}

void kvb_llama_compute_buffers(const struct kvb_llama_run *run, struct kvb_llama_buffers *out)
{
    struct kvb_llama_graph graph;
    out->compute_bounded = true;
    if (!kvb_llama_graph_begin(&graph, run, run->model->layer_count)) {
        return;
    }
    graph.output_rows = rows_of_output(run, graph.tokens);
    add_inputs(&graph, false);
    for (uint32_t i = 0; i < run->model->layer_count && !graph.unknown; i++) {
        struct kvb_llama_layer layer;
        kvb_llama_layer_of(run, i, &layer);
        kvb_llama_layer_begin(&graph, i);
        kvb_llama_layer_end(&graph,
                            build_layer(&graph, &layer, i + 1 == run->model->layer_count && !takes_rows_last(&graph)));
    }
    build_output(&graph);
    kvb_llama_graph_run(&graph);
    take_heaps(&graph, out);
    kvb_llama_graph_end(&graph);
}

// One layer over the hidden state of the model and the embedding of the token drafted before, and the output.
static kvb_llama_node join_inputs(struct kvb_llama_graph *graph)
{
    uint64_t hidden = graph->run->model->hidden_size, tokens = graph->tokens;
    kvb_llama_node state = kvb_llama_input(graph, kvb_mul(tokens * 4, hidden));
    graph->nodes[state].ne[0] = (uint32_t)hidden;
    graph->nodes[state].ne[1] = (uint32_t)tokens;
    graph->nodes[state].ne[2] = 1;
    kvb_llama_node second = kvb_llama_norm(graph, "nextn.hnorm.weight", state);
    kvb_llama_node first = kvb_llama_norm(graph, "nextn.enorm.weight", graph->hidden);
    kvb_llama_node both = kvb_llama_new(graph, 2 * hidden, tokens, 1, first, second);
    return kvb_llama_matmul(graph, "nextn.eh_proj.weight", hidden, tokens, both);
}

void kvb_llama_head_buffers(const struct kvb_llama_run *run, struct kvb_llama_buffers *out)
{
    struct kvb_llama_graph graph;
    struct kvb_llama_layer layer;
    const struct kvb_model *model = run->model;
    memset(out, 0, sizeof *out);
    kvb_llama_head_cache(run, out);
    out->compute_bounded = true; // logs of few starts
    if (!kvb_llama_graph_begin(&graph, run, 1)) {
        return;
    }
    graph.output_rows = rows_of_output(run, graph.tokens);
    add_inputs(&graph, true);
    kvb_llama_layer_begin(&graph, model->layer_count); // it lies where the output does
    kvb_llama_layer_end(&graph, join_inputs(&graph));
    kvb_llama_layer_of_kind(run, &model->kinds[model->mtp_kind], &layer);
    kvb_llama_layer_end(&graph, build_layer(&graph, &layer, false));
    build_output(&graph);
    kvb_llama_graph_run(&graph);
    take_heaps(&graph, out);
    kvb_llama_graph_end(&graph);
    out->compute_bounded = true;
}
