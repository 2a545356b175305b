// Plans a row twice: with the free memory that its log prints, and without knowing anything of the log.
#include "run.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/memory.h"
#include "base/text.h"

#define WORDS_MAX 48

struct asked {
    struct kvb_deployment deployment;
    struct kvb_plan plan;
    struct kvb_model draft;
    struct kvb_budget budget;
    struct kvb_problems problems;
};

static bool gib(const char *text, int64_t *bytes)
{
    uint64_t read = 0;
    if (text[0] == '\0') {
        *bytes = -1;
        return true;
    }
    bool good = kvb_parse_gib(text, &read);
    *bytes = (int64_t)read;
    return good;
}

// "28x32x80" and "8x1x512+40x8x256@1024:CLASS": layers x KV heads x head size, then layers with a window.
static bool plain_shape(const char *text, struct kvb_model *model)
{
    unsigned layers = 0, heads = 0, size = 0, wide = 0, wide_heads = 0, wide_size = 0, window = 0;
    char name[64] = "LlamaForCausalLM";
    int read = sscanf(text, "%ux%ux%u+%ux%ux%u@%u:%63s", &layers, &heads, &size, &wide, &wide_heads, &wide_size,
                      &window, name);
    if (read < 3 || layers + wide > KVB_LAYERS_MAX) {
        return false;
    }
    memset(model, 0, sizeof *model);
    (void)kvb_copy(model->name, sizeof model->name, text);
    (void)kvb_copy(model->architecture, sizeof model->architecture, name);
    model->hidden_size = 1024;
    model->vocabulary_size = 32000;
    model->layer_count = layers + wide;
    model->context_tokens = 1U << 20;
    model->kind_count = 2;
    for (unsigned i = 0; i < 2; i++) {
        struct kvb_attention_shape *shape = &model->kinds[i].attention;
        shape->kind = i == 0 ? KVB_ATTENTION_FULL : KVB_ATTENTION_SLIDING;
        shape->heads = 64;
        shape->kv_heads = i == 0 ? heads : wide_heads;
        shape->head_size = shape->value_head_size = i == 0 ? size : wide_size;
        shape->window_tokens = i == 0 ? 0 : window;
        model->kinds[i].mlp.kind = KVB_MLP_GATED;
        model->kinds[i].mlp.intermediate_size = 1024;
    }
    for (unsigned i = 0; i < model->layer_count; i++) {
        model->kind_of_layer[i] = i < layers ? 0 : 1;
    }
    return true;
}

static enum kvb_status read_settings(const struct table *table, size_t row, const char *model, struct asked *asked)
{
    static char text[1024];
    const char *words[WORDS_MAX] = {"python", "-m", "sglang.launch_server", "--model-path", model};
    int count = 5;
    (void)kvb_copy(text, sizeof text, table_cell(table, row, "settings"));
    for (char *at = text; *at != '\0' && count < WORDS_MAX;) {
        words[count++] = at;
        at += strcspn(at, " ");
        if (*at != '\0') {
            *at++ = '\0';
        }
    }
    return kvb_serve_command_read(count, words, &asked->deployment, &asked->problems);
}

// `model` is what weights are counted for; a plain shape stands for one nobody publishes.
static bool ask(const struct table *table, size_t row, const char *model, struct asked *asked)
{
    struct kvb_model_source source;
    kvb_problems_init(&asked->problems);
    kvb_deployment_init(&asked->deployment);
    (void)kvb_copy(asked->deployment.engine, sizeof asked->deployment.engine, table_cell(table, row, "engine"));
    (void)kvb_copy(asked->deployment.gpu, sizeof asked->deployment.gpu, table_cell(table, row, "gpu"));
    asked->deployment.usage_set = asked->deployment.platform_set = true;
    if (read_settings(table, row, model, asked) != KVB_OK) {
        return false;
    }
    asked->deployment.inline_model = plain_shape(model, &asked->deployment.model_value);
    return kvb_deployment_resolve(&asked->deployment, &asked->plan, &asked->draft, &source, &asked->problems) == KVB_OK;
}

static int64_t pool_of(const struct asked *asked, uint64_t tokens)
{
    return (int64_t)(tokens * asked->budget.kv.bytes_per_token);
}

static void keep_logged(const struct table *table, size_t row, const struct asked *asked, struct run *run)
{
    int64_t bytes = -1;
    (void)gib(table_cell(table, row, "kv_gib"), &bytes);
    run->logged_tokens = strtoull(table_cell(table, row, "tokens"), NULL, 10);
    run->logged_pool_bytes = run->logged_tokens > 0 ? pool_of(asked, run->logged_tokens) : bytes;
}

// Graphs of decoding and of prefills together.
static void keep_graphs(const struct table *table, size_t row, const struct asked *asked, struct run *run)
{
    const struct kvb_term *bound = &asked->budget.beside[KVB_BESIDE_GRAPHS];
    const char *text = table_cell(table, row, "graphs_gib");
    bool said = text[0] != '\0' && text[0] != '-' && gib(text, &run->graphs_bytes) && run->graphs_bytes > 0;
    run->has_graphs = said && bound->high_bytes > 0;
    run->graphs_low_bytes = bound->low_bytes;
    run->graphs_high_bytes = bound->high_bytes;
    run->graphs_inside = run->graphs_bytes >= bound->low_bytes && run->graphs_bytes <= bound->high_bytes;
}

static bool ask_given(const struct table *table, size_t row, struct asked *asked, struct run *run)
{
    int64_t before, after;
    const char *shape = table_cell(table, row, "shape");
    const char *model = shape[0] != '\0' ? shape : table_cell(table, row, "model");
    if (!gib(table_cell(table, row, "before_gib"), &before) || !gib(table_cell(table, row, "after_gib"), &after)) {
        return false;
    }
    if (!ask(table, row, model, asked)) {
        fprintf(stderr, "%s: %s\n", run->id, asked->problems.count > 0 ? asked->problems.items[0].text : "");
        return true;
    }
    struct kvb_plan *plan = &asked->plan;
    if (before > 0 && after > 0) {
        uint64_t gone = plan->gpu.memory_bytes > (uint64_t)before ? plan->gpu.memory_bytes - (uint64_t)before : 0;
        plan->gpu.memory_bytes = (uint64_t)before + gone;
        plan->stated[KVB_STATED_NON_TORCH] = (struct kvb_stated_term){true, gone};
        plan->stated[KVB_STATED_WEIGHTS] = (struct kvb_stated_term){true, (uint64_t)(before - after)};
    }
    if (kvb_budget_compute(plan, &asked->budget, &asked->problems) != KVB_OK) {
        return true;
    }
    keep_logged(table, row, asked, run);
    keep_graphs(table, row, asked, run);
    run->has_given = before > 0 && after > 0 && run->logged_pool_bytes > 0;
    run->given_tokens = asked->budget.kv.tokens;
    run->given_pool_bytes = pool_of(asked, asked->budget.kv.tokens);
    run->given_off_bytes = run->given_pool_bytes - run->logged_pool_bytes;
    run->fraction_thousandths =
        (uint32_t)((asked->budget.settings.values[KVB_SET_GPU_MEMORY_UTILIZATION].number + 500) / 1000);
    return true;
}

static void ask_launch(const struct table *table, size_t row, struct asked *asked, struct run *run)
{
    const char *shape = table_cell(table, row, "shape");
    const char *model = table_cell(table, row, "model");
    bool quantised = strstr(model, "FP8") != NULL || strstr(model, "AWQ") != NULL || strstr(model, "Int4") != NULL;
    run->has_launch = strcmp(table_cell(table, row, "launch"), "no") != 0;
    if (!run->has_launch) {
        return;
    }
    run->answered = ask(table, row, shape[0] != '\0' && !quantised ? shape : model, asked) &&
                    kvb_budget_compute(&asked->plan, &asked->budget, &asked->problems) == KVB_OK;
    if (!run->answered) {
        const char *why = asked->problems.count > 0 ? asked->problems.items[asked->problems.count - 1].text : "";
        (void)kvb_copy(run->why_not, sizeof run->why_not, why);
        return;
    }
    run->starts = asked->budget.starts;
    run->doubtful = run->starts && asked->budget.items[KVB_ITEM_KV_CACHE].low_bytes <= 0;
    (void)kvb_copy(run->why_not, sizeof run->why_not, asked->budget.error);
    run->launch_tokens = asked->budget.kv.tokens;
    run->launch_pool_bytes = pool_of(asked, asked->budget.kv.tokens);
    int64_t off = run->launch_pool_bytes - run->logged_pool_bytes;
    off = off < 0 ? -off : off;
    if (run->logged_pool_bytes > 0) {
        run->launch_hundredths = (uint64_t)off * 10000 / (uint64_t)run->logged_pool_bytes;
    }
}

bool run_read(const struct table *table, size_t row, struct run *run)
{
    static struct asked asked;
    uint32_t ppm = 0;
    const char *fraction = table_cell(table, row, "fraction");
    memset(run, 0, sizeof *run);
    run->id = table_cell(table, row, "id");
    run->source = table_cell(table, row, "source");
    run->kind = table_cell(table, row, "kind");
    run->note = table_cell(table, row, "note");
    run->half = table_cell(table, row, "half");
    run->refused = strcmp(table_cell(table, row, "launch"), "refused") == 0;
    run->has_fraction = fraction[0] != '\0';
    if (run->has_fraction && !kvb_parse_ppm(fraction, KVB_PPM, &ppm)) {
        return false;
    }
    run->logged_fraction_thousandths = (ppm + 500) / 1000;
    if (!ask_given(table, row, &asked, run)) {
        return false;
    }
    ask_launch(table, row, &asked, run);
    return true;
}
