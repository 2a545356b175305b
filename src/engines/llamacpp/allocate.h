// Where nodes run, in which order, and their memory.
#ifndef KVB_ENGINES_LLAMACPP_ALLOCATE_H
#define KVB_ENGINES_LLAMACPP_ALLOCATE_H

#include "engines/llamacpp/graph.h"

// Gives every node a device and fills graph->sequence, split after split (schedule.c).
void kvb_llama_schedule(struct kvb_llama_graph *graph);
// Memory for what runs, in that order (allocate.c).
void kvb_llama_allocate(struct kvb_llama_graph *graph);
// Appends to the sequence.
void kvb_llama_runs_next(struct kvb_llama_graph *graph, kvb_llama_node node);
// Whether the backend sorts its graph (sort.c); the nodes from one place of the order to before another come into the
// sequence as it sorts them.
bool kvb_llama_sorts(const struct kvb_llama_run *run);
void kvb_llama_sort(struct kvb_llama_graph *graph, uint32_t from, uint32_t to);

#endif
