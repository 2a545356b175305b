// Which parts of a model a checkpoint leaves unquantised: its lists of module names, by role.
#include <string.h>

#include "model/config/hf.h"

struct part {
    const char *text;
    enum kvb_role role; // KVB_ROLE_COUNT: never quantised anyway, or too small to matter
};
// The first part found in a name decides.
static const struct part parts[] = {
    {"norm", KVB_ROLE_COUNT},
    {"embed_tokens", KVB_ROLE_COUNT},
    {"lm_head", KVB_ROLE_COUNT},
    {"conv1d", KVB_ROLE_COUNT},
    {"indexer", KVB_ROLE_COUNT},
    {"e_score", KVB_ROLE_COUNT},
    {"in_proj_a", KVB_ROLE_COUNT},
    {"in_proj_b", KVB_ROLE_COUNT},
    {"kv_b_proj", KVB_ROLE_COUNT},
    {"shared_expert_gate", KVB_ROLE_COUNT},
    {"router", KVB_ROLE_COUNT},
    {"mlp.gate_proj", KVB_ROLE_MLP},
    {"mlp.gate_up", KVB_ROLE_MLP},
    {"mlp.gate", KVB_ROLE_COUNT},
    {"ffn.gate", KVB_ROLE_COUNT},
    {"block_sparse_moe.gate", KVB_ROLE_COUNT},
    {"mixer.gate", KVB_ROLE_COUNT},
    {"visual", KVB_ROLE_VISION},
    {"vision", KVB_ROLE_VISION},
    {"multi_modal_projector", KVB_ROLE_PROJECTOR},
    {"mm_projector", KVB_ROLE_PROJECTOR},
    {"audio", KVB_ROLE_AUDIO},
    {"mtp.fc", KVB_ROLE_COUNT}, // what joins a module to the model, in 16 bits wherever its layer is not
    {"mtp", KVB_ROLE_MTP},
    {"shared_expert", KVB_ROLE_SHARED_EXPERT},
    {"shared_mlp", KVB_ROLE_SHARED_EXPERT},
    {"experts", KVB_ROLE_EXPERTS},
    {"attn", KVB_ROLE_ATTENTION},
    {"attention", KVB_ROLE_ATTENTION},
    {"mixer.q_proj", KVB_ROLE_ATTENTION},
    {"mixer.k_proj", KVB_ROLE_ATTENTION},
    {"mixer.v_proj", KVB_ROLE_ATTENTION},
    {"mixer.in_proj", KVB_ROLE_ATTENTION},
    {"mixer.out_proj", KVB_ROLE_ATTENTION},
    {"mixer.o_proj", KVB_ROLE_ATTENTION},
    {"mixer.up_proj", KVB_ROLE_MLP},
    {"mixer.down_proj", KVB_ROLE_MLP},
    {"mlp", KVB_ROLE_MLP},
    {"ffn", KVB_ROLE_MLP},
    {"feed_forward", KVB_ROLE_MLP},
    {"gate", KVB_ROLE_COUNT},
};

// Copies without the backslashes of regular expressions.
static void plain_name(char *out, size_t capacity, const char *name)
{
    size_t used = 0;
    for (; *name && used + 1 < capacity; name++) {
        if (*name != '\\') {
            out[used++] = *name;
        }
    }
    out[used] = '\0';
}

enum kvb_role kvb_hf_module_role(const char *name)
{
    char plain[256];
    plain_name(plain, sizeof plain, name);
    for (size_t i = 0; i < sizeof parts / sizeof parts[0]; i++) {
        if (strstr(plain, parts[i].text)) {
            return parts[i].role;
        }
    }
    return KVB_ROLE_COUNT;
}

// The layer a name speaks of, or KVB_LAYERS_MAX when it speaks of all.
static uint32_t layer_of(const char *name)
{
    const char *at = strstr(name, "layers.");
    uint32_t layer = 0;
    if (!at || at[7] < '0' || at[7] > '9') {
        return KVB_LAYERS_MAX;
    }
    for (at += 7; *at >= '0' && *at <= '9' && layer < KVB_LAYERS_MAX; at++) {
        layer = layer * 10 + (uint32_t)(*at - '0');
    }
    return layer;
}

// "model.layers.61*": a layer with all that is in it.
static bool names_whole_layer(const char *name)
{
    const char *at = strstr(name, "layers.");
    if (!at || at[7] < '0' || at[7] > '9') {
        return false;
    }
    at += 7 + strspn(at + 7, "0123456789");
    return *at == '\0' || strcmp(at, "*") == 0 || strcmp(at, ".*") == 0;
}

// "self_attn" or "self_attn*" but not one of its projections.
static bool names_output(const char *name)
{
    return strstr(name, "o_proj") || strstr(name, "out_proj") || strstr(name, "wo_b") || !strstr(name, "_proj");
}

static bool layer_has(const struct kvb_layer_kind *kind, enum kvb_role role)
{
    switch ((int)role) {
    case KVB_ROLE_ATTENTION:
        return kind->attention.kind != KVB_ATTENTION_NONE;
    case KVB_ROLE_EXPERTS:
        return kind->mlp.kind == KVB_MLP_MOE;
    case KVB_ROLE_SHARED_EXPERT:
        return kind->mlp.kind == KVB_MLP_MOE && kind->mlp.shared_intermediate_size != 0;
    case KVB_ROLE_MLP:
        return kind->mlp.kind == KVB_MLP_GATED || kind->mlp.kind == KVB_MLP_PLAIN ||
               (kind->mlp.kind == KVB_MLP_MOE && kind->mlp.intermediate_size != 0);
    default:
        return false;
    }
}

static bool keeps_state(enum kvb_attention kind)
{
    return KVB_ATTENTION_MAMBA1 <= kind && kind <= KVB_ATTENTION_SHORT_CONV;
}

static bool layer_is(const struct kvb_layer_kind *kind, enum kvb_hf_mixers mixers)
{
    return mixers == KVB_HF_MIXERS || keeps_state(kind->attention.kind) == (mixers == KVB_HF_STATES);
}

// A role counts as left out when the names cover at least half of the layers that have it.
static bool mostly_covered(const struct hf *hf, enum kvb_role role, enum kvb_hf_mixers mixers,
                           const bool covered[KVB_LAYERS_MAX])
{
    const struct kvb_model *model = hf->model;
    uint32_t have = 0, named = 0;
    for (uint32_t i = 0; i < model->layer_count; i++) {
        const struct kvb_layer_kind *kind = &model->kinds[model->kind_of_layer[i]];
        bool has = layer_has(kind, role) && layer_is(kind, mixers);
        have += has;
        named += has && covered[i];
    }
    return have != 0 && 2 * named >= have;
}

static bool has_states(const struct kvb_model *model)
{
    for (uint8_t i = 0; i < model->kind_count; i++) {
        if (keeps_state(model->kinds[i].attention.kind)) {
            return true;
        }
    }
    return false;
}

static bool names_states(const char *name)
{
    return strstr(name, "linear_attn") || strstr(name, "mamba") || strstr(name, "mixer.in_proj") ||
           strstr(name, "mixer.out_proj");
}

// "linear_attn" and "mamba" name a state's layer, "self_attn" and projections of queries one that attends.
static bool speaks_of_mixers(const char *name, enum kvb_hf_mixers mixers)
{
    bool states = names_states(name);
    bool attends = !states && (strstr(name, "self_attn") || strstr(name, "q_proj") || strstr(name, "k_proj") ||
                               strstr(name, "v_proj") || strstr(name, "o_proj"));
    return mixers == KVB_HF_STATES ? !attends : mixers == KVB_HF_ATTENDS ? !states : true;
}

static bool speaks_of(const struct kvb_node *name, enum kvb_role role, bool outputs_only)
{
    if (name->kind != KVB_NODE_SCALAR) {
        return false;
    }
    if (names_whole_layer(name->text)) {
        return true;
    }
    return kvb_hf_module_role(name->text) == role && (!outputs_only || names_output(name->text));
}

static bool covers(const struct hf *hf, const struct kvb_node *names, enum kvb_role role, enum kvb_hf_mixers mixers,
                   bool outputs_only)
{
    bool covered[KVB_LAYERS_MAX] = {false};
    bool outside = role == KVB_ROLE_MTP || role == KVB_ROLE_VISION || role == KVB_ROLE_AUDIO;
    for (const struct kvb_node *name = names->first; name; name = name->next) {
        if (!speaks_of(name, role, outputs_only) || !speaks_of_mixers(name->text, mixers)) {
            continue;
        }
        if (role == KVB_ROLE_ATTENTION && names_states(name->text) && !has_states(hf->model)) {
            continue; // one list for models of several kinds: it names nothing of this one
        }
        uint32_t layer = layer_of(name->text);
        bool past_the_end = layer >= hf->model->layer_count && layer < KVB_LAYERS_MAX;
        if (names_whole_layer(name->text) ? role == KVB_ROLE_MTP && past_the_end : outside) {
            return true;
        }
        if (layer >= KVB_LAYERS_MAX) {
            return true;
        }
        covered[layer] = true;
    }
    return mostly_covered(hf, role, mixers, covered);
}

bool kvb_hf_ignores_outputs(const struct hf *hf, const struct kvb_node *names)
{
    return covers(hf, names, KVB_ROLE_ATTENTION, KVB_HF_MIXERS, true);
}

uint32_t kvb_hf_ignored_roles(const struct hf *hf, const struct kvb_node *names)
{
    static const enum kvb_role roles[] = {KVB_ROLE_ATTENTION,     KVB_ROLE_MLP,    KVB_ROLE_EXPERTS,
                                          KVB_ROLE_SHARED_EXPERT, KVB_ROLE_VISION, KVB_ROLE_AUDIO,
                                          KVB_ROLE_PROJECTOR,     KVB_ROLE_MTP};
    uint32_t set = 0;
    if (!names || names->kind != KVB_NODE_SEQUENCE) {
        return 0;
    }
    for (size_t i = 0; i < sizeof roles / sizeof roles[0]; i++) {
        set |= covers(hf, names, roles[i], KVB_HF_MIXERS, false) ? UINT32_C(1) << roles[i] : 0;
    }
    return set;
}

// Classes whose layers of either kind have names of their own; delta attention of Kimi's is called self_attn too.
static bool names_both_kinds(const struct hf *hf)
{
    bool states = false, attends = false;
    for (uint8_t i = 0; i < hf->model->kind_count; i++) {
        enum kvb_attention kind = hf->model->kinds[i].attention.kind;
        states = states || kind == KVB_ATTENTION_GDN || kind == KVB_ATTENTION_MAMBA1 || kind == KVB_ATTENTION_MAMBA2;
        attends = attends || (kind != KVB_ATTENTION_NONE && !keeps_state(kind));
    }
    return states && attends;
}

bool kvb_hf_ignores_mixers(const struct hf *hf, const struct kvb_node *names, enum kvb_hf_mixers mixers)
{
    return names && names->kind == KVB_NODE_SEQUENCE && names_both_kinds(hf) &&
           covers(hf, names, KVB_ROLE_ATTENTION, mixers, false);
}
