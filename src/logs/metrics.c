// What a running server's own figures say of its KV cache, and when a growing series fills the card.
#include <kvbudget/units.h>

#include "logs/explain.h"

#define NEARLY_FULL_PPM 900000

static int64_t value_of(const struct kvb_log_report *report, enum kvb_observation what)
{
    return report->observed[what].set ? report->observed[what].value : 0;
}

const char *kvb_log_metrics_say(const struct kvb_log_report *report)
{
    bool usage_known = report->observed[KVB_OBS_KV_USAGE].set;
    bool full = usage_known && value_of(report, KVB_OBS_KV_USAGE) >= NEARLY_FULL_PPM;
    if (!report->has_metrics || (!usage_known && !report->observed[KVB_OBS_RUNNING].set)) {
        return NULL;
    }
    if (value_of(report, KVB_OBS_PREEMPTIONS) > 0) {
        return "requests were preempted since the start: the KV cache is too small for what ran at once (fewer "
               "sequences, an fp8 cache or a higher utilization)";
    }
    if (value_of(report, KVB_OBS_WAITING) > 0) {
        return full ? "requests wait and the KV cache is nearly full: it is too small for this load"
                    : "requests wait although the KV cache has room: max-num-seqs or max-num-batched-tokens holds them "
                      "back, not memory";
    }
    return full ? "the KV cache is nearly full; nothing waits yet" : "the KV cache has room for more than runs now";
}

bool kvb_log_series_left(const struct kvb_log_series *series, int64_t *seconds)
{
    const int64_t mib = (int64_t)KVB_MIB;
    int64_t growth = series->growth_bytes_per_hour / mib;
    if (!series->has_growth || growth <= 0 || series->free_bytes <= 0) {
        return false;
    }
    *seconds = series->free_bytes / mib * 3600 / growth;
    return true;
}
