// How far --fit shortens a context, by hand from common_params_fit_impl (common/fit.cpp): in a straight line between
// what the shortest and the trained length take of all cards, less what uneven layers waste on several of them.
#include <stdio.h>
#include <string.h>

#include <kvbudget/budget.h>
#include <kvbudget/units.h>

#include "engines/llamacpp/start.h"
#include "unit/llamacpp_line.h"

static struct kvb_llama_start start;

static void solve(const char *line, const char *model, uint64_t free_mib)
{
    static struct kvb_budget budget;
    read_line(line);
    run_on(model, "rtx4090", "llama.cpp");
    set_mixture();
    deployment.gpu_free_bytes = free_mib << 20;
    resolve_line();
    assert_int_equal(kvb_budget_compute(&plan, &budget, &problems), KVB_OK);
    kvb_llama_start_of(&plan, false, &start);
}

// Of all cards, with all layers on them.
static uint64_t taken(uint64_t context_tokens, uint64_t *model_bytes)
{
    static struct kvb_llama_start tried;
    struct kvb_llama_buffers buffers;
    uint64_t sum = 0;
    tried = start;
    tried.run.context_tokens = context_tokens;
    tried.run.gpu_layers = tried.run.model->layer_count + 1;
    tried.run.cpu_experts = 0;
    memset(tried.run.share, 0, sizeof tried.run.share);
    kvb_llama_measure(&tried, &buffers);
    *model_bytes = 0;
    for (uint32_t i = 0; i < tried.run.devices; i++) {
        sum += kvb_llama_used(&buffers, i);
        *model_bytes += buffers.places[i].model_bytes;
    }
    return sum;
}

struct row {
    const char *line, *model;
    uint64_t free_mib, cards, trained, layers, parts; // parts: of a layer, for each card and one more
};

// Trained lengths and layers as the models' configs have them; a sixth of a layer where experts go to cards one by one.
static const struct row rows[] = {
    {"llama-server -m x.gguf -np 1", "Qwen/Qwen3-8B", 8500, 1, 40960, 36, 0},
    {"llama-server -m x.gguf -np 1 -dev CUDA0,CUDA1", "Qwen/Qwen3-8B", 5600, 2, 40960, 36, 2},
    {"llama-server -m x.gguf -np 1 -dev CUDA0,CUDA1,CUDA2", "Qwen/Qwen3-8B", 4600, 3, 40960, 36, 2},
    {"llama-server -m x.gguf -np 1", "Qwen/Qwen3-30B-A3B", 20700, 1, 40960, 48, 0},
    {"llama-server -m x.gguf -np 1 -dev CUDA0,CUDA1", "Qwen/Qwen3-30B-A3B", 11900, 2, 40960, 48, 6},
};

static void in_a_straight_line(void **state)
{
    (void)state;
    for (size_t i = 0; i < sizeof rows / sizeof rows[0]; i++) {
        const struct row *row = &rows[i];
        solve(row->line, row->model, row->free_mib);
        uint64_t model, other, used = taken(row->trained, &model), low = taken(4096, &other);
        uint64_t target = row->cards * (start.free_bytes - 1024 * KVB_MIB);
        target -= row->parts > 0 ? (row->cards + 1) * (model / row->layers) / row->parts : 0;
        assert_true(target > low && target < used);
        uint64_t tokens = 4096 + (row->trained - 4096) * (target - low) / (used - low);
        if (start.run.context_tokens != tokens / 256 * 256) {
            fail_msg("%s %s: %llu, not %llu", row->line, row->model, (unsigned long long)start.run.context_tokens,
                     (unsigned long long)tokens);
        }
        assert_int_equal(start.run.devices, row->cards);
        assert_true(start.decision == KVB_LLAMA_CONTEXT_REDUCED ||
                    (row->cards > 1 && start.decision == KVB_LLAMA_BOTH));
    }
}

// Of two cards the last takes as many layers as it holds (common_params_fit_impl, back to front), where those of models
// with experts are not shared out anew.
static void two_cards(void **state)
{
    (void)state;
    solve("llama-server -m x.gguf -np 1 -c 40960 -dev CUDA0,CUDA1", "Qwen/Qwen3-8B", 4600);
    uint64_t first = start.run.share[0], second = start.run.share[1];
    assert_true(first > 0 && second > 0);
    assert_int_equal(start.run.gpu_layers, first + second);
    assert_true(start.run.gpu_layers < 37);
    for (uint64_t more = 0; more < 2; more++) {
        static struct kvb_llama_start tried;
        struct kvb_llama_buffers buffers;
        tried = start;
        tried.run.share[0] = 0; // given its layers later
        tried.run.share[1] = second + more;
        tried.run.gpu_layers = (uint32_t)(second + more);
        kvb_llama_measure(&tried, &buffers);
        assert_int_equal(kvb_llama_used(&buffers, 1) + 1024 * KVB_MIB <= start.free_bytes, more == 0);
    }
    solve("llama-server -m x.gguf -np 1 -c 8192 -dev CUDA0,CUDA1", "Qwen/Qwen3-30B-A3B", 6000);
    assert_int_equal(start.run.share[0] + start.run.share[1], 0);
    assert_true(start.run.cpu_experts > 0);
}

// What is said of layers that are moved: of a dense model layers, of one with experts first those of the last layers.
static void said_of_layers(void **state)
{
    (void)state;
    char text[160];
    solve("llama-server -m x.gguf -np 1 -c 8192", "Qwen/Qwen3-8B", 5000);
    assert_true(start.run.gpu_layers > 0 && start.run.gpu_layers < 37);
    (void)snprintf(text, sizeof text, "--fit keeps %u of 37 layers on the GPU; the others run on the CPU",
                   start.run.gpu_layers);
    assert_true(is_said(text));
    assert_false(is_said("the experts of"));
    assert_false(is_said("--fit shortens the context"));
    solve("llama-server -m x.gguf -np 1 -c 8192", "Qwen/Qwen3-30B-A3B", 12000);
    assert_true(start.run.gpu_layers == 49 && start.run.cpu_experts > 0);
    (void)snprintf(text, sizeof text, "--fit keeps 49 of 49 layers on the GPU and the experts of %u of them",
                   start.run.cpu_experts);
    assert_true(is_said(text));
    assert_false(is_said("the others run on the CPU"));
    solve("llama-server -m x.gguf -np 1", "Qwen/Qwen3-8B", 8500);
    assert_true(is_said("--fit shortens the context from 40960 to "));
    assert_true(is_said("to keep 1024 MiB free on each GPU"));
    assert_false(is_said("--fit keeps"));
    solve("llama-server -m x.gguf -np 1 -ngl 99 -c 8192", "Qwen/Qwen3-8B", 5000);
    assert_true(is_said("the memory that --fit keeps free is not kept, and what it could change was set by the user"));
}

KVB_TEST_MAIN(cmocka_unit_test(in_a_straight_line), cmocka_unit_test(two_cards), cmocka_unit_test(said_of_layers))
