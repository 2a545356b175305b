// Demands that meet: more findings than are listed, waivers beside what is not waived, names of GPUs from several
// places, sizes that cannot be divided, flags cut off in the middle.
#include "unit/gate_rows.h"

#define WAIVED(rule) "  - {rule: " rule ", reason: later, until: 2099-01-01}\n"
#define MANY                                                                                                           \
    SMALL " --max-num-seqs 8 --gpu-memory-utilization 0.9 --tensor-parallel-size 1 --pipeline-parallel-size 1 "        \
          "--data-parallel-size 1 --enforce-eager --kv-cache-dtype auto --dtype bfloat16 --block-size 16 "             \
          "--max-num-batched-tokens 4096 --cpu-offload-gb 0 --enable-prefix-caching --enable-chunked-prefill "         \
          "--max-loras 1 --max-lora-rank 16 --enable-lora --async-scheduling --decode-context-parallel-size 1"

// A demand that is not met is never lost behind findings that are waived.
static void more_than_a_list(void **state)
{
    (void)state;
    static const struct row rows[] = {
        {MANY,
         POLICY "rules:\n"
                "  - forbidden: [max_model_len, max_num_seqs, gpu_memory_utilization, tensor_parallel_size,\n"
                "      pipeline_parallel_size, data_parallel_size, enforce_eager, kv_cache_dtype, dtype, block_size]\n"
                "  - forbidden: [max_num_batched_tokens, cpu_offload_gb, enable_prefix_caching,\n"
                "      enable_chunked_prefill, max_loras, max_lora_rank, enable_lora, async_scheduling,\n"
                "      decode_context_parallel_size]\n"
                "  - required: [quantization, kv_transfer, swap_space, prefill_context_parallel_size,\n"
                "      enable_expert_parallel]\n"
                "  - min_headroom: 100GiB\n"
                "waivers:\n" WAIVED("forbidden-setting") WAIVED("required-setting"),
         "--gpu h100",
         1,
         {"\"rule\": \"min-headroom\"", "the policy asks for 100.00 GiB", "(waived: later)"}},
        {MANY,
         POLICY "rules:\n  - min_headroom: 100GiB\nwaivers:\n" WAIVED("min-headroom"),
         "--gpu h100",
         0,
         {"the policy asks for 100.00 GiB (waived: later)"}},
        // Two mistakes in a list are said each, and the policy judges nothing.
        {SMALL,
         POLICY "rules:\n  - required: [nothing_known, [x], neither]\n",
         "--gpu l4",
         3,
         {"'nothing_known' is no setting", "the name of a setting, or one with its value", "'neither' is no setting"}},
        {SMALL, POLICY "rules:\n  - required: 5\n", "--gpu l4", 3, {"a list of settings"}},
    };
    EACH(rows);
}

// Sizes that other engines cannot divide decide the verdict with the engine's sentence.
static void splits(void **state)
{
    (void)state;
    static const struct row rows[] = {
        {SMALL " -tp 3", NULL, "--gpu l4 --engine generic", 1, {"16 attention heads do not divide over 3 GPUs"}},
        {SMALL " -tp 3", NULL, "--gpu l4", 1, {"\"rule\": \"fits\"", "\"verdict\": \"fail\""}},
        {"vllm serve state-spaces/mamba-2.8b-hf", NULL, "--gpu l4 --engine generic", 1, {"\"verdict\": \"fail\""}},
    };
    EACH(rows);
}

// Who names the GPU: a flag, the file, the policy for a label, the policy for all others.
static void gpus(void **state)
{
    (void)state;
    static const char pod[] =
        "---\napiVersion: v1\nkind: Pod\nmetadata: {name: a}\nspec:\n"
        "  nodeSelector: {nvidia.com/gpu.product: Odd-Card}\n  containers:\n  - image: vllm/vllm-openai:v0.11.0\n"
        "    args: [--model, Qwen/Qwen3-0.6B, --max-model-len, \"4096\"]\n"
        "    resources: {limits: {nvidia.com/gpu: 1}}\n";
    static const struct row rows[] = {
        {pod, NULL, "", 3, {"no GPU is called 'odd-card'"}},
        {pod, POLICY "gpus:\n  - {label: nvidia.com/gpu.product=Odd-Card, gpu: l4}\n", "", 0, {"NVIDIA L4"}},
        {pod, POLICY "gpus:\n  - {label: nvidia.com/gpu.product=Odd-Card, gpu: l4}\n", "--gpu a10", 0, {"NVIDIA A10"}},
        {pod, POLICY "gpus:\n  - {label: nvidia.com/gpu.product=Odd-Card, gpu: no-such}\n", "", 3, {"no-such"}},
        {"# kvbudget: gpu=a10\n" SMALL, POLICY "gpus:\n  - {gpu: l4}\n", "", 0, {"NVIDIA A10"}},
        {"# kvbudget: gpu-memory=24GiB\n" SMALL, POLICY "gpus:\n  - {gpu: l4}\n", "", 0, {"!NVIDIA L4"}},
        {"# kvbudget: gpu-memory=24GiB\n" SMALL, NULL, "", 0, {"\"verdict\": \"pass\""}},
        {SMALL, POLICY "gpus:\n  - {label: x, gpu: l4}\n", "", 3, {"KEY=VALUE of a node's label"}},
        {"---\nkind: deployment\nschema: 1\nmodel: Qwen/Qwen3-0.6B\ngpu: {name: Own, nvidia_smi_total_mib: 24576, "
         "compute_capability: \"8.9\"}\n",
         POLICY "gpus:\n  - {gpu: l4}\n",
         "",
         0,
         {"on 1 x Own"}},
        {"---\nkind: deployment\nschema: 1\nmodel: Qwen/Qwen3-0.6B\ngpu: {name: Own, nvidia_smi_total_mib: 24576, "
         "compute_capability: \"8.9\"}\n",
         NULL,
         "--gpu l4 --gpu-free 20GiB", // 0.92 of the 22.05 GiB of an L4 are 20.29
         1,
         {"it asks for 20.29 GiB and 20.00 GiB are free at start"}},
    };
    EACH(rows);
}

// A flag at the end of its file, with its value missing, or longer than any number.
static void cut_off(void **state)
{
    (void)state;
    static const struct row rows[] = {
        {SMALL " --nnodes", NULL, "--gpu l4", 3, {"--nnodes"}},
        {SMALL " --nnodes=1", NULL, "--gpu l4", 0, {"\"verdict\": \"pass\""}},
        {SMALL " --nnodes 1", NULL, "--gpu l4", 0, {"\"verdict\": \"pass\""}},
        {SMALL " --nnodes 2", NULL, "--gpu l4", 1, {"must evenly divide the total world size (1)"}},
        {SMALL " --nnodes 99999999999", NULL, "--gpu l4", 1, {"must evenly divide"}},
        {SMALL " --nnodes-of-mine 2", NULL, "--gpu l4", 0, {"--nnodes-of-mine"}},
    };
    EACH(rows);
}

// Flags of `check` that say of every file what none of them says.
static void flags_for_all(void **state)
{
    (void)state;
    static const struct row rows[] = {
        {"vllm serve Qwen/Qwen3-8B --max-model-len 16384", NULL, "--gpu l4", 0, {"\"verdict\": \"pass\""}},
        {"vllm serve Qwen/Qwen3-8B --max-model-len 16384",
         NULL,
         "--gpu l4 --speculative-config "
         "{\"method\":\"draft_model\",\"model\":\"Qwen/Qwen3-0.6B\",\"num_speculative_tokens\":3}",
         1,
         {"\"verdict\": \"fail\""}},
        {"llama-server -hf unsloth/Qwen3-14B-GGUF:Q4_K_M -c 8192",
         NULL,
         "--gpu l4 --engine llama.cpp --override-tensor ffn_.*=CPU",
         0,
         {"\"verdict\": \"pass\""}},
        {"vllm serve Qwen/Qwen3-0.6B --max-model-len 4096 --kv-transfer-config "
         "'{\"kv_connector\":\"X\",\"kv_role\":\"ec_producer\"}'",
         NULL,
         "--gpu l4",
         0,
         {"\"verdict\": \"pass\""}},
        {SMALL " --ec-transfer-config '{\"ec_connector\":\"X\",\"ec_role\":\"ec_producer\"}'",
         NULL,
         "--gpu l4",
         0,
         {"it encodes for other servers and keeps no KV cache"}},
        {SMALL " --max-num-seqs x --ec-transfer-config '{\"ec_connector\":\"X\",\"ec_role\":\"ec_producer\"}'",
         NULL,
         "--gpu l4",
         3,
         {"!it encodes for other servers"}},
    };
    EACH(rows);
}

KVB_TEST_MAIN_WITH(make_folder, remove_folder, cmocka_unit_test(more_than_a_list), cmocka_unit_test(splits),
                   cmocka_unit_test(gpus), cmocka_unit_test(cut_off), cmocka_unit_test(flags_for_all))
