// Settings that the engine fills in when nobody does.
#ifndef KVB_ENGINES_VLLM_DEFAULTS_H
#define KVB_ENGINES_VLLM_DEFAULTS_H

#include "engines/vllm/context.h"

#define KVB_V0_CHUNKED_LENGTH 32768 // V0 chunks prompts of longer models

// max_num_batched_tokens, max_num_seqs and chunked prefill by release, GPU and usage.
void kvb_defaults_resolve(struct kvb_context *context);
// Every setting as a number with its origin, for the report.
void kvb_settings_effective(struct kvb_context *context);

#endif
