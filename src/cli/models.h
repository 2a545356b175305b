// The answer of the models command, which plan gives too when no model is named.
#ifndef KVB_CLI_MODELS_H
#define KVB_CLI_MODELS_H

#include "base/buffer.h"
#include "cli/arguments.h"

int kvb_models_of_gpu(struct arguments *arguments, struct kvb_buffer *answer);

#endif
