// What SGLang's defaults hang on, on both sides of every bound and in the first and the last release of every rule:
// sizes by card, shares by rank, sums that are left free. Expected: server_args.py (__post_init__ to 0.5.2,
// _handle_gpu_memory_settings from 0.5.3 on) and model_executor/cuda_graph_runner.py of sgl-project/sglang at the
// releases named, worked by hand.
#include <stdio.h>
#include <string.h>

#include "engines/sglang/models.h"
#include "engines/sglang/setup.h"
#include "unit/kv_models.h"
#include "unit/test.h"

#define R(minor, patch) KVB_RELEASE(0, minor, patch)

static struct kvb_model model;
static struct kvb_sgl_setup setup;
static struct kvb_sgl_defaults defaults;

// Llama-3.1-8B on one NVIDIA card, all left to the engine.
static void start(uint32_t release, uint64_t card_mib)
{
    static const struct shape shape = {"Llama-3.1-8B", 32, 32, 8, 128, 0, 0, 0, KVB_ATTENTION_SLIDING, 131072};
    make_model(&shape, &model);
    setup = (struct kvb_sgl_setup){.release = release,
                                   .model = &model,
                                   .card_mib = card_mib,
                                   .cuda = true,
                                   .compute_capability = 90,
                                   .tp = 1,
                                   .pp = 1,
                                   .dp = 1,
                                   .context_tokens = 131072,
                                   .prefill_graphs = KVB_NO};
}

static void fill(void)
{
    kvb_sgl_defaults_of(&setup, &defaults);
}

// ---- chunk and largest captured batch by card

struct sizes_row {
    uint32_t first, last; // releases
    uint64_t from_mib, to_mib;
    uint64_t chunk, batch, wide; // wide: from 4 ranks on
};

static const struct sizes_row sizes[] = {
    {R(3, 5), R(3, 5), 16000, 200000, 8192, 160, 160},
    {R(3, 6), R(4, 0), 16000, 24999, 2048, 8, 8}, // gpu_mem < 25_000
    {R(3, 6), R(4, 0), 25000, 200000, 8192, 160, 160},
    {R(4, 0) + 1, R(4, 5) + 2, 16000, 24999, 2048, 8, 80},
    {R(4, 0) + 1, R(4, 5) + 2, 25000, 200000, 8192, 160, 160},
    {R(4, 5) + 3, R(4, 6) + 1, 16000, 24999, 2048, 8, 80},
    {R(4, 5) + 3, R(4, 6) + 1, 25000, 81920, 8192, 160, 160}, // gpu_mem > 81920 captures to 256
    {R(4, 5) + 3, R(4, 6) + 1, 81921, 200000, 8192, 256, 256},
    {R(4, 6) + 2, R(4, 6) + 5, 16000, 24999, 2048, 8, 80},
    {R(4, 6) + 2, R(4, 6) + 5, 25000, 98304, 8192, 160, 160}, // > 96 * 1024
    {R(4, 6) + 2, R(4, 6) + 5, 98305, 200000, 8192, 256, 256},
    {R(4, 7), R(4, 7), 16000, 24999, 2048, 8, 80},
    {R(4, 7), R(4, 7), 25000, 98304, 8192, 160, 160},
    {R(4, 7), R(4, 7), 98305, 180000, 8192, 256, 256},
    {R(4, 7), R(4, 7), 180001, 200000, 16384, 512, 512}, // > 180_000
    {R(4, 7) + 1, R(5, 2), 16000, 35839, 2048, 8, 80},   // < 35 * 1024
    {R(4, 7) + 1, R(5, 2), 35840, 92160, 8192, 160, 160},
    {R(4, 7) + 1, R(5, 2), 92161, 160000, 8192, 256, 256},
    {R(4, 7) + 1, R(5, 2), 160001, 163839, 8192, 512, 512}, // cuda_graph_runner.py: > 160 * 1000
    {R(4, 7) + 1, R(5, 2), 163840, 200000, 16384, 512, 512},
    {R(4, 7) + 1, R(5, 2), 0, 0, 4096, 160, 160}, // gpu_mem is None
    {R(5, 3), R(5, 4), 16000, 20479, 2048, 8, 8}, // < 20, 35, 60, 160 GiB
    {R(5, 3), R(5, 4), 20480, 35839, 2048, 16, 80},
    {R(5, 3), R(5, 4), 35840, 61439, 4096, 32, 160},
    {R(5, 3), R(5, 4), 61440, 163839, 8192, 256, 512},
    {R(5, 3), R(5, 4), 163840, 200000, 16384, 512, 512},
    {R(5, 4) + 1, R(5, 18), 16000, 20479, 2048, 8, 8},
    {R(5, 4) + 1, R(5, 18), 20480, 35839, 2048, 24, 80},
    {R(5, 4) + 1, R(5, 18), 35840, 61439, 4096, 32, 160},
    {R(5, 4) + 1, R(5, 18), 61440, 163839, 8192, 256, 512},
    {R(5, 4) + 1, R(5, 18), 163840, 200000, 16384, 512, 512},
    {R(5, 4) + 1, R(5, 18), 0, 0, 4096, 160, 160},
};

static void sizes_by_card(void **state)
{
    (void)state;
    for (size_t i = 0; i < sizeof sizes / sizeof sizes[0]; i++) {
        const struct sizes_row *row = &sizes[i];
        for (unsigned at = 0; at < 8; at++) {
            start(at & 1 ? row->last : row->first, at & 2 ? row->to_mib : row->from_mib);
            setup.tp = at & 4 ? 4 : 3;
            fill();
            uint64_t batch = at & 4 ? row->wide : row->batch;
            if (defaults.chunk_tokens != row->chunk || defaults.graph_batch != batch) {
                fail_msg("%u on %llu MiB, %u ranks: %llu, %llu", setup.release, (unsigned long long)setup.card_mib,
                         setup.tp, (unsigned long long)defaults.chunk_tokens, (unsigned long long)defaults.graph_batch);
            }
        }
    }
}

// 0.4.6.post2 to 0.4.7: prefill and decode apart take 16,384, but on small cards; not before, nor after.
static void chunks_apart(void **state)
{
    (void)state;
    static const struct {
        uint32_t release;
        uint64_t card_mib, chunk;
    } rows[] = {{R(4, 6) + 1, 81559, 8192},
                {R(4, 6) + 2, 81559, 16384},
                {R(4, 7), 81559, 16384},
                {R(4, 7) + 1, 81559, 8192},
                {R(4, 7), 24564, 2048}};
    for (size_t i = 0; i < sizeof rows / sizeof rows[0]; i++) {
        start(rows[i].release, rows[i].card_mib);
        setup.role = KVB_SGL_PREFILL;
        fill();
        assert_int_equal(defaults.chunk_tokens, rows[i].chunk);
    }
}

// Data-parallel attention halves chunks to 0.4.4 and shares them out later; to 0.4.0.post1 no more than 96 are
// captured. Drafts to 0.4.3.post2 and towers of 0.4.4.post4 to 0.4.6.post4 prefill whole prompts.
static void chunks_changed_later(void **state)
{
    (void)state;
    static const struct {
        uint32_t release;
        uint64_t chunk, batch;
    } shared[] = {{R(4, 0) + 1, 4096, 96}, {R(4, 0) + 2, 4096, 160}, {R(4, 4), 4096, 160}, {R(4, 4) + 1, 2048, 160}};
    for (size_t i = 0; i < sizeof shared / sizeof shared[0]; i++) {
        start(shared[i].release, 81559);
        setup.tp = setup.dp = 4;
        setup.dp_attention = true;
        fill();
        assert_int_equal(defaults.chunk_tokens, shared[i].chunk);
        assert_int_equal(defaults.graph_batch, shared[i].batch);
    }
    static const struct {
        uint32_t release;
        bool draft, tower, whole;
    } whole[] = {{R(4, 3) + 2, true, false, true},  {R(4, 3) + 3, true, false, false},
                 {R(4, 4) + 3, false, true, false}, {R(4, 4) + 4, false, true, true},
                 {R(4, 6) + 4, false, true, true},  {R(4, 6) + 5, false, true, false}};
    for (size_t i = 0; i < sizeof whole / sizeof whole[0]; i++) {
        start(whole[i].release, 81559);
        setup.draft = whole[i].draft ? KVB_SGL_DRAFT_EAGLE : KVB_SGL_DRAFT_NONE;
        setup.multimodal = whole[i].tower;
        fill();
        assert_int_equal(defaults.chunk_tokens, whole[i].whole ? KVB_SGL_OFF : 8192);
    }
}

// ---- fractions to 0.4.7

static void shares_by_rank(void **state)
{
    (void)state;
    static const struct {
        uint32_t first, last;
        uint32_t percent[5]; // of 1, 2, 4, 8, 16 ranks and more
    } rows[] = {{R(2, 0), R(2, 6), {89, 88, 86, 84, 80}},
                {R(2, 7), R(3, 5), {88, 87, 85, 83, 79}},
                {R(3, 6), R(3, 6) + 3, {88, 87, 85, 82, 79}},
                {R(4, 0), R(4, 7), {88, 87, 85, 81, 79}}};
    for (size_t i = 0; i < sizeof rows / sizeof rows[0]; i++) {
        for (unsigned step = 0; step < 10; step++) { // 1, 1, 2, 3, 4, 7, 8, 15, 16, 31 ranks
            start(step & 1 ? rows[i].last : rows[i].first, 81559);
            setup.tp = (step & 1 ? (2U << step / 2) - 1 : 1U << step / 2);
            fill();
            assert_int_equal(defaults.fraction_ppb, rows[i].percent[step / 2] * 10000000U);
        }
    }
    start(R(4, 6) + 1, 81559); // stages count from 0.4.6.post2 on
    setup.pp = 2;
    fill();
    assert_int_equal(defaults.fraction_ppb, 880000000);
    setup.release = R(4, 6) + 2;
    fill();
    assert_int_equal(defaults.fraction_ppb, 870000000);
}

// 0.4.5.post3: 13 GiB are left above 80; 0.4.6.post2: min(0.88 + 48 GiB x 0.12 / card, (card - 18 GiB) / card) above
// 96, 20 GiB with a draft at 0.4.7, where drafts take a twentieth of smaller cards; 0.79 above 180,000 MiB on NVIDIA.
static void fractions_of_large_cards(void **state)
{
    (void)state;
    static const struct {
        uint32_t release;
        uint64_t card_mib;
        enum kvb_sgl_draft draft;
        bool hip;
        uint64_t ppb;
    } rows[] = {
        {R(4, 5) + 2, 100000, 0, false, 810000000},
        {R(4, 5) + 3, 81920, 0, false, 810000000},
        {R(4, 5) + 3, 100000, 0, false, 866880000}, // (100000 - 13312) / 100000
        {R(4, 6) + 1, 100000, 0, false, 866880000},
        {R(4, 6) + 2, 81920, 0, false, 810000000},
        {R(4, 6) + 2, 81921, 0, false, 880000000},
        {R(4, 6) + 2, 98304, 0, false, 880000000},
        {R(4, 6) + 2, 100000, 0, false, 815680000}, // (100000 - 18432) / 100000
        {R(4, 6) + 2, 0, 0, false, 880000000},      // a card nobody knows
        {R(4, 6) + 2, 100000, KVB_SGL_DRAFT_EAGLE, false, 815680000},
        {R(4, 7), 100000, KVB_SGL_DRAFT_EAGLE, false, 795200000}, // 20480
        {R(4, 6) + 2, 98304, KVB_SGL_DRAFT_EAGLE, false, 880000000},
        {R(4, 7), 98304, KVB_SGL_DRAFT_EAGLE, false, 836000000}, // 0.88 x 0.95
        {R(4, 6) + 5, 200000, 0, false, 907840000},              // (200000 - 18432) / 200000 < 0.88 + 0.0295
        {R(4, 7), 180000, 0, false, 897600000},                  // (180000 - 18432) / 180000
        {R(4, 7), 180001, 0, false, 790000000},
        {R(4, 7), 200000, 0, true, 907840000},
        {R(4, 7), 400000, 0, true, 894745600}, // 0.88 + 49152 x 0.12 / 400000
    };
    for (size_t i = 0; i < sizeof rows / sizeof rows[0]; i++) {
        start(rows[i].release, rows[i].card_mib);
        setup.tp = 8;
        setup.draft = rows[i].draft;
        setup.cuda = !rows[i].hip;
        fill();
        if (defaults.fraction_ppb != rows[i].ppb) {
            fail_msg("row %zu: %llu", i, (unsigned long long)defaults.fraction_ppb);
        }
    }
}

// ---- sums left free

// 0.4.7.post1 to 0.5.2, in GiB, p ranks of tensors and stages: 2.8 + p / 10 below 35, 9.5 + p / 2 below 90, 12 + p / 2
// below 160, 32; a draft 2 (standalone from 0.5.2 on 6), data-parallel attention 4.
static void sums_by_table(void **state)
{
    (void)state;
    static const struct {
        uint32_t release;
        uint64_t card_mib;
        uint32_t tp, pp;
        enum kvb_sgl_draft draft;
        bool dp_attention;
        uint64_t gib_tenths;
    } rows[] = {
        {R(4, 7) + 1, 35839, 1, 1, 0, false, 29},
        {R(4, 7) + 1, 35840, 1, 1, 0, false, 100},
        {R(4, 7) + 1, 92159, 2, 3, 0, false, 125},
        {R(4, 7) + 1, 92160, 2, 3, 0, false, 150},
        {R(5, 2), 163839, 8, 1, 0, false, 160},
        {R(5, 2), 163840, 8, 1, 0, false, 320},
        {R(5, 1), 24564, 4, 2, 0, false, 36},
        {R(5, 1), 81559, 1, 1, KVB_SGL_DRAFT_EAGLE, false, 120},
        {R(5, 1), 81559, 1, 1, KVB_SGL_DRAFT_STANDALONE, false, 120},
        {R(5, 2), 81559, 1, 1, KVB_SGL_DRAFT_STANDALONE, false, 160},
        {R(5, 2), 81559, 1, 1, 0, true, 140},
    };
    for (size_t i = 0; i < sizeof rows / sizeof rows[0]; i++) {
        start(rows[i].release, rows[i].card_mib);
        setup.tp = rows[i].tp;
        setup.pp = rows[i].pp;
        setup.draft = rows[i].draft;
        setup.dp_attention = rows[i].dp_attention;
        fill();
        assert_int_equal(defaults.reserve_mib_tenths, rows[i].gib_tenths * 1024);
    }
}

// From 0.5.3 on, in MiB: 512, 1.5 a token of the chunk (2,048 at least; of --max-prefill-tokens without chunks), 128 a
// rank, 2 a captured batch, 3 more a batch and rank with data-parallel attention and 1.5 more above 300; 10 GiB at
// least on cards above 60; drafts 2 GiB (4 from 0.5.10 on, standalone 6) to 0.5.13.
struct sum_row {
    const char *what;
    struct kvb_sgl_setup with; // what differs
    uint64_t mib_tenths;
};

#define ON(version, card) .release = (version), .card_mib = (card)

static const struct sum_row sums[] = {
    {"2048 and 8", {ON(R(5, 3), 16384)}, 5120 + 15 * 2048 + 1280 + 20 * 8},
    {"four ranks", {ON(R(5, 3), 16384), .tp = 2, .pp = 2}, 5120 + 15 * 2048 + 4 * 1280 + 20 * 8},
    {"short chunk", {ON(R(5, 3), 16384), .chunk_tokens = 1024}, 5120 + 15 * 2048 + 1280 + 20 * 8},
    {"no chunk", {ON(R(5, 3), 40960), .chunk_tokens = KVB_SGL_OFF}, 5120 + 15 * 16384 + 1280 + 20 * 32},
    {"prefill said",
     {ON(R(5, 3), 40960), .chunk_tokens = KVB_SGL_OFF, .max_prefill_tokens = 4096},
     5120 + 15 * 4096 + 1280 + 20 * 32},
    {"60 GiB", {ON(R(5, 3), 61440), .graph_batch = 8, .chunk_tokens = 2048}, 5120 + 15 * 2048 + 1280 + 20 * 8},
    {"above", {ON(R(5, 3), 61441), .graph_batch = 8, .chunk_tokens = 2048}, 102400},
    {"groups",
     {ON(R(5, 3), 16384), .dp_attention = true, .dp = 4, .chunk_tokens = 8192, .graph_batch = 300},
     5120 + 15 * 8192 + 1280 + 20 * 300 + 30 * 300 * 4},
    {"groups above 300",
     {ON(R(5, 3), 16384), .dp_attention = true, .dp = 4, .chunk_tokens = 8192, .graph_batch = 301},
     5120 + 15 * 8192 + 1280 + 20 * 301 + 30 * 301 * 4 + 15 * 301 * 4},
    {"draft", {ON(R(5, 9), 16384), .draft = KVB_SGL_DRAFT_EAGLE}, 5120 + 15 * 2048 + 1280 + 20 * 8 + 20480},
    {"draft of 0.5.10", {ON(R(5, 10), 16384), .draft = KVB_SGL_DRAFT_EAGLE}, 5120 + 15 * 2048 + 1280 + 20 * 8 + 40960},
    {"draft of 0.5.13", {ON(R(5, 13), 16384), .draft = KVB_SGL_DRAFT_EAGLE}, 5120 + 15 * 2048 + 1280 + 20 * 8 + 40960},
    {"draft of 0.5.14", {ON(R(5, 14), 16384), .draft = KVB_SGL_DRAFT_EAGLE}, 5120 + 15 * 2048 + 1280 + 20 * 8},
    {"standalone", {ON(R(5, 9), 16384), .draft = KVB_SGL_DRAFT_STANDALONE}, 5120 + 15 * 2048 + 1280 + 20 * 8 + 61440},
    {"n-grams", {ON(R(5, 9), 16384), .draft = KVB_SGL_DRAFT_NGRAM}, 5120 + 15 * 2048 + 1280 + 20 * 8},
    {"no graphs to 0.5.14", {ON(R(5, 14), 16384), .no_graphs = true}, 5120 + 15 * 2048 + 1280 + 20 * 8},
    {"no graphs", {ON(R(5, 15), 16384), .no_graphs = true}, 5120 + 15 * 2048 + 1280},
    {"prefill alone", {ON(R(5, 15), 16384), .role = KVB_SGL_PREFILL}, 5120 + 15 * 2048 + 1280},
    {"prefill alone, groups",
     {ON(R(5, 15), 16384), .role = KVB_SGL_PREFILL, .dp_attention = true, .dp = 4},
     5120 + 15 * 2048 + 1280},
    {"prefill alone, groups, 0.5.14",
     {ON(R(5, 14), 16384), .role = KVB_SGL_PREFILL, .dp_attention = true, .dp = 4},
     5120 + 15 * 2048 + 1280 + 20 * 8 + 30 * 8 * 4},
    {"decode alone", {ON(R(5, 15), 16384), .role = KVB_SGL_DECODE}, 5120 + 15 * 2048 + 1280 + 20 * 8},
    {"decode alone, 4096 requests",
     {ON(R(5, 15), 16384), .role = KVB_SGL_DECODE, .requests_asked = 4096},
     5120 + 15 * 4096 + 1280 + 20 * 8},
    // defaults of drafts come later
    {"decode alone, requests by default",
     {ON(R(5, 15), 16384), .role = KVB_SGL_DECODE, .max_running_requests = 4096, .draft_tokens = 1024},
     5120 + 15 * 2048 + 1280 + 20 * 8},
    {"decode alone, drafts",
     {ON(R(5, 15), 16384), .role = KVB_SGL_DECODE, .requests_asked = 1024, .draft_tokens_asked = 4},
     5120 + 15 * 4096 + 1280 + 20 * 8},
    {"decode alone, captured",
     {ON(R(5, 15), 16384), .role = KVB_SGL_DECODE, .graph_batch = 3000},
     5120 + 15 * 3000 + 1280 + 20 * 3000},
    {"decode alone to 0.5.14",
     {ON(R(5, 14), 16384), .role = KVB_SGL_DECODE, .requests_asked = 4096},
     5120 + 15 * 2048 + 1280 + 20 * 8},
    {"exchange", {ON(R(5, 15), 16384), .deepep = true}, 5120 + 15 * 2048 + 1280 + 20 * 8 + 20480},
    {"exchange to 0.5.14", {ON(R(5, 14), 16384), .deepep = true}, 5120 + 15 * 2048 + 1280 + 20 * 8},
    {"exchange without graphs", {ON(R(5, 15), 16384), .deepep = true, .no_graphs = true}, 5120 + 15 * 2048 + 1280},
    {"exchange of a prefill", {ON(R(5, 15), 16384), .deepep = true, .role = KVB_SGL_PREFILL}, 5120 + 15 * 2048 + 1280},
};

static void sums_computed(void **state)
{
    (void)state;
    for (size_t i = 0; i < sizeof sums / sizeof sums[0]; i++) {
        start(sums[i].with.release, sums[i].with.card_mib);
        struct kvb_sgl_setup plain = setup;
        setup = sums[i].with;
        setup.model = plain.model;
        setup.cuda = true;
        setup.compute_capability = 90;
        setup.prefill_graphs = KVB_NO;
        setup.context_tokens = 4096;
        setup.tp = setup.tp > 0 ? setup.tp : 1;
        setup.pp = setup.pp > 0 ? setup.pp : 1;
        setup.dp = setup.dp > 0 ? setup.dp : 1;
        fill();
        if (defaults.reserve_mib_tenths != sums[i].mib_tenths) {
            fail_msg("%s: %llu, not %llu", sums[i].what, (unsigned long long)defaults.reserve_mib_tenths,
                     (unsigned long long)sums[i].mib_tenths);
        }
    }
}

// ---- factors

// Towers: 0.95 on any value from 0.3.5 on, 0.9 from 0.4.5 on, on defaults alone from 0.4.9 on; from 0.4.9.post3 on by
// the tower's size: min(max(1.1 - layers x width^2 / (24 x 1024^2) x 0.1, 0.8), 1.05) x 0.95. AITER with more than
// 8,192 tokens of context: 0.85 from 0.4.7 on.
static void factors(void **state)
{
    (void)state;
    static const struct {
        const char *what;
        struct kvb_sgl_setup with;
        uint32_t layers, width;
        uint64_t ppb; // of a value of 0.8 that is said, or of the default 0.88
    } rows[] = {
        {"0.3.4", {ON(R(3, 4), 81559), .multimodal = true, .fraction_ppb = 800000000}, 0, 0, 800000000},
        {"0.3.5", {ON(R(3, 5), 81559), .multimodal = true, .fraction_ppb = 800000000}, 0, 0, 760000000},
        {"0.4.4.post4", {ON(R(4, 4) + 4, 81559), .multimodal = true, .fraction_ppb = 800000000}, 0, 0, 760000000},
        {"0.4.5", {ON(R(4, 5), 81559), .multimodal = true, .fraction_ppb = 800000000}, 0, 0, 720000000},
        {"0.4.8.post1", {ON(R(4, 8) + 1, 81559), .multimodal = true, .fraction_ppb = 800000000}, 0, 0, 720000000},
        {"0.4.9", {ON(R(4, 9), 81559), .multimodal = true, .fraction_ppb = 800000000}, 0, 0, 800000000},
        {"text alone", {ON(R(4, 5), 81559), .fraction_ppb = 800000000}, 0, 0, 800000000},
        {"ViT-L", {ON(R(4, 9) + 3, 0), .multimodal = true}, 24, 1024, 836000000},     // 0.88 x 1.0 x 0.95
        {"size not told", {ON(R(4, 9) + 3, 0), .multimodal = true}, 0, 0, 836000000}, // 24 of 1024
        {"small", {ON(R(4, 9) + 3, 0), .multimodal = true}, 12, 512, 877800000},      // 1.0875, at most 1.05
        {"larger", {ON(R(4, 9) + 3, 0), .multimodal = true}, 48, 1024, 752400000},    // 0.9
        {"largest", {ON(R(4, 9) + 3, 0), .multimodal = true}, 96, 4096, 668800000},   // at least 0.8
        {"left out", {ON(R(4, 9) + 3, 0), .multimodal = true, .text_only = true}, 24, 1024, 880000000},
        {"decode alone", {ON(R(5, 17), 0), .multimodal = true, .role = KVB_SGL_DECODE}, 24, 1024, 880000000},
        {"decode alone, 0.5.16", {ON(R(5, 16), 0), .multimodal = true, .role = KVB_SGL_DECODE}, 24, 1024, 836000000},
        {"AITER",
         {ON(R(4, 7), 81559), .context_tokens = 8193, .backend = KVB_SGL_BACKEND_AITER, .fraction_ppb = 800000000},
         0,
         0,
         680000000},
        {"AITER, short",
         {ON(R(4, 7), 81559), .context_tokens = 8192, .backend = KVB_SGL_BACKEND_AITER, .fraction_ppb = 800000000},
         0,
         0,
         800000000},
        {"AITER, 0.4.6.post5",
         {ON(R(4, 6) + 5, 81559), .context_tokens = 8193, .backend = KVB_SGL_BACKEND_AITER, .fraction_ppb = 800000000},
         0,
         0,
         800000000},
    };
    for (size_t i = 0; i < sizeof rows / sizeof rows[0]; i++) {
        start(rows[i].with.release, rows[i].with.card_mib);
        model.encoder = (struct kvb_encoder){.family = KVB_ENCODER_GEMMA3,
                                             .layers = 24,
                                             .plain_layers = rows[i].layers,
                                             .plain_hidden_size = rows[i].width};
        setup = rows[i].with;
        setup.model = &model;
        setup.cuda = true;
        setup.prefill_graphs = KVB_NO;
        setup.tp = setup.pp = setup.dp = 1;
        fill();
        if (defaults.fraction_ppb != rows[i].ppb) {
            fail_msg("%s: %llu", rows[i].what, (unsigned long long)defaults.fraction_ppb);
        }
    }
}

KVB_TEST_MAIN(cmocka_unit_test(sizes_by_card), cmocka_unit_test(chunks_apart), cmocka_unit_test(chunks_changed_later),
              cmocka_unit_test(shares_by_rank), cmocka_unit_test(fractions_of_large_cards),
              cmocka_unit_test(sums_by_table), cmocka_unit_test(sums_computed), cmocka_unit_test(factors))
