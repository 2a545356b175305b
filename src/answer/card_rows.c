// What is known of cards as people buy them: the size they are called by, which are common, how many share a machine.
#include "answer/card_rows.h"

#include <string.h>

#include <kvbudget/units.h>

#include "base/text.h"

static const uint32_t classes[] = {8, 12, 16, 24, 32, 48, 80, 96, 141, 180, 192, 288};

// A card of 40 GB is larger than one of 32 by more than names are rounded: it stands with those of 48.
#define ROUNDED_PARTS 20U

uint32_t kvb_card_class(uint64_t memory_bytes)
{
    size_t count = sizeof classes / sizeof classes[0];
    for (size_t i = 0; i < count; i++) {
        uint64_t size = classes[i] * KVB_GIB;
        if (memory_bytes <= size + size / ROUNDED_PARTS) {
            return classes[i];
        }
    }
    return classes[count - 1];
}

// The most common first, class by class; drawn from what public reports of starts name.
static const char *const common[] = {
    "rtx4060",      "rtx3070",
    "rtx5060",      "rtx4060ti-8",
    "rtx3060-12",   "rtx4070",
    "rtx5070",      "rtx4070ti",
    "rtx3080ti",    "rtx4060ti-16",
    "rtx5060ti-16", "rtx4080",
    "t4",           "rtx5080",
    "v100-16",      "rtx-a4000",
    "rtx4090",      "rtx3090",
    "l4",           "a10g",
    "a10",          "rtx-a5000",
    "rtx5090",      "v100-32",
    "rtx-5000-ada", "rtx-a6000",
    "l40s",         "rtx-6000-ada",
    "a40",          "l40",
    "a100-sxm-40",  "a100-pcie-40",
    "h100-sxm",     "a100-sxm-80",
    "a100-pcie-80", "h100-pcie",
    "h800",         "rtx-pro-6000-ws",
    "h20-96",       "rtx-pro-6000-server",
    "gh200-96",     "h100-nvl",
    "gb10",         "h200",
    "h20-141",      "b200",
    "mi300x",       "gb200",
    "b300",         "mi355x",
    "gb300",        "mi325x",
};
#define COMMON_COUNT (uint32_t)(sizeof common / sizeof common[0])

uint32_t kvb_card_rank(const char *id)
{
    for (uint32_t i = 0; i < COMMON_COUNT; i++) {
        if (strcmp(common[i], id) == 0) {
            return i;
        }
    }
    return COMMON_COUNT;
}

static bool ends_with(const char *text, const char *ending)
{
    size_t length = strlen(text), end = strlen(ending);
    return length >= end && strcmp(text + length - end, ending) == 0;
}

// Boards with the GPU soldered beside one CPU, and cards that plug into a desktop; server parts come in eights.
static const struct {
    const char *prefix;
    uint32_t most;
} machines[] = {
    {"jetson-", 1}, {"strix-", 1}, {"gb10", 1},      {"gh200", 1},    {"gb200", 4},
    {"gb300", 4},   {"titan", 4},  {"rtx-", 4},      {"quadro-", 4},  {"w7900", 4},
    {"r9700", 4},   {"arc-", 4},   {"rx7900xtx", 4}, {"rx9070xt", 4}, {"rtx", 4},
};

uint32_t kvb_card_most(const char *id, const struct kvb_gpu *gpu)
{
    if (gpu->unified_memory || ends_with(id, "-laptop")) {
        return 1;
    }
    if (strcmp(id, "rtx-pro-6000-server") == 0) {
        return 8;
    }
    for (size_t i = 0; i < sizeof machines / sizeof machines[0]; i++) {
        if (kvb_starts_with(id, machines[i].prefix)) {
            return machines[i].most;
        }
    }
    return 8;
}

// Gaudi is driven by a plugin with releases of its own, whose rules are not known here.
bool kvb_card_runs(const char *id)
{
    return !kvb_starts_with(id, "gaudi");
}
