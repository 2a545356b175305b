// The figures behind an answer, each with its formula and numbers, for --show formulas.
#include "engines/vllm/steps.h"

#include <string.h>

#include "base/checked.h"
#include "engines/vllm/overhead.h"

static void add(struct kvb_budget *budget, struct kvb_step step)
{
    budget->steps[budget->step_count++] = step; // a dozen of KVB_STEPS_MAX
}

static void add_request(const struct kvb_context *context, struct kvb_budget *budget)
{
    if (kvb_number(context->plan, KVB_SET_KV_CACHE_MEMORY_BYTES) > 0) {
        add(budget, (struct kvb_step){"requested",
                                      "sum of the terms, with the KV cache fixed at {0:gib} GiB",
                                      "kv_cache_memory_bytes",
                                      {budget->items[KVB_ITEM_KV_CACHE].bytes},
                                      (int64_t)budget->requested_bytes,
                                      KVB_UNIT_BYTES});
        return;
    }
    bool round_up = kvb_rule(context, KVB_RULE_REQUEST_CEIL) != 0;
    add(budget, (struct kvb_step){"requested",
                                  round_up ? "ceil({0:gib} GiB x {1:ppm})" : "{0:gib} GiB x {1:ppm}",
                                  "vllm/v1/worker/gpu_worker.py, worker/worker.py",
                                  {(int64_t)context->memory_bytes, context->utilization_ppm},
                                  (int64_t)budget->requested_bytes,
                                  KVB_UNIT_BYTES});
}

static void add_activation(const struct kvb_context *context, struct kvb_budget *budget)
{
    static const char *const names[KVB_PHASE_COUNT] = {"layer phase", "sampler phase", "encoder phase",
                                                       "MLA dummy",   "sparse index",  "first compile"};
    static const char *const formulas[KVB_PHASE_COUNT] = {
        "{0:n} tokens x FFN width and hidden tensors + what the encoder keeps {3:gib} GiB",
        "{1:n} rows x {2:n} vocabulary x {4:n} B a logit + {0:n} tokens x hidden + kept {3:gib} GiB",
        "patches x (FFN width + 8 x hidden) of the encoder",
        "latent prefill buffer of the profile run",
        "{0:n} tokens x hidden tensors, queries and the index's own, its logits, keys gathered of 40 contexts",
        ("embedding table + hidden tensors of {0:n} tokens while kernels are timed; nothing once the compile cache is "
         "warm"),
    };
    struct kvb_activation activation;
    kvb_activation_estimate(context, budget->tightest_stage, &activation);
    for (uint32_t phase = 0; phase < KVB_PHASE_COUNT; phase++) {
        if (activation.phase_bytes[phase] > 0) {
            add(budget, (struct kvb_step){names[phase],
                                          formulas[phase],
                                          "profile run; the largest phase counts",
                                          {(int64_t)context->max_num_batched_tokens, (int64_t)activation.logits_rows,
                                           (int64_t)kvb_round_up(context->model->vocabulary_size, 64),
                                           (int64_t)activation.kept_bytes, activation.bytes_per_logit},
                                          (int64_t)activation.phase_bytes[phase],
                                          KVB_UNIT_BYTES});
        }
    }
}

static void add_pool(struct kvb_budget *budget)
{
    struct kvb_step step = {"KV cache",
                            "{0:gib} - {1:gib} - {2:gib} - {3:gib} - {4:gib} - {5:gib} - {6:gib} GiB",
                            "requested less weights, activation, non-torch, graphs, reserved, others",
                            {(int64_t)budget->requested_bytes},
                            budget->items[KVB_ITEM_KV_CACHE].bytes,
                            KVB_UNIT_BYTES};
    for (uint32_t item = 0; item < KVB_ITEM_KV_CACHE; item++) {
        step.values[item + 1] = budget->items[item].bytes;
    }
    add(budget, step);
}

static void add_blocks(const struct kvb_context *context, struct kvb_budget *budget)
{
    const struct kvb_kv_cache *kv = &budget->kv;
    add(budget, (struct kvb_step){"blocks",
                                  "floor({0:n} B / {1:n} B a block)",
                                  "v1/core/kv_cache_utils.py",
                                  {budget->items[KVB_ITEM_KV_CACHE].bytes, (int64_t)kv->bytes_per_block},
                                  (int64_t)kv->num_blocks,
                                  KVB_UNIT_COUNT});
    const char *formula = "{0:n} blocks x {2:n} tokens a block";
    if (context->generation == KVB_GENERATION_V1 && kvb_rule(context, KVB_RULE_TOKENS) == KVB_TOKENS_CONCURRENCY) {
        formula = "int({0:n} blocks / {1:n} a request x {3:n} tokens)";
    } else if (kv->group_count > 1) {
        formula = "floor({0:n} blocks / {4:n} groups) x {2:n} tokens a block";
    }
    add(budget, (struct kvb_step){"tokens",
                                  formula,
                                  "GPU KV cache size",
                                  {(int64_t)kv->num_blocks, (int64_t)kv->blocks_per_request, (int64_t)kv->block_tokens,
                                   (int64_t)context->max_model_len, kv->group_count},
                                  (int64_t)kv->tokens,
                                  KVB_UNIT_TOKENS});
    add(budget, (struct kvb_step){"concurrency, hundredths",
                                  "{0:n} blocks / {1:n} blocks a request",
                                  "Maximum concurrency",
                                  {(int64_t)kv->num_blocks, (int64_t)kv->blocks_per_request},
                                  (int64_t)kv->max_concurrency_hundredths,
                                  KVB_UNIT_COUNT});
}

static void add_need(struct kvb_budget *budget)
{
    const struct kvb_kv_cache *kv = &budget->kv;
    add(budget, (struct kvb_step){"needed, as checked",
                                  "by this release's start-up check",
                                  "v1/core/kv_cache_utils.py",
                                  {0},
                                  (int64_t)budget->needed_bytes,
                                  KVB_UNIT_BYTES});
    if (kv->really_needed_bytes != budget->needed_bytes) {
        add(budget, (struct kvb_step){"really needed",
                                      "{0:n} blocks a request x {1:n} B a block",
                                      "what one full-length request holds",
                                      {(int64_t)kv->blocks_per_request, (int64_t)kv->bytes_per_block},
                                      (int64_t)kv->really_needed_bytes,
                                      KVB_UNIT_BYTES});
    }
    add(budget, (struct kvb_step){"balance",
                                  "{0:gib} - {1:gib} GiB",
                                  "KV cache less needed",
                                  {budget->items[KVB_ITEM_KV_CACHE].bytes, (int64_t)budget->needed_bytes},
                                  budget->balance_bytes,
                                  KVB_UNIT_BYTES});
}

static void add_outside(const struct kvb_context *context, struct kvb_budget *budget)
{
    int64_t on_top = (int64_t)context->free_bytes - (int64_t)budget->requested_bytes - budget->slack_bytes;
    add(budget, (struct kvb_step){"slack",
                                  "{0:gib} - {1:gib} - {2:gib} GiB",
                                  "free, requested, and what comes on top of the request",
                                  {(int64_t)context->free_bytes, (int64_t)budget->requested_bytes, on_top},
                                  budget->slack_bytes,
                                  KVB_UNIT_BYTES});
}

void kvb_steps_fill(const struct kvb_context *context, struct kvb_budget *budget)
{
    budget->step_count = 0;
    add_request(context, budget);
    add_activation(context, budget);
    add_pool(budget);
    add_blocks(context, budget);
    add_need(budget);
    add_outside(context, budget);
}
