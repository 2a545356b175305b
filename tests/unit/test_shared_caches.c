// Layers that read another layer's cache over pipeline stages: gemma4.py v0.19.0 Gemma4Attention names the last layer
// of the same type before the first that shares, and validate_kv_sharing_target of attention.py misses it on another
// stage. get_pp_indices deals 35 layers to two stages as 18 and 17.
#include "unit/refusal_says.h"
#include "unit/test.h"

static struct kvb_plan plan;

#define LAYERS 35
#define FIRST_SHARED 15

// Gemma 4 E2B: the last of every five layers sees the whole context; 15 keep a cache.
static void make(const char *architecture, uint64_t stages)
{
    static const struct shape shape = {"gemma-4-E2B", LAYERS, 8, 1, 256, 512, 5, 4, KVB_ATTENTION_SLIDING, 32768};
    make_model(&shape, &plan.model);
    name_class(&plan, architecture);
    plan.model.kind_count = 4;
    plan.model.kinds[2] = plan.model.kinds[0];
    plan.model.kinds[3] = plan.model.kinds[1];
    plan.model.kinds[2].attention.shares_kv = true;
    plan.model.kinds[3].attention.shares_kv = true;
    for (uint32_t layer = FIRST_SHARED; layer < LAYERS; layer++) {
        plan.model.kind_of_layer[layer] = (uint8_t)(plan.model.kind_of_layer[layer] + 2);
    }
    make_plan(&plan, R(19, 0), GIB, 8192);
    set(&plan, KVB_SET_PIPELINE_PARALLEL_SIZE, stages);
}

#define TEXT(prefix, layer, target)                                                                                    \
    "Specified KV sharing target layer for " prefix "model.layers." layer                                              \
    ".self_attn.attn is not valid: target layer " prefix "model.layers." target                                        \
    ".self_attn.attn is not a valid Attention layer in the model."

static void of_another_stage(void **state)
{
    (void)state;
    make("Gemma4ForCausalLM", 1);
    says(kvb_refusal_shared_caches, &plan, NULL);
    make("Gemma4ForCausalLM", 2); // 18 is a window; of those that keep a cache 14 is none
    says(kvb_refusal_shared_caches, &plan, TEXT("", "18", "13"));
    make("Gemma4ForConditionalGeneration", 2);
    says(kvb_refusal_shared_caches, &plan, TEXT("language_model.", "18", "13"));
    make("Gemma4ForCausalLM", 5); // 14 keeps its own, and 15 reads one of the stage before
    says(kvb_refusal_shared_caches, &plan, TEXT("", "15", "13"));
    make("Gemma4ForCausalLM", 7); // 15 begins the fourth of seven stages
    says(kvb_refusal_shared_caches, &plan, TEXT("", "15", "13"));
}

// Before 15 no layer is moved, so that two stages of which the second alone shares within itself start.
static void of_the_same_stage(void **state)
{
    (void)state;
    make("Gemma4ForCausalLM", 2);
    for (uint32_t layer = FIRST_SHARED; layer < 25; layer++) { // 25 to 34 share, and read 24 and 23
        plan.model.kind_of_layer[layer] = (uint8_t)(plan.model.kind_of_layer[layer] - 2);
    }
    says(kvb_refusal_shared_caches, &plan, NULL);
    make("Gemma4ForCausalLM", 2);
    for (uint32_t layer = 0; layer < FIRST_SHARED; layer++) { // kv_shared_layer_index is -1: there is no name
        plan.model.kind_of_layer[layer] = (uint8_t)(plan.model.kind_of_layer[layer] + 2);
    }
    says(kvb_refusal_shared_caches, &plan, NULL);
}

KVB_TEST_MAIN(cmocka_unit_test(of_another_stage), cmocka_unit_test(of_the_same_stage))
