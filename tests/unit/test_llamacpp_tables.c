// Tables of llama.cpp held against its code and its history: what is particular in the graph of a class, which commit
// changed a size, what backends round to and the formats of the cache (ggml-common.h).
#include <stddef.h>
#include <stdio.h>
#include <string.h>

#include <kvbudget/units.h>

#include "engines/llamacpp/layer.h"
#include "engines/llamacpp/run.h"
#include "unit/test.h"

static const struct kvb_llama_class *class_of(const char *name)
{
    static struct kvb_model model;
    (void)snprintf(model.architecture, sizeof model.architecture, "%s", name);
    return kvb_llama_class_of(&model);
}

// ---- classes

struct property {
    size_t offset; // of a bool
    const char *names;
};

static bool is_listed(const char *names, const char *name)
{
    size_t length = strlen(name);
    for (const char *at = strstr(names, name); at != NULL; at = strstr(at + 1, name)) {
        if ((at == names || at[-1] == ' ') && (at[length] == ' ' || at[length] == '\0')) {
            return true;
        }
    }
    return false;
}

static const struct property properties[] = {
    {offsetof(struct kvb_llama_class, fused_qkv),
     "Phi3ForCausalLM GPTNeoXForCausalLM FalconForCausalLM BloomForCausalLM GPT2LMHeadModel "
     "MPTForCausalLM GPTBigCodeForCausalLM QWenLMHeadModel ChatGLMModel DbrxForCausalLM"},
    {offsetof(struct kvb_llama_class, fused_gate_up), "Phi3ForCausalLM ChatGLMModel Glm4ForCausalLM"},
    {offsetof(struct kvb_llama_class, scales_query),
     "Phi3ForCausalLM PhiForCausalLM GemmaForCausalLM Gemma2ForCausalLM Gemma3ForCausalLM "
     "Gemma3ForConditionalGeneration"},
    {offsetof(struct kvb_llama_class, residual_first), "Phi3ForCausalLM"},
    {offsetof(struct kvb_llama_class, parallel),
     "PhiForCausalLM GPTNeoXForCausalLM FalconForCausalLM CohereForCausalLM Cohere2ForCausalLM"},
    {offsetof(struct kvb_llama_class, plain_norm),
     "PhiForCausalLM GPTNeoXForCausalLM FalconForCausalLM BloomForCausalLM GPT2LMHeadModel "
     "MPTForCausalLM GPTBigCodeForCausalLM Starcoder2ForCausalLM StableLmForCausalLM OrionForCausalLM "
     "NemotronForCausalLM OlmoForCausalLM DbrxForCausalLM CohereForCausalLM Cohere2ForCausalLM"},
    {offsetof(struct kvb_llama_class, scales_input),
     "GemmaForCausalLM Gemma2ForCausalLM Gemma3ForCausalLM Gemma3ForConditionalGeneration "
     "Gemma4ForConditionalGeneration Gemma4ForCausalLM"},
    {offsetof(struct kvb_llama_class, caps_logits),
     "Gemma2ForCausalLM Gemma4ForConditionalGeneration Gemma4ForCausalLM"},
    {offsetof(struct kvb_llama_class, norms_after),
     "Gemma2ForCausalLM Gemma3ForCausalLM Gemma3ForConditionalGeneration "
     "Gemma4ForConditionalGeneration Gemma4ForCausalLM Olmo2ForCausalLM Exaone4ForCausalLM "
     "Glm4ForCausalLM"},
    {offsetof(struct kvb_llama_class, outlined),
     "Gemma2ForCausalLM Gemma4ForConditionalGeneration Gemma4ForCausalLM Gemma3nForCausalLM "
     "Gemma3nForConditionalGeneration Glm4ForCausalLM"},
    {offsetof(struct kvb_llama_class, layer_factor), "Gemma4ForConditionalGeneration Gemma4ForCausalLM"},
    {offsetof(struct kvb_llama_class, four_positions),
     "Qwen3_5ForCausalLM Qwen3_5ForConditionalGeneration Qwen3_5MoeForCausalLM "
     "Qwen3_5MoeForConditionalGeneration Qwen2VLForConditionalGeneration "
     "Qwen2_5_VLForConditionalGeneration Qwen3VLForConditionalGeneration "
     "Qwen3VLMoeForConditionalGeneration"},
    {offsetof(struct kvb_llama_class, one_rate), "Qwen3NextForCausalLM"},
    {offsetof(struct kvb_llama_class, chooses_late), "GptOssForCausalLM"},
};
#define PROPERTIES (sizeof properties / sizeof properties[0])

static void properties_of_classes(void **state)
{
    (void)state;
    for (size_t i = 0; i < PROPERTIES; i++) {
        char names[1024];
        (void)snprintf(names, sizeof names, "%s", properties[i].names);
        for (char *name = strtok(names, " "); name != NULL; name = strtok(NULL, " ")) {
            const struct kvb_llama_class *row = class_of(name);
            for (size_t other = 0; other < PROPERTIES; other++) {
                bool has;
                memcpy(&has, (const char *)row + properties[other].offset, sizeof has);
                if (has != is_listed(properties[other].names, name)) {
                    fail_msg("property %zu of %s", other, name);
                }
            }
        }
    }
    const struct kvb_llama_class *plain = class_of("LlamaForCausalLM");
    assert_string_equal(plain->name, "");
    assert_false(plain->fused_qkv || plain->plain_norm || plain->norms_after || plain->outlined);
}

// The first build whose file takes the wanted rows behind the output's norm: the number of the commit of
// github.com/ggml-org/llama.cpp that brought embeddings_nextn_masked to it (git log -S, git rev-list --count).
static void builds_of_classes(void **state)
{
    (void)state;
    static const struct {
        uint32_t build;
        const char *names;
    } rows[] = {
        {9549, "Gemma4ForConditionalGeneration Gemma4ForCausalLM"}, // 04eb4c446, src/models/gemma4.cpp
        // 166fe2949, qwen35.cpp, qwen35moe.cpp and step35.cpp
        {9495, "Qwen3_5ForCausalLM Qwen3_5ForConditionalGeneration Qwen3_5MoeForCausalLM "
               "Qwen3_5MoeForConditionalGeneration Step3p5ForCausalLM"},
        {10238, "Qwen3NextForCausalLM"},                        // 4ed2b13f7, qwen3next.cpp
        {10158, "GptOssForCausalLM"},                           // f87067841, openai-moe.cpp
        {10251, "DeepseekV2ForCausalLM DeepseekV3ForCausalLM"}, // 57c092139, deepseek2.cpp
        {10237, "DeepseekV32ForCausalLM"},                      // 2b63e0610, deepseek32.cpp
        {10174, "GlmMoeDsaForCausalLM"},                        // 7be2c65dc, glm-dsa.cpp
        {10344, "NemotronHForCausalLM"},                        // 7a20b417f, nemotron-h.cpp
        {10184, "MiMoV2FlashForCausalLM"},                      // 64d528be7, mimo2.cpp
        {9993, "HYV3ForCausalLM"},                              // 2969d6d15, hy-v3.cpp
    };
    for (size_t i = 0; i < sizeof rows / sizeof rows[0]; i++) {
        char names[512];
        (void)snprintf(names, sizeof names, "%s", rows[i].names);
        for (char *name = strtok(names, " "); name != NULL; name = strtok(NULL, " ")) {
            assert_int_equal(class_of(name)->rows_last, rows[i].build);
        }
    }
    assert_int_equal(class_of("Gemma3nForCausalLM")->rows_last, 0);
}

// ---- builds

// The number of the commit of github.com/ggml-org/llama.cpp that first has the words (git log -S or -G over the file,
// git rev-list --count of what it finds; the oldest three by the tags on both sides).
static void builds_that_changed_a_size(void **state)
{
    (void)state;
    static const struct {
        enum kvb_llama_rule rule;
        uint32_t build;
    } rows[] = {
        {KVB_LLAMA_CONTEXT_TRAINED_OLD, 3087}, // b3086 and b3087, common/common.h: n_ctx = 512 becomes 0
        {KVB_LLAMA_CONTEXT_4096, 4014},        // b4013 and b4014, common/common.h: 0 becomes 4096
        {KVB_LLAMA_LATENT_CACHE, 5137},        // daa422881 (12801), src/llama-model.cpp: layer.wk_b
        {KVB_LLAMA_WINDOW_CACHE, 5429},        // e298d2fbd (13194), size_swa
        {KVB_LLAMA_WINDOW_BY_UBATCH, 5554},    // 3600cc288 (13833), size_swa with n_ubatch
        {KVB_LLAMA_FUSED_GATE, 5776},          // a0535ffa0 (14158), src/llama-graph.cpp: ggml_swiglu_split
        {KVB_LLAMA_STREAMS, 6071},             // a4569c41f (14959): before, "forcing unified KV cache"
        {KVB_LLAMA_ROWS_BY_INDEX, 6071},       // the same: supports_set_rows = true
        {KVB_LLAMA_FLASH_AUTO, 6325},          // e81b8e4b7 (15434), LLAMA_FLASH_ATTN_TYPE_AUTO
        {KVB_LLAMA_PAD_256, 6975},             // 16bcc1259 (17046), GGML_PAD(cparams.n_ctx, 256)
        {KVB_LLAMA_FIT, 7407},                 // b1f3a6e5d (16653), llama_params_fit
        {KVB_LLAMA_SLOTS_4, 6925},             // cd5e3b575 (16736), n_parallel = 4
        {KVB_LLAMA_SLOTS_WITHOUT_DRAFT, 6958}, // 13b339bcd (17017), !params.has_speculative()
        {KVB_LLAMA_SLOTS_AUTO, 7433},          // 7b1db3d3b (17997), n_parallel < 0
        {KVB_LLAMA_OUTPUT_FIRST, 7467},        // 18148, src/llama-model.cpp: i_gpu_start
        {KVB_LLAMA_CHOSEN_ROWS, 2540},         // 557410b8f (6122), build_inp_out_ids
        {KVB_LLAMA_EMBEDDING_INPUT, 7819},     // 557515be1 (18898), inp->tokens and inp->embd
        {KVB_LLAMA_LATENT_WITHOUT_V, 7832},    // d9c6ce46f (19067), has_v = !is_mla
        {KVB_LLAMA_MASK_F16, 9410},            // 031ddb2e0 (23764), src/llama-graph.cpp: the type of the mask
        {KVB_LLAMA_FEW_OUTPUTS, 9460},         // de6f727aa (23861), server_n_outputs_max
        {KVB_LLAMA_CACHE_CAST, 9489},          // f8f0a47a5 (23907), "reserve space for quantize kv-cache"
        {KVB_LLAMA_ROTATED, 8619},             // 744c0c731 (21038), build_input_k_rot
        {KVB_LLAMA_ONE_DRAFT, 9109},           // 68e7ea3ea (22838), "parallel drafting support"
        {KVB_LLAMA_DRAFT_TYPES, 5709},         // d67341dc1 (13782), --cache-type-k-draft
    };
    assert_int_equal(sizeof rows / sizeof rows[0], KVB_LLAMA_RULE_COUNT);
    for (size_t i = 0; i < sizeof rows / sizeof rows[0]; i++) {
        struct kvb_llama_run run = {.build = rows[i].build};
        assert_int_equal(kvb_llama_rule_build(rows[i].rule), rows[i].build);
        assert_true(kvb_llama_since(&run, rows[i].rule));
        run.build--;
        assert_false(kvb_llama_since(&run, rows[i].rule));
    }
}

// ---- backends and caches

// get_alignment of each buffer type; MATRIX_ROW_PADDING of ggml-cuda and ggml-sycl; async and events of get_props;
// offload_op. What lies in no buffer is what memory breakdowns of public logs call unaccounted, in MiB.
static void backends(void **state)
{
    (void)state;
    static const struct {
        enum kvb_llama_backend backend;
        const char *name;
        uint32_t alignment, row_pad, pipelines;
        bool offloads;
        uint64_t low, usual, high;
    } rows[] = {
        {KVB_LLAMA_CPU, "CPU", 64, 0, 0, false, 0, 0, 0},
        {KVB_LLAMA_CUDA, "CUDA", 128, 512, KVB_LLAMA_OLDEST, true, 400, 550, 750},
        {KVB_LLAMA_ROCM, "ROCm", 128, 512, KVB_LLAMA_OLDEST, true, 250, 500, 900},
        {KVB_LLAMA_VULKAN, "Vulkan", 128, 0, 7501, true, 50, 250, 600},
        {KVB_LLAMA_METAL, "Metal", 32, 0, 0, false, 20, 100, 400},
        {KVB_LLAMA_SYCL, "SYCL", 128, 512, 0, true, 100, 400, 900},
        {KVB_LLAMA_CANN, "CANN", 128, 0, 0, false, 100, 500, 1000},
        {KVB_LLAMA_BACKEND_COUNT, "CPU", 64, 0, 0, false, 0, 0, 0},
    };
    for (size_t i = 0; i < sizeof rows / sizeof rows[0]; i++) {
        const struct kvb_llama_backend_row *row = kvb_llama_backend_row_of(rows[i].backend);
        assert_string_equal(row->name, rows[i].name);
        assert_int_equal(row->alignment, rows[i].alignment);
        assert_int_equal(row->row_pad, rows[i].row_pad);
        assert_int_equal(row->pipelines, rows[i].pipelines);
        assert_int_equal(row->offloads, rows[i].offloads);
        assert_int_equal(row->context_low_bytes, rows[i].low * KVB_MIB);
        assert_int_equal(row->context_bytes, rows[i].usual * KVB_MIB);
        assert_int_equal(row->context_high_bytes, rows[i].high * KVB_MIB);
    }
}

// block_q8_0: 2 + 32 bytes of 32 elements; block_q5_1: 2 + 2 + 4 + 16; block_q5_0: 2 + 4 + 16; block_q4_1: 2 + 2 + 16;
// block_q4_0 and block_iq4_nl: 2 + 16.
static void caches(void **state)
{
    (void)state;
    static const struct {
        enum kvb_llama_cache cache;
        const char *name;
        uint64_t bytes;
    } rows[] = {{KVB_LLAMA_CACHE_F16, "f16", 64},       {KVB_LLAMA_CACHE_F32, "f32", 128},
                {KVB_LLAMA_CACHE_BF16, "bf16", 64},     {KVB_LLAMA_CACHE_Q8_0, "q8_0", 34},
                {KVB_LLAMA_CACHE_Q5_1, "q5_1", 24},     {KVB_LLAMA_CACHE_Q5_0, "q5_0", 22},
                {KVB_LLAMA_CACHE_Q4_1, "q4_1", 20},     {KVB_LLAMA_CACHE_Q4_0, "q4_0", 18},
                {KVB_LLAMA_CACHE_IQ4_NL, "iq4_nl", 18}, {KVB_LLAMA_CACHE_COUNT, "f16", 64}};
    for (size_t i = 0; i < sizeof rows / sizeof rows[0]; i++) {
        assert_string_equal(kvb_llama_cache_name(rows[i].cache), rows[i].name);
        assert_int_equal(kvb_llama_cache_bytes(rows[i].cache, 32), rows[i].bytes);
        assert_int_equal(kvb_llama_cache_bytes(rows[i].cache, 4096), rows[i].bytes * 128);
    }
}

KVB_TEST_MAIN(cmocka_unit_test(properties_of_classes), cmocka_unit_test(builds_of_classes),
              cmocka_unit_test(builds_that_changed_a_size), cmocka_unit_test(backends), cmocka_unit_test(caches))
