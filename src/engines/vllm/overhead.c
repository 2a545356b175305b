// Non-torch growth and what lies outside the request, by release, GPU and parallel size: which rows of overheads.inc
// count.
#include "engines/vllm/overhead.h"

#include "base/checked.h"
#include "budget/gpu_facts.h"
#include "engines/vllm/compile.h"
#include "engines/vllm/encoder_items.h"
#include "engines/vllm/facts.h"
#include "engines/vllm/overheads.h"
#include "engines/vllm/runner.h"

#define CENTI_GIB ((uint64_t)(1ULL << 30) / 100)
#define R(minor, patch) KVB_RELEASE(0, minor, patch)
#define SYMMETRIC_SINCE R(18, 0) // symmetric-memory and all-reduce buffers
#define FUSION_BUFFER 50         // hundredths of a GiB
#define FREE_MEMORY_SINCE R(27, 0)
#define PEERS_SINCE R(6, 4)
#define MULTICAST_SINCE R(26, 0) // one buffer that NVSwitch multicasts from
#define RANKS_OF_A_NODE 8
#define FP4_EXPERTS_SINCE R(19, 0) // Qwen3.6's first copies
#define FP4_EXPERTS_UNTIL R(24, 0) // a log of it holds nothing of the kind
#define HOST_GROWTH_SINCE R(12, 0) // utils/mem_utils.py v0.12.0:102: free is what the host calls available

enum card { BELOW_HOPPER, HOPPER_ON, CONSUMER };
enum link { ALONE, NVLINK, PCIE }; // between the ranks

struct non_torch_row {
    uint32_t since; // the last row that a release has counts
    enum card card; // below 9.0; from 9.0 on; 12.x
    enum link link;
    enum kvb_overhead measured;
};

static const struct non_torch_row non_torch_rows[] = {
    {0, BELOW_HOPPER, ALONE, KVB_OVERHEAD_ONE_RANK},
    {R(18, 0), BELOW_HOPPER, ALONE, KVB_OVERHEAD_ONE_RANK_018},
    {0, CONSUMER, ALONE, KVB_OVERHEAD_ONE_CONSUMER},
    {R(18, 0), CONSUMER, ALONE, KVB_OVERHEAD_ONE_CONSUMER_018},
    {0, HOPPER_ON, ALONE, KVB_OVERHEAD_ONE_HOPPER},
    {R(18, 0), HOPPER_ON, ALONE, KVB_OVERHEAD_ONE_HOPPER_018},
    {0, BELOW_HOPPER, NVLINK, KVB_OVERHEAD_NVLINK},
    {0, HOPPER_ON, NVLINK, KVB_OVERHEAD_NVLINK_HOPPER},
    {R(18, 0), HOPPER_ON, NVLINK, KVB_OVERHEAD_NVLINK_HOPPER_018},
    {0, BELOW_HOPPER, PCIE, KVB_OVERHEAD_PCIE},
    {R(18, 0), BELOW_HOPPER, PCIE, KVB_OVERHEAD_PCIE_018},
    {0, HOPPER_ON, PCIE, KVB_OVERHEAD_PCIE_HOPPER},
    {R(18, 0), HOPPER_ON, PCIE, KVB_OVERHEAD_PCIE_HOPPER_018},
};

// From 0.17 all-reduce and norm are fused where graphs are compiled on Hopper and Blackwell of one node. FlashInfer's
// kernels keep symmetric buffers, each a multiple of what NVSwitch multicasts from, 512 MiB: TRT-LLM's backend three
// (data, flags, Lamport), MNNVL's one. Sources: vllm/config/vllm.py v0.17.0 and v0.21.0 enable_allreduce_rms_fusion;
// device_communicators/flashinfer_all_reduce.py v0.17.0, v0.25.0 (MNNVL, and TRT-LLM's for quantised patterns), v0.26.0
// (MNNVL for both); flashinfer comm/trtllm_ar.py and comm/mnnvl.py. Of 20 logs of 0.19 each holds 1.5 GiB more than
// those of 0.11 and those of GH200 without the fusion.
static const struct {
    uint32_t since, buffers;
} fusion_rows[] = {{R(17, 0), 3}, {R(25, 0), 4}, {R(26, 0), 1}};

static bool fuses_all_reduce(const struct kvb_context *context)
{
    uint32_t capability = context->gpu->compute_capability;
    bool card = capability == KVB_CAPABILITY_HOPPER ||
                (capability >= KVB_CAPABILITY_BLACKWELL && capability < KVB_CAPABILITY_THOR);
    bool bridged = context->release >= MULTICAST_SINCE && context->gpu->bridged; // 0.63 in two logs
    bool size = context->tp == 2 || context->tp == 4 || context->tp == 8;        // PassConfig.flashinfer_max_size
    bool alone = context->release >= R(21, 0) || (context->dp == 1 && context->pp == 1);
    return card && context->gpu->nvlink && !bridged && size && alone && !context->eager;
}

static uint32_t fusion_buffers(const struct kvb_context *context)
{
    uint32_t buffers = 0;
    for (size_t i = 0; i < sizeof fusion_rows / sizeof fusion_rows[0]; i++) {
        buffers = context->release >= fusion_rows[i].since ? fusion_rows[i].buffers : buffers;
    }
    return fuses_all_reduce(context) ? buffers : 0;
}

// FlashInfer's experts in 4 bits bring more than others do.
static enum card card_of(const struct kvb_context *context, bool many)
{
    uint32_t capability = context->gpu->compute_capability;
    if (capability < KVB_CAPABILITY_HOPPER) {
        return BELOW_HOPPER;
    }
    bool consumer = capability >= KVB_CAPABILITY_CONSUMER_BLACKWELL && !kvb_experts_are_fp4(context);
    return consumer && !many ? CONSUMER : HOPPER_ON;
}

// The rows cover every release.
static const struct non_torch_row *find_row(const struct kvb_context *context)
{
    enum link link = context->tp == 1 ? ALONE : context->gpu->nvlink ? NVLINK : PCIE;
    enum card card = card_of(context, link != ALONE);
    const struct non_torch_row *found = &non_torch_rows[0];
    for (size_t i = 0; i < sizeof non_torch_rows / sizeof non_torch_rows[0]; i++) {
        const struct non_torch_row *row = &non_torch_rows[i];
        if (row->card == card && row->link == link && context->release >= row->since) {
            found = row;
        }
    }
    return found;
}

static void add_bytes(struct kvb_estimate *estimate, uint64_t bytes)
{
    estimate->bytes = kvb_add(estimate->bytes, bytes);
    estimate->low_bytes = kvb_add(estimate->low_bytes, bytes);
    estimate->high_bytes = kvb_add(estimate->high_bytes, bytes);
}

static void add(struct kvb_estimate *estimate, enum kvb_overhead measured)
{
    const struct kvb_overhead_row *row = kvb_overhead_of(measured);
    estimate->bytes += (uint64_t)row->likely * CENTI_GIB;
    estimate->low_bytes += row->low * CENTI_GIB;
    estimate->high_bytes += row->high * CENTI_GIB;
}

static void start_with(struct kvb_estimate *estimate, enum kvb_overhead measured)
{
    *estimate = (struct kvb_estimate){0};
    add(estimate, measured);
}

static bool is_large(const struct kvb_context *context)
{
    return context->gpu->compute_capability >= KVB_CAPABILITY_HOPPER || context->gpu->nvlink;
}

static bool is_stage_alone(const struct kvb_context *context)
{
    return context->pp > 1 && context->tp == 1 && context->release >= SYMMETRIC_SINCE &&
           context->gpu->compute_capability >= KVB_CAPABILITY_HOPPER;
}

// Ranks on cards of compute capability 7 reach each other through the host's memory.
static bool is_early_pair(const struct kvb_context *context)
{
    uint32_t capability = context->gpu->compute_capability; // 0: not known
    return context->tp > 1 && !context->gpu->nvlink && context->release >= SYMMETRIC_SINCE && capability > 0 &&
           capability < KVB_CAPABILITY_AMPERE;
}

static enum kvb_overhead measured_of(const struct kvb_context *context)
{
    if (is_stage_alone(context)) {
        return KVB_OVERHEAD_STAGE_HOPPER_018;
    }
    return is_early_pair(context) ? KVB_OVERHEAD_PCIE_EARLY_018 : find_row(context)->measured;
}

// Releases of V0 that charge what torch holds without using it.
static void add_cached(const struct kvb_context *context, struct kvb_estimate *estimate)
{
    if (kvb_rule(context, KVB_RULE_ACCOUNTING_V0) == KVB_V0_FREE_DELTA) {
        add(estimate, KVB_OVERHEAD_CACHED);
    }
    if (context->release >= R(6, 5) && context->release < R(7, 0)) { // utils.py v0.6.5:1736
        enum kvb_quantisation_method method = context->model->quantisation.method;
        bool repacked = method == KVB_QUANT_AWQ || method == KVB_QUANT_GPTQ;
        add(estimate, repacked ? KVB_OVERHEAD_LEFT_BY_MARLIN : KVB_OVERHEAD_LEFT_OVER);
    }
}

// Releases that charge all that is on the device: the CUDA context, and every rank's with its all-reduce buffers.
static void add_contexts(const struct kvb_context *context, struct kvb_estimate *estimate)
{
    bool large = is_large(context);
    add(estimate, large ? KVB_OVERHEAD_CHARGED_CONTEXT_LARGE : KVB_OVERHEAD_CHARGED_CONTEXT);
    if (large && context->tp > 1 && context->release >= PEERS_SINCE) {
        add(estimate, context->tp > RANKS_OF_A_NODE ? KVB_OVERHEAD_NODES : KVB_OVERHEAD_PEERS);
    }
}

// Seen on consumer Blackwell and GB10 alike, whatever the batch, with and without graphs.
static void add_fp4_experts(const struct kvb_context *context, struct kvb_estimate *estimate)
{
    bool releases = context->release >= FP4_EXPERTS_SINCE && context->release < FP4_EXPERTS_UNTIL;
    bool card = KVB_CAPABILITY_MAJOR(context->gpu->compute_capability) == 12;
    if (releases && card && kvb_experts_are_fp4(context) && kvb_model_has(context->model, KVB_ATTENTION_GDN)) {
        add(estimate, context->gpu->unified_memory ? KVB_OVERHEAD_STATES_EXPERTS_UNIFIED : KVB_OVERHEAD_STATES_EXPERTS);
    }
}

// What the runner holds before the profile run, and what torch cannot give back behind it, is growth of used memory
// from 0.27 alone. Which block a workspace takes was right in each log of a first start so far; the range says either.
static void add_charged_buffers(const struct kvb_context *context, struct kvb_estimate *estimate)
{
    if (context->release >= FREE_MEMORY_SINCE) {
        uint64_t rest = kvb_compile_rest_bytes(context);
        add_bytes(estimate, kvb_runner_device_bytes(context));
        estimate->bytes = kvb_add(estimate->bytes, rest);
        estimate->high_bytes = kvb_add(estimate->high_bytes, rest);
    }
}

// On every platform: gpu_worker.py v0.27.0 determine_available_memory.
static void add_free_accounting(const struct kvb_context *context, struct kvb_estimate *estimate)
{
    if (context->release >= FREE_MEMORY_SINCE) {
        add(estimate, context->tp > 1 || context->pp > 1 ? KVB_OVERHEAD_UNUSED_RANKS : KVB_OVERHEAD_UNUSED);
    }
    add_charged_buffers(context, estimate);
}

// To 0.26 a profile run of runner V2 captures no graphs. A model that takes pictures makes its processor inside the
// worker, behind the first snapshot, and keeps the dummy item: gpu_model_runner.py v0.12.0 and v0.25.1
// _get_mm_dummy_batch, multimodal/encoder_budget.py v0.25.1; runner V2 gives both back (gpu/model_runner.py v0.27.1:706).
static void start_with_host_growth(const struct kvb_context *context, struct kvb_estimate *estimate)
{
    bool bare = context->v2_runner && context->release < FREE_MEMORY_SINCE;
    start_with(estimate, bare ? KVB_OVERHEAD_UNIFIED_V2 : KVB_OVERHEAD_UNIFIED);
    struct kvb_encoder_load load;
    kvb_encoder_load_of(context, &load);
    if (load.takes_items && !context->v2_runner) {
        add(estimate, KVB_OVERHEAD_UNIFIED_ITEMS);
    }
}

void kvb_non_torch_estimate(const struct kvb_context *context, struct kvb_estimate *estimate)
{
    bool ranks = context->tp > 1;
    if (context->gpu->vendor == KVB_VENDOR_AMD) {
        start_with(estimate, KVB_OVERHEAD_ROCM);
        add_free_accounting(context, estimate);
        return;
    }
    if (context->gpu->unified_memory && context->release >= HOST_GROWTH_SINCE) {
        start_with_host_growth(context, estimate);
        add_bytes(estimate, kvb_runner_host_bytes(context));
        add_charged_buffers(context, estimate);
        add_fp4_experts(context, estimate);
        return;
    }
    start_with(estimate, measured_of(context));
    if (context->generation == KVB_GENERATION_V0) {
        add_cached(context, estimate);
    }
    add_bytes(estimate, fusion_buffers(context) * FUSION_BUFFER * CENTI_GIB);
    if (context->ep > 1) {
        add(estimate, KVB_OVERHEAD_EXPERT_RANKS);
    }
    if (kvb_rules_charge_others(&context->rules, context->generation)) {
        add_contexts(context, estimate);
    }
    add_free_accounting(context, estimate);
    if (kvb_model_has_state(context->model) && context->release >= SYMMETRIC_SINCE) { // Triton modules
        add(estimate, !ranks                  ? KVB_OVERHEAD_STATES
                      : context->gpu->nvlink ? KVB_OVERHEAD_STATES_RANKS
                                             : KVB_OVERHEAD_STATES_RANKS_PCIE);
    }
    add_fp4_experts(context, estimate);
}

void kvb_context_estimate(const struct kvb_context *context, struct kvb_estimate *estimate)
{
    start_with(estimate, is_large(context) ? KVB_OVERHEAD_BEFORE_LARGE : KVB_OVERHEAD_BEFORE);
    bool ranks = kvb_rule(context, KVB_RULE_NCCL_OUTSIDE) && (context->tp > 1 || context->pp > 1);
    if (ranks && !context->gpu->nvlink) {
        add(estimate, KVB_OVERHEAD_BEFORE_PCIE);
    } else if (ranks) {
        bool experts = kvb_model_has_experts(context->model);
        add(estimate, experts ? KVB_OVERHEAD_BEFORE_EXPERTS : KVB_OVERHEAD_BEFORE_NVLINK);
    }
}

uint64_t kvb_reserved_bytes(const struct kvb_context *context)
{
    return context->release >= R(25, 0) ? kvb_number(context->plan, KVB_SET_MM_IPC_GPU_MEMORY_GB) : 0;
}
