// Expressions as far as they are written down: literals, lists, mappings, names set above, defaults of look-ups.
#include <stdio.h>
#include <string.h>

#include <kvbudget/units.h>

#include "base/buffer.h"
#include "base/text.h"
#include "manifest/python.h"

#define DEPTH_MAX 40

static struct kvb_py_value unknown(struct kvb_py *py, const char *name, size_t offset)
{
    const char *text = kvb_manifest_join(py->reader.manifest, "${", name, "}");
    return (struct kvb_py_value){.kind = KVB_PY_UNKNOWN, .text = text, .unknown = name, .offset = offset};
}

const struct kvb_py_value *kvb_py_find(const struct kvb_py *py, const char *name)
{
    for (const struct kvb_py_name *each = py->names; each != NULL; each = each->older) {
        if (strcmp(each->name, name) == 0) {
            return &each->value;
        }
    }
    return NULL;
}

const struct kvb_py_value *kvb_py_item(const struct kvb_py_value *value, const char *key)
{
    for (uint32_t i = 0; i < value->count; i++) {
        if (value->items[i].key != NULL && strcmp(value->items[i].key, key) == 0) {
            return &value->items[i];
        }
    }
    return NULL;
}

void kvb_py_add(struct kvb_py *py, struct kvb_py_value *list, struct kvb_py_value item)
{
    if (list->count == list->capacity) {
        uint32_t capacity = list->capacity > 0 ? list->capacity * 2 : 8;
        struct kvb_py_value *items = kvb_manifest_take(py->reader.manifest, capacity * sizeof *items);
        if (items == NULL) {
            return;
        }
        if (list->count > 0) {
            memcpy(items, list->items, list->count * sizeof *items);
        }
        list->items = items;
        list->capacity = capacity;
    }
    list->items[list->count++] = item;
}

void kvb_py_words(struct kvb_py *py, const struct kvb_py_value *list, struct kvb_words *words)
{
    for (uint32_t i = 0; i < list->count; i++) {
        const struct kvb_py_value *item = &list->items[i];
        if (item->kind == KVB_PY_LIST) {
            kvb_py_words(py, item, words);
        } else if (item->kind != KVB_PY_MAPPING) {
            kvb_words_add(py->reader.manifest, words, (struct kvb_arg){item->text, item->offset, item->unknown});
        }
    }
}

// ---- parts

// ${name} inside an f-string by what the names stand for.
static struct kvb_py_value resolve_text(struct kvb_py *py, struct kvb_py_token token)
{
    struct kvb_manifest *manifest = py->reader.manifest;
    struct kvb_py_value value = {.kind = KVB_PY_TEXT, .text = token.text, .offset = token.offset};
    struct kvb_buffer out;
    if (!token.formatted || strstr(token.text, "${") == NULL) {
        return value;
    }
    kvb_buffer_init(&out);
    for (const char *at = token.text; *at != '\0' && out.length <= KVB_EXPANDED_MAX;) {
        size_t length = kvb_starts_with(at, "${") ? strcspn(at, "}") : 0;
        const char *name = length > 2 ? kvb_manifest_copy(manifest, at + 2, length - 2) : "";
        const struct kvb_py_value *known = length > 2 ? kvb_py_find(py, name) : NULL;
        bool fine = known != NULL && known->text != NULL && known->unknown == NULL;
        if (fine) {
            kvb_buffer_add(&out, known->text);
        } else {
            kvb_buffer_add_n(&out, at, length > 2 ? length + 1 : 1);
            value.unknown = length > 2 && value.unknown == NULL ? name : value.unknown;
        }
        at += length > 2 ? length + 1 : 1;
    }
    value.text = kvb_manifest_keep(manifest, &out);
    return value;
}

static struct kvb_py_value read_strings(struct kvb_py *py)
{
    struct kvb_py_value value = resolve_text(py, py->reader.token);
    kvb_py_next(&py->reader);
    while (py->reader.token.kind == KVB_PY_STRING) { // strings side by side are one
        struct kvb_py_value more = resolve_text(py, py->reader.token);
        value.text = kvb_manifest_join(py->reader.manifest, value.text, more.text, "");
        value.unknown = value.unknown != NULL ? value.unknown : more.unknown;
        kvb_py_next(&py->reader);
    }
    return value;
}

static void skip_to_end(struct kvb_py *py)
{
    unsigned depth = 0;
    while (py->reader.token.kind != KVB_PY_END && py->reader.token.kind != KVB_PY_LINE) {
        const char *text = py->reader.token.text;
        bool sign = py->reader.token.kind == KVB_PY_SIGN;
        if (sign && depth == 0 && strchr(",)]}", text[0]) != NULL) {
            return;
        }
        if (sign && strchr("([{", text[0]) != NULL) {
            depth++;
        } else if (sign && depth > 0 && strchr(")]}", text[0]) != NULL) {
            depth--;
        }
        kvb_py_next(&py->reader);
    }
}

static bool ends(const struct kvb_py *py, char closing)
{
    const struct kvb_py_token *token = &py->reader.token;
    return token->kind == KVB_PY_END || (token->kind == KVB_PY_SIGN && token->text[0] == closing);
}

static void close(struct kvb_py *py)
{
    if (py->reader.token.kind == KVB_PY_SIGN) {
        kvb_py_next(&py->reader);
    }
}

static void take_comma(struct kvb_py *py, char closing)
{
    if (!ends(py, closing) && !kvb_py_is(&py->reader, ",")) {
        size_t before = py->reader.at;
        skip_to_end(py); // a comprehension or an operator nobody reads
        if (py->reader.at == before && !ends(py, closing) && !kvb_py_is(&py->reader, ",")) {
            kvb_py_next(&py->reader);
        }
    }
    if (kvb_py_is(&py->reader, ",")) {
        kvb_py_next(&py->reader);
    }
}

static void add_spread(struct kvb_py *py, struct kvb_py_value *list, const struct kvb_py_value *item)
{
    bool known = item->kind == KVB_PY_LIST || item->kind == KVB_PY_MAPPING;
    for (uint32_t i = 0; known && i < item->count; i++) {
        kvb_py_add(py, list, item->items[i]);
    }
}

// Items up to the closing bracket: values, KEY=VALUE, KEY: VALUE, *LIST, **MAPPING.
static struct kvb_py_value read_items(struct kvb_py *py, char closing, enum kvb_py_value_kind kind)
{
    struct kvb_py_value list = {.kind = kind, .offset = py->reader.token.offset};
    kvb_py_next(&py->reader);
    while (!ends(py, closing) && !py->reader.manifest->out_of_memory) {
        bool spread = kvb_py_is(&py->reader, "*") || kvb_py_is(&py->reader, "**");
        if (spread) {
            kvb_py_next(&py->reader);
        }
        size_t place = py->reader.token.offset;
        bool may_be_key = py->reader.token.kind == KVB_PY_NAME || py->reader.token.kind == KVB_PY_STRING;
        const char *first = py->reader.token.text;
        struct kvb_py_value item = kvb_py_value_read(py);
        bool pair = kvb_py_is(&py->reader, "=") || (closing == '}' && kvb_py_is(&py->reader, ":"));
        if (pair) {
            kvb_py_next(&py->reader);
            item = kvb_py_value_read(py);
            item.key = may_be_key ? first : NULL;
            item.offset = closing == ')' ? place : item.offset;
        }
        if (spread) {
            add_spread(py, &list, &item);
        } else if (pair || kind != KVB_PY_MAPPING) {
            kvb_py_add(py, &list, item);
        }
        take_comma(py, closing);
    }
    close(py);
    return list;
}

// "vllm.LLM", "args.model": the whole dotted name.
static const char *read_dotted(struct kvb_py *py)
{
    const char *name = py->reader.token.text;
    kvb_py_next(&py->reader);
    while (kvb_py_is(&py->reader, ".")) {
        kvb_py_next(&py->reader);
        if (py->reader.token.kind != KVB_PY_NAME) {
            break;
        }
        name = kvb_manifest_join(py->reader.manifest, name, ".", py->reader.token.text);
        kvb_py_next(&py->reader);
    }
    return name;
}

static struct kvb_py_value read_call(struct kvb_py *py, const char *callee, size_t offset)
{
    bool speaks = kvb_py_is_speaker(callee);
    py->silent += speaks;
    struct kvb_py_value arguments = read_items(py, ')', KVB_PY_LIST);
    struct kvb_py_value result = unknown(py, kvb_manifest_join(py->reader.manifest, callee, "()", ""), offset);
    kvb_py_call(py, callee, &arguments, offset, &result);
    py->silent -= speaks;
    return result;
}

// Behind a value: calls, indexes and attributes nobody follows.
static void skip_trailers(struct kvb_py *py, struct kvb_py_value *value)
{
    while (kvb_py_is(&py->reader, "(") || kvb_py_is(&py->reader, "[") || kvb_py_is(&py->reader, ".")) {
        bool call = kvb_py_is(&py->reader, "("), index = kvb_py_is(&py->reader, "[");
        if (call || index) {
            (void)read_items(py, call ? ')' : ']', KVB_PY_LIST);
        } else {
            kvb_py_next(&py->reader);
            bool harmless = py->reader.token.kind == KVB_PY_NAME && strcmp(py->reader.token.text, "strip") == 0;
            kvb_py_next(&py->reader);
            if (harmless) {
                continue;
            }
        }
        if (value->kind != KVB_PY_LIST && value->kind != KVB_PY_MAPPING && !(call && value->kind == KVB_PY_TEXT)) {
            *value = unknown(py, value->text != NULL ? value->text : "value", value->offset);
        }
    }
}

static struct kvb_py_value read_name(struct kvb_py *py)
{
    static const char *const words[] = {"True", "False", "None"};
    size_t offset = py->reader.token.offset;
    for (size_t i = 0; i < sizeof words / sizeof words[0]; i++) {
        if (strcmp(py->reader.token.text, words[i]) == 0) {
            kvb_py_next(&py->reader);
            return (struct kvb_py_value){.kind = KVB_PY_WORD, .text = words[i], .offset = offset};
        }
    }
    const char *name = read_dotted(py);
    struct kvb_py_value value;
    if (kvb_py_is(&py->reader, "(")) {
        value = read_call(py, name, offset);
    } else if (strcmp(name, "sys.executable") == 0) {
        value = (struct kvb_py_value){.kind = KVB_PY_TEXT, .text = "python", .offset = offset};
    } else {
        const struct kvb_py_value *known = kvb_py_find(py, name);
        value = known != NULL ? *known : unknown(py, name, offset);
        value.offset = offset;
        value.key = NULL;
    }
    skip_trailers(py, &value);
    return value;
}

static struct kvb_py_value read_part(struct kvb_py *py)
{
    struct kvb_py_token token = py->reader.token;
    struct kvb_py_value value = {.kind = KVB_PY_UNKNOWN, .text = "", .unknown = "value", .offset = token.offset};
    if (token.kind == KVB_PY_STRING) {
        value = read_strings(py);
        kvb_py_emit_text(py, &value);
        skip_trailers(py, &value);
    } else if (token.kind == KVB_PY_NUMBER) {
        value = (struct kvb_py_value){.kind = KVB_PY_WHOLE, .text = token.text, .offset = token.offset};
        kvb_py_next(&py->reader);
    } else if (token.kind == KVB_PY_NAME) {
        value = read_name(py);
    } else if (kvb_py_is(&py->reader, "[") || kvb_py_is(&py->reader, "(")) {
        value = read_items(py, token.text[0] == '[' ? ']' : ')', KVB_PY_LIST);
        bool group = token.text[0] == '(' && value.count == 1 && value.items[0].key == NULL;
        value = group ? value.items[0] : value;
        skip_trailers(py, &value);
    } else if (kvb_py_is(&py->reader, "{")) {
        value = read_items(py, '}', KVB_PY_MAPPING);
    } else if (kvb_py_is(&py->reader, "-") || kvb_py_is(&py->reader, "+")) {
        kvb_py_next(&py->reader);
        value = read_part(py);
        value.unknown = "value";
    }
    return value;
}

// ---- operators

static bool as_whole(const struct kvb_py_value *value, uint64_t *number)
{
    return value->kind == KVB_PY_WHOLE && kvb_parse_whole(value->text, number) && *number < (UINT64_C(1) << 31);
}

static struct kvb_py_value join(struct kvb_py *py, struct kvb_py_value first, struct kvb_py_value second, char sign)
{
    uint64_t a, b;
    if (sign == '+' && first.kind == KVB_PY_LIST && second.kind == KVB_PY_LIST) {
        struct kvb_py_value list = {.kind = KVB_PY_LIST, .offset = first.offset, .named = first.named};
        add_spread(py, &list, &first);
        add_spread(py, &list, &second);
        return list;
    }
    if (sign == '+' && first.kind == KVB_PY_TEXT && second.text != NULL) {
        first.text = kvb_manifest_join(py->reader.manifest, first.text, second.text, "");
        first.unknown = first.unknown != NULL ? first.unknown : second.unknown;
        return first;
    }
    if (as_whole(&first, &a) && as_whole(&second, &b)) {
        char text[32];
        (void)snprintf(text, sizeof text, "%llu", (unsigned long long)(sign == '*' ? a * b : a + b));
        first.text = kvb_manifest_copy(py->reader.manifest, text, strlen(text));
        return first;
    }
    return first.kind == KVB_PY_LIST ? first : unknown(py, first.text != NULL ? first.text : "value", first.offset);
}

static bool is_word(const struct kvb_py *py, const char *word)
{
    return py->reader.token.kind == KVB_PY_NAME && strcmp(py->reader.token.text, word) == 0;
}

struct kvb_py_value kvb_py_value_read(struct kvb_py *py)
{
    struct kvb_py_value value = {.kind = KVB_PY_UNKNOWN, .text = "", .unknown = "value"};
    if (py->depth >= DEPTH_MAX) {
        skip_to_end(py);
        return value;
    }
    py->depth++;
    value = read_part(py);
    for (;;) {
        bool sum = kvb_py_is(&py->reader, "+"), product = kvb_py_is(&py->reader, "*");
        if (sum || product) {
            kvb_py_next(&py->reader);
            value = join(py, value, read_part(py), sum ? '+' : '*');
        } else if (is_word(py, "or")) { // what is known of the two
            kvb_py_next(&py->reader);
            struct kvb_py_value other = read_part(py);
            value = value.unknown != NULL ? other : value;
        } else if (is_word(py, "if")) {
            kvb_py_next(&py->reader);
            while (py->reader.token.kind != KVB_PY_END && py->reader.token.kind != KVB_PY_LINE &&
                   !is_word(py, "else") && !kvb_py_is(&py->reader, ",") && !kvb_py_is(&py->reader, ")") &&
                   !kvb_py_is(&py->reader, "]")) {
                kvb_py_next(&py->reader);
            }
            if (is_word(py, "else")) {
                kvb_py_next(&py->reader);
                struct kvb_py_value other = read_part(py);
                value = value.unknown != NULL ? other : value;
            }
        } else {
            break;
        }
    }
    py->depth--;
    return value;
}
