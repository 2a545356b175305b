// Policies: strict reading, patterns, demands, waivers.
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include <kvbudget/policy.h>
#include <kvbudget/units.h>

#include "base/memory.h"
#include "unit/test.h"

static struct kvb_problems problems;
static struct kvb_policy policy;
static struct kvb_findings findings;
static struct kvb_found found;
static struct kvb_budget budget;

static enum kvb_status read_policy(const char *text)
{
    kvb_problems_init(&problems);
    memset(&policy, 0, sizeof policy);
    return kvb_policy_read("p/policy.yaml", text, strlen(text), &policy, &problems);
}

static void test_patterns(void **state)
{
    static const struct {
        const char *pattern, *path;
        bool fits;
    } rows[] = {
        {"", "any/thing", true},
        {"*.yaml", "k8s/deep/a.yaml", true}, // without '/' the name alone counts
        {"k8s/*.yaml", "k8s/a.yaml", true},
        {"k8s/*.yaml", "k8s/deep/a.yaml", false},
        {"k8s/**", "k8s/deep/a.yaml", true},
        {"k8s/**/*.yaml", "k8s/a.yaml", true},
        {"k8s/**/*.yaml", "./k8s/b/c/a.yaml", true},
        {"**/prod/*", "a/b/prod/x.sh", true},
        {"**/prod/*", "a/b/prod/y/x.sh", false},
        {"a?c/*", "abc/x", true},
        {"a?c/x", "a/c/x", false},
        {"*a*a*a*a*a*b/x", "aaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaa/x", false},
        {"exact.sh", "exact.sh", true},
        {"exact.sh", "inexact.sh", false},
    };
    (void)state;
    for (size_t i = 0; i < sizeof rows / sizeof rows[0]; i++) {
        if (kvb_pattern_fits(rows[i].pattern, rows[i].path) != rows[i].fits) {
            print_error("'%s' and '%s'\n", rows[i].pattern, rows[i].path);
            fail();
        }
    }
}

static const char whole[] = "kind: policy\n"
                            "schema: 1\n"
                            "rules:\n"
                            "  - min_headroom: 2GiB\n"
                            "    min_slack: 1GiB\n"
                            "    min_concurrency: 2.5\n"
                            "    min_length: 32K\n"
                            "    gpu_memory_utilization: {min: 0.5, max: 0.9}\n"
                            "    required: [enable_prefix_caching, {kv_cache_dtype: fp8}]\n"
                            "    forbidden: [enforce_eager]\n"
                            "  - files: prod/**\n"
                            "    bound: low\n"
                            "gpus:\n"
                            "  - {label: pool=big, gpu: h100-sxm}\n"
                            "  - {files: 'edge/*', gpu: l4, gpu_memory: 22GiB}\n"
                            "models:\n"
                            "  - {name: our/model, model: Qwen/Qwen2.5-7B-Instruct}\n"
                            "waivers:\n"
                            "  - {rule: forbidden-setting, files: 'old/*', reason: being moved, until: 2026-12-31}\n";

static void test_one_share_alone(void **state)
{
    (void)state;
    assert_int_equal(read_policy("kind: policy\nrules:\n  - gpu_memory_utilization: {min: 0.9, max: 0.9}\n"), KVB_OK);
    assert_int_equal(read_policy("kind: policy\nrules:\n  - gpu_memory_utilization: {min: 0.9}\n"), KVB_OK);
    assert_int_equal(policy.rules[0].max_utilization_ppm, 0);
}

static void test_whole_policy(void **state)
{
    (void)state;
    assert_int_equal(read_policy(whole), KVB_OK);
    assert_int_equal(policy.rule_count, 2);
    assert_int_equal(policy.rules[0].min_headroom_bytes, UINT64_C(2) << 30);
    assert_int_equal(policy.rules[0].min_concurrency_hundredths, 250);
    assert_int_equal(policy.rules[0].min_length_tokens, 32768);
    assert_int_equal(policy.rules[0].max_utilization_ppm, 900000);
    assert_int_equal(policy.rules[0].required_count, 2);
    assert_int_equal(policy.rules[1].bound, KVB_BOUND_LOW);
    assert_string_equal(kvb_policy_find_gpu(&policy, "x.yaml", "pool=big")->gpu, "h100-sxm");
    assert_string_equal(kvb_policy_find_gpu(&policy, "edge/x.yaml", "")->gpu, "l4");
    assert_null(kvb_policy_find_gpu(&policy, "x.yaml", "pool=small"));
    assert_string_equal(kvb_policy_find_model(&policy, "our/model"), "Qwen/Qwen2.5-7B-Instruct");
    assert_null(kvb_policy_find_model(&policy, "their/model"));
}

static void test_bad_policies(void **state)
{
    static const struct {
        const char *text;
        enum kvb_status status;
        uint32_t line;
    } rows[] = {
        {"rules: []\n", KVB_MISSING_KEY, 1},
        {"kind: polic\n", KVB_BAD_TYPE, 1},
        {"kind: policy\nrule: []\n", KVB_UNKNOWN_KEY, 2},
        {"kind: policy\nrules: {}\n", KVB_BAD_TYPE, 2},
        {"kind: policy\nrules:\n  - {min_headrom: 1GiB}\n", KVB_UNKNOWN_KEY, 3},
        {"kind: policy\nrules:\n  - min_headroom: 1 apple\n", KVB_BAD_TYPE, 3},
        {"kind: policy\nrules:\n  - {min_length: 8}\n  - gpu_memory_utilization: {max: 0.8, min: 0.9}\n", KVB_BAD_TYPE,
         4},
        {"kind: policy\nrules:\n  - min_headroom: 2\n", KVB_OUT_OF_RANGE, 3},
        {"kind: policy\nrules:\n  - {min_headroom: 0, min_slack: 1048575}\n", KVB_OUT_OF_RANGE, 3},
        {"kind: policy\nrules:\n  - min_concurrency: 0\n", KVB_BAD_TYPE, 3},
        {"kind: policy\nrules:\n  - min_length: long\n", KVB_BAD_TYPE, 3},
        {"kind: policy\nrules:\n  - gpu_memory_utilization: {max: 1.5}\n", KVB_BAD_TYPE, 3},
        {"kind: policy\nrules:\n  - bound: middle\n", KVB_BAD_TYPE, 3},
        {"kind: policy\nrules:\n  - forbidden: [enforce_eagr]\n", KVB_UNKNOWN_NAME, 3},
        {"kind: policy\nrules:\n  - forbidden: [{kv_cache_dtype: fp9}]\n", KVB_BAD_TYPE, 3},
        {"kind: policy\nrules:\n  - forbidden: enforce_eager\n", KVB_BAD_TYPE, 3},
        {"kind: policy\ngpus:\n  - label: pool=big\n", KVB_MISSING_KEY, 3},
        {"kind: policy\ngpus:\n  - {label: big, gpu: l4}\n", KVB_BAD_TYPE, 3},
        {"[policy]\n", KVB_MISSING_KEY, 1},
        {"kind: [policy]\n", KVB_BAD_TYPE, 1},
        {"kind: policy\nschema: 2\n", KVB_BAD_TYPE, 2},
        {"kind: policy\nschema: [1]\n", KVB_BAD_TYPE, 2},
        {"kind: policy\nunknown: perhaps\n", KVB_BAD_TYPE, 2},
        {"kind: policy\nrules:\n  - min_concurrency: [1]\n", KVB_BAD_TYPE, 3},
        {"kind: policy\nrules:\n  - min_concurrency: 4001\n", KVB_BAD_TYPE, 3},
        {"kind: policy\nrules:\n  - required: [[enforce_eager]]\n", KVB_BAD_TYPE, 3},
        {"kind: policy\nrules:\n  - required: [{enforce_eager: true, dtype: auto}]\n", KVB_BAD_TYPE, 3},
        {"kind: policy\nrules:\n  - required: {enforce_eager: [true]}\n", KVB_BAD_TYPE, 3},
        {"kind: policy\nrules:\n  - required: [zzzzzzzzzzzzzzzzzzzzzzzzz]\n", KVB_UNKNOWN_NAME, 3},
        {"kind: policy\nrules:\n  - required: [dtype, dtype, dtype, dtype, dtype, dtype, dtype, dtype, dtype, dtype, "
         "dtype, dtype, dtype, dtype, dtype, dtype, dtype]\n",
         KVB_TOO_LARGE, 3},
        {"kind: policy\ngpus:\n  - {label: [a=b], gpu: l4}\n", KVB_BAD_TYPE, 3},
        {"kind: policy\nmodels:\n  - {name: a/b, model: [x]}\n", KVB_BAD_TYPE, 3},
        {"kind: policy\nmodels:\n  - {name: a/b, model: ''}\n", KVB_BAD_TYPE, 3},
        {"kind: policy\nwaivers:\n  - {rule: [fits], reason: x, until: 2026-12-31}\n", KVB_BAD_TYPE, 3},
        {"kind: policy\nwaivers:\n  - {rule: fits, reason: x, until: 2026-12-00}\n", KVB_BAD_TYPE, 3},
        {"kind: policy\nwaivers:\n  - {rule: fits, reason: x, until: 2026/12/31}\n", KVB_BAD_TYPE, 3},
        {"kind: policy\nwaivers:\n  - {rule: fits, reason: x, until: 2026-1b-31}\n", KVB_BAD_TYPE, 3},
        {"kind: policy\nwaivers:\n  - {rule: fits, reason: x}\n", KVB_MISSING_KEY, 3},
        {"kind: policy\nwaivers:\n  - {rule: no-such, reason: x, until: 2026-12-31}\n", KVB_BAD_TYPE, 3},
        {"kind: policy\nwaivers:\n  - {rule: fits, reason: x, until: 2026-13-01}\n", KVB_BAD_TYPE, 3},
        {"kind: policy\nwaivers:\n  - {rule: fits, reason: x, until: tomorrow}\n", KVB_BAD_TYPE, 3},
    };
    (void)state;
    for (size_t i = 0; i < sizeof rows / sizeof rows[0]; i++) {
        enum kvb_status status = read_policy(rows[i].text);
        if (status != rows[i].status || problems.items[0].line != rows[i].line) {
            print_error("%s%s line %u\n", rows[i].text, kvb_status_name(status), (unsigned)problems.items[0].line);
            fail();
        }
        assert_int_equal(policy.rule_count, 0); // untouched
    }
}

// Settings as a mapping; a model by its path beside the policy where there is one, and by its name elsewhere.
static void test_ways_to_write(void **state)
{
    (void)state;
    assert_int_equal(
        read_policy("kind: policy\nschema: 1\nrules:\n  - required: {enforce_eager: true, dtype: bfloat16}\n"
                    "models:\n  - {name: a/b, model: /models/b}\n  - {name: c/d, model: nowhere/here}\n"
                    "  - {name: e/f, model: FILL-IN}\n"
                    "gpus:\n  - {files: 'x/*', gpu: FILL-IN}\n  - gpu: l4\n"),
        KVB_OK);
    assert_int_equal(policy.rules[0].required_count, 2);
    assert_int_equal(policy.rules[0].required[0].setting, KVB_SET_ENFORCE_EAGER);
    assert_false(policy.rules[0].required[0].any);
    assert_int_equal(policy.rules[0].required[0].number, 1);
    assert_string_equal(kvb_policy_find_model(&policy, "a/b"), "/models/b");
    assert_string_equal(kvb_policy_find_model(&policy, "c/d"), "nowhere/here");
    assert_null(kvb_policy_find_model(&policy, "e/f")); // stands for nothing yet
    assert_string_equal(kvb_policy_find_gpu(&policy, "x/y", "")->gpu, "l4");
}

// 10 GiB of cache (9 at the low end), 8 GiB needed, 0.25 GiB free while serving, 1.25 requests of 16,384.
static void make_case(void)
{
    memset(&found, 0, sizeof found);
    memset(&budget, 0, sizeof budget);
    memset(&findings, 0, sizeof findings);
    budget.verdict = KVB_TIGHT;
    budget.needed_bytes = UINT64_C(8) << 30;
    budget.items[KVB_ITEM_KV_CACHE] =
        (struct kvb_term){.bytes = INT64_C(10) << 30, .low_bytes = INT64_C(9) << 30, .high_bytes = INT64_C(11) << 30};
    budget.slack_bytes = INT64_C(1) << 28;
    budget.kv.max_concurrency_hundredths = 125;
    kvb_settings_set(&budget.settings, KVB_SET_MAX_MODEL_LEN, 16384, KVB_ORIGIN_DEFAULT);
    kvb_settings_set(&budget.settings, KVB_SET_GPU_MEMORY_UTILIZATION, 950000, KVB_ORIGIN_COMMAND);
    kvb_settings_set(&found.deployment.settings, KVB_SET_ENFORCE_EAGER, 1, KVB_ORIGIN_COMMAND);
    found.settings[KVB_SET_ENFORCE_EAGER] = (struct kvb_spot){7, 3};
    found.place = (struct kvb_spot){5, 1};
}

static void test_demands(void **state)
{
    static const enum kvb_check_rule rules[] = {
        KVB_CHECK_MIN_SLACK, KVB_CHECK_MIN_CONCURRENCY, KVB_CHECK_MIN_LENGTH, KVB_CHECK_UTILIZATION,
        KVB_CHECK_REQUIRED,  KVB_CHECK_REQUIRED,        KVB_CHECK_FORBIDDEN,
    };
    (void)state;
    make_case();
    assert_int_equal(read_policy(whole), KVB_OK);
    kvb_policy_judge(&policy, "x.yaml", &found, &budget, &findings);
    assert_int_equal(findings.count, sizeof rules / sizeof rules[0]); // 10 - 8 is the headroom asked for
    for (uint32_t i = 0; i < findings.count; i++) {
        assert_int_equal(findings.items[i].rule, rules[i]);
    }
    assert_int_equal(findings.items[6].place.line, 7);
    assert_int_equal(findings.items[0].place.line, 5); // the file does not set the utilization
}

static void test_low_bound(void **state)
{
    (void)state;
    make_case();
    assert_int_equal(read_policy("kind: policy\nrules: [{bound: low, min_headroom: 1.5GiB, min_concurrency: 1.2}]\n"),
                     KVB_OK);
    kvb_policy_judge(&policy, "x.yaml", &found, &budget, &findings);
    assert_int_equal(findings.count, 3); // tight; 9 - 8 = 1 GiB; 1.25 x 9 / 10 = 1.12
    assert_int_equal(findings.items[0].rule, KVB_CHECK_FITS);
    assert_int_equal(findings.items[1].rule, KVB_CHECK_MIN_HEADROOM);
    assert_int_equal(findings.items[2].rule, KVB_CHECK_MIN_CONCURRENCY);
    assert_non_null(strstr(findings.items[2].text, "1.12"));
}

// However much is wrong: an error is never lost behind what is only said, nor behind what is waived.
static void test_many_findings(void **state)
{
    (void)state;
    static struct kvb_findings many;
    static struct kvb_policy waives_all = {.waiver_count = 1,
                                           .waivers = {{.rule = KVB_CHECK_FITS, .until = 20991231, .reason = "later"}}};
    struct kvb_fix fix = {.flag = "--max-model-len 4096"};
    kvb_findings_fix(&many, &fix); // of nothing
    assert_int_equal(many.count, 0);
    for (unsigned i = 0; i < KVB_FINDINGS_MAX; i++) {
        kvb_findings_add(&many, KVB_CHECK_FITS, i == 3 ? KVB_WARNING : KVB_ERROR, (struct kvb_spot){0}, "%u", i);
    }
    for (unsigned i = 0; i <= KVB_FIXES_MAX; i++) {
        kvb_findings_fix(&many, &fix);
    }
    assert_int_equal(many.items[KVB_FINDINGS_MAX - 1].fix_count, KVB_FIXES_MAX);
    kvb_findings_add(&many, KVB_CHECK_FITS, KVB_WARNING, (struct kvb_spot){0}, "said only");
    assert_int_equal(many.dropped, 1);
    assert_string_equal(many.items[3].text, "3");
    kvb_findings_add(&many, KVB_CHECK_FITS, KVB_ERROR, (struct kvb_spot){0}, "takes its place");
    assert_int_equal(many.count, KVB_FINDINGS_MAX);
    assert_string_equal(many.items[2].text, "2");
    assert_string_equal(many.items[3].text, "4");
    assert_string_equal(many.items[KVB_FINDINGS_MAX - 2].text, "63");
    assert_string_equal(many.items[KVB_FINDINGS_MAX - 1].text, "takes its place");
    kvb_policy_waive(&waives_all, "a.sh", "", 20261101, &many);
    assert_true(many.items[KVB_FINDINGS_MAX - 1].waived);
    kvb_findings_add(&many, KVB_CHECK_FITS, KVB_ERROR, (struct kvb_spot){0}, "one too many");
    kvb_policy_waive(&waives_all, "a.sh", "", 20261101, &many);
    assert_string_equal(many.items[KVB_FINDINGS_MAX - 1].text, "one too many");
    assert_string_equal(many.items[0].text, "0 (waived: later)"); // those before it stay where they are
    assert_string_equal(many.items[KVB_FINDINGS_MAX - 2].text, "63 (waived: later)");
    assert_int_equal(many.count, KVB_FINDINGS_MAX);
    assert_int_equal(many.dropped, 3);
    assert_false(many.items[KVB_FINDINGS_MAX - 1].waived);
}

static void test_waivers(void **state)
{
    (void)state;
    make_case();
    assert_int_equal(read_policy(whole), KVB_OK);
    kvb_policy_judge(&policy, "old/x.yaml", &found, &budget, &findings);
    kvb_policy_waive(&policy, "old/x.yaml", "any", 20261231, &findings);
    assert_true(findings.items[6].waived);
    assert_non_null(strstr(findings.items[6].text, "being moved"));
    assert_false(findings.items[0].waived);
    findings.count = 0;
    kvb_policy_judge(&policy, "old/x.yaml", &found, &budget, &findings);
    kvb_policy_waive(&policy, "old/x.yaml", "any", 20270101, &findings);
    assert_false(findings.items[6].waived);
    assert_non_null(strstr(findings.items[6].text, "ran out on 2026-12-31"));
}

static void test_rule_rows(void **state)
{
    (void)state;
    for (unsigned i = 0; i < KVB_CHECK_COUNT; i++) {
        assert_non_null(kvb_check_rule_row_of(i)->id);
        assert_true(strlen(kvb_check_rule_row_of(i)->help) > 10);
        for (unsigned k = 0; k < i; k++) {
            assert_string_not_equal(kvb_check_rule_row_of(i)->id, kvb_check_rule_row_of(k)->id);
        }
    }
}

static void test_each_allocation_fails(void **state)
{
    (void)state;
    enum kvb_status status = KVB_NO_MEMORY;
    for (unsigned long n = 1; status != KVB_OK && n < 100; n++) {
        kvb_memory_fail_after(n);
        status = read_policy(whole);
        kvb_memory_fail_after(0);
        assert_true(status == KVB_OK || status == KVB_NO_MEMORY);
    }
    assert_int_equal(status, KVB_OK);
}

KVB_TEST_MAIN(cmocka_unit_test(test_patterns), cmocka_unit_test(test_whole_policy),
              cmocka_unit_test(test_one_share_alone), cmocka_unit_test(test_bad_policies),
              cmocka_unit_test(test_ways_to_write), cmocka_unit_test(test_demands), cmocka_unit_test(test_low_bound),
              cmocka_unit_test(test_many_findings), cmocka_unit_test(test_waivers), cmocka_unit_test(test_rule_rows),
              cmocka_unit_test(test_each_allocation_fails))
