// Non-torch growth and what lies outside the request: tables of measured figures by release,
// GPU and parallel size. Sources: public vLLM start-up logs collected in docs/formulas.md.
#include "engines/vllm/overhead.h"

#include "base/checked.h"
#include "budget/gpu_facts.h"
#include "engines/vllm/facts.h"

#define CENTI_GIB(x) ((uint64_t)(x) * ((1ULL << 30) / 100))
#define R(minor, patch) KVB_RELEASE(0, minor, patch)
#define SYMMETRIC_SINCE R(18, 0) // symmetric-memory and all-reduce buffers
#define FUSION_BUFFER 50         // hundredths of a GiB
#define STAGE_NON_TORCH 7        // hundredths of a GiB: every rank of PP2 and PP4 on an H100, 0.19
#define FREE_MEMORY_SINCE R(27, 0)
#define RANKS_OF_A_NODE 8
#define HOST_GROWTH_SINCE R(12, 0) // utils/mem_utils.py v0.12.0:102: free is what the host calls available

struct non_torch_row {
    uint32_t since, until;      // releases, half open
    bool hopper, many, nvlink;  // sm90 and later; tp > 1; the ranks' link
    uint32_t likely, low, high; // hundredths of a GiB
};

static const struct non_torch_row non_torch_rows[] = {
    {0, R(18, 0), false, false, false, 5, 1, 15},  {R(18, 0), 0, false, false, false, 5, 1, 25},
    {0, R(18, 0), true, false, false, 13, 5, 20},  {R(18, 0), 0, true, false, false, 25, 10, 50},
    {0, 0, false, true, true, 15, 10, 150},        {0, R(18, 0), true, true, true, 60, 30, 220},
    {R(18, 0), 0, true, true, true, 60, 10, 110},  {0, R(18, 0), false, true, false, 20, 10, 60},
    {0, R(18, 0), true, true, false, 20, 10, 80},  {R(18, 0), 0, false, true, false, 20, 10, 80},
    {R(18, 0), 0, true, true, false, 30, 10, 120},
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
    bool card = capability == KVB_CAPABILITY_HOPPER || (capability >= 100 && capability < 110);
    bool size = context->tp == 2 || context->tp == 4 || context->tp == 8; // PassConfig.flashinfer_max_size
    bool alone = context->release >= R(21, 0) || (context->dp == 1 && context->pp == 1);
    return card && context->gpu->nvlink && size && alone && !context->eager;
}

static uint32_t fusion_buffers(const struct kvb_context *context)
{
    uint32_t buffers = 0;
    for (size_t i = 0; i < sizeof fusion_rows / sizeof fusion_rows[0]; i++) {
        buffers = context->release >= fusion_rows[i].since ? fusion_rows[i].buffers : buffers;
    }
    return fuses_all_reduce(context) ? buffers : 0;
}

// The rows cover every release, so that exactly one is met.
static const struct non_torch_row *find_row(const struct kvb_context *context)
{
    bool hopper = context->gpu->compute_capability >= KVB_CAPABILITY_HOPPER;
    bool many = context->tp > 1;
    const struct non_torch_row *found = &non_torch_rows[0];
    for (size_t i = 0; i < sizeof non_torch_rows / sizeof non_torch_rows[0]; i++) {
        const struct non_torch_row *row = &non_torch_rows[i];
        bool in_range = context->release >= row->since && (row->until == 0 || context->release < row->until);
        if (in_range && row->hopper == hopper && row->many == many && (!many || row->nvlink == context->gpu->nvlink)) {
            found = row;
        }
    }
    return found;
}

// Runner V2 keeps a count and a bit of every vocabulary entry for each sequence, which only growth of used memory
// charges. Source: vllm/v1/worker/gpu/sample/penalties.py v0.27.1:32-42; an L4 at 0.28.0 reads 0.29 GiB beside its
// weights.
static uint64_t penalty_bytes(const struct kvb_context *context)
{
    uint64_t words = kvb_add(context->model->vocabulary_size, kvb_div_up(context->model->vocabulary_size, 32));
    bool charged = context->v2_runner && !context->pools && context->release >= FREE_MEMORY_SINCE;
    return charged ? kvb_mul(kvb_mul(context->max_num_seqs, words), 4) : 0;
}

static void add_bytes(struct kvb_estimate *estimate, uint64_t bytes)
{
    estimate->bytes = kvb_add(estimate->bytes, bytes);
    estimate->low_bytes = kvb_add(estimate->low_bytes, bytes);
    estimate->high_bytes = kvb_add(estimate->high_bytes, bytes);
}

static void scale(struct kvb_estimate *estimate, uint32_t likely, uint32_t low, uint32_t high)
{
    estimate->bytes = CENTI_GIB(likely);
    estimate->low_bytes = CENTI_GIB(low);
    estimate->high_bytes = CENTI_GIB(high);
}

static void add(struct kvb_estimate *estimate, uint32_t likely, uint32_t low, uint32_t high)
{
    estimate->bytes += CENTI_GIB(likely);
    estimate->low_bytes += CENTI_GIB(low);
    estimate->high_bytes += CENTI_GIB(high);
}

void kvb_non_torch_estimate(const struct kvb_context *context, struct kvb_estimate *estimate)
{
    if (context->gpu->vendor == KVB_VENDOR_AMD) { // r9700-0130-rocm-atten-llama-3.1-8b-tp1 and -tp2
        scale(estimate, 40, 15, 120);
        return;
    }
    if (context->gpu->unified_memory && context->release >= HOST_GROWTH_SINCE) {
        scale(estimate, 200, 100, 350); // gb10-0200-qwen36-35b-bf16: 1.4; qwen3-06b-gb10-0271: 2.2
        return;
    }
    const struct non_torch_row *row = find_row(context);
    scale(estimate, row->likely, row->low, row->high);
    bool stages_only = context->pp > 1 && context->tp == 1;
    if (stages_only && row->hopper && context->release >= SYMMETRIC_SINCE) {
        scale(estimate, STAGE_NON_TORCH, 5, row->high);
    }
    if (context->generation == KVB_GENERATION_V0 && kvb_rule(context, KVB_RULE_ACCOUNTING_V0) == KVB_V0_FREE_DELTA) {
        add(estimate, 35, 0, 160); // what torch has cached but does not use is charged too
    }
    if (context->generation == KVB_GENERATION_V0 && context->release >= R(6, 5) && context->release < R(7, 0)) {
        // utils.py v0.6.5:1736 counts what torch holds without using it; repacking for Marlin leaves more of it
        enum kvb_quantisation_method method = context->model->quantisation.method;
        bool repacked = method == KVB_QUANT_AWQ || method == KVB_QUANT_GPTQ;
        add(estimate, repacked ? 25 : 5, 0, 25);
    }
    uint32_t fusion = fusion_buffers(context) * FUSION_BUFFER;
    add(estimate, fusion, fusion, fusion);
    if (context->ep > 1) {
        add(estimate, 0, 0, 100);
    }
    if (kvb_rules_charge_others(&context->rules, context->generation)) { // the CUDA context, too
        bool large = context->gpu->compute_capability >= KVB_CAPABILITY_HOPPER || context->gpu->nvlink;
        add(estimate, large ? 45 : 30, 15, large ? 70 : 50);
        bool early = context->release < R(6, 4);
        if (large && context->tp > 1 && !early) { // every rank's context and the all-reduce buffers of its peers
            bool nodes = context->tp > RANKS_OF_A_NODE;
            add(estimate, nodes ? 290 : 0, nodes ? 50 : 0, 400);
        }
    }
    if (context->release >= FREE_MEMORY_SINCE) { // what torch holds without using it counts
        bool many = context->tp > 1 || context->pp > 1;
        add(estimate, 10, 0, many ? 100 : 40);
    }
    add_bytes(estimate, penalty_bytes(context));
    if (kvb_model_has_state(context->model) && context->release >= SYMMETRIC_SINCE) {
        add(estimate, 10, 0, context->tp > 1 ? 200 : 60); // Triton modules of recurrent kernels
    }
}

void kvb_context_estimate(const struct kvb_context *context, struct kvb_estimate *estimate)
{
    bool large = context->gpu->compute_capability >= KVB_CAPABILITY_HOPPER || context->gpu->nvlink;
    scale(estimate, large ? 50 : 35, 25, large ? 70 : 60);
    bool ranks = kvb_rule(context, KVB_RULE_NCCL_OUTSIDE) && (context->tp > 1 || context->pp > 1);
    if (ranks && !context->gpu->nvlink) {
        add(estimate, 20, 5, 100); // R9700 and L40S started at 0.98 of the card: at most 0.64 and 0.89 in all
    } else if (ranks) {
        bool experts = kvb_model_has_experts(context->model);
        add(estimate, experts ? 150 : 100, 30, experts ? 180 : 130);
    }
}

uint64_t kvb_reserved_bytes(const struct kvb_context *context)
{
    return context->release >= R(25, 0) ? kvb_number(context->plan, KVB_SET_MM_IPC_GPU_MEMORY_GB) : 0;
}
