// Ranks of a data-parallel line: where they begin, and who spreads requests over them.
// Source: vllm/engine/arg_utils.py v0.10.0:1183 and v0.27.1 with vllm/config/parallel.py __post_init__;
// vllm/entrypoints/cli/serve.py and entrypoints/openai/dp_supervisor.py v0.22.0:60, v0.27.1:48.
#include "engines/vllm/serve.h"

#include <string.h>

#include "base/checked.h"
#include "base/python_numbers.h"
#include "base/text.h"
#include "budget/shapes.h"
#include "engines/vllm/refusal.h"

#define R(minor, patch) KVB_RELEASE(0, minor, patch)
#define START_SINCE R(10, 0)
#define SUPERVISOR_SINCE R(22, 0)
#define MOST_DIGITS 17
#define MULTI_PORT "Error: --data-parallel-multi-port-external-lb "

struct line {
    const struct kvb_deployment *deployment;
    uint32_t release;
    uint64_t ranks;
    struct kvb_plain_value local;
};

static const char *said(const struct line *line, const char *flag)
{
    return kvb_vllm_said(line->deployment, flag, line->release);
}

// False: it is not given, or no number of a sane length.
static bool number_of(const struct line *line, const char *flag, struct kvb_plain_value *out)
{
    const char *value = said(line, flag);
    char digits[KVB_PLAIN_CAPACITY];
    *out = (struct kvb_plain_value){.set = false};
    if (value == NULL || !kvb_python_write_int(value, strcspn(value, "\n"), digits) || strlen(digits) > MOST_DIGITS) {
        return false;
    }
    out->set = true;
    out->negative = digits[0] == '-';
    for (const char *at = digits + out->negative; *at != '\0'; at++) {
        out->number = out->number * 10 + (uint64_t)(*at - '0');
    }
    return true;
}

// The first rank here is that of this server, once it is said how many there are here.
static bool starts_outside(const struct line *line, char out[KVB_ERROR_TEXT_CAPACITY])
{
    struct kvb_plain_value start;
    bool alone = said(line, "data-parallel-rank") == NULL && said(line, "data-parallel-external-lb") == NULL;
    bool counted = line->local.set && (line->ranks > 1 || line->local.number == 0);
    if (line->release < START_SINCE || !alone || !counted || !number_of(line, "data-parallel-start-rank", &start) ||
        (!start.negative && start.number < line->ranks)) {
        return false;
    }
    return kvb_refuse_two(out,
                          start.negative ? "data_parallel_rank (-{0}) must be in the range [0, {1})"
                                         : "data_parallel_rank ({0}) must be in the range [0, {1})",
                          start.number, line->ranks);
}

// The ranks here end behind the last of all; they begin where it is said, or behind those of the nodes before.
static bool ends_outside(const struct line *line, uint64_t local)
{
    struct kvb_plain_value start, node;
    if (number_of(line, "data-parallel-start-rank", &start)) {
        return !start.negative && start.number + local > line->ranks;
    }
    return number_of(line, "node-rank", &node) && !node.negative && node.number >= line->ranks / local;
}

// What the supervisor of several servers on one machine asks for, NULL when it is content.
static const char *supervisor_says(const struct line *line)
{
    const char *servers = said(line, "api-server-count");
    uint64_t local = line->local.set && !line->local.negative ? line->local.number : 0;
    return said(line, "uds") != NULL                            ? MULTI_PORT "does not support --uds"
           : servers != NULL && strncmp(servers, "1\n", 2) != 0 ? MULTI_PORT "currently requires --api-server-count=1"
           : line->ranks < 2                                    ? MULTI_PORT "requires --data-parallel-size > 1"
           : local < 2                                          ? MULTI_PORT "requires --data-parallel-size-local >= 2"
           : local > line->ranks       ? "Error: --data-parallel-size-local cannot exceed --data-parallel-size"
           : line->ranks % local > 0   ? "Error: --data-parallel-size must be divisible by --data-parallel-size-local"
           : ends_outside(line, local) ? "Error: multi-port supervised ranks would exceed --data-parallel-size"
                                       : NULL;
}

static const char *spread_says(const struct line *line)
{
    if (line->release < SUPERVISOR_SINCE || said(line, "data-parallel-multi-port-external-lb") == NULL ||
        line->deployment->serve_flags_cut) {
        return NULL;
    }
    bool another = said(line, "data-parallel-external-lb") != NULL || said(line, "data-parallel-rank") != NULL ||
                   said(line, "data-parallel-hybrid-lb") != NULL;
    return another ? "Cannot use more than one data parallel load balancing mode." : supervisor_says(line);
}

void kvb_vllm_judge_ranks(const struct kvb_deployment *deployment, struct kvb_plan *plan)
{
    const struct line line = {
        .deployment = deployment,
        .release = plan->engine.release,
        .ranks = kvb_max(kvb_number(plan, KVB_SET_DATA_PARALLEL_SIZE), 1),
        .local = plan->plain_numbers[KVB_PLAIN_DATA_PARALLEL_LOCAL],
    };
    if (plan->command_error[0] != '\0') {
        return;
    }
    char sentence[KVB_ERROR_TEXT_CAPACITY] = "";
    const char *text = spread_says(&line);
    if (text != NULL || starts_outside(&line, sentence)) {
        (void)kvb_copy(plan->command_error, sizeof plan->command_error, text != NULL ? text : sentence);
    }
}
