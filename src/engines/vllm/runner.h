// Buffers of the model runner beside weights and cache.
#ifndef KVB_ENGINES_VLLM_RUNNER_H
#define KVB_ENGINES_VLLM_RUNNER_H

#include "budget/estimate.h"
#include "engines/vllm/context.h"

// On the device.
uint64_t kvb_runner_device_bytes(const struct kvb_context *context);
// Pinned memory of the host.
uint64_t kvb_runner_host_bytes(const struct kvb_context *context);
// Files of the checkpoint that --load-format fastsafetensors leaves pinned in memory shared with the host.
struct kvb_estimate kvb_pinned_files(const struct kvb_context *context, uint64_t weights_bytes);

#endif
