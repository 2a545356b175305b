// Key names and defaults of training frameworks, by release.
// Sources: verl verl/trainer/config/{rollout/rollout,engine/fsdp,actor/dp_actor,ref/dp_ref,model/hf_model}.yaml
// and verl/third_party/vllm/__init__.py; trl/trainer/grpo_config.py and trl/generation/vllm_generation.py;
// openrlhf/cli/train_ppo_ray.py.
#include <string.h>

#include <kvbudget/units.h>

#include "deployment/residents.h"
#include "text/strict.h"

#define PATH_PARTS_MAX 12

static const struct kvb_framework_row rows[] = {
#define VERL KVB_FRAMEWORK_VERL, 0, 0
// Read off verl's tags v0.1 to v0.9.0.
#define VERL_TO(a, b, c) KVB_FRAMEWORK_VERL, 0, KVB_RELEASE(a, b, c)
#define VERL_FROM(a, b, c) KVB_FRAMEWORK_VERL, KVB_RELEASE(a, b, c), 0
#define ACTOR "actor_rollout_ref.actor."
#define ROLLOUT "actor_rollout_ref.rollout."
    {VERL, "trainer.n_gpus_per_node", "gpus", KVB_MEANS_TIMES, "8"},
    {VERL, "trainer.nnodes", "gpus", KVB_MEANS_TIMES, "1"},
    {VERL, ACTOR "strategy", "sharding", KVB_MEANS_TRAINER, "fsdp"},
    {VERL, ACTOR "fsdp_config.model_dtype", "precision", KVB_MEANS_TRAINER, "fp32"},
    {VERL, ACTOR "fsdp_config.param_offload", "offload_parameters", KVB_MEANS_TRAINER, "false"},
    {VERL, ACTOR "fsdp_config.optimizer_offload", "offload_optimizer", KVB_MEANS_TRAINER, "false"},
    {VERL, ACTOR "ppo_max_token_len_per_gpu", "micro_batch_tokens", KVB_MEANS_TRAINER, "16384"},
    {VERL, ACTOR "ulysses_sequence_parallel_size", "sequence_parallel", KVB_MEANS_TRAINER, "1"},
    {VERL, ACTOR "use_kl_loss", "reference", KVB_MEANS_PRESENCE, "false"},
    {VERL, "algorithm.use_kl_in_reward", "reference", KVB_MEANS_PRESENCE, "false"},
    {VERL, "actor_rollout_ref.ref.fsdp_config.model_dtype", "reference_precision", KVB_MEANS_TRAINER, "fp32"},
    {VERL, "", "offload_reference", KVB_MEANS_TRAINER, "true"}, // the worker forces it
    {VERL, "", "logits", KVB_MEANS_TRAINER, "flash"},
    {VERL, "actor_rollout_ref.model.enable_gradient_checkpointing", "checkpointing", KVB_MEANS_TRAINER, "true"},
    {VERL, "data.max_prompt_length", "prompt_tokens", KVB_MEANS_TRAINER, "512"},
    {VERL, "data.max_response_length", "answer_tokens", KVB_MEANS_TRAINER, "512"},
    {VERL, ROLLOUT "free_cache_engine", "sleep_level", KVB_MEANS_SLEEP, "true"},
    {VERL, ROLLOUT "update_weights_bucket_megabytes", "bucket", KVB_MEANS_MIB, "2048"},
    {VERL, ROLLOUT "checkpoint_engine.update_weights_bucket_megabytes", "bucket", KVB_MEANS_MIB, NULL},
    {VERL, ROLLOUT "gpu_memory_utilization", "gpu_memory_utilization", KVB_MEANS_SETTING, "0.5"},
    {VERL, ROLLOUT "tensor_model_parallel_size", "tensor_parallel_size", KVB_MEANS_SETTING, "2"},
    {VERL, ROLLOUT "max_num_batched_tokens", "max_num_batched_tokens", KVB_MEANS_SETTING, "8192"},
    {VERL_TO(0, 9, 0), ROLLOUT "max_num_seqs", "max_num_seqs", KVB_MEANS_SETTING, "1024"},
    {VERL_FROM(0, 9, 0), ROLLOUT "max_num_seqs", "max_num_seqs", KVB_MEANS_SETTING, "256"},
    {VERL_TO(0, 6, 0), ROLLOUT "enforce_eager", "enforce_eager", KVB_MEANS_SETTING, "true"},
    {VERL_FROM(0, 6, 0), ROLLOUT "enforce_eager", "enforce_eager", KVB_MEANS_SETTING, "false"},
    {VERL, ROLLOUT "pipeline_model_parallel_size", "pipeline_parallel_size", KVB_MEANS_SETTING, NULL},
    {VERL, ROLLOUT "enable_prefix_caching", "enable_prefix_caching", KVB_MEANS_SETTING, "true"},
    {VERL, ROLLOUT "quantization", "quantization", KVB_MEANS_SETTING, NULL},
    {VERL, ROLLOUT "enable_chunked_prefill", "enable_chunked_prefill", KVB_MEANS_SETTING, "true"},
    {VERL, ROLLOUT "dtype", "dtype", KVB_MEANS_SETTING, "bfloat16"},
    {VERL, ROLLOUT "max_model_len", "max_model_len", KVB_MEANS_SETTING, NULL},
#define TRL KVB_FRAMEWORK_TRL, 0, 0
    {TRL, "", "logits", KVB_MEANS_TRAINER, "fp32"},
    {TRL, "bf16", "precision", KVB_MEANS_PRESENCE, NULL},
    {TRL, "gradient_checkpointing", "checkpointing", KVB_MEANS_TRAINER, NULL},
    {TRL, "optim", "optimizer", KVB_MEANS_TRAINER, NULL},
    {TRL, "beta", "reference", KVB_MEANS_PRESENCE, "0.0"},
    {TRL, "max_prompt_length", "prompt_tokens", KVB_MEANS_TRAINER, "512"},
    {TRL, "max_completion_length", "answer_tokens", KVB_MEANS_TRAINER, "256"},
    {TRL, "per_device_train_batch_size", "micro_batch_sequences", KVB_MEANS_TRAINER, "8"},
    {TRL, "vllm_enable_sleep_mode", "sleep_level", KVB_MEANS_SLEEP, "false"},
    {TRL, "vllm_gpu_memory_utilization", "gpu_memory_utilization", KVB_MEANS_SETTING, "0.3"},
    {TRL, "vllm_tensor_parallel_size", "tensor_parallel_size", KVB_MEANS_SETTING, "1"},
    {TRL, "vllm_max_model_length", "max_model_len", KVB_MEANS_SETTING, NULL},
    {TRL, "", "max_num_batched_tokens", KVB_MEANS_SETTING, "4096"}, // set in the code
#define OPENRLHF KVB_FRAMEWORK_OPENRLHF, 0, 0
    {OPENRLHF, "zero_stage", "sharding", KVB_MEANS_STAGE, "2"},
    {OPENRLHF, "", "precision", KVB_MEANS_TRAINER, "mixed"},
    {OPENRLHF, "", "reference_precision", KVB_MEANS_TRAINER, "bf16"},
    {OPENRLHF, "", "logits", KVB_MEANS_TRAINER, "fp32"},
    {OPENRLHF, "actor_num_gpus_per_node", "gpus", KVB_MEANS_TIMES, "8"},
    {OPENRLHF, "actor_num_nodes", "gpus", KVB_MEANS_TIMES, "1"},
    {OPENRLHF, "gradient_checkpointing", "checkpointing", KVB_MEANS_TRAINER, "false"},
    {OPENRLHF, "adam_offload", "offload_optimizer", KVB_MEANS_TRAINER, "false"},
    {OPENRLHF, "deepspeed_enable_sleep", "offload_parameters", KVB_MEANS_OFFLOAD, "false"},
    {OPENRLHF, "init_kl_coef", "reference", KVB_MEANS_PRESENCE, "0.01"},
    {OPENRLHF, "ref_reward_offload", "offload_reference", KVB_MEANS_TRAINER, "false"},
    {OPENRLHF, "prompt_max_len", "prompt_tokens", KVB_MEANS_TRAINER, "1024"},
    {OPENRLHF, "generate_max_len", "answer_tokens", KVB_MEANS_TRAINER, "1024"},
    {OPENRLHF, "micro_train_batch_size", "micro_batch_sequences", KVB_MEANS_TRAINER, "4"},
    {OPENRLHF, "vllm_enable_sleep", "sleep_level", KVB_MEANS_SLEEP, "false"},
    {OPENRLHF, "vllm_gpu_memory_utilization", "gpu_memory_utilization", KVB_MEANS_SETTING, "0.95"},
    {OPENRLHF, "vllm_tensor_parallel_size", "tensor_parallel_size", KVB_MEANS_SETTING, "1"},
};

const struct kvb_framework_row *kvb_framework_rows(size_t *count)
{
    *count = sizeof rows / sizeof rows[0];
    return rows;
}

static const struct kvb_node *child_of(const struct kvb_node *mapping, const char *name, size_t length)
{
    const struct kvb_node *child = mapping->kind == KVB_NODE_MAPPING ? mapping->first : NULL;
    while (child != NULL && (strncmp(child->key, name, length) != 0 || child->key[length] != '\0')) {
        child = child->next;
    }
    return child;
}

// Finds "a.b.c" nested or as one dotted key, as command lines write it.
static const struct kvb_node *find_path(const struct kvb_node *config, const char *path)
{
    const struct kvb_node *node = config == NULL ? NULL : child_of(config, path, strlen(path));
    if (node != NULL || config == NULL) {
        return node;
    }
    node = config;
    for (unsigned part = 0; node != NULL && *path != '\0' && part < PATH_PARTS_MAX; part++) {
        size_t length = strcspn(path, ".");
        node = child_of(node, path, length);
        path += length + (path[length] == '.' ? 1 : 0);
    }
    return node;
}

static bool is_on(const char *text)
{
    bool zero = text[strspn(text, "0.")] == '\0';
    return !zero && strcmp(text, "false") != 0 && strcmp(text, "False") != 0;
}

static bool put_setting(struct kvb_resident_entry *entry, const char *key, const char *text, char expected[160])
{
    char why[256];
    uint64_t number = 0;
    for (unsigned i = 0; i < KVB_SETTING_COUNT; i++) {
        if (strcmp(kvb_setting_row_of(i)->key, key) == 0) {
            bool fine = kvb_setting_parse((enum kvb_setting)i, text, &number, why);
            if (fine) {
                kvb_settings_set(&entry->rollout, (enum kvb_setting)i, number, KVB_ORIGIN_PROFILE);
            }
            strncpy(expected, kvb_setting_row_of(i)->help, 159);
            expected[159] = '\0';
            return fine;
        }
    }
    return false;
}

static bool put_times(struct kvb_trainer *trainer, const char *text, char expected[160])
{
    uint64_t number = 0;
    bool fine = kvb_parse_whole(text, &number) && number >= 1 && number <= 65536;
    memcpy(expected, "a whole number from 1 to 65536", sizeof "a whole number from 1 to 65536");
    uint64_t product = fine ? number * trainer->gpus : 0;
    if (fine && product <= 1048576) {
        trainer->gpus = (uint32_t)product;
    }
    return fine && product <= 1048576;
}

static bool put_mib(struct kvb_trainer *trainer, const char *text, char expected[160])
{
    uint64_t number = 0;
    bool fine = kvb_parse_whole(text, &number) && number >= 1 && number <= 1048576;
    memcpy(expected, "a whole number of MiB", sizeof "a whole number of MiB");
    trainer->bucket_bytes = fine ? number * KVB_MIB : trainer->bucket_bytes;
    return fine;
}

static bool put_stage(struct kvb_trainer *trainer, const char *text, char expected[160])
{
    static const enum kvb_sharding stages[] = {KVB_SHARD_NONE, KVB_SHARD_ZERO1, KVB_SHARD_ZERO2, KVB_SHARD_ZERO3};
    uint64_t number = 0;
    bool fine = kvb_parse_whole(text, &number) && number <= 3;
    memcpy(expected, "0, 1, 2 or 3", sizeof "0, 1, 2 or 3");
    trainer->sharding = fine ? stages[number] : trainer->sharding;
    return fine;
}

static void put_presence(struct kvb_trainer *trainer, const char *key, const char *text)
{
    if (strcmp(key, "reference") == 0) {
        trainer->has_reference = trainer->has_reference || is_on(text);
    } else if (strcmp(key, "precision") == 0) {
        trainer->precision = is_on(text) ? KVB_PRECISION_BF16 : KVB_PRECISION_FP32;
    }
}

static bool put(struct kvb_resident_entry *entry, const struct kvb_framework_row *row, const char *text,
                char expected[160])
{
    struct kvb_trainer *trainer = &entry->trainer;
    const struct kvb_field_row *target = kvb_field_find(&kvb_trainer_schema, row->key);
    switch (row->meaning) {
    case KVB_MEANS_TRAINER:
        return target != NULL && kvb_trainer_put(trainer, target, text, expected);
    case KVB_MEANS_SETTING:
        return put_setting(entry, row->key, text, expected);
    case KVB_MEANS_MIB:
        return put_mib(trainer, text, expected);
    case KVB_MEANS_SLEEP:
        trainer->sleep_level = is_on(text) ? 2 : 0;
        return true;
    case KVB_MEANS_PRESENCE:
        put_presence(trainer, row->key, text);
        return true;
    case KVB_MEANS_TIMES:
        return put_times(trainer, text, expected);
    case KVB_MEANS_STAGE:
        return put_stage(trainer, text, expected);
    case KVB_MEANS_OFFLOAD:
        trainer->parameters_offloaded = is_on(text);
        trainer->optimizer_offloaded = trainer->optimizer_offloaded || is_on(text);
        return true;
    }
    return false;
}

enum kvb_status kvb_framework_put(enum kvb_framework framework, uint32_t release, kvb_framework_lookup *find,
                                  void *context, struct kvb_resident_entry *entry, const char **wrong)
{
    char expected[160];
    *wrong = NULL;
    for (size_t i = 0; i < sizeof rows / sizeof rows[0]; i++) {
        const struct kvb_framework_row *row = &rows[i];
        bool in_range = release >= row->since && (row->until == 0 || release < row->until);
        if (row->framework != framework || !in_range) {
            continue;
        }
        const char *said = row->path[0] != '\0' ? find(context, row->path) : NULL;
        const char *text = said != NULL ? said : row->otherwise;
        if (text != NULL && !put(entry, row, text, expected) && *wrong == NULL) {
            *wrong = row->path;
        }
    }
    kvb_framework_finish(entry, false);
    return *wrong == NULL ? KVB_OK : KVB_OUT_OF_RANGE;
}

// Lengths that are sums: of a pass, and of the engine's requests where no longest length is set, as the workers do
// (verl/workers/rollout/vllm_rollout, openrlhf/cli/train_ppo_ray.py).
void kvb_framework_finish(struct kvb_resident_entry *entry, bool tokens_said)
{
    struct kvb_trainer *trainer = &entry->trainer;
    uint64_t length = trainer->prompt_tokens + trainer->answer_tokens; // each at most 2^32
    bool sums = trainer->framework == KVB_FRAMEWORK_VERL || trainer->framework == KVB_FRAMEWORK_OPENRLHF;
    if (trainer->micro_batch_sequences > 0 && !tokens_said && length > 0) {
        trainer->micro_batch_tokens = trainer->micro_batch_sequences * length;
    }
    if (sums && length > 0 && !entry->rollout.values[KVB_SET_MAX_MODEL_LEN].set) {
        kvb_settings_set(&entry->rollout, KVB_SET_MAX_MODEL_LEN, length, KVB_ORIGIN_PROFILE);
    }
}

static enum kvb_status apply_row(const struct kvb_framework_row *row, const struct kvb_tree *tree,
                                 const struct kvb_node *config, struct kvb_resident_entry *entry,
                                 struct kvb_problems *problems)
{
    char expected[160] = "another value";
    const struct kvb_node *node = row->path[0] != '\0' ? find_path(config, row->path) : NULL;
    if (node == NULL || kvb_node_is_null(node)) {
        bool fine = row->otherwise == NULL || put(entry, row, row->otherwise, expected);
        return fine ? KVB_OK : KVB_BAD_TYPE;
    }
    if (node->kind != KVB_NODE_SCALAR) {
        return kvb_expected(tree, node, KVB_BAD_TYPE, "one value", problems);
    }
    return put(entry, row, node->text, expected) ? KVB_OK
                                                 : kvb_expected(tree, node, KVB_OUT_OF_RANGE, expected, problems);
}

enum kvb_status kvb_framework_apply(enum kvb_framework framework, uint32_t release, const struct kvb_tree *tree,
                                    const struct kvb_node *config, struct kvb_resident_entry *entry,
                                    struct kvb_problems *problems)
{
    enum kvb_status status = KVB_OK;
    for (size_t i = 0; i < sizeof rows / sizeof rows[0]; i++) {
        bool in_range = release >= rows[i].since && (rows[i].until == 0 || release < rows[i].until);
        if (rows[i].framework == framework && in_range) {
            enum kvb_status one = apply_row(&rows[i], tree, config, entry, problems);
            status = status == KVB_OK ? one : status;
        }
    }
    return status;
}
