// Rules about plain flags of vLLM's serve line, on both sides of each number they ask for: vllm/config/lora.py,
// config/parallel.py, config/vllm.py and engine/arg_utils.py at the tags beside the rows.
#include <string.h>

#include "unit/refusal_says.h"
#include "unit/test.h"

static struct kvb_plan plan;

// LoRAConfig: max_cpu_loras as many as max_loras at least, which are one where nobody says; 0 is not said.
static void adapters_on_the_host(void **state)
{
    (void)state;
    static const struct {
        uint64_t adapters, on_host; // 0: not said
        bool refused;
    } rows[] = {{4, 3, true}, {4, 4, false}, {4, 5, false}, {4, 0, false}, {0, 1, false}, {2, 1, true}, {1, 1, false}};
    for (size_t i = 0; i < 2 * sizeof rows / sizeof rows[0]; i++) {
        make_llama_plan(&plan, R(14, 0));
        set(&plan, KVB_SET_ENABLE_LORA, i % 2);
        if (rows[i / 2].adapters > 0) {
            set(&plan, KVB_SET_MAX_LORAS, rows[i / 2].adapters);
        }
        give(&plan, KVB_PLAIN_MAX_CPU_LORAS, rows[i / 2].on_host);
        says(kvb_refusal_cpu_loras, &plan, i % 2 == 1 && rows[i / 2].refused ? "must be >= max_loras" : NULL);
    }
}

static void make_experts(uint32_t release, uint64_t ranks, uint32_t flags)
{
    make_llama_plan(&plan, release);
    plan.model.kinds[0].mlp.kind = KVB_MLP_MOE;
    plan.model.kinds[0].mlp.experts = 8;
    set(&plan, KVB_SET_DATA_PARALLEL_SIZE, ranks);
    plan.plain_flags = flags;
}

// ParallelConfig v0.20.0: with balancing outside the rank is given or follows from the nodes; 0 to below the ranks.
static void ranks_by_hand(void **state)
{
    (void)state;
    static const struct {
        uint64_t ranks, nodes;
        bool given, negative;
        uint64_t rank;
        const char *part;
    } rows[] = {
        {2, 1, false, false, 0, "data_parallel_rank or node_rank must be specified"},
        {2, 2, false, false, 0, NULL},
        {2, 1, true, false, 0, NULL},
        {2, 1, true, false, 1, NULL},
        {2, 1, true, false, 2, "data_parallel_rank (2) must be in the range [0, 2)"},
        {2, 1, true, true, 1, "data_parallel_rank (-1) must be in the range [0, 2)"},
        {1, 2, false, false, 0, "can only be set when data_parallel_size > 1"},
        {1, 1, true, false, 0, "can only be set when data_parallel_size > 1"},
    };
    for (size_t i = 0; i < sizeof rows / sizeof rows[0]; i++) {
        make_experts(R(20, 0), rows[i].ranks, KVB_PLAIN_EXTERNAL_LB);
        give(&plan, KVB_PLAIN_NODES, rows[i].nodes);
        plan.plain_numbers[KVB_PLAIN_DATA_PARALLEL_RANK] =
            (struct kvb_plain_value){.set = rows[i].given, .negative = rows[i].negative, .number = rows[i].rank};
        says(kvb_refusal_data_ranks, &plan, rows[i].part);
    }
}

// The same: hybrid balancing asks for the ranks here, and there are no more of them than all.
static void ranks_here(void **state)
{
    (void)state;
    static const struct {
        uint64_t ranks, nodes, local; // local 0: not said
        uint32_t flags;
        const char *part;
    } rows[] = {
        {2, 1, 0, KVB_PLAIN_HYBRID_LB, "data_parallel_size_local must be set"},
        {2, 2, 0, KVB_PLAIN_HYBRID_LB, NULL},
        {2, 1, 2, KVB_PLAIN_HYBRID_LB, NULL},
        {2, 1, 2, 0, NULL},
        {2, 1, 3, 0, "data_parallel_size_local (3) must be <= data_parallel_size (2)"},
        {2, 1, 3, KVB_PLAIN_HYBRID_LB, "data_parallel_size_local (3) must be <= data_parallel_size (2)"},
    };
    for (size_t i = 0; i < sizeof rows / sizeof rows[0]; i++) {
        make_experts(R(20, 0), rows[i].ranks, rows[i].flags);
        give(&plan, KVB_PLAIN_NODES, rows[i].nodes);
        if (rows[i].local > 0) {
            give(&plan, KVB_PLAIN_DATA_PARALLEL_LOCAL, rows[i].local);
        }
        says(kvb_refusal_data_ranks, &plan, rows[i].part);
    }
}

// v0.14.0 counts --ubatch-size, of which 1 is none.
static void parts_of_a_step(void **state)
{
    (void)state;
    static const struct {
        uint32_t release, flags;
        uint64_t parts;
        bool refused;
    } rows[] = {
        {R(13, 0), 0, 2, false},
        {R(14, 0), 0, 2, true},
        {R(14, 0), 0, 1, false},
        {R(14, 0), KVB_PLAIN_DEEPEP, 2, false},
        {R(13, 0), KVB_PLAIN_DBO, 0, true},
        {R(14, 0), KVB_PLAIN_DBO | KVB_PLAIN_DEEPEP, 0, false},
    };
    for (size_t i = 0; i < sizeof rows / sizeof rows[0]; i++) {
        make_experts(rows[i].release, 1, rows[i].flags);
        give(&plan, KVB_PLAIN_MICROBATCHES, rows[i].parts);
        says(kvb_refusal_dbo, &plan, rows[i].refused ? "Microbatching currently only supports" : NULL);
    }
}

// v0.27.1 and 53e211d292 config/vllm.py: experts that are returned go with stages, ranks of context and connectors in
// no release, ranks of context before 0.28.0.
static void returned_experts(void **state)
{
    (void)state;
    static const struct {
        uint32_t release;
        enum kvb_setting setting;
        const char *part;
    } rows[] = {
        {R(27, 1), KVB_SET_PIPELINE_PARALLEL_SIZE, "pipeline parallelism (PP > 1)"},
        {R(27, 1), KVB_SET_DECODE_CONTEXT_PARALLEL_SIZE, NULL},
        {R(28, 0), KVB_SET_DECODE_CONTEXT_PARALLEL_SIZE, "(DCP > 1 or PCP > 1)"},
        {R(28, 0), KVB_SET_PREFILL_CONTEXT_PARALLEL_SIZE, "(DCP > 1 or PCP > 1)"},
        {R(28, 0), KVB_SET_KV_TRANSFER, "KV connectors"},
    };
    for (size_t i = 0; i < sizeof rows / sizeof rows[0]; i++) {
        make_experts(rows[i].release, 1, KVB_PLAIN_ROUTED_EXPERTS);
        set(&plan, KVB_SET_TENSOR_PARALLEL_SIZE, 2);
        says(kvb_refusal_routed_experts, &plan, NULL);
        set(&plan, rows[i].setting, 2);
        says(kvb_refusal_routed_experts, &plan, rows[i].part);
        plan.plain_flags = 0;
        says(kvb_refusal_routed_experts, &plan, NULL);
    }
}

// arg_utils.py v0.6.2 and v0.6.3: several steps at once go with chunks from 0.6.3 on, but not over stages.
static void several_steps(void **state)
{
    (void)state;
    static const struct {
        uint32_t release;
        uint64_t steps, chunks, stages;
        const char *part;
    } rows[] = {
        {R(6, 2), 8, 1, 1, "Chunked prefill is not supported with multi-step"},
        {R(6, 3), 8, 1, 1, NULL},
        {R(6, 3), 8, 1, 2, "is not supported for pipeline-parallel-size > 1"},
        {R(6, 3), 8, 0, 2, NULL},
        {R(6, 2), 1, 1, 2, NULL},
        {R(6, 2), 2, 1, 1, "Chunked prefill is not supported with multi-step"},
    };
    for (size_t i = 0; i < sizeof rows / sizeof rows[0]; i++) {
        make_llama_plan(&plan, rows[i].release);
        give(&plan, KVB_PLAIN_SCHEDULER_STEPS, rows[i].steps);
        set(&plan, KVB_SET_ENABLE_CHUNKED_PREFILL, rows[i].chunks);
        set(&plan, KVB_SET_PIPELINE_PARALLEL_SIZE, rows[i].stages);
        says(kvb_refusal_steps_at_once, &plan, rows[i].part);
    }
}

KVB_TEST_MAIN(cmocka_unit_test(adapters_on_the_host), cmocka_unit_test(ranks_by_hand), cmocka_unit_test(ranks_here),
              cmocka_unit_test(parts_of_a_step), cmocka_unit_test(returned_experts), cmocka_unit_test(several_steps))
