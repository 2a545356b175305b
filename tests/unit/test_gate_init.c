// A policy to begin with: dates, and lines to fill in.
#include "unit/gate_files.h"

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
        {20260201, "baseline of 2026-02-01", "until: 2026-05-02"}, // 91 - 28 - 31 - 30 = 2
        {20260301, "baseline of 2026-03-01", "until: 2026-05-30"}, // 91 - 31 - 30
        {20260401, "baseline of 2026-04-01", "until: 2026-06-30"}, // 91 - 30 - 31
        {20260501, "baseline of 2026-05-01", "until: 2026-07-30"},
        {20260601, "baseline of 2026-06-01", "until: 2026-08-30"},
        {20260701, "baseline of 2026-07-01", "until: 2026-09-29"}, // 91 - 31 - 31
        {20260801, "baseline of 2026-08-01", "until: 2026-10-30"},
        {20260901, "baseline of 2026-09-01", "until: 2026-11-30"},
        {20261001, "baseline of 2026-10-01", "until: 2026-12-30"},
        {20261101, "baseline of 2026-11-01", "until: 2027-01-30"},
        {20261201, "baseline of 2026-12-01", "until: 2027-03-01"}, // 91 - 31 - 31 - 28
        {20271201, "baseline of 2027-12-01", "until: 2028-02-29"}, // 91 - 31 - 31
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

KVB_TEST_MAIN_WITH(make_root, remove_root, TEST(waivers_end_in_ninety_days), TEST(lines_to_fill_in))
