// Files of a commit: a stand-in for git answers the questions of `git cat-file --batch`, as its manual describes the
// answers, and as a git would that lies or dies.
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "base/memory.h"
#include "history/history.h"
#include "unit/own_folder.h"
#include "unit/test.h"

#define COMMIT "1111111111111111111111111111111111111111"
#define NAME_20 "AAAAAAAAAAAAAAAAAAAA" // the bytes of an object's name

static char path_before[4096];
static struct kvb_problems problems;
static struct kvb_history history;
static struct kvb_file file;
static struct kvb_folder list;

// The trees: a row is "MODE NAME", a NUL and 20 bytes.
static const char answers[] =
    "#!/bin/sh\n"
    "[ \"$1 $3 $4 $GIT_TERMINAL_PROMPT $LC_ALL\" = '-C cat-file --batch 0 C' ] || exit 1\n"
    "while IFS= read -r name; do\n"
    "  case $name in\n"
    "  'HEAD^{commit}') printf '%s commit 3\\nabc\\n' " COMMIT ";;\n"
    "  'cut^{commit}') printf '%s commit 30\\nabc' " COMMIT "; exit;;\n"
    "  'dead^{commit}') exit;;\n"
    "  'short^{commit}') printf '1111 commit 3\\n';;\n"
    "  'odd^{commit}') printf '%s commit many\\n' " COMMIT ";;\n"
    "  'alone^{commit}') printf '%s\\n' " COMMIT ";;\n"
    "  *:) printf '%s tree 163\\n' " COMMIT "\n"
    "    printf '100644 a.sh\\000" NAME_20 "100755 gone.sh\\000" NAME_20 "120000 link\\000" NAME_20 "'\n"
    "    printf '160000 module\\000" NAME_20 "40000 sub\\000" NAME_20 "\\n';;\n"
    "  *:sub) printf '%s tree 32\\n100644 b.sh\\000" NAME_20 "\\n' " COMMIT ";;\n"
    "  *:odd) printf '%s tree 5\\nabcde\\n' " COMMIT ";;\n"
    "  *:a.sh | *:sub/b.sh) printf '%s blob 5\\nhello\\n' " COMMIT ";;\n"
    "  *:large.sh) printf '%s blob 200000\\n' " COMMIT "; head -c 200000 /dev/zero | tr '\\000' x; echo;;\n"
    "  *:dies.sh) exit;;\n"
    "  *:cut.sh) printf '%s blob 10\\nabc' " COMMIT "; exit;;\n"
    "  *:open.sh) printf '%s blob 3\\nabc' " COMMIT "; exit;;\n"
    "  *) printf '%s missing\\n' \"$name\";;\n"
    "  esac\n"
    "done\n";

static void in_root(char out[128], const char *below)
{
    (void)snprintf(out, 128, "%s%s", root, below);
}

static void make_folder_at(const char *below)
{
    char path[128];
    in_root(path, below);
    assert_int_equal(mkdir(path, 0700), 0);
}

static int make_root(void **state)
{
    (void)state;
    char path[128], search[5000];
    assert_non_null(mkdtemp(root));
    make_folder_at("/repo");
    make_folder_at("/repo/.git");
    make_folder_at("/repo/sub");
    make_folder_at("/other");
    make_folder_at("/other/.git");
    make_folder_at("/bin");
    in_root(path, "/bin/git");
    FILE *program = fopen(path, "w");
    assert_non_null(program);
    assert_true(fputs(answers, program) >= 0);
    assert_int_equal(fclose(program), 0);
    (void)snprintf(path_before, sizeof path_before, "%s", getenv("PATH"));
    (void)snprintf(search, sizeof search, "%s/bin:%s", root, path_before);
    assert_int_equal(setenv("GIT_TERMINAL_PROMPT", "1", 1), 0);
    return chmod(path, 0700) == 0 && setenv("PATH", search, 1) == 0 ? 0 : -1;
}

static int begin(void **state)
{
    (void)state;
    kvb_problems_init(&problems);
    kvb_history_init(&history);
    return 0;
}

static int end(void **state)
{
    (void)state;
    kvb_history_close(&history);
    return 0;
}

static enum kvb_status open_at(const char *below, const char *ref)
{
    char path[128];
    in_root(path, below);
    return kvb_history_open(&history, path, ref, &problems);
}

static enum kvb_status read_at(const char *below, size_t most)
{
    char path[128];
    in_root(path, below);
    return kvb_history_read(&history, &file, path, most, &problems);
}

static void is_hello(const char *below)
{
    assert_int_equal(read_at(below, 100), KVB_OK);
    assert_string_equal(file.text, "hello");
    assert_int_equal(file.length, 5);
    kvb_file_free(&file);
}

// Not in the commit, and nothing is wrong with that.
static void is_absent(const char *below)
{
    assert_int_equal(read_at(below, 100), KVB_UNKNOWN_NAME);
    assert_int_equal(problems.count, 0);
}

static void says(const char *text)
{
    assert_true(problems.count > 0);
    if (strstr(problems.items[0].text, text) == NULL) {
        fail_msg("'%s' in place of '%s'", problems.items[0].text, text);
    }
}

static void test_files(void **state)
{
    (void)state;
    assert_int_equal(open_at("/repo", "HEAD"), KVB_OK);
    assert_string_equal(history.commit, COMMIT);
    is_hello("/repo/a.sh");
    is_hello("/repo/./sub/..//a.sh");
    is_hello("/repo/sub/b.sh");
    is_absent("/repo/nowhere.sh");
    is_absent("/repo/sub/nowhere.sh");
    is_absent("/repo/nowhere/x.sh");
    is_absent("/repo/../a.sh");
    is_absent("/repository/a.sh");
    is_absent("/repo/sub");    // a folder
    is_absent("/repo/link");   // has no content of its own here
    is_absent("/repo/module"); // nor has another repository
    is_absent("/repo/a.sh/x");
    is_absent("/repo/two\nlines.sh");
    is_absent("/repo");
    assert_int_equal(read_at("/repo/gone.sh", 100), KVB_CANNOT_READ);
    says("commit 111111111111 has it, and this clone does not have its content: fetch it first");
}

static void test_large(void **state)
{
    (void)state;
    assert_int_equal(open_at("/repo", "HEAD"), KVB_OK);
    assert_int_equal(read_at("/repo/large.sh", 199999), KVB_TOO_LARGE);
    says("larger than 199999 bytes, the most that is read of such a file");
    is_hello("/repo/a.sh"); // its content was passed over
    assert_int_equal(read_at("/repo/large.sh", 200000), KVB_OK);
    assert_int_equal(file.length, 200000);
    assert_int_equal(strspn(file.text, "x"), 200000);
    kvb_file_free(&file);
}

static void test_folders(void **state)
{
    (void)state;
    static const struct {
        const char *name;
        bool is_folder, is_link;
    } expected[] = {{"a.sh", false, false},
                    {"gone.sh", false, false},
                    {"link", false, true},
                    {"module", false, true},
                    {"sub", true, false}};
    char path[128];
    assert_int_equal(open_at("/repo", "HEAD"), KVB_OK);
    in_root(path, "/repo");
    assert_int_equal(kvb_history_list(&history, &list, path, &problems), KVB_OK);
    assert_int_equal(list.count, sizeof expected / sizeof expected[0]);
    for (size_t i = 0; i < list.count; i++) {
        assert_string_equal(list.entries[i].name, expected[i].name);
        assert_int_equal(list.entries[i].is_folder, expected[i].is_folder);
        assert_int_equal(list.entries[i].is_link, expected[i].is_link);
    }
    kvb_folder_free(&list);
    in_root(path, "/repo/a.sh");
    assert_int_equal(kvb_history_list(&history, &list, path, &problems), KVB_UNKNOWN_NAME);
    in_root(path, "/repo/odd"); // no tree as git writes it
    assert_int_equal(kvb_history_list(&history, &list, path, &problems), KVB_OK);
    assert_int_equal(list.count, 0);
    kvb_folder_free(&list);
    assert_int_equal(problems.count, 0);
}

// Paths are as their user writes them: from inside, with a slash at the end, from one repository to the next.
static void test_places(void **state)
{
    (void)state;
    char path[128];
    assert_int_equal(open_at("/repo/sub", "HEAD"), KVB_OK);
    is_hello("/repo/sub/b.sh");
    pid_t first = history.process;
    assert_int_equal(open_at("/repo/", "HEAD"), KVB_OK);
    assert_int_equal(history.process, first);
    is_hello("/repo/a.sh");
    assert_int_equal(open_at("/other", "HEAD"), KVB_OK);
    assert_int_not_equal(history.process, first);
    is_hello("/other/a.sh");
    is_absent("/repo/a.sh");
    in_root(path, "/repo/sub");
    assert_int_equal(chdir(path), 0);
    assert_int_equal(kvb_history_open(&history, ".", "HEAD", &problems), KVB_OK);
    assert_int_equal(kvb_history_read(&history, &file, "./b.sh", 100, &problems), KVB_OK);
    kvb_file_free(&file);
    assert_int_equal(kvb_history_read(&history, &file, "../a.sh", 100, &problems), KVB_OK);
    kvb_file_free(&file);
    assert_int_equal(kvb_history_read(&history, &file, "../../a.sh", 100, &problems), KVB_UNKNOWN_NAME);
    assert_int_equal(chdir("/"), 0);
}

static void test_refused(void **state)
{
    (void)state;
    static char long_ref[KVB_PATH_CAPACITY + 1];
    memset(long_ref, 'r', sizeof long_ref - 1);
    const struct {
        const char *below, *ref;
        enum kvb_status status;
        const char *text;
    } rows[] = {
        {"/nowhere", "HEAD", KVB_CANNOT_OPEN, "this folder cannot be found"},
        {"", "HEAD", KVB_CANNOT_OPEN, "it is in no git repository"},
        {"/repo", "none", KVB_CANNOT_OPEN, "git knows no commit 'none' here; a shallow clone"},
        {"/repo", "", KVB_CANNOT_OPEN, "git knows no commit '' here"},
        {"/repo", "two\nlines", KVB_CANNOT_OPEN, "git knows no commit 'two"},
        {"/repo", long_ref, KVB_CANNOT_OPEN, "git knows no commit 'rrr"},
        {"/repo", "short", KVB_CANNOT_OPEN, "git knows no commit 'short'"},
        {"/repo", "odd", KVB_CANNOT_OPEN, "git knows no commit 'odd'"},
        {"/repo", "alone", KVB_CANNOT_OPEN, "git knows no commit 'alone'"},
        {"/repo", "dead", KVB_CANNOT_READ, "git does not answer for this repository"},
        {"/repo", "cut", KVB_CANNOT_READ, "git does not answer for this repository"},
    };
    for (size_t i = 0; i < sizeof rows / sizeof rows[0]; i++) {
        (void)begin(NULL);
        assert_int_equal(open_at(rows[i].below, rows[i].ref), rows[i].status);
        says(rows[i].text);
        kvb_history_close(&history);
    }
}

static void test_dying(void **state)
{
    (void)state;
    static const char *const names[] = {"/repo/dies.sh", "/repo/cut.sh", "/repo/open.sh"};
    for (size_t i = 0; i < sizeof names / sizeof names[0]; i++) {
        (void)begin(NULL);
        assert_int_equal(open_at("/repo", "HEAD"), KVB_OK);
        assert_int_equal(read_at(names[i], 100), KVB_CANNOT_READ);
        says("git does not answer for this repository");
        assert_int_equal(read_at("/repo/a.sh", 100), KVB_CANNOT_READ); // nor later
        kvb_history_close(&history);
    }
}

static void test_no_git(void **state)
{
    (void)state;
    char search[5000], path[128];
    in_root(path, "/repo");
    (void)snprintf(search, sizeof search, "%s", getenv("PATH"));
    assert_int_equal(setenv("PATH", "/nonexistent", 1), 0);
    assert_int_equal(open_at("/repo", "HEAD"), KVB_CANNOT_OPEN);
    says("git is not installed, and --against reads a commit through it");
    kvb_history_close(&history);
    assert_int_equal(setenv("PATH", path, 1), 0); // a folder of that name is no program
    make_folder_at("/repo/git");
    (void)begin(NULL);
    assert_int_equal(open_at("/repo", "HEAD"), KVB_CANNOT_OPEN);
    assert_true(problems.count > 0);
    assert_int_equal(setenv("PATH", search, 1), 0);
}

// What there was no room for is never taken for what is not there.
static void test_memory(void **state)
{
    (void)state;
    char path[128];
    in_root(path, "/repo");
    static const char *const names[] = {"/repo/a.sh", "/repo/gone.sh"};
    static const enum kvb_status whole[] = {KVB_OK, KVB_CANNOT_READ};
    for (size_t i = 0; i < sizeof names / sizeof names[0]; i++) {
        enum kvb_status status = KVB_NO_MEMORY;
        for (unsigned long n = 1; status != whole[i] && n < 50; n++) {
            (void)begin(NULL);
            assert_int_equal(open_at("/repo", "HEAD"), KVB_OK);
            (void)kvb_memory_fail_once(n);
            status = read_at(names[i], 100);
            (void)kvb_memory_fail_once(0);
            assert_true(status == whole[i] || status == KVB_NO_MEMORY);
            assert_true((status == KVB_OK) == (problems.count == 0));
            kvb_file_free(&file);
            kvb_history_close(&history);
        }
        assert_int_equal(status, whole[i]);
    }
    for (unsigned long n = 1; n < 50; n++) {
        (void)begin(NULL);
        (void)kvb_memory_fail_once(n);
        enum kvb_status status = open_at("/repo", "HEAD");
        status = status == KVB_OK ? kvb_history_list(&history, &list, path, &problems) : status;
        bool failed = kvb_memory_fail_once(0) == 0;
        assert_int_equal(status, failed ? (n == 1 || n == 2 ? KVB_CANNOT_OPEN : KVB_NO_MEMORY) : KVB_OK);
        kvb_folder_free(&list);
        kvb_history_close(&history);
    }
}

#define EACH(test) cmocka_unit_test_setup_teardown(test, begin, end)

KVB_TEST_MAIN_WITH(make_root, remove_root, EACH(test_files), EACH(test_large), EACH(test_folders), EACH(test_places),
                   EACH(test_refused), EACH(test_dying), EACH(test_no_git), EACH(test_memory))
