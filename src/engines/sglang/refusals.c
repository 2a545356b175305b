// What a release refuses of arguments that do not go together, before it looks at memory: asserts and raises a user can
// meet. Source: sgl-project/sglang, python/sglang/srt: server_args.py (__post_init__, _handle_*, check_server_args),
// arg_groups/overrides.py and speculative_hook.py (0.5.12 and later). Since and until are the releases whose text holds
// the sentence.
#include "engines/sglang/refusals.h"

#include <string.h>

#include <kvbudget/units.h>

#include "base/checked.h"
#include "budget/gpu_facts.h"
#include "budget/shapes.h"
#include "engines/sglang/refusal_rules.h"
#include "engines/sglang/say.h"
#include "engines/sglang/serve.h"
#include "engines/sglang/serve_rules.h"

#define R(minor, patch) KVB_RELEASE(0, minor, patch)

// ---- Chunks, ranks, caches

// To 0.4.9.post3 the assert stands before groups share the chunk and before backends change the page; to 0.5.0 it is
// asked of -1 as well, which leaves page - 1.
static bool chunk_off_pages(const struct kvb_sgl_context *context)
{
    const struct kvb_sgl_setup *setup = &context->setup;
    bool late = setup->release >= R(4, 9) + 4, decodes = setup->role == KVB_SGL_DECODE && setup->release >= R(5, 3);
    uint64_t page = late ? setup->page_tokens : kvb_number(context->plan, KVB_SET_BLOCK_SIZE);
    if (decodes || page <= 1) {
        return false;
    }
    if (setup->chunk_tokens == 0) { // a default is a power of two
        return !setup->multimodal && (page & (page - 1)) != 0;
    }
    if (setup->chunk_tokens == KVB_SGL_OFF) {
        return setup->release < R(5, 1);
    }
    return setup->chunk_tokens / (late ? kvb_sgl_attention_groups(setup) : 1) % page != 0;
}

static bool one_group(const struct kvb_sgl_context *context)
{
    return context->setup.dp_attention && context->setup.dp <= 1;
}

static bool odd_groups(const struct kvb_sgl_context *context)
{
    const struct kvb_sgl_setup *setup = &context->setup;
    return setup->dp_attention && (setup->dp == 0 || setup->tp % setup->dp != 0);
}

static bool tiers_without_prefixes(const struct kvb_sgl_context *context)
{
    return context->setup.hierarchical && context->setup.no_radix;
}

static bool ratio_out_of_range(const struct kvb_sgl_context *context)
{
    const struct kvb_sgl_setup *setup = &context->setup;
    return setup->window_ratio_ppm == 0 || setup->window_ratio_ppm > KVB_PPM;
}

static bool balancing_alone(const struct kvb_sgl_context *context)
{
    const struct kvb_sgl_setup *setup = &context->setup;
    bool spread = kvb_number(context->plan, KVB_SET_ENABLE_EXPERT_PARALLEL) != 0 || setup->all_to_all;
    return setup->expert_balancing && (!spread || setup->tp == 1);
}

static bool overlap_without_exchange(const struct kvb_sgl_context *context)
{
    return context->setup.two_batch_overlap && !context->setup.all_to_all;
}

static bool overlap_without_groups(const struct kvb_sgl_context *context)
{
    return overlap_without_exchange(context) && !context->setup.dp_attention;
}

// ---- Adapters

static bool adapters_with_prefixes(const struct kvb_sgl_context *context)
{
    return context->setup.lora && !context->setup.no_radix;
}

static bool adapters_with_graphs(const struct kvb_sgl_context *context)
{
    return context->setup.lora && (!context->setup.no_radix || !context->setup.no_graphs);
}

// ---- Towers

static bool towers_apart(const struct kvb_sgl_context *context)
{
    return kvb_number(context->plan, KVB_SET_LANGUAGE_MODEL_ONLY) != 0 && kvb_sgl_lacks_tower(context->plan);
}

// ---- The table

struct refusal {
    const char *rule;
    uint32_t since, until; // until: the first release without; 0: none
    kvb_sgl_refusal_rule *refuses;
    const char *text; // {0} the backend asked for, {1} the class, {2} the checkpoint's method, {3} the one asked for,
                      // {4} the backend taken, {5} tokens of a page, {6} steps of a draft
};
#define ELSEWHERE(kernels, cards)                                                                                      \
    "TRTLLM " kernels " backend is only supported on Blackwell GPUs (" cards "). Please use a different backend."
#define CACHES(words) "TensorRT-LLM MLA backend only supports kv-cache-dtype of " words " or auto."
#define SINKS(more) "AssertionError: GptOssForCausalLM requires one of ['triton', 'trtllm_mha', 'fa3'" more "]"
#define TWO_GOT " attention backend, but got the following backends\n- Prefill: {0}\n- Decode: {0}\n"
#define ADAPTIVE(steps)                                                                                                \
    "--speculative-num-steps={6} is not in the adaptive config candidate_steps [" steps "]. Pass one of those values."
#define DETERMINISTIC(kernels)                                                                                         \
    "Currently only [" kernels "] attention backends are supported for deterministic inference, but you explicitly "   \
    "specified '{0}'."
#define OF_DEEPSEEK(kernels)                                                                                           \
    "Currently only " kernels " attention backends are supported for deterministic inference with DeepSeek models. "   \
    "But you're using {0}."
#define LLAMA4_LATE "is required for Llama4 model but got {0}"
#define STATES_WITH_DRAFT                                                                                              \
    "Speculative decoding for {1} is not compatible with radix cache when using --mamba-scheduler-strategy no_buffer." \
    "To use radix cache with speculative decoding, please use --mamba-scheduler-strategy extra_buffer"
static const struct refusal rows[] = {
    {"arguments", R(5, 10), R(5, 13), towers_apart, KVB_SGL_QWEN_TOWERS},
    {"arguments", R(5, 13), 0, towers_apart, KVB_SGL_SOME_TOWERS},
    {"arguments", R(5, 12), R(5, 16), kvb_sgl_v4_with_draft,
     "AssertionError: Only EAGLE speculative algorithm is supported for {1}"},
    {"arguments", R(5, 16), 0, kvb_sgl_v4_with_draft,
     "AssertionError: Only EAGLE and DSPARK speculative algorithms are supported for {1}"},
    {"arguments", R(5, 12), 0, kvb_sgl_v4_with_branches,
     "AssertionError: Only EAGLE speculative algorithm with topk == 1 is supported for {1}"},
    {"arguments", 0, R(4, 1) + 6, kvb_sgl_e4m3_cache, // of a profile; in a command its parser says so
     "argument --kv-cache-dtype: invalid choice: 'fp8_e4m3' (choose from 'auto', 'fp8_e5m2')"},
    {"quantization", 0, 0, kvb_sgl_other_method,
     "Quantization method specified in the model config ({2}) does not match the quantization method specified in the "
     "`quantization` argument ({3})."},
    {"quantization", R(4, 0), 0, kvb_sgl_method_not_on_rocm, "{3} quantization is currently not supported in ROCm."},
    {"parallel-split", R(4, 4) + 1, R(5, 2), one_group,
     "AssertionError: Please set a dp-size > 1. You can use 1 < dp-size <= tp-size "},
    {"parallel-split", 0, 0, odd_groups, "assert self.tp_size % self.dp_size == 0: AssertionError"},
    {"parallel-split", R(4, 6) + 2, R(5, 11), kvb_sgl_stages_with_draft,
     "AssertionError: Pipeline parallelism is not compatible with overlap schedule, speculative decoding, mixed "
     "chunked "
     "prefill."},
    {"parallel-split", R(5, 11), 0, kvb_sgl_blocks_with_stages,
     "Currently DFLASH speculative decoding only supports pp_size == 1."},
    {"parallel-split", R(5, 11), 0, kvb_sgl_stages_with_draft,
     "AssertionError: Pipeline parallelism is not compatible with overlap schedule, speculative decoding"},
    {"attention-backend", R(4, 10) + 1, R(5, 9), kvb_sgl_mla_kernels_elsewhere, ELSEWHERE("MLA", "SM100")},
    {"attention-backend", R(5, 9), 0, kvb_sgl_mla_kernels_elsewhere, ELSEWHERE("MLA", "SM100/SM12x")},
    {"attention-backend", R(4, 10) + 1, R(5, 1), kvb_sgl_mla_kernels_with_draft,
     "trtllm_mla backend does not support speculative decoding yet."},
    {"attention-backend", R(5, 1), R(5, 4) + 3, kvb_sgl_mla_kernels_with_e5m2, CACHES("fp8_e4m3")},
    {"attention-backend", R(5, 4) + 3, R(5, 7), kvb_sgl_mla_kernels_with_e5m2, CACHES("fp8_e4m3, fp4_e2m1,")},
    {"attention-backend", R(5, 7), 0, kvb_sgl_mla_kernels_with_e5m2, CACHES("fp8_e4m3, fp4_e2m1, bf16,")},
    {"attention-backend", R(5, 1), R(5, 10), kvb_sgl_mha_kernels_elsewhere, ELSEWHERE("MHA", "SM100")},
    {"attention-backend", R(5, 10), 0, kvb_sgl_mha_kernels_elsewhere,
     "TRTLLM MHA backend for prefill is only supported on Blackwell GPUs (SM100). Please use a different prefill "
     "backend."},
    {"arguments", R(5, 13), R(5, 14), kvb_sgl_steps_between, ADAPTIVE("1, 3, 7")},
    {"arguments", R(5, 14), 0, kvb_sgl_steps_between, ADAPTIVE("0, 1, 3, 7")},
    {"arguments", R(4, 4) + 4, R(5, 13), kvb_sgl_sizes_without_steps,
     "assert self.speculative_eagle_topk is None and self.speculative_num_draft_tokens is None: AssertionError"},
    {"arguments", R(5, 13), 0, kvb_sgl_sizes_without_steps,
     "assert server_args.speculative_eagle_topk is None and server_args.speculative_num_draft_tokens is None: "
     "AssertionError"},
    {"arguments", R(5, 2), 0, kvb_sgl_steps_without_branches,
     "TypeError: '>' not supported between instances of 'NoneType' and 'int'"},
    {"attention-backend", R(5, 1), 0, kvb_sgl_mha_kernels_with_branches,
     "trtllm_mha backend only supports topk = 1 for speculative decoding."},
    {"attention-backend", R(5, 1), R(5, 3) + 1, kvb_sgl_sinks_elsewhere, SINKS("") " attention backend, but got '{0}'"},
    {"attention-backend", R(5, 3) + 1, R(5, 8), kvb_sgl_sinks_elsewhere, SINKS(", 'fa4'") TWO_GOT},
    {"attention-backend", R(5, 8), R(5, 10), kvb_sgl_sinks_elsewhere, SINKS(", 'fa4', 'ascend'") TWO_GOT},
    {"attention-backend", R(5, 10), R(5, 11), kvb_sgl_sinks_elsewhere, SINKS(", 'fa4', 'ascend', 'aiter'") TWO_GOT},
    {"attention-backend", R(5, 11), R(5, 13), kvb_sgl_sinks_elsewhere,
     SINKS(", 'fa4', 'ascend', 'intel_xpu', 'aiter'") TWO_GOT},
    {"attention-backend", R(5, 13), 0, kvb_sgl_sinks_elsewhere,
     SINKS(", 'fa4', 'ascend', 'intel_amx', 'intel_xpu', 'aiter'") TWO_GOT},
    {"attention-backend", R(5, 4), R(5, 8), kvb_sgl_fa4_decodes,
     "FA4 backend is only supported for prefill. Please use `--prefill-attention-backend fa4` instead."},
    {"attention-backend", R(4, 9) + 4, R(5, 1), kvb_sgl_chunks_elsewhere,
     "AssertionError: fa3 is required for Llama4 model"},
    {"attention-backend", R(5, 1), R(5, 2), kvb_sgl_chunks_elsewhere,
     "AssertionError: fa3 or aiter is required for Llama4 model"},
    {"attention-backend", R(5, 2), R(5, 4) + 1, kvb_sgl_chunks_elsewhere,
     "AssertionError: fa3, aiter, or triton is required for Llama4 model"},
    {"attention-backend", R(5, 4) + 1, R(5, 5) + 1, kvb_sgl_chunks_elsewhere,
     "AssertionError: fa3, aiter, triton, or trtllm_mha is required for Llama4 model"},
    {"attention-backend", R(5, 5) + 1, R(5, 10), kvb_sgl_chunks_elsewhere,
     "AssertionError: fa3, aiter, triton, trtllm_mha or intel_xpu " LLAMA4_LATE},
    {"attention-backend", R(5, 10), 0, kvb_sgl_chunks_elsewhere,
     "AssertionError: fa3, aiter, triton, ascend, trtllm_mha or intel_xpu " LLAMA4_LATE},
    {"attention-backend", R(5, 7), 0, kvb_sgl_states_first,
     "AssertionError: {1} does not support triton attention backend, as the first layer might not be an attention "
     "layer"},
    {"arguments", R(5, 10), R(5, 14), kvb_sgl_states_with_draft, STATES_WITH_DRAFT " and set SGLANG_ENABLE_SPEC_V2=1."},
    {"attention-backend", R(5, 3), R(5, 4), kvb_sgl_undetermined,
     "Currently only ['flashinfer', 'fa3', 'triton'] attention backends are supported for deterministic inference."},
    {"attention-backend", R(5, 4), R(5, 13), kvb_sgl_undetermined, DETERMINISTIC("'flashinfer', 'fa3', 'triton'")},
    {"attention-backend", R(5, 13), R(5, 16), kvb_sgl_undetermined,
     DETERMINISTIC("'flashinfer', 'fa3', 'triton', 'ascend'")},
    {"attention-backend", R(5, 16), 0, kvb_sgl_undetermined,
     DETERMINISTIC("'ascend', 'fa3', 'fa4', 'flashinfer', 'triton'")},
    {"attention-backend", R(5, 4) + 1, R(5, 4) + 2, kvb_sgl_latents_undetermined, OF_DEEPSEEK("fa3 and triton")},
    {"attention-backend", R(5, 4) + 2, R(5, 13), kvb_sgl_latents_undetermined, OF_DEEPSEEK("['fa3', 'triton']")},
    {"attention-backend", R(5, 13), R(5, 16), kvb_sgl_latents_undetermined, OF_DEEPSEEK("['fa3', 'triton', 'ascend']")},
    {"attention-backend", R(5, 16), R(5, 17), kvb_sgl_latents_undetermined, OF_DEEPSEEK("['fa3', 'triton']")},
    {"attention-backend", R(5, 17), 0, kvb_sgl_latents_undetermined, OF_DEEPSEEK("['ascend', 'fa3', 'fa4', 'triton']")},
    {"kv-cache-dtype", R(5, 16), 0, kvb_sgl_mxfp8_elsewhere,
     "--kv-cache-dtype mxfp8 requires an SM100+ (Blackwell) GPU for the block-scaled operands used by the FA4 MXFP8 "
     "attention path."},
    {"kv-cache-dtype", R(5, 16), 0, kvb_sgl_nvfp4_elsewhere,
     "--kv-cache-dtype=nvfp4 requires Blackwell SM100 or SM120. Use --kv-cache-dtype=fp4_mx_block16 for the "
     "block-size-16 FP4 recipe."},
    {"attention-backend", R(5, 2), R(5, 13), kvb_sgl_branches_over_pages,
     "speculative_eagle_topk > 1 with page_size > 1 is unstable and produces incorrect results for paged attention "
     "backends. This combination is only supported for the 'flashinfer' backend."},
    {"attention-backend", R(5, 13), 0, kvb_sgl_branches_over_pages,
     "speculative_eagle_topk > 1 with page_size > 1 is only supported on ('flashinfer', 'fa3', 'triton'); got "
     "attention_backend='{4}'. Use page_size == 1 or one of those backends."},
    {"attention-backend", R(5, 3), 0, kvb_sgl_words_over_pages,
     "speculative_eagle_topk(10) > 1 with page_size({5}) > 1 is unstable and produces incorrect results for paged "
     "attention backends. This combination is only supported for the 'flashinfer' backend."},
    {"kv-cache-dtype", R(5, 4) + 2, R(5, 8), kvb_sgl_sparse_with_e5m2,
     "AssertionError: DeepSeek NSA only supports bf16/bfloat16 or fp8_e4m3 kv_cache_dtype"},
    {"kv-cache-dtype", R(5, 8), 0, kvb_sgl_sparse_with_e5m2,
     "AssertionError: DeepSeek DSA only supports bf16/bfloat16 or fp8_e4m3 kv_cache_dtype"},
    {"arguments", R(4, 0), R(4, 7), adapters_with_graphs,
     "AssertionError: compatibility of lora and cuda graph and radix attention is in progress"},
    {"arguments", R(4, 7), R(5, 1), adapters_with_prefixes,
     "AssertionError: compatibility of lora and radix attention is in progress"},
    {"arguments", R(5, 5) + 3, 0, kvb_sgl_adapters_with_draft,
     "Currently LoRA is only compatible with NGRAM speculative decoding."},
    {"arguments", R(5, 1), 0, tiers_without_prefixes,
     "The arguments enable-hierarchical-cache and disable-radix-cache are mutually exclusive and cannot be used at the "
     "same time. Please use only one of them."},
    {"arguments", R(5, 7), 0, ratio_out_of_range, "--swa-full-tokens-ratio should be in range (0, 1.0]."},
    {"arguments", R(5, 1), R(5, 15), balancing_alone, "assert self.ep_size > 1: AssertionError"},
    {"arguments", R(5, 15), 0, balancing_alone, "assert self._resolved().ep_size > 1: AssertionError"},
    {"arguments", R(5, 7), R(5, 15), overlap_without_exchange,
     "When enabling two batch overlap, moe_a2a_backend cannot be 'none'."},
    {"arguments", R(5, 15), 0, overlap_without_groups,
     "When enabling two batch overlap without an EP a2a backend (moe_a2a_backend='none'), --enable-dp-attention is "
     "required (DeepSeek-V4 non-EP DP TBO path)."},
    {"arguments", R(5, 11), 0, kvb_sgl_blocks_with_groups,
     "Currently DFLASH speculative decoding does not support dp attention."},
    {"arguments", R(5, 3), 0, kvb_sgl_words_with_groups,
     "Currently ngram speculative decoding does not support dp attention."},
    {"arguments", R(5, 3), R(5, 16), kvb_sgl_words_elsewhere, "Ngram speculative decoding only supports CUDA device."},
    {"arguments", R(5, 16), 0, kvb_sgl_words_elsewhere,
     "Ngram speculative decoding only supports CUDA or CPU devices."},
    {"arguments", R(5, 2), 0, kvb_sgl_models_with_groups,
     "Currently standalone speculative decoding does not support dp attention."},
    {"arguments", R(4, 4), R(4, 9) + 4, chunk_off_pages,
     "assert self.chunked_prefill_size % self.page_size == 0: AssertionError"},
    {"arguments", R(4, 9) + 4, 0, chunk_off_pages,
     "AssertionError: chunked_prefill_size must be divisible by page_size"},
};

const char *kvb_sgl_argument_refusal(const struct kvb_sgl_context *context, char out[KVB_ERROR_TEXT_CAPACITY])
{
    const struct kvb_sgl_setup *setup = &context->setup;
    char page[24], steps[24];
    const char *values[] = {kvb_sgl_backend_name(setup->backend_asked),
                            setup->model->architecture,
                            setup->model->quantisation.name,
                            kvb_sgl_method_name(context),
                            kvb_sgl_backend_name(setup->backend),
                            kvb_sgl_digits(page, setup->page_tokens),
                            kvb_sgl_digits(steps, setup->draft_steps)};
    for (size_t i = 0; i < sizeof rows / sizeof rows[0]; i++) {
        const struct refusal *row = &rows[i];
        bool then = setup->release >= row->since && (row->until == 0 || setup->release < row->until);
        if (then && row->refuses(context)) {
            kvb_sgl_say(out, row->text, values);
            return row->rule;
        }
    }
    return NULL;
}
