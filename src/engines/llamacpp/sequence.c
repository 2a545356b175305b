// What runs after what.
#include "engines/llamacpp/allocate.h"

void kvb_llama_runs_next(struct kvb_llama_graph *graph, kvb_llama_node node)
{
    graph->sequence[graph->sequence_count++] = node;
}
