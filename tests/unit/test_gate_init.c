// A policy to begin with, and a comparison with an earlier commit: dates, lines to fill in, pairs of deployments, and
// no part of either when memory runs out.
#include <limits.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include <kvbudget/gate.h>

#include "base/memory.h"
#include "text/file.h"
#include "text/folder.h"
#include "unit/test.h"

#define SMALL "vllm serve Qwen/Qwen3-0.6B --max-model-len 4096\n"

static char root[] = "/tmp/kvb-init-XXXXXX";
static struct kvb_problems problems;
static struct kvb_question flags;

static int make_root(void **state)
{
    (void)state;
    bool set = setenv("KVBUDGET_OFFLINE", "1", 1) == 0 && setenv("KVBUDGET_CACHE", "/nowhere", 1) == 0;
    return set && mkdtemp(root) != NULL && chdir(root) == 0 ? 0 : -1;
}

static int remove_root(void **state)
{
    (void)state;
    char command[64];
    (void)snprintf(command, sizeof command, "rm -rf '%s'", root);
    return system(command);
}

static int begin(void **state)
{
    (void)state;
    kvb_problems_init(&problems);
    memset(&flags, 0, sizeof flags);
    kvb_deployment_init(&flags.deployment);
    return system("rm -rf files policy.yaml .git && mkdir files");
}

static void put(const char *name, const char *text)
{
    (void)unlink(name);
    assert_int_equal(kvb_file_create(name, text, strlen(text), &problems), KVB_OK);
}

static struct kvb_gate *gate_of(uint32_t today)
{
    enum kvb_status status;
    const struct kvb_gate_options options = {.flags = &flags, .today = today, .no_policy = true, .keeps_figures = true};
    struct kvb_gate *gate = kvb_gate_new(&options, &status, &problems);
    if (gate != NULL && kvb_gate_path(gate, "files", false, &problems) != KVB_OK) {
        kvb_gate_free(gate);
        return NULL;
    }
    return gate;
}

static bool policy_has(const char *text)
{
    struct kvb_file file;
    assert_int_equal(kvb_file_read(&file, "policy.yaml", 1 << 20, &problems), KVB_OK);
    bool found = strstr(file.text, text) != NULL;
    if (!found) {
        print_message("%s\n", file.text);
    }
    kvb_file_free(&file);
    return found;
}

// 90 days on, by the calendar.
static void waivers_end_in_ninety_days(void **state)
{
    (void)state;
    static const struct {
        uint32_t today;
        const char *baseline, *until;
    } rows[] = {
        {20260101, "baseline of 2026-01-01", "until: 2026-04-01"},
        {20240131, "baseline of 2024-01-31", "until: 2024-04-30"},
        {20261231, "baseline of 2026-12-31", "until: 2027-03-31"},
        {21000115, "baseline of 2100-01-15", "until: 2100-04-15"},
        {20000115, "baseline of 2000-01-15", "until: 2000-04-14"},
        {20260801, "baseline of 2026-08-01", "until: 2026-10-30"},
    };
    put("files/run.sh", "vllm serve Qwen/Qwen3-32B\n");
    (void)strcpy(flags.deployment.gpu, "l4");
    for (size_t i = 0; i < sizeof rows / sizeof rows[0]; i++) {
        struct kvb_gate *gate = gate_of(rows[i].today);
        assert_non_null(gate);
        (void)unlink("policy.yaml");
        assert_int_equal(kvb_gate_write_policy(gate, "policy.yaml", &problems), KVB_OK);
        assert_true(policy_has(rows[i].baseline) && policy_has(rows[i].until));
        assert_true(policy_has("rule: fits") && policy_has("gpu: l4"));
        assert_false(kvb_gate_has_fill_ins(gate));
        kvb_gate_free(gate);
    }
}

// What no file says has a line to fill in: a GPU for each label, one for all others, a model for each path.
static void lines_to_fill_in(void **state)
{
    (void)state;
    put("files/run.sh", SMALL);
    put("files/again.sh", SMALL);
    put("files/path.sh", "vllm serve /models/ours --max-model-len 4096\n");
    put("files/pod.yaml",
        "apiVersion: v1\nkind: Pod\nmetadata: {name: p}\nspec:\n  nodeSelector: {our.org/card: big}\n"
        "  containers:\n  - name: c\n    image: vllm/vllm-openai:v0.11.0\n    args: [--model, Qwen/Qwen3-0.6B]\n"
        "    resources: {limits: {nvidia.com/gpu: 1}}\n");
    struct kvb_gate *gate = gate_of(20261122);
    assert_non_null(gate);
    assert_int_equal(kvb_gate_write_policy(gate, "policy.yaml", &problems), KVB_OK);
    assert_true(kvb_gate_has_fill_ins(gate));
    assert_true(policy_has("min_deployments: 4"));
    assert_true(policy_has("- gpu: FILL-IN") && policy_has("/models/ours"));
    assert_int_equal(kvb_gate_write_policy(gate, "policy.yaml", &problems), KVB_CANNOT_WRITE);
    assert_string_equal(problems.items[problems.count - 1].text,
                        "it is there already and stays as it is; name another with --policy");
    kvb_gate_free(gate);
    assert_int_equal(system("rm files/*"), 0);
    put("files/run.sh", SMALL);
    (void)unlink("policy.yaml");
    (void)strcpy(flags.deployment.gpu, "l4");
    gate = gate_of(20261122);
    assert_int_equal(kvb_gate_write_policy(gate, "policy.yaml", &problems), KVB_OK);
    assert_false(kvb_gate_has_fill_ins(gate));
    kvb_gate_free(gate);
}

static bool write_once(unsigned long *left)
{
    struct kvb_gate *gate = gate_of(20261122);
    enum kvb_status status = gate != NULL ? kvb_gate_write_policy(gate, "policy.yaml", &problems) : KVB_NO_MEMORY;
    struct kvb_gate_totals totals = {0};
    if (gate != NULL) {
        totals = kvb_gate_count(gate);
    }
    *left = kvb_memory_fail_once(0);
    kvb_gate_free(gate);
    return status == KVB_OK && !totals.system_failed;
}

// With any allocation failing the policy is not written, or the failure is known to whoever asks.
static void no_part_of_a_policy(void **state)
{
    (void)state;
    unsigned long left;
    put("files/run.sh", SMALL "vllm serve Qwen/Qwen3-32B --gpu-memory-utilization 0.5\n");
    put("files/path.sh", "vllm serve /models/ours\n");
    (void)kvb_memory_fail_once(ULONG_MAX);
    assert_true(write_once(&left));
    unsigned long count = ULONG_MAX - left;
    for (unsigned long n = 1; n <= count; n += n < 60 || n + 60 > count ? 1 : 7) {
        unsigned long before = kvb_memory_failures();
        kvb_problems_init(&problems);
        (void)unlink("policy.yaml");
        (void)kvb_memory_fail_once(n);
        bool written = write_once(&left);
        assert_true(!written || kvb_memory_failures() > before);
    }
}

// ---- against a commit

static bool commit(void)
{
    return system("git init -q . 2>/dev/null && git add files && git -c user.name=a -c user.email=a@b.example commit "
                  "-qm one "
                  "2>/dev/null") == 0;
}

static enum kvb_status compare(struct kvb_gate *gate)
{
    static const char *const paths[] = {"files"};
    return kvb_gate_compare(gate, "HEAD", paths, 1, &problems);
}

static const struct kvb_case_change *change_of(const struct kvb_against *against, const char *file)
{
    for (uint32_t i = 0; i < against->count; i++) {
        const struct kvb_case_change *change = &against->changes[i];
        if (strcmp((change->after != NULL ? change->after : change->before)->file, file) == 0) {
            return change;
        }
    }
    fail_msg("nothing moved in %s", file);
    return NULL;
}

static void compose(const char *name, const char *service, const char *length)
{
    char text[256];
    (void)snprintf(text, sizeof text,
                   "services:\n  %s:\n    image: vllm/vllm-openai:v0.11.0\n    command: --model Qwen/Qwen3-8B "
                   "--max-model-len %s\n",
                   service, length);
    put(name, text);
}

// Deployments are paired by file and name, then by what became of the name or of the file.
static void pairs(void **state)
{
    (void)state;
    (void)strcpy(flags.deployment.gpu, "l4");
    compose("files/a.yaml", "one", "4096");
    compose("files/b.yaml", "two", "4096");
    compose("files/c.yaml", "three", "4096");
    compose("files/d.yaml", "four", "40960");
    put("files/e.sh", "vllm serve Qwen/Qwen3-0.6B --enforce-eager\n");
    put("files/f.yaml", "services: [\n");
    put("files/h.sh", SMALL);
    if (!commit()) {
        skip();
    }
    compose("files/a.yaml", "renamed", "4096"); // the only one of its file
    (void)rename("files/b.yaml", "files/moved.yaml");
    (void)unlink("files/c.yaml");
    compose("files/d.yaml", "four", "4096");
    put("files/e.sh", "vllm serve Qwen/Qwen3-0.6B --no-enforce-eager --max-num-seqs 4\n");
    compose("files/g.yaml", "five", "40960");
    struct kvb_gate *gate = gate_of(20261122);
    assert_non_null(gate);
    assert_int_equal(compare(gate), KVB_OK);
    const struct kvb_against *against = kvb_gate_count(gate).against;
    assert_non_null(against);
    assert_int_equal(against->trends[KVB_TREND_BETTER], 1);
    assert_int_equal(change_of(against, "files/d.yaml")->trend, KVB_TREND_BETTER);
    assert_int_equal(change_of(against, "files/c.yaml")->trend, KVB_TREND_GONE);
    assert_int_equal(change_of(against, "files/g.yaml")->trend, KVB_TREND_NEW);
    const struct kvb_case_change *flag = change_of(against, "files/e.sh");
    assert_int_equal(flag->trend, KVB_TREND_SAME);
    bool switched = false, added = false;
    for (uint32_t i = 0; i < flag->moved_count; i++) {
        switched = switched || strstr(flag->moved[i].what, "enforce-eager") != NULL;
        added = added || (strcmp(flag->moved[i].what, "--max-num-seqs") == 0 && flag->moved[i].before == NULL &&
                          strcmp(flag->moved[i].after, "4") == 0);
    }
    assert_true(switched && added);
    assert_string_equal(change_of(against, "files/a.yaml")->moved[0].after, "services.renamed");
    assert_string_equal(change_of(against, "files/moved.yaml")->moved[0].before, "files/b.yaml");
    assert_int_equal(against->trends[KVB_TREND_SAME], 3);
    assert_int_equal(against->untouched, 1);
    kvb_gate_free(gate);
}

static uint32_t trend(const struct kvb_gate *gate, enum kvb_trend trend)
{
    return kvb_gate_count(gate).against->trends[trend];
}

// Of several of one name nobody knows which became which: those are gone, and these are new.
static void pairs_that_may_be_others(void **state)
{
    (void)state;
    static const char *const paths[] = {"files", "-", "files/a.yaml"};
    (void)strcpy(flags.deployment.gpu, "l4");
    compose("files/a.yaml", "one", "4096");
    compose("files/b.yaml", "one", "4096");
    compose("files/c.yaml", "two", "4096");
    put("files/f.yaml", "services: [ # vllm serve\n");
    if (!commit()) {
        skip();
    }
    (void)rename("files/a.yaml", "files/x.yaml");
    (void)rename("files/b.yaml", "files/y.yaml");
    (void)unlink("files/c.yaml");
    compose("files/p.yaml", "two", "4096"); // two of them where there was one
    compose("files/q.yaml", "two", "4096");
    (void)rename("files/f.yaml", "files/g.yaml"); // what could not be read has no name to be known by
    struct kvb_gate *gate = gate_of(20261122);
    assert_non_null(gate);
    assert_int_equal(compare(gate), KVB_OK);
    assert_int_equal(trend(gate, KVB_TREND_GONE), 4); // a, b, c and f
    assert_int_equal(trend(gate, KVB_TREND_NEW), 5);  // x, y, p, q and g
    assert_int_equal(trend(gate, KVB_TREND_SAME) + trend(gate, KVB_TREND_WORSE) + trend(gate, KVB_TREND_BETTER), 0);
    kvb_gate_free(gate);
    // Standard input was in no commit, and a file that is gone now is still compared.
    gate = gate_of(20261122);
    assert_non_null(gate);
    assert_int_equal(kvb_gate_compare(gate, "HEAD", paths + 1, 2, &problems), KVB_OK);
    assert_int_equal(trend(gate, KVB_TREND_GONE), 1);
    kvb_gate_free(gate);
    gate = gate_of(20261122);
    assert_non_null(gate);
    kvb_problems_init(&problems);
    assert_int_not_equal(kvb_gate_compare(gate, "no-such-commit", paths, 1, &problems), KVB_OK);
    assert_true(problems.count > 0);
    kvb_gate_free(gate);
}

static void no_part_of_a_comparison(void **state)
{
    (void)state;
    (void)strcpy(flags.deployment.gpu, "l4");
    compose("files/a.yaml", "one", "40960");
    if (!commit()) {
        skip();
    }
    compose("files/a.yaml", "one", "4096");
    unsigned refused = 0;
    for (unsigned long n = 1; n < 400; n += n < 40 ? 1 : 3) {
        struct kvb_gate *gate = gate_of(20261122);
        assert_non_null(gate);
        kvb_problems_init(&problems);
        unsigned long before = kvb_memory_failures();
        (void)kvb_memory_fail_once(n);
        enum kvb_status status = compare(gate);
        (void)kvb_memory_fail_once(0);
        const struct kvb_against *against = kvb_gate_count(gate).against;
        bool whole =
            status == KVB_OK && against != NULL && against->count == 1 && against->changes[0].trend == KVB_TREND_BETTER;
        assert_true(whole || kvb_memory_failures() > before);
        refused += !whole;
        kvb_gate_free(gate);
    }
    assert_true(refused > 20);
}

#define TEST(name) cmocka_unit_test_setup(name, begin)

KVB_TEST_MAIN_WITH(make_root, remove_root, TEST(waivers_end_in_ninety_days), TEST(lines_to_fill_in),
                   TEST(no_part_of_a_policy), TEST(pairs), TEST(pairs_that_may_be_others),
                   TEST(no_part_of_a_comparison))
