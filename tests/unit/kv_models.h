// Small models for KV tests, shaped like published configs.
#ifndef KVB_TESTS_KV_MODELS_H
#define KVB_TESTS_KV_MODELS_H

#include <string.h>

#include <kvbudget/budget.h>

struct shape {
    const char *name;
    uint32_t layers;
    uint32_t heads, kv_heads, head_size;
    uint32_t window;          // of the layers that are not full
    uint32_t period;          // every period-th layer is full; 0 = all are full; 1 = none is
    uint32_t first;           // index of the first full layer
    enum kvb_attention other; // kind of the layers that are not full
    uint64_t context;
};

static inline void make_model(const struct shape *shape, struct kvb_model *model)
{
    memset(model, 0, sizeof *model);
    (void)strncpy(model->name, shape->name, sizeof model->name - 1);
    (void)strncpy(model->architecture, "LlamaForCausalLM", sizeof model->architecture - 1);
    model->hidden_size = 4096;
    model->vocabulary_size = 32000;
    model->layer_count = shape->layers;
    model->context_tokens = shape->context;
    model->kind_count = 2;
    for (uint32_t kind = 0; kind < 2; kind++) {
        struct kvb_attention_shape *attention = &model->kinds[kind].attention;
        attention->kind = kind == 0 ? KVB_ATTENTION_FULL : shape->other;
        attention->heads = shape->heads;
        attention->kv_heads = shape->kv_heads;
        attention->head_size = shape->head_size;
        attention->value_head_size = shape->head_size;
        attention->window_tokens = kind == 0 ? 0 : shape->window;
        model->kinds[kind].mlp.kind = KVB_MLP_GATED;
        model->kinds[kind].mlp.intermediate_size = 1024;
        model->kinds[kind].norms = 2;
    }
    for (uint32_t layer = 0; layer < shape->layers; layer++) {
        bool full = shape->period == 0 ||
                    (shape->period > 1 && layer >= shape->first && (layer - shape->first) % shape->period == 0);
        model->kind_of_layer[layer] = full ? 0 : 1;
    }
    if (shape->period == 0) {
        model->kind_count = 1;
    }
}

// DeepSeek-V4-Flash: windows in the first two layers, then ratio 4 and 128 in turn, one module behind them.
static inline void make_v4_flash(struct kvb_model *model)
{
    static const struct shape shape = {"DeepseekV4ForCausalLM", 43, 64, 1, 448, 0, 0, 0, KVB_ATTENTION_NONE, 1048576};
    make_model(&shape, model);
    model->kind_count = 3;
    model->mtp_layers = 1;
    for (unsigned i = 0; i < 3; i++) {
        struct kvb_attention_shape *attention = &model->kinds[i].attention;
        attention->kind = KVB_ATTENTION_DSV4;
        attention->head_size = 512;
        attention->rope_size = 64;
        attention->index_head_size = i == 1 ? 128 : 0;
        attention->window_tokens = 128;
        attention->compress_ratio = i == 0 ? 0 : i == 1 ? 4 : 128;
    }
    for (unsigned layer = 0; layer < shape.layers; layer++) {
        model->kind_of_layer[layer] = layer < 2 ? 0 : layer % 2 == 0 ? 1 : 2;
    }
}

// Nemotron-H's Mamba 2: 128 heads of 64 in 8 groups of 128, four taps.
static inline void set_mamba2(struct kvb_attention_shape *shape)
{
    shape->state_key_heads = 8;
    shape->state_key_size = 128;
    shape->state_value_heads = 128;
    shape->state_value_size = 64;
    shape->state_inner_size = 8192;
    shape->conv_kernel = 4;
}

static inline void set(struct kvb_plan *plan, enum kvb_setting setting, uint64_t number)
{
    plan->settings.values[setting].number = number;
    plan->settings.values[setting].set = 1;
    plan->settings.values[setting].origin = KVB_ORIGIN_FLAG;
}

// An H100 with the KV cache fixed at `pool_bytes`.
static inline void make_plan(struct kvb_plan *plan, uint32_t release, uint64_t pool_bytes, uint64_t length)
{
    struct kvb_model model = plan->model;
    memset(plan, 0, sizeof *plan);
    plan->model = model;
    plan->gpu.memory_bytes = (uint64_t)65536 << 30;
    plan->gpu.compute_capability = 90;
    plan->gpu.nvlink = true;
    (void)strncpy(plan->gpu.name, "NVIDIA H100 80GB HBM3", sizeof plan->gpu.name - 1);
    plan->engine.release = release;
    set(plan, KVB_SET_KV_CACHE_MEMORY_BYTES, pool_bytes);
    set(plan, KVB_SET_MAX_MODEL_LEN, length);
    set(plan, KVB_SET_MAX_NUM_BATCHED_TOKENS, 8192);
    set(plan, KVB_SET_MAX_NUM_SEQS, 256);
}

#endif
