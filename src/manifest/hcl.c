// Terraform and Nomad: blocks, attributes, lists and here-documents as the tree that any other file gives.
#include <string.h>

#include "base/buffer.h"
#include "base/text.h"
#include "manifest/anywhere.h"

#define DEPTH_MAX 48
#define NAME_CHARACTERS "ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz_0123456789-."

struct hcl {
    struct kvb_manifest *manifest;
    const char *text;
    size_t at;
    unsigned depth;
};

static void skip_blanks(struct hcl *hcl, bool lines)
{
    for (;;) {
        const char *at = hcl->text + hcl->at;
        if (*at == '#' || (at[0] == '/' && at[1] == '/')) {
            hcl->at += strcspn(at, "\n");
        } else if (at[0] == '/' && at[1] == '*') {
            const char *end = strstr(at + 2, "*/");
            hcl->at += end != NULL ? (size_t)(end + 2 - at) : strlen(at);
        } else if (*at == ' ' || *at == '\t' || *at == '\r' || (lines && (*at == '\n' || *at == ','))) {
            hcl->at++;
        } else {
            return;
        }
    }
}

static struct kvb_node *new_node(struct hcl *hcl, enum kvb_node_kind kind)
{
    struct kvb_node *node = kvb_manifest_take(hcl->manifest, sizeof *node);
    struct kvb_spot spot = kvb_source_spot(hcl->manifest, hcl->at);
    if (node != NULL) {
        node->kind = kind;
        node->text = "";
        node->line = spot.line;
        node->column = spot.column;
    }
    return node;
}

// Hangs a child behind `last`; returns the new last one. NULL: there is none to hang.
static struct kvb_node *add_child(struct kvb_node *parent, struct kvb_node *last, struct kvb_node *child)
{
    if (child == NULL) {
        return last;
    }
    if (last != NULL) {
        last->next = child;
    } else {
        parent->first = child;
    }
    parent->count++;
    return child;
}

static struct kvb_node *read_value(struct hcl *hcl);

// "text ${var.model}": what is interpolated stays as a variable nobody knows.
static struct kvb_node *read_string(struct hcl *hcl)
{
    struct kvb_node *node = new_node(hcl, KVB_NODE_SCALAR);
    struct kvb_buffer out;
    kvb_buffer_init(&out);
    for (hcl->at++; hcl->text[hcl->at] != '\0' && hcl->text[hcl->at] != '"' && hcl->text[hcl->at] != '\n'; hcl->at++) {
        char c = hcl->text[hcl->at];
        if (c == '\\' && hcl->text[hcl->at + 1] != '\0') {
            c = hcl->text[++hcl->at];
            c = c == 'n' ? '\n' : c == 't' ? '\t' : c;
        }
        kvb_buffer_add_n(&out, &c, 1);
    }
    hcl->at += hcl->text[hcl->at] == '"';
    const char *text = kvb_manifest_keep(hcl->manifest, &out);
    if (node != NULL) {
        node->quoted = true;
        node->text = text;
    }
    return node;
}

// <<-EOT ... EOT
static struct kvb_node *read_here_document(struct hcl *hcl)
{
    struct kvb_node *node = new_node(hcl, KVB_NODE_SCALAR);
    const char *name = hcl->text + hcl->at + 2;
    name += *name == '-';
    size_t length = strspn(name, NAME_CHARACTERS);
    const char *begin = name + strcspn(name, "\n");
    begin += *begin == '\n';
    const char *line = begin;
    while (*line != '\0') {
        size_t indent = strspn(line, " \t");
        if (strncmp(line + indent, name, length) == 0 && strchr("\r\n", line[indent + length]) != NULL) {
            break;
        }
        line += strcspn(line, "\n");
        line += *line == '\n';
    }
    if (node != NULL) {
        node->block = true;
        node->text = kvb_manifest_copy(hcl->manifest, begin, (size_t)(line - begin));
    }
    hcl->at = (size_t)(line - hcl->text) + strcspn(line, "\n");
    return node;
}

// A call, a reference or an operator: up to the end of the line or list.
static struct kvb_node *read_expression(struct hcl *hcl)
{
    struct kvb_node *node = new_node(hcl, KVB_NODE_SCALAR);
    const char *begin = hcl->text + hcl->at, *at = begin;
    unsigned depth = 0;
    while (*at != '\0' && !(depth == 0 && strchr("\n,]}", *at) != NULL)) {
        depth += *at == '(' || *at == '[' || *at == '{';
        depth -= (*at == ')' || *at == ']' || *at == '}') && depth > 0;
        at++;
    }
    size_t plain = strspn(begin, NAME_CHARACTERS);
    bool literal = begin + plain == at && strncmp(begin, "var.", 4) != 0 && strncmp(begin, "local.", 6) != 0;
    if (node != NULL) {
        node->text =
            kvb_manifest_join(hcl->manifest, literal ? "" : "${",
                              kvb_manifest_copy(hcl->manifest, begin, (size_t)(at - begin)), literal ? "" : "}");
    }
    hcl->at += (size_t)(at - begin);
    return node;
}

static struct kvb_node *read_list(struct hcl *hcl)
{
    struct kvb_node *list = new_node(hcl, KVB_NODE_SEQUENCE), *last = NULL;
    hcl->at++;
    for (;;) {
        skip_blanks(hcl, true);
        if (hcl->text[hcl->at] == '\0' || hcl->text[hcl->at] == ']' || list == NULL || hcl->manifest->out_of_memory) {
            break;
        }
        size_t before = hcl->at;
        struct kvb_node *item = read_value(hcl);
        last = add_child(list, last, item);
        hcl->at += hcl->at == before;
    }
    hcl->at += hcl->text[hcl->at] == ']';
    return list;
}

static const char *read_key(struct hcl *hcl)
{
    if (hcl->text[hcl->at] == '"') {
        struct kvb_node *node = read_string(hcl);
        return node != NULL ? node->text : "";
    }
    size_t length = strspn(hcl->text + hcl->at, NAME_CHARACTERS);
    const char *key = kvb_manifest_copy(hcl->manifest, hcl->text + hcl->at, length);
    hcl->at += length;
    return length > 0 ? key : NULL;
}

// Labels of a block: the last one is its name.
static const char *read_labels(struct hcl *hcl, const char *key)
{
    skip_blanks(hcl, false);
    while (hcl->text[hcl->at] == '"') {
        struct kvb_node *label = read_string(hcl);
        key = label != NULL && label->text[0] != '\0' ? label->text : key;
        skip_blanks(hcl, false);
    }
    return key;
}

// KEY = VALUE, "KEY": VALUE, KEY "label" { ... }.
static struct kvb_node *read_member(struct hcl *hcl)
{
    struct kvb_spot spot = kvb_source_spot(hcl->manifest, hcl->at);
    const char *key = read_key(hcl);
    if (key == NULL) {
        return NULL;
    }
    key = read_labels(hcl, key);
    bool value = hcl->text[hcl->at] == '=' || hcl->text[hcl->at] == ':';
    hcl->at += value;
    skip_blanks(hcl, false);
    struct kvb_node *node = value || hcl->text[hcl->at] == '{' ? read_value(hcl) : NULL;
    if (node != NULL) {
        node->key = key;
        node->key_line = spot.line;
        node->key_column = spot.column;
    }
    return node;
}

static struct kvb_node *read_mapping(struct hcl *hcl, bool braces)
{
    struct kvb_node *mapping = new_node(hcl, KVB_NODE_MAPPING), *last = NULL;
    hcl->at += braces;
    while (mapping != NULL && !hcl->manifest->out_of_memory) {
        skip_blanks(hcl, true);
        if (hcl->text[hcl->at] == '\0' || (braces && hcl->text[hcl->at] == '}')) {
            break;
        }
        size_t before = hcl->at;
        struct kvb_node *member = read_member(hcl);
        last = add_child(mapping, last, member);
        hcl->at += hcl->at == before;
    }
    hcl->at += braces && hcl->text[hcl->at] == '}';
    return mapping;
}

static struct kvb_node *read_value(struct hcl *hcl)
{
    struct kvb_node *node = NULL;
    const char *at = hcl->text + hcl->at;
    if (hcl->depth >= DEPTH_MAX) {
        return read_expression(hcl);
    }
    hcl->depth++;
    if (*at == '"') {
        node = read_string(hcl);
    } else if (at[0] == '<' && at[1] == '<') {
        node = read_here_document(hcl);
    } else if (*at == '[') {
        node = read_list(hcl);
    } else if (*at == '{') {
        node = read_mapping(hcl, true);
    } else if (kvb_starts_with(at, "yamlencode({") || kvb_starts_with(at, "jsonencode({") ||
               kvb_starts_with(at, "jsonencode([")) {
        hcl->at += 11;
        node = read_value(hcl);
        hcl->at += hcl->text[hcl->at] == ')';
    } else {
        node = read_expression(hcl);
    }
    hcl->depth--;
    return node;
}

enum kvb_status kvb_read_hcl(struct kvb_manifest *manifest)
{
    struct hcl hcl = {manifest, manifest->text, 0, 0};
    struct kvb_node *root = read_mapping(&hcl, false);
    return root != NULL ? kvb_read_anywhere(manifest, root) : KVB_OK;
}
