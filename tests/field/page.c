// The page as a whole, its introduction, and cells that several tables use.
#include "page.h"

#include <string.h>

static const char introduction[] =
    "# Accuracy: what was predicted before launch, and what the log then said\n"
    "\n"
    "Made by `scripts/accuracy` from `tests/field/runs.csv` and `tests/field/failures.csv`: facts of starts that\n"
    "other people published. A test fails when this page no longer says what the tool says, another when a figure\n"
    "falls below its floor in `tests/field/floors.csv`. A run whose data is wrong or incomplete stays in, and its\n"
    "note says so. [record.md](record.md) says how to add one.\n"
    "\n"
    "What the engine's code does not say (memory outside torch, hidden tensors alive in a layer, the size of a graph)\n"
    "is measured on logs. A run that fed such a figure names it in the column `fed`, and is no test of it: the runs\n"
    "that fed nothing come first and are the ones to judge by.\n"
    "\n"
    "Each run is planned as `kvbudget plan` would have done before it started, from model, GPU, release and settings\n"
    "alone, and each figure its log prints is compared. Errors are absolute, in percent of what was logged; a pool\n"
    "under 1 GiB is measured against 1 GiB. In every cell of a table the prediction comes first, then the logged\n"
    "figure. V0 prints blocks; its tokens are 16 times those. A model that is not built in is planned as one of the\n"
    "same shape where there is one, and the table says which.\n";

struct record record_half(const struct record *record, bool fed)
{
    struct record half = *record;
    half.runs = fed ? record->runs + record->unfed_count : record->runs;
    half.run_count = fed ? record->run_count - record->unfed_count - record->fork_count : record->unfed_count;
    half.unfed_count = fed ? 0 : record->unfed_count;
    half.fork_count = 0;
    return half;
}

struct record record_forks(const struct record *record)
{
    struct record forks = *record;
    forks.runs = record->runs + (record->run_count - record->fork_count);
    forks.run_count = record->fork_count;
    forks.unfed_count = 0;
    return forks;
}

void page_cell(struct kvb_buffer *out, const char *text)
{
    if (text[0] == '\0') {
        kvb_buffer_add(out, "-");
    }
    for (; *text != '\0'; text++) {
        kvb_buffer_printf(out, *text == '|' ? "\\%c" : "%c", *text);
    }
}

void page_percent(struct kvb_buffer *out, uint64_t hundredths)
{
    char text[32];
    kvb_buffer_printf(out, "%s %%", format_hundredths(text, hundredths));
}

void page_id(struct kvb_buffer *out, const struct run *run)
{
    kvb_buffer_printf(out, "[%s](%s)", run_cell(run, "id"), run_cell(run, "source"));
}

void page_model(struct kvb_buffer *out, const struct run *run)
{
    const char *shape = run_cell(run, "shape");
    kvb_buffer_add(out, run_cell(run, "model"));
    if (shape[0] != '\0') {
        kvb_buffer_printf(out, " (as %s)", shape);
    }
}

void page_write(struct kvb_buffer *out, const struct record *record)
{
    struct record unfed = record_half(record, false), fed = record_half(record, true);
    struct record forks = record_forks(record);
    kvb_buffer_add(out, introduction);
    kvb_buffer_add(out, "\n## Runs that fed nothing\n");
    page_summary(out, &unfed);
    page_alike(out, &unfed);
    kvb_buffer_add(out, "\nIn the tables below: median and worst error, and how many runs were compared.\n");
    page_groups(out, &unfed);
    page_peer(out, record);
    kvb_buffer_add(out, "\n## Runs that fed a figure\n\nNo test of what they fed; of the rest they are.\n");
    page_summary(out, &fed);
    kvb_buffer_add(
        out,
        "\n## Runs of forks\n\nAn engine whose version has a label of its own (`0.20.2+glmkimirebase20260514`, "
        "neither a commit's `+g...` nor a\nplatform's), that names a tree with changes (`+g....d20260717`) or that "
        "loads a plugin which keeps the cache otherwise\nruns code that no release has. Such starts are planned as "
        "the release that they were made from, listed with all others,\nand in neither half.\n");
    page_summary(out, &forks);
    page_misses(out, record);
    page_failures(out, record);
    page_more_groups(out, record);
    page_runs(out, record);
}
