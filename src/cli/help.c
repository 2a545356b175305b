// Help and version texts, made from the command and flag rows.
#include "cli/help.h"

#include <stdio.h>
#include <string.h>

#include "base/text.h"
#include "cli/commands.h"
#include "cli/options.h"
#include "cli/output.h"
#include "report/columns.h"
#include "report/safe_text.h"

#define HELP_COLUMN 36
#define HELP_WIDTH 80

void help_overview(struct kvb_buffer *out)
{
    size_t count;
    struct kvb_columns columns;
    const struct command_row *rows = commands_all(&count);
    kvb_buffer_add(out, "kvbudget: will this LLM server start, where does every byte of GPU memory go,\n"
                        "and what to set instead. Asked before a GPU is touched.\n\n"
                        "usage: kvbudget COMMAND [flags]\n\n");
    kvb_columns_init(&columns, "ll", 2, 3);
    for (size_t i = 0; i < count; i++) {
        kvb_columns_cell(&columns, rows[i].name);
        kvb_columns_cell(&columns, rows[i].summary);
        kvb_columns_end_row(&columns);
    }
    kvb_columns_write(&columns, out);
    kvb_buffer_printf(out,
                      "\nexamples:\n"
                      "  kvbudget plan --model Qwen/Qwen3-8B --gpu l40s --max-model-len 32k\n"
                      "  kvbudget plan --gpu h100-80gb-hbm3 -- %s Qwen/Qwen3-32B -tp 2\n\n"
                      "kvbudget help COMMAND lists its flags. Exit codes: 0 yes, 1 no, 2 wrong command\n"
                      "line, 3 wrong input, 4 system failure.\n",
                      kvb_engine_said("")->serve_command);
}

void help_version(struct kvb_buffer *out)
{
    char release[32];
    kvb_buffer_printf(out, "kvbudget %s\n", KVB_VERSION);
    kvb_buffer_printf(out, "library           %s\n", kvb_version());
    kvb_buffer_printf(out, "profile schema    %d\n", KVB_PROFILE_SCHEMA);
    kvb_buffer_printf(out, "JSON schema       %d\n", KVB_JSON_SCHEMA);
    size_t count;
    const struct kvb_engine_rows *const *engines = kvb_engines(&count);
    for (size_t i = 0; i < count; i++) {
        if (engines[i]->programs != NULL) {
            kvb_buffer_printf(out, "%s through%*s%s\n", engines[i]->title, (int)(10 - strlen(engines[i]->title)), "",
                              kvb_release_format(release, engines[i]->newest));
        }
    }
    kvb_buffer_printf(out, "profiles          %s\n", kvb_builtins_digest());
}

// The flag on the left, its help wrapped on the right; a long flag stands on a line of its own.
static void add_flag(struct kvb_buffer *out, const struct option_row *row)
{
    char flag[HELP_COLUMN * 4];
    struct kvb_buffer help;
    (void)snprintf(flag, sizeof flag, "  %s%s--%s%s%s", row->short_name != NULL ? row->short_name : "",
                   row->short_name != NULL ? ", " : "", row->name, row->argument != NULL ? " " : "",
                   row->argument != NULL ? row->argument : "");
    size_t length = strlen(flag);
    bool beside = length + 2 <= HELP_COLUMN;
    kvb_buffer_init(&help);
    kvb_text_add_wrapped(&help, row->help, HELP_COLUMN, HELP_WIDTH);
    kvb_buffer_add(out, flag);
    kvb_buffer_add(out, beside ? "" : "\n");
    out->failed = out->failed || help.failed;
    if (!help.failed) {
        kvb_buffer_add(out, help.data + (beside ? length : 0));
    }
    kvb_buffer_free(&help);
}

static void add_group(struct kvb_buffer *out, const struct option_list *list, unsigned set, const char *title)
{
    kvb_buffer_printf(out, "\n%s\n", title);
    for (uint32_t i = 0; i < list->count; i++) {
        if (list->rows[i].set_bit == set) {
            add_flag(out, &list->rows[i]);
        }
    }
}

static void add_formats(struct kvb_buffer *out, const struct command_row *command)
{
    bool first = true;
    for (unsigned i = 0; i < FORMAT_COUNT && (command->option_sets & OPTIONS_OUTPUT); i++) {
        if (command->formats >> i & 1U) {
            kvb_buffer_printf(out, "%s%s", first ? "Formats: " : ", ", output_formats[i]);
            first = false;
        }
    }
    kvb_buffer_add(out, first ? "" : ".\n");
}

const struct option_group *options_groups(size_t *count)
{
    static const struct option_group groups[] = {
        {OPTIONS_DEPLOYMENT, "The deployment:"},
        {OPTIONS_MACHINE, "The machine:"},
        {OPTIONS_PLAN, "Beside the answer:"},
        {OPTIONS_CHECK, "The gate:"},
        {OPTIONS_EXPLAIN, "The explanation:"},
        {OPTIONS_RECORD, "The row:"},
        {OPTIONS_MODELS, "Which models:"},
        {OPTIONS_SWEEP, "The combinations:"},
        {OPTIONS_OUTPUT, "Output:"},
        {OPTIONS_ENGINE, "Engine settings, as %'s flags (switches also as --no-NAME):"},
    };
    *count = sizeof groups / sizeof groups[0];
    return groups;
}

char *options_title(char out[OPTIONS_TITLE_CAPACITY], const struct option_group *group,
                    const struct kvb_engine_rows *engine)
{
    size_t before = strcspn(group->title, "%");
    const char *after = group->title + before;
    (void)snprintf(out, OPTIONS_TITLE_CAPACITY, "%.*s%s%s", (int)before, group->title,
                   *after == '%' ? engine->title : "", *after == '%' ? after + 1 : "");
    return out;
}

// Engines whose flags are others than these.
static void add_other_engines(struct kvb_buffer *out, const struct command_row *command,
                              const struct kvb_engine_rows *engine)
{
    size_t count;
    bool first = true;
    const struct kvb_engine_rows *const *engines = kvb_engines(&count);
    for (size_t i = 0; i < count && (command->option_sets & OPTIONS_ENGINE); i++) {
        if (engines[i] != engine) {
            kvb_buffer_printf(out, "%s\n  kvbudget help %s %s", first ? "\nFlags of other engines:" : "", command->name,
                              engines[i]->name);
            first = false;
        }
    }
    kvb_buffer_add(out, first ? "" : "\n");
}

static void help_command(const struct command_row *command, const struct kvb_engine_rows *engine,
                         struct kvb_buffer *out)
{
    char title[OPTIONS_TITLE_CAPACITY];
    size_t count;
    const struct option_group *groups = options_groups(&count);
    struct option_list list;
    options_build(&list, command->option_sets, engine);
    kvb_buffer_printf(out, "usage: kvbudget %s%s%s%s%s\n\n%s\n", command->name, command->operands[0] != '\0' ? " " : "",
                      command->operands, command->option_sets != 0 ? " [flags]" : "",
                      command->takes_serve_command ? " [-- SERVE COMMAND]" : "", command->summary);
    kvb_buffer_add(out, command->details);
    add_formats(out, command);
    for (size_t i = 0; i < count; i++) {
        if (command->option_sets & groups[i].set) {
            add_group(out, &list, groups[i].set, options_title(title, &groups[i], list.engine));
        }
    }
    add_other_engines(out, command, list.engine);
}

int help_run(struct arguments *arguments, struct kvb_buffer *answer)
{
    if (arguments->operand_count == 0) {
        help_overview(answer);
        return 0;
    }
    const char *name = arguments->operands[0];
    const struct command_row *command = commands_find(name);
    if (command == NULL) {
        return kvb_status_exit_code(options_mistake(arguments, "no command is called '%.80s'", name));
    }
    const struct kvb_engine_rows *engine =
        arguments->operand_count > 1 ? kvb_engine_find(arguments->operands[1]) : NULL;
    if (arguments->operand_count > 1 && engine == NULL) {
        char names[KVB_ENGINE_NAMES_CAPACITY];
        return kvb_status_exit_code(options_mistake(arguments, "no engine is called '%.80s'; expected %s",
                                                    arguments->operands[1], kvb_engine_names(names)));
    }
    help_command(command, engine, answer);
    return 0;
}
