// Weights of one rank against hand calculations. Logged figures are "Model loading took" of public logs.
#include <string.h>

#include "base/checked.h"
#include "budget/weights/weights.h"
#include "unit/plans.h"
#include "unit/test.h"

static void make(struct kvb_plan *plan, uint32_t release)
{
    make_llama(&plan->model);
    make_plan(plan, release, 1ULL << 30, 8192);
}

static uint64_t weights_of(const struct kvb_plan *plan)
{
    static struct kvb_budget budget;
    static struct kvb_problems problems;
    kvb_problems_init(&problems);
    assert_int_equal(kvb_budget_compute(plan, &budget, &problems), KVB_OK);
    return budget.weights.total_bytes;
}

// Embedding and head 128256 x 4096 x 2 B = 1002 MiB each; a layer: qkv 6144 x 4096 x 2 = 48, o 32,
// gate_up 28672 x 4096 x 2 = 224, down 112 MiB, norms 2 x 8 KiB; rotary table 131072 x 128 x 2 = 32 MiB.
// 2 x 1002 + 32 x (48 + 32 + 224 + 112) + 32 = 15348 MiB, and 65 norms of 8 KiB: 14.9888 GiB as logged.
static void llama_8b(void **state)
{
    (void)state;
    static struct kvb_plan plan;
    make(&plan, KVB_RELEASE(0, 19, 0));
    assert_int_equal(weights_of(&plan), 15348 * MIB + 65 * 8192);
}

// tp 2: matrices halve, norms and the rotary table do not. Embedding and head of 501 MiB take segments of
// 502: 1004 + 32 x 208 + 32 = 7692 MiB, 7.51 GiB as logged.
static void llama_8b_on_two(void **state)
{
    (void)state;
    static struct kvb_plan plan;
    make(&plan, KVB_RELEASE(0, 19, 0));
    set(&plan, KVB_SET_TENSOR_PARALLEL_SIZE, 2);
    assert_int_equal(weights_of(&plan), 7692 * MIB + 65 * 8192);
}

// fp32: everything twice: 29.98 GiB as logged.
static void llama_8b_fp32(void **state)
{
    (void)state;
    static struct kvb_plan plan;
    make(&plan, KVB_RELEASE(0, 19, 0));
    set(&plan, KVB_SET_DTYPE, KVB_DTYPE_WORD_FP32);
    assert_int_equal(weights_of(&plan), 2 * (15348 * MIB + 65 * 8192));
}

// --quantization fp8 of a 16-bit checkpoint: one byte an element in the layers and 512 B for each of four
// scales a layer; embedding, head, norms and rotary table stay. 2004 + 32 x 208 + 32 = 8692 MiB.
static void llama_8b_online_fp8(void **state)
{
    (void)state;
    static struct kvb_plan plan;
    make(&plan, KVB_RELEASE(0, 19, 0));
    set(&plan, KVB_SET_QUANTIZATION, KVB_QUANTIZATION_FP8);
    assert_int_equal(weights_of(&plan), 8692 * MIB + 65 * 8192 + 32 * 4 * 512);
}

// A layer has 208 MiB of elements in matrices of 6,144, 4,096, 28,672 rows of 4,096 and 4,096 rows of 14,336. Scales:
// a byte for 32 inputs is 6.5 MiB a layer (online/mxfp8.py v0.27.1); one of 4 bytes a row is 43,008 x 4 (_Fp8Ptpc);
// one of 4 bytes a block of 128 x 128 is (48 x 32 + 32 x 32 + 224 x 32 + 32 x 112) x 4. What makes experts alone 8- or
// 4-bit leaves a model without any as it is.
static void llama_8b_online_words(void **state)
{
    (void)state;
    static const struct {
        uint64_t word, bytes;
    } cases[] = {
        {KVB_QUANTIZATION_FP8_PER_TENSOR, 8692 * MIB + 65 * 8192 + 32 * 4 * 512},
        {KVB_QUANTIZATION_MXFP8, 8692 * MIB + 65 * 8192 + 32 * 13 * MIB / 2},
        {KVB_QUANTIZATION_FP8_PER_CHANNEL, 8692 * MIB + 65 * 8192 + 32 * 43008 * 4},
        {KVB_QUANTIZATION_FP8_PER_BLOCK, 8692 * MIB + 65 * 8192 + 32 * 13312 * 4},
        {KVB_QUANTIZATION_EXPERTS_INT8, 15348 * MIB + 65 * 8192},
        {KVB_QUANTIZATION_INT8_PER_CHANNEL_WEIGHT_ONLY, 15348 * MIB + 65 * 8192},
        {KVB_QUANTIZATION_NVFP4_PER_TOKEN, 15348 * MIB + 65 * 8192},
    };
    static struct kvb_plan plan;
    for (size_t i = 0; i < sizeof cases / sizeof cases[0]; i++) {
        make(&plan, KVB_RELEASE(0, 27, 0));
        set(&plan, KVB_SET_QUANTIZATION, cases[i].word);
        plan.environment.expandable_segments = KVB_YES; // no ends of segments
        assert_int_equal(weights_of(&plan), cases[i].bytes);
    }
}

// --cpu-offload-gb 12 moves whole matrices, layer by layer (qkv, o, gate_up, down, norms), while less than
// 12288 MiB have moved. A layer moves 416 MiB + 16 KiB; 29 layers make 12064 MiB + 464 KiB, then qkv 48
// (12112), o 32 (12144), gate_up 224 (12368, the one that overshoots): 15348 - 12368 = 2980 MiB stay, and
// the norms that did not move: 2.91 GiB as logged.
static void llama_8b_offloaded(void **state)
{
    (void)state;
    static struct kvb_plan plan;
    make(&plan, KVB_RELEASE(0, 17, 1));
    set(&plan, KVB_SET_CPU_OFFLOAD_GB, 12288 * MIB);
    assert_int_equal(weights_of(&plan), 2980 * MIB + 7 * 8192);
}

// vllm#51396: runner V2 installs no offloader in 0.22.0 to 0.27.1 (grep of set_offloader at each tag), 0.28.0 does. All
// of Llama-3.1-8B is 15316 MiB and 65 norms.
static void llama_8b_on_runner_v2(void **state)
{
    (void)state;
    static struct kvb_plan plan;
    make(&plan, KVB_RELEASE(0, 25, 0));
    uint64_t whole = weights_of(&plan);
    set(&plan, KVB_SET_CPU_OFFLOAD_GB, 12288 * MIB);
    assert_int_equal(weights_of(&plan), whole);
    plan.environment.use_v2_model_runner = KVB_NO;
    assert_true(weights_of(&plan) < whole - 12000 * MIB);
    make(&plan, KVB_RELEASE(0, 28, 0));
    set(&plan, KVB_SET_CPU_OFFLOAD_GB, 12288 * MIB);
    assert_true(weights_of(&plan) < whole - 12000 * MIB);
}

static void give(struct kvb_plan *plan, enum kvb_plain_number number, uint64_t value)
{
    plan->plain_numbers[number] = (struct kvb_plain_value){.set = true, .number = value};
}

// prefetch.py v0.17.0: of 32 layers in groups of 8 the last two leave, layers 6, 7, 14, 15 and on: 8 of 416 MiB and 16
// KiB; as many buffers stay as are fetched ahead, one by default. Attention of a layer is 80 MiB, its MLP 336.
static void llama_8b_in_groups(void **state)
{
    (void)state;
    static struct kvb_plan plan;
    make(&plan, KVB_RELEASE(0, 19, 0));
    uint64_t whole = weights_of(&plan);
    give(&plan, KVB_PLAIN_OFFLOAD_GROUP, 8);
    give(&plan, KVB_PLAIN_OFFLOAD_IN_GROUP, 2);
    set(&plan, KVB_SET_CPU_OFFLOAD_GB, 12288 * MIB); // not with groups
    assert_int_equal(whole - weights_of(&plan), (8 - 1) * (416 * MIB + 2 * 8192));
    give(&plan, KVB_PLAIN_OFFLOAD_AHEAD, 3);
    assert_int_equal(whole - weights_of(&plan), (8 - 3) * (416 * MIB + 2 * 8192));
    give(&plan, KVB_PLAIN_OFFLOAD_ROLES, 1U << KVB_ROLE_MLP);
    assert_int_equal(whole - weights_of(&plan), (8 - 3) * 336 * MIB);
    plan.plain_numbers[KVB_PLAIN_OFFLOAD_IN_GROUP].set = false; // one of each
    give(&plan, KVB_PLAIN_OFFLOAD_AHEAD, 1);
    assert_int_equal(whole - weights_of(&plan), (4 - 1) * 336 * MIB);
    give(&plan, KVB_PLAIN_OFFLOAD_GROUP, 40); // never full
    assert_int_equal(weights_of(&plan), whole);
    plan.plain_numbers[KVB_PLAIN_OFFLOAD_GROUP].number = 0;
    assert_int_equal(whole - weights_of(&plan), 32 * 336 * MIB); // 12288 MiB of what is named
    plan.plain_flags = KVB_PLAIN_PREFETCH;
    assert_int_equal(weights_of(&plan), whole);
}

// Layers of two kinds share the buffers of what is alike: of a second kind whose MLP is half as wide attention's 80 MiB
// and the norms stay once, 336 and 168 MiB of MLP both. In pairs all odd layers leave, half of them of each kind.
static void two_kinds_in_groups(void **state)
{
    (void)state;
    static struct kvb_plan plan;
    make(&plan, KVB_RELEASE(0, 19, 0));
    plan.model.kinds[1] = plan.model.kinds[0];
    plan.model.kinds[1].mlp.intermediate_size /= 2;
    plan.model.kind_count = 2;
    for (uint32_t layer = 16; layer < 32; layer++) {
        plan.model.kind_of_layer[layer] = 1;
    }
    uint64_t whole = weights_of(&plan), moved = 8 * (416 + 248) * MIB + 16 * 2 * 8192;
    give(&plan, KVB_PLAIN_OFFLOAD_GROUP, 2);
    assert_int_equal(whole - weights_of(&plan), moved - (80 + 336 + 168) * MIB - 2 * 8192);
}

// Two stages: embedding on the first, head and final norm on the last; 16 layers each.
static void llama_8b_in_stages(void **state)
{
    (void)state;
    static struct kvb_plan plan;
    struct kvb_weights weights;
    make(&plan, KVB_RELEASE(0, 19, 0));
    set(&plan, KVB_SET_PIPELINE_PARALLEL_SIZE, 2);
    kvb_weights_count(loaded(&plan), 0, &weights);
    assert_int_equal(weights.total_bytes, (1002 + 16 * 416 + 32) * MIB + 32 * 8192);
    kvb_weights_count(loaded(&plan), 1, &weights);
    assert_int_equal(weights.total_bytes, (1002 + 16 * 416 + 32) * MIB + 33 * 8192);
}

// LoRA of rank 16, one slot, 0.19: q, k, v, gate and up are five slices with an input of 4096 each; o and
// down one each: inputs 5 x 4096 + 4096 + 14336, outputs 4096 + 1024 + 1024 + 2 x 14336 + 2 x 4096
// = 38912 + 43008 = 81920 elements x 16 x 2 B = 2.5 MiB a layer.
static void llama_8b_with_lora(void **state)
{
    (void)state;
    static struct kvb_plan plan;
    static struct kvb_budget budget;
    static struct kvb_problems problems;
    make(&plan, KVB_RELEASE(0, 19, 0));
    set(&plan, KVB_SET_ENABLE_LORA, 1);
    kvb_problems_init(&problems);
    assert_int_equal(kvb_budget_compute(&plan, &budget, &problems), KVB_OK);
    assert_int_equal(budget.weights.lora_bytes, 32 * (5 * MIB / 2) + 2ULL * 16 * (128256 + 4096) * 2);
}

// 259 MiB (gate_up of Qwen2.5-7B) comes from a segment of 260 MiB, whose rest of 1 MiB stays inside;
// 3 MiB leave 17 of a 20 MiB segment, from which 16.5 then takes all 17; 700 bytes round to 1024.
// A largest split of 20 MiB: what is as large keeps its whole segment, small requests do not take from large free
// blocks, and a block may be up to 20 MiB larger than the request. 259 MiB -> 260; 3 MiB splits a segment of 20; 16.5
// MiB fits the 17 left, whose rest of half a MiB stays; 30 MiB finds no block and takes 30.
// 3 MiB of a segment of 20 leave 17: a block of exactly that size serves 17. One that is never split (16 and above)
// serves 16 as well, whole, as it is less than 20 MiB larger; torch's get_free_block, first and second rule.
static void allocator_takes_a_block_that_just_fits(void **state)
{
    (void)state;
    struct kvb_allocator exact = {.largest_split_bytes = 0}, whole = {.largest_split_bytes = 16 * MIB};
    kvb_allocate(&exact, 3 * MIB);
    kvb_allocate(&exact, 17 * MIB);
    assert_int_equal(exact.allocated_bytes, 20 * MIB);
    assert_int_equal(exact.requested_bytes, 20 * MIB);
    kvb_allocate(&whole, 3 * MIB);
    kvb_allocate(&whole, 16 * MIB);
    assert_int_equal(whole.allocated_bytes, 20 * MIB);
    assert_int_equal(whole.requested_bytes, 19 * MIB);
}

static void allocator_without_splits(void **state)
{
    (void)state;
    struct kvb_allocator allocator = {.largest_split_bytes = 20 * MIB};
    kvb_allocate(&allocator, 259 * MIB);
    assert_int_equal(allocator.allocated_bytes, 260 * MIB);
    kvb_allocate(&allocator, 3 * MIB);
    assert_int_equal(allocator.allocated_bytes, 263 * MIB);
    kvb_allocate(&allocator, 33 * MIB / 2);
    assert_int_equal(allocator.allocated_bytes, 280 * MIB);
    allocator.free_bytes[allocator.free_count++] = 64 * MIB;
    kvb_allocate(&allocator, 2 * MIB); // a new segment: the 64 MiB are not split
    assert_int_equal(allocator.allocated_bytes, 282 * MIB);
    kvb_allocate(&allocator, 30 * MIB); // 64 are more than 20 too many
    assert_int_equal(allocator.allocated_bytes, 312 * MIB);
    kvb_allocate(&allocator, 50 * MIB); // 64 will do, whole
    assert_int_equal(allocator.allocated_bytes, 376 * MIB);
}

// Segments: 260 for 259 MiB; 20 for 3, whose rest serves 16.5; 2 for what is at most 1 MiB, together with 700 bytes,
// and 2 more for the next. A block that is given back serves again: 30 of 32. One that may grow holds what was most.
static void allocator_asks_for_segments(void **state)
{
    (void)state;
    struct kvb_allocator allocator = {0}, grows = {.exact = true};
    static const struct {
        uint64_t bytes, reserved_mib;
    } rows[] = {{259 * MIB, 260}, {3 * MIB, 280}, {33 * MIB / 2, 280}, {700, 282},
                {MIB, 282},       {MIB, 284},     {32 * MIB, 316}};
    for (size_t i = 0; i < sizeof rows / sizeof rows[0]; i++) {
        (void)kvb_allocate(&allocator, rows[i].bytes);
        assert_int_equal(allocator.reserved_bytes, rows[i].reserved_mib * MIB);
    }
    uint64_t allocated = allocator.allocated_bytes, requested = allocator.requested_bytes;
    kvb_release(&allocator, 32 * MIB, 32 * MIB);
    assert_int_equal(kvb_allocate(&allocator, 30 * MIB), 30 * MIB);
    assert_int_equal(allocator.reserved_bytes, 316 * MIB);
    assert_int_equal(allocator.allocated_bytes, allocated - 2 * MIB);
    assert_int_equal(allocator.requested_bytes, requested - 2 * MIB);
    kvb_release(&grows, 0, kvb_allocate(&grows, 0));
    kvb_release(&grows, 5 * MIB, kvb_allocate(&grows, 5 * MIB));
    (void)kvb_allocate(&grows, 3 * MIB);
    assert_int_equal(grows.allocated_bytes, 3 * MIB);
    assert_int_equal(grows.reserved_bytes, 5 * MIB);
    (void)kvb_allocate(&grows, UINT64_MAX);
    kvb_release(&grows, 3 * MIB, 3 * MIB);
    assert_true(kvb_is_saturated(grows.requested_bytes)); // too large stays too large
}

static void allocator_rounding(void **state)
{
    (void)state;
    struct kvb_allocator allocator = {0};
    kvb_allocate(&allocator, 259 * MIB);
    assert_int_equal(allocator.allocated_bytes, 260 * MIB);
    kvb_allocate(&allocator, 3 * MIB);
    assert_int_equal(allocator.allocated_bytes, 263 * MIB);
    kvb_allocate(&allocator, 33 * MIB / 2);
    assert_int_equal(allocator.allocated_bytes, 280 * MIB);
    kvb_allocate(&allocator, 700);
    assert_int_equal(allocator.allocated_bytes, 280 * MIB + 1024);
    kvb_allocate(&allocator, 0);
    assert_int_equal(allocator.allocated_bytes, 280 * MIB + 1024);
    struct kvb_allocator exact = {.exact = true};
    kvb_allocate(&exact, 259 * MIB);
    assert_int_equal(exact.allocated_bytes, 259 * MIB);
}

struct format_row {
    const char *name;
    struct kvb_quantisation quantisation;
    uint64_t rows, columns;
    uint64_t wanted_bytes; // all parts
};

static const struct format_row format_rows[] = {
    // 4096 x 4096 plain: 2 B each
    {"16 bit", {.method = KVB_QUANT_NONE}, 4096, 4096, 33554432},
    // one fp32 scale
    {"fp8 tensor", {.method = KVB_QUANT_FP8, .scale = KVB_SCALE_TENSOR}, 4096, 4096, 16777216 + 4},
    {"fp8 channel", {.method = KVB_QUANT_FP8, .scale = KVB_SCALE_CHANNEL}, 4096, 4096, 16777216 + 16384},
    // 4100 rows make 33 blocks of 128: 33 x 32 scales
    {"fp8 block",
     {.method = KVB_QUANT_FP8, .scale = KVB_SCALE_BLOCK, .block_rows = 128, .block_columns = 128},
     4100,
     4096,
     4100 * 4096 + 33 * 32 * 4},
    {"int8", {.method = KVB_QUANT_INT8}, 4096, 4096, 16777216 + 16384},
    // half a byte; 32 groups x 4096 x 2 B of scales; 32 x 4096 / 2 of zeros
    {"awq", {.method = KVB_QUANT_AWQ, .bits = 4, .group_size = 128}, 4096, 4096, 8388608 + 262144 + 65536},
    {"gptq symmetric",
     {.method = KVB_QUANT_GPTQ, .bits = 4, .group_size = 128, .symmetric = true},
     4096,
     4096,
     8388608 + 262144},
    {"gptq act order",
     {.method = KVB_QUANT_GPTQ, .bits = 4, .group_size = 128, .symmetric = true, .act_order = true},
     4096,
     4096,
     8388608 + 262144 + 16384},
    {"gptq 8 bit",
     {.method = KVB_QUANT_GPTQ, .bits = 8, .group_size = 128, .symmetric = true},
     4096,
     4096,
     16777216 + 262144},
    // half a byte and one byte in 64
    {"nf4", {.method = KVB_QUANT_BNB4}, 4096, 4096, 8388608 + 262144},
    // half a byte, an fp8 scale per 16 inputs, two global scales
    {"nvfp4", {.method = KVB_QUANT_NVFP4}, 4096, 4096, 8388608 + 1048576 + 8},
};

static void formats(void **state)
{
    (void)state;
    static struct kvb_plan plan;
    for (size_t i = 0; i < sizeof format_rows / sizeof format_rows[0]; i++) {
        const struct format_row *row = &format_rows[i];
        make(&plan, KVB_RELEASE(0, 19, 0));
        plan.model.quantisation = row->quantisation;
        struct kvb_matrix matrix = {.role = KVB_ROLE_MLP,
                                    .count = 1,
                                    .rows = row->rows,
                                    .columns = row->columns,
                                    .logical = 1,
                                    .quantised = true};
        struct kvb_parameter parameter;
        kvb_parameter_make(loaded(&plan), &matrix, &parameter);
        uint64_t bytes = 0;
        for (uint32_t part = 0; part < parameter.part_count; part++) {
            bytes += parameter.part_bytes[part];
        }
        if (bytes != row->wanted_bytes) {
            fail_msg("%s: %llu bytes, %llu by hand", row->name, (unsigned long long)bytes,
                     (unsigned long long)row->wanted_bytes);
        }
    }
}

// 300 x 256 in blocks of 128 x 128: 3 x 2 scales of 4 B. Below 8.9 Marlin has groups of inputs alone and writes a
// block's scale for each row, at the model's 16 bits: 300 x 2 (marlin_utils_fp8.py v0.9.0:151, v0.21.0:186).
static void block_scales(void **state)
{
    (void)state;
    static const struct {
        uint32_t capability, release;
        bool amd;
        uint64_t wanted;
    } rows[] = {
        {75, KVB_RELEASE(0, 9, 0), false, 76800 + 1200}, {86, KVB_RELEASE(0, 21, 0), false, 76800 + 1200},
        {89, KVB_RELEASE(0, 21, 0), false, 76800 + 24},  {90, KVB_RELEASE(0, 21, 0), false, 76800 + 24},
        {86, KVB_RELEASE(0, 8, 5), false, 76800 + 24},   {0, KVB_RELEASE(0, 21, 0), false, 76800 + 24},
        {86, KVB_RELEASE(0, 7, 0), true, 76800 + 24},
    };
    static struct kvb_plan plan;
    for (size_t i = 0; i < sizeof rows / sizeof rows[0]; i++) {
        make(&plan, rows[i].release);
        plan.model.quantisation = (struct kvb_quantisation){
            .method = KVB_QUANT_FP8, .scale = KVB_SCALE_BLOCK, .block_rows = 128, .block_columns = 128};
        plan.gpu.compute_capability = rows[i].capability;
        plan.gpu.vendor = rows[i].amd ? KVB_VENDOR_AMD : KVB_VENDOR_NVIDIA;
        struct kvb_matrix matrix = {
            .role = KVB_ROLE_MLP, .count = 1, .rows = 300, .columns = 256, .logical = 1, .quantised = true};
        struct kvb_parameter parameter;
        kvb_parameter_make(loaded(&plan), &matrix, &parameter);
        assert_int_equal(parameter.part_count, 2);
        assert_int_equal(parameter.part_bytes[0] + parameter.part_bytes[1], rows[i].wanted);
    }
}

// gpt-oss-20b's experts: 32 of 2 x 2880 x 2880. Marlin, below 9.0, on 9.0 to 0.11 and on 12.0: 2880 -> 2944 rows a half
// and 3072 inputs: 32 x 5888 x 1536 and 32 x 5888 x 96. TRT-LLM on 10.0: 3072 rows a half. Triton on 9.0: 5760 rows of
// 1440 B (0.16 to 0.22: to 1472), scales of 5888 rows x 90, and to 0.24 the loaded 5760 x 90 beside them.
static void mxfp4_padding(void **state)
{
    (void)state;
    static const struct {
        uint32_t capability, release;
        uint64_t wanted;
    } rows[] = {
        {90, KVB_RELEASE(0, 11, 2), 32ULL * 5888 * (1536 + 96)},
        {80, KVB_RELEASE(0, 19, 0), 32ULL * 5888 * (1536 + 96)},
        {120, KVB_RELEASE(0, 19, 0), 32ULL * 5888 * (1536 + 96)},
        {100, KVB_RELEASE(0, 19, 0), 32ULL * 6144 * (1536 + 96)},
        {90, KVB_RELEASE(0, 15, 0), 32ULL * (5760 * 1440 + 5888 * 90 + 5760 * 90)},
        {90, KVB_RELEASE(0, 19, 0), 32ULL * (5760 * 1472 + 5888 * 90 + 5760 * 90)},
        {90, KVB_RELEASE(0, 25, 1), 32ULL * (5760 * 1440 + 5888 * 90)},
    };
    static struct kvb_plan plan;
    for (size_t i = 0; i < sizeof rows / sizeof rows[0]; i++) {
        make(&plan, rows[i].release);
        plan.model.hidden_size = 2880;
        plan.model.quantisation.method = KVB_QUANT_MXFP4;
        (void)strcpy(plan.model.quantisation.name, "mxfp4");
        plan.gpu.compute_capability = rows[i].capability;
        struct kvb_matrix matrix = {.role = KVB_ROLE_EXPERTS,
                                    .count = 32,
                                    .rows = 5760,
                                    .columns = 2880,
                                    .logical = 2,
                                    .quantised = true,
                                    .is_expert = true};
        struct kvb_parameter parameter;
        kvb_parameter_make(loaded(&plan), &matrix, &parameter);
        uint64_t bytes = 0;
        for (uint32_t part = 0; part < parameter.part_count; part++) {
            bytes += parameter.part_bytes[part];
        }
        assert_int_equal(bytes, rows[i].wanted);
    }
}

KVB_TEST_MAIN(cmocka_unit_test(llama_8b), cmocka_unit_test(llama_8b_on_two), cmocka_unit_test(llama_8b_fp32),
              cmocka_unit_test(llama_8b_online_fp8), cmocka_unit_test(llama_8b_online_words),
              cmocka_unit_test(llama_8b_offloaded), cmocka_unit_test(llama_8b_on_runner_v2),
              cmocka_unit_test(llama_8b_in_groups), cmocka_unit_test(two_kinds_in_groups),
              cmocka_unit_test(llama_8b_in_stages), cmocka_unit_test(llama_8b_with_lora),
              cmocka_unit_test(allocator_asks_for_segments), cmocka_unit_test(allocator_rounding),
              cmocka_unit_test(allocator_takes_a_block_that_just_fits), cmocka_unit_test(allocator_without_splits),
              cmocka_unit_test(formats), cmocka_unit_test(mxfp4_padding), cmocka_unit_test(block_scales))
