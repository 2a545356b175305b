// Lines of a policy come back as they were, whatever stands in them.
#include <string.h>

#include <kvbudget/policy.h>

#include "gate/policy_write.h"
#include "unit/test.h"

static struct kvb_policy policy;
static struct kvb_problems problems;

static void comes_back(void **state)
{
    (void)state;
    static const char *const texts[] = {"plain.yaml", "a \"q\" b.sh", "- dash", "# hash", "key: value", "'single'",
                                        "{braces}",   "back\\slash",  "yes",    "12",     "*star",      "tab\there"};
    enum { COUNT = sizeof texts / sizeof texts[0] };
    static struct kvb_gpu_line gpus[] = {{"pool=big: #1", "l4"}, {NULL, "FILL-IN"}};
    static struct kvb_model_line models[] = {{"our: model", "FILL-IN"}};
    static struct kvb_waiver_line waivers[COUNT];
    for (size_t i = 0; i < COUNT; i++) {
        waivers[i] = (struct kvb_waiver_line){texts[i], i % 2 == 0 ? texts[i] : NULL, "fits", "because", "2026-12-31"};
    }
    const struct kvb_policy_lines lines = {"policy", 1, "warn", "ignore", 7, gpus, 2, models, 1, waivers, COUNT};
    struct kvb_buffer out;
    kvb_buffer_init(&out);
    kvb_problems_init(&problems);
    assert_int_equal(kvb_policy_write(&out, &lines, &problems), KVB_OK);
    if (kvb_policy_read("p.yaml", out.data, out.length, &policy, &problems) != KVB_OK) {
        fail_msg("%s\n%s", problems.items[0].text, out.data);
    }
    assert_int_equal(policy.min_deployments, 7);
    assert_int_equal(policy.gpu_count, 2);
    assert_string_equal(policy.gpus[0].label, "pool=big: #1");
    assert_string_equal(policy.gpus[1].label, "");
    assert_string_equal(policy.models[0].name, "our: model");
    assert_int_equal(policy.waiver_count, COUNT);
    for (size_t i = 0; i < COUNT; i++) {
        assert_string_equal(policy.waivers[i].files, texts[i]);
        assert_string_equal(policy.waivers[i].name, i % 2 == 0 ? texts[i] : "");
        assert_int_equal(policy.waivers[i].until, 20261231);
    }
    kvb_buffer_free(&out);
}

KVB_TEST_MAIN(cmocka_unit_test(comes_back))
