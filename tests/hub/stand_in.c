// Writes checkpoints without values: a small one, and one laid out as deepseek-ai/DeepSeek-V3 (163 shards, 91,991
// tensors), whose files have their true sizes and hold only their headers.
// A GGUF file beside them has a header longer than what is asked for first.
//   stand_in small|large FOLDER
#include <errno.h>
#include <inttypes.h>
#include <stdarg.h>
#include <stdbool.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#define TENSORS_MAX 100000
#define HEADER_MAX (1 << 20)

struct tensor {
    char name[112];
    const char *element;
    unsigned bytes; // of an element
    uint64_t rows, columns;
};
struct layout {
    uint32_t count, shards;
    struct tensor tensors[TENSORS_MAX];
};

__attribute__((format(printf, 6, 7))) static void add(struct layout *layout, const char *element, unsigned bytes,
                                                      uint64_t rows, uint64_t columns, const char *format, ...)
{
    if (layout->count == TENSORS_MAX) {
        abort();
    }
    struct tensor *tensor = &layout->tensors[layout->count++];
    va_list values;
    va_start(values, format);
    (void)vsnprintf(tensor->name, sizeof tensor->name, format, values);
    va_end(values);
    tensor->element = element;
    tensor->bytes = bytes;
    tensor->rows = rows;
    tensor->columns = columns;
}

static void add_vector(struct layout *layout, uint64_t rows, unsigned layer, const char *name)
{
    add(layout, "BF16", 2, rows, 0, "model.layers.%u.%s.weight", layer, name);
}

// An FP8 matrix and a scale for each block of 128 x 128.
static void add_matrix(struct layout *layout, uint64_t rows, uint64_t columns, const char *name)
{
    add(layout, "F8_E4M3", 1, rows, columns, "%s.weight", name);
    add(layout, "F32", 4, (rows + 127) / 128, (columns + 127) / 128, "%s.weight_scale_inv", name);
}

static void add_mlp(struct layout *layout, uint64_t width, const char *inside)
{
    char name[96];
    static const char *const parts[] = {"gate_proj", "up_proj", "down_proj"};
    for (unsigned i = 0; i < 3; i++) {
        (void)snprintf(name, sizeof name, "%s.%s", inside, parts[i]);
        add_matrix(layout, i == 2 ? 7168 : width, i == 2 ? width : 7168, name);
    }
}

static void add_attention(struct layout *layout, unsigned layer)
{
    static const struct {
        const char *name;
        uint64_t rows, columns;
    } rows[] = {{"q_a_proj", 1536, 7168},
                {"q_b_proj", 24576, 1536},
                {"kv_a_proj_with_mqa", 576, 7168},
                {"kv_b_proj", 32768, 512},
                {"o_proj", 7168, 16384}};
    char name[96];
    for (unsigned i = 0; i < 5; i++) {
        (void)snprintf(name, sizeof name, "model.layers.%u.self_attn.%s", layer, rows[i].name);
        add_matrix(layout, rows[i].rows, rows[i].columns, name);
    }
    add_vector(layout, 1536, layer, "self_attn.q_a_layernorm");
    add_vector(layout, 512, layer, "self_attn.kv_a_layernorm");
    add_vector(layout, 7168, layer, "input_layernorm");
    add_vector(layout, 7168, layer, "post_attention_layernorm");
}

static void add_layer(struct layout *layout, unsigned layer)
{
    char name[96];
    add_attention(layout, layer);
    if (layer < 3) {
        (void)snprintf(name, sizeof name, "model.layers.%u.mlp", layer);
        add_mlp(layout, 18432, name);
        return;
    }
    for (unsigned expert = 0; expert < 256; expert++) {
        (void)snprintf(name, sizeof name, "model.layers.%u.mlp.experts.%u", layer, expert);
        add_mlp(layout, 2048, name);
    }
    (void)snprintf(name, sizeof name, "model.layers.%u.mlp.shared_experts", layer);
    add_mlp(layout, 2048, name);
    add(layout, "BF16", 2, 256, 7168, "model.layers.%u.mlp.gate.weight", layer);
    add(layout, "F32", 4, 256, 0, "model.layers.%u.mlp.gate.e_score_correction_bias", layer);
}

static void lay_out_large(struct layout *layout)
{
    layout->shards = 163;
    add(layout, "BF16", 2, 129280, 7168, "model.embed_tokens.weight");
    for (unsigned layer = 0; layer < 62; layer++) {
        add_layer(layout, layer);
    }
    // The layer that predicts the token after the next.
    add(layout, "BF16", 2, 129280, 7168, "model.layers.61.embed_tokens.weight");
    add_vector(layout, 7168, 61, "enorm");
    add_vector(layout, 7168, 61, "hnorm");
    add(layout, "BF16", 2, 7168, 14336, "model.layers.61.eh_proj.weight");
    add_vector(layout, 7168, 61, "shared_head.norm");
    add(layout, "BF16", 2, 129280, 7168, "model.layers.61.shared_head.head.weight");
    add(layout, "BF16", 2, 7168, 0, "model.norm.weight");
    add(layout, "BF16", 2, 129280, 7168, "lm_head.weight");
}

static void lay_out_small(struct layout *layout)
{
    static const struct {
        const char *name;
        uint64_t rows, columns;
    } rows[] = {{"self_attn.q_proj", 64, 64}, {"self_attn.k_proj", 32, 64}, {"self_attn.v_proj", 32, 64},
                {"self_attn.o_proj", 64, 64}, {"mlp.gate_proj", 128, 64},   {"mlp.up_proj", 128, 64},
                {"mlp.down_proj", 64, 128},   {"input_layernorm", 64, 0},   {"post_attention_layernorm", 64, 0}};
    layout->shards = 1;
    add(layout, "BF16", 2, 256, 64, "model.embed_tokens.weight");
    for (unsigned layer = 0; layer < 2; layer++) {
        for (unsigned i = 0; i < 9; i++) {
            add(layout, "BF16", 2, rows[i].rows, rows[i].columns, "model.layers.%u.%s.weight", layer, rows[i].name);
        }
    }
    add(layout, "BF16", 2, 64, 0, "model.norm.weight");
    add(layout, "BF16", 2, 256, 64, "lm_head.weight");
}

static FILE *open_in(const char *folder, const char *name)
{
    char path[1024];
    (void)snprintf(path, sizeof path, "%s/%s", folder, name);
    FILE *file = fopen(path, "wb");
    if (file == NULL) {
        perror(path);
        exit(2);
    }
    return file;
}

static void write_shard(const struct layout *layout, uint32_t first, uint32_t end, const char *folder, const char *name)
{
    char *header = malloc(HEADER_MAX);
    uint64_t offset = 0;
    size_t used = 0;
    for (uint32_t i = first; header != NULL && i < end && used + 512 < HEADER_MAX; i++) {
        const struct tensor *tensor = &layout->tensors[i];
        uint64_t bytes = tensor->rows * (tensor->columns > 0 ? tensor->columns : 1) * tensor->bytes;
        char shape[64];
        if (tensor->columns > 0) {
            (void)snprintf(shape, sizeof shape, "%" PRIu64 ",%" PRIu64, tensor->rows, tensor->columns);
        } else {
            (void)snprintf(shape, sizeof shape, "%" PRIu64, tensor->rows);
        }
        used +=
            (size_t)snprintf(header + used, HEADER_MAX - used,
                             "%s\"%s\":{\"dtype\":\"%s\",\"shape\":[%s],\"data_offsets\":[%" PRIu64 ",%" PRIu64 "]}",
                             i == first ? "{" : ",", tensor->name, tensor->element, shape, offset, offset + bytes);
        offset += bytes;
    }
    FILE *file = open_in(folder, name);
    used += (size_t)snprintf(header + used, 2, "}");
    for (unsigned i = 0; i < 8; i++) {
        (void)fputc((int)(used >> (8 * i) & 255), file);
    }
    (void)fwrite(header, 1, used, file);
    (void)fflush(file);
    if (ftruncate(fileno(file), (off_t)(8 + used + offset)) != 0) { // a hole: nothing is written
        perror(name);
        exit(2);
    }
    (void)fclose(file);
    free(header);
}

static void shard_name(char out[64], uint32_t shard, uint32_t shards)
{
    if (shards == 1) {
        (void)snprintf(out, 64, "model.safetensors");
    } else {
        (void)snprintf(out, 64, "model-%05u-of-%05u.safetensors", shard + 1, shards);
    }
}

static void write_all(const struct layout *layout, const char *folder)
{
    uint32_t each = (layout->count + layout->shards - 1) / layout->shards;
    char name[64];
    FILE *index = layout->shards > 1 ? open_in(folder, "model.safetensors.index.json") : NULL;
    if (index != NULL) {
        (void)fprintf(index, "{\"metadata\": {}, \"weight_map\": {");
    }
    for (uint32_t shard = 0; shard < layout->shards; shard++) {
        uint32_t first = shard * each, end = first + each < layout->count ? first + each : layout->count;
        shard_name(name, shard, layout->shards);
        write_shard(layout, first, end, folder, name);
        for (uint32_t i = first; index != NULL && i < end; i++) {
            (void)fprintf(index, "%s\n    \"%s\": \"%s\"", i > 0 ? "," : "", layout->tensors[i].name, name);
        }
    }
    if (index != NULL) {
        (void)fprintf(index, "\n  }\n}\n");
        (void)fclose(index);
    }
}

// ---- GGUF, little-endian, version 3

static void put_number(FILE *file, uint64_t number, unsigned bytes)
{
    for (unsigned i = 0; i < bytes; i++) {
        (void)fputc((int)(number >> (8 * i) & 255), file);
    }
}

static void put_text(FILE *file, const char *text)
{
    put_number(file, strlen(text), 8);
    (void)fputs(text, file);
}

static void put_figure(FILE *file, const char *key, uint32_t figure)
{
    put_text(file, key);
    put_number(file, 4, 4); // UINT32
    put_number(file, figure, 4);
}

static void put_texts(FILE *file, const char *key, uint32_t count, const char *text)
{
    put_text(file, key);
    put_number(file, 9, 4); // ARRAY
    put_number(file, 8, 4); // of STRING
    put_number(file, count, 8);
    for (uint32_t i = 0; i < count; i++) {
        put_text(file, text);
    }
}

// As llama.cpp names what lay_out_small lays out; 450,000 merges of 20 bytes are 12 MB of header.
static void write_gguf(const char *folder)
{
    static const struct {
        const char *name;
        uint64_t rows, columns;
    } rows[] = {{"attn_q", 64, 64},      {"attn_k", 32, 64},    {"attn_v", 32, 64},
                {"attn_output", 64, 64}, {"ffn_gate", 128, 64}, {"ffn_up", 128, 64},
                {"ffn_down", 64, 128},   {"attn_norm", 64, 0},  {"ffn_norm", 64, 0}};
    FILE *file = open_in(folder, "m-Q4_K_M.gguf");
    uint64_t offset = 0;
    (void)fputs("GGUF", file);
    put_number(file, 3, 4);
    put_number(file, 21, 8);
    put_number(file, 9, 8);
    put_text(file, "general.architecture");
    put_number(file, 8, 4); // STRING
    put_text(file, "llama");
    put_figure(file, "llama.context_length", 4096);
    put_figure(file, "llama.embedding_length", 64);
    put_figure(file, "llama.block_count", 2);
    put_figure(file, "llama.feed_forward_length", 128);
    put_figure(file, "llama.attention.head_count", 4);
    put_figure(file, "llama.attention.head_count_kv", 2);
    put_texts(file, "tokenizer.ggml.tokens", 256, "token");
    put_texts(file, "tokenizer.ggml.merges", 450000, "abcdefghi jklmnopqrs");
    for (unsigned i = 0; i < 21; i++) {
        char name[64];
        unsigned part = i % 9;
        uint64_t wide = i < 18   ? rows[part].columns
                        : i < 20 ? 64
                                 : 0,
                 high = i < 18   ? rows[part].rows
                        : i < 20 ? 256
                                 : 64;
        if (i < 18) {
            (void)snprintf(name, sizeof name, "blk.%u.%s.weight", i / 9, rows[part].name);
        } else {
            (void)snprintf(name, sizeof name, "%s.weight", i == 18 ? "token_embd" : i == 19 ? "output" : "output_norm");
        }
        put_text(file, name);
        put_number(file, wide > 0 ? 2 : 1, 4);
        if (wide > 0) {
            put_number(file, wide, 8);
        }
        put_number(file, high, 8);
        put_number(file, 1, 4); // F16
        put_number(file, offset, 8);
        offset += (wide > 0 ? wide : 1) * high * 2;
    }
    (void)fflush(file);
    if (ftruncate(fileno(file), (off_t)(((uint64_t)ftell(file) + 31) / 32 * 32 + offset)) != 0) {
        perror(folder);
        exit(2);
    }
    (void)fclose(file);
}

static const char small_config[] =
    "{\"architectures\": [\"LlamaForCausalLM\"], \"model_type\": \"llama\", \"hidden_size\": 64,\n"
    " \"intermediate_size\": 128, \"num_hidden_layers\": 2, \"num_attention_heads\": 4, \"num_key_value_heads\": 2,\n"
    " \"max_position_embeddings\": 4096, \"vocab_size\": 256, \"tie_word_embeddings\": false,\n"
    " \"torch_dtype\": \"bfloat16\"}\n";
// Figures of deepseek-ai/DeepSeek-V3's public config.json.
static const char large_config[] =
    "{\"architectures\": [\"DeepseekV3ForCausalLM\"], \"model_type\": \"deepseek_v3\", \"hidden_size\": 7168,\n"
    " \"intermediate_size\": 18432, \"moe_intermediate_size\": 2048, \"num_hidden_layers\": 61,\n"
    " \"num_nextn_predict_layers\": 1, \"num_attention_heads\": 128, \"num_key_value_heads\": 128,\n"
    " \"n_shared_experts\": 1, \"n_routed_experts\": 256, \"num_experts_per_tok\": 8, \"moe_layer_freq\": 1,\n"
    " \"first_k_dense_replace\": 3, \"kv_lora_rank\": 512, \"q_lora_rank\": 1536, \"qk_rope_head_dim\": 64,\n"
    " \"v_head_dim\": 128, \"qk_nope_head_dim\": 128, \"max_position_embeddings\": 163840, \"vocab_size\": 129280,\n"
    " \"topk_method\": \"noaux_tc\", \"n_group\": 8, \"topk_group\": 4, \"scoring_func\": \"sigmoid\",\n"
    " \"tie_word_embeddings\": false, \"torch_dtype\": \"bfloat16\",\n"
    " \"quantization_config\": {\"activation_scheme\": \"dynamic\", \"fmt\": \"e4m3\", \"quant_method\": \"fp8\",\n"
    "  \"weight_block_size\": [128, 128]}}\n";

int main(int count, char **words)
{
    if (count != 3) {
        return 2;
    }
    bool large = strcmp(words[1], "large") == 0;
    struct layout *layout = calloc(1, sizeof *layout);
    if (layout == NULL || (mkdir(words[2], 0777) != 0 && errno != EEXIST)) {
        perror(words[2]);
        return 2;
    }
    if (large) {
        lay_out_large(layout);
    } else {
        lay_out_small(layout);
    }
    write_all(layout, words[2]);
    FILE *config = open_in(words[2], "config.json");
    (void)fputs(large ? large_config : small_config, config);
    (void)fclose(config);
    if (!large) {
        write_gguf(words[2]);
    }
    (void)printf("%u tensors\n", layout->count);
    free(layout);
    return 0;
}
