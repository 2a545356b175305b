// Tokens a block at the bounds of releases: what check_and_update_config of vllm/platforms/cuda.py forces for latents
// up to v0.17.1, and what aligns a hybrid.
#include "unit/plans.h"
#include "unit/test.h"

static struct kvb_plan plan;

// v0.10.0: FlashMLA's 64 on Hopper; v0.10.1: CUTLASS' 128 on 10.0; v0.11.1 keeps multiples; v0.13.0 means all of 10.x;
// v0.15.0: FlashInfer's 32 or multiples of 64 where its heads are of 128, else CUTLASS.
static void forced_blocks(void **state)
{
    (void)state;
    static const struct {
        uint32_t release, capability, nope;
        enum kvb_backend backend;
        uint64_t asked, block;
    } rows[] = {
        {R(10, 0), 100, 128, KVB_BACKEND_AUTO, 0, 16},
        {R(10, 1), 100, 128, KVB_BACKEND_AUTO, 0, 128},
        {R(11, 0), 100, 128, KVB_BACKEND_AUTO, 256, 128},
        {R(11, 1), 100, 128, KVB_BACKEND_AUTO, 256, 256},
        {R(11, 1), 100, 128, KVB_BACKEND_AUTO, 64, 128},
        {R(12, 0), 103, 128, KVB_BACKEND_AUTO, 0, 16},
        {R(13, 0), 103, 128, KVB_BACKEND_AUTO, 0, 128},
        {R(14, 1), 100, 128, KVB_BACKEND_AUTO, 64, 128},
        {R(15, 0), 100, 128, KVB_BACKEND_AUTO, 0, 64},
        {R(15, 0), 100, 128, KVB_BACKEND_AUTO, 32, 32},
        {R(15, 0), 100, 128, KVB_BACKEND_AUTO, 128, 128},
        {R(15, 0), 100, 128, KVB_BACKEND_AUTO, 96, 64},
        {R(15, 0), 100, 192, KVB_BACKEND_AUTO, 0, 128},
        {R(17, 1), 100, 128, KVB_BACKEND_AUTO, 0, 64},
        {R(11, 0), 90, 128, KVB_BACKEND_AUTO, 128, 64},
        {R(11, 1), 90, 128, KVB_BACKEND_AUTO, 128, 128},
        {R(11, 1), 90, 128, KVB_BACKEND_AUTO, 32, 64},
        {R(11, 1), 80, 128, KVB_BACKEND_AUTO, 32, 32},
        {R(12, 0), 120, 128, KVB_BACKEND_AUTO, 0, 16},
        {R(11, 0), 100, 128, KVB_BACKEND_FLASHINFER_MLA, 128, 64},
        {R(11, 0), 100, 128, KVB_BACKEND_FLASHINFER_MLA, 64, 64},
        {R(11, 0), 100, 128, KVB_BACKEND_FLASHINFER_MLA, 32, 32},
        {R(11, 1), 100, 128, KVB_BACKEND_FLASHINFER_MLA, 128, 128},
        {R(11, 1), 90, 128, KVB_BACKEND_TRITON_MLA, 32, 32},
        {R(11, 0), 90, 128, KVB_BACKEND_CUTLASS_MLA, 0, 128},
    };
    for (size_t i = 0; i < sizeof rows / sizeof rows[0]; i++) {
        make_latent_plan(&plan, rows[i].release, 8192, 256);
        plan.environment.use_v1 = KVB_YES;
        plan.gpu.compute_capability = rows[i].capability;
        plan.model.kinds[0].attention.nope_size = rows[i].nope;
        plan.environment.attention_backend = rows[i].backend;
        if (rows[i].asked > 0) {
            set(&plan, KVB_SET_BLOCK_SIZE, rows[i].asked);
        }
        if (resolved(&plan)->block_tokens != rows[i].block) {
            fail_msg("row %zu: blocks of %llu", i, (unsigned long long)resolved(&plan)->block_tokens);
        }
    }
}

// models/config.py v0.11.1 to v0.17.1: FlashInfer's kernels of data-centre Blackwell take no blocks of 16 for heads of
// 256. A state of 2,097,152 + 16,384 B beside tokens of 2 x 256 x 2 x 2 = 2048 B: 1032 tokens, of 16s 1040, of 32s
// 1056.
static void hybrids_of_wide_heads(void **state)
{
    (void)state;
    static const struct {
        uint32_t release, capability, head_size;
        enum kvb_backend backend;
        uint64_t block;
    } rows[] = {{R(14, 0), 100, 256, KVB_BACKEND_AUTO, 1056},       {R(14, 0), 100, 256, KVB_BACKEND_FLASHINFER, 1056},
                {R(14, 0), 100, 256, KVB_BACKEND_FLASH_ATTN, 1040}, {R(14, 0), 90, 256, KVB_BACKEND_AUTO, 1040},
                {R(17, 1), 100, 256, KVB_BACKEND_AUTO, 1056},       {R(18, 0), 100, 256, KVB_BACKEND_AUTO, 1040},
                {R(14, 0), 100, 128, KVB_BACKEND_AUTO, 2064}};
    static const struct shape shape = {"hybrid", 8, 32, 2, 256, 0, 4, 3, KVB_ATTENTION_GDN, 131072};
    for (size_t i = 0; i < sizeof rows / sizeof rows[0]; i++) {
        struct kvb_model model;
        make_llama_plan(&plan, rows[i].release);
        make_model(&shape, &model);
        model.kinds[0].attention.head_size = model.kinds[0].attention.value_head_size = rows[i].head_size;
        model.kinds[1].attention.state_value_heads = 64;
        model.kinds[1].attention.state_key_heads = 0;
        model.kinds[1].attention.state_value_size = 128;
        model.kinds[1].attention.state_key_size = 128;
        model.kinds[1].attention.conv_kernel = 2;
        plan.model = model;
        plan.gpu.compute_capability = rows[i].capability;
        plan.environment.attention_backend = rows[i].backend;
        if (resolved(&plan)->block_tokens != rows[i].block) {
            fail_msg("row %zu: blocks of %llu", i, (unsigned long long)resolved(&plan)->block_tokens);
        }
    }
}

KVB_TEST_MAIN(cmocka_unit_test(forced_blocks), cmocka_unit_test(hybrids_of_wide_heads))
