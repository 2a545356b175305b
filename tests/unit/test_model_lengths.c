// Lengths against the release's own function: _get_and_verify_max_len of each tag was run on random configs and flags
// (tests/fixtures/model_lengths.csv).
#include <stdlib.h>

#include <kvbudget/input.h>

#include "unit/fixture_rows.h"
#include "unit/plans.h"

#define FIELDS 6
#define LEAST_ROWS 150

enum field { RELEASE, ASKED, WHOLE, ALLOWED, ANSWER, KEYS };

#define CONFIG                                                                                                         \
    "{\"architectures\": [\"MistralForCausalLM\"], \"model_type\": \"mistral\", \"torch_dtype\": \"bfloat16\", "       \
    "\"hidden_size\": 2048, \"num_hidden_layers\": 2, \"num_attention_heads\": 16, \"num_key_value_heads\": 4, "       \
    "\"intermediate_size\": 4096, \"vocab_size\": 32000, %s"

static struct kvb_plan plan;
static struct kvb_budget budget;
static struct kvb_model read;

static void make_row(char *const fields[FIELDS])
{
    char text[2048];
    struct kvb_problems problems;
    kvb_problems_init(&problems);
    const char *keys = strcmp(fields[KEYS], "{}") == 0 ? "\"x\": 0}" : fields[KEYS] + 1;
    int length = snprintf(text, sizeof text, CONFIG, keys);
    memset(&read, 0, sizeof read);
    assert_int_equal(kvb_model_read_config("config.json", text, (size_t)length, NULL, NULL, 0, NULL, &read, &problems),
                     KVB_OK);
    make_llama_plan(&plan, release_of(fields[RELEASE]));
    plan.model = read;
    plan.gpu.memory_bytes = 640 * GIB;
    unset(&plan, KVB_SET_MAX_MODEL_LEN);
    if (strcmp(fields[ASKED], "0") != 0) {
        set(&plan, KVB_SET_MAX_MODEL_LEN, strtoull(fields[ASKED], NULL, 10));
    }
    set(&plan, KVB_SET_DISABLE_SLIDING_WINDOW, strtoull(fields[WHOLE], NULL, 10));
    plan.environment.allow_long_max_model_len = fields[ALLOWED][0] == '1' ? KVB_YES : KVB_NO;
}

static bool agrees(const char *answer)
{
    bool refused = !budget.starts && budget.refusal != NULL && strcmp(budget.refusal, "max-model-len") == 0;
    if (strcmp(answer, "-") == 0) {
        return refused;
    }
    return !refused && resolved(&plan)->max_model_len == strtoull(answer, NULL, 10);
}

static bool look(char *const *cells, struct seen_rows *seen)
{
    make_row(cells);
    (void)answer_into(&plan, &budget);
    seen->raised += strcmp(cells[ANSWER], "-") == 0;
    bool same = agrees(cells[ANSWER]);
    if (!same) {
        print_error("%llu %s\n", (unsigned long long)resolved(&plan)->max_model_len, budget.error);
    }
    return same;
}

static void each_release_takes_the_lengths_it_takes(void **state)
{
    (void)state;
    struct seen_rows seen;
    walk_rows("fixtures/model_lengths.csv", FIELDS, look, &seen);
    assert_true(seen.rows >= LEAST_ROWS && seen.raised > seen.rows / 5 && seen.raised < seen.rows * 4 / 5);
    assert_int_equal(seen.different, 0);
}

KVB_TEST_MAIN(cmocka_unit_test(each_release_takes_the_lengths_it_takes))
