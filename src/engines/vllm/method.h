// Which quantisation method a release settles on: the checkpoint's word, the flag's, and what the release's own classes
// make of both.
#ifndef KVB_ENGINES_VLLM_METHOD_H
#define KVB_ENGINES_VLLM_METHOD_H

#include "engines/vllm/context.h"

struct kvb_method_words {
    const char *stored, *asked; // of the checkpoint and of --quantization; NULL where there is none
    const char *used;           // NULL: nothing is quantised
    bool overridden;            // `used` is what a class took the checkpoint for, whatever was asked
    char text[48];
};
void kvb_method_settle(const struct kvb_context *context, struct kvb_method_words *words);

// Parts of the checkpoint are of different formats: ModelOpt's MIXED_PRECISION.
bool kvb_method_is_mixed(const struct kvb_quantisation *quantisation);

#endif
