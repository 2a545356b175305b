// How rules of flags are asked of a line.
#include "engines/sglang/serve_rules.h"

#include <string.h>

#include "base/python_numbers.h"
#include "base/text.h"
#include "budget/shapes.h"
#include "engines/sglang/context.h"
#include "engines/sglang/known_flags.h"
#include "engines/sglang/say.h"

#define NUMBER_LIMIT INT64_C(100000000) // a product of two of ten times that fits
#define OPERATORS "=^<>%~#{}"

// What is asked: a line, and the plan it belongs to or NULL.
struct asked {
    const char *line;
    uint32_t release;
    const struct kvb_plan *plan;
    bool noted;      // a variable of ours is set
    char digits[24]; // of the fact asked for last
};

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
        {"speculative-dflash-draft-window-size", "speculative-draft-window-size"},
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
        {"max-prefill-tokens", "16384"},
        {"mamba-track-interval", "256"},
        {"hicache-size", "0"},
        {"max-ep-size", "0"},
        {"disaggregation-mode", "null"},
        {"schedule-policy", "fcfs"},
        {"deepep-mode", "auto"},
        {"page-size", "1"},
        {"moe-a2a-backend", "none"},
        {"node-rank", "0"},
        {"elastic-ep-join-rank-offset", "0"},
    };
    for (size_t i = 0; i < sizeof rows / sizeof rows[0]; i++) {
        if (is_text(name, rows[i][0])) {
            return rows[i][1];
        }
    }
    return NULL;
}

// The words behind the flag the last time it is said; an empty one where it has none.
static struct span said_alone(const struct asked *asked, struct span name)
{
    struct span found = {NULL, 0};
    for (const char *at = strchr(asked->line, '\n'); at != NULL; at = strchr(at + 1, '\n')) {
        unsigned matches;
        size_t length = strcspn(at + 1, " =\n"), size = strcspn(at + 1, "\n");
        const struct kvb_sgl_known_flag *row =
            length > 2 ? kvb_sgl_known_flag_of(at + 3, length - 2, asked->release, &matches) : NULL;
        if (row != NULL && is_text(name, first_name(row->name))) {
            found = (struct span){at + 1 + length, size - length};
        }
    }
    return found;
}

// The same of several flags, a/b: the first of them that is said.
static struct span said(const struct asked *asked, struct span names)
{
    struct span found = {NULL, 0};
    while (found.at == NULL && names.size > 0) {
        size_t size = 0;
        while (size < names.size && names.at[size] != '/') {
            size++;
        }
        found = said_alone(asked, (struct span){names.at, size});
        size += size < names.size ? 1 : 0;
        names = (struct span){names.at + size, names.size - size};
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

static uint64_t chunk_of(const struct kvb_plan *plan)
{
    struct kvb_sgl_context context;
    kvb_sgl_context_init(plan, &context);
    uint64_t tokens = context.setup.chunk_tokens;
    tokens = tokens > 0 ? tokens : context.defaults.chunk_tokens;
    return tokens == KVB_SGL_OFF ? 0 : tokens / kvb_sgl_attention_groups(&context.setup);
}

// The backend of attention for a part of the work: the first of the flags that is said, or the release's choice.
static struct span backend_of(const struct asked *asked, const char *flags)
{
    struct span words = said(asked, span_of(flags));
    if (words.at != NULL) {
        return first_word(words);
    }
    struct kvb_sgl_context context;
    kvb_sgl_context_init(asked->plan, &context);
    return span_of(kvb_sgl_backend_name(context.setup.backend));
}

// What a rule asks of the plan.
static struct span fact_of(struct asked *asked, struct span name)
{
    const struct kvb_plan *plan = asked->plan;
    const char *method = plan->model.quantisation.name;
    bool mla = kvb_model_is_mla(&plan->model);
    if (is_text(name, "@class")) {
        return span_of(plan->model.architecture);
    }
    if (is_text(name, "@method")) {
        return span_of(method[0] != '\0' ? method : "none");
    }
    if (is_text(name, "@chunk")) {
        return span_of(asked->noted ? NULL : kvb_sgl_digits(asked->digits, chunk_of(plan)));
    }
    if (is_text(name, "@sm")) {
        bool cuda = plan->gpu.vendor == KVB_VENDOR_NVIDIA;
        return span_of(kvb_sgl_digits(asked->digits, cuda ? plan->gpu.compute_capability : 0));
    }
    if (is_text(name, "@prefill")) {
        return backend_of(asked, "prefill-attention-backend/attention-backend");
    }
    if (is_text(name, "@decode")) {
        return backend_of(asked, "decode-attention-backend/attention-backend");
    }
    if (is_text(name, "@states")) {
        return span_of(kvb_sgl_has_states(&plan->model) ? "1" : "0");
    }
    bool sparse = mla && kvb_kind_of(&plan->model, 0)->attention.index_heads > 0;
    return span_of((is_text(name, "@mla") ? mla : sparse) ? "1" : "0");
}

static struct span value_of(struct asked *asked, struct span name)
{
    if (name.at[0] == '@') {
        return fact_of(asked, name);
    }
    struct span words = said(asked, name);
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

// Of numbers and flags with * between; false where one of them is not said.
static bool product_of(struct asked *asked, struct span factors, int64_t *product)
{
    *product = 1;
    for (size_t from = 0; from < factors.size;) {
        struct span factor = {factors.at + from, 0};
        while (from + factor.size < factors.size && factor.at[factor.size] != '*') {
            factor.size++;
        }
        int64_t number;
        if (!number_of(factor.at[0] >= 'a' ? value_of(asked, factor) : factor, &number)) {
            return false;
        }
        *product *= number;
        from += factor.size + 1;
    }
    return true;
}

static bool compares(struct asked *asked, struct span left, char sign, struct span right)
{
    int64_t a, b;
    if (!number_of(left, &a) || !product_of(asked, right, &b)) {
        return false;
    }
    return sign == '<' ? a < b : sign == '>' ? a > b : b == 0 || a % b != 0;
}

static size_t count_of(struct span words)
{
    size_t count = 0;
    for (size_t i = 1; i < words.size; i++) {
        count += words.at[i] != ' ' && (words.at[i - 1] == ' ' || i == 1) ? 1 : 0;
    }
    return count;
}

// The end of a text in double quotes that begins at `from`.
static size_t text_end(struct span json, size_t from)
{
    size_t at = from + 1;
    while (at < json.size && json.at[at] != '"') {
        at += json.at[at] == '\\' ? 2 : 1;
    }
    return at;
}

static size_t blanks_end(struct span json, size_t from)
{
    while (from < json.size && json.at[from] == ' ') {
        from++;
    }
    return from;
}

// Whether a mapping, which is valid JSON, has a key of its own that is none of the words (sign {), or one of them with
// a value that is no mapping (sign }).
static bool has_member(struct span json, char sign, struct span words)
{
    unsigned depth = 0;
    for (size_t at = 0; at < json.size; at++) {
        char c = json.at[at];
        depth += c == '{' || c == '[' ? 1 : 0;
        depth -= c == '}' || c == ']' ? 1 : 0;
        if (c != '"') {
            continue;
        }
        size_t end = text_end(json, at), behind = blanks_end(json, end + 1);
        bool key = depth == 1 && behind < json.size && json.at[behind] == ':';
        bool listed = key && is_one_of((struct span){json.at + at + 1, end - at - 1}, words);
        bool mapping = listed && json.at[blanks_end(json, behind + 1)] == '{';
        if (key && (sign == '{' ? !listed : listed && !mapping)) {
            return true;
        }
        at = end;
    }
    return false;
}

// Terms about all words behind a flag.
static bool words_hold(struct asked *asked, struct span words, char sign, struct span right)
{
    int64_t most;
    if (words.at == NULL || is_unsaid(words)) {
        return false;
    }
    if (sign != '#') {
        return has_member(words, sign, right);
    }
    return product_of(asked, right, &most) && (int64_t)count_of(words) > most;
}

static bool term_holds(struct span term, struct asked *asked)
{
    size_t length = 0;
    if (term.at[0] == '!') {
        return said(asked, (struct span){term.at + 1, term.size - 1}).at == NULL;
    }
    while (length < term.size && strchr(OPERATORS, term.at[length]) == NULL) {
        length++;
    }
    struct span name = {term.at, length};
    if (length == term.size) {
        return said(asked, name).at != NULL;
    }
    char sign = term.at[length];
    struct span right = {term.at + length + 1, term.size - length - 1};
    if (sign == '#' || sign == '{' || sign == '}') {
        return words_hold(asked, said(asked, name), sign, right);
    }
    struct span value = value_of(asked, name);
    if (is_unsaid(value)) {
        return false;
    }
    if (sign == '=' || sign == '^') {
        return is_one_of(value.at != NULL ? value : span_of("none"), right) == (sign == '=');
    }
    if (sign == '~') {
        return value.at != NULL && memchr(value.at, right.at[0], value.size) != NULL;
    }
    return compares(asked, value, sign, right);
}

static bool line_holds(const char *when, struct asked *asked)
{
    while (*when != '\0') {
        size_t size = strcspn(when, " ");
        if (!term_holds((struct span){when, size}, asked)) {
            return false;
        }
        when += size + (when[size] == ' ' ? 1 : 0);
    }
    return true;
}

static const char *refusal(const struct kvb_sgl_line_rule *rules, size_t count, struct asked *asked)
{
    for (size_t i = 0; i < count; i++) {
        bool then = asked->release >= rules[i].since && (rules[i].until == 0 || asked->release < rules[i].until);
        if (then && line_holds(rules[i].when, asked)) {
            return rules[i].text;
        }
    }
    return NULL;
}

bool kvb_sgl_line_holds(const char *when, const char *line, uint32_t release)
{
    return line_holds(when, &(struct asked){.line = line, .release = release});
}

const char *kvb_sgl_line_refusal(const char *line, uint32_t release)
{
    struct asked asked = {.line = line, .release = release};
    const char *refused = refusal(kvb_sgl_line_rules, kvb_sgl_line_rule_count, &asked);
    return refused != NULL ? refused : refusal(kvb_sgl_feature_rules, kvb_sgl_feature_rule_count, &asked);
}

const char *kvb_sgl_plan_refusal(const struct kvb_deployment *deployment, const struct kvb_plan *plan)
{
    struct asked asked = {.line = deployment->serve_flags,
                          .release = plan->engine.release,
                          .plan = plan,
                          .noted = deployment->environment.noted[0] != '\0'};
    return refusal(kvb_sgl_plan_rules, kvb_sgl_plan_rule_count, &asked);
}

bool kvb_sgl_lacks_tower(const struct kvb_plan *plan)
{
    struct asked asked = {.line = "\n--language-only\n", .release = plan->engine.release, .plan = plan};
    return refusal(kvb_sgl_plan_rules, kvb_sgl_plan_rule_count, &asked) != NULL;
}
