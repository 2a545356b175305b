// Finds the command, reads its flags, runs it and turns its answer into output and exit code.
#include <signal.h>
#include <stdio.h>
#include <string.h>

#include "cli/commands.h"
#include "cli/help.h"
#include "cli/no_command.h"
#include "cli/output.h"
#include "cli/run.h"

// A reader that went away is seen as a failed write, not as a signal.
static void ignore_closed_pipes(void)
{
    struct sigaction action;
    memset(&action, 0, sizeof action);
    action.sa_handler = SIG_IGN;
    (void)sigaction(SIGPIPE, &action, NULL);
}

// Two lines: what is wrong, and where to read more.
static int refuse(int count, const char *const *words)
{
    struct kvb_problems problems;
    kvb_problems_init(&problems);
    kvb_no_command(count, words, &problems);
    kvb_output_problems(&problems, KVB_ERROR, false);
    (void)fputs("try kvbudget --help\n", stderr);
    return kvb_status_exit_code(KVB_BAD_ARGUMENT);
}

static int write_out(struct arguments *arguments, struct kvb_buffer *answer, int code)
{
    bool json = arguments->format == FORMAT_JSON && arguments->command->schema != NULL;
    // What is not certain is said before the answer, not below the command that people copy.
    enum kvb_severity least = json || arguments->quiet ? KVB_ERROR : KVB_NOTICE;
    kvb_output_problems(&arguments->problems, least, arguments->assumed_is_said && !arguments->quiet);
    int written = kvb_output_answer(answer, code);
    if (code == kvb_status_exit_code(KVB_BAD_ARGUMENT)) {
        (void)fprintf(stderr, "try kvbudget help %s\n", arguments->command->name);
    }
    return written;
}

static int run(const struct command_row *command, int count, const char *const *words)
{
    struct arguments *arguments = kvb_run_begin(command);
    struct kvb_buffer answer;
    if (arguments == NULL) {
        (void)fputs("kvbudget: out of memory\n", stderr);
        return kvb_status_exit_code(KVB_NO_MEMORY);
    }
    kvb_buffer_init(&answer);
    int code = kvb_run_words(arguments, count, words, &answer);
    code = write_out(arguments, &answer, code);
    kvb_buffer_free(&answer);
    kvb_run_end(arguments);
    return code;
}

static int print(void (*write)(struct kvb_buffer *out))
{
    struct kvb_buffer answer;
    kvb_buffer_init(&answer);
    kvb_output_page(&answer);
    write(&answer);
    int code = kvb_output_answer(&answer, 0);
    kvb_buffer_free(&answer);
    return code;
}

// --help wherever it stands, but for a serve command's own.
static bool wants_help(int count, const char *const *words)
{
    for (int i = 0; i < count && strcmp(words[i], "--") != 0; i++) {
        if (strcmp(words[i], "--help") == 0 || strcmp(words[i], "-h") == 0) {
            return true;
        }
    }
    return false;
}

// Without a command the overview is a message, not an answer.
static int refuse_nothing(void)
{
    struct kvb_buffer overview;
    kvb_buffer_init(&overview);
    kvb_help_overview(&overview);
    (void)fputs(overview.failed ? "try kvbudget --help\n" : overview.data, stderr);
    kvb_buffer_free(&overview);
    return kvb_status_exit_code(KVB_BAD_ARGUMENT);
}

int main(int count, char **words)
{
    ignore_closed_pipes();
    const char *const *rest = (const char *const *)words;
    if (count < 2) {
        return refuse_nothing();
    }
    const char *word = rest[1];
    if (strcmp(word, "--help") == 0 || strcmp(word, "-h") == 0) {
        return print(kvb_help_overview);
    }
    if (strcmp(word, "--version") == 0) {
        return print(kvb_help_version);
    }
    const struct command_row *command = kvb_commands_find(word);
    if (command == NULL) {
        return refuse(count - 1, rest + 1);
    }
    if (wants_help(count - 2, rest + 2)) {
        const char *const help[] = {command->name};
        return run(kvb_commands_find("help"), 1, help);
    }
    return run(command, count - 2, rest + 2);
}
