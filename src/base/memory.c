// Allocation with one test hook and one note of failure, the only non-constant globals of the project.
#include "base/memory.h"

#include <stdatomic.h>
#include <stdlib.h>

static atomic_ulong failures; // only ever grows

// 0: off; 1: the next call fails, and the count stays there unless one failure is enough.
static unsigned long calls_until_failure;
static bool fails_once;

static bool is_due(void)
{
    bool due = calls_until_failure == 1;
    calls_until_failure -= calls_until_failure > 1 || (due && fails_once);
    return due;
}

void *kvb_reallocate(void *old, size_t size)
{
    void *memory = is_due() ? NULL : realloc(old, size);
    if (memory == NULL) {
        kvb_memory_note_failure();
    }
    return memory;
}

bool kvb_memory_has_piece(void)
{
    bool due = is_due();
    if (due) {
        kvb_memory_note_failure();
    }
    return !due;
}

unsigned long kvb_memory_failures(void)
{
    return atomic_load(&failures);
}

void kvb_memory_note_failure(void)
{
    (void)atomic_fetch_add(&failures, 1);
}

void kvb_free(void *memory)
{
    free(memory);
}

static unsigned long set_failure(unsigned long n, bool once)
{
    unsigned long left = calls_until_failure;
    calls_until_failure = n;
    fails_once = once;
    return left;
}

unsigned long kvb_memory_fail_after(unsigned long n)
{
    return set_failure(n, false);
}

unsigned long kvb_memory_fail_once(unsigned long n)
{
    return set_failure(n, true);
}
