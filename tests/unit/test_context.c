// How a plan becomes plain numbers: dtypes, cache formats, hybrid manager, drafts, runners, prefix caching.
#include "unit/plans.h"
#include "unit/test.h"

static struct kvb_plan plan;

// auto keeps 16-bit checkpoints and casts 32-bit ones to fp16.
static void dtypes(void **state)
{
    (void)state;
    static const struct {
        enum kvb_dtype checkpoint;
        enum kvb_dtype_word asked;
        enum kvb_dtype wanted;
        enum kvb_dtype_word word; // as the answer says it
    } rows[] = {
        {KVB_DTYPE_BF16, KVB_DTYPE_AUTO, KVB_DTYPE_BF16, KVB_DTYPE_WORD_BF16},
        {KVB_DTYPE_FP16, KVB_DTYPE_AUTO, KVB_DTYPE_FP16, KVB_DTYPE_WORD_FP16},
        {KVB_DTYPE_FP32, KVB_DTYPE_AUTO, KVB_DTYPE_BF16, KVB_DTYPE_WORD_BF16},
        {KVB_DTYPE_FP16, KVB_DTYPE_WORD_BF16, KVB_DTYPE_BF16, KVB_DTYPE_WORD_BF16},
        {KVB_DTYPE_BF16, KVB_DTYPE_WORD_FP16, KVB_DTYPE_FP16, KVB_DTYPE_WORD_FP16},
        {KVB_DTYPE_BF16, KVB_DTYPE_WORD_FP32, KVB_DTYPE_FP32, KVB_DTYPE_WORD_FP32},
    };
    for (size_t i = 0; i < sizeof rows / sizeof rows[0]; i++) {
        make_llama_plan(&plan, R(19, 0));
        plan.model.dtype = rows[i].checkpoint;
        set(&plan, KVB_SET_DTYPE, rows[i].asked);
        assert_int_equal(resolved(&plan)->dtype, rows[i].wanted);
        assert_int_equal(resolved(&plan)->settings.values[KVB_SET_DTYPE].number, rows[i].word);
    }
}

// A checkpoint that declares an fp8 cache gets one from 0.14 on, unless something else is asked for.
static void declared_cache_format(void **state)
{
    (void)state;
    make_llama_plan(&plan, R(14, 0));
    plan.model.quantisation.cache = KVB_DECLARED_FP8;
    assert_int_equal(resolved(&plan)->kv_dtype, KVB_KV_FP8);
    set(&plan, KVB_SET_KV_CACHE_DTYPE, KVB_KV_16BIT);
    assert_int_equal(resolved(&plan)->kv_dtype, KVB_KV_16BIT);
    make_llama_plan(&plan, R(13, 0));
    plan.model.quantisation.cache = KVB_DECLARED_FP8;
    assert_int_equal(resolved(&plan)->kv_dtype, KVB_KV_AUTO);
}

static void make_chunked(uint32_t release)
{
    static const struct shape shape = {"Llama-4-Scout", 48, 40, 8, 128, 8192, 4, 3, KVB_ATTENTION_CHUNKED, 131072};
    make_llama_plan(&plan, release);
    make_model(&shape, &plan.model);
}

static void hybrid_manager(void **state)
{
    (void)state;
    make_llama_plan(&plan, R(19, 0));
    assert_false(resolved(&plan)->hybrid_off);
    set(&plan, KVB_SET_DISABLE_HYBRID_KV_CACHE_MANAGER, 1);
    assert_string_equal(resolved(&plan)->hybrid_off_why, "--disable-hybrid-kv-cache-manager");
    make_llama_plan(&plan, R(22, 0));
    set(&plan, KVB_SET_KV_TRANSFER, 1);
    assert_string_equal(resolved(&plan)->hybrid_off_why, "a KV connector is configured");
    plan.engine.release = R(23, 0); // connectors that know groups
    assert_false(resolved(&plan)->hybrid_off);
    make_chunked(R(10, 1));
    assert_string_equal(resolved(&plan)->hybrid_off_why, "chunked local attention runs without it in this release");
    plan.environment.allow_chunked_local_hybrid = KVB_YES;
    assert_false(resolved(&plan)->hybrid_off);
    make_chunked(R(10, 0));
    assert_false(resolved(&plan)->hybrid_off);
}

// Async scheduling: on from 0.14 with one stage, from 0.15 with several; EAGLE, MTP, DFlash and DSpark
// go with it, draft models from 0.28, others not. What pools stays in step from 0.20. Source: config/vllm.py.
static void async_scheduling(void **state)
{
    (void)state;
    static const struct {
        uint32_t release;
        uint64_t pp;
        enum kvb_speculative draft;
        bool pools, on;
    } rows[] = {
        {R(13, 0), 1, KVB_SPECULATIVE_NONE, false, false},
        {R(14, 0), 1, KVB_SPECULATIVE_NONE, false, true},
        {R(14, 0), 2, KVB_SPECULATIVE_NONE, false, false},
        {R(15, 0), 2, KVB_SPECULATIVE_NONE, false, true},
        {R(19, 0), 1, KVB_SPECULATIVE_EAGLE, false, true},
        {R(19, 0), 1, KVB_SPECULATIVE_MTP, false, true},
        {R(19, 0), 1, KVB_SPECULATIVE_NGRAM, false, false},
        {R(20, 0), 1, KVB_SPECULATIVE_NONE, true, false},
        {R(19, 1), 1, KVB_SPECULATIVE_NONE, true, true},
        {R(20, 0), 1, KVB_SPECULATIVE_DFLASH, false, true},
        {R(25, 0), 1, KVB_SPECULATIVE_DSPARK, false, true},
        {R(28, 0), 1, KVB_SPECULATIVE_DRAFT_MODEL, false, true},
        {R(27, 1), 1, KVB_SPECULATIVE_DRAFT_MODEL, false, false},
    };
    for (size_t i = 0; i < sizeof rows / sizeof rows[0]; i++) {
        make_llama_plan(&plan, rows[i].release);
        set(&plan, KVB_SET_RUNNER, rows[i].pools ? KVB_RUNNER_POOLING : KVB_RUNNER_AUTO);
        set(&plan, KVB_SET_PIPELINE_PARALLEL_SIZE, rows[i].pp);
        set(&plan, KVB_SET_SPECULATIVE_METHOD, rows[i].draft);
        assert_int_equal(resolved(&plan)->async_scheduling, rows[i].on);
    }
    make_llama_plan(&plan, R(19, 0));
    set(&plan, KVB_SET_ASYNC_SCHEDULING, 0);
    assert_false(resolved(&plan)->async_scheduling);
    set(&plan, KVB_SET_SPECULATIVE_METHOD, KVB_SPECULATIVE_EAGLE);
    assert_int_equal(resolved(&plan)->speculative_tokens, 1);
    set(&plan, KVB_SET_NUM_SPECULATIVE_TOKENS, 5);
    assert_int_equal(resolved(&plan)->speculative_tokens, 5);
}

// A size of 0 counts as 1; a release beyond the newest is answered by the newest.
static void sizes_and_releases(void **state)
{
    (void)state;
    make_llama_plan(&plan, R(40, 0));
    set(&plan, KVB_SET_TENSOR_PARALLEL_SIZE, 0);
    const struct kvb_context *context = resolved(&plan);
    assert_int_equal(context->tp, 1);
    assert_int_equal(context->release, KVB_PARTLY_VLLM);
    unset(&plan, KVB_SET_MAX_MODEL_LEN);
    assert_int_equal(resolved(&plan)->max_model_len, 131072);
    assert_false(resolved(&plan)->auto_length);
    set(&plan, KVB_SET_MAX_MODEL_LEN, KVB_AUTO);
    assert_int_equal(resolved(&plan)->max_model_len, 131072);
    assert_true(resolved(&plan)->auto_length);
    unset(&plan, KVB_SET_GPU_MEMORY_UTILIZATION);
    assert_int_equal(resolved(&plan)->utilization_ppm, 920000);
    plan.engine.release = R(19, 0);
    assert_int_equal(resolved(&plan)->utilization_ppm, 900000);
}

// State layers: no prefix caching unless asked; then Mamba2 keeps all blocks, others align them.
static void mamba_modes(void **state)
{
    (void)state;
    static const struct {
        enum kvb_attention kind;
        bool caching;
        enum kvb_mamba_mode asked, wanted;
    } rows[] = {
        {KVB_ATTENTION_FULL, true, KVB_MAMBA_MODE_ALL, KVB_MAMBA_MODE_NONE},
        {KVB_ATTENTION_MAMBA2, false, KVB_MAMBA_MODE_ALL, KVB_MAMBA_MODE_NONE},
        {KVB_ATTENTION_MAMBA2, true, KVB_MAMBA_MODE_AUTO, KVB_MAMBA_MODE_ALL},
        {KVB_ATTENTION_GDN, true, KVB_MAMBA_MODE_AUTO, KVB_MAMBA_MODE_ALIGN},
        {KVB_ATTENTION_GDN, true, KVB_MAMBA_MODE_ALL, KVB_MAMBA_MODE_ALIGN}, // not what its class can
        {KVB_ATTENTION_MAMBA1, true, KVB_MAMBA_MODE_AUTO, KVB_MAMBA_MODE_ALL},
        {KVB_ATTENTION_MAMBA2, true, KVB_MAMBA_MODE_ALIGN, KVB_MAMBA_MODE_ALIGN},
    };
    for (size_t i = 0; i < sizeof rows / sizeof rows[0]; i++) {
        make_llama_plan(&plan, R(19, 0));
        plan.model.kinds[0].attention.kind = rows[i].kind;
        plan.model.kinds[0].attention.conv_kernel = 4;
        set(&plan, KVB_SET_ENABLE_PREFIX_CACHING, rows[i].caching);
        set(&plan, KVB_SET_MAMBA_CACHE_MODE, rows[i].asked);
        assert_int_equal(resolved(&plan)->mamba_mode, rows[i].wanted);
    }
    make_llama_plan(&plan, R(19, 0));
    assert_true(resolved(&plan)->prefix_caching);
    plan.model.pooling = true;
    assert_false(resolved(&plan)->prefix_caching);
    make_llama_plan(&plan, R(7, 3));
    assert_false(resolved(&plan)->prefix_caching);
}

// models/config.py MambaModelConfig: v0.20.0 and v0.21.0 align what is drafted for where nothing was asked, v0.28.0
// all. To v0.11.0 prefixes of states are not cached, to v0.14 those of Mamba alone (v0.14.0
// supports_mamba_prefix_caching).
static void mamba_modes_by_release(void **state)
{
    (void)state;
    static const struct {
        uint32_t release;
        enum kvb_attention kind;
        enum kvb_speculative draft;
        enum kvb_mamba_mode asked, wanted;
    } rows[] = {
        {R(11, 0), KVB_ATTENTION_MAMBA2, KVB_SPECULATIVE_NONE, KVB_MAMBA_MODE_AUTO, KVB_MAMBA_MODE_NONE},
        {R(11, 1), KVB_ATTENTION_MAMBA2, KVB_SPECULATIVE_NONE, KVB_MAMBA_MODE_AUTO, KVB_MAMBA_MODE_ALL},
        {R(14, 1), KVB_ATTENTION_MAMBA2, KVB_SPECULATIVE_NONE, KVB_MAMBA_MODE_AUTO, KVB_MAMBA_MODE_ALL},
        {R(14, 1), KVB_ATTENTION_GDN, KVB_SPECULATIVE_NONE, KVB_MAMBA_MODE_AUTO, KVB_MAMBA_MODE_NONE},
        {R(15, 0), KVB_ATTENTION_GDN, KVB_SPECULATIVE_NONE, KVB_MAMBA_MODE_AUTO, KVB_MAMBA_MODE_ALIGN},
        {R(19, 1), KVB_ATTENTION_MAMBA2, KVB_SPECULATIVE_MTP, KVB_MAMBA_MODE_AUTO, KVB_MAMBA_MODE_ALL},
        {R(20, 0), KVB_ATTENTION_MAMBA2, KVB_SPECULATIVE_MTP, KVB_MAMBA_MODE_AUTO, KVB_MAMBA_MODE_ALIGN},
        {R(20, 0), KVB_ATTENTION_MAMBA2, KVB_SPECULATIVE_NONE, KVB_MAMBA_MODE_AUTO, KVB_MAMBA_MODE_ALL},
        {R(20, 0), KVB_ATTENTION_MAMBA2, KVB_SPECULATIVE_MTP, KVB_MAMBA_MODE_ALL, KVB_MAMBA_MODE_ALL},
        {R(21, 0), KVB_ATTENTION_MAMBA2, KVB_SPECULATIVE_MTP, KVB_MAMBA_MODE_AUTO, KVB_MAMBA_MODE_ALIGN},
        {R(22, 0), KVB_ATTENTION_MAMBA2, KVB_SPECULATIVE_MTP, KVB_MAMBA_MODE_AUTO, KVB_MAMBA_MODE_ALL},
        {R(28, 0), KVB_ATTENTION_MAMBA2, KVB_SPECULATIVE_NONE, KVB_MAMBA_MODE_AUTO, KVB_MAMBA_MODE_ALIGN},
        {R(28, 0), KVB_ATTENTION_MAMBA2, KVB_SPECULATIVE_NONE, KVB_MAMBA_MODE_ALL, KVB_MAMBA_MODE_ALL},
    };
    for (size_t i = 0; i < sizeof rows / sizeof rows[0]; i++) {
        make_llama_plan(&plan, rows[i].release);
        plan.model.kinds[0].attention.kind = rows[i].kind;
        plan.model.kinds[0].attention.conv_kernel = 4;
        set(&plan, KVB_SET_ENABLE_PREFIX_CACHING, 1);
        set(&plan, KVB_SET_MAMBA_CACHE_MODE, rows[i].asked);
        set(&plan, KVB_SET_SPECULATIVE_METHOD, rows[i].draft);
        const struct kvb_context *context = resolved(&plan);
        if (context->mamba_mode != rows[i].wanted ||
            context->prefix_caching != (rows[i].wanted != KVB_MAMBA_MODE_NONE)) {
            fail_msg("row %zu: mode %d", i, (int)context->mamba_mode);
        }
    }
}

struct runner_row {
    const char *what;
    uint32_t release;
    const char *architecture;
    enum kvb_quantisation_method method;
    enum kvb_mlp mlp;
    enum kvb_attention kind;
    bool pooling;
    uint8_t asked;
    bool v2;
};

// Runner V2: Qwen3 from 0.22, Llama and Mistral from 0.23, quantised ones and some experts from 0.24, dense
// text models from 0.25.
static void runner_v2(void **state)
{
    (void)state;
    static const struct runner_row rows[] = {
        {"0.21", R(21, 0), "Qwen3ForCausalLM", KVB_QUANT_NONE, KVB_MLP_GATED, KVB_ATTENTION_FULL, false, 0, false},
        {"asked", R(18, 0), "OtherForCausalLM", KVB_QUANT_NONE, KVB_MLP_GATED, KVB_ATTENTION_FULL, false, KVB_YES,
         true},
        {"Qwen3", R(22, 0), "Qwen3ForCausalLM", KVB_QUANT_NONE, KVB_MLP_GATED, KVB_ATTENTION_FULL, false, 0, true},
        {"Qwen3 fp8", R(22, 0), "Qwen3ForCausalLM", KVB_QUANT_FP8, KVB_MLP_GATED, KVB_ATTENTION_FULL, false, 0, false},
        {"Llama early", R(22, 0), "LlamaForCausalLM", KVB_QUANT_NONE, KVB_MLP_GATED, KVB_ATTENTION_FULL, false, 0,
         false},
        {"Llama", R(23, 0), "LlamaForCausalLM", KVB_QUANT_NONE, KVB_MLP_GATED, KVB_ATTENTION_FULL, false, 0, true},
        {"Llama fp8", R(24, 0), "LlamaForCausalLM", KVB_QUANT_FP8, KVB_MLP_GATED, KVB_ATTENTION_FULL, false, 0, true},
        {"Qwen2-MoE", R(24, 0), "Qwen2MoeForCausalLM", KVB_QUANT_NONE, KVB_MLP_MOE, KVB_ATTENTION_FULL, false, 0, true},
        {"dense", R(25, 0), "OtherForCausalLM", KVB_QUANT_NONE, KVB_MLP_GATED, KVB_ATTENTION_FULL, false, 0, true},
        {"experts", R(25, 0), "OtherForCausalLM", KVB_QUANT_NONE, KVB_MLP_MOE, KVB_ATTENTION_FULL, false, 0, false},
        {"states", R(25, 0), "OtherForCausalLM", KVB_QUANT_NONE, KVB_MLP_GATED, KVB_ATTENTION_SHORT_CONV, false, 0,
         false},
        {"pooling", R(25, 0), "OtherForCausalLM", KVB_QUANT_NONE, KVB_MLP_GATED, KVB_ATTENTION_FULL, true, 0, false},
        {"refused", R(25, 0), "LlamaForCausalLM", KVB_QUANT_NONE, KVB_MLP_GATED, KVB_ATTENTION_FULL, false, KVB_NO,
         false},
        {"V0", R(7, 3), "LlamaForCausalLM", KVB_QUANT_NONE, KVB_MLP_GATED, KVB_ATTENTION_FULL, false, KVB_YES, false},
    };
    for (size_t i = 0; i < sizeof rows / sizeof rows[0]; i++) {
        const struct runner_row *row = &rows[i];
        make_llama_plan(&plan, row->release);
        name_class(&plan, row->architecture);
        plan.model.quantisation.method = row->method;
        plan.model.kinds[0].mlp.kind = row->mlp;
        plan.model.kinds[0].mlp.experts = row->mlp == KVB_MLP_MOE ? 8 : 0;
        plan.model.kinds[0].attention.kind = row->kind;
        plan.model.pooling = row->pooling;
        plan.environment.use_v2_model_runner = row->asked;
        if (resolved(&plan)->v2_runner != row->v2) {
            fail_msg("%s", row->what);
        }
    }
}

struct fallback_row {
    uint32_t release;
    enum kvb_speculative method;
    uint64_t pcp;
    bool v2;
};

// What runner V2 cannot run goes back to V1: drafts that are neither EAGLE's nor MTP's, DFlash before 0.24, prefill
// ranks, which from 0.27 ask for V2.
static void runner_v2_falls_back(void **state)
{
    (void)state;
    static const struct fallback_row rows[] = {
        {R(25, 0), KVB_SPECULATIVE_EAGLE, 1, true},   {R(25, 0), KVB_SPECULATIVE_MTP, 1, true},
        {R(25, 0), KVB_SPECULATIVE_NGRAM, 1, false},  {R(25, 0), KVB_SPECULATIVE_DRAFT_MODEL, 1, false},
        {R(23, 0), KVB_SPECULATIVE_DFLASH, 1, false}, {R(24, 0), KVB_SPECULATIVE_DFLASH, 1, true},
        {R(25, 0), KVB_SPECULATIVE_DSPARK, 1, true},  {R(25, 0), KVB_SPECULATIVE_OTHER, 1, false},
        {R(26, 0), KVB_SPECULATIVE_NONE, 2, false},   {R(27, 0), KVB_SPECULATIVE_NONE, 2, true},
    };
    for (size_t i = 0; i < sizeof rows / sizeof rows[0]; i++) {
        make_llama_plan(&plan, rows[i].release);
        (void)memcpy(plan.model.architecture, "LlamaForCausalLM", sizeof "LlamaForCausalLM");
        set(&plan, KVB_SET_SPECULATIVE_METHOD, rows[i].method);
        set(&plan, KVB_SET_PREFILL_CONTEXT_PARALLEL_SIZE, rows[i].pcp);
        if (resolved(&plan)->v2_runner != rows[i].v2) {
            fail_msg("row %zu", i);
        }
    }
    make_latent_plan(&plan, R(26, 0), 8192, 256);
    set(&plan, KVB_SET_PREFILL_CONTEXT_PARALLEL_SIZE, 2);
    assert_true(resolved(&plan)->v2_runner);
}

KVB_TEST_MAIN(cmocka_unit_test(dtypes), cmocka_unit_test(declared_cache_format), cmocka_unit_test(hybrid_manager),
              cmocka_unit_test(async_scheduling), cmocka_unit_test(sizes_and_releases), cmocka_unit_test(mamba_modes),
              cmocka_unit_test(mamba_modes_by_release), cmocka_unit_test(runner_v2),
              cmocka_unit_test(runner_v2_falls_back))
