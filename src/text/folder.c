// Making, moving and removing folders.
#include "text/folder.h"

#include <errno.h>
#include <stdio.h>
#include <string.h>
#include <sys/stat.h>
#include <time.h>
#include <unistd.h>

#include "base/text.h"
#include "text/descriptor.h"
#include "text/file.h"
#include "text/path.h"

#define DEPTH_MAX 3

enum kvb_status kvb_folder_make(const char *path, struct kvb_problems *problems)
{
    char part[KVB_PATH_CAPACITY];
    if (!kvb_copy(part, sizeof part, path)) {
        return kvb_system_problem(problems, KVB_CANNOT_WRITE, path, "make", ENAMETOOLONG);
    }
    for (char *at = part + (part[0] == '/'); *at != '\0'; at++) {
        if (*at == '/') {
            *at = '\0';
            (void)mkdir(part, 0777); // whether it worked shows at the end
            *at = '/';
        }
    }
    bool made = mkdir(part, 0777) == 0 || (errno == EEXIST && kvb_path_is_folder(part));
    return made ? KVB_OK : kvb_system_problem(problems, KVB_CANNOT_WRITE, path, "make", errno);
}

static bool remove_below(const char *path, unsigned depth)
{
    struct kvb_folder folder;
    char below[KVB_PATH_CAPACITY];
    if (depth > DEPTH_MAX || kvb_folder_read(&folder, path, NULL) != KVB_OK) {
        return false;
    }
    bool removed = true;
    for (size_t i = 0; i < folder.count; i++) {
        const struct kvb_folder_entry *entry = &folder.entries[i];
        removed = kvb_path_join(below, path, entry->name) &&
                  (entry->is_folder ? remove_below(below, depth + 1) : unlink(below) == 0 || errno == ENOENT) &&
                  removed;
    }
    kvb_folder_free(&folder);
    return removed && (rmdir(path) == 0 || errno == ENOENT);
}

enum kvb_status kvb_folder_remove(const char *path, struct kvb_problems *problems)
{
    if (remove_below(path, 0) || !kvb_path_exists(path)) {
        return KVB_OK;
    }
    return kvb_system_problem(problems, KVB_CANNOT_WRITE, path, "remove", EBUSY);
}

bool kvb_folder_move(const char *from, const char *to)
{
    return rename(from, to) == 0;
}

static uint64_t bytes_below(const char *path, unsigned depth)
{
    struct kvb_folder folder;
    struct stat status;
    char below[KVB_PATH_CAPACITY];
    uint64_t sum = 0;
    if (depth > DEPTH_MAX || kvb_folder_read(&folder, path, NULL) != KVB_OK) {
        return 0;
    }
    for (size_t i = 0; i < folder.count; i++) {
        if (!kvb_path_join(below, path, folder.entries[i].name)) {
            continue;
        }
        if (folder.entries[i].is_folder) {
            sum += bytes_below(below, depth + 1);
        } else if (lstat(below, &status) == 0) {
            sum += (uint64_t)status.st_size;
        }
    }
    kvb_folder_free(&folder);
    return sum;
}

uint64_t kvb_folder_bytes(const char *path)
{
    return bytes_below(path, 0);
}

uint64_t kvb_path_age_seconds(const char *path)
{
    struct stat status;
    if (stat(path, &status) != 0) {
        return UINT64_MAX;
    }
    time_t now = time(NULL);
    return now > status.st_mtime ? (uint64_t)(now - status.st_mtime) : 0;
}
