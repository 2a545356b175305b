// Random attention-only models across releases against each release's own code: kv_cache_utils.py and
// kv_cache_interface.py of its tag were run on these layers (v0.8.3 to v0.27.1, chunked layers as
// config/vllm.py lets them be). tests/fixtures/kv_random.csv holds the answers; each row is one model:
// release, block, length, batched tokens, pp, dcp, pcp, async, hybrid manager off, pool, kinds, layers,
// blocks, tokens, concurrency, need by stage, estimate (-1: not compared), fits (2: no layout, an exception).
#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>

#include "unit/kv_models.h"
#include "unit/test.h"

#define REFUSED 2

struct row {
    unsigned minor, patch, pp, dcp, pcp, asynchronous, off, fits;
    uint64_t block, length, batch, pool, blocks, tokens;
    char kinds[256], layers[80], concurrency[32], needs[256];
    long long estimate;
};

static bool read_row(const char *line, struct row *row)
{
    return sscanf(line,
                  "%u.%u,%" SCNu64 ",%" SCNu64 ",%" SCNu64 ",%u,%u,%u,%u,%u,%" SCNu64 ",%255[^,],%79[^,],%" SCNu64
                  ",%" SCNu64 ",%31[^,],%255[^,],%lld,%u",
                  &row->minor, &row->patch, &row->block, &row->length, &row->batch, &row->pp, &row->dcp, &row->pcp,
                  &row->asynchronous, &row->off, &row->pool, row->kinds, row->layers, &row->blocks, &row->tokens,
                  row->concurrency, row->needs, &row->estimate, &row->fits) == 19;
}

static enum kvb_attention kind_of(char letter)
{
    switch (letter) {
    case 'w':
        return KVB_ATTENTION_SLIDING;
    case 'c':
        return KVB_ATTENTION_CHUNKED;
    case 'm':
        return KVB_ATTENTION_MLA;
    default:
        return KVB_ATTENTION_FULL;
    }
}

static void fill_model(const struct row *row, struct kvb_model *model)
{
    static const struct shape plain = {"random", 1, 32, 8, 128, 0, 0, 0, KVB_ATTENTION_SLIDING, 1000000};
    make_model(&plain, model);
    model->kind_count = 0;
    char text[256];
    (void)strcpy(text, row->kinds);
    for (char *part = strtok(text, "|"); part != NULL; part = strtok(NULL, "|")) {
        struct kvb_attention_shape *shape = &model->kinds[model->kind_count].attention;
        char letter = 'f';
        memset(&model->kinds[model->kind_count], 0, sizeof model->kinds[0]);
        assert_int_equal(
            sscanf(part, "%c:%u:%u:%u", &letter, &shape->kv_heads, &shape->head_size, &shape->window_tokens), 4);
        shape->kind = kind_of(letter);
        shape->heads = 32;
        shape->value_head_size = shape->head_size;
        shape->latent_rank = letter == 'm' ? 512 : 0;
        shape->rope_size = letter == 'm' ? 64 : 0;
        model->kind_count++;
    }
    model->layer_count = (uint32_t)strlen(row->layers);
    for (uint32_t layer = 0; layer < model->layer_count; layer++) {
        model->kind_of_layer[layer] = (uint8_t)(row->layers[layer] - '0');
    }
}

static void fill_plan(const struct row *row, struct kvb_plan *plan)
{
    fill_model(row, &plan->model);
    make_plan(plan, KVB_RELEASE(0, row->minor, row->patch), row->pool, row->length);
    plan->gpu.compute_capability = 80;
    plan->gpu.memory_basis = KVB_BASIS_STATED; // the question is the cache alone
    plan->environment.use_v1 = KVB_YES;
    plan->environment.use_v2_model_runner = KVB_NO;
    set(plan, KVB_SET_BLOCK_SIZE, row->block);
    set(plan, KVB_SET_MAX_NUM_BATCHED_TOKENS, row->batch);
    set(plan, KVB_SET_MAX_NUM_SEQS, 64);
    set(plan, KVB_SET_PIPELINE_PARALLEL_SIZE, row->pp);
    set(plan, KVB_SET_DECODE_CONTEXT_PARALLEL_SIZE, row->dcp);
    set(plan, KVB_SET_TENSOR_PARALLEL_SIZE,
        row->dcp); // a multiple of it is asked for: heads of one rank times the ranks
    for (uint32_t i = 0; i < plan->model.kind_count; i++) {
        plan->model.kinds[i].attention.kv_heads *= row->dcp;
    }
    set(plan, KVB_SET_PREFILL_CONTEXT_PARALLEL_SIZE, row->pcp);
    set(plan, KVB_SET_ASYNC_SCHEDULING, row->asynchronous);

    if (row->off) {
        set(plan, KVB_SET_DISABLE_HYBRID_KV_CACHE_MANAGER, 1);
    }
    for (unsigned i = 0; i < KVB_SETTING_COUNT; i++) { // also where no flag of that release says so
        plan->settings.values[i].origin = KVB_ORIGIN_PROFILE;
    }
}

static bool need_is_listed(const struct row *row, uint64_t needed, uint32_t stage)
{
    const char *at = row->needs;
    for (uint32_t i = 0; i < stage; i++) {
        at = strchr(at, ';');
        at = at == NULL ? row->needs : at + 1;
    }
    return strtoull(at, NULL, 10) == needed;
}

static bool estimate_agrees(const struct row *row, const struct kvb_budget *budget)
{
    char wanted[64];
    const char *at = strstr(budget->error, "model length is ");
    if (row->estimate < 1 || row->fits || at == NULL) {
        return true;
    }
    (void)snprintf(wanted, sizeof wanted, "model length is %lld.", row->estimate);
    return strncmp(at, wanted, strlen(wanted)) == 0;
}

static bool agrees(const struct row *row, const struct kvb_budget *budget)
{
    char concurrency[32];
    if (row->fits == REFUSED) {
        return !budget->starts && strstr(budget->error, "KV cache is needed") == NULL && budget->error[0] != '\0';
    }
    (void)snprintf(concurrency, sizeof concurrency, "%" PRIu64 ".%02" PRIu64,
                   budget->kv.max_concurrency_hundredths / 100, budget->kv.max_concurrency_hundredths % 100);
    return budget->kv.num_blocks == row->blocks && budget->kv.tokens == row->tokens &&
           strcmp(concurrency, row->concurrency) == 0 && budget->starts == (row->fits != 0) &&
           need_is_listed(row, budget->needed_bytes, budget->tightest_stage) && estimate_agrees(row, budget);
}

static void random_models(void **state)
{
    (void)state;
    static struct kvb_plan plan;
    static struct kvb_budget budget;
    static struct kvb_problems problems;
    static struct row row;
    char line[1024];
    unsigned long count = 0;
    unsigned long different = 0;
    const char *path = getenv("KVB_RANDOM_TABLE");
    FILE *file = fopen(path != NULL ? path : KVB_SOURCE_DIR "/tests/fixtures/kv_random.csv", "r");
    assert_non_null(file);
    while (fgets(line, sizeof line, file) != NULL) {
        assert_true(read_row(line, &row));
        fill_plan(&row, &plan);
        kvb_problems_init(&problems);
        bool computed = kvb_budget_compute(&plan, &budget, &problems) == KVB_OK;
        if ((!computed || !agrees(&row, &budget)) && ++different <= 200) {
            print_error("%s %s got %s blocks %" PRIu64 " tokens %" PRIu64 " concurrency %" PRIu64 "/100 need %" PRIu64
                        " stage %u starts %d\n",
                        line, budget.error, computed ? "" : problems.items[0].text, budget.kv.num_blocks,
                        budget.kv.tokens, budget.kv.max_concurrency_hundredths, budget.needed_bytes,
                        budget.tightest_stage, budget.starts);
        }
        count++;
    }
    (void)fclose(file);
    print_message("%lu models, %lu different\n", count, different);
    assert_true(count >= 1000);
    assert_int_equal(different, 0);
}

KVB_TEST_MAIN(cmocka_unit_test(random_models))
