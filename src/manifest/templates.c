// {{ }}, {% %} and ${{ }} replaced byte by byte, so that every place in the file stays what it was.
#include "manifest/templates.h"

#include <string.h>

#include "base/buffer.h"
#include "base/text.h"
#include "helm/value.h"

#define EXPRESSION_MAX 4000 // bytes between the braces
#define SHOWN_MAX 4096U     // placeholders of one file; each is looked for in the whole of it

bool kvb_is_templated(const char *text)
{
    return strstr(text, "{{") != NULL || strstr(text, "{%") != NULL;
}

static bool is_name(char c)
{
    return (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') || (c >= '0' && c <= '9') || c == '_';
}

// What stands between the braces.
struct expression {
    char *begin, *end;             // of all, braces included
    const char *inner, *inner_end; // trimmed
    bool steers;                   // {% %} and {# #}
};

static bool find_end(struct expression *expression)
{
    char kind = expression->begin[1];
    char closing[3] = {kind == '{' ? '}' : kind, '}', '\0'};
    const char *found = kvb_find_within(expression->begin + 2, EXPRESSION_MAX - 1, closing);
    if (found == NULL) {
        return false;
    }
    char *end = expression->begin + (found - expression->begin);
    while (kind == '{' && end[2] == '}') { // "}}}" closes a mapping inside
        end++;
    }
    expression->end = end + 2;
    expression->inner = expression->begin + 2;
    expression->inner_end = end;
    while (expression->inner < end && strchr("- \t\r\n", *expression->inner) != NULL) {
        expression->inner++;
    }
    while (expression->inner_end > expression->inner && strchr("- \t\r\n", expression->inner_end[-1]) != NULL) {
        expression->inner_end--;
    }
    return true;
}

static bool steers(const struct expression *expression)
{
    static const char *const words[] = {"if",    "else",     "end",   "range",    "with", "define",
                                        "block", "template", "break", "continue", "/*",   "raw"};
    size_t length_inside = (size_t)(expression->inner_end - expression->inner);
    if (expression->steers ||
        (expression->inner[0] == '$' && kvb_find_within(expression->inner, length_inside, ":=") != NULL)) {
        return true;
    }
    for (size_t i = 0; i < sizeof words / sizeof words[0]; i++) {
        size_t length = strlen(words[i]);
        if (strncmp(expression->inner, words[i], length) == 0 && !is_name(expression->inner[length])) {
            return true;
        }
    }
    return false;
}

static bool is_alone(const char *text, const struct expression *expression)
{
    const char *before = expression->begin, *after = expression->end;
    while (before > text && (before[-1] == ' ' || before[-1] == '\t')) {
        before--;
    }
    after += strspn(after, " \t\r");
    return (before == text || before[-1] == '\n') && (*after == '\n' || *after == '\0');
}

static void blank(char *begin, const char *end)
{
    for (; begin < end; begin++) {
        *begin = *begin == '\n' ? '\n' : ' ';
    }
}

// The literal behind `default` or inside default(...); NULL: none.
static const char *default_of(struct kvb_manifest *manifest, const struct expression *expression)
{
    size_t inside = (size_t)(expression->inner_end - expression->inner);
    const char *at = kvb_find_within(expression->inner, inside, "default");
    const char *other = at == NULL ? kvb_find_within(expression->inner, inside, "||") : NULL;
    if (at == NULL && other == NULL) {
        return NULL;
    }
    at = at != NULL ? at + 7 : other + 2;
    at += strspn(at, " (");
    if ((*at == '"' || *at == '\'') && at < expression->inner_end) {
        const char *end = memchr(at + 1, *at, (size_t)(expression->inner_end - at - 1));
        return end != NULL ? kvb_manifest_copy(manifest, at + 1, (size_t)(end - at - 1)) : NULL;
    }
    size_t length = strspn(at, "0123456789.");
    return length > 0 && at + length <= expression->inner_end ? kvb_manifest_copy(manifest, at, length) : NULL;
}

// "{{ .Values.model }}" becomes "$__Values_model___".
static void replace(struct kvb_manifest *manifest, struct expression *expression)
{
    const char *fallback = default_of(manifest, expression);
    expression->begin[0] = '$';
    for (char *c = expression->begin + 1; c < expression->end; c++) {
        *c = is_name(*c) || *c == '\n' ? *c : '_';
        *c = *c == '\n' ? '_' : *c;
    }
    if (fallback != NULL) {
        size_t length = (size_t)(expression->end - expression->begin) - 1;
        kvb_variable_set(manifest, &manifest->defaults, kvb_manifest_copy(manifest, expression->begin + 1, length),
                         fallback, KVB_NOWHERE, false);
    }
}

// {{"key": ...}} is JSON in a text for Python's str.format.
static bool is_json(const char *at)
{
    const char *end = at[2] == '"' ? strchr(at + 3, '"') : NULL;
    return at[1] == '{' && end != NULL && end[1 + strspn(end + 1, " ")] == ':';
}

const char *kvb_template_plain(struct kvb_manifest *manifest, const char *text, size_t length)
{
    char *copy = kvb_manifest_take(manifest, length + 1);
    if (copy == NULL) {
        return NULL;
    }
    memcpy(copy, text, length);
    for (char *at = copy; (at = strchr(at, '{')) != NULL;) {
        struct expression expression = {.begin = at};
        bool opens = at[1] == '{' || at[1] == '%' || at[1] == '#';
        if (!opens || is_json(at) || !find_end(&expression)) {
            at += opens ? 2 : 1;
            continue;
        }
        expression.steers = at[1] != '{';
        if (at[1] == '{' && at > copy && at[-1] == '$') { // ${{ of a workflow
            expression.begin--;
        }
        if (steers(&expression) || is_alone(copy, &expression)) {
            blank(expression.begin, expression.end);
        } else {
            replace(manifest, &expression);
        }
        at = expression.end;
    }
    return copy;
}

const char *kvb_template_core(struct kvb_manifest *manifest, const char *name)
{
    static const char *const fronts[] = {"env_", "inputs_", "matrix_", "vars_", "github_event_inputs_"};
    size_t length = strlen(name);
    while (length > 0 && name[length - 1] == '_') {
        length--;
    }
    while (length > 0 && *name == '_') {
        name++;
        length--;
    }
    const char *core = kvb_manifest_copy(manifest, name, length);
    for (size_t i = 0; i < sizeof fronts / sizeof fronts[0]; i++) {
        if (kvb_starts_with(core, fronts[i])) {
            return core + strlen(fronts[i]);
        }
    }
    return core;
}

static size_t placeholder_length(const char *text)
{
    size_t length = 1;
    while (text[0] == '$' && text[1] == '_' && is_name(text[length])) {
        length++;
    }
    return length > 1 ? length : 0;
}

// The expression for which the variable of `length` characters stands in a filled template; NULL: none.
static const char *hole_shown(struct kvb_manifest *manifest, const char *text, size_t length)
{
    for (const struct kvb_helm_hole *hole = manifest->holes; hole != NULL; hole = hole->older) {
        struct kvb_buffer name;
        kvb_buffer_init(&name);
        kvb_helm_name_hole(hole->expression, &name);
        bool same = name.length == length && memcmp(kvb_buffer_text(&name), text, length) == 0;
        kvb_buffer_free(&name);
        if (same) {
            return kvb_manifest_join(manifest, "{{ ", hole->expression, " }}");
        }
    }
    return NULL;
}

// What a filled template has in place of what is not known.
static const char *filled_shown(struct kvb_manifest *manifest, const char *text)
{
    const char *shown = "";
    for (size_t length; *text != '\0'; text += length) {
        length = placeholder_length(text);
        const char *hole = length > 0 && manifest->shown++ < SHOWN_MAX ? hole_shown(manifest, text, length) : NULL;
        length = length > 0 ? length : 1 + strcspn(text + 1, "$");
        shown = kvb_manifest_join(manifest, shown, hole != NULL ? hole : kvb_manifest_copy(manifest, text, length), "");
    }
    return shown;
}

const char *kvb_template_shown(struct kvb_manifest *manifest, const char *text)
{
    struct kvb_buffer shown;
    if (manifest->filled && strstr(text, "$_") != NULL) {
        return filled_shown(manifest, text);
    }
    if (!manifest->templated || manifest->given == NULL || strstr(text, "$_") == NULL) {
        return text;
    }
    kvb_buffer_init(&shown);
    for (size_t length; *text != '\0'; text += length) {
        length = placeholder_length(text);
        bool looks = length > 0 && manifest->shown++ < SHOWN_MAX;
        const char *name = looks ? kvb_manifest_copy(manifest, text, length) : NULL;
        const char *at = name != NULL ? strstr(manifest->text, name) : NULL;
        length = length > 0 ? length : 1;
        kvb_buffer_add_n(&shown, at != NULL ? manifest->given + (at - manifest->text) : text, length);
    }
    const char *whole = kvb_buffer_text(&shown);
    whole = kvb_manifest_copy(manifest, whole, strlen(whole));
    manifest->out_of_memory = manifest->out_of_memory || shown.failed;
    kvb_buffer_free(&shown);
    return whole != NULL ? whole : "";
}

const char *kvb_template_variable(struct kvb_manifest *manifest, const char *shown)
{
    if (!kvb_starts_with(shown, "{{") && !kvb_starts_with(shown, "${{")) {
        return NULL;
    }
    char *name = kvb_manifest_take(manifest, strlen(shown) + 1);
    for (size_t i = 0; name != NULL && shown[i] != '\0'; i++) {
        name[i] = is_name(shown[i]) ? shown[i] : '_';
    }
    return name != NULL ? kvb_template_core(manifest, name) : NULL;
}
