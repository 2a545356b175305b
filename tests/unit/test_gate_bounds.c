// Both sides of what a policy asks for, of what counts as unknown and of how deep folders are entered.
#include <sys/stat.h>

#include "unit/gate_rows.h"

// 512 blocks of 16 tokens hold two requests of 4096.
#define TWO "vllm serve Qwen/Qwen3-0.6B --max-model-len 4096 --num-gpu-blocks-override 512"

static void demands(void **state)
{
    (void)state;
    static const struct row rows[] = {
        {TWO, POLICY "rules:\n  - min_concurrency: 2\n", "--gpu l4", 0, {"\"verdict\": \"pass\""}},
        {TWO,
         POLICY "rules:\n  - min_concurrency: 2.01\n",
         "--gpu l4",
         1,
         {"2.00 requests of full length fit at the same time; the policy asks for 2.01"}},
        {TWO, POLICY "rules:\n  - min_length: 4096\n", "--gpu l4", 0, {"\"verdict\": \"pass\""}},
        {TWO,
         POLICY "rules:\n  - min_length: 4097\n",
         "--gpu l4",
         1,
         {"max_model_len is 4,096; the policy asks for 4,097"}},
    };
    EACH(rows);
}

// What is not known may be let through; what is wrong may not.
static void unknown_or_wrong(void **state)
{
    (void)state;
    static const struct row rows[] = {
        {SMALL, NULL, "", 3, {"the GPU is not known; name it with --gpu"}},
        {SMALL, POLICY "unknown: warn\n", "", 0, {"the GPU is not known; name it with --gpu"}},
        {SMALL, POLICY "unknown: ignore\n", "", 0, {"!the GPU is not known"}},
        {"vllm serve Qwen/Qwen3-0.6B --max-model-len many", POLICY "unknown: warn\n", "--gpu l4", 3, {"'many' is not"}},
        {"vllm serve Qwen/Qwen3-0.6B --max-model-len many",
         POLICY "unknown: ignore\n",
         "--gpu l4",
         3,
         {"'many' is not"}},
    };
    EACH(rows);
}

// Twenty-four folders in each other are entered. One more is said, and nothing passes that was not read.
static void nested(void **state)
{
    (void)state;
    char path[128] = "d", deepest[160];
    assert_int_equal(mkdir(path, 0700), 0);
    for (unsigned depth = 1; depth <= 25; depth++) {
        strcat(path, "/d");
        assert_int_equal(mkdir(path, 0700), 0);
        if (depth < 24) {
            continue;
        }
        (void)snprintf(deepest, sizeof deepest, "%s/run.sh", path);
        write_file(deepest, SMALL);
        const char *words[] = {"--format", "json", "--gpu", "l4", "d"};
        struct arguments *arguments = kvb_run_begin(kvb_commands_find("check"));
        struct kvb_buffer answer;
        kvb_buffer_init(&answer);
        int code = kvb_run_words(arguments, 5, words, &answer);
        assert_int_equal(code, depth == 24 ? 0 : 3);
        const char *said = kvb_buffer_text(&answer);
        assert_int_equal(strstr(said, "folders nested more than 24 deep are not entered") != NULL, depth == 25);
        kvb_buffer_free(&answer);
        kvb_run_end(arguments);
        assert_int_equal(unlink(deepest), 0);
    }
    for (char *end = path + strlen(path); end != NULL; end = strrchr(path, '/')) {
        *end = '\0';
        assert_int_equal(rmdir(path), 0);
    }
}

KVB_TEST_MAIN_WITH(make_folder, remove_folder, cmocka_unit_test(demands), cmocka_unit_test(unknown_or_wrong),
                   cmocka_unit_test(nested))
