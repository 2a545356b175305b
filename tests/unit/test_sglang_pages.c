// Cells of compressed caches and of drafts, and the pages that backends make of --page-size: worked by hand from the
// released code (sgl-project/sglang).
#include <string.h>

#include "unit/sglang_cells.h"
#include "unit/test.h"

// DeepSeek-V4-Flash: 43 layers, 21 with ratio 4 and 20 with ratio 128, and a module behind them; logged on 8 H20 near
// 0.5.12 ("bytes_per_full_token=15955.85") and on 4 NPUs near 0.5.16 ("bytes_per_full_token=7705.45"). 584 B a
// position: 0.1 x 584 x 43 + 584 x 21/4 + 584 x 20/128 + 132 x 21/4 + 0.1 x 8/128 x 10,240 x 21 = 7,705.45; to 0.5.14
// with the states of ratio 128, 0.1 x 4,096 x 20 = 8,192; at 0.5.12 with a window for the module, 0.1 x 584.
static void compressed_cells(void **state)
{
    (void)state;
    static struct kvb_model model;
    make_v4_flash(&model);
    static const struct {
        uint32_t release;
        uint64_t token_micro;
    } rows[] = {{R(5, 12), 15955850000}, {R(5, 13), 15897450000}, {R(5, 16), 7705450000}};
    for (size_t i = 0; i < sizeof rows / sizeof rows[0]; i++) {
        struct kvb_sgl_setup setup;
        struct kvb_sgl_cell cell;
        make_setup(&setup, &model, rows[i].release, 8);
        setup.window_ratio_ppm = 100000;
        kvb_sgl_cell_of(&setup, 0, 43, &cell);
        assert_int_equal(cell.token_micro, rows[i].token_micro);
    }
}

// Laguna S 2.1 with a DFLASH draft of 8 layers like its own, near 0.5.16: 12 full and 36 window layers of 4,096 B; the
// log's pools hold 185,897 and 148,717 tokens: 49,152 + 0.8 x 147,456 B each, the draft's beside them. From 0.5.18 on
// the draft's own 8 x 4,096 B are counted.
static void block_drafts(void **state)
{
    (void)state;
    static struct kvb_model model, draft;
    static const struct shape shape = {"m", 48, 64, 8, 128, 512, 4, 3, KVB_ATTENTION_SLIDING, 262144};
    static const struct shape small = {"m", 8, 64, 8, 128, 0, 0, 0, KVB_ATTENTION_NONE, 262144};
    make_model(&shape, &model);
    make_model(&small, &draft);
    (void)strcpy(model.architecture, "LagunaForCausalLM");
    static const struct {
        uint32_t release;
        uint64_t bytes;
    } rows[] = {{R(5, 16), 167116}, {R(5, 18), 167116 + 8 * 4096}};
    for (size_t i = 0; i < sizeof rows / sizeof rows[0]; i++) {
        struct kvb_sgl_setup setup;
        make_setup(&setup, &model, rows[i].release, 1);
        setup.draft = KVB_SGL_DRAFT_DFLASH;
        setup.draft_model = &draft;
        setup.draft_layers = 8;
        assert_int_equal(cell_bytes(&setup), rows[i].bytes);
    }
}

// 0.5.10, server_args.py, _handle_attention_backend_compatibility: what each backend makes of --page-size; B200's
// default is TRT-LLM's, "changing page_size from None to 64".
static void pages_of_backends(void **state)
{
    (void)state;
    static struct kvb_model model;
    static const struct shape shape = {"m", 32, 32, 8, 128, 0, 0, 0, KVB_ATTENTION_NONE, 131072};
    static const struct {
        uint32_t release, capability;
        enum kvb_sgl_backend asked, backend;
        uint64_t page, becomes;
        bool hip, latent;
        uint32_t tp;
    } rows[] = {
        {R(5, 10), 100, KVB_SGL_BACKEND_AUTO, KVB_SGL_BACKEND_TRTLLM_MHA, 0, 64, false, false, 1},
        {R(5, 10), 100, KVB_SGL_BACKEND_TRTLLM_MHA, KVB_SGL_BACKEND_TRTLLM_MHA, 16, 16, false, false, 1},
        {R(5, 10), 100, KVB_SGL_BACKEND_TRTLLM_MHA, KVB_SGL_BACKEND_TRTLLM_MHA, 128, 64, false, false, 1},
        {R(5, 18), 100, KVB_SGL_BACKEND_TRTLLM_MHA, KVB_SGL_BACKEND_TRTLLM_MHA, 128, 128, false, false, 1},
        {R(5, 6), 100, KVB_SGL_BACKEND_AUTO, KVB_SGL_BACKEND_FLASHINFER, 0, 0, false, false, 1},
        {R(5, 10), 120, KVB_SGL_BACKEND_AUTO, KVB_SGL_BACKEND_FLASHINFER, 0, 0, false, false, 1},
        {R(5, 10), 90, KVB_SGL_BACKEND_AUTO, KVB_SGL_BACKEND_FA3, 0, 0, false, false, 1},
        {R(5, 10), 90, KVB_SGL_BACKEND_FLASHMLA, KVB_SGL_BACKEND_FLASHMLA, 1, 64, false, true, 8},
        {R(5, 10), 100, KVB_SGL_BACKEND_CUTLASS_MLA, KVB_SGL_BACKEND_CUTLASS_MLA, 64, 128, false, true, 8},
        {R(5, 10), 100, KVB_SGL_BACKEND_TRTLLM_MLA, KVB_SGL_BACKEND_TRTLLM_MLA, 32, 32, false, true, 8},
        // ROCm: AITER for 16 or 128 heads of a latent cache, and for all others with whole keys
        {R(5, 9), 0, KVB_SGL_BACKEND_AUTO, KVB_SGL_BACKEND_AITER, 0, 0, true, true, 8},
        {R(5, 9), 0, KVB_SGL_BACKEND_AUTO, KVB_SGL_BACKEND_TRITON, 0, 0, true, true, 4},
        {R(5, 9), 0, KVB_SGL_BACKEND_AUTO, KVB_SGL_BACKEND_AITER, 0, 0, true, false, 1},
        {R(4, 6), 0, KVB_SGL_BACKEND_AUTO, KVB_SGL_BACKEND_TRITON, 0, 0, true, false, 1},
    };
    for (size_t i = 0; i < sizeof rows / sizeof rows[0]; i++) {
        struct kvb_sgl_setup setup;
        make_model(&shape, &model);
        if (rows[i].latent) {
            make_mla(&model, 61, 0);
        }
        make_setup(&setup, &model, rows[i].release, rows[i].tp);
        setup.cuda = !rows[i].hip;
        setup.hip = rows[i].hip;
        setup.compute_capability = rows[i].capability;
        setup.backend_asked = rows[i].asked;
        assert_int_equal(kvb_sgl_backend_of(&setup), rows[i].backend);
        assert_int_equal(kvb_sgl_page_of(&setup, rows[i].backend, rows[i].page), rows[i].becomes);
    }
}

// The first release that changes --page-size for a backend, and the sizes it leaves: server_args.py at each of the 82
// releases that scripts/sglang-tables names ("only supports a page_size of"). 0.5.14 is the first whose
// --attention-backend fa4 changes it: on data centre Blackwell, not for latent caches nor for drafts with branches.
static void pages_by_release(void **state)
{
    (void)state;
    static const struct {
        enum kvb_sgl_backend backend;
        uint32_t before, since;
        uint64_t asked, becomes;
    } rows[] = {
        {KVB_SGL_BACKEND_FLASHMLA, R(4, 5) + 1, R(4, 5) + 2, 32, 64},
        {KVB_SGL_BACKEND_CUTLASS_MLA, R(4, 6), R(4, 6) + 1, 64, 128},
        {KVB_SGL_BACKEND_TRTLLM_MLA, R(4, 10), R(4, 10) + 1, 16, 64},
        {KVB_SGL_BACKEND_TRTLLM_MLA, R(4, 10), R(4, 10) + 1, 128, 64},
        {KVB_SGL_BACKEND_TRTLLM_MLA, R(4, 10), R(4, 10) + 1, 0, 64},
        {KVB_SGL_BACKEND_TRTLLM_MHA, R(4, 10) + 2, R(5, 0), 8, 64},
        {KVB_SGL_BACKEND_TRTLLM_MHA, R(4, 10) + 2, R(5, 0), 128, 64},
        {KVB_SGL_BACKEND_TRTLLM_MHA, R(4, 10) + 2, R(5, 0), 0, 64},
        {KVB_SGL_BACKEND_TRTLLM_MHA, R(5, 18), R(5, 16), 128, 64}, // 128 is one of them at last
        {KVB_SGL_BACKEND_FA4, R(5, 13), R(5, 14), 64, 128},
    };
    static const struct {
        enum kvb_sgl_backend backend;
        uint32_t release;
        uint64_t tokens;
    } kept[] = {
        {KVB_SGL_BACKEND_FLASHMLA, R(5, 18), 64},    {KVB_SGL_BACKEND_CUTLASS_MLA, R(5, 18), 128},
        {KVB_SGL_BACKEND_TRTLLM_MLA, R(5, 18), 32},  {KVB_SGL_BACKEND_TRTLLM_MLA, R(5, 18), 64},
        {KVB_SGL_BACKEND_TRTLLM_MHA, R(5, 0), 16},   {KVB_SGL_BACKEND_TRTLLM_MHA, R(5, 0), 32},
        {KVB_SGL_BACKEND_TRTLLM_MHA, R(5, 0), 64},   {KVB_SGL_BACKEND_TRTLLM_MHA, R(5, 18), 16},
        {KVB_SGL_BACKEND_TRTLLM_MHA, R(5, 18), 32},  {KVB_SGL_BACKEND_TRTLLM_MHA, R(5, 18), 64},
        {KVB_SGL_BACKEND_TRTLLM_MHA, R(5, 18), 128}, {KVB_SGL_BACKEND_FA4, R(5, 14), 128},
        {KVB_SGL_BACKEND_FLASHINFER, R(5, 18), 48},
    };
    static struct kvb_model model;
    static const struct shape shape = {"m", 32, 32, 8, 128, 0, 0, 0, KVB_ATTENTION_NONE, 131072};
    struct kvb_sgl_setup setup;
    make_model(&shape, &model);
    make_setup(&setup, &model, R(5, 18), 1);
    setup.cuda = true;
    setup.compute_capability = 100;
    for (size_t i = 0; i < sizeof rows / sizeof rows[0]; i++) {
        setup.release = rows[i].before;
        assert_int_equal(kvb_sgl_page_of(&setup, rows[i].backend, rows[i].asked), rows[i].asked);
        setup.release = rows[i].since;
        assert_int_equal(kvb_sgl_page_of(&setup, rows[i].backend, rows[i].asked), rows[i].becomes);
    }
    for (size_t i = 0; i < sizeof kept / sizeof kept[0]; i++) {
        setup.release = kept[i].release;
        assert_int_equal(kvb_sgl_page_of(&setup, kept[i].backend, kept[i].tokens), kept[i].tokens);
    }
    setup.release = R(5, 18); // where FlashAttention 4 takes any
    setup.draft_topk = 1;
    assert_int_equal(kvb_sgl_page_of(&setup, KVB_SGL_BACKEND_FA4, 1), 128);
    setup.draft_topk = 2;
    assert_int_equal(kvb_sgl_page_of(&setup, KVB_SGL_BACKEND_FA4, 1), 1);
    setup.draft_topk = 0;
    setup.compute_capability = 90;
    assert_int_equal(kvb_sgl_page_of(&setup, KVB_SGL_BACKEND_FA4, 1), 1);
    setup.compute_capability = 120;
    assert_int_equal(kvb_sgl_page_of(&setup, KVB_SGL_BACKEND_FA4, 1), 1);
    setup.compute_capability = 103;
    assert_int_equal(kvb_sgl_page_of(&setup, KVB_SGL_BACKEND_FA4, 1), 128);
    make_mla(&model, 61, 0);
    assert_int_equal(kvb_sgl_page_of(&setup, KVB_SGL_BACKEND_FA4, 1), 1);
}

KVB_TEST_MAIN(cmocka_unit_test(compressed_cells), cmocka_unit_test(block_drafts), cmocka_unit_test(pages_of_backends),
              cmocka_unit_test(pages_by_release))
