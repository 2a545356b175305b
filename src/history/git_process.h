// The process of git that answers by name, and its answers.
#ifndef KVB_HISTORY_GIT_PROCESS_H
#define KVB_HISTORY_GIT_PROCESS_H

#include "history/history.h"

struct kvb_git_object {
    bool missing;
    char name[KVB_COMMIT_CAPACITY]; // hexadecimal
    char type[16];                  // "blob", "tree", "commit"
    uint64_t size_bytes;
};

// In the folder history->top.
enum kvb_status kvb_git_start(struct kvb_history *history, struct kvb_problems *problems) KVB_MUST_USE;
// Asks for an object by any name git knows; unless it is missing, its content must be taken next.
enum kvb_status kvb_git_ask(struct kvb_history *history, const char *name, struct kvb_git_object *object,
                            struct kvb_problems *problems) KVB_MUST_USE;
// The content with a NUL behind it, or passed over where `content` is NULL.
enum kvb_status kvb_git_take(struct kvb_history *history, const struct kvb_git_object *object, char *content,
                             struct kvb_problems *problems) KVB_MUST_USE;

#endif
