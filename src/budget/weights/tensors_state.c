// Matrices of layers that keep a state instead of keys and values: Mamba, delta nets, short convolution.
#include "base/checked.h"
#include "budget/weights/tensors.h"

static struct kvb_tensor *add_rows(struct kvb_tensor_list *list, const char *name, uint64_t rows, uint64_t columns)
{
    return kvb_tensor_add(list, name, KVB_ROLE_ATTENTION, KVB_SPLIT_ROWS, rows, columns);
}

static void add_out(struct kvb_tensor_list *list, const struct kvb_attention_shape *shape, uint64_t inner)
{
    uint64_t hidden = list->model->hidden_size;
    kvb_tensor_linear(list, "out_proj", KVB_SPLIT_COLUMNS, hidden, inner, KVB_FUSED_NONE);
    if (shape->state_bias) {
        kvb_tensor_add(list, "out_bias", KVB_ROLE_ATTENTION, KVB_SPLIT_COPY, hidden, 1);
    }
}

// Mamba1: state_key_heads is the rank of the time-step projection, state_key_size the state size.
static void add_mamba1(struct kvb_tensor_list *list, const struct kvb_attention_shape *shape)
{
    uint64_t hidden = list->model->hidden_size;
    uint64_t inner = shape->state_inner_size;
    uint64_t selected = kvb_add(shape->state_key_heads, kvb_mul(shape->state_key_size, 2));
    add_rows(list, "conv1d", inner, shape->conv_kernel);
    if (shape->conv_bias) {
        add_rows(list, "conv1d_bias", inner, 1);
    }
    kvb_tensor_linear(list, "in_proj", KVB_SPLIT_ROWS, kvb_mul(inner, 2), hidden, KVB_FUSED_NONE);
    if (shape->state_bias) {
        add_rows(list, "in_bias", kvb_mul(inner, 2), 1);
    }
    kvb_tensor_linear(list, "x_proj", KVB_SPLIT_COLUMNS, selected, inner, KVB_FUSED_NONE);
    kvb_tensor_linear(list, "dt_proj", KVB_SPLIT_ROWS, inner, shape->state_key_heads, KVB_FUSED_NONE);
    add_rows(list, "dt_bias", inner, 1);
    add_rows(list, "A", inner, shape->state_key_size)->always_fp32 = true;
    add_rows(list, "D", inner, 1)->always_fp32 = true;
    add_out(list, shape, inner);
}

// The projection to [z, x, B, C, dt] (columns = hidden size) or its bias (columns = 1).
static void add_mamba2_in(struct kvb_tensor_list *list, const struct kvb_attention_shape *shape, bool bias)
{
    static const char *const names[] = {"in_z", "in_x", "in_b", "in_c", "in_dt"};
    uint64_t group = kvb_mul(shape->state_key_heads, shape->state_key_size);
    uint64_t rows[] = {shape->state_inner_size, shape->state_inner_size, group, group, shape->state_value_heads};
    for (int i = 0; i < 5; i++) {
        enum kvb_split split = i == 2 || i == 3 ? KVB_SPLIT_GROUPS : KVB_SPLIT_ROWS;
        struct kvb_tensor *tensor =
            kvb_tensor_linear(list, names[i], split, rows[i], bias ? 1 : list->model->hidden_size,
                              bias ? KVB_FUSED_STATE_IN_BIAS : KVB_FUSED_STATE_IN);
        tensor->heads = shape->state_key_heads;
        tensor->quantised = tensor->quantised && !bias;
    }
}

static void add_mamba2_conv(struct kvb_tensor_list *list, const struct kvb_attention_shape *shape)
{
    uint64_t inner = shape->state_inner_size;
    uint64_t group = kvb_mul(shape->state_key_heads, shape->state_key_size);
    add_rows(list, "conv_x", inner, shape->conv_kernel)->fused = KVB_FUSED_CONV;
    for (int i = 0; i < 2; i++) {
        struct kvb_tensor *tensor = kvb_tensor_add(list, i ? "conv_c" : "conv_b", KVB_ROLE_ATTENTION, KVB_SPLIT_GROUPS,
                                                   group, shape->conv_kernel);
        tensor->heads = shape->state_key_heads;
        tensor->fused = KVB_FUSED_CONV;
    }
    if (shape->conv_bias) {
        add_rows(list, "conv_bias", kvb_add(inner, kvb_mul(group, 2)), 1);
    }
}

static void add_mamba2(struct kvb_tensor_list *list, const struct kvb_attention_shape *shape)
{
    add_mamba2_conv(list, shape);
    add_mamba2_in(list, shape, false);
    if (shape->state_bias) {
        add_mamba2_in(list, shape, true);
    }
    add_rows(list, "A", shape->state_value_heads, 1)->always_fp32 = true;
    add_rows(list, "D", shape->state_value_heads, 1);
    add_rows(list, "dt_bias", shape->state_value_heads, 1);
    add_out(list, shape, shape->state_inner_size);
    if (!shape->no_state_norm) {
        add_rows(list, "gated_norm", shape->state_inner_size, 1)->role = KVB_ROLE_NORM;
    }
}

static void add_gdn(struct kvb_tensor_list *list, const struct kvb_attention_shape *shape)
{
    uint64_t hidden = list->model->hidden_size;
    uint64_t heads = shape->state_value_heads;
    uint64_t values = kvb_mul(heads, shape->state_value_size);
    uint64_t mixed = kvb_add(kvb_mul(kvb_mul(shape->state_key_heads, shape->state_key_size), 2), values);
    add_rows(list, "conv1d", mixed, shape->conv_kernel);
    kvb_tensor_linear(list, "in_proj_qkv", KVB_SPLIT_ROWS, mixed, hidden, KVB_FUSED_STATE_IN);
    kvb_tensor_linear(list, "in_proj_z", KVB_SPLIT_ROWS, values, hidden, KVB_FUSED_STATE_IN);
    add_rows(list, "in_proj_b", heads, hidden)->fused = KVB_FUSED_BA;
    add_rows(list, "in_proj_a", heads, hidden)->fused = KVB_FUSED_BA;
    add_rows(list, "dt_bias", heads, 1);
    add_rows(list, "A_log", heads, 1);
    kvb_tensor_add(list, "norm", KVB_ROLE_NORM, KVB_SPLIT_COPY, shape->state_value_size, 1);
    add_out(list, shape, values);
}

// gated_output: the output gate has a matrix of full rank instead of a pair of the head's rank.
static void add_kda_gates(struct kvb_tensor_list *list, const struct kvb_attention_shape *shape, uint64_t width)
{
    uint64_t hidden = list->model->hidden_size;
    uint64_t rank = shape->state_value_size;
    if (shape->full_rank_decay) {
        kvb_tensor_linear(list, "f_proj", KVB_SPLIT_ROWS, width, hidden, KVB_FUSED_NONE);
    } else {
        kvb_tensor_linear(list, "f_a_proj", KVB_SPLIT_COPY, rank, hidden, KVB_FUSED_NONE);
        kvb_tensor_linear(list, "f_b_proj", KVB_SPLIT_ROWS, width, rank, KVB_FUSED_NONE);
    }
    add_rows(list, "dt_bias", width, 1)->always_fp32 = true;
    kvb_tensor_linear(list, "b_proj", KVB_SPLIT_ROWS, shape->state_value_heads, hidden, KVB_FUSED_NONE);
    add_rows(list, "A_log", shape->state_value_heads, 1)->always_fp32 = true;
    if (shape->gated_output) {
        kvb_tensor_linear(list, "g_proj", KVB_SPLIT_ROWS, width, hidden, KVB_FUSED_NONE);
        return;
    }
    kvb_tensor_linear(list, "g_a_proj", KVB_SPLIT_COPY, rank, hidden, KVB_FUSED_NONE);
    kvb_tensor_linear(list, "g_b_proj", KVB_SPLIT_ROWS, width, rank, KVB_FUSED_NONE);
}

static void add_kda(struct kvb_tensor_list *list, const struct kvb_attention_shape *shape)
{
    static const char *const names[] = {"q_proj", "k_proj", "v_proj", "q_conv1d", "k_conv1d", "v_conv1d"};
    uint64_t keys = kvb_mul(shape->state_key_heads, shape->state_key_size);
    uint64_t values = kvb_mul(shape->state_value_heads, shape->state_value_size);
    uint64_t rows[] = {keys, keys, values};
    for (int i = 0; i < 3; i++) {
        kvb_tensor_linear(list, names[i], KVB_SPLIT_ROWS, rows[i], list->model->hidden_size, KVB_FUSED_NONE);
    }
    for (int i = 0; i < 3; i++) {
        add_rows(list, names[i + 3], rows[i], shape->conv_kernel);
    }
    add_kda_gates(list, shape, values);
    kvb_tensor_add(list, "o_norm", KVB_ROLE_NORM, KVB_SPLIT_COPY, shape->state_value_size, 1);
    add_out(list, shape, values);
}

static void add_linear_attention(struct kvb_tensor_list *list, const struct kvb_attention_shape *shape)
{
    uint64_t hidden = list->model->hidden_size;
    uint64_t inner = kvb_mul(shape->heads, shape->head_size);
    kvb_tensor_linear(list, "qkv_proj", KVB_SPLIT_ROWS, kvb_mul(inner, 3), hidden, KVB_FUSED_NONE);
    kvb_tensor_linear(list, "output_gate", KVB_SPLIT_ROWS, inner, hidden, KVB_FUSED_NONE);
    add_out(list, shape, inner);
    add_rows(list, "norm", inner, 1)->role = KVB_ROLE_NORM;
}

static void add_short_conv(struct kvb_tensor_list *list, const struct kvb_attention_shape *shape)
{
    uint64_t width = shape->state_inner_size;
    add_rows(list, "conv", width, shape->conv_kernel);
    if (shape->conv_bias) {
        add_rows(list, "conv_bias", width, 1);
    }
    kvb_tensor_linear(list, "in_proj", KVB_SPLIT_ROWS, kvb_mul(width, 3), list->model->hidden_size, KVB_FUSED_NONE);
    if (shape->state_bias) {
        add_rows(list, "in_bias", kvb_mul(width, 3), 1);
    }
    add_out(list, shape, width);
}

void kvb_state_tensors(struct kvb_tensor_list *list, const struct kvb_attention_shape *shape)
{
    switch ((int)shape->kind) {
    case KVB_ATTENTION_MAMBA1:
        add_mamba1(list, shape);
        break;
    case KVB_ATTENTION_MAMBA2:
        add_mamba2(list, shape);
        break;
    case KVB_ATTENTION_GDN:
        add_gdn(list, shape);
        break;
    case KVB_ATTENTION_KDA:
        add_kda(list, shape);
        break;
    case KVB_ATTENTION_LINEAR:
        add_linear_attention(list, shape);
        break;
    default: // short convolution
        add_short_conv(list, shape);
        break;
    }
}
