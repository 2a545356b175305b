// Many commands in one process: each golden case that is one plain line says again what it says alone, in either order,
// so no command leaves anything behind for the next.
#include <glob.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include <kvbudget/input.h>

#include "cli/run.h"
#include "text/file.h"
#include "unit/test.h"
#include "unit/words.h"

#define CASES_LEAST 100
#define FILE_MAX_BYTES ((size_t)1 << 20)

static glob_t cases;

static int find_cases(void **state)
{
    (void)state;
    static const char *const cleared[] = {"COLUMNS", "KVBUDGET_PROFILES", "VLLM_USE_V1"};
    for (size_t i = 0; i < sizeof cleared / sizeof cleared[0]; i++) {
        (void)unsetenv(cleared[i]);
    }
    bool set = setenv("NO_COLOR", "1", 1) == 0 && setenv("KVBUDGET_OFFLINE", "1", 1) == 0 &&
               setenv("KVBUDGET_CACHE", "/nowhere", 1) == 0;
    return set && chdir(KVB_SOURCE_DIR) == 0 ? glob("tests/golden/*/cmd", 0, NULL, &cases) : -1;
}

static int drop_cases(void **state)
{
    (void)state;
    globfree(&cases);
    return 0;
}

// Whether a shell would hand these very words over; what follows the first line is no plain line either. Help wherever
// it stands is the program's, and rows of a sweep are written as they are made, not given back.
static bool is_plain(char *line)
{
    char *end = strchr(line, '\n');
    bool one = end != NULL && end[1] == '\0';
    if (one) {
        *end = '\0';
    }
    bool answered =
        strstr(line, "help") == NULL && strstr(line, "--format csv") == NULL && strstr(line, "jsonl") == NULL;
    return one && answered && strncmp(line, "kvbudget ", 9) == 0 && strpbrk(line, "|$><;`'\"\\*?&()") == NULL;
}

// The text of `name` beside the case; empty where there is none.
static struct kvb_file beside(const char *path, const char *name)
{
    char other[512];
    struct kvb_file file = {0};
    (void)snprintf(other, sizeof other, "%.*s%s", (int)(strrchr(path, '/') + 1 - path), path, name);
    if (kvb_path_exists(other)) {
        assert_int_equal(kvb_file_read(&file, other, FILE_MAX_BYTES, NULL), KVB_OK);
    }
    return file;
}

static int wanted_code(const char *path)
{
    struct kvb_file file = beside(path, "exit");
    int code = file.text != NULL ? (int)strtol(file.text, NULL, 10) : 0;
    kvb_file_free(&file);
    return code;
}

static void check_answer(const char *path, const struct command_row *command, int count, const char *const *words)
{
    struct kvb_buffer answer;
    struct arguments *arguments = kvb_run_begin(command);
    assert_non_null(arguments);
    kvb_buffer_init(&answer);
    int code = kvb_run_words(arguments, count, words, &answer);
    struct kvb_file wanted = beside(path, "stdout");
    const char *text = wanted.text != NULL ? wanted.text : "", *said = answer.data != NULL ? answer.data : "";
    if (code != wanted_code(path) || strcmp(said, text) != 0) {
        fail_msg("%s: exit %d\n%s", path, code, said);
    }
    kvb_file_free(&wanted);
    kvb_buffer_free(&answer);
    kvb_run_end(arguments);
}

// 1: it was asked; 0: it is not a plain line or no command's.
static size_t ask(const char *path)
{
    struct words words;
    struct kvb_file line;
    size_t asked = 0;
    assert_int_equal(kvb_file_read(&line, path, FILE_MAX_BYTES, NULL), KVB_OK);
    if (is_plain(line.text)) {
        words_of(line.text, &words);
        const struct command_row *command = words.count > 1 ? kvb_commands_find(words.words[1]) : NULL;
        if (command != NULL) {
            check_answer(path, command, words.count - 2, words.words + 2);
            asked = 1;
        }
    }
    kvb_file_free(&line);
    return asked;
}

static void one_after_another(void **state)
{
    (void)state;
    size_t asked = 0;
    for (size_t i = 0; i < cases.gl_pathc; i++) {
        asked += ask(cases.gl_pathv[i]);
    }
    assert_true(asked >= CASES_LEAST);
}

static void and_backwards(void **state)
{
    (void)state;
    for (size_t i = cases.gl_pathc; i > 0; i--) {
        (void)ask(cases.gl_pathv[i - 1]);
    }
}

KVB_TEST_MAIN_WITH(find_cases, drop_cases, cmocka_unit_test(one_after_another), cmocka_unit_test(and_backwards))
