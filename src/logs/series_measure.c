// What a series of one GPU comes to: peak, jump, steady level and growth.
#include <stdlib.h>

#include "base/checked.h"
#include "logs/series.h"

// Of at least one.
static int64_t median(const struct kvb_series_point *points, uint32_t count)
{
    int64_t sorted[KVB_SERIES_POINTS];
    for (uint32_t i = 0; i < count; i++) {
        uint32_t at = i;
        for (; at > 0 && sorted[at - 1] > points[i].used_mib; at--) {
            sorted[at] = sorted[at - 1];
        }
        sorted[at] = points[i].used_mib;
    }
    return sorted[count / 2];
}

// Seconds of all points from `from` on, forwards and backwards: clocks are set, and files are put together.
static int64_t reach_of(const struct kvb_series_gpu *gpu, uint32_t from)
{
    int64_t reach = 0;
    for (uint32_t i = from; i < gpu->count; i++) {
        int64_t apart = llabs(gpu->points[i].second - gpu->points[from].second);
        reach = (int64_t)kvb_max((uint64_t)apart, (uint64_t)reach);
    }
    return reach;
}

// MiB per hour by least squares over the points from `from` on.
static int64_t growth_per_hour(const struct kvb_series_gpu *gpu, uint32_t from)
{
    int64_t n = (int64_t)gpu->count - from;
    int64_t origin = gpu->points[from].second;
    int64_t sum_t = 0;
    int64_t sum_y = 0;
    int64_t sum_tt = 0;
    int64_t sum_ty = 0;
    int64_t step =
        reach_of(gpu, from) / 4096 + 1; // seconds to a unit: with a terabyte at most the sums stay inside 64 bits
    for (uint32_t i = from; i < gpu->count; i++) {
        int64_t t = (gpu->points[i].second - origin) / step;
        int64_t y = gpu->points[i].used_mib;
        sum_t += t;
        sum_y += y;
        sum_tt += t * t;
        sum_ty += t * y;
    }
    int64_t below = n * sum_tt - sum_t * sum_t;
    return below > 0 ? (n * sum_ty - sum_t * sum_y) * 3600 / step / below : 0;
}

// The highest of each stretch, so that no peak is lost.
static void thin_points(const struct kvb_series *series, const struct kvb_series_gpu *gpu, struct kvb_log_series *out)
{
    uint32_t stretch = (gpu->count + KVB_LOG_POINTS - 1) / KVB_LOG_POINTS;
    for (uint32_t from = 0; from < gpu->count; from += stretch) {
        uint32_t highest = from;
        for (uint32_t i = from; i < from + stretch && i < gpu->count; i++) {
            highest = gpu->points[i].used_mib > gpu->points[highest].used_mib ? i : highest;
        }
        out->points[out->point_count].second =
            series->has_time ? gpu->points[highest].second - gpu->points[0].second : (int64_t)highest * gpu->stride;
        out->points[out->point_count++].used_bytes = gpu->points[highest].used_mib * (INT64_C(1) << 20);
    }
}

void kvb_series_measure(const struct kvb_series *series, uint32_t index, struct kvb_log_series *out)
{
    const struct kvb_series_gpu *gpu = &series->gpus[index];
    uint32_t jump_at = 0;
    int64_t jump = 0;
    for (uint32_t i = 1; i < gpu->count; i++) {
        int64_t rise = gpu->points[i].used_mib - gpu->points[i - 1].used_mib;
        if (rise > jump) {
            jump = rise;
            jump_at = i;
        }
    }
    uint32_t steady = (uint32_t)kvb_max(gpu->count / 2, jump_at);
    const int64_t mib = INT64_C(1) << 20;
    out->gpu = index;
    out->samples = gpu->samples;
    out->has_time = series->has_time;
    out->seconds = series->has_time ? gpu->last_second - gpu->points[0].second : 0;
    out->first_bytes = gpu->points[0].used_mib * mib;
    out->peak_bytes = gpu->peak_mib * mib;
    out->last_bytes = gpu->last_mib * mib;
    out->steady_bytes = median(gpu->points + steady, gpu->count - steady) * mib;
    out->jump_bytes = jump * mib;
    out->free_bytes = gpu->free_mib * mib;
    out->total_bytes =
        gpu->total_mib != 0 ? gpu->total_mib * mib : (gpu->free_mib + gpu->last_mib) * (gpu->free_mib != 0) * mib;
    thin_points(series, gpu, out);
    bool long_enough =
        series->has_time && gpu->count - steady >= 4 && gpu->last_second - gpu->points[steady].second >= 60;
    out->has_growth = long_enough;
    out->growth_bytes_per_hour = long_enough ? growth_per_hour(gpu, steady) * mib : 0;
}
