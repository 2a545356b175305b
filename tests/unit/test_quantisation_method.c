// Quantisation against the release's own code: _verify_quantization, the classes' override_quantization_method,
// from_config, least capability and activation types of each tag were run on random checkpoints, flags, GPUs and dtypes
// (tests/fixtures/quantisation.csv).
#include <stdlib.h>

#include <kvbudget/input.h>

#include "unit/fixture_rows.h"
#include "unit/plans.h"

#define FIELDS 6
#define LEAST_ROWS 300

enum field { RELEASE, CAPABILITY, DTYPE, ASKED, SENTENCE, STORED };

#define CONFIG                                                                                                         \
    "{\"architectures\": [\"LlamaForCausalLM\"], \"model_type\": \"llama\", \"torch_dtype\": \"bfloat16\", "           \
    "\"hidden_size\": 4096, \"num_hidden_layers\": 2, \"num_attention_heads\": 32, \"num_key_value_heads\": 8, "       \
    "\"intermediate_size\": 14336, \"vocab_size\": 128256, \"max_position_embeddings\": 8192, "                        \
    "\"quantization_config\": %s}"

static struct kvb_plan plan;
static struct kvb_budget budget;
static struct kvb_model read;

static void read_stored(const char *quantisation)
{
    char text[2048];
    struct kvb_problems problems;
    kvb_problems_init(&problems);
    int length = snprintf(text, sizeof text, CONFIG, quantisation);
    memset(&read, 0, sizeof read);
    assert_int_equal(kvb_model_read_config("config.json", text, (size_t)length, NULL, NULL, 0, NULL, &read, &problems),
                     KVB_OK);
    plan.model.quantisation = read.quantisation;
}

static void make_row(char *const fields[FIELDS])
{
    make_llama_plan(&plan, release_of(fields[RELEASE]));
    plan.gpu.compute_capability = (uint32_t)strtoul(fields[CAPABILITY], NULL, 10);
    set_word(&plan, KVB_SET_DTYPE, fields[DTYPE]);
    if (strcmp(fields[STORED], "-") != 0) {
        read_stored(fields[STORED]);
    }
    if (strcmp(fields[ASKED], "-") != 0) {
        set_word(&plan, KVB_SET_QUANTIZATION, fields[ASKED]);
    }
}

// Of two reasons the tool may say the one that the engine reaches later; argparse asked for the word before 0.13.
static bool says_another(const char *refusal)
{
    return refusal != NULL && strncmp(refusal, "quantization-", 13) == 0;
}

// What passes these checks may still be refused by a layer, a kernel or a backend, which are made later.
static bool is_later(void)
{
    static const char *const later[] = {"quantization-scheme", "quantization-shape", "gpu-capability",
                                        "kv-cache-dtype"};
    for (size_t i = 0; i < sizeof later / sizeof later[0]; i++) {
        if (budget.refusal != NULL && strcmp(budget.refusal, later[i]) == 0) {
            return true;
        }
    }
    return false;
}

static unsigned worded;

static bool look(char *const *cells, struct seen_rows *seen)
{
    make_row(cells);
    (void)answer_into(&plan, &budget);
    bool none = strcmp(cells[SENTENCE], "-") == 0;
    bool same = none ? budget.starts || is_later() : !budget.starts && says_another(budget.refusal);
    if (!same) {
        print_error("%s\n", budget.error);
    }
    worded += !none && begins_with(budget.error, cells[SENTENCE]);
    seen->raised += !none;
    return same;
}

static void each_release_refuses_what_its_classes_refuse(void **state)
{
    (void)state;
    struct seen_rows seen;
    walk_rows("fixtures/quantisation.csv", FIELDS, look, &seen);
    print_message("%u in the same words\n", worded);
    assert_true(seen.rows >= LEAST_ROWS && seen.raised > seen.rows / 3 && seen.raised < seen.rows * 4 / 5);
    assert_true(worded > seen.raised * 9 / 10);
    assert_int_equal(seen.different, 0);
}

KVB_TEST_MAIN(cmocka_unit_test(each_release_refuses_what_its_classes_refuse))
