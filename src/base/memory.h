// The one way to allocate, so that a test can fail the n-th call.
#ifndef KVB_BASE_MEMORY_H
#define KVB_BASE_MEMORY_H

#include <stdbool.h>
#include <stddef.h>

void *kvb_reallocate(void *old, size_t size); // as realloc; size is never 0
void kvb_free(void *memory);

// How many allocations failed since the process began, here or in a library that said so: what was made while this
// grew may lack a part that nobody missed. Who makes an answer asks before and after, and calls none whole that grew
// it.
unsigned long kvb_memory_failures(void);
void kvb_memory_note_failure(void);

// Whether a piece may be taken of memory that was allocated before: true, but where a test lets it fail.
bool kvb_memory_has_piece(void);

// Test hooks: the n-th call that follows (1 = next) fails, and all after it or none; 0 switches it off. Both return
// how many were left of the count before.
unsigned long kvb_memory_fail_after(unsigned long n);
unsigned long kvb_memory_fail_once(unsigned long n);

#endif
