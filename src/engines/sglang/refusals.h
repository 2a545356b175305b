// Arguments that a release refuses together, and shapes that its kernels do not take.
#ifndef KVB_ENGINES_SGLANG_REFUSALS_H
#define KVB_ENGINES_SGLANG_REFUSALS_H

#include "engines/sglang/context.h"

// The rule, a constant word, with the sentence in `out`; NULL: nothing is refused.
const char *kvb_sgl_argument_refusal(const struct kvb_sgl_context *context, char out[KVB_ERROR_TEXT_CAPACITY]);
// --quantization asks for another method than the checkpoint's, or for one that ROCm does not have; its name.
bool kvb_sgl_other_method(const struct kvb_sgl_context *context);
bool kvb_sgl_method_not_on_rocm(const struct kvb_sgl_context *context);
const char *kvb_sgl_method_name(const struct kvb_sgl_context *context);
// Sizes of a rank that blocks of fp8 do not divide.
bool kvb_sgl_blocks_refuse(const struct kvb_sgl_context *context, char out[KVB_ERROR_TEXT_CAPACITY]);

#endif
