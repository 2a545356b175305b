// JSON of a serve line as a release's own classes take it: several members at once, and what is no JSON. Sources:
// vllm/config.py (to 0.10.2), vllm/config and vllm/engine/arg_utils.py at their tags.
#include <stdio.h>
#include <string.h>

#include "base/text.h"
#include "engines/vllm/serve.h"
#include "unit/test.h"

#define R(minor, patch) KVB_RELEASE(0, minor, patch)
#define UNEXPECTED "Unexpected keyword argument"

static const char *said(uint32_t release, const char *lines)
{
    static struct kvb_deployment deployment;
    static char out[256];
    struct kvb_engine engine = {.release = release};
    (void)snprintf(engine.version, sizeof engine.version, "0.%u.%u", release / 10000, release / 100 % 100);
    kvb_deployment_init(&deployment);
    (void)kvb_copy(deployment.serve_flags, sizeof deployment.serve_flags, lines);
    out[0] = '\0';
    kvb_vllm_judge(&deployment, &engine, out);
    return out;
}

// SpeculativeConfig.__post_init__: a model called [ngram] is the method, the shorter window is looked at first, and
// null is a window that is not given; to 0.11.0 numbers have no bound of their own. A Python int has no width.
static void windows_of_ngram(void **state)
{
    (void)state;
    static const struct {
        uint32_t release;
        const char *members, *text; // "" = taken
    } rows[] = {
        {R(9, 2), "\"model\":\"[ngram]\",\"prompt_lookup_min\":5,\"prompt_lookup_max\":2",
         "prompt_lookup_min=5 must be <= prompt_lookup_max=2"},
        {R(9, 2), "\"model\":\"[ngram]\",\"prompt_lookup_min\":2,\"prompt_lookup_max\":5", ""},
        {R(9, 2), "\"method\":\"ngram\",\"prompt_lookup_min\":2,\"prompt_lookup_max\":0",
         "prompt_lookup_max=0 must be > 0"},
        {R(9, 2), "\"method\":\"ngram\",\"prompt_lookup_min\":0,\"prompt_lookup_max\":0",
         "prompt_lookup_min=0 must be > 0"},
        {R(9, 2), "\"method\":\"ngram\",\"prompt_lookup_min\":null,\"prompt_lookup_max\":4", ""},
        {R(27, 1), "\"method\":\"ngram\",\"prompt_lookup_max\":1000000000000000000000 , \"prompt_lookup_min\" : 5 ",
         ""},
    };
    for (size_t i = 0; i < sizeof rows / sizeof rows[0]; i++) {
        char line[256];
        (void)snprintf(line, sizeof line, "\n--speculative-config {\"num_speculative_tokens\":3,%s}", rows[i].members);
        assert_string_equal(said(rows[i].release, line), rows[i].text);
    }
}

// KVConnectorFactory v0.12.0: a class that is not registered is looked up in the module that is named.
static void connectors_of_modules(void **state)
{
    (void)state;
    assert_string_equal(said(R(12, 0), "\n--kv-transfer-config {\"kv_connector\":\"Mine\",\"kv_role\":\"kv_both\"}"),
                        "Unsupported connector type: Mine");
    assert_string_equal(said(R(12, 0), "\n--kv-transfer-config {\"kv_connector\":\"Mine\",\"kv_role\":\"kv_both\","
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
    assert_non_null(strstr(said(R(27, 1), "\n--compilation-config {\"inductor_compile_config\":{\"a\":{}},"
                                          "\"pass_config\":{\"enable_async_tp\":false}}"),
                           "enable_async_tp: " UNEXPECTED));
    assert_string_equal(said(R(27, 1), "\n--compilation-config {\"inductor_compile_config\":{\"a\":{}},"
                                       "\"pass_config\":{\"fuse_gemm_comms\":false}}"),
                        "");
    (void)snprintf(line, sizeof line, "\n--eplb-config {\"%s\":3}", letters);
    assert_non_null(strstr(said(R(16, 0), line), UNEXPECTED));
    assert_non_null(strstr(said(R(16, 0), "\n--eplb-config {\"window-size\":3}"), "window-size: " UNEXPECTED));
    assert_string_equal(said(R(16, 0), "\n--eplb-config {\"window_size\":3}"), "");
}

// arg_utils.py v0.16.0 parse_dataclass: JSON that is cut off is no mapping, so no key of it is unexpected; `window` of
// a whole one is, with an escaped quote too. The lines behind are judged for themselves.
static void json_that_is_none(void **state)
{
    (void)state;
    static const char *const values[] = {"{\"window\":3",  "{\"window\": \"a", "{\"window\":\"\\", "{\"window",
                                         "{\"window\" 3}", "{\"window\":}",    "{\"window\": }",   "{\"window\\\":3}"};
    assert_non_null(strstr(said(R(16, 0), "\n--eplb-config {\"window\":3}"), "window: " UNEXPECTED));
    assert_non_null(
        strstr(said(R(16, 0), "\n--kv-transfer-config {\"engine_id\":\"a\\\"},\\\\\",\"window\":3}"), UNEXPECTED));
    for (size_t i = 0; i < sizeof values / sizeof values[0]; i++) {
        char line[128];
        (void)snprintf(line, sizeof line, "\n--eplb-config %s", values[i]);
        assert_null(strstr(said(R(16, 0), line), UNEXPECTED));
        (void)snprintf(line, sizeof line, "\n--eplb-config %s\n--served-model-name a\"}\n--max-num-seqs 4k", values[i]);
        assert_string_equal(said(R(16, 0), line), "argument --max-num-seqs: invalid int value: '4k'");
    }
}

KVB_TEST_MAIN(cmocka_unit_test(windows_of_ngram), cmocka_unit_test(connectors_of_modules),
              cmocka_unit_test(keys_that_no_class_has), cmocka_unit_test(json_that_is_none))
