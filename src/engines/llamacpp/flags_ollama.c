// Parameters of a Modelfile as flags, and the variables that `ollama serve` reads.
// Source: envconfig/config.go and api/types.go (Options) of ollama v0.30.0 to v0.33.0.
#include "engines/llamacpp/flags.h"

#include <string.h>

#include <kvbudget/units.h>

#include "base/checked.h"
#include "base/text.h"

#define WHY 256  // of a sentence
#define SHOWN 59 // of a value in it
#define SETTING(what) .kind = KVB_SERVE_SETTING, .id = KVB_SET_##what

// "num_ctx=8192", a PARAMETER of a Modelfile; those that move no memory are passed over.
static bool read_parameter(const char *value, enum kvb_origin origin, struct kvb_deployment *deployment, char why[256])
{
    static const struct {
        const char *name;
        enum kvb_setting setting;
    } rows[] = {
        {"num_ctx=", KVB_SET_MAX_MODEL_LEN}, {"num_gpu=", KVB_SET_GPU_LAYERS}, {"num_batch=", KVB_SET_UBATCH_SIZE}};
    for (size_t i = 0; i < sizeof rows / sizeof rows[0]; i++) {
        size_t length = strlen(rows[i].name);
        uint64_t number;
        if (strncmp(value, rows[i].name, length) != 0) {
            continue;
        }
        if (strcmp(value + length, "-1") == 0) {
            return true; // as if nothing were said
        }
        if (!kvb_parse_whole(value + length, &number) || number > UINT32_MAX) {
            (void)kvb_copy(why, WHY, "PARAMETER ");
            kvb_append(why, WHY, value, kvb_min(strlen(value), SHOWN));
            kvb_add_text(why, WHY, ": expected a whole number");
            return false;
        }
        kvb_settings_set(&deployment->settings, rows[i].setting, number, origin);
    }
    return true;
}

const struct kvb_serve_flag *kvb_ollama_flag(unsigned index)
{
    static const struct kvb_serve_flag rows[] = {
        {.name = "num_ctx",
         SETTING(MAX_MODEL_LEN),
         .help = "tokens of each request; OLLAMA_CONTEXT_LENGTH says it too"},
        {.name = "num_gpu", SETTING(GPU_LAYERS)},
        {.name = "num_batch", SETTING(UBATCH_SIZE)},
        {.name = "num_parallel", SETTING(MAX_NUM_SEQS), .help = "requests at once; OLLAMA_NUM_PARALLEL"},
        {.name = "kv_cache_type", SETTING(CACHE_TYPE_K), .help = "OLLAMA_KV_CACHE_TYPE, for keys and values"},
        {.name = "flash_attention", SETTING(FLASH_ATTENTION), .help = "OLLAMA_FLASH_ATTENTION"},
        {.name = "gpu_overhead", SETTING(GPU_OVERHEAD), .help = "bytes; OLLAMA_GPU_OVERHEAD, before 0.30"},
        {.name = "gpus", SETTING(TENSOR_PARALLEL_SIZE), .help = "GPUs that share the layers", .ours = true},
        {.name = "quantization", SETTING(GGUF_TYPE), .ours = true},
        {.name = "backend", SETTING(GGML_BACKEND), .ours = true},
        {.name = "parameter", .kind = KVB_SERVE_OWN, .serve_only = true, .read = read_parameter},
        {.name = "verbose", .kind = KVB_SERVE_NOTHING, .serve_only = true},
        {.name = "keepalive", .kind = KVB_SERVE_VALUE, .serve_only = true},
    };
    return index < sizeof rows / sizeof rows[0] ? &rows[index] : NULL;
}

const struct kvb_serve_program *kvb_ollama_programs(size_t *count)
{
    static const struct kvb_serve_program programs[] = {
        {.form = KVB_PROGRAM_WORDS, .name = "ollama", .second = "run", .usage = "ollama run MODEL"},
        {.form = KVB_PROGRAM_WORDS, .name = "ollama", .second = "serve", .usage = "ollama serve", .is_module = true},
    };
    *count = sizeof programs / sizeof programs[0];
    return programs;
}

const struct kvb_variable_row *kvb_ollama_variables(size_t *count)
{
    static const struct kvb_variable_row variables[] = {
        {.name = "OLLAMA_CONTEXT_LENGTH",
         .read = kvb_variable_setting,
         .setting = KVB_SET_MAX_MODEL_LEN,
         .expected = "tokens"},
        {.name = "OLLAMA_NUM_PARALLEL",
         .read = kvb_variable_setting,
         .setting = KVB_SET_MAX_NUM_SEQS,
         .expected = "a number"},
        {.name = "OLLAMA_KV_CACHE_TYPE",
         .read = kvb_variable_setting,
         .setting = KVB_SET_CACHE_TYPE_K,
         .expected = "f16, q8_0 or q4_0"},
        {.name = "OLLAMA_FLASH_ATTENTION",
         .read = kvb_variable_setting,
         .setting = KVB_SET_FLASH_ATTENTION,
         .expected = "0 or 1"},
        {.name = "OLLAMA_GPU_OVERHEAD",
         .read = kvb_variable_setting,
         .setting = KVB_SET_GPU_OVERHEAD,
         .expected = "bytes"},
        {.name = "LLAMA_ARG_N_GPU_LAYERS", // llama-server inherits the environment
         .read = kvb_variable_setting,
         .setting = KVB_SET_GPU_LAYERS,
         .expected = "a number"},
        {.name = "LLAMA_ARG_FIT", .read = kvb_variable_setting, .setting = KVB_SET_FIT, .expected = "on or off"},
        {.name = "LLAMA_ARG_FIT_TARGET",
         .read = kvb_variable_setting,
         .setting = KVB_SET_FIT_TARGET,
         .expected = "MiB"},
        {.name = "LLAMA_ARG_N_CPU_MOE",
         .read = kvb_variable_setting,
         .setting = KVB_SET_CPU_MOE_LAYERS,
         .expected = "a number"},
    };
    *count = sizeof variables / sizeof variables[0];
    return variables;
}
