// Recipes of spark-vllm-docker: a serve command whose {names} stand for the recipe's own defaults
// (eugr/spark-vllm-docker, recipes/README.md; run-recipe.py fills it in with Python's str.format).
#include <string.h>

#include "manifest/stacks.h"

#define NAME_CHARACTERS "ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz_0123456789"

bool kvb_is_spark_recipe(const struct kvb_node *node)
{
    return kvb_node_get(node, "recipe_version") != NULL && kvb_node_text(kvb_node_get(node, "command")) != NULL;
}

// The value in the place of {name}, where it is as short and something ends behind it; else the shell's $name_, which
// is of the same length: the command keeps its places.
static void fill_in(struct kvb_manifest *manifest, const struct kvb_node *value, char *at, size_t length,
                    struct kvb_container *container)
{
    size_t held = length + 2, needed = strlen(value->text);
    if (needed <= held && at[held] != '\0' && strchr(" \t\r\n\\,}'\"", at[held]) != NULL) {
        memset(at, ' ', held);
        memcpy(at, value->text, needed);
        return;
    }
    at[0] = '$';
    at[held - 1] = '_';
    kvb_variable_set(manifest, &container->variables, kvb_manifest_copy(manifest, at + 1, length + 1), value->text,
                     kvb_node_offset(manifest, value), false);
}

// Doubled braces become one and a blank.
static void as_shell(struct kvb_manifest *manifest, const struct kvb_node *defaults, char *text,
                     struct kvb_container *container)
{
    for (char *at = text; (at = strpbrk(at, "{}")) != NULL; at++) {
        size_t length = *at == '{' ? strspn(at + 1, NAME_CHARACTERS) : 0;
        const char *name = length > 0 && at[1 + length] == '}' ? kvb_manifest_copy(manifest, at + 1, length) : NULL;
        const struct kvb_node *value = name != NULL ? kvb_node_get(defaults, name) : NULL;
        if (at[1] == *at) {
            at[*at == '{' ? 0 : 1] = ' ';
            at++;
        } else if (kvb_node_text(value) != NULL) {
            fill_in(manifest, value, at, length, container);
        }
    }
}

static void take_environment(struct kvb_manifest *manifest, const struct kvb_node *env, struct kvb_container *container)
{
    bool mapping = env != NULL && env->kind == KVB_NODE_MAPPING;
    for (const struct kvb_node *child = mapping ? env->first : NULL; child != NULL; child = child->next) {
        if (kvb_node_text(child) != NULL) {
            kvb_variable_set(manifest, &container->variables, child->key, child->text, kvb_node_offset(manifest, child),
                             true);
        }
    }
}

enum kvb_status kvb_read_spark_recipe(struct kvb_manifest *manifest, const struct kvb_node *node,
                                      struct kvb_container *container)
{
    const struct kvb_node *command = kvb_node_get(node, "command"), *name = kvb_node_get(node, "name");
    size_t length = strlen(command->text);
    char *text = kvb_manifest_take(manifest, length + 1);
    if (text == NULL) {
        return KVB_NO_MEMORY;
    }
    memcpy(text, command->text, length + 1);
    container->kind = "recipe";
    container->name = kvb_node_text(name);
    take_environment(manifest, kvb_node_get(node, "env"), container);
    as_shell(manifest, kvb_node_get(node, "defaults"), text, container);
    container->words = (struct kvb_words){0};
    container->offset = KVB_NOWHERE;
    return kvb_shell_read(manifest, text, kvb_node_offset(manifest, command), container);
}
