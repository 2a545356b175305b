// Gathers the figures of a run from log and user, then lets checks and remedies speak.
#include "logs/explain.h"

#include <string.h>

#include <kvbudget/units.h>

#include "base/checked.h"
#include "base/text.h"

static struct kvb_figure observed(const struct kvb_log_report *report, enum kvb_observation what)
{
    return (struct kvb_figure){report->observed[what].set, report->observed[what].value};
}

static struct kvb_figure setting_figure(const struct kvb_reckoning *r, enum kvb_setting setting)
{
    uint64_t number = 0;
    bool known = kvb_log_setting(r->report, r->given, setting, &number);
    return (struct kvb_figure){known, (int64_t)number};
}

static struct kvb_figure or_given(struct kvb_figure figure, uint64_t bytes)
{
    if (bytes != 0) {
        return (struct kvb_figure){true, (int64_t)bytes};
    }
    return figure;
}

// The line on graph profiling prints utilization with and without the estimate: their difference is a
// share of the total, which nothing else prints.
static struct kvb_figure total_from_graphs(const struct kvb_reckoning *r)
{
    struct kvb_figure with = observed(r->report, KVB_OBS_UTILIZATION);
    struct kvb_figure without = observed(r->report, KVB_OBS_UTILIZATION_WITHOUT_GRAPHS);
    bool known = with.known && without.known && r->estimate.known && with.value > without.value &&
                 r->estimate.value > 0 && r->estimate.value < INT64_C(1) << 42;
    if (!known) {
        return (struct kvb_figure){false, 0};
    }
    return (struct kvb_figure){true, r->estimate.value / (with.value - without.value) * KVB_PPM};
}

static void reckon_release(struct kvb_reckoning *r)
{
    const struct kvb_log_report *report = r->report;
    r->release = kvb_log_release_of(report, r->given);
    r->v0 = report->generation_known && report->generation == KVB_GENERATION_V0;
    const struct kvb_engine_rows *rules = kvb_engine_said(kvb_log_engine_name(report->engine));
    if (rules->facts != NULL) {
        rules->facts(r->release, report->generation_known ? report->generation : KVB_GENERATION_NONE, &r->facts);
    }
    r->engine = kvb_engine_find(kvb_log_engine_name(report->engine));
    bool by_release = r->facts.charges_graphs && !report->notes[KVB_NOTE_GRAPHS_NOT_CHARGED];
    r->graphs_charged = report->notes[KVB_NOTE_GRAPHS_CHARGED] || by_release;
}

static bool sounds_multimodal(const char *name)
{
    static const char *const words[] = {"-vl", "vision", "llava", "pixtral", "internvl", "minicpm-v", "omni"};
    for (size_t i = 0; i < sizeof words / sizeof words[0]; i++) {
        if (kvb_contains_ignoring_case(name, words[i])) {
            return true;
        }
    }
    return false;
}

// The older message counts tokens: what one request needs follows from what those tokens take.
static struct kvb_figure need_from_tokens(const struct kvb_reckoning *r)
{
    struct kvb_figure tokens = observed(r->report, KVB_OBS_KV_TOKENS);
    bool known = r->report->failure.kind == KVB_FAILURE_NOT_ENOUGH_FOR_MAX_LEN && r->pool.known && r->pool.value > 0 &&
                 tokens.known && tokens.value > 0 && r->length.known && r->length.value < INT64_C(1) << 30;
    if (!known) {
        return (struct kvb_figure){false, 0};
    }
    return (struct kvb_figure){
        true, (int64_t)kvb_min(kvb_mul((uint64_t)(r->pool.value / tokens.value), (uint64_t)r->length.value),
                               UINT64_C(1) << 50)};
}

// The peak alone, where one figure holds it and the estimate of graphs, and the log says the estimate besides.
static void part_peak(struct kvb_reckoning *r)
{
    const struct kvb_log_value *both = &r->report->observed[KVB_OBS_PEAK_WITH_GRAPHS];
    struct kvb_log_value *peak = &r->report->observed[KVB_OBS_ACTIVATION];
    if (!both->set || !r->graphs_charged || !r->estimate.known || r->estimate.value > both->value) {
        return;
    }
    *peak = *both;
    peak->value -= r->estimate.value;
    peak->low -= r->estimate.value;
    peak->high -= r->estimate.value;
    r->activation.value = peak->value;
    r->parted = true;
}

void kvb_reckon(struct kvb_reckoning *r, struct kvb_log_report *report, const struct kvb_log_given *given)
{
    memset(r, 0, sizeof *r);
    r->report = report;
    r->given = given;
    reckon_release(r);
    r->multimodal = report->notes[KVB_NOTE_MULTIMODAL] ||
                    (given->model_known ? given->has_encoder
                                        : sounds_multimodal(given->model != NULL ? given->model : report->model));
    r->weights = observed(report, KVB_OBS_WEIGHTS);
    r->activation = observed(report, KVB_OBS_ACTIVATION);
    r->non_torch = observed(report, KVB_OBS_NON_TORCH);
    r->graphs = observed(report, KVB_OBS_CUDA_GRAPH);
    r->estimate = observed(report, KVB_OBS_GRAPH_ESTIMATE);
    part_peak(r);
    r->pool = observed(report, KVB_OBS_KV_CACHE);
    r->needed = observed(report, KVB_OBS_NEEDED);
    r->free = or_given(observed(report, KVB_OBS_GPU_FREE), given->gpu_free_bytes);
    r->total = or_given(observed(report, KVB_OBS_GPU_MEMORY), given->gpu_memory_bytes);
    if (!r->total.known) {
        r->total = total_from_graphs(r);
    }
    if (!r->total.known) {
        r->total = (struct kvb_figure){report->lesson.total_bytes != 0, report->lesson.total_bytes};
    }
    r->length = setting_figure(r, KVB_SET_MAX_MODEL_LEN);
    if (!r->needed.known) {
        r->needed = need_from_tokens(r);
    }
    r->utilization = setting_figure(r, KVB_SET_GPU_MEMORY_UTILIZATION);
    r->requested = observed(report, KVB_OBS_REQUESTED);
    if (!r->requested.known && r->total.known && r->utilization.known) {
        r->requested = (struct kvb_figure){true, kvb_scale(r->total.value, r->utilization.value)};
    }
    if (r->requested.known && r->pool.known) {
        r->other_than_pool = (struct kvb_figure){true, r->requested.value - r->pool.value};
    }
}

void kvb_log_explain(struct kvb_log_report *report, const struct kvb_log_given *given)
{
    struct kvb_reckoning r;
    report->check_count = 0;
    report->remedy_count = 0;
    kvb_reckon(&r, report, given);
    kvb_check_all(&r);
    if (report->verdict == KVB_LOG_FAILED) {
        kvb_remedy_all(&r);
    }
}
