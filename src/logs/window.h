// The part of a log held in memory: lines are counted in it, and a place in it becomes a cleaned record.
#ifndef KVB_LOGS_WINDOW_H
#define KVB_LOGS_WINDOW_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#define KVB_WINDOW_BYTES ((size_t)128 << 10)
#define KVB_WINDOW_AHEAD ((size_t)40 << 10) // kept behind the place searched, so that a long line is seen whole
#define KVB_WINDOW_BEHIND 600               // kept before it
#define KVB_RECORD_BYTES (KVB_WINDOW_AHEAD + KVB_WINDOW_BEHIND)
#define KVB_RECORD_LINES 10u           // lines a wrapped message may take
#define KVB_RECORD_SHORT ((size_t)512) // what most rows look at
#define KVB_RECORD_LONG ((size_t)3000) // a message

// All zero but `line`, which begins at 1.
struct kvb_log_window {
    size_t length;
    size_t counted; // lines counted up to here
    uint64_t line;  // the line at `counted`
    char text[KVB_WINDOW_BYTES];
    char record[KVB_RECORD_BYTES]; // of the place looked at last
};

// The line around one place, cleaned in two parts so that the place is not lost; zero before it is made.
struct kvb_log_record {
    size_t offset; // of the place in window->record
    size_t length;
    unsigned lines; // 0: not made yet
    size_t most;    // bytes that it was made of
    bool cut;       // its line goes on
    bool json;
};

// Adds what there is room for; returns how much.
size_t kvb_window_add(struct kvb_log_window *window, const char *bytes, size_t length);
// Forgets the first bytes, all of them counted.
void kvb_window_drop(struct kvb_log_window *window, size_t length);

// The line of a place; of the last place asked for when that is further on.
uint64_t kvb_window_line(struct kvb_log_window *window, size_t at);

// Makes the record of a place with up to `lines` lines and `most` bytes, or makes it again with more of either.
void kvb_window_record(struct kvb_log_window *window, struct kvb_log_record *record, size_t at, unsigned lines,
                       size_t most);

#endif
