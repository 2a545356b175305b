// Room for structs too large for a small stack: no public call takes more than 64 KiB of it.
#ifndef KVB_BASE_ROOM_H
#define KVB_BASE_ROOM_H

#include <kvbudget/problem.h>

// Zeroes, given back with kvb_free. NULL: a problem was added, and the status is KVB_NO_MEMORY.
void *kvb_room(size_t size, struct kvb_problems *problems);
void *kvb_bare_room(size_t size, struct kvb_problems *problems); // whatever stood there before

#endif
