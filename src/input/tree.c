// libyaml's events into nodes with places; everything a profile or config may not contain is refused here.
// A manifest may contain more: several documents, anchors, aliases, merge keys and tags.
#include "input/tree.h"

#include <stdio.h>
#include <string.h>

#include <yaml.h>

#include "base/arena.h"
#include "base/memory.h"
#include "base/text.h"
#include "input/tree_alias.h"
#include "input/tree_checks.h"

#define DEPTH_MAX 64
#define NODES_MAX UINT32_C(4000000)
#define SHOWN_LENGTH 60 // of a name found in the text

// A sequence or mapping still open.
struct frame {
    struct kvb_node *node;
    struct kvb_node *last;
    const char *key; // waiting for its value
    uint32_t key_line, key_column;
    const char *anchor;        // of the node, or NULL
    struct kvb_tree_size size; // aliases counted as written out
};

struct builder {
    yaml_parser_t parser;
    struct kvb_tree *tree;
    struct kvb_problems *problems;
    struct kvb_arena *arena;
    bool manifest;
    struct kvb_anchor *anchors; // of this document, newest first
    struct kvb_node *last_root;
    uint32_t nodes;
    uint32_t documents;
    struct kvb_tree_size expanded; // all that aliases stand for
    uint32_t depth;
    struct frame frames[DEPTH_MAX];
};

static struct kvb_place at(const struct builder *builder, yaml_mark_t mark)
{
    return (struct kvb_place){builder->tree->file, (uint32_t)mark.line + 1, (uint32_t)mark.column + 1};
}

static enum kvb_status refuse(struct builder *builder, yaml_mark_t mark, const char *what, const char *name)
{
    return kvb_problem_add(builder->problems, KVB_ERROR, KVB_NOT_ALLOWED, at(builder, mark), "%s%.*s%s", what,
                           SHOWN_LENGTH, name, *name ? "' is not allowed here; write the value out" : "");
}

static enum kvb_status no_memory(struct builder *builder)
{
    return kvb_problem_add(builder->problems, KVB_ERROR, KVB_NO_MEMORY, (struct kvb_place){.file = builder->tree->file},
                           "not enough memory to read it");
}

static void add_root(struct builder *builder, struct kvb_node *node)
{
    if (builder->last_root) {
        builder->last_root->next = node;
    } else {
        builder->tree->root = node;
    }
    builder->last_root = node;
}

// Hangs a node below the open sequence or mapping, or makes it a root.
static void attach(struct builder *builder, struct kvb_node *node)
{
    if (builder->depth == 0) {
        add_root(builder, node);
        return;
    }
    struct frame *parent = &builder->frames[builder->depth - 1];
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

static enum kvb_status new_node(struct builder *builder, enum kvb_node_kind kind, yaml_mark_t mark,
                                struct kvb_node **out)
{
    if (builder->nodes++ >= NODES_MAX) {
        return kvb_problem_add(builder->problems, KVB_ERROR, KVB_TOO_LARGE, at(builder, mark),
                               "more than %u values in one file", (unsigned)NODES_MAX);
    }
    struct kvb_node *node = kvb_arena_take(builder->arena, sizeof *node);
    if (!node) {
        return no_memory(builder);
    }
    node->kind = kind;
    node->line = (uint32_t)mark.line + 1;
    node->column = (uint32_t)mark.column + 1;
    *out = node;
    return KVB_OK;
}

// What a finished node adds to the one around it.
static void count_child(struct builder *builder, struct kvb_tree_size size)
{
    if (builder->depth > 0) {
        kvb_tree_size_add(&builder->frames[builder->depth - 1].size, size);
    }
}

static enum kvb_status name_anchor(struct builder *builder, const char *name, const struct kvb_node *node,
                                   struct kvb_tree_size size)
{
    if (name && !kvb_anchor_add(&builder->anchors, builder->arena, name, node, size)) {
        return no_memory(builder);
    }
    return KVB_OK;
}

static struct frame *open_mapping(struct builder *builder)
{
    struct frame *top = builder->depth > 0 ? &builder->frames[builder->depth - 1] : NULL;
    return top && top->node->kind == KVB_NODE_MAPPING ? top : NULL;
}

static enum kvb_status on_scalar(struct builder *builder, const yaml_event_t *event)
{
    const char *text = (const char *)event->data.scalar.value;
    size_t length = event->data.scalar.length;
    if (event->data.scalar.anchor && !builder->manifest) {
        return refuse(builder, event->start_mark, "the anchor '&", (const char *)event->data.scalar.anchor);
    }
    if (event->data.scalar.tag && !builder->manifest) {
        return refuse(builder, event->start_mark, "the tag '", (const char *)event->data.scalar.tag);
    }
    if (strlen(text) != length) {
        return refuse(builder, event->start_mark, "text with a NUL character in it is not allowed", "");
    }
    const char *copy = kvb_arena_copy(builder->arena, text, length);
    if (!copy) {
        return no_memory(builder);
    }
    struct frame *mapping = open_mapping(builder);
    if (mapping && !mapping->key) {
        mapping->key = copy;
        mapping->key_line = (uint32_t)event->start_mark.line + 1;
        mapping->key_column = (uint32_t)event->start_mark.column + 1;
        return KVB_OK;
    }
    struct kvb_node *node = NULL;
    enum kvb_status status = new_node(builder, KVB_NODE_SCALAR, event->start_mark, &node);
    if (status == KVB_OK) {
        node->text = copy;
        node->quoted = event->data.scalar.style != YAML_PLAIN_SCALAR_STYLE;
        node->block = event->data.scalar.style == YAML_LITERAL_SCALAR_STYLE ||
                      event->data.scalar.style == YAML_FOLDED_SCALAR_STYLE;
        attach(builder, node);
        count_child(builder, (struct kvb_tree_size){1, 1});
        status = name_anchor(builder, (const char *)event->data.scalar.anchor, node, (struct kvb_tree_size){1, 1});
    }
    return status;
}

static enum kvb_status open_node(struct builder *builder, enum kvb_node_kind kind, yaml_mark_t mark,
                                 const yaml_char_t *anchor, const yaml_char_t *tag)
{
    if (anchor && !builder->manifest) {
        return refuse(builder, mark, "the anchor '&", (const char *)anchor);
    }
    if (tag && !builder->manifest) {
        return refuse(builder, mark, "the tag '", (const char *)tag);
    }
    struct frame *mapping = open_mapping(builder);
    if (mapping && !mapping->key) {
        return refuse(builder, mark, "a list or mapping is not allowed as a key", "");
    }
    if (builder->depth >= DEPTH_MAX) {
        return refuse(builder, mark, "lists and mappings nested more than 64 deep are not allowed", "");
    }
    struct kvb_node *node = NULL;
    enum kvb_status status = new_node(builder, kind, mark, &node);
    if (status == KVB_OK) {
        attach(builder, node);
        builder->frames[builder->depth++] = (struct frame){.node = node, .size = {1, 1}};
        if (anchor) {
            const char *name = (const char *)anchor;
            const char *copy = kvb_arena_copy(builder->arena, name, strlen(name));
            builder->frames[builder->depth - 1].anchor = copy;
            status = copy ? KVB_OK : no_memory(builder);
        }
    }
    return status;
}

static enum kvb_status close_node(struct builder *builder)
{
    const struct frame frame = builder->frames[--builder->depth];
    enum kvb_status status = KVB_OK;
    if (frame.node->kind == KVB_NODE_MAPPING) {
        status = kvb_tree_check_duplicates(builder->tree, frame.node, builder->problems);
        if (builder->manifest && status == KVB_OK) {
            status = kvb_tree_merge(builder->tree, builder->arena, frame.node, builder->problems);
        }
    }
    count_child(builder, frame.size);
    enum kvb_status named = name_anchor(builder, frame.anchor, frame.node, frame.size);
    return status == KVB_OK ? named : status;
}

// An alias becomes a node of its own that shares the children of what it names.
static enum kvb_status on_alias(struct builder *builder, const yaml_event_t *event)
{
    const char *name = (const char *)event->data.alias.anchor;
    const struct kvb_anchor *anchor = kvb_anchor_find(builder->anchors, name);
    struct frame *mapping = open_mapping(builder);
    if (!builder->manifest) {
        return refuse(builder, event->start_mark, "the alias '*", name);
    }
    if (!anchor) {
        return kvb_problem_add(builder->problems, KVB_ERROR, KVB_UNKNOWN_NAME, at(builder, event->start_mark),
                               "the alias '*%.60s' names no anchor above it", name);
    }
    if (mapping && !mapping->key) {
        return refuse(builder, event->start_mark, "an alias is not allowed as a key", "");
    }
    if (builder->depth + anchor->size.height > DEPTH_MAX ||
        kvb_tree_size_add(&builder->expanded, anchor->size) > KVB_TREE_EXPANDED_MAX) {
        return kvb_problem_add(builder->problems, KVB_ERROR, KVB_TOO_LARGE, at(builder, event->start_mark),
                               "aliases stand for more than %u values here", (unsigned)KVB_TREE_EXPANDED_MAX);
    }
    struct kvb_node *node = kvb_arena_take(builder->arena, sizeof *node);
    if (!node) {
        return no_memory(builder);
    }
    *node = *anchor->node;
    node->next = NULL;
    node->key = NULL;
    attach(builder, node);
    count_child(builder, anchor->size);
    return KVB_OK;
}

static enum kvb_status on_document(struct builder *builder, const yaml_event_t *event)
{
    builder->anchors = NULL;
    if (builder->documents++ > 0 && !builder->manifest) {
        return refuse(builder, event->start_mark, "a second document ('---') is not allowed", "");
    }
    return KVB_OK;
}

static enum kvb_status on_event(struct builder *builder, const yaml_event_t *event)
{
    switch (event->type) {
    case YAML_DOCUMENT_START_EVENT:
        return on_document(builder, event);
    case YAML_ALIAS_EVENT:
        return on_alias(builder, event);
    case YAML_SCALAR_EVENT:
        return on_scalar(builder, event);
    case YAML_SEQUENCE_START_EVENT:
        return open_node(builder, KVB_NODE_SEQUENCE, event->start_mark, event->data.sequence_start.anchor,
                         event->data.sequence_start.tag);
    case YAML_MAPPING_START_EVENT:
        return open_node(builder, KVB_NODE_MAPPING, event->start_mark, event->data.mapping_start.anchor,
                         event->data.mapping_start.tag);
    case YAML_SEQUENCE_END_EVENT:
    case YAML_MAPPING_END_EVENT:
        return close_node(builder);
    default:
        return KVB_OK;
    }
}

static enum kvb_status syntax_error(struct builder *builder, const char *text, size_t length)
{
    const yaml_parser_t *parser = &builder->parser;
    const char *problem = parser->problem ? parser->problem : "unknown reason";
    struct kvb_place place = at(builder, parser->problem_mark);
    if (parser->error == YAML_MEMORY_ERROR) {
        return no_memory(builder);
    }
    if (parser->error == YAML_READER_ERROR) {
        place = kvb_tree_place_of_offset(builder->tree->file, text, length, parser->problem_offset);
    }
    if (strstr(problem, "Unicode character escape")) {
        return kvb_problem_add(builder->problems, KVB_ERROR, KVB_BAD_SYNTAX, place,
                               "a \\u escape of half a surrogate pair cannot be read; write the character itself");
    }
    const char *context = parser->context ? parser->context : "";
    return kvb_problem_add(builder->problems, KVB_ERROR, KVB_BAD_SYNTAX, place, "not valid YAML or JSON: %s%s%s",
                           problem, *context ? ", " : "", context);
}

static enum kvb_status run(struct builder *builder, const char *text, size_t length)
{
    enum kvb_status first = KVB_OK;
    for (bool ended = false; !ended;) {
        yaml_event_t event;
        if (!yaml_parser_parse(&builder->parser, &event)) {
            return syntax_error(builder, text, length);
        }
        enum kvb_status status = on_event(builder, &event);
        ended = event.type == YAML_STREAM_END_EVENT;
        yaml_event_delete(&event);
        first = first == KVB_OK ? status : first;
        if (status != KVB_OK && status != KVB_DUPLICATE_KEY) {
            return first;
        }
    }
    if (first == KVB_OK && !builder->tree->root) {
        return kvb_problem_add(builder->problems, KVB_ERROR, KVB_NOT_ALLOWED,
                               (struct kvb_place){.file = builder->tree->file}, "it is empty: expected a mapping");
    }
    return first;
}

static enum kvb_status build(struct kvb_tree *tree, const char *text, size_t length, bool manifest,
                             struct kvb_problems *problems)
{
    struct builder builder = {.tree = tree, .problems = problems, .arena = tree->arena, .manifest = manifest};
    if (!yaml_parser_initialize(&builder.parser)) {
        return no_memory(&builder);
    }
    yaml_parser_set_encoding(&builder.parser, YAML_UTF8_ENCODING);
    yaml_parser_set_input_string(&builder.parser, (const unsigned char *)text, length);
    enum kvb_status status = run(&builder, text, length);
    yaml_parser_delete(&builder.parser);
    return status;
}

static enum kvb_status read(struct kvb_tree *tree, const char *file, const char *text, size_t length, bool manifest,
                            struct kvb_problems *problems)
{
    static const char byte_order_mark[] = "\xEF\xBB\xBF";
    *tree = (struct kvb_tree){.file = file};
    if (length >= 3 && memcmp(text, byte_order_mark, 3) == 0) {
        text += 3;
        length -= 3;
    }
    enum kvb_status status = kvb_tree_check_bytes(file, text, length, problems);
    if (status != KVB_OK) {
        return status;
    }
    struct kvb_arena *arena = kvb_reallocate(NULL, sizeof *arena);
    if (!arena) {
        return kvb_problem_add(problems, KVB_ERROR, KVB_NO_MEMORY, (struct kvb_place){.file = file},
                               "not enough memory to read it");
    }
    kvb_arena_init(arena);
    tree->arena = arena;
    status = build(tree, text, length, manifest, problems);
    if (status != KVB_OK) {
        kvb_tree_free(tree);
    }
    return status;
}

enum kvb_status kvb_tree_read(struct kvb_tree *tree, const char *file, const char *text, size_t length,
                              struct kvb_problems *problems)
{
    return read(tree, file, text, length, false, problems);
}

enum kvb_status kvb_tree_read_manifest(struct kvb_tree *tree, const char *file, const char *text, size_t length,
                                       struct kvb_problems *problems)
{
    return read(tree, file, text, length, true, problems);
}

void kvb_tree_free(struct kvb_tree *tree)
{
    if (tree->arena) {
        kvb_arena_free(tree->arena);
        kvb_release(tree->arena);
    }
    *tree = (struct kvb_tree){.file = tree->file};
}

const struct kvb_node *kvb_node_get(const struct kvb_node *mapping, const char *key)
{
    if (!mapping || mapping->kind != KVB_NODE_MAPPING) {
        return NULL;
    }
    for (const struct kvb_node *child = mapping->first; child; child = child->next) {
        if (strcmp(child->key, key) == 0) {
            return child;
        }
    }
    return NULL;
}

bool kvb_node_is_null(const struct kvb_node *node)
{
    static const char *const words[] = {"", "~", "null", "Null", "NULL"};
    if (node->kind != KVB_NODE_SCALAR || node->quoted) {
        return false;
    }
    for (size_t i = 0; i < sizeof words / sizeof words[0]; i++) {
        if (strcmp(node->text, words[i]) == 0) {
            return true;
        }
    }
    return false;
}

struct kvb_place kvb_node_place(const struct kvb_tree *tree, const struct kvb_node *node)
{
    return (struct kvb_place){tree->file, node->line, node->column};
}
