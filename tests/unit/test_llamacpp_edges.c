// llama.cpp where little is said: models without a length, machines of other makers, weights and terms that a profile
// states, heads that draft in a GGUF header, flags that a build cannot turn off.
#include <stdio.h>
#include <string.h>

#include <kvbudget/budget.h>
#include <kvbudget/input.h>

#include "engines/llamacpp/flags.h"
#include "engines/llamacpp/start.h"
#include "engines/llamacpp/tensors.h"
#include "unit/command_rows.h"
#include "unit/llamacpp_line.h"

static struct kvb_budget budget;
static struct kvb_llama_start start;

static void ask(const char *line, const char *engine)
{
    read_line(line);
    run_on("Qwen/Qwen3-8B", "rtx4090", engine);
    resolve_line();
}

static void solve(void)
{
    assert_int_equal(kvb_budget_compute(&plan, &budget, &problems), KVB_OK);
}

// A model whose config states no length gets llama.cpp's own 512 (common.h, n_ctx of early builds).
static void no_length(void **state)
{
    (void)state;
    ask("llama-server -m x.gguf", "llama.cpp");
    plan.model.context_tokens = 0;
    kvb_llama_start_of(&plan, false, &start);
    assert_int_equal(start.run.context_tokens, 512);
}

// ggml-metal drives what shares its memory with the host and is of no maker known here, ggml-cuda the rest.
static void other_makers(void **state)
{
    (void)state;
    ask("llama-server -m x.gguf -c 4096", "llama.cpp");
    plan.gpu.vendor = KVB_VENDOR_OTHER;
    plan.gpu.unified_memory = true;
    kvb_llama_start_of(&plan, false, &start);
    assert_int_equal(start.run.backend, KVB_LLAMA_METAL);
    plan.gpu.unified_memory = false;
    kvb_llama_start_of(&plan, false, &start);
    assert_int_equal(start.run.backend, KVB_LLAMA_CUDA);
    plan.gpu.vendor = KVB_VENDOR_AMD;
    kvb_llama_start_of(&plan, false, &start);
    assert_int_equal(start.run.backend, KVB_LLAMA_ROCM);
    plan.gpu.vendor = KVB_VENDOR_INTEL;
    kvb_llama_start_of(&plan, false, &start);
    assert_int_equal(start.run.backend, KVB_LLAMA_SYCL);
}

// What a profile states stands in place of what is counted, with its own basis.
static void stated_terms(void **state)
{
    (void)state;
    static const struct {
        enum kvb_stated term;
        enum kvb_item item;
        uint64_t bytes;
    } rows[] = {{KVB_STATED_WEIGHTS, KVB_ITEM_WEIGHTS, UINT64_C(5) << 30},
                {KVB_STATED_ACTIVATION, KVB_ITEM_ACTIVATION, UINT64_C(300) << 20},
                {KVB_STATED_NON_TORCH, KVB_ITEM_NON_TORCH, UINT64_C(400) << 20}};
    ask("llama-server -m x.gguf -c 4096 --fit off", "llama.cpp");
    solve();
    for (size_t i = 0; i < sizeof rows / sizeof rows[0]; i++) {
        assert_int_not_equal(budget.items[rows[i].item].bytes, rows[i].bytes);
        plan.stated[rows[i].term].set = true;
        plan.stated[rows[i].term].bytes = rows[i].bytes;
    }
    solve();
    for (size_t i = 0; i < sizeof rows / sizeof rows[0]; i++) {
        assert_int_equal(budget.items[rows[i].item].bytes, rows[i].bytes);
        assert_int_equal(budget.items[rows[i].item].low_bytes, rows[i].bytes);
        assert_int_equal(budget.items[rows[i].item].high_bytes, rows[i].bytes);
        assert_int_equal(budget.items[rows[i].item].basis, KVB_BASIS_STATED);
    }
}

// ---- tensors of a header

static struct kvb_checkpoint *header;
static uint64_t taken_bytes, taken_rows;
static unsigned taken;

static void take(void *context, const struct kvb_llama_tensor *tensor)
{
    (void)context;
    taken++;
    taken_bytes += tensor->bytes;
    taken_rows = tensor->rows;
}

static void add_class(const char *name, enum kvb_role role, uint64_t layers, uint64_t bytes)
{
    struct kvb_tensor_class *made = &header->classes[header->class_count++];
    memset(made, 0, sizeof *made);
    (void)snprintf(made->name, sizeof made->name, "%s", name);
    made->role = (uint8_t)role;
    made->in_layer = layers != 0;
    made->layers[0] = layers;
    made->rows = 8;
    made->columns = 8;
    made->count = 4;
    made->stored_bytes = bytes;
}

// Layers 0 and 1 are the model's, 2 drafts (nextn); an output that is not there is the embedding again, held twice
// (llama-model.cpp, load_tensors: TENSOR_DUPLICATED).
static void heads_of_a_header(void **state)
{
    (void)state;
    static struct kvb_model model;
    struct kvb_llama_run run = {.model = &model, .sequences = 1};
    memset(&model, 0, sizeof model);
    model.layer_count = 2;
    model.mtp_layers = 1;
    header = &model.checkpoint;
    header->kind = KVB_CHECKPOINT_GGUF;
    header->classes_whole = true;
    add_class("token_embd.weight", KVB_ROLE_EMBEDDING, 0, 1000);
    add_class("output_norm.weight", KVB_ROLE_NORM, 0, 10);
    add_class("ffn_up.weight", KVB_ROLE_MLP, 3, 200); // of both layers
    add_class("nextn.eh_proj.weight", KVB_ROLE_MTP, 4, 70);
    add_class("token_embd.weight", KVB_ROLE_HEAD, 0, 40000); // behind the last
    header->class_count--;
    taken = 0;
    taken_bytes = 0;
    kvb_llama_head_tensors(&run, take, NULL);
    assert_int_equal(taken, 1);
    assert_int_equal(taken_bytes, 70);
    taken = 0;
    taken_bytes = 0;
    kvb_llama_input_tensors(&run, take, NULL);
    assert_int_equal(taken_bytes, 1000);
    add_class("ffn_up.weight", KVB_ROLE_MLP, 7, 40000);
    header->class_count--;
    taken = 0;
    kvb_llama_head_tensors(&run, take, NULL);
    assert_int_equal(taken, 1);
    taken_bytes = 0;
    kvb_llama_layer_tensors(&run, 0, take, NULL);
    assert_int_equal(taken_bytes, 100);
    assert_int_equal(taken_rows, 16); // two of four tensors, each of 8
    add_class("token_embd.weight", KVB_ROLE_EMBEDDING, 0, 40000);
    header->class_count--;
    taken_bytes = 0;
    kvb_llama_layer_tensors(&run, 2, take, NULL); // what is behind the layers
    assert_int_equal(taken_bytes, 1010);
    add_class("output.weight", KVB_ROLE_HEAD, 0, 900);
    taken_bytes = 0;
    kvb_llama_layer_tensors(&run, 2, take, NULL);
    assert_int_equal(taken_bytes, 910);
    add_class("odd", KVB_ROLE_MLP, 0, 5);
    header->classes[header->class_count - 1].in_layer = true; // of no layer at all
    taken_bytes = 0;
    kvb_llama_layer_tensors(&run, 1, take, NULL);
    assert_int_equal(taken_bytes, 100);
    model.mtp_layers = KVB_LAYERS_MAX; // more than any bit speaks of
    taken = 0;
    kvb_llama_head_tensors(&run, take, NULL);
    assert_int_equal(taken, 1);
}

// common/arg.cpp: --swa-full has no other form; --no-kv-unified came after --kv-unified. What cannot be turned off by a
// word is left out of the line.
static void off_forms(void **state)
{
    (void)state;
    assert_int_equal(kvb_llama_off_form("swa-full", KVB_BUILD(9000)), KVB_OFF_UNSAID);
    assert_int_equal(kvb_llama_off_form("no-kv-unified", KVB_BUILD(5000)), KVB_OFF_UNSAID);
    assert_int_equal(kvb_llama_off_form("no-kv-unified", KVB_BUILD(9000)), KVB_OFF_NEGATED);
    assert_int_equal(kvb_llama_off_form("mmap", KVB_BUILD(5000)), KVB_OFF_NEGATED);
    static const char *const engines[][2] = {
        {"llama.cpp", "\"command\": \"llama-server -m Qwen3-8B-Q4_K_M.gguf --ctx-size 8192 --no-kv-unified\""},
        {"llama.cpp@b6200", "\"command\": \"llama-server -m Qwen3-8B-Q4_K_M.gguf --ctx-size 8192\""},
    };
    char path[64] = "/tmp/kvb-llama-XXXXXX", line[128];
    int descriptor = mkstemp(path);
    assert_true(descriptor >= 0);
    assert_int_equal(close(descriptor), 0);
    (void)snprintf(line, sizeof line, "plan --json %s", path);
    for (size_t i = 0; i < sizeof engines / sizeof engines[0]; i++) {
        FILE *file = fopen(path, "w");
        assert_non_null(file);
        (void)fprintf(file,
                      "kind: deployment\nschema: 1\nmodel: Qwen/Qwen3-8B\ngpu: rtx4090\nengine: %s\n"
                      "settings: {swa_full: false, kv_unified: false, max_model_len: 8192, gguf_type: q4_k_m}\n",
                      engines[i][0]);
        assert_int_equal(fclose(file), 0);
        const struct command_row_of_test rows[] = {{line, 0, {engines[i][1]}}};
        EACH_COMMAND(rows);
    }
    assert_int_equal(unlink(path), 0);
}

KVB_TEST_MAIN_WITH(stand_in_sources, NULL, cmocka_unit_test(no_length), cmocka_unit_test(other_makers),
                   cmocka_unit_test(stated_terms), cmocka_unit_test(heads_of_a_header), cmocka_unit_test(off_forms))
