// A mapping that a serving stack turns into a serve command: one row per stack.
#ifndef KVB_MANIFEST_STACKS_H
#define KVB_MANIFEST_STACKS_H

#include "manifest/manifest_reader.h"

struct kvb_stack_row {
    bool (*fits)(const struct kvb_node *node);
    enum kvb_status (*read)(struct kvb_manifest *manifest, const struct kvb_node *node,
                            struct kvb_container *container);
};
const struct kvb_stack_row *kvb_stack_more(size_t *count); // stacks_more.c
// spark_recipe.c
bool kvb_is_spark_recipe(const struct kvb_node *node);
enum kvb_status kvb_read_spark_recipe(struct kvb_manifest *manifest, const struct kvb_node *node,
                                      struct kvb_container *container);

// oci_blueprint.c
bool kvb_is_oci_blueprint(const struct kvb_node *node);
enum kvb_status kvb_read_oci_blueprint(struct kvb_manifest *manifest, const struct kvb_node *node,
                                       struct kvb_container *container);

// "vllm serve MODEL", where `model` is a text.
void kvb_stack_begin(struct kvb_manifest *manifest, struct kvb_container *container, const struct kvb_node *model);
// A key's text as the value of a flag.
void kvb_stack_flag(struct kvb_manifest *manifest, struct kvb_words *words, const struct kvb_node *node,
                    const char *flag);

#endif
