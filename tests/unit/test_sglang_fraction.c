// The default of --mem-fraction-static, chunks and graph batches, release by release: each row is worked by hand from
// server_args.py of the release it names (sgl-project/sglang), or read off a public log.
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <string.h>

#include <cmocka.h>

#include "engines/sglang/setup.h"
#include "unit/kv_models.h"
#include "unit/test.h"

enum kind { TEXT, MLA, TOWER, DEPTH };

// Arguments beside the defaults of a plain start on NVIDIA.
struct given {
    uint32_t release, card_mib, tp, pp, dp;
    enum kind kind;
    enum kvb_sgl_draft draft;
    enum kvb_sgl_role role;
    uint64_t batch;
    bool no_graphs, deepep, hip;
    uint64_t fraction_ppb;
};

struct row {
    struct given given;
    uint32_t thousandths; // of the fraction, rounded
    uint64_t chunk, batch;
    const char *source;
};

#define R(minor, patch) KVB_RELEASE(0, minor, patch)
#define CARD(version, mib, ranks) .release = (version), .card_mib = (mib), .tp = (ranks), .pp = 1, .dp = 1

static const struct row rows[] = {
    // 0.4.0, server_args.py:158-182: by tensor parallel size alone; 25,000 MiB divide small cards from large ones
    {{CARD(R(4, 0), 81559, 1)}, 880, 8192, 160, "0.4.0"},
    {{CARD(R(4, 0), 81559, 2)}, 870, 8192, 160, "0.4.0"},
    {{CARD(R(4, 0), 81559, 4)}, 850, 8192, 160, "0.4.0"},
    {{CARD(R(4, 0), 81559, 8)}, 810, 8192, 160, "0.4.0"},
    {{CARD(R(4, 0), 81559, 16)}, 790, 8192, 160, "0.4.0"},
    {{CARD(R(4, 0), 24564, 1)}, 880, 2048, 8, "0.4.0"},
    // 0.4.1 to 0.4.4: the same; 80 graphs on small cards from 4 ranks on (34b364e07)
    {{CARD(R(4, 1), 24564, 4)}, 850, 2048, 80, "0.4.1"},
    {{CARD(R(4, 2), 81559, 1)}, 880, 8192, 160, "0.4.2"},
    {{CARD(R(4, 3), 23034, 4)}, 850, 2048, 80, "0.4.3"},
    {{CARD(R(4, 4), 143771, 8)}, 810, 8192, 160, "0.4.4"},
    {{CARD(R(4, 5), 143771, 1)}, 880, 8192, 160, "0.4.5"},
    // cuda_graph_runner.py, get_batch_sizes_to_capture, 0.4.5.post3 to 0.5.2: 256 on large cards, 512 on larger ones
    // 0.4.5.post3, server_args.py: (143771 - 13312) / 143771 = 0.9074
    {{CARD(R(4, 5) + 3, 143771, 1)}, 907, 8192, 256, "0.4.5.post3"},
    {{CARD(R(4, 6), 143771, 8)}, 907, 8192, 256, "0.4.6"},
    {{CARD(R(4, 6), 81559, 8)}, 810, 8192, 160, "0.4.6"},
    // 0.4.6.post2, server_args.py:226-247: min(0.88 + 49152 x 0.12 / 143771, (143771 - 18432) / 143771)
    // = min(0.92103, 0.87180); issue 6753 prints mem_fraction_static=0.8717961202189594 for 0.4.6.post5
    {{CARD(R(4, 6) + 5, 143771, 1)}, 872, 8192, 256, "0.4.6.post5, issue 6753"},
    {{CARD(R(4, 6) + 2, 81920, 8)}, 810, 8192, 160, "0.4.6.post2"},
    // 0.4.7, server_args.py:253-283: with a draft 0.88 x 0.95 on cards up to 96 GiB; (143771 - 20480) / 143771 above
    {{CARD(R(4, 7), 81559, 1), .draft = KVB_SGL_DRAFT_EAGLE}, 836, 8192, 160, "0.4.7"},
    {{CARD(R(4, 7), 143771, 1), .draft = KVB_SGL_DRAFT_EAGLE}, 858, 8192, 256, "0.4.7"},
    {{CARD(R(4, 7), 183359, 1)}, 790, 16384, 512, "0.4.7"},
    // 0.4.7.post1 to 0.5.2, server_args.py:261-303: r = 2.8 + p/10, 9.5 + p/2, 12 + p/2 or 32 GiB
    {{CARD(R(4, 7) + 1, 24564, 1)}, 879, 2048, 8, "0.4.7.post1: (24564 - 2969.6) / 24564"},
    {{CARD(R(4, 8), 32607, 1)}, 909, 2048, 8, "0.4.8: (32607 - 2969.6) / 32607"},
    {{CARD(R(4, 9), 24564, 1)}, 879, 2048, 8, "0.4.9"},
    {{CARD(R(4, 9), 81559, 8)}, 831, 8192, 160, "0.4.9: (81559 - 13.5 x 1024) / 81559"},
    {{CARD(R(4, 10), 16376, 1)}, 819, 2048, 8, "0.4.10: (16376 - 2969.6) / 16376"},
    {{CARD(R(5, 0), 143771, 8)}, 886, 8192, 256, "0.5.0: (143771 - 16 x 1024) / 143771"},
    {{CARD(R(5, 1), 24564, 4)}, 867, 2048, 80, "0.5.1: (24564 - 3.2 x 1024) / 24564"},
    {{CARD(R(5, 1), 81559, 1), .draft = KVB_SGL_DRAFT_EAGLE}, 849, 8192, 160, "0.5.1: (81559 - 12 x 1024) / 81559"},
    {{CARD(R(5, 2), 81559, 1), .draft = KVB_SGL_DRAFT_STANDALONE},
     799,
     8192,
     160,
     "0.5.2, server_args.py:487: (81559 - 16 x 1024) / 81559"},
    {{CARD(R(5, 2), 183359, 1)}, 821, 16384, 512, "0.5.2: (183359 - 32 x 1024) / 183359"},
    // 0.5.3, server_args.py:637: r = 512 + 1.5 max(chunk, 2048) + 128 p + 2 bs, at least 10240 above 60 GiB
    {{CARD(R(5, 3), 81559, 1)}, 835, 8192, 256, "0.5.3: 512 + 12288 + 128 + 512 = 13440"},
    {{CARD(R(5, 3) + 3, 143771, 8)}, 897, 8192, 512, "0.5.3.post3: 512 + 12288 + 1024 + 1024 = 14848"},
    {{CARD(R(5, 3), 24564, 1)}, 848, 2048, 16, "0.5.3: 512 + 3072 + 128 + 32 = 3744; 0.8476"},
    {{CARD(R(5, 4) + 1, 24564, 1)}, 847, 2048, 24, "0.5.4.post1: 3760; 0.8469"},
    {{CARD(R(5, 4), 46068, 1)}, 851, 4096, 32, "0.5.4: 512 + 6144 + 128 + 64 = 6848; 0.8513"},
    {{CARD(R(5, 5), 81559, 1), .draft = KVB_SGL_DRAFT_EAGLE}, 810, 8192, 256, "0.5.5: 13440 + 2048"},
    {{CARD(R(5, 6), 81559, 1), .draft = KVB_SGL_DRAFT_STANDALONE}, 760, 8192, 256, "0.5.6: 13440 + 6144; 0.7599"},
    {{CARD(R(5, 7), 81559, 1), .draft = KVB_SGL_DRAFT_NGRAM}, 835, 8192, 256, "0.5.7: nothing for n-grams"},
    // dp attention, 0.5.3 and later: + 3 bs dp, + 1.5 bs dp above 300; the fraction is computed before chunks are split
    {{.release = R(5, 8), .card_mib = 143771, .tp = 8, .pp = 1, .dp = 8},
     769,
     1024,
     512,
     "0.5.8: 14848 + 12288 + 6144 = 33280; 0.7685"},
    {{CARD(R(5, 9), 183359, 8)}, 852, 16384, 512, "0.5.9: 512 + 24576 + 1024 + 1024 = 27136; 0.852"},
    // prefill graphs from 0.5.10 on: 8 MiB for each of 58 sizes up to 8192, or 1536 for MLA
    {{CARD(R(5, 10), 81559, 1)}, 830, 8192, 256, "0.5.10: 13440 + 464 = 13904; 0.8295"},
    {{CARD(R(5, 10), 81559, 1), .draft = KVB_SGL_DRAFT_EAGLE}, 785, 8192, 256, "0.5.10: 13440 + 4096; no graphs"},
    {{CARD(R(5, 11), 81559, 1), .draft = KVB_SGL_DRAFT_EAGLE}, 779, 8192, 256, "0.5.11: 13904 + 4096 = 18000; 0.7793"},
    {{CARD(R(5, 12), 81559, 1), .kind = MLA}, 816, 8192, 256, "0.5.12: 13440 + 1536 = 14976"},
    {{CARD(R(5, 13), 46068, 1)}, 843, 4096, 32, "0.5.13: 6848 + 50 x 8 = 7248; 0.8427"},
    {{CARD(R(5, 14), 81559, 1), .draft = KVB_SGL_DRAFT_EAGLE}, 830, 8192, 256, "0.5.14: drafts are loaded before"},
    {{CARD(R(5, 15), 81559, 1)}, 830, 8192, 256, "0.5.15"},
    {{CARD(R(5, 15), 81559, 1), .kind = MLA}, 835, 8192, 256, "0.5.15: no prefill graphs for MLA"},
    {{CARD(R(5, 15), 32607, 1)}, 874, 2048, 24, "0.5.15: 512 + 3072 + 128 + 48 + 336 = 4096"},
    {{CARD(R(5, 15), 81559, 1), .role = KVB_SGL_DECODE}, 874, 8192, 256, "0.5.15: decode node: 10240, the least"},
    {{CARD(R(5, 15), 81559, 1), .no_graphs = true}, 841, 8192, 256, "0.5.15: 512 + 12288 + 128 = 12928; 0.84149"},
    {{CARD(R(5, 15), 81559, 8), .deepep = true}, 793, 8192, 512, "0.5.15: 14848 + 2048 = 16896; 0.7928"},
    {{CARD(R(5, 16), 183359, 4), .batch = 200}, 855, 16384, 200, "0.5.16: 512 + 24576 + 512 + 400 + 74 x 8; 0.8549"},
    {{CARD(R(5, 18), 81559, 1), .kind = MLA}, 816, 8192, 256, "0.5.18: MLA captures again: 14976"},
    // adjust_mem_fraction_for_vlm: 0.95 x clamp(1.1 - 0.1 c, 0.8, 1.05), c = 32 x 1280^2 / (24 x 1024^2) = 2.083
    {{CARD(R(5, 3), 32607, 1), .kind = TOWER}, 750, 2048, 16, "0.5.3: 3744 of 32607: 0.885 x 0.95 x 0.89167 = 0.7497"},
    // Qwen2.5-VL says "depth": 24 layers of 1280; sg-docs-qwen2-5-vl-7b-049post3-f784 prints 0.78359562
    {{CARD(R(4, 9) + 3, 81559, 1), .kind = DEPTH}, 784, 8192, 160, "0.4.9.post3: 0.874 x 0.95 x 0.94375 = 0.7836"},
    {{CARD(R(5, 3), 32607, 1), .kind = DEPTH}, 793, 2048, 16, "0.5.3: 0.885 x 0.95 x 0.94375 = 0.79346"},
    // model_executor/model_runner.py at 0.3.5 multiplies its own value, 0.3.4.post2 a copy
    {{CARD(R(3, 5), 81559, 1), .kind = TOWER}, 836, 8192, 160, "0.3.5: 0.88 x 0.95"},
    {{CARD(R(3, 4) + 2, 81559, 1), .kind = TOWER}, 880, 8192, 160, "0.3.4.post2: 0.88"},
    {{CARD(R(4, 8), 81559, 1), .kind = TOWER}, 787, 8192, 160, "0.4.8: 0.874 x 0.9 = 0.7866"},
    {{CARD(R(4, 8), 81559, 1), .kind = TOWER, .fraction_ppb = 800000000}, 720, 8192, 160, "0.4.8: stated too"},
    {{CARD(R(5, 3), 81559, 1), .kind = TOWER, .fraction_ppb = 800000000}, 800, 8192, 256, "0.5.3: not a stated one"},
    // a card nobody says the size of
    {{CARD(R(4, 5) + 3, 0, 1)}, 880, 2048, 8, "0.4.5.post3"},
    {{CARD(R(4, 6) + 1, 0, 1)}, 880, 2048, 8, "0.4.6.post1"},
    {{CARD(R(5, 3), 0, 1)}, 880, 4096, 160, "0.5.3"},
    // AITER on ROCm with more than 8192 tokens, 0.4.7 and later
    {{CARD(R(5, 1), 196592, 1), .hip = true}, 708, 16384, 512, "0.5.1: 0.833 x 0.85 = 0.708"},
};

static void make_setup(const struct given *given, struct kvb_model *model, struct kvb_sgl_setup *setup)
{
    static const struct shape shape = {"m", 32, 32, 8, 128, 0, 0, 0, KVB_ATTENTION_NONE, 131072};
    make_model(&shape, model);
    if (given->kind == MLA) {
        model->kinds[0].attention.kind = KVB_ATTENTION_MLA;
        model->kinds[0].attention.latent_rank = 512;
        model->kinds[0].attention.rope_size = 64;
    } else if (given->kind != TEXT) {
        model->encoder.family = KVB_ENCODER_QWEN25_VL;
        model->encoder.layers = 32;
        model->encoder.hidden_size = model->encoder.plain_hidden_size = 1280;
        model->encoder.plain_layers = given->kind == TOWER ? 32 : 0;
    }
    *setup = (struct kvb_sgl_setup){.release = given->release,
                                    .model = model,
                                    .card_mib = given->card_mib,
                                    .cuda = !given->hip,
                                    .hip = given->hip,
                                    .backend = given->hip ? KVB_SGL_BACKEND_AITER : KVB_SGL_BACKEND_AUTO,
                                    .tp = given->tp,
                                    .pp = given->pp,
                                    .dp = given->dp,
                                    .dp_attention = given->dp > 1,
                                    .context_tokens = 131072,
                                    .draft = given->draft,
                                    .role = given->role,
                                    .graph_batch = given->batch,
                                    .no_graphs = given->no_graphs,
                                    .deepep = given->deepep,
                                    .all_to_all = given->deepep,
                                    .multimodal = given->kind >= TOWER,
                                    .fraction_ppb = given->fraction_ppb};
}

static void defaults_by_release(void **state)
{
    (void)state;
    int wrong = 0;
    for (size_t i = 0; i < sizeof rows / sizeof rows[0]; i++) {
        static struct kvb_model model;
        struct kvb_sgl_setup setup;
        struct kvb_sgl_defaults defaults;
        make_setup(&rows[i].given, &model, &setup);
        kvb_sgl_defaults_of(&setup, &defaults);
        uint64_t thousandths = (defaults.fraction_ppb + 500000) / 1000000;
        if (thousandths != rows[i].thousandths || defaults.chunk_tokens != rows[i].chunk ||
            defaults.graph_batch != rows[i].batch) {
            print_error("%s (row %zu): %llu, chunk %llu, batch %llu\n", rows[i].source, i,
                        (unsigned long long)thousandths, (unsigned long long)defaults.chunk_tokens,
                        (unsigned long long)defaults.graph_batch);
            wrong++;
        }
    }
    assert_int_equal(wrong, 0);
}

// The lists of server_args.py as they stand there: list(range(first, behind, step)) one after the other, those up to
// the most that is captured.
struct stretch {
    uint64_t first, behind, step;
};

static uint64_t listed(const struct stretch *stretches, size_t count, uint64_t most)
{
    uint64_t sizes = 0;
    for (size_t i = 0; i < count; i++) {
        uint64_t behind = stretches[i].behind > 0 ? stretches[i].behind : most + 1;
        for (uint64_t size = stretches[i].first; size < behind; size += stretches[i].step) {
            sizes += size <= most ? 1 : 0;
        }
    }
    return sizes;
}

// _generate_piecewise_cuda_graph_tokens at 0.5.4, 0.5.8 and 0.5.9.
static void prefill_sizes(void **state)
{
    (void)state;
    static const struct {
        uint32_t release;
        struct stretch stretches[6];
        size_t count;
    } rows_of[] = {
        {R(5, 7), {{4, 33, 4}, {48, 257, 16}, {288, 513, 32}, {640, 4097, 128}, {4352, 0, 256}}, 5},
        {R(5, 8), {{4, 33, 4}, {48, 257, 16}, {288, 513, 32}, {640, 1025, 64}, {1280, 4097, 256}, {4608, 0, 512}}, 6},
        {R(5, 9), {{4, 33, 4}, {48, 257, 16}, {288, 513, 32}, {576, 1025, 64}, {1280, 4097, 256}, {4608, 0, 512}}, 6},
        {R(5, 18), {{4, 33, 4}, {48, 257, 16}, {288, 513, 32}, {576, 1025, 64}, {1280, 4097, 256}, {4608, 0, 512}}, 6},
    };
    for (size_t i = 0; i < sizeof rows_of / sizeof rows_of[0]; i++) {
        for (uint64_t most = 0; most < 10000; most++) {
            uint64_t sizes = listed(rows_of[i].stretches, rows_of[i].count, most);
            assert_int_equal(kvb_sgl_prefill_sizes(rows_of[i].release, most), sizes);
        }
    }
    assert_int_equal(kvb_sgl_prefill_sizes(R(5, 10), 2048), 42);
    assert_int_equal(kvb_sgl_prefill_sizes(R(5, 10), 8192), 58);
}

// The longest prompt that is captured: server_args.py from 0.5.6 to 0.5.18. A chunk from 0.5.7 on, 2,048 tokens of
// latent caches from 0.5.8 on; from 0.5.10 on no more than --max-total-tokens and, for Llama 2, 4,096; from 0.5.13 to
// 0.5.17 no more than --context-length, whatever is said: that was taken out on 4 August 2026, and a checkout of 1
// August calls itself 0.5.17.
static void longest_prompts(void **state)
{
    (void)state;
#define LLAMA2 "meta-llama/Llama-2-7b-chat-hf"
    static const struct {
        uint32_t release;
        enum kind kind;
        const char *name;
        uint64_t chunk, asked, total, context, tokens;
    } rows_of[] = {
        {R(5, 6) + 2, TEXT, "m", 8192, 0, 0, 0, 4096},
        {R(5, 7), TEXT, "m", 8192, 0, 0, 0, 8192},
        {R(5, 7), MLA, "m", 8192, 0, 0, 0, 8192},
        {R(5, 8), MLA, "m", 8192, 0, 0, 0, 2048},
        {R(5, 8), TEXT, "m", 8192, 0, 0, 0, 8192},
        {R(5, 9), TEXT, "m", 8192, 0, 3000, 0, 8192},
        {R(5, 10), TEXT, "m", 8192, 0, 3000, 0, 3000},
        {R(5, 10), TEXT, "m", 8192, 0, 9000, 0, 8192},
        {R(5, 10), TEXT, "m", 8192, 5000, 3000, 0, 5000}, // what is said is taken
        {R(5, 10), TEXT, "m", KVB_SGL_OFF, 0, 0, 0, 0},
        {R(5, 10), TEXT, "m", KVB_SGL_OFF, 5000, 0, 0, 5000},
        {R(5, 9), TEXT, LLAMA2, 8192, 0, 0, 0, 8192},
        {R(5, 10), TEXT, LLAMA2, 8192, 0, 0, 0, 4096},
        {R(5, 18), TEXT, "meta-llama/llama-2-13b", 8192, 0, 0, 0, 4096},
        {R(5, 10), TEXT, LLAMA2, 2048, 0, 0, 0, 2048},
        {R(5, 10), TEXT, LLAMA2, 8192, 8192, 0, 0, 8192},
        {R(5, 10), TEXT, "meta-llama/Llama-3.1-8B", 8192, 0, 0, 0, 8192},
        {R(5, 12), TEXT, "m", 8192, 0, 0, 1000, 8192},
        {R(5, 13), TEXT, "m", 8192, 0, 0, 1000, 1000},
        {R(5, 13), TEXT, "m", 8192, 0, 0, 0, 8192},
        {R(5, 13), TEXT, "m", 8192, 6000, 0, 1000, 1000},
        {R(5, 16), TEXT, "m", 8192, 0, 0, 1000, 1000},
        {R(5, 17), TEXT, "m", 8192, 0, 0, 1000, 1000},
        {R(5, 18), TEXT, "m", 8192, 0, 0, 1000, 8192},
    };
    for (size_t i = 0; i < sizeof rows_of / sizeof rows_of[0]; i++) {
        static struct kvb_model model;
        struct kvb_sgl_setup setup;
        struct kvb_sgl_defaults defaults;
        make_setup(&(struct given){CARD(rows_of[i].release, 81559, 1), .kind = rows_of[i].kind}, &model, &setup);
        (void)strcpy(model.name, rows_of[i].name);
        setup.prefill_graphs = KVB_YES;
        setup.chunk_tokens = rows_of[i].chunk;
        setup.prefill_graph_tokens = rows_of[i].asked;
        setup.max_total_tokens = rows_of[i].total;
        setup.context_asked = rows_of[i].context;
        kvb_sgl_defaults_of(&setup, &defaults);
        if (defaults.prefill_tokens != rows_of[i].tokens) {
            fail_msg("row %zu: %llu", i, (unsigned long long)defaults.prefill_tokens);
        }
        assert_int_equal(defaults.prefill_sizes, kvb_sgl_prefill_sizes(rows_of[i].release, rows_of[i].tokens));
    }
}

// What a stated share of one is multiplied with: towers with 0.95 from 0.3.5 on, 0.9 from 0.4.5 to 0.4.8.post1
// (model_runner.py), AITER's long contexts with 0.85 (server_args.py 0.4.7), one after the other.
static void factors_of_one(void **state)
{
    (void)state;
    static const struct {
        uint32_t release;
        enum kind kind;
        bool hip;
        uint64_t context, ppb;
    } rows_of[] = {
        {R(3, 4) + 2, TOWER, false, 131072, 1000000000}, {R(3, 5), TOWER, false, 131072, 950000000},
        {R(4, 4) + 4, TOWER, false, 131072, 950000000},  {R(4, 5), TOWER, false, 131072, 900000000},
        {R(4, 8) + 1, TOWER, false, 131072, 900000000},  {R(4, 9), TOWER, false, 131072, 1000000000},
        {R(4, 6) + 5, TEXT, true, 131072, 1000000000},   {R(4, 7), TEXT, true, 131072, 850000000},
        {R(4, 7), TEXT, true, 8193, 850000000},          {R(4, 7), TEXT, true, 8192, 1000000000},
        {R(4, 8), TOWER, true, 8193, 765000000},         {R(5, 18), TEXT, true, 8193, 850000000},
        {R(5, 18), TEXT, false, 131072, 1000000000},
    };
    for (size_t i = 0; i < sizeof rows_of / sizeof rows_of[0]; i++) {
        static struct kvb_model model;
        struct kvb_sgl_setup setup;
        struct kvb_sgl_defaults defaults;
        make_setup(&(struct given){CARD(rows_of[i].release, 81559, 1), .kind = rows_of[i].kind, .hip = rows_of[i].hip,
                                   .fraction_ppb = 1000000000},
                   &model, &setup);
        setup.context_tokens = rows_of[i].context;
        kvb_sgl_defaults_of(&setup, &defaults);
        if (defaults.fraction_ppb != rows_of[i].ppb) {
            fail_msg("row %zu: %llu", i, (unsigned long long)defaults.fraction_ppb);
        }
    }
}

// adjust_mem_fraction_for_vlm to the billionth: 0.95 x (1.1 - 0.1 x layers x width^2 / (24 x 1024^2)), from 0.8
// to 1.05, of 0.835 (0.5.3 on 81,559 MiB).
static void tower_factors(void **state)
{
    (void)state;
    static const struct {
        uint32_t layers, width;
        bool text_only;
        uint64_t ppb;
    } rows_of[] = {
        {24, 1024, false, 793250000}, // 1: 0.835 x 0.95
        {24, 0, false, 793250000},    // what nobody says
        {0, 0, false, 793250000},
        {27, 1152, false, 759629834}, // 27 x 1152^2 = 35,831,808 of 25,165,824: 1.4238281; 0.95761719
        {26, 1000, false, 790620600}, // 26,000,000: 1.0331470; 0.99668530
        {12, 768, false, 832912500},  // 0.28125: 1.071875, at most 1.05
        {48, 1664, false, 634600000}, // 5.28: at least 0.8
        {24, 1024, true, 835000000},  // --language-only
    };
    for (size_t i = 0; i < sizeof rows_of / sizeof rows_of[0]; i++) {
        static struct kvb_model model;
        struct kvb_sgl_setup setup;
        struct kvb_sgl_defaults defaults;
        make_setup(&(struct given){CARD(R(5, 3), 81559, 1), .kind = TOWER}, &model, &setup);
        model.encoder.plain_layers = rows_of[i].layers;
        model.encoder.plain_hidden_size = rows_of[i].width;
        setup.text_only = rows_of[i].text_only;
        kvb_sgl_defaults_of(&setup, &defaults);
        uint64_t off = defaults.fraction_ppb > rows_of[i].ppb ? defaults.fraction_ppb - rows_of[i].ppb
                                                              : rows_of[i].ppb - defaults.fraction_ppb;
        if (off > 100) {
            fail_msg("row %zu: %llu", i, (unsigned long long)defaults.fraction_ppb);
        }
    }
}

KVB_TEST_MAIN(cmocka_unit_test(tower_factors), cmocka_unit_test(factors_of_one), cmocka_unit_test(defaults_by_release),
              cmocka_unit_test(prefill_sizes), cmocka_unit_test(longest_prompts))
