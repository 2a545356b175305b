// Environment variables that vLLM reads and that move memory. Source: vllm/envs.py by release.
#include "engines/vllm/serve.h"

#include <string.h>

#include <kvbudget/units.h>

#define PARTITION_MAX 64

static bool read_backend(const char *value, const struct kvb_variable_row *row, struct kvb_environment *environment)
{
    char why[256];
    uint64_t number;
    (void)row;
    if (!kvb_setting_parse(KVB_SET_ATTENTION_BACKEND, value, &number, why)) {
        return false;
    }
    environment->attention_backend = (uint32_t)number;
    return true;
}

// Source: vllm/envs.py v0.19.0:849.
static bool read_index_logits(const char *value, const struct kvb_variable_row *row,
                              struct kvb_environment *environment)
{
    uint64_t mib;
    (void)row;
    if (!kvb_parse_whole(value, &mib) || mib > UINT32_MAX) {
        return false;
    }
    environment->index_logits_stated = true;
    environment->index_logits_mib = (uint32_t)mib;
    return true;
}

// "16,16,17": layers of each pipeline stage.
static bool read_partition(const char *value, const struct kvb_variable_row *row, struct kvb_environment *environment)
{
    uint16_t layers[PARTITION_MAX];
    uint8_t count = 0;
    (void)row;
    for (;;) {
        char number[8];
        uint64_t stage;
        const char *comma = strchr(value, ',');
        size_t length = comma != NULL ? (size_t)(comma - value) : strlen(value);
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

#define SWITCH(member)                                                                                                 \
    .read = kvb_variable_switch, .offset = offsetof(struct kvb_environment, member), .expected = "0 or 1"

const struct kvb_variable_row *kvb_vllm_variables(size_t *count)
{
    static const struct kvb_variable_row rows[] = {
        // Each of these three is judged by the releases that have it (variable_words.c).
        {.name = "VLLM_USE_V1", SWITCH(use_v1), .any_word = true},
        {.name = "VLLM_USE_V2_MODEL_RUNNER", SWITCH(use_v2_model_runner), .any_word = true},
        {.name = "VLLM_MEMORY_PROFILER_ESTIMATE_CUDAGRAPHS", SWITCH(estimate_cudagraphs), .any_word = true},
        KVB_VARIABLE_SWITCH("VLLM_USE_FLASHINFER_SAMPLER", use_flashinfer_sampler),
        KVB_VARIABLE_SWITCH("VLLM_MLA_DISABLE", mla_disable),
        KVB_VARIABLE_SWITCH("VLLM_ROCM_MOE_PADDING", rocm_moe_padding),
        KVB_VARIABLE_TRUTH("VLLM_ROCM_USE_AITER", rocm_use_aiter),
        KVB_VARIABLE_SWITCH("VLLM_ALLOW_CHUNKED_LOCAL_ATTN_WITH_HYBRID_KV_CACHE", allow_chunked_local_hybrid),
        KVB_VARIABLE_TRUTH("VLLM_ALLOW_LONG_MAX_MODEL_LEN", allow_long_max_model_len),
        {.name = "VLLM_ATTENTION_BACKEND", .read = read_backend, .expected = "a backend such as FLASH_ATTN"},
        {.name = "VLLM_SPARSE_INDEXER_MAX_LOGITS_MB", .read = read_index_logits, .expected = "MiB such as 512"},
        {.name = "VLLM_PP_LAYER_PARTITION", .read = read_partition, .expected = "layers of each stage such as 16,16"},
    };
    *count = sizeof rows / sizeof rows[0];
    return rows;
}
