// The start-up errors of every era, word for word as vllm/v1/core/kv_cache_utils.py, v1/worker/utils.py and
// worker/worker.py of the release named print them.
#include "engines/vllm/errors.h"
#include "unit/plans.h"
#include "unit/test.h"

static struct kvb_plan plan;
static char text[KVB_ERROR_TEXT_CAPACITY];

struct need_row {
    uint32_t release;
    uint64_t estimate;
    const char *text;
};

// 16 GiB needed for 131072 tokens, 4.5 GiB there.
static void too_long(void **state)
{
    (void)state;
    static const struct need_row rows[] = {
        {R(8, 2), 36864,
         "To serve at least one request with the models's max seq len (131072), (16.00 GB KV cache is needed, which is "
         "larger than the available KV cache memory (4.50 GB). Try increasing `gpu_memory_utilization` or decreasing "
         "`max_model_len` when initializing the engine."},
        {R(8, 3), 36864,
         "To serve at least one request with the models's max seq len (131072), (16.00 GiB KV cache is needed, which "
         "is "
         "larger than the available KV cache memory (4.50 GiB). Try increasing `gpu_memory_utilization` or decreasing "
         "`max_model_len` when initializing the engine."},
        {R(8, 5), 36864,
         "To serve at least one request with the models's max seq len (131072), (16.00 GiB KV cache is needed, which "
         "is "
         "larger than the available KV cache memory (4.50 GiB). Based on the available memory,  Try increasing "
         "`gpu_memory_utilization` or decreasing `max_model_len` when initializing the engine."},
        {R(9, 1), 36864,
         "To serve at least one request with the models's max seq len (131072), (16.00 GiB KV cache is needed, which "
         "is "
         "larger than the available KV cache memory (4.50 GiB). Based on the available memory, the estimated maximum "
         "model length is 36864. Try increasing `gpu_memory_utilization` or decreasing `max_model_len` when "
         "initializing the engine."},
        {R(9, 1), 0,
         "To serve at least one request with the models's max seq len (131072), (16.00 GiB KV cache is needed, which "
         "is "
         "larger than the available KV cache memory (4.50 GiB).  Try increasing `gpu_memory_utilization` or decreasing "
         "`max_model_len` when initializing the engine."},
        {R(14, 0), 36864,
         "To serve at least one request with the models's max seq len (131072), (16.0 GiB KV cache is needed, which is "
         "larger than the available KV cache memory (4.5 GiB). Based on the available memory, the estimated maximum "
         "model length is 36864. Try increasing `gpu_memory_utilization` or decreasing `max_model_len` when "
         "initializing the engine. See https://docs.vllm.ai/en/latest/configuration/conserving_memory/ for more "
         "details."},
        {R(22, 0), 36864,
         "To serve at least one request with the model's max seq len (131072), (16.0 GiB KV cache is needed, which is "
         "larger than the available KV cache memory (4.5 GiB). Based on the available memory, the estimated maximum "
         "model length is 36864. Try increasing `gpu_memory_utilization` (which also controls CPU memory on the CPU "
         "backend) or decreasing `max_model_len` when initializing the engine. See "
         "https://docs.vllm.ai/en/latest/configuration/conserving_memory/ for more details."},
    };
    for (size_t i = 0; i < sizeof rows / sizeof rows[0]; i++) {
        make_llama_plan(&plan, rows[i].release);
        set(&plan, KVB_SET_MAX_MODEL_LEN, 131072);
        kvb_error_too_long(resolved(&plan), 16 * GIB, (int64_t)(9 * GIB / 2), rows[i].estimate, text);
        assert_string_equal(text, rows[i].text);
    }
}

static void no_memory(void **state)
{
    (void)state;
    static const struct {
        uint32_t release;
        const char *text;
    } rows[] = {
        {R(7, 3), "No available memory for the cache blocks. Try increasing `gpu_memory_utilization` when initializing "
                  "the engine."},
        {R(13, 0),
         "No available memory for the cache blocks. Try increasing `gpu_memory_utilization` when initializing "
         "the engine. See https://docs.vllm.ai/en/latest/configuration/conserving_memory/ for more details."},
        {R(22, 0),
         "No available memory for the cache blocks. Try increasing `gpu_memory_utilization` when initializing the "
         "engine (this flag also controls CPU memory reservation on the CPU backend, despite its name). See "
         "https://docs.vllm.ai/en/latest/configuration/conserving_memory/ for more details."},
    };
    for (size_t i = 0; i < sizeof rows / sizeof rows[0]; i++) {
        make_llama_plan(&plan, rows[i].release);
        kvb_error_no_memory(resolved(&plan), text);
        assert_string_equal(text, rows[i].text);
    }
}

// 41.19 of 79.25 GiB free at 0.9: the device is named from 0.14 on.
static void not_free(void **state)
{
    (void)state;
    for (int named = 0; named < 2; named++) {
        make_llama_plan(&plan, named ? R(14, 0) : R(11, 0));
        struct kvb_context context = *resolved(&plan);
        context.free_bytes = 44231229440;                // 41.19 GiB
        context.memory_bytes = 85094039552;              // 79.25
        kvb_error_not_free(&context, 76584635597, text); // 71.33
        assert_string_equal(
            text, named ? "Free memory on device cuda:0 (41.19/79.25 GiB) on startup is less than desired GPU memory "
                          "utilization (0.9, 71.33 GiB). Decrease GPU memory utilization or reduce GPU memory used by "
                          "other processes."
                        : "Free memory on device (41.19/79.25 GiB) on startup is less than desired GPU memory "
                          "utilization (0.9, 71.33 GiB). Decrease GPU memory utilization or reduce GPU memory used by "
                          "other processes.");
    }
}

static void batches(void **state)
{
    (void)state;
    make_llama_plan(&plan, R(19, 0));
    struct kvb_context context = *resolved(&plan);
    context.max_num_batched_tokens = 128;
    context.max_num_seqs = 256;
    context.max_model_len = 8192;
    kvb_error_few_tokens(&context, text);
    assert_string_equal(text, "max_num_batched_tokens (128) must be greater than or equal to max_num_seqs (256).");
    kvb_error_short_batch(&context, text);
    assert_string_equal(text, "max_num_batched_tokens (128) is smaller than max_model_len (8192). This effectively "
                              "limits the maximum sequence length to max_num_batched_tokens and makes vLLM reject "
                              "longer sequences. Please increase max_num_batched_tokens or decrease max_model_len.");
    kvb_error_no_auto_fit(text);
    assert_string_equal(text, "Cannot auto-fit max_model_len: not enough GPU memory available to serve even a single "
                              "token. Try increasing `gpu_memory_utilization`.");
}

// The name of torch's exception lost its "cuda" with torch 2.5; a failed load is explained from 0.13.
static void full_cards(void **state)
{
    (void)state;
    make_llama_plan(&plan, R(6, 3));
    kvb_error_profile(resolved(&plan), text);
    assert_string_equal(text, "torch.cuda.OutOfMemoryError: CUDA out of memory.");
    make_llama_plan(&plan, R(9, 2));
    plan.environment.use_v1 = KVB_NO;
    kvb_error_load(resolved(&plan), text);
    assert_string_equal(text, "torch.OutOfMemoryError: CUDA out of memory.");
    make_llama_plan(&plan, R(13, 0));
    kvb_error_load(resolved(&plan), text);
    assert_memory_equal(text, "Failed to load model - not enough GPU memory.", 45);
}

// A text longer than the room for it is cut and ended.
static void a_long_text_is_cut(void **state)
{
    (void)state;
    static char long_text[3 * KVB_ERROR_TEXT_CAPACITY];
    memset(long_text, 'x', sizeof long_text - 1);
    kvb_error_text(long_text, text);
    assert_int_equal(strlen(text), KVB_ERROR_TEXT_CAPACITY - 1);
}

KVB_TEST_MAIN(cmocka_unit_test(too_long), cmocka_unit_test(no_memory), cmocka_unit_test(not_free),
              cmocka_unit_test(batches), cmocka_unit_test(full_cards), cmocka_unit_test(a_long_text_is_cut))
