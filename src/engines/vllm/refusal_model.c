// Whether the release knows the model's class, and what of it the class supports.
#include <string.h>

#include "base/text.h"
#include "engines/vllm/refusal.h"
#include "engines/vllm/release_tables.h"

#define R(minor, patch) KVB_RELEASE(0, minor, patch)
#define ANY_CLASS_BY_TRANSFORMERS R(7, 2) // _FALLBACK_MODEL, later _TRANSFORMERS_BACKEND_MODELS

static bool is_plugin(const struct kvb_withdrawn_class *row)
{
    return kvb_starts_with(row->last, "https://");
}

static void say_withdrawn(const struct kvb_withdrawn_class *row, char out[KVB_ERROR_TEXT_CAPACITY])
{
    const char *values[] = {row->name, row->last};
    kvb_refusal_say(out,
                    is_plugin(row)
                        ? "Model architecture {0} is not supported in-tree anymore. Please install the plugin "
                          "at {1} if you want to use this model architecture."
                        : "Model architecture {0} was supported in vLLM until v{1}, and is not supported "
                          "anymore. Please use an older version of vLLM if you want to use this model "
                          "architecture.",
                    values);
}

#define QWEN3_IN_TRANSFORMERS KVB_RELEASE(4, 51, 0) // tests/models/registry.py v0.8.4 min_transformers_version

// Whether the transformers that the release asks for has the class: one alone was there before vLLM took it up itself.
static bool is_in_transformers(const char *name, uint32_t release)
{
    uint32_t has = 0;
    (void)kvb_release_parse(kvb_requirements_of(release)->transformers, &has);
    return strcmp(name, "Qwen3ForCausalLM") == 0 && has >= QWEN3_IN_TRANSFORMERS;
}

bool kvb_class_by_transformers(const struct kvb_context *context)
{
    const char *name = context->model->architecture;
    if (name[0] == '\0' || context->release < ANY_CLASS_BY_TRANSFORMERS || context->known_class != NULL ||
        kvb_withdrawn_of(name, context->release) != NULL) {
        return false;
    }
    return !kvb_class_is_known(name) || is_in_transformers(name, context->release);
}

bool kvb_refusal_class(const struct kvb_context *context, char out[KVB_ERROR_TEXT_CAPACITY])
{
    const char *name = context->model->architecture;
    if (name[0] == '\0' || context->known_class != NULL) {
        return false;
    }
    const struct kvb_withdrawn_class *withdrawn = kvb_withdrawn_of(name, context->release);
    if (withdrawn != NULL) {
        say_withdrawn(withdrawn, out);
        return true;
    }
    if (kvb_class_by_transformers(context)) {
        return false;
    }
    kvb_refusal_say(out, "Model architectures ['{0}'] are not supported for now.", &name);
    return true;
}

bool kvb_class_lacks(const struct kvb_context *context, char letter)
{
    const struct kvb_known_class *row = context->known_class;
    return row != NULL && strchr(row->interfaces, '?') == NULL && strchr(row->interfaces, letter) == NULL;
}

bool kvb_refusal_stages_class(const struct kvb_context *context, char out[KVB_ERROR_TEXT_CAPACITY])
{
    return kvb_refuse_if(context->pp > 1 && kvb_class_lacks(context, 'P'), out, KVB_NO_STAGES);
}

bool kvb_refusal_no_stages(const struct kvb_context *context, char out[KVB_ERROR_TEXT_CAPACITY])
{
    if (context->pp == 1) {
        return false;
    }
    kvb_refusal_say(out, "Pipeline parallelism is not supported yet.", NULL);
    return true;
}

static bool lora_is_on(const struct kvb_context *context)
{
    return kvb_number(context->plan, KVB_SET_ENABLE_LORA) != 0;
}

bool kvb_refusal_lora_class(const struct kvb_context *context, char out[KVB_ERROR_TEXT_CAPACITY])
{
    const char *name = context->model->architecture;
    if (!lora_is_on(context) || !kvb_class_lacks(context, 'L')) {
        return false;
    }
    kvb_refusal_say(out, "{0} does not support LoRA yet.", &name);
    return true;
}

// Source: vllm/config.py LoRAConfig.__post_init__, from 0.11.1 vllm/config/lora.py MaxLoRARanks.
static const struct {
    uint32_t since;
    uint32_t ranks[9];
    const char *text;
} lora_ranks[] = {
    {R(3, 0), {8, 16, 32, 64}, "max_lora_rank ({0}) must be one of (8, 16, 32, 64)."},
    {R(5, 5), {8, 16, 32, 64, 128, 256}, "max_lora_rank ({0}) must be one of (8, 16, 32, 64, 128, 256)."},
    {R(8, 0),
     {8, 16, 32, 64, 128, 256, 320, 512},
     "max_lora_rank ({0}) must be one of (8, 16, 32, 64, 128, 256, 320, 512)."},
    {R(11, 1),
     {1, 8, 16, 32, 64, 128, 256, 320, 512},
     "argument --max-lora-rank: invalid choice: {0} (choose from 1, 8, 16, 32, 64, 128, 256, 320, 512)"},
};

static size_t ranks_of(uint32_t release)
{
    size_t at = 0;
    while (at + 1 < sizeof lora_ranks / sizeof lora_ranks[0] && lora_ranks[at + 1].since <= release) {
        at++;
    }
    return at;
}

const char *kvb_lora_rank_sentence(uint32_t release)
{
    return lora_ranks[ranks_of(release)].text;
}

#define RANKS_ARE_CHOICES_SINCE R(11, 1) // of argparse's, whether adapters are on or not

bool kvb_refusal_lora_rank(const struct kvb_context *context, char out[KVB_ERROR_TEXT_CAPACITY])
{
    uint64_t rank = kvb_number(context->plan, KVB_SET_MAX_LORA_RANK);
    size_t at = ranks_of(context->release);
    bool read = lora_is_on(context) || context->release >= RANKS_ARE_CHOICES_SINCE;
    if (!read || !kvb_is_set(context->plan, KVB_SET_MAX_LORA_RANK)) {
        return false;
    }
    for (size_t i = 0; i < sizeof lora_ranks[0].ranks / sizeof lora_ranks[0].ranks[0]; i++) {
        if (lora_ranks[at].ranks[i] == rank) {
            return false;
        }
    }
    char digits[24];
    const char *value = kvb_refusal_count(digits, rank);
    kvb_refusal_say(out, lora_ranks[at].text, &value);
    return true;
}
