// The mappings with free keys inside engine and deployment profiles.
#ifndef KVB_DEPLOYMENT_PROFILE_MAPS_H
#define KVB_DEPLOYMENT_PROFILE_MAPS_H

#include <kvbudget/input.h>

#include "engines/table.h"
#include "text/tree.h"

// Each takes the node under its key (NULL or no mapping: nothing to do), says all problems and writes what is right.
// `settings:` spelt as the engine's flags with underscores or as in answers; flags that take JSON may be mappings or
// text.
enum kvb_status kvb_read_settings_map(const struct kvb_tree *tree, const struct kvb_node *node,
                                      const struct kvb_engine_rows *engine, struct kvb_deployment *deployment,
                                      struct kvb_problems *problems) KVB_MUST_USE;
enum kvb_status kvb_read_environment_map(const struct kvb_tree *tree, const struct kvb_node *node,
                                         struct kvb_environment *environment,
                                         struct kvb_problems *problems) KVB_MUST_USE;
enum kvb_status kvb_read_reserve_map(const struct kvb_tree *tree, const struct kvb_node *node,
                                     struct kvb_deployment *deployment, struct kvb_problems *problems) KVB_MUST_USE;
// `terms:` weights, activation, non_torch, cuda_graph, kv_cache_need.
enum kvb_status kvb_read_terms_map(const struct kvb_tree *tree, const struct kvb_node *node,
                                   struct kvb_stated_term stated[KVB_STATED_COUNT],
                                   struct kvb_problems *problems) KVB_MUST_USE;

#endif
