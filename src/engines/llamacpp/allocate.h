// Memory for the nodes of a layer in the order they run.
#ifndef KVB_ENGINES_LLAMACPP_ALLOCATE_H
#define KVB_ENGINES_LLAMACPP_ALLOCATE_H

#include "engines/llamacpp/graph.h"

#define KVB_LLAMA_COPY_MARK 0x8000U // in a sequence: a copy made when a split begins

// Runs through graph->sequence: counts readers, then takes and gives back.
void kvb_llama_allocate(struct kvb_llama_graph *graph);
// Memory for an input of the graph, which is there before all else.
void kvb_llama_allocate_input(struct kvb_llama_graph *graph, kvb_llama_node input);

#endif
