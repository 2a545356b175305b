// A text between two pages that nobody may touch: what is read before its first byte or behind its last ends the test.
// Included first, and with _DEFAULT_SOURCE, for MAP_ANONYMOUS.
#ifndef GUARDED_H
#define GUARDED_H

#include <stdbool.h>
#include <string.h>
#include <sys/mman.h>
#include <unistd.h>

#include "unit/test.h"

// Right behind the forbidden page, or with its end right before the other. The next call takes it away.
static inline char *guarded(const char *text, size_t length, bool at_the_end)
{
    static char *pages;
    size_t page = (size_t)sysconf(_SC_PAGESIZE);
    size_t room = (length / page + 1) * page;
    if (pages == NULL) {
        pages = mmap(NULL, 64 * page, PROT_NONE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
        assert_true(pages != MAP_FAILED);
    }
    assert_true(room <= 62 * page);
    assert_int_equal(mprotect(pages, 64 * page, PROT_NONE), 0);
    assert_int_equal(mprotect(pages + page, room, PROT_READ | PROT_WRITE), 0);
    char *at = pages + page + (at_the_end ? room - length : 0);
    memcpy(at, text, length);
    return at;
}

#endif
