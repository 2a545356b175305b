// What a release makes of the words of a compilation config about graphs, before anything else is asked.
// Source: vllm/config/compilation.py (vllm/config.py before 0.10.1), vllm/utils/argparse_utils.py by tag.
#include <string.h>

#include "base/text.h"
#include "budget/shapes.h"
#include "engines/vllm/serve.h"

#define R(minor, patch) KVB_RELEASE(0, minor, patch)
#define MODE_SINCE R(10, 1)             // cudagraph_mode; a key nobody read before
#define SWITCHES_IGNORED_SINCE R(11, 1) // use_cudagraph and full_cuda_graph
#define LEVELS_APART_SINCE R(12, 0)     // -O is no member of the config any more
#define LEVEL_LAST_SINCE R(9, 2)        // -O is put behind all other flags, and so replaces the config

static void forget(struct kvb_plan *plan, enum kvb_setting setting)
{
    struct kvb_setting_value *value = &plan->settings.values[setting];
    if (value->origin == KVB_ORIGIN_COMMAND) {
        *value = (struct kvb_setting_value){0};
    }
}

// Whether the last of the two flags that give the config is -O.
static bool level_is_last(const struct kvb_deployment *deployment)
{
    bool level = false;
    for (const char *line = deployment->serve_flags; *line != '\0'; line = kvb_vllm_next_line(line)) {
        bool own = kvb_starts_with(line, "-O");
        level = own || (level && !kvb_starts_with(line, "--comp"));
    }
    return level;
}

static void forget_config(const struct kvb_deployment *deployment, struct kvb_plan *plan)
{
    struct kvb_graph_sizes *sizes = &plan->graph_sizes;
    struct kvb_graph_sizes left = {.optimization = sizes->optimization};
    forget(plan, KVB_SET_CUDAGRAPH_MODE);
    if (!sizes->of_flag) {
        forget(plan, KVB_SET_CUDAGRAPH_CAPTURE_SIZES);
        *sizes = left;
    }
    sizes->use_off = sizes->full = sizes->splits_nowhere = sizes->fuses_attention = false;
    sizes->sequence_parallel = sizes->adapters_always = false;
    sizes->compile_mode = sizes->compile_level = 0;
    if (!sizes->of_flag && kvb_vllm_said(deployment, "max-cudagraph-capture-size", plan->engine.release) == NULL) {
        forget(plan, KVB_SET_MAX_CUDAGRAPH_CAPTURE_SIZE);
    }
}

static void read_switches(struct kvb_plan *plan)
{
    const struct kvb_graph_sizes *sizes = &plan->graph_sizes;
    if (plan->engine.release < MODE_SINCE) {
        forget(plan, KVB_SET_CUDAGRAPH_MODE);
    }
    bool asked = sizes->use_off || sizes->full;
    if (asked && plan->engine.release < SWITCHES_IGNORED_SINCE && !kvb_is_set(plan, KVB_SET_CUDAGRAPH_MODE)) {
        kvb_settings_set(&plan->settings, KVB_SET_CUDAGRAPH_MODE,
                         sizes->use_off ? KVB_GRAPH_MODE_NONE : KVB_GRAPH_MODE_FULL, KVB_ORIGIN_COMMAND);
    }
}

void kvb_vllm_graphs_said(const struct kvb_deployment *deployment, struct kvb_plan *plan)
{
    uint32_t release = plan->engine.release;
    if (plan->graph_sizes.optimization > 0 && release < LEVELS_APART_SINCE) {
        if (release >= LEVEL_LAST_SINCE || level_is_last(deployment)) {
            forget_config(deployment, plan);
        } else {
            plan->graph_sizes.optimization = 0;
        }
    }
    read_switches(plan);
}
