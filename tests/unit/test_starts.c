// What decides a start beside the serve command's words: platform, variables, blocks; and how the page says it.
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "report/plan_report.h"
#include "unit/test.h"

#define GIB (1ULL << 30)

static struct kvb_question question;
static struct kvb_answer answer;
static struct kvb_problems problems;

static void ask(int count, const char *const *words, const char *engine, const char *gpu)
{
    assert_int_equal(kvb_serve_command_read(count, words, &question.deployment, &problems), KVB_OK);
    (void)snprintf(question.deployment.engine, sizeof question.deployment.engine, "%s", engine);
    (void)snprintf(question.deployment.gpu, sizeof question.deployment.gpu, "%s", gpu);
    assert_int_equal(kvb_answer_deployment(&question.deployment, &answer, &problems), KVB_OK);
}

#define ASK(engine, gpu, ...)                                                                                          \
    do {                                                                                                               \
        const char *words[] = {__VA_ARGS__};                                                                           \
        ask((int)(sizeof words / sizeof words[0]), words, engine, gpu);                                                \
    } while (0)

static int begin(void **state)
{
    (void)state;
    memset(&question, 0, sizeof question);
    question.serve_model = -1;
    kvb_problems_init(&problems);
    kvb_deployment_init(&question.deployment);
    return 0;
}

// vllm/config/compilation.py v0.20.0: one block for each sequence's state. It is about memory: no rule is named.
static void sequences_need_blocks(void **state)
{
    (void)state;
    ASK("vllm@0.27.1", "rtx-4060", "vllm", "serve", "Qwen/Qwen3.5-2B", "--max-model-len", "8192");
    assert_false(answer.budget.starts);
    assert_null(answer.budget.refusal);
    assert_non_null(strstr(answer.budget.error, "max_num_seqs (256) exceeds available Mamba cache blocks ("));
    (void)begin(state);
    ASK("vllm@0.20.0", "rtx-4060", "vllm", "serve", "Qwen/Qwen3.5-2B", "--max-model-len", "8192");
    assert_non_null(strstr(answer.budget.error, "max_num_seqs (256) exceeds available Mamba cache blocks ("));
    (void)begin(state);
    ASK("vllm@0.17.1", "rtx-4060", "vllm", "serve", "Qwen/Qwen3.5-2B", "--max-model-len", "8192");
    assert_non_null(strstr(answer.budget.error, "assert num_cache_lines >= batch"));
    (void)begin(state);
    ASK("vllm@0.27.1", "rtx-4060", "vllm", "serve", "Qwen/Qwen3.5-2B", "--max-model-len", "8192", "--max-num-seqs",
        "8");
    assert_true(answer.budget.starts);
    (void)begin(state);
    ASK("vllm@0.27.1", "rtx-4060", "vllm", "serve", "Qwen/Qwen3.5-2B", "--max-model-len", "8192", "--enforce-eager");
    assert_true(answer.budget.starts);
}

// Two rotary tables of 1,048,576 x 64 x 4 B. Logged: 74.35 GiB on two H200 (0.23.0), 75.6 on two RTX PRO 6000 with the
// layer of next-token prediction (0.25.0).
static void deepseek_v4_in_32_bits(void **state)
{
    (void)state;
    ASK("vllm@0.23.0", "h200", "vllm", "serve", "deepseek-ai/DeepSeek-V4-Flash", "--tensor-parallel-size", "2",
        "--max-num-batched-tokens", "16384", "--max-model-len", "4096", "--enforce-eager");
    assert_int_equal(answer.budget.weights.rope_bytes, 2 * 1048576ULL * 64 * 4);
    assert_in_range(answer.budget.weights.total_bytes, 7430 * GIB / 100, 7440 * GIB / 100);
    (void)begin(state);
    ASK("vllm@0.25.0", "rtx-pro-6000-ws", "vllm", "serve", "deepseek-ai/DeepSeek-V4-Flash", "--tensor-parallel-size",
        "2", "--max-num-batched-tokens", "4096", "--max-num-seqs", "64", "--kv-cache-dtype", "fp8",
        "--speculative-config", "{\"method\":\"mtp\",\"num_speculative_tokens\":2}");
    assert_in_range(answer.budget.weights.total_bytes, 7555 * GIB / 100, 7565 * GIB / 100);
}

// vllm/engine/arg_utils.py v0.7.3: the line to paste says the format of the files too.
static void a_line_names_the_format(void **state)
{
    (void)state;
    static const struct kvb_advice nothing;
    ASK("vllm@0.7.3", "rtx-4090", "vllm", "serve", "Qwen/Qwen2.5-7B-Instruct");
    kvb_settings_set(&question.deployment.settings, KVB_SET_QUANTIZATION, KVB_QUANTIZATION_BITSANDBYTES,
                     KVB_ORIGIN_FLAG);
    char *line = kvb_serve_line(&question, &answer.plan, &nothing);
    assert_non_null(line);
    assert_non_null(strstr(line, "--quantization bitsandbytes --load-format bitsandbytes"));
    free(line);
    answer.plan.engine.release = KVB_RELEASE(0, 8, 2);
    line = kvb_serve_line(&question, &answer.plan, &nothing);
    assert_non_null(line);
    assert_null(strstr(line, "--load-format"));
    free(line);
}

// 19.49 GiB of a GB10 are usually gone before the start: what is not known keeps the answer from "fits".
static void what_is_usually_gone_is_doubt(void **state)
{
    (void)state;
    ASK("vllm@0.27.1", "gb10", "vllm", "serve", "Qwen/Qwen3-8B");
    assert_int_equal(answer.budget.verdict, KVB_TIGHT);
    (void)begin(state);
    question.deployment.gpu_free_stated = true;
    question.deployment.gpu_free_bytes = 120ULL << 30;
    ASK("vllm@0.27.1", "gb10", "vllm", "serve", "Qwen/Qwen3-8B");
    assert_int_equal(answer.budget.verdict, KVB_FITS);
    (void)begin(state);
    ASK("vllm@0.27.1", "gb10", "vllm", "serve", "Qwen/Qwen3-8B", "--gpu-memory-utilization", "0.8");
    assert_int_equal(answer.budget.verdict, KVB_FITS);
}

// What is said to be possible is a start without doubt, and the next hundredths are not: with the first one's requested
// bytes or the free memory of GB10 gone (121.69 GiB less 19.49, 102.2: 0.83 asks for 101.0, and 1.3 more live
// outside).
static void the_highest_share_is_free_of_doubt(void **state)
{
    (void)state;
    static const struct {
        const char *gpu, *asked;
        uint64_t free_gib; // 0: not said
    } rows[] = {
        {"gb10", "0.5", 0}, {"gb10", "0.9", 0}, {"gb10", "0.9", 100}, {"gb10", "0.95", 60}, {"l40s", "0.9", 30}};
    for (size_t i = 0; i < sizeof rows / sizeof rows[0]; i++) {
        char share[48];
        for (int again = 0; again < 2; again++) {
            (void)begin(state);
            question.deployment.gpu_free_stated = rows[i].free_gib > 0;
            question.deployment.gpu_free_bytes = rows[i].free_gib << 30;
            ASK("vllm@0.27.1", rows[i].gpu, "vllm", "serve", "Qwen/Qwen3-8B", "--gpu-memory-utilization",
                again ? share : rows[i].asked);
            assert_true(answer.advice.has_utilization);
            (void)kvb_setting_format(share, KVB_SET_GPU_MEMORY_UTILIZATION, answer.advice.gpu_memory_utilization_ppm);
        }
        assert_int_equal(answer.budget.verdict, KVB_FITS);
        assert_true(answer.budget.slack_bytes >= 0);
    }
    (void)begin(state);
    ASK("vllm@0.27.1", "gb10", "vllm", "serve", "Qwen/Qwen3-8B", "--gpu-memory-utilization", "0.85");
    assert_int_equal(answer.budget.verdict, KVB_TIGHT);
}

static void refused(const char *rule, const char *sentence)
{
    assert_false(answer.budget.starts);
    assert_non_null(answer.budget.refusal);
    assert_string_equal(answer.budget.refusal, rule);
    assert_non_null(strstr(answer.budget.error, sentence));
}

// model_executor/models/utils.py v0.8.3 to v0.16.0: pinned memory, which WSL does not give.
static void weights_stay_on_the_card_under_wsl(void **state)
{
    (void)state;
    question.deployment.platform_set = true;
    question.deployment.platform = KVB_PLATFORM_WSL2;
    ASK("vllm@0.11.0", "rtx-4090", "vllm", "serve", "Qwen/Qwen2.5-7B-Instruct", "--cpu-offload-gb", "8");
    refused("cpu-offload", "V1 CPU offloading requires uva (pin memory) support");
    (void)begin(state);
    question.deployment.platform_set = true;
    question.deployment.platform = KVB_PLATFORM_WSL2;
    ASK("vllm@0.20.0", "rtx-4090", "vllm", "serve", "Qwen/Qwen2.5-7B-Instruct", "--cpu-offload-gb", "8");
    assert_true(answer.budget.starts);
}

// vllm/device_allocator/cumem.py v0.8.0 to v0.20.0.
static void sleep_wants_fixed_segments(void **state)
{
    (void)state;
    question.deployment.environment.expandable_segments = KVB_YES;
    ASK("vllm@0.11.0", "h100", "vllm", "serve", "Qwen/Qwen2.5-7B-Instruct", "--enable-sleep-mode");
    refused("sleep-mode", "Expandable segments are not compatible with memory pool.");
    (void)begin(state);
    question.deployment.environment.expandable_segments = KVB_YES;
    ASK("vllm@0.20.1", "h100", "vllm", "serve", "Qwen/Qwen2.5-7B-Instruct", "--enable-sleep-mode");
    assert_true(answer.budget.starts);
    (void)begin(state);
    ASK("vllm@0.20.0", "arc-b60", "vllm", "serve", "Qwen/Qwen2.5-7B-Instruct", "--enable-sleep-mode");
    refused("sleep-mode", "Sleep mode is not supported on current platform.");
}

static char *page(void)
{
    struct kvb_buffer text;
    struct kvb_plan_report report = {.plan = &answer.plan,
                                     .source = &answer.source,
                                     .budget = &answer.budget,
                                     .advice = &answer.advice,
                                     .problems = &problems};
    kvb_buffer_init(&text);
    kvb_render_plan_text(&text, &report);
    assert_false(text.failed);
    return text.data;
}

// The concurrency printed is that of max_model_len; where that alone refuses, it is said.
static void a_wish_is_not_the_length(void **state)
{
    (void)state;
    question.deployment.need.length_tokens = 8192;
    question.deployment.need.concurrency_hundredths = 400;
    ASK("vllm@0.27.1", "rtx-4090", "vllm", "serve", "Qwen/Qwen3-8B");
    char *text = page();
    assert_non_null(strstr(text, "as one request of max_model_len\ndoes not find room."));
    assert_non_null(strstr(text, "requests of 40,960 tokens at once."));
    assert_null(strstr(text, "is not the reason"));
    free(text);
}

// compilation.py v0.21.0: each of 1,024 sequences wants a block of its own, and a pool of 4 GiB has fewer.
static void blocks_of_states_are_the_reason(void **state)
{
    (void)state;
    ASK("vllm@0.21.0", "h100", "vllm", "serve", "Qwen/Qwen3.5-4B", "--max-model-len", "4096", "--max-num-seqs", "1024",
        "--kv-cache-memory-bytes", "4G");
    assert_false(answer.budget.starts);
    assert_true(answer.budget.kv.num_blocks < 1024);
    char *text = page();
    assert_non_null(strstr(text, "as each sequence keeps a state in\na block of its own"));
    assert_null(strstr(text, "is not the reason"));
    free(text);
}

static void an_unknown_class_has_no_budget(void **state)
{
    (void)state;
    ASK("vllm@0.6.6", "h100", "vllm", "serve", "Qwen/Qwen3-8B");
    refused("architecture", "Qwen3ForCausalLM");
    char *text = page();
    assert_null(strstr(text, "KV cache  "));
    assert_non_null(strstr(text, "Not for want of memory: see the\nerror below (rule architecture)."));
    free(text);
}

KVB_TEST_MAIN(cmocka_unit_test_setup(sequences_need_blocks, begin),
              cmocka_unit_test_setup(a_line_names_the_format, begin),
              cmocka_unit_test_setup(what_is_usually_gone_is_doubt, begin),
              cmocka_unit_test_setup(the_highest_share_is_free_of_doubt, begin),
              cmocka_unit_test_setup(weights_stay_on_the_card_under_wsl, begin),
              cmocka_unit_test_setup(deepseek_v4_in_32_bits, begin),
              cmocka_unit_test_setup(sleep_wants_fixed_segments, begin),
              cmocka_unit_test_setup(a_wish_is_not_the_length, begin),
              cmocka_unit_test_setup(an_unknown_class_has_no_budget, begin),
              cmocka_unit_test_setup(blocks_of_states_are_the_reason, begin))
