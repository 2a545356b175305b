// Names of a folder, kept in order.
#include "text/files.h"

#include <stdlib.h>
#include <string.h>

#include "base/memory.h"

bool kvb_folder_add(struct kvb_folder *folder, size_t *capacity, const char *name, bool is_folder, bool is_link)
{
    if (folder->count == *capacity) {
        size_t wanted = *capacity > 0 ? *capacity * 2 : 64;
        struct kvb_folder_entry *entries = kvb_reallocate(folder->entries, wanted * sizeof *entries);
        if (entries == NULL) {
            return false;
        }
        folder->entries = entries;
        *capacity = wanted;
    }
    char *copy = kvb_reallocate(NULL, strlen(name) + 1);
    if (copy == NULL) {
        return false;
    }
    memcpy(copy, name, strlen(name) + 1);
    folder->entries[folder->count++] = (struct kvb_folder_entry){copy, is_folder, is_link};
    return true;
}

static int compare_entries(const void *a, const void *b)
{
    const struct kvb_folder_entry *first = a, *second = b;
    return strcmp(first->name, second->name);
}

void kvb_folder_sort(struct kvb_folder *folder)
{
    if (folder->count > 1) {
        qsort(folder->entries, folder->count, sizeof folder->entries[0], compare_entries);
    }
}

void kvb_folder_free(struct kvb_folder *folder)
{
    for (size_t i = 0; i < folder->count; i++) {
        kvb_free(folder->entries[i].name);
    }
    kvb_free(folder->entries);
    *folder = (struct kvb_folder){0};
}
