// What is free before the weights are loaded and what loading takes. Source: sgl-project/sglang,
// python/sglang/srt/model_executor/model_runner.py (init_torch_distributed, load_model), layers/quantization/fp8.py.
#include "budget/shapes.h"
#include "engines/sglang/context.h"

#include <kvbudget/units.h>

#include "base/checked.h"
#include "budget/weights/weights.h"

// Weights are this much more than their tensors: many small ones are rounded up by the allocator.
#define BUFFERS_BYTES (UINT64_C(80) << 20)
#define BUFFERS_HIGH_BYTES (UINT64_C(256) << 20)

// A stated non-torch term takes the place of context and communication.
struct kvb_estimate kvb_sgl_gone(const struct kvb_sgl_context *context)
{
    const struct kvb_stated_term *stated = &context->plan->stated[KVB_STATED_NON_TORCH];
    if (stated->set) {
        return (struct kvb_estimate){stated->bytes, stated->bytes, stated->bytes};
    }
    struct kvb_estimate gone = kvb_sgl_before_load(context);
    const struct kvb_calibration *calibration = &context->plan->calibration;
    if (calibration->set && calibration->known[KVB_ITEM_NON_TORCH]) {
        // what the pool lacks is a share of what was gone before
        int64_t lacking = calibration->offset_bytes[KVB_ITEM_NON_TORCH] * 1000;
        int64_t thousandths = (int64_t)kvb_max(context->defaults.fraction_ppb / (KVB_SGL_PPB / 1000), 1);
        int64_t bytes = (int64_t)gone.bytes + lacking / thousandths;
        gone.bytes = bytes > 0 ? (uint64_t)bytes : 0;
        gone.low_bytes = gone.high_bytes = gone.bytes;
    }
    return gone;
}

struct kvb_estimate kvb_sgl_before(const struct kvb_sgl_context *context)
{
    const struct kvb_plan *plan = context->plan;
    struct kvb_estimate gone = kvb_sgl_gone(context);
    uint64_t start = plan->gpu.memory_bytes;
    start = plan->gpu_free_stated ? kvb_min(plan->gpu_free_bytes, start) : kvb_less(start, kvb_held_by_reserves(plan));
    return (struct kvb_estimate){kvb_less(start, gone.bytes), kvb_less(start, gone.high_bytes),
                                 kvb_less(start, gone.low_bytes)};
}

struct kvb_estimate kvb_sgl_loaded(const struct kvb_sgl_context *context, const struct kvb_weights *weights)
{
    const struct kvb_stated_term *stated = &context->plan->stated[KVB_STATED_WEIGHTS];
    const struct kvb_model *model = context->setup.model;
    if (stated->set) {
        return (struct kvb_estimate){stated->bytes, stated->bytes, stated->bytes};
    }
    struct kvb_estimate repacked = kvb_sgl_repacked(context, weights);
    uint64_t bytes = kvb_add(kvb_add(weights->total_bytes, BUFFERS_BYTES), repacked.bytes);
    if (kvb_sgl_drafts_first(context)) {
        bytes = kvb_add(bytes, kvb_sgl_draft_weights(context));
    }
    const struct kvb_calibration *calibration = &context->plan->calibration;
    if (calibration->set && calibration->known[KVB_ITEM_WEIGHTS]) {
        int64_t moved = (int64_t)bytes + calibration->offset_bytes[KVB_ITEM_WEIGHTS];
        bytes = moved > 0 ? (uint64_t)moved : 0;
    }
    uint64_t low = bytes / 200 + (repacked.bytes - repacked.low_bytes);
    uint64_t high = bytes / 100 + BUFFERS_HIGH_BYTES + (repacked.high_bytes - repacked.bytes);
    if (model->quantisation.method == KVB_QUANT_MXFP4 || model->quantisation.expert_method == KVB_QUANT_MXFP4) {
        high = kvb_add(high, bytes / 8); // prepared for the kernels
    }
    low = kvb_add(low, bytes / KVB_PPM * model->assumed_low_ppm);
    high = kvb_add(high, bytes / KVB_PPM * model->assumed_high_ppm);
    return (struct kvb_estimate){bytes, kvb_less(bytes, low), kvb_add(bytes, high)};
}

// layers/quantization/fp8.py, every release: create_weights allocates a 16-bit checkpoint as it is, and
// process_weights_after_loading makes it 8-bit once all of it is there.
uint64_t kvb_sgl_loading(const struct kvb_sgl_context *context, const struct kvb_weights *weights)
{
    const struct kvb_plan *plan = context->plan;
    uint64_t plain = weights->unquantised_bytes;
    bool shrinks = kvb_number(plan, KVB_SET_QUANTIZATION) == KVB_QUANTIZATION_FP8 && !plan->stored_quantised &&
                   context->setup.model->quantisation.method == KVB_QUANT_NONE && !plan->stated[KVB_STATED_WEIGHTS].set;
    return shrinks ? plain : 0;
}
