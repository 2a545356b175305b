// The rows of each kind of profile, and the reader of engine profiles.
#ifndef KVB_DEPLOYMENT_SCHEMAS_H
#define KVB_DEPLOYMENT_SCHEMAS_H

#include <kvbudget/input.h>

#include "text/field.h"

// The rows of a kind; NULL for models, whose keys are those of config.json.
const struct kvb_schema *kvb_profile_schema(enum kvb_profile_kind kind);
extern const struct kvb_schema kvb_gpu_schema, kvb_engine_schema, kvb_deployment_schema;

enum kvb_status kvb_engine_read(const char *file, const char *text, size_t length, struct kvb_engine *engine,
                                struct kvb_settings *settings, struct kvb_problems *problems) KVB_MUST_USE;

#endif
