// The same figures beside those of the one peer that publishes any.
#include <string.h>

#include "page.h"
#include "statistics.h"

// llm-d planner's own report on its campaign of 54 starts on H100, vLLM 0.19.0: predicted and measured values of
// each start are printed there, and these are the means of the absolute differences.
static const struct {
    enum figure figure;
    const char *peer_mean;
} rows[] = {
    {FIGURE_WEIGHTS, "0.89 %"},
    {FIGURE_ACTIVATION, "195 %"},
    {FIGURE_POOL, "6.62 %"},
    {FIGURE_CONCURRENCY, "15.34 %"},
};
#define CAMPAIGN "llm-d-planner/blob/d3121e059da88662db39a926a3ead964be97359b/accuracy/results/v0.19.0"

static bool of_campaign(const struct run *run)
{
    return strstr(run_cell(run, "source"), CAMPAIGN) != NULL;
}

// Mean error of the runs that are of the campaign, or of those that are not.
static void mean(struct kvb_buffer *out, const struct record *record, enum figure figure, bool campaign)
{
    struct sample sample = {.count = 0};
    for (size_t i = 0; i < record->run_count; i++) {
        const struct run *run = &record->runs[i];
        if (run->figures[figure].known && of_campaign(run) == campaign) {
            sample_add(&sample, run->figures[figure].error);
        }
    }
    if (sample.count == 0) {
        kvb_buffer_add(out, " - |");
        return;
    }
    kvb_buffer_add(out, " ");
    page_percent(out, sample_mean(&sample));
    kvb_buffer_printf(out, " (%zu) |", sample.count);
}

void page_peer(struct kvb_buffer *out, const struct record *record)
{
    struct record unfed = record_half(record, false);
    kvb_buffer_add(
        out, "\n## Beside a peer\n\nOf all calculators known to us one publishes what it predicted beside what "
             "was then measured:\n[llm-d planner](https://github.com/llm-d-incubation/llm-d-planner), 54 starts "
             "on H100 under vLLM 0.19.0. Its headline is the mean\nof signed errors, in which they cancel; here "
             "are means of absolute ones. The logs of that campaign fed figures\nof ours, so the last column is "
             "the fairer one, though its runs are of every card and release.\n\n"
             "| figure | llm-d planner, its campaign | kvbudget, the same logs | kvbudget, runs that fed nothing |\n"
             "|---|--:|--:|--:|\n");
    for (size_t i = 0; i < sizeof rows / sizeof rows[0]; i++) {
        kvb_buffer_printf(out, "| %s | %s |", figure_rows[rows[i].figure].label, rows[i].peer_mean);
        mean(out, record, rows[i].figure, true);
        mean(out, &unfed, rows[i].figure, false);
        kvb_buffer_add(out, "\n");
    }
}
