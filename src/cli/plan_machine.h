// A deployment on the GPUs that are here: asked of the driver or read from pasted output.
#ifndef KVB_CLI_PLAN_MACHINE_H
#define KVB_CLI_PLAN_MACHINE_H

#include <stdbool.h>

#include <kvbudget/kvbudget.h>

#include "cli/arguments.h"

// The machine, which of its GPUs may be taken, and their ranking. Large: keep it off the stack.
struct machine_choice {
    struct kvb_machine machine;
    bool pool[KVB_DEVICES_MAX];
    struct kvb_plan plan;
    struct kvb_model draft;
    struct kvb_model_source source;
    struct kvb_ranking ranking;
};

// True when --gpu live or --gpu-state was given.
bool machine_is_asked(const struct arguments *arguments);

// Asks the driver or reads --gpu-state, and applies the selection of --gpu.
enum kvb_status machine_take(struct arguments *arguments, struct machine_choice *choice);

// Resolves the deployment and ranks the GPUs for it.
enum kvb_status machine_rank(struct arguments *arguments, struct machine_choice *choice);

// Takes the best GPUs into the deployment and says which and why.
enum kvb_status machine_use_best(struct arguments *arguments);

#endif
