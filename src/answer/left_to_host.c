// What an engine leaves to the CPU when the GPU is too small for it.
#include "answer/left_to_host.h"

#include "base/checked.h"

uint64_t kvb_layers_on_gpu(const struct kvb_plan *plan, const struct kvb_budget *budget, uint64_t *layers)
{
    const struct kvb_setting_value *now = budget->settings.values;
    const struct kvb_setting_value *experts = &now[KVB_SET_CPU_MOE_LAYERS];
    *layers = plan->model.layer_count + 1U;
    uint64_t on_gpu = now[KVB_SET_GPU_LAYERS].set ? kvb_min(now[KVB_SET_GPU_LAYERS].number, *layers) : *layers;
    return on_gpu - (experts->set ? kvb_min(experts->number, on_gpu) : 0);
}

bool kvb_is_left_to_host(const struct kvb_plan *plan, const struct kvb_budget *budget)
{
    uint64_t layers;
    const struct kvb_setting_value *asked = plan->settings.values;
    bool meant = asked[KVB_SET_GPU_LAYERS].set || asked[KVB_SET_CPU_MOE_LAYERS].set;
    return kvb_layers_on_gpu(plan, budget, &layers) < layers && !meant;
}
