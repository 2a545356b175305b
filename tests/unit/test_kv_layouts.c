// Layouts that the attention-only tables do not reach: latent, sparse index, states, DeepSeek V4, V0,
// overrides, auto length and the texts of errors. Expected figures: the engine's own code or hand calculation.
#include "unit/kv_models.h"
#include "unit/test.h"

#define R(minor, patch) KVB_RELEASE(0, minor, patch)
#define POOL 42949672960ULL

static struct kvb_plan plan;
static struct kvb_budget budget;
static struct kvb_problems problems;

static void answer(void)
{
    kvb_problems_init(&problems);
    assert_int_equal(kvb_budget_compute(&plan, &budget, &problems), KVB_OK);
}

static void make_mla(uint32_t layers, uint32_t release, uint64_t pool, uint64_t length)
{
    static const struct shape shape = {"mla", 1, 128, 128, 128, 0, 0, 0, KVB_ATTENTION_SLIDING, 163840};
    make_model(&shape, &plan.model);
    plan.model.layer_count = layers;
    plan.model.kinds[0].attention.kind = KVB_ATTENTION_MLA;
    plan.model.kinds[0].attention.latent_rank = 512;
    plan.model.kinds[0].attention.rope_size = 64;
    plan.model.kinds[0].attention.nope_size = 128;
    make_plan(&plan, release, pool, length);
    set(&plan, KVB_SET_TENSOR_PARALLEL_SIZE, 8);
}

// DeepSeek-V3, tp 8: 61 layers x 576 x 2 B. Hopper up to 0.17 forces blocks of 64, later 16.
static void deepseek_v3(void **state)
{
    (void)state;
    make_mla(61, R(11, 0), POOL, 163840);
    answer();
    assert_int_equal(budget.kv.block_tokens, 64);
    assert_int_equal(budget.kv.num_blocks, 9549);
    assert_int_equal(budget.kv.tokens, 611136);
    assert_int_equal(budget.kv.max_concurrency_hundredths, 373);
    assert_int_equal(budget.needed_bytes, 11513364480);
    make_mla(61, R(19, 0), POOL, 163840);
    answer();
    assert_int_equal(budget.kv.block_tokens, 16);
    assert_int_equal(budget.kv.num_blocks, 38199);
    assert_int_equal(budget.kv.tokens, 611184);
}

// DeepSeek-V3.2: an index cache of 132 B a token beside each latent. 0.11 stores 656 B (fp8_ds_mla),
// 0.14 leaves "auto" at bf16.
static void deepseek_v32(void **state)
{
    (void)state;
    static const struct {
        uint32_t release;
        uint64_t blocks, tokens, needed;
    } rows[] = {{R(11, 0), 13961, 893504, 7875461120}, {R(14, 0), 8568, 548352, 12832604160}};
    for (size_t i = 0; i < 2; i++) {
        make_mla(61, rows[i].release, POOL, 163840);
        (void)strcpy(plan.model.architecture, "DeepseekV32ForCausalLM");
        plan.model.kinds[0].attention.index_heads = 64;
        plan.model.kinds[0].attention.index_head_size = 128;
        plan.model.kinds[0].attention.has_indexer = true;
        answer();
        assert_int_equal(budget.kv.block_tokens, 64);
        assert_int_equal(budget.kv.num_blocks, rows[i].blocks);
        assert_int_equal(budget.kv.tokens, rows[i].tokens);
        assert_int_equal(budget.needed_bytes, rows[i].needed);
    }
}

// Blackwell: CUTLASS blocks of 128 from 0.11, FlashInfer's 32 from 0.18; Ampere keeps 16.
static void mla_blocks_by_gpu(void **state)
{
    (void)state;
    static const struct {
        uint32_t release, capability;
        uint64_t block;
    } rows[] = {{R(11, 0), 100, 128}, {R(10, 0), 100, 16}, {R(18, 0), 100, 32}, {R(11, 0), 80, 16}};
    for (size_t i = 0; i < sizeof rows / sizeof rows[0]; i++) {
        make_mla(61, rows[i].release, POOL, 8192);
        plan.gpu.compute_capability = rows[i].capability;
        answer();
        assert_int_equal(budget.kv.block_tokens, rows[i].block);
    }
    make_mla(61, R(19, 0), POOL, 8192);
    set(&plan, KVB_SET_ATTENTION_BACKEND, KVB_BACKEND_FLASHMLA);
    answer();
    assert_int_equal(budget.kv.block_tokens, 64);
}

static void make_qwen3_next(uint32_t release, uint64_t length)
{
    static const struct shape shape = {"Qwen3-Next-80B", 48, 16, 2, 256, 0, 4, 3, KVB_ATTENTION_GDN, 262144};
    make_model(&shape, &plan.model);
    struct kvb_attention_shape *gdn = &plan.model.kinds[1].attention;
    gdn->state_key_heads = 16;
    gdn->state_key_size = 128;
    gdn->state_value_heads = 32;
    gdn->state_value_size = 128;
    gdn->conv_kernel = 4;
    make_plan(&plan, release, POOL, length);
    set(&plan, KVB_SET_TENSOR_PARALLEL_SIZE, 2);
}

// Qwen3-Next-80B, tp 2: a state page of 548,864 B needs attention blocks of 544 tokens.
static void qwen3_next(void **state)
{
    (void)state;
    static const struct {
        uint32_t release;
        uint64_t tokens;
    } rows[] = {{R(11, 0), 873664}, {R(19, 0), 873664}, {R(27, 1), 3472732}};
    for (size_t i = 0; i < sizeof rows / sizeof rows[0]; i++) {
        make_qwen3_next(rows[i].release, 262144);
        answer();
        assert_int_equal(budget.kv.block_tokens, 544);
        assert_int_equal(budget.kv.num_blocks, 6425);
        assert_int_equal(budget.kv.tokens, rows[i].tokens);
        assert_int_equal(budget.kv.max_concurrency_hundredths, 1325);
        assert_int_equal(budget.needed_bytes, 3242065920);
        assert_int_equal(budget.kv.group_count, 4);
    }
}

// Prefix caching on, tp 1: "align" mode holds two state blocks a group from 0.15, one in 0.14.
static void qwen3_next_prefix_caching(void **state)
{
    (void)state;
    make_qwen3_next(R(27, 1), 262144);
    set(&plan, KVB_SET_TENSOR_PARALLEL_SIZE, 1);
    set(&plan, KVB_SET_ENABLE_PREFIX_CACHING, 1);
    answer();
    assert_int_equal(budget.kv.block_tokens, 544);
    assert_int_equal(budget.kv.max_concurrency_hundredths, 658);
}

// A hybrid of 0.14 to 0.18 starts although a full-length request can never run: only the state group counts.
static void hybrid_check_of_first_group(void **state)
{
    (void)state;
    make_qwen3_next(R(14, 0), 262144);
    set(&plan, KVB_SET_MAX_NUM_SEQS, 1); // no graph is larger than the pool has blocks
    set(&plan, KVB_SET_KV_CACHE_MEMORY_BYTES, 1ULL << 30);
    answer();
    assert_true(budget.starts);
    assert_int_equal(budget.verdict, KVB_DOES_NOT_FIT);
    assert_true(budget.needed_bytes < budget.kv.really_needed_bytes);
    assert_int_equal(problems.count, 1);
    make_qwen3_next(R(19, 0), 262144);
    set(&plan, KVB_SET_KV_CACHE_MEMORY_BYTES, 1ULL << 30);
    answer();
    assert_false(budget.starts);
}

static void make_nemotron_h(uint32_t release, uint64_t length)
{
    // Nemotron-H-8B: 52 layers, 24 Mamba2, 4 attention, 24 MLP
    static const struct shape shape = {"Nemotron-H-8B", 52, 32, 8, 128, 0, 1, 0, KVB_ATTENTION_MAMBA2, 8192};
    make_model(&shape, &plan.model);
    (void)strcpy(plan.model.architecture, "NemotronHForCausalLM");
    struct kvb_attention_shape *mamba = &plan.model.kinds[1].attention;
    set_mamba2(mamba);
    mamba->chunk_tokens = 128;
    plan.model.kind_count = 3;
    plan.model.kinds[2] = plan.model.kinds[0];
    plan.model.kinds[2].attention.kind = KVB_ATTENTION_NONE;
    for (uint32_t i = 0; i < 52; i++) {
        plan.model.kind_of_layer[i] = i < 48 ? (i % 2 == 0 ? 1 : 2) : 0;
    }
    make_plan(&plan, release, POOL, length);
}

static void nemotron_h(void **state)
{
    (void)state;
    static const struct {
        uint32_t release;
        uint64_t block, blocks, tokens, hundredths, needed;
    } rows[] = {{R(11, 0), 528, 4964, 374352, 22564, 190316544}, // the model's dtype; fp16 is no smaller
                {R(19, 0), 528, 4964, 374352, 22564, 190316544},
                {R(20, 0), 1040, 2520, 374400, 18000, 238551040}, // fp32 from here
                {R(27, 1), 1040, 2520, 1474560, 18000, 238551040}};
    for (size_t i = 0; i < sizeof rows / sizeof rows[0]; i++) {
        make_nemotron_h(rows[i].release, 8192);
        answer();
        assert_int_equal(budget.kv.block_tokens, rows[i].block);
        assert_int_equal(budget.kv.num_blocks, rows[i].blocks);
        assert_int_equal(budget.kv.tokens, rows[i].tokens);
        assert_int_equal(budget.kv.max_concurrency_hundredths, rows[i].hundredths);
        assert_int_equal(budget.needed_bytes, rows[i].needed);
    }
}

// Prefix caching "all": attention and state blocks of 1152 tokens, 8 of each of the 7 groups a request.
static void nemotron_h_all(void **state)
{
    (void)state;
    make_nemotron_h(R(27, 1), 8192);
    set(&plan, KVB_SET_ENABLE_PREFIX_CACHING, 1);
    answer();
    assert_int_equal(budget.kv.block_tokens, 1152);
    assert_int_equal(budget.kv.max_concurrency_hundredths, 4062);
}

// DeepSeek-V4-Flash: 43 layers, 21 with ratio 4, 20 with 128, two plain. Bytes of a block id:
// 0.23 to 0.26: 22 x 37440 + 21 x 8640 + 20 x 1728 = 1,039,680 (read off a running engine);
// 0.20 to 0.22: 22 tuples x (37440 + 8640 + 1728) = 1,051,776; 0.27: the latent group alone,
// 21 x 37440 + 21 x 8640 + 20 x 1728 = 1,002,240.
static void deepseek_v4(void **state)
{
    (void)state;
    // Need, tokens and concurrency as the tags' own kv_cache_utils.py gives them for these layers: whole tuples of
    // 47,808 B for every block; to 0.26 the concurrency counts bytes in pages of the latent group.
    static const struct {
        uint32_t release;
        uint64_t bytes, needed, tokens, hundredths;
    } rows[] = {{R(20, 2), 1051776, 3796911360, 829817, 1266},
                {R(22, 1), 1051776, 3796911360, 829817, 1266},
                {R(24, 0), 1039680, 3796911360, 839470, 1281},
                {R(26, 0), 1039680, 7297221888, 438569, 669},
                {R(27, 1), 1002240, 7297221888, 404787, 618}};
    static const struct shape shape = {"DeepSeek-V4-Flash", 43, 64, 1, 512, 128, 0, 0, KVB_ATTENTION_DSV4, 1048576};
    for (size_t i = 0; i < sizeof rows / sizeof rows[0]; i++) {
        make_model(&shape, &plan.model);
        plan.model.kind_count = 3;
        for (uint32_t kind = 0; kind < 3; kind++) {
            plan.model.kinds[kind] = plan.model.kinds[0];
            plan.model.kinds[kind].attention.kind = KVB_ATTENTION_DSV4;
            plan.model.kinds[kind].attention.window_tokens = 128;
            plan.model.kinds[kind].attention.index_head_size = 128;
            plan.model.kinds[kind].attention.compress_ratio = kind == 0 ? 0 : kind == 1 ? 4 : 128;
        }
        for (uint32_t layer = 0; layer < 43; layer++) {
            plan.model.kind_of_layer[layer] = layer < 2 ? 0 : (uint8_t)(1 + layer % 2);
        }
        make_plan(&plan, rows[i].release, POOL, 65536);
        set(&plan, KVB_SET_KV_CACHE_DTYPE, KVB_KV_FP8);
        answer();
        assert_true(budget.starts);
        assert_int_equal(budget.needed_bytes, rows[i].needed);
        assert_int_equal(budget.kv.tokens, rows[i].tokens);
        assert_int_equal(budget.kv.max_concurrency_hundredths, rows[i].hundredths);
        assert_int_equal(budget.kv.bytes_per_block, rows[i].bytes);
        assert_int_equal(budget.kv.num_blocks, POOL / rows[i].bytes);
        assert_int_equal(budget.kv.block_tokens, 256);
    }
    plan.engine.release = R(19, 0);
    answer();
    assert_false(budget.starts);
}

static void make_llama(uint32_t release, uint64_t pool, uint64_t length)
{
    static const struct shape shape = {"Llama-3.1-8B", 32, 32, 8, 128, 0, 0, 0, KVB_ATTENTION_SLIDING, 131072};
    make_model(&shape, &plan.model);
    make_plan(&plan, release, pool, length);
}

// TurboQuant before 0.25 keeps blocks of 16: 10 GiB / (16 x 8 x (28 x 196 + 4 x 512)) = 11131. With windows of one byte
// an element the pages do not divide; states are refused in 0.20; a short model leaves no more than half its layers.
static void turboquant(void **state)
{
    (void)state;
    make_llama(R(24, 0), 10737418240ULL, 8192);
    set(&plan, KVB_SET_KV_CACHE_DTYPE, KVB_KV_TURBOQUANT_K8V4);
    answer();
    assert_int_equal(budget.kv.block_tokens, 16);
    assert_int_equal(budget.kv.num_blocks, 11131);
    plan.model.layer_count = 3;
    answer(); // one layer on each side: 16 x 8 x (196 + 2 x 512)
    assert_int_equal(budget.kv.bytes_per_block, 16 * 8 * (196 + 2 * 512));
    static const struct shape gemma = {"Gemma-3-27B", 62, 32, 16, 128, 1024, 6, 5, KVB_ATTENTION_SLIDING, 131072};
    make_model(&gemma, &plan.model);
    make_plan(&plan, R(27, 1), POOL, 8192);
    set(&plan, KVB_SET_KV_CACHE_DTYPE, KVB_KV_TURBOQUANT_4BIT_NC);
    answer();
    assert_false(budget.starts);
    assert_int_equal(strncmp(budget.error, "page size is not divisible", 26), 0);
    make_nemotron_h(R(20, 2), 8192);
    set(&plan, KVB_SET_KV_CACHE_DTYPE, KVB_KV_TURBOQUANT_4BIT_NC);
    answer();
    assert_string_equal(budget.error,
                        "TurboQuant KV cache is not supported for hybrid (attention + Mamba) models. Boundary layer "
                        "protection requires uniform attention layers.");
    plan.engine.release = R(21, 0);
    answer();
    assert_true(budget.starts);
}

// DeepSeek V4 takes an fp8 cache alone; up to 0.22 it reads scale_fmt, which compressed-tensors does not write.
static void v4_refusals(void **state)
{
    (void)state;
    static const struct shape shape = {"v4", 4, 64, 1, 512, 128, 2, 0, KVB_ATTENTION_DSV4, 131072};
    static const struct {
        uint32_t release;
        const char *error;
    } rows[] = {{R(22, 1), "DeepseekV4 only supports fp8 kv-cache format for now, got auto"},
                {R(23, 0), "DeepseekV4 FlashMLA fp8 layout only supports fp8 kv-cache, got auto"},
                {R(27, 1), "DeepseekV4 fp8_ds_mla layout only supports fp8 kv-cache, got auto"}};
    make_model(&shape, &plan.model);
    for (int i = 0; i < 2; i++) {
        plan.model.kinds[i].attention.kind = KVB_ATTENTION_DSV4;
        plan.model.kinds[i].attention.window_tokens = 128;
        plan.model.kinds[i].attention.compress_ratio = 4;
        plan.model.kinds[i].attention.index_head_size = 128;
    }
    for (size_t i = 0; i < 3; i++) {
        make_plan(&plan, rows[i].release, POOL, 8192);
        answer();
        assert_false(budget.starts);
        assert_string_equal(budget.error, rows[i].error);
    }
    (void)strcpy(plan.model.quantisation.name, "compressed-tensors");
    set(&plan, KVB_SET_KV_CACHE_DTYPE, KVB_KV_FP8);
    answer();
    assert_true(budget.starts);
    plan.engine.release = R(22, 1);
    answer();
    assert_string_equal(budget.error, "KeyError: 'scale_fmt'");
}

// MiMo-V2's decoder keeps 16 bit whatever is asked for.
static void a_word_nobody_hears(void **state)
{
    (void)state;
    make_llama(R(25, 1), 10737418240ULL, 8192);
    (void)strcpy(plan.model.architecture, "MiMoV2FlashForCausalLM");
    set(&plan, KVB_SET_KV_CACHE_DTYPE, KVB_KV_FP8);
    answer();
    assert_int_equal(budget.kv.num_blocks, 5120);
}

// Bytes an element by --kv-cache-dtype: Llama-3.1-8B in 10 GiB at 0.27.1.
static void kv_dtypes(void **state)
{
    (void)state;
    static const struct {
        enum kvb_kv_dtype dtype;
        uint64_t blocks;
    } rows[] = {{KVB_KV_FP8, 10240},
                {KVB_KV_NVFP4, 18204},
                {KVB_KV_INT8_PER_TOKEN_HEAD, 9929},
                {KVB_KV_INT4_PER_TOKEN_HEAD, 19275},
                // slots of 196, 134, 118 and 102 B a head in 28 layers, 512 B in the first and last two, blocks of 32:
                // 10 GiB / (32 x 8 x (28 x slot + 4 x 512))
                {KVB_KV_TURBOQUANT_K8V4, 5565},
                {KVB_KV_TURBOQUANT_4BIT_NC, 7231},
                {KVB_KV_TURBOQUANT_K3V4_NC, 7836},
                {KVB_KV_TURBOQUANT_3BIT_NC, 8552}};
    for (size_t i = 0; i < sizeof rows / sizeof rows[0]; i++) {
        make_llama(R(27, 1), 10737418240ULL, 8192);
        set(&plan, KVB_SET_KV_CACHE_DTYPE, rows[i].dtype);
        answer();
        assert_int_equal(budget.kv.num_blocks, rows[i].blocks);
    }
}

// Three stages of 11, 11 and 10 layers: 10 GiB each give 14,894 blocks.
static void stages(void **state)
{
    (void)state;
    make_llama(R(27, 1), 10737418240ULL, 8192);
    set(&plan, KVB_SET_PIPELINE_PARALLEL_SIZE, 3);
    answer();
    assert_int_equal(budget.kv.num_blocks, 14894);
    plan.environment.layer_partition_count = 3;
    plan.environment.layer_partition[0] = 20;
    plan.environment.layer_partition[1] = 6;
    plan.environment.layer_partition[2] = 6;
    answer();
    assert_int_equal(budget.kv.num_blocks, 10737418240ULL / 65536 / 20);
}

// Auto length at 0.27.1 settles on 81,920; an override of 1000 blocks is refused there and applied in 0.19.
static void auto_length_and_override(void **state)
{
    (void)state;
    make_llama(R(27, 1), 10737418240ULL, KVB_AUTO);
    answer();
    assert_int_equal(budget.kv.auto_max_model_len, 81920);
    assert_true(budget.starts);
    make_llama(R(27, 1), 10737418240ULL, 131072);
    set(&plan, KVB_SET_NUM_GPU_BLOCKS_OVERRIDE, 1000);
    answer();
    assert_false(budget.starts);
    assert_non_null(strstr(budget.error, "(16.0 GiB KV cache is needed, which is larger than the available KV cache "
                                         "memory (1.95 GiB)."));
    make_llama(R(9, 1), 10737418240ULL, 8192); // logged, not applied
    set(&plan, KVB_SET_NUM_GPU_BLOCKS_OVERRIDE, 1000);
    answer();
    assert_int_equal(budget.kv.num_blocks, 5120);
    make_llama(R(19, 0), 10737418240ULL, 8192);
    set(&plan, KVB_SET_NUM_GPU_BLOCKS_OVERRIDE, 1000);
    answer();
    assert_int_equal(budget.kv.num_blocks, 1000);
    make_llama(R(27, 1), 100000, KVB_AUTO); // less than one block
    answer();
    assert_string_equal(budget.error, "Cannot auto-fit max_model_len: not enough GPU memory available to serve even a "
                                      "single token. Try increasing `gpu_memory_utilization`.");
}

// V0: 20 GiB of Llama-3.1-8B are 10,240 GPU and, from 4 GiB of swap space, 2048 CPU blocks.
static void v0_blocks(void **state)
{
    (void)state;
    make_llama(R(6, 3), 21474836480ULL, 8192);
    answer();
    assert_int_equal(budget.generation, KVB_GENERATION_V0);
    assert_int_equal(budget.kv.bytes_per_block, 2097152);
    assert_int_equal(budget.kv.num_blocks, 10240);
    assert_int_equal(budget.kv.cpu_blocks, 2048);
    assert_int_equal(budget.kv.tokens, 163840);
    assert_int_equal(budget.kv.max_concurrency_hundredths, 2000);
    make_llama(R(6, 3), 21474836480ULL, 131072);
    set(&plan, KVB_SET_MAX_NUM_BATCHED_TOKENS, 131072);
    set(&plan, KVB_SET_KV_CACHE_MEMORY_BYTES, 3100000000ULL); // vllm#10517: 2.89 GiB, 1478 blocks
    answer();
    assert_int_equal(budget.kv.num_blocks, 1478);
    assert_string_equal(budget.error,
                        "The model's max seq len (131072) is larger than the maximum number of tokens that can be "
                        "stored in KV cache (23648). Try increasing `gpu_memory_utilization` or decreasing "
                        "`max_model_len` when initializing the engine.");
    set(&plan, KVB_SET_KV_CACHE_MEMORY_BYTES, 1000);
    answer();
    assert_string_equal(budget.error, "No available memory for the cache blocks. Try increasing "
                                      "`gpu_memory_utilization` when initializing the engine.");
}

// V0, DeepSeek-V3, blocks of 64 asked for: c = 61 x 64 x 576 x 2 = 4,497,408 B; 0.7.2 rounds the entry of 1152 B
// up to 1280.
static void v0_mla(void **state)
{
    (void)state;
    make_mla(61, R(7, 1), 21474836480ULL, 8192);
    set(&plan, KVB_SET_BLOCK_SIZE, 64);
    answer();
    assert_int_equal(budget.kv.num_blocks, 4774);
    make_mla(61, R(7, 2), 21474836480ULL, 8192);
    set(&plan, KVB_SET_BLOCK_SIZE, 64);
    answer();
    assert_int_equal(budget.kv.num_blocks, 4297);
    // before 0.7 the latent is expanded to 16 heads of 256 on each of 8 ranks
    make_mla(61, R(6, 3), 21474836480ULL, 8192);
    answer();
    assert_int_equal(budget.kv.bytes_per_block, 61ULL * 16 * 16 * 512 * 2);
}

// A draft head of EAGLE is one more full-attention layer: 33 layers in all (vllm 0.9.1: 410,128 tokens, 3.13x).
static void eagle(void **state)
{
    (void)state;
    make_llama(R(9, 1), 410128ULL / 16 * 33 * 65536, 131072);
    set(&plan, KVB_SET_SPECULATIVE_METHOD, KVB_SPECULATIVE_EAGLE);
    answer();
    assert_int_equal(budget.kv.tokens, 410128);
    assert_int_equal(budget.kv.max_concurrency_hundredths, 313);
}

// Kimi-K2, MLA, tp 8, 0.11.1: with decode context parallelism 8 the line counts all eight ranks' tokens and a
// request of 131,072 holds 16,384 / 64 blocks of each.
static void decode_context_parallel(void **state)
{
    (void)state;
    make_mla(61, R(11, 1), 11174ULL * 61 * 64 * 1152, 131072);
    set(&plan, KVB_SET_DECODE_CONTEXT_PARALLEL_SIZE, 8);
    answer();
    assert_int_equal(budget.kv.tokens, 11174ULL * 64 * 8);
    assert_int_equal(budget.kv.blocks_per_request, 256);
}

// Whisper-large-v3: 32 full layers and 32 cross layers of 1500 encoder tokens.
static void cross_attention(void **state)
{
    (void)state;
    static const struct shape shape = {"whisper-large-v3", 64, 20, 20, 64, 1500, 2, 0, KVB_ATTENTION_CROSS, 448};
    static const struct {
        uint32_t release;
        uint64_t tokens, hundredths, needed;
    } rows[] = {{R(11, 0), 131072, 13430, 319815680}, {R(27, 1), 13592, 3034, 1415577600}};
    for (size_t i = 0; i < 2; i++) {
        make_model(&shape, &plan.model);
        make_plan(&plan, rows[i].release, POOL, 448);
        answer();
        assert_int_equal(budget.kv.num_blocks, 16384);
        assert_int_equal(budget.kv.tokens, rows[i].tokens);
        assert_int_equal(budget.kv.max_concurrency_hundredths, rows[i].hundredths);
        assert_int_equal(budget.needed_bytes, rows[i].needed);
    }
}

// V0 reads num_hidden_layers, in a Whisper config the encoder's 32: 159.33 GiB over the 65,263 blocks that
// whisper-large-v3-turbo logged on 0.9.0.1 (vllm issue 20069) are 16 x 32 x 2 x 20 x 64 x 2 B.
static void whisper_in_v0(void **state)
{
    (void)state;
    static const struct shape shape = {"whisper-turbo", 8, 20, 20, 64, 1500, 2, 0, KVB_ATTENTION_CROSS, 448};
    make_model(&shape, &plan.model);
    plan.model.encoder.family = KVB_ENCODER_WHISPER;
    plan.model.encoder.layers = 32;
    make_plan(&plan, R(9, 0), 65263ULL * 2621440, 448);
    plan.environment.use_v1 = KVB_NO;
    answer();
    assert_int_equal(budget.kv.bytes_per_block, 2621440);
    assert_int_equal(budget.kv.num_blocks, 65263);
    assert_int_equal(budget.kv.max_concurrency_hundredths, 233082); // as logged
}

// Gemma 3n: the last 15 of 35 layers share an earlier cache and keep none.
static void shared_caches(void **state)
{
    (void)state;
    static const struct shape shape = {"gemma-3n-E4B", 35, 8, 2, 256, 512, 5, 4, KVB_ATTENTION_SLIDING, 32768};
    make_model(&shape, &plan.model);
    plan.model.kind_count = 4;
    plan.model.kinds[2] = plan.model.kinds[0];
    plan.model.kinds[3] = plan.model.kinds[1];
    plan.model.kinds[2].attention.shares_kv = true;
    plan.model.kinds[3].attention.shares_kv = true;
    for (uint32_t layer = 20; layer < 35; layer++) {
        plan.model.kind_of_layer[layer] = (uint8_t)(plan.model.kind_of_layer[layer] + 2);
    }
    make_plan(&plan, R(19, 0), POOL, 32768);
    answer();
    assert_int_equal(budget.kv.num_blocks, 327680);
    assert_int_equal(budget.kv.tokens, 1048576);
    assert_int_equal(budget.kv.max_concurrency_hundredths, 7750);
    assert_int_equal(budget.needed_bytes, 554172416);
}

KVB_TEST_MAIN(cmocka_unit_test(deepseek_v3), cmocka_unit_test(deepseek_v32), cmocka_unit_test(mla_blocks_by_gpu),
              cmocka_unit_test(qwen3_next), cmocka_unit_test(qwen3_next_prefix_caching),
              cmocka_unit_test(hybrid_check_of_first_group), cmocka_unit_test(nemotron_h),
              cmocka_unit_test(nemotron_h_all), cmocka_unit_test(deepseek_v4), cmocka_unit_test(kv_dtypes),
              cmocka_unit_test(turboquant), cmocka_unit_test(v4_refusals), cmocka_unit_test(a_word_nobody_hears),
              cmocka_unit_test(stages), cmocka_unit_test(auto_length_and_override), cmocka_unit_test(v0_blocks),
              cmocka_unit_test(v0_mla), cmocka_unit_test(eagle), cmocka_unit_test(decode_context_parallel),
              cmocka_unit_test(cross_attention), cmocka_unit_test(whisper_in_v0), cmocka_unit_test(shared_caches))
