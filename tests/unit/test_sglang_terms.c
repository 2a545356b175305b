// What SGLang holds beside weights and pools, by hand from the shapes of a model.
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <string.h>

#include <cmocka.h>

#include "engines/sglang/context.h"
#include "unit/kv_models.h"
#include "unit/test.h"

#define R(minor, patch) KVB_RELEASE(0, minor, patch)
#define MIB (UINT64_C(1) << 20)

static struct kvb_plan plan;
static struct kvb_sgl_context c;

// 32 layers of 4,096 with 32 heads of 128 and 8 of keys, an MLP of 12,288; bfloat16.
static void start(uint32_t release)
{
    static const struct shape shape = {"m", 32, 32, 8, 128, 0, 0, 0, KVB_ATTENTION_NONE, 131072};
    memset(&plan, 0, sizeof plan);
    memset(&c, 0, sizeof c);
    make_model(&shape, &plan.model);
    plan.model.kinds[0].mlp.intermediate_size = 12288;
    c.plan = &plan;
    c.dtype = KVB_DTYPE_BF16;
    c.setup = (struct kvb_sgl_setup){.release = release,
                                     .model = &plan.model,
                                     .tp = 1,
                                     .pp = 1,
                                     .dp = 1,
                                     .context_tokens = 8192,
                                     .element_bytes = 2};
    c.stage_begin[1] = 32;
    c.defaults = (struct kvb_sgl_defaults){.chunk_tokens = 1000};
}

static void expect_pass(uint64_t elements)
{
    struct kvb_estimate pass = kvb_sgl_activation(&c);
    uint64_t bytes = 1000 * elements * 2;
    uint64_t allowed = 1000 * 3 * MIB / 2; // 1.5 MiB a token
    assert_int_equal(pass.bytes, bytes);
    assert_int_equal(pass.low_bytes, bytes / 5);
    assert_int_equal(pass.high_bytes, bytes > allowed ? bytes : allowed);
}

static void widths(void **state)
{
    (void)state;
    struct kvb_mlp_shape *mlp = &plan.model.kinds[0].mlp;
    start(R(5, 12));
    expect_pass(3 * 12288 + 4 * 4096); // gate, up and their product, and four of the hidden size
    c.setup.tp = 4;
    expect_pass(3 * 12288 / 4 + 4 * 4096);
    mlp->intermediate_size = 1024;
    c.setup.tp = 2;
    expect_pass(3 * 4096 / 2 + 4 * 4096); // queries, keys and values of 16 heads
    c.setup.dp_attention = true;
    c.setup.dp = 2; // a group has all heads
    expect_pass(3 * 4096 + 4 * 4096);
    mlp->intermediate_size = 300000; // more than is allowed for
    c.setup.tp = 1;
    expect_pass(3 * 300000 + 4 * 4096);
    // 8 of 128 experts of 1,536, and 8 copies of what goes in
    start(R(5, 12));
    mlp->kind = KVB_MLP_MOE;
    mlp->intermediate_size = 0;
    mlp->experts_per_token = 8;
    mlp->expert_intermediate_size = 1536;
    expect_pass(3 * 8 * 1536 + 8 * 4096 + 4 * 4096);
    c.setup.tp = 2;
    expect_pass(3 * 8 * 1536 / 2 + 8 * 4096 + 4 * 4096);
    mlp->intermediate_size = 768; // beside a shared expert
    expect_pass(3 * 768 / 2 + 3 * 8 * 1536 / 2 + 8 * 4096 + 4 * 4096);
    c.dtype = KVB_DTYPE_FP32;
    assert_int_equal(kvb_sgl_activation(&c).bytes, UINT64_C(1000) * 4 * (3 * 384 + 3 * 8 * 768 + 12 * 4096));
    // the widest of all kinds of layers, wherever it stands
    start(R(5, 12));
    plan.model.kind_count = 2;
    plan.model.kinds[1].mlp.intermediate_size = 20000;
    expect_pass(3 * 20000 + 4 * 4096);
    plan.model.kinds[1].mlp.intermediate_size = 1000;
    expect_pass(3 * 12288 + 4 * 4096);
    plan.model.kind_count = 1;
    plan.model.kinds[1].mlp.intermediate_size = 20000;
    expect_pass(3 * 12288 + 4 * 4096);
}

// server_args.py: --max-prefill-tokens is 16,384 where nobody says otherwise.
static void whole_prompts(void **state)
{
    (void)state;
    start(R(5, 12));
    uint64_t each = UINT64_C(2) * (3 * 12288 + 4 * 4096);
    c.defaults.chunk_tokens = KVB_SGL_OFF;
    assert_int_equal(kvb_sgl_activation(&c).bytes, 16384 * each);
    c.setup.max_prefill_tokens = 1;
    assert_int_equal(kvb_sgl_activation(&c).bytes, each);
    c.defaults.chunk_tokens = 512; // chunks are shorter than what is allowed
    assert_int_equal(kvb_sgl_activation(&c).bytes, 512 * each);
}

// server_args.py, _handle_gpu_memory_settings: 2 MiB for each request of the largest batch, 8 for each prompt length.
static void graphs(void **state)
{
    (void)state;
    static const struct {
        uint64_t batch, prompts;
        bool none;
        enum kvb_sgl_role role;
        uint64_t mib;
    } rows[] = {
        {256, 58, false, KVB_SGL_WHOLE, 2 * 256 + 8 * 58},
        {256, 58, true, KVB_SGL_WHOLE, 8 * 58},
        {256, 58, false, KVB_SGL_PREFILL, 8 * 58},
        {256, 58, false, KVB_SGL_DECODE, 2 * 256 + 8 * 58},
        {256, 0, false, KVB_SGL_WHOLE, 2 * 256},
        {0, 1, false, KVB_SGL_WHOLE, 8},
        {256, 0, true, KVB_SGL_WHOLE, 0},
        {0, 0, false, KVB_SGL_WHOLE, 0},
    };
    for (size_t i = 0; i < sizeof rows / sizeof rows[0]; i++) {
        start(R(5, 12));
        c.defaults.graph_batch = rows[i].batch;
        c.defaults.prefill_sizes = rows[i].prompts;
        c.setup.no_graphs = rows[i].none;
        c.setup.role = rows[i].role;
        struct kvb_estimate taken = kvb_sgl_graphs(&c);
        assert_int_equal(taken.bytes, rows[i].mib * MIB);
        assert_int_equal(taken.low_bytes, rows[i].mib * MIB / 10);
        assert_int_equal(taken.high_bytes, rows[i].mib > 0 ? (2 * rows[i].mib + 3072) * MIB : 0); // as logs have it
    }
}

// mem_cache/memory_pool.py: rows of context_length + 4 tokens of 32 bits, as many more as a draft has, to 0.4.6.post5
// one row beside the requests; workspaces of attention; a pool's tensors in steps of 2 MiB, half of one each.
static void tables(void **state)
{
    (void)state;
    struct kvb_sgl_pool pool = {.requests = 100, .tokens = 1000, .held_bytes = 64000};
    start(R(4, 7));
    struct kvb_estimate taken = kvb_sgl_tables(&c, &pool);
    uint64_t table = 100 * (8192 + 4) * 4;
    assert_int_equal(taken.low_bytes, table);
    assert_int_equal(taken.bytes, table + (384 + 64) * MIB); // keys and values of 32 layers
    assert_int_equal(taken.high_bytes, table + (384 + 128) * MIB);
    c.setup.release = R(4, 6) + 5;
    assert_int_equal(kvb_sgl_tables(&c, &pool).low_bytes, 101 * (8192 + 4) * 4);
    c.setup.release = R(4, 7);
    c.setup.draft = KVB_SGL_DRAFT_EAGLE;
    c.setup.draft_tokens = 6;
    assert_int_equal(kvb_sgl_tables(&c, &pool).low_bytes, 100 * (8192 + 4 + 6) * 4);
    c.setup.draft_tokens_most = 8; // --speculative-adaptive: max_speculative_num_draft_tokens
    assert_int_equal(kvb_sgl_tables(&c, &pool).low_bytes, 100 * (8192 + 4 + 8) * 4);
    c.setup.adaptive = true; // intermediate states of 8 tokens, where the share counts 4 (mamba pools at 0.5.13)
    c.setup.draft_tokens = 4;
    pool.draft_state_bytes = 4000;
    assert_int_equal(kvb_sgl_tables(&c, &pool).low_bytes, 100 * (8192 + 4 + 8) * 4 + 4000);
    c.setup.draft_tokens = 8; // 7 steps: all of it is counted
    assert_int_equal(kvb_sgl_tables(&c, &pool).low_bytes, 100 * (8192 + 4 + 8) * 4);
    c.setup.adaptive = false;
    c.setup.draft = KVB_SGL_DRAFT_NONE;
    pool.extra_tokens = 10; // beyond the share, 64 bytes each
    assert_int_equal(kvb_sgl_tables(&c, &pool).low_bytes, table + 640);
    pool.tokens = 0;
    assert_int_equal(kvb_sgl_tables(&c, &pool).low_bytes, table);
    pool.extra_tokens = 0;
    c.setup.deterministic = true; // layers/attention/flashinfer_backend.py
    plan.model.kinds[0].attention.kind = KVB_ATTENTION_MLA;
    assert_int_equal(kvb_sgl_tables(&c, &pool).bytes, table + (2048 + 32) * MIB); // one tensor a layer
}

// To 0.5.13 a draft is loaded after the pool was sized: its layers keep as many tokens, 2 x 8 x 128 x 2 bytes each.
static void late_drafts(void **state)
{
    (void)state;
    struct kvb_sgl_pool pool = {.tokens = 1000};
    start(R(5, 13));
    plan.model.mtp_layers = 1;
    assert_int_equal(kvb_sgl_late_draft(&c, &pool).high_bytes, 0);
    c.setup.draft = KVB_SGL_DRAFT_NGRAM;
    assert_int_equal(kvb_sgl_late_draft(&c, &pool).high_bytes, 0);
    c.setup.draft = KVB_SGL_DRAFT_EAGLE;
    c.setup.draft_layers = 3;
    uint64_t weights = kvb_sgl_draft_weights(&c);
    struct kvb_estimate taken = kvb_sgl_late_draft(&c, &pool);
    assert_true(weights > 0);
    assert_int_equal(taken.bytes, weights + 3 * 1000 * 4096);
    assert_int_equal(taken.low_bytes, taken.bytes / 2);
    assert_int_equal(taken.high_bytes, taken.bytes + 2048 * MIB);
    c.setup.release = R(5, 14);
    assert_int_equal(kvb_sgl_late_draft(&c, &pool).high_bytes, 0);
}

KVB_TEST_MAIN(cmocka_unit_test(widths), cmocka_unit_test(whole_prompts), cmocka_unit_test(graphs),
              cmocka_unit_test(tables), cmocka_unit_test(late_drafts))
