// Every rung of the ladder, both ways: the values it offers and when it offers none, by hand.
#include <string.h>

#include "engines/vllm/ladder.h"
#include "unit/plans.h"
#include "unit/test.h"

static struct kvb_plan plan;
static struct kvb_budget budget;
static uint64_t values[KVB_CANDIDATES_MAX];

// The rung of a setting whose sentence starts like this; settings may have several.
static uint32_t offer(enum kvb_setting setting, const char *why)
{
    size_t count = 0;
    const struct kvb_rung *rungs = kvb_rungs(&count);
    for (size_t i = 0; i < count; i++) {
        if (rungs[i].setting == setting && strncmp(rungs[i].why, why, strlen(why)) == 0) {
            return rungs[i].candidates(&plan, &budget, values);
        }
    }
    fail_msg("no rung says '%s'", why);
    return 0;
}

// What asks for other hardware or other weights, what is only believed to help, what takes a flag away: all else is a
// setting of the same start.
static void what_each_rung_asks(void **state)
{
    (void)state;
    static const struct {
        const char *why;
        bool last_resort, warns, removes;
    } rows[] = {
        {"the checkpoint's own method", false, false, true}, {"leaves the vision", true, false, false},
        {"8-bit weights made", true, false, false},          {"4-bit weights made", true, false, false},
        {"splits the weights", true, false, false},          {"popular, but", false, true, false},
        {"the cache is what is left", false, true, false},   {"it shares blocks", false, true, false},
    };
    size_t count = 0, found = 0;
    const struct kvb_rung *rungs = kvb_rungs(&count);
    for (size_t i = 0; i < count; i++) {
        size_t at = 0;
        while (at < sizeof rows / sizeof rows[0] && strncmp(rungs[i].why, rows[at].why, strlen(rows[at].why)) != 0) {
            at++;
        }
        bool listed = at < sizeof rows / sizeof rows[0];
        assert_int_equal(rungs[i].last_resort, listed && rows[at].last_resort);
        assert_int_equal(rungs[i].warns, listed && rows[at].warns);
        assert_int_equal(rungs[i].removes, listed && rows[at].removes);
        found += listed;
    }
    assert_int_equal(found, sizeof rows / sizeof rows[0]);
}

static void effective(enum kvb_setting setting, uint64_t number)
{
    budget.settings.values[setting].number = number;
}

// A card of exactly 100 x 10^6 pieces of 1000 B: free 95 of 100, 90 requested, 2 of slack.
static void start(void)
{
    make_llama_plan(&plan, R(19, 0));
    memset(&budget, 0, sizeof budget);
    budget.memory_bytes = 100000000000;
    budget.free_bytes = 95000000000;
    budget.requested_bytes = 90000000000;
    budget.slack_bytes = 2000000000;
    budget.balance_bytes = -500000000;
    effective(KVB_SET_GPU_MEMORY_UTILIZATION, 900000);
}

static const char gives[] = "gives the KV cache";
static const char wants_free[] = "the start-up check";
static const char popular[] = "popular";

// Room up to 92 GB: 0.91 (a little less, as whole hundredths below it are taken); 0.5 GB missing would be 0.90 + 0.005
// + 0.01 = 0.915 -> 0.91, the same.
static void utilization_up(void **state)
{
    (void)state;
    start();
    assert_int_equal(offer(KVB_SET_GPU_MEMORY_UTILIZATION, gives), 1);
    assert_int_equal(values[0], 910000);
    budget.slack_bytes = 4500000000; // up to 94.5: 0.94, and 0.91 as the mildest
    assert_int_equal(offer(KVB_SET_GPU_MEMORY_UTILIZATION, gives), 2);
    assert_int_equal(values[0], 910000);
    assert_int_equal(values[1], 940000);
    budget.balance_bytes = 0; // nothing missing: one step
    assert_int_equal(offer(KVB_SET_GPU_MEMORY_UTILIZATION, gives), 2);
    assert_int_equal(values[0], 910000);
    budget.slack_bytes = 0;
    assert_int_equal(offer(KVB_SET_GPU_MEMORY_UTILIZATION, gives), 0);
    start();
    set(&plan, KVB_SET_KV_CACHE_MEMORY_BYTES, GIB); // utilization is not used then
    assert_int_equal(offer(KVB_SET_GPU_MEMORY_UTILIZATION, gives), 0);
}

// 41 of 100 GB free: 0.40; enough free, nothing free or hardly any memory: none.
static void utilization_down(void **state)
{
    (void)state;
    start();
    assert_int_equal(offer(KVB_SET_GPU_MEMORY_UTILIZATION, wants_free), 0);
    budget.free_bytes = 41000000000;
    assert_int_equal(offer(KVB_SET_GPU_MEMORY_UTILIZATION, wants_free), 1);
    assert_int_equal(values[0], 400000);
    budget.slack_bytes = -60000000000; // room for 30 of them only: the roomier first
    assert_int_equal(offer(KVB_SET_GPU_MEMORY_UTILIZATION, wants_free), 2);
    assert_int_equal(values[0], 290000);
    assert_int_equal(values[1], 400000);
    budget.slack_bytes = -100000000000; // no room at all
    assert_int_equal(offer(KVB_SET_GPU_MEMORY_UTILIZATION, wants_free), 1);
    budget.free_bytes = 0;
    assert_int_equal(offer(KVB_SET_GPU_MEMORY_UTILIZATION, wants_free), 0);
    budget.memory_bytes = 1000;
    assert_int_equal(offer(KVB_SET_GPU_MEMORY_UTILIZATION, wants_free), 0);
}

// The popular one: 0.1 less, when the cache is too small for another reason than free memory.
static void utilization_lower(void **state)
{
    (void)state;
    start();
    assert_int_equal(offer(KVB_SET_GPU_MEMORY_UTILIZATION, popular), 1);
    assert_int_equal(values[0], 800000);
    effective(KVB_SET_GPU_MEMORY_UTILIZATION, 200000);
    assert_int_equal(offer(KVB_SET_GPU_MEMORY_UTILIZATION, popular), 0);
    start();
    budget.balance_bytes = 0;
    assert_int_equal(offer(KVB_SET_GPU_MEMORY_UTILIZATION, popular), 0);
    start();
    budget.free_bytes = 80000000000;
    assert_int_equal(offer(KVB_SET_GPU_MEMORY_UTILIZATION, popular), 0);
}

static void pictures(void **state)
{
    (void)state;
    static const char no_video[] = "the profile run no longer";
    static const char pixels[] = "the vision encoder";
    static const char text_only[] = "leaves the vision";
    start();
    assert_int_equal(offer(KVB_SET_LIMIT_VIDEOS, no_video), 0);
    plan.model.encoder.has_video = true;
    assert_int_equal(offer(KVB_SET_LIMIT_VIDEOS, no_video), 0);
    assert_int_equal(offer(KVB_SET_MM_MAX_PIXELS, pixels), 0);
    assert_int_equal(offer(KVB_SET_LANGUAGE_MODEL_ONLY, text_only), 0);
    for (enum kvb_encoder_family family = KVB_ENCODER_QWEN2_VL; family <= KVB_ENCODER_QWEN3_VL; family++) {
        plan.model.encoder.family = family;
        assert_int_equal(offer(KVB_SET_MM_MAX_PIXELS, pixels), 4);
    }
    assert_int_equal(values[0], 4014080); // 5120 tokens of 28 x 28
    assert_int_equal(offer(KVB_SET_LIMIT_VIDEOS, no_video), 1);
    set(&plan, KVB_SET_LIMIT_VIDEOS, 1);
    assert_int_equal(offer(KVB_SET_LIMIT_VIDEOS, no_video), 1);
    set(&plan, KVB_SET_LIMIT_VIDEOS, 0);
    assert_int_equal(offer(KVB_SET_LIMIT_VIDEOS, no_video), 0);
    set(&plan, KVB_SET_MM_MAX_PIXELS, 1003520);
    assert_int_equal(offer(KVB_SET_MM_MAX_PIXELS, pixels), 1);
    assert_int_equal(values[0], 501760);
    assert_int_equal(offer(KVB_SET_LANGUAGE_MODEL_ONLY, text_only), 1);
    set(&plan, KVB_SET_LANGUAGE_MODEL_ONLY, 1);
    assert_int_equal(offer(KVB_SET_LANGUAGE_MODEL_ONLY, text_only), 0);
    set(&plan, KVB_SET_LANGUAGE_MODEL_ONLY, 0);
    plan.engine.release = R(16, 0); // does not know the flag
    assert_int_equal(offer(KVB_SET_LANGUAGE_MODEL_ONLY, text_only), 0);
}

// Halvings: of 1024 sequences 512 to 16; of 8192 tokens 4096 to the sequences; not below a whole prompt.
static void halvings(void **state)
{
    (void)state;
    start();
    effective(KVB_SET_MAX_NUM_SEQS, 1024);
    assert_int_equal(offer(KVB_SET_MAX_NUM_SEQS, "fewer rows"), 6);
    assert_int_equal(values[0], 512);
    assert_int_equal(values[5], 16);
    effective(KVB_SET_MAX_NUM_BATCHED_TOKENS, 8192);
    effective(KVB_SET_ENABLE_CHUNKED_PREFILL, 1);
    assert_int_equal(offer(KVB_SET_MAX_NUM_BATCHED_TOKENS, "a smaller batch"), 3);
    assert_int_equal(values[2], 1024);
    effective(KVB_SET_ENABLE_CHUNKED_PREFILL, 0);
    effective(KVB_SET_MAX_MODEL_LEN, 4096);
    assert_int_equal(offer(KVB_SET_MAX_NUM_BATCHED_TOKENS, "a smaller batch"), 1);
    effective(KVB_SET_MAX_NUM_SEQS, 1);
    assert_int_equal(offer(KVB_SET_MAX_NUM_SEQS, "fewer rows"), 0);
    effective(KVB_SET_MAX_NUM_SEQS, 1U << 30); // more than there is room for
    assert_int_equal(offer(KVB_SET_MAX_NUM_SEQS, "fewer rows"), KVB_CANDIDATES_MAX);
}

// An fp8 cache needs compute capability 8.0, fp8 weights 8.9; an unknown card may try the cache.
static void eight_bits(void **state)
{
    (void)state;
    static const char cache[] = "halves the bytes";
    static const char weights[] = "8-bit weights";
    static const struct {
        uint32_t capability, cache, weights;
    } rows[] = {{0, 1, 0}, {75, 0, 0}, {80, 1, 0}, {89, 1, 1}, {90, 1, 1}};
    for (size_t i = 0; i < sizeof rows / sizeof rows[0]; i++) {
        start();
        plan.gpu.compute_capability = rows[i].capability;
        assert_int_equal(offer(KVB_SET_KV_CACHE_DTYPE, cache), rows[i].cache);
        assert_int_equal(offer(KVB_SET_QUANTIZATION, weights), rows[i].weights);
    }
    effective(KVB_SET_KV_CACHE_DTYPE, KVB_KV_FP8);
    assert_int_equal(offer(KVB_SET_KV_CACHE_DTYPE, cache), 0);
    set(&plan, KVB_SET_QUANTIZATION, KVB_QUANTIZATION_BITSANDBYTES);
    assert_int_equal(offer(KVB_SET_QUANTIZATION, weights), 0);
    start();
    plan.model.quantisation.method = KVB_QUANT_AWQ;
    assert_int_equal(offer(KVB_SET_QUANTIZATION, weights), 0);
}

static void lengths_and_graphs(void **state)
{
    (void)state;
    static const char fits[] = "one request of this length";
    start();
    effective(KVB_SET_MAX_MODEL_LEN, 8192);
    assert_int_equal(offer(KVB_SET_MAX_MODEL_LEN, fits), 0);
    budget.kv.max_model_len_that_fits = 5000;
    assert_int_equal(offer(KVB_SET_MAX_MODEL_LEN, fits), 1);
    assert_int_equal(values[0], 5000);
    budget.kv.max_model_len_that_fits = 8192;
    assert_int_equal(offer(KVB_SET_MAX_MODEL_LEN, fits), 0);
    assert_int_equal(offer(KVB_SET_ENFORCE_EAGER, "no CUDA graphs"), 1);
    effective(KVB_SET_ENFORCE_EAGER, 1);
    assert_int_equal(offer(KVB_SET_ENFORCE_EAGER, "no CUDA graphs"), 0);
    effective(KVB_SET_TENSOR_PARALLEL_SIZE, 1);
    assert_int_equal(offer(KVB_SET_TENSOR_PARALLEL_SIZE, "splits"), 3);
    assert_int_equal(values[2], 8);
    effective(KVB_SET_TENSOR_PARALLEL_SIZE, 8);
    assert_int_equal(offer(KVB_SET_TENSOR_PARALLEL_SIZE, "splits"), 0);
}

// What people reach for although it does nothing: a shorter length or no prefix caching for a negative cache.
static void popular_and_useless(void **state)
{
    (void)state;
    static const char half[] = "the cache is what is left";
    static const char caching[] = "it shares blocks";
    start();
    effective(KVB_SET_MAX_MODEL_LEN, 8192);
    effective(KVB_SET_ENABLE_CHUNKED_PREFILL, 1);
    effective(KVB_SET_ENABLE_PREFIX_CACHING, 1);
    assert_int_equal(offer(KVB_SET_MAX_MODEL_LEN, half), 1);
    assert_int_equal(values[0], 4096);
    assert_int_equal(offer(KVB_SET_ENABLE_PREFIX_CACHING, caching), 1);
    effective(KVB_SET_ENABLE_PREFIX_CACHING, 0);
    assert_int_equal(offer(KVB_SET_ENABLE_PREFIX_CACHING, caching), 0);
    effective(KVB_SET_ENABLE_CHUNKED_PREFILL, 0); // then the batch follows the length, and it may help
    assert_int_equal(offer(KVB_SET_MAX_MODEL_LEN, half), 0);
    effective(KVB_SET_ENABLE_CHUNKED_PREFILL, 1);
    effective(KVB_SET_MAX_MODEL_LEN, 2047);
    assert_int_equal(offer(KVB_SET_MAX_MODEL_LEN, half), 0);
    budget.items[KVB_ITEM_KV_CACHE].bytes = 1;
    assert_int_equal(offer(KVB_SET_MAX_MODEL_LEN, half), 0);
    assert_int_equal(offer(KVB_SET_ENABLE_PREFIX_CACHING, caching), 0);
}

KVB_TEST_MAIN(cmocka_unit_test(what_each_rung_asks), cmocka_unit_test(utilization_up),
              cmocka_unit_test(utilization_down), cmocka_unit_test(utilization_lower), cmocka_unit_test(pictures),
              cmocka_unit_test(halvings), cmocka_unit_test(eight_bits), cmocka_unit_test(lengths_and_graphs),
              cmocka_unit_test(popular_and_useless))
