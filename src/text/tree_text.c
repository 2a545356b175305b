// Writing a node back as text: at its old places, or as JSON.
#include "text/tree_text.h"

#include <string.h>

// Where the next character goes, 1-based.
struct cursor {
    struct kvb_buffer *out;
    uint32_t line, column;
};

static void put(struct cursor *cursor, const char *text)
{
    kvb_buffer_add(cursor->out, text);
    cursor->column += (uint32_t)strlen(text);
}

// Moves forward to a place, if it is not behind already.
static void move_to(struct cursor *cursor, uint32_t line, uint32_t column)
{
    if (line > cursor->line) {
        kvb_buffer_fill(cursor->out, '\n', line - cursor->line);
        cursor->line = line;
        cursor->column = 1;
    }
    if (line == cursor->line && column > cursor->column) {
        kvb_buffer_fill(cursor->out, ' ', column - cursor->column);
        cursor->column = column;
    }
}

static void put_quoted(struct cursor *cursor, const char *text)
{
    put(cursor, "\"");
    for (const char *c = text; *c; c++) {
        char escaped[8] = {*c, '\0'};
        if (*c == '"' || *c == '\\') {
            escaped[0] = '\\';
            escaped[1] = *c;
            escaped[2] = '\0';
        } else if ((unsigned char)*c < 0x20) {
            static const char digits[] = "0123456789abcdef";
            memcpy(escaped, "\\u00", 4);
            escaped[4] = digits[(unsigned char)*c >> 4U];
            escaped[5] = digits[(unsigned char)*c & 0xFU];
            escaped[6] = '\0';
        }
        put(cursor, escaped);
    }
    put(cursor, "\"");
}

// Bare words that stay what they are in flow form.
static bool is_safe_bare(const char *text)
{
    static const char safe[] = "abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ0123456789._+";
    return *text && strspn(text, safe) == strlen(text);
}

static bool is_json_bare(const char *text)
{
    static const char number[] = "0123456789.eE+-";
    if (strcmp(text, "true") == 0 || strcmp(text, "false") == 0 || strcmp(text, "null") == 0) {
        return true;
    }
    return text[0] >= '0' && text[0] <= '9' && strspn(text, number) == strlen(text);
}

static void put_scalar(struct cursor *cursor, const struct kvb_node *node, bool json)
{
    bool minus = !json && node->text[0] == '-' && node->text[1] >= '0' && node->text[1] <= '9';
    bool bare = !node->quoted && (json ? is_json_bare(node->text) : is_safe_bare(node->text + minus));
    if (bare) {
        put(cursor, node->text);
    } else if (kvb_node_is_null(node)) {
        put(cursor, "null");
    } else {
        put_quoted(cursor, node->text);
    }
}

static void put_node(struct cursor *cursor, const struct kvb_node *node, const char *head, bool json);

// A quoted key would push its value two columns on, so safe ones stay bare where places count.
static void put_key(struct cursor *cursor, const struct kvb_node *child, bool json)
{
    if (!json) {
        move_to(cursor, child->key_line, child->key_column);
    }
    if (!json && is_safe_bare(child->key)) {
        put(cursor, child->key);
    } else {
        put_quoted(cursor, child->key);
    }
    put(cursor, ": ");
}

static void put_children(struct cursor *cursor, const struct kvb_node *node, bool json)
{
    for (const struct kvb_node *child = node->first; child; child = child->next) {
        if (node->kind == KVB_NODE_MAPPING) {
            put_key(cursor, child, json);
        }
        put_node(cursor, child, "", json);
        put(cursor, child->next ? ", " : "");
    }
}

static void put_node(struct cursor *cursor, const struct kvb_node *node, const char *head, bool json)
{
    bool mapping = node->kind == KVB_NODE_MAPPING;
    if (node->kind == KVB_NODE_SCALAR) {
        if (!json) {
            move_to(cursor, node->line, node->column);
        }
        put_scalar(cursor, node, json);
        return;
    }
    put(cursor, mapping ? "{" : "[");
    put(cursor, head);
    put_children(cursor, node, json);
    put(cursor, mapping ? "}" : "]");
}

void kvb_node_write_at_place(struct kvb_buffer *out, const struct kvb_node *node, const char *head)
{
    struct cursor cursor = {.out = out, .line = 1, .column = 1};
    put_node(&cursor, node, head, false);
}

void kvb_node_write_json(struct kvb_buffer *out, const struct kvb_node *node)
{
    struct cursor cursor = {.out = out, .line = 1, .column = 1};
    put_node(&cursor, node, "", true);
}
