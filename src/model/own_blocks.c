// DSpark of DeepSeek V4: decoder layers of the target's shape that keep their window alone, a projection of inner
// states and a low rank from each token to each; embedding and output head are the target's. Source:
// vllm/models/deepseek_v4/nvidia/dspark.py v0.25.0 to v0.27.1, config/speculative.py v0.25.0:672. Ranks and the three
// inner layers: configs of deepseek-ai/DeepSeek-V4-Flash-DSpark and -Pro-DSpark, as SGLang's tests and users state
// them.
#include "model/own_blocks.h"

#include <string.h>

#include "base/model_copy.h"
#include "base/text.h"

#define LAYERS 3 // where the config has no n_mtp_layers
#define STATES 3
#define FLASH_WIDTH 4096
#define FLASH_RANK 256
#define PRO_RANK 512

static void add_extra(struct kvb_model *model, struct kvb_extra extra, const char *name)
{
    (void)kvb_copy(extra.name, sizeof extra.name, name);
    extra.count = 1;
    model->extras[model->extra_count++] = extra;
}

static void set_extras(struct kvb_model *blocks)
{
    uint64_t hidden = blocks->hidden_size, rows = blocks->vocabulary_size;
    uint64_t rank = hidden > FLASH_WIDTH ? PRO_RANK : FLASH_RANK;
    blocks->extra_count = 0;
    add_extra(blocks,
              (struct kvb_extra){.role = KVB_ROLE_OTHER,
                                 .split = KVB_SPLIT_COPY,
                                 .rows = hidden,
                                 .columns = STATES * hidden,
                                 .quantised = true},
              "main_proj");
    struct kvb_extra table = {.role = KVB_ROLE_OTHER, .split = KVB_SPLIT_VOCABULARY, .rows = rows, .columns = rank};
    add_extra(blocks, table, "markov_w1");
    add_extra(blocks, table, "markov_w2");
}

bool kvb_own_blocks(const struct kvb_model *model, struct kvb_model *blocks)
{
    if (!kvb_starts_with(model->architecture, "DeepseekV4") || model->mtp_layers == 0) {
        return false;
    }
    if (blocks != model) {
        kvb_model_copy(blocks, model);
    }
    blocks->layer_count = model->mtp_layers > 1 ? model->mtp_layers : LAYERS;
    memset(blocks->kind_of_layer, model->mtp_kind, blocks->layer_count);
    (void)kvb_copy(blocks->architecture, sizeof blocks->architecture, "DSparkDeepseekV4ForCausalLM");
    blocks->mtp_layers = 0;
    blocks->tied_embeddings = true;
    blocks->target_states = STATES;
    blocks->rope_cache_count = 0; // tables are the target's
    blocks->encoder.family = KVB_ENCODER_NONE;
    kvb_checkpoint_clear(&blocks->checkpoint);
    set_extras(blocks);
    return true;
}
