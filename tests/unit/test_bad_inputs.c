// Every file of tests/bad_inputs is refused with exactly the sentences beside it. With KVB_UPDATE=1 in
// the environment the sentences are written anew; read the difference before committing it.
#include <glob.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include <kvbudget/input.h>

#include "base/buffer.h"
#include "text/file.h"
#include "unit/test.h"

static struct kvb_problems problems;

static void write_down(struct kvb_buffer *out)
{
    for (uint32_t i = 0; i < problems.count; i++) {
        const struct kvb_problem *problem = &problems.items[i];
        kvb_buffer_printf(out, "%u:%u: %s: %s\n", problem->line, problem->column, kvb_status_name(problem->status),
                          problem->text);
    }
}

static void check_file(const char *path, bool seen[100])
{
    char expected_path[512];
    struct kvb_buffer said;
    struct kvb_file expected = {0};
    enum kvb_profile_kind kind;
    (void)snprintf(expected_path, sizeof expected_path, "%.*s.txt", (int)(strlen(path) - strlen(".yaml")), path);
    kvb_buffer_init(&said);
    kvb_problems_init(&problems);
    if (kvb_profile_check(path, &kind, &problems) == KVB_OK) {
        fail_msg("%s is accepted", path);
    }
    write_down(&said);
    for (uint32_t i = 0; i < problems.count; i++) {
        seen[problems.items[i].status] = true;
        assert_string_equal(problems.items[i].file, path);
    }
    kvb_problems_init(&problems);
    if (getenv("KVB_UPDATE")) {
        assert_int_equal(kvb_file_replace(expected_path, said.data, said.length, &problems), KVB_OK);
    } else {
        assert_int_equal(kvb_file_read(&expected, expected_path, 1 << 20, &problems), KVB_OK);
        assert_string_equal(said.data, expected.text);
    }
    kvb_file_free(&expected);
    kvb_buffer_free(&said);
}

static void test_files(void **state)
{
    (void)state;
    static const enum kvb_status needed[] = {KVB_BAD_SYNTAX,  KVB_BAD_TYPE,     KVB_UNKNOWN_KEY,
                                             KVB_MISSING_KEY, KVB_OUT_OF_RANGE, KVB_DUPLICATE_KEY,
                                             KVB_NOT_ALLOWED, KVB_UNKNOWN_KIND, KVB_CONTRADICTION};
    bool seen[100] = {false};
    glob_t found;
    assert_int_equal(glob(KVB_SOURCE_DIR "/tests/bad_inputs/*.yaml", 0, NULL, &found), 0);
    for (size_t i = 0; i < found.gl_pathc; i++) {
        check_file(found.gl_pathv[i], seen);
    }
    globfree(&found);
    for (size_t i = 0; i < sizeof needed / sizeof needed[0]; i++) {
        if (!seen[needed[i]]) {
            fail_msg("no bad input raises %s", kvb_status_name(needed[i]));
        }
    }
}

KVB_TEST_MAIN(cmocka_unit_test(test_files))
