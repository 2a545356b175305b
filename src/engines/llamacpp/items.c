// The items of an answer and the buffers behind them: of the model, and of what is loaded beside it.
#include "engines/llamacpp/items.h"

#include "base/checked.h"
#include "budget/shapes.h"
#include "engines/llamacpp/layer.h"
#include "engines/llamacpp/mixture.h"

static struct kvb_term exact(uint64_t bytes, enum kvb_basis basis)
{
    return (struct kvb_term){(int64_t)bytes, (int64_t)bytes, (int64_t)bytes, basis};
}

static struct kvb_term around(uint64_t bytes, uint64_t low, uint64_t high, enum kvb_basis basis)
{
    return (struct kvb_term){(int64_t)bytes, (int64_t)low, (int64_t)high, basis};
}

static void put(struct kvb_budget *budget, enum kvb_setting setting, uint64_t number)
{
    struct kvb_setting_value *value = &budget->settings.values[setting];
    bool own = value->set == 0 || value->number != number;
    value->origin = own ? KVB_ORIGIN_DEFAULT : value->origin;
    value->number = number;
    value->set = 1;
}

void kvb_llama_put_settings(const struct kvb_llama_start *start, struct kvb_budget *budget)
{
    const struct kvb_llama_run *run = &start->run;
    put(budget, KVB_SET_MAX_MODEL_LEN, run->context_tokens);
    put(budget, KVB_SET_MAX_NUM_SEQS, run->sequences);
    put(budget, KVB_SET_MAX_NUM_BATCHED_TOKENS, run->batch);
    put(budget, KVB_SET_UBATCH_SIZE, run->ubatch);
    put(budget, KVB_SET_TENSOR_PARALLEL_SIZE, kvb_max(run->devices, 1));
    put(budget, KVB_SET_GPU_LAYERS, run->gpu_layers);
    put(budget, KVB_SET_CPU_MOE_LAYERS, run->cpu_experts);
    put(budget, KVB_SET_CACHE_TYPE_K, run->key_type);
    put(budget, KVB_SET_CACHE_TYPE_V, run->value_type);
    put(budget, KVB_SET_FLASH_ATTENTION, run->flash ? KVB_ON : KVB_OFF);
    put(budget, KVB_SET_KV_UNIFIED, run->unified);
    put(budget, KVB_SET_KV_OFFLOAD, !run->keep_cache_on_host);
}

// Twelve at most, of KVB_BUDGET_PARTS_MAX.
static void add_part(struct kvb_budget *budget, const char *key, const char *label, enum kvb_item item, bool host,
                     uint64_t bytes)
{
    if (bytes > 0) {
        budget->parts[budget->part_count++] = (struct kvb_budget_part){key, label, item, host, (int64_t)bytes};
    }
}

static void add_beside(const struct kvb_llama_start *start, uint32_t device, struct kvb_budget *budget)
{
    const struct kvb_llama_beside *beside = &start->beside;
    const struct kvb_llama_place *held = &beside->draft.places[device];
    const struct kvb_llama_projected *projector = &beside->projector;
    bool on_host = beside->projector_on_host;
    if (beside->contexts > 0) {
        add_part(budget, "draft_model_bytes", "draft: model buffer", KVB_ITEM_WEIGHTS, false, held->model_bytes);
        add_part(budget, "draft_kv_bytes", "draft: KV buffer", KVB_ITEM_KV_CACHE, false,
                 kvb_add(held->cache_bytes, held->state_bytes));
        add_part(budget, "draft_compute_bytes", "draft: compute buffer", KVB_ITEM_ACTIVATION, false,
                 held->compute_bytes);
        add_part(budget, "host_draft_bytes", "draft: all buffers", KVB_ITEM_OTHER, true,
                 kvb_llama_used(&beside->draft, KVB_LLAMA_HOST));
    }
    if (beside->projects && (on_host || device == 0)) {
        add_part(budget, on_host ? "host_projector_bytes" : "projector_model_bytes", "projector: model buffer",
                 KVB_ITEM_WEIGHTS, on_host, projector->model_bytes);
        add_part(budget, on_host ? "host_projector_compute_bytes" : "projector_compute_bytes",
                 "projector: compute buffer", KVB_ITEM_ACTIVATION, on_host,
                 on_host ? projector->input_bytes : projector->compute_bytes);
    }
}

void kvb_llama_add_parts(const struct kvb_llama_start *start, uint32_t device, struct kvb_budget *budget)
{
    const struct kvb_llama_place *held = &start->buffers.places[device];
    const struct kvb_llama_place *host = &start->buffers.places[KVB_LLAMA_HOST];
    if (held->state_bytes > 0) {
        add_part(budget, "kv_buffer_bytes", "KV buffer", KVB_ITEM_KV_CACHE, false, held->cache_bytes);
        add_part(budget, "recurrent_state_bytes", "recurrent state", KVB_ITEM_KV_CACHE, false, held->state_bytes);
    }
    add_part(budget, "host_model_bytes", "model buffer", KVB_ITEM_WEIGHTS, true, host->model_bytes);
    add_part(budget, "host_kv_bytes", "KV buffer", KVB_ITEM_KV_CACHE, true,
             kvb_add(host->cache_bytes, host->state_bytes));
    add_part(budget, "host_compute_bytes", "compute buffer", KVB_ITEM_ACTIVATION, true, host->compute_bytes);
    add_beside(start, device, budget);
    add_part(budget, "host_output_bytes", "output buffer", KVB_ITEM_OTHER, true, start->buffers.output_bytes);
}

// Of a device, what is loaded beside the model: states are in the cache.
static void take_beside(const struct kvb_llama_start *start, uint32_t device, struct kvb_llama_place *out)
{
    const struct kvb_llama_beside *beside = &start->beside;
    *out = (struct kvb_llama_place){0};
    if (beside->contexts > 0) {
        *out = beside->draft.places[device];
        out->cache_bytes = kvb_add(out->cache_bytes, out->state_bytes);
    }
    if (beside->projects && !beside->projector_on_host && device == 0) {
        out->model_bytes = kvb_add(out->model_bytes, beside->projector.model_bytes);
        out->compute_bytes = kvb_add(out->compute_bytes, beside->projector.compute_bytes);
    }
}

// Low and high of what is followed in outline; a picture larger than the one of the start needs more when it comes.
static struct kvb_term compute_term(const struct kvb_llama_start *start, uint32_t device, uint64_t compute)
{
    const struct kvb_llama_beside *beside = &start->beside;
    bool pictures = beside->projects && !beside->projector_on_host && device == 0;
    bool outlined = start->own_graph_since > 0 || start->buffers.compute_bounded ||
                    (beside->contexts > 0 && beside->draft.compute_bounded) || (pictures && beside->projector.bounded);
    uint64_t later = pictures ? beside->projector.most_compute_bytes - beside->projector.compute_bytes : 0;
    struct kvb_llama_range range = kvb_llama_compute_range(&start->run, compute, outlined, start->buffers.mask_bytes);
    bool near = range.high - compute <= compute / 100;
    return around(compute, range.low, kvb_add(range.high, later),
                  outlined || later > 0 || !near ? KVB_BASIS_MODELLED : KVB_BASIS_EXACT);
}

// The most that a head which drafts can be where its file is not here, in 16 bits: EAGLE-3 has one layer that reads two
// hidden states, a matrix over three and an output; DFlash a few layers, eight at most here, and a matrix over six.
// Source: src/models/eagle3.cpp and src/models/dflash.cpp of llama.cpp after b10472.
struct unknown_head {
    uint64_t weights_bytes, cache_bytes;
};

static struct unknown_head head_of(const struct kvb_plan *plan, const struct kvb_llama_start *start, uint32_t device)
{
    const struct kvb_llama_run *run = &start->run;
    const struct kvb_model *model = run->model;
    uint64_t method = kvb_is_set(plan, KVB_SET_SPECULATIVE_METHOD) ? kvb_number(plan, KVB_SET_SPECULATIVE_METHOD) : 0;
    bool blocks = method == KVB_SPECULATIVE_DFLASH;
    if (!plan->draft_unknown || (method != KVB_SPECULATIVE_EAGLE && !blocks) ||
        device != kvb_llama_place_of(run, model->layer_count)) {
        return (struct unknown_head){0, 0};
    }
    struct kvb_llama_layer layer;
    uint64_t hidden = model->hidden_size, square = kvb_mul(hidden, hidden), layers = blocks ? 8 : 1, width = 4 * hidden;
    struct unknown_head head = {0, 0};
    for (uint32_t i = 0; i < model->kind_count; i++) {
        kvb_llama_layer_of_kind(run, &model->kinds[i], &layer);
        uint64_t kept = kvb_mul(start->buffers.cells, kvb_add(layer.cache_keys, layer.cache_values));
        head.cache_bytes = kvb_max(head.cache_bytes, kvb_llama_cache_bytes(KVB_LLAMA_CACHE_F16, kept));
        width = kvb_max(width, model->kinds[i].mlp.intermediate_size);
    }
    uint64_t each = kvb_add(kvb_mul(square, blocks ? 4 : 7), kvb_mul(3, kvb_mul(hidden, width)));
    uint64_t ends = kvb_add(kvb_mul(square, blocks ? 6 : 3), blocks ? 0 : kvb_mul(model->vocabulary_size, hidden));
    head.weights_bytes = kvb_mul(kvb_add(kvb_mul(each, layers), ends), 2);
    head.cache_bytes = kvb_mul(head.cache_bytes, layers);
    return head;
}

static struct kvb_term model_term(const struct kvb_plan *plan, const struct kvb_llama_start *start, uint64_t own,
                                  uint64_t beside)
{
    uint64_t bytes = kvb_add(own, beside);
    bool header = plan->model.checkpoint.kind == KVB_CHECKPOINT_GGUF && plan->model.checkpoint.classes_whole;
    if (plan->stated[KVB_STATED_WEIGHTS].set) {
        return exact(plan->stated[KVB_STATED_WEIGHTS].bytes, KVB_BASIS_STATED);
    }
    if (header) {
        return exact(bytes, KVB_BASIS_CHECKPOINT);
    }
    uint32_t low, high;
    kvb_llama_mixture_bound(start->run.mixture, &low, &high);
    return around(bytes, bytes - kvb_mul(bytes, low) / 1000, kvb_add(bytes, kvb_mul(bytes, high) / 1000),
                  KVB_BASIS_CONFIG);
}

void kvb_llama_fill_items(const struct kvb_plan *plan, const struct kvb_llama_start *start, uint32_t device,
                          struct kvb_budget *budget)
{
    const struct kvb_llama_place *held = &start->buffers.places[device];
    const struct kvb_llama_backend_row *backend = kvb_llama_backend_row_of(start->run.backend);
    struct kvb_llama_place beside;
    struct unknown_head head = head_of(plan, start, device);
    take_beside(start, device, &beside);
    uint64_t compute = kvb_add(held->compute_bytes, beside.compute_bytes);
    bool stated = plan->stated[KVB_STATED_ACTIVATION].set;
    budget->items[KVB_ITEM_WEIGHTS] = model_term(plan, start, held->model_bytes, beside.model_bytes);
    budget->items[KVB_ITEM_ACTIVATION] = stated ? exact(plan->stated[KVB_STATED_ACTIVATION].bytes, KVB_BASIS_STATED)
                                                : compute_term(start, device, compute);
    budget->items[KVB_ITEM_NON_TORCH] = plan->stated[KVB_STATED_NON_TORCH].set
                                            ? exact(plan->stated[KVB_STATED_NON_TORCH].bytes, KVB_BASIS_STATED)
                                            : around(backend->context_bytes, backend->context_low_bytes,
                                                     backend->context_high_bytes, KVB_BASIS_MEASURED);
    budget->items[KVB_ITEM_OTHER] = exact(kvb_held_by_reserves(plan), KVB_BASIS_STATED);
    budget->items[KVB_ITEM_KV_CACHE] = exact(kvb_add(kvb_add(held->cache_bytes, held->state_bytes), beside.cache_bytes),
                                             start->own_graph_since > 0 ? KVB_BASIS_MODELLED : KVB_BASIS_EXACT);
    budget->items[KVB_ITEM_WEIGHTS].high_bytes += (int64_t)head.weights_bytes;
    if (head.cache_bytes > 0) {
        budget->items[KVB_ITEM_KV_CACHE].high_bytes += (int64_t)head.cache_bytes;
        budget->items[KVB_ITEM_KV_CACHE].basis = KVB_BASIS_MODELLED;
    }
    budget->weights.total_bytes = (uint64_t)budget->items[KVB_ITEM_WEIGHTS].bytes;
    budget->weights.unquantised_bytes = budget->weights.total_bytes;
    budget->weights.role_bytes[KVB_ROLE_OTHER] = budget->weights.total_bytes;
}
