// The completion script of fish: one line for each command and each of its flags.
#include "cli/commands.h"
#include "cli/completion.h"

// A help text between single quotes of the fish shell.
static void add_quoted(struct kvb_buffer *out, const char *text)
{
    for (; *text != '\0'; text++) {
        if (*text == '\'' || *text == '\\') {
            kvb_buffer_add(out, "\\");
        }
        kvb_buffer_add_n(out, text, 1);
    }
}

static void write_flag(struct kvb_buffer *out, const struct command_row *command, const struct option_row *row)
{
    struct kvb_buffer words;
    const char *names = kvb_completion_names_of(row);
    kvb_buffer_init(&words);
    kvb_completion_words(&words, row);
    kvb_buffer_printf(out, "complete -c kvbudget -n '__fish_seen_subcommand_from %s' -l %s", command->name, row->name);
    if (names != NULL) {
        kvb_buffer_printf(out, " -x -a '(kvbudget completion %s)'", names);
    } else if (words.length > 0) {
        kvb_buffer_printf(out, " -x -a '%s'", words.data);
    } else if (row->argument != NULL) {
        kvb_buffer_add(out, " -r");
    }
    kvb_buffer_add(out, " -d '");
    add_quoted(out, row->help);
    kvb_buffer_add(out, "'\n");
    kvb_buffer_free(&words);
}

static void write_actions(struct kvb_buffer *out, const struct command_row *command)
{
    struct kvb_buffer words;
    kvb_buffer_init(&words);
    kvb_completion_actions(&words, command);
    if (words.length > 0) {
        kvb_buffer_printf(out, "complete -c kvbudget -n '__fish_seen_subcommand_from %s' -a '%s'\n", command->name,
                          words.data);
    }
    kvb_buffer_free(&words);
}

void kvb_completion_fish(struct kvb_buffer *out)
{
    size_t count;
    const struct command_row *rows = kvb_commands_all(&count);
    kvb_buffer_add(out, "# fish completion of kvbudget\n");
    for (size_t i = 0; i < count; i++) {
        kvb_buffer_printf(out, "complete -c kvbudget -n __fish_use_subcommand -a %s -d '", rows[i].name);
        add_quoted(out, rows[i].summary);
        kvb_buffer_add(out, "'\n");
    }
    for (size_t i = 0; i < count; i++) {
        struct option_list list;
        write_actions(out, &rows[i]);
        kvb_options_build(&list, rows[i].option_sets, NULL);
        for (uint32_t r = 0; r < list.count; r++) {
            write_flag(out, &rows[i], &list.rows[r]);
        }
    }
}
