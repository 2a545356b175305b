// Configs that are wrong: one sentence each, with line and column, and nothing else changes.
#include "hf_text.h"
#include "unit/test.h"

struct bad_row {
    const char *text;
    enum kvb_status status;
    uint32_t line, column;
    const char *says; // part of the sentence
};
#define LLAMA(more) TINY_WITH("LlamaForCausalLM", more)
static const struct bad_row bad[] = {
    {LLAMA(", \"head_dim\": -8"), KVB_OUT_OF_RANGE, 5, 47, "head_dim: expected 0 to 65536, got -8"},
    {LLAMA(", \"head_dim\": 36.0"), KVB_BAD_TYPE, 5, 47, "head_dim: expected a whole number, got 36.0"},
    {LLAMA(", \"head_dim\": \"36\""), KVB_BAD_TYPE, 5, 47, "got \"36\""},
    {LLAMA(", \"head_dim\": [1]"), KVB_BAD_TYPE, 5, 47, "expected a whole number, got a list"},
    {LLAMA(", \"head_dim\": {\"a\": 1}"), KVB_BAD_TYPE, 5, 47, "got a mapping"},
    {LLAMA(", \"head_dim\": NaN"), KVB_BAD_TYPE, 5, 47, "got NaN"},
    {LLAMA(", \"head_dim\": 99999999999999999999999"), KVB_OUT_OF_RANGE, 5, 47, "expected 0 to 65536"},
    {LLAMA(", \"head_dim\": true"), KVB_BAD_TYPE, 5, 47, "expected a whole number, got true"},
    {LLAMA(", \"tie_word_embeddings\": 1"), KVB_BAD_TYPE, 5, 58, "expected true or false, got 1"},
    {LLAMA(", \"tie_word_embeddings\": \"true\""), KVB_BAD_TYPE, 5, 58, "expected true or false, got \"true\""},
    {LLAMA(", \"layer_types\": \"full\""), KVB_BAD_TYPE, 5, 50, "expected a list of names"},
    {LLAMA(", \"layer_types\": [\"full_attention\"]"), KVB_CONTRADICTION, 5, 50,
     "1 entries but the model has 2 layers"},
    {LLAMA(", \"layer_types\": [\"full_attention\", \"odd\"]"), KVB_UNKNOWN_KIND, 5, 69, "layer type 'odd'"},
    {LLAMA(", \"layer_types\": [\"full_attention\", \"mamba\"]"), KVB_CONTRADICTION, 5, 50, "only attention layers"},
    {LLAMA(", \"layer_types\": [\"full_attention\", \"sliding_attention\"]"), KVB_MISSING_KEY, 1, 1,
     "'sliding_window'"},
    {LLAMA(", \"rope_scaling\": 4"), KVB_BAD_TYPE, 5, 51, "rope_scaling: expected a mapping"},
    {LLAMA(", \"rope_scaling\": {\"type\": \"linear\", \"factor\": -2}"), KVB_BAD_TYPE, 5, 80, "a number of 0 or more"},
    {LLAMA(", \"quantization_config\": {\"quant_method\": \"zipped\"}"), KVB_UNKNOWN_KIND, 5, 75,
     "'zipped' is not known"},
    {LLAMA(", \"quantization_config\": {\"bits\": 4}"), KVB_MISSING_KEY, 5, 58, "no quant_method"},
    {LLAMA(", \"quantization_config\": {\"quant_method\": \"gptq\", \"bits\": 5}"), KVB_OUT_OF_RANGE, 5, 91,
     "2, 3, 4 or 8"},
    {TINY_WITH("MadeUpForCausalLM", ""), KVB_UNKNOWN_KIND, 1, 20, "architecture 'MadeUpForCausalLM' is not known"},
    {TINY_WITH("QwenForCausalLM", ""), KVB_UNKNOWN_KIND, 1, 20, "nearest is"},
    {"{\"hidden_size\": 64}", KVB_MISSING_KEY, 1, 1, "'architectures' is missing"},
    {"{\"architectures\": [], \"hidden_size\": 64}", KVB_MISSING_KEY, 1, 1, "'architectures' is missing"},
    {"{\"architectures\": [\"LlamaForCausalLM\"]}", KVB_MISSING_KEY, 1, 1, "'hidden_size' is missing"},
    {"{\"architectures\": [\"LlamaForCausalLM\"], \"hidden_size\": 64, \"num_hidden_layers\": 1, "
     "\"num_attention_heads\": 4, \"intermediate_size\": 128}",
     KVB_MISSING_KEY, 1, 1, "'vocab_size' is missing"},
    {"{\"architectures\": [\"LlamaForCausalLM\"], \"hidden_size\": 64, \"num_hidden_layers\": 1,\n"
     "\"num_attention_heads\": 4, \"vocab_size\": 10, \"max_position_embeddings\": 16,\n"
     "\"intermediate_size\": 0}",
     KVB_OUT_OF_RANGE, 3, 22, "intermediate_size: expected at least 1, got 0"},
    {"[]", KVB_BAD_TYPE, 1, 1, "a mapping with architectures"},
    {"7", KVB_BAD_TYPE, 1, 1, "a mapping with architectures"},
    {TINY_WITH("DeepseekV3ForCausalLM", ""), KVB_MISSING_KEY, 1, 1, "'kv_lora_rank' is missing"},
    {TINY_WITH("MixtralForCausalLM", ", \"num_local_experts\": 4"), KVB_MISSING_KEY, 1, 1, "'num_experts_per_tok'"},
    {TINY_WITH("MixtralForCausalLM", ", \"num_local_experts\": 4, \"num_experts_per_tok\": 8"), KVB_CONTRADICTION, 5,
     82, "8 experts per token are asked of 4"},
    {TINY_WITH("NemotronHForCausalLM", ", \"hybrid_override_pattern\": \"M\""), KVB_CONTRADICTION, 5, 62,
     "names 1 layers but num_hidden_layers says 2"},
    {TINY_WITH("NemotronHForCausalLM", ", \"hybrid_override_pattern\": \"MX\""), KVB_UNKNOWN_KIND, 5, 62,
     "'X' is not one of"},
    {TINY_WITH("Gemma3ForCausalLM", ", \"sliding_window_pattern\": [1]"), KVB_BAD_TYPE, 5, 61,
     "a number of layers or a word"},
    {TINY_WITH("DeciLMForCausalLM", ", \"block_configs\": [{}]"), KVB_MISSING_KEY, 5, 52,
     "one block for each of the 2"},
};

static void one_sentence_each(void **state)
{
    (void)state;
    for (size_t i = 0; i < sizeof bad / sizeof bad[0]; i++) {
        const struct bad_row *row = &bad[i];
        const struct kvb_problem *problem = &problems.items[0];
        if (read_text(row->text) != row->status || problems.count != 1 || problem->line != row->line ||
            problem->column != row->column || !strstr(problem->text, row->says)) {
            fail_msg("row %zu: %s at %u:%u (%u problems): %s", i, kvb_status_name(problem->status), problem->line,
                     problem->column, problems.count, problem->text);
        }
        assert_int_equal(model.layer_count, 0); // the result was left alone
    }
}

struct heads_row {
    const char *heads;
    enum kvb_status status;
};

static void heads_that_do_not_divide(void **state)
{
    static const char text[] =
        "{\"architectures\": [\"LlamaForCausalLM\"], \"hidden_size\": 64, \"num_hidden_layers\": 1,"
        " \"vocab_size\": 10, \"intermediate_size\": 8, \"max_position_embeddings\": 16,"
        " \"num_attention_heads\": 4}";
    (void)state;
    assert_int_equal(read_with(text, "{\"num_attention_heads\": 5}"), KVB_INDIVISIBLE);
    assert_int_equal(read_with(text, "{\"num_key_value_heads\": 3}"), KVB_INDIVISIBLE);
    assert_int_equal(read_with(text, "{\"num_key_value_heads\": 8}"), KVB_INDIVISIBLE);
    assert_int_equal(read_with(text, "{\"num_attention_heads\": 5, \"head_dim\": 16}"), KVB_OK);
}

static void several_at_once(void **state)
{
    (void)state;
    assert_int_equal(read_text(LLAMA(", \"head_dim\": -8, \"tie_word_embeddings\": 3, \"sliding_window\": \"no\"")),
                     KVB_OUT_OF_RANGE);
    assert_int_equal(problems.count, 3);
}

static void sizes_that_overflow(void **state)
{
    (void)state;
    assert_int_equal(read_with(LLAMA(""), "{\"hidden_size\": 67108864, \"head_dim\": 65536, \"num_attention_heads\": "
                                          "65536, \"num_key_value_heads\": 65536, \"num_hidden_layers\": 512}"),
                     KVB_OVERFLOW);
}

// A class with pictures whose config has no tower is answered, and says that the tower is not counted.
static void towers_left_out(void **state)
{
    (void)state;
    assert_int_equal(read_text(TINY_WITH("Qwen3VLForConditionalGeneration", "")), KVB_OK);
    assert_int_equal(problems.count, 1);
    assert_int_equal(problems.items[0].severity, KVB_NOTICE);
    assert_non_null(strstr(problems.items[0].text, "Qwen3VLForConditionalGeneration has a tower"));
    assert_int_equal(read_text(TINY_WITH("MistralForCausalLM", "")), KVB_OK);
    assert_int_equal(problems.count, 0);
}

KVB_TEST_MAIN(cmocka_unit_test(towers_left_out), cmocka_unit_test(one_sentence_each),
              cmocka_unit_test(heads_that_do_not_divide), cmocka_unit_test(several_at_once),
              cmocka_unit_test(sizes_that_overflow))
