// Tables: the releases at which what is charged changed, names of model families, classes of cards, kinds of attention.
#include "groups.h"

#include <string.h>

#include "base/text.h"
#include "engines/vllm/residual.h"

// V1 only; V0 is one era of its own. The first row whose release is not below the run's holds.
static const struct {
    uint32_t before; // release
    const char *label;
} eras[] = {
    {KVB_RELEASE(0, 11, 0), "V1, up to 0.10"},
    {KVB_RELEASE(0, 17, 0), "0.11 to 0.16"},
    {KVB_RELEASE(0, 19, 0), "0.17 and 0.18"},
    {KVB_RELEASE(0, 20, 0), "0.19"},
    {UINT32_MAX, "0.20 and later"},
};

// The first row whose part is in the name.
static const struct {
    const char *part, *label;
} families[] = {
    {"gpt-oss", "gpt-oss"},
    {"qwen3-next", "Qwen3-Next, Qwen3.5"},
    {"qwen3.5", "Qwen3-Next, Qwen3.5"},
    {"qwen3", "Qwen3"},
    {"-vl-", "other vision"},
    {"qwen", "Qwen1.5, Qwen2, Qwen2.5"},
    {"llama-4", "Llama 4"},
    {"llama", "Llama 2, 3 and code"},
    {"mixtral", "Mistral, Mixtral"},
    {"mistral", "Mistral, Mixtral"},
    {"gemma", "Gemma"},
    {"deepseek", "DeepSeek"},
    {"granite", "Granite"},
    {"phi-", "Phi"},
    {"opt-", "OPT"},
    {"minimax", "MiniMax"},
    {"", "other"},
};

const char *group_era(const struct run *run)
{
    size_t i = 0;
    if (run->v0) {
        return "V0";
    }
    while (run->release >= eras[i].before) {
        i++;
    }
    return eras[i].label;
}

const char *group_family(const struct run *run)
{
    const char *shape = run_cell(run, "shape");
    const char *name = shape[0] != '\0' ? shape : run_cell(run, "model");
    size_t i = 0;
    while (families[i].part[0] != '\0' && !kvb_contains_ignoring_case(name, families[i].part)) {
        i++;
    }
    return families[i].label;
}

const char *group_gpu(const struct run *run)
{
    const char *name = run_cell(run, "gpu");
    return name[0] != '\0' ? name : run_cell(run, "gpu_memory");
}

// The first row whose part is in the GPU's name.
static const struct {
    const char *part, *label;
} card_classes[] = {
    {"GB10", "GB10"},
    {"8060S", "Strix Halo"},
    {"Thor", "Jetson"},
    {"Orin", "Jetson"},
    {"RTX PRO", "RTX PRO Blackwell"},
    {"RTX 50", "RTX 50"},
    {"RTX 40", "RTX 40"},
    {"RTX 30", "RTX 30"},
    {"RTX A", "workstation, Ampere and Ada"},
    {"Ada Generation", "workstation, Ampere and Ada"},
    {"GH200", "GH200"},
    {"GB200", "B200, B300"},
    {"B200", "B200, B300"},
    {"B300", "B200, B300"},
    {"H100", "H100, H800, H20"},
    {"H800", "H100, H800, H20"},
    {"H200", "H200"},
    {"H20", "H100, H800, H20"},
    {"A100", "A100, A800"},
    {"A800", "A100, A800"},
    {"L40", "L4, L40S, A10, A10G"},
    {"L4", "L4, L40S, A10, A10G"},
    {"A10", "L4, L40S, A10, A10G"},
    {"T4", "T4, V100, RTX 20"},
    {"V100", "T4, V100, RTX 20"},
    {"RTX 20", "T4, V100, RTX 20"},
    {"Instinct", "AMD Instinct"},
    {"Radeon", "AMD Radeon"},
};

const char *group_card_class(const struct run *run)
{
    const char *name = run_cell(run, "gpu");
    for (size_t i = 0; i < sizeof card_classes / sizeof card_classes[0]; i++) {
        if (strstr(name, card_classes[i].part) != NULL) {
            return card_classes[i].label;
        }
    }
    return name[0] == '\0' ? "known by its size only" : "other";
}

const char *group_kind(const struct run *run)
{
    return run->kind;
}

const char *group_start(const struct run *run)
{
    const char *cache = run_cell(run, "compile_cache");
    if (run->v0 || run->release < KVB_RELEASE(0, 20, 0)) {
        return "to 0.19, where it does not matter";
    }
    if (strcmp(cache, "cold") == 0) {
        return "first start, by its source";
    }
    return strcmp(cache, "warm") == 0 ? "next start, by its source" : "its source does not say";
}

const char *group_of_model(const struct kvb_model *model)
{
    const char *attention = kvb_attention_group(model);
    if (attention[0] != '\0') {
        return attention;
    }
    if (model->encoder.family != KVB_ENCODER_NONE) {
        return "full attention, pictures or sound";
    }
    for (uint8_t i = 0; i < model->kind_count; i++) {
        if (model->kinds[i].mlp.experts > 0) {
            return "full attention, experts";
        }
    }
    return "full attention, dense";
}
