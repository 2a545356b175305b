// What a finding says to write instead, written into the file at the place it names, makes the deployment start:
// for every way a value can stand in a file. Where it does not stand as it is, no place is named.
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include <kvbudget/gate.h>

#include "text/file.h"
#include "unit/test.h"

static char folder[] = "/tmp/kvbudget-fixes-XXXXXX";
static struct kvb_problems problems;
static struct kvb_question question;

static struct kvb_gate *judge(const char *name, const char *text, size_t length)
{
    char path[256];
    enum kvb_status status;
    struct kvb_gate_options options = {.flags = &question, .today = 20261121, .no_policy = true};
    kvb_problems_init(&problems);
    (void)snprintf(path, sizeof path, "%s/%s", folder, name);
    assert_int_equal(kvb_file_replace(path, text, length, &problems), KVB_OK);
    struct kvb_gate *gate = kvb_gate_new(&options, &status, &problems);
    assert_non_null(gate);
    assert_int_equal(kvb_gate_path(gate, path, false, &problems), KVB_OK);
    (void)unlink(path);
    return gate;
}

// The offset of a place; the test's texts are ASCII, so that a character is a byte.
static size_t offset_of(const char *text, struct kvb_spot spot)
{
    const char *at = text;
    for (uint32_t line = 1; line < spot.line; line++) {
        at = strchr(at, '\n') + 1;
    }
    return (size_t)(at - text) + spot.column - 1;
}

static void apply(char *text, const struct kvb_fix *fix)
{
    size_t at = offset_of(text, fix->region.first), size = fix->region.characters, length = strlen(fix->text);
    memmove(text + at + length, text + at + size, strlen(text + at + size) + 1);
    memcpy(text + at, fix->text, length);
}

struct row {
    const char *name, *text;
    const char *was; // what stands at the place; NULL: no place is named
};

// Qwen2.5-7B on an L4 holds some 87,000 tokens of KV cache at 4 GiB and 56 KiB a token: 131072 do not fit.
static const struct row rows[] = {
    {"a.sh", "#!/bin/sh\nvllm serve Qwen/Qwen2.5-7B-Instruct --max-model-len 131072 --port 1\n", "131072"},
    {"b.sh", "vllm serve Qwen/Qwen2.5-7B-Instruct \\\n  --max-model-len=\"131072\" \\\n  --port 1\n", "131072"},
    {"c.sh", "vllm serve Qwen/Qwen2.5-7B-Instruct --max-model-len=131072\n", "131072"},
    {"d.sh", "N=131072\nvllm serve Qwen/Qwen2.5-7B-Instruct --max-model-len $N\n", NULL},
    {"e.sh", "vllm serve Qwen/Qwen2.5-7B-Instruct --max-model-len 128k --port 1\n", "128k"},
    {"Dockerfile",
     "FROM vllm/vllm-openai:v0.11.0\nCMD [\"--model\", \"Qwen/Qwen2.5-7B-Instruct\", \"--max-model-len\", "
     "\"131072\"]\n",
     "131072"},
    {"f.service", "[Service]\nExecStart=/usr/bin/vllm serve Qwen/Qwen2.5-7B-Instruct --max-model-len 131072\n",
     "131072"},
    {"g.yaml",
     "services:\n  s:\n    image: vllm/vllm-openai:v0.11.0\n    command: --model Qwen/Qwen2.5-7B-Instruct "
     "--max-model-len 131072\n",
     "131072"},
    {"h.yaml",
     "services:\n  s:\n    image: vllm/vllm-openai:v0.11.0\n    command:\n      - --model\n"
     "      - Qwen/Qwen2.5-7B-Instruct\n      - --max-model-len\n      - \"131072\"\n",
     "131072"},
    {"i.yaml",
     "services:\n  s:\n    image: vllm/vllm-openai:v0.11.0\n    command: [\"--model=Qwen/Qwen2.5-7B-Instruct\", "
     "'--max-model-len=131072']\n",
     "131072"},
    {"j.yaml", "model: Qwen/Qwen2.5-7B-Instruct\nmax-model-len: 131072\n", "131072"},
    {"k.yaml", "model: Qwen/Qwen2.5-7B-Instruct\nmax_model_len: \"131072\"\n", "131072"},
    {"l.py", "from vllm import LLM\nllm = LLM(model=\"Qwen/Qwen2.5-7B-Instruct\", max_model_len=131072)\n", "131072"},
    {"m.yaml",
     "apiVersion: v1\nkind: Pod\nmetadata: {name: p}\nspec:\n  containers:\n    - name: s\n"
     "      image: vllm/vllm-openai:v0.11.0\n      command: [sh, -c]\n      args:\n        - |\n"
     "          vllm serve Qwen/Qwen2.5-7B-Instruct \\\n            --max-model-len 131072\n",
     "131072"},
    {"n.yaml",
     "llm_configs:\n  - model_loading_config: {model_id: q, model_source: Qwen/Qwen2.5-7B-Instruct}\n"
     "    engine_kwargs: {max_model_len: 131072}\n",
     "131072"},
};

static void test_fixes(void **state)
{
    char text[1024], was[64];
    (void)state;
    for (size_t i = 0; i < sizeof rows / sizeof rows[0]; i++) {
        const struct row *row = &rows[i];
        struct kvb_gate *gate = judge(row->name, row->text, strlen(row->text));
        struct kvb_gate_totals totals = kvb_gate_count(gate);
        print_message("%s\n", row->name);
        assert_int_equal(totals.count, 1);
        const struct kvb_check_finding *reason = kvb_case_reason(&totals.cases[0]);
        assert_non_null(reason);
        assert_int_equal(reason->rule, KVB_CHECK_FITS);
        assert_int_equal(reason->fix_count, 1);
        const struct kvb_fix *fix = &reason->fixes[0];
        assert_int_equal(fix->region.first.line > 0, row->was != NULL);
        assert_non_null(fix->why);
        if (row->was != NULL) {
            size_t at = offset_of(row->text, fix->region.first);
            (void)snprintf(was, sizeof was, "%.*s", (int)fix->region.characters, row->text + at);
            assert_string_equal(was, row->was);
            assert_memory_equal(fix->flag, "--max-model-len ", 16);
            assert_string_equal(fix->flag + 16, fix->text); // the whole value of the flag that is said
            (void)snprintf(text, sizeof text, "%s", row->text);
            apply(text, fix);
            struct kvb_gate *again = judge(row->name, text, strlen(text));
            assert_int_equal(kvb_gate_count(again).passed, 1);
            kvb_gate_free(again);
        }
        kvb_gate_free(gate);
    }
}

// A slip in a flag's name is mended where the name stands.
static void test_names(void **state)
{
    static const struct row slips[] = {
        {"a.sh", "vllm serve Qwen/Qwen2.5-0.5B-Instruct --max-model-length 4096\n", "--max-model-length"},
        {"b.sh", "vllm serve Qwen/Qwen2.5-0.5B-Instruct --max-model-length=4096\n", "--max-model-length"},
        {"c.yaml",
         "services:\n  s:\n    image: vllm/vllm-openai:v0.11.0\n    command: [\"--model\", "
         "\"Qwen/Qwen2.5-0.5B-Instruct\", \"--max-model-length\", \"4096\"]\n",
         "--max-model-length"},
    };
    char text[1024], was[64];
    (void)state;
    for (size_t i = 0; i < sizeof slips / sizeof slips[0]; i++) {
        struct kvb_gate *gate = judge(slips[i].name, slips[i].text, strlen(slips[i].text));
        struct kvb_gate_totals totals = kvb_gate_count(gate);
        const struct kvb_check_finding *reason = kvb_case_reason(&totals.cases[0]);
        assert_non_null(reason);
        assert_int_equal(reason->rule, KVB_CHECK_UNKNOWN_FLAG);
        assert_int_equal(reason->fix_count, 1);
        size_t at = offset_of(slips[i].text, reason->fixes[0].region.first);
        (void)snprintf(was, sizeof was, "%.*s", (int)reason->fixes[0].region.characters, slips[i].text + at);
        assert_string_equal(was, slips[i].was);
        (void)snprintf(text, sizeof text, "%s", slips[i].text);
        apply(text, &reason->fixes[0]);
        struct kvb_gate *again = judge(slips[i].name, text, strlen(text));
        assert_int_equal(kvb_gate_count(again).passed, 1);
        kvb_gate_free(again);
        kvb_gate_free(gate);
    }
}

static int make_folder(void **state)
{
    (void)state;
    kvb_deployment_init(&question.deployment);
    (void)snprintf(question.deployment.gpu, sizeof question.deployment.gpu, "l4");
    return mkdtemp(folder) != NULL ? 0 : -1;
}

static int remove_folder(void **state)
{
    (void)state;
    return rmdir(folder);
}

KVB_TEST_MAIN_WITH(make_folder, remove_folder, cmocka_unit_test(test_fixes), cmocka_unit_test(test_names))
