// Ranks multiplied, groups of experts that grow, bounds of histograms, caches of four bits, towers apart and tokens of
// an exchange. Expected: as test_sglang_features.c.
#include "engines/sglang/engine.h"
#include "engines/sglang/say.h"
#include "unit/sglang_judged.h"

static const struct row flags[] = {
    {R(5, 8), "--prompt-tokens-buckets custom 1 x",
     "AssertionError: --prompt-tokens-buckets custom rule bucket values must"},
    {R(5, 9), "--tp-size 4 --dp-size 2 --attn-cp-size 4",
     "AssertionError: tp_size must be divisible by dp_size * attn_cp_size"},
    {R(5, 9), "--tp-size 4 --dp-size 2 --attn-cp-size 2", ""},
    {R(5, 18), "--tp-size 4 --dp-size 2 --attn-cp-size 4",
     "AssertionError: tp_size must be divisible by dp_size * attn_cp_size"},
    {R(5, 9), "--tp-size 4 --moe-dp-size 2 --attn-cp-size 2 --ep-size 4",
     "AssertionError: ep_size * moe_dp_size must be less than or equal to tp"},
    {R(5, 18), "--tp-size 8 --moe-dp-size 2 --attn-cp-size 2 --ep-size 2",
     "AssertionError: ep_size * moe_dp_size must be equal to tp_size"},
    {R(5, 18), "--tp-size 8 --moe-dp-size 2 --attn-cp-size 2 --ep-size 4", ""},
    {R(5, 18), "--tp-size 8 --moe-dp-size 2 --attn-cp-size 2", ""},
    {R(5, 1), "--enable-lora --lora-paths a=b c=d --max-loaded-loras 1 --max-loras-per-batch 1",
     "AssertionError: The number of LoRA paths should not exceed max_loaded_"},
    {R(5, 18), "--enable-lora --lora-paths a=b c=d --max-loaded-loras 1 --max-loras-per-batch 1",
     "AssertionError: The number of LoRA paths should not exceed max_loaded_"},
    {R(5, 18), "--enable-lora --lora-paths a=b c=d --max-loaded-loras 2 --max-loras-per-batch 1", ""},
    {R(5, 18), "--enable-lora --lora-paths a=b c=d", ""},
    {R(5, 8), "--enable-lora --lora-paths a=b --max-loaded-loras 17 --enable-lora-overlap-loading",
     "AssertionError: Enabling LoRA overlap loading requires pinning LoRA ad"},
    {R(5, 18), "--enable-lora --lora-paths a=b --max-loaded-loras 16 --enable-lora-overlap-loading", ""},
    {R(5, 18),
     "--enable-lora --lora-paths a=b --max-loaded-loras 5 --max-loras-per-batch 2 --enable-lora-overlap-loading",
     "AssertionError: Enabling LoRA overlap loading requires pinning LoRA ad"},
    {R(5, 18), "--elastic-ep-backend nixl --max-ep-size 2 --tp-size 2", ""},
    {R(5, 18), "--elastic-ep-backend nixl --max-ep-size 1 --tp-size 2 --elastic-ep-initial-size 2",
     "AssertionError: --elastic-ep-initial-size is only valid for an Elastic"},
    {R(5, 18), "--elastic-ep-backend nixl --max-ep-size 4 --tp-size 2 --elastic-ep-scale-timeout 0",
     "AssertionError: --elastic-ep-scale-timeout must be greater than zero."},
    {R(5, 18), "--elastic-ep-backend nixl --max-ep-size 4 --tp-size 2 --tokenizer-worker-num 2",
     "AssertionError: Elastic EP runtime scale-up currently requires --token"},
    {R(5, 18), "--elastic-ep-backend nixl --max-ep-size 4 --tp-size 2 --use-ray",
     "AssertionError: Elastic EP runtime scale-up does not support --use-ray"},
    {R(5, 16), "--elastic-ep-backend nixl --max-ep-size 4 --tp-size 2 --enable-elastic-expert-backup",
     "AssertionError: Elastic EP runtime scale-up does not support --enable-"},
    {R(5, 18),
     "--elastic-ep-backend nixl --max-ep-size 4 --tp-size 2 --elastic-ep-join-mode scale --node-rank 1 "
     "--elastic-ep-join-rank-offset 2 --nnodes 2",
     "AssertionError: Elastic EP scale joiners require --elastic-ep-initial-"},
    {R(5, 18),
     "--elastic-ep-backend nixl --max-ep-size 4 --tp-size 2 --elastic-ep-join-mode scale --node-rank 1 "
     "--elastic-ep-join-rank-offset 2 --nnodes 2 --elastic-ep-initial-size 3",
     "AssertionError: --elastic-ep-initial-size cannot exceed the current EP"},
    {R(5, 18),
     "--elastic-ep-backend nixl --max-ep-size 4 --elastic-ep-join-mode scale --node-rank 1 "
     "--elastic-ep-join-rank-offset 2 --nnodes 2 --elastic-ep-initial-size 2",
     "AssertionError: A single-rank Elastic EP joining group requires --moe-"},
    {R(5, 18), "--elastic-ep-backend nixl --max-ep-size 4 --tp-size 2 --elastic-ep-initial-size 1",
     "AssertionError: The primary --elastic-ep-initial-size must equal its l"},
    {R(5, 18), "--elastic-ep-backend nixl --max-ep-size 4 --tp-size 2 --elastic-ep-initial-size 3",
     "AssertionError: The primary --elastic-ep-initial-size must equal its l"},
    {R(5, 18), "--elastic-ep-backend nixl --max-ep-size 4 --tp-size 2 --load-balance-method total_tokens",
     "AssertionError: Elastic EP scale-up requires --load-balance-method rou"},
    {R(5, 16), "--elastic-ep-backend nixl --max-ep-size 4 --tp-size 2",
     "AssertionError: Elastic EP runtime scale-up requires --elastic-ep-back"},
    {R(5, 9), "--language-only", "requires at least one encoder urls to be set via --encoder-urls"},
    {R(5, 9), "--language-only --encoder-urls a:1", ""},
    {R(5, 9), "--encoder-only", ""},
    {R(5, 18), "--enable-http2 --http2-max-concurrent-streams 0",
     "--http2-max-concurrent-streams must be between 1 and 4294967295."},
    {R(5, 12),
     "--prefill-only-disable-kv-cache --is-embedding --disable-radix-cache --chunked-prefill-size -1 --tp-size 2 "
     "--attn-cp-size 2",
     "--prefill-only-disable-kv-cache is incompatible with --attn-cp-size >"},
    {R(5, 18),
     "--prefill-only-disable-kv-cache --is-embedding --disable-radix-cache --chunked-prefill-size -1 --enable-hisparse",
     "--prefill-only-disable-kv-cache is incompatible with --enable-hisparse"},
    {R(5, 2), "--prompt-tokens-buckets customer 1", ""},
    {R(5, 2), "--prompt-tokens-buckets custom 1", "AssertionError: Unsupported --prompt-tokens-buckets rule type"},
    {R(5, 2), "--prompt-tokens-buckets customer",
     "AssertionError: --prompt-tokens-buckets customer rule requires at leas"},
    {R(5, 5), "--prompt-tokens-buckets customer 1", "AssertionError: Unsupported --prompt-tokens-buckets rule type"},
    {R(5, 5), "--prompt-tokens-buckets default", ""},
    {R(5, 7), "--prompt-tokens-buckets default 1",
     "AssertionError: --prompt-tokens-buckets default rule should only have"},
    {R(5, 10), "--prompt-tokens-buckets tse 1 2",
     "AssertionError: --prompt-tokens-buckets TSE rule requires exactly 4 pa"},
    {R(5, 10), "--prompt-tokens-buckets tse 1 2 3", ""},
    {R(5, 10), "--prompt-tokens-buckets=tse", "AssertionError: --prompt-tokens-buckets TSE rule requires exactly 4 pa"},
    {R(5, 12), "--generation-tokens-buckets tse 1 2 3.5",
     "AssertionError: --generation-tokens-buckets TSE rule parameters must b"},
    {R(5, 12), "--generation-tokens-buckets tse x 2 3",
     "AssertionError: --generation-tokens-buckets TSE rule parameters must b"},
    {R(5, 12), "--generation-tokens-buckets tse 1 x 3",
     "AssertionError: --generation-tokens-buckets TSE rule parameters must b"},
    {R(5, 12), "--generation-tokens-buckets tse 1 nan 3",
     "AssertionError: --generation-tokens-buckets TSE base must be larger th"},
    {R(5, 15), "--generation-tokens-buckets tse 1 1 1",
     "AssertionError: --generation-tokens-buckets TSE base must be larger th"},
    {R(5, 15), "--generation-tokens-buckets tse 0 2 1",
     "AssertionError: --generation-tokens-buckets TSE middle must be positiv"},
    {R(5, 15), "--generation-tokens-buckets tse 1 2 0",
     "AssertionError: --generation-tokens-buckets TSE count must be positive"},
    {R(5, 18), "--generation-tokens-buckets custom 1 -1",
     "AssertionError: --generation-tokens-buckets custom rule bucket values"},
    {R(5, 18), "--generation-tokens-buckets custom nan 1",
     "AssertionError: --generation-tokens-buckets custom rule bucket values"},
    {R(5, 18), "--generation-tokens-buckets custom 1 1.0",
     "AssertionError: --generation-tokens-buckets custom rule bucket values"},
    {R(5, 18), "--generation-tokens-buckets custom inf 1", ""},
    {R(5, 18), "--generation-tokens-buckets custom 1 inf", ""},
    {R(5, 18), "--generation-tokens-buckets custom 0 2 30", ""},
    {R(5, 18), "--generation-tokens-buckets custom",
     "AssertionError: --generation-tokens-buckets custom rule requires at le"},
    {R(5, 18), "--generation-tokens-buckets custom 1 x",
     "AssertionError: --generation-tokens-buckets custom rule bucket values"},
    {R(5, 18), "--prompt-tokens-buckets xyz 1", "AssertionError: Unsupported --prompt-tokens-buckets rule type"},
    // a host's pool of a share of the device's: int(device_pool.size * ratio), which has to be above it before 0.5.15
    {R(5, 9), "--hicache-ratio -1", ""},
    {R(5, 9), "--enable-hierarchical-cache --hicache-ratio -1", "AssertionError: The host memory should be larger"},
    {R(5, 9), "--enable-hierarchical-cache --hicache-ratio 0", "AssertionError: The host memory should be larger"},
    {R(5, 9), "--enable-hierarchical-cache --hicache-ratio -1 --hicache-size 2", ""},
    {R(5, 9), "--enable-hierarchical-cache --hicache-ratio 2", ""},
    {R(5, 15), "--enable-hierarchical-cache --hicache-ratio 0", ""},
    {R(5, 15), "--enable-hierarchical-cache --hicache-ratio -0.5",
     "RuntimeError: Trying to create tensor with negative"},
    // beside the package, which one may have
    {R(5, 11), "--enable-http2 --tokenizer-worker-num 2", "--enable-http2 does not yet support --tokenizer-worker-num"},
    {R(5, 14), "--enable-http2 --tokenizer-worker-num 2", ""},
};
static const struct row plans[] = {
    {R(5, 6), "--kv-cache-dtype fp4_e2m1", ""},
    {R(5, 7), "--kv-cache-dtype fp4_e2m1", "AssertionError: KV4 MHA expects attention_backend to be one of"},
    {R(5, 9), "--kv-cache-dtype fp4_e2m1 --attention-backend triton", ""},
    {R(5, 9), "--kv-cache-dtype fp4_e2m1 --attention-backend torch_native", ""},
    {R(5, 10), "--kv-cache-dtype fp4_e2m1 --attention-backend flashinfer",
     "AssertionError: KV4 MHA expects attention_backend to be one of"},
    {R(5, 9), "--kv-cache-dtype fp4_e2m1 --prefill-attention-backend fa4",
     "AssertionError: KV4 FA4 MHA expects decode_attention_backend to be one"},
    {R(5, 9), "--kv-cache-dtype fp4_e2m1 --decode-attention-backend triton", ""},
    {R(5, 9), "--kv-cache-dtype fp4_e2m1 --prefill-attention-backend fa4 --decode-attention-backend triton", ""},
    {R(5, 15), "--kv-cache-dtype fp4_e2m1 --attention-backend flashinfer",
     "AssertionError: KV4 MHA expects attention_backend to be one of"},
    {R(5, 16), "--kv-cache-dtype fp4_e2m1 --attention-backend flashinfer", ""},
    {R(5, 18), "--kv-cache-dtype fp4_mx_block16", "AssertionError: KV4 MHA expects attention_backend to be one of"},
    {R(5, 18), "--kv-cache-dtype fp4_mx_block16 --attention-backend triton", ""},
    {R(5, 18), "--kv-cache-dtype fp4_mx_block16 --attention-backend fa4",
     "AssertionError: KV4 FA4 MHA expects decode_attention_backend to be one"},
    {R(5, 18), "--kv-cache-dtype fp4_mx_block16 --attention-backend fa4 --decode-attention-backend triton", ""},
    {R(5, 18), "--kv-cache-dtype fp4_mx_block16 --prefill-attention-backend fa4",
     "AssertionError: KV4 FA4 MHA expects decode_attention_backend to be one"},
    {R(5, 9), "--moe-a2a-backend mori --tp-size 4 --dp-size 4 --enable-dp-attention --chunked-prefill-size 16384", ""},
    {R(5, 9), "--moe-a2a-backend mori --tp-size 4 --dp-size 4 --enable-dp-attention --chunked-prefill-size 20480",
     "AssertionError: SGLANG_MORI_NUM_MAX_DISPATCH_TOKENS_PER_RANK (default"},
    {R(5, 18), "--moe-a2a-backend mori --tp-size 4 --dp-size 4 --enable-dp-attention --chunked-prefill-size 20480",
     "AssertionError: SGLANG_MORI_NUM_MAX_DISPATCH_TOKENS_PER_RANK (default"},
    {R(5, 18),
     "--moe-a2a-backend pplx --tp-size 2 --dp-size 2 --enable-dp-attention --chunked-prefill-size 256 "
     "--cuda-graph-max-bs 128",
     ""},
    {R(5, 18),
     "--moe-a2a-backend pplx --tp-size 2 --dp-size 2 --enable-dp-attention --chunked-prefill-size 258 "
     "--cuda-graph-max-bs 128",
     "AssertionError: SGLANG_PPLX_NUM_MAX_DISPATCH_TOKENS_PER_RANK (default"},
    {R(5, 18), "--moe-a2a-backend pplx --tp-size 2 --dp-size 2 --enable-dp-attention --disaggregation-mode decode", ""},
    {R(5, 18), "--moe-a2a-backend pplx --tp-size 2 --dp-size 2 --enable-dp-attention",
     "AssertionError: SGLANG_PPLX_NUM_MAX_DISPATCH_TOKENS_PER_RANK (default"},
    {R(5, 15),
     "--moe-a2a-backend flashinfer --moe-runner-backend flashinfer_cutedsl --quantization modelopt_fp4 --tp-size 2 "
     "--dp-size 2 --enable-dp-attention",
     "FlashInfer MoE A2A with flashinfer_cutedsl requires SGLANG_FLASHINFER_"},
    {R(5, 18),
     "--moe-a2a-backend flashinfer --moe-runner-backend flashinfer_cutedsl --quantization modelopt_fp4 --tp-size 2 "
     "--dp-size 2 --enable-dp-attention --disaggregation-mode decode",
     ""},
    {R(5, 18),
     "--moe-a2a-backend flashinfer --moe-runner-backend flashinfer_cutedsl --quantization modelopt_fp4 --tp-size 2 "
     "--dp-size 2 --enable-dp-attention --max-prefill-tokens 2048 --chunked-prefill-size 2048",
     ""},
    {R(5, 10), "--encoder-only", "Model type"},
    {R(5, 11), "--encoder-only", "Model type"},
    {R(5, 12), "--language-only --encoder-urls a:1", "Model type"},
    {R(5, 13), "--language-only", "Model type"},
    {R(5, 18), "--encoder-only", "Model type"},
    {R(5, 15), "--enable-mamba-cache-stochastic-rounding --mamba-ssm-dtype float16",
     "Stochastic rounding for the Mamba SSM cache with --mamba-backend trito"},
    {R(5, 18), "--enable-mamba-cache-stochastic-rounding --mamba-ssm-dtype float16 --mamba-backend flashinfer", ""},
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

// _handle_kv4_compatibility (0.5.7): latents have a list of their own, shorter from 0.5.16 on; Blackwell's own kernels
// are in it. _handle_encoder_disaggregation (0.5.10): lists of classes. States:
// _handle_mamba_radix_cache, run for the class of Qwen3-Next.
static void elsewhere(void **state)
{
    (void)state;
    static const struct {
        const char *gpu, *model, *line, *said;
        uint32_t release;
    } rows[] = {
        {"mi300x", "Qwen/Qwen3-8B", "--kv-cache-dtype fp4_e2m1", "KV4 is not tested on non-CUDA platforms.", R(5, 9)},
        {"mi300x", "Qwen/Qwen3-8B", "--kv-cache-dtype nvfp4", "KV4 is not tested on non-CUDA platforms.", R(5, 18)},
        {"b200", "Qwen/Qwen3-8B", "--kv-cache-dtype nvfp4", "", R(5, 18)},
        {"rtx5090", "Qwen/Qwen3-8B", "--kv-cache-dtype nvfp4", "", R(5, 18)}, // as public starts on GB10 ran
        {"rtx5090", "Qwen/Qwen3-8B", "--kv-cache-dtype nvfp4 --attention-backend flashinfer",
         "AssertionError: KV4 MHA expects", R(5, 18)},
        {"a100-80gb", "Qwen/Qwen3-8B", "--kv-cache-dtype fp4_e2m1", "AssertionError: KV4 MHA expects", R(5, 12)},
        {"rtx5090", "openai/gpt-oss-20b", "--kv-cache-dtype nvfp4", "", R(5, 18)},
        {"h200", "deepseek-ai/DeepSeek-V3", "--kv-cache-dtype fp4_e2m1", "AssertionError: KV4 MLA expects", R(5, 9)},
        {"h200", "deepseek-ai/DeepSeek-V3", "--kv-cache-dtype fp4_e2m1 --attention-backend flashmla", "", R(5, 15)},
        {"h200", "deepseek-ai/DeepSeek-V3", "--kv-cache-dtype fp4_mx_block16 --attention-backend flashmla",
         "AssertionError: KV4 MLA expects", R(5, 16)},
        {"b200", "deepseek-ai/DeepSeek-V3", "--kv-cache-dtype nvfp4", "", R(5, 18)},
        {"b200", "deepseek-ai/DeepSeek-V3", "--kv-cache-dtype nvfp4 --prefill-attention-backend fa4", "", R(5, 18)},
        {"b200", "deepseek-ai/DeepSeek-V3",
         "--kv-cache-dtype nvfp4 --prefill-attention-backend fa4 --decode-attention-backend triton",
         "AssertionError: KV4 FA4 MLA expects", R(5, 18)},
        {"h200", "Qwen/Qwen2.5-VL-7B-Instruct", "--encoder-only", "", R(5, 10)},
        {"h200", "Qwen/Qwen2.5-VL-7B-Instruct", "--language-only", "", R(5, 18)},
        {"h200", "Qwen/Qwen3-Next-80B-A3B-Instruct", "--tp-size 4 --mamba-scheduler-strategy no_buffer", "", R(5, 13)},
        {"h200", "Qwen/Qwen3-Next-80B-A3B-Instruct",
         "--tp-size 4 --mamba-scheduler-strategy no_buffer --disable-overlap-schedule", "", R(5, 13)},
        {"h200", "Qwen/Qwen3-Next-80B-A3B-Instruct",
         "--tp-size 4 --mamba-scheduler-strategy no_buffer --disable-radix-cache", "", R(5, 13)},
        {"h200", "Qwen/Qwen3-Next-80B-A3B-Instruct",
         "--tp-size 4 --mamba-scheduler-strategy no_buffer --disable-overlap-schedule --page-size 16", "", R(5, 13)},
        {"h200", "Qwen/Qwen3-Next-80B-A3B-Instruct", "--tp-size 4 --mamba-scheduler-strategy extra_buffer", "",
         R(5, 13)},
        {"h200", "Qwen/Qwen3-Next-80B-A3B-Instruct",
         "--tp-size 4 --mamba-scheduler-strategy extra_buffer --disable-radix-cache",
         "mamba extra_buffer is not compatible with --disable-radix-cache", R(5, 13)},
        {"h200", "Qwen/Qwen3-Next-80B-A3B-Instruct",
         "--tp-size 4 --mamba-scheduler-strategy extra_buffer --page-size 48", "AssertionError: mamba_track_interval",
         R(5, 13)},
        {"h200", "Qwen/Qwen3-Next-80B-A3B-Instruct",
         "--tp-size 4 --mamba-scheduler-strategy extra_buffer --page-size 128 --mamba-track-interval 64",
         "AssertionError: mamba_track_interval", R(5, 13)},
        {"h200", "Qwen/Qwen3-Next-80B-A3B-Instruct",
         "--tp-size 4 --mamba-scheduler-strategy extra_buffer --mamba-track-interval 2 --speculative-algorithm NEXTN "
         "--speculative-num-steps 3 --speculative-eagle-topk 1 --speculative-num-draft-tokens 4",
         "AssertionError: mamba_track_interval", R(5, 13)},
        {"h200", "Qwen/Qwen3-Next-80B-A3B-Instruct", "--tp-size 4 --mamba-radix-cache-strategy no_buffer",
         "AssertionError: no_buffer do not support overlap schedule", R(5, 14)},
        {"h200", "Qwen/Qwen3-Next-80B-A3B-Instruct",
         "--tp-size 4 --mamba-radix-cache-strategy no_buffer --disable-overlap-schedule", "", R(5, 14)},
        {"h200", "Qwen/Qwen3-Next-80B-A3B-Instruct",
         "--tp-size 4 --mamba-radix-cache-strategy no_buffer --disable-radix-cache", "", R(5, 14)},
        {"h200", "Qwen/Qwen3-Next-80B-A3B-Instruct",
         "--tp-size 4 --mamba-radix-cache-strategy no_buffer --disable-overlap-schedule --page-size 16",
         "AssertionError: no_buffer only supports page_size=1.", R(5, 14)},
        {"h200", "Qwen/Qwen3-Next-80B-A3B-Instruct", "--tp-size 4 --mamba-radix-cache-strategy extra_buffer", "",
         R(5, 14)},
        {"h200", "Qwen/Qwen3-Next-80B-A3B-Instruct",
         "--tp-size 4 --mamba-radix-cache-strategy extra_buffer --disable-radix-cache", "", R(5, 14)},
        {"h200", "Qwen/Qwen3-Next-80B-A3B-Instruct",
         "--tp-size 4 --mamba-radix-cache-strategy extra_buffer --page-size 48",
         "assert view.mamba_track_interval % view.page_size == 0", R(5, 14)},
        {"h200", "Qwen/Qwen3-Next-80B-A3B-Instruct",
         "--tp-size 4 --mamba-radix-cache-strategy extra_buffer --page-size 128 --mamba-track-interval 64",
         "assert view.mamba_track_interval % view.page_size == 0", R(5, 14)},
        {"h200", "Qwen/Qwen3-Next-80B-A3B-Instruct",
         "--tp-size 4 --mamba-radix-cache-strategy extra_buffer --mamba-track-interval 2 --speculative-algorithm NEXTN "
         "--speculative-num-steps 3 --speculative-eagle-topk 1 --speculative-num-draft-tokens 4",
         "assert view.mamba_track_interval >=", R(5, 14)},
        {"h200", "Qwen/Qwen3-Next-80B-A3B-Instruct", "--tp-size 4 --mamba-radix-cache-strategy no_buffer",
         "AssertionError: no_buffer do not support overlap schedule", R(5, 18)},
        {"h200", "Qwen/Qwen3-Next-80B-A3B-Instruct",
         "--tp-size 4 --mamba-radix-cache-strategy no_buffer --disable-overlap-schedule", "", R(5, 18)},
        {"h200", "Qwen/Qwen3-Next-80B-A3B-Instruct",
         "--tp-size 4 --mamba-radix-cache-strategy no_buffer --disable-radix-cache", "", R(5, 18)},
        {"h200", "Qwen/Qwen3-Next-80B-A3B-Instruct",
         "--tp-size 4 --mamba-radix-cache-strategy no_buffer --disable-overlap-schedule --page-size 16",
         "AssertionError: no_buffer only supports page_size=1.", R(5, 18)},
        {"h200", "Qwen/Qwen3-Next-80B-A3B-Instruct", "--tp-size 4 --mamba-radix-cache-strategy extra_buffer", "",
         R(5, 18)},
        {"h200", "Qwen/Qwen3-Next-80B-A3B-Instruct",
         "--tp-size 4 --mamba-radix-cache-strategy extra_buffer --disable-radix-cache", "", R(5, 18)},
        {"h200", "Qwen/Qwen3-Next-80B-A3B-Instruct",
         "--tp-size 4 --mamba-radix-cache-strategy extra_buffer --page-size 48",
         "assert view.mamba_track_interval % view.page_size == 0", R(5, 18)},
        {"h200", "Qwen/Qwen3-Next-80B-A3B-Instruct",
         "--tp-size 4 --mamba-radix-cache-strategy extra_buffer --page-size 128 --mamba-track-interval 64",
         "assert view.mamba_track_interval % view.page_size == 0", R(5, 18)},
        {"h200", "Qwen/Qwen3-Next-80B-A3B-Instruct",
         "--tp-size 4 --mamba-radix-cache-strategy extra_buffer --mamba-track-interval 2 --speculative-algorithm NEXTN "
         "--speculative-num-steps 3 --speculative-eagle-topk 1 --speculative-num-draft-tokens 4",
         "assert view.mamba_track_interval >=", R(5, 18)},
        {"h200", "Qwen/Qwen3-8B", "--mamba-radix-cache-strategy no_buffer", "", R(5, 18)},
        {"mi300x", "Qwen/Qwen3-8B", "--enable-mamba-cache-stochastic-rounding --mamba-ssm-dtype float16",
         "Stochastic rounding for the Mamba SSM cache is only supported on NVIDIA", R(5, 18)},
        {"b200", "Qwen/Qwen3-8B", "--enable-mamba-cache-stochastic-rounding --mamba-ssm-dtype float16", "", R(5, 18)},
    };
    for (size_t i = 0; i < sizeof rows / sizeof rows[0]; i++) {
        const struct row row = {rows[i].release, rows[i].line, rows[i].said};
        expect(&row, refused(rows[i].gpu, rows[i].release, rows[i].model, rows[i].line));
    }
}

static bool holds(const char *when, const char *line)
{
    return kvb_sgl_line_holds(when, line, R(5, 18));
}

// Where no tier is kept, a ratio below 0 is taken as the release takes it.
static void ratio_of_nothing(void **state)
{
    (void)state;
    assert_string_equal(refused("h100-sxm", R(5, 18), "Qwen/Qwen3-8B", "--hicache-ratio -1"), "");
    assert_string_equal(refused("h100-sxm", R(5, 18), "Qwen/Qwen3-8B", "--hicache-ratio -0.5"), "");
}

static void terms(void **state)
{
    (void)state;
    assert_true(holds("tp-size>2*dp-size", "\n--tp-size 5\n--dp-size 2"));
    assert_false(holds("tp-size>2*dp-size", "\n--tp-size 4\n--dp-size 2"));
    assert_false(holds("tp-size>max-ep-size*max-loaded-loras", "\n--tp-size 4")); // the second is not said
    assert_false(holds("tp-size>max-loaded-loras*2", "\n--tp-size 4\n--max-loaded-loras $N"));
    assert_true(holds("lora-paths#max-loaded-loras", "\n--lora-paths a b\n--max-loaded-loras 1"));
    assert_false(holds("lora-paths#max-loaded-loras", "\n--lora-paths a b"));
    assert_false(holds("lora-paths#1", "\n--lora-paths $PATHS"));
}

static void buckets(void **state)
{
    (void)state;
    char many[512] = "--prompt-tokens-buckets custom", out[256];
    for (unsigned i = 0; i < 70; i++) { // the last ones are not looked at
        (void)snprintf(many + strlen(many), sizeof many - strlen(many), " %u", i < 69 ? i : 0);
    }
    assert_false(kvb_sgl_judge_buckets("prompt-tokens-buckets", many, R(5, 18), out));
    assert_false(kvb_sgl_judge_buckets("prompt-tokens-buckets", "--prompt-tokens-buckets $B", R(5, 18), out));
    assert_false(kvb_sgl_judge_buckets("prompt-tokens-buckets", "--prompt-tokens-buckets", R(5, 18), out));
    assert_false(kvb_sgl_judge_buckets("tp-size", "--tp-size 2", R(5, 18), out));
    assert_true(kvb_sgl_judge_buckets("prompt-tokens-buckets", "--prompt-tokens-buckets  custom  1 x", R(5, 18), out));
    assert_string_equal(out, "AssertionError: --prompt-tokens-buckets custom rule bucket values must be numeric");
}

// A format that no line says: _handle_kv4_compatibility asks NVIDIA cards alone which they are.
static void formats_of_a_profile(void **state)
{
    (void)state;
    static const struct {
        const char *gpu;
        bool refused;
    } rows[] = {{"mi300x", false}, {"h200", true}, {"rtx5090", false}};
    for (size_t i = 0; i < sizeof rows / sizeof rows[0]; i++) {
        resolve("sglang@0.5.18", rows[i].gpu, "Qwen/Qwen3-8B");
        set_number(&plan, KVB_SET_KV_CACHE_DTYPE, KVB_KV_NVFP4);
        again();
        assert_int_equal(strstr(budget.error, "requires Blackwell") != NULL, rows[i].refused);
    }
}

// More ranks than GPUs are stated have no device to set, unless other nodes have some.
static void ranks_without_gpus(void **state)
{
    (void)state;
    static const struct {
        const char *line;
        uint32_t stated;
        bool refused;
    } rows[] = {{"Qwen/Qwen3-8B --tp-size 4", 2, true},
                {"Qwen/Qwen3-8B --tp-size 4", 4, false},
                {"Qwen/Qwen3-8B --tp-size 4", 0, false},
                {"Qwen/Qwen3-8B --tp-size 4 --nnodes 2", 2, false}};
    for (size_t i = 0; i < sizeof rows / sizeof rows[0]; i++) {
        char out[256];
        resolve("sglang@0.5.9", "h100-sxm", rows[i].line);
        deployment.gpus_stated = rows[i].stated;
        kvb_sgl_judge(&deployment, &plan.engine, out);
        assert_string_equal(out, rows[i].refused ? "RuntimeError: CUDA error: invalid device ordinal" : "");
    }
}

// Each variable that says what a chunk is compared with leaves it open.
static void noted(void **state)
{
    (void)state;
    assert_true(kvb_sgl_notes_variable("SGLANG_PPLX_NUM_MAX_DISPATCH_TOKENS_PER_RANK"));
    assert_true(kvb_sgl_notes_variable("SGLANG_FLASHINFER_NUM_MAX_DISPATCH_TOKENS_PER_RANK"));
    resolve("sglang@0.5.18", "h100-sxm",
            "Qwen/Qwen3-8B --moe-a2a-backend flashinfer --moe-runner-backend flashinfer_cutedsl --quantization "
            "modelopt_fp4 --tp-size 2 --dp-size 2 --enable-dp-attention");
    strcpy(deployment.environment.noted, "SGLANG_FLASHINFER_NUM_MAX_DISPATCH_TOKENS_PER_RANK=16384\n");
    assert_null(kvb_sgl_plan_refusal(&deployment, &plan));
}

static void names(void **state)
{
    (void)state;
    assert_string_equal(kvb_sgl_backend_name(KVB_SGL_BACKEND_FA4), "fa4");
    assert_string_equal(kvb_sgl_backend_name(KVB_SGL_BACKEND_AUTO), "");
    assert_string_equal(kvb_sgl_backend_name(KVB_SGL_BACKEND_OTHER), "");
}

KVB_TEST_MAIN(cmocka_unit_test(alone), cmocka_unit_test(on_hopper), cmocka_unit_test(elsewhere),
              cmocka_unit_test(terms), cmocka_unit_test(buckets), cmocka_unit_test(noted),
              cmocka_unit_test(ranks_without_gpus), cmocka_unit_test(ratio_of_nothing), cmocka_unit_test(names),
              cmocka_unit_test(formats_of_a_profile))
