// Both sides of each bound of a policy: what is read of it, where a path is looked for, and what it demands of figures
// made by hand.
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include <kvbudget/policy.h>
#include <kvbudget/units.h>

#include "unit/test.h"

#define GIB (INT64_C(1) << 30)
#define KIB INT64_C(1024)

static struct kvb_problems problems;
static struct kvb_policy policy;
static struct kvb_findings findings;
static struct kvb_found found;
static struct kvb_budget budget;

static enum kvb_status read_from(const char *file, const char *text)
{
    kvb_problems_init(&problems);
    memset(&policy, 0, sizeof policy);
    return kvb_policy_read(file, text, strlen(text), &policy, &problems);
}

// ---- values

static void values(void **state)
{
    (void)state;
    static const struct {
        const char *text;
        bool fine;
    } rows[] = {
        {"rules:\n  - min_concurrency: 4000\n", true},
        {"rules:\n  - min_concurrency: 4000.01\n", false},
        {"rules:\n  - min_concurrency: 0.01\n", true},
        {"rules:\n  - min_concurrency: 0\n", false},
        {"rules:\n  - gpu_memory_utilization: {min: 0.000001, max: 1}\n", true},
        {"rules:\n  - gpu_memory_utilization: {min: 1.000001}\n", false},
        {"rules:\n  - gpu_memory_utilization: {max: 1.000001}\n", false},
        {"rules:\n  - required: [dtype, dtype, dtype, dtype, dtype, dtype, dtype, dtype, dtype, dtype, dtype, dtype, "
         "dtype, dtype, dtype, dtype]\n",
         true}, // sixteen
        {"rules:\n  - bound: likely\n", true},
        {"rules:\n  - bound: low\n", true},
        {"min_deployments: 1000000\n", true},
        {"min_deployments: 1000001\n", false},
        {"gpus:\n  - {gpu: l4, gpu_memory: 1048576}\n", true},
        {"gpus:\n  - {gpu: l4, gpu_memory: 1048575}\n", false},
        {"gpus:\n  - {gpu: l4, gpu_memory: 0}\n", false},
        {"unknown: error\n", true},
        {"unknown: warn\n", true},
        {"unknown: ignore\n", true},
        {"waivers:\n  - {rule: fits, reason: x, until: 2026-12-31}\n", true},
        {"waivers:\n  - {rule: input, reason: x, until: 2026-12-31}\n", true}, // the last of the rules
    };
    for (size_t i = 0; i < sizeof rows / sizeof rows[0]; i++) {
        char text[512];
        (void)snprintf(text, sizeof text, "kind: policy\n%s", rows[i].text);
        if ((read_from("policy.yaml", text) == KVB_OK) != rows[i].fine) {
            fail_msg("%s", rows[i].text);
        }
    }
}

// Each word counts as the one before it plus one; the first of the rules' bounds is the usual.
static void words(void **state)
{
    (void)state;
    assert_int_equal(read_from("policy.yaml", "kind: policy\nunknown: error\nnot_understood: ignore\n"), KVB_OK);
    assert_int_equal(policy.unknown, KVB_UNKNOWN_ERROR);
    assert_int_equal(policy.not_understood, KVB_UNKNOWN_IGNORE);
    assert_int_equal(read_from("policy.yaml", "kind: policy\nunknown: warn\nrules: [{bound: likely}, {bound: low}]\n"),
                     KVB_OK);
    assert_int_equal(policy.unknown, KVB_UNKNOWN_WARN);
    assert_int_equal(policy.not_understood, KVB_UNKNOWN_DEFAULT);
    assert_int_equal(policy.rules[0].bound, KVB_BOUND_LIKELY);
    assert_int_equal(policy.rules[1].bound, KVB_BOUND_LOW);
    assert_int_equal(read_from("policy.yaml", "kind: policy\nrules: [{min_concurrency: 2.519, min_slack: 3GiB}]\n"),
                     KVB_OK);
    assert_int_equal(policy.rules[0].min_concurrency_hundredths, 251); // cut, as the engine's own is
    assert_true(policy.rules[0].has_slack);
    assert_false(policy.rules[0].has_headroom);
}

// ---- a path beside the policy

static char folder[64];

static int make_folder(void **state)
{
    (void)state;
    strcpy(folder, "/tmp/kvb-policy-XXXXXX");
    if (mkdtemp(folder) == NULL || chdir(folder) != 0) {
        return -1;
    }
    FILE *file = fopen("m", "w");
    return file != NULL ? fclose(file) : -1;
}

static int remove_folder(void **state)
{
    (void)state;
    return unlink("m") == 0 ? rmdir(folder) : -1;
}

static const char *path_of(const char *file, const char *model)
{
    char text[KVB_PATH_CAPACITY + 128];
    (void)snprintf(text, sizeof text, "kind: policy\nmodels:\n  - {name: a/b, model: %s}\n", model);
    assert_int_equal(read_from(file, text), KVB_OK);
    return policy.models[0].path;
}

static void paths(void **state)
{
    (void)state;
    char file[KVB_PATH_CAPACITY + 64], beside[KVB_PATH_CAPACITY + 64];
    (void)snprintf(file, sizeof file, "%s/policy.yaml", folder);
    (void)snprintf(beside, sizeof beside, "%s/m", folder);
    assert_string_equal(path_of(file, "m"), beside);
    assert_string_equal(path_of(file, "/m"), "/m"); // of the whole system, and not beside
    assert_string_equal(path_of(file, "n"), "n");   // nothing of that name lies there
    assert_string_equal(path_of("policy.yaml", "m"), "m");
    (void)snprintf(beside, sizeof beside, "%s/./m", folder);
    assert_string_equal(path_of(file, "./m"), beside);
    // Slashes between, until the whole is a character shorter than there is room for, and as long.
    for (size_t length = KVB_PATH_CAPACITY - 3; length <= KVB_PATH_CAPACITY; length++) {
        memset(file, '/', sizeof file);
        memcpy(file, folder, strlen(folder));
        strcpy(file + length - 1, "policy.yaml");
        const char *path = path_of(file, "m");
        assert_int_equal(strlen(path), length < KVB_PATH_CAPACITY ? length : 1);
        assert_string_equal(path + strlen(path) - 1, "m");
    }
}

// ---- demands

static void judge(const char *rule, unsigned count)
{
    char text[256];
    (void)snprintf(text, sizeof text, "kind: policy\nrules: [%s]\n", rule);
    if (read_from("policy.yaml", text) != KVB_OK) {
        fail_msg("%s: %s", rule, problems.items[0].text);
    }
    memset(&findings, 0, sizeof findings);
    kvb_policy_judge(&policy, "x.yaml", &found, &budget, &findings);
    if (findings.count != count) {
        fail_msg("%s: %u, %s", rule, (unsigned)findings.count, findings.items[0].text);
    }
}

static void begin(void)
{
    memset(&found, 0, sizeof found);
    memset(&budget, 0, sizeof budget);
    budget.needed_bytes = 8 * (uint64_t)GIB;
    budget.items[KVB_ITEM_KV_CACHE] =
        (struct kvb_term){.bytes = 10 * GIB, .low_bytes = 9 * GIB, .high_bytes = 11 * GIB};
    budget.slack_bytes = GIB;
    budget.kv.max_concurrency_hundredths = 1000;
    kvb_settings_set(&budget.settings, KVB_SET_MAX_MODEL_LEN, 4096, KVB_ORIGIN_COMMAND);
    kvb_settings_set(&budget.settings, KVB_SET_GPU_MEMORY_UTILIZATION, 900000, KVB_ORIGIN_COMMAND);
}

static void equal_is_enough(void **state)
{
    (void)state;
    begin();
    judge("{min_headroom: 2GiB}", 0); // 10 - 8
    judge("{min_headroom: 2147483649}", 1);
    judge("{min_headroom: 1GiB, bound: low}", 0); // 9 - 8
    judge("{min_headroom: 1073741825, bound: low}", 1);
    judge("{min_headroom: 1073741825, bound: likely}", 0);
    judge("{min_slack: 1GiB}", 0);
    judge("{min_slack: 1073741825}", 1);
    judge("{min_concurrency: 10}", 0);
    judge("{min_concurrency: 10.01}", 1);
    judge("{min_length: 4096}", 0);
    judge("{min_length: 4097}", 1);
    budget.kv.auto_max_model_len = 5000; // which the engine chose
    judge("{min_length: 5000}", 0);
    judge("{min_length: 5001}", 1);
    judge("{gpu_memory_utilization: {min: 0.9, max: 0.9}}", 0);
    judge("{gpu_memory_utilization: {min: 0.900001}}", 1);
    judge("{gpu_memory_utilization: {max: 0.899999}}", 1);
    judge("{bound: low}", 0);
    budget.verdict = KVB_TIGHT;
    judge("{bound: likely}", 0);
    judge("{bound: low}", 1);
    budget.needed_bytes = UINT64_MAX; // more than any headroom
    judge("{min_headroom: 0}", 1);
}

// At the low end 1000 hundredths x low KiB / (likely KiB + 1), cut; no less a cache is no fewer requests.
static void requests_at_the_low_end(void **state)
{
    (void)state;
    static const struct {
        int64_t bytes, low_bytes;
        unsigned hundredths;
    } rows[] = {
        {9999 * KIB, 5000 * KIB, 500},
        {9999 * KIB, 4999 * KIB + 1023, 499},
        {10000 * KIB, 5000 * KIB, 499}, // 499.95
        {9999 * KIB, 9998 * KIB, 999},  // 999.8
        {9999 * KIB, 9999 * KIB, 1000},
        {9999 * KIB, 10000 * KIB, 1000},
        {9999 * KIB, 0, 0},
        {9999 * KIB, -KIB, 0},
        {9999 * KIB, KIB, 0}, // 0.1
        {9999 * KIB, 10 * KIB, 1},
        {0, -KIB, 1000}, // of no cache at all nothing is less
    };
    for (size_t i = 0; i < sizeof rows / sizeof rows[0]; i++) {
        char rule[64];
        begin();
        budget.items[KVB_ITEM_KV_CACHE].bytes = rows[i].bytes;
        budget.items[KVB_ITEM_KV_CACHE].low_bytes = rows[i].low_bytes;
        if (rows[i].hundredths > 0) {
            (void)snprintf(rule, sizeof rule, "{bound: low, min_concurrency: %u.%02u}", rows[i].hundredths / 100,
                           rows[i].hundredths % 100);
            judge(rule, 0);
        }
        (void)snprintf(rule, sizeof rule, "{bound: low, min_concurrency: %u.%02u}", (rows[i].hundredths + 1) / 100,
                       (rows[i].hundredths + 1) % 100);
        judge(rule, 1);
        char said[128];
        (void)snprintf(said, sizeof said, "%u.%02u requests of full length fit at the same time at the low end",
                       rows[i].hundredths / 100, rows[i].hundredths % 100);
        assert_non_null(strstr(findings.items[0].text, said));
    }
}

// A setting that neither file nor engine has is 0; a switch counts when it is on.
static void settings(void **state)
{
    (void)state;
    begin();
    judge("{required: [{cpu_offload_gb: 0}]}", 0);
    judge("{forbidden: [{cpu_offload_gb: 0}]}", 1);
    judge("{required: [{cpu_offload_gb: 1}]}", 1);
    judge("{required: [cpu_offload_gb]}", 1);
    judge("{required: [{max_model_len: 4096}]}", 0); // the engine's own
    judge("{required: [max_model_len]}", 1);         // the file says none
    kvb_settings_set(&found.deployment.settings, KVB_SET_MAX_MODEL_LEN, 8192, KVB_ORIGIN_COMMAND);
    judge("{required: [{max_model_len: 8192}, max_model_len]}", 0); // before the engine's
    judge("{required: [{max_model_len: 4096}]}", 1);
    kvb_settings_set(&found.deployment.settings, KVB_SET_ENFORCE_EAGER, 0, KVB_ORIGIN_COMMAND);
    judge("{forbidden: [enforce_eager]}", 0);
    judge("{forbidden: [{enforce_eager: false}]}", 1);
    kvb_settings_set(&found.deployment.settings, KVB_SET_ENFORCE_EAGER, 1, KVB_ORIGIN_COMMAND);
    judge("{forbidden: [enforce_eager]}", 1);
    kvb_settings_set(&found.deployment.settings, KVB_SET_SWAP_SPACE, 0, KVB_ORIGIN_COMMAND); // no switch
    judge("{forbidden: [swap_space]}", 1);
}

// The place of the setting, else of the model, else of the deployment.
static void places(void **state)
{
    (void)state;
    begin();
    found.place.line = 3;
    judge("{min_slack: 2GiB}", 1);
    assert_int_equal(findings.items[0].place.line, 3);
    found.model.line = 4;
    judge("{min_slack: 2GiB}", 1);
    assert_int_equal(findings.items[0].place.line, 4);
    found.settings[KVB_SET_GPU_MEMORY_UTILIZATION].line = 5;
    found.settings[KVB_SET_MAX_MODEL_LEN].line = 6;
    judge("{min_slack: 2GiB, min_headroom: 9GiB, min_concurrency: 99, min_length: 9999}", 4);
    assert_int_equal(findings.items[0].place.line, 5);
    assert_int_equal(findings.items[1].place.line, 5);
    assert_int_equal(findings.items[2].place.line, 6);
    assert_int_equal(findings.items[3].place.line, 6);
}

// ---- waivers

static void waivers(void **state)
{
    (void)state;
    static const struct {
        const char *waiver;
        enum kvb_severity severity;
        bool stays, waived;
        const char *says;
    } rows[] = {
        {"{rule: fits, reason: r, until: 2026-11-21}", KVB_ERROR, false, true, "x (waived: r)"}, // its last day
        {"{rule: fits, reason: r, until: 2026-11-20}", KVB_ERROR, false, false, "x (its waiver ran out on 2026-11-20)"},
        {"{rule: fits, reason: r, until: 2026-01-02}", KVB_ERROR, false, false, "x (its waiver ran out on 2026-01-02)"},
        {"{rule: fits, reason: r, until: 2026-11-22}", KVB_WARNING, false, false, "x"},
        {"{rule: fits, reason: r, until: 2026-11-22}", KVB_ERROR, true, false, "x"},
        {"{rule: input, reason: r, until: 2026-11-22}", KVB_ERROR, false, false, "x"},
        {"{rule: fits, name: n, reason: r, until: 2026-11-22}", KVB_ERROR, false, true, "x (waived: r)"},
        {"{rule: fits, name: m, reason: r, until: 2026-11-22}", KVB_ERROR, false, false, "x"},
        {"{rule: fits, files: '*.yaml', reason: r, until: 2026-11-22}", KVB_ERROR, false, true, "x (waived: r)"},
        {"{rule: fits, files: '*.sh', reason: r, until: 2026-11-22}", KVB_ERROR, false, false, "x"},
        {"{rule: fits, reason: r, until: 2026-11-22}, {rule: fits, reason: s, until: 2026-11-22}", KVB_ERROR, false,
         true, "x (waived: r)"}, // the first is enough
    };
    for (size_t i = 0; i < sizeof rows / sizeof rows[0]; i++) {
        char text[256];
        (void)snprintf(text, sizeof text, "kind: policy\nwaivers: [%s]\n", rows[i].waiver);
        assert_int_equal(read_from("policy.yaml", text), KVB_OK);
        memset(&findings, 0, sizeof findings);
        kvb_findings_add(&findings, KVB_CHECK_FITS, rows[i].severity, (struct kvb_spot){0}, "x");
        findings.items[0].stays = rows[i].stays;
        kvb_policy_waive(&policy, "x.yaml", "n", 20261121, &findings);
        assert_int_equal(findings.items[0].waived, rows[i].waived);
        assert_string_equal(findings.items[0].text, rows[i].says);
    }
}

// ---- patterns

static void patterns(void **state)
{
    (void)state;
    static const struct {
        const char *pattern, *path;
        bool fits;
    } rows[] = {
        {"a", "", false},
        {"?", "", false},
        {"*", "", true},
        {"a*", "a", true},
        {"*a", "ba", true},
        {"*a", "ab", false},
        {"a**", "a", true},
        {"a/**", "a", false},
        {"a/**", "a/", true},
        {"**", "a/b", true},
        {"**a", "b/a", true},
        {"**/a", "a", true},
        {"**/a", "b/a", true},
        {"**/a", "ba", true},
        {"a/*", "a/b", true},
        {"a/*", "a/b/c", false},
        {"a/?", "a/b", true},
        {"a/?", "a//", false},
        {"a/b", "./././a/b", true},
        {"b", "./a/b", true},
        {"a/*b", "a/xb/b", false},
        {"a/**b", "a/xb/b", true},
        {"a/*b*c", "a/bbc", true},
        {"a/*b*c", "a/cbb", false},
        {"**/x/*", "x/x/y", true},
        {"**/x/*/z", "x/x/y/z", true},
    };
    for (size_t i = 0; i < sizeof rows / sizeof rows[0]; i++) {
        if (kvb_pattern_fits(rows[i].pattern, rows[i].path) != rows[i].fits) {
            fail_msg("'%s' and '%s'", rows[i].pattern, rows[i].path);
        }
    }
}

KVB_TEST_MAIN_WITH(make_folder, remove_folder, cmocka_unit_test(values), cmocka_unit_test(words),
                   cmocka_unit_test(paths), cmocka_unit_test(equal_is_enough),
                   cmocka_unit_test(requests_at_the_low_end), cmocka_unit_test(settings), cmocka_unit_test(places),
                   cmocka_unit_test(waivers), cmocka_unit_test(patterns))
