// The only opener of files: reads whole with a cap, replaces whole or not at all.
#include "text/file.h"

#include <dirent.h>
#include <errno.h>
#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include <kvbudget/input.h>

#include "base/memory.h"
#include "text/descriptor.h"
#include "text/files.h"

#define FIRST_READ_BYTES ((size_t)64 << 10)

static const char *kind_of(mode_t mode)
{
    if (S_ISDIR(mode)) {
        return "a folder";
    }
    if (S_ISFIFO(mode)) {
        return "a pipe; hand it over on standard input, as \"-\"";
    }
    return S_ISSOCK(mode) ? "a socket" : "a device";
}

// Opens a regular file only, without ever waiting for the other end of a pipe.
static enum kvb_status open_regular(const char *path, int *descriptor, struct kvb_problems *problems)
{
    struct kvb_place place = {.file = path};
    struct stat status;
    if (stat(path, &status) != 0) {
        return kvb_system_problem(problems, KVB_CANNOT_OPEN, path, "open", errno);
    }
    if (!S_ISREG(status.st_mode)) {
        return kvb_problem_add(problems, KVB_ERROR, KVB_CANNOT_OPEN, place, "expected a file, but this is %s",
                               kind_of(status.st_mode));
    }
    *descriptor = open(path, O_RDONLY | O_NONBLOCK | O_CLOEXEC | O_NOCTTY);
    return *descriptor < 0 ? kvb_system_problem(problems, KVB_CANNOT_OPEN, path, "open", errno) : KVB_OK;
}

static bool is_standard_input(const char *path)
{
    return strcmp(path, "-") == 0;
}

static enum kvb_status open_input(const char *path, int *descriptor, struct kvb_problems *problems)
{
    *descriptor = STDIN_FILENO;
    return is_standard_input(path) ? KVB_OK : open_regular(path, descriptor, problems);
}

// Standard input stays open.
static void close_input(const char *path, int descriptor)
{
    if (!is_standard_input(path)) {
        (void)close(descriptor);
    }
}

static enum kvb_status no_memory(struct kvb_problems *problems, const char *path)
{
    return kvb_problem_add(problems, KVB_ERROR, KVB_NO_MEMORY, (struct kvb_place){.file = path},
                           "not enough memory to read it");
}

// Doubles the room, but never beyond the cap and the two bytes that prove an excess and end the text.
static bool grow(struct kvb_file *file, size_t *capacity, size_t max_bytes)
{
    size_t wanted = *capacity ? *capacity * 2 : FIRST_READ_BYTES;
    if (wanted > max_bytes + 2) {
        wanted = max_bytes + 2;
    }
    char *text = kvb_reallocate(file->text, wanted);
    if (!text) {
        return false;
    }
    file->text = text;
    *capacity = wanted;
    return true;
}

static enum kvb_status read_all(int descriptor, struct kvb_file *file, const char *path, size_t max_bytes,
                                struct kvb_problems *problems)
{
    size_t capacity = 0;
    for (;;) {
        if (file->length + 1 >= capacity && !grow(file, &capacity, max_bytes)) {
            return no_memory(problems, path);
        }
        ssize_t got = kvb_descriptor_read(descriptor, file->text + file->length, capacity - file->length - 1);
        if (got < 0) {
            return kvb_system_problem(problems, KVB_CANNOT_READ, path, "read", errno);
        }
        if (got == 0) {
            file->text[file->length] = '\0';
            return KVB_OK;
        }
        file->length += (size_t)got;
        if (file->length > max_bytes) {
            return kvb_problem_add(problems, KVB_ERROR, KVB_TOO_LARGE, (struct kvb_place){.file = path},
                                   "larger than %zu bytes, the most that is read of such a file", max_bytes);
        }
    }
}

enum kvb_status kvb_file_read(struct kvb_file *file, const char *path, size_t max_bytes, struct kvb_problems *problems)
{
    int descriptor;
    *file = (struct kvb_file){0};
    enum kvb_status status = open_input(path, &descriptor, problems);
    if (status != KVB_OK) {
        return status;
    }
    status = read_all(descriptor, file, path, max_bytes, problems);
    close_input(path, descriptor);
    if (status != KVB_OK) {
        kvb_file_free(file);
    }
    return status;
}

#define STREAM_BYTES ((size_t)128 << 10)

static enum kvb_status stream(int descriptor, const char *path, char *buffer, kvb_stream_taker *take, void *context,
                              struct kvb_problems *problems)
{
    for (;;) {
        ssize_t got = kvb_descriptor_read(descriptor, buffer, STREAM_BYTES);
        if (got < 0) {
            return kvb_system_problem(problems, KVB_CANNOT_READ, path, "read", errno);
        }
        if (got == 0) {
            return KVB_OK;
        }
        take(context, buffer, (size_t)got);
    }
}

// Streams may come from a pipe that has a name, such as a shell's <(...): opening it waits for who writes, as any
// reader does.
static enum kvb_status open_stream(const char *path, int *descriptor, struct kvb_problems *problems)
{
    struct stat status;
    bool pipe = !is_standard_input(path) && stat(path, &status) == 0 && S_ISFIFO(status.st_mode);
    if (!pipe) {
        return open_input(path, descriptor, problems);
    }
    *descriptor = open(path, O_RDONLY | O_CLOEXEC);
    return *descriptor < 0 ? kvb_system_problem(problems, KVB_CANNOT_OPEN, path, "open", errno) : KVB_OK;
}

enum kvb_status kvb_stream_read(const char *path, kvb_stream_taker *take, void *context, struct kvb_problems *problems)
{
    int descriptor;
    enum kvb_status status = open_stream(path, &descriptor, problems);
    if (status != KVB_OK) {
        return status;
    }
    char *buffer = kvb_reallocate(NULL, STREAM_BYTES);
    if (buffer == NULL) {
        status = no_memory(problems, path);
    } else {
        status = stream(descriptor, path, buffer, take, context, problems);
    }
    kvb_free(buffer);
    close_input(path, descriptor);
    return status;
}

void kvb_file_free(struct kvb_file *file)
{
    kvb_free(file->text);
    *file = (struct kvb_file){0};
}

enum kvb_status kvb_file_open(struct kvb_open_file *file, const char *path, struct kvb_problems *problems)
{
    struct stat status;
    *file = (struct kvb_open_file){.path = path, .descriptor = -1};
    enum kvb_status result = open_regular(path, &file->descriptor, problems);
    if (result == KVB_OK && fstat(file->descriptor, &status) != 0) {
        result = kvb_system_problem(problems, KVB_CANNOT_READ, path, "read", errno);
        kvb_close_file(file);
    }
    file->size_bytes = result == KVB_OK ? (uint64_t)status.st_size : 0;
    return result;
}

void kvb_open_memory(struct kvb_open_file *file, const char *path, const void *memory, size_t length)
{
    *file = (struct kvb_open_file){path, -1, memory, length, 0};
}

enum kvb_status kvb_file_read_at(const struct kvb_open_file *file, uint64_t offset_bytes, void *out, size_t length,
                                 struct kvb_problems *problems)
{
    if (offset_bytes > file->size_bytes || length > file->size_bytes - offset_bytes) {
        return kvb_problem_add(problems, KVB_ERROR, KVB_BAD_SYNTAX, (struct kvb_place){.file = file->path},
                               "ends at byte %llu, but %zu more bytes are wanted at byte %llu: the file is cut short",
                               (unsigned long long)file->size_bytes, length, (unsigned long long)offset_bytes);
    }
    if (file->memory != NULL && file->present_bytes > 0 && offset_bytes + length > file->present_bytes) {
        return kvb_problem_add(problems, KVB_ERROR, KVB_CANNOT_READ, (struct kvb_place){.file = file->path},
                               "only its first %llu bytes are here", (unsigned long long)file->present_bytes);
    }
    if (file->memory != NULL) {
        memcpy(out, file->memory + offset_bytes, length);
        return KVB_OK;
    }
    int error = kvb_descriptor_read_at(file->descriptor, offset_bytes, out, length);
    return error == 0 ? KVB_OK : kvb_system_problem(problems, KVB_CANNOT_READ, file->path, "read", error);
}

void kvb_close_file(struct kvb_open_file *file)
{
    if (file->descriptor >= 0) {
        (void)close(file->descriptor);
    }
    file->descriptor = -1;
}

bool kvb_path_exists(const char *path)
{
    struct stat status;
    return stat(path, &status) == 0;
}

// ENOTDIR: a folder above it is a file.
static bool stands_for_nothing(int error)
{
    return error == ENOENT || error == ENOTDIR;
}

bool kvb_path_is_missing(const char *path)
{
    struct stat status;
    return stat(path, &status) != 0 && stands_for_nothing(errno);
}

bool kvb_path_is_link(const char *path)
{
    struct stat status;
    return lstat(path, &status) == 0 && S_ISLNK(status.st_mode);
}

bool kvb_path_is_folder(const char *path)
{
    struct stat status;
    return stat(path, &status) == 0 && S_ISDIR(status.st_mode);
}

enum kvb_status kvb_path_look(const char *path, bool *is_folder, struct kvb_problems *problems)
{
    struct stat status;
    bool there = stat(path, &status) == 0;
    *is_folder = there && S_ISDIR(status.st_mode);
    if (there || stands_for_nothing(errno)) {
        return KVB_OK;
    }
    return kvb_system_problem(problems, KVB_CANNOT_OPEN, path, "open", errno);
}

// What is gone since it was listed is no entry; of what else cannot be looked at, the number of the error.
static bool add_entry(struct kvb_folder *folder, size_t *capacity, int descriptor, const char *name, int *error)
{
    struct stat status;
    if (fstatat(descriptor, name, &status, AT_SYMLINK_NOFOLLOW) != 0) {
        *error = errno == ENOENT ? 0 : errno;
        return true;
    }
    return kvb_folder_add(folder, capacity, name, S_ISDIR(status.st_mode), S_ISLNK(status.st_mode));
}

// 0, or the number of the error that stands in for the end of the folder.
static int next_entry(DIR *stream, struct dirent **entry)
{
    errno = 0; // the end of a folder and a failure differ in this alone
    *entry = readdir(stream);
    return *entry == NULL ? errno : 0;
}

enum kvb_status kvb_folder_read(struct kvb_folder *folder, const char *path, struct kvb_problems *problems)
{
    *folder = (struct kvb_folder){0};
    DIR *stream = opendir(path);
    size_t capacity = 0;
    bool added = true;
    if (stream == NULL) {
        return kvb_system_problem(problems, KVB_CANNOT_OPEN, path, "open", errno);
    }
    struct dirent *entry;
    int error = next_entry(stream, &entry);
    while (entry != NULL && added && error == 0) {
        if (strcmp(entry->d_name, ".") != 0 && strcmp(entry->d_name, "..") != 0) {
            added = add_entry(folder, &capacity, dirfd(stream), entry->d_name, &error);
        }
        error = error == 0 ? next_entry(stream, &entry) : error;
    }
    (void)closedir(stream);
    if (!added || error != 0) {
        kvb_folder_free(folder);
        return added ? kvb_system_problem(problems, KVB_CANNOT_READ, path, "read", error) : no_memory(problems, path);
    }
    kvb_folder_sort(folder);
    return KVB_OK;
}

// Fills the new file and keeps the old one's permissions.
static bool fill(int descriptor, const char *path, const char *text, size_t length)
{
    struct stat old;
    if (stat(path, &old) == 0 && fchmod(descriptor, old.st_mode & 07777) != 0) {
        return false;
    }
    return kvb_descriptor_write(descriptor, text, length) && fsync(descriptor) == 0;
}

enum kvb_status kvb_file_create(const char *path, const char *text, size_t length, struct kvb_problems *problems)
{
    int descriptor = open(path, O_WRONLY | O_CREAT | O_EXCL | O_CLOEXEC, 0666);
    bool written = descriptor >= 0 && kvb_descriptor_write(descriptor, text, length);
    int error = errno;
    if (descriptor >= 0 && close(descriptor) != 0 && written) {
        written = false;
        error = errno;
    }
    return written ? KVB_OK : kvb_system_problem(problems, KVB_CANNOT_WRITE, path, "write", error);
}

enum kvb_status kvb_file_replace(const char *path, const char *text, size_t length, struct kvb_problems *problems)
{
    char temporary[KVB_PATH_CAPACITY + 32];
    size_t length_of_name = (size_t)snprintf(temporary, sizeof temporary, "%s.new.%ld", path, (long)getpid());
    if (length_of_name >= sizeof temporary) {
        return kvb_system_problem(problems, KVB_CANNOT_WRITE, path, "write", ENAMETOOLONG);
    }
    int descriptor = open(temporary, O_WRONLY | O_CREAT | O_EXCL | O_CLOEXEC, 0666);
    if (descriptor < 0) {
        return kvb_system_problem(problems, KVB_CANNOT_WRITE, path, "write", errno);
    }
    bool written = fill(descriptor, path, text, length);
    int error = errno;
    if (close(descriptor) != 0 && written) {
        written = false;
        error = errno;
    }
    if (written && rename(temporary, path) != 0) {
        written = false;
        error = errno;
    }
    if (written) {
        return KVB_OK;
    }
    (void)unlink(temporary);
    return kvb_system_problem(problems, KVB_CANNOT_WRITE, path, "write", error);
}
