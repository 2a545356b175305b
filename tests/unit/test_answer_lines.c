// Commands that are rarely given: cards side by side, lines to paste for servers that take their settings elsewhere,
// ranges of a sweep, parts of a machine.
#include "unit/command_rows.h"

#define DRAFT "{\"method\":\"draft_model\",\"model\":\"Qwen/Qwen3-0.6B\",\"num_speculative_tokens\":3}"
#define QUOTED_DRAFT                                                                                                   \
    "'{\\\"method\\\":\\\"draft_model\\\",\\\"model\\\":\\\"Qwen/Qwen3-0.6B\\\",\\\"num_speculative_tokens\\\":3}'"

// Which cards start it; other formats of the weights are shown where nothing about the model says otherwise.
static void cards(void **state)
{
    (void)state;
    static const struct command_row_of_test rows[] = {
        {"plan --model Qwen/Qwen3-8B --max-model-len 4096", 0, {"FP8", "On one NVIDIA GeForce RTX 4090"}},
        {"plan --model Qwen/Qwen3-8B --max-model-len 4096 --quantization fp8", 0, {"what it needs"}},
        {"plan --model Qwen/Qwen3-8B --max-model-len 4096 --platform wsl2",
         0,
         {"WSL2: 1.07 to 1.72 GiB are usually gone"}},
        {"plan --model Qwen/Qwen3-8B --max-model-len 4096 --tensor-parallel-size 2", 0, {"On each of 2 x "}},
        {"plan --model Qwen/Qwen3-8B --max-model-len 4096 --served-name mine", 0, {"mine: what it needs", "!FP8"}},
        {"plan --model Qwen/Qwen3-8B --max-model-len 4096 --hf-overrides {\"rope_theta\":5}",
         0,
         {"what it needs", "!FP8"}},
        // 15.27 GiB of its own, 1.11 of the draft
        {"plan --model Qwen/Qwen3-8B --max-model-len 4096 --speculative-config " DRAFT,
         0,
         {"weights                   16.39 GiB", "!FP8"}},
        {"plan --model ./tests/fixtures/configs/allenai--OLMo-1B-hf.json --max-model-len 2048",
         0,
         {"what it needs", "!FP8"}},
        {"plan --model Qwen/Qwen3-8B --max-model-len 4096 --gpu ,,l4~,~~h100~",
         0,
         {"Side by side, 2 of 2 start it", "NVIDIA L4"}},
        {"plan --model Qwen/Qwen3-8B --max-model-len 4096 --gpu l4,nosuch", 3, {"no GPU is called 'nosuch'"}},
        {"plan --model Qwen/Qwen3-8B --gpu ,",
         3,
         {"',' names no GPU; expected names with commas between, such as l4,h100", "!utilization"}},
        {"models --gpu l4 --family nobodys", 1, {"22.05 GiB, vllm", "0 of 0 models start"}},
        {"models --gpu l4 --tensor-parallel-size 2 --family qwen3-8", 0, {"Models on 2 x NVIDIA L4"}},
        {"models --gpu l4 --engine llama.cpp --family gpt-oss", 0, {"gpt-oss-20b"}},
    };
    EACH_COMMAND(rows);
}

// docs/models of vLLM v0.27.1: the config calls the class "NewModel", which the release does not know. What was typed
// of the flag stands as it is.
static void classes_called_otherwise(void **state)
{
    (void)state;
    static const struct command_row_of_test rows[] = {
        {"plan --json --gpu l4 --model Alibaba-NLP/gte-multilingual-base",
         0,
         {"gte-multilingual-base --hf-overrides '{\\\"architectures\\\": [\\\"GteNewModel\\\"]}'\""}},
        {"plan --json --gpu l4 -- vllm serve Alibaba-NLP/gte-multilingual-base --hf-overrides "
         "{\"architectures\":[\"GteNewModel\"]}",
         0,
         {"--hf-overrides '{\\\"architectures\\\":[\\\"GteNewModel\\\"]}'\"", "!\\\"architectures\\\": "}},
        {"plan --json --gpu l4 --model BAAI/bge-base-en", 0, {"vllm serve BAAI/bge-base-en\""}},
        // arg_utils.py v0.4.0: --enable-chunked-prefill is type=bool, default False, which any word but "" makes true
        {"plan --json --gpu l4 --engine vllm@0.4.0 --enable-chunked-prefill --model facebook/opt-125m",
         0,
         {"vllm serve facebook/opt-125m --enable-chunked-prefill=True\""}},
        {"plan --json --gpu l4 --engine vllm@0.4.0 --no-enable-chunked-prefill --model facebook/opt-125m",
         0,
         {"vllm serve facebook/opt-125m\""}},
    };
    EACH_COMMAND(rows);
}

// Ollama's settings are variables of its server (OLLAMA_NUM_PARALLEL, OLLAMA_CONTEXT_LENGTH) and parameters of a
// Modelfile (num_batch): docs/faq.md and docs/modelfile.md of ollama. What is said anew is not said twice.
static void ollama(void **state)
{
    (void)state;
    static const struct command_row_of_test rows[] = {
        {"plan --json --engine ollama --gpu rtx4060 --model qwen3:8b --num-ctx 8192",
         0,
         {"\"command\": \"OLLAMA_CONTEXT_LENGTH=8192 ollama serve & ollama run qwen3:8b\""}},
        {"plan --json --gpu rtx4060 --num-batch 256 -- ollama run qwen3:8b --keepalive 5m --verbose",
         0,
         {"\"command\": \"printf 'FROM qwen3:8b\\\\nPARAMETER num_batch 256\\\\n' > Modelfile && ollama create planned "
          "-f "
          "Modelfile && ollama run planned --keepalive 5m --verbose\""}},
        {"plan --json --gpu rtx4060 --num-batch 256 -- OLLAMA_FLASH_ATTENTION=1 OLLAMA_NUM_PARALLEL=2 ollama run "
         "qwen3:8b",
         0,
         {"\"command\": \"OLLAMA_FLASH_ATTENTION=1 OLLAMA_NUM_PARALLEL=2 ollama serve & printf 'FROM qwen3:8b"}},
        {"plan --json --gpu rtx4060 --num-parallel 3 -- OLLAMA_NUM_PARALLEL=2 OLLAMA_HOST=0.0.0.0 ollama run qwen3:8b",
         0,
         {"\"command\": \"OLLAMA_HOST=0.0.0.0 OLLAMA_NUM_PARALLEL=3 ollama serve & ollama run qwen3:8b\""}},
        {"plan --json --gpu rtx4060 -- OLLAMA_NUM_PARALLEL=2 ollama run qwen3:8b --keepalive=5m",
         0,
         {"\"command\": \"OLLAMA_NUM_PARALLEL=2 ollama serve & ollama run qwen3:8b --keepalive=5m\""}},
        {"plan --json --gpu rtx4060 -- ollama serve & ollama run qwen3:8b",
         0,
         {"\"command\": \"ollama serve & ollama run qwen3:8b\""}},
        {"plan --json --gpu rtx4060 -- ollama run qwen3:8b --hidethinking",
         0,
         {"\"command\": \"ollama run qwen3:8b --hidethinking\""}},
    };
    EACH_COMMAND(rows);
}

// A flag of ours stands in place of the one that the command had, in whatever way that was written.
static void said_anew(void **state)
{
    (void)state;
#define GIVEN(flags, command, anew)                                                                                    \
    {                                                                                                                  \
        "plan --json --gpu l4 " flags " -- vllm serve Qwen/Qwen3-8B " command, 0,                                      \
        {                                                                                                              \
            "\"command\": \"vllm serve Qwen/Qwen3-8B " anew "\""                                                       \
        }                                                                                                              \
    }
    static const struct command_row_of_test rows[] = {
        GIVEN("--tensor-parallel-size 2", "-tp 1 --max-model-len 4096",
              "--max-model-len 4096 --tensor-parallel-size 2"),
        GIVEN("--tensor-parallel-size 2", "-tp=1 --max-model-len=4096",
              "--max-model-len=4096 --tensor-parallel-size 2"),
        GIVEN("--no-enable-prefix-caching", "--enable-prefix-caching --max-model-len 4096",
              "--max-model-len 4096 --no-enable-prefix-caching"),
        GIVEN("--enforce-eager", "--no-enforce-eager --max-model-len 4096", "--max-model-len 4096 --enforce-eager"),
        GIVEN("--no-enforce-eager", "--max-model-len 4096 --enforce-eager", "--max-model-len 4096 --no-enforce-eager"),
        GIVEN("--compilation-config {\"cudagraph_mode\":\"NONE\"}",
              "--compilation-config {\"cudagraph_mode\":\"FULL\"} --max-model-len 4096",
              "--max-model-len 4096 --compilation-config '{\\\"cudagraph_mode\\\":\\\"NONE\\\"}'"),
        GIVEN("--kv-cache-dtype fp8", "--speculative-config " DRAFT " --max-model-len 4096",
              "--speculative-config " QUOTED_DRAFT " --max-model-len 4096 --kv-cache-dtype fp8"),
        {"plan --json --gpu l4 --cudagraph-capture-sizes 1,2,4 --model Qwen/Qwen3-8B --max-model-len 4096",
         0,
         {"--max-model-len 4096 --max-cudagraph-capture-size 4 --cudagraph-capture-sizes 1 2 4\""}},
        {"plan --json --gpu l4 --kv-offload -- llama-server -hf unsloth/Qwen3-14B-GGUF:Q4_K_M -c 8192 --no-kv-offload",
         0,
         {"\"command\": \"llama-server -hf unsloth/Qwen3-14B-GGUF:Q4_K_M -c 8192 --kv-offload\""}},
        {"plan --json --gpu l4 --max-num-seqs 4 -- vllm serve Qwen/Qwen3-8B --max-num-seqs",
         2,
         {"--max-num-seqs needs a value"}},
    };
    EACH_COMMAND(rows);
}

// A draft is written into the line as JSON, whatever its path.
static void drafts(void **state)
{
    (void)state;
    static const struct {
        const char *draft, *command;
    } rows[] = {{"Qwen/Qwen3-0.6B", "\\\"model\\\": \\\"Qwen/Qwen3-0.6B\\\"}'"},
                {"./odd\"name", "\\\"model\\\": \\\"./odd\\\\\\\"name\\\"}'"}};
    char path[64] = "/tmp/kvb-draft-XXXXXX", line[128];
    int descriptor = mkstemp(path);
    assert_true(descriptor >= 0);
    assert_int_equal(close(descriptor), 0);
    (void)snprintf(line, sizeof line, "plan --json %s", path);
    for (size_t i = 0; i < sizeof rows / sizeof rows[0]; i++) {
        FILE *file = fopen(path, "w");
        assert_non_null(file);
        (void)fprintf(file,
                      "kind: deployment\nschema: 1\nmodel: Qwen/Qwen3-8B\ngpu: h100-sxm\nsettings:\n  max_model_len: "
                      "4096\n  speculative_config: {method: draft_model, model: '%s', num_speculative_tokens: 3}\n",
                      rows[i].draft);
        assert_int_equal(fclose(file), 0);
        const struct command_row_of_test asked[] = {{line, 0, {rows[i].command}}};
        EACH_COMMAND(asked);
    }
    assert_int_equal(unlink(path), 0);
}

// Ranges that are none, and as many plans as one sweep has.
static void sweeps(void **state)
{
    (void)state;
    static const struct command_row_of_test rows[] = {
        {"sweep --model Qwen/Qwen3-8B --gpu l4 --max-model-len 8k..4k",
         2,
         {"max_model_len: '8k..4k' is no range; the first is the smaller one"}},
        {"sweep --model Qwen/Qwen3-8B --gpu l4 --max-model-len 4k..x", 2, {"'x' is not a whole number"}},
        {"sweep --model Qwen/Qwen3-8B --gpu l4,2xl4 --tensor-parallel-size 1,2 --max-model-len 4096",
         0,
         {"verdict by gpu (down) and tensor-parallel-size (across)"}},
        {"sweep --model Qwen/Qwen3-8B --gpu l4 --max-model-len 4k,8k --speculative-config " DRAFT,
         0,
         {"2 plans, 0 fit, 1 are tight"}},
    };
    EACH_COMMAND(rows);
}

// Of a machine: by number, by name, and what it has when it has not what was asked for.
static void machines(void **state)
{
    (void)state;
#define MIG "--gpu-state tests/fixtures/smi/mig-580.txt --model Qwen/Qwen3-0.6B"
    static const struct command_row_of_test rows[] = {
        {"plan " MIG " --gpu 7", 3, {"no GPU '7' in this machine; it has 0, 0:0, 0:1, 1"}},
        {"plan " MIG " --gpu a100", 3, {"no GPU 'a100' in this machine; it has 0, 0:0, 0:1, 1"}},
        {"plan " MIG " --gpu h100", 0, {"CUDA_VISIBLE_DEVICES=1"}},
        {"plan " MIG " --gpu a/b", 3, {"no GPU 'a/b' in this machine; it has 0, 0:0, 0:1, 1"}},
        {"plan " MIG " --gpu 1 --gpu-free 20GiB",
         1,
         {"DOES NOT FIT", "GPU 1 (20.00 of 79.19 GiB free", "!It starts at"}},
        {"plan --gpu-state tests/fixtures/smi/query.xml --gpu gpu-11111111-2222-3333-4444-555555555555 --model "
         "Qwen/Qwen3-0.6B",
         3, // cut into slices, so that it cannot be taken whole
         {"This deployment needs 1 GPU; 0 can be taken here."}},
        {"plan --gpu-state tests/fixtures/smi/jetson-540.txt --model Qwen/Qwen3-0.6B",
         3,
         {"no GPU here says how much memory it has; give its total with --gpu-memory and no --gpu-state or --gpu "
          "live"}},
        {"models --gpu-state tests/fixtures/smi/jetson-540.txt --family qwen3-0.6",
         3,
         {"no GPU here can be used and says how much memory it has; name a card with --gpu"}},
        {"plan --gpu-state tests/fixtures/smi/unified-580.txt --model Qwen/Qwen3-0.6B",
         0,
         {"the driver does not say what is free on GPU 0; it is taken as idle, but it shares the memory of the host"}},
        {"plan --gpu-state tests/fixtures/smi/unified-580.txt --gpu-free 60GiB --gpu-memory-utilization 0.4 --model "
         "Qwen/Qwen3-0.6B",
         0,
         {"FITS", "!the driver does not say what is free"}},
        {"models --gpu-state tests/fixtures/smi/unified-580.txt --family qwen3-0.6", 0, {"Models on NVIDIA GB10"}},
        {"plan --gpu-state tests/fixtures/smi/windows-610.txt --model Qwen/Qwen3-0.6B",
         0,
         {"the driver is the one of Windows (WDDM): the total includes its reserve"}},
        {"plan --gpu-state tests/fixtures/smi/windows-610.txt --platform linux --model Qwen/Qwen3-0.6B",
         0,
         {"!the driver is the one of Windows"}},
        {"models --gpu-state tests/fixtures/smi/mig-580.txt --gpu 0:1 --family qwen3-0.6", 1, {"0 of 4 models start"}},
        {"models --gpu-state tests/fixtures/smi/mig-580.txt --gpu 0 --family qwen3-0.6", 0, {"4 of 4 models start"}},
        {"models --gpu-state tests/fixtures/smi/mig-580.txt --family qwen3-8", 0, {"Models on NVIDIA H100 80GB HBM3"}},
        {"models --gpu-state tests/fixtures/smi/shared-node-535.txt --family qwen3-8b",
         0,
         {"Models on 3 x NVIDIA A100"}},
    };
    EACH_COMMAND(rows);
}

KVB_TEST_MAIN_WITH(stand_in_sources, NULL, cmocka_unit_test(cards), cmocka_unit_test(classes_called_otherwise),
                   cmocka_unit_test(ollama), cmocka_unit_test(said_anew), cmocka_unit_test(drafts),
                   cmocka_unit_test(sweeps), cmocka_unit_test(machines))
