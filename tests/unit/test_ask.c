// One call: the document is the tool's own, and what cannot be answered is a document with places.
#include <limits.h>
#include <signal.h>
#include <string.h>
#include <sys/time.h>

#include <kvbudget/ask.h>

#include "base/memory.h"
#include "unit/test.h"

#define FLAG_FILE KVB_SOURCE_DIR "/tests/fixtures/flag_files/plain.yaml"

static void holds(const char *request, const char *wanted)
{
    char *document = kvb_ask(request);
    assert_non_null(document);
    if (strstr(document, wanted) == NULL) {
        fail_msg("%s gives %.400s, without %s", request, document, wanted);
    }
    kvb_ask_free(document);
}

static void ways_to_ask(void **state)
{
    (void)state;
    holds("{\"model\": \"Qwen/Qwen3-8B\", \"gpu\": \"l4\"}", "\"schema\": \"kvbudget.plan/1\"");
    holds("{\"model\": \"Qwen/Qwen3-8B\", \"gpu\": \"l4\", \"max_model_len\": 4096, \"enforce_eager\": true}",
          "\"enforce_eager\": true");
    holds("{\"line\": \"vllm serve Qwen/Qwen3-8B --max-model-len 4096\", \"gpu\": \"l4\"}", "\"max_model_len\": 4096");
    holds("{\"line\": [\"vllm\", \"serve\", \"Qwen/Qwen3-8B\"], \"gpu\": \"l4\"}", "\"Qwen/Qwen3-8B\"");
    holds("{\"line\": \"vllm serve --config " FLAG_FILE "\", \"gpu\": \"l4\"}", "\"max_model_len\": 8192");
    holds("{\"line\": [\"vllm\", \"serve\", \"--config\", \"" FLAG_FILE "\"], \"gpu\": \"l4\"}",
          "\"max_model_len\": 8192");
    holds("{\"line\": [\"vllm\", \"serve\", \"--config\", \"gone.yaml\"], \"gpu\": \"l4\"}",
          "\"code\": \"cannot_open\"");
    holds("{\"deployment\": {\"name\": \"d\", \"model\": \"Qwen/Qwen3-8B\", \"gpu\": \"l4\"}}", "\"verdict\": ");
    holds("{\"command\": \"explain\", \"log\": \"ValueError: No available memory for the cache blocks.\"}",
          "\"schema\": \"kvbudget.explain/1\"");
    holds("{\"command\": \"record\", \"gpu\": \"l4\", \"log\": \"ValueError: No available memory for the cache "
          "blocks.\"}",
          "no row: the log does not say its release; give --engine vllm@RELEASE");
    holds(
        "{\"model\": \"Qwen/Qwen3-8B\", \"gpu\": \"l4\", \"line\": [\"docker\", \"run\", \"vllm/vllm-openai:v0.11.0\", "
        "\"--model\", \"Qwen/Qwen3-4B\"]}",
        "\"version\": \"0.11.0\"");
    holds("{\"command\": \"check\", \"paths\": [\"" KVB_SOURCE_DIR "/tests/fixtures/manifests/gate\"]}",
          "\"schema\": \"kvbudget.check/1\"");
}

// An object is a flag's JSON and a list of numbers one flag's value; what a sweep varies is a list, too.
static void values_of_more_than_one_word(void **state)
{
    (void)state;
    holds("{\"model\": \"Qwen/Qwen2.5-VL-7B-Instruct\", \"gpu\": \"l40s\", \"limit_mm_per_prompt\": {\"image\": 3}}",
          "\"limit_images\": 3");
    holds("{\"model\": \"Qwen/Qwen3-8B\", \"gpu\": \"l4\", \"hf_overrides\": {\"max_position_embeddings\": 5000}}",
          "\"max_model_len\": 5000");
    holds("{\"model\": \"Qwen/Qwen3-8B\", \"gpu\": \"l4\", \"cudagraph_capture_sizes\": [1, 2, 4]}",
          "\"max_cudagraph_capture_size\": 4");
    holds(
        "{\"command\": \"sweep\", \"model\": \"Qwen/Qwen3-8B\", \"gpu\": [\"l4\", \"l40s\"], \"max_model_len\": [4096, "
        "8192]}",
        "\"planned\": 4");
    holds("{\"command\": \"sweep\", \"model\": \"Qwen/Qwen3-8B\", \"gpu\": [\"l4\", [1]]}",
          "gpu: expected texts or numbers");
    holds("{\"command\": \"sweep\", \"model\": \"Qwen/Qwen3-8B\", \"gpu\": [\"l4\", null]}",
          "gpu: expected texts or numbers");
    holds("{\"model\": \"Qwen/Qwen3-8B\", \"gpu\": [\"l4\", \"l40s\"]}", "--gpu is given twice");
}

static void refusals_are_documents(void **state)
{
    (void)state;
    holds("", "\"schema\": \"kvbudget.error/1\"");
    holds("[1]", "request: expected an object");
    holds("{\"command\": \"manual\"}", "expected a command with a JSON document");
    holds("{\"modl\": \"x\"}", "unknown flag '--modl'; did you mean '--model'?");
    holds("{\"model\": {\"a\": 1}}", "model: expected a text, a number, true or false, or a list of them");
    holds("{\"deployment\": {\"name\": \"x\",\n \"modl\": 1}}", "\"line\": 2");
    holds("{\"model\": \"Qwen/Qwen3-8B\", \"append\": \"x\"}", "a request writes no file and chooses no format");
    holds("{\"paths\": [\"--policy=x\"], \"command\": \"check\"}", "expected a path");
    holds("{\"line\": \"x\", \"log\": \"y\"}", "one of deployment, line and log at a time");
    holds("{\"model\": \"Qwen/Qwen3-8B\", \"gpu\": \"h1000\"}", "\"exit_code\": 3");
    holds("{\"deployment\": 3}", "deployment: expected an object with the keys of a deployment profile");
    holds("{\"line\": {\"a\": 1}}", "line: expected a text or a list of words");
    holds("{\"line\": [\"vllm\", [1]]}", "line: expected a text or a list of words");
    holds("{\"command\": \"explain\", \"log\": [\"x\"]}", "log: expected the text of a log");
    holds("{\"command\": \"check\", \"paths\": \"x\"}", "paths: expected a list");
    holds("{\"command\": \"check\", \"paths\": [[\"x\"]]}", "paths: expected a path");
    holds("{\"command\": [\"plan\"], \"model\": \"Qwen/Qwen3-8B\", \"gpu\": \"l4\"}",
          "expected a command with a JSON document");
    holds("{\"command\": \"nosuch\"}", "expected a command with a JSON document");
    holds("{\"gpu\": \"l4\", \"gpu\": \"l4\"}", "\"code\": \"duplicate_key\"");
}

// null is as good as absent, false is the flag's negation, a list says a flag several times.
static void values_of_flags(void **state)
{
    (void)state;
    holds("{\"model\": \"Qwen/Qwen3-8B\", \"gpu\": \"l4\", \"max_model_len\": null}", "\"max_model_len\": 40960");
    holds("{\"model\": \"Qwen/Qwen3-8B\", \"gpu\": \"l4\", \"enable_prefix_caching\": false}",
          "\"enable_prefix_caching\": false");
    holds("{\"model\": \"Qwen/Qwen3-8B\", \"gpu\": \"l4\", \"show\": [\"kv\", \"weights\"]}", "kvbudget.plan/1");
    holds("{\"model\": \"Qwen/Qwen3-8B\", \"gpu\": \"l4\", \"show\": [\"kv\", {\"a\": 1}]}",
          "show: expected a text, a number, true or false, or a list of them");
}

static void too_many_words(void **state)
{
    (void)state;
    static char request[8192] = "{\"line\": [\"vllm\"";
    size_t used = strlen(request);
    for (unsigned i = 0; i < 600; i++) {
        memcpy(request + used, ",\"x\"", 5);
        used += 4;
    }
    strcpy(request + used, "]}");
    holds(request, "more than 512 words");
}

// With any allocation failing there is no document, or one that says so.
static void memory_runs_out(void **state)
{
    (void)state;
    static const char request[] = "{\"deployment\": {\"name\": \"d\", \"model\": \"Qwen/Qwen3-8B\"}, \"gpu\": \"l4\"}";
    (void)kvb_memory_fail_after(ULONG_MAX);
    kvb_ask_free(kvb_ask(request));
    unsigned long count = ULONG_MAX - kvb_memory_fail_after(0);
    assert_true(count > 50);
    for (unsigned long n = 1; n <= count; n += n < 40 || n + 20 > count ? 1 : 29) {
        char some[4096];
        (void)kvb_memory_fail_once(n);
        size_t needed = kvb_ask_into(request, sizeof request - 1, some, sizeof some);
        (void)kvb_memory_fail_once(0);
        bool said = strstr(some, "\"code\": \"no_memory\"") != NULL && strstr(some, "\"verdict\"") == NULL;
        if (!(needed == 0 && some[0] == '\0') && !said) {
            fail_msg("allocation %lu: %.300s", n, some);
        }
    }
}

// A request that found no memory neither spoils the next nor is passed over because an earlier one failed too.
static void each_request_has_its_own_memory(void **state)
{
    (void)state;
    static const char request[] = "{\"deployment\": {\"name\": \"d\", \"model\": \"Qwen/Qwen3-8B\"}, \"gpu\": \"l4\"}";
    for (unsigned long n = 1; n < 60; n += 7) {
        (void)kvb_memory_fail_once(n);
        char *broken = kvb_ask(request);
        (void)kvb_memory_fail_once(0);
        assert_true(broken == NULL || strstr(broken, "\"code\": \"no_memory\"") != NULL);
        kvb_ask_free(broken);
        holds(request, "\"verdict\": \"does_not_fit\"");
    }
}

static volatile sig_atomic_t interrupts;

static void count_interrupt(int signal)
{
    (void)signal;
    interrupts++;
}

static void interrupt(int signal)
{
    (void)signal;
    (void)raise(SIGINT);
}

// A sweep that is interrupted says so; the next one is whole, and an interrupt is again its program's own.
static void interrupts_are_given_back(void **state)
{
    (void)state;
    static const char many[] = "{\"command\": \"sweep\", \"model\": \"Qwen/Qwen3-8B\", \"gpu\": \"l4\", "
                               "\"max_model_len\": \"1..1024:+1\", \"max_num_seqs\": \"1..64:+1\"}";
    static const char few[] = "{\"command\": \"sweep\", \"model\": \"Qwen/Qwen3-8B\", \"gpu\": \"l4\", "
                              "\"max_model_len\": \"1024,2048\"}";
    const struct itimerval often = {{0, 20000}, {0, 20000}}, never = {{0, 0}, {0, 0}};
    struct sigaction counts, interrupts_it, after;
    memset(&counts, 0, sizeof counts);
    interrupts_it = counts;
    counts.sa_handler = count_interrupt;
    interrupts_it.sa_handler = interrupt;
    assert_true(sigaction(SIGINT, &counts, NULL) == 0 && sigaction(SIGALRM, &interrupts_it, NULL) == 0);
    assert_int_equal(setitimer(ITIMER_REAL, &often, NULL), 0);
    holds(many, "interrupted after ");
    assert_int_equal(setitimer(ITIMER_REAL, &never, NULL), 0);
    holds(few, "\"schema\": \"kvbudget.sweep/1\"");
    interrupts = 0;
    (void)raise(SIGINT);
    assert_int_equal(interrupts, 1);
    assert_true(sigaction(SIGINT, NULL, &after) == 0 && after.sa_handler == count_interrupt);
}

static void what_does_not_go_in_is_cut(void **state)
{
    (void)state;
    static const char request[] = "{\"model\": \"Qwen/Qwen3-8B\", \"gpu\": \"l4\"}";
    char some[16];
    char *whole = kvb_ask(request);
    assert_non_null(whole);
    size_t needed = kvb_ask_into(request, sizeof request - 1, some, sizeof some);
    assert_int_equal(needed, strlen(whole));
    assert_int_equal(strlen(some), sizeof some - 1);
    assert_memory_equal(some, whole, sizeof some - 1);
    assert_int_equal(kvb_ask_into(request, sizeof request - 1, NULL, 0), needed);
    kvb_ask_free(whole);
    kvb_ask_free(NULL);
}

KVB_TEST_MAIN(cmocka_unit_test(ways_to_ask), cmocka_unit_test(values_of_more_than_one_word),
              cmocka_unit_test(refusals_are_documents), cmocka_unit_test(values_of_flags),
              cmocka_unit_test(too_many_words), cmocka_unit_test(memory_runs_out),
              cmocka_unit_test(each_request_has_its_own_memory), cmocka_unit_test(interrupts_are_given_back),
              cmocka_unit_test(what_does_not_go_in_is_cut))
