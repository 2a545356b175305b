// What is said about a deployment that is not read whole: the exact sentence and its place, reader by reader.
#include <stdio.h>
#include <string.h>

#include <kvbudget/manifest.h>

#include "unit/test.h"

struct said_row {
    const char *file, *text;
    uint32_t line, column;
    const char *says;
};

static struct kvb_problems problems, own;
static uint32_t count;

// The first mistake or note of the deployments of a file.
static enum kvb_status take(void *context, const struct kvb_found *found)
{
    (void)context;
    count++;
    if (problems.count == 0) {
        problems = found->problems;
    }
    return KVB_OK;
}

#define NO_MODEL "the model depends on MODEL, which is not known; give it with --env MODEL=VALUE"
#define SERVED_AS "the model depends on MODEL, which is not known: the name it is served under, org/m, is planned"
static const struct said_row rows[] = {
    // A variable can be given, what a command says cannot.
    {"s.sh", "vllm serve $MODEL", 1, 12,
     "the model depends on MODEL, which is not known; give it with --env MODEL=VALUE"},
    {"s.sh", "vllm serve $MODEL --served-model-name org/m", 1, 12, SERVED_AS},
    {"s.sh", "vllm serve $MODEL --served_model_name=org/m", 1, 12, SERVED_AS},
    {"s.sh", "vllm serve $MODEL --served-model-name m", 1, 12, NO_MODEL},
    {"s.sh", "vllm serve $MODEL --served-model-name /m", 1, 12, NO_MODEL},
    {"s.sh", "vllm serve $MODEL --served-model-name m/", 1, 12, NO_MODEL},
    {"s.sh", "vllm serve $MODEL --served-model-name a/b/c", 1, 12, NO_MODEL},
    {"s.sh", "vllm serve $MODEL --served-model-name $ORG/m", 1, 12, NO_MODEL},
    {"s.sh", "vllm serve org/$MODEL --served-model-name org/m", 1, 12, NO_MODEL},
    {"s.sh", "vllm serve $(pick)", 1, 12,
     "the model depends on $(pick), which is not known; write its value in its place"},
    {"s.sh", "vllm serve `pick one`", 1, 12,
     "the model depends on `pick one`, which is not known; write its value in its place"},
    {"s.sh", "vllm serve a/b --max-model-len $(($(nproc) * 2))", 1, 16,
     "--max-model-len depends on $(($(nproc) * 2)), which is not known; write its value in its place"},
    {"s.sh", "vllm serve a/b \\\n  --max-model-len $(wc -c <x)", 2, 3,
     "--max-model-len depends on $(wc -c <x), which is not known; write its value in its place"},
    {"s.sh", "vllm serve a/b $EXTRA_ARGS", 1, 16,
     "EXTRA_ARGS is not known and taken as empty; give it with --env EXTRA_ARGS=VALUE"},
    {"s.sh", "vllm serve a/b $(more_args)", 1, 16,
     "$(more_args) is not known and taken as empty; write its value in its place"},
    {"a.py", "from vllm import LLM\nLLM(model=os.environ.get('MODEL'))", 2, 5,
     "the model depends on MODEL, which is not known; give it with --env MODEL=VALUE"},
    {"a.py",
     "from vllm import LLM\nLLM('a/b', speculative_config={'method': 'ngram', 'num_speculative_tokens': DRAFTS})", 2,
     12, "--speculative_config depends on DRAFTS, which is not known; give it with --env DRAFTS=VALUE"},
    {"a.py", "from vllm import LLM\nLLM('a/b', compilation_config={'cudagraph_capture_sizes': [1, LARGEST]})", 2, 12,
     "--compilation_config depends on LARGEST, which is not known; give it with --env LARGEST=VALUE"},
    {"r.yaml",
     "applications:\n- import_path: llm.vllm:model\n  runtime_env:\n    env_vars:\n      MODEL_ID: $WHICH\n"
     "      TENSOR_PARALLELISM: '2'\n",
     5, 17, "the model depends on WHICH, which is not known; give it with --env WHICH=VALUE"},
    // Recipes of spark-vllm-docker: {name} is a default of the recipe, in quotes too; {{ }} are braces.
    {"r.yaml",
     "recipe_version: '1'\nname: R\ndefaults: {draft: 2, len: 4096, host: 0.0.0.0, long_one: 12345678901}\ncommand: |\n"
     "  vllm serve a/b --max-model-len {len} --host {host} \\\n"
     "    --speculative-config '{{\"method\": \"ngram\", \"num_speculative_tokens\": {draft}}}' \\\n"
     "    --max-num-seqs {none}\n",
     7, 5, "in the serve command: max_num_seqs: '{none}' is not a whole number such as 4096, 4k or 4K"},
    // What a template leaves open, in its own words.
    {"t.yaml", "run: vllm serve a/b --tensor-parallel-size={{ .Values.parallel }}\n", 1, 21,
     "--tensor-parallel-size depends on {{ .Values.parallel }}, which is not known; render the template, or give it "
     "with --env Values_parallel=VALUE"},
    {"w.yml", "run: vllm serve ${{ inputs.model }}\n", 1, 17,
     "the model depends on ${{ inputs.model }}, which is not known; give it with --env model=VALUE"},
    // Comments for kvbudget.
    {"s.sh", "# kvbudget: gpu-memory=lots\nvllm serve a/b", 1, 13,
     "the comment for kvbudget says 'gpu-memory=lots'; expected gpu=NAME, gpu-memory=SIZE, gpu-free=SIZE, model=NAME "
     "or engine=NAME@VERSION"},
    {"s.sh", "# kvbudget: gpu-free=some\nvllm serve a/b", 1, 13,
     "the comment for kvbudget says 'gpu-free=some'; expected gpu=NAME, gpu-memory=SIZE, gpu-free=SIZE, model=NAME "
     "or engine=NAME@VERSION"},
    {"s.sh", "# kvbudget: gpu-memory=0\nvllm serve a/b", 1, 13,
     "the comment for kvbudget says 'gpu-memory=0'; expected gpu=NAME, gpu-memory=SIZE, gpu-free=SIZE, model=NAME "
     "or engine=NAME@VERSION"},
    {"s.sh", "# kvbudget: please\nvllm serve a/b", 1, 13,
     "the comment for kvbudget says 'please'; expected gpu=NAME, gpu-memory=SIZE, gpu-free=SIZE, model=NAME or "
     "engine=NAME@VERSION"},
};

static void each_sentence(void **state)
{
    (void)state;
    unsigned wrong = 0;
    for (size_t i = 0; i < sizeof rows / sizeof rows[0]; i++) {
        const struct said_row *row = &rows[i];
        const struct kvb_manifest_options options = {.lenient = true};
        struct kvb_manifest_seen seen;
        count = 0;
        kvb_problems_init(&problems);
        kvb_problems_init(&own);
        assert_int_equal(kvb_manifest_read(row->file, row->text, strlen(row->text), &options, take, NULL, &seen, &own),
                         KVB_OK);
        const struct kvb_problem *said = &problems.items[0];
        if (count != 1 || problems.count == 0 || strcmp(said->text, row->says) != 0 || said->line != row->line ||
            said->column != row->column) {
            print_error("%s: %s\n  expected %u:%u %s\n  but it is %u:%u %s\n", row->file, row->text, row->line,
                        row->column, row->says, said->line, said->column, said->text);
            wrong++;
        }
    }
    assert_int_equal(wrong, 0);
}

KVB_TEST_MAIN(cmocka_unit_test(each_sentence))
