// The only opener of files.
#ifndef KVB_TEXT_FILE_H
#define KVB_TEXT_FILE_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include <kvbudget/problem.h>

#define KVB_FILE_MAX_BYTES ((size_t)64 << 20)

struct kvb_file {
    char *text; // NUL added after the last byte
    size_t length;
};

// Reads a regular file ("-": standard input) of at most `max_bytes`; refuses folders and devices by name.
enum kvb_status kvb_file_read(struct kvb_file *file, const char *path, size_t max_bytes,
                              struct kvb_problems *problems) KVB_MUST_USE;
void kvb_file_free(struct kvb_file *file);

bool kvb_path_exists(const char *path);
// Nothing stands there; what could not be looked at is not missing, and who opens it hears why.
bool kvb_path_is_missing(const char *path);
bool kvb_path_is_link(const char *path);
// Whether it is a folder, where a failure is none of the answers; what is not there is no folder.
enum kvb_status kvb_path_look(const char *path, bool *is_folder, struct kvb_problems *problems);
bool kvb_path_is_folder(const char *path);

// The entries of a folder without '.' and '..', sorted by name. Links to folders are no folders.
struct kvb_folder_entry {
    char *name;
    bool is_folder, is_link;
};
struct kvb_folder {
    struct kvb_folder_entry *entries;
    size_t count;
};
enum kvb_status kvb_folder_read(struct kvb_folder *folder, const char *path,
                                struct kvb_problems *problems) KVB_MUST_USE;
void kvb_folder_free(struct kvb_folder *folder);

// A regular file of which only pieces are read; or bytes in memory, for tests and fuzzing.
struct kvb_open_file {
    const char *path; // borrowed, for places
    int descriptor;
    const unsigned char *memory; // NULL for a real file
    uint64_t size_bytes;
    uint64_t present_bytes; // of memory that holds the beginning alone; 0 = all of it is there
};
enum kvb_status kvb_file_open(struct kvb_open_file *file, const char *path, struct kvb_problems *problems) KVB_MUST_USE;
void kvb_open_memory(struct kvb_open_file *file, const char *path, const void *memory, size_t length);
// Exactly `length` bytes from `offset_bytes`; reaching beyond the end is a failure.
enum kvb_status kvb_file_read_at(const struct kvb_open_file *file, uint64_t offset_bytes, void *out, size_t length,
                                 struct kvb_problems *problems) KVB_MUST_USE;
void kvb_close_file(struct kvb_open_file *file);

// A new file in a folder that nobody else reads yet; one that is there already is a failure.
enum kvb_status kvb_file_create(const char *path, const char *text, size_t length,
                                struct kvb_problems *problems) KVB_MUST_USE;

// Writes a temporary file beside `path` and renames it: the whole file or nothing.
enum kvb_status kvb_file_replace(const char *path, const char *text, size_t length,
                                 struct kvb_problems *problems) KVB_MUST_USE;

#endif
