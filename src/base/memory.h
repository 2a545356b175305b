// The one way to allocate, so that a test can fail the n-th call.
#ifndef KVB_BASE_MEMORY_H
#define KVB_BASE_MEMORY_H

#include <stddef.h>

void *kvb_reallocate(void *old, size_t size); // as realloc; size is never 0
void kvb_free(void *memory);

// Test hook: the n-th following kvb_reallocate (1 = next) fails, and all after it; 0 switches it off.
void kvb_memory_fail_after(unsigned long n);

#endif
