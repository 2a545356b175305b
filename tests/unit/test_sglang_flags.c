// What each release's parser takes and refuses: python/sglang/srt/server_args.py of sgl-project/sglang by release.
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
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
    {R(4, 9) + 3, true, "\n--enable-lora\n--lora-paths a=b", ""},
    {R(4, 3), true, "\n--page-size 64", "launch_server.py: error: unrecognized arguments: --page-size 64"},
    {R(4, 4), true, "\n--page-size 64", ""},
    // 0.5.18 takes --torchao-config away
    {R(5, 12), true, "\n--torchao-config int8wo", ""},
    // argparse.BooleanOptionalAction: a --no- form; for other flags, and others' names, there is none
    {R(5, 16), true, "\n--no-dllm-fdfo", ""},
    {R(5, 16), true, "\n--no-dllm-fdfo\n--tp-size 2", ""},
    {R(5, 9), true, "\n--no-tp-size", "launch_server.py: error: unrecognized arguments: --no-tp-size"},
    {R(5, 9), true, "\n--no-", "launch_server.py: error: unrecognized arguments: --no-"},
    {R(5, 9), true, "\n-h", ""}, // one dash
    {R(5, 9), true, "\n-hx", "launch_server.py: error: unrecognized arguments: -hx"},
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

// A flag has words where its type says so, in every span of its own, and nothing else has.
static void words_of_flags(void **state)
{
    (void)state;
    for (size_t i = 0; i < kvb_sgl_known_flag_count; i++) {
        const struct kvb_sgl_known_flag *row = &kvb_sgl_known_flags[i];
        bool listed = row->type == 'w' || row->type == 'd';
        size_t next = 0;
        assert_non_null(strchr("sifwdhj", row->type));
        assert_true(!listed || kvb_sgl_known_word_of(row->name, row->since > 0 ? row->since : R(2, 0), &next) != NULL);
    }
    for (size_t i = 0; i < kvb_sgl_known_word_count; i++) {
        const struct kvb_sgl_known_word *word = &kvb_sgl_known_words[i];
        unsigned matches;
        const struct kvb_sgl_known_flag *row =
            kvb_sgl_known_flag_of(word->flag, strlen(word->flag), word->since > 0 ? word->since : R(2, 0), &matches);
        assert_true(row != NULL && (row->type == 'w' || row->type == 'd'));
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

// A flag with two rows in the table is one, whether a release is asked for or any.
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
    assert_non_null(kvb_sgl_known_flag_of("piecewise-cuda-graph-to", 23, 0, &matches));
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
        {"chunked-prefill-size", "0", NULL},  // as -1: managers/scheduler.py at 0.4.2.post2 to 0.5.4, "<= 0"
        {"chunked-prefill-size", " 4", NULL}, // int()
        {"chunked-prefill-size", "4k", "--chunked-prefill-size '4k' is not a number of tokens, nor -1"},
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

// What each of them sets.
static void own_settings(void **state)
{
    (void)state;
    static const struct {
        const char *flag, *value;
        enum kvb_setting setting;
        uint64_t number;
    } rows_of[] = {
        {"chunked-prefill-size", "-1", KVB_SET_ENABLE_CHUNKED_PREFILL, 0},
        {"chunked-prefill-size", "4096", KVB_SET_ENABLE_CHUNKED_PREFILL, 1},
        {"chunked-prefill-size", "4096", KVB_SET_MAX_NUM_BATCHED_TOKENS, 4096},
        {"chunked-prefill-size", "1", KVB_SET_MAX_NUM_BATCHED_TOKENS, 1},
        {"chunked-prefill-size", "4294967295", KVB_SET_MAX_NUM_BATCHED_TOKENS, UINT32_MAX},
        {"chunked-prefill-size", "9087654321", KVB_SET_MAX_NUM_BATCHED_TOKENS, 0}, // more than 32 bits: not set
        {"chunked-prefill-size", "1029384756", KVB_SET_MAX_NUM_BATCHED_TOKENS, 1029384756},
        {"ep-size", "1", KVB_SET_ENABLE_EXPERT_PARALLEL, 0},
        {"ep-size", "2", KVB_SET_ENABLE_EXPERT_PARALLEL, 1},
        {"expert-parallel-size", "2", KVB_SET_ENABLE_EXPERT_PARALLEL, 1},
        {"ep", "2", KVB_SET_ENABLE_EXPERT_PARALLEL, 1},
        {"cuda-graph-backend-prefill", "disabled", KVB_SET_PREFILL_GRAPHS, 0},
        {"cuda-graph-backend-prefill", "breakable", KVB_SET_PREFILL_GRAPHS, 1},
        {"cuda-graph-backend-decode", "disabled", KVB_SET_ENFORCE_EAGER, 1},
        {"cuda-graph-backend-decode", "full", KVB_SET_ENFORCE_EAGER, 0},
    };
    for (size_t i = 0; i < sizeof rows_of / sizeof rows_of[0]; i++) {
        static struct kvb_deployment deployment;
        char why[256];
        const struct kvb_serve_flag *flag;
        unsigned at = 0;
        while ((flag = kvb_sgl_flag(at++)) != NULL &&
               (flag->kind != KVB_SERVE_OWN || strcmp(flag->name, rows_of[i].flag) != 0)) {
        }
        assert_non_null(flag);
        kvb_deployment_init(&deployment);
        (void)flag->read(rows_of[i].value, KVB_ORIGIN_FLAG, &deployment, why);
        if (deployment.settings.values[rows_of[i].setting].number != rows_of[i].number) {
            fail_msg("--%s %s", rows_of[i].flag, rows_of[i].value);
        }
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
    assert_string_equal(kvb_sgl_flag_near("--speculative_ngram_external_corpus_max_tokens=9"),
                        "speculative-ngram-external-corpus-max-tokens"); // five letters apart
    assert_null(kvb_sgl_flag_near("--entirely-else-and-far-away"));
    assert_null(kvb_sgl_flag_near("-x"));
    assert_false(kvb_sgl_takes_value("--dllm-fdfo")); // with a --no- form
    char far[96];
    memset(far, 'x', sizeof far);
    memcpy(far, "--", 2);
    far[sizeof far - 1] = '\0';
    assert_null(kvb_sgl_flag_near(far)); // longer than any flag
}

// A row of the reader names the first release that the table knows the flag in; none where all know it. Three are in no
// table, beginnings of others. (test_flag_releases.c looks at the last.)
static void rows_agree(void **state)
{
    (void)state;
    int wrong = 0, beginnings = 0;
    const struct kvb_serve_flag *flag;
    for (unsigned i = 0; (flag = kvb_sgl_flag(i)) != NULL; i++) {
        uint32_t since = UINT32_MAX, whole = UINT32_MAX;
        char size[64];
        (void)snprintf(size, sizeof size, "%s-size", flag->name);
        for (size_t k = 0; k < kvb_sgl_known_flag_count; k++) {
            const struct kvb_sgl_known_flag *row = &kvb_sgl_known_flags[k];
            since = strcmp(row->name, flag->name) == 0 && row->since < since ? row->since : since;
            whole = strcmp(row->name, size) == 0 && row->since < whole ? row->since : whole;
        }
        bool begins = since == UINT32_MAX; // --tp, --pp, --dp
        bool plain = flag->kind == KVB_SERVE_NOTHING || flag->kind == KVB_SERVE_VALUE || flag->kind == KVB_SERVE_VALUES;
        beginnings += begins;
        if (begins ? strlen(flag->name) != 2 || whole != flag->since : !plain && since != flag->since) {
            print_error("--%s\n", flag->name);
            wrong++;
        }
    }
    assert_int_equal(wrong, 0);
    assert_int_equal(beginnings, 3);
}

// Flags that the tool has itself: one for each setting, which the newest release still knows; all others are words of a
// serve command alone.
static void own_flags(void **state)
{
    (void)state;
    const struct kvb_serve_flag *flag, *other;
    for (unsigned i = 0; (flag = kvb_sgl_flag(i)) != NULL; i++) {
        bool sets = flag->kind == KVB_SERVE_SETTING || flag->kind == KVB_SERVE_SETS;
        bool own = sets || flag->kind == KVB_SERVE_LIST || flag->kind == KVB_SERVE_OVERRIDES;
        if (flag->serve_only) {
            continue;
        }
        assert_true(own);
        assert_int_equal(flag->until, 0);
        for (unsigned k = i + 1; sets && (other = kvb_sgl_flag(k)) != NULL; k++) {
            bool same = (other->kind == KVB_SERVE_SETTING || other->kind == KVB_SERVE_SETS) && other->id == flag->id;
            if (same && !other->serve_only) {
                fail_msg("--%s and --%s", flag->name, other->name);
            }
        }
    }
}

// server_args.py, add_argument of each: a flag without effect takes no value (action="store_true"), one, or several
// (nargs="+"), and nothing is said of it where a command has it.
static void plain_flags(void **state)
{
    (void)state;
    static const char none[] = // action="store_true"
        "enable-metrics enable-mixed-chunk enable-cache-report enable-p2p-check enable-nccl-nvls "
        "enable-flashinfer-allreduce-fusion enable-memory-saver enable-dp-lm-head disable-custom-all-reduce "
        "disable-cuda-graph-padding disable-shared-experts-fusion disable-chunked-prefix-cache skip-tokenizer-init "
        "skip-server-warmup log-requests show-time-cost allow-auto-truncate enable-custom-logit-processor "
        "disable-outlines-disk-cache triton-attention-reduce-in-fp32 enable-return-hidden-states "
        "delete-ckpt-after-loading weight-loader-disable-mmap enable-metrics-for-all-schedulers";
    static const char one[] =
        "host port api-key served-model-name tokenizer-path tokenizer-mode tokenizer-worker-num load-format "
        "model-loader-extra-config model-impl revision device random-seed log-level log-level-http log-requests-level "
        "download-dir base-gpu-id gpu-id-step nnodes node-rank dist-init-addr nccl-init-addr dist-timeout "
        "schedule-policy schedule-conservativeness stream-interval watchdog-timeout chat-template completion-template "
        "reasoning-parser tool-call-parser prefill-attention-backend decode-attention-backend mm-attention-backend "
        "sampling-backend grammar-backend lora-backend lora-eviction-policy moe-dense-tp-size deepep-mode "
        "ep-num-redundant-experts load-balance-method num-continuous-decode-steps torch-compile-max-bs torchao-config "
        "quantization-param-path hicache-write-policy hicache-io-backend hicache-mem-layout hicache-storage-backend "
        "disaggregation-transfer-backend disaggregation-bootstrap-port disaggregation-ib-device "
        "speculative-draft-model-quantization speculative-draft-model-revision speculative-token-map "
        "speculative-attention-mode speculative-accept-threshold-single speculative-accept-threshold-acc "
        "max-queued-requests preferred-sampling-params mm-process-config crash-dump-folder";
    static const char several[] = "lora-target-modules cuda-graph-bs-prefill cuda-graph-bs-decode";
    static const struct {
        const char *names;
        enum kvb_serve_kind kind;
    } rows_of[] = {{none, KVB_SERVE_NOTHING}, {one, KVB_SERVE_VALUE}, {several, KVB_SERVE_VALUES}};
    for (size_t i = 0; i < sizeof rows_of / sizeof rows_of[0]; i++) {
        for (const char *at = rows_of[i].names; *at != '\0'; at += strcspn(at, " "), at += *at == ' ') {
            const struct kvb_serve_flag *flag;
            unsigned row = 0;
            size_t length = strcspn(at, " ");
            while ((flag = kvb_sgl_flag(row++)) != NULL &&
                   (strncmp(flag->name, at, length) != 0 || flag->name[length] != '\0')) {
            }
            if (flag == NULL || flag->kind != rows_of[i].kind || !flag->serve_only) {
                fail_msg("--%.*s", (int)length, at);
            }
        }
    }
}

// argparse takes dashes alone: a name with underscores, five and more, is spelled like the flag itself.
static void underscores(void **state)
{
    (void)state;
    unsigned typed_flags = 0;
    for (size_t i = 0; i < kvb_sgl_known_flag_count; i++) {
        const char *name = kvb_sgl_known_flags[i].name;
        char typed[80] = "--";
        unsigned dashes = 0;
        (void)strcat(typed, name);
        for (char *c = typed + 2; *c != '\0'; c++) {
            dashes += *c == '-';
            *c = *c == '-' ? '_' : *c;
        }
        if (dashes >= 5) {
            assert_string_equal(kvb_sgl_flag_near(typed), name);
            typed_flags++;
        }
    }
    assert_true(typed_flags > 10);
    assert_null(kvb_sgl_flag_near("--xh")); // "-h" has one dash and is no answer
}

// A release has what its tag has, neither more nor less: "--NAME" or the field in server_args.py at the tags beside it
// (git grep).
static void neighbours(void **state)
{
    (void)state;
    static const struct {
        const char *name;
        uint32_t release;
        bool known;
    } rows_of[] = {
        {"cp-strategy", R(5, 13) + 1, false},
        {"cp-strategy", R(5, 14), true},
        {"record-nolora-graph", R(5, 10) + 1, false},
        {"record-nolora-graph", R(5, 11), true},
        {"record-nolora-graph", R(5, 12) + 1, true},
        {"record-nolora-graph", R(5, 13), false},
        {"enable-prefill-delayer", R(5, 7), false},
        {"enable-prefill-delayer", R(5, 8), true},
        {"load-watch-interval", R(5, 6) + 2, true},
        {"load-watch-interval", R(5, 7), false},
        {"log-requests-target", R(5, 7), false},
        {"log-requests-target", R(5, 8), true},
        {"enable-multi-layer-eagle", R(5, 6) + 2, false},
        {"enable-multi-layer-eagle", R(5, 7), true},
    };
    for (size_t i = 0; i < sizeof rows_of / sizeof rows_of[0]; i++) {
        unsigned matches;
        const char *name = rows_of[i].name;
        if ((kvb_sgl_known_flag_of(name, strlen(name), rows_of[i].release, &matches) != NULL) != rows_of[i].known) {
            fail_msg("--%s at %u", name, (unsigned)rows_of[i].release);
        }
    }
}

// 0.5.3 to 0.5.4: action=DeprecatedAction, raise ValueError(self.help).
static void deprecated(void **state)
{
    (void)state;
#define RUNNER(flag, kernels)                                                                                          \
    {                                                                                                                  \
        "enable-" flag "-moe",                                                                                         \
            "NOTE: --enable-" flag "-moe is deprecated. Please set `--moe-runner-backend` to '" kernels "' instead."   \
    }
    static const struct {
        const char *flag, *said;
    } rows_of[] = {
        {"enable-ep-moe",
         "NOTE: --enable-ep-moe is deprecated. Please set `--ep-size` to the same value as `--tp-size` instead."},
        {"enable-deepep-moe",
         "NOTE: --enable-deepep-moe is deprecated. Please set `--moe-a2a-backend` to 'deepep' instead."},
        RUNNER("flashinfer-cutlass", "flashinfer_cutlass"),
        RUNNER("flashinfer-cutedsl", "flashinfer_cutedsl"),
        RUNNER("flashinfer-trtllm", "flashinfer_trtllm"),
        RUNNER("triton-kernel", "triton_kernel"),
        RUNNER("flashinfer-mxfp4", "flashinfer_mxfp4"),
    };
    static struct kvb_deployment deployment;
    char said[256];
    for (size_t i = 0; i < sizeof rows_of / sizeof rows_of[0]; i++) {
        kvb_deployment_init(&deployment);
        (void)kvb_copy(deployment.serve_flags, sizeof deployment.serve_flags, "\n--foo\n--");
        (void)strcat(deployment.serve_flags, rows_of[i].flag);
        (void)strcat(deployment.serve_flags, "\n--bar");
        kvb_sgl_judge(&deployment, &(struct kvb_engine){.release = R(5, 3)}, said);
        assert_string_equal(said, rows_of[i].said);
        kvb_sgl_judge(&deployment, &(struct kvb_engine){.release = R(5, 4)}, said);
        assert_string_equal(said, rows_of[i].said);
        kvb_sgl_judge(&deployment, &(struct kvb_engine){.release = R(5, 2)}, said);
        assert_non_null(strstr(said, "unrecognized arguments: --foo"));
        kvb_sgl_judge(&deployment, &(struct kvb_engine){.release = R(5, 4) + 1}, said);
        assert_non_null(strstr(said, "unrecognized arguments: --foo --enable-"));
    }
}

KVB_TEST_MAIN(cmocka_unit_test(judged), cmocka_unit_test(words_of_flags), cmocka_unit_test(ambiguous),
              cmocka_unit_test(long_lines), cmocka_unit_test(two_rows), cmocka_unit_test(own_readers),
              cmocka_unit_test(own_settings), cmocka_unit_test(values_and_neighbours), cmocka_unit_test(rows_agree),
              cmocka_unit_test(own_flags), cmocka_unit_test(plain_flags), cmocka_unit_test(underscores),
              cmocka_unit_test(neighbours), cmocka_unit_test(deprecated))
