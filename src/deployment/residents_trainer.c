// Keys of a trainer in `residents:`, one row each.
#include <stdio.h>
#include <string.h>

#include <kvbudget/units.h>

#include "deployment/residents.h"

#define GPUS_MAX 1048576
#define TOKENS_MAX (UINT64_C(1) << 32)
#define AT(member) offsetof(struct kvb_trainer, member)

static const char *const framework_words[] = {"none", "verl", "trl", "openrlhf", NULL};
static const char *const sharding_words[] = {"none", "fsdp", "fsdp2", "zero1", "zero2", "zero3", NULL};
static const char *const precision_words[] = {"fp32", "bf16", "mixed", NULL};
static const char *const optimizer_words[] = {"adamw", "adamw_8bit", "sgd", NULL};
static const char *const logits_words[] = {"fused", "flash", "copied", "fp32", "entropy", NULL};
static const uint32_t logits_extra[] = {0, 0, 2, 4, 8};

static const struct kvb_trainer_row rows[] = {
    {"framework", KVB_TRAINER_WORD, AT(framework), 0, 0, framework_words, "whose defaults and key names hold"},
    {"sharding", KVB_TRAINER_WORD, AT(sharding), 0, 0, sharding_words, "what the GPUs divide among them"},
    {"gpus", KVB_TRAINER_WHOLE32, AT(gpus), 1, GPUS_MAX, NULL, "GPUs of the sharding group"},
    {"parameters", KVB_TRAINER_WHOLE64, AT(parameters), 1, UINT64_C(1) << 44, NULL, "of the actor; else the model's"},
    {"precision", KVB_TRAINER_WORD, AT(precision), 0, 0, precision_words, "of the stored weights and Adam"},
    {"optimizer", KVB_TRAINER_WORD, AT(optimizer), 0, 0, optimizer_words, "what it keeps beside the weights"},
    {"state", KVB_TRAINER_SIZE, AT(state_bytes), 0, 0, NULL, "weights, gradients and optimizer of all GPUs together"},
    {"reference", KVB_TRAINER_SWITCH, AT(has_reference), 0, 0, NULL, "a frozen reference model is kept"},
    {"reference_state", KVB_TRAINER_SIZE, AT(reference_bytes), 0, 0, NULL, "its weights, of all GPUs together"},
    {"reference_parameters", KVB_TRAINER_WHOLE64, AT(reference_parameters), 1, UINT64_C(1) << 44, NULL,
     "of the reference; else the actor's"},
    {"reference_precision", KVB_TRAINER_WORD, AT(reference_precision), 0, 0, precision_words, "of its weights"},
    {"offload_parameters", KVB_TRAINER_SWITCH, AT(parameters_offloaded), 0, 0, NULL, "weights rest in CPU memory"},
    {"offload_optimizer", KVB_TRAINER_SWITCH, AT(optimizer_offloaded), 0, 0, NULL, "optimizer rests in CPU memory"},
    {"offload_reference", KVB_TRAINER_SWITCH, AT(reference_offloaded), 0, 0, NULL, "reference rests in CPU memory"},
    {"checkpointing", KVB_TRAINER_NOT, AT(no_checkpointing), 0, 0, NULL, "activations are computed again"},
    {"prefetch", KVB_TRAINER_NOT, AT(no_prefetch), 0, 0, NULL, "the next unit is gathered early"},
    {"micro_batch_tokens", KVB_TRAINER_WHOLE64, AT(micro_batch_tokens), 1, TOKENS_MAX, NULL, "on one GPU"},
    {"micro_batch_sequences", KVB_TRAINER_WHOLE64, AT(micro_batch_sequences), 1, GPUS_MAX, NULL,
     "of prompt and answer each, when tokens are not given"},
    {"sequence_parallel", KVB_TRAINER_WHOLE32, AT(sequence_parallel), 1, GPUS_MAX, NULL, "GPUs that share a sequence"},
    {"logits", KVB_TRAINER_LOGITS, AT(logit_extra_bytes), 0, 0, logits_words, "how the loss reads them"},
    {"sleep_level", KVB_TRAINER_WHOLE32, AT(sleep_level), 0, 2, NULL, "of the rollout engine while training"},
    {"bucket", KVB_TRAINER_SIZE, AT(bucket_bytes), 0, 0, NULL, "of the weight update"},
    {"context", KVB_TRAINER_SIZE, AT(context_bytes), 0, 0, NULL, "CUDA context and NCCL of the trainer"},
    {"prompt_tokens", KVB_TRAINER_WHOLE64, AT(prompt_tokens), 1, TOKENS_MAX, NULL, "of one rollout"},
    {"answer_tokens", KVB_TRAINER_WHOLE64, AT(answer_tokens), 1, TOKENS_MAX, NULL, "of one rollout"},
    {"sequences", KVB_TRAINER_WHOLE64, AT(sequences), 1, GPUS_MAX, NULL, "rollouts on one GPU at once"},
};

const struct kvb_trainer_row *kvb_trainer_rows(size_t *count)
{
    *count = sizeof rows / sizeof rows[0];
    return rows;
}

const struct kvb_trainer_row *kvb_trainer_row(const char *key)
{
    for (size_t i = 0; i < sizeof rows / sizeof rows[0]; i++) {
        if (strcmp(rows[i].key, key) == 0) {
            return &rows[i];
        }
    }
    return NULL;
}

static void expect(const struct kvb_trainer_row *row, char expected[160])
{
    size_t used = 0;
    switch (row->kind) {
    case KVB_TRAINER_WHOLE32:
    case KVB_TRAINER_WHOLE64:
        (void)snprintf(expected, 160, "a whole number from %llu to %llu", (unsigned long long)row->minimum,
                       (unsigned long long)row->maximum);
        return;
    case KVB_TRAINER_SIZE:
        (void)snprintf(expected, 160, "a size above 0 such as 68GB or 64GiB");
        return;
    case KVB_TRAINER_SWITCH:
    case KVB_TRAINER_NOT:
        (void)snprintf(expected, 160, "true or false");
        return;
    case KVB_TRAINER_WORD:
    case KVB_TRAINER_LOGITS:
        break;
    }
    for (size_t i = 0; row->words[i] != NULL && used < 128; i++) {
        const char *joint = i == 0 ? "" : row->words[i + 1] != NULL ? ", " : " or ";
        (void)snprintf(expected + used, 160 - used, "%s%s", joint, row->words[i]);
        used = strlen(expected);
    }
}

// Spellings of the same number format in the frameworks' own files.
static const char *plain_word(const char *text)
{
    static const char *const pairs[][2] = {
        {"float32", "fp32"}, {"bfloat16", "bf16"}, {"adamw_torch", "adamw"}, {"adamw_torch_fused", "adamw"}};
    for (size_t i = 0; i < sizeof pairs / sizeof pairs[0]; i++) {
        if (strcmp(text, pairs[i][0]) == 0) {
            return pairs[i][1];
        }
    }
    return text;
}

static bool find_word(const struct kvb_trainer_row *row, const char *text, uint32_t *number)
{
    for (uint32_t i = 0; row->words[i] != NULL; i++) {
        if (strcmp(row->words[i], plain_word(text)) == 0) {
            *number = i;
            return true;
        }
    }
    return false;
}

static bool put_number(char *at, const struct kvb_trainer_row *row, const char *text)
{
    uint64_t number = 0;
    if (!kvb_parse_whole(text, &number) || number < row->minimum || number > row->maximum) {
        return false;
    }
    uint32_t narrow = (uint32_t)number;
    if (row->kind == KVB_TRAINER_WHOLE32) {
        memcpy(at, &narrow, sizeof narrow);
    } else {
        memcpy(at, &number, sizeof number);
    }
    return true;
}

static bool put_switch(char *at, const struct kvb_trainer_row *row, const char *text)
{
    bool on = strcmp(text, "true") == 0 || strcmp(text, "True") == 0;
    bool off = strcmp(text, "false") == 0 || strcmp(text, "False") == 0;
    bool value = row->kind == KVB_TRAINER_NOT ? off : on;
    memcpy(at, &value, sizeof value);
    return on || off;
}

static bool put_word(struct kvb_trainer *trainer, char *at, const struct kvb_trainer_row *row, const char *text)
{
    uint32_t number = 0;
    if (!find_word(row, text, &number)) {
        return false;
    }
    if (row->kind == KVB_TRAINER_LOGITS) {
        trainer->fused_logits = number == 0;
        number = logits_extra[number];
    }
    memcpy(at, &number, sizeof number);
    return true;
}

static bool put_size(char *at, const char *text)
{
    uint64_t bytes = 0;
    bool fine = kvb_parse_bytes(text, &bytes) && bytes > 0;
    if (fine) {
        memcpy(at, &bytes, sizeof bytes);
    }
    return fine;
}

bool kvb_trainer_put(struct kvb_trainer *trainer, const struct kvb_trainer_row *row, const char *text,
                     char expected[160])
{
    _Static_assert(sizeof(enum kvb_sharding) == sizeof(uint32_t), "words are stored as numbers of 32 bits");
    struct kvb_trainer changed = *trainer;
    char *at = (char *)&changed + row->offset;
    bool fine = false;
    switch (row->kind) {
    case KVB_TRAINER_WHOLE32:
    case KVB_TRAINER_WHOLE64:
        fine = put_number(at, row, text);
        break;
    case KVB_TRAINER_SIZE:
        fine = put_size(at, text);
        break;
    case KVB_TRAINER_SWITCH:
    case KVB_TRAINER_NOT:
        fine = put_switch(at, row, text);
        break;
    case KVB_TRAINER_WORD:
    case KVB_TRAINER_LOGITS:
        fine = put_word(&changed, at, row, text);
        break;
    }
    if (fine) {
        *trainer = changed;
    } else {
        expect(row, expected);
    }
    return fine;
}
