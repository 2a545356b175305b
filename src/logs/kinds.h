// What kind of failure an exception is that is none of the common causes: by its class, its words and the code that
// raised it. A kind says where to look and nothing of how it came.
#ifndef KVB_LOGS_KINDS_H
#define KVB_LOGS_KINDS_H

#include <stdbool.h>
#include <stddef.h>

// One kind; what is NULL fits any.
struct kvb_kind_row {
    const char *name;  // in the dotted name of the exception
    const char *words; // in the message, whatever its case
    const char *also;
    const char *place; // in the frame that raised it
    const char *title, *setting, *to, *why;
    const char *specimen, *specimen_place; // a message of this kind, and where it came from
};
struct kvb_kind_table {
    const struct kvb_kind_row *rows;
    size_t count;
};
extern const struct kvb_kind_table kvb_kinds_words, kvb_kinds_code;
#define KVB_KIND_TABLES 2
extern const struct kvb_kind_table *const kvb_kind_tables[KVB_KIND_TABLES]; // the first row that fits is taken

// NULL when the message is of no kind that is known. An empty place is not known.
const struct kvb_kind_row *kvb_kind_of(const char *text, const char *place);

// "vllm/config/model.py:512 in _verify", of a frame of a traceback; empty when it is none.
void kvb_frame_place(const char *frame, char *place, size_t capacity);
// Whether a place only hands on what others raise: validators, dispatchers, loops of events.
bool kvb_place_is_plumbing(const char *place);

#endif
