// What the headers of a checkpoint say stands above what its config does.
#include "budget/weights/weights_checkpoint.h"

void kvb_weights_from_checkpoint(const struct kvb_load *load, uint32_t stage, struct kvb_weights *weights)
{
    struct kvb_part whole = {load, true, 0, load->model->layer_count, true, true};
    struct kvb_part rank = {
        load, false, load->stage_begin[stage], load->stage_begin[stage + 1], stage == 0, stage + 1 == load->pp};
    if (!kvb_model_counts_headers(load->model)) {
        return;
    }
    switch (load->model->checkpoint.kind) {
    case KVB_CHECKPOINT_INDEX:
        kvb_weights_from_total(load, weights);
        break;
    case KVB_CHECKPOINT_GGUF:
        kvb_weights_from_gguf(&rank, weights);
        break;
    default:
        kvb_weights_from_headers(&whole, &rank, weights);
        break;
    }
}
