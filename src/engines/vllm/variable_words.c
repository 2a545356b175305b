// Environment variables whose value stops a start: from 0.11.1 on all are read when the engine is up, needed or not.
// Source: vllm/envs.py (enable_envs_cache, env_with_choices), vllm/v1/engine/core.py by release.
#include <string.h>

#include "base/text.h"
#include "engines/vllm/release_tables.h"
#include "engines/vllm/serve.h"

#define OPTIONAL_CAPACITY 256

static bool is_name(const char *name, const char *text, size_t length)
{
    return strlen(name) == length && strncmp(name, text, length) == 0;
}

static const struct kvb_known_variable *find(const char *name, size_t length, uint32_t release)
{
    for (unsigned i = 0; i < kvb_known_variable_row_count; i++) {
        const struct kvb_known_variable *row = &kvb_known_variable_rows[i];
        bool there = release == 0 || (release >= row->since && (row->gone == 0 || release < row->gone));
        if (there && is_name(row->name, name, length)) {
            return row;
        }
    }
    return NULL;
}

bool kvb_vllm_notes_variable(const char *name)
{
    return find(name, strlen(name), 0) != NULL;
}

// int() of Python: blanks around it, a sign, underscores between digits.
static size_t skip_digits(const char *text)
{
    size_t at = 0;
    while (kvb_is_digit(text[at]) || (text[at] == '_' && at > 0 && text[at - 1] != '_' && kvb_is_digit(text[at + 1]))) {
        at++;
    }
    return at;
}

static const char *behind_sign(const char *text)
{
    text += strspn(text, " \t");
    return text + (*text == '-' || *text == '+' ? 1 : 0);
}

static bool ends(const char *text)
{
    text += strspn(text, " \t");
    return *text == '\n' || *text == '\0';
}

static bool is_whole(const char *text)
{
    text = behind_sign(text);
    size_t digits = skip_digits(text);
    return digits > 0 && ends(text + digits);
}

// float(): with decimals and an exponent, and its words for what is no number.
static bool is_number(const char *text)
{
    static const char *const words[] = {"inf", "infinity", "nan"};
    text = behind_sign(text);
    for (size_t i = 0; i < sizeof words / sizeof words[0]; i++) {
        if (kvb_starts_with_ignoring_case(text, words[i]) && ends(text + strlen(words[i]))) {
            return true;
        }
    }
    size_t whole = skip_digits(text);
    text += whole;
    size_t decimals = *text == '.' ? skip_digits(text + 1) : 0;
    text += *text == '.' ? 1 + decimals : 0;
    if (kvb_lower(*text) == 'e') {
        text = text[1] == '-' || text[1] == '+' ? text + 2 : text + 1;
        size_t exponent = skip_digits(text);
        text += exponent;
        whole = exponent > 0 ? whole : 0;
        decimals = exponent > 0 ? decimals : 0;
    }
    return whole + decimals > 0 && ends(text);
}

static bool is_word(const char *word, const char *value, size_t size, bool loose)
{
    for (size_t i = 0; i < size; i++) {
        if (word[i] == '\0' || (word[i] != value[i] && !(loose && kvb_lower(word[i]) == kvb_lower(value[i])))) {
            return false;
        }
    }
    return word[size] == '\0';
}

// The words of a variable: whether the value is one of them, and all of them for a sentence.
static bool is_listed(const struct kvb_known_variable *row, uint32_t release, const char *value, char list[128])
{
    list[0] = '\0';
    for (unsigned i = 0; i < kvb_known_variable_word_row_count; i++) {
        const struct kvb_known_choice *word = &kvb_known_variable_word_rows[i];
        bool there = release >= word->since && (word->gone == 0 || release < word->gone);
        if (!there || strcmp(word->flag, row->name) != 0) {
            continue;
        }
        if (is_word(word->word, value, strcspn(value, "\n"), row->kind == 'C')) {
            return true;
        }
        kvb_add_text(list, 128, list[0] == '\0' ? "'" : ", '");
        kvb_add_text(list, 128, word->word);
        kvb_add_text(list, 128, "'");
    }
    return false;
}

static void say(const struct kvb_known_variable *row, const char *value, const char *list, char out[OPTIONAL_CAPACITY])
{
    const char *opening = row->kind == 'i'   ? "invalid literal for int() with base 10: '"
                          : row->kind == 'f' ? "could not convert string to float: '"
                                             : "Invalid value '";
    out[0] = '\0';
    kvb_add_text(out, OPTIONAL_CAPACITY, "ValueError: ");
    kvb_add_text(out, OPTIONAL_CAPACITY, opening);
    size_t size = strcspn(value, "\n");
    kvb_append(out, OPTIONAL_CAPACITY, value, size < 60 ? size : 60);
    kvb_add_text(out, OPTIONAL_CAPACITY, list[0] != '\0' ? "' for " : "' (");
    kvb_add_text(out, OPTIONAL_CAPACITY, row->name);
    kvb_add_text(out, OPTIONAL_CAPACITY, list[0] != '\0' ? ". Valid options: [" : ")");
    kvb_add_text(out, OPTIONAL_CAPACITY, list);
    kvb_add_text(out, OPTIONAL_CAPACITY, list[0] != '\0' ? "]." : "");
}

// Where a variable is given twice, the last one counts.
static bool is_given_again(const char *line, size_t length)
{
    for (const char *next = kvb_vllm_next_line(line); *next != '\0'; next = kvb_vllm_next_line(next)) {
        if (strcspn(next, "=") == length && strncmp(next, line, length) == 0) {
            return true;
        }
    }
    return false;
}

bool kvb_vllm_judge_variables(const char *noted, const struct kvb_engine *engine, char out[OPTIONAL_CAPACITY])
{
    for (const char *line = noted; *line != '\0'; line = kvb_vllm_next_line(line)) {
        size_t length = strcspn(line, "=");
        const struct kvb_known_variable *row = find(line, length, engine->release);
        const char *value = line + length + 1;
        char list[128] = "";
        if (row == NULL || is_given_again(line, length) ||
            (!kvb_vllm_is_release(engine) && (row->kind == 'c' || row->kind == 'C'))) {
            continue;
        }
        bool fine = row->kind == 'i'   ? is_whole(value)
                    : row->kind == 'f' ? is_number(value)
                                       : is_listed(row, engine->release, value, list);
        if (!fine) {
            say(row, value, list, out);
            return true;
        }
    }
    return false;
}
