// Which format llama-quantize gives a tensor under the name of a mixture ("Q4_K_M").
#ifndef KVB_ENGINES_LLAMACPP_MIXTURE_H
#define KVB_ENGINES_LLAMACPP_MIXTURE_H

#include "engines/llamacpp/run.h"

// A number of kvb_llama_run.mixture, of "Q4_K_M", "ud-q4_k_xl" or a short form ("MXFP4"); 0: none is named.
uint32_t kvb_llama_mixture_find(const char *name);
const char *kvb_llama_mixture_name(uint32_t mixture); // "Q4_K_M"; "" for 0
uint32_t kvb_llama_mixture_count(void);               // numbers go from 1 to this
// How far a file of it may lie below and above the figure: who quantised it may have chosen formats of his own.
void kvb_llama_mixture_bound(uint32_t mixture, uint32_t *low_permille, uint32_t *high_permille);

struct kvb_llama_quantised {
    const char *name; // "attn_v.weight"
    uint64_t columns; // elements of a row
    uint32_t index;   // among the tensors of this name
    uint32_t count;   // of this name
};
// Bytes of so many elements.
uint64_t kvb_llama_mixture_bytes(const struct kvb_llama_run *run, const struct kvb_llama_quantised *tensor,
                                 uint64_t elements);

#endif
