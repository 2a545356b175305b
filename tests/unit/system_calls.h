// Calls of the system that fail, each alone at every place where it is made. A test that includes this is linked with
// --wrap of each (tests/CMakeLists.txt), and asks for something row by row.
#ifndef KVB_TESTS_SYSTEM_CALLS_H
#define KVB_TESTS_SYSTEM_CALLS_H

#include <dirent.h>
#include <errno.h>
#include <fcntl.h>
#include <spawn.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/socket.h>
#include <sys/stat.h>
#include <sys/wait.h>
#include <unistd.h>

#include <kvbudget/problem.h>

#include "unit/own_folder.h"
#include "unit/test.h"

// ---- the calls

static struct {
    const char *call; // NULL: none fails
    unsigned n;       // which of its calls
    int error;
    unsigned seen;
} fault;

static inline bool fails(const char *call)
{
    if (fault.call == NULL || strcmp(fault.call, call) != 0 || ++fault.seen != fault.n) {
        return false;
    }
    errno = fault.error;
    return true;
}

#define WRAP(result, failed, name, parameters, arguments)                                                              \
    result __real_##name parameters;                                                                                   \
    result __wrap_##name parameters;                                                                                   \
    result __wrap_##name parameters                                                                                    \
    {                                                                                                                  \
        return fails(#name) ? (failed) : __real_##name arguments;                                                      \
    }

WRAP(ssize_t, -1, read, (int descriptor, void *out, size_t size), (descriptor, out, size))
WRAP(ssize_t, -1, pread, (int descriptor, void *out, size_t size, off_t at), (descriptor, out, size, at))
WRAP(ssize_t, -1, write, (int descriptor, const void *text, size_t size), (descriptor, text, size))
WRAP(ssize_t, -1, send, (int socket, const void *text, size_t size, int flags), (socket, text, size, flags))
WRAP(int, -1, stat, (const char *path, struct stat *out), (path, out))
WRAP(int, -1, lstat, (const char *path, struct stat *out), (path, out))
WRAP(int, -1, fstat, (int descriptor, struct stat *out), (descriptor, out))
WRAP(int, -1, fstatat, (int folder, const char *path, struct stat *out, int flags), (folder, path, out, flags))
WRAP(int, -1, fsync, (int descriptor), (descriptor))
WRAP(int, -1, fchmod, (int descriptor, mode_t mode), (descriptor, mode))
WRAP(int, -1, rename, (const char *from, const char *to), (from, to))
WRAP(int, -1, mkdir, (const char *path, mode_t mode), (path, mode))
WRAP(int, -1, rmdir, (const char *path), (path))
WRAP(int, -1, unlink, (const char *path), (path))
WRAP(DIR *, NULL, opendir, (const char *path), (path))
WRAP(struct dirent *, NULL, readdir, (DIR * stream), (stream))
WRAP(int, -1, pipe, (int ends[2]), (ends))
WRAP(int, -1, socketpair, (int family, int type, int protocol, int ends[2]), (family, type, protocol, ends))
WRAP(pid_t, -1, waitpid, (pid_t process, int *status, int flags), (process, status, flags))
WRAP(int, fault.error, posix_spawn_file_actions_init, (posix_spawn_file_actions_t * actions), (actions))
WRAP(int, fault.error, posix_spawnattr_init, (posix_spawnattr_t * attributes), (attributes))
WRAP(int, fault.error, posix_spawn,
     (pid_t * process, const char *path, const posix_spawn_file_actions_t *actions, const posix_spawnattr_t *attributes,
      char *const words[], char *const environment[]),
     (process, path, actions, attributes, words, environment))
WRAP(int, fault.error, posix_spawnp,
     (pid_t * process, const char *path, const posix_spawn_file_actions_t *actions, const posix_spawnattr_t *attributes,
      char *const words[], char *const environment[]),
     (process, path, actions, attributes, words, environment))

WRAP(int, fault.error, posix_spawn_file_actions_adddup2, (posix_spawn_file_actions_t * actions, int descriptor, int as),
     (actions, descriptor, as))

static const char *own_program; // what the link to this program says; NULL: the truth
ssize_t __real_readlink(const char *path, char *out, size_t size);
ssize_t __wrap_readlink(const char *path, char *out, size_t size);
ssize_t __wrap_readlink(const char *path, char *out, size_t size)
{
    if (fails("readlink")) {
        return -1;
    }
    if (own_program == NULL) {
        return __real_readlink(path, out, size);
    }
    size_t length = strlen(own_program) < size ? strlen(own_program) : size;
    memcpy(out, own_program, length);
    return (ssize_t)length;
}

// What fails to close is closed all the same.
int __real_close(int descriptor);
int __wrap_close(int descriptor);
int __wrap_close(int descriptor)
{
    bool failed = fails("close");
    int closed = __real_close(descriptor);
    errno = failed ? fault.error : errno;
    return failed ? -1 : closed;
}

int __real_open(const char *path, int flags, ...);
int __wrap_open(const char *path, int flags, ...);
int __wrap_open(const char *path, int flags, ...)
{
    va_list more;
    va_start(more, flags);
    mode_t mode = (flags & O_CREAT) != 0 ? va_arg(more, mode_t) : 0;
    va_end(more);
    return fails("open") ? -1 : __real_open(path, flags, mode);
}

static const char *const calls[] = {"read",
                                    "pread",
                                    "write",
                                    "send",
                                    "close",
                                    "stat",
                                    "lstat",
                                    "fstat",
                                    "fstatat",
                                    "fsync",
                                    "fchmod",
                                    "rename",
                                    "mkdir",
                                    "rmdir",
                                    "unlink",
                                    "opendir",
                                    "readdir",
                                    "pipe",
                                    "socketpair",
                                    "waitpid",
                                    "open",
                                    "posix_spawn",
                                    "posix_spawnp",
                                    "posix_spawn_file_actions_init",
                                    "posix_spawnattr_init",
                                    "posix_spawn_file_actions_adddup2",
                                    "readlink"};

// ---- what is asked for

static struct kvb_problems problems;

static inline const char *below(const char *name)
{
    static char paths[2][256];
    static unsigned turn;
    char *path = paths[turn++ % 2];
    (void)snprintf(path, sizeof paths[0], "%s/%s", root, name);
    return path;
}

static inline void put(const char *name, const char *text, mode_t mode)
{
    FILE *file = fopen(below(name), "w");
    assert_non_null(file);
    assert_true(fputs(text, file) >= 0);
    assert_int_equal(fclose(file), 0);
    assert_int_equal(chmod(below(name), mode), 0);
}

static inline void shell(const char *line)
{
    char command[512];
    (void)snprintf(command, sizeof command, "cd '%s' && %s", root, line);
    assert_int_equal(system(command), 0);
}

static inline bool holds(const char *name, const char *text)
{
    char have[256] = "";
    FILE *file = fopen(below(name), "r");
    if (file == NULL) {
        return false;
    }
    size_t length = fread(have, 1, sizeof have - 1, file);
    (void)fclose(file);
    return length == strlen(text) && strcmp(have, text) == 0;
}

struct asked {
    const char *name, *before; // lines of a shell that stand things up
    enum kvb_status (*ask)(void);
    bool (*is_whole)(void);
};

// One call of its kind fails; false: there are not so many.
static inline bool try_fault(const struct asked *row, const char *call, unsigned n, int error)
{
    shell(row->before);
    kvb_problems_init(&problems);
    fault.call = call;
    fault.n = n;
    fault.error = error;
    fault.seen = 0;
    enum kvb_status status = row->ask();
    fault.call = NULL;
    bool reached = fault.seen >= n;
    bool whole = status == KVB_OK && row->is_whole();
    bool said = problems.count > 0 && problems.items[problems.count - 1].severity != KVB_NOTICE;
    bool silent = !said || status == KVB_OK; // part of it as the whole
    if (!whole && (error == EINTR || silent)) {
        fail_msg("%s: %s number %u fails with %s: %s", row->name, call, n, strerror(error), kvb_status_name(status));
    }
    return reached;
}

static inline unsigned fail_each_call(const struct asked *rows, size_t count)
{
    unsigned tried = 0;
    for (size_t i = 0; i < count; i++) {
        for (size_t k = 0; k < sizeof calls / sizeof calls[0]; k++) {
            for (unsigned n = 1; try_fault(&rows[i], calls[k], n, EIO); n++) {
                tried++;
            }
        }
    }
    print_message("%u failures\n", tried);
    return tried;
}

static inline void break_off_each_call(const struct asked *rows, size_t count)
{
    static const char *const broken_off[] = {"read", "pread", "write", "send", "waitpid"};
    for (size_t i = 0; i < count; i++) {
        for (size_t k = 0; k < sizeof broken_off / sizeof broken_off[0]; k++) {
            for (unsigned n = 1; try_fault(&rows[i], broken_off[k], n, EINTR); n++) {
            }
        }
    }
}

#endif
