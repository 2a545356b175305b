// The explanation of a log as kvbudget.explain/1.
#include <string.h>

#include <kvbudget/units.h>

#include "engines/flags.h"
#include "report/explain_report.h"
#include "report/plan_report.h"
#include "report/problems.h"

static void value_or_null(struct kvb_json *json, const char *key, bool set, enum kvb_log_unit unit, int64_t value)
{
    if (!set) {
        kvb_json_null(json, key);
    } else if (unit == KVB_LOG_HUNDREDTHS && value >= 0) {
        kvb_json_hundredths(json, key, (uint64_t)value);
    } else if (unit == KVB_LOG_PPM && value >= 0) {
        kvb_json_ppm(json, key, (uint64_t)value);
    } else {
        kvb_json_number(json, key, value);
    }
}

static void observed(struct kvb_json *json, const char *key, const struct kvb_log_report *log,
                     enum kvb_observation what)
{
    value_or_null(json, key, log->observed[what].set, kvb_observation_row_of(what)->unit, log->observed[what].value);
}

static void identity(struct kvb_json *json, const struct kvb_log_report *log)
{
    const char *generation = log->generation == KVB_GENERATION_V0 ? "v0" : "v1";
    kvb_json_open_object(json, "engine");
    kvb_json_text_or_null(json, "name", kvb_log_engine_name(log->engine));
    kvb_json_text_or_null(json, "version", log->version);
    kvb_json_text_or_null(json, "generation", log->generation_known ? generation : NULL);
    kvb_json_close_object(json);
    kvb_json_open_object(json, "model");
    kvb_json_text_or_null(json, "name", log->model);
    kvb_json_close_object(json);
    kvb_json_open_object(json, "gpu");
    kvb_json_text_or_null(json, "name", log->gpu);
    observed(json, "memory_bytes", log, KVB_OBS_GPU_MEMORY);
    observed(json, "free_bytes", log, KVB_OBS_GPU_FREE);
    kvb_json_close_object(json);
}

static void settings(struct kvb_json *json, const struct kvb_log_report *log)
{
    bool shown[KVB_SETTING_COUNT];
    kvb_engine_shown(kvb_engine_said(kvb_log_engine_name(log->engine)), shown);
    kvb_json_open_object(json, "settings");
    for (unsigned i = 0; i < KVB_SETTING_COUNT; i++) {
        const struct kvb_setting_value *value = &log->settings.values[i];
        if (!value->set && !shown[i]) {
            continue;
        }
        if (value->set) {
            kvb_json_setting(json, kvb_setting_row_of(i)->key, (enum kvb_setting)i, value->number);
        } else {
            kvb_json_null(json, kvb_setting_row_of(i)->key);
        }
    }
    kvb_json_close_object(json);
}

static void failure(struct kvb_json *json, const struct kvb_log_report *log)
{
    if (log->failure.kind == KVB_FAILURE_NONE) {
        kvb_json_null(json, "failure");
        return;
    }
    kvb_json_open_object(json, "failure");
    kvb_json_text(json, "kind", kvb_failure_name(log->failure.kind));
    kvb_json_count(json, "line", log->failure.line);
    kvb_json_text(json, "text", log->failure.text);
    kvb_json_bool(json, "inferred", log->failure.inferred);
    kvb_json_text(json, "stage", kvb_log_stage_name(log->stage));
    if (log->failure.about_memory == KVB_LOG_NOT_KNOWN) {
        kvb_json_null(json, "about_memory");
    } else {
        kvb_json_bool(json, "about_memory", log->failure.about_memory == KVB_LOG_YES);
    }
    kvb_json_bool(json, "cause_in_log", log->failure.cause_in_log);
    kvb_json_text_or_null(json, "raised_in", log->failure.raised_in[0] != '\0' ? log->failure.raised_in : NULL);
    kvb_json_text_or_null(json, "title", log->failure.title);
    kvb_json_text_or_null(json, "advice", log->failure.advice);
    kvb_json_close_object(json);
}

static void checks(struct kvb_json *json, const struct kvb_log_report *log)
{
    kvb_json_open_list(json, "checks");
    for (uint32_t i = 0; i < log->check_count; i++) {
        const struct kvb_check *check = &log->checks[i];
        kvb_json_open_object(json, NULL);
        kvb_json_text(json, "what", check->what);
        value_or_null(json, "logged", check->has_logged, check->unit, check->logged);
        value_or_null(json, "computed", check->has_computed, check->unit, check->computed);
        if (check->has_agrees) {
            kvb_json_bool(json, "agrees", check->agrees);
        } else {
            kvb_json_null(json, "agrees");
        }
        kvb_json_text_or_null(json, "note", check->note);
        kvb_json_close_object(json);
    }
    kvb_json_close_list(json);
}

static bool is_number(const char *text)
{
    size_t digits = strspn(text, "0123456789");
    if (digits == 0 || (text[0] == '0' && digits > 1)) {
        return false;
    }
    if (text[digits] == '.') {
        size_t fraction = strspn(text + digits + 1, "0123456789");
        return fraction > 0 && text[digits + 1 + fraction] == '\0';
    }
    return text[digits] == '\0';
}

static void number_or_text(struct kvb_json *json, const char *key, const char *text)
{
    if (is_number(text)) {
        kvb_json_plain(json, key, text);
    } else {
        kvb_json_text_or_null(json, key, text);
    }
}

static void remedies(struct kvb_json *json, const struct kvb_log_report *log)
{
    kvb_json_open_list(json, "remedies");
    for (uint32_t i = 0; i < log->remedy_count; i++) {
        const struct kvb_remedy *remedy = &log->remedies[i];
        kvb_json_open_object(json, NULL);
        kvb_json_text(json, "setting", remedy->setting);
        number_or_text(json, "from", remedy->from);
        number_or_text(json, "to", remedy->to);
        kvb_json_bool(json, "works", remedy->works);
        kvb_json_text(json, "why", remedy->why);
        kvb_json_close_object(json);
    }
    kvb_json_close_list(json);
}

static void runs(struct kvb_json *json, const struct kvb_log_report *log)
{
    kvb_json_open_list(json, "runs");
    for (uint32_t i = 0; i < log->run_count && i < KVB_LOG_RUNS_MAX; i++) {
        const struct kvb_log_run *run = &log->runs[i];
        kvb_json_open_object(json, NULL);
        kvb_json_count(json, "line", run->first_line);
        kvb_json_text(json, "stage", kvb_log_stage_name(run->stage));
        kvb_json_text_or_null(json, "failure",
                              run->failure != KVB_FAILURE_NONE ? kvb_failure_name(run->failure) : NULL);
        kvb_json_bool(json, "explained", i == log->run_shown);
        kvb_json_close_object(json);
    }
    kvb_json_close_list(json);
}

static void closest(struct kvb_json *json, const struct kvb_log_report *log)
{
    kvb_json_open_list(json, "closest");
    for (uint32_t i = 0; i < log->closest_count; i++) {
        kvb_json_open_object(json, NULL);
        kvb_json_count(json, "line", log->closest[i].line);
        kvb_json_text(json, "text", log->closest[i].text);
        kvb_json_close_object(json);
    }
    kvb_json_close_list(json);
}

// A running server: null where no scrape was read.
static void metrics(struct kvb_json *json, const struct kvb_log_report *log)
{
    static const enum kvb_observation shown[] = {KVB_OBS_RUNNING,     KVB_OBS_WAITING,        KVB_OBS_KV_USAGE,
                                                 KVB_OBS_PREEMPTIONS, KVB_OBS_USED_TOKENS,    KVB_OBS_TORCH_ALLOCATED,
                                                 KVB_OBS_TORCH_PEAK,  KVB_OBS_TORCH_RESERVED, KVB_OBS_TORCH_OOMS};
    if (!log->has_metrics) {
        kvb_json_null(json, "metrics");
        return;
    }
    kvb_json_open_object(json, "metrics");
    for (size_t i = 0; i < sizeof shown / sizeof shown[0]; i++) {
        observed(json, kvb_observation_row_of(shown[i])->key, log, shown[i]);
    }
    kvb_json_text_or_null(json, "says", kvb_log_metrics_say(log));
    kvb_json_close_object(json);
}

static void series(struct kvb_json *json, const struct kvb_log_report *log)
{
    const struct kvb_log_series *one = &log->series;
    int64_t left;
    if (!log->has_series) {
        kvb_json_null(json, "series");
        return;
    }
    kvb_json_open_object(json, "series");
    kvb_json_count(json, "gpus", one->gpus);
    kvb_json_count(json, "gpu", one->gpu);
    kvb_json_count(json, "samples", one->samples);
    value_or_null(json, "seconds", one->has_time, KVB_LOG_COUNT, one->seconds);
    kvb_json_number(json, "first_bytes", one->first_bytes);
    kvb_json_number(json, "peak_bytes", one->peak_bytes);
    kvb_json_number(json, "steady_bytes", one->steady_bytes);
    kvb_json_number(json, "last_bytes", one->last_bytes);
    kvb_json_number(json, "jump_bytes", one->jump_bytes);
    value_or_null(json, "free_bytes", one->free_bytes > 0, KVB_LOG_BYTES, one->free_bytes);
    value_or_null(json, "memory_bytes", one->total_bytes > 0, KVB_LOG_BYTES, one->total_bytes);
    value_or_null(json, "growth_bytes_per_hour", one->has_growth, KVB_LOG_BYTES, one->growth_bytes_per_hour);
    bool runs_out = kvb_log_series_left(one, &left);
    value_or_null(json, "seconds_left", runs_out, KVB_LOG_COUNT, runs_out ? left : 0);
    kvb_json_open_list(json, "points");
    for (uint32_t i = 0; i < one->point_count; i++) {
        kvb_json_open_object(json, NULL);
        kvb_json_number(json, "second", one->points[i].second);
        kvb_json_number(json, "used_bytes", one->points[i].used_bytes);
        kvb_json_close_object(json);
    }
    kvb_json_close_list(json);
    kvb_json_close_object(json);
}

void kvb_render_explain_json(struct kvb_buffer *out, const struct kvb_explain_report *report)
{
    const struct kvb_log_report *log = report->log;
    struct kvb_json json;
    kvb_json_init(&json, out);
    kvb_json_open_object(&json, NULL);
    kvb_json_text(&json, "schema", "kvbudget.explain/1");
    kvb_json_text(&json, "verdict", kvb_log_verdict_name(log->verdict));
    identity(&json, log);
    settings(&json, log);
    kvb_json_open_object(&json, "observed");
    for (unsigned i = 0; i < KVB_OBS_PUBLISHED_COUNT; i++) {
        observed(&json, kvb_observation_row_of(i)->key, log, (enum kvb_observation)i);
    }
    series(&json, log);
    metrics(&json, log);
    kvb_json_close_object(&json);
    failure(&json, log);
    kvb_json_text(&json, "stage", kvb_log_stage_name(log->stage));
    kvb_json_bool(&json, "excerpt", log->excerpt);
    checks(&json, log);
    remedies(&json, log);
    kvb_json_text_or_null(&json, "plan_verdict", report->plan);
    kvb_json_text_or_null(&json, "command", report->command);
    runs(&json, log);
    closest(&json, log);
    kvb_render_problems_json(&json, report->problems);
    kvb_json_close_object(&json);
    kvb_json_finish(&json);
}
