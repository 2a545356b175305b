// Number formats of the cache: which words a checkpoint, a card and a backend take. Expected values are read from vllm
// at the tags named beside them.
#include "engines/vllm/kv.h"
#include "unit/refusal_says.h"
#include "unit/test.h"

static struct kvb_plan plan;

// quantization/modelopt.py v0.20.0: a checkpoint's NVFP4 cache is taken where none is asked for.
static void caches_that_a_checkpoint_declares(void **state)
{
    (void)state;
    make_llama_plan(&plan, R(20, 0));
    plan.model.quantisation.cache = KVB_DECLARED_NVFP4;
    assert_int_equal(resolved(&plan)->kv_word, KVB_KV_NVFP4);
    set(&plan, KVB_SET_KV_CACHE_DTYPE, KVB_KV_FP8);
    assert_int_equal(resolved(&plan)->kv_word, KVB_KV_FP8);
    unset(&plan, KVB_SET_KV_CACHE_DTYPE);
    plan.engine.release = R(19, 0);
    assert_int_equal(resolved(&plan)->kv_word, KVB_KV_AUTO);
}

// attention.py v0.27.1 _init_kv_cache_quant: what gives attention scales of its own takes no fp8_e5m2.
static void e5m2_of_checkpoints(void **state)
{
    (void)state;
    static const struct {
        uint32_t release;
        const char *method;
        enum kvb_declared_cache cache;
        bool refused;
    } rows[] = {
        {R(9, 0), "fp8", KVB_DECLARED_NONE, true},
        {R(27, 1), "modelopt", KVB_DECLARED_NONE, true},
        {R(27, 1), "modelopt_fp4", KVB_DECLARED_NONE, true},
        {R(27, 1), "awq", KVB_DECLARED_NONE, false},
        {R(23, 0), "compressed-tensors", KVB_DECLARED_NONE, true},
        {R(24, 0), "compressed-tensors", KVB_DECLARED_NONE, false},
        {R(24, 0), "compressed-tensors", KVB_DECLARED_SCHEME, true},
    };
    for (size_t i = 0; i < sizeof rows / sizeof rows[0]; i++) {
        make_llama_plan(&plan, rows[i].release);
        (void)strcpy(plan.model.quantisation.name, rows[i].method);
        plan.model.quantisation.cache = rows[i].cache;
        set(&plan, KVB_SET_KV_CACHE_DTYPE, KVB_KV_FP8_E5M2);
        says(kvb_kv_refused, &plan,
             rows[i].refused ? "fp8_e5m2 kv-cache is not supported with fp8 checkpoints." : NULL);
    }
    (void)make_latent(&plan, R(27, 1), 80, false, 512);
    (void)strcpy(plan.model.quantisation.name, "fp8");
    set(&plan, KVB_SET_KV_CACHE_DTYPE, KVB_KV_FP8_E5M2);
    says(kvb_kv_refused, &plan, "No valid attention backend found");
}

// cuda.py get_attn_backend_cls: the sentence names the type.
static void types_of_no_backend(void **state)
{
    (void)state;
    static const struct {
        enum kvb_dtype_word word;
        const char *text;
    } rows[] = {{KVB_DTYPE_WORD_FP16, "dtype=torch.float16"},
                {KVB_DTYPE_WORD_FP32, "dtype=torch.float32"},
                {KVB_DTYPE_WORD_BF16, "dtype=torch.bfloat16"}};
    for (size_t i = 0; i < sizeof rows / sizeof rows[0]; i++) {
        (void)make_latent(&plan, R(22, 0), 120, true, 512); // sparse kernels of 12.x came with 0.24
        set(&plan, KVB_SET_DTYPE, rows[i].word);
        says(kvb_kv_refused, &plan, rows[i].text);
    }
}

// vllm.py v0.21.0 validate_nvfp4_kv_cache_with_mla.
static void nvfp4_of_latents(void **state)
{
    (void)state;
    (void)make_latent(&plan, R(21, 0), 90, false, 512);
    set(&plan, KVB_SET_KV_CACHE_DTYPE, KVB_KV_NVFP4);
    says(kvb_kv_refused, &plan, "nvfp4 KV cache is not supported with MLA");
    plan.engine.release = R(20, 0); // no such sentence yet, but no backend either
    says(kvb_kv_refused, &plan, "No valid attention backend");
    make_llama_plan(&plan, R(21, 0));
    plan.gpu.compute_capability = 100;
    set(&plan, KVB_SET_KV_CACHE_DTYPE, KVB_KV_NVFP4);
    says(kvb_kv_refused, &plan, NULL);
}

static void make_v4(uint32_t release, enum kvb_kv_dtype word)
{
    make_llama_plan(&plan, release);
    plan.model.kinds[0].attention = (struct kvb_attention_shape){
        .kind = KVB_ATTENTION_DSV4, .heads = 64, .kv_heads = 1, .head_size = 512, .window_tokens = 128};
    set(&plan, KVB_SET_KV_CACHE_DTYPE, word);
}

// deepseek_v4_attention.py v0.20.0: kv_cache_dtype.startswith("fp8"); v0.23.0, v0.24.0 say it otherwise.
static void words_of_v4(void **state)
{
    (void)state;
    static const enum kvb_kv_dtype taken[] = {KVB_KV_FP8, KVB_KV_FP8_E4M3, KVB_KV_FP8_E5M2, KVB_KV_FP8_DS_MLA,
                                              KVB_KV_FP8_PER_TOKEN_HEAD};
    for (size_t i = 0; i < sizeof taken / sizeof taken[0]; i++) {
        make_v4(R(20, 0), taken[i]);
        says(kvb_kv_refused, &plan, NULL);
    }
    make_v4(R(20, 0), KVB_KV_16BIT);
    says(kvb_kv_refused, &plan, "DeepseekV4 only supports fp8 kv-cache format for now, got bfloat16");
    make_v4(R(23, 0), KVB_KV_16BIT);
    says(kvb_kv_refused, &plan, "DeepseekV4 FlashMLA fp8 layout only supports fp8 kv-cache, got bfloat16");
    make_v4(R(24, 0), KVB_KV_16BIT);
    says(kvb_kv_refused, &plan, "DeepseekV4 fp8_ds_mla layout only supports fp8 kv-cache, got bfloat16");
    plan.environment.attention_backend = KVB_BACKEND_OTHER; // whatever that one takes
    says(kvb_kv_refused, &plan, NULL);
    make_v4(R(19, 0), KVB_KV_FP8); // has no such model: said elsewhere
    says(kvb_kv_refused, &plan, NULL);
    make_v4(R(22, 0), KVB_KV_FP8);
    (void)strcpy(plan.model.quantisation.name, "compressed-tensors");
    says(kvb_kv_refused, &plan, "KeyError: 'scale_fmt'");
    plan.engine.release = R(23, 0);
    says(kvb_kv_refused, &plan, NULL);
    plan.engine.release = R(19, 0);
    says(kvb_kv_refused, &plan, NULL);
}

KVB_TEST_MAIN(cmocka_unit_test(caches_that_a_checkpoint_declares), cmocka_unit_test(e5m2_of_checkpoints),
              cmocka_unit_test(types_of_no_backend), cmocka_unit_test(nvfp4_of_latents), cmocka_unit_test(words_of_v4))
