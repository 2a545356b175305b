// Scratch of expert layers and the MLA dummy of the profile run, by hand.
#include <string.h>

#include "engines/vllm/overhead.h"
#include "unit/plans.h"
#include "unit/test.h"

static struct kvb_plan plan;

struct scratch_row {
    const char *what;
    uint32_t release;
    uint64_t tokens, tp;
    bool expert_parallel;
    uint32_t latent;
    uint64_t elements; // 2 B each
};

// Qwen3-30B-A3B: 8 experts a token of width 768, hidden 2048; R = tokens x 8 rows.
// To 0.12: R x max(2 x 768, 2048) + R x 768; from 0.13 R x 2048 + R x max(768, 2048).
static void expert_scratch(void **state)
{
    (void)state;
    static const struct scratch_row rows[] = {
        {"chunk of 32768", R(11, 0), 65536, 1, false, 0, 32768ULL * 8 * (2048 + 768)},
        {"chunk of 16384", R(12, 0), 65536, 1, false, 0, 16384ULL * 8 * (2048 + 768)},
        {"short of a chunk", R(12, 0), 8192, 1, false, 0, 8192ULL * 8 * (2048 + 768)},
        {"two workspaces", R(13, 0), 8192, 1, false, 0, 8192ULL * 8 * (2048 + 2048)},
        {"no chunks", R(19, 0), 65536, 1, false, 0, 65536ULL * 8 * (2048 + 2048)},
        {"half as wide", R(11, 0), 8192, 2, false, 0, 8192ULL * 8 * (2048 + 384)},
        {"whole experts", R(11, 0), 8192, 2, true, 0, 8192ULL * 8 * (2048 + 768)},
        {"latent of 1024", R(19, 0), 8192, 1, false, 1024, 8192ULL * 8 * (1536 + 1024)},
    };
    for (size_t i = 0; i < sizeof rows / sizeof rows[0]; i++) {
        make_llama_plan(&plan, rows[i].release);
        plan.model.hidden_size = 2048;
        plan.model.kinds[0].mlp = (struct kvb_mlp_shape){.kind = KVB_MLP_MOE,
                                                         .experts = 128,
                                                         .experts_per_token = 8,
                                                         .expert_intermediate_size = 768,
                                                         .latent_size = rows[i].latent};
        set(&plan, KVB_SET_TENSOR_PARALLEL_SIZE, rows[i].tp);
        set(&plan, KVB_SET_ENABLE_EXPERT_PARALLEL, rows[i].expert_parallel);
        uint64_t bytes = kvb_expert_scratch(resolved(&plan), &plan.model.kinds[0].mlp, rows[i].tokens).workspace_bytes;
        if (bytes != 2 * rows[i].elements) {
            fail_msg("%s: %llu bytes", rows[i].what, (unsigned long long)bytes);
        }
    }
    plan.model.quantisation.method = KVB_QUANT_MXFP4;
    (void)strcpy(plan.model.quantisation.name, "mxfp4");
    assert_int_equal(kvb_expert_scratch(resolved(&plan), &plan.model.kinds[0].mlp, 8192).workspace_bytes, 0);
}

struct kernel_row {
    const char *what;
    uint32_t release, capability;
    enum kvb_quantisation_method method;
    enum kvb_moe_backend asked;
    bool weight_only, lora, plain;
    uint64_t workspace, passing; // bytes a token
};

// Hidden 2048, 8 of 256 experts a token, width 512, bf16. Tiles: 8 x (2048 + 2048) x 2 B. CUTLASS: workspaces of
// 8 x max(4 x 512, 2048) and 8 x 2 x 512, and three tensors of 8 x 2048 in passing. FlashInfer: 2048 a token; in
// passing 8 x (2048 + max(2 x 512, 2048)), a 4-byte map of 256 experts, with NVFP4 a scale of every 16 of 8 x 2048 and
// the quantised input, 2048 / 2 + 2048 / 16.
static void expert_kernels(void **state)
{
    (void)state;
    enum { TILES = 65536, CUTLASS = 49152, SHUFFLED = 98304, OUTPUT = 4096, FLASHINFER = 66560, SCALED = 68736 };
    static const struct kernel_row rows[] = {
        {"NVFP4 on Hopper", R(22, 0), 90, KVB_QUANT_NVFP4, KVB_MOE_AUTO, false, false, false, TILES, 0},
        {"vLLM's own", R(14, 0), 120, KVB_QUANT_NVFP4, KVB_MOE_AUTO, false, false, false, CUTLASS, SHUFFLED},
        {"10.x to 0.14", R(14, 0), 100, KVB_QUANT_NVFP4, KVB_MOE_AUTO, false, false, false, CUTLASS, SHUFFLED},
        {"TRT-LLM", R(15, 0), 100, KVB_QUANT_NVFP4, KVB_MOE_AUTO, false, false, false, TILES, 0},
        {"12.x from 0.15", R(15, 0), 121, KVB_QUANT_NVFP4, KVB_MOE_AUTO, false, false, false, OUTPUT, SCALED},
        {"Thor", R(21, 0), 110, KVB_QUANT_NVFP4, KVB_MOE_AUTO, false, false, false, OUTPUT, SCALED},
        {"Thor from 0.22", R(22, 0), 110, KVB_QUANT_NVFP4, KVB_MOE_AUTO, false, false, false, CUTLASS, SHUFFLED},
        {"W4A16", R(22, 0), 120, KVB_QUANT_NVFP4, KVB_MOE_AUTO, true, false, false, TILES, 0},
        {"asked", R(22, 0), 120, KVB_QUANT_NVFP4, KVB_MOE_CUTLASS, false, false, false, CUTLASS, SHUFFLED},
        {"asked Marlin", R(22, 0), 120, KVB_QUANT_NVFP4, KVB_MOE_OTHER, false, false, false, TILES, 0},
        {"16 bits to 0.19", R(19, 0), 90, KVB_QUANT_NONE, KVB_MOE_AUTO, false, false, false, TILES, 0},
        {"16 bits on Ampere", R(20, 0), 80, KVB_QUANT_NONE, KVB_MOE_AUTO, false, false, false, TILES, 0},
        {"16 bits on Hopper", R(20, 0), 90, KVB_QUANT_NONE, KVB_MOE_AUTO, false, false, false, OUTPUT, FLASHINFER},
        {"Triton again", R(23, 0), 90, KVB_QUANT_NONE, KVB_MOE_AUTO, false, false, false, TILES, 0},
        {"with LoRA", R(20, 0), 90, KVB_QUANT_NONE, KVB_MOE_AUTO, false, true, false, TILES, 0},
        {"gated on 10.x", R(24, 0), 100, KVB_QUANT_NONE, KVB_MOE_AUTO, false, false, false, TILES, 0},
        {"plain on 10.x", R(24, 0), 100, KVB_QUANT_NONE, KVB_MOE_AUTO, false, false, true, OUTPUT, FLASHINFER},
        {"16 bits on 12.x", R(27, 1), 120, KVB_QUANT_NONE, KVB_MOE_AUTO, false, false, false, OUTPUT, FLASHINFER},
        {"16 bits on Thor", R(22, 0), 110, KVB_QUANT_NONE, KVB_MOE_AUTO, false, false, false, TILES, 0},
        {"asked FlashInfer", R(23, 0), 90, KVB_QUANT_NONE, KVB_MOE_FLASHINFER_CUTLASS, false, false, false, OUTPUT,
         FLASHINFER},
        {"asked CUTLASS", R(22, 0), 90, KVB_QUANT_NONE, KVB_MOE_CUTLASS, false, false, false, TILES, 0},
        {"16 bits on Thor to 0.21", R(21, 0), 110, KVB_QUANT_NONE, KVB_MOE_AUTO, false, false, false, OUTPUT,
         FLASHINFER},
        {"16 bits on Hopper to 0.22", R(22, 1), 90, KVB_QUANT_NONE, KVB_MOE_AUTO, false, false, false, OUTPUT,
         FLASHINFER},
        {"gated on 10.3", R(24, 0), 103, KVB_QUANT_NONE, KVB_MOE_AUTO, false, false, false, TILES, 0},
        {"TRT-LLM on 10.3", R(28, 0), 103, KVB_QUANT_NVFP4, KVB_MOE_AUTO, false, false, false, TILES, 0},
        {"fp8", R(22, 0), 120, KVB_QUANT_FP8, KVB_MOE_FLASHINFER_CUTLASS, false, false, false, TILES, 0},
    };
    for (size_t i = 0; i < sizeof rows / sizeof rows[0]; i++) {
        make_llama_plan(&plan, rows[i].release);
        plan.model.hidden_size = 2048;
        plan.gpu.compute_capability = rows[i].capability;
        plan.model.quantisation.method = rows[i].method;
        plan.model.quantisation.weight_only = rows[i].weight_only;
        plan.model.kinds[0].mlp = (struct kvb_mlp_shape){.kind = KVB_MLP_MOE,
                                                         .experts = 256,
                                                         .experts_per_token = 8,
                                                         .expert_intermediate_size = 512,
                                                         .expert_gated = !rows[i].plain};
        set(&plan, KVB_SET_MOE_BACKEND, rows[i].asked);
        set(&plan, KVB_SET_ENABLE_LORA, rows[i].lora);
        struct kvb_expert_bytes got = kvb_expert_scratch(resolved(&plan), &plan.model.kinds[0].mlp, 4000);
        if (got.workspace_bytes != rows[i].workspace * 4000 || got.passing_bytes != rows[i].passing * 4000) {
            fail_msg("%s: %llu kept, %llu in passing", rows[i].what, (unsigned long long)got.workspace_bytes,
                     (unsigned long long)got.passing_bytes);
        }
    }
    // Few tokens: the input of 8 x 2048, its copy of half a byte, and scales for 163,840 x 8 rows of 2048 / 16.
    make_llama_plan(&plan, R(22, 0));
    plan.model.hidden_size = 2048;
    plan.gpu.compute_capability = 120;
    plan.model.quantisation.method = KVB_QUANT_NVFP4;
    plan.model.kinds[0].mlp = (struct kvb_mlp_shape){
        .kind = KVB_MLP_MOE, .experts = 256, .experts_per_token = 8, .expert_intermediate_size = 512};
    set(&plan, KVB_SET_MOE_BACKEND, KVB_MOE_CUTLASS);
    assert_int_equal(kvb_expert_scratch(resolved(&plan), &plan.model.kinds[0].mlp, 1000).passing_bytes,
                     8000ULL * 2048 * 2 + 8000ULL * 1024 + 163840ULL * 8 * 128);
}

// Experts wider than the hidden size, 3072 against 2048: each buffer then follows the width. Tiles: 8 x (2 x 3072 +
// 3072); CUTLASS: 8 x (4 x 3072 + 2 x 3072), three tensors of 8 x 2048 in passing; FlashInfer: 8 x (2048 + 2 x 3072),
// of plain experts 8 x (2048 + 3072), with NVFP4 a scale of every 16 of 8 x 3072 and the input, 2048 x (1 / 2 + 1 /
// 16).
static void wide_experts(void **state)
{
    (void)state;
    static const struct kernel_row rows[] = {
        {"Triton", R(19, 0), 90, KVB_QUANT_NONE, KVB_MOE_AUTO, false, false, false, 8 * 9216 * 2, 0},
        {"CUTLASS", R(22, 0), 120, KVB_QUANT_NVFP4, KVB_MOE_CUTLASS, false, false, false, 8 * 18432 * 2,
         3 * 8 * 2048 * 2},
        {"FlashInfer", R(27, 1), 120, KVB_QUANT_NONE, KVB_MOE_AUTO, false, false, false, 2048 * 2, 8 * 8192 * 2 + 1024},
        {"plain", R(27, 1), 120, KVB_QUANT_NONE, KVB_MOE_AUTO, false, false, true, 2048 * 2, 8 * 5120 * 2 + 1024},
        {"NVFP4", R(27, 1), 120, KVB_QUANT_NVFP4, KVB_MOE_AUTO, false, false, false, 2048 * 2,
         8 * 8192 * 2 + 1024 + 8 * 3072 / 16 + 1024 + 128},
    };
    for (size_t i = 0; i < sizeof rows / sizeof rows[0]; i++) {
        make_llama_plan(&plan, rows[i].release);
        plan.model.hidden_size = 2048;
        plan.gpu.compute_capability = rows[i].capability;
        plan.model.quantisation.method = rows[i].method;
        plan.model.kinds[0].mlp = (struct kvb_mlp_shape){.kind = KVB_MLP_MOE,
                                                         .experts = 256,
                                                         .experts_per_token = 8,
                                                         .expert_intermediate_size = 3072,
                                                         .expert_gated = !rows[i].plain};
        set(&plan, KVB_SET_MOE_BACKEND, rows[i].asked);
        struct kvb_expert_bytes got = kvb_expert_scratch(resolved(&plan), &plan.model.kinds[0].mlp, 4000);
        if (got.workspace_bytes != rows[i].workspace * 4000 || got.passing_bytes != rows[i].passing * 4000) {
            fail_msg("%s: %llu kept, %llu in passing", rows[i].what, (unsigned long long)got.workspace_bytes,
                     (unsigned long long)got.passing_bytes);
        }
    }
    // what keeps Triton: copies of the model, 32 bits, another vendor's card
    make_llama_plan(&plan, R(27, 1));
    plan.gpu.compute_capability = 120;
    plan.model.kinds[0].mlp = (struct kvb_mlp_shape){.kind = KVB_MLP_MOE,
                                                     .experts = 256,
                                                     .experts_per_token = 8,
                                                     .expert_intermediate_size = 512,
                                                     .expert_gated = true};
    const struct kvb_mlp_shape *mlp = &plan.model.kinds[0].mlp;
    assert_true(kvb_expert_scratch(resolved(&plan), mlp, 4000).passing_bytes > 0);
    set(&plan, KVB_SET_DATA_PARALLEL_SIZE, 2);
    assert_int_equal(kvb_expert_scratch(resolved(&plan), mlp, 4000).passing_bytes, 0);
    set(&plan, KVB_SET_DATA_PARALLEL_SIZE, 1);
    set(&plan, KVB_SET_DTYPE, KVB_DTYPE_WORD_FP32);
    assert_int_equal(kvb_expert_scratch(resolved(&plan), mlp, 4000).passing_bytes, 0);
    unset(&plan, KVB_SET_DTYPE);
    plan.gpu.vendor = KVB_VENDOR_AMD;
    assert_int_equal(kvb_expert_scratch(resolved(&plan), mlp, 4000).passing_bytes, 0);
}

// What a compiled piece is given, hidden 4096, in elements a token beyond a hidden tensor: GDN 2 x 2048 + 3 x 4096;
// Mamba2 with 8 groups of 128 and 64 heads of 64: 2 x 1024 + 3 x 4096 + 64; a gate of 32 heads of 128, 8 of them for
// keys: 3 x 4096 + 2 x 1024.
static void piece_arguments(void **state)
{
    (void)state;
    static const struct {
        const char *what;
        struct kvb_attention_shape shape;
        uint64_t tp, eager, elements;
    } rows[] = {
        {"plain attention", {.kind = KVB_ATTENTION_FULL, .heads = 32, .kv_heads = 8, .head_size = 128}, 1, 0, 0},
        {"gated",
         {.kind = KVB_ATTENTION_FULL, .heads = 32, .kv_heads = 8, .head_size = 128, .gated_output = true},
         1,
         0,
         10240},
        {"GDN",
         {.kind = KVB_ATTENTION_GDN,
          .state_key_heads = 16,
          .state_key_size = 128,
          .state_value_heads = 32,
          .state_value_size = 128},
         1,
         0,
         12288},
        {"GDN of two",
         {.kind = KVB_ATTENTION_GDN,
          .state_key_heads = 16,
          .state_key_size = 128,
          .state_value_heads = 32,
          .state_value_size = 128},
         2,
         0,
         4096},
        {"GDN of eight",
         {.kind = KVB_ATTENTION_GDN,
          .state_key_heads = 16,
          .state_key_size = 128,
          .state_value_heads = 32,
          .state_value_size = 128},
         8,
         0,
         0},
        {"not compiled",
         {.kind = KVB_ATTENTION_GDN,
          .state_key_heads = 16,
          .state_key_size = 128,
          .state_value_heads = 32,
          .state_value_size = 128},
         1,
         1,
         0},
        {"Mamba2",
         {.kind = KVB_ATTENTION_MAMBA2,
          .state_key_heads = 8,
          .state_key_size = 128,
          .state_value_heads = 64,
          .state_value_size = 64},
         1,
         0,
         10304},
    };
    for (size_t i = 0; i < sizeof rows / sizeof rows[0]; i++) {
        uint64_t bytes[2];
        for (size_t j = 0; j < 2; j++) { // against the same layer without a token mixer
            make_llama_plan(&plan, R(22, 0));
            plan.model.kinds[0].attention = rows[i].shape;
            plan.model.kinds[0].attention.kind = j ? rows[i].shape.kind : KVB_ATTENTION_NONE;
            set(&plan, KVB_SET_TENSOR_PARALLEL_SIZE, rows[i].tp);
            set(&plan, KVB_SET_ENFORCE_EAGER, rows[i].eager);
            bytes[j] = kvb_layer_bytes(resolved(&plan), 1000);
        }
        if (bytes[1] - bytes[0] != rows[i].elements * 2000) {
            fail_msg("%s: %llu bytes more", rows[i].what, (unsigned long long)(bytes[1] - bytes[0]));
        }
    }
}

// Nemotron-H: the network is a layer of its own, in the piece that the Mamba2 layer before it began. Hidden 4096: 2 x
// 1024 + 3 x 4096 + 64 elements a token less the hidden tensor are 10304; nothing when not compiled, half of the whole
// less a hidden tensor, 3104, on two ranks.
static void piece_of_a_lone_network(void **state)
{
    (void)state;
    static const struct {
        uint64_t tp, eager, elements;
    } rows[] = {{1, 0, 10304}, {1, 1, 0}, {2, 0, 3104}};
    for (size_t i = 0; i < sizeof rows / sizeof rows[0]; i++) {
        uint64_t bytes[2];
        for (size_t j = 0; j < 2; j++) { // against the same without the Mamba2 layer
            make_llama_plan(&plan, R(22, 0));
            plan.model.kinds[0].attention.kind = KVB_ATTENTION_NONE;
            plan.model.kinds[1] = (struct kvb_layer_kind){.mlp.kind = KVB_MLP_NONE};
            plan.model.kinds[1].attention =
                (struct kvb_attention_shape){.kind = j ? KVB_ATTENTION_MAMBA2 : KVB_ATTENTION_NONE,
                                             .state_key_heads = 8,
                                             .state_key_size = 128,
                                             .state_value_heads = 64,
                                             .state_value_size = 64};
            plan.model.kind_count = 2;
            set(&plan, KVB_SET_TENSOR_PARALLEL_SIZE, rows[i].tp);
            set(&plan, KVB_SET_ENFORCE_EAGER, rows[i].eager);
            bytes[j] = kvb_layer_bytes(resolved(&plan), 1000);
        }
        assert_int_equal(bytes[1] - bytes[0], rows[i].elements * 2000);
    }
}

// A draft that looks at five inner layers: 1000 tokens x 5 x 4096 x 2 B stay to the end of the target's pass.
static void states_kept_for_a_draft(void **state)
{
    (void)state;
    static struct kvb_model draft;
    make_llama_plan(&plan, R(22, 0));
    uint64_t alone = kvb_layer_bytes(resolved(&plan), 1000);
    draft = plan.model;
    draft.target_states = 5;
    plan.draft = &draft;
    assert_int_equal(kvb_layer_bytes(resolved(&plan), 1000), alone); // no draft is asked for
    set(&plan, KVB_SET_SPECULATIVE_METHOD, KVB_SPECULATIVE_DFLASH);
    set(&plan, KVB_SET_NUM_SPECULATIVE_TOKENS, 15);
    assert_int_equal(kvb_layer_bytes(resolved(&plan), 1000), alone + 1000ULL * 5 * 4096 * 2);
    plan.draft = NULL;
    assert_int_equal(kvb_layer_bytes(resolved(&plan), 1000), alone);
}

static struct kvb_activation peak(void)
{
    struct kvb_activation activation;
    kvb_activation_estimate(resolved(&plan), 0, &activation);
    return activation;
}

// From 0.11 N tokens x 16 heads x (128 + 128) x 2 B, N = 65536 at most and seqs x block at least: 0.5 GiB.
static void mla_dummy(void **state)
{
    (void)state;
    static const struct {
        uint32_t release;
        uint64_t length, seqs, tokens;
    } rows[] = {
        {R(10, 2), 8192, 256, 0},       // no dummy yet
        {R(7, 3), 8192, 256, 0},        // V0 neither
        {R(11, 0), 8192, 256, 65536},   // 8 x 8192
        {R(19, 0), 1024, 256, 16384},   // 4 x 256 x 16 above 8 x 1024
        {R(19, 0), 1024, 8192, 131072}, // 8192 x 16 blocks
        {R(19, 0), 4096, 16, 32768},    // 8 x 4096
    };
    for (size_t i = 0; i < sizeof rows / sizeof rows[0]; i++) {
        make_latent_plan(&plan, rows[i].release, rows[i].length, rows[i].seqs);
        assert_int_equal(peak().phase_bytes[KVB_PHASE_MLA], rows[i].tokens * 16 * 256 * 2);
    }
    make_latent_plan(&plan, R(19, 0), 8192, 256); // the sparse index takes another way
    plan.model.kinds[0].attention.index_heads = 64;
    plan.model.kinds[0].attention.index_head_size = 128;
    assert_int_equal(peak().phase_bytes[KVB_PHASE_MLA], 0);
}

// Experts of 4 bits whose inputs are, too: of a model that has experts, by their own method where they have one.
static void fp4_experts(void **state)
{
    (void)state;
    make_llama_plan(&plan, R(22, 0));
    plan.model.quantisation.method = KVB_QUANT_NVFP4;
    assert_false(kvb_experts_are_fp4(resolved(&plan)));
    plan.model.kinds[0].mlp = (struct kvb_mlp_shape){.kind = KVB_MLP_MOE, .experts = 8, .experts_per_token = 2};
    assert_true(kvb_experts_are_fp4(resolved(&plan)));
    plan.model.quantisation.weight_only = true;
    assert_false(kvb_experts_are_fp4(resolved(&plan)));
    plan.model.quantisation.weight_only = false;
    plan.model.quantisation.method = KVB_QUANT_FP8;
    assert_false(kvb_experts_are_fp4(resolved(&plan)));
    plan.model.quantisation.expert_method = KVB_QUANT_NVFP4;
    assert_true(kvb_experts_are_fp4(resolved(&plan)));
}

KVB_TEST_MAIN(cmocka_unit_test(fp4_experts), cmocka_unit_test(expert_scratch), cmocka_unit_test(expert_kernels),
              cmocka_unit_test(wide_experts), cmocka_unit_test(piece_arguments),
              cmocka_unit_test(piece_of_a_lone_network), cmocka_unit_test(states_kept_for_a_draft),
              cmocka_unit_test(mla_dummy))
