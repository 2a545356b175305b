// What releases refuse before memory, against their own code: tests/fixtures/refusals.csv was read from the files
// named in it at their tags (registry of models, argument parser, Dockerfile, get_min_capability and the sentences).
// Each row: release, model, GPU, words of the serve command, rule that refuses ("-": none), part of the sentence,
// file@tag.
#include <stdio.h>
#include <string.h>

#include <kvbudget/kvbudget.h>

#include "engines/vllm/refusal.h"
#include "unit/fixture_rows.h"
#include "unit/test.h"

#define LEAST_ROWS 300
#define WORDS_MAX 16
#define RULES_MAX 128

enum field { RELEASE, MODEL, GPU, FLAGS, RULE, SENTENCE, SOURCE, FIELDS };

static struct kvb_budget budget;
static struct kvb_problems problems;

static enum kvb_status answer(char *const *cells)
{
    static struct kvb_deployment deployment;
    static struct kvb_plan plan;
    static struct kvb_model draft;
    static struct kvb_model_source source;
    char flags[ROW_MAX_BYTES];
    const char *words[WORDS_MAX] = {"vllm", "serve", cells[MODEL]};
    int count = 3;
    (void)strcpy(flags, cells[FLAGS]);
    for (char *word = strtok(flags, " "); word != NULL; word = strtok(NULL, " ")) {
        assert_true(count < WORDS_MAX);
        words[count++] = word;
    }
    kvb_problems_init(&problems);
    kvb_deployment_init(&deployment);
    enum kvb_status status = kvb_serve_command_read(count, words, &deployment, &problems);
    (void)snprintf(deployment.engine, sizeof deployment.engine, "vllm@%s", cells[RELEASE]);
    (void)snprintf(deployment.gpu, sizeof deployment.gpu, "%s", cells[GPU]);
    kvb_deployment_take_gpu_count(&deployment); // 2xh100
    status = status == KVB_OK ? kvb_deployment_resolve(&deployment, &plan, &draft, &source, &problems) : status;
    return status == KVB_OK ? kvb_budget_compute(&plan, &budget, &problems) : status;
}

static bool agrees(char *const *cells)
{
    if (strcmp(cells[RULE], "-") == 0) {
        return budget.refusal == NULL;
    }
    return budget.refusal != NULL && strcmp(budget.refusal, cells[RULE]) == 0 && !budget.starts &&
           budget.verdict == KVB_DOES_NOT_FIT && strstr(budget.error, cells[SENTENCE]) != NULL;
}

static bool look(char *const *cells, struct seen_rows *seen)
{
    bool refused = strcmp(cells[RULE], "-") != 0;
    assert_true(strchr(cells[SOURCE], '@') != NULL && strchr(cells[SOURCE], ',') == NULL);
    assert_true(refused == (cells[SENTENCE][0] != '\0'));
    seen->raised += refused;
    bool computed = answer(cells) == KVB_OK, same = computed && agrees(cells);
    if (!same) {
        print_error("  kvbudget plan --engine vllm@%s --gpu %s -- vllm serve %s %s\n  got %s: %s\n", cells[RELEASE],
                    cells[GPU], cells[MODEL], cells[FLAGS], computed && budget.refusal != NULL ? budget.refusal : "-",
                    computed ? budget.error : problems.items[0].text);
    }
    return same;
}

static void each_release_refuses_what_its_code_refuses(void **state)
{
    (void)state;
    struct seen_rows seen;
    walk_rows("fixtures/refusals.csv", FIELDS, look, &seen);
    assert_true(seen.raised >= LEAST_ROWS && seen.rows - seen.raised >= LEAST_ROWS);
    assert_int_equal(seen.different, 0);
}

static bool refused_by[RULES_MAX];

static bool mark_rule(char *const *cells, struct seen_rows *seen)
{
    size_t count;
    const struct kvb_refusal_row *rules = kvb_refusal_rows(&count);
    assert_true(count <= RULES_MAX);
    for (size_t i = 0; i < count; i++) {
        refused_by[i] |= strcmp(rules[i].rule, cells[RULE]) == 0;
    }
    (void)seen;
    return true;
}

// Each rule of the table refuses something there, but for those that ask for a variable of the environment.
static void each_rule_has_a_row(void **state)
{
    (void)state;
    size_t count;
    struct seen_rows seen;
    const struct kvb_refusal_row *rules = kvb_refusal_rows(&count);
    walk_rows("fixtures/refusals.csv", FIELDS, mark_rule, &seen);
    for (size_t i = 0; i < count; i++) {
        bool by_variable = strcmp(rules[i].rule, "v1-only") == 0 || strcmp(rules[i].rule, "model-runner") == 0;
        if (!refused_by[i] && !by_variable) {
            fail_msg("nothing is refused by %s (%s)", rules[i].rule, rules[i].source);
        }
    }
}

KVB_TEST_MAIN(cmocka_unit_test(each_release_refuses_what_its_code_refuses), cmocka_unit_test(each_rule_has_a_row))
