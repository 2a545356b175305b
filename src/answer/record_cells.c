// A log and the flags beside it as the cells of the field record: one row a column.
#include "answer/record_cells.h"

#include <stdio.h>
#include <string.h>

#include <kvbudget/units.h>

#include "answer/record_words.h"
#include "base/sha1.h"
#include "base/text.h"

typedef void fill(const struct kvb_record_facts *facts, char out[KVB_RECORD_CELL]);

static void put(char out[KVB_RECORD_CELL], const char *text)
{
    (void)kvb_copy(out, KVB_RECORD_CELL, text);
}

// ---- Names

static void id(const struct kvb_record_facts *facts, char out[KVB_RECORD_CELL])
{
    if (facts->id[0] != '\0') {
        put(out, facts->id);
        return;
    }
    kvb_record_write_id(out, KVB_RECORD_CELL, facts->gpu, facts->version, facts->model, &facts->settings);
}

static void source(const struct kvb_record_facts *facts, char out[KVB_RECORD_CELL])
{
    put(out, facts->source);
}

// An even first digit is `build`, an odd one `held`.
static void half(const struct kvb_record_facts *facts, char out[KVB_RECORD_CELL])
{
    char digest[KVB_SHA1_HEX];
    if (facts->source[0] == '\0') {
        return;
    }
    (void)kvb_sha1(digest, facts->source, strlen(facts->source));
    put(out, strchr("02468ace", digest[0]) != NULL ? "build" : "held");
}

static void model(const struct kvb_record_facts *facts, char out[KVB_RECORD_CELL])
{
    put(out, facts->model);
}

static void shape(const struct kvb_record_facts *facts, char out[KVB_RECORD_CELL])
{
    put(out, facts->shape);
}

static void engine(const struct kvb_record_facts *facts, char out[KVB_RECORD_CELL])
{
    (void)snprintf(out, KVB_RECORD_CELL, "%s@%s", facts->engine->name, facts->version);
}

static void gpu(const struct kvb_record_facts *facts, char out[KVB_RECORD_CELL])
{
    put(out, facts->gpu);
}

static void usage(const struct kvb_record_facts *facts, char out[KVB_RECORD_CELL])
{
    bool offline = facts->deployment->usage_set && facts->deployment->usage == KVB_USAGE_OFFLINE;
    put(out, offline ? "offline" : "serve");
}

static void platform(const struct kvb_record_facts *facts, char out[KVB_RECORD_CELL])
{
    const struct kvb_deployment *deployment = facts->deployment;
    bool wsl = deployment->platform_set ? deployment->platform != KVB_PLATFORM_LINUX : facts->log->notes[KVB_NOTE_WSL];
    put(out, wsl ? "wsl2" : "linux");
}

static void settings(const struct kvb_record_facts *facts, char out[KVB_RECORD_CELL])
{
    kvb_record_write_settings(out, KVB_RECORD_CELL, facts->engine, &facts->settings, facts->deployment->draft_model);
    kvb_record_write_overrides(out, KVB_RECORD_CELL, facts->deployment->overrides);
}

static void environment(const struct kvb_record_facts *facts, char out[KVB_RECORD_CELL])
{
    kvb_record_write_environment(out, KVB_RECORD_CELL, &facts->deployment->environment);
}

static void kind(const struct kvb_record_facts *facts, char out[KVB_RECORD_CELL])
{
    put(out, kvb_failure_name(facts->log->failure.kind));
}

static void compile_cache(const struct kvb_record_facts *facts, char out[KVB_RECORD_CELL])
{
    const bool *notes = facts->log->notes;
    put(out, notes[KVB_NOTE_COMPILED] ? "cold" : notes[KVB_NOTE_COMPILE_LOADED] ? "warm" : "");
}

static void nothing(const struct kvb_record_facts *facts, char out[KVB_RECORD_CELL])
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

static void put_observed_size(const struct kvb_record_facts *facts, char out[KVB_RECORD_CELL], uint64_t said,
                              enum kvb_observation what)
{
    const struct kvb_log_value *value = &facts->log->observed[what];
    put_size(out, said != 0 ? said : value->set && value->value > 0 ? (uint64_t)value->value : 0);
}

static void gpu_memory(const struct kvb_record_facts *facts, char out[KVB_RECORD_CELL])
{
    put_observed_size(facts, out, facts->deployment->gpu_memory_bytes, KVB_OBS_GPU_MEMORY);
}

static void gpu_free(const struct kvb_record_facts *facts, char out[KVB_RECORD_CELL])
{
    bool initial = facts->log->observed[KVB_OBS_INITIAL_FREE].set;
    put_observed_size(facts, out, facts->deployment->gpu_free_bytes, initial ? KVB_OBS_INITIAL_FREE : KVB_OBS_GPU_FREE);
}

static void other(const struct kvb_record_facts *facts, char out[KVB_RECORD_CELL])
{
    uint64_t bytes = 0;
    for (uint32_t i = 0; i < facts->deployment->reserve_count; i++) {
        bytes += facts->deployment->reserves[i].bytes;
    }
    put_size(out, bytes);
}

// A size in GiB, a count, or hundredths: the bare number.
static void put_observed(const struct kvb_record_facts *facts, char out[KVB_RECORD_CELL], enum kvb_observation what)
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

static void weights(const struct kvb_record_facts *facts, char out[KVB_RECORD_CELL])
{
    put_observed(facts, out, KVB_OBS_WEIGHTS);
}

static void activation(const struct kvb_record_facts *facts, char out[KVB_RECORD_CELL])
{
    put_observed(facts, out, KVB_OBS_ACTIVATION);
}

static void non_torch(const struct kvb_record_facts *facts, char out[KVB_RECORD_CELL])
{
    put_observed(facts, out, KVB_OBS_NON_TORCH);
}

static void needed(const struct kvb_record_facts *facts, char out[KVB_RECORD_CELL])
{
    put_observed(facts, out, KVB_OBS_NEEDED);
}

static void pool(const struct kvb_record_facts *facts, char out[KVB_RECORD_CELL])
{
    put_observed(facts, out, KVB_OBS_KV_CACHE);
}

// V0 prints blocks; a block held 16 tokens unless it was said otherwise.
static void tokens(const struct kvb_record_facts *facts, char out[KVB_RECORD_CELL])
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

static void concurrency(const struct kvb_record_facts *facts, char out[KVB_RECORD_CELL])
{
    put_observed(facts, out, KVB_OBS_MAX_CONCURRENCY);
}

static void concurrency_tokens(const struct kvb_record_facts *facts, char out[KVB_RECORD_CELL])
{
    put_observed(facts, out, KVB_OBS_CONCURRENCY_LEN);
}

// What was captured; where only the estimate is printed, the cell of the estimate says it.
static void graphs(const struct kvb_record_facts *facts, char out[KVB_RECORD_CELL])
{
    const struct kvb_log_value *actual = &facts->log->observed[KVB_OBS_CUDA_GRAPH];
    const struct kvb_log_value *estimate = &facts->log->observed[KVB_OBS_GRAPH_ESTIMATE];
    if (actual->set && !(estimate->set && actual->line == estimate->line)) {
        put_observed(facts, out, KVB_OBS_CUDA_GRAPH);
    }
}

static void estimate(const struct kvb_record_facts *facts, char out[KVB_RECORD_CELL])
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

void kvb_record_fill(const struct kvb_record_facts *facts, struct kvb_record *record)
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
