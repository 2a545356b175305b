// Stored size of a matrix by quantisation: one row a method.
// Source: vllm/model_executor/layers/quantization/*.py create_weights and process_weights_after_loading.
#include "budget/weights/weights.h"

#include "base/checked.h"

#define MXFP8_GROUP 32

typedef void parts_function(const struct kvb_load *, const struct kvb_matrix *, struct kvb_parameter *);

static void add_part(struct kvb_parameter *parameter, uint64_t bytes)
{
    if (bytes > 0) { // no format has more than KVB_PARTS_MAX
        parameter->part_bytes[parameter->part_count++] = bytes;
    }
}

static uint64_t elements_of(const struct kvb_matrix *matrix)
{
    return kvb_mul(kvb_mul(matrix->count, matrix->rows), matrix->columns);
}

// Rows are set apart in memory. Source: quantization/utils/fp8_utils.py v0.12.0:981, on ROCm.
static uint64_t row_padding(const struct kvb_load *load, const struct kvb_matrix *m, uint64_t element)
{
    bool apart = load->padded_rows && kvb_mul(m->columns, element) % 512 == 0;
    return apart ? kvb_mul(kvb_mul(m->count, m->rows), 256) : 0;
}

static uint64_t expert_padding(const struct kvb_load *load, const struct kvb_matrix *m, uint64_t element)
{
    bool apart = load->expert_rows != KVB_EXPERT_ROWS_AS_LOADED && kvb_mul(m->columns, element) % 512 == 0;
    return apart ? kvb_mul(kvb_mul(m->count, m->rows), 256) : 0;
}

static void plain_parts(const struct kvb_load *load, const struct kvb_matrix *matrix, struct kvb_parameter *out)
{
    bool bias = matrix->is_expert && matrix->columns <= 1 && load->mxfp4.fp32_biases;
    uint32_t element = matrix->always_fp32 || bias ? 4 : kvb_dtype_bytes(load->dtype);
    uint64_t bytes = kvb_mul(elements_of(matrix), element);
    if (matrix->is_expert && matrix->columns > 1) {
        uint64_t padding = expert_padding(load, matrix, element);
        out->expert_bytes = bytes;
        out->apart_bytes = padding > 0 ? kvb_add(bytes, padding) : 0;
        bytes = kvb_add(bytes, load->expert_rows == KVB_EXPERT_ROWS_APART ? padding : 0);
    }
    add_part(out, bytes);
}

// Marlin has scales of groups of inputs alone, so that a block's is written for each of its rows.
static uint64_t block_scales(const struct kvb_load *load, const struct kvb_matrix *m)
{
    const struct kvb_quantisation *q = &load->model->quantisation;
    uint64_t groups = kvb_div_up(m->columns, q->block_columns > 0 ? q->block_columns : 128);
    uint64_t blocks = kvb_div_up(m->rows, q->block_rows > 0 ? q->block_rows : 128);
    uint64_t element = load->scales_by_row ? kvb_dtype_bytes(load->dtype) : 4;
    return kvb_mul(m->count * element, kvb_mul(load->scales_by_row ? m->rows : blocks, groups));
}

static void fp8_parts(const struct kvb_load *load, const struct kvb_matrix *m, struct kvb_parameter *out)
{
    const struct kvb_quantisation *q = &load->model->quantisation;
    enum kvb_scale_shape scale = q->method == KVB_QUANT_FP8 ? q->scale : load->online_scale;
    bool padded = scale == KVB_SCALE_BLOCK && !m->is_expert;
    add_part(out, kvb_add(elements_of(m), padded ? row_padding(load, m, 1) : 0));
    switch (scale) {
    case KVB_SCALE_BLOCK:
        add_part(out, block_scales(load, m));
        break;
    case KVB_SCALE_CHANNEL:
        add_part(out, kvb_mul(m->count * 4, m->rows));
        break;
    case KVB_SCALE_GROUP: // MXFP8
        add_part(out, kvb_div_up(elements_of(m), MXFP8_GROUP));
        break;
    default:
        add_part(out, m->count * 4);
        break;
    }
}

static void int8_parts(const struct kvb_load *load, const struct kvb_matrix *m, struct kvb_parameter *out)
{
    (void)load;
    add_part(out, elements_of(m));
    add_part(out, kvb_mul(m->count * 4, m->rows));
}

// Packed integers with one 16-bit scale per group of inputs and, if asymmetric, a packed zero point.
static void group_parts(const struct kvb_load *load, const struct kvb_matrix *m, struct kvb_parameter *out)
{
    const struct kvb_quantisation *q = &load->model->quantisation;
    bool wished = q->method == KVB_QUANT_NONE; // asked for by flag: the usual 4 bits in groups of 128
    uint64_t bits = q->bits > 0 ? q->bits : 4;
    uint64_t group_size = wished ? 128 : q->group_size;
    uint64_t groups = group_size > 0 ? kvb_div_up(m->columns, group_size) : 1;
    uint64_t scales = kvb_mul(kvb_mul(m->count, m->rows), groups);
    add_part(out, kvb_div_up(kvb_mul(elements_of(m), bits), 8));
    add_part(out, kvb_mul(scales, 2));
    add_part(out, q->symmetric ? 0 : kvb_div_up(kvb_mul(scales, bits), 8));
    add_part(out, q->act_order ? kvb_mul(m->count * 4, m->columns) : 0);
}

// nf4: half a byte, and one double-quantised byte per block of 64.
static void bnb4_parts(const struct kvb_load *load, const struct kvb_matrix *m, struct kvb_parameter *out)
{
    (void)load;
    add_part(out, kvb_div_up(elements_of(m), 2));
    add_part(out, kvb_div_up(elements_of(m), 64));
}

static void nvfp4_parts(const struct kvb_load *load, const struct kvb_matrix *m, struct kvb_parameter *out)
{
    (void)load;
    uint64_t scale_columns = kvb_round_up(kvb_div_up(m->columns, 16), 4);
    add_part(out, kvb_div_up(elements_of(m), 2));
    add_part(out, kvb_mul(kvb_mul(m->count, kvb_round_up(m->rows, 128)), scale_columns));
    add_part(out, m->count * 8);
}

static uint64_t padded(uint64_t size, uint64_t step)
{
    return step > 0 ? kvb_round_up(size, step) : size;
}

static void mxfp4_parts(const struct kvb_load *load, const struct kvb_matrix *m, struct kvb_parameter *out)
{
    const struct kvb_padding *padding = &load->mxfp4;
    bool reads_hidden = m->columns == load->model->hidden_size && m->logical > 1;
    uint64_t row_step = reads_hidden ? (uint64_t)padding->intermediate * m->logical : padding->hidden;
    uint64_t rows = padded(m->rows, row_step); // an engine may pad nothing
    uint64_t columns = padded(m->columns, reads_hidden ? padding->hidden : padding->intermediate);
    uint64_t packed = padded(kvb_div_up(columns, 2), padding->value_step);
    uint64_t groups = kvb_div_up(columns, 32);
    uint64_t loaded = kvb_mul(kvb_mul(m->count, rows), groups);
    uint64_t anew =
        kvb_mul(kvb_mul(m->count, padded(rows, padding->scale_rows)), padded(groups, padding->scale_columns));
    add_part(out, kvb_mul(kvb_mul(m->count, padded(rows, padding->value_step)), packed));
    add_part(out, padding->scale_rows > 0 ? anew : loaded);
    add_part(out, kvb_mul(loaded, padding->loaded_scale_bytes));
}

static parts_function *const parts_of[KVB_QUANT_COUNT] = {
    [KVB_QUANT_NONE] = plain_parts,  [KVB_QUANT_FP8] = fp8_parts,    [KVB_QUANT_INT8] = int8_parts,
    [KVB_QUANT_AWQ] = group_parts,   [KVB_QUANT_GPTQ] = group_parts, [KVB_QUANT_WNA16] = group_parts,
    [KVB_QUANT_BNB4] = bnb4_parts,   [KVB_QUANT_BNB8] = int8_parts,  [KVB_QUANT_MXFP4] = mxfp4_parts,
    [KVB_QUANT_NVFP4] = nvfp4_parts, [KVB_QUANT_GGUF] = group_parts,
};

static enum kvb_quantisation_method method_of(const struct kvb_load *load, const struct kvb_matrix *matrix)
{
    const struct kvb_quantisation *q = &load->model->quantisation;
    if (!matrix->quantised || matrix->left_out || matrix->columns <= 1 || load->plain) {
        return KVB_QUANT_NONE;
    }
    if (q->method == KVB_QUANT_NONE) {
        return matrix->is_expert ? load->online_experts : load->online;
    }
    if ((q->unquantised_roles >> matrix->role & 1U) != 0) {
        return KVB_QUANT_NONE;
    }
    uint32_t as_attention = q->roles_as_attention | UINT32_C(1) << KVB_ROLE_ATTENTION;
    if (q->attention_method != KVB_QUANT_NONE && (matrix->as_attention || (as_attention >> matrix->role & 1U) != 0)) {
        return q->attention_method;
    }
    return matrix->is_expert && q->expert_method != KVB_QUANT_NONE ? q->expert_method : q->method;
}

bool kvb_is_quantised(const struct kvb_load *load, const struct kvb_matrix *matrix)
{
    return method_of(load, matrix) != KVB_QUANT_NONE;
}

void kvb_parameter_make(const struct kvb_load *load, const struct kvb_matrix *matrix, struct kvb_parameter *parameter)
{
    *parameter = (struct kvb_parameter){.role = matrix->role, .is_norm = matrix->role == KVB_ROLE_NORM};
    parts_of[method_of(load, matrix)](load, matrix, parameter);
    parameter->plain_bytes = kvb_mul(elements_of(matrix), kvb_dtype_bytes(load->dtype));
    bool adapted = matrix->columns != 1 && !matrix->is_expert && matrix->quantised;
    parameter->lora_elements_per_rank = adapted ? matrix->logical * matrix->columns + matrix->rows : 0;
}
