// Finds the places of a text where a recogniser may begin: most of the text is skipped unread.
#ifndef KVB_LOGS_SCAN_H
#define KVB_LOGS_SCAN_H

#include <stddef.h>
#include <stdint.h>

#include "logs/forms.h"
#include "logs/lines.h"

#define KVB_SCAN_WINDOW 8 // characters of a row's first literal run that are looked for
#define KVB_SCAN_ROWS_MAX 640
#define KVB_SCAN_HASHES 8192

struct kvb_scan_entry {
    uint64_t window;    // the first KVB_SCAN_WINDOW characters
    uint64_t mask;      // of those that are compared
    enum kvb_form form; // of an entry without a row
    unsigned char skip; // characters before its literal part
    const struct kvb_line_row *row;
    enum kvb_log_engine engine;
    bool leading_hole;
    uint16_t next; // entry with the same hash, in table order; 0 = none
};

struct kvb_scanner {
    uint8_t shift[KVB_SCAN_HASHES];
    uint16_t first[KVB_SCAN_HASHES]; // 0 = none
    uint16_t count;                  // entries[0] is not used
    struct kvb_scan_entry entries[KVB_SCAN_ROWS_MAX];
};

void kvb_scanner_init(struct kvb_scanner *scanner);

// The next offset in [from, limit) where a row's window stands, or `limit`. `entry` receives the first entry.
size_t kvb_scanner_next(const struct kvb_scanner *scanner, const char *text, size_t length, size_t from, size_t limit,
                        uint16_t *entry);

// The next entry that fits the window at `text`, or 0.
uint16_t kvb_scanner_following(const struct kvb_scanner *scanner, uint16_t entry, const char *text);

#endif
