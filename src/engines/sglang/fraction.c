// The default of --mem-fraction-static, of --chunked-prefill-size and of --cuda-graph-max-bs, as each release derives
// them from the card. Source: sgl-project/sglang, python/sglang/srt/server_args.py (__post_init__ to 0.5.2,
// _handle_gpu_memory_settings from 0.5.3), utils (get_device_memory_capacity).
#include "engines/sglang/models.h"
#include "engines/sglang/setup.h"

#include "base/checked.h"
#include "base/text.h"
#include "budget/shapes.h"

#define MIB_TENTHS 10U // reserves are counted in tenths of a MiB: 1.5 MiB a token, 2.8 GiB for small cards
#define GIB_TENTHS (1024U * MIB_TENTHS)
#define WITHOUT_CARD_PPB 880000000U // no nvidia-smi and no torch total
#define SMALLEST_CHUNK 2048U
#define DEFAULT_PREFILL_TOKENS 16384U

// What the release tells apart by the card's size; larger cards are as in the rows of the release before.
struct card_row {
    uint32_t since;
    uint64_t below_mib; // 0: any card
    uint64_t chunk_tokens;
    uint64_t batch, wide_batch; // wide: tensor parallel size of 4 and more
};
static const struct card_row cards[] = {
    // 0.5.4.post1, server_args.py: 24 for cards of 20 to 35 GiB
    {KVB_RELEASE(0, 5, 4) + 1, 20 * 1024, 2048, 8, 8},
    {KVB_RELEASE(0, 5, 4) + 1, 35 * 1024, 2048, 24, 80},
    {KVB_RELEASE(0, 5, 4) + 1, 60 * 1024, 4096, 32, 160},
    {KVB_RELEASE(0, 5, 4) + 1, 160 * 1024, 8192, 256, 512},
    {KVB_RELEASE(0, 5, 3), 20 * 1024, 2048, 8, 8},
    {KVB_RELEASE(0, 5, 3), 35 * 1024, 2048, 16, 80},
    {KVB_RELEASE(0, 5, 3), 60 * 1024, 4096, 32, 160},
    {KVB_RELEASE(0, 5, 3), 160 * 1024, 8192, 256, 512},
    // To 0.5.2 larger cards capture larger batches (model_executor/cuda_graph_runner.py, get_batch_sizes_to_capture).
    {KVB_RELEASE(0, 4, 7) + 1, 35 * 1024, 2048, 8, 80},
    {KVB_RELEASE(0, 4, 7) + 1, 90 * 1024 + 1, 8192, 160, 160},
    {KVB_RELEASE(0, 4, 7) + 1, 160 * 1000 + 1, 8192, 256, 256},
    {KVB_RELEASE(0, 4, 7) + 1, 160 * 1024, 8192, 512, 512},
    {KVB_RELEASE(0, 4, 7) + 1, 0, 16384, 512, 512},
    // 0.4.7, server_args.py: cards above 180,000 MiB prefill in larger chunks
    {KVB_RELEASE(0, 4, 7), 25000, 2048, 8, 80},
    {KVB_RELEASE(0, 4, 7), 96 * 1024 + 1, 8192, 160, 160},
    {KVB_RELEASE(0, 4, 7), 180001, 8192, 256, 256},
    {KVB_RELEASE(0, 4, 7), 0, 16384, 512, 512},
    {KVB_RELEASE(0, 4, 6) + 2, 25000, 2048, 8, 80},
    {KVB_RELEASE(0, 4, 6) + 2, 96 * 1024 + 1, 8192, 160, 160},
    {KVB_RELEASE(0, 4, 5) + 3, 25000, 2048, 8, 80},
    {KVB_RELEASE(0, 4, 5) + 3, 81921, 8192, 160, 160},
    {KVB_RELEASE(0, 4, 5) + 3, 0, 8192, 256, 256},
    {KVB_RELEASE(0, 4, 0) + 1, 25000, 2048, 8, 80},
    {KVB_RELEASE(0, 3, 6), 25000, 2048, 8, 8},
    {0, 0, 8192, 160, 160},
};

static const struct card_row *card_of(const struct kvb_sgl_setup *setup)
{
    const struct card_row *row = cards;
    while (row->since > setup->release || (row->below_mib != 0 && setup->card_mib >= row->below_mib)) {
        row++;
    }
    return row;
}

// A card nobody knows the size of: 4096 tokens and 160 requests from 0.4.7.post1 on.
static const struct card_row unknown_card = {KVB_RELEASE(0, 4, 7) + 1, 0, 4096, 160, 160};

static void fill_sizes(const struct kvb_sgl_setup *setup, struct kvb_sgl_defaults *out)
{
    bool unknown = setup->card_mib == 0 && setup->release >= unknown_card.since;
    const struct card_row *row = unknown ? &unknown_card : card_of(setup);
    bool wide = setup->tp >= 4;
    out->chunk_tokens = setup->chunk_tokens;
    if (out->chunk_tokens == 0) {
        bool split = setup->role != KVB_SGL_WHOLE && setup->release >= KVB_RELEASE(0, 4, 6) + 2 &&
                     setup->release < KVB_RELEASE(0, 4, 7) + 1 && row->chunk_tokens == 8192;
        out->chunk_tokens = split ? 16384 : row->chunk_tokens; // 0.4.6.post2 to 0.4.7: prefill and decode apart
    }
    // 0.4.6 and 0.4.6.post1: large cards capture no more where requests are spread over several ranks (dp_size > 1).
    bool spread = setup->dp > 1 && setup->release >= KVB_RELEASE(0, 4, 6) && setup->release < KVB_RELEASE(0, 4, 6) + 2;
    uint64_t usual = wide ? row->wide_batch : row->batch;
    out->graph_batch = setup->graph_batch > 0 ? setup->graph_batch : spread ? kvb_min(usual, 160) : usual;
}

// What changes chunks after the fraction was computed of them. Data-parallel attention to 0.4.4 halves them, and to
// 0.4.0.post1 captures no more than 96; from 0.4.4.post1 on each group takes its share. Drafts of 0.4.1.post4 to
// 0.4.3.post2, models with a tower of 0.4.4.post4 to 0.4.6.post4 and a few of others prefill whole prompts.
static void split_chunks(const struct kvb_sgl_setup *setup, struct kvb_sgl_defaults *out)
{
    uint32_t release = setup->release;
    bool early = setup->draft != KVB_SGL_DRAFT_NONE && release < KVB_RELEASE(0, 4, 3) + 3;
    bool towers = setup->multimodal && release >= KVB_RELEASE(0, 4, 4) + 4 && release < KVB_RELEASE(0, 4, 6) + 5;
    if (early || towers || kvb_sgl_model_is(setup->model, KVB_SGL_WHOLE_PROMPTS, release)) {
        out->chunk_tokens = KVB_SGL_OFF;
    }
    if (setup->dp_attention && out->chunk_tokens != KVB_SGL_OFF) {
        out->chunk_tokens /= release < KVB_RELEASE(0, 4, 4) + 1 ? 2 : kvb_max(setup->dp, 1);
    }
    if (setup->dp_attention && release < KVB_RELEASE(0, 4, 0) + 2) {
        out->graph_batch = kvb_min(out->graph_batch, 96);
    }
}

// ---- Tables by the number of ranks

struct share_row {
    uint32_t since;
    uint32_t ppb[5]; // 1, 2, 4, 8, 16 ranks and more
};
static const struct share_row shares[] = {
    {KVB_RELEASE(0, 4, 0), {880000000, 870000000, 850000000, 810000000, 790000000}},
    {KVB_RELEASE(0, 3, 6), {880000000, 870000000, 850000000, 820000000, 790000000}},
    {KVB_RELEASE(0, 2, 7), {880000000, 870000000, 850000000, 830000000, 790000000}},
    {0, {890000000, 880000000, 860000000, 840000000, 800000000}},
};

static uint64_t share_of(uint32_t release, uint32_t ranks)
{
    const struct share_row *row = shares;
    while (row->since > release) {
        row++;
    }
    return row->ppb[ranks >= 16 ? 4 : ranks >= 8 ? 3 : ranks >= 4 ? 2 : ranks >= 2 ? 1 : 0];
}

// (card - reserve) / card, unrounded.
static uint64_t left_ppb(uint64_t card_mib, uint64_t reserve_mib)
{
    return (card_mib - reserve_mib) * KVB_SGL_PPB / card_mib; // asked for cards above 80 GiB
}

// 0.4.6.post2 to 0.4.7, server_args.py: large cards leave a fixed sum.
static uint64_t large_card_ppb(const struct kvb_sgl_setup *setup, uint64_t share)
{
    bool speculative = setup->draft != KVB_SGL_DRAFT_NONE && setup->release >= KVB_RELEASE(0, 4, 7);
    if (setup->release >= KVB_RELEASE(0, 4, 7) && setup->card_mib > 180000 && setup->cuda) {
        return 790000000;
    }
    if (setup->card_mib <= 96 * 1024) {
        return speculative ? share / 100 * 95 : share;
    }
    uint64_t reserve_mib = speculative ? 20 * 1024 : 18 * 1024;
    uint64_t raised = share + 48 * 1024 * (KVB_SGL_PPB - share) / setup->card_mib;
    return kvb_min(raised, left_ppb(setup->card_mib, reserve_mib));
}

static uint64_t early_fraction(const struct kvb_sgl_setup *setup)
{
    bool pipelines = setup->release >= KVB_RELEASE(0, 4, 6) + 2;
    uint64_t share = share_of(setup->release, pipelines ? setup->tp * setup->pp : setup->tp);
    bool large = setup->card_mib > 81920 || (setup->card_mib == 0 && setup->release >= KVB_RELEASE(0, 4, 6) + 2);
    if (setup->release >= KVB_RELEASE(0, 4, 6) + 2) {
        return large_card_ppb(setup, large ? 880000000 : share);
    }
    if (setup->release >= KVB_RELEASE(0, 4, 5) + 3 && large) {
        return left_ppb(setup->card_mib, 13 * 1024);
    }
    return share;
}

// ---- Reserves

// 0.4.7.post1 to 0.5.2: by the card and the number of ranks.
static uint64_t table_reserve(const struct kvb_sgl_setup *setup)
{
    uint64_t ranks = (uint64_t)setup->tp * setup->pp;
    uint64_t tenths = setup->card_mib < 35 * 1024    ? 28 * 1024 + 1024 * ranks
                      : setup->card_mib < 90 * 1024  ? 95 * 1024 + 5 * 1024 * ranks
                      : setup->card_mib < 160 * 1024 ? 120 * 1024 + 5 * 1024 * ranks
                                                     : 320 * 1024;
    if (setup->draft != KVB_SGL_DRAFT_NONE) {
        bool standalone = setup->draft == KVB_SGL_DRAFT_STANDALONE && setup->release >= KVB_RELEASE(0, 5, 2);
        tenths += standalone ? 6 * GIB_TENTHS : 2 * GIB_TENTHS;
    }
    return tenths + (setup->dp_attention ? 4 * GIB_TENTHS : 0);
}

// Tokens whose activations are allowed for; a node that decodes is looked at before requests and drafts have defaults.
static uint64_t active_tokens(const struct kvb_sgl_setup *setup, const struct kvb_sgl_defaults *out)
{
    if (setup->role == KVB_SGL_DECODE && setup->release >= KVB_RELEASE(0, 5, 15)) {
        uint64_t running = setup->requests_asked > 0 ? setup->requests_asked : out->graph_batch;
        return kvb_max(running * kvb_max(setup->draft_tokens_asked, 1), SMALLEST_CHUNK);
    }
    uint64_t prefill = setup->max_prefill_tokens > 0 ? setup->max_prefill_tokens : DEFAULT_PREFILL_TOKENS;
    return kvb_max(out->chunk_tokens == KVB_SGL_OFF ? prefill : out->chunk_tokens, SMALLEST_CHUNK);
}

static uint64_t prefill_graph_reserve(const struct kvb_sgl_setup *setup, const struct kvb_sgl_defaults *out)
{
    if (out->prefill_sizes == 0) {
        return 0;
    }
    if (setup->release < KVB_RELEASE(0, 5, 8)) { // a share of the tokens captured
        return out->prefill_tokens * MIB_TENTHS / (setup->release < KVB_RELEASE(0, 5, 7) ? 4 : 8);
    }
    bool mla = kvb_model_is_mla(setup->model) && setup->release >= KVB_RELEASE(0, 5, 10);
    uint64_t tenths = mla ? 1536 * MIB_TENTHS : out->prefill_sizes * 8 * MIB_TENTHS;
    return tenths + (setup->deepep && setup->release >= KVB_RELEASE(0, 5, 18) ? GIB_TENTHS : 0);
}

static uint64_t decode_graph_reserve(const struct kvb_sgl_setup *setup, const struct kvb_sgl_defaults *out)
{
    bool by_role = setup->release >= KVB_RELEASE(0, 5, 15);
    uint64_t batch = out->graph_batch * MIB_TENTHS;
    bool left_out = by_role && (setup->no_graphs || setup->role == KVB_SGL_PREFILL);
    uint64_t tenths = left_out ? 0 : 2 * batch;
    bool groups = setup->dp_attention && !setup->dp_attention_late;
    if (groups && !(by_role && setup->role == KVB_SGL_PREFILL)) {
        tenths += 3 * batch * setup->dp;
        tenths += out->graph_batch > 300 ? batch * setup->dp * 3 / 2 : 0;
    }
    return tenths;
}

static uint64_t draft_reserve(const struct kvb_sgl_setup *setup)
{
    if (setup->release >= KVB_RELEASE(0, 5, 14) || setup->draft == KVB_SGL_DRAFT_NONE ||
        setup->draft == KVB_SGL_DRAFT_NGRAM) {
        return 0; // from 0.5.14 on drafts are loaded before the pool is sized
    }
    if (setup->draft == KVB_SGL_DRAFT_STANDALONE) {
        return 6 * GIB_TENTHS;
    }
    return setup->release >= KVB_RELEASE(0, 5, 10) ? 4 * GIB_TENTHS : 2 * GIB_TENTHS;
}

static uint64_t computed_reserve(const struct kvb_sgl_setup *setup, const struct kvb_sgl_defaults *out)
{
    uint64_t tenths = 512 * MIB_TENTHS + 15 * out->active_tokens;
    tenths += (uint64_t)128 * MIB_TENTHS * setup->tp * setup->pp;
    tenths += decode_graph_reserve(setup, out) + prefill_graph_reserve(setup, out);
    if (setup->card_mib > 60 * 1024) {
        tenths = kvb_max(tenths, 10 * GIB_TENTHS);
    }
    tenths += draft_reserve(setup);
    bool exchanges =
        setup->deepep && setup->release >= KVB_RELEASE(0, 5, 15) && !setup->no_graphs && setup->role != KVB_SGL_PREFILL;
    return tenths + (exchanges ? 2 * GIB_TENTHS : 0);
}

#define MANTISSA_BITS 53

// Where half a thousandth is over, Python rounds by the double nearest to it: up when that is above, to the even
// thousandth when it is the half itself. 81,920 MiB less 17,408 are 0.7875, as a double a little less: 0.787.
static bool half_goes_up(uint64_t thousandths)
{
    uint64_t halves = 2 * thousandths + 1; // of 2000
    while (halves < 1000) {                // same: 125 halves come to 1,000, the half itself, doubled once more or not
        halves *= 2;
    }
    uint64_t beyond = (halves << MANTISSA_BITS) % 2000;
    return beyond == 0 ? thousandths % 2 != 0 : beyond > 1000; // same: it is a multiple of 16
}

// Three digits, as round(x, 3) leaves them.
static uint64_t rounded_fraction(uint64_t card_mib, uint64_t reserve_tenths)
{
    uint64_t card = card_mib * MIB_TENTHS;
    if (reserve_tenths >= card) {
        return 0;
    }
    uint64_t thousandths = 1000 * (card - reserve_tenths) / card;
    uint64_t over = 1000 * (card - reserve_tenths) % card;
    bool up = 2 * over == card ? half_goes_up(thousandths) : 2 * over > card;
    return (thousandths + up) * (KVB_SGL_PPB / 1000);
}

// ---- Factors

// Larger vision towers leave less; one like ViT-L/14 (24 layers of 1024) takes a twentieth. 0.4.9.post3 and later,
// adjust_mem_fraction_for_vlm: num_hidden_layers and hidden_size are asked for by these names alone, so the towers of
// Qwen, which say "depth", count as 24 layers.
static uint64_t tower_factor(const struct kvb_sgl_setup *setup)
{
    const struct kvb_encoder *tower = &setup->model->encoder;
    uint64_t layers = tower->plain_layers > 0 ? tower->plain_layers : 24;
    uint64_t width = tower->plain_hidden_size > 0 ? tower->plain_hidden_size : 1024;
    uint64_t weight = kvb_mul(kvb_mul(layers, kvb_mul(width, width)), KVB_SGL_PPB / 10) / (24 * 1024 * 1024);
    uint64_t factor = weight < 1100000000U ? 1100000000U - weight : 0;
    factor = kvb_min(kvb_max(factor, 800000000U), 1050000000U);
    return factor / 100 * 95;
}

static uint64_t times(uint64_t ppb, uint64_t factor_ppb)
{
    return ppb * factor_ppb / KVB_SGL_PPB;
}

static uint64_t with_towers(const struct kvb_sgl_setup *setup, uint64_t ppb, bool is_default)
{
    uint32_t release = setup->release;
    bool leaves_out = setup->text_only || (setup->role == KVB_SGL_DECODE && release >= KVB_RELEASE(0, 5, 17));
    if (!setup->multimodal || release < KVB_RELEASE(0, 3, 5)) { // before, a copy was multiplied
        return ppb;
    }
    if (release >= KVB_RELEASE(0, 4, 9) + 3) {
        bool applies = is_default && !leaves_out && setup->model->encoder.family != KVB_ENCODER_NONE;
        return applies ? times(ppb, tower_factor(setup)) : ppb;
    }
    if (release >= KVB_RELEASE(0, 4, 9) && !is_default) {
        return ppb;
    }
    return times(ppb, release >= KVB_RELEASE(0, 4, 5) ? 900000000U : 950000000U); // on a stated value too
}

static void fill_fraction(const struct kvb_sgl_setup *setup, struct kvb_sgl_defaults *out)
{
    uint64_t ppb = setup->fraction_ppb;
    out->fraction_is_default = ppb == 0;
    if (ppb == 0 && setup->release < KVB_RELEASE(0, 4, 7) + 1) {
        ppb = early_fraction(setup);
    } else if (ppb == 0 && setup->card_mib == 0) {
        ppb = WITHOUT_CARD_PPB;
    } else if (ppb == 0) {
        bool computed = setup->release >= KVB_RELEASE(0, 5, 3);
        out->active_tokens = computed ? active_tokens(setup, out) : 0;
        out->reserve_mib_tenths = computed ? computed_reserve(setup, out) : table_reserve(setup);
        ppb = rounded_fraction(setup->card_mib, out->reserve_mib_tenths);
    }
    ppb = with_towers(setup, ppb, out->fraction_is_default);
    // ROCm's AITER kernels with long contexts, 0.4.7 and later; a stated value is multiplied too.
    bool aiter = setup->backend == KVB_SGL_BACKEND_AITER && setup->context_tokens > 8192 &&
                 setup->release >= KVB_RELEASE(0, 4, 7);
    out->fraction_ppb = aiter ? times(ppb, 850000000U) : ppb;
}

// Prompts up to this many tokens are captured unless the arguments say.
static uint64_t usual_prefill_tokens(const struct kvb_sgl_setup *setup, uint64_t chunk_tokens)
{
    if (setup->release < KVB_RELEASE(0, 5, 7)) {
        return 4096;
    }
    bool latent = kvb_model_is_mla(setup->model) && setup->release >= KVB_RELEASE(0, 5, 8);
    uint64_t most = latent ? 2048 : chunk_tokens == KVB_SGL_OFF ? 0 : chunk_tokens; // -1: none is as short
    if (setup->release >= KVB_RELEASE(0, 5, 10)) {
        most = setup->max_total_tokens > 0 ? kvb_min(most, setup->max_total_tokens) : most;
        most = kvb_contains_ignoring_case(setup->model->name, "llama-2") ? kvb_min(most, 4096) : most;
    }
    return most;
}

static uint64_t prefill_tokens(const struct kvb_sgl_setup *setup, uint64_t chunk_tokens)
{
    uint64_t asked = setup->prefill_graph_tokens;
    uint64_t most = asked > 0 ? asked : usual_prefill_tokens(setup, chunk_tokens);
    bool clamped = setup->release >= KVB_RELEASE(0, 5, 13) && setup->release < KVB_RELEASE(0, 5, 18);
    return clamped && setup->context_asked > 0 ? kvb_min(most, setup->context_asked) : most; // --context-length
}

void kvb_sgl_defaults_of(const struct kvb_sgl_setup *setup, struct kvb_sgl_defaults *out)
{
    *out = (struct kvb_sgl_defaults){.page_tokens = kvb_max(setup->page_tokens, 1)};
    fill_sizes(setup, out);
    if (kvb_sgl_prefill_graphs(setup)) {
        out->prefill_tokens = prefill_tokens(setup, out->chunk_tokens);
        out->prefill_sizes = kvb_sgl_prefill_sizes(setup->release, out->prefill_tokens);
    }
    fill_fraction(setup, out);
    split_chunks(setup, out);
}
