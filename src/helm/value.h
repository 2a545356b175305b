// Values of a chart: what templates compute with. Copies share the items of lists and mappings.
#ifndef KVB_HELM_VALUE_H
#define KVB_HELM_VALUE_H

#include <stdbool.h>
#include <stdint.h>

#include "base/arena.h"
#include "base/buffer.h"
#include "text/tree.h"

enum kvb_helm_kind {
    KVB_HELM_NIL,
    KVB_HELM_BOOL,
    KVB_HELM_NUMBER,
    KVB_HELM_TEXT,
    KVB_HELM_LIST,
    KVB_HELM_MAP,
    KVB_HELM_UNKNOWN, // cannot be evaluated here; `text` is the expression
};

struct kvb_helm_items;
struct kvb_helm_value {
    enum kvb_helm_kind kind;
    bool truth;       // of a switch
    bool whole;       // a number without a fraction, which is `number`
    bool holes;       // text with a part that is not known
    int64_t number;   // of millionths where it is not whole
    const char *text; // of a text; of a number as it is printed
    struct kvb_helm_items *items;
};

struct kvb_helm_entry {
    const char *key; // NULL in a list
    struct kvb_helm_value value;
};

// Entries of a mapping are in the order of their keys, as templates walk through them.
struct kvb_helm_items {
    struct kvb_helm_entry *entries;
    uint32_t count, capacity;
};

// Room of one chart, which is limited: `spent` is set where it ran out, or memory did.
struct kvb_helm_room {
    struct kvb_arena arena;
    size_t taken_bytes;
    uint64_t steps;
    const struct kvb_helm_hole *holes;
    uint32_t hole_count;
    bool spent, out_of_memory;
};
// An expression for which a variable stands in some text.
struct kvb_helm_hole {
    const char *expression;
    const struct kvb_helm_hole *older;
};
void *kvb_helm_take(struct kvb_helm_room *room, size_t size); // NULL: there is none left
bool kvb_helm_step(struct kvb_helm_room *room, uint64_t count);
const char *kvb_helm_copy(struct kvb_helm_room *room, const char *text, size_t length); // "" where there is no room
// A text value of what the buffer holds, which is freed.
struct kvb_helm_value kvb_helm_keep(struct kvb_helm_room *room, struct kvb_buffer *text);

struct kvb_helm_value kvb_helm_text(const char *text);
struct kvb_helm_value kvb_helm_bool(bool truth);
struct kvb_helm_value kvb_helm_whole(struct kvb_helm_room *room, int64_t number);
struct kvb_helm_value kvb_helm_unknown(const char *expression);
struct kvb_helm_value kvb_helm_list(struct kvb_helm_room *room);
struct kvb_helm_value kvb_helm_map(struct kvb_helm_room *room);
// A number as a template or YAML writes it; false: it is none.
bool kvb_helm_read_number(struct kvb_helm_room *room, const char *text, struct kvb_helm_value *out);
struct kvb_helm_value kvb_helm_from_node(struct kvb_helm_room *room, const struct kvb_node *node);

void kvb_helm_append(struct kvb_helm_room *room, struct kvb_helm_value *list, struct kvb_helm_value value);
// Replaces what stands under the key.
void kvb_helm_set(struct kvb_helm_room *room, struct kvb_helm_value *map, const char *key, struct kvb_helm_value value);
void kvb_helm_remove(struct kvb_helm_value *map, const char *key);
const struct kvb_helm_value *kvb_helm_get(const struct kvb_helm_value *map, const char *key); // NULL: it has none
uint32_t kvb_helm_count(const struct kvb_helm_value *value);
// A copy that shares nothing with it.
struct kvb_helm_value kvb_helm_deep_copy(struct kvb_helm_room *room, const struct kvb_helm_value *value);
// Keys of `from` go into `into`, mappings into mappings; those that `into` has stay unless `from` wins. With `drops` a
// null of `from` takes the key away, as values files do.
void kvb_helm_merge(struct kvb_helm_room *room, struct kvb_helm_value *into, const struct kvb_helm_value *from,
                    bool wins, bool drops);

// Neither empty nor zero. What is not known has no truth: ask for that first.
bool kvb_helm_is_true(const struct kvb_helm_value *value);
bool kvb_helm_is_open(const struct kvb_helm_value *value); // not known, or with a part that is not
// -1, 0, 1; false: they cannot be compared.
bool kvb_helm_compare(const struct kvb_helm_value *a, const struct kvb_helm_value *b, int *order);

// As templates print it (value_text.c).
void kvb_helm_print(struct kvb_helm_room *room, const struct kvb_helm_value *value, struct kvb_buffer *out);
struct kvb_helm_value kvb_helm_to_text(struct kvb_helm_room *room, const struct kvb_helm_value *value);
void kvb_helm_write_yaml(struct kvb_helm_room *room, const struct kvb_helm_value *value, struct kvb_buffer *out);
void kvb_helm_write_json(struct kvb_helm_room *room, const struct kvb_helm_value *value, struct kvb_buffer *out);
void kvb_helm_write_quoted(const char *text, struct kvb_buffer *out);
// The name of a hole without the room that remembers it.
void kvb_helm_name_hole(const char *expression, struct kvb_buffer *out);
// What stands in a text for an expression that is not known: a variable called after it.
void kvb_helm_write_hole(struct kvb_helm_room *room, const char *expression, struct kvb_buffer *out);

#endif
