// Clusters of Ray as KubeRay and its like describe them: a head that runs the server, and groups of workers.
#include "manifest/ray_cluster.h"

const struct kvb_node *kvb_ray_head(const struct kvb_node *node)
{
    static const char *const path[] = {"rayClusterSpec", "headGroupSpec", "template", "spec", "containers"};
    for (size_t i = 0; i < sizeof path / sizeof path[0]; i++) {
        node = kvb_node_get(node, path[i]);
    }
    return node != NULL ? node->first : NULL;
}

void kvb_ray_workers(struct kvb_manifest *manifest, const struct kvb_node *node, struct kvb_container *own)
{
    const struct kvb_node *groups = kvb_node_get(node, "workerGroupSpecs");
    bool is_list = groups != NULL && groups->kind == KVB_NODE_SEQUENCE;
    for (const struct kvb_node *group = is_list ? groups->first : NULL; group != NULL; group = group->next) {
        const struct kvb_node *list = kvb_node_path(group, "template.spec.containers");
        uint32_t replicas = 1;
        (void)kvb_node_whole(kvb_node_get(group, "replicas"), &replicas);
        for (const struct kvb_node *pod = list != NULL ? list->first : NULL; pod != NULL; pod = pod->next) {
            struct kvb_container worker = {0};
            kvb_limits_from_node(manifest, kvb_node_get(pod, "resources"), &worker);
            if (replicas < 1024 && worker.gpu_limit < 1024 && own->worker_gpus < 1024) {
                own->worker_gpus += replicas * worker.gpu_limit;
            }
        }
    }
}
