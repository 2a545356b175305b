// The files of a commit, read from git's objects: no checkout is made or touched, and nothing comes from the network.
// One process of git's own (`git cat-file --batch`), started without a shell, answers by name; a library would cost
// every start of the tool its loading, this costs two milliseconds where it is asked for.
#ifndef KVB_HISTORY_HISTORY_H
#define KVB_HISTORY_HISTORY_H

#include <sys/types.h>

#include <kvbudget/problem.h>

#include "text/files.h"

#define KVB_COMMIT_CAPACITY 72 // a name of SHA-256 has 64 digits

struct kvb_history {
    int socket; // to git; -1: none is running
    pid_t process;
    char top[KVB_PATH_CAPACITY];    // of the work tree
    char given[KVB_PATH_CAPACITY];  // a folder as its user writes it,
    char inside[KVB_PATH_CAPACITY]; // and where it stands below `top`; "": it is `top`
    char commit[KVB_COMMIT_CAPACITY];
    char *buffer; // read and not looked at yet
    size_t begin, end;
};

void kvb_history_init(struct kvb_history *history);
// From here on paths below `folder` are looked up in the commit that `ref` names there. May be called again.
enum kvb_status kvb_history_open(struct kvb_history *history, const char *folder, const char *ref,
                                 struct kvb_problems *problems) KVB_MUST_USE;
// KVB_UNKNOWN_NAME without a problem: the commit has no such file, or folder.
enum kvb_status kvb_history_read(void *history, struct kvb_file *file, const char *path, size_t max_bytes,
                                 struct kvb_problems *problems) KVB_MUST_USE;
enum kvb_status kvb_history_list(void *history, struct kvb_folder *folder, const char *path,
                                 struct kvb_problems *problems) KVB_MUST_USE;
void kvb_history_close(struct kvb_history *history);

#endif
