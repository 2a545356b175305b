// From "architectures" to a row of the class table: wrappers, embedding and classifying variants included.
#include <string.h>

#include "base/text.h"
#include "model/config/hf.h"

struct nested_row {
    const char *model_type; // of the language model inside a wrapper
    const char *name;
};
static const struct nested_row nested[] = {
    {"llama", "LlamaForCausalLM"},
    {"mistral", "MistralForCausalLM"},
    {"ministral3", "Ministral3ForCausalLM"},
    {"mistral4", "MistralLarge3ForCausalLM"},
    {"mixtral", "MixtralForCausalLM"},
    {"qwen2", "Qwen2ForCausalLM"},
    {"qwen2_moe", "Qwen2MoeForCausalLM"},
    {"qwen3", "Qwen3ForCausalLM"},
    {"qwen3_moe", "Qwen3MoeForCausalLM"},
    {"gemma", "GemmaForCausalLM"},
    {"gemma2", "Gemma2ForCausalLM"},
    {"phi3", "Phi3ForCausalLM"},
    {"internlm2", "InternLM2ForCausalLM"},
    {"smollm3", "SmolLM3ForCausalLM"},
    {"granite", "GraniteForCausalLM"},
    {"gpt_oss", "GptOssForCausalLM"},
    {"deepseek_v3", "DeepseekV3ForCausalLM"},
    {"lfm2", "Lfm2ForCausalLM"},
    {"phi", "PhiForCausalLM"},
    {"nemotron_h", "NemotronHForCausalLM"},
};

// MiniCPM-V changed its language model from version to version.
static const struct nested_row minicpmv[] = {
    {"2.0", "MiniCPMForCausalLM"}, {"2.5", "LlamaForCausalLM"}, {"2.6", "Qwen2ForCausalLM"},
    {"4.0", "LlamaForCausalLM"},   {"4", "LlamaForCausalLM"},   {"4.5", "Qwen3ForCausalLM"},
};

static const char *lookup(const struct nested_row *rows, size_t count, const char *word)
{
    for (size_t i = 0; i < count; i++) {
        if (strcmp(rows[i].model_type, word) == 0) {
            return rows[i].name;
        }
    }
    return "";
}

static const char *inner_name(struct hf *hf)
{
    const struct kvb_node *list = kvb_node_get(hf->text, "architectures");
    if (hf->architecture->encoder == KVB_ENCODER_MINICPMV) {
        const char *version = kvb_hf_has(hf, HF_VERSION) ? kvb_hf_word(hf, HF_VERSION) : "2.6";
        return lookup(minicpmv, sizeof minicpmv / sizeof minicpmv[0], version);
    }
    if (kvb_hf_has(hf, HF_TEXT_CONFIG) && list && list->kind == KVB_NODE_SEQUENCE && list->first &&
        list->first->kind == KVB_NODE_SCALAR) {
        return list->first->text;
    }
    return lookup(nested, sizeof nested / sizeof nested[0], kvb_hf_word(hf, HF_MODEL_TYPE));
}

static void join(struct hf *hf)
{
    const char *name = inner_name(hf);
    const struct kvb_hf_architecture *inner = kvb_hf_architecture_find(name);
    const struct kvb_hf_architecture *outer = hf->architecture;
    if (!inner || inner->traits & HF_WRAPS || inner->finish) {
        kvb_hf_fail(hf, KVB_UNKNOWN_KIND, hf->text,
                    "%s wraps a language model that is not known (%.60s, model_type '%.40s'); state its class as "
                    "\"architectures\" in text_config",
                    outer->name, *name ? name : "no class", kvb_hf_word(hf, HF_MODEL_TYPE));
        hf->architecture = NULL;
        return;
    }
    hf->joined = *inner;
    hf->joined.name = outer->name;
    hf->joined.finish = outer->finish;
    hf->joined.encoder = outer->encoder;
    hf->architecture = &hf->joined;
}

// "Qwen3ForSequenceClassification", "LlamaModel": the class without its language-model head.
static bool find_headless(struct hf *hf, const char *name)
{
    static const char *const endings[] = {"ForSequenceClassification", "ForTokenClassification", "ForRewardModel",
                                          "ForProcessRewardModel", "Model"};
    char stem[96];
    size_t length = strlen(name);
    for (size_t i = 0; i < sizeof endings / sizeof endings[0]; i++) {
        size_t ending = strlen(endings[i]);
        if (length <= ending || length - ending + strlen("ForCausalLM") >= sizeof stem ||
            strcmp(name + length - ending, endings[i]) != 0) {
            continue;
        }
        memcpy(stem, name, length - ending);
        (void)kvb_copy(stem + length - ending, sizeof stem - (length - ending), "ForCausalLM");
        const struct kvb_hf_architecture *row = kvb_hf_architecture_find(stem);
        if (row) {
            hf->joined = *row;
            hf->joined.traits |= HF_POOLS;
            hf->architecture = &hf->joined;
            return true;
        }
    }
    return false;
}

static void refuse(struct hf *hf)
{
    const struct kvb_node *first = hf->values[HF_ARCHITECTURES].node->first;
    struct kvb_nearest nearest;
    uint32_t count;
    const struct kvb_hf_architecture *rows = kvb_hf_architecture_rows(&count);
    kvb_nearest_init(&nearest, first->text);
    for (uint32_t i = 0; i < count; i++) {
        kvb_nearest_offer(&nearest, rows[i].name);
    }
    kvb_hf_fail(hf, KVB_UNKNOWN_KIND, first,
                "architecture '%.60s' is not known%s%s; if it is built like a known one, say so with --hf-overrides "
                "'{\"architectures\": [\"LlamaForCausalLM\"]}'",
                first->text, nearest.best ? ", nearest is " : "", nearest.best ? nearest.best : "");
}

// Mistral's own params.json names no class: a Llama without a window, 128,000 tokens unless it says so.
static bool find_mistral_params(struct hf *hf)
{
    static const char *const keys[] = {"dim", "n_layers", "hidden_dim", "n_heads"};
    static const char *const unread[] = {"moe", "vision_encoder", "quantization"};
    struct kvb_hf_value *length = &hf->values[HF_MAX_POSITION];
    for (size_t i = 0; i < sizeof keys / sizeof keys[0]; i++) {
        if (!kvb_node_get(hf->text, keys[i])) {
            return false;
        }
    }
    for (size_t i = 0; i < sizeof unread / sizeof unread[0]; i++) {
        const struct kvb_node *node = kvb_node_get(hf->text, unread[i]);
        if (node && !kvb_node_is_null(node)) {
            kvb_hf_fail(hf, KVB_UNKNOWN_KIND, node, "'%s' of a params.json is not read; give the model's config.json",
                        unread[i]);
            return true;
        }
    }
    if (!length->set && !kvb_hf_has(hf, HF_MAX_SEQ)) {
        *length = (struct kvb_hf_value){.set = true, .number = 128000};
    }
    hf->architecture = kvb_hf_architecture_find("LlamaForCausalLM");
    (void)kvb_copy(hf->model->architecture, sizeof hf->model->architecture, "MistralForCausalLM");
    return true;
}

// A head of EAGLE3 may name its target's class; its own vocabulary tells it. Source:
// transformers_utils/configs/eagle.py.
static bool find_head(struct hf *hf, const char *name)
{
    static const char head[] = "Eagle3LlamaForCausalLM";
    if (strcmp(name, "LlamaForCausalLM") != 0 || !kvb_hf_has(hf, HF_DRAFT_VOCAB)) {
        return false;
    }
    hf->architecture = kvb_hf_architecture_find(head);
    (void)kvb_copy(hf->model->architecture, sizeof hf->model->architecture, head);
    return true;
}

void kvb_hf_find_architecture(struct hf *hf)
{
    const struct kvb_hf_value *names = &hf->values[HF_ARCHITECTURES];
    if (kvb_hf_list_length(hf, HF_ARCHITECTURES) == 0) {
        if (!hf->failed && !find_mistral_params(hf)) {
            kvb_hf_fail(hf, KVB_MISSING_KEY, hf->tree->root,
                        "'architectures' is missing: state the model's class, for example \"architectures\": "
                        "[\"LlamaForCausalLM\"]");
        }
        return;
    }
    for (const struct kvb_node *name = names->node->first; name && !hf->architecture; name = name->next) {
        if (find_head(hf, name->text)) {
            return;
        }
        hf->architecture = kvb_hf_architecture_find(name->text);
        if (hf->architecture || find_headless(hf, name->text)) {
            (void)kvb_copy(hf->model->architecture, sizeof hf->model->architecture, name->text);
        }
    }
    if (!hf->architecture) {
        refuse(hf);
    } else if (kvb_hf_trait(hf, HF_WRAPS)) {
        join(hf);
    }
}
