// What a check and its comparison with another commit say in every format, of cases made by hand.
#include <string.h>

#include "report/pictures.h"
#include "unit/page_text.h"
#include "unit/test.h"

#define GIB (INT64_C(1) << 30)

static struct kvb_problems problems;
static struct kvb_check_report page;

typedef void render(struct kvb_buffer *out, const struct kvb_check_report *report);

static void draw(render *write)
{
    kvb_buffer_free(&out);
    out.page_columns = 160;
    write(&out, &page);
    assert_false(out.failed);
}

static int clear(void **state)
{
    (void)state;
    kvb_problems_init(&problems);
    page = (struct kvb_check_report){.version = "1.2.3", .problems = &problems};
    return 0;
}

static void show(const struct kvb_check_case *cases, uint32_t count)
{
    page.totals.cases = cases;
    page.totals.count = count;
    for (uint32_t i = 0; i < count; i++) {
        page.totals.passed += cases[i].verdict == KVB_CASE_PASS;
        page.totals.failed += cases[i].verdict == KVB_CASE_FAIL;
        page.totals.errors += cases[i].verdict == KVB_CASE_ERROR;
    }
}

static const struct kvb_case_figures figures = {.model = "a/b",
                                                .engine = "vllm 0.11.0",
                                                .gpus = "2 x NVIDIA L4",
                                                .weights_bytes = 15 * GIB,
                                                .kv_cache_bytes = 3 * GIB,
                                                .requested_bytes = 20 * GIB,
                                                .needed_bytes = 5 * GIB,
                                                .balance_bytes = -2 * GIB,
                                                .length_tokens = 40960,
                                                .concurrency_hundredths = 60};

static const struct kvb_case_figures none = {.model = "m", .engine = "e", .gpus = "g"};
static const struct kvb_fix fixes[] = {
    {.region = {{12, 20}, 6}, .flag = "--max-model-len 4096", .was = "--max-model-len 8192", .why = "shorter"},
    {.region = {{14, 5}, 4}, .flag = "--max-num-seqs 8"},
    {.flag = "--swap-space 4", .removes = true, .why = "it is gone"},
    {.flag = "--enforce-eager"},
    {.flag = "--a\n```\n[x](y)", .was = "--b\x1b[1m```", .why = "a name"},
};
#define FITS(fix, n)                                                                                                   \
    {                                                                                                                  \
        .rule = KVB_CHECK_FITS, .severity = KVB_ERROR, .place = {12, 7}, .text = "too much", .fix_count = n,           \
        .fixes = fix                                                                                                   \
    }
static const struct kvb_check_finding short_of[] = {FITS(fixes, 5)};
static const struct kvb_check_finding unfigured[] = {FITS(NULL, 0)};
static const struct kvb_check_case cases[] = {
    {"a.yaml", "compose", "services.x", KVB_CASE_FAIL, {10, 3}, "does not fit", 1, short_of, &figures},
    {"b.yaml", "compose", "", KVB_CASE_FAIL, {0, 0}, "", 1, unfigured, NULL},
    {"c.yaml", "compose", "services.y", KVB_CASE_PASS, {20, 3}, "fits", 0, NULL, &none},
};

// A mend says what was there, what is to be there, where and why, as far as each is known; its words stay in their
// fence.
static void mends_on_a_page(void **state)
{
    (void)state;
    show(cases, 3);
    draw(kvb_render_check_markdown);
    holds("### kvbudget: 1 passed, 2 failed, 0 errors\n");
    holds("| **missing** | **2.00** |\n");
    holds("- --max-model-len 8192\n+ --max-model-len 4096\n```\n\nLine 12: shorter\n");
    holds("```diff\n+ --max-num-seqs 8\n```\n\nLine 14.\n");
    holds("```diff\n- --swap-space 4\n```\n\nit is gone\n");
    holds("```diff\n+ --enforce-eager\n```\n\n```diff\n");
    holds("- --b?[1m'''\n+ --a?'''?[x](y)\n```\n");
    lacks("\x1b");
    holds("\n#### b.yaml\n\n**");
}

static void drawings(void **state)
{
    (void)state;
    show(cases, 3);
    page.totals.errors = 1;
    draw(kvb_render_check_svg);
    holds("1 passed, 2 failed, 1 error<");
    holds("3.00 of 5.00 GiB<");
    lacks("0.00 of 0.00 GiB"); // a case without a cache has no bars
    draw(kvb_render_check_html);
    holds("a/b on 2 x NVIDIA L4, vllm 0.11.0");
    lacks("What moved");
}

// ---- against another commit

static const struct kvb_moved moved[] = {
    {"KV cache", "5.00 GiB", "3.00 GiB", 0}, {"--max-num-seqs", NULL, "8", 14}, {"--swap-space", "4", NULL, 0}};
static const struct kvb_case_change changes[] = {
    {KVB_TREND_WORSE, &cases[2], &cases[0], 3, moved}, {KVB_TREND_NEW, NULL, &cases[1], 0, NULL},
    {KVB_TREND_GONE, &cases[2], NULL, 0, NULL},        {KVB_TREND_SAME, &cases[0], &cases[0], 1, moved},
    {KVB_TREND_BETTER, &cases[0], &cases[2], 0, NULL},
};
static const struct kvb_against against = {.ref = "ma|in",
                                           .commit = "0123456789abcdef",
                                           .trends = {1, 1, 1, 1, 1},
                                           .untouched = 2,
                                           .count = 5,
                                           .changes = changes};

static void what_moved(void **state)
{
    (void)state;
    show(cases, 3);
    page.totals.against = &against;
    draw(kvb_render_check_text);
    holds("against ma|in (0123456789ab): 1 worse, 1 better, 1 changed, 1 new, 1 gone, 2 as before\n");
    holds("worse   a.yaml:10:3  services.x: pass -> fail\n        KV cache: 5.00 GiB -> 3.00 GiB\n"
          "        --max-num-seqs: not set -> 8 (line 14)\n        --swap-space: 4 -> not set\n");
    holds("new     b.yaml: fail\n");
    holds("gone    c.yaml  services.y: pass\n");
    holds("changed a.yaml:10:3  services.x: fail\n");
    draw(kvb_render_check_markdown);
    holds("| **worse** services.x, pass to fail | KV cache | 5.00 GiB | 3.00 GiB |\n"
          "|  | --max-num-seqs | not set | 8 |\n|  | --swap-space | 4 | not set |\n");
    holds("| **new** b.yaml, fail |  |  | too much |\n");
    holds("| **gone** services.y, pass |  | fits |  |\n");
    draw(kvb_render_check_html);
    holds("<tr><td>services.x</td><td>--max-num-seqs</td><td>not set</td><td>8</td></tr>");
    holds("<tr><td>services.x</td><td>--swap-space</td><td>4</td><td>not set</td></tr>");
    struct kvb_json json;
    kvb_buffer_free(&out);
    kvb_json_init(&json, &out);
    kvb_json_open_object(&json, NULL);
    kvb_render_against_json(&json, &against);
    kvb_json_close_object(&json);
    holds("\"change\": \"new\",\n        \"before\": null,\n");
    holds("\"needed_bytes\": 5368709120,");
    holds("\"max_concurrency\": 0.60");
    holds("\"line\": 14\n");
}

static void nothing_moved(void **state)
{
    (void)state;
    static const struct kvb_against still = {.ref = "HEAD", .commit = "", .untouched = 3};
    page.totals.against = &still;
    draw(kvb_render_check_text);
    holds("against HEAD: 3 as before\n");
    draw(kvb_render_check_markdown);
    holds("3 as before.\n");
    lacks("| deployment | what | before | after |");
    holds("No deployment in 0 files.\n");
}

// ---- lists that are cut

static void many_findings(void **state)
{
    (void)state;
    static struct kvb_check_finding warnings[12], errors[12];
    static struct kvb_check_case many[] = {
        {"a.yaml", "compose", "x", KVB_CASE_FAIL, {1, 1}, "", 12, warnings, NULL},
        {"a.yaml", "compose", "y", KVB_CASE_FAIL, {1, 1}, "", 0, errors, NULL},
    };
    for (unsigned i = 0; i < 12; i++) {
        warnings[i] = errors[i] =
            (struct kvb_check_finding){.rule = KVB_CHECK_FITS, .severity = KVB_WARNING, .text = "w"};
        errors[i].severity = KVB_ERROR;
    }
    show(many, 2);
    draw(kvb_render_check_github);
    holds("::notice title=kvbudget::3 more findings are in the other formats\n"); // nine of a level are shown
    many[1].finding_count = 12;
    draw(kvb_render_check_github);
    holds("::error title=kvbudget::6 more findings are in the other formats\n");
}

static void many_files_without_a_deployment(void **state)
{
    (void)state;
    static const char *files[12];
    for (unsigned i = 0; i < 12; i++) {
        files[i] = "unread.py";
    }
    page.totals.not_understood = files;
    page.totals.not_understood_count = 12;
    draw(kvb_render_check_text);
    holds("12 files speak of an engine and gave no deployment:\n");
    holds("  and 2 more; --json lists all\n");
    draw(kvb_render_check_markdown);
    holds("\nThese speak of an engine and gave no deployment: unread.py, unread.py");
    page.totals.not_understood_count = 1;
    draw(kvb_render_check_text);
    holds("1 file speaks of an engine and gave no deployment:\n");
}

// A page for a comment ends before it is too long, and says how much is left out.
static void pages_too_long(void **state)
{
    (void)state;
    static struct kvb_check_case many[400];
    static char sentence[200];
    static const char *files[400];
    memset(sentence, 's', sizeof sentence - 1);
    for (unsigned i = 0; i < 400; i++) {
        many[i] = (struct kvb_check_case){"a.yaml", "compose", "x", KVB_CASE_FAIL, {1, 1}, sentence, 0, NULL, NULL};
        files[i] = sentence;
    }
    show(many, 400);
    page.totals.not_understood = files;
    page.totals.not_understood_count = 400;
    draw(kvb_render_check_markdown);
    assert_true(out.length < 65536);
    holds(" are left out; --format text has them.\n");
}

#define TEST(name) cmocka_unit_test_setup_teardown(name, clear, forget_page)

KVB_TEST_MAIN(TEST(mends_on_a_page), TEST(drawings), TEST(what_moved), TEST(nothing_moved), TEST(many_findings),
              TEST(many_files_without_a_deployment), TEST(pages_too_long))
