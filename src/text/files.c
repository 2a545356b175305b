// Where files and folders come from.
#include "text/files.h"

enum kvb_status kvb_files_read(const struct kvb_files *files, struct kvb_file *file, const char *path, size_t max_bytes,
                               struct kvb_problems *problems)
{
    return files != NULL ? files->read(files->context, file, path, max_bytes, problems)
                         : kvb_file_read(file, path, max_bytes, problems);
}

enum kvb_status kvb_files_list(const struct kvb_files *files, struct kvb_folder *folder, const char *path,
                               struct kvb_problems *problems)
{
    return files != NULL ? files->list(files->context, folder, path, problems)
                         : kvb_folder_read(folder, path, problems);
}
