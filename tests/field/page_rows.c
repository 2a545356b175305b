// All rows: the starts that failed, and every run.
#include <string.h>

#include "page.h"

// Kinds of failure that the engine's own check decides, and so the plan must foresee.
static bool is_judged(const struct run *run)
{
    static const char *const kinds[] = {"negative_kv", "not_enough_for_max_len", "free_less_than_requested",
                                        "too_few_state_blocks"};
    for (size_t i = 0; i < sizeof kinds / sizeof kinds[0]; i++) {
        if (strcmp(run_cell(run, "kind"), kinds[i]) == 0) {
            return !run->fork;
        }
    }
    return false;
}

static const char *verdict(const struct run *run)
{
    if (!run->answered) {
        return "no answer";
    }
    return !run->starts ? "does not start" : run->verdict == KVB_TIGHT ? "starts, tight" : "starts";
}

static void needed(struct kvb_buffer *out, const struct run *run)
{
    const char *logged = run_cell(run, "needed_gib");
    char text[32];
    if (logged[0] == '\0' || !run->answered) {
        page_cell(out, logged);
        return;
    }
    kvb_buffer_printf(out, "%s / %s", kvb_format_gib(text, (int64_t)run->needed_bytes, 2), logged);
}

static void figure_cell(struct kvb_buffer *out, const struct run *run, enum figure figure)
{
    const struct reading *reading = &run->figures[figure];
    char predicted[32], logged[32];
    if (!reading->logged) {
        kvb_buffer_add(out, " - |");
        return;
    }
    kvb_buffer_printf(out, " %s / %s |", reading->known ? format_figure(predicted, figure, reading->predicted) : "?",
                      format_figure(logged, figure, reading->logged_value));
}

static void surroundings(struct kvb_buffer *out, const struct run *run)
{
    const char *version = strchr(run_cell(run, "engine"), '@');
    const char *gpu = run_cell(run, "gpu");
    kvb_buffer_add(out, "| ");
    page_id(out, run);
    kvb_buffer_add(out, " | ");
    page_model(out, run);
    kvb_buffer_printf(out, " | %s | ", version + 1);
    page_cell(out, gpu[0] != '\0' ? gpu : run_cell(run, "gpu_memory"));
    kvb_buffer_add(out, " |");
}

static void failure_line(struct kvb_buffer *out, const struct run *run)
{
    surroundings(out, run);
    kvb_buffer_printf(out, " %s | %s | ", run_cell(run, "kind"), verdict(run));
    needed(out, run);
    kvb_buffer_add(out, " |");
    figure_cell(out, run, FIGURE_POOL);
    kvb_buffer_add(out, " ");
    page_cell(out, run->answered ? run_cell(run, "note") : run->why_not);
    kvb_buffer_add(out, " |\n");
}

void failures_foreseen(const struct record *record, size_t *judged, size_t *foreseen)
{
    *judged = *foreseen = 0;
    for (size_t i = 0; i < record->failure_count; i++) {
        const struct run *run = &record->failures[i];
        *judged += is_judged(run);
        *foreseen += is_judged(run) && run->answered && !run->starts;
    }
}

// Not foreseen, yet the bound of the pool reaches below the need.
static size_t failures_tight(const struct record *record)
{
    size_t tight = 0;
    for (size_t i = 0; i < record->failure_count; i++) {
        const struct run *run = &record->failures[i];
        tight += is_judged(run) && run->answered && run->starts && run->verdict == KVB_TIGHT;
    }
    return tight;
}

void page_failures(struct kvb_buffer *out, const struct record *record)
{
    size_t judged, foreseen;
    failures_foreseen(record, &judged, &foreseen);
    kvb_buffer_printf(
        out,
        "\n## Starts that failed\n\nOf %zu starts that the engine's own check refused, %zu were foreseen; %zu of the "
        "others "
        "were said to start and to be tight: the low\nend of the bound does not hold one request. "
        "Starts that ran out of memory while\nloading, profiling or capturing are listed too, and not "
        "counted: no check of the engine decides them; nor are those of forks. A model known by its name alone is "
        "judged by the\nverdict that "
        "is given for the name.\n\n"
        "| start | model | release | GPU | failed by | predicted | needed KV, GiB | pool, GiB | note |\n"
        "|---|---|---|---|---|---|--:|--:|---|\n",
        judged, foreseen, failures_tight(record));
    for (size_t i = 0; i < record->failure_count; i++) {
        failure_line(out, &record->failures[i]);
    }
}

void page_runs(struct kvb_buffer *out, const struct record *record)
{
    kvb_buffer_add(out, "\n## All runs\n\nPredicted / logged; sizes in GiB.\n\n| run | model | release | GPU | weights "
                        "| activation | non-torch | KV pool | KV tokens | concurrency | fed | note |\n"
                        "|---|---|---|---|--:|--:|--:|--:|--:|--:|---|---|\n");
    for (size_t i = 0; i < record->run_count; i++) {
        const struct run *run = &record->runs[i];
        static const enum figure order[] = {FIGURE_WEIGHTS, FIGURE_ACTIVATION, FIGURE_NON_TORCH,
                                            FIGURE_POOL,    FIGURE_TOKENS,     FIGURE_CONCURRENCY};
        surroundings(out, run);
        for (size_t j = 0; j < sizeof order / sizeof order[0]; j++) {
            figure_cell(out, run, order[j]);
        }
        kvb_buffer_add(out, " ");
        page_cell(out, run_cell(run, "fed"));
        kvb_buffer_add(out, " | ");
        page_cell(out, run_cell(run, "note"));
        kvb_buffer_add(out, " |\n");
    }
}
