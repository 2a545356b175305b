// The YAML and JSON reader: places, refusals, and time that stays linear.
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>

#include "base/memory.h"
#include "text/file.h"
#include "text/tree.h"
#include "unit/test.h"

static struct kvb_problems problems;

static enum kvb_status read(struct kvb_tree *tree, const char *text, size_t length)
{
    kvb_problems_init(&problems);
    return kvb_tree_read(tree, "t.yaml", text, length, &problems);
}

static void test_shape_and_places(void **state)
{
    (void)state;
    static const char text[] = "\xEF\xBB\xBFname: \"12\"\nsizes: [1, 2]\nrope: {theta: 1e6, none: ~}\n";
    struct kvb_tree tree;
    assert_int_equal(read(&tree, text, sizeof text - 1), KVB_OK);
    assert_int_equal(tree.root->count, 3);
    const struct kvb_node *name = kvb_node_get(tree.root, "name");
    assert_true(name->quoted);
    assert_string_equal(name->text, "12");
    assert_int_equal(name->column, 7);
    assert_int_equal(name->key_column, 1);
    const struct kvb_node *sizes = kvb_node_get(tree.root, "sizes");
    assert_int_equal(sizes->kind, KVB_NODE_SEQUENCE);
    assert_int_equal(sizes->line, 2);
    assert_string_equal(sizes->first->next->text, "2");
    const struct kvb_node *rope = kvb_node_get(tree.root, "rope");
    assert_true(kvb_node_is_null(kvb_node_get(rope, "none")));
    assert_false(kvb_node_is_null(kvb_node_get(rope, "theta")));
    assert_null(kvb_node_get(rope, "missing"));
    assert_null(kvb_node_get(sizes, "name"));
    kvb_tree_free(&tree);
}

struct refusal {
    const char *name;
    const char *text;
    size_t length; // 0: strlen
    enum kvb_status status;
    uint32_t line, column;
    const char *sentence;
};

static const struct refusal refusals[] = {
    {"empty", "", 0, KVB_NOT_ALLOWED, 0, 0, "it is empty: expected a mapping"},
    {"comment only", "# nothing\n", 0, KVB_NOT_ALLOWED, 0, 0, "it is empty: expected a mapping"},
    {"anchor", "a: &x 1\n", 0, KVB_NOT_ALLOWED, 1, 4, "the anchor '&x' is not allowed here; write the value out"},
    {"alias", "a: 1\nb: *y\n", 0, KVB_NOT_ALLOWED, 2, 4, "the alias '*y' is not allowed here; write the value out"},
    {"tag", "a: !!int 5\n", 0, KVB_NOT_ALLOWED, 1, 4,
     "the tag 'tag:yaml.org,2002:int' is not allowed here; write the value out"},
    {"tag directive", "%TAG ! a:\n--- a\n", 0, KVB_NOT_ALLOWED, 1, 1, "a %TAG directive is not allowed"},
    {"second document", "a: 1\n---\nb: 2\n", 0, KVB_NOT_ALLOWED, 2, 1, "a second document ('---') is not allowed"},
    {"repeated key", "a: 1\nb: 2\na: 3\n", 0, KVB_DUPLICATE_KEY, 3, 1,
     "the key 'a' is there twice; the first is on line 1"},
    {"NUL byte", "a: 1\nb:\0 2", 10, KVB_NOT_ALLOWED, 2, 3, "a NUL byte: expected YAML or JSON as UTF-8 text"},
    {"NUL escape", "a: \"x\\0y\"\n", 0, KVB_NOT_ALLOWED, 1, 4, "text with a NUL character in it is not allowed"},
    {"complex key", "{[1]: 2}\n", 0, KVB_NOT_ALLOWED, 1, 2, "a list or mapping is not allowed as a key"},
    {"surrogate pair", "{\"a\": \"\\ud83d\\ude00\"}", 0, KVB_BAD_SYNTAX, 1, 10,
     "a \\u escape of half a surrogate pair cannot be read; write the character itself"},
    {"open bracket", "a: [1, 2\n", 0, KVB_BAD_SYNTAX, 2, 1,
     "not valid YAML or JSON: did not find expected ',' or ']', while parsing a flow sequence"},
    {"a last line without its end", "a: 1\nb", 0, KVB_BAD_SYNTAX, 2, 2,
     "not valid YAML or JSON: could not find expected ':', while scanning a simple key"},
    {"tab", "a:\n\tb: 1\n", 0, KVB_BAD_SYNTAX, 2, 1,
     "not valid YAML or JSON: found character that cannot start any token, while scanning for the next token"},
    {"control character", "a: 1\nb: \x1b[31m\n", 0, KVB_BAD_SYNTAX, 2, 4,
     "not valid YAML or JSON: control characters are not allowed"},
    {"broken UTF-8", "a: \xff\n", 0, KVB_BAD_SYNTAX, 1, 4, "not valid YAML or JSON: invalid leading UTF-8 octet"},
};

static void test_refusals(void **state)
{
    (void)state;
    for (size_t i = 0; i < sizeof refusals / sizeof refusals[0]; i++) {
        const struct refusal *row = &refusals[i];
        struct kvb_tree tree;
        enum kvb_status status = read(&tree, row->text, row->length ? row->length : strlen(row->text));
        const struct kvb_problem *problem = &problems.items[0];
        if (status != row->status || problem->line != row->line || problem->column != row->column ||
            strcmp(problem->text, row->sentence) != 0 || tree.root) {
            fail_msg("%s: %s %s:%u:%u: %s", row->name, kvb_status_name(status), problem->file, problem->line,
                     problem->column, problem->text);
        }
    }
}

static void test_depth(void **state)
{
    (void)state;
    char text[200] = {0};
    struct kvb_tree tree;
    memset(text, '[', 64);
    memset(text + 64, ']', 64);
    assert_int_equal(read(&tree, text, 128), KVB_OK);
    kvb_tree_free(&tree);
    memset(text, '[', 65);
    memset(text + 65, ']', 65);
    assert_int_equal(read(&tree, text, 130), KVB_NOT_ALLOWED);
    assert_int_equal(problems.items[0].column, 65);
}

// Text that costs a naive reader quadratic time: all answered within a second, even under sanitizers.
static void test_hostile_text_is_linear(void **state)
{
    (void)state;
    static const char *const pieces[] = {"[", "{", "- ", "? ", "%TAG !a! b\n", "a: &a 1\n", "[a, ", "'", "\"", "#\n"};
    enum { LENGTH = 100000 };
    char *text = malloc(LENGTH + 1);
    assert_non_null(text);
    for (size_t i = 0; i < sizeof pieces / sizeof pieces[0]; i++) {
        size_t piece = strlen(pieces[i]);
        for (size_t j = 0; j < LENGTH; j++) {
            text[j] = pieces[i][j % piece];
        }
        clock_t start = clock();
        struct kvb_tree tree;
        (void)!read(&tree, text, LENGTH); // an even number of quotes is even valid
        kvb_tree_free(&tree);
        if (clock() - start > CLOCKS_PER_SEC) {
            fail_msg("100 kB of '%s' took over a second", pieces[i]);
        }
    }
    free(text);
}

// 20,000 keys, the last repeating the first.
static void test_many_keys(void **state)
{
    (void)state;
    enum { KEYS = 20000 };
    char *text = malloc((size_t)KEYS * 16);
    assert_non_null(text);
    int length = 0;
    for (int i = 0; i < KEYS; i++) {
        length += sprintf(text + length, "key%d: %d\n", i * 7919 % KEYS, i);
    }
    struct kvb_tree tree;
    assert_int_equal(read(&tree, text, (size_t)length), KVB_OK);
    assert_int_equal(tree.root->count, KEYS);
    assert_string_equal(kvb_node_get(tree.root, "key19999")->key, "key19999");
    kvb_tree_free(&tree);
    length += sprintf(text + length, "key0: 1\n");
    assert_int_equal(read(&tree, text, (size_t)length), KVB_DUPLICATE_KEY);
    assert_string_equal(problems.items[0].text, "the key 'key0' is there twice; the first is on line 1");
    assert_int_equal(problems.items[0].line, KEYS + 1);
    free(text);
}

static void test_each_allocation_fails(void **state)
{
    (void)state;
    char text[2000];
    size_t length = 0;
    for (int i = 0; i < 100; i++) {
        length += (size_t)sprintf(text + length, "k%d: [1, {b: 2}]\n", i);
    }
    enum kvb_status status = KVB_NO_MEMORY;
    for (unsigned long n = 1; status != KVB_OK; n++) {
        assert_true(n < 1000);
        struct kvb_tree tree;
        kvb_memory_fail_after(n);
        status = read(&tree, text, length);
        kvb_memory_fail_after(0);
        assert_true(status == KVB_OK || status == KVB_NO_MEMORY);
        kvb_tree_free(&tree);
    }
}

KVB_TEST_MAIN(cmocka_unit_test(test_shape_and_places), cmocka_unit_test(test_refusals), cmocka_unit_test(test_depth),
              cmocka_unit_test(test_hostile_text_is_linear), cmocka_unit_test(test_many_keys),
              cmocka_unit_test(test_each_allocation_fails))
