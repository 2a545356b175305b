// What few starts have: one way of each question that no other test takes. Expected values follow from the engine's
// code at the tags named beside them, from a count by hand, or from an equal case.
#include <string.h>

#include "engines/vllm/encoder_items.h"
#include "engines/vllm/kv.h"
#include "engines/vllm/kv_backend.h"
#include "engines/vllm/platforms.h"
#include "engines/vllm/release_tables.h"
#include "engines/vllm/residual.h"
#include "engines/vllm/runner.h"
#include "engines/vllm/terms.h"
#include "engines/vllm/v1_oracle.h"
#include "unit/refusal_says.h"
#include "unit/test.h"

static struct kvb_plan plan;
static struct kvb_budget budget;

// ---- Runners, speculation

// config/model.py v0.12.0 _get_default_runner_type: --runner pooling is heard whatever the model is.
static void a_decoder_asked_to_pool(void **state)
{
    (void)state;
    make_llama_plan(&plan, R(19, 0));
    assert_false(resolved(&plan)->pools);
    set(&plan, KVB_SET_RUNNER, KVB_RUNNER_POOLING);
    assert_true(resolved(&plan)->pools);
}

// arg_utils.py v0.8.0 to v0.9.2 _is_v1_supported_oracle: V1 has n-grams from the beginning, EAGLE from 0.8.3, MTP from
// 0.9.0 and no draft models.
static void drafts_without_v1(void **state)
{
    (void)state;
    static const struct {
        enum kvb_speculative method;
        uint32_t release;
        bool lacks;
    } rows[] = {{KVB_SPECULATIVE_NGRAM, R(8, 0), false}, {KVB_SPECULATIVE_EAGLE, R(8, 2), true},
                {KVB_SPECULATIVE_EAGLE, R(8, 3), false}, {KVB_SPECULATIVE_MTP, R(8, 5), true},
                {KVB_SPECULATIVE_MTP, R(9, 0), false},   {KVB_SPECULATIVE_DRAFT_MODEL, R(9, 2), true}};
    for (size_t i = 0; i < sizeof rows / sizeof rows[0]; i++) {
        make_llama_plan(&plan, rows[i].release);
        set(&plan, KVB_SET_SPECULATIVE_METHOD, rows[i].method);
        set(&plan, KVB_SET_NUM_SPECULATIVE_TOKENS, 2);
        if ((kvb_v1_lacks(resolved(&plan)) != NULL) != rows[i].lacks) {
            fail_msg("method %u at %u", rows[i].method, rows[i].release);
        }
    }
}

// config/vllm.py v0.26.0: a draft by DFlash asks for runner V2 where it keeps both windows and whole contexts, which
// nobody knows of a draft without a file. Experts run on V1 otherwise.
static void a_draft_of_both_windows(void **state)
{
    (void)state;
    static struct kvb_model draft;
    make_llama_plan(&plan, R(26, 0));
    name_class(&plan, "PhiMoEForCausalLM");
    plan.model.kinds[0].mlp.kind = KVB_MLP_MOE;
    plan.model.kinds[0].mlp.experts = 8;
    set(&plan, KVB_SET_SPECULATIVE_METHOD, KVB_SPECULATIVE_DFLASH);
    set(&plan, KVB_SET_NUM_SPECULATIVE_TOKENS, 7);
    assert_false(kvb_v2_runner_of(resolved(&plan)));
    draft = plan.model;
    draft.kind_count = 2;
    draft.kinds[1] = draft.kinds[0];
    draft.kinds[1].attention.kind = KVB_ATTENTION_SLIDING;
    draft.kinds[1].attention.window_tokens = 2048;
    draft.layer_count = 2;
    draft.kind_of_layer[1] = 1;
    plan.draft = &draft;
    assert_true(kvb_v2_runner_of(resolved(&plan)));
    plan.engine.release = R(25, 1);
    assert_false(kvb_v2_runner_of(resolved(&plan)));
}

// What a first start has less is not told beside a figure that the user gave.
static void a_first_start_that_is_stated(void **state)
{
    (void)state;
    static const char told[] = "Counted as a first start";
    make_llama_plan(&plan, R(27, 1));
    set_gpu(&plan, "NVIDIA GeForce RTX 4090", 24 * GIB, 89);
    plan.model.vocabulary_size = 151936;
    set(&plan, KVB_SET_MAX_NUM_BATCHED_TOKENS, 2048);
    for (int stated = 0; stated < 2; stated++) {
        plan.stated[KVB_STATED_ACTIVATION] = (struct kvb_stated_term){stated == 1, GIB};
        plan.stated[KVB_STATED_NON_TORCH] = (struct kvb_stated_term){stated == 1, GIB};
        const struct kvb_problems *problems = answer_into(&plan, &budget);
        bool found = false;
        for (uint32_t i = 0; i < problems->count; i++) {
            found = found || strstr(problems->items[i].text, told) != NULL;
        }
        assert_int_equal(found, stated == 0);
    }
}

// ---- What is kept

// MiniCPM-V: 16 frames of 64 tokens stand for 16 patches each, of 3 x 14 x 14 numbers in 16 bits; a picture has 640
// tokens and is given as ten tiles of 448 x 448.
static void frames_instead_of_tiles(void **state)
{
    (void)state;
    struct kvb_encoder_load load;
    make_llama_plan(&plan, R(20, 0));
    plan.model.encoder = (struct kvb_encoder){.family = KVB_ENCODER_MINICPMV,
                                              .layers = 27,
                                              .hidden_size = 1152,
                                              .intermediate_size = 4304,
                                              .heads = 16,
                                              .patch_size = 14,
                                              .image_size = 448,
                                              .has_video = true};
    kvb_encoder_load_of(resolved(&plan), &load);
    assert_true(load.is_video);
    assert_int_equal(load.tokens_per_item, 1056);
    assert_int_equal(load.patches, load.items * 1024 * 16);
    assert_int_equal(load.pixel_bytes, load.patches * 3 * 14 * 14 * 2);
    plan.model.encoder.has_video = false;
    kvb_encoder_load_of(resolved(&plan), &load);
    assert_false(load.is_video);
    assert_int_equal(load.pixel_bytes, load.items * 10 * 3 * 448 * 448 * 2);
}

// kv_cache_utils.py at main of 2026-08-20: the null block is taken from a pool, and where nothing is kept there is
// none.
static void nothing_kept_has_no_null_block(void **state)
{
    (void)state;
    make_llama_plan(&plan, R(29, 0));
    plan.model.kinds[0].attention.kind = KVB_ATTENTION_NONE;
    set(&plan, KVB_SET_KV_CACHE_MEMORY_BYTES, GIB);
    (void)answer_into(&plan, &budget);
    assert_int_equal(budget.needed_bytes, 0);
    assert_int_equal(budget.kv.num_blocks, 1);
}

static void make_halves(uint32_t release, enum kvb_attention first, enum kvb_attention second)
{
    struct shape shape = {"halves", 32, 32, 8, 128, 1024, 2, 0, KVB_ATTENTION_FULL, 131072};
    make_model(&shape, &plan.model);
    make_plan(&plan, release, 40 * GIB, 8192);
    plan.model.kinds[0].attention.kind = first;
    plan.model.kinds[1].attention.kind = second;
    plan.model.kinds[0].attention.window_tokens = first == KVB_ATTENTION_FULL ? 0 : 512;
    plan.model.kinds[1].attention.window_tokens = second == KVB_ATTENTION_FULL ? 0 : 1024;
    for (uint32_t layer = 0; layer < 32; layer++) {
        plan.model.kind_of_layer[layer] = layer < 16 ? 0 : 1;
    }
}

// kv_cache_utils.py v0.27.1 _try_get_full_allocation_fallback_groups: windows that cannot meet in one spec are no
// reason to say something else than before.
static void windows_that_do_not_meet(void **state)
{
    (void)state;
    make_halves(R(27, 1), KVB_ATTENTION_SLIDING, KVB_ATTENTION_SLIDING);
    plan.model.kind_count = 3;
    plan.model.kinds[2] = plan.model.kinds[0];
    plan.model.kinds[2].attention = (struct kvb_attention_shape){.kind = KVB_ATTENTION_MLA,
                                                                 .heads = 32,
                                                                 .latent_rank = 512,
                                                                 .nope_size = 128,
                                                                 .rope_size = 64,
                                                                 .head_size = 192,
                                                                 .value_head_size = 128};
    plan.model.kinds[0].attention.kv_heads = 5;
    plan.model.kinds[1].attention.kv_heads = 5;
    for (uint32_t layer = 0; layer < 32; layer++) {
        plan.model.kind_of_layer[layer] = (uint8_t)(layer % 3);
    }
    (void)answer_into(&plan, &budget);
    assert_false(budget.starts);
    assert_non_null(strstr(budget.error, "page size is not divisible by the maximum page size and cannot be padded."));
}

// kv_cache_utils.py v0.19.0 unify_hybrid_kv_cache_specs: chunks of two sizes meet in one spec as badly as windows do.
// Before 0.9.1 there are no groups to keep windows and chunks apart in.
static void chunks_and_windows(void **state)
{
    (void)state;
    make_halves(R(19, 0), KVB_ATTENTION_CHUNKED, KVB_ATTENTION_CHUNKED);
    plan.model.kind_count = 3;
    plan.model.kinds[2] = plan.model.kinds[0];
    plan.model.kinds[2].attention.kind = KVB_ATTENTION_FULL;
    plan.model.kinds[2].attention.window_tokens = 0;
    plan.model.kind_of_layer[31] = 2;
    set(&plan, KVB_SET_DISABLE_HYBRID_KV_CACHE_MANAGER, 1);
    (void)answer_into(&plan, &budget);
    assert_string_equal(budget.error,
                        "All attention layers in the same KV cache group must have the same window size.");
    plan.model.kinds[1].attention.kind = KVB_ATTENTION_SLIDING;
    plan.engine.release = R(8, 5);
    unset(&plan, KVB_SET_DISABLE_HYBRID_KV_CACHE_MANAGER);
    (void)answer_into(&plan, &budget);
    assert_true(budget.starts);
    assert_int_equal(budget.kv.bytes_per_block, 32 * 65536); // 2 x 8 heads x 128 x 16 tokens x 2 B, of all alike
}

// kv_cache_utils.py v0.19.0 and v0.27.1 unify_hybrid_kv_cache_specs: without a layer of full attention no window is
// made one, so that none meet, and the last question refuses them.
static void windows_alone(void **state)
{
    (void)state;
    static const struct {
        uint32_t release;
        const char *text;
    } rows[] = {{R(19, 0),
                 "Hybrid KV cache manager is disabled but failed to convert the KV cache specs to one unified "
                 "type."},
                {R(27, 1), "Failed to promote local KV cache specs to one unified type."}};
    for (size_t i = 0; i < sizeof rows / sizeof rows[0]; i++) {
        make_halves(rows[i].release, KVB_ATTENTION_SLIDING, KVB_ATTENTION_SLIDING);
        set(&plan, KVB_SET_DISABLE_HYBRID_KV_CACHE_MANAGER, 1);
        (void)answer_into(&plan, &budget);
        assert_false(budget.starts);
        assert_string_equal(budget.error, rows[i].text);
    }
}

// kv_cache_utils.py v0.9.1 to v0.10.2 unify_kv_cache_configs: a stage of states beside one of attention.
static void a_stage_of_states(void **state)
{
    (void)state;
    make_halves(R(10, 2), KVB_ATTENTION_FULL, KVB_ATTENTION_MAMBA2);
    struct kvb_attention_shape *mamba = &plan.model.kinds[1].attention;
    set_mamba2(mamba);
    mamba->chunk_tokens = 128;
    set(&plan, KVB_SET_PIPELINE_PARALLEL_SIZE, 2);
    (void)answer_into(&plan, &budget);
    assert_false(budget.starts);
    assert_string_equal(budget.error, "AssertionError");
}

// models/config.py v0.17.0 Qwen3_5ForConditionalGenerationConfig: the checkpoint's word, or the model's own.
static void states_by_their_model(void **state)
{
    (void)state;
    static const struct shape shape = {"Qwen3.5", 48, 16, 2, 256, 0, 4, 3, KVB_ATTENTION_GDN, 262144};
    uint64_t state_numbers = 32 * 128 * 128, conv_numbers = (2 * 16 * 128 + 32 * 128) * 3;
    make_model(&shape, &plan.model);
    struct kvb_attention_shape *gdn = &plan.model.kinds[1].attention;
    gdn->state_key_heads = 16;
    gdn->state_key_size = 128;
    gdn->state_value_heads = 32;
    gdn->state_value_size = 128;
    gdn->conv_kernel = 4;
    make_plan(&plan, R(19, 0), GIB, 8192);
    name_class(&plan, "Qwen3_5ForConditionalGeneration");
    assert_int_equal(kvb_state_bytes(resolved(&plan), gdn), state_numbers * 2 + conv_numbers * 2);
    plan.model.state_dtype_known = true;
    plan.model.state_dtype = KVB_DTYPE_FP32;
    assert_int_equal(kvb_state_bytes(resolved(&plan), gdn), state_numbers * 4 + conv_numbers * 2);
}

// interface.py v0.20.0 update_block_size_for_backend: a stage without attention leaves the blocks of its states as the
// flags or the default of 16 say, and a request of 8192 tokens has one for each so many.
static void states_of_a_stage_alone(void **state)
{
    (void)state;
    static const struct {
        uint64_t block, mamba_block, told;
    } rows[] = {{0, 0, 16}, {32, 0, 32}, {0, 64, 64}, {32, 64, 64}};
    for (size_t i = 0; i < sizeof rows / sizeof rows[0]; i++) {
        make_halves(R(27, 1), KVB_ATTENTION_MAMBA2, KVB_ATTENTION_FULL);
        name_class(&plan, "NemotronHForCausalLM");
        set_mamba2(&plan.model.kinds[0].attention);
        plan.model.kinds[0].attention.chunk_tokens = 128;
        plan.model.kind_of_layer[20] = 0; // one of them on the second stage
        set(&plan, KVB_SET_PIPELINE_PARALLEL_SIZE, 2);
        set(&plan, KVB_SET_ENABLE_PREFIX_CACHING, 1);
        set(&plan, KVB_SET_BLOCK_SIZE, rows[i].block);
        plan.settings.values[KVB_SET_BLOCK_SIZE].set = rows[i].block > 0;
        set(&plan, KVB_SET_MAMBA_BLOCK_SIZE, rows[i].mamba_block);
        plan.settings.values[KVB_SET_MAMBA_BLOCK_SIZE].set = rows[i].mamba_block > 0;
        (void)answer_into(&plan, &budget);
        assert_true(budget.starts);
        assert_int_equal(budget.kv.groups[0].kind, KVB_ATTENTION_MAMBA2);
        assert_int_equal(budget.kv.groups[0].block_tokens, rows[i].told);
        assert_int_equal(budget.kv.groups[0].blocks_per_request, 8192 / rows[i].told);
    }
}

// models/config.py v0.16.0, of NemotronHPuzzle: float16 where the checkpoint says nothing, float32 from 0.20: a state
// of 128 x 64 x 128 numbers, and (8192 + 2 x 8 x 128) x 3 of the convolution in the model's 32 bits.
static void states_of_a_class(void **state)
{
    (void)state;
    static const struct {
        uint32_t release;
        uint64_t state_bytes;
    } rows[] = {{R(16, 0), 2}, {R(19, 1), 2}, {R(20, 0), 4}};
    for (size_t i = 0; i < sizeof rows / sizeof rows[0]; i++) {
        make_halves(rows[i].release, KVB_ATTENTION_MAMBA2, KVB_ATTENTION_FULL);
        name_class(&plan, "NemotronHPuzzleForCausalLM");
        struct kvb_attention_shape *mamba = &plan.model.kinds[0].attention;
        set_mamba2(mamba);
        set(&plan, KVB_SET_DTYPE, KVB_DTYPE_WORD_FP32);
        assert_int_equal(kvb_state_bytes(resolved(&plan), mamba),
                         128 * 64 * 128 * rows[i].state_bytes + (8192 + 2 * 8 * 128) * 3 * 4);
    }
}

static void words_of_latents(void **state)
{
    (void)state;
    make_latent_plan(&plan, R(11, 1), 8192, 256); // models/config.py v0.11.1: "auto" and fp8 become the packed form
    plan.model.kinds[0].attention.index_heads = 32;
    name_class(&plan, "DeepseekV32ForCausalLM");
    set(&plan, KVB_SET_KV_CACHE_DTYPE, KVB_KV_FP8_DS_MLA);
    assert_int_equal(resolved(&plan)->kv_word, KVB_KV_FP8_DS_MLA);
    set(&plan, KVB_SET_KV_CACHE_DTYPE, KVB_KV_FP8);
    assert_int_equal(resolved(&plan)->kv_word, KVB_KV_FP8_DS_MLA);
    plan.gpu.compute_capability = 120; // flashinfer_mla_sparse.py v0.27.1: packed already
    plan.engine.release = R(27, 1);
    set(&plan, KVB_SET_KV_CACHE_DTYPE, KVB_KV_FP8_DS_MLA);
    assert_int_equal(resolved(&plan)->kv_dtype, KVB_KV_FP8_DS_MLA);
}

// ---- Tables

// argparse: a beginning that two rows of one flag have is a beginning of one. --device was there twice.
static void one_flag_of_two_rows(void **state)
{
    (void)state;
    unsigned matches = 0, twice = 0;
    for (unsigned i = 1; i < kvb_known_flag_row_count; i++) {
        const char *name = kvb_known_flag_rows[i].name;
        if (strcmp(name, kvb_known_flag_rows[i - 1].name) == 0) {
            const struct kvb_known_flag *row = kvb_flag_of(name, strlen(name) - 1, 0, &matches);
            assert_true(matches > 0);
            assert_true(matches > 1 || (row != NULL && strcmp(row->name, name) == 0));
            twice += matches == 1;
        }
    }
    assert_true(twice > 0);
}

// ---- Memory

// --reserve is what the user knows of the card: what is usually gone is not told beside it.
static void a_reserve_is_known(void **state)
{
    (void)state;
    make_llama_plan(&plan, R(20, 0));
    plan.platform = KVB_PLATFORM_WSL2;
    assert_true(kvb_platform_usually_gone(resolved(&plan)) > 0);
    plan.reserve_count = 1;
    assert_int_equal(kvb_platform_usually_gone(resolved(&plan)), 0);
    plan.reserve_count = 0;
    plan.gpu_free_bytes = 20 * GIB; // measured
    assert_int_equal(kvb_platform_usually_gone(resolved(&plan)), 0);
}

KVB_TEST_MAIN(cmocka_unit_test(a_decoder_asked_to_pool), cmocka_unit_test(drafts_without_v1),
              cmocka_unit_test(a_draft_of_both_windows), cmocka_unit_test(a_first_start_that_is_stated),
              cmocka_unit_test(frames_instead_of_tiles), cmocka_unit_test(nothing_kept_has_no_null_block),
              cmocka_unit_test(windows_that_do_not_meet), cmocka_unit_test(chunks_and_windows),
              cmocka_unit_test(windows_alone), cmocka_unit_test(a_stage_of_states),
              cmocka_unit_test(states_of_a_stage_alone), cmocka_unit_test(states_by_their_model),
              cmocka_unit_test(states_of_a_class), cmocka_unit_test(words_of_latents),
              cmocka_unit_test(one_flag_of_two_rows), cmocka_unit_test(a_reserve_is_known))
