// One config per class that no built-in model has, against its published element count, and through the import.
// The configs carry only what counts; shapes and counts as the Hub reports them (AlexsJones/llmfit,
// llmfit-core/data/hf_models.json at commit 5bdc9df9d8e28168fdc4650741be71b715a11fc6) or as the model card says.
#include <stdio.h>
#include <stdlib.h>
#include <sys/stat.h>
#include <unistd.h>

#include "hf_text.h"
#include "unit/test.h"

struct fixture {
    const char *file;
    uint64_t parameters;
};
// clang-format off
static const struct fixture fixtures[] = {
    {"tiiuae--Falcon-H1-0.5B-Base.json", 521411104ULL},
    {"zai-org--GLM-4.5V.json", 107710933120ULL},
    {"zai-org--GLM-4.1V-9B-Thinking.json", 10292777472ULL},
    {"arcee-ai--AFM-4.5B-Base.json", 4619184640ULL},
    {"swiss-ai--Apertus-8B-2509.json", 8053338176ULL},
    {"ibm-ai-platform--Bamba-9B-v1.json", 9780235392ULL},
    {"CohereForAI--c4ai-command-r-v01.json", 34980831232ULL},
    {"databricks--dbrx-instruct.json", 131596523520ULL},
    {"deepseek-ai--deepseek-moe-16b-base.json", 16375728128ULL},
    {"rednote-hilab--dots.llm1.inst.json", 142774381696ULL},
    {"baidu--ERNIE-4.5-21B-A3B-Thinking.json", 21825437888ULL},
    {"zai-org--GLM-4-9B-0414.json", 9400279040ULL},
    {"ibm-granite--granite-4.0-h-micro.json", 3191396096ULL},
    {"ibm-granite--granite-4.0-h-tiny.json", 6939037248ULL},
    {"OpenGVLab--InternVL3-1B-hf.json", 938193024ULL},
    {"ai21labs--AI21-Jamba-1.5-Mini.json", 51570323328ULL},
    {"moonshotai--Kimi-Linear-48B-A3B-Instruct.json", 49122681728ULL},
    {"inclusionAI--Ling-lite.json", 16801974272ULL},
    {"llava-hf--llava-1.5-13b-hf.json", 13351494656ULL},
    {"llava-hf--llava-1.5-7b-hf.json", 7063427072ULL},
    {"llava-hf--llava-v1.6-34b-hf.json", 34752083968ULL},
    {"state-spaces--mamba-130m-hf.json", 129135360ULL},
    {"meta-llama--Llama-4-Scout-17B-16E-Instruct.json", 108641793536ULL}, // copied without its tower
    {"MiniMaxAI--MiniMax-Text-01.json", 456089655296ULL},
    {"allenai--OLMo-1B-hf.json", 1176764416ULL},
    {"allenai--OLMoE-1B-7B-0125.json", 6919161856ULL},
    {"llava-hf--llava-onevision-qwen2-0.5b-ov-hf.json", 893675552ULL},
    {"google--paligemma-3b-mix-224.json", 2923466480ULL},
    {"EleutherAI--pythia-1.4b.json", 1414647808ULL},
    {"Qwen--Qwen1.5-MoE-A2.7B.json", 14315784192ULL},
    {"mistral-community--pixtral-12b.json", 12682739712ULL},
    {"mistralai--Mistral-Large-Instruct-2407.params.json", 122610069504ULL},
    {"HuggingFaceTB--SmolVLM-256M-Instruct.json", 256484928ULL},
    {"bigcode--starcoder2-7b.json", 7173923840ULL},
};
// clang-format on

static struct kvb_model other;

static void path_of(char out[512], const char *file)
{
    (void)snprintf(out, 512, "%s/tests/fixtures/configs/%s", KVB_SOURCE_DIR, file);
}

static void counts_are_the_published_ones(void **state)
{
    char path[512];
    (void)state;
    for (size_t i = 0; i < sizeof fixtures / sizeof fixtures[0]; i++) {
        path_of(path, fixtures[i].file);
        kvb_problems_init(&problems);
        if (kvb_model_load(path, NULL, &model, NULL, &problems) != KVB_OK) {
            fail_msg("%s: %s", fixtures[i].file, problems.items[0].text);
        }
        if (kvb_model_parameters(&model) != fixtures[i].parameters) {
            fail_msg("%s: %llu", fixtures[i].file, (unsigned long long)kvb_model_parameters(&model));
        }
    }
}

static void check_import(const char *path)
{
    char *text = NULL;
    size_t length = 0;
    kvb_problems_init(&problems);
    assert_int_equal(kvb_model_load(path, NULL, &other, NULL, &problems), KVB_OK);
    if (kvb_model_import(path, "some/name", "a test", &text, &length, &problems) != KVB_OK) {
        fail_msg("%s: %s", path, problems.items[0].text);
    }
    if (kvb_model_read_profile("profile", text, length, &model, &problems) != KVB_OK) {
        fail_msg("%s: %s", path, problems.items[0].text);
    }
    memcpy(model.name, other.name, sizeof model.name);
    assert_memory_equal(&model, &other, sizeof model);
    free(text);
}

static void imports_plan_alike(void **state)
{
    char path[512];
    (void)state;
    for (size_t i = 0; i < sizeof fixtures / sizeof fixtures[0]; i++) {
        path_of(path, fixtures[i].file);
        check_import(path);
    }
}

#define QUANT(more)                                                                                                    \
    TINY_WITH("Qwen3MoeForCausalLM", ", \"num_experts\": 4, \"num_experts_per_tok\": 2, "                              \
                                     "\"moe_intermediate_size\": 32, \"quantization_config\": {" more "}")
// Lists that the import shortens, and words that need quotes.
static const char *const awkward[] = {
    QUANT(
        "\"quant_method\": \"modelopt\", \"quant_algo\": \"NVFP4\", \"ignore\": [\"lm_head\", "
        "\"model.layers.0.self_attn.q_proj\", \"model.layers.1.self_attn.q_proj\", \"re:.*odd \\\"name\\\".*mlp.*\"]"),
    QUANT("\"quant_method\": \"fp8\", \"ignored_layers\": [\"model.layers.0.self_attn.q_proj\"]"),
    QUANT("\"quant_method\": \"modelopt\", \"quant_algo\": \"MIXED_PRECISION\", \"quantized_layers\": "
          "{\"model.layers.0.self_attn.o_proj\": {\"quant_algo\": \"FP8\"}, \"model.layers.1.self_attn.o_proj\": "
          "{\"quant_algo\": \"FP8\"}, \"model.layers.0.mlp.experts.0.up_proj\": {\"quant_algo\": \"NVFP4\", "
          "\"group_size\": 16}}"),
    QUANT("\"quant_method\": \"compressed-tensors\", \"format\": \"float-quantized\", \"config_groups\": {\"group_0\": "
          "{\"targets\": [\"a.0.x\", \"a.1.x\", \"a.2.x\", \"a.3.x\", \"a.4.x\", \"a.5.x\", \"a.6.x\", \"a.7.x\", "
          "\"a.8.x\"], \"weights\": {\"num_bits\": 8, \"type\": \"float\", \"strategy\": \"channel\", \"observer\": "
          "\"minmax\"}, \"output_activations\": null}}"),
    QUANT("\"quant_method\": \"fp8\", \"ignored_layers\": [\"lm_head\", \"model.layers.0.self_attn.q_proj\", "
          "\"model.layers.1.self_attn.q_proj\", \"model.layers.0*\", \"odd\", "
          "\"model.layers.1.mlp.experts.3.up_proj\", \"model.layers.1.0.x\"]"),
    QUANT("\"quant_method\": \"modelopt\", \"quant_algo\": \"MIXED_PRECISION\", \"quantized_layers\": "
          "{\"odd.thing\": {\"quant_algo\": \"FP8\"}, \"model.layers.0.mlp.experts.0.up_proj\": {\"quant_algo\": "
          "\"FP8\"}, \"model.layers.1.mlp.experts.0.up_proj\": {\"quant_algo\": \"FP8\"}, "
          "\"model.layers.0.self_attn.q_proj\": {\"quant_algo\": \"NVFP4\"}}"),
    // words that a profile must quote, and such as it need not
    TINY_WITH("LlamaForCausalLM", ", \"hidden_act\": \"null\""),
    TINY_WITH("LlamaForCausalLM", ", \"hidden_act\": \"true\""),
    TINY_WITH("LlamaForCausalLM", ", \"hidden_act\": \"false\""),
    TINY_WITH("LlamaForCausalLM", ", \"hidden_act\": \"9gelu\""),
    TINY_WITH("LlamaForCausalLM", ", \"hidden_act\": \"Zgelu\""),
    TINY_WITH("LlamaForCausalLM", ", \"hidden_act\": \"~gelu\""),
    TINY_WITH("LlamaForCausalLM", ", \"hidden_act\": \"{gelu}\""),
    TINY_WITH("LlamaForCausalLM", ", \"hidden_act\": \"a\\\"b\\\\c\\u0001d\""),
    TINY_WITH("LlamaForCausalLM", ", \"hidden_act\": \"\""),
    TINY_WITH("DeciLMForCausalLM",
              ", \"block_configs\": [{\"attention\": {\"n_heads_in_group\": 2, \"no_op\": false}, \"ffn\": "
              "{\"ffn_mult\": 1.5}}, {\"attention\": {\"no_op\": true}, \"ffn\": {\"no_op\": true}}]"),
    TINY_WITH("Gemma3ForCausalLM", ", \"sliding_window\": null, \"rope_scaling\": {}"),
    TINY_WITH("JambaForCausalLM", ", \"attn_layer_period\": 2, \"attn_layer_offset\": 1, \"num_experts\": 1, "
                                  "\"mamba_dt_rank\": \"auto\""),
};

static void awkward_configs_too(void **state)
{
    char folder[] = "/tmp/kvb_import_XXXXXX";
    char path[128];
    (void)state;
    assert_non_null(mkdtemp(folder));
    (void)snprintf(path, sizeof path, "%s/config.json", folder);
    for (size_t i = 0; i < sizeof awkward / sizeof awkward[0]; i++) {
        FILE *file = fopen(path, "wb");
        assert_non_null(file);
        assert_int_equal(fwrite(awkward[i], 1, strlen(awkward[i]), file), strlen(awkward[i]));
        assert_int_equal(fclose(file), 0);
        check_import(path);
    }
    assert_int_equal(unlink(path), 0);
    assert_int_equal(rmdir(folder), 0);
}

static uint32_t layers_of(enum kvb_attention kind)
{
    uint32_t layers = 0;
    for (uint32_t i = 0; i < model.layer_count; i++) {
        layers += model.kinds[model.kind_of_layer[i]].attention.kind == kind;
    }
    return layers;
}

static void load_fixture(const char *file)
{
    char path[512];
    path_of(path, file);
    kvb_problems_init(&problems);
    assert_int_equal(kvb_model_load(path, NULL, &model, NULL, &problems), KVB_OK);
}

static void mixers_by_layer(void **state)
{
    (void)state;
    load_fixture("ai21labs--AI21-Jamba-1.5-Mini.json"); // one attention layer in eight
    assert_int_equal(layers_of(KVB_ATTENTION_FULL), 4);
    assert_int_equal(layers_of(KVB_ATTENTION_MAMBA1), 28);
    load_fixture("ibm-ai-platform--Bamba-9B-v1.json");
    assert_int_equal(layers_of(KVB_ATTENTION_FULL), 3);
    load_fixture("MiniMaxAI--MiniMax-Text-01.json");
    assert_int_equal(layers_of(KVB_ATTENTION_LINEAR), 70);
    load_fixture("databricks--dbrx-instruct.json");
    assert_int_equal(model.kinds[0].attention.kv_heads, 8);
    load_fixture("tiiuae--Falcon-H1-0.5B-Base.json"); // 36 layers with both
    assert_int_equal(layers_of(KVB_ATTENTION_FULL), 36);
    assert_int_equal(layers_of(KVB_ATTENTION_MAMBA2), 36);
    load_fixture("ibm-granite--granite-4.0-h-tiny.json");
    assert_int_equal(layers_of(KVB_ATTENTION_MAMBA2), 36);
    assert_int_equal(model.rope_cache_count, 0); // no rotary positions
}

static void wrappers_and_variants(void **state)
{
    (void)state;
    assert_int_equal(read_text(TINY_WITH("LlamaForSequenceClassification", "")), KVB_OK);
    assert_true(model.pooling);
    assert_string_equal(model.architecture, "LlamaForSequenceClassification");
    assert_int_equal(read_text(TINY_WITH("Qwen3Model", ", \"head_dim\": 16")), KVB_OK);
    assert_int_equal(read_text(TINY_WITH("OddForSequenceClassification", "")), KVB_UNKNOWN_KIND);
    assert_int_equal(read_text("{\"architectures\": [\"LlavaForConditionalGeneration\"], \"text_config\": "
                               "{\"model_type\": \"odd\"}}"),
                     KVB_UNKNOWN_KIND);
    assert_int_equal(read_text("{\"architectures\": [\"InternVLChatModel\"], \"llm_config\": {\"architectures\": "
                               "[\"Qwen2ForCausalLM\"], \"hidden_size\": 64, \"num_hidden_layers\": 1, "
                               "\"num_attention_heads\": 4, \"intermediate_size\": 8, \"vocab_size\": 10, "
                               "\"max_position_embeddings\": 32}}"),
                     KVB_MISSING_KEY); // a tower is part of it
}

#define LLAVA                                                                                                          \
    "{\"architectures\": [\"LlavaNextForConditionalGeneration\"], \"text_config\": {\"model_type\": \"llama\", "       \
    "\"hidden_size\": 64, \"num_hidden_layers\": 1, \"num_attention_heads\": 4, \"intermediate_size\": 8, "            \
    "\"vocab_size\": 10, \"max_position_embeddings\": 32}, \"vision_config\": {\"model_type\": "                       \
    "\"siglip_vision_model\", \"hidden_size\": 32, \"num_hidden_layers\": 4, \"num_attention_heads\": 4, "             \
    "\"intermediate_size\": 8, \"patch_size\": 14, \"image_size\": 28}"

// Granite Vision lays four layers of its tower side by side: three times 32 columns more for 64 rows.
static void a_projector_reads_several_layers(void **state)
{
    (void)state;
    assert_int_equal(read_text(LLAVA ", \"vision_feature_layer\": -2}"), KVB_OK);
    uint64_t one = kvb_model_parameters(&model);
    assert_int_equal(read_text(LLAVA ", \"vision_feature_layer\": [-24, -20, -12, -1]}"), KVB_OK);
    assert_int_equal(kvb_model_parameters(&model) - one, 3 * 32 * 64);
}

#define PARAMS                                                                                                         \
    "{\"dim\": 64, \"n_layers\": 2, \"n_heads\": 4, \"n_kv_heads\": 2, \"hidden_dim\": 128, \"vocab_size\": 1000"

static void a_params_json_needs_no_class(void **state)
{
    (void)state;
    assert_int_equal(read_text(PARAMS "}"), KVB_OK);
    assert_int_equal(model.context_tokens, 128000);
    assert_int_equal(model.kinds[0].attention.kv_heads, 2);
    assert_int_equal(read_text(PARAMS ", \"max_seq_len\": 32768, \"moe\": null}"), KVB_OK);
    assert_int_equal(model.context_tokens, 32768);
    assert_int_equal(read_text(PARAMS ", \"vision_encoder\": {\"hidden_size\": 8}}"), KVB_UNKNOWN_KIND);
    assert_non_null(strstr(problems.items[0].text, "config.json"));
    assert_int_equal(read_text("{\"dim\": 64, \"n_layers\": 2}"), KVB_MISSING_KEY);
}

KVB_TEST_MAIN(cmocka_unit_test(counts_are_the_published_ones), cmocka_unit_test(imports_plan_alike),
              cmocka_unit_test(awkward_configs_too), cmocka_unit_test(mixers_by_layer),
              cmocka_unit_test(wrappers_and_variants), cmocka_unit_test(a_projector_reads_several_layers),
              cmocka_unit_test(a_params_json_needs_no_class))
