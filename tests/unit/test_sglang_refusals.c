// Arguments that SGLang refuses: for each sentence of the table a command that meets it and one beside it that does
// not. Expected: python/sglang/srt of sgl-project/sglang at the releases named: server_args.py,
// configs/model_config.py, layers/quantization/fp8.py.
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <string.h>

#include <cmocka.h>

#include "unit/sglang_plan.h"

#define DSV3 "deepseek-ai/DeepSeek-V3 "
#define EAGLE "--speculative-algorithm EAGLE --speculative-num-steps 3 --speculative-num-draft-tokens 8 "
#define GROUPS "--tp-size 4 --dp-size 4 --enable-dp-attention --page-size 64 "
#define MLA_ONLY "TRTLLM MLA backend is only supported on Blackwell GPUs "
#define MHA_ONLY "TRTLLM MHA backend is only supported on Blackwell GPUs (SM100). Please use a different backend."
#define ELSE " Please use a different backend."
#define PIPELINE "AssertionError: Pipeline parallelism is not compatible with overlap schedule, speculative decoding"
#define SCOUT "meta-llama/Llama-4-Scout-17B-16E-Instruct --tp-size 8 "
#define STATES_FIRST(name)                                                                                             \
    "AssertionError: " name                                                                                            \
    " does not support triton attention backend, as the first layer might not be an attention "                        \
    "layer"
#define STATES_WITH_DRAFT                                                                                              \
    "Speculative decoding for Qwen3NextForCausalLM is not compatible with radix cache when using "                     \
    "--mamba-scheduler-strategy no_buffer.To use radix cache with speculative decoding, please use "                   \
    "--mamba-scheduler-strategy extra_buffer"
#define PAGED                                                                                                          \
    "speculative_eagle_topk > 1 with page_size > 1 is unstable and produces incorrect results for paged attention "    \
    "backends. This combination is only supported for the 'flashinfer' backend."
#define WORDS_PAGED(page)                                                                                              \
    "speculative_eagle_topk(10) > 1 with page_size(" page                                                              \
    ") > 1 is unstable and produces incorrect results for paged "                                                      \
    "attention backends. This combination is only supported for the 'flashinfer' backend."
#define LATE_PAGED(backend)                                                                                            \
    "speculative_eagle_topk > 1 with page_size > 1 is only supported on ('flashinfer', 'fa3', 'triton'); got "         \
    "attention_backend='" backend "'. Use page_size == 1 or one of those backends."
#define ONE_BRANCH "trtllm_mha backend only supports topk = 1 for speculative decoding."
#define V4_BRANCHES                                                                                                    \
    "AssertionError: Only EAGLE speculative algorithm with topk == 1 is supported for DeepseekV4ForCausalLM"
#define V4_DRAFTS(which) "AssertionError: Only " which " supported for DeepseekV4ForCausalLM"
#define MHA_PREFILL                                                                                                    \
    "TRTLLM MHA backend for prefill is only supported on Blackwell GPUs (SM100). Please use a different prefill "      \
    "backend."
#define MISMATCHED(stored, asked)                                                                                      \
    "Quantization method specified in the model config (" stored ") does not match the quantization method specified " \
    "in the `quantization` argument (" asked ")."

static const struct {
    const char *engine, *gpu, *line;
    const char *rule, *error; // NULL: nothing is refused
} rows[] = {
    // server_args.py 0.5.10:2206, 0.5.13:2913: prefixes, states and drafts
    {"sglang@0.5.9", "h100-sxm", HYBRID EAGLE "--speculative-eagle-topk 1", NULL, NULL},
    {"sglang@0.5.10", "h100-sxm", HYBRID "--tp-size 4 " EAGLE "--speculative-eagle-topk 1", "arguments",
     STATES_WITH_DRAFT " and set SGLANG_ENABLE_SPEC_V2=1."},
    {"sglang@0.5.10", "mi300x", HYBRID "--tp-size 4 " EAGLE "--speculative-eagle-topk 1", "arguments",
     STATES_WITH_DRAFT " and set SGLANG_ENABLE_SPEC_V2=1."},
    {"sglang@0.5.13", "h100-sxm", HYBRID "--tp-size 4 " EAGLE "--speculative-eagle-topk 1", "arguments",
     STATES_WITH_DRAFT " and set SGLANG_ENABLE_SPEC_V2=1."},
    {"sglang@0.5.11", "mi300x", HYBRID "--tp-size 4 " EAGLE "--speculative-eagle-topk 1", NULL, NULL},
    {"sglang@0.5.12", "h200",
     HYBRID "--tp-size 4 --mamba-scheduler-strategy extra_buffer " EAGLE "--speculative-eagle-topk 1", NULL, NULL},
    {"sglang@0.5.12", "h200", HYBRID "--tp-size 4 --disable-radix-cache " EAGLE "--speculative-eagle-topk 1", NULL,
     NULL},
    {"sglang@0.5.12", "h200", HYBRID "--tp-size 4", NULL, NULL},
    {"sglang@0.5.14", "h200", HYBRID "--tp-size 4 " EAGLE "--speculative-eagle-topk 1", NULL, NULL},
    {"sglang@0.5.14", "h200",
     HYBRID "--tp-size 4 --disable-overlap-schedule --mamba-scheduler-strategy no_buffer " EAGLE
            "--speculative-eagle-topk 1",
     NULL, NULL},
    // 0.5.9:5182, of a chunk of 8192 tokens that nobody said
    {"sglang@0.5.9", "h100-sxm", Q3 "--page-size 48", "arguments",
     "AssertionError: chunked_prefill_size must be divisible by page_size"},
    {"sglang@0.5.9", "h100-sxm", Q3 "--page-size 64", NULL, NULL},
    {"sglang@0.5.9", "h100-sxm", "Qwen/Qwen2.5-VL-7B-Instruct --page-size 48", NULL, NULL},
    {"sglang@0.5.13", "h200",
     HYBRID "--tp-size 4 --mamba-scheduler-strategy no_buffer " EAGLE "--speculative-eagle-topk 1", "arguments",
     STATES_WITH_DRAFT " and set SGLANG_ENABLE_SPEC_V2=1."},
    // server_args.py 0.4.6:246, 0.5.0:2088, 0.5.9:5180: chunk and page
    {"sglang@0.4.6", "h100-sxm", Q3 "--page-size 64 --chunked-prefill-size 1000", "arguments",
     "assert self.chunked_prefill_size % self.page_size == 0: AssertionError"},
    {"sglang@0.5.0", "h100-sxm", Q3 "--page-size 64 --chunked-prefill-size 1000", "arguments",
     "AssertionError: chunked_prefill_size must be divisible by page_size"},
    {"sglang@0.5.9", "h100-sxm", Q3 "--page-size 64 --chunked-prefill-size 1000 --disaggregation-mode decode", NULL,
     NULL},
    {"sglang@0.5.9", "h100-sxm", Q3 "--page-size 64 --chunked-prefill-size 1024", NULL, NULL},
    {"sglang@0.5.12", "h100-sxm", Q3 "--page-size 3", "arguments", // 8192 tokens by default
     "AssertionError: chunked_prefill_size must be divisible by page_size"},
    {"sglang@0.5.12", "h100-sxm", Q3 "--page-size 32", NULL, NULL},
    // 0.4.6:292, 0.5.0:542: one group of data-parallel attention; later it is switched off
    {"sglang@0.5.0", "h200", DSV3 "--tp-size 8 --enable-dp-attention", "parallel-split",
     "AssertionError: Please set a dp-size > 1. You can use 1 < dp-size <= tp-size "},
    {"sglang@0.5.9", "h200", DSV3 "--tp-size 8 --enable-dp-attention --dp-size 3", "parallel-split",
     "assert self.tp_size % self.dp_size == 0: AssertionError"},
    // 0.5.0:2041, 0.5.9:5137, 0.5.12
    {"sglang@0.5.9", "h100-sxm", Q3 "--pp-size 2 " EAGLE "--speculative-eagle-topk 1", "parallel-split",
     PIPELINE ", mixed chunked prefill."},
    {"sglang@0.5.12", "h100-sxm", Q3 "--pp-size 2 " EAGLE "--speculative-eagle-topk 1", "parallel-split", PIPELINE},
    // 0.5.0:438, 0.5.9:1879: Blackwell's kernels
    {"sglang@0.5.0", "h200", DSV3 "--tp-size 8 --attention-backend trtllm_mla", "attention-backend",
     MLA_ONLY "(SM100)." ELSE},
    {"sglang@0.5.9", "h200", DSV3 "--tp-size 8 --attention-backend trtllm_mla", "attention-backend",
     MLA_ONLY "(SM100/SM12x)." ELSE},
    {"sglang@0.5.9", "b200", DSV3 "--tp-size 8 --attention-backend trtllm_mla", NULL, NULL},
    {"sglang@0.5.1", "h100-sxm", Q3 "--attention-backend trtllm_mha", "attention-backend", MHA_ONLY},
    {"sglang@0.5.0", "b200", Q3 "--attention-backend trtllm_mha", "flags", // not yet one of its choices
     "launch_server.py: error: argument --attention-backend: invalid choice: 'trtllm_mha' (choose from 'aiter', "
     "'ascend', "
     "'cutlass_mla', 'fa3', 'flashinfer', 'flashmla', 'intel_amx', 'torch_native', 'triton', 'trtllm_mla')"},
    {"sglang@0.5.9", "rtx5090", Q3 "--attention-backend trtllm_mha", "attention-backend", MHA_ONLY},
    {"sglang@0.5.9", "b200", Q3 "--attention-backend trtllm_mha", NULL, NULL},
    {"sglang@0.5.0", "b200", DSV3 "--tp-size 8 --attention-backend trtllm_mla --speculative-algorithm EAGLE",
     "attention-backend", "trtllm_mla backend does not support speculative decoding yet."},
    {"sglang@0.5.9", "b200", Q3 "--attention-backend trtllm_mha " EAGLE "--speculative-eagle-topk 4",
     "attention-backend", "trtllm_mha backend only supports topk = 1 for speculative decoding."},
    {"sglang@0.5.3", "b200", DSV3 "--tp-size 8 --attention-backend trtllm_mla --kv-cache-dtype fp8_e5m2",
     "attention-backend", "TensorRT-LLM MLA backend only supports kv-cache-dtype of fp8_e4m3 or auto."},
    {"sglang@0.5.6", "b200", DSV3 "--tp-size 8 --attention-backend trtllm_mla --kv-cache-dtype fp8_e5m2",
     "attention-backend", "TensorRT-LLM MLA backend only supports kv-cache-dtype of fp8_e4m3, fp4_e2m1, or auto."},
    {"sglang@0.5.9", "b200", DSV3 "--tp-size 8 --attention-backend trtllm_mla --kv-cache-dtype fp8_e5m2",
     "attention-backend",
     "TensorRT-LLM MLA backend only supports kv-cache-dtype of fp8_e4m3, fp4_e2m1, bf16, or auto."},
    {"sglang@0.5.9", "h200", "deepseek-ai/DeepSeek-V3.2 --tp-size 8 --kv-cache-dtype fp8_e5m2", "kv-cache-dtype",
     "AssertionError: DeepSeek DSA only supports bf16/bfloat16 or fp8_e4m3 kv_cache_dtype"},
    // 0.5.9:2457: branches of a draft over pages
    {"sglang@0.5.9", "h100-sxm", Q3 "--page-size 64 --attention-backend triton " EAGLE "--speculative-eagle-topk 4",
     "attention-backend", PAGED},
    {"sglang@0.5.9", "h100-sxm", Q3 "--page-size 64 --attention-backend fa3 " EAGLE "--speculative-eagle-topk 4", NULL,
     NULL},
    // to 0.5.4 the default is chosen behind this
    {"sglang@0.5.4", "rtx4090", Q3 "--page-size 64 " EAGLE "--speculative-eagle-topk 4", "attention-backend", PAGED},
    {"sglang@0.5.4.post1", "rtx4090", Q3 "--page-size 64 " EAGLE "--speculative-eagle-topk 4", NULL, NULL},
    {"sglang@0.5.4", "rtx4090", Q3 "--page-size 64 --attention-backend flashinfer " EAGLE "--speculative-eagle-topk 4",
     NULL, NULL},
    {"sglang@0.5.5", "h100-sxm", Q3 "--page-size 64 --attention-backend fa3 " EAGLE "--speculative-eagle-topk 4",
     "attention-backend", PAGED},
    // 0.5.1, 0.5.4, 0.5.9:1345: attention sinks
    {"sglang@0.5.1", "h100-sxm", OSS "--attention-backend flashinfer", "attention-backend",
     "AssertionError: GptOssForCausalLM requires one of ['triton', 'trtllm_mha', 'fa3'] attention backend, but got "
     "'flashinfer'"},
    {"sglang@0.5.5", "h100-sxm", OSS "--attention-backend flashinfer", "attention-backend",
     "AssertionError: GptOssForCausalLM requires one of ['triton', 'trtllm_mha', 'fa3', 'fa4'] attention backend, but "
     "got the following backends\n- Prefill: flashinfer\n- Decode: flashinfer\n"},
    {"sglang@0.5.9", "h100-sxm", OSS "--attention-backend flashinfer", "attention-backend",
     "AssertionError: GptOssForCausalLM requires one of ['triton', 'trtllm_mha', 'fa3', 'fa4', 'ascend'] attention "
     "backend, but got the following backends\n- Prefill: flashinfer\n- Decode: flashinfer\n"},
    {"sglang@0.5.9", "h100-sxm", OSS "--attention-backend triton", NULL, NULL},
    // deterministic inference, 0.5.3 and 0.5.9:2760
    {"sglang@0.5.3", "b200", Q3 "--enable-deterministic-inference --attention-backend trtllm_mha", "attention-backend",
     "Currently only ['flashinfer', 'fa3', 'triton'] attention backends are supported for deterministic inference."},
    {"sglang@0.5.9", "b200", Q3 "--enable-deterministic-inference --attention-backend trtllm_mha", "attention-backend",
     "Currently only ['flashinfer', 'fa3', 'triton'] attention backends are supported for deterministic inference, but "
     "you explicitly specified 'trtllm_mha'."},
    {"sglang@0.5.9", "h100-sxm", Q3 "--enable-deterministic-inference --attention-backend fa3", NULL, NULL},
    // check_lora_server_args, 0.4.6:1228, 0.5.0:2093, 0.5.9:5338
    {"sglang@0.4.6", "h100-sxm", Q3 "--lora-paths a --disable-radix-cache", "arguments",
     "AssertionError: compatibility of lora and cuda graph and radix attention is in progress"},
    {"sglang@0.4.6", "h100-sxm", Q3 "--lora-paths a --disable-radix-cache --disable-cuda-graph", NULL, NULL},
    {"sglang@0.5.0", "h100-sxm", Q3 "--lora-paths a", "arguments",
     "AssertionError: compatibility of lora and radix attention is in progress"},
    {"sglang@0.5.0", "h100-sxm", Q3 "--lora-paths a --disable-radix-cache", NULL, NULL},
    {"sglang@0.5.9", "h100-sxm", Q3 "--lora-paths a " EAGLE "--speculative-eagle-topk 1", "arguments",
     "Currently LoRA is only compatible with NGRAM speculative decoding."},
    {"sglang@0.5.9", "h100-sxm", Q3 "--lora-paths a --speculative-algorithm NGRAM", NULL, NULL},
    // 0.5.9:2686, 2243, 5259
    {"sglang@0.5.9", "h100-sxm", Q3 "--enable-hierarchical-cache --disable-radix-cache", "arguments",
     "The arguments enable-hierarchical-cache and disable-radix-cache are mutually exclusive and cannot be used at the "
     "same time. Please use only one of them."},
    {"sglang@0.5.9", "h200", DSV3 "--tp-size 8 --enable-eplb", "arguments", "assert self.ep_size > 1: AssertionError"},
    {"sglang@0.5.9", "h200", DSV3 "--tp-size 8 --enable-eplb --ep-size 8", NULL, NULL},
    {"sglang@0.5.9", "h200", DSV3 "--tp-size 8 --enable-two-batch-overlap", "arguments",
     "When enabling two batch overlap, moe_a2a_backend cannot be 'none'."},
    {"sglang@0.5.9", "h200", DSV3 "--tp-size 8 --enable-two-batch-overlap --moe-a2a-backend deepep", NULL, NULL},
    // 0.5.9:2498, 2358
    {"sglang@0.5.9", "h100-sxm", Q3 "--tp-size 4 --dp-size 2 --enable-dp-attention --speculative-algorithm NGRAM",
     "arguments", "Currently ngram speculative decoding does not support dp attention."},
    {"sglang@0.5.9", "h100-sxm", Q3 "--tp-size 4 --dp-size 2 --enable-dp-attention --speculative-algorithm STANDALONE",
     "arguments", "Currently standalone speculative decoding does not support dp attention."},
    // model_config.py 0.4.6:339, 353; 0.5.9:943, 966
    {"sglang@0.4.6", "h100-sxm", "Qwen/Qwen3-8B-FP8 --quantization awq", "quantization", MISMATCHED("fp8", "awq")},
    {"sglang@0.5.9", "h100-sxm", "Qwen/Qwen2.5-7B-Instruct-AWQ --quantization gptq_marlin", "quantization",
     MISMATCHED("awq", "gptq_marlin")},
    {"sglang@0.5.9", "h100-sxm", "Qwen/Qwen2.5-7B-Instruct-AWQ --quantization awq_marlin", NULL, NULL},
    {"sglang@0.5.9", "mi300x", "Qwen/Qwen2.5-7B-Instruct-AWQ --quantization awq_marlin", "quantization",
     "awq_marlin quantization is currently not supported in ROCm."},
    {"sglang@0.5.9", "mi300x", "Qwen/Qwen2.5-7B-Instruct-AWQ --quantization awq", NULL, NULL},
    // fp8.py: 1,536 / 8 = 192 inner features an expert; with experts dealt out whole there is nothing to divide
    {"sglang@0.5.9", "h100-sxm", "Qwen/Qwen3-235B-A22B-FP8 --tp-size 8", "quantization-shape",
     "The output_size of gate's and up's weight = 192 is not divisible by weight quantization block_n = 128."},
    {"sglang@0.5.9", "h100-sxm", "Qwen/Qwen3-235B-A22B-FP8 --tp-size 8 --ep-size 8", NULL, NULL},
    {"sglang@0.5.9", "h100-sxm", "Qwen/Qwen3-235B-A22B-FP8 --tp-size 4", NULL, NULL},
    // beside each sentence what it lets pass: pages and chunks
    {"sglang@0.5.2", "h100-sxm", Q3 "--page-size 64 --chunked-prefill-size 1000 --disaggregation-mode decode",
     "arguments", "AssertionError: chunked_prefill_size must be divisible by page_size"},
    {"sglang@0.5.3", "h100-sxm", Q3 "--page-size 64 --chunked-prefill-size 1000 --disaggregation-mode decode", NULL,
     NULL},
    {"sglang@0.5.9", "h100-sxm", Q3 "--page-size 64 --chunked-prefill-size -1", NULL, NULL},
    {"sglang@0.5.9", "h100-sxm", Q3 "--chunked-prefill-size 1000", NULL, NULL},
    {"sglang@0.4.6", "h100-sxm", Q3 "--chunked-prefill-size 1000", NULL, NULL},
    // of groups: 0.4.9.post3 asks it before they share the chunk (server_args.py:362, 424), then behind (420, 1822)
    {"sglang@0.4.6", "h100-sxm", Q3 GROUPS "--chunked-prefill-size 128", NULL, NULL},
    {"sglang@0.4.9.post3", "h100-sxm", Q3 GROUPS "--chunked-prefill-size 128", NULL, NULL},
    {"sglang@0.4.9.post3", "h100-sxm", Q3 GROUPS "--chunked-prefill-size 260", "arguments",
     "assert self.chunked_prefill_size % self.page_size == 0: AssertionError"},
    {"sglang@0.4.9.post4", "h100-sxm", Q3 GROUPS "--chunked-prefill-size 128", "arguments",
     "AssertionError: chunked_prefill_size must be divisible by page_size"},
    {"sglang@0.4.9.post4", "h100-sxm", Q3 GROUPS "--chunked-prefill-size 256", NULL, NULL},
    {"sglang@0.5.9", "h100-sxm", Q3 GROUPS "--chunked-prefill-size 192", "arguments",
     "AssertionError: chunked_prefill_size must be divisible by page_size"},
    {"sglang@0.5.9", "h100-sxm", Q3 GROUPS "--chunked-prefill-size 259", NULL, NULL}, // 259 // 4 = 64
    // to 0.5.0 of -1 as well, where Python's -1 % 64 is 63; 0.5.1:2128 asks of positive ones alone
    {"sglang@0.4.6", "h100-sxm", Q3 "--page-size 64 --chunked-prefill-size -1", "arguments",
     "assert self.chunked_prefill_size % self.page_size == 0: AssertionError"},
    {"sglang@0.5.0", "h100-sxm", Q3 "--page-size 64 --chunked-prefill-size -1", "arguments",
     "AssertionError: chunked_prefill_size must be divisible by page_size"},
    {"sglang@0.5.0", "h100-sxm", Q3 "--chunked-prefill-size -1", NULL, NULL},
    {"sglang@0.5.1", "h100-sxm", Q3 "--page-size 64 --chunked-prefill-size -1", NULL, NULL},
    // the page is the one asked for, then what the backend makes of it: FlashMLA's 64
    {"sglang@0.4.9.post3", "h200", DSV3 "--tp-size 8 --attention-backend flashmla --chunked-prefill-size 1000", NULL,
     NULL},
    {"sglang@0.4.9.post4", "h200", DSV3 "--tp-size 8 --attention-backend flashmla --chunked-prefill-size 1000",
     "arguments", "AssertionError: chunked_prefill_size must be divisible by page_size"},
    // fa3 takes branches over pages from 0.5.6 on, triton from 0.5.13 on
    {"sglang@0.5.5.post3", "h100-sxm", Q3 "--page-size 64 --attention-backend fa3 " EAGLE "--speculative-eagle-topk 4",
     "attention-backend", PAGED},
    {"sglang@0.5.6", "h100-sxm", Q3 "--page-size 64 --attention-backend fa3 " EAGLE "--speculative-eagle-topk 4", NULL,
     NULL},
    {"sglang@0.5.12", "h100-sxm", Q3 "--page-size 64 --attention-backend triton " EAGLE "--speculative-eagle-topk 4",
     "attention-backend", PAGED},
    // models/registry.py: classes are asked for from 0.4.0 on
    {"sglang@0.4.0", "h100-sxm", Q3, "model-class",
     "Model architectures ['Qwen3ForCausalLM'] are not supported for now. (The first release that serves it is "
     "0.4.5.post2.)"},
    {"sglang@0.3.6", "h100-sxm", Q3, NULL, NULL},
    // 0.4.4 has no such assert; MLA's kernels run on consumer Blackwell from 0.5.9 on
    {"sglang@0.4.4", "h200", "deepseek-ai/DeepSeek-V2-Lite --enable-dp-attention", NULL, NULL},
    {"sglang@0.4.4.post1", "h200", "deepseek-ai/DeepSeek-V2-Lite --enable-dp-attention", "parallel-split",
     "AssertionError: Please set a dp-size > 1. You can use 1 < dp-size <= tp-size "},
    {"sglang@0.5.8", "rtx5090", "deepseek-ai/DeepSeek-V2-Lite --attention-backend trtllm_mla", "attention-backend",
     MLA_ONLY "(SM100)." ELSE},
    {"sglang@0.5.9", "rtx5090", "deepseek-ai/DeepSeek-V2-Lite --attention-backend trtllm_mla", NULL, NULL},
    // bounds of one: a page, branches, groups of two
    {"sglang@0.5.9", "h100-sxm", Q3 "--page-size 2 --attention-backend triton " EAGLE "--speculative-eagle-topk 2",
     "attention-backend", PAGED},
    {"sglang@0.5.9", "h100-sxm", Q3 "--page-size 2 --speculative-algorithm NGRAM", "attention-backend",
     WORDS_PAGED("2")},
    {"sglang@0.5.9", "b200", Q3 "--attention-backend trtllm_mha " EAGLE "--speculative-eagle-topk 2",
     "attention-backend", ONE_BRANCH},
    {"sglang@0.5.9", "h100-sxm", Q3 "--page-size 2 --chunked-prefill-size 1001", "arguments",
     "AssertionError: chunked_prefill_size must be divisible by page_size"},
    {"sglang@0.5.9", "h100-sxm", Q3 "--page-size 2 --chunked-prefill-size 1002", NULL, NULL},
    {"sglang@0.5.0", "h200", DSV3 "--tp-size 8 --enable-dp-attention --dp-size 2", NULL, NULL},
    {"sglang@0.5.9", "h200", DSV3 "--tp-size 2 --enable-eplb --moe-a2a-backend deepep", NULL, NULL},
    // groups, stages, tiers
    {"sglang@0.5.0", "h200", DSV3 "--tp-size 8 --enable-dp-attention --dp-size 8", NULL, NULL},
    {"sglang@0.5.9", "h100-sxm", Q3 "--pp-size 2", NULL, NULL},
    {"sglang@0.5.9", "h100-sxm", Q3 "--enable-hierarchical-cache", NULL, NULL},
    {"sglang@0.5.9", "h200", DSV3 "--enable-eplb --moe-a2a-backend deepep", "arguments",
     "assert self.ep_size > 1: AssertionError"},
    {"sglang@0.5.9", "h200", DSV3 "--tp-size 8 --enable-eplb --moe-a2a-backend deepep", NULL, NULL},
    // adapters
    {"sglang@0.4.6", "h100-sxm", Q3 "--lora-paths a", "arguments",
     "AssertionError: compatibility of lora and cuda graph and radix attention is in progress"},
    {"sglang@0.5.9", "h100-sxm", Q3 "--lora-paths a", NULL, NULL},
    // kernels without a draft, with one branch, on pages of one
    {"sglang@0.5.0", "b200", DSV3 "--tp-size 8 --attention-backend trtllm_mla", NULL, NULL},
    {"sglang@0.5.1", "b200", Q3 "--attention-backend trtllm_mha", NULL, NULL},
    {"sglang@0.5.9", "b200", Q3 "--attention-backend trtllm_mha " EAGLE "--speculative-eagle-topk 1", NULL, NULL},
    {"sglang@0.5.9", "b200", Q3 "--attention-backend trtllm_mha --speculative-algorithm NGRAM", "attention-backend",
     WORDS_PAGED("64")},
    {"sglang@0.5.9", "h100-sxm", Q3 "--page-size 16 --speculative-algorithm NGRAM", "attention-backend",
     WORDS_PAGED("16")},
    {"sglang@0.5.9", "h100-sxm", Q3 "--page-size 16 --attention-backend flashinfer --speculative-algorithm NGRAM", NULL,
     NULL},
    {"sglang@0.5.9", "h100-sxm", Q3 "--page-size 1 --speculative-algorithm NGRAM", NULL, NULL},
    // 0.5.7 chooses TRT-LLM's kernels for one branch, then four for Llama's draft; before, others; and where one is
    // said
    {"sglang@0.5.6", "b200", LLAMA "--speculative-algorithm EAGLE", NULL, NULL},
    {"sglang@0.5.7", "b200", LLAMA "--speculative-algorithm EAGLE", "attention-backend", ONE_BRANCH},
    {"sglang@0.5.7", "b200", LLAMA EAGLE "--speculative-eagle-topk 1", NULL, NULL},
    {"sglang@0.5.7", "b200", LLAMA EAGLE "--speculative-eagle-topk 4", NULL, NULL},
    {"sglang@0.5.8", "b200", Q3 "--speculative-algorithm EAGLE", NULL, NULL},
    // speculative_hook.py 0.5.13: which backends take branches over pages
    {"sglang@0.5.13", "h100-sxm", Q3 "--page-size 64 --attention-backend triton " EAGLE "--speculative-eagle-topk 4",
     NULL, NULL},
    {"sglang@0.5.13", "h100-sxm", Q3 "--page-size 64 --attention-backend fa3 " EAGLE "--speculative-eagle-topk 4", NULL,
     NULL},
    {"sglang@0.5.13", "h100-sxm",
     Q3 "--page-size 64 --attention-backend flashinfer " EAGLE "--speculative-eagle-topk 4", NULL, NULL},
    {"sglang@0.5.13", "h200", DSV3 "--tp-size 8 --attention-backend flashmla " EAGLE "--speculative-eagle-topk 4",
     "attention-backend", LATE_PAGED("flashmla")},
    {"sglang@0.5.13", "h200", "deepseek-ai/DeepSeek-V3.2 --tp-size 8 " EAGLE "--speculative-eagle-topk 4",
     "attention-backend", LATE_PAGED("dsa")},
    {"sglang@0.5.13", "h200", DSV3 "--tp-size 8 --attention-backend flashmla " EAGLE "--speculative-eagle-topk 1", NULL,
     NULL},
    // auto_choose_speculative_params is asked where no steps are said: nothing else may be; words have tokens alone
    {"sglang@0.5.9", "h100-sxm", Q3 "--speculative-algorithm EAGLE --speculative-num-draft-tokens 4", "arguments",
     "assert self.speculative_eagle_topk is None and self.speculative_num_draft_tokens is None: AssertionError"},
    {"sglang@0.5.9", "h100-sxm", Q3 "--speculative-algorithm STANDALONE --speculative-eagle-topk 1", "arguments",
     "assert self.speculative_eagle_topk is None and self.speculative_num_draft_tokens is None: AssertionError"},
    {"sglang@0.5.9", "h100-sxm", Q3 "--speculative-algorithm EAGLE --speculative-num-steps 3", "arguments",
     "TypeError: '>' not supported between instances of 'NoneType' and 'int'"},
    {"sglang@0.5.9", "h100-sxm",
     Q3 "--speculative-algorithm EAGLE --speculative-num-steps 3 --speculative-eagle-topk 1", NULL, NULL},
    {"sglang@0.5.9", "h100-sxm", Q3 "--speculative-algorithm NGRAM --speculative-num-draft-tokens 4", NULL, NULL},
    {"sglang@0.5.9", "h100-sxm", Q3 "--speculative-num-steps 3", NULL, NULL}, // of no draft
    // deepseek_v4_hook.py 0.5.12 to 0.5.18
    {"sglang@0.5.12", "h200", V4 EAGLE "--speculative-eagle-topk 1", NULL, NULL},
    {"sglang@0.5.12", "h200", V4 "--speculative-algorithm EAGLE", "arguments", V4_BRANCHES},
    {"sglang@0.5.18", "h200", V4 EAGLE "--speculative-eagle-topk 2", "arguments", V4_BRANCHES},
    {"sglang@0.5.12", "h200", V4 "--speculative-algorithm NEXTN", "arguments",
     V4_DRAFTS("EAGLE speculative algorithm is")},
    {"sglang@0.5.15", "h200", V4 "--speculative-algorithm DSPARK", "arguments",
     V4_DRAFTS("EAGLE speculative algorithm is")},
    {"sglang@0.5.16", "h200", V4 "--speculative-algorithm NEXTN", "arguments",
     V4_DRAFTS("EAGLE and DSPARK speculative algorithms are")},
    {"sglang@0.5.16", "h200", V4 "--speculative-algorithm NGRAM", "arguments",
     V4_DRAFTS("EAGLE and DSPARK speculative algorithms are")},
    {"sglang@0.5.16", "h200", V4 "--speculative-algorithm DSPARK", NULL, NULL},
    {"sglang@0.5.16", "h200", V4 "--speculative-algorithm DFLASH --speculative-draft-model-path Qwen/Qwen3-0.6B",
     "arguments", V4_DRAFTS("EAGLE and DSPARK speculative algorithms are")},
    // 0.5.10: kernels for prefills
    {"sglang@0.5.10", "h100-sxm", Q3 "--attention-backend trtllm_mha", "attention-backend", MHA_PREFILL},
    {"sglang@0.5.18", "rtx5090", Q3 "--attention-backend trtllm_mha", "attention-backend", MHA_PREFILL},
    {"sglang@0.5.18", "b200", Q3 "--attention-backend trtllm_mha", NULL, NULL},
    {"sglang@0.5.9", "h200", "deepseek-ai/DeepSeek-V3.2 --tp-size 8", NULL, NULL},
    {"sglang@0.5.9", "h100-sxm", Q3 "--attention-backend triton " EAGLE "--speculative-eagle-topk 4", NULL, NULL},
    {"sglang@0.5.9", "h100-sxm", Q3 "--page-size 64 --attention-backend triton " EAGLE "--speculative-eagle-topk 1",
     NULL, NULL},
    {"sglang@0.5.9", "h100-sxm", Q3 "--enable-deterministic-inference", NULL, NULL},
    {"sglang@0.5.9", "h100-sxm", Q3 "--enable-deterministic-inference --attention-backend torch_native", NULL, NULL},
    // server_args.py: chunked attention of Llama 4
    {"sglang@0.5.0", "h200", SCOUT "--attention-backend flashinfer", "attention-backend",
     "AssertionError: fa3 is required for Llama4 model"},
    {"sglang@0.5.1", "h200", SCOUT "--attention-backend flashinfer", "attention-backend",
     "AssertionError: fa3 or aiter is required for Llama4 model"},
    {"sglang@0.5.2", "h200", SCOUT "--attention-backend flashinfer", "attention-backend",
     "AssertionError: fa3, aiter, or triton is required for Llama4 model"},
    {"sglang@0.5.5", "h200", SCOUT "--attention-backend flashinfer", "attention-backend",
     "AssertionError: fa3, aiter, triton, or trtllm_mha is required for Llama4 model"},
    {"sglang@0.5.9", "h200", SCOUT "--attention-backend flashinfer", "attention-backend",
     "AssertionError: fa3, aiter, triton, trtllm_mha or intel_xpu is required for Llama4 model but got flashinfer"},
    {"sglang@0.5.12", "h200", SCOUT "--attention-backend flashinfer", "attention-backend",
     "AssertionError: fa3, aiter, triton, ascend, trtllm_mha or intel_xpu is required for Llama4 model but got "
     "flashinfer"},
    {"sglang@0.5.0", "h200", SCOUT "--attention-backend fa3", NULL, NULL},
    // 0.5.7 and 0.5.9: layers that do not attend come first
    {"sglang@0.5.7", "h100-sxm", "nvidia/Nemotron-H-56B-Base-8K --tp-size 4 --attention-backend triton",
     "attention-backend", STATES_FIRST("NemotronHForCausalLM")},
    {"sglang@0.5.9", "h100-sxm", "LiquidAI/LFM2-700M --attention-backend triton", "attention-backend",
     STATES_FIRST("Lfm2ForCausalLM")},
    {"sglang@0.5.9", "h100-sxm", "LiquidAI/LFM2-700M", NULL, NULL},
    // drafts of words and models
    {"sglang@0.5.9", "mi300x", Q3 "--speculative-algorithm NGRAM", NULL, NULL},
    {"sglang@0.5.9", "h100-sxm", Q3 "--speculative-algorithm STANDALONE --speculative-draft-model-path Qwen/Qwen3-0.6B",
     NULL, NULL},
    // experts that AITER pads from 0.5.15 on
    {"sglang@0.5.9", "mi300x", "Qwen/Qwen3-235B-A22B-FP8 --tp-size 8", "quantization-shape",
     "The output_size of gate's and up's weight = 192 is not divisible by weight quantization block_n = 128."},
    {"sglang@0.5.15", "mi300x", "Qwen/Qwen3-235B-A22B-FP8 --tp-size 8", NULL, NULL},
    {"sglang@0.5.9", "h100-sxm", "Qwen/Qwen3-235B-A22B-FP8 --tp-size 8 --moe-a2a-backend deepep", NULL, NULL},
    {"sglang@0.5.9", "h200", DSV3 "--tp-size 8", NULL, NULL},
    {"sglang@0.5.9", "h200", "Qwen/Qwen3-235B-A22B-FP8 --tp-size 4 --dp-size 4 --enable-dp-attention", NULL, NULL},
    // 32 heads and 8 keys over 16 GPUs stand; over 32 as well
    {"sglang@0.5.9", "h100-sxm", Q3 "--tp-size 16", NULL, NULL},
};

static void refused(void **state)
{
    (void)state;
    for (size_t i = 0; i < sizeof rows / sizeof rows[0]; i++) {
        compute(rows[i].engine, rows[i].gpu, rows[i].line);
        bool same = rows[i].rule == NULL ? budget.refusal == NULL
                                         : budget.refusal != NULL && strcmp(budget.refusal, rows[i].rule) == 0;
        if (!same || (rows[i].rule != NULL && strcmp(budget.error, rows[i].error) != 0)) {
            print_error("row %zu: %s %s: %s: %s\n", i, rows[i].engine, rows[i].line,
                        budget.refusal != NULL ? budget.refusal : "none", budget.error);
        }
        assert_true(same);
        if (rows[i].rule != NULL) {
            assert_false(budget.starts);
            assert_string_equal(budget.error, rows[i].error);
        }
    }
}

// server_args.py 0.4.1.post5: --kv-cache-dtype is auto or fp8_e5m2; 0.4.1.post6 takes fp8_e4m3 too. A profile is no
// command that argparse reads, and is refused with its words.
static void caches_of_profiles(void **state)
{
    (void)state;
    compute("sglang@0.4.1.post5", "h100-sxm", LLAMA "--kv-cache-dtype fp8_e5m2");
    assert_null(budget.refusal);
    plan.settings.values[KVB_SET_KV_CACHE_DTYPE].number = KVB_KV_FP8_E4M3;
    again();
    assert_string_equal(budget.refusal, "arguments");
    assert_string_equal(budget.error,
                        "argument --kv-cache-dtype: invalid choice: 'fp8_e4m3' (choose from 'auto', 'fp8_e5m2')");
    compute("sglang@0.4.1.post6", "h100-sxm", LLAMA "--kv-cache-dtype fp8_e4m3");
    assert_null(budget.refusal);
}

// layers/quantization/fp8.py, create_weights: Qwen3-8B over two GPUs has 2,048 outputs of queries and 6,144 of gate and
// up on each; with blocks nobody publishes each sentence is reached.
static void blocks(void **state)
{
    (void)state;
    static const struct {
        uint32_t rows, columns;
        const char *error;
    } rows_of[] = {
        {1000, 64, "Weight output_partition_size = 2048 is not divisible by weight quantization block_n = 1000."},
        {64, 1000, "Weight input_size_per_partition = 2048 is not divisible by weight quantization block_k = 1000."},
        {2048, 64, NULL},
        {1024, 2048, NULL},
        {512, 4096, "Weight input_size_per_partition = 2048 is not divisible by weight quantization block_k = 4096."},
        {0, 64, NULL},
        {64, 0, NULL},
    };
    for (size_t i = 0; i < sizeof rows_of / sizeof rows_of[0]; i++) {
        compute("sglang@0.5.9", "h100-sxm", "Qwen/Qwen3-8B-FP8 --tp-size 2");
        assert_null(budget.refusal);
        plan.model.quantisation.block_rows = rows_of[i].rows;
        plan.model.quantisation.block_columns = rows_of[i].columns;
        again();
        assert_string_equal(budget.error, rows_of[i].error != NULL ? rows_of[i].error : "");
    }
    // 12,288 / 2 = 6,144 of gate and up, where the 32 heads of 64 x 128 are divided
    plan.model.quantisation.block_rows = 64;
    plan.model.quantisation.block_columns = 64;
    plan.model.kinds[0].mlp.intermediate_size = 1000;
    again();
    assert_string_equal(budget.error,
                        "Weight output_partition_size = 500 is not divisible by weight quantization block_n = 64.");
    plan.model.quantisation.block_rows = 4;
    again();
    assert_string_equal(budget.error,
                        "Weight input_size_per_partition = 500 is not divisible by weight quantization block_k = 64.");
    plan.model.quantisation.scale = KVB_SCALE_TENSOR;
    again();
    assert_null(budget.refusal);
    plan.model.quantisation.scale = KVB_SCALE_BLOCK;
    plan.engine.release = KVB_RELEASE(0, 4, 0); // blocks are read from 0.4.1 on
    strcpy(plan.model.architecture, "LlamaForCausalLM");
    again();
    assert_null(budget.refusal);
    plan.engine.release = KVB_RELEASE(0, 4, 1);
    again();
    assert_non_null(budget.refusal);
    // 32 heads of 128 in groups of data-parallel attention: one rank has all of them, two divide them
    compute("sglang@0.5.9", "h100-sxm", "Qwen/Qwen3-8B-FP8 --tp-size 4 --dp-size 4 --enable-dp-attention");
    assert_null(budget.refusal);
    plan.model.quantisation.block_rows = 1536; // of 4,096; 12,288 / 4 = 3,072 of gate and up
    plan.model.quantisation.block_columns = 1536;
    again();
    assert_null(budget.refusal);
    set_number(&plan, KVB_SET_DATA_PARALLEL_SIZE, 2);
    again();
    assert_string_equal(budget.error,
                        "Weight output_partition_size = 2048 is not divisible by weight quantization block_n = 1536.");
}

// What no serve line says: a share over one, no groups, a card of neither vendor.
static void set_otherwise(void **state)
{
    (void)state;
    compute("sglang@0.5.9", "h100-sxm", Q3);
    set_number(&plan, KVB_SET_SWA_FULL_TOKENS_RATIO, 0);
    again();
    assert_string_equal(budget.error, "--swa-full-tokens-ratio should be in range (0, 1.0].");
    set_number(&plan, KVB_SET_SWA_FULL_TOKENS_RATIO, 1500000);
    again();
    assert_string_equal(budget.error, "--swa-full-tokens-ratio should be in range (0, 1.0].");
    compute("sglang@0.5.9", "h100-sxm", Q3 "--enable-dp-attention");
    set_number(&plan, KVB_SET_DATA_PARALLEL_SIZE, 0);
    again();
    assert_string_equal(budget.error, "assert self.tp_size % self.dp_size == 0: AssertionError");
    compute("sglang@0.5.9", "h100-sxm", Q3 "--speculative-algorithm NGRAM");
    assert_null(budget.refusal);
    plan.gpu.vendor = KVB_VENDOR_OTHER;
    again();
    assert_string_equal(budget.error, "Ngram speculative decoding only supports CUDA device.");
}

// Classes whose pictures another server encodes: check_server_args 0.5.10 and 0.5.13.
static void pictures_elsewhere(void **state)
{
    (void)state;
    static const struct {
        const char *engine, *model, *error; // NULL: nothing is refused
    } apart[] = {
        {"sglang@0.5.9", "Qwen/Qwen3-8B", NULL},
        {"sglang@0.5.10", "Qwen/Qwen2.5-VL-7B-Instruct", NULL},
        {"sglang@0.5.12", "Qwen/Qwen3-8B",
         "Model type is not supported for encoder disaggregation, only Qwen models are supported for now."},
        {"sglang@0.5.13", "Qwen/Qwen3-8B",
         "Model type is not supported for encoder disaggregation. Supported architectures: Qwen2VL, Qwen3VL, Qwen3.5, "
         "InternS2, Qwen2Audio, Qwen2.5Omni, Kimi, MiMoV2."},
        {"sglang@0.5.18", "Qwen/Qwen2.5-VL-7B-Instruct", NULL},
    };
    for (size_t i = 0; i < sizeof apart / sizeof apart[0]; i++) {
        compute(apart[i].engine, "h100-sxm", apart[i].model);
        assert_null(budget.refusal);
        set_number(&plan, KVB_SET_LANGUAGE_MODEL_ONLY, 1);
        again();
        assert_int_equal(budget.refusal != NULL, apart[i].error != NULL);
        assert_string_equal(budget.error, apart[i].error != NULL ? apart[i].error : "");
    }
}

KVB_TEST_MAIN(cmocka_unit_test(refused), cmocka_unit_test(caches_of_profiles), cmocka_unit_test(blocks),
              cmocka_unit_test(set_otherwise), cmocka_unit_test(pictures_elsewhere))
