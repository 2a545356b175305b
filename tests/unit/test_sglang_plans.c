// Plans of SGLang from their serve line on: what settings become, what is stated, held or calibrated, and
// warnings. Expected: python/sglang/srt of sgl-project/sglang at the releases named, or by hand from the plan itself.
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <string.h>

#include <cmocka.h>

#include <kvbudget/units.h>

#include "engines/sglang/context.h"
#include "engines/sglang/engine.h"
#include "engines/sglang/errors.h"
#include "engines/sglang/models.h"
#include "unit/sglang_plan.h"

#define R(minor, patch) KVB_RELEASE(0, minor, patch)
#define GIB (INT64_C(1) << 30)

static int64_t weights(void)
{
    return budget.items[KVB_ITEM_WEIGHTS].bytes;
}

// What is stated takes the place of what is counted.
static void stated(void **state)
{
    (void)state;
    compute("sglang@0.5.12", "h100-sxm", Q3);
    plan.stated[KVB_STATED_NON_TORCH].set = plan.stated[KVB_STATED_WEIGHTS].set = true;
    plan.stated[KVB_STATED_NON_TORCH].bytes = (uint64_t)GIB;
    plan.stated[KVB_STATED_WEIGHTS].bytes = 20 * (uint64_t)GIB;
    plan.stated[KVB_STATED_ACTIVATION].set = plan.stated[KVB_STATED_CUDA_GRAPH].set = true;
    plan.stated[KVB_STATED_CUDA_GRAPH].bytes = 2 * (uint64_t)GIB;
    again();
    assert_int_equal(budget.free_bytes, plan.gpu.memory_bytes - (uint64_t)GIB);
    assert_int_equal(weights(), 20 * GIB);
    assert_int_equal(budget.beside[KVB_BESIDE_ACTIVATION].bytes, 0);
    assert_int_equal(budget.beside[KVB_BESIDE_GRAPHS].bytes, 2 * GIB);
    assert_int_equal(budget.beside[KVB_BESIDE_GRAPHS].basis, KVB_BASIS_STATED);
    plan.stated[KVB_STATED_KV_NEED].set = true;
    plan.stated[KVB_STATED_KV_NEED].bytes = 30 * (uint64_t)GIB;
    again();
    assert_int_equal(budget.needed_bytes, 30 * GIB);
    plan.stated[KVB_STATED_NON_TORCH].bytes = 100 * (uint64_t)GIB; // more than the card has: nothing is free
    again();
    assert_int_equal(budget.free_bytes, 0);
    assert_false(budget.starts);
}

// Others on the card, and what is free of it.
static void held(void **state)
{
    (void)state;
    compute("sglang@0.5.12", "h100-sxm", Q3);
    uint64_t before = budget.free_bytes;
    plan.reserve_count = 1;
    plan.reserves[0].bytes = 3 * (uint64_t)GIB;
    again();
    assert_int_equal(budget.free_bytes, before - 3 * (uint64_t)GIB);
    plan.gpu_free_stated = true;
    plan.gpu_free_bytes = 40 * (uint64_t)GIB;
    again();
    assert_true(budget.free_bytes < 40 * (uint64_t)GIB && budget.free_bytes > 39 * (uint64_t)GIB);
}

// 0.2 GiB that a log's pool lacked at a share of 0.83 were gone before: 0.24 more; weights move by what they were off.
static void calibrated(void **state)
{
    (void)state;
    compute("sglang@0.5.12", "h100-sxm", Q3 "--mem-fraction-static 0.8");
    uint64_t before = budget.free_bytes;
    int64_t loaded = weights();
    plan.calibration.set = true;
    again();
    assert_int_equal(budget.free_bytes, before);
    plan.calibration.known[KVB_ITEM_NON_TORCH] = plan.calibration.known[KVB_ITEM_WEIGHTS] = true;
    plan.calibration.offset_bytes[KVB_ITEM_NON_TORCH] = GIB;
    plan.calibration.offset_bytes[KVB_ITEM_WEIGHTS] = GIB;
    again();
    assert_int_equal(before - budget.free_bytes, GIB * 10 / 8); // a GiB of the pool is 1.25 of what is free
    assert_int_equal(weights(), loaded + GIB);
    set_number(&plan, KVB_SET_GPU_MEMORY_UTILIZATION, 999000); // 999 MiB of the pool are 1,000
    plan.calibration.known[KVB_ITEM_NON_TORCH] = false;
    again();
    before = budget.free_bytes;
    plan.calibration.known[KVB_ITEM_NON_TORCH] = true;
    plan.calibration.offset_bytes[KVB_ITEM_NON_TORCH] = 999 * (GIB / 1024);
    again();
    assert_int_equal(before - budget.free_bytes, 1000 * (GIB / 1024));
    plan.calibration.offset_bytes[KVB_ITEM_NON_TORCH] = -10 * GIB; // no less than nothing
    plan.calibration.offset_bytes[KVB_ITEM_WEIGHTS] = -100 * GIB;
    again();
    assert_int_equal(budget.free_bytes, plan.gpu.memory_bytes);
    assert_int_equal(weights(), 0);
}

static void needs(void **state)
{
    (void)state;
    compute("sglang@0.5.12", "h100-sxm", Q3 "--context-length 8192");
    uint64_t token = budget.kv.bytes_per_token;
    plan.need.length_tokens = 4096;
    again();
    assert_in_range(budget.needed_bytes, 4096 * token, 4096 * (token + 1));
    plan.need.concurrency_hundredths = 200;
    again();
    assert_in_range(budget.needed_bytes, 8192 * token, 8192 * (token + 1));
    plan.need.length_tokens = 0;
    again();
    assert_in_range(budget.needed_bytes, 16384 * token, 16384 * (token + 1));
    plan.need.length_tokens = 8192; // as long as it may be
    again();
    plan.need.length_tokens = 8193;
    assert_int_equal(kvb_budget_compute(&plan, &budget, &problems), KVB_CONTRADICTION);
    assert_non_null(said("--need-len 8193 is longer than context_length (8192): no such request is accepted."));
}

// configs/model_config.py and the sizes no machine holds.
static void too_large(void **state)
{
    (void)state;
    compute("sglang@0.5.12", "h100-sxm", Q3);
    plan.model.kinds[0].attention.head_size = UINT16_MAX;
    plan.model.context_tokens = UINT64_MAX / 4;
    set_number(&plan, KVB_SET_MAX_MODEL_LEN, UINT64_MAX / 4);
    kvb_problems_init(&problems);
    assert_int_equal(kvb_budget_compute(&plan, &budget, &problems), KVB_OVERFLOW);
    compute("sglang@0.5.12", "h100-sxm", Q3);
    plan.model.hidden_size = UINT32_MAX;
    plan.model.vocabulary_size = UINT32_MAX;
    kvb_problems_init(&problems);
    assert_int_equal(kvb_budget_compute(&plan, &budget, &problems), KVB_OVERFLOW);
    assert_non_null(said("multiply to more than any machine holds"));
}

// Hierarchical caches and offloaded weights are the host's.
static void hosts(void **state)
{
    (void)state;
    static const struct {
        const char *line;
        int64_t pools; // in tenths of what the pool holds; 0: 16 * 1e9 bytes, v0.4.10 mem_cache/memory_pool_host.py
    } rows[] = {
        {LLAMA "--enable-hierarchical-cache", 20},
        {LLAMA "--enable-hierarchical-cache --hicache-ratio 1.5", 15},
        {LLAMA "--enable-hierarchical-cache --hicache-size 16", 0},
    };
    for (size_t i = 0; i < sizeof rows / sizeof rows[0]; i++) {
        compute("sglang@0.5.12", "h100-sxm", rows[i].line);
        int64_t host = 0;
        for (uint32_t k = 0; k < budget.part_count; k++) {
            host = strcmp(budget.parts[k].key, "hicache_bytes") == 0 ? budget.parts[k].bytes : host;
        }
        int64_t held_bytes = (int64_t)(budget.kv.tokens * budget.kv.bytes_per_token);
        int64_t wanted = rows[i].pools > 0 ? held_bytes / 10 * rows[i].pools : INT64_C(16000000000);
        assert_in_range(host, wanted - 10000, wanted + 10000);
    }
}

// The stage with the least: 3 stages of 36 layers, the last has the head; all are alike with 4 x 9.
static void stages(void **state)
{
    (void)state;
    compute("sglang@0.5.12", "h100-sxm", Q3 "--pp-size 3");
    assert_true(budget.starts);
    uint64_t of_three = budget.kv.tokens;
    compute("sglang@0.5.12", "h100-sxm", Q3 "--pp-size 5"); // 7 7 7 7 8: distributed/utils.py, get_pp_indices
    assert_true(budget.starts && budget.kv.tokens > of_three);
    compute("sglang@0.5.12", "h100-sxm", Q3 "--pp-size 32"); // 1 x 28 and 2 x 4 of the last
    assert_true(budget.starts);
    compute("sglang@0.5.12", "h100-sxm", "meta-llama/Llama-3.3-70B-Instruct --pp-size 64"); // 48 of one, 16 of two
    assert_true(budget.starts);
    compute("sglang@0.5.12", "h100-sxm", Q3 "--pp-size 37");
    assert_string_equal(budget.error, "36 layers cannot be split over --pp-size 37.");
    assert_true(budget.uncounted);
    resolve("sglang@0.5.12", "h100-sxm", Q3);
    set_number(&plan, KVB_SET_PIPELINE_PARALLEL_SIZE, 0);
    again();
    assert_string_equal(budget.error, "36 layers cannot be split over --pp-size 0.");
    set_number(&plan, KVB_SET_PIPELINE_PARALLEL_SIZE, KVB_STAGES_MAX + 1);
    again();
    assert_true(budget.uncounted);
}

// What is left outside the share must hold tables, graphs and a prefill; cards that spill do not fail.
static void crowded(void **state)
{
    (void)state;
    compute("sglang@0.5.12", "rtx4090", "Qwen/Qwen3-0.6B --mem-fraction-static 0.99");
    assert_false(budget.starts);
    assert_string_equal(budget.error, "Capture cuda graph failed: CUDA out of memory.");
    plan.platform = KVB_PLATFORM_WINDOWS;
    again();
    assert_true(budget.starts);
    assert_non_null(said("may be too little for tables, graphs and a prefill"));
    compute("sglang@0.5.12", "rtx4090", "Qwen/Qwen3-0.6B --mem-fraction-static 0.995 --disable-cuda-graph");
    assert_false(budget.starts);
    assert_string_equal(budget.error, "torch.OutOfMemoryError: CUDA out of memory.");
    // tables grow with the length: the longest that still has room
    compute("sglang@0.5.12", "h100-sxm",
            "meta-llama/Llama-3.2-1B-Instruct --mem-fraction-static 0.975 "
            "--context-length 8192 --cuda-graph-max-bs 4 --chunked-prefill-size 512");
    assert_true(budget.starts);
    assert_in_range(budget.kv.max_model_len_that_fits, 8192, 131071);
}

// A 16-bit checkpoint that is made 8-bit: on Windows it spills.
static void made_smaller(void **state)
{
    (void)state;
    compute("sglang@0.5.12", "rtx4090", "Qwen/Qwen3-14B --quantization fp8 --context-length 4096");
    assert_false(budget.starts);
    plan.platform = KVB_PLATFORM_WINDOWS;
    again();
    assert_true(budget.starts);
    plan.stored_quantised = true; // a checkpoint that is stored so
    plan.platform = KVB_PLATFORM_LINUX;
    again();
    assert_true(budget.starts);
    plan.stored_quantised = false;
    plan.stated[KVB_STATED_WEIGHTS].set = true;
    plan.stated[KVB_STATED_WEIGHTS].bytes = 14 * (uint64_t)GIB;
    again();
    assert_true(budget.starts);
    compute("sglang@0.5.12", "rtx4090", "Qwen/Qwen3-32B");
    assert_string_equal(budget.error, "torch.OutOfMemoryError: CUDA out of memory.");
    compute("sglang@0.5.12", "rtx4090", "Qwen/Qwen3-8B-FP8 --quantization fp8");
    assert_true(budget.starts);
    compute("sglang@0.5.12", "gb10", Q3);
    assert_non_null(said("On unified memory SGLang reads"));
}

// AITER takes 0.85 where more than 8,192 tokens are said: a short length says nothing of a longer one.
static void shares_of_aiter(void **state)
{
    (void)state;
    compute("sglang@0.5.9", "mi300x", LLAMA "--context-length 8192");
    assert_int_equal(budget.kv.max_model_len_that_fits, 8192);
    uint64_t whole = budget.requested_bytes;
    compute("sglang@0.5.9", "mi300x", LLAMA "--context-length 8193");
    assert_in_range(budget.requested_bytes, whole / 100 * 85 - 1000, whole / 100 * 85 + 1000);
    compute("sglang@0.4.6.post5", "mi300x", LLAMA "--attention-backend aiter --context-length 8192");
    assert_true(budget.kv.max_model_len_that_fits > 8192);
    compute("sglang@0.4.7", "mi300x", LLAMA "--attention-backend aiter --context-length 8192");
    assert_int_equal(budget.kv.max_model_len_that_fits, 8192);
    compute("sglang@0.4.7", "mi300x", LLAMA "--attention-backend triton --context-length 8192");
    assert_true(budget.kv.max_model_len_that_fits > 8192);
}

// Kinds of caches: groups, states and windows of one answer.
static void caches_of_kinds(void **state)
{
    (void)state;
    compute("sglang@0.5.12", "h200", HYBRID "--tp-size 2");
    assert_true(budget.starts);
    compute("sglang@0.5.12", "h200", HYBRID "--tp-size 2 --max-mamba-cache-size 6");
    assert_int_equal(budget.kv.max_concurrency_hundredths, 200); // three slots a request
    compute("sglang@0.5.12", "h100-sxm", OSS "--mem-fraction-static 0.1");
    assert_int_equal(budget.kv.tokens, 0);
    // a pool of a draft behind the weights, to 0.5.13
    compute("sglang@0.5.9", "h100-sxm", LLAMA "--speculative-algorithm NGRAM");
    assert_int_equal(budget.beside[KVB_BESIDE_DRAFT].bytes, 0);
    compute("sglang@0.5.9", "h100-sxm",
            Q3 "--speculative-algorithm STANDALONE --speculative-draft-model-path Qwen/Qwen3-0.6B");
    assert_true(budget.beside[KVB_BESIDE_DRAFT].bytes > GIB);
    int64_t beside = weights();
    compute("sglang@0.5.14", "h100-sxm",
            Q3 "--speculative-algorithm STANDALONE --speculative-draft-model-path Qwen/Qwen3-0.6B");
    assert_int_equal(budget.beside[KVB_BESIDE_DRAFT].bytes, 0);
    assert_true(weights() > beside + GIB);
    compute("sglang@0.5.14", "h100-sxm", LLAMA "--speculative-algorithm NGRAM");
    assert_true(budget.starts);
    compute("sglang@0.5.14", "h100-sxm", Q3);
    enum kvb_verdict sure = budget.verdict;
    plan.draft_unknown = true;
    again();
    assert_int_equal(sure, KVB_FITS);
    assert_int_equal(budget.verdict, KVB_TIGHT);
}

// What is said of pools, and what stands beside them.
static void beside_pools(void **state)
{
    (void)state;
    compute("sglang@0.5.12", "h200", V4 "--speculative-algorithm EAGLE");
    assert_non_null(
        said("Counted from the source alone, which no public log confirms: DeepSeek V4's pools beside a draft"));
    compute("sglang@0.5.12", "h200", V4);
    assert_null(said("Counted from the source alone"));
    static const struct {
        const char *engine, *line;
        bool unconfirmed;
    } bounds[] = {
        {"sglang@0.5.8", OSS, true},
        {"sglang@0.5.9", OSS, false},
        {"sglang@0.5.12", HYBRID "--tp-size 4 --speculative-algorithm NEXTN --disable-radix-cache", true},
        {"sglang@0.5.13", HYBRID "--tp-size 4 --speculative-algorithm NEXTN --disable-radix-cache", false},
        {"sglang@0.5.12", HYBRID "--tp-size 4", false},
        {"sglang@0.5.6.post2", Q3 "--speculative-algorithm EAGLE", true},
        {"sglang@0.5.7", Q3 "--speculative-algorithm EAGLE", false},
        {"sglang@0.5.6.post2", Q3, false},
    };
    for (size_t i = 0; i < sizeof bounds / sizeof bounds[0]; i++) {
        compute(bounds[i].engine, "h200", bounds[i].line);
        assert_int_equal(said("Counted from the source alone") != NULL, bounds[i].unconfirmed);
    }
    compute("sglang@0.4.10", "h200", "google/gemma-3-27b-it");
    assert_non_null(said("the split of window layers to 0.5.8"));
    const struct kvb_term *held = &budget.items[KVB_ITEM_KV_CACHE];
    assert_true(held->low_bytes < held->bytes - held->bytes / 20 && held->high_bytes > held->bytes + held->bytes / 20);
    compute("sglang@0.5.9", "h200", HYBRID "--tp-size 4 --speculative-algorithm NEXTN");
    assert_non_null(said("slots of state beside drafts to 0.5.12"));
    compute("sglang@0.5.6", "h200", Q3 "--speculative-algorithm EAGLE");
    assert_non_null(said("the tokens that drafts add to the pool to 0.5.6"));
    compute("sglang@0.5.6", "h200", Q3 "--speculative-algorithm NGRAM"); // adds none
    assert_null(said("Counted from the source alone"));
    compute("sglang@0.4.10", "rtx4090", "google/gemma-3-27b-it"); // no pool, no bound of one
    assert_false(budget.starts);
    compute("sglang@0.5.12", "h100-sxm", Q3 "--max-total-tokens 9000000");
    assert_non_null(said("max_total_tokens=9000000 is larger than the profiled value"));
    compute("sglang@0.5.12", "rtx4090", LLAMA "--max-total-tokens 9000000 --mem-fraction-static 0.5");
    assert_null(said("max_total_tokens=9000000"));
    // symmetric memory, 0.5.9: 4 GiB before the weights
    compute("sglang@0.5.8", "h100-sxm", Q3 "--tp-size 2 --enable-symm-mem");
    uint64_t before = budget.free_bytes;
    compute("sglang@0.5.9", "h100-sxm", Q3 "--tp-size 2 --enable-symm-mem");
    assert_int_equal(before - budget.free_bytes, 4 * GIB);
    // graphs and activations of a role
    compute("sglang@0.5.15", "h100-sxm", Q3 "--disaggregation-mode prefill");
    assert_int_equal(budget.beside[KVB_BESIDE_GRAPHS].bytes, 58 * (INT64_C(8) << 20));
    compute("sglang@0.5.9", "h100-sxm", Q3 "--disable-cuda-graph");
    assert_int_equal(budget.beside[KVB_BESIDE_GRAPHS].bytes, 0);
    compute("sglang@0.5.12", "h100-sxm", Q3 "--chunked-prefill-size -1");
    int64_t usual = budget.beside[KVB_BESIDE_ACTIVATION].bytes; // 16,384 tokens
    compute("sglang@0.5.12", "h100-sxm", Q3 "--chunked-prefill-size -1 --max-prefill-tokens 8192");
    assert_int_equal(budget.beside[KVB_BESIDE_ACTIVATION].bytes, usual / 2);
}

// layers/quantization, lora/mem_pool.py, models: what is loaded.
static void loaded(void **state)
{
    (void)state;
    compute("sglang@0.5.12", "h100-sxm", Q3);
    int64_t plain = weights();
    compute("sglang@0.5.12", "h100-sxm", Q3 "--quantization bitsandbytes");
    assert_true(weights() < plain / 2);
    compute("sglang@0.5.12", "h100-sxm", Q3 "--quantization awq");
    assert_true(weights() < plain / 2);
    compute("sglang@0.5.12", "h100-sxm", Q3 "--quantization gptq");
    assert_true(weights() < plain / 2);
    compute("sglang@0.5.12", "h100-sxm", Q3 "--enable-lora --max-lora-rank 16");
    int64_t slots_of_eight = weights() - plain;
    compute("sglang@0.5.12", "h100-sxm", Q3 "--enable-lora --max-lora-rank 16 --max-loras-per-batch 4");
    assert_in_range(weights() - plain, slots_of_eight / 2 - (64 << 20), slots_of_eight / 2 + (64 << 20));
    compute("sglang@0.5.12", "h100-sxm", Q3 "--enable-lora --max-loras-per-batch 4");
    assert_in_range(weights() - plain, slots_of_eight / 2 - (64 << 20), slots_of_eight / 2 + (64 << 20));
    // a head of its own before 0.4.0, on the last stage alone: 128,256 x 2,048 x 2 B
    compute("sglang@0.4.0", "h100-sxm", "meta-llama/Llama-3.2-1B-Instruct");
    plain = weights();
    compute("sglang@0.3.6", "h100-sxm", "meta-llama/Llama-3.2-1B-Instruct");
    assert_in_range(weights() - plain, 128256 * 2048 * 2 - (4 << 20), 128256 * 2048 * 2 + (4 << 20));
    resolve("sglang@0.3.6", "h100-sxm", "meta-llama/Llama-3.2-1B-Instruct");
    set_number(&plan, KVB_SET_PIPELINE_PARALLEL_SIZE, 2);
    struct kvb_sgl_context c;
    struct kvb_weights first, last;
    kvb_sgl_context_init(&plan, &c);
    kvb_sgl_weights(&c, 0, &first);
    kvb_sgl_weights(&c, 1, &last);
    assert_int_equal(first.role_bytes[KVB_ROLE_HEAD], 0);
    assert_int_equal(last.role_bytes[KVB_ROLE_HEAD], 128256 * 2048 * 2);
    // Triton's layout is Hopper's under CUDA; whole experts are dealt out to ranks
    compute("sglang@0.5.12", "h100-sxm", OSS "--tp-size 2 --ep-size 2");
    kvb_sgl_context_init(&plan, &c);
    assert_int_equal(kvb_sgl_repacked(&c, &budget.weights).bytes, UINT64_C(16) * 2 * 2880 * 1472 / 10 * 55);
    c.setup.cuda = false;
    assert_int_equal(kvb_sgl_repacked(&c, &budget.weights).bytes, 0);
    // tables of angles with sections: as many rows as positions
    compute("sglang@0.5.12", "h100-sxm", "Qwen/Qwen2.5-VL-7B-Instruct");
    assert_true(budget.starts);
    struct kvb_rope_cache *table = &plan.model.rope_caches[0];
    assert_int_equal(plan.model.rope_cache_count, 1);
    assert_int_equal(table->rows, 4 * plan.model.context_tokens);
    int64_t short_table = weights();
    table->rows = plan.model.context_tokens;
    again();
    assert_int_equal(weights(), short_table);
    table->rows = 2 * plan.model.context_tokens; // of other kinds all rows are kept, in 32 bits
    again();
    int64_t rows_of_one = (int64_t)(plan.model.context_tokens * table->width * 4), block = 2 << 20;
    assert_in_range(weights() - short_table, rows_of_one - block, rows_of_one + block);
    plan.model.rope_cache_count = 0;
    table->rows = 4 * plan.model.context_tokens;
    again();
    assert_in_range(short_table - weights(), rows_of_one - block, rows_of_one + block);
    // by a header, by a config, by a guess
    compute("sglang@0.5.12", "h100-sxm", Q3);
    assert_int_equal(budget.items[KVB_ITEM_WEIGHTS].basis, KVB_BASIS_CONFIG);
    plan.model.assumed_low_ppm = plan.model.assumed_high_ppm = 20000;
    again();
    assert_int_equal(budget.items[KVB_ITEM_WEIGHTS].basis, KVB_BASIS_ASSUMED);
    plan.model.assumed_high_ppm = 0;
    plan.model.checkpoint.parameters = 8190735360;
    plan.model.checkpoint.kind = KVB_CHECKPOINT_INDEX; // the total of an index, whole for 16-bit files
    again();
    assert_int_equal(budget.items[KVB_ITEM_WEIGHTS].basis, KVB_BASIS_CHECKPOINT);
}

// Asked by sweeps and by what counts neighbours: quiet, and with less memory than is gone.
static void seat(void **state)
{
    (void)state;
    resolve("sglang@0.5.12", "h100-sxm", Q3);
    assert_int_equal(kvb_sglang_engine.request(&plan, 1000, 900000), 0);
    struct kvb_neighbourhood beside;
    assert_int_equal(kvb_sglang_engine.neighbourhood(&plan, &beside, &problems), KVB_OK);
    uint64_t gone = beside.outside.bytes, whole = 80 * GIB - gone; // (80 GiB - gone) x share
    assert_true(gone > GIB / 2 && gone % 8 == 0);
    assert_int_equal(beside.charge, KVB_CHARGE_FREE);
    assert_int_equal(beside.ranks, 1);
    assert_int_equal(kvb_sglang_engine.request(&plan, 80 * GIB, 1000000), whole);
    assert_int_equal(kvb_sglang_engine.request(&plan, 80 * GIB, 500000), whole / 2);
    assert_int_equal(kvb_sglang_engine.request(&plan, 80 * GIB, 875000), whole / 8 * 7);
    assert_int_equal(kvb_sglang_engine.request(&plan, 80 * GIB, 0), 0);
    assert_int_equal(kvb_sglang_engine.request(&plan, gone, 900000), 0);
    assert_int_equal(kvb_sglang_engine.request(&plan, gone + 8, 500000), 4);
    set_number(&plan, KVB_SET_TENSOR_PARALLEL_SIZE, 4);
    set_number(&plan, KVB_SET_PIPELINE_PARALLEL_SIZE, 2);
    assert_int_equal(kvb_sglang_engine.neighbourhood(&plan, &beside, &problems), KVB_OK);
    assert_int_equal(beside.ranks, 8);
    resolve("sglang@0.5.12", "h100-sxm", Q3);
    assert_int_equal(kvb_sglang_engine.compute(&plan, &budget, &problems, true), KVB_OK);
    assert_int_equal(budget.step_count, 0);
    assert_int_equal(budget.parameters, 0);
    plan.model.checkpoint.parameters = 12345;
    again();
    assert_int_equal(budget.parameters, 12345);
    // the reserve of a start without chunks names none
    compute("sglang@0.5.12", "h100-sxm", Q3 "--chunked-prefill-size -1");
    assert_true(budget.step_count > 0);
}

KVB_TEST_MAIN(cmocka_unit_test(stated), cmocka_unit_test(held), cmocka_unit_test(calibrated), cmocka_unit_test(needs),
              cmocka_unit_test(too_large), cmocka_unit_test(hosts), cmocka_unit_test(stages), cmocka_unit_test(crowded),
              cmocka_unit_test(shares_of_aiter), cmocka_unit_test(made_smaller), cmocka_unit_test(beside_pools),
              cmocka_unit_test(caches_of_kinds), cmocka_unit_test(loaded), cmocka_unit_test(seat))
