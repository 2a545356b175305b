// Completion scripts for bash, zsh and fish, made from the command and flag rows.
#include <stdio.h>
#include <string.h>

#include "base/text.h"
#include "cli/commands.h"
#include "cli/options.h"

// Words a flag's value can be, separated by blanks; "" when anything goes.
static void add_words(struct kvb_buffer *out, const struct option_row *row)
{
    if (row->words != NULL) {
        for (unsigned i = 0; row->words[i] != NULL; i++) {
            kvb_buffer_printf(out, "%s%s", i > 0 ? " " : "", row->words[i]);
        }
        return;
    }
    if (row->flag == NULL || row->argument == NULL || row->flag->kind != KVB_SERVE_SETTING) {
        return;
    }
    const struct kvb_setting_row *setting = kvb_setting_row_of((enum kvb_setting)row->flag->id);
    const struct kvb_word *words = row->flag->words != NULL ? row->flag->words : setting->words;
    uint32_t count = row->flag->words != NULL ? row->flag->word_count : setting->word_count;
    for (uint32_t i = 0; setting->kind == KVB_VALUE_WORD && i < count; i++) {
        kvb_buffer_printf(out, "%s%s", i > 0 ? " " : "", words[i].text);
    }
}

static void add_flags(struct kvb_buffer *out, const struct command_row *command)
{
    struct option_list list;
    kvb_options_build(&list, command->option_sets, NULL);
    for (uint32_t i = 0; i < list.count; i++) {
        kvb_buffer_printf(out, "%s--%s", i > 0 ? " " : "", list.rows[i].name);
        if (list.rows[i].negatable) {
            kvb_buffer_printf(out, " --no-%s", list.rows[i].name);
        }
    }
}

static void add_command_names(struct kvb_buffer *out)
{
    size_t count;
    const struct command_row *rows = kvb_commands_all(&count);
    for (size_t i = 0; i < count; i++) {
        kvb_buffer_printf(out, "%s%s", i > 0 ? " " : "", rows[i].name);
    }
}

// Every flag of any command that takes words, once.
static void build_all(struct option_list *list)
{
    kvb_options_build(list,
                      OPTIONS_DEPLOYMENT | OPTIONS_MACHINE | OPTIONS_ENGINE | OPTIONS_PLAN | OPTIONS_CHECK |
                          OPTIONS_EXPLAIN | OPTIONS_RECORD | OPTIONS_OUTPUT,
                      NULL);
}

static void write_bash_values(struct kvb_buffer *out)
{
    struct option_list list;
    build_all(&list);
    kvb_buffer_add(out, "    case $previous in\n");
    for (uint32_t i = 0; i < list.count; i++) {
        struct kvb_buffer words;
        kvb_buffer_init(&words);
        add_words(&words, &list.rows[i]);
        if (words.length > 0) {
            kvb_buffer_printf(out, "    --%s) words='%s' ;;\n", list.rows[i].name, words.data);
        } else if (list.rows[i].argument != NULL) {
            kvb_buffer_printf(out, "    --%s) COMPREPLY=($(compgen -f -- \"$word\")); return ;;\n", list.rows[i].name);
        }
        kvb_buffer_free(&words);
    }
    kvb_buffer_add(out, "    esac\n");
}

static void write_bash(struct kvb_buffer *out)
{
    size_t count;
    const struct command_row *rows = kvb_commands_all(&count);
    kvb_buffer_add(out, "# bash completion of kvbudget\n_kvbudget() {\n"
                        "    local word=${COMP_WORDS[COMP_CWORD]} previous=${COMP_WORDS[COMP_CWORD-1]} words=\n"
                        "    COMPREPLY=()\n");
    write_bash_values(out);
    kvb_buffer_add(out, "    if [ -z \"$words\" ]; then\n        case ${COMP_WORDS[1]} in\n");
    for (size_t i = 0; i < count; i++) {
        kvb_buffer_printf(out, "        %s) words='", rows[i].name);
        add_flags(out, &rows[i]);
        kvb_buffer_add(out, "' ;;\n");
    }
    kvb_buffer_add(out, "        esac\n        [ \"$COMP_CWORD\" -eq 1 ] && words='");
    add_command_names(out);
    kvb_buffer_add(out, " --help --version'\n    fi\n"
                        "    COMPREPLY=($(compgen -W \"$words\" -- \"$word\"))\n"
                        "    [ ${#COMPREPLY[@]} -eq 0 ] && COMPREPLY=($(compgen -f -- \"$word\"))\n"
                        "}\ncomplete -F _kvbudget kvbudget\n");
}

static void write_zsh(struct kvb_buffer *out)
{
    kvb_buffer_add(out, "#compdef kvbudget\n# zsh completion of kvbudget, through bash's\n"
                        "autoload -U +X bashcompinit && bashcompinit\n");
    write_bash(out);
}

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

static void write_fish_flag(struct kvb_buffer *out, const struct command_row *command, const struct option_row *row)
{
    struct kvb_buffer words;
    kvb_buffer_init(&words);
    add_words(&words, row);
    kvb_buffer_printf(out, "complete -c kvbudget -n '__fish_seen_subcommand_from %s' -l %s", command->name, row->name);
    if (words.length > 0) {
        kvb_buffer_printf(out, " -x -a '%s'", words.data);
    } else if (row->argument != NULL) {
        kvb_buffer_add(out, " -r");
    }
    kvb_buffer_add(out, " -d '");
    add_quoted(out, row->help);
    kvb_buffer_add(out, "'\n");
    kvb_buffer_free(&words);
}

static void write_fish(struct kvb_buffer *out)
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
        kvb_options_build(&list, rows[i].option_sets, NULL);
        for (uint32_t r = 0; r < list.count; r++) {
            write_fish_flag(out, &rows[i], &list.rows[r]);
        }
    }
}

int kvb_run_completion(struct arguments *arguments, struct kvb_buffer *answer)
{
    static const struct {
        const char *shell;
        void (*write)(struct kvb_buffer *out);
    } shells[] = {{"bash", write_bash}, {"zsh", write_zsh}, {"fish", write_fish}};
    for (size_t i = 0; i < sizeof shells / sizeof shells[0]; i++) {
        if (strcmp(arguments->operands[0], shells[i].shell) == 0) {
            shells[i].write(answer);
            return 0;
        }
    }
    return kvb_status_exit_code(kvb_options_mistake(arguments, "no completion for '%.60s'; expected bash, zsh or fish",
                                                    arguments->operands[0]));
}
