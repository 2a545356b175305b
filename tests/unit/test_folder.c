// Folders: made with all above them, measured, moved, removed with what is in them; never deeper than what we keep
// there.
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include <kvbudget/input.h>

#include "text/file.h"
#include "text/folder.h"
#include "unit/test.h"

static struct kvb_problems problems;
static char top[64];

static int make_top(void **state)
{
    (void)state;
    (void)snprintf(top, sizeof top, "/tmp/kvb-test-XXXXXX");
    return mkdtemp(top) != NULL ? 0 : -1;
}

static int remove_top(void **state)
{
    (void)state;
    return rmdir(top);
}

static const char *below(const char *name)
{
    static char path[2][256];
    static unsigned next;
    next = !next;
    (void)snprintf(path[next], sizeof path[next], "%s/%s", top, name);
    return path[next];
}

static void write_file(const char *name, const char *text)
{
    assert_int_equal(kvb_file_create(below(name), text, strlen(text), &problems), KVB_OK);
}

static void made_measured_moved_and_removed(void **state)
{
    (void)state;
    kvb_problems_init(&problems);
    assert_int_equal(kvb_folder_make(below("a/b/c"), &problems), KVB_OK);
    assert_int_equal(kvb_folder_make(below("a/b/c"), &problems), KVB_OK); // it is there already
    write_file("a/one", "12345");
    write_file("a/b/c/two", "123");
    assert_int_equal(symlink("/etc", below("a/link")), 0);
    assert_true(kvb_path_is_link(below("a/link")) && !kvb_path_is_link(below("a/one")));
    // 5 and 3 bytes, and the four letters of "/etc" that a link itself takes; what it points to is not counted
    assert_int_equal(kvb_folder_bytes(below("a")), 5 + 3 + 4);
    assert_int_equal(kvb_folder_bytes(below("nothing")), 0);
    assert_true(kvb_folder_move(below("a"), below("moved")));
    assert_false(kvb_folder_move(below("a"), below("again")));
    assert_in_range(kvb_path_age_seconds(below("moved/one")), 0, 60);
    assert_true(kvb_path_age_seconds(below("a")) == UINT64_MAX);
    assert_int_equal(kvb_folder_remove(below("moved"), &problems), KVB_OK);
    assert_false(kvb_path_exists(below("moved")));
    assert_true(kvb_path_exists("/etc"));
    assert_int_equal(kvb_folder_remove(below("moved"), &problems), KVB_OK); // nothing is there to remove
}

static void deeper_than_a_cache_is_left_alone(void **state)
{
    (void)state;
    kvb_problems_init(&problems);
    assert_int_equal(kvb_folder_make(below("1/2/3/4/5"), &problems), KVB_OK);
    assert_int_equal(kvb_folder_remove(below("1"), &problems), KVB_CANNOT_WRITE);
    assert_string_equal(problems.items[0].text, "cannot remove: Device or resource busy");
    assert_true(kvb_path_is_folder(below("1/2/3/4/5")));
    assert_int_equal(kvb_folder_bytes(below("1")), 0);
    assert_int_equal(kvb_folder_remove(below("1/2/3"), &problems), KVB_OK);
    assert_int_equal(kvb_folder_remove(below("1"), &problems), KVB_OK);
}

static void what_cannot_be_made(void **state)
{
    (void)state;
    static char name[KVB_PATH_CAPACITY + 2];
    kvb_problems_init(&problems);
    memset(name, 'x', sizeof name - 1);
    assert_int_equal(kvb_folder_make(name, &problems), KVB_CANNOT_WRITE);
    assert_string_equal(problems.items[0].text, "cannot make: File name too long");
    write_file("file", "x");
    kvb_problems_init(&problems);
    assert_int_equal(kvb_folder_make(below("file"), &problems), KVB_CANNOT_WRITE);
    assert_string_equal(problems.items[0].text, "cannot make: File exists");
    kvb_problems_init(&problems);
    assert_int_equal(kvb_folder_make(below("file/below"), &problems), KVB_CANNOT_WRITE);
    assert_string_equal(problems.items[0].text, "cannot make: Not a directory");
    kvb_problems_init(&problems);
    assert_int_equal(kvb_file_create(below("file"), "y", 1, &problems), KVB_CANNOT_WRITE);
    assert_string_equal(problems.items[0].text, "cannot write: File exists");
    assert_int_equal(unlink(below("file")), 0);
}

// Of a file that lies on the disk, of one in memory, and of one whose first part alone is here.
static void bytes_at_a_place(void **state)
{
    (void)state;
    struct kvb_open_file file;
    char got[4] = "";
    kvb_problems_init(&problems);
    write_file("file", "0123456789");
    assert_int_equal(kvb_file_open(&file, below("file"), &problems), KVB_OK);
    assert_int_equal(file.size_bytes, 10);
    assert_int_equal(kvb_file_read_at(&file, 7, got, 3, &problems), KVB_OK);
    assert_string_equal(got, "789");
    assert_int_equal(kvb_file_read_at(&file, 8, got, 3, &problems), KVB_BAD_SYNTAX);
    assert_string_equal(problems.items[0].text,
                        "ends at byte 10, but 3 more bytes are wanted at byte 8: the file is cut short");
    assert_int_equal(kvb_file_read_at(&file, 11, got, 0, &problems), KVB_BAD_SYNTAX);
    assert_int_equal(truncate(below("file"), 5), 0); // it shrinks while it is open
    assert_int_equal(kvb_file_read_at(&file, 4, got, 3, &problems), KVB_CANNOT_READ);
    kvb_close_file(&file);
    kvb_close_file(&file);
    assert_int_equal(unlink(below("file")), 0);
    kvb_problems_init(&problems);
    kvb_open_memory(&file, "memory", "0123456789", 10);
    assert_int_equal(kvb_file_read_at(&file, 0, got, 3, &problems), KVB_OK);
    assert_string_equal(got, "012");
    file.present_bytes = 4;
    assert_int_equal(kvb_file_read_at(&file, 2, got, 3, &problems), KVB_CANNOT_READ);
    assert_string_equal(problems.items[0].text, "only its first 4 bytes are here");
}

KVB_TEST_MAIN_WITH(make_top, remove_top, cmocka_unit_test(made_measured_moved_and_removed),
                   cmocka_unit_test(deeper_than_a_cache_is_left_alone), cmocka_unit_test(what_cannot_be_made),
                   cmocka_unit_test(bytes_at_a_place))
