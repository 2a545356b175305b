// Two tables: the releases at which what is charged changed, and names of model families.
#include "groups.h"

#include "base/text.h"

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
