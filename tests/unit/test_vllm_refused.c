// What few starts are refused for: one way of each question that no other test takes. Expected values follow from the
// engine's code at the tags named beside them, or from an equal case.
#include <string.h>

#include "engines/vllm/kv.h"
#include "engines/vllm/kv_backend.h"
#include "unit/refusal_says.h"
#include "unit/test.h"

static struct kvb_plan plan;

// ---- Refusals of the cache

// triton_mla.py v0.11.0: whatever the card, once it is asked for.
static void triton_by_name(void **state)
{
    (void)state;
    make_latent_plan(&plan, R(11, 0), 8192, 256);
    set(&plan, KVB_SET_KV_CACHE_DTYPE, KVB_KV_FP8);
    says(kvb_kv_refused, &plan, NULL); // FlashMLA, on Hopper
    uint32_t capability = plan.gpu.compute_capability;
    plan.gpu.compute_capability = 0; // a card of which it is not known: no word of what it would have taken
    says(kvb_kv_refused, &plan, NULL);
    plan.gpu.compute_capability = capability;
    plan.environment.attention_backend = KVB_BACKEND_TRITON_MLA;
    says(kvb_kv_refused, &plan, "TritonMLA V1 with FP8 KV cache not yet supported");
}

// cuda.py v0.11.0 get_attn_backend_cls: FlashMLA on 9.x, CUTLASS on 10.0 exactly, Triton elsewhere, where a cache of
// any word but auto is refused; v0.11.1 asks each backend beforehand.
static void latents_by_card(void **state)
{
    (void)state;
    static const struct {
        uint32_t release, capability;
        enum kvb_kv_dtype word;
        bool refused;
    } rows[] = {
        {R(11, 0), 80, KVB_KV_FP8, true},   {R(11, 0), 86, KVB_KV_FP8, true},    {R(11, 0), 89, KVB_KV_FP8, true},
        {R(11, 0), 90, KVB_KV_FP8, false},  {R(11, 0), 100, KVB_KV_FP8, false},  {R(11, 0), 103, KVB_KV_FP8, true},
        {R(11, 0), 120, KVB_KV_FP8, true},  {R(11, 0), 120, KVB_KV_AUTO, false}, {R(11, 0), 120, KVB_KV_16BIT, true},
        {R(11, 1), 120, KVB_KV_FP8, false},
    };
    for (size_t i = 0; i < sizeof rows / sizeof rows[0]; i++) {
        make_latent_plan(&plan, rows[i].release, 8192, 256);
        plan.gpu.compute_capability = rows[i].capability;
        set(&plan, KVB_SET_KV_CACHE_DTYPE, rows[i].word);
        char out[KVB_ERROR_TEXT_CAPACITY] = "";
        bool refused = kvb_kv_refused(resolved(&plan), out) && strstr(out, "TritonMLA V1 with FP8") != NULL;
        if (refused != rows[i].refused) {
            fail_msg("row %zu: '%s'", i, out);
        }
    }
}

// worker/utils.py v0.19.0 select_common_block_size is NVIDIA's; where no backend is there that is what is said.
static void blocks_of_an_index(void **state)
{
    (void)state;
    make_latent_plan(&plan, R(19, 0), 8192, 256);
    plan.model.kinds[0].attention.index_heads = 32;
    set(&plan, KVB_SET_BLOCK_SIZE, 32);
    plan.gpu.compute_capability = 80;
    says(kvb_kv_refused, &plan, "No valid attention backend found");
    plan.gpu.compute_capability = 100;
    says(kvb_kv_refused, &plan, "No common block size for 32. ");
    plan.gpu.vendor = KVB_VENDOR_AMD;
    says(kvb_kv_refused, &plan, NULL);
}

// interface.py v0.24.0: a stage that begins with an index of its own has blocks of 64, as the first one.
static void stages_of_one_block(void **state)
{
    (void)state;
    make_latent_plan(&plan, R(24, 0), 8192, 256);
    struct kvb_attention_shape *shape = &plan.model.kinds[0].attention;
    shape->index_heads = 32;
    shape->index_head_size = 128;
    shape->has_indexer = true;
    plan.gpu.compute_capability = 100;
    plan.model.kind_count = 2;
    plan.model.kinds[1] = plan.model.kinds[0];
    plan.model.kinds[1].attention.has_indexer = false;
    plan.model.kind_of_layer[1] = 1;
    set(&plan, KVB_SET_PIPELINE_PARALLEL_SIZE, 2);
    says(kvb_kv_refused, &plan, NULL);
    plan.model.kind_of_layer[16] = 1; // 16 layers on each
    says(kvb_kv_refused, &plan, "page size is not divisible by the maximum page size and cannot be padded.");
}

// attention/layer.py v0.9.0: layers that read scales refuse e5m2; latents have none, and 0.8.5 did not ask.
static void e5m2_beside_scales(void **state)
{
    (void)state;
    static const char sentence[] = "fp8_e5m2 kv-cache is not supported with fp8 checkpoints.";
    make_llama_plan(&plan, R(20, 0));
    (void)strcpy(plan.model.quantisation.name, "fp8");
    set(&plan, KVB_SET_KV_CACHE_DTYPE, KVB_KV_FP8_E5M2);
    says(kvb_kv_refused, &plan, sentence);
    plan.engine.release = R(9, 0);
    plan.environment.use_v1 = KVB_YES;
    says(kvb_kv_refused, &plan, sentence);
    plan.environment.use_v1 = KVB_NO;
    says(kvb_kv_refused, &plan, NULL);
    plan.environment.use_v1 = KVB_YES;
    plan.engine.release = R(8, 5);
    says(kvb_kv_refused, &plan, NULL);
    make_latent_plan(&plan, R(20, 0), 8192, 256);
    (void)strcpy(plan.model.quantisation.name, "fp8");
    plan.environment.attention_backend = KVB_BACKEND_OTHER;
    set(&plan, KVB_SET_KV_CACHE_DTYPE, KVB_KV_FP8_E5M2);
    says(kvb_kv_refused, &plan, NULL);
}

// flash_attn.py v0.17.1 get_kv_cache_shape: of keys and values; latents beside them have the block of their backend.
static void small_blocks(void **state)
{
    (void)state;
    make_llama_plan(&plan, R(17, 1));
    set(&plan, KVB_SET_BLOCK_SIZE, 8);
    says(kvb_kv_refused, &plan, "Block size must be a multiple of 16.");
    plan.model.kind_count = 2;
    plan.model.kinds[1].attention = (struct kvb_attention_shape){
        .kind = KVB_ATTENTION_MLA, .heads = 16, .latent_rank = 512, .nope_size = 128, .rope_size = 64};
    says(kvb_kv_refused, &plan, NULL);
}

// ---- Refusals before it

// lora/layers.py v0.4.0 create_lora_weights: of the head, which few classes hand to adapters.
static void adapters_of_a_head(void **state)
{
    (void)state;
    make_llama_plan(&plan, R(4, 0));
    set(&plan, KVB_SET_ENABLE_LORA, 1);
    says(kvb_refusal_lora_vocabulary, &plan, "vocab size must be 32000 >= vocab_size <= 33024");
    plan.model.vocabulary_size = 33024;
    says(kvb_refusal_lora_vocabulary, &plan, NULL);
    plan.model.vocabulary_size = 33025;
    says(kvb_refusal_lora_vocabulary, &plan, "vocab size must be");
    name_class(&plan, "OPTForCausalLM");
    says(kvb_refusal_lora_vocabulary, &plan, NULL);
}

// config/quantization.py v0.20.0: "mxfp8" is a shorthand for quantising while loading, a method of its own before.
static void a_shorthand(void **state)
{
    (void)state;
    char out[48];
    make_llama_plan(&plan, R(20, 0));
    set(&plan, KVB_SET_QUANTIZATION, KVB_QUANTIZATION_MXFP8);
    assert_string_equal(kvb_method_used(resolved(&plan), out), "online");
    plan.engine.release = R(19, 1);
    assert_string_equal(kvb_method_used(resolved(&plan), out), "mxfp8");
    plan.engine.release = R(20, 0);
    plan.model.quantisation.method = KVB_QUANT_FP8;
    (void)strcpy(plan.model.quantisation.name, "fp8");
    says(kvb_refusal_method_differs, &plan,
         "(fp8) does not match the quantization method specified in the "
         "`quantization` argument (mxfp8).");
    plan.model.assumed_high_ppm = 1; // by a name, which does not say who wrote it: fp8 may have been meant
    says(kvb_refusal_method_differs, &plan, "does not match");
    set(&plan, KVB_SET_QUANTIZATION, KVB_QUANTIZATION_MODELOPT);
    says(kvb_refusal_method_differs, &plan, NULL);
    plan.model.assumed_high_ppm = 0;
    says(kvb_refusal_method_differs, &plan, "does not match");
}

// config/vllm.py v0.28.0: routed experts are not returned from ranks that split the context.
static void routed_experts(void **state)
{
    (void)state;
    static const char sentence[] = "is incompatible with context parallelism (DCP > 1 or PCP > 1).";
    make_latent_plan(&plan, R(28, 0), 8192, 256);
    plan.plain_flags = KVB_PLAIN_SERVE_LINE | KVB_PLAIN_ROUTED_EXPERTS;
    says(kvb_refusal_routed_experts, &plan, NULL);
    set(&plan, KVB_SET_TENSOR_PARALLEL_SIZE, 2);
    set(&plan, KVB_SET_DECODE_CONTEXT_PARALLEL_SIZE, 2);
    says(kvb_refusal_routed_experts, &plan, sentence);
    plan.engine.release = R(27, 1);
    says(kvb_refusal_routed_experts, &plan, NULL);
    plan.engine.release = R(28, 0);
    unset(&plan, KVB_SET_DECODE_CONTEXT_PARALLEL_SIZE);
    set(&plan, KVB_SET_PREFILL_CONTEXT_PARALLEL_SIZE, 2);
    says(kvb_refusal_routed_experts, &plan, sentence);
}

// A profile that names no KV heads is not divided by them.
static void no_heads_to_divide(void **state)
{
    (void)state;
    make_llama_plan(&plan, R(20, 0));
    set(&plan, KVB_SET_TENSOR_PARALLEL_SIZE, 8);
    set(&plan, KVB_SET_DECODE_CONTEXT_PARALLEL_SIZE, 2);
    says(kvb_refusal_dcp, &plan, "must be greater than total num kv heads 8");
    struct kvb_context context = *resolved(&plan);
    struct kvb_model model = plan.model;
    char out[KVB_ERROR_TEXT_CAPACITY];
    model.kinds[0].attention.kv_heads = 0;
    context.model = &model;
    assert_false(kvb_refusal_dcp(&context, out));
}

// platforms/cuda.py, models/config.py v0.24.0 Gemma4Config: heads of two sizes go to Triton below Hopper, whose kernels
// lack the fp8 of cards before 8.9; on Hopper FlashAttention 4 takes both.
static void heads_of_two_sizes(void **state)
{
    (void)state;
    make_llama_plan(&plan, R(24, 0));
    name_class(&plan, "Gemma4ForCausalLM");
    plan.gpu.compute_capability = 80;
    set(&plan, KVB_SET_KV_CACHE_DTYPE, KVB_KV_FP8);
    says(kvb_refusal_triton_cache, &plan, "FP8 KV cache is not supported by the Triton attention backend");
    set(&plan, KVB_SET_KV_CACHE_DTYPE, KVB_KV_FP8_DS_MLA);
    says(kvb_refusal_no_backend, &plan, NULL); // it has been chosen
    plan.gpu.compute_capability = 90;
    says(kvb_refusal_no_backend, &plan, "No valid attention backend found for cuda");
    plan.gpu.compute_capability = 80;
    set(&plan, KVB_SET_KV_CACHE_DTYPE, KVB_KV_FP8);
    plan.environment.attention_backend = KVB_BACKEND_FLASHINFER;
    says(kvb_refusal_triton_cache, &plan, NULL);
    plan.environment.attention_backend = KVB_BACKEND_TRITON;
    plan.engine.release = R(11, 0); // asked for by name it is taken whatever the card
    says(kvb_refusal_triton_cache, &plan, "type fp8e4nv not supported in this architecture.");
    plan.environment.attention_backend = KVB_BACKEND_FLASH_ATTN;
    says(kvb_refusal_triton_cache, &plan, NULL);
}

// config.py v0.10.2:3514 and config/vllm.py v0.11.2:675: a mode of graphs with pieces is named in the sentence, unless
// pieces are compiled.
static void pieces_uncompiled(void **state)
{
    (void)state;
    static const struct {
        uint32_t release;
        enum kvb_graph_mode mode;
        uint8_t level; // and one more; 0: not said
        const char *part;
    } rows[] = {
        {R(10, 2), KVB_GRAPH_MODE_PIECEWISE, 1,
         "CompilationLevel.PIECEWISE when cudagraph_mode piecewise cudagraphs is "
         "used, cudagraph_mode=PIECEWISE"},
        {R(11, 2), KVB_GRAPH_MODE_FULL_AND_PIECEWISE, 1, "cudagraph_mode=FULL_AND_PIECEWISE"},
        {R(11, 2), KVB_GRAPH_MODE_PIECEWISE, 1, "cudagraph_mode=PIECEWISE"},
        {R(11, 2), KVB_GRAPH_MODE_PIECEWISE, 0, NULL},
        {R(11, 2), KVB_GRAPH_MODE_PIECEWISE, 4, NULL},
        {R(11, 2), KVB_GRAPH_MODE_FULL, 1, NULL},
    };
    for (size_t i = 0; i < sizeof rows / sizeof rows[0]; i++) {
        make_llama_plan(&plan, rows[i].release);
        set(&plan, KVB_SET_CUDAGRAPH_MODE, rows[i].mode);
        plan.graph_sizes.compile_mode = plan.graph_sizes.compile_level = rows[i].level;
        says(kvb_refusal_uncompiled_pieces, &plan, rows[i].part);
    }
}

// arg_utils.py v0.11.1:1475: all ranks have to fill the nodes.
static void nodes_and_ranks(void **state)
{
    (void)state;
    static const struct {
        uint64_t tp, pp, dp, nodes;
        const char *text;
    } rows[] = {
        {2, 2, 1, 4, NULL}, {2, 1, 2, 4, NULL},   {4, 1, 1, 4, NULL},   {2, 3, 1, 6, NULL},
        {4, 1, 1, 1, NULL}, {2, 2, 2, 3, "(8)."}, {4, 1, 1, 3, "(4)."},
    };
    for (size_t i = 0; i < sizeof rows / sizeof rows[0]; i++) {
        make_llama_plan(&plan, R(27, 0));
        set(&plan, KVB_SET_TENSOR_PARALLEL_SIZE, rows[i].tp);
        set(&plan, KVB_SET_PIPELINE_PARALLEL_SIZE, rows[i].pp);
        set(&plan, KVB_SET_DATA_PARALLEL_SIZE, rows[i].dp);
        give(&plan, KVB_PLAIN_NODES, rows[i].nodes);
        says(kvb_refusal_nodes, &plan, rows[i].text);
    }
}

// What the headers say without a name of a method is compared with nothing.
static void methods_without_a_name(void **state)
{
    (void)state;
    make_llama_plan(&plan, R(9, 0));
    set(&plan, KVB_SET_QUANTIZATION, KVB_QUANTIZATION_AWQ);
    plan.model.quantisation = (struct kvb_quantisation){.method = KVB_QUANT_FP8, .bits = 8};
    says(kvb_refusal_method_differs, &plan, NULL);
    (void)strcpy(plan.model.quantisation.name, "fp8");
    says(kvb_refusal_method_differs, &plan, "does not match");
    plan.model.quantisation.method = KVB_QUANT_NONE;
    says(kvb_refusal_method_differs, &plan, NULL);
}

// deepseek_v4_fp8.py v0.20.0 override_quantization_method: of a checkpoint in fp8 alone, whatever its class.
static void methods_of_deepseek_v4(void **state)
{
    (void)state;
    static const struct {
        const char *stored;
        bool differs;
    } rows[] = {{"fp8", false}, {"deepseek_v4_fp8", false}, {"awq", true}};
    for (size_t i = 0; i < sizeof rows / sizeof rows[0]; i++) {
        make_llama_plan(&plan, R(20, 0));
        name_class(&plan, "DeepseekV4ForCausalLM");
        set_word(&plan, KVB_SET_QUANTIZATION, "deepseek_v4_fp8");
        plan.model.quantisation = (struct kvb_quantisation){.method = KVB_QUANT_FP8, .bits = 8};
        (void)strcpy(plan.model.quantisation.name, rows[i].stored);
        says(kvb_refusal_method_differs, &plan, rows[i].differs ? "does not match" : NULL);
    }
}

// flash_attn.py v0.21.0:174: FlashAttention reads e4m3 alone; without whole graphs the first request ends the server.
static void e5m2_on_hopper(void **state)
{
    (void)state;
    static const struct {
        uint64_t word;
        uint32_t capability;
        enum kvb_backend asked;
        bool refused;
    } rows[] = {
        {KVB_KV_FP8_E5M2, 90, KVB_BACKEND_AUTO, true},
        {KVB_KV_FP8_E5M2, 90, KVB_BACKEND_FLASH_ATTN, true},
        {KVB_KV_FP8_E5M2, 90, KVB_BACKEND_FLASHINFER, false},
        {KVB_KV_FP8_E5M2, 89, KVB_BACKEND_AUTO, false},
        {KVB_KV_FP8, 90, KVB_BACKEND_AUTO, false},
    };
    for (size_t i = 0; i < sizeof rows / sizeof rows[0]; i++) {
        make_llama_plan(&plan, R(21, 0));
        plan.gpu.compute_capability = rows[i].capability;
        plan.environment.attention_backend = rows[i].asked;
        set(&plan, KVB_SET_KV_CACHE_DTYPE, rows[i].word);
        says(kvb_refusal_flash_cache, &plan, rows[i].refused ? "Unrecognized FP8 dtype: fp8_e5m2" : NULL);
    }
    make_llama_plan(&plan, R(21, 0));
    plan.gpu.vendor = KVB_VENDOR_AMD;
    set(&plan, KVB_SET_KV_CACHE_DTYPE, KVB_KV_FP8_E5M2);
    says(kvb_refusal_flash_cache, &plan, NULL);
}

KVB_TEST_MAIN(cmocka_unit_test(e5m2_on_hopper), cmocka_unit_test(pieces_uncompiled), cmocka_unit_test(latents_by_card),
              cmocka_unit_test(methods_of_deepseek_v4), cmocka_unit_test(nodes_and_ranks),
              cmocka_unit_test(methods_without_a_name), cmocka_unit_test(triton_by_name),
              cmocka_unit_test(blocks_of_an_index), cmocka_unit_test(stages_of_one_block),
              cmocka_unit_test(e5m2_beside_scales), cmocka_unit_test(small_blocks),
              cmocka_unit_test(adapters_of_a_head), cmocka_unit_test(a_shorthand), cmocka_unit_test(routed_experts),
              cmocka_unit_test(no_heads_to_divide), cmocka_unit_test(heads_of_two_sizes))
