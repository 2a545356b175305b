// Flags about the answer: its form, its colour, what is shown beside it, what it is compared with.
#include <stdio.h>
#include <string.h>

#include "cli/options.h"
#include "cli/output.h"

static bool choose_format(struct arguments *arguments, const char *name)
{
    for (unsigned i = 0; i < FORMAT_COUNT; i++) {
        if ((arguments->command->formats >> i & 1U) && strcmp(output_formats[i], name) == 0) {
            arguments->format = (enum format)i;
            return true;
        }
    }
    char known[128] = "";
    for (unsigned i = 0; i < FORMAT_COUNT; i++) {
        if (arguments->command->formats >> i & 1U) {
            size_t used = strlen(known);
            (void)snprintf(known + used, sizeof known - used, "%s%s", used > 0 ? ", " : "", output_formats[i]);
        }
    }
    (void)options_mistake(arguments, "--format: '%.60s' is not known to '%s'; expected %s", name,
                          arguments->command->name, known);
    return false;
}

static bool set_format(struct arguments *arguments, const struct option_row *row, const char *value)
{
    (void)row;
    return choose_format(arguments, value);
}

static bool set_json(struct arguments *arguments, const struct option_row *row, const char *value)
{
    (void)row;
    (void)value;
    return choose_format(arguments, "json");
}

static bool set_quiet(struct arguments *arguments, const struct option_row *row, const char *value)
{
    (void)row;
    (void)value;
    arguments->quiet = true;
    return true;
}

static const char *const color_words[] = {"auto", "always", "never", NULL};
static const char *const show_words[] = {"formulas", "kv", "weights", "all", NULL};

static bool set_color(struct arguments *arguments, const struct option_row *row, const char *value)
{
    static const enum color_mode modes[] = {COLOR_AUTO, COLOR_ALWAYS, COLOR_NEVER};
    for (unsigned i = 0; color_words[i] != NULL; i++) {
        if (strcmp(value, color_words[i]) == 0) {
            arguments->color = modes[i];
            return true;
        }
    }
    (void)options_mistake(arguments, "--%s: '%.60s' is not known; expected %s", row->name, value, row->argument);
    return false;
}

static bool set_show(struct arguments *arguments, const struct option_row *row, const char *value)
{
    static const unsigned bits[] = {SHOW_FORMULAS, SHOW_KV, SHOW_WEIGHTS, SHOW_ALL};
    for (unsigned i = 0; show_words[i] != NULL; i++) {
        if (strcmp(value, show_words[i]) == 0) {
            arguments->show |= bits[i];
            return true;
        }
    }
    (void)options_mistake(arguments, "--%s: '%.60s' is not known; expected %s", row->name, value, row->argument);
    return false;
}

static bool set_against(struct arguments *arguments, const struct option_row *row, const char *value)
{
    (void)row;
    arguments->against = value;
    return true;
}

static const struct option_row output_rows[] = {
    {"format", NULL, "NAME", "one of the formats above; text unless said", output_formats, set_format,
     .set_bit = OPTIONS_OUTPUT},
    {"json", NULL, NULL, "short for --format json", NULL, set_json, .set_bit = OPTIONS_OUTPUT},
    {"color", NULL, "auto|always|never", "NO_COLOR is honoured", color_words, set_color, .set_bit = OPTIONS_OUTPUT},
    {"quiet", NULL, NULL, "no answer text, only the exit code", NULL, set_quiet, .set_bit = OPTIONS_OUTPUT},
};

static const struct option_row plan_rows[] = {
    {"show", NULL, "formulas|kv|weights|all", "each figure with its formula and numbers; repeatable", show_words,
     set_show, .set_bit = OPTIONS_PLAN, .repeatable = true},
    {"against", NULL, "ENGINE@VERSION|PROFILE", "the same question put to another release or profile", NULL,
     set_against, .set_bit = OPTIONS_PLAN},
};

void options_add_output(struct option_list *list)
{
    options_add(list, output_rows, sizeof output_rows / sizeof output_rows[0]);
}

void options_add_plan(struct option_list *list)
{
    options_add(list, plan_rows, sizeof plan_rows / sizeof plan_rows[0]);
}
