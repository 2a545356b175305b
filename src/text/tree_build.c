// Nodes hung where they belong, with caps; everything a profile or config may not contain is refused here.
#include "text/tree_build.h"

#include <string.h>

#include "base/memory.h"
#include "text/tree_checks.h"

#define NODES_MAX UINT32_C(4000000)
#define SHOWN_LENGTH 60 // of a name found in the text

static enum kvb_status refuse(struct kvb_tree_builder *builder, struct kvb_place place, const char *what,
                              const char *name)
{
    return kvb_problem_add(builder->problems, KVB_ERROR, KVB_NOT_ALLOWED, place, "%s%.*s%s", what, SHOWN_LENGTH, name,
                           *name ? "' is not allowed here; write the value out" : "");
}

enum kvb_status kvb_tree_no_memory(struct kvb_tree_builder *builder)
{
    kvb_memory_note_failure(); // libyaml has an allocator of its own
    return kvb_problem_add(builder->problems, KVB_ERROR, KVB_NO_MEMORY, (struct kvb_place){.file = builder->tree->file},
                           "not enough memory to read it");
}

static void add_root(struct kvb_tree_builder *builder, struct kvb_node *node)
{
    if (builder->last_root) {
        builder->last_root->next = node;
    } else {
        builder->tree->root = node;
    }
    builder->last_root = node;
}

// Hangs a node below the open sequence or mapping, or makes it a root.
static void attach(struct kvb_tree_builder *builder, struct kvb_node *node)
{
    if (builder->depth == 0) {
        add_root(builder, node);
        return;
    }
    struct kvb_tree_frame *parent = &builder->frames[builder->depth - 1];
    if (parent->node->kind == KVB_NODE_MAPPING) {
        node->key = parent->key;
        node->key_line = parent->key_line;
        node->key_column = parent->key_column;
        parent->key = NULL;
    }
    if (parent->last) {
        parent->last->next = node;
    } else {
        parent->node->first = node;
    }
    parent->last = node;
    parent->node->count++;
}

static enum kvb_status new_node(struct kvb_tree_builder *builder, enum kvb_node_kind kind, struct kvb_place place,
                                struct kvb_node **out)
{
    if (builder->nodes++ >= NODES_MAX) {
        return kvb_problem_add(builder->problems, KVB_ERROR, KVB_TOO_LARGE, place, "more than %u values in one file",
                               (unsigned)NODES_MAX);
    }
    struct kvb_node *node = kvb_arena_take(builder->arena, sizeof *node);
    if (!node) {
        return kvb_tree_no_memory(builder);
    }
    node->kind = kind;
    node->line = place.line;
    node->column = place.column;
    *out = node;
    return KVB_OK;
}

// What a finished node adds to the one around it.
static void count_child(struct kvb_tree_builder *builder, struct kvb_tree_size size)
{
    if (builder->depth > 0) {
        kvb_tree_size_add(&builder->frames[builder->depth - 1].size, size);
    }
}

static enum kvb_status name_anchor(struct kvb_tree_builder *builder, const char *name, const struct kvb_node *node,
                                   struct kvb_tree_size size)
{
    if (name && !kvb_anchor_add(&builder->anchors, builder->arena, name, node, size)) {
        return kvb_tree_no_memory(builder);
    }
    return KVB_OK;
}

static struct kvb_tree_frame *open_mapping(struct kvb_tree_builder *builder)
{
    struct kvb_tree_frame *top = builder->depth > 0 ? &builder->frames[builder->depth - 1] : NULL;
    return top && top->node->kind == KVB_NODE_MAPPING ? top : NULL;
}

// Only a manifest may name its values or say their types.
static enum kvb_status check_head(struct kvb_tree_builder *builder, const struct kvb_tree_head *head)
{
    if (head->anchor && !builder->manifest) {
        return refuse(builder, head->place, "the anchor '&", head->anchor);
    }
    if (head->tag && !builder->manifest) {
        return refuse(builder, head->place, "the tag '", head->tag);
    }
    return KVB_OK;
}

static enum kvb_status add_value(struct kvb_tree_builder *builder, const struct kvb_tree_head *head,
                                 const struct kvb_tree_scalar *scalar, const char *text)
{
    static const struct kvb_tree_size size = {1, 1};
    struct kvb_node *node = NULL;
    enum kvb_status status = new_node(builder, KVB_NODE_SCALAR, head->place, &node);
    if (status != KVB_OK) {
        return status;
    }
    node->text = text;
    node->quoted = scalar->quoted;
    node->block = scalar->block;
    attach(builder, node);
    count_child(builder, size);
    return name_anchor(builder, head->anchor, node, size);
}

enum kvb_status kvb_tree_add_scalar(struct kvb_tree_builder *builder, const struct kvb_tree_head *head,
                                    const struct kvb_tree_scalar *scalar)
{
    enum kvb_status status = check_head(builder, head);
    if (status != KVB_OK) {
        return status;
    }
    if (strlen(scalar->text) != scalar->length) {
        return refuse(builder, head->place, "text with a NUL character in it is not allowed", "");
    }
    const char *copy = kvb_arena_copy(builder->arena, scalar->text, scalar->length);
    if (!copy) {
        return kvb_tree_no_memory(builder);
    }
    struct kvb_tree_frame *mapping = open_mapping(builder);
    if (mapping && !mapping->key) {
        mapping->key = copy;
        mapping->key_line = head->place.line;
        mapping->key_column = head->place.column;
        mapping->merges = mapping->merges || (!scalar->quoted && strcmp(copy, "<<") == 0);
        return KVB_OK;
    }
    return add_value(builder, head, scalar, copy);
}

enum kvb_status kvb_tree_open(struct kvb_tree_builder *builder, const struct kvb_tree_head *head,
                              enum kvb_node_kind kind)
{
    enum kvb_status status = check_head(builder, head);
    if (status != KVB_OK) {
        return status;
    }
    struct kvb_tree_frame *mapping = open_mapping(builder);
    if (mapping && !mapping->key) {
        return refuse(builder, head->place, "a list or mapping is not allowed as a key", "");
    }
    if (builder->depth >= KVB_TREE_DEPTH_MAX) {
        return refuse(builder, head->place, "lists and mappings nested more than 64 deep are not allowed", "");
    }
    struct kvb_node *node = NULL;
    status = new_node(builder, kind, head->place, &node);
    if (status != KVB_OK) {
        return status;
    }
    attach(builder, node);
    struct kvb_tree_frame *frame = &builder->frames[builder->depth++];
    *frame = (struct kvb_tree_frame){.node = node, .size = {1, 1}};
    if (head->anchor) {
        frame->anchor = kvb_arena_copy(builder->arena, head->anchor, strlen(head->anchor));
        status = frame->anchor ? KVB_OK : kvb_tree_no_memory(builder);
    }
    return status;
}

enum kvb_status kvb_tree_close(struct kvb_tree_builder *builder)
{
    const struct kvb_tree_frame frame = builder->frames[--builder->depth];
    enum kvb_status status = KVB_OK;
    if (frame.node->kind == KVB_NODE_MAPPING) {
        if (builder->part.last_counts) {
            kvb_tree_keep_last(frame.node);
        }
        status = builder->part.repeated_keys ? KVB_OK
                                             : kvb_tree_check_duplicates(builder->tree, frame.node, builder->problems);
        if (builder->manifest && frame.merges && status == KVB_OK) {
            status = kvb_tree_merge(builder->tree, builder->arena, frame.node, builder->problems);
        }
    }
    count_child(builder, frame.size);
    enum kvb_status named = name_anchor(builder, frame.anchor, frame.node, frame.size);
    return status == KVB_OK ? named : status;
}

enum kvb_status kvb_tree_add_alias(struct kvb_tree_builder *builder, struct kvb_place place, const char *name)
{
    const struct kvb_anchor *anchor = kvb_anchor_find(builder->anchors, name);
    struct kvb_tree_frame *mapping = open_mapping(builder);
    if (!builder->manifest) {
        return refuse(builder, place, "the alias '*", name);
    }
    if (!anchor) {
        return kvb_problem_add(builder->problems, KVB_ERROR, KVB_UNKNOWN_NAME, place,
                               "the alias '*%.60s' names no anchor above it", name);
    }
    if (mapping && !mapping->key) {
        return refuse(builder, place, "an alias is not allowed as a key", "");
    }
    if (builder->depth + anchor->size.height > KVB_TREE_DEPTH_MAX ||
        kvb_tree_size_add(&builder->expanded, anchor->size) > KVB_TREE_EXPANDED_MAX) {
        return kvb_problem_add(builder->problems, KVB_ERROR, KVB_TOO_LARGE, place,
                               "aliases stand for more than %u values here", (unsigned)KVB_TREE_EXPANDED_MAX);
    }
    struct kvb_node *node = kvb_arena_take(builder->arena, sizeof *node);
    if (!node) {
        return kvb_tree_no_memory(builder);
    }
    *node = *anchor->node;
    node->next = NULL;
    node->key = NULL;
    attach(builder, node);
    count_child(builder, anchor->size);
    return KVB_OK;
}

enum kvb_status kvb_tree_begin_document(struct kvb_tree_builder *builder, struct kvb_place place)
{
    builder->anchors = NULL;
    if (builder->documents++ > 0 && !builder->manifest) {
        return refuse(builder, place, "a second document ('---') is not allowed", "");
    }
    return KVB_OK;
}
