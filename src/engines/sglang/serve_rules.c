// How rules of flags are asked of a line.
#include "engines/sglang/serve_rules.h"

#include <string.h>

#include "base/python_numbers.h"
#include "base/text.h"
#include "engines/sglang/known_flags.h"

#define NUMBER_LIMIT INT64_C(1000000000000)
#define OPERATORS "=^<>%~"

struct span {
    const char *at; // NULL: not said
    size_t size;
};

static struct span span_of(const char *text)
{
    return (struct span){text, text != NULL ? strlen(text) : 0};
}

static bool is_text(struct span span, const char *text)
{
    return strlen(text) == span.size && strncmp(span.at, text, span.size) == 0;
}

// Names of one argument beside the first.
static const char *first_name(const char *name)
{
    static const char *const rows[][2] = {
        {"tp", "tp-size"},
        {"tensor-parallel-size", "tp-size"},
        {"dp", "dp-size"},
        {"data-parallel-size", "dp-size"},
        {"pp", "pp-size"},
        {"pipeline-parallel-size", "pp-size"},
        {"ep", "ep-size"},
        {"expert-parallel-size", "ep-size"},
        {"moe-data-parallel-size", "moe-dp-size"},
        {"attention-context-parallel-size", "attn-cp-size"},
        {"decode-context-parallel-size", "dcp-size"},
        {"speculative-draft-model", "speculative-draft-model-path"},
    };
    for (size_t i = 0; i < sizeof rows / sizeof rows[0]; i++) {
        if (strcmp(rows[i][0], name) == 0) {
            return rows[i][1];
        }
    }
    return name;
}

// Defaults that a rule asks for: of add_cli_args and the class's fields, alike in all releases that have the rule.
static const char *default_of(struct span name)
{
    static const char *const rows[][2] = {
        {"tp-size", "1"},
        {"dp-size", "1"},
        {"pp-size", "1"},
        {"ep-size", "1"},
        {"nnodes", "1"},
        {"dcp-size", "1"},
        {"moe-dp-size", "1"},
        {"attn-cp-size", "1"},
        {"max-loras-per-batch", "8"},
        {"max-ep-size", "0"},
        {"disaggregation-mode", "null"},
        {"schedule-policy", "fcfs"},
        {"deepep-mode", "auto"},
        {"page-size", "1"},
    };
    for (size_t i = 0; i < sizeof rows / sizeof rows[0]; i++) {
        if (is_text(name, rows[i][0])) {
            return rows[i][1];
        }
    }
    return NULL;
}

// The words behind the flag the last time it is said; an empty one where it has none.
static struct span said(const char *line, struct span name, uint32_t release)
{
    struct span found = {NULL, 0};
    for (const char *at = strchr(line, '\n'); at != NULL; at = strchr(at + 1, '\n')) {
        unsigned matches;
        size_t length = strcspn(at + 1, " =\n"), size = strcspn(at + 1, "\n");
        const struct kvb_sgl_known_flag *row =
            length > 2 ? kvb_sgl_known_flag_of(at + 3, length - 2, release, &matches) : NULL;
        if (row != NULL && is_text(name, first_name(row->name))) {
            found = (struct span){at + 1 + length, size - length};
        }
    }
    return found;
}

static struct span first_word(struct span words)
{
    size_t from = words.size > 0 ? 1 : 0, size = 0;
    while (from + size < words.size && words.at[from + size] != ' ') {
        size++;
    }
    return (struct span){words.at + from, size};
}

static struct span value_of(const char *line, struct span name, uint32_t release)
{
    struct span words = said(line, name, release);
    return words.at != NULL ? first_word(words) : span_of(default_of(name));
}

static bool number_of(struct span value, int64_t *number)
{
    char plain[KVB_PLAIN_CAPACITY];
    struct kvb_python_number real;
    *number = 0;
    if (value.at == NULL) {
        return false;
    }
    if (!kvb_python_write_int(value.at, value.size, plain)) { // of a real one its sign is asked alone
        *number = kvb_python_read_float(value.at, value.size, &real) ? kvb_python_compare(&real, 0) : 0;
        return *number < 0;
    }
    for (const char *c = plain + (plain[0] == '-' ? 1 : 0); *c != '\0' && *number < NUMBER_LIMIT; c++) {
        *number = *number * 10 + (*c - '0');
    }
    *number = plain[0] == '-' ? -*number : *number;
    return true;
}

static bool is_one_of(struct span value, struct span words)
{
    for (size_t from = 0; from < words.size;) {
        size_t size = 0;
        while (from + size < words.size && words.at[from + size] != '|') {
            size++;
        }
        if (size == value.size && strncmp(words.at + from, value.at, size) == 0) {
            return true;
        }
        from += size + 1;
    }
    return false;
}

// A shell's variable: nobody knows.
static bool is_unsaid(struct span value)
{
    return value.at != NULL && memchr(value.at, '$', value.size) != NULL;
}

static bool compares(struct span left, char sign, struct span right)
{
    int64_t a, b;
    if (!number_of(left, &a) || !number_of(right, &b)) {
        return false;
    }
    return sign == '<' ? a < b : sign == '>' ? a > b : b == 0 || a % b != 0;
}

static bool term_holds(struct span term, const char *line, uint32_t release)
{
    size_t length = 0;
    if (term.at[0] == '!') {
        return said(line, (struct span){term.at + 1, term.size - 1}, release).at == NULL;
    }
    while (length < term.size && strchr(OPERATORS, term.at[length]) == NULL) {
        length++;
    }
    struct span name = {term.at, length};
    if (length == term.size) {
        return said(line, name, release).at != NULL;
    }
    struct span right = {term.at + length + 1, term.size - length - 1}, value = value_of(line, name, release);
    if (is_unsaid(value)) {
        return false;
    }
    if (term.at[length] == '=' || term.at[length] == '^') {
        return is_one_of(value.at != NULL ? value : span_of("none"), right) == (term.at[length] == '=');
    }
    if (term.at[length] == '~') {
        return value.at != NULL && memchr(value.at, right.at[0], value.size) != NULL;
    }
    bool flag = right.at[0] >= 'a';
    return compares(value, term.at[length], flag ? value_of(line, right, release) : right);
}

bool kvb_sgl_line_holds(const char *when, const char *line, uint32_t release)
{
    while (*when != '\0') {
        size_t size = strcspn(when, " ");
        if (!term_holds((struct span){when, size}, line, release)) {
            return false;
        }
        when += size + (when[size] == ' ' ? 1 : 0);
    }
    return true;
}

const char *kvb_sgl_line_refusal(const char *line, uint32_t release)
{
    for (size_t i = 0; i < kvb_sgl_line_rule_count; i++) {
        const struct kvb_sgl_line_rule *rule = &kvb_sgl_line_rules[i];
        bool then = release >= rule->since && (rule->until == 0 || release < rule->until);
        if (then && kvb_sgl_line_holds(rule->when, line, release)) {
            return rule->text;
        }
    }
    return NULL;
}
