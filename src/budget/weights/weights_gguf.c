// GGUF: blocks stay as they are stored, whatever the mixture; fused projections are padded to their widest.
// Source: vllm/model_executor/layers/quantization/gguf.py, _create_padded_weight_param.
#include <string.h>

#include "base/checked.h"
#include "budget/weights/weights_checkpoint.h"

#define PRICE_ELEMENTS 1024U
#define WHOLE 1000000U

// Other formats are cast to the model's.
static uint64_t packed_bytes(const struct kvb_part *part, const struct kvb_tensor_class *row)
{
    struct kvb_share share;
    kvb_share_of(part, row, &share);
    uint64_t here = kvb_share_elements(&share);
    if (!row->quantised) {
        return kvb_mul(here, kvb_dtype_bytes(part->load->dtype));
    }
    return kvb_mul(here, row->bytes_per_1024) / PRICE_ELEMENTS;
}

// Query, key and value projections become one parameter with rows of one width.
static bool is_fused(const struct kvb_tensor_class *row)
{
    return row->role == KVB_ROLE_ATTENTION && row->quantised && row->columns > 1 && row->in_layer && // same: or many
           (row->split == KVB_SPLIT_ROWS || row->split == KVB_SPLIT_KV);
}

_Static_assert(KVB_CHECKPOINT_LAYER_WORDS * 64 >= KVB_LAYERS_MAX, "a bit for every layer");

static uint32_t widest_price(const struct kvb_checkpoint *checkpoint, uint32_t layer)
{
    uint32_t price = 0;
    for (uint32_t i = 0; i < checkpoint->class_count; i++) {
        const struct kvb_tensor_class *row = &checkpoint->classes[i];
        bool here = (row->layers[layer / 64] >> layer % 64 & 1) != 0;
        if (here && is_fused(row) && row->bytes_per_1024 > price) {
            price = row->bytes_per_1024;
        }
    }
    return price;
}

// What the padding of the fused projections adds.
static uint64_t padding_bytes(const struct kvb_part *part)
{
    const struct kvb_checkpoint *checkpoint = &part->load->model->checkpoint;
    uint64_t elements = 0, stored = 0, padded = 0;
    bool separate = false;
    for (uint32_t i = 0; i < checkpoint->class_count; i++) {
        const struct kvb_tensor_class *row = &checkpoint->classes[i];
        struct kvb_share share;
        if (is_fused(row)) {
            kvb_share_of(part, row, &share);
            elements = kvb_add(elements, kvb_share_elements(&share));
            stored = kvb_add(stored, packed_bytes(part, row));
            separate = separate || row->split == KVB_SPLIT_KV;
        }
    }
    uint32_t layers = part->end - part->begin;
    for (uint32_t layer = part->begin; separate && layer < part->end; layer++) {
        padded = kvb_add(padded, kvb_mul(elements / layers, widest_price(checkpoint, layer)) / PRICE_ELEMENTS);
    }
    return kvb_max(padded, stored) - stored;
}

// By role, from the classes; or all under one, from the total of a profile that lists no classes.
static uint64_t fill_roles(const struct kvb_part *rank, struct kvb_weights *weights)
{
    const struct kvb_checkpoint *checkpoint = &rank->load->model->checkpoint;
    uint64_t sum = 0;
    for (uint32_t i = 0; i < checkpoint->class_count; i++) {
        uint64_t bytes = packed_bytes(rank, &checkpoint->classes[i]);
        uint64_t *role = &weights->role_bytes[checkpoint->classes[i].role];
        *role = kvb_add(*role, bytes);
        sum = kvb_add(sum, bytes);
    }
    uint64_t padding = padding_bytes(rank);
    weights->role_bytes[KVB_ROLE_ATTENTION] = kvb_add(weights->role_bytes[KVB_ROLE_ATTENTION], padding);
    return kvb_add(sum, padding);
}

static uint64_t share_of_total(const struct kvb_part *rank)
{
    struct kvb_part whole = {rank->load, true, 0, rank->load->model->layer_count, true, true};
    uint64_t all = kvb_config_elements(&whole);
    uint64_t millionths = all > 0 ? kvb_mul(kvb_config_elements(rank), WHOLE) / all : 0;
    uint64_t total = rank->load->model->checkpoint.total_bytes;
    return kvb_add(kvb_mul(total / WHOLE, millionths), total % WHOLE * millionths / WHOLE);
}

void kvb_weights_from_gguf(const struct kvb_part *rank, struct kvb_weights *weights)
{
    const struct kvb_checkpoint *checkpoint = &rank->load->model->checkpoint;
    uint64_t limit = rank->load->offload_limit_bytes;
    uint64_t described = 0, stored;
    for (uint32_t role = 0; role < KVB_ROLE_COUNT; role++) {
        described = kvb_add(described, weights->role_bytes[role]);
    }
    memset(weights->role_bytes, 0, sizeof weights->role_bytes);
    if (checkpoint->classes_whole) {
        stored = fill_roles(rank, weights);
    } else {
        stored = share_of_total(rank);
        weights->role_bytes[KVB_ROLE_OTHER] = stored;
    }
    weights->offloaded_bytes = kvb_min(limit, stored);
    weights->total_bytes = kvb_moved_by(weights->total_bytes, stored - weights->offloaded_bytes, described);
}
