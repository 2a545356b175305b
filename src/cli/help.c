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
#include "report/style.h"

#define HELP_COLUMN 36U
#define HELP_COLUMN_NARROW 8U // on a page narrower than
#define HELP_WIDTH_LEAST 72U

void kvb_help_overview(struct kvb_buffer *out)
{
    size_t count;
    char example[160];
    struct kvb_columns columns;
    const struct command_row *rows = kvb_commands_all(&count);
    unsigned width = kvb_page_width(out);
    kvb_text_add_wrapped(
        out,
        "kvbudget: will this LLM server start, where does every byte of GPU memory go, and what to set "
        "instead. Asked before a GPU is touched.",
        0, width);
    kvb_buffer_add(out, "\nusage: kvbudget COMMAND [flags]\n\n");
    kvb_columns_init(&columns, "ll", 2, 3);
    for (size_t i = 0; i < count; i++) {
        kvb_columns_cell(&columns, rows[i].name);
        kvb_columns_cell(&columns, rows[i].summary);
        kvb_columns_end_row(&columns);
    }
    kvb_columns_write(&columns, out);
    (void)snprintf(example, sizeof example, "kvbudget plan --gpu h100-80gb-hbm3 -- %s Qwen/Qwen3-32B -tp 2",
                   kvb_engine_said("")->serve_command);
    kvb_buffer_add(out, "\nexamples:\n");
    kvb_text_add_command(out, "kvbudget plan --model Qwen/Qwen3-8B --gpu l40s --max-model-len 32k", 2, width);
    kvb_text_add_command(out, example, 2, width);
    kvb_buffer_add(out, "\n");
    kvb_text_add_wrapped(
        out,
        "kvbudget help COMMAND lists its flags. Exit codes: 0 yes, 1 no, 2 wrong command line, 3 wrong "
        "input, 4 system failure.",
        0, width);
}

void kvb_help_version(struct kvb_buffer *out)
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

// Length of the longest piece that fits into `room`, cut behind a mark between words; of all where there is none.
static size_t flag_piece(const char *text, size_t room)
{
    size_t stop = 0;
    for (size_t i = 0; text[i] != '\0' && i < room; i++) {
        stop = strchr(" |,", text[i]) != NULL ? i + 1 : stop;
    }
    return strlen(text) <= room || stop == 0 ? strlen(text) : stop;
}

// A flag as it is typed, on as many lines as its words need.
static void add_flag_name(struct kvb_buffer *out, const char *flag, size_t width)
{
    for (unsigned indent = 2; *flag != '\0'; indent = 6) {
        size_t length = flag_piece(flag, width - indent);
        size_t shown = flag[length - 1] == ' ' ? length - 1 : length;
        kvb_buffer_fill(out, ' ', indent);
        kvb_buffer_add_n(out, flag, shown);
        flag += length;
        kvb_buffer_add(out, *flag != '\0' ? "\n" : "");
    }
}

// The flag on the left, its help wrapped on the right; a long flag stands on lines of its own.
static void add_flag(struct kvb_buffer *out, const struct option_row *row)
{
    char flag[HELP_COLUMN * 4];
    unsigned width = kvb_page_width(out);
    unsigned column = width < HELP_WIDTH_LEAST ? HELP_COLUMN_NARROW : HELP_COLUMN;
    struct kvb_buffer help;
    (void)snprintf(flag, sizeof flag, "%s%s--%s%s%s", row->short_name != NULL ? row->short_name : "",
                   row->short_name != NULL ? ", " : "", row->name, row->argument != NULL ? " " : "",
                   row->argument != NULL ? row->argument : "");
    size_t length = strlen(flag) + 2;
    bool beside = length + 2 <= column;
    kvb_buffer_init(&help);
    kvb_text_add_wrapped(&help, row->help, column, width);
    add_flag_name(out, flag, width);
    kvb_buffer_add(out, beside ? "" : "\n");
    out->failed |= help.failed;
    if (!help.failed) {
        kvb_buffer_add(out, help.data + (beside ? length : 0));
    }
    kvb_buffer_free(&help);
}

static void add_group(struct kvb_buffer *out, const struct option_list *list, unsigned set, const char *title)
{
    kvb_buffer_add(out, "\n");
    kvb_text_add_wrapped(out, title, 0, kvb_page_width(out));
    for (uint32_t i = 0; i < list->count; i++) {
        if (list->rows[i].set_bit == set) {
            add_flag(out, &list->rows[i]);
        }
    }
}

static void add_formats(struct kvb_buffer *out, const struct command_row *command)
{
    struct kvb_buffer line;
    kvb_buffer_init(&line);
    for (unsigned i = 0; i < FORMAT_COUNT && (command->option_sets & OPTIONS_OUTPUT); i++) {
        if (command->formats >> i & 1U) {
            kvb_buffer_printf(&line, "%s%s", line.length == 0 ? "Formats: " : ", ", kvb_output_formats[i]);
        }
    }
    if (line.length > 0 && !line.failed) {
        kvb_buffer_add(&line, ".");
        kvb_text_add_wrapped(out, line.data, 0, kvb_page_width(out));
    }
    out->failed |= line.failed;
    kvb_buffer_free(&line);
}

const struct option_group *kvb_options_groups(size_t *count)
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

char *kvb_options_title(char out[OPTIONS_TITLE_CAPACITY], const struct option_group *group,
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
    const struct option_group *groups = kvb_options_groups(&count);
    struct option_list list;
    kvb_options_build(&list, command->option_sets, engine);
    char usage[200];
    (void)snprintf(usage, sizeof usage, "usage: kvbudget %s%s%s%s%s", command->name,
                   command->operands[0] != '\0' ? " " : "", command->operands,
                   command->option_sets != 0 ? " [flags]" : "",
                   command->takes_serve_command ? " [-- SERVE COMMAND]" : "");
    kvb_text_add_wrapped(out, usage, 0, kvb_page_width(out));
    kvb_buffer_add(out, "\n");
    kvb_text_add_wrapped(out, command->summary, 0, kvb_page_width(out));
    kvb_text_add_wrapped(out, command->details, 0, kvb_page_width(out));
    add_formats(out, command);
    for (size_t i = 0; i < count; i++) {
        if (command->option_sets & groups[i].set) {
            add_group(out, &list, groups[i].set, kvb_options_title(title, &groups[i], list.engine));
        }
    }
    add_other_engines(out, command, list.engine);
}

int kvb_run_help(struct arguments *arguments, struct kvb_buffer *answer)
{
    if (arguments->operand_count == 0) {
        kvb_help_overview(answer);
        return 0;
    }
    const char *name = arguments->operands[0];
    const struct command_row *command = kvb_commands_find(name);
    if (command == NULL) {
        return kvb_status_exit_code(kvb_options_mistake(arguments, "no command is called '%.80s'", name));
    }
    const struct kvb_engine_rows *engine =
        arguments->operand_count > 1 ? kvb_engine_find(arguments->operands[1]) : NULL;
    if (arguments->operand_count > 1 && engine == NULL) {
        char names[KVB_ENGINE_NAMES_CAPACITY];
        return kvb_status_exit_code(kvb_options_mistake(arguments, "no engine is called '%.80s'; expected %s",
                                                        arguments->operands[1], kvb_engine_names(names)));
    }
    help_command(command, engine, answer);
    return 0;
}
