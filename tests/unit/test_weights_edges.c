// Weights of models with more than 64 layers, lists whose room holds something behind their end, headers that say more
// than the config; and the bounds of trainers and of the loop that generates. Expected values are by hand.
#include <stdlib.h>
#include <string.h>

#include <kvbudget/input.h>
#include <kvbudget/residents.h>

#include "budget/shapes.h"
#include "budget/trainer.h"
#include "budget/utilization.h"
#include "budget/weights/weights_checkpoint.h"
#include "unit/small_weights.h"
#include "unit/tensor_classes.h"
#include "unit/test.h"

// ---- Behind the end

// Room behind the last of a list may hold anything.
static void nothing_behind_the_last(void **state)
{
    (void)state;
    make(2);
    struct kvb_part whole = {&load, true, 0, 2, true, true};
    model.checkpoint.kind = KVB_CHECKPOINT_GGUF;
    model.checkpoint.classes_whole = true;
    model.checkpoint.class_count = 1;
    for (uint32_t i = 0; i < 3; i++) { // outputs, and behind the end projections that would be fused
        model.checkpoint.classes[i] = (struct kvb_tensor_class){.role = KVB_ROLE_ATTENTION,
                                                                .split = i == 0 ? KVB_SPLIT_COLUMNS : KVB_SPLIT_KV,
                                                                .in_layer = true,
                                                                .quantised = true,
                                                                .rows = 128,
                                                                .columns = 256,
                                                                .count = 2,
                                                                .bytes_per_1024 = 1024 + 64 * i,
                                                                .layers = {3}};
    }
    uint64_t elements = kvb_config_elements(&whole);
    assert_int_equal(counted(), 2ULL * 128 * 256);
    model.checkpoint.classes[0].split = KVB_SPLIT_ROWS;
    model.checkpoint.classes[1].bytes_per_1024 = 1024;
    model.checkpoint.class_count = 2;
    assert_int_equal(counted(), 2ULL * 2 * 128 * 256);
    model.checkpoint.classes[1].bytes_per_1024 = 1088; // rows beside rows are no keys: nothing is fused
    model.checkpoint.classes[1].split = KVB_SPLIT_ROWS;
    assert_int_equal(counted(), 2ULL * 128 * 256 * (1024 + 1088) / 1024);
    model.checkpoint.kind = KVB_CHECKPOINT_NONE;
    uint64_t bytes = counted();
    model.extras[0] =
        (struct kvb_extra){.name = "none", .role = KVB_ROLE_OTHER, .rows = 999, .columns = 999, .count = 1};
    model.rope_caches[0] = (struct kvb_rope_cache){4096, 128};
    assert_int_equal(kvb_config_elements(&whole), elements);
    assert_int_equal(counted(), bytes);
    assert_int_equal(kvb_dtype_bytes(KVB_DTYPE_COUNT), 0);
    struct kvb_trainer trainer;
    struct kvb_train_shape unit;
    kvb_trainer_init(&trainer);
    model.extra_count = 0;
    model.kinds[0].extra_elements = 64; // the last tensor of a layer
    kvb_train_shape_of(&trainer, &model, &unit);
    assert_int_equal(unit.unit_parameters, 4096ULL * 12 * 64 + 3ULL * 1024 * 4096 + 2 * 4096 + 64);
    assert_int_equal(kvb_config_elements(&whole), elements + 2 * 64);
    model.kind_count = 2; // the first kind that attends says how many heads there are
    model.kinds[0].attention.heads = 0;
    model.kinds[1].attention.heads = 4;
    assert_int_equal(kvb_model_heads(&model), 4);
}

// ---- Headers

static struct kvb_tensor_class *add(enum kvb_role role, enum kvb_split split, uint64_t rows, uint64_t columns,
                                    uint32_t layers)
{
    return add_class(&model.checkpoint, role, split, rows, columns, layers);
}

// 80 layers: the second of two stages has 40 of them, 24 in the first word of bits and 16 in the second. Of GGUF's
// fused projections the values of every ninth layer are wider, as llama-quantize's mixtures make them; the padding is
// that of the stage's four.
static void more_than_64_layers(void **state)
{
    (void)state;
    make(80);
    struct kvb_part second = {&load, false, 40, 80, false, true};
    struct kvb_share share;
    kvb_share_of(&second, add(KVB_ROLE_MLP, KVB_SPLIT_COPY, 100, 10, 80), &share);
    assert_int_equal(share.all, 80);
    assert_int_equal(share.here, 40);
    kvb_share_of(&second, add(KVB_ROLE_MLP, KVB_SPLIT_COPY, 100, 10, 41), &share);
    assert_int_equal(share.all, 41);
    assert_int_equal(share.here, 1);
    model.checkpoint.class_count = 0;
    struct kvb_tensor_class *queries = add(KVB_ROLE_ATTENTION, KVB_SPLIT_ROWS, 1024, 1024, 80);
    struct kvb_tensor_class *values = add(KVB_ROLE_ATTENTION, KVB_SPLIT_KV, 128, 1024, 80);
    struct kvb_tensor_class *wide = add(KVB_ROLE_ATTENTION, KVB_SPLIT_KV, 128, 1024, 80);
    queries->quantised = values->quantised = wide->quantised = true;
    queries->bytes_per_1024 = values->bytes_per_1024 = 512;
    wide->bytes_per_1024 = 768;
    memset(values->layers, 0, sizeof values->layers);
    memset(wide->layers, 0, sizeof wide->layers);
    for (uint32_t layer = 0; layer < 80; layer++) {
        struct kvb_tensor_class *row = layer % 9 == 1 ? wide : values;
        row->layers[layer / 64] |= UINT64_C(1) << layer % 64;
    }
    values->count = 71;
    wide->count = 9;
    weights = (struct kvb_weights){.total_bytes = 0};
    kvb_weights_from_gguf(&second, &weights);
    uint64_t thin = 36ULL * (1024 + 128), fat = 4ULL * (1024 + 128);
    assert_int_equal(weights.total_bytes, thin * 512 + fat * 768);
    struct kvb_part first = {&load, false, 0, 37, true, false}; // layers 1, 10, 19 and 28; 37 is the other stage's
    weights = (struct kvb_weights){.total_bytes = 0};
    kvb_weights_from_gguf(&first, &weights);
    assert_int_equal(weights.total_bytes, 33ULL * (1024 + 128) * 512 + 4ULL * (1024 + 128) * 768);
}

// What GGUF stores less what is offloaded.
static void gguf_offloaded(void **state)
{
    (void)state;
    make(2);
    model.checkpoint.kind = KVB_CHECKPOINT_GGUF;
    struct kvb_tensor_class *outputs = add(KVB_ROLE_ATTENTION, KVB_SPLIT_COLUMNS, 1024, 1024, 2);
    outputs->quantised = true;
    outputs->bytes_per_1024 = 512;
    load.offload_limit_bytes = 300000;
    weights = (struct kvb_weights){.total_bytes = 0};
    kvb_weights_from_checkpoint(&load, 0, &weights);
    assert_int_equal(weights.offloaded_bytes, 300000);
    assert_int_equal(weights.total_bytes, 2 * 1024 * 512 - 300000);
}

// Headers of a model at 16 bits that hold 1,024 rows of the embedding more: that is all there is more.
static void plain_headers(void **state)
{
    (void)state;
    make(2);
    uint64_t plain = counted(), embedding = weights.role_bytes[KVB_ROLE_EMBEDDING];
    model.checkpoint.kind = KVB_CHECKPOINT_SAFETENSORS;
    (void)add(KVB_ROLE_EMBEDDING, KVB_SPLIT_VOCABULARY, 33024, 4096, 0);
    (void)add(KVB_ROLE_HEAD, KVB_SPLIT_VOCABULARY, 32000, 4096, 0);
    add(KVB_ROLE_NORM, KVB_SPLIT_COPY, 4096, 1, 2)->count = 4;
    add(KVB_ROLE_MLP, KVB_SPLIT_ROWS, 3 * 1024, 4096, 2)->quantised = false;
    (void)add(KVB_ROLE_ATTENTION, KVB_SPLIT_ROWS, (4 + 2 + 2 + 4) * 64, 4096, 2);
    assert_int_equal(counted(), plain + 1024ULL * 4096 * 2);
    assert_int_equal(weights.role_bytes[KVB_ROLE_EMBEDDING], embedding + 1024ULL * 4096 * 2);
    model.checkpoint.classes[0].rows = 32000; // as the config has it
    (void)add(KVB_ROLE_OTHER, KVB_SPLIT_COPY, 4096, 4096, 0);
    model.checkpoint.class_count--; // it lies behind the last
    assert_int_equal(counted(), plain);
    load.tp = 4; // two KV heads on four ranks: each holds one, which headers do not know
    uint64_t split = counted();
    model.checkpoint.kind = KVB_CHECKPOINT_NONE;
    assert_int_equal(split, counted());
}

// A total that is off by more than a hundredth goes to the ranks of all stages alike.
static void totals_of_stages(void **state)
{
    (void)state;
    make(2);
    load.pp = 2;
    load.tp = 2;
    model.checkpoint.kind = KVB_CHECKPOINT_INDEX;
    model.checkpoint.total_bytes = kvb_model_parameters(&model) * 2 + 400 * MIB;
    weights = (struct kvb_weights){.total_bytes = GIB};
    kvb_weights_from_total(&load, &weights);
    assert_int_equal(weights.total_bytes, GIB + 100 * MIB);
    assert_int_equal(weights.role_bytes[KVB_ROLE_OTHER], 100 * MIB);
    // What is less is taken from the largest role, of two alike from the first.
    model.checkpoint.total_bytes = kvb_model_parameters(&model) * 2 - 40 * MIB; // 10 of each of four ranks
    weights = (struct kvb_weights){.total_bytes = GIB};
    weights.role_bytes[KVB_ROLE_NORM] = 29 * MIB;
    weights.role_bytes[KVB_ROLE_ATTENTION] = weights.role_bytes[KVB_ROLE_MLP] = 30 * MIB;
    kvb_weights_from_total(&load, &weights);
    assert_int_equal(weights.total_bytes, GIB - 10 * MIB);
    assert_int_equal(weights.role_bytes[KVB_ROLE_NORM], 29 * MIB);
    assert_int_equal(weights.role_bytes[KVB_ROLE_ATTENTION], 20 * MIB);
    assert_int_equal(weights.role_bytes[KVB_ROLE_MLP], 30 * MIB);
}

// A layer that was moved away comes back alone: two layers of 4096 x (4 + 2 + 2 + 4) x 64 and 3 x 1024 x 4096 elements.
static void one_layer_returns(void **state)
{
    (void)state;
    make(3);
    load.returns_layers = true;
    load.offload_limit_bytes = 100 * GIB;
    (void)counted();
    uint64_t layer = 2 * (4096ULL * 12 * 64 + 3ULL * 1024 * 4096 + 2 * 4096);
    assert_int_equal(weights.returning_layer_bytes, layer);
    assert_int_equal(weights.offloaded_bytes, 3 * layer);
    assert_int_equal(weights.unquantised_bytes, weights.total_bytes);
}

// vllm/model_executor/offloader/prefetch.py v0.17.0: of each four layers the last one is moved, so of six the fourth.
static void the_last_of_a_group_leaves(void **state)
{
    (void)state;
    uint64_t layer = 2 * (4096ULL * 12 * 64 + 3ULL * 1024 * 4096 + 2 * 4096);
    make(6);
    load.offload_group = 4;
    load.offload_in_group = 1;
    (void)counted();
    assert_int_equal(weights.offloaded_bytes, layer);
    load.offload_in_group = 2;
    (void)counted();
    assert_int_equal(weights.offloaded_bytes, 2 * layer); // the third and the fourth
    load.offload_group = 3;
    (void)counted();
    assert_int_equal(weights.offloaded_bytes, 4 * layer);
}

// StaticBufferPool there: one buffer for each parameter of a layer that leaves, as it is stored, the MLP's in 4 bits
// beside attention's in 8.
static void buffers_of_what_leaves(void **state)
{
    (void)state;
    make(6);
    model.quantisation = (struct kvb_quantisation){
        .method = KVB_QUANT_BNB4, .bits = 4, .scale = KVB_SCALE_TENSOR, .attention_method = KVB_QUANT_FP8};
    load.offload_group = 6;
    load.offload_in_group = 1;
    load.offload_ahead = 1;
    (void)counted();
    uint64_t mlp = 3ULL * 1024 * 4096;
    assert_in_range(weights.offloaded_bytes, mlp / 2 + 4096ULL * 12 * 64, mlp);
    assert_int_equal(weights.buffer_bytes, weights.offloaded_bytes);
    load.offload_ahead = 2;
    (void)counted();
    assert_int_equal(weights.buffer_bytes, 2 * weights.offloaded_bytes);
}

// Two tensors of 1 MiB fill a segment of 2 (kSmallSize, kSmallBuffer); the next one takes another.
static void small_blocks_fill_a_segment(void **state)
{
    (void)state;
    struct kvb_allocator allocator = {0};
    (void)kvb_allocate(&allocator, MIB);
    (void)kvb_allocate(&allocator, MIB);
    assert_int_equal(allocator.reserved_bytes, 2 * MIB);
    (void)kvb_allocate(&allocator, 1);
    assert_int_equal(allocator.reserved_bytes, 4 * MIB);
    assert_int_equal(allocator.allocated_bytes, 2 * MIB + 512);
}

// A projector without a tower for pictures is the sound's.
static void towers_of_sound(void **state)
{
    (void)state;
    make(1);
    load.no_audio = true;
    assert_true(kvb_drops_tower(&load, KVB_ROLE_PROJECTOR));
    assert_true(kvb_drops_tower(&load, KVB_ROLE_AUDIO));
    assert_false(kvb_drops_tower(&load, KVB_ROLE_VISION));
    model.encoder.layers = 24;
    assert_false(kvb_drops_tower(&load, KVB_ROLE_PROJECTOR));
    assert_true(kvb_drops_tower(&load, KVB_ROLE_AUDIO));
    assert_false(kvb_drops_tower(&load, KVB_ROLE_VISION));
}

// ---- Trainer, generate, shares of a card

// Two GPUs halve what is divided and have NCCL's buffers; one has none. 1e9 parameters of 4 B.
static void two_gpus(void **state)
{
    (void)state;
    struct kvb_trainer trainer;
    struct kvb_train_state train;
    make(1);
    kvb_trainer_init(&trainer);
    trainer.parameters = 1000000000;
    kvb_train_state_of(&trainer, &model, &train);
    assert_int_equal(train.weights_bytes, 4000000000);
    assert_int_equal(train.context_bytes, GIB / 2);
    assert_false(train.stated);
    trainer.gpus = 2;
    kvb_train_state_of(&trainer, &model, &train);
    assert_int_equal(train.weights_bytes, 2000000000);
    assert_int_equal(train.context_bytes, GIB / 2 + GIB);
    trainer.state_bytes = 1000;
    kvb_train_state_of(&trainer, &model, &train);
    assert_true(train.stated);
}

// The widest of a forward pass, eager scores, growth of a cache and logits counts once. One layer of hidden 4096, FFN
// 1024, 4 heads, 2 KV heads of 64 in 16 bits, 32,000 words; n tokens of prompt in s sequences:
// forward s n (4 x 1024 + 4 x 4096) x 2, scores s n n 4 x 8, growth s (n + answer) 2 x 64 x 2, logits s 32000 x 6.
static void widest_of_a_pass(void **state)
{
    (void)state;
    static const struct {
        const char *what;
        struct kvb_transformers rollout;
        uint64_t widest;
    } rows[] = {
        {"forward", {.sequences = 1, .prompt_tokens = 1000}, 1000ULL * 20480 * 2},
        {"scores", {.sequences = 1, .prompt_tokens = 2000, .eager_attention = true}, 2000ULL * 2000 * 32},
        {"growth", {.sequences = 1, .prompt_tokens = 1, .answer_tokens = 99999}, 100000ULL * 256},
        {"logits", {.sequences = 8, .prompt_tokens = 1}, 8ULL * 32000 * 6},
    };
    for (size_t i = 0; i < sizeof rows / sizeof rows[0]; i++) {
        struct kvb_transformers_answer answer;
        make(1);
        kvb_transformers_compute(&model, &rows[i].rollout, &answer);
        if (answer.total_bytes - answer.weights_bytes - answer.cache_bytes != rows[i].widest) {
            fail_msg("%s: %llu", rows[i].what, (unsigned long long)answer.total_bytes);
        }
    }
}

// A card of 4 TiB with a cache of 2: a half.
static void share_of_a_vast_card(void **state)
{
    (void)state;
    struct kvb_budget budget = {.memory_bytes = 4096 * GIB};
    assert_int_equal(kvb_utilization_for(&budget, 2048 * GIB), 500000);
}

// ---- A checkpoint of two formats

// unsloth/Qwen3.8-27B-NVFP4 as its config says: MLPs of layers 0 to 55 in NVFP4 8.42 GB, of 56 to 63 in FP8 2.14 GB,
// attention 7.27 GB, the head 1.27 GB by its files, and 22.13 GiB logged with the next-token module, which stays at 16
// bits.
#define TWO_FORMATS                                                                                                    \
    "{\"quantization_config\": {\"quant_method\": \"compressed-tensors\", \"config_groups\": {\"group_0\": {"          \
    "\"targets\": [\"re:.*self_attn\\\\.(q|k|v|o)_proj$\", "                                                           \
    "\"re:.*linear_attn\\\\.(in_proj_qkv|in_proj_z|out_proj)$\", "                                                     \
    "\"re:.*lm_head\", \"re:.*layers\\\\.(56|57|58|59|60|61|62|63)\\\\.mlp\\\\.(gate|up|down)_proj$\"], \"weights\": " \
    "{\"num_bits\": 8, \"type\": \"float\", \"strategy\": \"channel\"}, \"input_activations\": {\"num_bits\": 8}}, "   \
    "\"group_1\": {\"targets\": [\"re:.*mlp\\\\.(gate|up|down)_proj$\"], \"weights\": {\"num_bits\": 4, \"type\": "    \
    "\"float\", \"group_size\": 16}, \"input_activations\": {\"num_bits\": 4}}}, \"ignore\": [\"re:.*visual.*\", "     \
    "\"re:.*mtp.*\"]}}"
#define MLP_27B (3ULL * 5120 * 17408)
#define MLP_IN_NVFP4 (MLP_27B * 9 / 16 + 2 * 8) // a byte of scale for 16 elements, and two numbers a matrix
#define MLP_IN_FP8 (MLP_27B + 2 * 4)

static void two_formats_of_one_checkpoint(void **state)
{
    struct kvb_problems problems;
    (void)state;
    make(2);
    kvb_problems_init(&problems);
    assert_int_equal(kvb_model_load("Qwen/Qwen3.6-27B", TWO_FORMATS, &model, NULL, &problems), KVB_OK);
    load.stage_begin[1] = 64;
    load.mtp = true;
    uint64_t total = counted();
    assert_int_equal(weights.role_bytes[KVB_ROLE_HEAD], 248320ULL * 5120 + 4);
    assert_int_equal(weights.role_bytes[KVB_ROLE_MLP], 56 * MLP_IN_NVFP4 + 8 * MLP_IN_FP8 + 2 * MLP_27B);
    assert_true(llabs((int64_t)total - (int64_t)(2213ULL * (1ULL << 30) / 100)) < 1LL << 28); // exact allocations
    load.mtp = false;
    load.pp = 2;
    load.stage_begin[1] = 60;
    load.stage_begin[2] = 64;
    (void)counted();
    assert_int_equal(weights.role_bytes[KVB_ROLE_MLP], 56 * MLP_IN_NVFP4 + 4 * MLP_IN_FP8);
    kvb_weights_count(&load, 1, &weights);
    assert_int_equal(weights.role_bytes[KVB_ROLE_MLP], 4 * MLP_IN_FP8);
    load.pp = 1;
}

KVB_TEST_MAIN(cmocka_unit_test(buffers_of_what_leaves), cmocka_unit_test(two_formats_of_one_checkpoint),
              cmocka_unit_test(nothing_behind_the_last), cmocka_unit_test(more_than_64_layers),
              cmocka_unit_test(gguf_offloaded), cmocka_unit_test(plain_headers), cmocka_unit_test(totals_of_stages),
              cmocka_unit_test(one_layer_returns), cmocka_unit_test(the_last_of_a_group_leaves),
              cmocka_unit_test(small_blocks_fill_a_segment), cmocka_unit_test(towers_of_sound),
              cmocka_unit_test(two_gpus), cmocka_unit_test(widest_of_a_pass), cmocka_unit_test(share_of_a_vast_card))
