// Batch and sequence defaults by release, GPU and usage, and the number of CUDA graphs.
// Source: vllm/engine/arg_utils.py and config of the releases named.
#include "engines/vllm/defaults.h"
#include "engines/vllm/graph_sizes.h"
#include "unit/plans.h"
#include "unit/test.h"

static struct kvb_plan plan;

struct gpu_row {
    const char *name;
    uint64_t memory_gib;
    uint32_t capability;
};
static const struct gpu_row h100 = {"NVIDIA H100 80GB HBM3", 79, 90};
static const struct gpu_row h200 = {"NVIDIA H200", 139, 90};
static const struct gpu_row a100 = {"NVIDIA A100-SXM4-80GB", 79, 80};
static const struct gpu_row l40s = {"NVIDIA L40S", 44, 89};
static const struct gpu_row t4 = {"Tesla T4", 14, 75};
static const struct gpu_row rtx_6000 = {"NVIDIA RTX PRO 6000 Blackwell", 95, 120};

struct default_row {
    uint32_t release;
    const struct gpu_row *gpu;
    enum kvb_usage usage;
    uint64_t tokens, seqs;
};

static void use(const struct gpu_row *gpu)
{
    set_gpu(&plan, gpu->name, gpu->memory_gib << 30, gpu->capability);
}

static void by_release_and_gpu(void **state)
{
    (void)state;
    static const struct default_row rows[] = {
        // 0.8.0 to 0.8.3: the name decides about tokens, 1024 sequences everywhere
        {R(8, 0), &h100, KVB_USAGE_SERVE, 8192, 1024},
        {R(8, 0), &h200, KVB_USAGE_OFFLINE, 16384, 1024},
        {R(8, 3), &a100, KVB_USAGE_SERVE, 2048, 1024},
        {R(8, 3), &l40s, KVB_USAGE_OFFLINE, 8192, 1024},
        // 0.8.4: the name decides about both
        {R(8, 4), &h100, KVB_USAGE_SERVE, 8192, 1024},
        {R(8, 4), &a100, KVB_USAGE_SERVE, 2048, 256},
        {R(8, 4), &rtx_6000, KVB_USAGE_SERVE, 2048, 256},
        // 0.8.5: 70 GiB decide, an A100 of 80 GB included
        {R(8, 5), &a100, KVB_USAGE_SERVE, 8192, 1024},
        {R(8, 5), &l40s, KVB_USAGE_SERVE, 2048, 256},
        // from 0.9.0 not an A100
        {R(9, 0), &a100, KVB_USAGE_SERVE, 2048, 256},
        {R(9, 0), &rtx_6000, KVB_USAGE_SERVE, 8192, 1024},
        {R(19, 0), &a100, KVB_USAGE_OFFLINE, 8192, 256},
        {R(19, 0), &h100, KVB_USAGE_OFFLINE, 16384, 1024},
        {R(27, 1), &l40s, KVB_USAGE_OFFLINE, 8192, 256},
        {R(27, 1), &h200, KVB_USAGE_SERVE, 8192, 1024},
        // V0: a T4 never gets V1
        {R(8, 5), &t4, KVB_USAGE_SERVE, 8192, 256},
    };
    for (size_t i = 0; i < sizeof rows / sizeof rows[0]; i++) {
        make_llama_plan(&plan, rows[i].release);
        use(rows[i].gpu);
        plan.usage = rows[i].usage;
        const struct kvb_context *context = resolved(&plan);
        if (context->max_num_batched_tokens != rows[i].tokens || context->max_num_seqs != rows[i].seqs) {
            fail_msg("release %u on %s: %llu tokens, %llu sequences", rows[i].release, rows[i].gpu->name,
                     (unsigned long long)context->max_num_batched_tokens, (unsigned long long)context->max_num_seqs);
        }
    }
}

// arg_utils.py v0.22.0 _get_min_mm_batched_tokens: 32 frames of 70 tokens and 8 more are 2,496; a 26B on a card of 32
// GiB logged "Raising max_num_batched_tokens from 2048 to 2496", an E4B beside it did not.
static void videos_fit(void **state)
{
    (void)state;
    static const struct {
        uint32_t release;
        bool both_ways;
        const struct gpu_row *gpu;
        uint64_t asked, tokens;
    } rows[] = {{R(26, 0), true, &l40s, 0, 2496},
                {R(26, 0), false, &l40s, 0, 2048},
                {R(21, 0), true, &l40s, 0, 2048},
                {R(22, 0), true, &l40s, 0, 2496},
                {R(22, 0), true, &rtx_6000, 0, 8192},
                {R(22, 0), true, &l40s, 2048, 2048}};
    for (size_t i = 0; i < sizeof rows / sizeof rows[0]; i++) {
        make_llama_plan(&plan, rows[i].release);
        use(rows[i].gpu);
        plan.model.encoder.both_ways = rows[i].both_ways;
        if (rows[i].asked > 0) {
            set(&plan, KVB_SET_MAX_NUM_BATCHED_TOKENS, rows[i].asked);
        }
        assert_int_equal(resolved(&plan)->max_num_batched_tokens, rows[i].tokens);
    }
}

// platforms/rocm.py get_device_total_memory: v0.23.0 asks HIP, which counts the kernel's pool an APU computes in;
// v0.24.0 asks amdsmi for VRAM, which is what the firmware set aside. A build of main of August 2026 (0.28) with 80 GiB
// of pool logged a compile range to 2,048 tokens and graphs to 512, twice 256 sequences.
static void apus(void **state)
{
    (void)state;
    static const struct gpu_row strix_halo = {"AMD Radeon 8060S Graphics", 80, 0};
    static const struct gpu_row mi300x = {"AMD Instinct MI300X", 191, 0};
    static const struct default_row rows[] = {{R(23, 0), &strix_halo, KVB_USAGE_SERVE, 8192, 1024},
                                              {R(24, 0), &strix_halo, KVB_USAGE_SERVE, 2048, 256},
                                              {R(28, 0), &strix_halo, KVB_USAGE_OFFLINE, 8192, 256},
                                              {R(24, 0), &mi300x, KVB_USAGE_SERVE, 8192, 1024}};
    for (size_t i = 0; i < sizeof rows / sizeof rows[0]; i++) {
        make_llama_plan(&plan, rows[i].release);
        use(rows[i].gpu);
        plan.gpu.vendor = KVB_VENDOR_AMD;
        plan.gpu.unified_memory = rows[i].gpu == &strix_halo;
        plan.usage = rows[i].usage;
        const struct kvb_context *context = resolved(&plan);
        assert_int_equal(context->max_num_batched_tokens, rows[i].tokens);
        assert_int_equal(context->max_num_seqs, rows[i].seqs);
    }
}

// VLLM_USE_V1=1 at 0.7.3: 256 sequences, the H100's larger batch.
static void v1_before_its_time(void **state)
{
    (void)state;
    make_llama_plan(&plan, R(7, 3));
    plan.environment.use_v1 = KVB_YES;
    const struct kvb_context *context = resolved(&plan);
    assert_int_equal(context->generation, KVB_GENERATION_V1);
    assert_int_equal(context->max_num_seqs, 256);
    assert_int_equal(context->max_num_batched_tokens, 8192);
    plan.environment.use_v1 = KVB_NO;
    assert_int_equal(resolved(&plan)->generation, KVB_GENERATION_V0);
    make_llama_plan(&plan, R(6, 3)); // no V1 to ask for
    plan.environment.use_v1 = KVB_YES;
    assert_int_equal(resolved(&plan)->generation, KVB_GENERATION_V0);
    make_llama_plan(&plan, R(11, 0)); // no V0 to go back to
    plan.environment.use_v1 = KVB_NO;
    assert_int_equal(resolved(&plan)->generation, KVB_GENERATION_V1);
    make_llama_plan(&plan, R(9, 0));
    plan.gpu.compute_capability = 0; // not known: not too old
    assert_int_equal(resolved(&plan)->generation, KVB_GENERATION_V1);
}

struct v0_row {
    const char *what;
    uint32_t release;
    uint64_t length, tokens;
};

// V0: max(length, 2048); beyond 32768 tokens chunks of 512 to 0.6.4, then 2048; not before 0.5.3.
static void v0_batches(void **state)
{
    (void)state;
    static const struct v0_row rows[] = {
        {"short", R(6, 3), 1024, 2048},           {"as long as the context", R(6, 3), 32768, 32768},
        {"chunks of 512", R(6, 4), 65536, 512},   {"chunks of 2048", R(7, 3), 65536, 2048},
        {"before chunks", R(5, 2), 65536, 65536},
    };
    for (size_t i = 0; i < sizeof rows / sizeof rows[0]; i++) {
        make_llama_plan(&plan, rows[i].release);
        set(&plan, KVB_SET_MAX_MODEL_LEN, rows[i].length);
        assert_int_equal(resolved(&plan)->max_num_batched_tokens, rows[i].tokens);
        assert_int_equal(resolved(&plan)->max_num_seqs, 256);
    }
    make_llama_plan(&plan, R(7, 3));
    set(&plan, KVB_SET_ENABLE_CHUNKED_PREFILL, 1);
    assert_int_equal(resolved(&plan)->max_num_batched_tokens, 2048);
    set(&plan, KVB_SET_ENABLE_CHUNKED_PREFILL, 0);
    set(&plan, KVB_SET_MAX_MODEL_LEN, 65536);
    assert_int_equal(resolved(&plan)->max_num_batched_tokens, 65536);
}

// What keeps V0 from chunking by itself: pictures, windows, states, drafts, adapters.
static void v0_does_not_always_chunk(void **state)
{
    (void)state;
    for (int why = 0; why < 6; why++) {
        make_llama_plan(&plan, R(7, 3));
        set(&plan, KVB_SET_MAX_MODEL_LEN, 65536);
        struct kvb_attention_shape *shape = &plan.model.kinds[0].attention;
        plan.model.encoder.family = why == 1 ? KVB_ENCODER_QWEN2_VL : KVB_ENCODER_NONE;
        shape->kind = why == 2 ? KVB_ATTENTION_SLIDING : why == 3 ? KVB_ATTENTION_MAMBA1 : KVB_ATTENTION_FULL;
        shape->conv_kernel = 4;
        set(&plan, KVB_SET_SPECULATIVE_METHOD, why == 4 ? KVB_SPECULATIVE_NGRAM : KVB_SPECULATIVE_NONE);
        set(&plan, KVB_SET_ENABLE_LORA, why == 5);
        assert_int_equal(resolved(&plan)->chunked_prefill, why == 0);
    }
}

// From 0.8.0 V0 chunks by itself on CUDA alone, and no latents: arg_utils.py v0.8.0:1613, v0.7.3:1172.
static void v0_chunks_on_cuda(void **state)
{
    (void)state;
    static const struct {
        uint32_t release;
        bool amd, latent, expanded, chunks;
    } rows[] = {{R(7, 3), true, false, false, true},  {R(8, 0), true, false, false, false},
                {R(8, 0), false, false, false, true}, {R(7, 3), false, true, false, true},
                {R(8, 0), false, true, false, false}, {R(8, 0), false, true, true, true}};
    for (size_t i = 0; i < sizeof rows / sizeof rows[0]; i++) {
        make_llama_plan(&plan, rows[i].release);
        set(&plan, KVB_SET_MAX_MODEL_LEN, 65536);
        plan.environment.use_v1 = KVB_NO;
        plan.environment.mla_disable = rows[i].expanded ? KVB_YES : KVB_UNSET;
        plan.gpu.vendor = rows[i].amd ? KVB_VENDOR_AMD : KVB_VENDOR_NVIDIA;
        plan.model.kinds[0].attention.kind = rows[i].latent ? KVB_ATTENTION_MLA : KVB_ATTENTION_FULL;
        assert_int_equal(resolved(&plan)->chunked_prefill, rows[i].chunks);
        assert_int_equal(resolved(&plan)->max_num_batched_tokens, rows[i].chunks ? 2048 : 65536);
    }
    plan.gpu.vendor = KVB_VENDOR_NVIDIA;
}

// From 0.6.4 pictures raise V0's batch to 5120.
static void v0_pictures(void **state)
{
    (void)state;
    make_llama_plan(&plan, R(6, 4));
    plan.model.encoder.family = KVB_ENCODER_QWEN2_VL;
    set(&plan, KVB_SET_MAX_MODEL_LEN, 4096);
    assert_int_equal(resolved(&plan)->max_num_batched_tokens, 5120);
    plan.engine.release = R(6, 3);
    assert_int_equal(resolved(&plan)->max_num_batched_tokens, 4096);
}

// Without chunked prefill a batch holds the whole context; pooling models do not chunk.
static void v1_without_chunks(void **state)
{
    (void)state;
    make_llama_plan(&plan, R(19, 0));
    set(&plan, KVB_SET_MAX_MODEL_LEN, 65536);
    set(&plan, KVB_SET_ENABLE_CHUNKED_PREFILL, 0);
    assert_int_equal(resolved(&plan)->max_num_batched_tokens, 65536);
    unset(&plan, KVB_SET_ENABLE_CHUNKED_PREFILL);
    assert_int_equal(resolved(&plan)->max_num_batched_tokens, 8192);
    plan.model.pooling = true;
    assert_int_equal(resolved(&plan)->max_num_batched_tokens, 65536);
}

// --performance-mode throughput doubles both defaults from 0.17, and nothing that was set.
static void throughput_mode(void **state)
{
    (void)state;
    make_llama_plan(&plan, R(17, 0));
    set(&plan, KVB_SET_PERFORMANCE_MODE, KVB_PERFORMANCE_THROUGHPUT);
    assert_int_equal(resolved(&plan)->max_num_batched_tokens, 16384);
    assert_int_equal(resolved(&plan)->max_num_seqs, 2048);
    set(&plan, KVB_SET_MAX_NUM_BATCHED_TOKENS, 4096);
    assert_int_equal(resolved(&plan)->max_num_batched_tokens, 4096);
    unset(&plan, KVB_SET_MAX_NUM_BATCHED_TOKENS);
    set(&plan, KVB_SET_MAX_NUM_SEQS, 100);
    assert_int_equal(resolved(&plan)->max_num_seqs, 100);
    assert_int_equal(resolved(&plan)->max_num_batched_tokens, 16384);
    plan.engine.release = R(16, 0);
    unset(&plan, KVB_SET_MAX_NUM_SEQS);
    assert_int_equal(resolved(&plan)->max_num_seqs, 1024);
}

// S <= T from 0.10.2; T <= S x length for defaults.
static void capped_by_each_other(void **state)
{
    (void)state;
    make_llama_plan(&plan, R(11, 0));
    set(&plan, KVB_SET_MAX_NUM_BATCHED_TOKENS, 512);
    assert_int_equal(resolved(&plan)->max_num_seqs, 512);
    make_llama_plan(&plan, R(11, 1));
    set(&plan, KVB_SET_MAX_NUM_SEQS, 2);
    set(&plan, KVB_SET_MAX_MODEL_LEN, 1000);
    assert_int_equal(resolved(&plan)->max_num_batched_tokens, 2000);
}

struct sizes_row {
    const char *what;
    uint32_t release;
    uint64_t seqs, tokens, limit, listed; // 0 = not set
    uint64_t sizes;
};

// To 0.11.0 1, 2, 4 and every 8 to 512: 67; from 0.11.1 every 16 above 256: 3 + 31 + 17 = 51; V0 to 256: 35.
static void capture_sizes(void **state)
{
    (void)state;
    static const struct sizes_row rows[] = {
        {"V0", R(7, 3), 256, 8192, 0, 0, 35},
        {"V0, 160 sequences", R(7, 3), 160, 8192, 0, 0, 23},
        {"every 8", R(9, 2), 1024, 8192, 0, 0, 67},
        {"twice the sequences", R(10, 2), 16, 8192, 0, 0, 3 + 4},
        {"sparse", R(11, 1), 1024, 8192, 0, 0, 51},
        {"gpt-oss, up to 1024", R(19, 0), 1024, 8192, 1024, 0, 83},
        {"up to 256", R(19, 0), 128, 8192, 0, 0, 3 + 31 + 1},
        {"up to 3", R(19, 0), 256, 8192, 3, 0, 2},
        {"only 1", R(19, 0), 256, 8192, 1, 0, 1},
        {"no more than the batch", R(19, 0), 64, 64, 0, 0, 3 + 8},
        {"listed", R(19, 0), 256, 8192, 0, 8, 8},
    };
    for (size_t i = 0; i < sizeof rows / sizeof rows[0]; i++) {
        make_llama_plan(&plan, rows[i].release);
        set(&plan, KVB_SET_MAX_NUM_SEQS, rows[i].seqs);
        set(&plan, KVB_SET_MAX_NUM_BATCHED_TOKENS, rows[i].tokens);
        if (rows[i].limit > 0) {
            set(&plan, KVB_SET_MAX_CUDAGRAPH_CAPTURE_SIZE, rows[i].limit);
        }
        if (rows[i].listed > 0) {
            set(&plan, KVB_SET_CUDAGRAPH_CAPTURE_SIZES, rows[i].listed);
        }
        uint64_t sizes = kvb_capture_sizes(resolved(&plan));
        if (sizes != rows[i].sizes) {
            fail_msg("%s: %llu sizes", rows[i].what, (unsigned long long)sizes);
        }
    }
}

// config/model.py _get_and_verify_max_len: a config that names no length takes any that is asked for, but nothing is
// asked for by auto; a window of nothing is none. A card of another maker that shares its memory has a total.
static void lengths_that_nothing_limits(void **state)
{
    (void)state;
    make_llama_plan(&plan, R(20, 0));
    plan.model.context_tokens = 2048;
    plan.model.any_length = true;
    set(&plan, KVB_SET_MAX_MODEL_LEN, 99999);
    assert_int_equal(resolved(&plan)->longest_taken, 99999);
    set(&plan, KVB_SET_MAX_MODEL_LEN, KVB_AUTO);
    assert_int_equal(resolved(&plan)->longest_taken, 2048);
    plan.model.kinds[0].attention.kind = KVB_ATTENTION_SLIDING;
    plan.model.kinds[0].attention.window_tokens = 0;
    set(&plan, KVB_SET_DISABLE_SLIDING_WINDOW, 1);
    assert_int_equal(resolved(&plan)->longest_taken, 2048);
    make_llama_plan(&plan, R(20, 0));
    plan.gpu.unified_memory = true;
    plan.gpu.vendor = KVB_VENDOR_OTHER;
    uint64_t tokens = resolved(&plan)->max_num_batched_tokens;
    plan.gpu.unified_memory = false;
    assert_int_equal(resolved(&plan)->max_num_batched_tokens, tokens);
    plan.gpu.vendor = KVB_VENDOR_NVIDIA;
}

KVB_TEST_MAIN(cmocka_unit_test(lengths_that_nothing_limits), cmocka_unit_test(by_release_and_gpu),
              cmocka_unit_test(apus), cmocka_unit_test(videos_fit), cmocka_unit_test(v1_before_its_time),
              cmocka_unit_test(v0_batches), cmocka_unit_test(v0_does_not_always_chunk),
              cmocka_unit_test(v0_chunks_on_cuda), cmocka_unit_test(v0_pictures), cmocka_unit_test(v1_without_chunks),
              cmocka_unit_test(throughput_mode), cmocka_unit_test(capped_by_each_other),
              cmocka_unit_test(capture_sizes))
