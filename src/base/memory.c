// Allocation with one test hook, the only non-constant global of the project.
#include "base/memory.h"

#include <stdlib.h>

// 0: off; 1: the next call fails and the count stays there.
static unsigned long calls_until_failure;

void *kvb_reallocate(void *old, size_t size)
{
    if (calls_until_failure == 1) {
        return NULL;
    }
    if (calls_until_failure > 1) {
        calls_until_failure--;
    }
    return realloc(old, size);
}

void kvb_free(void *memory)
{
    free(memory);
}

void kvb_memory_fail_after(unsigned long n)
{
    calls_until_failure = n;
}
