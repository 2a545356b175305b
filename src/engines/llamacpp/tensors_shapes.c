// Tensors of a model whose file is not there: matrices from shapes under their GGUF names, each in the format that its
// mixture gives it. Norms, biases, routers and convolutions stay in f32.
// Source: gguf-py/gguf/tensor_mapping.py; convert_hf_to_gguf.py (what stays f32); src/llama-quant.cpp.
#include <string.h>

#include "base/checked.h"
#include "budget/shapes.h"
#include "engines/llamacpp/mixture.h"
#include "engines/llamacpp/tensors.h"

struct name_row {
    const char *own, *gguf;
    bool quantised;
};
static const struct name_row names[] = {
    {"q_proj", "attn_q.weight", true},           {"k_proj", "attn_k.weight", true},
    {"v_proj", "attn_v.weight", true},           {"o_proj", "attn_output.weight", true},
    {"q_a_proj", "attn_q_a.weight", true},       {"q_b_proj", "attn_q_b.weight", true},
    {"kv_a_proj", "attn_kv_a_mqa.weight", true}, {"kv_b_proj", "attn_kv_b.weight", true},
    {"gate_proj", "ffn_gate.weight", true},      {"up_proj", "ffn_up.weight", true},
    {"down_proj", "ffn_down.weight", true},      {"experts_gate", "ffn_gate_exps.weight", true},
    {"experts_up", "ffn_up_exps.weight", true},  {"experts_down", "ffn_down_exps.weight", true},
    {"router", "ffn_gate_inp.weight", false},    {"shared_expert_gate", "ffn_gate_inp_shexp.weight", false},
    {"in_proj", "ssm_in.weight", true},          {"in_proj_qkv", "attn_qkv.weight", true},
    {"in_proj_z", "attn_gate.weight", true},     {"in_proj_b", "ssm_beta.weight", true},
    {"in_proj_a", "ssm_alpha.weight", true},     {"x_proj", "ssm_x.weight", true},
    {"dt_proj", "ssm_dt.weight", true},          {"out_proj", "ssm_out.weight", true},
    {"eh_proj", "nextn.eh_proj.weight", true},   {"embed_tokens", "token_embd.weight", true},
    {"lm_head", "output.weight", true},
};

static const struct name_row *name_of(const char *own)
{
    for (size_t i = 0; i < sizeof names / sizeof names[0]; i++) {
        if (names[i].own[0] == own[0] && strcmp(names[i].own, own) == 0) {
            return &names[i];
        }
    }
    return NULL;
}

static const char *shared_name(const char *own)
{
    return strcmp(own, "gate_proj") == 0 ? "ffn_gate_shexp.weight"
           : strcmp(own, "up_proj") == 0 ? "ffn_up_shexp.weight"
                                         : "ffn_down_shexp.weight";
}

// Projections that llama.cpp keeps in one tensor while the config has them apart.
static bool is_fused(const struct kvb_model *model)
{
    return strcmp(model->architecture, "Phi3ForCausalLM") == 0;
}

struct giving {
    const struct kvb_llama_run *run;
    uint32_t index, count;
    bool alone; // no layer of the model
    kvb_llama_tensor_taker *take;
    void *context;
};

static bool keeps_tokens(const struct kvb_model *model, uint32_t layer)
{
    enum kvb_attention kind = kvb_kind_of(model, layer)->attention.kind;
    return kind == KVB_ATTENTION_FULL || kind == KVB_ATTENTION_SLIDING || kind == KVB_ATTENTION_CHUNKED;
}

// Values are counted among the layers that keep tokens.
static void count_values(const struct giving *giving, struct kvb_llama_quantised *asked)
{
    const struct kvb_model *model = giving->run->model;
    asked->index = 0;
    asked->count = giving->alone ? 1 : 0;
    for (uint32_t i = 0; !giving->alone && i < model->layer_count; i++) {
        bool tokens = keeps_tokens(model, i);
        asked->count += tokens;
        asked->index += tokens && i < giving->index;
    }
}

static void give(const struct giving *giving, const struct kvb_tensor *tensor)
{
    const struct name_row *row = name_of(tensor->name);
    uint64_t elements = kvb_mul(kvb_mul(tensor->rows, tensor->columns), tensor->count);
    struct kvb_llama_tensor out = {.name = tensor->name,
                                   .role = tensor->role,
                                   .rows = kvb_mul(tensor->rows, tensor->count),
                                   .columns = tensor->columns,
                                   .bytes = kvb_mul(elements, 4)};
    bool quantised = row != NULL ? row->quantised : tensor->quantised;
    if (row != NULL) {
        out.name = tensor->role == KVB_ROLE_SHARED_EXPERT ? shared_name(tensor->name) : row->gguf;
    }
    if (quantised) {
        bool values = strcmp(out.name, "attn_v.weight") == 0;
        const char *name = is_fused(giving->run->model) && strncmp(out.name, "attn_", 5) == 0 &&
                                   strcmp(out.name, "attn_output.weight") != 0
                               ? "attn_qkv.weight"
                               : out.name;
        struct kvb_llama_quantised asked = {name, tensor->columns, giving->index, giving->count};
        if (values) {
            count_values(giving, &asked);
        }
        out.bytes = kvb_llama_mixture_bytes(giving->run, &asked, elements);
        out.quantised = out.bytes < kvb_mul(elements, 2);
    }
    giving->take(giving->context, &out);
}

void kvb_llama_layer_of_shapes(const struct kvb_llama_run *run, uint32_t layer, kvb_llama_tensor_taker *take,
                               void *context)
{
    const struct kvb_model *model = run->model;
    struct kvb_tensor tensors[KVB_TENSORS_MAX];
    struct giving giving = {run, layer, model->layer_count, false, take, context};
    uint32_t count = kvb_layer_tensors(model, kvb_kind_of(model, layer), tensors);
    for (uint32_t i = 0; i < count; i++) {
        if (!tensors[i].engine_only) {
            give(&giving, &tensors[i]);
        }
    }
}

void kvb_llama_ends_of_shapes(const struct kvb_llama_run *run, bool output, kvb_llama_tensor_taker *take, void *context)
{
    const struct kvb_model *model = run->model;
    struct kvb_tensor tensors[KVB_TENSORS_MAX];
    struct giving giving = {.run = run, .take = take, .context = context};
    uint32_t count = kvb_outer_tensors(model, tensors);
    for (uint32_t i = 0; i < count; i++) {
        bool embedding = tensors[i].role == KVB_ROLE_EMBEDDING;
        if (embedding != output || (output && model->tied_embeddings)) {
            give(&giving, &tensors[i]);
        }
    }
}

// Each: a layer of its own kind, the matrix over the hidden state and the token's embedding, and norms.
void kvb_llama_heads_of_shapes(const struct kvb_llama_run *run, kvb_llama_tensor_taker *take, void *context)
{
    const struct kvb_model *model = run->model;
    struct kvb_tensor tensors[KVB_TENSORS_MAX];
    struct giving giving = {run, 0, 1, true, take, context};
    for (uint32_t i = 0; i < model->mtp_layers; i++) {
        uint32_t count = kvb_layer_tensors(model, &model->kinds[model->mtp_kind], tensors);
        for (uint32_t j = 0; j < count; j++) {
            give(&giving, &tensors[j]);
        }
        struct kvb_tensor joined = {.name = "eh_proj",
                                    .role = KVB_ROLE_MTP,
                                    .rows = model->hidden_size,
                                    .columns = kvb_mul(model->hidden_size, model->mtp_extra_matrices_hidden),
                                    .count = 1,
                                    .quantised = true};
        struct kvb_tensor norms = {
            .name = "norm", .role = KVB_ROLE_MTP, .rows = model->hidden_size, .columns = 1, .count = model->mtp_norms};
        give(&giving, &joined);
        give(&giving, &norms);
    }
}
