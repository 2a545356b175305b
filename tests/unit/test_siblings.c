// Checkpoints that stand beside a model: the same in other formats, smaller ones, and that what is advised starts.
#include <string.h>

#include <kvbudget/kvbudget.h>

#include "base/text.h"
#include "model/names/name.h"
#include "unit/test.h"

static struct kvb_deployment deployment, again;
static struct kvb_answer answer, other;
static struct kvb_problems problems;

static bool has_format(const char *id, const char *wanted)
{
    const struct kvb_builtin *rows[24];
    uint32_t count = kvb_name_formats(id, rows, 24);
    for (uint32_t i = 0; i < count; i++) {
        if (strcmp(rows[i]->id, wanted) == 0) {
            return true;
        }
    }
    return false;
}

static void test_formats(void **state)
{
    (void)state;
    assert_true(has_format("Qwen/Qwen3-8B", "Qwen/Qwen3-8B-AWQ"));
    assert_true(has_format("Qwen/Qwen3-8B-AWQ", "Qwen/Qwen3-8B"));
    assert_true(has_format("Qwen/Qwen3-8B-AWQ", "Qwen/Qwen3-8B-FP8"));
    assert_false(has_format("Qwen/Qwen3-8B", "Qwen/Qwen3-8B"));
    assert_false(has_format("Qwen/Qwen3-8B", "Qwen/Qwen3-4B"));
    assert_false(has_format("Qwen/Qwen3-8B", "Qwen/Qwen3-Embedding-8B"));
    assert_false(has_format("nobody/knows", "Qwen/Qwen3-8B"));
}

static void test_smaller(void **state)
{
    (void)state;
    static const char *const rows[][2] = {
        {"Qwen/Qwen3-32B", "Qwen/Qwen3-14B"},
        {"Qwen/Qwen3-14B", "Qwen/Qwen3-8B"},
        {"Qwen/Qwen3-4B", "Qwen/Qwen3-1.7B"},
        {"meta-llama/Llama-3.3-70B-Instruct", "meta-llama/Llama-3.1-8B-Instruct"},
        {"Qwen/Qwen3-0.6B", NULL},
        {"nobody/knows", NULL},
    };
    for (size_t i = 0; i < sizeof rows / sizeof rows[0]; i++) {
        const struct kvb_builtin *found = kvb_name_smaller(rows[i][0]);
        if (rows[i][1] == NULL) {
            assert_null(found);
        } else {
            assert_non_null(found);
            assert_string_equal(found->id, rows[i][1]);
        }
    }
}

static void ask(const char *model, const char *gpu)
{
    kvb_problems_init(&problems);
    kvb_deployment_init(&deployment);
    (void)kvb_copy(deployment.model, sizeof deployment.model, model);
    (void)kvb_copy(deployment.gpu, sizeof deployment.gpu, gpu);
    assert_int_equal(kvb_answer_deployment(&deployment, &answer, &problems), KVB_OK);
}

// Whatever is named starts when it is asked for, has fewer weights and the tokens that were said.
static void test_what_is_advised_starts(void **state)
{
    (void)state;
    static const char *const rows[][2] = {{"Qwen/Qwen3-8B", "rtx3060-12"},
                                          {"Qwen/Qwen3-32B", "l4"},
                                          {"meta-llama/Llama-3.3-70B-Instruct", "a100-sxm-80"},
                                          {"mistralai/Mistral-7B-Instruct-v0.3", "t4"},
                                          {"Qwen/Qwen3-30B-A3B", "l40s"},
                                          {"deepseek-ai/DeepSeek-V3", "h100-sxm"}};
    unsigned seen[KVB_SIBLING_KIND_COUNT] = {0};
    for (size_t i = 0; i < sizeof rows / sizeof rows[0]; i++) {
        struct kvb_siblings siblings;
        ask(rows[i][0], rows[i][1]);
        assert_int_equal(answer.budget.verdict, KVB_DOES_NOT_FIT);
        assert_int_equal(kvb_answer_siblings(&deployment, &answer, &siblings, &problems), KVB_OK);
        for (uint32_t j = 0; j < siblings.count; j++) {
            const struct kvb_sibling *row = &siblings.rows[j];
            again = deployment;
            assert_true(kvb_copy(again.model, sizeof again.model, row->name));
            if (row->max_model_len > 0) {
                kvb_settings_set(&again.settings, KVB_SET_MAX_MODEL_LEN, row->max_model_len, KVB_ORIGIN_FLAG);
            }
            kvb_problems_init(&problems);
            assert_int_equal(kvb_answer_deployment(&again, &other, &problems), KVB_OK);
            assert_int_equal(other.budget.verdict, row->verdict);
            assert_int_not_equal(row->verdict, KVB_DOES_NOT_FIT);
            assert_int_equal(other.budget.kv.tokens, row->tokens);
            assert_int_equal(other.budget.weights.total_bytes, row->weights_bytes);
            assert_true(row->weights_bytes < answer.budget.weights.total_bytes);
            assert_string_not_equal(kvb_sibling_kind_name(row->kind), "unknown");
            seen[row->kind]++;
        }
    }
    for (unsigned i = 0; i < KVB_SIBLING_KIND_COUNT; i++) {
        assert_true(seen[i] > 0);
    }
    assert_string_equal(kvb_sibling_kind_name(KVB_SIBLING_KIND_COUNT), "unknown");
}

// None where it fits, and none where memory is not what is missing.
static void test_none(void **state)
{
    (void)state;
    struct kvb_siblings siblings;
    ask("Qwen/Qwen3-0.6B", "h100-sxm");
    assert_int_equal(kvb_answer_siblings(&deployment, &answer, &siblings, &problems), KVB_OK);
    assert_int_equal(siblings.count, 0);
}

// Several cards beside each other, each as if it were asked for alone.
static void test_named_cards(void **state)
{
    (void)state;
    static struct kvb_cards cards;
    static const char *const names[] = {"l4", "h100-sxm", "2xl40s"};
    ask("Qwen/Qwen3-32B", "l40s");
    (void)kvb_copy(deployment.gpu, sizeof deployment.gpu, "l4, h100-sxm,2xl40s");
    assert_true(kvb_names_gpus(&deployment));
    assert_int_equal(kvb_answer_named_cards(&deployment, &cards, &answer, &problems), KVB_OK);
    assert_int_equal(cards.count, 3);
    for (uint32_t i = 0; i < cards.count; i++) {
        again = deployment;
        (void)kvb_copy(again.gpu, sizeof again.gpu, names[i]);
        kvb_deployment_take_gpu_count(&again);
        assert_int_equal(kvb_answer_deployment(&again, &other, &problems), KVB_OK);
        assert_int_equal(cards.rows[i].verdict, other.budget.verdict);
        assert_int_equal(cards.rows[i].tokens, other.budget.kv.tokens);
        assert_int_equal(cards.rows[i].count, i == 2 ? 2 : 1);
    }
    (void)kvb_copy(deployment.gpu, sizeof deployment.gpu, "l4,unheard-of");
    assert_int_equal(kvb_answer_named_cards(&deployment, &cards, &answer, &problems), KVB_UNKNOWN_NAME);
    (void)kvb_copy(deployment.gpu, sizeof deployment.gpu, "l4,l4,l4,l4,l4,l4,l4,l4,l4");
    assert_int_equal(kvb_answer_named_cards(&deployment, &cards, &answer, &problems), KVB_TOO_LARGE);
    (void)kvb_copy(deployment.gpu, sizeof deployment.gpu, "l4");
    assert_false(kvb_names_gpus(&deployment));
}

static const struct kvb_longer *ask_longer(const char *model, const char *engine, uint64_t length)
{
    static struct kvb_longer longer;
    kvb_problems_init(&problems);
    kvb_deployment_init(&deployment);
    (void)kvb_copy(deployment.model, sizeof deployment.model, model);
    (void)kvb_copy(deployment.gpu, sizeof deployment.gpu, "l40s");
    (void)kvb_copy(deployment.engine, sizeof deployment.engine, engine);
    kvb_settings_set(&deployment.settings, KVB_SET_MAX_MODEL_LEN, length, KVB_ORIGIN_FLAG);
    assert_int_equal(kvb_answer_deployment(&deployment, &answer, &problems), KVB_OK);
    assert_int_equal(kvb_answer_longer(&deployment, &answer, &longer, &problems), KVB_OK);
    return &longer;
}

// YaRN as each release takes it. Its cost: the rotary table has factor x original rows of head size x 2 bytes, as
// vllm/model_executor/layers/rotary_embedding makes it, and one request its full cache.
static void test_longer(void **state)
{
    (void)state;
    const struct kvb_longer *longer = ask_longer("Qwen/Qwen3-8B", "vllm@0.11.0", 65536);
    assert_true(longer->asked && longer->known);
    assert_int_equal(longer->own_tokens, 40960);
    assert_int_equal(longer->to_tokens, 131072);
    assert_int_equal(longer->weights_bytes, (131072 - 40960) * 128 * 2);
    assert_int_equal(longer->needed_bytes, UINT64_C(65536) * 36 * 8 * 128 * 2 * 2); // layers, heads, size, K and V
    assert_string_equal(longer->flag, "--rope-scaling '{\"rope_type\":\"yarn\",\"factor\":4.0,"
                                      "\"original_max_position_embeddings\":32768}'");
    longer = ask_longer("Qwen/Qwen3-8B-AWQ", "vllm@0.11.1", 65536);
    assert_string_equal(longer->flag, "--hf-overrides '{\"rope_scaling\":{\"rope_type\":\"yarn\",\"factor\":4.0,"
                                      "\"original_max_position_embeddings\":32768}}'");
    longer = ask_longer("Qwen/QwQ-32B", "vllm@0.12.0", 131072);
    assert_string_equal(longer->flag, "--hf-overrides '{\"rope_parameters\":{\"rope_type\":\"yarn\",\"factor\":4.0,"
                                      "\"original_max_position_embeddings\":32768,\"rope_theta\":1000000}}'");
    assert_int_equal(longer->verdict, KVB_DOES_NOT_FIT);
    assert_true(longer->balance_bytes < 0);
}

static void test_no_longer(void **state)
{
    (void)state;
    assert_false(ask_longer("Qwen/Qwen3-8B", "vllm", 40960)->asked);
    assert_false(ask_longer("Qwen/Qwen3-8B", "vllm", KVB_AUTO)->asked);
    const struct kvb_longer *longer = ask_longer("Qwen/Qwen3-8B", "vllm", 131073);
    assert_true(longer->asked && !longer->known);
    assert_false(ask_longer("Qwen/Qwen3-1.7B", "vllm", 65536)->known); // its card names none
    assert_false(ask_longer("Qwen/Qwen3-4B-Instruct-2507", "vllm", 300000)->known);
    assert_false(ask_longer("Qwen/Qwen3-8B", "vllm@0.5.4", 65536)->known);
    struct kvb_longer again_longer;
    (void)kvb_copy(deployment.overrides, sizeof deployment.overrides, "{\"rope_theta\": 1}");
    assert_int_equal(kvb_answer_longer(&deployment, &answer, &again_longer, &problems), KVB_OK);
    assert_false(again_longer.asked); // the user changes the config
}

KVB_TEST_MAIN(cmocka_unit_test(test_longer), cmocka_unit_test(test_no_longer), cmocka_unit_test(test_formats),
              cmocka_unit_test(test_smaller), cmocka_unit_test(test_what_is_advised_starts),
              cmocka_unit_test(test_none), cmocka_unit_test(test_named_cards))
