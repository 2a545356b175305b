// What of a device the buffers take.
#include "base/checked.h"
#include "engines/llamacpp/start.h"

uint64_t kvb_llama_used(const struct kvb_llama_buffers *buffers, uint32_t place)
{
    const struct kvb_llama_place *held = &buffers->places[place];
    return kvb_add(kvb_add(held->model_bytes, held->cache_bytes), kvb_add(held->state_bytes, held->compute_bytes));
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
