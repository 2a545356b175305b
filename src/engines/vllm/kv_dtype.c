// What attention layers store: --kv-cache-dtype, what the checkpoint declares, and what the model's class makes of it.
// Source: vllm/engine/arg_utils.py, utils/torch_utils.py resolve_kv_cache_dtype_string, model_executor/models/config.py
// DeepseekV32ForCausalLM, model_executor/layers/attention/{attention,mla_attention}.py.
#include "budget/shapes.h"
#include "engines/vllm/kv.h"

#include <string.h>

#include "base/text.h"
#include "engines/vllm/kv_backend.h"

// Up to 0.17 the model's class chose DeepSeek's packed layout, and only this class did.
static bool is_v32(const struct kvb_model *model)
{
    return strcmp(model->architecture, "DeepseekV32ForCausalLM") == 0;
}

static bool is_fp8(enum kvb_kv_dtype word)
{
    return word == KVB_KV_FP8 || word == KVB_KV_FP8_E4M3 || word == KVB_KV_FP8_E5M2;
}

static enum kvb_kv_dtype by_checkpoint(const struct kvb_context *context, enum kvb_kv_dtype asked)
{
    uint32_t modelopt = kvb_rule(context, KVB_RULE_QUANT_KV_AUTO);
    uint32_t scheme = kvb_rule(context, KVB_RULE_KV_SCHEME);
    switch (context->model->quantisation.cache) {
    case KVB_DECLARED_FP8:
        return asked == KVB_KV_AUTO && modelopt >= 1 ? KVB_KV_FP8_E4M3 : asked;
    case KVB_DECLARED_NVFP4:
        return asked == KVB_KV_AUTO && modelopt >= 2 ? KVB_KV_NVFP4 : asked;
    case KVB_DECLARED_SCHEME: // read by plain attention layers only
        return !kvb_model_is_mla(context->model) && (scheme == 1 || (scheme == 2 && asked == KVB_KV_AUTO)) ? KVB_KV_FP8
                                                                                                           : asked;
    default:
        return asked;
    }
}

// MiMo-V2's decoder hands no cache_config to its attention (models/mimo_v2_flash.py and mimo_v2.py).
static bool takes_no_word(const struct kvb_model *model)
{
    return kvb_starts_with(model->architecture, "MiMoV2");
}

static enum kvb_kv_dtype by_class(const struct kvb_context *context, enum kvb_kv_dtype word)
{
    if (takes_no_word(context->model)) {
        return KVB_KV_AUTO;
    }
    uint32_t rule = kvb_rule(context, KVB_RULE_DS_MLA);
    if (rule == 0 || !is_v32(context->model)) {
        return word;
    }
    if (word == KVB_KV_16BIT) {
        return KVB_KV_AUTO;
    }
    bool packs = rule == 1 ? word == KVB_KV_AUTO || is_fp8(word) : rule == 2 && is_fp8(word);
    return packs ? KVB_KV_FP8_DS_MLA : word;
}

// From 0.18 the backend decides: sparse kernels store fp8 packed but for FlashInfer's TRTLLM ones; those of SM120 pack
// 16 bit as well.
static bool backend_packs(const struct kvb_context *context)
{
    enum kvb_kv_dtype word = context->kv_word;
    if (kvb_rule(context, KVB_RULE_DS_MLA) < 3 || !kvb_model_is_sparse(context->model)) {
        return false;
    }
    if (context->mla_backend.packs_16bit) {
        return is_fp8(word) || word == KVB_KV_AUTO;
    }
    return is_fp8(word) && context->mla_backend.backend != KVB_BACKEND_FLASHINFER_MLA_SPARSE;
}

void kvb_kv_dtype_resolve(struct kvb_context *context)
{
    enum kvb_kv_dtype asked = (enum kvb_kv_dtype)kvb_number(context->plan, KVB_SET_KV_CACHE_DTYPE);
    context->kv_word = by_class(context, by_checkpoint(context, asked));
    context->mla_backend = kvb_mla_backend_of(context);
    if (backend_packs(context)) {
        context->kv_dtype = KVB_KV_FP8_DS_MLA;
    } else {
        context->kv_dtype = is_fp8(context->kv_word) ? KVB_KV_FP8 : context->kv_word;
    }
}
