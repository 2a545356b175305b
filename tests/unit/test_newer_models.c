// Models whose class came late: their published element counts and what one token keeps of the past, by hand.
// Counts: AlexsJones/llmfit, llmfit-core/data/hf_models.json at commit 5bdc9df; embeddings-benchmark/mteb, n_parameters
// at commit a905523d (Qwen3-Omni's Thinking repository, which is the thinker alone).
#include <stdlib.h>

#include <kvbudget/input.h>

#include "hf_text.h"
#include "unit/test.h"

struct row {
    const char *model;
    uint64_t parameters;      // 0: no published count
    uint64_t bytes_per_token; // at 16 bits, of all layers that keep tokens
};
// clang-format off
static const struct row rows[] = {
    {"rednote-hilab/dots.ocr", 3039179264ULL, 28ULL * 2 * 2 * 128 * 2},
    {"deepseek-ai/DeepSeek-OCR", 3336106240ULL, 12ULL * 2 * 10 * 128 * 2},
    {"deepseek-ai/DeepSeek-OCR-2", 3389119360ULL, 12ULL * 2 * 10 * 128 * 2},
    {"LiquidAI/LFM2-VL-450M", 450822656ULL, 6ULL * 2 * 8 * 64 * 2},
    {"LiquidAI/LFM2-VL-1.6B", 1584804000ULL, 6ULL * 2 * 8 * 64 * 2},
    {"LiquidAI/LFM2-VL-3B", 2998975216ULL, 8ULL * 2 * 8 * 64 * 2},
    {"LiquidAI/LFM2.5-VL-450M", 448718848ULL, 6ULL * 2 * 8 * 64 * 2},
    {"LiquidAI/LFM2.5-VL-1.6B", 1596625904ULL, 6ULL * 2 * 8 * 64 * 2},
    {"Qwen/Qwen3-Omni-30B-A3B-Thinking", 31719205488ULL, 48ULL * 2 * 4 * 128 * 2},
    {"tencent/HunyuanOCR", 996208112ULL, 24ULL * 2 * 8 * 128 * 2},
    {"Alibaba-NLP/gte-modernbert-base", 149014272ULL, 0},
    {"ibm-granite/granite-embedding-311m-multilingual-r2", 311664384ULL, 0},
    // published with 32,768 packed positions of 1,152 and SigLIP's pooling head, which vLLM skips
    {"PaddlePaddle/PaddleOCR-VL", 958588736ULL - 32768 * 1152 - 15238352, 18ULL * 2 * 2 * 128 * 2},
    // published with the head beside the embedding, 262,400 x 2,048; 20 of 35 layers keep a cache
    {"google/gemma-3n-E4B-it", 8387373392ULL - 262400 * 2048, 20ULL * 2 * 2 * 256 * 2},
    {"google/gemma-3n-E2B-it", 0, 20ULL * 2 * 2 * 256 * 2},
    // the encoder of Qwen2-Audio, 5120 x 3072 and 3072 squared, 30 layers of 106,960,896 between two tables
    {"mistralai/Voxtral-Mini-3B-2507", 636968960ULL + 15728640 + 9437184 + 30 * 106960896ULL + 2 * 131072 * 3072ULL + 3072,
     30ULL * 2 * 8 * 128 * 2},
    // two tables of 130560 x 1536 and 679,552,512 beside them, as its card says
    {"openbmb/MiniCPM5-1B", 1080632832ULL, 24ULL * 2 * 2 * 128 * 2},
    {"openbmb/MiniCPM5-2B", 2516756480ULL, 42ULL * 2 * 2 * 128 * 2},
    // embedding 65536 x 1024; 14 feed-forwards of 3 x 1024 x 2560; 6 layers that attend with 3 x 1024^2 and two norms of
    // 64; 8 convolutions of 4 x 1024^2 and 3 taps; 29 norms
    {"LiquidAI/LFM2.5-230M", 67108864ULL + 14 * 7864320ULL + 6 * (3145728ULL + 128) + 8 * (4194304ULL + 3072) + 29 * 1024,
     6ULL * 2 * 8 * 64 * 2},
    {"LiquidAI/LFM2.5-8B-A1B", 0, 6ULL * 2 * 8 * 64 * 2},
    {"zai-org/glm-edge-4b-chat", 4327984128ULL, 40ULL * 2 * 6 * 128 * 2},
    // tables of 59392 x 1536 twice; 16 layers of 30,676,992 (9,437,184 + 21,233,664 + 4 norms) and a norm; a tower of 24
    // layers of 16,792,704 (4,198,400 + 8,396,800 + 4,195,328 + 2,048 + 128), patches 1024 x 1177, its norm, 1536 x 4097,
    // 1536^2, 3072, 3 x 1536 x 4608; a module that drafts: a layer, 2 x 1536^2, 3 norms, tables of its own
    {"zai-org/GLM-OCR", 182452224ULL + 16 * 30676992ULL + 1536 + 24 * 16792704ULL + 1205248 + 1024 + 6292992 + 2359296 +
     3072 + 21233664 + 30676992 + 2 * 2359296 + 3 * 1536 + 182452224, 16ULL * 2 * 8 * 128 * 2},
    {"baidu/ERNIE-4.5-VL-28B-A3B-PT", 29399294336ULL, 28ULL * 2 * 4 * 128 * 2},
    // published with 32 layers' adapters of rank 256 and 320, 45,056 rows and columns each, and of the picture tower the
    // last layer, the norm behind it and the pooling head, none of which is loaded
    {"microsoft/Phi-4-multimodal-instruct", 5574460384ULL - 32 * 45056ULL * (256 + 320) - 15239504 - 2304 - 15238352,
     32ULL * 2 * 8 * 128 * 2},
    // published with mean and deviation of three colours
    {"nvidia/NVIDIA-Nemotron-Nano-12B-v2-VL-BF16", 13181860358ULL - 6, 6ULL * 2 * 8 * 128 * 2},
    // two tables of 157184 x 4096 and a norm; 28 layers of 5 x 4096^2 + 4352; 4 of 39,061,504 (4096 x 1536 + 1536 + 1536 x
    // 6144 + 4096 x 576 + 512 + 512 x 8192 + 4096^2); 64 norms; a dense layer of 3 x 4096 x 9216; 31 of 257 x 3 x 4096 x
    // 1024 with 256 x 4097 of router; a module that drafts: such a latent layer with experts, 2 x 4096^2, 5 norms
    {"inclusionAI/Ling-2.6-flash", 2ULL * 157184 * 4096 + 4096 + 28 * (5ULL * 4096 * 4096 + 4352) +
     5 * 39061504ULL + 64 * 4096 + 3ULL * 4096 * 9216 + 32 * (257ULL * 3 * 4096 * 1024 + 256 * 4097) + 2 * 16777216ULL +
     5 * 4096, 4ULL * (512 + 64) * 2},
    {"inclusionAI/Ring-2.5-1T", 0, 10ULL * (512 + 64) * 2},
    // the large encoder 636,968,960; 5120 x 5120 twice; Mistral Small 3's 23,572,403,200
    {"mistralai/Voxtral-Small-24B-2507", 636968960ULL + 2 * 26214400ULL + 23572403200ULL, 40ULL * 2 * 8 * 128 * 2},
    // two tables of 157184 x 2560 and a norm; 35 layers of 63,049,888 (six matrices of 4096 x 2560, one of 32 x 2560, three
    // convolutions of 4 taps, 32 + 4096 + 128); 7 of 31,965,696 (2560 x 6144 + 2560 x 576 + 512 + 512 x 8192 + 4096 x 2560 +
    // 32 x 2560); 84 norms; 2 dense layers of 3 x 2560 x 6144; 40 of 513 x 3 x 2560 x 768 with 512 x 2561: 124.4 billion, as
    // published, and the module that drafts: one latent layer, 2 x 2560^2, 5 norms, 3.1 billion
    {"inclusionAI/Ling-3.0-flash", 2ULL * 157184 * 2560 + 2560 + 35 * 63049888ULL + 8 * 31965696ULL + 84 * 2560 +
     6ULL * 2560 * 6144 + 41 * (513ULL * 3 * 2560 * 768 + 512 * 2561) + 2ULL * 2560 * 2560 + 5 * 2560, 7ULL * (512 + 64) * 2},
    {"inclusionAI/Ling-3.0-tiny", 0, 6ULL * (512 + 64) * 2},
    {"poolside/Laguna-M.1", 0, 70ULL * 2 * 8 * 128 * 2},
    {"jinaai/jina-embeddings-v3", 572310396ULL - 12946300 - 1049600, 0},
    {"Alibaba-NLP/gte-base-en-v1.5", 136776192ULL, 0},
    {"Alibaba-NLP/gte-multilingual-base", 305368320ULL, 0},
    {"deepseek-ai/deepseek-vl2-small", 0, 27ULL * (512 + 64) * 2},
    {"AIDC-AI/Ovis2.6-30B-A3B", 31381977320ULL, 48ULL * 2 * 4 * 128 * 2},
    // Qwen3-8B 8,190,735,360; the tower and what tells its words 715,636,968 (849,854,696 of Ovis2.6 less its 65536 x 2048)
    // and 65536 x 4096
    {"AIDC-AI/Ovis2.5-9B", 8190735360ULL + 715636968 + 268435456, 36ULL * 2 * 8 * 128 * 2},
    {"AIDC-AI/Ovis2.5-2B", 0, 28ULL * 2 * 8 * 128 * 2},
    {"google/embeddinggemma-300m", 302863104ULL, 0},
    {"openbmb/MiniCPM-V-4.6", 0, 6ULL * 2 * 2 * 256 * 2}, // "1.3B"; every fourth of 24 layers attends
    {"poolside/Laguna-XS-2.1", 0, 40ULL * 2 * 8 * 128 * 2},
    // 673 billion and a tower of 2.5, as its card says; a latent of 512 and 64 turned numbers a layer
    {"mistralai/Mistral-Large-3-675B-Instruct-2512", 0, 61ULL * (512 + 64) * 2},
    {"mistralai/Mistral-Small-4-119B-2603", 0, 36ULL * (256 + 64) * 2},
    // Whisper's large encoder with positions 636,968,960, one matrix 1280 x 4096 with a bias, Qwen 7B with 32 KV heads
    {"Qwen/Qwen2-Audio-7B-Instruct", 636968960ULL + 5246976 + 7754878976ULL, 32ULL * 2 * 32 * 128 * 2},
    // Qwen3-0.6B 596,049,920 and 18 layers of 9,645,440 between convolutions and projections
    {"Qwen/Qwen3-ASR-0.6B", 596049920ULL + 18 * 9645440ULL + 4800 + 4148160 + 6881280 + 1792 + 803712 + 918528,
     28ULL * 2 * 8 * 128 * 2},
    // two tables of 152064 x 8192 and a norm; 80 layers of four (at 110B of two and two of 1024 rows) squares of 8192 with
    // biases of what they make, three matrices to 24576 or 49152, two norms
    {"Qwen/Qwen1.5-72B-Chat", 2ULL * 152064 * 8192 + 8192 + 80 * (4 * 67108864ULL + 3 * 8192 + 3ULL * 8192 * 24576 + 2 * 8192),
     80ULL * 2 * 64 * 128 * 2},
    {"Qwen/Qwen1.5-110B-Chat", 2ULL * 152064 * 8192 + 8192 + 80 * (2 * 67108864ULL + 2 * 8388608ULL + 8192 + 2 * 1024 +
     3ULL * 8192 * 49152 + 2 * 8192), 80ULL * 2 * 8 * 128 * 2},
    // the count of 01-ai/Yi-34B: lengths cost no weights
    {"01-ai/Yi-34B-200K", 34388917248ULL, 60ULL * 2 * 8 * 128 * 2},
    {"01-ai/Yi-1.5-34B-Chat-16K", 34388917248ULL, 60ULL * 2 * 8 * 128 * 2},
    // two tables of 64000 x 4096 and a norm; 48 layers of 2 x 4096^2, 2 x 4096 x 512, 3 x 4096 x 11008 and two norms
    {"01-ai/Yi-1.5-9B-Chat-16K", 2ULL * 64000 * 4096 + 4096 + 48 * (2 * 16777216ULL + 2 * 2097152ULL + 3ULL * 4096 * 11008 + 2 * 4096),
     48ULL * 2 * 4 * 128 * 2},
    {"01-ai/Yi-6B-200K", 6061035520ULL, 32ULL * 2 * 4 * 128 * 2},
    {"01-ai/Yi-1.5-34B-32K", 34388917248ULL, 60ULL * 2 * 8 * 128 * 2},
    // two tables of 120832 x 2048 and a norm; 48 layers of 2 x 2048 x 4096, 2 x 2048 x 512, two norms of 128 and two of
    // 2048; a dense layer of 3 x 2048 x 6912; 47 of 129 x 3 x 2048 x 768 with 128 x 2049 of router: 30 billion, as its name says
    {"tencent/Hy-MT2-30B-A3B", 2ULL * 120832 * 2048 + 2048 + 48 * (2 * 8388608ULL + 2 * 1048576ULL + 2 * 128 + 2 * 2048) +
     3ULL * 2048 * 6912 + 47 * (129ULL * 3 * 2048 * 768 + 128 * 2049), 48ULL * 2 * 4 * 128 * 2},
    // what Qwen3-0.6B and its reranker count, whose head is their embedding and is not there: one row more is not counted
    {"Skywork/Skywork-Reward-V2-Qwen3-0.6B", 596049920ULL, 28ULL * 2 * 8 * 128 * 2},
    {"tomaarsen/Qwen3-Reranker-0.6B-seq-cls", 595776512ULL, 28ULL * 2 * 8 * 128 * 2},
    // Qwen2 7B's 7,615,616,512 without the head of 152064 x 3584
    {"ssmits/Qwen2-7B-Instruct-embed-base", 7615616512ULL - 152064ULL * 3584, 28ULL * 2 * 4 * 128 * 2},
    // 40 window layers of 224,148,993 (1,024 tokens of 8 heads of 256), 8 full ones of 241,844,225 (one head of 512 whose
    // keys are its values, stored twice), embedding 262144 x 3840, norm; then pixels and sound: 35,176,704 + 14,745,600 +
    // 2,457,600
    {"google/gemma-4-12B-it", 40 * 224148993ULL + 8 * 241844225ULL + 1006632960 + 3840 + 35176704 + 14745600 + 2457600,
     40ULL * 2 * 8 * 256 * 2 + 8ULL * 2 * 512 * 2},
};
// clang-format on

static uint64_t bytes_per_token(void)
{
    uint64_t bytes = 0;
    for (uint32_t i = 0; i < model.layer_count; i++) {
        const struct kvb_attention_shape *shape = &model.kinds[model.kind_of_layer[i]].attention;
        bool keeps = (shape->kind == KVB_ATTENTION_FULL || shape->kind == KVB_ATTENTION_SLIDING) && !shape->shares_kv;
        bytes += shape->kind == KVB_ATTENTION_MLA ? 2ULL * (shape->latent_rank + shape->rope_size) : 0;
        bytes += keeps ? 2ULL * shape->kv_heads * (shape->head_size + shape->value_head_size) : 0;
    }
    return bytes;
}

static void load(const char *name)
{
    kvb_problems_init(&problems);
    if (kvb_model_load(name, NULL, &model, NULL, &problems) != KVB_OK) {
        fail_msg("%s: %s", name, problems.items[0].text);
    }
}

static void counts(void **state)
{
    (void)state;
    for (size_t i = 0; i < sizeof rows / sizeof rows[0]; i++) {
        load(rows[i].model);
        if (rows[i].parameters != 0 && kvb_model_parameters(&model) != rows[i].parameters) {
            fail_msg("%s: %llu elements, published %llu", rows[i].model,
                     (unsigned long long)kvb_model_parameters(&model), (unsigned long long)rows[i].parameters);
        }
        if (bytes_per_token() != rows[i].bytes_per_token) {
            fail_msg("%s: %llu bytes a token, by hand %llu", rows[i].model, (unsigned long long)bytes_per_token(),
                     (unsigned long long)rows[i].bytes_per_token);
        }
    }
}

#define INNER                                                                                                          \
    ", \"text_config\": {\"model_type\": \"llama\", \"hidden_size\": 64, \"num_hidden_layers\": 2, "                   \
    "\"num_attention_heads\": 4, \"num_key_value_heads\": 2, \"intermediate_size\": 128, \"vocab_size\": 1000}"

// A class with a tower is not read without it: its weights would be left out in silence.
static void without_their_tower(void **state)
{
    static const struct {
        const char *text, *key;
    } configs[] = {
        {TINY_WITH("DotsOCRForCausalLM", ""), "'vision_config' is missing"},
        {TINY_WITH("PaddleOCRVLForConditionalGeneration", ""), "'vision_config' is missing"},
        {TINY_WITH("HunYuanVLForConditionalGeneration", ""), "'vision_config' is missing"},
        {TINY_WITH("Qwen2AudioForConditionalGeneration", ""), "'audio_config' is missing"},
        {TINY_WITH("Qwen3ASRForConditionalGeneration", ""), "'audio_config' is missing"},
        {TINY_WITH("VoxtralForConditionalGeneration", INNER), "'audio_config' is missing"},
        {TINY_WITH("Lfm2VlForConditionalGeneration", INNER), "'vision_config' is missing"},
        {TINY_WITH("GlmOcrForConditionalGeneration", ""), "'vision_config' is missing"},
        {TINY_WITH("Ernie4_5_VLMoeForConditionalGeneration", ""), "'vision_config' is missing"},
        {TINY_WITH("Ovis2_5", INNER), "'vision_config' is missing"},
        {TINY_WITH("NemotronH_Nano_VL_V2", INNER), "'vision_config' is missing"},
    };
    (void)state;
    for (size_t i = 0; i < sizeof configs / sizeof configs[0]; i++) {
        assert_int_equal(read_text(configs[i].text), KVB_MISSING_KEY);
        if (!strstr(problems.items[0].text, configs[i].key)) {
            fail_msg("%s", problems.items[0].text);
        }
    }
}

// DeepSeek-VL2's larger sizes have latents, its smallest and DeepSeek-OCR say 0 and attend as usual.
static void deepseek_vl2_by_its_sizes(void **state)
{
    (void)state;
    assert_int_equal(read_text(TINY_WITH("DeepseekVLV2ForCausalLM", ", \"kv_lora_rank\": 32, \"qk_nope_head_dim\": 16, "
                                                                    "\"qk_rope_head_dim\": 8, \"v_head_dim\": 16")),
                     KVB_OK);
    assert_int_equal(bytes_per_token(), 2 * (32 + 8) * 2);
    assert_int_equal(read_text(TINY_WITH("DeepseekVLV2ForCausalLM", ", \"qk_nope_head_dim\": 0, "
                                                                    "\"qk_rope_head_dim\": 0")),
                     KVB_OK);
    assert_int_equal(bytes_per_token(), 2 * 2 * 2 * 16 * 2);
}

// Ling 2.5 attends with latents at the end of each group, and everywhere when it says no group; sizes left out are those
// of its class: 512 and 64.
static void groups_of_bailing(void **state)
{
    (void)state;
    assert_int_equal(read_text(TINY_WITH("BailingMoeV2_5ForCausalLM", ", \"layer_group_size\": 2")), KVB_OK);
    assert_int_equal(bytes_per_token(), 2 * (512 + 64));
    assert_int_equal(read_text(TINY_WITH("BailingMoeV2_5ForCausalLM", "")), KVB_OK);
    assert_int_equal(bytes_per_token(), 2 * 2 * (512 + 64));
}

// EmbeddingGemma keeps nothing because its config says so, not because of its class; Gemma 4's says of pictures alone.
static void gemma3_text_by_its_switch(void **state)
{
    (void)state;
    assert_int_equal(read_text(TINY_WITH("Gemma3TextModel", ", \"use_bidirectional_attention\": true")), KVB_OK);
    assert_int_equal(bytes_per_token(), 0);
    assert_int_equal(read_text(TINY_WITH("Gemma3TextModel", ", \"use_bidirectional_attention\": false")), KVB_OK);
    assert_int_not_equal(bytes_per_token(), 0);
    assert_int_equal(read_text(TINY_WITH("Gemma3TextModel", ", \"use_bidirectional_attention\": \"vision\"")), KVB_OK);
    assert_int_not_equal(bytes_per_token(), 0);
}

KVB_TEST_MAIN(cmocka_unit_test(counts), cmocka_unit_test(groups_of_bailing), cmocka_unit_test(gemma3_text_by_its_switch), cmocka_unit_test(without_their_tower),
              cmocka_unit_test(deepseek_vl2_by_its_sizes))
