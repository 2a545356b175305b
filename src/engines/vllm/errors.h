// The start-up errors of each release, word for word.
#ifndef KVB_ENGINES_VLLM_ERRORS_H
#define KVB_ENGINES_VLLM_ERRORS_H

#include "engines/vllm/context.h"

// A sentence put together piece by piece; what goes beyond the capacity is cut.
struct kvb_error_line {
    char *out;
    size_t length;
};
struct kvb_error_line kvb_error_begin(char out[KVB_ERROR_TEXT_CAPACITY]);
void kvb_error_add(struct kvb_error_line *line, const char *text);
void kvb_error_add_count(struct kvb_error_line *line, uint64_t count);

void kvb_error_no_memory(const struct kvb_context *context, char out[KVB_ERROR_TEXT_CAPACITY]);
void kvb_error_too_long(const struct kvb_context *context, uint64_t needed_bytes, int64_t pool_bytes,
                        uint64_t estimate_tokens, char out[KVB_ERROR_TEXT_CAPACITY]);
void kvb_error_too_long_v0(const struct kvb_context *context, uint64_t stored_tokens,
                           char out[KVB_ERROR_TEXT_CAPACITY]);
void kvb_error_not_free(const struct kvb_context *context, uint64_t requested_bytes, char out[KVB_ERROR_TEXT_CAPACITY]);
// max_num_batched_tokens is too small for the sequences, or for a prefill that is not chunked.
void kvb_error_few_tokens(const struct kvb_context *context, char out[KVB_ERROR_TEXT_CAPACITY]);
void kvb_error_long_length(const struct kvb_context *context, char out[KVB_ERROR_TEXT_CAPACITY]);
void kvb_error_short_batch(const struct kvb_context *context, char out[KVB_ERROR_TEXT_CAPACITY]);
// The card is full before the cache is sized: while loading, or in the profile run.
// Whether the error of a load that runs out of memory advises a lower utilization first, which does nothing then.
bool kvb_error_hints_at_share(const struct kvb_context *context);
void kvb_error_load(const struct kvb_context *context, char out[KVB_ERROR_TEXT_CAPACITY]);
void kvb_error_profile(const struct kvb_context *context, char out[KVB_ERROR_TEXT_CAPACITY]);
void kvb_error_unknown_class(const struct kvb_context *context, char out[KVB_ERROR_TEXT_CAPACITY]);
void kvb_error_no_auto_fit(char out[KVB_ERROR_TEXT_CAPACITY]);
void kvb_error_text(const char *text, char out[KVB_ERROR_TEXT_CAPACITY]);

#endif
