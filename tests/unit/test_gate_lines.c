// `check` over a folder of its own: what flags, policies and files that nobody understands make of a verdict, word for
// word.
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include <kvbudget/input.h>

#include "cli/run.h"
#include "text/file.h"
#include "text/folder.h"
#include "unit/test.h"
#include "unit/words.h"

static char folder[64];

static const struct {
    const char *name, *text;
} files[] = {
    {"two.yaml", "services:\n"
                 "  small:\n"
                 "    image: vllm/vllm-openai:v0.11.0\n"
                 "    command: --model Qwen/Qwen3-0.6B --max-model-len 4096\n"
                 "  ours:\n"
                 "    image: vllm/vllm-openai:v0.11.0\n"
                 "    command: --model team/ours --max-model-len 4096\n"},
    {"one.sh", "vllm serve Qwen/Qwen3-0.6B --max-model-len 4096\n"},
    {"apart.yaml", "services:\n"
                   "  left:\n"
                   "    image: vllm/vllm-openai:v0.11.0\n"
                   "    environment: [CUDA_VISIBLE_DEVICES=0]\n"
                   "    command: --model Qwen/Qwen3-0.6B --max-model-len 4096\n"
                   "  right:\n"
                   "    image: vllm/vllm-openai:v0.11.0\n"
                   "    environment: [CUDA_VISIBLE_DEVICES=1]\n"
                   "    command: --model Qwen/Qwen3-0.6B --max-model-len 4096\n"},
    {"notes/notes.yaml", "we use vllm serve here, somehow: {{ broken\n"},
    {"policy.yaml", "kind: policy\n"
                    "schema: 1\n"
                    "not_understood: error\n"
                    "min_deployments: 3\n"
                    "models:\n"
                    "  - name: team/ours\n"
                    "    model: Qwen/Qwen3-8B\n"
                    "gpus:\n"
                    "  - gpu: l4\n"},
    {"warn.yaml", "kind: policy\nschema: 1\nnot_understood: warn\nunknown: warn\n"},
    {"waive.yaml", "kind: policy\n"
                   "schema: 1\n"
                   "rules:\n"
                   "  - min_length: 8192\n"
                   "    min_slack: 20GiB\n"
                   "waivers:\n"
                   "  - rule: min-length\n"
                   "    name: services.small\n"
                   "    reason: short on purpose\n"
                   "    until: 2999-12-31\n"
                   "  - rule: min-slack\n"
                   "    reason: until the new cards are here\n"
                   "    until: 2020-01-31\n"},
};

static int make_folder(void **state)
{
    (void)state;
    char path[128];
    struct kvb_problems problems;
    strcpy(folder, "/tmp/kvb-gate-XXXXXX");
    kvb_problems_init(&problems);
    bool made = setenv("NO_COLOR", "1", 1) == 0 && setenv("KVBUDGET_OFFLINE", "1", 1) == 0 &&
                setenv("KVBUDGET_CACHE", "/nowhere", 1) == 0 && mkdtemp(folder) != NULL && chdir(folder) == 0 &&
                kvb_folder_make("notes", &problems) == KVB_OK;
    for (size_t i = 0; made && i < sizeof files / sizeof files[0]; i++) {
        (void)snprintf(path, sizeof path, "%s/%s", folder, files[i].name);
        made = kvb_file_create(path, files[i].text, strlen(files[i].text), &problems) == KVB_OK;
    }
    return made ? 0 : -1;
}

static int remove_folder(void **state)
{
    (void)state;
    for (size_t i = 0; i < sizeof files / sizeof files[0]; i++) {
        (void)unlink(files[i].name);
    }
    (void)unlink("written.yaml");
    (void)rmdir("notes");
    return rmdir(folder);
}

struct row {
    const char *line; // words of `check --json`, apart by blanks
    int code;
    const char *texts[4]; // all of them in the document, or among the problems
};

static void check_row(const struct row *row)
{
    struct words words;
    words_of(row->line, &words);
    struct kvb_buffer answer;
    struct arguments *arguments = kvb_run_begin(kvb_commands_find("check"));
    assert_non_null(arguments);
    kvb_buffer_init(&answer);
    int code = kvb_run_words(arguments, words.count, words.words, &answer);
    const char *said = answer.data != NULL ? answer.data : "";
    bool found = true;
    for (size_t i = 0; i < sizeof row->texts / sizeof row->texts[0] && row->texts[i] != NULL; i++) {
        found &= strstr(said, row->texts[i]) != NULL ||
                 (arguments->problems.count > 0 && strstr(arguments->problems.items[0].text, row->texts[i]) != NULL);
    }
    if (code != row->code || !found) {
        fail_msg("kvbudget check %s: exit %d\n%s\n%.3000s", row->line, code,
                 arguments->problems.count > 0 ? arguments->problems.items[0].text : "", said);
    }
    kvb_buffer_free(&answer);
    kvb_run_end(arguments);
}

static void check_rows(const struct row *rows, size_t count)
{
    for (size_t i = 0; i < count; i++) {
        check_row(&rows[i]);
    }
}

// However many files nobody understands: each is named.
static void many_not_understood(void **state)
{
    (void)state;
    char path[64], name[64];
    struct kvb_problems problems;
    kvb_problems_init(&problems);
    assert_int_equal(kvb_folder_make("many", &problems), KVB_OK);
    for (unsigned i = 0; i < 40; i++) {
        static const char text[] = "we use vllm serve here, somehow: {{ broken\n";
        (void)snprintf(path, sizeof path, "many/n%02u.yaml", i);
        assert_int_equal(kvb_file_create(path, text, sizeof text - 1, &problems), KVB_OK);
    }
    for (unsigned i = 0; i < 40; i += 13) {
        (void)snprintf(name, sizeof name, "many/n%02u.yaml", i);
        const struct row row = {"--json many --policy warn.yaml", 0, {name}};
        check_row(&row);
    }
    assert_int_equal(kvb_folder_remove("many", &problems), KVB_OK);
}

#define EACH(rows) check_rows(rows, sizeof rows / sizeof rows[0])

// Flags stand for what the files say.
static void flags(void **state)
{
    (void)state;
    static const struct row rows[] = {
        {"--json one.sh --gpu l4", 0, {"\"verdict\": \"pass\""}},
        {"--json two.yaml --gpu nosuch", 3, {"no GPU is called 'nosuch'; `kvbudget profiles list` shows all"}},
        {"--json two.yaml --gpu l4", 3, {"model 'team/ours' is not built in; its own config: `curl -fL "}},
        {"--json two.yaml --gpu l4 --model ./nowhere", 3, {"model './nowhere': no such file or folder"}},
        {"--json one.sh --gpu l4 --gpu-free 10GiB", 1, {" GiB are free at start; set --gpu-memory-utilization 0."}},
        {"--json two.yaml --gpu l4 --gpu-free 10GiB --model Qwen/Qwen3-0.6B",
         1,
         {"it asks for 19.84 GiB and 10.00 GiB are free at start", "\"rule\": \"together\""}},
        {"--json two.yaml --gpu-memory 80GB --model Qwen/Qwen3-0.6B --max-model-len 8192",
         1,
         {"requests of 8,192 tokens"}},
        {"--json one.sh --gpu l4 --engine vllm@0.10.0 --hf-overrides {\"max_position_embeddings\":2048}",
         1,
         {"User-specified max_model_len (4096) is greater than the derived max_model_len "
          "(max_position_embeddings=2048"}},
        {"--json two.yaml --gpu l4 --model Qwen/Qwen3-0.6B --usage offline --platform wsl2",
         1,
         {"it asks for 20.24 GiB there"}},
        {"--json one.sh --gpu l4 --expect 2", 1, {"\"rule\": \"deployments\""}},
        {"--json one.sh --gpu l4 --expect 1", 0, {"\"verdict\": \"pass\""}},
        {"--json apart.yaml --gpu l4", 0, {"services.left", "services.right"}}, // a card each
    };
    EACH(rows);
}

static void policies(void **state)
{
    (void)state;
    static const struct row rows[] = {
        {"--json two.yaml --policy policy.yaml",
         1,
         {"Qwen/Qwen3-8B", "it shares GPU 0 (NVIDIA L4) with services.small: it asks for 19.84 GiB there",
          "the policy asks for at least 3 deployments, 2 found"}},
        {"--json notes --policy policy.yaml",
         3,
         {"it speaks of an engine and no deployment could be read from it", "notes/notes.yaml"}},
        {"--json notes --policy warn.yaml", 0, {"notes/notes.yaml"}},
        {"--json two.yaml --policy warn.yaml --gpu l4",
         0,
         {"model 'team/ours' is not built in", "\"severity\": \"warning\""}},
        {"--json two.yaml --policy waive.yaml --gpu l4 --model Qwen/Qwen3-0.6B",
         1,
         {"(waived: short on purpose)", "(its waiver ran out on 2020-01-31)", "\"rule\": \"min-length\"",
          "\"rule\": \"min-slack\""}},
        {"--json two.yaml --policy nowhere.yaml", 4, {"cannot open"}},
        {"--json two.yaml --policy two.yaml", 3, {"expected a mapping that begins with 'kind: policy'"}},
        {"--init two.yaml --policy written.yaml --gpu l4", 0, {"written.yaml"}},
        {"--init two.yaml --policy written.yaml --gpu l4",
         4,
         {"it is there already and stays as it is; name another with --policy"}},
    };
    EACH(rows);
}

KVB_TEST_MAIN_WITH(make_folder, remove_folder, cmocka_unit_test(flags), cmocka_unit_test(policies),
                   cmocka_unit_test(many_not_understood))
