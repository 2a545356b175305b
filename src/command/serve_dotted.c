// Dotted flags of a serve command: --compilation-config.cudagraph_mode=NONE, -cc.pass_config.x 1.
#include "command/serve_dotted.h"

#include <string.h>

bool kvb_serve_is_dotted(const char *word)
{
    size_t name = strcspn(word, "=.");
    return word[0] == '-' && name > 1 && word[name] == '.';
}

// Which JSON flag a dotted word belongs to, or NULL.
static const struct kvb_serve_flag *flag_of(const struct kvb_engine_rows *engine, const char *word)
{
    const struct kvb_serve_flag *flag = NULL;
    size_t length = strcspn(word, "."), used = 0;
    bool is_long = length > 2 && word[1] == '-';
    if (is_long && kvb_serve_flag_find(engine, word + 2, length - 2, &flag) != KVB_SERVE_MATCH) {
        return NULL;
    }
    if (!is_long) {
        flag = kvb_serve_short_find(engine, word, length, &used);
    }
    bool json = flag != NULL && flag->part != NULL &&
                (flag->kind == KVB_SERVE_JSON || flag->kind == KVB_SERVE_OVERRIDES || flag->kind == KVB_SERVE_OWN);
    return json && (is_long || used == length) ? flag : NULL;
}

static bool is_json(const char *value)
{
    static const char *const words[] = {"true", "false", "null"};
    for (size_t i = 0; i < sizeof words / sizeof words[0]; i++) {
        if (strcmp(value, words[i]) == 0) {
            return true;
        }
    }
    size_t digits = strspn(value, "0123456789.");
    return value[0] == '{' || value[0] == '[' || value[0] == '"' || (digits > 0 && value[digits] == '\0');
}

static void add_text(struct kvb_buffer *json, const char *text, size_t length)
{
    kvb_buffer_add(json, "\"");
    for (size_t i = 0; i < length; i++) {
        kvb_buffer_add(json, text[i] == '"' || text[i] == '\\' ? "\\" : "");
        kvb_buffer_add_n(json, text + i, 1);
    }
    kvb_buffer_add(json, "\"");
}

// "a.b" and "1" become "a": {"b": 1}.
static void add_member(struct kvb_buffer *json, const char *path, size_t length, const char *value)
{
    unsigned depth = 0;
    size_t at = 0;
    while (at < length) {
        size_t part = 0;
        while (at + part < length && path[at + part] != '.') {
            part++;
        }
        add_text(json, path + at, part > 0 && path[at + part - 1] == '+' ? part - 1 : part);
        kvb_buffer_add(json, ": ");
        at += part + 1;
        if (at < length) {
            kvb_buffer_add(json, "{");
            depth++;
        }
    }
    if (is_json(value)) {
        kvb_buffer_add(json, value);
    } else {
        add_text(json, value, strlen(value));
    }
    kvb_buffer_fill(json, '}', depth);
}

const struct kvb_serve_flag *kvb_serve_dotted_read(const struct kvb_engine_rows *engine, int count,
                                                   const char *const *words, int index, struct kvb_buffer *json)
{
    const struct kvb_serve_flag *flag = flag_of(engine, words[index]);
    kvb_buffer_init(json);
    for (int i = 0; flag != NULL && i < count; i++) {
        const struct kvb_serve_flag *other = kvb_serve_is_dotted(words[i]) ? flag_of(engine, words[i]) : NULL;
        if (other == NULL || strcmp(other->part, flag->part) != 0) {
            continue;
        }
        if (i < index) {
            return flag;
        }
        const char *path = strchr(words[i], '.') + 1;
        size_t length = strcspn(path, "=");
        const char *value = path[length] == '=' ? path + length + 1 : i + 1 < count ? words[i + 1] : "";
        kvb_buffer_add(json, json->length > 0 ? ", " : "{");
        add_member(json, path, length, value);
    }
    kvb_buffer_add(json, json->length > 0 ? "}" : "");
    return flag;
}
