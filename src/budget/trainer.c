// What a trainer holds on one GPU: weights, gradients, optimizer and reference model, divided as its
// sharding says. Sources: PyTorch FSDP and DeepSpeed ZeRO papers and documentation; verl
// verl/workers/fsdp_workers.py and verl/trainer/config; torch.optim.Adam makes its moments at the first step.
#include <string.h>

#include "base/checked.h"
#include "budget/gpu_facts.h"
#include "budget/trainer.h"

#define NCCL_BYTES (1ULL << 30)
#define DEFAULT_TOKENS 16384
#define MOMENTS_8BIT 2

static const struct kvb_sharding_row sharding_rows[KVB_SHARD_COUNT] = {
    [KVB_SHARD_NONE] = {"none", false, false, false, false, false},
    [KVB_SHARD_FSDP] = {"fsdp", true, true, true, true, true},
    [KVB_SHARD_FSDP2] = {"fsdp2", true, true, true, true, true},
    [KVB_SHARD_ZERO1] = {"zero1", false, false, true, false, false},
    [KVB_SHARD_ZERO2] = {"zero2", false, true, true, false, false},
    [KVB_SHARD_ZERO3] = {"zero3", true, true, true, false, true},
};

static const struct kvb_precision_row precision_rows[KVB_PRECISION_COUNT] = {
    [KVB_PRECISION_FP32] = {"fp32", 4, 4, 8, 0, "fp32 weights, bf16 copies made unit by unit"},
    [KVB_PRECISION_BF16] = {"bf16", 2, 2, 4, 0, "all of it in bf16"},
    [KVB_PRECISION_MIXED] = {"mixed", 2, 2, 8, 4, "bf16 weights beside an fp32 copy in the optimizer"},
};

const char *kvb_framework_name(enum kvb_framework framework)
{
    static const char *const names[KVB_FRAMEWORK_COUNT] = {"none", "verl", "trl", "openrlhf"};
    return framework < KVB_FRAMEWORK_COUNT ? names[framework] : "";
}

const char *kvb_optimizer_name(enum kvb_optimizer optimizer)
{
    static const char *const names[KVB_OPTIMIZER_COUNT] = {"adamw", "adamw_8bit", "sgd"};
    return optimizer < KVB_OPTIMIZER_COUNT ? names[optimizer] : "";
}

void kvb_trainer_init(struct kvb_trainer *trainer)
{
    *trainer = (struct kvb_trainer){
        .sharding = KVB_SHARD_FSDP, .gpus = 1, .micro_batch_tokens = DEFAULT_TOKENS, .sequence_parallel = 1};
}

static uint64_t unit_of(const struct kvb_model *model, const struct kvb_layer_kind *kind)
{
    struct kvb_tensor tensors[KVB_TENSORS_MAX];
    uint64_t sum = 0;
    uint32_t count = kvb_layer_tensors(model, kind, tensors);
    for (uint32_t i = 0; i < count; i++) {
        sum = kvb_add(sum, kvb_mul(kvb_mul(tensors[i].rows, tensors[i].columns), tensors[i].count));
    }
    return sum;
}

static uint64_t ffn_of(const struct kvb_mlp_shape *mlp)
{
    uint64_t experts = kvb_mul(mlp->experts_per_token, mlp->expert_intermediate_size);
    uint64_t sparse = kvb_add(experts, mlp->shared_intermediate_size);
    return mlp->kind == KVB_MLP_MOE ? kvb_add(sparse, mlp->intermediate_size) : mlp->intermediate_size;
}

static void widen(const struct kvb_attention_shape *attention, struct kvb_train_shape *shape)
{
    bool latent = attention->kind == KVB_ATTENTION_MLA;
    uint64_t head = latent ? kvb_add(attention->nope_size, attention->rope_size) : attention->head_size;
    uint64_t kv_heads = latent ? attention->heads : attention->kv_heads;
    shape->queries = kvb_max(shape->queries, kvb_mul(attention->heads, head));
    shape->keys = kvb_max(shape->keys, kvb_mul(kv_heads, head));
}

void kvb_train_shape_of(const struct kvb_trainer *trainer, const struct kvb_model *model, struct kvb_train_shape *shape)
{
    memset(shape, 0, sizeof *shape);
    shape->parameters = trainer->parameters > 0 ? trainer->parameters : kvb_model_parameters(model);
    shape->hidden = model->hidden_size;
    shape->vocabulary = model->vocabulary_size;
    shape->layers = model->layer_count;
    shape->table_elements = kvb_mul(model->vocabulary_size, model->hidden_size);
    shape->root_parameters = kvb_mul(shape->table_elements, model->tied_embeddings ? 1 : 2);
    for (uint32_t i = 0; i < model->kind_count; i++) {
        const struct kvb_layer_kind *kind = &model->kinds[i];
        shape->unit_parameters = kvb_max(shape->unit_parameters, unit_of(model, kind));
        shape->ffn = kvb_max(shape->ffn, ffn_of(&kind->mlp));
        widen(&kind->attention, shape);
    }
}

static uint64_t share(uint64_t bytes, bool divided, uint32_t gpus)
{
    return divided && !kvb_is_saturated(bytes) ? kvb_div_up(bytes, kvb_max(gpus, 1)) : bytes;
}

static void fill_reference(const struct kvb_trainer *trainer, uint64_t parameters, struct kvb_train_state *state)
{
    const struct kvb_sharding_row *row = &sharding_rows[trainer->sharding];
    if (!trainer->has_reference) {
        return;
    }
    uint64_t count = trainer->reference_parameters > 0 ? trainer->reference_parameters : parameters;
    uint64_t bytes = kvb_mul(count, precision_rows[trainer->reference_precision].weights);
    bytes = trainer->reference_bytes > 0 ? trainer->reference_bytes : bytes;
    bool divided = row->weights || trainer->reference_bytes > 0;
    state->reference_bytes = share(bytes, divided, trainer->gpus);
}

void kvb_train_state_of(const struct kvb_trainer *trainer, const struct kvb_model *model, struct kvb_train_state *state)
{
    const struct kvb_sharding_row *row = &sharding_rows[trainer->sharding];
    const struct kvb_precision_row *width = &precision_rows[trainer->precision];
    struct kvb_train_shape shape;
    kvb_train_shape_of(trainer, model, &shape);
    memset(state, 0, sizeof *state);
    uint64_t usual = KVB_CUDA_CONTEXT_BYTES + (trainer->gpus > 1 ? NCCL_BYTES : 0);
    state->context_bytes = trainer->context_bytes > 0 ? trainer->context_bytes : usual;
    fill_reference(trainer, shape.parameters, state);
    if (trainer->state_bytes > 0) {
        state->stated = true;
        state->weights_bytes = share(trainer->state_bytes, true, trainer->gpus);
        return;
    }
    uint64_t moments = trainer->optimizer == KVB_OPTIMIZER_ADAMW        ? width->moments
                       : trainer->optimizer == KVB_OPTIMIZER_ADAMW_8BIT ? MOMENTS_8BIT
                                                                        : 0;
    state->weights_bytes = share(kvb_mul(shape.parameters, width->weights), row->weights, trainer->gpus);
    state->gradients_bytes = share(kvb_mul(shape.parameters, width->gradients), row->gradients, trainer->gpus);
    state->moments_bytes = share(kvb_mul(shape.parameters, moments), row->optimizer, trainer->gpus);
    state->master_bytes = share(kvb_mul(shape.parameters, width->master), row->optimizer, trainer->gpus);
}

uint64_t kvb_train_before_first(const struct kvb_trainer *trainer, const struct kvb_train_state *state)
{
    uint64_t weights = trainer->parameters_offloaded ? 0 : state->weights_bytes;
    return kvb_add(weights, trainer->optimizer_offloaded ? 0 : state->master_bytes);
}

uint64_t kvb_train_at_rest(const struct kvb_trainer *trainer, const struct kvb_train_state *state)
{
    uint64_t moments = trainer->optimizer_offloaded ? 0 : state->moments_bytes;
    return kvb_add(kvb_train_before_first(trainer, state), moments);
}

uint64_t kvb_trainer_at_start(const struct kvb_trainer *trainer, const struct kvb_model *model)
{
    struct kvb_train_state state;
    kvb_train_state_of(trainer, model, &state);
    uint64_t reference = trainer->reference_offloaded ? 0 : state.reference_bytes;
    return kvb_add(kvb_add(kvb_train_before_first(trainer, &state), reference), state.context_bytes);
}

const struct kvb_sharding_row *kvb_sharding_row_of(enum kvb_sharding sharding)
{
    return (unsigned)sharding < KVB_SHARD_COUNT ? &sharding_rows[sharding] : NULL;
}

const struct kvb_precision_row *kvb_precision_row_of(enum kvb_precision precision)
{
    return (unsigned)precision < KVB_PRECISION_COUNT ? &precision_rows[precision] : NULL;
}
