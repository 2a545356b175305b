// Nothing behind the last word of an environment variable is looked at: a table of the test's own stands for the
// generated one, with a row more behind those that count.
#include <string.h>

#include <kvbudget/input.h>

#include "engines/vllm/release_tables.h"
#include "engines/vllm/serve.h"
#include "unit/test.h"

const struct kvb_known_choice kvb_known_variable_word_rows[] = {
    {"VLLM_WORKER_MULTIPROC_METHOD", "fork", KVB_RELEASE(0, 11, 1), 0},
    {"VLLM_WORKER_MULTIPROC_METHOD", "spawn", KVB_RELEASE(0, 11, 1), 0},
    {"VLLM_WORKER_MULTIPROC_METHOD", "thread", KVB_RELEASE(0, 11, 1), 0}, // behind the last
};
const unsigned kvb_known_variable_word_row_count = 2;

static bool refuses(const char *value, char said[256])
{
    struct kvb_engine engine = {.name = "vllm", .version = "0.20.0", .release = KVB_RELEASE(0, 20, 0)};
    char noted[128] = "VLLM_WORKER_MULTIPROC_METHOD=";
    said[0] = '\0';
    strcat(strcat(noted, value), "\n");
    return kvb_vllm_judge_variables(noted, &engine, said);
}

// vllm/envs.py: fork and spawn.
static void nothing_behind_the_last(void **state)
{
    (void)state;
    char said[256];
    assert_false(refuses("spawn", said));
    assert_true(refuses("thread", said));
    assert_string_equal(said, "ValueError: Invalid value 'thread' for VLLM_WORKER_MULTIPROC_METHOD. Valid options: "
                              "['fork', 'spawn'].");
}

KVB_TEST_MAIN(cmocka_unit_test(nothing_behind_the_last))
