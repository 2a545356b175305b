// A kind of layer behind a model's last, at which nothing may look.
#ifndef KVB_TESTS_ODD_KIND_H
#define KVB_TESTS_ODD_KIND_H

#include <string.h>

#include <kvbudget/model.h>

// A kind that no model has, with some of everything.
static inline void add_odd_kind(struct kvb_model *model, uint32_t turn)
{
    struct kvb_layer_kind *kind = &model->kinds[model->kind_count];
    memset(kind, 0, sizeof *kind);
    kind->attention = (struct kvb_attention_shape){.kind = (enum kvb_attention)(1 + turn % (KVB_ATTENTION_COUNT - 1)),
                                                   .heads = 112,
                                                   .kv_heads = 56,
                                                   .head_size = 512,
                                                   .value_head_size = 512,
                                                   .window_tokens = 4096,
                                                   .latent_rank = 1024,
                                                   .rope_size = 128,
                                                   .nope_size = 256,
                                                   .index_heads = 64,
                                                   .index_head_size = 128,
                                                   .has_indexer = true,
                                                   .shares_kv = turn % 3 == 0,
                                                   .sinks = true,
                                                   .state_inner_size = 65536,
                                                   .state_key_heads = 112,
                                                   .state_key_size = 256,
                                                   .state_value_heads = 112,
                                                   .state_value_size = 256,
                                                   .conv_kernel = 4};
    kind->mlp = (struct kvb_mlp_shape){.kind = KVB_MLP_MOE,
                                       .intermediate_size = 65536,
                                       .experts = 1024,
                                       .experts_per_token = 64,
                                       .expert_intermediate_size = 8192,
                                       .shared_intermediate_size = 8192};
    for (uint32_t layer = model->layer_count; layer < KVB_LAYERS_MAX; layer++) {
        model->kind_of_layer[layer] = (uint8_t)model->kind_count;
    }
}

#endif
