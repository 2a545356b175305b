// Flags of vLLM that move no memory and still decide a start: which switch and which number each is, and the ranks of
// adapters that each release takes. Sources: vllm/engine/arg_utils.py; LoRAConfig of vllm/config.py, MaxLoRARanks of
// vllm/config/lora.py from 0.11.1 on.
#include <stdio.h>
#include <string.h>

#include "base/text.h"
#include "engines/vllm/serve.h"
#include "unit/plans.h"
#include "unit/test.h"

static struct kvb_plan plan;
static struct kvb_budget budget;

static void plain_at(uint32_t release, const char *lines)
{
    static struct kvb_deployment deployment;
    make_llama_plan(&plan, release);
    kvb_deployment_init(&deployment);
    (void)kvb_copy(deployment.serve_flags, sizeof deployment.serve_flags, lines);
    kvb_vllm_plain_flags(&deployment, &plan);
}

static void plain(const char *lines)
{
    plain_at(R(12, 0), lines);
}

static void switches(void **state)
{
    (void)state;
    static const struct {
        const char *line;
        uint32_t flag;
    } rows[] = {
        {"--enable-eplb", KVB_PLAIN_EPLB},
        {"--enable_eplb", KVB_PLAIN_EPLB},
        {"--disable-chunked-mm-input", KVB_PLAIN_WHOLE_ITEMS},
        {"--load-format bitsandbytes", KVB_PLAIN_LOADS_BITSANDBYTES},
        {"--load-format fastsafetensors", KVB_PLAIN_LOADS_WHOLE_FILES},
        {"--load-format=bitsandbytes", KVB_PLAIN_LOADS_BITSANDBYTES},
        {"--load-format auto", 0},
        {"--use-v2-block-manager", KVB_PLAIN_V2_BLOCKS},
        {"--enable-dbo", KVB_PLAIN_DBO},
        {"--enable-dbo-x", 0},
        {"--all2all-backend deepep_low_latency", KVB_PLAIN_DEEPEP},
        {"--all2all-backend deepep_high_throughput", KVB_PLAIN_DEEPEP | KVB_PLAIN_DEEPEP_PROMPTS},
        {"--all2all-backend nixl_ep", KVB_PLAIN_DEEPEP},
        {"--all2all-backend naive", 0},
        {"--enable-return-routed-experts", KVB_PLAIN_ROUTED_EXPERTS},
        {"--data-parallel-hybrid-lb", KVB_PLAIN_HYBRID_LB},
        {"--data-parallel-external-lb", KVB_PLAIN_EXTERNAL_LB},
        {"--allow-deprecated-quantization", KVB_PLAIN_DEPRECATED},
        {"--distributed-executor-backend ray", KVB_PLAIN_RAY},
        {"--worker-use-ray", KVB_PLAIN_RAY},
        {"--distributed-executor-backend mp", KVB_PLAIN_MP},
        {"--offload-backend prefetch", KVB_PLAIN_PREFETCH},
        {"--offload-backend uva", 0},
        {"--enable-prompt-embeds", KVB_PLAIN_PROMPT_EMBEDS},
        {"--logprobs-mode raw_logits", KVB_PLAIN_LOGPROBS_OF_LOGITS},
        {"--logprobs-mode processed_logits", KVB_PLAIN_LOGPROBS_OF_LOGITS},
        {"--logprobs-mode raw_logprobs", 0},
        {"--kv-sharing-fast-prefill", KVB_PLAIN_SHARED_PREFILL},
        {"--enable-cumem-allocator", KVB_PLAIN_CUMEM},
        {"--specialize-active-lora", KVB_PLAIN_ADAPTER_COUNTS},
        {"--enable-elastic-ep", KVB_PLAIN_ELASTIC_EP},
        {"--distributed-executor-backend external_launcher", KVB_PLAIN_EXTERNAL_LAUNCHER},
        {"--logits-processors a.b:C", KVB_PLAIN_LOGITS_PROCESSORS},
        {"--ec-transfer-config {}", KVB_PLAIN_ENCODER_CACHE_TRANSFER},
    };
    for (size_t i = 0; i < sizeof rows / sizeof rows[0]; i++) {
        char lines[128];
        for (int place = 0; place < 3; place++) { // alone, first, last
            (void)snprintf(lines, sizeof lines, "%s%s%s", place == 2 ? "\n--port 1\n" : "", rows[i].line,
                           place == 1 ? "\n--port 1" : "");
            plain(lines);
            if (plan.plain_flags != (KVB_PLAIN_SERVE_LINE | rows[i].flag)) {
                fail_msg("'%s': %x", lines, plan.plain_flags);
            }
        }
    }
    plain("");
    assert_int_equal(plan.plain_flags, 0);
}

static void numbers(void **state)
{
    (void)state;
    static const struct {
        const char *line;
        enum kvb_plain_number number;
    } rows[] = {
        {"--max-cpu-loras 7", KVB_PLAIN_MAX_CPU_LORAS},
        {"--max_cpu_loras=7", KVB_PLAIN_MAX_CPU_LORAS},
        {"--max-num-partial-prefills 7", KVB_PLAIN_PARTIAL_PREFILLS},
        {"--max-long-partial-prefills 7", KVB_PLAIN_LONG_PARTIAL_PREFILLS},
        {"--long-prefill-token-threshold 7", KVB_PLAIN_LONG_PREFILL_THRESHOLD},
        {"--data-parallel-size-local 7", KVB_PLAIN_DATA_PARALLEL_LOCAL},
        {"-dpl 7", KVB_PLAIN_DATA_PARALLEL_LOCAL},
        {"--data-parallel-rank 7", KVB_PLAIN_DATA_PARALLEL_RANK},
        {"-dpn 7", KVB_PLAIN_DATA_PARALLEL_RANK},
        {"--nnodes 7", KVB_PLAIN_NODES},
        {"-n 7", KVB_PLAIN_NODES},
        {"--num-redundant-experts 7", KVB_PLAIN_REDUNDANT_EXPERTS},
        {"--eplb-config.num-redundant-experts 7", KVB_PLAIN_REDUNDANT_EXPERTS},
        {"--eplb-config {\"window_size\": 9, \"num_redundant_experts\": 7}", KVB_PLAIN_REDUNDANT_EXPERTS},
        {"--num-scheduler-steps 7", KVB_PLAIN_SCHEDULER_STEPS},
        {"--max-num-scheduled-tokens 7", KVB_PLAIN_SCHEDULED_TOKENS},
        {"--speculative-draft-tensor-parallel-size 7", KVB_PLAIN_DRAFT_RANKS},
        {"--speculative-config.draft-tensor-parallel-size 7", KVB_PLAIN_DRAFT_RANKS},
        {"--speculative-config {\"draft_tensor_parallel_size\":7}", KVB_PLAIN_DRAFT_RANKS},
        {"--speculative-config {\"draft_tensor_parallel_size\" : \"7\"}", KVB_PLAIN_DRAFT_RANKS},
        {"--speculative-config {\"draft_tensor_parallel_size\": \" +7 \"}", KVB_PLAIN_DRAFT_RANKS},
        {"--offload-group-size 7", KVB_PLAIN_OFFLOAD_GROUP},
        {"--offload-num-in-group 7", KVB_PLAIN_OFFLOAD_IN_GROUP},
        {"--offload-prefetch-step 7", KVB_PLAIN_OFFLOAD_AHEAD},
        {"--ubatch-size 7", KVB_PLAIN_MICROBATCHES},
        {"--speculative-config.max-model-len 7", KVB_PLAIN_DRAFT_LENGTH},
    };
    for (size_t i = 0; i < sizeof rows / sizeof rows[0]; i++) {
        plain(rows[i].line);
        for (unsigned at = 0; at < sizeof plan.plain_numbers / sizeof plan.plain_numbers[0]; at++) {
            bool set = at == (unsigned)rows[i].number;
            if (plan.plain_numbers[at].set != set || (set && plan.plain_numbers[at].number != 7)) {
                fail_msg("'%s', number %u: %llu", rows[i].line, at, (unsigned long long)plan.plain_numbers[at].number);
            }
        }
    }
    plain("--max-cpu-loras 90");
    assert_int_equal(plan.plain_numbers[KVB_PLAIN_MAX_CPU_LORAS].number, 90);
    plain("--eplb-config {\"a\": 1}\n--other {\"num_redundant_experts\": 7}"); // of another line
    assert_false(plan.plain_numbers[KVB_PLAIN_REDUNDANT_EXPERTS].set);
}

// A draft by EAGLE 3 is named in any flag that begins so, and in no other.
static void eagle3(void **state)
{
    (void)state;
    static const struct {
        const char *line;
        bool named;
    } rows[] = {{"--speculative-config {\"method\": \"eagle3\"}", true},
                {"--spec-method EAGLE3", true},
                {"--speculative-model Eagle3", true},
                {"--speculative-config {\"method\": \"eagle\"}", false},
                {"--served-model-name eagle3", false},
                {"--spec-method ngram\n--served-model-name eagle3", false}};
    for (size_t i = 0; i < sizeof rows / sizeof rows[0]; i++) {
        plain(rows[i].line);
        assert_int_equal((plan.plain_flags & KVB_PLAIN_EAGLE3) != 0, rows[i].named);
    }
}

// What V1 leaves to V0, by the tags of vllm/engine/arg_utils.py _is_v1_supported_oracle that ask for it: the first, the
// last, and the one behind it, of which 0.11.0 has no such question any more; 0.7.3 does not choose yet.
static void left_to_v0(void **state)
{
    (void)state;
    static const struct {
        const char *line, *feature;
        uint32_t first, last, behind;
    } rows[] = {
        {"--load-format sharded_state", "--load_format sharded_state", R(8, 0), R(10, 2), R(11, 0)},
        {"--load-format tensorizer", "--load_format tensorizer", R(8, 0), R(8, 5), R(9, 0)},
        {"--logits-processor-pattern x", "--logits-processor-pattern", R(8, 0), R(10, 2), R(11, 0)},
        {"--preemption-mode swap", "--preemption-mode", R(8, 0), R(10, 2), R(11, 0)},
        {"--disable-async-output-proc", "--disable-async-output-proc", R(8, 0), R(10, 2), R(11, 0)},
        {"--scheduling-policy priority", "--scheduling-policy", R(8, 0), R(9, 1), R(9, 2)},
        {"--scheduler-delay-factor 0.5", "--scheduler-delay-factor", R(8, 0), R(10, 2), R(11, 0)},
        {"--enable-prompt-adapter", "--enable-prompt-adapter", R(8, 0), R(9, 2), R(10, 0)},
        {"--enable-prompt-embeds", "--enable-prompt-embeds", R(9, 0), R(10, 2), R(11, 0)},
        {"--otlp-traces-endpoint x", "--otlp-traces-endpoint", R(8, 0), R(10, 1), R(10, 2)},
        {"--guided-decoding-backend lm-format-enforcer", "--guided-decoding-backend", R(8, 0), R(8, 4), 0},
        {"--guided-decoding-backend lm-format-enforcer", "--guided-decoding-backend=lm-format-enforcer", R(8, 5),
         R(10, 0), R(10, 1)},
        {"--guided-decoding-backend outlines", "--guided-decoding-backend", R(8, 0), R(8, 4), 0},
        {"--guided-decoding-backend outlines", "--guided-decoding-backend=outlines", R(8, 5), R(9, 2), R(10, 0)},
    };
    static const char *const taken[] = {"--scheduling-policy fcfs", "--scheduler-delay-factor 0",
                                        "--scheduler-delay-factor 0.0\n--port 1", "--load-format auto",
                                        "--guided-decoding-backend xgrammar"};
    for (size_t i = 0; i < sizeof rows / sizeof rows[0]; i++) {
        const uint32_t releases[] = {rows[i].first, rows[i].last, rows[i].behind, R(7, 3)};
        for (size_t at = 0; at < 4; at++) {
            plain_at(releases[at], rows[i].line);
            const char *found = plan.v0_feature != NULL ? plan.v0_feature : "";
            if (releases[at] != 0 && strcmp(found, at < 2 ? rows[i].feature : "") != 0) {
                fail_msg("%s at %u: '%s'", rows[i].line, releases[at], found);
            }
        }
    }
    for (size_t i = 0; i < sizeof taken / sizeof taken[0]; i++) {
        plain_at(R(8, 5), taken[i]);
        assert_null(plan.v0_feature);
    }
}

#define EXPERTS (1U << KVB_ROLE_EXPERTS)
#define OF_MLP (EXPERTS | 1U << KVB_ROLE_MLP | 1U << KVB_ROLE_ROUTER | 1U << KVB_ROLE_SHARED_EXPERT)

// uva.py v0.17.0: segments of a parameter's name. How a draft chooses its tokens, speculative.py v0.22.0.
static void words_of_offloading_and_drafts(void **state)
{
    (void)state;
    static const struct {
        const char *line;
        enum kvb_plain_number number;
        uint64_t value; // 0: not set
    } rows[] = {
        {"--cpu-offload-params experts", KVB_PLAIN_OFFLOAD_ROLES, EXPERTS},
        {"--offload_params=w13_weight w2_weight", KVB_PLAIN_OFFLOAD_ROLES, EXPERTS},
        {"--offload-params [\"self_attn\", \"mlp\"]", KVB_PLAIN_OFFLOAD_ROLES, OF_MLP | 1U << KVB_ROLE_ATTENTION},
        {"--offload-params shared_experts", KVB_PLAIN_OFFLOAD_ROLES, 1U << KVB_ROLE_SHARED_EXPERT},
        {"--offload-params experts.w2_weight", KVB_PLAIN_OFFLOAD_ROLES, 0},
        {"--offload-params expert", KVB_PLAIN_OFFLOAD_ROLES, 0},
        {"--offload-params []", KVB_PLAIN_OFFLOAD_ROLES, 0},
        {"--offload-params experts\n--quantization fp8", KVB_PLAIN_OFFLOAD_ROLES, EXPERTS},
        {"--speculative-config {\"draft_sample_method\": \"probabilistic\"}", KVB_PLAIN_DRAFT_SAMPLES, 1},
        {"-sc {\"draft_sample_method\": \"probabilistic\"}", KVB_PLAIN_DRAFT_SAMPLES, 1},
        {"--speculative-config.draft-sample-method probabilistic", KVB_PLAIN_DRAFT_SAMPLES, 1},
        {"--speculative-config {\"draft_sample_method\": \"greedy\"}", KVB_PLAIN_DRAFT_SAMPLES, 0},
        {"--speculative-config {\"method\": \"mtp\"}", KVB_PLAIN_DRAFT_SAMPLES, 0},
        {"--speculative-config {\"max_model_len\": 4096}", KVB_PLAIN_DRAFT_LENGTH, 4096},
        {"--speculative-config.max-model-len 4096", KVB_PLAIN_DRAFT_LENGTH, 4096},
    };
    for (size_t i = 0; i < sizeof rows / sizeof rows[0]; i++) {
        plain(rows[i].line);
        const struct kvb_plain_value *read = &plan.plain_numbers[rows[i].number];
        if (read->set != (rows[i].value > 0) || (read->set && read->number != rows[i].value)) {
            fail_msg("%s: %d %llu", rows[i].line, read->set, (unsigned long long)read->number);
        }
    }
}

// int("-0") is 0.
static void signs_of_numbers(void **state)
{
    (void)state;
    const struct kvb_plain_value *read = &plan.plain_numbers[KVB_PLAIN_DATA_PARALLEL_RANK];
    plain("--data-parallel-rank -0");
    assert_true(read->set && !read->negative && read->number == 0);
    plain("--data-parallel-rank -1");
    assert_true(read->set && read->negative && read->number == 1);
}

static void ranks_of_adapters(void **state)
{
    (void)state;
    static const struct {
        uint32_t first, last;
        const char *ranks;
    } rows[] = {{R(3, 0), R(5, 4), "8, 16, 32, 64"},
                {R(5, 5), R(7, 3), "8, 16, 32, 64, 128, 256"},
                {R(8, 0), R(11, 0), "8, 16, 32, 64, 128, 256, 320, 512"},
                {R(11, 1), R(27, 1), "1, 8, 16, 32, 64, 128, 256, 320, 512"}};
    static const unsigned asked[] = {1, 2, 4, 8, 16, 32, 64, 128, 256, 320, 512, 1024};
    for (size_t i = 0; i < 2 * sizeof rows / sizeof rows[0]; i++) {
        for (size_t at = 0; at < sizeof asked / sizeof asked[0]; at++) {
            char list[64], wanted[16], said[160];
            make_llama_plan(&plan, i % 2 == 0 ? rows[i / 2].first : rows[i / 2].last);
            set(&plan, KVB_SET_ENABLE_LORA, 1);
            set(&plan, KVB_SET_MAX_LORA_RANK, asked[at]);
            (void)answer_into(&plan, &budget);
            (void)snprintf(list, sizeof list, ", %s,", rows[i / 2].ranks);
            (void)snprintf(wanted, sizeof wanted, ", %u,", asked[at]);
            (void)snprintf(said, sizeof said,
                           i / 2 == 3 ? "invalid choice: %u (choose from %s)"
                                      : "max_lora_rank (%u) must be one of (%s)",
                           asked[at], rows[i / 2].ranks);
            if ((strstr(budget.error, said) == NULL) != (strstr(list, wanted) != NULL)) {
                fail_msg("rank %u at %u: '%s'", asked[at], plan.engine.release, budget.error);
            }
        }
    }
}

KVB_TEST_MAIN(cmocka_unit_test(signs_of_numbers), cmocka_unit_test(switches), cmocka_unit_test(numbers),
              cmocka_unit_test(eagle3), cmocka_unit_test(left_to_v0), cmocka_unit_test(words_of_offloading_and_drafts),
              cmocka_unit_test(ranks_of_adapters))
