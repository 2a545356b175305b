// libyaml's events handed to the builder of a tree, and what libyaml itself refuses.
#include "text/tree.h"

#include <string.h>

#include <yaml.h>

#include "base/arena.h"
#include "base/memory.h"
#include "text/tree_build.h"
#include "text/tree_checks.h"

static struct kvb_place at(const struct kvb_tree_builder *builder, yaml_mark_t mark)
{
    return (struct kvb_place){builder->tree->file, (uint32_t)mark.line + 1 + builder->part.lines,
                              (uint32_t)mark.column + 1 + builder->part.columns};
}

static enum kvb_status on_scalar(struct kvb_tree_builder *builder, const yaml_event_t *event)
{
    yaml_scalar_style_t style = event->data.scalar.style;
    struct kvb_tree_head head = {at(builder, event->start_mark), (const char *)event->data.scalar.anchor,
                                 (const char *)event->data.scalar.tag};
    struct kvb_tree_scalar scalar = {
        .text = (const char *)event->data.scalar.value,
        .length = event->data.scalar.length,
        .quoted = style != YAML_PLAIN_SCALAR_STYLE,
        .block = style == YAML_LITERAL_SCALAR_STYLE || style == YAML_FOLDED_SCALAR_STYLE,
    };
    return kvb_tree_add_scalar(builder, &head, &scalar);
}

static enum kvb_status on_start(struct kvb_tree_builder *builder, enum kvb_node_kind kind, const yaml_event_t *event,
                                const yaml_char_t *anchor, const yaml_char_t *tag)
{
    struct kvb_tree_head head = {at(builder, event->start_mark), (const char *)anchor, (const char *)tag};
    return kvb_tree_open(builder, &head, kind);
}

static enum kvb_status on_event(struct kvb_tree_builder *builder, const yaml_event_t *event)
{
    switch (event->type) {
    case YAML_DOCUMENT_START_EVENT:
        return kvb_tree_begin_document(builder, at(builder, event->start_mark));
    case YAML_ALIAS_EVENT:
        return kvb_tree_add_alias(builder, at(builder, event->start_mark), (const char *)event->data.alias.anchor);
    case YAML_SCALAR_EVENT:
        return on_scalar(builder, event);
    case YAML_SEQUENCE_START_EVENT:
        return on_start(builder, KVB_NODE_SEQUENCE, event, event->data.sequence_start.anchor,
                        event->data.sequence_start.tag);
    case YAML_MAPPING_START_EVENT:
        return on_start(builder, KVB_NODE_MAPPING, event, event->data.mapping_start.anchor,
                        event->data.mapping_start.tag);
    case YAML_SEQUENCE_END_EVENT:
    case YAML_MAPPING_END_EVENT:
        return kvb_tree_close(builder);
    default:
        return KVB_OK;
    }
}

// The last place of the text where libyaml means the line behind it.
static struct kvb_place within(const struct kvb_tree_builder *builder, struct kvb_place place, const char *text,
                               size_t length)
{
    struct kvb_place last = kvb_tree_place_of_offset(builder->tree->file, text, length, length);
    last.line += builder->part.lines;
    return place.line > last.line ? last : place;
}

static enum kvb_status syntax_error(struct kvb_tree_builder *builder, const yaml_parser_t *parser, const char *text,
                                    size_t length)
{
    const char *problem = parser->problem ? parser->problem : "unknown reason";
    struct kvb_place place = within(builder, at(builder, parser->problem_mark), text, length);
    if (parser->error == YAML_MEMORY_ERROR) {
        return kvb_tree_no_memory(builder);
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

static enum kvb_status run(struct kvb_tree_builder *builder, yaml_parser_t *parser, const char *text, size_t length)
{
    enum kvb_status first = KVB_OK;
    for (bool ended = false; !ended;) {
        yaml_event_t event;
        if (!yaml_parser_parse(parser, &event)) {
            return syntax_error(builder, parser, text, length);
        }
        enum kvb_status status = on_event(builder, &event);
        ended = event.type == YAML_STREAM_END_EVENT;
        yaml_event_delete(&event);
        first = first == KVB_OK ? status : first;
        if (status != KVB_OK && status != KVB_DUPLICATE_KEY) {
            return status == KVB_NO_MEMORY ? status : first;
        }
    }
    if (first == KVB_OK && !builder->tree->root) {
        return kvb_problem_add(builder->problems, KVB_ERROR, KVB_NOT_ALLOWED,
                               (struct kvb_place){.file = builder->tree->file}, "it is empty: expected a mapping");
    }
    return first;
}

static enum kvb_status build(struct kvb_tree *tree, const char *text, size_t length, bool manifest,
                             struct kvb_tree_part part, struct kvb_problems *problems)
{
    yaml_parser_t parser;
    struct kvb_tree_builder builder = {
        .tree = tree, .problems = problems, .arena = tree->arena, .manifest = manifest, .part = part};
    if (!yaml_parser_initialize(&parser)) {
        return kvb_tree_no_memory(&builder);
    }
    yaml_parser_set_encoding(&parser, YAML_UTF8_ENCODING);
    yaml_parser_set_input_string(&parser, (const unsigned char *)text, length);
    enum kvb_status status = run(&builder, &parser, text, length);
    yaml_parser_delete(&parser);
    return status;
}

static enum kvb_status read(struct kvb_tree *tree, const char *file, const char *text, size_t length, bool manifest,
                            struct kvb_tree_part part, struct kvb_problems *problems)
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
    status = build(tree, text, length, manifest, part, problems);
    if (status != KVB_OK) {
        kvb_tree_free(tree);
    }
    return status;
}

static const struct kvb_tree_part whole;

enum kvb_status kvb_tree_read(struct kvb_tree *tree, const char *file, const char *text, size_t length,
                              struct kvb_problems *problems)
{
    return read(tree, file, text, length, false, whole, problems);
}

enum kvb_status kvb_tree_read_manifest(struct kvb_tree *tree, const char *file, const char *text, size_t length,
                                       struct kvb_problems *problems)
{
    return read(tree, file, text, length, true, whole, problems);
}

enum kvb_status kvb_tree_read_part(struct kvb_tree *tree, const char *file, const char *text, size_t length,
                                   struct kvb_tree_part part, struct kvb_problems *problems)
{
    return read(tree, file, text, length, true, part, problems);
}

void kvb_tree_free(struct kvb_tree *tree)
{
    if (tree->arena) {
        kvb_arena_free(tree->arena);
        kvb_free(tree->arena);
    }
    *tree = (struct kvb_tree){.file = tree->file};
}
