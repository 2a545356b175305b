// What the checkpoint's headers know better than the config: elements that are or are not there, or are
// not quantised, and the stored size of GGUF's mixtures. Where both agree the config's count stands,
// because it knows what the engine makes of the tensors (padding, fusing, rounding).
#include "budget/weights/weights_checkpoint.h"

#include <string.h>

#include "base/checked.h"

// Prices of quantised elements are taken from a matrix of this many rows and columns, per 1024 elements.
#define SAMPLE_SIDE 4096U
#define PRICE_ELEMENTS 1024U

// Elements of a model or of one rank, by role.
struct tally {
    uint64_t plain[KVB_ROLE_COUNT], quantised[KVB_ROLE_COUNT];
};

static uint64_t sum_of(const uint64_t elements[KVB_ROLE_COUNT])
{
    uint64_t sum = 0;
    for (uint32_t role = 0; role < KVB_ROLE_COUNT; role++) {
        sum = kvb_add(sum, elements[role]);
    }
    return sum;
}

static bool same_sums(const struct tally *a, const struct tally *b)
{
    return sum_of(a->plain) == sum_of(b->plain) && sum_of(a->quantised) == sum_of(b->quantised);
}

// Whether tensors of this role that belong to no layer are on the part.
static bool holds_outer(const struct kvb_part *part, enum kvb_role role)
{
    const struct kvb_model *model = part->load->model;
    switch (role) {
    case KVB_ROLE_MTP:
        return false;
    case KVB_ROLE_EMBEDDING:
        return part->first || (part->last && model->tied_embeddings);
    case KVB_ROLE_HEAD:
        return part->last && !model->tied_embeddings;
    case KVB_ROLE_NORM:
        return part->last;
    default:
        return kvb_is_tower(role) ? part->whole || !kvb_drops_tower(part->load, role) : part->first;
    }
}

static void split(const struct kvb_part *part, const struct kvb_tensor *tensor, struct kvb_matrix *matrix)
{
    struct kvb_tensor copy = *tensor;
    bool copied = kvb_is_tower(tensor->role) && part->load->towers_copied;
    if (part->whole || copied) {
        copy.split = KVB_SPLIT_COPY;
    }
    kvb_tensor_split(part->load, &copy, matrix);
    matrix->is_expert = tensor->role == KVB_ROLE_EXPERTS;
}

// Towers and their projectors are one group: where the one ends and the other begins is a matter of names.
static enum kvb_role group_of(enum kvb_role role)
{
    return kvb_is_tower(role) ? KVB_ROLE_VISION : role;
}

static uint64_t elements_of(const struct kvb_matrix *matrix)
{
    return kvb_mul(kvb_mul(matrix->rows, matrix->columns), matrix->count);
}

static void count_config(const struct kvb_part *part, const struct kvb_tensor *tensor, uint64_t times,
                         struct tally *tally)
{
    struct kvb_matrix matrix;
    if (tensor->engine_only || times == 0) {
        return;
    }
    split(part, tensor, &matrix);
    bool stored = part->load->model->quantisation.method != KVB_QUANT_NONE;
    uint64_t *sums = stored && kvb_is_quantised(part->load, &matrix) ? tally->quantised : tally->plain;
    uint64_t *sum = &sums[group_of(tensor->role)];
    *sum = kvb_add(*sum, kvb_mul(elements_of(&matrix), times));
}

static void count_config_layers(const struct kvb_part *part, struct tally *tally)
{
    const struct kvb_model *model = part->load->model;
    struct kvb_tensor tensors[KVB_TENSORS_MAX];
    for (uint32_t kind = 0; kind < model->kind_count; kind++) { // same: no layer is of a kind beyond the last
        uint64_t layers = 0;
        for (uint32_t layer = part->begin; layer < part->end; layer++) {
            layers += model->kind_of_layer[layer] == kind;
        }
        uint32_t count = layers > 0 ? kvb_layer_tensors(model, &model->kinds[kind], tensors) : 0;
        for (uint32_t i = 0; i < count; i++) {
            count_config(part, &tensors[i], layers, tally);
        }
    }
}

static void tally_config(const struct kvb_part *part, struct tally *tally)
{
    const struct kvb_model *model = part->load->model;
    struct kvb_tensor tensors[KVB_TENSORS_MAX];
    memset(tally, 0, sizeof *tally);
    count_config_layers(part, tally);
    uint32_t count = kvb_outer_tensors(model, tensors);
    for (uint32_t i = 0; i < count; i++) {
        count_config(part, &tensors[i], holds_outer(part, tensors[i].role) ? 1 : 0, tally);
    }
    for (uint32_t i = 0; i < model->extra_count; i++) {
        const struct kvb_extra *extra = &model->extras[i];
        struct kvb_tensor tensor = {.name = extra->name,
                                    .role = extra->role,
                                    .split = extra->split,
                                    .rows = extra->rows,
                                    .columns = extra->columns,
                                    .count = 1,
                                    .quantised = extra->quantised};
        count_config(part, &tensor, holds_outer(part, extra->role) ? extra->count : 0, tally);
    }
}

uint64_t kvb_config_elements(const struct kvb_part *part)
{
    struct tally tally;
    uint64_t elements = 0;
    tally_config(part, &tally);
    for (uint32_t role = 0; role < KVB_ROLE_COUNT; role++) {
        elements = kvb_add(elements, kvb_add(tally.plain[role], tally.quantised[role]));
    }
    return elements;
}

// KV heads of a projection with so many rows, from the config.
static uint32_t heads_of(const struct kvb_model *model, uint64_t rows)
{
    for (uint32_t i = 0; i < model->kind_count; i++) {
        const struct kvb_attention_shape *shape = &model->kinds[i].attention;
        uint64_t keys = (uint64_t)shape->kv_heads * shape->head_size;
        uint64_t values = (uint64_t)shape->kv_heads * shape->value_head_size;
        if (keys == rows || values == rows) {
            return shape->kv_heads;
        }
    }
    return 0;
}

// How many of a class's layers there are, and how many of them on the part.
static void layers_of(const struct kvb_part *part, const struct kvb_tensor_class *row, uint32_t *all, uint32_t *here)
{
    *all = 0;
    *here = 0;
    for (uint32_t layer = 0; layer < KVB_CHECKPOINT_LAYER_WORDS * 64; layer++) {
        if ((row->layers[layer / 64] >> layer % 64 & 1) != 0) {
            ++*all;
            *here += layer >= part->begin && layer < part->end;
        }
    }
}

void kvb_share_of(const struct kvb_part *part, const struct kvb_tensor_class *row, struct kvb_share *share)
{
    struct kvb_tensor tensor = {.role = (enum kvb_role)row->role,
                                .split = (enum kvb_split)row->split,
                                .rows = row->rows,
                                .columns = row->columns,
                                .quantised = row->quantised};
    if (tensor.split == KVB_SPLIT_KV) {
        tensor.heads = heads_of(part->load->model, row->rows);
    }
    split(part, &tensor, &share->matrix);
    bool spread = row->role == KVB_ROLE_EXPERTS && !part->whole;
    share->matrix.count = spread ? kvb_div_up(row->count, part->load->ep) : row->count;
    share->all = 1;
    share->here = holds_outer(part, tensor.role) ? 1 : 0;
    if (row->in_layer) {
        layers_of(part, row, &share->all, &share->here);
    }
    share->all = (uint32_t)kvb_max(share->all, 1);
    share->here = row->role == KVB_ROLE_MTP ? 0 : share->here;
}

uint64_t kvb_share_elements(const struct kvb_share *share)
{
    uint64_t elements = elements_of(&share->matrix);
    return kvb_add(kvb_mul(elements / share->all, share->here), elements % share->all * share->here / share->all);
}

static void tally_headers(const struct kvb_part *part, struct tally *tally)
{
    const struct kvb_checkpoint *checkpoint = &part->load->model->checkpoint;
    bool quantised = part->load->model->quantisation.method != KVB_QUANT_NONE;
    memset(tally, 0, sizeof *tally);
    for (uint32_t i = 0; i < checkpoint->class_count; i++) {
        const struct kvb_tensor_class *row = &checkpoint->classes[i];
        struct kvb_share share;
        kvb_share_of(part, row, &share);
        uint64_t elements = kvb_share_elements(&share);
        uint64_t *sums = quantised && row->quantised ? tally->quantised : tally->plain;
        uint64_t *sum = &sums[group_of((enum kvb_role)row->role)];
        *sum = kvb_add(*sum, elements);
    }
}

static uint64_t quantised_bytes(const struct kvb_load *load, enum kvb_role role, uint64_t elements)
{
    struct kvb_matrix sample = {.role = role,
                                .count = 1,
                                .rows = SAMPLE_SIDE,
                                .columns = SAMPLE_SIDE,
                                .quantised = true,
                                .is_expert = role == KVB_ROLE_EXPERTS};
    struct kvb_parameter parameter;
    uint64_t bytes = 0;
    kvb_parameter_make(load, &sample, &parameter);
    for (uint32_t i = 0; i < KVB_PARTS_MAX; i++) {
        bytes = kvb_add(bytes, parameter.part_bytes[i]);
    }
    uint64_t price = bytes / ((uint64_t)SAMPLE_SIDE * SAMPLE_SIDE / PRICE_ELEMENTS);
    return kvb_mul(elements, price) / PRICE_ELEMENTS;
}

static uint64_t loaded_bytes(const struct kvb_load *load, enum kvb_role role, const struct tally *tally)
{
    uint64_t plain = kvb_mul(tally->plain[role], kvb_dtype_bytes(load->dtype));
    return kvb_add(plain, quantised_bytes(load, role, tally->quantised[role]));
}

uint64_t kvb_moved_by(uint64_t from, uint64_t more, uint64_t less)
{
    return kvb_max(kvb_add(from, more), less) - less;
}

void kvb_weights_from_headers(const struct kvb_part *whole, const struct kvb_part *rank, struct kvb_weights *weights)
{
    struct tally stored, described, here, expected;
    tally_headers(whole, &stored);
    tally_config(whole, &described);
    if (same_sums(&stored, &described)) {
        return;
    }
    tally_headers(rank, &here);
    tally_config(rank, &expected);
    for (uint32_t role = 0; role < KVB_ROLE_COUNT; role++) {
        if (stored.plain[role] == described.plain[role] && stored.quantised[role] == described.quantised[role]) {
            continue;
        }
        uint64_t more = loaded_bytes(rank->load, (enum kvb_role)role, &here);
        uint64_t less = loaded_bytes(rank->load, (enum kvb_role)role, &expected);
        weights->role_bytes[role] = kvb_moved_by(weights->role_bytes[role], more, less);
        weights->total_bytes = kvb_moved_by(weights->total_bytes, more, less);
    }
}

bool kvb_model_counts_headers(const struct kvb_model *model)
{
    switch (model->checkpoint.kind) {
    case KVB_CHECKPOINT_GGUF:
        return true;
    case KVB_CHECKPOINT_SAFETENSORS:
        return model->checkpoint.classes_whole;
    case KVB_CHECKPOINT_INDEX: // scales and paddings are in a total, but not how many
        return model->quantisation.method == KVB_QUANT_NONE;
    default:
        return false;
    }
}

static uint64_t *largest_role(struct kvb_weights *weights)
{
    uint64_t *largest = &weights->role_bytes[0];
    for (uint32_t role = 1; role < KVB_ROLE_COUNT; role++) {
        largest = weights->role_bytes[role] > *largest ? &weights->role_bytes[role] : largest;
    }
    return largest;
}

// Only a total is known: what it says more or less than the config's elements is spread over the ranks.
void kvb_weights_from_total(const struct kvb_load *load, struct kvb_weights *weights)
{
    const struct kvb_model *model = load->model;
    uint64_t expected = kvb_mul(kvb_model_parameters(model), kvb_dtype_bytes(model->dtype));
    uint64_t stated = model->checkpoint.total_bytes;
    bool more = stated > expected; // same: where both are alike, nothing is off
    uint64_t off = more ? stated - expected : expected - stated;
    if (off <= expected / 100) {
        return; // copies and buffers explain as much
    }
    uint64_t share = off / ((uint64_t)load->tp * load->pp);
    uint64_t *sum = more ? &weights->role_bytes[KVB_ROLE_OTHER] : largest_role(weights);
    *sum = kvb_moved_by(*sum, more ? share : 0, more ? 0 : share);
    weights->total_bytes = kvb_moved_by(weights->total_bytes, more ? share : 0, more ? 0 : share);
}
