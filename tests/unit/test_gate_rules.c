// One file, one policy: what each demand makes of it, in the words that a reader of `check --json` gets.
#include "unit/gate_rows.h"

#define POD_OF_TWO(nodes)                                                                                              \
    "---\napiVersion: v1\nkind: Pod\nmetadata: {name: a}\nspec:\n  containers:\n  - image: lmsysorg/sglang:v0.5.9\n"   \
    "    command: [python3, -m, sglang.launch_server, --model-path, Qwen/Qwen3-0.6B, --tp, \"2\", --nnodes, " nodes    \
    "]\n    resources: {limits: {nvidia.com/gpu: 1}}\n"

static void demands(void **state)
{
    (void)state;
    static const struct row rows[] = {
        {SMALL,
         POLICY "rules:\n  - min_headroom: 100GiB\n",
         "--gpu l4",
         1,
         {"\"rule\": \"min-headroom\"", "the policy asks for 100.00 GiB"}},
        {SMALL,
         POLICY "rules:\n  - min_headroom: 1GiB\n    min_slack: 1MiB\n",
         "--gpu l4",
         0,
         {"\"verdict\": \"pass\"", "!min-slack"}},
        {SMALL, POLICY "rules:\n  - min_headroom: 16EiB\n", "--gpu l4", 3, {"min_headroom"}},
        {SMALL, POLICY "rules:\n  - min_headroom: 1024TiB\n", "--gpu l4", 1, {"the policy asks for 1048576.00 GiB"}},
        {SMALL,
         POLICY "rules:\n  - min_concurrency: 1000\n    bound: low\n",
         "--gpu l4",
         1,
         {"at the low end of the figures; the policy asks for 1000.00"}},
        {SMALL,
         POLICY "rules:\n  - min_concurrency: 1000\n    bound: likely\n",
         "--gpu l4",
         1,
         {"requests of full length fit at the same time; the policy asks for 1000.00"}},
        {SMALL " --max-model-len -1",
         POLICY "rules:\n  - min_length: 100K\n",
         "--gpu l4 --engine vllm@0.14.0",
         1,
         {"max_model_len is 40,960; the policy asks for 102,400"}}, // max_position_embeddings of Qwen3-0.6B
        {SMALL " --gpu-memory-utilization 0.3",
         POLICY "rules:\n  - gpu_memory_utilization: {min: 0.5}\n",
         "--gpu l4",
         1,
         {"gpu_memory_utilization is 0.30; the policy allows at least 0.50"}},
        {SMALL " --gpu-memory-utilization 0.95",
         POLICY "rules:\n  - gpu_memory_utilization: {max: 0.9}\n",
         "--gpu l4",
         1,
         {"gpu_memory_utilization is 0.95; the policy allows at most 0.90"}},
        {SMALL " --gpu-memory-utilization 0.8",
         POLICY "rules:\n  - gpu_memory_utilization: {min: 0.5, max: 0.9}\n",
         "--gpu l4",
         0,
         {"!\"rule\": \"utilization\""}},
        {SMALL,
         POLICY "rules:\n  - required: [enforce_eager, {kv_cache_dtype: fp8}]\n",
         "--gpu l4",
         1,
         {"the policy asks for enforce_eager", "the policy asks for kv_cache_dtype: fp8"}},
        {SMALL " --enforce-eager --kv-cache-dtype fp8",
         POLICY "rules:\n  - required: [enforce_eager, {kv_cache_dtype: fp8}, {enable_lora: false}]\n",
         "--gpu l4",
         0,
         {"!the policy asks"}},
        {SMALL " --enforce-eager",
         POLICY "rules:\n  - forbidden: [enforce_eager]\n",
         "--gpu l4",
         1,
         {"the policy forbids enforce_eager"}},
        {SMALL " --no-enforce-eager",
         POLICY "rules:\n  - forbidden: [enforce_eager, quantization]\n",
         "--gpu l4",
         0,
         {"!forbids"}},
        {SMALL, POLICY "rules:\n  - files: other.sh\n    min_headroom: 100GiB\n", "--gpu l4", 0, {"!min-headroom"}},
        {SMALL, POLICY "min_deployments: 1\n", "--gpu l4", 0, {"\"verdict\": \"pass\""}},
        {SMALL,
         POLICY "min_deployments: 2\n",
         "--gpu l4",
         1,
         {"the policy asks for at least 2 deployments, 1 found", "\"rule\": \"deployments\""}},
        {"echo vllm\n",
         POLICY "min_deployments: 1\n",
         "--skip-others --gpu l4",
         1,
         {"the policy asks for at least 1 deployment, 0 found"}},
        {"echo vllm\n",
         POLICY,
         "--skip-others --gpu l4",
         0,
         {"no deployment was found in 1 file; --expect N makes that a failure"}},
        {"echo vllm\n", POLICY, "--skip-others --gpu l4 --expect 1", 1, {"1 deployment expected, 0 found"}},
        {"vllm --help | tee log\n",
         POLICY "not_understood: ignore\n",
         "--skip-others --gpu l4",
         0,
         {"!it speaks of an engine"}},
    };
    EACH(rows);
}

static void waivers(void **state)
{
    (void)state;
    static const struct row rows[] = {
        {SMALL,
         POLICY "rules:\n  - min_headroom: 100GiB\nwaivers:\n"
                "  - {rule: min-headroom, files: '*.sh', reason: known, until: 2999-12-31}\n",
         "--gpu l4",
         0,
         {"(waived: known)", "\"waived\": true"}},
        {SMALL,
         POLICY "rules:\n  - min_headroom: 100GiB\nwaivers:\n"
                "  - {rule: min-headroom, files: 'other', reason: known, until: 2999-12-31}\n"
                "  - {rule: min-headroom, name: other, reason: known, until: 2999-12-31}\n"
                "  - {rule: min-slack, reason: known, until: 2999-12-31}\n",
         "--gpu l4",
         1,
         {"!(waived", "\"rule\": \"min-headroom\""}},
        {SMALL,
         POLICY "rules:\n  - min_headroom: 100GiB\nwaivers:\n"
                "  - {rule: min-headroom, reason: once, until: 2020-02-29}\n"
                "  - {rule: min-headroom, reason: again, until: 2999-12-31}\n",
         "--gpu l4",
         0,
         {"(its waiver ran out on 2020-02-29)", "(waived: again)"}},
        {SMALL " --no-such-thing-at-all 3",
         POLICY "waivers:\n"
                "  - {rule: unknown-flag, reason: known, until: 2999-12-31}\n",
         "--gpu l4",
         0,
         {"!(waived"}}, // only said, so there is nothing to waive
    };
    EACH(rows);
}

static void names(void **state)
{
    (void)state;
    static const struct row rows[] = {
        {SMALL, NULL, "", 3, {"\"rule\": \"no-gpu\""}},
        {SMALL, POLICY "gpus:\n  - gpu: FILL-IN\n", "", 3, {"\"rule\": \"no-gpu\""}},
        {SMALL, POLICY "gpus:\n  - {gpu: l4, gpu_memory: 12GiB}\n", "", 0, {"\"memory_bytes\": 12884901888"}},
        {SMALL, POLICY "unknown: warn\n", "", 0, {"\"rule\": \"no-gpu\"", "\"severity\": \"warning\""}},
        {SMALL, POLICY "unknown: ignore\n", "", 0, {"!\"rule\": \"no-gpu\""}},
        {SMALL, NULL, "--gpu-memory 12GiB", 0, {"\"memory_bytes\": 12884901888"}},
        {SMALL, NULL, "--gpu warp9", 3, {"no GPU is called 'warp9'"}},
        {"---\nservices:\n  a:\n    image: vllm/vllm-openai:v0.11.0\n    command: --max-model-len 4096\n",
         NULL,
         "--gpu l4",
         3,
         {"\"verdict\": \"error\""}},
        {"vllm serve our/model --max-model-len 4096",
         POLICY "models:\n  - {name: our/model, model: Qwen/Qwen3-0.6B}\n",
         "--gpu l4",
         0,
         {"\"name\": \"Qwen/Qwen3-0.6B\""}},
        {"vllm serve our/model --max-model-len 4096",
         POLICY "models:\n  - {name: our/model, model: FILL-IN}\n",
         "--gpu l4",
         3,
         {"\"rule\": \"no-model\""}},
        {"---\napiVersion: apps/v1\nkind: Deployment\nmetadata: {name: d}\nspec:\n  template:\n    spec:\n"
         "      nodeSelector: {pool: big}\n      containers:\n      - name: c\n        image: "
         "vllm/vllm-openai:v0.11.0\n"
         "        args: [--model, Qwen/Qwen3-0.6B, --max-model-len, '4096']\n",
         POLICY "gpus:\n  - {label: pool=big, gpu: h100-sxm}\n",
         "",
         0,
         {"NVIDIA H100 80GB HBM3"}},
        {"---\napiVersion: apps/v1\nkind: Deployment\nmetadata: {name: d}\nspec:\n  template:\n    spec:\n"
         "      nodeSelector: {nvidia.com/gpu.product: NVIDIA-WARP-9}\n      containers:\n      - name: c\n"
         "        image: vllm/vllm-openai:v0.11.0\n"
         "        args: [--model, Qwen/Qwen3-0.6B, --max-model-len, '4096']\n",
         NULL,
         "",
         3,
         {"no GPU is called 'nvidia-warp-9'"}},
    };
    EACH(rows);
}

static void readings(void **state)
{
    (void)state;
    static const struct row rows[] = {
        {SMALL " --max-model-length 3",
         NULL,
         "--gpu l4",
         1,
         {"--max-model-length is no flag of vLLM; did you mean --max-model-len?"}},
        {SMALL " --no-such-thing-at-all 3", NULL, "--gpu l4", 0, {"\"rule\": \"unknown-flag\"", "warning"}},
        {SMALL " --zz 3", NULL, "--gpu l4", 0, {"\"rule\": \"unknown-flag\"", "warning"}},
        {SMALL " --num-scheduler-steps 8",
         NULL,
         "--gpu l4 --engine vllm@0.11.0",
         1,
         {"num-scheduler-steps exists up to vLLM 0.10.0; 0.11.0", "refuses it"}}, // gone from vLLM 0.10.2
        {"python3 -m llama_cpp.server --model m.gguf --n_ctx 4096", NULL, "--gpu l4", 3, {"\"rule\": \"engine\""}},
        {SMALL " -tp 3", NULL, "--gpu l4", 1, {"\"rule\": \"fits\"", "divisible"}}, // 16 heads
        {"vllm serve Qwen/Qwen3-32B", NULL, "--gpu l4", 1, {"weights take ", "for KV cache"}},
        {SMALL " --tensor-parallel-size 2", NULL, "--gpu l4", 0, {"\"count\": 2"}},
        {"---\nservices:\n  a:\n    image: vllm/vllm-openai:v0.11.0\n"
         "    command: --model Qwen/Qwen3-0.6B --max-model-len 4096 -tp 2 -pp 1\n    deploy: {resources: "
         "{reservations: {devices: [{driver: nvidia, count: 1, capabilities: [gpu]}]}}}\n",
         NULL,
         "--gpu l4",
         1,
         {"it runs on 2 GPUs, and the file hands over 1 on line"}},
        {"---\nservices:\n  a:\n    image: vllm/vllm-openai:v0.11.0\n"
         "    command: --model Qwen/Qwen3-0.6B --max-model-len 4096 -pp 2\n    deploy: {resources: "
         "{reservations: {devices: [{driver: nvidia, count: 1, capabilities: [gpu]}]}}}\n",
         NULL,
         "--gpu l4",
         0,
         {"it runs on 2 GPUs, and the file hands over 1 on line", "warning"}},
        // pods of several machines: each hands over its own; where a variable says how many, nobody knows
        {POD_OF_TWO("\"2\""), NULL, "--gpu h100-sxm", 0, {"!hands over", "\"verdict\": \"pass\""}},
        {POD_OF_TWO("$(LWS_GROUP_SIZE)"), NULL, "--gpu h100-sxm", 0, {"!hands over", "\"verdict\": \"pass\""}},
        {POD_OF_TWO("\"1\""), NULL, "--gpu h100-sxm", 1, {"it runs on 2 GPUs, and the file hands over 1 on line"}},
        {SMALL, NULL, "--gpu l4 --reserve desktop=20GiB", 1, {" GiB are free at start"}},
        {SMALL, NULL, "--gpu l4 --compile-cache warm", 0, {"\"verdict\": \"pass\""}},
        {"vllm serve BAAI/bge-m3 --task embed", NULL, "--gpu l4", 0, {"!\"verdict\": \"fail\""}},
        {SMALL " --max-model-len 999999",
         NULL,
         "--gpu l4",
         1,
         {"is greater than the derived max_model_len", "\"rule\": \"fits\""}},
        {SMALL " --max-num-batched-tokens 16 --max-num-seqs 32", NULL, "--gpu l4", 1, {"max_num_batched_tokens"}},
        {SMALL " --quantization awq", NULL, "--gpu l4", 1, {"config file for awq; leave quantization out"}},
        {SMALL " --enable-lora --max-lora-rank 7",
         NULL,
         "--gpu l4",
         1,
         {"invalid choice: 7", "; set --max-lora-rank 8"}},
        {SMALL " --dtype bfloat16", NULL, "--gpu t4", 1, {"compute capability 7.5", "; set --dtype float16"}},
        {SMALL " --block-size 7",
         NULL,
         "--gpu l4",
         1,
         {"No valid attention backend found for cuda with a block_size of 7; no change of one setting or two is "
          "known"}},
        {SMALL " -dcp 1000", NULL, "--gpu l4", 1, {"tp_size=1 must be divisible by dcp_size=1000"}},
        {SMALL " --kv-cache-memory-bytes 40G", NULL, "--gpu l4", 1, {"it asks for 42.01 GiB and 21.70 GiB are free"}},
        {SMALL " --num-gpu-blocks-override 10", NULL, "--gpu l4", 1, {"; set --max-model-len 160"}}, // 10 x 16 tokens
        {"vllm serve Qwen/Qwen3-32B --cpu-offload-gb 10 --max-model-len 4096",
         NULL,
         "--gpu l4",
         1,
         {"weights take ", "; set --tensor-parallel-size 4"}},
        {"---\nkind: deployment\nschema: 1\nname: first\ngpu: l4\nengine: vllm@0.11.0\nmodel: Qwen/Qwen3-0.6B\n"
         "settings: {max_model_len: 4096}\nresidents:\n  - {kind: engine, name: second, deployment: {engine: "
         "vllm@0.11.0, "
         "model: Qwen/Qwen3-0.6B, settings: {max_model_len: 4096}}}\n",
         NULL,
         "",
         1,
         {"second does not start in its place beside the others on the GPU: Free memory on device (0.89/22.05 GiB)"}},
        {"---\nkind: deployment\nschema: 1\nname: first\ngpu: l4\nengine: vllm@0.11.0\nmodel: Qwen/Qwen3-0.6B\n"
         "settings: {max_model_len: 4096}\nresidents:\n  - {kind: fixed, name: other, bytes: 4GiB, starts: after}\n",
         NULL,
         "",
         1,
         {"all that share the GPU hold ", " GiB together and it has "}},
        {"---\nservices:\n  a: &a\n    image: ghcr.io/ggml-org/llama.cpp:server-cuda\n"
         "    command: -hf unsloth/Qwen3-14B-GGUF:Q4_K_M -c 16384\n  b: *a\n",
         NULL,
         "--gpu l4",
         1,
         {" GiB free when it starts last; give each a card of its own"}}, // it has no share to lower
        // Machines by a flag with '=' or by one that only begins so.
        {"---\nservices:\n  a:\n    image: vllm/vllm-openai:v0.20.0\n"
         "    command: --model Qwen/Qwen3-0.6B --max-model-len 4096 -tp 2 --nnodes=2\n    deploy: {resources: "
         "{reservations: {devices: [{driver: nvidia, count: 1, capabilities: [gpu]}]}}}\n",
         NULL,
         "--gpu l4",
         0,
         {"!hands over"}},
        {"---\nservices:\n  a:\n    image: vllm/vllm-openai:v0.20.0\n"
         "    command: --model Qwen/Qwen3-0.6B --max-model-len 4096 -tp 2 --nnodes=0\n    deploy: {resources: "
         "{reservations: {devices: [{driver: nvidia, count: 1, capabilities: [gpu]}]}}}\n",
         NULL,
         "--gpu l4",
         0,
         {"!hands over"}},
        {SMALL " --dtype int3", NULL, "--gpu l4", 3, {"\"rule\": \"input\""}},
    };
    EACH(rows);
}

// The same cases in the other formats: each names file, rule and sentence, and nothing of them gets lost.
static void formats(void **state)
{
    (void)state;
    static const char *const names[] = {"text", "markdown", "github", "sarif", "junit"};
    static const struct row rows[] = {
        {SMALL " --max-model-length 3", NULL, "--gpu l4", 1, {"run.sh", "--max-model-len?"}},
        {SMALL,
         POLICY "rules:\n  - min_headroom: 100GiB\n",
         "--gpu l4",
         1,
         {"run.sh", "the policy asks for 100.00 GiB"}},
        {SMALL, NULL, "", 3, {"run.sh"}},
        {SMALL " <&\"|%25::",
         POLICY "rules:\n  - required: [enforce_eager]\n",
         "--gpu l4",
         1,
         {"run.sh", "the policy asks for enforce"}},
        {"vllm serve Qwen/Qwen3-32B --gpu-memory-utilization 0.5", NULL, "--gpu l4", 1, {"run.sh", "weights take "}},
        {"---\nservices: {a: [\n", NULL, "--gpu l4", 3, {"run.yaml"}},
    };
    for (size_t i = 0; i < sizeof names / sizeof names[0]; i++) {
        assert_int_equal(wrong_rows(rows, sizeof rows / sizeof rows[0], names[i]), 0);
    }
}

KVB_TEST_MAIN_WITH(make_folder, remove_folder, cmocka_unit_test(demands), cmocka_unit_test(waivers),
                   cmocka_unit_test(names), cmocka_unit_test(readings), cmocka_unit_test(formats))
