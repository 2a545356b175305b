// Every flag of `vllm serve` known here: what it takes, and what reads it.
#ifndef KVB_ENGINES_VLLM_SERVE_FLAGS_H
#define KVB_ENGINES_VLLM_SERVE_FLAGS_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

enum kvb_serve_kind {
    KVB_SERVE_SETTING, // id: enum kvb_setting
    KVB_SERVE_JSON,    // read by kvb_json_flag
    KVB_SERVE_LIST,    // read by kvb_json_flag, takes several words
    KVB_SERVE_MODEL,
    KVB_SERVE_REVISION,
    KVB_SERVE_OVERRIDES,    // --hf-overrides
    KVB_SERVE_ROPE_SCALING, // one key of the config
    KVB_SERVE_LEVEL,        // -O
    KVB_SERVE_ENCODER_COPY, // --enable-multimodal-encoder-data-parallel
    KVB_SERVE_DRAFT_MODEL,
    KVB_SERVE_DRAFT_METHOD,
    KVB_SERVE_DRAFT_TOKENS,
    KVB_SERVE_CONFIG,  // --config FILE
    KVB_SERVE_NOTHING, // no effect on memory, no value
    KVB_SERVE_VALUE,   // no effect on memory, one value
    KVB_SERVE_VALUES,  // no effect on memory, several values
};

struct kvb_serve_flag {
    const char *name; // dashes or underscores inside, none in front
    const char *short_name;
    enum kvb_serve_kind kind;
    uint32_t id;
    const char *json_name; // what kvb_json_flag calls it
};

// One after the other; false behind the last.
bool kvb_serve_flag_at(unsigned index, struct kvb_serve_flag *flag);

enum kvb_serve_match { KVB_SERVE_NO_MATCH, KVB_SERVE_MATCH, KVB_SERVE_AMBIGUOUS };

// Finds `name` (`length` characters behind the dashes): whole, or as an unambiguous beginning.
enum kvb_serve_match kvb_serve_flag_find(const char *name, size_t length, struct kvb_serve_flag *flag);
// Finds a short form ("-tp", also "-tp2"): `used` receives its length.
bool kvb_serve_short_find(const char *word, size_t length, struct kvb_serve_flag *flag, size_t *used);

#endif
