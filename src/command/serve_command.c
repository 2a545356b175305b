// Reads a pasted `vllm serve` line as the engine itself would: abbreviations, underscores, last wins.
#include <string.h>

#include <kvbudget/input.h>

#include "base/buffer.h"
#include "base/text.h"
#include "command/serve_command.h"
#include "command/serve_dotted.h"
#include "engines/vllm/release_tables.h"
#include "engines/vllm/serve_flags.h"

#define HERE ((struct kvb_place){0})

struct command {
    int count, at;
    const char *const *words;
    struct kvb_deployment *deployment;
    struct kvb_problems *problems;
    bool model_said, rope_said, overrides_said;
};

static const char *last_part(const char *path)
{
    const char *slash = strrchr(path, '/');
    return slash != NULL ? slash + 1 : path;
}

static const char *word_at(const struct command *command, int offset)
{
    return command->at + offset < command->count ? command->words[command->at + offset] : "";
}

// Moves behind `vllm serve` or `python -m vllm...`.
static enum kvb_status read_program(struct command *command)
{
    const char *program = last_part(word_at(command, 0));
    if (strcmp(program, "vllm") == 0 && strcmp(word_at(command, 1), "serve") == 0) {
        command->at += 2;
        return KVB_OK;
    }
    if (kvb_starts_with(program, "python") && strcmp(word_at(command, 1), "-m") == 0 &&
        kvb_starts_with(word_at(command, 2), "vllm.entrypoints.")) {
        command->at += 3;
        command->deployment->serve_module = true;
        return KVB_OK;
    }
    if (strchr(word_at(command, 0), ' ') != NULL) {
        return kvb_problem_add(command->problems, KVB_ERROR, KVB_BAD_SYNTAX, HERE,
                               "the serve command is one quoted word; leave its quotes away");
    }
    bool known = strcmp(program, "vllm") == 0 || kvb_starts_with(program, "python"); // it is the next word that is not
    const char *second = known ? word_at(command, 1) : "";
    return kvb_problem_add(command->problems, KVB_ERROR, KVB_BAD_SYNTAX, HERE,
                           "'%.80s%s%.80s' does not begin a serve command; expected 'vllm serve MODEL ...' or "
                           "'python -m vllm.entrypoints.openai.api_server --model MODEL ...'",
                           word_at(command, 0), second[0] != '\0' ? " " : "", second);
}

static enum kvb_status read_environment(struct command *command)
{
    static const char *const wrappers[] = {"env", "exec", "nohup", "sudo", "time"};
    enum kvb_status status = KVB_OK;
    while (status == KVB_OK && command->at < command->count) {
        const char *word = command->words[command->at];
        bool wrapper = false;
        for (size_t i = 0; i < sizeof wrappers / sizeof wrappers[0]; i++) {
            wrapper = wrapper || strcmp(word, wrappers[i]) == 0;
        }
        if (!wrapper && !kvb_is_assignment(word)) {
            break;
        }
        status = wrapper ? KVB_OK : kvb_environment_set(word, &command->deployment->environment, command->problems);
        command->at++;
    }
    return status;
}

static enum kvb_status set_model(struct command *command, const char *value)
{
    command->model_said = true;
    command->deployment->inline_model = false;
    return kvb_copy(command->deployment->model, sizeof command->deployment->model, value)
               ? KVB_OK
               : kvb_problem_add(command->problems, KVB_ERROR, KVB_OUT_OF_RANGE, HERE, "the model's name is too long");
}

// int() of Python takes underscores between digits, and float() a number without its zero.
static void as_python_reads(char out[64], const char *value, enum kvb_value_kind kind)
{
    size_t used = 0;
    bool number = kind == KVB_VALUE_COUNT || kind == KVB_VALUE_LENGTH;
    if (kind == KVB_VALUE_PPM && value[0] == '.') {
        out[used++] = '0';
    }
    for (size_t i = 0; value[i] != '\0' && used < 63; i++) {
        if (!(number && value[i] == '_' && i > 0)) {
            out[used++] = value[i];
        }
    }
    out[used] = '\0';
}

static enum kvb_status set_setting(struct command *command, enum kvb_setting setting, const char *value)
{
    uint64_t number = 0;
    char why[256], text[64];
    as_python_reads(text, value, kvb_setting_row_of(setting)->kind);
    if (!kvb_setting_parse(setting, text, &number, why)) {
        return kvb_problem_add(command->problems, KVB_ERROR, KVB_BAD_TYPE, HERE, "in the serve command: %s: %s",
                               kvb_setting_row_of(setting)->key, why);
    }
    kvb_settings_set(&command->deployment->settings, setting, number, KVB_ORIGIN_COMMAND);
    return KVB_OK;
}

static enum kvb_status set_number(struct command *command, enum kvb_setting setting, uint64_t number)
{
    kvb_settings_set(&command->deployment->settings, setting, number, KVB_ORIGIN_COMMAND);
    return KVB_OK;
}

// A level below 3, or below 2 from 0.12.0 on, limits the graphs that are captured.
static enum kvb_status set_level(struct command *command, const char *value)
{
    if (value[0] == '{') {
        return kvb_json_flag("compilation-config", value, KVB_ORIGIN_COMMAND, command->deployment, command->problems);
    }
    bool none = strcmp(value, "0") == 0;
    if (none || strcmp(value, "1") == 0) {
        return set_number(command, KVB_SET_CUDAGRAPH_MODE, none ? KVB_GRAPH_MODE_NONE : KVB_GRAPH_MODE_PIECEWISE);
    }
    if (strcmp(value, "2") == 0 || strcmp(value, "3") == 0) {
        return KVB_OK;
    }
    return kvb_problem_add(command->problems, KVB_ERROR, KVB_OUT_OF_RANGE, HERE,
                           "in the serve command: -O '%.40s' is not a level from 0 to 3", value);
}

static enum kvb_status set_draft_model(struct command *command, const char *value)
{
    bool ngram = strcmp(value, "[ngram]") == 0;
    if (!ngram) {
        (void)kvb_copy(command->deployment->draft_model, sizeof command->deployment->draft_model, value);
    }
    return set_number(command, KVB_SET_SPECULATIVE_METHOD, ngram ? KVB_SPECULATIVE_NGRAM : KVB_SPECULATIVE_DRAFT_MODEL);
}

static enum kvb_status two_overrides(struct command *command)
{
    return kvb_problem_add(command->problems, KVB_ERROR, KVB_NOT_ALLOWED, HERE,
                           "in the serve command: --rope-scaling and --hf-overrides together are not read; say "
                           "rope_scaling inside --hf-overrides");
}

static enum kvb_status set_overrides(struct command *command, const char *value)
{
    command->overrides_said = true;
    if (command->rope_said) {
        return two_overrides(command);
    }
    return kvb_copy(command->deployment->overrides, sizeof command->deployment->overrides, value)
               ? KVB_OK
               : kvb_problem_add(command->problems, KVB_ERROR, KVB_OUT_OF_RANGE, HERE, "--hf-overrides is too long");
}

// --rope-scaling replaced one key of the config before --hf-overrides could.
static enum kvb_status set_rope_scaling(struct command *command, const char *value)
{
    static const char opening[] = "{\"rope_scaling\": ", closing[] = "}";
    char *out = command->deployment->overrides;
    size_t capacity = sizeof command->deployment->overrides, used = sizeof opening - 1;
    command->rope_said = true;
    if (command->overrides_said) {
        return two_overrides(command);
    }
    if (used + strlen(value) + sizeof closing > capacity) {
        return kvb_problem_add(command->problems, KVB_ERROR, KVB_OUT_OF_RANGE, HERE, "--rope-scaling is too long");
    }
    (void)kvb_copy(out, capacity, opening);
    (void)kvb_copy(out + used, capacity - used, value);
    used += strlen(value);
    (void)kvb_copy(out + used, capacity - used, closing);
    return KVB_OK;
}

static enum kvb_status set_value(struct command *command, const struct kvb_serve_flag *flag, const char *value)
{
    switch (flag->kind) {
    case KVB_SERVE_SETTING:
        return set_setting(command, (enum kvb_setting)flag->id, value);
    case KVB_SERVE_JSON:
    case KVB_SERVE_LIST:
        return kvb_json_flag(flag->json_name, value, KVB_ORIGIN_COMMAND, command->deployment, command->problems);
    case KVB_SERVE_MODEL:
        return set_model(command, value);
    case KVB_SERVE_REVISION:
        (void)kvb_copy(command->deployment->revision, sizeof command->deployment->revision, value);
        return KVB_OK;
    case KVB_SERVE_ROPE_SCALING:
        return set_rope_scaling(command, value);
    case KVB_SERVE_OVERRIDES:
        return set_overrides(command, value);
    case KVB_SERVE_LEVEL:
        return set_level(command, value);
    case KVB_SERVE_ENCODER_COPY:
        return set_number(command, KVB_SET_MM_ENCODER_TP_MODE, 1);
    case KVB_SERVE_DRAFT_MODEL:
        return set_draft_model(command, value);
    case KVB_SERVE_DRAFT_METHOD:
        return set_setting(command, KVB_SET_SPECULATIVE_METHOD, value);
    case KVB_SERVE_DRAFT_TOKENS:
        return set_setting(command, KVB_SET_NUM_SPECULATIVE_TOKENS, value);
    case KVB_SERVE_CONFIG:
        (void)kvb_problem_add(command->problems, KVB_WARNING, KVB_NOT_ALLOWED, HERE,
                              "--config %.200s is not read; give its settings as flags", value);
        return KVB_OK;
    case KVB_SERVE_NOTHING:
    case KVB_SERVE_VALUE:
    case KVB_SERVE_VALUES:
        break;
    }
    return KVB_OK;
}

static bool is_flag(const char *word)
{
    return word[0] == '-' && word[1] != '\0' && (word[1] < '0' || word[1] > '9') && word[1] != '.';
}

static bool next_is_value(const struct command *command)
{
    return command->at < command->count && !is_flag(command->words[command->at]);
}

// Switches took a value from 0.5.3 to 0.8.4: --enable-chunked-prefill False.
static enum kvb_status read_switch(struct command *command, const struct kvb_serve_flag *flag, const char *equals,
                                   bool negated)
{
    const char *value = equals != NULL ? equals + 1 : negated ? "false" : "true";
    const char *next = word_at(command, 0);
    if (equals == NULL && !negated && (strcmp(next, "True") == 0 || strcmp(next, "False") == 0)) {
        value = next;
        command->at++;
    }
    return set_setting(command, (enum kvb_setting)flag->id, value);
}

// Joins the words of a list flag by blanks.
static enum kvb_status read_list(struct command *command, const struct kvb_serve_flag *flag, const char *equals)
{
    struct kvb_buffer joined;
    enum kvb_status status = KVB_NO_MEMORY;
    kvb_buffer_init(&joined);
    kvb_buffer_add(&joined, equals != NULL ? equals + 1 : "");
    while (next_is_value(command)) {
        kvb_buffer_add(&joined, joined.length > 0 ? " " : "");
        kvb_buffer_add(&joined, command->words[command->at++]);
    }
    if (!joined.failed) {
        status = set_value(command, flag, joined.data);
    }
    kvb_buffer_free(&joined);
    return status;
}

static enum kvb_status missing_value(struct command *command, const char *word)
{
    return kvb_problem_add(command->problems, KVB_ERROR, KVB_BAD_SYNTAX, HERE,
                           "in the serve command: %.80s needs a value", word);
}

static enum kvb_status read_known(struct command *command, const struct kvb_serve_flag *flag, const char *word,
                                  const char *equals, bool negated)
{
    if (flag->kind == KVB_SERVE_SETTING && kvb_setting_row_of(flag->id)->kind == KVB_VALUE_SWITCH) {
        return read_switch(command, flag, equals, negated);
    }
    if (flag->kind == KVB_SERVE_NOTHING || flag->kind == KVB_SERVE_ENCODER_COPY) {
        return negated ? KVB_OK : set_value(command, flag, "");
    }
    if (flag->kind == KVB_SERVE_LIST) {
        return read_list(command, flag, equals);
    }
    while (flag->kind == KVB_SERVE_VALUES && next_is_value(command)) {
        command->at++;
    }
    if (flag->kind == KVB_SERVE_VALUES || equals != NULL) {
        return flag->kind == KVB_SERVE_VALUES ? KVB_OK : set_value(command, flag, equals + 1);
    }
    if (!next_is_value(command)) {
        return missing_value(command, word);
    }
    return set_value(command, flag, command->words[command->at++]);
}

// The setting that an unknown flag may stand for; NULL when none is near.
static const char *nearest_setting(const char *word, const char *equals)
{
    char wanted[80];
    struct kvb_nearest nearest;
    size_t length = equals != NULL ? (size_t)(equals - word) : strlen(word);
    if (!kvb_starts_with(word, "--") || length - 2 >= sizeof wanted) {
        return NULL;
    }
    for (size_t i = 2; i < length; i++) {
        wanted[i - 2] = word[i] == '-' ? '_' : word[i];
    }
    wanted[length - 2] = '\0';
    kvb_nearest_init(&nearest, wanted);
    for (unsigned i = 0; i < KVB_SETTING_COUNT; i++) {
        if (kvb_setting_row_of(i)->kind != KVB_VALUE_PART) {
            kvb_nearest_offer(&nearest, kvb_setting_row_of(i)->key);
        }
    }
    return nearest.best;
}

// By the releases' own tables; a flag of none is taken to have a value when one follows.
static bool takes_value(const char *word)
{
    unsigned matches;
    const struct kvb_known_flag *row = kvb_flag_of(word + 2, strlen(word) - 2, 0, &matches);
    return !kvb_starts_with(word, "--") || row == NULL || (row->values != '0' && row->values != 'b');
}

static enum kvb_status skip_unknown(struct command *command, const char *word, const char *equals)
{
    const char *nearest = nearest_setting(word, equals);
    if (nearest != NULL) {
        (void)kvb_problem_add(command->problems, KVB_WARNING, KVB_UNKNOWN_NAME, HERE,
                              "%.80s of the serve command is not known here and left out; did you mean %s?", word,
                              nearest);
    } else {
        (void)kvb_problem_add(command->problems, KVB_NOTICE, KVB_UNKNOWN_NAME, HERE,
                              "%.80s of the serve command is not known here and taken to have no effect on memory",
                              word);
    }
    if (equals == NULL && takes_value(word) && next_is_value(command)) {
        command->at++;
    }
    return KVB_OK;
}

static enum kvb_status read_short(struct command *command, const char *word)
{
    struct kvb_serve_flag flag;
    const char *equals = strchr(word, '=');
    size_t length = equals != NULL ? (size_t)(equals - word) : strlen(word), used;
    if (kvb_starts_with(word, "-O")) {
        const char *level = word[2] == '=' ? word + 3 : word + 2;
        if (level[0] == '\0' && !next_is_value(command)) {
            return missing_value(command, word);
        }
        return set_level(command, level[0] != '\0' ? level : command->words[command->at++]);
    }
    if (!kvb_serve_short_find(word, length, &flag, &used)) {
        return skip_unknown(command, word, equals);
    }
    if (used < length) {
        return set_value(command, &flag, word + used);
    }
    return read_known(command, &flag, word, equals, false);
}

static enum kvb_status read_long(struct command *command, const char *word)
{
    struct kvb_serve_flag flag;
    const char *equals = strchr(word, '=');
    size_t length = (equals != NULL ? (size_t)(equals - word) : strlen(word)) - 2;
    bool negated = false;
    enum kvb_serve_match match = kvb_serve_flag_find(word + 2, length, &flag);
    if (match != KVB_SERVE_MATCH && length > 3 && (kvb_starts_with(word, "--no-") || kvb_starts_with(word, "--no_"))) {
        negated = true;
        match = kvb_serve_flag_find(word + 5, length - 3, &flag);
    }
    if (match == KVB_SERVE_AMBIGUOUS) {
        return kvb_problem_add(command->problems, KVB_ERROR, KVB_AMBIGUOUS_NAME, HERE,
                               "in the serve command: %.80s is the beginning of several flags; write it out", word);
    }
    return match == KVB_SERVE_MATCH ? read_known(command, &flag, word, equals, negated)
                                    : skip_unknown(command, word, equals);
}

static enum kvb_status read_dotted(struct command *command)
{
    int index = command->at - 1;
    struct kvb_buffer json;
    const char *name = kvb_serve_dotted_read(command->count, command->words, index, &json);
    enum kvb_status status = KVB_OK;
    if (json.failed) {
        status = kvb_problem_add(command->problems, KVB_ERROR, KVB_NO_MEMORY, HERE, "out of memory");
    } else if (name != NULL && json.length > 0) {
        status = strcmp(name, "hf-overrides") == 0
                     ? set_value(command, &(struct kvb_serve_flag){.kind = KVB_SERVE_OVERRIDES}, json.data)
                     : kvb_json_flag(name, json.data, KVB_ORIGIN_COMMAND, command->deployment, command->problems);
    }
    if (strchr(command->words[index], '=') == NULL && next_is_value(command)) {
        command->at++;
    }
    kvb_buffer_free(&json);
    return status;
}

// Notes a flag and the words it took, for what the release's own parser makes of them.
static void note_flag(struct command *command, int from)
{
    char *out = command->deployment->serve_flags;
    size_t used = strlen(out), capacity = sizeof command->deployment->serve_flags;
    for (int i = from; i < command->at && i < command->count; i++) {
        size_t size = strcspn(command->words[i], "\n");
        if (used + size + 2 >= capacity) {
            return;
        }
        out[used++] = i == from ? '\n' : ' ';
        memcpy(out + used, command->words[i], size);
        used += size;
        out[used] = '\0';
    }
}

static enum kvb_status read_flag(struct command *command, const char *word)
{
    int from = command->at - 1;
    enum kvb_status status = kvb_serve_is_dotted(word) ? read_dotted(command)
                             : word[1] == '-'          ? read_long(command, word)
                                                       : read_short(command, word);
    note_flag(command, from);
    return status;
}

static enum kvb_status read_word(struct command *command)
{
    const char *word = command->words[command->at++];
    if (!is_flag(word)) {
        if (!command->model_said) {
            return set_model(command, word);
        }
        return kvb_problem_add(command->problems, KVB_ERROR, KVB_BAD_SYNTAX, HERE,
                               "in the serve command: unexpected word '%.80s'", word);
    }
    return read_flag(command, word);
}

// Which settings and problems the words from `word` on have brought.
static void note_changes(struct kvb_serve_trace *trace, int word, const struct kvb_settings *before,
                         uint32_t problems_before, const struct command *command)
{
    for (unsigned i = 0; i < KVB_SETTING_COUNT; i++) {
        const struct kvb_setting_value *old = &before->values[i], *now = &command->deployment->settings.values[i];
        if (now->set != old->set || now->number != old->number) {
            trace->settings[i] = word;
        }
    }
    for (uint32_t i = problems_before; i < command->problems->count; i++) {
        trace->problems[i] = word;
    }
}

static enum kvb_status read_traced(struct command *command, struct kvb_serve_trace *trace)
{
    struct kvb_settings before = command->deployment->settings;
    uint32_t problems = command->problems->count;
    bool model_said = command->model_said;
    int word = command->at;
    enum kvb_status status = read_word(command);
    note_changes(trace, word, &before, problems, command);
    trace->model = command->model_said && !model_said ? word : trace->model;
    return status;
}

enum kvb_status kvb_serve_command_read_traced(int count, const char *const *words, struct kvb_serve_trace *trace,
                                              struct kvb_deployment *deployment, struct kvb_problems *problems)
{
    struct command command = {.count = count, .words = words, .deployment = deployment, .problems = problems};
    memset(trace, 0, sizeof *trace);
    enum kvb_status status = read_environment(&command);
    if (status == KVB_OK) {
        status = read_program(&command);
    }
    while (status == KVB_OK && command.at < command.count) {
        status = read_traced(&command, trace);
    }
    return status;
}

enum kvb_status kvb_serve_command_read(int count, const char *const *words, struct kvb_deployment *deployment,
                                       struct kvb_problems *problems)
{
    struct command command = {.count = count, .words = words, .deployment = deployment, .problems = problems};
    enum kvb_status status = read_environment(&command);
    if (status == KVB_OK) {
        status = read_program(&command);
    }
    while (status == KVB_OK && command.at < command.count) {
        status = read_word(&command);
    }
    return status;
}
