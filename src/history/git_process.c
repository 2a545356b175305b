// Starts `git cat-file --batch` without a shell and talks to it over a socket.
#include "history/git_process.h"

#include <errno.h>
#include <fcntl.h>
#include <spawn.h>
#include <stdio.h>
#include <string.h>
#include <sys/socket.h>
#include <sys/time.h>
#include <sys/wait.h>
#include <unistd.h>

#include <kvbudget/units.h>

#include "base/memory.h"
#include "base/text.h"
#include "text/descriptor.h"

#define BUFFER_BYTES ((size_t)64 << 10)
#define PATIENCE_SECONDS 60

extern char **environ;

// No protocol is allowed, so that a clone without all objects asks nobody for them; nothing is asked of a person.
static const char *const added[] = {"GIT_ALLOW_PROTOCOL=none", "GIT_NO_LAZY_FETCH=1", "GIT_TERMINAL_PROMPT=0",
                                    "GIT_OPTIONAL_LOCKS=0", "LC_ALL=C"};
#define ADDED_COUNT (sizeof added / sizeof added[0])

static bool is_replaced(const char *entry)
{
    for (size_t i = 0; i < ADDED_COUNT; i++) {
        if (strncmp(entry, added[i], strcspn(added[i], "=") + 1) == 0) {
            return true;
        }
    }
    return false;
}

// Our own environment with those above; NULL: no memory.
static const char **make_environment(void)
{
    size_t count = 0, kept = 0;
    while (environ != NULL && environ[count] != NULL) {
        count++;
    }
    const char **out = kvb_reallocate(NULL, (count + ADDED_COUNT + 1) * sizeof *out);
    for (size_t i = 0; out != NULL && i < count; i++) {
        if (!is_replaced(environ[i])) {
            out[kept++] = environ[i];
        }
    }
    for (size_t i = 0; out != NULL && i < ADDED_COUNT; i++) {
        out[kept++] = added[i];
    }
    if (out != NULL) {
        out[kept] = NULL;
    }
    return out;
}

// 0, or the number of a system error.
static int spawn(struct kvb_history *history, int end)
{
    static char git[] = "git", in[] = "-C", cat[] = "cat-file", batch[] = "--batch";
    char *const arguments[] = {git, in, history->top, cat, batch, NULL};
    posix_spawn_file_actions_t actions;
    const char **environment = make_environment();
    int error = environment != NULL ? posix_spawn_file_actions_init(&actions) : ENOMEM;
    if (error == 0) {
        int lacks = posix_spawn_file_actions_adddup2(&actions, end, STDIN_FILENO) |
                    posix_spawn_file_actions_adddup2(&actions, end, STDOUT_FILENO) |
                    posix_spawn_file_actions_addopen(&actions, STDERR_FILENO, "/dev/null", O_WRONLY, 0);
        // The environment is not written to; the type is older than const.
        error = lacks == 0 ? posix_spawnp(&history->process, git, &actions, NULL, arguments,
                                          (char *const *)(const void *)environment)
                           : ENOMEM;
        (void)posix_spawn_file_actions_destroy(&actions);
    }
    kvb_free(environment);
    return error;
}

static enum kvb_status say_not_started(const struct kvb_history *history, int error, struct kvb_problems *problems)
{
    struct kvb_place place = {.file = history->given};
    if (error == ENOENT) {
        return kvb_problem_add(problems, KVB_ERROR, KVB_CANNOT_OPEN, place,
                               "git is not installed, and --against reads a commit through it");
    }
    return kvb_system_problem(problems, KVB_CANNOT_OPEN, history->given, "start git for it", error);
}

enum kvb_status kvb_git_start(struct kvb_history *history, struct kvb_problems *problems)
{
    int ends[2];
    struct timeval patience = {.tv_sec = PATIENCE_SECONDS};
    history->buffer = kvb_reallocate(history->buffer, BUFFER_BYTES);
    history->begin = history->end = 0;
    if (history->buffer == NULL) {
        return say_not_started(history, ENOMEM, problems);
    }
    if (socketpair(AF_UNIX, SOCK_STREAM | SOCK_CLOEXEC, 0, ends) != 0) {
        return say_not_started(history, errno, problems);
    }
    int error = spawn(history, ends[1]);
    (void)close(ends[1]);
    if (error != 0) {
        (void)close(ends[0]);
        return say_not_started(history, error, problems);
    }
    history->socket = ends[0];
    (void)setsockopt(ends[0], SOL_SOCKET, SO_RCVTIMEO, &patience, sizeof patience);
    return KVB_OK;
}

// ---- answers

static enum kvb_status say_silent(const struct kvb_history *history, struct kvb_problems *problems)
{
    return kvb_problem_add(problems, KVB_ERROR, KVB_CANNOT_READ, (struct kvb_place){.file = history->given},
                           "git does not answer for this repository; if it belongs to another user, 'git config "
                           "--global --add safe.directory %.200s' trusts it",
                           history->top);
}

static bool send_all(int socket, const char *text, size_t length)
{
    while (length > 0) {
        ssize_t sent = send(socket, text, length, MSG_NOSIGNAL);
        if (sent < 0 && errno == EINTR) {
            continue;
        }
        if (sent <= 0) {
            return false;
        }
        text += sent;
        length -= (size_t)sent;
    }
    return true;
}

static bool refill(struct kvb_history *history)
{
    ssize_t got = kvb_descriptor_read(history->socket, history->buffer, BUFFER_BYTES);
    history->begin = 0;
    history->end = got > 0 ? (size_t)got : 0;
    return got > 0;
}

// One line without its end; what does not fit is left out. False: no line came.
static bool read_line(struct kvb_history *history, char *out, size_t capacity)
{
    size_t length = 0;
    for (;;) {
        if (history->begin == history->end && !refill(history)) {
            return false;
        }
        char c = history->buffer[history->begin++];
        if (c == '\n') {
            out[length] = '\0';
            return true;
        }
        if (length + 1 < capacity) {
            out[length++] = c;
        }
    }
}

// "NAME TYPE SIZE"; anything else says that there is no such object.
static void parse_line(char *line, struct kvb_git_object *object)
{
    size_t digits = strspn(line, "0123456789abcdef");
    char *type = line + digits + 1, *size = line[digits] == ' ' ? strchr(type, ' ') : NULL;
    object->missing = true;
    if (size == NULL || (digits != 40 && digits != 64)) {
        return;
    }
    *size++ = '\0';
    line[digits] = '\0';
    bool fits = kvb_copy(object->name, sizeof object->name, line) && kvb_copy(object->type, sizeof object->type, type);
    object->missing = !fits || !kvb_parse_whole(size, &object->size_bytes);
}

enum kvb_status kvb_git_ask(struct kvb_history *history, const char *name, struct kvb_git_object *object,
                            struct kvb_problems *problems)
{
    char line[160];
    *object = (struct kvb_git_object){.missing = true};
    if (strchr(name, '\n') != NULL) {
        return KVB_OK; // a line is a question
    }
    bool asked = send_all(history->socket, name, strlen(name)) && send_all(history->socket, "\n", 1);
    if (!asked || !read_line(history, line, sizeof line)) {
        return say_silent(history, problems);
    }
    parse_line(line, object);
    return KVB_OK;
}

enum kvb_status kvb_git_take(struct kvb_history *history, const struct kvb_git_object *object, char *content,
                             struct kvb_problems *problems)
{
    uint64_t left = object->size_bytes;
    char *at = content;
    char end[2];
    while (left > 0) {
        if (history->begin == history->end && !refill(history)) {
            return say_silent(history, problems);
        }
        size_t ready = history->end - history->begin, part = ready < left ? ready : (size_t)left;
        if (content != NULL) {
            memcpy(at, history->buffer + history->begin, part);
            at += part;
        }
        history->begin += part;
        left -= part;
    }
    if (content != NULL) {
        *at = '\0';
    }
    return read_line(history, end, sizeof end) ? KVB_OK : say_silent(history, problems);
}
