// The command that prints completion scripts, made from the command and flag rows, and the script of bash.
#include <stdio.h>
#include <string.h>

#include "base/text.h"
#include "cli/commands.h"
#include "cli/completion.h"
#include "cli/options.h"

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

// From "[COMMAND|profile|policy]": words in small letters stand for themselves, COMMAND for each command.
void kvb_completion_actions(struct kvb_buffer *out, const struct command_row *command)
{
    static const char small[] = "abcdefghijklmnopqrstuvwxyz";
    const char *at = command->operands;
    while (*at != '\0') {
        at += strspn(at, "[|");
        size_t length = strcspn(at, "[]|"), word = strcspn(at, " []|");
        if (word > 0 && strspn(at, small) == word) {
            kvb_buffer_printf(out, "%s%.*s", out->length > 0 ? " " : "", (int)word, at);
        } else if (word == strlen("COMMAND") && kvb_starts_with(at, "COMMAND")) {
            kvb_buffer_add(out, out->length > 0 ? " " : "");
            add_command_names(out);
        }
        at += length;
        at += strspn(at, "]");
    }
}

// Every flag of any command that takes words, once.
static void build_all(struct option_list *list)
{
    kvb_options_build(list,
                      OPTIONS_DEPLOYMENT | OPTIONS_MACHINE | OPTIONS_ENGINE | OPTIONS_PLAN | OPTIONS_CHECK |
                          OPTIONS_EXPLAIN | OPTIONS_RECORD | OPTIONS_MODELS | OPTIONS_SWEEP | OPTIONS_OUTPUT,
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
        kvb_completion_words(&words, &list.rows[i]);
        const char *names = kvb_completion_names_of(&list.rows[i]);
        if (names != NULL) {
            kvb_buffer_printf(out, "    --%s) words=$(kvbudget completion %s 2>/dev/null) ;;\n", list.rows[i].name,
                              names);
        } else if (words.length > 0) {
            kvb_buffer_printf(out, "    --%s) words='%s' ;;\n", list.rows[i].name, words.data);
        } else if (list.rows[i].argument != NULL) {
            kvb_buffer_printf(out, "    --%s) COMPREPLY=($(compgen -f -- \"$word\")); return ;;\n", list.rows[i].name);
        }
        kvb_buffer_free(&words);
    }
    kvb_buffer_add(out, "    esac\n");
}

static void add_actions(struct kvb_buffer *out)
{
    size_t count;
    const struct command_row *rows = kvb_commands_all(&count);
    kvb_buffer_add(out, "        [ \"$COMP_CWORD\" -eq 2 ] && case ${COMP_WORDS[1]} in\n");
    for (size_t i = 0; i < count; i++) {
        struct kvb_buffer words;
        kvb_buffer_init(&words);
        kvb_completion_actions(&words, &rows[i]);
        if (words.length > 0) {
            kvb_buffer_printf(out, "        %s) words=\"%s $words\" ;;\n", rows[i].name, words.data);
        }
        kvb_buffer_free(&words);
    }
    kvb_buffer_add(out, "        esac\n");
}

static void write_bash(struct kvb_buffer *out)
{
    size_t count;
    const struct command_row *rows = kvb_commands_all(&count);
    kvb_buffer_add(out, "# bash completion of kvbudget\n_kvbudget() {\n"
                        "    local word=${COMP_WORDS[COMP_CWORD]} previous=${COMP_WORDS[COMP_CWORD-1]} words=\n"
                        "    COMPREPLY=()\n");
    write_bash_values(out);
    kvb_buffer_add(
        out, "    [ \"${COMP_WORDS[1]-} ${COMP_WORDS[2]-} $COMP_CWORD\" = 'profiles show 3' ] &&\n"
             "        words=$(for kind in models gpus engines deployments; do kvbudget completion $kind; done)\n");
    kvb_buffer_add(out, "    if [ -z \"$words\" ]; then\n        case ${COMP_WORDS[1]} in\n");
    for (size_t i = 0; i < count; i++) {
        kvb_buffer_printf(out, "        %s) words='", rows[i].name);
        add_flags(out, &rows[i]);
        kvb_buffer_add(out, "' ;;\n");
    }
    kvb_buffer_add(out, "        esac\n");
    add_actions(out);
    kvb_buffer_add(out, "        [ \"$COMP_CWORD\" -eq 1 ] && words='");
    add_command_names(out);
    kvb_buffer_add(out, " --help --version'\n    fi\n"
                        "    COMPREPLY=($(compgen -W \"$words\" -- \"$word\"))\n"
                        "    [ ${#COMPREPLY[@]} -eq 0 ] && COMPREPLY=($(compgen -f -- \"$word\"))\n"
                        "}\ncomplete -F _kvbudget kvbudget\n");
}

int kvb_run_completion(struct arguments *arguments, struct kvb_buffer *answer)
{
    static const struct {
        const char *shell;
        void (*write)(struct kvb_buffer *out);
    } shells[] = {{"bash", write_bash}, {"zsh", kvb_completion_zsh}, {"fish", kvb_completion_fish}};
    for (size_t i = 0; i < sizeof shells / sizeof shells[0]; i++) {
        if (strcmp(arguments->operands[0], shells[i].shell) == 0) {
            shells[i].write(answer);
            return 0;
        }
    }
    if (kvb_completion_write_names(answer, arguments->operands[0])) {
        return 0;
    }
    return kvb_status_exit_code(kvb_options_mistake(arguments, "no completion for '%.60s'; expected bash, zsh or fish",
                                                    arguments->operands[0]));
}
