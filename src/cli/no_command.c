// What was meant by a command line whose first word is no command.
#include "cli/no_command.h"

#include <stdio.h>
#include <string.h>

#include "base/text.h"
#include "cli/commands.h"
#include "cli/options.h"
#include "command/serve_command.h"

#define MEANT_CAPACITY 96

static void say(const char *what, const char *word, const char *meant, struct kvb_problems *problems)
{
    (void)kvb_problem_add(problems, KVB_ERROR, KVB_BAD_ARGUMENT, (struct kvb_place){0}, "%s '%.80s'%s%s%s", what, word,
                          meant[0] != '\0' ? "; did you mean '" : "", meant, meant[0] != '\0' ? "'?" : "");
}

static bool is_flag_of(const struct command_row *command, const char *word)
{
    struct option_list list;
    kvb_options_build(&list, command->option_sets, NULL);
    return kvb_options_find(&list, word, strcspn(word, "=")) != NULL;
}

// A flag of the overview, or one of `plan` without it.
static void mean_flag(const char *word, char meant[MEANT_CAPACITY])
{
    struct kvb_nearest nearest;
    kvb_nearest_init(&nearest, word);
    kvb_nearest_offer(&nearest, "--version");
    kvb_nearest_offer(&nearest, "--help");
    if (is_flag_of(kvb_commands_find("plan"), word)) {
        (void)snprintf(meant, MEANT_CAPACITY, "kvbudget plan %.60s", word);
    } else if (strcmp(word, "-V") == 0 || strcmp(word, "-v") == 0) {
        (void)snprintf(meant, MEANT_CAPACITY, "--version");
    } else if (nearest.best != NULL) {
        (void)snprintf(meant, MEANT_CAPACITY, "%s", nearest.best);
    }
}

// The nearest command, or a serve command without `plan --` before it.
static void mean_command(int count, const char *const *words, char meant[MEANT_CAPACITY])
{
    struct kvb_nearest nearest;
    size_t known;
    const struct command_row *rows = kvb_commands_all(&known);
    kvb_nearest_init(&nearest, words[0]);
    for (size_t i = 0; i < known; i++) {
        kvb_nearest_offer(&nearest, rows[i].name);
    }
    if (kvb_serve_engine_of(count, words) != NULL) {
        (void)snprintf(meant, MEANT_CAPACITY, "kvbudget plan -- %.60s ...", words[0]);
    } else if (strcmp(words[0], "version") == 0) {
        (void)snprintf(meant, MEANT_CAPACITY, "--version");
    } else if (nearest.best != NULL) {
        (void)snprintf(meant, MEANT_CAPACITY, "%s", nearest.best);
    }
}

void kvb_no_command(int count, const char *const *words, struct kvb_problems *problems)
{
    char meant[MEANT_CAPACITY] = "";
    if (words[0][0] == '-') {
        mean_flag(words[0], meant);
        say("unknown flag", words[0], meant, problems);
    } else {
        mean_command(count, words, meant);
        say("unknown command", words[0], meant, problems);
    }
}
