// What an exception's own words make of it: a cause, a wrapper, a consequence, out of memory, and what to do.
#ifndef KVB_LOGS_CAUSES_H
#define KVB_LOGS_CAUSES_H

#include <stdbool.h>
#include <stddef.h>

#include "logs/stamps.h"

enum kvb_cause_class {
    KVB_CAUSE_NONE,
    KVB_CAUSE_ADVISED,     // a common cause, with what to do about it
    KVB_CAUSE_PLAIN,       // an exception like any other
    KVB_CAUSE_CONSEQUENCE, // a peer is gone: somebody else died first
    KVB_CAUSE_WRAPPER,     // says that something failed, never what
    KVB_CAUSE_OOM,         // GPU memory
    KVB_CAUSE_HOST,        // host memory
};

// One common cause that is no failed allocation of GPU memory.
struct kvb_cause_row {
    const char *words;   // in the message, whatever its case
    const char *also;    // a second word it must hold; NULL = none
    const char *title;   // what happened, in a few words
    const char *setting; // what to change, and to what
    const char *to;
    const char *why;
    const char *specimen; // a message of this cause
};
struct kvb_cause_table {
    const struct kvb_cause_row *rows;
    size_t count;
};
extern const struct kvb_cause_table kvb_causes_card, kvb_causes_start;
#define KVB_CAUSE_TABLES 2
extern const struct kvb_cause_table *const kvb_cause_tables[KVB_CAUSE_TABLES]; // the first row that fits is taken

// The row of a message; NULL when it is none of the common ones.
const struct kvb_cause_row *kvb_cause_of(const char *text);
enum kvb_cause_class kvb_cause_class_of(const char *text);
// SGLang's pool of tokens ran out: memory of the GPU, though no allocation of it failed.
bool kvb_cause_of_pool(const char *text);

// Whether the message can only come from a start or only from serving.
enum kvb_side kvb_cause_side(const char *text);

#endif
