// Buffers of the model runner, counted by hand.
#include <stdio.h>

#include "engines/vllm/runner.h"
#include "unit/encoders.h"
#include "unit/plans.h"
#include "unit/test.h"

static struct kvb_plan plan;

static void make(uint8_t v2, uint64_t tokens, uint64_t seqs)
{
    make_llama_plan(&plan, R(27, 0));
    plan.environment.use_v2_model_runner = v2;
    set(&plan, KVB_SET_MAX_NUM_BATCHED_TOKENS, tokens);
    set(&plan, KVB_SET_MAX_NUM_SEQS, seqs);
}

static void speculate(enum kvb_speculative method, uint64_t tokens)
{
    set(&plan, KVB_SET_SPECULATIVE_METHOD, method);
    set(&plan, KVB_SET_NUM_SPECULATIVE_TOKENS, tokens);
}

static uint64_t device(void)
{
    return kvb_runner_device_bytes(resolved(&plan));
}

static uint64_t host(void)
{
    return kvb_runner_host_bytes(resolved(&plan));
}

// Embeddings of 8192 tokens x 4096 x 2 B are 64 MiB, a table of 1024 x 8192 / 16 blocks x 4 B 2 MiB; a drafter that is
// a model keeps embeddings and hidden tensors of its own width.
static void runner_v1(void **state)
{
    (void)state;
    static struct kvb_model draft;
    make(KVB_NO, 8192, 1024);
    assert_int_equal(device(), 66 * MIB);
    assert_int_equal(host(), 66 * MIB);
    speculate(KVB_SPECULATIVE_EAGLE, 3);
    assert_int_equal(device(), (66 + 128) * MIB);
    draft = plan.model;
    draft.hidden_size = 2048;
    plan.draft = &draft;
    assert_int_equal(device(), (66 + 64) * MIB);
    plan.draft = NULL;
    speculate(KVB_SPECULATIVE_MTP, 1);
    assert_int_equal(device(), (66 + 128) * MIB);
    speculate(KVB_SPECULATIVE_DRAFT_MODEL, 1);
    assert_int_equal(device(), (66 + 128) * MIB);
    speculate(KVB_SPECULATIVE_NGRAM, 3);
    assert_int_equal(device(), 66 * MIB);
}

// 128,256 counts, a bit of each for the prompt and for the grammar of a row of logits, and 4,481 words of lists.
static void runner_v2(void **state)
{
    (void)state;
    make(KVB_YES, 8192, 1024);
    assert_int_equal(device(), 4ULL * 1024 * (128256 + 2 * 4008 + 4481));
    speculate(KVB_SPECULATIVE_EAGLE, 3);
    assert_int_equal(device(), 4ULL * 1024 * (128256 + 5 * 4008 + 4481) + 64 * MIB);
    make(KVB_YES, 8192, 1024);
    plan.model.pooling = true;
    assert_int_equal(device(), 0);
    plan.model.pooling = false;
    plan.model.encoder = qwen25_vl;
    assert_int_equal(device(), 4ULL * 1024 * (128256 + 2 * 4008 + 4481) + 64 * MIB);
}

// gpu/spec_decode/speculator.py v0.27.1:131: logits of three drafts of 256 sequences over 128,256 entries in 32 bits,
// 375.75 MiB; v0.28.0:137 in the model's 16. Greedy drafts, runner V1 and n-grams keep none.
static void logits_of_sampled_drafts(void **state)
{
    (void)state;
    make(KVB_YES, 8192, 256);
    speculate(KVB_SPECULATIVE_EAGLE, 3);
    uint64_t greedy = device();
    plan.plain_numbers[KVB_PLAIN_DRAFT_SAMPLES] = (struct kvb_plain_value){.set = true, .number = 1};
    assert_int_equal(device() - greedy, 256ULL * 3 * 128256 * 4);
    static struct kvb_model draft;
    draft = plan.model;
    draft.vocabulary_size = 32000;
    plan.draft = &draft;
    assert_int_equal(device() - greedy, 256ULL * 3 * 32000 * 4);
    plan.draft = NULL;
    plan.engine.release = R(28, 0);
    assert_int_equal(device() - greedy, 256ULL * 3 * 128256 * 2);
    plan.environment.use_v2_model_runner = KVB_NO;
    uint64_t first = device();
    plan.plain_numbers[KVB_PLAIN_DRAFT_SAMPLES].set = false;
    assert_int_equal(device(), first);
    make(KVB_YES, 8192, 256);
    uint64_t none = device();
    plan.plain_numbers[KVB_PLAIN_DRAFT_SAMPLES] = (struct kvb_plain_value){.set = true, .number = 1};
    assert_int_equal(device(), none);
}

// All tokens of 1,000 sequences of 8,192: 31.25 MiB, pinned as 32; of a model with pictures positions in three
// dimensions beside them, 93.75 MiB, pinned as 128, and the pixels of four pictures of 65,536 patches of 1,176
// elements: 588 MiB, pinned as 1 GiB. One picture is not copied.
static void pinned_memory(void **state)
{
    (void)state;
    make(KVB_YES, 65536, 1000);
    assert_int_equal(host(), 32 * MIB);
    plan.model.encoder = qwen25_vl;
    assert_int_equal(host(), (32 + 128 + 1024) * MIB);
    make(KVB_YES, 8192, 1000);
    plan.model.encoder = qwen25_vl;
    assert_int_equal(host(), (32 + 128) * MIB);
    make(KVB_NO, 65536, 16); // 512 MiB of embeddings
    plan.model.encoder = qwen25_vl;
    assert_int_equal(host(), (512 + 1024) * MIB + 32 * 1024);
    make(KVB_NO, 40000, 16); // 312.5 MiB of embeddings; 32 KiB of blocks
    assert_int_equal(host(), 512 * MIB + 32 * 1024);
}

// A first start of a GB10 (0.20.0) estimates -0.87 GiB of graphs, all piecewise, and 1 GiB is pinned for its pictures:
// the capture hands it back. Full graphs behind piecewise ones, no graphs, none that are charged: it stays.
static void pinned_items_that_a_capture_returns(void **state)
{
    (void)state;
    static const struct {
        uint32_t release, mode;
        bool eager, returned;
        uint8_t estimate;
    } rows[] = {
        {R(20, 0), KVB_GRAPH_MODE_PIECEWISE, false, true, KVB_UNSET},
        {R(27, 1), KVB_GRAPH_MODE_PIECEWISE, false, true, KVB_UNSET},
        {R(20, 0), KVB_GRAPH_MODE_FULL_AND_PIECEWISE, false, false, KVB_UNSET},
        {R(20, 0), KVB_GRAPH_MODE_FULL_DECODE_ONLY, false, false, KVB_UNSET},
        {R(20, 0), KVB_GRAPH_MODE_PIECEWISE, true, false, KVB_UNSET},
        {R(20, 0), KVB_GRAPH_MODE_PIECEWISE, false, false, KVB_NO},
        {R(19, 0), KVB_GRAPH_MODE_PIECEWISE, false, false, KVB_UNSET},
        {R(19, 0), KVB_GRAPH_MODE_PIECEWISE, false, true, KVB_YES},
    };
    for (size_t i = 0; i < sizeof rows / sizeof rows[0]; i++) {
        make(KVB_NO, 65536, 16);
        plan.engine.release = rows[i].release;
        plan.model.encoder = qwen25_vl;
        plan.environment.estimate_cudagraphs = rows[i].estimate;
        set(&plan, KVB_SET_CUDAGRAPH_MODE, rows[i].mode);
        set(&plan, KVB_SET_ENFORCE_EAGER, rows[i].eager);
        uint64_t items = rows[i].returned ? 0 : 1024 * MIB;
        assert_int_equal(host(), 512 * MIB + 32 * 1024 + items);
    }
}

// A copy of a file takes the next power of two: of 21 GiB in files of 10 GB at most 16 and 8 GiB, in files of 5 GB 8,
// as one file 32. Other loaders, several ranks, cards with memory of their own or of another name (fastsafetensors goes
// by GB10, copier/unified.py is_unified_memory_system) and releases before hold none; piecewise graphs alone give them
// back.
static void files_that_stay_pinned(void **state)
{
    (void)state;
    static const struct {
        uint32_t release, flags;
        uint64_t ranks, mode, weights, low, likely, high; // GiB
        bool shared, other;                               // card
    } rows[] = {
        {R(28, 0), KVB_PLAIN_LOADS_WHOLE_FILES, 1, KVB_GRAPH_MODE_FULL_AND_PIECEWISE, 21, 8, 21, 32, true, false},
        {R(27, 0), KVB_PLAIN_LOADS_WHOLE_FILES, 1, KVB_GRAPH_MODE_FULL_AND_PIECEWISE, 75, 8, 24, 64, true, false},
        {R(28, 0), KVB_PLAIN_LOADS_WHOLE_FILES, 1, KVB_GRAPH_MODE_FULL_AND_PIECEWISE, 5, 5, 5, 8, true, false},
        {R(28, 0), KVB_PLAIN_LOADS_WHOLE_FILES, 1, KVB_GRAPH_MODE_PIECEWISE, 21, 0, 0, 0, true, false},
        {R(28, 0), KVB_PLAIN_LOADS_WHOLE_FILES, 2, KVB_GRAPH_MODE_FULL_AND_PIECEWISE, 21, 0, 0, 0, true, false},
        {R(28, 0), KVB_PLAIN_LOADS_WHOLE_FILES, 1, KVB_GRAPH_MODE_FULL_AND_PIECEWISE, 21, 0, 0, 0, false, false},
        {R(28, 0), KVB_PLAIN_LOADS_WHOLE_FILES, 1, KVB_GRAPH_MODE_FULL_AND_PIECEWISE, 21, 0, 0, 0, true, true},
        {R(26, 0), KVB_PLAIN_LOADS_WHOLE_FILES, 1, KVB_GRAPH_MODE_FULL_AND_PIECEWISE, 21, 0, 0, 0, true, false},
        {R(28, 0), KVB_PLAIN_EPLB, 1, KVB_GRAPH_MODE_FULL_AND_PIECEWISE, 21, 0, 0, 0, true, false},
    };
    for (size_t i = 0; i < sizeof rows / sizeof rows[0]; i++) {
        make(KVB_NO, 8192, 16);
        plan.engine.release = rows[i].release;
        plan.gpu.unified_memory = rows[i].shared;
        (void)snprintf(plan.gpu.name, sizeof plan.gpu.name, "%s", rows[i].other ? "Jetson Thor" : "NVIDIA GB10");
        plan.plain_flags = rows[i].flags;
        set(&plan, KVB_SET_TENSOR_PARALLEL_SIZE, rows[i].ranks);
        set(&plan, KVB_SET_CUDAGRAPH_MODE, rows[i].mode);
        struct kvb_estimate files = kvb_pinned_files(resolved(&plan), rows[i].weights * GIB);
        assert_int_equal(files.low_bytes, rows[i].low * GIB);
        assert_int_equal(files.bytes, rows[i].likely * GIB);
        assert_int_equal(files.high_bytes, rows[i].high * GIB);
    }
}

KVB_TEST_MAIN(cmocka_unit_test(runner_v1), cmocka_unit_test(runner_v2), cmocka_unit_test(logits_of_sampled_drafts),
              cmocka_unit_test(pinned_memory), cmocka_unit_test(pinned_items_that_a_capture_returns),
              cmocka_unit_test(files_that_stay_pinned))
