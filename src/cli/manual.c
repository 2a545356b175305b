// The manual, page by page in the language of man, made from the rows of commands, flags and keys.
#include <string.h>

#include "cli/commands.h"
#include "cli/help.h"
#include "cli/manual.h"
#include "cli/options.h"

static void add_flag(struct kvb_buffer *out, const struct option_row *row)
{
    kvb_buffer_add(out, ".TP\n.B ");
    if (row->short_name != NULL) {
        kvb_manual_text(out, row->short_name);
        kvb_buffer_add(out, ", ");
    }
    kvb_manual_text(out, row->negatable ? "--[no-]" : "--");
    kvb_manual_text(out, row->name);
    if (row->argument != NULL) {
        kvb_buffer_add(out, " ");
        kvb_manual_text(out, row->argument);
    }
    kvb_buffer_add(out, "\n");
    kvb_manual_text(out, row->help);
    kvb_buffer_add(out, "\n");
}

static void add_exit_status(struct kvb_buffer *out)
{
    kvb_manual_section(out, "EXIT STATUS");
    kvb_buffer_add(out, "0 yes, 1 no, 2 wrong command line, 3 wrong input, 4 system failure.\n");
}

static void write_command(struct kvb_buffer *out, const struct command_row *command)
{
    struct option_list list;
    char title[OPTIONS_TITLE_CAPACITY];
    size_t count;
    const struct option_group *groups = kvb_options_groups(&count);
    char name[64] = "kvbudget-";
    strncat(name, command->name, sizeof name - strlen(name) - 1);
    kvb_manual_heading(out, name, 1, command->summary);
    kvb_manual_section(out, "SYNOPSIS");
    kvb_buffer_add(out, ".B kvbudget ");
    kvb_manual_text(out, command->name);
    kvb_buffer_add(out, "\n");
    kvb_manual_text(out, command->operands);
    kvb_manual_text(out, command->option_sets != 0 ? " [flags]" : "");
    kvb_manual_text(out, command->takes_serve_command ? " [-- SERVE COMMAND]\n" : "\n");
    if (command->details[0] != '\0') {
        kvb_manual_section(out, "DESCRIPTION");
        kvb_manual_text(out, command->details);
    }
    kvb_options_build(&list, command->option_sets, NULL);
    if (list.count > 0) {
        kvb_manual_section(out, "OPTIONS");
    }
    for (size_t g = 0; g < count; g++) {
        if ((command->option_sets & groups[g].set) != 0) {
            kvb_buffer_add(out, ".SS \"");
            kvb_manual_text(out, kvb_options_title(title, &groups[g], list.engine));
            kvb_buffer_add(out, "\"\n");
        }
        for (uint32_t i = 0; i < list.count; i++) {
            if (list.rows[i].set_bit == groups[g].set) {
                add_flag(out, &list.rows[i]);
            }
        }
    }
    add_exit_status(out);
    kvb_manual_section(out, "SEE ALSO");
    kvb_buffer_add(out, ".BR kvbudget (1),\n.BR kvbudget\\-profile (5),\n.BR kvbudget\\-policy (5)\n");
}

static void write_overview(struct kvb_buffer *out)
{
    size_t count;
    const struct command_row *rows = kvb_commands_all(&count);
    kvb_manual_heading(out, "kvbudget", 1, "GPU memory budget of an LLM server, before a GPU is touched");
    kvb_manual_section(out, "SYNOPSIS");
    kvb_buffer_add(out, ".B kvbudget\nCOMMAND [flags]\n");
    kvb_manual_section(out, "COMMANDS");
    for (size_t i = 0; i < count; i++) {
        kvb_buffer_printf(out, ".TP\n.BR kvbudget\\-%s (1)\n", rows[i].name);
        kvb_manual_text(out, rows[i].summary);
        kvb_buffer_add(out, "\n");
    }
    add_exit_status(out);
    kvb_manual_section(out, "SEE ALSO");
    kvb_buffer_add(out, ".BR kvbudget\\-profile (5),\n.BR kvbudget\\-policy (5),\n.BR libkvbudget (3)\n");
}

static void add_key(struct kvb_buffer *out, const struct kvb_profile_key *key)
{
    kvb_buffer_printf(out, ".TP\n.B %s", key->inside != NULL ? key->inside : "");
    kvb_buffer_add(out, key->inside != NULL ? ": " : "");
    kvb_manual_text(out, key->key);
    kvb_buffer_add(out, "\n");
    kvb_manual_text(out, key->help);
    kvb_buffer_add(out, key->required ? " (required)\n" : "\n");
}

static void write_profile(struct kvb_buffer *out)
{
    struct kvb_profile_key key;
    kvb_manual_heading(out, "kvbudget-profile", 5, "a GPU, an engine or a deployment as a YAML file");
    kvb_manual_section(out, "DESCRIPTION");
    kvb_manual_text(
        out, "Profiles are read strictly: a key that is not listed here is refused. A profile of a model holds the\n"
             "config.json of its checkpoint; kvbudget profiles import writes one.\n");
    for (unsigned kind = 0; kind < KVB_PROFILE_KIND_COUNT; kind++) {
        if (!kvb_profile_key_at(kind, 0, &key)) {
            continue;
        }
        kvb_buffer_printf(out, ".SH KEYS OF KIND: %s\n", kvb_profile_kind_name(kind));
        for (unsigned i = 0; kvb_profile_key_at(kind, i, &key); i++) {
            add_key(out, &key);
        }
    }
    kvb_manual_section(out, "SEE ALSO");
    kvb_buffer_add(out, ".BR kvbudget\\-plan (1),\n.BR kvbudget\\-policy (5)\n");
}

static void write_policy(struct kvb_buffer *out)
{
    struct kvb_profile_key key;
    kvb_manual_heading(out, "kvbudget-policy", 5, "what a team demands of its deployments beyond starting");
    kvb_manual_section(out, "KEYS");
    for (unsigned i = 0; kvb_policy_key_at(i, &key); i++) {
        add_key(out, &key);
    }
    kvb_manual_section(out, "RULES");
    for (unsigned rule = 0; kvb_check_rule_row_of(rule) != NULL; rule++) {
        kvb_buffer_add(out, ".TP\n.B ");
        kvb_manual_text(out, kvb_check_rule_row_of(rule)->id);
        kvb_buffer_add(out, "\n");
        kvb_manual_text(out, kvb_check_rule_row_of(rule)->help);
        kvb_buffer_add(out, "\n");
    }
    kvb_manual_section(out, "SEE ALSO");
    kvb_buffer_add(out, ".BR kvbudget\\-check (1),\n.BR kvbudget\\-profile (5)\n");
}

int kvb_run_manual(struct arguments *arguments, struct kvb_buffer *answer)
{
    const char *page = arguments->operand_count > 0 ? arguments->operands[0] : "kvbudget";
    const struct command_row *command = kvb_commands_find(page);
    if (command != NULL) {
        write_command(answer, command);
    } else if (strcmp(page, "kvbudget") == 0) {
        write_overview(answer);
    } else if (strcmp(page, "profile") == 0) {
        write_profile(answer);
    } else if (strcmp(page, "policy") == 0) {
        write_policy(answer);
    } else if (strcmp(page, "library") == 0) {
        kvb_manual_library(answer);
    } else {
        return kvb_status_exit_code(kvb_options_mistake(
            arguments, "no page of the manual is called '%.80s'; expected a command, profile, policy or library",
            page));
    }
    return 0;
}
