// JSON of a serve line as a release's own classes take it: several members at once, and what is no JSON. Sources:
// vllm/config.py (to 0.10.2), vllm/config and vllm/engine/arg_utils.py at their tags.
#include <stdio.h>
#include <string.h>

#include "base/text.h"
#include "unit/judged_lines.h"

#define UNEXPECTED "Unexpected keyword argument"

// SpeculativeConfig.__post_init__: a model called [ngram] is the method, the shorter window is looked at first, and
// null is a window that is not given; to 0.11.0 numbers have no bound of their own. A Python int has no width.
static void windows_of_ngram(void **state)
{
    (void)state;
#define NGRAM(members) "\n--speculative-config {\"num_speculative_tokens\":3," members "}"
    static const struct judged_row rows[] = {
        {R(9, 2), NGRAM("\"model\":\"[ngram]\",\"prompt_lookup_min\":5,\"prompt_lookup_max\":2"),
         "prompt_lookup_min=5 must be <= prompt_lookup_max=2"},
        {R(9, 2), NGRAM("\"model\":\"[ngram]\",\"prompt_lookup_min\":2,\"prompt_lookup_max\":5"), TAKEN},
        {R(9, 2), NGRAM("\"method\":\"ngram\",\"prompt_lookup_min\":2,\"prompt_lookup_max\":0"),
         "prompt_lookup_max=0 must be > 0"},
        {R(9, 2), NGRAM("\"method\":\"ngram\",\"prompt_lookup_min\":0,\"prompt_lookup_max\":0"),
         "prompt_lookup_min=0 must be > 0"},
        {R(9, 2), NGRAM("\"method\":\"ngram\",\"prompt_lookup_min\":null,\"prompt_lookup_max\":4"), TAKEN},
        {R(27, 1),
         NGRAM("\"method\":\"ngram\",\"prompt_lookup_max\":1000000000000000000000 , \"prompt_lookup_min\" : 5 "),
         TAKEN},
    };
    WALK(rows);
}

// Whole numbers before another member, and types that 0.9.0's own dataclasses take as they come.
static void types_of_members(void **state)
{
    (void)state;
    assert_string_equal(judged(R(16, 0), "\n--kv-transfer-config {\"kv_parallel_size\":2,\"kv_role\":\"kv_both\","
                                         "\"kv_connector\":\"NixlConnector\"}"),
                        "");
    assert_non_null(
        strstr(judged(R(16, 0), "\n--kv-transfer-config {\"kv_parallel_size\":\"x\",\"kv_role\":\"kv_both\","
                                "\"kv_connector\":\"NixlConnector\"}"),
               "valid integer"));
    assert_string_equal(judged(R(9, 0), "\n--kv-transfer-config {\"kv_parallel_size\":\"x\",\"kv_role\":\"kv_both\"}"),
                        "");
}

// KVConnectorFactory v0.12.0: a class that is not registered is looked up in the module that is named.
static void connectors_of_modules(void **state)
{
    (void)state;
    assert_string_equal(judged(R(12, 0), "\n--kv-transfer-config {\"kv_connector\":\"Mine\",\"kv_role\":\"kv_both\"}"),
                        "Unsupported connector type: Mine");
    assert_string_equal(judged(R(12, 0), "\n--kv-transfer-config {\"kv_connector\":\"Mine\",\"kv_role\":\"kv_both\","
                                         "\"kv_connector_module_path\":\"my.module\"}"),
                        "");
}

// PassConfig v0.27.1 has fuse_gemm_comms and no enable_async_tp; what stands before it is passed over. EPLBConfig
// v0.16.0 has no key of sixty letters, and none with dashes.
static void keys_that_no_class_has(void **state)
{
    (void)state;
    static const char letters[] = "abcdefghijklmnopqrstuvwxyzabcdefghijklmnopqrstuvwxyzabcdefgh";
    char line[128];
    assert_non_null(strstr(judged(R(27, 1), "\n--compilation-config {\"inductor_compile_config\":{\"a\":{}},"
                                            "\"pass_config\":{\"enable_async_tp\":false}}"),
                           "enable_async_tp: " UNEXPECTED));
    assert_string_equal(judged(R(27, 1), "\n--compilation-config {\"inductor_compile_config\":{\"a\":{}},"
                                         "\"pass_config\":{\"fuse_gemm_comms\":false}}"),
                        "");
    (void)snprintf(line, sizeof line, "\n--eplb-config {\"%s\":3}", letters);
    assert_non_null(strstr(judged(R(16, 0), line), UNEXPECTED));
    assert_non_null(strstr(judged(R(16, 0), "\n--eplb-config {\"window-size\":3}"), "window-size: " UNEXPECTED));
    assert_string_equal(judged(R(16, 0), "\n--eplb-config {\"window_size\":3}"), "");
}

// arg_utils.py v0.16.0 parse_dataclass: JSON that is cut off is refused as such. With a $ in it a shell would have
// filled it in, so that nobody can say what it is; the lines behind are judged for themselves.
static void json_that_is_none(void **state)
{
    (void)state;
    static const char *const values[] = {"{\"window\":3",  "{\"window\": \"a", "{\"window\":\"\\", "{\"window",
                                         "{\"window\" 3}", "{\"window\":}",    "{\"window\": }",   "{\"window\\\":3}"};
    assert_non_null(strstr(judged(R(16, 0), "\n--eplb-config {\"window\":3}"), "window: " UNEXPECTED));
    assert_non_null(
        strstr(judged(R(16, 0), "\n--kv-transfer-config {\"engine_id\":\"a\\\"},\\\\\",\"window\":3}"), UNEXPECTED));
    for (size_t i = 0; i < sizeof values / sizeof values[0]; i++) {
        char line[128];
        (void)snprintf(line, sizeof line, "\n--eplb-config %s", values[i]);
        assert_true(kvb_starts_with(judged(R(16, 0), line), "argument --eplb-config: invalid JSON at "));
        (void)snprintf(line, sizeof line, "\n--eplb-config %s$X\n--max-num-seqs 4k", values[i]);
        assert_string_equal(judged(R(16, 0), line), "argument --max-num-seqs: invalid int value: '4k'");
        (void)snprintf(line, sizeof line, "\n--eplb-config %s$X", values[i]);
        assert_string_equal(judged(R(16, 0), line), "");
    }
}

#define INVALID(flag) "argument " flag ": invalid JSON at "
#define KEY_VALUE "argument --limit-mm-per-prompt: Each item should be in the form KEY=VALUE"

// Readers by release, from arg_utils.py, cli_args.py and config.py at the tags: --limit-mm-per-prompt was
// nullable_kvs to 0.8.4, any mapping was either form from 0.8.5 to 0.9.2; --compilation-config was a literal of Python
// to 0.8.5 and a level alone; 3k is a number of a class from 0.20.0 on, and of json.loads never.
static void values_by_release(void **state)
{
    (void)state;
    static const struct judged_row rows[] = {
        {R(8, 4), "\n--limit-mm-per-prompt {\"image\": 2}", KEY_VALUE},
        {R(8, 4), "\n--limit-mm-per-prompt image=2", TAKEN},
        {R(8, 4), "\n--limit-mm-per-prompt image=2,video=10", TAKEN},
        {R(8, 4), "\n--limit-mm-per-prompt image=2,video", KEY_VALUE},
        {R(8, 4), "\n--limit-mm-per-prompt image=two", KEY_VALUE},
        {R(8, 4), "\n--limit-mm-per-prompt image=2x", KEY_VALUE},
        {R(8, 5), "\n--limit-mm-per-prompt image=2", TAKEN},
        {R(8, 5), "\n--limit-mm-per-prompt {\"image\": 2}", TAKEN},
        {R(9, 2), "\n--mm-processor-kwargs num_crops=4", TAKEN},
        {R(9, 2), "\n--limit-mm-per-prompt image", INVALID("--limit-mm-per-prompt") "'image', where one expects {"},
        {R(10, 0), "\n--limit-mm-per-prompt image=2",
         INVALID("--limit-mm-per-prompt") "'image=2', where one expects {"},
        {R(10, 0), "\n--limit-mm-per-prompt {\"image\": 2}", TAKEN},
        {R(8, 5), "\n--compilation-config {'level': 3, 'use_cudagraph': True,}", TAKEN},
        {R(8, 5), "\n--compilation-config {\"level\": 3, \"use_cudagraph\": true}",
         INVALID("--compilation-config") "'true}', where one expects a value: text in quotes, a number, True, False, "
                                         "None, { or ["},
        {R(8, 5), "\n--compilation-config 3", TAKEN},
        {R(8, 5), "\n--compilation-config a", INVALID("--compilation-config") "'a', where one expects {"},
        {R(9, 0), "\n--compilation-config {'level': 3}",
         INVALID("--compilation-config") "''level': 3}', where one expects a name in double quotes"},
        {R(12, 0), "\n-cc {'mode': 3}",
         INVALID("--compilation-config") "''mode': 3}', where one expects a name in double quotes"},
        {R(12, 0), "\n-cc {\"mode\": 3}", TAKEN},
        {R(12, 0), "\n-cc.mode 3", TAKEN},
        {R(16, 0), "\n--default-chat-template-kwargs 12",
         INVALID("--default-chat-template-kwargs") "'12', where one expects {"},
        {R(16, 0), "\n--default-chat-template-kwargs []", TAKEN},
        {R(12, 0), "\n-dp 2", TAKEN},
        {R(20, 0), "\n--eplb-config {\"window_size\": 3k}", TAKEN},
        {R(19, 1), "\n--eplb-config {\"window_size\": 3k}",
         INVALID("--eplb-config") "'k}', where one expects a comma or }"},
        {R(20, 0), "\n--speculative-config {\"num_speculative_tokens\": 3k}",
         INVALID("--speculative-config") "'k}', where one expects a comma or }"},
        {R(20, 0), "\n--speculative-config {'method':'ngram','num_speculative_tokens':3,'prompt_lookup_max':3}",
         INVALID("--speculative-config") "''method':'ngram','num_speculative_tokens...', where one expects a name in "
                                         "double quotes"},
        {R(20, 0), "\n--additional-config {\"a\": [1, 2}",
         INVALID("--additional-config") "'}', where one expects a "
                                        "comma or ]"},
        {R(20, 0), "\n--additional-config {\"a\": 1",
         INVALID("--additional-config") "its end, where one expects a comma "
                                        "or }"},
        {R(20, 0), "\n--additional-config None", TAKEN},
        {R(20, 0), "\n--additional-config nano", INVALID("--additional-config") "'nano', where one expects {"},
        {R(20, 0), "\n--additional-config {{ .Values.more }}", TAKEN},
        {R(20, 0), "\n--additional-config {",
         INVALID("--additional-config") "its end, where one expects a name in "
                                        "double quotes"},
        {R(20, 0), "\n--additional-config", "argument --additional-config: expected one argument"},
        {R(20, 0), "\n--additional-config=", TAKEN},
        {R(20, 0), "\n--additional-config ", TAKEN}, // an empty word
        {R(24, 0), "\n--device", "argument --device-ids: expected one argument"},
        {R(24, 0), "\n--device\n--port 1", "argument --device-ids: expected one argument"},
        {R(20, 0), "\n--max-n 4", "ambiguous option: --max-n could match several flags"},
        {R(9, 1), "\n--cuda-graph-sizes 1  2 $MORE", TAKEN},
        {R(9, 1), "\n--cuda-graph-sizes abcd", "argument --cuda-graph-sizes: invalid int value: 'abcd'"},
        {R(11, 1), "\n--cudagraph-capture-sizes None", TAKEN},
        {R(11, 1), "\n--cudagraph-capture-sizes [1,2]", TAKEN}, // as a log prints it
        {R(11, 1), "\n--cudagraph-capture-sizes=1 2 3 4 5 6 7 8 9 10 11 12 13 14 15 16 17 18",
         "argument --cudagraph-capture-sizes: Value 1 2 3 4 5 6 7 8 9 10 11 12 13 14 15 16 1 cannot be converted to "
         "<class 'int'>."},
        {R(20, 0), "\n--compilation-config", "argument --compilation-config: expected one argument"},
        {R(20, 0), "\n--allowed-origins *", INVALID("--allowed-origins") "'*', where one expects ["},
        {R(20, 0), "\n--allowed-origins [\"*\"]", TAKEN},
    };
    WALK(rows);
}

KVB_TEST_MAIN(cmocka_unit_test(windows_of_ngram), cmocka_unit_test(connectors_of_modules),
              cmocka_unit_test(types_of_members), cmocka_unit_test(keys_that_no_class_has),
              cmocka_unit_test(json_that_is_none), cmocka_unit_test(values_by_release))
