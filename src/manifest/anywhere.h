// Deployments wherever a tree keeps them, whatever it is the tree of.
#ifndef KVB_MANIFEST_ANYWHERE_H
#define KVB_MANIFEST_ANYWHERE_H

#include "manifest/manifest_reader.h"

// Containers with a serve command, command lines in text, and mappings that a serving stack turns into one.
enum kvb_status kvb_read_anywhere(struct kvb_manifest *manifest, const struct kvb_node *root);
// As above, below what is known already.
enum kvb_status kvb_read_anywhere_in(struct kvb_manifest *manifest, const struct kvb_node *root,
                                     const struct kvb_container *around);

// A mapping of a serving stack; `taken` says whether it was one (manifest/stacks.c).
enum kvb_status kvb_read_stack(struct kvb_manifest *manifest, const struct kvb_node *node,
                               const struct kvb_container *around, bool *taken);

// Text that holds a document of its own: a config map, a Ray Serve configuration (manifest/documents.c).
enum kvb_status kvb_read_nested(struct kvb_manifest *manifest, const struct kvb_node *node,
                                const struct kvb_container *around, bool *taken);

// A YAML document that a script hands on, at `offset` of the file.
enum kvb_status kvb_read_document_text(struct kvb_manifest *manifest, const char *text, size_t offset,
                                       const struct kvb_container *around);

#endif
