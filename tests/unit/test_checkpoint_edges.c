// Checkpoints at their edges: what a tensor's name says where rows meet, what is counted once, headers that lie, lists
// of files without end, and paths at the end of what fits.
#include <stdio.h>
#include <stdlib.h>
#include <sys/stat.h>
#include <unistd.h>

#include "base/memory.h"
#include "checkpoint_files.h"
#include "model/checkpoint/checkpoint.h"
#include "model/checkpoint/checkpoint_names.h"
#include "model/checkpoint/heads.h"
#include "unit/own_folder.h"
#include "unit/test.h"

static struct kvb_problems problems;
static struct kvb_checkpoint checkpoint;

static int make_root(void **state)
{
    (void)state;
    return mkdtemp(root) != NULL && chdir(root) == 0 ? 0 : -1;
}

static int begin(void **state)
{
    (void)state;
    kvb_problems_init(&problems);
    return system("rm -rf ./*");
}

// ---- names

// Shapes and their rank's share by vLLM's loaders: experts by expert, columns and rows by dimension, norms on every
// rank.
static void test_names(void **state)
{
    (void)state;
    static const struct {
        const char *name;
        enum kvb_role role;
        enum kvb_split split;
        enum kvb_leaf leaf;
        uint32_t layer; // UINT32_MAX: of none
    } rows[] = {
        {"rope_freqs.weight", KVB_ROLE_OTHER, KVB_SPLIT_COPY, KVB_LEAF_BUFFER, UINT32_MAX},
        {"blk.0.rope_freqs.weight", KVB_ROLE_OTHER, KVB_SPLIT_COPY, KVB_LEAF_BUFFER, 0},
        {"layers.5.input_layernorm.weight", KVB_ROLE_NORM, KVB_SPLIT_COPY, KVB_LEAF_VALUES, 5},
        {"transformer.h.11.ln_1.weight", KVB_ROLE_NORM, KVB_SPLIT_COPY, KVB_LEAF_VALUES, 11},
        {"model.layers.3.attn_ln.weight", KVB_ROLE_NORM, KVB_SPLIT_COPY, KVB_LEAF_VALUES, 3},
        {"xlayers.5.a", KVB_ROLE_OTHER, KVB_SPLIT_COPY, KVB_LEAF_VALUES, UINT32_MAX},
        {"model.layers.x.layers.7.a", KVB_ROLE_OTHER, KVB_SPLIT_COPY, KVB_LEAF_VALUES, 7},
        {"model.layers.:", KVB_ROLE_OTHER, KVB_SPLIT_COPY, KVB_LEAF_VALUES, UINT32_MAX},
        {"model.layers.2:", KVB_ROLE_OTHER, KVB_SPLIT_COPY, KVB_LEAF_VALUES, 2},
        {"model.layers.123456789.a", KVB_ROLE_OTHER, KVB_SPLIT_COPY, KVB_LEAF_VALUES, 123456},
        {"model.layers.0.mlp.experts.4.own.weight", KVB_ROLE_EXPERTS, KVB_SPLIT_EXPERTS_ROWS, KVB_LEAF_VALUES, 0},
        {"model.layers.0.mlp.experts.4.norm.weight", KVB_ROLE_EXPERTS, KVB_SPLIT_EXPERTS_COPY, KVB_LEAF_VALUES, 0},
        {"model.layers.0.mlp.shared_expert.own.weight", KVB_ROLE_SHARED_EXPERT, KVB_SPLIT_ROWS, KVB_LEAF_VALUES, 0},
        {"visual.embed_tokens.weight", KVB_ROLE_VISION, KVB_SPLIT_COPY, KVB_LEAF_VALUES, UINT32_MAX},
        {"a", KVB_ROLE_OTHER, KVB_SPLIT_COPY, KVB_LEAF_VALUES, UINT32_MAX},
        {"", KVB_ROLE_OTHER, KVB_SPLIT_COPY, KVB_LEAF_VALUES, UINT32_MAX},
    };
    for (size_t i = 0; i < sizeof rows / sizeof rows[0]; i++) {
        struct kvb_tensor_kind kind;
        kvb_tensor_kind_of(rows[i].name, &kind);
        if (kind.role != rows[i].role || kind.split != rows[i].split || kind.leaf != rows[i].leaf ||
            (rows[i].role != KVB_ROLE_VISION && kvb_tensor_layer(rows[i].name) != rows[i].layer)) {
            fail_msg("%s: %s, split %d, leaf %d, layer %u", rows[i].name, kvb_role_name(kind.role), (int)kind.split,
                     (int)kind.leaf, (unsigned)kvb_tensor_layer(rows[i].name));
        }
    }
}

// ---- tensors, handed over one by one

static struct kvb_collector collector;

static enum kvb_status collect(const char *name, enum kvb_element element, uint64_t rows, uint64_t columns,
                               uint64_t bytes)
{
    struct kvb_stored_tensor tensor = {.name = name, .element = element, .bytes = bytes};
    tensor.dimensions[tensor.dimension_count++] = rows;
    if (columns > 0) {
        tensor.dimensions[tensor.dimension_count++] = columns;
    }
    return kvb_collect(&collector, &tensor, &problems);
}

// What one stored number holds: eight 4-bit weights in a word of 32 bits, two in a byte, itself elsewhere.
static void test_parameters(void **state)
{
    (void)state;
    static const struct {
        const char *name;
        enum kvb_element element;
        uint32_t bits;
        uint64_t rows, columns, parameters;
    } rows[] = {
        {"a.qweight", KVB_ELEMENT_I32, 0, 8, 16, 8 * 16 * 8},
        {"a.qweight", KVB_ELEMENT_I32, 8, 8, 16, 8 * 16 * 4},
        {"a.qweight", KVB_ELEMENT_I32, 16, 8, 16, 8 * 16 * 8}, // no width of a packed element: 4 bits
        {"a.qweight", KVB_ELEMENT_I16, 4, 8, 16, 8 * 16},      // no word of 32 bits
        {"a.qweight", KVB_ELEMENT_U8, 4, 16, 0, 32},
        {"model.layers.0.mlp.experts.down_proj_blocks", KVB_ELEMENT_U8, 4, 16, 0, 32},
        {"a.weight", KVB_ELEMENT_U8, 4, 16, 0, 16},
        {"a.weight", KVB_ELEMENT_U8, 4, 4, 4, 32},
        {"a.weight", KVB_ELEMENT_BF16, 0, 0, 64, 0}, // of no rows
        {"model.layers.0.mlp.experts.down_proj_bias", KVB_ELEMENT_BF16, 0, 32, 2880, 32 * 2880},
        {"model.layers.0.mlp.router_bias", KVB_ELEMENT_BF16, 0, 32, 2880, 32 * 2880},
    };
    for (size_t i = 0; i < sizeof rows / sizeof rows[0]; i++) {
        assert_int_equal(
            kvb_collect_begin(&collector, &checkpoint, KVB_CHECKPOINT_SAFETENSORS, rows[i].bits, &problems), KVB_OK);
        assert_int_equal(collect(rows[i].name, rows[i].element, rows[i].rows, rows[i].columns, 1), KVB_OK);
        kvb_collect_end(&collector);
        if (checkpoint.parameters != rows[i].parameters) {
            fail_msg("%s, row %zu: %llu parameters", rows[i].name, i, (unsigned long long)checkpoint.parameters);
        }
    }
    // The experts' biases are a list of 32, one an expert; of others the first dimension is no list.
    assert_int_equal(kvb_collect_begin(&collector, &checkpoint, KVB_CHECKPOINT_SAFETENSORS, 0, &problems), KVB_OK);
    assert_int_equal(collect("model.layers.0.mlp.experts.down_proj_bias", KVB_ELEMENT_BF16, 32, 2880, 1), KVB_OK);
    assert_int_equal(collect("model.layers.700.mlp.up_proj.weight", KVB_ELEMENT_BF16, 8, 8, 128), KVB_OK);
    kvb_collect_end(&collector);
    assert_int_equal(checkpoint.classes[0].count, 32);
    assert_int_equal(checkpoint.classes[0].rows, 2880);
    assert_int_equal(checkpoint.tensor_count, 2); // one of a layer beyond all that are known
}

// More than any machine holds is said, be it weights or their scales.
static void test_too_much(void **state)
{
    (void)state;
    static const char *const names[] = {"a.weight",       "b.weight",       "c.weight",
                                        "a.weight_scale", "b.weight_scale", "c.weight_scale"};
    for (size_t first = 0; first < 6; first += 3) {
        enum kvb_status status = kvb_collect_begin(&collector, &checkpoint, KVB_CHECKPOINT_SAFETENSORS, 0, &problems);
        for (size_t i = first; status == KVB_OK && i < first + 3; i++) {
            status = collect(names[i], KVB_ELEMENT_F8_E4M3, UINT64_C(1) << 62, 0, UINT64_C(1) << 63);
        }
        kvb_collect_end(&collector);
        assert_int_equal(status, KVB_OVERFLOW);
        assert_string_equal(problems.items[0].text, "its tensors add up to more than any machine holds");
        kvb_problems_init(&problems);
    }
    assert_int_equal(kvb_collect_begin(&collector, &checkpoint, KVB_CHECKPOINT_SAFETENSORS, 0, &problems), KVB_OK);
    enum kvb_status status = KVB_OK; // parameters alone: words of 32 bits hold eight each
    for (size_t i = 0; status == KVB_OK && i < 3; i++) {
        char name[32];
        (void)snprintf(name, sizeof name, "%zu.qweight", i);
        status = collect(name, KVB_ELEMENT_I32, UINT64_C(1) << 60, 0, 4);
    }
    kvb_collect_end(&collector);
    assert_int_equal(status, KVB_OVERFLOW);
}

// Names of which no two are alike: each is understood, though only so many are remembered.
static void test_many_kinds(void **state)
{
    (void)state;
    enum kvb_status status = kvb_collect_begin(&collector, &checkpoint, KVB_CHECKPOINT_GGUF, 0, &problems);
    for (unsigned i = 0; status == KVB_OK && i < 3000; i++) {
        char name[64];
        (void)snprintf(name, sizeof name, "blk.0.%c%c%c.ffn_up.weight", 'a' + i % 26, 'a' + i / 26 % 26, 'a' + i / 676);
        status = collect(name, KVB_ELEMENT_BF16, 8, 8, 128);
    }
    assert_int_equal(status, KVB_OK);
    assert_int_equal(collect("blk.7", KVB_ELEMENT_F32, 3, 0, 12), KVB_OK);
    kvb_collect_end(&collector);
    assert_int_equal(checkpoint.tensor_count, 3001);
    assert_int_equal(checkpoint.total_bytes, 3000 * 128 + 12);
    assert_int_equal(checkpoint.role_bytes[KVB_ROLE_MLP], 3000 * 128);
}

// ---- files

static void add_shard(const char *name, const char *tensor)
{
    struct shard shard;
    shard_begin(&shard, ".", name);
    shard_tensor(&shard, "BF16", 2, 64, 64, "%s", tensor);
    shard_end(&shard);
}

// A tensor that two files hold is loaded once; one that a file names twice is a mistake.
static void test_again(void **state)
{
    (void)state;
    add_shard("a.safetensors", "lm_head.weight");
    add_shard("b.safetensors", "lm_head.weight");
    add_shard("c.safetensors", "model.embed_tokens.weight");
    assert_int_equal(kvb_checkpoint_load("", 0, &checkpoint, &problems), KVB_OK); // the folder we are in
    assert_int_equal(checkpoint.file_count, 3);
    assert_int_equal(checkpoint.tensor_count, 2);
    assert_int_equal(checkpoint.total_bytes, 2 * 8192);
    write_text(".", "d.safetensors", "vers");
    assert_int_equal(kvb_checkpoint_load(".", 0, &checkpoint, &problems), KVB_BAD_SYNTAX);
    assert_string_equal(problems.items[0].text, "no safetensors file: 4 bytes, but the header's length alone takes 8");
}

// Sizes that a list claims of files of which only the beginning is here are added up like any.
static void test_claimed_sizes(void **state)
{
    (void)state;
    static const char header[] = "{\"a%c.weight_scale\": {\"dtype\": \"F4\", \"shape\": [576460752303423488], "
                                 "\"data_offsets\": [0, 288230376151711744]}}"; // 2^59 of half a byte
    char list[1024] = "", names[17][32];
    for (unsigned i = 0; i < 17; i++) {
        char text[256];
        int length = snprintf(text, sizeof text, header, (char)('a' + i));
        (void)snprintf(names[i], sizeof names[i], "m-%u.safetensors", i);
        FILE *file = fopen(names[i], "wb");
        assert_non_null(file);
        assert_int_equal(fputc(length, file), length);
        assert_int_equal(fwrite("\0\0\0\0\0\0\0", 1, 7, file), 7);
        assert_int_equal(fwrite(text, 1, (size_t)length, file), (size_t)length);
        assert_int_equal(fclose(file), 0);
        (void)snprintf(list + strlen(list), sizeof list - strlen(list), "%llu %s\n",
                       (unsigned long long)(UINT64_C(288230376151711744) + 8 + (uint64_t)length), names[i]);
    }
    write_text(".", KVB_HEADS_NAME, list);
    assert_int_equal(kvb_checkpoint_load(".", 0, &checkpoint, &problems), KVB_OVERFLOW);
    assert_string_equal(problems.items[0].text, "its tensors add up to more than any machine holds");
}

// A weight index: keys that nobody needs are skipped, too many files and bytes are said.
static void test_indexes(void **state)
{
    (void)state;
    static const struct {
        const char *text;
        enum kvb_status status;
        const char *part; // of the sentence, "" when there is none
    } rows[] = {
        {"{\"format\": {\"a\": [1]}, \"metadata\": {\"total_size\": 7, \"x\": [2]}, "
         "\"weight_map\": {\"a\": \"b.safetensors\", \"c\": \"b.safetensors\"}}",
         KVB_OK, ""},
        {"{\"metadata\": {\"total_size\": [}}", KVB_BAD_SYNTAX, ""},
        {"{\"metadata\": {\"total_size\": 7", KVB_BAD_SYNTAX, "the JSON ends"},
        {"{\"weight_map\": {\"a\": \"b.safetensors\"", KVB_BAD_SYNTAX, "the JSON ends"},
        {"{\"weight_map\": {\"a\": \"b.safetensors\"}", KVB_BAD_SYNTAX, "the JSON ends"},
        {"{\"other\": [}", KVB_BAD_SYNTAX, ""},
        {"{\"weight_map\": {\"a\": \".safetensors\"}}", KVB_NOT_ALLOWED, "names the file '.safetensors'"},
        {"{\"weight_map\": {\"a\": \".b.safetensors\"}}", KVB_NOT_ALLOWED, "names the file '.b.safetensors'"},
        {"{\"weight_map\": {\"a\": \"b/c.safetensors\"}}", KVB_NOT_ALLOWED, "names the file 'b/c.safetensors'"},
    };
    for (size_t i = 0; i < sizeof rows / sizeof rows[0]; i++) {
        kvb_problems_init(&problems);
        write_text(".", "model.safetensors.index.json", rows[i].text);
        enum kvb_status status = kvb_checkpoint_load(".", 0, &checkpoint, &problems);
        if (status != rows[i].status || (status != KVB_OK && strstr(problems.items[0].text, rows[i].part) == NULL)) {
            fail_msg("%s: %s: %s", rows[i].text, kvb_status_name(status), problems.items[0].text);
        }
    }
    kvb_problems_init(&problems);
    assert_int_equal(truncate("model.safetensors.index.json", 100000001), 0);
    assert_int_equal(kvb_checkpoint_load(".", 0, &checkpoint, &problems), KVB_TOO_LARGE);
    assert_string_equal(problems.items[0].text, "larger than 100000000 bytes, the most that is read of a weight index");
    struct kvb_shards shards = {0};
    char name[160];
    kvb_problems_init(&problems);
    enum kvb_status status = KVB_OK;
    for (unsigned i = 0; status == KVB_OK && i <= KVB_SHARDS_MAX; i++) {
        (void)snprintf(name, sizeof name, "%u.safetensors", i);
        status = kvb_shards_add(&shards, name, "index", &problems);
    }
    assert_int_equal(status, KVB_TOO_LARGE);
    assert_string_equal(problems.items[0].text, "names more than 4096 files");
    kvb_shards_free(&shards);
    (void)snprintf(name, sizeof name, "%0130u.safetensors", 1U);
    assert_int_equal(kvb_shards_add(&shards, name, "index", &problems), KVB_NOT_ALLOWED);
}

// Wherever a path stops to fit: counted, or said; never taken for a folder without weights when it has some.
static void test_long_way(void **state)
{
    (void)state;
    static char place[KVB_PATH_CAPACITY];
    unsigned counted = 0, refused = 0, none = 0;
    add_shard("model-with-a-name-of-its-own.safetensors", "lm_head.weight");
    for (size_t length = KVB_PATH_CAPACITY - 60; length < KVB_PATH_CAPACITY; length++) {
        kvb_problems_init(&problems);
        size_t used = (size_t)snprintf(place, sizeof place, "%s", root);
        memset(place + used, '/', length - used);
        place[length] = '\0';
        enum kvb_status status = kvb_checkpoint_load(place, 0, &checkpoint, &problems);
        counted += status == KVB_OK && checkpoint.tensor_count == 1;
        refused += status != KVB_OK && problems.count > 0;
        none += status == KVB_OK && checkpoint.tensor_count != 1;
        enum kvb_status kept = kvb_heads_keep(place, 0, &checkpoint, &problems);
        assert_true(kept == KVB_OK || kept == KVB_CANNOT_WRITE);
        (void)unlink("kvbudget-counted.json");
    }
    assert_true(counted > 10 && refused > 10);
    assert_int_equal(none, 0);
}

KVB_TEST_MAIN_WITH(make_root, remove_root, cmocka_unit_test_setup(test_names, begin),
                   cmocka_unit_test_setup(test_parameters, begin), cmocka_unit_test_setup(test_too_much, begin),
                   cmocka_unit_test_setup(test_many_kinds, begin), cmocka_unit_test_setup(test_again, begin),
                   cmocka_unit_test_setup(test_claimed_sizes, begin), cmocka_unit_test_setup(test_indexes, begin),
                   cmocka_unit_test_setup(test_long_way, begin))
