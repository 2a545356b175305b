// Corners of trainers, generate loops and residents that hold memory beside an engine, by hand.
#include <string.h>

#include "budget/trainer.h"
#include "plan/neighbours.h"
#include "unit/plans.h"
#include "unit/test.h"

static struct kvb_plan plan;
static struct kvb_trainer trainer;
static struct kvb_training training;
static struct kvb_problems problems;

static void words(void **state)
{
    (void)state;
    assert_string_equal(kvb_resident_kind_name(KVB_RESIDENT_TRANSFORMERS), "transformers");
    assert_string_equal(kvb_resident_kind_name(KVB_RESIDENT_KIND_COUNT), "");
    assert_string_equal(kvb_framework_name(KVB_FRAMEWORK_TRL), "trl");
    assert_string_equal(kvb_framework_name(KVB_FRAMEWORK_COUNT), "");
    assert_string_equal(kvb_optimizer_name(KVB_OPTIMIZER_SGD), "sgd");
    assert_string_equal(kvb_optimizer_name(KVB_OPTIMIZER_COUNT), "");
}

// ---- Trainer

static void start(void)
{
    make_llama_plan(&plan, R(12, 0));
    kvb_trainer_init(&trainer);
    trainer.gpus = 8;
    trainer.parameters = 8000000000;
}

// Experts at work: 2 of 1000, a shared one of 300 and a dense one of 50; latent attention: 16 heads of 128 + 64.
static void shapes(void **state)
{
    (void)state;
    struct kvb_train_shape shape;
    start();
    kvb_train_shape_of(&trainer, &plan.model, &shape);
    assert_int_equal(shape.ffn, 14336);
    assert_int_equal(shape.queries, 4096);
    assert_int_equal(shape.keys, 1024);
    assert_int_equal(shape.root_parameters, 2ULL * 128256 * 4096);
    plan.model.tied_embeddings = true;
    plan.model.kinds[0].mlp = (struct kvb_mlp_shape){.kind = KVB_MLP_MOE,
                                                     .intermediate_size = 50,
                                                     .experts_per_token = 2,
                                                     .expert_intermediate_size = 1000,
                                                     .shared_intermediate_size = 300};
    kvb_train_shape_of(&trainer, &plan.model, &shape);
    assert_int_equal(shape.ffn, 2350);
    assert_int_equal(shape.root_parameters, 128256ULL * 4096);
    make_latent_plan(&plan, R(12, 0), 8192, 256);
    kvb_train_shape_of(&trainer, &plan.model, &shape);
    assert_int_equal(shape.queries, 16 * 192);
    assert_int_equal(shape.keys, 16 * 192);
}

struct reference_row {
    enum kvb_sharding sharding;
    uint64_t parameters, bytes;
    uint32_t gpus;
    uint64_t wanted;
};

// A reference of 8e9 parameters in fp32 (32e9 B): divided where weights are; as many as said; stated bytes are of all
// GPUs together and divided whatever the sharding.
static void references(void **state)
{
    (void)state;
    static const struct reference_row rows[] = {
        {KVB_SHARD_FSDP, 0, 0, 8, 4000000000},
        {KVB_SHARD_FSDP, 2000000000, 0, 8, 1000000000},
        {KVB_SHARD_ZERO2, 0, 0, 8, 32000000000},
        {KVB_SHARD_ZERO2, 0, 16000000000, 8, 2000000000},
        {KVB_SHARD_FSDP, 0, 16000000000, 1, 16000000000},
    };
    for (size_t i = 0; i < sizeof rows / sizeof rows[0]; i++) {
        struct kvb_train_state held;
        start();
        trainer.sharding = rows[i].sharding;
        trainer.gpus = rows[i].gpus;
        trainer.has_reference = true;
        trainer.reference_parameters = rows[i].parameters;
        trainer.reference_bytes = rows[i].bytes;
        kvb_train_state_of(&trainer, &plan.model, &held);
        assert_int_equal(held.reference_bytes, rows[i].wanted);
    }
}

// Context and NCCL: 0.5 and 1 GiB, without NCCL on one GPU, or as stated. Sums that no machine holds stay so.
static void contexts(void **state)
{
    (void)state;
    struct kvb_train_state held;
    start();
    kvb_train_state_of(&trainer, &plan.model, &held);
    assert_int_equal(held.context_bytes, GIB / 2 + GIB);
    trainer.gpus = 1;
    kvb_train_state_of(&trainer, &plan.model, &held);
    assert_int_equal(held.context_bytes, GIB / 2);
    trainer.context_bytes = 3 * GIB;
    kvb_train_state_of(&trainer, &plan.model, &held);
    assert_int_equal(held.context_bytes, 3 * GIB);
    trainer.gpus = 8;
    trainer.parameters = UINT64_C(1) << 62;
    kvb_train_state_of(&trainer, &plan.model, &held);
    assert_true(held.weights_bytes >= UINT64_C(1) << 62);
}

// ---- Phases

static void compute(enum kvb_status wanted)
{
    kvb_problems_init(&problems);
    assert_int_equal(kvb_training_compute(&trainer, &plan, 0, &training, &problems), wanted);
}

// Gathered while the update runs: two units of 218,112,000 x 2 B, one without prefetching, and under FSDP embedding and
// head; ZeRO-3 gathers no root; DDP gathers nothing.
static void gathered_units(void **state)
{
    (void)state;
    static const uint64_t unit = 218112000ULL * 2;
    static const uint64_t root = 2ULL * 128256 * 4096 * 2;
    static const struct {
        enum kvb_sharding sharding;
        bool no_prefetch;
        uint64_t wanted;
    } rows[] = {{KVB_SHARD_FSDP, false, 2 * unit + root},
                {KVB_SHARD_FSDP2, true, unit + root},
                {KVB_SHARD_ZERO3, false, 2 * unit},
                {KVB_SHARD_NONE, false, 0}};
    for (size_t i = 0; i < sizeof rows / sizeof rows[0]; i++) {
        start();
        trainer.sharding = rows[i].sharding;
        trainer.no_prefetch = rows[i].no_prefetch;
        compute(KVB_OK);
        assert_int_equal(training.parts[KVB_TRAIN_UPDATE][KVB_TRAIN_GATHER], rows[i].wanted);
    }
}

// The phase of the reference model: nothing without one; brought back unit by unit when it lies on the CPU.
static void reference_phase(void **state)
{
    (void)state;
    start();
    compute(KVB_OK);
    assert_int_equal(training.parts[KVB_TRAIN_REFERENCE_LOG_PROBS][KVB_TRAIN_LOGITS], 0);
    trainer.has_reference = true;
    compute(KVB_OK);
    assert_int_equal(training.parts[KVB_TRAIN_REFERENCE_LOG_PROBS][KVB_TRAIN_REFERENCE], 4000000000);
    assert_int_equal(training.parts[KVB_TRAIN_REFERENCE_LOG_PROBS][KVB_TRAIN_LOGITS], 16384ULL * 128256 * 2);
    trainer.reference_offloaded = true;
    compute(KVB_OK);
    assert_int_equal(training.parts[KVB_TRAIN_REFERENCE_LOG_PROBS][KVB_TRAIN_REFERENCE], 218112000ULL * 2);
    assert_int_equal(training.parts[KVB_TRAIN_ROLLOUT][KVB_TRAIN_REFERENCE], 0);
}

// V1 of 0.9.0 charges others: 60 GiB of them leave nothing of a request of 0.5 x 79.19 GiB for the engine itself.
static void others_take_the_request(void **state)
{
    (void)state;
    start();
    plan.engine.release = R(9, 0);
    set(&plan, KVB_SET_GPU_MEMORY_UTILIZATION, 500000);
    plan.reserve_count = 1;
    plan.reserves[0].bytes = 60 * GIB;
    compute(KVB_OK);
    assert_false(training.engine_starts);
    assert_int_equal(training.needs_ppm % 10000, 0);
}

// What cannot be computed is refused: heads that do not divide, sizes beyond any machine.
static void refused(void **state)
{
    (void)state;
    start();
    set(&plan, KVB_SET_TENSOR_PARALLEL_SIZE, 3);
    compute(KVB_INDIVISIBLE);
    start();
    set(&plan, KVB_SET_MAX_NUM_BATCHED_TOKENS, UINT64_C(1) << 52);
    compute(KVB_OVERFLOW);
    start();
    trainer.micro_batch_tokens = UINT64_C(1) << 60;
    compute(KVB_OVERFLOW);
}

// ---- Generate

static uint64_t cache_of(const struct kvb_transformers *rollout)
{
    struct kvb_transformers_answer answer;
    kvb_transformers_compute(&plan.model, rollout, &answer);
    return answer.cache_bytes;
}

// 4 sequences of 1000 + 500 tokens: full attention keeps 32 x 8 x 256 x 2 B a token; windows at most their own;
// latent attention is stored head by head, 16 x (128 + 64 + 128); layers that read another's cache or none keep none.
static void generate_caches(void **state)
{
    (void)state;
    static const struct kvb_transformers rollout = {.sequences = 4, .prompt_tokens = 1000, .answer_tokens = 500};
    struct kvb_attention_shape *attention = &plan.model.kinds[0].attention;
    make_llama_plan(&plan, R(12, 0));
    assert_int_equal(cache_of(&rollout), 4ULL * 1500 * 32 * 8 * 256 * 2);
    attention->kind = KVB_ATTENTION_SLIDING;
    attention->window_tokens = 1024;
    assert_int_equal(cache_of(&rollout), 4ULL * 1024 * 32 * 8 * 256 * 2);
    attention->shares_kv = true;
    assert_int_equal(cache_of(&rollout), 0);
    attention->kind = KVB_ATTENTION_ENCODER;
    assert_int_equal(cache_of(&rollout), 0);
    make_latent_plan(&plan, R(12, 0), 8192, 256);
    assert_int_equal(cache_of(&rollout), 4ULL * 1500 * 32 * 16 * 320 * 2);
}

// ---- Residents

static struct kvb_side_by_side answer;

static void place(const struct kvb_resident *residents, uint32_t count, enum kvb_status wanted)
{
    kvb_problems_init(&problems);
    assert_int_equal(kvb_side_by_side_compute(&plan.gpu, residents, count, &answer, &problems), wanted);
}

// A trainer and a generate loop beside an engine hold what they compute.
static void all_kinds(void **state)
{
    (void)state;
    static const struct kvb_transformers rollout = {.sequences = 1, .prompt_tokens = 1000, .answer_tokens = 500};
    struct kvb_transformers_answer generate;
    start();
    set(&plan, KVB_SET_GPU_MEMORY_UTILIZATION, 400000);
    struct kvb_resident residents[] = {
        {.kind = KVB_RESIDENT_TRAINER, .name = "trainer", .trainer = &trainer, .model = &plan.model},
        {.kind = KVB_RESIDENT_TRANSFORMERS, .name = "loop", .model = &plan.model, .rollout = &rollout},
        {.kind = KVB_RESIDENT_ENGINE, .name = "engine", .plan = &plan},
    };
    place(residents, 3, KVB_OK);
    kvb_transformers_compute(&plan.model, &rollout, &generate);
    assert_int_equal(answer.rows[0].held_bytes, kvb_trainer_at_start(&trainer, &plan.model));
    assert_true(answer.rows[1].held_bytes > generate.total_bytes);
    assert_int_equal(answer.rows[2].held_before_bytes, answer.rows[0].held_bytes + answer.rows[1].held_bytes);
    assert_true(answer.rows[2].starts && answer.all_start && answer.all_start_at_once);
}

// Two engines that cannot start alone: neither in sequence nor at once, and no share would help on this card.
static void none_starts(void **state)
{
    (void)state;
    start();
    set_gpu(&plan, "12 GB", 12 * GIB, 89);
    struct kvb_resident residents[] = {{.kind = KVB_RESIDENT_ENGINE, .name = "one", .plan = &plan},
                                       {.kind = KVB_RESIDENT_ENGINE, .name = "two", .plan = &plan}};
    place(residents, 2, KVB_OK);
    assert_false(answer.all_start);
    assert_false(answer.all_start_at_once);
    assert_int_equal(answer.rows[0].needs_ppm, 0);
    assert_int_equal(answer.rows[0].held_bytes, 0);
}

// An engine whose numbers cannot work ends the question; one too large to compute names it.
static void engines_that_cannot_work(void **state)
{
    (void)state;
    start();
    static struct kvb_plan good;
    good = plan;
    struct kvb_resident residents[] = {{.kind = KVB_RESIDENT_ENGINE, .name = "large", .plan = &plan},
                                       {.kind = KVB_RESIDENT_ENGINE, .name = "good", .plan = &good}};
    set(&plan, KVB_SET_MAX_NUM_BATCHED_TOKENS, UINT64_C(1) << 52);
    place(residents, 2, KVB_OVERFLOW);
    assert_non_null(strstr(problems.items[0].text, "'large'"));
    assert_int_equal(kvb_charge_of(&plan), KVB_CHARGE_GROWTH);
    set(&plan, KVB_SET_TENSOR_PARALLEL_SIZE, 3);
    place(residents, 2, KVB_INDIVISIBLE);
    assert_int_equal(kvb_charge_of(&plan), KVB_CHARGE_COUNT);
}

// The smallest share that starts: one hundredth of a card of 8 TiB; none when nothing is asked of it or there is no
// memory; none near 1.0 when more than the card is wanted.
static void smallest_shares(void **state)
{
    (void)state;
    static struct kvb_budget budget, tried;
    start();
    plan.gpu.memory_bytes = 8192 * GIB;
    (void)answer_into(&plan, &budget);
    assert_int_equal(kvb_needs_ppm(&plan, &budget, &tried), 10000);
    budget.balance_bytes = (int64_t)budget.requested_bytes;
    assert_int_equal(kvb_needs_ppm(&plan, &budget, &tried), 0);
    budget.balance_bytes = 0;
    plan.gpu.memory_bytes = 0;
    assert_int_equal(kvb_needs_ppm(&plan, &budget, &tried), 0);
    start();
    set_gpu(&plan, "15 GB", 15 * GIB, 89); // 14.99 of weights
    (void)answer_into(&plan, &budget);
    assert_int_equal(kvb_needs_ppm(&plan, &budget, &tried), 0);
    set_gpu(&plan, "80 GB", 79 * GIB, 90);
    budget.requested_bytes = 5 * GIB; // too low a guess: nothing starts within the steps that are tried
    budget.balance_bytes = 0;
    assert_int_equal(kvb_needs_ppm(&plan, &budget, &tried), 0);
}

// Settings of 0 put nothing into CPU memory; what is offloaded under unified memory frees nothing.
static void cpu_memory(void **state)
{
    (void)state;
    static struct kvb_budget budget;
    static const enum kvb_setting settings[] = {KVB_SET_CPU_OFFLOAD_GB, KVB_SET_SWAP_SPACE, KVB_SET_KV_TRANSFER};
    struct kvb_host_memory memory;
    start();
    for (size_t i = 0; i < 3; i++) {
        set(&plan, settings[i], 0);
    }
    (void)answer_into(&plan, &budget);
    kvb_host_memory_of(&plan, &budget, &memory);
    assert_int_equal(memory.count, 0);
    set(&plan, KVB_SET_CPU_OFFLOAD_GB, 4 * GIB);
    for (int unified = 0; unified < 2; unified++) {
        plan.gpu.unified_memory = unified != 0;
        (void)answer_into(&plan, &budget);
        kvb_host_memory_of(&plan, &budget, &memory);
        assert_int_equal(memory.count, 1);
        assert_true(memory.uses[0].host_bytes >= 4 * GIB);
        assert_int_equal(memory.uses[0].freed_bytes, unified ? 0 : memory.uses[0].host_bytes);
    }
}

// Free memory stated and others named: both are told.
static void holding(void **state)
{
    (void)state;
    start();
    plan.gpu_free_stated = true;
    plan.gpu_free_bytes = 40 * GIB;
    kvb_plan_hold(&plan, "trainer", 10 * GIB);
    assert_int_equal(plan.gpu_free_bytes, 30 * GIB);
    assert_int_equal(plan.reserve_count, 0);
    plan.reserve_count = 1;
    kvb_plan_hold(&plan, "trainer", 50 * GIB);
    assert_int_equal(plan.gpu_free_bytes, 0);
    assert_int_equal(plan.reserve_count, 2);
    assert_string_equal(plan.reserves[1].name, "trainer");
}

KVB_TEST_MAIN(cmocka_unit_test(words), cmocka_unit_test(shapes), cmocka_unit_test(references),
              cmocka_unit_test(contexts), cmocka_unit_test(gathered_units), cmocka_unit_test(reference_phase),
              cmocka_unit_test(others_take_the_request), cmocka_unit_test(refused), cmocka_unit_test(generate_caches),
              cmocka_unit_test(all_kinds), cmocka_unit_test(none_starts), cmocka_unit_test(engines_that_cannot_work),
              cmocka_unit_test(smallest_shares), cmocka_unit_test(cpu_memory), cmocka_unit_test(holding))
