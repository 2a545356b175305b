// What the words of a serve line and of a plan become in SGLang's setup. Expected: python/sglang/srt of
// sgl-project/sglang at the releases named, server_args.py and arg_groups/speculative_hook.py.
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <string.h>

#include <cmocka.h>

#include "engines/sglang/context.h"
#include "unit/sglang_plan.h"

#define R(minor, patch) KVB_RELEASE(0, minor, patch)

static struct kvb_sgl_context c;

static void words_of_caches(void **state)
{
    (void)state;
    resolve("sglang@0.5.12", "h100-sxm", Q3 "--dtype float16 --kv-cache-dtype fp8_e5m2");
    kvb_sgl_context_init(&plan, &c);
    assert_int_equal(c.dtype, KVB_DTYPE_FP16);
    assert_true(c.setup.fp8_cache && c.setup.element_bytes == 1);
    static const struct {
        const char *word;
        bool fp8, four, mxfp8;
    } caches[] = {{"auto", false, false, false},
                  {"bf16", false, false, false},
                  {"fp8_e4m3", true, false, false},
                  {"fp4_e2m1", false, true, false},
                  {"mxfp8", false, false, true}};
    for (size_t i = 0; i < sizeof caches / sizeof caches[0]; i++) {
        char line[128];
        (void)snprintf(line, sizeof line, Q3 "--kv-cache-dtype %s", caches[i].word);
        resolve("sglang@0.5.18", "h100-sxm", line);
        kvb_sgl_context_init(&plan, &c);
        assert_int_equal(c.setup.fp8_cache, caches[i].fp8);
        assert_int_equal(c.setup.four_bits, caches[i].four);
        assert_int_equal(c.setup.mxfp8, caches[i].mxfp8);
    }
}

// words of other engines' profiles
static void words_of_others(void **state)
{
    (void)state;
    resolve("sglang@0.5.18", "h100-sxm", Q3);
    set_number(&plan, KVB_SET_KV_CACHE_DTYPE, KVB_KV_FP8);
    kvb_sgl_context_init(&plan, &c);
    assert_true(c.setup.fp8_cache);
    set_number(&plan, KVB_SET_KV_CACHE_DTYPE, KVB_KV_NVFP4);
    kvb_sgl_context_init(&plan, &c);
    assert_true(c.setup.four_bits);
}

// model_runner.py 0.5.3, kv_cache_quant_algo: a checkpoint that declares it
static void declared_caches(void **state)
{
    (void)state;
    resolve("sglang@0.5.2", "h100-sxm", Q3);
    plan.model.quantisation.cache = KVB_DECLARED_FP8;
    kvb_sgl_context_init(&plan, &c);
    assert_false(c.setup.fp8_cache);
    plan.engine.release = R(5, 3);
    kvb_sgl_context_init(&plan, &c);
    assert_true(c.setup.fp8_cache);
}

// configs/mamba_utils.py: the word, the model's own, 32 bits
static void states(void **state)
{
    (void)state;
    resolve("sglang@0.5.12", "h200", HYBRID "--mamba-ssm-dtype bfloat16");
    kvb_sgl_context_init(&plan, &c);
    assert_int_equal(c.setup.state_element, 2);
    resolve("sglang@0.5.12", "h200", HYBRID "--mamba-ssm-dtype float32");
    kvb_sgl_context_init(&plan, &c);
    assert_int_equal(c.setup.state_element, 4);
    set_number(&plan, KVB_SET_MAMBA_SSM_CACHE_DTYPE, KVB_DTYPE_AUTO);
    plan.model.state_dtype_known = true;
    plan.model.state_dtype = KVB_DTYPE_BF16;
    kvb_sgl_context_init(&plan, &c);
    assert_int_equal(c.setup.state_element, 2);
}

// backends: names that nothing hangs on
static void backends(void **state)
{
    (void)state;
    resolve("sglang@0.5.12", "h100-sxm", Q3 "--attention-backend torch_native");
    kvb_sgl_context_init(&plan, &c);
    assert_int_equal(c.setup.backend, KVB_SGL_BACKEND_OTHER);
    static const uint64_t others[] = {KVB_BACKEND_FLASHMLA_SPARSE, KVB_BACKEND_FLEX,
                                      KVB_BACKEND_TOKENSPEED_MLA}; // vLLM's
    for (size_t i = 0; i < sizeof others / sizeof others[0]; i++) {
        set_number(&plan, KVB_SET_ATTENTION_BACKEND, others[i]);
        kvb_sgl_context_init(&plan, &c);
        assert_int_equal(c.setup.backend, KVB_SGL_BACKEND_OTHER);
    }
}

// pages of the sparse index: 64, on ROCm 1; DeepSeek V4's ratio of windows
static void pages(void **state)
{
    (void)state;
    resolve("sglang@0.5.9", "mi300x", V32);
    kvb_sgl_context_init(&plan, &c);
    assert_int_equal(c.setup.page_tokens, 1);
    resolve("sglang@0.5.9", "h200", V32);
    kvb_sgl_context_init(&plan, &c);
    assert_int_equal(c.setup.page_tokens, 64);
    resolve("sglang@0.5.12", "h200", V4 "--swa-full-tokens-ratio 0.5");
    kvb_sgl_context_init(&plan, &c);
    assert_int_equal(c.setup.window_ratio_ppm, 500000);
}

// Prefixes that a release gives up beside recurrent states, and the slots that one request keeps: model_runner.py 0.5.2
// to 0.5.6, server_args.py (_handle_mamba_radix_cache) 0.5.7 to 0.5.14, arg_groups/overrides.py behind.
#define NEXTN "--speculative-algorithm NEXTN "
#define EXTRA "--mamba-scheduler-strategy extra_buffer "
#define NEMOTRON "nvidia/NVIDIA-Nemotron-Nano-9B-v2 "
static void prefixes_beside_states(void **state)
{
    (void)state;
    static const struct {
        const char *engine, *gpu, *line;
        bool no_radix;
        uint64_t slots;
    } rows[] = {
        {"sglang@0.5.3", "h100-sxm", HYBRID, true, 1},
        {"sglang@0.5.3.post1", "h100-sxm", HYBRID, true, 1},
        {"sglang@0.5.3.post2", "h100-sxm", HYBRID, false, 3},
        {"sglang@0.5.3.post2", "h100-sxm", NEMOTRON, true, 1},
        {"sglang@0.5.4", "h100-sxm", HYBRID, false, 3},
        {"sglang@0.5.6", "h100-sxm", NEMOTRON, true, 1},
        {"sglang@0.5.7", "h100-sxm", NEMOTRON NEXTN, false, 3},
        {"sglang@0.5.8", "h100-sxm", NEMOTRON NEXTN, true, 1},
        {"sglang@0.5.8", "h100-sxm", NEMOTRON, false, 3},
        {"sglang@0.5.8", "h100-sxm", HYBRID NEXTN, false, 3},
        {"sglang@0.5.9", "h100-sxm", HYBRID NEXTN, true, 1},
        {"sglang@0.5.9", "h100-sxm", HYBRID NEXTN "--mamba-scheduler-strategy extra_buffer", false, 4},
        {"sglang@0.5.10", "h100-sxm", HYBRID NEXTN EXTRA, false, 4},
        {"sglang@0.5.11", "h100-sxm", HYBRID NEXTN EXTRA, false, 5}, // the next version of drafts, one step ahead
        {"sglang@0.5.11", "h100-sxm", HYBRID NEXTN EXTRA "--disable-overlap-schedule", false, 4},
        {"sglang@0.5.11", "h100-sxm", HYBRID NEXTN EXTRA "--pp-size 2", false, 4},
        {"sglang@0.5.9", "h100-sxm", HYBRID EXTRA "--pp-size 2", false, 5},
        {"sglang@0.5.10", "h100-sxm", HYBRID EXTRA "--pp-size 2", false, 4},
        {"sglang@0.5.12", "h100-sxm", HYBRID NEXTN EXTRA "--speculative-eagle-topk 1", false, 5},
        {"sglang@0.5.12", "h100-sxm", HYBRID NEXTN EXTRA "--speculative-eagle-topk 2", false, 4},
        {"sglang@0.5.12", "h100-sxm", HYBRID "--speculative-algorithm NGRAM " EXTRA, false, 4},
        {"sglang@0.5.12", "h100-sxm", HYBRID "--speculative-algorithm DFLASH " EXTRA, false, 4},
        {"sglang@0.5.12", "h100-sxm", HYBRID "--speculative-algorithm STANDALONE " EXTRA, false, 5},
        {"sglang@0.5.13", "h100-sxm", HYBRID NEXTN EXTRA "--speculative-eagle-topk 2", false, 5},
        {"sglang@0.5.13", "h100-sxm", HYBRID "--speculative-algorithm NGRAM " EXTRA, false, 5},
        {"sglang@0.5.10", "h100-sxm", HYBRID NEXTN, false, 3}, // refused
        {"sglang@0.5.10", "mi300x", HYBRID NEXTN, false, 3},   // refused
        {"sglang@0.5.11", "mi300x", HYBRID NEXTN, true, 1},
        {"sglang@0.5.12", "mi300x", HYBRID NEXTN, true, 1},
        {"sglang@0.5.13", "mi300x", HYBRID NEXTN, true, 1},
        {"sglang@0.5.14", "mi300x", HYBRID NEXTN, false, 3},
        {"sglang@0.5.13", "h100-sxm", HYBRID, false, 3},
        {"sglang@0.5.14", "h100-sxm", HYBRID, false, 5},
        {"sglang@0.5.14", "h100-sxm", HYBRID "--mamba-scheduler-strategy no_buffer", false, 3},
        {"sglang@0.5.14", "h100-sxm", HYBRID "--disable-overlap-schedule", false, 3},
        {"sglang@0.5.14", "h100-sxm", HYBRID "--disable-radix-cache", true, 1},
        {"sglang@0.5.15", "mi300x", HYBRID NEXTN, false, 3},
        {"sglang@0.5.9", "h100-sxm", Q3, false, 3},
    };
    for (size_t i = 0; i < sizeof rows / sizeof rows[0]; i++) {
        resolve(rows[i].engine, rows[i].gpu, rows[i].line);
        kvb_sgl_context_init(&plan, &c);
        if (c.setup.no_radix != rows[i].no_radix || kvb_sgl_slots_per_request(&c.setup) != rows[i].slots) {
            print_error("%s %s\n", rows[i].engine, rows[i].line);
        }
        assert_int_equal(c.setup.no_radix, rows[i].no_radix);
        assert_int_equal(kvb_sgl_slots_per_request(&c.setup), rows[i].slots);
    }
}

// --mamba-full-memory-ratio: 0.2 in the release that brings it, 0.9 behind
static void ratios(void **state)
{
    (void)state;
    resolve("sglang@0.5.3.post2", "h100-sxm", HYBRID);
    kvb_sgl_context_init(&plan, &c);
    assert_int_equal(c.setup.state_ratio_ppm, 200000);
    plan.engine.release = R(5, 3) + 3;
    kvb_sgl_context_init(&plan, &c);
    assert_int_equal(c.setup.state_ratio_ppm, 900000);
    resolve("sglang@0.5.3.post2", "h100-sxm", HYBRID "--mamba-full-memory-ratio 0.5");
    kvb_sgl_context_init(&plan, &c);
    assert_int_equal(c.setup.state_ratio_ppm, 500000);
    assert_int_equal(c.setup.window_ratio_ppm, 800000);
}

// server_args.py 0.5.3:829, 0.5.4:1030, 0.5.4.post2:1058, 0.5.9:1143: the cache of DeepSeek V3.2 and its like
static void sparse_caches(void **state)
{
    (void)state;
    static const struct {
        const char *engine, *gpu, *line;
        bool eight;
    } rows[] = {
        {"sglang@0.5.3", "b200", V32, true},
        {"sglang@0.5.4", "b200", V32 "--kv-cache-dtype bf16", true},
        {"sglang@0.5.9", "b200", V32, true},
        {"sglang@0.5.9", "b200", V32 "--kv-cache-dtype bf16", false},
        {"sglang@0.5.9", "h200", V32, false},
        {"sglang@0.5.9", "mi355x", V32, false},
        {"sglang@0.5.2", "b200", V32, false},
        {"sglang@0.5.9", "b200", "deepseek-ai/DeepSeek-V3 --tp-size 8", false},
        {"sglang@0.5.4.post1", "b200", V32 "--kv-cache-dtype bf16", true},
        {"sglang@0.5.4.post2", "b200", V32 "--kv-cache-dtype bf16", false},
        {"sglang@0.5.4.post2", "b200", V32, true},
        {"sglang@0.5.9", "b200", Q3, false},
    };
    for (size_t i = 0; i < sizeof rows / sizeof rows[0]; i++) {
        resolve(rows[i].engine, rows[i].gpu, rows[i].line);
        kvb_sgl_context_init(&plan, &c);
        if (c.setup.fp8_cache != rows[i].eight) {
            print_error("%s %s %s\n", rows[i].engine, rows[i].gpu, rows[i].line);
        }
        assert_int_equal(c.setup.fp8_cache, rows[i].eight);
    }
}

// server_args.py of each release: V3.2 turns data-parallel attention on over all ranks from 0.5.3 to 0.5.5.post3, over
// --dp-size in 0.5.6 and 0.5.7; to 0.4.4 it is over all ranks whatever is said.
static void groups(void **state)
{
    (void)state;
#define DSV3 "deepseek-ai/DeepSeek-V3 --tp-size 8 "
    static const struct {
        const char *engine, *line;
        bool on, late;
        uint32_t dp;
    } rows[] = {
        {"sglang@0.5.3", V32, true, true, 8},
        {"sglang@0.5.5.post3", V32, true, true, 8},
        {"sglang@0.5.5.post3", V32 "--dp-size 4 --enable-dp-attention", true, false, 8},
        {"sglang@0.5.6", V32, false, false, 1},
        {"sglang@0.5.6", V32 "--dp-size 2", true, true, 2},
        {"sglang@0.5.7", V32 "--dp-size 4", true, true, 4},
        {"sglang@0.5.7", V32 "--dp-size 4 --enable-dp-attention", true, false, 4},
        {"sglang@0.5.8", V32 "--dp-size 4", false, false, 4},
        {"sglang@0.5.7", DSV3 "--dp-size 4", false, false, 4},
        {"sglang@0.5.4", DSV3, false, false, 1},
        {"sglang@0.4.3", DSV3 "--enable-dp-attention", true, false, 8},
        {"sglang@0.4.4", DSV3 "--enable-dp-attention --dp-size 4", true, false, 8},
        {"sglang@0.4.4.post1", DSV3 "--enable-dp-attention --dp-size 4", true, false, 4},
        {"sglang@0.4.4", DSV3 "--dp-size 4", false, false, 4},
    };
    for (size_t i = 0; i < sizeof rows / sizeof rows[0]; i++) {
        resolve(rows[i].engine, "h200", rows[i].line);
        kvb_sgl_context_init(&plan, &c);
        if (c.setup.dp_attention != rows[i].on || c.setup.dp != rows[i].dp ||
            c.setup.dp_attention_late != rows[i].late) {
            fail_msg("%s %s", rows[i].engine, rows[i].line);
        }
    }
    resolve("sglang@0.5.3", "h200", V32);
    plan.engine.release = R(5, 2); // serves no such class
    kvb_sgl_context_init(&plan, &c);
    assert_false(c.setup.dp_attention);
    // the fraction is computed before: 512 + 12,288 + 8 x 128 + 2 x 512 of 143,771 MiB
    resolve("sglang@0.5.5", "h200", V32);
    plan.gpu.device_bytes = UINT64_C(143771) << 20;
    kvb_sgl_context_init(&plan, &c);
    assert_int_equal(c.defaults.fraction_ppb, 897000000); // (143,771 - 14,848) / 143,771 = 0.89673
    assert_int_equal(c.defaults.chunk_tokens, 1024);      // and chunks are divided behind
}

// configs/model_config.py, is_deepseek_nsa: an index beside latents. One beside keys and values (MiniMax-M3) and
// latents without one (DeepSeek V3) have pages, groups and caches as others have them.
static void index_beside_keys(void **state)
{
    (void)state;
    static const struct {
        enum kvb_attention kind;
        uint32_t index_heads;
        bool sparse;
    } rows[] = {{KVB_ATTENTION_FULL, 4, false},
                {KVB_ATTENTION_MLA, 0, false},
                {KVB_ATTENTION_FULL, 0, false},
                {KVB_ATTENTION_MLA, 1, true},
                {KVB_ATTENTION_MLA, 64, true}};
    static const uint32_t asked[] = {R(5, 3), R(5, 6), R(5, 9)};
    for (size_t i = 0; i < 3 * sizeof rows / sizeof rows[0]; i++) {
        bool sparse = rows[i / 3].sparse;
        resolve("sglang@0.5.9", "b200", Q3 "--tp-size 4 --dp-size 2 --page-size 16");
        plan.engine.release = asked[i % 3];
        struct kvb_attention_shape *shape = &plan.model.kinds[0].attention;
        shape->kind = rows[i / 3].kind;
        shape->latent_rank = 512;
        shape->rope_size = 64;
        shape->index_heads = (uint16_t)rows[i / 3].index_heads;
        shape->index_head_size = rows[i / 3].index_heads > 0 ? 128 : 0;
        kvb_sgl_context_init(&plan, &c);
        assert_int_equal(c.setup.backend == KVB_SGL_BACKEND_SPARSE, sparse);
        assert_int_equal(c.setup.fp8_cache, sparse);
        assert_int_equal(c.setup.dp_attention, sparse && i % 3 < 2);
        assert_int_equal(c.setup.dp, sparse && i % 3 == 0 ? 4 : 2);
        assert_int_equal(c.setup.page_tokens, sparse ? 64 : 16);
        set_number(&plan, KVB_SET_KV_CACHE_DTYPE, KVB_KV_FP8_E5M2);
        plan.engine.release = R(5, 9);
        again();
        assert_int_equal(budget.refusal != NULL && strcmp(budget.refusal, "kv-cache-dtype") == 0, sparse);
    }
}

// configs/model_config.py, _get_and_verify_dtype: 32 bits become float16, of Gemma's classes bfloat16; server_args.py
// sets bfloat16 for MXFP4. 16 bits stay as they are.
static void dtypes(void **state)
{
    (void)state;
    static const struct {
        const char *architecture;
        enum kvb_quantisation_method method;
        enum kvb_dtype own, taken;
    } rows[] = {{"LlamaForCausalLM", KVB_QUANT_NONE, KVB_DTYPE_FP32, KVB_DTYPE_FP16},
                {"LlamaForCausalLM", KVB_QUANT_FP8, KVB_DTYPE_FP32, KVB_DTYPE_FP16},
                {"LlamaForCausalLM", KVB_QUANT_MXFP4, KVB_DTYPE_FP32, KVB_DTYPE_BF16},
                {"Gemma3ForCausalLM", KVB_QUANT_NONE, KVB_DTYPE_FP32, KVB_DTYPE_BF16},
                {"GemmForCausalLM", KVB_QUANT_NONE, KVB_DTYPE_FP32, KVB_DTYPE_FP16},
                {"LlamaForCausalLM", KVB_QUANT_NONE, KVB_DTYPE_BF16, KVB_DTYPE_BF16},
                {"Gemma3ForCausalLM", KVB_QUANT_NONE, KVB_DTYPE_FP16, KVB_DTYPE_FP16}};
    for (size_t i = 0; i < sizeof rows / sizeof rows[0]; i++) {
        resolve("sglang@0.5.9", "h100-sxm", Q3);
        strcpy(plan.model.architecture, rows[i].architecture);
        plan.model.quantisation.method = rows[i].method;
        plan.model.dtype = rows[i].own;
        kvb_sgl_context_init(&plan, &c);
        assert_int_equal(c.dtype, rows[i].taken);
        set_number(&plan, KVB_SET_DTYPE, KVB_DTYPE_WORD_FP32);
        kvb_sgl_context_init(&plan, &c);
        assert_int_equal(c.dtype, KVB_DTYPE_FP32);
    }
}

// auto_choose_speculative_params: Llama 5, 4, 8; others 3, 1, 4; words 12; blocks 16
static void drafts(void **state)
{
    (void)state;
    resolve("sglang@0.5.9", "h100-sxm", LLAMA "--speculative-algorithm EAGLE");
    kvb_sgl_context_init(&plan, &c);
    assert_int_equal(c.setup.draft_steps * 100 + c.setup.draft_topk * 10 + c.setup.draft_tokens, 548);
    assert_int_equal(c.setup.max_running_requests, 48);
    resolve("sglang@0.5.9", "h100-sxm", LLAMA "--speculative-algorithm NGRAM --max-running-requests 8");
    kvb_sgl_context_init(&plan, &c);
    assert_int_equal(c.setup.draft_tokens, 12);
    assert_int_equal(c.setup.max_running_requests, 8);
    resolve("sglang@0.5.12", "h100-sxm", Q3 "--speculative-algorithm DFLASH");
    kvb_sgl_context_init(&plan, &c);
    assert_int_equal(c.setup.draft_tokens, 16);
    resolve("sglang@0.5.9", "h100-sxm", Q3 "--speculative-algorithm EAGLE");
    kvb_sgl_context_init(&plan, &c);
    assert_int_equal(c.setup.draft_steps * 100 + c.setup.draft_topk * 10 + c.setup.draft_tokens, 314);
    assert_false(c.setup.draft_named);
    plan.draft_unknown = true;
    kvb_sgl_context_init(&plan, &c);
    assert_true(c.setup.draft_named);
    resolve("sglang@0.5.9", "h100-sxm",
            Q3 "--speculative-algorithm STANDALONE --speculative-draft-model-path Qwen/Qwen3-0.6B");
    kvb_sgl_context_init(&plan, &c);
    assert_true(c.setup.draft_named);
    assert_int_equal(c.setup.draft_layers, 28);
    resolve("sglang@0.5.9", "h100-sxm", LLAMA "--speculative-algorithm none");
    kvb_sgl_context_init(&plan, &c);
    assert_int_equal(c.setup.draft, KVB_SGL_DRAFT_NONE);
}

// graphs of prefills, towers, chunks
static void graphs(void **state)
{
    (void)state;
    resolve("sglang@0.5.9", "h100-sxm", Q3 "--enable-piecewise-cuda-graph --chunked-prefill-size -1");
    kvb_sgl_context_init(&plan, &c);
    assert_int_equal(c.setup.prefill_graphs, KVB_YES);
    assert_int_equal(c.setup.chunk_tokens, KVB_SGL_OFF);
    assert_int_equal(c.setup.context_asked, 0);
    assert_int_equal(c.setup.requests_asked, 0);
    resolve("sglang@0.5.15", "h100-sxm",
            Q3 "--context-length 4096 --max-running-requests 7 --speculative-algorithm EAGLE --speculative-num-steps 3 "
               "--speculative-eagle-topk 1 --speculative-num-draft-tokens 6");
    kvb_sgl_context_init(&plan, &c);
    assert_int_equal(c.setup.context_asked, 4096);
    assert_int_equal(c.setup.requests_asked, 7);
    assert_int_equal(c.setup.draft_tokens_asked, 6);
    resolve("sglang@0.5.12", "h100-sxm", Q3 "--disable-piecewise-cuda-graph --enable-multimodal");
    kvb_sgl_context_init(&plan, &c);
    assert_int_equal(c.setup.prefill_graphs, KVB_NO);
    assert_true(c.setup.multimodal);
}

KVB_TEST_MAIN(cmocka_unit_test(words_of_caches), cmocka_unit_test(words_of_others), cmocka_unit_test(declared_caches),
              cmocka_unit_test(states), cmocka_unit_test(backends), cmocka_unit_test(pages),
              cmocka_unit_test(prefixes_beside_states), cmocka_unit_test(ratios), cmocka_unit_test(sparse_caches),
              cmocka_unit_test(groups), cmocka_unit_test(index_beside_keys), cmocka_unit_test(dtypes),
              cmocka_unit_test(drafts), cmocka_unit_test(graphs))
