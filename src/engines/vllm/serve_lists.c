// Flags that take several words: numbers of which one is none, and words that no release lists.
// Source: vllm/engine/arg_utils.py (nargs="+") by tag.
#include <string.h>

#include "base/python_numbers.h"
#include "base/text.h"
#include "engines/vllm/release_tables.h"
#include "engines/vllm/serve.h"

#define OPTIONAL_CAPACITY 256
#define TRACES_LISTED_SINCE KVB_RELEASE(0, 9, 0)
#define TRACES_SINCE KVB_RELEASE(0, 9, 1) // the parser lists two with a comma between as well, and the config does not

// A list in brackets is what the engine's log prints, and is taken for the words it was given.
static bool is_number(const char *word, size_t size)
{
    return word[0] == '[' || kvb_python_is_int(word, size) || (size == 4 && strncmp(word, "None", 4) == 0);
}

static bool names_module(const char *word, size_t size)
{
    static const char *const modules[] = {"model", "worker", "all"};
    for (size_t i = 0; i < sizeof modules / sizeof modules[0]; i++) {
        if (strlen(modules[i]) == size && strncmp(word, modules[i], size) == 0) {
            return true;
        }
    }
    return false;
}

// Modules with commas between them: of any number to 0.8.5, two in 0.9.0.
static bool names_modules(const char *word, size_t size)
{
    size_t at = 0;
    while (at < size && word[at] != ',') {
        at++;
    }
    return names_module(word, at) && (at == size || names_modules(word + at + 1, size - at - 1));
}

static bool names_two(const char *word, size_t size)
{
    size_t commas = 0;
    for (size_t i = 0; i < size; i++) {
        commas += word[i] == ',';
    }
    return commas < 2 && names_modules(word, size);
}

#define CHOICE ": invalid choice: '", "' (choose from 'all', 'model', 'worker')"

static const struct {
    const char *flag;
    uint32_t since, until; // 0 = no end
    bool (*takes)(const char *word, size_t size);
    const char *slip, *end;
} rows[] = {
    {"cuda-graph-sizes", 0, 0, is_number, ": invalid int value: '", "'"},
    {"cudagraph-capture-sizes", 0, 0, is_number, ": Value ", " cannot be converted to <class 'int'>."},
    {"numa-bind-nodes", 0, 0, is_number, ": Value ", " cannot be converted to <class 'int'>."},
    {"collect-detailed-traces", 0, TRACES_LISTED_SINCE, names_modules, ": Invalid module ",
     " in collect_detailed_traces"},
    {"collect-detailed-traces", TRACES_LISTED_SINCE, TRACES_SINCE, names_two, CHOICE},
    {"collect-detailed-traces", TRACES_SINCE, 0, names_module, CHOICE},
};

static bool covers(size_t row, uint32_t release)
{
    return release >= rows[row].since && (rows[row].until == 0 || release < rows[row].until);
}

// What stands behind "=" is one word.
static size_t word_length(const char *word, bool attached)
{
    return strcspn(word, attached ? "\n" : " \n");
}

bool kvb_vllm_judge_list(const char *line, const struct kvb_engine *engine, char out[OPTIONAL_CAPACITY])
{
    const char *value;
    const struct kvb_known_flag *flag = kvb_vllm_flag_of_line(line, engine->release, &value);
    bool attached = flag != NULL && value[-1] == '=';
    for (size_t i = 0; flag != NULL && i < sizeof rows / sizeof rows[0]; i++) {
        bool asked = strcmp(rows[i].flag, flag->name) == 0 && covers(i, engine->release);
        for (const char *word = value; asked && *word != '\0' && *word != '\n'; word += *word == ' ' ? 1 : 0) {
            size_t size = word_length(word, attached);
            if (size > 0 && memchr(word, '$', size) == NULL && !rows[i].takes(word, size)) {
                kvb_add_text(out, OPTIONAL_CAPACITY, "argument --");
                kvb_add_text(out, OPTIONAL_CAPACITY, flag->name);
                kvb_add_text(out, OPTIONAL_CAPACITY, rows[i].slip);
                kvb_append(out, OPTIONAL_CAPACITY, word, size < 40 ? size : 40);
                kvb_add_text(out, OPTIONAL_CAPACITY, rows[i].end);
                return true;
            }
            word += size;
        }
    }
    return false;
}
