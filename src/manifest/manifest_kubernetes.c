// Kubernetes: pods wherever a kind keeps them, and the GPU products their node selectors name.
#include <string.h>

#include "manifest/manifest_kubernetes.h"

// Where a kind keeps pod specs; keys parted by dots.
struct kind_row {
    const char *kind;
    const char *path;
};

static const struct kind_row kind_rows[] = {
    {"Pod", "spec"},
    {"Deployment", "spec.template.spec"},
    {"StatefulSet", "spec.template.spec"},
    {"DaemonSet", "spec.template.spec"},
    {"ReplicaSet", "spec.template.spec"},
    {"ReplicationController", "spec.template.spec"},
    {"Job", "spec.template.spec"},
    {"CronJob", "spec.jobTemplate.spec.template.spec"},
    {"LeaderWorkerSet", "spec.leaderWorkerTemplate.leaderTemplate.spec"},
    {"LeaderWorkerSet", "spec.leaderWorkerTemplate.workerTemplate.spec"},
    {"Rollout", "spec.template.spec"},
};

// ---- which GPU

static bool take_label(struct kvb_manifest *manifest, const char *key, const struct kvb_node *value,
                       struct kvb_container *container)
{
    char gpu[KVB_NAME_CAPACITY];
    const char *text = kvb_node_text(value);
    if (key == NULL || text == NULL || !kvb_gpu_label(key, text, gpu, sizeof gpu)) {
        return false;
    }
    container->gpu_key = key;
    container->gpu_value = text;
    container->gpu_offset = kvb_node_offset(manifest, value);
    return true;
}

// A label nobody here knows may be in a policy's mapping.
static void remember_label(struct kvb_manifest *manifest, const struct kvb_node *selector,
                           struct kvb_container *container)
{
    for (const struct kvb_node *child = selector->first; child != NULL; child = child->next) {
        bool system = strstr(child->key, "kubernetes.io/") != NULL;
        if (container->gpu_key == NULL && kvb_node_text(child) != NULL && !system) {
            container->gpu_key = child->key;
            container->gpu_value = child->text;
            container->gpu_offset = kvb_node_offset(manifest, child);
        }
    }
}

bool kvb_gpu_from_terms(struct kvb_manifest *manifest, const struct kvb_node *terms, struct kvb_container *container)
{
    bool is_list = terms != NULL && terms->kind == KVB_NODE_SEQUENCE;
    for (const struct kvb_node *term = is_list ? terms->first : NULL; term != NULL; term = term->next) {
        const struct kvb_node *matches = kvb_node_get(term, "matchExpressions");
        for (const struct kvb_node *match = matches != NULL ? matches->first : NULL; match; match = match->next) {
            const char *operation = kvb_node_text(kvb_node_get(match, "operator"));
            const struct kvb_node *values = kvb_node_get(match, "values");
            bool in = operation == NULL || strcmp(operation, "In") == 0;
            if (in && values != NULL &&
                take_label(manifest, kvb_node_text(kvb_node_get(match, "key")), values->first, container)) {
                return true;
            }
        }
    }
    return false;
}

void kvb_gpu_from_pod(struct kvb_manifest *manifest, const struct kvb_node *pod, struct kvb_container *container)
{
    const struct kvb_node *selector = kvb_node_get(pod, "nodeSelector");
    bool is_mapping = selector != NULL && selector->kind == KVB_NODE_MAPPING;
    for (const struct kvb_node *child = is_mapping ? selector->first : NULL; child != NULL; child = child->next) {
        if (take_label(manifest, child->key, child, container)) {
            return;
        }
    }
    const struct kvb_node *terms =
        kvb_node_path(pod, "affinity.nodeAffinity.requiredDuringSchedulingIgnoredDuringExecution.nodeSelectorTerms");
    if (!kvb_gpu_from_terms(manifest, terms, container) && is_mapping) {
        remember_label(manifest, selector, container);
    }
}

// ---- pods

const char *kvb_object_name(struct kvb_manifest *manifest, const struct kvb_node *root)
{
    const char *kind = kvb_node_text(kvb_node_get(root, "kind"));
    const char *name = kvb_node_text(kvb_node_path(root, "metadata.name"));
    if (name == NULL) {
        name = kvb_node_text(kvb_node_path(root, "metadata.generateName"));
    }
    return kvb_manifest_join(manifest, kind != NULL ? kind : "object", "/", name != NULL ? name : "unnamed");
}

// Containers of one pod that ask for no card of their own see the same ones; a claim by name is one card for all that
// name it.
static void take_share(struct kvb_manifest *manifest, const struct kvb_node *node, const struct kvb_node *root,
                       struct kvb_container *container)
{
    const struct kvb_node *claims = kvb_node_path(node, "resources.claims");
    const char *claim =
        claims != NULL && claims->first != NULL ? kvb_node_text(kvb_node_get(claims->first, "name")) : NULL;
    bool own = container->gpu_limit > 0 && claim == NULL;
    container->together = !own;
    container->group = root->line;
    if (claim != NULL) {
        container->devices = kvb_manifest_join(manifest, "claim ", claim, "");
    }
}

enum kvb_status kvb_read_pod(struct kvb_manifest *manifest, const struct kvb_node *root, const struct kvb_node *pod,
                             uint32_t nodes)
{
    const struct kvb_node *list = kvb_node_get(pod, "containers");
    enum kvb_status status = KVB_OK;
    bool is_list = list != NULL && list->kind == KVB_NODE_SEQUENCE;
    for (const struct kvb_node *node = is_list ? list->first : NULL; node != NULL && status == KVB_OK;
         node = node->next) {
        struct kvb_container container = {
            .kind = "kubernetes",
            .name = kvb_object_name(manifest, root),
            .offset = kvb_node_offset(manifest, node),
            .scope_line = root->line,
            .image_offset = KVB_NOWHERE,
        };
        kvb_container_from_pod(manifest, node, &container);
        take_share(manifest, node, root, &container);
        container.gpu_limit =
            nodes > 1 && container.gpu_limit < 1024 ? container.gpu_limit * nodes : container.gpu_limit;
        kvb_gpu_from_pod(manifest, pod, &container);
        status = kvb_container_emit(manifest, &container);
    }
    return status;
}

static enum kvb_status read_list(struct kvb_manifest *manifest, const struct kvb_node *root)
{
    const struct kvb_node *items = kvb_node_get(root, "items");
    enum kvb_status status = KVB_OK;
    bool is_list = items != NULL && items->kind == KVB_NODE_SEQUENCE;
    for (const struct kvb_node *item = is_list ? items->first : NULL; item != NULL && status == KVB_OK;
         item = item->next) {
        const char *kind = kvb_node_text(kvb_node_get(item, "kind"));
        if (kind != NULL && strcmp(kind, "List") != 0) {
            status = kvb_read_kubernetes(manifest, item);
        }
    }
    return status;
}

enum kvb_status kvb_read_kubernetes(struct kvb_manifest *manifest, const struct kvb_node *root)
{
    const char *kind = kvb_node_text(kvb_node_get(root, "kind"));
    enum kvb_status status = KVB_OK;
    uint32_t nodes = 1;
    if (kind == NULL) {
        return KVB_OK;
    }
    if (strcmp(kind, "List") == 0) {
        return read_list(manifest, root);
    }
    if (strcmp(kind, "InferenceService") == 0) {
        return kvb_read_inference_service(manifest, root);
    }
    if (strcmp(kind, "LLMInferenceService") == 0) {
        return kvb_read_llm_inference_service(manifest, root);
    }
    (void)kvb_node_whole(kvb_node_path(root, "spec.leaderWorkerTemplate.size"), &nodes);
    for (size_t i = 0; i < sizeof kind_rows / sizeof kind_rows[0] && status == KVB_OK; i++) {
        if (strcmp(kind, kind_rows[i].kind) == 0) {
            status = kvb_read_pod(manifest, root, kvb_node_path(root, kind_rows[i].path), nodes < 1024 ? nodes : 1);
        }
    }
    return status;
}
