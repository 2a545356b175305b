// What lives beside weights and pools: context and communication before, tables, graphs and activations after. SGLang
// measures none of it; figures it does not compute are read off public logs and carry a bound.
#include "engines/sglang/context.h"

#include <kvbudget/units.h>

#include "base/checked.h"
#include "budget/gpu_facts.h"
#include "budget/shapes.h"

#define MIB (UINT64_C(1) << 20)
#define WORKSPACE_BYTES (384 * MIB)                // SGLANG_FLASHINFER_WORKSPACE_SIZE
#define DETERMINISTIC_WORKSPACE_BYTES (2048 * MIB) // layers/attention/flashinfer_backend.py
#define POOL_STEP_BYTES (2 * MIB)                  // the allocator's, for each layer's keys and each layer's values

// Gone before the weights: the CUDA total less the line "Load weight begin. avail mem=" (tests/field/sglang/runs.csv,
// column before_gib). The context grows with the toolkit: sg-llama31-8b-h100-041 and sg-issue-1751; sg-issue-6753,
// sg-gemma3-4b-h200-0442 and sg-issue-7590; sg-qwen35-4b-h200-0517, sg-qwen38-27b-fp8-h100 and
// sg-qwen3-30b-fp8-h100-0827. Cards before Hopper: sg-qwen25-15b-48g-radix, sg-qwen3-06b-16g-0410.
struct context_row {
    uint32_t since, capability;
    uint32_t mib, low_mib, high_mib;
};
static const struct context_row context_rows[] = {
    {KVB_RELEASE(0, 5, 3), KVB_CAPABILITY_HOPPER, 730, 600, 1000},
    {KVB_RELEASE(0, 4, 4), KVB_CAPABILITY_HOPPER, 620, 500, 900},
    {0, KVB_CAPABILITY_HOPPER, 410, 350, 800},
    {0, 0, 400, 250, 1000},
};

// Communication of several ranks, by vendor and link: NCCL and the engine's own all-reduce. Two ranks: sg-3090x2-*,
// sg-issue-3765, sg-issue-4351. Four: sg-issue-4127, sg-issue-748, sg-qwen3-14b-tp4-24g, sg-glm47-fp8-pro6000-tp4-pp2;
// over NVLink sgl-project/sglang pull 17392 (H200) and the line "TP0] Load weight begin. avail mem=175.34 GB" (B200).
// Eight: sg-kimi-k2-nvfp4-pro6000-tp8, sg-glm47-fp8-pro6000-tp8-pr; over NVLink sg-issue-1386, sg-issue-3204,
// sg-llama31-70b-h200-tp8-053, sg-dsv4-flash-base-h20-tp8-f088. ROCm: sg-glm5-fp8-mi355x-tp8;
// sg-qwen38-27b-fp8-mi355x-tp2-0819 and the line "TP1] Load weight begin. avail mem=182.61 GB" (MI300X).
struct ranks_row {
    bool hip, linked;
    uint32_t since, ranks;
    uint32_t mib, low_mib, high_mib;
};
static const struct ranks_row ranks_rows[] = {
    {true, false, KVB_RELEASE(0, 5, 11), 2, 8200, 3500, 8600}, // AITER's all-reduce
    {true, false, 0, 2, 3850, 500, 6500},
    {false, true, 0, 8, 1620, 650, 2300},
    {false, true, 0, 4, 1500, 700, 2400},
    {false, true, 0, 2, 400, 100, 900},
    {false, false, 0, 8, 150, 100, 1700},
    {false, false, 0, 4, 130, 80, 700},
    {false, false, 0, 2, 300, 150, 600},
    {true, false, 0, 0, 0, 0, 0},
    {false, false, 0, 0, 0, 0, 0},
};

static const struct context_row *context_of(const struct kvb_sgl_setup *setup)
{
    uint32_t capability = setup->hip ? KVB_CAPABILITY_HOPPER : setup->compute_capability;
    const struct context_row *row = context_rows;
    while (setup->release < row->since || capability < row->capability) {
        row++;
    }
    return row;
}

static const struct ranks_row *ranks_of(const struct kvb_sgl_setup *setup, bool linked)
{
    uint32_t ranks = setup->tp * setup->pp;
    const struct ranks_row *row = ranks_rows;
    while (row->hip != setup->hip || setup->release < row->since || ranks < row->ranks || (row->linked && !linked)) {
        row++;
    }
    return row;
}

struct kvb_estimate kvb_sgl_before_load(const struct kvb_sgl_context *context)
{
    const struct kvb_sgl_setup *setup = &context->setup;
    const struct context_row *own = context_of(setup);
    const struct ranks_row *shared = ranks_of(setup, context->plan->gpu.nvlink);
    uint64_t symmetric = setup->symmetric_memory && setup->release >= KVB_RELEASE(0, 5, 9) ? 4096 * MIB : 0;
    return (struct kvb_estimate){((uint64_t)own->mib + shared->mib) * MIB + symmetric,
                                 ((uint64_t)own->low_mib + shared->low_mib) * MIB + symmetric,
                                 ((uint64_t)own->high_mib + shared->high_mib) * MIB + symmetric};
}

// One tensor of keys and one of values for each layer, one of both for MLA, each rounded up.
static uint64_t rounding_bytes(const struct kvb_sgl_context *context)
{
    uint64_t tensors = kvb_model_is_mla(context->setup.model) ? 1 : 2;
    return tensors * context->setup.model->layer_count * POOL_STEP_BYTES / 2;
}

// Room for states of as many tokens as a draft may come to; the pool's share counts those that it begins with.
static uint64_t late_states(const struct kvb_sgl_setup *setup, const struct kvb_sgl_pool *pool)
{
    uint64_t later = setup->adaptive ? setup->draft_tokens_most - setup->draft_tokens : 0;
    return later > 0 ? pool->draft_state_bytes / setup->draft_tokens * later : 0;
}

struct kvb_estimate kvb_sgl_tables(const struct kvb_sgl_context *context, const struct kvb_sgl_pool *pool)
{
    const struct kvb_sgl_setup *setup = &context->setup;
    uint64_t each = pool->tokens > 0 ? pool->held_bytes / pool->tokens : 0;
    uint64_t table = kvb_add(kvb_sgl_request_table_bytes(setup, pool->requests), kvb_mul(pool->extra_tokens, each));
    table = kvb_add(table, late_states(setup, pool));
    uint64_t workspace = setup->deterministic ? DETERMINISTIC_WORKSPACE_BYTES : WORKSPACE_BYTES;
    uint64_t rounding = rounding_bytes(context);
    uint64_t likely = kvb_add(kvb_add(table, workspace), rounding);
    return (struct kvb_estimate){likely, table, kvb_add(kvb_add(table, workspace), 2 * rounding)};
}

// ---- Graphs

// The release's own allowance is 2 MiB for each request of the largest batch and 8 MiB for each captured prompt length.
// Logs (tests/field/sglang/runs.csv, column graphs_gib; docs/sglang-accuracy.md counts them) lie between a tenth of it,
// sg-qwen38-27b-fp8-h100 and sg-qwen35-9b-4090x2, and twice of it with 3 GiB more: sg-gb10-20260607t115213z,
// sg-qwen3-8b-b200-0510, sg-qwen3-8b-gb300-0512, sg-qwen3-32b-h100-0519. sg-minicpm5-1b-24g is above: others use its
// card.
#define BATCH_BYTES (2 * MIB)
#define PROMPT_BYTES (8 * MIB)
#define GRAPHS_HIGH_BYTES (3072 * MIB)

struct kvb_estimate kvb_sgl_graphs(const struct kvb_sgl_context *context)
{
    const struct kvb_sgl_setup *setup = &context->setup;
    uint64_t decode = setup->no_graphs || setup->role == KVB_SGL_PREFILL ? 0 : context->defaults.graph_batch;
    uint64_t prompts = context->defaults.prefill_sizes;
    if (decode == 0 && prompts == 0) {
        return (struct kvb_estimate){0, 0, 0};
    }
    uint64_t likely = kvb_add(kvb_mul(decode, BATCH_BYTES), kvb_mul(prompts, PROMPT_BYTES));
    return (struct kvb_estimate){likely, likely / 10, kvb_add(kvb_mul(likely, 2), GRAPHS_HIGH_BYTES)};
}

// ---- Activations

static uint64_t widest_bytes(const struct kvb_sgl_context *context)
{
    const struct kvb_model *model = context->setup.model;
    uint64_t widest = 0;
    for (uint32_t i = 0; i < model->kind_count; i++) {
        const struct kvb_mlp_shape *mlp = &model->kinds[i].mlp;
        const struct kvb_attention_shape *shape = &model->kinds[i].attention;
        uint64_t dense = (uint64_t)mlp->intermediate_size * 3 / context->setup.tp;
        uint64_t experts = (uint64_t)mlp->experts_per_token * mlp->expert_intermediate_size * 3 / context->setup.tp;
        uint64_t spread = mlp->kind == KVB_MLP_MOE ? (uint64_t)mlp->experts_per_token * model->hidden_size : 0;
        uint64_t heads = (uint64_t)shape->heads * shape->head_size * 3 / kvb_sgl_attention_ranks(&context->setup);
        widest = kvb_max(widest, kvb_max(dense + experts + spread, heads));
    }
    return kvb_mul(widest + (uint64_t)4 * model->hidden_size, kvb_dtype_bytes(context->dtype));
}

// The widest moment of a layer for the tokens of one chunk, and logits of the requests that end in it. No log prints
// it; the bound is a fifth of that, and the release's own allowance of 1.5 MiB a token.
struct kvb_estimate kvb_sgl_activation(const struct kvb_sgl_context *context)
{
    const struct kvb_sgl_setup *setup = &context->setup;
    uint64_t tokens = context->defaults.chunk_tokens;
    if (tokens == KVB_SGL_OFF) {
        tokens = setup->max_prefill_tokens > 0 ? setup->max_prefill_tokens : 16384;
    }
    uint64_t likely = kvb_mul(tokens, widest_bytes(context));
    uint64_t allowed = kvb_mul(tokens, MIB * 3 / 2);
    return (struct kvb_estimate){likely, likely / 5, kvb_max(likely, allowed)};
}

struct kvb_estimate kvb_sgl_late_draft(const struct kvb_sgl_context *context, const struct kvb_sgl_pool *pool)
{
    const struct kvb_sgl_setup *setup = &context->setup;
    if (setup->draft == KVB_SGL_DRAFT_NONE || setup->draft == KVB_SGL_DRAFT_NGRAM || kvb_sgl_drafts_first(context)) {
        return (struct kvb_estimate){0, 0, 0};
    }
    struct kvb_sgl_cell cell;
    uint32_t layers = setup->model->layer_count;
    kvb_sgl_cell_of(setup, layers - 1, layers, &cell);
    uint64_t cache = kvb_mul(kvb_mul(pool->tokens, cell.token_micro / KVB_PPM), setup->draft_layers);
    uint64_t weights = kvb_sgl_draft_weights(context);
    uint64_t likely = kvb_add(cache, weights);
    return (struct kvb_estimate){likely, likely / 2, kvb_add(likely, 2048 * MIB)};
}
