// Corners of the KV layouts: releases that refuse, pages made equal, stages that keep nothing, drafts, V0.
// Expected figures are hand calculations from the engine's rules.
#include <stdio.h>

#include "engines/vllm/kv.h"
#include "unit/plans.h"
#include "unit/test.h"

#define POOL (40 * GIB)

static struct kvb_plan plan;
static struct kvb_budget budget;

static void answer(void)
{
    (void)answer_into(&plan, &budget);
}

// Two kinds of layers, alternating, on an H100 with a pool of 40 GiB.
static void make_pair(uint32_t release, uint32_t layers, enum kvb_attention other)
{
    struct shape shape = {"pair", layers, 32, 8, 128, 1024, 2, 0, other, 131072};
    make_model(&shape, &plan.model);
    make_plan(&plan, release, POOL, 8192);
    plan.model.kinds[1].attention.conv_kernel = 4;
}

static const char refused[] =
    "NotImplementedError: this release has no KV-cache layout for the page sizes of this model's layers";
static const char not_divisible[] =
    "The page size of the layer is not divisible by the maximum page size. Cannot unify "
    "by adjusting block_size.";
static const char not_padded[] =
    "page size is not divisible by the maximum page size and cannot be padded. Padding is only supported for attention "
    "layers whose backend indexes KV pages by the block stride (indexes_kv_by_block_stride is True).";
static const char too_many[] = "this model's layers are of more kinds than kvbudget can group";

// Windows with half the heads: their pages are half as large. 0.10 has no layout for that, and before groups
// (0.8.5) full layers of unlike heads have none either; from 0.12 the smaller page gets a larger block.
static void unlike_pages(void **state)
{
    (void)state;
    make_pair(R(10, 0), 32, KVB_ATTENTION_SLIDING);
    plan.model.kinds[1].attention.kv_heads = 4;
    answer();
    assert_false(budget.starts);
    assert_string_equal(budget.error, refused);
    assert_int_equal(budget.verdict, KVB_DOES_NOT_FIT);
    assert_int_equal(budget.balance_bytes, budget.items[KVB_ITEM_KV_CACHE].bytes); // no need is known
    plan.engine.release = R(8, 5);
    answer();
    assert_string_equal(budget.error, refused);
    plan.engine.release = R(12, 0);
    answer();
    assert_true(budget.starts);
    assert_int_equal(budget.kv.group_count, 2);
    assert_int_equal(budget.kv.groups[0].block_tokens, 16);
    assert_int_equal(budget.kv.groups[1].block_tokens, 32);
    plan.engine.release = R(10, 0);
    set(&plan, KVB_SET_PIPELINE_PARALLEL_SIZE, 2); // each worker of 0.10 lays out its own
    answer();
    assert_string_equal(budget.error, refused);
    for (uint32_t layer = 0; layer < 16; layer++) {
        plan.model.kind_of_layer[layer] = 0; // which the first can
    }
    answer();
    assert_false(budget.starts);
    for (uint32_t layer = 0; layer < 32; layer++) {
        plan.model.kind_of_layer[layer] = layer < 16 ? layer % 2 : 0; // and the second here, with room for nothing
    }
    set(&plan, KVB_SET_KV_CACHE_MEMORY_BYTES, 1);
    answer();
    assert_false(budget.starts);
    assert_int_equal(budget.tightest_stage, 1);
}

// A gated delta net came with the V1 engine; a plain sliding window is held like full attention.
static void layers_after_v0(void **state)
{
    (void)state;
    make_pair(R(6, 4), 32, KVB_ATTENTION_GDN);
    (void)snprintf(plan.model.architecture, sizeof plan.model.architecture, "Qwen3NextForCausalLM");
    answer();
    assert_false(budget.starts);
    assert_int_equal(budget.verdict, KVB_DOES_NOT_FIT);
    assert_string_equal(budget.error, "Model architectures ['Qwen3NextForCausalLM'] are not supported for now.");
    make_pair(R(6, 4), 32, KVB_ATTENTION_SLIDING);
    answer();
    assert_true(budget.starts);
}

// 3 heads against 8: 8 is no multiple. 0.12 refuses; from 0.24 the smaller page is padded.
static void indivisible_pages(void **state)
{
    (void)state;
    make_pair(R(12, 0), 32, KVB_ATTENTION_SLIDING);
    plan.model.kinds[1].attention.kv_heads = 3;
    answer();
    assert_string_equal(budget.error, not_divisible);
    plan.engine.release = R(24, 0);
    answer();
    assert_true(budget.starts);
    assert_int_equal(budget.kv.groups[1].page_bytes, 16 * 8 * 256 * 2);
}

// A state page beside attention that 0.9 cannot align: refused to 0.25, padded from 0.26.
static void padded_states(void **state)
{
    (void)state;
    make_pair(R(25, 0), 32, KVB_ATTENTION_SHORT_CONV);
    plan.model.kinds[1].attention.state_inner_size = 4096; // 4096 x 3 x 2 B = 24,576 B; a page of 16 x 4096 B
    answer();
    assert_true(budget.starts);
    make_pair(R(9, 2), 32, KVB_ATTENTION_SHORT_CONV); // no alignment of pages before 0.10
    plan.environment.use_v1 = KVB_YES;                // which leaves states to V0 unless it is asked for
    plan.model.kinds[1].attention.state_inner_size = 4096;
    answer();
    assert_string_equal(budget.error, refused);
}

// Latent layers beside windows: from 0.27 the windows count as full attention where there is some to join, and one
// group holds all; 0.26 has no layout.
static void latent_beside_windows(void **state)
{
    (void)state;
    make_pair(R(26, 0), 32, KVB_ATTENTION_SLIDING);
    plan.model.kinds[0].attention.kind = KVB_ATTENTION_MLA;
    plan.model.kinds[0].attention.latent_rank = 512;
    plan.model.kinds[0].attention.rope_size = 64;
    plan.model.kinds[1].attention.kv_heads = 5;
    answer();
    assert_string_equal(budget.error, not_padded);
    plan.engine.release = R(27, 1);
    answer();
    assert_true(budget.starts);
    assert_int_equal(budget.kv.group_count, 1);
    assert_int_equal(budget.kv.groups[0].layers, 32);
    plan.model.kinds[1].attention.kind =
        KVB_ATTENTION_CHUNKED; // _try_get_full_allocation_fallback_groups: none for chunks
    answer();
    assert_string_equal(budget.error, not_padded);
}

// Layers that only keep states, of two sizes: one group of unequal pages, 1 block a request.
static void states_alone(void **state)
{
    (void)state;
    make_pair(R(19, 0), 8, KVB_ATTENTION_SHORT_CONV);
    plan.model.kinds[0].attention.kind = KVB_ATTENTION_SHORT_CONV;
    plan.model.kinds[0].attention.conv_kernel = 4;
    plan.model.kinds[0].attention.state_inner_size = 4096;
    plan.model.kinds[1].attention.state_inner_size = 2048;
    answer();
    assert_int_equal(budget.kv.group_count, 1);
    assert_int_equal(budget.kv.bytes_per_block, 4 * 4096 * 3 * 2 + 4 * 2048 * 3 * 2);
    assert_int_equal(budget.kv.blocks_per_request, 1);
    // a state of no size at all takes no room
    plan.model.kinds[0].attention.state_inner_size = 0;
    plan.model.kinds[1].attention.state_inner_size = 0;
    answer();
    assert_int_equal(budget.needed_bytes, 0);
}

// 1 full layer and 120 windows make groups of one: 121 are more than the 96 there is room for.
static void too_many_groups(void **state)
{
    (void)state;
    struct shape shape = {"many", 121, 32, 8, 128, 1024, 121, 0, KVB_ATTENTION_SLIDING, 131072};
    make_model(&shape, &plan.model);
    make_plan(&plan, R(19, 0), POOL, 8192);
    answer();
    assert_string_equal(budget.error, too_many);
}

// Every layer of its own head size, 40 in the model and 40 in its draft: more than 64 kinds of caches.
static void too_many_kinds(void **state)
{
    (void)state;
    static struct kvb_model draft;
    make_pair(R(19, 0), 40, KVB_ATTENTION_FULL);
    plan.model.kind_count = 40;
    for (uint8_t i = 0; i < 40; i++) {
        plan.model.kinds[i] = plan.model.kinds[0];
        plan.model.kinds[i].attention.head_size = 8U * (i + 1U);
        plan.model.kinds[i].attention.value_head_size = 8U * (i + 1U);
        plan.model.kind_of_layer[i] = i;
    }
    draft = plan.model;
    for (uint8_t i = 0; i < 40; i++) {
        draft.kinds[i].attention.head_size += 400;
    }
    plan.draft = &draft;
    set(&plan, KVB_SET_SPECULATIVE_METHOD, KVB_SPECULATIVE_DRAFT_MODEL);
    answer();
    assert_string_equal(budget.error, too_many);
    plan.model.kinds[1].attention.kind = KVB_ATTENTION_SLIDING; // not of one type, and allocated as if it were
    plan.model.kinds[1].attention.window_tokens = 512;
    set(&plan, KVB_SET_DISABLE_HYBRID_KV_CACHE_MANAGER, 1);
    answer();
    assert_string_equal(budget.error, too_many);
}

// 16 x 4096 B a layer and block. A draft model adds all its layers, an MTP module its own, EAGLE without a
// model one full layer, or of a model that slides throughout one that slides as well; where windows differ none.
static void drafts(void **state)
{
    (void)state;
    static struct kvb_model draft;
    static const struct {
        enum kvb_speculative method;
        uint32_t draft_layers, mtp_layers, wanted;
    } rows[] = {
        {KVB_SPECULATIVE_NONE, 0, 0, 32},        {KVB_SPECULATIVE_DRAFT_MODEL, 4, 0, 36},
        {KVB_SPECULATIVE_DRAFT_MODEL, 0, 0, 32}, {KVB_SPECULATIVE_EAGLE, 2, 0, 34},
        {KVB_SPECULATIVE_EAGLE, 0, 0, 33},       {KVB_SPECULATIVE_MTP, 0, 1, 33},
        {KVB_SPECULATIVE_NGRAM, 0, 0, 32},
    };
    for (size_t i = 0; i < sizeof rows / sizeof rows[0]; i++) {
        struct shape shape = {"target", 32, 32, 8, 128, 0, 0, 0, KVB_ATTENTION_SLIDING, 131072};
        make_model(&shape, &plan.model);
        draft = plan.model;
        draft.layer_count = rows[i].draft_layers;
        make_plan(&plan, R(19, 0), POOL, 8192);
        plan.model.mtp_layers = rows[i].mtp_layers;
        plan.draft = rows[i].draft_layers > 0 ? &draft : NULL;
        set(&plan, KVB_SET_SPECULATIVE_METHOD, rows[i].method);
        answer();
        assert_int_equal(budget.kv.bytes_per_block, rows[i].wanted * 16 * 4096);
    }
    (void)strcpy(plan.model.architecture, "MiMoV2FlashForCausalLM"); // mimo_v2_mtp.py v0.21.0: the first alone
    plan.model.mtp_layers = 3;
    set(&plan, KVB_SET_SPECULATIVE_METHOD, KVB_SPECULATIVE_MTP);
    answer();
    assert_int_equal(budget.kv.bytes_per_block, 33 * 16 * 4096);
    make_pair(R(19, 0), 32, KVB_ATTENTION_SLIDING);
    plan.model.kinds[0].attention.kind = KVB_ATTENTION_SLIDING;
    plan.model.kinds[0].attention.window_tokens = 1024;
    set(&plan, KVB_SET_SPECULATIVE_METHOD, KVB_SPECULATIVE_EAGLE);
    answer();
    assert_int_equal(budget.kv.bytes_per_block, 33 * 16 * 4096);
    make_pair(R(19, 0), 32, KVB_ATTENTION_SLIDING);
    plan.model.kinds[0].attention.kind = KVB_ATTENTION_SLIDING;
    plan.model.kinds[0].attention.window_tokens = 2 * plan.model.kinds[1].attention.window_tokens;
    set(&plan, KVB_SET_SPECULATIVE_METHOD, KVB_SPECULATIVE_EAGLE);
    answer();
    uint32_t layers = 0;
    for (uint32_t i = 0; i < budget.kv.group_count; i++) {
        layers += budget.kv.groups[i].layers;
    }
    assert_int_equal(layers, 32);
}

// kv_cache_utils.py v0.10.2 unify_kv_cache_configs: 13 layers of 26 are 7 full and 6 windows on the first stage, 6 and
// 7 on the second: two full groups and one of windows, or one and two. 24 layers halve alike; from 0.11 all are grouped
// together.
static void stages_of_unlike_groups(void **state)
{
    (void)state;
    static const struct {
        uint32_t release, layers, stages;
        bool starts;
    } rows[] = {{R(10, 2), 26, 2, false}, {R(10, 2), 24, 2, true}, {R(10, 2), 26, 1, true}, {R(11, 0), 26, 2, true}};
    for (size_t i = 0; i < sizeof rows / sizeof rows[0]; i++) {
        make_pair(rows[i].release, rows[i].layers, KVB_ATTENTION_SLIDING);
        set(&plan, KVB_SET_PIPELINE_PARALLEL_SIZE, rows[i].stages);
        answer();
        assert_int_equal(budget.starts, rows[i].starts);
        assert_true(rows[i].starts || strcmp(budget.error, "AssertionError") == 0);
    }
}

// A draft is on the last stage alone: v0.10.2 gives 62 layers of DeepSeek V3.1 with its module on 3 stages blocks
// of 21.
static void stages_of_a_draft(void **state)
{
    (void)state;
    make_pair(R(10, 2), 32, KVB_ATTENTION_FULL);
    plan.model.mtp_layers = 1;
    (void)strcpy(plan.model.architecture, "DeepseekV3ForCausalLM");
    set(&plan, KVB_SET_SPECULATIVE_METHOD, KVB_SPECULATIVE_MTP);
    set(&plan, KVB_SET_PIPELINE_PARALLEL_SIZE, 3); // 11, 11 and 10 layers, and the module
    answer();
    assert_int_equal(budget.kv.num_blocks, POOL / (11 * 16 * 4096));
}

// Layers that keep nothing: bidirectional, empty, or with heads of no size.
static void nothing_kept(void **state)
{
    (void)state;
    make_pair(R(19, 0), 32, KVB_ATTENTION_ENCODER);
    plan.model.kinds[0].attention.head_size = 0;
    plan.model.kinds[0].attention.value_head_size = 0;
    answer();
    assert_true(budget.starts);
    assert_int_equal(budget.needed_bytes, 0);
    assert_int_equal(budget.kv.group_count, 0);
    set(&plan, KVB_SET_MAX_MODEL_LEN, KVB_AUTO);
    answer();
    assert_true(budget.starts);
}

// A model without a length of its own and without caches: nothing to fit, nothing to divide by.
static void no_length_at_all(void **state)
{
    (void)state;
    make_pair(R(19, 0), 8, KVB_ATTENTION_NONE);
    plan.model.kinds[0].attention = (struct kvb_attention_shape){.kind = KVB_ATTENTION_NONE};
    plan.model.context_tokens = 0;
    set(&plan, KVB_SET_MAX_MODEL_LEN, KVB_AUTO);
    answer();
    assert_true(budget.starts);
    assert_int_equal(budget.kv.auto_max_model_len, 0);
    assert_int_equal(budget.kv.bytes_per_token, 0);
}

// A draft that keeps states beside full attention (4096 x 3 x 2 B against 65536): padded from 0.26.
static void a_draft_with_states(void **state)
{
    (void)state;
    static struct kvb_model draft;
    struct shape shape = {"target", 32, 32, 8, 128, 0, 0, 0, KVB_ATTENTION_SLIDING, 131072};
    make_model(&shape, &plan.model);
    draft = plan.model;
    draft.layer_count = 2;
    draft.kinds[0].attention =
        (struct kvb_attention_shape){.kind = KVB_ATTENTION_SHORT_CONV, .state_inner_size = 4096, .conv_kernel = 4};
    make_plan(&plan, R(25, 0), POOL, 8192);
    plan.draft = &draft;
    set(&plan, KVB_SET_SPECULATIVE_METHOD, KVB_SPECULATIVE_DRAFT_MODEL);
    answer();
    assert_string_equal(budget.error, not_padded);
    plan.engine.release = R(26, 0);
    answer();
    assert_true(budget.starts);
    assert_int_equal(budget.kv.groups[budget.kv.group_count - 1].page_bytes, 65536);
}

// V1 before 0.8.3 holds windows like full attention: one group of 32 layers.
static void windows_before_they_counted(void **state)
{
    (void)state;
    make_pair(R(8, 0), 32, KVB_ATTENTION_SLIDING);
    answer();
    assert_int_equal(budget.kv.bytes_per_block, 32 * 16 * 4096);
    assert_int_equal(budget.needed_bytes, 8192ULL * 32 * 4096);
}

static void make_cards(uint32_t release)
{
    make_llama_plan(&plan, release);
    plan.environment.use_v1 = KVB_YES;
    set(&plan, KVB_SET_PIPELINE_PARALLEL_SIZE, 2);
}

// V1 to 0.8.1: the smallest pool over the largest block of any stage. With 31 of 32 layers on the first stage
// both are its own; with 12, the second has the smaller pool (it samples) and the larger block.
static void memory_over_layers(void **state)
{
    (void)state;
    static const uint16_t firsts[] = {31, 12};
    for (size_t i = 0; i < 2; i++) {
        make_cards(R(8, 0));
        plan.environment.layer_partition_count = 2;
        plan.environment.layer_partition[0] = firsts[i];
        plan.environment.layer_partition[1] = (uint16_t)(32 - firsts[i]);
        answer();
        uint64_t layers = i == 0 ? 31 : 20;
        assert_int_equal(budget.tightest_stage, i);
        assert_int_equal(budget.kv.num_blocks, (uint64_t)budget.items[KVB_ITEM_KV_CACHE].bytes / (layers * 65536));
    }
    plan.model.kinds[0].attention.kind = KVB_ATTENTION_NONE;
    answer();
    assert_int_equal(budget.kv.num_blocks, 1);
}

// A worker without caches has one block in 0.9 and 0.10, and the least counts; later such stages stand aside.
static void a_stage_without_caches(void **state)
{
    (void)state;
    static const struct {
        uint32_t release;
        bool one;
    } rows[] = {{R(10, 0), true}, {R(19, 0), false}};
    for (size_t i = 0; i < 2; i++) {
        make_pair(rows[i].release, 32, KVB_ATTENTION_NONE);
        for (uint32_t layer = 0; layer < 32; layer++) {
            plan.model.kind_of_layer[layer] = layer < 16 ? 0 : 1;
        }
        set(&plan, KVB_SET_PIPELINE_PARALLEL_SIZE, 2);
        answer();
        assert_int_equal(budget.kv.num_blocks, rows[i].one ? 1 : POOL / (16 * 65536));
    }
}

// --need-len and --need-concurrency: 32768 tokens x 128 KiB = 4 GiB; twice that; 3.5 of max_model_len's 1 GiB.
static void wishes(void **state)
{
    (void)state;
    static const struct {
        uint64_t length, hundredths, wanted;
    } rows[] = {{32768, 0, 4 * GIB}, {32768, 200, 8 * GIB}, {0, 350, 3 * GIB + GIB / 2}, {0, 0, 0}};
    for (int v0 = 0; v0 < 2; v0++) {
        for (size_t i = 0; i < sizeof rows / sizeof rows[0]; i++) {
            make_llama_plan(&plan, v0 ? R(7, 3) : R(19, 0));
            plan.need.length_tokens = rows[i].length;
            plan.need.concurrency_hundredths = rows[i].hundredths;
            set(&plan, KVB_SET_MAX_MODEL_LEN, rows[i].length > 0 ? rows[i].length : 8192);
            answer();
            assert_int_equal(budget.kv.wanted_bytes, rows[i].wanted);
        }
    }
}

// Two stages of 16 layers and one pool: the first of those that hold as many blocks answers for all, whoever compares
// them.
static void of_equal_stages_the_first(void **state)
{
    (void)state;
    static const uint32_t releases[] = {R(4, 2),  R(6, 6),  R(8, 5),  R(9, 2),  R(10, 2), R(11, 0),
                                        R(11, 1), R(14, 0), R(17, 0), R(20, 0), R(24, 0), R(28, 0)};
    for (size_t i = 0; i < sizeof releases / sizeof releases[0]; i++) {
        make_llama_plan(&plan, releases[i]);
        set(&plan, KVB_SET_PIPELINE_PARALLEL_SIZE, 2);
        set(&plan, KVB_SET_KV_CACHE_MEMORY_BYTES, 4 * GIB);
        (void)answer_into(&plan, &budget);
        assert_int_equal(budget.kv.num_blocks, 4096); // 4 GiB over 16 layers x 16 tokens x 4 KiB
        assert_int_equal(budget.tightest_stage, 0);
    }
}

KVB_TEST_MAIN(cmocka_unit_test(of_equal_stages_the_first), cmocka_unit_test(unlike_pages),
              cmocka_unit_test(layers_after_v0), cmocka_unit_test(indivisible_pages), cmocka_unit_test(padded_states),
              cmocka_unit_test(latent_beside_windows), cmocka_unit_test(states_alone),
              cmocka_unit_test(too_many_groups), cmocka_unit_test(too_many_kinds), cmocka_unit_test(drafts),
              cmocka_unit_test(stages_of_unlike_groups), cmocka_unit_test(stages_of_a_draft),
              cmocka_unit_test(nothing_kept), cmocka_unit_test(no_length_at_all), cmocka_unit_test(a_draft_with_states),
              cmocka_unit_test(windows_before_they_counted), cmocka_unit_test(memory_over_layers),
              cmocka_unit_test(a_stage_without_caches), cmocka_unit_test(wishes))
