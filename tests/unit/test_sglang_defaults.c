// What server_args.py itself makes of a card's memory and a few arguments, release by release: the module of each of
// the 82 releases named by scripts/sglang-tables was run with stand-ins for its imports, and every one of them is asked
// here. Prefills and batches of 0 were whole prompts and no figure of that module; where a fraction is multiplied
// later, in model_runner.py (towers before 0.4.9), nothing is said; a share below nothing counts as none.
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

#include "engines/sglang/setup.h"
#include "unit/kv_models.h"
#include "unit/sglang_releases.h"
#include "unit/test.h"

enum kind {
    PLAIN,
    STAGES, // two
    GROUPS, // of data-parallel attention, as many as ranks
    EAGLE,
    STANDALONE,
    NGRAM,
    WHOLE, // --chunked-prefill-size -1
    TOWER, // num_hidden_layers 32, hidden_size 1280
    DEPTH, // the same, called depth
    LATENT,
    PREFILL,
    DECODE,
    SMALL_CHUNK, // 512
    LARGE_CHUNK, // 16384
    BATCH_64     // --cuda-graph-max-bs 64
};

#define CHANGES_MAX 11
static const struct {
    enum kind kind;
    uint32_t card_mib, tp;
    struct {
        uint32_t since, thousandths, chunk, batch;
    } changes[CHANGES_MAX];
} rows[] = {
    {PLAIN,
     16376,
     1,
     {{R(4, 0), 880, 2048, 8}, {R(4, 7) + 1, 819, 2048, 8}, {R(5, 3), 772, 2048, 8}, {R(5, 10), 752, 2048, 8}}},
    {PLAIN,
     24564,
     1,
     {{R(4, 0), 880, 2048, 8},
      {R(4, 7) + 1, 879, 2048, 8},
      {R(5, 3), 848, 2048, 16},
      {R(5, 4) + 1, 847, 2048, 24},
      {R(5, 10), 833, 2048, 24}}},
    {PLAIN,
     24564,
     4,
     {{R(4, 0), 850, 2048, 8},
      {R(4, 0) + 1, 850, 2048, 80},
      {R(4, 7) + 1, 867, 2048, 80},
      {R(5, 3), 827, 2048, 80},
      {R(5, 10), 813, 2048, 80}}},
    {PLAIN,
     46068,
     1,
     {{R(4, 0), 880, 8192, 160},
      {R(4, 5) + 3, 880, 8192, 0},
      {R(4, 7) + 1, 778, 8192, 0},
      {R(5, 3), 851, 4096, 32},
      {R(5, 10), 843, 4096, 32}}},
    {PLAIN,
     46068,
     4,
     {{R(4, 0), 850, 8192, 160},
      {R(4, 5) + 3, 850, 8192, 0},
      {R(4, 7) + 1, 744, 8192, 0},
      {R(5, 3), 837, 4096, 160},
      {R(5, 10), 829, 4096, 160}}},
    {PLAIN,
     81559,
     1,
     {{R(4, 0), 880, 8192, 160},
      {R(4, 5) + 3, 880, 8192, 0},
      {R(4, 7) + 1, 874, 8192, 0},
      {R(5, 3), 835, 8192, 256},
      {R(5, 10), 830, 8192, 256}}},
    {PLAIN,
     81559,
     8,
     {{R(4, 0), 810, 8192, 160},
      {R(4, 5) + 3, 810, 8192, 0},
      {R(4, 7) + 1, 831, 8192, 0},
      {R(5, 3), 818, 8192, 512},
      {R(5, 10), 812, 8192, 512}}},
    {PLAIN,
     143771,
     1,
     {{R(4, 0), 880, 8192, 160},
      {R(4, 5) + 3, 907, 8192, 0},
      {R(4, 6) + 2, 872, 8192, 0},
      {R(4, 7) + 1, 911, 8192, 0},
      {R(5, 3), 907, 8192, 256},
      {R(5, 10), 903, 8192, 256}}},
    {PLAIN,
     143771,
     8,
     {{R(4, 0), 810, 8192, 160},
      {R(4, 5) + 3, 907, 8192, 0},
      {R(4, 6) + 2, 872, 8192, 0},
      {R(4, 7) + 1, 886, 8192, 0},
      {R(5, 3), 897, 8192, 512},
      {R(5, 10), 893, 8192, 512}}},
    {PLAIN,
     183359,
     4,
     {{R(4, 0), 850, 8192, 160},
      {R(4, 5) + 3, 927, 8192, 0},
      {R(4, 6) + 2, 899, 8192, 0},
      {R(4, 7), 790, 16384, 0},
      {R(4, 7) + 1, 821, 16384, 0},
      {R(5, 3), 855, 16384, 512},
      {R(5, 10), 852, 16384, 512}}},
    {STAGES,
     24564,
     1,
     {{R(4, 6) + 2, 870, 2048, 8},
      {R(4, 7) + 1, 875, 2048, 8},
      {R(5, 3), 842, 2048, 16},
      {R(5, 4) + 1, 842, 2048, 24},
      {R(5, 15), 828, 2048, 24}}},
    {STAGES,
     81559,
     1,
     {{R(4, 6) + 2, 870, 8192, 0}, {R(4, 7) + 1, 868, 8192, 0}, {R(5, 3), 834, 8192, 256}, {R(5, 15), 828, 8192, 256}}},
    {STAGES,
     143771,
     8,
     {{R(4, 6) + 2, 872, 8192, 0}, {R(4, 7) + 1, 858, 8192, 0}, {R(5, 3), 890, 8192, 512}, {R(5, 15), 886, 8192, 512}}},
    {GROUPS,
     143771,
     8,
     {{R(4, 0), 810, 4096, 96},
      {R(4, 0) + 2, 810, 4096, 160},
      {R(4, 4) + 1, 810, 1024, 160},
      {R(4, 5) + 3, 907, 1024, 0},
      {R(4, 6) + 2, 872, 1024, 0},
      {R(4, 7) + 1, 858, 1024, 0},
      {R(5, 3), 769, 1024, 512},
      {R(5, 16), 765, 1024, 512}}},
    {EAGLE,
     24564,
     1,
     {{R(4, 1) + 4, 880, 0, 8},
      {R(4, 3) + 3, 880, 2048, 8},
      {R(4, 7), 836, 2048, 8},
      {R(4, 7) + 1, 796, 2048, 8},
      {R(5, 3), 764, 2048, 16},
      {R(5, 4) + 1, 764, 2048, 24},
      {R(5, 10), 680, 2048, 24},
      {R(5, 11), 667, 2048, 24},
      {R(5, 14), 833, 2048, 24}}},
    {EAGLE,
     81559,
     1,
     {{R(4, 1) + 4, 880, 0, 160},
      {R(4, 3) + 3, 880, 8192, 160},
      {R(4, 5) + 3, 880, 8192, 0},
      {R(4, 7), 836, 8192, 0},
      {R(4, 7) + 1, 849, 8192, 0},
      {R(5, 3), 810, 8192, 256},
      {R(5, 10), 785, 8192, 256},
      {R(5, 11), 779, 8192, 256},
      {R(5, 14), 830, 8192, 256}}},
    {EAGLE,
     143771,
     8,
     {{R(4, 1) + 4, 810, 0, 160},
      {R(4, 3) + 3, 810, 8192, 160},
      {R(4, 5) + 3, 907, 8192, 0},
      {R(4, 6) + 2, 872, 8192, 0},
      {R(4, 7), 858, 8192, 0},
      {R(4, 7) + 1, 872, 8192, 0},
      {R(5, 3), 882, 8192, 512},
      {R(5, 10), 868, 8192, 512},
      {R(5, 11), 865, 8192, 512},
      {R(5, 14), 893, 8192, 512}}},
    {STANDALONE,
     24564,
     1,
     {{R(5, 2), 629, 2048, 8},
      {R(5, 3), 597, 2048, 16},
      {R(5, 4) + 1, 597, 2048, 24},
      {R(5, 11), 583, 2048, 24},
      {R(5, 14), 833, 2048, 24}}},
    {STANDALONE,
     81559,
     1,
     {{R(5, 2), 799, 8192, 0}, {R(5, 3), 760, 8192, 256}, {R(5, 11), 754, 8192, 256}, {R(5, 14), 830, 8192, 256}}},
    {STANDALONE,
     143771,
     8,
     {{R(5, 2), 843, 8192, 0}, {R(5, 3), 854, 8192, 512}, {R(5, 11), 851, 8192, 512}, {R(5, 14), 893, 8192, 512}}},
    {NGRAM, 24564, 1, {{R(5, 3), 848, 2048, 16}, {R(5, 4) + 1, 847, 2048, 24}, {R(5, 11), 833, 2048, 24}}},
    {NGRAM, 81559, 1, {{R(5, 3), 835, 8192, 256}, {R(5, 11), 830, 8192, 256}}},
    {NGRAM, 143771, 8, {{R(5, 3), 897, 8192, 512}, {R(5, 11), 893, 8192, 512}}},
    {WHOLE, 24564, 1, {{R(4, 0), 880, 0, 8}, {R(4, 7) + 1, 879, 0, 8}, {R(5, 3), 0, 0, 16}, {R(5, 4) + 1, 0, 0, 24}}},
    {WHOLE,
     81559,
     1,
     {{R(4, 0), 880, 0, 160}, {R(4, 5) + 3, 880, 0, 0}, {R(4, 7) + 1, 874, 0, 0}, {R(5, 3), 685, 0, 256}}},
    {WHOLE,
     143771,
     8,
     {{R(4, 0), 810, 0, 160},
      {R(4, 5) + 3, 907, 0, 0},
      {R(4, 6) + 2, 872, 0, 0},
      {R(4, 7) + 1, 886, 0, 0},
      {R(5, 3), 811, 0, 512}}},
    {TOWER,
     24564,
     1,
     {{R(4, 9), 791, 2048, 8}, {R(4, 9) + 3, 745, 2048, 8}, {R(5, 3), 718, 2048, 16}, {R(5, 4) + 1, 717, 2048, 24}}},
    {TOWER, 81559, 1, {{R(4, 9), 787, 8192, 0}, {R(4, 9) + 3, 740, 8192, 0}, {R(5, 3), 707, 8192, 256}}},
    {TOWER, 143771, 8, {{R(4, 9), 797, 8192, 0}, {R(4, 9) + 3, 751, 8192, 0}, {R(5, 3), 760, 8192, 512}}},
    {DEPTH,
     24564,
     1,
     {{R(4, 9), 791, 2048, 8}, {R(4, 9) + 3, 788, 2048, 8}, {R(5, 3), 760, 2048, 16}, {R(5, 4) + 1, 759, 2048, 24}}},
    {DEPTH, 81559, 1, {{R(4, 9), 787, 8192, 0}, {R(4, 9) + 3, 784, 8192, 0}, {R(5, 3), 749, 8192, 256}}},
    {DEPTH, 143771, 8, {{R(4, 9), 797, 8192, 0}, {R(4, 9) + 3, 794, 8192, 0}, {R(5, 3), 804, 8192, 512}}},
    {LATENT,
     24564,
     1,
     {{R(4, 0), 880, 2048, 8},
      {R(4, 7) + 1, 879, 2048, 8},
      {R(5, 3), 848, 2048, 16},
      {R(5, 4) + 1, 847, 2048, 24},
      {R(5, 10), 784, 2048, 24},
      {R(5, 15), 847, 2048, 24},
      {R(5, 18), 784, 2048, 24}}},
    {LATENT,
     81559,
     1,
     {{R(4, 0), 880, 8192, 160},
      {R(4, 5) + 3, 880, 8192, 0},
      {R(4, 7) + 1, 874, 8192, 0},
      {R(5, 3), 835, 8192, 256},
      {R(5, 10), 816, 8192, 256},
      {R(5, 15), 835, 8192, 256},
      {R(5, 18), 816, 8192, 256}}},
    {LATENT,
     143771,
     8,
     {{R(4, 0), 810, 8192, 160},
      {R(4, 5) + 3, 907, 8192, 0},
      {R(4, 6) + 2, 872, 8192, 0},
      {R(4, 7) + 1, 886, 8192, 0},
      {R(5, 3), 897, 8192, 512},
      {R(5, 10), 886, 8192, 512},
      {R(5, 15), 897, 8192, 512},
      {R(5, 18), 886, 8192, 512}}},
    {PREFILL,
     24564,
     1,
     {{R(4, 4) + 2, 880, 2048, 8},
      {R(4, 7) + 1, 879, 2048, 8},
      {R(5, 3), 848, 2048, 16},
      {R(5, 4) + 1, 847, 2048, 24},
      {R(5, 15), 835, 2048, 24}}},
    {PREFILL,
     81559,
     1,
     {{R(4, 4) + 2, 880, 8192, 160},
      {R(4, 5) + 3, 880, 8192, 0},
      {R(4, 6) + 2, 880, 16384, 0},
      {R(4, 7) + 1, 874, 8192, 0},
      {R(5, 3), 835, 8192, 256},
      {R(5, 15), 836, 8192, 256}}},
    {PREFILL,
     143771,
     8,
     {{R(4, 4) + 2, 810, 8192, 160},
      {R(4, 5) + 3, 907, 8192, 0},
      {R(4, 6) + 2, 872, 16384, 0},
      {R(4, 7) + 1, 886, 8192, 0},
      {R(5, 3), 897, 8192, 512},
      {R(5, 15), 901, 8192, 512}}},
    {DECODE,
     24564,
     1,
     {{R(4, 4) + 2, 880, 2048, 8},
      {R(4, 7) + 1, 879, 2048, 8},
      {R(5, 3), 848, 2048, 16},
      {R(5, 4) + 1, 847, 2048, 24}}},
    {DECODE,
     81559,
     1,
     {{R(4, 4) + 2, 880, 8192, 160},
      {R(4, 5) + 3, 880, 8192, 0},
      {R(4, 6) + 2, 880, 16384, 0},
      {R(4, 7) + 1, 874, 8192, 0},
      {R(5, 3), 835, 8192, 256},
      {R(5, 15), 874, 8192, 256}}},
    {DECODE,
     143771,
     8,
     {{R(4, 4) + 2, 810, 8192, 160},
      {R(4, 5) + 3, 907, 8192, 0},
      {R(4, 6) + 2, 872, 16384, 0},
      {R(4, 7) + 1, 886, 8192, 0},
      {R(5, 3), 897, 8192, 512},
      {R(5, 15), 929, 8192, 512}}},
    {GROUPS,
     24564,
     8,
     {{R(4, 0), 810, 1024, 8},
      {R(4, 0) + 1, 810, 1024, 80},
      {R(4, 4) + 1, 810, 256, 80},
      {R(4, 7) + 1, 683, 256, 80},
      {R(5, 3), 728, 256, 80},
      {R(5, 16), 714, 256, 80}}},
    {GROUPS,
     81559,
     8,
     {{R(4, 0), 810, 4096, 96},
      {R(4, 0) + 2, 810, 4096, 160},
      {R(4, 4) + 1, 810, 1024, 160},
      {R(4, 5) + 3, 810, 1024, 0},
      {R(4, 7) + 1, 780, 1024, 0},
      {R(5, 3), 592, 1024, 512},
      {R(5, 16), 586, 1024, 512}}},
    {LATENT,
     81920,
     16,
     {{R(4, 0), 790, 8192, 160},
      {R(4, 5) + 3, 790, 8192, 0},
      {R(4, 7) + 1, 781, 8192, 0},
      {R(5, 3), 806, 8192, 512},
      {R(5, 10), 787, 8192, 512},
      {R(5, 15), 806, 8192, 512},
      {R(5, 18), 787, 8192, 512}}},
    {GROUPS,
     196608,
     8,
     {{R(4, 0), 810, 4096, 96},
      {R(4, 0) + 2, 810, 4096, 160},
      {R(4, 4) + 1, 810, 1024, 160},
      {R(4, 5) + 3, 932, 1024, 0},
      {R(4, 6) + 2, 906, 1024, 0},
      {R(4, 7), 790, 2048, 0},
      {R(4, 7) + 1, 812, 2048, 0},
      {R(5, 3), 768, 2048, 512},
      {R(5, 16), 765, 2048, 512}}},
    {SMALL_CHUNK,
     81559,
     1,
     {{R(4, 0), 880, 512, 160}, {R(4, 5) + 3, 880, 512, 0}, {R(4, 7) + 1, 874, 512, 0}, {R(5, 3), 874, 512, 256}}},
    {LARGE_CHUNK,
     81559,
     1,
     {{R(4, 0), 880, 16384, 160},
      {R(4, 5) + 3, 880, 16384, 0},
      {R(4, 7) + 1, 874, 16384, 0},
      {R(5, 3), 685, 16384, 256},
      {R(5, 10), 677, 16384, 256}}},
    {BATCH_64,
     81559,
     1,
     {{R(4, 0), 880, 8192, 64}, {R(4, 7) + 1, 874, 8192, 64}, {R(5, 3), 840, 8192, 64}, {R(5, 10), 834, 8192, 64}}},
};

static void make_setup(size_t row, uint32_t release, struct kvb_model *model, struct kvb_sgl_setup *setup)
{
    static const struct shape shape = {"m", 32, 32, 8, 128, 0, 0, 0, KVB_ATTENTION_NONE, 131072};
    static const enum kvb_sgl_draft drafts[] = {
        [EAGLE] = KVB_SGL_DRAFT_EAGLE, [STANDALONE] = KVB_SGL_DRAFT_STANDALONE, [NGRAM] = KVB_SGL_DRAFT_NGRAM};
    static const uint64_t chunks[] = {[WHOLE] = KVB_SGL_OFF, [SMALL_CHUNK] = 512, [LARGE_CHUNK] = 16384};
    enum kind kind = rows[row].kind;
    make_model(&shape, model);
    *setup = (struct kvb_sgl_setup){.release = release,
                                    .model = model,
                                    .card_mib = rows[row].card_mib,
                                    .cuda = true,
                                    .compute_capability = 90,
                                    .tp = rows[row].tp,
                                    .pp = kind == STAGES ? 2 : 1,
                                    .dp = kind == GROUPS ? rows[row].tp : 1,
                                    .dp_attention = kind == GROUPS,
                                    .context_tokens = 131072,
                                    .multimodal = kind == TOWER || kind == DEPTH,
                                    .graph_batch = kind == BATCH_64 ? 64 : 0,
                                    .role = kind == PREFILL  ? KVB_SGL_PREFILL
                                            : kind == DECODE ? KVB_SGL_DECODE
                                                             : KVB_SGL_WHOLE};
    setup->chunk_tokens = kind <= LARGE_CHUNK ? chunks[kind] : 0;
    setup->draft = kind <= NGRAM ? drafts[kind] : KVB_SGL_DRAFT_NONE;
    setup->draft_tokens = setup->draft != KVB_SGL_DRAFT_NONE ? 4 : 0;
    model->encoder.family = setup->multimodal ? KVB_ENCODER_QWEN25_VL : KVB_ENCODER_NONE;
    model->encoder.plain_hidden_size = 1280;
    model->encoder.plain_layers = kind == TOWER ? 32 : 0;
    model->kinds[0].attention.kind = kind == LATENT ? KVB_ATTENTION_MLA : KVB_ATTENTION_FULL;
}

static void every_release(void **state)
{
    (void)state;
    unsigned wrong = 0;
    for (size_t i = 0; i < sizeof rows / sizeof rows[0]; i++) {
        size_t at = 0;
        for (size_t k = 0; k < RELEASE_COUNT; k++) {
            static struct kvb_model model;
            struct kvb_sgl_setup setup;
            struct kvb_sgl_defaults defaults;
            while (at + 1 < CHANGES_MAX && rows[i].changes[at + 1].since != 0 &&
                   rows[i].changes[at + 1].since <= releases[k]) {
                at++;
            }
            if (releases[k] < rows[i].changes[at].since) {
                continue;
            }
            make_setup(i, releases[k], &model, &setup);
            kvb_sgl_defaults_of(&setup, &defaults);
            uint64_t thousandths = (defaults.fraction_ppb + 500000) / 1000000;
            uint64_t chunk = defaults.chunk_tokens == KVB_SGL_OFF ? 0 : defaults.chunk_tokens;
            uint64_t batch = rows[i].changes[at].batch;
            if (thousandths != rows[i].changes[at].thousandths || chunk != rows[i].changes[at].chunk ||
                (batch != 0 && batch != defaults.graph_batch)) {
                print_error("row %zu, release %08x: %llu, chunk %llu, batch %llu\n", i, (unsigned)releases[k],
                            (unsigned long long)thousandths, (unsigned long long)chunk,
                            (unsigned long long)defaults.graph_batch);
                wrong++;
            }
        }
    }
    assert_int_equal(wrong, 0);
}

KVB_TEST_MAIN(cmocka_unit_test(every_release))
