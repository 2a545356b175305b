// Releases of Ollama before 0.30: llama.cpp's code in a runner of its own (for some classes an engine of its own), and
// an estimate that decides slots, GPUs and layers before the runner starts.
#ifndef KVB_ENGINES_LLAMACPP_OLLAMA_H
#define KVB_ENGINES_LLAMACPP_OLLAMA_H

#include "engines/llamacpp/start.h"

#define KVB_OLLAMA_OLDEST KVB_RELEASE(0, 2, 0)

// ---- What a release does (ollama.c)
uint32_t kvb_ollama_build(uint32_t release); // of llama.cpp in it
bool kvb_ollama_estimates(uint32_t release); // false: llama-server places itself
bool kvb_ollama_lays_out(uint32_t release);  // the estimate of 0.12.11 and later: a layout with a share of each GPU
uint32_t kvb_ollama_usual_slots(uint32_t release); // tried first when none are said, one after it
// Tokens of a slot when none are said, by the memory of all cards.
uint64_t kvb_ollama_usual_context(uint32_t release, uint64_t memory_bytes);
bool kvb_ollama_caps_context(uint32_t release); // at the trained length
// The release that began to draw the graph of this class in its own engine; 0: llama.cpp's code runs it.
uint32_t kvb_ollama_draws_since(uint32_t release, const struct kvb_model *model);
// Flash attention, and whether the cache may be of this type: otherwise it is f16, and nothing is said but a warning.
bool kvb_ollama_uses_flash(uint32_t release, const struct kvb_plan *plan);
bool kvb_ollama_takes_cache(uint32_t release, const struct kvb_plan *plan, enum kvb_llama_cache type);

// ---- Sizes it counts with (ollama_sizes.c)
struct kvb_ollama_sizes {
    uint32_t layers;                      // without the output
    uint64_t layer_bytes[KVB_LAYERS_MAX]; // weights and cache
    uint64_t output_bytes, projector_bytes;
    uint64_t full_bytes, partial_bytes; // of the graph, with all layers on GPUs and with some
};
void kvb_ollama_sizes_of(const struct kvb_llama_start *start, uint32_t release, struct kvb_ollama_sizes *out);

// ---- Where layers go (ollama_place.c)
struct kvb_ollama_cards {
    uint32_t count;
    uint64_t free_bytes, minimum_bytes, overhead_bytes; // of each
    uint64_t buffer_bytes;                              // a layout: one layer more
    bool metal;
};
struct kvb_ollama_placed {
    uint32_t layers; // the output counted as one
    uint32_t of_card[KVB_LLAMA_DEVICES];
};
// `asked`: num_gpu; negative: as many as fit. `upwards`: layers are counted from the first one.
void kvb_ollama_estimate(const struct kvb_ollama_sizes *sizes, const struct kvb_ollama_cards *cards, int64_t asked,
                         bool upwards, struct kvb_ollama_placed *out);
void kvb_ollama_layout(const struct kvb_ollama_sizes *sizes, const struct kvb_ollama_cards *cards, int64_t asked,
                       struct kvb_ollama_placed *out);

// Slots, context, batch, GPUs and layers of a start (ollama_start.c).
void kvb_ollama_settle(const struct kvb_plan *plan, struct kvb_llama_start *start);

#endif
