// Which commit of vLLM's main a development build is. The commits were counted with git rev-list --count on main: dev77
// of 0.27.2rc1 calls itself +gac7509e2b, the 19,964th, and the branch of 0.28.0 was cut from the 20,038th; the others
// are as many behind the tag rc0 of their release as they say.
#include <string.h>

#include "engines/vllm/main_builds.h"
#include "engines/vllm/rules.h"
#include "unit/test.h"

#define R(minor, patch) KVB_RELEASE(0, minor, patch)

static void builds(void **state)
{
    (void)state;
    static const struct {
        const char *version;
        uint32_t parsed, counted;
    } rows[] = {
        {"0.27.2rc1.dev77+gac7509e2b", R(27, 2), R(27, 93)}, // 514 of 588 commits behind the cut of 0.27.0
        {"0.26.1rc1.dev608", R(26, 1), R(27, 79)},           // 19194 + 608: 352 behind that cut
        {"0.23.1rc1.dev1431", R(23, 1), R(26, 63)},          // 17615 + 1431: 152 of 556 behind 0.26.0's
        {"0.22.1rc1.dev357", R(22, 1), R(23, 58)},           // 17097 + 357: 94 of 558 behind 0.23.0's
        {"0.22.1rc1.dev26", R(22, 1), R(22, 71)},            // 17097 + 26: 184 of 421 behind 0.22.0's
        {"0.14.0rc1.dev2", R(14, 0), R(13, 59)},             // 12401 + 2: 129 of 666 behind 0.13.0's
        {"0.19.2rc1.dev216", R(19, 2), R(20, 50)},           // 15887 + 216: the cut of 0.20.0 itself
        {"0.19.2rc1.dev215", R(19, 2), R(19, 99)},
        {"0.11.1rc1.dev14", R(11, 1), R(11, 0) + 1}, // 0.11.1 was cut 1,456 commits behind 0.11.0
        {"0.11.1rc1.dev1917", R(11, 1), R(11, 0) + 1},
        {"0.11.1rc1.dev1918", R(11, 1), R(12, 50)}, // 9931 + 1918: the cut of 0.12.0
        {"0.27.2rc1.dev151", R(27, 2), R(28, 50)},
        {"0.27.2rc1.dev99999999999", R(27, 2), R(28, 50)}, // read to 10,000
        {"0.27.2rc1", R(27, 2), R(27, 2)},
        {"0.24.1rc1.dev5", R(24, 1), R(24, 1)}, // no tag of main
        {"0.20.1.dev0+g101584af0.d20260424", R(20, 1), R(20, 1)},
        {"0.27.1", R(27, 1), R(27, 1)},
    };
    for (size_t i = 0; i < sizeof rows / sizeof rows[0]; i++) {
        if (kvb_vllm_of_main(rows[i].version, rows[i].parsed) != rows[i].counted) {
            fail_msg("%s is %u", rows[i].version, (unsigned)kvb_vllm_of_main(rows[i].version, rows[i].parsed));
        }
    }
}

static uint32_t value_of(uint32_t release, enum kvb_rule rule)
{
    struct kvb_rules rules;
    kvb_rules_of(release, &rules);
    return rules.value[rule];
}

// The commit that brought a rule, and the one before it; patches of the release before it have none of it.
static void rules(void **state)
{
    (void)state;
    static const struct {
        enum kvb_rule rule;
        uint32_t minor, patch; // the commit's place, as above
        uint32_t before, since;
    } rows[] = {
        {KVB_RULE_GRAPH_ESTIMATE, 17, 65, 0, 1},                                      // 140 of 447: vllm#30515
        {KVB_RULE_UTILIZATION, 19, 91, 900000, 920000},                               // 639 of 761: vllm#38284
        {KVB_RULE_GRAPH_ESTIMATE, 19, 91, 1, 2},                                      // the same
        {KVB_RULE_LOAD_SPLIT, 20, 64, 0, 1},                                          // 114 of 381: vllm#41268
        {KVB_RULE_V2_RUNNER, 21, 66, 0, KVB_V2_QWEN3},                                // 150 of 455
        {KVB_RULE_V2_RUNNER, 22, 79, KVB_V2_QWEN3, KVB_V2_LLAMA},                     // 250 of 421: vllm#43458
        {KVB_RULE_V2_RUNNER, 24, 87, KVB_V2_SOME_MOE, KVB_V2_DENSE},                  // 420 of 559: vllm#44443
        {KVB_RULE_ACCOUNTING, 26, 52, KVB_ACCOUNT_SNAPSHOT, KVB_ACCOUNT_FREE_MEMORY}, // 32 of 556: vllm#49208
        {KVB_RULE_COMPILE_PEAK, 26, 63, 6, 3},                                        // 146 of 556: PyTorch 2.13
        {KVB_RULE_STATE_PREFIXES, 27, 55, 0, 1},                                      // 65 of 588: vllm#50991
        {KVB_RULE_CAPTURE_SIZES, 27, 69, KVB_CAPTURE_SPARSE, KVB_CAPTURE_1024},       // 231 of 588: vllm#49390
        {KVB_RULE_DEFAULTS, 27, 81, KVB_DEFAULTS_NOT_A100, KVB_DEFAULTS_LARGEST},     // 371 of 588: vllm#51726
    };
    for (size_t i = 0; i < sizeof rows / sizeof rows[0]; i++) {
        uint32_t since = R(rows[i].minor, rows[i].patch);
        assert_int_equal(value_of(since, rows[i].rule), rows[i].since);
        assert_int_equal(value_of(since - 1, rows[i].rule), rows[i].before);
        assert_int_equal(value_of(R(rows[i].minor, 4), rows[i].rule), rows[i].before);
        assert_int_equal(value_of(R(rows[i].minor + 1, 0), rows[i].rule), rows[i].since);
    }
}

KVB_TEST_MAIN(cmocka_unit_test(builds), cmocka_unit_test(rules))
