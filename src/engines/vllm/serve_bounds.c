// Numbers of a serve line that a release bounds: by argparse's choices, or by the least of the field of its config.
#include <string.h>

#include "base/python_numbers.h"
#include "base/text.h"
#include "engines/vllm/refusal.h"
#include "engines/vllm/release_tables.h"
#include "engines/vllm/serve.h"

#define R(minor, patch) KVB_RELEASE(0, minor, patch)
#define OPTIONAL_CAPACITY 256

static void add(char out[OPTIONAL_CAPACITY], const char *text)
{
    kvb_append(out, OPTIONAL_CAPACITY, text, strlen(text));
}

// ---- Tokens of a block

// Source: vllm/engine/arg_utils.py by tag, BlockSize of config.py v0.8.5 and config/cache.py v0.11.1; any from 0.18.0
// on.
static const struct {
    uint32_t since;
    const char *sizes; // "" = any
} blocks[] = {
    {0, "8, 16, 32"},
    {R(3, 3), "8, 16, 32, 128"},
    {R(4, 1), "8, 16, 32"},
    {R(5, 5), "8, 16, 32, 128, 256, 512, 1024, 2048"},
    {R(6, 0), "8, 16, 32"},
    {R(6, 4), "8, 16, 32, 64, 128"},
    {R(6, 5), "8, 16, 32"},
    {R(6, 6), "8, 16, 32, 64, 128"},
    {R(8, 5), "1, 8, 16, 32, 64, 128"},
    {R(11, 1), "1, 8, 16, 32, 64, 128, 256"},
    {R(18, 0), ""},
};

static const char *sizes_of(uint32_t release)
{
    const char *sizes = blocks[0].sizes;
    for (size_t i = 0; i < sizeof blocks / sizeof blocks[0]; i++) {
        sizes = release >= blocks[i].since ? blocks[i].sizes : sizes;
    }
    return sizes;
}

bool kvb_vllm_judge_block(const char *value, size_t size, uint32_t release, char out[OPTIONAL_CAPACITY])
{
    const char *sizes = sizes_of(release);
    char plain[KVB_PLAIN_CAPACITY] = "";
    if (kvb_python_write_int(value, size, plain)) {
        value = plain;
        size = strlen(plain);
    }
    for (const char *at = sizes; *at != '\0'; at += strspn(at, ", ")) {
        size_t length = strcspn(at, ",");
        if (length == size && strncmp(at, value, size) == 0) {
            return false;
        }
        at += length;
    }
    if (*sizes == '\0') {
        return false;
    }
    out[0] = '\0';
    add(out, "argument --block-size: invalid choice: ");
    kvb_append(out, OPTIONAL_CAPACITY, value, size);
    add(out, " (choose from ");
    add(out, sizes);
    add(out, ")");
    return true;
}

// ---- Least numbers

// Fields with ge and gt in vllm/config, each as long as its flag; 0 as the least lets no sign through.
static const struct {
    uint32_t since;
    const char *flag, *class_name;
    int least;
    bool above; // "greater than" the number before it
} leasts[] = {
    {R(11, 1), "stream-interval", "SchedulerConfig", 1, false},
    {R(11, 1), "max-num-partial-prefills", "SchedulerConfig", 1, false},
    {R(11, 1), "max-long-partial-prefills", "SchedulerConfig", 1, false},
    {R(11, 1), "num-lookahead-slots", "SchedulerConfig", 0, false},
    {R(11, 1), "num-redundant-experts", "EPLBConfig", 0, false},
    {R(11, 1), "swap-space", "CacheConfig", 0, false},
    {R(17, 0), "offload-group-size", "PrefetchOffloadConfig", 0, false},
    {R(17, 0), "offload-num-in-group", "PrefetchOffloadConfig", 1, false},
    {R(17, 0), "offload-prefetch-step", "PrefetchOffloadConfig", 0, false},
    {R(18, 0), "shutdown-timeout", "VllmConfig", 0, false},
    {R(21, 0), "safetensors-prefetch-num-threads", "LoadConfig", 1, false},
    {R(21, 0), "safetensors-prefetch-block-size", "LoadConfig", 1, false},
    {R(23, 0), "data-parallel-size-local", "ParallelConfig", 0, false},
    {R(23, 0), "data-parallel-rank", "ParallelConfig", 0, false},
    {R(23, 0), "max-parallel-loading-workers", "ParallelConfig", 1, false},
    {R(23, 0), "ubatch-size", "ParallelConfig", 0, false},
    {R(23, 0), "dbo-decode-token-threshold", "ParallelConfig", 0, false},
    {R(23, 0), "dbo-prefill-token-threshold", "ParallelConfig", 0, false},
    {R(23, 0), "node-rank", "ParallelConfig", 0, false},
    {R(23, 0), "nnodes", "ParallelConfig", 1, false},
    {R(24, 0), "prefill-schedule-interval", "SchedulerConfig", 1, false},
    {R(25, 0), "long-prefill-token-threshold", "SchedulerConfig", 0, false},
    {R(26, 0), "prefix-match-unit", "CacheConfig", 1, true},
    {R(26, 0), "max-num-scheduled-tokens", "SchedulerConfig", 0, false},
    {R(27, 0), "replayssm-buffer-len", "CacheConfig", 1, true},
    {R(28, 0), "data-parallel-rpc-port", "ParallelConfig", 1, false},
};

static bool is_below(const char *value, size_t size, int least)
{
    struct kvb_python_number number;
    return kvb_python_read_float(value, size, &number) && kvb_python_compare(&number, least) < 0;
}

static bool judge_least(const char *flag, const char *value, size_t size, uint32_t release, char out[OPTIONAL_CAPACITY])
{
    for (size_t i = 0; i < sizeof leasts / sizeof leasts[0]; i++) {
        if (release < leasts[i].since || strcmp(leasts[i].flag, flag) != 0 || !is_below(value, size, leasts[i].least)) {
            continue;
        }
        add(out, "1 validation error for ");
        add(out, leasts[i].class_name);
        add(out, ", ");
        for (const char *c = flag; *c != '\0'; c++) {
            kvb_append(out, OPTIONAL_CAPACITY, *c == '-' ? "_" : c, 1);
        }
        add(out, leasts[i].above        ? ": Input should be greater than 0"
                 : leasts[i].least == 0 ? ": Input should be greater than or equal to 0"
                                        : ": Input should be greater than or equal to 1");
        return true;
    }
    return false;
}

bool kvb_vllm_judge_bound(const char *line, const struct kvb_engine *engine, char out[OPTIONAL_CAPACITY])
{
    const char *value;
    const struct kvb_known_flag *flag = kvb_vllm_flag_of_line(line, engine->release, &value);
    size_t size = strcspn(value, " \n");
    if (flag == NULL || size == 0 || !kvb_vllm_is_release(engine)) {
        return false;
    }
    if (strcmp(flag->name, "block-size") == 0) {
        return kvb_vllm_judge_block(value, size, engine->release, out);
    }
    return judge_least(flag->name, value, size, engine->release, out);
}
