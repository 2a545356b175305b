// Flags of a line that releases refuse together. Expected: server_args.py of each release, run with stand-ins for its
// imports on the same words (ServerArgs and check_server_args): the sentence as far as no value stands in it, "" where
// it takes the line.
#include <stdio.h>
#include <string.h>

#include <kvbudget/input.h>

#include "budget/engine.h"
#include "engines/sglang/serve.h"
#include "engines/sglang/serve_rules.h"
#include "unit/test.h"
#include "unit/words.h"

#define R(minor, patch) KVB_RELEASE(0, minor, patch)

static struct kvb_deployment deployment;

static const char *judged(const char *flags, uint32_t release)
{
    static char out[256];
    static struct words words;
    char line[512];
    struct kvb_problems problems;
    struct kvb_engine engine = {.name = "sglang", .release = release};
    (void)snprintf(line, sizeof line, "python -m sglang.launch_server --model-path Qwen/Qwen3-8B %s", flags);
    words_of(line, &words);
    kvb_problems_init(&problems);
    kvb_deployment_init(&deployment);
    if (kvb_serve_command_read(words.count, words.words, &deployment, &problems) != KVB_OK) {
        fail_msg("%s: %s", flags, problems.items[0].text);
    }
    kvb_sgl_judge(&deployment, &engine, out);
    return out;
}

static void lines(void **state)
{
    (void)state;
    static const struct {
        uint32_t release;
        const char *line, *said;
    } rows[] = {
        {R(4, 6), "--nnodes 2", "AssertionError: tp_size must be divisible by number of nodes"},
        {R(4, 6), "--moe-dense-tp-size 2", "AssertionError: moe_dense_tp_size only support 1 and None currently"},
        {R(4, 6), "--enable-deepep-moe --enable-dp-attention --dp-size 2 --tp-size 2",
         "AssertionError: DeepEP MoE `auto` mode is not supported with DP Attent"},
        {R(4, 6), "--enable-flashmla", "--enable-flashmla is deprecated. Please use '--attention-backend flash"},
        {R(4, 6), "--enable-flashinfer-mla", "--enable-flashinfer-mla is deprecated. Please use '--attention-backend"},
        {R(5, 5), "--nnodes 2 --tp-size 3", "AssertionError: tp_size must be divisible by number of nodes"},
        {R(5, 5), "--nnodes 2 --dp-size 2 --tp-size 2",
         "AssertionError: multi-node data parallel is not supported unless dp at"},
        {R(5, 5), "--base-gpu-id -1", "AssertionError: base_gpu_id must be non-negative"},
        {R(5, 5), "--gpu-id-step 0", "AssertionError: gpu_id_step must be positive"},
        {R(5, 5), "--enable-dp-lm-head --dp-size 2 --tp-size 2",
         "AssertionError: Please enable dp attention when setting enable_dp_lm_h"},
        {R(5, 5), "--enable-dp-lm-head", ""},
        {R(5, 5), "--schedule-conservativeness -0.5", "AssertionError: schedule_conservativeness must be non-negative"},
        {R(5, 5), "--schedule-conservativeness 0.5", ""},
        {R(5, 5), "--enable-pdmux --pp-size 2",
         "AssertionError: PD-Multiplexing is only supported with pipeline parall"},
        {R(5, 5), "--enable-pdmux", "AssertionError: PD-Multiplexing is not compatible with chunked prefill"},
        {R(5, 5), "--enable-pdmux --chunked-prefill-size -1 --disaggregation-mode prefill",
         "AssertionError: PD-Multiplexing is not compatible with disaggregation"},
        {R(5, 5), "--enable-pdmux --chunked-prefill-size -1",
         "AssertionError: PD-Multiplexing is not compatible with overlap schedul"},
        {R(5, 5), "--enable-pdmux --chunked-prefill-size -1 --disable-overlap-schedule", ""},
        {R(5, 5), "--enable-priority-scheduling --schedule-policy lpm",
         "AssertionError: To use priority scheduling, schedule_policy must be 'f"},
        {R(5, 5), "--enable-priority-scheduling", ""},
        {R(5, 5), "--multi-item-scoring-delimiter 0",
         "AssertionError: Multi-item scoring requires radix cache to be disabled"},
        {R(5, 5), "--multi-item-scoring-delimiter 0 --disable-radix-cache",
         "AssertionError: Multi-item scoring requires chunked prefill to be disa"},
        {R(5, 5), "--multi-item-scoring-delimiter 0 --disable-radix-cache --chunked-prefill-size -1", ""},
        {R(5, 5), "--enable-tokenizer-batch-encode --enable-dynamic-batch-tokenizer",
         "Cannot enable both --enable-tokenizer-batch-encode and --enable-dynami"},
        {R(5, 5), "--enable-lora --lora-target-modules q_proj --max-lora-rank 8", ""},
        {R(5, 5), "--lora-paths a=b --max-loaded-loras 4",
         "AssertionError: max_loaded_loras should be greater than or equal to ma"},
        {R(5, 5), "--lora-paths a=b --max-loaded-loras 8", ""},
        {R(5, 5), "--disaggregation-decode-enable-offload-kvcache",
         "The argument disaggregation-decode-enable-offload-kvcache is only supp"},
        {R(5, 5), "--disaggregation-mode decode --disaggregation-decode-tp 2",
         "AssertionError: Cannot set --disaggregation-decode-tp for the decode e"},
        {R(5, 5), "--disaggregation-mode decode --disaggregation-decode-dp 2",
         "AssertionError: Cannot set --disaggregation-decode-dp for the decode e"},
        {R(5, 5), "--disaggregation-mode decode --dp-size 2",
         "AssertionError: Prefill round robin balance is required when dp size >"},
        {R(5, 5), "--prompt-tokens-buckets x", "AssertionError: Unsupported --prompt-tokens-buckets rule type"},
        {R(5, 5), "--prompt-tokens-buckets default", ""},
        {R(5, 5), "--generation-tokens-buckets x", "AssertionError: Unsupported --generation-tokens-buckets rule type"},
        {R(5, 18), "--moe-dense-tp-size 2 --tp-size 4",
         "AssertionError: moe_dense_tp_size only supports None, 1, or tp_size cu"},
        {R(5, 18), "--moe-dense-tp-size 8 --tp-size 4",
         "AssertionError: moe_dense_tp_size only supports None, 1, or tp_size cu"},
        {R(5, 18), "--moe-dense-tp-size 4 --tp-size 4", ""},
        {R(5, 18), "--moe-dp-size 2 --tp-size 2",
         "AssertionError: attn_cp_size != moe_dp_size is only supported when moe"},
        {R(5, 18), "--moe-dp-size 2 --attn-cp-size 4 --tp-size 4",
         "AssertionError: attn_cp_size != moe_dp_size is only supported when moe"},
        {R(5, 18), "--dcp-size 0", "Decode context parallel size (--dcp-size / --decode-context-parallel-s"},
        {R(5, 18), "--dcp-replicate-q-proj", "--dcp-replicate-q-proj requires --dcp-size > 1."},
        {R(5, 18), "--dcp-comm-backend a2a", "--dcp-comm-backend "},
        {R(5, 18), "--dcp-comm-backend ag_rs", ""},
        {R(5, 18), "--elastic-ep-join-mode scale",
         "AssertionError: --elastic-ep-join-mode requires --elastic-ep-backend t"},
        {R(5, 18), "--elastic-ep-join-rank-offset 2",
         "AssertionError: --elastic-ep-join-rank-offset is only valid with --ela"},
        {R(5, 18), "--max-ep-size 4", "AssertionError: --max-ep-size requires --elastic-ep-backend to be set."},
        {R(5, 18), "--mm-processor-worker-num -1", "AssertionError: Multimodal processor worker num must >= 0"},
        {R(5, 18), "--mm-io-worker-num -1", "AssertionError: Multimodal I/O worker num must >= 0"},
        {R(5, 18), "--prefill-only-disable-kv-cache --is-embedding",
         "--prefill-only-disable-kv-cache requires --chunked-prefill-size=-1"},
        {R(5, 18), "--kv-canary-sweep-interval 4", "--kv-canary-sweep-interval requires --kv-canary in {log, raise}"},
        {R(5, 18), "--enable-hisparse", "AssertionError: Hierarchical sparse attention currently requires --dis"},
        {R(5, 18), "--mamba-cache-philox-rounds -1", "--mamba-cache-philox-rounds must be non-negative."},
        {R(5, 18), "--mamba-max-states-per-path 0",
         "--mamba-max-states-per-path must be -1 (unlimited) or a positive integ"},
        {R(5, 18), "--mamba-max-states-per-path -1", ""},
        {R(5, 18), "--enable-page-major-kv-layout",
         "AssertionError: --enable-page-major-kv-layout requires the Triton atte"},
        {R(5, 18), "--enable-mamba-cache-stochastic-rounding",
         "Stochastic rounding for the Mamba SSM cache requires --mamba-ssm-dtype"},
        {R(5, 18), "--enable-quant-communications", "Communications quantization is only "},
        {R(5, 18), "--elastic-ep-initial-size 2",
         "AssertionError: --elastic-ep-initial-size is only valid for an Elastic"},
        {R(5, 18), "--dwdp-size 2", "AssertionError: dwdp_size "},
        {R(5, 18), "--dwdp-size 2 --tp-size 4", "AssertionError: dwdp_size "},
        {R(5, 18), "--moe-a2a-backend flashinfer",
         "AssertionError: Flashinfer MoE A2A is only supported with dp_size == t"},
        {R(5, 18), "--moe-a2a-backend pplx", "AssertionError: moe_a2a_backend='pplx' requires --enable-dp-attention"},
        {R(5, 18), "--enable-prefill-cp", "--cp-strategy must be set when --enable-prefill-cp is enabled."},
        {R(5, 18), "--encoder-only --language-only", "Cannot set --encoder-only and --language-only together"},
        {R(5, 18), "--retraction-policy priority",
         "--retraction-policy priority requires --enable-priority-scheduling"},
        {R(5, 18), "--sidecar-args [\"x\"]", "--sidecar-args requires --sidecar."},
        {R(5, 18), "--grpc-port 50051 --api-key x", "--grpc-port is incompatible with --api-key/--admin-api-key"},
        {R(5, 18), "--linear-attn-decode-backend flashkda",
         "--linear-attn-decode-backend flashkda is not supported: FlashKDA is pr"},
        {R(5, 18), "--enable-int8-mamba-checkpoint --enable-hierarchical-cache",
         "--enable-int8-mamba-checkpoint is not supported together with --enable"},
        {R(5, 18), "--served-model-name a:b", "AssertionError: served_model_name cannot contain a colon (':') charact"},
        {R(5, 18), "--served-model-name ab", ""},
        {R(5, 18), "--pp-size 2 --min-free-slots-delay 1",
         "AssertionError: --min-free-slots-delay is not supported with pipeline"},
        {R(5, 18), "--enable-mis", "AssertionError: Multi-item scoring requires flashinfer attention backe"},
        {R(5, 12), "--attn-cp-size 3 --tp-size 2", "AssertionError: tp_size must be divisible by attn_cp_size"},
        {R(5, 12), "--moe-data-parallel-size 2", "AssertionError: tp_size must be divisible by moe_dp_size"},
        {R(5, 12), "--moe-dp-size 2 --tp 2 --pp-size 2",
         "AssertionError: PP is not supported with context parallelism"},
        {R(5, 12), "--pp-max-micro-batch-size 0",
         "AssertionError: pp_max_micro_batch_size must be a positive integer or"},
        {R(5, 12), "--elastic-ep-rejoin", "AssertionError: Elastic EP rejoin requires elastic_ep_backend to be se"},
        {R(5, 12), "--detokenizer-worker-num 0", "AssertionError: Detokenizer worker num must >= 1"},
        {R(5, 12), "--disable-cuda-graph-padding --enable-torch-compile",
         "AssertionError: --disable-cuda-graph-padding is incompatible with --en"},
        {R(5, 12), "--disaggregation-mode decode --disaggregation-decode-enable-offload-kvcache",
         "The argument disaggregation-decode-enable-offload-kvcache is only supp"},
        {R(5, 12), "--disaggregation-mode prefill --disaggregation-transfer-backend fake",
         "AssertionError: Prefill server does not support 'fake' as the transfer"},
        {R(5, 12), "--speculative-skip-dp-mlp-sync",
         "AssertionError: --speculative-skip-dp-mlp-sync is only supported with"},
        {R(5, 12), "--speculative-algorithm DFLASH",
         "DFLASH speculative decoding requires setting --speculative-draft-model"},
        {R(5, 12), "--speculative-algorithm DFLASH --speculative-draft-model-path x --speculative-dflash-block-size 0",
         "DFLASH requires --speculative-dflash-block-size to be positive"},
        {R(5, 12), "--enable-prefix-mm-cache", "--enable-prefix-mm-cache requires --encoder-only to be enabled"},
        {R(5, 12), "--prefill-only-disable-kv-cache",
         "--prefill-only-disable-kv-cache currently requires --is-embedding."},
        {R(5, 12), "--export-metrics-to-file",
         "--export-metrics-to-file-dir is required when --export-metrics-to-file"},
        {R(5, 12), "--ssl-certfile x", "--ssl-certfile requires --ssl-keyfile to be specified as well."},
        {R(5, 12), "--ssl-keyfile x", "--ssl-keyfile requires --ssl-certfile to be specified as well."},
        {R(5, 12), "--enable-ssl-refresh", "--enable-ssl-refresh requires --ssl-certfile and --ssl-keyfile to be s"},
        {R(5, 12), "--ssl-keyfile-password x",
         "--ssl-keyfile-password has no effect without --ssl-certfile and --ssl-"},
        {R(5, 2), "--enable-dp-lm-head", "AssertionError: Please enable dp attention when setting enable_dp_lm_h"},
        {R(5, 2), "--enable-dp-lm-head --dp-size 2 --tp-size 2",
         "AssertionError: Please enable dp attention when setting enable_dp_lm_h"},
        {R(5, 2), "--tokenizer-worker-num 0", "AssertionError: Tokenizer worker num must >= 1"},
        {R(5, 2), "--tokenizer-worker-num 2", ""},
        {R(5, 2), "--generation-tokens-buckets x", "AssertionError: Unsupported --generation-tokens-buckets rule type"},
        {R(5, 2), "--moe-runner-backend flashinfer_cutlass",
         "AssertionError: modelopt_fp4 quantization is required for Flashinfer M"},
        {R(4, 10), "--pp-size 2 --enable-mixed-chunk",
         "AssertionError: Pipeline parallelism is not compatible with overlap sc"},
        {R(4, 10), "--enable-flashinfer-trtllm-moe", "AssertionError: EP MoE is required for Flashinfer TRTLLM MOE"},
        {R(4, 10), "--enable-flashinfer-cutlass-moe",
         "AssertionError: modelopt_fp4 quantization is required for Flashinfer M"},
        {R(5, 15), "--enable-session-radix-cache",
         "--enable-session-radix-cache requires --radix-eviction-policy priority"},
    };
    for (size_t i = 0; i < sizeof rows / sizeof rows[0]; i++) {
        const char *found = judged(rows[i].line, rows[i].release);
        size_t length = strlen(rows[i].said);
        if (strncmp(found, rows[i].said, length) != 0 || (length == 0) != (found[0] == '\0')) {
            fail_msg("0.%u.%u %s: '%s'", (unsigned)(rows[i].release >> 16 & 0xFF),
                     (unsigned)(rows[i].release >> 8 & 0xFF), rows[i].line, found);
        }
    }
}

// A rule's sentence stands in a release's text from `since` to `until`; one before and behind takes the line.
static void releases(void **state)
{
    (void)state;
    assert_string_equal(judged("--schedule-conservativeness -1", R(5, 4) + 3), "");
    assert_string_equal(judged("--schedule-conservativeness -1", R(5, 5)),
                        "AssertionError: schedule_conservativeness must be non-negative");
    assert_string_equal(judged("--moe-dense-tp-size 4 --tp 4", R(5, 13)), "");
    assert_true(strstr(judged("--moe-dense-tp-size 4 --tp 4", R(5, 12)), "1 and None") != NULL);
}

static bool holds(const char *when, const char *line)
{
    return kvb_sgl_line_holds(when, line, R(5, 5));
}

static void terms(void **state)
{
    (void)state;
    static const char line[] =
        "\n--tp 4\n--enable-pdmux\n--watchdog-timeout -0.5\n--dist-timeout $X\n--cuda-graph-bs 1 2"
        "\n--tp=8\n--chat-template x:y\n--dtype\n-x 1\n--unheard 1\n--nccl-port 99999999999999999999";
    static const char *const true_terms[] = {
        "",
        "tp-size",
        "tp-size=8",
        "tp-size=4|8",
        "tp-size^4|16",
        "enable-pdmux",
        "!pp-size",
        "pp-size=1",
        "pp-size<2",
        "tp-size>pp-size",
        "nnodes=1 tp-size>7",
        "tp-size%3",
        "watchdog-timeout<0",
        "chat-template~:",
        "cuda-graph-bs=1",
        "quantization=none",
        "quantization^fp8",
        "nccl-port>1000",
        "device^npu",
        "tp-size<nccl-port",
        "dtype^float16",
    };
    static const char *const false_terms[] = {
        "pp-size",
        "!tp-size",
        "tp-size=4",
        "tp-size^8",
        "tp-size^4|8",
        "tp-size<8",
        "tp-size>8",
        "tp-size%4",
        "tp-size%dcp-size",
        "watchdog-timeout>0",
        "dist-timeout<5",
        "dist-timeout=none",
        "quantization=fp8",
        "chat-template~;",
        "device~n",
        "chat-template<5",
        "tp-size<seed",
        "seed<5",
        "enable-pdmux pp-size",
        "dtype=float16",
    };
    for (size_t i = 0; i < sizeof true_terms / sizeof true_terms[0]; i++) {
        if (!holds(true_terms[i], line)) {
            fail_msg("'%s' does not hold", true_terms[i]);
        }
    }
    for (size_t i = 0; i < sizeof false_terms / sizeof false_terms[0]; i++) {
        if (holds(false_terms[i], line)) {
            fail_msg("'%s' holds", false_terms[i]);
        }
    }
    assert_true(holds("tp-size%nnodes", "\n--nnodes 0")); // ZeroDivisionError
    assert_false(holds("watchdog-timeout<0", "\n--watchdog-timeout 0.5"));
}

// A flag of several values whose name nothing here counts takes them all.
static void several(void **state)
{
    (void)state;
    assert_string_equal(judged("--bucket-time-to-first-token 0.1 2 --tp 2", R(5, 5)), "");
    assert_int_equal(deployment.settings.values[KVB_SET_TENSOR_PARALLEL_SIZE].number, 2);
    assert_true(kvb_sgl_takes_several("--lora-target-modules"));
    assert_false(kvb_sgl_takes_several("--watchdog-timeout"));
    assert_false(kvb_sgl_takes_several("--unheard-of"));
    assert_false(kvb_sgl_takes_several("-x"));
}

KVB_TEST_MAIN(cmocka_unit_test(lines), cmocka_unit_test(releases), cmocka_unit_test(terms), cmocka_unit_test(several))
