// Dotted flags of a serve command: --compilation-config.cudagraph_mode=NONE, -cc.pass_config.x 1.
#include "command/serve_dotted.h"

#include <string.h>

#include "base/text.h"

#define DOTTED_MAX 32
#define DEPTH_MAX 16 // deeper dots are part of the name

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

// A dotted word of the flag: what follows its first dot, and its value.
struct dotted {
    const char *path;
    size_t length;
    const char *value;
};

// The words of one flag; more of them than there is room for are left out.
struct group {
    struct dotted words[DOTTED_MAX];
    size_t count;
};

static void add_word(struct group *group, const char *word, const char *next)
{
    struct dotted *out = &group->words[group->count];
    if (group->count == DOTTED_MAX) {
        return;
    }
    out->path = strchr(word, '.') + 1;
    out->length = strcspn(out->path, "=");
    out->value = out->path[out->length] == '=' ? out->path + out->length + 1 : next;
    out->length -= out->length > 0 && out->path[out->length - 1] == '+' ? 1 : 0;
    group->count++;
}

// Whether the word lies below the first `length` letters of another one's path, or at them.
static bool is_below(const struct dotted *word, const struct dotted *other, size_t length)
{
    return word->length >= length && memcmp(word->path, other->path, length) == 0 &&
           (word->length == length || word->path[length] == '.');
}

// The last word that gives this very member; NULL: it is a mapping.
static const struct dotted *value_of(const struct group *group, const struct dotted *member, size_t length)
{
    const struct dotted *found = NULL;
    for (size_t i = 0; i < group->count; i++) {
        const struct dotted *word = &group->words[i];
        found = word->length == length && is_below(word, member, length) ? word : found;
    }
    return found;
}

static bool was_before(const struct group *group, size_t index, size_t length)
{
    for (size_t i = 0; i < index; i++) {
        if (is_below(&group->words[i], &group->words[index], length)) {
            return true;
        }
    }
    return false;
}

static void add_value(struct kvb_buffer *json, const char *value)
{
    if (is_json(value)) {
        kvb_buffer_add(json, value);
    } else {
        add_text(json, value, strlen(value));
    }
}

// "a.b 1" and "a.c 2" become {"a": {"b": 1, "c": 2}}; of two that give one member the later counts. `above`: the path
// that leads here, NULL at the top.
static void add_members(struct kvb_buffer *json, const struct group *group, const struct dotted *above, size_t begin,
                        unsigned depth)
{
    bool first = true;
    kvb_buffer_add(json, "{");
    for (size_t i = 0; i < group->count; i++) {
        const struct dotted *word = &group->words[i];
        bool inside = above == NULL || (word->length > begin && is_below(word, above, begin - 1));
        const char *dot = inside && depth < DEPTH_MAX ? memchr(word->path + begin, '.', word->length - begin) : NULL;
        size_t end = dot != NULL ? (size_t)(dot - word->path) : word->length;
        if (!inside || was_before(group, i, end)) {
            continue;
        }
        const struct dotted *value = value_of(group, word, end);
        kvb_buffer_add(json, first ? "" : ", ");
        add_text(json, word->path + begin, end - begin);
        kvb_buffer_add(json, ": ");
        if (value != NULL) {
            add_value(json, value->value);
        } else {
            add_members(json, group, word, end + 1, depth + 1);
        }
        first = false;
    }
    kvb_buffer_add(json, "}");
}

// Words of one spelling of a flag make up one value.
static bool is_same_spelling(const char *word, const char *other)
{
    size_t length = strcspn(word, ".");
    bool same = strcspn(other, ".") == length;
    for (size_t i = 0; same && i < length; i++) {
        same = (word[i] == '_' ? '-' : word[i]) == (other[i] == '_' ? '-' : other[i]);
    }
    return same;
}

static bool is_first_of_spelling(const char *const *words, int index)
{
    for (int i = 0; i < index; i++) {
        if (kvb_serve_is_dotted(words[i]) && is_same_spelling(words[i], words[index])) {
            return false;
        }
    }
    return true;
}

static bool gives(const struct kvb_engine_rows *engine, const char *word, const struct kvb_serve_flag *flag)
{
    const struct kvb_serve_flag *other = NULL;
    size_t length = strcspn(word, "="), used = 0;
    if (kvb_starts_with(word, "--")) {
        (void)kvb_serve_flag_find(engine, word + 2, length - 2, &other);
    } else if (word[0] == '-') {
        other = kvb_serve_short_find(engine, word, length, &used);
    }
    return other == flag;
}

bool kvb_serve_is_replaced(const struct kvb_engine_rows *engine, int count, const char *const *words, int index,
                           const struct kvb_serve_flag *flag)
{
    if ((engine->traits & KVB_SERVE_DOTS) == 0 || (flag->kind != KVB_SERVE_JSON && flag->kind != KVB_SERVE_OVERRIDES)) {
        return false;
    }
    for (int i = 0; i < count; i++) {
        const struct kvb_serve_flag *dotted = kvb_serve_is_dotted(words[i]) ? flag_of(engine, words[i]) : NULL;
        if (i > index && gives(engine, words[i], flag)) {
            return true;
        }
        if (dotted != NULL && strcmp(dotted->part, flag->part) == 0) {
            return true;
        }
    }
    return false;
}

const struct kvb_serve_flag *kvb_serve_dotted_read(const struct kvb_engine_rows *engine, int count,
                                                   const char *const *words, int index, struct kvb_buffer *json)
{
    const struct kvb_serve_flag *flag = flag_of(engine, words[index]);
    struct group group = {.count = 0};
    kvb_buffer_init(json);
    for (int i = 0; flag != NULL && i < count; i++) {
        const struct kvb_serve_flag *other = kvb_serve_is_dotted(words[i]) ? flag_of(engine, words[i]) : NULL;
        if (other == NULL || strcmp(other->part, flag->part) != 0) {
            continue;
        }
        bool same = is_same_spelling(words[i], words[index]);
        if (i < index && same) {
            return flag; // read with the first of them
        }
        if (i > index && !same && is_first_of_spelling(words, i)) {
            return flag; // the words of that spelling come behind
        }
        if (same) {
            add_word(&group, words[i], i + 1 < count ? words[i + 1] : "");
        }
    }
    if (group.count > 0) {
        add_members(json, &group, NULL, 0, 0);
    }
    return flag;
}
