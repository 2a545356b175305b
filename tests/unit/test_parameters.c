// Published element counts, as the Hub reports them for each checkpoint (gathered in AlexsJones/llmfit,
// llmfit-core/data/hf_models.json at commit 5bdc9df9d8e28168fdc4650741be71b715a11fc6), against built-in models.
#include <kvbudget/input.h>

#include "unit/test.h"

struct published {
    const char *model;
    uint64_t parameters;
};
// clang-format off
static const struct published rows[] = {
    {"01-ai/Yi-34B", 34388917248ULL},
    {"01-ai/Yi-6B-Chat", 6061035520ULL},
    {"HuggingFaceTB/SmolLM-1.7B-Instruct", 1711376384ULL},
    {"HuggingFaceTB/SmolLM2-135M-Instruct", 134515008ULL},
    {"HuggingFaceTB/SmolLM3-3B", 3075098624ULL},
    {"HuggingFaceTB/SmolVLM-256M-Instruct", 256484928ULL},
    {"HuggingFaceTB/SmolVLM-500M-Instruct", 507482304ULL},
    {"HuggingFaceTB/SmolVLM-Instruct", 2246272880ULL},
    {"LGAI-EXAONE/EXAONE-4.0-32B", 32003216384ULL},
    {"LGAI-EXAONE/K-EXAONE-236B-A23B", 237099669632ULL},
    {"LiquidAI/LFM2-1.2B", 1170340608ULL},
    {"LiquidAI/LFM2-2.6B", 2569272320ULL},
    {"LiquidAI/LFM2-24B-A2B", 23843661440ULL},
    {"MiniMaxAI/MiniMax-Text-01", 456089655296ULL},
    {"Qwen/QwQ-32B", 32763876352ULL},
    {"Qwen/QwQ-32B-AWQ", 32763876352ULL},
    {"Qwen/Qwen1.5-7B-Chat", 7721324544ULL},
    {"Qwen/Qwen1.5-MoE-A2.7B", 14315784192ULL},
    {"Qwen/Qwen2-0.5B-Instruct", 494032768ULL},
    {"Qwen/Qwen2-7B-Instruct", 7615616512ULL},
    {"Qwen/Qwen2-VL-72B-Instruct", 73405560320ULL},
    {"Qwen/Qwen2.5-14B-Instruct-1M", 14770033664ULL},
    {"Qwen/Qwen2.5-14B-Instruct-AWQ", 14770033664ULL},
    {"Qwen/Qwen2.5-14B-Instruct-GPTQ-Int4", 14770033664ULL},
    {"Qwen/Qwen2.5-32B", 32763876352ULL},
    {"Qwen/Qwen2.5-32B-Instruct-GPTQ-Int4", 32763876352ULL},
    {"Qwen/Qwen2.5-72B", 72706203648ULL},
    {"Qwen/Qwen2.5-72B-Instruct", 72706203648ULL},
    {"Qwen/Qwen2.5-7B-Instruct", 7615616512ULL},
    {"Qwen/Qwen2.5-7B-Instruct-1M", 7615616512ULL},
    {"Qwen/Qwen2.5-7B-Instruct-GPTQ-Int4", 7615616512ULL},
    {"Qwen/Qwen2.5-Coder-1.5B-Instruct", 1543714304ULL},
    {"Qwen/Qwen2.5-Coder-14B-Instruct", 14770033664ULL},
    {"Qwen/Qwen2.5-Coder-3B-Instruct", 3085938688ULL},
    {"Qwen/Qwen2.5-Coder-7B-Instruct", 7615616512ULL},
    {"Qwen/Qwen2.5-Coder-7B-Instruct-AWQ", 7615616512ULL},
    {"Qwen/Qwen2.5-VL-3B-Instruct", 3754622976ULL},
    {"Qwen/Qwen2.5-VL-7B-Instruct", 8292166656ULL},
    {"Qwen/Qwen3-14B-AWQ", 14768307200ULL},
    {"Qwen/Qwen3-30B-A3B-Base", 30532122624ULL},
    {"Qwen/Qwen3-30B-A3B-Thinking-2507", 30532122624ULL},
    {"Qwen/Qwen3-8B", 8190735360ULL},
    {"Qwen/Qwen3-8B-AWQ", 8190735360ULL},
    {"Qwen/Qwen3-8B-Base", 8190735360ULL},
    {"Qwen/Qwen3-Coder-30B-A3B-Instruct", 30532122624ULL},
    {"Qwen/Qwen3-Next-80B-A3B-Instruct", 81324862720ULL},
    {"Qwen/Qwen3-VL-2B-Thinking", 2127532032ULL},
    {"Qwen/Qwen3-VL-4B-Thinking", 4437815808ULL},
    {"Qwen/Qwen3-VL-8B-Instruct", 8767123696ULL},
    {"Qwen/Qwen3.5-0.8B", 873438784ULL},
    {"Qwen/Qwen3.5-122B-A10B", 125086497008ULL},
    {"Qwen/Qwen3.5-27B", 27781427952ULL},
    {"Qwen/Qwen3.5-2B", 2274069824ULL},
    {"Qwen/Qwen3.5-35B-A3B", 35951822704ULL},
    {"Qwen/Qwen3.5-397B-A17B", 403397928944ULL},
    {"Qwen/Qwen3.5-4B", 4659865088ULL},
    {"Qwen/Qwen3.5-9B", 9653104368ULL},
    {"Qwen/Qwen3.6-27B", 27781427952ULL},
    {"Qwen/Qwen3.6-35B-A3B", 35951822704ULL},
    {"XiaomiMiMo/MiMo-7B-Base", 7833409536ULL},
    {"ai21labs/AI21-Jamba-1.5-Mini", 51570323328ULL},
    {"allenai/Molmo-7B-D-0924", 8021025280ULL},
    {"allenai/OLMo-2-1124-13B-Instruct", 13716198400ULL},
    {"allenai/OLMo-2-1124-7B-Instruct", 7298617344ULL},
    {"allenai/Olmo-3-1125-32B", 32233522176ULL},
    {"alpindale/WizardLM-2-8x22B", 140620634112ULL},
    {"arcee-ai/Trinity-Nano-Preview", 6120003328ULL},
    {"bigcode/starcoder2-3b", 3030371328ULL},
    {"bigcode/starcoder2-7b", 7173923840ULL},
    {"bigscience/bloom-560m", 559214592ULL},
    {"deepseek-ai/DeepSeek-Coder-V2-Lite-Instruct", 15706484224ULL},
    {"deepseek-ai/DeepSeek-R1-Distill-Llama-70B", 70553706496ULL},
    {"deepseek-ai/DeepSeek-R1-Distill-Qwen-1.5B", 1777088000ULL},
    {"deepseek-ai/DeepSeek-R1-Distill-Qwen-14B", 14770033664ULL},
    {"deepseek-ai/DeepSeek-R1-Distill-Qwen-32B", 32763876352ULL},
    {"deepseek-ai/DeepSeek-R1-Distill-Qwen-7B", 7615616512ULL},
    {"google/gemma-2-27b-it", 27227128320ULL},
    {"google/gemma-2-2b-it", 2614341888ULL},
    {"google/gemma-3-1b-it", 999885952ULL},
    {"google/gemma-3-270m-it", 268098176ULL},
    {"google/gemma-3-4b-it", 4300079472ULL},
    {"google/gemma-3-4b-pt", 4300079472ULL},
    {"google/gemma-4-E2B-it", 5123178051ULL},
    {"ibm-ai-platform/Bamba-9B-v1", 9780235392ULL},
    {"llava-hf/llava-onevision-qwen2-0.5b-ov-hf", 893675552ULL},
    {"llava-hf/llava-onevision-qwen2-7b-ov-hf", 8030807584ULL},
    {"llava-hf/llava-v1.6-34b-hf", 34752083968ULL},
    {"llava-hf/llava-v1.6-vicuna-13b-hf", 13351499776ULL},
    {"llm-jp/llm-jp-4-8b-thinking", 8590200832ULL},
    {"meta-llama/Llama-3.1-8B-Instruct", 8030261248ULL},
    {"meta-llama/Llama-3.2-11B-Vision-Instruct", 10670220835ULL},
    {"meta-llama/Llama-3.2-3B-Instruct", 3212749824ULL},
    {"meta-llama/Llama-3.3-70B-Instruct", 70553706496ULL},
    {"meta-llama/Llama-Guard-3-8B", 8030261248ULL},
    {"meta-llama/Meta-Llama-3-70B", 70553706496ULL},
    {"meta-llama/Meta-Llama-3-8B-Instruct", 8030261248ULL},
    {"microsoft/Phi-3-medium-4k-instruct", 13960238080ULL},
    {"microsoft/Phi-3-mini-4k-instruct", 3821079552ULL},
    {"microsoft/Phi-mini-MoE-instruct", 7647632704ULL},
    {"microsoft/Phi-tiny-MoE-instruct", 3755220288ULL},
    {"microsoft/phi-2", 2779683840ULL},
    {"mistralai/Mistral-7B-v0.1", 7241732096ULL},
    {"mistralai/Mixtral-8x22B-Instruct-v0.1", 140630071296ULL},
    {"mistralai/Mixtral-8x7B-Instruct-v0.1", 46702792704ULL},
    {"moonshotai/Kimi-Dev-72B", 72706203648ULL},
    {"moonshotai/Kimi-Linear-48B-A3B-Instruct", 49122681728ULL},
    {"nvidia/Llama-3_3-Nemotron-Super-49B-v1", 49867145216ULL},
    {"nvidia/NVIDIA-Nemotron-Nano-9B-v2", 8888227328ULL},
    {"openai/whisper-large-v2", 1543304960ULL},
    {"openai/whisper-large-v3", 1543490560ULL},
    {"openai/whisper-large-v3-turbo", 808878080ULL},
    {"openbmb/MiniCPM-V-2_6", 8099175152ULL},
    {"openbmb/MiniCPM4-8B", 8185253888ULL},
    {"opendatalab/MinerU2.5-2509-1.2B", 1156026624ULL},
    {"tencent/Hy3-preview", 298786155776ULL},
    {"tiiuae/Falcon-H1-0.5B-Base", 521411104ULL},
    {"zai-org/GLM-4.5-Air", 110468824832ULL},
    {"zai-org/GLM-4.5V", 107710933120ULL},
    {"zai-org/GLM-4.7", 358337791296ULL},
    {"zai-org/GLM-4.7-Flash", 31221488576ULL},
};
// clang-format on

static struct kvb_problems problems;
static struct kvb_model model;

static void counts_are_the_published_ones(void **state)
{
    uint32_t wrong = 0;
    (void)state;
    for (size_t i = 0; i < sizeof rows / sizeof rows[0]; i++) {
        kvb_problems_init(&problems);
        if (kvb_model_load(rows[i].model, NULL, &model, NULL, &problems) != KVB_OK) {
            fail_msg("%s: %s", rows[i].model, problems.items[0].text);
        }
        if (kvb_model_parameters(&model) != rows[i].parameters) {
            print_error("%s: counted %llu, published %llu\n", rows[i].model,
                        (unsigned long long)kvb_model_parameters(&model), (unsigned long long)rows[i].parameters);
            wrong++;
        }
    }
    assert_int_equal(wrong, 0);
}

KVB_TEST_MAIN(cmocka_unit_test(counts_are_the_published_ones))
