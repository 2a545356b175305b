// Where huggingface_hub keeps what was downloaded.
#ifndef KVB_MODEL_HUB_CACHE_H
#define KVB_MODEL_HUB_CACHE_H

#include <stdbool.h>

#include <kvbudget/problem.h>

// The snapshot folder of "org/name" that refs/main points to, when it holds a config.json.
bool kvb_hub_find(const char *id, char path[KVB_PATH_CAPACITY]);

#endif
