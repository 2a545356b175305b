// Files of flags that a serve line names. What the words have to be is what the releases' own readers make of the file:
// vllm/utils.py, vllm/utils/__init__.py and vllm/utils/argparse_utils.py (_pull_args_from_config, load_config_file),
// sglang/srt/server_args_config_parser.py (ConfigArgumentMerger), each at the tag of the row.
#include <stdio.h>
#include <string.h>

#include <kvbudget/input.h>

#include "base/memory.h"
#include "command/serve_command.h"
#include "unit/test.h"

#define WORDS_MAX 24

static struct kvb_problems problems;
static struct kvb_deployment deployment;
static char said[8192];

// A line, the file "c.yaml", and what comes of it: the flags as noted, one behind the other, or the first mistake.
struct row {
    const char *engine, *line, *file, *wanted;
};

static enum kvb_status read_text(void *context, struct kvb_file *file, const char *path, size_t max_bytes,
                                 struct kvb_problems *out)
{
    const char *text = context;
    assert_true(max_bytes == 1048576);
    if (text == NULL) {
        return kvb_problem_add(out, KVB_ERROR, KVB_CANNOT_OPEN, (struct kvb_place){.file = path}, "it is not there");
    }
    file->length = strlen(text);
    file->text = kvb_reallocate(NULL, file->length + 1);
    if (file->text == NULL) {
        return KVB_NO_MEMORY;
    }
    memcpy(file->text, text, file->length + 1);
    return KVB_OK;
}

static int split(const char *line, char out[1024], const char *words[WORDS_MAX])
{
    int count = 0;
    (void)snprintf(out, 1024, "%s", line);
    for (char *at = out; *at != '\0';) {
        words[count++] = at;
        at += strcspn(at, " ");
        if (*at == ' ') {
            *at++ = '\0';
        }
    }
    return count;
}

static void note_flags(void)
{
    (void)snprintf(said, sizeof said, "%s:", deployment.model);
    size_t used = strlen(said);
    for (const char *at = deployment.serve_flags; *at != '\0'; at++) {
        said[used++] = *at == '\n' ? ' ' : *at;
    }
    said[used] = '\0';
}

static enum kvb_status read(const struct row *row, const struct kvb_serve_beside *beside)
{
    const char *words[WORDS_MAX];
    char copy[1024];
    kvb_problems_init(&problems);
    kvb_deployment_init(&deployment);
    (void)snprintf(deployment.engine, sizeof deployment.engine, "%s", row->engine);
    enum kvb_status status =
        kvb_serve_command_read_beside(split(row->line, copy, words), words, beside, NULL, &deployment, &problems);
    if (status == KVB_OK) {
        note_flags();
    } else {
        const struct kvb_problem *first = &problems.items[0];
        (void)snprintf(said, sizeof said, "!%s %s:%u:%u %s", kvb_status_name(status), first->file,
                       (unsigned)first->line, (unsigned)first->column, first->text);
    }
    return status;
}

static void check_rows(const struct row *rows, size_t count)
{
    for (size_t i = 0; i < count; i++) {
        const struct kvb_files files = {.context = (void *)(uintptr_t)rows[i].file, .read = read_text};
        const struct kvb_serve_beside beside = {.files = &files};
        (void)read(&rows[i], &beside);
        if (strcmp(said, rows[i].wanted) != 0) {
            fail_msg("%s: %s\n%s\n  gives '%s'\n  not   '%s'", rows[i].engine, rows[i].line, rows[i].file, said,
                     rows[i].wanted);
        }
    }
}
#define CHECK(rows) check_rows(rows, sizeof(rows) / sizeof((rows)[0]))

#define SERVE "vllm serve a/b --config c.yaml"
#define TRUTHS "enforce-eager: true\nenable_chunked_prefill: false\nenable-chunked-prefill: false\nenable-lora: no\n"
static const struct row vllm[] = {
    {"", SERVE, "max-model-len: 4096\ngpu_memory_utilization: 0.50\n",
     "a/b: --max-model-len 4096 --gpu_memory_utilization 0.50"},
    // The line's own words come behind, so that they win.
    {"", "vllm serve a/b --max-model-len 8 --config c.yaml -tp 2", "max-model-len: 4096\n",
     "a/b: --max-model-len 4096 --max-model-len 8 -tp 2"},
    {"", SERVE, "model: c/d\nseed: 1\n", "a/b: --seed 1"}, // the positional one is taken
    {"", "vllm serve --config c.yaml", "model: c/d\nseed: 1\n", "c/d: --model c/d --seed 1"},
    {"", "vllm serve --seed 2 --config c.yaml", "model: c/d\n", "c/d: --model c/d --seed 2"},
    {"", "vllm serve --config c.yaml", "seed: 1\n",
     "!bad_syntax :0:0 in the serve command: with --config c.yaml, the model has to be the word behind serve, or in "
     "the file"},
    {"", "vllm serve --config c.yaml a/b", "seed: 1\n",
     "!bad_syntax :0:0 in the serve command: with --config c.yaml, the model has to be the word behind serve, or in "
     "the file"},
    {"", "vllm serve --config c.yaml --model a/b", "seed: 1\n", "a/b: --seed 1 --model a/b"},
    {"vllm@0.11.1", "vllm serve --config c.yaml --model=a/b", "seed: 1\n", "a/b: --seed 1 --model=a/b"},
    {"vllm@0.11.0", "vllm serve --config c.yaml --model a/b", "seed: 1\n",
     "!bad_syntax :0:0 in the serve command: with --config c.yaml, with vllm serve the model is the word behind serve, "
     "or in the file, not --model"},
    {"vllm@0.8.3", "vllm serve --config c.yaml", "model: c/d\n", "c/d: --model c/d"},
    {"vllm@0.8.2", "vllm serve --config c.yaml", "model: c/d\n",
     "!bad_syntax :0:0 in the serve command: with --config c.yaml, the model has to be the word behind serve; 0.8.3 "
     "and later take it from the file, too"},
    {"vllm@0.6.3", "vllm serve --config c.yaml a/b", "seed: 1\n",
     "!bad_syntax :0:0 in the serve command: with --config c.yaml, the model has to be the word behind serve; 0.8.3 "
     "and later take it from the file, too"},
    {"vllm@0.6.2", "vllm serve --config c.yaml a/b", "seed: 1\n", "a/b: --seed 1"},
    {"vllm@0.6.2", "vllm serve --config c.yaml", "model: c/d\n",
     "!bad_syntax :0:0 in the serve command: with --config c.yaml, the model has to be the word behind serve; 0.8.3 "
     "and later take it from the file, too"},
    {"vllm@0.8.2", "vllm serve --config c.yaml --model a/b", "seed: 1\n",
     "!bad_syntax :0:0 in the serve command: with --config c.yaml, the model has to be the word behind serve; 0.8.3 "
     "and later take it from the file, too"},
    {"vllm@0.6.2", "vllm serve --config c.yaml --model a/b", "seed: 1\n",
     "!bad_syntax :0:0 in the serve command: with --config c.yaml, the model has to be the word behind serve; 0.8.3 "
     "and later take it from the file, too"},
    // Before 0.6.4 every value is written; then those of StoreBoolean, whose names have underscores, to 0.8.4.
    {"vllm@0.6.3", SERVE, TRUTHS,
     "a/b: --enforce-eager True --enable_chunked_prefill False --enable-chunked-prefill False --enable-lora False"},
    {"vllm@0.6.4", SERVE, TRUTHS, "a/b: --enforce-eager --enable_chunked_prefill False"},
    {"vllm@0.8.4", SERVE, TRUTHS, "a/b: --enforce-eager --enable_chunked_prefill False"},
    // A name cut short and one that no flag has are none of StoreBoolean's: False is left out.
    {"vllm@0.8.4", SERVE, "enable_chunked_pref: false\nunheard_of: false\nseed: 1\n", "a/b: --seed 1"},
    {"vllm@0.8.5", SERVE, TRUTHS, "a/b: --enforce-eager"},
    {"vllm@0.27.1", SERVE, TRUTHS, "a/b: --enforce-eager"},
    {"", SERVE, "lora-modules: [a=b, c=d]\nmiddleware: []\n", "a/b: --lora-modules a=b c=d"},
    {"vllm@0.10.1", SERVE, "served-model-name: [a, 1]\n", "a/b: --served-model-name ['a', 1]"},
    {"vllm@0.10.2", SERVE, "served-model-name: [a, 1]\n", "a/b: --served-model-name a 1"},
    {"vllm@0.10.1", SERVE, "seed: 1\ncuda-graph-sizes: [1, 2]\n",
     "!bad_type c.yaml:2:1 cuda-graph-sizes: this release of vLLM takes a list of a file of --config as one word; give "
     "it as a flag"},
    {"vllm@0.10.2", SERVE, "cuda-graph-sizes: [1, 2]\n", "a/b: --cuda-graph-sizes 1 2"},
    {"vllm@0.15.1", SERVE, "limit-mm-per-prompt: {image: 0}\n", "a/b: --limit-mm-per-prompt {'image': 0}"},
    {"vllm@0.16.0", SERVE, "limit-mm-per-prompt: {image: 0}\n", "a/b: --limit-mm-per-prompt {\"image\": 0}"},
    {"", SERVE, "quantization:\nmax-model-len: 0x1000\n", "a/b: --quantization None --max-model-len 4096"},
    {"", SERVE, "seed: 1\nseed: 2\nport: &n 3\nttl: *n\n", "a/b: --seed 2 --port 3 --ttl 3"},
    // Without a subcommand the words went behind the first one before 0.10.2.
    {"vllm@0.10.2", "python -m vllm.entrypoints.openai.api_server --config c.yaml --model a/b", "seed: 1\n",
     "a/b: --seed 1 --model a/b"},
    {"vllm@0.10.1", "python -m vllm.entrypoints.openai.api_server --config c.yaml --model a/b", "seed: 1\n",
     "!bad_syntax :0:0 in the serve command: with --config c.yaml, before 0.10.2 its keys go behind the first word of "
     "the line, which takes them from its value; start it with vllm serve"},
    {"vllm@0.10.1", "python -m vllm.entrypoints.openai.api_server --model a/b --config c.yaml", "seed: 1\n",
     "!bad_syntax :0:0 in the serve command: with --config c.yaml, before 0.10.2 its keys go behind the first word of "
     "the line, which takes them from its value; start it with vllm serve"},
    {"vllm@0.10.1", "python -m vllm.entrypoints.openai.api_server --model=a/b --config c.yaml", "seed: 1\n",
     "a/b: --seed 1 --model=a/b"},
    {"vllm@0.10.1", "python -m vllm.entrypoints.openai.api_server --enforce-eager --config c.yaml --model a/b",
     "seed: 1\n", "a/b: --seed 1 --enforce-eager --model a/b"},
    {"vllm@0.5.5", SERVE, "seed: 1\n", "a/b: --config c.yaml"}, // which the release does not know
    {"", "vllm serve a/b --config=c.yaml", "seed: 1\n", "a/b: --config=c.yaml"},
};

#define LAUNCH "python -m sglang.launch_server --model-path a/b --config c.yaml"
static const struct row sglang[] = {
    {"", LAUNCH, "model-path: c/d\ncontext-length: 4096\n",
     "a/b: --model-path c/d --context-length 4096 --model-path a/b"},
    {"", LAUNCH, "", "a/b: --model-path a/b"},
    {"", LAUNCH, "# nothing\n  \n\t# more", "a/b: --model-path a/b"},
    // To 0.5.7 nothing is found to be a switch, so that every truth is a flag alone.
    {"sglang@0.5.7", LAUNCH, "disable-cuda-graph: true\nenable-lora: off\n",
     "a/b: --disable-cuda-graph --model-path a/b"},
    {"sglang@0.5.7", LAUNCH, "tp-size: true\n", "!bad_syntax c.yaml:1:1 --tp-size needs a value"},
    {"sglang@0.5.8", LAUNCH, "disable-cuda-graph: true\nhost: on\nx: no\nenable-mixed-chunk: false\n",
     "a/b: --disable-cuda-graph --host true --x false --model-path a/b"},
    {"sglang@0.5.13", LAUNCH, "json-model-override-args: {a: yes}\n",
     "a/b: --json-model-override-args {'a': True} --model-path a/b"},
    {"sglang@0.5.14", LAUNCH, "json-model-override-args: {a: yes}\n",
     "a/b: --json-model-override-args {\"a\": true} --model-path a/b"},
    {"sglang@0.5.7", LAUNCH, "lora-paths: [x]\n", "a/b: --lora-paths x --model-path a/b"},
    {"sglang@0.5.8", LAUNCH, "a: 1\nlora-paths: [x]\n",
     "!not_allowed c.yaml:2:1 lora-paths: SGLang takes it in its command alone, not from a file of --config"},
    {"sglang@0.5.12", LAUNCH, "lora-strict-loading: true\n",
     "!not_allowed c.yaml:1:1 lora-strict-loading: SGLang takes it in its command alone, not from a file of --config"},
    {"sglang@0.5.12", LAUNCH, "lora-path: x\n", "a/b: --lora-path x --model-path a/b"}, // asked for by its whole name
    {"", "python -m sglang.launch_server --model-path a/b --config C.YML", "seed: 1\n",
     "a/b: --seed 1 --model-path a/b"},
    {"", "python -m sglang.launch_server --model-path a/b --config .yaml", "seed: 1\n",
     "!bad_type .yaml:0:0 SGLang takes a file of --config only when its name ends in .yaml or .yml"},
    {"", "python -m sglang.launch_server --model-path a/b --config d/.yaml", "seed: 1\n",
     "!bad_type d/.yaml:0:0 SGLang takes a file of --config only when its name ends in .yaml or .yml"},
    {"", "python -m sglang.launch_server --model-path a/b --config yaml", "seed: 1\n",
     "!bad_type yaml:0:0 SGLang takes a file of --config only when its name ends in .yaml or .yml"},
};

static const struct row wrong[] = {
    {"", SERVE, NULL, "!cannot_open c.yaml:0:0 it is not there"},
    {"", SERVE, "", "!not_allowed c.yaml:0:0 it is empty: expected a mapping"},
    {"", SERVE, "- a\n", "!bad_type c.yaml:1:1 expected keys that are flags of vLLM, as --config reads them"},
    {"", SERVE, "a: 1\n---\nb: 2\n", "!not_allowed c.yaml:3:1 a second document: vLLM takes one in a file of --config"},
    {"", SERVE, "a: [1\n",
     "!bad_syntax c.yaml:2:1 not valid YAML or JSON: did not find expected ',' or ']', while parsing a flow sequence"},
    {"", SERVE, "seed: 1\n\nmax-model-len: 8x\n",
     "!bad_type c.yaml:3:1 max_model_len: '8x' is not a whole number, 32k, 32K, 1M or auto"},
    {"", "vllm serve a/b --config c.yml", "seed: 1\n", "a/b: --seed 1"},
    {"", "vllm serve a/b --config yaml", "seed: 1\n", "a/b: --seed 1"}, // split(".")[-1] is the whole name
    {"", "vllm serve a/b --config c.YAML", "seed: 1\n",
     "!bad_type c.YAML:0:0 vLLM takes a file of --config only when its name ends in .yaml or .yml"},
    {"", "vllm serve a/b --config c.json", "seed: 1\n",
     "!bad_type c.json:0:0 vLLM takes a file of --config only when its name ends in .yaml or .yml"},
    {"", "vllm serve a/b --config c.yaml --config d.yaml", "seed: 1\n",
     "!bad_syntax :0:0 in the serve command: --config is given twice; vLLM takes one file"},
    {"", "vllm serve a/b --config", "seed: 1\n", "!bad_syntax :0:0 in the serve command: --config needs a value"},
};

static void of_vllm(void **state)
{
    (void)state;
    CHECK(vllm);
}

static void of_sglang(void **state)
{
    (void)state;
    CHECK(sglang);
}

static void mistakes(void **state)
{
    (void)state;
    CHECK(wrong);
}

// What else the line says is read where its file cannot be.
static void the_rest_of_the_line(void **state)
{
    (void)state;
    const struct kvb_files files = {.read = read_text};
    const struct kvb_serve_beside beside = {.files = &files};
    const struct row row = {"", "vllm serve a/b --config gone.yaml --max-model-len 512", NULL, ""};
    assert_int_equal(read(&row, &beside), KVB_CANNOT_OPEN);
    assert_string_equal(deployment.model, "a/b");
    assert_int_equal(deployment.settings.values[KVB_SET_MAX_MODEL_LEN].number, 512);
    assert_int_equal(problems.count, 1);
}

// --engine of our own stands above the profile's; a line that was put together is not asked where its model stands.
static void beside_the_line(void **state)
{
    (void)state;
    static char text[] = "served-model-name: [a]\n";
    const struct kvb_files files = {.context = text, .read = read_text};
    const struct kvb_serve_beside older = {.files = &files, .engine = "vllm@0.10.1"};
    const struct kvb_serve_beside any = {.files = &files, .any_program = true};
    const struct row serve = {"vllm@0.11.0", SERVE, text, ""}, none = {"", "vllm serve --config c.yaml", text, ""};
    assert_int_equal(read(&serve, &older), KVB_OK);
    assert_string_equal(said, "a/b: --served-model-name ['a']");
    assert_int_equal(read(&none, &any), KVB_OK);
    assert_string_equal(said, ": --served-model-name a");
}

// Each allocation of a line with a file fails once: the status says it.
static void without_memory(void **state)
{
    (void)state;
    static char text[] = "model: c/d\nmax-model-len: 4096\nlimit-mm-per-prompt: {image: 0}\nlora-modules: [a=b]\n";
    const struct kvb_files files = {.context = text, .read = read_text};
    const struct kvb_serve_beside beside = {.files = &files};
    const struct row row = {"", "vllm serve --config c.yaml", text, ""};
    unsigned failed = 0;
    for (unsigned long n = 1; n < 400; n++) {
        (void)kvb_memory_fail_once(n);
        enum kvb_status status = read(&row, &beside);
        if (kvb_memory_fail_once(0) != 0) {
            break;
        }
        assert_int_equal(status, KVB_NO_MEMORY);
        failed++;
    }
    assert_true(failed > 8);
}

// From the disk, as a program that links the library reads it.
static void of_the_disk(void **state)
{
    (void)state;
    static const char *const words[] = {"vllm", "serve", "--config",
                                        KVB_SOURCE_DIR "/tests/fixtures/flag_files/plain.yaml"};
    kvb_problems_init(&problems);
    kvb_deployment_init(&deployment);
    assert_int_equal(kvb_serve_command_read(4, words, &deployment, &problems), KVB_OK);
    assert_string_equal(deployment.model, "Qwen/Qwen3-0.6B");
    assert_int_equal(deployment.settings.values[KVB_SET_MAX_MODEL_LEN].number, 8192);
    assert_int_equal(deployment.settings.values[KVB_SET_ENFORCE_EAGER].number, 1);
    assert_int_equal(deployment.settings.values[KVB_SET_GPU_MEMORY_UTILIZATION].number, 500000);
    assert_int_equal(deployment.settings.values[KVB_SET_MAX_MODEL_LEN].origin, KVB_ORIGIN_COMMAND);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(of_vllm),         cmocka_unit_test(of_sglang),
        cmocka_unit_test(mistakes),        cmocka_unit_test(the_rest_of_the_line),
        cmocka_unit_test(beside_the_line), cmocka_unit_test(without_memory),
        cmocka_unit_test(of_the_disk),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
