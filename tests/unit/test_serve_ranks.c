// Ranks of a data-parallel line. Sentences and bounds: vllm/config/parallel.py v0.16.0:575, entrypoints/cli/serve.py
// v0.27.1:97 and entrypoints/openai/dp_supervisor.py v0.27.1:48.
#include <string.h>

#include "budget/engine.h"
#include "engines/vllm/serve.h"
#include "unit/plans.h"
#include "unit/test.h"

static struct kvb_deployment deployment;
static struct kvb_plan plan;

static void note(uint32_t release, uint64_t ranks, const char *lines)
{
    memset(&deployment, 0, sizeof deployment);
    (void)strncpy(deployment.serve_flags, lines, sizeof deployment.serve_flags - 1);
    make_llama_plan(&plan, release);
    set(&plan, KVB_SET_DATA_PARALLEL_SIZE, ranks);
}

static void judged(uint32_t release, uint64_t ranks, const char *lines, const char *sentence)
{
    note(release, ranks, lines);
    kvb_vllm_plain_flags(&deployment, &plan);
    assert_string_equal(plan.command_error, sentence);
}

#define START "--data-parallel-start-rank "
#define LOCAL "--data-parallel-size-local "

static void the_first_rank_is_one_of_all(void **state)
{
    (void)state;
    judged(R(16, 0), 4, LOCAL "2\n" START "2\n", "");
    judged(R(16, 0), 4, LOCAL "2\n" START "3\n", "");
    judged(R(16, 0), 4, LOCAL "2\n" START "4\n", "data_parallel_rank (4) must be in the range [0, 4)");
    judged(R(16, 0), 4, LOCAL "2\n" START "-1\n", "data_parallel_rank (-1) must be in the range [0, 4)");
    judged(R(16, 0), 1, LOCAL "0\n" START "1\n", "data_parallel_rank (1) must be in the range [0, 1)");
    judged(R(16, 0), 1, LOCAL "1\n" START "1\n", ""); // one rank alone asks the environment
    judged(R(16, 0), 4, START "4\n", "");             // nobody reads it
    judged(R(16, 0), 4, LOCAL "2\n", "");
    judged(R(16, 0), 4, LOCAL "2\n" START "x\n", "");
    judged(R(16, 0), 4, LOCAL "2\n" START "123456789012345678\n", "");
    judged(R(9, 2), 4, LOCAL "2\n" START "4\n", ""); // no such flag yet
    judged(R(16, 0), 4, LOCAL "1\n" START "4\n--data-parallel-rank 1\n", "");
    judged(R(16, 0), 4, LOCAL "1\n" START "4\n--data-parallel-external-lb\n", "");
}

#define SEVERAL "--data-parallel-multi-port-external-lb\n"
#define ERROR "Error: --data-parallel-multi-port-external-lb "

static void a_supervisor_has_whole_nodes(void **state)
{
    (void)state;
    judged(R(27, 1), 4, SEVERAL LOCAL "2\n", "");
    judged(R(27, 1), 4, SEVERAL LOCAL "2\n--api-server-count 1\n", "");
    judged(R(27, 1), 4, SEVERAL LOCAL "2\n--api-server-count 2\n", ERROR "currently requires --api-server-count=1");
    judged(R(27, 1), 4, SEVERAL LOCAL "2\n--uds a\n", ERROR "does not support --uds");
    judged(R(27, 1), 1, SEVERAL, ERROR "requires --data-parallel-size > 1");
    judged(R(27, 1), 4, SEVERAL, ERROR "requires --data-parallel-size-local >= 2");
    judged(R(27, 1), 4, SEVERAL LOCAL "1\n", ERROR "requires --data-parallel-size-local >= 2");
    judged(R(22, 0), 4, SEVERAL LOCAL "-1\n", ERROR "requires --data-parallel-size-local >= 2");
    judged(R(27, 1), 4, SEVERAL LOCAL "6\n", "Error: --data-parallel-size-local cannot exceed --data-parallel-size");
    judged(R(27, 1), 4, SEVERAL LOCAL "3\n",
           "Error: --data-parallel-size must be divisible by --data-parallel-size-local");
}

static void a_supervisor_ends_within_all(void **state)
{
    (void)state;
    static const char beyond[] = "Error: multi-port supervised ranks would exceed --data-parallel-size";
    judged(R(27, 1), 4, SEVERAL LOCAL "2\n" START "2\n", "");
    judged(R(27, 1), 4, SEVERAL LOCAL "2\n" START "3\n", beyond);
    judged(R(27, 1), 4, SEVERAL LOCAL "2\n" START "-1\n", "data_parallel_rank (-1) must be in the range [0, 4)");
    judged(R(27, 1), 4, SEVERAL LOCAL "2\n--node-rank 1\n", "");
    judged(R(27, 1), 4, SEVERAL LOCAL "2\n--node-rank 2\n", beyond);
    judged(R(22, 0), 4, SEVERAL LOCAL "2\n--node-rank -1\n", "");
}

static void requests_are_spread_in_one_way(void **state)
{
    (void)state;
    static const char several[] = "Cannot use more than one data parallel load balancing mode.";
    judged(R(27, 1), 4, SEVERAL LOCAL "2\n--data-parallel-external-lb\n", several);
    judged(R(27, 1), 4, SEVERAL LOCAL "2\n--data-parallel-rank 1\n", several);
    judged(R(27, 1), 4, SEVERAL LOCAL "2\n--data-parallel-hybrid-lb\n", several);
    judged(R(21, 0), 1, SEVERAL, ""); // not there yet
    judged(R(27, 1), 1, "--uds a\n", "");
    note(R(22, 0), 4, SEVERAL);
    plan.plain_numbers[KVB_PLAIN_DATA_PARALLEL_LOCAL] = (struct kvb_plain_value){true, true, 2};
    kvb_vllm_judge_ranks(&deployment, &plan);
    assert_string_equal(plan.command_error, ERROR "requires --data-parallel-size-local >= 2");
    note(R(27, 1), 1, SEVERAL);
    deployment.serve_flags_cut = true; // what is missing may have been cut off
    kvb_vllm_judge_ranks(&deployment, &plan);
    assert_string_equal(plan.command_error, "");
    (void)strcpy(plan.command_error, "before"); // what was found first stays
    deployment.serve_flags_cut = false;
    kvb_vllm_judge_ranks(&deployment, &plan);
    assert_string_equal(plan.command_error, "before");
}

// v0.16.0 engine/arg_utils.py: whichever way the flag is said, it is not None.
static void tuning_is_said_once(void **state)
{
    (void)state;
    static const char once[] =
        "enable_flashinfer_autotune and kernel_config.enable_flashinfer_autotune are mutually exclusive";
    static const char config[] = "--kernel-config {\"enable_flashinfer_autotune\": true}\n";
    char lines[256];
    static const struct {
        const char *flag;
        bool refused;
    } rows[] = {{"--enable-flashinfer-autotune\n", true},
                {"--no-enable-flashinfer-autotune\n", true},
                {"--no-enable-prefix-caching\n", false},
                {"--enable-prefix-caching\n", false},
                {"--nobody\n", false}};
    for (size_t i = 0; i < sizeof rows / sizeof rows[0]; i++) {
        (void)strcpy(lines, config);
        (void)strcat(lines, rows[i].flag);
        judged(R(16, 0), 1, lines, rows[i].refused ? once : "");
        judged(R(16, 0), 1, rows[i].flag, "");
    }
}

KVB_TEST_MAIN(cmocka_unit_test(the_first_rank_is_one_of_all), cmocka_unit_test(a_supervisor_has_whole_nodes),
              cmocka_unit_test(a_supervisor_ends_within_all), cmocka_unit_test(requests_are_spread_in_one_way),
              cmocka_unit_test(tuning_is_said_once))
