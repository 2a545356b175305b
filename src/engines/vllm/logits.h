// Bytes that one logit takes at the peaks of sampling, with logits of 16 bits.
#ifndef KVB_ENGINES_VLLM_LOGITS_H
#define KVB_ENGINES_VLLM_LOGITS_H

// In the profile run, by path. Source: v1/sample/ops/topk_topp_sampler.py, model_executor/layers/sampler.py.
enum kvb_sampler_path {
    KVB_PATH_SORT,
    KVB_PATH_SORT_FEW,
    KVB_PATH_FLASHINFER,
    KVB_PATH_TRITON,
    KVB_PATH_V2,
    KVB_PATH_V2_COPY,
    KVB_PATH_NO_OTHER
};
static const unsigned kvb_path_bytes_per_logit[] = {38, 50, 14, 14, 2, 6, 0};

// In the warm-up behind graph capture: fp32 logits, one sort's values and its 64-bit indexes.
#define KVB_WARM_UP_BYTES_PER_LOGIT 16

#endif
