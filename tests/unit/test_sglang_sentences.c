// In which releases SGLang says each sentence of its refusals: found by a search for the sentence, quotes and line ends
// left out, in server_args.py, arg_groups/ and configs/model_config.py of python/sglang/srt at each of the 82 releases
// named by scripts/sglang-tables. A command that meets it is asked at each of them.
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <string.h>

#include <cmocka.h>

#include "unit/sglang_plan.h"
#include "unit/sglang_releases.h"

#define DSV3 "deepseek-ai/DeepSeek-V3 --tp-size 8 "
#define EAGLE "--speculative-algorithm EAGLE --speculative-num-steps 3 --speculative-num-draft-tokens 8 "
#define PLAIN_EAGLE EAGLE "--speculative-eagle-topk 1"
#define SCOUT "meta-llama/Llama-4-Scout-17B-16E-Instruct --tp-size 8 --attention-backend flashinfer"
#define SPARSE "deepseek-ai/DeepSeek-V3.2 --tp-size 8 --kv-cache-dtype fp8_e5m2"
#define PIPELINE "AssertionError: Pipeline parallelism is not compatible with overlap schedule, speculative decoding"
#define MLA_KERNELS "--attention-backend trtllm_mla "
#define MHA_KERNELS "--attention-backend trtllm_mha "
#define ONLY(kernels, cards)                                                                                           \
    "TRTLLM " kernels " backend is only supported on Blackwell GPUs (" cards "). Please use a different backend."
#define CACHES(words) "TensorRT-LLM MLA backend only supports kv-cache-dtype of " words " or auto."
#define NO_BUFFER                                                                                                      \
    "Speculative decoding for Qwen3NextForCausalLM is not compatible with radix cache when using "                     \
    "--mamba-scheduler-strategy no_buffer.To use radix cache with speculative decoding, please use "                   \
    "--mamba-scheduler-strategy extra_buffer"
#define DETERMINISTIC                                                                                                  \
    "Currently only ['flashinfer', 'fa3', 'triton'] attention backends are supported for deterministic inference"
#define SINKS(more)                                                                                                    \
    "AssertionError: GptOssForCausalLM requires one of ['triton', 'trtllm_mha', 'fa3'" more                            \
    "] attention backend, but "                                                                                        \
    "got "
#define TWO(backend) "the following backends\n- Prefill: " backend "\n- Decode: " backend "\n"
#define DFLASH "--speculative-algorithm DFLASH --speculative-draft-model-path Qwen/Qwen3-0.6B"
#define ALWAYS 0

static const struct {
    uint32_t since, gone; // ALWAYS: to the newest
    const char *gpu, *line, *sentence;
} rows[] = {
    {R(4, 0), ALWAYS, "mi300x", "Qwen/Qwen2.5-7B-Instruct-AWQ --quantization awq_marlin",
     "awq_marlin quantization is currently not supported in ROCm."},
    {R(4, 4) + 1, R(5, 2), "h200", DSV3 "--enable-dp-attention",
     "AssertionError: Please set a dp-size > 1. You can use 1 < dp-size <= tp-size "},
    {R(4, 4) + 1, ALWAYS, "h200", DSV3 "--enable-dp-attention --dp-size 3", // before, groups are as many as ranks
     "assert self.tp_size % self.dp_size == 0: AssertionError"},
    {R(4, 6) + 2, R(5, 11), "h100-sxm", Q3 "--pp-size 2 " PLAIN_EAGLE, PIPELINE ", mixed chunked prefill."},
    {R(5, 11), ALWAYS, "h100-sxm", Q3 "--pp-size 2 " PLAIN_EAGLE, PIPELINE},
    {R(4, 10) + 1, R(5, 9), "h200", DSV3 MLA_KERNELS, ONLY("MLA", "SM100")},
    {R(5, 9), ALWAYS, "h200", DSV3 MLA_KERNELS, ONLY("MLA", "SM100/SM12x")},
    {R(5, 1), R(5, 10), "h100-sxm", Q3 MHA_KERNELS, ONLY("MHA", "SM100")},
    {R(4, 10) + 1, R(5, 1), "b200", DSV3 MLA_KERNELS "--speculative-algorithm EAGLE",
     "trtllm_mla backend does not support speculative decoding yet."},
    {R(5, 1), ALWAYS, "b200", Q3 MHA_KERNELS EAGLE "--speculative-eagle-topk 4",
     "trtllm_mha backend only supports topk = 1 for speculative decoding."},
    {R(5, 1), R(5, 4) + 3, "b200", DSV3 MLA_KERNELS "--kv-cache-dtype fp8_e5m2", CACHES("fp8_e4m3")},
    {R(5, 4) + 3, R(5, 7), "b200", DSV3 MLA_KERNELS "--kv-cache-dtype fp8_e5m2", CACHES("fp8_e4m3, fp4_e2m1,")},
    {R(5, 7), ALWAYS, "b200", DSV3 MLA_KERNELS "--kv-cache-dtype fp8_e5m2", CACHES("fp8_e4m3, fp4_e2m1, bf16,")},
    {R(5, 4) + 2, R(5, 8), "h200", SPARSE,
     "AssertionError: DeepSeek NSA only supports bf16/bfloat16 or fp8_e4m3 kv_cache_dtype"},
    {R(5, 8), ALWAYS, "h200", SPARSE,
     "AssertionError: DeepSeek DSA only supports bf16/bfloat16 or fp8_e4m3 kv_cache_dtype"},
    {R(5, 2), R(5, 13), "h100-sxm", Q3 "--page-size 64 --attention-backend triton " EAGLE "--speculative-eagle-topk 4",
     "speculative_eagle_topk > 1 with page_size > 1 is unstable and produces incorrect results for paged attention "
     "backends. This combination is only supported for the 'flashinfer' backend."},
    {R(5, 13), ALWAYS, "h200", DSV3 "--attention-backend flashmla " EAGLE "--speculative-eagle-topk 4",
     "speculative_eagle_topk > 1 with page_size > 1 is only supported on ('flashinfer', 'fa3', 'triton'); got "
     "attention_backend='flashmla'. Use page_size == 1 or one of those backends."},
    {R(5, 3), ALWAYS, "h100-sxm", Q3 "--page-size 64 --speculative-algorithm NGRAM --speculative-num-draft-tokens 8",
     "speculative_eagle_topk(10) > 1 with page_size(64) > 1 is unstable and produces incorrect results for paged "
     "attention backends. This combination is only supported for the 'flashinfer' backend."},
    {R(5, 4), R(5, 8), "h200", OSS "--attention-backend fa4",
     "FA4 backend is only supported for prefill. Please use `--prefill-attention-backend fa4` instead."},
    {R(5, 1), R(5, 3) + 1, "h100-sxm", OSS "--attention-backend flashinfer", SINKS("") "'flashinfer'"},
    {R(5, 3) + 1, R(5, 8), "h100-sxm", OSS "--attention-backend flashinfer", SINKS(", 'fa4'") TWO("flashinfer")},
    {R(5, 8), R(5, 10), "h100-sxm", OSS "--attention-backend flashinfer", SINKS(", 'fa4', 'ascend'") TWO("flashinfer")},
    {R(5, 10), R(5, 11), "h100-sxm", OSS "--attention-backend flashinfer",
     SINKS(", 'fa4', 'ascend', 'aiter'") TWO("flashinfer")},
    {R(5, 11), R(5, 13), "h100-sxm", OSS "--attention-backend flashinfer",
     SINKS(", 'fa4', 'ascend', 'intel_xpu', 'aiter'") TWO("flashinfer")},
    {R(5, 13), ALWAYS, "h100-sxm", OSS "--attention-backend flashinfer",
     SINKS(", 'fa4', 'ascend', 'intel_amx', 'intel_xpu', 'aiter'") TWO("flashinfer")},
    {R(5, 9), ALWAYS, "h100-sxm", "LiquidAI/LFM2-700M --attention-backend triton",
     "AssertionError: Lfm2ForCausalLM does not support triton attention backend, as the first layer might not be an "
     "attention layer"},
    {R(5, 10), ALWAYS, "h100-sxm", Q3 MHA_KERNELS,
     "TRTLLM MHA backend for prefill is only supported on Blackwell GPUs (SM100). Please use a different prefill "
     "backend."},
    {R(4, 4) + 4, R(5, 13), "h100-sxm", LLAMA "--speculative-algorithm EAGLE --speculative-eagle-topk 1",
     "assert self.speculative_eagle_topk is None and self.speculative_num_draft_tokens is None: AssertionError"},
    {R(5, 13), ALWAYS, "h100-sxm", LLAMA "--speculative-algorithm EAGLE --speculative-eagle-topk 1",
     "assert server_args.speculative_eagle_topk is None and server_args.speculative_num_draft_tokens is None: "
     "AssertionError"},
    {R(5, 13), R(5, 14), "h100-sxm",
     LLAMA "--speculative-algorithm EAGLE --speculative-adaptive --speculative-eagle-topk 1 --speculative-num-steps 5",
     "--speculative-num-steps=5 is not in the adaptive config candidate_steps [1, 3, 7]. Pass one of those values."},
    {R(5, 14), ALWAYS, "h100-sxm",
     LLAMA "--speculative-algorithm EAGLE --speculative-adaptive --speculative-eagle-topk 1 --speculative-num-steps 5",
     "--speculative-num-steps=5 is not in the adaptive config candidate_steps [0, 1, 3, 7]. Pass one of those values."},
    {R(5, 2), ALWAYS, "h100-sxm", LLAMA "--speculative-algorithm EAGLE --speculative-num-steps 3",
     "TypeError: '>' not supported between instances of 'NoneType' and 'int'"},
    {R(5, 12), R(5, 16), "h200", V4 "--speculative-algorithm NEXTN",
     "AssertionError: Only EAGLE speculative algorithm is supported for DeepseekV4ForCausalLM"},
    {R(5, 16), ALWAYS, "h200", V4 "--speculative-algorithm NEXTN",
     "AssertionError: Only EAGLE and DSPARK speculative algorithms are supported for DeepseekV4ForCausalLM"},
    {R(5, 12), ALWAYS, "h200", V4 "--speculative-algorithm EAGLE",
     "AssertionError: Only EAGLE speculative algorithm with topk == 1 is supported for DeepseekV4ForCausalLM"},
    {R(5, 3), R(5, 4), "b200", Q3 "--enable-deterministic-inference " MHA_KERNELS, DETERMINISTIC "."},
    {R(5, 4), R(5, 13), "b200", Q3 "--enable-deterministic-inference " MHA_KERNELS,
     DETERMINISTIC ", but you explicitly specified 'trtllm_mha'."},
    {R(5, 13), R(5, 16), "b200", Q3 "--enable-deterministic-inference " MHA_KERNELS,
     "Currently only ['flashinfer', 'fa3', 'triton', 'ascend'] attention backends are supported for deterministic "
     "inference, but you explicitly specified 'trtllm_mha'."},
    {R(5, 16), ALWAYS, "b200", Q3 "--enable-deterministic-inference " MHA_KERNELS,
     "Currently only ['ascend', 'fa3', 'fa4', 'flashinfer', 'triton'] attention backends are supported for "
     "deterministic inference, but you explicitly specified 'trtllm_mha'."},
#define LATENTS DSV3 "--enable-deterministic-inference --attention-backend flashinfer"
#define OF_DEEPSEEK(kernels)                                                                                           \
    "Currently only " kernels                                                                                          \
    " attention backends are supported for deterministic inference with DeepSeek models. But you're using flashinfer."
    {R(5, 4) + 1, R(5, 4) + 2, "h200", LATENTS, OF_DEEPSEEK("fa3 and triton")},
    {R(5, 4) + 2, R(5, 13), "h200", LATENTS, OF_DEEPSEEK("['fa3', 'triton']")},
    {R(5, 13), R(5, 16), "h200", LATENTS, OF_DEEPSEEK("['fa3', 'triton', 'ascend']")},
    {R(5, 16), R(5, 17), "h200", LATENTS, OF_DEEPSEEK("['fa3', 'triton']")},
    {R(5, 17), ALWAYS, "h200", LATENTS, OF_DEEPSEEK("['ascend', 'fa3', 'fa4', 'triton']")},
    {R(5, 16), ALWAYS, "h200", Q3 "--kv-cache-dtype mxfp8",
     "--kv-cache-dtype mxfp8 requires an SM100+ (Blackwell) GPU for the block-scaled operands used by the FA4 MXFP8 "
     "attention path."},
    {R(5, 16), ALWAYS, "h200", Q3 "--kv-cache-dtype nvfp4",
     "--kv-cache-dtype=nvfp4 requires Blackwell SM100 or SM120. Use --kv-cache-dtype=fp4_mx_block16 for the "
     "block-size-16 FP4 recipe."},
    {R(5, 11), ALWAYS, "h100-sxm", Q3 "--tp-size 4 --dp-size 2 --enable-dp-attention " DFLASH,
     "Currently DFLASH speculative decoding does not support dp attention."},
    {R(5, 11), ALWAYS, "h100-sxm", Q3 "--pp-size 2 " DFLASH,
     "Currently DFLASH speculative decoding only supports pp_size == 1."},
    {R(4, 0), R(4, 7), "h100-sxm", LLAMA "--lora-paths a",
     "AssertionError: compatibility of lora and cuda graph and radix attention is in progress"},
    {R(4, 7), R(5, 1), "h100-sxm", Q3 "--lora-paths a",
     "AssertionError: compatibility of lora and radix attention is in progress"},
    {R(5, 5) + 3, ALWAYS, "h100-sxm", Q3 "--lora-paths a " PLAIN_EAGLE,
     "Currently LoRA is only compatible with NGRAM speculative decoding."},
    {R(5, 1), ALWAYS, "h100-sxm", Q3 "--enable-hierarchical-cache --disable-radix-cache",
     "The arguments enable-hierarchical-cache and disable-radix-cache are mutually exclusive and cannot be used at the "
     "same time. Please use only one of them."},
    {R(5, 1), R(5, 15), "h200", DSV3 "--enable-eplb", "assert self.ep_size > 1: AssertionError"},
    {R(5, 15), ALWAYS, "h200", DSV3 "--enable-eplb", "assert self._resolved().ep_size > 1: AssertionError"},
    {R(5, 7), R(5, 15), "h200", DSV3 "--enable-two-batch-overlap",
     "When enabling two batch overlap, moe_a2a_backend cannot be 'none'."},
    {R(5, 15), ALWAYS, "h200", DSV3 "--enable-two-batch-overlap",
     "When enabling two batch overlap without an EP a2a backend (moe_a2a_backend='none'), --enable-dp-attention is "
     "required (DeepSeek-V4 non-EP DP TBO path)."},
    {R(5, 3), ALWAYS, "h100-sxm", Q3 "--tp-size 4 --dp-size 2 --enable-dp-attention --speculative-algorithm NGRAM",
     "Currently ngram speculative decoding does not support dp attention."},
    {R(5, 2), ALWAYS, "h100-sxm", Q3 "--tp-size 4 --dp-size 2 --enable-dp-attention --speculative-algorithm STANDALONE",
     "Currently standalone speculative decoding does not support dp attention."},
    {R(4, 4), R(4, 9) + 4, "h100-sxm", LLAMA "--page-size 64 --chunked-prefill-size 1000",
     "assert self.chunked_prefill_size % self.page_size == 0: AssertionError"},
    {R(4, 9) + 4, ALWAYS, "h100-sxm", LLAMA "--page-size 64 --chunked-prefill-size 1000",
     "AssertionError: chunked_prefill_size must be divisible by page_size"},
    {R(4, 9) + 4, R(5, 1), "h200", SCOUT, "AssertionError: fa3 is required for Llama4 model"},
    {R(5, 1), R(5, 2), "h200", SCOUT, "AssertionError: fa3 or aiter is required for Llama4 model"},
    {R(5, 2), R(5, 4) + 1, "h200", SCOUT, "AssertionError: fa3, aiter, or triton is required for Llama4 model"},
    {R(5, 4) + 1, R(5, 5) + 1, "h200", SCOUT,
     "AssertionError: fa3, aiter, triton, or trtllm_mha is required for Llama4 model"},
    {R(5, 5) + 1, R(5, 10), "h200", SCOUT,
     "AssertionError: fa3, aiter, triton, trtllm_mha or intel_xpu is required for Llama4 model but got flashinfer"},
    {R(5, 10), ALWAYS, "h200", SCOUT,
     "AssertionError: fa3, aiter, triton, ascend, trtllm_mha or intel_xpu is required for Llama4 model but got "
     "flashinfer"},
    {R(5, 7), ALWAYS, "h100-sxm", "nvidia/Nemotron-H-56B-Base-8K --tp-size 4 --attention-backend triton",
     "AssertionError: NemotronHForCausalLM does not support triton attention backend, as the first layer might not be "
     "an attention layer"},
    {R(5, 10), R(5, 14), "h200", HYBRID "--tp-size 4 " PLAIN_EAGLE, NO_BUFFER " and set SGLANG_ENABLE_SPEC_V2=1."},
};

static bool says(size_t row, uint32_t release)
{
    char engine[40], version[32];
    (void)snprintf(engine, sizeof engine, "sglang@%s", kvb_release_format(version, release));
    compute(engine, rows[row].gpu, rows[row].line);
    return strcmp(budget.error, rows[row].sentence) == 0;
}

// By this row, or by another of the same sentence: some come back.
static bool should_say(size_t row, uint32_t release)
{
    for (size_t i = 0; i < sizeof rows / sizeof rows[0]; i++) {
        bool inside = release >= rows[i].since && (rows[i].gone == ALWAYS || release < rows[i].gone);
        if (inside && strcmp(rows[i].sentence, rows[row].sentence) == 0) {
            return true;
        }
    }
    return false;
}

static void each_sentence_in_its_releases(void **state)
{
    (void)state;
    unsigned wrong = 0;
    for (size_t i = 0; i < sizeof rows / sizeof rows[0]; i++) {
        for (size_t k = 0; k < RELEASE_COUNT; k++) {
            if (says(i, releases[k]) != should_say(i, releases[k])) {
                print_error("row %zu at %u: '%s'\n", i, (unsigned)releases[k], budget.error);
                wrong++;
            }
        }
    }
    assert_int_equal(wrong, 0);
}

// What a release lets pass of those it says a sentence of: kernels of Llama 4, ranks with data-parallel attention, and
// which device a draft of words runs on.
static void beside_the_sentences(void **state)
{
    (void)state;
    static const struct {
        const char *engine, *gpu, *line;
        bool refused;
    } told[] = {
#define LLAMA4(backend) "meta-llama/Llama-4-Scout-17B-16E-Instruct --tp-size 8 --attention-backend " backend
        {"sglang@0.5.0", "mi300x", LLAMA4("aiter"), true},
        {"sglang@0.5.1", "mi300x", LLAMA4("aiter"), false},
        {"sglang@0.5.1.post3", "h200", LLAMA4("triton"), true},
        {"sglang@0.5.2", "h200", LLAMA4("triton"), false},
        {"sglang@0.5.4", "b200", LLAMA4("trtllm_mha"), true},
        {"sglang@0.5.4.post1", "b200", LLAMA4("trtllm_mha"), false},
        {"sglang@0.5.3", "h200", OSS "--attention-backend fa4", true},
        {"sglang@0.5.3.post1", "h200", OSS "--attention-backend fa4", false},
        {"sglang@0.5.9", "mi300x", OSS "--attention-backend aiter", true},
        {"sglang@0.5.10", "mi300x", OSS "--attention-backend aiter", false},
        {"sglang@0.5.7", "h200", OSS "--attention-backend fa4", true}, // of prefills alone
        {"sglang@0.5.8", "h200", OSS "--attention-backend fa4", false},
        {"sglang@0.5.14", "h200", DSV3 "--dp-size 8 --enable-dp-attention --enable-two-batch-overlap", true},
        {"sglang@0.5.15", "h200", DSV3 "--dp-size 8 --enable-dp-attention --enable-two-batch-overlap", false},
        {"sglang@0.5.16", "mi300x", Q3 "--speculative-algorithm NGRAM", false},
        {"sglang@0.5.18", "h100-sxm", LLAMA "--speculative-algorithm EAGLE --speculative-adaptive", false},
        {"sglang@0.5.18", "h100-sxm", Q3 DFLASH, false},
        {"sglang@0.5.18", "b200", Q3 "--kv-cache-dtype mxfp8", false},
        {"sglang@0.5.18", "rtx5090", Q3 "--kv-cache-dtype mxfp8", false},
        {"sglang@0.5.18", "rtx5090", Q3 "--kv-cache-dtype nvfp4 --attention-backend triton", false},
        {"sglang@0.5.18", "h200", Q3 "--kv-cache-dtype fp4_mx_block16 --attention-backend triton", false},
        {"sglang@0.5.15", "h200", Q3 "--enable-deterministic-inference --attention-backend fa4", true},
        {"sglang@0.5.16", "h200", Q3 "--enable-deterministic-inference --attention-backend fa4", false},
        {"sglang@0.5.16", "b200", DSV3 "--enable-deterministic-inference --attention-backend fa4", true},
        {"sglang@0.5.18", "b200", DSV3 "--enable-deterministic-inference --attention-backend fa4", false},
        {"sglang@0.5.18", "h200", DSV3 "--enable-deterministic-inference --attention-backend fa3", false},
        {"sglang@0.5.18", "h100-sxm",
         LLAMA "--speculative-algorithm EAGLE --speculative-adaptive --speculative-eagle-topk 1", false},
        {"sglang@0.5.18", "h100-sxm",
         LLAMA "--speculative-algorithm EAGLE --speculative-adaptive --speculative-num-steps 3", false},
        {"sglang@0.5.18", "h100-sxm",
         LLAMA "--speculative-algorithm EAGLE --speculative-adaptive --speculative-eagle-topk 1 "
               "--speculative-num-steps 1",
         false},
        {"sglang@0.5.18", "h100-sxm",
         LLAMA "--speculative-algorithm EAGLE --speculative-adaptive --speculative-eagle-topk 1 "
               "--speculative-num-steps 7",
         false},
        {"sglang@0.5.18", "mi300x", Q3 "--kv-cache-dtype nvfp4", true}, // by another sentence
    };
    for (size_t i = 0; i < sizeof told / sizeof told[0]; i++) {
        compute(told[i].engine, told[i].gpu, told[i].line);
        if ((budget.refusal != NULL) != told[i].refused) {
            fail_msg("row %zu: '%s'", i, budget.error);
        }
    }
}

KVB_TEST_MAIN(cmocka_unit_test(each_sentence_in_its_releases), cmocka_unit_test(beside_the_sentences))
