// Asking an engine's table of flags.
#ifndef KVB_ENGINES_FLAGS_H
#define KVB_ENGINES_FLAGS_H

#include "engines/table.h"

enum kvb_serve_match { KVB_SERVE_NO_MATCH, KVB_SERVE_MATCH, KVB_SERVE_AMBIGUOUS };

// Finds `name` (`length` characters behind the dashes) as the engine's parser does: whole, or as the beginning of
// exactly one flag where it abbreviates.
enum kvb_serve_match kvb_serve_flag_find(const struct kvb_engine_rows *engine, const char *name, size_t length,
                                         const struct kvb_serve_flag **flag);
// Finds a short form ("-tp", also "-tp2"): `used` receives its length. NULL: there is none.
const struct kvb_serve_flag *kvb_serve_short_find(const struct kvb_engine_rows *engine, const char *word, size_t length,
                                                  size_t *used);

// The flag that gives a setting this value; NULL: no flag of this engine does.
const struct kvb_serve_flag *kvb_serve_flag_of(const struct kvb_engine_rows *engine, enum kvb_setting setting,
                                               uint64_t number);
// The member that a setting is of a flag that takes JSON, or NULL.
const struct kvb_setting_part *kvb_part_of_setting(const struct kvb_engine_rows *engine, enum kvb_setting setting);
// Whether the engine has the setting; `since` and `until`: in which releases, 0 = no end on that side.
bool kvb_engine_has(const struct kvb_engine_rows *engine, enum kvb_setting setting, uint32_t *since, uint32_t *until);
// The settings that an answer of this engine shows: its own, and all that are shared.
void kvb_engine_shown(const struct kvb_engine_rows *engine, bool shown[KVB_SETTING_COUNT]);

// Reads and writes the value of a flag of kind KVB_SERVE_SETTING, in its own words where it has some.
enum kvb_status kvb_serve_value_read(const struct kvb_serve_flag *flag, const char *text, uint64_t *number,
                                     char why[256]);
char *kvb_serve_value_format(char out[48], const struct kvb_serve_flag *flag, uint64_t number);

#endif
