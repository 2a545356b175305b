// What each release of Ollama has, on both sides of every change: read from its repository at all 175 tags from v0.2.0
// to v0.32.15 (Makefile.sync, llm/llama.cpp, llama/ and LLAMA_CPP_VERSION; commits counted in llama.cpp's history;
// OllamaEngineRequired, FlashAttention and SupportsFlashAttention of fs/ggml/ggml.go; server/sched.go,
// server/routes.go, api/types.go).
#include <stdio.h>
#include <string.h>

#include <kvbudget/input.h>
#include <kvbudget/units.h>

#include "engines/llamacpp/ollama.h"
#include "unit/test.h"

#define T(minor, patch) KVB_RELEASE(0, minor, patch)

static struct kvb_plan plan;

static void builds(void **state)
{
    (void)state;
    static const struct {
        uint32_t first, last, build; // the tags that ship it
    } rows[] = {
        {T(2, 0), T(2, 7), 3337},      {T(2, 8), T(3, 0), 3440},      {T(3, 1), T(3, 3), 3485},
        {T(3, 4), T(3, 9), 3535},      {T(3, 10), T(3, 13), 3661},    {T(3, 14), T(5, 1), 3862},
        {T(5, 2), T(5, 2), 4260},      {T(5, 3), T(5, 4), 4327},      {T(5, 5), T(5, 12), 4419},
        {T(5, 13), T(6, 5), 4779},     {T(6, 6), T(6, 6), 5125},      {T(6, 7), T(6, 7), 5162},
        {T(6, 8), T(6, 8), 5237},      {T(7, 0), T(11, 4), 5359},     {T(11, 5), T(12, 3), 6121},
        {T(12, 4), T(12, 5), 6646},    {T(12, 6), T(12, 10), 6752},   {T(12, 11), T(13, 1), 6840},
        {T(13, 2), T(13, 2), 7209},    {T(13, 3), T(13, 4), 7345},    {T(13, 5), T(24, 0), 7437},
        {T(30, 0), T(30, 0), 9452},    {T(30, 1), T(30, 3), 9479},    {T(30, 4), T(30, 4), 9493},
        {T(30, 5), T(30, 8), 9509},    {T(30, 9), T(30, 9), 9626},    {T(30, 10), T(30, 10), 9672},
        {T(30, 11), T(30, 11), 9781},  {T(31, 0), T(31, 1), 9840},    {T(31, 2), T(32, 1), 9888},
        {T(32, 2), T(32, 2), 10069},   {T(32, 3), T(32, 5), 10091},   {T(32, 6), T(32, 7), 10242},
        {T(32, 8), T(32, 9), 10353},   {T(32, 10), T(32, 13), 10380}, {T(32, 14), T(32, 14), 10434},
        {T(32, 15), T(32, 15), 10488},
    };
    for (size_t i = 0; i < sizeof rows / sizeof rows[0]; i++) {
        assert_int_equal(kvb_ollama_build(rows[i].first), rows[i].build);
        assert_int_equal(kvb_ollama_build(rows[i].last), rows[i].build);
    }
}

// defaultParallel 4 to 0.6.6, 2 to 0.9.6; default_num_ctx 2048 to 0.6.6, 4096 to 0.15.4, then by "totalVRAM >= 47 GiB"
// and 23; llama-server places itself from 0.30.0 on; the layout of llm/server.go from 0.12.11 on.
static void defaults(void **state)
{
    (void)state;
    static const struct {
        uint32_t release, slots;
        uint64_t context, context_23, context_47;
        bool estimates, lays_out, caps;
    } rows[] = {
        {T(6, 6), 4, 2048, 2048, 2048, true, false, false},     {T(6, 7), 2, 4096, 4096, 4096, true, false, false},
        {T(9, 6), 2, 4096, 4096, 4096, true, false, false},     {T(10, 0), 1, 4096, 4096, 4096, true, false, true},
        {T(12, 10), 1, 4096, 4096, 4096, true, false, true},    {T(12, 11), 1, 4096, 4096, 4096, true, true, true},
        {T(15, 4), 1, 4096, 4096, 4096, true, true, true},      {T(15, 5), 1, 4096, 32768, 262144, true, true, true},
        {T(24, 0), 1, 4096, 32768, 262144, true, true, true},   {T(30, 0), 1, 4096, 32768, 262144, false, true, true},
        {T(32, 15), 1, 4096, 32768, 262144, false, true, true},
    };
    for (size_t i = 0; i < sizeof rows / sizeof rows[0]; i++) {
        uint32_t release = rows[i].release;
        assert_int_equal(kvb_ollama_usual_slots(release), rows[i].slots);
        assert_int_equal(kvb_ollama_usual_context(release, 23 * KVB_GIB - 1), rows[i].context);
        assert_int_equal(kvb_ollama_usual_context(release, 23 * KVB_GIB), rows[i].context_23);
        assert_int_equal(kvb_ollama_usual_context(release, 47 * KVB_GIB - 1), rows[i].context_23);
        assert_int_equal(kvb_ollama_usual_context(release, 47 * KVB_GIB), rows[i].context_47);
        assert_int_equal(kvb_ollama_estimates(release), rows[i].estimates);
        assert_int_equal(kvb_ollama_lays_out(release), rows[i].lays_out);
        assert_int_equal(kvb_ollama_caps_context(release), rows[i].caps);
    }
}

static void name(const char *class)
{
    memset(&plan, 0, sizeof plan);
    (void)snprintf(plan.model.architecture, sizeof plan.model.architecture, "%s", class);
    plan.gpu.vendor = KVB_VENDOR_NVIDIA;
    plan.gpu.compute_capability = 86;
    plan.model.layer_count = 1;
    plan.model.kind_count = 1;
    plan.model.kinds[0].attention = (struct kvb_attention_shape){
        .kind = KVB_ATTENTION_FULL, .heads = 32, .kv_heads = 8, .head_size = 128, .value_head_size = 128};
}

struct class_row {
    const char *class;
    uint32_t before, since; // the tags on both sides
};

static void own_engine(void **state)
{
    (void)state;
    static const struct class_row rows[] = {
        {"Gemma3ForConditionalGeneration", T(5, 13), T(6, 0)},
        {"Mistral3ForConditionalGeneration", T(6, 4), T(6, 5)},
        {"Llama4ForConditionalGeneration", T(6, 6), T(6, 7)},
        {"MllamaForConditionalGeneration", T(6, 8), T(7, 0)},
        {"Qwen2_5_VLForConditionalGeneration", T(6, 8), T(7, 0)},
        {"Gemma3nForConditionalGeneration", T(9, 2), T(9, 3)},
        {"GptOssForCausalLM", T(10, 1), T(11, 0)},
        {"Qwen3ForCausalLM", T(11, 11), T(12, 0)},
        {"Qwen3MoeForCausalLM", T(12, 1), T(12, 2)},
        {"Qwen3VLForConditionalGeneration", T(12, 6), T(12, 7)},
        {"Qwen3VLMoeForConditionalGeneration", T(12, 6), T(12, 7)},
        {"DeepseekV2ForCausalLM", T(12, 11), T(13, 0)},
        {"DeepseekV3ForCausalLM", T(12, 11), T(13, 0)},
        {"Olmo3ForCausalLM", T(13, 3), T(13, 4)},
        {"Glm4MoeLiteForCausalLM", T(14, 2), T(14, 3)},
        {"Lfm2ForCausalLM", T(14, 2), T(14, 3)},
        {"Qwen3NextForCausalLM", T(15, 4), T(15, 5)},
        {"Lfm2MoeForCausalLM", T(17, 0), T(17, 1)},
        {"NemotronHForCausalLM", T(17, 0), T(17, 1)},
        {"Qwen3_5ForConditionalGeneration", T(17, 0), T(17, 1)},
        {"Qwen3_5MoeForConditionalGeneration", T(17, 0), T(17, 1)},
        {"Gemma4ForConditionalGeneration", T(19, 0), T(20, 0)},
        {"LagunaForCausalLM", T(21, 2), T(22, 0)},
    };
    for (size_t i = 0; i < sizeof rows / sizeof rows[0]; i++) {
        name(rows[i].class);
        assert_int_equal(kvb_ollama_draws_since(rows[i].before, &plan.model), 0);
        assert_int_equal(kvb_ollama_draws_since(rows[i].since, &plan.model), rows[i].since);
        assert_int_equal(kvb_ollama_draws_since(T(24, 0), &plan.model), rows[i].since);
        assert_int_equal(kvb_ollama_draws_since(T(30, 0), &plan.model), 0);
        bool away = strcmp(rows[i].class, "Qwen3ForCausalLM") == 0; // in 0.12.5 alone
        assert_int_equal(kvb_ollama_draws_since(T(12, 5), &plan.model),
                         rows[i].since <= T(12, 5) && !away ? rows[i].since : 0);
    }
    name("LlamaForCausalLM");
    assert_int_equal(kvb_ollama_draws_since(T(24, 0), &plan.model), 0);
}

// What nobody says on or off: FlashAttention() by tag; from 0.13.4 on llama.cpp decides for what it runs itself.
static void flash_by_itself(void **state)
{
    (void)state;
    static const struct class_row rows[] = {
        {"GptOssForCausalLM", T(11, 7), T(11, 8)},
        {"Qwen3ForCausalLM", T(12, 3), T(12, 4)},
        {"Qwen3MoeForCausalLM", T(12, 3), T(12, 4)},
        {"Gemma3ForConditionalGeneration", T(12, 5), T(12, 6)},
        {"Qwen3VLForConditionalGeneration", T(12, 7), T(12, 8)},
        {"Mistral3ForConditionalGeneration", T(13, 1), T(13, 2)},
        {"LlamaForCausalLM", T(13, 3), T(13, 4)},
        {"Olmo3ForCausalLM", T(13, 3), T(13, 4)},
        {"Gemma4ForConditionalGeneration", T(20, 3), T(20, 4)},
    };
    for (size_t i = 0; i < sizeof rows / sizeof rows[0]; i++) {
        name(rows[i].class);
        assert_false(kvb_ollama_uses_flash(rows[i].before, &plan));
        assert_true(kvb_ollama_uses_flash(rows[i].since, &plan));
        assert_true(kvb_ollama_uses_flash(T(24, 0), &plan));
    }
    name("Qwen2_5_VLForConditionalGeneration"); // drawn by the engine of its own and not in the list
    assert_false(kvb_ollama_uses_flash(T(24, 0), &plan));
}

static void say_on(void)
{
    kvb_settings_set(&plan.settings, KVB_SET_FLASH_ATTENTION, KVB_ON, KVB_ORIGIN_FLAG);
}

// SupportsFlashAttention: keys and values of one size; Gemma 2 from 0.11.11 and Grok from 0.19.0 on never, Qwen 3.5 and
// Next from 0.17.1 on always. Cards below 7.0 have no kernels.
static void flash_that_is_asked_for(void **state)
{
    (void)state;
    static const struct {
        const char *class;
        uint32_t release, value_size;
        bool on;
    } rows[] = {
        {"LlamaForCausalLM", T(5, 0), 128, true},
        {"LlamaForCausalLM", T(5, 0), 64, false},
        {"LlamaForCausalLM", T(5, 0), 0, true},
        {"Gemma2ForCausalLM", T(11, 10), 128, true},
        {"Gemma2ForCausalLM", T(11, 11), 128, false},
        {"Grok1ForCausalLM", T(18, 3), 128, true},
        {"Grok1ForCausalLM", T(19, 0), 128, false},
        {"Qwen3NextForCausalLM", T(17, 0), 64, false},
        {"Qwen3NextForCausalLM", T(17, 1), 64, true},
        {"Qwen3_5ForConditionalGeneration", T(17, 0), 64, false},
        {"Qwen3_5ForConditionalGeneration", T(17, 1), 64, true},
        {"GptOssForCausalLM", T(11, 4), 128, false},
        {"GptOssForCausalLM", T(11, 5), 128, true},
    };
    for (size_t i = 0; i < sizeof rows / sizeof rows[0]; i++) {
        name(rows[i].class);
        plan.model.kinds[0].attention.value_head_size = rows[i].value_size;
        say_on();
        if (kvb_ollama_uses_flash(rows[i].release, &plan) != rows[i].on) {
            fail_msg("%s at %u", rows[i].class, rows[i].release);
        }
    }
    name("LlamaForCausalLM");
    say_on();
    plan.gpu.compute_capability = 70;
    assert_true(kvb_ollama_uses_flash(T(9, 0), &plan));
    plan.gpu.compute_capability = 61;
    assert_false(kvb_ollama_uses_flash(T(9, 0), &plan));
    plan.gpu.vendor = KVB_VENDOR_AMD;
    assert_true(kvb_ollama_uses_flash(T(9, 0), &plan));
}

// llm/memory.go, SupportsKVCacheType: q8_0 and q4_0 with flash attention, from 0.5.0 on.
static void types_of_caches(void **state)
{
    (void)state;
    static const struct {
        uint32_t release;
        enum kvb_llama_cache type;
        bool taken;
    } rows[] = {{T(4, 7), KVB_LLAMA_CACHE_Q8_0, false}, {T(5, 0), KVB_LLAMA_CACHE_Q8_0, true},
                {T(5, 0), KVB_LLAMA_CACHE_Q4_0, true},  {T(5, 0), KVB_LLAMA_CACHE_Q4_1, false},
                {T(5, 0), KVB_LLAMA_CACHE_F16, false},  {T(13, 4), KVB_LLAMA_CACHE_Q4_0, true}};
    for (size_t i = 0; i < sizeof rows / sizeof rows[0]; i++) {
        name("LlamaForCausalLM");
        assert_false(kvb_ollama_takes_cache(rows[i].release, &plan, rows[i].type)); // nobody turns it on
        say_on();
        assert_int_equal(kvb_ollama_takes_cache(rows[i].release, &plan, rows[i].type), rows[i].taken);
    }
    name("GptOssForCausalLM");
    say_on();
    assert_false(kvb_ollama_takes_cache(T(12, 5), &plan, KVB_LLAMA_CACHE_Q8_0));
    assert_true(kvb_ollama_takes_cache(T(12, 6), &plan, KVB_LLAMA_CACHE_Q8_0));
}

// num_gpu 0: no layer, however much room there is.
static void no_layer_asked(void **state)
{
    (void)state;
    static struct kvb_ollama_sizes sizes = {.layers = 2, .layer_bytes = {10, 10}, .output_bytes = 10};
    struct kvb_ollama_cards cards = {.count = 1, .free_bytes = 1000};
    struct kvb_ollama_placed placed;
    kvb_ollama_layout(&sizes, &cards, 0, &placed);
    assert_int_equal(placed.layers, 0);
    kvb_ollama_estimate(&sizes, &cards, 0, false, &placed);
    assert_int_equal(placed.layers, 0);
    kvb_ollama_layout(&sizes, &cards, 1, &placed);
    assert_int_equal(placed.layers, 1);
    kvb_ollama_estimate(&sizes, &cards, 1, false, &placed);
    assert_int_equal(placed.layers, 1);
    kvb_ollama_layout(&sizes, &cards, -1, &placed);
    assert_int_equal(placed.layers, 3);
    kvb_ollama_estimate(&sizes, &cards, -1, false, &placed);
    assert_int_equal(placed.layers, 3);
}

KVB_TEST_MAIN(cmocka_unit_test(builds), cmocka_unit_test(defaults), cmocka_unit_test(own_engine),
              cmocka_unit_test(flash_by_itself), cmocka_unit_test(flash_that_is_asked_for),
              cmocka_unit_test(types_of_caches), cmocka_unit_test(no_layer_asked))
