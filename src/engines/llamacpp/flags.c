// Flags of llama-server that move memory, as common/arg.cpp reads them.
#include "engines/llamacpp/flags.h"

#include <string.h>

#include <kvbudget/units.h>

#include "base/text.h"
#include "engines/llamacpp/overrides.h"

#define SETTING(what) .kind = KVB_SERVE_SETTING, .id = KVB_SET_##what
#define OLD(reader) .kind = KVB_SERVE_OWN, .serve_only = true, .read = reader
#define SPELLED(what) SETTING(what), .serve_only = true
#define VALUE(text)                                                                                                    \
    {                                                                                                                  \
        .name = text, .kind = KVB_SERVE_VALUE, .serve_only = true                                                      \
    }
#define BARE(text)                                                                                                     \
    {                                                                                                                  \
        .name = text, .kind = KVB_SERVE_NOTHING, .serve_only = true                                                    \
    }
#define WIDE 9999U // more layers than any model has

static bool refuse(char why[256], const char *flag, const char *value, const char *expected)
{
    (void)kvb_copy(why, 256, flag);
    (void)kvb_copy(why + strlen(why), 256 - strlen(why), ": '");
    (void)kvb_copy(why + strlen(why), 60, value);
    (void)kvb_copy(why + strlen(why), 256 - strlen(why), "' is not known; expected ");
    (void)kvb_copy(why + strlen(why), 256 - strlen(why), expected);
    return false;
}

static bool read_all_experts(const char *value, enum kvb_origin origin, struct kvb_deployment *deployment,
                             char why[256])
{
    (void)value;
    (void)why;
    kvb_settings_set(&deployment->settings, KVB_SET_CPU_MOE_LAYERS, WIDE, origin);
    return true;
}

// "3,1" or "0.75/0.25": shares of the layers, in hundredths.
static bool read_shares(const char *value, enum kvb_origin origin, struct kvb_deployment *deployment, char why[256])
{
    struct kvb_environment *environment = &deployment->environment;
    uint8_t count = 0;
    (void)origin;
    for (const char *at = value;;) {
        char number[16];
        size_t length = strcspn(at, ",/");
        uint32_t ppm;
        uint64_t whole;
        if (length == 0 || length >= sizeof number || count == 16) {
            return refuse(why, "tensor-split", value, "shares such as 3,1");
        }
        memcpy(number, at, length);
        number[length] = '\0';
        if (kvb_parse_whole(number, &whole) && whole <= 600) {
            environment->layer_partition[count++] = (uint16_t)(whole * 100);
        } else if (kvb_parse_ppm(number, 600U * KVB_PPM, &ppm)) {
            environment->layer_partition[count++] = (uint16_t)(ppm / (KVB_PPM / 100));
        } else {
            return refuse(why, "tensor-split", value, "shares such as 3,1");
        }
        if (at[length] == '\0') {
            break;
        }
        at += length + 1;
    }
    environment->layer_partition_count = count;
    kvb_settings_set(&deployment->settings, KVB_SET_TENSOR_PARALLEL_SIZE, count, origin);
    return true;
}

static bool read_override(const char *value, enum kvb_origin origin, struct kvb_deployment *deployment, char why[256])
{
    (void)origin;
    return kvb_llama_overrides_add(deployment->tensor_overrides, sizeof deployment->tensor_overrides, value, why);
}

// "unsloth/Qwen3-8B-GGUF:Q4_K_M": the repository's model in that mixture, Q4_K_M when none is said.
static bool read_repository(const char *value, enum kvb_origin origin, struct kvb_deployment *deployment, char why[256])
{
    const char *name = value;
    for (const char *slash = strchr(name, '/'); slash != NULL; slash = strchr(name, '/')) {
        name = slash + 1;
    }
    size_t length = strcspn(name, ":");
    const char *type = name[length] == ':' ? name + length + 1 : "Q4_K_M";
    uint64_t number;
    char lower[32];
    size_t i = 0;
    for (; type[i] != '\0' && i + 1 < sizeof lower; i++) {
        lower[i] = type[i] >= 'A' && type[i] <= 'Z' ? (char)(type[i] - 'A' + 'a') : type[i];
    }
    lower[i] = '\0';
    if (length > 5 && strncmp(name + length - 5, "-GGUF", 5) == 0) {
        length -= 5;
    }
    if (!kvb_setting_parse(KVB_SET_GGUF_TYPE, lower, &number, why)) {
        return false;
    }
    if (length == 0 || length >= sizeof deployment->model) {
        return refuse(why, "hf-repo", value, "OWNER/NAME:TYPE");
    }
    memcpy(deployment->model, name, length);
    deployment->model[length] = '\0';
    deployment->inline_model = false;
    kvb_settings_set(&deployment->settings, KVB_SET_GGUF_TYPE, number, origin);
    return true;
}

static char lower(char c)
{
    return c >= 'A' && c <= 'Z' ? (char)(c - 'A' + 'a') : c;
}

// "Qwen3-8B-Q4_K_M.gguf" says its formats, should its header not be there.
static bool read_file_name(const char *value, enum kvb_origin origin, struct kvb_deployment *deployment, char why[256])
{
    const struct kvb_setting_row *row = kvb_setting_row_of(KVB_SET_GGUF_TYPE);
    size_t best = 0;
    (void)why;
    for (uint32_t i = 0; i < row->word_count; i++) {
        size_t length = strlen(row->words[i].text);
        for (const char *at = value; *at != '\0'; at++) {
            size_t same = 0;
            while (same < length && lower(at[same]) == row->words[i].text[same]) {
                same++;
            }
            bool begins = at == value || strchr("-._/", at[-1]) != NULL;
            if (same == length && begins && length > best) {
                best = length;
                kvb_settings_set(&deployment->settings, KVB_SET_GGUF_TYPE, row->words[i].number, origin);
            }
        }
    }
    return best > 0;
}

// "CUDA0,CUDA1" or "Vulkan0": the backend and how many GPUs.
static bool read_devices(const char *value, enum kvb_origin origin, struct kvb_deployment *deployment, char why[256])
{
    static const struct {
        const char *prefix;
        uint64_t backend;
    } names[] = {{"CUDA", 1}, {"ROCm", 2}, {"HIP", 2}, {"Vulkan", 3}, {"Metal", 4}, {"MTL", 4}, {"SYCL", 5}};
    uint64_t count = 1;
    for (const char *at = value; *at != '\0'; at++) {
        count += *at == ',';
    }
    for (size_t i = 0; i < sizeof names / sizeof names[0]; i++) {
        if (strncmp(value, names[i].prefix, strlen(names[i].prefix)) == 0) {
            kvb_settings_set(&deployment->settings, KVB_SET_GGML_BACKEND, names[i].backend, origin);
            kvb_settings_set(&deployment->settings, KVB_SET_TENSOR_PARALLEL_SIZE, count, origin);
            return true;
        }
    }
    if (strcmp(value, "none") == 0) {
        kvb_settings_set(&deployment->settings, KVB_SET_GPU_LAYERS, 0, origin);
        return true;
    }
    return refuse(why, "device", value, "devices such as CUDA0,CUDA1");
}

// Words beside numbers: arg.cpp takes -2 for all layers; a length of 0 is the model's own.
static const struct kvb_word layer_words[] = {{"all", WIDE}, {"-2", WIDE}};
static const struct kvb_word length_words[] = {{"0", KVB_WORD_AUTO}};

static const struct kvb_serve_flag rows[] = {
    // as people write them; the second row of a name is what is offered
    {.name = "gpu-layers", SPELLED(GPU_LAYERS), .words = layer_words, .word_count = 2},
    {.name = "cpu-moe", .short_name = "-cmoe", OLD(read_all_experts), .absent = "1"},
    {.name = "tensor-split", .short_name = "-ts", OLD(read_shares)},
    {.name = "hf-repo", .short_name = "-hf", OLD(read_repository)},
    {.short_name = "-hfr", OLD(read_repository)},
    {.name = "device", .short_name = "-dev", OLD(read_devices)},
    {.name = "model", .short_name = "-m", .kind = KVB_SERVE_MODEL, .serve_only = true, .read = read_file_name},
    {.name = "model-draft", .short_name = "-md", .kind = KVB_SERVE_DRAFT_MODEL, .serve_only = true},
    {.name = "flash-attn", .short_name = "-fa", SPELLED(FLASH_ATTENTION), .absent = "on"},
    {.name = "no-kv-offload", .short_name = "-nkvo", .kind = KVB_SERVE_SETS, .id = KVB_SET_KV_OFFLOAD, .number = 0},
    VALUE("port"),
    VALUE("host"),
    VALUE("alias"),
    VALUE("api-key"),
    VALUE("chat-template"),
    VALUE("chat-template-file"),
    VALUE("temp"),
    VALUE("top-p"),
    VALUE("top-k"),
    VALUE("min-p"),
    VALUE("seed"),
    VALUE("main-gpu"),
    VALUE("timeout"),
    VALUE("cache-ram"),
    VALUE("cache-reuse"),
    VALUE("repeat-penalty"),
    VALUE("presence-penalty"),
    VALUE("reasoning-format"),
    VALUE("reasoning-budget"),
    VALUE("chat-template-kwargs"),
    VALUE("threads-batch"),
    VALUE("n-predict"),
    VALUE("prompt"),
    VALUE("file"),
    VALUE("rope-scaling"),
    VALUE("rope-scale"),
    VALUE("yarn-orig-ctx"),
    VALUE("threads-http"),
    VALUE("slot-save-path"),
    VALUE("log-file"),
    VALUE("numa"),
    VALUE("mmproj"),
    VALUE("draft-max"),
    VALUE("draft-min"),
    VALUE("split-max-size"),
    {.name = "threads", .short_name = "-t", .kind = KVB_SERVE_VALUE, .serve_only = true},
    {.short_name = "-mg", .kind = KVB_SERVE_VALUE, .serve_only = true},
    {.short_name = "-a", .kind = KVB_SERVE_VALUE, .serve_only = true},
    {.short_name = "-p", .kind = KVB_SERVE_VALUE, .serve_only = true},
    {.short_name = "-n", .kind = KVB_SERVE_VALUE, .serve_only = true},
    BARE("jinja"),
    BARE("no-mmap"),
    BARE("mlock"),
    BARE("metrics"),
    BARE("no-webui"),
    BARE("verbose"),
    BARE("slots"),
    BARE("no-warmup"),
    BARE("props"),
    BARE("cont-batching"),
    BARE("no-context-shift"),
    BARE("context-shift"),
    BARE("no-repack"),
    BARE("no-mmproj"),
    BARE("offline"),
    BARE("embedding"),
    BARE("embeddings"),
    BARE("reranking"),
    {.name = "n-gpu-layers",
     .short_name = "-ngl",
     SETTING(GPU_LAYERS),
     .words = layer_words,
     .word_count = 2,
     .help = "layers on the GPUs, the output counted as one; all; auto: as many as fit"},
    {.name = "ctx-size",
     .short_name = "-c",
     SETTING(MAX_MODEL_LEN),
     .words = length_words,
     .word_count = 1,
     .help = "tokens of the cache, over all slots: 32768 or 32k; 0: as the model was trained"},
    {.name = "parallel", .short_name = "-np", SETTING(MAX_NUM_SEQS), .help = "slots: requests served at once"},
    {.name = "batch-size", .short_name = "-b", SETTING(MAX_NUM_BATCHED_TOKENS)},
    {.name = "ubatch-size", .short_name = "-ub", SETTING(UBATCH_SIZE)},
    {.name = "cache-type-k", .short_name = "-ctk", SETTING(CACHE_TYPE_K)},
    {.name = "cache-type-v", .short_name = "-ctv", SETTING(CACHE_TYPE_V)},
    {.name = "flash-attn", .short_name = "-fa", SETTING(FLASH_ATTENTION)},
    {.name = "split-mode", .short_name = "-sm", SETTING(SPLIT_MODE)},
    {.name = "n-cpu-moe", .short_name = "-ncmoe", SETTING(CPU_MOE_LAYERS)},
    {.name = "override-tensor",
     .short_name = "-ot",
     .kind = KVB_SERVE_OWN,
     .read = read_override,
     .since = KVB_BUILD(5124),
     .argument = "PATTERN=BUFFER",
     .help = "where tensors lie whose names hold the pattern: exps=CPU; several with commas or again"},
    {.name = "swa-full", SETTING(SWA_FULL), .since = KVB_BUILD(5429)},
    {.name = "kv-unified", .short_name = "-kvu", SETTING(KV_UNIFIED), .since = KVB_BUILD(5913), .negatable = true},
    {.name = "kv-offload", SETTING(KV_OFFLOAD)},
    {.name = "fit", .short_name = "-fit", SETTING(FIT), .since = KVB_BUILD(7407)},
    {.name = "fit-target", .short_name = "-fitt", SETTING(FIT_TARGET), .since = KVB_BUILD(7407)},
    {.name = "fit-ctx", .short_name = "-fitc", SETTING(FIT_CTX), .since = KVB_BUILD(7407)},
    {.name = "gpus", SETTING(TENSOR_PARALLEL_SIZE), .help = "GPUs that share the layers", .ours = true},
    {.name = "quantization", SETTING(GGUF_TYPE), .ours = true},
    {.name = "backend", SETTING(GGML_BACKEND), .ours = true},
};

const struct kvb_serve_flag *kvb_llama_flag(unsigned index)
{
    return index < sizeof rows / sizeof rows[0] ? &rows[index] : NULL;
}

const struct kvb_serve_program *kvb_llama_programs(size_t *count)
{
    static const struct kvb_serve_program programs[] = {
        {.form = KVB_PROGRAM_WORDS, .name = "llama-server", .needs_flag = true, .usage = "llama-server -m X.gguf"},
        {.form = KVB_PROGRAM_WORDS, .name = "llama-cli", .needs_flag = true, .usage = "llama-cli -m X.gguf"},
    };
    *count = sizeof programs / sizeof programs[0];
    return programs;
}

const struct kvb_variable_row *kvb_llama_variables(size_t *count)
{
    static const struct kvb_variable_row variables[] = {
        {.name = "LLAMA_ARG_CTX_SIZE",
         .read = kvb_variable_setting,
         .setting = KVB_SET_MAX_MODEL_LEN,
         .expected = "tokens"},
        {.name = "LLAMA_ARG_N_GPU_LAYERS",
         .read = kvb_variable_setting,
         .setting = KVB_SET_GPU_LAYERS,
         .expected = "a number"},
        {.name = "LLAMA_ARG_N_PARALLEL",
         .read = kvb_variable_setting,
         .setting = KVB_SET_MAX_NUM_SEQS,
         .expected = "a number"},
        {.name = "LLAMA_ARG_UBATCH",
         .read = kvb_variable_setting,
         .setting = KVB_SET_UBATCH_SIZE,
         .expected = "tokens"},
        {.name = "LLAMA_ARG_BATCH",
         .read = kvb_variable_setting,
         .setting = KVB_SET_MAX_NUM_BATCHED_TOKENS,
         .expected = "tokens"},
        {.name = "LLAMA_ARG_FLASH_ATTN",
         .read = kvb_variable_setting,
         .setting = KVB_SET_FLASH_ATTENTION,
         .expected = "on, off or auto"},
        {.name = "LLAMA_ARG_CACHE_TYPE_K",
         .read = kvb_variable_setting,
         .setting = KVB_SET_CACHE_TYPE_K,
         .expected = "a type such as q8_0"},
        {.name = "LLAMA_ARG_CACHE_TYPE_V",
         .read = kvb_variable_setting,
         .setting = KVB_SET_CACHE_TYPE_V,
         .expected = "a type such as q8_0"},
        {.name = "LLAMA_ARG_N_CPU_MOE",
         .read = kvb_variable_setting,
         .setting = KVB_SET_CPU_MOE_LAYERS,
         .expected = "a number"},
    };
    *count = sizeof variables / sizeof variables[0];
    return variables;
}
