// Configs at the edges of what a class allows: blocks, groups, patterns and names that lack a part or say it oddly.
#include "hf_text.h"
#include "unit/test.h"

#define DECI(blocks) TINY_WITH("DeciLMForCausalLM", blocks)
#define BLOCKS(attention, ffn)                                                                                         \
    DECI(", \"block_configs\": [{\"attention\": " attention ", \"ffn\": " ffn "}, {\"attention\": {\"no_op\": true}, " \
         "\"ffn\": {\"no_op\": true}}]")
#define STEP(more)                                                                                                     \
    TINY_WITH("Step3p5ForCausalLM",                                                                                    \
              ", \"layer_types\": [\"full_attention\", \"sliding_attention\"], \"sliding_window\": 32, "               \
              "\"num_experts_per_tok\": 2, \"num_experts\": 4, \"moe_intermediate_size\": 32" more)
#define LAGUNA(more)                                                                                                   \
    TINY_WITH("LagunaForCausalLM",                                                                                     \
              ", \"num_experts_per_tok\": 2, \"num_experts\": 4, \"moe_intermediate_size\": 32" more)
#define GROUPS(groups)                                                                                                 \
    TINY_WITH("LlamaForCausalLM",                                                                                      \
              ", \"quantization_config\": {\"quant_method\": \"compressed-tensors\", \"config_groups\": " groups "}")
#define GROUP(text) GROUPS("{\"g\": " text "}")
#define MODELOPT(more)                                                                                                 \
    TINY_WITH("LlamaForCausalLM", ", \"quantization_config\": {\"quant_method\": \"modelopt\", " more "}")

static const struct {
    const char *text;
    enum kvb_status status;
    const char *says;
} wrong[] = {
    {DECI(""), KVB_MISSING_KEY, "block_configs: expected a list with one block for each of the 2 layers"},
    {DECI(", \"block_configs\": 3"), KVB_MISSING_KEY,
     "block_configs: expected a list with one block for each of the 2 layers"},
    {DECI(", \"block_configs\": [1, 2]"), KVB_MISSING_KEY, "block_configs: this block has no 'attention'"},
    {BLOCKS("1", "{\"ffn_mult\": 1}"), KVB_MISSING_KEY, "block_configs: this block has no 'attention'"},
    {BLOCKS("{\"replace_with_linear\": true}", "{\"ffn_mult\": 1}"), KVB_UNKNOWN_KIND,
     "block_configs: replace_with_linear is not covered"},
    {BLOCKS("{\"n_heads_in_group\": 2}", "{\"replace_with_linear\": true}"), KVB_UNKNOWN_KIND,
     "block_configs: replace_with_linear is not covered"},
    {BLOCKS("{\"n_heads_in_group\": 2}", "[]"), KVB_MISSING_KEY, "block_configs: this block has no 'ffn'"},
    {BLOCKS("{\"no_op\": [true]}", "{\"ffn_mult\": 1}"), KVB_BAD_TYPE,
     "block_configs: expected a number above 0 for n_heads_in_group"},
    {BLOCKS("{\"n_heads_in_group\": [2]}", "{\"ffn_mult\": 1}"), KVB_BAD_TYPE,
     "block_configs: expected a number above 0 for n_heads_in_group"},
    {BLOCKS("{\"n_heads_in_group\": \"two\"}", "{\"ffn_mult\": 1}"), KVB_BAD_TYPE,
     "block_configs: expected a number above 0 for n_heads_in_group"},
    {BLOCKS("{\"n_heads_in_group\": 0}", "{\"ffn_mult\": 1}"), KVB_BAD_TYPE,
     "block_configs: expected a number above 0 for n_heads_in_group"},
    {BLOCKS("{\"n_heads_in_group\": 1001}", "{\"ffn_mult\": 1}"), KVB_BAD_TYPE,
     "block_configs: expected a number above 0 for n_heads_in_group"},
    {BLOCKS("{\"n_heads_in_group\": 0.5}", "{\"ffn_mult\": 1}"), KVB_INDIVISIBLE,
     "block_configs: 4 heads do not split into groups of 0"},
    {BLOCKS("{\"n_heads_in_group\": 3}", "{\"ffn_mult\": 1}"), KVB_INDIVISIBLE,
     "block_configs: 4 heads do not split into groups of 3"},
    {BLOCKS("{\"n_heads_in_group\": 2}", "{\"ffn_mult\": 0}"), KVB_BAD_TYPE,
     "block_configs: expected a number above 0 for ffn_mult"},
    {STEP(", \"attention_other_setting\": {\"num_attention_heads\": 3}"), KVB_INDIVISIBLE,
     "3 attention heads cannot share 2 key-value heads evenly"},
    {LAGUNA(", \"num_attention_heads_per_layer\": [4, 5]"), KVB_INDIVISIBLE,
     "5 attention heads cannot share 2 key-value heads evenly"},
    {LAGUNA(", \"num_attention_heads_per_layer\": [4, 0]"), KVB_INDIVISIBLE,
     "0 attention heads cannot share 2 key-value heads evenly"},
    {LAGUNA(", \"num_attention_heads_per_layer\": [4]"), KVB_CONTRADICTION,
     "num_attention_heads_per_layer has 1 entries but the model has 2 layers: one entry per layer is needed"},
    {TINY_WITH("OPTForCausalLM", ", \"word_embed_proj_dim\": 32"), KVB_UNKNOWN_KIND,
     "word_embed_proj_dim other than hidden_size is not covered"},
    {GROUPS("[]"), KVB_MISSING_KEY, "compressed-tensors needs config_groups with at least one group"},
    {GROUPS("{}"), KVB_MISSING_KEY, "compressed-tensors needs config_groups with at least one group"},
    {GROUP("4"), KVB_BAD_TYPE, "config_groups: each group needs a mapping 'weights'"},
    {GROUP("{\"weights\": 4}"), KVB_BAD_TYPE, "config_groups: each group needs a mapping 'weights'"},
    {GROUP("{\"weights\": {\"type\": \"int\", \"num_bits\": 1}}"), KVB_UNKNOWN_KIND,
     "config_groups: a scheme of int 1 bits is not known"},
    {GROUP("{\"weights\": {\"type\": \"int\", \"num_bits\": 99999999999}}"), KVB_UNKNOWN_KIND,
     "config_groups: a scheme of int 9999999999 bits is not known"},
    {GROUP("{\"weights\": {\"type\": [4], \"num_bits\": null}}"), KVB_UNKNOWN_KIND,
     "config_groups: a scheme of   bits is not known"},
    {MODELOPT("\"quant_algo\": \"MIXED_PRECISION\", \"quantized_layers\": []"), KVB_MISSING_KEY,
     "MIXED_PRECISION needs a mapping quantized_layers"},
    {MODELOPT("\"quant_algo\": \"MIXED_PRECISION\", \"quantized_layers\": {}"), KVB_MISSING_KEY,
     "MIXED_PRECISION needs a mapping quantized_layers"},
    {MODELOPT("\"quant_algo\": \"MIXED_PRECISION\", \"quantized_layers\": {\"model.layers.0.mlp.up_proj\": "
              "{\"quant_algo\": \"FP7\"}}"),
     KVB_UNKNOWN_KIND,
     "quant_algo 'FP7' is not known; known are FP8, FP8_PER_CHANNEL_PER_TOKEN, FP8_PB_WO, NVFP4, MXFP4, "
     "MIXED_PRECISION"},
    {TINY_WITH("LlamaForCausalLM", ", \"quantization_config\": {\"quant_method\": \"fp8\", \"moe_quant_algo\": \"X\"}"),
     KVB_UNKNOWN_KIND,
     "quant_algo 'X' is not known; known are FP8, FP8_PER_CHANNEL_PER_TOKEN, FP8_PB_WO, NVFP4, MXFP4, "
     "MIXED_PRECISION"},
};

static void one_sentence_each(void **state)
{
    (void)state;
    for (size_t i = 0; i < sizeof wrong / sizeof wrong[0]; i++) {
        enum kvb_status status = read_text(wrong[i].text);
        if (status != wrong[i].status || strcmp(problems.items[0].text, wrong[i].says) != 0) {
            fail_msg("row %zu: %s: %s", i, kvb_status_name(status), problems.items[0].text);
        }
    }
}

// Heads of a window layer: what the class's own key says, where it says a count. Source: step3p5.py v0.27.1, which
// reads attention_other_setting["num_attention_heads"].
static void heads_of_window_layers(void **state)
{
    (void)state;
    static const struct {
        const char *text;
        uint32_t heads;
        uint32_t extra_elements;
    } rows[] = {
        {STEP(""), 4, 0},
        {STEP(", \"attention_other_setting\": {\"num_attention_heads\": 8}"), 8, 0},
        {STEP(", \"attention_other_setting\": {\"num_attention_heads\": \"many\"}"), 4, 0},
        {STEP(", \"attention_other_setting\": {\"num_attention_heads\": 0}"), 4, 0},
        {STEP(", \"attention_other_setting\": {\"num_attention_heads\": 70000}"), 4, 0},
        {STEP(", \"attention_other_setting\": {\"num_attention_heads\": [8]}"), 4, 0},
        {STEP(", \"attention_other_setting\": {\"other\": 1}"), 4, 0},
        {STEP(", \"attention_other_setting\": 8"), 4, 0},
        {STEP(", \"use_head_wise_attn_gate\": true"), 4, 4 * 64},
        {LAGUNA(", \"num_attention_heads_per_layer\": [4, 8]"), 8, 0},
        {LAGUNA(", \"gating\": true"), 4, 4 * 64},
        {LAGUNA(", \"gating\": \"per-head\""), 4, 4 * 64},
        {LAGUNA(", \"gating\": \"per-element\""), 4, 0},
    };
    for (size_t i = 0; i < sizeof rows / sizeof rows[0]; i++) {
        if (read_text(rows[i].text) != KVB_OK) {
            fail_msg("row %zu: %s", i, problems.items[0].text);
        }
        const struct kvb_layer_kind *kind = &model.kinds[model.kind_of_layer[1]];
        if (kind->attention.heads != rows[i].heads || kind->extra_elements != rows[i].extra_elements) {
            fail_msg("row %zu: %u heads, %u more", i, kind->attention.heads, kind->extra_elements);
        }
        assert_int_equal(kind->attention.gated_output, strstr(rows[i].text, "per-element") != NULL);
    }
}

struct scheme_row {
    const char *text;
    struct kvb_quantisation expect;
};
#define INT4 "\"weights\": {\"num_bits\": 4, \"type\": \"int\", \"strategy\": \"channel\"}"
#define FP8 "\"weights\": {\"num_bits\": 8, \"type\": \"float\""
static const struct scheme_row schemes[] = {
    // blocks of which a side is no number are no blocks
    {GROUP("{" FP8 ", \"strategy\": \"block\", \"block_structure\": [128, 64]}}"),
     {.method = KVB_QUANT_FP8, .bits = 8, .scale = KVB_SCALE_BLOCK, .block_rows = 128, .block_columns = 64}},
    {GROUP("{" FP8 ", \"strategy\": \"block\", \"block_structure\": [128, [64]]}}"),
     {.method = KVB_QUANT_FP8, .bits = 8, .scale = KVB_SCALE_TENSOR}},
    {GROUP("{" FP8 ", \"strategy\": \"block\", \"block_structure\": [[128], 64]}}"),
     {.method = KVB_QUANT_FP8, .bits = 8, .scale = KVB_SCALE_TENSOR}},
    {GROUP("{" FP8 ", \"strategy\": \"block\", \"block_structure\": [128]}}"),
     {.method = KVB_QUANT_FP8, .bits = 8, .scale = KVB_SCALE_TENSOR}},
    {GROUP("{" FP8 ", \"strategy\": \"block\"}}"), {.method = KVB_QUANT_FP8, .bits = 8, .scale = KVB_SCALE_TENSOR}},
    {GROUP("{\"weights\": {\"num_bits\": 4, \"type\": \"float\", \"group_size\": 32}}"),
     {.method = KVB_QUANT_MXFP4, .bits = 4, .group_size = 32, .scale = KVB_SCALE_GROUP}},
    // a group of its own for attention, only where there are several and all its targets say so
    {GROUPS("{\"a\": {\"targets\": [\"re:.*self_attn.*\"], " FP8 "}}, \"b\": {\"targets\": [\"Linear\"], " INT4 "}}"),
     {.method = KVB_QUANT_WNA16, .bits = 4, .scale = KVB_SCALE_CHANNEL, .attention_method = KVB_QUANT_FP8}},
    {GROUPS("{\"a\": {\"targets\": [\"re:.*self_attn.*\"], " INT4 "}, \"b\": {\"targets\": [\"Linear\"], " FP8 "}}}"),
     {.method = KVB_QUANT_FP8, .bits = 8, .scale = KVB_SCALE_TENSOR, .attention_method = KVB_QUANT_WNA16}},
    {GROUPS("{\"a\": {\"targets\": \"re:.*self_attn.*\", " FP8 "}}, \"b\": {\"targets\": [], " INT4 "}}"),
     {.method = KVB_QUANT_WNA16, .bits = 4, .scale = KVB_SCALE_CHANNEL}},
    {GROUPS("{\"a\": {\"targets\": [[\"re:.*self_attn.*\"]], " FP8 "}}, \"b\": {" INT4 "}}"),
     {.method = KVB_QUANT_WNA16, .bits = 4, .scale = KVB_SCALE_CHANNEL}},
    // with the head, and with feed-forward parts of single layers where no group before it has them
    {GROUPS("{\"a\": {\"targets\": [\"re:.*self_attn\\\\.(q|k|v|o)_proj$\", \"re:.*lm_head\", "
            "\"re:.*layers\\\\.(0|9|17)\\\\.mlp\\\\.(gate|up|down)_proj$\", \"model.layers.3.mlp.up_proj\"], " FP8
            "}}, "
            "\"b\": {\"targets\": [\"re:.*mlp\\\\.(gate|up|down)_proj$\"], " INT4 "}}"),
     {.method = KVB_QUANT_WNA16,
      .bits = 4,
      .scale = KVB_SCALE_CHANNEL,
      .attention_method = KVB_QUANT_FP8,
      .head_quantised = true,
      .roles_as_attention = 1U << KVB_ROLE_HEAD,
      .mlps_as_attention = {1 << 0 | 1 << 3, 1 << 1, 1 << 1}}},
    {GROUPS("{\"b\": {\"targets\": [\"re:.*mlp.*\", \"lm_head\"], " INT4 "}, \"a\": {\"targets\": "
            "[\"re:.*self_attn.*\", \"re:.*shared_expert.*\", \"re:.*layers.(1|2).mlp.up_proj\", "
            "\"model.layers.4.mlp.up_proj\"], " FP8 "}}}"),
     {.method = KVB_QUANT_WNA16,
      .bits = 4,
      .scale = KVB_SCALE_CHANNEL,
      .attention_method = KVB_QUANT_FP8,
      .head_quantised = true,
      .roles_as_attention = 1U << KVB_ROLE_SHARED_EXPERT,
      .mlps_as_attention = {1 << 4}}},
    // a layer that no model has is no layer; numbers that end nowhere, or none, are every layer's
    {GROUPS("{\"a\": {\"targets\": [\"re:.*self_attn.*\", \"re:.*layers.(1|9999).mlp.up_proj\"], " FP8
            "}}, \"b\": {\"targets\": [\"Linear\"], " INT4 "}}"),
     {.method = KVB_QUANT_WNA16,
      .bits = 4,
      .scale = KVB_SCALE_CHANNEL,
      .attention_method = KVB_QUANT_FP8,
      .mlps_as_attention = {1 << 1}}},
    {GROUPS("{\"a\": {\"targets\": [\"re:.*self_attn.*\", \"re:.*layers.(1|[2-5]).mlp.up_proj\"], " FP8
            "}}, \"b\": {\"targets\": [\"Linear\"], " INT4 "}}"),
     {.method = KVB_QUANT_WNA16, .bits = 4, .scale = KVB_SCALE_CHANNEL}},
    {GROUPS("{\"a\": {\"targets\": [\"re:.*self_attn.*\", \"re:.*mlp.up_proj\"], " FP8
            "}}, \"b\": {\"targets\": [\"Linear\"], " INT4 "}}"),
     {.method = KVB_QUANT_WNA16, .bits = 4, .scale = KVB_SCALE_CHANNEL}},
    {GROUPS("{\"a\": {\"targets\": [\"re:.*lm_head\", \"re:.*layers.1.mlp.up_proj\"], " FP8
            "}}, \"b\": {\"targets\": [\"Linear\"], " INT4 "}}"), // no attention in it
     {.method = KVB_QUANT_WNA16, .bits = 4, .scale = KVB_SCALE_CHANNEL, .head_quantised = true}},
    {MODELOPT("\"quant_algo\": \"FP8_PB_WO\""),
     {.method = KVB_QUANT_FP8, .bits = 8, .scale = KVB_SCALE_BLOCK, .block_rows = 128, .block_columns = 128}},
    {MODELOPT("\"quant_algo\": \"MIXED_PRECISION\", \"quantized_layers\": {\"model.layers.0.mlp.up_proj\": "
              "{\"quant_algo\": \"FP8\"}, \"model.layers.0.self_attn.q_proj\": {\"quant_algo\": \"FP8\"}, "
              "\"model.layers.1.mlp.up_proj\": {\"quant_algo\": \"NVFP4\"}}"), // the first of its kind speaks for all
     {.method = KVB_QUANT_FP8, .bits = 8, .scale = KVB_SCALE_TENSOR}},
    // what the cache is declared as: kv_cache_scheme goes before kv_cache_quant_algo
    {MODELOPT(
         "\"quant_algo\": \"FP8\", \"kv_cache_scheme\": {\"type\": \"float\", \"num_bits\": 8, \"dynamic\": false}"),
     {.method = KVB_QUANT_FP8, .bits = 8, .scale = KVB_SCALE_TENSOR, .cache = KVB_DECLARED_FP8}},
    {MODELOPT(
         "\"quant_algo\": \"FP8\", \"kv_cache_scheme\": {\"type\": \"float\", \"num_bits\": 8, \"dynamic\": true}"),
     {.method = KVB_QUANT_FP8, .bits = 8, .scale = KVB_SCALE_TENSOR}},
    {MODELOPT("\"quant_algo\": \"FP8\", \"kv_cache_scheme\": {\"type\": \"int\", \"num_bits\": 8, \"dynamic\": false}"),
     {.method = KVB_QUANT_FP8, .bits = 8, .scale = KVB_SCALE_TENSOR}},
    {MODELOPT("\"quant_algo\": \"FP8\", \"kv_cache_scheme\": {\"type\": \"float\", \"num_bits\": 4}"),
     {.method = KVB_QUANT_FP8, .bits = 8, .scale = KVB_SCALE_TENSOR, .cache = KVB_DECLARED_NVFP4}},
    {MODELOPT("\"quant_algo\": \"FP8\", \"kv_cache_scheme\": {\"type\": \"float\", \"num_bits\": 6}"),
     {.method = KVB_QUANT_FP8, .bits = 8, .scale = KVB_SCALE_TENSOR}},
    {MODELOPT("\"quant_algo\": \"FP8\", \"kv_cache_scheme\": \"NVFP4\", \"kv_cache_quant_algo\": \"FP8\""),
     {.method = KVB_QUANT_FP8, .bits = 8, .scale = KVB_SCALE_TENSOR, .cache = KVB_DECLARED_NVFP4}},
    {MODELOPT("\"quant_algo\": \"FP8\", \"kv_cache_scheme\": [\"NVFP4\"], \"kv_cache_quant_algo\": \"FP8\""),
     {.method = KVB_QUANT_FP8, .bits = 8, .scale = KVB_SCALE_TENSOR, .cache = KVB_DECLARED_FP8}},
};

static void schemes_by_their_parts(void **state)
{
    (void)state;
    for (size_t i = 0; i < sizeof schemes / sizeof schemes[0]; i++) {
        const struct kvb_quantisation *want = &schemes[i].expect, *got = &model.quantisation;
        if (read_text(schemes[i].text) != KVB_OK) {
            fail_msg("row %zu: %s", i, problems.items[0].text);
        }
        if (got->method != want->method || got->bits != want->bits || got->group_size != want->group_size ||
            got->scale != want->scale || got->block_rows != want->block_rows ||
            got->block_columns != want->block_columns || got->cache != want->cache ||
            got->attention_method != want->attention_method || got->head_quantised != want->head_quantised ||
            got->roles_as_attention != want->roles_as_attention ||
            memcmp(got->mlps_as_attention, want->mlps_as_attention, sizeof want->mlps_as_attention) != 0) {
            fail_msg("row %zu: %s, %u bits, group %u, scale %d, blocks %u x %u, cache %d, attention %s", i,
                     kvb_quantisation_name(got->method), got->bits, got->group_size, (int)got->scale, got->block_rows,
                     got->block_columns, (int)got->cache, kvb_quantisation_name(got->attention_method));
        }
    }
}

KVB_TEST_MAIN(cmocka_unit_test(one_sentence_each), cmocka_unit_test(heads_of_window_layers),
              cmocka_unit_test(schemes_by_their_parts))
