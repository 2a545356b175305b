// Values of YAML as PyYAML 6.0.3 reads them and Python 3.12 writes them: the rows are its answers.
#include <string.h>

#include <kvbudget/problem.h>

#include "text/pyyaml.h"
#include "unit/test.h"

static struct kvb_problems problems;

static void check(const char *yaml, enum kvb_python_form form, const char *wanted)
{
    struct kvb_tree tree;
    struct kvb_buffer text, out;
    kvb_problems_init(&problems);
    kvb_buffer_init(&text);
    kvb_buffer_init(&out);
    kvb_buffer_printf(&text, "k: %s\n", yaml);
    assert_int_equal(kvb_tree_read_manifest(&tree, "x.yaml", text.data, text.length, &problems), KVB_OK);
    kvb_node_write_python(&out, tree.root->first, form);
    if (strcmp(kvb_buffer_text(&out), wanted) != 0) {
        fail_msg("%s: '%s', not '%s'", yaml, kvb_buffer_text(&out), wanted);
    }
    kvb_buffer_free(&out);
    kvb_buffer_free(&text);
    kvb_tree_free(&tree);
}

static void as_str(void **state)
{
    (void)state;
    static const char *const rows[][2] = {
        {"1", "1"},
        {"0", "0"},
        {"-0", "0"},
        {"-5", "-5"},
        {"+7", "7"},
        {"010", "8"},
        {"-010", "-8"},
        {"08", "08"},
        {"0o17", "0o17"},
        {"0x1F", "31"},
        {"0xg", "0xg"},
        {"0x", "0x"},
        {"0b101", "5"},
        {"0b2", "0b2"},
        {"1_000", "1000"},
        {"_1", "_1"},
        {"1:30", "90"},
        {"-1:30:15", "-5415"},
        {"1:60", "1:60"},
        {"1:5", "65"},
        {"1:005", "1:005"},
        {"18446744073709551615", "18446744073709551615"},
        {"18446744073709551616", "18446744073709551616"},
        {"+1_8446744073709551616", "18446744073709551616"},
        {"1.5", "1.5"},
        {"+1.5", "1.5"},
        {"-1.5", "-1.5"},
        {"1.", "1.0"},
        {".5", "0.5"},
        {"-.5", "-.5"},
        {"1_0.5_0", "10.50"},
        {"1e3", "1e3"},
        {"1.0e3", "1.0e3"},
        {"1.5e-05", "1.5e-05"},
        {"1.5e-", "1.5e-"},
        {"1.5x", "1.5x"},
        {".x", ".x"},
        {".inf", "inf"},
        {"-.Inf", "-inf"},
        {".NaN", "nan"},
        {"-.nan", "-.nan"},
        {"yes", "True"},
        {"On", "True"},
        {"NO", "False"},
        {"off", "False"},
        {"y", "y"},
        {"tRue", "tRue"},
        {"~", "None"},
        {"Null", "None"},
        {"''", ""},
        {"'5'", "5"},
        {"\"yes\"", "yes"},
        {"32k", "32k"},
        {"[1, yes, a, null, 0x10]", "[1, True, 'a', None, 16]"},
        {"{a: 1, b: [x, {c: off}]}", "{'a': 1, 'b': ['x', {'c': False}]}"},
        {"[\"it's\", \"say \\\"x\\\"\", \"it's \\\"x\\\"\"]", "[\"it's\", 'say \"x\"', 'it\\'s \"x\"']"},
        {"['a\\b', \"\\x01\"]", "['a\\\\b', '\\x01']"},
        {"{}", "{}"},
        {"[]", "[]"},
    };
    for (size_t i = 0; i < sizeof rows / sizeof rows[0]; i++) {
        check(rows[i][0], KVB_PYTHON_STR, rows[i][1]);
    }
}

static void as_repr(void **state)
{
    (void)state;
    check("abc", KVB_PYTHON_REPR, "'abc'");
    check("'5'", KVB_PYTHON_REPR, "'5'");
    check("5", KVB_PYTHON_REPR, "5");
}

static void as_json(void **state)
{
    (void)state;
    static const char *const rows[][2] = {
        {"{image: 0, video: 0x10, on_: yes, off_: no, none: ~}",
         "{\"image\": 0, \"video\": 16, \"on_\": true, \"off_\": false, \"none\": null}"},
        {"[.inf, -.inf, .nan]", "[Infinity, -Infinity, NaN]"},
        {"[\"it's\", 'say \"x\"', 'a\\b', \"\\x01\"]", "[\"it's\", \"say \\\"x\\\"\", \"a\\\\b\", \"\\u0001\"]"},
        {"abc", "\"abc\""},
    };
    for (size_t i = 0; i < sizeof rows / sizeof rows[0]; i++) {
        check(rows[i][0], KVB_PYTHON_JSON, rows[i][1]);
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {cmocka_unit_test(as_str), cmocka_unit_test(as_repr), cmocka_unit_test(as_json)};
    return cmocka_run_group_tests(tests, NULL, NULL);
}
