// GGUF: metadata to a model, tensor table to bytes, and one sentence for each way in which a file can lie.
#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include <kvbudget/budget.h>
#include <kvbudget/units.h>

#include "base/memory.h"
#include "engines/llamacpp/run.h"
#include "gguf_bytes.h"
#include "model/checkpoint/gguf.h"
#include "unit/test.h"

static struct kvb_problems problems;
static struct kvb_model model;
static struct kvb_model_source source;
static struct kvb_checkpoint checkpoint;

enum { F32 = 0, Q4_K = 12, Q6_K = 14 };

// The formats' bits per element as ggml prints them (ggml-common.h), times 10000.
struct bits {
    const char *name;
    uint32_t ten_thousandths;
};
static const struct bits bits_rows[] = {
    {"F32", 320000},    {"F16", 160000},   {"BF16", 160000},  {"F64", 640000},    {"I8", 80000},    {"I16", 160000},
    {"I32", 320000},    {"I64", 640000},   {"Q4_0", 45000},   {"Q4_1", 50000},    {"Q5_0", 55000},  {"Q5_1", 60000},
    {"Q8_0", 85000},    {"Q2_K", 26250},   {"Q3_K", 34375},   {"Q4_K", 45000},    {"Q5_K", 55000},  {"Q6_K", 65625},
    {"IQ2_XXS", 20625}, {"IQ2_XS", 23125}, {"IQ2_S", 25625},  {"IQ3_XXS", 30625}, {"IQ3_S", 34375}, {"IQ1_S", 15625},
    {"IQ1_M", 17500},   {"IQ4_NL", 45000}, {"IQ4_XS", 42500}, {"TQ1_0", 16875},   {"TQ2_0", 20625}, {"MXFP4", 42500},
};

static void test_formats(void **state)
{
    (void)state;
    size_t met = 0;
    for (uint32_t id = 0; id < 100; id++) {
        const struct kvb_ggml_type *type = kvb_ggml_type_find(id);
        for (size_t i = 0; type != NULL && i < sizeof bits_rows / sizeof bits_rows[0]; i++) {
            if (strcmp(bits_rows[i].name, type->name) == 0) {
                assert_int_equal((uint64_t)type->block_bytes * 80000,
                                 (uint64_t)bits_rows[i].ten_thousandths * type->block_elements);
                met++;
            }
        }
    }
    assert_int_equal(met, sizeof bits_rows / sizeof bits_rows[0]);
}

// llama.cpp's mixture Q4_K_M: values and down projections of half the layers are Q6_K (llama-quant.cpp,
// use_more_bits).
static uint32_t mixed(uint32_t layer, uint32_t layers)
{
    bool more = layer < layers / 8 || layer >= 7 * layers / 8 || (layer - layers / 8) % 3 == 2;
    return more ? Q6_K : Q4_K;
}

static void matrix(struct gguf_bytes *out, const char *name, uint32_t type, uint64_t columns, uint64_t rows)
{
    const struct kvb_ggml_type *format = kvb_ggml_type_find(type);
    uint64_t elements = columns * (rows > 0 ? rows : 1);
    gguf_tensor(out, name, type, columns, rows, 0, elements / format->block_elements * format->block_bytes);
}

struct dense {
    const char *architecture;
    uint32_t layers, hidden, intermediate, keys, heads, kv_heads, vocabulary, context;
    bool bias;
};
static const struct dense llama_8b = {"llama", 32, 4096, 14336, 1024, 32, 8, 128256, 131072, false};
static const struct dense qwen_32b = {"qwen2", 64, 5120, 27648, 1024, 40, 8, 152064, 131072, true};

static void dense_layer(struct gguf_bytes *out, const struct dense *model_shape, uint32_t layer)
{
    uint32_t more = mixed(layer, model_shape->layers);
    uint64_t hidden = model_shape->hidden, wide = model_shape->intermediate, keys = model_shape->keys;
    const struct {
        const char *name;
        uint32_t type;
        uint64_t columns, rows;
    } rows[] = {
        {"attn_norm.weight", F32, hidden, 0},
        {"ffn_down.weight", more, wide, hidden},
        {"ffn_gate.weight", Q4_K, hidden, wide},
        {"ffn_up.weight", Q4_K, hidden, wide},
        {"ffn_norm.weight", F32, hidden, 0},
        {"attn_k.weight", Q4_K, hidden, keys},
        {"attn_output.weight", Q4_K, hidden, hidden},
        {"attn_q.weight", Q4_K, hidden, hidden},
        {"attn_v.weight", more, hidden, keys},
        {"attn_k.bias", F32, keys, 0},
        {"attn_q.bias", F32, hidden, 0},
        {"attn_v.bias", F32, keys, 0},
    };
    size_t count = sizeof rows / sizeof rows[0] - (model_shape->bias ? 0 : 3);
    for (size_t i = 0; i < count; i++) {
        char name[64];
        (void)snprintf(name, sizeof name, "blk.%u.%s", layer, rows[i].name);
        matrix(out, name, rows[i].type, rows[i].columns, rows[i].rows);
    }
}

static void dense_values(struct gguf_bytes *out, const struct dense *shape)
{
    const struct {
        const char *name;
        uint32_t number;
    } rows[] = {{"block_count", shape->layers},         {"context_length", shape->context},
                {"embedding_length", shape->hidden},    {"feed_forward_length", shape->intermediate},
                {"attention.head_count", shape->heads}, {"attention.head_count_kv", shape->kv_heads},
                {"vocab_size", shape->vocabulary}};
    gguf_word(out, "general.architecture", shape->architecture);
    for (size_t i = 0; i < sizeof rows / sizeof rows[0]; i++) {
        char name[64];
        (void)snprintf(name, sizeof name, "%s.%s", shape->architecture, rows[i].name);
        gguf_whole(out, name, rows[i].number);
    }
}

// A model as llama-quantize writes it in Q4_K_M.
static void build_dense(struct gguf_bytes *out, const struct dense *shape)
{
    gguf_head(out, 3, shape->layers * (shape->bias ? 12 : 9) + 4, 8);
    dense_values(out, shape);
    matrix(out, "token_embd.weight", Q4_K, shape->hidden, shape->vocabulary);
    for (uint32_t layer = 0; layer < shape->layers; layer++) {
        dense_layer(out, shape, layer);
    }
    matrix(out, "output_norm.weight", F32, shape->hidden, 0);
    matrix(out, "output.weight", Q6_K, shape->hidden, shape->vocabulary);
    matrix(out, "rope_freqs.weight", F32, 64, 0);
}

static void build_llama(struct gguf_bytes *out)
{
    build_dense(out, &llama_8b);
}

// Writes the bytes and as much nothing behind them as their tensors take.
static void write_file(const char *name, const struct gguf_bytes *bytes)
{
    int descriptor = open(name, O_WRONLY | O_CREAT | O_TRUNC, 0600);
    assert_true(descriptor >= 0);
    assert_int_equal(write(descriptor, bytes->data, bytes->length), bytes->length);
    assert_int_equal(ftruncate(descriptor, (off_t)((bytes->length + 31) / 32 * 32 + bytes->data_offset)), 0);
    assert_int_equal(close(descriptor), 0);
}

static enum kvb_status load(const struct gguf_bytes *bytes)
{
    write_file(path, bytes);
    kvb_problems_init(&problems);
    return kvb_model_load(path, NULL, &model, &source, &problems);
}

// Llama 3.1 8B in Q4_K_M as public logs print it: 4403.49 MiB with all layers on the GPU and 281.81 on the host
// (issue 10701), 1263.13 with 10 of 33 at b4783 (issue 12213).
static void test_on_devices(void **state)
{
    struct gguf_bytes bytes;
    struct kvb_llama_buffers buffers;
    (void)state;
    build_llama(&bytes);
    assert_int_equal(load(&bytes), KVB_OK);
    free(bytes.data);
    struct kvb_llama_run run = {.model = &model,
                                .build = 4277,
                                .backend = KVB_LLAMA_ROCM,
                                .devices = 1,
                                .gpu_layers = 33,
                                .context_tokens = 2048,
                                .sequences = 1,
                                .batch = 2048,
                                .ubatch = 512};
    kvb_llama_lasting_buffers(&run, &buffers);
    assert_in_range(buffers.places[0].model_bytes * 100 >> 20, 440348, 440350);
    assert_in_range(buffers.places[KVB_LLAMA_HOST].model_bytes * 100 >> 20, 28180, 28182);
    run.build = 4783;
    run.gpu_layers = 10;
    kvb_llama_lasting_buffers(&run, &buffers);
    assert_in_range(buffers.places[0].model_bytes * 100 >> 20, 126312, 126314);
}

// A hybrid's header: gated delta nets in three layers of four.
static void test_hybrid(void **state)
{
    static const struct {
        const char *name;
        uint32_t number;
    } rows[] = {{"block_count", 4},
                {"context_length", 4096},
                {"embedding_length", 256},
                {"feed_forward_length", 512},
                {"attention.head_count", 4},
                {"attention.head_count_kv", 2},
                {"attention.key_length", 64},
                {"ssm.conv_kernel", 4},
                {"ssm.state_size", 32},
                {"ssm.group_count", 2},
                {"ssm.time_step_rank", 4},
                {"ssm.inner_size", 128},
                {"vocab_size", 64}};
    struct gguf_bytes bytes;
    (void)state;
    gguf_head(&bytes, 3, 1, sizeof rows / sizeof rows[0] + 1);
    gguf_word(&bytes, "general.architecture", "qwen35");
    for (size_t i = 0; i < sizeof rows / sizeof rows[0]; i++) {
        char name[64];
        (void)snprintf(name, sizeof name, "qwen35.%s", rows[i].name);
        gguf_whole(&bytes, name, rows[i].number);
    }
    matrix(&bytes, "token_embd.weight", F32, 256, 64);
    assert_int_equal(load(&bytes), KVB_OK);
    free(bytes.data);
    assert_string_equal(model.architecture, "Qwen3_5ForCausalLM");
    const struct kvb_attention_shape *shape = &model.kinds[model.kind_of_layer[0]].attention;
    assert_int_equal(shape->kind, KVB_ATTENTION_GDN);
    assert_int_equal(shape->state_value_heads, 4);
    assert_int_equal(shape->state_key_heads, 2);
    assert_int_equal(shape->conv_kernel, 4);
    assert_int_equal(model.kinds[model.kind_of_layer[3]].attention.kind, KVB_ATTENTION_FULL);
}

static void test_llama(void **state)
{
    (void)state;
    struct gguf_bytes bytes;
    char text[32];
    build_llama(&bytes);
    assert_int_equal(load(&bytes), KVB_OK);
    free(bytes.data);
    assert_int_equal(problems.count, 0);
    assert_string_equal(model.architecture, "LlamaForCausalLM");
    assert_int_equal(model.layer_count, 32);
    assert_int_equal(model.hidden_size, 4096);
    assert_int_equal(model.context_tokens, 131072);
    assert_false(model.tied_embeddings);
    assert_int_equal(source.weights_basis, KVB_BASIS_CHECKPOINT);
    // 8,030,261,248: the published count of Llama-3.1-8B; rope_freqs is no parameter.
    assert_int_equal(model.checkpoint.parameters, UINT64_C(8030261248));
    // llama.cpp prints "model size = 4.58 GiB (4.89 BPW)" for this file.
    assert_string_equal(kvb_format_gib(text, (int64_t)model.checkpoint.total_bytes, 2), "4.58");
    uint64_t bits = model.checkpoint.total_bytes * 800 / model.checkpoint.parameters;
    assert_int_equal(bits, 489);
}

// One rank of two holds half of every matrix and the norms at 16 bits.
static struct kvb_plan plan;
static struct kvb_budget whole, half;

static void answer(const char *engine, uint64_t tp, struct kvb_budget *budget)
{
    struct kvb_settings unused = {0};
    memset(&plan, 0, sizeof plan);
    plan.model = model;
    assert_int_equal(kvb_gpu_load("h100-sxm", &plan.gpu, &problems), KVB_OK);
    assert_int_equal(kvb_engine_load(engine, &plan.engine, &unused, &problems), KVB_OK);
    kvb_settings_set(&plan.settings, KVB_SET_TENSOR_PARALLEL_SIZE, tp, KVB_ORIGIN_FLAG);
    assert_int_equal(kvb_budget_compute(&plan, budget, &problems), KVB_OK);
}

static void test_ranks(void **state)
{
    (void)state;
    struct gguf_bytes bytes;
    build_llama(&bytes);
    assert_int_equal(load(&bytes), KVB_OK);
    free(bytes.data);
    answer("vllm@0.11.0", 1, &whole);
    answer("vllm@0.11.0", 2, &half);
    assert_int_equal(whole.items[KVB_ITEM_WEIGHTS].basis, KVB_BASIS_CHECKPOINT);
    // Embedding: 128256 x 4096 at 4.5 bits; head at 6.5625.
    assert_int_equal(whole.weights.role_bytes[KVB_ROLE_EMBEDDING], UINT64_C(128256) * 4096 * 9 / 16);
    assert_int_equal(whole.weights.role_bytes[KVB_ROLE_HEAD], UINT64_C(128256) * 4096 * 105 / 128);
    assert_int_equal(half.weights.role_bytes[KVB_ROLE_HEAD], UINT64_C(128256) * 4096 * 105 / 256);
    // 65 norms of 4096, stored as F32, loaded at 16 bits on both ranks.
    assert_int_equal(whole.weights.role_bytes[KVB_ROLE_NORM], 65 * 4096 * 2);
    assert_int_equal(half.weights.role_bytes[KVB_ROLE_NORM], 65 * 4096 * 2);
    // Per layer gate and up at 4.5 bits, down at 6.5625 in half of the 32 layers.
    uint64_t one = UINT64_C(4096) * 14336;
    uint64_t mlp = 32 * 2 * (one * 9 / 16) + 16 * (one * 9 / 16) + 16 * (one * 105 / 128);
    assert_int_equal(whole.weights.role_bytes[KVB_ROLE_MLP], mlp);
    assert_int_equal(half.weights.role_bytes[KVB_ROLE_MLP], mlp / 2);
    // The fused query, key and value rows are as wide as the widest: Q6_K in half of the layers, because of the
    // values; the output projection stays at 4.5 bits.
    uint64_t fused = UINT64_C(6144) * 4096, output = UINT64_C(4096) * 4096;
    uint64_t attention = 16 * (fused * 105 / 128) + 16 * (fused * 9 / 16) + 32 * (output * 9 / 16);
    assert_int_equal(whole.weights.role_bytes[KVB_ROLE_ATTENTION], attention);
}

// github.com/vllm-project/vllm issue 15018: DeepSeek-R1-Distill-Qwen-32B-Q4_K_M, "Model loading took
// 18.9082 GB". The tensors alone are 18.48 GiB, as llama.cpp prints for this mixture.
static void test_a_real_start(void **state)
{
    (void)state;
    struct gguf_bytes bytes;
    char text[32];
    build_dense(&bytes, &qwen_32b);
    assert_int_equal(load(&bytes), KVB_OK);
    free(bytes.data);
    assert_int_equal(problems.count, 0);
    assert_string_equal(kvb_format_gib(text, (int64_t)model.checkpoint.total_bytes, 2), "18.48");
    answer("vllm@0.7.3", 1, &whole);
    uint64_t logged = UINT64_C(189082) * (KVB_GIB / 10000);
    assert_in_range(whole.weights.total_bytes, logged - logged / 100, logged + logged / 100);
}

// A profile made from the file keeps the mixture's size: total over parameters for every element.
static void test_import(void **state)
{
    (void)state;
    struct gguf_bytes bytes;
    char *text = NULL;
    size_t length = 0;
    build_llama(&bytes);
    assert_int_equal(load(&bytes), KVB_OK);
    free(bytes.data);
    uint64_t total = model.checkpoint.total_bytes;
    answer("vllm@0.11.0", 1, &whole);
    assert_int_equal(kvb_model_import(path, NULL, NULL, &text, &length, &problems), KVB_OK);
    assert_non_null(strstr(text, "checkpoint:\n  format: gguf\n  total_bytes: 4912898304\n"));
    assert_int_equal(kvb_model_read_profile("p.yaml", text, length, &model, &problems), KVB_OK);
    free(text);
    assert_int_equal(model.checkpoint.kind, KVB_CHECKPOINT_GGUF);
    assert_int_equal(model.checkpoint.total_bytes, total);
    answer("vllm@0.11.0", 2, &half);
    assert_in_range(half.weights.total_bytes * 2, total - total / 50, total + total / 50);
    answer("vllm@0.11.0", 1, &half);
    assert_in_range(half.weights.total_bytes, total - total / 50, total + total / 50);
}

// Experts lie in one tensor a layer; the classes keep them apart.
static void test_experts(void **state)
{
    (void)state;
    struct gguf_bytes bytes;
    gguf_head(&bytes, 2, 5, 9);
    gguf_word(&bytes, "general.architecture", "qwen3moe");
    gguf_whole(&bytes, "qwen3moe.block_count", 1);
    gguf_whole(&bytes, "qwen3moe.context_length", 4096);
    gguf_whole(&bytes, "qwen3moe.embedding_length", 256);
    gguf_whole(&bytes, "qwen3moe.attention.head_count", 4);
    gguf_whole(&bytes, "qwen3moe.expert_count", 8);
    gguf_whole(&bytes, "qwen3moe.expert_used_count", 2);
    gguf_whole(&bytes, "qwen3moe.expert_feed_forward_length", 512);
    gguf_text(&bytes, "tokenizer.ggml.tokens");
    gguf_number(&bytes, 9, 4); // a list
    gguf_number(&bytes, 8, 4); // of texts
    gguf_number(&bytes, 64, 8);
    for (int i = 0; i < 64; i++) {
        gguf_text(&bytes, "token");
    }
    uint64_t stored = UINT64_C(8) * 512 * 256 / 256 * 144;
    matrix(&bytes, "token_embd.weight", F32, 256, 64);
    gguf_tensor(&bytes, "blk.0.ffn_gate_exps.weight", Q4_K, 256, 512, 8, stored);
    gguf_tensor(&bytes, "blk.0.ffn_up_exps.weight", Q4_K, 256, 512, 8, stored);
    gguf_tensor(&bytes, "blk.0.ffn_down_exps.weight", Q4_K, 512, 256, 8, stored);
    matrix(&bytes, "output_norm.weight", F32, 256, 0);
    assert_int_equal(load(&bytes), KVB_OK);
    free(bytes.data);
    assert_string_equal(model.architecture, "Qwen3MoeForCausalLM");
    assert_int_equal(model.vocabulary_size, 64);
    assert_true(model.tied_embeddings);
    assert_int_equal(model.kinds[0].mlp.experts, 8);
    assert_int_equal(model.checkpoint.role_bytes[KVB_ROLE_EXPERTS], 3 * stored);
    const struct kvb_tensor_class *row = &model.checkpoint.classes[1];
    assert_int_equal(row->split, KVB_SPLIT_EXPERTS_ROWS);
    assert_int_equal(row->rows, 512);
    assert_int_equal(row->columns, 256);
    assert_string_equal(row->name, "ffn_gate_exps.weight"); // a class of its own, as each name
    assert_int_equal(row->count, 8);
}

typedef void builder(struct gguf_bytes *out);

static void no_magic(struct gguf_bytes *out)
{
    memset(out, 0, sizeof *out);
    gguf_raw(out, "GGML0000000000000000000000000000", 32);
}
static void empty(struct gguf_bytes *out)
{
    memset(out, 0, sizeof *out);
    gguf_raw(out, "", 0);
}
static void big_endian(struct gguf_bytes *out)
{
    gguf_head(out, 0x03000000, 0, 0);
}
static void many_tensors(struct gguf_bytes *out)
{
    gguf_head(out, 3, UINT64_C(1) << 62, 0);
}
static void long_key(struct gguf_bytes *out)
{
    gguf_head(out, 3, 0, 1);
    gguf_number(out, UINT64_MAX, 8);
    gguf_raw(out, "0123456789", 10);
}
static void unknown_value(struct gguf_bytes *out)
{
    gguf_head(out, 3, 0, 1);
    gguf_text(out, "some.key");
    gguf_number(out, 77, 4);
    gguf_number(out, 0, 8);
}
static void long_list(struct gguf_bytes *out)
{
    gguf_head(out, 3, 0, 1);
    gguf_text(out, "some.key");
    gguf_number(out, 9, 4);
    gguf_number(out, 8, 4);
    gguf_number(out, UINT64_C(1) << 61, 8);
}
static void nested_lists(struct gguf_bytes *out)
{
    gguf_head(out, 3, 0, 1);
    gguf_text(out, "some.key");
    gguf_number(out, 9, 4);
    for (int i = 0; i < 20; i++) {
        gguf_number(out, 9, 4);
        gguf_number(out, 1, 8);
    }
}
static void odd_alignment(struct gguf_bytes *out)
{
    gguf_head(out, 3, 0, 1);
    gguf_whole(out, "general.alignment", 33);
}
static void word_for_number(struct gguf_bytes *out)
{
    gguf_head(out, 3, 0, 1);
    gguf_word(out, "llama.block_count", "many");
}
static void one_tensor(struct gguf_bytes *out, uint32_t type, uint64_t columns, uint64_t rows)
{
    gguf_head(out, 3, 1, 0);
    gguf_tensor(out, "a", type, columns, rows, 0, 0);
}
static void unknown_format(struct gguf_bytes *out)
{
    one_tensor(out, 4, 256, 1);
}
static void part_of_a_block(struct gguf_bytes *out)
{
    one_tensor(out, Q4_K, 255, 1);
}
static void endless_shape(struct gguf_bytes *out)
{
    one_tensor(out, F32, UINT64_C(1) << 40, UINT64_C(1) << 40);
}
static void beyond_the_end(struct gguf_bytes *out)
{
    one_tensor(out, F32, 1 << 20, 1 << 10);
}
static void five_dimensions(struct gguf_bytes *out)
{
    gguf_head(out, 3, 1, 0);
    gguf_text(out, "a");
    gguf_number(out, 5, 4);
    for (int i = 0; i < 8; i++) {
        gguf_number(out, 1, 8);
    }
}
static void overlapping(struct gguf_bytes *out)
{
    gguf_head(out, 3, 2, 0);
    gguf_tensor(out, "a", F32, 64, 0, 0, 0); // the next begins where this one does
    gguf_tensor(out, "b", F32, 64, 0, 0, 512);
}
static void twice(struct gguf_bytes *out)
{
    gguf_head(out, 3, 2, 0);
    matrix(out, "a", F32, 64, 0);
    matrix(out, "a", F32, 64, 0);
}
static void no_blocks(struct gguf_bytes *out)
{
    gguf_head(out, 3, 0, 1);
    gguf_word(out, "general.architecture", "llama");
}
static void no_architecture(struct gguf_bytes *out)
{
    gguf_head(out, 3, 0, 0);
}
static void unknown_architecture(struct gguf_bytes *out)
{
    gguf_head(out, 3, 0, 1);
    gguf_word(out, "general.architecture", "lama");
}
static void one_of_parts(struct gguf_bytes *out)
{
    gguf_head(out, 3, 0, 1);
    gguf_whole(out, "split.count", 3);
}

struct bad {
    builder *build;
    enum kvb_status status;
    const char *part;
};
static const struct bad bad_rows[] = {
    {no_magic, KVB_BAD_SYNTAX, "expected it to begin with the letters GGUF"},
    {empty, KVB_BAD_SYNTAX, "expected it to begin with the letters GGUF"},
    {big_endian, KVB_UNKNOWN_KIND, "little-endian"},
    {many_tensors, KVB_BAD_SYNTAX, "the file ends at byte"},
    {long_key, KVB_BAD_SYNTAX, "18446744073709551615 more bytes are expected"},
    {unknown_value, KVB_UNKNOWN_KIND, "unknown metadata type 77"},
    {long_list, KVB_BAD_SYNTAX, "the file ends at byte"},
    {nested_lists, KVB_NOT_ALLOWED, "nested deeper"},
    {odd_alignment, KVB_OUT_OF_RANGE, "general.alignment is 33"},
    {word_for_number, KVB_BAD_TYPE, "llama.block_count: expected a whole number"},
    {unknown_format, KVB_UNKNOWN_KIND, "unknown format 4"},
    {part_of_a_block, KVB_INDIVISIBLE, "rows of 255 elements are no whole blocks of Q4_K (256)"},
    {endless_shape, KVB_OVERFLOW, "more than any machine holds"},
    {beyond_the_end, KVB_OUT_OF_RANGE, "it is cut short"},
    {five_dimensions, KVB_OUT_OF_RANGE, "5 dimensions"},
    {overlapping, KVB_CONTRADICTION, "begins at byte 0 of the data, expected 256"},
    {twice, KVB_DUPLICATE_KEY, "tensor 'a' is there twice"},
    {no_blocks, KVB_MISSING_KEY, "no 'llama.block_count'"},
    {no_architecture, KVB_MISSING_KEY, "no 'general.architecture'"},
    {unknown_architecture, KVB_UNKNOWN_KIND, "'lama' is not known, nearest is llama"},
    {one_of_parts, KVB_NOT_ALLOWED, "one of 3 parts; give the first"},
};

static void test_lies(void **state)
{
    (void)state;
    for (size_t i = 0; i < sizeof bad_rows / sizeof bad_rows[0]; i++) {
        struct gguf_bytes bytes;
        bad_rows[i].build(&bytes);
        enum kvb_status status = load(&bytes);
        free(bytes.data);
        if (status != bad_rows[i].status || problems.count != 1 ||
            strstr(problems.items[0].text, bad_rows[i].part) == NULL) {
            fail_msg("row %zu (%s): %s: %s", i, bad_rows[i].part, kvb_status_name(status),
                     problems.count ? problems.items[0].text : "");
        }
    }
}

// Cut anywhere, the file is refused with one sentence.
static void test_cut_short(void **state)
{
    (void)state;
    struct gguf_bytes bytes;
    build_llama(&bytes);
    for (size_t length = 0; length < bytes.length; length += length < 600 ? 1 : 997) {
        struct kvb_open_file file;
        struct kvb_gguf gguf;
        struct kvb_collector collector;
        kvb_problems_init(&problems);
        kvb_open_memory(&file, "cut.gguf", bytes.data, length);
        assert_int_equal(kvb_collect_begin(&collector, &checkpoint, KVB_CHECKPOINT_GGUF, 0, &problems), KVB_OK);
        assert_int_not_equal(kvb_gguf_read(&file, &gguf, kvb_collect, &collector, &problems), KVB_OK);
        assert_int_equal(problems.count, 1);
        kvb_collect_end(&collector);
    }
    free(bytes.data);
}

static void test_split_model(void **state)
{
    (void)state;
    char first[96], second[96];
    struct gguf_bytes bytes;
    (void)snprintf(first, sizeof first, "/tmp/kvbudget-%ld-00001-of-00002.gguf", (long)getpid());
    (void)snprintf(second, sizeof second, "/tmp/kvbudget-%ld-00002-of-00002.gguf", (long)getpid());
    gguf_head(&bytes, 3, 1, 9);
    dense_values(&bytes, &llama_8b);
    gguf_whole(&bytes, "split.count", 2);
    matrix(&bytes, "token_embd.weight", Q4_K, 4096, 128256);
    write_file(first, &bytes);
    free(bytes.data);
    kvb_problems_init(&problems);
    assert_int_equal(kvb_model_load(first, NULL, &model, &source, &problems), KVB_CANNOT_OPEN);
    gguf_head(&bytes, 3, 1, 1);
    gguf_whole(&bytes, "split.count", 2);
    matrix(&bytes, "output.weight", Q6_K, 4096, 128256);
    write_file(second, &bytes);
    free(bytes.data);
    kvb_problems_init(&problems);
    assert_int_equal(kvb_model_load(first, NULL, &model, &source, &problems), KVB_OK);
    assert_int_equal(model.checkpoint.tensor_count, 2);
    assert_int_equal(model.checkpoint.file_count, 2);
    assert_false(model.tied_embeddings); // the head lies in the second part
    (void)unlink(first);
    (void)unlink(second);
}

static void test_memory_runs_out(void **state)
{
    (void)state;
    struct gguf_bytes bytes;
    enum kvb_status status = KVB_NO_MEMORY;
    build_llama(&bytes);
    write_file(path, &bytes);
    free(bytes.data);
    for (unsigned long n = 1; status == KVB_NO_MEMORY; n++) {
        kvb_problems_init(&problems);
        kvb_memory_fail_after(n);
        status = kvb_model_load(path, NULL, &model, &source, &problems);
        kvb_memory_fail_after(0);
        assert_true(status == KVB_OK || problems.count > 0);
        assert_true(n < 1000);
    }
    assert_int_equal(status, KVB_OK);
}

KVB_TEST_MAIN_WITH(make_path, remove_path, cmocka_unit_test(test_formats), cmocka_unit_test(test_llama),
                   cmocka_unit_test(test_on_devices), cmocka_unit_test(test_hybrid), cmocka_unit_test(test_ranks),
                   cmocka_unit_test(test_a_real_start), cmocka_unit_test(test_experts), cmocka_unit_test(test_import),
                   cmocka_unit_test(test_lies), cmocka_unit_test(test_cut_short), cmocka_unit_test(test_split_model),
                   cmocka_unit_test(test_memory_runs_out))
