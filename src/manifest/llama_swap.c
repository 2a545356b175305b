// Models of llama-swap: the macros of the model and of the file are put in their place, and the lines of "cmd" are one
// command, remarks left out (llama-swap's internal/config: SanitizeCommand, macros).
#include <string.h>

#include "base/text.h"
#include "manifest/manifest_reader.h"

#define MACROS_DEEP_MAX 8     // of macros in macros
#define MACROS_USED_MAX 4096U // in one command; what follows stays as it is written

struct expansion {
    const struct kvb_node *own, *shared; // macros of the model, of the file
    unsigned used;
    struct kvb_buffer text;
};

bool kvb_is_llama_swap(const struct kvb_node *root)
{
    const struct kvb_node *models = kvb_node_get(root, "models");
    const struct kvb_node *first = models != NULL && models->kind == KVB_NODE_MAPPING ? models->first : NULL;
    return first != NULL && kvb_node_text(kvb_node_get(first, "cmd")) != NULL;
}

static const char *macro_in(const struct kvb_node *macros, const char *name, size_t length)
{
    bool mapping = macros != NULL && macros->kind == KVB_NODE_MAPPING;
    for (const struct kvb_node *child = mapping ? macros->first : NULL; child != NULL; child = child->next) {
        if (strlen(child->key) == length && strncmp(child->key, name, length) == 0) {
            return kvb_node_text(child);
        }
    }
    return NULL;
}

// The macro called at `text`, "${name}", and what follows it; NULL: none is called there.
static const char *macro_at(struct expansion *expansion, const char *text, const char **rest)
{
    const char *end = kvb_starts_with(text, "${") ? strchr(text, '}') : NULL;
    if (end == NULL || expansion->used >= MACROS_USED_MAX) {
        return NULL;
    }
    size_t length = (size_t)(end - text) - 2;
    const char *value = macro_in(expansion->own, text + 2, length);
    value = value != NULL ? value : macro_in(expansion->shared, text + 2, length);
    expansion->used += value != NULL;
    *rest = end + 1;
    return value;
}

static void expand(struct expansion *expansion, const char *text, unsigned depth)
{
    while (*text != '\0' && expansion->text.length < KVB_EXPANDED_MAX) {
        const char *rest = text + 1;
        const char *value = depth < MACROS_DEEP_MAX ? macro_at(expansion, text, &rest) : NULL;
        if (value != NULL) {
            expand(expansion, value, depth + 1);
        } else {
            rest = text + 1;
            kvb_buffer_add_n(&expansion->text, text, 1);
        }
        text = rest;
    }
}

// Breaks, those behind a backslash too, become blanks, and so do lines that are remarks.
static void join_lines(char *text)
{
    while (*text != '\0') {
        size_t blanks = strspn(text, " \t"), length = strcspn(text, "\n");
        bool remark = text[blanks] == '#', more = text[length] == '\n';
        size_t end = length;
        while (end > 0 && strchr(" \t\r", text[end - 1]) != NULL) {
            end--;
        }
        if (remark) {
            memset(text, ' ', length);
        } else if (more && end > 0 && text[end - 1] == '\\') {
            text[end - 1] = ' ';
        }
        if (more) {
            text[length] = ' ';
        }
        text += length + more;
    }
}

// "NAME=VALUE" of the model's `env`.
static void take_environment(struct kvb_manifest *manifest, const struct kvb_node *env, struct kvb_container *container)
{
    bool list = env != NULL && env->kind == KVB_NODE_SEQUENCE;
    for (const struct kvb_node *child = list ? env->first : NULL; child != NULL; child = child->next) {
        const char *pair = kvb_node_text(child);
        size_t name = pair != NULL ? strcspn(pair, "=") : 0;
        if (pair != NULL && pair[name] == '=') {
            kvb_variable_set(manifest, &container->variables, kvb_manifest_copy(manifest, pair, name), pair + name + 1,
                             kvb_node_offset(manifest, child), true);
        }
    }
}

static enum kvb_status read_model(struct kvb_manifest *manifest, const struct kvb_node *root,
                                  const struct kvb_node *model)
{
    const struct kvb_node *cmd = kvb_node_get(model, "cmd");
    struct expansion expansion = {.own = kvb_node_get(model, "macros"), .shared = kvb_node_get(root, "macros")};
    struct kvb_container container = {
        .kind = "llama-swap",
        .name = model->key,
        .offset = kvb_source_offset(manifest, model->key_line, model->key_column),
        .image_offset = KVB_NOWHERE,
    };
    if (kvb_node_text(cmd) == NULL) {
        return KVB_OK;
    }
    kvb_buffer_init(&expansion.text);
    expand(&expansion, cmd->text, 0);
    if (expansion.text.length > 0) {
        join_lines(expansion.text.data);
    }
    kvb_variable_set(manifest, &container.variables, "MODEL_ID", model->key, KVB_NOWHERE, false);
    kvb_variable_set(manifest, &container.variables, "PORT", "5800", KVB_NOWHERE, false);
    take_environment(manifest, kvb_node_get(model, "env"), &container);
    const char *text = kvb_manifest_keep(manifest, &expansion.text);
    size_t offset =
        expansion.used > 0 ? KVB_NOWHERE : kvb_node_offset(manifest, cmd); // words of macros stand elsewhere
    return kvb_shell_read(manifest, text, offset, &container);
}

enum kvb_status kvb_read_llama_swap(struct kvb_manifest *manifest, const struct kvb_node *root)
{
    enum kvb_status status = KVB_OK;
    for (const struct kvb_node *model = kvb_node_get(root, "models")->first; model != NULL && status == KVB_OK;
         model = model->next) {
        status = model->kind == KVB_NODE_MAPPING ? read_model(manifest, root, model) : KVB_OK;
    }
    return status;
}
