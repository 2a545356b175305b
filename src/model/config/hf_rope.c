// Rotary tables and the length an engine derives from a config.
#include <string.h>

#include "base/checked.h"
#include "model/config/hf.h"

#define MILLION UINT64_C(1000000)

static const char *rope_type(const struct hf *hf)
{
    return kvb_hf_has(hf, HF_R_TYPE) ? kvb_hf_word(hf, HF_R_TYPE) : "default";
}

static bool type_is(const struct hf *hf, const char *type)
{
    return strcmp(rope_type(hf), type) == 0;
}

static bool is_yarn(const struct hf *hf)
{
    return type_is(hf, "yarn") || type_is(hf, "deepseek_yarn");
}

static bool keeps_length(const struct hf *hf)
{
    return type_is(hf, "su") || type_is(hf, "longrope") || type_is(hf, "llama3");
}

static bool is_gemma3(const struct hf *hf)
{
    return strncmp(kvb_hf_word(hf, HF_MODEL_TYPE), "gemma3", 6) == 0;
}

static uint64_t scaled(const struct hf *hf, uint64_t tokens)
{
    return kvb_mul(tokens, kvb_hf_get64(hf, HF_R_FACTOR, MILLION)) / MILLION;
}

static uint64_t named_tokens(const struct hf *hf)
{
    static const enum kvb_hf_key keys[] = {HF_MAX_POSITION, HF_POSITIONS,        HF_MAX_SEQ,
                                           HF_SEQ_LENGTH,   HF_MODEL_MAX_LENGTH, HF_TARGET_POSITIONS,
                                           HF_MAX_SEQUENCE, HF_MAX_SEQ_LENGTH,   HF_SEQ_LEN};
    uint64_t tokens = UINT64_MAX;
    for (size_t i = 0; i < sizeof keys / sizeof keys[0]; i++) {
        tokens = kvb_min(tokens, kvb_hf_get64(hf, keys[i], UINT64_MAX));
    }
    return kvb_hf_get64(hf, HF_MODEL_MAX_LENGTH, tokens);
}

bool kvb_hf_names_length(const struct hf *hf)
{
    return named_tokens(hf) != UINT64_MAX;
}

uint64_t kvb_hf_usual_tokens(const struct hf *hf)
{
    bool long_rope = type_is(hf, "longrope") || type_is(hf, "su");
    return long_rope ? kvb_hf_get64(hf, HF_ORIGINAL_POSITIONS, 0) : 0;
}

bool kvb_hf_scales_positions(const struct hf *hf)
{
    return kvb_hf_has(hf, HF_ROPE_SCALING) && !keeps_length(hf) && !is_gemma3(hf);
}

uint64_t kvb_hf_context_tokens(const struct hf *hf)
{
    uint64_t tokens = named_tokens(hf);
    if (tokens == UINT64_MAX) {
        return 2048; // vLLM's own fallback
    }
    if (!kvb_hf_has(hf, HF_R_TYPE) || keeps_length(hf) || is_gemma3(hf)) {
        return tokens;
    }
    return scaled(hf, is_yarn(hf) ? kvb_hf_get64(hf, HF_R_ORIGINAL, tokens) : tokens);
}

static uint64_t cache_rows(const struct hf *hf)
{
    uint64_t rows = kvb_hf_get64(hf, HF_MAX_POSITION, kvb_hf_context_tokens(hf));
    // reprints of Qwen3-VL's config often lack the section that every published one has
    bool sections = kvb_hf_list_length(hf, HF_R_MROPE) > 0 || hf->architecture->encoder == KVB_ENCODER_QWEN3_VL;
    if (sections) {
        return kvb_mul(rows, 4);
    }
    if (type_is(hf, "linear") || type_is(hf, "dynamic")) {
        return scaled(hf, rows);
    }
    return is_yarn(hf) ? scaled(hf, kvb_hf_get64(hf, HF_R_ORIGINAL, rows)) : rows;
}

static void add_cache(struct hf *hf, uint64_t rows, uint64_t width)
{
    struct kvb_model *model = hf->model;
    if (rows && width && model->rope_cache_count < KVB_ROPE_CACHES_MAX) {
        model->rope_caches[model->rope_cache_count++] = (struct kvb_rope_cache){rows, (uint32_t)width};
    }
}

static const struct kvb_attention_shape *first_of(const struct hf *hf, enum kvb_attention kind)
{
    for (uint32_t i = 0; i < hf->model->kind_count; i++) {
        if (hf->model->kinds[i].attention.kind == kind) {
            return &hf->model->kinds[i].attention;
        }
    }
    return NULL;
}

static uint64_t rotary_width(const struct hf *hf, uint32_t head_size)
{
    uint64_t share = kvb_hf_get64(hf, HF_R_PARTIAL, kvb_hf_get64(hf, HF_PARTIAL_ROTARY, MILLION));
    return kvb_hf_has(hf, HF_ROTARY_DIM) ? kvb_hf_get(hf, HF_ROTARY_DIM, 0) : kvb_mul(head_size, share) / MILLION;
}

// Two tables: full layers by the main parameters, sliding layers plain.
static void add_two_caches(struct hf *hf, const struct kvb_attention_shape *full,
                           const struct kvb_attention_shape *sliding)
{
    uint64_t positions = kvb_hf_get64(hf, HF_MAX_POSITION, kvb_hf_context_tokens(hf));
    // Gemma 4's "proportional" type rotates a part but keeps a full-width table.
    uint64_t width = type_is(hf, "proportional") ? full->head_size : rotary_width(hf, full->head_size);
    add_cache(hf, cache_rows(hf), width);
    add_cache(hf, positions, sliding->head_size);
}

static bool has_two_bases(const struct hf *hf)
{
    return kvb_hf_has(hf, HF_LOCAL_THETA) || kvb_hf_has(hf, HF_SWA_THETA) || kvb_hf_has(hf, HF_R_SLIDING);
}

void kvb_hf_build_rope(struct hf *hf)
{
    const struct kvb_attention_shape *full = first_of(hf, KVB_ATTENTION_FULL);
    const struct kvb_attention_shape *sliding = first_of(hf, KVB_ATTENTION_SLIDING);
    const struct kvb_attention_shape *latent = first_of(hf, KVB_ATTENTION_MLA);
    if (kvb_hf_trait(hf, HF_NO_ROPE) || kvb_hf_word_is(hf, HF_POSITION_TYPE, "nope")) {
        return;
    }
    if (!latent) {
        latent = first_of(hf, KVB_ATTENTION_DSV4);
    }
    if (latent && latent->rope_size) {
        add_cache(hf, cache_rows(hf), latent->rope_size);
        if (latent->kind == KVB_ATTENTION_DSV4 || latent->index_heads) { // compressed layers', the indexer's own
            add_cache(hf, cache_rows(hf), latent->rope_size);
        }
        return;
    }
    if (full && sliding && has_two_bases(hf)) {
        add_two_caches(hf, full, sliding);
        return;
    }
    const struct kvb_attention_shape *shape = full ? full : sliding;
    shape = shape ? shape : first_of(hf, KVB_ATTENTION_CHUNKED);
    if (shape && shape->latent_rank) {
        add_cache(hf, cache_rows(hf), shape->rope_size);
    } else if (shape) {
        add_cache(hf, cache_rows(hf), rotary_width(hf, shape->head_size));
    }
}
