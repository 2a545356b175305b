// Which GPUs of a machine a list of models is for, and how many layers of a model an engine leaves to the CPU.
#include <stdio.h>
#include <string.h>

#include <kvbudget/models.h>

#include "answer/left_to_host.h"
#include "unit/test.h"

#define GIB (UINT64_C(1) << 30)

static struct kvb_machine_choice choice;
static struct kvb_deployment deployment;
static struct kvb_problems problems;

struct card {
    const char *name;
    uint64_t memory_gib, free_gib; // free 0: not known
    char kind;                     // 0, or of: left out, MIG is on, a slice
};

static enum kvb_status use(const struct card *cards, uint32_t count, uint64_t *gpus)
{
    memset(&choice, 0, sizeof choice);
    kvb_deployment_init(&deployment);
    kvb_problems_init(&problems);
    choice.machine.count = count;
    for (uint32_t i = 0; i < count; i++) {
        struct kvb_device *device = &choice.machine.devices[i];
        (void)snprintf(device->name, sizeof device->name, "%s", cards[i].name);
        (void)snprintf(device->gpu.name, sizeof device->gpu.name, "%s %u", cards[i].name, (unsigned)i);
        device->gpu.memory_bytes = cards[i].memory_gib * GIB;
        device->free_bytes.known = cards[i].free_gib > 0;
        device->free_bytes.value = cards[i].free_gib * GIB;
        device->mig_enabled = cards[i].kind == 'm';
        device->is_slice = cards[i].kind == 's';
        choice.pool[i] = cards[i].kind != 'o';
    }
    *gpus = 99;
    return kvb_models_use_machine(&choice, &deployment, gpus, &problems);
}

// The freest, with those of its name that are at least nine tenths as free; the fullest of them decides.
static void gpus_of_a_machine(void **state)
{
    (void)state;
    static const struct {
        struct card cards[3];
        uint32_t count;
        uint64_t gpus;
        const char *deciding;
    } rows[] = {
        {{{"A", 24, 20, 0}}, 1, 1, "A 0"},
        {{{"A", 24, 20, 0}, {"A", 24, 20, 0}}, 2, 2, "A 0"},
        {{{"A", 24, 20, 0}, {"A", 24, 18, 0}}, 2, 2, "A 1"},
        {{{"A", 24, 18, 0}, {"A", 24, 20, 0}}, 2, 2, "A 0"},
        {{{"A", 24, 20, 0}, {"A", 24, 17, 0}}, 2, 1, "A 0"},
        {{{"A", 24, 17, 0}, {"A", 24, 20, 0}}, 2, 1, "A 1"},
        {{{"A", 24, 20, 0}, {"B", 24, 20, 0}}, 2, 1, "A 0"},
        {{{"A", 24, 20, 0}, {"A", 24, 20, 'o'}}, 2, 1, "A 0"},
        {{{"A", 24, 22, 'o'}, {"A", 24, 20, 0}}, 2, 1, "A 1"},
        {{{"A", 24, 20, 0}, {"A", 24, 20, 'm'}}, 2, 1, "A 0"},
        {{{"A", 24, 20, 's'}, {"A", 24, 20, 's'}}, 2, 1, "A 0"},
        {{{"A", 24, 20, 0}, {"A", 24, 20, 's'}}, 2, 1, "A 0"},
        {{{"A", 24, 0, 0}, {"A", 24, 24, 0}}, 2, 2, "A 0"}, // nothing is said: all of it
        {{{"A", 24, 20, 0}, {"A", 24, 19, 0}, {"A", 24, 18, 0}}, 3, 3, "A 2"},
        {{{"A", 24, 20, 0}, {"A", 24, 18, 0}, {"A", 24, 19, 0}}, 3, 3, "A 1"},
    };
    for (size_t i = 0; i < sizeof rows / sizeof rows[0]; i++) {
        uint64_t gpus;
        assert_int_equal(use(rows[i].cards, rows[i].count, &gpus), KVB_OK);
        if (gpus != rows[i].gpus || strcmp(deployment.gpu_value.name, rows[i].deciding) != 0) {
            fail_msg("row %zu: %u, %s", i, (unsigned)gpus, deployment.gpu_value.name);
        }
        assert_true(deployment.inline_gpu);
        assert_string_equal(deployment.gpu, "");
    }
    static const struct card none[] = {{"A", 24, 20, 'm'}, {"A", 0, 20, 0}, {"A", 24, 20, 'o'}};
    for (uint32_t count = 0; count <= 3; count++) {
        uint64_t gpus;
        assert_int_equal(use(none, count, &gpus), KVB_MISSING_KEY);
        assert_non_null(strstr(problems.items[0].text, "no GPU here can be used"));
    }
}

// 32 layers and the output are 33; the experts of a layer on the CPU take it off the GPU, as far as it is there.
static void layers_left(void **state)
{
    (void)state;
    static const struct {
        int gpu_layers, experts; // -1: not said
        uint64_t on_gpu;
    } rows[] = {{-1, -1, 33}, {33, -1, 33}, {32, -1, 32}, {0, -1, 0},  {99, -1, 33},
                {-1, 10, 23}, {-1, 40, 0},  {20, 10, 10}, {20, 30, 0}, {20, 0, 20}};
    for (size_t i = 0; i < sizeof rows / sizeof rows[0]; i++) {
        static struct kvb_plan plan;
        static struct kvb_budget budget;
        uint64_t layers = 0;
        memset(&plan, 0, sizeof plan);
        memset(&budget, 0, sizeof budget);
        plan.model.layer_count = 32;
        if (rows[i].gpu_layers >= 0) {
            kvb_settings_set(&budget.settings, KVB_SET_GPU_LAYERS, (uint64_t)rows[i].gpu_layers, KVB_ORIGIN_DEFAULT);
        }
        if (rows[i].experts >= 0) {
            kvb_settings_set(&budget.settings, KVB_SET_CPU_MOE_LAYERS, (uint64_t)rows[i].experts, KVB_ORIGIN_DEFAULT);
        }
        if (kvb_layers_on_gpu(&plan, &budget, &layers) != rows[i].on_gpu || layers != 33) {
            fail_msg("row %zu: %u", i, (unsigned)kvb_layers_on_gpu(&plan, &budget, &layers));
        }
        assert_int_equal(kvb_is_left_to_host(&plan, &budget), rows[i].on_gpu < 33);
        for (unsigned asked = 0; asked < 2; asked++) { // then it is meant
            memset(&plan.settings, 0, sizeof plan.settings);
            kvb_settings_set(&plan.settings, asked == 0 ? KVB_SET_GPU_LAYERS : KVB_SET_CPU_MOE_LAYERS, 1,
                             KVB_ORIGIN_FLAG);
            assert_false(kvb_is_left_to_host(&plan, &budget));
        }
    }
}

KVB_TEST_MAIN(cmocka_unit_test(gpus_of_a_machine), cmocka_unit_test(layers_left))
