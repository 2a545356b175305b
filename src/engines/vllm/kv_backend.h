// The attention backend of MLA models, as a release picks it.
#ifndef KVB_VLLM_KV_BACKEND_H
#define KVB_VLLM_KV_BACKEND_H

#include "engines/vllm/context.h"

// --attention-backend, else VLLM_ATTENTION_BACKEND; KVB_BACKEND_AUTO when neither is set.
enum kvb_backend kvb_backend_asked(const struct kvb_context *context);

// The same, or what the release sets for MLA on this device without being asked.
enum kvb_backend kvb_mla_backend_set(const struct kvb_context *context);

// FlashInfer's kernels read keys and values, asked for or by the release's own choice.
bool kvb_takes_flashinfer(const struct kvb_context *context);

// The first layer of a model that keeps a latent; NULL when none does.
const struct kvb_attention_shape *kvb_latent_shape(const struct kvb_model *model);

// All zero when the release, device or model leaves nothing to choose.
struct kvb_mla_backend kvb_mla_backend_of(const struct kvb_context *context);

// As the engine spells it; "" for backends that are not of MLA.
const char *kvb_backend_name(enum kvb_backend backend);

#endif
