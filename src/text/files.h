// Where files and folders come from: the disk, or something that is read like it.
#ifndef KVB_TEXT_FILES_H
#define KVB_TEXT_FILES_H

#include "text/file.h"

struct kvb_files {
    void *context;
    enum kvb_status (*read)(void *context, struct kvb_file *file, const char *path, size_t max_bytes,
                            struct kvb_problems *problems);
    enum kvb_status (*list)(void *context, struct kvb_folder *folder, const char *path, struct kvb_problems *problems);
};

// NULL: the disk.
enum kvb_status kvb_files_read(const struct kvb_files *files, struct kvb_file *file, const char *path, size_t max_bytes,
                               struct kvb_problems *problems) KVB_MUST_USE;
enum kvb_status kvb_files_list(const struct kvb_files *files, struct kvb_folder *folder, const char *path,
                               struct kvb_problems *problems) KVB_MUST_USE;

// One entry more; `capacity` is the caller's, 0 at first. False: no memory left.
bool kvb_folder_add(struct kvb_folder *folder, size_t *capacity, const char *name, bool is_folder, bool is_link);
void kvb_folder_sort(struct kvb_folder *folder);

#endif
