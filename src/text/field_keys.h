// Keys of a mapping one after another, for its manual.
#ifndef KVB_TEXT_FIELD_KEYS_H
#define KVB_TEXT_FIELD_KEYS_H

#include <kvbudget/input.h>

#include "text/field.h"

// The index-th key, those of lists and mappings inside directly behind theirs; false: there are no more.
bool kvb_field_key_at(const struct kvb_schema *schema, unsigned index, struct kvb_profile_key *out);

#endif
