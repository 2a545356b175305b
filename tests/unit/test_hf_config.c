// Class rules of config.json: windows, patterns, heads, lengths, rotary tables, as the engine's classes have them.
#include "hf_text.h"
#include "unit/test.h"

static const struct kvb_attention_shape *at(uint32_t layer)
{
    assert_true(layer < model.layer_count);
    return &model.kinds[model.kind_of_layer[layer]].attention;
}

static const struct kvb_mlp_shape *mlp_at(uint32_t layer)
{
    return &model.kinds[model.kind_of_layer[layer]].mlp;
}

static void load(const char *name, const char *overrides)
{
    kvb_problems_init(&problems);
    if (kvb_model_load(name, overrides, &model, NULL, &problems) != KVB_OK) {
        fail_msg("%s: %s", name, problems.items[0].text);
    }
}

static void read_ok(const char *text)
{
    if (read_text(text) != KVB_OK) {
        fail_msg("%s", problems.items[0].text);
    }
}

struct window_row {
    const char *what, *text;
    enum kvb_attention first, second;
    uint32_t window;
};
// Which of two layers slides. Sources: vllm config get_sliding_window and is_interleaved, transformers' classes.
static const struct window_row windows[] = {
    {"Llama has none", TINY_WITH("LlamaForCausalLM", ""), KVB_ATTENTION_FULL, KVB_ATTENTION_FULL, 0},
    {"a stated window holds everywhere", TINY_WITH("LlamaForCausalLM", ", \"sliding_window\": 512"),
     KVB_ATTENTION_SLIDING, KVB_ATTENTION_SLIDING, 512},
    {"Qwen2's is dead", TINY_WITH("Qwen2ForCausalLM", ", \"sliding_window\": 512"), KVB_ATTENTION_FULL,
     KVB_ATTENTION_FULL, 0},
    {"unless switched on", TINY_WITH("Qwen2ForCausalLM", ", \"sliding_window\": 512, \"use_sliding_window\": true"),
     KVB_ATTENTION_SLIDING, KVB_ATTENTION_SLIDING, 512},
    {"switched off", TINY_WITH("LlamaForCausalLM", ", \"sliding_window\": 512, \"use_sliding_window\": false"),
     KVB_ATTENTION_FULL, KVB_ATTENTION_FULL, 0},
    {"Mistral's class default", TINY_WITH("MistralForCausalLM", ""), KVB_ATTENTION_SLIDING, KVB_ATTENTION_SLIDING,
     4096},
    {"null is no window", TINY_WITH("MistralForCausalLM", ", \"sliding_window\": null"), KVB_ATTENTION_FULL,
     KVB_ATTENTION_FULL, 0},
    {"Gemma 2 alternates", TINY_WITH("Gemma2ForCausalLM", ""), KVB_ATTENTION_SLIDING, KVB_ATTENTION_FULL, 4096},
    {"gpt-oss alternates",
     TINY_WITH("GptOssForCausalLM", ", \"sliding_window\": 128, \"num_local_experts\": 4, "
                                    "\"num_experts_per_tok\": 2"),
     KVB_ATTENTION_SLIDING, KVB_ATTENTION_FULL, 128},
    {"layer_types rule",
     TINY_WITH("Qwen3ForCausalLM", ", \"sliding_window\": 64, "
                                   "\"layer_types\": [\"full_attention\", \"sliding_attention\"]"),
     KVB_ATTENTION_FULL, KVB_ATTENTION_SLIDING, 64},
    {"Llama 4 chunks",
     TINY_WITH("Llama4ForCausalLM", ", \"no_rope_layers\": [1, 0], \"intermediate_size_mlp\": 128, "
                                    "\"num_local_experts\": 2, \"num_experts_per_tok\": 1"),
     KVB_ATTENTION_CHUNKED, KVB_ATTENTION_FULL, 8192},
};

static void windows_by_class(void **state)
{
    (void)state;
    for (size_t i = 0; i < sizeof windows / sizeof windows[0]; i++) {
        const struct window_row *row = &windows[i];
        read_ok(row->text);
        uint32_t window = at(0)->window_tokens > at(1)->window_tokens ? at(0)->window_tokens : at(1)->window_tokens;
        if (at(0)->kind != row->first || at(1)->kind != row->second || window != row->window) {
            fail_msg("%s: %s, %s, %u", row->what, kvb_attention_name(at(0)->kind), kvb_attention_name(at(1)->kind),
                     window);
        }
    }
}

static void gemma3_from_class_defaults(void **state)
{
    (void)state;
    load("google/gemma-3-4b-it", NULL); // its config names neither heads nor head size nor vocabulary
    assert_int_equal(at(0)->heads, 8);
    assert_int_equal(at(0)->kv_heads, 4);
    assert_int_equal(at(0)->head_size, 256);
    assert_int_equal(model.vocabulary_size, 262208);
    for (uint32_t i = 0; i < model.layer_count; i++) {
        assert_int_equal(at(i)->kind, (i + 1) % 6 == 0 ? KVB_ATTENTION_FULL : KVB_ATTENTION_SLIDING);
    }
    assert_int_equal(at(0)->window_tokens, 1024);
    // Global table: 131072 positions x 8 (linear scaling); local table plain.
    assert_int_equal(model.rope_cache_count, 2);
    assert_true(model.rope_caches[0].rows == 1048576 && model.rope_caches[1].rows == 131072);
    assert_true(model.context_tokens == 131072);
}

static void gemma4_shares_and_reuses(void **state)
{
    (void)state;
    load("google/gemma-4-E2B-it", NULL); // 35 layers, the last 20 share the caches of earlier ones
    assert_false(at(14)->shares_kv);
    assert_true(at(15)->shares_kv);
    assert_int_equal(at(4)->head_size, 512);
    assert_int_equal(at(0)->head_size, 256);
    assert_int_equal(mlp_at(15)->intermediate_size, 12288);
    load("google/gemma-4-26B-A4B-it", NULL);
    assert_true(at(5)->key_is_value && !at(0)->key_is_value);
    assert_int_equal(at(5)->kv_heads, 2);
    assert_int_equal(at(0)->kv_heads, 8);
    assert_int_equal(mlp_at(0)->experts, 128);
    assert_int_equal(mlp_at(0)->intermediate_size, 2112);
    assert_true(model.encoder.both_ways); // "vision"; of the E series the config says null
    load("google/gemma-4-12B-it", NULL);
    assert_true(model.encoder.both_ways);
    load("google/gemma-4-E4B-it", NULL);
    assert_false(model.encoder.both_ways);
}

static void latent_attention(void **state)
{
    (void)state;
    load("deepseek-ai/DeepSeek-V3", NULL);
    assert_int_equal(at(0)->kind, KVB_ATTENTION_MLA);
    assert_int_equal(at(0)->head_size, 576); // 512 + 64 per token
    assert_int_equal(mlp_at(2)->kind, KVB_MLP_GATED);
    assert_int_equal(mlp_at(3)->kind, KVB_MLP_MOE);
    assert_true(mlp_at(3)->router_correction_bias);
    assert_true(model.mtp_layers == 1 && model.mtp_own_embeddings);
    load("deepseek-ai/DeepSeek-V2-Lite", NULL);
    assert_int_equal(at(0)->query_rank, 0);
    assert_int_equal(mlp_at(1)->shared_intermediate_size, 2 * 1408);
    load("openbmb/MiniCPM3-4B", NULL); // projections are latent, its cache is not
    assert_int_equal(at(0)->kind, KVB_ATTENTION_FULL);
    assert_int_equal(at(0)->head_size, 96);
    assert_int_equal(at(0)->kv_heads, 40);
}

// vLLM 0.24 and later: 78 layers at frequency 4 and offset 3 keep 21 indexers (layers 0, 1, 2, 6, 10, ...).
static void shared_indexers(void **state)
{
    uint32_t owners = 0;
    (void)state;
    load("zai-org/GLM-5.2", NULL);
    for (uint32_t i = 0; i < model.layer_count; i++) {
        owners += at(i)->has_indexer;
    }
    assert_int_equal(owners, 21);
    assert_true(at(0)->has_indexer && at(2)->has_indexer && !at(3)->has_indexer && at(6)->has_indexer);
    load("deepseek-ai/DeepSeek-V3.2", NULL);
    assert_true(at(1)->has_indexer && at(60)->has_indexer);
}

static uint32_t layers_of(enum kvb_attention kind)
{
    uint32_t layers = 0;
    for (uint32_t i = 0; i < model.layer_count; i++) {
        layers += at(i)->kind == kind;
    }
    return layers;
}

static void hybrids(void **state)
{
    (void)state;
    load("Qwen/Qwen3-Next-80B-A3B-Instruct", NULL);
    assert_int_equal(layers_of(KVB_ATTENTION_GDN), 36);
    assert_int_equal(layers_of(KVB_ATTENTION_FULL), 12);
    assert_true(at(3)->gated_output);
    load("nvidia/NVIDIA-Nemotron-3-Nano-30B-A3B-BF16", NULL); // 23 M, 23 E, 6 *
    assert_int_equal(layers_of(KVB_ATTENTION_MAMBA2), 23);
    assert_int_equal(layers_of(KVB_ATTENTION_FULL), 6);
    assert_int_equal(layers_of(KVB_ATTENTION_NONE), 23);
    assert_int_equal(model.rope_cache_count, 0);
    load("LiquidAI/LFM2-1.2B", NULL);
    assert_int_equal(layers_of(KVB_ATTENTION_SHORT_CONV), 10);
    assert_int_equal(mlp_at(0)->intermediate_size, 8192); // 12288 x 2/3
    load("moonshotai/Kimi-K3", NULL);
    assert_int_equal(layers_of(KVB_ATTENTION_KDA), 69);
    assert_int_equal(layers_of(KVB_ATTENTION_MLA), 24);
    load("deepseek-ai/DeepSeek-V4-Flash", NULL);
    assert_int_equal(layers_of(KVB_ATTENTION_DSV4), 43);
    assert_true(at(0)->compress_ratio == 1 && at(2)->compress_ratio == 4 && at(3)->compress_ratio == 128);
    assert_true(at(2)->has_indexer && !at(3)->has_indexer);
    load("nvidia/Llama-3_3-Nemotron-Super-49B-v1", NULL);
    assert_true(layers_of(KVB_ATTENTION_NONE) > 0);
    load("meta-llama/Llama-3.2-11B-Vision-Instruct", NULL);
    assert_int_equal(layers_of(KVB_ATTENTION_CROSS), 8);
    assert_int_equal(at(3)->kind, KVB_ATTENTION_CROSS);
    load("XiaomiMiMo/MiMo-V2-Flash", NULL);
    assert_int_equal(layers_of(KVB_ATTENTION_FULL), 9);
    assert_true(at(0)->kv_heads == 4 && at(1)->kv_heads == 8 && at(1)->value_head_size == 128);
    assert_true(at(1)->sinks && !at(0)->sinks);
}

static void heads_without_the_usual_key(void **state)
{
    (void)state;
    load("tiiuae/falcon-40b", NULL);
    assert_int_equal(at(0)->kv_heads, 8);
    load("THUDM/chatglm3-6b", NULL);
    assert_int_equal(at(0)->kv_heads, 2);
    load("bigcode/starcoderbase", NULL);
    assert_int_equal(at(0)->kv_heads, 1);
    load("sentence-transformers/all-roberta-large-v1", NULL);
    assert_int_equal(at(0)->kind, KVB_ATTENTION_ENCODER);
    assert_true(model.pooling);
}

struct length_row {
    const char *model;
    uint64_t context_tokens, rope_rows;
    uint32_t rope_width;
};
// Lengths by vllm's _get_and_verify_max_len; tables by its rotary classes.
static const struct length_row lengths[] = {
    {"meta-llama/Llama-3.1-8B-Instruct", 131072, 131072, 128}, // llama3: not multiplied
    {"deepseek-ai/DeepSeek-V3", 163840, 163840, 64},           // yarn: 4096 x 40
    {"openai/gpt-oss-20b", 131072, 131072, 64},                // yarn: 4096 x 32
    {"Qwen/Qwen2-VL-7B-Instruct", 32768, 131072, 128},         // M-RoPE: table of 4 x
    {"Qwen/Qwen3.5-9B", 262144, 1048576, 64},                  // M-RoPE, a quarter of 256
    {"openai-community/gpt2", 1024, 0, 0},                     // n_positions, learned
    {"mosaicml/mpt-7b", 2048, 0, 0},                           // max_seq_len, alibi
    {"Qwen/Qwen-14B-Chat", 2048, 8192, 128},                   // the smaller of two keys
    {"microsoft/Phi-3-mini-128k-instruct", 131072, 131072, 96},
    {"tiiuae/falcon-40b", 2048, 2048, 64},
    {"facebook/opt-125m", 2048, 0, 0},
};

static void lengths_and_tables(void **state)
{
    (void)state;
    for (size_t i = 0; i < sizeof lengths / sizeof lengths[0]; i++) {
        const struct length_row *row = &lengths[i];
        load(row->model, NULL);
        uint64_t rows = model.rope_cache_count ? model.rope_caches[0].rows : 0;
        uint32_t width = model.rope_cache_count ? model.rope_caches[0].width : 0;
        if (model.context_tokens != row->context_tokens || rows != row->rope_rows || width != row->rope_width) {
            fail_msg("%s: %llu tokens, table %llu x %u", row->model, (unsigned long long)model.context_tokens,
                     (unsigned long long)rows, width);
        }
    }
}

static void overrides_reach_in(void **state)
{
    (void)state;
    load("Qwen/Qwen3-8B", "{\"num_hidden_layers\": 4}");
    assert_int_equal(model.layer_count, 4);
    load("Qwen/Qwen3-8B", "{\"rope_scaling\": {\"rope_type\": \"yarn\", \"factor\": 4.0, "
                          "\"original_max_position_embeddings\": 32768}, \"made_up\": 1}");
    assert_true(model.context_tokens == 131072);
    load("Qwen/Qwen3.5-9B", "{\"text_config\": {\"num_hidden_layers\": 8}}");
    assert_int_equal(model.layer_count, 8);
    assert_true(model.extra_count > 0); // the tower is still there
    load("mistralai/Mistral-7B-v0.1", "{\"sliding_window\": null}");
    assert_int_equal(at(0)->kind, KVB_ATTENTION_FULL);
    assert_int_equal(read_with(TINY_WITH("LlamaForCausalLM", ""), "[1]"), KVB_BAD_TYPE);
    assert_int_equal(read_with(TINY_WITH("LlamaForCausalLM", ""), "{\"vocab_size\": -1}"), KVB_OUT_OF_RANGE);
    assert_string_equal(problems.items[0].file, "--hf-overrides");
    assert_true(problems.items[0].line == 1 && problems.items[0].column == 16);
}

KVB_TEST_MAIN(cmocka_unit_test(windows_by_class), cmocka_unit_test(gemma3_from_class_defaults),
              cmocka_unit_test(latent_attention), cmocka_unit_test(gemma4_shares_and_reuses),
              cmocka_unit_test(shared_indexers), cmocka_unit_test(hybrids), cmocka_unit_test(lengths_and_tables),
              cmocka_unit_test(heads_without_the_usual_key), cmocka_unit_test(overrides_reach_in))
