// The choice among a machine's GPUs in words, and the flags that ask for one.
#ifndef KVB_CLI_MACHINE_WORDS_H
#define KVB_CLI_MACHINE_WORDS_H

#include "cli/arguments.h"

// The NVML library that the environment names, or NULL for the usual one.
const char *kvb_machine_library(void);

// Takes the best GPUs into the deployment and says which and why.
enum kvb_status kvb_machine_use_best(struct arguments *arguments);

#endif
