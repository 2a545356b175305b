// --override-tensor: tensors that lie elsewhere than their layer.
#ifndef KVB_ENGINES_LLAMACPP_OVERRIDES_H
#define KVB_ENGINES_LLAMACPP_OVERRIDES_H

#include <stddef.h>

#include "engines/llamacpp/run.h"

// Adds the value of one flag ("exps=CPU,blk\\.1\\.=CUDA1") to lines of PATTERN=BUFFER. False: `why` says what is wrong.
bool kvb_llama_overrides_add(char *lines, size_t capacity, const char *value, char why[256]);
bool kvb_llama_overrides_any(const struct kvb_llama_run *run);
// The place of a tensor: of the first pattern found in its name, else on the host for experts that --n-cpu-moe keeps
// there, else `usual`. `layer` is the model's layer count or more for tensors of no layer.
uint32_t kvb_llama_tensor_place(const struct kvb_llama_run *run, uint32_t layer, const char *name, bool experts,
                                uint32_t usual);
// The first buffer of the lines that this run does not have; NULL: it has all.
const char *kvb_llama_overrides_unknown(const struct kvb_llama_run *run);

#endif
