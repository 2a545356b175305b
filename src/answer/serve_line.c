// The serve command that starts the deployment with the advised changes applied.
#include <kvbudget/answer.h>

#include <stdio.h>
#include <string.h>

#include "answer/serve_parts.h"
#include "base/text.h"
#include "command/setting_flag.h"
#include "model/names/name.h"

// A word that a shell takes as it stands.
static bool is_plain(const char *word)
{
    static const char plain[] = "abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ0123456789_./:=@%+,-";
    return word[0] != '\0' && word[strspn(word, plain)] == '\0';
}

static void quote(struct kvb_buffer *out, const char *word)
{
    if (is_plain(word)) {
        kvb_buffer_add(out, word);
        return;
    }
    kvb_buffer_add(out, "'");
    for (; *word != '\0'; word++) {
        if (*word == '\'') {
            kvb_buffer_add(out, "'\\''");
        } else {
            kvb_buffer_add_n(out, word, 1);
        }
    }
    kvb_buffer_add(out, "'");
}

// NAME='value': the name must stay outside the quotes to remain an assignment.
static void add_assignment(struct kvb_buffer *out, const char *assignment)
{
    size_t name = strcspn(assignment, "=");
    kvb_buffer_add_n(out, assignment, name + 1);
    if (assignment[name + 1] != '\0') {
        quote(out, assignment + name + 1);
    }
    kvb_buffer_add(out, " ");
}

static void apply_changes(struct serve_settings *settings, const struct kvb_advice *advice)
{
    for (uint32_t i = 0; i < advice->apply_count; i++) {
        const struct kvb_change *change = &advice->changes[advice->apply[i]];
        struct serve_setting *setting = &settings->values[change->setting];
        *setting = (struct serve_setting){.written = !change->removes_setting, .changed = true, .number = change->to};
    }
}

// Our own flags and changes only: what must be said besides a serve command that was given.
static void gather(struct serve_settings *settings, const struct kvb_question *question,
                   const struct kvb_advice *advice, enum kvb_origin least)
{
    memset(settings, 0, sizeof *settings);
    for (unsigned i = 0; i < KVB_SETTING_COUNT; i++) {
        const struct kvb_setting_value *value = &question->deployment.settings.values[i];
        bool said = value->set && value->origin >= least && value->origin != KVB_ORIGIN_DEFAULT;
        settings->values[i] = (struct serve_setting){
            .written = said,
            .changed = said && value->origin == KVB_ORIGIN_FLAG,
            .number = value->number,
            .text = kvb_setting_row_of(i)->kind == KVB_VALUE_WORD ? question->setting_texts[i] : NULL,
        };
    }
    apply_changes(settings, advice);
}

// Text as it was typed; numbers of a list are words of their own, whatever stood between them.
static void add_typed(struct kvb_buffer *out, const char *typed)
{
    if (strspn(typed, "0123456789, ") < strlen(typed)) {
        quote(out, typed);
        return;
    }
    for (; *typed != '\0'; typed++) {
        kvb_buffer_add_n(out, *typed == ',' ? " " : typed, 1);
    }
}

// A switch as the release writes it; one that is off by itself and cannot be said is left out.
static enum kvb_off_form off_form(const struct kvb_engine_rows *engine, const char *name, uint32_t release)
{
    return engine->off_form != NULL ? engine->off_form(name + 2, release) : KVB_OFF_NEGATED;
}

static void add_switch(struct kvb_buffer *out, const struct kvb_engine_rows *engine, uint32_t release, const char *name,
                       bool on)
{
    enum kvb_off_form form = off_form(engine, name, release);
    if (on) {
        kvb_buffer_printf(out, " %s", name);
    } else if (form != KVB_OFF_UNSAID) {
        kvb_buffer_printf(out, form == KVB_OFF_VALUE ? " --%s=False" : " --no-%s", name + 2);
    }
}

static void add_setting(struct kvb_buffer *out, const struct kvb_engine_rows *engine, uint32_t release,
                        enum kvb_setting setting, const struct serve_setting *value)
{
    const struct kvb_serve_flag *flag = value->written ? kvb_serve_flag_of(engine, setting, value->number) : NULL;
    const struct kvb_setting_row *row = kvb_setting_row_of(setting);
    char name[KVB_FLAG_CAPACITY], text[48];
    if (flag == NULL || flag->ours) {
        return; // a member of a JSON flag, or none of this engine
    }
    kvb_serve_flag_name(name, flag);
    if (flag->kind == KVB_SERVE_SETS) {
        bool unsaid = value->number == 0 && off_form(engine, name, release) == KVB_OFF_UNSAID;
        if (!unsaid) {
            kvb_buffer_printf(out, " %s", name);
        }
    } else if (row->kind == KVB_VALUE_SWITCH) {
        add_switch(out, engine, release, name, value->number != 0);
    } else {
        const char *shown = value->text != NULL ? value->text : kvb_serve_value_format(text, flag, value->number);
        if (row->kind != KVB_VALUE_WORD || strcmp(shown, "other") != 0) {
            const char *beside = engine->companion != NULL ? engine->companion(setting, value->number, release) : NULL;
            kvb_buffer_printf(out, " %s ", name);
            quote(out, shown);
            kvb_buffer_printf(out, beside != NULL ? " %s" : "%s", beside != NULL ? beside : "");
        }
    }
}

static void add_settings(struct kvb_buffer *out, const struct kvb_engine_rows *engine, uint32_t release,
                         const struct kvb_question *question, const struct serve_settings *settings)
{
    const struct kvb_serve_flag *flag;
    for (unsigned i = 0; i < KVB_SETTING_COUNT; i++) {
        add_setting(out, engine, release, (enum kvb_setting)i, &settings->values[i]);
    }
    for (unsigned i = 0; (flag = kvb_serve_part_at(engine, i)) != NULL; i++) {
        const char *typed = kvb_question_typed(question, flag->name);
        char name[KVB_FLAG_CAPACITY];
        struct kvb_buffer made;
        kvb_buffer_init(&made);
        if (typed == NULL || kvb_serve_part_is_advised(engine, flag, settings, question)) {
            kvb_serve_part_write(&made, engine, flag, settings, &question->deployment);
            typed = made.length > 0 && !made.failed ? made.data : NULL;
        }
        if (typed != NULL) {
            kvb_buffer_printf(out, " %s ", kvb_serve_flag_name(name, flag));
            add_typed(out, typed);
        }
        kvb_buffer_free(&made);
    }
}

// Whether the words at `at` are a flag that is said anew; `*words` receives how many they are.
static bool is_replaced(const struct kvb_engine_rows *engine, const struct kvb_question *question,
                        const struct serve_settings *settings, int at, int *words)
{
    const char *word = question->serve_words[at];
    const char *equals = strchr(word, '=');
    bool takes_value = false;
    *words = 1;
    if (word[0] != '-' || !kvb_serve_flag_is_changed(engine, word, settings, question, &takes_value)) {
        return false;
    }
    if (takes_value && equals == NULL && at + 1 < question->serve_count) {
        *words = 2;
    }
    return true;
}

// A file or a spelling of ours is not what the engine serves; the model's name is. A folder is served as it is.
static const char *served_model(const struct kvb_question *question, const struct kvb_plan *plan)
{
    const struct kvb_deployment *deployment = &question->deployment;
    const char *model = deployment->model;
    size_t length = strlen(model);
    static const char *const endings[] = {".json", ".yaml", ".yml"};
    for (size_t i = 0; i < sizeof endings / sizeof endings[0]; i++) {
        size_t ending = strlen(endings[i]);
        if (length > ending && kvb_equal_ignoring_case(model + length - ending, endings[i])) {
            return plan->model.name;
        }
    }
    bool spelled = strstr(model, "://") != NULL || strchr(model, '@') != NULL ||
                   (strchr("/.~", model[0]) == NULL && strchr(model, '/') == NULL);
    spelled = spelled || kvb_starts_with(model, "hf.co/") || kvb_starts_with(model, "huggingface.co/");
    bool named = deployment->inline_model || deployment->served_name[0] != '\0' || spelled;
    return length == 0 || named ? plan->model.name : model;
}

// A file of weights is served as it is called, whatever the model is called here.
static bool is_gguf(const char *word)
{
    size_t length = strlen(word);
    return length > 5 && kvb_equal_ignoring_case(word + length - 5, ".gguf");
}

// The revision that flags or the model's name say, where the engine would not take main anyway.
static void add_revision(struct kvb_buffer *out, const struct kvb_question *question)
{
    const struct kvb_deployment *deployment = &question->deployment;
    struct kvb_name name;
    const char *revision = deployment->revision;
    if (revision[0] == '\0' && kvb_name_parse(deployment->model, &name) && kvb_name_is_repository(&name)) {
        revision = name.revision;
    }
    for (int i = 0; i < question->serve_count; i++) {
        if (kvb_starts_with(question->serve_words[i], "--revision")) {
            return; // it stands in the command
        }
    }
    if (revision[0] != '\0' && strcmp(revision, "main") != 0) {
        kvb_buffer_add(out, " --revision ");
        quote(out, revision);
    }
}

// A file of weights, or a name of the engine's own library: said as it was typed.
static bool keeps_typed_name(const struct kvb_line_rules *rules, const char *typed)
{
    bool plain = strchr(typed, '/') == NULL || kvb_starts_with(typed, "hf.co/");
    bool name = typed[0] != '\0' && strchr("./~", typed[0]) == NULL && strchr(typed, '@') == NULL;
    bool file = strstr(typed, ".json") != NULL || strstr(typed, ".yaml") != NULL || strstr(typed, ".yml") != NULL;
    return is_gguf(typed) || (rules->library_names && plain && name && !file && strstr(typed, "://") == NULL);
}

static void name_model(char out[KVB_LINE_MODEL_CAPACITY], const struct kvb_question *question,
                       const struct kvb_plan *plan)
{
    const struct kvb_line_rules *rules = kvb_engine_of(plan)->line;
    const char *typed = question->deployment.model;
    char library[KVB_LINE_MODEL_CAPACITY];
    if (rules == NULL || keeps_typed_name(rules, typed)) {
        (void)kvb_copy(out, KVB_LINE_MODEL_CAPACITY, rules == NULL ? served_model(question, plan) : typed);
        return;
    }
    bool other_formats = rules->model(plan, out);
    if (rules->library_names && !other_formats && kvb_name_in_library(plan->model.name, library, sizeof library)) {
        (void)kvb_copy(out, KVB_LINE_MODEL_CAPACITY, library);
    }
}

static void add_given_command(struct kvb_buffer *out, const struct kvb_question *question, const struct kvb_plan *plan,
                              const struct serve_settings *settings)
{
    const struct kvb_engine_rows *engine = kvb_engine_of(plan);
    bool leading = true, first = true;
    for (int i = 0; i < question->serve_count;) {
        int words = 1;
        const char *word = question->serve_words[i];
        leading = leading && kvb_is_assignment(word);
        if (leading) {
            add_assignment(out, word);
        } else if (!is_replaced(engine, question, settings, i, &words)) {
            kvb_buffer_add(out, first ? "" : " ");
            bool named = i == question->serve_model && !is_gguf(word);
            quote(out, named ? served_model(question, plan) : word);
            first = false;
        }
        i += words;
    }
}

// ---- A server that is started first, with settings in its environment

static bool is_server_word(const char *word, const char *server)
{
    const char *end = strchr(server, ' ');
    return strcmp(word, "&") == 0 || strcmp(word, "run") == 0 || (end != NULL && strcmp(word, end + 1) == 0) ||
           (end != NULL && strlen(word) == (size_t)(end - server) && kvb_starts_with(server, word));
}

static bool has_variable(const struct serve_settings *settings, const struct kvb_line_rules *rules,
                         const char *assignment)
{
    size_t length = strcspn(assignment, "=");
    for (unsigned i = 0; i < KVB_SETTING_COUNT; i++) {
        const char *name = settings->values[i].written ? rules->variable((enum kvb_setting)i) : NULL;
        if (name != NULL && strlen(name) == length && kvb_starts_with(assignment, name)) {
            return true;
        }
    }
    return false;
}

static void add_variables(struct kvb_buffer *out, const struct kvb_question *question,
                          const struct kvb_engine_rows *engine, const struct serve_settings *settings)
{
    for (int i = 0; i < question->serve_count && kvb_is_assignment(question->serve_words[i]); i++) {
        if (!has_variable(settings, engine->line, question->serve_words[i])) {
            add_assignment(out, question->serve_words[i]);
        }
    }
    for (unsigned i = 0; i < KVB_SETTING_COUNT; i++) {
        const struct serve_setting *value = &settings->values[i];
        const char *name = value->written ? engine->line->variable((enum kvb_setting)i) : NULL;
        char text[48];
        if (name != NULL) {
            const char *shown =
                value->text != NULL ? value->text : kvb_setting_format(text, (enum kvb_setting)i, value->number);
            shown = strcmp(shown, "on") == 0 ? "1" : strcmp(shown, "off") == 0 ? "0" : shown;
            kvb_buffer_printf(out, "%s=", name);
            quote(out, shown);
            kvb_buffer_add(out, " ");
        }
    }
}

// "printf 'FROM NAME\nPARAMETER num_batch 256\n' > Modelfile && ... && ": what no variable says. A name that a shell or
// printf would not take as it stands is a word of its own.
static bool add_parameters(struct kvb_buffer *out, const struct kvb_line_rules *rules,
                           const struct serve_settings *settings, const char *model)
{
    bool any = false, plain = is_plain(model) && strchr(model, '%') == NULL;
    for (unsigned i = 0; i < KVB_SETTING_COUNT; i++) {
        const char *name = settings->values[i].written ? rules->parameter((enum kvb_setting)i) : NULL;
        if (name != NULL) {
            if (!any) {
                kvb_buffer_printf(out, "printf 'FROM %s\\n", plain ? model : "%s");
            }
            uint64_t number = settings->values[i].number;
            long long shown = number == KVB_AUTO ? -1 : (long long)number;
            kvb_buffer_printf(out, "PARAMETER %s %lld\\n", name, shown);
            any = true;
        }
    }
    if (any) {
        kvb_buffer_add(out, plain ? "'" : "' ");
        if (!plain) {
            quote(out, model);
        }
        kvb_buffer_printf(out, " > Modelfile && %s && ", rules->create);
    }
    return any;
}

static void add_other_flags(struct kvb_buffer *out, const struct kvb_question *question, const struct kvb_plan *plan)
{
    const struct kvb_engine_rows *engine = kvb_engine_of(plan);
    for (int i = 0; i < question->serve_count; i++) {
        const char *word = question->serve_words[i];
        const char *equals = strchr(word, '=');
        size_t length = equals != NULL ? (size_t)(equals - word) : strlen(word);
        const struct kvb_serve_flag *flag = NULL;
        if (!kvb_starts_with(word, "--")) {
            continue;
        }
        bool known = kvb_serve_flag_find(engine, word + 2, length - 2, &flag) == KVB_SERVE_MATCH;
        bool alone = equals != NULL || i + 1 >= question->serve_count || question->serve_words[i + 1][0] == '-' ||
                     (known && flag->kind == KVB_SERVE_NOTHING);
        if (!known || flag->serve_only) { // a setting stands in a variable
            kvb_buffer_add(out, " ");
            quote(out, word);
            if (!alone) {
                kvb_buffer_add(out, " ");
                quote(out, question->serve_words[i + 1]);
            }
        }
        i += alone ? 0 : 1;
    }
}

static void write_server_line(struct kvb_buffer *out, const struct kvb_question *question, const struct kvb_plan *plan,
                              const struct serve_settings *settings)
{
    const struct kvb_engine_rows *engine = kvb_engine_of(plan);
    char model[KVB_LINE_MODEL_CAPACITY];
    size_t before = out->length;
    bool serves = question->serve_count > 1 && !kvb_is_assignment(question->serve_words[0]) &&
                  is_server_word(question->serve_words[1], engine->line->server) &&
                  strcmp(question->serve_words[1], "run") != 0;
    name_model(model, question, plan);
    add_variables(out, question, engine, settings);
    if (out->length > before || before > 0 || serves) {
        kvb_buffer_printf(out, "%s & ", engine->line->server);
    }
    bool made = add_parameters(out, engine->line, settings, model);
    kvb_buffer_printf(out, "%s ", engine->serve_command);
    quote(out, made ? engine->line->made : model);
    add_other_flags(out, question, plan);
}

static void write_line(struct kvb_buffer *out, const struct kvb_question *question, const struct kvb_plan *plan,
                       const struct kvb_advice *advice)
{
    struct serve_settings settings;
    const struct kvb_line_rules *rules = kvb_engine_of(plan)->line;
    for (uint32_t i = 0; i < question->typed_count; i++) {
        if (strcmp(question->typed[i].name, "env") == 0) {
            add_assignment(out, question->typed[i].value);
        }
    }
    bool server = rules != NULL && rules->server != NULL;
    bool given = question->serve_count > 0 && !server;
    gather(&settings, question, advice, given ? KVB_ORIGIN_FLAG : KVB_ORIGIN_PROFILE);
    if (server) {
        write_server_line(out, question, plan, &settings);
        return;
    }
    if (given) {
        add_given_command(out, question, plan, &settings);
    } else {
        char model[KVB_LINE_MODEL_CAPACITY];
        name_model(model, question, plan);
        kvb_buffer_printf(out, "%s ", kvb_engine_of(plan)->serve_command);
        quote(out, model);
    }
    add_revision(out, question);
    add_settings(out, kvb_engine_of(plan), plan->engine.release, question, &settings);
    const char *unsaid = kvb_engine_of(plan)->unsaid != NULL ? kvb_engine_of(plan)->unsaid(plan) : NULL;
    if (unsaid != NULL) {
        kvb_buffer_printf(out, " %s", unsaid);
    }
}

char *kvb_serve_line(const struct kvb_question *question, const struct kvb_plan *plan, const struct kvb_advice *advice)
{
    struct kvb_buffer line;
    if (kvb_engine_of(plan)->serve_command == NULL) {
        return NULL;
    }
    kvb_buffer_init(&line);
    write_line(&line, question, plan, advice);
    if (line.failed) {
        kvb_buffer_free(&line);
    }
    return line.data;
}
