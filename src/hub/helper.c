// One process, one line. Only this file of the library starts a process.
#include "hub/helper.h"

#include <errno.h>
#include <fcntl.h>
#include <signal.h>
#include <spawn.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/wait.h>
#include <unistd.h>

#include <kvbudget/units.h>

#include "base/memory.h"
#include "base/text.h"
#include "text/descriptor.h"
#include "text/file.h"
#include "text/path.h"

#define NAME "kvbudget-hub"
#define LINE_CAPACITY 1024
#define WORDS_MAX (7 + KVB_HELPER_KNOWN_MAX)

extern char **environ;

static bool is_program(const char *path)
{
    return kvb_path_exists(path) && !kvb_path_is_folder(path) && access(path, X_OK) == 0;
}

// The folder of this program.
static bool own_folder(char out[KVB_PATH_CAPACITY])
{
    ssize_t length = readlink("/proc/self/exe", out, KVB_PATH_CAPACITY - 1);
    if (length <= 0) {
        return false;
    }
    out[length] = '\0';
    *strrchr(out, '/') = '\0'; // the path is absolute
    return true;
}

bool kvb_helper_find(char path[KVB_PATH_CAPACITY])
{
    static const char *const below[] = {KVB_LIBEXEC_FROM_BIN "/" NAME, NAME};
    char folder[KVB_PATH_CAPACITY];
    const char *said = getenv("KVBUDGET_LIBEXEC");
    if (said != NULL && said[0] != '\0') {
        return kvb_path_join(path, said, NAME) && is_program(path);
    }
    bool own = own_folder(folder);
    for (size_t i = 0; own && i < sizeof below / sizeof below[0]; i++) {
        if (kvb_path_join(path, folder, below[i]) && is_program(path)) {
            return true;
        }
    }
    return kvb_path_join(path, KVB_LIBEXEC, NAME) && is_program(path);
}

// posix_spawn takes words that are not const, and changes none.
static char *word(const char *text, char *store, size_t *used)
{
    size_t length = strlen(text) + 1;
    char *at = store + *used;
    memcpy(at, text, length);
    *used += length;
    return at;
}

static bool spawn(const char *path, char **words, int line, pid_t *process)
{
    posix_spawn_file_actions_t actions;
    posix_spawnattr_t attributes;
    sigset_t defaults;
    if (posix_spawn_file_actions_init(&actions) != 0) {
        return false;
    }
    if (posix_spawnattr_init(&attributes) != 0) {
        (void)posix_spawn_file_actions_destroy(&actions);
        return false;
    }
    (void)sigemptyset(&defaults);
    (void)sigaddset(&defaults, SIGPIPE);
    int lacks = posix_spawn_file_actions_addopen(&actions, STDIN_FILENO, "/dev/null", O_RDONLY, 0) |
                posix_spawn_file_actions_adddup2(&actions, line, STDOUT_FILENO) |
                posix_spawnattr_setsigdefault(&attributes, &defaults) |
                posix_spawnattr_setflags(&attributes, POSIX_SPAWN_SETSIGDEF);
    int error = lacks == 0 ? posix_spawn(process, path, &actions, &attributes, words, environ) : ENOMEM;
    (void)posix_spawnattr_destroy(&attributes);
    (void)posix_spawn_file_actions_destroy(&actions);
    return error == 0;
}

static bool start(const char *path, const struct kvb_helper_ask *ask, int line, pid_t *process)
{
    const char *texts[WORDS_MAX] = {
        NAME,       "1", ask->endpoint, ask->repository, ask->revision, ask->format[0] != '\0' ? ask->format : "-",
        ask->folder};
    char *words[WORDS_MAX + 1] = {NULL};
    size_t count = 7, size = 0, used = 0;
    for (uint32_t i = 0; i < ask->known_count; i++) {
        texts[count++] = ask->known[i];
    }
    for (size_t i = 0; i < count; i++) {
        size += strlen(texts[i]) + 1;
    }
    char *store = kvb_reallocate(NULL, size);
    for (size_t i = 0; store != NULL && i < count; i++) {
        words[i] = word(texts[i], store, &used);
    }
    bool started = store != NULL && spawn(path, words, line, process);
    kvb_free(store);
    return started;
}

// The line, and the end of the process; nothing is left behind.
static void collect(int line, pid_t process, char text[LINE_CAPACITY])
{
    size_t used = 0;
    ssize_t got;
    int status;
    while ((got = kvb_descriptor_read(line, text + used, LINE_CAPACITY - 1 - used)) > 0) {
        used += (size_t)got;
        if (used == LINE_CAPACITY - 1) {
            used--; // what is longer is no line of its; the rest is read and dropped
        }
    }
    text[used] = '\0';
    text[strcspn(text, "\n")] = '\0';
    while (waitpid(process, &status, 0) < 0 && errno == EINTR) {
    }
}

// Cuts the next word off; "" at the end.
static char *next_word(char **at)
{
    char *begin = *at;
    size_t length = strcspn(begin, " ");
    *at = begin + length + (begin[length] == ' ');
    begin[length] = '\0';
    return begin;
}

static bool is_commit(const char *text)
{
    size_t length = strspn(text, "0123456789abcdef");
    return text[length] == '\0' && length >= 40 && length <= 64;
}

static void read_line(char *line, struct kvb_helper_report *report)
{
    const char *kind = next_word(&line);
    report->end = KVB_HELPER_FAILED;
    (void)kvb_copy(report->kind, sizeof report->kind, "system");
    (void)kvb_copy(report->text, sizeof report->text, NAME " ended without an answer");
    if (strcmp(kind, "error") == 0) {
        (void)kvb_copy(report->kind, sizeof report->kind, next_word(&line));
        (void)kvb_copy(report->text, sizeof report->text, line);
    } else if (strcmp(kind, "same") == 0 && is_commit(line)) {
        report->end = KVB_HELPER_SAME;
        (void)kvb_copy(report->commit, sizeof report->commit, line);
    } else if (strcmp(kind, "ok") == 0) {
        (void)kvb_copy(report->commit, sizeof report->commit, next_word(&line));
        bool named = is_commit(report->commit) || strcmp(report->commit, "-") == 0;
        bool read = named && kvb_parse_whole(next_word(&line), &report->files) &&
                    kvb_parse_whole(next_word(&line), &report->headers) &&
                    kvb_parse_whole(next_word(&line), &report->bytes) && kvb_parse_whole(line, &report->milliseconds);
        report->end = read ? KVB_HELPER_FETCHED : KVB_HELPER_FAILED;
    }
}

void kvb_helper_run(const struct kvb_helper_ask *ask, struct kvb_helper_report *report)
{
    char path[KVB_PATH_CAPACITY], line[LINE_CAPACITY];
    int ends[2];
    pid_t process = 0;
    memset(report, 0, sizeof *report);
    report->end = KVB_HELPER_MISSING;
    if (!kvb_helper_find(path)) {
        return;
    }
    report->end = KVB_HELPER_FAILED;
    (void)kvb_copy(report->kind, sizeof report->kind, "system");
    (void)snprintf(report->text, sizeof report->text, "%.200s cannot be started", path);
    if (pipe(ends) != 0) {
        return;
    }
    (void)fcntl(ends[0], F_SETFD, FD_CLOEXEC);
    (void)fcntl(ends[1], F_SETFD, FD_CLOEXEC);
    bool started = start(path, ask, ends[1], &process);
    (void)close(ends[1]);
    if (started) {
        collect(ends[0], process, line);
        read_line(line, report);
    }
    (void)close(ends[0]);
}
