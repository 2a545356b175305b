// What changes in 0.28 and 0.29: defaults of the largest cards, prefixes of states, capture sizes, who runs on runner
// V2, what it reserves for graphs, and the block that is never given away.
#include "base/text.h"
#include "budget/gpu_facts.h"
#include "engines/vllm/graph_sizes.h"
#include "engines/vllm/kv.h"
#include "engines/vllm/overhead.h"
#include "unit/plans.h"
#include "unit/test.h"

static struct kvb_plan plan;
static struct kvb_budget budget;

static void answer(void)
{
    (void)answer_into(&plan, &budget);
}

// vllm/engine/arg_utils.py v0.27.1:2544 and v0.28.0:2582: from 160 GiB on a server takes 16384 tokens, below 8192; a
// card of 80 GiB that is an A100 takes the small ones.
static void largest_cards(void **state)
{
    (void)state;
    static const struct {
        uint32_t release;
        const char *name;
        uint64_t gib;
        enum kvb_usage usage;
        uint64_t tokens, seqs;
    } rows[] = {
        {R(27, 1), "NVIDIA B200", 178, KVB_USAGE_SERVE, 8192, 1024},
        {R(28, 0), "NVIDIA B200", 178, KVB_USAGE_SERVE, 16384, 1024},
        {R(28, 0), "NVIDIA B200", 178, KVB_USAGE_OFFLINE, 16384, 1024},
        {R(28, 0), "NVIDIA H200", 140, KVB_USAGE_SERVE, 8192, 1024},
        {R(28, 0), "NVIDIA A100", 80, KVB_USAGE_SERVE, 2048, 256},
        {R(29, 0), "AMD Instinct MI300X", 191, KVB_USAGE_SERVE, 16384, 1024},
    };
    for (size_t i = 0; i < sizeof rows / sizeof rows[0]; i++) {
        make_llama_plan(&plan, rows[i].release);
        set_gpu(&plan, rows[i].name, rows[i].gib * GIB, 100);
        plan.usage = rows[i].usage;
        const struct kvb_context *context = resolved(&plan);
        assert_int_equal(context->max_num_batched_tokens, rows[i].tokens);
        assert_int_equal(context->max_num_seqs, rows[i].seqs);
    }
}

// arg_utils.py v0.28.0:2649 and models/config.py v0.28.0:603: prefixes of states are cached by default, in mode
// "align".
static void prefixes_of_states(void **state)
{
    (void)state;
    make_llama_plan(&plan, R(27, 1));
    plan.model.kinds[0].attention.kind = KVB_ATTENTION_MAMBA2;
    assert_false(resolved(&plan)->prefix_caching);
    assert_int_equal(resolved(&plan)->mamba_mode, KVB_MAMBA_MODE_NONE);
    set(&plan, KVB_SET_ENABLE_PREFIX_CACHING, 1);
    assert_int_equal(resolved(&plan)->mamba_mode, KVB_MAMBA_MODE_ALL);
    plan.engine.release = R(28, 0);
    assert_int_equal(resolved(&plan)->mamba_mode, KVB_MAMBA_MODE_ALIGN);
    unset(&plan, KVB_SET_ENABLE_PREFIX_CACHING);
    assert_true(resolved(&plan)->prefix_caching);
    assert_int_equal(resolved(&plan)->mamba_mode, KVB_MAMBA_MODE_ALIGN);
    set(&plan, KVB_SET_MAMBA_CACHE_MODE, KVB_MAMBA_MODE_ALL);
    assert_int_equal(resolved(&plan)->mamba_mode, KVB_MAMBA_MODE_ALL);
    set(&plan, KVB_SET_ENABLE_PREFIX_CACHING, 0);
    assert_int_equal(resolved(&plan)->mamba_mode, KVB_MAMBA_MODE_NONE);
}

// vllm/config/vllm.py v0.28.0:1920: 1024 on data centre Blackwell. 1, 2, 4, 31 of every 8 below 256, then every 16:
// 256 to 512 are 17, to 1024 49.
static void capture_sizes(void **state)
{
    (void)state;
    static const struct {
        uint32_t release, capability;
        uint64_t sizes;
    } rows[] = {{R(27, 1), KVB_CAPABILITY_BLACKWELL, 51},
                {R(28, 0), KVB_CAPABILITY_BLACKWELL, 83},
                {R(28, 0), 103, 83},
                {R(28, 0), KVB_CAPABILITY_THOR, 51},
                {R(28, 0), KVB_CAPABILITY_HOPPER, 51},
                {R(28, 0), KVB_CAPABILITY_CONSUMER_BLACKWELL, 51}};
    for (size_t i = 0; i < sizeof rows / sizeof rows[0]; i++) {
        make_llama_plan(&plan, rows[i].release);
        plan.gpu.compute_capability = rows[i].capability;
        assert_int_equal(kvb_capture_sizes(resolved(&plan)), rows[i].sizes);
    }
}

// vllm/config/vllm.py v0.27.1:1111 and v0.28.0:1184: a draft model no longer turns async scheduling off.
static void draft_models_overlap(void **state)
{
    (void)state;
    make_llama_plan(&plan, R(27, 1));
    set(&plan, KVB_SET_SPECULATIVE_METHOD, KVB_SPECULATIVE_DRAFT_MODEL);
    assert_false(resolved(&plan)->async_scheduling);
    plan.engine.release = R(28, 0);
    assert_true(resolved(&plan)->async_scheduling);
    set(&plan, KVB_SET_SPECULATIVE_METHOD, KVB_SPECULATIVE_NGRAM);
    assert_false(resolved(&plan)->async_scheduling);
}

// vllm/config/vllm.py DEFAULT_V2_MODEL_RUNNER_ARCHITECTURES at v0.26.0, v0.27.0 and v0.28.0; in 0.29.0 all models.
static void classes_of_runner_v2(void **state)
{
    (void)state;
    static const struct {
        uint32_t release;
        const char *architecture;
        bool amd, v2;
    } rows[] = {
        {R(25, 0), "InklingForCausalLM", false, false},
        {R(26, 0), "InklingForCausalLM", false, true},
        {R(26, 0), "LongcatFlashNgramForCausalLM", false, true},
        {R(26, 0), "KimiK3ForConditionalGeneration", false, false},
        {R(27, 0), "KimiK3ForConditionalGeneration", false, true},
        {R(27, 0), "KimiK3ForConditionalGeneration", true, false},
        {R(28, 0), "KimiK3ForConditionalGeneration", true, true},
        {R(27, 1), "DeepseekV4ForCausalLM", false, false},
        {R(28, 0), "DeepseekV4ForCausalLM", false, true},
        {R(28, 0), "DeepseekV4ForCausalLM", true, false},
        {R(28, 0), "Qwen3MoeForCausalLM", false, false},
        {R(29, 0), "Qwen3MoeForCausalLM", false, true},
        {R(29, 0), "Qwen3MoeForCausalLM", true, true},
    };
    for (size_t i = 0; i < sizeof rows / sizeof rows[0]; i++) {
        make_llama_plan(&plan, rows[i].release);
        name_class(&plan, rows[i].architecture);
        plan.model.kinds[0].mlp.kind = KVB_MLP_MOE;
        plan.model.kinds[0].mlp.experts = 8;
        plan.gpu.vendor = rows[i].amd ? KVB_VENDOR_AMD : KVB_VENDOR_NVIDIA;
        if (resolved(&plan)->v2_runner != rows[i].v2) {
            fail_msg("row %zu, %s", i, rows[i].architecture);
        }
    }
    make_llama_plan(&plan, R(29, 0)); // states and pooling, too: release notes of 0.29.0, vllm#53183 and #48290
    plan.model.kinds[0].attention.kind = KVB_ATTENTION_GDN;
    assert_true(resolved(&plan)->v2_runner);
    plan.model.kinds[0].attention.kind = KVB_ATTENTION_DSV4;
    plan.gpu.vendor = KVB_VENDOR_AMD;
    assert_false(kvb_v2_runner_of(resolved(&plan)));
}

// vllm/config/vllm.py _get_v2_model_runner_unsupported_features at v0.25.0 to v0.28.0.
static void features_that_bring_v1_back(void **state)
{
    (void)state;
    static const struct {
        uint32_t release, flag, pp;
        bool v2;
    } rows[] = {
        {R(27, 1), 0, 1, true},
        {R(27, 1), KVB_PLAIN_DBO, 1, false},
        {R(27, 1), KVB_PLAIN_ROUTED_EXPERTS, 1, false},
        {R(28, 0), KVB_PLAIN_ROUTED_EXPERTS, 1, true},
        {R(28, 0), KVB_PLAIN_LOGITS_PROCESSORS, 1, false},
        {R(28, 0), KVB_PLAIN_PROMPT_EMBEDS, 1, false},
        {R(29, 0), KVB_PLAIN_PROMPT_EMBEDS, 1, true},
        {R(25, 0), KVB_PLAIN_LOGPROBS_OF_LOGITS, 1, false},
        {R(26, 0), KVB_PLAIN_LOGPROBS_OF_LOGITS, 1, true},
        {R(28, 0), KVB_PLAIN_SHARED_PREFILL, 1, false},
        {R(27, 1), KVB_PLAIN_ENCODER_CACHE_TRANSFER, 1, false},
        {R(28, 0), KVB_PLAIN_ENCODER_CACHE_TRANSFER, 1, true},
        {R(23, 0), KVB_PLAIN_ELASTIC_EP, 1, true},
        {R(24, 0), KVB_PLAIN_ELASTIC_EP, 1, false},
        {R(24, 0), KVB_PLAIN_EXTERNAL_LAUNCHER, 1, true},
        {R(24, 0), KVB_PLAIN_EXTERNAL_LAUNCHER, 2, false},
        {R(23, 0), KVB_PLAIN_EXTERNAL_LAUNCHER, 2, true},
        {R(28, 0), KVB_PLAIN_EAGLE3, 1, true},
        {R(28, 0), KVB_PLAIN_EAGLE3, 2, false},
    };
    for (size_t i = 0; i < sizeof rows / sizeof rows[0]; i++) {
        make_llama_plan(&plan, rows[i].release);
        name_class(&plan, "LlamaForCausalLM");
        plan.plain_flags = rows[i].flag;
        set(&plan, KVB_SET_PIPELINE_PARALLEL_SIZE, rows[i].pp);
        if (resolved(&plan)->v2_runner != rows[i].v2) {
            fail_msg("row %zu", i);
        }
    }
}

// What V2 alone can run asks for it: DSpark from 0.25, DFlash whose draft mixes windows and whole contexts from 0.26,
// and DFlash2, whose selector V1 never calls (vllm#52816).
static void runner_v2_is_forced(void **state)
{
    (void)state;
    static struct kvb_model draft;
    static const struct {
        uint32_t release;
        enum kvb_speculative method;
        bool mixed, v2;
        const char *class;
    } rows[] = {
        {R(26, 0), KVB_SPECULATIVE_DFLASH, false, true, "DFlash2DraftModel"},
        {R(26, 0), KVB_SPECULATIVE_DFLASH, false, false, "DFlashDraftModel"},
        {R(24, 0), KVB_SPECULATIVE_DSPARK, false, false, NULL},
        {R(25, 0), KVB_SPECULATIVE_DSPARK, false, true, NULL},
        {R(25, 0), KVB_SPECULATIVE_DFLASH, true, false, NULL},
        {R(26, 0), KVB_SPECULATIVE_DFLASH, true, true, NULL},
        {R(26, 0), KVB_SPECULATIVE_DFLASH, false, false, NULL},
    };
    for (size_t i = 0; i < sizeof rows / sizeof rows[0]; i++) {
        make_llama_plan(&plan, rows[i].release);
        name_class(&plan, "Qwen3MoeForCausalLM");
        plan.model.kinds[0].mlp.kind = KVB_MLP_MOE;
        plan.model.kinds[0].mlp.experts = 8;
        static const struct shape mixed = {"draft", 6, 8, 8, 128, 1024, 3, 1, KVB_ATTENTION_SLIDING, 8192};
        static const struct shape plain = {"draft", 6, 8, 8, 128, 0, 0, 0, KVB_ATTENTION_SLIDING, 8192};
        make_model(rows[i].mixed ? &mixed : &plain, &draft);
        if (rows[i].class != NULL) {
            (void)kvb_copy(draft.architecture, sizeof draft.architecture, rows[i].class);
        }
        plan.draft = &draft;
        set(&plan, KVB_SET_SPECULATIVE_METHOD, rows[i].method);
        if (resolved(&plan)->v2_runner != rows[i].v2) {
            fail_msg("row %zu", i);
        }
    }
    plan.draft = NULL;
}

// vllm#53306, first in 0.29.0: runner V2 captures its graphs before the pool is sized and leaves room for them.
static void graphs_of_runner_v2(void **state)
{
    (void)state;
    struct kvb_estimate charged, taken;
    make_llama_plan(&plan, R(28, 0));
    name_class(&plan, "LlamaForCausalLM");
    kvb_graph_charged(resolved(&plan), 0, &charged);
    assert_int_equal(charged.bytes, 0);
    plan.engine.release = R(29, 0);
    kvb_graph_charged(resolved(&plan), 0, &charged);
    kvb_graph_actual(resolved(&plan), 0, &taken);
    assert_true(charged.bytes > 0);
    assert_int_equal(charged.bytes, taken.bytes);
    plan.environment.estimate_cudagraphs = KVB_NO;
    kvb_graph_charged(resolved(&plan), 0, &charged);
    assert_int_equal(charged.bytes, 0);
}

// The tests of vllm#47272, first in 0.29.0: blocks of 16 tokens and 2 MiB, of which one is never given away. 32 of them
// do not hold 512 tokens, 33 do; of 50 the longest is 784; an automatic length in 64 is 1008.
static void null_block(void **state)
{
    (void)state;
    make_llama_plan(&plan, R(28, 0));
    set(&plan, KVB_SET_MAX_MODEL_LEN, 512);
    set(&plan, KVB_SET_KV_CACHE_MEMORY_BYTES, 32 * 2 * MIB);
    answer();
    assert_true(budget.starts);
    plan.engine.release = R(29, 0);
    answer();
    assert_false(budget.starts);
    assert_int_equal(budget.kv.num_blocks, 32); // all are allocated
    assert_int_equal(budget.balance_bytes, -2 * (int64_t)MIB);
    set(&plan, KVB_SET_NUM_GPU_BLOCKS_OVERRIDE, 33);
    answer();
    assert_true(budget.starts);
    assert_int_equal(budget.balance_bytes, 0);
    set(&plan, KVB_SET_NUM_GPU_BLOCKS_OVERRIDE, 50);
    set(&plan, KVB_SET_MAX_MODEL_LEN, 800);
    answer();
    assert_non_null(strstr(budget.error, "max seq len (800)"));
    assert_non_null(strstr(budget.error, "estimated maximum model length is 784"));
    set(&plan, KVB_SET_NUM_GPU_BLOCKS_OVERRIDE, 64);
    set(&plan, KVB_SET_MAX_MODEL_LEN, KVB_AUTO);
    answer();
    assert_int_equal(budget.kv.auto_max_model_len, 63 * 16);
    set(&plan, KVB_SET_NUM_GPU_BLOCKS_OVERRIDE, 1); // the only block is that one
    answer();
    assert_false(budget.starts);
}

// vllm/v1/core/kv_cache_utils.py v0.28.0:2137: with three modules and three tokens a window keeps two tokens more.
static void windows_keep_what_is_drafted_again(void **state)
{
    (void)state;
    static const struct shape shape = {"windows", 32, 32, 8, 128, 1024, 2, 1, KVB_ATTENTION_SLIDING, 131072};
    const struct kvb_bucket bucket = {.kind = KVB_ATTENTION_SLIDING, .window_tokens = 1024, .block_tokens = 1};
    make_llama_plan(&plan, R(27, 1));
    make_model(&shape, &plan.model);
    plan.model.mtp_layers = 3;
    set(&plan, KVB_SET_ASYNC_SCHEDULING, 0);
    set(&plan, KVB_SET_MAX_NUM_BATCHED_TOKENS, 2048);
    set(&plan, KVB_SET_SPECULATIVE_METHOD, KVB_SPECULATIVE_MTP);
    set(&plan, KVB_SET_NUM_SPECULATIVE_TOKENS, 3);
    assert_int_equal(kvb_blocks_of(resolved(&plan), &bucket, 100000), 1023 + 2048 + 1);
    plan.engine.release = R(28, 0);
    assert_int_equal(kvb_blocks_of(resolved(&plan), &bucket, 100000), 1023 + 2 + 2048 + 1);
    plan.model.mtp_layers = 1;
    assert_int_equal(kvb_blocks_of(resolved(&plan), &bucket, 100000), 1023 + 2048 + 1);
    plan.model.mtp_layers = 3;
    set(&plan, KVB_SET_SPECULATIVE_METHOD, KVB_SPECULATIVE_EAGLE);
    assert_int_equal(kvb_blocks_of(resolved(&plan), &bucket, 100000), 1023 + 2048 + 1);
}

KVB_TEST_MAIN(cmocka_unit_test(largest_cards), cmocka_unit_test(prefixes_of_states), cmocka_unit_test(capture_sizes),
              cmocka_unit_test(draft_models_overlap), cmocka_unit_test(classes_of_runner_v2),
              cmocka_unit_test(features_that_bring_v1_back), cmocka_unit_test(runner_v2_is_forced),
              cmocka_unit_test(graphs_of_runner_v2), cmocka_unit_test(null_block),
              cmocka_unit_test(windows_keep_what_is_drafted_again))
