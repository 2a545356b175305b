// In what order models on a GPU are listed, what a wish leaves of them, and which names are of one family.
#include <string.h>

#include <kvbudget/kvbudget.h>

#include "unit/test.h"

static struct kvb_deployment deployment;
static struct kvb_problems problems;

static void ask(const char *gpu, const char *engine)
{
    kvb_deployment_init(&deployment);
    (void)strcpy(deployment.gpu, gpu);
    (void)strcpy(deployment.engine, engine);
    kvb_problems_init(&problems);
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

KVB_TEST_MAIN(cmocka_unit_test(rows_are_in_order), cmocka_unit_test(more_memory_loses_nothing),
              cmocka_unit_test(wishes_narrow), cmocka_unit_test(families_of_names))
