// What Kubernetes objects and those built on them share.
#ifndef KVB_MANIFEST_MANIFEST_KUBERNETES_H
#define KVB_MANIFEST_MANIFEST_KUBERNETES_H

#include "manifest/manifest_reader.h"

const char *kvb_object_name(struct kvb_manifest *manifest, const struct kvb_node *root); // "Deployment/qwen"

// Each container of a pod that starts vLLM. `nodes`: pods that serve one model together.
enum kvb_status kvb_read_pod(struct kvb_manifest *manifest, const struct kvb_node *root, const struct kvb_node *pod,
                             uint32_t nodes);
// From the pod's node selector or affinity.
void kvb_gpu_from_pod(struct kvb_manifest *manifest, const struct kvb_node *pod, struct kvb_container *container);
bool kvb_gpu_from_terms(struct kvb_manifest *manifest, const struct kvb_node *terms, struct kvb_container *container);

// The keys of vllmConfig in the production stack as flags.
void kvb_words_from_stack_config(struct kvb_manifest *manifest, const struct kvb_node *config, struct kvb_words *words);

// One entry of the production stack's modelSpec.
enum kvb_status kvb_read_model_spec(struct kvb_manifest *manifest, const struct kvb_node *model);

enum kvb_status kvb_read_inference_service(struct kvb_manifest *manifest, const struct kvb_node *root);
enum kvb_status kvb_read_llm_inference_service(struct kvb_manifest *manifest, const struct kvb_node *root);

#endif
