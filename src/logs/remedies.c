// What fixes this run, with its own arithmetic, and what does not.
#include <stdarg.h>
#include <stdio.h>
#include <string.h>

#include <kvbudget/units.h>

#include "base/text.h"
#include "logs/levers.h"

#define STEP_PPM 10000 // 0.01 of utilization
#define HEADROOM (INT64_C(150) << 20)

__attribute__((format(printf, 6, 7))) static void add(struct kvb_reckoning *r, const char *setting, const char *from,
                                                      const char *to, bool works, const char *format, ...)
{
    struct kvb_remedy remedy = {.works = works};
    va_list list;
    va_start(list, format);
    (void)vsnprintf(remedy.why, sizeof remedy.why, format,
                    list); // NOLINT(clang-analyzer-valist.Uninitialized): it is started above
    va_end(list);
    kvb_copy(remedy.setting, sizeof remedy.setting, setting);
    kvb_copy(remedy.from, sizeof remedy.from, from);
    kvb_copy(remedy.to, sizeof remedy.to, to);
    if (r->report->remedy_count < KVB_REMEDIES_MAX) {
        r->report->remedies[r->report->remedy_count++] = remedy;
    }
}

struct text32 {
    char text[32];
};

static struct text32 gib(int64_t bytes)
{
    struct text32 out;
    kvb_format_gib(out.text, bytes, 2);
    return out;
}

static struct text32 fraction(int64_t ppm)
{
    struct text32 out;
    kvb_format_ppm(out.text, ppm < 0 ? 0 : (uint32_t)ppm);
    return out;
}

static struct text32 number(int64_t value)
{
    struct text32 out;
    snprintf(out.text, sizeof out.text, "%lld", (long long)value);
    return out;
}

static int64_t get(const struct kvb_reckoning *r, enum kvb_observation what)
{
    return r->report->observed[what].value;
}

static bool is_set(const struct kvb_reckoning *r, enum kvb_observation what)
{
    return r->report->observed[what].set;
}

// Utilization rounded so that it can be typed: three decimals, away from the bound.
static int64_t typed_up(int64_t ppm)
{
    return (ppm + 999) / 1000 * 1000;
}

static int64_t typed_down(int64_t ppm)
{
    return ppm / 1000 * 1000;
}

// The most a start of this card accepts.
static int64_t highest_utilization(const struct kvb_reckoning *r)
{
    if (r->free.known && r->total.known) {
        int64_t most = typed_down(kvb_share_ppm(r->free.value, r->total.value, false));
        return most < KVB_PPM ? most : KVB_PPM;
    }
    return KVB_PPM;
}

static struct text32 utilization_text(const struct kvb_reckoning *r)
{
    struct text32 none = {""};
    return r->utilization.known ? fraction(r->utilization.value) : none;
}

// ---- Utilization

// Raising it until `wanted` bytes of KV cache exist.
static void raise_for(struct kvb_reckoning *r, int64_t wanted)
{
    struct text32 from = utilization_text(r);
    int64_t least = typed_up(kvb_share_ppm(r->other_than_pool.value + wanted, r->total.value, true));
    int64_t most = highest_utilization(r);
    if (least <= most) {
        add(r, "gpu-memory-utilization", from.text, fraction(least).text, true,
            "(%s GiB in use besides + %s GiB of KV cache) / %s GiB; each 0.01 is %s GiB",
            gib(r->other_than_pool.value).text, gib(wanted).text, gib(r->total.value).text,
            gib(kvb_scale(r->total.value, STEP_PPM)).text);
        return;
    }
    int64_t best = kvb_scale(r->total.value, most) - r->other_than_pool.value;
    add(r, "gpu-memory-utilization", from.text, fraction(most).text, false,
        "even %s, the most this card %s, makes the KV cache %s GiB; %s%s needed", fraction(most).text,
        r->free.known ? "had free" : "has", gib(best).text, r->needed.known ? gib(wanted).text : "more than nothing",
        r->needed.known ? " GiB are" : " is");
}

static void warn_lowering(struct kvb_reckoning *r)
{
    int64_t lower = r->utilization.value - 100000;
    if (!r->utilization.known || lower <= 0) {
        add(r, "gpu-memory-utilization", utilization_text(r).text, "lower", false,
            "makes the KV cache smaller still: it is what the request leaves after everything else");
        return;
    }
    struct text32 from = fraction(r->utilization.value);
    struct text32 to = fraction(lower);
    if (!r->total.known) {
        add(r, "gpu-memory-utilization", from.text, to.text, false,
            "makes the KV cache smaller by a tenth of the card; the message asks for more, not less");
        return;
    }
    int64_t lost = kvb_scale(r->total.value, 100000);
    if (r->pool.known) {
        add(r, "gpu-memory-utilization", from.text, to.text, false, "makes the KV cache %s GiB smaller: %s GiB",
            gib(lost).text, gib(r->pool.value - lost).text);
    } else {
        add(r, "gpu-memory-utilization", from.text, to.text, false, "makes the KV cache %s GiB smaller",
            gib(lost).text);
    }
}

// Utilization far below what any model needs: the message was answered the wrong way round.
static void explain_lowered(struct kvb_reckoning *r)
{
    struct text32 from = fraction(r->utilization.value);
    if (r->total.known) {
        bool below = r->weights.known && r->requested.value < r->weights.value;
        add(r, "gpu-memory-utilization", from.text, "higher", true,
            "%s of %s GiB is %s GiB, %s%s%s; utilization was lowered although the message asks for more", from.text,
            gib(r->total.value).text, gib(r->requested.value).text,
            below ? "below the weights alone (" : "which must hold weights, peak and cache",
            below ? gib(r->weights.value).text : "", below ? " GiB)" : "");
    } else {
        add(r, "gpu-memory-utilization", from.text, "higher", true,
            "weights, peak and KV cache must all fit into this share; utilization was lowered although the message "
            "asks for more");
    }
}

static int64_t smallest_pool_wanted(const struct kvb_reckoning *r)
{
    return r->needed.known ? r->needed.value : INT64_C(1) << 20;
}

static void raise_or_say_so(struct kvb_reckoning *r)
{
    if (r->report->engine != KVB_LOG_VLLM && r->report->engine != KVB_LOG_UNKNOWN_ENGINE) {
        return;
    }
    if (r->other_than_pool.known && r->total.known) {
        raise_for(r, smallest_pool_wanted(r));
    } else if (r->utilization.known && r->utilization.value < 300000) {
        explain_lowered(r);
    } else {
        int64_t most = highest_utilization(r);
        add(r, "gpu-memory-utilization", utilization_text(r).text, most < KVB_PPM ? fraction(most).text : "higher",
            true,
            "the KV cache is what the request leaves after weights and peak: only a larger request or smaller terms "
            "help%s",
            r->total.known ? "" : "; give --gpu-memory for the arithmetic");
    }
    warn_lowering(r);
}

// Lowering it to leave `missing` bytes outside the request.
static void lower_for(struct kvb_reckoning *r, int64_t missing)
{
    if (!r->total.known) {
        add(r, "gpu-memory-utilization", utilization_text(r).text, "lower", true,
            "the KV cache shrinks and leaves memory for what comes after it");
        return;
    }
    int64_t step = typed_up(kvb_share_ppm(missing + HEADROOM, r->total.value, true));
    if (!r->utilization.known) {
        add(r, "gpu-memory-utilization", "", "lower", true, "by %s: %s GiB were missing, plus 0.15 GiB, of %s GiB",
            fraction(step).text, gib(missing).text, gib(r->total.value).text);
        return;
    }
    int64_t to = typed_down(r->utilization.value - step);
    add(r, "gpu-memory-utilization", fraction(r->utilization.value).text, fraction(to).text, to > 0,
        "frees at least the %s GiB that were missing and 0.15 GiB more; the KV cache shrinks by %s GiB",
        gib(missing).text, gib(kvb_scale(r->total.value, step)).text);
}

static int64_t missing_at_oom(const struct kvb_reckoning *r)
{
    int64_t missing = get(r, KVB_OBS_TRIED_ALLOC) - (is_set(r, KVB_OBS_OOM_FREE) ? get(r, KVB_OBS_OOM_FREE) : 0);
    return missing > 0 ? missing : 0;
}

// ---- One function per kind that has arithmetic of its own

static void cure_graph_estimate(struct kvb_reckoning *r, int64_t missing)
{
    if (!r->graphs_charged || !r->estimate.known) {
        return;
    }
    bool enough = r->estimate.value >= missing;
    add(r, "VLLM_MEMORY_PROFILER_ESTIMATE_CUDAGRAPHS", "1", "0", enough,
        "gives back the estimate of %s GiB%s; graphs then live outside the request, so leave room for them",
        gib(r->estimate.value).text, enough ? "" : ", which is not enough");
    add(r, "enforce-eager", "false", "true", enough, "captures no graphs: gives back %s GiB%s",
        gib(r->estimate.value).text, enough ? ", at a price in speed" : ", which is not enough");
}

static void cure_negative(struct kvb_reckoning *r)
{
    raise_or_say_so(r);
    cure_graph_estimate(r, r->pool.known ? -r->pool.value : 0);
}

static void shorten(struct kvb_reckoning *r)
{
    int64_t estimate = is_set(r, KVB_OBS_ESTIMATED_MAX_MODEL_LEN) ? get(r, KVB_OBS_ESTIMATED_MAX_MODEL_LEN) : 0;
    struct text32 from = {""};
    if (r->length.known) {
        from = number(r->length.value);
    }
    if (estimate > 0) {
        add(r, "max-model-len", from.text, number(estimate).text, true,
            "the engine's own estimate of what this KV cache holds");
    } else if (is_set(r, KVB_OBS_KV_TOKENS)) {
        add(r, "max-model-len", from.text, number(get(r, KVB_OBS_KV_TOKENS)).text, true,
            "the tokens this KV cache holds");
    } else if (r->needed.known && r->pool.known && r->needed.value > 0 && r->pool.value > 0 && r->length.known) {
        int64_t fits = kvb_scale(r->length.value, kvb_share_ppm(r->pool.value, r->needed.value, false)) / 16 * 16;
        add(r, "max-model-len", from.text, number(fits).text, true,
            "%s x %s / %s GiB, where cache grows evenly with length", from.text, gib(r->pool.value).text,
            gib(r->needed.value).text);
    } else {
        add(r, "max-model-len", from.text, "shorter", true, "one request then needs less KV cache");
    }
}

static void halve_cache(struct kvb_reckoning *r)
{
    const struct kvb_setting_value *dtype = &r->report->settings.values[KVB_SET_KV_CACHE_DTYPE];
    if (dtype->set && dtype->number != KVB_KV_AUTO && dtype->number != KVB_KV_16BIT) {
        return;
    }
    if (!r->needed.known || !r->pool.known) {
        add(r, "kv-cache-dtype", "auto", "fp8", true, "halves what full-attention layers keep of a token");
        return;
    }
    bool enough = r->needed.value / 2 <= r->pool.value;
    add(r, "kv-cache-dtype", "auto", "fp8", enough,
        "one request then needs about %s GiB (full attention); %s GiB are there", gib(r->needed.value / 2).text,
        gib(r->pool.value).text);
}

static void cure_length(struct kvb_reckoning *r)
{
    bool vllm = r->report->engine == KVB_LOG_VLLM || r->report->engine == KVB_LOG_UNKNOWN_ENGINE;
    if (!vllm) {
        return;
    }
    shorten(r);
    halve_cache(r);
    if (r->other_than_pool.known && r->total.known && r->needed.known) {
        raise_for(r, r->needed.value);
    } else if (r->needed.known && r->pool.known && r->total.known) {
        int64_t step = typed_up(kvb_share_ppm(r->needed.value - r->pool.value, r->total.value, true));
        add(r, "gpu-memory-utilization", utilization_text(r).text, "higher", step < 500000,
            "by at least %s: %s GiB are missing of %s GiB", fraction(step).text,
            gib(r->needed.value - r->pool.value).text, gib(r->total.value).text);
    } else {
        add(r, "gpu-memory-utilization", utilization_text(r).text, "higher", true,
            "what it adds becomes KV cache, up to what is free; give --gpu-memory for the arithmetic");
    }
    warn_lowering(r);
    if (r->needed.known && r->pool.known) {
        cure_graph_estimate(r, r->needed.value - r->pool.value);
        bool enough = r->weights.known && r->weights.value / 2 > r->needed.value - r->pool.value;
        add(r, "tensor-parallel-size", "", "more GPUs, or a smaller checkpoint", enough || !r->weights.known,
            "%s GiB must come from the weights%s%s%s", gib(r->needed.value - r->pool.value).text,
            r->weights.known ? ", which are " : "", r->weights.known ? gib(r->weights.value).text : "",
            r->weights.known ? " GiB" : "");
    }
}

static void cure_gate(struct kvb_reckoning *r)
{
    if (!r->free.known || !r->total.known) {
        return;
    }
    int64_t most = highest_utilization(r);
    int64_t lost = r->requested.known ? r->requested.value - kvb_scale(r->total.value, most) : 0;
    add(r, "gpu-memory-utilization", utilization_text(r).text, fraction(most).text, true,
        "%s of %s GiB were free; the KV cache becomes %s GiB smaller, and weights and peak must still fit into %s GiB",
        gib(r->free.value).text, gib(r->total.value).text, gib(lost).text, gib(kvb_scale(r->total.value, most)).text);
    add(r, "other processes", "", "none", true, "%s GiB of the card were taken before this engine started",
        gib(r->total.value - r->free.value).text);
}

static void cure_assertion(struct kvb_reckoning *r)
{
    if (!is_set(r, KVB_OBS_INITIAL_FREE) || !is_set(r, KVB_OBS_CURRENT_FREE)) {
        return;
    }
    int64_t freed = get(r, KVB_OBS_CURRENT_FREE) - get(r, KVB_OBS_INITIAL_FREE);
    char exact[32];
    kvb_format_gib(exact, freed, 3);
    if (freed > 0) {
        add(r, "retry", "", "when the GPU is quiet", true,
            "another process freed at least %s GiB while the engine measured; no size was short", exact);
    }
}

static void cure_graph(struct kvb_reckoning *r)
{
    if (r->report->engine != KVB_LOG_VLLM && r->report->engine != KVB_LOG_UNKNOWN_ENGINE) {
        return;
    }
    lower_for(r, missing_at_oom(r));
    bool optional = r->release >= KVB_RELEASE(0, 18, 0) && r->release < KVB_RELEASE(0, 20, 0);
    if (optional) {
        add(r, "VLLM_MEMORY_PROFILER_ESTIMATE_CUDAGRAPHS", "0", "1", true,
            "reserves an estimate for graphs before the KV cache is sized");
    } else if (r->graphs_charged) {
        add(r, "VLLM_MEMORY_PROFILER_ESTIMATE_CUDAGRAPHS", "1", "0", false,
            "removes the very headroom that was missing");
    }
}

// fp32 logits and one sort's values and indexes: what one sequence of the warm-up takes of a vocabulary.
#define SAMPLER_BYTES 16

static int64_t fewer_sequences(const struct kvb_reckoning *r, int64_t requests)
{
    int64_t each = (int64_t)r->given->vocabulary_size * SAMPLER_BYTES;
    int64_t missing = missing_at_oom(r) + HEADROOM;
    if (each == 0 || !is_set(r, KVB_OBS_TRIED_ALLOC) || missing / each + 1 >= requests) {
        return requests / 4;
    }
    return requests - missing / each - 1;
}

static void cure_sampler(struct kvb_reckoning *r)
{
    int64_t requests = is_set(r, KVB_OBS_WARMUP_REQUESTS) ? get(r, KVB_OBS_WARMUP_REQUESTS) : 0;
    if (requests > 1) {
        int64_t fewer = fewer_sequences(r, requests);
        bool counted = r->given->vocabulary_size != 0 && fewer != requests / 4;
        add(r, "max-num-seqs", number(requests).text, number(fewer > 0 ? fewer : 1).text, true,
            "the warm-up samples for that many sequences at once, each about vocabulary x %d bytes%s", SAMPLER_BYTES,
            counted ? ": enough for what was missing and 0.15 GiB" : "");
    } else {
        add(r, "max-num-seqs", "", "lower", true, "the warm-up samples for that many sequences at once");
    }
    if (r->report->stage >= KVB_STAGE_SIZED) {
        lower_for(r, missing_at_oom(r));
    }
}

static void cure_serving(struct kvb_reckoning *r)
{
    if (r->report->engine == KVB_LOG_VLLM || r->report->engine == KVB_LOG_UNKNOWN_ENGINE) {
        lower_for(r, missing_at_oom(r));
    }
}

static void cure_other(struct kvb_reckoning *r)
{
    if (is_set(r, KVB_OBS_MAMBA_BLOCKS)) {
        add(r, "max-num-seqs", number(get(r, KVB_OBS_MAMBA_SEQS)).text, number(get(r, KVB_OBS_MAMBA_BLOCKS)).text, true,
            "each running sequence holds one state block, and there are that many");
    }
    if (r->report->notes[KVB_NOTE_HOST_MEMORY]) {
        add(r, "host memory", "", "more", true,
            "the kernel ended the process for lack of host memory, not of GPU memory");
    }
}

// ---- The table of levers

static bool fragmented(const struct kvb_reckoning *r)
{
    return is_set(r, KVB_OBS_OOM_UNALLOCATED) && get(r, KVB_OBS_OOM_UNALLOCATED) >= get(r, KVB_OBS_TRIED_ALLOC) &&
           get(r, KVB_OBS_OOM_UNALLOCATED) >= get(r, KVB_OBS_OOM_ALLOCATED) / 20;
}

static bool other_tenant(const struct kvb_reckoning *r)
{
    return is_set(r, KVB_OBS_OOM_PROCESS) && is_set(r, KVB_OBS_OOM_THIS_PROCESS) && r->total.known &&
           get(r, KVB_OBS_OOM_PROCESS) > r->total.value / 20;
}

static unsigned conditions(const struct kvb_reckoning *r)
{
    bool equal = is_set(r, KVB_OBS_INITIAL_FREE) && get(r, KVB_OBS_INITIAL_FREE) == get(r, KVB_OBS_CURRENT_FREE);
    bool sized = r->report->stage >= KVB_STAGE_SIZED || r->pool.known;
    unsigned when = r->multimodal ? KVB_WHEN_MULTIMODAL : KVB_WHEN_TEXT;
    bool not_charged = r->v0 || r->report->notes[KVB_NOTE_GRAPHS_NOT_CHARGED] ||
                       (r->release != 0 && r->release < KVB_RELEASE(0, 18, 0));
    when |= r->graphs_charged ? KVB_WHEN_GRAPHS_CHARGED : not_charged ? KVB_WHEN_GRAPHS_FREE : 0;
    when |= r->release == 0 || r->release >= KVB_RELEASE(0, 11, 0) ? KVB_WHEN_V0_GONE : 0;
    when |= r->release == 0 || r->release >= KVB_RELEASE(0, 10, 2) ? KVB_WHEN_KV_BYTES : 0;
    when |= fragmented(r) ? KVB_WHEN_FRAGMENTED : KVB_WHEN_NOT_FRAGMENTED;
    when |= r->charges_others ? KVB_WHEN_OTHERS_CHARGED : 0;
    when |= equal ? KVB_WHEN_STRICT_ASSERTION : 0;
    when |= other_tenant(r) ? KVB_WHEN_OTHER_TENANT : 0;
    when |= sized ? KVB_WHEN_POOL_EXISTS : KVB_WHEN_NO_POOL;
    return when;
}

static void pull_levers(struct kvb_reckoning *r, bool works)
{
    unsigned holds = conditions(r);
    for (size_t i = 0; i < kvb_lever_row_count; i++) {
        const struct kvb_lever_row *row = &kvb_lever_rows[i];
        bool applies = row->kind == r->report->failure.kind && (row->engines >> r->report->engine & 1U) &&
                       (row->when & ~holds) == 0 && row->works == works;
        if (applies) {
            add(r, row->setting, "", row->to, works, "%s", row->why);
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
        [KVB_FAILURE_OTHER] = cure_other,
    };
    if (cures[r->report->failure.kind] != NULL) {
        cures[r->report->failure.kind](r);
    }
    pull_levers(r, true);
    pull_levers(r, false);
    works_first(r->report);
}
