// A list of tensors that grows by one row per matrix.
#include "budget/weights/tensor_list.h"

struct kvb_tensor *kvb_tensor_add(struct kvb_tensor_list *list, const char *name, enum kvb_role role,
                                  enum kvb_split split, uint64_t rows, uint64_t columns)
{
    struct kvb_tensor *tensor = &list->out[list->count];
    *tensor =
        (struct kvb_tensor){.name = name, .role = role, .split = split, .rows = rows, .columns = columns, .count = 1};
    if (rows != 0 && columns != 0 && list->count + 1 < KVB_TENSORS_MAX) {
        list->count++;
    }
    return tensor;
}

struct kvb_tensor *kvb_tensor_linear(struct kvb_tensor_list *list, const char *name, enum kvb_split split,
                                     uint64_t rows, uint64_t columns, enum kvb_fused fused)
{
    struct kvb_tensor *tensor = kvb_tensor_add(list, name, KVB_ROLE_ATTENTION, split, rows, columns);
    // The output projections are the ones split by columns.
    tensor->quantised = !list->model->quantisation.output_quantised || split == KVB_SPLIT_COLUMNS;
    tensor->fused = (uint8_t)fused;
    return tensor;
}
