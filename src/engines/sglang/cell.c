// Bytes of one token in the pool of one rank. Source: sgl-project/sglang, python/sglang/srt: model_executor/
// model_runner.py (profile_max_num_token, to 0.5.7), model_runner_kv_cache_mixin.py (get_cell_size_per_token, 0.5.8 to
// 0.5.11), pool_configurator.py (0.5.12 and later); configs/mamba_utils.py for states.
#include "engines/sglang/models.h"
#include "engines/sglang/pool.h"

#include <string.h>

#include <kvbudget/units.h>

#include "base/checked.h"
#include "budget/shapes.h"

#define SCALE_ELEMENTS 16U // of a 4-bit format: one byte of scale for so many elements
#define MXFP8_SCALE_ELEMENTS 32U
#define INDEX_BLOCK 128U       // elements that share a 32-bit scale in the sparse index
#define STATE_ELEMENT_BYTES 4U // unless the model or --mamba-ssm-dtype says otherwise
#define CONV_ELEMENT_BYTES 2U  // bfloat16
#define DSV4_SCALE_BYTES 8U

uint32_t kvb_sgl_attention_groups(const struct kvb_sgl_setup *setup)
{
    return setup->dp_attention && setup->dp > 0 ? setup->dp : 1;
}

uint32_t kvb_sgl_attention_ranks(const struct kvb_sgl_setup *setup)
{
    uint32_t ranks = setup->tp / kvb_sgl_attention_groups(setup);
    return ranks > 0 ? ranks : 1;
}

static bool has_index(const struct kvb_attention_shape *shape)
{
    return shape->index_head_size > 0;
}

// The sparse index of DeepSeek V3.2 and GLM-5: fp8 keys and a scale for each block of them; 0.5.3.post1 and later. From
// 0.5.18 on only layers that own one have it.
static uint64_t index_bytes(const struct kvb_sgl_setup *setup, const struct kvb_attention_shape *shape)
{
    bool counted = has_index(shape) && setup->release >= KVB_RELEASE(0, 5, 3) + 1 &&
                   (shape->has_indexer || setup->release < KVB_RELEASE(0, 5, 18));
    return counted ? shape->index_head_size + shape->index_head_size / INDEX_BLOCK * 4U : 0;
}

static uint64_t latent_bytes(const struct kvb_sgl_setup *setup, const struct kvb_attention_shape *shape)
{
    uint64_t width = (uint64_t)shape->latent_rank + shape->rope_size;
    if (setup->four_bits) {
        return width / 2 + width / SCALE_ELEMENTS + index_bytes(setup, shape);
    }
    if (has_index(shape) && setup->fp8_cache && setup->release >= KVB_RELEASE(0, 5, 18)) {
        // 656 bytes for 512 + 64: scales for each 128 elements, and the rotary part in 16 bits
        width = shape->latent_rank + shape->latent_rank / INDEX_BLOCK * 4U + 2U * (uint64_t)shape->rope_size;
    }
    return width * setup->element_bytes + index_bytes(setup, shape);
}

// Keys and values of one layer.
static uint64_t plain_bytes(const struct kvb_sgl_setup *setup, const struct kvb_attention_shape *shape)
{
    uint32_t value_size = shape->value_head_size > 0 ? shape->value_head_size : shape->head_size;
    if (setup->release < KVB_RELEASE(0, 5, 7)) {
        value_size = shape->head_size; // twice the keys
    }
    uint64_t heads = kvb_heads_on_rank(shape->kv_heads, kvb_sgl_attention_ranks(setup));
    uint64_t elements = heads * ((uint64_t)shape->head_size + value_size);
    uint64_t bytes = elements * setup->element_bytes;
    if (setup->four_bits) {
        bytes = bytes / 2 + heads * shape->head_size * 2 / SCALE_ELEMENTS;
    } else if (setup->mxfp8) {
        bytes += elements / MXFP8_SCALE_ELEMENTS;
    }
    // MiniMax-M3: the index of a sparse layer keeps keys in 16 bits.
    return bytes + (has_index(shape) ? (uint64_t)shape->index_head_size * 2 : 0);
}

static uint64_t layer_bytes(const struct kvb_sgl_setup *setup, const struct kvb_attention_shape *shape)
{
    switch (shape->kind) {
    case KVB_ATTENTION_MLA:
        return latent_bytes(setup, shape);
    case KVB_ATTENTION_FULL:
    case KVB_ATTENTION_SLIDING:
    case KVB_ATTENTION_CHUNKED:
    case KVB_ATTENTION_CROSS:
    case KVB_ATTENTION_ENCODER: // models that only read have a pool as well
        return plain_bytes(setup, shape);
    default:
        return 0;
    }
}

static uint64_t state_bytes(const struct kvb_sgl_setup *setup, const struct kvb_attention_shape *s)
{
    uint64_t ranks = kvb_sgl_attention_ranks(setup);
    uint64_t element = setup->state_element > 0 ? setup->state_element : STATE_ELEMENT_BYTES;
    uint64_t taps = s->conv_kernel > 0 ? s->conv_kernel - 1U : 0;
    uint64_t keys = (uint64_t)s->state_key_heads * s->state_key_size;
    uint64_t values = (uint64_t)s->state_value_heads * s->state_value_size;
    uint64_t groups = s->state_key_heads % ranks == 0 ? s->state_key_heads : ranks;
    switch (s->kind) {
    case KVB_ATTENTION_MAMBA1:
        return s->state_inner_size / ranks * (taps * CONV_ELEMENT_BYTES + s->state_key_size * element);
    case KVB_ATTENTION_MAMBA2:
        return taps * ((s->state_inner_size + 2 * groups * s->state_key_size) / ranks) * CONV_ELEMENT_BYTES +
               values / ranks * s->state_key_size * element;
    case KVB_ATTENTION_LINEAR:
        return s->state_value_heads / ranks * s->state_value_size * s->state_value_size * element;
    case KVB_ATTENTION_GDN:
    case KVB_ATTENTION_KDA:
        return taps * ((2 * keys + values) / ranks) * CONV_ELEMENT_BYTES + values / ranks * s->state_key_size * element;
    case KVB_ATTENTION_SHORT_CONV:
        return s->state_inner_size / ranks * taps * CONV_ELEMENT_BYTES;
    default:
        return 0;
    }
}

// Layers that a draft of the model's own kind adds, when a path is named or the class names its own: 0.5.14 and later
// (model_runner.py, eagle_draft_num_layers).
static uint64_t draft_layers(const struct kvb_sgl_setup *setup)
{
    bool alike = setup->draft == KVB_SGL_DRAFT_EAGLE || setup->draft == KVB_SGL_DRAFT_STANDALONE;
    alike = alike && (setup->draft_named || kvb_sgl_model_is(setup->model, KVB_SGL_OWN_DRAFT, setup->release));
    return alike && setup->release >= KVB_RELEASE(0, 5, 14) ? setup->draft_layers : 0;
}

// What a DFLASH draft adds to a token of a model with `layers` layers of `bytes` together: as many of the target's
// layers from 0.5.12 on, without windows; from 0.5.18 on its own keys and values, with windows too
// (pool_configurator.py, _dflash_draft_cell_size).
static uint64_t dflash_bytes(const struct kvb_sgl_setup *setup, bool windows, uint64_t bytes, uint64_t layers)
{
    const struct kvb_model *draft = setup->draft_model;
    bool own = setup->release >= KVB_RELEASE(0, 5, 18);
    if (setup->draft != KVB_SGL_DRAFT_DFLASH || (windows && !own) || setup->release < KVB_RELEASE(0, 5, 12)) {
        return 0;
    }
    uint64_t sum = 0;
    for (uint32_t layer = 0; own && draft != NULL && layer < draft->layer_count; layer++) {
        sum += layer_bytes(setup, &kvb_kind_of(draft, layer)->attention);
    }
    return sum > 0 ? sum : bytes * setup->draft_layers / kvb_max(layers, 1);
}

// ---- DeepSeek V4

// Latent positions at three strides, the index of layers with ratio 4, and the states of their compressors.
static void fill_compressed(const struct kvb_sgl_setup *setup, uint32_t begin, uint32_t end, struct kvb_sgl_cell *cell)
{
    uint64_t ratio = setup->window_ratio_ppm;
    uint64_t micro = 0;
    for (uint32_t layer = begin; layer < end; layer++) {
        const struct kvb_attention_shape *s = &kvb_kind_of(setup->model, layer)->attention;
        uint64_t position = (uint64_t)s->head_size + s->rope_size + DSV4_SCALE_BYTES; // fp8, the rotary part in 16 bits
        uint64_t ring4 = setup->draft != KVB_SGL_DRAFT_NONE ? 16 : 8;
        uint64_t ring128 = setup->draft != KVB_SGL_DRAFT_NONE ? 256 : 128;
        cell->window_tokens = s->window_tokens;
        micro += ratio * position;
        if (s->compress_ratio == 4) {
            uint64_t index = s->index_head_size + s->index_head_size / INDEX_BLOCK * 4U;
            uint64_t states = (uint64_t)4 * (s->head_size + s->index_head_size) * STATE_ELEMENT_BYTES;
            micro += (position + index) * KVB_PPM / 4 + ratio * ring4 * states / kvb_max(s->window_tokens, 1);
        } else if (s->compress_ratio == 128) {
            uint64_t states = (uint64_t)2 * s->head_size * STATE_ELEMENT_BYTES;
            micro += position * KVB_PPM / 128;
            if (setup->release < KVB_RELEASE(0, 5, 15)) {
                micro += ratio * ring128 * states / kvb_max(s->window_tokens, 1);
            } else {
                cell->ring_bytes += ring128 * states;
            }
        }
    }
    uint64_t layers = kvb_max(end - begin, 1);
    if (setup->release < KVB_RELEASE(0, 5, 13)) { // all of compress_ratios, with the module behind the last layer
        uint64_t position = kvb_kind_of(setup->model, begin)->attention.head_size +
                            kvb_kind_of(setup->model, begin)->attention.rope_size + DSV4_SCALE_BYTES;
        micro += ratio * position * setup->model->mtp_layers;
        layers += setup->model->mtp_layers;
    }
    cell->compressed = true;
    cell->token_micro = setup->draft != KVB_SGL_DRAFT_NONE ? micro / layers * (layers + 1) : micro;
}

// ---- Windows

bool kvb_sgl_is_window(const struct kvb_attention_shape *shape)
{
    return shape->kind == KVB_ATTENTION_SLIDING || shape->kind == KVB_ATTENTION_CHUNKED;
}

static bool splits_pools(const struct kvb_sgl_setup *setup)
{
    return !setup->no_window_pools && kvb_sgl_model_is(setup->model, KVB_SGL_WINDOW_POOLS, setup->release) &&
           (kvb_model_has(setup->model, KVB_ATTENTION_SLIDING) || kvb_model_has(setup->model, KVB_ATTENTION_CHUNKED));
}

// To 0.5.8 memory is divided as if all layers were alike, then tokens x layers are dealt out; from 0.5.9 on bytes are.
static void fill_windows(const struct kvb_sgl_setup *setup, uint64_t full_layer_bytes, struct kvb_sgl_cell *cell)
{
    uint64_t added = draft_layers(setup);
    cell->windows = true;
    if (cell->full_layers == 0) {
        cell->token_micro = kvb_mul(cell->window_bytes + added * full_layer_bytes, KVB_PPM);
        return;
    }
    if (setup->release >= KVB_RELEASE(0, 5, 15)) {
        cell->full_bytes += added * full_layer_bytes; // a draft's layers keep every token
    }
    cell->full_bytes += dflash_bytes(setup, true, cell->full_bytes, cell->full_layers);
    cell->token_micro = kvb_mul(cell->full_bytes, KVB_PPM) + cell->window_bytes * setup->window_ratio_ppm;
    if (setup->release < KVB_RELEASE(0, 5, 15) && added > 0) {
        uint64_t layers = cell->full_layers + cell->window_layers;
        cell->token_micro = kvb_mul(cell->token_micro / layers, layers + added);
    }
}

// To 0.5.8 all layers are taken for full ones; of MiMo's those with a window are counted beside them, in 0.5.7 in their
// place.
static uint64_t uniform_bytes(const struct kvb_sgl_setup *setup, const struct kvb_sgl_cell *cell,
                              uint64_t full_layer_bytes)
{
    bool apart = strcmp(setup->model->architecture, "MiMoV2FlashForCausalLM") == 0;
    bool alike = !apart || setup->release >= KVB_RELEASE(0, 5, 8);
    uint64_t layers = cell->full_layers + (alike ? cell->window_layers : 0);
    return full_layer_bytes * layers + (apart ? cell->window_bytes : 0);
}

static void add_layer(const struct kvb_sgl_setup *setup, const struct kvb_attention_shape *shape, bool windows,
                      struct kvb_sgl_cell *cell)
{
    uint64_t bytes = layer_bytes(setup, shape);
    cell->state_bytes += state_bytes(setup, shape);
    if (bytes == 0) {
        return;
    }
    if (windows && kvb_sgl_is_window(shape)) {
        cell->window_bytes += bytes;
        cell->window_layers++;
        cell->window_tokens = shape->window_tokens;
    } else {
        cell->full_bytes += bytes;
        cell->full_layers++;
    }
}

void kvb_sgl_cell_of(const struct kvb_sgl_setup *setup, uint32_t begin, uint32_t end, struct kvb_sgl_cell *cell)
{
    const struct kvb_model *model = setup->model;
    bool windows = splits_pools(setup);
    uint64_t full_layer_bytes = 0;
    *cell = (struct kvb_sgl_cell){0};
    if (kvb_model_has(model, KVB_ATTENTION_DSV4)) {
        fill_compressed(setup, begin, end, cell);
        return;
    }
    for (uint32_t layer = begin; layer < end; layer++) {
        const struct kvb_attention_shape *shape = &kvb_kind_of(model, layer)->attention;
        add_layer(setup, shape, windows, cell);
        if (layer_bytes(setup, shape) > 0 && (full_layer_bytes == 0 || !kvb_sgl_is_window(shape))) {
            full_layer_bytes = layer_bytes(setup, shape);
        }
    }
    cell->uniform_bytes = uniform_bytes(setup, cell, full_layer_bytes);
    if (windows) {
        fill_windows(setup, full_layer_bytes, cell);
        return;
    }
    uint64_t layers = cell->full_layers;
    uint64_t added = draft_layers(setup);
    if (added > 0 && layers > 0) {
        cell->full_bytes = cell->full_bytes * (layers + added) / layers;
    }
    cell->full_bytes += dflash_bytes(setup, false, cell->full_bytes, layers);
    if (setup->four_bits && setup->release >= KVB_RELEASE(0, 5, 16) && !kvb_model_is_mla(model)) {
        // one fp8 workspace for all layers
        const struct kvb_attention_shape *first = &kvb_kind_of(model, begin)->attention;
        uint64_t heads = kvb_heads_on_rank(first->kv_heads, kvb_sgl_attention_ranks(setup));
        cell->full_bytes += heads * first->head_size * 2;
    }
    cell->token_micro = kvb_mul(cell->full_bytes, KVB_PPM);
}
