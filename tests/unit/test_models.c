// The list of models on a GPU says of each what plan says; names of one family and siblings are recognised.
#include <stdlib.h>
#include <string.h>

#include <kvbudget/kvbudget.h>

#include "unit/test.h"

static struct kvb_deployment deployment;
static struct kvb_plan plan;
static struct kvb_model draft;
static struct kvb_model_source source;
static struct kvb_budget budget;
static struct kvb_problems problems;

static void ask(const char *gpu, const char *engine)
{
    kvb_deployment_init(&deployment);
    (void)strcpy(deployment.gpu, gpu);
    (void)strcpy(deployment.engine, engine);
    kvb_problems_init(&problems);
}

// The row asked of plan: by name, with the row's length and split.
static void same_as_plan(const struct kvb_models *models, const struct kvb_models_row *row)
{
    struct kvb_deployment one = deployment;
    (void)strcpy(one.model, row->name);
    kvb_settings_set(&one.settings, KVB_SET_MAX_MODEL_LEN, row->length_tokens, KVB_ORIGIN_FLAG);
    kvb_settings_set(&one.settings, KVB_SET_TENSOR_PARALLEL_SIZE, row->tensor_parallel_size, KVB_ORIGIN_FLAG);
    uint64_t type;
    char why[256];
    if (kvb_setting_parse(KVB_SET_GGUF_TYPE, row->format, &type, why)) { // picked for it
        kvb_settings_set(&one.settings, KVB_SET_GGUF_TYPE, type, KVB_ORIGIN_FLAG);
    }
    if (models->concurrency_hundredths > 0) {
        one.need = (struct kvb_need){row->length_tokens, models->concurrency_hundredths};
    }
    kvb_problems_init(&problems);
    assert_int_equal(kvb_deployment_resolve(&one, &plan, &draft, &source, &problems), KVB_OK);
    assert_int_equal(kvb_budget_compute(&plan, &budget, &problems), KVB_OK);
    assert_int_equal(row->verdict, budget.verdict);
    assert_int_equal(row->miss == KVB_MISS_NONE || row->miss == KVB_MISS_HOST, budget.verdict != KVB_DOES_NOT_FIT);
    assert_int_equal(row->weights_bytes, budget.items[KVB_ITEM_WEIGHTS].bytes);
    assert_int_equal(row->kv_cache_bytes, budget.items[KVB_ITEM_KV_CACHE].bytes);
    assert_int_equal(row->balance_bytes, budget.balance_bytes);
    assert_int_equal(row->slack_bytes, budget.slack_bytes);
    assert_int_equal(row->tokens, budget.kv.tokens);
    assert_int_equal(row->max_model_len_that_fits, budget.kv.max_model_len_that_fits);
    assert_int_equal(row->max_concurrency_hundredths, budget.kv.max_concurrency_hundredths);
    assert_int_equal(row->parameters, budget.parameters);
}

static void all_same_as_plan(const struct kvb_models_wish *wish, const char *gpu, const char *engine)
{
    struct kvb_models *models = NULL;
    ask(gpu, engine);
    assert_int_equal(kvb_models_find(&deployment, wish, &models, &problems), KVB_OK);
    assert_true(models->known >= 500);
    assert_int_equal(models->count,
                     models->starting + models->on_host + models->missing_memory + models->refused + models->too_short);
    for (uint32_t i = 0; i < models->count; i++) {
        same_as_plan(models, &models->rows[i]);
    }
    kvb_models_free(models);
}

static void rows_say_what_plan_says(void **state)
{
    (void)state;
    struct kvb_models_wish one = {0};
    struct kvb_models_wish two = {.gpu_count = 2, .length_tokens = 4096, .concurrency_hundredths = 400};
    all_same_as_plan(&one, "rtx3060-12", "vllm");
    all_same_as_plan(&one, "t4", "vllm@0.8.5");
    all_same_as_plan(&two, "h100-sxm", "vllm@0.11.0");
    one.family = "qwen3-"; // these take longer
    all_same_as_plan(&one, "rtx4060", "llama.cpp");
    all_same_as_plan(&one, "l4", "sglang");
}

// llama.cpp starts with layers on the CPU where the card is too small: such a model does not start on the card.
static void layers_left_to_the_cpu_are_said(void **state)
{
    (void)state;
    struct kvb_models *models = NULL;
    struct kvb_models_wish wish = {.family = "qwen3-"};
    ask("rtx4060", "llama.cpp");
    assert_int_equal(kvb_models_find(&deployment, &wish, &models, &problems), KVB_OK);
    assert_true(models->on_host > 0 && models->starting > 0);
    for (uint32_t i = 0; i < models->count; i++) {
        const struct kvb_models_row *row = &models->rows[i];
        assert_int_equal(row->miss == KVB_MISS_HOST, row->verdict != KVB_DOES_NOT_FIT && row->gpu_layers < row->layers);
    }
    kvb_models_free(models);
    kvb_settings_set(&deployment.settings, KVB_SET_GPU_LAYERS, 10, KVB_ORIGIN_FLAG); // then it is meant
    assert_int_equal(kvb_models_find(&deployment, &wish, &models, &problems), KVB_OK);
    assert_int_equal(models->on_host, 0);
    kvb_models_free(models);
}

// An engine that takes GGUF files is offered those, in the largest usual format that starts; copies for others are not.
static void files_in_usual_formats(void **state)
{
    (void)state;
    struct kvb_models *models = NULL;
    struct kvb_models_wish wish = {.family = "qwen3-"};
    bool smaller = false, larger = false;
    ask("rtx4060", "llama.cpp");
    assert_int_equal(kvb_models_find(&deployment, &wish, &models, &problems), KVB_OK);
    for (uint32_t i = 0; i < models->count; i++) {
        const struct kvb_models_row *row = &models->rows[i];
        assert_null(strstr(row->name, "AWQ"));
        assert_null(strstr(row->name, "FP8"));
        assert_true(strncmp(row->format, "q", 1) == 0);
        assert_true(row->miss == KVB_MISS_NONE || strcmp(row->format, "q4_k_m") == 0);
        smaller = smaller || (row->miss == KVB_MISS_NONE && strcmp(row->format, "q8_0") != 0);
        larger = larger || strcmp(row->format, "q8_0") == 0;
    }
    assert_true(smaller && larger); // 8 GiB hold 4B in eight bits, 8B in fewer
    kvb_models_free(models);
}

KVB_TEST_MAIN(cmocka_unit_test(rows_say_what_plan_says), cmocka_unit_test(layers_left_to_the_cpu_are_said),
              cmocka_unit_test(files_in_usual_formats))
