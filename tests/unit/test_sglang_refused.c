// From which release of SGLang to which each refusal of arguments holds: the sentence of the first and of the last, and
// its absence in the releases before and behind. Expected: the same files of sgl-project/sglang at those releases
// (server_args.py, configs/model_config.py).
#include <stdio.h>
#include <string.h>

#include "unit/sglang_plan.h"

#define DSV3 "deepseek-ai/DeepSeek-V3 --tp-size 8 "
#define DRAFT                                                                                                          \
    "--speculative-algorithm EAGLE --speculative-num-steps 3 --speculative-num-draft-tokens 4 "                        \
    "--speculative-eagle-topk 1 "

static const struct {
    const char *gpu, *line, *sentence;
    const char *before, *first, *last, *behind; // releases; NULL: there is none to ask
} rows[] = {
    {"mi300x", "Qwen/Qwen2.5-7B-Instruct-AWQ --quantization awq_marlin", "not supported in ROCm", NULL, "0.4.0",
     "0.5.18", NULL},
    {"h200", DSV3 "--enable-dp-attention", "Please set a dp-size > 1", "0.4.4", "0.4.4.post1", "0.5.1.post3", "0.5.2"},
    {"h200", DSV3 "--enable-dp-attention --dp-size 3", "self.tp_size % self.dp_size == 0", NULL, "0.5.0", "0.5.18",
     NULL},
    {"h100-sxm", Q3 "--pp-size 2 " DRAFT, "speculative decoding, mixed chunked prefill.", "0.4.6.post1", "0.4.6.post2",
     "0.5.10", "0.5.11"},
    {"h100-sxm", Q3 "--pp-size 2 " DRAFT, "overlap schedule, speculative decoding", "0.4.6.post1", "0.5.11", "0.5.18",
     NULL},
    {"h200", DSV3 "--attention-backend trtllm_mla", "Blackwell GPUs (SM100).", "0.4.10", "0.4.10.post1", "0.5.8",
     "0.5.9"},
    {"h200", DSV3 "--attention-backend trtllm_mla", "Blackwell GPUs (SM100/SM12x).", "0.5.8", "0.5.9", "0.5.18", NULL},
    {"b200", DSV3 "--attention-backend trtllm_mla " DRAFT, "does not support speculative decoding yet", NULL,
     "0.4.10.post1", "0.5.0", "0.5.1"},
    {"b200", DSV3 "--attention-backend trtllm_mla --kv-cache-dtype fp8_e5m2", "kv-cache-dtype of fp8_e4m3 or auto.",
     "0.5.0", "0.5.1", "0.5.4.post3", "0.5.5"},
    {"b200", DSV3 "--attention-backend trtllm_mla --kv-cache-dtype fp8_e5m2",
     "kv-cache-dtype of fp8_e4m3, fp4_e2m1, or auto.", "0.5.4.post3", "0.5.5", "0.5.6.post2", "0.5.7"},
    {"b200", DSV3 "--attention-backend trtllm_mla --kv-cache-dtype fp8_e5m2",
     "kv-cache-dtype of fp8_e4m3, fp4_e2m1, bf16, or auto.", "0.5.6.post2", "0.5.7", "0.5.18", NULL},
    {"h100-sxm", Q3 "--attention-backend trtllm_mha", "Blackwell GPUs (SM100). Please", "0.4.10.post2", "0.5.0",
     "0.5.9", "0.5.10"},
    {"h100-sxm", Q3 "--lora-paths a", "compatibility of lora and radix attention", "0.4.6.post5", "0.4.7", "0.5.0",
     "0.5.1"},
    {"h100-sxm", Q3 "--lora-paths a " DRAFT, "only compatible with NGRAM", "0.5.5.post2", "0.5.5.post3", "0.5.18",
     NULL},
    {"h100-sxm", Q3 "--enable-hierarchical-cache --disable-radix-cache", "are mutually exclusive", "0.5.0", "0.5.1",
     "0.5.18", NULL},
    {"h200", DSV3 "--enable-eplb", "self.ep_size > 1", "0.5.0", "0.5.1", "0.5.18", NULL},
    {"h200", DSV3 "--enable-two-batch-overlap", "moe_a2a_backend cannot be 'none'", "0.5.6.post2", "0.5.7", "0.5.18",
     NULL},
    {"h100-sxm", Q3 "--tp-size 4 --dp-size 2 --enable-dp-attention --speculative-algorithm NGRAM",
     "ngram speculative decoding does not support dp attention", "0.5.2", "0.5.3", "0.5.18", NULL},
    {"h100-sxm", Q3 "--tp-size 4 --dp-size 2 --enable-dp-attention --speculative-algorithm STANDALONE",
     "standalone speculative decoding does not support dp attention", "0.5.1", "0.5.2", "0.5.18", NULL},
    {"h100-sxm", LLAMA "--page-size 64 --chunked-prefill-size 1000", "% self.page_size == 0: AssertionError", NULL,
     "0.4.4", "0.4.9.post3", "0.4.9.post4"},
    {"h100-sxm", LLAMA "--page-size 64 --chunked-prefill-size 1000", "must be divisible by page_size", "0.4.9.post3",
     "0.4.9.post4", "0.5.18", NULL},
};

static unsigned wrong;

static void check(size_t row, const char *release, bool expected)
{
    char engine[64];
    if (release == NULL) {
        return;
    }
    (void)snprintf(engine, sizeof engine, "sglang@%s", release);
    compute(engine, rows[row].gpu, rows[row].line);
    if ((strstr(budget.error, rows[row].sentence) != NULL) != expected) {
        wrong++;
        print_error("%s on %s, %s: '%s', not '%s'\n", engine, rows[row].gpu, rows[row].line, budget.error,
                    rows[row].sentence);
    }
}

static void refusals_in_their_releases(void **state)
{
    (void)state;
    for (size_t i = 0; i < sizeof rows / sizeof rows[0]; i++) {
        check(i, rows[i].before, false);
        check(i, rows[i].first, true);
        check(i, rows[i].last, true);
        check(i, rows[i].behind, false);
    }
    assert_int_equal(wrong, 0);
}

// What --quantization takes beside what the checkpoint says, and what runs on AMD's cards.
static void methods(void **state)
{
    (void)state;
    static const struct {
        const char *asked, *checkpoint;
        bool on_amd;
    } rows_of[] = {{"fp8", "fp8", true},    {"awq", "awq", true},           {"awq_marlin", "awq", false},
                   {"gptq", "gptq", true},  {"gptq_marlin", "gptq", false}, {"bitsandbytes", "bitsandbytes", false},
                   {"mxfp4", "mxfp4", true}};
    static const char *const stored[] = {"fp8", "awq", "gptq", "bitsandbytes", "mxfp4"};
    for (size_t i = 0; i < sizeof rows_of / sizeof rows_of[0]; i++) {
        char line[128];
        (void)snprintf(line, sizeof line, "Qwen/Qwen3-8B --quantization %s", rows_of[i].asked);
        for (size_t at = 0; at < sizeof stored / sizeof stored[0]; at++) {
            resolve("sglang@0.5.9", "h100-sxm", line);
            (void)snprintf(plan.model.quantisation.name, sizeof plan.model.quantisation.name, "%s", stored[at]);
            again();
            bool differs = strcmp(stored[at], rows_of[i].checkpoint) != 0;
            if ((strstr(budget.error, "does not match the quantization method") != NULL) != differs) {
                fail_msg("%s over %s: %s", rows_of[i].asked, stored[at], budget.error);
            }
        }
        resolve("sglang@0.5.9", "mi300x", line);
        (void)snprintf(plan.model.quantisation.name, sizeof plan.model.quantisation.name, "%s", rows_of[i].checkpoint);
        again();
        if ((strstr(budget.error, "not supported in ROCm") == NULL) != rows_of[i].on_amd) {
            fail_msg("%s on AMD: %s", rows_of[i].asked, budget.error);
        }
    }
}

KVB_TEST_MAIN(cmocka_unit_test(refusals_in_their_releases), cmocka_unit_test(methods))
