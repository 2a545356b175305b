// Text that the strict pass has accepted, into the raw struct: a libcyaml schema made from the same rows.
#ifndef KVB_TEXT_BIND_H
#define KVB_TEXT_BIND_H

#include <kvbudget/problem.h>

#include "text/field.h"

// Fills `raw` (schema->raw_size bytes); what the text does not say is zero.
enum kvb_status kvb_bind(const char *file, const char *text, size_t length, const struct kvb_schema *schema, void *raw,
                         struct kvb_problems *problems) KVB_MUST_USE;

#endif
