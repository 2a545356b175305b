// MLA backends by release, device and cache format: blocks, formats and refusals as vllm/platforms/cuda.py and
// v1/attention/backends/mla/* of each tag decide them.
#include "engines/vllm/kv_backend.h"
#include "unit/plans.h"
#include "unit/test.h"

static struct kvb_plan plan;
static struct kvb_budget budget;

struct backend_case {
    const char *what;
    uint32_t release, capability;
    enum kvb_kv_dtype asked;
    bool sparse;
    uint32_t nope, heads;
    uint64_t block; // --block-size; 0 = not given
    enum kvb_backend backend;
    enum kvb_kv_dtype stored;
    uint64_t block_tokens;
};

#define AUTO KVB_KV_AUTO
#define FP8 KVB_KV_FP8
#define E4M3 KVB_KV_FP8_E4M3
#define PACKED KVB_KV_FP8_DS_MLA
#define NONE KVB_BACKEND_AUTO

static const struct backend_case cases[] = {
    {"before anything was checked", R(10, 2), 90, AUTO, false, 128, 128, 0, NONE, AUTO, 64},
    {"Hopper forces 64", R(17, 1), 90, AUTO, false, 128, 128, 0, KVB_BACKEND_FLASH_ATTN_MLA, AUTO, 64},
    {"a multiple of 64 stays", R(11, 1), 90, AUTO, false, 128, 128, 128, KVB_BACKEND_FLASH_ATTN_MLA, AUTO, 128},
    {"no multiple before 0.11.1", R(11, 0), 90, AUTO, false, 128, 128, 128, NONE, AUTO, 64},
    {"Ampere keeps 16", R(17, 1), 80, AUTO, false, 128, 128, 0, KVB_BACKEND_TRITON_MLA, AUTO, 16},
    {"workstation Blackwell too", R(17, 1), 120, AUTO, false, 128, 128, 0, KVB_BACKEND_TRITON_MLA, AUTO, 16},
    {"CUTLASS on B200", R(14, 1), 100, AUTO, false, 128, 128, 0, KVB_BACKEND_CUTLASS_MLA, AUTO, 128},
    {"not on B300 before 0.13", R(12, 0), 103, AUTO, false, 128, 128, 0, KVB_BACKEND_CUTLASS_MLA, AUTO, 16},
    {"FlashInfer on B200", R(15, 0), 100, AUTO, false, 128, 128, 0, KVB_BACKEND_FLASHINFER_MLA, AUTO, 64},
    {"other heads on B200", R(17, 1), 100, AUTO, false, 192, 128, 0, KVB_BACKEND_CUTLASS_MLA, AUTO, 128},
    {"the same in 0.15", R(15, 0), 100, AUTO, false, 192, 128, 0, KVB_BACKEND_CUTLASS_MLA, AUTO, 128},
    {"heads of 64 in 0.15", R(15, 0), 100, AUTO, false, 64, 128, 0, KVB_BACKEND_CUTLASS_MLA, AUTO, 128},
    {"16 on Hopper from 0.18", R(18, 0), 90, AUTO, false, 128, 128, 0, KVB_BACKEND_FLASH_ATTN_MLA, AUTO, 16},
    {"fp8 takes FlashMLA", R(18, 0), 90, FP8, false, 128, 128, 0, KVB_BACKEND_FLASHMLA, FP8, 64},
    {"fp8_e4m3 too", R(27, 1), 90, E4M3, false, 128, 128, 0, KVB_BACKEND_FLASHMLA, FP8, 64},
    {"a block of 16 leaves Triton", R(27, 1), 90, FP8, false, 128, 128, 16, KVB_BACKEND_TRITON_MLA, FP8, 16},
    {"32 on B200", R(19, 0), 100, FP8, false, 192, 128, 0, KVB_BACKEND_FLASHINFER_MLA, FP8, 32},
    {"heads of 192 before", R(18, 0), 100, FP8, false, 192, 128, 0, KVB_BACKEND_CUTLASS_MLA, FP8, 128},
    {"fp8 on Ampere", R(25, 1), 80, FP8, false, 128, 128, 0, KVB_BACKEND_TRITON_MLA, FP8, 16},
    {"sparse, 16 bit", R(19, 0), 90, AUTO, true, 192, 64, 0, KVB_BACKEND_FLASHMLA_SPARSE, AUTO, 64},
    {"sparse, fp8 is packed", R(19, 0), 90, FP8, true, 192, 64, 0, KVB_BACKEND_FLASHMLA_SPARSE, PACKED, 64},
    {"sparse on FlashAttention", R(25, 0), 90, AUTO, true, 192, 64, 0, KVB_BACKEND_FLASH_ATTN_MLA_SPARSE, AUTO, 64},
    {"sparse on B200 from 0.13", R(13, 0), 100, AUTO, true, 128, 128, 0, KVB_BACKEND_FLASHMLA_SPARSE, AUTO, 64},
    {"sparse on B300 in 0.12", R(12, 0), 103, AUTO, true, 128, 128, 0, KVB_BACKEND_FLASHMLA_SPARSE, AUTO, 64},
    {"fp8 on Hopper in 0.10", R(10, 2), 90, FP8, false, 128, 128, 0, NONE, FP8, 64},
    {"fp8 on B200 in 0.10", R(10, 2), 100, FP8, false, 128, 128, 0, NONE, FP8, 128},
    {"sparse on B200, fp8", R(19, 0), 100, FP8, true, 128, 128, 0, KVB_BACKEND_FLASHINFER_MLA_SPARSE, FP8, 64},
    {"the same with many heads in 0.18", R(18, 0), 100, FP8, true, 128, 128, 0, KVB_BACKEND_FLASHMLA_SPARSE, PACKED,
     64},
    {"with few heads in 0.18", R(18, 0), 100, FP8, true, 128, 16, 0, KVB_BACKEND_FLASHINFER_MLA_SPARSE, FP8, 64},
    {"GLM-5 on B200 in 0.18", R(18, 0), 100, FP8, true, 192, 16, 0, KVB_BACKEND_FLASHMLA_SPARSE, PACKED, 64},
    {"sparse on SM120 packs always", R(24, 0), 120, AUTO, true, 192, 64, 0, KVB_BACKEND_FLASHINFER_MLA_SPARSE_SM120,
     PACKED, 64},
};

static void make_case(const struct backend_case *row)
{
    make_latent_plan(&plan, row->release, 8192, 256);
    struct kvb_attention_shape *shape = &plan.model.kinds[0].attention;
    set_gpu(&plan, "NVIDIA A100-SXM4-80GB", 80 * GIB, row->capability);
    shape->nope_size = row->nope;
    shape->heads = row->heads;
    shape->index_heads = row->sparse ? 32 : 0;
    shape->index_topk = row->sparse ? 2048 : 0;
    shape->index_head_size = 128;
    shape->has_indexer = row->sparse;
    set(&plan, KVB_SET_KV_CACHE_DTYPE, row->asked);
    if (row->block > 0) {
        set(&plan, KVB_SET_BLOCK_SIZE, row->block);
    }
}

static void backends(void **state)
{
    (void)state;
    for (size_t i = 0; i < sizeof cases / sizeof cases[0]; i++) {
        make_case(&cases[i]);
        const struct kvb_context *context = resolved(&plan);
        if (context->mla_backend.backend != cases[i].backend || context->kv_dtype != cases[i].stored ||
            context->block_tokens != cases[i].block_tokens || context->mla_backend.missing) {
            fail_msg("%s: backend %d, stores %d, blocks of %llu", cases[i].what, (int)context->mla_backend.backend,
                     (int)context->kv_dtype, (unsigned long long)context->block_tokens);
        }
    }
}

// interface.py v0.24.0: on B200 a stage that begins with a layer without an index of its own has blocks of 32, another
// of 64; on Hopper both have 64.
static void stages_that_share_an_index(void **state)
{
    (void)state;
    static const struct {
        uint32_t release, capability, stages;
        uint64_t block;
        bool starts;
    } rows[] = {{R(24, 0), 100, 2, 0, false},
                {R(24, 0), 100, 2, 64, true},
                {R(24, 0), 90, 2, 0, true},
                {R(22, 0), 100, 2, 0, true},
                {R(24, 0), 100, 1, 0, true}};
    for (size_t i = 0; i < sizeof rows / sizeof rows[0]; i++) {
        struct backend_case row = {
            "shared", rows[i].release, rows[i].capability, AUTO, true, 192, 16, rows[i].block, NONE, AUTO, 0};
        make_case(&row);
        plan.model.kind_count = 2;
        plan.model.kinds[1] = plan.model.kinds[0];
        plan.model.kinds[1].attention.has_indexer = false;
        for (uint32_t layer = 16; layer < plan.model.layer_count; layer++) {
            plan.model.kind_of_layer[layer] = 1;
        }
        set(&plan, KVB_SET_PIPELINE_PARALLEL_SIZE, rows[i].stages);
        set(&plan, KVB_SET_KV_CACHE_MEMORY_BYTES, 40 * GIB);
        (void)answer_into(&plan, &budget);
        if (budget.starts != rows[i].starts) {
            fail_msg("row %zu: %s", i, budget.error);
        }
    }
}

struct refusal_case {
    struct backend_case plan;
    const char *error; // the beginning
};

static const struct refusal_case refusals[] = {
    {{"sparse on Ampere", R(19, 0), 80, AUTO, true, 128, 64, 0, NONE, AUTO, 0},
     "No valid attention backend found for cuda with AttentionSelectorConfig(head_size=576, dtype=torch.bfloat16, "
     "kv_cache_dtype=auto"},
    {{"sparse with fp8_e4m3 on Hopper", R(27, 1), 90, E4M3, true, 128, 64, 0, NONE, AUTO, 0},
     "No valid attention backend found for cuda with AttentionSelectorConfig(head_size=576, dtype=torch.bfloat16, "
     "kv_cache_dtype=fp8_e4m3"},
    {{"fp8 of another sparse class to 0.17", R(17, 1), 90, FP8, true, 192, 64, 0, NONE, AUTO, 0},
     "No valid attention backend found for cuda with AttentionSelectorConfig(head_size=576, dtype=torch.bfloat16, "
     "kv_cache_dtype=fp8"},
    {{"fp8 on Ampere to 0.17", R(12, 0), 86, FP8, false, 128, 16, 0, NONE, AUTO, 0},
     "No valid attention backend found for cuda with head_size: 576, dtype: torch.bfloat16, kv_cache_dtype: fp8"},
    {{"fp8 on Ampere from 0.26", R(26, 0), 80, FP8, false, 128, 16, 0, NONE, AUTO, 0},
     "FP8 KV cache is not supported by the Triton MLA backend on NVIDIA A100-SXM4-80GB (compute capability 8.0); "
     "native FP8 (fp8e4nv) requires SM89+. Re-run with --kv-cache-dtype bfloat16."},
    {{"fp8 on Turing", R(26, 0), 75, FP8, false, 128, 16, 0, NONE, AUTO, 0},
     "FP8 KV cache is not supported by the Triton MLA backend on NVIDIA A100-SXM4-80GB (compute capability 7.5); "
     "native FP8 (fp8e4nv) requires SM89+. Re-run with --kv-cache-dtype float16."},
    // check_and_update_config set the backend of B200 itself, and asked no other:
    // github.com/vllm-project/vllm/issues/30214
    {{"sparse on B200 in 0.12", R(12, 0), 100, AUTO, true, 128, 128, 0, NONE, AUTO, 0},
     "Selected backend AttentionBackendEnum.CUTLASS_MLA is not valid for this configuration."},
    {{"packed without an index on B300", R(14, 1), 103, PACKED, false, 128, 128, 0, NONE, AUTO, 0},
     "Selected backend AttentionBackendEnum.CUTLASS_MLA is not valid for this configuration."},
    {{"packed without an index on B200 in 0.15", R(15, 0), 100, PACKED, false, 128, 128, 0, NONE, AUTO, 0},
     "Selected backend AttentionBackendEnum.FLASHINFER_MLA is not valid for this configuration."},
    {{"packed, other heads in 0.15", R(15, 0), 100, PACKED, false, 192, 128, 0, NONE, AUTO, 0},
     "No valid attention backend found for cuda with AttentionSelectorConfig(head_size=576, dtype=torch.bfloat16, "
     "kv_cache_dtype=fp8_ds_mla"},
    {{"fp8 on Ampere in 0.10", R(10, 2), 80, FP8, false, 128, 128, 0, NONE, AUTO, 0},
     "TritonMLA V1 with FP8 KV cache not yet supported"},
    {{"an index of 32", R(19, 0), 100, FP8, true, 128, 128, 32, NONE, AUTO, 0}, "No common block size for 32. "},
    {{"int8 with MLA", R(22, 0), 90, KVB_KV_INT8_PER_TOKEN_HEAD, false, 128, 16, 0, NONE, AUTO, 0},
     "No valid attention backend found for cuda with AttentionSelectorConfig(head_size=576, dtype=torch.bfloat16, "
     "kv_cache_dtype=int8_per_token_head"},
};

static void refused(void **state)
{
    (void)state;
    for (size_t i = 0; i < sizeof refusals / sizeof refusals[0]; i++) {
        make_case(&refusals[i].plan);
        (void)answer_into(&plan, &budget);
        if (budget.starts || strcmp(budget.error, refusals[i].error) != 0) {
            fail_msg("%s: %s", refusals[i].plan.what, budget.starts ? "starts" : budget.error);
        }
        assert_int_equal(budget.verdict, KVB_DOES_NOT_FIT);
    }
}

static void a_backend_asked_for(void **state)
{
    (void)state;
    // A backend kvbudget does not know is taken at its word; sparse fp8 is packed: 341,504 tokens of a public log
    // are 61,464 B each = 78 x (656 + 132).
    struct backend_case own = {"its own", R(20, 2), 120, FP8, true, 192, 64, 0, NONE, PACKED, 64};
    make_case(&own);
    set(&plan, KVB_SET_ATTENTION_BACKEND, KVB_BACKEND_OTHER);
    assert_int_equal(resolved(&plan)->kv_dtype, PACKED);
    assert_false(resolved(&plan)->mla_backend.missing);
    make_case(&cases[0]);
    plan.engine.release = R(27, 1);
    set(&plan, KVB_SET_ATTENTION_BACKEND, KVB_BACKEND_FLASHMLA);
    assert_int_equal(resolved(&plan)->block_tokens, 64);
    plan.gpu.compute_capability = 80;
    (void)answer_into(&plan, &budget);
    assert_false(budget.starts);
    assert_string_equal(budget.error,
                        "Selected backend AttentionBackendEnum.FLASHMLA is not valid for this configuration.");
    unset(&plan, KVB_SET_ATTENTION_BACKEND);
    plan.environment.attention_backend = KVB_BACKEND_TRITON_MLA;
    assert_int_equal(kvb_backend_asked(resolved(&plan)), KVB_BACKEND_TRITON_MLA);
    assert_int_equal(resolved(&plan)->block_tokens, 16);
}

// What a checkpoint declares: ModelOpt's fp8 from 0.14, its nvfp4 from 0.20, both in the place of "auto" alone;
// kv_cache_scheme of compressed-tensors from 0.15, over everything until 0.21, and not with MLA.
static void declared(void **state)
{
    (void)state;
    static const struct {
        enum kvb_declared_cache declared;
        uint32_t release;
        enum kvb_kv_dtype asked, word, stored;
    } rows[] = {
        {KVB_DECLARED_FP8, R(13, 0), AUTO, AUTO, AUTO},
        {KVB_DECLARED_FP8, R(14, 0), AUTO, E4M3, FP8},
        {KVB_DECLARED_FP8, R(14, 0), KVB_KV_16BIT, KVB_KV_16BIT, KVB_KV_16BIT},
        {KVB_DECLARED_NVFP4, R(19, 0), AUTO, AUTO, AUTO},
        {KVB_DECLARED_NVFP4, R(20, 0), AUTO, KVB_KV_NVFP4, KVB_KV_NVFP4},
        {KVB_DECLARED_SCHEME, R(14, 1), AUTO, AUTO, AUTO},
        {KVB_DECLARED_SCHEME, R(15, 0), AUTO, FP8, FP8},
        {KVB_DECLARED_SCHEME, R(21, 0), KVB_KV_16BIT, FP8, FP8},
        {KVB_DECLARED_SCHEME, R(22, 0), KVB_KV_16BIT, KVB_KV_16BIT, KVB_KV_16BIT},
        {KVB_DECLARED_SCHEME, R(22, 0), AUTO, FP8, FP8},
    };
    for (size_t i = 0; i < sizeof rows / sizeof rows[0]; i++) {
        make_llama_plan(&plan, rows[i].release);
        plan.model.quantisation.cache = rows[i].declared;
        set(&plan, KVB_SET_KV_CACHE_DTYPE, rows[i].asked);
        assert_int_equal(resolved(&plan)->kv_word, rows[i].word);
        assert_int_equal(resolved(&plan)->kv_dtype, rows[i].stored);
    }
    make_latent_plan(&plan, R(22, 0), 8192, 256);
    plan.model.quantisation.cache = KVB_DECLARED_SCHEME;
    assert_int_equal(resolved(&plan)->kv_dtype, AUTO);
}

// ModelOpt's separate file with an algorithm the engine does not know, from 0.10.1.
static void unknown_algorithm(void **state)
{
    (void)state;
    make_llama_plan(&plan, R(10, 1));
    plan.model.quantisation.unknown_algorithm = true;
    (void)answer_into(&plan, &budget);
    assert_false(budget.starts);
    assert_string_equal(budget.error, "Unknown ModelOpt quant algo: MIXED_PRECISION");
    plan.engine.release = R(10, 0);
    (void)answer_into(&plan, &budget);
    assert_true(budget.starts);
}

// DeepSeek V3.2's own class to 0.17: fp8 is packed, in 0.11 "auto" as well, and bfloat16 means auto.
static void the_class_of_v32(void **state)
{
    (void)state;
    static const struct {
        uint32_t release;
        enum kvb_kv_dtype asked, word;
    } rows[] = {{R(11, 2), AUTO, PACKED},       {R(12, 0), AUTO, AUTO},   {R(12, 0), FP8, PACKED},
                {R(12, 0), KVB_KV_16BIT, AUTO}, {R(17, 1), E4M3, PACKED}, {R(18, 0), FP8, FP8},
                {R(18, 0), KVB_KV_16BIT, AUTO}};
    for (size_t i = 0; i < sizeof rows / sizeof rows[0]; i++) {
        struct backend_case row = {"V3.2", rows[i].release, 90, rows[i].asked, true, 128, 128, 0, NONE, AUTO, 0};
        make_case(&row);
        (void)strcpy(plan.model.architecture, "DeepseekV32ForCausalLM");
        assert_int_equal(resolved(&plan)->kv_word, rows[i].word);
        assert_false(resolved(&plan)->mla_backend.missing);
    }
}

// Words and blocks that a release's argparse does not list, blocks that no attention backend takes, ranks that do not
// divide; and a stated cache larger than the card: 40 GiB beside 15 GiB of weights on 22 GiB.
static void flags_refused(void **state)
{
    (void)state;
    static const struct {
        uint32_t release;
        enum kvb_setting setting;
        uint64_t number;
        const char *error; // "": starts
    } rows[] = {
        {R(24, 0), KVB_SET_KV_CACHE_DTYPE, KVB_KV_INT4_PER_TOKEN_HEAD,
         "argument --kv-cache-dtype: invalid choice: 'int4_per_token_head'"},
        {R(25, 0), KVB_SET_KV_CACHE_DTYPE, KVB_KV_INT4_PER_TOKEN_HEAD, ""},
        {R(19, 1), KVB_SET_KV_CACHE_DTYPE, KVB_KV_NVFP4, "argument --kv-cache-dtype: invalid choice: 'nvfp4'"},
        {R(10, 2), KVB_SET_KV_CACHE_DTYPE, KVB_KV_16BIT, "argument --kv-cache-dtype: invalid choice: 'bfloat16'"},
        {R(17, 1), KVB_SET_BLOCK_SIZE, 7,
         "argument --block-size: invalid choice: 7 (choose from 1, 8, 16, 32, 64, 128, 256)"},
        {R(8, 4), KVB_SET_BLOCK_SIZE, 1, "argument --block-size: invalid choice: 1 (choose from 8, 16, 32, 64, 128)"},
        {R(6, 5), KVB_SET_BLOCK_SIZE, 64, "argument --block-size: invalid choice: 64 (choose from 8, 16, 32)"},
        {R(17, 1), KVB_SET_BLOCK_SIZE, 8, "Block size must be a multiple of 16."},
        {R(17, 1), KVB_SET_BLOCK_SIZE, 256, ""},
        {R(18, 0), KVB_SET_BLOCK_SIZE, 7, "No valid attention backend found for cuda with a block_size of 7"},
        {R(18, 0), KVB_SET_BLOCK_SIZE, 48, ""},
    };
    for (size_t i = 0; i < sizeof rows / sizeof rows[0]; i++) {
        make_llama_plan(&plan, rows[i].release);
        set(&plan, rows[i].setting, rows[i].number);
        (void)answer_into(&plan, &budget);
        assert_string_equal(budget.error, rows[i].error);
        assert_true(budget.starts == (rows[i].error[0] == '\0'));
    }
    make_llama_plan(&plan, R(17, 1)); // a block that is taken leaves the error of the memory as it is
    set(&plan, KVB_SET_BLOCK_SIZE, 64);
    set(&plan, KVB_SET_KV_CACHE_MEMORY_BYTES, 64 * MIB);
    (void)answer_into(&plan, &budget);
    assert_false(budget.starts);
    assert_int_equal(strncmp(budget.error, "To serve at least one request", 29), 0);
    make_latent_plan(&plan, R(25, 1), 8192, 256);
    set(&plan, KVB_SET_DECODE_CONTEXT_PARALLEL_SIZE, 1000);
    (void)answer_into(&plan, &budget);
    assert_string_equal(budget.error, "tp_size=1 must be divisible bydcp_size=1000.");
    plan.engine.release = R(26, 0);
    (void)answer_into(&plan, &budget);
    assert_string_equal(budget.error, "tp_size=1 must be divisible by dcp_size=1000.");
    make_llama_plan(&plan, R(27, 1));
    set_gpu(&plan, "NVIDIA L4", 22 * GIB, 89);
    set(&plan, KVB_SET_KV_CACHE_MEMORY_BYTES, 40 * GIB);
    (void)answer_into(&plan, &budget);
    assert_false(budget.starts);
    assert_string_equal(budget.error, "torch.OutOfMemoryError: CUDA out of memory.");
    set(&plan, KVB_SET_KV_CACHE_MEMORY_BYTES, 4 * GIB);
    (void)answer_into(&plan, &budget);
    assert_true(budget.starts);
}

// v1/attention/backends/mla/tokenspeed_mla.py v0.24.0: fp8 on 10.x, 128 without position, 64 with and values of 128 (of
// which what is said of the dtype is read here); who asks for it gets it or no start.
static void tokenspeed(void **state)
{
    (void)state;
    static const struct {
        uint32_t nope, rope, value;
        enum kvb_dtype_word dtype;
        bool takes;
    } rows[] = {{128, 64, 128, KVB_DTYPE_WORD_BF16, true},
                {128, 64, 128, KVB_DTYPE_WORD_FP32, false},
                {128, 32, 128, KVB_DTYPE_WORD_BF16, false},
                {128, 64, 64, KVB_DTYPE_WORD_BF16, false},
                {192, 64, 128, KVB_DTYPE_WORD_BF16, false}};
    for (size_t i = 0; i < sizeof rows / sizeof rows[0]; i++) {
        struct backend_case row = {"asked", R(24, 0), 100, FP8, false, rows[i].nope, 128, 0, NONE, FP8, 0};
        make_case(&row);
        plan.model.kinds[0].attention.rope_size = rows[i].rope;
        plan.model.kinds[0].attention.value_head_size = rows[i].value;
        set(&plan, KVB_SET_DTYPE, rows[i].dtype);
        set(&plan, KVB_SET_ATTENTION_BACKEND, KVB_BACKEND_TOKENSPEED_MLA);
        set(&plan, KVB_SET_KV_CACHE_MEMORY_BYTES, 4 * GIB);
        (void)answer_into(&plan, &budget);
        if (budget.starts != rows[i].takes) {
            fail_msg("row %zu: %s", i, budget.error);
        }
    }
}

KVB_TEST_MAIN(cmocka_unit_test(tokenspeed), cmocka_unit_test(flags_refused), cmocka_unit_test(backends),
              cmocka_unit_test(stages_that_share_an_index), cmocka_unit_test(refused),
              cmocka_unit_test(a_backend_asked_for), cmocka_unit_test(declared), cmocka_unit_test(unknown_algorithm),
              cmocka_unit_test(the_class_of_v32))
