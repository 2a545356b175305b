// Speculative configs against the release's own: the code of each tag was run on random configs of the built-in models
// (tests/fixtures/speculative.csv).
#include <stdio.h>
#include <stdlib.h>

#include <kvbudget/kvbudget.h>

#include "unit/fixture_rows.h"
#include "unit/test.h"

#define FIELDS 6
#define LEAST_ROWS 400

enum field { RELEASE, MODEL, RANKS, LENGTH, SENTENCE, CONFIG };

static enum kvb_status answer(char *const fields[FIELDS], struct kvb_budget *budget, struct kvb_problems *problems)
{
    static struct kvb_deployment deployment;
    static struct kvb_plan plan;
    static struct kvb_model draft;
    static struct kvb_model_source source;
    const char *words[] = {"vllm",        "serve",           fields[MODEL],  "--tensor-parallel-size",
                           fields[RANKS], "--max-model-len", fields[LENGTH], "--speculative-config",
                           fields[CONFIG]};
    kvb_problems_init(problems);
    kvb_deployment_init(&deployment);
    enum kvb_status status =
        kvb_serve_command_read((int)(sizeof words / sizeof words[0]), words, &deployment, problems);
    (void)snprintf(deployment.engine, sizeof deployment.engine, "vllm@%s", fields[RELEASE]);
    (void)snprintf(deployment.gpu, sizeof deployment.gpu, "b200");
    status = status == KVB_OK ? kvb_deployment_resolve(&deployment, &plan, &draft, &source, problems) : status;
    return status == KVB_OK ? kvb_budget_compute(&plan, budget, problems) : status;
}

// What passes these checks may still be refused by the scheduler or the worker, which come later, or want memory.
static bool is_later(const struct kvb_budget *budget)
{
    return budget->refusal == NULL || strstr(budget->error, "Mamba with speculative decoding") != NULL ||
           strstr(budget->error, "EAGLE3 interface") != NULL || strstr(budget->error, "cudagraph") != NULL ||
           strstr(budget->error, "Model architectures") != NULL ||
           strstr(budget->error, "max_num_scheduled_tokens") != NULL;
}

static bool agrees(const char *sentence, const struct kvb_budget *budget)
{
    if (strcmp(sentence, "-") == 0) {
        return is_later(budget);
    }
    bool earlier = strstr(budget->error, "Model architectures") != NULL; // the draft is made before it is looked at
    return !budget->starts && (strcmp(sentence, "*") == 0 || earlier || strstr(budget->error, sentence) != NULL);
}

static void each_release_takes_what_its_config_takes(void **state)
{
    (void)state;
    static struct kvb_budget budget;
    static struct kvb_problems problems;
    char line[1024], kept[1024];
    unsigned count = 0, raised = 0, different = 0;
    FILE *file = fopen(KVB_SOURCE_DIR "/tests/fixtures/speculative.csv", "r");
    assert_non_null(file);
    assert_non_null(fgets(line, sizeof line, file));
    while (fgets(line, sizeof line, file) != NULL) {
        char *fields[FIELDS];
        (void)strcpy(kept, line);
        split_row(line, fields, FIELDS);
        bool computed = answer(fields, &budget, &problems) == KVB_OK;
        if (!computed || !agrees(fields[SENTENCE], &budget)) {
            print_error("%s  got: %s\n", kept, computed ? budget.error : problems.items[0].text);
            different++;
        }
        raised += strcmp(fields[SENTENCE], "-") != 0;
        count++;
    }
    (void)fclose(file);
    print_message("%u rows, %u raised, %u different\n", count, raised, different);
    assert_true(count >= LEAST_ROWS && raised > count / 2 && raised < count * 9 / 10);
    assert_int_equal(different, 0);
}

KVB_TEST_MAIN(cmocka_unit_test(each_release_takes_what_its_config_takes))
