// Deployments drawn at random from the built-in models, GPUs and releases; the same ones in every run.
#ifndef KVB_TESTS_RANDOM_DEPLOYMENT_H
#define KVB_TESTS_RANDOM_DEPLOYMENT_H

#include <stdio.h>
#include <string.h>

#include <kvbudget/kvbudget.h>

#include "engines/flags.h"
#include "engines/table.h"
#include "engines/vllm/release_tables.h"

#define RANDOM_GIB ((uint64_t)1 << 30)

static uint64_t random_seed = 88172645463325252ULL;

static inline uint64_t random_below(uint64_t limit)
{
    random_seed ^= random_seed << 13;
    random_seed ^= random_seed >> 7;
    random_seed ^= random_seed << 17;
    return random_seed % limit;
}

static inline const char *random_id(enum kvb_profile_kind kind)
{
    size_t count = 0;
    const struct kvb_builtin *rows = kvb_builtins(&count);
    for (;;) {
        const struct kvb_builtin *row = &rows[random_below(count)];
        if (row->kind == kind) {
            return row->id;
        }
    }
}

// A setting that one deployment in `one_in` says, between least and least + (count - 1) x step.
struct random_setting {
    enum kvb_setting setting;
    uint64_t one_in, least, count, step;
};

static const struct random_setting random_settings[] = {
    {KVB_SET_GPU_MEMORY_UTILIZATION, 1, 500000, 48, 10000},
    {KVB_SET_MAX_MODEL_LEN, 2, 512, 32768, 1},
    {KVB_SET_MAX_MODEL_LEN, 6, 8192, 16, 8192},
    {KVB_SET_MAX_NUM_SEQS, 3, 1, 512, 1},
    {KVB_SET_MAX_NUM_BATCHED_TOKENS, 6, 512, 64, 512},
    {KVB_SET_PIPELINE_PARALLEL_SIZE, 10, 2, 3, 1},
    {KVB_SET_DATA_PARALLEL_SIZE, 20, 2, 2, 2},
    {KVB_SET_ENABLE_EXPERT_PARALLEL, 12, 1, 1, 1},
    {KVB_SET_DTYPE, 10, KVB_DTYPE_WORD_BF16, 3, 1},
    {KVB_SET_QUANTIZATION, 12, KVB_QUANTIZATION_FP8, 5, 1},
    {KVB_SET_KV_CACHE_DTYPE, 8, KVB_KV_FP8, 1, 1},
    {KVB_SET_BLOCK_SIZE, 14, 8, 16, 8},
    {KVB_SET_ENFORCE_EAGER, 6, 1, 1, 1},
    {KVB_SET_KV_CACHE_MEMORY_BYTES, 25, 1ULL << 30, 40, 1ULL << 30},
    {KVB_SET_NUM_GPU_BLOCKS_OVERRIDE, 40, 100, 9000, 7},
    {KVB_SET_CPU_OFFLOAD_GB, 20, 1ULL << 30, 16, 1ULL << 30},
    {KVB_SET_ENABLE_PREFIX_CACHING, 10, 0, 2, 1},
    {KVB_SET_ENABLE_CHUNKED_PREFILL, 10, 0, 2, 1},
    {KVB_SET_DISABLE_HYBRID_KV_CACHE_MANAGER, 20, 1, 1, 1},
    {KVB_SET_ENABLE_LORA, 15, 1, 1, 1},
    {KVB_SET_ASYNC_SCHEDULING, 15, 0, 2, 1},
    {KVB_SET_LANGUAGE_MODEL_ONLY, 20, 1, 1, 1},
    {KVB_SET_SKIP_MM_PROFILING, 20, 1, 1, 1},
    {KVB_SET_MAX_CUDAGRAPH_CAPTURE_SIZE, 20, 1, 64, 8},
    {KVB_SET_LIMIT_IMAGES, 15, 0, 5, 1},
    {KVB_SET_LIMIT_VIDEOS, 15, 0, 3, 1},
    {KVB_SET_MM_MAX_PIXELS, 15, 200704, 20, 401408},
};

// SGLang's.
static const struct random_setting random_sglang_settings[] = {
    {KVB_SET_GPU_MEMORY_UTILIZATION, 2, 500000, 48, 10000},
    {KVB_SET_MAX_MODEL_LEN, 3, 512, 32768, 1},
    {KVB_SET_MAX_NUM_SEQS, 4, 1, 512, 1},
    {KVB_SET_MAX_NUM_BATCHED_TOKENS, 6, 512, 32, 512},
    {KVB_SET_PIPELINE_PARALLEL_SIZE, 12, 2, 2, 1},
    {KVB_SET_DTYPE, 12, KVB_DTYPE_WORD_BF16, 2, 1},
    {KVB_SET_QUANTIZATION, 14, KVB_QUANTIZATION_FP8, 1, 1},
    {KVB_SET_KV_CACHE_DTYPE, 6, KVB_KV_FP8_E4M3, 2, 1},
    {KVB_SET_BLOCK_SIZE, 14, 16, 4, 16},
    {KVB_SET_ATTENTION_BACKEND, 12, KVB_BACKEND_FLASHINFER, 2, 1},
    {KVB_SET_ENFORCE_EAGER, 6, 1, 1, 1},
    {KVB_SET_MAX_CUDAGRAPH_CAPTURE_SIZE, 10, 1, 64, 8},
    {KVB_SET_MAX_TOTAL_TOKENS, 15, 1024, 64, 4096},
    {KVB_SET_MAX_PREFILL_TOKENS, 20, 4096, 8, 4096},
    {KVB_SET_ENABLE_PREFIX_CACHING, 8, 0, 1, 1},
    {KVB_SET_ASYNC_SCHEDULING, 15, 0, 1, 1},
    {KVB_SET_DISABLE_HYBRID_KV_CACHE_MANAGER, 15, 1, 1, 1},
    {KVB_SET_SWA_FULL_TOKENS_RATIO, 12, 100000, 9, 100000},
    {KVB_SET_MAMBA_FULL_MEMORY_RATIO, 15, 200000, 9, 100000},
    {KVB_SET_MAX_MAMBA_CACHE_SIZE, 20, 8, 64, 8},
    {KVB_SET_ENABLE_LORA, 15, 1, 1, 1},
    {KVB_SET_CPU_OFFLOAD_GB, 25, 1ULL << 30, 8, 1ULL << 30},
    {KVB_SET_LANGUAGE_MODEL_ONLY, 25, 1, 1, 1},
    {KVB_SET_ENABLE_DETERMINISTIC_INFERENCE, 25, 1, 1, 1},
};

// llama.cpp's.
static const struct random_setting random_llamacpp_settings[] = {
    {KVB_SET_GPU_LAYERS, 2, 0, 100, 1},
    {KVB_SET_MAX_MODEL_LEN, 1, 512, 256, 512},
    {KVB_SET_MAX_NUM_SEQS, 3, 1, 8, 1},
    {KVB_SET_MAX_NUM_BATCHED_TOKENS, 6, 128, 16, 128},
    {KVB_SET_UBATCH_SIZE, 4, 64, 16, 64},
    {KVB_SET_GGUF_TYPE, 2, 0, 20, 1},
    {KVB_SET_CACHE_TYPE_K, 5, 0, 8, 1},
    {KVB_SET_CACHE_TYPE_V, 5, 0, 8, 1},
    {KVB_SET_FLASH_ATTENTION, 3, 0, 3, 1},
    {KVB_SET_SPLIT_MODE, 8, 0, 3, 1},
    {KVB_SET_CPU_MOE_LAYERS, 8, 1, 64, 1},
    {KVB_SET_SWA_FULL, 8, 1, 1, 1},
    {KVB_SET_KV_UNIFIED, 8, 0, 2, 1},
    {KVB_SET_KV_OFFLOAD, 12, 0, 2, 1},
    {KVB_SET_FIT, 4, 0, 3, 1},
    {KVB_SET_GGML_BACKEND, 10, 0, 3, 1},
};

// Whether a flag of the release says the setting.
static inline bool random_is_known(enum kvb_setting setting, uint32_t release)
{
    const struct kvb_setting_row *row = kvb_setting_row_of(setting);
    unsigned matches;
    const struct kvb_known_flag *flag = kvb_flag_of(row->key, strlen(row->key), release, &matches);
    if (row->kind == KVB_VALUE_PART) {
        return release >= KVB_RELEASE(0, 8, 0);
    }
    return flag != NULL;
}

static inline void random_fill_settings(struct kvb_deployment *deployment, uint32_t release)
{
    for (size_t i = 0; i < sizeof random_settings / sizeof random_settings[0]; i++) {
        const struct random_setting *row = &random_settings[i];
        uint64_t drawn = random_below(row->one_in), number = row->least + random_below(row->count) * row->step;
        if (drawn == 0 && random_is_known(row->setting, release)) {
            kvb_settings_set(&deployment->settings, row->setting, number, KVB_ORIGIN_FLAG);
        }
    }
    kvb_settings_set(&deployment->settings, KVB_SET_TENSOR_PARALLEL_SIZE, 1ULL << random_below(4), KVB_ORIGIN_FLAG);
}

static inline void random_surroundings(struct kvb_deployment *deployment)
{
    if (random_below(12) == 0) {
        deployment->gpu_free_stated = true;
        deployment->gpu_free_bytes = (4 + random_below(76)) * RANDOM_GIB;
    }
    if (random_below(15) == 0) {
        deployment->reserve_count = 1;
        (void)snprintf(deployment->reserves[0].name, sizeof deployment->reserves[0].name, "other");
        deployment->reserves[0].bytes = (1 + random_below(4)) * RANDOM_GIB;
    }
}

static inline void random_names(struct kvb_deployment *deployment, const char *engine, const char *release)
{
    kvb_deployment_init(deployment);
    (void)snprintf(deployment->model, sizeof deployment->model, "%s", random_id(KVB_PROFILE_MODEL));
    (void)snprintf(deployment->gpu, sizeof deployment->gpu, "%s", random_id(KVB_PROFILE_GPU));
    (void)snprintf(deployment->engine, sizeof deployment->engine, "%s@%s", engine, release);
}

// The settings of a list that the release has.
static inline void random_settings_of(struct kvb_deployment *deployment, const char *engine, const char *release,
                                      const struct random_setting *rows, size_t count)
{
    const struct kvb_engine_rows *known = kvb_engine_find(engine);
    uint32_t number = 0, since, until;
    (void)kvb_release_parse(release, &number);
    for (size_t i = 0; i < count; i++) {
        const struct random_setting *row = &rows[i];
        uint64_t drawn = random_below(row->one_in), value = row->least + random_below(row->count) * row->step;
        bool has =
            kvb_engine_has(known, row->setting, &since, &until) && since <= number && (until == 0 || number < until);
        if (drawn == 0 && has) {
            kvb_settings_set(&deployment->settings, row->setting, value, KVB_ORIGIN_FLAG);
        }
    }
}

static inline void random_sglang(struct kvb_deployment *deployment)
{
    static const char *const releases[] = {"0.3.0", "0.4.1", "0.4.6",  "0.4.9.post3", "0.5.2",  "0.5.4",
                                           "0.5.7", "0.5.9", "0.5.10", "0.5.12",      "0.5.14", "0.5.18"};
    const char *release = releases[random_below(sizeof releases / sizeof releases[0])];
    random_names(deployment, "sglang", release);
    random_settings_of(deployment, "sglang", release, random_sglang_settings,
                       sizeof random_sglang_settings / sizeof random_sglang_settings[0]);
    kvb_settings_set(&deployment->settings, KVB_SET_TENSOR_PARALLEL_SIZE, 1ULL << random_below(4), KVB_ORIGIN_FLAG);
    random_surroundings(deployment);
}

static inline void random_llamacpp(struct kvb_deployment *deployment)
{
    static const char *const releases[] = {"b4500", "b5500", "b6500", "b7500", "b8500", "b9010", "b10472"};
    const char *release = releases[random_below(sizeof releases / sizeof releases[0])];
    random_names(deployment, "llama.cpp", release);
    random_settings_of(deployment, "llama.cpp", release, random_llamacpp_settings,
                       sizeof random_llamacpp_settings / sizeof random_llamacpp_settings[0]);
    random_surroundings(deployment);
}

static inline void random_deployment(struct kvb_deployment *deployment)
{
    static const char *const releases[] = {"0.4.0",  "0.6.6",  "0.7.3",  "0.8.5",  "0.9.2",  "0.10.0", "0.11.0",
                                           "0.12.0", "0.14.0", "0.17.0", "0.19.0", "0.22.0", "0.24.0", "0.27.1"};
    const char *release = releases[random_below(sizeof releases / sizeof releases[0])];
    uint32_t number = 0;
    (void)kvb_release_parse(release, &number);
    kvb_deployment_init(deployment);
    (void)snprintf(deployment->model, sizeof deployment->model, "%s", random_id(KVB_PROFILE_MODEL));
    (void)snprintf(deployment->gpu, sizeof deployment->gpu, "%s", random_id(KVB_PROFILE_GPU));
    (void)snprintf(deployment->engine, sizeof deployment->engine, "vllm@%s", release);
    random_fill_settings(deployment, number);
    random_surroundings(deployment);
}

#endif
