// Built-in models by release: blocks, tokens, concurrency and refusals as each tag's own Python gave them, run from the
// engine arguments on (create_engine_config, layers' get_kv_cache_spec, get_kv_cache_configs, validate_block_size) with
// stand-ins for torch and transformers. tests/fixtures/kv_released.tsv has a row each: release, card, model, arguments,
// pool; then blocks, tokens, hundredths of concurrency, or the beginning of the error. Those of DeepSeek V4 were run from
// the layers' specs on.
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "report/plan_report.h"
#include "unit/test.h"

#define WORDS_MAX 40
#define FIELDS 9
#define ALL_CARDS_BYTES (UINT64_C(65536) << 30) // larger than any: the question is about the cache alone
#define LEAST_ROWS 200

static struct kvb_question question;
static struct kvb_answer answer;
static struct kvb_problems problems;

static const struct {
    const char *word, *card;
} cards[] = {
    {"h100", "NVIDIA H100 80GB HBM3"},
    {"h200", "NVIDIA H200"},
    {"b200", "NVIDIA B200"},
    {"b300", "NVIDIA B300 SXM6 AC"},
    {"a100", "NVIDIA A100-SXM4-80GB"},
    {"l40s", "NVIDIA L40S"},
    {"pro6000", "NVIDIA RTX PRO 6000 Blackwell Server Edition"},
};

static const char *card_of(const char *word)
{
    for (size_t i = 0; i < sizeof cards / sizeof cards[0]; i++) {
        if (strcmp(cards[i].word, word) == 0) {
            return cards[i].card;
        }
    }
    fail_msg("%s is no card", word);
    return NULL;
}

static int fields_of(char *line, char *fields[FIELDS])
{
    int count = 0;
    for (int i = 0; i < FIELDS; i++) {
        fields[i] = line;
    }
    line[strcspn(line, "\n")] = '\0';
    while (count < FIELDS) {
        fields[count++] = line;
        line = strchr(line, '\t');
        if (line == NULL) {
            break;
        }
        *line++ = '\0';
    }
    return count;
}

static void ask(char *const fields[FIELDS])
{
    const char *words[WORDS_MAX] = {"vllm", "serve", fields[2], "--kv-cache-memory-bytes", fields[4]};
    int count = 5;
    for (char *word = strtok(fields[3], " "); word != NULL; word = strtok(NULL, " ")) {
        assert_true(count < WORDS_MAX);
        words[count++] = word;
    }
    memset(&question, 0, sizeof question);
    question.serve_model = -1;
    kvb_problems_init(&problems);
    kvb_deployment_init(&question.deployment);
    assert_int_equal(kvb_serve_command_read(count, words, &question.deployment, &problems), KVB_OK);
    (void)snprintf(question.deployment.engine, sizeof question.deployment.engine, "vllm@%.32s", fields[0]);
    (void)snprintf(question.deployment.gpu, sizeof question.deployment.gpu, "%.80s", card_of(fields[1]));
    question.deployment.gpu_memory_bytes = ALL_CARDS_BYTES;
    if (kvb_answer_deployment(&question.deployment, &answer, &problems) != KVB_OK) {
        fail_msg("%s %s: %s", fields[0], fields[2], problems.items[0].text);
    }
}

static bool agrees(char *const fields[FIELDS])
{
    const struct kvb_budget *budget = &answer.budget;
    if (fields[5][0] == '-') {
        return !budget->starts && strncmp(budget->error, fields[8], strlen(fields[8])) == 0;
    }
    return budget->starts && budget->kv.num_blocks == strtoull(fields[5], NULL, 10) &&
           budget->kv.tokens == strtoull(fields[6], NULL, 10) &&
           budget->kv.max_concurrency_hundredths == strtoull(fields[7], NULL, 10);
}

static void as_the_release_says(void **state)
{
    (void)state;
    char line[2048];
    char *fields[FIELDS] = {NULL};
    unsigned rows = 0, different = 0;
    FILE *file = fopen(KVB_SOURCE_DIR "/tests/fixtures/kv_released.tsv", "r");
    assert_non_null(file);
    while (fgets(line, sizeof line, file) != NULL) {
        if (line[0] == '#') {
            continue;
        }
        assert_int_equal(fields_of(line, fields), FIELDS);
        ask(fields);
        rows++;
        if (!agrees(fields)) {
            different++;
            print_error("%s %s %s: blocks %llu tokens %llu concurrency %llu/100 starts %d %s; expected %s %s %s %s\n",
                        fields[0], fields[1], fields[2], (unsigned long long)answer.budget.kv.num_blocks,
                        (unsigned long long)answer.budget.kv.tokens,
                        (unsigned long long)answer.budget.kv.max_concurrency_hundredths, answer.budget.starts,
                        answer.budget.error, fields[5], fields[6], fields[7], fields[8]);
        }
    }
    (void)fclose(file);
    assert_int_equal(different, 0);
    assert_true(rows >= LEAST_ROWS);
}

KVB_TEST_MAIN(cmocka_unit_test(as_the_release_says))
