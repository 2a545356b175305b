// The reader of our own command line: strict, and helpful about mistakes.
#include "cli/options.h"

#include <stdio.h>
#include <string.h>

#include "base/text.h"
#include "cli/plan_file.h"
#include "cli/unknown_flag.h"
#include "command/serve_command.h"
#include "command/setting_flag.h"
#include "text/file.h"

#define USES_MAX 256

// One flag as it was used; values are set later, in the order of precedence.
struct use {
    const struct option_row *row;
    const char *value;
};

struct reading {
    struct arguments *arguments;
    const struct option_list *list;
    int count, at;
    const char *const *words;
    uint32_t use_count;
    struct use uses[USES_MAX];
};

void kvb_options_build(struct option_list *list, unsigned option_sets, const struct kvb_engine_rows *engine)
{
    static const struct {
        unsigned set;
        void (*add)(struct option_list *list);
    } sources[] = {
        {OPTIONS_MACHINE, kvb_options_add_machine}, // before --gpu-memory, which outranks it
        {OPTIONS_DEPLOYMENT, kvb_options_add_deployment},
        {OPTIONS_ENGINE, kvb_options_add_engine},
        {OPTIONS_PLAN, kvb_options_add_plan},
        {OPTIONS_CHECK, kvb_options_add_check},
        {OPTIONS_EXPLAIN, kvb_options_add_explain},
        {OPTIONS_RECORD, kvb_options_add_record},
        {OPTIONS_MODELS, kvb_options_add_models},
        {OPTIONS_SWEEP, kvb_options_add_sweep},
        {OPTIONS_OUTPUT, kvb_options_add_output},
    };
    list->engine = engine != NULL ? engine : kvb_engine_said("");
    list->count = 0;
    for (size_t i = 0; i < sizeof sources / sizeof sources[0]; i++) {
        if (option_sets & sources[i].set) {
            sources[i].add(list);
        }
    }
}

// The row that `--no-NAME` switches off.
static const struct option_row *find_negated(const struct option_list *list, const char *name, size_t length)
{
    if (length <= 5 || strncmp(name, "--no-", 5) != 0) {
        return NULL;
    }
    for (uint32_t i = 0; i < list->count; i++) {
        if (list->rows[i].negatable && kvb_option_is_called(list->rows[i].name, name + 5, length - 5)) {
            return &list->rows[i];
        }
    }
    return NULL;
}

static bool was_used(const struct reading *reading, const struct option_row *row)
{
    for (uint32_t i = 0; i < reading->use_count; i++) {
        if (reading->uses[i].row == row) {
            return true;
        }
    }
    return false;
}

static enum kvb_status note_use(struct reading *reading, const struct option_row *row, const char *value)
{
    if (!row->repeatable && was_used(reading, row)) {
        return kvb_options_mistake(reading->arguments, "--%s is given twice", row->name);
    }
    if (reading->use_count == USES_MAX) {
        return kvb_options_mistake(reading->arguments, "more than %d flags", USES_MAX);
    }
    reading->uses[reading->use_count++] = (struct use){row, value};
    return KVB_OK;
}

static bool is_plain_number(const char *text)
{
    return text[0] != '\0' && strspn(text, "0123456789") == strlen(text);
}

// What does not go in whole is left out.
static bool add_number(char *joined, size_t capacity, const char *number)
{
    size_t used = strlen(joined);
    if (used + 1 + strlen(number) >= capacity) {
        return false;
    }
    joined[used] = ' ';
    return kvb_copy(joined + used + 1, capacity - used - 1, number);
}

// Joins `1 2 4` behind a list flag into one value.
static const char *join_list(struct reading *reading, const char *first)
{
    struct arguments *arguments = reading->arguments;
    if (!is_plain_number(first) || arguments->list_count == LISTS_MAX) {
        return first;
    }
    char *joined = arguments->list_values[arguments->list_count++];
    size_t capacity = sizeof arguments->list_values[0];
    (void)kvb_copy(joined, capacity, first);
    while (reading->at < reading->count && is_plain_number(reading->words[reading->at]) &&
           add_number(joined, capacity, reading->words[reading->at])) {
        reading->at++;
    }
    return joined;
}

static bool looks_like_flag(const char *word)
{
    return word[0] == '-' && word[1] != '\0' && (word[1] < '0' || word[1] > '9');
}

static enum kvb_status read_value(struct reading *reading, const struct option_row *row, const char *equals)
{
    if (row->argument == NULL) {
        if (equals != NULL) {
            return kvb_options_mistake(reading->arguments, "--%s takes no value; found '%s'", row->name, equals + 1);
        }
        return note_use(reading, row, NULL);
    }
    if (equals != NULL) {
        return note_use(reading, row, equals + 1);
    }
    if (reading->at == reading->count || looks_like_flag(reading->words[reading->at])) {
        return kvb_options_mistake(reading->arguments, "--%s needs a value: --%s %s", row->name, row->name,
                                   row->argument);
    }
    const char *value = reading->words[reading->at++];
    return note_use(reading, row, row->list ? join_list(reading, value) : value);
}

static enum kvb_status read_flag(struct reading *reading, const char *word)
{
    const char *equals = strchr(word, '=');
    size_t length = equals != NULL ? (size_t)(equals - word) : strlen(word);
    const struct option_row *row = kvb_options_find(reading->list, word, length);
    if (row != NULL) {
        return read_value(reading, row, equals);
    }
    row = find_negated(reading->list, word, length);
    if (row == NULL) {
        return kvb_unknown_flag(reading->arguments, reading->list, word, length);
    }
    if (equals != NULL) {
        return kvb_options_mistake(reading->arguments, "--no-%s takes no value; found '%s'", row->name, equals + 1);
    }
    return note_use(reading, row, "false");
}

static const char *second_word_hint(const struct command_row *command, const char *word)
{
    if (!command->takes_serve_command) {
        return "";
    }
    return kvb_path_exists(word) ? "; one file at a time, 'kvbudget check' takes several"
                                 : "; a serve command goes behind --";
}

static enum kvb_status add_operand(struct arguments *arguments, const char *word)
{
    const struct command_row *command = arguments->command;
    const char *slip = kvb_word_slip(word);
    if (slip[0] != '\0' && !kvb_path_exists(word)) {
        return kvb_options_mistake(arguments, "unexpected word '%.80s'%s", word, slip);
    }
    if (arguments->operand_count == command->operands_max || arguments->operand_count == OPERANDS_MAX) {
        return kvb_options_mistake(arguments, "unexpected word '%.80s'%s", word, second_word_hint(command, word));
    }
    arguments->operands[arguments->operand_count++] = word;
    return KVB_OK;
}

static enum kvb_status take_serve_command(struct reading *reading)
{
    struct arguments *arguments = reading->arguments;
    if (!arguments->command->takes_serve_command) {
        return kvb_options_mistake(arguments, "'%s' takes no serve command after --", arguments->command->name);
    }
    arguments->question.serve_count = reading->count - reading->at;
    arguments->question.serve_words = reading->words + reading->at;
    if (arguments->question.serve_count == 0) {
        return kvb_options_mistake(arguments, "nothing follows --; expected a command such as '%s MODEL'",
                                   kvb_engine_said("")->serve_command);
    }
    return KVB_OK;
}

// Behind -- of a command that takes files and folders everything is one, whatever it begins with.
static enum kvb_status take_operands(struct reading *reading)
{
    enum kvb_status status = KVB_OK;
    while (status == KVB_OK && reading->at < reading->count) {
        status = add_operand(reading->arguments, reading->words[reading->at++]);
    }
    return status;
}

static enum kvb_status read_words(struct reading *reading)
{
    enum kvb_status status = KVB_OK;
    while (status == KVB_OK && reading->at < reading->count) {
        const char *word = reading->words[reading->at++];
        if (strcmp(word, "--") == 0) {
            bool paths = (reading->arguments->command->option_sets & OPTIONS_CHECK) != 0; // files and folders
            return paths ? take_operands(reading) : take_serve_command(reading);
        }
        status = looks_like_flag(word) ? read_flag(reading, word) : add_operand(reading->arguments, word);
    }
    return status;
}

// Flags come last because they outrank profile and serve command; rows go in table order, so that
// --gpu is set before --gpu-memory whatever the order on the command line.
static enum kvb_status apply_uses(struct reading *reading)
{
    bool fine = true;
    for (uint32_t i = 0; i < reading->list->count; i++) {
        for (uint32_t u = 0; u < reading->use_count; u++) {
            const struct use *use = &reading->uses[u];
            if (use->row == &reading->list->rows[i]) {
                fine = use->row->set(reading->arguments, use->row, use->value) && fine;
            }
        }
    }
    return fine ? KVB_OK : KVB_BAD_ARGUMENT;
}

// Which word of the serve command names the model, so that --model can take its place.
static int find_model_word(const struct arguments *arguments)
{
    for (int i = 0; i < arguments->question.serve_count; i++) {
        if (strcmp(arguments->question.serve_words[i], arguments->question.deployment.model) == 0) {
            return i;
        }
    }
    return -1;
}

// `kvbudget plan Qwen/Qwen3-8B`: a word that neither looks like a path nor is one names the model; so does
// /models/Qwen3-8B, a folder of another machine.
static bool is_model_name(const struct arguments *arguments)
{
    const char *word = arguments->operands[0];
    bool file = kvb_ends_with(word, ".yaml") || kvb_ends_with(word, ".yml") || kvb_ends_with(word, ".json");
    bool folder = word[0] == '/' && !file;
    return arguments->given.name == NULL && word[0] != '\0' && (folder || !kvb_is_path(word)) && !kvb_path_exists(word);
}

// Values of --env, for the variables of a file.
static uint32_t take_environment(const struct reading *reading, const char *out[KVB_TYPED_MAX])
{
    uint32_t count = 0;
    for (uint32_t i = 0; i < reading->use_count && count < KVB_TYPED_MAX; i++) {
        if (strcmp(reading->uses[i].row->name, "env") == 0) {
            out[count++] = reading->uses[i].value;
        }
    }
    return count;
}

static enum kvb_status read_operand(const struct reading *reading)
{
    struct arguments *arguments = reading->arguments;
    struct kvb_deployment *deployment = &arguments->question.deployment;
    arguments->names_model = is_model_name(arguments);
    if (arguments->names_model) {
        return kvb_copy(deployment->model, sizeof deployment->model, arguments->operands[0])
                   ? KVB_OK
                   : kvb_options_mistake(arguments, "the model's name is too long");
    }
    const char *environment[KVB_TYPED_MAX];
    return kvb_plan_file_load(arguments, environment, take_environment(reading, environment));
}

// A word that is no file would name the model; where flags or the serve command name it, the word is a slip.
static enum kvb_status refuse_second_model(struct arguments *arguments)
{
    const char *model = arguments->question.deployment.model;
    if (!arguments->names_model || strcmp(model, arguments->operands[0]) == 0) {
        return KVB_OK;
    }
    return kvb_options_mistake(arguments, "unexpected word '%.80s': there is no file '%.80s', and the model is %.120s",
                               arguments->operands[0], arguments->operands[0], model);
}

// A flag that the engine does not know and that is ours stands on the wrong side of --.
static enum kvb_status refuse_own_flags(const struct reading *reading, uint32_t before)
{
    struct arguments *arguments = reading->arguments;
    for (uint32_t i = before; i < arguments->problems.count; i++) {
        char flag[KVB_PROBLEM_FLAG_CAPACITY];
        bool typed = arguments->problems.items[i].file[0] == '\0'; // not in a file that the line names
        (void)kvb_copy(flag, sizeof flag, typed ? arguments->problems.items[i].flag : "");
        const struct option_row *row = flag[0] != '\0' ? kvb_options_find(reading->list, flag, strlen(flag)) : NULL;
        if (row != NULL && row->flag == NULL) {
            arguments->problems.count = before; // that it has no effect is not said beside this
            return kvb_options_mistake(arguments,
                                       "%.80s is no flag of the serve command but of kvbudget: put it before --", flag);
        }
    }
    return KVB_OK;
}

static bool says_file(const struct kvb_problems *problems, enum kvb_status status)
{
    for (uint32_t i = 0; i < problems->count; i++) {
        const struct kvb_problem *problem = &problems->items[i];
        if (problem->severity == KVB_ERROR && problem->status == status && problem->file[0] != '\0') {
            return true;
        }
    }
    return status == KVB_NO_MEMORY;
}

// The value of --engine, which comes after the serve command and stands above it; NULL: it is not given.
static const char *engine_flag(const struct reading *reading)
{
    const char *value = NULL;
    for (uint32_t i = 0; i < reading->use_count; i++) {
        value = strcmp(reading->uses[i].row->name, "engine") == 0 ? reading->uses[i].value : value;
    }
    return value;
}

// What is wrong in the words is the command line's, what is wrong in a file they name is the file's.
static enum kvb_status read_command(const struct reading *reading)
{
    struct arguments *arguments = reading->arguments;
    struct kvb_question *question = &arguments->question;
    const struct kvb_serve_beside beside = {.engine = engine_flag(reading)};
    uint32_t before = arguments->problems.count;
    if (question->serve_count > 0) {
        enum kvb_status status = kvb_serve_command_read_beside(question->serve_count, question->serve_words, &beside,
                                                               NULL, &question->deployment, &arguments->problems);
        if (status != KVB_OK) {
            return says_file(&arguments->problems, status) ? status : KVB_BAD_ARGUMENT;
        }
    }
    question->serve_model = find_model_word(arguments);
    return refuse_own_flags(reading, before);
}

static enum kvb_status read_profile_and_command(const struct reading *reading)
{
    struct arguments *arguments = reading->arguments;
    if (!arguments->command->takes_serve_command) {
        return KVB_OK;
    }
    if (arguments->operand_count == 1 && (arguments->command->option_sets & (OPTIONS_PLAN | OPTIONS_MACHINE))) {
        enum kvb_status status = read_operand(reading);
        if (status != KVB_OK) {
            return status;
        }
    }
    if (kvb_container_line(arguments)) {
        const char *environment[KVB_TYPED_MAX];
        bool file = arguments->operand_count == 1 && !arguments->names_model &&
                    (arguments->command->option_sets & (OPTIONS_PLAN | OPTIONS_MACHINE));
        return file ? kvb_options_mistake(arguments, "both '%.80s' and the command behind -- say what is deployed",
                                          arguments->operands[0])
                    : kvb_container_line_load(arguments, environment, take_environment(reading, environment));
    }
    return read_command(reading);
}

enum kvb_status kvb_options_read(struct arguments *arguments, int count, const char *const *words)
{
    struct option_list list;
    struct reading reading = {.arguments = arguments, .list = &list, .count = count, .words = words};
    kvb_options_build(&list, arguments->command->option_sets,
                      kvb_options_engine_asked(arguments->command, count, words));
    enum kvb_status status = read_words(&reading);
    if (status == KVB_OK && arguments->operand_count < arguments->command->operands_min) {
        status =
            kvb_options_mistake(arguments, "'%s' needs %s", arguments->command->name, arguments->command->operands);
    }
    if (status == KVB_OK) {
        status = read_profile_and_command(&reading);
    }
    status = status == KVB_OK ? apply_uses(&reading) : status;
    status = status == KVB_OK ? refuse_second_model(arguments) : status;
    if (status == KVB_OK) {
        kvb_deployment_take_gpu_count(&arguments->question.deployment);
    }
    return status;
}

bool kvb_options_want_json(int count, const char *const *words)
{
    for (int i = 0; i < count && strcmp(words[i], "--") != 0; i++) {
        bool pair = strcmp(words[i], "--format") == 0 && i + 1 < count && strcmp(words[i + 1], "json") == 0;
        if (pair || strcmp(words[i], "--json") == 0 || strcmp(words[i], "--format=json") == 0) {
            return true;
        }
    }
    return false;
}
