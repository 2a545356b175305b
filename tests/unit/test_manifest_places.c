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
    kvb_buffer_printf(&seen, "%u:%s=%s;", (unsigned)found->place.line, found->deployment.model, found->deployment.gpu);
    return KVB_OK;
}

static const struct {
    const char *file, *text;
    const char *wanted; // LINE:MODEL=GPU; of each deployment
} rows[] = {
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
     "2:m/a=l4;5:m/b=t4;"},
    {"Makefile", "a:\n\tvllm serve m/a # kvbudget: gpu=l4\nb:\n\tvllm serve m/b\n", "2:m/a=l4;4:m/b=;"},
    {"Dockerfile", "FROM vllm/vllm-openai:v0.11.0\n# kvbudget: gpu=l4\nCMD [\"--model\", \"m/a\"]\n", "3:m/a=l4;"},
};

static void test_comments(void **state)
{
    const struct kvb_manifest_options options = {.lenient = false};
    (void)state;
    for (size_t i = 0; i < sizeof rows / sizeof rows[0]; i++) {
        struct kvb_manifest_seen result;
        kvb_problems_init(&problems);
        kvb_buffer_init(&seen);
        print_message("%s\n", rows[i].file);
        assert_int_equal(kvb_manifest_read(rows[i].file, rows[i].text, strlen(rows[i].text), &options, take, NULL,
                                           &result, &problems),
                         KVB_OK);
        assert_string_equal(seen.data != NULL ? seen.data : "", rows[i].wanted);
        kvb_buffer_free(&seen);
    }
}

KVB_TEST_MAIN(cmocka_unit_test(test_comments))
