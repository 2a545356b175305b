// Tables of name patterns: the part of the model a tensor belongs to, its matrix, its last word.
// Source: parameter names of transformers and vLLM model files; gguf-py/gguf/constants.py for GGUF.
#include "model/checkpoint/checkpoint_names.h"

#include <string.h>

#define NAME_CAPACITY 1100

struct name_row {
    const char *part; // with dots: matched against ".name."
    enum kvb_role role;
    enum kvb_split split;
    const char *specimen;
};

// Whole parts of a model: the first match gives the role.
static const struct name_row families[] = {
    {".multi_modal_projector.", KVB_ROLE_PROJECTOR, KVB_SPLIT_COPY, "multi_modal_projector.norm.weight"},
    {".mm_projector.", KVB_ROLE_PROJECTOR, KVB_SPLIT_COPY, "model.mm_projector.0.weight"},
    {".patch_merger.", KVB_ROLE_PROJECTOR, KVB_SPLIT_COPY, "patch_merger.merging_layer.weight"},
    {".vision_language_adapter.", KVB_ROLE_PROJECTOR, KVB_SPLIT_COPY, "vision_language_adapter.w_in.weight"},
    {".resampler.", KVB_ROLE_PROJECTOR, KVB_SPLIT_COPY, "resampler.query"},
    {".embed_vision.", KVB_ROLE_PROJECTOR, KVB_SPLIT_COPY, "model.embed_vision.embedding.weight"},
    {".embed_audio.", KVB_ROLE_PROJECTOR, KVB_SPLIT_COPY, "model.embed_audio.embedding.weight"},
    {".vision_tower.", KVB_ROLE_VISION, KVB_SPLIT_COPY, "vision_tower.patch_embed.weight"},
    {".visual.", KVB_ROLE_VISION, KVB_SPLIT_COPY, "visual.patch_embed.weight"},
    {".vision_model.", KVB_ROLE_VISION, KVB_SPLIT_COPY, "vision_model.class_embedding"},
    {".vision_encoder.", KVB_ROLE_VISION, KVB_SPLIT_COPY, "vision_encoder.patch_conv.weight"},
    {".vision_embed_tokens.", KVB_ROLE_VISION, KVB_SPLIT_COPY, "model.vision_embed_tokens.glb_GN"},
    {".vpm.", KVB_ROLE_VISION, KVB_SPLIT_COPY, "vpm.embeddings.patch.weight"},
    {".audio_tower.", KVB_ROLE_AUDIO, KVB_SPLIT_COPY, "audio_tower.conv1.weight"},
    {".audio_encoder.", KVB_ROLE_AUDIO, KVB_SPLIT_COPY, "audio_encoder.conv1.weight"},
    {".apm.", KVB_ROLE_AUDIO, KVB_SPLIT_COPY, "apm.conv1.weight"},
    {".mtp.", KVB_ROLE_MTP, KVB_SPLIT_COPY, "mtp.pre_fc_norm_hidden.weight"},
    {".mtp_", KVB_ROLE_MTP, KVB_SPLIT_COPY, "model.mtp_block.0.mlp.up_proj.weight"},
    {".nextn.", KVB_ROLE_MTP, KVB_SPLIT_COPY, "blk.92.nextn.eh_proj.weight"},
    {".eh_proj.", KVB_ROLE_MTP, KVB_SPLIT_COPY, "model.layers.61.eh_proj.weight"},
    {".enorm.", KVB_ROLE_MTP, KVB_SPLIT_COPY, "model.layers.61.enorm.weight"},
    {".hnorm.", KVB_ROLE_MTP, KVB_SPLIT_COPY, "model.layers.61.hnorm.weight"},
    {".shared_head.", KVB_ROLE_MTP, KVB_SPLIT_COPY, "model.layers.61.shared_head.norm.weight"},
    {".shared_expert_gate.", KVB_ROLE_ROUTER, KVB_SPLIT_COPY, "model.layers.0.mlp.shared_expert_gate.weight"},
    {".ffn_gate_inp_shexp.", KVB_ROLE_ROUTER, KVB_SPLIT_COPY, "blk.0.ffn_gate_inp_shexp.weight"},
    {".shared_expert.", KVB_ROLE_SHARED_EXPERT, KVB_SPLIT_ROWS, "model.layers.0.mlp.shared_expert.up_proj.weight"},
    {".shared_experts.", KVB_ROLE_SHARED_EXPERT, KVB_SPLIT_COLUMNS,
     "model.layers.3.mlp.shared_experts.down_proj.weight"},
    {".shared_mlp.", KVB_ROLE_SHARED_EXPERT, KVB_SPLIT_ROWS, "model.layers.0.shared_mlp.gate_up_proj.weight"},
    {".experts.", KVB_ROLE_EXPERTS, KVB_SPLIT_EXPERTS_ROWS, "model.layers.0.mlp.experts.7.gate_proj.weight"},
};

// Matrices, most telling first.
static const struct name_row matrices[] = {
    {".embed_tokens.", KVB_ROLE_EMBEDDING, KVB_SPLIT_VOCABULARY, "model.embed_tokens.weight"},
    {".tok_embeddings.", KVB_ROLE_EMBEDDING, KVB_SPLIT_VOCABULARY, "tok_embeddings.weight"},
    {".word_embeddings.", KVB_ROLE_EMBEDDING, KVB_SPLIT_VOCABULARY, "transformer.word_embeddings.weight"},
    {".token_embd.", KVB_ROLE_EMBEDDING, KVB_SPLIT_VOCABULARY, "token_embd.weight"},
    {".wte.", KVB_ROLE_EMBEDDING, KVB_SPLIT_VOCABULARY, "transformer.wte.weight"},
    {".embed_in.", KVB_ROLE_EMBEDDING, KVB_SPLIT_VOCABULARY, "gpt_neox.embed_in.weight"},
    {".wpe.", KVB_ROLE_EMBEDDING, KVB_SPLIT_COPY, "transformer.wpe.weight"},
    {".lm_head.", KVB_ROLE_HEAD, KVB_SPLIT_VOCABULARY, "lm_head.weight"},
    {".embed_out.", KVB_ROLE_HEAD, KVB_SPLIT_VOCABULARY, "embed_out.weight"},
    {".e_score_correction_bias.", KVB_ROLE_ROUTER, KVB_SPLIT_COPY, "model.layers.3.mlp.gate.e_score_correction_bias"},
    {".exp_probs_b.", KVB_ROLE_ROUTER, KVB_SPLIT_COPY, "blk.3.exp_probs_b.bias"},
    {".router.", KVB_ROLE_ROUTER, KVB_SPLIT_COPY, "model.layers.0.mlp.router.weight"},
    {".mlp.gate.", KVB_ROLE_ROUTER, KVB_SPLIT_COPY, "model.layers.0.mlp.gate.weight"},
    {".block_sparse_moe.gate.", KVB_ROLE_ROUTER, KVB_SPLIT_COPY, "model.layers.0.block_sparse_moe.gate.weight"},
    {".ffn_gate_inp.", KVB_ROLE_ROUTER, KVB_SPLIT_COPY, "blk.0.ffn_gate_inp.weight"},
    {".ffn_gate_exps.", KVB_ROLE_EXPERTS, KVB_SPLIT_EXPERTS_ROWS, "blk.0.ffn_gate_exps.weight"},
    {".ffn_up_exps.", KVB_ROLE_EXPERTS, KVB_SPLIT_EXPERTS_ROWS, "blk.0.ffn_up_exps.weight"},
    {".ffn_down_exps.", KVB_ROLE_EXPERTS, KVB_SPLIT_EXPERTS_COLUMNS, "blk.0.ffn_down_exps.weight"},
    {".ffn_gate_shexp.", KVB_ROLE_SHARED_EXPERT, KVB_SPLIT_ROWS, "blk.0.ffn_gate_shexp.weight"},
    {".ffn_up_shexp.", KVB_ROLE_SHARED_EXPERT, KVB_SPLIT_ROWS, "blk.0.ffn_up_shexp.weight"},
    {".ffn_down_shexp.", KVB_ROLE_SHARED_EXPERT, KVB_SPLIT_COLUMNS, "blk.0.ffn_down_shexp.weight"},
    {".q_a_proj.", KVB_ROLE_ATTENTION, KVB_SPLIT_COPY, "model.layers.0.self_attn.q_a_proj.weight"},
    {".kv_a_proj_with_mqa.", KVB_ROLE_ATTENTION, KVB_SPLIT_COPY, "model.layers.0.self_attn.kv_a_proj_with_mqa.weight"},
    {".indexer.", KVB_ROLE_ATTENTION, KVB_SPLIT_COPY, "model.layers.0.self_attn.indexer.wk.weight"},
    {".attn_q_a.", KVB_ROLE_ATTENTION, KVB_SPLIT_COPY, "blk.0.attn_q_a.weight"},
    {".attn_kv_a_mqa.", KVB_ROLE_ATTENTION, KVB_SPLIT_COPY, "blk.0.attn_kv_a_mqa.weight"},
    {".k_proj.", KVB_ROLE_ATTENTION, KVB_SPLIT_KV, "model.layers.0.self_attn.k_proj.weight"},
    {".v_proj.", KVB_ROLE_ATTENTION, KVB_SPLIT_KV, "model.layers.0.self_attn.v_proj.weight"},
    {".attn_k.", KVB_ROLE_ATTENTION, KVB_SPLIT_KV, "blk.0.attn_k.weight"},
    {".attn_v.", KVB_ROLE_ATTENTION, KVB_SPLIT_KV, "blk.0.attn_v.weight"},
    {".attn_q.", KVB_ROLE_ATTENTION, KVB_SPLIT_ROWS, "blk.0.attn_q.weight"},
    {".attn_qkv.", KVB_ROLE_ATTENTION, KVB_SPLIT_ROWS, "blk.0.attn_qkv.weight"},
    {".attn_output.", KVB_ROLE_ATTENTION, KVB_SPLIT_COLUMNS, "blk.0.attn_output.weight"},
    {".o_proj.", KVB_ROLE_ATTENTION, KVB_SPLIT_COLUMNS, "model.layers.0.self_attn.o_proj.weight"},
    {".out_proj.", KVB_ROLE_ATTENTION, KVB_SPLIT_COLUMNS, "model.layers.0.linear_attn.out_proj.weight"},
    {".attn.c_proj.", KVB_ROLE_ATTENTION, KVB_SPLIT_COLUMNS, "transformer.h.0.attn.c_proj.weight"},
    {".attention.dense.", KVB_ROLE_ATTENTION, KVB_SPLIT_COLUMNS, "gpt_neox.layers.0.attention.dense.weight"},
    {".self_attention.dense.", KVB_ROLE_ATTENTION, KVB_SPLIT_COLUMNS, "transformer.h.0.self_attention.dense.weight"},
    {".self_attn.dense.", KVB_ROLE_ATTENTION, KVB_SPLIT_COLUMNS, "model.layers.0.self_attn.dense.weight"},
    {".attention.wo.", KVB_ROLE_ATTENTION, KVB_SPLIT_COLUMNS, "model.layers.0.attention.wo.weight"},
    {".down_proj.", KVB_ROLE_MLP, KVB_SPLIT_COLUMNS, "model.layers.0.mlp.down_proj.weight"},
    {".down_proj_blocks.", KVB_ROLE_MLP, KVB_SPLIT_COLUMNS, NULL},
    {".down_proj_bias.", KVB_ROLE_MLP, KVB_SPLIT_COPY, NULL},
    {".ffn_down.", KVB_ROLE_MLP, KVB_SPLIT_COLUMNS, "blk.0.ffn_down.weight"},
    {".ffn_up.", KVB_ROLE_MLP, KVB_SPLIT_ROWS, "blk.0.ffn_up.weight"},
    {".ffn_gate.", KVB_ROLE_MLP, KVB_SPLIT_ROWS, "blk.0.ffn_gate.weight"},
    {".w2.", KVB_ROLE_MLP, KVB_SPLIT_COLUMNS, "model.layers.0.feed_forward.w2.weight"},
    {".fc2.", KVB_ROLE_MLP, KVB_SPLIT_COLUMNS, "model.layers.0.mlp.fc2.weight"},
    {".dense_4h_to_h.", KVB_ROLE_MLP, KVB_SPLIT_COLUMNS, "gpt_neox.layers.0.mlp.dense_4h_to_h.weight"},
    {".mlp.c_proj.", KVB_ROLE_MLP, KVB_SPLIT_COLUMNS, "transformer.h.0.mlp.c_proj.weight"},
    {".gate_proj.", KVB_ROLE_MLP, KVB_SPLIT_ROWS, "model.layers.0.mlp.gate_proj.weight"},
    {".up_proj.", KVB_ROLE_MLP, KVB_SPLIT_ROWS, "model.layers.0.mlp.up_proj.weight"},
    {".gate_up_proj.", KVB_ROLE_MLP, KVB_SPLIT_ROWS, "model.layers.0.mlp.gate_up_proj.weight"},
    {".mlp.", KVB_ROLE_MLP, KVB_SPLIT_ROWS, "model.layers.0.mlp.fc1.weight"},
    {".feed_forward.", KVB_ROLE_MLP, KVB_SPLIT_ROWS, "model.layers.0.feed_forward.w1.weight"},
    {".self_attn.", KVB_ROLE_ATTENTION, KVB_SPLIT_ROWS, "model.layers.0.self_attn.q_proj.weight"},
    {".attn.", KVB_ROLE_ATTENTION, KVB_SPLIT_ROWS, "transformer.h.0.attn.c_attn.weight"},
    {".attention.", KVB_ROLE_ATTENTION, KVB_SPLIT_ROWS, "gpt_neox.layers.0.attention.query_key_value.weight"},
    {".self_attention.", KVB_ROLE_ATTENTION, KVB_SPLIT_ROWS, "transformer.h.0.self_attention.query_key_value.weight"},
    {".linear_attn.", KVB_ROLE_ATTENTION, KVB_SPLIT_ROWS, "model.layers.0.linear_attn.in_proj_qkvz.weight"},
    {".mixer.", KVB_ROLE_ATTENTION, KVB_SPLIT_ROWS, "backbone.layers.0.mixer.in_proj.weight"},
    {".mamba.", KVB_ROLE_ATTENTION, KVB_SPLIT_ROWS, "model.layers.0.mamba.in_proj.weight"},
    {".conv.", KVB_ROLE_ATTENTION, KVB_SPLIT_ROWS, "model.layers.0.conv.in_proj.weight"},
    {".attn_", KVB_ROLE_ATTENTION, KVB_SPLIT_ROWS, "blk.0.attn_k_b.weight"},
    {".ssm_", KVB_ROLE_ATTENTION, KVB_SPLIT_ROWS, "blk.0.ssm_in.weight"},
    {".output.", KVB_ROLE_HEAD, KVB_SPLIT_VOCABULARY, "output.weight"},
};

struct leaf_row {
    const char *last; // the name's last word
    enum kvb_leaf leaf;
};
static const struct leaf_row leaves[] = {
    {"qweight", KVB_LEAF_PACKED_WORDS},
    {"weight_packed", KVB_LEAF_PACKED_WORDS},
    {"gate_up_proj_blocks", KVB_LEAF_PACKED_HALF},
    {"down_proj_blocks", KVB_LEAF_PACKED_HALF},
    {"gate_up_proj_scales", KVB_LEAF_SCALE},
    {"down_proj_scales", KVB_LEAF_SCALE},
    {"weight_scale", KVB_LEAF_SCALE},
    {"weight_scale_inv", KVB_LEAF_SCALE},
    {"weight_scale_2", KVB_LEAF_SCALE},
    {"weight_global_scale", KVB_LEAF_SCALE},
    {"input_global_scale", KVB_LEAF_SCALE},
    {"weight_zero_point", KVB_LEAF_SCALE},
    {"weight_shape", KVB_LEAF_SCALE},
    {"weight_g_idx", KVB_LEAF_SCALE},
    {"input_scale", KVB_LEAF_SCALE},
    {"output_scale", KVB_LEAF_SCALE},
    {"activation_scale", KVB_LEAF_SCALE},
    {"gate_up_proj_scale", KVB_LEAF_SCALE},
    {"down_proj_scale", KVB_LEAF_SCALE},
    {"gate_up_proj_input_scale", KVB_LEAF_SCALE},
    {"down_proj_input_scale", KVB_LEAF_SCALE},
    {"k_scale", KVB_LEAF_SCALE},
    {"v_scale", KVB_LEAF_SCALE},
    {"q_scale", KVB_LEAF_SCALE},
    {"prob_scale", KVB_LEAF_SCALE},
    {"kv_scale", KVB_LEAF_SCALE},
    {"scales", KVB_LEAF_SCALE},
    {"qzeros", KVB_LEAF_SCALE},
    {"g_idx", KVB_LEAF_SCALE},
    {"absmax", KVB_LEAF_SCALE},
    {"nested_absmax", KVB_LEAF_SCALE},
    {"quant_map", KVB_LEAF_SCALE},
    {"nested_quant_map", KVB_LEAF_SCALE},
    {"bitsandbytes__nf4", KVB_LEAF_SCALE},
    {"bitsandbytes__fp4", KVB_LEAF_SCALE},
    {"SCB", KVB_LEAF_SCALE},
    {"weight_format", KVB_LEAF_SCALE},
    {"inv_freq", KVB_LEAF_BUFFER},
    {"masked_bias", KVB_LEAF_BUFFER},
    {"rotary_pos_emb", KVB_LEAF_BUFFER},
};

static const struct name_row *find_part(const struct name_row *rows, size_t count, const char *dotted)
{
    for (size_t i = 0; i < count; i++) {
        if (strstr(dotted, rows[i].part) != NULL) {
            return &rows[i];
        }
    }
    return NULL;
}

static enum kvb_leaf leaf_of(const char *name)
{
    const char *dot = strrchr(name, '.');
    const char *last = dot != NULL ? dot + 1 : name;
    for (size_t i = 0; i < sizeof leaves / sizeof leaves[0]; i++) {
        if (strcmp(last, leaves[i].last) == 0) {
            return leaves[i].leaf;
        }
    }
    return strncmp(name, "rope_freqs", 10) == 0 || strstr(name, ".rope_freqs") != NULL ? KVB_LEAF_BUFFER
                                                                                       : KVB_LEAF_VALUES;
}

static bool is_norm(const char *dotted)
{
    return strstr(dotted, "norm") != NULL || strstr(dotted, ".ln_") != NULL || strstr(dotted, "_ln.") != NULL;
}

uint32_t kvb_tensor_layer(const char *name)
{
    static const char *const words[] = {"layers.", "blk.", "h.", "blocks.", "layer."};
    for (size_t i = 0; i < sizeof words / sizeof words[0]; i++) {
        const char *found = strstr(name, words[i]);
        while (found != NULL) {
            const char *digit = found + strlen(words[i]);
            if ((found == name || found[-1] == '.') && *digit >= '0' && *digit <= '9') {
                uint32_t number = 0;
                for (; *digit >= '0' && *digit <= '9' && number < 100000; digit++) {
                    number = number * 10 + (uint32_t)(*digit - '0');
                }
                return number;
            }
            found = strstr(found + 1, words[i]);
        }
    }
    return UINT32_MAX;
}

static enum kvb_split expert_split(enum kvb_split split)
{
    switch (split) {
    case KVB_SPLIT_ROWS:
        return KVB_SPLIT_EXPERTS_ROWS;
    case KVB_SPLIT_COLUMNS:
        return KVB_SPLIT_EXPERTS_COLUMNS;
    default:
        return KVB_SPLIT_EXPERTS_COPY;
    }
}

// A bias along the output of a row-parallel matrix is whole on every rank.
static bool is_bias(const char *dotted)
{
    size_t length = strlen(dotted);
    return length > 6 && strcmp(dotted + length - 6, ".bias.") == 0;
}

static void apply_family(const struct name_row *family, const struct name_row *matrix, struct kvb_tensor_kind *kind)
{
    kind->role = family->role;
    switch (family->role) {
    case KVB_ROLE_EXPERTS:
        kind->split = expert_split(matrix != NULL ? matrix->split : KVB_SPLIT_ROWS);
        break;
    case KVB_ROLE_SHARED_EXPERT:
        kind->split = matrix != NULL ? matrix->split : KVB_SPLIT_ROWS;
        break;
    case KVB_ROLE_VISION:
    case KVB_ROLE_AUDIO:
        kind->split = matrix != NULL && matrix->split != KVB_SPLIT_VOCABULARY ? matrix->split : KVB_SPLIT_COPY;
        break;
    default:
        kind->split = KVB_SPLIT_COPY;
        break;
    }
}

void kvb_tensor_kind_of(const char *name, struct kvb_tensor_kind *kind)
{
    char dotted[NAME_CAPACITY + 3] = ".";
    size_t length = strlen(name);
    length = length > NAME_CAPACITY ? NAME_CAPACITY : length;
    memcpy(dotted + 1, name, length);
    dotted[length + 1] = '.';
    dotted[length + 2] = '\0';
    const struct name_row *family = find_part(families, sizeof families / sizeof families[0], dotted);
    const struct name_row *matrix = find_part(matrices, sizeof matrices / sizeof matrices[0], dotted);
    *kind = (struct kvb_tensor_kind){KVB_ROLE_OTHER, KVB_SPLIT_COPY, leaf_of(name), false};
    if (family != NULL) {
        apply_family(family, matrix, kind);
    } else if (is_norm(dotted)) {
        kind->role = KVB_ROLE_NORM;
    } else if (matrix != NULL) {
        kind->role = matrix->role;
        kind->split = matrix->split == KVB_SPLIT_COLUMNS && is_bias(dotted) ? KVB_SPLIT_COPY : matrix->split;
    }
    if (family != NULL && is_norm(dotted)) {
        kind->split = family->role == KVB_ROLE_EXPERTS ? KVB_SPLIT_EXPERTS_COPY : KVB_SPLIT_COPY;
    }
    bool tower = kind->role == KVB_ROLE_VISION || kind->role == KVB_ROLE_AUDIO || kind->role == KVB_ROLE_PROJECTOR ||
                 kind->role == KVB_ROLE_MTP;
    kind->in_layer = !tower && kvb_tensor_layer(name) != UINT32_MAX;
}

bool kvb_name_specimen_at(size_t index, struct kvb_name_specimen *specimen)
{
    size_t family_count = sizeof families / sizeof families[0];
    if (index >= family_count + sizeof matrices / sizeof matrices[0]) {
        return false;
    }
    const struct name_row *row = index < family_count ? &families[index] : &matrices[index - family_count];
    *specimen = (struct kvb_name_specimen){row->specimen, row->role, row->split};
    return true;
}
