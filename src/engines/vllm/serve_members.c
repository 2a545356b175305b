// Members of the JSON in a serve line, as the release's own parser puts it together from dotted flags, too.
// Source: vllm/utils/argparse_utils.py FlexibleArgumentParser (vllm/utils.py before 0.9.2).
#include "engines/vllm/serve_members.h"

#include <string.h>

#include "base/text.h"
#include "engines/vllm/release_tables.h"
#include "engines/vllm/serve.h"

#define R(minor, patch) KVB_RELEASE(0, minor, patch)
#define DEPTH_MAX 8
#define VALUES_READ_SINCE R(9, 2)        // as JSON; text before, whatever they are
#define SHORT_COMPILATION_SINCE R(12, 0) // -cc, which was -O before

// Behind the value that begins here; NULL where its line ends before it does.
static const char *behind_value(const char *at)
{
    int depth = 0;
    for (bool quoted = false, escaped = false; *at != '\0' && *at != '\n'; at++) {
        if (quoted) {
            quoted = escaped || *at != '"';
            escaped = !escaped && *at == '\\';
        } else if (depth == 0 && (*at == ',' || *at == '}' || *at == ']')) {
            return at;
        } else {
            quoted = *at == '"';
            depth += *at == '{' || *at == '[';
            depth -= *at == '}' || *at == ']';
        }
    }
    return NULL;
}

// The value that begins behind `from`, and where the next one may.
static bool take_value(const char **at, const char *from, struct kvb_member *out)
{
    const char *end = behind_value(from);
    if (end == NULL) {
        return false;
    }
    out->value = from + strspn(from, " ");
    out->size = (size_t)(end - out->value); // no space ends a value
    while (out->size > 0 && out->value[out->size - 1] == ' ') {
        out->size--;
    }
    *at = *end == ',' ? end + 1 : end;
    return out->size > 0;
}

bool kvb_member_next(const char **at, struct kvb_member *out)
{
    const char *key = *at + strspn(*at, " ,{");
    size_t length = *key == '"' ? strcspn(key + 1, "\"\\\n") : 0;
    if (*key != '"' || key[1 + length] != '"') {
        return false;
    }
    out->key[0] = '\0';
    kvb_append(out->key, KVB_MEMBER_CAPACITY, key + 1, length);
    const char *colon = key + length + 2 + strspn(key + length + 2, " ");
    return *colon == ':' && take_value(at, colon + 1, out);
}

bool kvb_element_next(const char **at, struct kvb_member *out)
{
    return take_value(at, *at + strspn(*at, " ,"), out);
}

// ---- The flag of a line

// -O is the short form of the compilation config to 0.11.2; -O.x is made -cc.x of in 0.12.0 alone.
static const char *long_of_short(const char *line, size_t length, uint32_t release)
{
    if (length == 2 && kvb_starts_with(line, "-O")) {
        bool read = release < SHORT_COMPILATION_SINCE || (line[length] == '.' && release < R(13, 0));
        return read ? "compilation-config" : NULL;
    }
    return kvb_vllm_long_of(line, length, release);
}

static const char *flag_of(const char *line, size_t length, uint32_t release)
{
    unsigned matches;
    if (!kvb_starts_with(line, "--")) {
        return long_of_short(line, length, release);
    }
    const struct kvb_known_flag *row = kvb_flag_of(line + 2, length - 2, release, &matches);
    return row != NULL ? row->name : NULL;
}

// ---- Dotted flags

static bool is_json(const char *value, size_t size)
{
    static const char *const words[] = {"true", "false", "null"};
    for (size_t i = 0; i < sizeof words / sizeof words[0]; i++) {
        if (strlen(words[i]) == size && strncmp(value, words[i], size) == 0) {
            return true;
        }
    }
    size_t sign = *value == '-' ? 1 : 0;
    return (size > 0 && strchr("{[\"", *value) != NULL) ||
           (size > sign && sign + strspn(value + sign, "0123456789.") == size);
}

static void add(char out[KVB_DOTTED_CAPACITY], const char *text, size_t size)
{
    kvb_append(out, KVB_DOTTED_CAPACITY, text, size);
}

static void add_quoted(char out[KVB_DOTTED_CAPACITY], const char *text, size_t size)
{
    kvb_add_text(out, KVB_DOTTED_CAPACITY, "\"");
    for (size_t i = 0; i < size; i++) {
        kvb_add_text(out, KVB_DOTTED_CAPACITY, text[i] == '"' || text[i] == '\\' ? "\\" : "");
        add(out, text + i, 1);
    }
    kvb_add_text(out, KVB_DOTTED_CAPACITY, "\"");
}

// What a name that ends in a plus is given is cut at its commas.
static void add_list(char out[KVB_DOTTED_CAPACITY], const char *value, size_t size)
{
    kvb_add_text(out, KVB_DOTTED_CAPACITY, "[");
    for (size_t at = 0; at < size;) {
        size_t part = strcspn(value + at, ",\n");
        kvb_add_text(out, KVB_DOTTED_CAPACITY, at > 0 ? "," : "");
        add_quoted(out, value + at, part);
        at += part + 1;
    }
    kvb_add_text(out, KVB_DOTTED_CAPACITY, "]");
}

static void add_value(char out[KVB_DOTTED_CAPACITY], const char *value, size_t size, bool list, bool text)
{
    if (list) {
        add_list(out, value, size);
    } else if (!text && is_json(value, size)) {
        add(out, value, size);
    } else {
        add_quoted(out, value, size);
    }
}

// "a.b" and "1" become {"a":{"b":1}}; false where there is no room for it. The path stands behind a dot.
static bool write_member(const char *path, size_t length, const char *value, bool text, char out[KVB_DOTTED_CAPACITY])
{
    size_t depth = 0, size = strcspn(value, "\n");
    bool list = (path + length)[-1] == '+';
    length -= list ? 1 : 0;
    if (length + (list ? 4 * size : 2 * size) + 64 > KVB_DOTTED_CAPACITY) {
        return false;
    }
    out[0] = '\0';
    for (size_t at = 0; at <= length && depth < DEPTH_MAX; depth++) { // a dot alone is a member without a name
        size_t part = strcspn(path + at, ". =+");
        kvb_add_text(out, KVB_DOTTED_CAPACITY, "{\"");
        add(out, path + at, part);
        kvb_add_text(out, KVB_DOTTED_CAPACITY, "\":");
        at += part + 1;
    }
    add_value(out, value, size, list, text);
    for (; depth > 0; depth--) {
        kvb_add_text(out, KVB_DOTTED_CAPACITY, "}");
    }
    return true;
}

const char *kvb_json_of_line(const char *line, uint32_t release, char flag[KVB_MEMBER_CAPACITY],
                             char dotted[KVB_DOTTED_CAPACITY])
{
    size_t length = strcspn(line, " =.\n");
    const char *name = flag_of(line, length, release);
    if (name == NULL) {
        return NULL;
    }
    (void)kvb_copy(flag, KVB_MEMBER_CAPACITY, name);
    if (line[length] != '.') {
        const char *value = line + length + (line[length] == ' ' || line[length] == '=' ? 1 : 0);
        return *value == '{' ? value : NULL;
    }
    const char *path = line + length + 1;
    size_t size = strcspn(path, " =\n");
    bool given = path[size] == ' ' || path[size] == '=';
    bool text = release < VALUES_READ_SINCE;
    return given && write_member(path, size, path + size + 1, text, dotted) ? dotted : NULL;
}
