// YAML nodes as words, flags and containers: what all YAML kinds have in common.
#include <string.h>

#include <kvbudget/units.h>

#include "base/buffer.h"
#include "base/text.h"
#include "command/serve_config.h"
#include "engines/flags.h"
#include "manifest/manifest_reader.h"

const char *kvb_node_text(const struct kvb_node *node)
{
    return node != NULL && node->kind == KVB_NODE_SCALAR ? node->text : NULL;
}

bool kvb_node_whole(const struct kvb_node *node, uint32_t *number)
{
    uint64_t whole;
    if (kvb_node_text(node) == NULL || !kvb_parse_whole(node->text, &whole) || whole > UINT32_MAX) {
        return false;
    }
    *number = (uint32_t)whole;
    return true;
}

static void add_scalar(struct kvb_manifest *manifest, const struct kvb_node *node, enum kvb_dollar dollar,
                       const struct kvb_variable *variables, struct kvb_words *words)
{
    const char *unknown = NULL;
    const char *text = kvb_expand(manifest, node->text, dollar, variables, &unknown);
    kvb_words_add(manifest, words, (struct kvb_arg){text, kvb_node_offset(manifest, node), unknown});
}

void kvb_words_from_node(struct kvb_manifest *manifest, const struct kvb_node *node, enum kvb_dollar dollar,
                         const struct kvb_variable *variables, struct kvb_words *words)
{
    if (node == NULL || kvb_node_is_null(node)) {
        return;
    }
    if (node->kind == KVB_NODE_SCALAR) {
        kvb_shell_split(manifest, node->text, kvb_node_offset(manifest, node), dollar, variables, words);
        return;
    }
    for (const struct kvb_node *child = node->first; node->kind == KVB_NODE_SEQUENCE && child; child = child->next) {
        if (child->kind == KVB_NODE_SCALAR) {
            add_scalar(manifest, child, dollar, variables, words);
        }
    }
}

// ---- a mapping as flags

struct mapping {
    struct kvb_manifest *manifest;
    struct kvb_words *words;
};

static void take_word(void *context, const struct kvb_node *node, const char *word)
{
    const struct mapping *mapping = context;
    struct kvb_manifest *manifest = mapping->manifest;
    kvb_words_say(manifest, mapping->words, kvb_manifest_copy(manifest, word, strlen(word)),
                  kvb_source_offset(manifest, node->key_line, node->key_column));
}

static enum kvb_status add_mapping(struct kvb_manifest *manifest, const struct kvb_node *node, const char *engine,
                                   struct kvb_words *words, struct kvb_problems *problems)
{
    struct mapping mapping = {manifest, words};
    const struct kvb_tree tree = {.file = manifest->file};
    const struct kvb_config_form how = {.engine = kvb_image_engine(NULL),
                                        .release = kvb_config_release(engine != NULL ? engine : ""),
                                        .call = engine == NULL,
                                        .take = take_word,
                                        .context = &mapping};
    enum kvb_status status = kvb_config_words(&how, &tree, node, problems);
    manifest->out_of_memory = manifest->out_of_memory || status == KVB_NO_MEMORY;
    return status;
}

void kvb_words_from_mapping(struct kvb_manifest *manifest, const struct kvb_node *mapping, struct kvb_words *words)
{
    (void)add_mapping(manifest, mapping, NULL, words, NULL); // nothing but memory is refused
}

enum kvb_status kvb_words_from_file(struct kvb_manifest *manifest, const struct kvb_node *root, const char *engine,
                                    struct kvb_words *words, struct kvb_problems *problems)
{
    return add_mapping(manifest, root, engine, words, problems);
}

bool kvb_key_is_setting(const char *key)
{
    const struct kvb_serve_flag *flag;
    bool known = kvb_serve_flag_find(kvb_image_engine(NULL), key, strlen(key), &flag) == KVB_SERVE_MATCH;
    bool whole = known && flag->kind == KVB_SERVE_SETTING && strlen(flag->name) == strlen(key);
    bool part = whole && kvb_setting_row_of((enum kvb_setting)flag->id)->kind == KVB_VALUE_PART;
    return whole && !part && strpbrk(key, "-_") != NULL;
}

bool kvb_mapping_has_setting(const struct kvb_node *mapping)
{
    for (const struct kvb_node *child = mapping->first; child != NULL; child = child->next) {
        if (kvb_key_is_setting(child->key)) {
            return true;
        }
    }
    return false;
}

// ---- the container of a pod

static void add_variable(struct kvb_manifest *manifest, const struct kvb_node *entry, struct kvb_container *container)
{
    const char *name = kvb_node_text(kvb_node_get(entry, "name"));
    const struct kvb_node *value = kvb_node_get(entry, "value");
    if (name == NULL || kvb_node_text(value) == NULL) {
        return; // from a secret or a field: not known
    }
    const char *unknown = NULL;
    const char *text = kvb_expand(manifest, value->text, KVB_DOLLAR_KUBERNETES, container->variables, &unknown);
    kvb_variable_set(manifest, &container->variables, name, text, kvb_node_offset(manifest, value), true);
}

// "nvidia.com/mig-1g.20gb": an instance of a card.
static void take_slice(const struct kvb_node *limits, struct kvb_container *container)
{
    bool mapping = limits != NULL && limits->kind == KVB_NODE_MAPPING;
    for (const struct kvb_node *child = mapping ? limits->first : NULL; child != NULL; child = child->next) {
        if (kvb_starts_with(child->key, "nvidia.com/mig-") && kvb_node_text(child) != NULL) {
            container->slice = child;
        }
    }
}

void kvb_limits_from_node(struct kvb_manifest *manifest, const struct kvb_node *resources,
                          struct kvb_container *container)
{
    static const char *const keys[] = {"nvidia.com/gpu", "amd.com/gpu", "gpu.intel.com/i915", "gpu.intel.com/xe",
                                       "nvidia.com/gpu.shared"};
    static const char *const places[] = {"limits", "requests"};
    for (size_t i = 0; i < sizeof places / sizeof places[0]; i++) {
        const struct kvb_node *limits = kvb_node_get(resources, places[i]);
        take_slice(limits, container);
        for (size_t k = 0; k < sizeof keys / sizeof keys[0] && container->gpu_limit == 0; k++) {
            const struct kvb_node *limit = kvb_node_get(limits, keys[k]);
            if (limit != NULL && kvb_node_whole(limit, &container->gpu_limit)) {
                container->gpu_limit_offset = kvb_source_offset(manifest, limit->key_line, limit->key_column);
                container->shared = strstr(keys[k], ".shared") != NULL;
            }
        }
    }
}

void kvb_container_from_pod(struct kvb_manifest *manifest, const struct kvb_node *node, struct kvb_container *container)
{
    const struct kvb_node *env = kvb_node_get(node, "env");
    const struct kvb_node *image = kvb_node_get(node, "image");
    for (const struct kvb_node *entry = env != NULL ? env->first : NULL; entry != NULL; entry = entry->next) {
        add_variable(manifest, entry, container);
    }
    if (kvb_node_text(image) != NULL) {
        container->image = image->text;
        container->image_offset = kvb_node_offset(manifest, image);
    }
    kvb_limits_from_node(manifest, kvb_node_get(node, "resources"), container);
    kvb_words_from_node(manifest, kvb_node_get(node, "command"), KVB_DOLLAR_KUBERNETES, container->variables,
                        &container->words);
    kvb_words_from_node(manifest, kvb_node_get(node, "args"), KVB_DOLLAR_KUBERNETES, container->variables,
                        &container->words);
}
