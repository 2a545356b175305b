// Values of flags that the sweep command takes as lists.
#ifndef KVB_CLI_SWEEP_H
#define KVB_CLI_SWEEP_H

#include "cli/arguments.h"

// Keeps the value of a flag as what varies; false: this command takes single values.
bool kvb_sweep_takes(struct arguments *arguments, enum kvb_sweep_kind kind, enum kvb_setting setting,
                     const char *value);

#endif
