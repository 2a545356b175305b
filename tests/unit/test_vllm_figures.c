// Figures that vLLM's answer says in words: each number stands where its formula or sentence names it, and is that of
// the budget.
#include <stdio.h>
#include <string.h>

#include "engines/vllm/overhead.h"
#include "engines/vllm/overheads.h"
#include "engines/vllm/terms.h"
#include "engines/vllm/unknown.h"
#include "unit/plans.h"
#include "unit/test.h"

static struct kvb_plan plan;
static struct kvb_budget budget, other;

static const struct kvb_step *step(const char *name)
{
    for (uint32_t i = 0; i < budget.step_count; i++) {
        if (strcmp(budget.steps[i].name, name) == 0) {
            return &budget.steps[i];
        }
    }
    fail_msg("no step %s", name);
    return NULL;
}

// Fails unless a sentence of the answer has all of this in it.
static void told(const char *format, double first, double second)
{
    char text[256];
    const struct kvb_problems *problems = answer_into(&plan, &budget);
    (void)snprintf(text, sizeof text, format, first, second);
    for (uint32_t i = 0; i < problems->count; i++) {
        if (strstr(problems->items[i].text, text) != NULL) {
            return;
        }
    }
    fail_msg("nobody says %s", text);
}

static double gib(int64_t bytes)
{
    return (double)bytes / (double)GIB;
}

// ---- Formulas

// Llama-3.1-8B: 0.9 x 81,088 MiB; 128,256 rows are a multiple of 64; hidden tensors of 4,096 numbers of 2 B.
static void numbers_of_formulas(void **state)
{
    (void)state;
    make_llama_plan(&plan, R(19, 0));
    set(&plan, KVB_SET_MAX_NUM_BATCHED_TOKENS, 4096);
    set(&plan, KVB_SET_MAX_NUM_SEQS, 200);
    (void)answer_into(&plan, &budget);
    const int64_t *v = step("requested")->values;
    assert_int_equal(v[0], 81088 * MIB);
    assert_int_equal(v[1], 900000);
    assert_int_equal((v[0] * 9 + 9) / 10, step("requested")->result);
    v = step("sampler phase")->values;
    assert_int_equal(v[0], 4096);
    assert_int_equal(v[1], 200);
    assert_int_equal(v[2], 128256);
    v = step("blocks")->values;
    assert_int_equal(v[0] / v[1], step("blocks")->result);
    assert_int_equal(v[1], 32 * 2 * 8 * 128 * 2 * 16); // of 32 layers, keys and values of 8 heads, 16 tokens
    v = step("tokens")->values;
    assert_int_equal(v[2], 16);
    assert_int_equal(v[3], 8192);
    v = step("concurrency, hundredths")->values;
    assert_int_equal(v[1], 8192 / 16);
    assert_int_equal((200 * v[0] / v[1] + 1) / 2, step("concurrency, hundredths")->result);
    v = step("slack")->values;
    assert_int_equal(v[0] - v[1] - v[2], step("slack")->result);
    assert_int_equal(v[1], budget.requested_bytes);
    set(&plan, KVB_SET_KV_CACHE_MEMORY_BYTES, GIB);
    (void)answer_into(&plan, &budget);
    assert_int_equal(step("requested")->values[0], GIB);
}

// v1/core/kv_cache_utils.py v0.20.1: tokens are the requests that fit times their length.
static void tokens_by_concurrency(void **state)
{
    (void)state;
    make_llama_plan(&plan, R(20, 1));
    (void)answer_into(&plan, &budget);
    const int64_t *v = step("tokens")->values;
    assert_int_equal((int64_t)((double)v[0] / (double)v[1] * (double)v[3]), step("tokens")->result);
}

// ---- Sentences

// 1,048,576 x 64 x 4 B of a rotary table, as 256 MiB that loading gives back.
static void what_loading_gives_back(void **state)
{
    (void)state;
    make_llama_plan(&plan, R(26, 0));
    plan.model.rope_caches[0] = (struct kvb_rope_cache){1048576, 64};
    set(&plan, KVB_SET_ENABLE_SLEEP_MODE, 1);
    told("this release takes 0.25 GiB for the allocator's", 0, 0);
}

static void what_stands_there_while_loading(void **state)
{
    (void)state;
    make_llama_plan(&plan, R(15, 1));
    set_gpu(&plan, "a card", 14 * GIB, 89);
    set(&plan, KVB_SET_QUANTIZATION, KVB_QUANTIZATION_FP8);
    (void)answer_into(&plan, &budget);
    told("%.2f GiB stand on the card at once and %.2f are free: this release puts",
         gib((int64_t)budget.load_peak_bytes), gib((int64_t)budget.free_bytes));
}

// Nor is it told where the 8-bit weights alone find no room.
static void weights_that_never_fit(void **state)
{
    (void)state;
    make_llama_plan(&plan, R(15, 1));
    set_gpu(&plan, "a card", 7 * GIB, 89);
    set(&plan, KVB_SET_QUANTIZATION, KVB_QUANTIZATION_FP8);
    const struct kvb_problems *problems = answer_into(&plan, &budget);
    assert_false(budget.starts);
    for (uint32_t i = 0; i < problems->count; i++) {
        assert_null(strstr(problems->items[i].text, "stand on the card at once"));
    }
}

// A second start has as much more as its pool is larger.
static void what_a_second_start_gains(void **state)
{
    (void)state;
    make_llama_plan(&plan, R(27, 1));
    set_gpu(&plan, "NVIDIA GeForce RTX 4090", 24 * GIB, 89);
    plan.model.vocabulary_size = 151936;
    set(&plan, KVB_SET_MAX_NUM_BATCHED_TOKENS, 2048);
    plan.compile_cache = KVB_COMPILE_WARM;
    (void)answer_into(&plan, &other);
    plan.compile_cache = KVB_COMPILE_UNKNOWN;
    (void)answer_into(&plan, &budget);
    int64_t more = other.items[KVB_ITEM_KV_CACHE].bytes - budget.items[KVB_ITEM_KV_CACHE].bytes;
    assert_true(more > 0);
    told("has %.2f GiB more for the KV cache", gib(more), 0);
}

// ---- Ranges

// Blocks of padded experts (NVFP4, MXFP4) may serve no other; else a sixth of what is given back, either way.
static void what_loading_may_give_back(void **state)
{
    (void)state;
    static const enum kvb_quantisation_method methods[] = {KVB_QUANT_NONE, KVB_QUANT_FP8, KVB_QUANT_MXFP4,
                                                           KVB_QUANT_NVFP4};
    for (size_t i = 0; i < sizeof methods / sizeof methods[0]; i++) {
        struct kvb_stage_terms terms;
        make_llama_plan(&plan, R(26, 0));
        plan.model.rope_caches[0] = (struct kvb_rope_cache){1048576, 64};
        plan.model.quantisation.method = methods[i];
        plan.model.kinds[0].mlp = (struct kvb_mlp_shape){
            .kind = KVB_MLP_MOE, .experts = 8, .experts_per_token = 2, .expert_intermediate_size = 1024};
        set(&plan, KVB_SET_ENABLE_SLEEP_MODE, 1);
        kvb_stage_terms_fill(resolved(&plan), 0, &terms);
        uint64_t bytes = terms.released.bytes, experts = terms.weights.role_bytes[KVB_ROLE_EXPERTS];
        assert_true(bytes > 0 && experts > 0);
        assert_int_equal(terms.released.low_bytes, bytes - bytes / 6);
        assert_int_equal(terms.released.high_bytes - bytes, bytes / 6 + (i >= 2 ? experts : 0));
    }
}

// 0.20.0 raised the share from 0.90 to 0.92, 1.58 GiB of 79.19: the eight minor releases before 0.26 hold that step,
// those before 0.27 do not.
static void steps_of_eight_releases(void **state)
{
    (void)state;
    static const uint64_t step_bytes = 81088 * MIB / 100 * 2;
    make_llama_plan(&plan, R(26, 0));
    unset(&plan, KVB_SET_GPU_MEMORY_UTILIZATION);
    for (size_t i = 0; i < KVB_STATED_KV_NEED; i++) { // so that nothing else differs
        plan.stated[i] = (struct kvb_stated_term){.set = true, .bytes = GIB};
    }
    plan.engine.assumed = true;
    uint64_t with = kvb_release_drift(resolved(&plan));
    plan.engine.release = R(27, 0);
    uint64_t without = kvb_release_drift(resolved(&plan));
    assert_in_range(with, step_bytes - MIB, step_bytes + MIB);
    assert_in_range(without, 0, MIB);
}

// Ranks of early cards meet in the host's memory; a rank alone is like any below 9.0.
static void an_early_card_alone(void **state)
{
    (void)state;
    struct kvb_estimate early, later;
    for (uint64_t tp = 1; tp <= 2; tp++) {
        make_llama_plan(&plan, R(22, 0));
        set(&plan, KVB_SET_DTYPE, KVB_DTYPE_WORD_FP16);
        set(&plan, KVB_SET_TENSOR_PARALLEL_SIZE, tp);
        plan.gpu.nvlink = false;
        set_gpu(&plan, "Tesla T4", 15 * GIB, 75);
        kvb_non_torch_estimate(resolved(&plan), &early);
        set_gpu(&plan, "NVIDIA A10", 22 * GIB, 86);
        kvb_non_torch_estimate(resolved(&plan), &later);
        assert_int_equal(early.bytes > later.bytes, tp > 1);
    }
}

// One rank of each stage from 0.18 on, and what is there before the engine looks, on cards of 9.0 and later or with
// NVLink: rows of overheads.inc.
static void stages_and_contexts(void **state)
{
    (void)state;
    static const struct {
        uint32_t release, capability;
        uint64_t pp;
        bool nvlink;
        enum kvb_overhead growth, before;
    } rows[] = {
        {R(18, 0), 90, 2, false, KVB_OVERHEAD_STAGE_HOPPER_018, KVB_OVERHEAD_BEFORE_LARGE},
        {R(17, 1), 90, 2, false, KVB_OVERHEAD_ONE_HOPPER, KVB_OVERHEAD_BEFORE_LARGE},
        {R(18, 0), 90, 1, false, KVB_OVERHEAD_ONE_HOPPER_018, KVB_OVERHEAD_BEFORE_LARGE},
        {R(18, 0), 89, 2, false, KVB_OVERHEAD_ONE_RANK_018, KVB_OVERHEAD_BEFORE},
        {R(18, 0), 89, 2, true, KVB_OVERHEAD_ONE_RANK_018, KVB_OVERHEAD_BEFORE_LARGE},
    };
    static const uint64_t hundredth = GIB / 100;
    for (size_t i = 0; i < sizeof rows / sizeof rows[0]; i++) {
        struct kvb_estimate growth, before;
        make_llama_plan(&plan, rows[i].release);
        plan.gpu.compute_capability = rows[i].capability;
        plan.gpu.nvlink = rows[i].nvlink;
        set(&plan, KVB_SET_PIPELINE_PARALLEL_SIZE, rows[i].pp);
        kvb_non_torch_estimate(resolved(&plan), &growth);
        assert_int_equal(growth.bytes, (uint64_t)kvb_overhead_of(rows[i].growth)->likely * hundredth);
        assert_int_equal(growth.low_bytes, (uint64_t)kvb_overhead_of(rows[i].growth)->low * hundredth);
        assert_int_equal(growth.high_bytes, (uint64_t)kvb_overhead_of(rows[i].growth)->high * hundredth);
        set(&plan, KVB_SET_PIPELINE_PARALLEL_SIZE, 1);
        kvb_context_estimate(resolved(&plan), &before);
        assert_int_equal(before.bytes, (uint64_t)kvb_overhead_of(rows[i].before)->likely * hundredth);
    }
}

// ---- The longest

static bool starts_at(uint64_t length)
{
    set(&plan, KVB_SET_MAX_MODEL_LEN, length);
    (void)answer_into(&plan, &other);
    return other.starts;
}

// The longest length that is named starts, one token more does not: where pools do not hang on the length, where an
// index gathers keys of forty contexts (sparse_attn_indexer.py v0.20.0), on V0, over stages, and where nothing is left.
static void longest_lengths_start(void **state)
{
    (void)state;
    for (int kind = 0; kind < 5; kind++) {
        make_llama_plan(&plan, kind == 2 ? R(6, 3) : R(20, 0));
        set_gpu(&plan, "a card", (kind == 4 ? 19 : 24) * GIB, 89);
        plan.gpu.nvlink = false;
        set(&plan, KVB_SET_MAX_NUM_SEQS, 64);
        if (kind == 1) {
            make_latent_plan(&plan, R(20, 0), 8192, 64);
            set_gpu(&plan, "a card", 23 * GIB, 90);
            plan.model.kinds[0].attention.index_heads = 64;
            plan.model.kinds[0].attention.index_head_size = 128;
        }
        set(&plan, KVB_SET_PIPELINE_PARALLEL_SIZE, kind == 3 ? 2 : 1);
        (void)answer_into(&plan, &budget);
        uint64_t longest = budget.kv.max_model_len_that_fits, most = plan.model.context_tokens;
        assert_true(longest == 0 || starts_at(longest));
        assert_true(longest == most || !starts_at(longest + 1));
    }
}

// ---- What others hold

// worker.py v0.6.3 _allocate_kv_cache asks nobody: of 71.27 GiB with 55 for the cache none starts beside a neighbour
// who leaves 46.
static void a_cache_beside_a_neighbour(void **state)
{
    (void)state;
    make_llama_plan(&plan, R(6, 3));
    plan.gpu_free_stated = true;
    plan.gpu_free_bytes = 46 * GIB;
    (void)answer_into(&plan, &budget);
    assert_false(budget.starts);
    assert_non_null(strstr(budget.error, "CUDA out of memory"));
    plan.gpu_free_bytes = 78 * GIB;
    (void)answer_into(&plan, &budget);
    assert_true(budget.starts);
}

KVB_TEST_MAIN(cmocka_unit_test(weights_that_never_fit), cmocka_unit_test(stages_and_contexts),
              cmocka_unit_test(longest_lengths_start), cmocka_unit_test(numbers_of_formulas),
              cmocka_unit_test(tokens_by_concurrency), cmocka_unit_test(what_loading_gives_back),
              cmocka_unit_test(what_stands_there_while_loading), cmocka_unit_test(what_a_second_start_gains),
              cmocka_unit_test(what_loading_may_give_back), cmocka_unit_test(steps_of_eight_releases),
              cmocka_unit_test(an_early_card_alone), cmocka_unit_test(a_cache_beside_a_neighbour))
