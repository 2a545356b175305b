// A setting as the flag of an engine that makes it, JSON flags included.
#ifndef KVB_COMMAND_SETTING_FLAG_H
#define KVB_COMMAND_SETTING_FLAG_H

#include "engines/flags.h"

#define KVB_FLAG_CAPACITY 128

// The value of a JSON flag's member: `4`, `"NONE"`.
char *kvb_setting_part_value(char out[64], const struct kvb_setting_part *part, uint64_t number);

// "--max-model-len" of a flag, dashes inside; "-c" when it has a short form only.
char *kvb_serve_flag_name(char out[KVB_FLAG_CAPACITY], const struct kvb_serve_flag *flag);

// "--max-model-len 4096", "--no-enable-lora", "--limit-mm-per-prompt '{"image": 1}'"; a setting the engine has no flag
// for as "max_model_len 4096".
char *kvb_setting_flag(char out[KVB_FLAG_CAPACITY], const struct kvb_engine *engine, enum kvb_setting setting,
                       uint64_t number);
char *kvb_setting_flag_of(char out[KVB_FLAG_CAPACITY], const struct kvb_engine_rows *engine, enum kvb_setting setting,
                          uint64_t number);

#endif
