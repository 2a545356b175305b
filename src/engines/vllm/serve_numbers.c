// Plain flags whose value is a number: what the release's own parser reads as one, and the least and the most that the
// field behind it takes. Source: vllm/engine/arg_utils.py and vllm/entrypoints/openai/cli_args.py (type=), Field(...)
// of vllm/config, tag by tag from 0.8.5 to 0.28.0.
#include <string.h>

#include "base/python_numbers.h"
#include "base/text.h"
#include "budget/shapes.h"
#include "engines/vllm/release_tables.h"
#include "engines/vllm/serve.h"

#define R(minor, patch) KVB_RELEASE(0, minor, patch)
#define OPTIONAL_CAPACITY 256
#define EXCERPT 40

enum number_type {
    WHOLE,       // int
    REAL,        // float
    MAYBE_WHOLE, // optional_type(int): "None" is none
    MAYBE_REAL,
    READABLE, // human_readable_int: with a suffix of thousands
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
    {"safetensors-prefetch-block-size", READABLE},
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

// The value of the line; false where it is filled in by a shell or a template.
static bool take_value(const char *value, size_t *size)
{
    *size = strcspn(value, "\n");
    return memchr(value, '$', *size) == NULL && memchr(value, '{', *size) == NULL;
}

static void say_type(char out[OPTIONAL_CAPACITY], const char *flag, enum number_type type, const char *value,
                     size_t size)
{
    bool whole = type == WHOLE || type == MAYBE_WHOLE;
    const char *name = type == READABLE ? "human_readable_int" : whole ? "int" : "float";
    bool maybe = type == MAYBE_WHOLE || type == MAYBE_REAL;
    out[0] = '\0';
    kvb_add_text(out, OPTIONAL_CAPACITY, "argument --");
    kvb_add_text(out, OPTIONAL_CAPACITY, flag);
    kvb_add_text(out, OPTIONAL_CAPACITY, maybe ? ": Value " : ": invalid ");
    kvb_add_text(out, OPTIONAL_CAPACITY, maybe ? "" : name);
    kvb_add_text(out, OPTIONAL_CAPACITY, maybe ? "" : " value: '");
    kvb_append(out, OPTIONAL_CAPACITY, value, size < EXCERPT ? size : EXCERPT);
    kvb_add_text(out, OPTIONAL_CAPACITY, maybe ? " cannot be converted to <class '" : "'");
    kvb_add_text(out, OPTIONAL_CAPACITY, maybe ? name : "");
    kvb_add_text(out, OPTIONAL_CAPACITY, maybe ? "'>." : "");
}

// A fraction goes with a small suffix alone, which is of ten.
static bool is_readable(const char *value, size_t size)
{
    bool suffixed = size > 1 && strchr("kKmMgGtT", value[size - 1]) != NULL;
    size_t digits = strspn(value, "0123456789"), decimals = 0;
    if (!suffixed) {
        return kvb_python_is_int(value, size);
    }
    if (digits > 0 && value[digits] == '.' && kvb_lower(value[size - 1]) == value[size - 1]) {
        decimals = strspn(value + digits + 1, "0123456789");
        decimals += decimals > 0 ? 1 : 0;
    }
    return digits > 0 && digits + decimals + 1 == size;
}

bool kvb_vllm_judge_number(const char *line, const struct kvb_engine *engine, char out[OPTIONAL_CAPACITY])
{
    const char *value;
    size_t size;
    enum number_type type;
    struct kvb_python_number number;
    const struct kvb_known_flag *flag = kvb_vllm_flag_of_line(line, engine->release, &value);
    if (flag == NULL || !find_type(flag->name, engine->release, &type) || !take_value(value, &size)) {
        return false;
    }
    bool real = type == REAL || type == MAYBE_REAL, maybe = type == MAYBE_WHOLE || type == MAYBE_REAL;
    bool none = maybe && size == 4 && strncmp(value, "None", 4) == 0;
    if (none || (real               ? kvb_python_read_float(value, size, &number)
                 : type == READABLE ? is_readable(value, size)
                                    : kvb_python_is_int(value, size))) {
        return false;
    }
    say_type(out, flag->name, type, value, size);
    return true;
}

// ---- What a field takes: real numbers, and what only a model with an encoder is asked for. Others are in
// serve_bounds.c.

enum most {
    ANY,
    TO_ONE,
    BELOW_ONE,
};

static const struct bound_row {
    const char *flag;
    uint32_t since;
    const char *class;
    int least;  // -1, 0 or 1
    bool above; // the least itself is not taken
    enum most most;
    bool of_encoder; // the class is made for a model with an encoder alone
} bounds[] = {
    {"kv-cache-metrics-sample", R(12, 0), "ObservabilityConfig", 0, true, TO_ONE, false},
    {"max-logprobs", R(25, 0), "ModelConfig", -1, false, ANY, false},
    {"mm-encoder-fp8-scale-save-margin", R(21, 0), "ModelConfig", 0, true, ANY, true},
    {"mm-processor-cache-gb", R(11, 1), "ModelConfig", 0, false, ANY, true},
    {"mm-shm-cache-max-object-size-mb", R(11, 1), "ModelConfig", 0, false, ANY, true},
    {"video-pruning-rate", R(11, 1), "ModelConfig", 0, false, BELOW_ONE, true},
    {"watermark", R(24, 0), "SchedulerConfig", 0, false, BELOW_ONE, false},
};

static void say_bound(char out[OPTIONAL_CAPACITY], const struct bound_row *row, bool low)
{
    bool strict = low ? row->above : row->most == BELOW_ONE;
    out[0] = '\0';
    kvb_add_text(out, OPTIONAL_CAPACITY, "1 validation error for ");
    kvb_add_text(out, OPTIONAL_CAPACITY, row->class);
    kvb_add_text(out, OPTIONAL_CAPACITY, ", ");
    for (const char *at = row->flag; *at != '\0'; at++) {
        kvb_append(out, OPTIONAL_CAPACITY, *at == '-' ? "_" : at, 1);
    }
    kvb_add_text(out, OPTIONAL_CAPACITY, low ? ": Input should be greater than " : ": Input should be less than ");
    kvb_add_text(out, OPTIONAL_CAPACITY, strict ? "" : "or equal to ");
    kvb_add_text(out, OPTIONAL_CAPACITY, !low ? "1" : row->least < 0 ? "-1" : "0");
}

static bool is_low(const struct bound_row *row, const struct kvb_python_number *number)
{
    int order = kvb_python_compare(number, row->least);
    return order == -1 || (order == 0 && row->above);
}

static bool is_high(const struct bound_row *row, const struct kvb_python_number *number)
{
    int order = kvb_python_compare(number, 1);
    return row->most != ANY && (order == 1 || (order == 0 && row->most == BELOW_ONE));
}

void kvb_vllm_judge_bounds(const struct kvb_deployment *deployment, struct kvb_plan *plan)
{
    uint32_t release = plan->engine.release;
    for (size_t i = 0; i < sizeof bounds / sizeof bounds[0] && plan->command_error[0] == '\0'; i++) {
        const struct bound_row *row = &bounds[i];
        struct kvb_python_number number;
        size_t size;
        const char *said = release >= row->since ? kvb_vllm_said(deployment, row->flag, release) : NULL;
        if (said == NULL || !take_value(said, &size) || !kvb_python_read_float(said, size, &number) ||
            (row->of_encoder && !kvb_model_is_multimodal(&plan->model))) {
            continue;
        }
        if (is_low(row, &number) || is_high(row, &number)) {
            say_bound(plan->command_error, row, is_low(row, &number));
        }
    }
}
