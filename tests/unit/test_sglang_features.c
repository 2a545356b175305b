// Flags of single features that releases refuse, alone, on a card or for a model. Expected: server_args.py of each
// release at its tag, run with stand-ins for its imports on the same words, on a card of capability 9.0: the sentence
// as far as no value stands in it, "" where it takes the line.
#include "engines/sglang/engine.h"
#include "unit/sglang_judged.h"

static const struct row flags[] = {
    {R(5, 10), "--moe-dp-size 0 --attn-cp-size 1", ""},
    {R(5, 11), "--moe-dp-size 0 --attn-cp-size 1",
     "AssertionError: attn_cp_size != moe_dp_size is only supported when moe"},
    {R(5, 18), "--disaggregation-decode-retraction-backup host_pool",
     "--disaggregation-decode-retraction-backup=host_pool is only supported"},
    {R(5, 18), "--disaggregation-mode decode --disaggregation-decode-retraction-backup host_pool --dcp-size 2",
     "--disaggregation-decode-retraction-backup=host_pool does not support"},
    {R(5, 18), "--disaggregation-mode decode --disaggregation-decode-retraction-backup host_pool", ""},
    {R(5, 18),
     "--disaggregation-mode decode --disaggregation-decode-retraction-backup host_pool --enable-priority-scheduling",
     "--disaggregation-decode-retraction-backup=host_pool requires"},
    {R(5, 18),
     "--disaggregation-mode decode --disaggregation-decode-retraction-backup host_pool --enable-priority-scheduling "
     "--disable-priority-preemption",
     ""},
    {R(5, 18), "--sampling-backend token_oracle", "sglang serve: error: argument --sampling-backend: invalid choice"},
    {R(5, 2), "--moe-runner-backend flashinfer_trtllm",
     "AssertionError: modelopt_fp4 quantization is required for Flashinfer T"},
    {R(5, 2), "--moe-runner-backend flashinfer_trtllm --quantization fp8", ""},
    {R(5, 2), "--moe-runner-backend triton", ""},
    {R(5, 2), "--enable-flashinfer-trtllm-moe",
     "AssertionError: modelopt_fp4 quantization is required for Flashinfer T"},
    {R(5, 9), "--speculative-moe-runner-backend flashinfer_trtllm",
     "AssertionError: Currently speculative MoE runner backend cannot be fla"},
    {R(5, 11), "--speculative-moe-runner-backend flashinfer_trtllm",
     "AssertionError: Currently speculative MoE runner backend doesn't suppo"},
    {R(5, 18), "--enable-expert-distribution-metrics",
     "sglang serve: error: --enable-expert-distribution-metrics is no longer"},
    {R(5, 18), "--mm-preprocess-cache-size-mb -1", "mm_preprocess_cache_size_mb must be non-negative"},
    {R(5, 18), "--mm-process-config {\"image\": 1}", "TypeError: mm_process_config"},
    {R(5, 15), "--speculative-dflash-draft-window-size 0", "--speculative-draft-window-size must be positive"},
    {R(4, 10), "--enable-lora", "AssertionError: When no initial --lora-paths is provided, you need to"},
    {R(4, 10), "--enable-lora --lora-target-modules all all",
     "AssertionError: When no initial --lora-paths is provided, you need to"},
    {R(4, 10), "--disaggregation-mode decode --enable-hierarchical-cache", ""},
    {R(5, 1), "--disaggregation-mode decode --enable-hierarchical-cache",
     "The arguments enable-hierarchical-cache and disable-radix-cache are mu"},
    {R(5, 5), "--model-impl mindspore", ""},
    {R(5, 5), "--moe-runner-backend cutlass --quantization fp8 --ep-size 2",
     "AssertionError: FP8 Cutlass MoE is only supported with ep_size == 1"},
    {R(5, 6), "--model-impl mindspore", "AssertionError: MindSpore model impl is only supported on Ascend npu."},
    {R(5, 6), "--moe-runner-backend flashinfer_cutlass --quantization auto-round",
     "AssertionError: Invalid quantization"},
    {R(5, 7), "--moe-runner-backend flashinfer_trtllm --quantization auto-round",
     "AssertionError: Invalid quantization"},
    {R(5, 9), "--moe-runner-backend cutlass --quantization fp8 --ep-size 2",
     "AssertionError: FP8/MXFP8 Cutlass MoE is only supported with ep_size ="},
    {R(5, 10), "--ssl-ca-certs 2", "--ssl-ca-certs has no effect without --ssl-certfile and --ssl-keyfile."},
    {R(5, 10), "--gc-threshold 2 2 2 2", "When setting gc_threshold, it must contain 1 to 3 integers."},
    {R(5, 10), "--attn-cp-size 2 --enable-aiter-allreduce-fusion",
     "AssertionError: tp_size must be divisible by attn_cp_size"},
    {R(5, 11), "--speculative-algorithm DFLASH --speculative-dflash-block-size 8 --speculative-num-draft-tokens 9",
     "DFLASH speculative decoding requires setting --speculative-draft-model"},
    {R(5, 11), "--speculative-algorithm DFLASH --speculative-dflash-block-size 8 --speculative-num-draft-tokens 7",
     "DFLASH speculative decoding requires setting --speculative-draft-model"},
    {R(5, 11),
     "--disaggregation-mode decode --disaggregation-decode-enable-radix-cache --disaggregation-transfer-backend ascend",
     "--disaggregation-decode-enable-radix-cache currently requires --disagg"},
    {R(5, 12), "--speculative-algorithm DFLASH --speculative-num-draft-tokens 8 --speculative-draft-window-size 7",
     "DFLASH speculative decoding requires setting --speculative-draft-model"},
    {R(5, 13), "--asr-max-buffer-seconds 0", "--asr-max-buffer-seconds must be positive"},
    {R(5, 13), "--asr-max-concurrent-sessions 0", "--asr-max-concurrent-sessions must be positive"},
    {R(5, 13), "--prefill-attention-backend cutedsl_mla", "AssertionError: CuteDSL MLA only supports decoding for now"},
    {R(5, 14), "--enable-int8-mamba-checkpoint --radix-cache-backend 2",
     "--enable-int8-mamba-checkpoint only supports the built-in mamba radix"},
    {R(5, 14),
     "--speculative-use-rejection-sampling --speculative-algorithm EAGLE --speculative-accept-threshold-single 0.5",
     "--speculative-use-rejection-sampling is incompatible with --speculativ"},
    {R(5, 14),
     "--speculative-use-rejection-sampling --speculative-algorithm EAGLE --speculative-accept-threshold-acc 0.5",
     "--speculative-use-rejection-sampling is incompatible with --speculativ"},
    {R(5, 14), "--speculative-use-rejection-sampling --speculative-algorithm EAGLE --enable-deterministic-inference",
     "--speculative-use-rejection-sampling is incompatible with --enable-det"},
    {R(5, 14),
     "--disaggregation-mode decode --disaggregation-decode-enable-radix-cache --disaggregation-transfer-backend fake",
     "--disaggregation-decode-enable-radix-cache is incompatible with --disa"},
    {R(5, 15), "--enable-linear-replayssm --linear-attn-decode-backend cutedsl",
     "--enable-linear-replayssm requires the Triton linear-attn decode backe"},
    {R(5, 15), "--enable-unified-memory --enable-hierarchical-cache", "AssertionError: --enable-"},
    {R(5, 15), "--enable-unified-memory --dcp-size 2", "AssertionError: --enable-"},
    {R(5, 16), "--ep-dispatch-algorithm static --moe-a2a-backend none", ""},
    {R(5, 16), "--elastic-ep-backend mooncake --max-ep-size 0",
     "AssertionError: --max-ep-size must be a positive integer."},
    {R(5, 16), "--elastic-ep-join-mode scale --elastic-ep-join-rank-offset -1",
     "AssertionError: --elastic-ep-join-mode requires --elastic-ep-backend t"},
    {R(5, 16), "--elastic-ep-join-mode scale --node-rank 2",
     "AssertionError: --elastic-ep-join-mode requires --elastic-ep-backend t"},
    {R(5, 16), "--elastic-ep-join-mode scale --elastic-ep-join-rank-offset 0",
     "AssertionError: --elastic-ep-join-mode requires --elastic-ep-backend t"},
    {R(5, 16), "--elastic-ep-rejoin --elastic-ep-join-mode scale", "AssertionError: --elastic-ep-"},
    {R(5, 16), "--grpc-port 0", "--grpc-port / SGLANG_GRPC_PORT"},
    {R(5, 16), "--grpc-port 65536", "--grpc-port / SGLANG_GRPC_PORT"},
    {R(5, 16), "--keep-mm-feature-on-device --mm-feature-transport cpu",
     "--keep-mm-feature-on-device conflicts with --mm-feature-transport"},
    {R(5, 16), "--enable-linear-replayssm --mamba-radix-cache-strategy extra_buffer",
     "--enable-linear-replayssm requires --mamba-radix-cache-strategy no_buf"},
    {R(5, 16), "--disaggregation-mode decode --dcp-size 2 --disaggregation-transfer-backend ascend", ""},
    {R(5, 16), "--disaggregation-mode decode --dcp-size 2 --disaggregation-decode-enable-radix-cache", ""},
    {R(5, 16), "--dcp-size 2 --enable-lmcache --enable-hierarchical-cache", ""},
    {R(5, 16), "--dcp-size 2 --enable-hierarchical-cache --hicache-storage-backend aibrix", ""},
    {R(5, 17), "--ep-dispatch-algorithm static --moe-a2a-backend none", "--ep-dispatch-algorithm"},
    {R(5, 17), "--dwdp-size 2 --disaggregation-mode decode", "AssertionError: dwdp_size"},
    {R(5, 17), "--dwdp-size 2 --enable-eplb", "AssertionError: dwdp_size"},
    {R(5, 17), "--dwdp-size 2 --pp-size 2", "AssertionError: dwdp_size"},
    {R(5, 17), "--dwdp-size 2 --enable-two-batch-overlap", "AssertionError: dwdp_size"},
    {R(5, 17), "--enable-linear-replayssm-spec --speculative-eagle-topk 2",
     "--enable-linear-replayssm-spec requires a linear draft chain (--specul"},
    {R(5, 17), "--enable-linear-replayssm-spec --linear-attn-decode-backend cutedsl",
     "--enable-linear-replayssm-spec requires the triton or flashinfer linea"},
    {R(5, 17), "--enable-linear-replayssm-spec --disaggregation-mode prefill", "--enable-linear-replayssm-spec"},
    {R(5, 17), "--disaggregation-mode decode --dcp-size 2 --disaggregation-transfer-backend ascend",
     "PD decode DCP requires --disaggregation-transfer-backend mooncake or n"},
    {R(5, 17), "--disaggregation-mode decode --dcp-size 2 --disaggregation-decode-enable-radix-cache",
     "PD decode DCP currently requires chunk cache; --disaggregation-decode-"},
    {R(5, 17), "--disaggregation-mode decode --dcp-size 2 --enable-hierarchical-cache",
     "PD decode DCP currently requires chunk cache; --enable-hierarchical-ca"},
    {R(5, 17), "--moe-a2a-backend pplx --moe-runner-backend aiter",
     "AssertionError: moe_a2a_backend='pplx' requires --enable-dp-attention"},
    {R(5, 17), "--dcp-size 2 --enable-lmcache --enable-hierarchical-cache",
     "--enable-lmcache with --dcp-size > 1 is not supported"},
    {R(5, 17), "--dcp-size 2 --enable-hierarchical-cache --hicache-storage-backend aibrix",
     "--hicache-storage-backend (L3) with --dcp-size > 1 is not supported ye"},
    {R(5, 18), "--mm-feature-transport cuda_vmm --pp-size 2",
     "--mm-feature-transport=cuda_vmm does not support pipeline parallelism."},
    {R(5, 18), "--enable-linear-replayssm --linear-attn-decode-backend cutedsl",
     "--enable-linear-replayssm requires Triton, or Helion for KDA, as the l"},
    {R(5, 18), "--enable-unified-memory --speculative-algorithm DFLASH",
     "DFLASH speculative decoding requires setting --speculative-draft-model"},
    {R(5, 18), "--enable-unified-memory --disaggregation-mode decode --disaggregation-transfer-backend ascend",
     "AssertionError: --enable-"},
    {R(5, 18), "--enable-unified-memory --disaggregation-mode decode --pp-size 2", "AssertionError: --enable-"},
    {R(5, 18), "--language-model-only --encoder-only", "--language-model-only cannot be combined with"},
    {R(5, 18), "--moe-runner-backend flashinfer_cutlass --ep-size 2 --tp-size 4 --moe-a2a-backend none",
     "AssertionError: The expert parallel size must be 1 or the same as the"},
};
static const struct row plans[] = {
    {R(5, 9), "--moe-a2a-backend flashinfer",
     "AssertionError: Flashinfer MoE A2A is only supported with flashinfer_cutlass moe"},
    {R(5, 12), "--moe-a2a-backend flashinfer --moe-runner-backend flashinfer_cutlass", ""},
    {R(5, 14), "--moe-a2a-backend flashinfer --tp-size 2 --dp-size 2 --enable-dp-attention",
     "AssertionError: Flashinfer MoE A2A is only supported with flashinfer_cutlass or"},
    {R(5, 18), "--moe-a2a-backend flashinfer --tp-size 2 --dp-size 2 --enable-dp-attention",
     "AssertionError: Flashinfer MoE A2A is only supported with flashinfer_cutlass, flashinfer_cutedsl or"},
    {R(5, 18),
     "--moe-a2a-backend flashinfer --tp-size 2 --dp-size 2 --enable-dp-attention --moe-runner-backend "
     "flashinfer_cutlass",
     ""},
    {R(5, 7), "--dllm-algorithm LowConfidence", "Unknown diffusion LLM"},
    {R(5, 18), "--dllm-algorithm LowConfidence", "Unknown diffusion LLM"},
    {R(5, 1), "--decode-attention-backend trtllm_mla",
     "TRTLLM MLA backend is only supported on Blackwell GPUs (SM100). Please"},
    {R(5, 1), "--prefill-attention-backend trtllm_mha",
     "TRTLLM MHA backend is only supported on Blackwell GPUs (SM100). Please"},
    {R(5, 1), "--decode-attention-backend trtllm_mha",
     "TRTLLM MHA backend is only supported on Blackwell GPUs (SM100). Please"},
    {R(5, 5), "--moe-runner-backend flashinfer_trtllm --quantization auto-round",
     "AssertionError: modelopt_fp4, modelopt_fp8 or fp8 quantization is requ"},
    {R(5, 9), "--decode-attention-backend trtllm_mla",
     "TRTLLM MLA backend is only supported on Blackwell GPUs (SM100/SM12x)."},
    {R(5, 9), "--moe-a2a-backend mori", "AssertionError: SGLANG_MORI_NUM_MAX_DISPATCH_TOKENS_PER_RANK (default"},
    {R(5, 10), "--prefill-attention-backend trtllm_mha",
     "TRTLLM MHA backend for prefill is only supported on Blackwell GPUs (SM"},
    {R(5, 11), "--moe-runner-backend flashinfer_cutedsl --quantization auto-round",
     "AssertionError: Invalid quantization"},
    {R(5, 11), "--moe-a2a-backend mori --disaggregation-mode null",
     "AssertionError: SGLANG_MORI_NUM_MAX_DISPATCH_TOKENS_PER_RANK (default"},
    {R(5, 12), "--attention-backend tokenspeed_mla",
     "tokenspeed_mla backend is only supported on Blackwell GPUs (SM100/SM12"},
    {R(5, 12), "--decode-attention-backend tokenspeed_mla",
     "tokenspeed_mla backend is only supported on Blackwell GPUs (SM100/SM12"},
    {R(5, 13), "--attention-backend cutedsl_mla",
     "CuteDSL MLA backend is only supported on Blackwell GPUs (SM100). Pleas"},
    {R(5, 13), "--decode-attention-backend cutedsl_mla",
     "CuteDSL MLA backend is only supported on Blackwell GPUs (SM100). Pleas"},
    {R(5, 13), "--enable-deepseek-v4-fp4-indexer", "--enable-deepseek-v4-fp4-indexer requires SM100"},
    {R(5, 15), "--enable-unified-memory --attention-backend aiter",
     "AssertionError: --enable-page-major-kv-layout requires the Triton atte"},
    {R(5, 16), "--enable-dsa-cache-layer-split",
     "--enable-dsa-cache-layer-split is only supported for DSA (DeepSeek Spa"},
    {R(5, 17), "--dcp-comm-backend fi_a2a", "--dcp-comm-backend"},
    {R(5, 17), "--enable-cp-decode-attn-tp", "--enable-cp-decode-attn-tp is only supported for models whose attentio"},
    {R(5, 17), "--dcp-size 2 --enable-hierarchical-cache",
     "HiCache with --dcp-size > 1 is only supported for MLA models"},
    {R(5, 18), "--enable-deepseek-v4-fp4-indexer",
     "--enable-deepseek-v4-fp4-indexer requires SM100 or SM120 GPUs with Dee"},
    {R(5, 18), "--quantization nvfp4_online", "--quantization nvfp4_online is supported only on NVIDIA Blackwell SM10"},
    {R(5, 18), "--enable-hisparse", "AssertionError: Hierarchical sparse attention currently requires --dis"},
    {R(5, 18), "--language-model-only", "--language-model-only does not support"},
};

static void alone(void **state)
{
    (void)state;
    for (size_t i = 0; i < sizeof flags / sizeof flags[0]; i++) {
        expect(&flags[i], judged(flags[i].line, flags[i].release));
    }
}

static void on_hopper(void **state)
{
    (void)state;
    for (size_t i = 0; i < sizeof plans / sizeof plans[0]; i++) {
        expect(&plans[i], refused("h100-sxm", plans[i].release, "Qwen/Qwen3-8B", plans[i].line));
    }
}

// The same conditions, where they hold: is_sm100_supported() is capability 10, is_sm120_supported() 12.
static void elsewhere(void **state)
{
    (void)state;
    static const struct {
        const char *gpu, *model, *line;
        uint32_t release;
        bool refused;
    } rows[] = {
        {"b200", "Qwen/Qwen3-8B", "--prefill-attention-backend trtllm_mha", R(5, 9), false},
        {"b200", "Qwen/Qwen3-8B", "--decode-attention-backend trtllm_mha", R(5, 18), false},
        {"h100-sxm", "Qwen/Qwen3-8B", "--decode-attention-backend trtllm_mha", R(5, 10), false},
        {"l40s", "Qwen/Qwen3-8B", "--decode-attention-backend trtllm_mha", R(5, 10), true},
        {"rtx5090", "Qwen/Qwen3-8B", "--prefill-attention-backend trtllm_mha", R(5, 10), true},
        {"rtx5090", "Qwen/Qwen3-8B", "--decode-attention-backend trtllm_mla", R(5, 8), true},
        {"rtx5090", "Qwen/Qwen3-8B", "--decode-attention-backend trtllm_mla", R(5, 9), false},
        {"rtx5090", "Qwen/Qwen3-8B", "--enable-deepseek-v4-fp4-indexer", R(5, 18), false},
        {"h200", "deepseek-ai/DeepSeek-V3.2", "--enable-dsa-cache-layer-split", R(5, 18), false},
        {"h200", "deepseek-ai/DeepSeek-V3", "--enable-dsa-cache-layer-split", R(5, 18), true},
        {"h200", "deepseek-ai/DeepSeek-V3.2", "--enable-hisparse --disable-radix-cache", R(5, 18), false},
        {"h200", "Qwen/Qwen3-8B", "--enable-hisparse --disable-radix-cache", R(5, 18), true},
        {"h200", "deepseek-ai/DeepSeek-V3", "--tp-size 8 --dcp-size 2 --enable-hierarchical-cache", R(5, 18), false},
        {"h200", "deepseek-ai/DeepSeek-V4-Flash", "--enable-cp-decode-attn-tp", R(5, 18), false},
        {"h100-sxm", "openai/gpt-oss-20b", "--tp-size 2 --ep-size 2 --moe-runner-backend triton_kernel", R(5, 9), true},
        {"h100-sxm", "Qwen/Qwen3-8B", "--tp-size 2 --ep-size 2 --moe-runner-backend triton_kernel", R(5, 9), false},
        {"b200", "Qwen/Qwen3-8B", "--moe-runner-backend flashinfer_cutedsl --quantization nvfp4_online", R(5, 18),
         false},
        {"b200", "Qwen/Qwen3-8B", "--moe-runner-backend flashinfer_cutedsl --quantization nvfp4_online", R(5, 17),
         true},
        {"mi300x", "Qwen/Qwen3-8B", "--mm-feature-transport cuda_ipc", R(5, 18), true},
        {"h100-sxm", "Qwen/Qwen3-8B", "--mm-feature-transport cuda_ipc", R(5, 18), false},
        {"h100-sxm", "Qwen/Qwen3-8B-FP8", "--moe-runner-backend flashinfer_cutlass", R(5, 4), false},
        {"h100-sxm", "Qwen/Qwen3-8B", "--moe-runner-backend flashinfer_cutlass", R(5, 4), true},
        {"h100-sxm", "Qwen/Qwen3-8B", "--moe-a2a-backend mori --chunked-prefill-size 4096", R(5, 18), false},
        {"h100-sxm", "Qwen/Qwen3-8B", "--moe-a2a-backend mori --chunked-prefill-size -1", R(5, 18), false},
        {"h100-sxm", "Qwen/Qwen3-8B", "--moe-a2a-backend mori --disaggregation-mode decode", R(5, 18), false},
    };
    for (size_t i = 0; i < sizeof rows / sizeof rows[0]; i++) {
        const char *found = refused(rows[i].gpu, rows[i].release, rows[i].model, rows[i].line);
        if ((found[0] != '\0') != rows[i].refused) {
            fail_msg("row %zu: '%s'", i, found);
        }
    }
}

// What is compared with a chunk may be said by a variable; an error of the parser stays; nobody knows a later release.
static void not_asked(void **state)
{
    (void)state;
    assert_true(kvb_sgl_notes_variable("SGLANG_MORI_NUM_MAX_DISPATCH_TOKENS_PER_RANK"));
    assert_false(kvb_sgl_notes_variable("SGLANG_MORI"));
    resolve("sglang@0.5.18", "h100-sxm", "Qwen/Qwen3-8B --moe-a2a-backend mori");
    strcpy(deployment.environment.noted, "SGLANG_MORI_NUM_MAX_DISPATCH_TOKENS_PER_RANK=16384\n");
    assert_null(kvb_sgl_plan_refusal(&deployment, &plan));
    strcpy(plan.command_error, "x");
    deployment.environment.noted[0] = '\0';
    kvb_sgl_judge_plan(&deployment, &plan);
    assert_string_equal(plan.command_error, "x");
    plan.command_error[0] = '\0';
    plan.engine.assumed = true;
    kvb_sgl_judge_plan(&deployment, &plan);
    assert_string_equal(plan.command_error, "");
    plan.engine.assumed = false;
    kvb_sgl_judge_plan(&deployment, &plan);
    assert_non_null(strstr(plan.command_error, "SGLANG_MORI_NUM_MAX_DISPATCH_TOKENS_PER_RANK"));
}

static bool holds(const char *when, const char *line)
{
    return kvb_sgl_line_holds(when, line, R(5, 18));
}

static void terms(void **state)
{
    (void)state;
    static const char mapping[] = "limit-mm-data-per-request{image|video|audio";
    assert_true(holds(mapping, "\n--limit-mm-data-per-request {\"image\": 1, \"foo\" : 2}"));
    assert_true(holds(mapping, "\n--limit-mm-data-per-request={\"im\\\"age\":1}"));
    assert_false(holds(mapping, "\n--limit-mm-data-per-request {\"image\": {\"foo\": [1]}, \"audio\": \"foo\"}"));
    assert_false(holds(mapping, "\n--limit-mm-data-per-request {\"image\": \"x\""));
    assert_false(holds(mapping, "\n--limit-mm-data-per-request {\"image"));
    assert_false(holds(mapping, "\n--limit-mm-data-per-request {\"image\""));
    assert_false(holds(mapping, "\n--limit-mm-data-per-request {\"image\" "));
    assert_false(holds(mapping, "\n--limit-mm-data-per-request $LIMITS"));
    assert_false(holds(mapping, "\n--tp 2"));
    static const char members[] = "mm-process-config}image|video|audio";
    assert_true(holds(members, "\n--mm-process-config {\"image\": 1}"));
    assert_true(holds(members, "\n--mm-process-config {\"image\": {}, \"audio\":[]}"));
    assert_false(holds(members, "\n--mm-process-config {\"image\": {\"video\": 1}, \"foo\": 1}"));
    assert_true(holds("gc-threshold#3", "\n--gc-threshold 10 2 3 4"));
    assert_true(holds("gc-threshold#1", "\n--gc-threshold=1  2"));
    assert_false(holds("gc-threshold#3", "\n--gc-threshold 1 2 3"));
    assert_false(holds("gc-threshold#0", "\n--gc-threshold"));
    assert_true(holds("enable-lora/lora-paths", "\n--lora-paths a=b"));
    assert_true(holds("enable-lora/lora-paths", "\n--enable-lora"));
    assert_false(holds("enable-lora/lora-paths", "\n--tp 2"));
    assert_true(holds("!enable-lora/lora-paths", "\n--tp 2"));
    assert_false(holds("!enable-lora/lora-paths", "\n--lora-paths a=b"));
}

// A line to paste says what check_lora_server_args asks for (0.4.9.post3); a line that was given has said it.
static void adapters(void **state)
{
    (void)state;
    resolve("sglang@0.5.18", "h100-sxm", "Qwen/Qwen3-8B");
    assert_null(kvb_sglang_engine.unsaid(&plan));
    set_number(&plan, KVB_SET_ENABLE_LORA, 0);
    assert_null(kvb_sglang_engine.unsaid(&plan));
    set_number(&plan, KVB_SET_ENABLE_LORA, 1);
    plan.settings.values[KVB_SET_ENABLE_LORA].set = 0;
    assert_null(kvb_sglang_engine.unsaid(&plan));
    plan.settings.values[KVB_SET_ENABLE_LORA].set = 1;
    assert_string_equal(kvb_sglang_engine.unsaid(&plan), "--lora-target-modules all --max-lora-rank 16");
    set_number(&plan, KVB_SET_MAX_LORA_RANK, 32);
    assert_string_equal(kvb_sglang_engine.unsaid(&plan), "--lora-target-modules all");
    plan.engine.release = R(4, 9) + 3;
    assert_non_null(kvb_sglang_engine.unsaid(&plan));
    plan.engine.release = R(4, 9) + 2;
    assert_null(kvb_sglang_engine.unsaid(&plan));
    plan.engine.release = R(5, 18);
    plan.settings.values[KVB_SET_ENABLE_LORA].origin = KVB_ORIGIN_PROFILE;
    assert_non_null(kvb_sglang_engine.unsaid(&plan));
    plan.settings.values[KVB_SET_ENABLE_LORA].origin = KVB_ORIGIN_COMMAND;
    assert_null(kvb_sglang_engine.unsaid(&plan));
    plan.settings.values[KVB_SET_ENABLE_LORA].origin = KVB_ORIGIN_DEFAULT; // it follows from --lora-paths
    assert_null(kvb_sglang_engine.unsaid(&plan));
}

// server_args.py v0.5.7 to v0.5.12: --language-only asks for --encoder-urls.
static void towers(void **state)
{
    (void)state;
    static const char urls[] = "--encoder-urls http://127.0.0.1:30001";
    resolve("sglang@0.5.12", "h100-sxm", "Qwen/Qwen2.5-VL-7B-Instruct");
    set_number(&plan, KVB_SET_LANGUAGE_MODEL_ONLY, 1);
    assert_string_equal(kvb_sglang_engine.unsaid(&plan), urls);
    set_number(&plan, KVB_SET_ENABLE_LORA, 1);
    assert_string_equal(kvb_sglang_engine.unsaid(&plan),
                        "--lora-target-modules all --max-lora-rank 16 --encoder-urls http://127.0.0.1:30001");
    set_number(&plan, KVB_SET_MAX_LORA_RANK, 32);
    assert_string_equal(kvb_sglang_engine.unsaid(&plan),
                        "--lora-target-modules all --encoder-urls http://127.0.0.1:30001");
    set_number(&plan, KVB_SET_ENABLE_LORA, 0);
    plan.engine.release = R(5, 7);
    assert_string_equal(kvb_sglang_engine.unsaid(&plan), urls);
    plan.engine.release = R(5, 6);
    assert_null(kvb_sglang_engine.unsaid(&plan));
    plan.engine.release = R(5, 13);
    assert_null(kvb_sglang_engine.unsaid(&plan));
    plan.engine.release = R(5, 12);
    plan.settings.values[KVB_SET_LANGUAGE_MODEL_ONLY].origin = KVB_ORIGIN_COMMAND;
    assert_null(kvb_sglang_engine.unsaid(&plan));
}

KVB_TEST_MAIN(cmocka_unit_test(towers), cmocka_unit_test(adapters), cmocka_unit_test(alone),
              cmocka_unit_test(on_hopper), cmocka_unit_test(elsewhere), cmocka_unit_test(not_asked),
              cmocka_unit_test(terms))
