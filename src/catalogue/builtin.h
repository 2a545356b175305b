// Finding an embedded profile.
#ifndef KVB_CATALOGUE_BUILTIN_H
#define KVB_CATALOGUE_BUILTIN_H

#include <kvbudget/input.h>

// By id, case ignored; NULL when there is none.
const struct kvb_builtin *kvb_builtin_find(enum kvb_profile_kind kind, const char *id);

// The stretch of one kind in kvb_builtins().
const struct kvb_builtin *kvb_builtins_of(enum kvb_profile_kind kind, size_t *count);

#endif
