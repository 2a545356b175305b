// Planned and logged figures of every run, and the groups it belongs to, as CSV.
#include "rows.h"

#include "groups.h"

static const char *const copied[] = {"id", "source", "half", "fed", "compile_cache", "estimate_gib", "graphs_gib"};

static void planned(struct kvb_buffer *out, const struct run *run)
{
    for (uint32_t item = 0; item < KVB_ITEM_COUNT; item++) {
        if (run->answered) {
            kvb_buffer_printf(out, ",%lld", (long long)run->items[item].bytes);
        } else {
            kvb_buffer_add(out, ",");
        }
    }
}

static void line(struct kvb_buffer *out, const struct run *run)
{
    for (size_t i = 0; i < sizeof copied / sizeof copied[0]; i++) {
        kvb_buffer_printf(out, "\"%s\",", run_cell(run, copied[i]));
    }
    kvb_buffer_printf(out, "\"%s\",\"%s\",\"%s\",%d,%d,%s,%s", group_era(run), group_card_class(run), group_kind(run),
                      run->answered, run->starts, run->answered ? kvb_verdict_name(run->verdict) : "",
                      run->answered && run->refusal != NULL ? run->refusal : "");
    planned(out, run);
    for (enum figure figure = 0; figure < FIGURE_COUNT; figure++) {
        const struct reading *reading = &run->figures[figure];
        if (reading->known) {
            kvb_buffer_printf(out, ",%lld,%lld", (long long)reading->predicted, (long long)reading->logged_value);
        } else {
            kvb_buffer_add(out, ",,");
        }
    }
    kvb_buffer_printf(out, ",%lld,%lld,%d", (long long)run->pool_low, (long long)run->pool_high, run->inside);
    for (uint32_t axis = 0; axis < KVB_RESIDUAL_AXES; axis++) {
        kvb_buffer_printf(out, ",%s", run->answered ? run->residual_groups[axis] : "");
    }
    kvb_buffer_printf(out, ",%llu,%llu,%d\n", (unsigned long long)run->margin_below,
                      (unsigned long long)run->margin_above, run->fork);
}

void rows_write(struct kvb_buffer *out, const struct record *record)
{
    for (size_t i = 0; i < sizeof copied / sizeof copied[0]; i++) {
        kvb_buffer_printf(out, "%s,", copied[i]);
    }
    kvb_buffer_add(
        out, "era,class,kind,answered,starts,verdict,refusal,weights,activation,non_torch,graphs,reserved,other,cache");
    for (enum figure figure = 0; figure < FIGURE_COUNT; figure++) {
        kvb_buffer_printf(out, ",planned %s,logged %s", figure_rows[figure].label, figure_rows[figure].label);
    }
    kvb_buffer_add(out, ",low,high,inside,era_group,card_group,kind_group,margin_below,margin_above,fork\n");
    for (size_t i = 0; i < record->run_count; i++) {
        line(out, &record->runs[i]);
    }
}
