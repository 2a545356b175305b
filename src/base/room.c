// Memory for what does not fit on a small stack.
#include "base/room.h"

#include <string.h>

#include "base/memory.h"

void *kvb_bare_room(size_t size, struct kvb_problems *problems)
{
    void *room = kvb_reallocate(NULL, size);
    if (room == NULL) {
        (void)kvb_problem_add(problems, KVB_ERROR, KVB_NO_MEMORY, (struct kvb_place){0}, "not enough memory");
    }
    return room;
}

void *kvb_room(size_t size, struct kvb_problems *problems)
{
    void *room = kvb_bare_room(size, problems);
    return room != NULL ? memset(room, 0, size) : NULL;
}
