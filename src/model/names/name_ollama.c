// What Ollama calls the common models, and the Hub's names of them.
// Source: the library pages of ollama.com, where each tag names the model it was made from.
#include <stdio.h>
#include <string.h>

#include "base/text.h"
#include "model/names/name.h"

struct ollama_row {
    const char *name, *tag; // tag "": the one that "latest" means
    const char *hub;
};
// clang-format off
static const struct ollama_row rows[] = {
    {"qwen3", "0.6b", "Qwen/Qwen3-0.6B"}, {"qwen3", "1.7b", "Qwen/Qwen3-1.7B"}, {"qwen3", "4b", "Qwen/Qwen3-4B"},
    {"qwen3", "8b", "Qwen/Qwen3-8B"}, {"qwen3", "", "Qwen/Qwen3-8B"}, {"qwen3", "14b", "Qwen/Qwen3-14B"},
    {"qwen3", "32b", "Qwen/Qwen3-32B"}, {"qwen3", "30b", "Qwen/Qwen3-30B-A3B"}, {"qwen3", "30b-a3b", "Qwen/Qwen3-30B-A3B"},
    {"qwen3", "235b", "Qwen/Qwen3-235B-A22B"}, {"qwen3-coder", "30b", "Qwen/Qwen3-Coder-30B-A3B-Instruct"},
    {"qwen3-coder", "", "Qwen/Qwen3-Coder-30B-A3B-Instruct"}, {"qwen3-coder", "480b", "Qwen/Qwen3-Coder-480B-A35B-Instruct"},
    {"qwen3-vl", "8b", "Qwen/Qwen3-VL-8B-Instruct"}, {"qwen3-vl", "", "Qwen/Qwen3-VL-8B-Instruct"},
    {"qwen3-vl", "4b", "Qwen/Qwen3-VL-4B-Instruct"}, {"qwen3-vl", "2b", "Qwen/Qwen3-VL-2B-Instruct"},
    {"qwen3-vl", "30b", "Qwen/Qwen3-VL-30B-A3B-Instruct"}, {"qwen3-vl", "235b", "Qwen/Qwen3-VL-235B-A22B-Instruct"},
    {"qwen3.5", "0.8b", "Qwen/Qwen3.5-0.8B"}, {"qwen3.5", "2b", "Qwen/Qwen3.5-2B"}, {"qwen3.5", "4b", "Qwen/Qwen3.5-4B"},
    {"qwen3.5", "9b", "Qwen/Qwen3.5-9B"}, {"qwen3.5", "", "Qwen/Qwen3.5-9B"}, {"qwen3.5", "27b", "Qwen/Qwen3.5-27B"},
    {"qwen3.5", "35b", "Qwen/Qwen3.5-35B-A3B"}, {"qwen3.5", "122b", "Qwen/Qwen3.5-122B-A10B"},
    {"qwen3.6", "27b", "Qwen/Qwen3.6-27B"}, {"qwen3.6", "35b", "Qwen/Qwen3.6-35B-A3B"},
    {"qwen2.5", "0.5b", "Qwen/Qwen2.5-0.5B-Instruct"}, {"qwen2.5", "1.5b", "Qwen/Qwen2.5-1.5B-Instruct"},
    {"qwen2.5", "3b", "Qwen/Qwen2.5-3B-Instruct"}, {"qwen2.5", "7b", "Qwen/Qwen2.5-7B-Instruct"},
    {"qwen2.5", "", "Qwen/Qwen2.5-7B-Instruct"}, {"qwen2.5", "14b", "Qwen/Qwen2.5-14B-Instruct"},
    {"qwen2.5", "32b", "Qwen/Qwen2.5-32B-Instruct"}, {"qwen2.5", "72b", "Qwen/Qwen2.5-72B-Instruct"},
    {"qwen2.5-coder", "0.5b", "Qwen/Qwen2.5-Coder-0.5B-Instruct"}, {"qwen2.5-coder", "1.5b", "Qwen/Qwen2.5-Coder-1.5B-Instruct"},
    {"qwen2.5-coder", "3b", "Qwen/Qwen2.5-Coder-3B-Instruct"}, {"qwen2.5-coder", "7b", "Qwen/Qwen2.5-Coder-7B-Instruct"},
    {"qwen2.5-coder", "", "Qwen/Qwen2.5-Coder-7B-Instruct"}, {"qwen2.5-coder", "14b", "Qwen/Qwen2.5-Coder-14B-Instruct"},
    {"qwen2.5-coder", "32b", "Qwen/Qwen2.5-Coder-32B-Instruct"}, {"qwen2.5vl", "3b", "Qwen/Qwen2.5-VL-3B-Instruct"},
    {"qwen2.5vl", "7b", "Qwen/Qwen2.5-VL-7B-Instruct"}, {"qwen2.5vl", "", "Qwen/Qwen2.5-VL-7B-Instruct"},
    {"qwen2.5vl", "32b", "Qwen/Qwen2.5-VL-32B-Instruct"}, {"qwen2.5vl", "72b", "Qwen/Qwen2.5-VL-72B-Instruct"},
    {"qwen2", "0.5b", "Qwen/Qwen2-0.5B-Instruct"}, {"qwen2", "1.5b", "Qwen/Qwen2-1.5B-Instruct"},
    {"qwen2", "7b", "Qwen/Qwen2-7B-Instruct"}, {"qwen2", "", "Qwen/Qwen2-7B-Instruct"}, {"qwen2", "72b", "Qwen/Qwen2-72B-Instruct"},
    {"qwq", "32b", "Qwen/QwQ-32B"}, {"qwq", "", "Qwen/QwQ-32B"},
    {"llama3.3", "70b", "meta-llama/Llama-3.3-70B-Instruct"}, {"llama3.3", "", "meta-llama/Llama-3.3-70B-Instruct"},
    {"llama3.2", "1b", "meta-llama/Llama-3.2-1B-Instruct"}, {"llama3.2", "3b", "meta-llama/Llama-3.2-3B-Instruct"},
    {"llama3.2", "", "meta-llama/Llama-3.2-3B-Instruct"}, {"llama3.2-vision", "11b", "meta-llama/Llama-3.2-11B-Vision-Instruct"},
    {"llama3.2-vision", "", "meta-llama/Llama-3.2-11B-Vision-Instruct"},
    {"llama3.1", "8b", "meta-llama/Llama-3.1-8B-Instruct"}, {"llama3.1", "", "meta-llama/Llama-3.1-8B-Instruct"},
    {"llama3.1", "70b", "meta-llama/Llama-3.1-70B-Instruct"}, {"llama3.1", "405b", "meta-llama/Llama-3.1-405B-Instruct"},
    {"llama3", "8b", "meta-llama/Meta-Llama-3-8B-Instruct"}, {"llama3", "", "meta-llama/Meta-Llama-3-8B-Instruct"},
    {"llama3", "70b", "meta-llama/Meta-Llama-3-70B"}, {"llama2", "7b", "meta-llama/Llama-2-7b-chat-hf"},
    {"llama2", "", "meta-llama/Llama-2-7b-chat-hf"}, {"llama2", "13b", "meta-llama/Llama-2-13b-chat-hf"},
    {"llama2", "70b", "meta-llama/Llama-2-70b-hf"}, {"llama4", "scout", "meta-llama/Llama-4-Scout-17B-16E-Instruct"},
    {"llama4", "", "meta-llama/Llama-4-Scout-17B-16E-Instruct"}, {"llama4", "maverick", "meta-llama/Llama-4-Maverick-17B-128E-Instruct"},
    {"gemma3", "1b", "google/gemma-3-1b-it"}, {"gemma3", "4b", "google/gemma-3-4b-it"}, {"gemma3", "", "google/gemma-3-4b-it"},
    {"gemma3", "12b", "google/gemma-3-12b-it"}, {"gemma3", "27b", "google/gemma-3-27b-it"},
    {"gemma2", "2b", "google/gemma-2-2b-it"}, {"gemma2", "9b", "google/gemma-2-9b-it"}, {"gemma2", "", "google/gemma-2-9b-it"},
    {"gemma2", "27b", "google/gemma-2-27b-it"}, {"gemma", "2b", "google/gemma-2b"},
    {"gemma4", "e2b", "google/gemma-4-E2B-it"}, {"gemma4", "e4b", "google/gemma-4-E4B-it"}, {"gemma4", "", "google/gemma-4-E4B-it"},
    {"gemma4", "26b", "google/gemma-4-26B-A4B-it"}, {"gemma4", "31b", "google/gemma-4-31B-it"},
    {"gpt-oss", "20b", "openai/gpt-oss-20b"}, {"gpt-oss", "", "openai/gpt-oss-20b"}, {"gpt-oss", "120b", "openai/gpt-oss-120b"},
    {"deepseek-r1", "1.5b", "deepseek-ai/DeepSeek-R1-Distill-Qwen-1.5B"}, {"deepseek-r1", "7b", "deepseek-ai/DeepSeek-R1-Distill-Qwen-7B"},
    {"deepseek-r1", "8b", "Qwen/Qwen3-8B"}, {"deepseek-r1", "", "Qwen/Qwen3-8B"},
    {"deepseek-r1", "14b", "deepseek-ai/DeepSeek-R1-Distill-Qwen-14B"}, {"deepseek-r1", "32b", "deepseek-ai/DeepSeek-R1-Distill-Qwen-32B"},
    {"deepseek-r1", "70b", "deepseek-ai/DeepSeek-R1-Distill-Llama-70B"}, {"deepseek-r1", "671b", "deepseek-ai/DeepSeek-R1"},
    {"deepseek-v3", "671b", "deepseek-ai/DeepSeek-V3"}, {"deepseek-v3", "", "deepseek-ai/DeepSeek-V3"},
    {"deepseek-v3.1", "671b", "deepseek-ai/DeepSeek-V3.1"}, {"deepseek-v3.1", "", "deepseek-ai/DeepSeek-V3.1"},
    {"deepseek-coder-v2", "16b", "deepseek-ai/DeepSeek-Coder-V2-Lite-Instruct"}, {"deepseek-coder-v2", "", "deepseek-ai/DeepSeek-Coder-V2-Lite-Instruct"},
    {"mistral", "7b", "mistralai/Mistral-7B-Instruct-v0.3"}, {"mistral", "", "mistralai/Mistral-7B-Instruct-v0.3"},
    {"mistral-nemo", "12b", "mistralai/Mistral-Nemo-Instruct-2407"}, {"mistral-nemo", "", "mistralai/Mistral-Nemo-Instruct-2407"},
    {"mistral-small", "24b", "mistralai/Mistral-Small-24B-Instruct-2501"}, {"mistral-small", "", "mistralai/Mistral-Small-24B-Instruct-2501"},
    {"mistral-large", "123b", "mistralai/Mistral-Large-Instruct-2407"}, {"mistral-large", "", "mistralai/Mistral-Large-Instruct-2407"},
    {"mixtral", "8x7b", "mistralai/Mixtral-8x7B-Instruct-v0.1"}, {"mixtral", "", "mistralai/Mixtral-8x7B-Instruct-v0.1"},
    {"mixtral", "8x22b", "mistralai/Mixtral-8x22B-Instruct-v0.1"}, {"devstral", "24b", "mistralai/Devstral-Small-2507"},
    {"devstral", "", "mistralai/Devstral-Small-2507"}, {"phi4", "14b", "microsoft/phi-4"}, {"phi4", "", "microsoft/phi-4"},
    {"phi4-mini", "3.8b", "microsoft/Phi-4-mini-instruct"}, {"phi4-mini", "", "microsoft/Phi-4-mini-instruct"},
    {"phi3.5", "3.8b", "microsoft/Phi-3.5-mini-instruct"}, {"phi3.5", "", "microsoft/Phi-3.5-mini-instruct"},
    {"phi3", "mini", "microsoft/Phi-3-mini-4k-instruct"}, {"phi3", "", "microsoft/Phi-3-mini-4k-instruct"},
    {"phi3", "3.8b", "microsoft/Phi-3-mini-4k-instruct"}, {"phi3", "medium", "microsoft/Phi-3-medium-4k-instruct"},
    {"phi3", "14b", "microsoft/Phi-3-medium-4k-instruct"}, {"phi", "2.7b", "microsoft/phi-2"}, {"phi", "", "microsoft/phi-2"},
    {"codellama", "7b", "codellama/CodeLlama-7b-Instruct-hf"}, {"codellama", "", "codellama/CodeLlama-7b-Instruct-hf"},
    {"codellama", "13b", "codellama/CodeLlama-13b-hf"}, {"codellama", "34b", "codellama/CodeLlama-34b-Instruct-hf"},
    {"starcoder2", "3b", "bigcode/starcoder2-3b"}, {"starcoder2", "", "bigcode/starcoder2-3b"}, {"starcoder2", "7b", "bigcode/starcoder2-7b"},
    {"granite3.3", "8b", "ibm-granite/granite-3.3-8b-instruct"}, {"granite3.3", "", "ibm-granite/granite-3.3-8b-instruct"},
    {"granite3.1-dense", "8b", "ibm-granite/granite-3.1-8b-instruct"}, {"granite3.1-dense", "", "ibm-granite/granite-3.1-8b-instruct"},
    {"falcon3", "1b", "tiiuae/Falcon3-1B-Instruct"}, {"falcon3", "7b", "tiiuae/Falcon3-7B-Instruct"}, {"falcon3", "", "tiiuae/Falcon3-7B-Instruct"},
    {"smollm2", "135m", "HuggingFaceTB/SmolLM2-135M-Instruct"}, {"smollm2", "360m", "HuggingFaceTB/SmolLM2-360M-Instruct"},
    {"smollm2", "1.7b", "HuggingFaceTB/SmolLM2-1.7B"}, {"smollm2", "", "HuggingFaceTB/SmolLM2-1.7B"},
    {"tinyllama", "1.1b", "TinyLlama/TinyLlama-1.1B-Chat-v1.0"}, {"tinyllama", "", "TinyLlama/TinyLlama-1.1B-Chat-v1.0"},
    {"yi", "6b", "01-ai/Yi-1.5-6B"}, {"yi", "", "01-ai/Yi-1.5-6B"}, {"yi", "9b", "01-ai/Yi-1.5-9B-Chat"}, {"yi", "34b", "01-ai/Yi-1.5-34B-Chat"},
    {"solar", "10.7b", "upstage/SOLAR-10.7B-Instruct-v1.0"}, {"solar", "", "upstage/SOLAR-10.7B-Instruct-v1.0"},
    {"exaone3.5", "7.8b", "LGAI-EXAONE/EXAONE-3.5-7.8B-Instruct"}, {"olmo2", "7b", "allenai/OLMo-2-1124-7B-Instruct"},
    {"olmo2", "", "allenai/OLMo-2-1124-7B-Instruct"}, {"olmo2", "13b", "allenai/OLMo-2-1124-13B-Instruct"},
    {"bge-m3", "", "BAAI/bge-m3"}, {"bge-m3", "567m", "BAAI/bge-m3"}, {"glm4", "9b", "zai-org/glm-4-9b-chat"}, {"glm4", "", "zai-org/glm-4-9b-chat"},
    {"qwen3-embedding", "4b", "Qwen/Qwen3-Embedding-4B"}, {"qwen3-embedding", "8b", "Qwen/Qwen3-Embedding-8B"}, {"qwen3-embedding", "", "Qwen/Qwen3-Embedding-8B"},
    {"gemma", "7b", "google/gemma-7b-it"}, {"gemma", "", "google/gemma-7b-it"}, {"gemma3", "270m", "google/gemma-3-270m"},
    {"codegemma", "7b", "google/codegemma-7b-it"}, {"codegemma", "", "google/codegemma-7b-it"},
    {"qwen3-next", "80b", "Qwen/Qwen3-Next-80B-A3B-Instruct"}, {"qwen3-next", "", "Qwen/Qwen3-Next-80B-A3B-Instruct"},
    {"qwen3-vl", "32b", "Qwen/Qwen3-VL-32B-Instruct"}, {"qwen3-embedding", "0.6b", "Qwen/Qwen3-Embedding-0.6B"},
    {"qwen3.5", "397b", "Qwen/Qwen3.5-397B-A17B"}, {"qwen", "0.5b", "Qwen/Qwen1.5-0.5B-Chat"}, {"qwen", "1.8b", "Qwen/Qwen1.5-1.8B-Chat"},
    {"qwen", "4b", "Qwen/Qwen1.5-4B-Chat"}, {"qwen", "", "Qwen/Qwen1.5-4B-Chat"}, {"qwen", "7b", "Qwen/Qwen1.5-7B-Chat"},
    {"qwen", "14b", "Qwen/Qwen1.5-14B-Chat"}, {"qwen", "32b", "Qwen/Qwen1.5-32B-Chat"}, {"qwen2-math", "7b", "Qwen/Qwen2-Math-7B-Instruct"},
    {"command-r", "35b", "CohereLabs/c4ai-command-r-08-2024"}, {"command-r", "", "CohereLabs/c4ai-command-r-08-2024"},
    {"command-r-plus", "104b", "CohereLabs/c4ai-command-r-plus-08-2024"}, {"command-r-plus", "", "CohereLabs/c4ai-command-r-plus-08-2024"},
    {"command-a", "111b", "CohereLabs/c4ai-command-a-03-2025"}, {"command-a", "", "CohereLabs/c4ai-command-a-03-2025"},
    {"command-r7b", "7b", "CohereLabs/c4ai-command-r7b-12-2024"}, {"command-r7b", "", "CohereLabs/c4ai-command-r7b-12-2024"},
    {"aya", "8b", "CohereLabs/aya-23-8B"}, {"aya", "", "CohereLabs/aya-23-8B"}, {"aya-expanse", "", "CohereLabs/aya-expanse-8b"},
    {"mistral-small", "22b", "mistralai/Mistral-Small-Instruct-2409"}, {"mistral-small3.1", "24b", "mistralai/Mistral-Small-3.1-24B-Instruct-2503"},
    {"mistral-small3.1", "", "mistralai/Mistral-Small-3.1-24B-Instruct-2503"}, {"mistral-small3.2", "24b", "mistralai/Mistral-Small-3.2-24B-Instruct-2506"},
    {"mistral-small3.2", "", "mistralai/Mistral-Small-3.2-24B-Instruct-2506"}, {"magistral", "24b", "mistralai/Magistral-Small-2506"},
    {"magistral", "", "mistralai/Magistral-Small-2506"}, {"ministral-3", "3b", "mistralai/Ministral-3-3B-Instruct-2512"},
    {"ministral-3", "8b", "mistralai/Ministral-3-8B-Instruct-2512"}, {"ministral-3", "", "mistralai/Ministral-3-8B-Instruct-2512"},
    {"ministral-3", "14b", "mistralai/Ministral-3-14B-Instruct-2512"}, {"devstral-small-2", "24b", "mistralai/Devstral-Small-2-24B-Instruct-2512"},
    {"devstral-small-2", "", "mistralai/Devstral-Small-2-24B-Instruct-2512"}, {"devstral-2", "123b", "mistralai/Devstral-2-123B-Instruct-2512"},
    {"devstral-2", "", "mistralai/Devstral-2-123B-Instruct-2512"}, {"codestral", "22b", "mistralai/Codestral-22B-v0.1"}, {"codestral", "", "mistralai/Codestral-22B-v0.1"},
    {"granite4", "350m", "ibm-granite/granite-4.0-350m"}, {"granite4", "micro", "ibm-granite/granite-4.0-micro"},
    {"granite4", "", "ibm-granite/granite-4.0-micro"}, {"granite4", "micro-h", "ibm-granite/granite-4.0-h-micro"},
    {"granite4", "tiny-h", "ibm-granite/granite-4.0-h-tiny"}, {"granite4", "small-h", "ibm-granite/granite-4.0-h-small"},
    {"granite3.3", "2b", "ibm-granite/granite-3.3-2b-instruct"}, {"granite3.2", "8b", "ibm-granite/granite-3.2-8b-instruct"},
    {"granite3.2", "", "ibm-granite/granite-3.2-8b-instruct"}, {"granite3.2", "2b", "ibm-granite/granite-3.2-2b-instruct"},
    {"granite3.1-dense", "2b", "ibm-granite/granite-3.1-2b-instruct"}, {"granite3.1-moe", "1b", "ibm-granite/granite-3.1-1b-a400m-instruct"},
    {"nemotron", "70b", "nvidia/Llama-3.1-Nemotron-70B-Instruct-HF"}, {"nemotron", "", "nvidia/Llama-3.1-Nemotron-70B-Instruct-HF"},
    {"nemotron-mini", "4b", "nvidia/Nemotron-Mini-4B-Instruct"}, {"nemotron-mini", "", "nvidia/Nemotron-Mini-4B-Instruct"},
    {"nemotron-3-nano", "30b", "nvidia/NVIDIA-Nemotron-3-Nano-30B-A3B-BF16"}, {"nemotron-3-nano", "", "nvidia/NVIDIA-Nemotron-3-Nano-30B-A3B-BF16"},
    {"hermes3", "8b", "NousResearch/Hermes-3-Llama-3.1-8B"}, {"hermes3", "", "NousResearch/Hermes-3-Llama-3.1-8B"},
    {"hermes3", "3b", "NousResearch/Hermes-3-Llama-3.2-3B"}, {"hermes3", "70b", "NousResearch/Hermes-3-Llama-3.1-70B"},
    {"dolphin3", "8b", "cognitivecomputations/Dolphin3.0-Llama3.1-8B"}, {"dolphin3", "", "cognitivecomputations/Dolphin3.0-Llama3.1-8B"},
    {"tulu3", "8b", "allenai/Llama-3.1-Tulu-3-8B"}, {"tulu3", "", "allenai/Llama-3.1-Tulu-3-8B"}, {"tulu3", "70b", "allenai/Llama-3.1-Tulu-3-70B"},
    {"zephyr", "7b", "HuggingFaceH4/zephyr-7b-beta"}, {"zephyr", "", "HuggingFaceH4/zephyr-7b-beta"},
    {"vicuna", "7b", "lmsys/vicuna-7b-v1.5"}, {"vicuna", "", "lmsys/vicuna-7b-v1.5"}, {"vicuna", "13b", "lmsys/vicuna-13b-v1.5"},
    {"openchat", "7b", "openchat/openchat-3.5-0106"}, {"openchat", "", "openchat/openchat-3.5-0106"}, {"wizardlm2", "8x22b", "alpindale/WizardLM-2-8x22B"},
    {"openthinker", "32b", "open-thoughts/OpenThinker-32B"}, {"deepscaler", "1.5b", "agentica-org/DeepScaleR-1.5B-Preview"},
    {"deepscaler", "", "agentica-org/DeepScaleR-1.5B-Preview"}, {"phi4-reasoning", "14b", "microsoft/Phi-4-reasoning"},
    {"gpt-oss-safeguard", "20b", "openai/gpt-oss-safeguard-20b"}, {"gpt-oss-safeguard", "", "openai/gpt-oss-safeguard-20b"},
    {"llava", "13b", "llava-hf/llava-v1.6-vicuna-13b-hf"}, {"llava", "34b", "llava-hf/llava-v1.6-34b-hf"},
    {"deepseek-llm", "7b", "deepseek-ai/deepseek-llm-7b-chat"}, {"deepseek-llm", "67b", "deepseek-ai/deepseek-llm-67b-chat"},
    {"deepseek-v2", "16b", "deepseek-ai/DeepSeek-V2-Lite"}, {"deepseek-v2", "", "deepseek-ai/DeepSeek-V2-Lite"}, {"deepseek-v2", "236b", "deepseek-ai/DeepSeek-V2-Chat"},
    {"deepseek-v2.5", "236b", "deepseek-ai/DeepSeek-V2.5"}, {"deepseek-coder-v2", "236b", "deepseek-ai/DeepSeek-Coder-V2-Instruct"},
    {"dbrx", "132b", "databricks/dbrx-instruct"}, {"dbrx", "", "databricks/dbrx-instruct"},
    {"olmo-3", "7b", "allenai/Olmo-3-7B-Think"}, {"olmo-3", "32b", "allenai/Olmo-3-1125-32B"}, {"lfm2", "24b", "LiquidAI/LFM2-24B-A2B"},
    {"mxbai-embed-large", "335m", "mixedbread-ai/mxbai-embed-large-v1"}, {"mxbai-embed-large", "", "mixedbread-ai/mxbai-embed-large-v1"},
    {"all-minilm", "22m", "sentence-transformers/all-MiniLM-L6-v2"}, {"all-minilm", "", "sentence-transformers/all-MiniLM-L6-v2"},
    {"all-minilm", "33m", "sentence-transformers/all-MiniLM-L12-v2"}, {"snowflake-arctic-embed2", "568m", "Snowflake/snowflake-arctic-embed-l-v2.0"},
    {"snowflake-arctic-embed2", "", "Snowflake/snowflake-arctic-embed-l-v2.0"},
};
// clang-format on

const char *kvb_tag_format(const char *tag)
{
    const char *last = strrchr(tag, '-');
    return last && kvb_gguf_format_centibits(last + 1, strlen(last + 1)) > 0 ? last + 1 : "";
}

// What a tag may say after the size: "8b-instruct-q4_K_M", "70b-chat", "27b-it-qat".
static bool is_tag(const struct ollama_row *row, const char *tag, const char **quantised)
{
    size_t length = strlen(row->tag);
    *quantised = "";
    if (length == 0) {
        return tag[0] == '\0' || kvb_equal_ignoring_case(tag, "latest");
    }
    for (size_t i = 0; i < length; i++) {
        char c = tag[i] >= 'A' && tag[i] <= 'Z' ? (char)(tag[i] - 'A' + 'a') : tag[i];
        if (c != row->tag[i]) {
            return false;
        }
    }
    *quantised = kvb_tag_format(tag);
    return tag[length] == '\0' || tag[length] == '-';
}

const char *kvb_ollama_find(const char *name, const char *tag, const char **quantised)
{
    const char *found = NULL;
    size_t longest = 0;
    for (size_t i = 0; i < sizeof rows / sizeof rows[0]; i++) {
        const char *format;
        if (kvb_equal_ignoring_case(rows[i].name, name) && is_tag(&rows[i], tag, &format) &&
            (!found || strlen(rows[i].tag) > longest)) {
            found = rows[i].hub;
            longest = strlen(rows[i].tag);
            *quantised = format;
        }
    }
    return found;
}

bool kvb_name_in_library(const char *hub, char *out, size_t capacity)
{
    for (size_t i = 0; i < sizeof rows / sizeof rows[0]; i++) {
        if (rows[i].tag[0] != '\0' && kvb_equal_ignoring_case(rows[i].hub, hub)) {
            return (size_t)snprintf(out, capacity, "%s:%s", rows[i].name, rows[i].tag) < capacity;
        }
    }
    return false;
}
