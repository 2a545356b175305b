// Three keys: format, total_bytes, parameters.
#include "model/profile_checkpoint.h"

#include <string.h>

#include <kvbudget/units.h>

#include "base/text.h"

struct format_row {
    const char *word;
    enum kvb_checkpoint_kind kind;
};
static const struct format_row formats[] = {{"gguf", KVB_CHECKPOINT_GGUF}, {"safetensors", KVB_CHECKPOINT_INDEX}};

static bool fail(const struct kvb_tree *tree, const struct kvb_node *node, enum kvb_status status, const char *text,
                 struct kvb_problems *problems)
{
    (void)kvb_problem_add(problems, KVB_ERROR, status, kvb_node_place(tree, node), "checkpoint: %s", text);
    return false;
}

static bool read_format(const struct kvb_tree *tree, const struct kvb_node *node, struct kvb_checkpoint *out,
                        struct kvb_problems *problems)
{
    for (size_t i = 0; node->kind == KVB_NODE_SCALAR && i < sizeof formats / sizeof formats[0]; i++) {
        if (strcmp(node->text, formats[i].word) == 0) {
            out->kind = formats[i].kind;
            return true;
        }
    }
    return fail(tree, node, KVB_UNKNOWN_NAME, "format: expected gguf or safetensors", problems);
}

static bool read_number(const struct kvb_tree *tree, const struct kvb_node *node, uint64_t *number,
                        struct kvb_problems *problems)
{
    bool whole = node->kind == KVB_NODE_SCALAR && !node->quoted && kvb_parse_whole(node->text, number);
    if (!whole || *number == 0 || *number > KVB_BYTES_MAX) {
        return fail(tree, node, KVB_OUT_OF_RANGE, "expected a whole number from 1 to 2^53", problems);
    }
    return true;
}

static bool read_key(const struct kvb_tree *tree, const struct kvb_node *node, struct kvb_checkpoint *out,
                     struct kvb_problems *problems)
{
    if (strcmp(node->key, "format") == 0) {
        return read_format(tree, node, out, problems);
    }
    if (strcmp(node->key, "total_bytes") == 0) {
        return read_number(tree, node, &out->total_bytes, problems);
    }
    if (strcmp(node->key, "parameters") == 0) {
        return read_number(tree, node, &out->parameters, problems);
    }
    struct kvb_place place = {tree->file, node->key_line, node->key_column};
    (void)kvb_problem_add(problems, KVB_ERROR, KVB_UNKNOWN_KEY, place,
                          "unknown key '%.60s'; checkpoint has format, total_bytes and parameters", node->key);
    return false;
}

bool kvb_profile_checkpoint_read(const struct kvb_tree *tree, const struct kvb_node *node, struct kvb_checkpoint *out,
                                 struct kvb_problems *problems)
{
    memset(out, 0, sizeof *out);
    if (node == NULL) {
        return true;
    }
    if (node->kind != KVB_NODE_MAPPING) {
        return fail(tree, node, KVB_BAD_TYPE, "expected a mapping with format and total_bytes", problems);
    }
    for (const struct kvb_node *child = node->first; child != NULL; child = child->next) {
        if (!read_key(tree, child, out, problems)) {
            return false;
        }
    }
    return (out->kind != KVB_CHECKPOINT_NONE && out->total_bytes > 0) ||
           fail(tree, node, KVB_MISSING_KEY, "needs format and total_bytes", problems);
}

void kvb_profile_checkpoint_write(struct kvb_buffer *buffer, const struct kvb_checkpoint *checkpoint)
{
    for (size_t i = 0; i < sizeof formats / sizeof formats[0]; i++) {
        if (formats[i].kind == checkpoint->kind) {
            kvb_buffer_printf(buffer, "checkpoint:\n  format: %s\n  total_bytes: %llu\n", formats[i].word,
                              (unsigned long long)checkpoint->total_bytes);
        }
    }
    if (checkpoint->parameters > 0) {
        kvb_buffer_printf(buffer, "  parameters: %llu\n", (unsigned long long)checkpoint->parameters);
    }
}

void kvb_profile_checkpoint_reduce(const struct kvb_model *model, struct kvb_checkpoint *out)
{
    const struct kvb_checkpoint *known = &model->checkpoint;
    uint64_t described = kvb_model_parameters(model);
    uint64_t counted = known->parameters;
    uint64_t difference = counted > described ? counted - described : described - counted;
    bool differs = known->kind == KVB_CHECKPOINT_INDEX || difference > described / 1000;
    memset(out, 0, sizeof *out);
    if (known->kind == KVB_CHECKPOINT_NONE || (known->kind != KVB_CHECKPOINT_GGUF && !differs) ||
        known->total_bytes == 0) {
        return;
    }
    out->kind = known->kind == KVB_CHECKPOINT_GGUF ? KVB_CHECKPOINT_GGUF : KVB_CHECKPOINT_INDEX;
    out->total_bytes = known->total_bytes;
    out->parameters = known->parameters;
}
