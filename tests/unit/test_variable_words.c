// Values of environment variables that stop a start, by vllm/envs.py at its tags and Python's int() and float().
#include <string.h>

#include <kvbudget/input.h>

#include "command/environment.h"
#include "engines/vllm/serve.h"
#include "unit/test.h"

#define R(minor, patch) KVB_RELEASE(0, minor, patch)
#define NO_INT "ValueError: invalid literal for int() with base 10: "
#define NO_FLOAT "ValueError: could not convert string to float: "

static const char *said(uint32_t release, const char *version, const char *first, const char *second)
{
    static struct kvb_environment environment;
    static char out[256];
    struct kvb_problems problems;
    struct kvb_engine engine = {.release = release};
    kvb_problems_init(&problems);
    memset(&environment, 0, sizeof environment);
    (void)strcpy(engine.version, version);
    assert_int_equal(kvb_environment_set(first, &environment, &problems), KVB_OK);
    if (second != NULL) {
        assert_int_equal(kvb_environment_set(second, &environment, &problems), KVB_OK);
    }
    out[0] = '\0';
    bool refuses = kvb_vllm_judge_variables(environment.noted, &engine, out);
    assert_int_equal(refuses, out[0] != '\0');
    return out;
}

// VLLM_USE_DEEP_GEMM is bool(int(os.getenv(...))), VLLM_LOG_STATS_INTERVAL float(...), VLLM_KV_CACHE_LAYOUT one of NHD
// and HND, VLLM_FLOAT32_MATMUL_PRECISION one of three whatever the case (0.14), VLLM_HOST_IP any text. 0.11.0 reads a
// variable only where it is asked for.
static void values(void **state)
{
    (void)state;
    static const struct {
        uint32_t release;
        const char *assignment, *text;
    } rows[] = {
        {R(20, 0), "VLLM_USE_DEEP_GEMM=true", NO_INT "'true' (VLLM_USE_DEEP_GEMM)"},
        {R(11, 0), "VLLM_USE_DEEP_GEMM=true", ""},
        {R(11, 1), "VLLM_USE_DEEP_GEMM=true", NO_INT "'true' (VLLM_USE_DEEP_GEMM)"},
        {R(20, 0), "VLLM_USE_DEEP_GEMM=", NO_INT "'' (VLLM_USE_DEEP_GEMM)"},
        {R(20, 0), "VLLM_USE_DEEP_GEMM= +1_000 ", ""},
        {R(20, 0), "VLLM_USE_DEEP_GEMM=-1", ""},
        {R(20, 0), "VLLM_USE_DEEP_GEMM=1__0", NO_INT "'1__0' (VLLM_USE_DEEP_GEMM)"},
        {R(20, 0), "VLLM_USE_DEEP_GEMM=_1", NO_INT "'_1' (VLLM_USE_DEEP_GEMM)"},
        {R(20, 0), "VLLM_USE_DEEP_GEMM=1_", NO_INT "'1_' (VLLM_USE_DEEP_GEMM)"},
        {R(20, 0), "VLLM_USE_DEEP_GEMM=1.0", NO_INT "'1.0' (VLLM_USE_DEEP_GEMM)"},
        {R(20, 0), "VLLM_USE_DEEP_GEMM=${GEMM}", ""}, // a shell's
        {R(20, 0), "VLLM_LOG_STATS_INTERVAL=10s", NO_FLOAT "'10s' (VLLM_LOG_STATS_INTERVAL)"},
        {R(20, 0), "VLLM_LOG_STATS_INTERVAL=10", ""},
        {R(20, 0), "VLLM_LOG_STATS_INTERVAL=1.5e+1", ""},
        {R(20, 0), "VLLM_LOG_STATS_INTERVAL=.5", ""},
        {R(20, 0), "VLLM_LOG_STATS_INTERVAL=5.", ""},
        {R(20, 0), "VLLM_LOG_STATS_INTERVAL=5E-1", ""},
        {R(20, 0), "VLLM_LOG_STATS_INTERVAL=1e", NO_FLOAT "'1e' (VLLM_LOG_STATS_INTERVAL)"},
        {R(20, 0), "VLLM_LOG_STATS_INTERVAL=.5e", NO_FLOAT "'.5e' (VLLM_LOG_STATS_INTERVAL)"},
        {R(20, 0), "VLLM_LOG_STATS_INTERVAL=.", NO_FLOAT "'.' (VLLM_LOG_STATS_INTERVAL)"},
        {R(20, 0), "VLLM_LOG_STATS_INTERVAL=-Infinity", ""},
        {R(20, 0), "VLLM_LOG_STATS_INTERVAL=nan", ""},
        {R(20, 0), "VLLM_LOG_STATS_INTERVAL=nano", NO_FLOAT "'nano' (VLLM_LOG_STATS_INTERVAL)"},
        {R(20, 0), "VLLM_KV_CACHE_LAYOUT=NHD", ""},
        {R(20, 0), "VLLM_KV_CACHE_LAYOUT=nhd",
         "ValueError: Invalid value 'nhd' for VLLM_KV_CACHE_LAYOUT. Valid options: ['HND', 'NHD']."},
        {R(20, 0), "VLLM_KV_CACHE_LAYOUT=NH",
         "ValueError: Invalid value 'NH' for VLLM_KV_CACHE_LAYOUT. Valid options: ['HND', 'NHD']."},
        {R(20, 0), "VLLM_KV_CACHE_LAYOUT=NHDX",
         "ValueError: Invalid value 'NHDX' for VLLM_KV_CACHE_LAYOUT. Valid options: ['HND', 'NHD']."},
        {R(14, 0), "VLLM_FLOAT32_MATMUL_PRECISION=HIGH", ""},
        {R(14, 0), "VLLM_FLOAT32_MATMUL_PRECISION=tf32",
         "ValueError: Invalid value 'tf32' for VLLM_FLOAT32_MATMUL_PRECISION. Valid options: ['high', 'highest', "
         "'medium']."},
        {R(13, 0), "VLLM_FLOAT32_MATMUL_PRECISION=tf32", ""},
        {R(20, 0), "VLLM_HOST_IP=any", ""},
    };
    for (size_t i = 0; i < sizeof rows / sizeof rows[0]; i++) {
        assert_string_equal(said(rows[i].release, "", rows[i].assignment, NULL), rows[i].text);
    }
}

// The last of two counts; a fork may take words of its own, and a number is one everywhere.
static void twice_and_forks(void **state)
{
    (void)state;
    assert_string_equal(said(R(20, 0), "", "VLLM_USE_DEEP_GEMM=true", "VLLM_USE_DEEP_GEMM=1"), "");
    assert_non_null(strstr(said(R(20, 0), "", "VLLM_USE_DEEP_GEMM=1", "VLLM_USE_DEEP_GEMM=on"), "'on'"));
    assert_non_null(strstr(said(R(20, 0), "", "VLLM_USE_DEEP_GEMM=on", "VLLM_USE_DEEP_GEMM_E8M0=1"), "'on'"));
    assert_non_null(strstr(said(R(20, 0), "", "VLLM_USE_DEEP_GEMM=on", "VLLM_FLAT_LOGPROBS=1"), "'on'")); // as long
    assert_string_equal(said(R(20, 0), "0.20.0+fork", "VLLM_KV_CACHE_LAYOUT=nhd", NULL), "");
    assert_string_equal(said(R(13, 0), "0.13.0+fork", "VLLM_FLOAT32_MATMUL_PRECISION=no", NULL), "");
    assert_non_null(strstr(said(R(20, 0), "0.20.0+fork", "VLLM_USE_DEEP_GEMM=on", NULL), "'on'"));
}

// What has no room is left out whole.
static void no_room(void **state)
{
    (void)state;
    static struct kvb_environment environment, flags;
    struct kvb_problems problems;
    kvb_problems_init(&problems);
    for (int i = 0; i < 40; i++) {
        assert_int_equal(kvb_environment_set("VLLM_USE_DEEP_GEMM=1", &environment, &problems), KVB_OK);
    }
    assert_int_equal(strlen(environment.noted), 24 * strlen("VLLM_USE_DEEP_GEMM=1\n")); // of 511
    assert_int_equal(kvb_environment_set("VLLM_USE_DEEP_GEMM=2", &flags, &problems), KVB_OK);
    memset(environment.noted, 0, sizeof environment.noted);
    kvb_environment_overlay(&environment, &flags);
    assert_string_equal(environment.noted, "VLLM_USE_DEEP_GEMM=2\n");
}

KVB_TEST_MAIN(cmocka_unit_test(values), cmocka_unit_test(twice_and_forks), cmocka_unit_test(no_room))
