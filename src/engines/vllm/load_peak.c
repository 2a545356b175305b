// Peaks on the way: quantising while loading, and laying matrices out anew for a kernel.
// Source: model_executor/layers/quantization/fp8.py create_weights and process_weights_after_loading (v0.4.2 to
// v0.27.1), ptpc_fp8.py, model_loader/bitsandbytes_loader.py, quantization/gptq_marlin.py, awq_marlin.py, mxfp4.py.
#include "engines/vllm/load_peak.h"

#include <string.h>

#include "base/checked.h"
#include "budget/gpu_facts.h"
#include "engines/vllm/refusal.h"

#define R(minor, patch) KVB_RELEASE(0, minor, patch)

// How a release makes 8-bit weights of a 16-bit checkpoint. Until 0.15.1 create_weights allocates every matrix at the
// model's dtype on the device; from 0.16.0 on a matrix is made on the "meta" device and becomes real with its first
// weight, layer by layer (experts: both matrices of the layer).
#define STREAMS_SINCE R(16, 0)
#define PTPC_STREAMS_SINCE R(20, 0) // the word is read by quantization/online from there on

struct peak_row {
    bool (*holds)(const struct kvb_context *context);
    uint64_t (*bytes)(const struct kvb_context *context, const struct kvb_weights *weights);
    const char *why;
};

static bool is_fp8_word(uint64_t word)
{
    return word == KVB_QUANTIZATION_FP8 || word == KVB_QUANTIZATION_FP8_PER_TENSOR ||
           word == KVB_QUANTIZATION_FP8_PER_BLOCK || word == KVB_QUANTIZATION_FP8_PER_CHANNEL ||
           word == KVB_QUANTIZATION_PTPC_FP8 || word == KVB_QUANTIZATION_MXFP8;
}

static bool makes_fp8(const struct kvb_context *context)
{
    return !context->plan->stored_quantised && context->model->quantisation.method == KVB_QUANT_NONE &&
           is_fp8_word(kvb_number(context->plan, KVB_SET_QUANTIZATION));
}

static bool loads_whole(const struct kvb_context *context)
{
    bool ptpc = kvb_number(context->plan, KVB_SET_QUANTIZATION) == KVB_QUANTIZATION_PTPC_FP8;
    return makes_fp8(context) && context->release < (ptpc ? PTPC_STREAMS_SINCE : STREAMS_SINCE);
}

static bool makes_bnb(const struct kvb_context *context)
{
    return !context->plan->stored_quantised && context->model->quantisation.method == KVB_QUANT_NONE &&
           kvb_number(context->plan, KVB_SET_QUANTIZATION) == KVB_QUANTIZATION_BITSANDBYTES;
}

static bool lays_out_anew(const struct kvb_context *context)
{
    char word[48];
    const char *method = kvb_method_used(context, word);
    enum kvb_quantisation_method stored = context->model->quantisation.method;
    uint32_t capability = context->gpu->compute_capability;
    bool fp8_on_marlin =
        stored == KVB_QUANT_FP8 && capability > 0 && capability < KVB_CAPABILITY_ADA; // laid out for Marlin
    return (method != NULL && strstr(method, "marlin") != NULL) || stored == KVB_QUANT_MXFP4 ||
           stored == KVB_QUANT_NVFP4 || stored == KVB_QUANT_WNA16 || fp8_on_marlin;
}

// The first layer's 8-bit copy is made while all others are still whole.
static uint64_t whole_and_copy(const struct kvb_context *context, const struct kvb_weights *weights)
{
    (void)context;
    uint64_t plain = weights->unquantised_bytes;
    uint64_t more = plain - kvb_min(plain, weights->total_bytes);
    return kvb_add(more, weights->largest_stored_bytes);
}

// A layer of experts has two matrices, the second half as large as the first.
static uint64_t one_layer_plain(const struct kvb_context *context, const struct kvb_weights *weights)
{
    uint64_t plain = weights->largest_plain_bytes;
    return kvb_model_has_experts(context->model) ? kvb_add(plain, plain / 2) : plain;
}

static uint64_t one_matrix_plain(const struct kvb_context *context, const struct kvb_weights *weights)
{
    (void)context;
    return weights->largest_plain_bytes;
}

static uint64_t one_copy(const struct kvb_context *context, const struct kvb_weights *weights)
{
    (void)context;
    return weights->largest_stored_bytes;
}

static const struct peak_row rows[] = {
    {loads_whole, whole_and_copy,
     "this release puts all of them there in 16 bits before it makes them 8-bit (one layer at a time from 0.16.0)"},
    {makes_fp8, one_layer_plain, "a layer is there in 16 bits before it is made 8-bit"},
    {makes_bnb, one_matrix_plain, "a matrix is there in 16 bits before it is made 4-bit"},
    {lays_out_anew, one_copy, "a matrix is there twice while it is laid out for its kernel"},
};

uint64_t kvb_load_extra(const struct kvb_context *context, const struct kvb_weights *weights, const char **why)
{
    *why = NULL;
    for (size_t i = 0; i < sizeof rows / sizeof rows[0]; i++) {
        if (rows[i].holds(context) && !context->plan->stated[KVB_STATED_WEIGHTS].set) {
            *why = rows[i].why;
            return rows[i].bytes(context, weights);
        }
    }
    return 0;
}
