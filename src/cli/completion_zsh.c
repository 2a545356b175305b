// The completion function of zsh, in its own terms: one list of specifications for each command.
#include "cli/commands.h"
#include "cli/completion.h"

// A text inside single quotes; what `_arguments` and `_describe` read as a mark of their own is escaped.
static void add_escaped(struct kvb_buffer *out, const char *text)
{
    for (; *text != '\0'; text++) {
        if (*text == '\'') {
            kvb_buffer_add(out, "'\\''");
            continue;
        }
        if (*text == ':' || *text == '[' || *text == ']' || *text == '\\') {
            kvb_buffer_add(out, "\\");
        }
        kvb_buffer_add_n(out, text, 1);
    }
}

static void add_value(struct kvb_buffer *out, const struct option_row *row)
{
    struct kvb_buffer words;
    const char *names = kvb_completion_names_of(row);
    kvb_buffer_init(&words);
    kvb_completion_words(&words, row);
    kvb_buffer_add(out, ":");
    add_escaped(out, row->argument);
    if (names != NULL) {
        kvb_buffer_printf(out, ":_kvbudget_names %s", names);
    } else if (words.length > 0) {
        kvb_buffer_printf(out, ":(%s)", words.data);
    } else {
        kvb_buffer_add(out, ":_files");
    }
    kvb_buffer_free(&words);
}

static void add_flag(struct kvb_buffer *out, const struct option_row *row)
{
    kvb_buffer_printf(out, " \\\n            '%s--%s%s[", row->repeatable ? "*" : "", row->name,
                      row->argument != NULL ? "=" : "");
    add_escaped(out, row->help);
    kvb_buffer_add(out, "]");
    if (row->argument != NULL) {
        add_value(out, row);
    }
    kvb_buffer_add(out, "'");
    if (row->negatable) {
        kvb_buffer_printf(out, " \\\n            '--no-%s[not: ", row->name);
        add_escaped(out, row->help);
        kvb_buffer_add(out, "]'");
    }
}

static void add_command(struct kvb_buffer *out, const struct command_row *command)
{
    struct option_list list;
    kvb_options_build(&list, command->option_sets, NULL);
    kvb_buffer_printf(out, "    %s)\n        _arguments -S", command->name);
    for (uint32_t i = 0; i < list.count; i++) {
        add_flag(out, &list.rows[i]);
    }
    struct kvb_buffer actions;
    kvb_buffer_init(&actions);
    kvb_completion_actions(&actions, command);
    if (actions.length > 0) {
        kvb_buffer_printf(out, " \\\n            '1:action:(%s)'", actions.data);
    }
    kvb_buffer_free(&actions);
    kvb_buffer_add(out, " \\\n            '*:file:_files' ;;\n");
}

void kvb_completion_zsh(struct kvb_buffer *out)
{
    size_t count;
    const struct command_row *rows = kvb_commands_all(&count);
    kvb_buffer_add(out, "#compdef kvbudget\n# zsh completion of kvbudget\n"
                        "_kvbudget_names() {\n"
                        "    local -a names\n"
                        "    names=(${(f)\"$(kvbudget completion ${@[-1]} 2>/dev/null)\"})\n"
                        "    compadd \"${@[1,-2]}\" -a names\n}\n"
                        "_kvbudget() {\n"
                        "    if (( CURRENT == 2 )); then\n"
                        "        local -a commands\n        commands=(");
    for (size_t i = 0; i < count; i++) {
        kvb_buffer_printf(out, "\n            '%s:", rows[i].name);
        add_escaped(out, rows[i].summary);
        kvb_buffer_add(out, "'");
    }
    kvb_buffer_add(out, ")\n        _describe command commands\n        return\n    fi\n"
                        "    local command=$words[2]\n"
                        "    shift words\n    (( CURRENT-- ))\n"
                        "    case $command in\n");
    for (size_t i = 0; i < count; i++) {
        add_command(out, &rows[i]);
    }
    kvb_buffer_add(out, "    esac\n}\nif [ \"$funcstack[1]\" = _kvbudget ]; then\n    _kvbudget \"$@\"\nelse\n"
                        "    compdef _kvbudget kvbudget\nfi\n");
}
