// Where a file may say what is meant: comments above, on and at the end of a command's lines belong to that command.
#include <stdio.h>
#include <string.h>

#include <kvbudget/manifest.h>

#include "base/buffer.h"
#include "unit/test.h"

static struct kvb_buffer seen;
static struct kvb_problems problems;

static enum kvb_status take(void *context, const struct kvb_found *found)
{
    (void)context;
    kvb_buffer_printf(&seen, "%u:%s=%s", (unsigned)found->place.line, found->deployment.model, found->deployment.gpu);
    if (found->gpu_limit > 0) {
        kvb_buffer_printf(&seen, "x%u", (unsigned)found->gpu_limit);
    }
    if (found->together) {
        kvb_buffer_printf(&seen, "&%u(%s)", (unsigned)found->group, found->devices);
    }
    kvb_buffer_add(&seen, ";");
    return KVB_OK;
}

struct row {
    const char *file, *text;
    const char *wanted; // LINE:MODEL=GPU of each deployment, xN cards that it is handed, &GROUP(CARDS) when it shares
};

static const struct row rows[] = {
    {"a.sh", "vllm serve m/a --max-model-len 1 # kvbudget: gpu=l4\n", "1:m/a=l4;"},
    {"b.sh",
     "vllm serve m/a \\\n  --max-model-len 1 \\\n  --port 1 # kvbudget: gpu=l4\nvllm serve m/b # kvbudget: gpu=t4\n",
     "1:m/a=l4;4:m/b=t4;"},
    {"c.sh", "vllm serve m/a \\\n  --port 1 # kvbudget: gpu=l4\n# kvbudget: gpu=t4\nvllm serve m/b\nvllm serve m/c\n",
     "1:m/a=l4;4:m/b=t4;5:m/c=;"},
    {"d.sh", "echo 1\nvllm serve m/a#kvbudget: --port 1\n", "2:m/a#kvbudget:=;"},
    {"e.py",
     "from vllm import LLM\nx = LLM(\n    model='m/a',  # kvbudget: gpu=l4\n    max_model_len=1,\n)\ny = LLM('m/b')\n",
     "2:m/a=l4;6:m/b=;"},
    {"f.yaml",
     "services:\n  a:\n    image: vllm/vllm-openai:v0.11.0 # kvbudget: gpu=l4\n    command: --model m/a\n"
     "  b: # kvbudget: gpu=t4\n    image: vllm/vllm-openai:v0.11.0\n    command: --model m/b\n",
     "2:m/a=l4&0();5:m/b=t4&0();"},
    {"Makefile", "a:\n\tvllm serve m/a # kvbudget: gpu=l4\nb:\n\tvllm serve m/b\n", "2:m/a=l4;4:m/b=;"},
    {"Dockerfile", "FROM vllm/vllm-openai:v0.11.0\n# kvbudget: gpu=l4\nCMD [\"--model\", \"m/a\"]\n", "3:m/a=l4;"},
};

// What a scheduler is asked for on top of a script; a feature of nodes counts where it is the name of a card.
static const struct row scheduled[] = {
    {"a.sbatch", "#!/bin/bash\n#SBATCH --gres=gpu:a6000:4\nvllm serve m/a -tp 4\n", "3:m/a=rtx-a6000x4;"},
    {"b.sbatch", "#!/bin/bash\n#SBATCH --nodes=2\n#SBATCH --gres gpu:h100:8\nvllm serve m/a -tp 16\n",
     "4:m/a=h100-sxmx16;"},
    {"c.sbatch", "#!/bin/bash\n#SBATCH --gpus=l40s:2 # two\nsrun vllm serve m/a -tp 2\n", "3:m/a=l40sx2;"},
    {"d.sbatch", "#!/bin/bash\n#SBATCH -G 2\n#SBATCH -C intel18\nvllm serve m/a\n", "4:m/a=x2;"},
    {"e.sbatch", "#!/bin/bash\n#SBATCH --gpus-per-task=a100:1\n#SBATCH --constraint=l4\nvllm serve m/a\n",
     "4:m/a=a100-sxm-40;"},
    {"f.sh", "#!/bin/bash\n#PBS -l select=1:ncpus=8:ngpus=2:gpu_type=l4\nvllm serve m/a\n", "3:m/a=l4x2;"},
    {"g.sh", "#!/bin/bash\n#BSUB -gpu \"num=1:gmodel=NVIDIAL4\"\nvllm serve m/a\n", "3:m/a=nvidial4x1;"},
};

// Who runs at the same time as whom, and on which cards.
static const struct row together[] = {
    {"a.sh",
     "CUDA_VISIBLE_DEVICES=0 vllm serve m/a &\nCUDA_VISIBLE_DEVICES=0 vllm serve m/b &\nCUDA_VISIBLE_DEVICES=1 vllm "
     "serve m/c\n",
     "1:m/a=&0(0);2:m/b=&0(0);3:m/c=&0(1);"},
    {"b.sh", "CUDA_VISIBLE_DEVICES=0 vllm serve m/a\nCUDA_VISIBLE_DEVICES=0 vllm serve m/b\n", "1:m/a=;2:m/b=;"},
    {"c.sh", "export CUDA_VISIBLE_DEVICES=0\nvllm serve m/a &\nkill $!\nvllm serve m/b &\nwait\nvllm serve m/c &\n",
     "2:m/a=&0(0);4:m/b=&1(0);6:m/c=&2(0);"},
    {"d.sh", "vllm serve m/a &\nvllm serve m/b &\n", "1:m/a=;2:m/b=;"},
    {"e.sh", "for i in $CARDS; do\nCUDA_VISIBLE_DEVICES=$i vllm serve m/a &\ndone\n", "2:m/a=;"},
    {"f.sh",
     "docker run -d --gpus '\"device=1\"' vllm/vllm-openai:v0.11.0 --model m/a\n"
     "docker run -d --gpus '\"device=1\"' vllm/vllm-openai:v0.11.0 --model m/b\n",
     "1:m/a=&0(1);2:m/b=&0(1);"},
    {"pod.yaml",
     "apiVersion: v1\nkind: Pod\nmetadata: {name: p}\nspec:\n  containers:\n"
     "    - {name: a, image: 'vllm/vllm-openai:v0.11.0', args: [--model, m/a]}\n"
     "    - {name: b, image: 'vllm/vllm-openai:v0.11.0', args: [--model, m/b]}\n"
     "    - {name: c, image: 'vllm/vllm-openai:v0.11.0', args: [--model, m/c], resources: {limits: {nvidia.com/gpu: "
     "1}}}\n",
     "6:m/a=&1();7:m/b=&1();8:m/c=x1;"},
    {"claims.yaml",
     "apiVersion: v1\nkind: Pod\nmetadata: {name: p}\nspec:\n  containers:\n"
     "    - {name: a, image: 'vllm/vllm-openai:v0.11.0', args: [--model, m/a], resources: {claims: [{name: one}]}}\n"
     "    - {name: b, image: 'vllm/vllm-openai:v0.11.0', args: [--model, m/b], resources: {claims: [{name: two}]}}\n",
     "6:m/a=&1(claim one);7:m/b=&1(claim two);"},
};

#define KEPT(word)                                                                                                     \
    "bash -c 'if [ \"$N\" -gt 0 ]; then exec vllm serve \"$@\"; fi; A=(); for w in \"$@\"; do A+=(" word               \
    "); done\nexec vllm serve \"${A[@]}\"' -- --model m/a --max-model-len 1\n"

// A loop that keeps words of a list in another: a server started with those is the one started with all.
static const struct row kept[] = {
    {"a.sh", KEPT("\"$w\""), "1:m/a=;"},
    {"b.sh", KEPT("$w"), "1:m/a=;"},
    {"c.sh", KEPT("\"${w}\""), "1:m/a=;"},
    {"d.sh", "A=(vllm serve)\nfor w in --model m/b; do A+=(\"$w\"); done\n\"${A[@]}\"\n", "1:m/b=;"},
    {"e.sh", "A=(vllm serve)\nfor w in m/b m/c; do A+=(--model \"$w\"); done\n\"${A[@]}\"\n", "1:m/b=;"},
    {"f.sh", "A=(vllm serve)\nw=m/b\nA+=(\"$w\")\n\"${A[@]}\"\n", "1:m/b=;"},
    {"g.sh", "for w in m/b m/c; do\nA=(\"$w\")\nvllm serve \"${A[@]}\"\ndone\n", "3:m/b=;"},
};

static void read_rows(const struct row *list, size_t count)
{
    const struct kvb_manifest_options options = {.lenient = false};
    for (size_t i = 0; i < count; i++) {
        struct kvb_manifest_seen result;
        kvb_problems_init(&problems);
        kvb_buffer_init(&seen);
        print_message("%s\n", list[i].file);
        assert_int_equal(kvb_manifest_read(list[i].file, list[i].text, strlen(list[i].text), &options, take, NULL,
                                           &result, &problems),
                         KVB_OK);
        assert_string_equal(seen.data != NULL ? seen.data : "", list[i].wanted);
        kvb_buffer_free(&seen);
    }
}

static void test_comments(void **state)
{
    (void)state;
    read_rows(rows, sizeof rows / sizeof rows[0]);
}

static void test_schedulers(void **state)
{
    (void)state;
    read_rows(scheduled, sizeof scheduled / sizeof scheduled[0]);
}

static void test_together(void **state)
{
    (void)state;
    read_rows(together, sizeof together / sizeof together[0]);
}

static void test_kept(void **state)
{
    (void)state;
    read_rows(kept, sizeof kept / sizeof kept[0]);
}

KVB_TEST_MAIN(cmocka_unit_test(test_comments), cmocka_unit_test(test_kept), cmocka_unit_test(test_schedulers),
              cmocka_unit_test(test_together))
