// GGUF piece by piece: each kind of value as it is read, and metadata as the config.json of the same model.
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "base/checked.h"
#include "gguf_bytes.h"
#include "model/checkpoint/gguf.h"
#include "unit/test.h"

static struct kvb_problems problems;
static struct kvb_gguf gguf;

static enum kvb_status take(void *context, const struct kvb_stored_tensor *tensor, struct kvb_problems *own)
{
    (void)context;
    (void)tensor;
    (void)own;
    return KVB_OK;
}

static enum kvb_status read_bytes(const struct gguf_bytes *bytes, size_t length)
{
    struct kvb_open_file file;
    kvb_problems_init(&problems);
    kvb_open_memory(&file, "m.gguf", bytes->data, length);
    return kvb_gguf_read(&file, &gguf, take, NULL, &problems);
}

// ---- values

enum { U8, I8, U16, I16, U32, I32, FLOAT32, BOOL, TEXT, LIST, U64, I64, FLOAT64 }; // ggml/include/gguf.h, gguf_type
static const unsigned type_bytes[] = {1, 1, 2, 2, 4, 4, 4, 1, 0, 0, 8, 8, 8};

// One value of metadata; of a list `count` numbers that begin with `number` and grow by `step`.
struct value_row {
    const char *key;
    uint32_t type, inner, count;
    uint64_t number, step;
    enum kvb_status status;
    const char *says; // of a refusal, or NULL
    bool set, varies;
    uint64_t got; // of block_count
};

static void add_value(struct gguf_bytes *bytes, const struct value_row *row)
{
    gguf_text(bytes, row->key);
    gguf_number(bytes, row->type, 4);
    if (row->type != LIST) {
        gguf_number(bytes, row->number, type_bytes[row->type]);
        return;
    }
    gguf_number(bytes, row->inner, 4);
    gguf_number(bytes, row->count, 8);
    for (uint32_t i = 0; i < row->count; i++) {
        if (row->inner == TEXT) {
            gguf_text(bytes, "word");
        } else {
            gguf_number(bytes, row->number + i * row->step, type_bytes[row->inner]);
        }
    }
}

static const struct value_row value_rows[] = {
    {.key = "a.block_count", .type = U8, .number = 7, .set = true, .got = 7},
    {.key = "a.block_count", .type = U16, .number = 700, .set = true, .got = 700},
    {.key = "a.block_count", .type = I32, .number = 70000, .set = true, .got = 70000},
    {.key = "a.block_count", .type = U64, .number = 5000000000, .set = true, .got = 5000000000},
    {.key = "a.block_count", .type = I8, .number = 0x80, .set = true, .got = KVB_SATURATED}, // below nothing
    {.key = "a.block_count", .type = I16, .number = 0xffff, .set = true, .got = KVB_SATURATED},
    {.key = "a.block_count", .type = I64, .number = UINT64_MAX, .set = true, .got = KVB_SATURATED},
    {.key = "a.block_count", .type = LIST, .inner = I32, .count = 3, .number = 8, .set = true, .got = 8},
    {.key = "a.block_count",
     .type = LIST,
     .inner = U8,
     .count = 3,
     .number = 8,
     .step = 1,
     .set = true,
     .varies = true,
     .got = 10},
    {.key = "a.block_count", .type = LIST, .inner = FLOAT32, .count = 2},
    {.key = "a.block_count", .type = LIST, .inner = TEXT, .count = 2},
    {.key = "a.block_count", .type = LIST, .inner = U64, .count = 0},
    {.key = "a.block_count",
     .type = BOOL,
     .number = 1,
     .status = KVB_BAD_TYPE,
     .says = "byte 49: a.block_count: expected a whole number"},
    {.key = "a.block_count",
     .type = LIST,
     .inner = 77,
     .status = KVB_UNKNOWN_KIND,
     .says = "byte 61: unknown metadata type 77"},
    {.key = "general.architecture",
     .type = U32,
     .number = 1,
     .status = KVB_BAD_TYPE,
     .says = "byte 56: general.architecture: expected a text"},
    {.key = "clip.projector_type",
     .type = I32,
     .status = KVB_BAD_TYPE,
     .says = "byte 55: clip.projector_type: expected a text"},
    {.key = "general.alignment",
     .type = FLOAT64,
     .status = KVB_BAD_TYPE,
     .says = "byte 53: general.alignment: expected a whole number"},
    {.key = "general.alignment",
     .type = U32,
     .number = 0,
     .status = KVB_OUT_OF_RANGE,
     .says = "byte 57: general.alignment is 0; expected a power of two up to 65536"},
    {.key = "general.alignment",
     .type = U32,
     .number = 131072,
     .status = KVB_OUT_OF_RANGE,
     .says = "byte 57: general.alignment is 131072; expected a power of two up to 65536"},
    {.key = "tokenizer.ggml.tokens", .type = U32, .number = 3},
    {.key = "tokenizer.ggml.scores", .type = LIST, .inner = FLOAT32, .count = 4},
    {.key = "tokenizer.ggml.merges", .type = LIST, .inner = TEXT, .count = 4},
    {.key = "no dot at all", .type = FLOAT64, .number = 3},
};

static void each_value(void **state)
{
    (void)state;
    for (size_t i = 0; i < sizeof value_rows / sizeof value_rows[0]; i++) {
        const struct value_row *row = &value_rows[i];
        struct gguf_bytes bytes;
        gguf_head(&bytes, 3, 0, 1);
        add_value(&bytes, row);
        enum kvb_status status = read_bytes(&bytes, bytes.length);
        const struct kvb_gguf_value *got = &gguf.values[GGUF_BLOCKS];
        bool wrong = status != row->status || problems.count != (row->says != NULL);
        wrong = wrong || (row->says != NULL && strcmp(problems.items[0].text, row->says) != 0);
        wrong = wrong ||
                (row->says == NULL && (got->set != row->set || got->varies != row->varies || got->number != row->got));
        if (wrong) {
            fail_msg("row %zu: %s, %d %d %llu: %s", i, kvb_status_name(status), got->set, got->varies,
                     (unsigned long long)got->number, problems.items[0].text);
        }
        free(bytes.data);
    }
}

// ---- every kind of value, cut anywhere

static void add_long_text(struct gguf_bytes *bytes, size_t length)
{
    gguf_number(bytes, length, 8);
    for (size_t i = 0; i < length; i++) {
        gguf_raw(bytes, "x", 1);
    }
}

static void build_all(struct gguf_bytes *bytes)
{
    static const struct value_row some[] = {
        {.key = "a.block_count", .type = LIST, .inner = I32, .count = 3, .number = 8},
        {.key = "a.embedding_length", .type = U64, .number = 64},
        {.key = "tokenizer.ggml.tokens", .type = LIST, .inner = TEXT, .count = 3},
        {.key = "tokenizer.ggml.scores", .type = LIST, .inner = FLOAT32, .count = 3},
        {.key = "general.alignment", .type = U32, .number = 64},
    };
    gguf_head(bytes, 2, 6, 9);
    for (size_t i = 0; i < sizeof some / sizeof some[0]; i++) {
        add_value(bytes, &some[i]);
    }
    gguf_word(bytes, "general.architecture", "clip");
    gguf_word(bytes, "clip.projector_type", "qwen3vl_merger");
    gguf_word(bytes, "clip.vision.projector_type", "pixtral");
    add_long_text(bytes, 5000); // a key that nobody has, with a text
    gguf_number(bytes, TEXT, 4);
    add_long_text(bytes, 3);
    static const char *const names[] = {
        "output.weight",           "blk.0.attn_q.bias",        "v.blk.0.attn_qkv.weight",
        "v.blk.0.ffn_gate.weight", "v.deepstack.0.fc1.weight", "blk.0.exp_probs_b.bias"};
    for (size_t i = 0; i < sizeof names / sizeof names[0]; i++) {
        gguf_tensor(bytes, names[i], 0, 16, 0, 0, 64);
        bytes->data_offset = (i + 1) * 64;
    }
}

static void all_kinds_cut_anywhere(void **state)
{
    (void)state;
    static unsigned char nothing[2048];
    struct gguf_bytes bytes;
    build_all(&bytes);
    size_t head = bytes.length, whole = (head + 63) / 64 * 64 + 6 * 64;
    gguf_raw(&bytes, nothing, sizeof nothing);
    assert_int_equal(read_bytes(&bytes, whole), KVB_OK);
    assert_int_equal(gguf.values[GGUF_BLOCKS].number, 8);
    assert_int_equal(gguf.token_count, 3);
    assert_string_equal(gguf.architecture, "clip");
    assert_string_equal(gguf.projector, "pixtral");
    assert_true(gguf.has_output && gguf.has_query_bias && gguf.has_fused_pictures && gguf.has_gated_pictures);
    assert_true(gguf.has_correction_bias);
    assert_int_equal(gguf.deepstack_levels, 1);
    for (size_t length = 0; length < whole; length++) {
        assert_int_not_equal(read_bytes(&bytes, length), KVB_OK);
        assert_int_equal(problems.count, 1);
        assert_true(problems.items[0].text[0] != '\0');
    }
    free(bytes.data);
}

static void names_too_long(void **state)
{
    (void)state;
    struct gguf_bytes bytes;
    gguf_head(&bytes, 3, 1, 0);
    add_long_text(&bytes, 5000);
    gguf_number(&bytes, 0, 8); // no dimensions, in F32
    gguf_number(&bytes, 0, 8);
    assert_int_equal(read_bytes(&bytes, bytes.length), KVB_OUT_OF_RANGE);
    assert_non_null(strstr(problems.items[0].text, ": a tensor's name is longer than 511 bytes: 'xxxx"));
    free(bytes.data);
    gguf_head(&bytes, 3, 0, 1);
    gguf_text(&bytes, "general.architecture");
    gguf_number(&bytes, TEXT, 4);
    add_long_text(&bytes, 64);
    assert_int_equal(read_bytes(&bytes, bytes.length), KVB_OUT_OF_RANGE);
    assert_string_equal(problems.items[0].text, "byte 128: general.architecture: too long");
    free(bytes.data);
}

// Metadata that ends behind 100 MB; the file is a hole.
static void metadata_without_end(void **state)
{
    (void)state;
    struct gguf_bytes bytes;
    struct kvb_open_file file;
    gguf_head(&bytes, 3, 0, 1);
    gguf_text(&bytes, "some.key");
    gguf_number(&bytes, TEXT, 4);
    gguf_number(&bytes, 100000000, 8);
    FILE *out = fopen(path, "wb");
    assert_non_null(out);
    assert_int_equal(fwrite(bytes.data, 1, bytes.length, out), bytes.length);
    assert_int_equal(fclose(out), 0);
    assert_int_equal(truncate(path, 200000000), 0);
    kvb_problems_init(&problems);
    assert_int_equal(kvb_file_open(&file, path, &problems), KVB_OK);
    assert_int_equal(kvb_gguf_read(&file, &gguf, take, NULL, &problems), KVB_TOO_LARGE);
    assert_string_equal(problems.items[0].text,
                        "byte 52: its metadata and tensor table are longer than 100000000 bytes");
    kvb_close_file(&file);
    free(bytes.data);
}

// ---- as a config.json

struct number {
    enum kvb_gguf_key key;
    uint64_t number;
};
struct config_row {
    const char *architecture;
    struct number more[14];
    bool has_output, has_query_bias, has_correction_bias;
    const char *expected; // behind the numbers of every model; or the refusal
    enum kvb_status status;
};

// Keys by convert_hf_to_gguf.py of llama.cpp; every row has 4 blocks of 64, 8 heads and a context of 512 before its
// own.
#define BEGINS(class, type)                                                                                            \
    "{\"architectures\": [\"" class "\"], \"model_type\": \"" type "\", \"torch_dtype\": \"float16\", "
#define SHAPE "\"num_hidden_layers\": 4, \"hidden_size\": 64, \"num_attention_heads\": 8, "
#define ENDS ", \"quantization_config\": {\"quant_method\": \"gguf\"}}\n"
static const struct config_row config_rows[] = {
    {.architecture = "llama",
     .more = {{GGUF_KEY_LENGTH, 32}, {GGUF_VOCABULARY, 100}},
     .has_query_bias = true,
     .expected = BEGINS("LlamaForCausalLM", "llama") SHAPE
     "\"max_position_embeddings\": 512, \"head_dim\": 32, \"vocab_size\": 100, \"tie_word_embeddings\": true, "
     "\"attention_bias\": true" ENDS},
    {.architecture = "llama",
     .more = {{GGUF_EXPERTS, 8}, {GGUF_EXPERTS_USED, 2}, {GGUF_VOCABULARY, 100}},
     .has_output = true,
     .expected = BEGINS("MixtralForCausalLM", "llama") SHAPE
     "\"max_position_embeddings\": 512, \"num_experts_per_tok\": 2, \"num_local_experts\": 8, \"vocab_size\": 100, "
     "\"tie_word_embeddings\": false" ENDS},
    {.architecture = "gpt-oss",
     .more = {{GGUF_EXPERTS, 32}, {GGUF_WINDOW, 128}, {GGUF_VOCABULARY, 100}},
     .expected = BEGINS("GptOssForCausalLM", "gpt_oss") SHAPE
     "\"max_position_embeddings\": 512, \"sliding_window\": 128, \"num_local_experts\": 32, \"vocab_size\": 100, "
     "\"tie_word_embeddings\": true" ENDS},
    {.architecture = "qwen3moe",
     .more = {{GGUF_EXPERTS, 16}, {GGUF_NEXTN, 1}, {GGUF_VOCABULARY, 100}},
     .expected = BEGINS("Qwen3MoeForCausalLM",
                        "qwen3_moe") "\"num_hidden_layers\": 3, \"hidden_size\": 64, \"num_attention_heads\": 8, "
                                     "\"max_position_embeddings\": 512, \"num_experts\": 16, "
                                     "\"num_nextn_predict_layers\": 1, \"vocab_size\": 100, "
                                     "\"tie_word_embeddings\": true" ENDS},
    // Latent attention keeps one head of keys: the config's heads are those that ask.
    {.architecture = "deepseek2",
     .more = {{GGUF_KV_HEADS, 1},
              {GGUF_EXPERTS, 16},
              {GGUF_LATENT_RANK, 512},
              {GGUF_KEY_LENGTH, 192},
              {GGUF_VALUE_LENGTH, 128},
              {GGUF_ROPE_DIMENSIONS, 64},
              {GGUF_VOCABULARY, 100}},
     .expected = BEGINS("DeepseekV2ForCausalLM", "deepseek_v2") SHAPE
     "\"num_key_value_heads\": 8, \"max_position_embeddings\": 512, \"kv_lora_rank\": 512, \"n_routed_experts\": 16, "
     "\"qk_rope_head_dim\": 64, \"qk_nope_head_dim\": 128, \"v_head_dim\": 128, \"vocab_size\": 100, "
     "\"tie_word_embeddings\": true" ENDS},
    {.architecture = "deepseek2",
     .more = {{GGUF_LATENT_RANK, 512},
              {GGUF_KEY_LENGTH, 576},
              {GGUF_VALUE_LENGTH, 512},
              {GGUF_KEY_LENGTH_MLA, 192},
              {GGUF_VALUE_LENGTH_MLA, 128},
              {GGUF_ROPE_DIMENSIONS, 64},
              {GGUF_VOCABULARY, 100}},
     .has_output = true,
     .has_correction_bias = true,
     .expected = BEGINS("DeepseekV3ForCausalLM", "deepseek_v2") SHAPE
     "\"max_position_embeddings\": 512, \"kv_lora_rank\": 512, \"qk_rope_head_dim\": 64, \"qk_nope_head_dim\": 128, "
     "\"v_head_dim\": 128, \"vocab_size\": 100, \"tie_word_embeddings\": false, \"topk_method\": \"noaux_tc\"" ENDS},
    {.architecture = "deepseek2", // a key that is all position says nothing of its other part
     .more = {{GGUF_LATENT_RANK, 512}, {GGUF_KEY_LENGTH, 64}, {GGUF_ROPE_DIMENSIONS, 64}, {GGUF_VOCABULARY, 100}},
     .expected = BEGINS("DeepseekV2ForCausalLM", "deepseek_v2") SHAPE
     "\"max_position_embeddings\": 512, \"kv_lora_rank\": 512, \"head_dim\": 64, \"vocab_size\": 100, "
     "\"tie_word_embeddings\": true" ENDS},
    {.architecture = "qwen35",
     .more = {{GGUF_STATE_GROUPS, 2},
              {GGUF_STATE_HEADS, 4},
              {GGUF_STATE_SIZE, 16},
              {GGUF_STATE_INNER, 64},
              {GGUF_STATE_CONV, 4},
              {GGUF_FULL_INTERVAL, 2},
              {GGUF_VOCABULARY, 100}},
     .expected = BEGINS("Qwen3_5ForCausalLM", "qwen3_5_text") SHAPE
     "\"max_position_embeddings\": 512, \"linear_num_key_heads\": 2, \"linear_num_value_heads\": 4, "
     "\"linear_key_head_dim\": 16, \"linear_value_head_dim\": 16, \"linear_conv_kernel_dim\": 4, "
     "\"full_attention_interval\": 2, \"vocab_size\": 100, \"tie_word_embeddings\": true" ENDS},
    {.architecture = "qwen35", // groups without heads are no state
     .more = {{GGUF_STATE_GROUPS, 2}, {GGUF_VOCABULARY, 100}},
     .expected = BEGINS("Qwen3_5ForCausalLM", "qwen3_5_text") SHAPE
     "\"max_position_embeddings\": 512, \"vocab_size\": 100, \"tie_word_embeddings\": true" ENDS},
    {.architecture = "qwen2",
     .more = {{GGUF_NEXTN, 4}, {GGUF_VOCABULARY, 100}},
     .expected = "'qwen2.nextn_predict_layers' is 4 of 4 blocks: none is left",
     .status = KVB_CONTRADICTION},
    {.architecture = "qwen2",
     .expected = "its metadata has neither 'qwen2.vocab_size' nor a list of tokens",
     .status = KVB_MISSING_KEY},
    {.architecture = "zzzzzzzzzzzzzzzz",
     .expected = "GGUF architecture 'zzzzzzzzzzzzzzzz' is not known; give the folder with the model's config.json",
     .status = KVB_UNKNOWN_KIND},
};

static void set_number(enum kvb_gguf_key key, uint64_t number)
{
    gguf.values[key] = (struct kvb_gguf_value){.set = true, .number = number};
}

static enum kvb_status write_row(const struct config_row *row, struct kvb_buffer *text)
{
    memset(&gguf, 0, sizeof gguf);
    kvb_problems_init(&problems);
    kvb_buffer_init(text);
    (void)snprintf(gguf.architecture, sizeof gguf.architecture, "%s", row->architecture);
    set_number(GGUF_BLOCKS, 4);
    set_number(GGUF_EMBEDDING, 64);
    set_number(GGUF_HEADS, 8);
    set_number(GGUF_CONTEXT, 512);
    for (size_t i = 0; i < sizeof row->more / sizeof row->more[0] && row->more[i].number > 0; i++) {
        set_number(row->more[i].key, row->more[i].number);
    }
    gguf.has_output = row->has_output;
    gguf.has_query_bias = row->has_query_bias;
    gguf.has_correction_bias = row->has_correction_bias;
    return kvb_gguf_config(&gguf, "m.gguf", text, &problems);
}

static void each_config(void **state)
{
    (void)state;
    for (size_t i = 0; i < sizeof config_rows / sizeof config_rows[0]; i++) {
        const struct config_row *row = &config_rows[i];
        struct kvb_buffer text;
        enum kvb_status status = write_row(row, &text);
        const char *got = status == KVB_OK ? text.data : problems.items[0].text;
        if (status != row->status || problems.count != (row->status != KVB_OK) || strcmp(got, row->expected) != 0) {
            fail_msg("row %zu: %s: %s, not %s", i, kvb_status_name(status), got, row->expected);
        }
        kvb_buffer_free(&text);
    }
}

static void values_that_vary(void **state)
{
    (void)state;
    struct kvb_buffer text;
    (void)write_row(&config_rows[0], &text);
    kvb_buffer_free(&text);
    gguf.values[GGUF_KV_HEADS] = (struct kvb_gguf_value){.set = true, .varies = true, .number = 8};
    assert_int_equal(kvb_gguf_config(&gguf, "m.gguf", &text, &problems), KVB_UNKNOWN_KIND);
    assert_string_equal(
        problems.items[0].text,
        "'llama.attention.head_count_kv' differs from layer to layer, which cannot be read from GGUF here; "
        "give the folder with the model's config.json");
}

KVB_TEST_MAIN_WITH(make_path, remove_path, cmocka_unit_test(each_value), cmocka_unit_test(all_kinds_cut_anywhere),
                   cmocka_unit_test(names_too_long), cmocka_unit_test(metadata_without_end),
                   cmocka_unit_test(each_config), cmocka_unit_test(values_that_vary))
