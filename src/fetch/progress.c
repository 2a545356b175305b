// One line on a terminal that is written over, when it takes longer than half a second.
#include <stdio.h>
#include <string.h>
#include <unistd.h>

#include "fetch/fetch.h"
#include "text/descriptor.h"

#define SILENT_MS 500
#define EVERY_MS 100

void fetch_progress_show(struct fetch_run *run)
{
    char line[160];
    uint64_t now = fetch_now_ms();
    if (!run->progress || now - run->started_ms < SILENT_MS || now < run->progress_next_ms) {
        return;
    }
    run->progress_next_ms = now + EVERY_MS;
    int length = snprintf(line, sizeof line, "\r\033[Kfetching %.60s: %u of %u requests, %llu.%llu MB",
                          run->target.repository, (unsigned)run->jobs_done, (unsigned)run->jobs_all,
                          (unsigned long long)(run->bytes / 1000000), (unsigned long long)(run->bytes / 100000 % 10));
    run->progress_shown = length > 0 && kvb_descriptor_write(STDERR_FILENO, line, strlen(line));
}

void fetch_progress_clear(struct fetch_run *run)
{
    if (run->progress_shown) {
        (void)kvb_descriptor_write(STDERR_FILENO, "\r\033[K", 4);
    }
}
