// Weight files of which only the head is kept, and the count beside them.
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "base/memory.h"
#include "checkpoint_files.h"
#include "model/checkpoint/checkpoint.h"
#include "model/checkpoint/heads.h"
#include "text/folder.h"
#include "unit/own_folder.h"
#include "unit/test.h"

static struct kvb_problems problems;

// The head of a file of 8 + length + 8192 bytes: one matrix of 64 x 64 elements of 2 bytes.
static void write_head(const char *list)
{
    static const char header[] = "{\"model.layers.0.mlp.up_proj.weight\": {\"dtype\": \"BF16\", \"shape\": [64, 64], "
                                 "\"data_offsets\": [0, 8192]}}";
    char bytes[8 + sizeof header], path[128];
    memset(bytes, 0, sizeof bytes);
    bytes[0] = (char)(sizeof header - 1);
    memcpy(bytes + 8, header, sizeof header - 1);
    (void)snprintf(path, sizeof path, "%s/model.safetensors", root);
    FILE *file = fopen(path, "wb");
    assert_non_null(file);
    assert_int_equal(fwrite(bytes, 1, 8 + sizeof header - 1, file), 8 + sizeof header - 1);
    assert_int_equal(fclose(file), 0);
    char lines[128];
    (void)snprintf(lines, sizeof lines, list, (unsigned)(8 + sizeof header - 1 + 8192));
    write_text(root, KVB_HEADS_NAME, lines);
}

static void test_heads(void **state)
{
    (void)state;
    struct kvb_checkpoint *first = calloc(1, sizeof *first), *second = calloc(1, sizeof *second);
    assert_non_null(first);
    assert_non_null(second);
    kvb_problems_init(&problems);
    write_head("17 other.safetensors\n%u model.safetensors\n");
    assert_int_equal(kvb_checkpoint_load(root, 0, first, &problems), KVB_OK);
    assert_int_equal(first->kind, KVB_CHECKPOINT_SAFETENSORS);
    assert_int_equal(first->total_bytes, 8192);
    // What was counted is kept, for these bits alone.
    assert_false(kvb_heads_recall(root, 0, second));
    first->classes[0].layers[7] = UINT64_C(0x8000000000000001);
    assert_int_equal(kvb_heads_keep(root, 0, first, &problems), KVB_OK);
    assert_true(kvb_heads_recall(root, 0, second));
    assert_memory_equal(first, second, sizeof *first);
    assert_false(kvb_heads_recall(root, 4, second));
    assert_int_equal(second->tensor_count, 0);
    assert_int_equal(kvb_checkpoint_load(root, 0, second, &problems), KVB_OK);
    assert_memory_equal(first, second, sizeof *first);
    // Cut short, of another version, or no list at all: it is counted anew.
    write_text(root, "kvbudget-counted.json", "[\"0.0.0\", 1, 0]");
    assert_false(kvb_heads_recall(root, 0, second));
    write_text(root, "kvbudget-counted.json", "{}");
    assert_false(kvb_heads_recall(root, 0, second));
    assert_int_equal(kvb_checkpoint_load(root, 0, second, &problems), KVB_OK);
    assert_int_equal(second->total_bytes, 8192);
    free(first);
    free(second);
}

// Cut anywhere, or with a number that cannot be, what was counted is not recalled, and nothing of it is left.
static void test_counted_cut(void **state)
{
    (void)state;
    struct kvb_checkpoint *first = calloc(1, sizeof *first), *second = calloc(1, sizeof *second);
    char path[128], text[4096], cut[4096];
    assert_non_null(first);
    assert_non_null(second);
    kvb_problems_init(&problems);
    write_head("%u model.safetensors\n");
    assert_int_equal(kvb_folder_remove(root, NULL), KVB_OK);
    assert_int_equal(kvb_folder_make(root, &problems), KVB_OK);
    write_head("%u model.safetensors\n");
    assert_int_equal(kvb_checkpoint_load(root, 0, first, &problems), KVB_OK);
    assert_int_equal(kvb_heads_keep(root, 0, first, &problems), KVB_OK);
    (void)snprintf(path, sizeof path, "%s/kvbudget-counted.json", root);
    FILE *file = fopen(path, "r");
    assert_non_null(file);
    size_t length = fread(text, 1, sizeof text - 1, file), end = 0;
    assert_int_equal(fclose(file), 0);
    text[length] = '\0';
    for (size_t i = 0; i < length; i++) {
        end = text[i] == ']' ? i : end;
    }
    for (size_t at = 0; at < end; at++) {
        memcpy(cut, text, at);
        cut[at] = '\0';
        write_text(root, "kvbudget-counted.json", cut);
        assert_false(kvb_heads_recall(root, 0, second));
        assert_int_equal(second->class_count, 0);
    }
    for (char *comma = strchr(text, ','); comma != NULL; comma = strchr(comma + 1, ',')) {
        (void)snprintf(cut, sizeof cut, "%.*s,-1%s", (int)(comma - text), text, comma + 1 + strcspn(comma + 1, ",\n]"));
        write_text(root, "kvbudget-counted.json", cut);
        assert_false(kvb_heads_recall(root, 0, second));
    }
    write_text(root, "kvbudget-counted.json", text);
    assert_true(kvb_heads_recall(root, 0, second));
    for (unsigned long n = 1; n < 4; n++) { // what could not be kept or recalled is counted anew
        (void)kvb_memory_fail_once(n);
        enum kvb_status kept = kvb_heads_keep(root, 0, first, &problems);
        bool reached = kvb_memory_fail_once(0) == 0;
        assert_int_equal(kept, reached ? KVB_NO_MEMORY : KVB_OK);
        (void)kvb_memory_fail_once(n);
        bool recalled = kvb_heads_recall(root, 0, second);
        assert_int_equal(recalled, kvb_memory_fail_once(0) != 0);
    }
    free(first);
    free(second);
}

// A size that is no number, or none for the file: it is as long as it is.
static void test_lists(void **state)
{
    (void)state;
    static const char *const lists[] = {"", "x model.safetensors\n", "12 other %u\n", "model.safetensors\n"};
    static struct kvb_checkpoint checkpoint;
    char path[128];
    (void)snprintf(path, sizeof path, "%s/kvbudget-counted.json", root);
    (void)unlink(path);
    for (size_t i = 0; i < sizeof lists / sizeof lists[0]; i++) {
        kvb_problems_init(&problems);
        write_head("%u x\n");
        write_text(root, KVB_HEADS_NAME, lists[i]);
        assert_int_equal(kvb_checkpoint_load(root, 0, &checkpoint, &problems), KVB_OUT_OF_RANGE);
    }
}

KVB_TEST_MAIN_WITH(make_bare_root, remove_root, cmocka_unit_test(test_heads), cmocka_unit_test(test_counted_cut),
                   cmocka_unit_test(test_lists))
