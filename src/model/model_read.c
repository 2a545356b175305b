// The public readers of config.json and of `kind: model` profiles.
#include <stdlib.h>
#include <string.h>

#include <kvbudget/input.h>

#include "base/text.h"
#include "model/config/hf_config.h"
#include "model/model_profile.h"

enum kvb_status kvb_hf_read_overrides(struct kvb_tree *overrides, const char *text, struct kvb_problems *problems)
{
    struct kvb_place nowhere = {"--hf-overrides", 0, 0};
    enum kvb_status status = kvb_tree_read(overrides, "--hf-overrides", text, strlen(text), problems);
    if (status == KVB_OK && overrides->root->kind != KVB_NODE_MAPPING) {
        status = kvb_problem_add(problems, KVB_ERROR, KVB_BAD_TYPE, nowhere,
                                 "expected JSON such as {\"max_position_embeddings\": 32768}");
    }
    return status;
}

static enum kvb_status merge_overrides(struct kvb_tree *base, struct kvb_tree *overrides, const char *text,
                                       struct kvb_problems *problems)
{
    enum kvb_status status = kvb_hf_read_overrides(overrides, text, problems);
    if (status == KVB_OK) {
        kvb_hf_merge(base->root, overrides->root, HF_LINE_OVERRIDE);
    }
    return status;
}

// hf_quant_config.json counts only when config.json has no quantisation of its own, as in vLLM.
static enum kvb_status merge_quantisation(struct kvb_tree *base, struct kvb_tree *quant, const char *file,
                                          const char *text, size_t length, struct kvb_problems *problems)
{
    static const char *const present[] = {"quantization_config", "compression_config"};
    for (size_t i = 0; i < 2; i++) {
        const struct kvb_node *node = kvb_node_get(base->root, present[i]);
        if (node && !kvb_node_is_null(node)) {
            return KVB_OK;
        }
    }
    enum kvb_status status = kvb_tree_read(quant, file, text, length, problems);
    if (status != KVB_OK) {
        return status;
    }
    if (quant->root->kind != KVB_NODE_MAPPING) {
        return kvb_problem_add(problems, KVB_ERROR, KVB_BAD_TYPE, kvb_node_place(quant, quant->root),
                               "expected a mapping with 'quantization'");
    }
    static const char key[] = "quantization_config";
    quant->root->key = key;
    struct kvb_node holder = {.kind = KVB_NODE_MAPPING, .count = 1, .first = quant->root};
    kvb_hf_merge(base->root, &holder, HF_LINE_BESIDE);
    return KVB_OK;
}

enum kvb_status kvb_hf_read_trees(struct kvb_hf_trees *trees, const struct kvb_hf_texts *texts,
                                  struct kvb_problems *problems)
{
    memset(trees, 0, sizeof *trees);
    enum kvb_status status = kvb_tree_read(&trees->config, texts->file, texts->text, texts->length, problems);
    if (status == KVB_OK && trees->config.root->kind != KVB_NODE_MAPPING) {
        status = kvb_problem_add(problems, KVB_ERROR, KVB_BAD_TYPE, kvb_node_place(&trees->config, trees->config.root),
                                 "expected a model's config: a mapping with architectures, hidden_size and so on");
    }
    if (status == KVB_OK && texts->quant_text) {
        status = merge_quantisation(&trees->config, &trees->quant, texts->quant_file, texts->quant_text,
                                    texts->quant_length, problems);
    }
    if (status == KVB_OK && texts->overrides && *texts->overrides) {
        status = merge_overrides(&trees->config, &trees->overrides, texts->overrides, problems);
    }
    return status;
}

void kvb_hf_free_trees(struct kvb_hf_trees *trees)
{
    kvb_tree_free(&trees->config);
    kvb_tree_free(&trees->quant);
    kvb_tree_free(&trees->overrides);
}

enum kvb_status kvb_model_read_config(const char *file, const char *text, size_t length, const char *quant_file,
                                      const char *quant_text, size_t quant_length, const char *overrides,
                                      struct kvb_model *model, struct kvb_problems *problems)
{
    struct kvb_hf_texts texts = {file, text, length, quant_file, quant_text, quant_length, overrides};
    struct kvb_hf_trees trees;
    enum kvb_status status = kvb_hf_read_trees(&trees, &texts, problems);
    if (status == KVB_OK) {
        status = kvb_hf_model_from_tree(&trees.config, trees.config.root, quant_file, model, problems);
    }
    const struct kvb_node *own = status == KVB_OK ? kvb_node_get(trees.config.root, "_name_or_path") : NULL;
    if (own && own->kind == KVB_NODE_SCALAR) {
        (void)kvb_copy(model->name, sizeof model->name, own->text);
    }
    kvb_hf_free_trees(&trees);
    return status;
}
