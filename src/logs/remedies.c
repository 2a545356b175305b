// What fixes this run, with its own arithmetic, and what does not.
#include <string.h>

#include <kvbudget/units.h>

#include "logs/cures.h"
#include "logs/lessons.h"
#include "logs/levers.h"
#include "logs/remedy.h"
#include "logs/utilization.h"

static int64_t missing_at_oom(const struct kvb_reckoning *r)
{
    int64_t missing = kvb_observed(r, KVB_OBS_TRIED_ALLOC) -
                      (kvb_is_observed(r, KVB_OBS_OOM_FREE) ? kvb_observed(r, KVB_OBS_OOM_FREE) : 0);
    return missing > 0 ? missing : 0;
}

// ---- One function per kind that has arithmetic of its own

static void cure_graph_estimate(struct kvb_reckoning *r, int64_t missing)
{
    if (!r->graphs_charged || !r->estimate.known || r->facts.graph_estimate_variable == NULL) {
        return;
    }
    bool enough = r->estimate.value >= missing;
    kvb_remedy_add(r, r->facts.graph_estimate_variable, "1", "0", enough,
                   "gives back the estimate of %s GiB%s; graphs then live outside the request, so leave room for them",
                   kvb_remedy_gib(r->estimate.value).text, enough ? "" : ", which is not enough");
    kvb_remedy_add(r, "enforce-eager", "false", "true", enough, "captures no graphs: gives back %s GiB%s",
                   kvb_remedy_gib(r->estimate.value).text, enough ? ", at a price in speed" : ", which is not enough");
}

static void cure_negative(struct kvb_reckoning *r)
{
    kvb_utilization_raise(r);
    cure_graph_estimate(r, r->pool.known ? -r->pool.value : 0);
}

static void shorten(struct kvb_reckoning *r)
{
    int64_t estimate =
        kvb_is_observed(r, KVB_OBS_ESTIMATED_MAX_MODEL_LEN) ? kvb_observed(r, KVB_OBS_ESTIMATED_MAX_MODEL_LEN) : 0;
    struct kvb_remedy_text from = {""};
    if (r->length.known) {
        from = kvb_remedy_number(r->length.value);
    }
    if (estimate > 0) {
        kvb_remedy_add(r, "max-model-len", from.text, kvb_remedy_number(estimate).text, true,
                       "the engine's own estimate of what this KV cache holds");
    } else if (kvb_is_observed(r, KVB_OBS_KV_TOKENS)) {
        kvb_remedy_add(r, "max-model-len", from.text, kvb_remedy_number(kvb_observed(r, KVB_OBS_KV_TOKENS)).text, true,
                       "the tokens this KV cache holds");
    } else if (r->needed.known && r->pool.known && r->needed.value > 0 && r->pool.value > 0 && r->length.known) {
        int64_t fits = kvb_scale(r->length.value, kvb_share_ppm(r->pool.value, r->needed.value, false)) / 16 * 16;
        kvb_remedy_add(r, "max-model-len", from.text, kvb_remedy_number(fits).text, true,
                       "%s x %s / %s GiB, where cache grows evenly with length", from.text,
                       kvb_remedy_gib(r->pool.value).text, kvb_remedy_gib(r->needed.value).text);
    } else {
        kvb_remedy_add(r, "max-model-len", from.text, "shorter", true, "one request then needs less KV cache");
    }
}

static void halve_cache(struct kvb_reckoning *r)
{
    const struct kvb_setting_value *dtype = &r->report->settings.values[KVB_SET_KV_CACHE_DTYPE];
    if (dtype->set && dtype->number != KVB_KV_AUTO && dtype->number != KVB_KV_16BIT) {
        return;
    }
    if (!r->needed.known || !r->pool.known) {
        kvb_remedy_add(r, "kv-cache-dtype", "auto", "fp8", true, "halves what full-attention layers keep of a token");
        return;
    }
    bool enough = r->needed.value / 2 <= r->pool.value;
    kvb_remedy_add(r, "kv-cache-dtype", "auto", "fp8", enough,
                   "one request then needs about %s GiB (full attention); %s GiB are there",
                   kvb_remedy_gib(r->needed.value / 2).text, kvb_remedy_gib(r->pool.value).text);
}

static void cure_length(struct kvb_reckoning *r)
{
    if (!kvb_utilization_exists(r)) {
        return;
    }
    shorten(r);
    halve_cache(r);
    if (r->other_than_pool.known && r->total.known && r->needed.known) {
        kvb_utilization_raise_for(r, r->needed.value);
    } else if (r->needed.known && r->pool.known && r->total.known) {
        int64_t step = kvb_utilization_up(kvb_share_ppm(r->needed.value - r->pool.value, r->total.value, true));
        kvb_remedy_add(r, "gpu-memory-utilization", kvb_utilization_text(r).text, "higher", step < 500000,
                       "by at least %s: %s GiB are missing of %s GiB", kvb_remedy_fraction(step).text,
                       kvb_remedy_gib(r->needed.value - r->pool.value).text, kvb_remedy_gib(r->total.value).text);
    } else if (!r->needed.known || !r->pool.known || !kvb_utilization_bound(r, r->needed.value - r->pool.value)) {
        kvb_remedy_add(r, "gpu-memory-utilization", kvb_utilization_text(r).text, "higher", true,
                       "what it adds becomes KV cache, up to what is free; give --gpu-memory for the arithmetic");
    }
    kvb_utilization_warn_lowering(r);
    if (r->needed.known && r->pool.known) {
        cure_graph_estimate(r, r->needed.value - r->pool.value);
        bool enough = r->weights.known && r->weights.value / 2 > r->needed.value - r->pool.value;
        kvb_remedy_add(r, "tensor-parallel-size", "", "more GPUs, or a smaller checkpoint", enough || !r->weights.known,
                       "%s GiB must come from the weights%s%s%s", kvb_remedy_gib(r->needed.value - r->pool.value).text,
                       r->weights.known ? ", which are " : "",
                       r->weights.known ? kvb_remedy_gib(r->weights.value).text : "", r->weights.known ? " GiB" : "");
    }
}

static void cure_gate(struct kvb_reckoning *r)
{
    if (!r->free.known || !r->total.known) {
        return;
    }
    kvb_remedy_add(
        r, "other processes", "", "none", true,
        "%s GiB of the card were taken before this engine started: another server (shares must add up to less "
        "than 1), a desktop, or an instance that is still exiting; nvidia-smi names them",
        kvb_remedy_gib(r->total.value - r->free.value).text);
    int64_t most = kvb_utilization_highest(r);
    bool holds = !r->weights.known || r->free.value > r->weights.value;
    int64_t lost = r->requested.known ? r->requested.value - kvb_scale(r->total.value, most) : 0;
    kvb_remedy_add(
        r, "gpu-memory-utilization", kvb_utilization_text(r).text, kvb_remedy_fraction(most).text, holds,
        "%s of %s GiB were free; the KV cache becomes %s GiB smaller, and weights and peak must still fit into %s GiB",
        kvb_remedy_gib(r->free.value).text, kvb_remedy_gib(r->total.value).text, kvb_remedy_gib(lost).text,
        kvb_remedy_gib(kvb_scale(r->total.value, most)).text);
}

static void cure_assertion(struct kvb_reckoning *r)
{
    if (!kvb_is_observed(r, KVB_OBS_INITIAL_FREE) || !kvb_is_observed(r, KVB_OBS_CURRENT_FREE)) {
        return;
    }
    int64_t freed = kvb_observed(r, KVB_OBS_CURRENT_FREE) - kvb_observed(r, KVB_OBS_INITIAL_FREE);
    char exact[32];
    kvb_format_gib(exact, freed, 3);
    if (freed > 0) {
        kvb_remedy_add(r, "retry", "", "when the GPU is quiet", true,
                       "another process freed at least %s GiB while the engine measured; no size was short", exact);
    }
}

static void cure_graph(struct kvb_reckoning *r)
{
    if (!kvb_utilization_exists(r)) {
        return;
    }
    kvb_utilization_lower_for(r, missing_at_oom(r));
    bool optional = r->facts.may_charge_graphs && !r->facts.charges_graphs;
    if (optional) {
        kvb_remedy_add(r, r->facts.graph_estimate_variable, "0", "1", true,
                       "reserves an estimate for graphs before the KV cache is sized");
    } else if (r->graphs_charged) {
        kvb_remedy_add(r, r->facts.graph_estimate_variable, "1", "0", false,
                       "removes the very headroom that was missing");
    }
}

static int64_t fewer_sequences(const struct kvb_reckoning *r, int64_t requests)
{
    int64_t each = (int64_t)r->given->vocabulary_size * r->facts.warm_up_bytes;
    int64_t missing = missing_at_oom(r) + KVB_REMEDY_HEADROOM_BYTES;
    if (each == 0 || !kvb_is_observed(r, KVB_OBS_TRIED_ALLOC) || missing / each + 1 >= requests) {
        return requests / 4;
    }
    return requests - missing / each - 1;
}

static void cure_sampler(struct kvb_reckoning *r)
{
    int64_t requests = kvb_is_observed(r, KVB_OBS_WARMUP_REQUESTS) ? kvb_observed(r, KVB_OBS_WARMUP_REQUESTS) : 0;
    if (requests > 1) {
        int64_t fewer = fewer_sequences(r, requests);
        bool counted = r->given->vocabulary_size != 0 && fewer != requests / 4;
        kvb_remedy_add(r, "max-num-seqs", kvb_remedy_number(requests).text,
                       kvb_remedy_number(fewer > 0 ? fewer : 1).text, true,
                       "the warm-up samples for that many sequences at once, each about vocabulary x %u bytes%s",
                       (unsigned)r->facts.warm_up_bytes, counted ? ": enough for what was missing and 0.15 GiB" : "");
    } else {
        kvb_remedy_add(r, "max-num-seqs", "", "lower", true, "the warm-up samples for that many sequences at once");
    }
    if (r->report->stage >= KVB_STAGE_SIZED || !r->report->start_seen) {
        kvb_utilization_lower_for(r, missing_at_oom(r));
    }
}

static void cure_serving(struct kvb_reckoning *r)
{
    if (kvb_utilization_exists(r)) {
        kvb_utilization_lower_for(r, missing_at_oom(r));
    }
}

// ---- The table of levers

static bool fragmented(const struct kvb_reckoning *r)
{
    return kvb_is_observed(r, KVB_OBS_OOM_UNALLOCATED) &&
           kvb_observed(r, KVB_OBS_OOM_UNALLOCATED) >= kvb_observed(r, KVB_OBS_TRIED_ALLOC) &&
           kvb_observed(r, KVB_OBS_OOM_UNALLOCATED) >= kvb_observed(r, KVB_OBS_OOM_ALLOCATED) / 20;
}

static unsigned conditions(const struct kvb_reckoning *r)
{
    bool equal = kvb_is_observed(r, KVB_OBS_INITIAL_FREE) &&
                 kvb_observed(r, KVB_OBS_INITIAL_FREE) == kvb_observed(r, KVB_OBS_CURRENT_FREE);
    bool sized = r->report->stage >= KVB_STAGE_SIZED || r->pool.known;
    unsigned when = r->multimodal ? KVB_WHEN_MULTIMODAL : KVB_WHEN_TEXT;
    bool not_charged =
        r->v0 || r->report->notes[KVB_NOTE_GRAPHS_NOT_CHARGED] || (r->release != 0 && !r->facts.may_charge_graphs);
    when |= r->graphs_charged ? KVB_WHEN_GRAPHS_CHARGED : not_charged ? KVB_WHEN_GRAPHS_FREE : 0;
    when |= r->facts.one_generation ? KVB_WHEN_V0_GONE : 0;
    when |= r->facts.sizes_cache_by_bytes ? KVB_WHEN_KV_BYTES : 0;
    when |= fragmented(r) ? KVB_WHEN_FRAGMENTED : KVB_WHEN_NOT_FRAGMENTED;
    when |= r->facts.charges_others ? KVB_WHEN_OTHERS_CHARGED : 0;
    when |= equal ? KVB_WHEN_STRICT_ASSERTION : 0;
    bool tokens_out = r->report->failure.kind == KVB_FAILURE_OTHER && r->report->failure.advice != NULL &&
                      r->report->failure.about_memory == KVB_LOG_YES;
    when |= tokens_out ? KVB_WHEN_TOKENS_OUT : 0;
    when |= r->report->notes[KVB_NOTE_LAYERS_STATED] ? KVB_WHEN_LAYERS_STATED : 0;
    when |= sized ? KVB_WHEN_POOL_EXISTS : r->report->start_seen ? KVB_WHEN_NO_POOL : 0;
    return when;
}

static void pull_levers(struct kvb_reckoning *r, bool works)
{
    unsigned holds = conditions(r);
    for (size_t i = 0; i != kvb_lever_row_count; i++) {
        const struct kvb_lever_row *row = &kvb_lever_rows[i];
        bool applies = row->kind == r->report->failure.kind && (row->engines >> r->report->engine & 1U) &&
                       (row->when & ~holds) == 0 && row->works == works;
        if (applies) {
            kvb_remedy_add(r, row->setting, "", row->to, works, "%s", row->why);
        }
    }
}

// Those that work first, in the order they were added.
static void works_first(struct kvb_log_report *report)
{
    struct kvb_remedy sorted[KVB_REMEDIES_MAX];
    uint32_t count = 0;
    for (int pass = 1; pass >= 0; pass--) {
        for (uint32_t i = 0; i < report->remedy_count; i++) {
            if (report->remedies[i].works == (pass == 1)) {
                sorted[count++] = report->remedies[i];
            }
        }
    }
    memcpy(report->remedies, sorted, count * sizeof sorted[0]);
}

void kvb_remedy_all(struct kvb_reckoning *r)
{
    static void (*const cures[KVB_FAILURE_COUNT])(struct kvb_reckoning * r) = {
        [KVB_FAILURE_NEGATIVE_KV] = cure_negative,
        [KVB_FAILURE_NOT_ENOUGH_FOR_MAX_LEN] = cure_length,
        [KVB_FAILURE_FREE_LESS_THAN_REQUESTED] = cure_gate,
        [KVB_FAILURE_PROFILING_ASSERTION] = cure_assertion,
        [KVB_FAILURE_OOM_GRAPH] = cure_graph,
        [KVB_FAILURE_OOM_SAMPLER] = cure_sampler,
        [KVB_FAILURE_OOM_SERVING] = cure_serving,
        [KVB_FAILURE_STATE_BLOCKS] = kvb_cure_states,
        [KVB_FAILURE_OTHER] = kvb_cure_other,
    };
    enum kvb_failure kind = r->report->failure.kind;
    kvb_lesson_cure(r);
    if (kind >= KVB_FAILURE_OOM_LOAD && kind <= KVB_FAILURE_OOM_SERVING) {
        kvb_cure_tenant(r);
    }
    if (r->report->failure.stage_unknown) {
        kvb_cure_unknown_stage(r);
        kvb_lesson_uphold(r);
        works_first(r->report);
        return;
    }
    bool of_pool = kind == KVB_FAILURE_NEGATIVE_KV || kind == KVB_FAILURE_NOT_ENOUGH_FOR_MAX_LEN ||
                   kind == KVB_FAILURE_OOM_GRAPH || kind == KVB_FAILURE_STATE_BLOCKS;
    bool forced = of_pool && kvb_cure_override(r);
    if (forced && kind == KVB_FAILURE_NOT_ENOUGH_FOR_MAX_LEN) {
        shorten(r);
    }
    if (cures[kind] != NULL && !forced) {
        cures[kind](r);
    }
    pull_levers(r, true);
    pull_levers(r, false);
    kvb_lesson_uphold(r);
    works_first(r->report);
}
