// One public start of SGLang: what its log says, and what the library says of it.
#ifndef FIELD_SGLANG_RUN_H
#define FIELD_SGLANG_RUN_H

#include <kvbudget/kvbudget.h>

#include "table.h"

struct run {
    const char *id, *source, *kind, *note;
    const char *half; // "" one of the folder the figures were first held against; "build" or "held": found later
    bool has_given, has_launch, has_fraction;
    bool refused;                   // it did not start
    bool has_graphs, graphs_inside; // what the log says of graphs, within the bound
    int64_t graphs_bytes, graphs_low_bytes, graphs_high_bytes;
    // what was free before and after loading is taken from the log
    int64_t given_pool_bytes, given_off_bytes;
    uint64_t given_tokens;
    // nothing is taken from the log
    bool answered, starts;
    bool doubtful; // it starts, but the lower bound of its pool is none
    char why_not[200];
    int64_t launch_pool_bytes;
    uint64_t launch_tokens, launch_hundredths; // how far off, in hundredths of a percent
    // as logged
    int64_t logged_pool_bytes;
    uint64_t logged_tokens;
    uint32_t fraction_thousandths, logged_fraction_thousandths;
};

// False when a cell is no number.
bool run_read(const struct table *table, size_t row, struct run *run);

#endif
