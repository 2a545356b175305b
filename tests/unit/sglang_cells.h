// A start of SGLang as far as its cells go, and models whose cells are counted.
#ifndef KVB_TESTS_SGLANG_CELLS_H
#define KVB_TESTS_SGLANG_CELLS_H

#include <kvbudget/units.h>

#include "engines/sglang/pool.h"
#include "unit/kv_models.h"

#define R(minor, patch) KVB_RELEASE(0, minor, patch)

static inline void make_setup(struct kvb_sgl_setup *setup, const struct kvb_model *model, uint32_t release, uint32_t tp)
{
    *setup = (struct kvb_sgl_setup){.release = release,
                                    .model = model,
                                    .cuda = true,
                                    .tp = tp,
                                    .pp = 1,
                                    .dp = 1,
                                    .context_tokens = model->context_tokens,
                                    .window_ratio_ppm = 800000,
                                    .state_ratio_ppm = 900000,
                                    .element_bytes = 2};
}

// Bytes of one token.
static inline uint64_t cell_bytes(const struct kvb_sgl_setup *setup)
{
    struct kvb_sgl_cell cell;
    kvb_sgl_cell_of(setup, 0, setup->model->layer_count, &cell);
    return cell.token_micro / KVB_PPM;
}

// Latents of 512 + 64, with an index of so many numbers; 0: without.
static inline void make_mla(struct kvb_model *model, uint32_t layers, uint32_t index)
{
    static const struct shape shape = {"m", 0, 128, 128, 192, 0, 0, 0, KVB_ATTENTION_NONE, 163840};
    struct shape mine = shape;
    mine.layers = layers;
    make_model(&mine, model);
    struct kvb_attention_shape *attention = &model->kinds[0].attention;
    attention->kind = KVB_ATTENTION_MLA;
    attention->latent_rank = 512;
    attention->rope_size = 64;
    attention->index_heads = index > 0 ? 64 : 0;
    attention->index_head_size = index;
    attention->has_indexer = index > 0;
}

#endif
