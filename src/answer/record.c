// A log and the flags beside it as one row of the field record, and the plan of the same start beside it.
#include <kvbudget/record.h>

#include <stdio.h>
#include <string.h>

#include <kvbudget/answer.h>
#include <kvbudget/units.h>

#include "answer/record_words.h"
#include "base/memory.h"
#include "base/sha1.h"
#include "base/text.h"

struct facts {
    const struct kvb_deployment *deployment;
    const struct kvb_log_report *log;
    const struct kvb_engine_rows *engine; // of the log; NULL: none that is planned here
    const char *id, *source;
    struct kvb_settings settings;
    char model[KVB_NAME_CAPACITY], shape[KVB_NAME_CAPACITY], gpu[KVB_NAME_CAPACITY], version[48];
};

typedef void fill(const struct facts *facts, char out[KVB_RECORD_CELL]);

static void put(char out[KVB_RECORD_CELL], const char *text)
{
    (void)kvb_copy(out, KVB_RECORD_CELL, text);
}

// ---- Names

static void id(const struct facts *facts, char out[KVB_RECORD_CELL])
{
    if (facts->id[0] != '\0') {
        put(out, facts->id);
        return;
    }
    kvb_record_write_id(out, KVB_RECORD_CELL, facts->gpu, facts->version, facts->model, &facts->settings);
}

static void source(const struct facts *facts, char out[KVB_RECORD_CELL])
{
    put(out, facts->source);
}

// An even first digit is `build`, an odd one `held`.
static void half(const struct facts *facts, char out[KVB_RECORD_CELL])
{
    char digest[KVB_SHA1_HEX];
    if (facts->source[0] == '\0') {
        return;
    }
    (void)kvb_sha1(digest, facts->source, strlen(facts->source));
    put(out, strchr("02468ace", digest[0]) != NULL ? "build" : "held");
}

static void model(const struct facts *facts, char out[KVB_RECORD_CELL])
{
    put(out, facts->model);
}

static void shape(const struct facts *facts, char out[KVB_RECORD_CELL])
{
    put(out, facts->shape);
}

static void engine(const struct facts *facts, char out[KVB_RECORD_CELL])
{
    (void)snprintf(out, KVB_RECORD_CELL, "%s@%s", facts->engine->name, facts->version);
}

static void gpu(const struct facts *facts, char out[KVB_RECORD_CELL])
{
    put(out, facts->gpu);
}

static void usage(const struct facts *facts, char out[KVB_RECORD_CELL])
{
    bool offline = facts->deployment->usage_set && facts->deployment->usage == KVB_USAGE_OFFLINE;
    put(out, offline ? "offline" : "serve");
}

static void platform(const struct facts *facts, char out[KVB_RECORD_CELL])
{
    const struct kvb_deployment *deployment = facts->deployment;
    bool wsl = deployment->platform_set ? deployment->platform != KVB_PLATFORM_LINUX : facts->log->notes[KVB_NOTE_WSL];
    put(out, wsl ? "wsl2" : "linux");
}

static void settings(const struct facts *facts, char out[KVB_RECORD_CELL])
{
    kvb_record_write_settings(out, KVB_RECORD_CELL, facts->engine, &facts->settings, facts->deployment->draft_model);
}

static void environment(const struct facts *facts, char out[KVB_RECORD_CELL])
{
    kvb_record_write_environment(out, KVB_RECORD_CELL, &facts->deployment->environment);
}

static void kind(const struct facts *facts, char out[KVB_RECORD_CELL])
{
    put(out, kvb_failure_name(facts->log->failure.kind));
}

static void compile_cache(const struct facts *facts, char out[KVB_RECORD_CELL])
{
    const bool *notes = facts->log->notes;
    put(out, notes[KVB_NOTE_COMPILED] ? "cold" : notes[KVB_NOTE_COMPILE_LOADED] ? "warm" : "");
}

static void nothing(const struct facts *facts, char out[KVB_RECORD_CELL])
{
    (void)facts;
    out[0] = '\0';
}

// ---- Figures

// "79.19GiB", as sizes are written in this table and on the command line.
static void put_size(char out[KVB_RECORD_CELL], uint64_t bytes)
{
    char text[32];
    if (bytes > 0) {
        (void)snprintf(out, KVB_RECORD_CELL, "%sGiB", kvb_format_gib(text, (int64_t)bytes, 2));
    }
}

static void put_observed_size(const struct facts *facts, char out[KVB_RECORD_CELL], uint64_t said,
                              enum kvb_observation what)
{
    const struct kvb_log_value *value = &facts->log->observed[what];
    put_size(out, said != 0 ? said : value->set && value->value > 0 ? (uint64_t)value->value : 0);
}

static void gpu_memory(const struct facts *facts, char out[KVB_RECORD_CELL])
{
    put_observed_size(facts, out, facts->deployment->gpu_memory_bytes, KVB_OBS_GPU_MEMORY);
}

static void gpu_free(const struct facts *facts, char out[KVB_RECORD_CELL])
{
    bool initial = facts->log->observed[KVB_OBS_INITIAL_FREE].set;
    put_observed_size(facts, out, facts->deployment->gpu_free_bytes, initial ? KVB_OBS_INITIAL_FREE : KVB_OBS_GPU_FREE);
}

static void other(const struct facts *facts, char out[KVB_RECORD_CELL])
{
    uint64_t bytes = 0;
    for (uint32_t i = 0; i < facts->deployment->reserve_count; i++) {
        bytes += facts->deployment->reserves[i].bytes;
    }
    put_size(out, bytes);
}

// A size in GiB, a count, or hundredths: the bare number.
static void put_observed(const struct facts *facts, char out[KVB_RECORD_CELL], enum kvb_observation what)
{
    const struct kvb_log_value *value = &facts->log->observed[what];
    char text[32];
    if (!value->set) {
        return;
    }
    if (kvb_observation_row_of(what)->unit == KVB_LOG_BYTES) {
        put(out, kvb_format_gib(text, value->value, 4));
        for (size_t end = strlen(out); end > 0 && strchr(out, '.') != NULL; end--) {
            bool point = out[end - 1] == '.';
            if (!point && out[end - 1] != '0') {
                break;
            }
            out[end - 1] = '\0';
        }
    } else if (kvb_observation_row_of(what)->unit == KVB_LOG_HUNDREDTHS) {
        (void)snprintf(out, KVB_RECORD_CELL, "%lld.%02lld", (long long)(value->value / 100),
                       (long long)(value->value % 100));
    } else {
        (void)snprintf(out, KVB_RECORD_CELL, "%lld", (long long)value->value);
    }
}

static void weights(const struct facts *facts, char out[KVB_RECORD_CELL])
{
    put_observed(facts, out, KVB_OBS_WEIGHTS);
}

static void activation(const struct facts *facts, char out[KVB_RECORD_CELL])
{
    put_observed(facts, out, KVB_OBS_ACTIVATION);
}

static void non_torch(const struct facts *facts, char out[KVB_RECORD_CELL])
{
    put_observed(facts, out, KVB_OBS_NON_TORCH);
}

static void needed(const struct facts *facts, char out[KVB_RECORD_CELL])
{
    put_observed(facts, out, KVB_OBS_NEEDED);
}

static void pool(const struct facts *facts, char out[KVB_RECORD_CELL])
{
    put_observed(facts, out, KVB_OBS_KV_CACHE);
}

// V0 prints blocks; a block held 16 tokens unless it was said otherwise.
static void tokens(const struct facts *facts, char out[KVB_RECORD_CELL])
{
    const struct kvb_log_value *blocks = &facts->log->observed[KVB_OBS_NUM_GPU_BLOCKS];
    const struct kvb_setting_value *block = &facts->settings.values[KVB_SET_BLOCK_SIZE];
    if (facts->log->observed[KVB_OBS_KV_TOKENS].set) {
        put_observed(facts, out, KVB_OBS_KV_TOKENS);
    } else if (blocks->set && blocks->value > 0 && blocks->value < INT32_MAX) {
        uint64_t size = block->set && block->number != KVB_AUTO ? block->number : 16;
        (void)snprintf(out, KVB_RECORD_CELL, "%llu", (unsigned long long)((uint64_t)blocks->value * size));
    }
}

static void concurrency(const struct facts *facts, char out[KVB_RECORD_CELL])
{
    put_observed(facts, out, KVB_OBS_MAX_CONCURRENCY);
}

static void concurrency_tokens(const struct facts *facts, char out[KVB_RECORD_CELL])
{
    put_observed(facts, out, KVB_OBS_CONCURRENCY_LEN);
}

// What was captured; where only the estimate is printed, the cell of the estimate says it.
static void graphs(const struct facts *facts, char out[KVB_RECORD_CELL])
{
    const struct kvb_log_value *actual = &facts->log->observed[KVB_OBS_CUDA_GRAPH];
    const struct kvb_log_value *estimate = &facts->log->observed[KVB_OBS_GRAPH_ESTIMATE];
    if (actual->set && !(estimate->set && actual->line == estimate->line)) {
        put_observed(facts, out, KVB_OBS_CUDA_GRAPH);
    }
}

static void estimate(const struct facts *facts, char out[KVB_RECORD_CELL])
{
    put_observed(facts, out, KVB_OBS_GRAPH_ESTIMATE);
}

enum { RUNS = 1, FAILURES = 2, BOTH = 3 };
static const struct {
    const char *name;
    unsigned tables;
    fill *fill;
} columns[] = {
    {"id", BOTH, id},
    {"source", BOTH, source},
    {"half", BOTH, half},
    {"fed", BOTH, nothing},
    {"model", BOTH, model},
    {"shape", BOTH, shape},
    {"engine", BOTH, engine},
    {"gpu", BOTH, gpu},
    {"gpu_memory", BOTH, gpu_memory},
    {"gpu_free", BOTH, gpu_free},
    {"other", BOTH, other},
    {"environment", BOTH, environment},
    {"usage", BOTH, usage},
    {"platform", BOTH, platform},
    {"settings", BOTH, settings},
    {"kind", FAILURES, kind},
    {"needed_gib", FAILURES, needed},
    {"weights_gib", RUNS, weights},
    {"activation_gib", RUNS, activation},
    {"non_torch_gib", RUNS, non_torch},
    {"pool_gib", BOTH, pool},
    {"tokens", RUNS, tokens},
    {"concurrency", RUNS, concurrency},
    {"concurrency_tokens", RUNS, concurrency_tokens},
    {"graphs_gib", RUNS, graphs},
    {"estimate_gib", RUNS, estimate},
    {"compile_cache", RUNS, compile_cache},
    {"note", BOTH, nothing},
};

static void fill_row(const struct facts *facts, struct kvb_record *record)
{
    unsigned table = record->failed ? FAILURES : RUNS;
    for (size_t i = 0; i < sizeof columns / sizeof columns[0]; i++) {
        if (columns[i].tables & table) {
            char *cell = record->cells[record->column_count];
            columns[i].fill(facts, cell);
            kvb_make_printable(cell);
            record->names[record->column_count++] = columns[i].name;
        }
    }
}

// ---- The plan of the same start

struct planned {
    struct kvb_deployment deployment;
    struct kvb_plan plan;
    struct kvb_model draft;
    struct kvb_model_source source;
    struct kvb_budget budget;
    struct kvb_problems problems;
};

static void add_figure(struct kvb_record *record, const struct facts *facts, const char *name,
                       enum kvb_observation what, int64_t value)
{
    const struct kvb_log_value *logged = &facts->log->observed[what];
    if (logged->set) {
        record->figures[record->figure_count++] =
            (struct kvb_record_figure){name, kvb_observation_row_of(what)->unit, value, logged->value};
    }
}

static void compare(struct kvb_record *record, const struct facts *facts, const struct kvb_budget *budget)
{
    record->planned = true;
    record->starts = budget->starts;
    add_figure(record, facts, "weights", KVB_OBS_WEIGHTS, budget->items[KVB_ITEM_WEIGHTS].bytes);
    add_figure(record, facts, "activation", KVB_OBS_ACTIVATION, budget->items[KVB_ITEM_ACTIVATION].bytes);
    add_figure(record, facts, "KV pool", KVB_OBS_KV_CACHE, budget->items[KVB_ITEM_KV_CACHE].bytes);
    add_figure(record, facts, "KV tokens", KVB_OBS_KV_TOKENS, (int64_t)budget->kv.tokens);
    add_figure(record, facts, "concurrency", KVB_OBS_MAX_CONCURRENCY, (int64_t)budget->kv.max_concurrency_hundredths);
    if (record->failed) {
        add_figure(record, facts, "needed for one request", KVB_OBS_NEEDED, (int64_t)budget->needed_bytes);
    }
}

static void ask(struct planned *planned, const struct facts *facts)
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
}

static void plan(struct kvb_record *record, const struct facts *facts)
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
        compare(record, facts, &planned->budget);
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

static enum kvb_status check(const struct facts *facts, struct kvb_problems *problems)
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

// A model named by a flag beside the log's own is the shape it is planned as.
static void fill_names(struct facts *facts)
{
    const char *given = facts->deployment->model, *logged = facts->log->model;
    kvb_record_model_name(facts->model, sizeof facts->model, logged[0] != '\0' ? logged : given);
    kvb_record_model_name(facts->shape, sizeof facts->shape, given);
    bool path = strcmp(facts->shape, given) != 0;
    if (strcmp(facts->shape, facts->model) == 0 || (path && logged[0] != '\0')) {
        facts->shape[0] = '\0';
    }
}

// The release as printed, without the commit behind '+'.
static void fill_version(struct facts *facts)
{
    const char *given = strchr(facts->deployment->engine, '@');
    (void)kvb_copy(facts->version, sizeof facts->version, given != NULL ? given + 1 : facts->log->version);
    facts->version[strcspn(facts->version, "+")] = '\0';
}

enum kvb_status kvb_record_make(const struct kvb_deployment *deployment, const struct kvb_log_report *log,
                                const struct kvb_record_words *words, struct kvb_record *record,
                                struct kvb_problems *problems)
{
    struct facts facts = {.deployment = deployment,
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
    record->failed = log->failure.kind != KVB_FAILURE_NONE && log->failure.kind != KVB_FAILURE_OOM_SERVING;
    record->table = record->failed ? "failures.csv" : "runs.csv";
    fill_row(&facts, record);
    plan(record, &facts);
    return KVB_OK;
}
