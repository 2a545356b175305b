// What the members of JSON in a serve line may be.
#ifndef KVB_ENGINES_VLLM_SERVE_MEMBER_TYPES_H
#define KVB_ENGINES_VLLM_SERVE_MEMBER_TYPES_H

#include "engines/vllm/release_tables.h"
#include "engines/vllm/serve_members.h"

// Whether a mapping has that member, with a value that is not null.
bool kvb_vllm_has_member(const char *mapping, const char *key);
// Whether the value is this text, quotes and all: "null".
bool kvb_vllm_member_is(const struct kvb_member *member, const char *text);
// The same; of a truth ("true", "false") in any of the forms that pydantic reads as one.
bool kvb_vllm_member_says(const struct kvb_member *member, const char *text);
// What the release says of a value that its field does not take; false where it takes it.
bool kvb_vllm_member_slips(const struct kvb_known_key_type *row, const struct kvb_member *member, uint32_t release,
                           char out[64]);

#endif
