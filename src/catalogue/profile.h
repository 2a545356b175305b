// The head every profile shares, and the reader of GPU profiles.
#ifndef KVB_CATALOGUE_PROFILE_H
#define KVB_CATALOGUE_PROFILE_H

#include <kvbudget/input.h>

#include "text/field.h"
#include "text/tree.h"

#define KVB_PROFILE_MAX_BYTES ((size_t)4 << 20)

// Reads the tree and checks `kind` and `schema`. The caller frees the tree, also after a failure.
enum kvb_status kvb_profile_open(struct kvb_tree *tree, const char *file, const char *text, size_t length,
                                 enum kvb_profile_kind *kind, struct kvb_problems *problems) KVB_MUST_USE;

// As above, but only the kind wanted.
enum kvb_status kvb_profile_open_as(struct kvb_tree *tree, const char *file, const char *text, size_t length,
                                    enum kvb_profile_kind wanted, struct kvb_problems *problems) KVB_MUST_USE;

enum kvb_status kvb_gpu_read(const char *file, const char *text, size_t length, struct kvb_gpu *gpu,
                             struct kvb_problems *problems) KVB_MUST_USE;
// From a mapping inside another profile, without kind and schema.
enum kvb_status kvb_gpu_read_node(const struct kvb_tree *tree, const struct kvb_node *node, struct kvb_gpu *gpu,
                                  struct kvb_problems *problems) KVB_MUST_USE;

#endif
