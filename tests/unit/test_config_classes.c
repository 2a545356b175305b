// Serve lines against the release's own classes: what each tag's EngineArgs.create_engine_config raised or settled on.
// tests/fixtures/config_classes.csv says how it was made.
#include <stdlib.h>

#include <kvbudget/kvbudget.h>

#include "engines/vllm/graph_sizes.h"
#include "unit/fixture_rows.h"
#include "unit/test.h"
#include "unit/words.h"

#define LEAST_ROWS 250

enum cell { RELEASE, RAISES, SEQS, TOKENS, CHUNKED, AHEAD, SIZES, LARGEST, LINE, CELLS };

static struct kvb_deployment deployment;
static struct kvb_plan plan;
static struct kvb_model draft;
static struct kvb_model_source source;
static struct kvb_problems problems;
static struct kvb_budget budget;
static struct kvb_context context;

static enum kvb_status answer(char *const *cells)
{
    char line[ROW_MAX_BYTES];
    struct words words;
    (void)snprintf(line, sizeof line, "vllm serve %s", cells[LINE]);
    words_of(line, &words);
    kvb_problems_init(&problems);
    kvb_deployment_init(&deployment);
    enum kvb_status status = kvb_serve_command_read(words.count, words.words, &deployment, &problems);
    (void)snprintf(deployment.engine, sizeof deployment.engine, "vllm@%s", cells[RELEASE]);
    (void)strcpy(deployment.gpu, "h100-sxm");
    status = status == KVB_OK ? kvb_deployment_resolve(&deployment, &plan, &draft, &source, &problems) : status;
    return status == KVB_OK ? kvb_budget_compute(&plan, &budget, &problems) : status;
}

static bool same(const char *cell, uint64_t number)
{
    return strcmp(cell, "-") == 0 || strtoull(cell, NULL, 10) == number;
}

static bool settles_on(char *const *cells)
{
    uint64_t sizes = 0, largest = 0;
    struct kvb_captures captures;
    kvb_context_fill(&context, &plan);
    kvb_captures_of(&context, &captures);
    bool any = captures.piecewise + captures.full > 0;
    for (uint64_t next = any ? kvb_capture_size_after(&context, 0) : 0; next != 0;
         next = kvb_capture_size_after(&context, next)) {
        largest = next;
        sizes++;
    }
    return same(cells[SEQS], context.max_num_seqs) && same(cells[TOKENS], context.max_num_batched_tokens) &&
           same(cells[CHUNKED], context.chunked_prefill) && same(cells[AHEAD], context.async_scheduling) &&
           same(cells[SIZES], sizes) && same(cells[LARGEST], largest);
}

static bool agrees(char *const *cells, struct seen_rows *seen)
{
    enum kvb_status status = answer(cells);
    bool raises = strcmp(cells[RAISES], "raises") == 0;
    seen->raised += raises;
    if (raises) {
        return status != KVB_OK || budget.refusal != NULL;
    }
    bool taken = status == KVB_OK && budget.refusal == NULL;
    if (!taken) {
        print_error("got %s\n", status == KVB_OK ? budget.error : problems.items[0].text);
    }
    return taken && settles_on(cells);
}

static void each_line_is_as_its_classes_say(void **state)
{
    (void)state;
    struct seen_rows seen;
    walk_rows("fixtures/config_classes.csv", CELLS, agrees, &seen);
    assert_true(seen.rows >= LEAST_ROWS && seen.raised > seen.rows / 8 && seen.raised < seen.rows * 3 / 4);
    assert_int_equal(seen.different, 0);
}

KVB_TEST_MAIN(cmocka_unit_test(each_line_is_as_its_classes_say))
