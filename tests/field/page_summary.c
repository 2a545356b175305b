// Errors of every figure over one half of the record.
#include "page.h"
#include "statistics.h"

static void summarise_figure(struct kvb_buffer *out, const struct record *record, enum figure figure)
{
    struct sample sample = {.count = 0};
    size_t logged = 0;
    for (size_t i = 0; i < record->run_count; i++) {
        const struct reading *reading = &record->runs[i].figures[figure];
        logged += reading->logged;
        if (reading->known) {
            sample_add(&sample, reading->error);
        }
    }
    kvb_buffer_printf(out, "| %s | %zu | %zu | ", figure_rows[figure].label, logged, sample.count);
    page_percent(out, sample_quantile(&sample, 500));
    kvb_buffer_add(out, " | ");
    page_percent(out, sample_mean(&sample));
    kvb_buffer_add(out, " | ");
    page_percent(out, sample_quantile(&sample, 900));
    kvb_buffer_add(out, " | ");
    page_percent(out, sample_worst(&sample));
    kvb_buffer_add(out, " |\n");
}

static void summarise_non_torch(struct kvb_buffer *out, const struct record *record)
{
    struct sample sample = {.count = 0};
    for (size_t i = 0; i < record->run_count; i++) {
        const struct reading *reading = &record->runs[i].figures[FIGURE_NON_TORCH];
        if (reading->known) {
            int64_t apart = reading->predicted - reading->logged_value;
            sample_add(&sample, (uint64_t)(apart < 0 ? -apart : apart) / KVB_MIB);
        }
    }
    kvb_buffer_printf(out,
                      "\nNon-torch memory, too small a figure to be judged in percent: %zu runs, %llu MiB apart at the "
                      "median, %llu MiB at worst.\n",
                      sample.count, (unsigned long long)sample_quantile(&sample, 500),
                      (unsigned long long)sample_worst(&sample));
}

static void summarise_bounds(struct kvb_buffer *out, const struct record *record)
{
    struct sample all = {.count = 0}, text = {.count = 0};
    size_t inside = 0;
    char width[32], text_width[32];
    for (size_t i = 0; i < record->run_count; i++) {
        const struct run *run = &record->runs[i];
        if (!run->bounded) {
            continue;
        }
        inside += run->inside;
        sample_add(&all, run->half_width);
        if (!run->encoder) {
            sample_add(&text, run->half_width);
        }
    }
    kvb_buffer_printf(out,
                      "\nThe bound holds %zu of %zu logged pools (%s %%). Its half-width is %s %% of the pool at the "
                      "median, %s %% for text models.\n",
                      inside, all.count,
                      format_hundredths((char[32]){0}, all.count == 0 ? 0 : inside * 10000 / all.count),
                      format_hundredths(width, sample_quantile(&all, 500)),
                      format_hundredths(text_width, sample_quantile(&text, 500)));
}

void page_summary(struct kvb_buffer *out, const struct record *record)
{
    size_t answered = 0, refused = 0, starts = 0;
    for (size_t i = 0; i < record->run_count; i++) {
        const struct run *run = &record->runs[i];
        answered += run->answered;
        refused += run->answered && run->refused;
        starts += run->starts && !run->refused;
    }
    kvb_buffer_printf(out, "\n%zu runs, %zu answered. The engine gave all of them a pool", record->run_count, answered);
    if (refused > 0) {
        kvb_buffer_printf(out, " and refused %zu of them after that", refused);
    }
    kvb_buffer_printf(out, "; %zu of the other %zu were predicted to start.\n\n", starts, answered - refused);
    kvb_buffer_add(out, "| figure | logged | compared | median | mean | p90 | worst |\n"
                        "|---|--:|--:|--:|--:|--:|--:|\n");
    for (enum figure figure = 0; figure < FIGURE_JUDGED; figure++) {
        summarise_figure(out, record, figure);
    }
    summarise_non_torch(out, record);
    summarise_bounds(out, record);
}
