// SARIF and JUnit hold what their schemas require; hostile names stay inside their quotes.
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "report/check_report.h"
#include "text/tree.h"
#include "unit/test.h"

static const struct kvb_fix in_place[] = {{.region = {{12, 20}, 6}, .flag = "--max-model-len 4096", .text = "4096"},
                                          {.region = {{14, 5}, 4}, .flag = "--max-num-seqs 8", .text = "8"}};
static const struct kvb_fix half_in_place[] = {
    {.region = {{12, 20}, 6}, .flag = "--max-model-len 4096", .text = "4096"}, {.flag = "--enforce-eager"}};
#define FINDING(r, s, w, line, column, what)                                                                           \
    .rule = r, .severity = s, .waived = w, .place = {line, column}, .text = what
static const struct kvb_check_finding bad[] = {
    {FINDING(KVB_CHECK_FITS, KVB_ERROR, false, 12, 7, "needs <more> & \"more\"\nthan there is"), 2, in_place},
    {FINDING(KVB_CHECK_FORBIDDEN, KVB_ERROR, true, 13, 1, "waived one"), 2, half_in_place},
    {FINDING(KVB_CHECK_UNKNOWN_FLAG, KVB_WARNING, false, 0, 0, "a warning"), 0, NULL},
};
static const struct kvb_check_finding worse[] = {
    {FINDING(KVB_CHECK_NO_GPU, KVB_ERROR, false, 0, 0, "which GPU?"), 0, NULL}};
static const struct kvb_check_case cases[] = {
    {"a b/c,d:e.yaml", "compose", "services.x|y\033[31m", KVB_CASE_FAIL, {10, 3}, "summary", 3, bad, NULL},
    {"a b/c,d:e.yaml", "compose", "services.z", KVB_CASE_PASS, {20, 3}, "fits", 0, NULL, NULL},
    {"other.sh", NULL, "", KVB_CASE_ERROR, {0, 0}, "", 1, worse, NULL},
};
static struct kvb_problems problems;
static const struct kvb_check_report report = {
    .totals.cases = cases,
    .totals.count = 3,
    .totals.passed = 1,
    .totals.failed = 1,
    .totals.errors = 1,
    .totals.waived = 1,
    .totals.files_seen = 2,
    .totals.files_read = 2,
    .totals.files_with = 1,
    .version = "1.2.3",
    .problems = &problems,
};
static struct kvb_buffer out;

static struct kvb_tree render_json(void (*render)(struct kvb_buffer *to, const struct kvb_check_report *from))
{
    struct kvb_tree tree;
    kvb_buffer_init(&out);
    render(&out, &report);
    assert_false(out.failed);
    assert_int_equal(kvb_tree_read(&tree, "out", out.data, out.length, &problems), KVB_OK);
    return tree;
}

static const struct kvb_node *at(const struct kvb_node *node, const char *key)
{
    const struct kvb_node *child = kvb_node_get(node, key);
    if (child == NULL) {
        print_error("%s is missing\n", key);
    }
    assert_non_null(child);
    return child;
}

static void assert_text(const struct kvb_node *node, const char *key, const char *text)
{
    assert_string_equal(at(node, key)->text, text);
}

// sarif-schema-2.1.0.json: required are version and runs; tool of a run; driver; its name; the id of a rule;
// message of a result; startLine is at least 1; level and suppression kind are words of a list.
static void assert_result(const struct kvb_node *result, const struct kvb_node *rules)
{
    static const char *const levels[] = {"none", "note", "warning", "error"};
    const struct kvb_node *place = at(at(result, "locations")->first, "physicalLocation");
    const struct kvb_node *region = kvb_node_get(place, "region");
    const struct kvb_node *suppressions = kvb_node_get(result, "suppressions");
    unsigned known = 0, index = (unsigned)atol(at(result, "ruleIndex")->text);
    const struct kvb_node *rule = rules->first;
    for (unsigned i = 0; i < 4; i++) {
        known += strcmp(levels[i], at(result, "level")->text) == 0;
    }
    assert_int_equal(known, 1);
    assert_true(strlen(at(at(result, "message"), "text")->text) > 0);
    assert_null(strpbrk(at(at(place, "artifactLocation"), "uri")->text, " ,:\\"));
    if (region != NULL) {
        assert_true(atol(at(region, "startLine")->text) >= 1);
        assert_true(atol(at(region, "startColumn")->text) >= 1);
    }
    for (; index > 0; index--) {
        rule = rule->next;
    }
    assert_string_equal(at(rule, "id")->text, at(result, "ruleId")->text);
    if (suppressions != NULL) {
        assert_text(suppressions->first, "kind", "external");
    }
}

static void test_sarif(void **state)
{
    struct kvb_tree tree = render_json(kvb_render_check_sarif);
    const struct kvb_node *run = at(tree.root, "runs")->first;
    const struct kvb_node *driver = at(at(run, "tool"), "driver");
    (void)state;
    assert_text(tree.root, "version", "2.1.0");
    assert_text(driver, "name", "kvbudget");
    assert_text(driver, "version", "1.2.3");
    assert_int_equal(at(driver, "rules")->count, KVB_CHECK_COUNT);
    assert_int_equal(at(run, "results")->count, 4);
    for (const struct kvb_node *result = at(run, "results")->first; result != NULL; result = result->next) {
        assert_result(result, at(driver, "rules"));
    }
    assert_text(at(at(at(at(run, "results")->first, "locations")->first, "physicalLocation"), "artifactLocation"),
                "uri", "a%20b/c%2Cd%3Ae.yaml");
    kvb_tree_free(&tree);
    kvb_buffer_free(&out);
}

// sarif-schema-2.1.0.json: a fix requires artifactChanges, a change artifactLocation and at least one replacement, a
// replacement deletedRegion; an end column is behind the last character. A change that is only half a mend is none.
static void test_sarif_fixes(void **state)
{
    struct kvb_tree tree = render_json(kvb_render_check_sarif);
    const struct kvb_node *first = at(at(tree.root, "runs")->first, "results")->first;
    const struct kvb_node *change = at(at(first, "fixes")->first, "artifactChanges")->first;
    const struct kvb_node *replacement = at(change, "replacements")->first;
    (void)state;
    assert_text(at(at(first, "fixes")->first, "description"), "text", "Set --max-model-len 4096 and --max-num-seqs 8");
    assert_text(at(change, "artifactLocation"), "uri", "a%20b/c%2Cd%3Ae.yaml");
    assert_int_equal(at(change, "replacements")->count, 2);
    assert_text(at(replacement, "deletedRegion"), "startLine", "12");
    assert_text(at(replacement, "deletedRegion"), "startColumn", "20");
    assert_text(at(replacement, "deletedRegion"), "endColumn", "26");
    assert_text(at(replacement, "insertedContent"), "text", "4096");
    assert_text(at(replacement->next, "insertedContent"), "text", "8");
    for (const struct kvb_node *result = first->next; result != NULL; result = result->next) {
        assert_null(kvb_node_get(result, "fixes"));
    }
    kvb_tree_free(&tree);
    kvb_buffer_free(&out);
}

// A page that somebody else's file names are on: nothing in them is markup or calls anybody.
static void test_markdown(void **state)
{
    static const struct kvb_check_case hostile[] = {
        {"@team/<b>|[x](http://y).sh", "shell", "`code` #1 @all", KVB_CASE_FAIL, {1, 1}, "summary", 1, bad, NULL}};
    struct kvb_check_report page = report;
    (void)state;
    page.totals.cases = hostile;
    page.totals.count = 1;
    kvb_buffer_init(&out);
    kvb_render_check_markdown(&out, &page);
    assert_null(strchr(out.data, '@'));
    assert_null(strstr(out.data, "<b>"));
    assert_null(strstr(out.data, "[x]("));
    assert_non_null(strstr(out.data, "\\`code\\` \\#1 &#64;all"));
    assert_non_null(strstr(out.data, "```diff\n+ --max-model-len 4096\n```\n"));
    kvb_buffer_free(&out);
}

// A reader of just enough XML: elements close in order, attributes are quoted, text holds no bare '<' or '&'.
struct xml {
    const char *at;
    const char *open[8];
    size_t length[8];
    unsigned depth, cases, failures, errors;
};

static void read_text(struct xml *xml)
{
    static const char *const entities[] = {"&amp;", "&lt;", "&gt;", "&quot;"};
    for (; *xml->at != '\0' && *xml->at != '<'; xml->at++) {
        bool known = *xml->at != '&';
        for (unsigned i = 0; i < 4 && !known; i++) {
            known = strncmp(xml->at, entities[i], strlen(entities[i])) == 0;
        }
        assert_true(known);
        assert_true((unsigned char)*xml->at >= 0x20 || *xml->at == '\n');
    }
}

static bool is_element(const struct xml *xml, const char *name)
{
    const char *open = xml->open[xml->depth - 1];
    return xml->length[xml->depth - 1] == strlen(name) && strncmp(open, name, strlen(name)) == 0;
}

// Attributes up to '>' or '/>'; true when the element is closed with it.
static bool read_attributes(struct xml *xml)
{
    unsigned names = 0;
    while (*xml->at == ' ') {
        xml->at++;
        names += strncmp(xml->at, "name=", 5) == 0 || strncmp(xml->at, "message=", 8) == 0 ||
                 strncmp(xml->at, "type=", 5) == 0 || strncmp(xml->at, "classname=", 10) == 0;
        xml->at += strcspn(xml->at, "=");
        assert_int_equal(xml->at[1], '"');
        const char *end = strchr(xml->at + 2, '"');
        assert_non_null(end);
        assert_null(memchr(xml->at + 2, '<', (size_t)(end - xml->at - 2)));
        xml->at = end + 1;
    }
    // JUnit's schema: testsuite has name, testcase name and classname, failure and error type.
    assert_true(names >= (is_element(xml, "testcase") ? 2U : 1U));
    bool closed = *xml->at == '/';
    xml->at += closed + 1;
    return closed;
}

static void open_element(struct xml *xml)
{
    assert_true(xml->depth < 8);
    xml->open[xml->depth] = ++xml->at;
    xml->length[xml->depth] = strcspn(xml->at, " >/");
    xml->at += xml->length[xml->depth++];
    xml->cases += is_element(xml, "testcase");
    xml->failures += is_element(xml, "failure");
    xml->errors += is_element(xml, "error");
    xml->depth -= read_attributes(xml);
}

static void test_junit(void **state)
{
    struct xml xml = {0};
    (void)state;
    kvb_buffer_init(&out);
    kvb_render_check_junit(&out, &report);
    assert_int_equal(strncmp(out.data, "<?xml version=\"1.0\" encoding=\"UTF-8\"?>\n", 39), 0);
    for (xml.at = strchr(out.data, '\n'); *xml.at != '\0';) {
        read_text(&xml);
        if (xml.at[0] == '<' && xml.at[1] == '/') {
            assert_true(xml.depth > 0);
            xml.depth--;
            assert_int_equal(strncmp(xml.at + 2, xml.open[xml.depth], xml.length[xml.depth]), 0);
            xml.at = strchr(xml.at, '>') + 1;
        } else if (xml.at[0] == '<') {
            open_element(&xml);
        }
    }
    assert_int_equal(xml.depth, 0);
    assert_int_equal(xml.cases, 3);
    assert_int_equal(xml.failures, 1);
    assert_int_equal(xml.errors, 1);
    assert_non_null(strstr(out.data, "tests=\"3\" failures=\"1\" errors=\"1\""));
    kvb_buffer_free(&out);
}

static void test_json(void **state)
{
    struct kvb_buffer body;
    struct kvb_json json;
    struct kvb_tree tree;
    (void)state;
    kvb_buffer_init(&out);
    kvb_buffer_init(&body);
    kvb_check_json_begin(&json, &body);
    for (uint32_t i = 0; i < report.totals.count; i++) {
        kvb_check_json_case(&json, &cases[i], NULL);
    }
    kvb_render_check_json(&out, &report, &body);
    assert_int_equal(kvb_tree_read(&tree, "out", out.data, out.length, &problems), KVB_OK);
    const struct kvb_node *first = at(tree.root, "cases")->first;
    assert_text(tree.root, "schema", "kvbudget.check/1");
    assert_text(tree.root, "verdict", "fail");
    assert_text(tree.root, "errors", "1");
    assert_text(first, "rule", "fits");
    assert_text(first, "line", "12");
    assert_text(first->next, "verdict", "pass");
    assert_text(first->next, "line", "20");
    assert_text(first->next->next, "rule", "no-gpu");
    kvb_tree_free(&tree);
    kvb_buffer_free(&body);
    kvb_buffer_free(&out);
}

// Nothing from a file can begin an annotation, a cell or an escape sequence of its own.
static void test_line_formats(void **state)
{
    (void)state;
    kvb_buffer_init(&out);
    kvb_render_check_github(&out, &report);
    assert_non_null(strstr(out.data, "::error file=a b/c%2Cd%3Ae.yaml,line=12,col=7,title=kvbudget fits::"));
    assert_non_null(strstr(out.data, "%0Athan there is"));
    assert_non_null(strstr(out.data, "::notice file=a b/c%2Cd%3Ae.yaml,line=13"));
    kvb_render_check_markdown(&out, &report);
    assert_non_null(strstr(out.data, "services.x\\|y"));
    kvb_render_check_text(&out, &report);
    assert_non_null(
        strstr(out.data, "1 passed, 1 failed, 1 error, 1 waived; 2 files seen, 2 read, 1 with deployments"));
    assert_null(strchr(out.data, '\033'));
    kvb_buffer_free(&out);
}

KVB_TEST_MAIN(cmocka_unit_test(test_sarif), cmocka_unit_test(test_sarif_fixes), cmocka_unit_test(test_markdown),
              cmocka_unit_test(test_junit), cmocka_unit_test(test_json), cmocka_unit_test(test_line_formats))
