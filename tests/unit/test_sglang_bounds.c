// What SGLang's releases make of cards on both sides of each bound that any of them draws: the module server_args.py of
// each release was run with stand-ins for its imports, as in test_sglang_defaults.c, to 0.5.14 (drafts and
// data-parallel attention, which switch graphs of prefills off elsewhere, to 0.5.9). The largest batch from 0.4.5.post3
// to 0.5.2 is that of get_batch_sizes_to_capture in model_executor/cuda_graph_runner.py (more than 81,920 MiB, 96 GiB
// from 0.4.6.post2 on, 90 GiB and 160,000 MiB from 0.4.7.post1 on), and 0 where it is not told here.
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

#include "engines/sglang/setup.h"
#include "unit/kv_models.h"
#include "unit/sglang_releases.h"
#include "unit/test.h"

#define LAST R(5, 14)

enum kind {
    PLAIN,
    EAGLE,
    GROUPS, // of data-parallel attention, as many as ranks: number is --cuda-graph-max-bs
    WHOLE   // --chunked-prefill-size -1: number is --max-prefill-tokens
};

#define CHANGES_MAX 9
static const struct {
    enum kind kind;
    uint32_t card_mib, tp, number;
    struct {
        uint32_t since, thousandths, chunk, batch;
    } changes[CHANGES_MAX];
} rows[] = {
    {PLAIN,
     20479,
     1,
     0,
     {{R(4, 0), 880, 2048, 8}, {R(4, 7) + 1, 855, 2048, 8}, {R(5, 3), 818, 2048, 8}, {R(5, 10), 802, 2048, 8}}},
    {PLAIN,
     20479,
     4,
     0,
     {{R(4, 0), 850, 2048, 8},
      {R(4, 0) + 1, 850, 2048, 80},
      {R(4, 7) + 1, 840, 2048, 80},
      {R(5, 3), 799, 2048, 8},
      {R(5, 10), 783, 2048, 8}}},
    {PLAIN,
     20480,
     1,
     0,
     {{R(4, 0), 880, 2048, 8},
      {R(4, 7) + 1, 855, 2048, 8},
      {R(5, 3), 817, 2048, 16},
      {R(5, 4) + 1, 816, 2048, 24},
      {R(5, 10), 800, 2048, 24}}},
    {PLAIN,
     20480,
     4,
     0,
     {{R(4, 0), 850, 2048, 8},
      {R(4, 0) + 1, 850, 2048, 80},
      {R(4, 7) + 1, 840, 2048, 80},
      {R(5, 3), 792, 2048, 80},
      {R(5, 10), 776, 2048, 80}}},
    {PLAIN,
     24999,
     1,
     0,
     {{R(4, 0), 880, 2048, 8},
      {R(4, 7) + 1, 881, 2048, 8},
      {R(5, 3), 850, 2048, 16},
      {R(5, 4) + 1, 850, 2048, 24},
      {R(5, 10), 836, 2048, 24}}},
    {PLAIN,
     25000,
     1,
     0,
     {{R(4, 0), 880, 8192, 160},
      {R(4, 7) + 1, 881, 2048, 8},
      {R(5, 3), 850, 2048, 16},
      {R(5, 4) + 1, 850, 2048, 24},
      {R(5, 10), 836, 2048, 24}}},
    {PLAIN,
     25000,
     4,
     0,
     {{R(4, 0), 850, 8192, 160}, {R(4, 7) + 1, 869, 2048, 80}, {R(5, 3), 830, 2048, 80}, {R(5, 10), 816, 2048, 80}}},
    {PLAIN,
     35839,
     1,
     0,
     {{R(4, 0), 880, 8192, 160},
      {R(4, 7) + 1, 917, 2048, 8},
      {R(5, 3), 896, 2048, 16},
      {R(5, 4) + 1, 895, 2048, 24},
      {R(5, 10), 886, 2048, 24}}},
    {PLAIN,
     35839,
     4,
     0,
     {{R(4, 0), 850, 8192, 160}, {R(4, 7) + 1, 909, 2048, 80}, {R(5, 3), 881, 2048, 80}, {R(5, 10), 872, 2048, 80}}},
    {PLAIN,
     35840,
     1,
     0,
     {{R(4, 0), 880, 8192, 160}, {R(4, 7) + 1, 714, 8192, 160}, {R(5, 3), 809, 4096, 32}, {R(5, 10), 798, 4096, 32}}},
    {PLAIN,
     35840,
     4,
     0,
     {{R(4, 0), 850, 8192, 160}, {R(4, 7) + 1, 671, 8192, 160}, {R(5, 3), 791, 4096, 160}, {R(5, 10), 780, 4096, 160}}},
    {PLAIN,
     61439,
     1,
     0,
     {{R(4, 0), 880, 8192, 160}, {R(4, 7) + 1, 833, 8192, 160}, {R(5, 3), 889, 4096, 32}, {R(5, 10), 882, 4096, 32}}},
    {PLAIN,
     61439,
     4,
     0,
     {{R(4, 0), 850, 8192, 160}, {R(4, 7) + 1, 808, 8192, 160}, {R(5, 3), 878, 4096, 160}, {R(5, 10), 872, 4096, 160}}},
    {PLAIN,
     61440,
     1,
     0,
     {{R(4, 0), 880, 8192, 160}, {R(4, 7) + 1, 833, 8192, 160}, {R(5, 3), 781, 8192, 256}, {R(5, 10), 774, 8192, 256}}},
    {PLAIN,
     61441,
     1,
     0,
     {{R(4, 0), 880, 8192, 160}, {R(4, 7) + 1, 833, 8192, 160}, {R(5, 3), 781, 8192, 256}, {R(5, 10), 774, 8192, 256}}},
    {PLAIN,
     81920,
     1,
     0,
     {{R(4, 0), 880, 8192, 160}, {R(4, 7) + 1, 875, 8192, 160}, {R(5, 3), 836, 8192, 256}, {R(5, 10), 830, 8192, 256}}},
    {PLAIN,
     81920,
     4,
     0,
     {{R(4, 0), 850, 8192, 160}, {R(4, 7) + 1, 856, 8192, 160}, {R(5, 3), 825, 8192, 512}, {R(5, 10), 819, 8192, 512}}},
    {PLAIN,
     81921,
     1,
     0,
     {{R(4, 0), 880, 8192, 160},
      {R(4, 5) + 3, 838, 8192, 256},
      {R(4, 6) + 2, 880, 8192, 160},
      {R(4, 7) + 1, 875, 8192, 160},
      {R(5, 3), 836, 8192, 256},
      {R(5, 10), 830, 8192, 256}}},
    {PLAIN,
     81921,
     4,
     0,
     {{R(4, 0), 850, 8192, 160},
      {R(4, 5) + 3, 838, 8192, 256},
      {R(4, 6) + 2, 880, 8192, 160},
      {R(4, 7) + 1, 856, 8192, 160},
      {R(5, 3), 825, 8192, 512},
      {R(5, 10), 819, 8192, 512}}},
    {PLAIN,
     92159,
     1,
     0,
     {{R(4, 0), 880, 8192, 160},
      {R(4, 5) + 3, 856, 8192, 256},
      {R(4, 6) + 2, 880, 8192, 160},
      {R(4, 7) + 1, 889, 8192, 160},
      {R(5, 3), 854, 8192, 256},
      {R(5, 10), 849, 8192, 256}}},
    {PLAIN,
     92160,
     1,
     0,
     {{R(4, 0), 880, 8192, 160},
      {R(4, 5) + 3, 856, 8192, 256},
      {R(4, 6) + 2, 880, 8192, 160},
      {R(4, 7) + 1, 861, 8192, 160},
      {R(5, 3), 854, 8192, 256},
      {R(5, 10), 849, 8192, 256}}},
    {PLAIN,
     92160,
     4,
     0,
     {{R(4, 0), 850, 8192, 160},
      {R(4, 5) + 3, 856, 8192, 256},
      {R(4, 6) + 2, 880, 8192, 160},
      {R(4, 7) + 1, 844, 8192, 160},
      {R(5, 3), 844, 8192, 512},
      {R(5, 10), 839, 8192, 512}}},
    {PLAIN,
     92161,
     1,
     0,
     {{R(4, 0), 880, 8192, 160},
      {R(4, 5) + 3, 856, 8192, 256},
      {R(4, 6) + 2, 880, 8192, 160},
      {R(4, 7) + 1, 861, 8192, 256},
      {R(5, 3), 854, 8192, 256},
      {R(5, 10), 849, 8192, 256}}},
    {PLAIN,
     98304,
     1,
     0,
     {{R(4, 0), 880, 8192, 160},
      {R(4, 5) + 3, 865, 8192, 256},
      {R(4, 6) + 2, 880, 8192, 160},
      {R(4, 7) + 1, 870, 8192, 256},
      {R(5, 3), 863, 8192, 256},
      {R(5, 10), 859, 8192, 256}}},
    {PLAIN,
     98305,
     1,
     0,
     {{R(4, 0), 880, 8192, 160},
      {R(4, 5) + 3, 865, 8192, 256},
      {R(4, 6) + 2, 813, 8192, 256},
      {R(4, 7) + 1, 870, 8192, 256},
      {R(5, 3), 863, 8192, 256},
      {R(5, 10), 859, 8192, 256}}},
    {PLAIN,
     98305,
     4,
     0,
     {{R(4, 0), 850, 8192, 160},
      {R(4, 5) + 3, 865, 8192, 256},
      {R(4, 6) + 2, 813, 8192, 256},
      {R(4, 7) + 1, 854, 8192, 256},
      {R(5, 3), 854, 8192, 512},
      {R(5, 10), 849, 8192, 512}}},
    {PLAIN,
     163839,
     1,
     0,
     {{R(4, 0), 880, 8192, 160},
      {R(4, 5) + 3, 919, 8192, 256},
      {R(4, 6) + 2, 887, 8192, 256},
      {R(4, 7) + 1, 922, 8192, 512},
      {R(5, 3), 918, 8192, 256},
      {R(5, 10), 915, 8192, 256}}},
    {PLAIN,
     163840,
     1,
     0,
     {{R(4, 0), 880, 8192, 160},
      {R(4, 5) + 3, 919, 8192, 256},
      {R(4, 6) + 2, 888, 8192, 256},
      {R(4, 7) + 1, 800, 16384, 512},
      {R(5, 3), 840, 16384, 512},
      {R(5, 10), 836, 16384, 512}}},
    {PLAIN,
     163840,
     4,
     0,
     {{R(4, 0), 850, 8192, 160},
      {R(4, 5) + 3, 919, 8192, 256},
      {R(4, 6) + 2, 888, 8192, 256},
      {R(4, 7) + 1, 800, 16384, 512},
      {R(5, 3), 838, 16384, 512},
      {R(5, 10), 834, 16384, 512}}},
    {PLAIN,
     180000,
     1,
     0,
     {{R(4, 0), 880, 8192, 160},
      {R(4, 5) + 3, 926, 8192, 256},
      {R(4, 6) + 2, 898, 8192, 256},
      {R(4, 7) + 1, 818, 16384, 512},
      {R(5, 3), 854, 16384, 512},
      {R(5, 10), 851, 16384, 512}}},
    {PLAIN,
     180001,
     1,
     0,
     {{R(4, 0), 880, 8192, 160},
      {R(4, 5) + 3, 926, 8192, 256},
      {R(4, 6) + 2, 898, 8192, 256},
      {R(4, 7), 790, 16384, 512},
      {R(4, 7) + 1, 818, 16384, 512},
      {R(5, 3), 854, 16384, 512},
      {R(5, 10), 851, 16384, 512}}},
    {PLAIN,
     180001,
     4,
     0,
     {{R(4, 0), 850, 8192, 160},
      {R(4, 5) + 3, 926, 8192, 256},
      {R(4, 6) + 2, 898, 8192, 256},
      {R(4, 7), 790, 16384, 512},
      {R(4, 7) + 1, 818, 16384, 512},
      {R(5, 3), 852, 16384, 512},
      {R(5, 10), 849, 16384, 512}}},
    {PLAIN,
     46068,
     2,
     0,
     {{R(4, 0), 870, 8192, 160}, {R(4, 7) + 1, 767, 8192, 160}, {R(5, 3), 849, 4096, 32}, {R(5, 10), 840, 4096, 32}}},
    {PLAIN,
     46068,
     3,
     0,
     {{R(4, 0), 870, 8192, 160}, {R(4, 7) + 1, 755, 8192, 160}, {R(5, 3), 846, 4096, 32}, {R(5, 10), 837, 4096, 32}}},
    {PLAIN,
     46068,
     7,
     0,
     {{R(4, 0), 850, 8192, 160}, {R(4, 7) + 1, 711, 8192, 160}, {R(5, 3), 829, 4096, 160}, {R(5, 10), 820, 4096, 160}}},
    {PLAIN,
     46068,
     15,
     0,
     {{R(4, 0), 810, 8192, 160}, {R(4, 7) + 1, 622, 8192, 160}, {R(5, 3), 807, 4096, 160}, {R(5, 10), 798, 4096, 160}}},
    {PLAIN,
     46068,
     16,
     0,
     {{R(4, 0), 790, 8192, 160}, {R(4, 7) + 1, 611, 8192, 160}, {R(5, 3), 804, 4096, 160}, {R(5, 10), 795, 4096, 160}}},
    {PLAIN, 0, 1, 0, {{R(4, 7) + 1, 880, 4096, 160}}},
    {PLAIN, 0, 4, 0, {{R(4, 7) + 1, 880, 4096, 160}}},
    {EAGLE,
     98304,
     1,
     0,
     {{R(4, 2), 880, 0, 160},
      {R(4, 3) + 3, 880, 8192, 160},
      {R(4, 5) + 3, 865, 8192, 0},
      {R(4, 6) + 2, 880, 8192, 0},
      {R(4, 7), 836, 8192, 0},
      {R(4, 7) + 1, 849, 8192, 0},
      {R(5, 3), 842, 8192, 256}}},
    {EAGLE,
     98305,
     1,
     0,
     {{R(4, 2), 880, 0, 160},
      {R(4, 3) + 3, 880, 8192, 160},
      {R(4, 5) + 3, 865, 8192, 0},
      {R(4, 6) + 2, 813, 8192, 0},
      {R(4, 7), 792, 8192, 0},
      {R(4, 7) + 1, 849, 8192, 0},
      {R(5, 3), 842, 8192, 256}}},
    {EAGLE,
     180000,
     1,
     0,
     {{R(4, 2), 880, 0, 160},
      {R(4, 3) + 3, 880, 8192, 160},
      {R(4, 5) + 3, 926, 8192, 0},
      {R(4, 6) + 2, 898, 8192, 0},
      {R(4, 7), 886, 8192, 0},
      {R(4, 7) + 1, 807, 16384, 0},
      {R(5, 3), 843, 16384, 512}}},
    {EAGLE,
     180001,
     1,
     0,
     {{R(4, 2), 880, 0, 160},
      {R(4, 3) + 3, 880, 8192, 160},
      {R(4, 5) + 3, 926, 8192, 0},
      {R(4, 6) + 2, 898, 8192, 0},
      {R(4, 7), 790, 16384, 0},
      {R(4, 7) + 1, 807, 16384, 0},
      {R(5, 3), 843, 16384, 512}}},
    {EAGLE,
     98305,
     8,
     0,
     {{R(4, 2), 810, 0, 160},
      {R(4, 3) + 3, 810, 8192, 160},
      {R(4, 5) + 3, 865, 8192, 0},
      {R(4, 6) + 2, 813, 8192, 0},
      {R(4, 7), 792, 8192, 0},
      {R(4, 7) + 1, 813, 8192, 0},
      {R(5, 3), 828, 8192, 512}}},
    {EAGLE,
     180001,
     8,
     0,
     {{R(4, 2), 810, 0, 160},
      {R(4, 3) + 3, 810, 8192, 160},
      {R(4, 5) + 3, 926, 8192, 0},
      {R(4, 6) + 2, 898, 8192, 0},
      {R(4, 7), 790, 16384, 0},
      {R(4, 7) + 1, 807, 16384, 0},
      {R(5, 3), 838, 16384, 512}}},
    {GROUPS, 98304, 4, 299, {{R(5, 3), 822, 2048, 299}}},
    {GROUPS, 98304, 4, 300, {{R(5, 3), 822, 2048, 300}}},
    {GROUPS, 98304, 4, 301, {{R(5, 3), 803, 2048, 301}}},
    {WHOLE, 46068, 1, 1000, {{R(5, 3), 918, 0, 32}}},
    {WHOLE, 46068, 1, 3000, {{R(5, 3), 887, 0, 32}}},
};

static void make_setup(size_t row, uint32_t release, struct kvb_model *model, struct kvb_sgl_setup *setup)
{
    static const struct shape shape = {"m", 32, 32, 8, 128, 0, 0, 0, KVB_ATTENTION_NONE, 131072};
    enum kind kind = rows[row].kind;
    make_model(&shape, model);
    model->kinds[0].attention.kind = KVB_ATTENTION_FULL;
    *setup = (struct kvb_sgl_setup){.release = release,
                                    .model = model,
                                    .card_mib = rows[row].card_mib,
                                    .cuda = true,
                                    .compute_capability = 90,
                                    .tp = rows[row].tp,
                                    .pp = 1,
                                    .dp = kind == GROUPS ? rows[row].tp : 1,
                                    .dp_attention = kind == GROUPS,
                                    .context_tokens = 131072,
                                    .chunk_tokens = kind == WHOLE ? KVB_SGL_OFF : 0,
                                    .max_prefill_tokens = kind == WHOLE ? rows[row].number : 0,
                                    .graph_batch = kind == GROUPS ? rows[row].number : 0,
                                    .draft = kind == EAGLE ? KVB_SGL_DRAFT_EAGLE : KVB_SGL_DRAFT_NONE,
                                    .draft_tokens = kind == EAGLE ? 4 : 0};
}

static bool differs(size_t row, size_t change, uint32_t release)
{
    static struct kvb_model model;
    struct kvb_sgl_setup setup;
    struct kvb_sgl_defaults defaults;
    make_setup(row, release, &model, &setup);
    kvb_sgl_defaults_of(&setup, &defaults);
    uint64_t thousandths = (defaults.fraction_ppb + 500000) / 1000000;
    uint64_t chunk = defaults.chunk_tokens == KVB_SGL_OFF ? 0 : defaults.chunk_tokens;
    uint64_t batch = rows[row].changes[change].batch;
    bool same = thousandths == rows[row].changes[change].thousandths && chunk == rows[row].changes[change].chunk &&
                (batch == 0 || batch == defaults.graph_batch);
    if (!same) {
        print_error("row %zu, %u MiB, release %08x: %llu, chunk %llu, batch %llu\n", row, rows[row].card_mib,
                    (unsigned)release, (unsigned long long)thousandths, (unsigned long long)chunk,
                    (unsigned long long)defaults.graph_batch);
    }
    return !same;
}

static void both_sides_of_each_bound(void **state)
{
    (void)state;
    unsigned wrong = 0;
    for (size_t i = 0; i < sizeof rows / sizeof rows[0]; i++) {
        size_t at = 0;
        for (size_t k = 0; k < RELEASE_COUNT && releases[k] <= LAST; k++) {
            while (at + 1 < CHANGES_MAX && rows[i].changes[at + 1].since != 0 &&
                   rows[i].changes[at + 1].since <= releases[k]) {
                at++;
            }
            bool after = (rows[i].kind == EAGLE || rows[i].kind == GROUPS) && releases[k] >= R(5, 10);
            wrong += !after && releases[k] >= rows[i].changes[0].since && differs(i, at, releases[k]);
        }
    }
    assert_int_equal(wrong, 0);
}

// cuda_graph_runner.py 0.4.6: "gpu_mem > 81920 and server_args.dp_size == 1"; 0.4.6.post2 asks for the memory alone.
static void several_ranks(void **state)
{
    (void)state;
    static const struct {
        uint32_t release, dp, said, batch;
    } told[] = {{R(4, 5) + 3, 2, 0, 256}, {R(4, 6), 1, 0, 256},     {R(4, 6), 2, 0, 160},
                {R(4, 6) + 1, 2, 0, 160}, {R(4, 6) + 2, 2, 0, 256}, {R(4, 6), 2, 200, 200}};
    for (size_t i = 0; i < sizeof told / sizeof told[0]; i++) {
        static struct kvb_model model;
        struct kvb_sgl_setup setup;
        struct kvb_sgl_defaults defaults;
        make_setup(0, told[i].release, &model, &setup);
        setup.card_mib = 143771;
        setup.dp = told[i].dp;
        setup.graph_batch = told[i].said;
        kvb_sgl_defaults_of(&setup, &defaults);
        assert_int_equal(defaults.graph_batch, told[i].batch);
    }
}

KVB_TEST_MAIN(cmocka_unit_test(both_sides_of_each_bound), cmocka_unit_test(several_ranks))
