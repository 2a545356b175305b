// What settings put into CPU memory, what that frees on the GPU and what the bus takes for it.
// Sources: vllm/model_executor/models/utils.py (cpu_offload_gb, weights by module order), vllm/core/
// block_manager.py (swap space of V0), vllm/distributed/kv_transfer (connectors); PCI-SIG rates of 16
// lanes, 15.75, 31.5 and 63 GB/s one way, of which about four fifths arrive.
#include <kvbudget/residents.h>

#include <string.h>

#include "base/checked.h"
#include "budget/gpu_facts.h"

#define BYTES_PER_MICROSECOND 1000 // of one GB/s

static const struct kvb_host_row host_rows[KVB_HOST_KIND_COUNT] = {
    [KVB_HOST_WEIGHTS] = {KVB_SET_CPU_OFFLOAD_GB, "weights rest in CPU memory and pass over the bus in every step",
                          "it frees weights only: activations, the sampler's peak, CUDA graphs and what one request "
                          "needs stay as they are, and every step waits, however small its batch"},
    [KVB_HOST_SWAP] = {KVB_SET_SWAP_SPACE, "requests that are pushed aside wait there with their KV cache",
                       "it frees nothing on the GPU and does not help a start: the KV cache of one request must fit "
                       "on the GPU"},
    [KVB_HOST_CONNECTOR] = {KVB_SET_KV_TRANSFER,
                            "blocks of finished or evicted prefixes are kept and copied back when "
                            "they are asked for again",
                            "it frees nothing on the GPU and does not help a start: the pool keeps its size, and "
                            "running requests live in it alone"},
};

static const struct {
    uint32_t capability_from; // 90 for 9.0
    const char *bus;
    uint32_t gb_s;
} buses[] = {
    {KVB_CAPABILITY_HOPPER, "PCIe 5.0 x16", 50}, {KVB_CAPABILITY_AMPERE, "PCIe 4.0 x16", 25}, {0, "PCIe 3.0 x16", 12}};

static void choose_bus(const struct kvb_gpu *gpu, struct kvb_host_memory *memory)
{
    size_t i = 0;
    if (gpu->unified_memory) {
        memory->bus = "memory shared with the CPU";
        return;
    }
    uint32_t capability = gpu->compute_capability > 0 ? gpu->compute_capability : KVB_CAPABILITY_AMPERE;
    while (capability < buses[i].capability_from) {
        i++;
    }
    memory->bus = buses[i].bus;
    memory->bus_gb_s = buses[i].gb_s;
}

static struct kvb_host_use *add_use(struct kvb_host_memory *memory, enum kvb_host_kind kind, uint64_t moved_bytes)
{
    struct kvb_host_use *use = &memory->uses[memory->count++];
    *use = (struct kvb_host_use){.kind = kind, .known = true, .moved_bytes = moved_bytes};
    if (memory->bus_gb_s > 0) {
        use->microseconds = moved_bytes / ((uint64_t)BYTES_PER_MICROSECOND * memory->bus_gb_s);
    }
    return use;
}

static uint64_t request_bytes(const struct kvb_budget *budget)
{
    const struct kvb_kv_cache *kv = &budget->kv;
    return kvb_mul(kv->blocks_per_request, kv->bytes_per_block);
}

void kvb_host_memory_of(const struct kvb_plan *plan, const struct kvb_budget *budget, struct kvb_host_memory *memory)
{
    const struct kvb_setting_value *values = plan->settings.values;
    memset(memory, 0, sizeof *memory);
    choose_bus(&plan->gpu, memory);
    if (values[KVB_SET_CPU_OFFLOAD_GB].set && values[KVB_SET_CPU_OFFLOAD_GB].number > 0) {
        struct kvb_host_use *use = add_use(memory, KVB_HOST_WEIGHTS, budget->weights.offloaded_bytes);
        use->ignored = budget->weights.offloaded_bytes == 0;
        use->host_bytes = budget->weights.offloaded_bytes;
        use->freed_bytes = plan->gpu.unified_memory ? 0 : budget->weights.offloaded_bytes;
    }
    if (values[KVB_SET_SWAP_SPACE].set && values[KVB_SET_SWAP_SPACE].number > 0) {
        bool ignored = budget->generation == KVB_GENERATION_V1;
        struct kvb_host_use *use = add_use(memory, KVB_HOST_SWAP, ignored ? 0 : request_bytes(budget));
        use->ignored = ignored;
        use->host_bytes = ignored ? 0 : values[KVB_SET_SWAP_SPACE].number;
    }
    if (values[KVB_SET_KV_TRANSFER].set && values[KVB_SET_KV_TRANSFER].number > 0) {
        add_use(memory, KVB_HOST_CONNECTOR, request_bytes(budget))->known = false;
    }
}

const struct kvb_host_row *kvb_host_row_of(enum kvb_host_kind kind)
{
    return (unsigned)kind < KVB_HOST_KIND_COUNT ? &host_rows[kind] : NULL;
}
