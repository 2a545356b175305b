// Rules of KV backends, blocks, types and states that the worked examples do not reach, one by one. Expected values are
// read from vllm at the tags named beside them.
#include "engines/vllm/kv.h"
#include "engines/vllm/kv_backend.h"
#include "engines/vllm/refusal.h"
#include "unit/refusal_says.h"
#include "unit/test.h"

static struct kvb_plan plan;
static struct kvb_budget budget;

// ---- Latents

static enum kvb_backend backend(void)
{
    return kvb_mla_backend_of(resolved(&plan)).backend;
}

// mla_attention.py v0.18.0 get_supported_head_sizes: 320 beside 576, where Triton's takes any.
static void latents_of_other_sizes(void **state)
{
    (void)state;
    (void)make_latent(&plan, R(18, 0), 90, false, 256);
    assert_int_equal(backend(), KVB_BACKEND_FLASH_ATTN_MLA);
    plan.engine.release = R(17, 1);
    assert_true(kvb_mla_backend_of(resolved(&plan)).missing);
    (void)make_latent(&plan, R(27, 0), 90, false, 320);
    assert_int_equal(backend(), KVB_BACKEND_TRITON_MLA);
    (void)make_latent(&plan, R(17, 0), 90, false, 320);
    assert_true(kvb_mla_backend_of(resolved(&plan)).missing);
    (void)make_latent(&plan, R(27, 0), 90, true, 256);
    assert_int_equal(backend(), KVB_BACKEND_FLASH_ATTN_MLA_SPARSE);
    plan.environment.attention_backend = KVB_BACKEND_FLASHMLA_SPARSE;
    assert_true(kvb_mla_backend_of(resolved(&plan)).missing);
}

// "bfloat16" is a word of backends from 0.15.0.
static void sixteen_bit_by_name(void **state)
{
    (void)state;
    (void)make_latent(&plan, R(14, 0), 90, false, 512);
    set(&plan, KVB_SET_KV_CACHE_DTYPE, KVB_KV_16BIT);
    assert_true(kvb_mla_backend_of(resolved(&plan)).missing);
    plan.engine.release = R(15, 0);
    assert_int_equal(backend(), KVB_BACKEND_FLASH_ATTN_MLA);
}

// cuda.py v0.18.0: sparse backends by heads; v0.19.0: by the cache's format as well. 16 heads are few.
static void sparse_backends_on_data_centre_blackwell(void **state)
{
    (void)state;
    struct kvb_attention_shape *shape = make_latent(&plan, R(19, 0), 100, true, 512);
    shape->heads = 128;
    set(&plan, KVB_SET_KV_CACHE_DTYPE, KVB_KV_16BIT);
    assert_int_equal(backend(), KVB_BACKEND_FLASHMLA_SPARSE);
    set(&plan, KVB_SET_KV_CACHE_DTYPE, KVB_KV_FP8);
    assert_int_equal(backend(), KVB_BACKEND_FLASHINFER_MLA_SPARSE);
    plan.engine.release = R(18, 0);
    assert_int_equal(backend(), KVB_BACKEND_FLASHMLA_SPARSE);
    assert_string_equal(kvb_backend_name(KVB_BACKEND_FLASHMLA_SPARSE), "FLASHMLA_SPARSE");
    assert_string_equal(kvb_backend_name(KVB_BACKEND_OTHER), "");
}

// cuda.py check_and_update_config v0.11.0, v0.12.0: the block that the backend asked for forces.
static void blocks_that_latent_backends_force(void **state)
{
    (void)state;
    static const struct {
        uint32_t release, capability;
        enum kvb_backend backend;
        uint64_t asked, block;
    } rows[] = {
        {R(12, 0), 90, KVB_BACKEND_FLASHMLA, 128, 128},       {R(12, 0), 90, KVB_BACKEND_FLASHMLA, 32, 64},
        {R(12, 0), 80, KVB_BACKEND_FLASHMLA, 32, 32},         {R(11, 0), 90, KVB_BACKEND_FLASHMLA, 64, 64},
        {R(11, 0), 90, KVB_BACKEND_FLASHMLA, 128, 64},        {R(12, 0), 100, KVB_BACKEND_CUTLASS_MLA, 256, 256},
        {R(12, 0), 100, KVB_BACKEND_CUTLASS_MLA, 64, 128},    {R(11, 0), 100, KVB_BACKEND_CUTLASS_MLA, 256, 128},
        {R(11, 0), 100, KVB_BACKEND_CUTLASS_MLA, 128, 128},   {R(12, 0), 100, KVB_BACKEND_FLASHINFER_MLA, 32, 32},
        {R(12, 0), 100, KVB_BACKEND_FLASHINFER_MLA, 64, 64},  {R(12, 0), 100, KVB_BACKEND_FLASHINFER_MLA, 128, 128},
        {R(12, 0), 100, KVB_BACKEND_FLASHINFER_MLA, 16, 64},  {R(11, 0), 100, KVB_BACKEND_FLASHINFER_MLA, 64, 64},
        {R(11, 0), 100, KVB_BACKEND_FLASHINFER_MLA, 128, 64}, {R(12, 0), 90, KVB_BACKEND_TRITON_MLA, 32, 32},
    };
    for (size_t i = 0; i < sizeof rows / sizeof rows[0]; i++) {
        (void)make_latent(&plan, rows[i].release, rows[i].capability, false, 512);
        plan.environment.attention_backend = rows[i].backend;
        set(&plan, KVB_SET_BLOCK_SIZE, rows[i].asked);
        assert_int_equal(resolved(&plan)->block_tokens, rows[i].block);
    }
}

// mla backends of v0.18.0 on pack an fp8 cache of sparse layers; SM120's packs 16 bit as well.
static void packed_caches(void **state)
{
    (void)state;
    static const struct {
        enum kvb_kv_dtype asked, stored;
    } rows[] = {{KVB_KV_AUTO, KVB_KV_FP8_DS_MLA}, {KVB_KV_FP8, KVB_KV_FP8_DS_MLA}, {KVB_KV_16BIT, KVB_KV_16BIT}};
    for (size_t i = 0; i < sizeof rows / sizeof rows[0]; i++) {
        (void)make_latent(&plan, R(24, 0), 120, true, 512);
        set(&plan, KVB_SET_KV_CACHE_DTYPE, rows[i].asked);
        struct kvb_context context = *resolved(&plan);
        if (rows[i].asked == KVB_KV_16BIT) { // which that backend does not take: nothing packs it
            assert_true(context.mla_backend.missing);
        } else {
            assert_int_equal(context.kv_dtype, rows[i].stored);
        }
    }
}

// arg_utils.py create_engine_config: the one window of a model that slides throughout is the cache's, and a head that
// drafts takes it: 33 layers of 16 x 8 x 256 x 2 B = 64 KiB in one group. Beside full layers the head is full.
static void windows_of_drafts(void **state)
{
    (void)state;
    for (unsigned named = 0; named < 2; named++) {
        make_llama_plan(&plan, R(19, 0));
        static struct kvb_model head;
        head = plan.model;
        head.layer_count = 1;
        plan.draft = named ? &head : NULL;
        plan.model.kinds[0].attention.kind = KVB_ATTENTION_SLIDING;
        plan.model.kinds[0].attention.window_tokens = 4096;
        set(&plan, KVB_SET_SPECULATIVE_METHOD, KVB_SPECULATIVE_EAGLE);
        set(&plan, KVB_SET_NUM_SPECULATIVE_TOKENS, 2);
        set(&plan, KVB_SET_KV_CACHE_MEMORY_BYTES, 8 * GIB);
        (void)answer_into(&plan, &budget);
        assert_int_equal(budget.kv.group_count, 1);
        assert_int_equal(budget.kv.num_blocks, 8 * GIB / (33 * 65536));
        plan.model.kind_count = 2;
        plan.model.kinds[1] = plan.model.kinds[0];
        plan.model.kinds[1].attention.window_tokens = 1024;
        plan.model.kind_of_layer[1] = 1;
        plan.draft = &head;
        (void)answer_into(&plan, &budget);
        assert_true(budget.kv.group_count > 2);
    }
    plan.draft = NULL;
}

// ---- States beside heads of 256

// A state of 33 heads x 128 x 128 x 2 B = 1,081,344 B; a token of 8 KV heads of 256 takes 2 x 8 x 256 x 2 B = 8 KiB,
// so that 132 tokens cover it: 144 in units of 16, 160 in units of 32. With heads of 128 there are 264: 272.
static void make_hybrid(uint32_t capability, uint32_t head_size, enum kvb_backend backend_asked)
{
    make_llama_plan(&plan, R(12, 0));
    plan.gpu.compute_capability = capability;
    plan.environment.attention_backend = backend_asked;
    plan.model.kind_count = 2;
    plan.model.kinds[1] = plan.model.kinds[0];
    plan.model.kinds[1].attention.head_size = head_size;
    plan.model.kinds[1].attention.value_head_size = head_size;
    plan.model.kinds[0].attention =
        (struct kvb_attention_shape){.kind = KVB_ATTENTION_LINEAR, .state_value_heads = 33, .state_value_size = 128};
    for (uint32_t i = 0; i < plan.model.layer_count; i += 2) {
        plan.model.kind_of_layer[i] = 1;
    }
}

// models/config.py v0.12.0 verify_and_update_config: FlashInfer on 10.x takes no block of 16 for heads of 256.
static void blocks_beside_a_state(void **state)
{
    (void)state;
    static const struct {
        uint32_t capability, head_size;
        enum kvb_backend backend;
        uint64_t block;
    } rows[] = {
        {100, 256, KVB_BACKEND_AUTO, 160}, {100, 256, KVB_BACKEND_FLASHINFER, 160}, {100, 256, KVB_BACKEND_TRITON, 144},
        {90, 256, KVB_BACKEND_AUTO, 144},  {100, 128, KVB_BACKEND_AUTO, 272},
    };
    for (size_t i = 0; i < sizeof rows / sizeof rows[0]; i++) {
        make_hybrid(rows[i].capability, rows[i].head_size, rows[i].backend);
        assert_int_equal(resolved(&plan)->block_tokens, rows[i].block);
    }
}

// The same for latents of 576 x 2 B a token: 939 tokens, in units of 64, or of CUTLASS's 128.
static void latents_beside_a_state(void **state)
{
    (void)state;
    static const struct {
        enum kvb_backend backend;
        uint64_t block;
    } rows[] = {{KVB_BACKEND_AUTO, 960}, {KVB_BACKEND_CUTLASS_MLA, 1024}};
    for (size_t i = 0; i < sizeof rows / sizeof rows[0]; i++) {
        make_hybrid(100, 128, rows[i].backend);
        plan.model.kinds[1].attention = (struct kvb_attention_shape){.kind = KVB_ATTENTION_MLA,
                                                                     .heads = 32,
                                                                     .latent_rank = 512,
                                                                     .nope_size = 128,
                                                                     .rope_size = 64,
                                                                     .head_size = 192,
                                                                     .value_head_size = 128};
        assert_int_equal(resolved(&plan)->block_tokens, rows[i].block);
    }
}

// platforms/interface.py v0.20.0 update_block_size_for_backend: a stage without attention leaves its states as they
// are. 33 heads x 128 x 128 x 2 B = 1,081,344 B do not divide 144 tokens x 8 KiB = 1,179,648 B; from 0.26 they are
// padded.
static void states_without_attention(void **state)
{
    (void)state;
    static const struct {
        uint32_t release;
        bool starts;
    } rows[] = {{R(19, 0), true}, {R(20, 0), false}, {R(25, 0), false}, {R(26, 0), true}};
    for (size_t i = 0; i < sizeof rows / sizeof rows[0]; i++) {
        make_hybrid(90, 256, KVB_BACKEND_AUTO);
        plan.engine.release = rows[i].release;
        for (uint32_t layer = 16; layer < 32; layer++) {
            plan.model.kind_of_layer[layer] = 0;
        }
        set(&plan, KVB_SET_PIPELINE_PARALLEL_SIZE, 2);
        set(&plan, KVB_SET_ENABLE_PREFIX_CACHING, 0);
        set(&plan, KVB_SET_KV_CACHE_MEMORY_BYTES, 8 * GIB);
        set(&plan, KVB_SET_MAX_NUM_SEQS, 64); // no more than there are blocks of states
        (void)answer_into(&plan, &budget);
        assert_int_equal(budget.starts, rows[i].starts);
        if (!rows[i].starts) {
            assert_non_null(strstr(budget.error, "page size"));
        }
    }
}

// ---- States alone

static void make_states(uint32_t release, enum kvb_attention kind, const char *architecture)
{
    make_llama_plan(&plan, release);
    plan.model.kinds[0].attention = (struct kvb_attention_shape){.kind = kind,
                                                                 .state_key_heads = 8,
                                                                 .state_key_size = 128,
                                                                 .state_value_heads = 128,
                                                                 .state_value_size = 64,
                                                                 .state_inner_size = 8192,
                                                                 .conv_kernel = 4};
    name_class(&plan, architecture);
    set(&plan, KVB_SET_ENABLE_PREFIX_CACHING, 1);
}

// models/config.py v0.11.1: prefixes of Mamba 1 and 2 are cached whole (SupportsMambaPrefixCaching), those of other
// states not at all; v0.15.0 aligns them.
static void prefixes_of_states(void **state)
{
    (void)state;
    static const struct {
        uint32_t release;
        enum kvb_attention kind;
        const char *architecture;
        bool caches;
        enum kvb_mamba_mode mode;
    } rows[] = {
        {R(11, 0), KVB_ATTENTION_MAMBA2, "Mamba2ForCausalLM", false, KVB_MAMBA_MODE_NONE},
        {R(11, 1), KVB_ATTENTION_MAMBA2, "Mamba2ForCausalLM", true, KVB_MAMBA_MODE_ALL},
        {R(11, 1), KVB_ATTENTION_GDN, "Qwen3NextForCausalLM", false, KVB_MAMBA_MODE_NONE},
        {R(15, 0), KVB_ATTENTION_GDN, "Qwen3NextForCausalLM", true, KVB_MAMBA_MODE_ALIGN},
        {R(15, 0), KVB_ATTENTION_MAMBA2, "Plamo2ForCausalLM", true, KVB_MAMBA_MODE_ALIGN},
        {R(15, 0), KVB_ATTENTION_MAMBA2, "Plamo3ForCausalLM", true, KVB_MAMBA_MODE_ALIGN},
        {R(15, 0), KVB_ATTENTION_MAMBA1, "MambaForCausalLM", true, KVB_MAMBA_MODE_ALL},
        {R(19, 0), KVB_ATTENTION_MAMBA2, "NemotronHForCausalLM", true, KVB_MAMBA_MODE_ALL},
    };
    for (size_t i = 0; i < sizeof rows / sizeof rows[0]; i++) {
        make_states(rows[i].release, rows[i].kind, rows[i].architecture);
        const struct kvb_context *context = resolved(&plan);
        assert_int_equal(context->prefix_caching, rows[i].caches);
        assert_int_equal(context->mamba_mode, rows[i].mode);
    }
}

// models/config.py MambaModelConfig: 0.20 and 0.21 align states that are drafted for, unless "all" was asked.
static void drafted_states(void **state)
{
    (void)state;
    static const struct {
        uint32_t release;
        enum kvb_mamba_mode asked, mode;
    } rows[] = {{R(19, 0), KVB_MAMBA_MODE_AUTO, KVB_MAMBA_MODE_ALL},
                {R(20, 0), KVB_MAMBA_MODE_AUTO, KVB_MAMBA_MODE_ALIGN},
                {R(21, 0), KVB_MAMBA_MODE_NONE, KVB_MAMBA_MODE_ALIGN},
                {R(21, 0), KVB_MAMBA_MODE_ALL, KVB_MAMBA_MODE_ALL},
                {R(22, 0), KVB_MAMBA_MODE_AUTO, KVB_MAMBA_MODE_ALL}};
    for (size_t i = 0; i < sizeof rows / sizeof rows[0]; i++) {
        make_states(rows[i].release, KVB_ATTENTION_MAMBA2, "NemotronHForCausalLM");
        set(&plan, KVB_SET_SPECULATIVE_METHOD, KVB_SPECULATIVE_MTP);
        set(&plan, KVB_SET_NUM_SPECULATIVE_TOKENS, 2);
        set(&plan, KVB_SET_MAMBA_CACHE_MODE, rows[i].asked);
        assert_int_equal(resolved(&plan)->mamba_mode, rows[i].mode);
    }
}

// compilation.py v0.20.0: graphs of whole decode steps need a block of state for each sequence.
static void blocks_of_state_for_graphs(void **state)
{
    (void)state;
    static const struct {
        bool set;
        enum kvb_graph_mode mode;
        uint64_t blocks;
    } rows[] = {{false, KVB_GRAPH_MODE_AUTO, 100},
                {true, KVB_GRAPH_MODE_FULL, 100},
                {true, KVB_GRAPH_MODE_NONE, 0},
                {true, KVB_GRAPH_MODE_PIECEWISE, 0}};
    for (size_t i = 0; i < sizeof rows / sizeof rows[0]; i++) {
        make_states(R(20, 0), KVB_ATTENTION_MAMBA2, "Mamba2ForCausalLM");
        set(&plan, KVB_SET_MAX_NUM_SEQS, 100);
        if (rows[i].set) {
            set(&plan, KVB_SET_CUDAGRAPH_MODE, rows[i].mode);
        }
        assert_int_equal(kvb_state_blocks_needed(resolved(&plan)), rows[i].blocks);
    }
    set(&plan, KVB_SET_CUDAGRAPH_MODE, KVB_GRAPH_MODE_FULL);
    plan.environment.use_v2_model_runner = KVB_YES; // asks it, too: gpu/model_runner.py v0.20.0:370
    assert_int_equal(kvb_state_blocks_needed(resolved(&plan)), 100);
    plan.environment.compile_disable = KVB_YES; // whole graphs need nothing compiled: config/vllm.py v0.20.0:974
    assert_int_equal(kvb_state_blocks_needed(resolved(&plan)), 100);
    unset(&plan, KVB_SET_CUDAGRAPH_MODE);
    assert_int_equal(kvb_state_blocks_needed(resolved(&plan)), 0);
    plan.environment.compile_disable = KVB_NO;
    assert_int_equal(kvb_state_blocks_needed(resolved(&plan)), 100);
    set(&plan, KVB_SET_ENFORCE_EAGER, 1);
    assert_int_equal(kvb_state_blocks_needed(resolved(&plan)), 0);
    unset(&plan, KVB_SET_ENFORCE_EAGER);
    make_llama_plan(&plan, R(20, 0)); // keeps none
    assert_int_equal(kvb_state_blocks_needed(resolved(&plan)), 0);
}

// causal_conv1d_update asserts it where validate_data is set: models/qwen3_next.py from v0.10.2 to v0.17.1,
// layers/kda.py from v0.11.1, never by Mamba 2. Graphs of decode steps have at most max_num_seqs tokens, in steps of 8
// (config/__init__.py v0.11.0:596) and from 256 of 16 later; 0.18 and 0.19 leave out those that are larger than the
// pool.
static void blocks_that_a_kernel_asserts(void **state)
{
    (void)state;
    static const struct {
        uint32_t release;
        enum kvb_attention kind;
        uint64_t sequences, blocks;
    } rows[] = {
        {R(10, 2), KVB_ATTENTION_GDN, 100, 0},   {R(11, 0), KVB_ATTENTION_GDN, 100, 96},
        {R(11, 0), KVB_ATTENTION_GDN, 300, 296}, {R(17, 1), KVB_ATTENTION_GDN, 8, 8},
        {R(17, 1), KVB_ATTENTION_GDN, 100, 96},  {R(17, 1), KVB_ATTENTION_KDA, 7, 4},
        {R(17, 1), KVB_ATTENTION_KDA, 3, 2},     {R(17, 1), KVB_ATTENTION_MAMBA2, 100, 0},
        {R(17, 1), KVB_ATTENTION_GDN, 300, 288}, {R(17, 1), KVB_ATTENTION_GDN, 1024, 512},
        {R(18, 0), KVB_ATTENTION_GDN, 100, 0},   {R(19, 1), KVB_ATTENTION_GDN, 100, 0},
        {R(20, 0), KVB_ATTENTION_GDN, 100, 100}, {R(27, 1), KVB_ATTENTION_MAMBA2, 100, 100},
    };
    for (size_t i = 0; i < sizeof rows / sizeof rows[0]; i++) {
        make_states(rows[i].release, rows[i].kind, "Qwen3NextForCausalLM");
        set(&plan, KVB_SET_MAX_NUM_SEQS, rows[i].sequences);
        assert_int_equal(kvb_state_blocks_needed(resolved(&plan)), rows[i].blocks);
    }
    make_states(R(10, 2), KVB_ATTENTION_GDN, "Qwen3NextForCausalLM"); // no whole graphs but asked for
    set(&plan, KVB_SET_MAX_NUM_SEQS, 100);
    set(&plan, KVB_SET_CUDAGRAPH_MODE, KVB_GRAPH_MODE_FULL);
    assert_int_equal(kvb_state_blocks_needed(resolved(&plan)), 96);
    make_states(R(17, 1), KVB_ATTENTION_GDN, "Qwen3NextForCausalLM");
    set(&plan, KVB_SET_MAX_NUM_SEQS, 27);
    assert_int_equal(kvb_state_blocks_needed(resolved(&plan)), 24);
    set(&plan, KVB_SET_PERFORMANCE_MODE,
        KVB_PERFORMANCE_INTERACTIVITY); // every size to 32: config/vllm.py v0.17.1:1407
    assert_int_equal(kvb_state_blocks_needed(resolved(&plan)), 27);
    make_states(R(16, 0), KVB_ATTENTION_GDN, "Qwen3NextForCausalLM");
    set(&plan, KVB_SET_MAX_NUM_SEQS, 100); // of 200 tokens, but no more requests: gpu/cudagraph_utils.py v0.16.0
    plan.environment.use_v2_model_runner = KVB_YES;
    assert_int_equal(kvb_state_blocks_needed(resolved(&plan)), 100);
}

// flashinfer.py get_cudagraph_support v0.20.0: several tokens of a request go into a graph of a whole step with
// TensorRT-LLM's kernels alone, which 10.x has; elsewhere graphs are piecewise and ask for nothing.
static void blocks_of_drafts(void **state)
{
    (void)state;
    static const struct {
        uint32_t release, capability;
        uint64_t blocks;
    } rows[] = {{R(20, 0), 120, 0}, {R(20, 0), 100, 100}, {R(20, 0), 90, 0}, {R(17, 1), 100, 0}};
    for (size_t i = 0; i < sizeof rows / sizeof rows[0]; i++) {
        make_states(rows[i].release, KVB_ATTENTION_GDN, "Qwen3NextForCausalLM");
        plan.gpu.compute_capability = rows[i].capability;
        plan.environment.attention_backend = KVB_BACKEND_FLASHINFER;
        set(&plan, KVB_SET_MAX_NUM_SEQS, 100);
        set(&plan, KVB_SET_SPECULATIVE_METHOD, KVB_SPECULATIVE_MTP);
        set(&plan, KVB_SET_NUM_SPECULATIVE_TOKENS, 2);
        assert_int_equal(kvb_state_blocks_needed(resolved(&plan)), rows[i].blocks);
    }
}

// ---- Refused

// models/config.py v0.16.0; config/vllm.py v0.17.0 to v0.26.0: blocks of 144 tokens, aligned to states, and steps.
static void aligned_states(void **state)
{
    (void)state;
    make_hybrid(90, 256, KVB_BACKEND_AUTO);
    plan.engine.release = R(16, 0);
    set(&plan, KVB_SET_ENABLE_PREFIX_CACHING, 1);
    set(&plan, KVB_SET_MAX_NUM_BATCHED_TOKENS, 144);
    says(kvb_kv_refused, &plan, NULL);
    set(&plan, KVB_SET_MAX_NUM_BATCHED_TOKENS, 143);
    says(kvb_kv_refused, &plan, "In Mamba cache align mode, block_size (144) must be <= max_num_batched_tokens (143).");
    plan.engine.release = R(27, 0);
    says(kvb_kv_refused, &plan, NULL);
    plan.engine.release = R(16, 0);
    set(&plan, KVB_SET_MAX_NUM_BATCHED_TOKENS, 144);
    set(&plan, KVB_SET_SPECULATIVE_METHOD, KVB_SPECULATIVE_NGRAM);
    says(kvb_kv_refused, &plan, "Mamba cache mode 'align' is currently not compatible with speculative decoding.");
    plan.engine.release = R(17, 0);
    says(kvb_kv_refused, &plan, NULL);
}

// v1/attention/backends v0.8.5 (8 is a choice, but no multiple of 16), v0.18.0 (any number is).
static void blocks_of_no_backend(void **state)
{
    (void)state;
    make_llama_plan(&plan, R(9, 0));
    set(&plan, KVB_SET_BLOCK_SIZE, 8);
    says(kvb_kv_refused, &plan, "Block size must be a multiple of 16.");
    set(&plan, KVB_SET_BLOCK_SIZE, 24);
    says(kvb_refusal_block, &plan, "argument --block-size: invalid choice: 24 (choose from 1, 8, 16, 32, 64, 128)");
    set(&plan, KVB_SET_BLOCK_SIZE, 64);
    says(kvb_refusal_block, &plan, NULL);
    plan.settings.values[KVB_SET_BLOCK_SIZE] = (struct kvb_setting_value){0};
    says(kvb_refusal_block, &plan, NULL);
    plan.environment.use_v1 = KVB_NO;
    set(&plan, KVB_SET_BLOCK_SIZE, 8);
    says(kvb_kv_refused, &plan, NULL);
    make_latent_plan(&plan, R(9, 0), 8192, 256);
    set(&plan, KVB_SET_BLOCK_SIZE, 8);
    says(kvb_kv_refused, &plan, NULL);
    make_states(R(9, 2), KVB_ATTENTION_MAMBA2, "Mamba2ForCausalLM");
    plan.environment.use_v1 = KVB_YES;
    set(&plan, KVB_SET_BLOCK_SIZE, 8);
    says(kvb_kv_refused, &plan, NULL);
    make_llama_plan(&plan, R(18, 0));
    set(&plan, KVB_SET_BLOCK_SIZE, 40);
    says(kvb_kv_refused, &plan, "No valid attention backend found for cuda with a block_size of 40");
    plan.environment.attention_backend = KVB_BACKEND_OTHER;
    says(kvb_kv_refused, &plan, NULL);
    make_latent_plan(&plan, R(18, 0), 8192, 256);
    plan.environment.attention_backend = KVB_BACKEND_OTHER;
    set(&plan, KVB_SET_BLOCK_SIZE, 40);
    says(kvb_kv_refused, &plan, NULL);
    make_states(R(18, 0), KVB_ATTENTION_MAMBA2, "Mamba2ForCausalLM");
    set(&plan, KVB_SET_BLOCK_SIZE, 40);
    says(kvb_kv_refused, &plan, NULL);
}

KVB_TEST_MAIN(cmocka_unit_test(latents_of_other_sizes), cmocka_unit_test(sixteen_bit_by_name),
              cmocka_unit_test(sparse_backends_on_data_centre_blackwell),
              cmocka_unit_test(blocks_that_latent_backends_force), cmocka_unit_test(packed_caches),
              cmocka_unit_test(blocks_beside_a_state), cmocka_unit_test(latents_beside_a_state),
              cmocka_unit_test(prefixes_of_states), cmocka_unit_test(drafted_states),
              cmocka_unit_test(windows_of_drafts), cmocka_unit_test(aligned_states),
              cmocka_unit_test(states_without_attention), cmocka_unit_test(blocks_of_state_for_graphs),
              cmocka_unit_test(blocks_that_a_kernel_asserts), cmocka_unit_test(blocks_of_drafts),
              cmocka_unit_test(blocks_of_no_backend))
