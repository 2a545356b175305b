// llama.cpp and Ollama in their seats: lines as people type them, what --fit decides, the defaults by build.
#include <stdio.h>
#include <string.h>

#include <kvbudget/budget.h>
#include <kvbudget/input.h>

#include "budget/shapes.h"
#include "engines/llamacpp/ladder.h"
#include "engines/llamacpp/start.h"
#include "engines/table.h"
#include "unit/llamacpp_line.h"

static struct kvb_budget budget;

static void resolve(const char *model, const char *gpu, const char *engine)
{
    run_on(model, gpu, engine);
    resolve_line();
    assert_int_equal(kvb_budget_compute(&plan, &budget, &problems), KVB_OK);
}

static uint64_t said(enum kvb_setting setting)
{
    assert_int_equal(deployment.settings.values[setting].set, 1);
    return deployment.settings.values[setting].number;
}

static void test_line(void **state)
{
    (void)state;
    read_line("llama-server -m Qwen3-8B-Q4_K_M.gguf -ngl 99 -c 32768 -fa on -ctk q8_0 -ctv q4_0 -b 1024 -ub 256 -np 2 "
              "--n-cpu-moe 5 -sm row --port 8080 --jinja -nkvo");
    assert_string_equal(deployment.engine, "llama.cpp");
    assert_string_equal(deployment.model, "Qwen3-8B-Q4_K_M.gguf");
    assert_int_equal(said(KVB_SET_GPU_LAYERS), 99);
    assert_int_equal(said(KVB_SET_MAX_MODEL_LEN), 32768);
    assert_int_equal(said(KVB_SET_FLASH_ATTENTION), KVB_ON);
    assert_int_equal(said(KVB_SET_CACHE_TYPE_K), KVB_GGUF_Q8_0);
    assert_int_equal(said(KVB_SET_CACHE_TYPE_V), KVB_GGUF_Q4_0);
    assert_int_equal(said(KVB_SET_MAX_NUM_BATCHED_TOKENS), 1024);
    assert_int_equal(said(KVB_SET_UBATCH_SIZE), 256);
    assert_int_equal(said(KVB_SET_MAX_NUM_SEQS), 2);
    assert_int_equal(said(KVB_SET_CPU_MOE_LAYERS), 5);
    assert_int_equal(said(KVB_SET_SPLIT_MODE), 1);
    assert_int_equal(said(KVB_SET_KV_OFFLOAD), 0);
    assert_int_equal(said(KVB_SET_GGUF_TYPE), 15); // the fifteenth of the formats: Q4_K_M
}

static void test_words_of_its_own(void **state)
{
    (void)state;
    read_line("llama-server -hf unsloth/Qwen3-14B-GGUF:Q8_0 -c 0 -ngl all -ts 3,1 -cmoe");
    assert_string_equal(deployment.model, "Qwen3-14B");
    assert_int_equal(said(KVB_SET_GGUF_TYPE), 8);
    assert_true(said(KVB_SET_MAX_MODEL_LEN) == KVB_AUTO);
    assert_int_equal(said(KVB_SET_GPU_LAYERS), 9999);
    assert_int_equal(said(KVB_SET_TENSOR_PARALLEL_SIZE), 2);
    assert_int_equal(deployment.environment.layer_partition[0], 300);
    assert_int_equal(deployment.environment.layer_partition[1], 100);
    assert_int_equal(said(KVB_SET_CPU_MOE_LAYERS), 9999);
    read_line("llama-cli -hf ggml-org/gemma-3-4b-it-GGUF -dev Vulkan0,Vulkan1 -ot exps=CPU");
    assert_int_equal(said(KVB_SET_GGUF_TYPE), 15);
    assert_int_equal(said(KVB_SET_GGML_BACKEND), 3);
    assert_int_equal(said(KVB_SET_TENSOR_PARALLEL_SIZE), 2);
    assert_string_equal(deployment.tensor_overrides, "exps=CPU\n");
}

struct mistake {
    const char *line, *why;
};

static void test_mistakes(void **state)
{
    static const struct mistake mistakes[] = {
        {"llama-server -ngl many", "n-gpu-layers: 'many' is not a whole number, 32k, 32K, 1M or auto"},
        {"llama-server -c long", "ctx-size: 'long' is not a whole number, 32k, 32K, 1M or auto"},
        {"llama-server -ts 1,,2", "tensor-split: '1,,2' is not known; expected shares such as 3,1"},
        {"llama-server -ot blk.1.(=CUDA1", "override-tensor: 'blk.1.(=CUDA1': a group that is not closed is not read"},
        {"llama-server -dev TPU0", "device: 'TPU0' is not known; expected devices such as CUDA0,CUDA1"},
        {"llama-server -ctk q3_0", "'q3_0' is not known"},
        {"llama-server -hf Qwen/", "hf-repo: 'Qwen/' is not known; expected OWNER/NAME:TYPE"},
        {"llama-server -hf Qwen/:Q4_K_M", "hf-repo: 'Qwen/:Q4_K_M' is not known; expected OWNER/NAME:TYPE"},
        {"llama-server -hf a/b:Q4_K_M_and_more_letters_than_any_format_has",
         "'q4_k_m_and_more_letters_than_an' is not"},
        {"llama-server --draft-max 1025", "draft-max: '1025' is not known; expected a number of tokens up to 1024"},
        {"llama-server --draft-max few", "draft-max: 'few' is not known; expected a number of tokens up to 1024"},
        {"llama-server --spec-type none,what", "spec-type: 'none,what' is not known; expected none, draft-simple"},
        {"llama-server -ts 3,x", "tensor-split: '3,x' is not known; expected shares such as 3,1"},
        {"llama-server -ts 601,1", "tensor-split: '601,1' is not known; expected shares such as 3,1"},
        {"llama-server -ts 1234567890123456,1", "tensor-split: '1234567890123456,1' is not known"},
        {"llama-server -ts 1,1,1,1,1,1,1,1,1,1,1,1,1,1,1,1,1", "expected shares such as 3,1"},
    };
    (void)state;
    for (size_t i = 0; i < sizeof mistakes / sizeof mistakes[0]; i++) {
        struct words words;
        words_of(mistakes[i].line, &words);
        kvb_problems_init(&problems);
        kvb_deployment_init(&deployment);
        assert_int_not_equal(kvb_serve_command_read(words.count, words.words, &deployment, &problems), KVB_OK);
        assert_true(problems.count > 0);
        assert_non_null(strstr(problems.items[problems.count - 1].text, mistakes[i].why));
    }
}

// Shares with fractions, repositories without a type, devices of other backends.
static void test_other_words(void **state)
{
    (void)state;
    read_line("llama-server -hf Qwen/Qwen3-8B -ts 0.75/0.25 -dev Vulkan0,Vulkan1");
    assert_string_equal(deployment.model, "Qwen3-8B");
    assert_int_equal(said(KVB_SET_GGUF_TYPE), 15);
    assert_int_equal(said(KVB_SET_GGML_BACKEND), KVB_LLAMA_VULKAN);
    assert_int_equal(said(KVB_SET_TENSOR_PARALLEL_SIZE), 2);
    assert_int_equal(deployment.environment.layer_partition[0], 75);
    assert_int_equal(deployment.environment.layer_partition[1], 25);
    read_line("llama-server -m x.gguf -dev none");
    assert_int_equal(said(KVB_SET_GPU_LAYERS), 0);
    read_line("llama-server -m x.gguf --spec-type draft-mtp -hfd Qwen/Qwen3-0.6B-GGUF:Q8_0");
    assert_int_equal(said(KVB_SET_SPECULATIVE_METHOD), KVB_SPECULATIVE_MTP);
    assert_int_equal(said(KVB_SET_DRAFT_GGUF_TYPE), 8);
}

struct rung_row {
    bool ollama;
    enum kvb_setting setting;
    uint64_t now, flash;
    uint32_t count;
    uint64_t first;
};

// What each row of the ladder tries, by what is set now: smaller cache types only, with flash attention for values;
// graphs down to 64 tokens; half the context down to 2048; counts of layers and GPUs.
static void test_rungs(void **state)
{
    static const struct rung_row rows[] = {
        {false, KVB_SET_FLASH_ATTENTION, KVB_ON, KVB_ON, 0, 0},
        {false, KVB_SET_FLASH_ATTENTION, KVB_OFF, KVB_OFF, 1, KVB_ON},
        {false, KVB_SET_UBATCH_SIZE, 512, KVB_ON, 3, 256},
        {true, KVB_SET_UBATCH_SIZE, 128, KVB_ON, 1, 64},
        {true, KVB_SET_UBATCH_SIZE, 100, KVB_ON, 0, 0},
        {false, KVB_SET_CACHE_TYPE_K, KVB_GGUF_F16, KVB_OFF, 2, KVB_GGUF_Q8_0},
        {false, KVB_SET_CACHE_TYPE_K, KVB_GGUF_F32, KVB_ON, 2, KVB_GGUF_Q8_0},
        {true, KVB_SET_CACHE_TYPE_K, KVB_GGUF_BF16, KVB_ON, 2, KVB_GGUF_Q8_0},
        {false, KVB_SET_CACHE_TYPE_K, KVB_GGUF_Q8_0, KVB_ON, 1, KVB_GGUF_Q4_0},
        {false, KVB_SET_CACHE_TYPE_V, KVB_GGUF_F16, KVB_OFF, 0, 0},
        {false, KVB_SET_CACHE_TYPE_V, KVB_GGUF_Q4_0, KVB_ON, 0, 0},
        {false, KVB_SET_MAX_MODEL_LEN, 5000, KVB_ON, 1, 2304},
        {true, KVB_SET_MAX_MODEL_LEN, 4000, KVB_ON, 0, 0},
        {false, KVB_SET_MAX_MODEL_LEN, 1048576, KVB_ON, 6, 524288},
        {false, KVB_SET_MAX_NUM_SEQS, 4, KVB_ON, 1, 1},
        {true, KVB_SET_MAX_NUM_SEQS, 1, KVB_ON, 0, 1},
        {false, KVB_SET_GPU_LAYERS, 999, KVB_ON, 11, 33},
        {false, KVB_SET_GPU_LAYERS, 2, KVB_ON, 1, 1},
        {false, KVB_SET_CPU_MOE_LAYERS, 0, KVB_ON, 0, 0}, // a model without experts
        {false, KVB_SET_TENSOR_PARALLEL_SIZE, 1, KVB_ON, 4, 2},
    };
    (void)state;
    read_line("llama-server -m x.gguf -c 4096");
    resolve("Qwen/Qwen3-8B", "3060", "llama.cpp");
    for (size_t i = 0; i < sizeof rows / sizeof rows[0]; i++) {
        uint64_t out[KVB_CANDIDATES_MAX] = {0};
        size_t count, at = 0;
        const struct kvb_rung *rungs = rows[i].ollama ? kvb_ollama_rungs(&count) : kvb_llamacpp_rungs(&count);
        while (at < count && rungs[at].setting != rows[i].setting) {
            at++;
        }
        assert_true(at < count);
        budget.settings.values[KVB_SET_FLASH_ATTENTION].number = rows[i].flash;
        budget.settings.values[rows[i].setting].number = rows[i].now;
        uint32_t tried = rungs[at].candidates(&plan, &budget, out);
        assert_int_equal(tried, rows[i].count);
        assert_true(tried == 0 || out[0] == rows[i].first);
    }
    plan.need.concurrency_hundredths = 800;
    uint64_t out[KVB_CANDIDATES_MAX] = {0};
    size_t count;
    const struct kvb_rung *rungs = kvb_llamacpp_rungs(&count);
    budget.settings.values[KVB_SET_MAX_NUM_SEQS].number = 4;
    assert_int_equal(rungs[4].candidates(&plan, &budget, out), 1);
    assert_int_equal(out[0], 8); // as many as are wanted
    static const struct {
        uint64_t wanted_hundredths, slots, tried; // tried 0: none
    } wishes[] = {{800, 16, 0}, {800, 8, 0}, {801, 8, 9}, {200, 4, 0}, {101, 4, 0},
                  {100, 4, 1},  {0, 4, 1},   {100, 1, 0}, {0, 1, 0},   {0, 2, 1}};
    for (size_t i = 0; i < sizeof wishes / sizeof wishes[0]; i++) {
        plan.need.concurrency_hundredths = wishes[i].wanted_hundredths;
        budget.settings.values[KVB_SET_MAX_NUM_SEQS].number = wishes[i].slots;
        assert_int_equal(rungs[4].candidates(&plan, &budget, out), wishes[i].tried > 0);
        assert_true(wishes[i].tried == 0 || out[0] == wishes[i].tried);
    }
    resolve("Qwen/Qwen3-30B-A3B", "3060", "llama.cpp");
    budget.settings.values[KVB_SET_CPU_MOE_LAYERS].number = 30; // of 48: 36, 42 and 48 are left
    assert_int_equal(rungs[6].candidates(&plan, &budget, out), 3);
    assert_int_equal(out[0], 36);
}

// Qwen3-8B, Q4_K_M on a 3060: 4.35 GiB of weights and 2448 MiB of q8_0 cache: 36 x 32768 x 2048 x 34 / 32.
static void test_answer(void **state)
{
    (void)state;
    read_line("llama-server -m x.gguf -ngl 99 -c 32768 -fa on -ctk q8_0 -ctv q8_0");
    kvb_settings_set(&deployment.settings, KVB_SET_GGUF_TYPE, 15, KVB_ORIGIN_FLAG);
    resolve("Qwen/Qwen3-8B", "3060", "llama.cpp");
    assert_int_equal(budget.verdict, KVB_FITS);
    assert_int_equal(budget.items[KVB_ITEM_KV_CACHE].bytes, 2448LL << 20);
    assert_int_equal(budget.needed_bytes, 2448LL << 20);
    assert_int_equal(budget.balance_bytes, budget.slack_bytes);
    assert_int_equal(budget.settings.values[KVB_SET_GPU_LAYERS].number, 37);
    assert_true(budget.kv.max_model_len_that_fits >= 32768);
    assert_int_equal(budget.step_count, 0);
    kvb_budget_formulas(&plan, &budget);
    assert_int_equal(budget.step_count, 6);
}

static bool fits_at(const struct kvb_llama_start *start, uint64_t tokens, uint64_t free_bytes)
{
    static struct kvb_llama_start tried;
    uint32_t device;
    tried = *start;
    tried.run.context_tokens = tokens;
    kvb_llama_measure(&tried, &tried.buffers);
    return kvb_llama_fullest(&tried, &tried.buffers, &device) <= free_bytes;
}

// The longest context is one that fits, with the next one that does not, whatever was known before the search; what is
// known of the layers gives no other sum than their tensors.
static void test_longest(void **state)
{
    static const char *const lines[] = {
        "llama-server -m x.gguf -ngl 99",         "llama-server -m x.gguf -ngl 99 -ctk q8_0 -ctv q8_0",
        "llama-server -m x.gguf -ngl 20",         "llama-server -m x.gguf -ngl 99 -c 65536",
        "llama-server -m x.gguf -ngl 99 -nkvo",   "llama-server -m x.gguf -ngl 99 -ot ffn_up=CPU",
        "llama-server -m x.gguf -ngl 99 -fa off", "llama-server -m x.gguf -ngl 99 --n-cpu-moe 12"};
    (void)state;
    for (size_t i = 0; i < sizeof lines / sizeof lines[0]; i++) {
        static struct kvb_llama_start start;
        struct kvb_llama_buffers with, without;
        uint64_t limit = 131072, free_bytes = UINT64_C(9) << 30;
        read_line(lines[i]);
        kvb_settings_set(&deployment.settings, KVB_SET_GGUF_TYPE, 15, KVB_ORIGIN_FLAG);
        resolve(i == 7 ? "Qwen/Qwen3-30B-A3B" : "Qwen/Qwen3-8B", "3060", "llama.cpp");
        kvb_llama_start_of(&plan, false, &start);
        free_bytes = i == 7 ? UINT64_C(16) << 30 : free_bytes;
        uint64_t longest = kvb_llama_longest(&start, true, free_bytes, limit);
        assert_int_equal(longest, kvb_llama_longest(&start, false, free_bytes, limit));
        assert_true(longest >= 256 && fits_at(&start, longest, free_bytes));
        assert_true(longest == limit || !fits_at(&start, longest + 256, free_bytes));
        kvb_llama_lasting_buffers(&start.run, &without);
        kvb_llama_sums_begin(&start.run);
        assert_int_equal(start.run.sums == NULL, i == 5); // patterns are asked for each tensor
        kvb_llama_lasting_buffers(&start.run, &with);
        kvb_llama_sums_end(&start.run);
        assert_memory_equal(&with, &without, sizeof with);
    }
}

// Whether all layers start on the GPU is answered without counting how many would.
static void test_whole(void **state)
{
    static const struct {
        const char *engine, *line;
        uint64_t type;
        bool whole;
    } rows[] = {
        {"llama.cpp", "llama-server -m x.gguf -c 8192", 15, true},
        {"llama.cpp", "llama-server -m x.gguf -c 8192", 8, false},
        {"llama.cpp", "llama-server -m x.gguf -c 8192 -ngl 20", 8, true},
        {"llama.cpp", "llama-server -m x.gguf -c 8192 -ngl 99", 8, false},
        {"ollama", "ollama run x", 15, true},
        {"ollama", "ollama run x", 8, false},
    };
    (void)state;
    for (size_t i = 0; i < sizeof rows / sizeof rows[0]; i++) {
        static struct kvb_budget asked;
        read_line(rows[i].line);
        kvb_settings_set(&deployment.settings, KVB_SET_GGUF_TYPE, rows[i].type, KVB_ORIGIN_FLAG);
        resolve("Qwen/Qwen3-8B", "4060", rows[i].engine);
        assert_int_equal(kvb_engine_of(&plan)->is_whole(&plan, &asked), rows[i].whole);
        if (rows[i].whole) {
            assert_int_equal(asked.requested_bytes, budget.requested_bytes);
        }
    }
}

// Quantised values need flash attention: src/llama-context.cpp, llama_init_from_model.
static void test_refusal(void **state)
{
    (void)state;
    read_line("llama-server -m x.gguf -ngl 99 -c 4096 -fa off -ctv q8_0");
    resolve("Qwen/Qwen3-8B", "3090", "llama.cpp");
    assert_int_equal(budget.verdict, KVB_DOES_NOT_FIT);
    assert_string_equal(budget.error, "V cache quantization requires flash_attn");
}

// The trained length is shortened; with a length said, layers go; with both said, nothing is changed.
static void test_fit(void **state)
{
    struct kvb_llama_start start;
    (void)state;
    read_line("llama-server -m x.gguf");
    kvb_settings_set(&deployment.settings, KVB_SET_GGUF_TYPE, 8, KVB_ORIGIN_FLAG);
    resolve("Qwen/Qwen3-8B", "3060", "llama.cpp");
    kvb_llama_start_of(&plan, false, &start);
    assert_int_equal(start.decision, KVB_LLAMA_CONTEXT_REDUCED);
    assert_int_equal(start.run.context_tokens % 256, 0);
    assert_true(start.run.context_tokens > 4096 && start.run.context_tokens < 40960);
    read_line("llama-server -m x.gguf -c 40960");
    kvb_settings_set(&deployment.settings, KVB_SET_GGUF_TYPE, 8, KVB_ORIGIN_FLAG);
    resolve("Qwen/Qwen3-8B", "3060", "llama.cpp");
    kvb_llama_start_of(&plan, false, &start);
    assert_int_equal(start.decision, KVB_LLAMA_LAYERS_MOVED);
    assert_true(start.run.gpu_layers > 20 && start.run.gpu_layers < 37);
    read_line("llama-server -m x.gguf -c 40960 -ngl 99");
    kvb_settings_set(&deployment.settings, KVB_SET_GGUF_TYPE, 8, KVB_ORIGIN_FLAG);
    resolve("Qwen/Qwen3-8B", "3060", "llama.cpp");
    kvb_llama_start_of(&plan, false, &start);
    assert_int_equal(start.decision, KVB_LLAMA_LEFT_TO_THE_USER);
    assert_int_equal(start.run.gpu_layers, 37);
    read_line("llama-server -m x.gguf -c 4096");
    kvb_settings_set(&deployment.settings, KVB_SET_GGUF_TYPE, 15, KVB_ORIGIN_FLAG);
    resolve("Qwen/Qwen3-8B", "3060", "llama.cpp");
    kvb_llama_start_of(&plan, false, &start);
    assert_int_equal(start.decision, KVB_LLAMA_UNCHANGED);
}

// Experts go to the host before layers do.
static void test_fit_experts(void **state)
{
    struct kvb_llama_start start;
    (void)state;
    read_line("llama-server -m x.gguf -c 16384");
    kvb_settings_set(&deployment.settings, KVB_SET_GGUF_TYPE, 15, KVB_ORIGIN_FLAG);
    resolve("Qwen/Qwen3-30B-A3B", "4060", "llama.cpp");
    kvb_llama_start_of(&plan, false, &start);
    assert_int_equal(start.decision, KVB_LLAMA_LAYERS_MOVED);
    assert_int_equal(start.run.gpu_layers, 49);
    assert_true(start.run.cpu_experts > 24 && start.run.cpu_experts <= 48);
}

struct default_row {
    const char *engine;
    uint64_t context, slots, layers;
};

// common/common.h by build; on a card of 24 GiB.
static void test_defaults(void **state)
{
    static const struct default_row rows[] = {
        {"llama.cpp@b3000", 512, 1, 0},    {"llama.cpp@b3500", 40960, 1, 0},  {"llama.cpp@b4100", 4096, 1, 0},
        {"llama.cpp@b6400", 4096, 1, 37},  {"llama.cpp@b6924", 4096, 1, 37},  {"llama.cpp@b6925", 4096, 4, 37},
        {"llama.cpp@b7410", 40960, 4, 37}, {"llama.cpp@b7500", 40960, 4, 37}, {"ollama@0.30.0", 32768, 1, 37},
        {"ollama@0.33.0", 32768, 1, 37},
    };
    (void)state;
    for (size_t i = 0; i < sizeof rows / sizeof rows[0]; i++) {
        kvb_problems_init(&problems);
        kvb_deployment_init(&deployment);
        kvb_settings_set(&deployment.settings, KVB_SET_GGUF_TYPE, 15, KVB_ORIGIN_FLAG);
        resolve("Qwen/Qwen3-8B", "3090", rows[i].engine);
        assert_int_equal(budget.settings.values[KVB_SET_MAX_MODEL_LEN].number, rows[i].context);
        assert_int_equal(budget.settings.values[KVB_SET_MAX_NUM_SEQS].number, rows[i].slots);
        assert_int_equal(budget.settings.values[KVB_SET_GPU_LAYERS].number, rows[i].layers);
    }
}

// tools/server/server.cpp of b6925 to b7432: "n_parallel == 1 && kv_unified == false" becomes four slots on one cache,
// whoever asked for the one; from b6958 on not with a draft, from b7433 on only where nobody asked.
static void one_slot_that_was_asked_for(void **state)
{
    static const struct {
        const char *engine, *line;
        bool drafts;
        uint64_t slots;
        bool unified;
    } rows[] = {
        {"llama.cpp@b6924", "-np 1", false, 1, false},     {"llama.cpp@b6925", "-np 1", false, 4, true},
        {"llama.cpp@b7432", "-np 1", false, 4, true},      {"llama.cpp@b7433", "-np 1", false, 1, false},
        {"llama.cpp@b7000", "-np 1 -kvu", false, 1, true}, {"llama.cpp@b7000", "-np 2", false, 2, false},
        {"llama.cpp@b6957", "-c 8192", true, 4, true},     {"llama.cpp@b6958", "-c 8192", true, 1, false},
        {"llama.cpp@b7433", "-c 8192", true, 4, true},
    };
    (void)state;
    for (size_t i = 0; i < sizeof rows / sizeof rows[0]; i++) {
        char line[128];
        static struct kvb_model own;
        struct kvb_llama_start begun;
        (void)snprintf(line, sizeof line, "llama-server -m x.gguf %s", rows[i].line);
        read_line(line);
        kvb_settings_set(&deployment.settings, KVB_SET_GGUF_TYPE, 15, KVB_ORIGIN_FLAG);
        resolve("Qwen/Qwen3-8B", "3090", rows[i].engine);
        own = plan.model;
        plan.draft = rows[i].drafts ? &own : NULL;
        kvb_llama_start_of(&plan, false, &begun);
        assert_int_equal(begun.run.sequences, rows[i].slots);
        assert_int_equal(begun.run.unified, rows[i].unified);
    }
}

// Nothing is said of formats: the sizes of the files that are usually published.
static void test_usual_formats(void **state)
{
    static const struct {
        const char *model, *engine;
        uint64_t file_bytes;
    } rows[] = {
        {"Qwen/Qwen3-8B", "ollama", 5027783488},          // Qwen/Qwen3-8B-GGUF, Qwen3-8B-Q4_K_M.gguf
        {"openai/gpt-oss-20b", "ollama", 12109566560},    // ggml-org/gpt-oss-20b-GGUF, gpt-oss-20b-mxfp4.gguf
        {"openai/gpt-oss-20b", "llama.cpp", 12109566560}, // likewise
    };
    (void)state;
    for (size_t i = 0; i < sizeof rows / sizeof rows[0]; i++) {
        struct kvb_llama_start start;
        kvb_problems_init(&problems);
        kvb_deployment_init(&deployment);
        resolve(rows[i].model, "3090", rows[i].engine);
        kvb_llama_start_of(&plan, rows[i].engine[0] == 'o', &start);
        uint64_t bytes = start.buffers.places[0].model_bytes + start.buffers.places[KVB_LLAMA_HOST].model_bytes;
        assert_in_range(bytes, rows[i].file_bytes / 100 * 99, rows[i].file_bytes / 100 * 101);
    }
}

KVB_TEST_MAIN(cmocka_unit_test(test_usual_formats), cmocka_unit_test(test_line),
              cmocka_unit_test(test_words_of_its_own), cmocka_unit_test(test_mistakes), cmocka_unit_test(test_answer),
              cmocka_unit_test(test_refusal), cmocka_unit_test(test_fit), cmocka_unit_test(test_fit_experts),
              cmocka_unit_test(test_defaults), cmocka_unit_test(one_slot_that_was_asked_for),
              cmocka_unit_test(test_longest), cmocka_unit_test(test_whole), cmocka_unit_test(test_other_words),
              cmocka_unit_test(test_rungs))
