// What releases refuse before memory, against their own code: tests/fixtures/refusals.csv was read from the files
// named in it at their tags (registry of models, argument parser, Dockerfile, get_min_capability and the sentences).
// Each row: release, model, GPU, words of the serve command, rule that refuses ("-": none), part of the sentence,
// file@tag.
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include <kvbudget/kvbudget.h>

#include "engines/vllm/refusal.h"
#include "unit/test.h"

#define LEAST_ROWS 300
#define WORDS_MAX 16
#define RULES_MAX 128

struct row {
    char line[512]; // cut at its commas
    char *release, *model, *gpu, *flags, *rule, *sentence, *source;
};

static bool read_row(FILE *file, struct row *row)
{
    if (fgets(row->line, sizeof row->line, file) == NULL) {
        return false;
    }
    char **fields[] = {&row->release, &row->model, &row->gpu, &row->flags, &row->rule, &row->sentence, &row->source};
    char *at = row->line;
    at[strcspn(at, "\n")] = '\0';
    for (size_t i = 0; i < sizeof fields / sizeof fields[0]; i++) {
        assert_non_null(at);
        *fields[i] = at;
        at = strchr(at, ',');
        if (at != NULL) {
            *at++ = '\0';
        }
    }
    assert_null(at);
    assert_non_null(strchr(row->source, '@'));
    assert_true((strcmp(row->rule, "-") == 0) == (row->sentence[0] == '\0'));
    return true;
}

static enum kvb_status answer(const struct row *row, struct kvb_budget *budget, struct kvb_problems *problems)
{
    static struct kvb_deployment deployment;
    static struct kvb_plan plan;
    static struct kvb_model draft;
    static struct kvb_model_source source;
    char flags[256];
    const char *words[WORDS_MAX] = {"vllm", "serve", row->model};
    int count = 3;
    (void)strcpy(flags, row->flags);
    for (char *word = strtok(flags, " "); word != NULL; word = strtok(NULL, " ")) {
        assert_true(count < WORDS_MAX);
        words[count++] = word;
    }
    kvb_problems_init(problems);
    kvb_deployment_init(&deployment);
    enum kvb_status status = kvb_serve_command_read(count, words, &deployment, problems);
    (void)snprintf(deployment.engine, sizeof deployment.engine, "vllm@%s", row->release);
    (void)snprintf(deployment.gpu, sizeof deployment.gpu, "%s", row->gpu);
    status = status == KVB_OK ? kvb_deployment_resolve(&deployment, &plan, &draft, &source, problems) : status;
    return status == KVB_OK ? kvb_budget_compute(&plan, budget, problems) : status;
}

static bool agrees(const struct row *row, const struct kvb_budget *budget)
{
    if (strcmp(row->rule, "-") == 0) {
        return budget->refusal == NULL;
    }
    return budget->refusal != NULL && strcmp(budget->refusal, row->rule) == 0 && !budget->starts &&
           budget->verdict == KVB_DOES_NOT_FIT && strstr(budget->error, row->sentence) != NULL;
}

static void each_release_refuses_what_its_code_refuses(void **state)
{
    (void)state;
    static struct kvb_budget budget;
    static struct kvb_problems problems;
    static struct row row;
    unsigned long count = 0, refused = 0, different = 0;
    FILE *file = fopen(KVB_SOURCE_DIR "/tests/fixtures/refusals.csv", "r");
    assert_non_null(file);
    while (read_row(file, &row)) {
        bool computed = answer(&row, &budget, &problems) == KVB_OK;
        if (!computed || !agrees(&row, &budget)) {
            different++;
            print_error("kvbudget plan --engine vllm@%s --gpu %s -- vllm serve %s %s\n  wanted %s (%s), got %s: %s\n",
                        row.release, row.gpu, row.model, row.flags, row.rule, row.source,
                        computed && budget.refusal != NULL ? budget.refusal : "-",
                        computed ? budget.error : problems.items[0].text);
        }
        refused += strcmp(row.rule, "-") != 0;
        count++;
    }
    (void)fclose(file);
    print_message("%lu rows, %lu refused, %lu different\n", count, refused, different);
    assert_true(refused >= LEAST_ROWS && count - refused >= LEAST_ROWS);
    assert_int_equal(different, 0);
}

// Each rule of the table refuses something there, but for those that ask for a variable of the environment.
static void each_rule_has_a_row(void **state)
{
    (void)state;
    static struct row row;
    static bool seen[RULES_MAX];
    size_t count;
    const struct kvb_refusal_row *rules = kvb_refusal_rows(&count);
    assert_true(count <= RULES_MAX);
    FILE *file = fopen(KVB_SOURCE_DIR "/tests/fixtures/refusals.csv", "r");
    assert_non_null(file);
    while (read_row(file, &row)) {
        for (size_t i = 0; i < count; i++) {
            seen[i] |= strcmp(rules[i].rule, row.rule) == 0;
        }
    }
    (void)fclose(file);
    for (size_t i = 0; i < count; i++) {
        bool by_variable = strcmp(rules[i].rule, "v1-only") == 0 || strcmp(rules[i].rule, "model-runner") == 0;
        if (!seen[i] && !by_variable) {
            fail_msg("nothing is refused by %s (%s)", rules[i].rule, rules[i].source);
        }
    }
}

KVB_TEST_MAIN(cmocka_unit_test(each_release_refuses_what_its_code_refuses), cmocka_unit_test(each_rule_has_a_row))
