// Where each node runs and which copies that takes: weights and the cache bind their readers, what is bound by nothing
// follows its neighbours, a change of device begins a split, and what a split reads of other devices is copied when it
// begins.
// Source: ggml/src/ggml-backend.cpp, ggml_backend_sched_split_graph, at b9010 and b10472;
// ggml/src/ggml-cuda/ggml-cuda.cu, ggml_backend_cuda_device_offload_op (alike in ggml-vulkan.cpp).
#include "engines/llamacpp/allocate.h"

#include "base/checked.h"

#define OFFLOADED_BATCH 32U
#define SPLIT_INPUTS 64U

static struct kvb_llama_tensor_node *at(struct kvb_llama_graph *graph, uint32_t place)
{
    return &graph->nodes[graph->order[place]];
}

static bool is_view(const struct kvb_llama_tensor_node *node)
{
    return node->kind <= KVB_LLAMA_OP_PERMUTE;
}

// ---- Devices

static uint64_t batch_of(const struct kvb_llama_tensor_node *node)
{
    switch (node->kind) {
    case KVB_LLAMA_OP_GET_ROWS:
        return 0;
    case KVB_LLAMA_OP_MUL_MAT:
        return node->ne[1];
    case KVB_LLAMA_OP_MUL_MAT_ID:
        return node->ne[2];
    default:
        return (uint64_t)node->ne[1] * node->ne[2];
    }
}

// Weights in the host's memory are copied to the first GPU for a batch; without that they are read where they lie.
static void bind(const struct kvb_llama_graph *graph, struct kvb_llama_tensor_node *node)
{
    const struct kvb_llama_run *run = graph->run;
    if (graph->only_device != KVB_LLAMA_NOWHERE) {
        node->device = graph->only_device;
    } else if (node->device == KVB_LLAMA_NOWHERE && (node->flags & KVB_LLAMA_READS) != 0) {
        bool offloads = run->devices > 0 && kvb_llama_backend_row_of(run->backend)->offloads && !run->no_op_offload;
        bool fetched = node->weight_place == KVB_LLAMA_HOST && offloads && batch_of(node) >= OFFLOADED_BATCH;
        node->device = fetched ? 0 : node->weight_place;
    }
}

// What is bound to nothing runs on the GPU of the node before it, or behind it; what is left lies among the host's.
static void spread(struct kvb_llama_graph *graph, bool up)
{
    uint8_t current = KVB_LLAMA_NOWHERE;
    for (uint32_t i = 0; i < graph->order_count; i++) {
        struct kvb_llama_tensor_node *node = at(graph, up ? graph->order_count - 1 - i : i);
        if (is_view(node)) {
            continue;
        }
        if (node->device == KVB_LLAMA_NOWHERE) {
            node->device = current;
        } else {
            current = node->device == KVB_LLAMA_HOST ? KVB_LLAMA_NOWHERE : node->device;
        }
    }
}

static void place_nodes(struct kvb_llama_graph *graph)
{
    for (uint32_t i = 0; i < graph->order_count; i++) {
        if (!is_view(at(graph, i))) {
            bind(graph, at(graph, i));
        }
    }
    spread(graph, false);
    spread(graph, true);
    for (uint32_t i = 0; i < graph->order_count; i++) {
        struct kvb_llama_tensor_node *node = at(graph, i);
        if ((node->flags & KVB_LLAMA_VIEW) != 0) {
            node->device = graph->nodes[node->root].device;
        } else if (node->device == KVB_LLAMA_NOWHERE) {
            node->device = KVB_LLAMA_HOST;
        }
    }
}

// ---- Splits

struct split {
    uint8_t device;
    uint32_t begin;  // in the order
    uint32_t inputs; // copied when it begins
    kvb_llama_node copies[SPLIT_INPUTS];
};

static bool is_fetched(const struct kvb_llama_tensor_node *node)
{
    return (node->flags & KVB_LLAMA_READS) != 0 && node->weight_place != node->device;
}

// With pipeline parallelism four of each, which are never given back.
static void pin(struct kvb_llama_graph *graph, struct kvb_llama_tensor_node *node)
{
    struct kvb_llama_heap *heap = &graph->heaps[node->device];
    node->flags |= KVB_LLAMA_OUTSIDE;
    heap->pinned = kvb_add(heap->pinned, kvb_mul(kvb_round_up(node->bytes, heap->alignment), KVB_LLAMA_COPIES));
}

static kvb_llama_node add_copy(struct kvb_llama_graph *graph, struct split *split,
                               const struct kvb_llama_tensor_node *copy)
{
    if (graph->count >= graph->capacity || split->inputs >= SPLIT_INPUTS) {
        graph->unknown = true;
        return 0;
    }
    kvb_llama_node made = (kvb_llama_node)graph->count++;
    graph->nodes[made] = *copy;
    split->copies[split->inputs++] = made;
    return made;
}

static kvb_llama_node copy_of(const struct kvb_llama_graph *graph, kvb_llama_node source, uint8_t device)
{
    kvb_llama_node copy = graph->nodes[source].copy;
    while (copy != 0 && graph->nodes[copy].device != device) {
        copy = graph->nodes[copy].copy;
    }
    return copy;
}

// What the split's device reads of a source.
static kvb_llama_node reach(struct kvb_llama_graph *graph, struct split *split, kvb_llama_node source)
{
    struct kvb_llama_tensor_node *from = &graph->nodes[source];
    bool input = from->kind == KVB_LLAMA_OP_NONE && (from->flags & KVB_LLAMA_COPY) == 0;
    if (graph->pipelined && input && (from->flags & KVB_LLAMA_OUTSIDE) == 0) {
        pin(graph, from);
    }
    if (from->device == split->device) {
        return source;
    }
    kvb_llama_node made = copy_of(graph, source, split->device);
    if (made != 0) {
        return made;
    }
    struct kvb_llama_tensor_node copy = {.bytes = from->bytes,
                                         .ne = {from->ne[0], from->ne[1], from->ne[2]},
                                         .flags = (uint16_t)(KVB_LLAMA_COPY | (from->flags & KVB_LLAMA_STRIDED)),
                                         .element_bytes = from->element_bytes,
                                         .root = source,
                                         .copy = from->copy,
                                         .device = split->device};
    if (graph->pipelined) {
        pin(graph, &copy);
    }
    made = add_copy(graph, split, &copy);
    from->copy = made;
    return made;
}

// A weight that lies elsewhere, beside what was built.
static void fetch(struct kvb_llama_graph *graph, struct split *split, struct kvb_llama_tensor_node *node)
{
    struct kvb_llama_tensor_node weight = {
        .bytes = node->weight_bytes, .flags = KVB_LLAMA_COPY, .element_bytes = 1, .device = split->device};
    kvb_llama_node made = add_copy(graph, split, &weight);
    for (uint32_t i = 0; i < KVB_LLAMA_SOURCES && made != 0; i++) {
        if (node->source[i] == 0) {
            node->source[i] = made;
            return;
        }
    }
}

// A product's matrix is its first source, what is multiplied or added by element its second.
static void reach_sources(struct kvb_llama_graph *graph, struct split *split, struct kvb_llama_tensor_node *node)
{
    bool fetched = is_fetched(node);
    bool matrix = node->kind == KVB_LLAMA_OP_MUL_MAT || node->kind == KVB_LLAMA_OP_MUL_MAT_ID;
    uint32_t before = matrix ? 0 : 1;
    for (uint32_t i = 0; i < KVB_LLAMA_SOURCES; i++) {
        if (fetched && i == before) {
            fetched = false;
            fetch(graph, split, node);
        }
        if (node->source[i] != 0) {
            node->source[i] = reach(graph, split, node->source[i]);
        }
    }
}

static void end_split(struct kvb_llama_graph *graph, struct split *split, uint32_t end)
{
    for (uint32_t i = 0; i < split->inputs; i++) {
        kvb_llama_runs_next(graph, split->copies[i]);
    }
    if (graph->sorts && split->device != KVB_LLAMA_HOST) {
        kvb_llama_sort(graph, split->begin, end);
    } else {
        for (uint32_t i = split->begin; i < end; i++) {
            kvb_llama_runs_next(graph, graph->order[i]);
        }
    }
    split->begin = end;
    split->inputs = 0;
}

void kvb_llama_schedule(struct kvb_llama_graph *graph)
{
    struct split split = {.device = KVB_LLAMA_NOWHERE};
    place_nodes(graph);
    for (uint32_t i = 0; i < graph->order_count; i++) {
        struct kvb_llama_tensor_node *node = at(graph, i);
        if (is_view(node)) { // views begin no split
            continue;
        }
        bool moved = node->device != split.device && split.device != KVB_LLAMA_NOWHERE;
        if (moved || (is_fetched(node) && split.inputs > 0)) {
            end_split(graph, &split, i);
        }
        split.device = node->device;
        reach_sources(graph, &split, node);
    }
    end_split(graph, &split, graph->order_count);
}
