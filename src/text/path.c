// Folder, slash, name: what does not fit is no path.
#include "text/path.h"

#include <stdio.h>
#include <string.h>

static const char *slash_behind(const char *part)
{
    size_t length = strlen(part);
    return length > 0 && part[length - 1] != '/' ? "/" : "";
}

bool kvb_path_join_below(char out[KVB_PATH_CAPACITY], const char *folder, const char *below, const char *name)
{
    size_t length = (size_t)snprintf(out, KVB_PATH_CAPACITY, "%s%s%s%s%s", folder, slash_behind(folder), below,
                                     slash_behind(below), name);
    return length < KVB_PATH_CAPACITY;
}

bool kvb_path_join(char out[KVB_PATH_CAPACITY], const char *folder, const char *name)
{
    return kvb_path_join_below(out, folder, "", name);
}
