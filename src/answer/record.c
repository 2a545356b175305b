// A row of the field record from a log and the flags beside it, and the plan of the same start beside it.
#include <kvbudget/record.h>

#include <stdio.h>
#include <string.h>

#include <kvbudget/answer.h>

#include "answer/record_cells.h"
#include "answer/record_words.h"
#include "base/memory.h"
#include "base/text.h"

// ---- The plan of the same start

struct planned {
    struct kvb_deployment deployment;
    struct kvb_plan plan;
    struct kvb_model draft;
    struct kvb_model_source source;
    struct kvb_budget budget;
    struct kvb_problems problems;
};

static void add_figure(struct kvb_record *record, const struct kvb_record_facts *facts, const char *name,
                       enum kvb_observation what, int64_t value)
{
    const struct kvb_log_value *logged = &facts->log->observed[what];
    if (logged->set) {
        record->figures[record->figure_count++] =
            (struct kvb_record_figure){name, kvb_observation_row_of(what)->unit, value, logged->value};
    }
}

static void compare(struct kvb_record *record, const struct kvb_record_facts *facts, const struct kvb_budget *budget,
                    bool by_name)
{
    record->planned = true;
    record->starts = budget->starts;
    record->by_name = !record->failed && by_name;
    add_figure(record, facts, "weights", KVB_OBS_WEIGHTS, budget->items[KVB_ITEM_WEIGHTS].bytes);
    add_figure(record, facts, "activation", KVB_OBS_ACTIVATION, budget->items[KVB_ITEM_ACTIVATION].bytes);
    add_figure(record, facts, "KV pool", KVB_OBS_KV_CACHE, budget->items[KVB_ITEM_KV_CACHE].bytes);
    add_figure(record, facts, "KV tokens", KVB_OBS_KV_TOKENS, (int64_t)budget->kv.tokens);
    add_figure(record, facts, "concurrency", KVB_OBS_MAX_CONCURRENCY, (int64_t)budget->kv.max_concurrency_hundredths);
    if (record->failed) {
        add_figure(record, facts, "needed for one request", KVB_OBS_NEEDED, (int64_t)budget->needed_bytes);
    }
}

static void ask(struct planned *planned, const struct kvb_record_facts *facts)
{
    struct kvb_deployment *deployment = &planned->deployment;
    *deployment = *facts->deployment;
    deployment->settings = facts->settings;
    (void)snprintf(deployment->engine, sizeof deployment->engine, "%s@%s", facts->engine->name, facts->version);
    if (deployment->model[0] == '\0' && !deployment->inline_model) {
        (void)kvb_copy(deployment->model, sizeof deployment->model, facts->model);
    }
    if (deployment->gpu[0] == '\0' && !deployment->inline_gpu) {
        (void)kvb_copy(deployment->gpu, sizeof deployment->gpu, facts->gpu);
    }
    const struct kvb_log_value *total = &facts->log->observed[KVB_OBS_GPU_MEMORY];
    if (deployment->gpu_memory_bytes == 0 && total->set && total->value > 0) {
        deployment->gpu_memory_bytes = (uint64_t)total->value;
    }
    const struct kvb_log_value *free_value =
        &facts->log->observed[facts->log->observed[KVB_OBS_INITIAL_FREE].set ? KVB_OBS_INITIAL_FREE : KVB_OBS_GPU_FREE];
    if (deployment->gpu_free_bytes == 0 && free_value->set && free_value->value > 0) {
        deployment->gpu_free_bytes = (uint64_t)free_value->value;
    }
    deployment->usage_set = true;
    if (!deployment->platform_set && facts->log->notes[KVB_NOTE_WSL]) {
        deployment->platform_set = true;
        deployment->platform = KVB_PLATFORM_WSL2;
    }
    if (deployment->compile_cache == KVB_COMPILE_UNKNOWN && !facts->log->notes[KVB_NOTE_COMPILED] &&
        facts->log->notes[KVB_NOTE_COMPILE_LOADED]) {
        deployment->compile_cache = KVB_COMPILE_WARM; // the row says so, and is planned so in the record
    }
}

static void plan(struct kvb_record *record, const struct kvb_record_facts *facts)
{
    struct planned *planned = kvb_reallocate(NULL, sizeof *planned);
    (void)kvb_copy(record->not_planned, sizeof record->not_planned, "not enough memory");
    if (planned == NULL) {
        return;
    }
    memset(planned, 0, sizeof *planned);
    ask(planned, facts);
    kvb_problems_init(&planned->problems);
    if (kvb_deployment_resolve(&planned->deployment, &planned->plan, &planned->draft, &planned->source,
                               &planned->problems) == KVB_OK &&
        kvb_budget_compute(&planned->plan, &planned->budget, &planned->problems) == KVB_OK) {
        compare(record, facts, &planned->budget, planned->plan.model.assumed_high_ppm > 0);
    } else if (planned->problems.count > 0) {
        (void)kvb_copy(record->not_planned, sizeof record->not_planned,
                       planned->problems.items[planned->problems.count - 1].text);
        record->not_planned[strcspn(record->not_planned, ";")] = '\0';
    }
    kvb_free(planned);
}

// ---- What a row cannot do without

static enum kvb_status missing(struct kvb_problems *problems, const char *what)
{
    return kvb_problem_add(problems, KVB_ERROR, KVB_MISSING_KEY, (struct kvb_place){0}, "no row: %s", what);
}

static enum kvb_status check(const struct kvb_record_facts *facts, struct kvb_problems *problems)
{
    const struct kvb_log_report *log = facts->log;
    bool pool_known = log->observed[KVB_OBS_KV_CACHE].set || log->observed[KVB_OBS_KV_TOKENS].set ||
                      log->observed[KVB_OBS_NUM_GPU_BLOCKS].set;
    if (facts->engine == NULL) {
        char titles[KVB_ENGINE_NAMES_CAPACITY], what[KVB_ENGINE_NAMES_CAPACITY + 40];
        (void)snprintf(what, sizeof what, "this is not the log of a %s server", kvb_engine_titles(titles));
        return missing(problems, what);
    }
    if (log->failure.kind == KVB_FAILURE_NONE && !pool_known) {
        return missing(problems, "the log ends before the KV cache has a size, and no failure is in it");
    }
    if (facts->version[0] == '\0') {
        char what[96];
        (void)snprintf(what, sizeof what, "the log does not say its release; give --engine %s@RELEASE",
                       facts->engine->name);
        return missing(problems, what);
    }
    if (facts->model[0] == '\0') {
        return missing(problems, "the log does not say its model; give --model NAME");
    }
    if (facts->gpu[0] == '\0' && facts->deployment->gpu_memory_bytes == 0 && !log->observed[KVB_OBS_GPU_MEMORY].set) {
        return missing(problems, "the log does not say its GPU; give --gpu NAME, as nvidia-smi prints it");
    }
    return KVB_OK;
}

// A model named by a flag beside the log's own is the shape it is planned as; --served-name says what a folder holds.
static void fill_names(struct kvb_record_facts *facts)
{
    const char *given = facts->deployment->model, *logged = facts->log->model;
    kvb_record_model_name(facts->model, sizeof facts->model, logged[0] != '\0' ? logged : given);
    if (facts->deployment->served_name[0] != '\0') {
        (void)kvb_copy(facts->model, sizeof facts->model, facts->deployment->served_name);
    }
    kvb_record_model_name(facts->shape, sizeof facts->shape, given);
    bool path = strcmp(facts->shape, given) != 0;
    if (strcmp(facts->shape, facts->model) == 0 || (path && logged[0] != '\0')) {
        facts->shape[0] = '\0';
    }
}

// The release as printed, without the commit behind '+'.
static void fill_version(struct kvb_record_facts *facts)
{
    const char *given = strchr(facts->deployment->engine, '@');
    (void)kvb_copy(facts->version, sizeof facts->version, given != NULL ? given + 1 : facts->log->version);
    facts->version[strcspn(facts->version, "+")] = '\0';
}

// What stops a server that has its pool and is not for want of memory leaves the figures of a start that ran.
static bool is_failed(const struct kvb_log_report *log)
{
    bool other = log->failure.kind == KVB_FAILURE_OTHER && log->observed[KVB_OBS_KV_TOKENS].set;
    return log->failure.kind != KVB_FAILURE_NONE && log->failure.kind != KVB_FAILURE_OOM_SERVING && !other;
}

enum kvb_status kvb_record_make(const struct kvb_deployment *deployment, const struct kvb_log_report *log,
                                const struct kvb_record_words *words, struct kvb_record *record,
                                struct kvb_problems *problems)
{
    struct kvb_record_facts facts = {.deployment = deployment,
                                     .log = log,
                                     .engine = kvb_engine_find(kvb_log_engine_name(log->engine)),
                                     .id = words->id != NULL ? words->id : "",
                                     .source = words->source != NULL ? words->source : ""};
    memset(record, 0, sizeof *record);
    fill_names(&facts);
    (void)kvb_copy(facts.gpu, sizeof facts.gpu, deployment->gpu[0] != '\0' ? deployment->gpu : log->gpu);
    fill_version(&facts);
    kvb_record_settings(deployment, log, &facts.settings);
    enum kvb_status status = check(&facts, problems);
    if (status != KVB_OK) {
        return status;
    }
    record->failed = is_failed(log);
    record->table = record->failed ? "failures.csv" : "runs.csv";
    kvb_record_fill(&facts, record);
    plan(record, &facts);
    return KVB_OK;
}
