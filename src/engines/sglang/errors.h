// SGLang's own sentences when it does not start.
#ifndef KVB_ENGINES_SGLANG_ERRORS_H
#define KVB_ENGINES_SGLANG_ERRORS_H

#include "engines/sglang/context.h"

// Why there is no pool.
void kvb_sgl_pool_error(const struct kvb_sgl_context *context, const struct kvb_sgl_pool *pool,
                        const struct kvb_sgl_cell *cell, uint64_t before_bytes, int64_t after_bytes,
                        char out[KVB_ERROR_TEXT_CAPACITY]);
void kvb_sgl_load_error(const struct kvb_sgl_context *context, char out[KVB_ERROR_TEXT_CAPACITY]);
void kvb_sgl_capture_error(const struct kvb_sgl_context *context, char out[KVB_ERROR_TEXT_CAPACITY]);

// What is refused before memory is looked at: the rule, a constant word, with the sentence in `out`; NULL: nothing.
const char *kvb_sgl_refusal(const struct kvb_sgl_context *context, char out[KVB_ERROR_TEXT_CAPACITY]);

#endif
