// Layer by layer: which type each is, its kind from the class's builders, equal kinds shared.
#include <string.h>

#include "base/checked.h"
#include "model/config/hf.h"

void kvb_hf_extra(struct hf *hf, const char *name, enum kvb_role role, enum kvb_split split, uint64_t rows,
                  uint64_t columns, uint32_t count)
{
    struct kvb_model *model = hf->model;
    if (rows == 0 || columns == 0 || count == 0) {
        return;
    }
    if (model->extra_count >= KVB_EXTRAS_MAX) {
        kvb_hf_fail(hf, KVB_TOO_LARGE, NULL, "more than %d groups of tensors beside the layers", KVB_EXTRAS_MAX);
        return;
    }
    struct kvb_extra *extra = &model->extras[model->extra_count++];
    memset(extra, 0, sizeof *extra);
    for (size_t i = 0; name[i] && i + 1 < sizeof extra->name; i++) {
        extra->name[i] = name[i];
    }
    extra->role = role;
    extra->split = split;
    extra->rows = rows;
    extra->columns = columns;
    extra->count = count;
}

uint8_t kvb_hf_intern_kind(struct hf *hf, const struct kvb_layer_kind *kind)
{
    struct kvb_model *model = hf->model;
    for (uint8_t i = 0; i < model->kind_count; i++) {
        if (memcmp(&model->kinds[i], kind, sizeof *kind) == 0) {
            return i;
        }
    }
    if (model->kind_count >= KVB_LAYER_KINDS_MAX) {
        kvb_hf_fail(hf, KVB_TOO_LARGE, NULL, "the layers differ in more than %d ways", KVB_LAYER_KINDS_MAX);
        return 0;
    }
    memcpy(&model->kinds[model->kind_count], kind, sizeof *kind);
    return model->kind_count++;
}

struct type_word {
    const char *word;
    enum kvb_hf_layer_type type;
};
static const struct type_word type_words[] = {
    {"full_attention", HF_LAYER_FULL},
    {"attention", HF_LAYER_FULL},
    {"sliding_attention", HF_LAYER_SLIDING},
    {"chunked_attention", HF_LAYER_CHUNKED},
    {"linear_attention", HF_LAYER_LINEAR},
    {"conv", HF_LAYER_CONV},
    {"mamba", HF_LAYER_MAMBA},
    {"mamba2", HF_LAYER_MAMBA},
    {"mlp", HF_LAYER_MLP},
    {"moe", HF_LAYER_MOE},
    {"short_conv", HF_LAYER_CONV},
    {"deepseek_sparse_attention", HF_LAYER_FULL},
};

static void read_type_words(struct hf *hf, enum kvb_hf_key key)
{
    if (!kvb_hf_list_covers_layers(hf, key)) {
        return;
    }
    const struct kvb_node *node = hf->values[key].node->first;
    for (uint32_t i = 0; i < hf->model->layer_count; i++, node = node->next) {
        enum kvb_hf_layer_type type = HF_LAYER_TYPE_COUNT;
        for (size_t w = 0; w < sizeof type_words / sizeof type_words[0]; w++) {
            type = strcmp(node->text, type_words[w].word) == 0 ? type_words[w].type : type;
        }
        if (type == HF_LAYER_TYPE_COUNT) {
            kvb_hf_fail(
                hf, KVB_UNKNOWN_KIND, node,
                "layer type '%.60s' is not known; known are full_attention, sliding_attention, chunked_attention, "
                "linear_attention, conv, mamba, mlp, moe",
                node->text);
            return;
        }
        hf->layer_types[i] = (uint8_t)type;
    }
}

static void read_nemotron_pattern(struct hf *hf)
{
    static const char letters[] = "M*-E";
    static const enum kvb_hf_layer_type types[] = {HF_LAYER_MAMBA, HF_LAYER_FULL, HF_LAYER_MLP, HF_LAYER_MOE};
    const struct kvb_node *node = hf->values[HF_HYBRID_PATTERN].node;
    const char *pattern = kvb_hf_word(hf, HF_HYBRID_PATTERN);
    if (!kvb_hf_has(hf, HF_HYBRID_PATTERN)) {
        kvb_hf_need(hf, HF_HYBRID_PATTERN);
        return;
    }
    if (strlen(pattern) != hf->model->layer_count) {
        kvb_hf_fail(hf, KVB_CONTRADICTION, node,
                    "hybrid_override_pattern names %zu layers but num_hidden_layers says %u", strlen(pattern),
                    hf->model->layer_count);
        return;
    }
    for (uint32_t i = 0; i < hf->model->layer_count; i++) {
        const char *letter = strchr(letters, pattern[i]);
        if (!letter) {
            kvb_hf_fail(hf, KVB_UNKNOWN_KIND, node,
                        "hybrid_override_pattern: '%c' is not one of M (Mamba), * (attention), - (MLP), E (experts)",
                        pattern[i]);
            return;
        }
        hf->layer_types[i] = (uint8_t)types[letter - letters];
    }
}

static uint32_t window_period(struct hf *hf)
{
    const struct kvb_hf_value *value = &hf->values[HF_WINDOW_PATTERN];
    const char *text = kvb_hf_word(hf, HF_WINDOW_PATTERN);
    uint32_t period = 0;
    if (!value->set || !value->node) { // not said: the class default, if it has one
        return value->set ? (uint32_t)value->number : 0;
    }
    if (*text == 'L' || *text == 'G') { // EXAONE: "LLLG"
        const char *global = strchr(text, 'G');
        return global ? (uint32_t)(global - text) + 1 : 0;
    }
    for (const char *c = text; *c >= '0' && *c <= '9' && period < 1000; c++) {
        period = period * 10 + (uint32_t)(*c - '0');
    }
    if (period == 0) {
        kvb_hf_fail(hf, KVB_BAD_TYPE, value->node,
                    "sliding_window_pattern: expected a number of layers or a word such as LLLG");
    }
    return period;
}

static void set_every(struct hf *hf, uint32_t period, enum kvb_hf_layer_type other)
{
    for (uint32_t i = 0; i < hf->model->layer_count; i++) {
        bool full = period != 0 && (i + 1) % period == 0;
        hf->layer_types[i] = (uint8_t)(full ? HF_LAYER_FULL : other);
    }
}

static void set_listed(struct hf *hf, enum kvb_hf_key key, enum kvb_hf_layer_type listed, enum kvb_hf_layer_type other,
                       uint32_t first)
{
    for (uint32_t i = 0; i < hf->model->layer_count; i++) {
        hf->layer_types[i] = (uint8_t)(kvb_hf_list_holds(hf, key, i + first) ? listed : other);
    }
}

static void set_flags(struct hf *hf, enum kvb_hf_key key, enum kvb_hf_layer_type one, enum kvb_hf_layer_type zero)
{
    if (!kvb_hf_has(hf, key)) {
        kvb_hf_need(hf, key);
    }
    if (hf->failed || !kvb_hf_list_covers_layers(hf, key)) {
        return;
    }
    for (uint32_t i = 0; i < hf->model->layer_count; i++) {
        hf->layer_types[i] = (uint8_t)(kvb_hf_list_get(hf, key, i, 0) ? one : zero);
    }
}

static void set_jamba(struct hf *hf)
{
    uint32_t period = kvb_hf_need(hf, HF_ATTN_PERIOD);
    uint32_t offset = kvb_hf_get(hf, HF_ATTN_OFFSET, 0);
    for (uint32_t i = 0; i < hf->model->layer_count && period; i++) {
        hf->layer_types[i] = (uint8_t)(i % period == offset ? HF_LAYER_FULL : HF_LAYER_MAMBA);
    }
}

// Llama 4: layers that use rotary positions attend within chunks; without a list every fourth does not.
static void set_chunked(struct hf *hf)
{
    bool listed = kvb_hf_list_length(hf, HF_NO_ROPE_LAYERS) > 0;
    if (listed && !kvb_hf_list_covers_layers(hf, HF_NO_ROPE_LAYERS)) {
        return;
    }
    for (uint32_t i = 0; i < hf->model->layer_count; i++) {
        bool rotates = listed ? kvb_hf_list_get(hf, HF_NO_ROPE_LAYERS, i, 0) != 0 : (i + 1) % 4 != 0;
        hf->layer_types[i] = (uint8_t)(rotates ? HF_LAYER_CHUNKED : HF_LAYER_FULL);
    }
}

static void set_by_window(struct hf *hf)
{
    bool dead = kvb_hf_has(hf, HF_USE_WINDOW) ? !kvb_hf_is(hf, HF_USE_WINDOW) : kvb_hf_trait(hf, HF_NO_WINDOW);
    bool slides = kvb_hf_get(hf, HF_WINDOW, 0) != 0 && !dead;
    set_every(hf, 0, slides ? HF_LAYER_SLIDING : HF_LAYER_FULL);
}

static void set_pattern(struct hf *hf)
{
    switch ((enum kvb_hf_pattern)hf->architecture->pattern) {
    case HF_PATTERN_UNIFORM:
        set_by_window(hf);
        break;
    case HF_PATTERN_EVEN_SLIDE:
        set_every(hf, 2, kvb_hf_get(hf, HF_WINDOW, 0) ? HF_LAYER_SLIDING : HF_LAYER_FULL);
        break;
    case HF_PATTERN_PERIOD:
        set_every(hf, window_period(hf), kvb_hf_get(hf, HF_WINDOW, 0) ? HF_LAYER_SLIDING : HF_LAYER_FULL);
        break;
    case HF_PATTERN_INTERVAL:
        set_every(hf, kvb_hf_get(hf, HF_FULL_INTERVAL, 4), HF_LAYER_LINEAR);
        break;
    case HF_PATTERN_CHUNK:
        set_chunked(hf);
        break;
    case HF_PATTERN_NEMOTRON:
        read_nemotron_pattern(hf);
        break;
    case HF_PATTERN_JAMBA:
        set_jamba(hf);
        break;
    case HF_PATTERN_LFM2:
        set_listed(hf, HF_FULL_LAYERS, HF_LAYER_FULL, HF_LAYER_CONV, 0);
        break;
    case HF_PATTERN_KIMI:
        set_listed(hf, HF_K_FULL_LAYERS, HF_LAYER_FULL, HF_LAYER_LINEAR, 1);
        break;
    case HF_PATTERN_MIMO:
        set_flags(hf, HF_SWA_PATTERN, HF_LAYER_SLIDING, HF_LAYER_FULL);
        break;
    case HF_PATTERN_MINIMAX:
        set_flags(hf, HF_ATTN_TYPES, HF_LAYER_FULL, HF_LAYER_LINEAR);
        break;
    case HF_PATTERN_BAMBA:
        set_listed(hf, HF_ATTN_TYPES, HF_LAYER_FULL, HF_LAYER_MAMBA, 0);
        break;
    case HF_PATTERN_MAMBA:
        set_every(hf, 0, HF_LAYER_MAMBA);
        break;
    }
}

void kvb_hf_set_layer_types(struct hf *hf)
{
    if (kvb_hf_list_length(hf, HF_LAYER_TYPES) > 0) {
        read_type_words(hf, HF_LAYER_TYPES);
    } else if (kvb_hf_list_length(hf, HF_BLOCK_TYPES) > 0) {
        read_type_words(hf, HF_BLOCK_TYPES);
    } else {
        set_pattern(hf);
    }
}

void kvb_hf_build_layers(struct hf *hf)
{
    const struct kvb_hf_architecture *architecture = hf->architecture;
    struct kvb_model *model = hf->model;
    for (uint32_t i = 0; i < model->layer_count && !hf->failed; i++) {
        struct kvb_layer_kind kind;
        memset(&kind, 0, sizeof kind); // padding too: kinds are compared byte by byte
        kind.norms = architecture->norms;
        architecture->attention(hf, i, &kind);
        architecture->mlp(hf, i, &kind);
        if (!hf->failed) {
            model->kind_of_layer[i] = kvb_hf_intern_kind(hf, &kind);
        }
    }
}
