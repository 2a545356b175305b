// Small tables of vLLM's refusals walked over their releases: what each lists and how it says so, from the release that
// added a word to the last before the next. Read from the engine's code at the tags named beside them.
#include <stdio.h>
#include <string.h>

#include "engines/vllm/release_tables.h"
#include "unit/refusal_says.h"
#include "unit/test.h"

static struct kvb_plan plan;

// ---- EAGLE3

// model_type of the targets: config.py v0.8.5 "llama", config/__init__.py v0.10.1 eagle3_target_supported = ["llama",
// "qwen"], v0.11.0 minicpm and gpt_oss, config/speculative.py v0.16.0 hunyuan_vl, hunyuan_v1_dense and afmoe, v0.17.0
// nemotron_h, v0.18.0 deepseek_v2, deepseek_v3, kimi_k2 and kimi_k25, v0.19.1 minimax_m2 and gemma4, v0.21.0 laguna.
// Since: 0 of no release.
static const struct {
    const char *architecture;
    uint32_t since;
} targets[] = {
    {"LlamaForCausalLM", R(8, 5)},
    {"MllamaForConditionalGeneration", R(8, 5)},
    {"Qwen2ForCausalLM", R(10, 1)},
    {"Qwen3MoeForCausalLM", R(10, 1)},
    {"MiniCPMForCausalLM", R(11, 0)},
    {"GptOssForCausalLM", R(11, 0)},
    {"HunYuanVLForConditionalGeneration", R(16, 0)},
    {"HunYuanDenseV1ForCausalLM", R(16, 0)},
    {"AfmoeForCausalLM", R(16, 0)},
    {"NemotronHForCausalLM", R(17, 0)},
    {"DeepseekV2ForCausalLM", R(18, 0)},
    {"DeepseekV3ForCausalLM", R(18, 0)},
    {"KimiK25ForConditionalGeneration", R(18, 0)},
    {"KimiVLForConditionalGeneration", R(18, 0)}, // of a deepseek_v3
    {"MiniMaxM2ForCausalLM", R(19, 1)},
    {"Gemma4ForCausalLM", R(19, 1)},
    {"LagunaForCausalLM", R(21, 0)},
    {"HunYuanMoEV1ForCausalLM", 0},
    {"KimiLinearForCausalLM", 0},
    {"MiniMaxM1ForCausalLM", 0},
    {"Gemma3ForCausalLM", 0},
    {"OlmoForCausalLM", 0},
};

static void targets_of_eagle3(void **state)
{
    (void)state;
    static const uint32_t releases[] = {R(8, 5),  R(9, 2),  R(10, 0), R(10, 1), R(10, 2), R(11, 0),
                                        R(11, 1), R(15, 1), R(16, 0), R(17, 0), R(17, 1), R(18, 0),
                                        R(18, 1), R(19, 0), R(19, 1), R(20, 0), R(20, 2), R(21, 0)};
    for (size_t i = 0; i < sizeof targets / sizeof targets[0]; i++) {
        for (size_t at = 0; at < sizeof releases / sizeof releases[0]; at++) {
            make_llama_plan(&plan, releases[at]);
            (void)strcpy(plan.model.architecture, targets[i].architecture);
            set(&plan, KVB_SET_SPECULATIVE_METHOD, KVB_SPECULATIVE_EAGLE);
            set(&plan, KVB_SET_NUM_SPECULATIVE_TOKENS, 2);
            says(kvb_refusal_eagle3_target, &plan, NULL); // of EAGLE nothing is asked
            plan.plain_flags = KVB_PLAIN_EAGLE3;
            bool taken = targets[i].since != 0 && releases[at] >= targets[i].since;
            const char *sentence = releases[at] < R(10, 1)   ? "Eagle3 is only supported for Llama models."
                                   : releases[at] < R(17, 0) ? "Eagle3 is only supported for ['llama', "
                                                             : "eagle3 is only supported for ['llama', ";
            says(kvb_refusal_eagle3_target, &plan, taken ? NULL : sentence);
        }
    }
}

// ---- LoRA

// config.py v0.3.0:456, v0.5.4, v0.5.5:1423, v0.7.3, v0.8.0:2326, v0.11.0:104 possible_max_ranks; config/lora.py
// v0.11.1:26 MaxLoRARanks.
static void ranks_of_adapters(void **state)
{
    (void)state;
    static const struct {
        uint32_t first, last;
        const char *ranks;
    } rows[] = {
        {R(3, 0), R(5, 4), " 8 16 32 64 "},
        {R(5, 5), R(7, 3), " 8 16 32 64 128 256 "},
        {R(8, 0), R(11, 0), " 8 16 32 64 128 256 320 512 "},
        {R(11, 1), R(27, 1), " 1 8 16 32 64 128 256 320 512 "},
    };
    for (size_t i = 0; i < sizeof rows / sizeof rows[0]; i++) {
        for (uint64_t rank = 1; rank <= 513; rank++) {
            char word[16], sentence[64];
            bool choice = rows[i].first >= R(11, 1);
            (void)snprintf(word, sizeof word, " %llu ", (unsigned long long)rank);
            (void)snprintf(sentence, sizeof sentence,
                           choice ? "--max-lora-rank: invalid choice: %llu (choose from 1, 8, 16, 32, 64, 128"
                                  : "max_lora_rank (%llu) must be one of (8, 16, 32, 64",
                           (unsigned long long)rank);
            for (int last = 0; last < 2; last++) {
                make_llama_plan(&plan, last ? rows[i].last : rows[i].first);
                set(&plan, KVB_SET_ENABLE_LORA, 1);
                set(&plan, KVB_SET_MAX_LORA_RANK, rank);
                says(kvb_refusal_lora_rank, &plan, strstr(rows[i].ranks, word) != NULL ? NULL : sentence);
            }
        }
    }
}

// ---- Drafts and models that pool

// config/speculative.py v0.15.0: the two vocabularies are compared for the method draft_model alone.
static void vocabularies_of_drafts(void **state)
{
    (void)state;
    static struct kvb_model draft;
    make_llama_plan(&plan, R(15, 0));
    draft = plan.model;
    plan.draft = &draft;
    set(&plan, KVB_SET_NUM_SPECULATIVE_TOKENS, 2);
    set(&plan, KVB_SET_SPECULATIVE_METHOD, KVB_SPECULATIVE_DRAFT_MODEL);
    says(kvb_refusal_draft_vocabulary, &plan, NULL);
    draft.vocabulary_size = 32000;
    says(kvb_refusal_draft_vocabulary, &plan, "Target model vocab_size=128256. Draft model vocab_size=32000.");
    set(&plan, KVB_SET_SPECULATIVE_METHOD, KVB_SPECULATIVE_EAGLE);
    says(kvb_refusal_draft_vocabulary, &plan, NULL);
    plan.draft = NULL;
}

// engine/arg_utils.py v0.6.5 to v0.10.1: of V0 alone.
static void chunks_of_models_that_pool(void **state)
{
    (void)state;
    static const char sentence[] = "Chunked prefill is not supported for pooling models";
    make_llama_plan(&plan, R(7, 3));
    set(&plan, KVB_SET_RUNNER, KVB_RUNNER_POOLING);
    says(kvb_refusal_pooling_chunks, &plan, NULL);
    set(&plan, KVB_SET_ENABLE_CHUNKED_PREFILL, 1);
    says(kvb_refusal_pooling_chunks, &plan, sentence);
    set(&plan, KVB_SET_RUNNER, KVB_RUNNER_AUTO);
    says(kvb_refusal_pooling_chunks, &plan, NULL);
    make_llama_plan(&plan, R(10, 1));
    set(&plan, KVB_SET_RUNNER, KVB_RUNNER_POOLING);
    set(&plan, KVB_SET_ENABLE_CHUNKED_PREFILL, 1);
    says(kvb_refusal_pooling_chunks, &plan, NULL);
}

// ---- Tables made from the releases

// Nothing is the beginning of no flag, and behind the last choice there is none.
static void ends_of_tables(void **state)
{
    (void)state;
    unsigned matches = 7;
    assert_null(kvb_flag_of("", 0, R(20, 0), &matches));
    assert_int_equal(matches, 0);
    assert_null(kvb_choice_after(&kvb_known_choice_rows[kvb_known_choice_row_count - 1], R(27, 0)));
    assert_null(kvb_choices_of("nobody's flag", R(27, 0)));
}

// A setting that was said as a flag of ours is the engine's flag of that name: arg_utils.py has --kv-cache-dtype from
// 0.3.0 on, --async-scheduling from 0.10.0. What a profile holds is no flag.
static void flags_that_a_release_lacks(void **state)
{
    (void)state;
    char out[KVB_ERROR_TEXT_CAPACITY] = "";
    make_llama_plan(&plan, R(2, 7));
    set(&plan, KVB_SET_KV_CACHE_DTYPE, KVB_KV_FP8);
    set(&plan, KVB_SET_ASYNC_SCHEDULING, 1);
    plan.settings.values[KVB_SET_KV_CACHE_DTYPE].origin = KVB_ORIGIN_PROFILE;
    plan.settings.values[KVB_SET_ASYNC_SCHEDULING].origin = KVB_ORIGIN_PROFILE;
    assert_false(kvb_refusal_flags(resolved(&plan), out));
    plan.settings.values[KVB_SET_KV_CACHE_DTYPE].origin = KVB_ORIGIN_FLAG;
    plan.settings.values[KVB_SET_ASYNC_SCHEDULING].origin = KVB_ORIGIN_FLAG;
    assert_true(kvb_refusal_flags(resolved(&plan), out));
    assert_string_equal(out, "vllm: error: unrecognized arguments: --kv-cache-dtype fp8 --async-scheduling");
    plan.engine.release = R(3, 0);
    assert_true(kvb_refusal_flags(resolved(&plan), out));
    assert_string_equal(out, "vllm: error: unrecognized arguments: --async-scheduling");
    plan.engine.release = R(10, 0);
    assert_false(kvb_refusal_flags(resolved(&plan), out));
    make_llama_plan(&plan, R(2, 7)); // one rank, and a switch that is off, are what it does without them
    plan.settings.values[KVB_SET_DECODE_CONTEXT_PARALLEL_SIZE] =
        (struct kvb_setting_value){.number = 1, .set = 1, .origin = KVB_ORIGIN_FLAG};
    plan.settings.values[KVB_SET_ENABLE_LORA] =
        (struct kvb_setting_value){.number = 0, .set = 1, .origin = KVB_ORIGIN_FLAG};
    assert_false(kvb_refusal_flags(resolved(&plan), out));
    plan.settings.values[KVB_SET_ENABLE_LORA].number = 1;
    plan.settings.values[KVB_SET_DECODE_CONTEXT_PARALLEL_SIZE].number = 2;
    plan.settings.values[KVB_SET_TENSOR_PARALLEL_SIZE] =
        (struct kvb_setting_value){.number = 2, .set = 1, .origin = KVB_ORIGIN_FLAG};
    assert_true(kvb_refusal_flags(resolved(&plan), out));
    assert_string_equal(out, "vllm: error: unrecognized arguments: --decode-context-parallel-size 2 --enable-lora");
}

// quantization/gptq.py create_weights asks matrices whose rows are shared out: of latents none of 16 x 192 rows, which
// over 16 ranks are no multiple of 128, where 14,336 of the MLP are 7 x 128.
static void groups_of_latents(void **state)
{
    (void)state;
    make_latent_plan(&plan, R(20, 0), 8192, 64);
    plan.model.quantisation = (struct kvb_quantisation){.method = KVB_QUANT_GPTQ, .bits = 4, .group_size = 128};
    set(&plan, KVB_SET_TENSOR_PARALLEL_SIZE, 16);
    says(kvb_refusal_group_shape, &plan, NULL);
    plan.model.kinds[0].mlp.intermediate_size = 14336 - 16;
    says(kvb_refusal_group_shape, &plan, "not aligned with the quantized weight shape");
}

// ---- Layout

// v1/core/encoder_cache_manager.py v0.8.4: before it nobody asks.
static void pictures_larger_than_a_step(void **state)
{
    (void)state;
    for (int asked = 0; asked < 2; asked++) {
        struct kvb_budget budget = {.starts = true};
        make_llama_plan(&plan, asked ? R(8, 4) : R(8, 3));
        plan.model.encoder = (struct kvb_encoder){.family = KVB_ENCODER_QWEN25_VL, .patch_size = 14, .merge_size = 2};
        set(&plan, KVB_SET_MAX_NUM_BATCHED_TOKENS, 64);
        set(&plan, KVB_SET_MAX_NUM_SEQS, 8);
        plan.plain_flags = KVB_PLAIN_WHOLE_ITEMS;
        kvb_refusal_check_layout(resolved(&plan), &budget);
        assert_int_equal(budget.starts, !asked);
    }
}

// model_arch_config_convertor.py v0.20.0:481, platforms/cuda.py: of a model that attends to pictures in both directions
// items stay whole, unasked. A video of Gemma 4 has 2,496 tokens, a picture 280.
static void videos_larger_than_a_step(void **state)
{
    (void)state;
    static const struct {
        uint32_t release;
        bool both_ways, videos;
        uint64_t tokens;
        bool refused;
    } rows[] = {{R(20, 0), true, true, 2495, true},   {R(20, 0), true, true, 2496, false},
                {R(19, 1), true, true, 2495, false},  {R(20, 0), false, true, 2495, false},
                {R(20, 0), true, false, 2495, false}, {R(20, 0), true, false, 279, true}};
    for (size_t i = 0; i < sizeof rows / sizeof rows[0]; i++) {
        struct kvb_budget budget = {.starts = true};
        make_llama_plan(&plan, rows[i].release);
        plan.model.encoder = (struct kvb_encoder){.family = KVB_ENCODER_GEMMA4,
                                                  .patch_size = 16,
                                                  .merge_size = 3,
                                                  .tokens_per_image = 280,
                                                  .has_video = true,
                                                  .both_ways = rows[i].both_ways};
        set(&plan, KVB_SET_LIMIT_VIDEOS, rows[i].videos);
        set(&plan, KVB_SET_MAX_NUM_BATCHED_TOKENS, rows[i].tokens);
        set(&plan, KVB_SET_MAX_NUM_SEQS, 8);
        kvb_refusal_check_layout(resolved(&plan), &budget);
        assert_int_equal(budget.starts, !rows[i].refused);
    }
}

// gpu_model_runner.py v0.9.1 to v0.19.1 may_reinitialize_input_batch: weights on the host beside several groups.
static void groups_beside_offloaded_weights(void **state)
{
    (void)state;
    static const struct {
        uint32_t release, groups;
        uint64_t offloaded;
        bool refused;
    } rows[] = {{R(9, 0), 2, GIB, false},  {R(9, 1), 2, GIB, true},   {R(19, 1), 2, GIB, true},
                {R(20, 0), 2, GIB, false}, {R(11, 0), 1, GIB, false}, {R(11, 0), 2, 0, false}};
    for (size_t i = 0; i < sizeof rows / sizeof rows[0]; i++) {
        struct kvb_budget budget = {.starts = true, .kv.group_count = rows[i].groups};
        make_llama_plan(&plan, rows[i].release);
        set(&plan, KVB_SET_CPU_OFFLOAD_GB, rows[i].offloaded);
        kvb_refusal_check_layout(resolved(&plan), &budget);
        assert_int_equal(budget.starts, !rows[i].refused);
        if (rows[i].refused) {
            assert_string_equal(budget.refusal, "cpu-offload");
        }
    }
}

// config/model.py v0.8.5 asks the platform, of which CUDA alone takes it, and ROCm from 0.11.1 on.
static void platforms_that_sleep(void **state)
{
    (void)state;
    static const struct {
        uint32_t release;
        enum kvb_vendor vendor;
        bool refused;
    } rows[] = {{R(8, 4), KVB_VENDOR_INTEL, false},  {R(8, 5), KVB_VENDOR_INTEL, true},
                {R(8, 5), KVB_VENDOR_NVIDIA, false}, {R(11, 0), KVB_VENDOR_AMD, true},
                {R(11, 1), KVB_VENDOR_AMD, false},   {R(20, 0), KVB_VENDOR_INTEL, true}};
    for (size_t i = 0; i < sizeof rows / sizeof rows[0]; i++) {
        make_llama_plan(&plan, rows[i].release);
        plan.gpu.vendor = rows[i].vendor;
        says(kvb_refusal_sleep, &plan, NULL);
        set(&plan, KVB_SET_ENABLE_SLEEP_MODE, 1);
        says(kvb_refusal_sleep, &plan, rows[i].refused ? "Sleep mode is not supported on current platform." : NULL);
    }
}

// ---- classes that are made of others

// registry.py v0.9.2 has the class itself; v0.10.0 _try_inspect_model_cls takes the causal model for a classifier
// alone, v0.10.1 _normalize_arch any ending of _SUFFIX_TO_DEFAULTS, to which v0.13.0 adds ForTokenClassification.
#define TEN "Characters"

static const struct {
    const char *name;
    uint32_t release;
    const char *by;
} served[] = {
    {"Qwen3ForSequenceClassification", R(9, 1), NULL},
    {"Qwen3ForSequenceClassification", R(9, 2), "Qwen3ForSequenceClassification"},
    {"Qwen3ForSequenceClassification", R(10, 0), "Qwen3ForCausalLM"},
    {"Qwen3ForSequenceClassification", R(27, 1), "Qwen3ForCausalLM"},
    {"GPT2ForSequenceClassification", R(27, 1), "GPT2ForSequenceClassification"},
    {"Qwen3EmbeddingModel", R(10, 0), NULL},
    {"Qwen3EmbeddingModel", R(10, 1), "Qwen3ForCausalLM"},
    {"GPT2ForTextEncoding", R(10, 1), "GPT2LMHeadModel"},
    {"Qwen3ForTokenClassification", R(12, 0), NULL},
    {"Qwen3ForTokenClassification", R(13, 0), "Qwen3ForCausalLM"},
    {"NobodyForSequenceClassification", R(27, 1), NULL},
    {"Nobody", R(27, 1), NULL},
    {TEN TEN TEN TEN TEN TEN TEN TEN TEN TEN TEN TEN TEN TEN TEN "Model", R(27, 1), NULL},     // no room for more
    {TEN TEN TEN TEN TEN TEN TEN TEN TEN TEN TEN TEN TEN TEN TEN TEN "Model", R(27, 1), NULL}, // nor for this
};

static void classes_made_of_others(void **state)
{
    (void)state;
    for (size_t i = 0; i < sizeof served / sizeof served[0]; i++) {
        const struct kvb_known_class *row = kvb_class_served_by(served[i].name, served[i].release);
        assert_string_equal(row != NULL ? row->name : "none", served[i].by != NULL ? served[i].by : "none");
    }
}

KVB_TEST_MAIN(cmocka_unit_test(platforms_that_sleep), cmocka_unit_test(groups_beside_offloaded_weights),
              cmocka_unit_test(groups_of_latents), cmocka_unit_test(flags_that_a_release_lacks),
              cmocka_unit_test(targets_of_eagle3), cmocka_unit_test(ranks_of_adapters),
              cmocka_unit_test(vocabularies_of_drafts), cmocka_unit_test(chunks_of_models_that_pool),
              cmocka_unit_test(ends_of_tables), cmocka_unit_test(pictures_larger_than_a_step), cmocka_unit_test(videos_larger_than_a_step),
              cmocka_unit_test(classes_made_of_others))
