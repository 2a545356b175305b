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
#define VALUES(text)                                                                                                   \
    {                                                                                                                  \
        .name = text, .kind = KVB_SERVE_VALUES, .serve_only = true                                                     \
    }
#define BARE(text)                                                                                                     \
    {                                                                                                                  \
        .name = text, .kind = KVB_SERVE_NOTHING, .serve_only = true                                                    \
    }
#define NO_KV_UNIFIED_SINCE 7869 // common/arg.cpp
#define WIDE 9999U               // more layers than any model has

// Words beside numbers: arg.cpp takes -2 for all layers; a length of 0 is the model's own.
static const struct kvb_word layer_words[] = {{"all", WIDE}, {"-2", WIDE}};
static const struct kvb_word length_words[] = {{"0", KVB_WORD_AUTO}};

static const struct kvb_serve_flag rows[] = {
    // as people write them; the second row of a name is what is offered
    {.name = "gpu-layers", SPELLED(GPU_LAYERS), .words = layer_words, .word_count = 2},
    {.name = "cpu-moe", .short_name = "-cmoe", OLD(kvb_llama_read_all_experts), .absent = "1"},
    {.name = "tensor-split", .short_name = "-ts", OLD(kvb_llama_read_shares)},
    {.name = "hf-repo", .short_name = "-hf", OLD(kvb_llama_read_repository)},
    {.short_name = "-hfr", OLD(kvb_llama_read_repository)},
    {.name = "device", .short_name = "-dev", OLD(kvb_llama_read_devices)},
    {.name = "model",
     .short_name = "-m",
     .kind = KVB_SERVE_MODEL,
     .serve_only = true,
     .read = kvb_llama_read_file_name},
    {.name = "spec-draft-model", .kind = KVB_SERVE_DRAFT_MODEL, .serve_only = true, .read = kvb_llama_read_draft_name},
    {.name = "hf-repo-draft", .short_name = "-hfd", OLD(kvb_llama_read_draft_repository)},
    {.name = "spec-draft-hf", OLD(kvb_llama_read_draft_repository)},
    {.short_name = "-hfrd", OLD(kvb_llama_read_draft_repository)},
    {.name = "draft", OLD(kvb_llama_read_drafted)},
    {.name = "draft-n", OLD(kvb_llama_read_drafted)},
    {.name = "draft-max", OLD(kvb_llama_read_drafted)},
    {.name = "gpu-layers-draft", SPELLED(DRAFT_GPU_LAYERS), .words = layer_words, .word_count = 2},
    {.name = "spec-draft-ngl", SPELLED(DRAFT_GPU_LAYERS), .words = layer_words, .word_count = 2},
    {.name = "spec-draft-type-k", SPELLED(DRAFT_CACHE_TYPE_K)},
    {.name = "spec-draft-type-v", SPELLED(DRAFT_CACHE_TYPE_V)},
    {.name = "no-mmproj", OLD(kvb_llama_read_no_projector), .absent = "1"},
    {.name = "no-mmproj-auto", OLD(kvb_llama_read_no_projector), .absent = "1"},
    {.name = "no-mmproj-offload",
     .kind = KVB_SERVE_SETS,
     .id = KVB_SET_MMPROJ_OFFLOAD,
     .number = 0,
     .serve_only = true},
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
    VALUE("draft-min"),
    VALUE("draft-p-min"),
    VALUE("spec-draft-n-min"),
    VALUE("spec-draft-p-min"),
    VALUE("image-min-tokens"),
    VALUE("mmproj-url"),
    VALUE("split-max-size"),
    VALUES("lora-scaled"),
    VALUES("control-vector-scaled"),
    VALUES("control-vector-layer-range"),
    VALUES("spec-replace"),
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
    {.name = "n-cpu-moe", .short_name = "-ncmoe", SETTING(CPU_MOE_LAYERS), .since = KVB_BUILD(6089)},
    {.name = "override-tensor",
     .short_name = "-ot",
     .kind = KVB_SERVE_OWN,
     .read = kvb_llama_read_override,
     .since = KVB_BUILD(5124),
     .argument = "PATTERN=BUFFER",
     .help = "where tensors lie whose names hold the pattern: exps=CPU; several with commas or again"},
    {.name = "mmproj",
     .short_name = "-mm",
     .kind = KVB_SERVE_OWN,
     .read = kvb_llama_read_projector,
     .argument = "FILE",
     .help = "picture projector: a GGUF file; the model's own encoder when it is not here"},
    {.name = "mmproj-offload", SETTING(MMPROJ_OFFLOAD)},
    {.name = "image-max-tokens", SETTING(IMAGE_MAX_TOKENS)},
    {.name = "model-draft",
     .short_name = "-md",
     .kind = KVB_SERVE_DRAFT_MODEL,
     .read = kvb_llama_read_draft_name,
     .help = "model that drafts"},
    {.name = "spec-type",
     .kind = KVB_SERVE_OWN,
     .read = kvb_llama_read_drafting,
     .argument = "KIND",
     .help = "what drafts: draft-simple, draft-mtp, ngram-...; several with commas"},
    {.name = "spec-draft-n-max",
     .kind = KVB_SERVE_OWN,
     .read = kvb_llama_read_drafted,
     .argument = "N",
     .help = "tokens drafted at once"},
    {.name = "n-gpu-layers-draft",
     .short_name = "-ngld",
     SETTING(DRAFT_GPU_LAYERS),
     .words = layer_words,
     .word_count = 2},
    {.name = "ctx-size-draft", .short_name = "-cd", SETTING(DRAFT_CTX), .until = KVB_BUILD(9109)},
    {.name = "cache-type-k-draft", .short_name = "-ctkd", SETTING(DRAFT_CACHE_TYPE_K)},
    {.name = "cache-type-v-draft", .short_name = "-ctvd", SETTING(DRAFT_CACHE_TYPE_V)},
    {.name = "swa-full", SETTING(SWA_FULL), .since = KVB_BUILD(5429)},
    {.name = "no-kv-unified",
     .short_name = "-no-kvu",
     .kind = KVB_SERVE_SETS,
     .id = KVB_SET_KV_UNIFIED,
     .number = 0,
     .since = KVB_BUILD(NO_KV_UNIFIED_SINCE)},
    {.name = "kv-unified", .short_name = "-kvu", SETTING(KV_UNIFIED), .since = KVB_BUILD(5913)},
    {.name = "kv-offload", SETTING(KV_OFFLOAD)},
    {.name = "fit", .short_name = "-fit", SETTING(FIT), .since = KVB_BUILD(7407)},
    {.name = "fit-target", .short_name = "-fitt", SETTING(FIT_TARGET), .since = KVB_BUILD(7407)},
    {.name = "fit-ctx", .short_name = "-fitc", SETTING(FIT_CTX), .since = KVB_BUILD(7407)},
    {.name = "gpus", SETTING(TENSOR_PARALLEL_SIZE), .help = "GPUs that share the layers", .ours = true},
    {.name = "quantization", SETTING(GGUF_TYPE), .ours = true},
    {.name = "quantization-draft", SETTING(DRAFT_GGUF_TYPE), .ours = true},
    {.name = "backend", SETTING(GGML_BACKEND), .ours = true},
};

const struct kvb_serve_flag *kvb_llama_flag(unsigned index)
{
    return index < sizeof rows / sizeof rows[0] ? &rows[index] : NULL;
}

enum kvb_off_form kvb_llama_off_form(const char *name, uint32_t release)
{
    static const struct {
        const char *name;
        uint32_t until; // 0: all builds
        enum kvb_off_form form;
    } forms[] = {
        {"no-kv-unified", KVB_BUILD(NO_KV_UNIFIED_SINCE), KVB_OFF_UNSAID},
        {"swa-full", 0, KVB_OFF_UNSAID},
        {"kv-offload", KVB_BUILD(7376), KVB_OFF_ALONE},
        {"flash-attn", KVB_BUILD(6325), KVB_OFF_SWITCH},
        {"fit", 0, KVB_OFF_WORD},
    };
    for (size_t i = 0; i < sizeof forms / sizeof forms[0]; i++) {
        if (strcmp(name, forms[i].name) == 0 && (forms[i].until == 0 || release < forms[i].until)) {
            return forms[i].form;
        }
    }
    return KVB_OFF_NEGATED;
}

const struct kvb_serve_program *kvb_llama_programs(size_t *count)
{
    static const struct kvb_serve_program programs[] = {
        {.form = KVB_PROGRAM_WORDS, .name = "llama-server", .needs_flag = true, .usage = "llama-server -m X.gguf"},
        {.form = KVB_PROGRAM_WORDS,
         .name = "llama-cli",
         .needs_flag = true,
         .usage = "llama-cli -m X.gguf",
         .is_module = true},
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
