// Multi-pattern search after Wu and Manber: a table of the last three characters of each eight-character
// window tells how far the search may jump.
#include "logs/scan.h"

#include <string.h>

#include "base/checked.h"

// The leading character of a form may be anything: no jump may pass it.
#define MAX_SHIFT (KVB_SCAN_WINDOW - 3)

static inline uint32_t hash_of(const char *three)
{
    uint32_t bytes = 0;
    memcpy(&bytes, three, 3);
    return (bytes * UINT32_C(0x9E3779B1)) >> 19; // same: any place serves
}

static inline uint64_t window_of(const char *text)
{
    uint64_t window;
    memcpy(&window, text, sizeof window);
    return window;
}

static void append_entry(struct kvb_scanner *scanner, uint32_t hash, uint16_t index)
{
    uint16_t *link = &scanner->first[hash];
    while (*link != 0) {
        link = &scanner->entries[*link].next;
    }
    *link = index;
}

// How far a window may be jumped over that ends in one of these.
static void limit_shifts(struct kvb_scanner *scanner, const char *window, size_t from)
{
    for (size_t i = from; i + 3 <= KVB_SCAN_WINDOW; i++) {
        uint32_t hash = hash_of(window + i);
        uint8_t shift = (uint8_t)(KVB_SCAN_WINDOW - 3 - i);
        if (shift < scanner->shift[hash]) {
            scanner->shift[hash] = shift;
        }
    }
}

static void add_row(struct kvb_scanner *scanner, const struct kvb_line_row *row, enum kvb_log_engine engine)
{
    const char *anchor;
    bool leading_hole;
    size_t length = kvb_pattern_anchor(row->pattern, &anchor, &leading_hole);
    if (length < KVB_SCAN_WINDOW || scanner->count + 1 >= KVB_SCAN_ROWS_MAX) { // same: a test refuses such a row
        return;
    }
    uint16_t index = ++scanner->count;
    scanner->entries[index] = (struct kvb_scan_entry){
        .window = window_of(anchor), .mask = UINT64_MAX, .row = row, .engine = engine, .leading_hole = leading_hole};
    limit_shifts(scanner, anchor, 0);
    append_entry(scanner, hash_of(anchor + KVB_SCAN_WINDOW - 3), index);
}

static void add_form(struct kvb_scanner *scanner, const struct kvb_form_anchor *anchor)
{
    if (scanner->count + 1 >= KVB_SCAN_ROWS_MAX) { // same: a test refuses such a table
        return;
    }
    uint16_t index = ++scanner->count;
    unsigned char mask[KVB_SCAN_WINDOW];
    memset(mask, 0xff, sizeof mask);
    memset(mask, 0, anchor->skip);
    struct kvb_scan_entry *entry = &scanner->entries[index];
    *entry = (struct kvb_scan_entry){.form = anchor->form, .skip = anchor->skip};
    if (anchor->window[anchor->skip] == '\n') { // the line begins behind the break
        entry->skip++;
    }
    memcpy(&entry->mask, mask, sizeof mask);
    entry->window = window_of(anchor->window) & entry->mask;
    limit_shifts(scanner, anchor->window, anchor->skip);
    append_entry(scanner, hash_of(anchor->window + KVB_SCAN_WINDOW - 3), index);
}

void kvb_scanner_init(struct kvb_scanner *scanner)
{
    memset(scanner, 0, sizeof *scanner);
    memset(scanner->shift, MAX_SHIFT, sizeof scanner->shift);
    for (size_t t = 0; t < KVB_LINE_TABLES; t++) {
        const struct kvb_line_table *table = kvb_line_tables[t];
        for (size_t i = 0; i != table->count; i++) {
            add_row(scanner, &table->rows[i], table->engine);
        }
    }
    for (size_t i = 0; i != kvb_form_anchor_count; i++) {
        add_form(scanner, &kvb_form_anchors[i]);
    }
}

static uint16_t entry_with(const struct kvb_scanner *scanner, uint16_t entry, uint64_t window)
{
    while (entry != 0 && scanner->entries[entry].window != (window & scanner->entries[entry].mask)) {
        entry = scanner->entries[entry].next;
    }
    return entry;
}

size_t kvb_scanner_next(const struct kvb_scanner *scanner, const char *text, size_t length, size_t from, size_t limit,
                        uint16_t *entry)
{
    size_t stop = length < KVB_SCAN_WINDOW ? 0 : length - KVB_SCAN_WINDOW + 1;
    stop = (size_t)kvb_min(stop, limit);
    for (size_t at = from; at < stop;) {
        uint32_t hash = hash_of(text + at + KVB_SCAN_WINDOW - 3);
        if (scanner->shift[hash] != 0) {
            at += scanner->shift[hash];
            continue;
        }
        *entry = entry_with(scanner, scanner->first[hash], window_of(text + at));
        if (*entry != 0) {
            return at;
        }
        at++;
    }
    return limit;
}

uint16_t kvb_scanner_following(const struct kvb_scanner *scanner, uint16_t entry, const char *text)
{
    uint64_t window = window_of(text);
    return entry_with(scanner, scanner->entries[entry].next, window);
}
