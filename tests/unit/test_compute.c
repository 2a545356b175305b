// The sum of the terms: stated figures, free memory, other processes, what starts, verdicts and warnings.
#include <string.h>

#include "budget/utilization.h"
#include "engines/vllm/compute.h"
#include "unit/plans.h"
#include "unit/test.h"

static struct kvb_plan plan;
static struct kvb_budget budget;
static const struct kvb_problems *said;

static void answer(void)
{
    said = answer_into(&plan, &budget);
}

static bool says(const char *part)
{
    for (uint32_t i = 0; i < said->count; i++) {
        if (strstr(said->items[i].text, part) != NULL) {
            return true;
        }
    }
    return false;
}

static void state_term(enum kvb_stated term, uint64_t mib)
{
    plan.stated[term] = (struct kvb_stated_term){true, mib * MIB};
}

// A public table: 8192 MiB at 0.70 are 5734.4; 4608 + 350 + 200 + 819 = 5977 are wanted: 242.6 MiB too much.
static void table_of_8_gb(void **state)
{
    (void)state;
    make_llama_plan(&plan, R(19, 0));
    set_gpu(&plan, "8 GB", 8192 * MIB, 0);
    plan.platform = KVB_PLATFORM_WSL2;
    set(&plan, KVB_SET_GPU_MEMORY_UTILIZATION, 700000);
    set(&plan, KVB_SET_MAX_MODEL_LEN, 2048);
    state_term(KVB_STATED_WEIGHTS, 4608);
    state_term(KVB_STATED_ACTIVATION, 350);
    state_term(KVB_STATED_NON_TORCH, 200);
    state_term(KVB_STATED_CUDA_GRAPH, 0);
    state_term(KVB_STATED_KV_NEED, 819);
    answer();
    assert_int_equal(budget.verdict, KVB_DOES_NOT_FIT);
    assert_int_equal((budget.balance_bytes * 10 - (int64_t)MIB / 2) / (int64_t)MIB, -2426);
    assert_int_equal(budget.needed_bytes, 819 * MIB);
    assert_int_equal(budget.items[KVB_ITEM_WEIGHTS].basis, KVB_BASIS_STATED);
    assert_int_equal(budget.items[KVB_ITEM_WEIGHTS].low_bytes, budget.items[KVB_ITEM_WEIGHTS].high_bytes);
    state_term(KVB_STATED_KV_NEED, 576); // 5734 - 5158
    answer();
    assert_int_equal(budget.verdict, KVB_FITS);
}

// Who else holds memory: charged by V1 to 0.9.0 and by V0 0.2.5, 0.3.0 and 0.6.4, as named or as what is missing at
// start.
static void other_processes(void **state)
{
    (void)state;
    static const struct {
        uint32_t release;
        bool charged;
    } rows[] = {{R(2, 4), false}, {R(2, 7), true}, {R(3, 1), false}, {R(6, 3), false}, {R(6, 4), true},
                {R(6, 5), false}, {R(8, 5), true}, {R(9, 0), true},  {R(9, 1), false}, {R(19, 0), false}};
    for (size_t i = 0; i < sizeof rows / sizeof rows[0]; i++) {
        make_llama_plan(&plan, rows[i].release);
        plan.reserve_count = 2;
        plan.reserves[0].bytes = 2 * GIB;
        plan.reserves[1].bytes = GIB;
        answer();
        assert_int_equal(budget.items[KVB_ITEM_OTHER].bytes, rows[i].charged ? 3 * GIB : 0);
        plan.reserve_count = 0;
        plan.gpu_free_stated = true;
        plan.gpu_free_bytes = plan.gpu.memory_bytes - 5 * GIB;
        answer();
        assert_int_equal(budget.items[KVB_ITEM_OTHER].bytes, rows[i].charged ? 5 * GIB : 0);
    }
}

// Free memory: as stated, at most the total; else the total less context and reserves, at least nothing.
static void free_memory(void **state)
{
    (void)state;
    make_llama_plan(&plan, R(19, 0));
    answer();
    assert_int_equal(budget.free_bytes, plan.gpu.memory_bytes - 50 * (GIB / 100)); // 0.51 logged on an H100
    plan.gpu_free_stated = true;
    plan.gpu_free_bytes = 40 * GIB;
    answer();
    assert_int_equal(budget.free_bytes, 40 * GIB);
    assert_false(budget.starts);
    assert_string_equal(budget.error, "Free memory on device cuda:0 (40.0/79.19 GiB) on startup is less than desired "
                                      "GPU memory utilization (0.9, 71.27 GiB). Decrease GPU memory utilization or "
                                      "reduce GPU memory used by other processes.");
    plan.gpu_free_bytes = 200 * GIB;
    answer();
    assert_int_equal(budget.free_bytes, plan.gpu.memory_bytes);
    plan.gpu_free_stated = false;
    plan.reserve_count = 1;
    plan.reserves[0].bytes = 100 * GIB;
    answer();
    assert_int_equal(budget.free_bytes, 0);
    assert_int_equal(kvb_highest_utilization(&budget), 0);
    struct kvb_budget none = {.requested_bytes = GIB, .free_bytes = GIB};
    assert_int_equal(kvb_highest_utilization(&none), 0);
}

// By hand: 20 GiB of the card's 24 are requested and the cache has 4 of them, so 16 are charged. 5 GiB of cache take
// 21 / 24 = 0.875; 6 GiB 22 / 24 = 0.91667, rounded up to 0.9167; 9 GiB 25 / 24 = 1.04167. Of 20 GiB free 5 take 1.05.
static void utilization_for_a_size(void **state)
{
    (void)state;
    struct kvb_budget by_hand = {.memory_bytes = 24 * GIB, .requested_bytes = 20 * GIB};
    by_hand.items[KVB_ITEM_KV_CACHE].bytes = 4 * (int64_t)GIB;
    assert_int_equal(kvb_utilization_for(&by_hand, 5 * GIB), 875000);
    assert_int_equal(kvb_utilization_for(&by_hand, 6 * GIB), 916700);
    assert_int_equal(kvb_utilization_for(&by_hand, 9 * GIB), 1041700);
    assert_int_equal(kvb_utilization_for(&by_hand, UINT64_MAX), 0);
    by_hand.share_of_bytes = 20 * GIB;
    assert_int_equal(kvb_utilization_for(&by_hand, 5 * GIB), 1050000);
    by_hand.settings.values[KVB_SET_KV_CACHE_MEMORY_BYTES] = (struct kvb_setting_value){GIB, 1, KVB_ORIGIN_FLAG};
    assert_int_equal(kvb_utilization_for(&by_hand, 5 * GIB), 0);
    by_hand = (struct kvb_budget){.requested_bytes = GIB};
    assert_int_equal(kvb_utilization_for(&by_hand, GIB), 0);
}

// Nobody checks free memory before 0.9.1.
static void free_check_by_release(void **state)
{
    (void)state;
    make_llama_plan(&plan, R(9, 0));
    plan.gpu_free_stated = true;
    plan.gpu_free_bytes = 60 * GIB;
    answer();
    assert_true(budget.starts);
    plan.engine.release = R(9, 1);
    answer();
    assert_false(budget.starts);
}

// 14.99 GiB of weights do not fit on a T4; 12 GB free take them but not the profile run of a long batch; memory that
// can spill (WSL2, unified) takes both.
static void full_cards(void **state)
{
    (void)state;
    make_llama_plan(&plan, R(19, 0));
    set_gpu(&plan, "small", 12 * GIB, 89);
    answer();
    assert_false(budget.starts);
    assert_non_null(strstr(budget.error, "Failed to load model"));
    assert_true(says("utilization plays no part while weights load"));
    set_gpu(&plan, "small", 16 * GIB, 89);
    set(&plan, KVB_SET_MAX_NUM_BATCHED_TOKENS, 32768);
    answer();
    assert_string_equal(budget.error, "torch.OutOfMemoryError: CUDA out of memory.");
    plan.platform = KVB_PLATFORM_WSL2;
    answer();
    assert_non_null(strstr(budget.error, "No available memory for the cache blocks."));
    plan.platform = KVB_PLATFORM_LINUX;
    plan.gpu.unified_memory = true;
    answer();
    assert_non_null(strstr(budget.error, "No available memory for the cache blocks."));
}

static void refused_batches(void **state)
{
    (void)state;
    make_llama_plan(&plan, R(19, 0));
    set(&plan, KVB_SET_MAX_NUM_BATCHED_TOKENS, 128);
    set(&plan, KVB_SET_MAX_NUM_SEQS, 256);
    answer();
    assert_string_equal(budget.error,
                        "max_num_batched_tokens (128) must be greater than or equal to max_num_seqs (256).");
    make_llama_plan(&plan, R(19, 0));
    set(&plan, KVB_SET_ENABLE_CHUNKED_PREFILL, 0);
    set(&plan, KVB_SET_MAX_NUM_BATCHED_TOKENS, 4096);
    answer();
    assert_non_null(strstr(budget.error, "max_num_batched_tokens (4096) is smaller than max_model_len (8192)."));
    plan.model.pooling = true; // whole prompts of pooling models are not held to it
    set(&plan, KVB_SET_MAX_NUM_SEQS, 256);
    answer();
    assert_true(budget.starts);
}

// Weights: half a per cent of margin, five where the kernel's padding depends on what is installed.
static void margins_of_weights(void **state)
{
    (void)state;
    static const struct {
        enum kvb_quantisation_method method;
        uint32_t part;
    } rows[] = {{KVB_QUANT_NONE, 200}, {KVB_QUANT_MXFP4, 20}, {KVB_QUANT_NVFP4, 20}, {KVB_QUANT_BNB4, 20}};
    for (size_t i = 0; i < sizeof rows / sizeof rows[0]; i++) {
        make_llama_plan(&plan, R(19, 0));
        plan.model.quantisation.method = rows[i].method;
        answer();
        const struct kvb_term *weights = &budget.items[KVB_ITEM_WEIGHTS];
        assert_int_equal(weights->high_bytes - weights->bytes, weights->bytes / rows[i].part);
    }
}

// --kv-cache-memory-bytes: the cache is that, the request the sum of the terms; 0 means not given.
static void fixed_cache(void **state)
{
    (void)state;
    make_llama_plan(&plan, R(19, 0));
    set(&plan, KVB_SET_KV_CACHE_MEMORY_BYTES, 4 * GIB);
    answer();
    assert_int_equal(budget.items[KVB_ITEM_KV_CACHE].bytes, 4 * GIB);
    assert_int_equal(budget.items[KVB_ITEM_KV_CACHE].basis, KVB_BASIS_STATED);
    assert_int_equal(budget.kv.num_blocks, 2048);
    set(&plan, KVB_SET_KV_CACHE_MEMORY_BYTES, 0);
    answer();
    assert_int_equal(budget.items[KVB_ITEM_KV_CACHE].basis, KVB_BASIS_MODELLED);
    assert_int_equal(budget.requested_bytes, 76524237620); // ceil(81088 MiB x 0.9)
}

static void warnings(void **state)
{
    (void)state;
    make_llama_plan(&plan, R(19, 0));
    set(&plan, KVB_SET_GPU_MEMORY_UTILIZATION, 990000);
    plan.environment.use_v1 = KVB_NO;
    answer();
    assert_true(budget.starts && budget.slack_bytes < 0);
    assert_true(says("an out-of-memory error may follow the start"));
    assert_true(says("VLLM_USE_V1=0 has no effect"));
    set(&plan, KVB_SET_MAX_MODEL_LEN, 262144);
    answer();
    assert_false(budget.starts);
    assert_non_null(strstr(budget.error,
                           "User-specified max_model_len (262144) is greater than the derived max_model_len "
                           "(max_position_embeddings=131072"));
    assert_non_null(strstr(budget.error, "VLLM_ALLOW_LONG_MAX_MODEL_LEN=1"));
    plan.engine.release = R(5, 3); // the hint came with 0.5.4, the check with 0.2.7
    answer();
    assert_false(budget.starts);
    assert_null(strstr(budget.error, "VLLM_ALLOW_LONG_MAX_MODEL_LEN=1"));
    plan.engine.release = R(2, 6);
    answer();
    assert_null(strstr(budget.error, "User-specified"));
    plan.engine.release = R(19, 0);
    set(&plan, KVB_SET_KV_CACHE_MEMORY_BYTES, 60ULL << 30); // the cache alone is asked about
    answer();
    assert_true(budget.starts && says("max_model_len (262144) is longer than the model's own maximum (131072)"));
    set(&plan, KVB_SET_KV_CACHE_MEMORY_BYTES, 0);
    plan.environment.allow_long_max_model_len = KVB_YES;
    plan.engine.release = R(9, 0); // has a V0 engine
    answer();
    assert_false(says("longer than the model's own"));
    assert_false(says("VLLM_USE_V1=0"));
    make_llama_plan(&plan, R(13, 0));
    set(&plan, KVB_SET_MAX_MODEL_LEN, KVB_AUTO);
    answer();
    assert_true(says("max_model_len auto exists from vLLM 0.14.0"));
    plan.engine.release = R(14, 0);
    answer();
    assert_false(says("max_model_len auto exists"));
}

// What a platform usually holds is said unless the free memory or the holders are named; a device is known by its name
// or its profile; a card smaller than what WSL2 takes is no reason to subtract below nothing.
static void platforms(void **state)
{
    (void)state;
    static const char part[] = "are usually gone before the engine starts";
    make_llama_plan(&plan, R(19, 0));
    plan.platform = KVB_PLATFORM_WSL2;
    answer();
    assert_true(says(part));
    plan.reserve_count = 1;
    plan.reserves[0].bytes = GIB;
    answer();
    assert_false(says(part));
    plan.reserve_count = 0;
    plan.gpu.memory_bytes = 512 * MIB;
    answer();
    assert_true(says(part));
    assert_false(says("the request leaves less than that"));
    make_llama_plan(&plan, R(19, 0));
    set_gpu(&plan, "a small computer", 119 * GIB, 121);
    plan.gpu.unified_memory = true;
    answer();
    assert_false(says("GB10"));
    (void)strcpy(plan.gpu.id, "gb10");
    answer();
    assert_true(says("GB10: "));
}

// 3 pictures of 16384 tokens as Qwen2.5-VL sees the largest one, or of 1280 as stated, 100 and 200 around them.
static void a_request(void **state)
{
    (void)state;
    make_llama_plan(&plan, R(19, 0));
    plan.model.encoder = (struct kvb_encoder){.family = KVB_ENCODER_QWEN25_VL, .patch_size = 14, .merge_size = 2};
    plan.request = (struct kvb_request){.set = true, .images = 3, .prompt_tokens = 100, .answer_tokens = 200};
    answer();
    assert_int_equal(budget.request_tokens, 3 * 16384 + 300);
    assert_true(says("more than max_model_len (8192)"));
    plan.request.image_tokens = 1280;
    answer();
    assert_int_equal(budget.request_tokens, 3 * 1280 + 300);
    assert_false(says("more than max_model_len"));
    plan.request = (struct kvb_request){.set = true, .prompt_tokens = 8000, .answer_tokens = 192};
    answer();
    assert_false(says("more than max_model_len")); // as many as there may be
    plan.request.answer_tokens = 193;
    answer();
    assert_true(says("8193 tokens, more than max_model_len (8192)"));
}

static int64_t learned(uint32_t item, bool graphs_known)
{
    struct kvb_measured measured = {0};
    struct kvb_calibration calibration;
    static const enum kvb_item known[] = {KVB_ITEM_NON_TORCH, KVB_ITEM_KV_CACHE};
    (void)answer_into(&plan, &budget);
    for (size_t i = 0; i < 2; i++) {
        measured.known[known[i]] = true;
        measured.bytes[known[i]] = budget.items[known[i]].bytes;
    }
    measured.known[KVB_ITEM_ACTIVATION] = graphs_known;
    measured.bytes[KVB_ITEM_ACTIVATION] = budget.items[KVB_ITEM_ACTIVATION].bytes;
    measured.bytes[KVB_ITEM_KV_CACHE] -= (int64_t)GIB;
    assert_int_equal(kvb_calibrate(&plan, &measured, &calibration), KVB_OK);
    return calibration.offset_bytes[item];
}

// A pool 1 GiB smaller than computed: what is not measured has it; when everything is, non-torch does.
static void rest_of_a_measured_pool(void **state)
{
    (void)state;
    make_llama_plan(&plan, R(19, 0));
    assert_int_equal(learned(KVB_ITEM_ACTIVATION, false), GIB);
    assert_int_equal(learned(KVB_ITEM_NON_TORCH, false), 0);
    assert_int_equal(learned(KVB_ITEM_NON_TORCH, true), GIB);
    assert_int_equal(learned(KVB_ITEM_ACTIVATION, true), 0);
}

// An activation of A learnt with an offset of 1 GiB at a reference r: it becomes A + 1 GiB, give or take half a
// hundredth of a GiB and 5 % of |A - r|; what would be less than that ends at nothing.
static void calibrated_terms(void **state)
{
    (void)state;
    const struct kvb_term *activation = &budget.items[KVB_ITEM_ACTIVATION];
    struct kvb_calibration *calibration = &plan.calibration;
    make_llama_plan(&plan, R(19, 0));
    answer();
    int64_t plain = activation->bytes;
    int64_t plain_high = activation->high_bytes;
    calibration->set = true;
    calibration->offset_bytes[KVB_ITEM_ACTIVATION] = (int64_t)GIB;
    answer();
    assert_int_equal(activation->high_bytes, plain_high); // nothing known of it
    calibration->known[KVB_ITEM_ACTIVATION] = true;
    for (int above = 0; above < 2; above++) {
        calibration->reference_bytes[KVB_ITEM_ACTIVATION] = (uint64_t)plain + (above ? GIB : -GIB);
        answer();
        assert_int_equal(activation->bytes, plain + (int64_t)GIB);
        assert_int_equal(activation->high_bytes - activation->bytes, 5368710 + GIB / 20);
        assert_int_equal(activation->bytes - activation->low_bytes, 5368710 + GIB / 20);
    }
    calibration->offset_bytes[KVB_ITEM_ACTIVATION] = -plain - 1;
    answer();
    assert_int_equal(activation->bytes, 0);
    assert_int_equal(activation->low_bytes, 0);
}

static void refused(enum kvb_status status, const char *part)
{
    static struct kvb_problems problems;
    kvb_problems_init(&problems);
    assert_int_equal(kvb_budget_compute(&plan, &budget, &problems), status);
    assert_non_null(strstr(problems.items[0].text, part));
}

// A wish longer than the deployment accepts contradicts it, unless the length is the engine's to choose.
static void impossible_wishes(void **state)
{
    (void)state;
    make_llama_plan(&plan, R(19, 0));
    plan.need.length_tokens = 8193;
    refused(KVB_CONTRADICTION, "--need-len 8193 is longer than max_model_len (8192)");
    set(&plan, KVB_SET_MAX_MODEL_LEN, KVB_AUTO);
    plan.need.length_tokens = 131073;
    answer();
}

// Dimensions whose products no machine holds: weights, the batch, one request's need, the tokens.
static void overflows(void **state)
{
    (void)state;
    static const char text[] = "The sizes in this plan multiply to more than any machine holds";
    make_llama_plan(&plan, R(19, 0));
    plan.model.hidden_size = UINT32_MAX;
    plan.model.vocabulary_size = UINT32_MAX - 63;
    refused(KVB_OVERFLOW, text);
    make_llama_plan(&plan, R(19, 0));
    set(&plan, KVB_SET_MAX_NUM_BATCHED_TOKENS, UINT64_C(1) << 52);
    refused(KVB_OVERFLOW, text);
    make_llama_plan(&plan, R(19, 0));
    set(&plan, KVB_SET_KV_CACHE_MEMORY_BYTES, GIB);
    set(&plan, KVB_SET_MAX_MODEL_LEN, UINT64_C(1) << 52);
    refused(KVB_OVERFLOW, text);
    make_llama_plan(&plan, R(7, 3));
    set(&plan, KVB_SET_NUM_GPU_BLOCKS_OVERRIDE, UINT64_C(1) << 61);
    refused(KVB_OVERFLOW, text);
}

// Blocks that are said are allocated whatever is free (gpu_worker.py determine_available_memory): 2 MiB each of this
// model, 32 layers x 2 x 8 heads x 128 x 2 B x 16 tokens. A card of 79.19 GiB holds 28,672 of them (56 GiB) beside 15
// GiB of weights, and not 33,280 (65 GiB).
static void stated_blocks(void **state)
{
    (void)state;
    static const struct {
        uint64_t blocks;
        bool starts;
    } rows[] = {{33280, false}, {28672, true}};
    for (size_t i = 0; i < sizeof rows / sizeof rows[0]; i++) {
        make_llama_plan(&plan, R(19, 0));
        set(&plan, KVB_SET_NUM_GPU_BLOCKS_OVERRIDE, rows[i].blocks);
        (void)answer_into(&plan, &budget);
        if (budget.starts != rows[i].starts || budget.kv.num_blocks != rows[i].blocks) {
            fail_msg("%llu blocks: %s", (unsigned long long)budget.kv.num_blocks, budget.error);
        }
    }
}

// A cache of exactly what is wanted is enough: 16 requests of 8192 tokens at 128 KiB a token are 16 GiB.
static void a_wish_that_just_fits(void **state)
{
    (void)state;
    for (uint64_t less = 0; less <= 1; less++) {
        make_llama_plan(&plan, R(19, 0));
        set(&plan, KVB_SET_KV_CACHE_MEMORY_BYTES, 16 * GIB - less);
        plan.need = (struct kvb_need){.concurrency_hundredths = 1600};
        answer();
        assert_int_equal(budget.balance_bytes, -(int64_t)less);
        assert_int_equal(budget.verdict, less == 0 ? KVB_FITS : KVB_DOES_NOT_FIT);
    }
}

KVB_TEST_MAIN(cmocka_unit_test(a_wish_that_just_fits), cmocka_unit_test(stated_blocks), cmocka_unit_test(table_of_8_gb),
              cmocka_unit_test(other_processes), cmocka_unit_test(free_memory),
              cmocka_unit_test(utilization_for_a_size), cmocka_unit_test(free_check_by_release),
              cmocka_unit_test(full_cards), cmocka_unit_test(refused_batches), cmocka_unit_test(margins_of_weights),
              cmocka_unit_test(fixed_cache), cmocka_unit_test(warnings), cmocka_unit_test(a_request),
              cmocka_unit_test(platforms), cmocka_unit_test(rest_of_a_measured_pool),
              cmocka_unit_test(calibrated_terms), cmocka_unit_test(impossible_wishes), cmocka_unit_test(overflows))
