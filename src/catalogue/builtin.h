// Finding an embedded profile.
#ifndef KVB_CATALOGUE_BUILTIN_H
#define KVB_CATALOGUE_BUILTIN_H

#include <kvbudget/input.h>

// By id, case ignored; NULL when there is none.
const struct kvb_builtin *kvb_builtin_find(enum kvb_profile_kind kind, const char *id);

// The stretch of one kind in kvb_builtins().
const struct kvb_builtin *kvb_builtins_of(enum kvb_profile_kind kind, size_t *count);

// ---- The table of names, generated from profiles/names.csv

struct kvb_known_name {
    char name[96]; // lower case; held here: pointers cost the start of the tool thousands of relocations
    char like[64]; // id of the built-in model it is built like
    char why[16];  // "renamed", "copy", "fine-tune"
};
// Sorted by name.
const struct kvb_known_name *kvb_known_names(size_t *count);

// By the whole name, case ignored; NULL when there is none.
const struct kvb_known_name *kvb_known_find(const char *name);

#endif
