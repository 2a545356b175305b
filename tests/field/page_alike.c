// How far starts lie apart whose sources say the same of them: no prediction from those facts alone is nearer.
#include <string.h>

#include "page.h"
#include "statistics.h"

// All that a plan is made from.
static const char *const said[] = {"model", "shape", "engine",      "gpu",      "gpu_memory", "gpu_free",
                                   "other", "usage", "environment", "platform", "settings",   "compile_cache"};

static int64_t pool_of(const struct run *run)
{
    const struct reading *reading = &run->figures[FIGURE_POOL];
    return reading->logged && !run->refused ? reading->logged_value : 0;
}

static bool alike(const struct run *run, const struct run *other)
{
    for (size_t i = 0; i < sizeof said / sizeof said[0]; i++) {
        if (strcmp(run_cell(run, said[i]), run_cell(other, said[i])) != 0) {
            return false;
        }
    }
    return true;
}

// Pools of the runs alike `run`, itself among them. False: one of them came earlier in the record.
static bool pools_alike(const struct record *record, size_t run, struct sample *pools)
{
    pools->count = 0;
    for (size_t i = 0; i < record->run_count; i++) {
        if (pool_of(&record->runs[i]) <= 0 || !alike(&record->runs[run], &record->runs[i])) {
            continue;
        }
        if (i < run) {
            return false;
        }
        sample_add(pools, (uint64_t)pool_of(&record->runs[i]));
    }
    return pools->count > 1;
}

static uint64_t apart(uint64_t pool, uint64_t middle)
{
    uint64_t distance = pool > middle ? pool - middle : middle - pool;
    uint64_t floor = (uint64_t)figure_rows[FIGURE_POOL].floor;
    return distance * 10000 / (pool > floor ? pool : floor);
}

void page_alike(struct kvb_buffer *out, const struct record *record)
{
    struct sample pools = {.count = 0}, errors = {.count = 0};
    size_t groups = 0;
    for (size_t i = 0; i < record->run_count; i++) {
        if (pool_of(&record->runs[i]) <= 0 || !pools_alike(record, i, &pools)) {
            continue;
        }
        pools.sorted = false;
        uint64_t middle = (sample_quantile(&pools, 1) + sample_worst(&pools)) / 2;
        groups++;
        for (size_t j = 0; j < pools.count; j++) {
            sample_add(&errors, apart(pools.values[j], middle));
        }
    }
    kvb_buffer_printf(out,
                      "\nHow near one can come: of %zu of these starts the sources say the same as of another (model, "
                      "engine, card, every\nsetting, and what they say of compiled graphs found); they are %zu groups. "
                      "Their pools lie ",
                      errors.count, groups);
    page_percent(out, sample_quantile(&errors, 500));
    kvb_buffer_add(out, " from the middle of\ntheir group at the median, ");
    page_percent(out, sample_mean(&errors));
    kvb_buffer_add(out, " in the mean and ");
    page_percent(out, sample_quantile(&errors, 900));
    kvb_buffer_add(out, " at p90, and who knows no more than that cannot come nearer\nthan the middle. What sets them "
                        "apart is what no source says: another process on the card, pages that the host gives\nback "
                        "while the engine measures, what a build was made with.\n");
}
