// A start of Ollama before 0.30: as many slots as fit, on as few GPUs as hold all layers, then what its estimate leaves
// to the CPU.
// Source: server/sched.go, pickBestFullFitByLibrary and pickBestPartialFitByLibrary, at v0.2.0, v0.9.0 and v0.11.5;
// llama/llama.go, NewContextParams, at v0.9.0 and v0.13.4; llm/server.go, NewLlamaServer and Load, by tag;
// discover/gpu.go, cudaMinimumMemory; ml/device.go, MinimumMemory.
#include "engines/llamacpp/ollama.h"

#include <kvbudget/units.h>

#include "base/checked.h"
#include "budget/shapes.h"

#define BATCH 512U
#define MINIMUM (457 * KVB_MIB)
#define MINIMUM_METAL (512 * KVB_MIB)

struct placing {
    const struct kvb_plan *plan;
    struct kvb_llama_start *start;
    uint32_t release;
    int64_t asked; // num_gpu; negative: none
    struct kvb_ollama_cards cards;
    struct kvb_ollama_placed placed;
};

static void take_slots(struct placing *placing, uint32_t slots)
{
    struct kvb_llama_run *run = &placing->start->run;
    const struct kvb_plan *plan = placing->plan;
    uint64_t asked = kvb_is_set(plan, KVB_SET_UBATCH_SIZE) ? kvb_number(plan, KVB_SET_UBATCH_SIZE) : BATCH;
    run->sequences = slots;
    run->context_tokens = kvb_mul(placing->start->slot_tokens, slots);
    placing->start->asked_tokens = run->context_tokens;
    placing->start->asked_batch = kvb_min(asked, run->context_tokens);
    run->batch = (uint32_t)kvb_min(kvb_min(kvb_mul(asked, slots), run->context_tokens), UINT32_MAX);
    uint64_t most = placing->release >= KVB_RELEASE(0, 13, 4) ? asked : BATCH; // n_ubatch was not said before
    run->ubatch = (uint32_t)kvb_min(most, run->batch);
}

// Of Ollama's own engine the graph is what it measured, and no layer is kept free.
static void measure_graph(const struct placing *placing, struct kvb_ollama_sizes *sizes)
{
    struct kvb_llama_buffers buffers = {.streams = 0};
    struct kvb_llama_run run = placing->start->run;
    run.gpu_layers = UINT32_MAX; // all of them
    run.devices = 1;
    kvb_llama_compute_buffers(&run, &buffers);
    sizes->full_bytes = sizes->partial_bytes = buffers.places[0].compute_bytes;
}

static bool fits_on(struct placing *placing, uint32_t cards, uint32_t slots)
{
    struct kvb_ollama_sizes sizes;
    bool own = placing->start->own_graph_since > 0 && placing->release >= KVB_RELEASE(0, 12, 0);
    take_slots(placing, slots);
    kvb_ollama_sizes_of(placing->start, placing->release, &sizes);
    placing->cards.count = cards;
    placing->cards.buffer_bytes = own ? 0 : sizes.layer_bytes[0];
    if (own) {
        measure_graph(placing, &sizes);
    }
    if (own || kvb_ollama_lays_out(placing->release)) {
        kvb_ollama_layout(&sizes, &placing->cards, placing->asked, &placing->placed);
    } else {
        bool upwards = placing->release < KVB_RELEASE(0, 7, 0);
        kvb_ollama_estimate(&sizes, &placing->cards, placing->asked, upwards, &placing->placed);
    }
    int64_t wanted = placing->asked >= 0 ? placing->asked : (int64_t)sizes.layers + 1;
    return placing->placed.layers > 0 && placing->placed.layers >= wanted;
}

static void choose(struct placing *placing, uint32_t cards)
{
    const struct kvb_plan *plan = placing->plan;
    bool said = kvb_is_set(plan, KVB_SET_MAX_NUM_SEQS);
    uint32_t least = said ? (uint32_t)kvb_min(kvb_number(plan, KVB_SET_MAX_NUM_SEQS), KVB_LLAMA_SLOTS_MAX) : 1;
    uint32_t most = said ? least : kvb_ollama_usual_slots(placing->release);
    bool packs = placing->release >= KVB_RELEASE(0, 11, 5); // two of three, not just one or all
    for (uint32_t count = 1; count <= cards; count = packs || count == cards ? count + 1 : cards) {
        if (fits_on(placing, count, most) || (most > least && fits_on(placing, count, least))) {
            return;
        }
    }
    (void)fits_on(placing, cards, least);
}

static void apply(struct placing *placing)
{
    struct kvb_llama_start *start = placing->start;
    struct kvb_llama_run *run = &start->run;
    uint32_t all = run->model->layer_count + 1, used = 0;
    for (uint32_t i = 0; i < placing->cards.count; i++) {
        run->share[i] = placing->placed.of_card[i];
        used = placing->placed.of_card[i] > 0 ? i + 1 : used;
    }
    run->gpu_layers = placing->placed.layers;
    if (placing->asked >= 0) { // whatever the estimate holds of it
        run->gpu_layers = (uint32_t)kvb_min((uint64_t)placing->asked, all);
    }
    run->devices = used;
    if (used == 0) { // the GPUs are hidden from the runner
        run->backend = KVB_LLAMA_CPU;
        run->gpu_layers = 0;
    }
    start->asked_layers = run->gpu_layers;
    if (run->gpu_layers < all && placing->asked < 0) {
        start->decision = KVB_LLAMA_LAYERS_MOVED;
    }
}

void kvb_ollama_settle(const struct kvb_plan *plan, struct kvb_llama_start *start)
{
    const struct kvb_setting_value *overhead = &plan->settings.values[KVB_SET_GPU_OVERHEAD];
    bool metal = start->run.backend == KVB_LLAMA_METAL;
    uint64_t free_bytes =
        plan->gpu_free_stated ? kvb_min(plan->gpu_free_bytes, plan->gpu.memory_bytes) : plan->gpu.memory_bytes;
    uint64_t reserved = kvb_held_by_reserves(plan);
    struct placing placing = {
        .plan = plan,
        .start = start,
        .release = plan->engine.release,
        .asked = start->layers_said ? (int64_t)start->asked_layers : -1, // same: any below 0 says nothing
        .cards = {.free_bytes = kvb_less(free_bytes, reserved),
                  .minimum_bytes = metal ? MINIMUM_METAL : MINIMUM,
                  .overhead_bytes = overhead->set ? overhead->number : 0,
                  .metal = metal},
    };
    start->fits_itself = false;
    start->own_graph_since = kvb_ollama_draws_since(placing.release, &plan->model);
    if (start->run.devices == 0) {
        take_slots(&placing, 1);
        return;
    }
    choose(&placing, start->run.devices);
    apply(&placing);
}
