// Quantisation methods: what a release settles on and what it says of it, rule by rule, and what kept 0.8 to 0.10 on
// the V0 engine. Expected values are read from vllm/model_executor/layers/quantization, vllm/config and
// vllm/engine/arg_utils.py at the tags named beside them.
#include <string.h>

#include "engines/vllm/v1_oracle.h"
#include "release/settings_words.h"
#include "unit/refusal_says.h"
#include "unit/test.h"

static struct kvb_plan plan;

static struct kvb_quantisation *store(const char *name, enum kvb_quantisation_method method, uint32_t bits,
                                      uint32_t group)
{
    struct kvb_quantisation *q = &plan.model.quantisation;
    *q = (struct kvb_quantisation){.method = method, .bits = bits, .group_size = group};
    (void)strncpy(q->name, name, sizeof q->name - 1);
    return q;
}

static void uses(const char *method)
{
    char word[48];
    assert_string_equal(kvb_method_used(resolved(&plan), word), method);
}

// gptq_marlin.py v0.9.0 TYPE_MAP: 4 or 8 bits without zero points; marlin_utils.py: groups of -1, 32, 64, 128;
// get_min_capability 80.
static void gptq_runs_in_marlin_kernels_where_they_take_it(void **state)
{
    (void)state;
    static const struct {
        uint32_t bits, group, capability;
        bool symmetric;
        const char *method;
    } rows[] = {
        {4, 0, 90, true, "gptq_marlin"},   {4, 32, 90, true, "gptq_marlin"}, {4, 64, 90, true, "gptq_marlin"},
        {4, 128, 90, true, "gptq_marlin"}, {4, 256, 90, true, "gptq"},       {8, 128, 90, true, "gptq_marlin"},
        {3, 128, 90, true, "gptq"},        {4, 128, 90, false, "gptq"},      {4, 128, 75, true, "gptq"},
        {4, 128, 80, true, "gptq_marlin"}, {4, 128, 0, true, "gptq_marlin"}, // a GPU whose capability nobody said
    };
    for (size_t i = 0; i < sizeof rows / sizeof rows[0]; i++) {
        make_llama_plan(&plan, R(9, 0));
        store("gptq", KVB_QUANT_GPTQ, rows[i].bits, rows[i].group)->symmetric = rows[i].symmetric;
        plan.gpu.compute_capability = rows[i].capability;
        uses(rows[i].method);
    }
    make_llama_plan(&plan, R(4, 1)); // no such kernels before 0.4.2
    store("gptq", KVB_QUANT_GPTQ, 4, 128)->symmetric = true;
    uses("gptq");
    make_llama_plan(&plan, R(9, 0)); // gptq_marlin.py v0.9.0: current_platform.is_cuda()
    store("gptq", KVB_QUANT_GPTQ, 4, 128)->symmetric = true;
    plan.gpu.vendor = KVB_VENDOR_AMD;
    uses("gptq");
}

// awq_marlin.py v0.9.0: has_zp is zero_point, and only uint4 is supported with zero points.
static void awq_runs_in_marlin_kernels_with_zero_points(void **state)
{
    (void)state;
    make_llama_plan(&plan, R(9, 0));
    struct kvb_quantisation *q = store("awq", KVB_QUANT_AWQ, 4, 128);
    uses("awq_marlin");
    q->bits = 8;
    uses("awq");
    q->bits = 4;
    q->symmetric = true;
    uses("awq");
    make_llama_plan(&plan, R(5, 2)); // since 0.5.3
    store("awq", KVB_QUANT_AWQ, 4, 128);
    uses("awq");
}

// inc.py v0.15.0 takes auto-round; modelopt.py: nvfp4 until 0.9.0, modelopt_fp4 later.
static void other_names_of_checkpoints(void **state)
{
    (void)state;
    make_llama_plan(&plan, R(14, 0));
    store("auto-round", KVB_QUANT_GPTQ, 4, 128);
    uses("auto-round");
    make_llama_plan(&plan, R(15, 0));
    store("auto-round", KVB_QUANT_GPTQ, 4, 128);
    uses("inc");
    make_llama_plan(&plan, R(8, 5));
    store("modelopt", KVB_QUANT_NVFP4, 4, 16);
    uses("nvfp4");
    make_llama_plan(&plan, R(9, 0));
    store("modelopt", KVB_QUANT_NVFP4, 4, 16);
    uses("modelopt_fp4");
}

// vllm/config/model.py _verify_quantization; argparse held the choices until 0.9.2.
static void words_that_a_release_does_not_know(void **state)
{
    (void)state;
    make_llama_plan(&plan, R(9, 1));
    set(&plan, KVB_SET_QUANTIZATION, KVB_QUANTIZATION_SQUEEZELLM);
    says(kvb_refusal_method_choice, &plan, "argument --quantization/-q: invalid choice: 'squeezellm'");
    plan.engine.release = R(13, 0);
    says(kvb_refusal_method_word, &plan, "Unknown quantization method: squeezellm.");
    unset(&plan, KVB_SET_QUANTIZATION);
    store("squeezellm", KVB_QUANT_GPTQ, 4, 0);
    plan.engine.release = R(12, 0);
    says(kvb_refusal_method_word, &plan, "Unknown quantization method: squeezellm.");
    set(&plan, KVB_SET_QUANTIZATION, KVB_QUANTIZATION_OTHER_OF_CHECKPOINT); // a word without a name says nothing itself
    says(kvb_refusal_method_word, &plan, "Unknown quantization method: squeezellm.");
    make_llama_plan(&plan, R(24, 0)); // methods.py v0.24.0: GGUF is left to a plugin
    set(&plan, KVB_SET_QUANTIZATION, KVB_QUANTIZATION_GGUF);
    says(kvb_refusal_method_word, &plan, NULL);
    plan.engine.release = R(5, 4); // 0.5.5 was the first with it
    says(kvb_refusal_method_choice, &plan, "invalid choice: 'gguf'");
}

// override_quantization_method of gptq_marlin.py, awq_marlin.py, moe_wna16.py, humming.py.
static void methods_that_differ(void **state)
{
    (void)state;
    make_llama_plan(&plan, R(9, 0));
    store("gptq", KVB_QUANT_GPTQ, 4, 128)->symmetric = true;
    set(&plan, KVB_SET_QUANTIZATION, KVB_QUANTIZATION_GPTQ_MARLIN);
    says(kvb_refusal_method_differs, &plan, NULL);
    plan.gpu.compute_capability = 75; // below get_min_capability nothing is overridden
    says(kvb_refusal_method_differs, &plan, "in the model config (gptq) does not match");
    set(&plan, KVB_SET_QUANTIZATION, KVB_QUANTIZATION_AWQ_MARLIN);
    says(kvb_refusal_method_differs, &plan, "argument (awq_marlin)");
    plan.gpu.compute_capability = 90; // a word of another class is not overridden
    says(kvb_refusal_method_differs, &plan, "in the model config (gptq) does not match");
    plan.engine.release = R(5, 0); // has no such method, which is said elsewhere
    says(kvb_refusal_method_differs, &plan, "argument (awq_marlin)");
    plan.engine.release = R(9, 0);
    set(&plan, KVB_SET_QUANTIZATION, KVB_QUANTIZATION_GPTQ);
    plan.gpu.compute_capability = 75;
    says(kvb_refusal_method_differs, &plan, NULL);
    set(&plan, KVB_SET_QUANTIZATION, KVB_QUANTIZATION_MOE_WNA16);
    says(kvb_refusal_method_differs, &plan, NULL);
    plan.model.quantisation.act_order = true;
    says(kvb_refusal_method_differs, &plan, "argument (moe_wna16)");
}

// gguf.py v0.13.0 get_supported_act_dtypes: has_device_capability(100) leaves out bfloat16.
static void gguf_and_bfloat16_on_blackwell(void **state)
{
    (void)state;
    make_llama_plan(&plan, R(13, 0));
    store("gguf", KVB_QUANT_GGUF, 4, 0);
    plan.gpu.compute_capability = 90;
    says(kvb_refusal_method_dtype, &plan, NULL);
    plan.gpu.compute_capability = 120;
    says(kvb_refusal_method_dtype, &plan,
         "torch.bfloat16 is not supported for quantization method gguf. Supported "
         "dtypes: [torch.float16, torch.float32]");
    plan.engine.release = R(12, 0);
    says(kvb_refusal_method_dtype, &plan, NULL);
}

// What the class takes of a checkpoint: auto_gptq.py v0.22.0 TYPE_MAP, awq.py, auto_awq.py v0.24.0, modelopt.py
// QUANT_ALGOS (W4A16_NVFP4 from 0.21.0, scales per channel from 0.14.0, MIXED_PRECISION from 0.17.0).
static void formats_that_a_class_does_not_take(void **state)
{
    (void)state;
    static const struct {
        uint32_t release, bits;
        const char *name;
        enum kvb_quantisation_method method, expert;
        enum kvb_scale_shape scale;
        bool symmetric, alone;
        const char *says;
    } rows[] = {
        {R(22, 0), 4, "gptq", KVB_QUANT_GPTQ, 0, KVB_SCALE_GROUP, false, true, "bits=4, sym=False"},
        {R(22, 0), 4, "gptq", KVB_QUANT_GPTQ, 0, KVB_SCALE_GROUP, true, true, NULL},
        {R(22, 0), 3, "gptq", KVB_QUANT_GPTQ, 0, KVB_SCALE_GROUP, true, true, "bits=3, sym=True"},
        {R(21, 0), 4, "gptq", KVB_QUANT_GPTQ, 0, KVB_SCALE_GROUP, false, true, NULL},
        {R(23, 0), 8, "awq", KVB_QUANT_AWQ, 0, KVB_SCALE_GROUP, false, true, "for AWQ, but got 8 bits."},
        {R(24, 0), 8, "awq", KVB_QUANT_AWQ, 0, KVB_SCALE_GROUP, false, true, "Unsupported num_bits = 8."},
        {R(24, 0), 4, "awq", KVB_QUANT_AWQ, 0, KVB_SCALE_GROUP, false, true, NULL},
        {R(13, 0), 8, "modelopt", KVB_QUANT_FP8, 0, KVB_SCALE_CHANNEL, true, false, "ModelOpt currently only supports"},
        {R(14, 0), 8, "modelopt", KVB_QUANT_FP8, 0, KVB_SCALE_CHANNEL, true, false, NULL},
        {R(20, 0), 4, "modelopt", KVB_QUANT_NVFP4, 0, KVB_SCALE_GROUP, true, true, "ModelOpt currently only supports"},
        {R(21, 0), 4, "modelopt", KVB_QUANT_NVFP4, 0, KVB_SCALE_GROUP, true, true, NULL},
        {R(16, 0), 4, "modelopt", KVB_QUANT_NVFP4, KVB_QUANT_FP8, KVB_SCALE_GROUP, true, false, "ModelOpt currently"},
        {R(17, 0), 4, "modelopt", KVB_QUANT_NVFP4, KVB_QUANT_FP8, KVB_SCALE_GROUP, true, false, NULL},
        {R(27, 0), 4, "modelopt", KVB_QUANT_MXFP4, 0, KVB_SCALE_GROUP, true, false, "ModelOpt currently"},
    };
    for (size_t i = 0; i < sizeof rows / sizeof rows[0]; i++) {
        make_llama_plan(&plan, rows[i].release);
        struct kvb_quantisation *q = store(rows[i].name, rows[i].method, rows[i].bits, 128);
        q->scale = rows[i].scale;
        q->expert_method = rows[i].expert;
        q->symmetric = rows[i].symmetric;
        q->weight_only = rows[i].alone;
        says(kvb_refusal_method_values, &plan, rows[i].says);
    }
    make_llama_plan(&plan, R(27, 0)); // QUANT_ALGOS has no NVFP4_AWQ from v0.10.0 to v0.27.1
    struct kvb_quantisation *q = store("modelopt", KVB_QUANT_NVFP4, 4, 128);
    q->scale = KVB_SCALE_GROUP;
    says(kvb_refusal_method_values, &plan, NULL);
    q->smoothed = true;
    says(kvb_refusal_method_values, &plan, "ModelOpt currently only supports");
}

// Methods that name a file of the checkpoint (get_config_filenames), and those that quantise while loading.
static void methods_that_need_a_file(void **state)
{
    (void)state;
    make_llama_plan(&plan, R(9, 0));
    set(&plan, KVB_SET_QUANTIZATION, KVB_QUANTIZATION_TORCHAO);
    // it reads config.json itself: torchao.py v0.9.0 from_config
    says(kvb_refusal_method_file, &plan, "Please install torchao>=0.10.0");
    set(&plan, KVB_SET_QUANTIZATION, KVB_QUANTIZATION_FP8);
    says(kvb_refusal_method_file, &plan, NULL);
    set(&plan, KVB_SET_QUANTIZATION, KVB_QUANTIZATION_SQUEEZELLM); // gone, which is said elsewhere
    says(kvb_refusal_method_file, &plan, NULL);
    set(&plan, KVB_SET_QUANTIZATION, KVB_QUANTIZATION_AWQ);
    says(kvb_refusal_method_file, &plan, "Cannot find the config file for awq");
    plan.engine.release = R(11, 1); // torchao.py v0.11.1 names no file any more
    set(&plan, KVB_SET_QUANTIZATION, KVB_QUANTIZATION_TORCHAO);
    says(kvb_refusal_method_file, &plan, "missing 1 required positional argument: 'torchao_config'");
}

// compressed_tensors.py v0.5.3: CompressedTensorsW8A8Fp8.get_min_capability is 89; v0.5.4 falls back to W8A16Fp8, 80.
static void schemes_need_their_gpu(void **state)
{
    (void)state;
    make_llama_plan(&plan, R(5, 3));
    store("compressed-tensors", KVB_QUANT_FP8, 8, 0);
    plan.gpu.compute_capability = 80;
    says(kvb_refusal_scheme, &plan, "Min capability: 89. Current capability: 80.");
    plan.engine.release = R(5, 4);
    says(kvb_refusal_scheme, &plan, NULL);
    plan.gpu.compute_capability = 75;
    says(kvb_refusal_scheme, &plan, "Min capability: 80. Current capability: 75.");
    plan.gpu.vendor = KVB_VENDOR_AMD;
    says(kvb_refusal_scheme, &plan, NULL);
    plan.gpu.vendor = KVB_VENDOR_NVIDIA;
    store("compressed-tensors", KVB_QUANT_MXFP4, 4, 32); // no scheme of it here
    says(kvb_refusal_scheme, &plan, NULL);
}

// ---- The V1 engine of 0.8 to 0.10: arg_utils.py _is_v1_supported_oracle

static void lacks(const char *feature)
{
    const char *found = kvb_v1_lacks(resolved(&plan));
    if (feature == NULL ? found != NULL : found == NULL || strcmp(found, feature) != 0) {
        fail_msg("wanted %s, got %s", feature != NULL ? feature : "nothing", found != NULL ? found : "nothing");
    }
}

#define CACHE "--kv-cache-dtype"

// v0.8.2 to v0.10.1: FlashAttention on Hopper, or (cuda.py v0.10.0) any Blackwell 10.0; v0.10.2: by backend.
static void cache_types_of_early_v1(void **state)
{
    (void)state;
    static const struct {
        uint32_t release, capability;
        enum kvb_backend backend;
        bool lacks;
    } rows[] = {
        {R(8, 1), 90, KVB_BACKEND_AUTO, true},         {R(8, 2), 90, KVB_BACKEND_AUTO, false},
        {R(8, 2), 89, KVB_BACKEND_AUTO, true},         {R(9, 2), 90, KVB_BACKEND_FLASH_ATTN, false},
        {R(9, 2), 90, KVB_BACKEND_FLASHINFER, true},   {R(9, 2), 100, KVB_BACKEND_AUTO, true},
        {R(10, 0), 100, KVB_BACKEND_AUTO, false},      {R(10, 0), 103, KVB_BACKEND_AUTO, true},
        {R(10, 2), 90, KVB_BACKEND_AUTO, false},       {R(10, 2), 89, KVB_BACKEND_AUTO, true},
        {R(10, 2), 90, KVB_BACKEND_FLASH_ATTN, false}, {R(10, 2), 80, KVB_BACKEND_FLASHINFER, false},
        {R(10, 2), 89, KVB_BACKEND_TRITON, false},     {R(10, 2), 86, KVB_BACKEND_TRITON, true},
        {R(10, 2), 90, KVB_BACKEND_OTHER, true},       {R(10, 2), 0, KVB_BACKEND_AUTO, false},
    };
    for (size_t i = 0; i < sizeof rows / sizeof rows[0]; i++) {
        make_llama_plan(&plan, rows[i].release);
        set(&plan, KVB_SET_KV_CACHE_DTYPE, KVB_KV_FP8);
        plan.gpu.compute_capability = rows[i].capability;
        plan.environment.attention_backend = rows[i].backend;
        lacks(rows[i].lacks ? CACHE : NULL);
    }
    plan.gpu.vendor = KVB_VENDOR_AMD; // arg_utils.py v0.8.2 asks is_cuda, v0.9.0 takes ROCm
    plan.engine.release = R(8, 5);
    lacks(CACHE);
    plan.engine.release = R(9, 0);
    lacks(NULL);
}

// cuda.py v0.10.2: FLASHMLA and CUTLASS_MLA take fp8, and one of them is what the platform picks.
static void latent_caches_of_early_v1(void **state)
{
    (void)state;
    static const struct {
        enum kvb_backend backend;
        bool lacks;
    } rows[] = {{KVB_BACKEND_AUTO, false},
                {KVB_BACKEND_FLASHMLA, false},
                {KVB_BACKEND_CUTLASS_MLA, false},
                {KVB_BACKEND_TRITON_MLA, true}};
    for (size_t i = 0; i < sizeof rows / sizeof rows[0]; i++) {
        make_latent_plan(&plan, R(10, 2), 8192, 256);
        set(&plan, KVB_SET_KV_CACHE_DTYPE, KVB_KV_FP8);
        plan.environment.attention_backend = rows[i].backend;
        lacks(rows[i].lacks ? CACHE : NULL);
    }
    plan.engine.release = R(10, 1); // not asked by backend yet
    plan.environment.attention_backend = KVB_BACKEND_AUTO;
    lacks(NULL);
}

static void features_of_early_v1(void **state)
{
    (void)state;
    make_llama_plan(&plan, R(8, 2));
    plan.gpu.compute_capability = 75;
    lacks("Compute Capability < 8.0");
    plan.gpu.compute_capability = 90;
    give(&plan, KVB_PLAIN_PARTIAL_PREFILLS, 1);
    lacks(NULL);
    give(&plan, KVB_PLAIN_LONG_PARTIAL_PREFILLS, 2);
    lacks("Concurrent Partial Prefill");
    make_llama_plan(&plan, R(8, 2)); // the threshold alone counted until 0.8.3
    give(&plan, KVB_PLAIN_LONG_PREFILL_THRESHOLD, 1024);
    lacks("Concurrent Partial Prefill");
    plan.engine.release = R(8, 3);
    lacks(NULL);
    give(&plan, KVB_PLAIN_PARTIAL_PREFILLS, 2);
    lacks("Concurrent Partial Prefill");
    make_llama_plan(&plan, R(8, 2));
    (void)strcpy(plan.model.quantisation.name, "bitsandbytes");
    lacks("--quantization bitsandbytes");
    plan.engine.release = R(8, 3);
    lacks(NULL);
    set(&plan, KVB_SET_QUANTIZATION, KVB_QUANTIZATION_GGUF);
    lacks("--quantization gguf");
}

// Drafts that V1 did not have: MTP came with 0.9.0 (deepseek_mtp), EAGLE as an experiment with 0.8.3.
static void drafts_of_early_v1(void **state)
{
    (void)state;
    static const struct {
        uint32_t release;
        enum kvb_speculative method;
        bool lacks;
    } rows[] = {
        {R(8, 5), KVB_SPECULATIVE_NGRAM, false},      {R(8, 2), KVB_SPECULATIVE_EAGLE, true},
        {R(8, 3), KVB_SPECULATIVE_EAGLE, false},      {R(8, 5), KVB_SPECULATIVE_MTP, true},
        {R(9, 0), KVB_SPECULATIVE_MTP, false},        {R(9, 0), KVB_SPECULATIVE_OTHER, true},
        {R(9, 0), KVB_SPECULATIVE_DRAFT_MODEL, true},
    };
    for (size_t i = 0; i < sizeof rows / sizeof rows[0]; i++) {
        make_llama_plan(&plan, rows[i].release);
        set(&plan, KVB_SET_SPECULATIVE_METHOD, rows[i].method);
        lacks(rows[i].lacks ? "Speculative Decoding" : NULL);
    }
}

// Stages need an executor that was written out.
static void stages_of_early_v1(void **state)
{
    (void)state;
    make_llama_plan(&plan, R(8, 3));
    set(&plan, KVB_SET_PIPELINE_PARALLEL_SIZE, 2);
    lacks(NULL); // a profile leaves the executor out
    plan.plain_flags = KVB_PLAIN_SERVE_LINE;
    lacks("Pipeline Parallelism without Ray distributed executor");
    plan.plain_flags = KVB_PLAIN_SERVE_LINE | KVB_PLAIN_MP;
    lacks("Pipeline Parallelism without Ray distributed executor");
    plan.plain_flags = KVB_PLAIN_SERVE_LINE | KVB_PLAIN_RAY;
    lacks(NULL);
    plan.engine.release = R(9, 0);
    plan.plain_flags = KVB_PLAIN_SERVE_LINE | KVB_PLAIN_MP;
    lacks(NULL);
}

// _warn_or_fallback: V0 serves them unless VLLM_USE_V1=1 asks for V1, which is then not refused.
static void experiments_of_early_v1(void **state)
{
    (void)state;
    static const struct {
        uint32_t release;
        enum kvb_setting setting;
        uint64_t number;
        const char *feature;
    } rows[] = {
        {R(8, 5), KVB_SET_SPECULATIVE_METHOD, KVB_SPECULATIVE_NGRAM, "ngram"},
        {R(9, 0), KVB_SET_SPECULATIVE_METHOD, KVB_SPECULATIVE_NGRAM, NULL},
        {R(8, 3), KVB_SET_SPECULATIVE_METHOD, KVB_SPECULATIVE_EAGLE, "Eagle"},
        {R(9, 0), KVB_SET_SPECULATIVE_METHOD, KVB_SPECULATIVE_EAGLE, NULL},
        {R(8, 2), KVB_SET_ENABLE_LORA, 1, "LORA"},
        {R(8, 3), KVB_SET_ENABLE_LORA, 1, NULL},
        {R(8, 2), KVB_SET_PIPELINE_PARALLEL_SIZE, 2, "PP"},
        {R(8, 3), KVB_SET_PIPELINE_PARALLEL_SIZE, 2, NULL},
    };
    for (size_t i = 0; i < sizeof rows / sizeof rows[0]; i++) {
        make_llama_plan(&plan, rows[i].release);
        set(&plan, rows[i].setting, rows[i].number);
        const struct kvb_context *context = resolved(&plan);
        const char *found = kvb_v1_tries(context);
        assert_true(rows[i].feature == NULL ? found == NULL : strcmp(found, rows[i].feature) == 0);
        assert_int_equal(context->generation, rows[i].feature == NULL ? KVB_GENERATION_V1 : KVB_GENERATION_V0);
        plan.environment.use_v1 = KVB_YES;
        assert_int_equal(resolved(&plan)->generation, KVB_GENERATION_V1);
        says(kvb_refusal_v1_only, &plan, NULL);
    }
}

// ROCm ran V0 until 0.9.2 (rocm.py default_v1).
static void platforms_of_early_v1(void **state)
{
    (void)state;
    make_llama_plan(&plan, R(9, 1));
    plan.gpu.vendor = KVB_VENDOR_AMD;
    assert_int_equal(resolved(&plan)->generation, KVB_GENERATION_V0);
    plan.engine.release = R(9, 2);
    assert_int_equal(resolved(&plan)->generation, KVB_GENERATION_V1);
}

// VLLM_USE_V1=1 with what V1 lacks raises NotImplementedError.
static void v1_asked_for_in_vain(void **state)
{
    (void)state;
    make_llama_plan(&plan, R(8, 2));
    set(&plan, KVB_SET_CPU_OFFLOAD_GB, GIB);
    says(kvb_refusal_v1_only, &plan, NULL);
    plan.environment.use_v1 = KVB_YES;
    says(kvb_refusal_v1_only, &plan, "VLLM_USE_V1=1 is not supported with --cpu-offload-gb.");
}

static void ask(const char *word)
{
    uint32_t i = 0;
    while (i < KVB_QUANTIZATION_WORD_COUNT && strcmp(kvb_quantization_words[i].text, word) != 0) {
        i++;
    }
    assert_true(i < KVB_QUANTIZATION_WORD_COUNT);
    set(&plan, KVB_SET_QUANTIZATION, kvb_quantization_words[i].number);
}

// gptq_bitblas.py v0.9.0: 4 and 8 bits without zero points, capability 80, CUDA, by its word alone; gguf.py v0.21.0 by
// its word; gpt_oss.py and deepseek_v4_fp8.py v0.21.0 by word or class; modelopt.py v0.17.0 MIXED_PRECISION.
static void words_beside_the_checkpoint(void **state)
{
    (void)state;
    static const struct {
        uint32_t release;
        const char *stored, *asked, *class;
        uint32_t bits, capability;
        bool symmetric, mixed;
        const char *used;
    } rows[] = {
        {R(9, 0), "gptq", "gptq_bitblas", "LlamaForCausalLM", 4, 90, true, false, "gptq_bitblas"},
        {R(9, 0), "gptq", "gptq_bitblas", "LlamaForCausalLM", 8, 80, true, false, "gptq_bitblas"},
        {R(8, 5), "gptq", "gptq_bitblas", "LlamaForCausalLM", 4, 90, true, false, "gptq_bitblas"}, // v0.8.5 to v0.15.0
        {R(15, 0), "gptq", "gptq_bitblas", "LlamaForCausalLM", 4, 90, true, false, "gptq_bitblas"},
        {R(8, 4), "gptq", "gptq_bitblas", "LlamaForCausalLM", 4, 90, true, false, "gptq"},
        {R(9, 0), "gptq", "gptq_bitblas", "LlamaForCausalLM", 3, 90, true, false, "gptq"},
        {R(9, 0), "gptq", "gptq_bitblas", "LlamaForCausalLM", 4, 90, false, false, "gptq"},
        {R(9, 0), "gptq", "gptq_bitblas", "LlamaForCausalLM", 4, 75, true, false, "gptq"},
        {R(9, 0), "gptq", "gptq_bitblas", "LlamaForCausalLM", 4, 0, true, false, "gptq_bitblas"},
        {R(9, 0), "awq", "gptq_bitblas", "LlamaForCausalLM", 4, 90, true, false, "awq"},
        {R(21, 0), "gptq", "gguf", "LlamaForCausalLM", 4, 90, true, false, "gguf"},
        {R(24, 0), "gptq", "gguf", "LlamaForCausalLM", 4, 90, true, false, "gptq"},
        {R(21, 0), "mxfp4", NULL, "LlamaForCausalLM", 4, 90, true, false, "mxfp4"},
        {R(21, 0), "mxfp4", NULL, "GptOssForCausalLM", 4, 90, true, false, "gpt_oss_mxfp4"},
        {R(21, 0), "gpt_oss_mxfp4", NULL, "GptOssForCausalLM", 4, 90, true, false, "gpt_oss_mxfp4"},
        {R(21, 0), "fp8", NULL, "LlamaForCausalLM", 8, 90, true, false, "fp8"},
        {R(21, 0), "fp8", NULL, "DeepseekV4ForCausalLM", 8, 90, true, false, "deepseek_v4_fp8"},
        {R(21, 0), "fp8", "deepseek_v4_fp8", "LlamaForCausalLM", 8, 90, true, false, "deepseek_v4_fp8"},
        {R(21, 0), "deepseek_v4_fp8", NULL, "DeepseekV4ForCausalLM", 8, 90, true, false, "deepseek_v4_fp8"},
        {R(17, 0), "modelopt", NULL, "LlamaForCausalLM", 8, 90, true, true, "modelopt_mixed"},
        {R(17, 0), "modelopt", NULL, "LlamaForCausalLM", 8, 90, true, false, "modelopt"},
    };
    for (size_t i = 0; i < sizeof rows / sizeof rows[0]; i++) {
        make_llama_plan(&plan, rows[i].release);
        (void)strcpy(plan.model.architecture, rows[i].class);
        enum kvb_quantisation_method method =
            rows[i].bits == 8 && rows[i].release > R(9, 0) ? KVB_QUANT_FP8 : KVB_QUANT_GPTQ;
        struct kvb_quantisation *q = store(rows[i].stored, method, rows[i].bits, 128);
        q->symmetric = rows[i].symmetric;
        q->expert_method = rows[i].mixed ? KVB_QUANT_NVFP4 : KVB_QUANT_NONE;
        q->scale = rows[i].bits == 8 ? KVB_SCALE_TENSOR : KVB_SCALE_GROUP;
        plan.gpu.vendor = KVB_VENDOR_NVIDIA;
        plan.gpu.compute_capability = rows[i].capability;
        if (rows[i].asked != NULL) {
            ask(rows[i].asked);
        }
        uses(rows[i].used);
    }
    make_llama_plan(&plan, R(9, 0));
    store("gptq", KVB_QUANT_GPTQ, 4, 128)->symmetric = true;
    plan.gpu.vendor = KVB_VENDOR_AMD;
    ask("gptq_bitblas");
    uses("gptq");
    plan.gpu.vendor = KVB_VENDOR_NVIDIA;
}

// config/model.py v0.9.0: a word that names a layout of GPTQ's files goes with GPTQ alone, and with none from 0.16 on.
static void layouts_of_gptq(void **state)
{
    (void)state;
    static const struct {
        uint32_t release;
        const char *stored;
        bool differs;
    } rows[] = {{R(9, 0), "gptq", false}, {R(9, 0), "awq", true}, {R(16, 0), "gptq", true}};
    for (size_t i = 0; i < sizeof rows / sizeof rows[0]; i++) {
        char out[KVB_ERROR_TEXT_CAPACITY];
        make_llama_plan(&plan, rows[i].release);
        store(rows[i].stored, KVB_QUANT_GPTQ, 4, 128)->symmetric = true;
        ask("bitblas");
        assert_int_equal(kvb_refusal_method_differs(resolved(&plan), out), rows[i].differs);
    }
}

KVB_TEST_MAIN(cmocka_unit_test(words_beside_the_checkpoint), cmocka_unit_test(layouts_of_gptq),
              cmocka_unit_test(gptq_runs_in_marlin_kernels_where_they_take_it),
              cmocka_unit_test(awq_runs_in_marlin_kernels_with_zero_points),
              cmocka_unit_test(other_names_of_checkpoints), cmocka_unit_test(words_that_a_release_does_not_know),
              cmocka_unit_test(methods_that_differ), cmocka_unit_test(methods_that_need_a_file),
              cmocka_unit_test(gguf_and_bfloat16_on_blackwell), cmocka_unit_test(formats_that_a_class_does_not_take),
              cmocka_unit_test(schemes_need_their_gpu), cmocka_unit_test(cache_types_of_early_v1),
              cmocka_unit_test(latent_caches_of_early_v1), cmocka_unit_test(features_of_early_v1),
              cmocka_unit_test(drafts_of_early_v1), cmocka_unit_test(stages_of_early_v1),
              cmocka_unit_test(experiments_of_early_v1), cmocka_unit_test(platforms_of_early_v1),
              cmocka_unit_test(v1_asked_for_in_vain))
