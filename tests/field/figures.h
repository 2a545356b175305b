// What is compared: the figures of a run, predicted and logged, and how far apart they are.
#ifndef FIELD_FIGURES_H
#define FIELD_FIGURES_H

#include "engines/vllm/residual.h"

#include "question.h"

enum figure {
    FIGURE_WEIGHTS,
    FIGURE_ACTIVATION,
    FIGURE_POOL,
    FIGURE_TOKENS,
    FIGURE_CONCURRENCY,
    FIGURE_NON_TORCH, // shown, and summed up in bytes: a share of so small a figure says little
    FIGURE_COUNT
};
#define FIGURE_JUDGED FIGURE_NON_TORCH // the figures before it are judged in percent

enum figure_unit { FIGURE_BYTES, FIGURE_TOKEN_COUNT, FIGURE_HUNDREDTHS };
struct figure_row {
    const char *label;
    const char *column; // of the table
    enum figure_unit unit;
    int64_t floor; // errors are measured against at least this much
};
extern const struct figure_row figure_rows[FIGURE_COUNT];

struct reading {
    bool logged, known; // known: predicted and logged
    int64_t logged_value, predicted;
    uint64_t error; // hundredths of a percent of what was logged, never signed
};

struct run {
    const struct table *table;
    size_t row;
    uint32_t release;
    bool answered, starts, v0, encoder;
    bool fed;         // some constant in the code was taken from it
    bool fork;        // of an engine with code that no release has, by the label of its version
    bool refused;     // the engine's own check ended it after its figures were printed: failures.csv has this start
    const char *kind; // of model, for the table by kind
    char why_not[KVB_PROBLEM_TEXT_CAPACITY];
    struct reading figures[FIGURE_COUNT];
    int64_t pool_low, pool_high;
    bool bounded, inside; // a logged pool, within the bound
    uint64_t half_width;  // of the bound, hundredths of a percent of the likely pool
    uint64_t needed_bytes;
    enum kvb_verdict verdict;
    const char *refusal; // the rule that refuses it when it is not about memory, or NULL
    struct kvb_term items[KVB_ITEM_COUNT]; // of the plan
    const char *residual_groups[KVB_RESIDUAL_AXES];
    uint64_t margin_below, margin_above; // of the pool, before they are widened
};

// Plans the row and compares. False: a cell is no number, or names no constant (said on standard error).
bool run_measure(struct run *run, const struct table *table, size_t row, struct answer *answer);

const char *run_cell(const struct run *run, const char *column);
// "0.24", "12.50": two decimals of a number in hundredths.
char *format_hundredths(char out[32], uint64_t hundredths);
// A figure as people read it: GiB with two decimals, a count, or two decimals.
char *format_figure(char out[32], enum figure figure, int64_t value);
// "-0.70" GiB to bytes; false: not a number.
bool parse_gib_signed(const char *text, int64_t *bytes);

// "58.11" and "7.5" to hundredths; false: not a number.
bool parse_hundredths(const char *text, int64_t *hundredths);

#endif
