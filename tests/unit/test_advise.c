// Advice: the highest utilization and length that start, single changes, several together, last resorts, none.
#include <string.h>

#include "unit/plans.h"
#include "unit/test.h"

static struct kvb_plan plan;
static struct kvb_budget budget;
static struct kvb_advice advice;

static void advise(void)
{
    (void)answer_into(&plan, &budget);
    assert_int_equal(kvb_advise(&plan, &budget, &advice), KVB_OK);
}

static const struct kvb_change *change_of(enum kvb_setting setting, bool together)
{
    for (uint32_t i = 0; i < advice.change_count; i++) {
        if (advice.changes[i].setting == setting && advice.changes[i].together == together) {
            return &advice.changes[i];
        }
    }
    return NULL;
}

// With what is to be applied, the deployment must start and hold a request.
static void check_applied(void)
{
    static struct kvb_plan changed;
    static struct kvb_budget again;
    changed = plan;
    for (uint32_t i = 0; i < advice.apply_count; i++) {
        const struct kvb_change *change = &advice.changes[advice.apply[i]];
        set(&changed, change->setting, change->to);
    }
    (void)answer_into(&changed, &again);
    assert_true(advice.apply_count > 0);
    assert_int_not_equal(again.verdict, KVB_DOES_NOT_FIT);
}

// It fits: only the recommendation, nothing to change.
static void what_fits_needs_no_change(void **state)
{
    (void)state;
    make_llama_plan(&plan, R(19, 0));
    advise();
    assert_int_equal(advice.change_count, 0);
    assert_int_equal(advice.apply_count, 0);
    assert_true(advice.has_utilization && advice.gpu_memory_utilization_ppm >= 950000);
    assert_int_equal(advice.max_model_len, 131072); // 16 GiB of 55
    assert_int_equal(advice.max_num_seqs, 1024);
}

// Each change that is listed alone does, set alone in the plan, what is said of it. Others hold 2 GiB of the card here,
// so that a shorter length starts and yet leaves no room: it does not suffice, and is not refused either.
static void each_change_alone(void **state)
{
    (void)state;
    static struct kvb_plan changed;
    static struct kvb_budget again;
    unsigned tried = 0, without_room = 0;
    make_llama_plan(&plan, R(8, 5));
    set_gpu(&plan, "22 GB", 22 * GIB, 89);
    plan.gpu.nvlink = false;
    set(&plan, KVB_SET_MAX_MODEL_LEN, 131072);
    plan.reserve_count = 1;
    plan.reserves[0] = (struct kvb_reserve){.name = "x", .bytes = 2 * GIB};
    advise();
    assert_int_equal(budget.verdict, KVB_DOES_NOT_FIT);
    for (uint32_t i = 0; i < advice.change_count && !advice.changes[i].together; i++) {
        const struct kvb_change *change = &advice.changes[i];
        changed = plan;
        set(&changed, change->setting, change->to);
        (void)answer_into(&changed, &again);
        assert_int_equal(change->balance_bytes, again.balance_bytes);
        assert_int_equal(change->starts, again.verdict != KVB_DOES_NOT_FIT);
        assert_true(change->starts || !change->fits);
        without_room += change->starts && !change->fits && again.slack_bytes < 0;
        tried++;
    }
    assert_true(tried >= 5 && without_room > 0);
}

// Llama-3.1-8B at 131072 tokens (16 GiB) on a card of 32 GiB: an 8-bit cache halves the need, a shorter length fits
// too.
static void single_changes(void **state)
{
    (void)state;
    make_llama_plan(&plan, R(19, 0));
    set_gpu(&plan, "32 GB", 32 * GIB, 89);
    plan.gpu.nvlink = false;
    set(&plan, KVB_SET_MAX_MODEL_LEN, 131072);
    advise();
    assert_int_equal(budget.verdict, KVB_DOES_NOT_FIT);
    const struct kvb_change *cache = change_of(KVB_SET_KV_CACHE_DTYPE, false);
    assert_non_null(cache);
    assert_int_equal(cache->frees_bytes, 8 * GIB);
    assert_true(cache->fits);
    const struct kvb_change *length = change_of(KVB_SET_MAX_MODEL_LEN, false);
    assert_true(length != NULL && length->fits && length->to < 131072);
    assert_int_equal(advice.apply_count, 1);
    check_applied();
}

// At 0.98 of 28 GiB nothing is left for what lives outside: once fp8 halves the 16 GiB, utilization goes down with it.
// On 32 GiB fewer sequences alone suffice at 0.98, but at no utilization with room: no such advice.
static void room_outside(void **state)
{
    (void)state;
    static struct kvb_plan changed;
    static struct kvb_budget again;
    make_llama_plan(&plan, R(19, 0));
    plan.compile_cache = KVB_COMPILE_WARM;
    set_gpu(&plan, "28 GB", 28 * GIB, 89);
    plan.gpu.nvlink = false;
    set(&plan, KVB_SET_GPU_MEMORY_UTILIZATION, 980000);
    set(&plan, KVB_SET_MAX_MODEL_LEN, 131072);
    advise();
    assert_int_equal(budget.verdict, KVB_DOES_NOT_FIT);
    assert_true(budget.slack_bytes < 0);
    assert_int_equal(advice.apply_count, 2);
    const struct kvb_change *room = &advice.changes[advice.apply[1]];
    assert_int_equal(room->setting, KVB_SET_GPU_MEMORY_UTILIZATION);
    assert_true(room->to < 980000 && room->frees_bytes < 0);
    check_applied();
    changed = plan;
    for (uint32_t i = 0; i < advice.apply_count; i++) {
        set(&changed, advice.changes[advice.apply[i]].setting, advice.changes[advice.apply[i]].to);
    }
    (void)answer_into(&changed, &again);
    assert_true(again.slack_bytes >= 0);
    set_gpu(&plan, "32 GB", 32 * GIB, 89);
    advise();
    assert_int_equal(budget.verdict, KVB_DOES_NOT_FIT);
    assert_int_equal(advice.apply_count, 1);
    check_applied();
}

// On 20 GiB the same wants several changes at once.
static void several_together(void **state)
{
    (void)state;
    make_llama_plan(&plan, R(12, 0));
    set_gpu(&plan, "24 GB", 24 * GIB, 89);
    plan.gpu.nvlink = false;
    set(&plan, KVB_SET_MAX_MODEL_LEN, 131072);
    plan.stated[KVB_STATED_KV_NEED] = (struct kvb_stated_term){true, 8 * GIB}; // whatever the format of the cache
    advise();
    assert_int_equal(budget.verdict, KVB_DOES_NOT_FIT);
    check_applied();
}

// Seventy billion parameters on one card of 80 GB: more cards or fewer bits are the last resort, and suffice.
static void last_resort(void **state)
{
    (void)state;
    make_llama_plan(&plan, R(19, 0));
    plan.model.hidden_size = 8192;
    plan.model.layer_count = 80;
    plan.model.kinds[0].attention.heads = 64;
    plan.model.kinds[0].mlp.intermediate_size = 28672;
    advise();
    assert_int_equal(budget.verdict, KVB_DOES_NOT_FIT);
    assert_int_equal(advice.apply_count, 1);
    enum kvb_setting applied = advice.changes[advice.apply[0]].setting;
    assert_true(applied == KVB_SET_QUANTIZATION || applied == KVB_SET_TENSOR_PARALLEL_SIZE);
    check_applied();
}

// Four hundred billion on a card of 24 GB: nothing helps, and nothing is promised.
static void nothing_helps(void **state)
{
    (void)state;
    make_llama_plan(&plan, R(19, 0));
    set_gpu(&plan, "24 GB", 24 * GIB, 89);
    plan.model.hidden_size = 16384;
    plan.model.layer_count = 126;
    plan.model.kinds[0].attention.heads = 128;
    plan.model.kinds[0].mlp.intermediate_size = 53248;
    advise();
    assert_int_equal(advice.apply_count, 0);
    assert_false(advice.has_utilization);
    assert_false(advice.has_max_model_len);
}

// 40 of 79 GiB free: the start-up check refuses 0.9; 0.50 starts, a little less leaves room for the context as well.
static void less_is_free(void **state)
{
    (void)state;
    make_llama_plan(&plan, R(19, 0));
    plan.gpu_free_stated = true;
    plan.gpu_free_bytes = 40 * GIB;
    advise();
    const struct kvb_change *change = change_of(KVB_SET_GPU_MEMORY_UTILIZATION, false);
    assert_non_null(change);
    assert_true(change->to < 500000 && change->to >= 470000);
    assert_true(change->fits);
    assert_int_equal(change->to, advice.gpu_memory_utilization_ppm); // one screen, one number
    assert_int_equal(advice.change_count, 1);                        // a larger cache is no way past this check
    check_applied();
    set(&plan, KVB_SET_GPU_MEMORY_UTILIZATION, change->to);
    (void)answer_into(&plan, &budget);
    assert_true(budget.slack_bytes >= 0);
}

// With a fixed cache utilization is no lever.
static void fixed_cache(void **state)
{
    (void)state;
    make_llama_plan(&plan, R(19, 0));
    set(&plan, KVB_SET_KV_CACHE_MEMORY_BYTES, GIB / 2);
    advise();
    assert_int_equal(budget.verdict, KVB_DOES_NOT_FIT);
    assert_false(advice.has_utilization);
    assert_int_equal(advice.max_model_len, 4096); // 512 MiB / 128 KiB
    check_applied();
}

// More ranks that do not divide the heads (6) are passed over: 2 works, 4 and 8 do not.
static void impossible_candidates(void **state)
{
    (void)state;
    make_llama_plan(&plan, R(19, 0));
    plan.model.kinds[0].attention.heads = 6;
    plan.model.kinds[0].attention.kv_heads = 6;
    set_gpu(&plan, "8 GB", 8 * GIB, 80);
    advise();
    const struct kvb_change *ranks = change_of(KVB_SET_TENSOR_PARALLEL_SIZE, false);
    assert_true(ranks == NULL || ranks->to == 2);
}

// Nothing is free: no utilization to recommend.
static void nothing_free(void **state)
{
    (void)state;
    make_llama_plan(&plan, R(19, 0));
    plan.gpu_free_stated = true;
    plan.gpu_free_bytes = 0;
    advise();
    assert_false(advice.has_utilization);
}

// Two stages of 8 and 24 layers, asked at 0.02 where the first refuses already: at the recommended utilization the
// second decides, whose graphs weigh 16 x 0.0167 GiB more. What is recommended leaves room for those.
static void another_stage_decides(void **state)
{
    (void)state;
    static struct kvb_budget again;
    for (uint64_t mib = 48000; mib < 56000; mib += 250) {
        make_llama_plan(&plan, R(19, 0));
        set_gpu(&plan, "two stages", mib * MIB, 90);
        set(&plan, KVB_SET_PIPELINE_PARALLEL_SIZE, 2);
        plan.environment.layer_partition_count = 2;
        plan.environment.layer_partition[0] = 8;
        plan.environment.layer_partition[1] = 24;
        set(&plan, KVB_SET_GPU_MEMORY_UTILIZATION, 20000);
        advise();
        assert_true(advice.has_utilization);
        set(&plan, KVB_SET_GPU_MEMORY_UTILIZATION, advice.gpu_memory_utilization_ppm);
        (void)answer_into(&plan, &again);
        assert_true(again.verdict != KVB_DOES_NOT_FIT && again.slack_bytes >= 0);
        set(&plan, KVB_SET_GPU_MEMORY_UTILIZATION, advice.gpu_memory_utilization_ppm + 10000);
        (void)answer_into(&plan, &again);
        assert_true(again.slack_bytes < 0);
    }
}

// A vision model of 72B on 24 GB: every rung is tried alone and together, more than there is room to list.
static void the_list_is_bounded(void **state)
{
    (void)state;
    make_llama_plan(&plan, R(19, 0));
    set_gpu(&plan, "24 GB", 24 * GIB, 89);
    plan.gpu.nvlink = false;
    plan.model.hidden_size = 8192;
    plan.model.vocabulary_size = 152064;
    plan.model.layer_count = 500;
    plan.model.kinds[0].attention.heads = 64;
    plan.model.kinds[0].mlp.intermediate_size = 29568;
    plan.model.encoder = (struct kvb_encoder){.family = KVB_ENCODER_QWEN25_VL,
                                              .layers = 32,
                                              .hidden_size = 1280,
                                              .intermediate_size = 3456,
                                              .patch_size = 14,
                                              .merge_size = 2,
                                              .temporal_patch_size = 2,
                                              .gated = true,
                                              .has_video = true};
    plan.model.extra_count = 1;
    plan.model.extras[0] = (struct kvb_extra){"tower", KVB_ROLE_VISION, KVB_SPLIT_ROWS, 4096, 4096, 32, false};
    set(&plan, KVB_SET_MAX_NUM_SEQS, 1024);
    set(&plan, KVB_SET_MAX_NUM_BATCHED_TOKENS, 65536);
    plan.engine.release = R(20, 0); // graphs are charged, so eager helps a little
    advise();
    assert_int_equal(advice.apply_count, 0);
    assert_true(advice.change_count <= KVB_CHANGES_MAX);
    assert_non_null(change_of(KVB_SET_MM_MAX_PIXELS, false));
    assert_non_null(change_of(KVB_SET_ENABLE_PREFIX_CACHING, false)); // what does nothing is said, too
}

// Two sequences bound the batch by their length (2 x 8192): halving it makes the profile run smaller, so that it is
// no longer listed as useless.
static void half_the_length_may_help(void **state)
{
    (void)state;
    make_llama_plan(&plan, R(19, 0));
    set_gpu(&plan, "16 GB", 16 * GIB, 89);
    plan.gpu.nvlink = false;
    plan.usage = KVB_USAGE_OFFLINE;
    set(&plan, KVB_SET_MAX_NUM_SEQS, 2);
    set(&plan, KVB_SET_MAX_MODEL_LEN, 4096);
    advise();
    assert_true(budget.items[KVB_ITEM_KV_CACHE].bytes < 0);
    for (uint32_t i = 0; i < advice.change_count; i++) {
        assert_true(advice.changes[i].setting != KVB_SET_MAX_MODEL_LEN || advice.changes[i].together);
    }
    unset(&plan, KVB_SET_MAX_NUM_SEQS); // with 256 sequences it does not
    advise();
    const struct kvb_change *half = change_of(KVB_SET_MAX_MODEL_LEN, false);
    // 2,048 tokens of 128 KiB less are needed (32 layers x 2 x 8 heads x 128 x 2 bytes), the cache stays what it is
    assert_true(half != NULL && half->to == 2048 && half->frees_bytes == 2048LL * 131072);
}

KVB_TEST_MAIN(cmocka_unit_test(nothing_free), cmocka_unit_test(another_stage_decides),
              cmocka_unit_test(the_list_is_bounded), cmocka_unit_test(half_the_length_may_help),
              cmocka_unit_test(what_fits_needs_no_change), cmocka_unit_test(each_change_alone),
              cmocka_unit_test(single_changes), cmocka_unit_test(several_together), cmocka_unit_test(last_resort),
              cmocka_unit_test(nothing_helps), cmocka_unit_test(less_is_free), cmocka_unit_test(room_outside),
              cmocka_unit_test(fixed_cache), cmocka_unit_test(impossible_candidates))
