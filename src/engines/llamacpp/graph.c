// The nodes of a graph, in the order in which they are built.
#include "engines/llamacpp/graph.h"

#include <string.h>

#include "base/checked.h"
#include "base/memory.h"
#include "engines/llamacpp/allocate.h"

#define NODES_MAX 63000U // numbers above are roots of what lies in the cache (build_ops.c)
#define LAYER_NODES 160U // beside those of each expert that is used
#define EXPERT_NODES 2U
#define STATE_NODES 3U // of each copy of a state

// ---- Nodes

static kvb_llama_node make(struct kvb_llama_graph *graph, const struct kvb_llama_tensor_node *node)
{
    if (graph->count >= graph->capacity) {
        graph->unknown = true;
        return (kvb_llama_node)(graph->count - 1);
    }
    graph->nodes[graph->count] = *node;
    return (kvb_llama_node)graph->count++;
}

kvb_llama_node kvb_llama_op(struct kvb_llama_graph *graph, enum kvb_llama_kind kind, const uint64_t ne[3],
                            kvb_llama_node a, kvb_llama_node b)
{
    struct kvb_llama_tensor_node node = {.kind = (uint8_t)kind,
                                         .bytes = kvb_mul(kvb_mul(ne[0], kvb_mul(ne[1], ne[2])), 4),
                                         .ne = {(uint32_t)ne[0], (uint32_t)ne[1], (uint32_t)ne[2]},
                                         .element_bytes = 4,
                                         .device = KVB_LLAMA_NOWHERE};
    kvb_llama_node made = make(graph, &node);
    kvb_llama_add_source(graph, made, a);
    kvb_llama_add_source(graph, made, b);
    return made;
}

// A part of each token's row reaches from the first token's part to the last one's: so much a copy of it takes.
static uint64_t reach_of(const struct kvb_llama_graph *graph, const struct kvb_llama_tensor_node *of, uint64_t bytes)
{
    bool by_token = (of->ne[1] == graph->tokens && of->ne[2] == 1) || of->ne[2] == graph->tokens;
    return by_token ? of->bytes - kvb_less(of->bytes, bytes) / graph->tokens : bytes;
}

kvb_llama_node kvb_llama_view(struct kvb_llama_graph *graph, enum kvb_llama_kind kind, kvb_llama_node of,
                              const uint64_t ne[3])
{
    kvb_llama_node made = kvb_llama_op(graph, kind, ne, of, 0);
    const struct kvb_llama_tensor_node *source = &graph->nodes[of];
    struct kvb_llama_tensor_node *node = &graph->nodes[made];
    node->flags |= kind == KVB_LLAMA_OP_RESHAPE ? KVB_LLAMA_VIEW : KVB_LLAMA_VIEW | KVB_LLAMA_STRIDED;
    node->root = (source->flags & KVB_LLAMA_VIEW) != 0 ? source->root : of;
    node->bytes = kind == KVB_LLAMA_OP_VIEW ? reach_of(graph, source, node->bytes) : source->bytes;
    return made;
}

void kvb_llama_add_source(struct kvb_llama_graph *graph, kvb_llama_node node, kvb_llama_node source)
{
    for (uint32_t i = 0; source != 0 && i < KVB_LLAMA_SOURCES; i++) {
        if (graph->nodes[node].source[i] == 0) {
            graph->nodes[node].source[i] = source;
            return;
        }
    }
}

void kvb_llama_reads_weight(struct kvb_llama_graph *graph, kvb_llama_node node, uint64_t bytes, uint8_t place)
{
    graph->nodes[node].flags |= KVB_LLAMA_READS;
    graph->nodes[node].weight_bytes = bytes;
    graph->nodes[node].weight_place = place;
}

kvb_llama_node kvb_llama_input(struct kvb_llama_graph *graph, uint64_t bytes)
{
    struct kvb_llama_tensor_node node = {
        .kind = KVB_LLAMA_OP_NONE, .bytes = bytes, .element_bytes = 4, .device = KVB_LLAMA_HOST};
    return make(graph, &node);
}

// Sources first, as ggml_visit_parents does.
void kvb_llama_expand(struct kvb_llama_graph *graph, kvb_llama_node node)
{
    struct kvb_llama_tensor_node *at = &graph->nodes[node];
    if ((at->flags & KVB_LLAMA_VISITED) != 0) {
        return;
    }
    at->flags |= KVB_LLAMA_VISITED;
    for (uint32_t i = 0; i < KVB_LLAMA_SOURCES; i++) {
        if (at->source[i] != 0) {
            kvb_llama_expand(graph, at->source[i]);
        }
    }
    graph->order[graph->order_count++] = node;
}

bool kvb_llama_casts_mask(const struct kvb_llama_run *run)
{
    return run->flash && !kvb_llama_since(run, KVB_LLAMA_MASK_F16);
}

// ---- Graphs

static uint32_t most_used_experts(const struct kvb_model *model)
{
    uint32_t most = 0;
    for (uint32_t i = 0; i < model->kind_count; i++) {
        most = (uint32_t)kvb_max(most, model->kinds[i].mlp.experts_per_token);
    }
    return most;
}

bool kvb_llama_graph_begin(struct kvb_llama_graph *graph, const struct kvb_llama_run *run, uint32_t layers)
{
    memset(graph, 0, offsetof(struct kvb_llama_graph, heaps));
    uint64_t states = STATE_NODES * kvb_min(run->state_copies, KVB_LLAMA_STATES_BUILT);
    uint64_t each = LAYER_NODES + kvb_mul(EXPERT_NODES, most_used_experts(run->model)) + states;
    graph->run = run;
    graph->class = kvb_llama_class_of(run->model);
    kvb_llama_cells_of(run, &graph->cells);
    graph->tokens = kvb_max(kvb_min(run->ubatch, graph->cells.context_tokens), 1);
    graph->layer_place = (uint8_t)kvb_llama_place_of(run, 0);
    graph->pipelined = kvb_llama_is_pipelined(run);
    graph->sorts = kvb_llama_sorts(run);
    graph->only_device = KVB_LLAMA_NOWHERE;
    graph->capacity = (uint32_t)kvb_min(kvb_mul((uint64_t)layers + 2, each), NODES_MAX);
    size_t node_bytes = sizeof *graph->nodes + sizeof *graph->order + sizeof *graph->sequence;
    graph->nodes = kvb_reallocate(NULL, graph->capacity * node_bytes);
    if (graph->nodes == NULL) {
        return false;
    }
    graph->order = (kvb_llama_node *)(graph->nodes + graph->capacity);
    graph->sequence = graph->order + graph->capacity;
    graph->nodes[0] = (struct kvb_llama_tensor_node){.device = KVB_LLAMA_HOST};
    graph->count = 1;
    for (uint32_t i = 0; i < KVB_LLAMA_PLACES; i++) {
        enum kvb_llama_backend backend = i == KVB_LLAMA_HOST ? KVB_LLAMA_CPU : run->backend;
        kvb_llama_heap_begin(&graph->heaps[i], kvb_llama_backend_row_of(backend)->alignment);
    }
    return true;
}

void kvb_llama_graph_end(struct kvb_llama_graph *graph)
{
    kvb_free(graph->nodes);
    graph->nodes = NULL;
}

void kvb_llama_layer_begin(struct kvb_llama_graph *graph, uint32_t layer)
{
    graph->layer = layer;
    graph->layer_place = (uint8_t)kvb_llama_place_of(graph->run, layer);
}

void kvb_llama_layer_end(struct kvb_llama_graph *graph, kvb_llama_node out)
{
    kvb_llama_expand(graph, out);
    graph->hidden = out;
}

void kvb_llama_graph_run(struct kvb_llama_graph *graph)
{
    kvb_llama_schedule(graph);
    kvb_llama_allocate(graph);
}
