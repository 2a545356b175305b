// One call: the document is the tool's own, and what cannot be answered is a document with places.
#include <string.h>

#include <kvbudget/ask.h>

#include "unit/test.h"

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
    holds("{\"deployment\": {\"name\": \"d\", \"model\": \"Qwen/Qwen3-8B\", \"gpu\": \"l4\"}}", "\"verdict\": ");
    holds("{\"command\": \"explain\", \"log\": \"ValueError: No available memory for the cache blocks.\"}",
          "\"schema\": \"kvbudget.explain/1\"");
    holds("{\"command\": \"check\", \"paths\": [\"" KVB_SOURCE_DIR "/tests/fixtures/manifests/gate\"]}",
          "\"schema\": \"kvbudget.check/1\"");
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

KVB_TEST_MAIN(cmocka_unit_test(ways_to_ask), cmocka_unit_test(refusals_are_documents),
              cmocka_unit_test(what_does_not_go_in_is_cut))
