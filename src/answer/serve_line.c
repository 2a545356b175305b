// The serve command that starts the deployment with the advised changes applied.
#include <kvbudget/answer.h>

#include <string.h>

#include "answer/serve_parts.h"
#include "base/text.h"
#include "command/setting_flag.h"
#include "model/names/name.h"

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
        kvb_serve_quote(out, typed);
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
    if (on && form != KVB_OFF_ALONE) {
        kvb_buffer_printf(out, form == KVB_OFF_SPELLED ? " %s=True" : " %s", name);
    } else if (!on && form != KVB_OFF_UNSAID && form != KVB_OFF_SPELLED) {
        kvb_buffer_printf(out, form == KVB_OFF_VALUE ? " --%s=False" : " --no-%s", name + 2);
    }
}

// One of on, off and auto that the release has no word for; true: nothing more is to be written.
static bool add_unworded(struct kvb_buffer *out, enum kvb_off_form form, const char *name, uint64_t number)
{
    if (form == KVB_OFF_SWITCH && number == KVB_ON) {
        kvb_buffer_printf(out, " %s", name);
    }
    return form == KVB_OFF_SWITCH || (form == KVB_OFF_WORD && number == KVB_ON_OFF_AUTO);
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
    } else if (row->kind != KVB_VALUE_WORD ||
               !add_unworded(out, off_form(engine, name, release), name, value->number)) {
        const char *shown = value->text != NULL ? value->text : kvb_serve_value_format(text, flag, value->number);
        if (row->kind != KVB_VALUE_WORD || strcmp(shown, "other") != 0) {
            const char *beside = engine->companion != NULL ? engine->companion(setting, value->number, release) : NULL;
            kvb_buffer_printf(out, " %s ", name);
            kvb_serve_quote(out, shown);
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
        kvb_serve_quote(out, revision);
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
            kvb_serve_assign(out, word);
        } else if (!is_replaced(engine, question, settings, i, &words)) {
            kvb_buffer_add(out, first ? "" : " ");
            bool named = i == question->serve_model && !kvb_is_gguf(word);
            kvb_serve_quote(out, named ? kvb_serve_model_given(question, plan) : word);
            first = false;
        }
        i += words;
    }
}

// What was typed of --hf-overrides is kept as it is: who writes it knows of the name.
static void add_class(struct kvb_buffer *out, const struct kvb_question *question, const struct kvb_plan *plan)
{
    const struct kvb_engine_rows *engine = kvb_engine_of(plan);
    const char *overrides = engine->class_called != NULL ? engine->class_called(&plan->model) : NULL;
    bool said = kvb_question_typed(question, "hf-overrides") != NULL;
    for (int i = 0; i < question->serve_count; i++) {
        said |= kvb_starts_with(question->serve_words[i], "--hf-overrides") ||
                kvb_starts_with(question->serve_words[i], "--hf_overrides");
    }
    if (overrides != NULL && !said) {
        kvb_buffer_add(out, " --hf-overrides ");
        kvb_serve_quote(out, overrides);
    }
}

static void write_line(struct kvb_buffer *out, const struct kvb_question *question, const struct kvb_plan *plan,
                       const struct kvb_advice *advice)
{
    struct serve_settings settings;
    const struct kvb_line_rules *rules = kvb_engine_of(plan)->line;
    for (uint32_t i = 0; i < question->typed_count; i++) {
        if (strcmp(question->typed[i].name, "env") == 0) {
            kvb_serve_assign(out, question->typed[i].value);
        }
    }
    bool server = rules != NULL && rules->server != NULL;
    bool given = question->serve_count > 0 && !server;
    gather(&settings, question, advice, given ? KVB_ORIGIN_FLAG : KVB_ORIGIN_PROFILE);
    if (server) {
        kvb_serve_server_line(out, question, plan, &settings);
        return;
    }
    if (given) {
        add_given_command(out, question, plan, &settings);
    } else {
        char model[KVB_LINE_MODEL_CAPACITY];
        kvb_serve_model_name(model, question, plan);
        kvb_buffer_printf(out, "%s ", kvb_engine_of(plan)->serve_command);
        kvb_serve_quote(out, model);
    }
    add_revision(out, question);
    add_class(out, question, plan);
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
