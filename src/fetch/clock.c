// Milliseconds that only grow.
#include <time.h>

#include "fetch/fetch.h"

uint64_t fetch_now_ms(void)
{
    struct timespec now;
    (void)clock_gettime(CLOCK_MONOTONIC, &now);
    return (uint64_t)now.tv_sec * 1000 + (uint64_t)now.tv_nsec / 1000000;
}
