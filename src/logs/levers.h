// Levers whose effect on a failure needs no arithmetic.
#ifndef KVB_LOGS_LEVERS_H
#define KVB_LOGS_LEVERS_H

#include "logs/explain.h"

// When a row applies; all conditions of a row must hold.
enum kvb_lever_when {
    KVB_WHEN_ALWAYS = 0,
    KVB_WHEN_MULTIMODAL = 1,
    KVB_WHEN_TEXT = 2,
    KVB_WHEN_GRAPHS_CHARGED = 4,
    KVB_WHEN_GRAPHS_FREE = 8, // graphs are not part of the request
    KVB_WHEN_V0_GONE = 16,    // 0.11.0 and later
    KVB_WHEN_FRAGMENTED = 32,
    KVB_WHEN_NOT_FRAGMENTED = 64,
    KVB_WHEN_KV_BYTES = 128, // --kv-cache-memory-bytes exists
    KVB_WHEN_OTHERS_CHARGED = 256,
    KVB_WHEN_STRICT_ASSERTION = 512,
    KVB_WHEN_POOL_EXISTS = 2048, // the KV cache had been sized before the failure
    KVB_WHEN_TOKENS_OUT = 1024,  // the pool ran out of tokens while serving
    KVB_WHEN_NO_POOL = 4096,
    KVB_WHEN_LAYERS_STATED = 8192, // where it could have placed them by itself
};

struct kvb_lever_row {
    enum kvb_failure kind;
    unsigned engines; // bit set of enum kvb_log_engine
    unsigned when;
    const char *setting;
    const char *to;
    bool works;
    const char *why;
};

// A cause's setting as this engine calls it.
const char *kvb_own_setting(enum kvb_log_engine engine, const char *setting);
// What the engine calls the share of the card that it takes, without dashes.
const char *kvb_share_lever(enum kvb_log_engine engine);

extern const struct kvb_lever_row kvb_lever_rows[];
extern const size_t kvb_lever_row_count;

#endif
