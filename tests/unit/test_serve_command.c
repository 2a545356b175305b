// Pasted serve commands: every form that vLLM's parser accepts, and the mistakes it refuses.
#include <string.h>

#include <kvbudget/kvbudget.h>

#include "base/text.h"
#include "unit/test.h"

#define WORDS_MAX 24

struct row {
    const char *words[WORDS_MAX]; // NULL-ended, behind `vllm serve MODEL`
    enum kvb_setting setting;
    uint64_t number;
};

static enum kvb_status read(const char *const *words, struct kvb_deployment *deployment, struct kvb_problems *problems)
{
    int count = 0;
    while (words[count] != NULL) {
        count++;
    }
    kvb_deployment_init(deployment);
    kvb_problems_init(problems);
    return kvb_serve_command_read(count, words, deployment, problems);
}

static void every_form_is_read(void **state)
{
    (void)state;
    static const struct row rows[] = {
        {{"--max-model-len", "32k"}, KVB_SET_MAX_MODEL_LEN, 32000},
        {{"--max-model-len=32K"}, KVB_SET_MAX_MODEL_LEN, 32768},
        {{"--max_model_len", "32_000"}, KVB_SET_MAX_MODEL_LEN, 32000},
        {{"--max-model-len", "-1"}, KVB_SET_MAX_MODEL_LEN, KVB_AUTO},
        {{"--max-model", "8192"}, KVB_SET_MAX_MODEL_LEN, 8192},
        {{"--max-model-len", "1", "--max-model-len", "2"}, KVB_SET_MAX_MODEL_LEN, 2},
        {{"-tp", "4"}, KVB_SET_TENSOR_PARALLEL_SIZE, 4},
        {{"-tp=4"}, KVB_SET_TENSOR_PARALLEL_SIZE, 4},
        {{"-tp4"}, KVB_SET_TENSOR_PARALLEL_SIZE, 4},
        {{"--kv-cache-memory=5000000000"}, KVB_SET_KV_CACHE_MEMORY_BYTES, 5000000000},
        {{"--gpu-mem", ".95"}, KVB_SET_GPU_MEMORY_UTILIZATION, 950000},
        {{"--enforce-eager"}, KVB_SET_ENFORCE_EAGER, 1},
        {{"--no-enable-prefix-caching"}, KVB_SET_ENABLE_PREFIX_CACHING, 0},
        {{"--enable-chunked-prefill=False"}, KVB_SET_ENABLE_CHUNKED_PREFILL, 0},
        {{"--enable-chunked-prefill", "False", "--port", "8000"}, KVB_SET_ENABLE_CHUNKED_PREFILL, 0},
        {{"-q", "awq"}, KVB_SET_QUANTIZATION, KVB_QUANTIZATION_AWQ},
        {{"--forced-num-gpu-blocks", "100"}, KVB_SET_NUM_GPU_BLOCKS_OVERRIDE, 100},
        {{"--compilation-config.cudagraph_mode=NONE"}, KVB_SET_CUDAGRAPH_MODE, KVB_GRAPH_MODE_NONE},
        {{"-cc.cudagraph_mode", "FULL"}, KVB_SET_CUDAGRAPH_MODE, KVB_GRAPH_MODE_FULL},
        {{"--speculative-config.method=ngram", "--speculative-config.num_speculative_tokens", "5"},
         KVB_SET_NUM_SPECULATIVE_TOKENS,
         5},
        {{"--limit-mm-per-prompt", "image=2,video=0"}, KVB_SET_LIMIT_IMAGES, 2},
        {{"--limit-mm-per-prompt", "{\"image\": 3}"}, KVB_SET_LIMIT_IMAGES, 3},
        {{"--limit-mm-per-prompt.image", "4"}, KVB_SET_LIMIT_IMAGES, 4},
        {{"--cudagraph-capture-sizes", "1", "2", "4", "--port", "1"}, KVB_SET_MAX_CUDAGRAPH_CAPTURE_SIZE, 4},
        {{"--enable-multimodal-encoder-data-parallel"}, KVB_SET_MM_ENCODER_TP_MODE, 1},
        {{"--speculative-model", "[ngram]"}, KVB_SET_SPECULATIVE_METHOD, KVB_SPECULATIVE_NGRAM},
        {{"--served-model-name", "a", "b", "--max-num-seqs", "7"}, KVB_SET_MAX_NUM_SEQS, 7},
        {{"--disable-log-requests", "--max-num-seqs", "7"}, KVB_SET_MAX_NUM_SEQS, 7},
    };
    for (size_t i = 0; i < sizeof rows / sizeof rows[0]; i++) {
        const char *words[WORDS_MAX + 3] = {"vllm", "serve", "a/b"};
        struct kvb_deployment deployment;
        struct kvb_problems problems;
        memcpy(words + 3, rows[i].words, sizeof rows[i].words);
        print_message("%s\n", rows[i].words[0]);
        assert_int_equal(read(words, &deployment, &problems), KVB_OK);
        assert_int_equal(problems.count, 0);
        assert_string_equal(deployment.model, "a/b");
        const struct kvb_setting_value *value = &deployment.settings.values[rows[i].setting];
        assert_true(value->set);
        assert_true(value->number == rows[i].number);
        assert_int_equal(value->origin, KVB_ORIGIN_COMMAND);
    }
}

static void programs_and_environment(void **state)
{
    (void)state;
    struct kvb_deployment deployment;
    struct kvb_problems problems;
    const char *const served[] = {
        "VLLM_USE_V1=0", "CUDA_VISIBLE_DEVICES=0,1", "/opt/bin/vllm", "serve", "--model", "x/y", NULL};
    assert_int_equal(read(served, &deployment, &problems), KVB_OK);
    assert_string_equal(deployment.model, "x/y");
    assert_int_equal(deployment.environment.use_v1, KVB_NO);
    const char *const module[] = {"python3", "-m", "vllm.entrypoints.openai.api_server", "--model=x/y", NULL};
    assert_int_equal(read(module, &deployment, &problems), KVB_OK);
    assert_string_equal(deployment.model, "x/y");
}

static void an_unknown_flag_is_a_notice(void **state)
{
    (void)state;
    struct kvb_deployment deployment;
    struct kvb_problems problems;
    const char *const words[] = {"vllm", "serve", "x/y", "--brand-new", "5", "--max-num-seqs", "3", NULL};
    assert_int_equal(read(words, &deployment, &problems), KVB_OK);
    assert_int_equal(problems.count, 1);
    assert_int_equal(problems.items[0].severity, KVB_NOTICE);
    assert_int_equal(deployment.settings.values[KVB_SET_MAX_NUM_SEQS].number, 3);
    const char *const slip[] = {"vllm", "serve", "x/y", "--max-model-length=5", NULL};
    assert_int_equal(read(slip, &deployment, &problems), KVB_OK);
    assert_int_equal(problems.count, 1);
    assert_int_equal(problems.items[0].severity, KVB_WARNING); // it would have moved memory
    assert_string_equal(problems.items[0].text, "--max-model-length=5 of the serve command is not known here and left "
                                                "out; did you mean --max-model-len?");
}

// SGLang's own flags that nothing here counts (ServerArgs of 0.5.18) are not taken for a slip of another.
static void a_flag_of_the_engine_is_no_slip(void **state)
{
    (void)state;
    static const struct {
        const char *word;
        enum kvb_severity severity;
        const char *ending;
    } rows[] = {{"--enable-torch-symm-mem", KVB_NOTICE, "no effect on memory"},
                {"--flashinfer-mxfp4-moe-precision=default", KVB_NOTICE, "no effect on memory"},
                {"--enable-torch-symm-memory", KVB_WARNING, "did you mean --enable-torch-symm-mem?"},
                {"--flashinfer-mxfp4-moe-precisions", KVB_WARNING, "mean --flashinfer-mxfp4-moe-precision?"}};
    for (size_t i = 0; i < sizeof rows / sizeof rows[0]; i++) {
        struct kvb_deployment deployment;
        struct kvb_problems problems;
        const char *const words[] = {"python", "-m", "sglang.launch_server", "--model-path", "x/y", rows[i].word, NULL};
        assert_int_equal(read(words, &deployment, &problems), KVB_OK);
        assert_int_equal(problems.count, 1);
        assert_int_equal(problems.items[0].severity, rows[i].severity);
        assert_true(kvb_ends_with(problems.items[0].text, rows[i].ending));
    }
}

static void rope_scaling_is_one_override(void **state)
{
    (void)state;
    struct kvb_deployment deployment;
    struct kvb_problems problems;
    const char *const words[] = {"vllm", "serve", "x/y", "--rope-scaling", "{\"factor\": 2}", "--rope_scaling={}",
                                 NULL};
    assert_int_equal(read(words, &deployment, &problems), KVB_OK);
    assert_string_equal(deployment.overrides, "{\"rope_scaling\": {}}"); // last wins
}

// A program that starts the server stands before it with words of its own; Windows writes a program's ending.
static void launchers_and_endings(void **state)
{
    (void)state;
    static const struct {
        const char *words[10];
        const char *engine;
    } rows[] = {{{"uv", "run", "--with", "vllm", "vllm", "serve", "a/b"}, ""},
                {{"uvx", "vllm", "serve", "a/b"}, ""},
                {{"X=1", "/usr/bin/numactl", "-N", "0", "vllm", "serve", "a/b"}, ""},
                {{"sudo", "nice", "-n", "5", "vllm", "serve", "a/b"}, ""},
                {{"srun", "-N1", "python3", "-m", "sglang.launch_server", "--model-path", "a/b"}, "sglang"},
                {{"llama-server.exe", "-m", "a/b"}, "llama.cpp"}};
    for (size_t i = 0; i < sizeof rows / sizeof rows[0]; i++) {
        struct kvb_deployment deployment;
        struct kvb_problems problems;
        assert_int_equal(read(rows[i].words, &deployment, &problems), KVB_OK);
        assert_string_equal(deployment.model, "a/b");
        assert_string_equal(deployment.engine, rows[i].engine);
    }
}

static void mistakes_are_refused(void **state)
{
    (void)state;
    static const struct {
        const char *words[8];
        const char *text;
    } rows[] = {
        {{"tgi", "serve"},
         "'tgi' does not begin a serve command; expected 'vllm serve MODEL ...', 'python -m "
         "vllm.entrypoints.openai.api_server --model MODEL ...', 'python -m sglang.launch_server --model-path ...', "
         "'sglang serve --model-path ...', 'llama-server -m X.gguf', 'llama-cli -m X.gguf', 'ollama run MODEL' or "
         "'ollama serve'"},
        {{"vllm", "bench", "serve"},
         "'vllm bench' does not begin a serve command; expected 'vllm serve MODEL ...', 'python -m "
         "vllm.entrypoints.openai.api_server --model MODEL ...', 'python -m sglang.launch_server --model-path ...', "
         "'sglang serve --model-path ...', 'llama-server -m X.gguf', 'llama-cli -m X.gguf', 'ollama run MODEL' or "
         "'ollama serve'"},
        {{"trtllm-serve", "a/b"},
         "'trtllm-serve' starts TensorRT-LLM, whose rules are not known here; --engine generic --model MODEL counts "
         "weights and KV cache of any engine, and explain reads its logs where it can"},
        {{"uv", "run", "python", "serve.py"},
         "'uv' does not begin a serve command; expected 'vllm serve MODEL ...', 'python -m "
         "vllm.entrypoints.openai.api_server --model MODEL ...', 'python -m sglang.launch_server --model-path ...', "
         "'sglang serve --model-path ...', 'llama-server -m X.gguf', 'llama-cli -m X.gguf', 'ollama run MODEL' or "
         "'ollama serve'"},
        {{"vllm", "serve", "a", "b"}, "in the serve command: unexpected word 'b'"},
        {{"vllm", "serve", "a", " --max-num-seqs", "3"},
         "in the serve command: unexpected word ' --max-num-seqs': it begins with a blank, as a backslash that does "
         "not "
         "end its line leaves it"},
        {{"vllm", "serve", "a", "\xE2\x80\x93max-num-seqs", "3"},
         "in the serve command: unexpected word '\xE2\x80\x93max-num-seqs': its dash is none of a keyboard's; flags "
         "begin with --"},
        {{"vllm", "serve", "a", "--gpu", "l4"},
         "in the serve command: --gpu is read as gpu_memory_utilization: 'l4' is not a decimal number such as 0.9"},
        {{"vllm", "serve", "a", "--gpu=l4"},
         "in the serve command: --gpu is read as gpu_memory_utilization: 'l4' is not a decimal number such as 0.9"},
        {{"vllm", "serve", "a", "--gpu-memory-utilization", "l4"},
         "in the serve command: gpu_memory_utilization: 'l4' is not a decimal number such as 0.9"},
        {{"vllm", "serve", "a", "--max-num-seqs"}, "in the serve command: --max-num-seqs needs a value"},
        {{"vllm", "serve", "a", "--max-num", "3"},
         "in the serve command: --max-num is the beginning of several flags; write it out"},
        {{"vllm", "serve", "a", "-tp", "x"},
         "in the serve command: tensor_parallel_size: 'x' is not a whole number such as 4096, 4k or 4K"},
        {{"vllm", "serve", "a", "--rope-scaling", "{}", "--hf-overrides", "{}"},
         "in the serve command: --rope-scaling and --hf-overrides together are not read; say rope_scaling inside "
         "--hf-overrides"},
        {{"vllm", "serve", "a", "-O7"}, "in the serve command: -O '7' is not a level from 0 to 3"},
    };
    for (size_t i = 0; i < sizeof rows / sizeof rows[0]; i++) {
        struct kvb_deployment deployment;
        struct kvb_problems problems;
        assert_int_not_equal(read(rows[i].words, &deployment, &problems), KVB_OK);
        assert_int_equal(problems.count, 1);
        assert_string_equal(problems.items[0].text, rows[i].text);
    }
}

KVB_TEST_MAIN(cmocka_unit_test(every_form_is_read), cmocka_unit_test(programs_and_environment),
              cmocka_unit_test(an_unknown_flag_is_a_notice), cmocka_unit_test(a_flag_of_the_engine_is_no_slip),
              cmocka_unit_test(rope_scaling_is_one_override), cmocka_unit_test(launchers_and_endings),
              cmocka_unit_test(mistakes_are_refused))
