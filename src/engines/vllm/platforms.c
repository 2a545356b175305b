// Platforms that hold GPU memory themselves: one row each, with what was seen and where.
#include "engines/vllm/platforms.h"

#include <kvbudget/residents.h>
#include <kvbudget/units.h>

#include "base/text.h"

static const struct kvb_place nowhere = {NULL, 0, 0};

static const struct kvb_platform_row rows[] = {
    {"WSL2",
     KVB_PLATFORM_WSL2,
     {NULL},
     1095,
     1761,
     "the total is the whole card, Windows keeps part of it, and beyond what is free allocations spill into host "
     "memory instead of failing",
     "free of total at start: 6.93 of 8.0 GiB, 22.76 of 24.0 (RTX 3090), 22.45 of 23.99 (RTX 4090), 30.12 of 31.84 "
     "(RTX 5090): noonghunna/club-3090, Alex8791-cyber/cognithor issue 318"},
    {"Windows",
     KVB_PLATFORM_WINDOWS,
     {NULL},
     1126,
     3277,
     "the total is the whole card, the desktop keeps part of it, and beyond what is free allocations spill into host "
     "memory instead of failing",
     "22.7 of 24 GiB (RTX 3090): ollama/ollama issue 8723; 3.2 GiB on Windows 10: ollama/ollama issue 9167"},
    {"GB10",
     KVB_PLATFORM_LINUX,
     {"gb10", "dgx spark"},
     19958,
     21084,
     "its memory is the host's; page cache counts as used, so drop caches before the start",
     "101.1 to 102.2 of 121.69 GiB free at boot: MiaAI-Lab/GLM-5.3-Flash-EXL3-2x-DGX-Sparks issue 47"},
    {"Jetson",
     KVB_PLATFORM_LINUX,
     {"jetson", "orin", "thor"},
     0,
     0,
     "its memory is the host's, and the start-up check reads what Linux calls free, not what is available",
     "NVIDIA-AI-Blueprints/nemotron-voice-agent issue 81"},
    {"Strix Halo",
     KVB_PLATFORM_LINUX,
     {"strix", "ryzen ai max", "radeon 8060s"},
     0,
     0,
     "its size is the GTT limit of the kernel command line, and the rest of the system shares it",
     "kyuz0/amd-strix-halo-vllm-toolboxes, README"},
};

const struct kvb_platform_row *kvb_platform_rows(size_t *count)
{
    *count = sizeof rows / sizeof rows[0];
    return rows;
}

static bool names_gpu(const struct kvb_platform_row *row, const struct kvb_gpu *gpu)
{
    for (size_t i = 0; i < sizeof row->gpu_names / sizeof row->gpu_names[0] && row->gpu_names[i] != NULL; i++) {
        const char *part = row->gpu_names[i];
        if (kvb_contains_ignoring_case(gpu->name, part) || kvb_contains_ignoring_case(gpu->id, part)) {
            return true;
        }
    }
    return false;
}

const struct kvb_platform_row *kvb_platform_row_of(enum kvb_platform platform, const struct kvb_gpu *gpu)
{
    for (size_t i = 0; i < sizeof rows / sizeof rows[0]; i++) {
        bool named = gpu->unified_memory && names_gpu(&rows[i], gpu);
        bool discrete = rows[i].gpu_names[0] == NULL && !gpu->unified_memory && rows[i].platform == platform;
        if (named || discrete) {
            return &rows[i];
        }
    }
    return NULL;
}

static bool is_stated(const struct kvb_context *context)
{
    return context->plan->gpu_free_stated || context->plan->gpu_free_bytes > 0 || context->plan->reserve_count > 0;
}

uint64_t kvb_platform_usually_gone(const struct kvb_context *context)
{
    const struct kvb_platform_row *row = kvb_platform_row_of(context->plan->platform, context->gpu);
    return row == NULL || is_stated(context) ? 0 : row->low_mib * KVB_MIB;
}

bool kvb_platform_leaves_less(const struct kvb_context *context, const struct kvb_budget *budget)
{
    uint64_t gone = kvb_platform_usually_gone(context);
    return gone > 0 && budget->memory_bytes > gone && budget->requested_bytes > budget->memory_bytes - gone;
}

void kvb_platform_note(const struct kvb_context *context, const struct kvb_budget *budget,
                       struct kvb_problems *problems)
{
    const struct kvb_platform_row *row = kvb_platform_row_of(context->plan->platform, context->gpu);
    char low[32], high[32];
    if (row == NULL || is_stated(context)) {
        return;
    }
    if (row->high_mib == 0) {
        (void)kvb_problem_add(problems, KVB_NOTICE, KVB_OK, nowhere, "%s: %s; say what is free with --gpu-free.",
                              row->name, row->why);
        return;
    }
    bool too_much = kvb_platform_leaves_less(context, budget);
    (void)kvb_problem_add(problems, too_much ? KVB_WARNING : KVB_NOTICE, too_much ? KVB_ASSUMED : KVB_OK, nowhere,
                          "%s: %s to %s GiB are usually gone before the engine starts (%s)%s; say what is free with "
                          "--gpu-free.",
                          row->name, kvb_format_gib(low, (int64_t)(row->low_mib * KVB_MIB), 2),
                          kvb_format_gib(high, (int64_t)(row->high_mib * KVB_MIB), 2), row->why,
                          too_much ? ", which leaves less than is asked for: this answer takes all of it as free" : "");
}
