// A log beside the budget, of reports made by hand: what flags add, which figures of the model are checked, and when a
// start is planned anew.
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include <kvbudget/answer.h>

#include "base/memory.h"
#include "unit/test.h"

#define GIB (INT64_C(1) << 30)
#define V(minor, patch) KVB_RELEASE(0, minor, patch)

static struct kvb_question question;
static struct kvb_log_report report;
static struct kvb_log_given given;
static struct kvb_problems problems;

static void see(enum kvb_observation what, int64_t value)
{
    report.observed[what] = (struct kvb_log_value){.set = true, .value = value};
}

static int begin(void **state)
{
    (void)state;
    memset(&question, 0, sizeof question);
    kvb_deployment_init(&question.deployment);
    kvb_problems_init(&problems);
    memset(&report, 0, sizeof report);
    report.engine = KVB_LOG_VLLM;
    report.release = V(11, 0);
    report.verdict = KVB_LOG_FAILED;
    report.failure.kind = KVB_FAILURE_NOT_ENOUGH_FOR_MAX_LEN;
    report.failure.about_memory = KVB_LOG_YES;
    (void)snprintf(report.model, sizeof report.model, "Qwen/Qwen3-8B");
    return 0;
}

static void give(void)
{
    assert_int_equal(kvb_log_given_by(&question.deployment, &report, &given, &problems), KVB_OK);
}

static const struct kvb_check *check(const char *what)
{
    for (uint32_t i = 0; i < report.check_count; i++) {
        if (strcmp(report.checks[i].what, what) == 0) {
            return &report.checks[i];
        }
    }
    return NULL;
}

// The model's shape is known by its name; a path in a log lies on another machine.
static void which_model(void **state)
{
    (void)state;
    static const struct {
        const char *logged, *said;
        enum kvb_log_engine engine;
        uint32_t release;
        bool known;
    } rows[] = {
        {"Qwen/Qwen3-8B", "", KVB_LOG_VLLM, V(11, 0), true},
        {"/srv/Qwen3-8B", "", KVB_LOG_VLLM, V(11, 0), false},
        {"./Qwen3-8B", "", KVB_LOG_VLLM, V(11, 0), false},
        {"~/Qwen3-8B", "", KVB_LOG_VLLM, V(11, 0), false},
        {"", "", KVB_LOG_VLLM, V(11, 0), false},
        {"Qwen/Qwen3-8B", "", KVB_LOG_VLLM, 0, false},
        {"Qwen/Qwen3-8B", "", KVB_LOG_TGI, V(11, 0), false},
        {"/srv/x", "Qwen/Qwen3-8B", KVB_LOG_VLLM, V(11, 0), true},
    };
    for (size_t i = 0; i < sizeof rows / sizeof rows[0]; i++) {
        report.engine = rows[i].engine;
        report.release = rows[i].release;
        (void)snprintf(report.model, sizeof report.model, "%s", rows[i].logged);
        (void)snprintf(question.deployment.model, sizeof question.deployment.model, "%s", rows[i].said);
        give();
        if (given.model_known != rows[i].known) {
            fail_msg("row %zu", i);
        }
    }
    assert_int_equal(given.context_tokens, 40960);
    assert_int_equal(given.bytes_per_token, 2 * 36 * 8 * 128 * 2); // K and V, layers, heads, their size, bfloat16
    report.engine = KVB_LOG_UNKNOWN_ENGINE;
    report.release = 0;
    (void)snprintf(question.deployment.engine, sizeof question.deployment.engine, "vllm@0.11.0");
    give();
    assert_true(given.model_known); // a flag says what the log does not
    assert_int_equal(given.release, V(11, 0));
    (void)snprintf(question.deployment.model, sizeof question.deployment.model, "openai/gpt-oss-20b");
    give();
    assert_true(given.model_known);
    assert_int_equal(given.bytes_per_token, 0); // layers with a window are no plain multiple of tokens
}

static void which_card(void **state)
{
    (void)state;
    struct kvb_deployment *deployment = &question.deployment;
    (void)snprintf(deployment->gpu, sizeof deployment->gpu, "l4");
    give();
    uint64_t linux_bytes = given.gpu_memory_bytes;
    assert_true(linux_bytes > 21 * (uint64_t)GIB && linux_bytes < 24 * (uint64_t)GIB);
    deployment->platform_set = true;
    deployment->platform = KVB_PLATFORM_LINUX;
    give();
    assert_int_equal(given.gpu_memory_bytes, linux_bytes);
    deployment->platform = KVB_PLATFORM_WSL2;
    (void)snprintf(deployment->gpu, sizeof deployment->gpu, "rtx-4090");
    give();
    uint64_t whole_bytes = given.gpu_memory_bytes; // WSL2 shows the whole card
    deployment->platform_set = false;
    give();
    assert_true(given.gpu_memory_bytes < whole_bytes);
    deployment->gpu_memory_bytes = 10 * (uint64_t)GIB;
    give();
    assert_int_equal(given.gpu_memory_bytes, 10 * (uint64_t)GIB);
    (void)snprintf(deployment->engine, sizeof deployment->engine, "vllm@nonsense!");
    assert_int_not_equal(kvb_log_given_by(deployment, &report, &given, &problems), KVB_OK);
    assert_int_equal(given.release, 0);
}

// 3.75 GiB of Qwen3-8B on 0.11.0: 147,456 B a token, blocks of 16: 27,296 tokens.
static void tokens_and_need(void **state)
{
    (void)state;
    static const char tokens[] = "tokens from this pool and this model";
    static const char need[] = "KV cache one request needs, from its length and this model";
    see(KVB_OBS_KV_CACHE, 15 * GIB / 4);
    see(KVB_OBS_KV_TOKENS, 27296);
    see(KVB_OBS_NEEDED, 1207959552); // 8,192 tokens x 147,456
    see(KVB_OBS_NEEDED_FOR_LEN, 8192);
    give();
    kvb_log_check_budget(&question.deployment, &report, &given);
    assert_non_null(check(tokens));
    assert_int_equal(check(tokens)->computed, 27296);
    assert_true(check(tokens)->agrees);
    assert_int_equal(check(need)->computed, 1207959552);
    assert_true(check(need)->agrees);
    report.check_count = 0;
    see(KVB_OBS_KV_TOKENS, 20000);
    see(KVB_OBS_NEEDED, 1500000000);
    kvb_log_check_budget(&question.deployment, &report, &given);
    assert_false(check(tokens)->agrees);
    assert_false(check(need)->agrees);
    report.check_count = 0;
    see(KVB_OBS_KV_TOKENS, 40000); // more than the pool holds
    see(KVB_OBS_NEEDED, 1000000000);
    kvb_log_check_budget(&question.deployment, &report, &given);
    assert_false(check(tokens)->agrees);
    assert_false(check(need)->agrees);
    report.check_count = 0;
    see(KVB_OBS_KV_CACHE, 1024); // less than is printed
    report.observed[KVB_OBS_NEEDED].set = false;
    kvb_log_check_budget(&question.deployment, &report, &given);
    assert_int_equal(report.check_count, 0);
    report.observed[KVB_OBS_KV_TOKENS].set = false;
    see(KVB_OBS_KV_CACHE, GIB);
    kvb_log_check_budget(&question.deployment, &report, &given);
    report.observed[KVB_OBS_KV_CACHE].set = false;
    kvb_log_check_budget(&question.deployment, &report, &given);
    assert_int_equal(report.check_count, 0);
    given.model_known = false;
    see(KVB_OBS_NEEDED, 1000000000);
    kvb_log_check_budget(&question.deployment, &report, &given);
    assert_int_equal(report.check_count, 0);
}

// The length is the one the log computed with, where no setting says another.
static void which_length(void **state)
{
    (void)state;
    static const char need[] = "KV cache one request needs, from its length and this model";
    see(KVB_OBS_NEEDED, 603979776); // 4,096 tokens
    see(KVB_OBS_CONCURRENCY_LEN, 4096);
    give();
    kvb_log_check_budget(&question.deployment, &report, &given);
    assert_true(check(need)->agrees);
    report.check_count = 0;
    kvb_settings_set(&report.settings, KVB_SET_MAX_MODEL_LEN, 8192, KVB_ORIGIN_COMMAND);
    kvb_log_check_budget(&question.deployment, &report, &given);
    assert_int_equal(check(need)->computed, 1207959552);
    report.check_count = 0;
    kvb_settings_set(&question.deployment.settings, KVB_SET_MAX_MODEL_LEN, 4096, KVB_ORIGIN_FLAG); // a flag wins
    kvb_log_check_budget(&question.deployment, &report, &given);
    assert_int_equal(check(need)->computed, 603979776);
}

// What a start is planned with, and no longer a length than the run itself measured.
static void the_next_start(void **state)
{
    (void)state;
    struct kvb_log_next next;
    see(KVB_OBS_GPU_MEMORY, 19 * GIB);
    give();
    assert_true(kvb_log_plan(&question, &report, &given, &next));
    assert_int_equal(next.now, KVB_DOES_NOT_FIT);
    assert_non_null(strstr(next.line, "vllm serve Qwen/Qwen3-8B --max-model-len "));
    kvb_free(next.line);
    see(KVB_OBS_ESTIMATED_MAX_MODEL_LEN, 1008);
    assert_true(kvb_log_plan(&question, &report, &given, &next));
    assert_non_null(strstr(next.line, "--max-model-len 1008"));
    kvb_free(next.line);
    see(KVB_OBS_ESTIMATED_MAX_MODEL_LEN, 1000000); // nothing is made longer by it
    assert_true(kvb_log_plan(&question, &report, &given, &next));
    assert_null(strstr(next.line, "--max-model-len 1000000"));
    kvb_free(next.line);
    see(KVB_OBS_ESTIMATED_MAX_MODEL_LEN, 0);
    see(KVB_OBS_KV_CACHE, -8 * GIB); // far below what is computed: nothing is offered
    assert_true(kvb_log_plan(&question, &report, &given, &next));
    assert_null(next.line);
}

static void no_next_start(void **state)
{
    (void)state;
    struct kvb_log_next next;
    give();
    assert_false(kvb_log_plan(&question, &report, &given, &next)); // no card
    (void)snprintf(question.deployment.gpu, sizeof question.deployment.gpu, "l4");
    assert_true(kvb_log_plan(&question, &report, &given, &next));
    kvb_free(next.line);
    report.release = 0;
    assert_false(kvb_log_plan(&question, &report, &given, &next)); // no release
    (void)snprintf(question.deployment.engine, sizeof question.deployment.engine, "vllm@0.11.0");
    assert_true(kvb_log_plan(&question, &report, &given, &next));
    kvb_free(next.line);
    report.failure.about_memory = KVB_LOG_NO;
    assert_false(kvb_log_plan(&question, &report, &given, &next));
    report.failure.about_memory = KVB_LOG_YES;
    report.verdict = KVB_LOG_HEALTHY;
    assert_false(kvb_log_plan(&question, &report, &given, &next));
    report.verdict = KVB_LOG_FAILED;
    given.model_known = false;
    assert_false(kvb_log_plan(&question, &report, &given, &next));
    given.model_known = true;
    report.engine = KVB_LOG_TGI;
    assert_false(kvb_log_plan(&question, &report, &given, &next));
    report.engine = KVB_LOG_VLLM;
    (void)snprintf(question.deployment.model, sizeof question.deployment.model, "nobody/knows-this-one");
    assert_false(kvb_log_plan(&question, &report, &given, &next));
    assert_null(next.line);
}

// Bytes that are packed or of a program are no log; packed ones in which lines are known still are.
static void no_logs(void **state)
{
    (void)state;
    static const char gzip[] = "\x1f\x8b\x08 and more\n\0\0\0\0\0\0\0\0", line[] = "hello\n";
    assert_int_equal(kvb_log_read("a.gz", gzip, sizeof gzip - 1, &report, &problems), KVB_BAD_SYNTAX);
    assert_string_equal(problems.items[0].text,
                        "this is compressed with gzip; expected text: unpack it on the way, as in "
                        "'gzip -dc < LOG | kvbudget explain'");
    kvb_problems_init(&problems);
    assert_int_equal(kvb_log_read("a", line, sizeof line - 1, &report, &problems), KVB_OK);
    (void)kvb_memory_fail_once(1);
    assert_int_equal(kvb_log_read("a", line, sizeof line - 1, &report, &problems), KVB_NO_MEMORY);
    (void)kvb_memory_fail_once(1);
    assert_int_equal(kvb_log_load("a", &report, &problems), KVB_NO_MEMORY);
    (void)kvb_memory_fail_once(0);
    assert_string_equal(problems.items[0].text, "not enough memory to read a log");
}

static int offline(void **state)
{
    (void)state;
    return setenv("KVBUDGET_OFFLINE", "1", 1) == 0 && setenv("KVBUDGET_CACHE", "/nowhere", 1) == 0 ? 0 : -1;
}

#define TEST(name) cmocka_unit_test_setup(name, begin)

KVB_TEST_MAIN_WITH(offline, NULL, TEST(which_model), TEST(which_card), TEST(tokens_and_need), TEST(which_length),
                   TEST(the_next_start), TEST(no_next_start), TEST(no_logs))
