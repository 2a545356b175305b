// GPUs by the words of clouds, schedulers and launchers.
#ifndef KVB_MANIFEST_GPU_HINTS_H
#define KVB_MANIFEST_GPU_HINTS_H

#include "manifest/manifest_reader.h"

// "A100:80GB:2" taken apart.
struct kvb_gpu_spec {
    char name[KVB_NAME_CAPACITY]; // "" = none
    char memory[16];              // as written
    uint64_t memory_bytes;        // 0 = not said
    uint32_t count;               // 0 = not said
};
void kvb_gpu_spec_read(const char *text, struct kvb_gpu_spec *spec);

// The profile that a short name means where accelerators are asked for; NULL: look the name up.
const char *kvb_gpu_meant(const char *name);

// A key such as "accelerators" or "instance_type".
bool kvb_gpu_is_hint(const char *key);
void kvb_gpu_hint(struct kvb_manifest *manifest, const char *key, const char *text, size_t offset,
                  struct kvb_container *container);
void kvb_gpu_hint_from_node(struct kvb_manifest *manifest, const struct kvb_node *node, const char *key,
                            struct kvb_container *container);

// What the directives on top of a script ask a scheduler for: #SBATCH, #PBS, #BSUB, #FLUX (scheduler.c).
void kvb_scheduler_read(struct kvb_manifest *manifest, struct kvb_container *container);

#endif
