// Plans like those behind public start-up logs, and the shortest way to their answer.
#ifndef KVB_TESTS_PLANS_H
#define KVB_TESTS_PLANS_H

#include "engines/vllm/context.h"
#include "engines/vllm/load.h"
#include "unit/kv_models.h"
#include "unit/test.h"

#define R(minor, patch) KVB_RELEASE(0, minor, patch)
#define MIB (1ULL << 20)
#define GIB (1ULL << 30)

// 32 layers of 4096, an MLP of 14336, 32 heads and 8 of keys of 128, a vocabulary of 128256.
static inline void make_llama(struct kvb_model *model)
{
    static const struct shape shape = {"Llama-3.1-8B", 32, 32, 8, 128, 0, 0, 0, KVB_ATTENTION_SLIDING, 131072};
    make_model(&shape, model);
    model->hidden_size = 4096;
    model->vocabulary_size = 128256;
    model->kinds[0].mlp.intermediate_size = 14336;
    model->final_norms = 1;
    model->rope_cache_count = 1;
    model->rope_caches[0] = (struct kvb_rope_cache){131072, 128};
}

// Llama-3.1-8B on an H100 of 79.19 GiB at 0.90 with 8192 tokens of context; nothing else is set.
static inline void make_llama_plan(struct kvb_plan *plan, uint32_t release)
{
    make_llama(&plan->model);
    make_plan(plan, release, 0, 8192);
    plan->settings.values[KVB_SET_KV_CACHE_MEMORY_BYTES].set = 0;
    plan->settings.values[KVB_SET_MAX_NUM_BATCHED_TOKENS] = (struct kvb_setting_value){0, 0, 0};
    plan->settings.values[KVB_SET_MAX_NUM_SEQS] = (struct kvb_setting_value){0, 0, 0};
    plan->gpu.memory_bytes = 81088 * MIB;
    set(plan, KVB_SET_GPU_MEMORY_UTILIZATION, 900000);
}

// DeepSeek-V2-Lite's attention in it: 16 heads, latent of 512.
static inline void make_latent_plan(struct kvb_plan *plan, uint32_t release, uint64_t length, uint64_t seqs)
{
    make_llama_plan(plan, release);
    struct kvb_attention_shape *shape = &plan->model.kinds[0].attention;
    *shape = (struct kvb_attention_shape){.kind = KVB_ATTENTION_MLA,
                                          .heads = 16,
                                          .latent_rank = 512,
                                          .nope_size = 128,
                                          .rope_size = 64,
                                          .head_size = 192,
                                          .value_head_size = 128};
    set(plan, KVB_SET_MAX_MODEL_LEN, length);
    set(plan, KVB_SET_MAX_NUM_BATCHED_TOKENS, 8192);
    set(plan, KVB_SET_MAX_NUM_SEQS, seqs);
}

static inline void unset(struct kvb_plan *plan, enum kvb_setting setting)
{
    plan->settings.values[setting] = (struct kvb_setting_value){0, 0, 0};
}

// The word as its flag takes it.
static inline void set_word(struct kvb_plan *plan, enum kvb_setting setting, const char *word)
{
    char why[256];
    uint64_t value = 0;
    assert_true(kvb_setting_parse(setting, word, &value, why));
    set(plan, setting, value);
}

// Its only batch size with a graph.
static inline void name_size(struct kvb_plan *plan, uint32_t tokens)
{
    plan->graph_sizes.count = 1;
    plan->graph_sizes.of_flag = true;
    plan->graph_sizes.tokens[0] = plan->graph_sizes.largest = tokens;
    set(plan, KVB_SET_CUDAGRAPH_CAPTURE_SIZES, 1);
}

static inline void name_class_of(struct kvb_model *model, const char *architecture)
{
    memset(model->architecture, 0, sizeof model->architecture);
    (void)strncpy(model->architecture, architecture, sizeof model->architecture - 1);
}

// The class that the checkpoint names.
static inline void name_class(struct kvb_plan *plan, const char *architecture)
{
    name_class_of(&plan->model, architecture);
}

// The target once more, of another class.
static inline void draft_as(struct kvb_plan *plan, struct kvb_model *draft, const char *architecture)
{
    *draft = plan->model;
    name_class_of(draft, architecture);
    plan->draft = draft;
}

// A latent of so many numbers, with an index where it is sparse.
static inline struct kvb_attention_shape *make_latent(struct kvb_plan *plan, uint32_t release, uint32_t capability,
                                                      bool sparse, uint32_t rank)
{
    make_latent_plan(plan, release, 8192, 256);
    struct kvb_attention_shape *shape = &plan->model.kinds[0].attention;
    plan->gpu.compute_capability = capability;
    shape->latent_rank = rank;
    shape->index_heads = sparse ? 32 : 0;
    shape->index_head_size = 128;
    shape->index_topk = sparse ? 2048 : 0;
    shape->has_indexer = sparse;
    return shape;
}

static inline void set_gpu(struct kvb_plan *plan, const char *name, uint64_t memory_bytes, uint32_t capability)
{
    memset(plan->gpu.name, 0, sizeof plan->gpu.name);
    (void)strncpy(plan->gpu.name, name, sizeof plan->gpu.name - 1);
    plan->gpu.memory_bytes = memory_bytes;
    plan->gpu.compute_capability = capability;
}

// The plan made ready; fails the test when the engine would refuse it.
static inline const struct kvb_context *resolved(const struct kvb_plan *plan)
{
    static struct kvb_context context;
    static struct kvb_problems problems;
    kvb_problems_init(&problems);
    if (kvb_context_init(&context, plan, &problems) != KVB_OK) {
        fail_msg("%s", problems.items[0].text);
    }
    return &context;
}

// What a rank of it loads.
static inline const struct kvb_load *loaded(const struct kvb_plan *plan)
{
    static struct kvb_load load;
    kvb_load_fill(resolved(plan), &load);
    return &load;
}

// The answer; `problems` of the last call stay readable.
static inline const struct kvb_problems *answer_into(const struct kvb_plan *plan, struct kvb_budget *budget)
{
    static struct kvb_problems problems;
    kvb_problems_init(&problems);
    if (kvb_budget_compute(plan, budget, &problems) != KVB_OK) {
        fail_msg("%s", problems.items[0].text);
    }
    return &problems;
}

#endif
