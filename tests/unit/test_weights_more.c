// Adapters, drafts, towers, offloading and rarer formats of the weights, by hand.
#include <math.h>

#include "budget/weights/weights.h"
#include "unit/plans.h"
#include "unit/test.h"

#define LLAMA_8B (15348 * MIB + 65 * 8192) // test_weights.c

static struct kvb_plan plan;
static struct kvb_weights weights;

static void count(uint32_t stage)
{
    kvb_weights_count(loaded(&plan), stage, &weights);
}

// 81920 elements a layer and rank (test_weights.c): 2 slots of rank 64 are 81920 x 2 x 64 x 2 B = 20 MiB a layer.
// To 0.11.0 Llama and Mistral also adapt embedding and head: 2 x 64 x (128256 + 256 + 4096) and 3 x 256 x 4096.
static void adapters(void **state)
{
    (void)state;
    static const struct {
        uint32_t release;
        const char *architecture;
        bool ends;
        uint64_t extra_rows; // of vocabulary, to 0.11.2
    } rows[] = {{R(19, 0), "LlamaForCausalLM", true, 0},
                {R(11, 2), "LlamaForCausalLM", true, 256},
                {R(11, 0), "MistralForCausalLM", true, 256},
                {R(11, 0), "Qwen3ForCausalLM", false, 0}};
    for (size_t i = 0; i < sizeof rows / sizeof rows[0]; i++) {
        make_llama_plan(&plan, rows[i].release);
        (void)strcpy(plan.model.architecture, rows[i].architecture);
        set(&plan, KVB_SET_ENABLE_LORA, 1);
        set(&plan, KVB_SET_MAX_LORAS, 2);
        set(&plan, KVB_SET_MAX_LORA_RANK, 64);
        count(0);
        uint64_t ends = (2ULL * 2 * 64 * (128256 + rows[i].extra_rows + 4096) + 3 * rows[i].extra_rows * 4096) * 2;
        assert_int_equal(weights.lora_bytes, 32 * 20 * MIB + (rows[i].ends ? ends : 0));
    }
    make_llama_plan(&plan, R(11, 0)); // rank 16 when not said
    set(&plan, KVB_SET_ENABLE_LORA, 1);
    count(0);
    assert_int_equal(weights.lora_bytes, 32 * 5 * MIB / 2 + (2ULL * 16 * (128256 + 256 + 4096) + 3 * 256 * 4096) * 2);
}

// An MTP module: one more layer of 416 MiB and two norms, and a matrix of 2 x 4096 x 4096; embedding and head are
// shared.
static void next_token_module(void **state)
{
    (void)state;
    make_llama_plan(&plan, R(19, 0));
    plan.model.mtp_layers = 1;
    plan.model.mtp_extra_matrices_hidden = 2;
    count(0);
    assert_int_equal(weights.total_bytes, LLAMA_8B);
    set(&plan, KVB_SET_SPECULATIVE_METHOD, KVB_SPECULATIVE_MTP);
    count(0);
    assert_int_equal(weights.draft_bytes, 64 * MIB);
    assert_int_equal(weights.total_bytes, LLAMA_8B + 416 * MIB + 2 * 8192 + 64 * MIB);
}

// Two ranks: the layer's 416 MiB are halved; what joins it is whole, or halved where its class has columns.
static void next_token_module_of_ranks(void **state)
{
    (void)state;
    static const struct {
        const char *architecture;
        uint64_t joins_mib;
    } rows[] = {{"DeepseekV3ForCausalLM", 64},
                {"Qwen3NextForCausalLM", 32},
                {"Qwen3_5ForConditionalGeneration", 32},
                {"NemotronHForCausalLM", 32},
                {"ExaoneMoeForCausalLM", 32}};
    for (size_t i = 0; i < sizeof rows / sizeof rows[0]; i++) {
        make_llama_plan(&plan, R(26, 0));
        (void)strcpy(plan.model.architecture, rows[i].architecture);
        plan.model.mtp_layers = 1;
        plan.model.mtp_extra_matrices_hidden = 2;
        set(&plan, KVB_SET_SPECULATIVE_METHOD, KVB_SPECULATIVE_MTP);
        set(&plan, KVB_SET_TENSOR_PARALLEL_SIZE, 2);
        count(0);
        assert_int_equal(weights.draft_bytes, rows[i].joins_mib * MIB);
    }
}

// A draft model of 2 layers beside it: 2 x 1002 + 2 x 416 + 32 MiB and 5 norms; given but not used it weighs nothing.
// A checkpoint that leaves the module alone: its layer is loaded at 16 bits beside a model in 4.
static void plain_next_token_module(void **state)
{
    (void)state;
    uint64_t packed, plain;
    make_llama_plan(&plan, R(19, 0));
    plan.model.quantisation = (struct kvb_quantisation){
        .method = KVB_QUANT_GPTQ, .bits = 4, .group_size = 128, .scale = KVB_SCALE_GROUP, .symmetric = true};
    count(0);
    packed = weights.total_bytes;
    plan.model.mtp_layers = 1;
    plan.model.mtp_extra_matrices_hidden = 2;
    plan.model.quantisation.unquantised_roles = 1U << KVB_ROLE_MTP;
    set(&plan, KVB_SET_SPECULATIVE_METHOD, KVB_SPECULATIVE_MTP);
    count(0);
    plain = weights.total_bytes - packed;
    assert_in_range(plain, (416 + 64) * MIB, (416 + 64) * MIB + 4 * MIB); // rests of earlier blocks serve some of it
}

// ROCm sets rows apart: 4096 x 2 B are a multiple of 512, so each row of w13 and w2 gets 256 B; experts of 8 x
// (2 x 14336 x 4096 and 4096 x 14336) in 32 layers.
static void rows_set_apart(void **state)
{
    (void)state;
    uint64_t plain;
    make_llama_plan(&plan, R(26, 0));
    plan.model.kinds[0].mlp = (struct kvb_mlp_shape){.kind = KVB_MLP_MOE,
                                                     .experts = 8,
                                                     .experts_per_token = 2,
                                                     .expert_intermediate_size = 14336,
                                                     .expert_gated = true};
    count(0);
    plain = weights.role_bytes[KVB_ROLE_EXPERTS];
    plan.gpu.vendor = KVB_VENDOR_AMD;
    count(0);
    assert_int_equal(weights.role_bytes[KVB_ROLE_EXPERTS] - plain, 32ULL * 8 * (2 * 14336 + 4096) * 256);
    assert_int_equal(weights.buffer_bytes, 0);
    plan.gpu.vendor = KVB_VENDOR_NVIDIA;
}

// "Model loading took" of Llama-3.1-8B: 15.3047 GiB on an MI300X with 0.9.2
// (https://github.com/cmontemuino/amd-mi300x-ml-benchmarks), 15.06 on an R9700 with 0.13.0
// (https://github.com/kyuz0/amd-r9700-vllm-toolboxes). From 0.7 to 0.20 it is what the device holds: platforms/rocm.py
// v0.7.0, worker/utils.py v0.6.6:681 asks the allocator.
static void device_growth(void **state)
{
    (void)state;
    static const struct {
        bool cdna;
        uint32_t release;
        double gib, off;
    } rows[] = {{true, R(9, 2), 15.3047, 0.004}, {false, R(13, 0), 15.06, 0.006}, {false, R(7, 0), 15.06, 0.006},
                {false, R(20, 2), 15.06, 0.006}, {true, R(6, 6), 14.99, 0.006},   {false, R(21, 0), 14.99, 0.006}};
    for (size_t i = 0; i < sizeof rows / sizeof rows[0]; i++) {
        make_llama_plan(&plan, rows[i].release);
        plan.gpu.vendor = KVB_VENDOR_AMD;
        plan.gpu.cdna = rows[i].cdna;
        count(0);
        assert_true(fabs((double)weights.total_bytes / GIB - rows[i].gib) <= rows[i].off);
    }
    plan.gpu.vendor = KVB_VENDOR_NVIDIA;
    plan.gpu.cdna = false;
}

static void draft_model(void **state)
{
    (void)state;
    static struct kvb_model draft;
    make_llama_plan(&plan, R(19, 0));
    draft = plan.model;
    draft.layer_count = 2;
    plan.draft = &draft;
    count(0);
    assert_int_equal(weights.draft_bytes, 0);
    set(&plan, KVB_SET_SPECULATIVE_METHOD, KVB_SPECULATIVE_DRAFT_MODEL);
    count(0);
    assert_int_equal(weights.draft_bytes, 2868 * MIB + 5 * 8192);
    draft.mtp_layers = 1; // of its own: it is loaded as a target is, which passes modules over unless they draft
    draft.mtp_extra_matrices_hidden = 2;
    count(0);
    assert_int_equal(weights.draft_bytes, 2868 * MIB + 5 * 8192);
    plan.draft = NULL;
    count(0);
    assert_int_equal(weights.draft_bytes, 0);
}

// Tied embeddings are needed on the last stage again, where the logits are made.
static void tied_in_stages(void **state)
{
    (void)state;
    make_llama_plan(&plan, R(19, 0));
    plan.model.tied_embeddings = true;
    set(&plan, KVB_SET_PIPELINE_PARALLEL_SIZE, 3);
    for (uint32_t stage = 0; stage < 3; stage++) {
        count(stage);
        assert_int_equal(weights.role_bytes[KVB_ROLE_EMBEDDING], stage == 1 ? 0 : 1002 * MIB);
    }
}

struct tower_row {
    const char *what;
    enum kvb_role role;
    bool text_only, copied;
    uint64_t tp;
    uint32_t stage;
    uint64_t bytes;
};

// 27 matrices of 4096 x 1024 x 2 B = 8 MiB each, halved by tp 2 unless the encoder is copied.
static void towers(void **state)
{
    (void)state;
    static const struct tower_row rows[] = {
        {"vision", KVB_ROLE_VISION, false, false, 1, 0, 27 * 8},
        {"audio", KVB_ROLE_AUDIO, false, false, 1, 0, 27 * 8},
        {"projector", KVB_ROLE_PROJECTOR, false, false, 1, 0, 27 * 8},
        {"halved", KVB_ROLE_VISION, false, false, 2, 0, 27 * 4},
        {"copied", KVB_ROLE_VISION, false, true, 2, 0, 27 * 8},
        {"a table is not a tower", KVB_ROLE_OTHER, true, true, 2, 0, 27 * 4},
        {"text only", KVB_ROLE_VISION, true, false, 1, 0, 0},
        {"towers on every stage", KVB_ROLE_VISION, false, false, 1, 1, 27 * 8},
        {"tables on the first", KVB_ROLE_OTHER, false, false, 1, 1, 0},
        {"MTP leftovers", KVB_ROLE_MTP, false, false, 1, 0, 0},
    };
    for (size_t i = 0; i < sizeof rows / sizeof rows[0]; i++) {
        const struct tower_row *row = &rows[i];
        make_llama_plan(&plan, R(19, 0));
        plan.model.extra_count = 1;
        plan.model.extras[0] = (struct kvb_extra){"tower", row->role, KVB_SPLIT_ROWS, 4096, 1024, 27, false};
        set(&plan, KVB_SET_LANGUAGE_MODEL_ONLY, row->text_only);
        set(&plan, KVB_SET_MM_ENCODER_TP_MODE, row->copied);
        set(&plan, KVB_SET_TENSOR_PARALLEL_SIZE, row->tp);
        set(&plan, KVB_SET_PIPELINE_PARALLEL_SIZE, 2);
        count(row->stage);
        if (weights.role_bytes[row->role] != row->bytes * MIB) {
            fail_msg("%s: %llu MiB", row->what, (unsigned long long)(weights.role_bytes[row->role] / MIB));
        }
    }
}

// Absorbed copies of MLA, 16 x 512 x 128 x 2 B twice a layer, 128 MiB in all: from 0.7; V0 leaves those of offloaded
// layers on the CPU and brings one layer back at a time, V1 keeps them.
static void absorbed_latents(void **state)
{
    (void)state;
    static const struct {
        uint32_t release;
        uint64_t offload_gib, mib;
        bool returns;
    } rows[] = {{R(6, 6), 0, 0, false}, {R(7, 3), 0, 128, false}, {R(7, 3), 100, 0, true}, {R(19, 0), 100, 128, false}};
    for (size_t i = 0; i < sizeof rows / sizeof rows[0]; i++) {
        make_latent_plan(&plan, rows[i].release, 8192, 256);
        set(&plan, KVB_SET_CPU_OFFLOAD_GB, rows[i].offload_gib << 30);
        count(0);
        assert_int_equal(weights.absorbed_bytes, rows[i].mib * MIB);
        assert_int_equal(weights.returning_layer_bytes > 0, rows[i].returns);
    }
}

// ---- Formats

static uint64_t bytes_of(const struct kvb_matrix *matrix)
{
    struct kvb_parameter parameter;
    uint64_t bytes = 0;
    kvb_parameter_make(loaded(&plan), matrix, &parameter);
    for (uint32_t part = 0; part < parameter.part_count; part++) {
        bytes += parameter.part_bytes[part];
    }
    return bytes;
}

static const struct kvb_matrix square = {
    .role = KVB_ROLE_MLP, .count = 1, .rows = 4096, .columns = 4096, .logical = 1, .quantised = true};

// A format asked for by flag over a 16-bit checkpoint: awq and gptq are 4 bits in groups of 128 with zero points.
static void formats_by_flag(void **state)
{
    (void)state;
    static const struct {
        enum kvb_quantization_word asked;
        uint64_t bytes;
    } rows[] = {
        {KVB_QUANTIZATION_CHECKPOINT, 33554432},
        {KVB_QUANTIZATION_AWQ, 8388608 + 262144 + 65536},
        {KVB_QUANTIZATION_GPTQ, 8388608 + 262144 + 65536},
    };
    for (size_t i = 0; i < sizeof rows / sizeof rows[0]; i++) {
        make_llama_plan(&plan, R(19, 0));
        set(&plan, KVB_SET_QUANTIZATION, rows[i].asked);
        assert_int_equal(bytes_of(&square), rows[i].bytes);
    }
}

#define LINEAR (4096ULL * 4096)          // elements of a projection
#define EXPERTS (8ULL * 2 * 1024 * 4096) // of eight experts' gates and ups

// Bytes behind create_weights and process_weights_after_loading: config/quantization.py v0.27.1:115 _ONLINE_SHORTHANDS
// with layers/quantization/online/{fp8,mxfp8,int8,nvfp4}.py, fp8.py Fp8Config() with one scale a tensor, ptpc_fp8.py
// with one a row, experts_int8.py v0.5.5 with one a row of an expert, bitsandbytes.py with nf4 whose statistics are a
// byte for 64. Scales of 8 bits are of 4 bytes but those of mxfp8, a byte for 32 inputs; blocks are 128 x 128; nvfp4
// has a byte for 16 inputs and two numbers of 4 bytes an expert. A word of the checkpoint's own makes nothing.
static void layers_that_a_word_makes(void **state)
{
    (void)state;
    static const struct {
        enum kvb_quantization_word asked;
        uint64_t linear_bytes, expert_bytes;
    } rows[] = {
        {KVB_QUANTIZATION_FP8, LINEAR + 4, EXPERTS + 8 * 4},
        {KVB_QUANTIZATION_FP8_PER_TENSOR, LINEAR + 4, EXPERTS + 8 * 4},
        {KVB_QUANTIZATION_FP8_PER_BLOCK, LINEAR + 32 * 32 * 4, EXPERTS + 8 * 16 * 32 * 4},
        {KVB_QUANTIZATION_FP8_PER_CHANNEL, LINEAR + 4096 * 4, EXPERTS + 8 * 2048 * 4},
        {KVB_QUANTIZATION_PTPC_FP8, LINEAR + 4096 * 4, EXPERTS + 8 * 2048 * 4},
        {KVB_QUANTIZATION_MXFP8, LINEAR + LINEAR / 32, EXPERTS + EXPERTS / 32},
        {KVB_QUANTIZATION_BITSANDBYTES, LINEAR / 2 + LINEAR / 64, EXPERTS / 2 + EXPERTS / 64},
        {KVB_QUANTIZATION_EXPERTS_INT8, 2 * LINEAR, EXPERTS + 8 * 2048 * 4},
        {KVB_QUANTIZATION_INT8_PER_CHANNEL_WEIGHT_ONLY, 2 * LINEAR, EXPERTS + 8 * 2048 * 4},
        {KVB_QUANTIZATION_NVFP4_PER_TOKEN, 2 * LINEAR, EXPERTS / 2 + EXPERTS / 16 + 8 * (4 + 4)},
        {KVB_QUANTIZATION_COMPRESSED_TENSORS, 2 * LINEAR, 2 * EXPERTS},
    };
    static const struct kvb_matrix experts = {.role = KVB_ROLE_EXPERTS,
                                              .count = 8,
                                              .rows = 2048,
                                              .columns = 4096,
                                              .logical = 2,
                                              .quantised = true,
                                              .is_expert = true};
    for (size_t i = 0; i < sizeof rows / sizeof rows[0]; i++) {
        make_llama_plan(&plan, R(27, 0));
        set(&plan, KVB_SET_QUANTIZATION, rows[i].asked);
        if (bytes_of(&square) != rows[i].linear_bytes || bytes_of(&experts) != rows[i].expert_bytes) {
            fail_msg("row %zu: %llu and %llu B", i, (unsigned long long)bytes_of(&square),
                     (unsigned long long)bytes_of(&experts));
        }
    }
}

// What stays at 16 bits: vectors, matrices not eligible, named roles; experts may have a format of their own.
static void who_is_quantised(void **state)
{
    (void)state;
    struct kvb_matrix matrix = square;
    make_llama_plan(&plan, R(19, 0));
    plan.model.quantisation = (struct kvb_quantisation){.method = KVB_QUANT_FP8, .scale = KVB_SCALE_TENSOR};
    assert_int_equal(bytes_of(&matrix), 16777216 + 4);
    matrix.columns = 1;
    assert_int_equal(bytes_of(&matrix), 8192);
    matrix = square;
    matrix.quantised = false;
    assert_int_equal(bytes_of(&matrix), 33554432);
    matrix = square;
    plan.model.quantisation.unquantised_roles = 1U << KVB_ROLE_MLP;
    assert_int_equal(bytes_of(&matrix), 33554432);
    matrix.role = KVB_ROLE_EXPERTS;
    matrix.is_expert = true;
    plan.model.quantisation.expert_method = KVB_QUANT_NVFP4;
    assert_int_equal(bytes_of(&matrix), 8388608 + 1048576 + 8);
    plan.model.quantisation.expert_method = KVB_QUANT_NONE;
    assert_int_equal(bytes_of(&matrix), 16777216 + 4);
}

// Blocks of 128 x 128 when the config does not say; 4 bits when it does not; one scale a row without groups.
static void formats_half_described(void **state)
{
    (void)state;
    make_llama_plan(&plan, R(19, 0));
    plan.model.quantisation = (struct kvb_quantisation){.method = KVB_QUANT_FP8, .scale = KVB_SCALE_BLOCK};
    assert_int_equal(bytes_of(&square), 16777216 + 32 * 32 * 4);
    plan.model.quantisation = (struct kvb_quantisation){.method = KVB_QUANT_GPTQ, .symmetric = true};
    assert_int_equal(bytes_of(&square), 8388608 + 4096 * 2);
    plan.model.quantisation = (struct kvb_quantisation){.method = KVB_QUANT_GGUF, .group_size = 32, .symmetric = true};
    assert_int_equal(bytes_of(&square), 8388608 + 4096 * 128 * 2);
    plan.model.quantisation = (struct kvb_quantisation){.method = KVB_QUANT_BNB8};
    assert_int_equal(bytes_of(&square), 16777216 + 16384);
}

// gpt-oss-20b's down projection, 32 of 2880 x 2880 on Ampere: rows to 256 (3072), inputs to 128 (2944): 1472 B and
// 92 scales a row. A matrix that does not read the hidden state is padded the same way.
static void mxfp4_down(void **state)
{
    (void)state;
    make_llama_plan(&plan, R(19, 0));
    plan.model.hidden_size = 2880;
    plan.model.quantisation.method = KVB_QUANT_MXFP4;
    plan.gpu.compute_capability = 80;
    struct kvb_matrix down = {.role = KVB_ROLE_EXPERTS,
                              .count = 32,
                              .rows = 2880,
                              .columns = 2880,
                              .logical = 1,
                              .quantised = true,
                              .is_expert = true};
    assert_int_equal(bytes_of(&down), 32ULL * 3072 * (1472 + 92));
    down.columns = 1440; // to 1536: 768 B and 48 scales
    assert_int_equal(bytes_of(&down), 32ULL * 3072 * (768 + 48));
}

// ---- Allocator

// 8 MiB leave 12 of a segment of 20; 12.5 MiB take one of 14 and leave 1.5; 1.2 MiB then take the tighter 1.5 whole.
static void best_fit(void **state)
{
    (void)state;
    struct kvb_allocator allocator = {0};
    kvb_allocate(&allocator, 8 * MIB);
    kvb_allocate(&allocator, 25 * MIB / 2);
    assert_int_equal(allocator.free_count, 2);
    kvb_allocate(&allocator, 6 * MIB / 5);
    assert_int_equal(allocator.free_count, 1);
    assert_int_equal(allocator.allocated_bytes, 8 * MIB + 25 * MIB / 2 + 3 * MIB / 2);
}

// 300 pieces of 12.5 MiB leave 1.5 MiB each: more than is remembered, and still 12.5 each.
static void more_rests_than_remembered(void **state)
{
    (void)state;
    struct kvb_allocator allocator = {0};
    for (int i = 0; i < 300; i++) {
        kvb_allocate(&allocator, 25 * MIB / 2);
    }
    assert_int_equal(allocator.free_count, KVB_FREE_BLOCKS_MAX);
    assert_int_equal(allocator.allocated_bytes, 300 * 25 * MIB / 2);
}

// Pooling drops the head: Qwen3-Embedding-8B logged 14.1062 where the generating model has 15.27. Towers go when all of
// their modalities are limited to 0, in some classes from 0.10.1, in all from 0.15; deepstack keeps one hidden tensor a
// level for every batched token.
static void parts_left_out(void **state)
{
    (void)state;
    static const struct {
        const char *what;
        uint32_t release;
        enum kvb_encoder_family family;
        uint64_t images, videos; // KVB_AUTO: no limit
        bool has_video, dropped;
    } rows[] = {{"no limit", R(19, 0), KVB_ENCODER_QWEN3_VL, KVB_AUTO, KVB_AUTO, true, false},
                {"pictures alone", R(19, 0), KVB_ENCODER_QWEN3_VL, 0, KVB_AUTO, true, false},
                {"both", R(19, 0), KVB_ENCODER_QWEN3_VL, 0, 0, true, true},
                {"no video to begin with", R(19, 0), KVB_ENCODER_GEMMA3, 0, KVB_AUTO, false, true},
                {"some classes, 0.10.1", R(10, 1), KVB_ENCODER_QWEN25_VL, 0, 0, true, true},
                {"not yet", R(10, 0), KVB_ENCODER_QWEN25_VL, 0, 0, true, false},
                {"others, 0.14", R(14, 0), KVB_ENCODER_GEMMA3, 0, KVB_AUTO, false, false}};
    for (size_t i = 0; i < sizeof rows / sizeof rows[0]; i++) {
        make_llama_plan(&plan, rows[i].release);
        plan.model.encoder = (struct kvb_encoder){
            .family = rows[i].family, .layers = 1, .deepstack_levels = 3, .has_video = rows[i].has_video};
        plan.model.extra_count = 1;
        plan.model.extras[0] = (struct kvb_extra){.name = "vision",
                                                  .role = KVB_ROLE_VISION,
                                                  .split = KVB_SPLIT_COPY,
                                                  .rows = 1024,
                                                  .columns = 1024,
                                                  .count = 1};
        set(&plan, KVB_SET_MAX_NUM_BATCHED_TOKENS, 2048);
        if (rows[i].images != KVB_AUTO) {
            set(&plan, KVB_SET_LIMIT_IMAGES, rows[i].images);
        }
        if (rows[i].videos != KVB_AUTO) {
            set(&plan, KVB_SET_LIMIT_VIDEOS, rows[i].videos);
        }
        count(0);
        bool dropped = weights.role_bytes[KVB_ROLE_VISION] == 0;
        if (dropped != rows[i].dropped || weights.buffer_bytes != (dropped ? 0 : 3ULL * 2048 * 4096 * 2)) {
            fail_msg("%s: %llu B of tower, %llu B of buffers", rows[i].what,
                     (unsigned long long)weights.role_bytes[KVB_ROLE_VISION], (unsigned long long)weights.buffer_bytes);
        }
    }
    make_llama_plan(&plan, R(12, 0));
    count(0);
    assert_int_equal(weights.role_bytes[KVB_ROLE_HEAD], 128256ULL * 4096 * 2);
    set(&plan, KVB_SET_RUNNER, KVB_RUNNER_POOLING);
    count(0);
    assert_int_equal(weights.role_bytes[KVB_ROLE_HEAD], 0);
    unset(&plan, KVB_SET_RUNNER);
    plan.model.pools_by_default = true;
    count(0);
    assert_int_equal(weights.role_bytes[KVB_ROLE_HEAD], 0);
    set(&plan, KVB_SET_RUNNER, KVB_RUNNER_GENERATE);
    count(0);
    assert_int_equal(weights.role_bytes[KVB_ROLE_HEAD], 128256ULL * 4096 * 2);
}

KVB_TEST_MAIN(cmocka_unit_test(parts_left_out), cmocka_unit_test(adapters), cmocka_unit_test(next_token_module),
              cmocka_unit_test(next_token_module_of_ranks), cmocka_unit_test(plain_next_token_module),
              cmocka_unit_test(rows_set_apart), cmocka_unit_test(device_growth), cmocka_unit_test(draft_model),
              cmocka_unit_test(tied_in_stages), cmocka_unit_test(towers), cmocka_unit_test(absorbed_latents),
              cmocka_unit_test(formats_by_flag), cmocka_unit_test(layers_that_a_word_makes),
              cmocka_unit_test(who_is_quantised), cmocka_unit_test(formats_half_described),
              cmocka_unit_test(mxfp4_down), cmocka_unit_test(best_fit), cmocka_unit_test(more_rests_than_remembered))
