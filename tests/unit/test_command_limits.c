// Serve commands and variables at the ends of what is kept of them.
#include <stdio.h>
#include <string.h>

#include <kvbudget/input.h>

#include "command/environment.h"
#include "unit/test.h"

static struct kvb_problems problems;
static struct kvb_deployment deployment;
static char long_text[8192];

static enum kvb_status read(const char *first, const char *second, const char *third)
{
    const char *words[] = {"vllm", "serve", "a/b", first, second, third};
    kvb_problems_init(&problems);
    kvb_deployment_init(&deployment);
    return kvb_serve_command_read(3 + (first != NULL) + (second != NULL) + (third != NULL), words, &deployment,
                                  &problems);
}

// A mapping whose one value is `length` letters.
static const char *mapping_of(size_t length)
{
    (void)snprintf(long_text, sizeof long_text, "{\"a\": \"");
    memset(long_text + strlen(long_text), 'x', length);
    (void)snprintf(long_text + 7 + length, 3, "\"}");
    return long_text;
}

static void overrides_without_end(void **state)
{
    (void)state;
    assert_int_equal(read("--hf-overrides", mapping_of(100), NULL), KVB_OK);
    assert_string_equal(deployment.overrides, mapping_of(100));
    assert_int_equal(read("--hf-overrides", mapping_of(2000), NULL), KVB_OUT_OF_RANGE);
    assert_int_equal(problems.count, 1);
    assert_int_equal(kvb_json_flag("hf-overrides", mapping_of(2000), KVB_ORIGIN_FLAG, &deployment, &problems),
                     KVB_OUT_OF_RANGE);
    assert_non_null(strstr(problems.items[1].text, "at most 1023 characters of JSON"));
    (void)snprintf(long_text, sizeof long_text, "{\"method\": \"eagle\", \"model\": \"%05000d\"}", 0);
    assert_int_equal(read("--speculative-config", long_text, NULL), KVB_OUT_OF_RANGE);
    assert_non_null(strstr(problems.items[0].text, "expected a shorter path"));
}

static void names_without_end(void **state)
{
    (void)state;
    memset(long_text, 'm', 5000);
    long_text[5000] = '\0';
    const char *words[] = {"vllm", "serve", long_text};
    kvb_problems_init(&problems);
    kvb_deployment_init(&deployment);
    assert_int_equal(kvb_serve_command_read(3, words, &deployment, &problems), KVB_OUT_OF_RANGE);
    assert_string_equal(problems.items[0].text, "the model's name is too long");
}

// More adapters than are kept: the others are let go.
static void many_adapters(void **state)
{
    (void)state;
    static char texts[KVB_ADAPTERS_MAX + 2][32];
    const char *words[KVB_ADAPTERS_MAX + 6] = {"vllm", "serve", "a/b", "--lora-modules"};
    int count = 4;
    for (unsigned i = 0; i < KVB_ADAPTERS_MAX + 2; i++) {
        (void)snprintf(texts[i], sizeof texts[i], i % 2 == 0 ? "n%u=p%u" : "{\"name\": \"n%u\", \"path\": \"p%u\"}", i,
                       i);
        words[count++] = texts[i];
    }
    kvb_problems_init(&problems);
    kvb_deployment_init(&deployment);
    assert_int_equal(kvb_serve_command_read(count, words, &deployment, &problems), KVB_OK);
    assert_int_equal(deployment.adapter_count, KVB_ADAPTERS_MAX);
    assert_string_equal(deployment.adapters[0], "p0");
    assert_string_equal(deployment.adapters[1], "p1");
    assert_int_equal(read("--lora-modules", "bare", "{\"path\": [1]}"), KVB_OK); // neither says a path
    assert_int_equal(deployment.adapter_count, 0);
    assert_int_equal(read("--lora-modules", "[1, 2]", "{\"path\""), KVB_OK);
    assert_int_equal(deployment.adapter_count, 0);
}

// A flag's environment goes before that of a file, variable by variable.
static void environments_over_each_other(void **state)
{
    (void)state;
    static const char *const files[] = {"VLLM_USE_V1=0", "VLLM_PP_LAYER_PARTITION=8,8",
                                        "PYTORCH_CUDA_ALLOC_CONF=expandable_segments:False"};
    static const char *const flags[] = {"VLLM_USE_V1=1", "VLLM_PP_LAYER_PARTITION=4,4,8",
                                        "PYTORCH_CUDA_ALLOC_CONF=expandable_segments:True"};
    struct kvb_deployment from_file, from_flags;
    kvb_problems_init(&problems);
    kvb_deployment_init(&from_file);
    kvb_deployment_init(&from_flags);
    for (size_t i = 0; i < sizeof files / sizeof files[0]; i++) {
        assert_int_equal(kvb_environment_set(files[i], &from_file.environment, &problems), KVB_OK);
    }
    kvb_environment_overlay(&from_file.environment, &from_flags.environment); // nothing is said: nothing changes
    assert_int_equal(from_file.environment.use_v1, KVB_NO);
    assert_int_equal(from_file.environment.layer_partition_count, 2);
    for (size_t i = 0; i < sizeof flags / sizeof flags[0]; i++) {
        assert_int_equal(kvb_environment_set(flags[i], &from_flags.environment, &problems), KVB_OK);
    }
    kvb_environment_overlay(&from_file.environment, &from_flags.environment);
    assert_int_equal(from_file.environment.use_v1, KVB_YES);
    assert_int_equal(from_file.environment.expandable_segments, KVB_YES);
    assert_int_equal(from_file.environment.expandable_by_cuda_name, KVB_YES);
    assert_int_equal(from_file.environment.layer_partition_count, 3);
    assert_int_equal(from_file.environment.layer_partition[2], 8);
    char text[KVB_SWITCH_CAPACITY];
    bool met = false;
    for (unsigned i = 0; kvb_environment_switch(&from_file.environment, i, text); i++) {
        met = met || strcmp(text, "VLLM_USE_V1=1") == 0;
    }
    assert_true(met);
    memset(long_text, 'N', 300);
    (void)snprintf(long_text + 300, 3, "=1"); // no variable with an effect has so long a name
    assert_int_equal(kvb_environment_set(long_text, &from_file.environment, &problems), KVB_OK);
    assert_int_equal(problems.count, 0);
}

KVB_TEST_MAIN(cmocka_unit_test(overrides_without_end), cmocka_unit_test(names_without_end),
              cmocka_unit_test(many_adapters), cmocka_unit_test(environments_over_each_other))
