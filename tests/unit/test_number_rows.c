// Every flag of vLLM's serve line that takes a number and moves no memory, by its annotation in vllm/config,
// vllm/engine/arg_utils.py and vllm/entrypoints/openai/cli_args.py at the last tag that has it: int, float, or one of
// them with None. And in which releases the whole numbers of the others may have suffixes.
#include <string.h>

#include "unit/judged_lines.h"

#define NEWEST R(27, 1)

// At the release `value` is refused in these words behind the flag's name, and the others are not refused as numbers.
static void takes_numbers(const char *flag, uint32_t release, const char *wanted, const char *taken, const char *also)
{
    const char *values[] = {"x", taken, also};
    for (size_t i = 0; i < sizeof values / sizeof values[0]; i++) {
        char line[128], text[128];
        (void)snprintf(line, sizeof line, "\n--%s %s", flag, values[i]);
        (void)snprintf(text, sizeof text, "argument --%s%s", flag, wanted);
        const char *said = judged(release, line);
        if ((i == 0 && strcmp(said, text) != 0) || (i > 0 && strstr(said, "argument --") != NULL)) {
            fail_msg("%s: '%s'", line, said);
        }
    }
}

struct number_flag {
    const char *name;
    uint32_t last;
};

static void whole_numbers(void **state)
{
    (void)state;
    static const struct number_flag flags[] = {
        {"api-server-count", NEWEST},
        {"cp-kv-cache-interleave-size", NEWEST},
        {"data-parallel-rank", NEWEST},
        {"data-parallel-rpc-port", NEWEST},
        {"data-parallel-size-local", NEWEST},
        {"data-parallel-start-rank", NEWEST},
        {"data-parallel-supervisor-port", NEWEST},
        {"dbo-decode-token-threshold", NEWEST},
        {"dbo-prefill-token-threshold", NEWEST},
        {"dcp-kv-cache-interleave-size", NEWEST},
        {"dp-supervisor-probe-failure-threshold", NEWEST},
        {"eplb-step-interval", R(11, 2)},
        {"eplb-window-size", R(11, 2)},
        {"h11-max-header-count", NEWEST},
        {"h11-max-incomplete-event-size", NEWEST},
        {"long-prefill-token-threshold", NEWEST},
        {"lora-extra-vocab-size", R(11, 2)},
        {"mamba-cache-philox-rounds", NEWEST},
        {"master-port", NEWEST},
        {"max-logprobs", NEWEST},
        {"max-long-partial-prefills", R(26, 0)},
        {"max-num-partial-prefills", R(26, 0)},
        {"max-prompt-adapter-token", R(9, 2)},
        {"max-prompt-adapters", R(9, 2)},
        {"max-seq-len-to-capture", R(10, 2)},
        {"mm-shm-cache-max-object-size-mb", NEWEST},
        {"nnodes", NEWEST},
        {"node-rank", NEWEST},
        {"num-lookahead-slots", R(11, 2)},
        {"num-redundant-experts", R(11, 2)},
        {"num-scheduler-steps", R(10, 0)},
        {"offload-group-size", NEWEST},
        {"offload-num-in-group", NEWEST},
        {"offload-prefetch-step", NEWEST},
        {"port", NEWEST},
        {"prefill-schedule-interval", NEWEST},
        {"renderer-num-workers", NEWEST},
        {"replayssm-buffer-len", NEWEST},
        {"safetensors-prefetch-num-threads", NEWEST},
        {"seed", NEWEST},
        {"shutdown-timeout", NEWEST},
        {"ssl-cert-reqs", NEWEST},
        {"stream-interval", NEWEST},
        {"tokenizer-pool-size", R(9, 2)},
        {"ubatch-size", NEWEST},
    };
    for (size_t i = 0; i < sizeof flags / sizeof flags[0]; i++) {
        takes_numbers(flags[i].name, flags[i].last, ": invalid int value: 'x'", "16", "1_6");
        char line[128];
        (void)snprintf(line, sizeof line, "\n--%s 1.5", flags[i].name);
        assert_non_null(strstr(judged(flags[i].last, line), ": invalid int value: '1.5'"));
    }
}

static void other_numbers(void **state)
{
    (void)state;
    static const struct number_flag reals[] = {
        {"dp-supervisor-probe-interval-s", NEWEST},
        {"dp-supervisor-probe-timeout-s", NEWEST},
        {"kv-cache-metrics-sample", NEWEST},
        {"mm-encoder-fp8-scale-save-margin", NEWEST},
        {"mm-processor-cache-gb", NEWEST},
        {"scheduler-delay-factor", R(10, 2)},
        {"watermark", NEWEST},
    };
    static const struct number_flag maybe_whole[] = {
        {"cpu-distributed-timeout-seconds", NEWEST},
        {"distributed-timeout-seconds", NEWEST},
        {"max-cpu-loras", NEWEST},
        {"max-log-len", NEWEST},
        {"max-parallel-loading-workers", NEWEST},
        {"prefix-match-unit", NEWEST},
    };
    static const struct number_flag maybe_real[] = {
        {"kv-offloading-size", NEWEST}, {"rope-theta", R(11, 0)}, {"video-pruning-rate", NEWEST}};
    for (size_t i = 0; i < sizeof reals / sizeof reals[0]; i++) {
        takes_numbers(reals[i].name, reals[i].last, ": invalid float value: 'x'", "0.5", "5e-1");
    }
    for (size_t i = 0; i < sizeof maybe_whole / sizeof maybe_whole[0]; i++) {
        takes_numbers(maybe_whole[i].name, maybe_whole[i].last, ": Value x cannot be converted to <class 'int'>.", "16",
                      "None");
    }
    for (size_t i = 0; i < sizeof maybe_real / sizeof maybe_real[0]; i++) {
        takes_numbers(maybe_real[i].name, maybe_real[i].last, ": Value x cannot be converted to <class 'float'>.",
                      "0.5", "None");
    }
}

// ge and gt of Field() in vllm/config: the first tag with the bound, the one before where the flag is there without it,
// and the last tag that has the flag.
static void least_numbers(void **state)
{
    (void)state;
    static const struct {
        const char *flag, *class_name;
        uint32_t before, first, last; // before: 0 = the flag came with its bound
        char least;                   // '>': above 0
    } rows[] = {
        {"stream-interval", "SchedulerConfig", 0, R(11, 1), NEWEST, '1'},
        {"max-num-partial-prefills", "SchedulerConfig", R(11, 0), R(11, 1), R(26, 0), '1'},
        {"max-long-partial-prefills", "SchedulerConfig", R(11, 0), R(11, 1), R(26, 0), '1'},
        {"num-lookahead-slots", "SchedulerConfig", R(11, 0), R(11, 1), R(11, 2), '0'},
        {"num-redundant-experts", "EPLBConfig", R(11, 0), R(11, 1), R(11, 2), '0'},
        {"swap-space", "CacheConfig", R(11, 0), R(11, 1), R(17, 1), '0'},
        {"offload-group-size", "PrefetchOffloadConfig", 0, R(17, 0), NEWEST, '0'},
        {"offload-num-in-group", "PrefetchOffloadConfig", 0, R(17, 0), NEWEST, '1'},
        {"offload-prefetch-step", "PrefetchOffloadConfig", 0, R(17, 0), NEWEST, '0'},
        {"shutdown-timeout", "VllmConfig", 0, R(18, 0), NEWEST, '0'},
        {"safetensors-prefetch-num-threads", "LoadConfig", 0, R(21, 0), NEWEST, '1'},
        {"safetensors-prefetch-block-size", "LoadConfig", 0, R(21, 0), NEWEST, '1'},
        {"data-parallel-size-local", "ParallelConfig", R(22, 1), R(23, 0), NEWEST, '0'},
        {"data-parallel-rank", "ParallelConfig", R(22, 1), R(23, 0), NEWEST, '0'},
        {"max-parallel-loading-workers", "ParallelConfig", R(22, 1), R(23, 0), NEWEST, '1'},
        {"ubatch-size", "ParallelConfig", R(22, 1), R(23, 0), NEWEST, '0'},
        {"dbo-decode-token-threshold", "ParallelConfig", R(22, 1), R(23, 0), NEWEST, '0'},
        {"dbo-prefill-token-threshold", "ParallelConfig", R(22, 1), R(23, 0), NEWEST, '0'},
        {"node-rank", "ParallelConfig", R(22, 1), R(23, 0), NEWEST, '0'},
        {"nnodes", "ParallelConfig", R(22, 1), R(23, 0), NEWEST, '1'},
        {"prefill-schedule-interval", "SchedulerConfig", 0, R(24, 0), NEWEST, '1'},
        {"long-prefill-token-threshold", "SchedulerConfig", R(24, 0), R(25, 0), NEWEST, '0'},
        {"prefix-match-unit", "CacheConfig", 0, R(26, 0), NEWEST, '>'},
        {"max-num-scheduled-tokens", "SchedulerConfig", 0, R(26, 0), NEWEST, '0'},
        {"replayssm-buffer-len", "CacheConfig", 0, R(27, 0), NEWEST, '>'},
        {"data-parallel-rpc-port", "ParallelConfig", R(27, 1), R(28, 0), R(28, 0), '1'},
    };
    for (size_t i = 0; i < sizeof rows / sizeof rows[0]; i++) {
        char low[96], least[96], key[64], text[160];
        (void)snprintf(low, sizeof low, "\n--%s %s", rows[i].flag, rows[i].least == '0' ? "-1" : "0");
        (void)snprintf(least, sizeof least, "\n--%s %s", rows[i].flag, rows[i].least == '0' ? "0" : "1");
        (void)snprintf(key, sizeof key, "%s", rows[i].flag);
        for (char *dash = strchr(key, '-'); dash != NULL; dash = strchr(key, '-')) {
            *dash = '_';
        }
        (void)snprintf(text, sizeof text, "1 validation error for %s, %s: Input should be greater than %s",
                       rows[i].class_name, key,
                       rows[i].least == '>'   ? "0"
                       : rows[i].least == '1' ? "or equal to 1"
                                              : "or equal to 0");
        assert_string_equal(judged(rows[i].first, low), text);
        assert_string_equal(judged(rows[i].last, low), text);
        assert_string_equal(judged(rows[i].first, least), TAKEN);
        if (rows[i].before != 0) {
            assert_string_equal(judged(rows[i].before, low), TAKEN);
        }
    }
}

// human_readable_int of vllm/engine/arg_utils.py: of --max-model-len from 0.8.4, of the step from 0.9.1, with t and T
// from 0.13.0 on; of these others at no tag.
static void suffixes(void **state)
{
    (void)state;
    static const struct judged_row rows[] = {
        {R(8, 3), "\n--max-model-len 16k", "argument --max-model-len: invalid int value: '16k'"},
        {R(8, 4), "\n--max-model-len 16k", TAKEN},
        {R(12, 0), "\n--max-model-len 1t", "argument --max-model-len: invalid human_readable_int value: '1t'"},
        {R(12, 0), "\n--max-model-len 1T", "argument --max-model-len: invalid human_readable_int value: '1T'"},
        {R(13, 0), "\n--max-model-len 1t", TAKEN},
        {R(9, 0), "\n--max-num-batched-tokens 4K", "argument --max-num-batched-tokens: invalid int value: '4K'"},
        {R(9, 1), "\n--max-num-batched-tokens 4K", TAKEN},
        {R(12, 0), "\n--max-num-batched-tokens 1T",
         "argument --max-num-batched-tokens: invalid human_readable_int value: '1T'"},
        {NEWEST, "\n--max-num-seqs 1k", "argument --max-num-seqs: invalid int value: '1k'"},
        {NEWEST, "\n--tensor-parallel-size 1m", "argument --tensor-parallel-size: invalid int value: '1m'"},
        {NEWEST, "\n--pipeline-parallel-size 1M", "argument --pipeline-parallel-size: invalid int value: '1M'"},
        {NEWEST, "\n--data-parallel-size 1g", "argument --data-parallel-size: invalid int value: '1g'"},
        {NEWEST, "\n--num-gpu-blocks-override 1G", "argument --num-gpu-blocks-override: invalid int value: '1G'"},
        {NEWEST, "\n--max-loras 1t", "argument --max-loras: invalid int value: '1t'"},
    };
    WALK(rows);
}

KVB_TEST_MAIN(cmocka_unit_test(whole_numbers), cmocka_unit_test(other_numbers), cmocka_unit_test(suffixes),
              cmocka_unit_test(least_numbers))
