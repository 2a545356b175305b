// Dotted flags of a serve command: --compilation-config.cudagraph_mode=NONE, -cc.pass_config.x 1.
#include "command/serve_dotted.h"

#include <string.h>

#include "engines/vllm/serve_flags.h"

bool kvb_serve_is_dotted(const char *word)
{
    size_t name = strcspn(word, "=.");
    return word[0] == '-' && name > 1 && word[name] == '.';
}

// Which JSON flag a dotted word belongs to, or NULL.
static const char *flag_of(const char *word)
{
    struct kvb_serve_flag flag;
    size_t length = strcspn(word, "."), used = 0;
    if (length == 2 && strncmp(word, "-O", 2) == 0) {
        return "compilation-config";
    }
    bool is_long = length > 2 && word[1] == '-';
    bool found = is_long ? kvb_serve_flag_find(word + 2, length - 2, &flag) == KVB_SERVE_MATCH
                         : kvb_serve_short_find(word, length, &flag, &used) && used == length;
    if (!found) {
        return NULL;
    }
    return flag.kind == KVB_SERVE_OVERRIDES ? "hf-overrides" : flag.kind == KVB_SERVE_JSON ? flag.json_name : NULL;
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

const char *kvb_serve_dotted_read(int count, const char *const *words, int index, struct kvb_buffer *json)
{
    const char *name = flag_of(words[index]);
    kvb_buffer_init(json);
    for (int i = 0; name != NULL && i < count; i++) {
        const char *other = kvb_serve_is_dotted(words[i]) ? flag_of(words[i]) : NULL;
        if (other == NULL || strcmp(other, name) != 0) {
            continue;
        }
        if (i < index) {
            return name;
        }
        const char *path = strchr(words[i], '.') + 1;
        size_t length = strcspn(path, "=");
        const char *value = path[length] == '=' ? path + length + 1 : i + 1 < count ? words[i + 1] : "";
        kvb_buffer_add(json, json->length > 0 ? ", " : "{");
        add_member(json, path, length, value);
    }
    kvb_buffer_add(json, json->length > 0 ? "}" : "");
    return name;
}
