// Words for the kinds of a model: attention, number format, quantisation, tensor role.
#include <kvbudget/model.h>

static const char *const attention_names[KVB_ATTENTION_COUNT] = {
    [KVB_ATTENTION_NONE] = "none",       [KVB_ATTENTION_FULL] = "full",     [KVB_ATTENTION_SLIDING] = "sliding",
    [KVB_ATTENTION_CHUNKED] = "chunked", [KVB_ATTENTION_MLA] = "mla",       [KVB_ATTENTION_CROSS] = "cross",
    [KVB_ATTENTION_MAMBA1] = "mamba1",   [KVB_ATTENTION_MAMBA2] = "mamba2", [KVB_ATTENTION_LINEAR] = "linear",
    [KVB_ATTENTION_GDN] = "gdn",         [KVB_ATTENTION_KDA] = "kda",       [KVB_ATTENTION_SHORT_CONV] = "short_conv",
    [KVB_ATTENTION_ENCODER] = "encoder", [KVB_ATTENTION_DSV4] = "dsv4",
};

struct dtype_row {
    const char *name;
    uint32_t bytes;
};
static const struct dtype_row dtypes[KVB_DTYPE_COUNT] = {
    [KVB_DTYPE_BF16] = {"bfloat16", 2},
    [KVB_DTYPE_FP16] = {"float16", 2},
    [KVB_DTYPE_FP32] = {"float32", 4},
};

static const char *const quantisation_names[KVB_QUANT_COUNT] = {
    [KVB_QUANT_NONE] = "none",   [KVB_QUANT_FP8] = "fp8",     [KVB_QUANT_INT8] = "int8", [KVB_QUANT_AWQ] = "awq",
    [KVB_QUANT_GPTQ] = "gptq",   [KVB_QUANT_WNA16] = "wna16", [KVB_QUANT_BNB4] = "bnb4", [KVB_QUANT_BNB8] = "bnb8",
    [KVB_QUANT_MXFP4] = "mxfp4", [KVB_QUANT_NVFP4] = "nvfp4", [KVB_QUANT_GGUF] = "gguf",
};

static const char *const role_names[KVB_ROLE_COUNT] = {
    [KVB_ROLE_EMBEDDING] = "embedding",
    [KVB_ROLE_HEAD] = "head",
    [KVB_ROLE_NORM] = "norm",
    [KVB_ROLE_ATTENTION] = "attention",
    [KVB_ROLE_MLP] = "mlp",
    [KVB_ROLE_ROUTER] = "router",
    [KVB_ROLE_EXPERTS] = "experts",
    [KVB_ROLE_SHARED_EXPERT] = "shared_expert",
    [KVB_ROLE_VISION] = "vision",
    [KVB_ROLE_AUDIO] = "audio",
    [KVB_ROLE_PROJECTOR] = "projector",
    [KVB_ROLE_MTP] = "mtp",
    [KVB_ROLE_OTHER] = "other",
};

static const char *word(const char *const *names, uint32_t count, uint32_t index)
{
    return index < count ? names[index] : "unknown";
}

const char *kvb_attention_name(enum kvb_attention kind)
{
    return word(attention_names, KVB_ATTENTION_COUNT, (uint32_t)kind);
}

const char *kvb_dtype_name(enum kvb_dtype dtype)
{
    return (uint32_t)dtype < KVB_DTYPE_COUNT ? dtypes[dtype].name : "unknown";
}

uint32_t kvb_dtype_bytes(enum kvb_dtype dtype)
{
    return (uint32_t)dtype < KVB_DTYPE_COUNT ? dtypes[dtype].bytes : 0;
}

const char *kvb_quantisation_name(enum kvb_quantisation_method method)
{
    return word(quantisation_names, KVB_QUANT_COUNT, (uint32_t)method);
}

const char *kvb_role_name(enum kvb_role role)
{
    return word(role_names, KVB_ROLE_COUNT, (uint32_t)role);
}
