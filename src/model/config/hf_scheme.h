// Schemes inside compressed-tensors and ModelOpt checkpoints.
#ifndef KVB_MODEL_CONFIG_HF_SCHEME_H
#define KVB_MODEL_CONFIG_HF_SCHEME_H

#include "model/config/hf.h"

// Bits, group and scale that a method always has.
void kvb_hf_scheme_apply(struct kvb_quantisation *quantisation, enum kvb_quantisation_method method);
// The method an algorithm word stands for; NONE with an error when it is not known.
enum kvb_quantisation_method kvb_hf_algorithm_method(struct hf *hf, enum kvb_hf_key key);
void kvb_hf_read_compressed_tensors(struct hf *hf, struct kvb_quantisation *quantisation);
void kvb_hf_read_modelopt(struct hf *hf, struct kvb_quantisation *quantisation);

#endif
