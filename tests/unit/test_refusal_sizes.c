// Rules of vLLM about ranks, prefills, sizes and shapes, asked one by one. Expected values are read from vllm/config,
// vllm/engine/arg_utils.py and vllm/model_executor/layers/quantization at the tags named beside them.
#include "unit/refusal_says.h"
#include "unit/test.h"

static struct kvb_plan plan;

static void make(uint32_t release)
{
    make_llama_plan(&plan, release);
    plan.plain_flags = KVB_PLAIN_SERVE_LINE;
}

// ---- Prefills and ranks

// scheduler.py v0.9.0; arg_utils.py v0.11.1 to v0.26.0 _check_feature_supported.
static void partial_prefills(void **state)
{
    (void)state;
    make(R(9, 0));
    set(&plan, KVB_SET_ENABLE_CHUNKED_PREFILL, 0);
    set(&plan, KVB_SET_MAX_NUM_BATCHED_TOKENS, 8192);
    says(kvb_refusal_partial_prefills, &plan, NULL);
    give(&plan, KVB_PLAIN_PARTIAL_PREFILLS, 2);
    says(kvb_refusal_partial_prefills, &plan, "Chunked prefill must be enabled to set max_num_partial_prefills > 1.");
    set(&plan, KVB_SET_ENABLE_CHUNKED_PREFILL, 1);
    says(kvb_refusal_partial_prefills, &plan, NULL);
    give(&plan, KVB_PLAIN_LONG_PREFILL_THRESHOLD, 8193);
    says(kvb_refusal_partial_prefills, &plan,
         "long_prefill_token_threshold (8193) cannot be greater than the max_model_len (8192).");
    says(kvb_refusal_prefill_threshold, &plan, "(8193) cannot be greater");
    give(&plan, KVB_PLAIN_LONG_PREFILL_THRESHOLD, 8192);
    says(kvb_refusal_prefill_threshold, &plan, NULL);
    give(&plan, KVB_PLAIN_LONG_PARTIAL_PREFILLS, 2);
    says(kvb_refusal_partial_prefills, &plan, NULL);
    give(&plan, KVB_PLAIN_LONG_PARTIAL_PREFILLS, 3);
    says(kvb_refusal_partial_prefills, &plan, "max_long_partial_prefills (3) must be greater than or equal to 1");
    plan.engine.release = R(26, 0);
    says(kvb_refusal_partial_prefills, &plan, "Concurrent Partial Prefill is not supported. We recommend");
    plan.engine.release = R(11, 1);
    says(kvb_refusal_partial_prefills, &plan, "Concurrent Partial Prefill is not supported. We recommend");
    plan.engine.release = R(11, 0);
    says(kvb_refusal_partial_prefills, &plan, "is not supported by the V1 Engine.");
}

// parallel.py, arg_utils.py v0.9.0, v0.12.0, v0.21.0, v0.27.0.
static void ranks_of_data(void **state)
{
    (void)state;
    make(R(11, 0));
    says(kvb_refusal_data_ranks, &plan, NULL);
    plan.plain_flags = KVB_PLAIN_EXTERNAL_LB;
    says(kvb_refusal_data_ranks, &plan, "must be spefified if");
    plan.engine.release = R(12, 0);
    says(kvb_refusal_data_ranks, &plan, "must be specified if");
    plan.engine.release = R(27, 0);
    says(kvb_refusal_data_ranks, &plan, "`--data-parallel-external-lb` requires a data-parallel rank.");
    give(&plan, KVB_PLAIN_NODES, 2);
    says(kvb_refusal_data_ranks, &plan, "data_parallel_external_lb can only be set when data_parallel_size > 1");
    give(&plan, KVB_PLAIN_NODES, 1);
    give(&plan, KVB_PLAIN_DATA_PARALLEL_RANK, 0);
    says(kvb_refusal_data_ranks, &plan, "data_parallel_external_lb can only be set when data_parallel_size > 1");
    set(&plan, KVB_SET_DATA_PARALLEL_SIZE, 2);
    says(kvb_refusal_data_ranks, &plan, "Non-MoE models do not support external data parallel mode.");
    plan.engine.release = R(20, 0);
    says(kvb_refusal_data_ranks, &plan, NULL);
    plan.engine.release = R(27, 0);
    plan.model.kinds[0].mlp = (struct kvb_mlp_shape){
        .kind = KVB_MLP_MOE, .experts = 8, .experts_per_token = 2, .expert_intermediate_size = 1024};
    says(kvb_refusal_data_ranks, &plan, NULL);
    give(&plan, KVB_PLAIN_DATA_PARALLEL_RANK, 1);
    says(kvb_refusal_data_ranks, &plan, NULL);
    give(&plan, KVB_PLAIN_DATA_PARALLEL_RANK, 2);
    says(kvb_refusal_data_ranks, &plan, "data_parallel_rank (2) must be in the range [0, 2)");
    give(&plan, KVB_PLAIN_DATA_PARALLEL_RANK, 1);
    plan.plain_numbers[KVB_PLAIN_DATA_PARALLEL_RANK].negative = true;
    says(kvb_refusal_data_ranks, &plan, "data_parallel_rank (-1) must be in the range [0, 2)");
    plan.plain_numbers[KVB_PLAIN_DATA_PARALLEL_RANK] = (struct kvb_plain_value){0};
    give(&plan, KVB_PLAIN_NODES, 2);
    says(kvb_refusal_data_ranks, &plan, NULL);
}

static void ranks_on_this_node(void **state)
{
    (void)state;
    make(R(11, 0));
    plan.plain_flags = KVB_PLAIN_HYBRID_LB;
    says(kvb_refusal_data_ranks, &plan, "data_parallel_size_local must be set to use data_parallel_hybrid_lb.");
    plan.engine.release = R(27, 0);
    says(kvb_refusal_data_ranks, &plan, "`--data-parallel-hybrid-lb` requires `--data-parallel-size-local`.");
    give(&plan, KVB_PLAIN_NODES, 2);
    says(kvb_refusal_data_ranks, &plan, NULL);
    give(&plan, KVB_PLAIN_DATA_PARALLEL_LOCAL, 2);
    says(kvb_refusal_data_ranks, &plan, "data_parallel_size_local (2) must be <= data_parallel_size (1)");
    set(&plan, KVB_SET_DATA_PARALLEL_SIZE, 2);
    says(kvb_refusal_data_ranks, &plan, NULL);
}

// vllm.py v0.22.0.
static void routed_experts(void **state)
{
    (void)state;
    make(R(22, 0));
    set(&plan, KVB_SET_KV_TRANSFER, 1);
    says(kvb_refusal_routed_experts, &plan, NULL);
    plan.plain_flags |= KVB_PLAIN_ROUTED_EXPERTS;
    says(kvb_refusal_routed_experts, &plan, "is incompatible with KV connectors");
    unset(&plan, KVB_SET_KV_TRANSFER);
    says(kvb_refusal_routed_experts, &plan, NULL);
    set(&plan, KVB_SET_PIPELINE_PARALLEL_SIZE, 2);
    says(kvb_refusal_routed_experts, &plan, "is incompatible with pipeline parallelism (PP > 1).");
}

// arg_utils.py v0.5.5, v0.6.3; config.py v0.4.1 SpeculativeConfig.
static void several_steps_on_v0(void **state)
{
    (void)state;
    make(R(6, 3));
    set(&plan, KVB_SET_ENABLE_CHUNKED_PREFILL, 1);
    set(&plan, KVB_SET_PIPELINE_PARALLEL_SIZE, 2);
    says(kvb_refusal_steps_at_once, &plan, NULL);
    give(&plan, KVB_PLAIN_SCHEDULER_STEPS, 8);
    says(kvb_refusal_steps_at_once, &plan, "is not supported for pipeline-parallel-size > 1");
    plan.engine.release = R(6, 2);
    says(kvb_refusal_steps_at_once, &plan, "Chunked prefill is not supported with multi-step");
    set(&plan, KVB_SET_ENABLE_CHUNKED_PREFILL, 0);
    says(kvb_refusal_steps_at_once, &plan, NULL);
    plan.engine.release = R(6, 3);
    set(&plan, KVB_SET_ENABLE_CHUNKED_PREFILL, 1);
    unset(&plan, KVB_SET_PIPELINE_PARALLEL_SIZE);
    says(kvb_refusal_steps_at_once, &plan, NULL);
    set(&plan, KVB_SET_SPECULATIVE_METHOD, KVB_SPECULATIVE_NGRAM);
    says(kvb_refusal_steps_at_once, &plan, "Speculative decoding is not supported with multi-step");
    says(kvb_refusal_draft_v0, &plan, "are currently mutually exclusive (enable_chunked_prefill=True).");
    set(&plan, KVB_SET_ENABLE_CHUNKED_PREFILL, 0);
    says(kvb_refusal_draft_v0, &plan, "Speculative decoding requires usage of the V2 block manager.");
    plan.plain_flags |= KVB_PLAIN_V2_BLOCKS;
    says(kvb_refusal_draft_v0, &plan, NULL);
    plan.plain_flags = 0;
    says(kvb_refusal_draft_v0, &plan, NULL);
}

// ---- Sizes

// vllm.py v0.11.1 _set_cudagraph_sizes.
static void sizes_of_graphs(void **state)
{
    (void)state;
    make(R(12, 0));
    set(&plan, KVB_SET_MAX_NUM_BATCHED_TOKENS, 2048);
    name_size(&plan, 256);
    says(kvb_refusal_graph_sizes, &plan, NULL); // no largest one is asked for
    set(&plan, KVB_SET_MAX_CUDAGRAPH_CAPTURE_SIZE, 512);
    says(kvb_refusal_graph_sizes, &plan,
         "(=512) should be consistent with the max value of cudagraph_capture_sizes(=256)");
    set(&plan, KVB_SET_CUDAGRAPH_MODE, KVB_GRAPH_MODE_PIECEWISE);
    says(kvb_refusal_graph_sizes, &plan, "(=512)");
    set(&plan, KVB_SET_CUDAGRAPH_MODE, KVB_GRAPH_MODE_NONE);
    says(kvb_refusal_graph_sizes, &plan, NULL);
    unset(&plan, KVB_SET_CUDAGRAPH_MODE);
    set(&plan, KVB_SET_ENFORCE_EAGER, 1);
    says(kvb_refusal_graph_sizes, &plan, NULL);
    unset(&plan, KVB_SET_ENFORCE_EAGER);
    set(&plan, KVB_SET_MAX_CUDAGRAPH_CAPTURE_SIZE, 128);
    says(kvb_refusal_graph_sizes, &plan, "(=128)");
    set(&plan, KVB_SET_MAX_CUDAGRAPH_CAPTURE_SIZE, 256);
    says(kvb_refusal_graph_sizes, &plan, NULL);
    name_size(&plan, 4096); // above the step: left out, and nothing is left
    says(kvb_refusal_graph_sizes, &plan,
         "(=256) should be consistent with the max value of cudagraph_capture_sizes(=0)");
    plan.graph_sizes = (struct kvb_graph_sizes){.named_none = true};
    unset(&plan, KVB_SET_MAX_CUDAGRAPH_CAPTURE_SIZE);
    says(kvb_refusal_graph_sizes, &plan, "cudagraph_capture_sizes should contain at least one element");
    plan.graph_sizes.named_none = false;
    says(kvb_refusal_graph_sizes, &plan, NULL);
    set(&plan, KVB_SET_MAX_CUDAGRAPH_CAPTURE_SIZE, 0);
    says(kvb_refusal_graph_sizes, &plan, "Maximum cudagraph size should be greater than or equal to 1");
    plan.graph_sizes.named_none = true; // the list's own largest
    says(kvb_refusal_graph_sizes, &plan, "should contain at least one element");
}

// offload.py v0.17.0.
static void groups_of_offloaded_layers(void **state)
{
    (void)state;
    make(R(17, 0));
    says(kvb_refusal_offload_groups, &plan, NULL);
    plan.plain_flags |= KVB_PLAIN_PREFETCH;
    says(kvb_refusal_offload_groups, &plan, "offload_num_in_group (1) must be <= offload_group_size (0)");
    give(&plan, KVB_PLAIN_OFFLOAD_GROUP, 8);
    says(kvb_refusal_offload_groups, &plan, NULL);
    plan.plain_flags = 0;
    give(&plan, KVB_PLAIN_OFFLOAD_AHEAD, 0);
    says(kvb_refusal_offload_groups, &plan, "offload_prefetch_step (0) must be >= 1");
    give(&plan, KVB_PLAIN_OFFLOAD_AHEAD, 1);
    says(kvb_refusal_offload_groups, &plan, NULL);
    give(&plan, KVB_PLAIN_OFFLOAD_IN_GROUP, 9);
    says(kvb_refusal_offload_groups, &plan, "offload_num_in_group (9) must be <= offload_group_size (8)");
    give(&plan, KVB_PLAIN_OFFLOAD_IN_GROUP, 8);
    says(kvb_refusal_offload_groups, &plan, NULL);
}

// parallel.py v0.12.0, v0.26.0; cp_utils.py v0.13.0.
static void ranks_of_one_prompt(void **state)
{
    (void)state;
    make_latent_plan(&plan, R(12, 0), 8192, 256);
    says(kvb_refusal_prompt_ranks, &plan, NULL);
    set(&plan, KVB_SET_PREFILL_CONTEXT_PARALLEL_SIZE, 2);
    says(kvb_refusal_prompt_ranks, &plan, "Prefill context parallelism is not fully supported.");
    plan.engine.release = R(13, 0);
    says(kvb_refusal_prompt_ranks, &plan, NULL);
    says(kvb_refusal_prompt_backends, &plan, "PCP requires attention impls' support");
    plan.engine.release = R(26, 0);
    says(kvb_refusal_prompt_ranks, &plan, NULL);
    says(kvb_refusal_prompt_backends, &plan, NULL);
    set(&plan, KVB_SET_DECODE_CONTEXT_PARALLEL_SIZE, 2); // spans the ranks of the prompt
    says(kvb_refusal_prompt_ranks, &plan, NULL);
    set(&plan, KVB_SET_TENSOR_PARALLEL_SIZE, 4);
    set(&plan, KVB_SET_DECODE_CONTEXT_PARALLEL_SIZE, 8); // spans all
    says(kvb_refusal_prompt_ranks, &plan, NULL);
    set(&plan, KVB_SET_DECODE_CONTEXT_PARALLEL_SIZE, 4);
    says(kvb_refusal_prompt_ranks, &plan, "DCP must be disabled, span the PCP axis, or span the full TP x PCP axis.");
    set(&plan, KVB_SET_DATA_PARALLEL_SIZE, 2);
    says(kvb_refusal_prompt_ranks, &plan, "PCP does not support data parallelism yet.");
    make(R(26, 0));
    set(&plan, KVB_SET_PREFILL_CONTEXT_PARALLEL_SIZE, 2);
    says(kvb_refusal_prompt_backends, &plan, "No valid attention backend found for cuda: PCP not supported");
}

// engine/arg_utils.py v0.10.2 and parallel.py v0.25.0 whatever shares a prompt; v0.26.0 only where nothing does.
static void ranks_that_decode_divide(void **state)
{
    (void)state;
    make_latent_plan(&plan, R(25, 0), 8192, 256);
    set(&plan, KVB_SET_TENSOR_PARALLEL_SIZE, 4);
    set(&plan, KVB_SET_DECODE_CONTEXT_PARALLEL_SIZE, 2);
    says(kvb_refusal_dcp_divides, &plan, NULL);
    set(&plan, KVB_SET_DECODE_CONTEXT_PARALLEL_SIZE, 8);
    says(kvb_refusal_dcp_divides, &plan, "tp_size=4 must be divisible bydcp_size=8.");
    set(&plan, KVB_SET_PREFILL_CONTEXT_PARALLEL_SIZE, 2);
    says(kvb_refusal_dcp_divides, &plan, "tp_size=4 must be divisible bydcp_size=8.");
    plan.engine.release = R(26, 0);
    says(kvb_refusal_dcp_divides, &plan, NULL);
    unset(&plan, KVB_SET_PREFILL_CONTEXT_PARALLEL_SIZE);
    says(kvb_refusal_dcp_divides, &plan, "tp_size=4 must be divisible by dcp_size=8.");
}

// model.py verify_with_parallel_config v0.11.1, v0.12.0, v0.27.0: 8 KV heads of 32.
static void ranks_of_decoding(void **state)
{
    (void)state;
    make(R(11, 1));
    set(&plan, KVB_SET_TENSOR_PARALLEL_SIZE, 8);
    says(kvb_refusal_dcp, &plan, NULL);
    set(&plan, KVB_SET_DECODE_CONTEXT_PARALLEL_SIZE, 2);
    says(kvb_refusal_dcp, &plan, "tensor parallel size 8 must be greater than total num kv heads 8");
    plan.model.kinds[0].attention.kind = KVB_ATTENTION_SLIDING; // has heads of keys and values, too
    says(kvb_refusal_dcp, &plan, "tensor parallel size 8 must be greater than total num kv heads 8");
    plan.model.kinds[0].attention.kind = KVB_ATTENTION_SHORT_CONV;
    says(kvb_refusal_dcp, &plan, NULL);
    plan.model.kinds[0].attention.kind = KVB_ATTENTION_FULL;
    set(&plan, KVB_SET_TENSOR_PARALLEL_SIZE, 16);
    says(kvb_refusal_dcp, &plan, NULL);
    set(&plan, KVB_SET_DECODE_CONTEXT_PARALLEL_SIZE, 4);
    says(kvb_refusal_dcp, &plan, "(tensor parallel size 16 // total num kv heads 8) = 2, but got 4");
    plan.engine.release = R(27, 0);
    says(kvb_refusal_dcp, &plan, "`--decode-context-parallel-size` (4) exceeds the maximum supported value (2)");
    plan.model.kinds[0].attention.heads = 24; // 3 queries a head
    set(&plan, KVB_SET_DECODE_CONTEXT_PARALLEL_SIZE, 2);
    set(&plan, KVB_SET_TENSOR_PARALLEL_SIZE, 24);
    says(kvb_refusal_dcp, &plan,
         "query heads per KV head (3) must be divisible by `--decode-context-parallel-size` (2)");
    make_latent_plan(&plan, R(27, 0), 8192, 256);
    set(&plan, KVB_SET_DECODE_CONTEXT_PARALLEL_SIZE, 2);
    says(kvb_refusal_dcp, &plan, NULL);
}

// ---- Shapes of quantised weights

static void quantise(enum kvb_quantisation_method method, const char *name)
{
    plan.model.quantisation = (struct kvb_quantisation){.method = method, .bits = 4, .group_size = 128};
    (void)strcpy(plan.model.quantisation.name, name);
}

// gptq.py, awq.py: 14336 / 8 and 4096 / 8 are multiples of 128, 14400 / 8 = 1800 is not.
static void groups_cut_in_two(void **state)
{
    (void)state;
    static const enum kvb_quantisation_method methods[] = {KVB_QUANT_AWQ, KVB_QUANT_GPTQ, KVB_QUANT_WNA16};
    for (size_t i = 0; i < sizeof methods / sizeof methods[0]; i++) {
        make(R(9, 0));
        quantise(methods[i], "any");
        plan.model.kinds[0].mlp.intermediate_size = 14464; // 113 x 128, and half of it 56.5 x 128
        says(kvb_refusal_group_shape, &plan, NULL);
        set(&plan, KVB_SET_TENSOR_PARALLEL_SIZE, 2);
        says(kvb_refusal_group_shape, &plan, "The input size is not aligned with the quantized weight shape.");
        plan.model.kinds[0].mlp.intermediate_size = 14336;
        says(kvb_refusal_group_shape, &plan, NULL);
        set(&plan, KVB_SET_TENSOR_PARALLEL_SIZE, 8);
        says(kvb_refusal_group_shape, &plan, NULL);
        plan.model.kinds[0].mlp.intermediate_size = 14400;
        says(kvb_refusal_group_shape, &plan, "The input size is not aligned with the quantized weight shape.");
        plan.model.kinds[0].mlp.kind = KVB_MLP_PLAIN;
        says(kvb_refusal_group_shape, &plan, "The input size is not aligned");
        plan.model.quantisation.unquantised_roles = 1U << KVB_ROLE_MLP;
        says(kvb_refusal_group_shape, &plan, NULL);
        plan.model.kinds[0].attention.head_size = 120; // 32 x 120 / 8 = 480
        says(kvb_refusal_group_shape, &plan, "The input size is not aligned");
        plan.model.kinds[0].attention.kind = KVB_ATTENTION_SLIDING;
        says(kvb_refusal_group_shape, &plan, "The input size is not aligned");
        plan.model.checkpoint.kind = KVB_CHECKPOINT_GGUF;
        says(kvb_refusal_group_shape, &plan, NULL);
        plan.model.checkpoint.kind = KVB_CHECKPOINT_NONE;
        plan.model.quantisation.group_size = 0;
        says(kvb_refusal_group_shape, &plan, NULL);
    }
}

static void make_experts(enum kvb_quantisation_method method, uint32_t inner)
{
    make(R(9, 0));
    quantise(method, "any");
    plan.model.kinds[0].mlp = (struct kvb_mlp_shape){
        .kind = KVB_MLP_MOE, .experts = 8, .experts_per_token = 2, .expert_intermediate_size = inner};
}

// moe_wna16.py v0.8.5: the group is halved until it divides both sizes, and is at least 32.
static void groups_of_experts(void **state)
{
    (void)state;
    make_experts(KVB_QUANT_AWQ, 1024 + 32);
    says(kvb_refusal_expert_groups, &plan, NULL);
    make_experts(KVB_QUANT_GPTQ, 1024 + 16);
    says(kvb_refusal_expert_groups, &plan, "assert group_size >= 32: AssertionError");
    plan.model.kinds[0].mlp.expert_intermediate_size = 1024;
    says(kvb_refusal_expert_groups, &plan, NULL);
    plan.model.hidden_size = 4096 + 16;
    says(kvb_refusal_expert_groups, &plan, "assert group_size >= 32: AssertionError");
    plan.model.quantisation.unquantised_roles = 1U << KVB_ROLE_EXPERTS;
    says(kvb_refusal_expert_groups, &plan, NULL);
    plan.model.quantisation.unquantised_roles = 0;
    plan.model.checkpoint.kind = KVB_CHECKPOINT_GGUF;
    says(kvb_refusal_expert_groups, &plan, NULL);
    plan.model.checkpoint.kind = KVB_CHECKPOINT_NONE;
    set(&plan, KVB_SET_ENABLE_EXPERT_PARALLEL, 1);
    set(&plan, KVB_SET_TENSOR_PARALLEL_SIZE, 2);
    says(kvb_refusal_expert_groups, &plan, NULL);
    unset(&plan, KVB_SET_ENABLE_EXPERT_PARALLEL);
    plan.model.quantisation.group_size = 0;
    says(kvb_refusal_expert_groups, &plan, NULL);
    make_experts(KVB_QUANT_GPTQ, 1024);
    plan.model.kinds[0].mlp.kind = KVB_MLP_GATED; // nothing of experts
    plan.model.hidden_size = 4096 + 16;
    says(kvb_refusal_expert_groups, &plan, NULL);
}

// fp8.py create_weights, fp8_utils.py validate_fp8_block_shape: blocks of 128 x 128.
static void blocks_cut_in_two(void **state)
{
    (void)state;
    make(R(9, 0));
    struct kvb_quantisation *q = &plan.model.quantisation;
    *q = (struct kvb_quantisation){
        .method = KVB_QUANT_FP8, .bits = 8, .scale = KVB_SCALE_BLOCK, .block_rows = 128, .block_columns = 128};
    plan.model.kinds[0].mlp.intermediate_size = 14400;
    says(kvb_refusal_block_shape, &plan, NULL); // not asked of one rank
    set(&plan, KVB_SET_TENSOR_PARALLEL_SIZE, 8);
    says(kvb_refusal_block_shape, &plan,
         "Weight input_size_per_partition = 1800 is not divisible by weight quantization "
         "block_k = 128.");
    q->block_columns = 0;
    says(kvb_refusal_block_shape, &plan, NULL);
    q->block_columns = 128;
    q->block_rows = 0;
    says(kvb_refusal_block_shape, &plan, NULL);
    q->block_rows = 128;
    plan.model.kinds[0].mlp = (struct kvb_mlp_shape){
        .kind = KVB_MLP_MOE, .experts = 8, .experts_per_token = 2, .expert_intermediate_size = 1536};
    says(kvb_refusal_block_shape, &plan,
         "gate's and up's weight = 192 is not divisible by weight quantization "
         "block_n = 128.");
    set(&plan, KVB_SET_ENABLE_EXPERT_PARALLEL, 1);
    says(kvb_refusal_block_shape, &plan, NULL);
}

KVB_TEST_MAIN(cmocka_unit_test(partial_prefills), cmocka_unit_test(ranks_of_data), cmocka_unit_test(ranks_on_this_node),
              cmocka_unit_test(routed_experts), cmocka_unit_test(several_steps_on_v0),
              cmocka_unit_test(sizes_of_graphs), cmocka_unit_test(groups_of_offloaded_layers),
              cmocka_unit_test(ranks_that_decode_divide), cmocka_unit_test(ranks_of_one_prompt),
              cmocka_unit_test(ranks_of_decoding), cmocka_unit_test(groups_cut_in_two),
              cmocka_unit_test(groups_of_experts), cmocka_unit_test(blocks_cut_in_two))
