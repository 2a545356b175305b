// Memory for what runs: readers are counted, a node takes a parent's memory where its operation may and
// nobody else reads it, and what was read last is given back.
// Source: ggml/src/ggml-alloc.c, ggml_gallocr_allocate_node, ggml_gallocr_free_node, ggml_gallocr_alloc_graph_impl.
#include "engines/llamacpp/allocate.h"

#include "base/checked.h"

static struct kvb_llama_tensor_node *at(struct kvb_llama_graph *graph, kvb_llama_node node)
{
    return &graph->nodes[node];
}

static bool is_view(const struct kvb_llama_tensor_node *node)
{
    return (node->flags & KVB_LLAMA_VIEW) != 0;
}

static void take(struct kvb_llama_graph *graph, struct kvb_llama_tensor_node *node)
{
    struct kvb_llama_heap *heap = &graph->heaps[node->device];
    graph->unknown |= kvb_llama_heap_is_full(heap);
    node->offset = kvb_llama_heap_take(heap, node->bytes);
    node->flags |= KVB_LLAMA_LIVE;
}

static void give(struct kvb_llama_graph *graph, struct kvb_llama_tensor_node *node)
{
    if ((node->flags & (KVB_LLAMA_LIVE | KVB_LLAMA_STAYS)) == KVB_LLAMA_LIVE) {
        kvb_llama_heap_give(&graph->heaps[node->device], node->offset, node->bytes);
        node->flags &= (uint16_t)~KVB_LLAMA_LIVE;
    }
}

static bool same_layout(const struct kvb_llama_tensor_node *a, const struct kvb_llama_tensor_node *b)
{
    return a->ne[0] == b->ne[0] && a->ne[1] == b->ne[1] && a->ne[2] == b->ne[2] &&
           a->element_bytes == b->element_bytes && ((a->flags | b->flags) & KVB_LLAMA_STRIDED) == 0;
}

// A parent, on the same device as all sources are by now, that has memory of its own (a view never has) and no other
// reader hands it on.
static bool reuse(struct kvb_llama_graph *graph, struct kvb_llama_tensor_node *node)
{
    for (uint32_t i = 0; i < KVB_LLAMA_SOURCES; i++) {
        struct kvb_llama_tensor_node *parent = at(graph, node->source[i]);
        if (node->source[i] != 0 && same_layout(node, parent) && parent->children == 1 && parent->views == 0 &&
            (parent->flags & (KVB_LLAMA_LIVE | KVB_LLAMA_STAYS)) == KVB_LLAMA_LIVE) {
            node->offset = parent->offset;
            node->flags |= KVB_LLAMA_LIVE;
            parent->flags &= (uint16_t)~KVB_LLAMA_LIVE;
            return true;
        }
    }
    return false;
}

static void allocate_node(struct kvb_llama_graph *graph, struct kvb_llama_tensor_node *node)
{
    if ((node->flags & (KVB_LLAMA_VIEW | KVB_LLAMA_OUTSIDE | KVB_LLAMA_LIVE)) != 0) {
        return;
    }
    if (node->kind < KVB_LLAMA_OP_ADD || !reuse(graph, node)) {
        take(graph, node);
    }
}

static void read_once(struct kvb_llama_graph *graph, kvb_llama_node source)
{
    struct kvb_llama_tensor_node *parent = at(graph, source);
    parent->children--;
    if (parent->children > 0 || parent->views > 0) {
        return;
    }
    if (is_view(parent)) {
        struct kvb_llama_tensor_node *root = at(graph, parent->root);
        root->views--;
        if (root->views == 0 && root->children == 0) {
            give(graph, root);
        }
    } else {
        give(graph, parent);
    }
}

static void count_readers(struct kvb_llama_graph *graph)
{
    for (uint32_t i = 0; i < graph->sequence_count; i++) {
        const struct kvb_llama_tensor_node *node = at(graph, graph->sequence[i]);
        if (is_view(node)) {
            at(graph, node->root)->views++;
        }
        if ((node->flags & KVB_LLAMA_COPY) != 0) {
            at(graph, node->root)->children++;
        }
        for (uint32_t s = 0; s < KVB_LLAMA_SOURCES; s++) {
            at(graph, node->source[s])->children++;
        }
    }
}

static bool is_input(const struct kvb_llama_tensor_node *node)
{
    return node->kind == KVB_LLAMA_OP_NONE && (node->flags & KVB_LLAMA_COPY) == 0;
}

void kvb_llama_allocate(struct kvb_llama_graph *graph)
{
    count_readers(graph);
    for (uint32_t i = 0; i < graph->order_count; i++) { // inputs are there before all else
        if (is_input(at(graph, graph->order[i]))) {
            allocate_node(graph, at(graph, graph->order[i]));
        }
    }
    for (uint32_t i = 0; i < graph->sequence_count; i++) {
        struct kvb_llama_tensor_node *node = at(graph, graph->sequence[i]);
        if (is_input(node)) {
            continue;
        }
        if ((node->flags & KVB_LLAMA_COPY) != 0 && node->root != 0) { // a weight's source lies outside
            read_once(graph, node->root);
        }
        allocate_node(graph, node);
        for (uint32_t s = 0; s < KVB_LLAMA_SOURCES; s++) {
            if (node->source[s] != 0) {
                read_once(graph, node->source[s]);
            }
        }
    }
}
