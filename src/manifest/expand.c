// What stands for ${NAME:-default} and its kin.
#include <string.h>

#include "base/buffer.h"
#include "base/text.h"
#include "manifest/manifest_reader.h"
#include "manifest/templates.h"

#define NAME_MAX_LENGTH 128
#define REFERENCE_MAX 1024 // of one ${...}
#define NESTED_MAX 16      // defaults inside defaults

// The placeholder of a template: by the name in it, then by the default written there.
static const char *placeholder_value(struct kvb_manifest *manifest, const struct kvb_variable *variables,
                                     const char *name)
{
    const char *value = kvb_variable_value(manifest, variables, kvb_template_core(manifest, name));
    const struct kvb_variable *fallback = value == NULL ? kvb_variable_find(manifest->defaults, name) : NULL;
    return fallback != NULL ? fallback->value : value;
}

// The same, and it is remembered that what counts stands in another file.
static const char *used_value(struct kvb_manifest *manifest, const struct kvb_variable *variables, const char *name)
{
    const struct kvb_variable *variable = kvb_variable_find(variables, name);
    const char *value = kvb_variable_value(manifest, variables, name);
    if (variable != NULL && variable->outside && value == variable->value) {
        manifest->from_outside = name;
    }
    return value;
}

static size_t name_length(const char *text)
{
    size_t length = strspn(text, "ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz_0123456789");
    return length < NAME_MAX_LENGTH ? length : 0;
}

// The end of "${...", nested braces included; NULL: it does not end.
static const char *closing(const char *text, char open, char close)
{
    unsigned depth = 1;
    for (const char *last = text + REFERENCE_MAX; *text != '\0' && text < last; text++) {
        depth += *text == open;
        depth -= *text == close;
        if (depth == 0) {
            return text;
        }
    }
    return NULL;
}

// "NAME:-default}" behind "${": the default when the variable is not known, or empty under ':'.
// ${NAME}, ${NAME:-text}, ${NAME-text}, ${NAME:?text}, ${NAME:+text}: the text may hold braces of its own, so its end
// is found by counting them; what stands inside is expanded once, never again.
static size_t expand_braces(struct kvb_manifest *manifest, const char *text, enum kvb_dollar dollar,
                            const struct kvb_variable *variables, const char **value, const char **name)
{
    const char *inner = text + 2, *end = closing(inner, '{', '}');
    size_t length = name_length(inner);
    if (end == NULL) {
        return 0;
    }
    *name = kvb_manifest_copy(manifest, inner, length > 0 ? length : (size_t)(end - inner));
    const char *known = length > 0 ? used_value(manifest, variables, *name) : NULL;
    const char *rest = inner + length;
    bool colon = rest[0] == ':';
    char operation = colon ? rest[1] : rest[0];
    const char *word = rest + (colon ? 2 : 1);
    bool missing = known == NULL || (colon && known[0] == '\0');
    *value = known;
    if (length > 0 && (operation == '-' || operation == '=') && missing && manifest->expanding < NESTED_MAX) {
        const char *unknown = NULL;
        const char *fallback = kvb_manifest_copy(manifest, word, (size_t)(end - word));
        manifest->expanding++;
        *value = kvb_expand(manifest, fallback, dollar, variables, &unknown);
        manifest->expanding--;
        *value = unknown != NULL ? NULL : *value;
        *name = unknown != NULL ? unknown : *name;
    } else if (length > 0 && operation == '+') {
        *value = missing ? "" : kvb_manifest_copy(manifest, word, (size_t)(end - word));
    } else if (rest != end && strchr("-=?", operation) == NULL) {
        *value = NULL; // ${NAME#part} and the like
    }
    return (size_t)(end + 1 - text);
}

// "$_NAME" of a template: the value of the placeholder, or the text as it stands.
static size_t expand_placeholder(struct kvb_manifest *manifest, const char *text, const struct kvb_variable *variables,
                                 const char **value, const char **name)
{
    size_t length = name_length(text + 1);
    *name = kvb_manifest_copy(manifest, text + 1, length);
    *value = length > 0 ? placeholder_value(manifest, variables, *name) : NULL;
    if (*value == NULL) {
        *name = kvb_template_shown(manifest, kvb_manifest_copy(manifest, text, length + 1));
    }
    return length > 0 ? length + 1 : 0;
}

// "$(NAME)" of Kubernetes; a shell runs a command there, which is no variable's name.
static size_t expand_parentheses(struct kvb_manifest *manifest, const char *text, enum kvb_dollar dollar,
                                 const struct kvb_variable *variables, const char **value, const char **name)
{
    const char *end = closing(text + 2, '(', ')');
    if (end == NULL) {
        return 0;
    }
    size_t length = (size_t)(end + 1 - text);
    if (dollar == KVB_DOLLAR_SHELL) {
        *name = kvb_manifest_copy(manifest, text, length);
        return length;
    }
    *name = kvb_manifest_copy(manifest, text + 2, length - 3);
    *value = kvb_variable_value(manifest, variables, *name);
    return length;
}

size_t kvb_expand_one(struct kvb_manifest *manifest, const char *text, enum kvb_dollar dollar,
                      const struct kvb_variable *variables, const char **value, const char **name)
{
    bool shell = dollar == KVB_DOLLAR_SHELL, kubernetes = dollar == KVB_DOLLAR_KUBERNETES;
    *value = NULL;
    if (text[0] == '$' && text[1] == '_' && manifest->templated) {
        return expand_placeholder(manifest, text, variables, value, name);
    }
    if (dollar == KVB_DOLLAR_PLAIN || text[0] != '$') {
        return 0;
    }
    if (++manifest->references > KVB_REFERENCES_MAX) {
        manifest->too_large = manifest->out_of_memory = true;
        return 0;
    }
    if (text[1] == '$' && !shell) {
        *value = "$";
        *name = "$";
        return 2;
    }
    if (text[1] == '{' && !kubernetes) {
        return expand_braces(manifest, text, dollar, variables, value, name);
    }
    if (shell && text[1] == '(' && text[2] == '(') {
        return kvb_expand_arithmetic(manifest, text, variables, value, name);
    }
    if (text[1] == '(' && (kubernetes || shell)) {
        return expand_parentheses(manifest, text, dollar, variables, value, name);
    }
    size_t length = kubernetes ? 0 : name_length(text + 1);
    if (length == 0 && shell && text[1] != '\0' && strchr("@*#?!", text[1]) != NULL) {
        length = 1;
    }
    if (length == 0) {
        return 0;
    }
    *name = kvb_manifest_copy(manifest, text + 1, length);
    *value = used_value(manifest, variables, *name);
    return length + 1;
}

const char *kvb_expand(struct kvb_manifest *manifest, const char *text, enum kvb_dollar dollar,
                       const struct kvb_variable *variables, const char **unknown)
{
    struct kvb_buffer out;
    if ((dollar == KVB_DOLLAR_PLAIN && !manifest->templated) || strchr(text, '$') == NULL) {
        return text;
    }
    kvb_buffer_init(&out);
    while (*text != '\0' && out.length < KVB_EXPANDED_MAX) {
        const char *value = NULL, *name = NULL;
        size_t length = kvb_expand_one(manifest, text, dollar, variables, &value, &name);
        if (length > 0 && value != NULL) {
            kvb_buffer_add(&out, value);
        } else {
            kvb_buffer_add_n(&out, text, length > 0 ? length : 1);
            *unknown = length > 0 && *unknown == NULL ? name : *unknown;
        }
        text += length > 0 ? length : 1;
    }
    return kvb_manifest_keep(manifest, &out);
}
