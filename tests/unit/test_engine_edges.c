// What holds for the tables of all engines, asked row by row, and the first release of a few refusals of adapters
// (vllm/config.py v0.7.0:2076, v0.8.3).
#include <stdio.h>
#include <string.h>

#include <kvbudget/input.h>

#include "base/text.h"
#include "engines/flags.h"
#include "engines/sglang/known_flags.h"
#include "unit/refusal_says.h"
#include "unit/test.h"

static struct kvb_plan plan;

// A setting is said by a flag of its own, or by a switch that sets the very number.
static void flags_that_say_a_setting(void **state)
{
    (void)state;
    size_t count;
    const struct kvb_engine_rows *const *engines = kvb_engines(&count);
    assert_true(count >= 5);
    for (size_t i = 0; i < count; i++) {
        for (unsigned setting = 0; setting < KVB_SETTING_COUNT; setting++) {
            static const uint64_t numbers[] = {0, 1, 7};
            for (size_t at = 0; at < sizeof numbers / sizeof numbers[0]; at++) {
                const struct kvb_serve_flag *flag =
                    kvb_serve_flag_of(engines[i], (enum kvb_setting)setting, numbers[at]);
                bool sets = flag != NULL && flag->kind == KVB_SERVE_SETS && flag->number == numbers[at];
                if (flag != NULL &&
                    (flag->id != setting || flag->serve_only || (flag->kind != KVB_SERVE_SETTING && !sets))) {
                    fail_msg("%s: setting %u, number %u by --%s", engines[i]->name, setting, (unsigned)numbers[at],
                             flag->name);
                }
            }
        }
    }
    const struct kvb_engine_rows *sglang = kvb_engine_find("sglang");
    assert_string_equal(kvb_serve_flag_of(sglang, KVB_SET_ENABLE_PREFIX_CACHING, 0)->name, "disable-radix-cache");
    assert_null(kvb_serve_flag_of(sglang, KVB_SET_ENABLE_PREFIX_CACHING, 1));
    assert_string_equal(kvb_serve_flag_of(sglang, KVB_SET_TENSOR_PARALLEL_SIZE, 2)->name, "tp-size");
}

// Names with underscores are near as if they had dashes, however many.
static void near_names(void **state)
{
    (void)state;
    static const struct {
        const char *typed, *near;
    } rows[] = {{"speculative_num_draft_token", "speculative-num-draft-tokens"},
                {"disable_cuda_graph_paddin", "disable-cuda-graph-padding"},
                {"mem-fraction-statik", "mem-fraction-static"}};
    for (size_t i = 0; i < sizeof rows / sizeof rows[0]; i++) {
        const char *near = kvb_sgl_known_flag_near(rows[i].typed, strlen(rows[i].typed));
        assert_non_null(near);
        assert_string_equal(near, rows[i].near);
    }
}

static void adapters_beside_offloading(void **state)
{
    (void)state;
    static const struct {
        uint32_t release;
        const char *part;
    } rows[] = {{R(6, 6) + 1, NULL},
                {R(7, 0), "CPU offload is not supported with LoRA yet."},
                {R(8, 2), "CPU offload is not supported with LoRA yet."},
                {R(8, 3), NULL}};
    for (size_t i = 0; i < sizeof rows / sizeof rows[0]; i++) {
        make_llama_plan(&plan, rows[i].release);
        plan.environment.use_v1 = rows[i].release >= R(8, 3) ? KVB_YES : KVB_NO;
        set(&plan, KVB_SET_ENABLE_LORA, 1);
        says(kvb_refusal_lora_early, &plan, NULL);
        set(&plan, KVB_SET_CPU_OFFLOAD_GB, GIB);
        says(kvb_refusal_lora_early, &plan, rows[i].part);
    }
}

// llama.cpp: what others hold is not there for buffers. The longest context beside 1 GiB reserved of 12 free is that of
// 11 free with nothing reserved.
static void room_beside_others(void **state)
{
    (void)state;
    static struct kvb_deployment deployment;
    static struct kvb_model draft;
    static struct kvb_model_source source;
    static struct kvb_problems problems;
    static struct kvb_budget budgets[2];
    for (size_t i = 0; i < 2; i++) {
        kvb_problems_init(&problems);
        kvb_deployment_init(&deployment);
        (void)kvb_copy(deployment.model, sizeof deployment.model, "Qwen/Qwen3-8B");
        (void)kvb_copy(deployment.gpu, sizeof deployment.gpu, "3090");
        (void)kvb_copy(deployment.engine, sizeof deployment.engine, "llama.cpp@b8000");
        kvb_settings_set(&deployment.settings, KVB_SET_GGUF_TYPE, 8, KVB_ORIGIN_FLAG);
        kvb_settings_set(&deployment.settings, KVB_SET_GPU_LAYERS, 99, KVB_ORIGIN_FLAG);
        kvb_settings_set(&deployment.settings, KVB_SET_MAX_MODEL_LEN, 4096, KVB_ORIGIN_FLAG);
        kvb_deployment_take_gpu_count(&deployment);
        assert_int_equal(kvb_deployment_resolve(&deployment, &plan, &draft, &source, &problems), KVB_OK);
        plan.gpu_free_stated = true;
        plan.gpu_free_bytes = (i == 0 ? 12 : 11) * GIB;
        plan.reserve_count = i == 0 ? 1 : 0;
        plan.reserves[0].bytes = GIB;
        assert_int_equal(kvb_budget_compute(&plan, &budgets[i], &problems), KVB_OK);
    }
    assert_true(budgets[0].kv.max_model_len_that_fits > 4096);
    assert_int_equal(budgets[0].kv.max_model_len_that_fits, budgets[1].kv.max_model_len_that_fits);
}

KVB_TEST_MAIN(cmocka_unit_test(flags_that_say_a_setting), cmocka_unit_test(near_names),
              cmocka_unit_test(adapters_beside_offloading), cmocka_unit_test(room_beside_others))
