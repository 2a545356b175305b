// What to try when it does not fit, least harm first; and the trade: how long a context fits with so many layers on
// the GPU and a cache of these elements.
#include "engines/llamacpp/ladder.h"

#include "base/checked.h"
#include "budget/shapes.h"

#define SHORTEST 2048U

static uint32_t smaller_cache(const struct kvb_plan *plan, const struct kvb_budget *budget,
                              uint64_t out[KVB_CANDIDATES_MAX], enum kvb_setting setting)
{
    (void)plan;
    uint32_t count = 0;
    uint64_t now = kvb_effective(budget, setting);
    bool flash = kvb_effective(budget, KVB_SET_FLASH_ATTENTION) == KVB_ON || setting == KVB_SET_CACHE_TYPE_K;
    if (flash && (now == KVB_GGUF_F16 || now == KVB_GGUF_F32 || now == KVB_GGUF_BF16)) {
        out[count++] = KVB_GGUF_Q8_0;
    }
    if (flash && now != KVB_GGUF_Q4_0) {
        out[count++] = KVB_GGUF_Q4_0;
    }
    return count;
}

static uint32_t smaller_keys(const struct kvb_plan *plan, const struct kvb_budget *budget,
                             uint64_t out[KVB_CANDIDATES_MAX])
{
    return smaller_cache(plan, budget, out, KVB_SET_CACHE_TYPE_K);
}

static uint32_t smaller_values(const struct kvb_plan *plan, const struct kvb_budget *budget,
                               uint64_t out[KVB_CANDIDATES_MAX])
{
    return smaller_cache(plan, budget, out, KVB_SET_CACHE_TYPE_V);
}

static uint32_t smaller_graphs(const struct kvb_plan *plan, const struct kvb_budget *budget,
                               uint64_t out[KVB_CANDIDATES_MAX])
{
    uint32_t count = 0;
    (void)plan;
    for (uint64_t tokens = kvb_effective(budget, KVB_SET_UBATCH_SIZE) / 2; tokens >= 64 && count < 3; tokens /= 2) {
        out[count++] = tokens;
    }
    return count;
}

static uint32_t flash(const struct kvb_plan *plan, const struct kvb_budget *budget, uint64_t out[KVB_CANDIDATES_MAX])
{
    (void)plan;
    out[0] = KVB_ON;
    return kvb_effective(budget, KVB_SET_FLASH_ATTENTION) == KVB_ON ? 0 : 1;
}

static uint32_t shorter(const struct kvb_plan *plan, const struct kvb_budget *budget, uint64_t out[KVB_CANDIDATES_MAX])
{
    uint32_t count = 0;
    uint64_t now = kvb_effective(budget, KVB_SET_MAX_MODEL_LEN);
    (void)plan;
    for (uint64_t tokens = now / 2; tokens >= SHORTEST && count < 6; tokens /= 2) {
        out[count++] = tokens - tokens % 256;
    }
    return count;
}

static uint32_t other_slots(const struct kvb_plan *plan, const struct kvb_budget *budget,
                            uint64_t out[KVB_CANDIDATES_MAX])
{
    uint64_t wanted = kvb_div_up(plan->need.concurrency_hundredths, 100);
    uint64_t slots = kvb_effective(budget, KVB_SET_MAX_NUM_SEQS);
    bool more = wanted > slots;
    out[0] = more ? wanted : 1;
    return more || (slots > 1 && wanted <= 1) ? 1 : 0;
}

static uint32_t experts_on_host(const struct kvb_plan *plan, const struct kvb_budget *budget,
                                uint64_t out[KVB_CANDIDATES_MAX])
{
    uint32_t count = 0, layers = plan->model.layer_count;
    uint64_t now = kvb_effective(budget, KVB_SET_CPU_MOE_LAYERS);
    for (uint32_t eighths = 1; kvb_model_has_experts(&plan->model) && eighths <= 8; eighths++) {
        uint64_t tried = (uint64_t)layers * eighths / 8;
        if (tried > now) {
            out[count++] = tried;
        }
    }
    return count;
}

static uint32_t fewer_layers(const struct kvb_plan *plan, const struct kvb_budget *budget,
                             uint64_t out[KVB_CANDIDATES_MAX])
{
    uint32_t count = 0;
    uint64_t now = kvb_min(kvb_effective(budget, KVB_SET_GPU_LAYERS), (uint64_t)plan->model.layer_count + 1);
    for (uint64_t twelfths = 11; twelfths > 0; twelfths--) {
        uint64_t tried = now * twelfths / 12;
        if (tried > 0 && (count == 0 || tried < out[count - 1])) {
            out[count++] = tried;
        }
    }
    return count;
}

static uint32_t more_gpus(const struct kvb_plan *plan, const struct kvb_budget *budget,
                          uint64_t out[KVB_CANDIDATES_MAX])
{
    uint32_t count = 0;
    (void)budget;
    for (uint64_t gpus = kvb_gpu_count(&plan->settings) + 1; gpus <= 8 && count < 4; gpus++) {
        out[count++] = gpus;
    }
    return count;
}

const struct kvb_rung *kvb_llamacpp_rungs(size_t *count)
{
    static const struct kvb_rung rows[] = {
        {KVB_SET_FLASH_ATTENTION, flash, false, false, "attention without a buffer of heads times context", false},
        {KVB_SET_UBATCH_SIZE, smaller_graphs, false, false, "a smaller compute buffer; prompts are read slower", false},
        {KVB_SET_CACHE_TYPE_K, smaller_keys, false, false, "smaller keys in the cache", false},
        {KVB_SET_CACHE_TYPE_V, smaller_values, false, false, "smaller values in the cache", false},
        {KVB_SET_MAX_NUM_SEQS, other_slots, false, false,
         "another count of slots; windows and states are kept for each", false},
        {KVB_SET_MAX_MODEL_LEN, shorter, false, false, "a shorter context", false},
        {KVB_SET_CPU_MOE_LAYERS, experts_on_host, false, false, "experts of the first layers in the host's memory",
         false},
        {KVB_SET_GPU_LAYERS, fewer_layers, false, false, "the other layers run on the CPU, several times slower",
         false},
        {KVB_SET_TENSOR_PARALLEL_SIZE, more_gpus, true, false, "splits the layers over more GPUs", false},
    };
    *count = sizeof rows / sizeof rows[0];
    return rows;
}

const struct kvb_rung *kvb_ollama_rungs(size_t *count)
{
    static const struct kvb_rung rows[] = {
        {KVB_SET_UBATCH_SIZE, smaller_graphs, false, false, "a smaller compute buffer; prompts are read slower", false},
        {KVB_SET_CACHE_TYPE_K, smaller_keys, false, false, "smaller elements of the cache", false},
        {KVB_SET_MAX_NUM_SEQS, other_slots, false, false, "another count of requests at once", false},
        {KVB_SET_MAX_MODEL_LEN, shorter, false, false, "a shorter context", false},
        {KVB_SET_GPU_LAYERS, fewer_layers, false, false, "the other layers run on the CPU, several times slower",
         false},
        {KVB_SET_TENSOR_PARALLEL_SIZE, more_gpus, true, false, "splits the layers over more GPUs", false},
    };
    *count = sizeof rows / sizeof rows[0];
    return rows;
}

// Six of them.
static void add_step(struct kvb_budget *budget, const char *name, const char *formula, uint64_t layers, uint64_t all,
                     uint64_t tokens)
{
    struct kvb_step *step = &budget->steps[budget->step_count++];
    *step = (struct kvb_step){.name = name,
                              .formula = formula,
                              .source = "src/llama-kv-cache.cpp and ggml/src/ggml-alloc.c",
                              .values = {(int64_t)layers, (int64_t)all},
                              .result = (int64_t)tokens,
                              .unit = KVB_UNIT_TOKENS};
}

static uint64_t limit_of(const struct kvb_plan *plan, const struct kvb_llama_start *start)
{
    uint64_t slots = start->run.unified ? 1 : start->run.sequences;
    return kvb_mul(plan->model.context_tokens, slots);
}

static uint64_t free_for_buffers(const struct kvb_budget *budget)
{
    uint64_t context = (uint64_t)(budget->items[KVB_ITEM_NON_TORCH].bytes + budget->items[KVB_ITEM_OTHER].bytes);
    return kvb_less(budget->free_bytes, context);
}

static uint64_t longest_of(const struct kvb_plan *plan, const struct kvb_llama_start *start,
                           const struct kvb_budget *budget, bool measured)
{
    return kvb_llama_longest(start, measured, free_for_buffers(budget), limit_of(plan, start));
}

uint64_t kvb_llama_longest_of(const struct kvb_plan *plan, const struct kvb_llama_start *start,
                              const struct kvb_budget *budget)
{
    return longest_of(plan, start, budget, true);
}

void kvb_llama_trade(const struct kvb_plan *plan, const struct kvb_llama_start *start, struct kvb_budget *budget)
{
    static const struct {
        const char *name;
        enum kvb_llama_cache type;
    } types[] = {{"longest f16", KVB_LLAMA_CACHE_F16}, {"longest q8_0", KVB_LLAMA_CACHE_Q8_0}};
    uint32_t all = plan->model.layer_count + 1;
    for (uint32_t quarter = 4; quarter >= 2 && start->run.devices > 0; quarter--) {
        for (size_t i = 0; i < sizeof types / sizeof types[0]; i++) {
            struct kvb_llama_start tried = *start;
            tried.run.gpu_layers = all * quarter / 4;
            tried.run.key_type = types[i].type;
            tried.run.value_type = tried.run.flash ? types[i].type : tried.run.value_type;
            add_step(budget, types[i].name, "with {0:n} of {1:n} layers on the GPU", tried.run.gpu_layers, all,
                     longest_of(plan, &tried, budget, false));
        }
    }
}
