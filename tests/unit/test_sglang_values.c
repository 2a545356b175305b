// Values of SGLang's serve line as each release's parser and configs take them. Source:
// python/sglang/srt/server_args.py, utils/common.py, configs/load_config.py by release; Python's argparse, int() and
// float().
#include "base/text.h"
#include "engines/sglang/serve.h"
#include "unit/test.h"

#define R(minor, patch) KVB_RELEASE(0, minor, patch)

static const struct {
    uint32_t release;
    bool module;
    const char *flags, *said;
} rows[] = {
    // json.loads, of ModelConfig and LoadConfig for texts that server_args.py hands on
    {R(5, 9), true, "\n--json-model-override-args {'a': 1}",
     "argument --json-model-override-args: invalid JSON at ''a': 1}', where one expects a name in double quotes"},
    {R(5, 9), true, "\n--tp 2\n--mm-process-config={\"image\":{}",
     "argument --mm-process-config: invalid JSON at its end, where one expects a comma or }"},
    {R(5, 9), true, "\n--json-model-override-args {\"a\": 1}\n--model-loader-extra-config", ""},
    {R(5, 9), true, "\n--json-model-override-args {{ .Values.args }}", ""},
    {R(5, 9), true, "\n--json-model-override-args {\"a\": $N}", ""},
    // type=int and float of argparse: Python's own readers
    {R(5, 5), true, "\n--random-seed 4x", "launch_server.py: error: argument --random-seed: invalid int value: '4x'"},
    {R(5, 5), true, "\n--random-seed 1_000\n--schedule-conservativeness=1e0\n--watchdog-timeout .5", ""},
    {R(5, 12), false, "\n--schedule-conservativeness=1,0",
     "sglang serve: error: argument --schedule-conservativeness: invalid float value: '1,0'"},
    {R(5, 12), false, "\n--cuda-graph-bs 1 2 x",
     "sglang serve: error: argument --cuda-graph-bs: invalid int value: 'x'"},
    {R(5, 12), false, "\n--cuda-graph-bs 1  2 4\n--bucket-time-to-first-token 0.1 1", ""},
    {R(5, 5), true, "\n--random-seed $SEED\n--stream-interval {{ .Values.interval }}\n--nnodes", ""},
    {R(5, 5), true, "\n--nnodes=", "launch_server.py: error: argument --nnodes: invalid int value: ''"},
    {R(5, 5), true, "\n--download-dir=\n--chat-template ", ""},
    {R(5, 12), true, "\n--gc-threshold=", "sglang serve: error: argument --gc-threshold: invalid int value: ''"},
    // choices=: 0.5.0 knows lpm, random, fcfs, dfs-weight; lof came with 0.5.1
    {R(5, 5), true, "\n--tokenizer-mode fast",
     "launch_server.py: error: argument --tokenizer-mode: invalid choice: 'fast' (choose from 'auto', 'slow')"},
    {R(5, 5), true, "\n--tokenizer-mode slo",
     "launch_server.py: error: argument --tokenizer-mode: invalid choice: 'slo' (choose from 'auto', 'slow')"},
    {R(4, 10), true, "\n--schedule-policy lof",
     "launch_server.py: error: argument --schedule-policy: invalid choice: 'lof' (choose from 'dfs-weight', 'fcfs', "
     "'lpm', 'random')"},
    {R(5, 1), true, "\n--schedule-policy lof", ""},
    // more words than there is room for are not listed
    {R(5, 18), true, "\n--load-format gone", "sglang serve: error: argument --load-format: invalid choice: 'gone'"},
    {R(5, 18), true, "\n--load-format this-is-a-word-longer-than-any-that-is-shown-in-a-sentence-about-it",
     "sglang serve: error: argument --load-format: invalid choice: "
     "'this-is-a-word-longer-than-any-that-is-shown-in-a-sentence-a'"},
    // choices=[0, 1, 2, 3] of ints
    {R(5, 5), true, "\n--log-requests-level 9",
     "launch_server.py: error: argument --log-requests-level: invalid choice: 9 (choose from 0, 1, 2, 3)"},
    {R(5, 5), true, "\n--log-requests-level 3", ""},
    {R(5, 5), true, "\n--log-requests-level +3", ""},
    {R(5, 5), true, "\n--log-requests-level x",
     "launch_server.py: error: argument --log-requests-level: invalid int value: 'x'"},
    {R(5, 5), true,
     "\n--log-requests-level=", "launch_server.py: error: argument --log-requests-level: invalid int value: ''"},
    {R(5, 5), true, "\n--foo\n--log-requests-level 9", // before what it does not know
     "launch_server.py: error: argument --log-requests-level: invalid choice: 9 (choose from 0, 1, 2, 3)"},
    // 0.5.10 (5th of April 2026) reads 8k, which came on the 16th of March; 0.5.9 is of the 22nd of February
    {R(5, 5), true, "\n--context-length 8k",
     "launch_server.py: error: argument --context-length: invalid int value: '8k'"},
    {R(5, 9), true, "\n--context-length 8k",
     "launch_server.py: error: argument --context-length: invalid int value: '8k'"},
    {R(5, 10), true, "\n--context-length 8k", ""},
    // utils/common.py human_readable_int v0.5.12
    {R(5, 12), true, "\n--context-length 1M\n--max-total-tokens  25.6k \n--max-prefill-tokens=8Ki", ""},
    {R(5, 12), true, "\n--context-length +4_096", ""},
    {R(5, 12), true, "\n--context-length 8K",
     "sglang serve: error: argument --context-length: Invalid integer value: '8K'"},
    {R(5, 12), true, "\n--context-length 8.5Ki",
     "sglang serve: error: argument --context-length: Invalid integer value: '8.5Ki'"},
    {R(5, 12), true, "\n--context-length 8.k",
     "sglang serve: error: argument --context-length: Invalid integer value: '8.k'"},
    {R(5, 12), true, "\n--context-length 8Kx",
     "sglang serve: error: argument --context-length: Invalid integer value: '8Kx'"},
    {R(5, 12), true, "\n--context-length 8xi",
     "sglang serve: error: argument --context-length: Invalid integer value: '8xi'"},
    {R(5, 12), true, "\n--context-length 8kkk",
     "sglang serve: error: argument --context-length: Invalid integer value: '8kkk'"},
    {R(5, 12), true, "\n--context-length 8k 9",
     "sglang serve: error: argument --context-length: Invalid integer value: '8k 9'"},
    {R(5, 12), true, "\n--context-length k",
     "sglang serve: error: argument --context-length: Invalid integer value: 'k'"},
    // type=json.loads and json_list_type, and what is done with the value
    {R(5, 12), true, "\n--forward-hooks [{\"name\": \"a\"}]", ""},
    {R(5, 12), true, "\n--forward-hooks x", "argument --forward-hooks: invalid JSON at 'x', where one expects ["},
    {R(5, 16), true, "\n--sidecar-args {\"a\": 1}", // "must be a JSON array of strings": v0.5.18
     "argument --sidecar-args: invalid JSON at '{\"a\": 1}', where one expects ["},
    {R(5, 12), true, "\n--remote-instance-weight-loader-send-weights-group-ports [1,",
     "argument --remote-instance-weight-loader-send-weights-group-ports: invalid JSON at its end, where one expects a "
     "value: text in double quotes, a number, true, false, null, { or ["},
    {R(5, 6), true, "\n--piecewise-cuda-graph-tokens [1, 2]", ""},
    {R(5, 6), true, "\n--piecewise-cuda-graph-tokens 1",
     "launch_server.py: error: argument --piecewise-cuda-graph-tokens: invalid loads value: '1'"},
    {R(5, 9), true, "\n--piecewise-cuda-graph-tokens 1 2", ""}, // nargs="+" from 0.5.8 on
    {R(5, 12), true, "\n--json-model-override-args=",
     "argument --json-model-override-args: invalid JSON at its end, where one expects {"},
    {R(5, 12), true, "\n--limit-mm-data-per-request=",
     "sglang serve: error: argument --limit-mm-data-per-request: invalid loads value: ''"},
    {R(5, 6), true, "\n--preferred-sampling-params ", ""}, // a text there, and an empty one is none
    {R(5, 9), true, "\n--preferred-sampling-params ",
     "launch_server.py: error: argument --preferred-sampling-params: invalid loads value: ''"},
    {R(5, 12), true, "\n--model-loader-extra-config=", ""}, // load_config.py: "or {}"
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
        kvb_sgl_judge(&deployment, &(struct kvb_engine){.release = rows[i].release}, said);
        assert_string_equal(said, rows[i].said);
    }
}

KVB_TEST_MAIN(cmocka_unit_test(judged))
