// The command table: one row per command.
#ifndef KVB_CLI_COMMANDS_H
#define KVB_CLI_COMMANDS_H

#include <stdbool.h>
#include <stddef.h>

#include "base/buffer.h"
#include "cli/arguments.h"

// Which sets of flags a command takes; bits.
enum option_set {
    OPTIONS_OUTPUT = 1,     // --format, --json, --color, --quiet
    OPTIONS_DEPLOYMENT = 2, // model, GPU, engine, platform, environment, reserves
    OPTIONS_ENGINE = 4,     // the engine's flags
    OPTIONS_MACHINE = 64,   // --gpu-state
    OPTIONS_PLAN = 8,       // --show, --against
    OPTIONS_CHECK = 128,    // --policy, --skip-others
    OPTIONS_EXPLAIN = 256,  // --all
    OPTIONS_MODELS = 1024,  // --gpu-count, --family, --min-params, --task, --all
    OPTIONS_SWEEP = 2048,   // --vary, --figure, --where, --frontier
    OPTIONS_RECORD = 512    // --append, --source, --id
};

struct command_row {
    const char *name;
    const char *operands; // for help: "[PROFILE.yaml]"
    const char *summary;
    const char *details; // for `help COMMAND`, below the usage; ends in a line break
    const char *schema;  // of its JSON document, NULL when it has none
    unsigned option_sets;
    unsigned formats; // bit set of enum format
    int operands_min, operands_max;
    bool takes_serve_command;
    bool varies; // model, GPU, engine and settings are lists
    // Appends the answer and returns the exit code; problems go to arguments->problems.
    int (*run)(struct arguments *arguments, struct kvb_buffer *answer);
};

const struct command_row *kvb_commands_all(size_t *count);
const struct command_row *kvb_commands_find(const char *name); // NULL: none

// One function per command.
int kvb_run_plan(struct arguments *arguments, struct kvb_buffer *answer);
int kvb_run_probe(struct arguments *arguments, struct kvb_buffer *answer);
int kvb_run_models(struct arguments *arguments, struct kvb_buffer *answer);
int kvb_run_sweep(struct arguments *arguments, struct kvb_buffer *answer);
int kvb_run_record(struct arguments *arguments, struct kvb_buffer *answer);
int kvb_run_check(struct arguments *arguments, struct kvb_buffer *answer);
int kvb_run_explain(struct arguments *arguments, struct kvb_buffer *answer);
int kvb_run_profiles(struct arguments *arguments, struct kvb_buffer *answer);
int kvb_run_hub(struct arguments *arguments, struct kvb_buffer *answer);
int kvb_run_completion(struct arguments *arguments, struct kvb_buffer *answer);
int kvb_run_schema(struct arguments *arguments, struct kvb_buffer *answer);
int kvb_run_manual(struct arguments *arguments, struct kvb_buffer *answer);
int kvb_run_help(struct arguments *arguments, struct kvb_buffer *answer);

#endif
