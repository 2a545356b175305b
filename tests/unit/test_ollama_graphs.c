// The graph that Ollama's estimate counts for each class, on shapes whose every term tells: the formulas of GraphSize
// (llm/ggml.go at the tags before 0.6.0, fs/ggml/ggml.go since) were taken from the text of each tag and computed
// there, with quantities that no model has, in whole numbers as Go divides them.
#include <stdio.h>
#include <string.h>

#include <kvbudget/budget.h>
#include <kvbudget/input.h>

#include "base/text.h"
#include "engines/llamacpp/ollama.h"
#include "unit/test.h"

#define R(minor, patch) KVB_RELEASE(0, minor, patch)

static struct kvb_deployment deployment;
static struct kvb_plan plan;
static struct kvb_model draft;
static struct kvb_model_source source;
static struct kvb_problems problems;
static struct kvb_llama_start start;
static struct kvb_ollama_sizes sizes;

static const struct shape {
    uint32_t context, batch, embedding, vocabulary, heads, kv_heads, key;
} shapes[] = {
    {2048, 512, 2112, 150001, 33, 11, 72}, {65521, 509, 2112, 32003, 33, 11, 72}, {1021, 3001, 8008, 1009, 13, 5, 616},
    {70001, 61, 1000, 515, 7, 3, 144},     {40009, 8, 9000, 607, 3, 2, 3000},
};

static const struct {
    uint32_t release;
    const char *class;
    unsigned shape;
    uint64_t full_bytes, partial_bytes;
} rows[] = {
    {R(2, 0), "LlamaFor", 0, 159909888, 575729532},
    {R(2, 0), "LlamaFor", 1, 4552827868, 4731243996},
    {R(2, 0), "LlamaFor", 2, 556109308, 496375948},
    {R(2, 0), "LlamaFor", 3, 137618196, 256974400},
    {R(2, 0), "LlamaFor", 4, 6273184, 1011475684},
    {R(3, 9), "MistralFor", 0, 159909888, 575729532},
    {R(3, 9), "MistralFor", 2, 556109308, 496375948},
    {R(3, 10), "MixtralFor", 0, 311527424, 575729532},
    {R(3, 10), "MixtralFor", 2, 556109308, 496375948},
    {R(6, 7), "Llama4For", 0, 311527424, 575729532},
    {R(6, 7), "Llama4For", 2, 556109308, 496375948},
    {R(2, 0), "GemmaFor", 0, 311527424, 571404156},
    {R(2, 0), "GemmaFor", 1, 4553904912, 4707685948},
    {R(2, 0), "GemmaFor", 2, 556121312, 612307296},
    {R(2, 0), "GemmaFor", 3, 137622344, 460753708},
    {R(2, 0), "GemmaFor", 4, 6273216, 3892699684},
    {R(3, 10), "Gemma2For", 0, 311527424, 571404156},
    {R(3, 10), "Gemma2For", 3, 137622344, 460753708},
    {R(6, 0), "Gemma3For", 0, 311527424, 571404156},
    {R(6, 0), "Gemma3For", 3, 137622344, 460753708},
    {R(9, 3), "Gemma3n", 0, 1246109696, 2285616624},
    {R(9, 3), "Gemma3n", 1, 18215619648, 18830743792},
    {R(9, 3), "Gemma3n", 2, 2224485248, 2449229184},
    {R(9, 3), "Gemma3n", 3, 550489376, 1843014832},
    {R(9, 3), "Gemma3n", 4, 25092864, 15570798736},
    {R(2, 0), "CohereFor", 0, 311527424, 571404156},
    {R(2, 0), "CohereFor", 1, 4552829904, 5100258268},
    {R(2, 0), "CohereFor", 2, 556121312, 432629952},
    {R(2, 0), "CohereFor", 3, 137618440, 417696696},
    {R(2, 0), "CohereFor", 4, 6273216, 1491583684},
    {R(5, 0), "Qwen2For", 0, 311527424, 571404156},
    {R(5, 0), "Qwen2For", 1, 4544227804, 5097757660},
    {R(5, 0), "Qwen2For", 2, 363853244, 396589948},
    {R(5, 0), "Qwen2For", 3, 137130196, 417138196},
    {R(5, 0), "Qwen2For", 4, 5697184, 1446057184},
    {R(2, 0), "PhiFor", 0, 311527424, 575729532},
    {R(2, 0), "PhiFor", 1, 4552827868, 4548529872},
    {R(2, 0), "PhiFor", 2, 556109308, 459993280},
    {R(2, 0), "PhiFor", 3, 137618196, 137374440},
    {R(2, 0), "PhiFor", 4, 6273184, 5985216},
    {R(9, 3), "StableL", 0, 155586560, 315852800},
    {R(9, 3), "StableL", 1, 4548529872, 4548529872},
    {R(9, 3), "StableL", 2, 459993280, 459993280},
    {R(9, 3), "StableL", 3, 137374440, 137374440},
    {R(9, 3), "StableL", 4, 5985216, 5985216},
    {R(5, 0), "DeepseekV2For", 0, 320178176, 580054908},
    {R(5, 0), "DeepseekV2For", 1, 1616938264, 1821147620},
    {R(5, 0), "DeepseekV2For", 2, 435889248, 366201792},
    {R(5, 0), "DeepseekV2For", 3, 69264280, 190224764},
    {R(5, 0), "DeepseekV2For", 4, 5088928, 995391896},
    {R(5, 11), "DeepseekV3For", 0, 320178176, 580054908},
    {R(5, 11), "DeepseekV3For", 2, 435889248, 366201792},
    {R(2, 2), "ChatGLM", 0, 311527424, 571404156},
    {R(2, 2), "ChatGLM", 1, 4557129936, 4586821276},
    {R(2, 2), "ChatGLM", 2, 630065952, 465069436},
    {R(2, 2), "ChatGLM", 3, 137833160, 218024788},
    {R(2, 2), "ChatGLM", 4, 6657216, 966285184},
};

static void begin(const char *model)
{
    kvb_problems_init(&problems);
    kvb_deployment_init(&deployment);
    (void)snprintf(deployment.model, sizeof deployment.model, "%s", model);
    (void)snprintf(deployment.gpu, sizeof deployment.gpu, "3090");
    (void)snprintf(deployment.engine, sizeof deployment.engine, "ollama@0.9.0");
    kvb_deployment_take_gpu_count(&deployment);
    assert_int_equal(kvb_deployment_resolve(&deployment, &plan, &draft, &source, &problems), KVB_OK);
    kvb_llama_start_of(&plan, true, &start);
}

static void take(const struct shape *shape, const char *class)
{
    struct kvb_attention_shape *attention = &plan.model.kinds[0].attention;
    (void)snprintf(plan.model.architecture, sizeof plan.model.architecture, "%sCausalLM", class);
    plan.model.hidden_size = shape->embedding;
    plan.model.vocabulary_size = shape->vocabulary;
    attention->heads = shape->heads;
    attention->kv_heads = shape->kv_heads;
    attention->head_size = shape->key;
    attention->value_head_size = 0;
    start.run.context_tokens = shape->context;
    start.run.sequences = 1;
    start.asked_batch = shape->batch;
}

static void formulas(void **state)
{
    (void)state;
    for (size_t i = 0; i < sizeof rows / sizeof rows[0]; i++) {
        begin("meta-llama/Llama-3.1-8B-Instruct");
        take(&shapes[rows[i].shape], rows[i].class);
        kvb_ollama_sizes_of(&start, rows[i].release, &sizes);
        if (sizes.full_bytes != rows[i].full_bytes || sizes.partial_bytes != rows[i].partial_bytes) {
            fail_msg("row %zu, %s: %llu and %llu", i, rows[i].class, (unsigned long long)sizes.full_bytes,
                     (unsigned long long)sizes.partial_bytes);
        }
    }
}

// Latents are counted as full heads: keys of the plain and the rotated part, as many as heads.
static void latents(void **state)
{
    (void)state;
    static const struct shape shape = {2048, 512, 5120, 102400, 128, 1, 0};
    begin("meta-llama/Llama-3.1-8B-Instruct");
    take(&shape, "DeepseekV2For");
    struct kvb_attention_shape *attention = &plan.model.kinds[0].attention;
    attention->kind = KVB_ATTENTION_MLA;
    attention->nope_size = 128;
    attention->rope_size = 64;
    attention->latent_rank = 512;
    attention->value_head_size = 128;
    kvb_ollama_sizes_of(&start, R(5, 11), &sizes);
    // 4 x 512 x (3 x 5120 + 2 + 2048 x 129 + 2 x 192 x 128)
    assert_int_equal(sizes.full_bytes, 2048ULL * (15360 + 2 + 2048 * 129 + 2 * 192 * 128));
    // 4 x 512 x (2 x 5120 + 1 + 2 x 192 x 128 + 2048 x 129) + 4 x 192 x 128 x 2048 + 5120 x 192 x 128 x 9 / 16
    assert_int_equal(sizes.partial_bytes, 2048ULL * (10240 + 1 + 2 * 192 * 128 + 2048 * 129) + 4ULL * 192 * 128 * 2048 +
                                              5120ULL * 192 * 128 * 9 / 16);
}

// Mixtral 8x7B in one tensor a layer, at 65,536 tokens: what is read is more than what is moved.
static void experts(void **state)
{
    (void)state;
    begin("mistralai/Mixtral-8x7B-Instruct-v0.1");
    start.run.context_tokens = 65536;
    start.asked_batch = 512;
    kvb_ollama_sizes_of(&start, R(5, 0), &sizes);
    assert_int_equal(sizes.full_bytes, 2048ULL * (1 + 4 * 4096 + 65536 * 33ULL));
    assert_int_equal(sizes.partial_bytes,
                     4ULL * (65536ULL * 512 * 32 + 65536ULL * 128 * 8 + 512 * 1024 + 128 * 8 * 512));
}

// Before its release has a class's formula, and for a class that none has, the graph is the cache times the heads over
// its own, over 6 (llm/memory.go): 33 / 11 x 32 layers x 2048 x 2 x 72 x 11 x 2 bytes.
static void without_formula(void **state)
{
    (void)state;
    static const struct {
        uint32_t release;
        const char *class;
    } without[] = {{R(6, 6), "Llama4For"}, {R(9, 2), "Gemma3n"},    {R(5, 13), "Gemma3For"}, {R(2, 1), "ChatGLM"},
                   {R(10, 0), "GptOss"},   {R(5, 0), "Starcoder2"}, {R(5, 0), "Gemma"},      {R(5, 0), "Llama"}};
    for (size_t i = 0; i < sizeof without / sizeof without[0]; i++) {
        begin("meta-llama/Llama-3.1-8B-Instruct");
        take(&shapes[0], without[i].class);
        plan.model.architecture[strlen(without[i].class)] = '\0';
        kvb_ollama_sizes_of(&start, without[i].release, &sizes);
        assert_int_equal(sizes.partial_bytes, 3ULL * 32 * 2048 * 2 * 72 * 11 * 2 / 6);
        assert_int_equal(sizes.full_bytes, sizes.partial_bytes);
        plan.model.kinds[0].attention.kv_heads = 1; // of one head of keys: 33 share it
        kvb_ollama_sizes_of(&start, without[i].release, &sizes);
        assert_int_equal(sizes.partial_bytes, 33ULL * 32 * 2048 * 2 * 72 * 2 / 6);
    }
}

// gpt-oss: 4 x 33 / 11 x (32 layers' plain caches) / 6, twice that in part before 0.11.3; half of it from 0.11.5 on,
// and with flash attention from 0.11.8 on (4 x slots + context / 1024 + 110) MiB.
static void gpt_oss(void **state)
{
    (void)state;
    const uint64_t cache = 32ULL * 2048 * 2 * 72 * 11 * 2, sixth = 2 * 3 * cache / 6;
    static const struct {
        uint32_t release;
        bool flash;
        unsigned full, partial; // of the sixth; 0: the sum
    } told[] = {{R(11, 0), false, 2, 4}, {R(11, 2), true, 2, 4}, {R(11, 3), false, 2, 2}, {R(11, 4), true, 2, 2},
                {R(11, 5), true, 1, 1},  {R(11, 7), true, 1, 1}, {R(11, 8), false, 1, 1}, {R(11, 8), true, 0, 0}};
    for (size_t i = 0; i < sizeof told / sizeof told[0]; i++) {
        begin("meta-llama/Llama-3.1-8B-Instruct");
        take(&shapes[0], "GptOssFor");
        start.run.sequences = 3;
        start.run.flash = told[i].flash;
        kvb_ollama_sizes_of(&start, told[i].release, &sizes);
        uint64_t sum = (4 * 3 + 2 + 110) * (1ULL << 20);
        assert_int_equal(sizes.full_bytes, told[i].full > 0 ? told[i].full * sixth : sum);
        assert_int_equal(sizes.partial_bytes, told[i].partial > 0 ? told[i].partial * sixth : sum);
        plan.model.kinds[0].attention.kv_heads = 1; // shared by 33, a cache of an eleventh: as much
        kvb_ollama_sizes_of(&start, told[i].release, &sizes);
        assert_int_equal(sizes.full_bytes, told[i].full > 0 ? told[i].full * sixth : sum);
    }
}

KVB_TEST_MAIN(cmocka_unit_test(formulas), cmocka_unit_test(latents), cmocka_unit_test(experts),
              cmocka_unit_test(without_formula), cmocka_unit_test(gpt_oss))
