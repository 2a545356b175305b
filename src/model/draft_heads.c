// The table of heads that draft. Shapes of EAGLE3: configs of sgl-project/SpecForge at a6b6b02, Tencent/AngelSlim
// (angelslim/compressor/speculative/train/configs) at 67394ce and SafeAILab/EAGLE (eagle/traineagle3/config.json) at
// cb7e084, by the targets that the lists of SpecForge (docs/community_resources/specbundle.md) and EAGLE (README) name.
// A head of EAGLE has the widths of its target; EAGLE's README counts its parameters.
#include "model/draft_heads.h"

#include <stdio.h>
#include <string.h>

#include <kvbudget/input.h>

#include "base/text.h"

#define EAGLE3(name, hidden, intermediate, heads, kv_heads, head_size, vocabulary)                                     \
    {                                                                                                                  \
        name, true, hidden, intermediate, heads, kv_heads, head_size, vocabulary, 32000                                \
    }
#define EAGLE(name, hidden, intermediate, heads, kv_heads, vocabulary)                                                 \
    {                                                                                                                  \
        name, false, hidden, intermediate, heads, kv_heads, 128, vocabulary, 0                                         \
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
};
// clang-format on

const struct kvb_draft_head *kvb_draft_head_rows(size_t *count)
{
    *count = sizeof rows / sizeof rows[0];
    return rows;
}

#define CONFIG_CAPACITY 512

// Read as its config.json would be, by the one reader of those.
static enum kvb_status read_row(const struct kvb_draft_head *row, struct kvb_model *model,
                                struct kvb_problems *problems)
{
    char text[CONFIG_CAPACITY];
    int length = snprintf(
        text, sizeof text,
        "{\"architectures\": [\"%s\"], \"torch_dtype\": \"bfloat16\", \"num_hidden_layers\": 1, \"hidden_size\": %u, "
        "\"intermediate_size\": %u, \"num_attention_heads\": %u, \"num_key_value_heads\": %u, \"head_dim\": %u, "
        "\"vocab_size\": %u, \"max_position_embeddings\": 2048%s%.*u}",
        row->eagle3 ? "LlamaForCausalLMEagle3" : "EagleLlamaForCausalLM", row->hidden, row->intermediate, row->heads,
        row->kv_heads, row->head_size, row->vocabulary, row->eagle3 ? ", \"draft_vocab_size\": " : "", 0,
        row->draft_vocabulary);
    if (length < 0 || (size_t)length >= sizeof text) {
        return kvb_problem_add(problems, KVB_ERROR, KVB_TOO_LARGE, (struct kvb_place){0}, "the head's row is too long");
    }
    return kvb_model_read_config(row->name, text, (size_t)length, NULL, NULL, 0, NULL, model, problems);
}

static const struct kvb_draft_head *find(const char *name)
{
    for (size_t i = 0; i < sizeof rows / sizeof rows[0]; i++) {
        if (kvb_equal_ignoring_case(rows[i].name, name)) {
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
