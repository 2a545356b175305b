// `kind: model` profiles: five keys at the top, and a config of nothing but known keys.
#include "model/model_profile.h"

#include <string.h>

#include <kvbudget/input.h>

#include "base/memory.h"
#include "base/model_copy.h"
#include "base/room.h"
#include "base/text.h"
#include "model/config/hf_config.h"
#include "model/profile_checkpoint.h"

static void refuse_key(const struct kvb_tree *tree, const struct kvb_node *node, const char *nearest,
                       struct kvb_problems *problems)
{
    struct kvb_place place = {tree->file, node->key_line, node->key_column};
    (void)kvb_problem_add(problems, KVB_ERROR, KVB_UNKNOWN_KEY, place, "unknown key '%.60s'%s%s%s", node->key,
                          nearest ? "; did you mean '" : " in a model profile", nearest ? nearest : "",
                          nearest ? "'?" : "");
}

static void offer_keys(struct kvb_nearest *nearest, enum kvb_hf_section section)
{
    for (int key = 0; key < HF_KEY_COUNT; key++) {
        const struct kvb_hf_key_row *row = kvb_hf_row((enum kvb_hf_key)key);
        for (size_t i = 0; i < sizeof row->names / sizeof row->names[0] && row->names[i]; i++) {
            if (kvb_hf_section_holds(section, (enum kvb_hf_section)row->section)) {
                kvb_nearest_offer(nearest, row->names[i]);
            }
        }
    }
}

static void check_keys(const struct kvb_tree *tree, const struct kvb_node *mapping, enum kvb_hf_section section,
                       struct kvb_problems *problems)
{
    for (const struct kvb_node *node = mapping->first; node; node = node->next) {
        enum kvb_hf_key key = kvb_hf_key_find(section, node->key);
        if (key == HF_KEY_COUNT) {
            struct kvb_nearest nearest;
            kvb_nearest_init(&nearest, node->key);
            offer_keys(&nearest, section);
            refuse_key(tree, node, nearest.best, problems);
        } else if (kvb_hf_row(key)->kind == HF_GROUP && node->kind == KVB_NODE_MAPPING) {
            check_keys(tree, node, (enum kvb_hf_section)kvb_hf_row(key)->child, problems);
        }
    }
}

static void check_top(const struct kvb_tree *tree, const struct kvb_node *root, struct kvb_problems *problems)
{
    static const char *const keys[] = {"kind", "schema", "name", "source", "checkpoint", "pools", "config"};
    for (const struct kvb_node *node = root->first; node; node = node->next) {
        struct kvb_nearest nearest;
        bool known = false;
        kvb_nearest_init(&nearest, node->key);
        for (size_t i = 0; i < sizeof keys / sizeof keys[0]; i++) {
            known = known || strcmp(node->key, keys[i]) == 0;
            kvb_nearest_offer(&nearest, keys[i]);
        }
        if (!known) {
            refuse_key(tree, node, nearest.best, problems);
        }
    }
}

static const struct kvb_node *require(const struct kvb_tree *tree, const struct kvb_node *root, const char *key,
                                      enum kvb_node_kind kind, struct kvb_problems *problems)
{
    const struct kvb_node *node = kvb_node_get(root, key);
    if (!node || kvb_node_is_null(node)) {
        (void)kvb_problem_add(problems, KVB_ERROR, KVB_MISSING_KEY, kvb_node_place(tree, root),
                              "a model profile needs '%s'", key);
        return NULL;
    }
    if (node->kind != kind) {
        (void)kvb_problem_add(problems, KVB_ERROR, KVB_BAD_TYPE, kvb_node_place(tree, node), "%s: expected %s", key,
                              kind == KVB_NODE_MAPPING ? "a mapping" : "a word");
        return NULL;
    }
    return node;
}

static void require_word(const struct kvb_tree *tree, const struct kvb_node *root, const char *key, const char *word,
                         struct kvb_problems *problems)
{
    const struct kvb_node *node = require(tree, root, key, KVB_NODE_SCALAR, problems);
    if (node && strcmp(node->text, word) != 0) {
        (void)kvb_problem_add(problems, KVB_ERROR, KVB_UNKNOWN_KIND, kvb_node_place(tree, node),
                              "%s: expected %s, got %.60s", key, word, node->text);
    }
}

// Judges the whole profile; the mapping of its config, or NULL when there is anything wrong.
static const struct kvb_node *check_profile(const struct kvb_tree *tree, const struct kvb_node *node,
                                            struct kvb_problems *problems)
{
    uint32_t before = problems->count + problems->dropped;
    if (node->kind != KVB_NODE_MAPPING) {
        (void)kvb_problem_add(problems, KVB_ERROR, KVB_BAD_TYPE, kvb_node_place(tree, node),
                              "expected a model profile: a mapping that begins with kind: model");
        return NULL;
    }
    require_word(tree, node, "kind", "model", problems);
    if (problems->count + problems->dropped > before) {
        return NULL; // of another kind of profile its keys would only be wrong one by one
    }
    check_top(tree, node, problems);
    require_word(tree, node, "schema", "1", problems);
    const struct kvb_node *name = require(tree, node, "name", KVB_NODE_SCALAR, problems);
    const struct kvb_node *config = require(tree, node, "config", KVB_NODE_MAPPING, problems);
    if (config) {
        check_keys(tree, config, HF_TOP, problems);
    }
    if (kvb_node_get(node, "pools") != NULL) {
        require_word(tree, node, "pools", "true", problems);
    }
    if (name && strlen(name->text) >= KVB_NAME_CAPACITY) {
        (void)kvb_problem_add(problems, KVB_ERROR, KVB_OUT_OF_RANGE, kvb_node_place(tree, name),
                              "name: at most %d characters", KVB_NAME_CAPACITY - 1);
    }
    return problems->count + problems->dropped == before ? config : NULL;
}

static enum kvb_status build(const struct kvb_tree *tree, const struct kvb_node *root, const struct kvb_node *config,
                             struct kvb_model *model, struct kvb_problems *problems)
{
    struct kvb_model *built = kvb_bare_room(sizeof *built, problems);
    if (built == NULL) {
        return KVB_NO_MEMORY;
    }
    kvb_model_clear(built);
    enum kvb_status status = kvb_hf_model_from_tree(tree, config, NULL, built, problems);
    if (status == KVB_OK &&
        !kvb_profile_checkpoint_read(tree, kvb_node_get(root, "checkpoint"), &built->checkpoint, problems)) {
        status = kvb_problems_status(problems);
    }
    if (status == KVB_OK) {
        (void)kvb_copy(built->name, sizeof built->name, kvb_node_get(root, "name")->text);
        built->pools_by_default = kvb_node_get(root, "pools") != NULL; // which was found to be true
        kvb_model_copy(model, built);
    }
    kvb_free(built);
    return status;
}

enum kvb_status kvb_model_from_profile(const struct kvb_tree *tree, const struct kvb_node *node,
                                       struct kvb_model *model, struct kvb_problems *problems)
{
    const struct kvb_node *config = check_profile(tree, node, problems);
    return config ? build(tree, node, config, model, problems) : kvb_problems_status(problems);
}

static struct kvb_node *child(struct kvb_node *mapping, const char *key)
{
    struct kvb_node *node = mapping->first;
    while (node && strcmp(node->key, key) != 0) {
        node = node->next;
    }
    return node;
}

static void drop(struct kvb_node *mapping, const char *key)
{
    struct kvb_node **link = &mapping->first;
    while (*link && strcmp((*link)->key, key) != 0) {
        link = &(*link)->next;
    }
    if (*link) {
        *link = (*link)->next;
        mapping->count--;
    }
}

static struct kvb_node *list_of_kept(struct kvb_node *quantisation)
{
    static const char *const keys[] = {"ignore", "modules_to_not_convert", "exclude_modules", "ignored_layers"};
    for (size_t i = 0; quantisation && i < sizeof keys / sizeof keys[0]; i++) {
        struct kvb_node *list = child(quantisation, keys[i]);
        if (list && list->kind == KVB_NODE_SEQUENCE) {
            return list;
        }
    }
    return NULL;
}

// What one quantised checkpoint of a model leaves at 16 bits, its siblings leave too.
static void inherit_kept(struct kvb_node *from, struct kvb_node *to)
{
    struct kvb_node *own = list_of_kept(to), *old = list_of_kept(from);
    if (!own || !old) {
        return;
    }
    struct kvb_node **end = &own->first;
    while (*end) {
        end = &(*end)->next;
    }
    *end = old->first;
    own->count += old->count;
}

// Another quantization_config ("": none) in place of the profile's own.
static enum kvb_status requantise(struct kvb_node *config, const char *text, struct kvb_tree *quant,
                                  struct kvb_problems *problems)
{
    static const char key[] = "quantization_config";
    struct kvb_node *before = child(config, key);
    enum kvb_status status = KVB_OK;
    drop(config, key);
    drop(config, "compression_config");
    drop(config, "expert_dtype");
    if (*text) {
        status = kvb_tree_read(quant, key, text, strlen(text), problems);
    }
    if (status == KVB_OK && *text) {
        quant->root->key = key;
        inherit_kept(before, quant->root);
        struct kvb_node holder = {.kind = KVB_NODE_MAPPING, .count = 1, .first = quant->root};
        kvb_hf_merge(config, &holder, HF_LINE_BESIDE);
    }
    return status;
}

enum kvb_status kvb_model_profile_quantised(const char *file, const char *text, size_t length, const char *overrides,
                                            const char *quantisation, struct kvb_model *model,
                                            struct kvb_problems *problems)
{
    struct kvb_tree tree = {0}, over = {0}, quant = {0};
    enum kvb_status status = kvb_tree_read(&tree, file, text, length, problems);
    if (status == KVB_OK && !check_profile(&tree, tree.root, problems)) {
        status = kvb_problems_status(problems);
    }
    if (status == KVB_OK && quantisation) {
        drop(tree.root, "checkpoint");
        status = requantise(child(tree.root, "config"), quantisation, &quant, problems);
    }
    if (status == KVB_OK && overrides && *overrides) {
        status = kvb_hf_read_overrides(&over, overrides, problems);
        if (status == KVB_OK) {
            kvb_hf_merge(child(tree.root, "config"), over.root, HF_LINE_OVERRIDE);
        }
    }
    if (status == KVB_OK) {
        status = build(&tree, tree.root, child(tree.root, "config"), model, problems);
    }
    kvb_tree_free(&tree);
    kvb_tree_free(&over);
    kvb_tree_free(&quant);
    return status;
}

enum kvb_status kvb_model_profile_with(const char *file, const char *text, size_t length, const char *overrides,
                                       struct kvb_model *model, struct kvb_problems *problems)
{
    return kvb_model_profile_quantised(file, text, length, overrides, NULL, model, problems);
}

enum kvb_status kvb_model_read_profile(const char *file, const char *text, size_t length, struct kvb_model *model,
                                       struct kvb_problems *problems)
{
    return kvb_model_profile_with(file, text, length, NULL, model, problems);
}
