// The builder of a tree: values in the order of the text become nodes. It knows no parser.
// A manifest may contain more than other files: several documents, anchors, aliases, merge keys and tags.
#ifndef KVB_TEXT_TREE_BUILD_H
#define KVB_TEXT_TREE_BUILD_H

#include "base/arena.h"
#include "text/tree.h"
#include "text/tree_alias.h"

#define KVB_TREE_DEPTH_MAX 64

// A sequence or mapping still open.
struct kvb_tree_frame {
    struct kvb_node *node;
    struct kvb_node *last;
    const char *key; // waiting for its value
    uint32_t key_line, key_column;
    bool merges;               // a merge key stands in it, plain: "<<" in quotes is a key like any other
    const char *anchor;        // of the node, or NULL
    struct kvb_tree_size size; // aliases counted as written out
};

// The first five are given, the rest begins as zero.
struct kvb_tree_builder {
    struct kvb_tree *tree;
    struct kvb_problems *problems;
    struct kvb_arena *arena;
    bool manifest;
    struct kvb_tree_part part;
    struct kvb_anchor *anchors; // of this document, newest first
    struct kvb_node *last_root;
    uint32_t nodes;
    uint32_t documents;
    struct kvb_tree_size expanded; // all that aliases stand for
    uint32_t depth;
    struct kvb_tree_frame frames[KVB_TREE_DEPTH_MAX];
};

// What stands before a value.
struct kvb_tree_head {
    struct kvb_place place;
    const char *anchor, *tag; // NULL: none
};

struct kvb_tree_scalar {
    const char *text; // NUL added after the last byte
    size_t length;
    bool quoted, block;
};

enum kvb_status kvb_tree_begin_document(struct kvb_tree_builder *builder, struct kvb_place place) KVB_MUST_USE;
// The next key of a mapping, or a value.
enum kvb_status kvb_tree_add_scalar(struct kvb_tree_builder *builder, const struct kvb_tree_head *head,
                                    const struct kvb_tree_scalar *scalar) KVB_MUST_USE;
// An alias becomes a node of its own that shares the children of what it names.
enum kvb_status kvb_tree_add_alias(struct kvb_tree_builder *builder, struct kvb_place place,
                                   const char *name) KVB_MUST_USE;
// Opens a sequence or mapping, and closes the one opened last. KVB_DUPLICATE_KEY leaves the builder usable.
enum kvb_status kvb_tree_open(struct kvb_tree_builder *builder, const struct kvb_tree_head *head,
                              enum kvb_node_kind kind) KVB_MUST_USE;
enum kvb_status kvb_tree_close(struct kvb_tree_builder *builder) KVB_MUST_USE;

// Says that there was no memory.
enum kvb_status kvb_tree_no_memory(struct kvb_tree_builder *builder);

#endif
