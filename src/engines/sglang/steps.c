// The figures behind an answer, each with its formula and numbers, and what must be said about it.
#include "engines/sglang/compute.h"

#include <stdio.h>

#include <kvbudget/problem.h>
#include <kvbudget/units.h>

#include "base/checked.h"
#include "budget/shapes.h"
#include "engines/sglang/models.h"

static const struct kvb_place nowhere = {NULL, 0, 0};

static void add(struct kvb_budget *budget, struct kvb_step step)
{
    budget->steps[budget->step_count++] = step; // ten at most
}

static void add_fraction(const struct kvb_sgl_context *context, struct kvb_budget *budget)
{
    const struct kvb_sgl_defaults *defaults = &context->defaults;
    uint64_t reserve_mib = defaults->reserve_mib_tenths / 10;
    if (!defaults->fraction_is_default || reserve_mib == 0) {
        return;
    }
    add(budget,
        (struct kvb_step){"reserve",
                          defaults->active_tokens > 0
                              ? "512 MiB + 1.5 MiB x {0:n} tokens + 128 MiB x {1:n} GPUs + 2 MiB x {2:n} requests "
                                "+ graphs of {3:n} prompt lengths, and what the arguments add"
                              : "by the card and {1:n} GPUs",
                          "srt/server_args.py, _handle_gpu_memory_settings",
                          {(int64_t)defaults->active_tokens, (int64_t)context->setup.tp * context->setup.pp,
                           (int64_t)defaults->graph_batch, (int64_t)defaults->prefill_sizes},
                          (int64_t)(reserve_mib << 20),
                          KVB_UNIT_BYTES});
}

static void add_pool(const struct kvb_sgl_context *context, const struct kvb_sgl_cell *cell,
                     const struct kvb_sgl_pool *pool, struct kvb_budget *budget)
{
    add(budget, (struct kvb_step){"rest",
                                  "{0:gib} GiB free after loading - {1:gib} GiB free before x (1 - {2:ppm})",
                                  "srt/model_executor/model_runner.py, profile_max_num_token",
                                  {(int64_t)budget->free_bytes - budget->items[KVB_ITEM_WEIGHTS].bytes,
                                   (int64_t)budget->free_bytes,
                                   (int64_t)(context->defaults.fraction_ppb / (KVB_SGL_PPB / KVB_PPM))},
                                  pool->rest_bytes,
                                  KVB_UNIT_BYTES});
    if (cell->state_bytes > 0) {
        add(budget,
            (struct kvb_step){"state slots",
                              "{0:gib} GiB for {1:n} slots of {2:n} B, {3:n} of them a request",
                              "_handle_max_mamba_cache",
                              {(int64_t)kvb_add(pool->state_bytes, pool->draft_state_bytes), (int64_t)pool->state_slots,
                               (int64_t)cell->state_bytes, (int64_t)kvb_sgl_slots_per_request(&context->setup)},
                              (int64_t)pool->state_slots,
                              KVB_UNIT_COUNT});
    }
    add(budget,
        (struct kvb_step){"tokens",
                          cell->windows ? "{0:gib} GiB over {1:n} B a token: {2:n} B in full layers, a share of "
                                          "{3:n} B in window layers"
                                        : "{0:gib} GiB over {1:n} B a token",
                          "get_cell_size_per_token, pool_configurator.py",
                          {pool->cache_bytes, (int64_t)(cell->token_micro / KVB_PPM), (int64_t)cell->full_bytes,
                           (int64_t)cell->window_bytes},
                          (int64_t)pool->tokens,
                          KVB_UNIT_TOKENS});
}

void kvb_sgl_steps(const struct kvb_sgl_context *context, const struct kvb_sgl_cell *cell,
                   const struct kvb_sgl_pool *pool, struct kvb_budget *budget)
{
    static const char *const names[KVB_BESIDE_COUNT] = {"gone before", "tables", "graphs", "activation", "draft"};
    static const char *const formulas[KVB_BESIDE_COUNT] = {
        "CUDA context and communication of {0:n} GPUs, read off public logs",
        "{1:n} requests x (context_length + 4) x 4 B + 384 MiB workspace + rounding of {2:n} layers",
        "2 MiB x {3:n} requests + 8 MiB x {4:n} prompt lengths, the engine's own allowance",
        "the widest moment of a layer for {5:n} tokens",
        "a draft loaded after the pool: weights, and its cache for as many tokens",
    };
    add_fraction(context, budget);
    add(budget, (struct kvb_step){
                    "static memory",
                    "{0:gib} GiB free before loading x {1:ppm}",
                    "--mem-fraction-static",
                    {(int64_t)budget->free_bytes, (int64_t)(context->defaults.fraction_ppb / (KVB_SGL_PPB / KVB_PPM))},
                    (int64_t)budget->requested_bytes,
                    KVB_UNIT_BYTES});
    add_pool(context, cell, pool, budget);
    for (int i = 0; i < KVB_BESIDE_COUNT; i++) {
        if (budget->beside[i].bytes > 0) {
            add(budget, (struct kvb_step){names[i],
                                          formulas[i],
                                          "outside --mem-fraction-static",
                                          {(int64_t)context->setup.tp, (int64_t)pool->requests,
                                           context->setup.model->layer_count, (int64_t)context->defaults.graph_batch,
                                           (int64_t)context->defaults.prefill_sizes,
                                           (int64_t)budget->settings.values[KVB_SET_MAX_NUM_BATCHED_TOKENS].number},
                                          budget->beside[i].bytes,
                                          KVB_UNIT_BYTES});
        }
    }
}

// ---- What must be said

static void say(struct kvb_problems *problems, enum kvb_severity severity, const char *text)
{
    (void)kvb_problem_add(problems, severity, KVB_OK, nowhere, "%s", text);
}

static void warn_of_length(const struct kvb_sgl_context *context, const struct kvb_sgl_pool *pool,
                           const struct kvb_budget *budget, struct kvb_problems *problems)
{
    if (budget->starts && pool->tokens < context->setup.context_tokens) {
        (void)kvb_problem_add(problems, KVB_WARNING, KVB_OK, nowhere,
                              "It starts although the pool holds %llu tokens and context_length is %llu: nothing is "
                              "compared, and longer requests are cut or refused when they come.",
                              (unsigned long long)pool->tokens, (unsigned long long)context->setup.context_tokens);
    }
}

const char *kvb_sgl_unconfirmed(const struct kvb_sgl_setup *setup, const struct kvb_sgl_cell *cell)
{
    bool drafts = setup->draft != KVB_SGL_DRAFT_NONE;
    if (cell->compressed && drafts) {
        return "DeepSeek V4's pools beside a draft";
    }
    if (cell->windows && cell->full_layers > 0 && setup->release < KVB_RELEASE(0, 5, 9)) {
        return "the split of window layers to 0.5.8";
    }
    if (cell->state_bytes > 0 && drafts && setup->release < KVB_RELEASE(0, 5, 13)) {
        return "slots of state beside drafts to 0.5.12";
    }
    drafts = drafts && setup->draft != KVB_SGL_DRAFT_NGRAM;
    return drafts && setup->release < KVB_RELEASE(0, 5, 7) ? "the tokens that drafts add to the pool to 0.5.6" : NULL;
}

static void warn_of_source_alone(const struct kvb_sgl_context *context, const struct kvb_sgl_cell *cell,
                                 struct kvb_problems *problems)
{
    const char *what = kvb_sgl_unconfirmed(&context->setup, cell);
    if (what != NULL) {
        (void)kvb_problem_add(problems, KVB_NOTICE, KVB_OK, nowhere,
                              "Counted from the source alone, which no public log confirms: %s. The bounds of the pool "
                              "are 5 %% wider for it.",
                              what);
    }
}

// The widest that runs have shown of both terms leaves nothing.
static void warn_of_no_pool(const struct kvb_budget *budget, struct kvb_problems *problems)
{
    char weights[32], before[32];
    if (!budget->starts || budget->items[KVB_ITEM_KV_CACHE].low_bytes > 0) {
        return;
    }
    (void)kvb_problem_add(problems, KVB_WARNING, KVB_OK, nowhere,
                          "It may not start: where weights take %s GiB and %s GiB are gone before loading, the most "
                          "that starts like it have shown, --mem-fraction-static leaves no memory for the pool; the "
                          "line `Load weight end` says which it is.",
                          kvb_format_gib(weights, budget->items[KVB_ITEM_WEIGHTS].high_bytes, 2),
                          kvb_format_gib(before, budget->beside[KVB_BESIDE_CONTEXT].high_bytes, 2));
}

static void warn_of_loading(const struct kvb_sgl_stage *stage, const struct kvb_budget *budget,
                            struct kvb_problems *problems)
{
    char plain[32], whole[32];
    if (stage->loading_bytes <= budget->free_bytes) {
        return;
    }
    (void)kvb_problem_add(problems, KVB_WARNING, KVB_OK, nowhere,
                          "--quantization fp8 makes a 16-bit checkpoint 8-bit after all of it is on the card: %s GiB, "
                          "where %s GiB are free; a checkpoint that is stored in 8 bits is loaded as it is.",
                          kvb_format_gib(plain, (int64_t)stage->loading_bytes, 2),
                          kvb_format_gib(whole, (int64_t)budget->free_bytes, 2));
}

void kvb_sgl_warn(const struct kvb_sgl_context *context, const struct kvb_sgl_stage *stage,
                  const struct kvb_budget *budget, struct kvb_problems *problems)
{
    const struct kvb_sgl_setup *setup = &context->setup;
    const struct kvb_sgl_pool *pool = &stage->pool;
    warn_of_length(context, pool, budget, problems);
    warn_of_no_pool(budget, problems);
    warn_of_loading(stage, budget, problems);
    if (budget->starts && budget->slack_bytes < 0) {
        say(problems, KVB_WARNING,
            "What --mem-fraction-static leaves may be too little for tables, graphs and a prefill: start-up or a long "
            "prompt can run out of memory; lower it, --chunked-prefill-size or --cuda-graph-max-bs.");
    }
    if (setup->max_total_tokens > pool->tokens && pool->refusal == KVB_SGL_STARTS) {
        (void)kvb_problem_add(problems, KVB_NOTICE, KVB_OK, nowhere,
                              "max_total_tokens=%llu is larger than the profiled value %llu. Use the profiled value "
                              "instead.",
                              (unsigned long long)setup->max_total_tokens, (unsigned long long)pool->tokens);
    }
    if (context->plan->gpu.unified_memory) {
        say(problems, KVB_NOTICE,
            "On unified memory SGLang reads what the system says is available, which drifts by about 0.05 GiB.");
    }
    warn_of_source_alone(context, &stage->cell, problems);
    if (setup->model->architecture[0] != '\0' && kvb_sgl_class_since(setup->model->architecture) == 0) {
        (void)kvb_problem_add(problems, KVB_WARNING, KVB_OK, nowhere,
                              "SGLang's releases up to %s have no model file for %s; it may run through transformers "
                              "and hold more memory than is counted.",
                              "0.5.18", setup->model->architecture);
    }
}
