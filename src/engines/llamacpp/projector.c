// The graph of a picture projector, allocated as the model's is: patches, layers that attend to all of them, a merger.
// Source: tools/mtmd/clip.cpp (load_hparams, build_vit, build_attn, build_ffn, warmup, reserve_compute_meta) and
// tools/mtmd/models/qwen3vl.cpp at b9410 and later; ggml_conv_2d of ggml/src/ggml.c.
#include "engines/llamacpp/projector.h"

#include <string.h>

#include "base/checked.h"
#include "engines/llamacpp/build.h"

#define FLASH_SINCE 6915 // clip_flash_attn_type; before, the buffer of the start was that of a tiny picture
#define CHANNELS 3U
#define LEVELS_MAX 8

// What load_hparams sets by kind.
struct kind_row {
    enum kvb_encoder_family family;
    uint32_t side_tokens, most_tokens; // side_tokens 0: pictures have one size
    bool rms, rope, twice;             // twice: patches are read by two convolutions
    bool followed;
};
static const struct kind_row kinds[] = {
    {KVB_ENCODER_QWEN2_VL, 46, 4096, false, true, true, false},
    {KVB_ENCODER_QWEN25_VL, 46, 4096, true, true, true, false}, // windows have a mask
    {KVB_ENCODER_QWEN3_VL, 46, 4096, false, true, true, true},
    {KVB_ENCODER_GEMMA3, 0, 256, false, false, false, false},
    {KVB_ENCODER_GEMMA4, 16, 280, true, true, false, false},
    {KVB_ENCODER_PIXTRAL, 16, 1024, true, true, false, false},
    {KVB_ENCODER_KIMI, 16, 1024, false, true, false, false},
};

static const struct kind_row *kind_of(enum kvb_encoder_family family)
{
    static const struct kind_row other = {KVB_ENCODER_OTHER, 0, 0, false, false, false, false};
    for (size_t i = 0; i < sizeof kinds / sizeof kinds[0]; i++) {
        if (kinds[i].family == family) {
            return &kinds[i];
        }
    }
    return &other;
}

struct picture {
    struct kvb_llama_graph *graph;
    const struct kvb_projector *projector;
    const struct kind_row *kind;
    uint64_t patches, pixels;
    kvb_llama_node raw, positions;
};

static kvb_llama_node wide(const struct picture *picture, kvb_llama_node in, kvb_llama_node other)
{
    return kvb_llama_new(picture->graph, picture->projector->hidden_size, picture->patches, 1, in, other);
}

static kvb_llama_node view_of(const struct picture *picture, kvb_llama_node of)
{
    const uint64_t ne[3] = {picture->projector->hidden_size, picture->patches, 1};
    return kvb_llama_view(picture->graph, KVB_LLAMA_OP_VIEW, of, ne);
}

// ---- Patches

static kvb_llama_node convolve(const struct picture *picture)
{
    const struct kvb_projector *projector = picture->projector;
    uint64_t inputs = (uint64_t)CHANNELS * projector->patch_size * projector->patch_size;
    kvb_llama_node columns = kvb_llama_new(picture->graph, inputs, picture->patches, 1, picture->raw, 0);
    kvb_llama_node product = wide(picture, columns, 0);
    return wide(picture, view_of(picture, product), 0);
}

// Patches next to each other come to lie together: two copies.
static kvb_llama_node regroup(const struct picture *picture, kvb_llama_node in)
{
    kvb_llama_node rows = wide(picture, view_of(picture, in), 0);
    return wide(picture, view_of(picture, rows), 0);
}

static kvb_llama_node read_patches(struct picture *picture)
{
    struct kvb_llama_graph *graph = picture->graph;
    kvb_llama_node patches = convolve(picture);
    if (!picture->kind->twice) {
        return kvb_llama_over(graph, KVB_LLAMA_OP_ADD, wide(picture, view_of(picture, patches), 0), 0);
    }
    patches = kvb_llama_over(graph, KVB_LLAMA_OP_ADD, patches, convolve(picture));
    patches = kvb_llama_over(graph, KVB_LLAMA_OP_ADD, regroup(picture, patches), 0); // its bias
    kvb_llama_expand(graph, patches);
    if (picture->kind->family != KVB_ENCODER_QWEN3_VL) {
        return patches;
    }
    kvb_llama_node scaled = wide(picture, 0, 0); // learned positions, for this size
    scaled = wide(picture, view_of(picture, scaled), 0);
    return kvb_llama_over(graph, KVB_LLAMA_OP_ADD, patches, regroup(picture, scaled));
}

// ---- Layers

static kvb_llama_node norm(const struct picture *picture, kvb_llama_node in)
{
    struct kvb_llama_graph *graph = picture->graph;
    const struct kvb_llama_tensor_node *node = &graph->nodes[in];
    const uint64_t ne[3] = {node->ne[0], node->ne[1], node->ne[2]};
    kvb_llama_node made =
        kvb_llama_op(graph, picture->kind->rms ? KVB_LLAMA_OP_RMS_NORM : KVB_LLAMA_OP_OTHER, ne, in, 0);
    made = kvb_llama_over(graph, KVB_LLAMA_OP_ADD, made, 0);
    return picture->kind->rms ? made : kvb_llama_over(graph, KVB_LLAMA_OP_ADD, made, 0);
}

static kvb_llama_node half(const struct picture *picture, kvb_llama_node in)
{
    kvb_llama_node made = wide(picture, in, 0);
    picture->graph->nodes[made].bytes /= 2;
    picture->graph->nodes[made].element_bytes = 2;
    return made;
}

static kvb_llama_node attend(const struct picture *picture, const kvb_llama_node qkv[3])
{
    struct kvb_llama_graph *graph = picture->graph;
    const struct kvb_projector *projector = picture->projector;
    for (uint32_t i = 0; i < 3; i++) {
        kvb_llama_expand(graph, qkv[i]);
    }
    kvb_llama_node q = view_of(picture, qkv[0]), k = view_of(picture, qkv[1]), v = view_of(picture, qkv[2]);
    kvb_llama_node mixed;
    if (graph->run->flash) {
        mixed = wide(picture, q, half(picture, k));
        kvb_llama_add_source(graph, mixed, half(picture, v));
    } else {
        kvb_llama_node turned = wide(picture, v, 0);
        kvb_llama_node scores = kvb_llama_new(graph, picture->patches, picture->patches, projector->heads, k, q);
        scores = kvb_llama_over(graph, KVB_LLAMA_OP_ADD, scores, 0);
        mixed = wide(picture, turned, scores);
        mixed = wide(picture, view_of(picture, mixed), 0);
    }
    return kvb_llama_over(graph, KVB_LLAMA_OP_ADD, wide(picture, mixed, 0), 0);
}

static kvb_llama_node mix(const struct picture *picture, kvb_llama_node in)
{
    struct kvb_llama_graph *graph = picture->graph;
    const struct kvb_projector *projector = picture->projector;
    kvb_llama_node qkv[3], all = 0;
    if (projector->fused_qkv) {
        all = kvb_llama_new(graph, 3U * (uint64_t)projector->hidden_size, picture->patches, 1, in, 0);
        all = kvb_llama_over(graph, KVB_LLAMA_OP_ADD, all, 0);
    }
    for (uint32_t i = 0; i < 3; i++) {
        qkv[i] = all != 0 ? view_of(picture, all) : kvb_llama_over(graph, KVB_LLAMA_OP_ADD, wide(picture, in, 0), 0);
        qkv[i] = all != 0 ? qkv[i] : kvb_llama_reshape(graph, qkv[i], projector->hidden_size, picture->patches, 1);
    }
    for (uint32_t i = 0; i < 2 && picture->kind->rope; i++) {
        qkv[i] = kvb_llama_over(graph, KVB_LLAMA_OP_ADD, qkv[i], picture->positions);
    }
    return attend(picture, qkv);
}

static kvb_llama_node feed(const struct picture *picture, kvb_llama_node in)
{
    struct kvb_llama_graph *graph = picture->graph;
    const struct kvb_projector *projector = picture->projector;
    uint64_t width = projector->intermediate_size;
    kvb_llama_node up =
        kvb_llama_over(graph, KVB_LLAMA_OP_ADD, kvb_llama_new(graph, width, picture->patches, 1, in, 0), 0);
    kvb_llama_node active;
    if (projector->gated) {
        kvb_llama_node gate =
            kvb_llama_over(graph, KVB_LLAMA_OP_ADD, kvb_llama_new(graph, width, picture->patches, 1, in, 0), 0);
        active = kvb_llama_new(graph, width, picture->patches, 1, gate, up);
    } else {
        active = kvb_llama_over(graph, KVB_LLAMA_OP_ADD, up, 0);
    }
    return kvb_llama_over(graph, KVB_LLAMA_OP_ADD, wide(picture, active, 0), 0);
}

static kvb_llama_node build_layer(const struct picture *picture)
{
    struct kvb_llama_graph *graph = picture->graph;
    kvb_llama_node residual = graph->hidden;
    kvb_llama_node mixed = mix(picture, norm(picture, residual));
    residual = kvb_llama_over(graph, KVB_LLAMA_OP_ADD, mixed, residual);
    return kvb_llama_over(graph, KVB_LLAMA_OP_ADD, residual, feed(picture, norm(picture, residual)));
}

// Patches of a token side by side, then two matrices.
static kvb_llama_node merge(const struct picture *picture, kvb_llama_node in, bool normed)
{
    struct kvb_llama_graph *graph = picture->graph;
    uint64_t side = picture->projector->merge_size, together = kvb_max(side * side, 1);
    uint64_t width = picture->projector->hidden_size * together, tokens = picture->patches / together;
    kvb_llama_node joined = kvb_llama_reshape(graph, in, width, tokens, 1);
    joined = normed ? norm(picture, joined) : joined;
    kvb_llama_node inner =
        kvb_llama_over(graph, KVB_LLAMA_OP_ADD, kvb_llama_new(graph, width, tokens, 1, joined, 0), 0);
    inner = kvb_llama_over(graph, KVB_LLAMA_OP_ADD, inner, 0);
    return kvb_llama_over(graph, KVB_LLAMA_OP_ADD,
                          kvb_llama_new(graph, picture->projector->output_size, tokens, 1, inner, 0), 0);
}

static uint64_t highest(const struct kvb_llama_graph *graph, uint32_t place)
{
    return kvb_add(graph->heaps[place].highest, graph->heaps[place].pinned);
}

static kvb_llama_node add_features(const struct picture *picture, const kvb_llama_node held[LEVELS_MAX],
                                   kvb_llama_node merged)
{
    struct kvb_llama_graph *graph = picture->graph;
    uint64_t together = kvb_max((uint64_t)picture->projector->merge_size * picture->projector->merge_size, 1);
    uint64_t tokens = picture->patches / together, size = picture->projector->output_size;
    kvb_llama_node all = 0;
    for (uint32_t i = 0; i < LEVELS_MAX && held[i] != 0; i++) {
        kvb_llama_node feature = merge(picture, held[i], true);
        all = all == 0 ? feature : kvb_llama_new(graph, size * (i + 1), tokens, 1, all, feature);
    }
    return all == 0 ? merged : kvb_llama_new(graph, graph->nodes[all].ne[0] + size, tokens, 1, merged, all);
}

static void build_layers(const struct picture *picture)
{
    struct kvb_llama_graph *graph = picture->graph;
    const struct kvb_projector *projector = picture->projector;
    kvb_llama_node held[LEVELS_MAX] = {0};
    uint32_t levels = (uint32_t)kvb_min(projector->deepstack_levels, LEVELS_MAX);
    uint32_t level = 0;
    for (uint32_t i = 0; i < projector->layers; i++) {
        kvb_llama_layer_begin(graph, 0);
        kvb_llama_layer_end(graph, build_layer(picture));
        if (level < levels && i + 1 >= projector->layers * (level + 1) / (levels + 1)) {
            held[level++] = graph->hidden; // a merger of its own reads it at the end
        }
    }
    kvb_llama_layer_begin(graph, 0);
    kvb_llama_node merged = merge(picture, norm(picture, graph->hidden), false);
    kvb_llama_layer_end(graph, add_features(picture, held, merged));
    if (picture->positions != 0) { // a log of Qwen3-VL-8B agrees to the hundredth when they are held to the end
        const uint64_t none[3] = {0, 0, 0};
        kvb_llama_expand(graph, kvb_llama_op(graph, KVB_LLAMA_OP_OTHER, none, picture->positions, 0));
    }
}

static void take_picture(const struct kvb_llama_run *run, const struct kvb_projector *projector, uint64_t side_pixels,
                         uint64_t *device, uint64_t *host)
{
    struct kvb_llama_graph graph;
    struct picture picture = {.graph = &graph, .projector = projector, .kind = kind_of(projector->family)};
    uint64_t side = side_pixels / kvb_max(projector->patch_size, 1);
    picture.patches = kvb_mul(side, side);
    picture.pixels = kvb_mul(side_pixels, side_pixels);
    *device = *host = 0;
    if (!kvb_llama_graph_begin(&graph, run, projector->layers)) {
        return;
    }
    graph.pipelined = false;
    graph.sorts = false; // followed as it is built
    graph.only_device = run->devices > 0 ? 0 : KVB_LLAMA_HOST;
    picture.raw = kvb_llama_input(&graph, kvb_mul(picture.pixels, CHANNELS * 4U));
    picture.positions = picture.kind->rope ? kvb_llama_input(&graph, kvb_mul(picture.patches, 16)) : 0;
    kvb_llama_layer_begin(&graph, 0);
    kvb_llama_layer_end(&graph, read_patches(&picture));
    build_layers(&picture);
    kvb_llama_graph_run(&graph);
    *device = highest(&graph, 0); // nothing where there is none
    *host = highest(&graph, KVB_LLAMA_HOST);
    kvb_llama_graph_end(&graph);
}

#define SIDE_MOST (UINT32_C(1) << 16) // patches, far beyond any picture

static uint64_t root_of(uint64_t square)
{
    uint64_t low = 0, high = SIDE_MOST;
    while (low < high) {
        uint64_t middle = low + (high - low + 1) / 2; // same: any above low, up to high
        if (middle * middle <= square) {
            low = middle;
        } else {
            high = middle - 1;
        }
    }
    return low;
}

void kvb_llama_projector_of(const struct kvb_llama_run *run, const struct kvb_projector *projector,
                            uint64_t most_tokens, struct kvb_llama_projected *out)
{
    const struct kind_row *kind = kind_of(projector->family);
    struct kvb_llama_run alone = *run; // one device, or the host
    uint64_t token_pixels = (uint64_t)projector->patch_size * kvb_max(projector->merge_size, 1);
    memset(out, 0, sizeof *out);
    if (!projector->known) {
        return;
    }
    alone.devices = run->devices > 0 ? 1 : 0;
    alone.gpu_layers = run->model->layer_count + 1;
    alone.overrides = NULL;
    alone.cpu_experts = 0;
    uint64_t most = most_tokens > 0 ? kvb_min(most_tokens, UINT64_C(1) << 20) : kind->most_tokens;
    uint64_t first = kind->side_tokens;
    if (most_tokens > 0 && first * first > most) { // never a larger one than may come
        first = kvb_max(root_of(most), 1);
    }
    uint64_t side = first > 0 ? first * token_pixels : projector->image_size;
    uint64_t largest = first > 0 ? kvb_max(root_of(most), first) * token_pixels : side;
    out->model_bytes = projector->bytes;
    out->side_pixels = (uint32_t)kvb_min(side, UINT32_MAX);
    out->bounded = !kind->followed || run->build < FLASH_SINCE;
    take_picture(&alone, projector, side, &out->compute_bytes, &out->input_bytes);
    out->most_compute_bytes = out->compute_bytes;
    if (largest > side) {
        uint64_t inputs;
        take_picture(&alone, projector, largest, &out->most_compute_bytes, &inputs);
    }
    if (run->devices == 0) {
        out->compute_bytes = out->most_compute_bytes = 0;
    }
}
