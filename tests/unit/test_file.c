// Files: whole or refused by name, replaced whole or not at all.
#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <sys/wait.h>
#include <time.h>
#include <unistd.h>

#include <kvbudget/input.h>

#include "base/memory.h"
#include "text/file.h"
#include "unit/test.h"

static struct kvb_problems problems;
static char folder[64];
static char path[96];

static int make_folder(void **state)
{
    (void)state;
    strcpy(folder, "/tmp/kvb-test-XXXXXX");
    if (!mkdtemp(folder)) {
        return -1;
    }
    (void)snprintf(path, sizeof path, "%s/file", folder);
    return 0;
}

static int remove_folder(void **state)
{
    (void)state;
    (void)unlink(path);
    return rmdir(folder);
}

static enum kvb_status read_file(struct kvb_file *file, const char *name, size_t max_bytes)
{
    kvb_problems_init(&problems);
    return kvb_file_read(file, name, max_bytes, &problems);
}

static void test_replace_and_read(void **state)
{
    (void)state;
    enum { LENGTH = 200000 };
    char *text = calloc(LENGTH + 1, 1);
    assert_non_null(text);
    memset(text, 'a', LENGTH);
    struct kvb_file file;
    kvb_problems_init(&problems);
    assert_int_equal(kvb_file_replace(path, "old", 3, &problems), KVB_OK);
    assert_int_equal(chmod(path, 0640), 0);
    assert_int_equal(kvb_file_replace(path, text, LENGTH, &problems), KVB_OK);
    struct stat status;
    assert_int_equal(stat(path, &status), 0);
    assert_int_equal(status.st_mode & 0777, 0640);
    assert_int_equal(read_file(&file, path, LENGTH), KVB_OK);
    assert_int_equal(file.length, LENGTH);
    assert_string_equal(file.text, text);
    kvb_file_free(&file);
    assert_int_equal(read_file(&file, path, LENGTH - 1), KVB_TOO_LARGE);
    assert_null(file.text);
    assert_string_equal(problems.items[0].text, "larger than 199999 bytes, the most that is read of such a file");
    free(text);
}

static void test_refusals(void **state)
{
    (void)state;
    struct kvb_file file;
    assert_int_equal(read_file(&file, "/nowhere/at/all", 10), KVB_CANNOT_OPEN);
    assert_string_equal(problems.items[0].text, "cannot open: No such file or directory");
    assert_string_equal(problems.items[0].file, "/nowhere/at/all");
    assert_int_equal(read_file(&file, folder, 10), KVB_CANNOT_OPEN);
    assert_string_equal(problems.items[0].text, "expected a file, but this is a folder");
    assert_int_equal(read_file(&file, "/dev/zero", 10), KVB_CANNOT_OPEN);
    assert_string_equal(problems.items[0].text, "expected a file, but this is a device");
    (void)unlink(path);
    assert_int_equal(mkfifo(path, 0600), 0);
    assert_int_equal(read_file(&file, path, 10), KVB_CANNOT_OPEN);
    assert_string_equal(problems.items[0].text,
                        "expected a file, but this is a pipe; hand it over on standard input, as \"-\"");
    assert_int_equal(unlink(path), 0);
    assert_int_equal(kvb_file_replace("/nowhere/at/all", "x", 1, &problems), KVB_CANNOT_WRITE);
    assert_int_equal(kvb_file_replace(folder, "x", 1, &problems), KVB_CANNOT_WRITE);
    assert_true(kvb_path_exists(folder) && kvb_path_is_folder(folder));
    assert_false(kvb_path_exists(path) || kvb_path_is_folder(path));
}

static void test_no_memory(void **state)
{
    (void)state;
    struct kvb_file file;
    kvb_problems_init(&problems);
    assert_int_equal(kvb_file_replace(path, "abc", 3, &problems), KVB_OK);
    kvb_memory_fail_after(1);
    enum kvb_status status = read_file(&file, path, 10);
    kvb_memory_fail_after(0);
    assert_int_equal(status, KVB_NO_MEMORY);
    assert_null(file.text);
}

// Sizes as /proc reports them are zero: the text counts, not the size.
static void test_size_is_not_trusted(void **state)
{
    (void)state;
    struct kvb_file file;
    assert_int_equal(read_file(&file, "/proc/self/status", 1 << 20), KVB_OK);
    assert_true(file.length > 0 && strlen(file.text) == file.length);
    kvb_file_free(&file);
}

// Standard input by its name "-", whole and in pieces.
static size_t streamed;

static void take(void *context, const char *bytes, size_t length)
{
    (void)bytes;
    assert_ptr_equal(context, &streamed);
    streamed += length;
}

static void test_standard_input(void **state)
{
    (void)state;
    struct kvb_file file;
    kvb_problems_init(&problems);
    assert_int_equal(kvb_file_replace(path, "a: 1\n", 5, &problems), KVB_OK);
    assert_non_null(freopen(path, "r", stdin));
    assert_int_equal(read_file(&file, "-", 100), KVB_OK);
    assert_string_equal(file.text, "a: 1\n");
    kvb_file_free(&file);
    assert_non_null(freopen(path, "r", stdin));
    assert_int_equal(kvb_stream_read("-", take, &streamed, &problems), KVB_OK);
    assert_int_equal(streamed, 5);
    assert_int_equal(kvb_stream_read(path, take, &streamed, &problems), KVB_OK);
    assert_int_equal(streamed, 10);
    assert_int_equal(kvb_stream_read(folder, take, &streamed, &problems), KVB_CANNOT_OPEN);
    kvb_memory_fail_after(1);
    enum kvb_status status = kvb_stream_read(path, take, &streamed, &problems);
    kvb_memory_fail_after(0);
    assert_int_equal(status, KVB_NO_MEMORY);
}

// A pipe with a name is read once somebody writes to it, however late: nothing written yet is not an empty file.
static void test_pipe_waits_for_its_writer(void **state)
{
    (void)state;
    (void)unlink(path);
    assert_int_equal(mkfifo(path, 0600), 0);
    pid_t writer = fork();
    assert_true(writer >= 0);
    (void)alarm(60); // of either: a failure here is a wait without end
    if (writer == 0) {
        (void)nanosleep(&(struct timespec){.tv_nsec = 100000000}, NULL);
        int descriptor = open(path, O_WRONLY | O_CLOEXEC);
        _exit(descriptor >= 0 && write(descriptor, "late\n", 5) == 5 ? 0 : 1);
    }
    streamed = 0;
    kvb_problems_init(&problems);
    enum kvb_status status = kvb_stream_read(path, take, &streamed, &problems);
    int ended;
    assert_int_equal(waitpid(writer, &ended, 0), writer);
    (void)alarm(0);
    assert_int_equal(ended, 0);
    assert_int_equal(status, KVB_OK);
    assert_int_equal(streamed, 5);
    assert_int_equal(chmod(path, 0), 0);
    if (geteuid() != 0) {
        assert_int_equal(kvb_stream_read(path, take, &streamed, &problems), KVB_CANNOT_OPEN);
    }
}

KVB_TEST_MAIN_WITH(make_folder, remove_folder, cmocka_unit_test(test_replace_and_read), cmocka_unit_test(test_refusals),
                   cmocka_unit_test(test_no_memory), cmocka_unit_test(test_size_is_not_trusted),
                   cmocka_unit_test(test_standard_input), cmocka_unit_test(test_pipe_waits_for_its_writer))
