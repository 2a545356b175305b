// Flags of llama-server as common/arg.cpp has them (add_opt): every name of each, what it sets, and those that move no
// memory, with a value or without. Variables that stand for them (set_env), and Ollama's (envconfig/config.go).
#include <stdio.h>
#include <string.h>

#include <kvbudget/budget.h>
#include <kvbudget/input.h>

#include "budget/engine.h"
#include "engines/llamacpp/flags.h"
#include "unit/llamacpp_line.h"

static void read_all(const char *line)
{
    read_line(line);
    if (problems.count > 0) {
        fail_msg("%s: %s", line, problems.items[0].text);
    }
}

static uint64_t said(enum kvb_setting setting)
{
    const struct kvb_setting_value *value = &deployment.settings.values[setting];
    return value->set ? value->number : UINT64_MAX;
}

static void settings(void **state)
{
    (void)state;
    static const struct {
        const char *names; // each alone
        const char *value;
        enum kvb_setting setting;
        uint64_t number;
    } rows[] = {
        {"-ngl --gpu-layers --n-gpu-layers", "20", KVB_SET_GPU_LAYERS, 20},
        {"-ngl --gpu-layers --n-gpu-layers", "all", KVB_SET_GPU_LAYERS, 9999},
        {"-ngl --gpu-layers --n-gpu-layers", "-2", KVB_SET_GPU_LAYERS, 9999},
        {"-ngl --gpu-layers --n-gpu-layers", "auto", KVB_SET_GPU_LAYERS, KVB_AUTO},
        {"-c --ctx-size", "8192", KVB_SET_MAX_MODEL_LEN, 8192},
        {"-c --ctx-size", "0", KVB_SET_MAX_MODEL_LEN, KVB_AUTO},
        {"-np --parallel", "3", KVB_SET_MAX_NUM_SEQS, 3},
        {"-b --batch-size", "1024", KVB_SET_MAX_NUM_BATCHED_TOKENS, 1024},
        {"-ub --ubatch-size", "256", KVB_SET_UBATCH_SIZE, 256},
        {"-ctk --cache-type-k", "q8_0", KVB_SET_CACHE_TYPE_K, KVB_GGUF_Q8_0},
        {"-ctv --cache-type-v", "q4_0", KVB_SET_CACHE_TYPE_V, KVB_GGUF_Q4_0},
        {"-fa --flash-attn", "off", KVB_SET_FLASH_ATTENTION, KVB_OFF},
        {"-fa --flash-attn", "", KVB_SET_FLASH_ATTENTION, KVB_ON}, // as before b6325
        {"-sm --split-mode", "row", KVB_SET_SPLIT_MODE, 1},
        {"-ncmoe --n-cpu-moe", "5", KVB_SET_CPU_MOE_LAYERS, 5},
        {"-cmoe --cpu-moe", "", KVB_SET_CPU_MOE_LAYERS, 9999},
        {"-ts --tensor-split", "3,1", KVB_SET_TENSOR_PARALLEL_SIZE, 2},
        {"-dev --device", "Vulkan0", KVB_SET_GGML_BACKEND, 3},
        {"-hf -hfr --hf-repo", "a/b-GGUF:Q8_0", KVB_SET_GGUF_TYPE, 8},
        {"-m --model", "b-Q8_0.gguf", KVB_SET_GGUF_TYPE, 8},
        {"-hfd -hfrd --hf-repo-draft --spec-draft-hf", "a/c:Q4_0", KVB_SET_DRAFT_GGUF_TYPE, 4},
        {"-md --model-draft --spec-draft-model", "c-Q8_0.gguf", KVB_SET_DRAFT_GGUF_TYPE, 8},
        {"--draft --draft-n --draft-max --spec-draft-n-max", "7", KVB_SET_NUM_SPECULATIVE_TOKENS, 7},
        {"--spec-type", "draft-mtp", KVB_SET_SPECULATIVE_METHOD, KVB_SPECULATIVE_MTP},
        {"-ngld --gpu-layers-draft --n-gpu-layers-draft --spec-draft-ngl", "9", KVB_SET_DRAFT_GPU_LAYERS, 9},
        {"-ngld --gpu-layers-draft --n-gpu-layers-draft --spec-draft-ngl", "all", KVB_SET_DRAFT_GPU_LAYERS, 9999},
        {"-ngld --gpu-layers-draft --n-gpu-layers-draft --spec-draft-ngl", "-2", KVB_SET_DRAFT_GPU_LAYERS, 9999},
        {"-cd --ctx-size-draft", "2048", KVB_SET_DRAFT_CTX, 2048},
        {"-ctkd --cache-type-k-draft --spec-draft-type-k", "q8_0", KVB_SET_DRAFT_CACHE_TYPE_K, KVB_GGUF_Q8_0},
        {"-ctvd --cache-type-v-draft --spec-draft-type-v", "q8_0", KVB_SET_DRAFT_CACHE_TYPE_V, KVB_GGUF_Q8_0},
        {"--swa-full", "", KVB_SET_SWA_FULL, 1},
        {"-kvu --kv-unified", "", KVB_SET_KV_UNIFIED, 1},
        {"-no-kvu --no-kv-unified", "", KVB_SET_KV_UNIFIED, 0},
        {"--kv-offload", "", KVB_SET_KV_OFFLOAD, 1},
        {"-nkvo --no-kv-offload", "", KVB_SET_KV_OFFLOAD, 0},
        {"--mmproj-offload", "", KVB_SET_MMPROJ_OFFLOAD, 1},
        {"--no-mmproj-offload", "", KVB_SET_MMPROJ_OFFLOAD, 0},
        {"--image-max-tokens", "1024", KVB_SET_IMAGE_MAX_TOKENS, 1024},
        {"-fit --fit", "off", KVB_SET_FIT, KVB_OFF},
        {"-fitt --fit-target", "512", KVB_SET_FIT_TARGET, 512},
        {"-fitc --fit-ctx", "8192", KVB_SET_FIT_CTX, 8192},
    };
    for (size_t i = 0; i < sizeof rows / sizeof rows[0]; i++) {
        char names[128], line[256];
        (void)snprintf(names, sizeof names, "%s", rows[i].names);
        for (char *rest = names, *name = strtok_r(rest, " ", &rest); name != NULL; name = strtok_r(rest, " ", &rest)) {
            (void)snprintf(line, sizeof line, "llama-server -m x.gguf %s %s", name, rows[i].value);
            read_all(line);
            if (said(rows[i].setting) != rows[i].number) {
                fail_msg("%s: %llu", line, (unsigned long long)said(rows[i].setting));
            }
        }
    }
    read_all("llama-server -m x.gguf -ot exps=CPU --override-tensor a=CUDA0");
    assert_string_equal(deployment.tensor_overrides, "exps=CPU\na=CUDA0\n");
    static const char *const projectors[] = {"-mm", "--mmproj"}, *const none[] = {"--no-mmproj", "--no-mmproj-auto"};
    for (size_t i = 0; i < 2; i++) {
        char line[128];
        (void)snprintf(line, sizeof line, "llama-server -m x.gguf %s p.gguf", projectors[i]);
        read_all(line);
        assert_string_equal(deployment.projector, "p.gguf");
        assert_false(deployment.projector_refused);
        (void)snprintf(line, sizeof line, "llama-server -m x.gguf %s", none[i]);
        read_all(line);
        assert_true(deployment.projector_refused);
    }
}

// What a value follows is not taken for the next flag, and what none follows takes nothing.
static void flags_that_move_no_memory(void **state)
{
    (void)state;
    static const char *const with_value[] = {"--port",
                                             "--host",
                                             "--alias",
                                             "-a",
                                             "--api-key",
                                             "--chat-template",
                                             "--chat-template-file",
                                             "--temp",
                                             "--top-p",
                                             "--top-k",
                                             "--min-p",
                                             "--seed",
                                             "--main-gpu",
                                             "-mg",
                                             "--timeout",
                                             "--cache-ram",
                                             "--cache-reuse",
                                             "--repeat-penalty",
                                             "--presence-penalty",
                                             "--reasoning-format",
                                             "--reasoning-budget",
                                             "--chat-template-kwargs",
                                             "--threads",
                                             "-t",
                                             "--threads-batch",
                                             "--n-predict",
                                             "-n",
                                             "--prompt",
                                             "-p",
                                             "--file",
                                             "--rope-scaling",
                                             "--rope-scale",
                                             "--yarn-orig-ctx",
                                             "--threads-http",
                                             "--slot-save-path",
                                             "--log-file",
                                             "--numa",
                                             "--draft-min",
                                             "--draft-p-min",
                                             "--spec-draft-n-min",
                                             "--spec-draft-p-min",
                                             "--image-min-tokens",
                                             "--mmproj-url",
                                             "--split-max-size"};
    static const char *const bare[] = {
        "--jinja",     "--no-mmap",   "--mlock",     "--metrics",       "--no-webui",         "--verbose",
        "--slots",     "--no-warmup", "--props",     "--cont-batching", "--no-context-shift", "--context-shift",
        "--no-repack", "--offline",   "--embedding", "--embeddings",    "--reranking"};
    char line[128];
    for (size_t i = 0; i < sizeof with_value / sizeof with_value[0]; i++) {
        (void)snprintf(line, sizeof line, "llama-server -m x.gguf %s -1 -c 4096", with_value[i]);
        read_all(line);
        assert_int_equal(said(KVB_SET_MAX_MODEL_LEN), 4096);
        assert_string_equal(deployment.model, "x.gguf");
    }
    for (size_t i = 0; i < sizeof bare / sizeof bare[0]; i++) {
        (void)snprintf(line, sizeof line, "llama-server -m x.gguf %s -c 4096", bare[i]);
        read_all(line);
        assert_int_equal(said(KVB_SET_MAX_MODEL_LEN), 4096);
    }
    read_all("ollama run x --verbose --keepalive 5m");
    read_all("llama-cli -m x.gguf -c 4096");
    assert_string_equal(deployment.engine, "llama.cpp");
}

struct variable {
    const char *name, *value;
    enum kvb_setting setting;
    uint64_t number;
};

static void assert_variables(const struct variable *rows, size_t count, const char *rest)
{
    for (size_t i = 0; i < count; i++) {
        char line[128];
        (void)snprintf(line, sizeof line, "%s=%s %s", rows[i].name, rows[i].value, rest);
        read_all(line);
        (void)snprintf(deployment.model, sizeof deployment.model, "Qwen/Qwen3-8B");
        (void)snprintf(deployment.gpu, sizeof deployment.gpu, "rtx4090");
        assert_int_equal(kvb_deployment_resolve(&deployment, &plan, &draft, &source, &problems), KVB_OK);
        const struct kvb_setting_value *value = &plan.settings.values[rows[i].setting];
        if (!value->set || value->number != rows[i].number) {
            fail_msg("%s: %llu", line, (unsigned long long)value->number);
        }
    }
}

static void variables(void **state)
{
    (void)state;
    static const struct variable server[] = {{"LLAMA_ARG_CTX_SIZE", "8192", KVB_SET_MAX_MODEL_LEN, 8192},
                                             {"LLAMA_ARG_N_GPU_LAYERS", "20", KVB_SET_GPU_LAYERS, 20},
                                             {"LLAMA_ARG_N_PARALLEL", "3", KVB_SET_MAX_NUM_SEQS, 3},
                                             {"LLAMA_ARG_UBATCH", "256", KVB_SET_UBATCH_SIZE, 256},
                                             {"LLAMA_ARG_BATCH", "1024", KVB_SET_MAX_NUM_BATCHED_TOKENS, 1024},
                                             {"LLAMA_ARG_FLASH_ATTN", "off", KVB_SET_FLASH_ATTENTION, KVB_OFF},
                                             {"LLAMA_ARG_CACHE_TYPE_K", "q8_0", KVB_SET_CACHE_TYPE_K, KVB_GGUF_Q8_0},
                                             {"LLAMA_ARG_CACHE_TYPE_V", "q4_0", KVB_SET_CACHE_TYPE_V, KVB_GGUF_Q4_0},
                                             {"LLAMA_ARG_N_CPU_MOE", "5", KVB_SET_CPU_MOE_LAYERS, 5}};
    static const struct variable ollama[] = {{"OLLAMA_CONTEXT_LENGTH", "8192", KVB_SET_MAX_MODEL_LEN, 8192},
                                             {"OLLAMA_NUM_PARALLEL", "3", KVB_SET_MAX_NUM_SEQS, 3},
                                             {"OLLAMA_KV_CACHE_TYPE", "q8_0", KVB_SET_CACHE_TYPE_K, KVB_GGUF_Q8_0},
                                             {"OLLAMA_FLASH_ATTENTION", "1", KVB_SET_FLASH_ATTENTION, KVB_ON},
                                             {"OLLAMA_GPU_OVERHEAD", "1000", KVB_SET_GPU_OVERHEAD, 1000},
                                             {"LLAMA_ARG_N_GPU_LAYERS", "20", KVB_SET_GPU_LAYERS, 20},
                                             {"LLAMA_ARG_FIT", "off", KVB_SET_FIT, KVB_OFF},
                                             {"LLAMA_ARG_FIT_TARGET", "512", KVB_SET_FIT_TARGET, 512},
                                             {"LLAMA_ARG_N_CPU_MOE", "5", KVB_SET_CPU_MOE_LAYERS, 5}};
    size_t count;
    assert_variables(server, sizeof server / sizeof server[0], "llama-server -m x.gguf");
    (void)kvb_llama_variables(&count);
    assert_int_equal(count, sizeof server / sizeof server[0]);
    assert_variables(ollama, sizeof ollama / sizeof ollama[0], "ollama run x");
    (void)kvb_ollama_variables(&count);
    assert_int_equal(count, sizeof ollama / sizeof ollama[0]);
}

// What kvbudget offers beside the engine's own command: the second row of a name, each once.
static void flags_that_are_offered(void **state)
{
    (void)state;
    static const char offered[] =
        " no-kv-offload n-gpu-layers ctx-size parallel batch-size ubatch-size cache-type-k cache-type-v flash-attn "
        "split-mode "
        "n-cpu-moe override-tensor mmproj mmproj-offload image-max-tokens model-draft spec-type spec-draft-n-max "
        "n-gpu-layers-draft ctx-size-draft cache-type-k-draft cache-type-v-draft swa-full no-kv-unified kv-unified "
        "kv-offload fit fit-target fit-ctx gpus quantization quantization-draft backend ";
    static const char ours[] = " gpus quantization quantization-draft backend ";
    static const char of_ollama[] =
        " num_ctx num_gpu num_batch num_parallel kv_cache_type flash_attention gpu_overhead gpus "
        "quantization backend ";
    for (unsigned i = 0; i < 2; i++) {
        char made[1024] = " ";
        const struct kvb_serve_flag *flag;
        for (unsigned j = 0; (flag = i == 0 ? kvb_llama_flag(j) : kvb_ollama_flag(j)) != NULL; j++) {
            if (!flag->serve_only) {
                char word[64];
                size_t length = strlen(made);
                (void)snprintf(word, sizeof word, " %s ", flag->name);
                (void)snprintf(made + length, sizeof made - length, "%s ", flag->name);
                assert_int_equal(flag->ours, strstr(ours, word) != NULL);
            }
        }
        assert_string_equal(made, i == 0 ? offered : of_ollama);
    }
    size_t count;
    const struct kvb_serve_program *programs = kvb_llama_programs(&count);
    assert_int_equal(count, 2);
    assert_string_equal(programs[0].name, "llama-server");
    assert_string_equal(programs[1].name, "llama-cli");
    assert_true(programs[0].needs_flag && programs[1].needs_flag); // without -m or -hf there is no model
    programs = kvb_ollama_programs(&count);
    assert_int_equal(count, 2);
    assert_string_equal(programs[0].second, "run");
    assert_string_equal(programs[1].second, "serve");
}

// A sentence shows the first 59 letters of a value.
static void long_values(void **state)
{
    (void)state;
    char why[256], value[101];
    memset(value, 'x', sizeof value - 1);
    value[100] = '\0';
    assert_false(kvb_llama_read_devices(value, KVB_ORIGIN_FLAG, &deployment, why));
    value[59] = '\0';
    char expected[256];
    (void)snprintf(expected, sizeof expected, "device: '%s' is not known; expected devices such as CUDA0,CUDA1", value);
    assert_string_equal(why, expected);
}

// The build whose common/arg.cpp first has the flag.
static void builds_of_flags(void **state)
{
    (void)state;
    static const struct {
        const char *name;
        uint32_t build;
    } rows[] = {{"override-tensor", 5124}, {"swa-full", 5429}, {"no-kv-unified", 7869},
                {"kv-unified", 5913},      {"fit", 7407},      {"fit-target", 7407},
                {"fit-ctx", 7407},         {"ctx-size", 0}};
    for (size_t i = 0; i < sizeof rows / sizeof rows[0]; i++) {
        const struct kvb_serve_flag *flag = NULL;
        for (unsigned j = 0; (flag = kvb_llama_flag(j)) != NULL; j++) {
            if (flag->name != NULL && strcmp(flag->name, rows[i].name) == 0) {
                break;
            }
        }
        assert_non_null(flag);
        assert_int_equal(flag->since, rows[i].build > 0 ? KVB_BUILD(rows[i].build) : 0);
    }
    assert_int_equal(kvb_llama_off_form("no-kv-unified", KVB_BUILD(7868)), KVB_OFF_UNSAID);
    assert_int_equal(kvb_llama_off_form("no-kv-unified", KVB_BUILD(7869)), KVB_OFF_NEGATED);
}

// Repositories as publishers call them: "-GGUF" of one model, "-MTP-GGUF" of one with its layers for further tokens.
static void repositories(void **state)
{
    (void)state;
    static const char *const rows[][2] = {{"unsloth/Qwen3.6-27B-MTP-GGUF:UD-Q4_K_XL", "Qwen3.6-27B"},
                                          {"unsloth/Qwen3.6-27B-GGUF", "Qwen3.6-27B"},
                                          {"a/qwen3.6-27b-mtp-gguf:Q8_0", "qwen3.6-27b"},
                                          {"a/Qwen3.6-27B-MTP:Q8_0", "Qwen3.6-27B-MTP"}};
    for (size_t i = 0; i < sizeof rows / sizeof rows[0]; i++) {
        char line[128];
        (void)snprintf(line, sizeof line, "llama-server -hf %s", rows[i][0]);
        read_all(line);
        assert_string_equal(deployment.model, rows[i][1]);
    }
}

KVB_TEST_MAIN(cmocka_unit_test(repositories), cmocka_unit_test(settings), cmocka_unit_test(flags_that_move_no_memory),
              cmocka_unit_test(variables), cmocka_unit_test(builds_of_flags), cmocka_unit_test(flags_that_are_offered),
              cmocka_unit_test(long_values))
