// Which caches a model has, layer by layer: drafts of several kinds, stages without attention, an index of its own, and
// releases at the bounds of what they changed. Expected figures are hand calculations.
#include <stdio.h>
#include <string.h>

#include "engines/vllm/kv.h"
#include "unit/plans.h"
#include "unit/test.h"

static struct kvb_plan plan;
static struct kvb_model draft;
static struct kvb_buckets buckets;

static void fill(void)
{
    kvb_buckets_fill(resolved(&plan), &buckets);
}

// The one bucket of this kind, or NULL.
static const struct kvb_bucket *of_kind(enum kvb_attention kind)
{
    for (uint32_t i = 0; i < buckets.count; i++) {
        if (buckets.items[i].kind == kind) {
            return &buckets.items[i];
        }
    }
    return NULL;
}

static uint32_t layers_in_all(void)
{
    uint32_t layers = 0;
    for (uint32_t i = 0; i < buckets.count; i++) {
        layers += buckets.items[i].count;
    }
    return layers;
}

// ---- Drafts

// 32 full layers of a target, and a draft whose layers all slide over 2048 tokens; its kinds go on behind the last.
static void make_sliding_draft(uint32_t release, enum kvb_speculative method, uint32_t layers)
{
    static const struct shape shape = {"draft", 4, 32, 8, 128, 2048, 1, 0, KVB_ATTENTION_SLIDING, 131072};
    make_llama_plan(&plan, release);
    make_model(&shape, &draft);
    draft.layer_count = layers;
    draft.kind_of_layer[layers] = 0; // a full one, which is no layer
    plan.draft = &draft;
    set(&plan, KVB_SET_SPECULATIVE_METHOD, method);
    set(&plan, KVB_SET_NUM_SPECULATIVE_TOKENS, 3);
}

// qwen3_dflash.py: layers attend to everything in v0.24.0, v0.25.1 takes the windows of their config; laguna_dflash.py
// v0.25.1:113 does not. A draft stands on the last stage; without one there is nothing.
static void blocks_of_dflash(void **state)
{
    (void)state;
    static const struct {
        uint32_t release;
        enum kvb_speculative method;
        const char *architecture;
        bool slides;
    } rows[] = {{R(24, 0), KVB_SPECULATIVE_DFLASH, "DFlashDraftModel", false},
                {R(25, 0), KVB_SPECULATIVE_DFLASH, "DFlashDraftModel", true},
                {R(25, 0), KVB_SPECULATIVE_DSPARK, "DSparkDraftModel", true},
                {R(25, 0), KVB_SPECULATIVE_DFLASH, "LagunaDFlashForCausalLM", false}};
    for (size_t i = 0; i < sizeof rows / sizeof rows[0]; i++) {
        make_sliding_draft(rows[i].release, rows[i].method, 3);
        (void)snprintf(draft.architecture, sizeof draft.architecture, "%s", rows[i].architecture);
        set(&plan, KVB_SET_PIPELINE_PARALLEL_SIZE, 2);
        fill();
        const struct kvb_bucket *windows = of_kind(KVB_ATTENTION_SLIDING), *full = of_kind(KVB_ATTENTION_FULL);
        assert_int_equal(layers_in_all(), 32 + 3);
        assert_int_equal(windows != NULL, rows[i].slides);
        assert_int_equal(full->before[1], 16);
        assert_int_equal(full->before[2], rows[i].slides ? 32 : 35);
        if (windows != NULL) {
            assert_int_equal(windows->window_tokens, 2048);
            assert_int_equal(windows->before[1], 0);
            assert_int_equal(windows->before[2], 3);
        }
        plan.draft = NULL;
        fill();
        assert_int_equal(layers_in_all(), 32);
    }
}

// A head with windows of its own keeps them beside a target that has none; one without is not given any by a target of
// two windows, nor is a head made of a kind that is no layer.
static void windows_of_a_head(void **state)
{
    (void)state;
    make_sliding_draft(R(19, 0), KVB_SPECULATIVE_EAGLE, 2);
    fill();
    assert_int_equal(of_kind(KVB_ATTENTION_SLIDING)->window_tokens, 2048);
    assert_int_equal(of_kind(KVB_ATTENTION_SLIDING)->count, 2);
    assert_int_equal(layers_in_all(), 34);
    plan.draft = NULL;
    plan.model.kind_count = 2;
    plan.model.kinds[1] = plan.model.kinds[0];
    plan.model.kinds[2] = plan.model.kinds[0];
    plan.model.kinds[0].attention.kind = plan.model.kinds[1].attention.kind = KVB_ATTENTION_SLIDING;
    plan.model.kinds[0].attention.window_tokens = 1024;
    plan.model.kinds[1].attention.window_tokens = 4096;
    plan.model.kind_of_layer[5] = 1;
    fill();
    assert_int_equal(layers_in_all(), 32);
}

// Modules for several tokens: as many layers as the model has of them, on the last stage.
static void modules(void **state)
{
    (void)state;
    for (uint32_t count = 0; count < 4; count++) {
        make_llama_plan(&plan, R(22, 0));
        plan.model.mtp_layers = count;
        set(&plan, KVB_SET_SPECULATIVE_METHOD, KVB_SPECULATIVE_MTP);
        set(&plan, KVB_SET_PIPELINE_PARALLEL_SIZE, 2);
        fill();
        assert_int_equal(of_kind(KVB_ATTENTION_FULL)->before[1], 16);
        assert_int_equal(layers_in_all(), 32 + count);
    }
}

// ---- Stages without attention beside states

// Eight layers, attention in the first four or the last four, delta nets in the others: 4 x 8 x 128 x 128 x 2 B of
// state and (4 - 1) x (2 x 1024 + 1024) x 2 B of convolution are less than the page they are padded to.
static void make_halves(uint32_t release, bool attention_first, enum kvb_speculative method)
{
    static const struct shape shape = {"halves", 8, 32, 8, 128, 0, 4, 0, KVB_ATTENTION_GDN, 131072};
    struct kvb_model model;
    make_llama_plan(&plan, release);
    make_model(&shape, &model);
    for (uint32_t layer = 0; layer < 8; layer++) {
        model.kind_of_layer[layer] = (layer < 4) == attention_first ? 0 : 1;
    }
    model.kinds[1].attention.state_key_heads = model.kinds[1].attention.state_value_heads = 8;
    model.kinds[1].attention.state_key_size = model.kinds[1].attention.state_value_size = 128;
    model.kinds[1].attention.conv_kernel = 4;
    plan.model = model;
    set(&plan, KVB_SET_PIPELINE_PARALLEL_SIZE, 2);
    set(&plan, KVB_SET_SPECULATIVE_METHOD, method);
    if (method != KVB_SPECULATIVE_NONE) {
        set(&plan, KVB_SET_NUM_SPECULATIVE_TOKENS, 1);
    }
}

// vllm/platforms/interface.py v0.20.0 update_block_size_for_backend: a worker without attention layers leaves its
// states as they are; a draft brings attention to the last. Before 0.20 all are aligned alike.
static void stages_without_attention(void **state)
{
    (void)state;
    static const struct {
        uint32_t release;
        bool attention_first;
        enum kvb_speculative method;
        bool aligned;
    } rows[] = {{R(19, 0), true, KVB_SPECULATIVE_NONE, true},   {R(20, 0), true, KVB_SPECULATIVE_NONE, false},
                {R(20, 0), true, KVB_SPECULATIVE_EAGLE, true},  {R(20, 0), true, KVB_SPECULATIVE_NGRAM, false},
                {R(20, 0), false, KVB_SPECULATIVE_NONE, false}, {R(20, 0), false, KVB_SPECULATIVE_EAGLE, false}};
    for (size_t i = 0; i < sizeof rows / sizeof rows[0]; i++) {
        make_halves(rows[i].release, rows[i].attention_first, rows[i].method);
        const struct kvb_context *context = resolved(&plan);
        uint64_t bare = kvb_state_bytes(context, &plan.model.kinds[1].attention);
        assert_true(context->mamba_page_bytes > bare);
        fill();
        const struct kvb_bucket *states = of_kind(KVB_ATTENTION_GDN);
        assert_int_equal(states->page_bytes, rows[i].aligned ? context->mamba_page_bytes : bare);
        assert_int_equal(states->count, 4);
        assert_int_equal(states->before[1], rows[i].attention_first ? 0 : 4);
        assert_int_equal(states->before[2], 4);
    }
}

// ---- One cache beside another

// 8-bit keys of an index and a 32-bit scale for each 128 of them: 256 + 2 x 4 B a token, in blocks of 64.
static void wide_index(void **state)
{
    (void)state;
    make_latent_plan(&plan, R(22, 0), 8192, 256);
    plan.model.kinds[0].attention.index_heads = 64;
    plan.model.kinds[0].attention.index_head_size = 256;
    plan.model.kinds[0].attention.has_indexer = true;
    fill();
    assert_int_equal(buckets.count, 2);
    assert_int_equal(buckets.items[0].page_bytes, 64 * (256 + 2 * 4));
    assert_int_equal(buckets.items[1].page_bytes, 64 * 576 * 2);
    assert_int_equal(buckets.items[0].count, 32);
    assert_int_equal(buckets.items[1].count, 32);
}

// v0.24.0 pads full layers as well, where only TurboQuant's cannot be: 3 heads beside windows of 8.
static void smaller_full_pages(void **state)
{
    (void)state;
    static struct kvb_budget budget;
    static const struct shape shape = {"padded", 32, 32, 8, 128, 1024, 2, 0, KVB_ATTENTION_SLIDING, 131072};
    make_llama_plan(&plan, R(24, 0));
    make_model(&shape, &plan.model);
    plan.model.kinds[0].attention.kv_heads = 3;
    (void)answer_into(&plan, &budget);
    assert_int_equal(budget.kv.group_count, 2);
    assert_int_equal(budget.kv.groups[0].page_bytes, 16 * 8 * 256 * 2);
    assert_int_equal(budget.kv.groups[1].page_bytes, 16 * 8 * 256 * 2);
}

// get_boundary_skip_layers: two layers on each side and no more than half: of five one is packed.
static void boundary_of_five(void **state)
{
    (void)state;
    make_llama_plan(&plan, R(24, 0));
    plan.model.layer_count = 5;
    set(&plan, KVB_SET_KV_CACHE_DTYPE, KVB_KV_TURBOQUANT_K8V4);
    fill();
    assert_int_equal(buckets.count, 2);
    assert_int_equal(buckets.items[0].count, 4);
    assert_int_equal(buckets.items[1].count, 1);
}

// ---- DeepSeek V4 in rows of the cache's type

// nvidia/model.py: FlashInfer's kernel keeps rows from v0.23.0, on 12.x not from v0.24.0. The index' 64 entries of 132
// B are rounded up to 576 B (15 of them), with rows from v0.25.0 to 512 B (17).
static void rows_of_v4(void **state)
{
    (void)state;
    static const struct {
        uint32_t release, capability;
        enum kvb_kv_dtype word;
        bool plain;
        uint64_t window_bytes, index_bytes;
    } rows[] = {{R(22, 1), 100, KVB_KV_FP8, false, 65 * 576, 15 * 576},
                {R(23, 0), 100, KVB_KV_FP8, true, 64 * 512, 15 * 576},
                {R(23, 0), 120, KVB_KV_FP8, true, 64 * 512, 15 * 576},
                {R(24, 0), 120, KVB_KV_FP8, false, 65 * 576, 15 * 576},
                {R(24, 0), 100, KVB_KV_FP8, true, 64 * 512, 15 * 576},
                {R(25, 0), 100, KVB_KV_FP8, true, 64 * 512, 17 * 512},
                {R(25, 0), 100, KVB_KV_AUTO, true, 64 * 1024, 17 * 512},
                {R(25, 0), 100, KVB_KV_16BIT, true, 64 * 1024, 17 * 512},
                {R(25, 0), 100, KVB_KV_FP8_DS_MLA, false, 65 * 576, 15 * 576}};
    for (size_t i = 0; i < sizeof rows / sizeof rows[0]; i++) {
        make_v4_flash(&plan.model);
        struct kvb_model model = plan.model;
        make_llama_plan(&plan, rows[i].release);
        plan.model = model;
        plan.gpu.compute_capability = rows[i].capability;
        plan.environment.attention_backend = KVB_BACKEND_FLASHINFER_MLA_SPARSE;
        set(&plan, KVB_SET_KV_CACHE_DTYPE, rows[i].word);
        assert_int_equal(kvb_dsv4_is_plain(resolved(&plan)), rows[i].plain);
        fill();
        uint64_t index_bytes = 0;
        for (uint32_t k = 0; k < buckets.count; k++) { // of 256 tokens, the smaller of those with as many layers
            const struct kvb_bucket *bucket = &buckets.items[k];
            index_bytes = bucket->page_bytes == rows[i].index_bytes ? bucket->page_bytes : index_bytes;
        }
        assert_int_equal(buckets.items[0].page_bytes, rows[i].window_bytes);
        assert_int_equal(index_bytes, rows[i].index_bytes);
    }
}

// A card that is not known, or AMD's: no backend is chosen, and a sparse cache is not packed unasked.
static void sparse_without_backend(void **state)
{
    (void)state;
    make_latent_plan(&plan, R(24, 0), 8192, 256);
    plan.model.kinds[0].attention.index_heads = 64;
    plan.model.kinds[0].attention.index_head_size = 128;
    plan.gpu.compute_capability = 0;
    assert_int_equal(resolved(&plan)->kv_dtype, KVB_KV_AUTO);
    plan.gpu.compute_capability = 90;
    plan.gpu.vendor = KVB_VENDOR_AMD;
    assert_int_equal(resolved(&plan)->kv_dtype, KVB_KV_AUTO);
    assert_false(resolved(&plan)->mla_backend.missing);
}

KVB_TEST_MAIN(cmocka_unit_test(blocks_of_dflash), cmocka_unit_test(windows_of_a_head), cmocka_unit_test(modules),
              cmocka_unit_test(stages_without_attention), cmocka_unit_test(wide_index),
              cmocka_unit_test(smaller_full_pages), cmocka_unit_test(boundary_of_five), cmocka_unit_test(rows_of_v4),
              cmocka_unit_test(sparse_without_backend))
