// Environment variables whose value stops a start: from 0.11.1 on all are read when the engine is up, needed or not.
// Source: vllm/envs.py (enable_envs_cache, env_with_choices), vllm/v1/engine/core.py by release.
#include <string.h>

#include "base/python_numbers.h"
#include "base/text.h"
#include "engines/vllm/release_tables.h"
#include "engines/vllm/serve.h"

#define OPTIONAL_CAPACITY 256

static bool is_name(const char *name, const char *text, size_t length)
{
    return strlen(name) == length && strncmp(name, text, length) == 0;
}

// Read at every start before that: vllm/envs.py v0.6.4 to v0.11.0, engine/arg_utils.py.
static const struct kvb_known_variable generation = {"VLLM_USE_V1", KVB_RELEASE(0, 6, 4), KVB_RELEASE(0, 11, 1), 'i'};

static const struct kvb_known_variable *find(const char *name, size_t length, uint32_t release)
{
    for (unsigned i = 0; i <= kvb_known_variable_row_count; i++) {
        const struct kvb_known_variable *row = i > 0 ? &kvb_known_variable_rows[i - 1] : &generation;
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
        struct kvb_python_number number;
        size_t size = strcspn(value, "\n");
        bool fine = row->kind == 'i'   ? kvb_python_is_int(value, size)
                    : row->kind == 'f' ? kvb_python_read_float(value, size, &number)
                                       : is_listed(row, engine->release, value, list);
        if (!fine) {
            say(row, value, list, out);
            return true;
        }
    }
    return false;
}
