// People think in GiB and the engine in fractions: the share that gives the KV cache a size.
#include <stdio.h>

#include "base/checked.h"
#include "budget/utilization.h"
#include "command/setting_flag.h"
#include "report/plan_report.h"
#include "report/safe_text.h"
#include "report/style.h"

#define WHOLE_PPM 1000000U

// 0: the engine sizes its cache otherwise.
static uint32_t share_for(const struct kvb_plan_report *report)
{
    uint32_t since, until;
    return kvb_engine_has(kvb_engine_of(report->plan), KVB_SET_GPU_MEMORY_UTILIZATION, &since, &until)
               ? kvb_utilization_for(report->budget, report->cache_wanted_bytes)
               : 0;
}

// What a hundredth of the share is.
static uint64_t hundredth_bytes(const struct kvb_budget *budget)
{
    return (budget->share_of_bytes > 0 ? budget->share_of_bytes : budget->memory_bytes) / 100;
}

void kvb_render_utilization_text(struct kvb_buffer *out, const struct kvb_plan_report *report)
{
    char flag[KVB_FLAG_CAPACITY], wanted[32], have[32], step[32], share[32], now[32], text[320];
    const struct kvb_budget *budget = report->budget;
    if (report->cache_wanted_bytes == 0) {
        return;
    }
    uint32_t ppm = share_for(report);
    kvb_style_heading(out, report->color, "In GiB");
    if (ppm == 0) {
        kvb_text_add_wrapped(out, "The KV cache is no share of the memory here.", 2, kvb_page_width(out));
        return;
    }
    const struct kvb_serve_flag *row =
        kvb_serve_flag_of(kvb_engine_of(report->plan), KVB_SET_GPU_MEMORY_UTILIZATION, 0);
    (void)snprintf(text, sizeof text, "%s %s gives the KV cache %s GiB%s. At %s it has %s GiB; 0.01 more is %s GiB.",
                   row != NULL ? kvb_serve_flag_name(flag, row) : "--gpu-memory-utilization",
                   kvb_format_ppm(share, ppm),
                   kvb_format_gib(wanted, (int64_t)kvb_min(report->cache_wanted_bytes, INT64_MAX), 2),
                   ppm > WHOLE_PPM                         ? ", which is more than there is"
                   : ppm > kvb_highest_utilization(budget) ? ", which leaves too little for what lives outside"
                                                           : "",
                   kvb_format_ppm(now, (uint32_t)budget->settings.values[KVB_SET_GPU_MEMORY_UTILIZATION].number),
                   kvb_format_gib(have, budget->items[KVB_ITEM_KV_CACHE].bytes, 2),
                   kvb_format_gib(step, (int64_t)hundredth_bytes(budget), 2));
    kvb_text_add_wrapped(out, text, 2, kvb_page_width(out));
}

void kvb_render_utilization_json(struct kvb_json *json, const struct kvb_plan_report *report)
{
    if (report->cache_wanted_bytes == 0) {
        return;
    }
    uint32_t ppm = share_for(report);
    kvb_json_open_object(json, "utilization_for");
    kvb_json_count(json, "kv_cache_bytes", report->cache_wanted_bytes);
    if (ppm > 0) {
        kvb_json_ppm(json, "utilization", ppm);
        kvb_json_count(json, "hundredth_bytes", hundredth_bytes(report->budget));
    } else {
        kvb_json_null(json, "utilization");
        kvb_json_null(json, "hundredth_bytes");
    }
    kvb_json_close_object(json);
}
