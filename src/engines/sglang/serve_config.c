// Files of --config, by release.
// Source: python/sglang/srt/server_args_config_parser.py by tag, 0.5.3 to 0.5.17.
#include <string.h>

#include "engines/sglang/known_flags.h"
#include "engines/sglang/serve.h"

#define R(minor, patch) KVB_RELEASE(0, minor, patch)
#define ACTIONS_SINCE R(5, 8) // before, every truth is a flag alone, or left out

static bool spells(const char *key, uint32_t release)
{
    unsigned matches;
    if (release < ACTIONS_SINCE) {
        return false;
    }
    const struct kvb_sgl_known_flag *row = kvb_sgl_known_flag_of(key, strlen(key), release, &matches);
    return row == NULL || row->values != '0';
}

// Flags that are neither switches nor take a plain value; among those known here, one of LoRAPathAction and those with
// a --no- form.
static bool excludes(const char *key, uint32_t release)
{
    unsigned matches;
    if (release < ACTIONS_SINCE) {
        return false;
    }
    const struct kvb_sgl_known_flag *row = kvb_sgl_known_flag_of(key, strlen(key), release, &matches);
    return row != NULL && strlen(row->name) == strlen(key) &&
           (row->values == 'b' || strcmp(row->name, "lora-paths") == 0);
}

const struct kvb_config_rules kvb_sgl_config = {
    .mappings = R(5, 14),
    .any_case = true,
    .may_be_empty = true,
    .small = true,
    .spells = spells,
    .excludes = excludes,
};
