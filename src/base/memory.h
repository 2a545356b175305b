// The one way to allocate, so that a test can fail the n-th call.
#ifndef KVB_BASE_MEMORY_H
#define KVB_BASE_MEMORY_H

#include <stdbool.h>
#include <stddef.h>

void *kvb_reallocate(void *old, size_t size); // as realloc; size is never 0
void kvb_free(void *memory);

// Whether any allocation failed since the process began, here or in a library that said so: what was made since may
// lack a part that nobody missed. The tool asks before it calls an answer whole.
bool kvb_memory_ran_out(void);
void kvb_memory_note_failure(void);

// Test hook: the n-th following kvb_reallocate (1 = next) fails, and all after it; 0 switches it off.
void kvb_memory_fail_after(unsigned long n);

#endif
