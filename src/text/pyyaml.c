// Values of a file as PyYAML's safe_load takes them (resolver.py and constructor.py), and as Python writes them again.
#include "text/pyyaml.h"

#include <string.h>

#define DIGITS "0123456789"
#define NUMBER_CAPACITY 80

static bool is_one_of(const char *text, const char *const *words, size_t count)
{
    for (size_t i = 0; i < count; i++) {
        if (strcmp(text, words[i]) == 0) {
            return true;
        }
    }
    return false;
}

bool kvb_node_is_bool(const struct kvb_node *node, bool *value)
{
    static const char *const yes[] = {"yes", "Yes", "YES", "true", "True", "TRUE", "on", "On", "ON"};
    static const char *const no[] = {"no", "No", "NO", "false", "False", "FALSE", "off", "Off", "OFF"};
    if (node->kind != KVB_NODE_SCALAR || node->quoted) {
        return false;
    }
    *value = is_one_of(node->text, yes, sizeof yes / sizeof yes[0]);
    return *value || is_one_of(node->text, no, sizeof no / sizeof no[0]);
}

static size_t sign_of(const char *text)
{
    return *text == '-' || *text == '+' ? 1 : 0;
}

// The base that a whole number is written in, `*skip` what stands before its digits; 0: it is none.
static unsigned base_of(const char *text, size_t *skip)
{
    static const struct {
        const char *before, *first, *digits;
        unsigned base;
    } rows[] = {
        {"0b", "01_", "01_", 2},
        {"0x", "0123456789abcdefABCDEF_", "0123456789abcdefABCDEF_", 16},
        {"0", "01234567_", "01234567_", 8},
        {"", "0", "", 10},
        {"", "123456789", DIGITS "_", 10},
    };
    const char *at = text + sign_of(text);
    for (size_t i = 0; i < sizeof rows / sizeof rows[0]; i++) {
        size_t before = strlen(rows[i].before);
        const char *digits = at + before;
        bool fits = strncmp(at, rows[i].before, before) == 0 && *digits != '\0' && strchr(rows[i].first, *digits);
        if (fits && digits[1 + strspn(digits + 1, rows[i].digits)] == '\0') {
            *skip = (size_t)(digits - text);
            return rows[i].base;
        }
    }
    return 0;
}

// 1:30 is 90.
static bool is_sexagesimal(const char *text)
{
    const char *at = text + sign_of(text);
    if (*at < '1' || *at > '9') {
        return false;
    }
    at += strspn(at, DIGITS "_");
    bool parts = *at == ':';
    while (*at == ':') {
        size_t length = strspn(at + 1, DIGITS);
        if (length == 0 || length > 2 || (length == 2 && at[1] > '5')) {
            return false;
        }
        at += 1 + length;
    }
    return parts && *at == '\0';
}

static unsigned digit_of(char c)
{
    return c <= '9' ? (unsigned)(c - '0') : (unsigned)((c | 0x20) - 'a') + 10;
}

// The number's value, without its sign; false: it is beyond 64 bits.
static bool whole_value(const char *digits, unsigned base, uint64_t *out)
{
    uint64_t value = 0, part = 0;
    for (; *digits != '\0'; digits++) {
        uint64_t digit = digit_of(*digits);
        if (*digits == '_') {
            continue;
        }
        if (*digits == ':') {
            value = (value + part) * 60;
            part = 0;
        } else if (part > (UINT64_MAX - digit) / base || value > UINT64_MAX / 120) {
            return false;
        } else {
            part = part * base + digit;
        }
    }
    *out = value + part;
    return part <= UINT64_MAX - value;
}

static void add_without_underscores(struct kvb_buffer *out, const char *text)
{
    for (; *text != '\0'; text++) {
        kvb_buffer_add_n(out, text, *text == '_' ? 0 : 1);
    }
}

// A number of more than 64 bits stays as it is written.
static bool write_whole(struct kvb_buffer *out, const char *text)
{
    size_t skip = sign_of(text);
    uint64_t value = 0;
    unsigned base = is_sexagesimal(text) ? 10 : base_of(text, &skip);
    if (base == 0) {
        return false;
    }
    if (whole_value(text + skip, base, &value)) {
        kvb_buffer_printf(out, "%s%llu", text[0] == '-' && value > 0 ? "-" : "", (unsigned long long)value);
    } else {
        add_without_underscores(out, text + (text[0] == '+'));
    }
    return true;
}

// A number with a point; its exponent needs a sign, else it is text.
static bool is_fraction(const char *text)
{
    const char *at = text + sign_of(text);
    bool leads = *at >= '0' && *at <= '9';
    at += leads ? strspn(at, DIGITS "_") : 0;
    if (*at != '.' || (!leads && (at[1] < '0' || at[1] > '9' || at != text))) {
        return false;
    }
    at += 1 + strspn(at + 1, DIGITS "_");
    bool power = (*at == 'e' || *at == 'E') && (at[1] == '-' || at[1] == '+') && at[2] != '\0';
    return *at == '\0' || (power && at[2 + strspn(at + 2, DIGITS)] == '\0');
}

// Python has a digit on both sides of the point.
static bool write_fraction(struct kvb_buffer *out, const char *text)
{
    if (!is_fraction(text)) {
        return false;
    }
    const char *point = strchr(text, '.');
    for (const char *at = text + (*text == '+'); *at != '\0'; at++) {
        kvb_buffer_add(out, at == point && at == text ? "0" : "");
        kvb_buffer_add_n(out, at, *at == '_' ? 0 : 1);
        bool bare = at == point && strchr("eE", at[1]) != NULL;
        kvb_buffer_add(out, bare ? "0" : "");
    }
    return true;
}

static bool write_no_number(struct kvb_buffer *out, const char *text, bool json)
{
    static const char *const infinite[] = {".inf", ".Inf", ".INF"}, *const none[] = {".nan", ".NaN", ".NAN"};
    if (is_one_of(text, none, 3)) {
        kvb_buffer_add(out, json ? "NaN" : "nan");
        return true;
    }
    if (is_one_of(text + sign_of(text), infinite, 3)) {
        kvb_buffer_printf(out, "%s%s", text[0] == '-' ? "-" : "", json ? "Infinity" : "inf");
        return true;
    }
    return false;
}

static void add_escaped(struct kvb_buffer *out, const char *text, char quote)
{
    for (; *text != '\0'; text++) {
        bool escaped = *text == quote || *text == '\\';
        if ((unsigned char)*text < 0x20) {
            kvb_buffer_printf(out, quote == '"' ? "\\u%04x" : "\\x%02x", (unsigned)*text);
        } else {
            kvb_buffer_printf(out, escaped ? "\\%c" : "%c", *text);
        }
    }
}

static void write_text(struct kvb_buffer *out, const char *text, enum kvb_python_form form)
{
    if (form == KVB_PYTHON_STR) {
        kvb_buffer_add(out, text);
        return;
    }
    bool twice = form == KVB_PYTHON_JSON || (strchr(text, '\'') != NULL && strchr(text, '"') == NULL);
    const char *quote = twice ? "\"" : "'";
    kvb_buffer_add(out, quote);
    add_escaped(out, text, *quote);
    kvb_buffer_add(out, quote);
}

static void write_scalar(struct kvb_buffer *out, const struct kvb_node *node, enum kvb_python_form form)
{
    bool truth, json = form == KVB_PYTHON_JSON;
    if (kvb_node_is_null(node)) {
        kvb_buffer_add(out, json ? "null" : "None");
    } else if (kvb_node_is_bool(node, &truth)) {
        kvb_buffer_add(out, truth ? (json ? "true" : "True") : (json ? "false" : "False"));
    } else if (node->quoted || (!write_whole(out, node->text) && !write_fraction(out, node->text) &&
                                !write_no_number(out, node->text, json))) {
        write_text(out, node->text, form);
    }
}

void kvb_node_write_python(struct kvb_buffer *out, const struct kvb_node *node, enum kvb_python_form form)
{
    bool mapping = node->kind == KVB_NODE_MAPPING;
    enum kvb_python_form inside = form == KVB_PYTHON_JSON ? KVB_PYTHON_JSON : KVB_PYTHON_REPR;
    if (node->kind == KVB_NODE_SCALAR) {
        write_scalar(out, node, form);
        return;
    }
    kvb_buffer_add(out, mapping ? "{" : "[");
    for (const struct kvb_node *child = node->first; child != NULL; child = child->next) {
        if (mapping) {
            write_text(out, child->key, inside);
            kvb_buffer_add(out, ": ");
        }
        kvb_node_write_python(out, child, inside);
        kvb_buffer_add(out, child->next != NULL ? ", " : "");
    }
    kvb_buffer_add(out, mapping ? "}" : "]");
}
