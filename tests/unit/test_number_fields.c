// Numbers of a serve line as a release's own parser and fields take them, asked at every tag. The rows were read from
// the tags themselves: type= of add_argument() and the annotation of the field behind a flag (vllm/engine/arg_utils.py,
// vllm/entrypoints/openai/cli_args.py, vllm/config), ge= and gt= of Field(). 0.28.0 is as
// 0.27.1. A field is asked for as long as it has a flag.
#include <string.h>

#include "unit/judged_lines.h"
#include "unit/release_tags.h"

enum type { WHOLE, REAL, MAYBE_WHOLE, MAYBE_REAL };

static const struct {
    uint32_t since, gone; // 0: none
    const char *flag;
    enum type type;
} types[] = {
    {R(10, 0), 0, "api-server-count", WHOLE},
    {R(12, 0), 0, "cp-kv-cache-interleave-size", WHOLE},
    {R(22, 0), 0, "cpu-distributed-timeout-seconds", MAYBE_WHOLE},
    {R(9, 2), 0, "data-parallel-rank", WHOLE},
    {R(9, 0), 0, "data-parallel-rpc-port", WHOLE},
    {R(9, 0), 0, "data-parallel-size-local", WHOLE},
    {R(10, 0), 0, "data-parallel-start-rank", WHOLE},
    {R(22, 0), 0, "data-parallel-supervisor-port", WHOLE},
    {R(11, 0), 0, "dbo-decode-token-threshold", WHOLE},
    {R(11, 0), 0, "dbo-prefill-token-threshold", WHOLE},
    {R(11, 1), 0, "dcp-kv-cache-interleave-size", WHOLE},
    {R(18, 0), 0, "distributed-timeout-seconds", MAYBE_WHOLE},
    {R(22, 0), 0, "dp-supervisor-probe-failure-threshold", WHOLE},
    {R(22, 0), 0, "dp-supervisor-probe-interval-s", REAL},
    {R(22, 0), 0, "dp-supervisor-probe-timeout-s", REAL},
    {R(9, 2), R(12, 0), "eplb-step-interval", WHOLE},
    {R(9, 2), R(12, 0), "eplb-window-size", WHOLE},
    {R(10, 2), 0, "h11-max-header-count", WHOLE},
    {R(10, 2), 0, "h11-max-incomplete-event-size", WHOLE},
    {R(12, 0), 0, "kv-cache-metrics-sample", REAL},
    {R(11, 1), 0, "kv-offloading-size", MAYBE_REAL},
    {R(8, 5), 0, "long-prefill-token-threshold", WHOLE},
    {R(8, 5), R(11, 1), "lora-extra-vocab-size", WHOLE},
    {R(11, 1), 0, "master-port", WHOLE},
    {R(8, 5), 0, "max-cpu-loras", MAYBE_WHOLE},
    {R(10, 0), 0, "max-log-len", MAYBE_WHOLE},
    {R(8, 5), 0, "max-logprobs", WHOLE},
    {R(8, 5), R(27, 0), "max-long-partial-prefills", WHOLE},
    {R(8, 5), R(27, 0), "max-num-partial-prefills", WHOLE},
    {R(8, 5), 0, "max-parallel-loading-workers", MAYBE_WHOLE},
    {R(8, 5), R(10, 0), "max-prompt-adapter-token", WHOLE},
    {R(8, 5), R(10, 0), "max-prompt-adapters", WHOLE},
    {R(8, 5), R(11, 0), "max-seq-len-to-capture", WHOLE},
    {R(21, 0), 0, "mm-encoder-fp8-scale-save-margin", REAL},
    {R(10, 2), 0, "mm-processor-cache-gb", REAL},
    {R(11, 0), 0, "mm-shm-cache-max-object-size-mb", WHOLE},
    {R(11, 1), 0, "nnodes", WHOLE},
    {R(11, 1), 0, "node-rank", WHOLE},
    {R(8, 5), R(12, 0), "num-lookahead-slots", WHOLE},
    {R(9, 2), R(12, 0), "num-redundant-experts", WHOLE},
    {R(8, 5), R(10, 1), "num-scheduler-steps", WHOLE},
    {R(17, 0), 0, "offload-group-size", WHOLE},
    {R(17, 0), 0, "offload-num-in-group", WHOLE},
    {R(17, 0), 0, "offload-prefetch-step", WHOLE},
    {R(8, 5), 0, "port", WHOLE},
    {R(24, 0), 0, "prefill-schedule-interval", WHOLE},
    {R(26, 0), 0, "prefix-match-unit", MAYBE_WHOLE},
    {R(19, 0), 0, "renderer-num-workers", WHOLE},
    {R(27, 0), 0, "replayssm-buffer-len", WHOLE},
    {R(9, 0), R(11, 1), "rope-theta", MAYBE_REAL},
    {R(21, 0), 0, "safetensors-prefetch-num-threads", WHOLE},
    {R(8, 5), R(9, 0), "seed", WHOLE},
    {R(9, 0), R(12, 0), "seed", MAYBE_WHOLE},
    {R(12, 0), 0, "seed", WHOLE},
    {R(18, 0), 0, "shutdown-timeout", WHOLE},
    {R(8, 5), 0, "ssl-cert-reqs", WHOLE},
    {R(11, 1), 0, "stream-interval", WHOLE},
    {R(14, 0), 0, "ubatch-size", WHOLE},
    {R(11, 0), 0, "video-pruning-rate", MAYBE_REAL},
    {R(24, 0), 0, "watermark", REAL},
};

static const struct {
    uint32_t since, gone;
    const char *flag, *class_name;
    int least;
    bool above; // the least itself is not taken
} leasts[] = {
    {R(26, 0), 0, "prefix-match-unit", "CacheConfig", 0, true},
    {R(27, 0), 0, "replayssm-buffer-len", "CacheConfig", 0, true},
    {R(11, 1), R(12, 0), "num-redundant-experts", "EPLBConfig", 0, false},
    {R(21, 0), 0, "safetensors-prefetch-block-size", "LoadConfig", 1, false},
    {R(21, 0), 0, "safetensors-prefetch-num-threads", "LoadConfig", 1, false},
    {R(23, 0), 0, "data-parallel-rank", "ParallelConfig", 0, false},
    {R(23, 0), 0, "data-parallel-size-local", "ParallelConfig", 0, false},
    {R(23, 0), 0, "dbo-decode-token-threshold", "ParallelConfig", 0, false},
    {R(23, 0), 0, "dbo-prefill-token-threshold", "ParallelConfig", 0, false},
    {R(23, 0), 0, "max-parallel-loading-workers", "ParallelConfig", 1, false},
    {R(23, 0), 0, "nnodes", "ParallelConfig", 1, false},
    {R(23, 0), 0, "node-rank", "ParallelConfig", 0, false},
    {R(23, 0), 0, "ubatch-size", "ParallelConfig", 0, false},
    {R(17, 0), 0, "offload-group-size", "PrefetchOffloadConfig", 0, false},
    {R(17, 0), 0, "offload-num-in-group", "PrefetchOffloadConfig", 1, false},
    {R(17, 0), 0, "offload-prefetch-step", "PrefetchOffloadConfig", 0, false},
    {R(25, 0), 0, "long-prefill-token-threshold", "SchedulerConfig", 0, false},
    {R(11, 1), R(27, 0), "max-long-partial-prefills", "SchedulerConfig", 1, false},
    {R(11, 1), R(27, 0), "max-num-partial-prefills", "SchedulerConfig", 1, false},
    {R(26, 0), 0, "max-num-scheduled-tokens", "SchedulerConfig", 0, false},
    {R(11, 1), R(12, 0), "num-lookahead-slots", "SchedulerConfig", 0, false},
    {R(24, 0), 0, "prefill-schedule-interval", "SchedulerConfig", 1, false},
    {R(11, 1), 0, "stream-interval", "SchedulerConfig", 1, false},
    {R(18, 0), 0, "shutdown-timeout", "VllmConfig", 0, false},
};

// What is said of the flag with this value.
static const char *said_of(const char *flag, const char *value, uint32_t release)
{
    char line[128];
    (void)snprintf(line, sizeof line, "\n--%s %s", flag, value);
    return judged(release, line);
}

static bool is_no_number(const char *said)
{
    return strstr(said, ": invalid int value: '") != NULL || strstr(said, ": invalid float value: '") != NULL ||
           strstr(said, " cannot be converted to <class '") != NULL;
}

static bool is_covered(uint32_t since, uint32_t gone, uint32_t release)
{
    return release >= since && (gone == 0 || release < gone);
}

static unsigned differs(const char *flag, const char *value, uint32_t release, bool refused)
{
    const char *said = said_of(flag, value, release);
    if (is_no_number(said) == refused) {
        return 0;
    }
    print_error("--%s %s at %u: '%s'\n", flag, value, release, said);
    return 1;
}

static void types_at_every_tag(void **state)
{
    (void)state;
    uint32_t tags[TAGS_MAX];
    unsigned wrong = 0;
    size_t count = tags_since(R(8, 5), tags);
    for (size_t tag = 0; tag < count; tag++) {
        for (size_t i = 0; i < sizeof types / sizeof types[0]; i++) {
            if (is_covered(types[i].since, types[i].gone, tags[tag])) {
                bool whole = types[i].type == WHOLE || types[i].type == MAYBE_WHOLE;
                bool maybe = types[i].type == MAYBE_WHOLE || types[i].type == MAYBE_REAL;
                wrong += differs(types[i].flag, "x", tags[tag], true);
                wrong += differs(types[i].flag, "1.5", tags[tag], whole);
                wrong += differs(types[i].flag, "None", tags[tag], !maybe);
                wrong += differs(types[i].flag, "1", tags[tag], false);
            }
        }
    }
    assert_int_equal(wrong, 0);
}

// pydantic's sentence for a number below the least.
static unsigned bound_differs(size_t row, const char *value, uint32_t release, bool refused)
{
    char text[192];
    const char *said = said_of(leasts[row].flag, value, release);
    (void)snprintf(text, sizeof text, "1 validation error for %s, %s: Input should be greater than %s%d",
                   leasts[row].class_name, leasts[row].flag, leasts[row].above ? "" : "or equal to ",
                   leasts[row].least);
    for (char *c = strchr(text, ',') + 1; *c != ':'; c++) {
        *c = *c == '-' ? '_' : *c;
    }
    bool same = refused ? strcmp(said, text) == 0 : strstr(said, "Input should be greater") == NULL;
    if (!same) {
        print_error("--%s %s at %u: '%s'\n", leasts[row].flag, value, release, said);
    }
    return !same;
}

static void leasts_at_every_tag(void **state)
{
    (void)state;
    uint32_t tags[TAGS_MAX];
    unsigned wrong = 0;
    size_t count = tags_since(R(8, 5), tags);
    for (size_t tag = 0; tag < count; tag++) {
        for (size_t i = 0; i < sizeof leasts / sizeof leasts[0]; i++) {
            bool covered = is_covered(leasts[i].since, leasts[i].gone, tags[tag]);
            bool zero = leasts[i].least > 0 || leasts[i].above;
            wrong += bound_differs(i, "-1", tags[tag], covered);
            wrong += bound_differs(i, "0", tags[tag], covered && zero);
            wrong += bound_differs(i, "1", tags[tag], false);
        }
    }
    assert_int_equal(wrong, 0);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(types_at_every_tag),
        cmocka_unit_test(leasts_at_every_tag),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
