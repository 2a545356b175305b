// The line of an engine whose server is started first, with settings in its environment.
#include <string.h>

#include "answer/serve_parts.h"
#include "base/text.h"
#include "command/setting_flag.h"

static bool is_server_word(const char *word, const char *server)
{
    const char *end = strchr(server, ' ');
    return strcmp(word, "&") == 0 || (end != NULL && strcmp(word, end + 1) == 0) ||
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
            kvb_serve_assign(out, question->serve_words[i]);
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
            kvb_serve_quote(out, shown);
            kvb_buffer_add(out, " ");
        }
    }
}

// "printf 'FROM NAME\nPARAMETER num_batch 256\n' > Modelfile && ... && ": what no variable says. A name that a shell or
// printf would not take as it stands is a word of its own.
static bool add_parameters(struct kvb_buffer *out, const struct kvb_line_rules *rules,
                           const struct serve_settings *settings, const char *model)
{
    bool any = false, plain = kvb_serve_word_is_plain(model) && strchr(model, '%') == NULL;
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
            kvb_serve_quote(out, model);
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
            kvb_serve_quote(out, word);
            if (!alone) {
                kvb_buffer_add(out, " ");
                kvb_serve_quote(out, question->serve_words[i + 1]);
            }
        }
        i += alone ? 0 : 1;
    }
}

void kvb_serve_server_line(struct kvb_buffer *out, const struct kvb_question *question, const struct kvb_plan *plan,
                           const struct serve_settings *settings)
{
    const struct kvb_engine_rows *engine = kvb_engine_of(plan);
    char model[KVB_LINE_MODEL_CAPACITY];
    size_t before = out->length;
    bool serves = question->serve_count > 1 && !kvb_is_assignment(question->serve_words[0]) &&
                  is_server_word(question->serve_words[1], engine->line->server);
    kvb_serve_model_name(model, question, plan);
    add_variables(out, question, engine, settings);
    if (out->length > before || before > 0 || serves) {
        kvb_buffer_printf(out, "%s & ", engine->line->server);
    }
    bool made = add_parameters(out, engine->line, settings, model);
    kvb_buffer_printf(out, "%s ", engine->serve_command);
    kvb_serve_quote(out, made ? engine->line->made : model);
    add_other_flags(out, question, plan);
}
