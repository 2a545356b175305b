// The `config:` mapping of a profile: known keys only, in the order of the key table.
#include <string.h>

#include "base/text.h"
#include "model/config/hf.h"
#include "model/config/hf_keys.h"
#include "model/model_profile.h"

struct writer {
    struct kvb_buffer *buffer;
    const struct kvb_hf_style *style;
    bool without_false; // false and absent mean the same here
};

static bool is_plain(const char *text)
{
    static const char allowed[] = "abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ0123456789_./-+*";
    bool letter = (*text >= 'a' && *text <= 'z') || (*text >= 'A' && *text <= 'Z');
    return letter && strspn(text, allowed) == strlen(text) && strcmp(text, "null") != 0 && strcmp(text, "true") != 0 &&
           strcmp(text, "false") != 0;
}

static void write_scalar(struct writer *writer, const struct kvb_node *node)
{
    if (!node->quoted || is_plain(node->text)) {
        kvb_buffer_add(writer->buffer, node->text);
        return;
    }
    kvb_buffer_add(writer->buffer, "\"");
    for (const char *c = node->text; *c; c++) {
        if (*c == '"' || *c == '\\') {
            kvb_buffer_add(writer->buffer, "\\");
        }
        if ((unsigned char)*c < ' ') {
            kvb_buffer_printf(writer->buffer, "\\x%02x", (unsigned)(unsigned char)*c);
        } else {
            kvb_buffer_add_n(writer->buffer, c, 1);
        }
    }
    kvb_buffer_add(writer->buffer, "\"");
}

// Copies a module name with every layer number written as '*'; the result is cut at the capacity.
static void star(char *out, size_t capacity, const char *name)
{
    size_t used = 0;
    while (*name && used + 1 < capacity) {
        if (*name >= '0' && *name <= '9' && used && out[used - 1] == '.') {
            name += strspn(name, "0123456789");
            out[used++] = '*';
        } else {
            out[used++] = *name++;
        }
    }
    out[used] = '\0';
}

static bool said_before(const struct kvb_node *first, const struct kvb_node *node, const char *stars)
{
    char other[512];
    for (; first != node; first = first->next) {
        if (first->kind == KVB_NODE_SCALAR) {
            star(other, sizeof other, first->text);
            if (strcmp(other, stars) == 0) {
                return true;
            }
        }
    }
    return false;
}

// "model.layers.0*" speaks of everything in a layer and cannot be starred.
static bool names_a_layer(const struct kvb_node *node)
{
    const char *at = node->kind == KVB_NODE_SCALAR ? strstr(node->text, "layers.") : NULL;
    return at && strspn(at + 7, "0123456789*.") == strlen(at + 7);
}

static void write_names(struct writer *writer, const struct kvb_node *list, uint32_t roles)
{
    bool any = false;
    kvb_buffer_add(writer->buffer, "[");
    for (const struct kvb_node *node = list->first; node; node = node->next) {
        char stars[512];
        struct kvb_node copy = {.kind = KVB_NODE_SCALAR, .quoted = true, .text = stars};
        if (names_a_layer(node)) {
            (void)kvb_copy(stars, sizeof stars, node->text);
        } else {
            star(stars, sizeof stars, node->kind == KVB_NODE_SCALAR ? node->text : "");
        }
        enum kvb_role role = kvb_hf_module_role(stars);
        if ((role != KVB_ROLE_COUNT && !(roles >> role & 1)) || (role == KVB_ROLE_COUNT && !names_a_layer(node)) ||
            said_before(list->first, node, stars)) {
            continue;
        }
        kvb_buffer_add(writer->buffer, any ? ", " : "");
        write_scalar(writer, &copy);
        any = true;
    }
    kvb_buffer_add(writer->buffer, "]");
}

static bool is_false(const struct kvb_node *node)
{
    return node->kind == KVB_NODE_SCALAR && !node->quoted && strcmp(node->text, "false") == 0;
}

static bool is_noise(const struct writer *writer, const struct kvb_node *node)
{
    static const char *const noise[] = {"observer", "observer_kwargs", "output_activations", "scale_dtype", "zp_dtype"};
    if (writer->style->full) {
        return false;
    }
    for (size_t i = 0; i < sizeof noise / sizeof noise[0]; i++) {
        if (node->key && strcmp(node->key, noise[i]) == 0) {
            return true;
        }
    }
    return kvb_node_is_null(node) || (writer->without_false && is_false(node));
}

static void write_flow(struct writer *writer, const struct kvb_node *node)
{
    bool mapping = node->kind == KVB_NODE_MAPPING, any = false;
    if (node->kind == KVB_NODE_SCALAR) {
        write_scalar(writer, node);
        return;
    }
    if (!writer->style->full && node->key && strcmp(node->key, "targets") == 0 && node->count > 8) {
        write_names(writer, node, UINT32_MAX);
        return;
    }
    kvb_buffer_add(writer->buffer, mapping ? "{" : "[");
    for (const struct kvb_node *child = node->first; child; child = child->next) {
        if (mapping && is_noise(writer, child)) {
            continue;
        }
        kvb_buffer_add(writer->buffer, any ? ", " : "");
        if (mapping) {
            struct kvb_node key = {.kind = KVB_NODE_SCALAR, .quoted = true, .text = child->key};
            write_scalar(writer, &key);
            kvb_buffer_add(writer->buffer, ": ");
        }
        write_flow(writer, child);
        any = true;
    }
    kvb_buffer_add(writer->buffer, mapping ? "}" : "]");
}

// quantized_layers by role: one module stands for all that are quantised alike.
static void write_layers(struct writer *writer, const struct kvb_node *mapping)
{
    bool seen[KVB_ROLE_COUNT + 1] = {false}, any = false;
    kvb_buffer_add(writer->buffer, "{");
    for (const struct kvb_node *node = mapping->first; node; node = node->next) {
        enum kvb_role role = kvb_hf_module_role(node->key);
        struct kvb_node key = {.kind = KVB_NODE_SCALAR, .quoted = true, .text = node->key};
        if (seen[role] || role == KVB_ROLE_COUNT) {
            continue;
        }
        seen[role] = true;
        kvb_buffer_add(writer->buffer, any ? ", " : "");
        write_scalar(writer, &key);
        kvb_buffer_add(writer->buffer, ": ");
        write_flow(writer, node);
        any = true;
    }
    kvb_buffer_add(writer->buffer, "}");
}

static void write_value(struct writer *writer, enum kvb_hf_key key, const struct kvb_node *node)
{
    if (!writer->style->full && key == HF_Q_IGNORE && node->kind == KVB_NODE_SEQUENCE) {
        write_names(writer, node, writer->style->roles);
    } else if (!writer->style->full && key == HF_Q_LAYERS && node->kind == KVB_NODE_MAPPING) {
        write_layers(writer, node);
    } else {
        writer->without_false = key == HF_BLOCK_CONFIGS;
        write_flow(writer, node);
        writer->without_false = false;
    }
}

static void write_section(struct writer *writer, enum kvb_hf_section section, const struct kvb_node *mapping,
                          unsigned indent);

static void write_key(struct writer *writer, enum kvb_hf_key key, const struct kvb_node *node, unsigned indent)
{
    const struct kvb_hf_key_row *row = kvb_hf_row(key);
    bool group = row->kind == HF_GROUP && node->kind == KVB_NODE_MAPPING;
    if (kvb_node_is_null(node) && key != HF_WINDOW) {
        return;
    }
    kvb_buffer_fill(writer->buffer, ' ', indent);
    kvb_buffer_add(writer->buffer, node->key);
    kvb_buffer_add(writer->buffer, group ? ":" : ": ");
    if (group && !node->first) {
        kvb_buffer_add(writer->buffer, " {}\n");
    } else if (group) {
        kvb_buffer_add(writer->buffer, "\n");
        write_section(writer, (enum kvb_hf_section)row->child, node, indent + 2);
    } else if (kvb_node_is_null(node)) {
        kvb_buffer_add(writer->buffer, "null\n");
    } else {
        write_value(writer, key, node);
        kvb_buffer_add(writer->buffer, "\n");
    }
}

static void write_section(struct writer *writer, enum kvb_hf_section section, const struct kvb_node *mapping,
                          unsigned indent)
{
    for (int key = 0; key < HF_KEY_COUNT; key++) {
        const struct kvb_hf_key_row *row = kvb_hf_row((enum kvb_hf_key)key);
        if (!kvb_hf_section_holds(section, (enum kvb_hf_section)row->section) || writer->style->left_out[key]) {
            continue;
        }
        for (size_t i = 0; i < sizeof row->names / sizeof row->names[0] && row->names[i]; i++) {
            const struct kvb_node *node = kvb_node_get(mapping, row->names[i]);
            if (node) {
                write_key(writer, (enum kvb_hf_key)key, node, indent);
            }
        }
    }
}

void kvb_hf_write_config(struct kvb_buffer *buffer, const struct kvb_node *config, const struct kvb_hf_style *style)
{
    struct writer writer = {buffer, style, false};
    write_section(&writer, HF_TOP, config, 2);
}
