// Keys of a trainer in `residents:`, one row each.
#include <string.h>

#include <kvbudget/units.h>

#include "deployment/residents.h"

#define GPUS_MAX 1048576
#define TOKENS_MAX (UINT64_C(1) << 32)
#define AT(member) KVB_AT(struct kvb_trainer, member)

static const char *const framework_words[] = {"none", "verl", "trl", "openrlhf", NULL};
static const char *const sharding_words[] = {"none", "fsdp", "fsdp2", "zero1", "zero2", "zero3", NULL};
static const char *const precision_words[] = {"fp32", "bf16", "mixed", NULL};
static const char *const optimizer_words[] = {"adamw", "adamw_8bit", "sgd", NULL};
static const char *const logits_words[] = {"flash", "fused", "copied", "fp32", "entropy", NULL};

static const struct kvb_field_row rows[] = {
    {"framework", KVB_FIELD_WORD, AT(framework), .words = framework_words, .help = "whose defaults and key names hold"},
    {"sharding", KVB_FIELD_WORD, AT(sharding), .words = sharding_words, .help = "what the GPUs divide among them"},
    {"gpus", KVB_FIELD_WHOLE, AT(gpus), .minimum = 1, .maximum = GPUS_MAX, .help = "GPUs of the sharding group"},
    {"parameters", KVB_FIELD_WHOLE, AT(parameters), .minimum = 1, .maximum = UINT64_C(1) << 44,
     .help = "of the actor; else the model's"},
    {"precision", KVB_FIELD_WORD, AT(precision), .words = precision_words, .help = "of the stored weights and Adam"},
    {"optimizer", KVB_FIELD_WORD, AT(optimizer), .words = optimizer_words, .help = "what it keeps beside the weights"},
    {"state", KVB_FIELD_SIZE, AT(state_bytes), .minimum = 1,
     .help = "weights, gradients and optimizer of all GPUs together"},
    {"reference", KVB_FIELD_SWITCH, AT(has_reference), .help = "a frozen reference model is kept"},
    {"reference_state", KVB_FIELD_SIZE, AT(reference_bytes), .minimum = 1, .help = "its weights, of all GPUs together"},
    {"reference_parameters", KVB_FIELD_WHOLE, AT(reference_parameters), .minimum = 1, .maximum = UINT64_C(1) << 44,
     .help = "of the reference; else the actor's"},
    {"reference_precision", KVB_FIELD_WORD, AT(reference_precision), .words = precision_words,
     .help = "of its weights"},
    {"offload_parameters", KVB_FIELD_SWITCH, AT(parameters_offloaded), .help = "weights rest in CPU memory"},
    {"offload_optimizer", KVB_FIELD_SWITCH, AT(optimizer_offloaded), .help = "optimizer rests in CPU memory"},
    {"offload_reference", KVB_FIELD_SWITCH, AT(reference_offloaded), .help = "reference rests in CPU memory"},
    {"checkpointing", KVB_FIELD_NOT, AT(no_checkpointing), .help = "activations are computed again"},
    {"prefetch", KVB_FIELD_NOT, AT(no_prefetch), .help = "the next unit is gathered early"},
    {"micro_batch_tokens", KVB_FIELD_WHOLE, AT(micro_batch_tokens), .minimum = 1, .maximum = TOKENS_MAX,
     .help = "on one GPU"},
    {"micro_batch_sequences", KVB_FIELD_WHOLE, AT(micro_batch_sequences), .minimum = 1, .maximum = GPUS_MAX,
     .help = "of prompt and answer each, when tokens are not given"},
    {"sequence_parallel", KVB_FIELD_WHOLE, AT(sequence_parallel), .minimum = 1, .maximum = GPUS_MAX,
     .help = "GPUs that share a sequence"},
    {"logits", KVB_FIELD_WORD, AT(logits), .words = logits_words, .help = "how the loss reads them"},
    {"sleep_level", KVB_FIELD_WHOLE, AT(sleep_level), .minimum = 0, .maximum = 2,
     .help = "of the rollout engine while training"},
    {"bucket", KVB_FIELD_SIZE, AT(bucket_bytes), .minimum = 1, .help = "of the weight update"},
    {"context", KVB_FIELD_SIZE, AT(context_bytes), .minimum = 1, .help = "CUDA context and NCCL of the trainer"},
    {"prompt_tokens", KVB_FIELD_WHOLE, AT(prompt_tokens), .minimum = 1, .maximum = TOKENS_MAX,
     .help = "of one rollout"},
    {"answer_tokens", KVB_FIELD_WHOLE, AT(answer_tokens), .minimum = 1, .maximum = TOKENS_MAX,
     .help = "of one rollout"},
    {"sequences", KVB_FIELD_WHOLE, AT(sequences), .minimum = 1, .maximum = GPUS_MAX,
     .help = "rollouts on one GPU at once"},
};

const struct kvb_schema kvb_trainer_schema = KVB_SCHEMA("a trainer", rows);

// Spellings of the same number format in the frameworks' own files.
static const char *plain_word(const char *text)
{
    static const char *const pairs[][2] = {{"float32", "fp32"},      {"bfloat16", "bf16"},
                                           {"adamw_torch", "adamw"}, {"adamw_torch_fused", "adamw"},
                                           {"True", "true"},         {"False", "false"}};
    for (size_t i = 0; i < sizeof pairs / sizeof pairs[0]; i++) {
        if (strcmp(text, pairs[i][0]) == 0) {
            return pairs[i][1];
        }
    }
    return text;
}

bool kvb_trainer_put(struct kvb_trainer *trainer, const struct kvb_field_row *row, const char *text, char expected[160])
{
    return kvb_field_put(row, plain_word(text), false, trainer, expected) == KVB_OK;
}
