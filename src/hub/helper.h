// Starting the program that fetches, and what it says.
#ifndef KVB_HUB_HELPER_H
#define KVB_HUB_HELPER_H

#include <stdbool.h>
#include <stdint.h>

#include <kvbudget/problem.h>

#define KVB_HELPER_KNOWN_MAX 64

struct kvb_helper_ask {
    const char *endpoint, *repository, *revision, *format; // format "": none
    const char *folder;                                    // empty; the files go there
    uint32_t known_count;                                  // commits that are here already
    char known[KVB_HELPER_KNOWN_MAX][96];
};

enum kvb_helper_end {
    KVB_HELPER_FETCHED,
    KVB_HELPER_SAME,    // one of the known commits
    KVB_HELPER_FAILED,  // `kind` and `text` say why
    KVB_HELPER_MISSING, // the program is not here
};
struct kvb_helper_report {
    enum kvb_helper_end end;
    char commit[96]; // "-": the hub names none
    uint64_t files, headers, bytes, milliseconds;
    char kind[16]; // "name", "access", "offline", "busy", "bad", "system"
    char text[KVB_PROBLEM_TEXT_CAPACITY];
};

// KVBUDGET_LIBEXEC/kvbudget-hub; else where it was installed beside this program; else beside this program itself.
bool kvb_helper_find(char path[KVB_PATH_CAPACITY]);
void kvb_helper_run(const struct kvb_helper_ask *ask, struct kvb_helper_report *report);

#endif
