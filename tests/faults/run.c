// Fails every call that can fail, one at a time, under every command of a list, and looks at what the tool says:
//   run TOOL INTERPOSER SOURCE_FOLDER WORK_FOLDER CASES MOST
// CASES holds one command a line, "name<TAB>words"; a word KEPT is a file that is replaced whole or not at all.
// MOST calls are failed one by one; beyond that evenly spaced ones. Exits with 1 when a rule below does not hold.
#define _GNU_SOURCE
#include <errno.h>
#include <fcntl.h>
#include <signal.h>
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/wait.h>
#include <unistd.h>

#define WORDS_MAX 24
#define TEXT_MAX ((size_t)1 << 20)
#define SECONDS_MAX 20
#define SYSTEM_FAILURE 4

static const char *const calls[] = {"allocate", "open",    "read",    "pread",  "write", "close",
                                    "fstat",    "fstatat", "stat",    "lstat",  "fsync", "fchmod",
                                    "rename",   "opendir", "readdir", "fwrite", "fputs", "fflush"};
#define CALL_COUNT (sizeof calls / sizeof calls[0])

struct command {
    char line[1024];
    char *name;
    char *words[WORDS_MAX];
    bool keeps;
};

struct outcome {
    int code; // exit code; 128 + signal
    char *answer, *said, *kept;
};

struct place {
    const char *tool, *interposer;
    char answer[512], said[512], count[512], kept[512];
};

static unsigned long broken;

static void *need(void *memory)
{
    if (memory == NULL) {
        perror("faults");
        exit(2);
    }
    return memory;
}

static char *text_of(const char *path)
{
    char *text = need(calloc(1, TEXT_MAX));
    int file = open(path, O_RDONLY);
    for (size_t length = 0; file >= 0 && length < TEXT_MAX - 1;) {
        ssize_t got = read(file, text + length, TEXT_MAX - 1 - length);
        if (got <= 0) {
            break;
        }
        length += (size_t)got;
    }
    if (file >= 0) {
        (void)close(file);
    }
    return text;
}

static void send_to(int descriptor, const char *path)
{
    int file = open(path, O_WRONLY | O_CREAT | O_TRUNC, 0600);
    if (file < 0 || dup2(file, descriptor) < 0) {
        _exit(126);
    }
    (void)close(file);
}

static void become_tool(struct place *place, const struct command *command, const char *call, unsigned long at)
{
    char number[32];
    (void)snprintf(number, sizeof number, "%lu", at);
    (void)setenv("LD_PRELOAD", place->interposer, 1);
    (void)setenv("KVB_FAULT_CALL", call, 1);
    (void)setenv("KVB_FAULT_AT", number, 1);
    (void)setenv("KVB_FAULT_COUNT", place->count, 1);
    (void)setenv("KVBUDGET_OFFLINE", "1", 1);
    send_to(STDOUT_FILENO, place->answer);
    send_to(STDERR_FILENO, place->said);
    (void)dup2(open("/dev/null", O_RDONLY), STDIN_FILENO);
    (void)alarm(SECONDS_MAX);
    static char own_name[] = "kvbudget";
    char *words[WORDS_MAX + 2] = {own_name};
    for (size_t i = 0; i < WORDS_MAX && command->words[i] != NULL; i++) {
        words[i + 1] = strcmp(command->words[i], "KEPT") == 0 ? place->kept : command->words[i];
    }
    (void)execv(place->tool, words);
    _exit(127);
}

static struct outcome run(struct place *place, const struct command *command, const char *call, unsigned long at)
{
    int status = 0;
    (void)unlink(place->kept);
    (void)unlink(place->count);
    pid_t child = fork();
    if (child == 0) {
        become_tool(place, command, call, at);
    }
    if (child < 0 || waitpid(child, &status, 0) != child) {
        perror("faults");
        exit(2);
    }
    return (struct outcome){.code = WIFEXITED(status) ? WEXITSTATUS(status) : 128 + WTERMSIG(status),
                            .answer = text_of(place->answer),
                            .said = text_of(place->said),
                            .kept = text_of(place->kept)};
}

static void forget(struct outcome *outcome)
{
    free(outcome->answer);
    free(outcome->said);
    free(outcome->kept);
}

static unsigned long calls_made(struct place *place)
{
    char *text = text_of(place->count);
    unsigned long count = strtoul(text, NULL, 10);
    free(text);
    return count;
}

// What must hold after one fault, or NULL. The whole answer with its exit code is fine: the call did not matter.
static const char *wrong(const struct outcome *whole, const struct outcome *got, bool keeps)
{
    bool same = strcmp(whole->answer, got->answer) == 0;
    if (keeps && got->kept[0] != '\0' && strcmp(whole->kept, got->kept) != 0) {
        return "a file was left half written";
    }
    if (got->code == whole->code) {
        return !same ? "another answer with the same exit code" : NULL;
    }
    if (got->code != SYSTEM_FAILURE) {
        return got->code > 128 ? "killed by a signal" : "the exit code is not 4";
    }
    return got->said[0] == '\0' && got->answer[0] == '\0' ? "not a word was said" : NULL;
}

static void report(const struct command *command, const char *call, unsigned long at, const struct outcome *got,
                   const char *why)
{
    broken++;
    printf("%s, %s %lu: %s (exit %d)\n", command->name, call, at, why, got->code);
    if (got->said[0] != '\0') {
        printf("    %.300s\n", got->said);
    }
}

static unsigned long next_of(unsigned long at, unsigned long count, unsigned long most)
{
    unsigned long step = at < most || count <= most ? 1 : (count - most) / most + 1;
    return at + step;
}

static unsigned long fail_each(struct place *place, const struct command *command, const char *call, unsigned long most)
{
    unsigned long runs = 0;
    struct outcome whole = run(place, command, call, 0);
    unsigned long count = calls_made(place);
    for (unsigned long at = 1; at <= count; at = next_of(at, count, most)) {
        struct outcome got = run(place, command, call, at);
        const char *why = wrong(&whole, &got, command->keeps);
        if (why != NULL) {
            report(command, call, at, &got, why);
        }
        forget(&got);
        runs++;
    }
    forget(&whole);
    return runs;
}

static bool next_command(FILE *list, struct command *command)
{
    memset(command, 0, sizeof *command);
    while (fgets(command->line, sizeof command->line, list) != NULL) {
        char *rest = NULL;
        size_t count = 0;
        command->name = strtok_r(command->line, " \t\n", &rest);
        if (command->name == NULL || command->name[0] == '#') {
            continue;
        }
        for (char *word = NULL; count < WORDS_MAX && (word = strtok_r(NULL, " \t\n", &rest)) != NULL;) {
            command->words[count++] = word;
            command->keeps |= strcmp(word, "KEPT") == 0;
        }
        return true;
    }
    return false;
}

int main(int argc, char **argv)
{
    struct command command;
    struct place place = {0};
    if (argc != 7 || chdir(argv[3]) != 0) {
        (void)fputs("usage: run TOOL INTERPOSER SOURCE_FOLDER WORK_FOLDER CASES MOST\n", stderr);
        return 2;
    }
    place.tool = argv[1];
    place.interposer = argv[2];
    (void)snprintf(place.answer, sizeof place.answer, "%s/answer", argv[4]);
    (void)snprintf(place.said, sizeof place.said, "%s/said", argv[4]);
    (void)snprintf(place.count, sizeof place.count, "%s/count", argv[4]);
    (void)snprintf(place.kept, sizeof place.kept, "%s/kept", argv[4]);
    FILE *list = need(fopen(argv[5], "r"));
    while (next_command(list, &command)) {
        unsigned long runs = 0, before = broken;
        for (size_t i = 0; i < CALL_COUNT; i++) {
            runs += fail_each(&place, &command, calls[i], strtoul(argv[6], NULL, 10));
        }
        printf("%s: %lu faults, %lu not said\n", command.name, runs, broken - before);
        (void)fflush(stdout);
    }
    (void)fclose(list);
    return broken > 0 ? 1 : 0;
}
