// Clusters of Ray in a tree.
#ifndef KVB_MANIFEST_RAY_CLUSTER_H
#define KVB_MANIFEST_RAY_CLUSTER_H

#include "manifest/manifest_reader.h"

// Ray runs a job's entrypoint on the head of the cluster that the job describes: its container, or NULL.
const struct kvb_node *kvb_ray_head(const struct kvb_node *node);
// Adds the GPUs of a cluster's workers, which the server on its head reaches, too.
void kvb_ray_workers(struct kvb_manifest *manifest, const struct kvb_node *node, struct kvb_container *own);

#endif
