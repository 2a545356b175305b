// Lengths against the release's own function: _get_and_verify_max_len of each tag was run on random configs and flags
// (tests/fixtures/model_lengths.csv).
#include <stdio.h>
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

static uint32_t release_of(const char *text)
{
    char *end;
    uint32_t major = (uint32_t)strtoul(text, &end, 10), minor = (uint32_t)strtoul(end + 1, &end, 10);
    return KVB_RELEASE(major, minor, (uint32_t)strtoul(end + 1, NULL, 10));
}

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

static void each_release_takes_the_lengths_it_takes(void **state)
{
    (void)state;
    char line[1024], kept[1024];
    unsigned count = 0, raised = 0, different = 0;
    FILE *file = fopen(KVB_SOURCE_DIR "/tests/fixtures/model_lengths.csv", "r");
    assert_non_null(file);
    assert_non_null(fgets(line, sizeof line, file));
    while (fgets(line, sizeof line, file) != NULL) {
        char *fields[FIELDS];
        (void)strcpy(kept, line);
        split_row(line, fields, FIELDS);
        make_row(fields);
        (void)answer_into(&plan, &budget);
        bool same = agrees(fields[ANSWER]);
        if (!same) {
            print_error("%s%llu %s\n", kept, (unsigned long long)resolved(&plan)->max_model_len, budget.error);
        }
        different += !same;
        raised += strcmp(fields[ANSWER], "-") == 0;
        count++;
    }
    (void)fclose(file);
    print_message("%u rows, %u raised, %u different\n", count, raised, different);
    assert_true(count >= LEAST_ROWS && raised > count / 5 && raised < count * 4 / 5);
    assert_int_equal(different, 0);
}

KVB_TEST_MAIN(cmocka_unit_test(each_release_takes_the_lengths_it_takes))
