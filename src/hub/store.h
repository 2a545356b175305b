// Our cache of fetched models: folders that are whole or not there, whoever else writes.
#ifndef KVB_HUB_STORE_H
#define KVB_HUB_STORE_H

#include "model/names/name.h"

#define KVB_STORE_KEY_CAPACITY 160

struct kvb_store {
    char key[KVB_STORE_KEY_CAPACITY];   // of the revision: the name of its file in refs
    char repository[KVB_PATH_CAPACITY]; // .../models--ORG--NAME
    char snapshots[KVB_PATH_CAPACITY];  // below it
    char folder[KVB_PATH_CAPACITY];     // where a fetch puts its files before they are kept
};
// A place to fetch into, which nobody else has.
enum kvb_status kvb_store_begin(struct kvb_store *store, const struct kvb_name *name,
                                struct kvb_problems *problems) KVB_MUST_USE;
// Keeps it as the commit ("-": named by what it holds), and the revision as pointing there.
enum kvb_status kvb_store_keep(struct kvb_store *store, const struct kvb_name *name, const char *commit,
                               struct kvb_problems *problems) KVB_MUST_USE;
void kvb_store_drop(struct kvb_store *store);
// Commits that are here with a config of this name and format; how many were written.
uint32_t kvb_store_commits(const struct kvb_store *store, const struct kvb_name *name, char out[][96], uint32_t most);
// The revision points to a commit that is here.
enum kvb_status kvb_store_point(const struct kvb_store *store, const struct kvb_name *name, const char *commit,
                                struct kvb_problems *problems) KVB_MUST_USE;

#endif
