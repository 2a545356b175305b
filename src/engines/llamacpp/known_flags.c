// Asks the generated tables which flags a build takes.
#include "engines/llamacpp/known_flags.h"

#include <string.h>

#include "base/text.h"

#define DASHED_SINCE 3087 // before it the server compares names as they are typed

static bool covers(uint32_t since, uint32_t until, uint32_t build)
{
    return since <= build && (until == 0 || build < until);
}

static bool is_name(const char *name, const char *text, size_t length, bool dashed)
{
    bool same = strlen(name) == length;
    for (size_t i = 0; same && i < length; i++) {
        same = name[i] == (dashed && text[i] == '_' ? '-' : text[i]);
    }
    return same;
}

static bool is_long(const char *text, size_t length)
{
    return length > 2 && strncmp(text, "--", 2) == 0;
}

const struct kvb_llama_known_flag *kvb_llama_known_flag_of(const char *name, size_t length, uint32_t build,
                                                           char program)
{
    bool dashed = is_long(name, length) && (build >= DASHED_SINCE || program == 'c');
    for (size_t i = 0; i < kvb_llama_known_flag_count; i++) {
        const struct kvb_llama_known_flag *row = &kvb_llama_known_flags[i];
        bool of_it = row->program == 'b' || row->program == program;
        if (of_it && covers(row->since, row->until, build) && is_name(row->name, name, length, dashed)) {
            return row;
        }
    }
    return NULL;
}

// Whether a row is nearer to the build than another one: one that covers it, else the next, else the last.
static bool is_nearer(const struct kvb_llama_known_flag *row, const struct kvb_llama_known_flag *than, uint32_t build)
{
    if (than == NULL || covers(row->since, row->until, build)) {
        return true;
    }
    if (covers(than->since, than->until, build)) {
        return false;
    }
    bool later = row->since > build;
    return later == (than->since > build) ? (later ? row->since < than->since : row->since > than->since) : later;
}

const struct kvb_llama_known_flag *kvb_llama_known_flag_beside(const char *name, size_t length, uint32_t build)
{
    const struct kvb_llama_known_flag *nearest = NULL;
    for (size_t i = 0; i < kvb_llama_known_flag_count; i++) {
        const struct kvb_llama_known_flag *row = &kvb_llama_known_flags[i];
        if (is_name(row->name, name, length, is_long(name, length)) && is_nearer(row, nearest, build)) {
            nearest = row;
        }
    }
    return nearest;
}

bool kvb_llama_is_known_word(const char *flag, uint32_t build, const char *word, size_t length)
{
    for (size_t i = 0; i < kvb_llama_known_word_count; i++) {
        const struct kvb_llama_known_word *row = &kvb_llama_known_words[i];
        if (strcmp(row->flag, flag) == 0 && covers(row->since, row->until, build) &&
            is_name(row->word, word, length, false)) {
            return true;
        }
    }
    return false;
}

const struct kvb_llama_known_variable *kvb_llama_known_variable_of(const char *name, size_t length, uint32_t build,
                                                                   char program)
{
    for (size_t i = 0; i < kvb_llama_known_variable_count; i++) {
        const struct kvb_llama_known_variable *row = &kvb_llama_known_variables[i];
        bool of_it = row->program == 'b' || row->program == program;
        if (of_it && covers(row->since, row->until, build) && is_name(row->name, name, length, false)) {
            return row;
        }
    }
    return NULL;
}

bool kvb_llama_takes_value(const char *word)
{
    const struct kvb_llama_known_flag *row = kvb_llama_known_flag_beside(word, strcspn(word, "="), UINT32_MAX);
    return row == NULL || row->values != '0';
}

const char *kvb_llama_flag_near(const char *word)
{
    char wanted[80] = ""; // longer than any flag
    struct kvb_nearest nearest;
    if (!is_long(word, strlen(word))) {
        return NULL;
    }
    kvb_append(wanted, sizeof wanted, word + 2, strcspn(word + 2, "="));
    for (char *c = wanted; *c != '\0'; c++) {
        *c = *c == '_' ? '-' : *c;
    }
    kvb_nearest_init(&nearest, wanted);
    for (size_t i = 0; i < kvb_llama_known_flag_count; i++) {
        const char *name = kvb_llama_known_flags[i].name;
        if (is_long(name, strlen(name))) {
            kvb_nearest_offer(&nearest, name + 2);
        }
    }
    return nearest.best;
}

bool kvb_llama_notes_variable(const char *name)
{
    for (size_t i = 0; i < kvb_llama_known_variable_count; i++) {
        if (strcmp(kvb_llama_known_variables[i].name, name) == 0) {
            return true;
        }
    }
    return false;
}
