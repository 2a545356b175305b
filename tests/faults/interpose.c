// Preloaded beside the tool: the KVB_FAULT_AT-th call of KVB_FAULT_CALL fails once, as that call fails on a machine in
// trouble. KVB_FAULT_COUNT names a file that receives how many calls there were.
#define _GNU_SOURCE
#include <dirent.h>
#include <dlfcn.h>
#include <errno.h>
#include <fcntl.h>
#include <stdarg.h>
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#define EXPORT __attribute__((visibility("default")))

// What glibc calls its allocator when another one stands before it.
extern void *__libc_malloc(size_t size);
extern void *__libc_calloc(size_t count, size_t size);
extern void *__libc_realloc(void *old, size_t size);

static const char *wanted;
static unsigned long fail_at;
static unsigned long calls;

static bool due(const char *call, int trouble)
{
    if (wanted == NULL || strcmp(wanted, call) != 0 || ++calls != fail_at) {
        return false;
    }
    errno = trouble;
    return true;
}

__attribute__((constructor)) static void begin(void)
{
    const char *at = getenv("KVB_FAULT_AT");
    fail_at = at != NULL ? strtoul(at, NULL, 10) : 0;
    wanted = getenv("KVB_FAULT_CALL");
    (void)unsetenv("LD_PRELOAD"); // a program that the tool starts has no faults of ours
}

__attribute__((destructor)) static void end(void)
{
    char text[32];
    const char *path = getenv("KVB_FAULT_COUNT");
    unsigned long seen = calls;
    wanted = NULL;
    int file = path != NULL ? open(path, O_WRONLY | O_CREAT | O_TRUNC, 0600) : -1;
    if (file >= 0) {
        int length = snprintf(text, sizeof text, "%lu\n", seen);
        ssize_t written = write(file, text, (size_t)length);
        (void)written;
        (void)close(file);
    }
}

// The next definition of a call; NEXT(read) is a pointer to the C library's.
#define NEXT(name) ((__typeof__(&name))dlsym(RTLD_NEXT, #name))

EXPORT void *malloc(size_t size)
{
    return due("allocate", ENOMEM) ? NULL : __libc_malloc(size);
}

EXPORT void *calloc(size_t count, size_t size)
{
    return due("allocate", ENOMEM) ? NULL : __libc_calloc(count, size);
}

EXPORT void *realloc(void *old, size_t size)
{
    return due("allocate", ENOMEM) ? NULL : __libc_realloc(old, size);
}

EXPORT int open(const char *path, int flags, ...)
{
    va_list rest;
    va_start(rest, flags);
    mode_t mode = (flags & O_CREAT) != 0 ? (mode_t)va_arg(rest, int) : 0;
    va_end(rest);
    return due("open", EMFILE) ? -1 : NEXT(open)(path, flags, mode);
}

EXPORT ssize_t read(int file, void *into, size_t size)
{
    return due("read", EIO) ? -1 : NEXT(read)(file, into, size);
}

EXPORT ssize_t pread(int file, void *into, size_t size, off_t offset)
{
    return due("pread", EIO) ? -1 : NEXT(pread)(file, into, size, offset);
}

EXPORT ssize_t write(int file, const void *from, size_t size)
{
    return due("write", ENOSPC) ? -1 : NEXT(write)(file, from, size);
}

// The descriptor is gone all the same, as on Linux.
EXPORT int close(int file)
{
    bool fails = due("close", EIO);
    int result = NEXT(close)(file);
    if (fails) {
        errno = EIO;
    }
    return fails ? -1 : result;
}

EXPORT int fstat(int file, struct stat *status)
{
    return due("fstat", EIO) ? -1 : NEXT(fstat)(file, status);
}

EXPORT int fstatat(int folder, const char *path, struct stat *status, int flags)
{
    return due("fstatat", EIO) ? -1 : NEXT(fstatat)(folder, path, status, flags);
}

EXPORT int stat(const char *path, struct stat *status)
{
    return due("stat", EIO) ? -1 : NEXT(stat)(path, status);
}

EXPORT int lstat(const char *path, struct stat *status)
{
    return due("lstat", EIO) ? -1 : NEXT(lstat)(path, status);
}

EXPORT int fsync(int file)
{
    return due("fsync", EIO) ? -1 : NEXT(fsync)(file);
}

EXPORT int fchmod(int file, mode_t mode)
{
    return due("fchmod", EPERM) ? -1 : NEXT(fchmod)(file, mode);
}

EXPORT int rename(const char *from, const char *to)
{
    return due("rename", EXDEV) ? -1 : NEXT(rename)(from, to);
}

EXPORT DIR *opendir(const char *path)
{
    return due("opendir", EMFILE) ? NULL : NEXT(opendir)(path);
}

EXPORT struct dirent *readdir(DIR *folder)
{
    return due("readdir", EIO) ? NULL : NEXT(readdir)(folder);
}

EXPORT size_t fwrite(const void *from, size_t size, size_t count, FILE *stream)
{
    return due("fwrite", ENOSPC) ? 0 : NEXT(fwrite)(from, size, count, stream);
}

EXPORT int fputs(const char *text, FILE *stream)
{
    return due("fputs", ENOSPC) ? EOF : NEXT(fputs)(text, stream);
}

EXPORT int fflush(FILE *stream)
{
    return due("fflush", ENOSPC) ? EOF : NEXT(fflush)(stream);
}
