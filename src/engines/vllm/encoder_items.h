// The largest multimodal item a profile run feeds to the encoder.
#ifndef KVB_ENGINES_VLLM_ENCODER_ITEMS_H
#define KVB_ENGINES_VLLM_ENCODER_ITEMS_H

#include "engines/vllm/context.h"

#define KVB_GEMMA4_VIDEO_TOKENS 2496 // gemma4_mm.py v0.20.0:84-85: 32 frames of 70 tokens and 8 of text

struct kvb_encoder_load {
    bool takes_items;          // some modality is allowed, so that embeddings are given to the model, not tokens
    bool is_video;             // the largest item is a video
    uint64_t tokens_per_item;  // after merging, as the language model sees them
    uint64_t items;            // run at once
    uint64_t patches;          // of all items
    uint64_t pixel_bytes;      // dummy pixels
    uint64_t kept_pixel_bytes; // those that stay alive behind the pass
    uint64_t kept_tokens;      // embeddings kept in the encoder cache
    uint64_t kept_width;       // elements of one of them: the hidden size, once more for each deepstack level
    uint64_t peak_bytes;       // of one pass through the encoder
};

// Zero when there is no encoder or every modality is switched off.
void kvb_encoder_load_of(const struct kvb_context *context, struct kvb_encoder_load *load);

// Whether the profile run feeds an item whose size is not known here.
bool kvb_encoder_is_unsized(const struct kvb_context *context);

#endif
