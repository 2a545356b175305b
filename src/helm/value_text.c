// Values as text: as a template prints them, as YAML and as JSON.
#include <stdio.h>
#include <string.h>

#include "base/text.h"
#include "helm/value.h"

#define DEPTH_MAX 64
#define HOLE_NAME_MAX 96U // of an expression's characters in the name of what stands for it
#define HOLES_MAX 512U    // that are told by their expressions
#define TEXT_BYTES ((size_t)8 << 20)

static bool is_name(char c)
{
    return (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') || kvb_is_digit(c);
}

static void remember(struct kvb_helm_room *room, const char *expression)
{
    for (const struct kvb_helm_hole *hole = room->holes; hole != NULL; hole = hole->older) {
        if (strcmp(hole->expression, expression) == 0) {
            return;
        }
    }
    struct kvb_helm_hole *added = room->hole_count < HOLES_MAX ? kvb_helm_take(room, sizeof *added) : NULL;
    if (added != NULL) {
        *added = (struct kvb_helm_hole){kvb_helm_copy(room, expression, strlen(expression)), room->holes};
        room->holes = added;
        room->hole_count++;
    }
}

void kvb_helm_write_hole(struct kvb_helm_room *room, const char *expression, struct kvb_buffer *out)
{
    remember(room, expression);
    kvb_helm_name_hole(expression, out);
}

void kvb_helm_name_hole(const char *expression, struct kvb_buffer *out)
{
    kvb_buffer_add(out, "$_");
    for (size_t i = 0; expression[i] != '\0' && i < HOLE_NAME_MAX; i++) {
        char c = is_name(expression[i]) ? expression[i] : '_';
        kvb_buffer_add_n(out, &c, 1);
    }
    kvb_buffer_add(out, "__");
}

void kvb_helm_write_quoted(const char *text, struct kvb_buffer *out)
{
    kvb_buffer_add(out, "\"");
    for (; *text != '\0'; text++) {
        unsigned char c = (unsigned char)*text;
        if (c == '"' || c == '\\') {
            kvb_buffer_printf(out, "\\%c", c);
        } else if (c == '\n') {
            kvb_buffer_add(out, "\\n");
        } else if (c == '\t') {
            kvb_buffer_add(out, "\\t");
        } else if (c < 0x20) {
            kvb_buffer_printf(out, "\\u%04x", c);
        } else {
            kvb_buffer_add_n(out, text, 1);
        }
    }
    kvb_buffer_add(out, "\"");
}

// Nothing that YAML could take for something else than this text.
static bool is_plain(const char *text)
{
    size_t length = strlen(text);
    bool begins = is_name(text[0]) || text[0] == '/' || text[0] == '_' || text[0] == '$';
    bool number = strspn(text, "0123456789.eExXoO_+-") == length;
    struct kvb_node node = {.kind = KVB_NODE_SCALAR, .text = text};
    static const char *const words[] = {"true", "false", "yes", "no", "on", "off", "y", "n"};
    bool word = kvb_node_is_null(&node);
    for (size_t i = 0; i < sizeof words / sizeof words[0]; i++) {
        word = word || kvb_equal_ignoring_case(words[i], text);
    }
    return begins && !number && !word && strpbrk(text, ":#{}[],&*!|>'\"%@`\\\n\t\r ") == NULL;
}

static void write_block(const char *text, unsigned indent, struct kvb_buffer *out)
{
    size_t length = strlen(text);
    bool ended = length > 0 && text[length - 1] == '\n';
    bool more = ended && length > 1 && text[length - 2] == '\n';
    kvb_buffer_add(out, more ? "|+" : ended ? "|" : "|-");
    while (*text != '\0') {
        size_t line = strcspn(text, "\n");
        kvb_buffer_add(out, "\n");
        if (line > 0) {
            kvb_buffer_fill(out, ' ', indent);
            kvb_buffer_add_n(out, text, line);
        }
        text += line + (text[line] == '\n');
    }
}

static void write_yaml_text(const char *text, unsigned indent, struct kvb_buffer *out)
{
    bool control = false;
    for (const char *at = text; *at != '\0'; at++) {
        control = control || ((unsigned char)*at < 0x20 && *at != '\n');
    }
    if (is_plain(text)) {
        kvb_buffer_add(out, text);
    } else if (control || (strchr(text, '\n') != NULL && strchr(" \n", text[0]) != NULL)) {
        kvb_helm_write_quoted(text, out);
    } else if (strchr(text, '\n') != NULL) {
        write_block(text, indent, out);
    } else {
        kvb_buffer_add(out, "'");
        for (; *text != '\0'; text++) {
            kvb_buffer_add_n(out, text, 1);
            if (*text == '\'') {
                kvb_buffer_add(out, "'");
            }
        }
        kvb_buffer_add(out, "'");
    }
}

struct writing {
    struct kvb_helm_room *room;
    struct kvb_buffer *out;
};

static bool goes_on(const struct writing *writing, unsigned depth)
{
    writing->room->spent = writing->room->spent || depth > DEPTH_MAX || writing->out->length > TEXT_BYTES;
    return kvb_helm_step(writing->room, 1);
}

static void write_scalar(const struct writing *writing, const struct kvb_helm_value *value)
{
    struct kvb_buffer *out = writing->out;
    switch (value->kind) {
    case KVB_HELM_BOOL:
        kvb_buffer_add(out, value->truth ? "true" : "false");
        break;
    case KVB_HELM_NUMBER:
    case KVB_HELM_TEXT:
        kvb_buffer_add(out, value->text);
        break;
    case KVB_HELM_UNKNOWN:
        kvb_helm_write_hole(writing->room, value->text, out);
        break;
    default:
        kvb_buffer_add(out, "null");
    }
}

// At the beginning of a line where it holds others, behind its key or dash where it does not.
static void yaml_below(const struct writing *writing, const struct kvb_helm_value *value, unsigned indent,
                       unsigned depth)
{
    struct kvb_buffer *out = writing->out;
    uint32_t count = kvb_helm_count(value);
    bool map = value->kind == KVB_HELM_MAP;
    if (count == 0 || !goes_on(writing, depth)) {
        if (value->kind == KVB_HELM_TEXT) {
            write_yaml_text(value->text, indent, out);
        } else if (map || value->kind == KVB_HELM_LIST) {
            kvb_buffer_add(out, map ? "{}" : "[]");
        } else {
            write_scalar(writing, value);
        }
        return;
    }
    for (uint32_t i = 0; i < count && goes_on(writing, depth); i++) {
        const struct kvb_helm_entry *entry = &value->items->entries[i];
        bool below = kvb_helm_count(&entry->value) > 0, list = entry->value.kind == KVB_HELM_LIST;
        if (i > 0) {
            kvb_buffer_add(out, "\n");
            kvb_buffer_fill(out, ' ', indent);
        }
        if (map) {
            write_yaml_text(entry->key, indent, out);
            kvb_buffer_add(out, below ? ":\n" : ": ");
        } else {
            kvb_buffer_add(out, "- ");
        }
        unsigned inside = map && list ? indent : indent + 2;
        if (below && map) {
            kvb_buffer_fill(out, ' ', inside);
        }
        yaml_below(writing, &entry->value, inside, depth + 1);
    }
}

void kvb_helm_write_yaml(struct kvb_helm_room *room, const struct kvb_helm_value *value, struct kvb_buffer *out)
{
    const struct writing writing = {room, out};
    yaml_below(&writing, value, 0, 0);
}

static void json_below(const struct writing *writing, const struct kvb_helm_value *value, unsigned depth)
{
    struct kvb_buffer *out = writing->out;
    bool map = value->kind == KVB_HELM_MAP;
    if (!map && value->kind != KVB_HELM_LIST) {
        if (value->kind == KVB_HELM_TEXT) {
            kvb_helm_write_quoted(value->text, out);
        } else {
            write_scalar(writing, value);
        }
        return;
    }
    kvb_buffer_add(out, map ? "{" : "[");
    for (uint32_t i = 0; i < value->items->count && goes_on(writing, depth); i++) {
        kvb_buffer_add(out, i > 0 ? "," : "");
        if (map) {
            kvb_helm_write_quoted(value->items->entries[i].key, out);
            kvb_buffer_add(out, ":");
        }
        json_below(writing, &value->items->entries[i].value, depth + 1);
    }
    kvb_buffer_add(out, map ? "}" : "]");
}

void kvb_helm_write_json(struct kvb_helm_room *room, const struct kvb_helm_value *value, struct kvb_buffer *out)
{
    const struct writing writing = {room, out};
    json_below(&writing, value, 0);
}

static void print_below(const struct writing *writing, const struct kvb_helm_value *value, unsigned depth)
{
    struct kvb_buffer *out = writing->out;
    bool map = value->kind == KVB_HELM_MAP;
    if (value->kind == KVB_HELM_NIL) {
        kvb_buffer_add(out, "<nil>");
        return;
    }
    if (!map && value->kind != KVB_HELM_LIST) {
        write_scalar(writing, value);
        return;
    }
    kvb_buffer_add(out, map ? "map[" : "[");
    for (uint32_t i = 0; i < value->items->count && goes_on(writing, depth); i++) {
        const struct kvb_helm_entry *entry = &value->items->entries[i];
        kvb_buffer_add(out, i > 0 ? " " : "");
        if (map) {
            kvb_buffer_printf(out, "%s:", entry->key);
        }
        print_below(writing, &entry->value, depth + 1);
    }
    kvb_buffer_add(out, "]");
}

void kvb_helm_print(struct kvb_helm_room *room, const struct kvb_helm_value *value, struct kvb_buffer *out)
{
    const struct writing writing = {room, out};
    print_below(&writing, value, 0);
}

struct kvb_helm_value kvb_helm_to_text(struct kvb_helm_room *room, const struct kvb_helm_value *value)
{
    if (value->kind == KVB_HELM_TEXT) {
        return *value;
    }
    struct kvb_buffer out;
    kvb_buffer_init(&out);
    kvb_helm_print(room, value, &out);
    struct kvb_helm_value text = kvb_helm_keep(room, &out);
    text.holes = kvb_helm_is_open(value);
    return text;
}
