// What each release of Ollama does: the llama.cpp in it, defaults, classes that its own engine draws.
// Source: llm/llama.cpp and Makefile.sync (the commit it ships), api/types.go, envconfig/config.go, server/sched.go
// (defaultParallel), server/routes.go (default_num_ctx), fs/ggml/ggml.go (OllamaEngineRequired, FlashAttention,
// SupportsFlashAttention, SupportsKVCacheType), llm/server.go, by tag from v0.2.0 to v0.33.0.
#include "engines/llamacpp/ollama.h"

#include <string.h>

#include <kvbudget/units.h>

#include "base/checked.h"
#include "budget/shapes.h"

#define LARGE (47 * KVB_GIB)
#define MIDDLE (23 * KVB_GIB)

static const struct {
    uint32_t since, build;
} shipped[] = {
    {KVB_RELEASE(0, 32, 15), 10488}, {KVB_RELEASE(0, 32, 14), 10434}, {KVB_RELEASE(0, 32, 10), 10380},
    {KVB_RELEASE(0, 32, 8), 10353},  {KVB_RELEASE(0, 32, 6), 10242},  {KVB_RELEASE(0, 32, 3), 10091},
    {KVB_RELEASE(0, 32, 2), 10069},  {KVB_RELEASE(0, 31, 2), 9888},   {KVB_RELEASE(0, 31, 0), 9840},
    {KVB_RELEASE(0, 30, 11), 9781},  {KVB_RELEASE(0, 30, 10), 9672},  {KVB_RELEASE(0, 30, 9), 9626},
    {KVB_RELEASE(0, 30, 5), 9509},   {KVB_RELEASE(0, 30, 4), 9493},   {KVB_RELEASE(0, 30, 1), 9479},
    {KVB_RELEASE(0, 30, 0), 9452},   {KVB_RELEASE(0, 13, 5), 7437},   {KVB_RELEASE(0, 13, 3), 7345},
    {KVB_RELEASE(0, 13, 2), 7209},   {KVB_RELEASE(0, 12, 11), 6840},  {KVB_RELEASE(0, 12, 6), 6752},
    {KVB_RELEASE(0, 12, 4), 6646},   {KVB_RELEASE(0, 11, 5), 6121},   {KVB_RELEASE(0, 7, 0), 5359},
    {KVB_RELEASE(0, 6, 8), 5237},    {KVB_RELEASE(0, 6, 7), 5162},    {KVB_RELEASE(0, 6, 6), 5125},
    {KVB_RELEASE(0, 5, 13), 4779},   {KVB_RELEASE(0, 5, 5), 4419},    {KVB_RELEASE(0, 5, 3), 4327},
    {KVB_RELEASE(0, 5, 2), 4260},    {KVB_RELEASE(0, 3, 14), 3862},   {KVB_RELEASE(0, 3, 10), 3661},
    {KVB_RELEASE(0, 3, 4), 3535},    {KVB_RELEASE(0, 3, 1), 3485},    {KVB_RELEASE(0, 2, 8), 3440},
    {KVB_OLLAMA_OLDEST, 3337},
};

uint32_t kvb_ollama_build(uint32_t release)
{
    size_t i = 0;
    while (i + 1 < sizeof shipped / sizeof shipped[0] && release < shipped[i].since) {
        i++;
    }
    return shipped[i].build;
}

bool kvb_ollama_estimates(uint32_t release)
{
    return release < KVB_RELEASE(0, 30, 0);
}

bool kvb_ollama_lays_out(uint32_t release)
{
    return release >= KVB_RELEASE(0, 12, 11);
}

uint32_t kvb_ollama_usual_slots(uint32_t release)
{
    return release < KVB_RELEASE(0, 6, 7) ? 4 : release < KVB_RELEASE(0, 10, 0) ? 2 : 1;
}

uint64_t kvb_ollama_usual_context(uint32_t release, uint64_t memory_bytes)
{
    if (release < KVB_RELEASE(0, 15, 5)) {
        return release < KVB_RELEASE(0, 6, 7) ? 2048 : 4096;
    }
    return memory_bytes >= LARGE ? 262144 : memory_bytes >= MIDDLE ? 32768 : 4096;
}

bool kvb_ollama_caps_context(uint32_t release)
{
    return release >= KVB_RELEASE(0, 10, 0);
}

// ---- Classes

struct class_row {
    const char *name; // how the class begins
    uint32_t since;
};

uint32_t kvb_ollama_draws_since(uint32_t release, const struct kvb_model *model)
{
    static const struct class_row rows[] = {
        {"Gemma3n", KVB_RELEASE(0, 9, 3)},
        {"Gemma3For", KVB_RELEASE(0, 6, 0)},
        {"Gemma4", KVB_RELEASE(0, 20, 0)},
        {"Mistral3", KVB_RELEASE(0, 6, 5)},
        {"Llama4", KVB_RELEASE(0, 6, 7)},
        {"Mllama", KVB_RELEASE(0, 7, 0)},
        {"Qwen2_5_VL", KVB_RELEASE(0, 7, 0)},
        {"GptOss", KVB_RELEASE(0, 11, 0)},
        {"Qwen3ForCausalLM", KVB_RELEASE(0, 12, 0)},
        {"Qwen3MoeForCausalLM", KVB_RELEASE(0, 12, 2)},
        {"Qwen3VL", KVB_RELEASE(0, 12, 7)},
        {"DeepseekV2", KVB_RELEASE(0, 13, 0)},
        {"DeepseekV3ForCausalLM", KVB_RELEASE(0, 13, 0)},
        {"Olmo3", KVB_RELEASE(0, 13, 4)},
        {"Glm4MoeLite", KVB_RELEASE(0, 14, 3)},
        {"Lfm2For", KVB_RELEASE(0, 14, 3)},
        {"Qwen3Next", KVB_RELEASE(0, 15, 5)},
        {"Lfm2Moe", KVB_RELEASE(0, 17, 1)},
        {"Qwen3_5", KVB_RELEASE(0, 17, 1)},
        {"NemotronHFor", KVB_RELEASE(0, 17, 1)},
        {"Laguna", KVB_RELEASE(0, 22, 0)},
    };
    bool away = release == KVB_RELEASE(0, 12, 5); // Qwen3 went back to llama.cpp for one release
    for (size_t i = 0; i < sizeof rows / sizeof rows[0]; i++) {
        if (strncmp(model->architecture, rows[i].name, strlen(rows[i].name)) == 0) {
            bool dense = away && strcmp(rows[i].name, "Qwen3ForCausalLM") == 0;
            return release >= rows[i].since && kvb_ollama_estimates(release) && !dense ? rows[i].since : 0;
        }
    }
    return 0;
}

// ---- Flash attention

static bool begins(const struct kvb_model *model, const char *name)
{
    return strncmp(model->architecture, name, strlen(name)) == 0;
}

// Keys and values of one size, and of the classes without a kernel none.
static bool supports_flash(uint32_t release, const struct kvb_model *model)
{
    const struct kvb_attention_shape *shape = NULL;
    for (uint32_t i = 0; i < model->layer_count && shape == NULL; i++) {
        const struct kvb_attention_shape *of = &kvb_kind_of(model, i)->attention;
        shape = of->heads > 0 ? of : NULL; // layers with a state have none
    }
    if (shape == NULL || (begins(model, "Gemma2") && release >= KVB_RELEASE(0, 11, 11)) ||
        (begins(model, "GptOss") && release < KVB_RELEASE(0, 11, 5)) ||
        (begins(model, "Grok") && release >= KVB_RELEASE(0, 19, 0))) {
        return false;
    }
    bool alike =
        shape->kind != KVB_ATTENTION_MLA && (shape->value_head_size == 0 || shape->value_head_size == shape->head_size);
    bool named = begins(model, "Qwen3_5") || begins(model, "Qwen3Next");
    return alike || (named && release >= KVB_RELEASE(0, 17, 1));
}

// What a release turns it on for by itself.
static bool usually_flash(uint32_t release, const struct kvb_model *model)
{
    static const struct class_row rows[] = {
        {"GptOss", KVB_RELEASE(0, 11, 8)},       {"Gemma3For", KVB_RELEASE(0, 12, 6)},
        {"Qwen3For", KVB_RELEASE(0, 12, 4)},     {"Qwen3MoeFor", KVB_RELEASE(0, 12, 4)},
        {"Qwen3VL", KVB_RELEASE(0, 12, 8)},      {"Mistral3", KVB_RELEASE(0, 13, 2)},
        {"Olmo3", KVB_RELEASE(0, 13, 4)},        {"Glm4MoeLite", KVB_RELEASE(0, 14, 3)},
        {"Lfm2For", KVB_RELEASE(0, 14, 3)},      {"Qwen3Next", KVB_RELEASE(0, 15, 5)},
        {"Lfm2Moe", KVB_RELEASE(0, 17, 1)},      {"Qwen3_5", KVB_RELEASE(0, 17, 1)},
        {"NemotronHFor", KVB_RELEASE(0, 17, 1)}, {"Gemma4", KVB_RELEASE(0, 20, 4)},
    };
    for (size_t i = 0; i < sizeof rows / sizeof rows[0]; i++) {
        if (begins(model, rows[i].name)) {
            return release >= rows[i].since;
        }
    }
    return false;
}

static bool is_said_on(const struct kvb_plan *plan)
{
    return kvb_is_set(plan, KVB_SET_FLASH_ATTENTION) && kvb_number(plan, KVB_SET_FLASH_ATTENTION) == KVB_ON;
}

// From 0.13.4 on llama.cpp decides it for what it runs.
static bool leaves_it(uint32_t release, const struct kvb_plan *plan)
{
    return release >= KVB_RELEASE(0, 13, 4) && kvb_ollama_draws_since(release, &plan->model) == 0;
}

bool kvb_ollama_uses_flash(uint32_t release, const struct kvb_plan *plan)
{
    bool said = kvb_is_set(plan, KVB_SET_FLASH_ATTENTION);
    bool cards = plan->gpu.vendor != KVB_VENDOR_NVIDIA || plan->gpu.compute_capability == 0 ||
                 plan->gpu.compute_capability >= 70;
    bool usual = leaves_it(release, plan) || usually_flash(release, &plan->model);
    return (said ? is_said_on(plan) : usual) && cards && supports_flash(release, &plan->model);
}

bool kvb_ollama_takes_cache(uint32_t release, const struct kvb_plan *plan, enum kvb_llama_cache type)
{
    bool known = type == KVB_LLAMA_CACHE_Q8_0 || type == KVB_LLAMA_CACHE_Q4_0;
    bool sinks = begins(&plan->model, "GptOss") && release < KVB_RELEASE(0, 12, 6);
    bool flash = kvb_ollama_uses_flash(release, plan) && (!leaves_it(release, plan) || is_said_on(plan));
    return known && release >= KVB_RELEASE(0, 5, 0) && flash && !sinks;
}
