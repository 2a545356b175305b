// From the text of any profile to its kind.
#include "catalogue/profile.h"

#include <string.h>

#include <kvbudget/version.h>

#include "base/text.h"
#include "text/file.h"
#include "text/strict.h"

static const char *const kind_names[] = {
    [KVB_PROFILE_MODEL] = "model",
    [KVB_PROFILE_GPU] = "gpu",
    [KVB_PROFILE_ENGINE] = "engine",
    [KVB_PROFILE_DEPLOYMENT] = "deployment",
};
_Static_assert(sizeof kind_names / sizeof kind_names[0] == KVB_PROFILE_KIND_COUNT, "one word per kind");

const char *kvb_profile_kind_name(enum kvb_profile_kind kind)
{
    return (size_t)kind < KVB_PROFILE_KIND_COUNT ? kind_names[kind] : "unknown";
}

static enum kvb_status check_kind(const struct kvb_tree *tree, enum kvb_profile_kind *kind,
                                  struct kvb_problems *problems)
{
    static const char expected[] = "model, gpu, engine or deployment";
    const struct kvb_node *node = kvb_node_get(tree->root, "kind");
    if (!node) {
        return kvb_problem_add(problems, KVB_ERROR, KVB_MISSING_KEY, kvb_node_place(tree, tree->root),
                               "a profile needs the key 'kind': %s", expected);
    }
    for (int i = 0; node->kind == KVB_NODE_SCALAR && i < KVB_PROFILE_KIND_COUNT; i++) {
        if (strcmp(node->text, kind_names[i]) == 0) {
            *kind = (enum kvb_profile_kind)i;
            return KVB_OK;
        }
    }
    return kvb_expected(tree, node, KVB_UNKNOWN_KIND, expected, problems);
}

static enum kvb_status check_schema(const struct kvb_tree *tree, struct kvb_problems *problems)
{
    _Static_assert(KVB_PROFILE_SCHEMA == 1, "the sentences below name the schema");
    const struct kvb_node *node = kvb_node_get(tree->root, "schema");
    if (!node) {
        return kvb_problem_add(problems, KVB_ERROR, KVB_MISSING_KEY, kvb_node_place(tree, tree->root),
                               "a profile needs the key 'schema': 1");
    }
    bool known = node->kind == KVB_NODE_SCALAR && !node->quoted && strcmp(node->text, "1") == 0;
    return known ? KVB_OK : kvb_expected(tree, node, KVB_OUT_OF_RANGE, "1, the schema this release reads", problems);
}

enum kvb_status kvb_profile_open(struct kvb_tree *tree, const char *file, const char *text, size_t length,
                                 enum kvb_profile_kind *kind, struct kvb_problems *problems)
{
    enum kvb_status status = kvb_tree_read(tree, file, text, length, problems);
    if (status != KVB_OK) {
        return status;
    }
    if (tree->root->kind != KVB_NODE_MAPPING) {
        return kvb_expected(tree, tree->root, KVB_BAD_TYPE, "a mapping that begins with 'kind:'", problems);
    }
    status = check_kind(tree, kind, problems);
    enum kvb_status schema_status = check_schema(tree, problems);
    return status == KVB_OK ? schema_status : status;
}

enum kvb_status kvb_profile_open_as(struct kvb_tree *tree, const char *file, const char *text, size_t length,
                                    enum kvb_profile_kind wanted, struct kvb_problems *problems)
{
    enum kvb_profile_kind kind = KVB_PROFILE_KIND_COUNT;
    enum kvb_status status = kvb_profile_open(tree, file, text, length, &kind, problems);
    if (status == KVB_OK && kind != wanted) {
        return kvb_expected(tree, kvb_node_get(tree->root, "kind"), KVB_UNKNOWN_KIND, kind_names[wanted], problems);
    }
    return status;
}
