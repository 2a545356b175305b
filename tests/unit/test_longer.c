// Requests longer than a model's own length, as the section "Processing Long Texts" of each model's card has it: YaRN
// of factor 4 over 32,768 tokens (262,144 of Qwen3-Next), with the rotary base of its config.json.
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include <kvbudget/kvbudget.h>

#include "unit/test.h"

static struct kvb_deployment deployment;
static struct kvb_answer answer;
static struct kvb_longer longer;
static struct kvb_problems problems;

static int offline(void **state)
{
    (void)state;
    return setenv("KVBUDGET_OFFLINE", "1", 1) == 0 && setenv("KVBUDGET_CACHE", "/nowhere", 1) == 0 ? 0 : -1;
}

static void ask(const char *model, const char *engine, uint64_t length)
{
    kvb_deployment_init(&deployment);
    kvb_problems_init(&problems);
    (void)snprintf(deployment.model, sizeof deployment.model, "%s", model);
    (void)snprintf(deployment.engine, sizeof deployment.engine, "%s", engine);
    (void)snprintf(deployment.gpu, sizeof deployment.gpu, "h100-sxm");
    if (length > 0) {
        kvb_settings_set(&deployment.settings, KVB_SET_MAX_MODEL_LEN, length, KVB_ORIGIN_FLAG);
    }
    if (kvb_answer_deployment(&deployment, &answer, &problems) != KVB_OK ||
        kvb_answer_longer(&deployment, &answer, &longer, &problems) != KVB_OK) {
        fail_msg("%s: %s", model, problems.count > 0 ? problems.items[0].text : "");
    }
}

static void cards(void **state)
{
    (void)state;
    static const struct {
        const char *name;
        unsigned original, base;
    } rows[] = {
        {"Qwen/QwQ-32B", 32768, 1000000},
        {"Qwen/Qwen2-7B-Instruct", 32768, 1000000},
        {"Qwen/Qwen2-72B-Instruct", 32768, 1000000},
        {"Qwen/Qwen2.5-7B-Instruct", 32768, 1000000},
        {"Qwen/Qwen2.5-14B-Instruct", 32768, 1000000},
        {"Qwen/Qwen2.5-32B-Instruct", 32768, 1000000},
        {"Qwen/Qwen2.5-72B-Instruct", 32768, 1000000},
        {"Qwen/Qwen2.5-Coder-7B-Instruct", 32768, 1000000},
        {"Qwen/Qwen2.5-Coder-14B-Instruct", 32768, 1000000},
        {"Qwen/Qwen2.5-Coder-32B-Instruct", 32768, 1000000},
        {"Qwen/Qwen3-4B", 32768, 1000000},
        {"Qwen/Qwen3-8B", 32768, 1000000},
        {"Qwen/Qwen3-14B", 32768, 1000000},
        {"Qwen/Qwen3-32B", 32768, 1000000},
        {"Qwen/Qwen3-30B-A3B", 32768, 1000000},
        {"Qwen/Qwen3-235B-A22B", 32768, 1000000},
        {"Qwen/Qwen3-Next-80B-A3B-Instruct", 262144, 10000000},
    };
    for (size_t i = 0; i < sizeof rows / sizeof rows[0]; i++) {
        char original[64], base[64];
        uint64_t most = 4 * (uint64_t)rows[i].original;
        (void)snprintf(original, sizeof original, "\"original_max_position_embeddings\":%u,", rows[i].original);
        (void)snprintf(base, sizeof base, "\"rope_theta\":%u", rows[i].base);
        ask(rows[i].name, "vllm", most);
        if (!longer.asked || longer.to_tokens != most || strstr(longer.flag, "\"factor\":4.0") == NULL ||
            strstr(longer.flag, original) == NULL || strstr(longer.flag, base) == NULL) {
            fail_msg("%s: %llu, %s", rows[i].name, (unsigned long long)longer.to_tokens, longer.flag);
        }
        assert_true(longer.known);
        ask(rows[i].name, "vllm", most + 1); // beyond what its card names
        assert_true(longer.asked);
        assert_int_equal(longer.to_tokens, 0);
        assert_string_equal(longer.flag, "");
        assert_false(longer.known);
    }
}

// Nobody asks for a longer one: no length, its own length, one that is stretched already; nobody knows of another
// model.
static void not_asked(void **state)
{
    (void)state;
    ask("Qwen/Qwen3-8B", "vllm", 0);
    assert_false(longer.asked);
    assert_int_equal(longer.own_tokens, 40960); // max_position_embeddings
    ask("Qwen/Qwen3-8B", "vllm", 40960);
    assert_false(longer.asked);
    ask("Qwen/Qwen3-8B", "vllm", 40961);
    assert_true(longer.asked);
    assert_int_equal(longer.to_tokens, 131072);
    ask("Qwen/Qwen3-8B-AWQ", "vllm", 40961); // another format of it
    assert_int_equal(longer.to_tokens, 131072);
    ask("Qwen/Qwen3-1.7B", "vllm", 40961);
    assert_true(longer.asked);
    assert_int_equal(longer.to_tokens, 0);
    kvb_settings_set(&answer.plan.settings, KVB_SET_MAX_MODEL_LEN, KVB_AUTO, KVB_ORIGIN_FLAG);
    assert_int_equal(kvb_answer_longer(&deployment, &answer, &longer, &problems), KVB_OK);
    assert_false(longer.asked);
}

KVB_TEST_MAIN_WITH(offline, NULL, cmocka_unit_test(cards), cmocka_unit_test(not_asked))
