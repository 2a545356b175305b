// An engine by name or file, with the terms it states.
#ifndef KVB_DEPLOYMENT_ENGINE_H
#define KVB_DEPLOYMENT_ENGINE_H

#include <kvbudget/input.h>

// `stated`: terms of the profile, or NULL when nobody asks.
enum kvb_status kvb_engine_load_with_terms(const char *name, struct kvb_engine *engine, struct kvb_settings *settings,
                                           struct kvb_stated_term stated[KVB_STATED_COUNT],
                                           struct kvb_problems *problems) KVB_MUST_USE;

#endif
