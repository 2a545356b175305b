// Plain flags whose value is a number: what the release's own parser reads as one, and the least and the most that the
// field behind it takes. Source: vllm/engine/arg_utils.py and vllm/entrypoints/openai/cli_args.py (type=), Field(...)
// of vllm/config, tag by tag from 0.8.5 to 0.28.0.
#include <float.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "base/text.h"
#include "budget/shapes.h"
#include "engines/vllm/refusal.h"
#include "engines/vllm/release_tables.h"
#include "engines/vllm/serve.h"

#define R(minor, patch) KVB_RELEASE(0, minor, patch)
#define OPTIONAL_CAPACITY 256
#define NUMBER_CAPACITY 40

enum number_type {
    WHOLE,       // int
    REAL,        // float
    MAYBE_WHOLE, // optional_type(int): "None" is none
    MAYBE_REAL,
};

static const struct {
    const char *flag;
    enum number_type type;
} types[] = {
    {"api-server-count", WHOLE},
    {"cp-kv-cache-interleave-size", WHOLE},
    {"cpu-distributed-timeout-seconds", MAYBE_WHOLE},
    {"data-parallel-rank", WHOLE},
    {"data-parallel-rpc-port", WHOLE},
    {"data-parallel-size-local", WHOLE},
    {"data-parallel-start-rank", WHOLE},
    {"data-parallel-supervisor-port", WHOLE},
    {"dbo-decode-token-threshold", WHOLE},
    {"dbo-prefill-token-threshold", WHOLE},
    {"dcp-kv-cache-interleave-size", WHOLE},
    {"distributed-timeout-seconds", MAYBE_WHOLE},
    {"dp-supervisor-probe-failure-threshold", WHOLE},
    {"dp-supervisor-probe-interval-s", REAL},
    {"dp-supervisor-probe-timeout-s", REAL},
    {"eplb-step-interval", WHOLE},
    {"eplb-window-size", WHOLE},
    {"h11-max-header-count", WHOLE},
    {"h11-max-incomplete-event-size", WHOLE},
    {"kv-cache-metrics-sample", REAL},
    {"kv-offloading-size", MAYBE_REAL},
    {"long-prefill-token-threshold", WHOLE},
    {"lora-extra-vocab-size", WHOLE},
    {"mamba-cache-philox-rounds", WHOLE},
    {"master-port", WHOLE},
    {"max-cpu-loras", MAYBE_WHOLE},
    {"max-log-len", MAYBE_WHOLE},
    {"max-logprobs", WHOLE},
    {"max-long-partial-prefills", WHOLE},
    {"max-num-partial-prefills", WHOLE},
    {"max-parallel-loading-workers", MAYBE_WHOLE},
    {"max-prompt-adapter-token", WHOLE},
    {"max-prompt-adapters", WHOLE},
    {"max-seq-len-to-capture", WHOLE},
    {"mm-encoder-fp8-scale-save-margin", REAL},
    {"mm-processor-cache-gb", REAL},
    {"mm-shm-cache-max-object-size-mb", WHOLE},
    {"nnodes", WHOLE},
    {"node-rank", WHOLE},
    {"num-lookahead-slots", WHOLE},
    {"num-redundant-experts", WHOLE},
    {"num-scheduler-steps", WHOLE},
    {"offload-group-size", WHOLE},
    {"offload-num-in-group", WHOLE},
    {"offload-prefetch-step", WHOLE},
    {"port", WHOLE},
    {"prefill-schedule-interval", WHOLE},
    {"prefix-match-unit", MAYBE_WHOLE},
    {"renderer-num-workers", WHOLE},
    {"replayssm-buffer-len", WHOLE},
    {"rope-theta", MAYBE_REAL},
    {"safetensors-prefetch-num-threads", WHOLE},
    {"scheduler-delay-factor", REAL},
    {"seed", WHOLE},
    {"shutdown-timeout", WHOLE},
    {"ssl-cert-reqs", WHOLE},
    {"stream-interval", WHOLE},
    {"tokenizer-pool-size", WHOLE},
    {"ubatch-size", WHOLE},
    {"video-pruning-rate", MAYBE_REAL},
    {"watermark", REAL},
};

#define SEED_OPTIONAL_SINCE R(9, 0)
#define SEED_OPTIONAL_UNTIL R(12, 0)

static bool find_type(const char *flag, uint32_t release, enum number_type *type)
{
    for (size_t i = 0; i < sizeof types / sizeof types[0]; i++) {
        if (strcmp(types[i].flag, flag) == 0) {
            bool seed = strcmp(flag, "seed") == 0;
            bool optional = seed && release >= SEED_OPTIONAL_SINCE && release < SEED_OPTIONAL_UNTIL;
            *type = optional ? MAYBE_WHOLE : types[i].type;
            return true;
        }
    }
    return false;
}

// Python's int() and float(): underscores stand between digits, and a number of any width is one.
static bool read_python(const char *text, bool real, double *number)
{
    char digits[NUMBER_CAPACITY];
    size_t used = 0;
    for (size_t i = 0; text[i] != '\0'; i++) {
        bool between = text[i] == '_' && i > 0 && kvb_is_digit(text[i - 1]) && kvb_is_digit(text[i + 1]);
        if (!between) {
            digits[used++] = text[i];
        }
    }
    digits[used] = '\0';
    char *end;
    *number = strtod(digits, &end);
    bool written = strspn(digits, real ? "+-.0123456789eEinftyaINFTYA" : "+-0123456789") == used;
    return used > 0 && *end == '\0' && written;
}

// Copies the value of the line; false where it is none, too long for a number, or filled in by a shell or a template.
static bool copy_value(const char *value, char out[NUMBER_CAPACITY])
{
    size_t size = strcspn(value, "\n");
    if (size == 0 || size >= NUMBER_CAPACITY || memchr(value, '$', size) != NULL || memchr(value, '{', size) != NULL) {
        return false;
    }
    out[0] = '\0';
    kvb_append(out, NUMBER_CAPACITY, value, size);
    return true;
}

static void say_type(char out[OPTIONAL_CAPACITY], const char *flag, enum number_type type, const char *value)
{
    const char *name = type == WHOLE || type == MAYBE_WHOLE ? "int" : "float";
    bool maybe = type == MAYBE_WHOLE || type == MAYBE_REAL;
    const char *parts[] = {"argument --",
                           flag,
                           maybe ? ": Value " : ": invalid ",
                           maybe ? value : name,
                           maybe ? " cannot be converted to <class '" : " value: '",
                           maybe ? name : value,
                           maybe ? "'>." : "'"};
    out[0] = '\0';
    for (size_t i = 0; i < sizeof parts / sizeof parts[0]; i++) {
        kvb_add_text(out, OPTIONAL_CAPACITY, parts[i]);
    }
}

bool kvb_vllm_judge_number(const char *line, const struct kvb_engine *engine, char out[OPTIONAL_CAPACITY])
{
    const char *at;
    char value[NUMBER_CAPACITY];
    enum number_type type;
    double number;
    const struct kvb_known_flag *flag = kvb_vllm_flag_of_line(line, engine->release, &at);
    if (flag == NULL || !find_type(flag->name, engine->release, &type) || !copy_value(at, value)) {
        return false;
    }
    bool none = (type == MAYBE_WHOLE || type == MAYBE_REAL) && strcmp(value, "None") == 0;
    if (none || read_python(value, type == REAL || type == MAYBE_REAL, &number)) {
        return false;
    }
    say_type(out, flag->name, type, value);
    return true;
}

// ---- What a field takes

static const struct bound_row {
    const char *flag;
    uint32_t since, gone; // 0 = still
    const char *class;
    double least, most; // of these two,
    bool above, below;  // the number itself is not taken
    bool of_encoder;    // the class is made for a model with an encoder alone
} bounds[] = {
    {"data-parallel-rank", R(23, 0), 0, "ParallelConfig", 0, DBL_MAX, false, false, false},
    {"data-parallel-size-local", R(23, 0), 0, "ParallelConfig", 0, DBL_MAX, false, false, false},
    {"dbo-decode-token-threshold", R(23, 0), 0, "ParallelConfig", 0, DBL_MAX, false, false, false},
    {"dbo-prefill-token-threshold", R(23, 0), 0, "ParallelConfig", 0, DBL_MAX, false, false, false},
    {"kv-cache-metrics-sample", R(12, 0), 0, "ObservabilityConfig", 0, 1, true, false, false},
    {"long-prefill-token-threshold", R(25, 0), 0, "SchedulerConfig", 0, DBL_MAX, false, false, false},
    {"max-logprobs", R(25, 0), 0, "ModelConfig", -1, DBL_MAX, false, false, false},
    {"max-long-partial-prefills", R(11, 1), R(27, 0), "SchedulerConfig", 1, DBL_MAX, false, false, false},
    {"max-num-partial-prefills", R(11, 1), R(27, 0), "SchedulerConfig", 1, DBL_MAX, false, false, false},
    {"max-parallel-loading-workers", R(23, 0), 0, "ParallelConfig", 1, DBL_MAX, false, false, false},
    {"mm-encoder-fp8-scale-save-margin", R(21, 0), 0, "ModelConfig", 0, DBL_MAX, true, false, true},
    {"mm-processor-cache-gb", R(11, 1), 0, "ModelConfig", 0, DBL_MAX, false, false, true},
    {"mm-shm-cache-max-object-size-mb", R(11, 1), 0, "ModelConfig", 0, DBL_MAX, false, false, true},
    {"nnodes", R(23, 0), 0, "ParallelConfig", 1, DBL_MAX, false, false, false},
    {"node-rank", R(23, 0), 0, "ParallelConfig", 0, DBL_MAX, false, false, false},
    {"num-lookahead-slots", R(11, 1), R(12, 0), "SchedulerConfig", 0, DBL_MAX, false, false, false},
    {"offload-group-size", R(17, 0), 0, "PrefetchOffloadConfig", 0, DBL_MAX, false, false, false},
    {"offload-num-in-group", R(17, 0), 0, "PrefetchOffloadConfig", 1, DBL_MAX, false, false, false},
    {"offload-prefetch-step", R(17, 0), 0, "PrefetchOffloadConfig", 0, DBL_MAX, false, false, false},
    {"prefill-schedule-interval", R(24, 0), 0, "SchedulerConfig", 1, DBL_MAX, false, false, false},
    {"prefix-match-unit", R(26, 0), 0, "CacheConfig", 0, DBL_MAX, true, false, false},
    {"replayssm-buffer-len", R(27, 0), 0, "CacheConfig", 0, DBL_MAX, true, false, false},
    {"safetensors-prefetch-num-threads", R(21, 0), 0, "LoadConfig", 1, DBL_MAX, false, false, false},
    {"shutdown-timeout", R(18, 0), 0, "VllmConfig", 0, DBL_MAX, false, false, false},
    {"stream-interval", R(11, 1), 0, "SchedulerConfig", 1, DBL_MAX, false, false, false},
    {"ubatch-size", R(23, 0), 0, "ParallelConfig", 0, DBL_MAX, false, false, false},
    {"video-pruning-rate", R(11, 1), 0, "ModelConfig", 0, 1, false, true, true},
    {"watermark", R(24, 0), 0, "SchedulerConfig", 0, 1, false, true, false},
};

static void say_bound(char out[OPTIONAL_CAPACITY], const struct bound_row *row, bool low)
{
    char count[24];
    bool strict = low ? row->above : row->below, minus = low && row->least < 0;
    const char *parts[] = {"1 validation error for ",
                           row->class,
                           ", ",
                           row->flag,
                           ": Input should be ",
                           low ? "greater than " : "less than ",
                           strict ? "" : "or equal to ",
                           minus ? "-" : "",
                           kvb_refusal_count(count, (uint64_t)fabs(low ? row->least : row->most))};
    out[0] = '\0';
    for (size_t i = 0; i < sizeof parts / sizeof parts[0]; i++) {
        size_t used = strlen(out);
        kvb_add_text(out, OPTIONAL_CAPACITY, parts[i]);
        for (char *at = out + used; parts[i] == row->flag && *at != '\0'; at++) {
            *at = *at == '-' ? '_' : *at;
        }
    }
}

static bool is_outside(const struct bound_row *row, double number, bool *low)
{
    *low = number < row->least || (row->above && number == row->least);
    return *low || number > row->most || (row->below && number == row->most);
}

void kvb_vllm_judge_bounds(const struct kvb_deployment *deployment, struct kvb_plan *plan)
{
    uint32_t release = plan->engine.release;
    for (size_t i = 0; i < sizeof bounds / sizeof bounds[0] && plan->command_error[0] == '\0'; i++) {
        const struct bound_row *row = &bounds[i];
        char value[NUMBER_CAPACITY];
        double number;
        bool low, holds = release >= row->since && (row->gone == 0 || release < row->gone);
        const char *said = holds ? kvb_vllm_said(deployment, row->flag, release) : NULL;
        if (said == NULL || !copy_value(said, value) || !read_python(value, true, &number) ||
            (row->of_encoder && !kvb_model_is_multimodal(&plan->model))) {
            continue;
        }
        if (is_outside(row, number, &low)) {
            say_bound(plan->command_error, row, low);
        }
    }
}
