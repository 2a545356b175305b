// The phases of a training step: case study C by hand, sleep, offload, and the transformers rollout.
#include <stdio.h>
#include <string.h>

#include <kvbudget/input.h>
#include <kvbudget/residents.h>
#include <kvbudget/units.h>

#include "unit/test.h"

static struct kvb_problems problems;
static struct kvb_plan plan;
static struct kvb_model draft;
static struct kvb_model_source source;
static struct kvb_trainer trainer;
static struct kvb_training training;

// Hundredths of a GiB, rounded.
static uint64_t hundredths(uint64_t bytes)
{
    return (bytes * 100 + KVB_GIB / 2) / KVB_GIB;
}

// Eight A100 of 79.15 GiB; actor 68 GB, reference 28 GB in all, rollout of Qwen2.5-7B at 0.294.
static void ask(uint32_t sleep_level, uint64_t ppm)
{
    static struct kvb_deployment deployment;
    kvb_deployment_init(&deployment);
    kvb_problems_init(&problems);
    assert_int_equal(
        kvb_deployment_load(KVB_SOURCE_DIR "/profiles/deployments/qwen2.5-7b-grpo-8xa100.yaml", &deployment, &problems),
        KVB_OK);
    kvb_settings_set(&deployment.settings, KVB_SET_GPU_MEMORY_UTILIZATION, ppm, KVB_ORIGIN_FLAG);
    assert_int_equal(kvb_deployment_resolve(&deployment, &plan, &draft, &source, &problems), KVB_OK);
    kvb_trainer_init(&trainer);
    trainer.gpus = 8;
    trainer.state_bytes = 68000000000;
    trainer.reference_bytes = 28000000000;
    trainer.has_reference = true;
    trainer.sleep_level = sleep_level;
}

static void compute(void)
{
    struct kvb_plan held = plan;
    kvb_plan_hold(&held, "trainer", kvb_trainer_at_start(&trainer, &plan.model));
    assert_int_equal(kvb_training_compute(&trainer, &held, 0, &training, &problems), KVB_OK);
}

// 68e9/8 = 7.92 GiB, 28e9/8 = 3.26 GiB, 0.294 x 79.15 = 23.27 GiB: 34.45. Contexts 2 x 0.5 and 1.0 of NCCL:
// 79.15 - 34.45 - 2.0 = 42.70 are left. The rollout's KV cache and the smallest utilization are the budget's.
static void static_sum_of_the_example(void **state)
{
    (void)state;
    ask(0, 294000);
    compute();
    assert_int_equal(hundredths(training.state_bytes), 792);
    assert_int_equal(hundredths(training.reference_bytes), 326);
    assert_int_equal(hundredths(training.parts[KVB_TRAIN_ROLLOUT][KVB_TRAIN_ENGINE]), 2327);
    assert_int_equal(hundredths(training.static_bytes), 3445);
    assert_int_equal(hundredths(training.parts[KVB_TRAIN_ROLLOUT][KVB_TRAIN_CONTEXTS]), 200);
    assert_int_equal(hundredths(training.memory_bytes - training.totals[KVB_TRAIN_ROLLOUT]), 4270);
    assert_true(training.fits && training.divisible && training.engine_starts);
    assert_int_equal(training.deciding, KVB_TRAIN_UPDATE);
}

// 16384 tokens, bytes: kept inputs 2 x 16384 x 3584 x 28; the layer at work 2 x 16384 x (8 x 3584 + 4 x 18944 +
// 3584 + 2 x 512); logits 2 x 16384 x 152064; root 2 x 2 x 152064 x 3584 and two units of 2 x 233,057,792;
// gradient of a unit 6 x 233,057,792.
static void update_of_the_example(void **state)
{
    const uint64_t *parts = training.parts[KVB_TRAIN_UPDATE];
    (void)state;
    ask(0, 294000);
    compute();
    assert_int_equal(parts[KVB_TRAIN_CHECKPOINTS], 2ULL * 16384 * 3584 * 28);
    assert_int_equal(parts[KVB_TRAIN_RECOMPUTE], 2ULL * 16384 * (8 * 3584 + 4 * 18944 + 3584 + 2 * 512));
    assert_int_equal(parts[KVB_TRAIN_LOGITS], 2ULL * 16384 * 152064);
    assert_int_equal(parts[KVB_TRAIN_GATHER], 2ULL * 2 * 152064 * 3584 + 2ULL * 2 * 233057792);
    assert_int_equal(parts[KVB_TRAIN_GRADIENT], 6ULL * 233057792);
    uint64_t passing = training.totals[KVB_TRAIN_UPDATE] - training.totals[KVB_TRAIN_ROLLOUT];
    assert_in_range(hundredths(passing), 1510, 1540); // about 15.3 GiB
    assert_in_range(hundredths(training.memory_bytes - training.totals[KVB_TRAIN_UPDATE]), 2720, 2770); // 27 spare
}

// An fp32 copy and entropy: 8 more bytes for each of 16384 x 152064 logits, 18.6 GiB; the awake case still fits
// with about 9 left. With 32768 tokens it does not, and asleep it barely does.
static void logits_decide_in_the_end(void **state)
{
    (void)state;
    ask(0, 294000);
    trainer.logits = KVB_LOGITS_ENTROPY;
    compute();
    assert_true(training.fits);
    assert_in_range(hundredths(training.memory_bytes - training.totals[KVB_TRAIN_UPDATE]), 850, 950);
    trainer.micro_batch_tokens = 32768;
    compute();
    assert_false(training.fits);
    assert_int_equal(training.deciding, KVB_TRAIN_UPDATE);
    trainer.sleep_level = 2;
    compute();
    assert_true(training.fits);
    trainer.logits = KVB_LOGITS_FUSED;
    compute();
    assert_int_equal(training.parts[KVB_TRAIN_UPDATE][KVB_TRAIN_LOGITS], 0);
}

// 0.02 x 79.15 = 1.58 GiB: less than 14.25 GiB of weights. The smallest that works holds weights, 1.09 + 0.05
// GiB and one request of 4096 x 56 KiB = 0.22: 15.6 of 79.15 GiB, 0.20 in whole hundredths.
static void two_hundredths_never_start(void **state)
{
    (void)state;
    ask(0, 20000);
    compute();
    assert_false(training.engine_starts);
    assert_int_equal(training.needs_ppm, 200000);
    assert_true(training.highest_ppm > 600000);
}

// Asleep the engine leaves weights and cache; in the weight sync its weights are back, its cache is not.
static void sleep_gives_the_share_back(void **state)
{
    (void)state;
    ask(2, 294000);
    trainer.bucket_bytes = 2 * KVB_GIB;
    compute();
    uint64_t awake = training.parts[KVB_TRAIN_ROLLOUT][KVB_TRAIN_ENGINE];
    uint64_t asleep = training.parts[KVB_TRAIN_UPDATE][KVB_TRAIN_ENGINE];
    uint64_t syncing = training.parts[KVB_TRAIN_SYNC][KVB_TRAIN_ENGINE];
    assert_int_equal(hundredths(awake), 2327);
    assert_in_range(hundredths(asleep), 60, 200);
    assert_in_range(hundredths(syncing - asleep), 1418, 1432);
    assert_int_equal(training.parts[KVB_TRAIN_SYNC][KVB_TRAIN_BUCKET], 2 * KVB_GIB);
    // The rollout may now take all but 7.92 + 3.26 + 2.0 and the checkpoint's 2.03: 63.9 of 79.15 = 0.80.
    assert_in_range(training.highest_ppm, 790000, 810000);
}

// 7,615,616,512 parameters in fp32 over 8 GPUs: 4, 12 and 16 bytes each = 3.55, 10.64 and 14.19 GiB.
static void adam_appears_after_the_start(void **state)
{
    (void)state;
    ask(2, 294000);
    trainer.state_bytes = 0;
    trainer.reference_bytes = 0;
    trainer.reference_offloaded = true;
    compute();
    assert_int_equal(hundredths(training.parts[KVB_TRAIN_START][KVB_TRAIN_ACTOR]), 355);
    assert_int_equal(hundredths(training.parts[KVB_TRAIN_ROLLOUT][KVB_TRAIN_ACTOR]), 1064);
    assert_int_equal(hundredths(training.parts[KVB_TRAIN_UPDATE][KVB_TRAIN_ACTOR]), 1419);
    // An offloaded reference is there unit by unit.
    assert_int_equal(training.parts[KVB_TRAIN_UPDATE][KVB_TRAIN_REFERENCE], 0);
    assert_int_equal(training.parts[KVB_TRAIN_REFERENCE_LOG_PROBS][KVB_TRAIN_REFERENCE], 2ULL * 233057792);
    trainer.parameters_offloaded = trainer.optimizer_offloaded = true;
    compute();
    assert_int_equal(training.parts[KVB_TRAIN_ROLLOUT][KVB_TRAIN_ACTOR], 0);
    // In CPU memory: 12 bytes of the actor's and 4 of the reference's parameters, an eighth of each.
    assert_int_equal(training.host_bytes, 16ULL * 7615616512 / 8);
    assert_int_equal(training.host_sleep_bytes, 0); // level 2 drops them
    trainer.sleep_level = 1;                        // keeps a copy of the weights: 14.25 GiB, as logged for this model
    compute();
    assert_int_equal(hundredths(training.host_sleep_bytes), 1425);
    trainer.sleep_level = 2;
    compute();
    assert_int_equal(hundredths(training.parts[KVB_TRAIN_OLD_LOG_PROBS][KVB_TRAIN_ACTOR]), 355);
    assert_int_equal(hundredths(training.parts[KVB_TRAIN_UPDATE][KVB_TRAIN_ACTOR]), 1419);
}

static void kept_activations_and_sequence_parallel(void **state)
{
    const uint64_t *parts = training.parts[KVB_TRAIN_UPDATE];
    (void)state;
    ask(2, 294000);
    trainer.sequence_parallel = 4;
    compute();
    assert_int_equal(parts[KVB_TRAIN_CHECKPOINTS], 2ULL * 16384 * 3584 * 28 / 4);
    trainer.sequence_parallel = 1;
    trainer.no_checkpointing = true;
    compute();
    // 28 layers of 2 x 16384 x 109,056 bytes = 93.2 GiB: never on this card.
    assert_int_equal(parts[KVB_TRAIN_CHECKPOINTS], 28ULL * 2 * 16384 * 109056);
    assert_int_equal(parts[KVB_TRAIN_RECOMPUTE], 0);
    assert_false(training.fits);
    trainer.gpus = 3;
    kvb_settings_set(&plan.settings, KVB_SET_TENSOR_PARALLEL_SIZE, 2, KVB_ORIGIN_FLAG);
    compute();
    assert_false(training.divisible);
}

static void sizes_beyond_any_machine_are_refused(void **state)
{
    (void)state;
    ask(0, 294000);
    trainer.parameters = UINT64_C(1) << 60;
    trainer.state_bytes = 0;
    assert_int_equal(kvb_training_compute(&trainer, &plan, 0, &training, &problems), KVB_OVERFLOW);
}

// ---- The transformers library

static struct kvb_transformers_answer generate(enum kvb_hf_cache cache, bool eager, uint64_t sequences, uint64_t prompt,
                                               uint64_t answer)
{
    struct kvb_transformers_answer result;
    const struct kvb_transformers rollout = {cache, eager, false, sequences, prompt, answer};
    kvb_transformers_compute(&plan.model, &rollout, &result);
    return result;
}

// Qwen2.5-7B: 28 layers x 2 x 4 heads x 128 x 2 bytes = 57,344 a token; weights 2 x 7,615,616,512.
static void generate_grows_its_cache(void **state)
{
    (void)state;
    ask(0, 294000);
    struct kvb_transformers_answer got = generate(KVB_HF_CACHE_DYNAMIC, false, 8, 1024, 1024);
    assert_int_equal(got.weights_bytes, 2ULL * 7615616512);
    assert_int_equal(got.cache_bytes, 8ULL * 2048 * 57344);
    assert_int_equal(got.growth_bytes, 8ULL * 2048 * 4 * 128 * 2); // one layer's keys once more
    assert_int_equal(got.logits_bytes, 8ULL * 152064 * 6);
    assert_int_equal(got.forward_bytes, 2ULL * 8 * 1024 * (4 * 18944 + 4 * 3584));
    assert_int_equal(got.scores_bytes, 0);
    got = generate(KVB_HF_CACHE_STATIC, false, 8, 1024, 1024);
    assert_int_equal(got.cache_bytes, 8ULL * 2048 * 57344);
    assert_int_equal(got.growth_bytes, 0);
}

// The widest layer counts: one with half the width beside it, before or after, changes nothing.
static void generate_passes_its_widest_layer(void **state)
{
    (void)state;
    ask(0, 294000);
    plan.model.kinds[1] = plan.model.kinds[0];
    plan.model.kind_count = 2;
    for (uint32_t narrow = 0; narrow < 2; narrow++) {
        plan.model.kinds[narrow].mlp.intermediate_size = 9472;
        plan.model.kinds[!narrow].mlp.intermediate_size = 18944;
        struct kvb_transformers_answer got = generate(KVB_HF_CACHE_DYNAMIC, false, 8, 1024, 1024);
        assert_int_equal(got.forward_bytes, 2ULL * 8 * 1024 * (4 * 18944 + 4 * 3584));
    }
}

// Eager scores of a prompt: sequences x 28 heads x 32768^2 x 8 bytes = 224 GiB for one: no card has that. Without
// a cache the last step passes over prompt and answer together.
static void eager_attention_is_quadratic(void **state)
{
    (void)state;
    ask(0, 294000);
    struct kvb_transformers_answer got = generate(KVB_HF_CACHE_DYNAMIC, true, 1, 32768, 1);
    assert_int_equal(got.scores_bytes, 224 * KVB_GIB);
    got = generate(KVB_HF_CACHE_NONE, true, 2, 1024, 1024);
    assert_int_equal(got.cache_bytes, 0);
    assert_int_equal(got.scores_bytes, 2ULL * 28 * 2048 * 2048 * 8);
    const struct kvb_transformers whole = {KVB_HF_CACHE_DYNAMIC, false, true, 1, 32768, 1};
    kvb_transformers_compute(&plan.model, &whole, &got);
    assert_int_equal(got.logits_bytes, 32768ULL * 152064 * 6);
    assert_int_equal(got.total_bytes, got.weights_bytes + got.cache_bytes + got.logits_bytes);
}

static void rows_have_names(void **state)
{
    (void)state;
    for (unsigned phase = 0; phase < KVB_TRAIN_PHASE_COUNT; phase++) {
        assert_true(kvb_train_phase_row_of(phase)->key != NULL && kvb_train_phase_row_of(phase)->label != NULL);
    }
    for (unsigned part = 0; part < KVB_TRAIN_PART_COUNT; part++) {
        assert_true(kvb_train_part_row_of(part)->key != NULL && kvb_train_part_row_of(part)->letter != '\0');
    }
}

KVB_TEST_MAIN(cmocka_unit_test(static_sum_of_the_example), cmocka_unit_test(update_of_the_example),
              cmocka_unit_test(logits_decide_in_the_end), cmocka_unit_test(two_hundredths_never_start),
              cmocka_unit_test(sleep_gives_the_share_back), cmocka_unit_test(adam_appears_after_the_start),
              cmocka_unit_test(kept_activations_and_sequence_parallel),
              cmocka_unit_test(sizes_beyond_any_machine_are_refused), cmocka_unit_test(generate_grows_its_cache),
              cmocka_unit_test(generate_passes_its_widest_layer), cmocka_unit_test(eager_attention_is_quadratic),
              cmocka_unit_test(rows_have_names))
