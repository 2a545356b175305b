// The page as a whole, its introduction, and cells that several tables use.
#include "page.h"

#include <string.h>

static const char introduction[] =
    "# Accuracy: what was predicted before launch, and what the log then said\n"
    "\n"
    "Made by `scripts/accuracy` from `tests/field/runs.csv` and `tests/field/failures.csv`: facts of starts that\n"
    "other people published. A test fails when this page no longer says what the tool says. A run whose data is wrong\n"
    "or incomplete stays in, and its note says so.\n"
    "\n"
    "What the engine's code does not say (bytes a logit at the sampler's peak, hidden tensors alive in a layer, "
    "memory\n"
    "outside torch) was once measured on logs, many of them H100 runs of 0.19 that are listed here too. Read those "
    "rows\n"
    "as a check, and the others as a test.\n"
    "\n"
    "Each run is planned as `kvbudget plan` would have done before it started, from model, GPU, release and settings\n"
    "alone, and each figure its log prints is compared. Errors are absolute, in percent of what was logged; a pool\n"
    "under 1 GiB is measured against 1 GiB. In every cell of a table the prediction comes first, then the logged\n"
    "figure. V0 prints blocks; its tokens are 16 times those. A model that is not built in is planned as one of the\n"
    "same shape where there is one, and the table says which.\n";

void page_cell(struct kvb_buffer *out, const char *text)
{
    if (text[0] == '\0') {
        kvb_buffer_add(out, "-");
    }
    for (; *text != '\0'; text++) {
        kvb_buffer_printf(out, *text == '|' ? "\\%c" : "%c", *text);
    }
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
    kvb_buffer_add(out, introduction);
    page_summary(out, record);
    page_misses(out, record);
    page_groups(out, record);
    page_failures(out, record);
    page_runs(out, record);
}
