// Models by the names people write: addresses, paths, tags, spellings, number formats; what is refused and how.
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>
#include <kvbudget/budget.h>

#include "catalogue/builtin.h"
#include "model/known.h"
#include "model/names/name.h"
#include "unit/hf_text.h"

static struct kvb_model_source source;

static enum kvb_status load(const char *name)
{
    kvb_problems_init(&problems);
    memset(&model, 0, sizeof model);
    return kvb_model_load(name, NULL, &model, &source, &problems);
}

struct name_case {
    const char *text, *owner, *name, *revision, *format;
    bool is_path;
};
static const struct name_case cases[] = {
    {"Qwen/Qwen3-8B", "Qwen", "Qwen3-8B", "", "", false},
    {"Qwen/Qwen3-8B/", "Qwen", "Qwen3-8B", "", "", false},
    {"Qwen3-8B", "", "Qwen3-8B", "", "", false},
    {"Qwen/Qwen3-8B@v1.2", "Qwen", "Qwen3-8B", "v1.2", "", false},
    {"https://huggingface.co/Qwen/Qwen3-8B/tree/main", "Qwen", "Qwen3-8B", "main", "", false},
    {"https://huggingface.co/Qwen/Qwen3-8B?library=vllm#use", "Qwen", "Qwen3-8B", "", "", false},
    {"http://hf-mirror.com/Qwen/Qwen3-8B/blob/abc/config.json", "Qwen", "Qwen3-8B", "abc", "", false},
    {"https://www.modelscope.cn/models/Qwen/Qwen3-8B", "Qwen", "Qwen3-8B", "", "", false},
    {"https://huggingface.co/a/B-GGUF/resolve/main/B-Q5_K_M.gguf", "a", "B-GGUF", "main", "Q5_K_M", false},
    {"hf.co/unsloth/Qwen3-8B-GGUF:Q4_K_M", "unsloth", "Qwen3-8B-GGUF", "", "Q4_K_M", false},
    {"unsloth/Qwen3-8B-GGUF:UD-Q4_K_XL", "unsloth", "Qwen3-8B-GGUF", "", "UD-Q4_K_XL", false},
    {"hf://Qwen/Qwen3-8B", "Qwen", "Qwen3-8B", "", "", false},
    {"s3://bucket/llm/Qwen/Qwen3-8B/", "Qwen", "Qwen3-8B", "", "", true},
    {"/models/Qwen3-32B", "models", "Qwen3-32B", "", "", true},
    {"./Qwen3-32B", "", "Qwen3-32B", "", "", true},
    {"~/x/Qwen3-32B/1", "x", "Qwen3-32B", "", "", true},
    {"/x/models--Qwen--Qwen3-8B/snapshots/0123", "Qwen", "Qwen3-8B", "", "", true},
    {"models--Qwen--Qwen3-8B", "Qwen", "Qwen3-8B", "", "", true},
    {"/m/Qwen3-8B-Q4_K_M-00001-of-00002.gguf", "m", "Qwen3-8B", "", "Q4_K_M", true},
    {"ollama.com/library/qwen3", "", "qwen3", "", "", false},
    // whole models, with their layers for further tokens
    {"hf.co/unsloth/Qwen3.6-27B-MTP-GGUF:Q8_0", "unsloth", "Qwen3.6-27B-GGUF", "", "Q8_0", false},
    {"unsloth/Qwen3.6-27B-mtp-gguf", "unsloth", "Qwen3.6-27B-GGUF", "", "", false},
    {"/m/Qwen3.6-27B-MTP-UD-Q4_K_XL.gguf", "m", "Qwen3.6-27B", "", "UD-Q4_K_XL", true},
    {"/m/Qwen3.6-27B-MTP-Q8_0.gguf", "m", "Qwen3.6-27B", "", "Q8_0", true},
    {"a/B-MTP", "a", "B-MTP", "", "", false},
    {"ollama/qwen2.5-coder", "", "qwen2.5-coder", "", "",
     false}, // LiteLLM's providers, docs.litellm.ai/docs/providers/ollama
    {"ollama_chat/qwen3:8b", "", "qwen3", "", "", false},
    {"ollama/someone/qwen3:8b", "someone", "qwen3", "", "", false},
    {"hosted_vllm/Qwen/Qwen3-8B", "Qwen", "Qwen3-8B", "", "", true},
};

static void names_are_taken_apart(void **state)
{
    (void)state;
    for (size_t i = 0; i < sizeof cases / sizeof cases[0]; i++) {
        struct kvb_name name;
        if (!kvb_name_parse(cases[i].text, &name) || strcmp(name.owner, cases[i].owner) != 0 ||
            strcmp(name.name, cases[i].name) != 0 || strcmp(name.revision, cases[i].revision) != 0 ||
            strcmp(name.format, cases[i].format) != 0 || name.is_path != cases[i].is_path) {
            fail_msg("%s: '%s' '%s' @'%s' :'%s' %d", cases[i].text, name.owner, name.name, name.revision, name.format,
                     name.is_path);
        }
    }
}

static void nothing_is_no_name(void **state)
{
    static const char *const texts[] = {"", "/", "//", "./", "https://", "s3://", "hf://", "."};
    char longest[3000];
    struct kvb_name name;
    (void)state;
    for (size_t i = 0; i < sizeof texts / sizeof texts[0]; i++) {
        assert_false(kvb_name_parse(texts[i], &name));
    }
    memset(longest, 'a', sizeof longest);
    longest[sizeof longest - 1] = '\0';
    assert_false(kvb_name_parse(longest, &name));
    for (size_t i = 1; i < 200; i += 2) {
        longest[i] = '/';
    }
    longest[200] = '\0';
    assert_false(kvb_name_parse(longest, &name)); // more parts than a path of a model has
}

struct word_case {
    const char *name, *rest;
    enum kvb_name_method method;
    uint32_t bits, group;
};
static const struct word_case word_cases[] = {
    {"Qwen3-8B", "Qwen3-8B", KVB_NAME_UNSAID, 0, 0},
    {"Qwen3-8B-AWQ", "Qwen3-8B", KVB_NAME_AWQ, 0, 0},
    {"Meta-Llama-3.1-8B-Instruct-AWQ-INT4", "Meta-Llama-3.1-8B-Instruct", KVB_NAME_AWQ, 4, 0},
    {"Qwen2.5-7B-Instruct-GPTQ-Int8", "Qwen2.5-7B-Instruct", KVB_NAME_GPTQ, 8, 0},
    {"gemma-3-27b-it-GPTQ-4b-128g", "gemma-3-27b-it", KVB_NAME_GPTQ, 4, 128},
    {"gemma-3-4b-it", "gemma-3-4b-it", KVB_NAME_UNSAID, 0, 0},
    {"Qwen3-8B-FP8-dynamic", "Qwen3-8B", KVB_NAME_FP8, 0, 0},
    {"Qwen3-8B-FP8_BLOCK", "Qwen3-8B", KVB_NAME_FP8, 0, 0},
    {"Llama-3.1-8B-quantized.w4a16", "Llama-3.1-8B", KVB_NAME_PACKED, 4, 0},
    {"Llama-3.1-8B-quantized.w8a8", "Llama-3.1-8B", KVB_NAME_INT8, 8, 0},
    {"Qwen3-8B-W4A16-G128", "Qwen3-8B", KVB_NAME_PACKED, 4, 128},
    {"Qwen3-14B-unsloth-bnb-4bit", "Qwen3-14B", KVB_NAME_BNB, 4, 0},
    {"Qwen3-32B-NVFP4", "Qwen3-32B", KVB_NAME_NVFP4, 0, 0},
    {"Llama-3.3-70B-Instruct-FP4", "Llama-3.3-70B-Instruct", KVB_NAME_NVFP4, 0, 0},
    {"Qwen3-8B-int4-AutoRound", "Qwen3-8B", KVB_NAME_AUTOROUND, 4, 0},
    {"DeepSeek-R1-int4-gptq-sym-inc", "DeepSeek-R1", KVB_NAME_GPTQ, 4, 0},
    {"Qwen3-8B-BF16", "Qwen3-8B", KVB_NAME_PLAIN, 0, 0},
    {"Qwen3-8B-GGUF", "Qwen3-8B", KVB_NAME_GGUF, 0, 0},
    {"gemma-3-27b-it-qat-q4_0-gguf", "gemma-3-27b-it", KVB_NAME_GGUF, 0, 0},
    {"Qwen3-8B-4bit", "Qwen3-8B", KVB_NAME_INTEGER, 4, 0},
    {"dynamic-model-8B", "dynamic-model-8B", KVB_NAME_UNSAID, 0, 0},
    {"MiniMax-M2.5-BF16-INT4-AWQ", "MiniMax-M2.5", KVB_NAME_AWQ, 4, 0},
    {"Llama-3-8B-Instruct-GPTQ-4-Bit", "Llama-3-8B-Instruct", KVB_NAME_GPTQ, 4, 0},
    {"DeepSeek-R1-Channel-INT8", "DeepSeek-R1", KVB_NAME_INTEGER, 8, 0},
    {"DeepSeek-R1-Block-INT8", "DeepSeek-R1", KVB_NAME_INTEGER, 8, 0},
    {"MiniMax-M3-MXFP8", "MiniMax-M3", KVB_NAME_FP8, 0, 0},
    {"GLM-4.5-Air-AWQ-FP16Mix", "GLM-4.5-Air", KVB_NAME_AWQ, 0, 0},
    {"Channel-8B", "Channel-8B", KVB_NAME_UNSAID, 0, 0},
    {"a-block", "a-block", KVB_NAME_UNSAID, 0, 0},
};

static void words_say_the_format(void **state)
{
    (void)state;
    for (size_t i = 0; i < sizeof word_cases / sizeof word_cases[0]; i++) {
        struct kvb_name name = {0};
        struct kvb_name_scheme scheme;
        char rest[KVB_NAME_PART];
        (void)snprintf(name.name, sizeof name.name, "%s", word_cases[i].name);
        kvb_name_take_words(&name, rest, &scheme);
        if (strcmp(rest, word_cases[i].rest) != 0 || scheme.method != word_cases[i].method ||
            scheme.bits != word_cases[i].bits || scheme.group != word_cases[i].group) {
            fail_msg("%s: '%s' method %d, %u bits, groups of %u", word_cases[i].name, rest, (int)scheme.method,
                     scheme.bits, scheme.group);
        }
    }
}

// Every method makes a config that is read back as that method.
static void schemes_are_read_back(void **state)
{
    static const char *const endings[][2] = {
        {"AWQ", "awq"},        {"GPTQ-Int8", "gptq"},  {"W4A16", "wna16"},   {"W8A8", "int8"},
        {"FP8", "fp8"},        {"FP8-dynamic", "fp8"}, {"FP8-block", "fp8"}, {"NVFP4", "nvfp4"},
        {"MXFP4", "mxfp4"},    {"bnb-4bit", "bnb4"},   {"bnb-8bit", "bnb8"}, {"AWQ-8bit", "wna16"},
        {"AutoRound", "gptq"}, {"GGUF", "gguf"},       {"BF16", "none"},     {"4bit", "wna16"},
    };
    (void)state;
    for (size_t i = 0; i < sizeof endings / sizeof endings[0]; i++) {
        char name[64];
        (void)snprintf(name, sizeof name, "someone/Qwen3-4B-SafeRL-%s", endings[i][0]);
        if (load(name) != KVB_OK) {
            fail_msg("%s: %s", name, problems.items[0].text);
        }
        assert_string_equal(model.name, name);
        assert_string_equal(kvb_quantisation_name(model.quantisation.method), endings[i][1]);
        assert_int_equal(source.weights_basis, KVB_BASIS_ASSUMED);
        assert_true(model.assumed_high_ppm > 0);
        assert_int_equal(problems.items[0].severity, KVB_NOTICE);
    }
}

struct found_case {
    const char *text, *called, *source;
};
static const struct found_case found_cases[] = {
    {"qwen3-8b", "Qwen/Qwen3-8B", "built-in profile"},
    {"https://huggingface.co/qwen/qwen3-8b", "Qwen/Qwen3-8B", "built-in profile"},
    {"Llama-3.1-8B", "meta-llama/Llama-3.1-8B", "built-in profile"},
    {"meta-llama/Meta-Llama-3.1-8B-Instruct", "meta-llama/Llama-3.1-8B-Instruct", "built-in profile"},
    {"/models/Qwen3-32B", "Qwen/Qwen3-32B", "built-in profile"},
    {"/srv/models--Qwen--Qwen3-32B/snapshots/1", "Qwen/Qwen3-32B", "built-in profile"},
    {"unsloth/Qwen3-8B", "unsloth/Qwen3-8B", "built-in profile of Qwen/Qwen3-8B"},
    {"RedHatAI/Qwen3-8B-FP8-dynamic", "RedHatAI/Qwen3-8B-FP8-dynamic", "sibling of Qwen/Qwen3-8B"},
    {"QuantTrio/Qwen3-VL-235B-A22B-Instruct-AWQ", "QuantTrio/Qwen3-VL-235B-A22B-Instruct-AWQ",
     "sibling of Qwen/Qwen3-VL-235B-A22B-Instruct"},
    {"TheBloke/Llama-2-13B-chat-GPTQ", "TheBloke/Llama-2-13B-chat-GPTQ", "sibling of meta-llama/Llama-2-13b-chat-hf"},
    {"qwen3:8b", "Qwen/Qwen3-8B", "built-in profile of Qwen/Qwen3-8B"},
    {"qwen3", "Qwen/Qwen3-8B", "built-in profile of Qwen/Qwen3-8B"},
    {"llama3.1:70b-instruct-q4_K_M", "meta-llama/Llama-3.1-70B-Instruct",
     "sibling of meta-llama/Llama-3.1-70B-Instruct"},
    // ollama.com/library/deepseek-r1: its sizes are the distilled models, not the one of 671B that has the bare name
    {"deepseek-r1:32b", "deepseek-ai/DeepSeek-R1-Distill-Qwen-32B",
     "built-in profile of deepseek-ai/DeepSeek-R1-Distill-Qwen-32B"},
    {"deepseek-r1:671b", "deepseek-ai/DeepSeek-R1", "built-in profile of deepseek-ai/DeepSeek-R1"},
    {"deepseek-r1", "deepseek-ai/DeepSeek-R1", "built-in profile"},
    {"bge-m3:latest", "BAAI/bge-m3", "built-in profile"},
    // a fine-tune, by the table of names
    {"hermes3:8b", "meta-llama/Llama-3.1-8B-Instruct", "built-in profile of meta-llama/Llama-3.1-8B-Instruct"},
    // not in the table of its library: the name and its tag are what others call it
    {"falcon:40b", "tiiuae/falcon-40b", "built-in profile of tiiuae/falcon-40b"},
    {"deepseek-coder:6.7b", "deepseek-ai/deepseek-coder-6.7b-instruct",
     "built-in profile of deepseek-ai/deepseek-coder-6.7b-instruct"},
    {"starcoder2:15b-q4_0", "bigcode/starcoder2-15b", "sibling of bigcode/starcoder2-15b"},
    {"google/gemma-2-9b-it-abliterated", "google/gemma-2-9b-it-abliterated",
     "built-in profile of google/gemma-2-9b-it"},
    {"allenai/Olmo-3-32B-Think-SFT", "allenai/Olmo-3-32B-Think-SFT", "built-in profile of allenai/Olmo-3-1125-32B"},
    {"poolside/Laguna-XS.2", "poolside/Laguna-XS.2", "sibling of poolside/Laguna-XS.2-FP8"},
    // "v2" before a format is the model's own version, "Preview" after one says nothing of it
    {"nvidia/NVIDIA-Nemotron-Nano-9B-v2-FP8", "nvidia/NVIDIA-Nemotron-Nano-9B-v2-FP8",
     "sibling of nvidia/NVIDIA-Nemotron-Nano-9B-v2"},
    {"amd/DeepSeek-R1-MXFP4-Preview", "amd/DeepSeek-R1-MXFP4-Preview", "sibling of deepseek-ai/DeepSeek-R1"},
    {"zai-org/GLM-5.3", "zai-org/GLM-5.3", "built-in profile of zai-org/GLM-5.2"},
};

static void names_are_found(void **state)
{
    (void)state;
    for (size_t i = 0; i < sizeof found_cases / sizeof found_cases[0]; i++) {
        if (load(found_cases[i].text) != KVB_OK) {
            fail_msg("%s: %s", found_cases[i].text, problems.items[0].text);
        }
        assert_string_equal(model.name, found_cases[i].called);
        assert_string_equal(source.text, found_cases[i].source);
        assert_int_equal(problems.count, 1);
        assert_int_equal(problems.items[0].severity, KVB_NOTICE);
    }
}

static void the_notice_says_the_bound(void **state)
{
    (void)state;
    assert_int_equal(load("TheBloke/Llama-2-13B-chat-AWQ"), KVB_OK);
    assert_string_equal(problems.items[0].text,
                        "model 'TheBloke/Llama-2-13B-chat-AWQ' is not built in: planned as "
                        "meta-llama/Llama-2-13b-chat-hf in the format its name states (AWQ, 4 bits in groups of 128); "
                        "its weights may be 4 % smaller or 12 % larger");
}

static void refusals_can_be_pasted(void **state)
{
    (void)state;
    assert_int_equal(load("foo/unheard-of"), KVB_UNKNOWN_NAME);
    assert_string_equal(
        problems.items[0].text,
        "model 'foo/unheard-of' is not built in; `kvbudget hub pull foo/unheard-of` fetches its config, or by hand: "
        "`curl -fL "
        "https://huggingface.co/foo/unheard-of/resolve/main/config.json -o config.json && kvbudget plan "
        "--model ./config.json --served-name foo/unheard-of`");
    assert_int_equal(load("a/b;touch x"), KVB_UNKNOWN_NAME);
    assert_string_equal(problems.items[0].text,
                        "model 'a/b;touch x' cannot be a repository's name, which is OWNER/NAME in letters, digits, "
                        "'-', '_' and '.'; or give its config: --model ./config.json");
    assert_int_equal(load("a/$(id)"), KVB_UNKNOWN_NAME);
    assert_null(strstr(problems.items[0].text, "curl"));
    assert_int_equal(load("mlx-community/Qwen3-8B-4bit"), KVB_UNKNOWN_NAME);
    assert_string_equal(problems.items[0].text,
                        "model 'mlx-community/Qwen3-8B-4bit' is in a format of other programs (MLX); the original is "
                        "`kvbudget plan --model Qwen/Qwen3-8B`");
    assert_int_equal(load("/models/none"), KVB_CANNOT_OPEN);
    assert_string_equal(problems.items[0].text, "no such file or folder");
    assert_int_equal(load("x.gguf"), KVB_CANNOT_OPEN);
    assert_string_equal(problems.items[0].text, "no such file; one that is on a hub goes by OWNER/NAME:FORMAT, as in "
                                                "unsloth/Qwen3-8B-GGUF:Q4_K_M");
    assert_int_equal(load("unheard"), KVB_UNKNOWN_NAME);
    // a word such as "text" makes no family: nothing near is named
    assert_int_equal(load("unheard-embed-text"), KVB_UNKNOWN_NAME);
    assert_string_equal(problems.items[0].text,
                        "model 'unheard-embed-text' is not built in; write its name on "
                        "huggingface.co, OWNER/MODEL, or give its config: --model ./config.json");
    // a tag of Ollama's says the size: it is never left out
    assert_int_equal(load("deepseek-r1:999b"), KVB_UNKNOWN_NAME);
    assert_int_equal(load("unheard"), KVB_UNKNOWN_NAME);
    assert_string_equal(problems.items[0].text, "model 'unheard' is not built in; write its name on huggingface.co, "
                                                "OWNER/MODEL, or give its config: --model ./config.json");
}

static void says(const char *name, const char *text)
{
    assert_int_equal(load(name), KVB_UNKNOWN_NAME);
    assert_string_equal(problems.items[0].text, text);
}

// Names of no repository of weights, and of those that have no config.json: each gets the step that is its own.
static void names_of_other_kinds(void **state)
{
    static const char closed[] =
        "' is served by its maker alone: it has no weights to plan for; those that are built in: "
        "`kvbudget models`";
    static const char *const theirs[] = {"openai/gpt-4o", "gpt-5.1-codex", "google/gemini-2.5-pro",
                                         "anthropic/claude-sonnet-4", "o3-mini"};
    char text[320];
    (void)state;
    for (size_t i = 0; i < sizeof theirs / sizeof theirs[0]; i++) {
        struct kvb_name name;
        (void)snprintf(text, sizeof text, "model '%s%s", theirs[i], closed);
        says(theirs[i], text);
        assert_int_equal(kvb_model_known(theirs[i], &name), KVB_KNOWN_NEVER);
    }
    assert_int_equal(load("someone/gpt-4-of-mine"), KVB_UNKNOWN_NAME);
    assert_non_null(strstr(problems.items[0].text, "resolve/main/config.json"));
    assert_int_equal(load("openai/gpt-9"), KVB_UNKNOWN_NAME);
    assert_non_null(strstr(problems.items[0].text, "resolve/main/config.json"));
    says("mlx-community/Unheard-82M-4bit",
         "model 'mlx-community/Unheard-82M-4bit' is in a format of other programs (MLX), "
         "which this engine does not load; its original is not built in: write the "
         "original's name");
    says("foo/Unheard-GGUF",
         "model 'foo/Unheard-GGUF' is not built in; it holds GGUF files, whose header says what they "
         "are: `hf download foo/Unheard-GGUF --include \"*Q4_K_M*\" --local-dir gguf`, then --model "
         "gguf/FILE.gguf");
    assert_int_equal(load("foo/Unheard-GGUF:Q5_K_M"), KVB_UNKNOWN_NAME);
    assert_non_null(strstr(problems.items[0].text, "--include \"*Q5_K_M*\""));
}

// What its owner quantised and built in is, is at 16 bits itself; the notice says so.
static void an_original_has_16_bits(void **state)
{
    (void)state;
    assert_int_equal(load("poolside/Laguna-XS.2"), KVB_OK);
    assert_string_equal(kvb_quantisation_name(model.quantisation.method), "none");
    assert_string_equal(problems.items[0].text, "model 'poolside/Laguna-XS.2' is not built in: planned as the original "
                                                "of poolside/Laguna-XS.2-FP8, at 16 bits");
    assert_int_equal(load("nobody/Laguna-XS.2"), KVB_UNKNOWN_NAME);
    assert_int_equal(load("nobody/Laguna-XS.2-SFT"), KVB_UNKNOWN_NAME);
}

// Where nothing may be fetched, the helper is not offered; a second and a third model follow the nearest.
static void the_step_is_one_that_works(void **state)
{
    (void)state;
    assert_int_equal(setenv("HF_HUB_OFFLINE", "1", 1), 0);
    assert_int_equal(load("foo/Qwen9-8B"), KVB_UNKNOWN_NAME);
    assert_null(strstr(problems.items[0].text, "hub pull"));
    assert_non_null(strstr(problems.items[0].text, "its own config: `curl -fL https://huggingface.co/foo/Qwen9-8B/"));
    assert_int_equal(unsetenv("HF_HUB_OFFLINE"), 0);
    assert_int_equal(load("foo/Qwen9-8B"), KVB_UNKNOWN_NAME);
    assert_non_null(
        strstr(problems.items[0].text, "`kvbudget hub pull foo/Qwen9-8B` fetches its config, or by hand: `"));
    assert_non_null(strstr(problems.items[0].text, "`kvbudget plan --model Qwen/Qwen3-8B`, then "));
}

// The same family, size and kind come before letters that look alike.
static void the_nearest_is_of_its_kind(void **state)
{
    static const char *const pairs[][2] = {
        {"Qwen/Qwen3.7-27B", "Qwen/Qwen3.6-27B"},
        {"meta-llama/Llama-3.4-11B-Vision-Instruct", "meta-llama/Llama-3.2-11B-Vision-Instruct"},
        {"Qwen/Qwen3-8C", "Qwen/Qwen3-8B"},
        {"Qwen/Qwen9-8B-Instruct", "Qwen/Qwen3-8B"}, // "Instruct" makes no family: no databricks/dbrx-instruct
    };
    (void)state;
    for (size_t i = 0; i < sizeof pairs / sizeof pairs[0]; i++) {
        char step[160];
        assert_int_equal(load(pairs[i][0]), KVB_UNKNOWN_NAME);
        (void)snprintf(step, sizeof step, "the nearest that is: `kvbudget plan --model %s`", pairs[i][1]);
        if (!strstr(problems.items[0].text, step)) {
            fail_msg("%s: %s", pairs[i][0], problems.items[0].text);
        }
    }
}

// The tables name built-in models, the table of names is sorted, and no name hides a built-in one.
static void the_tables_hold(void **state)
{
    size_t count;
    const struct kvb_known_name *rows = kvb_known_names(&count);
    (void)state;
    for (size_t i = 0; i < count; i++) {
        if (!kvb_builtin_find(KVB_PROFILE_MODEL, rows[i].like) || kvb_builtin_find(KVB_PROFILE_MODEL, rows[i].name) ||
            kvb_known_find(rows[i].name) != &rows[i]) {
            fail_msg("names.csv: %s,%s", rows[i].name, rows[i].like);
        }
    }
    assert_null(kvb_known_find("no such"));
}

static struct kvb_plan plan;
static struct kvb_budget budget;

static const struct kvb_term *weights_of(const char *name)
{
    struct kvb_settings unused = {0};
    if (load(name) != KVB_OK) {
        return NULL;
    }
    memset(&plan, 0, sizeof plan);
    plan.model = model;
    assert_int_equal(kvb_gpu_load("h100-sxm", &plan.gpu, &problems), KVB_OK);
    assert_int_equal(kvb_engine_load("vllm@0.19.0", &plan.engine, &unused, &problems), KVB_OK);
    kvb_settings_set(&plan.settings, KVB_SET_TENSOR_PARALLEL_SIZE, 1, KVB_ORIGIN_FLAG);
    return kvb_budget_compute(&plan, &budget, &problems) == KVB_OK ? &budget.items[KVB_ITEM_WEIGHTS] : NULL;
}

// What integer copies of a hybrid with experts leave at 16 bits, and what those of other models do not.
static void copies_of_hybrids_keep_what_stands_beside_experts(void **state)
{
    (void)state;
    static const struct {
        const char *name;
        bool kept;
    } rows[] = {{"cyankiwi/Qwen3.6-35B-A3B-AWQ-4bit", true},
                {"someone/Qwen3.5-35B-A3B-GPTQ-Int4", true},
                {"someone/Qwen3-30B-A3B-GPTQ-Int4", false}, // no recurrent layers
                {"someone/Qwen3.6-27B-AWQ", false},         // no experts
                {"someone/Qwen3.6-35B-A3B-FP8", false}};
    uint32_t roles = 1U << KVB_ROLE_ATTENTION | 1U << KVB_ROLE_SHARED_EXPERT;
    for (size_t i = 0; i < sizeof rows / sizeof rows[0]; i++) {
        assert_int_equal(load(rows[i].name), KVB_OK);
        assert_int_equal((model.quantisation.unquantised_roles & roles) == roles, rows[i].kept);
    }
}

// NVFP4 of another owner than the built-in one's is compressed-tensors: delta nets and head at 16 bits, no cache
// declared. Source: llm-compressor examples/quantization_w4a4_fp4/qwen3_6_example.py; logs print 21.86 and 15.88 GiB.
static void other_makers_of_nvfp4(void **state)
{
    (void)state;
    static const struct {
        const char *name;
        uint32_t centigib; // 0: not logged
        bool states, weights_alone;
        enum kvb_declared_cache cache;
    } rows[] = {
        {"RedHatAI/Qwen3.6-35B-A3B-NVFP4", 2186, true, false, KVB_DECLARED_NONE},
        {"RedHatAI/gemma-4-26B-A4B-it-NVFP4", 1588, false, false, KVB_DECLARED_NONE},
        {"unsloth/Qwen3.8-27B-NVFP4", 2134, false, false, KVB_DECLARED_SCHEME}, // 22.13 with its next-token module
        {"someone/Qwen3.6-35B-A3B-NVFP4A16", 0, true, true, KVB_DECLARED_NONE},
        {"RedHatAI/Qwen3.6-35B-A3B-FP8-dynamic", 0, true, false, KVB_DECLARED_NONE},
        {"RedHatAI/Llama-3.1-8B-Instruct-NVFP4", 0, false, false, KVB_DECLARED_NONE}};
    for (size_t i = 0; i < sizeof rows / sizeof rows[0]; i++) {
        const struct kvb_term *weights = weights_of(rows[i].name);
        assert_non_null(weights);
        int64_t logged = (int64_t)((uint64_t)rows[i].centigib * (1U << 30) / 100);
        assert_true(rows[i].centigib == 0 || llabs(weights->bytes - logged) < logged / 100);
        assert_int_equal(model.quantisation.plain_states, rows[i].states);
        assert_int_equal(model.quantisation.cache, rows[i].cache);
        assert_int_equal(model.quantisation.weight_only, rows[i].weights_alone);
    }
    // the example's groups: attention, "re:.*lm_head" and layers.(56|...|63).mlp in FP8
    assert_int_equal(load("unsloth/Qwen3.8-27B-NVFP4"), KVB_OK);
    assert_true(model.quantisation.head_quantised);
    assert_int_equal(model.quantisation.roles_as_attention, 1U << KVB_ROLE_HEAD);
    for (uint32_t i = 0; i < KVB_LAYERS_MAX / 8; i++) {
        assert_int_equal(model.quantisation.mlps_as_attention[i], i == 7 ? 0xff : 0);
    }
    assert_int_equal(load("RedHatAI/Qwen3.5-9B-NVFP4"), KVB_OK); // 32 layers
    assert_int_equal(model.quantisation.attention_method, KVB_QUANT_FP8);
    assert_false(model.quantisation.head_quantised);
    assert_int_equal(load("nvidia/Qwen3.6-35B-A3B-NVFP4"), KVB_OK);
    assert_string_equal(model.quantisation.name, "modelopt");
}

// The rule against the catalogue: where a quantised model and its original are both built in, what is planned
// from the name must hold what the model's own config gives.
static void siblings_hold_what_configs_say(void **state)
{
    size_t count, compared = 0, outside = 0;
    const struct kvb_builtin *rows = kvb_builtins_of(KVB_PROFILE_MODEL, &count);
    (void)state;
    for (size_t i = 0; i < count; i++) {
        char sibling[KVB_NAME_CAPACITY];
        (void)snprintf(sibling, sizeof sibling, "%s-quantized", rows[i].id); // another name of the same
        const struct kvb_term *own = weights_of(rows[i].id);
        int64_t bytes = own ? own->bytes : 0;
        bool quantised = own && model.quantisation.method != KVB_QUANT_NONE;
        const struct kvb_term *assumed = quantised ? weights_of(sibling) : NULL;
        if (!assumed || assumed->basis != KVB_BASIS_ASSUMED || assumed->bytes == bytes) {
            continue;
        }
        compared++;
        if (bytes < assumed->low_bytes || bytes > assumed->high_bytes) {
            outside++;
            (void)fprintf(stderr, "%s: %lld, assumed %lld to %lld\n", rows[i].id, (long long)bytes,
                          (long long)assumed->low_bytes, (long long)assumed->high_bytes);
        }
    }
    (void)fprintf(stderr, "%zu compared, %zu outside\n", compared, outside);
    assert_true(compared > 20 && outside * 10 <= compared);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(names_are_taken_apart),
        cmocka_unit_test(nothing_is_no_name),
        cmocka_unit_test(words_say_the_format),
        cmocka_unit_test(schemes_are_read_back),
        cmocka_unit_test(names_are_found),
        cmocka_unit_test(the_notice_says_the_bound),
        cmocka_unit_test(refusals_can_be_pasted),
        cmocka_unit_test(names_of_other_kinds),
        cmocka_unit_test(an_original_has_16_bits),
        cmocka_unit_test(the_step_is_one_that_works),
        cmocka_unit_test(the_nearest_is_of_its_kind),
        cmocka_unit_test(the_tables_hold),
        cmocka_unit_test(siblings_hold_what_configs_say),
        cmocka_unit_test(copies_of_hybrids_keep_what_stands_beside_experts),
        cmocka_unit_test(other_makers_of_nvfp4),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
