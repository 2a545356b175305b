// Training state by sharding and precision, and the key names of verl, TRL and OpenRLHF.
#include <stdio.h>
#include <string.h>

#include <kvbudget/units.h>

#include "budget/trainer.h"
#include "deployment/residents.h"
#include "plan/neighbours.h"
#include "unit/test.h"

static struct kvb_problems problems;
static struct kvb_model model;
static struct kvb_model_source source;
static struct kvb_trainer trainer;
static struct kvb_train_state state;
static struct kvb_resident_entry entry;

static int load_model(void **unused)
{
    (void)unused;
    kvb_problems_init(&problems);
    return kvb_model_load("Qwen/Qwen2.5-7B-Instruct", NULL, &model, &source, &problems) == KVB_OK ? 0 : -1;
}

static void start(enum kvb_sharding sharding, enum kvb_precision precision, uint64_t parameters, uint32_t gpus)
{
    kvb_trainer_init(&trainer);
    trainer.sharding = sharding;
    trainer.precision = precision;
    trainer.parameters = parameters;
    trainer.gpus = gpus;
}

// 8e9 parameters over 8 GPUs: 1e9 bytes for each byte per parameter that is divided, 8e9 for each that is
// not. fp32: 4 + 4 + 8; bf16: 2 + 2 + 4; mixed: 2 + 2 + 8 and a copy of 4 (DeepSpeed's 16 in all).
static const struct {
    enum kvb_sharding sharding;
    enum kvb_precision precision;
    uint64_t weights, gradients, moments, master; // 1e9 bytes
} states[] = {
    {KVB_SHARD_FSDP, KVB_PRECISION_FP32, 4, 4, 8, 0},     {KVB_SHARD_FSDP2, KVB_PRECISION_BF16, 2, 2, 4, 0},
    {KVB_SHARD_ZERO3, KVB_PRECISION_MIXED, 2, 2, 8, 4},   {KVB_SHARD_ZERO2, KVB_PRECISION_MIXED, 16, 2, 8, 4},
    {KVB_SHARD_ZERO1, KVB_PRECISION_MIXED, 16, 16, 8, 4}, {KVB_SHARD_NONE, KVB_PRECISION_BF16, 16, 16, 32, 0},
};

static void state_follows_sharding(void **unused)
{
    const uint64_t billion = 1000000000;
    (void)unused;
    for (size_t i = 0; i < sizeof states / sizeof states[0]; i++) {
        start(states[i].sharding, states[i].precision, 8 * billion, 8);
        kvb_train_state_of(&trainer, &model, &state);
        assert_int_equal(state.weights_bytes, states[i].weights * billion);
        assert_int_equal(state.gradients_bytes, states[i].gradients * billion);
        assert_int_equal(state.moments_bytes, states[i].moments * billion);
        assert_int_equal(state.master_bytes, states[i].master * billion);
        // Adam's moments do not exist before the first step, gradients only in the update.
        uint64_t before = (states[i].weights + states[i].master) * billion;
        assert_int_equal(kvb_train_before_first(&trainer, &state), before);
        assert_int_equal(kvb_train_at_rest(&trainer, &state), before + states[i].moments * billion);
    }
}

// An 8-bit Adam keeps two bytes a parameter, plain SGD none.
static void optimizers_differ_in_their_moments(void **unused)
{
    (void)unused;
    start(KVB_SHARD_FSDP, KVB_PRECISION_FP32, 8000, 8);
    trainer.optimizer = KVB_OPTIMIZER_ADAMW_8BIT;
    kvb_train_state_of(&trainer, &model, &state);
    assert_int_equal(state.moments_bytes, 2000);
    trainer.optimizer = KVB_OPTIMIZER_SGD;
    kvb_train_state_of(&trainer, &model, &state);
    assert_int_equal(state.moments_bytes, 0);
    assert_string_equal(kvb_optimizer_name(KVB_OPTIMIZER_ADAMW_8BIT), "adamw_8bit");
}

// 68 GB and 28 GB of eight GPUs: 8.5e9 and 3.5e9 on each; half a GiB of context and one of NCCL beside.
static void stated_totals_are_divided(void **unused)
{
    (void)unused;
    start(KVB_SHARD_FSDP, KVB_PRECISION_FP32, 0, 8);
    trainer.state_bytes = 68000000000;
    trainer.reference_bytes = 28000000000;
    trainer.has_reference = true;
    kvb_train_state_of(&trainer, &model, &state);
    assert_int_equal(state.weights_bytes, 8500000000);
    assert_int_equal(state.reference_bytes, 3500000000);
    assert_int_equal(state.context_bytes, KVB_GIB + KVB_GIB / 2);
    assert_int_equal(kvb_trainer_at_start(&trainer, &model), 8500000000 + 3500000000 + KVB_GIB + KVB_GIB / 2);
    trainer.reference_offloaded = true;
    assert_int_equal(kvb_trainer_at_start(&trainer, &model), 8500000000 + KVB_GIB + KVB_GIB / 2);
}

static void offloaded_parts_do_not_rest_on_the_gpu(void **unused)
{
    (void)unused;
    start(KVB_SHARD_FSDP, KVB_PRECISION_FP32, 8000, 8);
    trainer.parameters_offloaded = true;
    kvb_train_state_of(&trainer, &model, &state);
    assert_int_equal(kvb_train_before_first(&trainer, &state), 0);
    assert_int_equal(kvb_train_at_rest(&trainer, &state), 8000);
    trainer.optimizer_offloaded = true;
    assert_int_equal(kvb_train_at_rest(&trainer, &state), 0);
}

// Qwen2.5-7B: hidden 3584, FFN 18944, 28 query and 4 KV heads of 128. A layer: q 3584 x 3584 + 3584,
// k and v 3584 x 512 + 512 each, o 3584 x 3584, gate, up and down 3584 x 18944 each, two norms of 3584
// = 12,848,640 + 2 x 1,835,520 + 12,845,056 + 203,685,888 + 7,168 = 233,057,792.
static void shape_is_that_of_the_widest_layer(void **unused)
{
    struct kvb_train_shape shape;
    (void)unused;
    start(KVB_SHARD_FSDP, KVB_PRECISION_FP32, 0, 8);
    kvb_train_shape_of(&trainer, &model, &shape);
    assert_int_equal(shape.unit_parameters, 233057792);
    assert_int_equal(shape.root_parameters, 2ULL * 152064 * 3584);
    assert_int_equal(shape.queries, 3584);
    assert_int_equal(shape.keys, 512);
    assert_int_equal(shape.ffn, 18944);
    assert_int_equal(shape.parameters, 7615616512); // the published count
}

// ---- Key names

static void apply(enum kvb_framework framework, uint32_t release, const char *yaml, enum kvb_status wanted)
{
    struct kvb_tree tree;
    memset(&entry, 0, sizeof entry);
    kvb_trainer_init(&entry.trainer);
    kvb_problems_init(&problems);
    assert_int_equal(kvb_tree_read(&tree, "config", yaml, strlen(yaml), &problems), KVB_OK);
    assert_int_equal(kvb_framework_apply(framework, release, &tree, tree.root, &entry, &problems), wanted);
    kvb_tree_free(&tree);
}

static uint64_t setting(enum kvb_setting which)
{
    assert_int_equal(entry.rollout.values[which].set, 1);
    return entry.rollout.values[which].number;
}

// The trainer configuration files of verl at 0.7 and of its 0.2 line.
static void verl_defaults_by_release(void **unused)
{
    (void)unused;
    apply(KVB_FRAMEWORK_VERL, KVB_RELEASE(0, 7, 0), "{}", KVB_OK);
    assert_int_equal(entry.trainer.gpus, 8);
    assert_int_equal(entry.trainer.precision, KVB_PRECISION_FP32);
    assert_int_equal(entry.trainer.micro_batch_tokens, 16384);
    assert_int_equal(entry.trainer.sleep_level, 2);
    assert_int_equal(entry.trainer.bucket_bytes, 2 * KVB_GIB);
    assert_true(entry.trainer.reference_offloaded);
    assert_false(entry.trainer.has_reference);
    assert_int_equal(setting(KVB_SET_GPU_MEMORY_UTILIZATION), 500000);
    assert_int_equal(setting(KVB_SET_TENSOR_PARALLEL_SIZE), 2);
    assert_int_equal(setting(KVB_SET_MAX_NUM_SEQS), 1024); // rollout.yaml of the tags v0.1 to v0.8.0
    assert_int_equal(setting(KVB_SET_ENFORCE_EAGER), 0);
    apply(KVB_FRAMEWORK_VERL, KVB_RELEASE(0, 9, 0), "{}", KVB_OK);
    assert_int_equal(setting(KVB_SET_MAX_NUM_SEQS), 256);
    apply(KVB_FRAMEWORK_VERL, KVB_RELEASE(0, 5, 0), "{}", KVB_OK);
    assert_int_equal(setting(KVB_SET_ENFORCE_EAGER), 1); // False from v0.6.0 on
    apply(KVB_FRAMEWORK_VERL, KVB_RELEASE(0, 2, 0), "{}", KVB_OK);
    assert_int_equal(setting(KVB_SET_MAX_NUM_SEQS), 1024);
    assert_int_equal(setting(KVB_SET_ENFORCE_EAGER), 1);
}

static void verl_keys_nested_and_dotted(void **unused)
{
    (void)unused;
    apply(KVB_FRAMEWORK_VERL, KVB_RELEASE(0, 7, 0),
          "actor_rollout_ref:\n  actor: {strategy: fsdp2, use_kl_loss: true, lr: 1}\n"
          "  rollout: {gpu_memory_utilization: 0.3, free_cache_engine: false}\n"
          "trainer.nnodes: 2\nunknown: {a: [1]}\n",
          KVB_OK);
    assert_int_equal(entry.trainer.sharding, KVB_SHARD_FSDP2);
    assert_true(entry.trainer.has_reference);
    assert_int_equal(entry.trainer.sleep_level, 0);
    assert_int_equal(entry.trainer.gpus, 16);
    assert_int_equal(setting(KVB_SET_GPU_MEMORY_UTILIZATION), 300000);
}

static void trl_and_openrlhf_defaults(void **unused)
{
    (void)unused;
    apply(KVB_FRAMEWORK_TRL, UINT32_MAX, "{bf16: true, beta: 0.04}", KVB_OK);
    assert_int_equal(entry.trainer.precision, KVB_PRECISION_BF16);
    assert_true(entry.trainer.has_reference);
    assert_int_equal(entry.trainer.sleep_level, 0);
    assert_int_equal(setting(KVB_SET_GPU_MEMORY_UTILIZATION), 300000);
    assert_int_equal(setting(KVB_SET_MAX_NUM_BATCHED_TOKENS), 4096);
    apply(KVB_FRAMEWORK_TRL, UINT32_MAX, "{}", KVB_OK);
    assert_false(entry.trainer.has_reference);
    apply(KVB_FRAMEWORK_OPENRLHF, UINT32_MAX, "{zero_stage: 3, deepspeed_enable_sleep: true, vllm_enable_sleep: true}",
          KVB_OK);
    assert_int_equal(entry.trainer.sharding, KVB_SHARD_ZERO3);
    assert_int_equal(entry.trainer.precision, KVB_PRECISION_MIXED);
    assert_true(entry.trainer.parameters_offloaded && entry.trainer.optimizer_offloaded);
    assert_int_equal(entry.trainer.sleep_level, 2);
    assert_int_equal(setting(KVB_SET_GPU_MEMORY_UTILIZATION), 950000);
}

static void wrong_values_are_said(void **unused)
{
    (void)unused;
    apply(KVB_FRAMEWORK_VERL, UINT32_MAX, "{actor_rollout_ref.rollout.gpu_memory_utilization: much}", KVB_OUT_OF_RANGE);
    apply(KVB_FRAMEWORK_VERL, UINT32_MAX, "{actor_rollout_ref.actor.strategy: [fsdp]}", KVB_BAD_TYPE);
    static const struct {
        enum kvb_framework framework;
        const char *text, *says;
    } rows[] = {
        {KVB_FRAMEWORK_VERL, "{trainer.nnodes: 0}",
         "trainer.nnodes: expected a whole number from 1 to 65536, found '0'"},
        {KVB_FRAMEWORK_VERL, "{trainer.nnodes: 65537}",
         "trainer.nnodes: expected a whole number from 1 to 65536, found '65537'"},
        {KVB_FRAMEWORK_VERL, "{actor_rollout_ref.rollout.update_weights_bucket_megabytes: much}",
         "actor_rollout_ref.rollout.update_weights_bucket_megabytes: expected a whole number of MiB, found 'much'"},
        {KVB_FRAMEWORK_VERL, "{actor_rollout_ref.rollout.update_weights_bucket_megabytes: 0}",
         "actor_rollout_ref.rollout.update_weights_bucket_megabytes: expected a whole number of MiB, found '0'"},
        {KVB_FRAMEWORK_VERL, "{actor_rollout_ref.rollout.update_weights_bucket_megabytes: 1048577}",
         "actor_rollout_ref.rollout.update_weights_bucket_megabytes: expected a whole number of MiB, found '1048577'"},
        {KVB_FRAMEWORK_OPENRLHF, "{zero_stage: 4}", "zero_stage: expected 0, 1, 2 or 3, found '4'"},
        {KVB_FRAMEWORK_OPENRLHF, "{zero_stage: two}", "zero_stage: expected 0, 1, 2 or 3, found 'two'"},
    };
    for (size_t i = 0; i < sizeof rows / sizeof rows[0]; i++) {
        apply(rows[i].framework, UINT32_MAX, rows[i].text, KVB_OUT_OF_RANGE);
        assert_string_equal(problems.items[0].text, rows[i].says);
    }
    apply(KVB_FRAMEWORK_VERL, UINT32_MAX, "[actor]", KVB_OK); // no keys at all: the defaults
    assert_int_equal(entry.trainer.gpus, 8);
    apply(KVB_FRAMEWORK_VERL, UINT32_MAX, "{actor_rollout_ref: {actor: 5}, trainer: {nnodes: null}}", KVB_OK);
    assert_int_equal(entry.trainer.gpus, 8);
    apply(KVB_FRAMEWORK_TRL, UINT32_MAX, "{bf16: 'False', beta: false}", KVB_OK);
    assert_int_equal(entry.trainer.precision, KVB_PRECISION_FP32);
    assert_false(entry.trainer.has_reference);
    apply(KVB_FRAMEWORK_OPENRLHF, UINT32_MAX, "{adam_offload: true, deepspeed_enable_sleep: false}", KVB_OK);
    assert_true(entry.trainer.optimizer_offloaded);
    apply(KVB_FRAMEWORK_VERL, UINT32_MAX, "{trainer.n_gpus_per_node: 65536, trainer.nnodes: 65536}", KVB_OUT_OF_RANGE);
}

// Every row of a framework leads to a key that exists, and its default is a value of it.
static void framework_rows_lead_somewhere(void **unused)
{
    size_t count = 0;
    const struct kvb_framework_row *rows = kvb_framework_rows(&count);
    (void)unused;
    for (size_t i = 0; i < count; i++) {
        bool known = kvb_field_find(&kvb_trainer_schema, rows[i].key) != NULL;
        for (unsigned s = 0; s < KVB_SETTING_COUNT && !known; s++) {
            known = strcmp(kvb_setting_row_of(s)->key, rows[i].key) == 0;
        }
        if (!known) {
            fail_msg("%s leads to the unknown key %s", rows[i].path, rows[i].key);
        }
        assert_true(rows[i].path[0] != '\0' || rows[i].otherwise != NULL);
    }
    for (unsigned framework = 0; framework < KVB_FRAMEWORK_COUNT; framework++) {
        apply((enum kvb_framework)framework, UINT32_MAX, "{}", KVB_OK);
        assert_true(kvb_framework_name((enum kvb_framework)framework)[0] != '\0');
    }
}

// Every key of a trainer takes its own kind of value, refuses another, and is in the documentation.
static void trainer_rows_judge_their_values(void **unused)
{
    static const char *const good[] = {
        [KVB_FIELD_WHOLE] = "1", [KVB_FIELD_SIZE] = "2GiB", [KVB_FIELD_SWITCH] = "true", [KVB_FIELD_NOT] = "false"};
    const struct kvb_field_row *rows = kvb_trainer_schema.rows;
    (void)unused;
    for (size_t i = 0; i < kvb_trainer_schema.row_count; i++) {
        char expected[160] = "";
        const char *value = rows[i].words != NULL ? rows[i].words[0] : good[rows[i].kind];
        kvb_trainer_init(&trainer);
        assert_true(kvb_trainer_put(&trainer, &rows[i], value, expected));
        struct kvb_trainer before = trainer;
        assert_false(kvb_trainer_put(&trainer, &rows[i], "nothing of the kind", expected));
        assert_true(expected[0] != '\0');
        assert_memory_equal(&before, &trainer, sizeof trainer);
        assert_true(strlen(rows[i].help) > 5);
    }
}

KVB_TEST_MAIN_WITH(load_model, NULL, cmocka_unit_test(state_follows_sharding),
                   cmocka_unit_test(optimizers_differ_in_their_moments), cmocka_unit_test(stated_totals_are_divided),
                   cmocka_unit_test(offloaded_parts_do_not_rest_on_the_gpu),
                   cmocka_unit_test(shape_is_that_of_the_widest_layer), cmocka_unit_test(verl_defaults_by_release),
                   cmocka_unit_test(verl_keys_nested_and_dotted), cmocka_unit_test(trl_and_openrlhf_defaults),
                   cmocka_unit_test(wrong_values_are_said), cmocka_unit_test(framework_rows_lead_somewhere),
                   cmocka_unit_test(trainer_rows_judge_their_values))
