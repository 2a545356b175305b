// llama.cpp's answers where two numbers are equal, and every figure and sentence of one: Qwen3-8B has 36 layers, 8
// heads of keys and values of 128, so that a token keeps 147456 bytes in f16.
#include <stdio.h>
#include <string.h>

#include <kvbudget/budget.h>
#include <kvbudget/input.h>
#include <kvbudget/units.h>

#include "engines/llamacpp/ladder.h"
#include "engines/llamacpp/layer.h"
#include "engines/llamacpp/ollama.h"
#include "engines/llamacpp/tensors.h"
#include "engines/table.h"
#include "unit/llamacpp_line.h"

static struct kvb_budget budget;
static struct kvb_llama_start start;

static void read_for(const char *line, const char *model, const char *gpu)
{
    read_line(line);
    run_on(model, gpu, "");
    set_mixture();
}

static void solve(void)
{
    kvb_problems_init(&problems);
    resolve_line();
    assert_int_equal(kvb_budget_compute(&plan, &budget, &problems), KVB_OK);
    kvb_llama_start_of(&plan, false, &start);
}

static void ask(const char *line)
{
    read_for(line, "Qwen/Qwen3-8B", "rtx4090");
    solve();
}

// A start takes what there is to the last byte, and is sure where the high bound does.
static void to_the_last_byte(void **state)
{
    (void)state;
    ask("llama-server -m x.gguf -c 4096 -ngl 99");
    set(KVB_SET_FIT, KVB_OFF);
    solve();
    uint64_t needed = budget.requested_bytes, high = 0;
    for (uint32_t i = 0; i < KVB_ITEM_COUNT; i++) {
        high += (uint64_t)budget.items[i].high_bytes;
    }
    static const struct {
        bool high;
        int64_t more;
        enum kvb_verdict verdict;
    } rows[] = {{false, -1, KVB_DOES_NOT_FIT}, {false, 0, KVB_TIGHT}, {true, -1, KVB_TIGHT}, {true, 0, KVB_FITS}};
    for (size_t i = 0; i < sizeof rows / sizeof rows[0]; i++) {
        deployment.gpu_free_bytes = (uint64_t)((int64_t)(rows[i].high ? high : needed) + rows[i].more);
        solve();
        assert_int_equal(budget.verdict, rows[i].verdict);
        assert_int_equal(budget.starts, rows[i].verdict != KVB_DOES_NOT_FIT);
        assert_int_equal(budget.slack_bytes, (int64_t)(deployment.gpu_free_bytes - needed));
        assert_int_equal(budget.balance_bytes, budget.slack_bytes);
    }
    deployment.gpu_free_bytes = KVB_GIB;
    solve();
    assert_string_equal(budget.error, "failed to load model: out of device memory");
    (void)snprintf(deployment.engine, sizeof deployment.engine, "llama.cpp@b7406");
    kvb_settings_set(&deployment.settings, KVB_SET_FIT, 0, KVB_ORIGIN_DEFAULT);
    solve();
    assert_string_equal(budget.error, "cudaMalloc failed: out of memory");
}

// --fit changes nothing where every card keeps its margin to the byte.
static void margin_to_the_byte(void **state)
{
    (void)state;
    for (int64_t more = -1; more <= 0; more++) {
        ask("llama-server -m x.gguf -c 4096 --fit off");
        uint32_t device;
        uint64_t used = kvb_llama_fullest(&start, &start.buffers, &device);
        read_for("llama-server -m x.gguf -c 4096", "Qwen/Qwen3-8B", "rtx4090");
        deployment.gpu_free_bytes = (uint64_t)((int64_t)(used + (400 + 1024) * KVB_MIB) + more);
        solve();
        assert_int_equal(start.decision, more < 0 ? KVB_LLAMA_LAYERS_MOVED : KVB_LLAMA_UNCHANGED);
        assert_int_equal(start.run.gpu_layers, more < 0 ? 36 : 37);
    }
}

// Of a model whose layers fit without their experts, as many of these as fit come back: one layer's more do not.
static void experts_to_the_layer(void **state)
{
    (void)state;
    read_for("llama-server -m x.gguf -c 8192", "Qwen/Qwen3-30B-A3B", "h100-80");
    deployment.gpu_free_bytes = 12 * KVB_GIB;
    solve();
    uint32_t device, left = start.run.cpu_experts;
    assert_int_equal(start.run.gpu_layers, 49);
    assert_in_range(left, 10, 40);
    for (uint32_t more = 0; more < 2; more++) {
        struct kvb_llama_start tried = start;
        tried.run.cpu_experts = left - more;
        kvb_llama_measure(&tried, &tried.buffers);
        uint64_t used = kvb_llama_fullest(&tried, &tried.buffers, &device);
        assert_int_equal(used + KVB_GIB <= start.free_bytes, more == 0);
    }
    read_for("llama-server -m x.gguf -c 8192", "Qwen/Qwen3-30B-A3B", "h100-80");
    deployment.gpu_free_bytes = 2 * KVB_GIB; // not even all layers without experts: then all experts stay
    solve();
    assert_int_equal(start.run.cpu_experts, 48);
    assert_true(start.run.gpu_layers < 49);
}

// The shortest context is that of each stream; the longest is the trained length of each.
static void contexts_of_streams(void **state)
{
    (void)state;
    static const struct {
        const char *line;
        uint64_t shortest, longest;
    } rows[] = {{"llama-server -m x.gguf", 4096, 40960}, // four slots on one cache
                {"llama-server -m x.gguf -np 1", 4096, 40960},
                {"llama-server -m x.gguf -np 2", 8192, 81920},
                {"llama-server -m x.gguf -np 2 -kvu", 4096, 40960},
                {"llama-server -m x.gguf -np 2 -fitc 1000", 2000, 81920}};
    for (size_t i = 0; i < sizeof rows / sizeof rows[0]; i++) {
        read_for(rows[i].line, "Qwen/Qwen3-8B", "h100-80");
        solve();
        assert_int_equal(budget.kv.max_model_len_that_fits, rows[i].longest);
        read_for(rows[i].line, "Qwen/Qwen3-8B", "rtx4090");
        deployment.gpu_free_bytes = 3 * KVB_GIB;
        solve();
        assert_int_equal(start.run.context_tokens, rows[i].shortest);
        assert_int_equal(start.decision, KVB_LLAMA_BOTH);
    }
    read_for("llama-server -m x.gguf -np 1", "Qwen/Qwen3-8B", "rtx4090");
    deployment.gpu_free_bytes = 9 * KVB_GIB;
    solve();
    assert_int_equal(start.run.context_tokens % 256, 0);
    assert_int_equal(start.decision, KVB_LLAMA_CONTEXT_REDUCED);
    // in a straight line between both lengths, rounded down: less than 1024 tokens below what fits
    uint64_t fits = kvb_llama_longest(&start, false, start.free_bytes - KVB_GIB, 40960);
    assert_true(start.run.context_tokens <= fits && fits < start.run.context_tokens + 1024);
    char text[160];
    (void)snprintf(text, sizeof text,
                   "--fit shortens the context from 40960 to %llu tokens to keep 1024 MiB free on each GPU",
                   (unsigned long long)start.run.context_tokens);
    assert_true(is_said(text));
}

// ---- Figures

static void figures_of_the_cache(void **state)
{
    (void)state;
    ask("llama-server -m x.gguf -c 8192 -np 2 -ngl 99");
    const struct kvb_term *weights =
        &budget.items[KVB_ITEM_WEIGHTS]; // a mixture known by its name alone: a tenth at most
    assert_in_range(weights->low_bytes, weights->bytes / 10 * 9, weights->bytes - 1);
    assert_in_range(weights->high_bytes, weights->bytes + 1, weights->bytes / 10 * 11);
    assert_int_equal(budget.kv.tokens, 8192);
    assert_int_equal(budget.kv.block_tokens, 1);
    assert_int_equal(budget.kv.num_blocks, 8192);
    assert_int_equal(budget.kv.bytes_per_token, 147456);
    assert_int_equal(budget.kv.bytes_per_block, 147456);
    assert_int_equal(budget.kv.blocks_per_request, 4096);
    assert_int_equal(budget.kv.max_concurrency_hundredths, 100);
    assert_int_equal(budget.needed_bytes, 8192 * 147456);
    assert_int_equal(budget.kv.really_needed_bytes, 8192 * 147456);
    assert_string_equal(budget.requested_as, "all buffers, taken at the start");
}

// A request of a length in each slot, all slots alike; requests beyond the slots are one token too many.
static void wishes(void **state)
{
    (void)state;
    static const struct {
        const char *line;
        uint64_t length;
        uint32_t requests; // in hundredths
        uint64_t wanted_tokens;
        enum kvb_verdict verdict;
    } rows[] = {{"llama-server -m x.gguf -c 8192 -np 2 -ngl 99", 0, 0, 0, KVB_FITS},
                {"llama-server -m x.gguf -c 8192 -np 2 -ngl 99", 4096, 0, 8192, KVB_FITS},
                {"llama-server -m x.gguf -c 8192 -np 2 -ngl 99", 4097, 0, 8194, KVB_DOES_NOT_FIT},
                {"llama-server -m x.gguf -c 8192 -np 2 -ngl 99", 0, 200, 8192, KVB_FITS},
                {"llama-server -m x.gguf -c 8192 -np 2 -ngl 99", 0, 201, 8193, KVB_DOES_NOT_FIT},
                {"llama-server -m x.gguf -c 8192 -np 2 -kvu -ngl 99", 4096, 200, 8192, KVB_FITS},
                {"llama-server -m x.gguf -c 8192 -np 2 -kvu -ngl 99", 8192, 100, 8192, KVB_FITS},
                {"llama-server -m x.gguf -c 8192 -np 2 -kvu -ngl 99", 0, 100, 8192, KVB_FITS}};
    for (size_t i = 0; i < sizeof rows / sizeof rows[0]; i++) {
        read_for(rows[i].line, "Qwen/Qwen3-8B", "rtx4090");
        deployment.need = (struct kvb_need){rows[i].length, rows[i].requests};
        solve();
        assert_int_equal(budget.kv.wanted_bytes, rows[i].wanted_tokens * 147456);
        assert_int_equal(budget.verdict, rows[i].verdict);
        assert_true(budget.starts);
        assert_int_equal(is_said("3 requests at once need as many slots: there are 2; say --parallel 3"),
                         rows[i].requests > 200);
    }
    read_for("llama-server -m x.gguf -c 8192 -np 1 -ngl 99", "Qwen/Qwen3-8B", "rtx4090");
    deployment.need = (struct kvb_need){1024, 200};
    solve();
    assert_true(is_said("2 requests at once need as many slots: there is 1; say --parallel 2"));
    assert_int_equal(budget.needed_bytes, 8192 * 147456 + 1); // more than the cache holds
}

// What a user said and the start uses stays his; what the start makes of it is the engine's.
static void whose_settings(void **state)
{
    (void)state;
    static const struct {
        enum kvb_setting setting;
        uint64_t number;
        bool said;
    } rows[] = {{KVB_SET_MAX_MODEL_LEN, 8192, true},
                {KVB_SET_MAX_NUM_SEQS, 4, false},
                {KVB_SET_MAX_NUM_BATCHED_TOKENS, 2048, false},
                {KVB_SET_UBATCH_SIZE, 256, true},
                {KVB_SET_TENSOR_PARALLEL_SIZE, 1, false},
                {KVB_SET_GPU_LAYERS, 37, false}, // of 99
                {KVB_SET_CPU_MOE_LAYERS, 0, false},
                {KVB_SET_CACHE_TYPE_K, KVB_GGUF_Q8_0, true},
                {KVB_SET_CACHE_TYPE_V, KVB_GGUF_F16, false},
                {KVB_SET_FLASH_ATTENTION, KVB_ON, false},
                {KVB_SET_KV_UNIFIED, 1, false},
                {KVB_SET_KV_OFFLOAD, 0, true}};
    ask("llama-server -m x.gguf -c 8192 -ub 256 -ngl 99 -ctk q8_0 -nkvo");
    for (size_t i = 0; i < sizeof rows / sizeof rows[0]; i++) {
        const struct kvb_setting_value *value = &budget.settings.values[rows[i].setting];
        assert_true(value->set);
        assert_int_equal(value->number, rows[i].number);
        assert_int_equal(value->origin == KVB_ORIGIN_DEFAULT, !rows[i].said);
    }
    ask("llama-server -m x.gguf -c 8192 -dev none -fa off -np 1");
    assert_int_equal(budget.settings.values[KVB_SET_FLASH_ATTENTION].number, KVB_OFF);
    assert_int_equal(budget.settings.values[KVB_SET_KV_UNIFIED].number, 0);
    assert_int_equal(budget.settings.values[KVB_SET_KV_OFFLOAD].number, 1);
}

static void seat(void **state)
{
    (void)state;
    static const char *const names[] = {"llama.cpp", "ollama"};
    for (unsigned i = 0; i < 2; i++) {
        struct kvb_neighbourhood beside;
        ask("llama-server -m x.gguf -c 8192 -ts 1,1");
        (void)snprintf(plan.engine.name, sizeof plan.engine.name, "%s", names[i]);
        const struct kvb_engine_rows *engine = kvb_engine_of(&plan);
        assert_int_equal(engine->request(&plan, 3000000, 500000), 1500000); // half of it
        assert_int_equal(engine->request(&plan, 3000007, 333333), 1000001); // 1000001.333331
        assert_int_equal(engine->neighbourhood(&plan, &beside, NULL), KVB_OK);
        assert_int_equal(beside.charge, KVB_CHARGE_NOTHING);
        assert_false(beside.charges_others || beside.checks_free);
        assert_int_equal(beside.ranks, 2);
        assert_string_equal(engine->labels[KVB_ITEM_WEIGHTS], "model buffer");
        assert_string_equal(engine->labels[KVB_ITEM_ACTIVATION], "compute buffer");
        assert_string_equal(engine->labels[KVB_ITEM_NON_TORCH], "context and libraries");
        assert_string_equal(engine->labels[KVB_ITEM_KV_CACHE], "KV cache");
    }
}

struct rung_told {
    enum kvb_setting setting;
    uint32_t count;
    uint64_t candidates[KVB_CANDIDATES_MAX];
};

static void assert_rungs(const struct kvb_rung *rungs, size_t count, const struct rung_told *told, size_t told_count)
{
    assert_int_equal(count, told_count);
    for (size_t i = 0; i < count; i++) {
        uint64_t out[KVB_CANDIDATES_MAX] = {0};
        assert_int_equal(rungs[i].setting, told[i].setting);
        assert_int_equal(rungs[i].last_resort, told[i].setting == KVB_SET_TENSOR_PARALLEL_SIZE); // other hardware
        assert_false(rungs[i].warns || rungs[i].removes);
        assert_int_equal(rungs[i].candidates(&plan, &budget, out), told[i].count);
        for (uint32_t j = 0; j < told[i].count; j++) {
            assert_int_equal(out[j], told[i].candidates[j]);
        }
    }
}

// What to try, least harm first: halves of a graph down to 64 tokens and of a length to 2048 in steps of 256, eighths
// of the layers whose experts move, twelfths of those that stay, GPUs up to eight.
static void every_rung(void **state)
{
    (void)state;
    static const struct rung_told server[] = {
        {KVB_SET_FLASH_ATTENTION, 0, {0}},
        {KVB_SET_UBATCH_SIZE, 3, {256, 128, 64}},
        {KVB_SET_CACHE_TYPE_K, 2, {KVB_GGUF_Q8_0, KVB_GGUF_Q4_0}},
        {KVB_SET_CACHE_TYPE_V, 2, {KVB_GGUF_Q8_0, KVB_GGUF_Q4_0}},
        {KVB_SET_MAX_NUM_SEQS, 1, {1}},
        {KVB_SET_MAX_MODEL_LEN, 3, {9984, 4864, 2304}},
        {KVB_SET_CPU_MOE_LAYERS, 8, {6, 12, 18, 24, 30, 36, 42, 48}},
        {KVB_SET_GPU_LAYERS, 11, {44, 40, 36, 32, 28, 24, 20, 16, 12, 8, 4}},
        {KVB_SET_TENSOR_PARALLEL_SIZE, 4, {2, 3, 4, 5}},
    };
    static const struct rung_told ollama[] = {
        {KVB_SET_UBATCH_SIZE, 3, {256, 128, 64}},
        {KVB_SET_CACHE_TYPE_K, 2, {KVB_GGUF_Q8_0, KVB_GGUF_Q4_0}},
        {KVB_SET_MAX_NUM_SEQS, 1, {1}},
        {KVB_SET_MAX_MODEL_LEN, 3, {9984, 4864, 2304}},
        {KVB_SET_GPU_LAYERS, 11, {44, 40, 36, 32, 28, 24, 20, 16, 12, 8, 4}},
        {KVB_SET_TENSOR_PARALLEL_SIZE, 4, {2, 3, 4, 5}},
    };
    size_t count;
    read_for("llama-server -m x.gguf -c 20000 -np 4 -ngl 48 --fit off", "Qwen/Qwen3-30B-A3B", "h100-80");
    solve();
    const struct kvb_rung *rungs = kvb_llamacpp_rungs(&count);
    assert_rungs(rungs, count, server, sizeof server / sizeof server[0]);
    rungs = kvb_ollama_rungs(&count);
    assert_rungs(rungs, count, ollama, sizeof ollama / sizeof ollama[0]);
}

// What a plan says it could do: the longest context with all of 37 layers on the GPU, 27 and 18, in f16 and q8_0.
static void trades(void **state)
{
    (void)state;
    read_for("llama-server -m x.gguf -c 4096 -ngl 99 --fit off", "Qwen/Qwen3-8B", "3060");
    solve();
    kvb_budget_formulas(&plan, &budget);
    static const int64_t layers[] = {37, 27, 18};
    assert_int_equal(budget.step_count, 6);
    for (uint32_t i = 0; i < 6; i++) {
        const struct kvb_step *step = &budget.steps[i];
        assert_string_equal(step->name, i % 2 == 0 ? "longest f16" : "longest q8_0");
        assert_string_equal(step->formula, "with {0:n} of {1:n} layers on the GPU");
        assert_int_equal(step->values[0], layers[i / 2]);
        assert_int_equal(step->values[1], 37);
        assert_int_equal(step->unit, KVB_UNIT_TOKENS);
        struct kvb_llama_start tried = start;
        tried.run.gpu_layers = (uint32_t)layers[i / 2];
        tried.run.key_type = tried.run.value_type = i % 2 == 0 ? KVB_LLAMA_CACHE_F16 : KVB_LLAMA_CACHE_Q8_0;
        uint64_t free_bytes = budget.free_bytes - 550 * KVB_MIB; // less the context
        assert_int_equal(step->result, kvb_llama_longest(&tried, false, free_bytes, 40960));
        assert_true(step->result > 0);
    }
}

// Slots up to 256 (LLAMA_MAX_SEQ), tokens tried at once up to 1024, whoever asks for more; each has a row of logits, at
// most a row for each token of a graph, and a copy of the states.
static void most_of_all(void **state)
{
    (void)state;
    static const struct {
        uint64_t slots, drafted;
        uint32_t sequences, rows, copies;
    } rows[] = {{300, 1, 256, 512, 2}, {256, 0, 256, 256, 1}, {1, 5000, 1, 512, 1025}, {4, 3, 4, 16, 4}};
    for (size_t i = 0; i < sizeof rows / sizeof rows[0]; i++) {
        read_for("llama-server -m x.gguf -c 262144 --spec-type draft-mtp", "Qwen/Qwen3.6-27B", "h100-80");
        kvb_settings_set(&deployment.settings, KVB_SET_MAX_NUM_SEQS, rows[i].slots, KVB_ORIGIN_FLAG);
        kvb_settings_set(&deployment.settings, KVB_SET_NUM_SPECULATIVE_TOKENS, rows[i].drafted, KVB_ORIGIN_FLAG);
        solve();
        assert_int_equal(start.run.sequences, rows[i].sequences);
        assert_int_equal(start.run.output_rows, rows[i].rows);
        assert_int_equal(start.run.state_copies, rows[i].copies);
    }
    read_for("llama-server -m x.gguf -c 4096 -np 1 --spec-type draft-mtp", "Qwen/Qwen3.6-27B", "h100-80");
    solve();
    assert_int_equal(start.run.state_copies, 4); // three are drafted where none are said
    (void)snprintf(deployment.engine, sizeof deployment.engine, "llama.cpp@b9108");
    solve();
    assert_int_equal(start.run.state_copies, 0);
}

// A picture is said to need more only where one can: Gemma 3's have one size.
static void larger_pictures(void **state)
{
    (void)state;
    read_for("llama-server -m x.gguf -c 4096 --mmproj m.gguf", "google/gemma-3-4b-it", "h100-80");
    solve();
    assert_true(plan.projector.known);
    assert_false(is_said("pictures beyond"));
    read_for("llama-server -m x.gguf -c 4096 --mmproj m.gguf", "Qwen/Qwen3.6-27B", "h100-80");
    solve();
    assert_true(is_said("pictures beyond 1472 x 1472 pixels take up to "));
}

// ---- Tensors

// ggml_backend_cuda_buffer_type_get_alloc_size: ten rows of 896 elements in q8_0 take 9520 bytes, on the GPU a row's
// rest to 1024 elements more once (4 blocks of 34) in steps of 128; on the host steps of 32.
static void paddings(void **state)
{
    (void)state;
    static struct kvb_model model;
    static const struct {
        enum kvb_llama_backend backend;
        uint32_t place;
        bool quantised;
        uint64_t columns, bytes, padded;
    } rows[] = {{KVB_LLAMA_CUDA, 0, true, 896, 9520, 9728},    {KVB_LLAMA_CUDA, KVB_LLAMA_HOST, true, 896, 9520, 9536},
                {KVB_LLAMA_ROCM, 0, true, 896, 9520, 9728},    {KVB_LLAMA_SYCL, 0, true, 896, 9520, 9728},
                {KVB_LLAMA_VULKAN, 0, true, 896, 9520, 9600},  {KVB_LLAMA_METAL, 0, true, 896, 9520, 9536},
                {KVB_LLAMA_CUDA, 0, true, 1024, 10880, 10880}, {KVB_LLAMA_CUDA, 0, false, 896, 17920, 17920}};
    for (size_t i = 0; i < sizeof rows / sizeof rows[0]; i++) {
        struct kvb_llama_run run = {.model = &model, .backend = rows[i].backend, .devices = 1};
        struct kvb_llama_tensor tensor = {
            .rows = 10, .columns = rows[i].columns, .bytes = rows[i].bytes, .quantised = rows[i].quantised};
        assert_int_equal(kvb_llama_padded(&run, rows[i].place, &tensor), rows[i].padded);
    }
}

// The experts that Ollama's estimate moves for a batch are those of the first layer (GraphSize, blk.0): here of f16.
static void experts_of_the_first_layer(void **state)
{
    (void)state;
    static struct kvb_ollama_sizes sizes;
    for (unsigned i = 0; i < 2; i++) {
        read_for("ollama run x", "mistralai/Mixtral-8x7B-Instruct-v0.1", "h100-80");
        (void)snprintf(deployment.engine, sizeof deployment.engine, "ollama@0.5.0");
        kvb_settings_set(&deployment.settings, KVB_SET_GGUF_TYPE, 2, KVB_ORIGIN_FLAG);
        kvb_deployment_take_gpu_count(&deployment);
        assert_int_equal(kvb_deployment_resolve(&deployment, &plan, &draft, &source, &problems), KVB_OK);
        kvb_llama_start_of(&plan, true, &start);
        plan.model.kind_count = 2;
        plan.model.kinds[1] = plan.model.kinds[0];
        plan.model.kinds[1].mlp.experts = 4;
        plan.model.kind_of_layer[i == 0 ? 31 : 0] = 1;
        start.run.context_tokens = 2048;
        start.asked_batch = 512;
        kvb_ollama_sizes_of(&start, KVB_RELEASE(0, 5, 0), &sizes);
        uint64_t gate = (i == 0 ? 8ULL : 4) * 14336 * 4096 * 2;
        assert_int_equal(sizes.partial_bytes, 3 * gate + 4ULL * 512 * (2 * 14336 + 8 + 4096 + 2048 + 128 * 8));
    }
}

KVB_TEST_MAIN(cmocka_unit_test(to_the_last_byte), cmocka_unit_test(margin_to_the_byte),
              cmocka_unit_test(experts_to_the_layer), cmocka_unit_test(contexts_of_streams),
              cmocka_unit_test(figures_of_the_cache), cmocka_unit_test(wishes), cmocka_unit_test(whose_settings),
              cmocka_unit_test(seat), cmocka_unit_test(every_rung), cmocka_unit_test(trades),
              cmocka_unit_test(most_of_all), cmocka_unit_test(larger_pictures), cmocka_unit_test(paddings),
              cmocka_unit_test(experts_of_the_first_layer))
