// A setting as the vLLM flag that makes it, JSON flags included.
#ifndef KVB_COMMAND_SETTING_FLAG_H
#define KVB_COMMAND_SETTING_FLAG_H

#include <kvbudget/plan.h>

#define KVB_FLAG_CAPACITY 128

// A setting that is one member of a JSON flag.
struct kvb_setting_part {
    enum kvb_setting setting;
    const char *flag; // "limit-mm-per-prompt"
    const char *key;  // "image"
};

// NULL: a flag of its own, or no flag at all.
const struct kvb_setting_part *kvb_setting_part(enum kvb_setting setting);

// The member's value as JSON: `4`, `"NONE"`.
char *kvb_setting_part_value(char out[64], const struct kvb_setting_part *part, uint64_t number);

// "--max-model-len 4096", "--no-enable-lora", "--limit-mm-per-prompt '{"image": 1}'".
char *kvb_setting_flag(char out[KVB_FLAG_CAPACITY], enum kvb_setting setting, uint64_t number);

#endif
