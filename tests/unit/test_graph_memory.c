// Memory of CUDA graphs: what public logs say they took and were estimated to take, and which releases charge which.
#include "engines/vllm/overhead.h"
#include "engines/vllm/overheads.h"
#include "unit/plans.h"
#include "unit/test.h"

#define CENTI (GIB / 100)

static struct kvb_plan plan;
static struct kvb_estimate got;

static uint64_t figure(enum kvb_overhead overhead)
{
    return (uint64_t)kvb_overhead_of(overhead)->likely;
}

struct graph_row {
    const char *what;
    uint32_t release, layers;
    enum kvb_graph_mode mode;
    uint64_t seqs, hundredths, tolerance;
};

// Graphs as logged, in hundredths of a GiB.
static void graphs_as_logged(void **state)
{
    (void)state;
    static const struct graph_row rows[] = {
        {"Llama-3.1-8B, H100", R(19, 0), 32, KVB_GRAPH_MODE_AUTO, 1024, 91, 10},
        {"Qwen2.5-1.5B, T4, 28 layers x 35", R(7, 3), 28, KVB_GRAPH_MODE_AUTO, 256, 17, 4},
        {"Phi-4, 40 layers x 35", R(7, 3), 40, KVB_GRAPH_MODE_AUTO, 256, 27, 2},
        {"Mistral-7B, H100, 67 piecewise", R(10, 2), 32, KVB_GRAPH_MODE_AUTO, 1024, 67, 15},
    };
    for (size_t i = 0; i < sizeof rows / sizeof rows[0]; i++) {
        make_llama_plan(&plan, rows[i].release);
        plan.model.layer_count = rows[i].layers;
        plan.gpu.compute_capability = rows[i].release < R(8, 0) ? 75 : 90;
        set(&plan, KVB_SET_MAX_NUM_SEQS, rows[i].seqs);
        kvb_graph_actual(resolved(&plan), 0, &got);
        uint64_t hundredths = got.bytes / CENTI;
        if (hundredths + rows[i].tolerance < rows[i].hundredths ||
            hundredths > rows[i].hundredths + rows[i].tolerance) {
            fail_msg("%s: %llu hundredths of a GiB", rows[i].what, (unsigned long long)hundredths);
        }
        assert_true(got.low_bytes <= got.bytes && got.high_bytes >= rows[i].hundredths * CENTI);
    }
}

// The line of 102 graphs at 32 layers: 51 sizes, twice when full graphs are captured as well.
static void graph_modes(void **state)
{
    (void)state;
    static const struct {
        enum kvb_graph_mode mode;
        uint64_t graphs;
    } rows[] = {{KVB_GRAPH_MODE_AUTO, 102}, {KVB_GRAPH_MODE_FULL_AND_PIECEWISE, 102}, {KVB_GRAPH_MODE_PIECEWISE, 51},
                {KVB_GRAPH_MODE_FULL, 51},  {KVB_GRAPH_MODE_FULL_DECODE_ONLY, 51},    {KVB_GRAPH_MODE_NONE, 0}};
    uint64_t line = (figure(KVB_OVERHEAD_GRAPHS_BASE) + 32 * figure(KVB_OVERHEAD_GRAPHS_LAYER)) * 1024;
    // flash_attn.py v0.20.0:430: 32 splits x 512 tokens x 32 heads x (128 and a logarithm) x 4 bytes, for full graphs
    uint64_t splits = 32ULL * 512 * 32 * 129 * 4;
    for (size_t i = 0; i < sizeof rows / sizeof rows[0]; i++) {
        bool full = rows[i].mode != KVB_GRAPH_MODE_PIECEWISE && rows[i].mode != KVB_GRAPH_MODE_NONE;
        make_llama_plan(&plan, R(19, 0));
        set(&plan, KVB_SET_CUDAGRAPH_MODE, rows[i].mode);
        kvb_graph_actual(resolved(&plan), 0, &got);
        assert_int_equal(got.bytes, line * rows[i].graphs / 102 + (full ? splits : 0));
        plan.gpu.compute_capability = 89; // FlashAttention 2 splits nothing, and graphs of any batch it cannot be in
        uint64_t graphs = rows[i].mode == KVB_GRAPH_MODE_FULL ? 102 : rows[i].graphs;
        kvb_graph_actual(resolved(&plan), 0, &got);
        assert_int_equal(got.bytes, line * graphs / 102);
    }
    make_llama_plan(&plan, R(25, 0));
    plan.gpu.compute_capability = 89;
    plan.environment.use_v2_model_runner = KVB_YES;
    kvb_graph_actual(resolved(&plan), 0, &got);
    assert_int_equal(got.bytes, line / 100 * figure(KVB_OVERHEAD_GRAPHS_V2));
    plan.gpu.vendor = KVB_VENDOR_AMD;
    kvb_graph_actual(resolved(&plan), 0, &got);
    assert_int_equal(got.bytes, line / 100 * figure(KVB_OVERHEAD_GRAPHS_ROCM));
    make_llama_plan(&plan, R(19, 0));
    plan.model.pooling = true;
    kvb_graph_actual(resolved(&plan), 0, &got);
    assert_int_equal(got.high_bytes, 0);
    make_llama_plan(&plan, R(19, 0));
    plan.model.kinds[0].mlp = (struct kvb_mlp_shape){.kind = KVB_MLP_MOE, .experts = 8, .experts_per_token = 2};
    kvb_graph_actual(resolved(&plan), 0, &got);
    assert_true(got.high_bytes > got.bytes * 2); // experts' graphs were seen at twice the line
}

// Llama-8B with LoRA on V0: 32 layers x 23 graphs logged 0.58 GiB, about three times the plain figure.
static void graphs_with_adapters(void **state)
{
    (void)state;
    make_llama_plan(&plan, R(7, 3));
    set(&plan, KVB_SET_MAX_NUM_SEQS, 160);
    kvb_graph_actual(resolved(&plan), 0, &got);
    uint64_t plain = got.bytes;
    assert_int_equal(plain, 32ULL * 23 * figure(KVB_OVERHEAD_GRAPHS_V0) * 1024);
    set(&plan, KVB_SET_ENABLE_LORA, 1);
    kvb_graph_actual(resolved(&plan), 0, &got);
    assert_int_equal(got.bytes, 3 * plain);
}

struct charge_row {
    const char *what;
    uint32_t release;
    uint8_t asked, v2;
    bool amd, charged;
};

// The estimate is subtracted from 0.20 on, at 0.18 and 0.19 when asked for; never by runner V2 or V0.
static void who_charges_graphs(void **state)
{
    (void)state;
    static const struct charge_row rows[] = {
        {"before the estimate", R(17, 0), KVB_YES, KVB_UNSET, false, false},
        {"opt-in, not asked", R(18, 0), KVB_UNSET, KVB_UNSET, false, false},
        {"opt-in, asked", R(19, 0), KVB_YES, KVB_UNSET, false, true},
        {"on", R(20, 0), KVB_UNSET, KVB_UNSET, false, true},
        {"switched off", R(20, 0), KVB_NO, KVB_UNSET, false, false},
        {"runner V2", R(24, 0), KVB_UNSET, KVB_YES, false, false},
        {"ROCm before 0.26", R(25, 0), KVB_UNSET, KVB_NO, true, false},
        {"ROCm", R(26, 0), KVB_UNSET, KVB_NO, true, true},
        {"V0", R(7, 3), KVB_YES, KVB_UNSET, false, false},
    };
    for (size_t i = 0; i < sizeof rows / sizeof rows[0]; i++) {
        make_llama_plan(&plan, rows[i].release);
        plan.environment.estimate_cudagraphs = rows[i].asked;
        plan.environment.use_v2_model_runner = rows[i].v2;
        plan.gpu.vendor = rows[i].amd ? KVB_VENDOR_AMD : KVB_VENDOR_NVIDIA;
        kvb_graph_charged(resolved(&plan), 0, &got);
        if ((got.bytes > 0) != rows[i].charged) {
            fail_msg("%s: %llu bytes", rows[i].what, (unsigned long long)got.bytes);
        }
    }
}

static void charge(uint32_t release, uint32_t capability, uint32_t layers)
{
    make_llama_plan(&plan, release);
    plan.model.layer_count = layers;
    plan.gpu.compute_capability = capability;
    plan.environment.estimate_cudagraphs = KVB_YES;
}

static void expect_estimate(const char *what, uint64_t logged, uint64_t tolerance)
{
    kvb_graph_charged(resolved(&plan), 0, &got);
    uint64_t hundredths = (got.bytes + CENTI / 2) / CENTI;
    if (hundredths + tolerance < logged || hundredths > logged + tolerance) {
        fail_msg("%s: %llu hundredths of a GiB, logged %llu", what, (unsigned long long)hundredths,
                 (unsigned long long)logged);
    }
    assert_true(got.low_bytes <= logged * CENTI && logged * CENTI <= got.high_bytes);
}

// Estimates as printed. Llama-3.1-8B, H100, 0.19: 51 + 51 graphs, FlashAttention 3 keeps 32 splits x 32 heads x 512
// tokens x (128 + 1) x 4 B = 258 MiB; two ranks halve it. A40, 0.21.0: 51 + 35 graphs of 28, 32 and 48 layers.
static void estimates_as_logged(void **state)
{
    (void)state;
    charge(R(19, 0), 90, 32);
    expect_estimate("Llama-3.1-8B, H100", 84, 3);
    set(&plan, KVB_SET_TENSOR_PARALLEL_SIZE, 4);
    expect_estimate("four H100", 57, 12);
    charge(R(21, 0), 86, 28);
    set(&plan, KVB_SET_MAX_NUM_SEQS, 256);
    expect_estimate("28 layers, A40", 53, 7);
    charge(R(21, 0), 86, 32);
    set(&plan, KVB_SET_MAX_NUM_SEQS, 256);
    expect_estimate("32 layers, A40", 53, 6);
    set(&plan, KVB_SET_ENABLE_LORA, 1); // each graph without and with an adapter: 1.12 printed
    expect_estimate("with adapters", 112, 13);
    charge(R(21, 0), 86, 48);
    set(&plan, KVB_SET_MAX_NUM_SEQS, 256);
    expect_estimate("48 layers, A40", 68, 14);
    charge(R(22, 0), 120, 60); // Gemma 4 31B with 20 sequences: 8 + 5 graphs
    set(&plan, KVB_SET_MAX_NUM_SEQS, 20);
    expect_estimate("60 layers, RTX PRO 6000", 13, 4);
    charge(R(19, 1), 120, 28); // Qwen3-0.6B: 51 + 35 graphs
    set(&plan, KVB_SET_MAX_NUM_SEQS, 256);
    expect_estimate("28 layers, RTX 5090", 27, 6);
}

static uint64_t charged(uint32_t capability, enum kvb_setting split)
{
    charge(R(21, 0), capability, 48);
    set(&plan, split, 2);
    kvb_graph_charged(resolved(&plan), 0, &got);
    return got.bytes;
}

// Graphs take less on one card of 12.0; with ranks or stages no log says so.
static void one_consumer_card(void **state)
{
    (void)state;
    uint64_t ranks = charged(121, KVB_SET_TENSOR_PARALLEL_SIZE), stages = charged(121, KVB_SET_PIPELINE_PARALLEL_SIZE);
    uint64_t alone = charged(121, KVB_SET_MAX_LORAS);
    assert_int_equal(charged(120, KVB_SET_TENSOR_PARALLEL_SIZE), ranks);
    assert_int_equal(charged(120, KVB_SET_PIPELINE_PARALLEL_SIZE), stages);
    assert_true(charged(120, KVB_SET_MAX_LORAS) < alone);
}

// FlashInfer brings its workspace of 394 MiB with the first full graph: fp8 keys where FlashAttention 3 is not. One
// graph each of Qwen3.6-35B-A3B-NVFP4 on a GB10 was estimated at 0.43 GiB.
static void attention_workspace(void **state)
{
    (void)state;
    charge(R(20, 0), 121, 32);
    set(&plan, KVB_SET_MAX_NUM_SEQS, 1);
    set(&plan, KVB_SET_MAX_CUDAGRAPH_CAPTURE_SIZE, 1);
    set(&plan, KVB_SET_KV_CACHE_DTYPE, KVB_KV_FP8);
    expect_estimate("one graph of each kind", 43, 5);
    set(&plan, KVB_SET_NUM_SPECULATIVE_TOKENS, 2);
    set(&plan, KVB_SET_SPECULATIVE_METHOD, KVB_SPECULATIVE_MTP); // then piecewise graphs alone
    kvb_graph_charged(resolved(&plan), 0, &got);
    assert_true(got.bytes < 10 * CENTI);
    charge(R(20, 0), 90, 32);
    uint64_t ordinary = (kvb_graph_charged(resolved(&plan), 0, &got), got.high_bytes);
    plan.model.kinds[0].attention.kind = KVB_ATTENTION_SHORT_CONV;
    kvb_graph_charged(resolved(&plan), 0, &got);
    assert_true(got.high_bytes > ordinary); // hybrids were charged four times their graphs
    set(&plan, KVB_SET_ENFORCE_EAGER, 1);
    kvb_graph_charged(resolved(&plan), 0, &got);
    assert_int_equal(got.high_bytes, 0);
}

KVB_TEST_MAIN(cmocka_unit_test(graphs_as_logged), cmocka_unit_test(graph_modes), cmocka_unit_test(graphs_with_adapters),
              cmocka_unit_test(who_charges_graphs), cmocka_unit_test(estimates_as_logged),
              cmocka_unit_test(one_consumer_card), cmocka_unit_test(attention_workspace))
