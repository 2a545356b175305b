// Real configs with one value after the other put wrong: each is read, or refused in words that say where, and
// what is read can be planned without an overflow or a verdict against its own balance.
#include <limits.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include <kvbudget/budget.h>
#include <kvbudget/input.h>

#include "base/memory.h"
#include "text/file.h"
#include "text/folder.h"
#include "unit/test.h"

#define FOLDER KVB_SOURCE_DIR "/tests/fixtures/configs"
#define WRONG_OF_EACH 9 // of the values below, others for each place

static const char *const wrong_values[] = {"0",
                                           "1",
                                           "3",
                                           "-1",
                                           "0.5",
                                           "\"x\"",
                                           "\"auto\"",
                                           "null",
                                           "true",
                                           "[]",
                                           "{}",
                                           "99999999",
                                           "[1,2]",
                                           "[\"x\"]",
                                           "65536",
                                           "1e6",
                                           "{\"type\": \"x\"}",
                                           "\"3\"",
                                           "[0]",
                                           "[null,null]",
                                           "[[1],[2]]",
                                           "7",
                                           "\"mamba\"",
                                           "false",
                                           "2",
                                           "\"none\"",
                                           "16"};
#define FAILURES_EACH 24
#define WRONG_COUNT (sizeof wrong_values / sizeof wrong_values[0])

static struct kvb_problems problems;
static struct kvb_model model;
static struct kvb_plan plan;
static struct kvb_budget budget;
static unsigned read_count, refused_count;

// How long the JSON value at `at` is.
static size_t value_length(const char *at)
{
    size_t i = 0;
    int depth = 0;
    bool text = false;
    for (; at[i] != '\0'; i++) {
        if (text) {
            i += at[i] == '\\';
            text = at[i] != '"';
            continue;
        }
        text = at[i] == '"';
        depth += at[i] == '[' || at[i] == '{';
        bool closes = at[i] == ']' || at[i] == '}';
        if (depth == 0 && (closes || at[i] == ',' || at[i] == '\n')) {
            break;
        }
        depth -= closes;
        if (depth == 0 && closes) {
            return i + 1;
        }
    }
    return i;
}

static void plan_it(const char *name, const char *value)
{
    plan.model = model;
    kvb_problems_init(&problems);
    enum kvb_status status = kvb_budget_compute(&plan, &budget, &problems);
    if ((status != KVB_OK) != (problems.count > 0 && problems.items[0].severity == KVB_ERROR)) {
        fail_msg("%s with %.80s: planned as %s", name, value, kvb_status_name(status));
    }
    if (status == KVB_OK && budget.verdict != KVB_DOES_NOT_FIT && budget.balance_bytes < 0) {
        fail_msg("%s with %.80s: it fits, and %lld bytes are missing", name, value, (long long)-budget.balance_bytes);
    }
}

static void read_one(const char *name, const char *text, const char *value)
{
    kvb_problems_init(&problems);
    memset(&model, 0, sizeof model);
    enum kvb_status status = kvb_model_read_config(name, text, strlen(text), NULL, NULL, 0, NULL, &model, &problems);
    if (status == KVB_OK) {
        read_count++;
        if (model.layer_count == 0 || model.hidden_size == 0 || model.kind_count == 0) {
            fail_msg("%s with %.80s: a model of nothing", name, value);
        }
        plan_it(name, value);
        return;
    }
    refused_count++;
    const struct kvb_problem *problem = &problems.items[0];
    if (problems.count == 0 || problem->severity != KVB_ERROR || problem->text[0] == '\0' ||
        kvb_status_exit_code(status) != 3 || (problem->line == 0 && status != KVB_OVERFLOW) || model.layer_count != 0) {
        fail_msg("%s with %.80s: %s in %u sentences at line %u: %s", name, value, kvb_status_name(status),
                 (unsigned)problems.count, (unsigned)problem->line, problem->text);
    }
}

// The key in front of the value at `begin` is one that nobody reads.
static void leave_out(const char *name, const char *text, char *changed, size_t begin)
{
    size_t key = begin - strlen("\": ");
    while (key > 0 && text[key - 1] != '"') {
        key--;
    }
    strcpy(changed, text);
    changed[key] = '~';
    read_one(name, changed, changed + key);
}

// Each value behind a colon is replaced by others in turn, and left out.
static void walk(const char *name, const char *text, size_t seed)
{
    size_t length = strlen(text), place = seed;
    char *changed = malloc(length + 64);
    assert_non_null(changed);
    for (const char *at = strstr(text, "\": "); at != NULL; at = strstr(at, "\": "), place++) {
        at += 3;
        size_t begin = (size_t)(at - text), old = value_length(at);
        leave_out(name, text, changed, begin);
        for (size_t k = 0; k < WRONG_OF_EACH; k++) {
            const char *value = wrong_values[(place * WRONG_OF_EACH + k) % WRONG_COUNT];
            memcpy(changed, text, begin);
            (void)snprintf(changed + begin, length + 64 - begin, "%s%s", value, at + old);
            read_one(name, changed, changed + (begin > 40 ? begin - 40 : 0));
        }
    }
    free(changed);
}

// Evenly spaced allocations fail, with all that follow: none is passed over.
static void fail_each(const char *name, const char *text)
{
    kvb_problems_init(&problems);
    (void)kvb_memory_fail_after(ULONG_MAX);
    assert_int_equal(kvb_model_read_config(name, text, strlen(text), NULL, NULL, 0, "{}", &model, &problems), KVB_OK);
    unsigned long count = ULONG_MAX - kvb_memory_fail_after(0);
    for (unsigned long n = 1; n <= count; n += 1 + count / FAILURES_EACH) {
        kvb_problems_init(&problems);
        (void)kvb_memory_fail_after(n);
        enum kvb_status status =
            kvb_model_read_config(name, text, strlen(text), NULL, NULL, 0, "{}", &model, &problems);
        (void)kvb_memory_fail_after(0);
        if (status != KVB_NO_MEMORY || problems.count != 1) {
            fail_msg("%s: allocation %lu of %lu: %s", name, n, count, kvb_status_name(status));
        }
    }
}

static void each_value_of_each_config(void **state)
{
    (void)state;
    struct kvb_folder folder;
    struct kvb_settings settings = {0};
    kvb_problems_init(&problems);
    assert_int_equal(kvb_gpu_load("l40s", &plan.gpu, &problems), KVB_OK);
    assert_int_equal(kvb_engine_load("vllm@0.20.0", &plan.engine, &settings, &problems), KVB_OK);
    assert_int_equal(kvb_folder_read(&folder, FOLDER, &problems), KVB_OK);
    assert_true(folder.count > 20);
    for (size_t i = 0; i < folder.count; i++) {
        char path[512];
        struct kvb_file file;
        (void)snprintf(path, sizeof path, FOLDER "/%s", folder.entries[i].name);
        assert_int_equal(kvb_file_read(&file, path, 1U << 20, &problems), KVB_OK);
        walk(folder.entries[i].name, file.text, i);
        fail_each(folder.entries[i].name, file.text);
        kvb_file_free(&file);
    }
    kvb_folder_free(&folder);
    print_message("%u read, %u refused\n", read_count, refused_count);
    assert_true(read_count > 200 && refused_count > 1000);
}

// Patches of no size once divided by zero.
static void lists_of_nothing(void **state)
{
    (void)state;
    static const char *const keys[] = {"patch_size", "image_size"};
    for (size_t i = 0; i < sizeof keys / sizeof keys[0]; i++) {
        char text[512], says[128];
        (void)snprintf(text, sizeof text,
                       "{\"architectures\": [\"LlavaForConditionalGeneration\"], \"text_config\": {\"model_type\": "
                       "\"llama\", \"hidden_size\": 64, \"num_hidden_layers\": 2, \"num_attention_heads\": 4, "
                       "\"intermediate_size\": 128, \"vocab_size\": 1000, \"max_position_embeddings\": 64},\n"
                       "\"vision_config\": {\"%s\": [], \"hidden_size\": 64, \"num_hidden_layers\": 1, "
                       "\"intermediate_size\": 8}}",
                       keys[i]);
        (void)snprintf(says, sizeof says, "%s: expected a whole number, got a list", keys[i]);
        kvb_problems_init(&problems);
        assert_int_equal(kvb_model_read_config("c.json", text, strlen(text), NULL, NULL, 0, NULL, &model, &problems),
                         KVB_BAD_TYPE);
        assert_string_equal(problems.items[0].text, says);
        assert_int_equal(problems.items[0].line, 2);
    }
}

KVB_TEST_MAIN(cmocka_unit_test(each_value_of_each_config), cmocka_unit_test(lists_of_nothing))
