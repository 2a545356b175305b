// OCI AI Blueprints: a recipe with its image, variables, arguments and the shape of its nodes
// (oracle-quickstart/oci-ai-blueprints, docs/api_documentation.md).
#include <string.h>

#include "manifest/stacks.h"

bool kvb_is_oci_blueprint(const struct kvb_node *node)
{
    return kvb_node_text(kvb_node_get(node, "recipe_image_uri")) != NULL;
}

// [{"key": NAME, "value": VALUE}]
static void take_environment(struct kvb_manifest *manifest, const struct kvb_node *env, struct kvb_container *container)
{
    bool list = env != NULL && env->kind == KVB_NODE_SEQUENCE;
    for (const struct kvb_node *child = list ? env->first : NULL; child != NULL; child = child->next) {
        const char *name = kvb_node_text(kvb_node_get(child, "key"));
        const struct kvb_node *value = kvb_node_get(child, "value");
        if (name != NULL && kvb_node_text(value) != NULL) {
            kvb_variable_set(manifest, &container->variables, name, value->text, kvb_node_offset(manifest, value),
                             true);
        }
    }
}

// The cards of one replica, and of the other nodes when it runs on several.
static void take_cards(struct kvb_manifest *manifest, const struct kvb_node *node, struct kvb_container *container)
{
    static const char *const keys[] = {"recipe_nvidia_gpu_count", "recipe_amd_gpu_count"};
    uint32_t nodes = 1;
    for (size_t i = 0; i < sizeof keys / sizeof keys[0]; i++) {
        const struct kvb_node *count = kvb_node_get(node, keys[i]);
        if (kvb_node_whole(count, &container->gpu_limit)) {
            container->gpu_limit_offset = kvb_source_offset(manifest, count->key_line, count->key_column);
        }
    }
    (void)kvb_node_whole(kvb_node_get(node, "multinode_num_nodes_to_use_from_shared_pool"), &nodes);
    bool several = nodes > 1 && nodes < 1024 && container->gpu_limit < 1024;
    container->worker_gpus = several ? (nodes - 1) * container->gpu_limit : 0;
    const struct kvb_node *slice = kvb_node_get(node, "mig_resource_request");
    container->slice = kvb_node_text(slice) != NULL ? slice : container->slice;
}

enum kvb_status kvb_read_oci_blueprint(struct kvb_manifest *manifest, const struct kvb_node *node,
                                       struct kvb_container *container)
{
    static const char *const parts[] = {"recipe_container_command", "recipe_container_command_args"};
    const struct kvb_node *image = kvb_node_get(node, "recipe_image_uri"),
                          *name = kvb_node_get(node, "deployment_name");
    container->kind = "oci-blueprint";
    container->name = kvb_node_text(name) != NULL ? name->text : container->name;
    container->image = image->text;
    container->image_offset = kvb_node_offset(manifest, image);
    container->words = (struct kvb_words){0};
    take_environment(manifest, kvb_node_get(node, "recipe_container_env"), container);
    take_cards(manifest, node, container);
    for (size_t i = 0; i < sizeof parts / sizeof parts[0]; i++) {
        kvb_words_from_node(manifest, kvb_node_get(node, parts[i]), KVB_DOLLAR_KUBERNETES, container->variables,
                            &container->words);
    }
    return kvb_container_emit(manifest, container);
}
