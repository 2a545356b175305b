// Flags that a release refuses on a card or for a model: asserts and raises of server_args.py and arg_groups that ask
// flags beside what the plan knows. Since and until are the releases whose text holds the sentence.
#include "engines/sglang/serve_rules.h"

#define R(minor, patch) KVB_RELEASE(0, minor, patch)
#define PREFIXES_OF_STATES "@states=1 !disable-radix-cache mamba-radix-cache-strategy/mamba-scheduler-strategy"
#define ALIKE "!prefill-attention-backend !decode-attention-backend " // no check where they differ
#define DECODES "expects decode_attention_backend to be one of"
#define ATTENDS "expects attention_backend to be one of"
#define KERNELS "fa4|triton|torch_native|flex_attention|trtllm_mha"
#define TOWERS                                                                                                         \
    "Qwen2VLForConditionalGeneration|Qwen3VLForConditionalGeneration|Qwen2_5_VLForConditionalGeneration|"              \
    "Qwen3VLMoeForConditionalGeneration|Qwen3OmniMoeForConditionalGeneration|Qwen2AudioForConditionalGeneration|"      \
    "Qwen2_5OmniForConditionalGeneration"
#define TOWERS_LATER                                                                                                   \
    "|Qwen3_5ForConditionalGeneration|Qwen3_5MoeForConditionalGeneration|KimiVLForConditionalGeneration|"              \
    "KimiK25ForConditionalGeneration"

const struct kvb_sgl_line_rule kvb_sgl_plan_rules[] = {
    {R(5, 1), R(5, 9), "decode-attention-backend=trtllm_mla @sm^100|101|103",
     "TRTLLM MLA backend is only supported on Blackwell GPUs (SM100). Please use a different backend."},
    {R(5, 9), 0, "decode-attention-backend=trtllm_mla @sm^100|101|103|110|120|121",
     "TRTLLM MLA backend is only supported on Blackwell GPUs (SM100/SM12x). Please use a different backend."},
    {R(5, 1), R(5, 10), "prefill-attention-backend=trtllm_mha @sm^100|101|103",
     "TRTLLM MHA backend is only supported on Blackwell GPUs (SM100). Please use a different backend."},
    {R(5, 1), R(5, 10), "decode-attention-backend=trtllm_mha @sm^100|101|103",
     "TRTLLM MHA backend is only supported on Blackwell GPUs (SM100). Please use a different backend."},
    {R(5, 10), 0, "prefill-attention-backend=trtllm_mha @sm^100|101|103",
     "TRTLLM MHA backend for prefill is only supported on Blackwell GPUs (SM100). Please use a different prefill "
     "backend."},
    {R(5, 10), 0, "decode-attention-backend=trtllm_mha @sm^90|100|101|103|120|121",
     "TRTLLM MHA backend for decode is only supported on Hopper (SM90), Blackwell (SM100) and (SM120) GPUs. Please use "
     "a different decode backend."},
    {R(5, 13), 0, "attention-backend=cutedsl_mla @sm^100|101|103",
     "CuteDSL MLA backend is only supported on Blackwell GPUs (SM100). Please use a different backend."},
    {R(5, 13), 0, "decode-attention-backend=cutedsl_mla @sm^100|101|103",
     "CuteDSL MLA backend is only supported on Blackwell GPUs (SM100). Please use a different backend."},
    {R(5, 12), 0, "attention-backend=tokenspeed_mla @sm^100|101|103|110|120|121",
     "tokenspeed_mla backend is only supported on Blackwell GPUs (SM100/SM12x)."},
    {R(5, 12), 0, "decode-attention-backend=tokenspeed_mla @sm^100|101|103|110|120|121",
     "tokenspeed_mla backend is only supported on Blackwell GPUs (SM100/SM12x)."},
    {R(5, 13), 0, "enable-deepseek-v4-fp4-indexer @sm^100|101|103|120|121",
     "--enable-deepseek-v4-fp4-indexer requires SM100 or SM120 GPUs with DeepGEMM FP4 indexer support."},
    {R(5, 13), 0, "quantization=nvfp4_online @sm^100|101|103",
     "--quantization nvfp4_online is supported only on NVIDIA Blackwell SM100/SM103 GPUs."},
    {R(5, 17), 0, "dcp-comm-backend=fi_a2a @sm<1",
     "--dcp-comm-backend fi_a2a delegates the exchange to FlashInfer's MNNVL All-to-All kernel, which requires an "
     "NVIDIA CUDA platform with SM90+"},
    {R(5, 16), 0, "mm-feature-transport=cuda_ipc @sm<1", "--mm-feature-transport=cuda_ipc requires NVIDIA CUDA."},
    {R(5, 18), 0, "mm-feature-transport=cuda_vmm @sm<1", "--mm-feature-transport=cuda_vmm requires NVIDIA CUDA."},
    {R(5, 16), 0, "enable-dsa-cache-layer-split @sparse=0",
     "--enable-dsa-cache-layer-split is only supported for DSA (DeepSeek Sparse Attention) models."},
    {R(5, 17), 0,
     "enable-cp-decode-attn-tp "
     "@class^DeepseekV4ForCausalLM|DeepseekV4ForCausalLMNextN|DeepseekV4ForCausalLMDSpark|GlmMoeDsaForCausalLM|"
     "GlmMoeDsaForCausalLMNextN",
     "--enable-cp-decode-attn-tp is only supported for models whose attention linears are replicated across CP ranks "
     "(attn_tp_size=1)."},
    {R(5, 10), 0, "enable-hisparse @sparse=0 @class^DeepseekV4ForCausalLM",
     "AssertionError: --enable-hisparse is only supported for DSA (DeepSeek Sparse Attention) models (e.g., DeepSeek "
     "V3.2, GLM-5)"},
    {R(5, 18), 0, "language-model-only @class^MuseGlimmerForConditionalGeneration",
     "--language-model-only does not support it. Supported: ['MuseGlimmerForConditionalGeneration']."},
    {R(5, 17), 0, "dcp-size>1 enable-hierarchical-cache @mla=0",
     "HiCache with --dcp-size > 1 is only supported for MLA models"},
    {R(5, 0), 0, "moe-runner-backend=triton_kernel ep-size>1 @class=GptOssForCausalLM",
     "AssertionError: Triton kernel MoE is only supported when ep_size == 1"},
    {R(5, 11), R(5, 16), "moe-runner-backend=flashinfer_cutedsl quantization^modelopt_fp4 @method=none",
     "AssertionError: Invalid quantization. FlashInfer CuteDSL MOE currently supports only: 'modelopt_fp4'"},
    {R(5, 16), R(5, 18), "moe-runner-backend=flashinfer_cutedsl quantization^modelopt_fp4|modelopt_mixed @method=none",
     "AssertionError: Invalid quantization. FlashInfer CuteDSL MOE currently supports only: 'modelopt_fp4', "
     "'modelopt_mixed' (with NVFP4 MoE layers), or hybrid NVFP4 models."},
    {R(5, 9), R(5, 11), "moe-a2a-backend=mori @chunk>4096",
     "AssertionError: SGLANG_MORI_NUM_MAX_DISPATCH_TOKENS_PER_RANK (default 4096) must be larger or equal to "
     "chunked_prefill_size"},
    {R(5, 11), 0, "moe-a2a-backend=mori @chunk>4096 disaggregation-mode^decode",
     "AssertionError: SGLANG_MORI_NUM_MAX_DISPATCH_TOKENS_PER_RANK (default 4096) must be larger or equal to "
     "chunked_prefill_size"},
    {R(5, 3), R(5, 5) + 1, "moe-runner-backend=flashinfer_cutlass quantization^modelopt_fp4 @method=none",
     "AssertionError: modelopt_fp4 quantization is required for Flashinfer MOE"},
    {R(5, 4) + 2, R(5, 7),
     "moe-runner-backend=flashinfer_trtllm quantization^modelopt_fp4|modelopt_fp8|fp8 @method=none",
     "AssertionError: modelopt_fp4, modelopt_fp8 or fp8 quantization is required for Flashinfer TRTLLM MoE"},
    {R(5, 15), R(5, 17), "dcp-size>1 speculative-algorithm @sm>0",
     "Decode context parallel (--dcp-size / --decode-context-parallel-size > 1) on CUDA platform does not support any "
     "speculative algorithm"},
    {R(5, 15), 0,
     "enable-unified-memory attention-backend^triton !prefill-attention-backend !decode-attention-backend @mla=0 @sm>0",
     "AssertionError: --enable-page-major-kv-layout requires the Triton attention backend for the full-attention "
     "layers"},
    {R(5, 6), R(5, 9), "dllm-algorithm @class^LLaDA2MoeModelLM", "Unknown diffusion LLM"},
    {R(5, 9), 0, "dllm-algorithm @class^LLaDA2MoeModelLM|SDARForCausalLM|SDARMoeForCausalLM", "Unknown diffusion LLM"},
    {R(5, 18), 0,
     "moe-runner-backend=flashinfer_cutedsl quantization^modelopt_fp4|modelopt_mixed|nvfp4_online @method=none",
     "AssertionError: Invalid quantization. FlashInfer CuteDSL MOE currently supports only: 'modelopt_fp4', "
     "'modelopt_mixed' (with NVFP4 MoE layers), 'nvfp4_online', or hybrid NVFP4 models."},
    {R(5, 9), R(5, 13), "moe-a2a-backend=flashinfer moe-runner-backend^flashinfer_cutlass @method=none",
     "AssertionError: Flashinfer MoE A2A is only supported with flashinfer_cutlass moe runner backend"},
    {R(5, 13), R(5, 15),
     "moe-a2a-backend=flashinfer moe-runner-backend^flashinfer_cutlass|flashinfer_cutedsl @method=none",
     "AssertionError: Flashinfer MoE A2A is only supported with flashinfer_cutlass or flashinfer_cutedsl moe runner "
     "backend"},
    {R(5, 15), 0,
     "moe-a2a-backend=flashinfer moe-runner-backend^flashinfer_cutlass|flashinfer_cutedsl|flashinfer_trtllm_routed "
     "@method=none",
     "AssertionError: Flashinfer MoE A2A is only supported with flashinfer_cutlass, flashinfer_cutedsl or "
     "flashinfer_trtllm_routed moe runner backend"},
    {R(5, 15), 0, "enable-mamba-cache-stochastic-rounding @sm<1",
     "Stochastic rounding for the Mamba SSM cache is only supported on NVIDIA CUDA platforms."},
    {R(5, 15), 0, "enable-mamba-cache-stochastic-rounding mamba-backend^flashinfer @sm^100|101|103",
     "Stochastic rounding for the Mamba SSM cache with --mamba-backend triton requires SM100 with CUDA >= 12.8"},
    // ---- Recurrent states beside prefixes
    {R(5, 10), R(5, 14), "@states=1 mamba-scheduler-strategy=extra_buffer|extra_buffer_lazy disable-radix-cache",
     "mamba extra_buffer is not compatible with --disable-radix-cache"},
    {R(5, 9), R(5, 14),
     "@states=1 mamba-scheduler-strategy=extra_buffer|extra_buffer_lazy "
     "speculative-num-draft-tokens>mamba-track-interval",
     "AssertionError: mamba_track_interval must be greater than or equal to speculative_num_draft_tokens"},
    {R(5, 9), R(5, 14),
     "@states=1 mamba-scheduler-strategy=extra_buffer|extra_buffer_lazy mamba-track-interval%page-size",
     "AssertionError: mamba_track_interval must be divisible by page_size"},
    {R(5, 14), 0,
     PREFIXES_OF_STATES "=extra_buffer|extra_buffer_lazy speculative-num-draft-tokens>mamba-track-interval",
     "assert view.mamba_track_interval >= view.speculative_num_draft_tokens: AssertionError"},
    {R(5, 14), 0, PREFIXES_OF_STATES "=extra_buffer|extra_buffer_lazy mamba-track-interval%page-size",
     "assert view.mamba_track_interval % view.page_size == 0: AssertionError"},
    {R(5, 14), 0, PREFIXES_OF_STATES "=no_buffer page-size>1", "AssertionError: no_buffer only supports page_size=1."},
    {R(5, 14), 0, PREFIXES_OF_STATES "=no_buffer !disable-overlap-schedule",
     "AssertionError: no_buffer do not support overlap schedule. Try to set disable_overlap_schedule=True."},
    // ---- Caches of four bits; the card is asked before the lists. Public starts on SM12x name no backend and ran.
    {R(5, 16), 0, "kv-cache-dtype=nvfp4 @sm>0 @sm^100|101|103|120|121",
     "--kv-cache-dtype=nvfp4 requires Blackwell SM100 or SM120. Use --kv-cache-dtype=fp4_mx_block16 for the "
     "block-size-16 FP4 recipe."},
    {R(5, 7), R(5, 16), "kv-cache-dtype=fp4_e2m1 @sm<1", "KV4 is not tested on non-CUDA platforms."},
    {R(5, 7), R(5, 16), "kv-cache-dtype=fp4_e2m1 @mla=1 @prefill=fa4 @decode^cutlass_mla|flashinfer|trtllm_mla",
     "AssertionError: KV4 FA4 MLA " DECODES},
    {R(5, 7), R(5, 16), "kv-cache-dtype=fp4_e2m1 @mla=0 @prefill=fa4 @decode^triton|torch_native|flex_attention",
     "AssertionError: KV4 FA4 MHA " DECODES},
    {R(5, 7), R(5, 16),
     "kv-cache-dtype=fp4_e2m1 " ALIKE "@mla=1 @prefill^fa4|cutlass_mla|flashinfer|trtllm_mla|flashmla",
     "AssertionError: KV4 MLA " ATTENDS},
    {R(5, 7), R(5, 16), "kv-cache-dtype=fp4_e2m1 " ALIKE "attention-backend @mla=0 @prefill^" KERNELS,
     "AssertionError: KV4 MHA " ATTENDS},
    {R(5, 7), R(5, 16),
     "kv-cache-dtype=fp4_e2m1 " ALIKE
     "!attention-backend @sm^120|121 @mla=0 @class^GptOssForCausalLM @prefill^" KERNELS,
     "AssertionError: KV4 MHA " ATTENDS},
    {R(5, 16), 0, "kv-cache-dtype=nvfp4|fp4_mx_block16 @sm<1", "KV4 is not tested on non-CUDA platforms."},
    {R(5, 16), 0, "kv-cache-dtype=nvfp4|fp4_mx_block16 @mla=1 @prefill=fa4 @decode^cutlass_mla|flashinfer|trtllm_mla",
     "AssertionError: KV4 FA4 MLA " DECODES},
    {R(5, 16), 0, "kv-cache-dtype=nvfp4|fp4_mx_block16 @mla=0 @prefill=fa4 @decode^triton|torch_native|flex_attention",
     "AssertionError: KV4 FA4 MHA " DECODES},
    {R(5, 16), 0, "kv-cache-dtype=nvfp4|fp4_mx_block16 " ALIKE "@mla=1 @prefill^fa4|cutlass_mla|flashinfer|trtllm_mla",
     "AssertionError: KV4 MLA " ATTENDS},
    {R(5, 16), 0, "kv-cache-dtype=nvfp4|fp4_mx_block16 " ALIKE "attention-backend @mla=0 @prefill^" KERNELS,
     "AssertionError: KV4 MHA " ATTENDS},
    {R(5, 16), 0,
     "kv-cache-dtype=nvfp4|fp4_mx_block16 " ALIKE
     "!attention-backend @sm^120|121 @mla=0 @class^GptOssForCausalLM @prefill^" KERNELS,
     "AssertionError: KV4 MHA " ATTENDS},
    // ---- Towers apart
    {R(5, 10), R(5, 11), "encoder-only/language-only @class^" TOWERS, KVB_SGL_QWEN_TOWERS},
    {R(5, 11), R(5, 12), "encoder-only/language-only @class^" TOWERS TOWERS_LATER, KVB_SGL_QWEN_TOWERS},
    {R(5, 12), R(5, 13),
     "encoder-only/language-only @class^" TOWERS TOWERS_LATER "|InternS2PreviewForConditionalGeneration",
     KVB_SGL_QWEN_TOWERS},
    {R(5, 13), R(5, 17),
     "encoder-only/language-only @class^" TOWERS TOWERS_LATER
     "|InternS2PreviewForConditionalGeneration|MiMoV2ForCausalLM",
     KVB_SGL_SOME_TOWERS},
    {R(5, 17), 0,
     "encoder-only/language-only @class^" TOWERS TOWERS_LATER
     "|InternS2PreviewForConditionalGeneration|MiMoV2ForCausalLM|KimiK3ForConditionalGeneration",
     KVB_SGL_SOME_TOWERS},
    // ---- Tokens of an exchange
    {R(5, 17), 0, "moe-a2a-backend=pplx @chunk>128 disaggregation-mode^decode",
     "AssertionError: SGLANG_PPLX_NUM_MAX_DISPATCH_TOKENS_PER_RANK (default 128) must be >= the per-rank pplx dispatch "
     "tokens (chunked_prefill_size, or the decode cuda-graph batch size)"},
    {R(5, 13), 0,
     "moe-a2a-backend=flashinfer moe-runner-backend=flashinfer_cutedsl disaggregation-mode^decode @chunk>-1 "
     "max-prefill-tokens>tp-size*1024",
     "FlashInfer MoE A2A with flashinfer_cutedsl requires SGLANG_FLASHINFER_NUM_MAX_DISPATCH_TOKENS_PER_RANK * ep_size "
     "to cover the largest CuteDSL MoE forward"},
};
const size_t kvb_sgl_plan_rule_count = sizeof kvb_sgl_plan_rules / sizeof kvb_sgl_plan_rules[0];
