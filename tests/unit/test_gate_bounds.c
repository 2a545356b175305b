// Both sides of what a policy asks for, of what counts as unknown and of how deep folders are entered.
#include <fcntl.h>
#include <sys/stat.h>

#include "manifest/manifest_walk.h"
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

static int check_folder(struct kvb_buffer *answer, const char *format)
{
    const char *words[] = {"--format", format, "--gpu", "l4", "d"};
    struct arguments *arguments = kvb_run_begin(kvb_commands_find("check"));
    kvb_buffer_init(answer);
    int code = kvb_run_words(arguments, 5, words, answer);
    kvb_run_end(arguments);
    return code;
}

static void remove_tree(void)
{
    assert_int_equal(system("rm -r d"), 0);
}

// Twenty-four folders in each other are entered. One more is said with its path; what stands beside it is judged all
// the same, and nobody is told that it was all.
static void nested(void **state)
{
    (void)state;
    char path[128] = "d", deepest[160];
    struct kvb_buffer answer;
    assert_int_equal(mkdir(path, 0700), 0);
    write_file("d/a.sh", SMALL);
    write_file("d/z.sh", SMALL);
    for (unsigned depth = 1; depth <= 25; depth++) {
        strcat(path, "/d");
        assert_int_equal(mkdir(path, 0700), 0);
        if (depth < 24) {
            continue;
        }
        (void)snprintf(deepest, sizeof deepest, "%s/run.sh", path);
        write_file(deepest, SMALL);
        assert_int_equal(check_folder(&answer, "json"), depth == 24 ? 0 : 4);
        const char *said = kvb_buffer_text(&answer);
        assert_int_equal(strstr(said, "not entered, because it lies more than 24 folders deep") != NULL, depth == 25);
        assert_non_null(strstr(said, path));
        kvb_buffer_free(&answer);
        (void)check_folder(&answer, "text");
        assert_non_null(strstr(kvb_buffer_text(&answer),
                               depth == 24
                                   ? "3 files seen, 3 read, 3 with deployments\n"
                                   : "2 files seen, 2 read, 2 with deployments; not everything could be read\n"));
        kvb_buffer_free(&answer);
        assert_int_equal(unlink(deepest), 0);
    }
    remove_tree();
}

// Sixteen names of 255 bytes are longer than a path can be, and do not lie too deep.
static void too_long(void **state)
{
    (void)state;
    char name[256];
    struct kvb_buffer answer;
    memset(name, 'n', 255);
    name[255] = '\0';
    assert_int_equal(mkdir("d", 0700), 0);
    write_file("d/z.sh", SMALL);
    int above = open("d", O_RDONLY | O_DIRECTORY);
    for (unsigned i = 0; i < 16; i++) {
        assert_int_equal(mkdirat(above, name, 0700), 0);
        int below = openat(above, name, O_RDONLY | O_DIRECTORY);
        assert_true(below >= 0);
        assert_int_equal(close(above), 0);
        above = below;
    }
    assert_int_equal(close(above), 0);
    assert_int_equal(check_folder(&answer, "json"), 4);
    assert_non_null(strstr(kvb_buffer_text(&answer), "not looked at, because its path is longer than 4095 bytes"));
    assert_non_null(strstr(kvb_buffer_text(&answer), "\"passed\": 1"));
    kvb_buffer_free(&answer);
    remove_tree();
}

static enum kvb_status list(void *context, struct kvb_folder *out, const char *path, struct kvb_problems *problems)
{
    size_t capacity = 0;
    *out = (struct kvb_folder){0};
    if (strcmp(path, "d/locked") == 0) {
        return kvb_problem_add(problems, KVB_ERROR, *(enum kvb_status *)context, (struct kvb_place){.file = path},
                               "no");
    }
    assert_string_equal(path, "d");
    return kvb_folder_add(out, &capacity, "a.sh", false, false) &&
                   kvb_folder_add(out, &capacity, "locked", true, false) &&
                   kvb_folder_add(out, &capacity, "venv", true, false) &&
                   kvb_folder_add(out, &capacity, "z.sh", false, false)
               ? KVB_OK
               : KVB_NO_MEMORY;
}

static char visited[64], left_out[64];
static enum kvb_status visit(void *context, const char *path)
{
    (void)context;
    strcat(strcat(visited, path), " ");
    return KVB_OK;
}

static enum kvb_status miss(void *context, const char *path, struct kvb_problems *problems)
{
    (void)context;
    assert_int_equal(problems->count, 1);
    strcat(left_out, path);
    return KVB_OK;
}

// A folder in the middle without permission: those behind it are visited, and the walk was not whole.
static void locked(void **state)
{
    (void)state;
    static const struct {
        enum kvb_status status;
        const char *visited, *left_out;
    } rows[] = {{KVB_CANNOT_OPEN, "d/a.sh d/z.sh ", "d/locked"},
                {KVB_UNKNOWN_NAME, "d/a.sh d/z.sh ", "d/locked"},
                {KVB_NO_MEMORY, "d/a.sh ", ""}};
    for (size_t i = 0; i < sizeof rows / sizeof rows[0]; i++) {
        enum kvb_status status = rows[i].status;
        const struct kvb_files files = {&status, NULL, list};
        struct kvb_problems problems;
        uint32_t seen = 0;
        struct kvb_walk walk = {&files, visit, miss, &status, &seen, &problems, KVB_OK};
        kvb_problems_init(&problems);
        visited[0] = left_out[0] = '\0';
        assert_int_equal(kvb_manifest_walk_in(&walk, "d"), status);
        assert_string_equal(visited, rows[i].visited);
        assert_string_equal(left_out, rows[i].left_out);
    }
}

// A policy that is a link to nowhere is not the same as none.
static void policy_nowhere(void **state)
{
    (void)state;
    struct kvb_buffer answer;
    assert_int_equal(mkdir("d", 0700), 0);
    write_file("d/z.sh", SMALL);
    assert_int_equal(check_folder(&answer, "json"), 0);
    kvb_buffer_free(&answer);
    assert_int_equal(symlink("/nowhere/policy.yaml", "kvbudget-policy.yaml"), 0);
    assert_int_equal(check_folder(&answer, "json"), 4);
    kvb_buffer_free(&answer);
    assert_int_equal(unlink("kvbudget-policy.yaml"), 0);
    remove_tree();
}

KVB_TEST_MAIN_WITH(make_folder, remove_folder, cmocka_unit_test(demands), cmocka_unit_test(unknown_or_wrong),
                   cmocka_unit_test(nested), cmocka_unit_test(too_long), cmocka_unit_test(locked),
                   cmocka_unit_test(policy_nowhere))
