// What a picture projector (--mmproj) takes beside the model: its tensors, and the buffers of the graph that a start
// reserves for a picture of the size it warms up with.
#ifndef KVB_ENGINES_LLAMACPP_PROJECTOR_H
#define KVB_ENGINES_LLAMACPP_PROJECTOR_H

#include <kvbudget/plan.h>

#include "engines/llamacpp/run.h"

struct kvb_llama_projected {
    uint64_t model_bytes;
    uint64_t compute_bytes, most_compute_bytes; // for the picture of the start, and for the largest one
    uint64_t input_bytes;                       // of the host's buffer
    uint32_t side_pixels;                       // of the picture of the start
    bool bounded;                               // the graph of this kind is followed in outline
};

// `most_tokens`: --image-max-tokens; 0: as its kind has it. Nothing when none is known.
void kvb_llama_projector_of(const struct kvb_llama_run *run, const struct kvb_projector *projector,
                            uint64_t most_tokens, struct kvb_llama_projected *out);

#endif
