// Numbers of a serve line as int() and float() of CPython 3.12 read them: each value was put to both.
#include <stdio.h>
#include <string.h>

#include <kvbudget/input.h>

#include "unit/command_rows.h"

static struct kvb_deployment deployment;
static struct kvb_problems problems;

// A line of one flag and its value, with "=" between.
static enum kvb_status read_one(const char *engine, const char *flag, const char *value)
{
    char word[160];
    (void)snprintf(word, sizeof word, "%s=%s", flag, value);
    const char *vllm[] = {"vllm", "serve", "M", word};
    const char *sglang[] = {"python", "-m", "sglang.launch_server", "--model-path", "M", word};
    const char *llama[] = {"llama-server", "-m", "m.gguf", flag, value};
    kvb_problems_init(&problems);
    kvb_deployment_init(&deployment);
    return engine[0] == 'v'   ? kvb_serve_command_read(4, vllm, &deployment, &problems)
           : engine[0] == 's' ? kvb_serve_command_read(6, sglang, &deployment, &problems)
                              : kvb_serve_command_read(5, llama, &deployment, &problems);
}

static void numbers_are_read(void **state)
{
    (void)state;
    static const struct {
        const char *engine, *flag, *value;
        enum kvb_setting setting;
        uint64_t number;
    } rows[] = {
        {"v", "--tensor-parallel-size", "+4", KVB_SET_TENSOR_PARALLEL_SIZE, 4},
        {"v", "--tensor-parallel-size", "02", KVB_SET_TENSOR_PARALLEL_SIZE, 2},
        {"v", "--max-num-seqs", "1_0", KVB_SET_MAX_NUM_SEQS, 10},
        {"v", "--max-num-seqs", " 7", KVB_SET_MAX_NUM_SEQS, 7},
        {"v", "--max-num-seqs", "7 ", KVB_SET_MAX_NUM_SEQS, 7},
        {"v", "--max-model-len", "+4096", KVB_SET_MAX_MODEL_LEN, 4096},
        {"v", "--max-model-len", " 4k ", KVB_SET_MAX_MODEL_LEN, 4000}, // human_readable_int strips it
        {"v", "--kv-cache-memory-bytes", "0", KVB_SET_KV_CACHE_MEMORY_BYTES, 0},
        {"v", "--cpu-offload-gb", "1e1", KVB_SET_CPU_OFFLOAD_GB, 10ULL << 30},
        {"v", "--cpu-offload-gb", "0.25E+1", KVB_SET_CPU_OFFLOAD_GB, 5ULL << 29},
        {"v", "--cpu-offload-gb", "5e-1", KVB_SET_CPU_OFFLOAD_GB, 1ULL << 29},
        {"v", "--cpu-offload-gb", "10", KVB_SET_CPU_OFFLOAD_GB, 10ULL << 30},
        {"v", "--cpu-offload-gb", "-0", KVB_SET_CPU_OFFLOAD_GB, 0},
        {"v", "--cpu-offload-gb", " +1_0. ", KVB_SET_CPU_OFFLOAD_GB, 10ULL << 30},
        {"v", "--gpu-memory-utilization", "9e-1", KVB_SET_GPU_MEMORY_UTILIZATION, 900000},
        {"v", "--gpu-memory-utilization", "85e-2", KVB_SET_GPU_MEMORY_UTILIZATION, 850000},
        {"v", "--gpu-memory-utilization", ".95", KVB_SET_GPU_MEMORY_UTILIZATION, 950000},
        {"v", "--gpu-memory-utilization", "+0.9", KVB_SET_GPU_MEMORY_UTILIZATION, 900000},
        {"v", "--gpu-memory-utilization", "0.30000000000000004", KVB_SET_GPU_MEMORY_UTILIZATION, 300000},
        {"v", "--swap-space", "-1", KVB_SET_SWAP_SPACE, 0}, // max(num_cpu_blocks, 0): vllm/worker/worker.py v0.8.5
        {"s", "--chunked-prefill-size", "+4_096", KVB_SET_MAX_NUM_BATCHED_TOKENS, 4096},
        {"s", "--chunked-prefill-size", "0", KVB_SET_ENABLE_CHUNKED_PREFILL, 0}, // <= 0: managers/scheduler.py v0.4.2
        {"s", "--chunked-prefill-size", "-7", KVB_SET_ENABLE_CHUNKED_PREFILL, 0},
        {"s", "--chunked-prefill-size", "1", KVB_SET_ENABLE_CHUNKED_PREFILL, 1},
        {"s", "--cpu-offload-gb", "-1", KVB_SET_CPU_OFFLOAD_GB, 0}, // utils/offloader.py v0.5.4: > 0
        {"s", "--ep-size", " 2", KVB_SET_ENABLE_EXPERT_PARALLEL, 1},
        {"s", "--ep-size", "01", KVB_SET_ENABLE_EXPERT_PARALLEL, 0},
        {"s", "--context-length", "1M", KVB_SET_MAX_MODEL_LEN, 1000000}, // human_readable_int, utils/common.py v0.5.10
        {"s", "--context-length", " 25.6k ", KVB_SET_MAX_MODEL_LEN, 25600},
        {"s", "--context-length", "32Ki", KVB_SET_MAX_MODEL_LEN, 32768},
        {"s", "--max-total-tokens", "2Mi", KVB_SET_MAX_TOTAL_TOKENS, 2097152},
        {"v", "--max-model-len", "1M", KVB_SET_MAX_MODEL_LEN, 1048576}, // human_readable_int, arg_utils.py v0.9.0
        {"s", "--speculative-num-draft-tokens", "1_0", KVB_SET_NUM_SPECULATIVE_TOKENS, 10},
        {"s", "--cuda-graph-bs", "+4", KVB_SET_CUDAGRAPH_CAPTURE_SIZES, 1},
        {"s", "--max-running-requests", "1_000", KVB_SET_MAX_NUM_SEQS, 1000},
    };
    for (size_t i = 0; i < sizeof rows / sizeof rows[0]; i++) {
        assert_int_equal(read_one(rows[i].engine, rows[i].flag, rows[i].value), KVB_OK);
        assert_true(deployment.settings.values[rows[i].setting].set);
        assert_int_equal(deployment.settings.values[rows[i].setting].number, rows[i].number);
    }
}

static void others_are_not(void **state)
{
    (void)state;
    static const struct {
        const char *engine, *flag, *value;
    } rows[] = {
        {"v", "--cpu-offload-gb", "1e"},
        {"v", "--cpu-offload-gb", "e1"},
        {"v", "--cpu-offload-gb", "1e1x"},
        {"v", "--cpu-offload-gb", "1e99"}, // more than any host has
        {"v", "--cpu-offload-gb", "1e-"},
        {"v", "--cpu-offload-gb", "1ee1"},
        {"v", "--cpu-offload-gb", "-1"}, // "must be non-negative": vllm/config.py v0.8.5
        {"v", "--cpu-offload-gb", "nan"},
        {"v", "--swap-space", "-x"},
        {"v", "--max-num-seqs", "1__0"},
        {"v", "--max-num-seqs", "_10"},
        {"v", "--max-num-seqs", "1e1"},
        {"v", "--max-num-seqs", "0"}, // V1: min_tokens_per_req = num_tokens // 0
        {"v", "--max-num-seqs", "1 0"},
        {"v", "--max-num-seqs", "1                                                                      x"},
        {"s", "--chunked-prefill-size", "4k"},
        {"s", "--chunked-prefill-size", "99999999999"},
        {"s", "--context-length", "32Kx"},
        {"s", "--context-length", "32xi"},
        {"s", "--context-length", "32x"},
        {"s", "--ep-size", "0"},
        {"s", "--ep-size", "x"},
        {"l", "--ctx-size", "x1"}, // of 1_0 std::stoi reads the 1
    };
    for (size_t i = 0; i < sizeof rows / sizeof rows[0]; i++) {
        assert_int_not_equal(read_one(rows[i].engine, rows[i].flag, rows[i].value), KVB_OK);
    }
}

// json.loads, then pydantic's lax mode or plain arithmetic: 3.0, "3" and true are whole numbers.
static void members_are_read(void **state)
{
    (void)state;
    static const struct {
        const char *value;
        uint64_t tokens;
    } rows[] = {
        {"{\"method\": \"ngram\", \"num_speculative_tokens\": 3.0}", 3},
        {"{\"method\": \"ngram\", \"num_speculative_tokens\": \"3\"}", 3},
        {"{\"method\": \"ngram\", \"num_speculative_tokens\": true}", 1},
        {"{\"method\": \"ngram\", \"num_speculative_tokens\": 0}", 0},
    };
    for (size_t i = 0; i < sizeof rows / sizeof rows[0]; i++) {
        assert_int_equal(read_one("v", "--speculative-config", rows[i].value), KVB_OK);
        assert_int_equal(deployment.settings.values[KVB_SET_NUM_SPECULATIVE_TOKENS].number, rows[i].tokens);
    }
    assert_int_not_equal(
        read_one("v", "--speculative-config", "{\"method\": \"ngram\", \"num_speculative_tokens\": 2.5}"), KVB_OK);
    assert_int_equal(read_one("v", "--compilation-config", "{\"cudagraph_capture_sizes\": [true, 2.0, \"8\", 4e0]}"),
                     KVB_OK);
    assert_int_equal(deployment.graph_sizes.count, 4);
    assert_int_equal(deployment.graph_sizes.tokens[0], 1);
    assert_int_equal(deployment.graph_sizes.tokens[1], 2);
    assert_int_equal(deployment.graph_sizes.tokens[2], 8);
    assert_int_equal(deployment.graph_sizes.tokens[3], 4);
}

// Words of QUANTIZATION_METHODS (vllm/model_executor/layers/quantization/__init__.py v0.10.2 and v0.20.0) and of
// QUANTIZATION_CHOICES (python/sglang/srt/server_args.py v0.5.12) that no plan has the bytes of; the others are slips.
static void methods_that_are_not_counted(void **state)
{
    (void)state;
    static const char *const rows[][3] = {
        {"v", "rtn", "what 'rtn' keeps in memory is not counted here"},
        {"v", "humming", "what 'humming' keeps in memory is not counted here"},
        {"v", "deepspeedfp", "what 'deepspeedfp' keeps in memory is not counted here"},
        {"v", "online", "what 'online' keeps in memory is not counted here"},
        {"v", "mlx_q4", "'mlx_q4' is not known"},
        {"v", "rt", "'rt' is not known"},
        {"v", "", "'' is not known"},
        {"s", "mlx_q4", "what 'mlx_q4' keeps in memory is not counted here"},
        {"s", "rtn", "'rtn' is not known"},
    };
    for (size_t i = 0; i < sizeof rows / sizeof rows[0]; i++) {
        assert_int_not_equal(read_one(rows[i][0], "--quantization", rows[i][1]), KVB_OK);
        assert_non_null(strstr(problems.items[0].text, rows[i][2]));
    }
}

// Flags that move no memory: 2 and 10 machines share no one GPU (vllm/config/parallel.py v0.26.0).
static void plain_numbers(void **state)
{
    (void)state;
#define PLAN "plan --gpu h100-sxm --engine vllm@0.26.0 -- vllm serve Qwen/Qwen3-8B --nnodes="
    static const struct command_row_of_test rows[] = {
        {PLAN "+2", 1, {"(rule nnodes)"}},
        {PLAN "1_0", 1, {"(rule nnodes)"}},
        {PLAN "~2", 1, {"(rule nnodes)"}},
        {PLAN "+1", 0, {"!(rule nnodes)"}},
    };
    EACH_COMMAND(rows);
}

KVB_TEST_MAIN_WITH(stand_in_sources, NULL, cmocka_unit_test(plain_numbers),
                   cmocka_unit_test(methods_that_are_not_counted), cmocka_unit_test(numbers_are_read),
                   cmocka_unit_test(others_are_not), cmocka_unit_test(members_are_read))
