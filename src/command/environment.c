// Environment variables that an engine reads and that move memory.
#include <stdio.h>
#include <string.h>

#include <kvbudget/input.h>
#include <kvbudget/units.h>

#include "base/text.h"
#include "command/environment.h"

#define NAME_CAPACITY 96
#define PARTITION_MAX 64

typedef bool value_reader(const char *value, size_t offset, struct kvb_environment *environment);

static bool read_switch(const char *value, size_t offset, struct kvb_environment *environment)
{
    static const char *const yes[] = {"1", "true", "yes", "on"};
    static const char *const no[] = {"0", "false", "no", "off", ""};
    uint8_t *out = (uint8_t *)environment + offset;
    for (size_t i = 0; i < sizeof yes / sizeof yes[0]; i++) {
        if (kvb_equal_ignoring_case(value, yes[i])) {
            *out = KVB_YES;
            return true;
        }
    }
    for (size_t i = 0; i < sizeof no / sizeof no[0]; i++) {
        if (kvb_equal_ignoring_case(value, no[i])) {
            *out = KVB_NO;
            return true;
        }
    }
    return false;
}

static bool read_backend(const char *value, size_t offset, struct kvb_environment *environment)
{
    char why[256];
    uint64_t number;
    (void)offset;
    if (!kvb_setting_parse(KVB_SET_ATTENTION_BACKEND, value, &number, why)) {
        return false;
    }
    environment->attention_backend = (uint32_t)number;
    return true;
}

// "16,16,17": layers of each pipeline stage.
static bool read_partition(const char *value, size_t offset, struct kvb_environment *environment)
{
    (void)offset;
    uint16_t layers[PARTITION_MAX];
    uint8_t count = 0;
    for (;;) {
        char number[8];
        uint64_t stage;
        size_t length = strcspn(value, ",");
        if (length >= sizeof number || count == PARTITION_MAX) {
            return false;
        }
        memcpy(number, value, length);
        number[length] = '\0';
        if (!kvb_parse_whole(number, &stage) || stage > KVB_LAYERS_MAX) {
            return false;
        }
        layers[count++] = (uint16_t)stage;
        if (value[length] == '\0') {
            break;
        }
        value += length + 1;
    }
    memcpy(environment->layer_partition, layers, count * sizeof layers[0]);
    environment->layer_partition_count = count;
    return true;
}

// "expandable_segments:True,max_split_size_mb:128"; other parts have no effect that is modelled.
static bool read_allocator(const char *value, size_t offset, struct kvb_environment *environment)
{
    (void)offset;
    if (kvb_contains_ignoring_case(value, "expandable_segments:true")) {
        environment->expandable_segments = KVB_YES;
    } else if (kvb_contains_ignoring_case(value, "expandable_segments:false")) {
        environment->expandable_segments = KVB_NO;
    }
    return true;
}

struct variable_row {
    const char *name;
    value_reader *read;
    size_t offset; // switches only
    const char *expected;
};

#define SWITCH_ROW(name, member)                                                                                       \
    {                                                                                                                  \
        name, read_switch, offsetof(struct kvb_environment, member), "0 or 1"                                          \
    }

static const struct variable_row rows[] = {
    SWITCH_ROW("VLLM_USE_V1", use_v1),
    SWITCH_ROW("VLLM_USE_V2_MODEL_RUNNER", use_v2_model_runner),
    SWITCH_ROW("VLLM_USE_FLASHINFER_SAMPLER", use_flashinfer_sampler),
    SWITCH_ROW("VLLM_MEMORY_PROFILER_ESTIMATE_CUDAGRAPHS", estimate_cudagraphs),
    SWITCH_ROW("VLLM_MLA_DISABLE", mla_disable),
    SWITCH_ROW("VLLM_ALLOW_CHUNKED_LOCAL_ATTN_WITH_HYBRID_KV_CACHE", allow_chunked_local_hybrid),
    SWITCH_ROW("VLLM_ALLOW_LONG_MAX_MODEL_LEN", allow_long_max_model_len),
    {"VLLM_ATTENTION_BACKEND", read_backend, 0, "a backend such as FLASH_ATTN"},
    {"VLLM_PP_LAYER_PARTITION", read_partition, 0, "layers of each stage such as 16,16"},
    {"PYTORCH_CUDA_ALLOC_CONF", read_allocator, 0, "allocator settings"},
    {"PYTORCH_ALLOC_CONF", read_allocator, 0, "allocator settings"},
};

bool kvb_environment_switch(const struct kvb_environment *environment, unsigned index, char out[KVB_SWITCH_CAPACITY])
{
    out[0] = '\0';
    if (index >= sizeof rows / sizeof rows[0]) {
        return false;
    }
    uint8_t value = *((const uint8_t *)environment + rows[index].offset);
    if (rows[index].read == read_switch && value != KVB_UNSET) {
        (void)snprintf(out, KVB_SWITCH_CAPACITY, "%s=%d", rows[index].name, value == KVB_YES);
    }
    return true;
}

enum kvb_status kvb_environment_set_at(const char *name, const char *value, struct kvb_place place,
                                       struct kvb_environment *environment, struct kvb_problems *problems)
{
    for (size_t i = 0; i < sizeof rows / sizeof rows[0]; i++) {
        if (strcmp(rows[i].name, name) != 0) {
            continue;
        }
        if (rows[i].read(value, rows[i].offset, environment)) {
            return KVB_OK;
        }
        return kvb_problem_add(problems, KVB_ERROR, KVB_BAD_TYPE, place, "%s: expected %s, found '%.60s'", name,
                               rows[i].expected, value);
    }
    return KVB_OK;
}

enum kvb_status kvb_environment_set(const char *assignment, struct kvb_environment *environment,
                                    struct kvb_problems *problems)
{
    char name[NAME_CAPACITY];
    size_t length = strcspn(assignment, "=");
    if (length == 0 || assignment[length] != '=') {
        return kvb_problem_add(problems, KVB_ERROR, KVB_BAD_ARGUMENT, (struct kvb_place){0},
                               "expected NAME=VALUE, found '%.60s'", assignment);
    }
    if (length >= sizeof name) {
        return KVB_OK; // no variable with an effect has so long a name
    }
    memcpy(name, assignment, length);
    name[length] = '\0';
    return kvb_environment_set_at(name, assignment + length + 1, (struct kvb_place){0}, environment, problems);
}
