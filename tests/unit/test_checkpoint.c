// Checkpoint folders: names to roles, files found, headers against the config, weights of a rank.
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include <kvbudget/budget.h>

#include "base/memory.h"
#include "checkpoint_files.h"
#include "model/checkpoint/checkpoint.h"
#include "model/checkpoint/checkpoint_names.h"
#include "unit/own_folder.h"
#include "unit/test.h"

static struct kvb_problems problems;
static struct kvb_model model;
static struct kvb_model_source source;
static struct kvb_plan plan;
static struct kvb_budget budget;

static int clear(void **state)
{
    (void)state;
    empty_folder(root);
    return 0;
}

static void test_each_name(void **state)
{
    (void)state;
    struct kvb_name_specimen row;
    for (size_t i = 0; kvb_name_specimen_at(i, &row); i++) {
        struct kvb_tensor_kind kind;
        if (row.name == NULL) {
            continue;
        }
        kvb_tensor_kind_of(row.name, &kind);
        if (kind.role != row.role || kind.split != row.split) {
            fail_msg("%s: %s, split %d", row.name, kvb_role_name(kind.role), (int)kind.split);
        }
    }
}

struct name_row {
    const char *name;
    enum kvb_role role;
    enum kvb_split split;
    enum kvb_leaf leaf;
    bool in_layer;
};

// Names whose rows meet, and last words.
static const struct name_row names[] = {
    {"model.layers.0.self_attn.q_norm.weight", KVB_ROLE_NORM, KVB_SPLIT_COPY, KVB_LEAF_VALUES, true},
    {"model.norm.weight", KVB_ROLE_NORM, KVB_SPLIT_COPY, KVB_LEAF_VALUES, false},
    {"model.layers.0.mlp.experts.5.down_proj.weight_scale_inv", KVB_ROLE_EXPERTS, KVB_SPLIT_EXPERTS_COLUMNS,
     KVB_LEAF_SCALE, true},
    {"model.layers.0.mlp.experts.gate_up_proj_blocks", KVB_ROLE_EXPERTS, KVB_SPLIT_EXPERTS_ROWS, KVB_LEAF_PACKED_HALF,
     true},
    {"model.layers.0.mlp.experts.down_proj_blocks", KVB_ROLE_EXPERTS, KVB_SPLIT_EXPERTS_COLUMNS, KVB_LEAF_PACKED_HALF,
     true},
    {"model.layers.0.mlp.experts.down_proj_bias", KVB_ROLE_EXPERTS, KVB_SPLIT_EXPERTS_COPY, KVB_LEAF_VALUES, true},
    {"model.layers.0.self_attn.q_proj.qweight", KVB_ROLE_ATTENTION, KVB_SPLIT_ROWS, KVB_LEAF_PACKED_WORDS, true},
    {"model.layers.0.self_attn.o_proj.bias", KVB_ROLE_ATTENTION, KVB_SPLIT_COPY, KVB_LEAF_VALUES, true},
    {"model.layers.0.self_attn.k_proj.k_scale", KVB_ROLE_ATTENTION, KVB_SPLIT_KV, KVB_LEAF_SCALE, true},
    {"model.layers.0.self_attn.rotary_emb.inv_freq", KVB_ROLE_ATTENTION, KVB_SPLIT_ROWS, KVB_LEAF_BUFFER, true},
    {"model.visual.blocks.3.attn.qkv.weight", KVB_ROLE_VISION, KVB_SPLIT_ROWS, KVB_LEAF_VALUES, false},
    {"visual.blocks.3.mlp.down_proj.weight", KVB_ROLE_VISION, KVB_SPLIT_COLUMNS, KVB_LEAF_VALUES, false},
    {"mtp.layers.0.mlp.gate_proj.weight", KVB_ROLE_MTP, KVB_SPLIT_COPY, KVB_LEAF_VALUES, false},
    {"model.layers.61.embed_tokens.weight", KVB_ROLE_EMBEDDING, KVB_SPLIT_VOCABULARY, KVB_LEAF_VALUES, true},
    {"rope_freqs.weight", KVB_ROLE_OTHER, KVB_SPLIT_COPY, KVB_LEAF_BUFFER, false},
    {"something.new", KVB_ROLE_OTHER, KVB_SPLIT_COPY, KVB_LEAF_VALUES, false},
};

static void test_names_that_meet(void **state)
{
    (void)state;
    for (size_t i = 0; i < sizeof names / sizeof names[0]; i++) {
        const struct name_row *row = &names[i];
        struct kvb_tensor_kind kind;
        kvb_tensor_kind_of(row->name, &kind);
        if (kind.role != row->role || kind.split != row->split || kind.leaf != row->leaf ||
            kind.in_layer != row->in_layer) {
            fail_msg("%s: %s, split %d, leaf %d, %d", row->name, kvb_role_name(kind.role), (int)kind.split,
                     (int)kind.leaf, kind.in_layer);
        }
    }
    assert_int_equal(kvb_tensor_layer("model.layers.12.mlp.experts.7.w1.weight"), 12);
    assert_int_equal(kvb_tensor_layer("blk.3.attn_q.weight"), 3);
    assert_int_equal(kvb_tensor_layer("lm_head.weight"), UINT32_MAX);
}

#define CONFIG_START                                                                                                   \
    "{\"architectures\": [\"Qwen2ForCausalLM\"], \"hidden_size\": 896, \"intermediate_size\": 4864, "                  \
    "\"num_attention_heads\": 14, \"num_hidden_layers\": 24, \"num_key_value_heads\": 2, \"vocab_size\": 151936, "     \
    "\"max_position_embeddings\": 32768, \"tie_word_embeddings\": true, \"torch_dtype\": \"bfloat16\""
static const char config_16_bit[] = CONFIG_START "}";
static const char config_fp8[] = CONFIG_START ", \"quantization_config\": {\"quant_method\": \"fp8\", "
                                              "\"weight_block_size\": [128, 128]}}";

static void linear(struct shard *shard, bool fp8, uint64_t rows, uint64_t columns, uint32_t layer, const char *name)
{
    shard_tensor(shard, fp8 ? "F8_E4M3" : "BF16", fp8 ? 1 : 2, rows, columns, "model.layers.%u.%s.weight", layer, name);
    if (fp8) {
        shard_tensor(shard, "F32", 4, (rows + 127) / 128, (columns + 127) / 128, "model.layers.%u.%s.weight_scale_inv",
                     layer, name);
    }
}

// A layer of Qwen2.5-0.5B; the MLP may stay at 16 bits.
static void qwen_layer(struct shard *shard, uint32_t layer, bool fp8, bool fp8_mlp)
{
    linear(shard, fp8, 896, 896, layer, "self_attn.q_proj");
    linear(shard, fp8, 128, 896, layer, "self_attn.k_proj");
    linear(shard, fp8, 128, 896, layer, "self_attn.v_proj");
    linear(shard, fp8, 896, 896, layer, "self_attn.o_proj");
    linear(shard, fp8_mlp, 4864, 896, layer, "mlp.gate_proj");
    linear(shard, fp8_mlp, 4864, 896, layer, "mlp.up_proj");
    linear(shard, fp8_mlp, 896, 4864, layer, "mlp.down_proj");
    shard_tensor(shard, "BF16", 2, 896, 0, "model.layers.%u.self_attn.q_proj.bias", layer);
    shard_tensor(shard, "BF16", 2, 128, 0, "model.layers.%u.self_attn.k_proj.bias", layer);
    shard_tensor(shard, "BF16", 2, 128, 0, "model.layers.%u.self_attn.v_proj.bias", layer);
    shard_tensor(shard, "BF16", 2, 896, 0, "model.layers.%u.input_layernorm.weight", layer);
    shard_tensor(shard, "BF16", 2, 896, 0, "model.layers.%u.post_attention_layernorm.weight", layer);
}

static void qwen_ends(struct shard *shard)
{
    shard_tensor(shard, "BF16", 2, 151936, 896, "model.embed_tokens.weight");
    shard_tensor(shard, "BF16", 2, 896, 0, "model.norm.weight");
}

// The ends and so many layers of Qwen2.5-0.5B in one file, to which more may be added.
static void begin_qwen(struct shard *shard, uint32_t layers)
{
    shard_begin(shard, root, "model.safetensors");
    qwen_ends(shard);
    for (uint32_t layer = 0; layer < layers; layer++) {
        qwen_layer(shard, layer, false, false);
    }
}

static void qwen_file(const char *name, bool fp8, uint32_t plain_mlp_layers)
{
    struct shard shard;
    shard_begin(&shard, root, name);
    qwen_ends(&shard);
    for (uint32_t layer = 0; layer < 24; layer++) {
        qwen_layer(&shard, layer, fp8, fp8 && layer >= plain_mlp_layers);
    }
    shard_end(&shard);
}

static enum kvb_status load(void)
{
    kvb_problems_init(&problems);
    memset(&model, 0, sizeof model);
    return kvb_model_load(root, NULL, &model, &source, &problems);
}

static uint64_t weights_at(uint64_t tp, uint64_t pp)
{
    memset(&plan, 0, sizeof plan);
    struct kvb_settings unused = {0};
    plan.model = model;
    assert_int_equal(kvb_gpu_load("h100-sxm", &plan.gpu, &problems), KVB_OK);
    assert_int_equal(kvb_engine_load("vllm@0.11.0", &plan.engine, &unused, &problems), KVB_OK);
    kvb_settings_set(&plan.settings, KVB_SET_TENSOR_PARALLEL_SIZE, tp, KVB_ORIGIN_FLAG);
    kvb_settings_set(&plan.settings, KVB_SET_PIPELINE_PARALLEL_SIZE, pp, KVB_ORIGIN_FLAG);
    assert_int_equal(kvb_budget_compute(&plan, &budget, &problems), KVB_OK);
    return budget.weights.total_bytes;
}

static void test_agreement(void **state)
{
    (void)state;
    write_text(root, "config.json", config_16_bit);
    assert_int_equal(load(), KVB_OK);
    assert_int_equal(source.weights_basis, KVB_BASIS_CONFIG);
    uint64_t from_config[3] = {weights_at(1, 1), weights_at(2, 1), weights_at(2, 2)};
    qwen_file("model.safetensors", false, 0);
    assert_int_equal(load(), KVB_OK);
    assert_int_equal(problems.count, 0);
    assert_int_equal(source.weights_basis, KVB_BASIS_CHECKPOINT);
    assert_int_equal(model.checkpoint.kind, KVB_CHECKPOINT_SAFETENSORS);
    assert_int_equal(model.checkpoint.tensor_count, 290);     // as its published file
    assert_int_equal(model.checkpoint.parameters, 494032768); // published: 494,032,768
    assert_int_equal(model.checkpoint.total_bytes, 2 * 494032768);
    assert_int_equal(model.checkpoint.element_bytes[KVB_ELEMENT_BF16], 2 * 494032768);
    // What the engine makes of the same tensors is known from the config already.
    assert_int_equal(weights_at(1, 1), from_config[0]);
    assert_int_equal(weights_at(2, 1), from_config[1]);
    assert_int_equal(weights_at(2, 2), from_config[2]);
}

static void test_layers_left_at_16_bits(void **state)
{
    (void)state;
    write_text(root, "config.json", config_fp8);
    qwen_file("model.safetensors", true, 0);
    assert_int_equal(load(), KVB_OK);
    assert_int_equal(problems.count, 0);
    uint64_t all = weights_at(1, 1);
    uint64_t half = weights_at(2, 1);
    qwen_file("model.safetensors", true, 4);
    assert_int_equal(load(), KVB_OK);
    // Four layers: 3 x 4864 x 896 elements at 2 bytes instead of 1 and a scale of 4 bytes per 128 x 128; the
    // price of a quantised element is known to one in 1024.
    uint64_t elements = UINT64_C(4) * 3 * 4864 * 896;
    uint64_t more = weights_at(1, 1) - all;
    assert_in_range(more, elements - elements / 2048, elements);
    assert_in_range(weights_at(2, 1) - half, (elements - elements / 2048) / 2, elements / 2);
    // All four are on the first of two stages.
    (void)weights_at(1, 2);
}

static void test_disagreement_is_told(void **state)
{
    (void)state;
    struct shard shard;
    write_text(root, "config.json", config_16_bit);
    assert_int_equal(load(), KVB_OK);
    uint64_t from_config = weights_at(1, 1);
    begin_qwen(&shard, 24);
    shard_tensor(&shard, "F32", 4, 1000, 1000, "model.surprise.weight");
    shard_end(&shard);
    assert_int_equal(load(), KVB_OK);
    assert_int_equal(problems.count, 1);
    assert_int_equal(problems.items[0].severity, KVB_NOTICE);
    assert_non_null(strstr(problems.items[0].text, "495032768 parameters"));
    assert_non_null(strstr(problems.items[0].text, "494032768"));
    // Cast to the model's dtype: two bytes each, on every rank.
    assert_int_equal(weights_at(1, 1), from_config + 2000000);
}

// A head that repeats the embedding is stored but not loaded; next-token modules wait for their flag.
static void test_what_is_not_loaded(void **state)
{
    (void)state;
    struct shard shard;
    write_text(root, "config.json", config_16_bit);
    assert_int_equal(load(), KVB_OK);
    uint64_t from_config = weights_at(1, 1);
    begin_qwen(&shard, 24);
    shard_tensor(&shard, "BF16", 2, 151936, 896, "lm_head.weight");
    shard_tensor(&shard, "F32", 4, 32, 0, "model.layers.0.self_attn.rotary_emb.inv_freq");
    shard_end(&shard);
    assert_int_equal(load(), KVB_OK);
    assert_int_equal(problems.count, 0);
    assert_int_equal(model.checkpoint.parameters, 494032768);
    assert_int_equal(weights_at(1, 1), from_config);
    assert_int_equal(budget.parameters, 494032768);
    // A further layer is a next-token module.
    begin_qwen(&shard, 25);
    shard_tensor(&shard, "BF16", 2, 896, 1792, "model.layers.24.eh_proj.weight");
    shard_tensor(&shard, "BF16", 2, 896, 896, "mtp.fc.weight");
    shard_end(&shard);
    assert_int_equal(load(), KVB_OK);
    assert_int_equal(weights_at(1, 1), from_config);
}

// A tower that the config describes and the checkpoint does not hold takes nothing, however it would be split.
static void test_tower_of_the_config(void **state)
{
    (void)state;
    write_text(root, "config.json", config_16_bit);
    qwen_file("model.safetensors", false, 0);
    assert_int_equal(load(), KVB_OK);
    uint64_t without[2] = {weights_at(1, 1), weights_at(2, 1)};
    model.extras[model.extra_count++] =
        (struct kvb_extra){"tower", KVB_ROLE_VISION, KVB_SPLIT_ROWS, 4096, 1024, 8, false};
    // The tower of 8 x 4096 x 1024 at 2 bytes is 64 MiB; up to 2 MiB of rounding per matrix stay.
    assert_in_range(weights_at(1, 1), without[0], without[0] + 8 * (2 << 20));
    assert_in_range(weights_at(2, 1), without[1], without[1] + 8 * (2 << 20));
    assert_int_equal(budget.weights.role_bytes[KVB_ROLE_VISION], 0);
    kvb_settings_set(&plan.settings, KVB_SET_MM_ENCODER_TP_MODE, 1, KVB_ORIGIN_FLAG);
    assert_int_equal(kvb_budget_compute(&plan, &budget, &problems), KVB_OK);
    assert_int_equal(budget.weights.role_bytes[KVB_ROLE_VISION], 0);
    kvb_settings_set(&plan.settings, KVB_SET_LANGUAGE_MODEL_ONLY, 1, KVB_ORIGIN_FLAG);
    assert_int_equal(kvb_budget_compute(&plan, &budget, &problems), KVB_OK);
    assert_int_equal(budget.weights.role_bytes[KVB_ROLE_VISION], 0);
}

#define EXPERTS_CONFIG                                                                                                 \
    "{\"architectures\": [\"Qwen3MoeForCausalLM\"], \"hidden_size\": 1024, \"intermediate_size\": 4096, "              \
    "\"moe_intermediate_size\": 512, \"num_experts\": 8, \"num_experts_per_tok\": 2, \"num_attention_heads\": 8, "     \
    "\"num_key_value_heads\": 4, \"head_dim\": 128, \"num_hidden_layers\": 4, \"vocab_size\": 32000, "                 \
    "\"max_position_embeddings\": 4096, \"torch_dtype\": \"bfloat16\"}"

// The checkpoint holds twice the experts: a rank holds half of them under tensor or expert parallelism.
static void test_more_experts(void **state)
{
    (void)state;
    static const char *const matrices[] = {"gate_proj", "up_proj", "down_proj"};
    struct shard shard;
    write_text(root, "config.json", EXPERTS_CONFIG);
    shard_begin(&shard, root, "model.safetensors");
    for (uint32_t i = 0; i < 4 * 16 * 3; i++) {
        bool down = i % 3 == 2;
        shard_tensor(&shard, "BF16", 2, down ? 1024 : 512, down ? 512 : 1024,
                     "model.layers.%u.mlp.experts.%u.%s.weight", i / 48, i / 3 % 16, matrices[i % 3]);
    }
    shard_end(&shard);
    assert_int_equal(load(), KVB_OK);
    uint64_t all = UINT64_C(4) * 16 * 3 * 512 * 1024 * 2;
    (void)weights_at(1, 1);
    assert_int_equal(budget.weights.role_bytes[KVB_ROLE_EXPERTS], all);
    (void)weights_at(2, 1);
    assert_int_equal(budget.weights.role_bytes[KVB_ROLE_EXPERTS], all / 2);
    (void)weights_at(1, 2);
    assert_int_equal(budget.weights.role_bytes[KVB_ROLE_EXPERTS], all / 2);
    (void)weights_at(2, 1);
    kvb_settings_set(&plan.settings, KVB_SET_ENABLE_EXPERT_PARALLEL, 1, KVB_ORIGIN_FLAG);
    assert_int_equal(kvb_budget_compute(&plan, &budget, &problems), KVB_OK);
    assert_int_equal(budget.weights.role_bytes[KVB_ROLE_EXPERTS], all / 2);
}

// Four files and an index; then without one of them, then without any, then as Git LFS leaves them.
static void test_shards(void **state)
{
    (void)state;
    struct shard shard;
    char index[4096] = "{\"metadata\": {\"total_size\": 988065536.0, \"x\": {}}, \"weight_map\": {";
    uint64_t total = 0;
    write_text(root, "config.json", config_16_bit);
    for (uint32_t part = 0; part < 4; part++) {
        char name[64];
        (void)snprintf(name, sizeof name, "model-%05u-of-00004.safetensors", part + 1);
        shard_begin(&shard, root, name);
        if (part == 0) {
            qwen_ends(&shard);
        }
        for (uint32_t layer = part * 6; layer < part * 6 + 6; layer++) {
            qwen_layer(&shard, layer, false, false);
            size_t length = strlen(index);
            (void)snprintf(index + length, sizeof index - length, "%s\"l%u\": \"%s\"", layer > 0 ? ", " : "", layer,
                           name);
        }
        shard_end(&shard);
        total += shard.data_bytes;
    }
    (void)strncat(index, "}}", sizeof index - strlen(index) - 1);
    // Without an index all files are taken.
    assert_int_equal(load(), KVB_OK);
    assert_int_equal(model.checkpoint.total_bytes, total);
    write_text(root, "model.safetensors.index.json", index);
    assert_int_equal(load(), KVB_OK);
    assert_int_equal(problems.count, 0);
    assert_int_equal(model.checkpoint.file_count, 4);
    assert_int_equal(model.checkpoint.total_bytes, total);
    write_text(root, "model-00003-of-00004.safetensors", "version https://git-lfs.github.com/spec/v1\noid x\n");
    assert_int_equal(load(), KVB_OK);
    assert_int_equal(problems.count, 1);
    assert_int_equal(problems.items[0].severity, KVB_WARNING);
    assert_non_null(strstr(problems.items[0].text, "1 of 4 weight files are not downloaded (model-00003"));
    assert_int_equal(model.checkpoint.kind, KVB_CHECKPOINT_NONE); // its total is no whole number
}

static void test_index_alone(void **state)
{
    (void)state;
    write_text(root, "config.json", config_16_bit);
    assert_int_equal(load(), KVB_OK);
    uint64_t from_config = weights_at(1, 1);
    write_text(root, "model.safetensors.index.json",
               "{\"metadata\": {\"total_size\": 988065536}, \"weight_map\": {\"a\": \"model-1.safetensors\"}}");
    assert_int_equal(load(), KVB_OK);
    assert_int_equal(model.checkpoint.kind, KVB_CHECKPOINT_INDEX);
    assert_int_equal(source.weights_basis, KVB_BASIS_CHECKPOINT);
    assert_int_equal(weights_at(1, 1), from_config); // 2 x 494,032,768: nothing to correct
    write_text(root, "model.safetensors.index.json",
               "{\"metadata\": {\"total_size\": 1088065536}, \"weight_map\": {\"a\": \"model-1.safetensors\"}}");
    assert_int_equal(load(), KVB_OK);
    assert_int_equal(weights_at(1, 1), from_config + 100000000);
    assert_int_equal(budget.weights.role_bytes[KVB_ROLE_OTHER], 100000000);
    write_text(root, "model.safetensors.index.json",
               "{\"metadata\": {\"total_size\": 888065536}, \"weight_map\": {\"a\": \"model-1.safetensors\"}}");
    assert_int_equal(load(), KVB_OK);
    assert_int_equal(weights_at(1, 1), from_config - 100000000);
    // With a quantisation the total cannot be taken apart.
    write_text(root, "config.json", config_fp8);
    assert_int_equal(load(), KVB_OK);
    assert_int_equal(source.weights_basis, KVB_BASIS_CONFIG);
}

struct bad {
    const char *index;
    enum kvb_status status;
    const char *part;
};
static const struct bad bad_rows[] = {
    {"", KVB_BAD_SYNTAX, "the JSON ends"},
    {"[]", KVB_BAD_TYPE, "expected an object with 'weight_map'"},
    {"{}", KVB_MISSING_KEY, "expected 'weight_map'"},
    {"{\"weight_map\": []}", KVB_BAD_TYPE, "expected an object of tensors and files"},
    {"{\"weight_map\": {\"a\": 1}}", KVB_BAD_TYPE, "expected a file name"},
    {"{\"weight_map\": {\"a\": \"../b.safetensors\"}}", KVB_NOT_ALLOWED, "of the same folder"},
    {"{\"weight_map\": {\"a\": \"pytorch_model.bin\"}}", KVB_NOT_ALLOWED, "of the same folder"},
    {"{\"metadata\": 1}", KVB_BAD_TYPE, "an object under 'metadata'"},
    {"{\"weight_map\": {\"a\": \"b.safetensors\"}} {", KVB_BAD_SYNTAX, "more text"},
};

static void test_bad_indexes(void **state)
{
    (void)state;
    write_text(root, "config.json", config_16_bit);
    for (size_t i = 0; i < sizeof bad_rows / sizeof bad_rows[0]; i++) {
        write_text(root, "model.safetensors.index.json", bad_rows[i].index);
        enum kvb_status status = load();
        if (status != bad_rows[i].status || problems.count != 1 ||
            strstr(problems.items[0].text, bad_rows[i].part) == NULL) {
            fail_msg("%s: %s: %s", bad_rows[i].index, kvb_status_name(status),
                     problems.count ? problems.items[0].text : "");
        }
    }
}

static void test_links_and_folders(void **state)
{
    (void)state;
    char path[128];
    (void)snprintf(path, sizeof path, "%s/model.safetensors", root);
    write_text(root, "config.json", config_16_bit);
    assert_int_equal(symlink(path, path), 0);
    assert_int_equal(load(), KVB_CANNOT_OPEN);
    assert_int_equal(unlink(path), 0);
    assert_int_equal(mkdir(path, 0700), 0);
    assert_int_equal(load(), KVB_CANNOT_OPEN);
    assert_non_null(strstr(problems.items[0].text, "a folder"));
    assert_int_equal(rmdir(path), 0);
}

// More kinds of tensors than the list of classes holds: the config's count stays.
static void test_too_many_classes(void **state)
{
    (void)state;
    struct shard shard;
    write_text(root, "config.json", config_16_bit);
    shard_begin(&shard, root, "model.safetensors");
    for (uint32_t i = 1; i <= 2 * KVB_CHECKPOINT_CLASSES_MAX; i++) {
        shard_tensor(&shard, "BF16", 2, i, 0, "a%u", i);
    }
    shard_end(&shard);
    assert_int_equal(load(), KVB_OK);
    assert_false(model.checkpoint.classes_whole);
    assert_int_equal(source.weights_basis, KVB_BASIS_CONFIG);
    assert_int_equal(model.checkpoint.class_count, KVB_CHECKPOINT_CLASSES_MAX);
    assert_int_equal(model.checkpoint.tensor_count, 2 * KVB_CHECKPOINT_CLASSES_MAX);
}

// 163 files and 91,000 tensors, as DeepSeek V3 has: all names met, all classes few.
static void test_a_large_checkpoint(void **state)
{
    (void)state;
    enum { SHARDS = 163, PER_SHARD = 560 };
    static struct kvb_checkpoint found;
    char path[128];
    struct shard shard;
    (void)snprintf(path, sizeof path, "%s/model.safetensors.index.json", root);
    FILE *index = fopen(path, "w");
    assert_non_null(index);
    (void)fputs("{\"metadata\":{\"total_size\":1},\"weight_map\":{", index);
    for (uint32_t part = 0; part < SHARDS; part++) {
        char name[64];
        (void)snprintf(name, sizeof name, "model-%05u-of-000163.safetensors", part + 1);
        shard_begin(&shard, root, name);
        for (uint32_t i = 0; i < PER_SHARD / 2; i++) {
            uint32_t expert = part * (PER_SHARD / 2) + i;
            shard_tensor(&shard, "F8_E4M3", 1, 2048, 7168, "model.layers.%u.mlp.experts.%u.up_proj.weight",
                         expert / 768, expert);
            shard_tensor(&shard, "F32", 4, 16, 56, "model.layers.%u.mlp.experts.%u.up_proj.weight_scale_inv",
                         expert / 768, expert);
            (void)fprintf(index, "%s\"model.layers.%u.mlp.experts.%u.up_proj.weight\":\"%s\"", expert ? "," : "",
                          expert / 768, expert, name);
        }
        shard_end(&shard);
    }
    (void)fputs("}}", index);
    assert_int_equal(fclose(index), 0);
    kvb_problems_init(&problems);
    assert_int_equal(kvb_checkpoint_load(root, 8, &found, &problems), KVB_OK);
    assert_int_equal(found.tensor_count, SHARDS * PER_SHARD);
    assert_int_equal(found.file_count, SHARDS);
    assert_int_equal(found.class_count, 1);
    assert_int_equal(found.classes[0].count, SHARDS * PER_SHARD / 2);
    assert_int_equal(found.parameters, UINT64_C(2048) * 7168 * SHARDS * PER_SHARD / 2);
    assert_int_equal(found.scale_bytes[KVB_ROLE_EXPERTS], UINT64_C(16) * 56 * 4 * SHARDS * PER_SHARD / 2);
}

static void test_memory_runs_out(void **state)
{
    (void)state;
    enum kvb_status status = KVB_NO_MEMORY;
    write_text(root, "config.json", config_16_bit);
    write_text(root, "model.safetensors.index.json",
               "{\"metadata\": {\"total_size\": 988065536}, \"weight_map\": {\"a\": \"model.safetensors\"}}");
    qwen_file("model.safetensors", false, 0);
    for (unsigned long n = 1; status == KVB_NO_MEMORY; n++) {
        kvb_memory_fail_after(n);
        status = load();
        kvb_memory_fail_after(0);
        assert_true(status == KVB_OK || problems.count > 0);
        assert_true(n < 2000);
    }
    assert_int_equal(status, KVB_OK);
}

// A profile made from a folder plans like its config.
static void test_import(void **state)
{
    (void)state;
    char *text = NULL;
    size_t length = 0;
    static struct kvb_model again;
    write_text(root, "config.json", config_16_bit);
    qwen_file("model.safetensors", false, 0);
    kvb_problems_init(&problems);
    assert_int_equal(kvb_model_import(root, "a/b", NULL, &text, &length, &problems), KVB_OK);
    assert_int_equal(kvb_model_read_profile("p.yaml", text, length, &again, &problems), KVB_OK);
    assert_int_equal(kvb_model_parameters(&again), 494032768);
    free(text);
    write_text(root, "model.safetensors", "cut");
    assert_int_equal(kvb_model_import(root, "a/b", NULL, &text, &length, &problems), KVB_BAD_SYNTAX);
}

struct mapping {
    const char *text; // behind "checkpoint: "
    enum kvb_status status;
};
static const struct mapping mappings[] = {
    {"{format: gguf, total_bytes: 5}", KVB_OK},
    {"{format: safetensors, total_bytes: 5, parameters: 2}", KVB_OK},
    {"{format: gguf}", KVB_MISSING_KEY},
    {"{total_bytes: 5}", KVB_MISSING_KEY},
    {"{format: bin, total_bytes: 5}", KVB_UNKNOWN_NAME},
    {"{format: gguf, total_bytes: 0}", KVB_OUT_OF_RANGE},
    {"{format: gguf, total_bytes: 5GiB}", KVB_BAD_TYPE},
    {"{format: gguf, total_bytes: 5, files: 2}", KVB_UNKNOWN_KEY},
    {"gguf", KVB_BAD_TYPE},
};

// The same three keys in a profile.
static void test_in_a_profile(void **state)
{
    (void)state;
    for (size_t i = 0; i < sizeof mappings / sizeof mappings[0]; i++) {
        char text[1024];
        (void)snprintf(text, sizeof text, "kind: model\nschema: 1\nname: a/b\ncheckpoint: %s\nconfig: %s\n",
                       mappings[i].text, config_16_bit);
        kvb_problems_init(&problems);
        enum kvb_status status = kvb_model_read_profile("p.yaml", text, strlen(text), &model, &problems);
        if (status != mappings[i].status) {
            fail_msg("%s: %s %s", mappings[i].text, kvb_status_name(status),
                     problems.count ? problems.items[0].text : "");
        }
        assert_int_equal(problems.count, status == KVB_OK ? 0 : 1);
        assert_true(status == KVB_OK || problems.items[0].line == 4);
    }
}

KVB_TEST_MAIN_WITH(
    make_bare_root, remove_root, cmocka_unit_test(test_each_name), cmocka_unit_test(test_names_that_meet),
    cmocka_unit_test_teardown(test_agreement, clear), cmocka_unit_test_teardown(test_layers_left_at_16_bits, clear),
    cmocka_unit_test_teardown(test_disagreement_is_told, clear),
    cmocka_unit_test_teardown(test_what_is_not_loaded, clear),
    cmocka_unit_test_teardown(test_tower_of_the_config, clear), cmocka_unit_test_teardown(test_more_experts, clear),
    cmocka_unit_test_teardown(test_shards, clear), cmocka_unit_test_teardown(test_index_alone, clear),
    cmocka_unit_test_teardown(test_bad_indexes, clear), cmocka_unit_test_teardown(test_links_and_folders, clear),
    cmocka_unit_test_teardown(test_too_many_classes, clear), cmocka_unit_test_teardown(test_a_large_checkpoint, clear),
    cmocka_unit_test_teardown(test_memory_runs_out, clear), cmocka_unit_test_teardown(test_import, clear),
    cmocka_unit_test(test_in_a_profile))
