// Settings from argument dumps and echoed commands.
#include "logs/settings.h"

#include <string.h>

#include <kvbudget/units.h>

#include "base/checked.h"
#include "base/text.h"
#include "logs/clean.h"
#include "logs/line_text.h"
#include "logs/pattern.h"

#define VALUE_CAPACITY 128
#define KEY_CAPACITY 64

// What other dumps call a setting of vLLM.
struct synonym_row {
    const char *name;
    const char *key;
};
static const struct synonym_row synonym_rows[] = {
    {"max_seq_len", "max_model_len"},
    {"cache_dtype", "kv_cache_dtype"},
    {"chunked_prefill_enabled", "enable_chunked_prefill"},
    {"tp_size", "tensor_parallel_size"},
    {"pp_size", "pipeline_parallel_size"},
    {"dp_size", "data_parallel_size"},
    {"tp", "tensor_parallel_size"},
    {"pp", "pipeline_parallel_size"},
    {"dp", "data_parallel_size"},
    {"q", "quantization"},
    {"context_length", "max_model_len"},
    {"max_running_requests", "max_num_seqs"},
    {"chunked_prefill_size", "max_num_batched_tokens"},
    {"page_size", "block_size"},
    {"disable_cuda_graph", "enforce_eager"},
};

static const char *const model_keys[] = {"model", "model_tag", "model_path"};

static const char *canonical(const char *name)
{
    for (size_t i = 0; i < sizeof synonym_rows / sizeof synonym_rows[0]; i++) {
        if (strcmp(synonym_rows[i].name, name) == 0) {
            return synonym_rows[i].key;
        }
    }
    return name;
}

static bool is_none(const char *value)
{
    return strcmp(value, "None") == 0 || strcmp(value, "null") == 0 || value[0] == '\0';
}

static bool switch_value(const char *value, uint64_t *number)
{
    *number = kvb_equal_ignoring_case(value, "true") || strcmp(value, "1") == 0;
    return *number != 0 || kvb_equal_ignoring_case(value, "false") || strcmp(value, "0") == 0;
}

static void set_setting(const char *key, const char *value, struct kvb_settings *settings)
{
    char why[256];
    uint64_t number;
    for (unsigned i = 0; i < KVB_SETTING_COUNT; i++) {
        const struct kvb_setting_row *row = kvb_setting_row_of(i);
        if (row->kind == KVB_VALUE_PART || strcmp(row->key, key) != 0) {
            continue;
        }
        if (row->kind == KVB_VALUE_WORD) {
            value += strncmp(value, "torch.", 6) == 0 ? 6 : 0;
        }
        bool read = row->kind == KVB_VALUE_SWITCH ? switch_value(value, &number)
                                                  : kvb_setting_parse((enum kvb_setting)i, value, &number, why);
        if (read) {
            kvb_settings_set(settings, (enum kvb_setting)i, number, KVB_ORIGIN_COMMAND);
        }
        return;
    }
}

static void set_static_fraction(const char *value, struct kvb_log_value *fraction)
{
    struct kvb_hole holes[KVB_HOLES_MAX];
    size_t end;
    if (kvb_pattern_match("{ppm}", value, strlen(value), 0, holes, &end) && holes[0].value >= 0 &&
        holes[0].value <= KVB_PPM) {
        fraction->set = true;
        fraction->value = fraction->low = fraction->high = holes[0].value;
    }
}

// Settings that are members of another: 'speculative_config': {'method': 'mtp', 'num_speculative_tokens': 3}.
static const struct {
    const char *dump, *member;
    enum kvb_setting setting;
} member_rows[] = {
    {"speculative_config", "method", KVB_SET_SPECULATIVE_METHOD},
    {"speculative_config", "num_speculative_tokens", KVB_SET_NUM_SPECULATIVE_TOKENS},
    {"limit_mm_per_prompt", "image", KVB_SET_LIMIT_IMAGES},
    {"limit_mm_per_prompt", "video", KVB_SET_LIMIT_VIDEOS},
    {"limit_mm_per_prompt", "audio", KVB_SET_LIMIT_AUDIOS},
};

// The plain value of 'member' in a dictionary; false when it has none.
static bool find_member(const char *dictionary, const char *member, char value[VALUE_CAPACITY])
{
    size_t length = strlen(member);
    for (const char *at = strchr(dictionary, '\''); at != NULL; at = strchr(at + 1, '\'')) {
        if (strncmp(at + 1, member, length) != 0 || strncmp(at + 1 + length, "': ", 3) != 0) {
            continue;
        }
        const char *from = at + length + 4;
        from += *from == '\'';
        size_t taken = strcspn(from, "',}");
        memcpy(value, from, taken); // the dictionary itself is no longer
        value[taken] = '\0';
        return taken > 0;
    }
    return false;
}

// A draft model of its own is left to the flags: a plan without its shape would be another one.
static void take_members(const char *name, const char *dictionary, struct kvb_settings *settings)
{
    char value[VALUE_CAPACITY];
    char why[256];
    uint64_t number;
    for (size_t i = 0; i < sizeof member_rows / sizeof member_rows[0]; i++) {
        if (strcmp(member_rows[i].dump, name) == 0 && !find_member(dictionary, "model", value) &&
            find_member(dictionary, member_rows[i].member, value) &&
            kvb_setting_parse(member_rows[i].setting, value, &number, why)) {
            kvb_settings_set(settings, member_rows[i].setting, number, KVB_ORIGIN_COMMAND);
        }
    }
}

static void take_pair(const char *name, const char *value, const struct kvb_dump_result *result)
{
    if (is_none(value)) {
        return;
    }
    for (size_t i = 0; i < sizeof model_keys / sizeof model_keys[0]; i++) {
        if (strcmp(name, model_keys[i]) == 0 && result->model[0] == '\0') {
            kvb_copy(result->model, KVB_NAME_CAPACITY, value);
        }
    }
    if (strcmp(name, "mem_fraction_static") == 0) {
        set_static_fraction(value, result->static_fraction);
        return;
    }
    if (value[0] == '{') {
        take_members(name, value, result->settings);
        return;
    }
    set_setting(canonical(name), value, result->settings);
}

struct dump {
    const char *text;
    size_t length;
    size_t at;
};

static char here(const struct dump *in)
{
    if (in->at >= in->length) {
        return '\0';
    }
    return in->text[in->at];
}

// A key with its separator ("key=", "'key': "); false leaves the position.
static bool read_key(struct dump *in, char key[KEY_CAPACITY])
{
    size_t start = in->at;
    char quote = '\0';
    if (here(in) == '\'' || here(in) == '"') {
        quote = here(in);
        in->at++;
    }
    size_t from = in->at;
    while (kvb_is_word(here(in)) && in->at - from < KEY_CAPACITY - 1) {
        in->at++;
    }
    size_t length = in->at - from;
    memcpy(key, in->text + from, length);
    key[length] = '\0';
    bool closed = quote == '\0' || here(in) == quote;
    in->at += quote != '\0' && closed;
    bool separated = closed && length > 0 && here(in) == (quote != '\0' ? ':' : '=');
    if (!separated) {
        in->at = start;
        return false;
    }
    in->at++;
    return true;
}

static void skip_quoted(struct dump *in)
{
    char quote = here(in);
    in->at++;
    while (here(in) != '\0' && here(in) != quote) {
        in->at += here(in) == '\\' ? 2 : 1;
    }
    in->at++;
}

// Moves behind the value at hand: to the comma or closing bracket of its own level.
static void skip_value(struct dump *in)
{
    int depth = 0;
    while (here(in) != '\0') {
        char c = here(in);
        if (c == '\'' || c == '"') {
            skip_quoted(in);
            continue;
        }
        bool closes = c == ')' || c == ']' || c == '}' || c == '>';
        if (depth == 0 && (closes || c == ',')) {
            return;
        }
        depth += c == '(' || c == '[' || c == '{' || c == '<';
        depth -= closes;
        in->at++;
    }
}

static void read_value(struct dump *in, char value[VALUE_CAPACITY])
{
    while (here(in) == ' ') {
        in->at++;
    }
    size_t from = in->at;
    skip_value(in);
    size_t to = (size_t)kvb_min(in->at, in->length);
    if (to > from + 1 && (in->text[from] == '\'' || in->text[from] == '"')) {
        from++;
        to--;
    }
    kvb_printable(in->text + from, to - from, value, VALUE_CAPACITY);
}

void kvb_read_dump(const char *text, size_t length, const struct kvb_dump_result *result)
{
    struct dump in = {text, length, 0};
    char key[KEY_CAPACITY];
    char value[VALUE_CAPACITY];
    while (here(&in) != '\0') {
        bool at_border = in.at == 0 || !kvb_is_word(text[in.at - 1]);
        if (at_border && read_key(&in, key)) {
            read_value(&in, value);
            take_pair(key, value, result);
        } else {
            in.at++;
        }
    }
}

// The next word of a shell command, without the quotes around it; empty at the end of the command.
static void read_shell_word(struct dump *in, char word[VALUE_CAPACITY])
{
    while (here(in) == ' ' || here(in) == '\t' || here(in) == '\\') { // a backslash joins the next line
        in->at += here(in) == '\\' ? 2 : 1;
    }
    size_t from = in->at;
    if (here(in) == '\'' || here(in) == '"') {
        skip_quoted(in);
        size_t to = (size_t)kvb_min(in->at - 1, in->length);
        kvb_printable(in->text + from + 1, to - from - 1, word, VALUE_CAPACITY);
        return;
    }
    while (strchr(" \t\n;|&`", here(in)) == NULL) { // nor is the end of the text
        in->at++;
    }
    kvb_printable(in->text + from, in->at - from, word, VALUE_CAPACITY);
}

static void flag_name(const char *word, char name[VALUE_CAPACITY])
{
    while (*word == '-') {
        word++;
    }
    size_t i = 0;
    for (; word[i] != '\0' && word[i] != '='; i++) { // words are no longer than that
        name[i] = word[i];
        if (word[i] == '-') {
            name[i] = '_';
        }
    }
    name[i] = '\0';
}

static void take_flag(const char *word, const char *next, const struct kvb_dump_result *result)
{
    char name[VALUE_CAPACITY];
    flag_name(word, name);
    const char *equals = strchr(word, '=');
    if (equals != NULL) {
        take_pair(name, equals + 1, result);
    } else if (strncmp(name, "no_", 3) == 0) {
        take_pair(name + 3, "False", result);
    } else {
        take_pair(name, next[0] != '\0' && next[0] != '-' ? next : "True", result);
    }
}

void kvb_read_command(const char *text, size_t length, const struct kvb_dump_result *result)
{
    struct dump in = {text, length, 0};
    char word[VALUE_CAPACITY];
    char next[VALUE_CAPACITY];
    read_shell_word(&in, word);
    if (word[0] != '-') {
        take_pair("model", word, result);
        read_shell_word(&in, word);
    }
    while (word[0] != '\0') {
        read_shell_word(&in, next);
        if (word[0] == '-') {
            take_flag(word, next, result);
        }
        memcpy(word, next, sizeof word);
    }
}
