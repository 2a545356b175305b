// Which layer lies where, and what each place keeps for good: weights, cache, state.
// Source: src/llama-model.cpp, load_tensors (i_gpu_start, act_gpu_layers, splits); src/llama-kv-cache.cpp;
// ggml/src/ggml-cuda/ggml-cuda.cu, get_alloc_size and MATRIX_ROW_PADDING.
#include <string.h>

#include <kvbudget/units.h>

#include "base/checked.h"
#include "budget/shapes.h"
#include "engines/llamacpp/layer.h"
#include "engines/llamacpp/overrides.h"
#include "engines/llamacpp/tensors.h"

static uint64_t share_of(const struct kvb_llama_run *run, uint32_t device)
{
    uint64_t all = 0;
    for (uint32_t i = 0; i < run->devices; i++) {
        all = kvb_add(all, run->share[i]);
    }
    return all > 0 ? run->share[device] : 1;
}

uint32_t kvb_llama_place_of(const struct kvb_llama_run *run, uint32_t layer)
{
    uint32_t layers = run->model->layer_count;
    uint32_t whole = kvb_llama_since(run, KVB_LLAMA_OUTPUT_FIRST) ? layers + 1 : layers;
    uint32_t first = (uint32_t)kvb_less(whole, run->gpu_layers);
    uint32_t count = (uint32_t)kvb_min(run->gpu_layers, layers + 1);
    if (run->devices == 0 || layer < first || layer - first >= count) {
        return KVB_LLAMA_HOST;
    }
    if (run->split == KVB_LLAMA_SPLIT_NONE) {
        return 0;
    }
    uint64_t all = 0, before = 0;
    for (uint32_t i = 0; i < run->devices; i++) {
        all = kvb_add(all, share_of(run, i));
    }
    for (uint32_t i = 0; i + 1 < run->devices; i++) { // the first whose cumulative share is beyond the layer's
        before = kvb_add(before, share_of(run, i));
        if (kvb_mul(before, count) > kvb_mul(layer - first, all)) {
            return i;
        }
    }
    return run->devices - 1;
}

bool kvb_llama_is_pipelined(const struct kvb_llama_run *run)
{
    uint32_t since = kvb_llama_backend_row_of(run->backend)->pipelines;
    return run->devices > 1 && run->gpu_layers > run->model->layer_count && run->split == KVB_LLAMA_SPLIT_LAYER &&
           !run->keep_cache_on_host && run->cpu_experts == 0 && !kvb_llama_overrides_any(run) && since > 0 &&
           run->build >= since;
}

struct adding {
    const struct kvb_llama_run *run;
    struct kvb_llama_buffers *out;
    uint32_t place, layer;
};

uint64_t kvb_llama_padded(const struct kvb_llama_run *run, uint32_t place, const struct kvb_llama_tensor *tensor)
{
    const struct kvb_llama_backend_row *row =
        kvb_llama_backend_row_of(place == KVB_LLAMA_HOST ? KVB_LLAMA_CPU : run->backend);
    uint64_t bytes = tensor->bytes;
    if (row->row_pad > 0 && tensor->quantised && tensor->columns % row->row_pad != 0) {
        uint64_t missing = row->row_pad - tensor->columns % row->row_pad;
        uint64_t part = kvb_mul(tensor->bytes, missing) / tensor->columns; // of all rows
        bytes = kvb_add(bytes, part / kvb_max(tensor->rows, 1));
    }
    bytes = kvb_round_up(bytes, place == KVB_LLAMA_HOST ? 32 : row->alignment);
    return run->weights_ppm > 0 ? bytes / KVB_PPM * run->weights_ppm + bytes % KVB_PPM * run->weights_ppm / KVB_PPM
                                : bytes;
}

static void add_tensor(void *context, const struct kvb_llama_tensor *tensor)
{
    struct adding *adding = context;
    const struct kvb_llama_run *run = adding->run;
    bool experts = tensor->role == KVB_ROLE_EXPERTS;
    uint32_t place = kvb_llama_tensor_place(run, adding->layer, tensor->name, experts, adding->place);
    struct kvb_llama_place *held = &adding->out->places[place];
    held->model_bytes = kvb_add(held->model_bytes, kvb_llama_padded(run, place, tensor));
}

static void add_input(void *context, const struct kvb_llama_tensor *tensor)
{
    struct adding *adding = context;
    adding->out->embedding_bytes = kvb_add(adding->out->embedding_bytes, tensor->bytes);
    add_tensor(context, tensor);
}

static void add_layer(struct adding *adding, uint32_t layer)
{
    const struct kvb_llama_run *run = adding->run;
    if (run->sums == NULL) {
        kvb_llama_layer_tensors(run, layer, add_tensor, adding);
        return;
    }
    const struct kvb_llama_sum *sum = &run->sums[layer];
    bool moved = adding->layer < run->cpu_experts || adding->place == KVB_LLAMA_HOST;
    struct kvb_llama_place *held = &adding->out->places[adding->place];
    struct kvb_llama_place *experts = moved ? &adding->out->places[KVB_LLAMA_HOST] : held;
    held->model_bytes = kvb_add(held->model_bytes, sum->other_bytes[adding->place == KVB_LLAMA_HOST]);
    experts->model_bytes = kvb_add(experts->model_bytes, sum->experts_bytes[moved]);
}

static void add_cache(const struct kvb_llama_run *run, const struct kvb_llama_cells *cells,
                      const struct kvb_llama_layer *layer, struct kvb_llama_place *place)
{
    uint64_t count = kvb_mul(layer->windowed ? cells->windowed : cells->full, cells->streams);
    uint64_t keys = kvb_llama_cache_bytes(run->key_type, kvb_mul(count, layer->cache_keys));
    uint64_t values = kvb_llama_cache_bytes(run->value_type, kvb_mul(count, layer->cache_values));
    uint64_t copies = kvb_mul(run->sequences, kvb_max(run->state_copies, 1));
    uint64_t state = kvb_mul(kvb_mul(kvb_add(layer->conv_state, layer->state), 4), copies);
    place->cache_bytes = kvb_add(place->cache_bytes, kvb_add(keys, values));
    place->state_bytes = kvb_add(place->state_bytes, state);
}

void kvb_llama_lasting_buffers(const struct kvb_llama_run *run, struct kvb_llama_buffers *out)
{
    struct kvb_llama_cells cells;
    const struct kvb_model *model = run->model;
    memset(out, 0, sizeof *out);
    kvb_llama_cells_of(run, &cells);
    out->cells = kvb_mul(cells.full, cells.streams);
    out->window_cells = kvb_mul(cells.windowed, cells.streams);
    out->streams = cells.streams;
    out->pipelined = kvb_llama_is_pipelined(run);
    out->output_bytes = kvb_mul(kvb_mul(run->sequences, model->vocabulary_size), 4);
    struct adding adding = {run, out, KVB_LLAMA_HOST, KVB_LAYERS_MAX};
    kvb_llama_input_tensors(run, add_input, &adding);
    if (run->loads_heads) {
        adding.place = kvb_llama_place_of(run, model->layer_count);
        kvb_llama_head_tensors(run, add_tensor, &adding);
    }
    for (uint32_t i = 0; i <= model->layer_count; i++) {
        struct kvb_llama_layer layer;
        adding.place = kvb_llama_place_of(run, i);
        adding.layer = i < model->layer_count ? i : KVB_LAYERS_MAX;
        out->places[adding.place].layers++;
        add_layer(&adding, i);
        if (i < model->layer_count) {
            kvb_llama_layer_of(run, i, &layer);
            uint32_t place = run->keep_cache_on_host ? KVB_LLAMA_HOST : adding.place;
            add_cache(run, &cells, &layer, &out->places[place]);
        }
    }
}

// Models whose own file filters the cache of such a context to those layers; others keep one like the model's.
// Source: src/llama-model.cpp, create_memory (LLM_ARCH_QWEN35, QWEN35MOE, STEP35, HUNYUAN_V3).
static bool keeps_heads_alone(const struct kvb_model *model)
{
    static const char *const names[] = {"Qwen3_5", "Step3", "HYV3"};
    bool alone = false;
    for (size_t i = 0; i < sizeof names / sizeof names[0]; i++) {
        alone = alone || strncmp(model->architecture, names[i], strlen(names[i])) == 0;
    }
    return alone;
}

void kvb_llama_head_cache(const struct kvb_llama_run *run, struct kvb_llama_buffers *out)
{
    const struct kvb_model *model = run->model;
    struct kvb_llama_cells cells;
    struct kvb_llama_layer layer;
    kvb_llama_cells_of(run, &cells);
    bool alone = keeps_heads_alone(model);
    uint32_t first = alone ? model->layer_count : 0;
    for (uint32_t i = first; i < model->layer_count + model->mtp_layers; i++) {
        bool head = i >= model->layer_count;
        const struct kvb_layer_kind *kind = head ? &model->kinds[model->mtp_kind] : kvb_kind_of(model, i);
        uint32_t place = kvb_llama_place_of(run, head ? model->layer_count : i);
        kvb_llama_layer_of_kind(run, kind, &layer);
        add_cache(run, &cells, &layer, &out->places[run->keep_cache_on_host ? KVB_LLAMA_HOST : place]);
    }
}
