// Models that are not built in, fetched from a model hub on request: config and weight headers, never weights. A
// helper program does it and ends; what it fetched is kept in a cache of our own, which kvb_model_load reads. Nothing
// else in this library uses the network or starts a process.
#ifndef KVBUDGET_HUB_H
#define KVBUDGET_HUB_H

#include <stdbool.h>
#include <stdint.h>

#include <kvbudget/export.h>
#include <kvbudget/input.h>
#include <kvbudget/problem.h>

KVB_PUBLIC_BEGIN

// KVBUDGET_OFFLINE or HF_HUB_OFFLINE says that nobody is asked.
bool kvb_hub_is_offline(void);

// Fetches what is not here of the models that the deployment names: its own, the draft, adapters. What comes is said
// in a notice; what does not come in a warning, because an answer may be there all the same.
void kvb_hub_fetch_for(const struct kvb_deployment *deployment, struct kvb_problems *problems);

// The same for one name; `revision` "": main, unless the name says another.
void kvb_hub_fetch_model(const char *name, const char *revision, struct kvb_problems *problems);

// Fetches "OWNER/NAME", "OWNER/NAME@REVISION" or "OWNER/NAME:Q4_K_M" anew, when the hub has another commit.
enum kvb_status kvb_hub_pull(const char *name, struct kvb_problems *problems) KVB_MUST_USE;

struct kvb_hub_entry {
    char name[KVB_NAME_CAPACITY]; // "OWNER/NAME"
    char revision[160];           // "main", or "main:Q4_K_M"
    char commit[96];
    uint64_t bytes, age_seconds;
};
typedef void kvb_hub_taker(void *context, const struct kvb_hub_entry *entry);
// What the cache holds, by name.
enum kvb_status kvb_hub_list(kvb_hub_taker *take, void *context, struct kvb_problems *problems) KVB_MUST_USE;
// Takes "OWNER/NAME" out of the cache, or with NULL everything; *bytes: how much that was.
enum kvb_status kvb_hub_prune(const char *name, uint64_t *bytes, struct kvb_problems *problems) KVB_MUST_USE;

KVB_PUBLIC_END

#endif
