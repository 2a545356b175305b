// What the profile run reserves for a sparse index and for DeepSeek V4's attention, by hand.
#include <string.h>

#include <kvbudget/input.h>

#include "budget/weights/weights.h"
#include "engines/vllm/load.h"
#include "engines/vllm/overhead.h"
#include "unit/plans.h"
#include "unit/test.h"

static struct kvb_plan plan;

// DeepSeek-V3.2's attention: 128 heads, ranks 1536 and 512, an index of 64 x 128.
static void make_v32(uint32_t release, uint64_t tp, enum kvb_kv_dtype word)
{
    make_latent_plan(&plan, release, 163840, 256);
    plan.model.hidden_size = 7168;
    struct kvb_attention_shape *shape = &plan.model.kinds[0].attention;
    shape->heads = 128;
    shape->query_rank = 1536;
    shape->index_heads = 64;
    shape->index_head_size = 128;
    shape->index_topk = 2048;
    shape->has_indexer = true;
    set_gpu(&plan, "NVIDIA H200", 140 * GIB, 90);
    set(&plan, KVB_SET_TENSOR_PARALLEL_SIZE, tp);
    set(&plan, KVB_SET_KV_CACHE_DTYPE, word);
}

struct v32_row {
    const char *what;
    uint32_t release;
    enum kvb_kv_dtype word;
    uint64_t workspace, loaded, logits;
};

// 40 x 163,840 keys of 132 B are the 865,075,200 B that indexer.py names; five contexts in 16 bits are 163,840 x 5 x
// 1152 = 943,718,400, and queries of a batch 8192 x 16 x 1152 = 150,994,944. While the index chooses, a token holds
// 2 x 7168 + 2 x (1536 + 512) + 64 + 16 x 192 + 64 x 128 x 3 / 2 = 33,856 elements.
static void sparse_index(void **state)
{
    (void)state;
    static const struct v32_row rows[] = {
        {"packed", R(13, 0), KVB_KV_FP8_DS_MLA, 943718400, 943718400, 0},
        {"16 bits", R(17, 0), KVB_KV_AUTO, 865075200, 0, 0},
        {"with queries", R(18, 0), KVB_KV_FP8, 1094713344, 1094713344, 0},
        {"with logits", R(19, 0), KVB_KV_FP8, 1094713344, 1094713344, 512 * MIB},
        {"with the choice's own", R(20, 0), KVB_KV_AUTO, 865075200 + MIB, 150994944, 512 * MIB},
    };
    for (size_t i = 0; i < sizeof rows / sizeof rows[0]; i++) {
        make_v32(rows[i].release, 8, rows[i].word);
        struct kvb_sparse_bytes got = kvb_sparse_scratch(resolved(&plan));
        uint64_t choosing = 8192ULL * 2 * 33856 + rows[i].logits;
        if (got.workspace_bytes != rows[i].workspace || got.choosing_bytes != choosing || got.kept_bytes != 0 ||
            got.loaded_bytes != rows[i].loaded) {
            fail_msg("%s: %llu kept, %llu while it chooses", rows[i].what, (unsigned long long)got.workspace_bytes,
                     (unsigned long long)got.choosing_bytes);
        }
    }
}

// FlashMLA's part is there before the profile run: it counts as weights, and the phases hold that much less. 0.19.0 on
// 8 ranks with 8 bits: the layer, 4 x 7168 x 8192 x 2 B and more, is less than the index's 33,856 elements a token.
static void loaded_with_the_model(void **state)
{
    (void)state;
    struct kvb_activation activation;
    struct kvb_load load;
    make_v32(R(19, 0), 8, KVB_KV_FP8);
    kvb_activation_estimate(resolved(&plan), 0, &activation);
    assert_int_equal(activation.phase_bytes[KVB_PHASE_INDEX], 8192ULL * 2 * 33856 + 512 * MIB);
    kvb_load_fill(resolved(&plan), &load);
    assert_int_equal(load.workspace_bytes, 1094713344);
    make_v32(R(19, 0), 8, KVB_KV_AUTO); // the queries of a batch alone; the index's keys are asked for later
    kvb_activation_estimate(resolved(&plan), 0, &activation);
    assert_int_equal(activation.phase_bytes[KVB_PHASE_INDEX], 8192ULL * 2 * 33856 + 512 * MIB + 865075200 - 150994944);
    kvb_load_fill(resolved(&plan), &load);
    assert_int_equal(load.workspace_bytes, 150994944);
}

// VLLM_SPARSE_INDEXER_MAX_LOGITS_MB=2048, which 0.18 does not read.
static void stated_logits(void **state)
{
    (void)state;
    struct kvb_problems problems;
    static const struct {
        uint32_t release;
        const char *variable;
        uint64_t logits;
    } rows[] = {
        {R(19, 0), "VLLM_SPARSE_INDEXER_MAX_LOGITS_MB=2048", 2048 * MIB},
        {R(19, 0), "VLLM_SPARSE_INDEXER_MAX_LOGITS_MB=0", 0},
        {R(18, 0), "VLLM_SPARSE_INDEXER_MAX_LOGITS_MB=2048", 0},
    };
    for (size_t i = 0; i < sizeof rows / sizeof rows[0]; i++) {
        kvb_problems_init(&problems);
        make_v32(rows[i].release, 8, KVB_KV_AUTO);
        assert_int_equal(kvb_environment_set(rows[i].variable, &plan.environment, &problems), KVB_OK);
        assert_int_equal(kvb_sparse_scratch(resolved(&plan)).choosing_bytes, 8192ULL * 2 * 33856 + rows[i].logits);
    }
    kvb_problems_init(&problems);
    assert_int_equal(kvb_environment_set("VLLM_SPARSE_INDEXER_MAX_LOGITS_MB=4294967295", &plan.environment, &problems),
                     KVB_OK);
    assert_int_equal(plan.environment.index_logits_mib, 4294967295);
    assert_int_not_equal(
        kvb_environment_set("VLLM_SPARSE_INDEXER_MAX_LOGITS_MB=4294967296", &plan.environment, &problems), KVB_OK);
    assert_int_not_equal(kvb_environment_set("VLLM_SPARSE_INDEXER_MAX_LOGITS_MB=5GB", &plan.environment, &problems),
                         KVB_OK);
    assert_int_not_equal(
        kvb_environment_set("VLLM_SPARSE_INDEXER_MAX_LOGITS_MB=4294967296", &plan.environment, &problems), KVB_OK);
    assert_non_null(strstr(problems.items[0].text, "MiB such as 512"));
}

static void no_manager(void **state)
{
    (void)state;
    make_v32(R(12, 0), 8, KVB_KV_AUTO);
    assert_int_equal(kvb_sparse_scratch(resolved(&plan)).workspace_bytes, 0);
    make_v32(R(19, 0), 8, KVB_KV_AUTO);
    plan.gpu.vendor = KVB_VENDOR_AMD;
    assert_int_equal(kvb_sparse_scratch(resolved(&plan)).choosing_bytes, 0);
    make_llama_plan(&plan, R(19, 0));
    struct kvb_sparse_bytes none = kvb_sparse_scratch(resolved(&plan));
    assert_true(none.workspace_bytes == 0 && none.kept_bytes == 0 && none.choosing_bytes == 0);
}

// DeepSeek-V4-Flash: hidden 4096 in 4 streams, 64 heads of 512, query rank 1024, every fourth token compressed.
static void make_v4(uint32_t release, uint32_t capability, uint64_t tp, uint32_t ratio)
{
    make_llama_plan(&plan, release);
    plan.model.hidden_size = 4096;
    plan.model.kinds[0].attention = (struct kvb_attention_shape){.kind = KVB_ATTENTION_DSV4,
                                                                 .heads = 64,
                                                                 .kv_heads = 1,
                                                                 .head_size = 512,
                                                                 .value_head_size = 512,
                                                                 .rope_size = 64,
                                                                 .query_rank = 1024,
                                                                 .window_tokens = 128,
                                                                 .output_groups = 8,
                                                                 .output_rank = 1024,
                                                                 .compress_ratio = ratio,
                                                                 .residual_streams = 4};
    if (ratio == 4) {
        plan.model.kinds[0].attention.index_heads = 64;
        plan.model.kinds[0].attention.index_head_size = 128;
        plan.model.kinds[0].attention.index_topk = 512;
        plan.model.kinds[0].attention.has_indexer = true;
    }
    set_gpu(&plan, "card", 90 * GIB, capability);
    set(&plan, KVB_SET_TENSOR_PARALLEL_SIZE, tp);
    set(&plan, KVB_SET_MAX_MODEL_LEN, 65536);
    set(&plan, KVB_SET_MAX_NUM_BATCHED_TOKENS, 4096);
    set(&plan, KVB_SET_KV_CACHE_DTYPE, KVB_KV_FP8);
}

static uint64_t graphs_charged(void)
{
    struct kvb_estimate estimate;
    kvb_graph_charged(resolved(&plan), 0, &estimate);
    return estimate.bytes;
}

// The first full graph holds 32-bit logits of its 512 tokens against the whole length: 131,072 tokens more are 512 x
// 131,072 x 4 B = 256 MiB. DeepSeek V4 counts a fourth of them; without an index there are none.
static void logits_in_graphs(void **state)
{
    (void)state;
    make_v32(R(20, 0), 8, KVB_KV_AUTO);
    set(&plan, KVB_SET_MAX_NUM_SEQS, 1024);
    set(&plan, KVB_SET_MAX_MODEL_LEN, 262144);
    uint64_t longer = graphs_charged();
    set(&plan, KVB_SET_MAX_MODEL_LEN, 131072);
    assert_int_equal(longer - graphs_charged(), 256 * MIB);
    plan.model.kinds[0].attention.index_heads = 0;
    uint64_t without = graphs_charged();
    set(&plan, KVB_SET_MAX_MODEL_LEN, 262144);
    assert_int_equal(graphs_charged(), without);
    make_v4(R(22, 0), 90, 2, 4);
    set(&plan, KVB_SET_MAX_NUM_SEQS, 1024);
    set(&plan, KVB_SET_MAX_MODEL_LEN, 1048576);
    longer = graphs_charged();
    set(&plan, KVB_SET_MAX_MODEL_LEN, 524288);
    assert_int_equal(longer - graphs_charged(), 256 * MIB);
}

// DeepSeek V4 drafting two tokens decodes in full graphs on every card: the logits of 3 x 64 tokens are there, 192 x
// 131,072 x 4 B for 524,288 tokens more.
static void drafts_in_full_graphs(void **state)
{
    (void)state;
    make_v4(R(25, 0), 120, 2, 4);
    plan.environment.use_v2_model_runner = KVB_NO;
    set(&plan, KVB_SET_SPECULATIVE_METHOD, KVB_SPECULATIVE_MTP);
    set(&plan, KVB_SET_NUM_SPECULATIVE_TOKENS, 2);
    set(&plan, KVB_SET_MAX_NUM_SEQS, 64);
    set(&plan, KVB_SET_MAX_MODEL_LEN, 2097152);
    uint64_t longer = graphs_charged();
    set(&plan, KVB_SET_MAX_MODEL_LEN, 1572864);
    assert_int_equal(longer - graphs_charged(), 96 * MIB);
}

// On 10.x FlashInfer's sparse kernel brings 394 MiB of its own with the first step, its dense one 128 MiB from 0.25.
static void latent_workspaces(void **state)
{
    (void)state;
    uint64_t bytes[2];
    for (size_t i = 0; i < 2; i++) {
        make_v32(R(24, 0), 8, KVB_KV_FP8);
        plan.model.kinds[0].attention.nope_size = 128;
        plan.environment.use_v2_model_runner = KVB_NO;
        set_gpu(&plan, "NVIDIA B200", 180 * GIB, i ? 100 : 90);
        set(&plan, KVB_SET_MAX_NUM_SEQS, 1024);
        set(&plan, KVB_SET_MAX_MODEL_LEN, 262144); // logits of 512 MiB: the full graph is the larger first one
        bytes[i] = graphs_charged();
    }
    assert_int_equal(bytes[1] - bytes[0], 394 * MIB);
    static const struct {
        uint32_t release;
        uint64_t least, most;
    } rows[] = {{R(24, 0), 0, 0}, {R(25, 0), 1, 128}};
    for (size_t i = 0; i < sizeof rows / sizeof rows[0]; i++) {
        make_v32(rows[i].release, 8, KVB_KV_AUTO);
        plan.model.kinds[0].attention.index_heads = 0;
        plan.environment.use_v2_model_runner = KVB_NO;
        set_gpu(&plan, "NVIDIA B200", 180 * GIB, 100);
        plan.model.kinds[0].attention.nope_size = 128;
        bytes[0] = graphs_charged();
        set(&plan, KVB_SET_ATTENTION_BACKEND, KVB_BACKEND_TRITON_MLA);
        bytes[1] = graphs_charged();
        assert_in_range(bytes[0] - bytes[1], rows[i].least, rows[i].most * MIB);
    }
}

struct v4_row {
    const char *what;
    uint32_t capability;
    uint64_t tp;
    uint32_t ratio;
    uint64_t workspace, kept, elements;
};

// FlashMLA: 4 x (65,536 / ratio + 128 + 4096) x 512 x 2 B, heads padded to 64. FlashInfer on 12.x: 128 MiB, heads
// padded to 16, 32, 64. The index gathers 40 x 65,536 / 4 keys of 132 B, and 1 MiB. Elements of a token: (2 x 4 + 2) x
// 4096 hidden, 2 x padded heads x 512, 2 x (1024 + 512) ranks, 2 x 2 x 2 x (512 + 128) scores of 32 bits, 64 x 128 x 3
// / 2.
static void compressed_attention(void **state)
{
    (void)state;
    enum { SHARED = 40960 + 3072 + 5120 + 12288 };
    static const struct v4_row rows[] = {
        {"FlashMLA", 90, 2, 4, 87556096, 0, SHARED + 2 * 64 * 512},
        {"FlashInfer", 120, 2, 4, 87556096, 128 * MIB, SHARED + 2 * 32 * 512},
        {"few heads", 120, 8, 4, 87556096, 128 * MIB, SHARED + 2 * 16 * 512},
        {"no index", 90, 2, 128, 4ULL * (512 + 128 + 4096) * 1024, 0, 0},
        {"windows alone", 90, 2, 1, 4ULL * (128 + 4096) * 1024, 0, 0},
    };
    for (size_t i = 0; i < sizeof rows / sizeof rows[0]; i++) {
        make_v4(R(25, 0), rows[i].capability, rows[i].tp, rows[i].ratio);
        struct kvb_sparse_bytes got = kvb_sparse_scratch(resolved(&plan));
        uint64_t choosing = rows[i].elements > 0 ? 4096 * 2 * rows[i].elements + 512 * MIB : 0;
        if (got.workspace_bytes != rows[i].workspace || got.kept_bytes != rows[i].kept ||
            got.choosing_bytes != choosing) {
            fail_msg("%s: %llu kept, %llu while it chooses", rows[i].what, (unsigned long long)got.workspace_bytes,
                     (unsigned long long)got.choosing_bytes);
        }
    }
    make_v4(R(25, 0), 90, 2, 4); // a batch as long as the context: the window's prefill is more than the index
    set(&plan, KVB_SET_MAX_NUM_BATCHED_TOKENS, 65536);
    assert_int_equal(kvb_sparse_scratch(resolved(&plan)).workspace_bytes, 4ULL * (16384 + 128 + 65536) * 1024);
}

// The index's phase holds its workspace, and so does the sampler's behind it; streams widen a layer: 2 x 4 + 3 hidden.
static void phases_of_streams(void **state)
{
    (void)state;
    struct kvb_activation activation;
    make_v4(R(25, 0), 120, 2, 4);
    plan.model.kinds[0].mlp.intermediate_size = 2048;
    struct kvb_sparse_bytes sparse = kvb_sparse_scratch(resolved(&plan));
    kvb_activation_estimate(resolved(&plan), 0, &activation);
    uint64_t kept = sparse.workspace_bytes + sparse.kept_bytes;
    assert_int_equal(activation.workspace_bytes, sparse.workspace_bytes);
    assert_int_equal(activation.phase_bytes[KVB_PHASE_INDEX], kept + sparse.choosing_bytes);
    assert_int_equal(activation.phase_bytes[KVB_PHASE_LAYER], kept + 4096 * 2 * (11 * 4096 + 3 * 1024) + 15 * MIB);
    plan.model.kinds[0].attention.index_heads = 0;
    kvb_activation_estimate(resolved(&plan), 0, &activation);
    assert_int_equal(activation.phase_bytes[KVB_PHASE_INDEX], 0);
}

// Streams of a batch stay for drafts on the last stage: 4096 x 4 x 4096 x 2 B.
static void kept_streams(void **state)
{
    (void)state;
    struct kvb_weights with, without;
    make_v4(R(25, 0), 120, 1, 1);
    struct kvb_load load = *loaded(&plan);
    kvb_weights_count(&load, 0, &with);
    load.stream_buffer_tokens = 0;
    kvb_weights_count(&load, 0, &without);
    assert_int_equal(with.buffer_bytes - without.buffer_bytes, 4096ULL * 4 * 4096 * 2);
    load.stream_buffer_tokens = 4096;
    load.pp = 2;
    load.stage_begin[1] = 16;
    load.stage_begin[2] = 32;
    kvb_weights_count(&load, 0, &with);
    assert_int_equal(with.buffer_bytes, without.buffer_bytes);
}

KVB_TEST_MAIN(cmocka_unit_test(sparse_index), cmocka_unit_test(loaded_with_the_model), cmocka_unit_test(stated_logits),
              cmocka_unit_test(logits_in_graphs), cmocka_unit_test(latent_workspaces),
              cmocka_unit_test(drafts_in_full_graphs), cmocka_unit_test(no_manager),
              cmocka_unit_test(compressed_attention), cmocka_unit_test(phases_of_streams),
              cmocka_unit_test(kept_streams))
