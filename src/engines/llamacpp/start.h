// What a plan asks of llama.cpp, what it decides itself, and what comes of it on the fullest GPU.
#ifndef KVB_ENGINES_LLAMACPP_START_H
#define KVB_ENGINES_LLAMACPP_START_H

#include <kvbudget/budget.h>

#include "engines/llamacpp/projector.h"
#include "engines/llamacpp/run.h"

enum kvb_llama_decision {
    KVB_LLAMA_UNCHANGED,
    KVB_LLAMA_CONTEXT_REDUCED,
    KVB_LLAMA_LAYERS_MOVED,     // to the host
    KVB_LLAMA_BOTH,             // a shorter context and layers on the host
    KVB_LLAMA_LEFT_TO_THE_USER, // it does not fit, and what could change was said by the user
};

// What is loaded beside the model.
struct kvb_llama_beside {
    struct kvb_llama_run draft_run; // of one draft context
    uint32_t contexts;              // that draft; 0: nothing drafts with a context
    bool heads;                     // the model's own layers for further tokens draft
    struct kvb_llama_buffers draft; // of all those contexts, the draft model once
    struct kvb_llama_projected projector;
    bool projects, projector_on_host;
    const struct kvb_plan *plan; // what was said of them
};

struct kvb_llama_start {
    struct kvb_llama_run run;
    struct kvb_llama_beside beside;
    bool ollama, placed;      // placed: by Ollama's estimate, before 0.30
    uint64_t slot_tokens;     // of Ollama: of one request
    uint64_t asked_batch;     // num_batch
    uint32_t own_graph_since; // the release whose own engine began to draw the class's graph; 0: it is llama.cpp's
    bool context_said, layers_said, split_said, fits_itself; // fits_itself: --fit on
    uint64_t free_bytes;                                     // of each GPU, as the engine sees it: its context is there
    uint64_t margin_bytes;                                   // what --fit leaves free
    uint64_t shortest_tokens;                                // what --fit goes down to
    uint64_t asked_tokens;                                   // before --fit
    uint32_t asked_layers;
    bool whole_or_not; // where layers are to be moved, nothing more is asked
    bool measured;     // the buffers are those of the run
    enum kvb_llama_decision decision;
    struct kvb_llama_buffers buffers; // of the run as it starts
};

// Fills everything; the run is the one that starts.
void kvb_llama_start_of(const struct kvb_plan *plan, bool ollama, struct kvb_llama_start *out);
// The same in two steps: what is asked, and what comes of it.
void kvb_llama_start_begin(const struct kvb_plan *plan, bool ollama, struct kvb_llama_start *out);
void kvb_llama_start_settle(struct kvb_llama_start *start);

// Settles what is beside, but for buffers that depend on the context (beside.c).
void kvb_llama_beside_begin(const struct kvb_plan *plan, struct kvb_llama_start *start);
// All buffers of the run as it stands, and of the draft beside it.
void kvb_llama_measure(struct kvb_llama_start *start, struct kvb_llama_buffers *out);
uint64_t kvb_llama_beside_used(const struct kvb_llama_start *start, uint32_t place);

uint64_t kvb_llama_used(const struct kvb_llama_buffers *buffers, uint32_t place); // all its buffers
uint64_t kvb_llama_fullest(const struct kvb_llama_start *start, const struct kvb_llama_buffers *buffers,
                           uint32_t *device);
// --fit (fit.c).
void kvb_llama_fit(struct kvb_llama_start *start);
// The longest context whose buffers are within `free_bytes` of every GPU; 0: none. `measured`: the start's buffers are
// those of its run.
uint64_t kvb_llama_longest(const struct kvb_llama_start *start, bool measured, uint64_t free_bytes,
                           uint64_t limit_tokens);

#endif
