// Operations that every part of a graph is made of.
#include "engines/llamacpp/build.h"

#include <string.h>

#include "base/checked.h"
#include "engines/llamacpp/overrides.h"
#include "engines/llamacpp/tensors.h"

struct looked_up {
    const char *name;
    uint64_t bytes;
    enum kvb_role role;
};

static void look(void *context, const struct kvb_llama_tensor *tensor)
{
    struct looked_up *wanted = context;
    if (strcmp(tensor->name, wanted->name) == 0) {
        wanted->bytes = kvb_add(wanted->bytes, tensor->bytes);
        wanted->role = tensor->role;
    }
}

// Weights matter where they lie elsewhere than their layer, or in the host's memory.
static void read_weight(struct kvb_llama_graph *graph, kvb_llama_node node, const char *name, bool experts)
{
    const struct kvb_llama_run *run = graph->run;
    uint32_t usual = kvb_llama_place_of(run, graph->layer);
    uint32_t place = kvb_llama_tensor_place(run, graph->layer, name, experts, usual);
    if (place == usual && place != KVB_LLAMA_HOST) {
        return;
    }
    struct looked_up wanted = {.name = name};
    kvb_llama_layer_tensors(run, graph->layer, look, &wanted);
    kvb_llama_reads_weight(graph, node, wanted.bytes > 0 ? wanted.bytes : 1, (uint8_t)place);
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
    read_weight(graph, made, weight, strstr(weight, "_exps.") != NULL);
    return made;
}

kvb_llama_node kvb_llama_norm(struct kvb_llama_graph *graph, const char *weight, kvb_llama_node in)
{
    const struct kvb_llama_tensor_node *node = &graph->nodes[in];
    const uint64_t ne[3] = {node->ne[0], node->ne[1], node->ne[2]};
    enum kvb_llama_kind kind = graph->class->plain_norm ? KVB_LLAMA_OP_OTHER : KVB_LLAMA_OP_RMS_NORM;
    kvb_llama_node normed = kvb_llama_op(graph, kind, ne, in, 0);
    kvb_llama_node scaled = kvb_llama_over(graph, KVB_LLAMA_OP_MUL, normed, 0);
    read_weight(graph, scaled, weight, false);
    return scaled;
}

// Views of one tensor wait for each other where the graph is sorted: they bear the same root, which no node has.
static kvb_llama_node outside(struct kvb_llama_graph *graph, enum kvb_llama_kept kept, enum kvb_llama_kind kind,
                              kvb_llama_node of)
{
    const uint64_t ne[3] = {1, 1, 1};
    const struct kvb_llama_run *run = graph->run;
    kvb_llama_node made = kvb_llama_op(graph, kind, ne, of, 0);
    struct kvb_llama_tensor_node *node = &graph->nodes[made];
    node->flags = KVB_LLAMA_OUTSIDE;
    node->bytes = 0;
    node->root = (kvb_llama_node)(KVB_LLAMA_NODES + 4 * (graph->layer % 2) + kept);
    node->device = run->keep_cache_on_host ? KVB_LLAMA_HOST : (uint8_t)kvb_llama_place_of(run, graph->layer);
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
    graph->nodes[write].flags |= KVB_LLAMA_WRITES;
    kvb_llama_add_source(graph, write, rows);
    kvb_llama_expand(graph, write);
}

kvb_llama_node kvb_llama_take_rows(struct kvb_llama_graph *graph, kvb_llama_node in)
{
    const uint64_t ne[3] = {graph->nodes[in].ne[0], graph->output_rows, 1};
    return kvb_llama_op(graph, KVB_LLAMA_OP_GET_ROWS, ne, in, graph->chosen_rows);
}
