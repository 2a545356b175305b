// The engine's own flags: one of ours per row of its table that moves memory.
#include <stdio.h>
#include <string.h>

#include "base/memory.h"
#include "base/text.h"
#include "cli/options.h"
#include "cli/sweep.h"
#include "command/serve_command.h"
#include "command/setting_flag.h"

static bool set_setting(struct arguments *arguments, const struct option_row *row, const char *value)
{
    enum kvb_setting setting = (enum kvb_setting)row->flag->id;
    uint64_t number = 0;
    char why[256];
    const char *text = value == NULL ? "true" : value;
    if (kvb_sweep_takes(arguments, KVB_SWEEP_SETTING, setting, text)) {
        return true;
    }
    if (kvb_serve_value_read(row->flag, text, &number, why) != KVB_OK) {
        (void)kvb_options_mistake(arguments, "--%s: %s", row->name, why);
        return false;
    }
    kvb_settings_set(&arguments->question.deployment.settings, setting, number, KVB_ORIGIN_FLAG);
    arguments->question.setting_texts[setting] = text;
    return true;
}

static bool set_fixed(struct arguments *arguments, const struct option_row *row, const char *value)
{
    (void)value;
    kvb_settings_set(&arguments->question.deployment.settings, (enum kvb_setting)row->flag->id, row->flag->number,
                     KVB_ORIGIN_FLAG);
    return true;
}

static bool set_json(struct arguments *arguments, const struct option_row *row, const char *value)
{
    kvb_question_keep(&arguments->question, row->flag->name, value); // the row does not outlive the reading
    return kvb_json_flag(row->flag->part, value, KVB_ORIGIN_FLAG, &arguments->question.deployment,
                         &arguments->problems) == KVB_OK;
}

static bool set_own(struct arguments *arguments, const struct option_row *row, const char *value)
{
    char why[256] = "";
    if (value[0] == '{' && row->flag->part != NULL) {
        return set_json(arguments, row, value);
    }
    kvb_question_keep(&arguments->question, row->flag->name, value); // the row does not outlive the reading
    if (!row->flag->read(value, KVB_ORIGIN_FLAG, &arguments->question.deployment, why)) {
        (void)kvb_options_mistake(arguments, "--%s: %s", row->name, why);
        return false;
    }
    return true;
}

static bool copy(struct arguments *arguments, const struct option_row *row, const char *value, char *out,
                 size_t capacity)
{
    if (!kvb_copy(out, capacity, value)) {
        (void)kvb_options_mistake(arguments, "--%s is longer than %zu characters", row->name, capacity - 1);
        return false;
    }
    return true;
}

static bool set_overrides(struct arguments *arguments, const struct option_row *row, const char *value)
{
    struct kvb_deployment *deployment = &arguments->question.deployment;
    kvb_question_keep(&arguments->question, row->flag->name, value); // the row does not outlive the reading
    return copy(arguments, row, value, deployment->overrides, sizeof deployment->overrides);
}

static bool set_model(struct arguments *arguments, const struct option_row *row, const char *value)
{
    struct kvb_deployment *deployment = &arguments->question.deployment;
    deployment->inline_model = false;
    return copy(arguments, row, value, deployment->model, sizeof deployment->model);
}

static bool set_draft_model(struct arguments *arguments, const struct option_row *row, const char *value)
{
    struct kvb_deployment *deployment = &arguments->question.deployment;
    char ignored[256];
    if (row->flag->read != NULL) {
        (void)row->flag->read(value, KVB_ORIGIN_FLAG, deployment, ignored);
    }
    if (!deployment->settings.values[KVB_SET_SPECULATIVE_METHOD].set) {
        kvb_settings_set(&deployment->settings, KVB_SET_SPECULATIVE_METHOD, KVB_SPECULATIVE_DRAFT_MODEL,
                         KVB_ORIGIN_FLAG);
    }
    kvb_question_keep(&arguments->question, row->flag->name, value); // the row does not outlive the reading
    return copy(arguments, row, value, deployment->draft_model, sizeof deployment->draft_model);
}

// NULL: a flag of this kind is for serve commands alone.
static option_setter *setter_of(enum kvb_serve_kind kind)
{
    static option_setter *const setters[] = {
        [KVB_SERVE_SETTING] = set_setting,     [KVB_SERVE_SETS] = set_fixed,  [KVB_SERVE_JSON] = set_json,
        [KVB_SERVE_LIST] = set_json,           [KVB_SERVE_MODEL] = set_model, [KVB_SERVE_DRAFT_MODEL] = set_draft_model,
        [KVB_SERVE_OVERRIDES] = set_overrides, [KVB_SERVE_OWN] = set_own,     [KVB_SERVE_VALUES] = NULL,
    };
    return setters[kind];
}

static bool is_switch(const struct kvb_serve_flag *flag)
{
    bool plain =
        flag->kind == KVB_SERVE_SETTING && kvb_setting_row_of((enum kvb_setting)flag->id)->kind == KVB_VALUE_SWITCH;
    return flag->kind == KVB_SERVE_SETS || plain;
}

static void add_flag(struct option_list *list, const struct kvb_serve_flag *flag)
{
    bool setting = flag->kind == KVB_SERVE_SETTING || flag->kind == KVB_SERVE_SETS;
    const struct kvb_setting_row *said = setting ? kvb_setting_row_of((enum kvb_setting)flag->id) : NULL;
    char name[KVB_FLAG_CAPACITY];
    if (list->count == OPTIONS_MAX || flag->name == NULL) {
        return;
    }
    kvb_serve_flag_name(name, flag);
    (void)kvb_copy(list->names[list->count], sizeof list->names[0], name + 2);
    const char *argument = flag->argument != NULL ? flag->argument : said != NULL ? said->argument : "VALUE";
    struct option_row row = {
        .name = list->names[list->count],
        .short_name = flag->short_name,
        .argument = is_switch(flag)    ? NULL
                    : argument != NULL ? argument
                                       : "VALUE",
        .help = flag->help != NULL ? flag->help
                : said != NULL     ? said->help
                                   : "",
        .set = setter_of(flag->kind),
        .set_bit = OPTIONS_ENGINE,
        .flag = flag,
        .negatable = flag->negatable,
        .list = flag->kind == KVB_SERVE_LIST,
    };
    kvb_options_add(list, &row, 1);
}

void kvb_options_add_engine(struct option_list *list)
{
    const struct kvb_serve_flag *flag;
    for (unsigned i = 0; (flag = list->engine->flag(i)) != NULL; i++) {
        if (!flag->serve_only && setter_of(flag->kind) != NULL) {
            add_flag(list, flag);
        }
    }
}

const struct kvb_engine_rows *kvb_options_engine_with(const struct option_list *list, const char *name, size_t length,
                                                      const struct kvb_serve_flag **found)
{
    size_t engines;
    const struct kvb_engine_rows *const *rows = kvb_engines(&engines);
    bool takes = kvb_options_find(list, "--engine", 8) != NULL;
    for (size_t i = 0; i < engines && takes; i++) {
        const struct kvb_serve_flag *flag;
        for (unsigned k = 0; (flag = rows[i]->flag(k)) != NULL; k++) {
            char dashed[KVB_FLAG_CAPACITY];
            bool is_long = flag->name != NULL && kvb_option_is_called(kvb_serve_flag_name(dashed, flag), name, length);
            if (!flag->serve_only && rows[i] != list->engine &&
                (is_long || kvb_option_is_called(flag->short_name, name, length))) {
                *found = flag;
                return rows[i];
            }
        }
    }
    return NULL;
}

bool kvb_options_is_of_line(const struct option_list *list, const char *name, size_t length)
{
    const struct kvb_serve_flag *flag;
    for (unsigned i = 0; list->engine != NULL && (flag = list->engine->flag(i)) != NULL; i++) {
        char dashed[KVB_FLAG_CAPACITY];
        bool is_long = flag->name != NULL && kvb_option_is_called(kvb_serve_flag_name(dashed, flag), name, length);
        if (flag->serve_only && (is_long || kvb_option_is_called(flag->short_name, name, length))) {
            return true;
        }
    }
    return false;
}

const char *kvb_options_line_of(const struct option_list *list)
{
    size_t count = 0;
    const struct kvb_serve_program *programs = list->engine->programs != NULL ? list->engine->programs(&count) : NULL;
    return count > 0 && programs[0].usage != NULL ? programs[0].usage : list->engine->name;
}

static bool is_yaml(const char *word)
{
    size_t length = strlen(word);
    return word[0] != '-' && length > 4 &&
           (strcmp(word + length - 4, ".yml") == 0 || strcmp(word + length - 4, "yaml") == 0);
}

// What a profile among the words says; NULL: nothing.
static const struct kvb_engine_rows *engine_of_profile(const char *path)
{
    struct {
        struct kvb_deployment deployment;
        struct kvb_problems ignored;
    } *read = kvb_reallocate(NULL, sizeof *read);
    const struct kvb_engine_rows *engine = NULL;
    if (read == NULL) {
        return NULL;
    }
    kvb_problems_init(&read->ignored);
    if (kvb_deployment_load(path, &read->deployment, &read->ignored) == KVB_OK && read->deployment.engine[0] != '\0') {
        engine = kvb_engine_said(read->deployment.engine);
    }
    kvb_free(read);
    return engine;
}

const struct kvb_engine_rows *kvb_options_engine_asked(const struct command_row *command, int count,
                                                       const char *const *words)
{
    const struct kvb_engine_rows *engine = NULL;
    int end = 0;
    for (; end < count && strcmp(words[end], "--") != 0; end++) {
        bool apart = strcmp(words[end], "--engine") == 0 && end + 1 < count;
        if (apart || kvb_starts_with(words[end], "--engine=")) {
            return kvb_engine_said(apart ? words[end + 1] : words[end] + 9);
        }
    }
    if (command->takes_serve_command && end < count) {
        engine = kvb_serve_engine_of(count - end - 1, words + end + 1);
    }
    for (int i = 0; i < end && engine == NULL && command->takes_serve_command; i++) {
        engine = is_yaml(words[i]) ? engine_of_profile(words[i]) : NULL;
    }
    return engine;
}
