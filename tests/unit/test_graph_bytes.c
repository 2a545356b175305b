// What captured graphs take: the share of each stage, what FlashAttention 3 keeps for splitting the keys, and the
// range.
#include "engines/vllm/overhead.h"
#include "engines/vllm/overheads.h"
#include "unit/plans.h"
#include "unit/test.h"

static struct kvb_plan plan;

// 0.19.0, 256 requests: graphs of 51 sizes, of whole steps up to 256 tokens.
static void ask(uint32_t capability)
{
    make_llama_plan(&plan, R(19, 0));
    plan.gpu.compute_capability = capability;
    set(&plan, KVB_SET_MAX_NUM_SEQS, 256);
    set(&plan, KVB_SET_MAX_NUM_BATCHED_TOKENS, 8192);
}

static struct kvb_estimate taken(uint32_t stage)
{
    struct kvb_estimate estimate;
    kvb_graph_actual(resolved(&plan), stage, &estimate);
    return estimate;
}

static struct kvb_estimate charged(void)
{
    struct kvb_estimate estimate;
    plan.environment.estimate_cudagraphs = KVB_YES;
    kvb_graph_charged(resolved(&plan), 0, &estimate);
    return estimate;
}

// flash_attn.py v0.20.0:430: of 32 splits a partial result and its logarithm in 32 bits, for each head and token:
// 32 x (128 + 1) x 256 x 32 x 4 B on Hopper. Not with another backend, nor where keys and values are of another kind.
static void splits_of_hopper(void **state)
{
    (void)state;
    ask(80);
    uint64_t without = taken(0).bytes;
    ask(90);
    assert_int_equal(taken(0).bytes - without, 32 * 129 * 256 * 128);
    plan.model.kinds[1] = plan.model.kinds[0]; // of no layer
    plan.model.kinds[1].attention.heads = 512;
    assert_int_equal(taken(0).bytes - without, 32 * 129 * 256 * 128);
    plan.model.kinds[0].attention.kind = KVB_ATTENTION_SLIDING;
    assert_int_equal(taken(0).bytes - without, 32 * 129 * 256 * 128);
    plan.model.kinds[0].attention.sinks = true;
    assert_int_equal(taken(0).bytes, without);
    ask(90);
    plan.model.kinds[0].attention.value_head_size = 64;
    assert_int_equal(taken(0).bytes - without, 32 * 65 * 256 * 128);
    set(&plan, KVB_SET_TENSOR_PARALLEL_SIZE, 2);
    assert_int_equal(taken(0).bytes - without, 16 * 65 * 256 * 128);
    ask(90);
    plan.gpu.vendor = KVB_VENDOR_NVIDIA;
    set(&plan, KVB_SET_DTYPE, KVB_DTYPE_WORD_FP32);
    assert_int_equal(taken(0).bytes, without);
    ask(90);
    plan.model.encoder.family = KVB_ENCODER_GEMMA3;
    assert_int_equal(taken(0).bytes, without);
    plan.model.encoder.family = KVB_ENCODER_GEMMA4;
    assert_int_equal(taken(0).bytes, without);
    plan.model.encoder.family = KVB_ENCODER_QWEN2_VL;
    assert_int_equal(taken(0).bytes - without, 32 * 129 * 256 * 128);
}

// Of latents the result is as wide as they are; a sparse index has another kernel.
static void splits_of_latents(void **state)
{
    (void)state;
    make_latent_plan(&plan, R(19, 0), 8192, 256);
    uint64_t latents = taken(0).bytes;
    plan.gpu.compute_capability = 80;
    assert_int_equal(latents - taken(0).bytes, 16 * 513 * 256 * 128);
    uint64_t without = taken(0).bytes;
    plan.gpu.compute_capability = 90;
    plan.model.kinds[0].attention.index_heads = 64;
    plan.model.kinds[0].attention.index_head_size = 128;
    assert_int_equal(taken(0).bytes, without);
}

// 30 layers on three stages: each takes what the first does.
static void stages(void **state)
{
    (void)state;
    ask(80);
    plan.model.layer_count = 30;
    set(&plan, KVB_SET_PIPELINE_PARALLEL_SIZE, 3);
    assert_int_equal(taken(1).bytes, taken(0).bytes);
    assert_int_equal(taken(2).bytes, taken(0).bytes);
    uint64_t third = taken(0).bytes;
    set(&plan, KVB_SET_PIPELINE_PARALLEL_SIZE, 1);
    assert_true(taken(0).bytes > third);
}

static void spreads_as(struct kvb_estimate estimate, enum kvb_overhead percent)
{
    const struct kvb_overhead_row *row = kvb_overhead_of(percent);
    assert_true(estimate.bytes > 100 * MIB);
    assert_int_equal(estimate.low_bytes, estimate.bytes / 100 * row->low);
    assert_int_equal(estimate.high_bytes, estimate.bytes / 100 * row->high + 64 * MIB);
}

// The range is of the row for what is captured, and 64 MiB.
static void ranges(void **state)
{
    (void)state;
    ask(90);
    spreads_as(taken(0), KVB_OVERHEAD_GRAPHS);
    spreads_as(charged(), KVB_OVERHEAD_ESTIMATE);
    plan.model.kinds[0].mlp = (struct kvb_mlp_shape){
        .kind = KVB_MLP_MOE, .experts = 8, .experts_per_token = 2, .expert_intermediate_size = 1024};
    spreads_as(taken(0), KVB_OVERHEAD_GRAPHS_EXPERTS);
    ask(90);
    plan.model.kinds[0].attention = (struct kvb_attention_shape){.kind = KVB_ATTENTION_GDN,
                                                                 .state_key_heads = 16,
                                                                 .state_key_size = 128,
                                                                 .state_value_heads = 32,
                                                                 .state_value_size = 128,
                                                                 .conv_kernel = 4};
    spreads_as(charged(), KVB_OVERHEAD_ESTIMATE_STATES);
    set(&plan, KVB_SET_ENFORCE_EAGER, 1);
    assert_int_equal(taken(0).high_bytes, 0);
    assert_int_equal(charged().high_bytes, 0);
}

// gpu_worker.py: charged since v0.20.0 unless VLLM_MEMORY_PROFILER_ESTIMATE_CUDAGRAPHS says otherwise, from v0.18.0
// when it does; on ROCm from v0.26.0; not by the second runner, which has no estimate before v0.29.0.
static void charged_by_whom(void **state)
{
    (void)state;
    static const struct {
        uint32_t release;
        uint8_t asked, v2;
        enum kvb_vendor vendor;
        bool charges;
    } rows[] = {{R(17, 1), KVB_YES, KVB_NO, KVB_VENDOR_NVIDIA, false},
                {R(18, 0), KVB_YES, KVB_NO, KVB_VENDOR_NVIDIA, true},
                {R(18, 0), KVB_UNSET, KVB_NO, KVB_VENDOR_NVIDIA, false},
                {R(19, 1), KVB_UNSET, KVB_NO, KVB_VENDOR_NVIDIA, false},
                {R(20, 0), KVB_UNSET, KVB_NO, KVB_VENDOR_NVIDIA, true},
                {R(21, 0), KVB_NO, KVB_NO, KVB_VENDOR_NVIDIA, false},
                {R(25, 1), KVB_YES, KVB_NO, KVB_VENDOR_AMD, false},
                {R(26, 0), KVB_YES, KVB_NO, KVB_VENDOR_AMD, true},
                {R(27, 1), KVB_YES, KVB_YES, KVB_VENDOR_NVIDIA, false},
                {R(27, 1), KVB_YES, KVB_NO, KVB_VENDOR_NVIDIA, true}};
    for (size_t i = 0; i < sizeof rows / sizeof rows[0]; i++) {
        struct kvb_estimate estimate;
        ask(90);
        plan.engine.release = rows[i].release;
        plan.gpu.vendor = rows[i].vendor;
        plan.environment.estimate_cudagraphs = rows[i].asked;
        plan.environment.use_v2_model_runner = rows[i].v2;
        kvb_graph_charged(resolved(&plan), 0, &estimate);
        if ((estimate.bytes > 0) != rows[i].charges) {
            fail_msg("row %zu", i);
        }
    }
}

// Whole steps alone, where what the first one brings shows: sparse_attn_indexer.py v0.18.0:195 scores each of 256
// tokens against the longest context in 32 bits, of DeepSeek V4 the compressed one.
static void scores_of_an_index(void **state)
{
    (void)state;
    static const struct {
        enum kvb_attention kind;
        uint32_t ratio, heads, divisor; // 0: there is no index
    } rows[] = {{KVB_ATTENTION_MLA, 0, 64, 1},  {KVB_ATTENTION_MLA, 0, 0, 0},  {KVB_ATTENTION_DSV4, 2, 64, 2},
                {KVB_ATTENTION_DSV4, 4, 64, 4}, {KVB_ATTENTION_DSV4, 4, 0, 0}, {KVB_ATTENTION_FULL, 0, 64, 0}};
    for (size_t i = 0; i < sizeof rows / sizeof rows[0]; i++) {
        uint64_t bytes[2];
        for (uint64_t k = 0; k < 2; k++) {
            make_latent_plan(&plan, R(24, 0), UINT64_C(8192) << k, 256);
            plan.environment.use_v2_model_runner = KVB_NO;
            set(&plan, KVB_SET_CUDAGRAPH_MODE, KVB_GRAPH_MODE_FULL_DECODE_ONLY);
            struct kvb_attention_shape *shape = &plan.model.kinds[0].attention;
            shape->kind = rows[i].kind;
            shape->compress_ratio = rows[i].ratio;
            shape->index_heads = rows[i].heads;
            shape->index_head_size = 128;
            shape->window_tokens = 128;
            plan.model.kinds[1].attention = (struct kvb_attention_shape){.kind = KVB_ATTENTION_MLA, .index_heads = 8};
            bytes[k] = charged().bytes;
        }
        uint64_t wanted = rows[i].divisor > 0 ? 8192 / rows[i].divisor * 256 * 4 : 0;
        if (bytes[1] - bytes[0] != wanted) {
            fail_msg("row %zu: %llu", i, (unsigned long long)(bytes[1] - bytes[0]));
        }
    }
}

// flashinfer_mla.py v0.25.0:37 keeps 128 MiB from its first step on, of earlier releases with the module. A model with
// states brings what the first of their graphs takes.
static void first_steps(void **state)
{
    (void)state;
    make_latent_plan(&plan, R(24, 0), 8192, 256);
    plan.environment.use_v2_model_runner = KVB_NO;
    set(&plan, KVB_SET_CUDAGRAPH_MODE, KVB_GRAPH_MODE_FULL_DECODE_ONLY);
    set_gpu(&plan, "NVIDIA B200", 180 * GIB, 100);
    uint64_t before = charged().bytes;
    assert_int_equal(resolved(&plan)->mla_backend.backend, KVB_BACKEND_FLASHINFER_MLA);
    plan.engine.release = R(25, 0);
    assert_int_equal(charged().bytes - before, 128 * MIB);
    ask(80);
    set(&plan, KVB_SET_CUDAGRAPH_MODE, KVB_GRAPH_MODE_FULL_DECODE_ONLY);
    uint64_t plain = charged().bytes;
    plan.model.kinds[0].attention.kind = KVB_ATTENTION_SHORT_CONV;
    uint64_t first_mib = (uint64_t)kvb_overhead_of(KVB_OVERHEAD_FIRST_STATES)->likely;
    assert_int_equal(charged().bytes - plain, first_mib * MIB);
}

KVB_TEST_MAIN(cmocka_unit_test(scores_of_an_index), cmocka_unit_test(first_steps), cmocka_unit_test(splits_of_hopper),
              cmocka_unit_test(splits_of_latents), cmocka_unit_test(stages), cmocka_unit_test(ranges),
              cmocka_unit_test(charged_by_whom))
