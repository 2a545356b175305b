// What pydantic reads a member of JSON as, by the type of its field, when no other type fits better (its lax mode).
#include "engines/vllm/serve_member_types.h"

#include <string.h>

#include "base/python_numbers.h"
#include "base/text.h"
#include "engines/vllm/refusal.h"

#define SUFFIXES_SINCE KVB_RELEASE(0, 20, 0) // _expand_json_human_readable_numbers

bool kvb_vllm_member_is(const struct kvb_member *member, const char *text)
{
    return strlen(text) == member->size && strncmp(text, member->value, member->size) == 0;
}

bool kvb_vllm_has_member(const char *mapping, const char *key)
{
    struct kvb_member member;
    bool found = false;
    for (const char *at = mapping; kvb_member_next(&at, &member);) {
        found |= strcmp(member.key, key) == 0 && !kvb_vllm_member_is(&member, "null");
    }
    return found;
}

// ---- Types

static bool is_truth(const struct kvb_member *member)
{
    return kvb_vllm_member_is(member, "true") || kvb_vllm_member_is(member, "false");
}

// The number inside quotes, or without the suffix of thousands that may stand behind a bare one.
static const char *number_of(const struct kvb_member *member, bool suffixes, size_t *size)
{
    bool quoted = member->value[0] == '"';
    const char *text = member->value + quoted;
    *size = member->size - 2 * (size_t)quoted;
    bool suffixed = suffixes && !quoted && strchr("kKmMgGtT", text[*size - 1]) != NULL;
    *size -= suffixed;
    return text;
}

// Both truths are numbers.
static bool is_number(const struct kvb_member *member, bool suffixes)
{
    struct kvb_python_number number;
    size_t size;
    const char *text = number_of(member, suffixes, &size);
    return is_truth(member) || kvb_python_read_float(text, size, &number);
}

// 2.0 is a whole number to pydantic, and so is 1e3, but not as text.
static bool is_integer(const struct kvb_member *member, bool suffixes)
{
    size_t size, whole = 0;
    const char *text = number_of(member, suffixes, &size);
    while (whole < size && text[whole] != '.') {
        whole++;
    }
    size_t zeros = whole < size ? strspn(text + whole + 1, "0") : 0;
    bool plain = kvb_python_is_int(text, whole) && (whole == size || whole + 1 + zeros == size);
    bool scaled = text + size != member->value + member->size || memchr(text, 'e', size) != NULL;
    return plain || is_truth(member) || (member->value[0] != '"' && scaled && is_number(member, suffixes));
}

// Words of a truth, whatever the case: those that are false stand behind the others.
static const char *const truths[] = {"true", "1", "yes", "on", "t", "y", "false", "0", "no", "off", "f", "n"};
#define TRUE_WORDS 6

// Which of the words it is; their number: none.
static size_t truth_of(const struct kvb_member *member)
{
    char text[8] = "";
    bool quoted = member->value[0] == '"';
    size_t at = 0, count = sizeof truths / sizeof truths[0];
    kvb_append(text, sizeof text, member->value + quoted, member->size - 2 * (size_t)quoted);
    while (at < count &&
           !(kvb_equal_ignoring_case(truths[at], text) && (quoted || is_truth(member) || kvb_is_digit(text[0])))) {
        at++;
    }
    return at;
}

static bool is_boolean(const struct kvb_member *member)
{
    return truth_of(member) < sizeof truths / sizeof truths[0];
}

bool kvb_vllm_member_says(const struct kvb_member *member, const char *text)
{
    bool yes = strcmp(text, "true") == 0;
    if (!yes && strcmp(text, "false") != 0) {
        return kvb_vllm_member_is(member, text);
    }
    return is_boolean(member) && (truth_of(member) < TRUE_WORDS) == yes;
}

static bool fits(char type, const struct kvb_member *member, bool suffixes)
{
    switch (type) {
    case 's':
        return member->value[0] == '"';
    case 'm':
        return member->value[0] == '{';
    case 'l':
        return member->value[0] == '[';
    case 'i':
        return is_integer(member, suffixes);
    case 'f':
        return is_number(member, suffixes);
    case 'b':
        return is_boolean(member);
    default:
        return kvb_vllm_member_is(member, "null");
    }
}

static const char *name_of(char type)
{
    return type == 's'   ? "string"
           : type == 'm' ? "dictionary"
           : type == 'l' ? "list"
           : type == 'i' ? "integer"
           : type == 'f' ? "number"
                         : "boolean";
}

// ---- Bounds

// Whole numbers alone have bounds; what is as long as twenty digits is above all of them.
static bool is_below(const struct kvb_member *member, uint64_t least)
{
    const char *at = member->value + (member->value[0] == '"' ? 1 : 0);
    uint64_t number = kvb_vllm_member_is(member, "true") ? 1 : 0;
    if (*at == '-') {
        return true;
    }
    for (size_t i = 0; kvb_is_digit(at[i]) && i < 19; i++) {
        number = number * 10 + (uint64_t)(at[i] - '0');
    }
    return number < least;
}

static bool fits_one(const char *types, const struct kvb_member *member, uint32_t release)
{
    bool taken = false;
    for (; *types != '\0'; types++) {
        taken |= fits(*types, member, release >= SUFFIXES_SINCE);
    }
    return taken;
}

// Whether an element of the list, or a value of the mapping, is of none of the types it may be of; what a shell puts
// there is not known.
static bool holds_others(const struct kvb_known_key_type *row, const struct kvb_member *whole, uint32_t release)
{
    struct kvb_member part;
    const char *at = whole->value + 1;
    bool list = whole->value[0] == '[', others = false;
    bool asked = row->elements[0] != '\0' && (list || whole->value[0] == '{');
    while (asked && !others && (list ? kvb_element_next(&at, &part) : kvb_member_next(&at, &part))) {
        others = memchr(part.value, '$', part.size) == NULL && !fits_one(row->elements, &part, release);
    }
    return others;
}

bool kvb_vllm_member_slips(const struct kvb_known_key_type *row, const struct kvb_member *member, uint32_t release,
                           char out[64])
{
    char number[24];
    bool taken = fits_one(row->types, member, release);
    out[0] = '\0';
    if (!taken || holds_others(row, member, release)) {
        const char *types = taken ? row->elements : row->types;
        kvb_add_text(out, 64, "Input should be a valid ");
        kvb_add_text(out, 64, name_of(types[0] == 'n' ? types[1] : types[0]));
        return true;
    }
    bool above = row->bound == '>', bounded = row->bound != ' ' && !kvb_vllm_member_is(member, "null");
    if (!bounded || !is_below(member, (uint64_t)row->least + above)) {
        return false;
    }
    kvb_add_text(out, 64, above ? "Input should be greater than " : "Input should be greater than or equal to ");
    kvb_add_text(out, 64, kvb_refusal_count(number, row->least));
    return true;
}
