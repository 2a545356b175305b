// YAML and JSON text as a tree of nodes with places: libyaml's events, one document, depth at most 64,
// no aliases, no embedded NUL, one arena. JSON is read as the YAML it is.
#ifndef KVB_TEXT_TREE_H
#define KVB_TEXT_TREE_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include <kvbudget/problem.h>

enum kvb_node_kind { KVB_NODE_SCALAR, KVB_NODE_SEQUENCE, KVB_NODE_MAPPING };

struct kvb_node {
    enum kvb_node_kind kind;
    bool quoted;           // scalar in quotes: text, never a number, null or switch
    bool block;            // scalar written with | or >: its text begins on the line below
    uint32_t line, column; // of the value, 1-based
    const char *key;       // in a mapping; NULL otherwise
    uint32_t key_line, key_column;
    const char *text;       // scalar
    uint32_t count;         // children of a sequence or mapping
    struct kvb_node *first; // children in file order
    struct kvb_node *next;
};

struct kvb_tree {
    const char *file; // borrowed, for places
    struct kvb_node *root;
    void *arena; // private
};

// Reads text of `length` bytes. On failure the tree is empty and problems say why, with place.
enum kvb_status kvb_tree_read(struct kvb_tree *tree, const char *file, const char *text, size_t length,
                              struct kvb_problems *problems) KVB_MUST_USE;
// As above for text that is not ours: further documents follow the root as its `next`, aliases are
// shared nodes (the values they stand for are counted and limited), merge keys are merged, tags ignored.
enum kvb_status kvb_tree_read_manifest(struct kvb_tree *tree, const char *file, const char *text, size_t length,
                                       struct kvb_problems *problems) KVB_MUST_USE;
// A part of a file: lines and columns that stand in front of it, and whether a key may be repeated, as the branches
// of a template do (the first one counts) or as most readers of YAML and JSON let it be (the last one does).
struct kvb_tree_part {
    uint32_t lines, columns;
    bool repeated_keys, last_counts;
};
enum kvb_status kvb_tree_read_part(struct kvb_tree *tree, const char *file, const char *text, size_t length,
                                   struct kvb_tree_part part, struct kvb_problems *problems) KVB_MUST_USE;
void kvb_tree_free(struct kvb_tree *tree);

// The value under a key of a mapping, or NULL. Keys are unique (the reader refuses duplicates).
const struct kvb_node *kvb_node_get(const struct kvb_node *mapping, const char *key);
// "spec.template.spec": the node behind these keys, or NULL.
const struct kvb_node *kvb_node_path(const struct kvb_node *node, const char *path);
bool kvb_node_is_null(const struct kvb_node *node); // plain null, ~, Null, NULL or empty
struct kvb_place kvb_node_place(const struct kvb_tree *tree, const struct kvb_node *node);

#endif
