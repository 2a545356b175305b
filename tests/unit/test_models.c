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

// By the cards of the models on their hub; the longest beginning of a name decides.
static void licences_are_known_by_name(void **state)
{
    (void)state;
    assert_string_equal(kvb_model_licence("Qwen/Qwen2.5-7B-Instruct"), "apache-2.0");
    assert_string_equal(kvb_model_licence("Qwen/Qwen2.5-3B-Instruct"), "qwen-research");
    assert_string_equal(kvb_model_licence("Qwen/Qwen2.5-72B"), "qwen");
    assert_string_equal(kvb_model_licence("meta-llama/Llama-3.3-70B-Instruct"), "llama3.3");
    assert_string_equal(kvb_model_licence("deepseek-ai/DeepSeek-V3"), "deepseek");
    assert_string_equal(kvb_model_licence("deepseek-ai/DeepSeek-V3.1"), "mit");
    assert_null(kvb_model_licence("Qwen/Qwen2.5-Omni-7B"));
    assert_null(kvb_model_licence("nobody/nothing"));
    struct kvb_models *models = NULL;
    struct kvb_models_wish wish = {.licence = "MIT"};
    ask("rtx4090", "vllm");
    assert_int_equal(kvb_models_find(&deployment, &wish, &models, &problems), KVB_OK);
    assert_true(models->asked > 10 && models->licence_unknown > 10);
    for (uint32_t i = 0; i < models->count; i++) {
        assert_non_null(strstr(models->rows[i].licence, "mit"));
    }
    kvb_models_free(models);
}

// What starts comes first, a family in one stretch with its best in front; then what misses, the least lack first.
static void rows_are_in_order(void **state)
{
    (void)state;
    struct kvb_models *models = NULL;
    struct kvb_models_wish wish = {0};
    ask("rtx4090", "vllm");
    assert_int_equal(kvb_models_find(&deployment, &wish, &models, &problems), KVB_OK);
    assert_true(models->starting > 100 && models->missing_memory > 100);
    for (uint32_t i = 1; i < models->count; i++) {
        const struct kvb_models_row *row = &models->rows[i], *before = row - 1;
        bool same = strcmp(row->family, before->family) == 0;
        assert_true(row->miss == before->miss || i >= models->starting);
        if (row->miss == KVB_MISS_NONE) {
            assert_int_equal(row->best_of_family, !same);
            assert_true(same || row->family_parameters <= before->family_parameters);
        } else if (row->miss == KVB_MISS_MEMORY && before->miss == KVB_MISS_MEMORY) {
            assert_true(row->lacks_bytes >= before->lacks_bytes);
        }
    }
    kvb_models_free(models);
}

// More memory never takes a model away, and never shortens it.
static void more_memory_loses_nothing(void **state)
{
    (void)state;
    struct kvb_models *small = NULL, *large = NULL;
    struct kvb_models_wish wish = {0};
    ask("", "vllm");
    deployment.gpu_memory_bytes = 16 * KVB_GIB;
    assert_int_equal(kvb_models_find(&deployment, &wish, &small, &problems), KVB_OK);
    deployment.gpu_memory_bytes = 24 * KVB_GIB;
    assert_int_equal(kvb_models_find(&deployment, &wish, &large, &problems), KVB_OK);
    assert_int_equal(small->count, large->count);
    for (uint32_t i = 0; i < small->count; i++) {
        for (uint32_t j = 0; j < large->count; j++) {
            const struct kvb_models_row *a = &small->rows[i], *b = &large->rows[j];
            if (strcmp(a->name, b->name) == 0) {
                assert_true(a->verdict == KVB_DOES_NOT_FIT || b->verdict != KVB_DOES_NOT_FIT);
                assert_true(a->max_model_len_that_fits <= b->max_model_len_that_fits);
            }
        }
    }
    kvb_models_free(small);
    kvb_models_free(large);
}

static void wishes_narrow(void **state)
{
    (void)state;
    struct kvb_models *models = NULL;
    struct kvb_models_wish wish = {.family = "qwen3", .minimum_parameters = 7000000000, .one_task = true};
    wish.task = KVB_TASK_VISION;
    ask("h100-sxm", "vllm");
    assert_int_equal(kvb_models_find(&deployment, &wish, &models, &problems), KVB_OK);
    assert_true(models->count > 3);
    for (uint32_t i = 0; i < models->count; i++) {
        assert_non_null(strstr(models->rows[i].name, "Qwen3"));
        assert_true(models->rows[i].parameters >= 7000000000);
        assert_int_equal(models->rows[i].task, KVB_TASK_VISION);
    }
    kvb_models_free(models);
    wish = (struct kvb_models_wish){.length_tokens = 100000, .family = "gemma-2-"};
    assert_int_equal(kvb_models_find(&deployment, &wish, &models, &problems), KVB_OK);
    assert_true(models->count > 0 && models->too_short == models->count); // Gemma 2 ends at 8,192
    kvb_models_free(models);
}

static void families_of_names(void **state)
{
    (void)state;
    static const struct {
        const char *name, *family;
    } rows[] = {
        {"Qwen/Qwen3-8B-AWQ", "Qwen3"},
        {"Qwen/Qwen2.5-VL-7B-Instruct", "Qwen2.5-VL"},
        {"meta-llama/Meta-Llama-3.1-8B", "Llama-3.1"},
        {"meta-llama/Llama-4-Scout-17B-16E-Instruct", "Llama-4-Scout"},
        {"deepseek-ai/DeepSeek-R1-Distill-Qwen-7B", "DeepSeek-R1-Distill-Qwen"},
        {"moonshotai/Kimi-K2-Instruct-0905", "Kimi-K2"},
        {"google/gemma-3n-E2B-it", "gemma-3n"},
        {"mistralai/Mixtral-8x7B-Instruct-v0.1", "Mixtral"},
        {"openai/gpt-oss-20b", "gpt-oss"},
        {"nvidia/Qwen3-30B-A3B-NVFP4", "Qwen3"},
        {"7B", "7B"},
    };
    for (size_t i = 0; i < sizeof rows / sizeof rows[0]; i++) {
        char family[KVB_NAME_CAPACITY];
        kvb_model_family(rows[i].name, family);
        assert_string_equal(family, rows[i].family);
    }
    assert_true(kvb_models_are_siblings("Qwen/Qwen3-8B", "Qwen/Qwen3-8B-AWQ"));
    assert_true(kvb_models_are_siblings("Qwen/Qwen3-30B-A3B-FP8", "nvidia/Qwen3-30B-A3B-NVFP4"));
    assert_false(kvb_models_are_siblings("Qwen/Qwen3-8B", "qwen/qwen3-8b"));
    assert_false(kvb_models_are_siblings("Qwen/Qwen3-8B", "Qwen/Qwen3-4B-AWQ"));
}

KVB_TEST_MAIN(cmocka_unit_test(rows_say_what_plan_says), cmocka_unit_test(layers_left_to_the_cpu_are_said),
              cmocka_unit_test(files_in_usual_formats), cmocka_unit_test(licences_are_known_by_name),
              cmocka_unit_test(rows_are_in_order), cmocka_unit_test(more_memory_loses_nothing),
              cmocka_unit_test(wishes_narrow), cmocka_unit_test(families_of_names))
