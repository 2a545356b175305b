// Reads a pasted serve command as its engine would, by the engine's table of flags: last wins.
#include "command/serve_command.h"

#include <string.h>

#include "base/buffer.h"
#include "base/text.h"
#include "command/serve_config.h"
#include "command/serve_dotted.h"
#include "command/serve_reading.h"

#define HERE ((struct kvb_place){0})

static bool is_flag(const char *word)
{
    return word[0] == '-' && word[1] != '\0' && (word[1] < '0' || word[1] > '9') && word[1] != '.';
}

static bool next_is_value(const struct kvb_serve_reading *reading)
{
    return reading->at < reading->count && !is_flag(reading->words[reading->at]);
}

// Python's switches took a value in some releases: --enable-chunked-prefill False.
static enum kvb_status read_switch(struct kvb_serve_reading *reading, const struct kvb_serve_flag *flag,
                                   const char *equals, bool negated)
{
    const char *value = equals != NULL ? equals + 1 : negated ? "false" : "true";
    const char *next = kvb_serve_word(reading, 0);
    if (equals == NULL && !negated && (strcmp(next, "True") == 0 || strcmp(next, "False") == 0)) {
        value = next;
        reading->at++;
    }
    return kvb_serve_set(reading, flag, value);
}

// Joins the words of a list flag by blanks.
static enum kvb_status read_list(struct kvb_serve_reading *reading, const struct kvb_serve_flag *flag,
                                 const char *equals)
{
    struct kvb_buffer joined;
    enum kvb_status status = KVB_NO_MEMORY;
    kvb_buffer_init(&joined);
    kvb_buffer_add(&joined, equals != NULL ? equals + 1 : "");
    while (next_is_value(reading)) {
        kvb_buffer_add(&joined, joined.length > 0 ? " " : "");
        kvb_buffer_add(&joined, reading->words[reading->at++]);
    }
    if (!joined.failed) {
        status = kvb_serve_set(reading, flag, joined.data);
    }
    kvb_buffer_free(&joined);
    return status;
}

static enum kvb_status missing_value(struct kvb_serve_reading *reading, const char *word)
{
    return kvb_problem_add(reading->problems, KVB_ERROR, KVB_BAD_SYNTAX, HERE,
                           "in the serve command: %.80s needs a value", word);
}

static enum kvb_status read_known(struct kvb_serve_reading *reading, const struct kvb_serve_flag *flag,
                                  const char *word, const char *equals, bool negated)
{
    if (flag->kind == KVB_SERVE_SETTING && kvb_setting_row_of(flag->id)->kind == KVB_VALUE_SWITCH) {
        return read_switch(reading, flag, equals, negated);
    }
    if (flag->kind == KVB_SERVE_NOTHING || flag->kind == KVB_SERVE_SETS) {
        return negated ? KVB_OK : kvb_serve_set(reading, flag, "");
    }
    if (flag->kind == KVB_SERVE_LIST) {
        return read_list(reading, flag, equals);
    }
    while (flag->kind == KVB_SERVE_VALUES && next_is_value(reading)) {
        reading->at++;
    }
    if (kvb_serve_is_replaced(reading->engine, reading->count, reading->words, reading->at - 1, flag)) {
        reading->at += equals == NULL && next_is_value(reading) ? 1 : 0;
        return KVB_OK;
    }
    enum kvb_status status = KVB_OK;
    while (flag->kind == KVB_SERVE_ADAPTERS && equals == NULL && status == KVB_OK && next_is_value(reading)) {
        status = kvb_serve_set(reading, flag, reading->words[reading->at++]);
    }
    if (flag->kind == KVB_SERVE_ADAPTERS && equals == NULL) {
        return status;
    }
    if (flag->kind == KVB_SERVE_VALUES || equals != NULL) {
        return flag->kind == KVB_SERVE_VALUES ? KVB_OK : kvb_serve_set(reading, flag, equals + 1);
    }
    if (!next_is_value(reading)) {
        return flag->absent != NULL ? kvb_serve_set(reading, flag, flag->absent) : missing_value(reading, word);
    }
    return kvb_serve_set(reading, flag, reading->words[reading->at++]);
}

// The flag of a setting that an unknown one may stand for; NULL when none is near.
static const char *nearest_setting(const struct kvb_serve_reading *reading, const char *word, const char *equals)
{
    char wanted[80];
    struct kvb_nearest nearest;
    const struct kvb_serve_flag *flag;
    size_t length = equals != NULL ? (size_t)(equals - word) : strlen(word);
    if (!kvb_starts_with(word, "--") || length - 2 >= sizeof wanted) {
        return NULL;
    }
    (void)kvb_copy(wanted, length - 1, word + 2);
    bool dashes = (reading->engine->traits & KVB_SERVE_DASHES) != 0;
    for (char *c = wanted; *c != '\0' && (dashes || (reading->engine->traits & KVB_SERVE_UNDERSCORES) != 0); c++) {
        *c = *c == '-' || *c == '_' ? (dashes ? '-' : '_') : *c;
    }
    kvb_nearest_init(&nearest, wanted);
    for (unsigned i = 0; (flag = reading->engine->flag(i)) != NULL; i++) {
        bool sets = flag->kind == KVB_SERVE_SETTING || flag->kind == KVB_SERVE_SETS;
        if (sets && !flag->serve_only && flag->name != NULL) {
            kvb_nearest_offer(&nearest, flag->name);
        }
    }
    return nearest.best;
}

// A flag of no release is taken to have a value when one follows.
static bool takes_value(const struct kvb_serve_reading *reading, const char *word)
{
    return !kvb_starts_with(word, "--") || reading->engine->takes_value == NULL || reading->engine->takes_value(word);
}

// A flag's name as it is typed.
static const char *dashed(char out[80], const char *name)
{
    (void)kvb_copy(out, 80, name);
    for (char *c = out; *c != '\0'; c++) {
        *c = *c == '_' ? '-' : *c;
    }
    return out;
}

// A flag that a release has and nothing here counts: another is not what was meant.
static bool is_named(const char *word, const char *name)
{
    size_t length = strlen(name);
    return strncmp(word + 2, name, length) == 0 && (word[2 + length] == '\0' || word[2 + length] == '=');
}

static enum kvb_status skip_unknown(struct kvb_serve_reading *reading, const char *word, const char *equals)
{
    const char *other = reading->engine->flag_near != NULL ? reading->engine->flag_near(word) : NULL;
    bool exists = other != NULL && is_named(word, other);
    const char *nearest = exists ? NULL : nearest_setting(reading, word, equals);
    char meant[80];
    uint32_t before = reading->problems->count;
    if (nearest != NULL) {
        (void)kvb_problem_add(reading->problems, KVB_WARNING, KVB_UNKNOWN_NAME, HERE,
                              "%.80s of the serve command is not known here and left out; did you mean --%s?", word,
                              dashed(meant, nearest));
    } else if (other != NULL && !exists) {
        (void)kvb_problem_add(reading->problems, KVB_WARNING, KVB_UNKNOWN_NAME, HERE,
                              "%.80s of the serve command is no flag; did you mean --%s?", word, other);
    } else {
        (void)kvb_problem_add(reading->problems, KVB_NOTICE, KVB_UNKNOWN_NAME, HERE,
                              "%.80s of the serve command is not known here and taken to have no effect on memory",
                              word);
    }
    if (reading->problems->count > before) {
        char *flag = reading->problems->items[before].flag;
        (void)kvb_copy(flag, KVB_PROBLEM_FLAG_CAPACITY, word);
        flag[strcspn(flag, "=")] = '\0';
        kvb_make_printable(flag);
    }
    bool several = reading->engine->takes_several != NULL && reading->engine->takes_several(word);
    if (equals == NULL && takes_value(reading, word) && next_is_value(reading)) {
        reading->at++;
    }
    while (several && equals == NULL && next_is_value(reading)) {
        reading->at++;
    }
    return KVB_OK;
}

static enum kvb_status read_short(struct kvb_serve_reading *reading, const char *word)
{
    const char *equals = strchr(word, '=');
    size_t length = equals != NULL ? (size_t)(equals - word) : strlen(word), used;
    const struct kvb_serve_flag *flag = kvb_serve_short_find(reading->engine, word, length, &used);
    if (flag == NULL) {
        return skip_unknown(reading, word, equals);
    }
    if (used < length) {
        return kvb_serve_set(reading, flag, word + used);
    }
    return read_known(reading, flag, word, equals, false);
}

static enum kvb_status read_long(struct kvb_serve_reading *reading, const char *word)
{
    const struct kvb_serve_flag *flag = NULL;
    const char *equals = strchr(word, '=');
    size_t length = (equals != NULL ? (size_t)(equals - word) : strlen(word)) - 2;
    bool negated = false;
    enum kvb_serve_match match = kvb_serve_flag_find(reading->engine, word + 2, length, &flag);
    bool may_negate = (reading->engine->traits & KVB_SERVE_ABBREVIATES) != 0;
    if (match != KVB_SERVE_MATCH && length > 3 && may_negate &&
        (kvb_starts_with(word, "--no-") || kvb_starts_with(word, "--no_"))) {
        negated = true;
        match = kvb_serve_flag_find(reading->engine, word + 5, length - 3, &flag);
    }
    if (match == KVB_SERVE_AMBIGUOUS) {
        return kvb_problem_add(reading->problems, KVB_ERROR, KVB_AMBIGUOUS_NAME, HERE,
                               "in the serve command: %.80s is the beginning of several flags; write it out", word);
    }
    bool whole = flag == NULL || flag->name == NULL || strlen(flag->name) <= length - (negated ? 3 : 0);
    reading->abbreviated = whole ? NULL : word;
    return match == KVB_SERVE_MATCH ? read_known(reading, flag, word, equals, negated)
                                    : skip_unknown(reading, word, equals);
}

static enum kvb_status read_dotted(struct kvb_serve_reading *reading)
{
    int index = reading->at - 1;
    struct kvb_buffer json;
    const struct kvb_serve_flag *flag =
        kvb_serve_dotted_read(reading->engine, reading->count, reading->words, index, &json);
    enum kvb_status status = KVB_OK;
    if (json.failed) {
        status = kvb_problem_add(reading->problems, KVB_ERROR, KVB_NO_MEMORY, HERE, "out of memory");
    } else if (flag != NULL && json.length > 0) {
        status = kvb_serve_set(reading, flag, json.data);
    }
    if (strchr(reading->words[index], '=') == NULL && reading->at < reading->count) {
        reading->at++; // whatever it is
    }
    kvb_buffer_free(&json);
    return status;
}

// Notes a flag and the words it took, for what the release's own parser makes of them.
static void note_flag(struct kvb_serve_reading *reading, int from)
{
    char *out = reading->deployment->serve_flags;
    size_t used = strlen(out), capacity = sizeof reading->deployment->serve_flags;
    for (int i = from; i < reading->at && i < reading->count; i++) {
        size_t size = strlen(reading->words[i]);
        if (used + size + 2 >= capacity) {
            reading->deployment->serve_flags_cut = true;
            return;
        }
        out[used++] = i == from ? '\n' : ' ';
        for (const char *at = reading->words[i]; *at != '\0'; at++) {
            out[used++] = *at == '\n' ? ' ' : *at; // JSON over several lines is one value
        }
        out[used] = '\0';
    }
}

static enum kvb_status read_flag(struct kvb_serve_reading *reading, const char *word)
{
    int from = reading->at - 1;
    bool dots = (reading->engine->traits & KVB_SERVE_DOTS) != 0;
    enum kvb_status status = dots && kvb_serve_is_dotted(word) ? read_dotted(reading)
                             : word[1] == '-'                  ? read_long(reading, word)
                                                               : read_short(reading, word);
    note_flag(reading, from);
    return status;
}

static enum kvb_status read_word(struct kvb_serve_reading *reading)
{
    const char *word = reading->words[reading->at++];
    reading->abbreviated = NULL;
    bool then = strcmp(word, "&") == 0 || strcmp(word, "&&") == 0;
    if (then && reading->engine->line != NULL && reading->engine->line->server != NULL) {
        return kvb_serve_read_next_program(reading); // "ollama serve & ollama run NAME"
    }
    if (!is_flag(word)) {
        if (!reading->model_said && (reading->engine->traits & KVB_SERVE_POSITIONAL) != 0) {
            return kvb_serve_set_model(reading, word);
        }
        return kvb_problem_add(reading->problems, KVB_ERROR, KVB_BAD_SYNTAX, HERE,
                               "in the serve command: unexpected word '%.80s'%s", word, kvb_word_slip(word));
    }
    return read_flag(reading, word);
}

// Which settings and problems the words from `word` on have brought.
static void note_changes(struct kvb_serve_trace *trace, int word, const struct kvb_settings *before,
                         uint32_t problems_before, const struct kvb_serve_reading *reading)
{
    for (unsigned i = 0; i < KVB_SETTING_COUNT; i++) {
        const struct kvb_setting_value *old = &before->values[i], *now = &reading->deployment->settings.values[i];
        if (now->set != old->set || now->number != old->number) {
            trace->settings[i] = word;
        }
    }
    for (uint32_t i = problems_before; i < reading->problems->count; i++) {
        trace->problems[i] = word;
    }
}

// `word`: where the next one stands in the line as it was given.
static enum kvb_status read_traced(struct kvb_serve_reading *reading, int word, struct kvb_serve_trace *trace)
{
    struct kvb_settings before = reading->deployment->settings;
    uint32_t problems = reading->problems->count;
    bool model_said = reading->model_said;
    enum kvb_status status = read_word(reading);
    note_changes(trace, word, &before, problems, reading);
    trace->model = reading->model_said && !model_said ? word : trace->model;
    return status;
}

// What is wrong with a word of the file is said at its key.
static void place_problems(const struct kvb_expanded_line *line, int word, struct kvb_problems *problems,
                           uint32_t before)
{
    static const char begins[] = "in the serve command: ";
    const struct kvb_word_place *place = &line->places[word];
    for (uint32_t i = before; place->line > 0 && i < problems->count; i++) {
        struct kvb_problem *problem = &problems->items[i];
        size_t skipped = kvb_starts_with(problem->text, begins) ? sizeof begins - 1 : 0;
        memmove(problem->text, problem->text + skipped, strlen(problem->text) + 1 - skipped);
        (void)kvb_copy(problem->file, sizeof problem->file, line->file);
        kvb_make_printable(problem->file);
        problem->line = place->line;
        problem->column = place->column;
    }
}

static enum kvb_status read_next(struct kvb_serve_reading *reading, const struct kvb_expanded_line *line,
                                 struct kvb_serve_trace *trace)
{
    int word = reading->at;
    uint32_t before = reading->problems->count;
    bool longer = line->places != NULL;
    enum kvb_status status =
        trace != NULL ? read_traced(reading, longer ? line->places[word].index : word, trace) : read_word(reading);
    if (longer) {
        place_problems(line, word, reading->problems, before);
    }
    return status;
}

enum kvb_status kvb_serve_command_read_beside(int count, const char *const *words,
                                              const struct kvb_serve_beside *beside, struct kvb_serve_trace *trace,
                                              struct kvb_deployment *deployment, struct kvb_problems *problems)
{
    struct kvb_serve_reading reading = {.count = count, .words = words, .deployment = deployment, .problems = problems};
    struct kvb_expanded_line line = {0};
    if (trace != NULL) {
        memset(trace, 0, sizeof *trace);
    }
    enum kvb_status status = kvb_serve_read_program(&reading), file = KVB_OK;
    if (status == KVB_OK) {
        file = kvb_line_expand(&line, &reading, beside);
    }
    while (status == KVB_OK && file != KVB_NO_MEMORY && reading.at < reading.count) {
        status = read_next(&reading, &line, trace);
    }
    kvb_expanded_line_free(&line);
    return file == KVB_OK ? status : file;
}

enum kvb_status kvb_serve_command_read(int count, const char *const *words, struct kvb_deployment *deployment,
                                       struct kvb_problems *problems)
{
    static const struct kvb_serve_beside nothing;
    return kvb_serve_command_read_beside(count, words, &nothing, NULL, deployment, problems);
}
