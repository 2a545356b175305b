// The nodes of a layer in the order they run: readers are counted first, then each takes its memory; where the backend
// sorts its graph it waits for its turn.
// Source: ggml/src/ggml-alloc.c, ggml_gallocr_alloc_graph_impl; ggml/src/ggml-backend.cpp,
// ggml_backend_sched_split_graph.
#include "engines/llamacpp/allocate.h"

static struct kvb_llama_tensor_node *at(struct kvb_llama_graph *graph, kvb_llama_node node)
{
    return &graph->nodes[node];
}

static void count_readers(struct kvb_llama_graph *graph)
{
    for (uint32_t i = 0; i < graph->sequence_count; i++) {
        kvb_llama_node id = (kvb_llama_node)(graph->sequence[i] & ~KVB_LLAMA_COPY_MARK);
        const struct kvb_llama_tensor_node *node = at(graph, id);
        if ((graph->sequence[i] & KVB_LLAMA_COPY_MARK) != 0) {
            at(graph, node->root)->children++;
            continue;
        }
        if ((node->flags & KVB_LLAMA_VIEW) != 0) {
            at(graph, node->root)->views++;
        }
        for (uint32_t s = 0; s < KVB_LLAMA_SOURCES; s++) {
            at(graph, node->source[s])->children++;
        }
    }
}

// A split is sorted by itself.
static void wait_its_turn(struct kvb_llama_graph *graph, kvb_llama_node id)
{
    const struct kvb_llama_tensor_node *node = at(graph, id);
    if (graph->waiting_count > 0 && at(graph, graph->waiting[graph->waiting_count - 1])->device != node->device) {
        kvb_llama_run_sorted(graph, true);
    }
    if (graph->waiting_count < KVB_LLAMA_SEQUENCE) {
        graph->waiting[graph->waiting_count++] = id;
    } else {
        graph->unknown = true;
    }
}

void kvb_llama_allocate(struct kvb_llama_graph *graph)
{
    count_readers(graph);
    for (uint32_t i = 0; i < graph->sequence_count; i++) {
        kvb_llama_node id = (kvb_llama_node)(graph->sequence[i] & ~KVB_LLAMA_COPY_MARK);
        bool copy = (graph->sequence[i] & KVB_LLAMA_COPY_MARK) != 0;
        if (copy) {
            kvb_llama_run_sorted(graph, true);
            kvb_llama_run_copy(graph, id);
        } else if (graph->sorts && at(graph, id)->device != KVB_LLAMA_HOST) {
            wait_its_turn(graph, id);
        } else {
            kvb_llama_run_sorted(graph, true);
            kvb_llama_run_node(graph, id);
        }
    }
    if (graph->sorts) {
        kvb_llama_run_sorted(graph, graph->layer >= graph->run->model->layer_count); // behind the output comes nothing
    }
    graph->nodes[0] = (struct kvb_llama_tensor_node){0};
}
