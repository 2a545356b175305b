// Growable text for output. A failed allocation sets `failed`; everything after is ignored.
#ifndef KVB_BASE_BUFFER_H
#define KVB_BASE_BUFFER_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

struct kvb_buffer {
    char *data; // NUL-ended once anything was added
    size_t length;
    size_t capacity;
    bool failed;
    bool blocks;           // a page whose terminal shows block characters
    unsigned page_columns; // of the page that it becomes; 0: not said
};

void kvb_buffer_init(struct kvb_buffer *buffer);
void kvb_buffer_free(struct kvb_buffer *buffer);
// What was added so far; "" where nothing was, or where it failed.
const char *kvb_buffer_text(const struct kvb_buffer *buffer);
void kvb_buffer_add(struct kvb_buffer *buffer, const char *text);
void kvb_buffer_add_n(struct kvb_buffer *buffer, const char *text, size_t length);
void kvb_buffer_fill(struct kvb_buffer *buffer, char c, size_t count);
void kvb_buffer_printf(struct kvb_buffer *buffer, const char *format, ...) __attribute__((format(printf, 2, 3)));

#endif
