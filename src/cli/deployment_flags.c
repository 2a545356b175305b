// Flags that say what is deployed where: model, GPU, engine release, platform, surroundings.
#include <stdio.h>
#include <string.h>

#include "base/text.h"
#include "cli/options.h"
#include "cli/sweep.h"

#define GPU_MEMORY_MIN_BYTES (1ULL << 28)
#define HELD_MIN_BYTES (1ULL << 20)

static bool copy_text(struct arguments *arguments, const struct option_row *row, const char *value, char *out,
                      size_t capacity)
{
    if (value[0] == '\0') {
        (void)kvb_options_mistake(arguments, "--%s needs a value, found an empty one", row->name);
        return false;
    }
    if (!kvb_copy(out, capacity, value)) {
        (void)kvb_options_mistake(arguments, "--%s is longer than %zu characters", row->name, capacity - 1);
        return false;
    }
    return true;
}

static bool set_model(struct arguments *arguments, const struct option_row *row, const char *value)
{
    arguments->question.deployment.inline_model = false;
    if (kvb_sweep_takes(arguments, KVB_SWEEP_MODEL, KVB_SETTING_COUNT, value)) {
        return true;
    }
    arguments->question.deployment.model_at = (struct kvb_place){0};
    return copy_text(arguments, row, value, arguments->question.deployment.model,
                     sizeof arguments->question.deployment.model);
}

static bool set_served_name(struct arguments *arguments, const struct option_row *row, const char *value)
{
    struct kvb_deployment *deployment = &arguments->question.deployment;
    if (!kvb_model_name_is_served(value) || !kvb_copy(deployment->served_name, KVB_NAME_CAPACITY, value)) {
        (void)kvb_options_mistake(arguments, "--%s: '%.120s' is no name of a model; expected such as Qwen/Qwen3-8B",
                                  row->name, value);
        return false;
    }
    return true;
}

// A GPU of another name does not keep the memory that a profile states for its own.
static bool set_gpu(struct arguments *arguments, const struct option_row *row, const char *value)
{
    struct kvb_deployment *deployment = &arguments->question.deployment;
    if (kvb_sweep_takes(arguments, KVB_SWEEP_GPU, KVB_SETTING_COUNT, value)) {
        return true;
    }
    arguments->question.gpu_flag = value;
    deployment->gpu_at = (struct kvb_place){0};
    deployment->inline_gpu = false;
    deployment->gpu_memory_bytes = 0;
    deployment->gpu_free_bytes = 0;
    deployment->gpu_free_stated = false;
    return copy_text(arguments, row, value, deployment->gpu, sizeof deployment->gpu);
}

static bool set_revision(struct arguments *arguments, const struct option_row *row, const char *value)
{
    return copy_text(arguments, row, value, arguments->question.deployment.revision,
                     sizeof arguments->question.deployment.revision);
}

static bool set_offline(struct arguments *arguments, const struct option_row *row, const char *value)
{
    (void)row;
    (void)value;
    arguments->offline = true;
    return true;
}

static bool set_engine(struct arguments *arguments, const struct option_row *row, const char *value)
{
    if (kvb_sweep_takes(arguments, KVB_SWEEP_ENGINE, KVB_SETTING_COUNT, value)) {
        return true;
    }
    arguments->question.deployment.engine_at = (struct kvb_place){0};
    return copy_text(arguments, row, value, arguments->question.deployment.engine,
                     sizeof arguments->question.deployment.engine);
}

static bool parse_size(struct arguments *arguments, const struct option_row *row, const char *value, uint64_t *bytes)
{
    if (!kvb_parse_bytes(value, bytes)) {
        (void)kvb_options_mistake(arguments, "--%s: '%.60s' is not a size; expected such as 24564MiB, 23.64GiB or 80GB",
                                  row->name, value);
        return false;
    }
    return true;
}

// The same of memory that is held or free: a number without a unit is bytes, and so few mean a forgotten one.
static bool parse_held(struct arguments *arguments, const struct option_row *row, const char *value, uint64_t *bytes)
{
    if (!parse_size(arguments, row, value, bytes)) {
        return false;
    }
    if (*bytes > 0 && *bytes < HELD_MIN_BYTES) {
        (void)kvb_options_mistake(arguments,
                                  "--%s: '%.60s' is less than a MiB; sizes are bytes unless a unit follows: 2GiB",
                                  row->name, value);
        return false;
    }
    return true;
}

static bool set_gpu_memory(struct arguments *arguments, const struct option_row *row, const char *value)
{
    uint64_t bytes = 0;
    if (!parse_size(arguments, row, value, &bytes)) {
        return false;
    }
    if (bytes < GPU_MEMORY_MIN_BYTES) {
        (void)kvb_options_mistake(arguments,
                                  "--%s: '%s' is less than any GPU has; sizes are bytes unless a unit follows: 24GiB",
                                  row->name, value);
        return false;
    }
    arguments->question.deployment.gpu_memory_bytes = bytes;
    return true;
}

static bool set_gpu_free(struct arguments *arguments, const struct option_row *row, const char *value)
{
    arguments->question.deployment.gpu_free_stated = true;
    return parse_held(arguments, row, value, &arguments->question.deployment.gpu_free_bytes);
}

static const char *const usage_words[] = {"serve", "offline", NULL};
static const char *const cache_words[] = {"warm", "cold", NULL};
static const char *const platform_words[] = {"linux", "wsl2", "windows", NULL};

// Index of `value` in `row->words`, or -1 with a problem.
static int find_word(struct arguments *arguments, const struct option_row *row, const char *value)
{
    for (int i = 0; row->words[i] != NULL; i++) {
        if (strcmp(row->words[i], value) == 0) {
            return i;
        }
    }
    (void)kvb_options_mistake(arguments, "--%s: '%.60s' is not known; expected %s", row->name, value, row->argument);
    return -1;
}

static bool set_usage(struct arguments *arguments, const struct option_row *row, const char *value)
{
    int index = find_word(arguments, row, value);
    arguments->question.deployment.usage_set = true;
    arguments->question.deployment.usage = index == 1 ? KVB_USAGE_OFFLINE : KVB_USAGE_SERVE;
    return index >= 0;
}

static bool set_platform(struct arguments *arguments, const struct option_row *row, const char *value)
{
    static const enum kvb_platform platforms[] = {KVB_PLATFORM_LINUX, KVB_PLATFORM_WSL2, KVB_PLATFORM_WINDOWS};
    int index = find_word(arguments, row, value);
    arguments->question.deployment.platform_set = true;
    arguments->question.deployment.platform = platforms[index < 0 ? 0 : index];
    return index >= 0;
}

static bool set_compile_cache(struct arguments *arguments, const struct option_row *row, const char *value)
{
    int index = find_word(arguments, row, value);
    arguments->question.deployment.compile_cache = index == 1 ? KVB_COMPILE_COLD : KVB_COMPILE_WARM;
    return index >= 0;
}

static bool set_environment(struct arguments *arguments, const struct option_row *row, const char *value)
{
    if (!kvb_is_assignment(value)) {
        (void)kvb_options_mistake(arguments, "--%s: '%.60s' is not NAME=VALUE", row->name, value);
        return false;
    }
    kvb_question_keep(&arguments->question, row->name, value);
    return kvb_environment_set(value, &arguments->question.deployment.environment, &arguments->problems) == KVB_OK;
}

static bool set_reserve(struct arguments *arguments, const struct option_row *row, const char *value)
{
    struct kvb_deployment *deployment = &arguments->question.deployment;
    const char *equals = strchr(value, '=');
    uint64_t bytes = 0;
    size_t length = equals != NULL ? (size_t)(equals - value) : 0;
    if (length == 0 || length >= sizeof deployment->reserves[0].name) {
        (void)kvb_options_mistake(arguments, "--%s: '%.60s' is not NAME=SIZE; expected such as display=600MiB",
                                  row->name, value);
        return false;
    }
    if (!parse_held(arguments, row, equals + 1, &bytes)) {
        return false;
    }
    if (deployment->reserve_count == KVB_RESERVES_MAX) {
        (void)kvb_options_mistake(arguments, "--%s: more than %d reserves", row->name, KVB_RESERVES_MAX);
        return false;
    }
    struct kvb_reserve *reserve = &deployment->reserves[deployment->reserve_count++];
    memcpy(reserve->name, value, length);
    reserve->name[length] = '\0';
    reserve->bytes = bytes;
    return true;
}

#define DEPLOYMENT .set_bit = OPTIONS_DEPLOYMENT

static const struct option_row rows[] = {
    {"model", NULL, "NAME|PATH", "Hugging Face name, profile, config.json or folder", NULL, set_model, DEPLOYMENT},
    {"revision", NULL, "REV", "of the model at its hub: a branch, a tag or a commit", NULL, set_revision, DEPLOYMENT},
    {"offline", NULL, NULL, "fetch no model that is not here; also KVBUDGET_OFFLINE=1 and HF_HUB_OFFLINE=1", NULL,
     set_offline, DEPLOYMENT},
    {"served-name", NULL, "OWNER/NAME", "what the model is called when --model is a file or a folder", NULL,
     set_served_name, DEPLOYMENT},
    {"gpu", NULL, "NAME",
     "id, alias or nvidia-smi name; live or live:N asks the driver; without it the cards that start are listed", NULL,
     set_gpu, DEPLOYMENT},
    {"gpu-memory", NULL, "SIZE", "total per GPU as CUDA sees it: 24564MiB, 23.64GiB, 80GB", NULL, set_gpu_memory,
     DEPLOYMENT},
    {"gpu-free", NULL, "SIZE", "free at start, when the GPU is shared", NULL, set_gpu_free, DEPLOYMENT},
    {"engine", NULL, "NAME[@VERSION]", "vllm@0.11.0; the newest known release without a version", NULL, set_engine,
     DEPLOYMENT},
    {"usage", NULL, "serve|offline", "API server or LLM(): their defaults differ", usage_words, set_usage, DEPLOYMENT},
    {"platform", NULL, "linux|wsl2|windows", "what else holds memory", platform_words, set_platform, DEPLOYMENT},
    {"compile-cache", NULL, "warm|cold",
     "whether the compiled graphs of an earlier start are found; without it the bound covers both", cache_words,
     set_compile_cache, DEPLOYMENT},
    {"env", NULL, "NAME=VALUE", "environment variable of the engine; repeatable", NULL, set_environment, DEPLOYMENT,
     .repeatable = true},
    {"reserve", NULL, "NAME=SIZE", "held by something else on each GPU; repeatable", NULL, set_reserve, DEPLOYMENT,
     .repeatable = true},
};

void kvb_options_add_deployment(struct option_list *list)
{
    kvb_options_add(list, rows, sizeof rows / sizeof rows[0]);
}
