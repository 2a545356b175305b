// The table of heads that draft. Shapes of EAGLE3: configs of sgl-project/SpecForge at a6b6b02, Tencent/AngelSlim
// (angelslim/compressor/speculative/train/configs) at 67394ce and SafeAILab/EAGLE (eagle/traineagle3/config.json) at
// cb7e084, by the targets that the lists of SpecForge (docs/community_resources/specbundle.md) and EAGLE (README) name.
// A head of EAGLE has the widths of its target; EAGLE's README counts its parameters. Of DFlash: configs of SpecForge
// (configs/*-dflash.json) that name z-lab's targets; the tensors of Laguna's are listed by shape in hipEngine's notes
// on the model (69 tensors, 1,114,977,792 parameters). Of DFlash2:
// SpecForge's configs/qwen3.6-27b-dflash2.json, and a reader of z-lab's file that lists its matrices (1.924 G
// parameters). Gemma 4's assistants: configs that public readers of theirs test against; Google counts 470 million
// parameters of the 31B model's, an A10G 78.518 of E4B's, the file of 12B's has 845 MB.
#include "model/draft_heads.h"

#include <string.h>

#include <kvbudget/input.h>

#include "base/buffer.h"
#include "base/text.h"

#define EAGLE3(name, hidden, intermediate, heads, kv_heads, head_size, vocabulary)                                     \
    {                                                                                                                  \
        name, KVB_DRAFT_EAGLE3, hidden, intermediate, heads, kv_heads, head_size, vocabulary, 32000, 1, 0, 0, 0, 2048, \
            0                                                                                                          \
    }
#define EAGLE(name, hidden, intermediate, heads, kv_heads, vocabulary)                                                 \
    {                                                                                                                  \
        name, KVB_DRAFT_EAGLE, hidden, intermediate, heads, kv_heads, 128, vocabulary, 0, 1, 0, 0, 0, 2048, 0          \
    }
#define DFLASH(name, hidden, intermediate, heads, kv_heads, vocabulary, layers, states, window, full, positions)       \
    {                                                                                                                  \
        name, KVB_DRAFT_DFLASH, hidden, intermediate, heads, kv_heads, 128, vocabulary, 0, layers, states, window,     \
            full, positions, 0                                                                                         \
    }
#define DFLASH2(name)                                                                                                  \
    {                                                                                                                  \
        name, KVB_DRAFT_DFLASH2, 5120, 17408, 32, 8, 128, 248320, 0, 5, 5, 2048, 0, 262144, 0                          \
    }
#define LAGUNA(name)                                                                                                   \
    {                                                                                                                  \
        name, KVB_DRAFT_LAGUNA, 3072, 12288, 72, 8, 128, 100352, 0, 6, 6, 512, 0, 1048576, 0                           \
    }
#define ASSISTANT(size, hidden, intermediate, heads, kv_heads, window, positions, target)                              \
    {"google/gemma-4-" size "-it-assistant",                                                                           \
     KVB_DRAFT_ASSISTANT,                                                                                              \
     hidden,                                                                                                           \
     intermediate,                                                                                                     \
     heads,                                                                                                            \
     kv_heads,                                                                                                         \
     256,                                                                                                              \
     262144,                                                                                                           \
     0,                                                                                                                \
     4,                                                                                                                \
     0,                                                                                                                \
     window,                                                                                                           \
     1,                                                                                                                \
     positions,                                                                                                        \
     target},                                                                                                          \
    {                                                                                                                  \
        "google/gemma-4-" size "-it-qat-q4_0-unquantized-assistant", KVB_DRAFT_ASSISTANT, hidden, intermediate, heads, \
            kv_heads, 256, 262144, 0, 4, 0, window, 1, positions, target                                               \
    }

// clang-format off
static const struct kvb_draft_head rows[] = {
    EAGLE3("yuhuili/EAGLE3-LLaMA3.1-Instruct-8B", 4096, 14336, 32, 8, 128, 128256),
    EAGLE3("yuhuili/EAGLE3-DeepSeek-R1-Distill-LLaMA-8B", 4096, 14336, 32, 8, 128, 128256),
    EAGLE3("lmsys/SGLang-EAGLE3-Llama-3.1-8B-Instruct-SpecForge", 4096, 14336, 32, 8, 128, 128256),
    EAGLE3("zhuyksir/EAGLE3-Llama-3.1-8B-Instruct", 4096, 14336, 32, 8, 128, 128256),
    EAGLE3("yuhuili/EAGLE3-LLaMA3.3-Instruct-70B", 8192, 28672, 64, 8, 128, 128256),
    EAGLE3("lmsys/SGLang-EAGLE3-Llama-3.3-70B-Instruct-SpecForge", 8192, 28672, 64, 8, 128, 128256),
    EAGLE3("lmsys/SGLang-EAGLE3-Llama-4-Scout-17B-16E-Instruct-SpecForge", 5120, 32768, 40, 8, 128, 202048),
    EAGLE3("lmsys/EAGLE3-gpt-oss-120b-bf16", 2880, 17280, 64, 8, 64, 201088),
    EAGLE3("zhuyksir/EAGLE3-gpt-oss-20b-bf16", 2880, 17280, 64, 8, 64, 201088),
    EAGLE3("AngelSlim/Qwen3-1.7B_eagle3", 2048, 6144, 16, 8, 128, 151936),
    EAGLE3("AngelSlim/Qwen3-4B_eagle3", 2560, 9728, 32, 8, 128, 151936),
    EAGLE3("AngelSlim/Qwen3-8B_eagle3", 4096, 12288, 32, 8, 128, 151936),
    EAGLE3("AngelSlim/Qwen3-14B_eagle3", 5120, 17408, 40, 8, 128, 151936),
    EAGLE3("AngelSlim/Qwen3-32B_eagle3", 5120, 25600, 64, 8, 128, 151936),
    EAGLE3("AngelSlim/Qwen3-a3B_eagle3", 2048, 6144, 32, 4, 128, 151936),
    EAGLE3("nex-agi/SGLANG-EAGLE3-Qwen3-32B-Nex-N1", 5120, 25600, 64, 8, 128, 151936),
    EAGLE3("nex-agi/SGLANG-EAGLE3-Qwen3-30B-A3B-Nex-N1", 2048, 12288, 32, 4, 128, 151936),
    EAGLE3("lmsys/SGLang-EAGLE3-Qwen3-30B-A3B-Instruct-2507-SpecForge-Nex", 2048, 12288, 32, 4, 128, 151936),
    EAGLE3("lmsys/SGLang-EAGLE3-Qwen3-Coder-30B-A3B-Instruct-SpecForge", 2048, 12288, 32, 4, 128, 151936),
    EAGLE3("lmsys/SGLang-EAGLE3-Qwen3-235B-A22B-Instruct-2507-SpecForge-Meituan", 4096, 24576, 64, 4, 128, 151936),
    EAGLE3("lmsys/SGLang-EAGLE3-Qwen3-Coder-480B-A35B-Instruct-SpecForge-EigenAI", 6144, 16384, 96, 8, 128, 151936),
    EAGLE3("AQ-MedAI/Ling-Flash-2.0-eagle3", 4096, 14336, 32, 8, 128, 157184),
    EAGLE("yuhuili/EAGLE-LLaMA3-Instruct-8B", 4096, 14336, 32, 8, 128256),
    EAGLE("yuhuili/EAGLE-LLaMA3.1-Instruct-8B", 4096, 14336, 32, 8, 128256),
    EAGLE("yuhuili/EAGLE-LLaMA3-Instruct-70B", 8192, 28672, 64, 8, 128256),
    EAGLE("yuhuili/EAGLE-llama2-chat-7B", 4096, 11008, 32, 32, 32000),
    EAGLE("yuhuili/EAGLE-llama2-chat-13B", 5120, 13824, 40, 40, 32000),
    EAGLE("yuhuili/EAGLE-llama2-chat-70B", 8192, 28672, 64, 8, 32000),
    EAGLE("yuhuili/EAGLE-Vicuna-7B-v1.3", 4096, 11008, 32, 32, 32000),
    EAGLE("yuhuili/EAGLE-Vicuna-13B-v1.3", 5120, 13824, 40, 40, 32000),
    DFLASH("z-lab/Qwen3-4B-DFlash-b16", 2560, 9728, 32, 8, 151936, 5, 5, 0, 5, 40960),
    DFLASH("z-lab/Qwen3-8B-DFlash-b16", 4096, 12288, 32, 8, 151936, 5, 5, 0, 5, 40960),
    DFLASH("z-lab/Qwen3.5-4B-DFlash", 2560, 9728, 32, 8, 248320, 5, 5, 0, 5, 262144),
    DFLASH("z-lab/Qwen3.5-35B-A3B-DFlash", 2048, 6144, 32, 4, 248320, 8, 5, 0, 8, 262144),
    DFLASH("z-lab/Qwen3.6-35B-A3B-DFlash", 2048, 6144, 32, 4, 248320, 8, 5, 0, 8, 262144),
    DFLASH("z-lab/Qwen3.6-27B-DFlash", 5120, 17408, 32, 8, 248320, 5, 5, 2048, 1, 262144),
    DFLASH2("z-lab/Qwen3.8-27B-DFlash2"),
    DFLASH2("incoai/Qwen3.8-27B-DFlash2"),
    LAGUNA("poolside/Laguna-S-2.1-DFlash"),
    LAGUNA("poolside/Laguna-S-2.1-DFlash-INT4"),
    LAGUNA("poolside/Laguna-S-2.1-DFlash-NVFP4"),
    ASSISTANT("E2B", 256, 2048, 4, 1, 512, 131072, 1536),
    ASSISTANT("E4B", 256, 2048, 4, 2, 512, 131072, 2560),
    ASSISTANT("12B", 1024, 8192, 16, 8, 1024, 262144, 3840),
    ASSISTANT("26B-A4B", 1024, 8192, 16, 8, 1024, 262144, 2816),
    ASSISTANT("31B", 1024, 8192, 32, 16, 1024, 262144, 5376),
};
// clang-format on

const struct kvb_draft_head *kvb_draft_head_rows(size_t *count)
{
    *count = sizeof rows / sizeof rows[0];
    return rows;
}

static const char *const classes[KVB_DRAFT_KIND_COUNT] = {
    [KVB_DRAFT_EAGLE] = "EagleLlamaForCausalLM",    [KVB_DRAFT_EAGLE3] = "LlamaForCausalLMEagle3",
    [KVB_DRAFT_DFLASH] = "DFlashDraftModel",        [KVB_DRAFT_DFLASH2] = "DFlash2DraftModel",
    [KVB_DRAFT_LAGUNA] = "DFlashLagunaForCausalLM", [KVB_DRAFT_ASSISTANT] = "Gemma4AssistantForCausalLM",
};
// What a config of the kind has beside the widths of the row.
static const char *const kind_ends[KVB_DRAFT_KIND_COUNT] = {
    [KVB_DRAFT_DFLASH2] =
        ", \"dflash_config\": {\"conv_kernel_size\": 2, \"conv_group_size\": 16, \"selector_rank\": 256}}",
    [KVB_DRAFT_LAGUNA] = ", \"gating\": \"per-head\"}",
};
#define ORDERED_WIDTH 256      // assistants as narrow order their tokens by centroids
#define WIDE_HEAD_ELEMENTS 512 // of their full layer

static void add_list(struct kvb_buffer *out, const char *key, uint32_t count)
{
    kvb_buffer_printf(out, ", \"%s\": [", key);
    for (uint32_t i = 0; i < count; i++) {
        kvb_buffer_printf(out, "%s%u", i > 0 ? "," : "", i + 1);
    }
    kvb_buffer_add(out, "]");
}

// A window of all layers but the last `full`.
static void add_window(struct kvb_buffer *out, const struct kvb_draft_head *row)
{
    kvb_buffer_printf(out, ", \"use_sliding_window\": true, \"sliding_window\": %u, \"layer_types\": [", row->window);
    for (uint32_t i = 0; i < row->layers; i++) {
        kvb_buffer_printf(out, "%s\"%s\"", i > 0 ? "," : "",
                          i + row->full < row->layers ? "sliding_attention" : "full_attention");
    }
    kvb_buffer_add(out, "]");
}

static void add_assistant(struct kvb_buffer *out, const struct kvb_draft_head *row)
{
    kvb_buffer_printf(out, ", \"backbone_hidden_size\": %u, \"global_head_dim\": %u, \"use_ordered_embeddings\": %s",
                      row->target, WIDE_HEAD_ELEMENTS, row->hidden == ORDERED_WIDTH ? "true" : "false");
}

static void write_config(struct kvb_buffer *out, const struct kvb_draft_head *row)
{
    kvb_buffer_printf(out,
                      "{\"architectures\": [\"%s\"], \"torch_dtype\": \"bfloat16\", \"num_hidden_layers\": %u, "
                      "\"hidden_size\": %u, \"intermediate_size\": %u, \"num_attention_heads\": %u, "
                      "\"num_key_value_heads\": %u, \"head_dim\": %u, \"vocab_size\": %u, "
                      "\"max_position_embeddings\": %u",
                      classes[row->kind], row->layers, row->hidden, row->intermediate, row->heads, row->kv_heads,
                      row->head_size, row->vocabulary, row->positions);
    if (row->draft_vocabulary > 0) {
        kvb_buffer_printf(out, ", \"draft_vocab_size\": %u", row->draft_vocabulary);
    }
    if (row->states > 0) {
        add_list(out, "target_layer_ids", row->states);
    }
    if (row->window > 0) {
        add_window(out, row);
    }
    if (row->target > 0) {
        add_assistant(out, row);
    }
    kvb_buffer_add(out, kind_ends[row->kind] != NULL ? kind_ends[row->kind] : "}");
}

// Read as its config.json would be, by the one reader of those.
static enum kvb_status read_row(const struct kvb_draft_head *row, struct kvb_model *model,
                                struct kvb_problems *problems)
{
    struct kvb_buffer text;
    kvb_buffer_init(&text);
    write_config(&text, row);
    enum kvb_status status =
        text.failed ? KVB_NO_MEMORY
                    : kvb_model_read_config(row->name, text.data, text.length, NULL, NULL, 0, NULL, model, problems);
    kvb_buffer_free(&text);
    return status;
}

static const char *last_part(const char *name)
{
    const char *slash = strrchr(name, '/');
    return slash != NULL ? slash + 1 : name;
}

static const struct kvb_draft_head *find(const char *name)
{
    bool path = name[0] == '/' || name[0] == '.' || name[0] == '~';
    for (size_t i = 0; i < sizeof rows / sizeof rows[0]; i++) {
        const char *own = path ? last_part(rows[i].name) : rows[i].name;
        if (kvb_equal_ignoring_case(own, path ? last_part(name) : name)) {
            return &rows[i];
        }
    }
    return NULL;
}

bool kvb_is_draft_head(const char *name)
{
    return find(name) != NULL;
}

enum kvb_status kvb_draft_head_load(const char *name, struct kvb_model *model, struct kvb_problems *problems)
{
    const struct kvb_draft_head *row = find(name);
    if (row == NULL) {
        return KVB_UNKNOWN_NAME;
    }
    enum kvb_status status = read_row(row, model, problems);
    (void)kvb_copy(model->name, sizeof model->name, row->name);
    return status;
}
