// Models that were downloaded or fetched: huggingface_hub's folder, ModelScope's, and our own.
#ifndef KVB_MODEL_HUB_CACHE_H
#define KVB_MODEL_HUB_CACHE_H

#include <stdbool.h>
#include <stddef.h>

#include <kvbudget/problem.h>

#include "model/names/name.h"

// The snapshot folder of "org/name", however it is written, that refs/main or the revision points to, when it holds a
// config.json; of a GGUF repository the file.
bool kvb_hub_find(const char *text, char path[KVB_PATH_CAPACITY]);
// The same of a name already taken apart.
bool kvb_hub_find_name(const struct kvb_name *name, char path[KVB_PATH_CAPACITY]);
// The snapshot folder with an adapter_config.json.
bool kvb_hub_find_adapter(const char *text, char path[KVB_PATH_CAPACITY]);

// Our own cache, laid out as huggingface_hub's: models--ORG--NAME/refs/REV, snapshots/COMMIT; of a GGUF format
// REV+FORMAT and COMMIT+FORMAT; a slash in REV is written "%2F". False: there is no place for it.
bool kvb_hub_own_root(char out[KVB_PATH_CAPACITY]);
bool kvb_hub_own_repository(const struct kvb_name *name, char out[KVB_PATH_CAPACITY]);
bool kvb_hub_own_key(const struct kvb_name *name, const char *revision, char *out, size_t capacity);

// Whether an environment variable says yes, as huggingface_hub reads them: 1, on, yes, true.
bool kvb_hub_is_yes(const char *variable);

#endif
