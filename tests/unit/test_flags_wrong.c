// Every flag of every engine with every kind of value, and JSON flags with one value put wrong at a time: read, or
// refused in a sentence, with the deployment as it was.
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include <kvbudget/input.h>

#include "base/memory.h"
#include "budget/engine.h"
#include "command/json_flag.h"
#include "engines/table.h"
#include "unit/test.h"

static const char *const values[] = {
    "0",        "1",
    "-1",       "0.5",
    "x",        "auto",
    "",         "True",
    "false",    "4k",
    "None",     "[1,2]",
    "{}",       "{\"a\": 1}",
    "null",     "99999999999999",
    "image=2,", "[ngram]",
    "a/b",      "1e9",
    "'",        "{",
    "fp8",      "a=b",
    ".",        "[\"x\", null]",
    "image=-1", "{\"a\": {}}",
    "8",        "{\"path\": 3}",
    "256",      "[[1]]",
    "1 2 x",    "{\"path\": \"y\"}",
};
#define VALUE_COUNT (sizeof values / sizeof values[0])
#define OF_EACH 9 // values of each flag, others in the next

static struct kvb_problems problems;
static struct kvb_deployment deployment, before;
static unsigned read_count, refused_count;

// ---- lines

static void read_line(int count, const char *const *words)
{
    kvb_problems_init(&problems);
    kvb_deployment_init(&deployment);
    enum kvb_status status = kvb_serve_command_read(count, words, &deployment, &problems);
    bool said = kvb_problems_status(&problems) != KVB_OK; // of a mistake; notes are no refusal
    read_count += status == KVB_OK;
    refused_count += status != KVB_OK;
    if (said != (status != KVB_OK) || (status != KVB_OK && kvb_status_exit_code(status) != 3)) {
        fail_msg("%s %s %s %s %s: %s: %s", words[0], words[1], words[2], words[3], count > 4 ? words[4] : "",
                 kvb_status_name(status), problems.items[0].text);
    }
}

static void try_flag(const struct kvb_serve_program *program, const char *name, const char *dashes, const char *value)
{
    static const char *const forms[] = {"%s%s=%s", "%s%s%s", "%s%s.num=%s", "%s%s.a.b+=%s", "%sno-%s=%s"};
    char word[256], bare[128];
    (void)snprintf(bare, sizeof bare, "%s%s", dashes, name);
    const char *begin[] = {program->name, program->second != NULL ? program->second : "a/b", "a/b", bare, value, value};
    read_line(4, begin);
    read_line(5, begin);
    read_line(6, begin);
    for (size_t i = 0; i < sizeof forms / sizeof forms[0]; i++) {
        (void)snprintf(word, sizeof word, forms[i], dashes, name, value);
        begin[3] = word;
        read_line(4, begin);
    }
    (void)snprintf(word, sizeof word, "%s%s.key", dashes, name);
    begin[3] = word;
    read_line(5, begin);
}

static void each_flag_of_each_engine(void **state)
{
    (void)state;
    size_t engines, turn = 0;
    const struct kvb_engine_rows *const *rows = kvb_engines(&engines);
    read_count = refused_count = 0;
    for (size_t i = 0; i < engines; i++) {
        size_t count = 0;
        const struct kvb_serve_program *programs = rows[i]->programs != NULL ? rows[i]->programs(&count) : NULL;
        const struct kvb_serve_flag *flag;
        for (unsigned k = 0; count > 0 && (flag = rows[i]->flag(k)) != NULL; k++) {
            for (size_t n = 0; n < OF_EACH; n++, turn++) {
                const char *value = values[turn % VALUE_COUNT];
                try_flag(&programs[0], flag->name != NULL ? flag->name : flag->short_name,
                         flag->name != NULL ? "--" : "-", value);
                if (flag->short_name != NULL) {
                    try_flag(&programs[0], flag->short_name, "-", value);
                }
            }
        }
    }
    print_message("%u lines read, %u refused\n", read_count, refused_count);
    assert_true(read_count > 10000 && refused_count > 5000);
}

// ---- values with parts

static const char *const wholes[][2] = {
    {"speculative-config", "{\"method\": \"eagle\", \"model\": \"a/b\", \"num_speculative_tokens\": 5}"},
    {"speculative-config", "{\"model\": \"a/b\"}"},
    {"limit-mm-per-prompt", "{\"image\": 2, \"video\": {\"count\": 1, \"num_frames\": 32}, \"audio\": 0}"},
    {"limit-mm-per-prompt", "\"image=2,video=1,audio=3\""},
    {"mm-processor-kwargs", "{\"max_pixels\": 1280, \"min_pixels\": 256}"},
    {"mm-processor-kwargs", "{\"size\": {\"longest_edge\": 602112}}"},
    {"compilation-config", "{\"level\": 3, \"cudagraph_mode\": \"FULL\", \"cudagraph_capture_sizes\": [1, 2, 16]}"},
    {"compilation-config", "{\"use_cudagraph\": false, \"full_cuda_graph\": true, \"max_cudagraph_capture_size\": 8}"},
    {"compilation-config", "{\"max_capture_size\": 512, \"pass_config\": {\"enable_noop\": true}}"},
    {"cudagraph-capture-sizes", "[1, 2, 4, 8]"},
    {"kv-transfer-config", "{\"kv_connector\": \"LMCacheConnectorV1\", \"kv_role\": \"kv_both\"}"},
    {"hf-overrides", "{\"rope_scaling\": {\"factor\": 4.0}, \"a\": [1, true, null, \"5\"]}"},
};

static void read_flag(const char *flag, const char *text)
{
    kvb_problems_init(&problems);
    kvb_deployment_init(&deployment);
    before = deployment;
    enum kvb_status status = kvb_json_flag(flag, text, KVB_ORIGIN_FLAG, &deployment, &problems);
    bool same = memcmp(&before, &deployment, sizeof before) == 0;
    read_count += status == KVB_OK;
    refused_count += status != KVB_OK;
    if (status != KVB_OK &&
        (!same || problems.count == 0 || problems.items[0].text[0] == '\0' || kvb_status_exit_code(status) != 3)) {
        fail_msg("--%s %s: %s: %s%s", flag, text, kvb_status_name(status), problems.items[0].text,
                 same ? "" : ", and the deployment is another one");
    }
}

static void put_wrong(const char *flag, const char *text)
{
    char changed[512];
    for (const char *at = strpbrk(text, ":,["); at != NULL; at = strpbrk(at + 1, ":,[")) {
        size_t begin = (size_t)(at + 1 - text), end = begin + strcspn(text + begin, ",}]");
        for (size_t i = 0; i < VALUE_COUNT; i++) {
            (void)snprintf(changed, sizeof changed, "%.*s %s%s", (int)begin, text, values[i], text + end);
            read_flag(flag, changed);
        }
    }
    for (const char *at = strchr(text, '"'); at != NULL; at = strchr(at + 1, '"')) { // another letter, one more
        (void)snprintf(changed, sizeof changed, "%.*sz%s", (int)(at + 1 - text), text, at[1] != '\0' ? at + 2 : "");
        read_flag(flag, changed);
        (void)snprintf(changed, sizeof changed, "%.*sqqqq%s", (int)(at + 1 - text), text, at + 1);
        read_flag(flag, changed);
    }
}

static void each_part_of_each_value(void **state)
{
    (void)state;
    read_count = refused_count = 0;
    for (size_t i = 0; i < sizeof wholes / sizeof wholes[0]; i++) {
        put_wrong(wholes[i][0], wholes[i][1]);
        for (size_t k = 0; k < sizeof wholes / sizeof wholes[0]; k++) { // the value of another flag
            read_flag(wholes[i][0], wholes[k][1]);
        }
        for (size_t k = 0; k < VALUE_COUNT; k++) {
            read_flag(wholes[i][0], values[k]);
        }
    }
    print_message("%u values read, %u refused\n", read_count, refused_count);
    assert_true(read_count > 200 && refused_count > 200);
}

// Nothing is kept of a flag whose reading ran out of memory.
static void memory_runs_out(void **state)
{
    (void)state;
    for (size_t i = 0; i < sizeof wholes / sizeof wholes[0]; i++) {
        enum kvb_status status = KVB_NO_MEMORY;
        for (unsigned long n = 1; status != KVB_OK; n++) {
            kvb_problems_init(&problems);
            kvb_deployment_init(&deployment);
            before = deployment;
            (void)kvb_memory_fail_after(n);
            status = kvb_json_flag(wholes[i][0], wholes[i][1], KVB_ORIGIN_FLAG, &deployment, &problems);
            (void)kvb_memory_fail_after(0);
            bool same = memcmp(&before, &deployment, sizeof before) == 0;
            if (status != KVB_OK && (status != KVB_NO_MEMORY || !same || problems.count == 0)) {
                fail_msg("--%s %s: allocation %lu: %s", wholes[i][0], wholes[i][1], n, kvb_status_name(status));
            }
            assert_true(n < 500);
        }
    }
}

KVB_TEST_MAIN(cmocka_unit_test(each_flag_of_each_engine), cmocka_unit_test(each_part_of_each_value),
              cmocka_unit_test(memory_runs_out))
