// The licences of models, each as its own card on the hub names it (the `license` or `license_name` of its front
// matter).
#include <string.h>

#include <kvbudget/kvbudget.h>

#include "unit/test.h"

// Of every family that the catalogue has, a model by its whole name; beside it those of its owner with another licence.
static void licences_of_cards(void **state)
{
    (void)state;
    static const struct {
        const char *name, *licence; // NULL: not known here
    } rows[] = {
        {"01-ai/Yi-1.5-9B-Chat", "apache-2.0"},
        {"Alibaba-NLP/gte-Qwen2-7B-instruct", "apache-2.0"},
        {"BAAI/bge-m3", "mit"},
        {"BAAI/bge-reranker-v2-m3", "apache-2.0"},
        {"ByteDance-Seed/Seed-OSS-36B-Instruct", "apache-2.0"},
        {"CohereLabs/c4ai-command-r-plus", "cc-by-nc-4.0"},
        {"EleutherAI/gpt-neox-20b", "apache-2.0"},
        {"HuggingFaceTB/SmolLM2-1.7B-Instruct", "apache-2.0"},
        {"LGAI-EXAONE/EXAONE-3.5-7.8B-Instruct", "exaone"},
        {"LiquidAI/LFM2-1.2B", "lfm1.0"},
        {"Nexusflow/Starling-LM-7B-beta", "apache-2.0"},
        {"NousResearch/Meta-Llama-3-8B-Instruct", "llama3"},
        {"Qwen/CodeQwen1.5-7B-Chat", "tongyi-qianwen"},
        {"Qwen/QwQ-32B", "apache-2.0"},
        {"Qwen/Qwen-7B-Chat", "tongyi-qianwen"},
        {"Qwen/Qwen1.5-7B-Chat", "tongyi-qianwen"},
        {"Qwen/Qwen1.5-0.5B-Chat", "tongyi-qianwen-research"},
        {"Qwen/Qwen1.5-1.8B-Chat", "tongyi-qianwen-research"},
        {"Qwen/Qwen1.5-4B-Chat", "tongyi-qianwen-research"},
        {"Qwen/Qwen2-7B-Instruct", "apache-2.0"},
        {"Qwen/Qwen2-72B-Instruct", "tongyi-qianwen"},
        {"Qwen/Qwen2-VL-7B-Instruct", "apache-2.0"},
        {"Qwen/Qwen2-VL-72B-Instruct", "tongyi-qianwen"},
        {"Qwen/Qwen2.5-7B-Instruct", "apache-2.0"},
        {"Qwen/Qwen2.5-3B-Instruct", "qwen-research"},
        {"Qwen/Qwen2.5-72B-Instruct", "qwen"},
        {"Qwen/Qwen2.5-Coder-3B-Instruct", "qwen-research"},
        {"Qwen/Qwen2.5-Omni-7B", NULL},
        {"Qwen/Qwen2.5-VL-3B-Instruct", "qwen-research"},
        {"Qwen/Qwen2.5-VL-72B-Instruct", "qwen"},
        {"Qwen/Qwen3-8B", "apache-2.0"},
        {"Qwen/Qwen3Guard-Gen-8B", "apache-2.0"},
        {"Snowflake/snowflake-arctic-embed-l-v2.0", "apache-2.0"},
        {"TinyLlama/TinyLlama-1.1B-Chat-v1.0", "apache-2.0"},
        {"XiaomiMiMo/MiMo-7B-RL", "mit"},
        {"allenai/OLMo-2-1124-7B-Instruct", "apache-2.0"},
        {"bigcode/starcoder2-15b", "bigcode-openrail-m"},
        {"bigscience/bloom-7b1", "bigscience-bloom-rail-1.0"},
        {"codellama/CodeLlama-7b-hf", "llama2"},
        {"databricks/dbrx-instruct", "databricks-open-model-license"},
        {"deepseek-ai/DeepSeek-Coder-V2-Lite-Instruct", "deepseek"},
        {"deepseek-ai/DeepSeek-R1", "mit"},
        {"deepseek-ai/DeepSeek-V2-Lite", "deepseek"},
        {"deepseek-ai/DeepSeek-V3", "deepseek"},
        {"deepseek-ai/DeepSeek-V3.1", "mit"},
        {"deepseek-ai/DeepSeek-V3.2", "mit"},
        {"deepseek-ai/deepseek-llm-7b-chat", "deepseek"},
        {"google/codegemma-7b", "gemma"},
        {"google/gemma-2-9b-it", "gemma"},
        {"google/gemma-3-27b-it", "gemma"},
        {"google/gemma-7b-it", "gemma"},
        {"ibm-granite/granite-3.3-8b-instruct", "apache-2.0"},
        {"inclusionAI/Ling-lite", "mit"},
        {"internlm/internlm3-8b-instruct", "apache-2.0"},
        {"intfloat/e5-mistral-7b-instruct", "mit"},
        {"llava-hf/llava-1.5-7b-hf", "llama2"},
        {"meta-llama/Llama-2-7b-chat-hf", "llama2"},
        {"meta-llama/Llama-3.1-8B-Instruct", "llama3.1"},
        {"meta-llama/Llama-3.2-3B-Instruct", "llama3.2"},
        {"meta-llama/Llama-3.3-70B-Instruct", "llama3.3"},
        {"meta-llama/Llama-4-Scout-17B-16E-Instruct", "llama4"},
        {"meta-llama/Llama-Guard-3-1B", "llama3.2"},
        {"meta-llama/Llama-Guard-3-8B", "llama3.1"},
        {"meta-llama/Meta-Llama-3-8B-Instruct", "llama3"},
        {"meta-llama/Meta-Llama-3.1-8B-Instruct", "llama3.1"},
        {"microsoft/Phi-3-mini-4k-instruct", "mit"},
        {"microsoft/phi-4", "mit"},
        {"mistral-community/pixtral-12b", "apache-2.0"},
        {"mistralai/Codestral-22B-v0.1", "mnpl"},
        {"mistralai/Devstral-Small-2507", "apache-2.0"},
        {"mistralai/Magistral-Small-2506", "apache-2.0"},
        {"mistralai/Ministral-3-8B-Instruct-2512", "apache-2.0"},
        {"mistralai/Ministral-8B-Instruct-2410", "mrl"},
        {"mistralai/Mistral-7B-Instruct-v0.3", "apache-2.0"},
        {"mistralai/Mistral-Large-Instruct-2407", "mrl"},
        {"mistralai/Mistral-Nemo-Instruct-2407", "apache-2.0"},
        {"mistralai/Mistral-Small-24B-Instruct-2501", "apache-2.0"},
        {"mistralai/Mistral-Small-3.2-24B-Instruct-2506", "apache-2.0"},
        {"mistralai/Mistral-Small-Instruct-2409", "mrl"},
        {"mistralai/Mixtral-8x7B-Instruct-v0.1", "apache-2.0"},
        {"mixedbread-ai/mxbai-embed-large-v1", "apache-2.0"},
        {"moonshotai/Kimi-Dev-72B", "mit"},
        {"moonshotai/Kimi-K2-Instruct", "modified-mit"},
        {"moonshotai/Kimi-K2.5", "modified-mit"},
        {"moonshotai/Kimi-VL-A3B-Instruct", "mit"},
        {"moonshotai/Moonlight-16B-A3B-Instruct", "mit"},
        {"mosaicml/mpt-7b", "apache-2.0"},
        {"openai-community/gpt2", "mit"},
        {"openai/gpt-oss-20b", "apache-2.0"},
        {"openai/whisper-large-v3", "apache-2.0"},
        {"openai/whisper-large-v3-turbo", "mit"},
        {"openbmb/MiniCPM4-8B", "apache-2.0"},
        {"openchat/openchat_3.5", "apache-2.0"},
        {"rednote-hilab/dots.llm1.inst", "mit"},
        {"sentence-transformers/all-MiniLM-L6-v2", "apache-2.0"},
        {"swiss-ai/Apertus-8B-Instruct-2509", "apache-2.0"},
        {"teknium/OpenHermes-2.5-Mistral-7B", "apache-2.0"},
        {"thenlper/gte-large", "mit"},
        {"tiiuae/Falcon3-7B-Instruct", "falcon-llm-license"},
        {"tiiuae/falcon-180B", "falcon-180b"},
        {"tiiuae/falcon-40b", "apache-2.0"},
        {"tiiuae/falcon-7b-instruct", "apache-2.0"},
        {"upstage/SOLAR-10.7B-Instruct-v1.0", "cc-by-nc-4.0"},
        {"upstage/SOLAR-10.7B-v1.0", "apache-2.0"},
        {"zai-org/GLM-4-9B-0414", "mit"},
        {"zai-org/GLM-4.5-Air", "mit"},
        {"zai-org/GLM-4.6", "mit"},
        {"zai-org/GLM-4.7", "mit"},
        {"zai-org/GLM-5", "mit"},
        {"zai-org/glm-4-9b-chat", "glm-4"},
        {"Qwen/Qwen2.5-72B", "qwen"},
        {"meta-llama/Llama", NULL}, // as far as a name goes
        {"someone/Qwen3-8B", NULL}, // a copy by another owner
        {"qwen/Qwen3-8B", NULL},
        {"nobody/nothing", NULL},
        {"", NULL},
    };
    for (size_t i = 0; i < sizeof rows / sizeof rows[0]; i++) {
        const char *licence = kvb_model_licence(rows[i].name);
        bool right =
            rows[i].licence == NULL ? licence == NULL : licence != NULL && strcmp(licence, rows[i].licence) == 0;
        if (!right) {
            fail_msg("%s: %s", rows[i].name, licence != NULL ? licence : "not known");
        }
    }
}

// A wish for a licence leaves those that have it; how many are not known is said.
static void wished(void **state)
{
    (void)state;
    static struct kvb_deployment deployment;
    static struct kvb_problems problems;
    struct kvb_models *models = NULL;
    struct kvb_models_wish wish = {.licence = "MIT", .family = "phi"};
    kvb_deployment_init(&deployment);
    (void)strcpy(deployment.gpu, "rtx4090");
    kvb_problems_init(&problems);
    assert_int_equal(kvb_models_find(&deployment, &wish, &models, &problems), KVB_OK);
    assert_true(models->count > 0 && models->asked == models->count);
    for (uint32_t i = 0; i < models->count; i++) {
        assert_string_equal(models->rows[i].licence, "mit");
    }
    uint32_t unknown = models->licence_unknown;
    kvb_models_free(models);
    wish.licence = NULL;
    assert_int_equal(kvb_models_find(&deployment, &wish, &models, &problems), KVB_OK);
    assert_int_equal(models->licence_unknown, 0); // nobody asked
    assert_true(models->count >= unknown);
    kvb_models_free(models);
}

KVB_TEST_MAIN(cmocka_unit_test(licences_of_cards), cmocka_unit_test(wished))
