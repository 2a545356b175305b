// Quantisation as checkpoints spell it, against what vLLM's own config classes read from it.
#include "hf_text.h"
#include "unit/test.h"

#define LLAMA(more) TINY_WITH("LlamaForCausalLM", ", \"quantization_config\": " more)
#define MOE(more)                                                                                                      \
    TINY_WITH("Qwen3MoeForCausalLM", ", \"num_experts\": 4, \"num_experts_per_tok\": 2, \"moe_intermediate_size\": "   \
                                     "32, \"quantization_config\": " more)
#define HYBRID(names)                                                                                                  \
    TINY_WITH("Qwen3NextForCausalLM",                                                                                  \
              ", \"head_dim\": 16, \"num_experts\": 4, \"num_experts_per_tok\": 2, \"moe_intermediate_size\": 32, "    \
              "\"shared_expert_intermediate_size\": 32, \"linear_num_key_heads\": 2, \"linear_num_value_heads\": 4, "  \
              "\"linear_key_head_dim\": 16, \"linear_value_head_dim\": 16, \"linear_conv_kernel_dim\": 4, "            \
              "\"full_attention_interval\": 2, \"quantization_config\": {\"quant_method\": \"fp8\", "                  \
              "\"ignored_layers\": [" names "]}")
#define BIT(role) (UINT32_C(1) << KVB_ROLE_##role)

struct quant_row {
    const char *what, *text;
    struct kvb_quantisation expect; // name and symmetric are not compared
};
static const struct quant_row quants[] = {
    {"block fp8",
     LLAMA("{\"quant_method\": \"fp8\", \"weight_block_size\": [128, 128]}"),
     {.method = KVB_QUANT_FP8, .bits = 8, .scale = KVB_SCALE_BLOCK, .block_rows = 128, .block_columns = 128}},
    {"fp8 per tensor, static",
     LLAMA("{\"quant_method\": \"fp8\", \"activation_scheme\": \"static\"}"),
     {.method = KVB_QUANT_FP8, .bits = 8, .scale = KVB_SCALE_TENSOR, .static_activations = true}},
    {"fbgemm",
     LLAMA("{\"quant_method\": \"fbgemm_fp8\"}"),
     {.method = KVB_QUANT_FP8, .bits = 8, .scale = KVB_SCALE_CHANNEL}},
    {"awq",
     LLAMA("{\"quant_method\": \"awq\", \"bits\": 4, \"group_size\": 128, \"zero_point\": true}"),
     {.method = KVB_QUANT_AWQ, .bits = 4, .group_size = 128, .scale = KVB_SCALE_GROUP}},
    {"gptq",
     LLAMA("{\"quant_method\": \"gptq\", \"bits\": 8, \"group_size\": -1, \"desc_act\": true}"),
     {.method = KVB_QUANT_GPTQ, .bits = 8, .scale = KVB_SCALE_CHANNEL, .act_order = true}},
    {"nf4",
     LLAMA("{\"quant_method\": \"bitsandbytes\", \"load_in_4bit\": true}"),
     {.method = KVB_QUANT_BNB4, .bits = 4, .group_size = 64, .scale = KVB_SCALE_GROUP}},
    {"bnb 8 bit",
     LLAMA("{\"quant_method\": \"bitsandbytes\", \"load_in_8bit\": true}"),
     {.method = KVB_QUANT_BNB8, .bits = 8, .scale = KVB_SCALE_CHANNEL}},
    {"w4a16",
     LLAMA("{\"quant_method\": \"compressed-tensors\", \"config_groups\": {\"g\": {\"targets\": [\"Linear\"], "
           "\"weights\": {\"num_bits\": 4, \"type\": \"int\", \"strategy\": \"group\", \"group_size\": 32}}}}"),
     {.method = KVB_QUANT_WNA16, .bits = 4, .group_size = 32, .scale = KVB_SCALE_GROUP}},
    {"w8a8 int8",
     LLAMA("{\"quant_method\": \"compressed-tensors\", \"config_groups\": {\"g\": {\"weights\": "
           "{\"num_bits\": 8, \"type\": \"int\", \"strategy\": \"channel\"}, \"input_activations\": "
           "{\"num_bits\": 8, \"dynamic\": true}}}}"),
     {.method = KVB_QUANT_INT8, .bits = 8, .scale = KVB_SCALE_CHANNEL}},
    {"fp8 dynamic",
     LLAMA("{\"quant_method\": \"compressed-tensors\", \"config_groups\": {\"g\": {\"weights\": "
           "{\"num_bits\": 8, \"type\": \"float\", \"strategy\": \"channel\"}}}}"),
     {.method = KVB_QUANT_FP8, .bits = 8, .scale = KVB_SCALE_CHANNEL}},
    {"nvfp4",
     LLAMA("{\"quant_method\": \"compressed-tensors\", \"config_groups\": {\"g\": {\"weights\": "
           "{\"num_bits\": 4, \"type\": \"float\", \"group_size\": 16}}}}"),
     {.method = KVB_QUANT_NVFP4, .bits = 4, .group_size = 16, .scale = KVB_SCALE_GROUP, .weight_only = true}},
    {"modelopt",
     LLAMA("{\"quant_method\": \"modelopt\", \"quant_algo\": \"NVFP4\", \"kv_cache_quant_algo\": \"FP8\"}"),
     {.method = KVB_QUANT_NVFP4,
      .bits = 4,
      .group_size = 16,
      .scale = KVB_SCALE_GROUP,
      .cache = KVB_DECLARED_FP8,
      .static_activations = true}},
    {"attention left out",
     MOE("{\"quant_method\": \"fp8\", \"ignored_layers\": [\"re:.*self_attn.*\", \"lm_head\"]}"),
     {.method = KVB_QUANT_FP8, .bits = 8, .scale = KVB_SCALE_TENSOR, .unquantised_roles = BIT(ATTENTION)}},
    {"half of the layers are enough",
     MOE("{\"quant_method\": \"fp8\", \"ignored_layers\": [\"model.layers.0.self_attn\"]}"),
     {.method = KVB_QUANT_FP8, .bits = 8, .scale = KVB_SCALE_TENSOR, .unquantised_roles = BIT(ATTENTION)}},
    {"queries, keys and values but not outputs",
     MOE("{\"quant_method\": \"fp8\", \"ignored_layers\": [\"re:.*self_attn\\\\.(q|k|v)_proj$\"]}"),
     {.method = KVB_QUANT_FP8, .bits = 8, .scale = KVB_SCALE_TENSOR, .output_quantised = true}},
    {"whole layers",
     MOE("{\"quant_method\": \"fp8\", \"ignored_layers\": [\"model.layers.0*\", \"model.layers.2.*\"]}"),
     {.method = KVB_QUANT_FP8,
      .bits = 8,
      .scale = KVB_SCALE_TENSOR,
      .unquantised_roles = BIT(ATTENTION) | BIT(EXPERTS) | BIT(MTP)}},
    {"experts requantised",
     MOE("{\"quant_method\": \"fp8\", \"moe_quant_algo\": \"NVFP4\", \"ignore\": [\"*.attn.*\"]}"),
     {.method = KVB_QUANT_FP8, .bits = 8, .scale = KVB_SCALE_TENSOR, .expert_method = KVB_QUANT_NVFP4}},
    {"routers and norms do not count",
     MOE("{\"quant_method\": \"fp8\", \"ignored_layers\": [\"model.layers.0.mlp.gate\", "
         "\"model.layers.1.input_layernorm\"]}"),
     {.method = KVB_QUANT_FP8, .bits = 8, .scale = KVB_SCALE_TENSOR}},
    {"one list for models of several kinds",
     MOE("{\"quant_method\": \"fp8\", \"ignored_layers\": [\"lm_head\", \"re:.*linear_attn.*\", \"re:.*mamba.*\"]}"),
     {.method = KVB_QUANT_FP8, .bits = 8, .scale = KVB_SCALE_TENSOR}},
    {"mxfp4 experts",
     MOE("{\"quant_method\": \"mxfp4\"}"),
     {.method = KVB_QUANT_MXFP4,
      .bits = 4,
      .group_size = 32,
      .scale = KVB_SCALE_GROUP,
      .unquantised_roles = BIT(ATTENTION)}},
    {"delta nets left out, attention not",
     HYBRID("\"lm_head\", \"re:.*linear_attn.*\""),
     {.method = KVB_QUANT_FP8, .bits = 8, .scale = KVB_SCALE_TENSOR, .plain_states = true}},
    {"attention left out, layer by layer, delta nets not",
     HYBRID("\"model.layers.1.self_attn.q_proj\", \"model.layers.1.self_attn.o_proj\""),
     {.method = KVB_QUANT_FP8, .bits = 8, .scale = KVB_SCALE_TENSOR, .plain_attention = true}},
    {"both left out",
     HYBRID("\"model.layers.*.linear_attn*\", \"model.layers.*.self_attn*\""),
     {.method = KVB_QUANT_FP8, .bits = 8, .scale = KVB_SCALE_TENSOR, .unquantised_roles = BIT(ATTENTION)}},
    {"modules that draft left out",
     HYBRID("\"mtp\""),
     {.method = KVB_QUANT_FP8, .bits = 8, .scale = KVB_SCALE_TENSOR, .unquantised_roles = BIT(MTP)}},
    {"what joins them alone: Qwen's own checkpoints of 8 bits", // 0.11 GiB each of four ranks, 0.23 of two: fp8
     HYBRID("\"mtp.fc\""),
     {.method = KVB_QUANT_FP8, .bits = 8, .scale = KVB_SCALE_TENSOR}},
    {"both by one word",
     HYBRID("\"re:.*attn.*\""),
     {.method = KVB_QUANT_FP8, .bits = 8, .scale = KVB_SCALE_TENSOR, .unquantised_roles = BIT(ATTENTION)}},
    {"mixed",
     MOE("{\"quant_method\": \"modelopt\", \"quant_algo\": \"MIXED_PRECISION\", \"quantized_layers\": "
         "{\"model.layers.0.self_attn.o_proj\": {\"quant_algo\": \"FP8\"}, "
         "\"model.layers.0.mlp.experts.0.up_proj\": {\"quant_algo\": \"NVFP4\"}}}"),
     {.method = KVB_QUANT_NVFP4,
      .bits = 4,
      .group_size = 16,
      .scale = KVB_SCALE_GROUP,
      .static_activations = true,
      .attention_method = KVB_QUANT_FP8,
      .unquantised_roles = BIT(MLP) | BIT(SHARED_EXPERT)}},
    {"mixed, weights alone, with the head",
     MOE("{\"quant_method\": \"modelopt\", \"quant_algo\": \"MIXED_PRECISION\", \"quantized_layers\": "
         "{\"lm_head\": {\"quant_algo\": \"W4A16_NVFP4\"}, "
         "\"model.layers.0.mlp.experts.0.up_proj\": {\"quant_algo\": \"W4A16_NVFP4\"}}}"),
     {.method = KVB_QUANT_NVFP4,
      .bits = 4,
      .group_size = 16,
      .scale = KVB_SCALE_GROUP,
      .static_activations = true,
      .weight_only = true,
      .head_quantised = true,
      .unquantised_roles = BIT(ATTENTION) | BIT(MLP) | BIT(SHARED_EXPERT)}},
};

static void check(const struct quant_row *row, const struct kvb_quantisation *got)
{
    const struct kvb_quantisation *want = &row->expect;
    bool same = got->method == want->method && got->bits == want->bits && got->group_size == want->group_size &&
                got->scale == want->scale && got->block_rows == want->block_rows &&
                got->block_columns == want->block_columns && got->act_order == want->act_order &&
                got->static_activations == want->static_activations &&
                got->unquantised_roles == want->unquantised_roles && got->cache == want->cache &&
                got->expert_method == want->expert_method && got->output_quantised == want->output_quantised &&
                got->plain_states == want->plain_states && got->plain_attention == want->plain_attention &&
                got->attention_method == want->attention_method && got->head_quantised == want->head_quantised &&
                (got->method != KVB_QUANT_NVFP4 || got->weight_only == want->weight_only);
    if (!same) {
        fail_msg("%s: %s, %u bits, group %u, scale %d, roles %x, attention %s", row->what,
                 kvb_quantisation_name(got->method), got->bits, got->group_size, (int)got->scale,
                 got->unquantised_roles, kvb_quantisation_name(got->attention_method));
    }
}

static void every_spelling(void **state)
{
    (void)state;
    for (size_t i = 0; i < sizeof quants / sizeof quants[0]; i++) {
        if (read_text(quants[i].text) != KVB_OK) {
            fail_msg("%s: %s", quants[i].what, problems.items[0].text);
        }
        check(&quants[i], &model.quantisation);
    }
}

static void nothing_said_is_none(void **state)
{
    (void)state;
    assert_int_equal(read_text(TINY_WITH("LlamaForCausalLM", "")), KVB_OK);
    assert_int_equal(model.quantisation.method, KVB_QUANT_NONE);
    assert_int_equal(read_text(LLAMA("null")), KVB_OK);
    assert_int_equal(model.quantisation.method, KVB_QUANT_NONE);
}

static enum kvb_status read_beside(const char *text, const char *quant)
{
    kvb_problems_init(&problems);
    return kvb_model_read_config("config.json", text, strlen(text), "hf_quant_config.json", quant, strlen(quant), NULL,
                                 &model, &problems);
}

static void the_file_beside(void **state)
{
    static const char quant[] = "{\"producer\": {\"name\": \"modelopt\"}, \"quantization\": {\"quant_algo\": \"FP8\", "
                                "\"kv_cache_quant_algo\": \"FP8\", \"exclude_modules\": [\"lm_head\"]}}";
    (void)state;
    assert_int_equal(read_beside(TINY_WITH("LlamaForCausalLM", ""), quant), KVB_OK);
    assert_int_equal(model.quantisation.method, KVB_QUANT_FP8);
    assert_int_equal(model.quantisation.cache, KVB_DECLARED_FP8);
    // config.json's own wins
    assert_int_equal(read_beside(LLAMA("{\"quant_method\": \"awq\", \"bits\": 4}"), quant), KVB_OK);
    assert_int_equal(model.quantisation.method, KVB_QUANT_AWQ);
    assert_int_equal(read_beside(TINY_WITH("LlamaForCausalLM", ""), "{\"quantization\":\n {\"quant_algo\": \"odd\"}}"),
                     KVB_UNKNOWN_KIND);
    assert_string_equal(problems.items[0].file, "hf_quant_config.json");
    assert_true(problems.items[0].line == 2 && problems.items[0].column == 17);
    assert_int_equal(read_beside(TINY_WITH("LlamaForCausalLM", ""), "[]"), KVB_BAD_TYPE);
    assert_int_equal(read_beside(TINY_WITH("LlamaForCausalLM", ""), "{"), KVB_BAD_SYNTAX);
}

static void unknown_schemes_fail_closed(void **state)
{
    (void)state;
    assert_int_equal(read_text(LLAMA("{\"quant_method\": \"modelopt\", \"quant_algo\": \"W4A8_AWQ\"}")),
                     KVB_UNKNOWN_KIND);
    assert_int_equal(read_text(LLAMA("{\"quant_method\": \"compressed-tensors\"}")), KVB_MISSING_KEY);
    assert_int_equal(read_text(LLAMA("{\"quant_method\": \"compressed-tensors\", \"config_groups\": {\"g\": {}}}")),
                     KVB_BAD_TYPE);
    assert_int_equal(read_text(LLAMA("{\"quant_method\": \"compressed-tensors\", \"config_groups\": {\"g\": "
                                     "{\"weights\": {\"type\": \"float\", \"num_bits\": 6}}}}")),
                     KVB_UNKNOWN_KIND);
    assert_int_equal(read_text(LLAMA("{\"quant_method\": \"fp8\", \"weight_block_size\": [128]}")), KVB_OUT_OF_RANGE);
    assert_int_equal(read_text(LLAMA("{\"quant_method\": \"gptq\", \"group_size\": \"all\"}")), KVB_BAD_TYPE);
    assert_int_equal(read_text(LLAMA("{\"quant_method\": \"modelopt\", \"quant_algo\": \"MIXED_PRECISION\"}")),
                     KVB_MISSING_KEY);
}

KVB_TEST_MAIN(cmocka_unit_test(every_spelling), cmocka_unit_test(nothing_said_is_none),
              cmocka_unit_test(the_file_beside), cmocka_unit_test(unknown_schemes_fail_closed))
