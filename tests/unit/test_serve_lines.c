// Serve lines against each release's own parser, configs and loader: its code was run on random lines
// (tests/fixtures/serve_lines.tsv).
#include <stdio.h>
#include <stdlib.h>

#include <kvbudget/kvbudget.h>

#include "unit/fixture_rows.h"
#include "unit/test.h"

#define WORDS_MAX 40
#define LEAST_ROWS 500

enum column { RELEASE, MODEL, CARD, LENGTH, SENTENCE, FIRST_WORD };

static unsigned split_words(char *line, char *words[WORDS_MAX])
{
    unsigned count = 0;
    for (char *at = strtok(line, "\t"); at != NULL; at = strtok(NULL, "\t")) {
        assert_true(count < WORDS_MAX);
        words[count++] = at;
    }
    assert_true(count >= FIRST_WORD);
    return count;
}

static enum kvb_status answer(char *const columns[], unsigned count, struct kvb_plan *plan, struct kvb_budget *budget)
{
    static struct kvb_deployment deployment;
    static struct kvb_model draft;
    static struct kvb_model_source source;
    static struct kvb_problems problems;
    const char *words[WORDS_MAX] = {"vllm", "serve", columns[MODEL]};
    int used = 3;
    for (unsigned i = FIRST_WORD; i < count; i++) {
        words[used++] = columns[i];
    }
    kvb_problems_init(&problems);
    kvb_deployment_init(&deployment);
    enum kvb_status status = kvb_serve_command_read(used, words, &deployment, &problems);
    (void)snprintf(deployment.engine, sizeof deployment.engine, "vllm@%s", columns[RELEASE]);
    (void)snprintf(deployment.gpu, sizeof deployment.gpu, "%s", columns[CARD]);
    status = status == KVB_OK ? kvb_deployment_resolve(&deployment, plan, &draft, &source, &problems) : status;
    return status == KVB_OK ? kvb_budget_compute(plan, budget, &problems) : status;
}

// What auto settles on is less than the length that follows where memory ends first.
static bool is_length(const struct kvb_budget *budget, uint64_t follows)
{
    uint64_t length = kvb_request_length(budget);
    return budget->kv.auto_max_model_len != 0 ? length <= follows : length == follows;
}

// A line that the release goes on with may still want more memory than there is.
static bool agrees(char *const columns[], enum kvb_status status, const struct kvb_budget *budget)
{
    bool refused = status != KVB_OK || budget->refusal != NULL;
    bool raises = strcmp(columns[SENTENCE], "-") != 0;
    return refused == raises && (raises || is_length(budget, strtoull(columns[LENGTH], NULL, 10)));
}

static void each_release_takes_what_its_own_code_takes(void **state)
{
    (void)state;
    static struct kvb_plan plan;
    static struct kvb_budget budget;
    char line[ROW_MAX_BYTES], kept[ROW_MAX_BYTES];
    unsigned count = 0, raised = 0, different = 0;
    FILE *file = open_rows("fixtures/serve_lines.tsv");
    while (next_line(file, line)) {
        char *columns[WORDS_MAX] = {NULL};
        (void)strcpy(kept, line);
        unsigned words = split_words(line, columns);
        enum kvb_status status = answer(columns, words, &plan, &budget);
        if (!agrees(columns, status, &budget)) {
            print_error("%s  got: %s\n", kept, status != KVB_OK ? "not read" : budget.error);
            different++;
        }
        raised += strcmp(columns[SENTENCE], "-") != 0;
        count++;
    }
    (void)fclose(file);
    print_message("%u rows, %u raised, %u different\n", count, raised, different);
    assert_true(count >= LEAST_ROWS && raised > count / 2 && raised < count * 9 / 10);
    assert_int_equal(different, 0);
}

KVB_TEST_MAIN(cmocka_unit_test(each_release_takes_what_its_own_code_takes))
