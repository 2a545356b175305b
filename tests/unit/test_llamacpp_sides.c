// llama.cpp and Ollama on both sides of what decides: several GPUs, no memory to spare, projectors and drafts beside
// the model, headers of files, models without what others have. Lines as typed; sizes of Qwen3-8B unless said: 36
// layers, 32 heads and 8 of keys and values of 128, 151936 tokens.
#include <stdio.h>
#include <string.h>

#include <kvbudget/budget.h>
#include <kvbudget/input.h>
#include <kvbudget/units.h>

#include "base/memory.h"
#include "budget/shapes.h"
#include "engines/llamacpp/flags.h"
#include "engines/llamacpp/ladder.h"
#include "engines/llamacpp/layer.h"
#include "engines/llamacpp/ollama.h"
#include "engines/llamacpp/overrides.h"
#include "engines/table.h"
#include "unit/llamacpp_line.h"

static struct kvb_budget budget;
static struct kvb_llama_start start;
static enum kvb_status status;

static void read_for(const char *line, const char *model, const char *gpu, const char *engine)
{
    read_line(line);
    run_on(model, gpu, engine);
}

static void solve(void)
{
    resolve_line();
    status = kvb_budget_compute(&plan, &budget, &problems);
    kvb_llama_start_of(&plan, strncmp(deployment.engine, "ollama", 6) == 0, &start);
}

static void ask(const char *line, const char *model, const char *gpu, const char *engine)
{
    read_for(line, model, gpu, engine);
    set_mixture();
    solve();
}

static int64_t part(const char *key)
{
    for (uint32_t i = 0; i < budget.part_count; i++) {
        if (strcmp(budget.parts[i].key, key) == 0) {
            return budget.parts[i].bytes;
        }
    }
    return -1;
}

// ---- Cells

// src/llama-model.cpp from b6071 to b6974: (n_ctx + n_seq - 1) / n_seq, then padded; src/llama-context.cpp since: n_ctx
// padded, then divided and padded. A slot has cells however many there are.
static void cells_of_many_slots(void **state)
{
    (void)state;
    static const struct {
        uint32_t build, sequences;
        uint64_t context;
        bool flash;
        uint64_t cells; // of a slot
    } rows[] = {{6071, 64, 32, false, 32},   {6071, 65, 2112, false, 64},  {6071, 4, 30000, true, 7680},
                {6974, 65, 2112, false, 64}, {6975, 65, 2112, false, 256}, {6975, 256, 256, true, 256},
                {6975, 3, 1000, true, 512},  {6974, 3, 769, true, 512},    {6974, 3, 768, true, 256},
                {6975, 3, 769, true, 512},   {6070, 3, 1000, false, 1024}};
    static struct kvb_model model;
    for (size_t i = 0; i < sizeof rows / sizeof rows[0]; i++) {
        struct kvb_llama_cells cells;
        struct kvb_llama_run run = {.model = &model,
                                    .build = rows[i].build,
                                    .context_tokens = rows[i].context,
                                    .sequences = rows[i].sequences,
                                    .flash = rows[i].flash};
        kvb_llama_cells_of(&run, &cells);
        assert_int_equal(cells.full, rows[i].cells);
        assert_int_equal(cells.context_tokens, rows[i].cells * (rows[i].build > 6070 ? rows[i].sequences : 1));
    }
    static const struct {
        const char *line, *engine;
        bool flash;
    } asked[] = {{"llama-server -m x.gguf -fa off", "llama.cpp", false},
                 {"llama-server -m x.gguf", "llama.cpp", true},
                 {"llama-server -m x.gguf -fa on", "llama.cpp", true},
                 {"llama-server -m x.gguf", "llama.cpp@b6100", false}};
    for (size_t i = 0; i < sizeof asked / sizeof asked[0]; i++) { // auto from b6325 on
        ask(asked[i].line, "Qwen/Qwen3-8B", "rtx4090", asked[i].engine);
        assert_int_equal(start.run.flash, asked[i].flash);
    }
    ask("llama-server -m x.gguf -c 32 -np 64 -fa off", "Qwen/Qwen3-8B", "rtx4090", "llama.cpp@b6100");
    assert_int_equal(status, KVB_OK);
    assert_int_equal(budget.kv.tokens, 64 * 32);
    // a context of no tokens for each slot's draft is one of the trained length (common_context_params)
    ask("llama-server -m x.gguf -c 3 -np 4 -md Qwen3-0.6B-Q8_0.gguf -ngld 99 -ngl 99", "Qwen/Qwen3-8B", "h100-80",
        "llama.cpp@b6100");
    assert_int_equal(status, KVB_OK);
    assert_int_equal(part("draft_kv_bytes"), 4LL * 40960 * 28 * 2 * 8 * 128 * 2);
}

// Before b6325 no layer went to a GPU unasked, but on Metal (llama_model_default_params, GGML_USE_METAL: 999), the
// draft's as well.
static void layers_unasked(void **state)
{
    (void)state;
    static const struct {
        const char *engine;
        uint64_t backend;
        uint32_t layers, draft_layers;
    } rows[] = {{"llama.cpp@b6324", KVB_LLAMA_CUDA, 0, 0},
                {"llama.cpp@b6324", KVB_LLAMA_METAL, 37, 29},
                {"llama.cpp@b6325", KVB_LLAMA_CUDA, 37, 29}};
    for (size_t i = 0; i < sizeof rows / sizeof rows[0]; i++) {
        read_for("llama-server -m x.gguf -c 4096 -md Qwen3-0.6B-Q8_0.gguf", "Qwen/Qwen3-8B", "h100-80", rows[i].engine);
        set(KVB_SET_GGUF_TYPE, 15);
        set(KVB_SET_GGML_BACKEND, rows[i].backend);
        solve();
        assert_int_equal(start.run.gpu_layers, rows[i].layers);
        assert_int_equal(start.beside.draft_run.gpu_layers, rows[i].draft_layers);
    }
}

// ---- What --fit does

// common/fit.cpp: the context is shortened only where all cards together are too small; an uneven split of one's own is
// kept with more than one card alone, rows and shares of one card are no split.
static void fit_of_several_cards(void **state)
{
    (void)state;
    ask("llama-server -m x.gguf -ts 1,1 -np 1", "Qwen/Qwen3-8B", "rtx4090", "llama.cpp");
    assert_int_equal(start.decision, KVB_LLAMA_UNCHANGED);
    read_for("llama-server -m x.gguf -dev CUDA0,CUDA1 -np 1 -sm row", "Qwen/Qwen3-8B", "rtx4090", "llama.cpp");
    set(KVB_SET_GGUF_TYPE, 8);
    deployment.gpu_free_bytes = 6 * KVB_GIB;
    solve();
    assert_true(start.split_said);
    read_for("llama-server -m x.gguf -np 1 -ts 1,1 --gpus 1 -c 4096", "Qwen/Qwen3-8B", "rtx4090", "llama.cpp");
    solve();
    assert_int_equal(start.run.devices, 1);
    assert_int_equal(start.run.share[1], 0);
    read_for("llama-server -m x.gguf -dev CUDA0 -np 1 -sm row -c 8192", "Qwen/Qwen3-8B", "rtx4090", "llama.cpp");
    set(KVB_SET_GGUF_TYPE, 8);
    deployment.gpu_free_bytes = 6 * KVB_GIB;
    solve();
    assert_false(start.split_said);
    assert_int_equal(start.decision, KVB_LLAMA_LAYERS_MOVED);
    read_for("llama-server -m x.gguf -np 1 -c 8192 -dev CUDA0,CUDA1", "Qwen/Qwen3-30B-A3B", "rtx4090", "llama.cpp");
    deployment.gpu_free_bytes = 16 * KVB_GIB; // 57 GiB: experts go first, whatever the number of cards
    solve();
    assert_int_equal(start.decision, KVB_LLAMA_LAYERS_MOVED);
    assert_true(start.run.cpu_experts > 0);
    assert_int_equal(start.run.share[0], 0);
}

// Two cards that hold all together, the second with the output and its logits beyond its target: the context stays.
static void surplus_of_several_cards(void **state)
{
    (void)state;
    read_for("llama-server -m x.gguf -np 1 -dev CUDA0,CUDA1", "Qwen/Qwen3-8B", "rtx4090", "llama.cpp");
    solve();
    uint64_t first = kvb_llama_used(&start.buffers, 0), second = kvb_llama_used(&start.buffers, 1);
    assert_int_equal(start.decision, KVB_LLAMA_UNCHANGED);
    assert_true(second > first + (16 << 20));
    uint64_t context = 400 * KVB_MIB, margin = 1024 * KVB_MIB;
    deployment.gpu_free_bytes = (first + second) / 2 + margin + context + 4096;
    solve();
    assert_int_equal(start.run.context_tokens, 40960);
    assert_int_not_equal(start.decision, KVB_LLAMA_CONTEXT_REDUCED);
    deployment.gpu_free_bytes = (first + second) / 2 + margin + context - 4096;
    solve();
    assert_true(start.run.context_tokens < 40960);
    deployment.gpu_free_bytes = margin + context + 100 * KVB_MIB; // less than what uneven layers waste
    solve();
    assert_int_equal(start.run.context_tokens, 4096);
}

// Whether a card keeps 1024 MiB with so many layers of a start, all others as they are.
static bool keeps_margin(uint32_t card, uint32_t layers)
{
    static struct kvb_llama_start tried;
    tried = start;
    tried.run.gpu_layers = tried.run.gpu_layers - (uint32_t)tried.run.share[card] + layers;
    tried.run.share[card] = layers;
    for (uint32_t i = 0; i < card; i++) { // given their layers later
        tried.run.gpu_layers -= (uint32_t)tried.run.share[i];
        tried.run.share[i] = 0;
    }
    kvb_llama_measure(&tried, &tried.buffers);
    return kvb_llama_used(&tried.buffers, card) + 1024 * KVB_MIB <= start.free_bytes;
}

// common_params_fit_impl, "filling dense layers back-to-front": the last card takes as many layers as it holds, then
// the one before; only what is left then goes to the host.
static void layers_shared_out_anew(void **state)
{
    (void)state;
    static const struct {
        const char *line;
        uint64_t free_mib; // of each of three
        uint32_t layers;   // 0: fewer than all 37
        enum kvb_llama_decision decision;
        bool whole;
    } rows[] = {
        {"llama-server -m x.gguf -np 1 -c 40960 -dev CUDA0,CUDA1,CUDA2", 9900, 37, KVB_LLAMA_UNCHANGED, true},
        {"llama-server -m x.gguf -np 1 -c 40960 -dev CUDA0,CUDA1,CUDA2", 8600, 37, KVB_LLAMA_UNCHANGED, true},
        {"llama-server -m x.gguf -np 1 -c 40960 -dev CUDA0,CUDA1,CUDA2", 6000, 0, KVB_LLAMA_LAYERS_MOVED, false},
        {"llama-server -m x.gguf -np 1 -dev CUDA0,CUDA1,CUDA2", 6000, 0, KVB_LLAMA_BOTH, false},
        {"llama-server -m x.gguf -np 1 -dev CUDA0,CUDA1,CUDA2", 1400, 0, KVB_LLAMA_BOTH, false}};
    for (size_t i = 0; i < sizeof rows / sizeof rows[0]; i++) {
        static struct kvb_budget asked;
        read_for(rows[i].line, "Qwen/Qwen3-8B", "rtx4090", "llama.cpp");
        deployment.gpu_free_bytes = rows[i].free_mib << 20;
        solve();
        assert_int_equal(start.decision, rows[i].decision);
        assert_int_equal(start.run.gpu_layers == 37, rows[i].layers == 37);
        assert_int_equal(kvb_engine_of(&plan)->is_whole(&plan, &asked), rows[i].whole);
        uint32_t left = 37;
        for (uint32_t card = 3; card-- > 0;) {
            uint32_t layers = (uint32_t)start.run.share[card];
            assert_true(layers == 0 || keeps_margin(card, layers));
            assert_true(layers == left || !keeps_margin(card, layers + 1));
            left -= layers;
        }
    }
}

// No room for the margin, none for the shortest context, a model whose length is the shortest: what is left is moved.
static void fit_without_room(void **state)
{
    (void)state;
    read_for("llama-server -m x.gguf -np 1", "Qwen/Qwen3-8B", "rtx4090", "llama.cpp");
    deployment.gpu_free_bytes = KVB_GIB; // 400 MiB of it are the context, 1024 are to stay free
    solve();
    assert_int_equal(start.decision, KVB_LLAMA_BOTH);
    assert_int_equal(start.run.gpu_layers, 0);
    assert_int_equal(start.run.context_tokens, 4096);
    read_for("llama-server -m x.gguf -np 1 -fitc 40960", "Qwen/Qwen3-8B", "rtx4090", "llama.cpp");
    deployment.gpu_free_bytes = 8 * KVB_GIB;
    solve();
    assert_int_equal(start.decision, KVB_LLAMA_LAYERS_MOVED);
    assert_int_equal(start.run.context_tokens, 40960);
    read_for("llama-server -m x.gguf -np 1 -ngl 0 -ts 1,1 -fitt 20000", "Qwen/Qwen3-8B", "rtx4090", "llama.cpp");
    deployment.gpu_free_bytes = 20 * KVB_GIB; // nothing lies on the cards but what is computed there
    solve();
    assert_int_equal(start.run.gpu_layers, 0);
    read_for("llama-server -m x.gguf -np 1 -ts 1,1", "Qwen/Qwen3-30B-A3B", "rtx4090", "llama.cpp");
    deployment.gpu_free_bytes = 16 * KVB_GIB; // 57 GiB of experts in f16
    solve();
    assert_int_equal(start.decision, KVB_LLAMA_CONTEXT_REDUCED);
    assert_int_equal(start.run.context_tokens, 4096);
    read_for("llama-server -m x.gguf", "Qwen/Qwen3-8B", "rtx4090", "llama.cpp");
    deployment.reserve_count = 1;
    deployment.reserves[0].bytes = 30 * KVB_GIB; // another program holds more than there is
    solve();
    assert_int_equal(start.free_bytes, 0);
    assert_int_equal(kvb_held_by_reserves(&plan), 30 * KVB_GIB);
    assert_int_equal(budget.items[KVB_ITEM_OTHER].bytes, 30 * KVB_GIB);
    assert_int_equal(budget.kv.max_model_len_that_fits, 0);
    read_for("llama-server -m x.gguf -c 4096", "Qwen/Qwen3-8B", "rtx4090", "llama.cpp");
    set(KVB_SET_GGML_BACKEND, KVB_LLAMA_CPU); // no card to fit
    deployment.gpu_free_bytes = KVB_GIB;
    solve();
    assert_false(start.fits_itself);
    assert_int_equal(start.decision, KVB_LLAMA_UNCHANGED);
    ask("llama-server -m x.gguf -dev none -c 0", "Qwen/Qwen3-8B", "rtx4090", "llama.cpp");
    assert_int_equal(start.run.context_tokens, 40960);
}

// ---- Answers

static void what_is_refused(void **state)
{
    (void)state;
    ask("llama-server -m x.gguf -c 4096 -ot exps=CUDA5", "Qwen/Qwen3-8B", "rtx4090", "llama.cpp");
    assert_int_equal(budget.verdict, KVB_DOES_NOT_FIT);
    assert_string_equal(budget.refusal, "override-tensor");
    assert_string_equal(budget.error, "error while handling argument \"--override-tensor\": unknown buffer type");
    read_for("llama-server -m x.gguf -c 4096", "Qwen/Qwen3-8B", "rtx4090", "llama.cpp");
    set(KVB_SET_TENSOR_PARALLEL_SIZE, 16);
    solve();
    assert_int_equal(status, KVB_OK);
    set(KVB_SET_TENSOR_PARALLEL_SIZE, 17);
    resolve_line();
    assert_int_equal(kvb_budget_compute(&plan, &budget, &problems), KVB_OUT_OF_RANGE);
    assert_true(is_said("17 GPUs; llama.cpp takes at most 16"));
    assert_false(kvb_engine_of(&plan)->is_whole(&plan, &budget));
    (void)snprintf(plan.engine.name, sizeof plan.engine.name, "ollama");
    assert_false(kvb_engine_of(&plan)->is_whole(&plan, &budget));
    ask("llama-server -m x.gguf -c 4096 -ngl 99", "Qwen/Qwen3-8B", "rtx4090", "llama.cpp");
    plan.model.vocabulary_size = UINT32_MAX;
    plan.model.hidden_size = UINT32_MAX;
    for (uint32_t i = 0; i < 2; i++) { // on the card, then on the host
        assert_int_equal(kvb_budget_compute(&plan, &budget, &problems), KVB_OVERFLOW);
        kvb_settings_set(&plan.settings, KVB_SET_GPU_LAYERS, 0, KVB_ORIGIN_FLAG);
    }
}

// What is not counted makes no start tight that does not fit anyway.
static void uncounted_and_too_large(void **state)
{
    (void)state;
    ask("llama-server -m x.gguf -ngl 99 -c 40960 -md unknown-Q8_0.gguf", "Qwen/Qwen3-8B", "rtx4090", "llama.cpp");
    assert_int_equal(budget.verdict, KVB_TIGHT);
    ask("llama-server -m x.gguf -ngl 99 -c 4096 -md unknown-Q8_0.gguf", "Qwen/Qwen3-32B", "4060", "llama.cpp");
    assert_int_equal(budget.verdict, KVB_DOES_NOT_FIT);
}

// The formats are said where they are assumed, and where a file says them nothing is.
static void formats_said(void **state)
{
    (void)state;
    static const char in_f16[] = "the model is counted in f16", as_published[] = "counted in Q4_K_M, as it is usually";
    read_for("llama-server -m x.gguf -c 4096", "Qwen/Qwen3-8B", "rtx4090", "llama.cpp");
    solve();
    assert_true(is_said(in_f16) && !is_said(as_published));
    ask("llama-server -m x.gguf -c 4096", "Qwen/Qwen3-8B", "rtx4090", "llama.cpp");
    assert_true(!is_said(in_f16) && !is_said(as_published));
    read_for("ollama run x", "Qwen/Qwen3-8B", "rtx4090", "ollama");
    solve();
    assert_true(!is_said(in_f16) && is_said(as_published));
    plan.model.checkpoint.kind = KVB_CHECKPOINT_GGUF;
    kvb_problems_init(&problems);
    assert_int_equal(kvb_budget_compute(&plan, &budget, &problems), KVB_OK);
    assert_true(!is_said(in_f16) && !is_said(as_published));
    assert_int_equal(budget.items[KVB_ITEM_WEIGHTS].basis, KVB_BASIS_CONFIG); // not all of its tensors are known
    plan.model.checkpoint.classes_whole = true;                               // all, of which there are none
    assert_int_equal(kvb_budget_compute(&plan, &budget, &problems), KVB_OK);
    assert_int_equal(budget.items[KVB_ITEM_WEIGHTS].basis, KVB_BASIS_CHECKPOINT);
    assert_int_equal(budget.items[KVB_ITEM_WEIGHTS].bytes, 0);
}

// The projector lies on the first GPU, or on the host; the fullest may be another.
static void projector_beside_another_card(void **state)
{
    (void)state;
    static const char *const lines[] = {
        "llama-server -m x.gguf -c 4096 -ngl 99 --mmproj mmproj.gguf -ts 1,3",
        "llama-server -m x.gguf -c 4096 -ngl 99 --mmproj mmproj.gguf -ts 3,1",
        "llama-server -m x.gguf -c 4096 -ngl 99 --mmproj mmproj.gguf -ts 1,3 --no-mmproj-offload"};
    for (unsigned i = 0; i < 3; i++) {
        ask(lines[i], "Qwen/Qwen3.6-27B", "rtx4090", "llama.cpp");
        assert_int_equal(budget.tightest_stage, i == 1 ? 0 : 1);
        assert_int_equal(part("projector_model_bytes") > 0, i == 1);
        assert_int_equal(part("host_projector_bytes") > 0, i == 2);
        uint64_t beside = i == 1 ? plan.projector.bytes : 0;
        uint64_t own = start.buffers.places[budget.tightest_stage].model_bytes;
        assert_int_equal(budget.items[KVB_ITEM_WEIGHTS].bytes, own + beside);
        uint64_t compute = start.buffers.places[budget.tightest_stage].compute_bytes;
        compute += i == 1 ? start.beside.projector.compute_bytes : 0;
        assert_int_equal(budget.items[KVB_ITEM_ACTIVATION].bytes, compute);
    }
    // a head that is not here lies with the output, which is on the last card
    ask("llama-server -m x.gguf -c 4096 -ngl 99 -np 1 -ts 3,1 --spec-type draft-eagle3 -md head.gguf", "Qwen/Qwen3-8B",
        "rtx4090", "llama.cpp");
    assert_int_equal(budget.tightest_stage, 0);
    const struct kvb_term *cache = &budget.items[KVB_ITEM_KV_CACHE];
    assert_int_equal(cache->high_bytes, cache->bytes);
}

// A graph of a class that is followed in outline has a wide bound, whichever of those beside the model it is of.
static void outlines_of_what_is_beside(void **state)
{
    (void)state;
    static const struct {
        const char *line, *model;
        bool outlined;
    } rows[] = {
        {"llama-server -m x.gguf -c 4096 -ngl 99", "Qwen/Qwen3-8B", false},
        {"llama-server -m x.gguf -c 4096 -ngl 99 -md Qwen3-0.6B-Q8_0.gguf", "Qwen/Qwen3-8B", false},
        {"llama-server -m x.gguf -c 4096 -ngl 99 -md gemma-2-2b-it-Q8_0.gguf", "Qwen/Qwen3-8B", true},
        {"llama-server -m x.gguf -c 4096 -ngl 99", "google/gemma-2-9b-it", true},
        {"llama-server -m x.gguf -c 4096 -ngl 99 --mmproj m.gguf", "google/gemma-3-4b-it", true},
        {"llama-server -m x.gguf -c 4096 -ngl 99 --mmproj m.gguf --no-mmproj-offload", "google/gemma-3-4b-it", false},
    };
    for (size_t i = 0; i < sizeof rows / sizeof rows[0]; i++) {
        ask(rows[i].line, rows[i].model, "h100-80", "llama.cpp");
        const struct kvb_term *term = &budget.items[KVB_ITEM_ACTIVATION];
        assert_int_equal(term->low_bytes == term->bytes / 2, rows[i].outlined);
        assert_int_equal(term->basis, rows[i].outlined ? KVB_BASIS_MODELLED : KVB_BASIS_EXACT);
    }
}

// ---- Ladders and trades

static void rungs_at_their_ends(void **state)
{
    (void)state;
    uint64_t out[KVB_CANDIDATES_MAX] = {0};
    size_t count;
    const struct kvb_rung *rungs = kvb_llamacpp_rungs(&count);
    ask("llama-server -m x.gguf -c 4096 -ub 2048", "Qwen/Qwen3-8B", "rtx4090", "llama.cpp");
    assert_int_equal(rungs[1].candidates(&plan, &budget, out), 3); // 128 and 64 are not tried
    assert_int_equal(out[2], 256);
    kvb_settings_set(&plan.settings, KVB_SET_TENSOR_PARALLEL_SIZE, 6, KVB_ORIGIN_FLAG);
    assert_int_equal(rungs[8].candidates(&plan, &budget, out), 2); // eight at most
    assert_int_equal(out[1], 8);
    ask("llama-server -m x.gguf -c 4096 -ngl 99 -fa off", "Qwen/Qwen3-8B", "rtx4090", "llama.cpp");
    kvb_budget_formulas(&plan, &budget);
    assert_int_equal(budget.step_count, 6);
    // keys alone are smaller: values need flash attention
    assert_true(budget.steps[1].result >= budget.steps[0].result);
    read_for("llama-server -m x.gguf -c 4096", "Qwen/Qwen3-8B", "rtx4090", "llama.cpp");
    set(KVB_SET_GGML_BACKEND, KVB_LLAMA_CPU);
    solve();
    kvb_budget_formulas(&plan, &budget);
    assert_int_equal(budget.step_count, 0);
}

// ---- Words

static void words_of_files(void **state)
{
    (void)state;
    static const struct {
        const char *name;
        uint64_t type; // 0: none is said
    } rows[] = {{"m-Q8_0.gguf", 8},      {"mQ8_0.gguf", 0},       {"Q8_0/m.gguf", 8}, {"q8_0.gguf", 8},
                {"F16/m-f16.gguf", 2},   {"m.Q4_K_M.gguf", 15},   {"m_q4_0.gguf", 4}, {"m-Q2_K_S.gguf", 10},
                {"m-Q2_K-Q2_K.gguf", 9}, {"m-BF16-Q8_0.gguf", 3}, {"m.gguf", 0}};
    char why[256], path[KVB_PATH_CAPACITY + 64];
    for (size_t i = 0; i < sizeof rows / sizeof rows[0]; i++) {
        kvb_deployment_init(&deployment);
        assert_int_equal(kvb_llama_read_file_name(rows[i].name, KVB_ORIGIN_FLAG, &deployment, why), rows[i].type > 0);
        const struct kvb_setting_value *value = &deployment.settings.values[KVB_SET_GGUF_TYPE];
        assert_int_equal(value->set ? value->number : 0, rows[i].type);
    }
    memset(path, 'a', sizeof path);
    path[KVB_PATH_CAPACITY - 1] = '\0';
    assert_true(kvb_llama_read_repository(path, KVB_ORIGIN_FLAG, &deployment, why));
    assert_true(kvb_llama_read_projector(path, KVB_ORIGIN_FLAG, &deployment, why));
    path[KVB_PATH_CAPACITY - 1] = 'a';
    path[KVB_PATH_CAPACITY] = '\0';
    assert_false(kvb_llama_read_repository(path, KVB_ORIGIN_FLAG, &deployment, why));
    assert_non_null(strstr(why, "is not known; expected OWNER/NAME:TYPE"));
    assert_false(kvb_llama_read_projector(path, KVB_ORIGIN_FLAG, &deployment, why));
    assert_non_null(strstr(why, "is not known; expected a shorter path"));
    char lines[64] = "";
    assert_false(kvb_llama_overrides_add(lines, sizeof lines, "a=GPU", why));
    assert_non_null(strstr(why, "expected a buffer such as CPU, CUDA0 or Vulkan0 behind the ="));
    assert_false(kvb_llama_overrides_add(lines, sizeof lines, "(a)\\1=CPU", why));
    assert_string_equal(why,
                        "override-tensor: '(a)\\1=CPU': an escape other than \\d, \\w, \\s and marks is not read in a "
                        "pattern");
}

KVB_TEST_MAIN(cmocka_unit_test(cells_of_many_slots), cmocka_unit_test(layers_unasked),
              cmocka_unit_test(fit_of_several_cards), cmocka_unit_test(surplus_of_several_cards),
              cmocka_unit_test(layers_shared_out_anew), cmocka_unit_test(fit_without_room),
              cmocka_unit_test(what_is_refused), cmocka_unit_test(uncounted_and_too_large),
              cmocka_unit_test(formats_said), cmocka_unit_test(projector_beside_another_card),
              cmocka_unit_test(outlines_of_what_is_beside), cmocka_unit_test(rungs_at_their_ends),
              cmocka_unit_test(words_of_files))
