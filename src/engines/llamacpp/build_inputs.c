// Gemma 4's second embedding: one slice for each layer, made in the first and read behind each layer's MLP.
// Source: src/models/gemma4-iswa.cpp, build_inp_per_layer and project_per_layer_inputs, at b9010.
#include "engines/llamacpp/build.h"

#include <string.h>

#include "base/checked.h"

uint64_t kvb_llama_slice_of(const struct kvb_model *model)
{
    uint64_t slice = 0;
    for (uint32_t i = 0; i < model->extra_count; i++) {
        slice = strcmp(model->extras[i].name, "per_layer_projection_norm") == 0 ? model->extras[i].rows : slice;
    }
    return slice;
}

// What the host looks up for the tokens.
void kvb_llama_pick_slices(struct kvb_llama_graph *graph, kvb_llama_node ids)
{
    const struct kvb_model *model = graph->run->model;
    uint64_t slice = kvb_llama_slice_of(model);
    if (slice > 0) {
        const uint64_t ne[3] = {slice * model->layer_count, graph->tokens, 1};
        kvb_llama_node rows = kvb_llama_op(graph, KVB_LLAMA_OP_GET_ROWS, ne, ids, 0);
        kvb_llama_reads_weight(graph, rows, 0, KVB_LLAMA_HOST);
        graph->picked = kvb_llama_reshape(graph, rows, slice, model->layer_count, graph->tokens);
    }
}

kvb_llama_node kvb_llama_scale_slices(struct kvb_llama_graph *graph)
{
    kvb_llama_node scaled = kvb_llama_over(graph, KVB_LLAMA_OP_SCALE, graph->picked, 0);
    kvb_llama_expand(graph, scaled);
    return scaled;
}

// All slices, each lying together.
static void make_slices(struct kvb_llama_graph *graph)
{
    const struct kvb_model *model = graph->run->model;
    uint64_t slice = kvb_llama_slice_of(model), layers = model->layer_count, tokens = graph->tokens;
    const uint64_t ne[3] = {slice, layers, tokens}, turned[3] = {slice, tokens, layers};
    kvb_llama_node all = kvb_llama_new(graph, slice * layers, tokens, 1, graph->scaled_input, 0);
    uint8_t place = (uint8_t)kvb_llama_place_of(graph->run, 0); // a layer's weight of no layer lies with the first
    graph->nodes[all].kind = KVB_LLAMA_OP_MUL_MAT;
    kvb_llama_reads_weight(graph, all, kvb_mul(kvb_mul(slice, layers), (uint64_t)model->hidden_size * 2), place);
    all = kvb_llama_reshape(graph, kvb_llama_over(graph, KVB_LLAMA_OP_SCALE, all, 0), ne[0], ne[1], ne[2]);
    all = kvb_llama_over(graph, KVB_LLAMA_OP_RMS_NORM, all, 0);
    all = kvb_llama_over(graph, KVB_LLAMA_OP_MUL, all, 0);
    kvb_llama_reads_weight(graph, all, slice * 4, place);
    all = kvb_llama_over(graph, KVB_LLAMA_OP_ADD, all, graph->scaled_slices);
    all = kvb_llama_over(graph, KVB_LLAMA_OP_SCALE, all, 0);
    all = kvb_llama_view(graph, KVB_LLAMA_OP_PERMUTE, all, turned);
    graph->layer_inputs = kvb_llama_new(graph, slice, tokens, layers, all, 0);
}

// What is added behind a layer's MLP, and the layer's own factor.
kvb_llama_node kvb_llama_add_slice(struct kvb_llama_graph *graph, kvb_llama_node in, bool last)
{
    const struct kvb_model *model = graph->run->model;
    uint64_t slice = kvb_llama_slice_of(model);
    if (slice > 0) {
        kvb_llama_node gate = kvb_llama_matmul(graph, "inp_gate.weight", slice, graph->nodes[in].ne[1], in);
        const uint64_t ne[3] = {slice, graph->tokens, 1};
        gate = kvb_llama_over(graph, KVB_LLAMA_OP_UNARY, gate, 0);
        if (graph->layer_inputs == 0) {
            make_slices(graph);
        }
        kvb_llama_node own = kvb_llama_view(graph, KVB_LLAMA_OP_VIEW, graph->layer_inputs, ne);
        own = last ? kvb_llama_take_rows(graph, own) : own;
        kvb_llama_node product = kvb_llama_over(graph, KVB_LLAMA_OP_MUL, gate, own);
        product = kvb_llama_matmul(graph, "proj.weight", model->hidden_size, graph->nodes[in].ne[1], product);
        product = kvb_llama_norm(graph, "post_norm.weight", product);
        in = kvb_llama_over(graph, KVB_LLAMA_OP_ADD, in, product);
    }
    return kvb_llama_with(graph, KVB_LLAMA_OP_MUL, in);
}
