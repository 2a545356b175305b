// Reading what was fetched once, so that it need not be read again.
#ifndef KVB_HUB_PREPARE_H
#define KVB_HUB_PREPARE_H

#include <stdbool.h>

// Counts the headers in a snapshot's folder and keeps the result beside them; false: they are read each time.
bool kvb_hub_prepare(const char *folder);

#endif
