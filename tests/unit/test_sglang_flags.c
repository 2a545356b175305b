// What each release's parser takes and refuses: python/sglang/srt/server_args.py of sgl-project/sglang by release.
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <string.h>

#include <cmocka.h>

#include "base/text.h"
#include "engines/sglang/known_flags.h"
#include "engines/sglang/serve.h"
#include "unit/test.h"

#define R(minor, patch) KVB_RELEASE(0, minor, patch)

// Flags as the reader of a command notes them; what the release says.
struct row {
    uint32_t release;
    bool module;
    const char *flags, *said;
};
static const struct row rows[] = {
    {R(5, 6), true, "\n--model-path m\n--tp-size 2\n--mem-fraction-static 0.8", ""},
    {R(5, 6), true, "\n--tp 2\n--mem-frac 0.8", ""}, // beginnings of one flag
    {R(5, 6), true, "\n--mem_fraction_static 0.8",
     "launch_server.py: error: unrecognized arguments: --mem_fraction_static 0.8"},
    {R(5, 6), true, "\n--foo\n--tp 2\n--bar=1", "launch_server.py: error: unrecognized arguments: --foo --bar=1"},
    {R(5, 9), false, "\n--foo", "sglang: error: unrecognized arguments: --foo"},
    {R(5, 10), true, "\n--foo", "sglang serve: error: unrecognized arguments: --foo"},
    {R(5, 10), false, "\n--foo", "sglang serve: error: unrecognized arguments: --foo"},
    // 0.4.9.post3 brings --enable-lora, 0.4.6 --page-size's release is 0.4.4
    {R(4, 9), true, "\n--enable-lora", "launch_server.py: error: unrecognized arguments: --enable-lora"},
    {R(4, 9) + 3, true, "\n--enable-lora", ""},
    {R(4, 3), true, "\n--page-size 64", "launch_server.py: error: unrecognized arguments: --page-size 64"},
    {R(4, 4), true, "\n--page-size 64", ""},
    // 0.5.18 takes --torchao-config away; releases found by date are not told apart from their neighbours
    {R(5, 12), true, "\n--torchao-config int8wo", ""},
    // argparse.BooleanOptionalAction: a --no- form; for other flags, and others' names, there is none
    {R(5, 16), true, "\n--no-dllm-fdfo", ""},
    {R(5, 9), true, "\n--no-tp-size", "launch_server.py: error: unrecognized arguments: --no-tp-size"},
    {R(5, 9), true, "\n--no-foo\n-x", "launch_server.py: error: unrecognized arguments: --no-foo -x"},
    // a newer release may have anything
    {R(5, 19), true, "\n--foo", ""},
    {R(5, 18) + 1, true, "\n--foo", "sglang serve: error: unrecognized arguments: --foo"},
};

static void judged(void **state)
{
    (void)state;
    static struct kvb_deployment deployment;
    for (size_t i = 0; i < sizeof rows / sizeof rows[0]; i++) {
        char said[256];
        kvb_deployment_init(&deployment);
        deployment.serve_module = rows[i].module;
        (void)kvb_copy(deployment.serve_flags, sizeof deployment.serve_flags, rows[i].flags);
        kvb_sgl_judge(&deployment,
                      &(struct kvb_engine){.release = rows[i].release, .assumed = rows[i].release >= R(5, 19)}, said);
        assert_string_equal(said, rows[i].said);
    }
}

static void ambiguous(void **state)
{
    (void)state;
    static struct kvb_deployment deployment;
    char said[256];
    kvb_deployment_init(&deployment);
    (void)kvb_copy(deployment.serve_flags, sizeof deployment.serve_flags, "\n--foo\n--enable-dp");
    kvb_sgl_judge(&deployment, &(struct kvb_engine){.release = R(5, 2)}, said);
    assert_string_equal(
        said, "sglang: error: ambiguous option: --enable-dp could match --enable-dp-attention, --enable-dp-lm-head");
}

// A flag with two rows in the table, of 0.5.7 and 0.5.8, is one.
static void two_rows(void **state)
{
    (void)state;
    static struct kvb_deployment deployment;
    char said[256];
    unsigned matches;
    kvb_deployment_init(&deployment);
    (void)kvb_copy(deployment.serve_flags, sizeof deployment.serve_flags, "\n--piecewise-cuda-graph");
    kvb_sgl_judge(&deployment, &(struct kvb_engine){.release = R(5, 8)}, said);
    const char *first = strstr(said, " --piecewise-cuda-graph-tokens");
    assert_non_null(first);
    assert_null(strstr(first + 1, " --piecewise-cuda-graph-tokens"));
    assert_non_null(kvb_sgl_known_flag_of("piecewise-cuda-graph-to", 23, R(5, 8), &matches));
    assert_int_equal(matches, 1);
}

// What a flag's own reader takes, and what it says of anything else.
static void own_readers(void **state)
{
    (void)state;
    static const struct {
        const char *flag, *value, *why; // NULL: it takes it
    } rows_of[] = {
        {"chunked-prefill-size", "-1", NULL},
        {"chunked-prefill-size", "4096", NULL},
        {"chunked-prefill-size", "0", "--chunked-prefill-size '0' is not a number of tokens, nor -1"},
        {"chunked-prefill-size", "4k", "--chunked-prefill-size '4k' is not a number of tokens, nor -1"},
        {"chunked-prefill-size", " 4", "--chunked-prefill-size ' 4' is not a number of tokens, nor -1"},
        {"chunked-prefill-size", "", "--chunked-prefill-size '' is not a number of tokens, nor -1"},
        {"chunked-prefill-size", "4294967296", "--chunked-prefill-size '4294967296' is not a number of tokens, nor -1"},
        {"chunked-prefill-size", "99999999999999999999",
         "--chunked-prefill-size '99999999999999999999' is not a number of tokens, nor -1"},
        {"ep-size", "8", NULL},
        {"ep-size", "0", "--ep-size '0' is not a number of GPUs"},
        {"ep-size", "x", "--ep-size 'x' is not a number of GPUs"},
        {"cuda-graph-backend-prefill", "disabled", NULL},
        {"cuda-graph-backend-prefill", "breakable", NULL},
        {"cuda-graph-backend-decode", "disabled", NULL},
        {"cuda-graph-backend-decode", "full", NULL},
    };
    for (size_t i = 0; i < sizeof rows_of / sizeof rows_of[0]; i++) {
        static struct kvb_deployment deployment;
        char why[256] = "";
        const struct kvb_serve_flag *flag;
        unsigned at = 0;
        while ((flag = kvb_sgl_flag(at++)) != NULL &&
               (flag->kind != KVB_SERVE_OWN || strcmp(flag->name, rows_of[i].flag) != 0)) {
        }
        assert_non_null(flag);
        kvb_deployment_init(&deployment);
        assert_int_equal(flag->read(rows_of[i].value, KVB_ORIGIN_FLAG, &deployment, why), rows_of[i].why == NULL);
        assert_string_equal(why, rows_of[i].why != NULL ? rows_of[i].why : "");
    }
}

static void long_lines(void **state)
{
    (void)state;
    static struct kvb_deployment deployment;
    char said[256];
    kvb_deployment_init(&deployment);
    memset(deployment.serve_flags, 'x', sizeof deployment.serve_flags - 1);
    memcpy(deployment.serve_flags, "\n--", 3);
    kvb_sgl_judge(&deployment, &(struct kvb_engine){.release = R(5, 2)}, said);
    assert_int_equal(strlen(said), 255);
}

static void values_and_neighbours(void **state)
{
    (void)state;
    assert_false(kvb_sgl_takes_value("--enable-mixed-chunk"));
    assert_true(kvb_sgl_takes_value("--schedule-policy"));
    assert_true(kvb_sgl_takes_value("--no-such-flag"));
    assert_string_equal(kvb_sgl_flag_near("--servd-model-name=x"), "served-model-name");
    assert_string_equal(kvb_sgl_flag_near("--schedule_policy"), "schedule-policy");
    assert_null(kvb_sgl_flag_near("--entirely-else-and-far-away"));
    assert_null(kvb_sgl_flag_near("-x"));
    assert_false(kvb_sgl_takes_value("--dllm-fdfo")); // with a --no- form
    char far[96];
    memset(far, 'x', sizeof far);
    memcpy(far, "--", 2);
    far[sizeof far - 1] = '\0';
    assert_null(kvb_sgl_flag_near(far)); // longer than any flag
}

// A row of the reader names the releases that the table knows the flag in; releases found by date may be one off.
static void rows_agree(void **state)
{
    (void)state;
    int wrong = 0;
    const struct kvb_serve_flag *flag;
    for (unsigned i = 0; (flag = kvb_sgl_flag(i)) != NULL; i++) {
        unsigned matches;
        uint32_t since = flag->since > 0 ? flag->since : R(2, 0);
        bool known = kvb_sgl_known_flag_of(flag->name, strlen(flag->name), 0, &matches) != NULL || matches > 1;
        bool begun = kvb_sgl_known_flag_of(flag->name, strlen(flag->name), flag->since == 0 ? since : since + 99,
                                           &matches) != NULL ||
                     matches > 1;
        bool plain = flag->serve_only || flag->kind == KVB_SERVE_NOTHING || flag->kind == KVB_SERVE_VALUE ||
                     flag->kind == KVB_SERVE_VALUES; // the table alone decides
        if (!known || (!begun && !plain)) {
            print_error("--%s: %s\n", flag->name, known ? "later than its row says" : "in no release");
            wrong++;
        }
    }
    assert_int_equal(wrong, 0);
}

KVB_TEST_MAIN(cmocka_unit_test(judged), cmocka_unit_test(ambiguous), cmocka_unit_test(long_lines),
              cmocka_unit_test(two_rows), cmocka_unit_test(own_readers), cmocka_unit_test(values_and_neighbours),
              cmocka_unit_test(rows_agree))
