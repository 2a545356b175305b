// Towers of models that read documents: dots.ocr, DeepSeek-OCR, and DeepSeek-VL2, whose language model they share,
// PaddleOCR-VL, HunyuanOCR.
#include "base/checked.h"
#include "model/config/hf_tower.h"

enum { SIDE = 14 * 14 * 3 }; // values of one patch of 14 pixels

// RMS norms, gated layers, four patches joined. Source: dots_ocr.py v0.11.0.
void kvb_hf_tower_dots(struct hf *hf)
{
    if (!kvb_hf_needs_vision(hf)) {
        return;
    }
    uint32_t hidden = kvb_hf_need(hf, HF_V_EMBED);
    uint32_t layers = kvb_hf_tower_layers(hf, 42);
    uint32_t inner = kvb_hf_need(hf, HF_V_INTERMEDIATE);
    uint32_t patch = kvb_hf_get(hf, HF_V_PATCH, 14), merge = kvb_hf_get(hf, HF_V_MERGE, 2);
    uint64_t merged = kvb_mul(hidden, kvb_mul(merge, merge));
    struct kvb_hf_stack stack = {.name = "vision.blocks",
                                 .role = KVB_ROLE_VISION,
                                 .layers = layers,
                                 .hidden = hidden,
                                 .inner = inner,
                                 .gated = true,
                                 .norms = 2};
    kvb_hf_linear(hf, "vision.patchifier", KVB_ROLE_VISION, hidden, kvb_mul(3, kvb_mul(patch, patch)), true);
    kvb_hf_stack_read(hf, &stack);
    kvb_hf_extra(hf, "vision.norms", KVB_ROLE_VISION, KVB_SPLIT_COPY, hidden, 4, 1); // patches, trunk, merger twice
    kvb_hf_extra(hf, "vision.merger", KVB_ROLE_PROJECTOR, KVB_SPLIT_ROWS, merged, kvb_add(merged, 1), 1);
    kvb_hf_extra(hf, "vision.merger", KVB_ROLE_PROJECTOR, KVB_SPLIT_COLUMNS, hf->model->hidden_size, kvb_add(merged, 1),
                 1);
    hf->model->encoder.gated = true;
    hf->model->encoder.merge_size = merge;
    kvb_hf_encoder_facts(hf, layers, hidden, inner, kvb_hf_get(hf, HF_V_HEADS, 12));
}

// SAM's ViT-B at 1024 pixels with relative positions, windows in 8 of 12 layers, and three convolutions that widen to
// `out`. Source: deepencoder.py v0.27.1 ImageEncoderViT.
static void add_sam(struct hf *hf, uint64_t out)
{
    enum { HIDDEN = 768, INNER = 3072, LAYERS = 12, GRID = 64, WINDOWED = 8, WINDOW = 14, HEAD = 64, NECK = 256 };
    struct kvb_hf_stack stack = kvb_hf_biased_stack("sam.blocks", LAYERS, HIDDEN, INNER);
    kvb_hf_linear(hf, "sam.patch_embed", KVB_ROLE_VISION, HIDDEN, 3 * 16 * 16, true);
    kvb_hf_extra(hf, "sam.positions", KVB_ROLE_VISION, KVB_SPLIT_COPY, GRID * GRID, HIDDEN, 1);
    kvb_hf_stack_read(hf, &stack);
    kvb_hf_extra(hf, "sam.rel_pos_window", KVB_ROLE_VISION, KVB_SPLIT_COPY, 2 * (2 * WINDOW - 1), HEAD, WINDOWED);
    kvb_hf_extra(hf, "sam.rel_pos", KVB_ROLE_VISION, KVB_SPLIT_COPY, 2 * (2 * GRID - 1), HEAD, LAYERS - WINDOWED);
    kvb_hf_linear(hf, "sam.neck1", KVB_ROLE_VISION, NECK, HIDDEN, false);
    kvb_hf_linear(hf, "sam.neck2", KVB_ROLE_VISION, NECK, NECK * 9, false);
    kvb_hf_extra(hf, "sam.neck_norms", KVB_ROLE_VISION, KVB_SPLIT_COPY, NECK, 4, 1);
    kvb_hf_linear(hf, "sam.net_2", KVB_ROLE_VISION, 2 * NECK, NECK * 9, false);
    kvb_hf_linear(hf, "sam.net_3", KVB_ROLE_VISION, out, 2 * NECK * 9, false);
}

// SAM, then CLIP ViT-L/14 over what it returns; both outputs side by side. Source: deepseek_ocr.py v0.11.1.
void kvb_hf_tower_deepseek_ocr(struct hf *hf)
{
    enum { HIDDEN = 1024, INNER = 4096, LAYERS = 24, POSITIONS = 257 };
    uint64_t text = hf->model->hidden_size;
    struct kvb_hf_stack stack = kvb_hf_biased_stack("clip.layers", LAYERS, HIDDEN, INNER);
    add_sam(hf, HIDDEN);
    kvb_hf_linear(hf, "clip.patch_embedding", KVB_ROLE_VISION, HIDDEN, SIDE, false);
    kvb_hf_extra(hf, "clip.positions", KVB_ROLE_VISION, KVB_SPLIT_COPY, POSITIONS + 1, HIDDEN, 1); // with the class
    kvb_hf_extra(hf, "clip.pre_layernorm", KVB_ROLE_VISION, KVB_SPLIT_COPY, HIDDEN, 2, 1);
    kvb_hf_stack_read(hf, &stack);
    kvb_hf_linear(hf, "projector", KVB_ROLE_PROJECTOR, text, 2 * HIDDEN, true);
    kvb_hf_extra(hf, "separators", KVB_ROLE_PROJECTOR, KVB_SPLIT_COPY, 2, text, 1);
    kvb_hf_encoder_facts(hf, LAYERS, HIDDEN, INNER, 16);
}

// SAM, then Qwen2 0.5B without its embedding over what it returns and 144 or 256 queries. Source: deepencoder2.py
// v0.16.0.
void kvb_hf_tower_deepseek_ocr2(struct hf *hf)
{
    enum { HIDDEN = 896, INNER = 4864, LAYERS = 24, HEADS = 14, KV = 128, QUERIES = 144 + 256 };
    uint64_t text = hf->model->hidden_size;
    add_sam(hf, HIDDEN);
    kvb_hf_extra(hf, "qwen2.qkv", KVB_ROLE_VISION, KVB_SPLIT_COPY, HIDDEN + 2 * KV, HIDDEN + 1, LAYERS);
    kvb_hf_extra(hf, "qwen2.o_proj", KVB_ROLE_VISION, KVB_SPLIT_COPY, HIDDEN, HIDDEN, LAYERS);
    kvb_hf_extra(hf, "qwen2.mlp", KVB_ROLE_VISION, KVB_SPLIT_COPY, 3 * INNER, HIDDEN, LAYERS);
    kvb_hf_extra(hf, "qwen2.norms", KVB_ROLE_VISION, KVB_SPLIT_COPY, 2 * LAYERS + 1, HIDDEN, 1);
    kvb_hf_extra(hf, "queries", KVB_ROLE_VISION, KVB_SPLIT_COPY, QUERIES, HIDDEN, 1);
    kvb_hf_linear(hf, "projector", KVB_ROLE_PROJECTOR, text, HIDDEN, true);
    kvb_hf_extra(hf, "separator", KVB_ROLE_PROJECTOR, KVB_SPLIT_COPY, text, 1, 1);
    kvb_hf_encoder_facts(hf, LAYERS, HIDDEN, INNER, HEADS);
}

// SigLIP SO400M at 384 pixels without its pooling head, four patches joined. Source: deepseek_vl2.py v0.27.1.
void kvb_hf_tower_deepseek_vl2(struct hf *hf)
{
    enum { HIDDEN = 1152, INNER = 4304, LAYERS = 27, PATCHES = 27 * 27 };
    uint64_t text = hf->model->hidden_size;
    struct kvb_hf_stack stack = kvb_hf_biased_stack("vision.blocks", LAYERS, HIDDEN, INNER);
    kvb_hf_linear(hf, "vision.patch_embed", KVB_ROLE_VISION, HIDDEN, SIDE, true);
    kvb_hf_extra(hf, "vision.positions", KVB_ROLE_VISION, KVB_SPLIT_COPY, PATCHES, HIDDEN, 1);
    kvb_hf_stack_read(hf, &stack);
    kvb_hf_extra(hf, "vision.norm", KVB_ROLE_VISION, KVB_SPLIT_COPY, HIDDEN, 2, 1);
    kvb_hf_linear(hf, "projector.linear_1", KVB_ROLE_PROJECTOR, text, 4 * HIDDEN, true);
    kvb_hf_linear(hf, "projector.linear_2", KVB_ROLE_PROJECTOR, text, text, true);
    kvb_hf_extra(hf, "separators", KVB_ROLE_PROJECTOR, KVB_SPLIT_COPY, 2, text, 1);
    kvb_hf_encoder_facts(hf, LAYERS, HIDDEN, INNER, 16);
}

// SigLIP without its pooling head, merged patches normed and projected by two matrices. Source: paddleocr_vl.py
// v0.27.1.
void kvb_hf_tower_paddle(struct hf *hf)
{
    if (!kvb_hf_needs_vision(hf)) {
        return;
    }
    uint64_t merge = kvb_hf_get(hf, HF_V_MERGE, 2), hidden = kvb_hf_get(hf, HF_V_HIDDEN, 1152);
    uint64_t merged = kvb_mul(hidden, kvb_mul(merge, merge));
    kvb_hf_siglip(hf);
    kvb_hf_extra(hf, "projector.pre_norm", KVB_ROLE_PROJECTOR, KVB_SPLIT_COPY, hidden, 2, 1);
    kvb_hf_linear(hf, "projector.linear_1", KVB_ROLE_PROJECTOR, merged, merged, true);
    kvb_hf_linear(hf, "projector.linear_2", KVB_ROLE_PROJECTOR, hf->model->hidden_size, merged, true);
}

// SigLIP's layers at up to 2,048 pixels, two convolutions that join four patches, marks around a picture and its rows.
// Source: hunyuan_vision.py v0.12.0 HunYuanVisionPatchMerger.
void kvb_hf_tower_hunyuan(struct hf *hf)
{
    enum { SIDE_PIXELS = 2048 };
    if (!kvb_hf_needs_vision(hf)) {
        return;
    }
    uint32_t hidden = kvb_hf_need(hf, HF_V_HIDDEN);
    uint32_t layers = kvb_hf_tower_layers(hf, 0);
    uint32_t inner = kvb_hf_need(hf, HF_V_INTERMEDIATE);
    uint64_t patch = kvb_hf_get(hf, HF_V_PATCH, 16), merge = kvb_hf_get(hf, HF_V_MERGE, 2);
    uint64_t grid = SIDE_PIXELS / patch, wide = kvb_mul(hidden, 2), out = hf->model->hidden_size;
    struct kvb_hf_stack stack = kvb_hf_biased_stack("vision.layers", layers, hidden, inner);
    kvb_hf_linear(hf, "vision.patch_embedding", KVB_ROLE_VISION, hidden, kvb_mul(3, kvb_mul(patch, patch)), true);
    kvb_hf_extra(hf, "vision.positions", KVB_ROLE_VISION, KVB_SPLIT_COPY, kvb_add(kvb_mul(grid, grid), 1), hidden, 1);
    kvb_hf_stack_read(hf, &stack);
    kvb_hf_linear(hf, "merger.conv1", KVB_ROLE_PROJECTOR, wide, kvb_mul(hidden, kvb_mul(merge, merge)), true);
    kvb_hf_linear(hf, "merger.conv2", KVB_ROLE_PROJECTOR, kvb_mul(wide, 2), wide, true);
    kvb_hf_linear(hf, "merger.mlp", KVB_ROLE_PROJECTOR, out, kvb_mul(wide, 2), true);
    kvb_hf_extra(hf, "merger.newline", KVB_ROLE_PROJECTOR, KVB_SPLIT_COPY, kvb_mul(wide, 2), 1, 1);
    kvb_hf_extra(hf, "merger.marks", KVB_ROLE_PROJECTOR, KVB_SPLIT_COPY, out, 4, 1); // begin, end, separator, norm
    kvb_hf_extra(hf, "merger.before_rms", KVB_ROLE_PROJECTOR, KVB_SPLIT_COPY, hidden, 1, 1);
    kvb_hf_encoder_facts(hf, layers, hidden, inner, kvb_hf_get(hf, HF_V_HEADS, 16));
}
