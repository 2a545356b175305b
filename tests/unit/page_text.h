// One page, and what stands on it.
#ifndef KVB_TESTS_PAGE_TEXT_H
#define KVB_TESTS_PAGE_TEXT_H

#include <string.h>

#include "base/buffer.h"

#include "unit/test.h"

static struct kvb_buffer out;

static inline int forget_page(void **state)
{
    (void)state;
    kvb_buffer_free(&out);
    return 0;
}

static inline void holds(const char *text)
{
    if (strstr(out.data, text) == NULL) {
        fail_msg("without '%s':\n%.3000s", text, out.data);
    }
}

static inline void lacks(const char *text)
{
    if (strstr(out.data, text) != NULL) {
        fail_msg("with '%s':\n%.3000s", text, out.data);
    }
}

#endif
