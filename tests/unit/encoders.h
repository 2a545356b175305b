// Towers of public models.
#ifndef KVB_TESTS_ENCODERS_H
#define KVB_TESTS_ENCODERS_H

#include <kvbudget/model.h>

// Qwen2.5-VL-7B-Instruct, config.json.
static const struct kvb_encoder qwen25_vl = {.family = KVB_ENCODER_QWEN25_VL,
                                             .layers = 32,
                                             .hidden_size = 1280,
                                             .intermediate_size = 3420,
                                             .heads = 16,
                                             .patch_size = 14,
                                             .merge_size = 2,
                                             .temporal_patch_size = 2,
                                             .gated = true,
                                             .has_video = true};

#endif
