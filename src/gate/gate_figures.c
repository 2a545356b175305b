// What is kept of an answer so that another commit's can be laid beside it.
#include <stdio.h>
#include <string.h>

#include "gate/gate.h"

static void keep_settings(struct kvb_gate *gate, const struct kvb_found *found, struct kvb_case_figures *figures)
{
    const struct kvb_settings *said = &gate->deployment->settings;
    struct kvb_case_setting *kept;
    uint32_t count = 0;
    for (unsigned i = 0; i < KVB_SETTING_COUNT; i++) {
        count += said->values[i].set;
    }
    kept = kvb_arena_take(&gate->arena, (count + 1U) * sizeof *kept);
    if (kept == NULL) {
        gate->no_memory = true;
        return;
    }
    figures->settings = kept;
    for (unsigned i = 0; i < KVB_SETTING_COUNT; i++) {
        if (said->values[i].set) {
            kept[figures->setting_count++] =
                (struct kvb_case_setting){(enum kvb_setting)i, said->values[i].number, found->settings[i]};
        }
    }
}

const struct kvb_case_figures *kvb_gate_keep_figures(struct kvb_gate *gate, const struct kvb_found *found)
{
    const struct kvb_plan *plan = &gate->answer->plan;
    const struct kvb_budget *budget = &gate->answer->budget;
    struct kvb_case_figures *figures = kvb_arena_take(&gate->arena, sizeof *figures);
    char text[KVB_NAME_CAPACITY + 64];
    if (figures == NULL) {
        gate->no_memory = true;
        return NULL;
    }
    *figures = (struct kvb_case_figures){
        .model = kvb_gate_keep(gate, plan->model.name),
        .weights_bytes = budget->items[KVB_ITEM_WEIGHTS].bytes,
        .kv_cache_bytes = budget->items[KVB_ITEM_KV_CACHE].bytes,
        .requested_bytes = budget->requested_bytes,
        .needed_bytes = budget->needed_bytes,
        .balance_bytes = budget->balance_bytes,
        .length_tokens = kvb_request_length(budget),
        .concurrency_hundredths = budget->kv.max_concurrency_hundredths,
    };
    (void)snprintf(text, sizeof text, "%s %s", plan->engine.name, plan->engine.version);
    figures->engine = kvb_gate_keep(gate, text);
    (void)snprintf(text, sizeof text, "%llu x %s", (unsigned long long)kvb_gpu_count(&budget->settings),
                   plan->gpu.name);
    figures->gpus = kvb_gate_keep(gate, text);
    keep_settings(gate, found, figures);
    return figures;
}
