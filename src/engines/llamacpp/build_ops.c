// Operations that every part of a graph is made of.
#include "engines/llamacpp/build.h"

#include <string.h>

#include "base/checked.h"
#include "engines/llamacpp/overrides.h"
#include "engines/llamacpp/tensors.h"

#define NAMES_MOST 6
#define UNLISTED_BYTES 1U // a matrix that no list names is one block, whatever its size

struct looked_up {
    const char *names[NAMES_MOST]; // of a matrix in a file, and of its parts where a config has them apart
    uint64_t bytes;
};

static void look(struct looked_up *wanted, const char *name, uint64_t bytes)
{
    for (uint32_t i = 0; i < NAMES_MOST; i++) {
        if (wanted->names[i] != NULL && strcmp(name, wanted->names[i]) == 0) {
            wanted->bytes = kvb_add(wanted->bytes, bytes);
        }
    }
}

static void look_at(void *context, const struct kvb_llama_tensor *tensor)
{
    look(context, tensor->name, tensor->bytes);
}

static void list(void *context, const struct kvb_llama_tensor *tensor)
{
    struct kvb_llama_weights *weights = context;
    if (weights->count < KVB_LLAMA_WEIGHTS) {
        weights->of[weights->count] = (struct kvb_llama_weight){tensor->name, tensor->bytes};
    }
    weights->count++;
}

// The tensors of the layer that is built, listed when the first of them is asked for.
static void look_up(struct kvb_llama_graph *graph, struct looked_up *wanted)
{
    struct kvb_llama_weights *weights = &graph->weights;
    if (weights->layer != graph->layer || weights->count == 0) {
        weights->layer = graph->layer;
        weights->count = 0;
        kvb_llama_layer_tensors(graph->run, graph->layer, list, weights);
    }
    if (weights->count > KVB_LLAMA_WEIGHTS) { // a file with more of them
        kvb_llama_layer_tensors(graph->run, graph->layer, look_at, wanted);
        return;
    }
    for (uint32_t i = 0; i < weights->count; i++) {
        look(wanted, weights->of[i].name, weights->of[i].bytes);
    }
}

static uint64_t weight_bytes(struct kvb_llama_graph *graph, const char *name)
{
    struct looked_up wanted = {.names = {name}};
    if (graph->class->fused_qkv && strcmp(name, "attn_qkv.weight") == 0) {
        wanted = (struct looked_up){.names = {name, "attn_q.weight", "attn_k.weight", "attn_v.weight"}};
    } else if (graph->class->fused_gate_up && strcmp(name, "ffn_up.weight") == 0) {
        wanted.names[1] = "ffn_gate.weight";
    } else if (strcmp(name, "ssm_ba.weight") == 0) {
        wanted = (struct looked_up){.names = {name, "ssm_beta.weight", "ssm_alpha.weight"}};
    } else if (strcmp(name, "ssm_in.weight") == 0) { // Mamba 2: gate, channels and rates
        wanted = (struct looked_up){.names = {name, "in_z", "in_x", "in_b", "in_c", "in_dt"}};
    }
    look_up(graph, &wanted);
    return kvb_max(wanted.bytes, UNLISTED_BYTES);
}

// Of a matrix the bytes matter where it lies elsewhere than its layer, or in the host's memory.
static void read_matrix(struct kvb_llama_graph *graph, kvb_llama_node node, const char *name)
{
    uint32_t usual = graph->layer_place;
    uint32_t place = kvb_llama_tensor_place(graph->run, graph->layer, name, strstr(name, "_exps.") != NULL, usual);
    bool elsewhere = place != usual || place == KVB_LLAMA_HOST;
    kvb_llama_reads_weight(graph, node, elsewhere ? weight_bytes(graph, name) : 0, (uint8_t)place);
}

kvb_llama_node kvb_llama_new(struct kvb_llama_graph *graph, uint64_t a, uint64_t b, uint64_t c, kvb_llama_node in,
                             kvb_llama_node other)
{
    const uint64_t ne[3] = {a, b, c};
    return kvb_llama_op(graph, KVB_LLAMA_OP_OTHER, ne, in, other);
}

kvb_llama_node kvb_llama_over(struct kvb_llama_graph *graph, enum kvb_llama_kind kind, kvb_llama_node in,
                              kvb_llama_node other)
{
    const struct kvb_llama_tensor_node *node = &graph->nodes[in];
    const uint64_t ne[3] = {node->ne[0], node->ne[1], node->ne[2]};
    return kvb_llama_op(graph, kind, ne, in, other);
}

kvb_llama_node kvb_llama_with(struct kvb_llama_graph *graph, enum kvb_llama_kind kind, kvb_llama_node in)
{
    kvb_llama_node made = kvb_llama_over(graph, kind, in, 0);
    uint64_t bytes = (uint64_t)graph->nodes[made].ne[0] * 4;
    kvb_llama_reads_weight(graph, made, bytes, graph->layer_place);
    return made;
}

kvb_llama_node kvb_llama_expert_bias(struct kvb_llama_graph *graph, const char *name, uint32_t experts,
                                     kvb_llama_node in, kvb_llama_node chosen)
{
    const struct kvb_llama_run *run = graph->run;
    kvb_llama_node made = kvb_llama_over(graph, KVB_LLAMA_OP_ADD_ID, in, 0);
    uint64_t bytes = kvb_mul((uint64_t)graph->nodes[made].ne[0] * 4, experts);
    uint32_t usual = graph->layer_place;
    uint32_t place = kvb_llama_tensor_place(run, graph->layer, name, true, usual);
    kvb_llama_reads_weight(graph, made, bytes, (uint8_t)place);
    kvb_llama_add_source(graph, made, chosen);
    return made;
}

kvb_llama_node kvb_llama_reshape(struct kvb_llama_graph *graph, kvb_llama_node in, uint64_t a, uint64_t b, uint64_t c)
{
    const uint64_t ne[3] = {a, b, c};
    return kvb_llama_view(graph, KVB_LLAMA_OP_RESHAPE, in, ne);
}

kvb_llama_node kvb_llama_matmul(struct kvb_llama_graph *graph, const char *weight, uint64_t rows, uint64_t tokens,
                                kvb_llama_node in)
{
    const uint64_t ne[3] = {rows, tokens, 1};
    kvb_llama_node made = kvb_llama_op(graph, KVB_LLAMA_OP_MUL_MAT, ne, in, 0);
    read_matrix(graph, made, weight);
    return made;
}

kvb_llama_node kvb_llama_norm(struct kvb_llama_graph *graph, const char *weight, kvb_llama_node in)
{
    const struct kvb_llama_tensor_node *node = &graph->nodes[in];
    const uint64_t ne[3] = {node->ne[0], node->ne[1], node->ne[2]};
    enum kvb_llama_kind kind = graph->class->plain_norm ? KVB_LLAMA_OP_OTHER : KVB_LLAMA_OP_RMS_NORM;
    const struct kvb_llama_run *run = graph->run;
    kvb_llama_node normed = kvb_llama_op(graph, kind, ne, in, 0);
    if (run->gpu_layers > run->model->layer_count && graph->layer < run->model->layer_count) {
        // with all layers on GPUs it is told to run where its layer lies (src/llama-context.cpp, graph_get_cb)
        graph->nodes[normed].device = graph->layer_place;
    }
    kvb_llama_node scaled = kvb_llama_over(graph, KVB_LLAMA_OP_MUL, normed, 0);
    uint32_t place = kvb_llama_tensor_place(run, graph->layer, weight, false, graph->layer_place);
    kvb_llama_reads_weight(graph, scaled, (uint64_t)ne[0] * 4, (uint8_t)place);
    return scaled;
}

// Views of one tensor wait for each other where the graph is sorted: they bear the same root, which no node has.
static kvb_llama_node outside(struct kvb_llama_graph *graph, enum kvb_llama_kept kept, enum kvb_llama_kind kind,
                              kvb_llama_node of)
{
    const uint64_t ne[3] = {1, 1, 1}; // same: it takes no memory here, and nothing is made like it
    const struct kvb_llama_run *run = graph->run;
    kvb_llama_node made = kvb_llama_op(graph, kind, ne, of, 0);
    struct kvb_llama_tensor_node *node = &graph->nodes[made];
    if (graph->unknown) { // that is the last node again, which may be another's
        return made;
    }
    node->flags = KVB_LLAMA_OUTSIDE;
    node->bytes = 0;
    node->root = (kvb_llama_node)(UINT16_MAX - (4 * (graph->layer % KVB_LAYERS_MAX) + kept));
    node->device = run->keep_cache_on_host ? KVB_LLAMA_HOST : graph->layer_place;
    return made;
}

kvb_llama_node kvb_llama_kept_view(struct kvb_llama_graph *graph, enum kvb_llama_kept kept, enum kvb_llama_kind kind,
                                   kvb_llama_node of, uint64_t bytes)
{
    kvb_llama_node made = outside(graph, kept, kind, of);
    graph->nodes[made].flags |= KVB_LLAMA_STRIDED;
    graph->nodes[made].bytes = bytes;
    return made;
}

void kvb_llama_write(struct kvb_llama_graph *graph, enum kvb_llama_kept kept, enum kvb_llama_kind kind,
                     kvb_llama_node from, kvb_llama_node rows)
{
    kvb_llama_node write = outside(graph, kept, kind, from);
    kvb_llama_add_source(graph, write, rows);
    kvb_llama_expand(graph, write);
}

kvb_llama_node kvb_llama_take_rows(struct kvb_llama_graph *graph, kvb_llama_node in)
{
    const uint64_t ne[3] = {graph->nodes[in].ne[0], graph->output_rows, 1};
    return kvb_llama_op(graph, KVB_LLAMA_OP_GET_ROWS, ne, in, graph->chosen_rows);
}
