// What of a device the buffers take.
#include "base/checked.h"
#include "engines/llamacpp/overrides.h"
#include "engines/llamacpp/start.h"

uint64_t kvb_llama_used(const struct kvb_llama_buffers *buffers, uint32_t place)
{
    const struct kvb_llama_place *held = &buffers->places[place];
    return kvb_add(kvb_add(held->model_bytes, held->cache_bytes), kvb_add(held->state_bytes, held->compute_bytes));
}

struct kvb_llama_range kvb_llama_compute_range(const struct kvb_llama_run *run, uint64_t compute_bytes, bool outlined,
                                               uint64_t mask_bytes)
{
    bool parted = run->gpu_layers <= run->model->layer_count || run->cpu_experts > 0 || kvb_llama_overrides_any(run);
    uint64_t off = parted && run->devices > 0 ? compute_bytes / 10 : compute_bytes / 100;
    if (outlined) {
        return (struct kvb_llama_range){compute_bytes / 2,
                                        kvb_add(compute_bytes, kvb_add(compute_bytes / 4, mask_bytes))};
    }
    return (struct kvb_llama_range){compute_bytes - off, kvb_add(compute_bytes, off)};
}

uint64_t kvb_llama_beside_used(const struct kvb_llama_start *start, uint32_t place)
{
    const struct kvb_llama_beside *beside = &start->beside;
    uint64_t used = beside->contexts > 0 ? kvb_llama_used(&beside->draft, place) : 0;
    bool here = beside->projects && place == (beside->projector_on_host ? KVB_LLAMA_HOST : 0U);
    if (here) {
        used = kvb_add(used, kvb_add(beside->projector.model_bytes, beside->projector.compute_bytes));
    }
    return used;
}

uint64_t kvb_llama_fullest(const struct kvb_llama_start *start, const struct kvb_llama_buffers *buffers,
                           uint32_t *device)
{
    uint64_t most = 0;
    *device = 0;
    for (uint32_t i = 0; i < start->run.devices; i++) {
        uint64_t used = kvb_add(kvb_llama_used(buffers, i), kvb_llama_beside_used(start, i));
        if (used > most) {
            most = used;
            *device = i;
        }
    }
    return most;
}
