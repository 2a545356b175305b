// Parts of an answer with each of their allocations failing alone: what lacks memory is not answered in part, nor
// called anything else.
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include <kvbudget/answer.h>
#include <kvbudget/input.h>

#include "base/memory.h"
#include "unit/test.h"

#define ALLOCATIONS_MAX 5000

static struct kvb_question question;
static struct kvb_answer answer;
static struct kvb_problems problems;

static int stand_at_the_top(void **state)
{
    (void)state;
    return setenv("KVBUDGET_OFFLINE", "1", 1) == 0 && setenv("KVBUDGET_CACHE", "/nowhere", 1) == 0 &&
                   chdir(KVB_SOURCE_DIR) == 0
               ? 0
               : -1;
}

static void ask_for(const char *model, const char *gpu, uint64_t length)
{
    kvb_problems_init(&problems);
    memset(&question, 0, sizeof question);
    kvb_deployment_init(&question.deployment);
    strcpy(question.deployment.model, model);
    strcpy(question.deployment.gpu, gpu);
    kvb_settings_set(&question.deployment.settings, KVB_SET_MAX_MODEL_LEN, length, KVB_ORIGIN_FLAG);
    assert_int_equal(kvb_answer_deployment(&question.deployment, &answer, &problems), KVB_OK);
}

// Each allocation fails once. `whole`: whether what was asked for is there.
static void fail_each(const char *name, enum kvb_status (*ask)(void), bool (*whole)(void))
{
    bool reached = true;
    unsigned refused = 0;
    for (unsigned long n = 1; reached; n++) {
        assert_true(n < ALLOCATIONS_MAX);
        kvb_problems_init(&problems);
        unsigned long before = kvb_memory_failures();
        (void)kvb_memory_fail_once(n);
        enum kvb_status status = ask();
        (void)kvb_memory_fail_once(0);
        reached = kvb_memory_failures() > before;
        refused += status == KVB_NO_MEMORY;
        // What is answered all the same may lack a part that nobody missed: who asked finds that by the failures.
        if ((status != KVB_OK && status != KVB_NO_MEMORY) || (!reached && (status != KVB_OK || !whole()))) {
            fail_msg("%s: allocation %lu: %s", name, n, kvb_status_name(status));
        }
    }
    if (refused == 0) {
        fail_msg("%s allocates nothing", name);
    }
}

static enum kvb_status calibrate(void)
{
    memset(&answer.plan.calibration, 0, sizeof answer.plan.calibration);
    return kvb_answer_calibrate("tests/fixtures/logs/v1-healthy.log", &question.deployment, &answer, &problems);
}

static bool is_calibrated(void)
{
    static const struct kvb_calibration none;
    return memcmp(&answer.plan.calibration, &none, sizeof none) != 0;
}

static struct kvb_longer longer;
static enum kvb_status stretch(void)
{
    return kvb_answer_longer(&question.deployment, &answer, &longer, &problems);
}

static bool is_stretched(void)
{
    return longer.known && longer.to_tokens == 131072;
}

static struct kvb_siblings siblings;
static enum kvb_status look_beside(void)
{
    return kvb_answer_siblings(&question.deployment, &answer, &siblings, &problems);
}

static bool has_siblings(void)
{
    return siblings.count > 0;
}

static struct kvb_placed *placed;
static enum kvb_status place(void)
{
    static struct kvb_question own;
    static struct kvb_plan plan;
    own = question;
    plan = answer.plan;
    kvb_placed_free(placed);
    placed = NULL;
    return kvb_residents_place(&own, &plan, &placed, &problems);
}

static bool is_placed(void)
{
    bool there = placed != NULL && placed->side->count == 2;
    kvb_placed_free(placed);
    placed = NULL;
    return there;
}

static struct kvb_cards cards;
static enum kvb_status lay_side_by_side(void)
{
    static struct kvb_answer best;
    return kvb_answer_named_cards(&question.deployment, &cards, &best, &problems);
}

static bool has_cards(void)
{
    return cards.count == 2 && cards.starting == 2;
}

static void parts_of_an_answer(void **state)
{
    (void)state;
    ask_for("Qwen/Qwen3-8B", "l4", 4096);
    fail_each("calibrate", calibrate, is_calibrated);
    ask_for("Qwen/Qwen3-8B", "h100-sxm", 65536); // Qwen3's card: YaRN with a factor of 4 over 32,768
    fail_each("longer", stretch, is_stretched);
    ask_for("Qwen/Qwen3-32B", "l4", 8192);
    fail_each("siblings", look_beside, has_siblings);
    ask_for("Qwen/Qwen3-8B", "h100-sxm", 4096);
    question.with_count = 1;
    question.with[0] = "tests/fixtures/plan/small.yaml";
    fail_each("residents", place, is_placed);
    ask_for("Qwen/Qwen3-8B", "l4", 4096);
    strcpy(question.deployment.gpu, "l4,h100-sxm");
    fail_each("cards", lay_side_by_side, has_cards);
}

KVB_TEST_MAIN_WITH(stand_at_the_top, NULL, cmocka_unit_test(parts_of_an_answer))
