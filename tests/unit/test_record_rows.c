// A start as a row of the record: what the flags add to the log, and that no folder of a person's machine is in it.
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include <kvbudget/input.h>

#include "cli/run.h"
#include "unit/test.h"

#define WORDS_MAX 32
#define TEXTS_MAX 4

// A start of vLLM 0.19.0 as it prints it, with the model's name left open.
static const char healthy[] =
    "INFO 03-04 05:06:07 [utils.py:1] version 0.19.0\n"
    "INFO 03-04 05:06:17 [core.py:3] Initializing a V1 LLM engine (v0.19.0) with config: model='%s', "
    "dtype=torch.bfloat16, max_seq_len=8192, tensor_parallel_size=1, quantization=None, enforce_eager=False, "
    "kv_cache_dtype=auto\n"
    "INFO 03-04 05:06:37 [gpu_model_runner.py:5] Model loading took 14.25 GiB memory and 3.062840 seconds\n"
    "INFO 03-04 05:06:47 [gpu_worker.py:6] Available KV cache memory: 3.75 GiB\n"
    "INFO 03-04 05:06:47 [kv_cache_utils.py:7] GPU KV cache size: 70,208 tokens\n"
    "INFO 03-04 05:06:47 [kv_cache_utils.py:8] Maximum concurrency for 8,192 tokens per request: 8.57x\n"
    "INFO 03-04 05:06:58 [core.py:10] init engine (profile, create kv cache, warmup model) took 21.00 seconds\n"
    "INFO:     Application startup complete.\n";

struct row {
    const char *model, *words;
    const char *texts[TEXTS_MAX]; // "!TEXT": is not there
};

static const struct row rows[] = {
    {"Qwen/Qwen2.5-7B-Instruct", "--gpu l4", {"\"model\": \"Qwen/Qwen2.5-7B-Instruct\"", "\"tokens\": \"70208\""}},
    {"Qwen/Qwen2.5-7B-Instruct",
     "--gpu l4 --usage offline --platform wsl2",
     {"\"usage\": \"offline\"", "\"platform\": \"wsl2\""}},
    {"Qwen/Qwen2.5-7B-Instruct", "--gpu l4 --max-lora-rank 32 --enable-lora", {"--max-lora-rank 32", "--enable-lora"}},
    {"Qwen/Qwen2.5-7B-Instruct", "--gpu l4 --env VLLM_USE_V1=1", {"\"environment\": \"VLLM_USE_V1=1\""}},
    {"Qwen/Qwen2.5-7B-Instruct", "--gpu-memory 24GiB", {"\"gpu_memory\": \"24.00GiB\""}},
    {"Qwen/Qwen2.5-7B-Instruct",
     "--gpu l4 --gpu-free 20GiB --reserve display=512MiB",
     {"\"gpu_free\": \"20.00GiB\"", "\"other\": \"0.50GiB\""}},
    {"Qwen/Qwen2.5-7B-Instruct",
     "--gpu l4 --hf-overrides {\"rope_theta\":1000000.0,\"x\":\"a\\\"b\"}",
     {"--hf-overrides {\\\"rope_theta\\\":1000000.0"}},
    {"Qwen/Qwen2.5-7B-Instruct",
     "--gpu l4 --speculative-config {\"method\":\"eagle\",\"model\":\"/home/me/drafts/eagle/\","
     "\"num_speculative_tokens\":3}",
     {"\\\"model\\\":\\\"eagle\\\"", "!/home/me", "!drafts"}},
    {"/root/.cache/huggingface/hub/models--Qwen--Qwen2.5-7B-Instruct/snapshots/abc",
     "--gpu l4",
     {"\"model\": \"Qwen/Qwen2.5-7B-Instruct\"", "!/root", "!snapshots"}},
    {"/home/me/secret/my-model/", "--gpu l4 --model Qwen/Qwen2.5-7B-Instruct", {"!/home/me", "!secret", "8.57"}},
    {"./my-model", "--gpu l4 --model Qwen/Qwen2.5-7B-Instruct --id My.Start", {"!./my-model", "My.Start"}},
};

static bool holds(const char *said, const char *text)
{
    return text[0] == '!' ? strstr(said, text + 1) == NULL : strstr(said, text) != NULL;
}

static unsigned wrong(const struct row *row)
{
    static char log[4096];
    char line[512];
    const char *words[WORDS_MAX] = {"--json"};
    int count = 1;
    (void)snprintf(log, sizeof log, healthy, row->model);
    assert_true(strlen(row->words) < sizeof line);
    strcpy(line, row->words);
    for (char *word = strtok(line, " "); word != NULL; word = strtok(NULL, " ")) {
        assert_true(count + 1 < WORDS_MAX);
        words[count++] = word;
    }
    words[count++] = "log";
    struct arguments *arguments = kvb_run_begin(kvb_commands_find("record"));
    assert_non_null(arguments);
    arguments->given = (struct given_text){"log", log, strlen(log)};
    struct kvb_buffer answer;
    kvb_buffer_init(&answer);
    int code = kvb_run_words(arguments, count, words, &answer);
    const char *said = answer.data != NULL ? answer.data : "", *missing = NULL;
    for (size_t i = 0; i < TEXTS_MAX && row->texts[i] != NULL; i++) {
        missing = missing == NULL && !holds(said, row->texts[i]) ? row->texts[i] : missing;
    }
    if (code != 0 || missing != NULL) {
        print_message("record %s of %s: exit %d, %s: missing %s in\n%.1500s\n", row->words, row->model, code,
                      arguments->problems.count > 0 ? arguments->problems.items[0].text : "",
                      missing != NULL ? missing : "nothing", said);
    }
    kvb_buffer_free(&answer);
    kvb_run_end(arguments);
    return code != 0 || missing != NULL;
}

static void each_row(void **state)
{
    (void)state;
    unsigned all = 0;
    assert_int_equal(setenv("KVBUDGET_OFFLINE", "1", 1), 0);
    assert_int_equal(setenv("KVBUDGET_CACHE", "/nowhere", 1), 0);
    for (size_t i = 0; i < sizeof rows / sizeof rows[0]; i++) {
        all += wrong(&rows[i]);
    }
    assert_int_equal(all, 0);
}

KVB_TEST_MAIN(cmocka_unit_test(each_row))
