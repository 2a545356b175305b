// Allocation with one test hook and one note of failure, the only non-constant globals of the project.
#include "base/memory.h"

#include <stdatomic.h>
#include <stdlib.h>

static atomic_bool ran_out; // only ever set

// 0: off; 1: the next call fails and the count stays there.
static unsigned long calls_until_failure;

void *kvb_reallocate(void *old, size_t size)
{
    void *memory = calls_until_failure == 1 ? NULL : realloc(old, size);
    if (calls_until_failure > 1) {
        calls_until_failure--;
    }
    if (memory == NULL) {
        kvb_memory_note_failure();
    }
    return memory;
}

bool kvb_memory_ran_out(void)
{
    return atomic_load(&ran_out);
}

void kvb_memory_note_failure(void)
{
    atomic_store(&ran_out, true);
}

void kvb_free(void *memory)
{
    free(memory);
}

void kvb_memory_fail_after(unsigned long n)
{
    calls_until_failure = n;
}
