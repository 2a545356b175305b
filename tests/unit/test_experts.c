// Scratch of expert layers and the MLA dummy of the profile run, by hand.
#include "engines/vllm/overhead.h"
#include "unit/plans.h"
#include "unit/test.h"

static struct kvb_plan plan;

struct scratch_row {
    const char *what;
    uint32_t release;
    uint64_t tokens, tp;
    bool expert_parallel;
    uint32_t latent;
    uint64_t elements; // 2 B each
};

// Qwen3-30B-A3B: 8 experts a token of width 768, hidden 2048; R = tokens x 8 rows.
// To 0.12: R x max(2 x 768, 2048) + R x 768; from 0.13 R x 2048 + R x max(768, 2048).
static void expert_scratch(void **state)
{
    (void)state;
    static const struct scratch_row rows[] = {
        {"chunk of 32768", R(11, 0), 65536, 1, false, 0, 32768ULL * 8 * (2048 + 768)},
        {"chunk of 16384", R(12, 0), 65536, 1, false, 0, 16384ULL * 8 * (2048 + 768)},
        {"short of a chunk", R(12, 0), 8192, 1, false, 0, 8192ULL * 8 * (2048 + 768)},
        {"two workspaces", R(13, 0), 8192, 1, false, 0, 8192ULL * 8 * (2048 + 2048)},
        {"no chunks", R(19, 0), 65536, 1, false, 0, 65536ULL * 8 * (2048 + 2048)},
        {"half as wide", R(11, 0), 8192, 2, false, 0, 8192ULL * 8 * (2048 + 384)},
        {"whole experts", R(11, 0), 8192, 2, true, 0, 8192ULL * 8 * (2048 + 768)},
        {"latent of 1024", R(19, 0), 8192, 1, false, 1024, 8192ULL * 8 * (1536 + 1024)},
    };
    for (size_t i = 0; i < sizeof rows / sizeof rows[0]; i++) {
        make_llama_plan(&plan, rows[i].release);
        plan.model.hidden_size = 2048;
        plan.model.kinds[0].mlp = (struct kvb_mlp_shape){.kind = KVB_MLP_MOE,
                                                         .experts = 128,
                                                         .experts_per_token = 8,
                                                         .expert_intermediate_size = 768,
                                                         .latent_size = rows[i].latent};
        set(&plan, KVB_SET_TENSOR_PARALLEL_SIZE, rows[i].tp);
        set(&plan, KVB_SET_ENABLE_EXPERT_PARALLEL, rows[i].expert_parallel);
        uint64_t bytes = kvb_expert_scratch(resolved(&plan), &plan.model.kinds[0].mlp, rows[i].tokens);
        if (bytes != 2 * rows[i].elements) {
            fail_msg("%s: %llu bytes", rows[i].what, (unsigned long long)bytes);
        }
    }
    plan.model.quantisation.method = KVB_QUANT_MXFP4;
    assert_int_equal(kvb_expert_scratch(resolved(&plan), &plan.model.kinds[0].mlp, 8192), 0);
}

static struct kvb_activation peak(void)
{
    struct kvb_activation activation;
    kvb_activation_estimate(resolved(&plan), 0, &activation);
    return activation;
}

// From 0.11 N tokens x 16 heads x (128 + 128) x 2 B, N = 65536 at most and seqs x block at least: 0.5 GiB.
static void mla_dummy(void **state)
{
    (void)state;
    static const struct {
        uint32_t release;
        uint64_t length, seqs, tokens;
    } rows[] = {
        {R(10, 2), 8192, 256, 0},       // no dummy yet
        {R(7, 3), 8192, 256, 0},        // V0 neither
        {R(11, 0), 8192, 256, 65536},   // 8 x 8192
        {R(19, 0), 1024, 256, 16384},   // 4 x 256 x 16 above 8 x 1024
        {R(19, 0), 1024, 8192, 131072}, // 8192 x 16 blocks
    };
    for (size_t i = 0; i < sizeof rows / sizeof rows[0]; i++) {
        make_latent_plan(&plan, rows[i].release, rows[i].length, rows[i].seqs);
        assert_int_equal(peak().phase_bytes[KVB_PHASE_MLA], rows[i].tokens * 16 * 256 * 2);
    }
    make_latent_plan(&plan, R(19, 0), 8192, 256); // the sparse index takes another way
    plan.model.kinds[0].attention.index_heads = 64;
    plan.model.kinds[0].attention.index_head_size = 128;
    assert_int_equal(peak().phase_bytes[KVB_PHASE_MLA], 0);
}

KVB_TEST_MAIN(cmocka_unit_test(expert_scratch), cmocka_unit_test(mla_dummy))
