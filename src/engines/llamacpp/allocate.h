// Memory for the nodes of a layer in the order they run.
#ifndef KVB_ENGINES_LLAMACPP_ALLOCATE_H
#define KVB_ENGINES_LLAMACPP_ALLOCATE_H

#include "engines/llamacpp/graph.h"

#define KVB_LLAMA_COPY_MARK 0x8000U // in a sequence: a copy made when a split begins

// Runs through graph->sequence: counts readers, then takes and gives back (run_nodes.c).
void kvb_llama_allocate(struct kvb_llama_graph *graph);
// Memory for a node and back from what it read last.
void kvb_llama_run_node(struct kvb_llama_graph *graph, kvb_llama_node node);
void kvb_llama_run_copy(struct kvb_llama_graph *graph, kvb_llama_node copy); // of what another device made
// Whether the backend sorts its graph (sort.c); what waits for its turn runs as far as enough is known of what follows.
bool kvb_llama_sorts(const struct kvb_llama_run *run);
void kvb_llama_run_sorted(struct kvb_llama_graph *graph, bool all);
// Memory for an input of the graph, which is there before all else.
void kvb_llama_allocate_input(struct kvb_llama_graph *graph, kvb_llama_node input);

#endif
