// Small tables of vLLM's refusals walked over their releases: what each lists and how it says so, from the release that
// added a word to the last before the next. Read from the engine's code at the tags named beside them.
#include <stdio.h>
#include <string.h>

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

KVB_TEST_MAIN(cmocka_unit_test(targets_of_eagle3), cmocka_unit_test(ranks_of_adapters),
              cmocka_unit_test(pictures_larger_than_a_step))
