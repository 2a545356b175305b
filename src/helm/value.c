// Values made, looked at and changed.
#include "helm/value.h"

#include <stdlib.h>
#include <string.h>

#include "base/text.h"

#define ROOM_BYTES ((size_t)64 << 20)
#define STEPS_MAX UINT64_C(4000000)
#define DEPTH_MAX 64

void *kvb_helm_take(struct kvb_helm_room *room, size_t size)
{
    void *piece = NULL;
    if (size <= ROOM_BYTES && room->taken_bytes <= ROOM_BYTES - size && !room->spent) {
        room->taken_bytes += size;
        piece = kvb_arena_take(&room->arena, size);
        room->out_of_memory = room->out_of_memory || piece == NULL;
    }
    room->spent = room->spent || piece == NULL;
    return piece;
}

bool kvb_helm_step(struct kvb_helm_room *room, uint64_t count)
{
    room->steps += count;
    room->spent = room->spent || room->steps > STEPS_MAX;
    return !room->spent;
}

const char *kvb_helm_copy(struct kvb_helm_room *room, const char *text, size_t length)
{
    char *copy = kvb_helm_take(room, length + 1);
    if (copy == NULL) {
        return "";
    }
    memcpy(copy, text, length);
    copy[length] = '\0';
    return copy;
}

struct kvb_helm_value kvb_helm_keep(struct kvb_helm_room *room, struct kvb_buffer *text)
{
    struct kvb_helm_value kept =
        kvb_helm_text(kvb_helm_copy(room, kvb_buffer_text(text), text->failed ? 0 : text->length));
    room->out_of_memory = room->out_of_memory || text->failed;
    room->spent = room->spent || text->failed;
    kvb_buffer_free(text);
    return kept;
}

struct kvb_helm_value kvb_helm_text(const char *text)
{
    return (struct kvb_helm_value){.kind = KVB_HELM_TEXT, .text = text};
}

struct kvb_helm_value kvb_helm_bool(bool truth)
{
    return (struct kvb_helm_value){.kind = KVB_HELM_BOOL, .truth = truth};
}

struct kvb_helm_value kvb_helm_whole(struct kvb_helm_room *room, int64_t number)
{
    struct kvb_buffer text;
    kvb_buffer_init(&text);
    kvb_buffer_printf(&text, "%lld", (long long)number);
    struct kvb_helm_value value = kvb_helm_keep(room, &text);
    value.kind = KVB_HELM_NUMBER;
    value.whole = true;
    value.number = number;
    return value;
}

struct kvb_helm_value kvb_helm_unknown(const char *expression)
{
    return (struct kvb_helm_value){.kind = KVB_HELM_UNKNOWN, .text = expression};
}

static struct kvb_helm_value with_items(struct kvb_helm_room *room, enum kvb_helm_kind kind)
{
    struct kvb_helm_value value = {.kind = kind, .items = kvb_helm_take(room, sizeof *value.items)};
    return value.items != NULL ? value : kvb_helm_unknown("");
}

struct kvb_helm_value kvb_helm_list(struct kvb_helm_room *room)
{
    return with_items(room, KVB_HELM_LIST);
}

struct kvb_helm_value kvb_helm_map(struct kvb_helm_room *room)
{
    return with_items(room, KVB_HELM_MAP);
}

// Digits of at most eighteen places, so that nothing overflows.
static bool read_digits(const char *text, size_t length, int64_t *out)
{
    *out = 0;
    for (size_t i = 0; i < length && length <= 18; i++) {
        *out = *out * 10 + (text[i] - '0');
    }
    return length <= 18;
}

// "0.90" is printed as 0.9, as the number that it is.
bool kvb_helm_read_number(struct kvb_helm_room *room, const char *text, struct kvb_helm_value *out)
{
    bool negative = text[0] == '-';
    const char *digits = text + (negative || text[0] == '+');
    size_t before = strspn(digits, "0123456789"), zeros = strspn(digits, "0");
    bool point = digits[before] == '.';
    const char *part = digits + before + point;
    size_t behind = point ? strspn(part, "0123456789") : 0;
    int64_t number = 0;
    if (before + behind == 0 || part[behind] != '\0' || (!point && zeros > 0 && before > 1) ||
        !read_digits(digits, before, &number)) {
        return false;
    }
    while (behind > 0 && part[behind - 1] == '0') {
        behind--;
    }
    if (behind == 0) {
        *out = kvb_helm_whole(room, negative ? -number : number);
        return true;
    }
    bool precise = behind <= 6 && before <= 12;
    for (size_t i = 0; i < 6 && precise; i++) {
        number = number * 10 + (i < behind ? part[i] - '0' : 0);
    }
    struct kvb_buffer shown;
    kvb_buffer_init(&shown);
    kvb_buffer_printf(&shown, "%s%.*s.%.*s", negative ? "-" : "", before > 0 ? (int)before : 1,
                      before > 0 ? digits : "0", (int)behind, part);
    *out = kvb_helm_keep(room, &shown);
    out->kind = precise ? KVB_HELM_NUMBER : KVB_HELM_TEXT;
    out->number = negative ? -number : number;
    return true;
}

static bool is_word_of(const char *const words[], size_t count, const char *text)
{
    for (size_t i = 0; i < count; i++) {
        if (strcmp(words[i], text) == 0) {
            return true;
        }
    }
    return false;
}

static struct kvb_helm_value scalar(struct kvb_helm_room *room, const struct kvb_node *node)
{
    static const char *const yes[] = {"true", "True", "TRUE", "yes", "Yes", "YES", "on", "On", "ON", "y", "Y"};
    static const char *const no[] = {"false", "False", "FALSE", "no", "No", "NO", "off", "Off", "OFF", "n", "N"};
    struct kvb_helm_value number;
    if (kvb_node_is_null(node)) {
        return (struct kvb_helm_value){.kind = KVB_HELM_NIL};
    }
    bool plain = !node->quoted && !node->block;
    bool truth = is_word_of(yes, sizeof yes / sizeof yes[0], node->text);
    if (plain && (truth || is_word_of(no, sizeof no / sizeof no[0], node->text))) {
        return kvb_helm_bool(truth);
    }
    if (plain && kvb_helm_read_number(room, node->text, &number)) {
        return number;
    }
    return kvb_helm_text(kvb_helm_copy(room, node->text, strlen(node->text)));
}

static int by_key(const void *a, const void *b)
{
    return strcmp(((const struct kvb_helm_entry *)a)->key, ((const struct kvb_helm_entry *)b)->key);
}

// A tree is at most 64 levels deep, and so is this.
struct kvb_helm_value kvb_helm_from_node(struct kvb_helm_room *room, const struct kvb_node *node)
{
    if (node->kind == KVB_NODE_SCALAR) {
        return scalar(room, node);
    }
    bool mapping = node->kind == KVB_NODE_MAPPING;
    struct kvb_helm_value value = mapping ? kvb_helm_map(room) : kvb_helm_list(room);
    for (const struct kvb_node *child = node->first; child != NULL && !room->spent; child = child->next) {
        kvb_helm_append(room, &value, kvb_helm_from_node(room, child));
        if (mapping && !room->spent) {
            value.items->entries[value.items->count - 1].key = kvb_helm_copy(room, child->key, strlen(child->key));
        }
    }
    if (mapping && !room->spent && value.items->count > 1) {
        qsort(value.items->entries, value.items->count, sizeof value.items->entries[0], by_key);
    }
    return room->spent ? kvb_helm_unknown("") : value;
}

// ---- lists and mappings

void kvb_helm_append(struct kvb_helm_room *room, struct kvb_helm_value *list, struct kvb_helm_value value)
{
    struct kvb_helm_items *items = list->items;
    if (items != NULL && items->count == items->capacity) {
        uint32_t capacity = items->capacity > 0 ? items->capacity * 2 : 4;
        struct kvb_helm_entry *grown = kvb_helm_take(room, capacity * sizeof *grown);
        if (grown == NULL) {
            return;
        }
        if (items->count > 0) {
            memcpy(grown, items->entries, items->count * sizeof *grown);
        }
        items->entries = grown;
        items->capacity = capacity;
    }
    if (items != NULL) {
        items->entries[items->count++] = (struct kvb_helm_entry){NULL, value};
    }
}

// Where the key stands, or would.
static uint32_t place_of(const struct kvb_helm_items *items, const char *key)
{
    uint32_t low = 0, high = items->count;
    while (low < high) {
        uint32_t middle = low + (high - low) / 2;
        if (strcmp(items->entries[middle].key, key) < 0) {
            low = middle + 1;
        } else {
            high = middle;
        }
    }
    return low;
}

static struct kvb_helm_entry *entry_of(const struct kvb_helm_value *map, const char *key)
{
    if (map == NULL || map->kind != KVB_HELM_MAP) {
        return NULL;
    }
    uint32_t place = place_of(map->items, key);
    struct kvb_helm_entry *entry = place < map->items->count ? &map->items->entries[place] : NULL;
    return entry != NULL && strcmp(entry->key, key) == 0 ? entry : NULL;
}

const struct kvb_helm_value *kvb_helm_get(const struct kvb_helm_value *map, const char *key)
{
    const struct kvb_helm_entry *entry = entry_of(map, key);
    return entry != NULL ? &entry->value : NULL;
}

void kvb_helm_set(struct kvb_helm_room *room, struct kvb_helm_value *map, const char *key, struct kvb_helm_value value)
{
    struct kvb_helm_entry *entry = entry_of(map, key);
    if (entry != NULL) {
        entry->value = value;
        return;
    }
    if (map->kind != KVB_HELM_MAP || !kvb_helm_step(room, 1 + map->items->count / 16)) {
        return;
    }
    uint32_t place = place_of(map->items, key), before = map->items->count;
    kvb_helm_append(room, map, value);
    if (map->items->count > before) {
        struct kvb_helm_entry *entries = map->items->entries;
        memmove(entries + place + 1, entries + place, (before - place) * sizeof *entries);
        entries[place] = (struct kvb_helm_entry){key, value};
    }
}

void kvb_helm_remove(struct kvb_helm_value *map, const char *key)
{
    struct kvb_helm_entry *entry = entry_of(map, key);
    if (entry != NULL) {
        uint32_t place = (uint32_t)(entry - map->items->entries);
        map->items->count--;
        memmove(entry, entry + 1, (map->items->count - place) * sizeof *entry);
    }
}

uint32_t kvb_helm_count(const struct kvb_helm_value *value)
{
    return value->kind == KVB_HELM_LIST || value->kind == KVB_HELM_MAP ? value->items->count : 0;
}

static struct kvb_helm_value copy_below(struct kvb_helm_room *room, const struct kvb_helm_value *value, unsigned depth)
{
    bool holds = value->kind == KVB_HELM_LIST || value->kind == KVB_HELM_MAP;
    if (!holds) {
        return *value;
    }
    room->spent = room->spent || depth > DEPTH_MAX; // a mapping that was set into itself
    struct kvb_helm_value copy = with_items(room, value->kind);
    for (uint32_t i = 0; i < value->items->count && kvb_helm_step(room, 1); i++) {
        uint32_t before = copy.items->count;
        kvb_helm_append(room, &copy, copy_below(room, &value->items->entries[i].value, depth + 1));
        if (copy.items->count > before) {
            copy.items->entries[before].key = value->items->entries[i].key;
        }
    }
    return copy;
}

struct kvb_helm_value kvb_helm_deep_copy(struct kvb_helm_room *room, const struct kvb_helm_value *value)
{
    return copy_below(room, value, 0);
}

static void merge_below(struct kvb_helm_room *room, struct kvb_helm_value *into, const struct kvb_helm_value *from,
                        unsigned rules, unsigned depth)
{
    bool wins = (rules & 1U) != 0, drops = (rules & 2U) != 0;
    room->spent = room->spent || depth > DEPTH_MAX;
    for (uint32_t i = 0; i < kvb_helm_count(from) && kvb_helm_step(room, 1); i++) {
        const struct kvb_helm_entry *entry = &from->items->entries[i];
        struct kvb_helm_entry *own = entry_of(into, entry->key);
        if (own != NULL && own->value.kind == KVB_HELM_MAP && entry->value.kind == KVB_HELM_MAP) {
            merge_below(room, &own->value, &entry->value, rules, depth + 1);
        } else if (drops && entry->value.kind == KVB_HELM_NIL) {
            kvb_helm_remove(into, entry->key);
        } else if (own == NULL || wins || !(kvb_helm_is_open(&own->value) || kvb_helm_is_true(&own->value))) {
            kvb_helm_set(room, into, entry->key, copy_below(room, &entry->value, depth + 1));
        }
    }
}

void kvb_helm_merge(struct kvb_helm_room *room, struct kvb_helm_value *into, const struct kvb_helm_value *from,
                    bool wins, bool drops)
{
    if (into->kind == KVB_HELM_MAP && from->kind == KVB_HELM_MAP && into->items != from->items) {
        merge_below(room, into, from, (wins ? 1U : 0U) | (drops ? 2U : 0U), 0);
    }
}

// ---- truth and order

bool kvb_helm_is_open(const struct kvb_helm_value *value)
{
    return value->kind == KVB_HELM_UNKNOWN || value->holes;
}

bool kvb_helm_is_true(const struct kvb_helm_value *value)
{
    switch (value->kind) {
    case KVB_HELM_BOOL:
        return value->truth;
    case KVB_HELM_NUMBER:
        return value->number != 0;
    case KVB_HELM_TEXT:
        return value->text[0] != '\0';
    case KVB_HELM_LIST:
    case KVB_HELM_MAP:
        return value->items->count > 0;
    default:
        return false;
    }
}

bool kvb_helm_compare(const struct kvb_helm_value *a, const struct kvb_helm_value *b, int *order)
{
    if (a->kind != b->kind || kvb_helm_is_open(a) || kvb_helm_is_open(b)) {
        return false;
    }
    if (a->kind == KVB_HELM_TEXT) {
        *order = strcmp(a->text, b->text);
        return true;
    }
    bool number = a->kind == KVB_HELM_NUMBER;
    if (number && (a->number > INT64_MAX / 2000000 || b->number > INT64_MAX / 2000000 ||
                   a->number < INT64_MIN / 2000000 || b->number < INT64_MIN / 2000000)) {
        return false;
    }
    int64_t left = number ? a->number * (a->whole ? 1000000 : 1) : a->truth;
    int64_t right = number ? b->number * (b->whole ? 1000000 : 1) : b->truth;
    *order = left < right ? -1 : left > right;
    return a->kind != KVB_HELM_LIST && a->kind != KVB_HELM_MAP;
}
