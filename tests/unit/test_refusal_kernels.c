// Rules of vLLM about classes, types, kernels and attention backends, asked one by one. Expected values are read from
// vllm/model_executor/models, vllm/platforms and vllm/v1/attention/backends at the tags named beside them.
#include <stdio.h>

#include "engines/vllm/context.h"
#include "unit/refusal_says.h"
#include "unit/test.h"

static struct kvb_plan plan;

// ---- Classes

// registry.py v0.25.0 _PREVIOUSLY_SUPPORTED_MODELS, v0.19.0 _OOT_SUPPORTED_MODELS; utils.py v0.7.2: what no release
// names may be in transformers, of which v0.8.3 asks for 4.51.0, the first with Qwen3.
static void classes(void **state)
{
    (void)state;
    static const struct {
        uint32_t release;
        const char *name, *part;
        bool by_transformers;
    } rows[] = {
        {R(25, 0), "AquilaForCausalLM", "was supported in vLLM until v0.24.0", false},
        {R(19, 0), "BartModel", "install the plugin at https://github.com/vllm-project/bart-plugin", false},
        {R(8, 3), "Qwen3ForCausalLM", NULL, true},
        {R(8, 2), "Qwen3ForCausalLM", "['Qwen3ForCausalLM'] are not supported for now.", false},
        {R(8, 3), "Glm4ForCausalLM", "['Glm4ForCausalLM'] are not supported for now.", false},
        {R(8, 3), "Qwen3MoeForCausalLM", "['Qwen3MoeForCausalLM'] are not supported for now.", false},
        {R(8, 3), "NobodysForCausalLM", NULL, true},
        {R(7, 1), "NobodysForCausalLM", "['NobodysForCausalLM'] are not supported for now.", false},
        {R(8, 3), "LlamaForCausalLM", NULL, false},
        {R(8, 3), "", NULL, false}, // a profile that does not say
    };
    for (size_t i = 0; i < sizeof rows / sizeof rows[0]; i++) {
        make_llama_plan(&plan, rows[i].release);
        name_class(&plan, rows[i].name);
        says(kvb_refusal_class, &plan, rows[i].part);
        assert_int_equal(kvb_class_by_transformers(resolved(&plan)), rows[i].by_transformers);
    }
}

// SupportsPP: known of each class from 0.6.3 on.
static void stages_of_classes(void **state)
{
    (void)state;
    make_llama_plan(&plan, R(9, 0));
    set(&plan, KVB_SET_PIPELINE_PARALLEL_SIZE, 2);
    says(kvb_refusal_stages_class, &plan, NULL);
    name_class(&plan, "NobodysForCausalLM");
    says(kvb_refusal_stages_class, &plan, NULL);
    name_class(&plan, "AquilaForCausalLM");
    plan.engine.release = R(5, 0); // not known of that release
    says(kvb_refusal_stages_class, &plan, NULL);
    make_llama_plan(&plan,
                    R(9, 0)); // models/whisper.py v0.9.0: SupportsTranscription, SupportsMultiModal, SupportsV0Only
    name_class(&plan, "WhisperForConditionalGeneration");
    says(kvb_refusal_stages_class, &plan, NULL);
    set(&plan, KVB_SET_PIPELINE_PARALLEL_SIZE, 2);
    says(kvb_refusal_stages_class, &plan, "Pipeline parallelism is not supported for this model.");
}

// ---- Types

// model.py v0.9.0, v0.9.1 _resolve_auto_dtype: 32 bits are cast down, to bfloat16 where the model needs its range.
static void automatic_types(void **state)
{
    (void)state;
    static const struct {
        uint32_t release, capability;
        const char *name;
        enum kvb_dtype stored, taken;
        bool pooling;
        enum kvb_usage usage;
    } rows[] = {
        {R(9, 0), 90, "LlamaForCausalLM", KVB_DTYPE_FP32, KVB_DTYPE_FP16, false, KVB_USAGE_SERVE},
        {R(9, 1), 90, "LlamaForCausalLM", KVB_DTYPE_FP32, KVB_DTYPE_BF16, false, KVB_USAGE_SERVE},
        {R(9, 1), 90, "LlamaForCausalLM", KVB_DTYPE_FP32, KVB_DTYPE_FP16, true, KVB_USAGE_SERVE},
        {R(9, 1), 90, "Gemma2Model", KVB_DTYPE_FP32, KVB_DTYPE_BF16, true, KVB_USAGE_SERVE},
        {R(9, 1), 90, "Gemma2ForCausalLM", KVB_DTYPE_FP16, KVB_DTYPE_BF16, false, KVB_USAGE_SERVE},
        {R(9, 1), 90, "LlamaForCausalLM", KVB_DTYPE_FP16, KVB_DTYPE_FP16, false, KVB_USAGE_SERVE},
        {R(9, 1), 75, "LlamaForCausalLM", KVB_DTYPE_BF16, KVB_DTYPE_FP16, false, KVB_USAGE_SERVE},
        {R(9, 1), 75, "Gemma2ForCausalLM", KVB_DTYPE_BF16, KVB_DTYPE_FP32, false, KVB_USAGE_SERVE},
        {R(8, 5), 75, "LlamaForCausalLM", KVB_DTYPE_BF16, KVB_DTYPE_BF16, false, KVB_USAGE_SERVE},
        {R(8, 5), 75, "LlamaForCausalLM", KVB_DTYPE_BF16, KVB_DTYPE_FP16, false, KVB_USAGE_OFFLINE},
    };
    for (size_t i = 0; i < sizeof rows / sizeof rows[0]; i++) {
        make_llama_plan(&plan, rows[i].release);
        name_class(&plan, rows[i].name);
        plan.gpu.compute_capability = rows[i].capability;
        plan.model.dtype = rows[i].stored;
        plan.model.pooling = rows[i].pooling;
        plan.usage = rows[i].usage;
        assert_int_equal(kvb_auto_dtype(resolved(&plan)), rows[i].taken);
    }
}

// ---- Kernels

// flash_attn.py v0.8.5 get_supported_head_sizes: V1 on 8.0 and later where no other backend is asked for.
static void heads_of_early_v1(void **state)
{
    (void)state;
    make_llama_plan(&plan, R(8, 5));
    says(kvb_refusal_head_size, &plan, NULL);
    for (uint32_t size = 16; size <= 288; size += 16) {
        plan.model.kinds[0].attention.head_size = size;
        says(kvb_refusal_head_size, &plan, size % 32 == 0 && size <= 256 ? NULL : "is not supported by FlashAttention");
    }
    plan.model.kinds[0].attention.head_size = 80;
    says(kvb_refusal_head_size, &plan, "Head size 80 is not supported by FlashAttention.");
    plan.gpu.compute_capability = 80; // has_device_capability(80)
    says(kvb_refusal_head_size, &plan, "Head size 80 is not supported by FlashAttention.");
    plan.gpu.compute_capability = 90;
    plan.environment.attention_backend = KVB_BACKEND_TRITON;
    says(kvb_refusal_head_size, &plan, NULL);
    plan.environment.attention_backend = KVB_BACKEND_AUTO;
    plan.gpu.compute_capability = 75;
    plan.environment.use_v1 = KVB_YES;
    says(kvb_refusal_head_size, &plan, NULL);
    plan.gpu.compute_capability = 90;
    plan.gpu.vendor = KVB_VENDOR_AMD;
    says(kvb_refusal_head_size, &plan, NULL);
    plan.gpu.vendor = KVB_VENDOR_NVIDIA;
    plan.environment.use_v1 = KVB_NO;
    says(kvb_refusal_head_size, &plan, NULL);
}

// fp8.py v0.8.5: blocks and experts ran in Triton's kernels, which are compiled for 8.9 and later.
static void early_fp8_kernels(void **state)
{
    (void)state;
    static const struct {
        const char *name;
        enum kvb_scale_shape scale;
        bool refused;
    } rows[] = {
        {"fp8", KVB_SCALE_BLOCK, true}, {"fp8", KVB_SCALE_TENSOR, false}, {"fbgemm_fp8", KVB_SCALE_BLOCK, false}};
    for (size_t i = 0; i < sizeof rows / sizeof rows[0]; i++) {
        make_llama_plan(&plan, R(8, 5));
        plan.gpu.compute_capability = 80;
        plan.model.quantisation = (struct kvb_quantisation){.method = KVB_QUANT_FP8, .bits = 8, .scale = rows[i].scale};
        (void)strcpy(plan.model.quantisation.name, rows[i].name);
        says(kvb_refusal_fp8_kernel, &plan, rows[i].refused ? "type fp8e4nv not supported" : NULL);
        plan.gpu.compute_capability = 89;
        says(kvb_refusal_fp8_kernel, &plan, NULL);
    }
    for (int stored = 0; stored < 2; stored++) { // experts, whichever the scales, stored or made while loading
        make_llama_plan(&plan, R(8, 5));
        plan.gpu.compute_capability = 80;
        plan.model.kinds[0].mlp.kind = KVB_MLP_MOE;
        plan.model.kinds[0].mlp.experts = 8;
        says(kvb_refusal_fp8_kernel, &plan, NULL);
        if (stored == 1) {
            plan.model.quantisation = (struct kvb_quantisation){.method = KVB_QUANT_FP8, .bits = 8, .name = "fp8"};
        } else {
            set(&plan, KVB_SET_QUANTIZATION, KVB_QUANTIZATION_FP8);
        }
        says(kvb_refusal_fp8_kernel, &plan, "type fp8e4nv not supported");
        plan.model.kinds[0].mlp.kind = KVB_MLP_GATED;
        says(kvb_refusal_fp8_kernel, &plan, NULL);
    }
}

// flex_attention.py v0.10.2, on GPUs below 8.0.
static void caches_of_flex_attention(void **state)
{
    (void)state;
    make_llama_plan(&plan, R(10, 2));
    plan.environment.use_v1 = KVB_YES;
    plan.gpu.compute_capability = 75;
    says(kvb_refusal_flex_cache, &plan, NULL);
    set(&plan, KVB_SET_KV_CACHE_DTYPE, KVB_KV_FP8);
    says(kvb_refusal_flex_cache, &plan, "FlexAttention does not support quantized kv-cache.");
    plan.environment.attention_backend = KVB_BACKEND_TRITON;
    says(kvb_refusal_flex_cache, &plan, NULL);
    make_latent_plan(&plan, R(10, 2), 8192, 256);
    plan.environment.use_v1 = KVB_YES;
    plan.gpu.compute_capability = 75;
    set(&plan, KVB_SET_KV_CACHE_DTYPE, KVB_KV_FP8);
    says(kvb_refusal_flex_cache, &plan, NULL);
}

// bitsandbytes_loader.py: stored checkpoints are not cut; the sentence was respelt in 0.7.0.
static void stored_bitsandbytes(void **state)
{
    (void)state;
    make_llama_plan(&plan, R(6, 6));
    plan.model.quantisation.method = KVB_QUANT_BNB4;
    (void)strcpy(plan.model.quantisation.name, "bitsandbytes");
    says(kvb_refusal_bnb_stored, &plan, NULL);
    set(&plan, KVB_SET_TENSOR_PARALLEL_SIZE, 2);
    says(kvb_refusal_bnb_stored, &plan, "Prequant BitsAndBytes models with TP is not supported.");
    plan.engine.release = R(7, 0);
    says(kvb_refusal_bnb_stored, &plan, "Prequant BitsAndBytes models with tensor parallelism is not supported.");
}

// ---- Backends

static void backends_asked_for(void **state)
{
    (void)state;
    static const struct {
        enum kvb_backend backend;
        uint32_t release, capability, head_size;
        enum kvb_dtype_word dtype;
        const char *name, *part;
    } rows[] = {
        {KVB_BACKEND_FLASH_ATTN, R(12, 0), 90, 256, KVB_DTYPE_AUTO, "LlamaForCausalLM", NULL},
        {KVB_BACKEND_FLASH_ATTN, R(12, 0), 90, 264, KVB_DTYPE_AUTO, "LlamaForCausalLM", "'head_size not supported'"},
        {KVB_BACKEND_FLASH_ATTN, R(12, 0), 90, 84, KVB_DTYPE_AUTO, "LlamaForCausalLM", "'head_size not supported'"},
        {KVB_BACKEND_FLASH_ATTN, R(27, 0), 90, 512, KVB_DTYPE_AUTO, "LlamaForCausalLM", NULL},
        {KVB_BACKEND_FLASH_ATTN, R(11, 1), 90, 80, KVB_DTYPE_AUTO, "LlamaForCausalLM", "'head_size not supported'"},
        {KVB_BACKEND_FLASH_ATTN, R(12, 0), 90, 128, KVB_DTYPE_WORD_FP32, "LlamaForCausalLM", "'dtype not supported'"},
        {KVB_BACKEND_TRITON, R(12, 0), 90, 128, KVB_DTYPE_WORD_FP32, "LlamaForCausalLM", NULL},
        {KVB_BACKEND_TRITON, R(12, 0), 90, 24, KVB_DTYPE_AUTO, "LlamaForCausalLM",
         "AttentionBackendEnum.TRITON_ATTN is not valid"},
        {KVB_BACKEND_FLASHINFER, R(12, 0), 90, 80, KVB_DTYPE_AUTO, "LlamaForCausalLM",
         "AttentionBackendEnum.FLASHINFER is not valid"},
        {KVB_BACKEND_FLASH_ATTN, R(12, 0), 90, 128, KVB_DTYPE_AUTO, "Gemma3ForConditionalGeneration", NULL},
        {KVB_BACKEND_FLASH_ATTN, R(13, 0), 90, 128, KVB_DTYPE_AUTO, "Gemma3ForConditionalGeneration",
         "'partial multimodal token full attention not supported'"},
        {KVB_BACKEND_OTHER, R(12, 0), 90, 84, KVB_DTYPE_AUTO, "LlamaForCausalLM", NULL},
    };
    for (size_t i = 0; i < sizeof rows / sizeof rows[0]; i++) {
        make_llama_plan(&plan, rows[i].release);
        name_class(&plan, rows[i].name);
        plan.gpu.compute_capability = rows[i].capability;
        plan.environment.attention_backend = rows[i].backend;
        plan.model.kinds[0].attention.head_size = rows[i].head_size;
        set(&plan, KVB_SET_DTYPE, rows[i].dtype);
        says(kvb_refusal_backend, &plan, rows[i].part);
    }
}

// triton_attn.py v0.24.0; before, the compiler refuses fp8e4nv below 8.9.
static void fp8_in_triton(void **state)
{
    (void)state;
    static const struct {
        uint32_t release, capability;
        enum kvb_backend backend;
        const char *part;
    } rows[] = {
        {R(11, 0), 75, KVB_BACKEND_AUTO, NULL},
        {R(11, 0), 80, KVB_BACKEND_AUTO, "type fp8e4nv not supported"},
        {R(12, 0), 80, KVB_BACKEND_AUTO, NULL}, // FlashInfer takes it
        {R(12, 0), 80, KVB_BACKEND_TRITON, "type fp8e4nv not supported"},
        {R(24, 0), 80, KVB_BACKEND_TRITON, "Re-run with --kv-cache-dtype bfloat16."},
        {R(24, 0), 75, KVB_BACKEND_TRITON, "Re-run with --kv-cache-dtype float16."},
        {R(24, 0), 89, KVB_BACKEND_TRITON, NULL},
    };
    for (size_t i = 0; i < sizeof rows / sizeof rows[0]; i++) {
        make_llama_plan(&plan, rows[i].release);
        plan.gpu.compute_capability = rows[i].capability;
        plan.environment.attention_backend = rows[i].backend;
        set(&plan, KVB_SET_KV_CACHE_DTYPE, KVB_KV_FP8);
        says(kvb_refusal_triton_cache, &plan, rows[i].part);
    }
}

// cuda.py get_attn_backend_cls: four bits are FlashInfer's of 10.x alone from 0.25.0 on.
static void four_bits(void **state)
{
    (void)state;
    static const struct {
        enum kvb_dtype_word word;
        const char *text;
    } rows[] = {{KVB_DTYPE_WORD_FP16, "dtype=torch.float16"},
                {KVB_DTYPE_WORD_FP32, "dtype=torch.float32"},
                {KVB_DTYPE_WORD_BF16, "dtype=torch.bfloat16"}};
    for (size_t i = 0; i < sizeof rows / sizeof rows[0]; i++) {
        make_llama_plan(&plan, R(25, 0));
        set(&plan, KVB_SET_KV_CACHE_DTYPE, KVB_KV_NVFP4);
        set(&plan, KVB_SET_DTYPE, rows[i].word);
        says(kvb_refusal_no_backend, &plan, rows[i].text);
    }
    plan.environment.attention_backend = KVB_BACKEND_FLASHINFER; // says it itself
    says(kvb_refusal_no_backend, &plan, NULL);
    plan.environment.attention_backend = KVB_BACKEND_AUTO;
    set(&plan, KVB_SET_DTYPE, KVB_DTYPE_WORD_BF16);
    plan.gpu.compute_capability = 100;
    says(kvb_refusal_no_backend, &plan, NULL);
}

// attention/backends/abstract.py v0.11.0:203 takes "bfloat16" for 8 bits: FlashAttention refuses them but on 9.x
// (flash_attn.py:409), which 8.x and 12.x choose by themselves, without sinks; others do not know the word where they
// write the cache (quant_utils.cuh:591), which graphs of whole steps do while they are captured.
static void named_16bit(void **state)
{
    (void)state;
    static const char flash[] = "FlashAttention does not support fp8 kv-cache on this device.";
    static const char word[] = "Unsupported data type of kv cache: bfloat16";
    static const struct {
        uint32_t capability;
        enum kvb_backend backend;
        enum kvb_graph_mode mode;
        bool eager, pools, sinks;
        const char *says;
    } rows[] = {
        {89, KVB_BACKEND_AUTO, KVB_GRAPH_MODE_AUTO, true, false, false, flash},
        {120, KVB_BACKEND_AUTO, KVB_GRAPH_MODE_AUTO, false, false, false, flash},
        {89, KVB_BACKEND_AUTO, KVB_GRAPH_MODE_AUTO, false, false, true, word},
        {100, KVB_BACKEND_AUTO, KVB_GRAPH_MODE_AUTO, false, false, false, word},
        {100, KVB_BACKEND_FLASH_ATTN, KVB_GRAPH_MODE_AUTO, true, false, false, flash},
        {75, KVB_BACKEND_AUTO, KVB_GRAPH_MODE_AUTO, false, false, false, word},
        {90, KVB_BACKEND_AUTO, KVB_GRAPH_MODE_FULL_AND_PIECEWISE, false, false, false, word},
        {90, KVB_BACKEND_FLASH_ATTN, KVB_GRAPH_MODE_FULL, false, false, false, word},
        {90, KVB_BACKEND_AUTO, KVB_GRAPH_MODE_AUTO, true, false, false, NULL},
        {90, KVB_BACKEND_AUTO, KVB_GRAPH_MODE_AUTO, false, true, false, NULL},
        {90, KVB_BACKEND_AUTO, KVB_GRAPH_MODE_NONE, false, false, false, NULL},
        {90, KVB_BACKEND_AUTO, KVB_GRAPH_MODE_PIECEWISE, false, false, false, NULL},
        {0, KVB_BACKEND_AUTO, KVB_GRAPH_MODE_AUTO, false, false, false, NULL},
    };
    for (size_t i = 0; i < sizeof rows / sizeof rows[0]; i++) {
        make_llama_plan(&plan, R(11, 0));
        plan.gpu.compute_capability = rows[i].capability;
        plan.environment.attention_backend = (uint8_t)rows[i].backend;
        plan.model.kinds[0].attention.sinks = rows[i].sinks;
        set(&plan, KVB_SET_KV_CACHE_DTYPE, KVB_KV_16BIT);
        set(&plan, KVB_SET_ENFORCE_EAGER, rows[i].eager);
        set(&plan, KVB_SET_CUDAGRAPH_MODE, rows[i].mode);
        set(&plan, KVB_SET_RUNNER, rows[i].pools ? KVB_RUNNER_POOLING : KVB_RUNNER_AUTO);
        says(kvb_refusal_named_16bit, &plan, rows[i].says);
        plan.gpu.vendor = KVB_VENDOR_AMD;
        says(kvb_refusal_named_16bit, &plan, NULL);
    }
    make_llama_plan(&plan, R(11, 0));
    plan.gpu.compute_capability = 89;
    says(kvb_refusal_named_16bit, &plan, NULL);
    make_latent_plan(&plan, R(11, 0), 8192, 256); // has kernels of its own, which write by the same macro
    plan.gpu.compute_capability = 89;
    set(&plan, KVB_SET_KV_CACHE_DTYPE, KVB_KV_16BIT);
    says(kvb_refusal_named_16bit, &plan, word);
}

// flex_attention.py v0.11.1 to v0.27.1: any size, both ways, 32 bits, no bits but the model's; turboquant_attn.py
// v0.20.0 to v0.27.1: its own four words alone. Windows are asked of a backend from v0.26.0 on (backend.py), and
// FlexAttention says that it has them.
static void backends_seldom_asked_for(void **state)
{
    (void)state;
#define SELECTED "Selected backend AttentionBackendEnum."
#define REASON " is not valid for this configuration. Reason: ["
    static const struct {
        enum kvb_backend backend;
        uint32_t release;
        enum kvb_kv_dtype word;
        enum kvb_dtype_word dtype;
        const char *name;
        uint32_t window_tokens;
        const char *text;
    } rows[] = {
        {KVB_BACKEND_FLEX, R(12, 0), KVB_KV_AUTO, KVB_DTYPE_WORD_FP32, "Gemma3ForConditionalGeneration", 4096, NULL},
        {KVB_BACKEND_FLEX, R(13, 0), KVB_KV_AUTO, KVB_DTYPE_WORD_FP16, "Gemma3ForConditionalGeneration", 4096, NULL},
        {KVB_BACKEND_FLEX, R(26, 0), KVB_KV_AUTO, KVB_DTYPE_WORD_FP16, "LlamaForCausalLM", 4096, NULL},
        {KVB_BACKEND_FLEX, R(12, 0), KVB_KV_FP8, KVB_DTYPE_WORD_FP16, "LlamaForCausalLM", 0,
         SELECTED "FLEX_ATTENTION" REASON "'kv_cache_dtype not supported']"},
        {KVB_BACKEND_FLEX, R(26, 0), KVB_KV_FP8_E5M2, KVB_DTYPE_WORD_FP16, "GptOssForCausalLM", 0,
         SELECTED "FLEX_ATTENTION" REASON "'kv_cache_dtype not supported', 'attention sinks not supported']"},
        {KVB_BACKEND_TURBOQUANT, R(20, 0), KVB_KV_TURBOQUANT_K8V4, KVB_DTYPE_WORD_FP16, "LlamaForCausalLM", 0, NULL},
        {KVB_BACKEND_TURBOQUANT, R(20, 0), KVB_KV_TURBOQUANT_4BIT_NC, KVB_DTYPE_WORD_FP16, "LlamaForCausalLM", 0, NULL},
        {KVB_BACKEND_TURBOQUANT, R(20, 0), KVB_KV_TURBOQUANT_K3V4_NC, KVB_DTYPE_WORD_FP16, "LlamaForCausalLM", 0, NULL},
        {KVB_BACKEND_TURBOQUANT, R(20, 0), KVB_KV_TURBOQUANT_3BIT_NC, KVB_DTYPE_WORD_FP16, "LlamaForCausalLM", 0, NULL},
        {KVB_BACKEND_TURBOQUANT, R(20, 0), KVB_KV_16BIT, KVB_DTYPE_WORD_FP32, "LlamaForCausalLM", 0,
         SELECTED "TURBOQUANT" REASON "'dtype not supported', 'kv_cache_dtype not supported']"},
        {KVB_BACKEND_TURBOQUANT, R(25, 1), KVB_KV_AUTO, KVB_DTYPE_WORD_FP16, "LlamaForCausalLM", 4096,
         SELECTED "TURBOQUANT" REASON "'kv_cache_dtype not supported']"},
        {KVB_BACKEND_TURBOQUANT, R(26, 0), KVB_KV_AUTO, KVB_DTYPE_WORD_FP16, "LlamaForCausalLM", 1,
         SELECTED "TURBOQUANT" REASON "'kv_cache_dtype not supported', 'sliding window not supported']"},
        {KVB_BACKEND_TURBOQUANT, R(26, 0), KVB_KV_TURBOQUANT_K8V4, KVB_DTYPE_WORD_FP16, "LlamaForCausalLM", 0, NULL},
        {KVB_BACKEND_FLASHINFER, R(26, 0), KVB_KV_AUTO, KVB_DTYPE_WORD_FP16, "LlamaForCausalLM", 4096, NULL},
    };
    for (size_t i = 0; i < sizeof rows / sizeof rows[0]; i++) {
        char out[KVB_ERROR_TEXT_CAPACITY] = "";
        make_llama_plan(&plan, rows[i].release);
        name_class(&plan, rows[i].name);
        plan.environment.attention_backend = rows[i].backend;
        plan.model.kinds[0].attention.window_tokens = rows[i].window_tokens;
        set(&plan, KVB_SET_DTYPE, rows[i].dtype);
        set(&plan, KVB_SET_KV_CACHE_DTYPE, rows[i].word);
        assert_int_equal(kvb_refusal_backend(resolved(&plan), out), rows[i].text != NULL);
        assert_string_equal(out, rows[i].text != NULL ? rows[i].text : "");
    }
}

// flash_attn.py v0.11.1 get_supported_head_sizes; --kv-cache-dtype bfloat16 is listed from v0.15.0 on.
static void sizes_and_words_of_flash_attention(void **state)
{
    (void)state;
    for (uint32_t size = 8; size <= 264; size += 8) {
        make_llama_plan(&plan, R(11, 1));
        plan.environment.attention_backend = KVB_BACKEND_FLASH_ATTN;
        plan.model.kinds[0].attention.head_size = size;
        says(kvb_refusal_backend, &plan, size % 32 == 0 && size <= 256 ? NULL : "'head_size not supported'");
    }
    make_llama_plan(&plan, R(14, 1));
    plan.environment.attention_backend = KVB_BACKEND_FLASH_ATTN;
    set(&plan, KVB_SET_KV_CACHE_DTYPE, KVB_KV_16BIT);
    says(kvb_refusal_backend, &plan, "'kv_cache_dtype not supported'");
    plan.engine.release = R(15, 0);
    says(kvb_refusal_backend, &plan, NULL);
}

// Backends for latents alone, by the names of AttentionBackendEnum (v1/attention/backends/registry.py v0.27.1).
static void backends_of_latents(void **state)
{
    (void)state;
    static const struct {
        enum kvb_backend backend;
        const char *name; // NULL: takes keys and values
    } rows[] = {
        {KVB_BACKEND_FLASHMLA, "FLASHMLA"},
        {KVB_BACKEND_FLASHMLA_SPARSE, "FLASHMLA_SPARSE"},
        {KVB_BACKEND_FLASHINFER_MLA, "FLASHINFER_MLA"},
        {KVB_BACKEND_CUTLASS_MLA, "CUTLASS_MLA"},
        {KVB_BACKEND_TRITON_MLA, "TRITON_MLA"},
        {KVB_BACKEND_FLASH_ATTN_MLA, "FLASH_ATTN_MLA"},
        {KVB_BACKEND_FLASHINFER_MLA_SPARSE, "FLASHINFER_MLA_SPARSE"},
        {KVB_BACKEND_FLASH_ATTN_MLA_SPARSE, "FLASH_ATTN_MLA_SPARSE"},
        {KVB_BACKEND_FLASHINFER_MLA_SPARSE_SM120, "FLASHINFER_MLA_SPARSE_SM120"},
        {KVB_BACKEND_TOKENSPEED_MLA, "TOKENSPEED_MLA"},
        {KVB_BACKEND_FLASH_ATTN, NULL},
        {KVB_BACKEND_FLASHINFER, NULL},
        {KVB_BACKEND_TRITON, NULL},
        {KVB_BACKEND_FLEX, NULL},
        {KVB_BACKEND_TURBOQUANT, NULL},
        {KVB_BACKEND_OTHER, NULL},
        {KVB_BACKEND_AUTO, NULL},
    };
    for (size_t i = 0; i < sizeof rows / sizeof rows[0]; i++) {
        char wanted[KVB_ERROR_TEXT_CAPACITY] = "", out[KVB_ERROR_TEXT_CAPACITY] = "";
        if (rows[i].name != NULL) {
            (void)snprintf(wanted, sizeof wanted,
                           SELECTED "%s is not valid for this configuration: non-MLA not supported", rows[i].name);
        }
        make_llama_plan(&plan, R(27, 0));
        plan.environment.attention_backend = rows[i].backend;
        assert_int_equal(kvb_refusal_backend_latent(resolved(&plan), out), rows[i].name != NULL);
        assert_string_equal(out, wanted);
        make_latent_plan(&plan, R(27, 0), 8192, 256);
        plan.environment.attention_backend = rows[i].backend;
        says(kvb_refusal_backend_latent, &plan, NULL);
    }
}

KVB_TEST_MAIN(cmocka_unit_test(sizes_and_words_of_flash_attention), cmocka_unit_test(backends_seldom_asked_for),
              cmocka_unit_test(backends_of_latents), cmocka_unit_test(named_16bit), cmocka_unit_test(classes),
              cmocka_unit_test(stages_of_classes), cmocka_unit_test(automatic_types),
              cmocka_unit_test(heads_of_early_v1), cmocka_unit_test(early_fp8_kernels),
              cmocka_unit_test(caches_of_flex_attention), cmocka_unit_test(stored_bitsandbytes),
              cmocka_unit_test(backends_asked_for), cmocka_unit_test(fp8_in_triton), cmocka_unit_test(four_bits))
