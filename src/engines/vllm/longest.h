// The longest max_model_len that starts.
#ifndef KVB_ENGINES_VLLM_LONGEST_H
#define KVB_ENGINES_VLLM_LONGEST_H

#include "engines/vllm/context.h"

// The longest length that starts when it is asked for, up to the model's own maximum; 0 = none. It does not depend on
// the length that the plan asks for. A longer length may take memory from the cache: its batch in the profile run grows
// where prompts are not chunked, its largest video has more frames.
uint64_t kvb_longest_start(const struct kvb_context *context);

#endif
