// One training step on one GPU, phase by phase: who holds what, and which phase decides.
// Sources: verl verl/workers/fsdp_workers.py (order of wake-up, weight update and offload), PyTorch FSDP
// (gathered units, reduce-scatter in fp32), vLLM vllm/device_allocator/cumem.py (what sleep leaves behind).
#include <string.h>

#include <kvbudget/units.h>

#include "base/checked.h"
#include "base/model_copy.h"
#include "budget/trainer.h"
#include "engines/table.h"
#include "plan/neighbours.h"
#include "plan/work.h"

#define BF16 2
#define FP32 4
#define ASLEEP_BYTES (717ULL << 20) // 0.7 GiB: workspaces and runner buffers; context and graphs are extra
#define MODEL_ERROR_DIVISOR 10      // of the transient parts

static const struct kvb_place nowhere = {NULL, 0, 0};

static const struct kvb_train_row train_phase_rows[KVB_TRAIN_PHASE_COUNT] = {
    [KVB_TRAIN_START] = {"engine_start", "engine start", 's'},
    [KVB_TRAIN_SYNC] = {"weight_sync", "weight sync", 'y'},
    [KVB_TRAIN_ROLLOUT] = {"rollout", "rollout", 'r'},
    [KVB_TRAIN_OLD_LOG_PROBS] = {"old_log_probs", "old log-probs", 'o'},
    [KVB_TRAIN_REFERENCE_LOG_PROBS] = {"reference_log_probs", "ref log-probs", 'p'},
    [KVB_TRAIN_UPDATE] = {"update", "update", 'u'},
    [KVB_TRAIN_CHECKPOINT] = {"checkpoint", "checkpoint", 'c'},
};

static const struct kvb_train_row train_part_rows[KVB_TRAIN_PART_COUNT] = {
    [KVB_TRAIN_ACTOR] = {"actor_bytes", "actor", 'A'},
    [KVB_TRAIN_REFERENCE] = {"reference_bytes", "reference", 'R'},
    [KVB_TRAIN_ENGINE] = {"engine_bytes", "rollout engine", 'E'},
    [KVB_TRAIN_OTHERS] = {"others_bytes", "others", 'o'},
    [KVB_TRAIN_CONTEXTS] = {"contexts_bytes", "contexts, NCCL", 'x'},
    [KVB_TRAIN_GATHER] = {"gathered_bytes", "gathered units", 'g'},
    [KVB_TRAIN_GRADIENT] = {"gradient_bytes", "gradient of a unit", 'd'},
    [KVB_TRAIN_CHECKPOINTS] = {"activations_bytes", "kept activations", 'k'},
    [KVB_TRAIN_RECOMPUTE] = {"layer_bytes", "layer at work", 'l'},
    [KVB_TRAIN_LOGITS] = {"logits_bytes", "logits", 'v'},
    [KVB_TRAIN_BUCKET] = {"bucket_bytes", "weights in transit", 'b'},
};

// What the engine holds without its context, by how awake it is.
struct rollout {
    uint64_t awake_bytes, asleep_bytes, syncing_bytes, context_bytes;
    uint64_t requested_bytes; // its own share of awake_bytes that follows the utilization
};

static void weigh_rollout(const struct kvb_neighbourhood *around, const struct kvb_budget *budget, bool sleeps,
                          struct rollout *rollout)
{
    uint64_t other = kvb_positive(budget->items[KVB_ITEM_OTHER].bytes);
    uint64_t graphs = budget->graph_actual_bytes;
    rollout->context_bytes = around->outside.bytes;
    rollout->requested_bytes = budget->requested_bytes > other ? budget->requested_bytes - other : 0;
    rollout->awake_bytes =
        kvb_add(rollout->requested_bytes, kvb_positive((int64_t)graphs - budget->items[KVB_ITEM_CUDA_GRAPH].bytes));
    rollout->asleep_bytes = sleeps ? ASLEEP_BYTES + graphs : rollout->awake_bytes;
    uint64_t loaded = kvb_add(ASLEEP_BYTES + graphs, kvb_positive(budget->items[KVB_ITEM_WEIGHTS].bytes));
    rollout->syncing_bytes = sleeps ? loaded : rollout->awake_bytes;
}

static uint64_t logits_bytes(const struct kvb_trainer *trainer, const struct kvb_train_shape *shape)
{
    uint64_t count = kvb_mul(trainer->micro_batch_tokens, shape->vocabulary);
    static const uint32_t bytes_per_logit[] = {
        [KVB_LOGITS_FLASH] = BF16,    [KVB_LOGITS_FUSED] = 0,          [KVB_LOGITS_COPIED] = BF16 + 2,
        [KVB_LOGITS_FP32] = BF16 + 4, [KVB_LOGITS_ENTROPY] = BF16 + 8,
    };
    return kvb_mul(count, bytes_per_logit[trainer->logits]);
}

static uint64_t gathered_bytes(const struct kvb_trainer *trainer, const struct kvb_train_shape *shape)
{
    const struct kvb_sharding_row *row = kvb_sharding_row_of(trainer->sharding);
    uint64_t units = kvb_mul(kvb_mul(BF16, shape->unit_parameters), trainer->no_prefetch ? 1 : 2);
    uint64_t root = row->keeps_root ? kvb_mul(BF16, shape->root_parameters) : 0;
    return row->gathers ? kvb_add(units, root) : 0;
}

static uint64_t per_token(const struct kvb_trainer *trainer, uint64_t elements)
{
    uint64_t parts = trainer->sequence_parallel > 1 ? trainer->sequence_parallel : 1;
    uint64_t bytes = kvb_mul(kvb_mul(BF16, trainer->micro_batch_tokens), elements);
    return kvb_is_saturated(bytes) ? bytes : kvb_div_up(bytes, parts);
}

// One pass forward without gradients.
static void add_log_probs(const struct kvb_trainer *trainer, const struct kvb_train_shape *shape, uint64_t *parts)
{
    uint64_t width = kvb_add(kvb_mul(4, shape->hidden), kvb_mul(3, shape->ffn));
    parts[KVB_TRAIN_GATHER] = gathered_bytes(trainer, shape);
    parts[KVB_TRAIN_RECOMPUTE] = per_token(trainer, width);
    parts[KVB_TRAIN_LOGITS] = logits_bytes(trainer, shape);
}

static void add_update(const struct kvb_trainer *trainer, const struct kvb_train_shape *shape, uint64_t *parts)
{
    uint64_t width = kvb_add(kvb_mul(8, shape->hidden), kvb_mul(4, shape->ffn));
    width = kvb_add(width, kvb_add(shape->queries, kvb_mul(2, shape->keys)));
    uint64_t layer = per_token(trainer, width);
    uint64_t inputs = per_token(trainer, kvb_mul(shape->hidden, shape->layers));
    parts[KVB_TRAIN_GATHER] = gathered_bytes(trainer, shape);
    parts[KVB_TRAIN_GRADIENT] = kvb_mul(shape->unit_parameters, BF16 + FP32);
    parts[KVB_TRAIN_CHECKPOINTS] = trainer->no_checkpointing ? kvb_mul(shape->layers, layer) : inputs;
    parts[KVB_TRAIN_RECOMPUTE] = trainer->no_checkpointing ? 0 : layer;
    parts[KVB_TRAIN_LOGITS] = logits_bytes(trainer, shape);
}

struct step {
    const struct kvb_trainer *trainer;
    struct kvb_train_shape shape;
    struct kvb_train_state state;
    struct rollout rollout;
    uint64_t others_bytes;
};

// What every phase holds: residents that never move, the engine as that phase has it.
static void add_residents(const struct step *step, enum kvb_train_phase phase, uint64_t *parts)
{
    static const bool awake[KVB_TRAIN_PHASE_COUNT] = {
        [KVB_TRAIN_START] = true, [KVB_TRAIN_ROLLOUT] = true, [KVB_TRAIN_CHECKPOINT] = true};
    const struct kvb_trainer *trainer = step->trainer;
    parts[KVB_TRAIN_OTHERS] = step->others_bytes;
    parts[KVB_TRAIN_CONTEXTS] = kvb_add(step->state.context_bytes, step->rollout.context_bytes);
    parts[KVB_TRAIN_REFERENCE] = trainer->reference_offloaded ? 0 : step->state.reference_bytes;
    parts[KVB_TRAIN_ENGINE] = awake[phase]              ? step->rollout.awake_bytes
                              : phase == KVB_TRAIN_SYNC ? step->rollout.syncing_bytes
                                                        : step->rollout.asleep_bytes;
}

static uint64_t actor_in(const struct step *step, enum kvb_train_phase phase)
{
    const struct kvb_train_state *state = &step->state;
    uint64_t rest = kvb_train_at_rest(step->trainer, state);
    uint64_t returned = step->trainer->parameters_offloaded ? state->weights_bytes : 0;
    switch (phase) {
    case KVB_TRAIN_START:
        return kvb_train_before_first(step->trainer, state);
    case KVB_TRAIN_SYNC:
    case KVB_TRAIN_OLD_LOG_PROBS:
    case KVB_TRAIN_CHECKPOINT:
        return kvb_add(rest, returned);
    case KVB_TRAIN_UPDATE:
        return kvb_add(kvb_add(state->weights_bytes, state->gradients_bytes),
                       kvb_add(state->moments_bytes, state->master_bytes));
    default:
        return rest;
    }
}

static void fill_phase(const struct step *step, enum kvb_train_phase phase, uint64_t *parts)
{
    const struct kvb_trainer *trainer = step->trainer;
    const struct kvb_train_shape *shape = &step->shape;
    uint64_t width = kvb_precision_row_of(trainer->precision)->weights;
    add_residents(step, phase, parts);
    parts[KVB_TRAIN_ACTOR] = actor_in(step, phase);
    switch (phase) {
    case KVB_TRAIN_SYNC:
        parts[KVB_TRAIN_BUCKET] =
            trainer->bucket_bytes > 0 ? trainer->bucket_bytes : kvb_mul(width, shape->table_elements);
        break;
    case KVB_TRAIN_OLD_LOG_PROBS:
        add_log_probs(trainer, shape, parts);
        break;
    case KVB_TRAIN_REFERENCE_LOG_PROBS:
        if (trainer->has_reference) {
            add_log_probs(trainer, shape, parts);
        }
        if (trainer->has_reference && trainer->reference_offloaded) {
            parts[KVB_TRAIN_REFERENCE] = kvb_mul(BF16, shape->unit_parameters);
        }
        break;
    case KVB_TRAIN_UPDATE:
        add_update(trainer, shape, parts);
        break;
    case KVB_TRAIN_CHECKPOINT:
        parts[KVB_TRAIN_GATHER] = kvb_mul(width, shape->table_elements);
        break;
    default:
        break;
    }
}

static void total_phases(struct kvb_training *training)
{
    uint64_t highest = 0;
    training->fits = true;
    for (unsigned phase = 0; phase < KVB_TRAIN_PHASE_COUNT; phase++) {
        uint64_t moving = 0;
        for (unsigned part = 0; part < KVB_TRAIN_PART_COUNT; part++) {
            uint64_t bytes = training->parts[phase][part];
            training->totals[phase] = kvb_add(training->totals[phase], bytes);
            moving = kvb_add(moving, part >= KVB_TRAIN_GATHER ? bytes : 0);
        }
        training->ranges[phase] = kvb_add(moving / MODEL_ERROR_DIVISOR, ASLEEP_BYTES);
        training->fits = training->fits && training->totals[phase] <= training->memory_bytes;
        if (training->totals[phase] > highest) {
            highest = training->totals[phase];
            training->deciding = (enum kvb_train_phase)phase;
        }
    }
}

// The request may grow until the fullest phase that the awake engine is part of is full.
static uint32_t highest_utilization(const struct step *step, const struct kvb_training *training)
{
    uint64_t without = 0;
    for (unsigned phase = 0; phase < KVB_TRAIN_PHASE_COUNT; phase++) {
        bool awake = training->parts[phase][KVB_TRAIN_ENGINE] == step->rollout.awake_bytes;
        uint64_t rest = training->totals[phase] - (awake ? step->rollout.requested_bytes : 0);
        without = kvb_max(without, awake ? rest : 0);
    }
    uint64_t room = training->memory_bytes > without ? training->memory_bytes - without : 0;
    uint64_t ppm = room / (training->memory_bytes / KVB_PPM + 1);
    return (uint32_t)(ppm / KVB_HUNDREDTH_PPM * KVB_HUNDREDTH_PPM);
}

static uint64_t offloaded(const struct kvb_trainer *trainer, const struct kvb_train_state *state)
{
    uint64_t weights = trainer->parameters_offloaded ? state->weights_bytes : 0;
    uint64_t optimizer = trainer->optimizer_offloaded ? kvb_add(state->moments_bytes, state->master_bytes) : 0;
    uint64_t reference = trainer->reference_offloaded ? state->reference_bytes : 0;
    return kvb_add(kvb_add(weights, optimizer), reference);
}

static void summarise(const struct step *step, struct kvb_training *training)
{
    const struct kvb_train_state *state = &step->state;
    uint64_t optimizer = kvb_add(state->moments_bytes, state->master_bytes);
    training->state_between_bytes = kvb_train_at_rest(step->trainer, state);
    training->state_at_start_bytes = kvb_train_before_first(step->trainer, state);
    training->state_bytes = kvb_add(kvb_add(state->weights_bytes, state->gradients_bytes), optimizer);
    training->reference_bytes = state->reference_bytes;
    training->static_bytes = kvb_add(kvb_add(training->state_bytes, state->reference_bytes), step->rollout.awake_bytes);
    for (unsigned phase = 0; phase < KVB_TRAIN_PHASE_COUNT; phase++) {
        fill_phase(step, (enum kvb_train_phase)phase, training->parts[phase]);
    }
    total_phases(training);
    training->highest_ppm = highest_utilization(step, training);
}

enum kvb_status kvb_training_in(struct kvb_plan_work *work, const struct kvb_trainer *trainer,
                                const struct kvb_plan *engine, uint64_t others_bytes, struct kvb_training *training,
                                struct kvb_problems *problems)
{
    struct step step = {.trainer = trainer, .others_bytes = others_bytes};
    struct kvb_neighbourhood around;
    const struct kvb_budget *budget = &work->budget;
    kvb_plan_copy(&work->plan, engine);
    memset(training, 0, sizeof *training);
    enum kvb_status status = kvb_engine_of(engine)->neighbourhood(engine, &around, problems);
    if (status == KVB_OK && !kvb_budget_quietly(engine, &work->budget)) {
        status = KVB_OVERFLOW;
    }
    if (status != KVB_OK) {
        return status;
    }
    kvb_train_shape_of(trainer, &engine->model, &step.shape);
    kvb_train_state_of(trainer, &engine->model, &step.state);
    weigh_rollout(&around, budget, trainer->sleep_level > 0, &step.rollout);
    training->memory_bytes = engine->gpu.memory_bytes;
    training->engine_starts = budget->starts;
    training->needs_ppm = kvb_needs_ppm(&work->plan, budget, &work->tried);
    training->divisible = trainer->gpus % around.ranks == 0;
    training->host_bytes = offloaded(trainer, &step.state);
    training->host_sleep_bytes = trainer->sleep_level == 1 ? kvb_positive(budget->items[KVB_ITEM_WEIGHTS].bytes) : 0;
    summarise(&step, training);
    for (unsigned phase = 0; phase < KVB_TRAIN_PHASE_COUNT; phase++) {
        if (kvb_is_saturated(training->totals[phase])) {
            return kvb_problem_add(problems, KVB_ERROR, KVB_OVERFLOW, nowhere,
                                   "the trainer's sizes multiply to more than any machine holds");
        }
    }
    return KVB_OK;
}

const struct kvb_train_row *kvb_train_phase_row_of(enum kvb_train_phase phase)
{
    return (unsigned)phase < KVB_TRAIN_PHASE_COUNT ? &train_phase_rows[phase] : NULL;
}

const struct kvb_train_row *kvb_train_part_row_of(enum kvb_train_part part)
{
    return (unsigned)part < KVB_TRAIN_PART_COUNT ? &train_part_rows[part] : NULL;
}
