// Which part of a tensor one rank holds. Source: vllm/model_executor/layers/linear.py,
// vocab_parallel_embedding.py, fused_moe/layer.py.
#include "budget/weights/weights.h"

#include "base/checked.h"

#define VOCABULARY_STEP 64

static uint64_t by_heads(uint64_t rows, uint32_t heads, uint32_t tp)
{
    return heads > 0 ? rows / heads * kvb_heads_on_rank(heads, tp) : rows / tp;
}

static void split_experts(const struct kvb_load *load, const struct kvb_tensor *tensor, struct kvb_matrix *matrix)
{
    uint64_t ranks = (uint64_t)load->tp * load->dp * load->pcp;
    matrix->is_expert = true;
    if (load->ep > 1) {
        matrix->count = kvb_div_up(tensor->count, load->ep);
    } else if (tensor->split == KVB_SPLIT_EXPERTS_ROWS) {
        matrix->rows = kvb_div_up(tensor->rows, ranks);
    } else if (tensor->split == KVB_SPLIT_EXPERTS_COLUMNS) {
        matrix->columns = kvb_div_up(tensor->columns, ranks);
    }
}

void kvb_tensor_split(const struct kvb_load *load, const struct kvb_tensor *tensor, struct kvb_matrix *matrix)
{
    uint32_t tp = load->tp;
    *matrix = (struct kvb_matrix){.role = tensor->role,
                                  .count = tensor->count > 0 ? tensor->count : 1,
                                  .rows = tensor->rows,
                                  .columns = tensor->columns,
                                  .logical = 1,
                                  .quantised = tensor->quantised,
                                  .left_out = tensor->left_out,
                                  .as_attention = tensor->as_attention,
                                  .always_fp32 = tensor->always_fp32};
    switch (tensor->split) {
    case KVB_SPLIT_ROWS:
        matrix->rows = kvb_div_up(tensor->rows, tp);
        break;
    case KVB_SPLIT_COLUMNS:
        matrix->columns = kvb_div_up(tensor->columns, tp); // a vector stays one on each rank
        break;
    case KVB_SPLIT_KV:
        matrix->rows = by_heads(tensor->rows, tensor->heads, tp);
        break;
    case KVB_SPLIT_VOCABULARY:
        matrix->rows = kvb_round_up(tensor->rows, VOCABULARY_STEP) / tp;
        break;
    case KVB_SPLIT_GROUPS:
        matrix->rows = tensor->rows / (tensor->heads % tp != 0 ? tensor->heads : tp);
        break;
    case KVB_SPLIT_EXPERTS_ROWS:
    case KVB_SPLIT_EXPERTS_COLUMNS:
    case KVB_SPLIT_EXPERTS_COPY:
        split_experts(load, tensor, matrix);
        break;
    default:
        break;
    }
}

uint32_t kvb_parameters_of(const struct kvb_load *load, const struct kvb_tensor *tensors, uint32_t count,
                           struct kvb_parameter *out)
{
    uint32_t made = 0;
    for (uint32_t i = 0; i < count;) {
        struct kvb_matrix matrix;
        kvb_tensor_split(load, &tensors[i], &matrix);
        uint32_t next = i + 1;
        while (next < count && tensors[i].fused != 0 && tensors[next].fused == tensors[i].fused) {
            struct kvb_matrix other;
            kvb_tensor_split(load, &tensors[next], &other);
            matrix.rows = kvb_add(matrix.rows, other.rows);
            matrix.logical++;
            next++;
        }
        kvb_parameter_make(load, &matrix, &out[made++]);
        i = next;
    }
    return made;
}
