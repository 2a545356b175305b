// What a command line says, as every command receives it.
#ifndef KVB_CLI_ARGUMENTS_H
#define KVB_CLI_ARGUMENTS_H

#include <stdbool.h>
#include <stddef.h>

#include <kvbudget/kvbudget.h>

enum format {
    FORMAT_TEXT,
    FORMAT_JSON,
    FORMAT_GITHUB,
    FORMAT_MARKDOWN,
    FORMAT_JUNIT,
    FORMAT_SARIF,
    FORMAT_JSONL,
    FORMAT_CSV,
    FORMAT_SVG,
    FORMAT_HTML,
    FORMAT_COUNT
};
enum color_mode { COLOR_AUTO, COLOR_ALWAYS, COLOR_NEVER };

// Bits of --show.
enum show { SHOW_FORMULAS = 1, SHOW_KV = 2, SHOW_WEIGHTS = 4, SHOW_ALL = 7 };

#define OPERANDS_MAX 256
#define LISTS_MAX 4

struct command_row;

// A text that a request brought along: it stands for the file of that name.
struct given_text {
    const char *name; // NULL: none
    const char *text;
    size_t length;
};

#define CONDITIONS_MAX 16

// A flag of sweep with its values as written.
struct varied {
    enum kvb_sweep_kind kind;
    enum kvb_setting setting;
    const char *text;
};

struct arguments {
    const struct command_row *command;
    unsigned long failures_before; // allocations that had failed when the question came
    const char *program;
    enum format format;
    enum color_mode color;
    bool quiet;
    bool all; // explain: every remedy; models: every model; plan: every card
    unsigned show;
    uint64_t cache_wanted_bytes;                    // --show utilization-for=SIZE; 0: not asked
    const char *against;                            // --against, or NULL
    const char *calibrate;                          // --calibrate, or NULL
    char devices[256];                              // GPUs chosen from a machine: "4", "0,1"; "" = none were
    char choice[2048];                              // why, and what each accepts
    const char *policy;                             // --policy, or NULL
    const char *append, *record_source, *record_id; // --append, --source, --id, or NULL
    bool init;                                      // check: write a policy
    bool expects;                                   // check: exactly `expected` deployments
    uint32_t expected;
    bool skip_others;        // files without a deployment are passed over
    bool offline;            // --offline
    bool online;             // check --online
    bool assumed_is_said;    // what is assumed stands in the answer itself
    bool answered;           // the answer is printed whatever the exit code
    struct given_text given; // in the place of a file among the operands
    bool names_model;        // the operand is a model's name, not a file
    int operand_count;
    const char *operands[OPERANDS_MAX];
    uint32_t list_count;
    char list_values[LISTS_MAX]
                    [512];       // numbers of list flags, joined by blanks: what is said of them outlives the reading
    struct kvb_models_wish wish; // models: which are asked about
    uint32_t varied_count, condition_count; // sweep
    struct varied varied[KVB_SWEEP_AXES_MAX];
    struct kvb_sweep_condition conditions[CONDITIONS_MAX];
    enum kvb_sweep_figure figure;
    bool frontier;
    struct kvb_question question;
    struct kvb_problems problems;
};

#endif
