// Several residents on one GPU: engines, a trainer and memory that is simply taken; who is charged what,
// who starts, and what one step of training holds phase by phase. Pure arithmetic.
#ifndef KVBUDGET_RESIDENTS_H
#define KVBUDGET_RESIDENTS_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include <kvbudget/budget.h>
#include <kvbudget/export.h>
#include <kvbudget/plan.h>
#include <kvbudget/problem.h>

KVB_PUBLIC_BEGIN

#define KVB_RESIDENTS_MAX 8

enum kvb_resident_kind {
    KVB_RESIDENT_ENGINE,
    KVB_RESIDENT_TRAINER,
    KVB_RESIDENT_FIXED,
    KVB_RESIDENT_TRANSFORMERS,
    KVB_RESIDENT_KIND_COUNT
};
const char *kvb_resident_kind_name(enum kvb_resident_kind kind); // "engine", "trainer", ...

// What a release takes for its own when it measures itself.
enum kvb_charge {
    KVB_CHARGE_NOTHING, // torch's own peak: neighbours are never seen
    KVB_CHARGE_DEVICE,  // all that the device holds
    KVB_CHARGE_GROWTH,  // what the device gained since its own start
    KVB_CHARGE_FREE,    // the drop in free memory since its own start
    KVB_CHARGE_FIXED,   // nothing is measured: the KV cache is given in bytes
    KVB_CHARGE_COUNT
};
struct kvb_charge_row {
    const char *key;     // JSON: "device"
    const char *meaning; // one sentence for the reader
    bool cumulative;     // its utilization must cover what is there already
    bool charges_growth; // a neighbour that grows while it profiles is charged
};
const struct kvb_charge_row *kvb_charge_row_of(enum kvb_charge charge); // NULL: no such row
// KVB_CHARGE_COUNT when the plan cannot work.
enum kvb_charge kvb_charge_of(const struct kvb_plan *plan);

// ---- Training

enum kvb_framework {
    KVB_FRAMEWORK_NONE,
    KVB_FRAMEWORK_VERL,
    KVB_FRAMEWORK_TRL,
    KVB_FRAMEWORK_OPENRLHF,
    KVB_FRAMEWORK_COUNT
};
const char *kvb_framework_name(enum kvb_framework framework); // "none", "verl", "trl", "openrlhf"

enum kvb_sharding {
    KVB_SHARD_NONE, // every GPU holds all (DDP)
    KVB_SHARD_FSDP,
    KVB_SHARD_FSDP2,
    KVB_SHARD_ZERO1,
    KVB_SHARD_ZERO2,
    KVB_SHARD_ZERO3,
    KVB_SHARD_COUNT
};
// Which parts of the training state a strategy divides by the number of GPUs.
struct kvb_sharding_row {
    const char *name;
    bool weights, gradients, optimizer;
    bool keeps_root; // the root unit stays gathered for the whole pass
    bool gathers;    // units are gathered before they run
};
const struct kvb_sharding_row *kvb_sharding_row_of(enum kvb_sharding sharding); // NULL: no such row

// Bytes per parameter by precision; the reader takes them from this table.
enum kvb_precision { KVB_PRECISION_FP32, KVB_PRECISION_BF16, KVB_PRECISION_MIXED, KVB_PRECISION_COUNT };
struct kvb_precision_row {
    const char *name;
    uint32_t weights, gradients, moments, master; // bytes per parameter; Adam's two moments, the fp32 copy
    const char *help;
};
const struct kvb_precision_row *kvb_precision_row_of(enum kvb_precision precision); // NULL: no such row

enum kvb_optimizer { KVB_OPTIMIZER_ADAMW, KVB_OPTIMIZER_ADAMW_8BIT, KVB_OPTIMIZER_SGD, KVB_OPTIMIZER_COUNT };
const char *kvb_optimizer_name(enum kvb_optimizer optimizer);

// How a loss reads the logits; fused: it never builds them.
enum kvb_logits { KVB_LOGITS_FLASH, KVB_LOGITS_FUSED, KVB_LOGITS_COPIED, KVB_LOGITS_FP32, KVB_LOGITS_ENTROPY };

struct kvb_trainer {
    enum kvb_framework framework;
    enum kvb_sharding sharding;
    enum kvb_precision precision, reference_precision;
    enum kvb_optimizer optimizer;
    uint32_t gpus;
    uint64_t parameters;           // 0: those of the deployment's model
    uint64_t reference_parameters; // 0: as many as the actor
    uint64_t state_bytes;          // of all GPUs together: weights, gradients and optimizer; 0: computed
    uint64_t reference_bytes;      // of all GPUs together; 0: computed
    bool has_reference;
    bool parameters_offloaded, optimizer_offloaded, reference_offloaded;
    bool no_checkpointing;
    bool no_prefetch;               // one gathered unit instead of two
    uint64_t micro_batch_tokens;    // on one GPU
    uint64_t micro_batch_sequences; // of prompt_tokens + answer_tokens each, instead of micro_batch_tokens; 0: not said
    enum kvb_logits logits;         // how the loss reads them
    uint32_t sequence_parallel;     // 0 and 1: none
    uint32_t sleep_level;           // of the rollout engine: 0 stays awake, 1 or 2
    uint64_t bucket_bytes;          // of the weight update; 0: none
    uint64_t prompt_tokens, answer_tokens, sequences; // of the rollout; 0: not said
    uint64_t context_bytes;                           // CUDA context and NCCL of the trainer; 0: the usual figure
};
void kvb_trainer_init(struct kvb_trainer *trainer);

// ---- The transformers library's own generate

enum kvb_hf_cache { KVB_HF_CACHE_DYNAMIC, KVB_HF_CACHE_STATIC, KVB_HF_CACHE_NONE };
struct kvb_transformers {
    enum kvb_hf_cache cache;
    bool eager_attention;
    bool whole_logits; // every prompt position, upcast to fp32
    uint64_t sequences, prompt_tokens, answer_tokens;
};
struct kvb_transformers_answer {
    uint64_t weights_bytes; // whole model, not sharded
    uint64_t cache_bytes;   // at the end of the answer
    uint64_t growth_bytes;  // one layer twice, while a token is appended
    uint64_t scores_bytes;  // eager attention
    uint64_t logits_bytes;
    uint64_t forward_bytes; // widest layer
    uint64_t total_bytes;   // weights + cache + the widest moment
};
void kvb_transformers_compute(const struct kvb_model *model, const struct kvb_transformers *rollout,
                              struct kvb_transformers_answer *answer);

// ---- Residents

struct kvb_resident {
    enum kvb_resident_kind kind;
    const char *name;            // borrowed
    const struct kvb_plan *plan; // engine
    const struct kvb_trainer *trainer;
    const struct kvb_model *model; // of the trainer or of generate
    const struct kvb_transformers *rollout;
    uint64_t bytes; // fixed
};

struct kvb_resident_answer {
    enum kvb_charge charge;
    bool starts;
    enum kvb_verdict verdict;
    uint64_t held_before_bytes; // by those that started before
    uint64_t charged_bytes;     // of that, what this release takes for its own
    uint64_t held_bytes;        // once running; 0 when it does not start
    uint64_t requested_bytes;
    int64_t kv_cache_bytes;
    uint64_t needed_bytes, tokens;
    uint32_t utilization_ppm;
    uint32_t needs_ppm;    // the smallest whole hundredth that starts; 0: none does, or it plays no part
    uint32_t accepted_ppm; // the highest that leaves room for what lives outside the request; 0: none
    char error[KVB_ERROR_TEXT_CAPACITY];
    // All engines started at the same moment: what the neighbours gain is charged.
    bool starts_at_once;
    int64_t at_once_bytes, at_once_low_bytes, at_once_high_bytes; // KV cache
    uint64_t gained_bytes, gained_low_bytes, gained_high_bytes;   // by the neighbours meanwhile
};

struct kvb_side_by_side {
    uint32_t count;
    struct kvb_resident_answer rows[KVB_RESIDENTS_MAX + 1];
    uint32_t engines;
    uint64_t memory_bytes;
    uint64_t held_bytes; // all that started, in sequence
    bool all_start, all_start_at_once;
    bool crowded; // in sequence, together they hold more than the device has
};

// Starts the residents one after another in their order, and the engines once more all at once. Every
// engine runs on `gpu`, whatever its own plan says.
enum kvb_status kvb_side_by_side_compute(const struct kvb_gpu *gpu, const struct kvb_resident *residents,
                                         uint32_t count, struct kvb_side_by_side *answer,
                                         struct kvb_problems *problems) KVB_MUST_USE;

// Marks `bytes` of each GPU as held by `name`.
void kvb_plan_hold(struct kvb_plan *plan, const char *name, uint64_t bytes);

// ---- Phases of one training step

enum kvb_train_phase {
    KVB_TRAIN_START,
    KVB_TRAIN_SYNC,
    KVB_TRAIN_ROLLOUT,
    KVB_TRAIN_OLD_LOG_PROBS,
    KVB_TRAIN_REFERENCE_LOG_PROBS,
    KVB_TRAIN_UPDATE,
    KVB_TRAIN_CHECKPOINT,
    KVB_TRAIN_PHASE_COUNT
};
enum kvb_train_part {
    KVB_TRAIN_ACTOR,     // weights, gradients and optimizer on this GPU
    KVB_TRAIN_REFERENCE, // resident reference model
    KVB_TRAIN_ENGINE,    // rollout engine, awake or asleep
    KVB_TRAIN_OTHERS,    // other residents
    KVB_TRAIN_CONTEXTS,  // CUDA contexts and NCCL
    KVB_TRAIN_GATHER,    // gathered units
    KVB_TRAIN_GRADIENT,  // unsharded gradient of one unit
    KVB_TRAIN_CHECKPOINTS,
    KVB_TRAIN_RECOMPUTE,
    KVB_TRAIN_LOGITS,
    KVB_TRAIN_BUCKET, // weight update in transit
    KVB_TRAIN_PART_COUNT
};
struct kvb_train_row {
    const char *key, *label;
    char letter; // in pictures
};
const struct kvb_train_row *kvb_train_phase_row_of(enum kvb_train_phase phase); // NULL: no such row
const struct kvb_train_row *kvb_train_part_row_of(enum kvb_train_part part);    // NULL: no such row

struct kvb_training {
    uint64_t memory_bytes;
    uint64_t state_bytes;          // on this GPU, with gradients and optimizer
    uint64_t state_at_start_bytes; // before the first step
    uint64_t state_between_bytes;  // without gradients
    uint64_t reference_bytes;      // on this GPU
    uint64_t parts[KVB_TRAIN_PHASE_COUNT][KVB_TRAIN_PART_COUNT];
    uint64_t totals[KVB_TRAIN_PHASE_COUNT];
    uint64_t ranges[KVB_TRAIN_PHASE_COUNT]; // how much the total may be off, either way
    enum kvb_train_phase deciding;
    bool fits;
    bool engine_starts;
    uint32_t needs_ppm;        // of the rollout: below it, the engine never starts
    uint32_t highest_ppm;      // above it, the rollout phase or an awake engine crowds the trainer out
    uint64_t static_bytes;     // actor + reference + engine
    bool divisible;            // GPUs are a multiple of the rollout's own
    uint64_t host_bytes;       // CPU memory per GPU: what the trainer has offloaded
    uint64_t host_sleep_bytes; // and the weights of a rollout asleep at level 1
};

// One step on one GPU: `engine` is the rollout (its plan holds what others hold), `others_bytes` what
// further residents hold all the time.
enum kvb_status kvb_training_compute(const struct kvb_trainer *trainer, const struct kvb_plan *engine,
                                     uint64_t others_bytes, struct kvb_training *training,
                                     struct kvb_problems *problems) KVB_MUST_USE;
// What the trainer holds before its first step, its context included.
uint64_t kvb_trainer_at_start(const struct kvb_trainer *trainer, const struct kvb_model *model);

// ---- CPU memory

enum kvb_host_kind { KVB_HOST_WEIGHTS, KVB_HOST_SWAP, KVB_HOST_CONNECTOR, KVB_HOST_KIND_COUNT };
struct kvb_host_row {
    enum kvb_setting setting;
    const char *does, *cannot; // sentences
};
const struct kvb_host_row *kvb_host_row_of(enum kvb_host_kind kind); // NULL: no such row

// One setting that puts something into CPU memory. Per GPU.
struct kvb_host_use {
    enum kvb_host_kind kind;
    bool known;            // host_bytes is
    bool ignored;          // this release does nothing with it
    uint64_t host_bytes;   // CPU memory it takes
    uint64_t freed_bytes;  // GPU memory it gives back
    uint64_t moved_bytes;  // over the bus: for each step (weights), or for one request of max_model_len
    uint64_t microseconds; // that this takes at best
};
struct kvb_host_memory {
    const char *bus; // "PCIe 4.0 x16"; the host's own memory when it is unified
    uint32_t bus_gb_s;
    uint32_t count;
    struct kvb_host_use uses[KVB_HOST_KIND_COUNT];
};
void kvb_host_memory_of(const struct kvb_plan *plan, const struct kvb_budget *budget, struct kvb_host_memory *memory);

// ---- Platforms that hold memory themselves

struct kvb_platform_row {
    const char *name;
    enum kvb_platform platform;
    const char *gpu_names[3];   // parts of GPU names; none: any discrete GPU
    uint32_t low_mib, high_mib; // gone before the engine starts, as seen; 0: not known
    const char *why, *source;   // a clause for the reader; where it was seen
};
const struct kvb_platform_row *kvb_platform_rows(size_t *count);
// NULL: nothing but the driver holds memory there.
const struct kvb_platform_row *kvb_platform_row_of(enum kvb_platform platform, const struct kvb_gpu *gpu);

KVB_PUBLIC_END

#endif
