// Fine-tunes whose names state their model: what each is taken for, what is refused, and that the shape is the one
// known.
#include <stdio.h>
#include <string.h>

#include <kvbudget/kvbudget.h>

#include "catalogue/builtin.h"
#include "model/names/name.h"
#include "unit/test.h"

static struct kvb_model model, other;
static struct kvb_model_source source;
static struct kvb_problems problems;

struct stated_case {
    const char *name, *base; // NULL: nothing is said by it
};
// Bases by their model cards; the refused ones have another shape than the model in their name.
static const struct stated_case cases[] = {
    {"Llama-3-Open-Ko-8B", "meta-llama/Meta-Llama-3-8B-Instruct"},
    {"L3.3-70B-Magnum-v4-SE", "meta-llama/Llama-3.3-70B-Instruct"},
    {"Skywork-o1-Open-Llama-3.1-8B", "meta-llama/Llama-3.1-8B"},
    {"qwen2.5-bakeneko-32b-instruct", "Qwen/Qwen2.5-32B-Instruct"},
    {"Qwen2.5_Coder_7B_Instruct_GRPO", "Qwen/Qwen2.5-Coder-7B-Instruct"},
    {"Gemma-2-Llama-Swallow-9b-it-v0.1", "google/gemma-2-9b-it"},
    {"Qwen3-30B-A3B-ArliAI-RpR-v4-Fast", "Qwen/Qwen3-30B-A3B"},
    {"Idefics3-8B-Llama3", NULL},
    {"internlm-xcomposer2d5-7b", NULL},
    {"Llama-3.1-Nemotron-Nano-5B-v1.1", NULL},
    {"Llama-3.1-Nemotron-Nano-VL-8B-V1", NULL},
    {"Llama-3-8B-Instruct-262k", NULL},
    {"Qwen2.5-7B-Instruct-1M-custom-x", "Qwen/Qwen2.5-7B-Instruct-1M"},
    {"Llama-2-7b-AQLM-2Bit-1x16", NULL},
    {"Llama-2-7b-4.65bpw", NULL},
    {"EAGLE3-LLaMA3.1-Instruct-8B", NULL},
    {"gemma-4-26B-A4B-it-speculator.eagle3", NULL}, // a head of one layer, by its repository: 1.73 GiB
    {"Qwen3-8B.speculator.dflash", NULL},
    {"Qwen2.5-7B-Instruct.abliterated", "Qwen/Qwen2.5-7B-Instruct"},
    {"Qwen3.5-REAP-35B-A3B", NULL},
    {"Foo-Reward-V2-Llama-3.1-8B", NULL},
    {"Qwen3.6-27B-Text", NULL}, // without the tower of Qwen/Qwen3.6-27B
    {"Llama-3-11.5B-Instruct", NULL},
    {"Llama-4-8B-dream", NULL},
    {"openr1-qwen-7b", NULL},
    {"Mixtral-7B", NULL},
    {"7B", NULL},
    {"", NULL},
};

static void names_state_their_model(void **state)
{
    (void)state;
    for (size_t i = 0; i < sizeof cases / sizeof cases[0]; i++) {
        const struct kvb_builtin *base = kvb_name_stated(cases[i].name);
        if ((base == NULL) != (cases[i].base == NULL) || (base && strcmp(base->id, cases[i].base) != 0)) {
            fail_msg("%s: %s", cases[i].name, base ? base->id : "nothing");
        }
    }
}

static const char *part_of_name(const char *id)
{
    const char *slash = strchr(id, '/');
    return slash ? slash + 1 : id;
}

static bool is_same_shape(const char *a, const char *b)
{
    kvb_problems_init(&problems);
    assert_int_equal(kvb_model_load(a, NULL, &model, &source, &problems), KVB_OK);
    assert_int_equal(kvb_model_load(b, NULL, &other, &source, &problems), KVB_OK);
    return model.hidden_size == other.hidden_size && model.layer_count == other.layer_count;
}

// The table of names says of some 500 fine-tunes which model they have the shape of: by the name alone it is the same.
static void known_fine_tunes_agree(void **state)
{
    size_t count;
    uint32_t told = 0;
    const struct kvb_known_name *rows = kvb_known_names(&count);
    (void)state;
    for (size_t i = 0; i < count; i++) {
        const struct kvb_builtin *base = kvb_name_stated(part_of_name(rows[i].name));
        if (base && strcmp(base->id, rows[i].like) != 0 && !is_same_shape(base->id, rows[i].like)) {
            fail_msg("%s: %s, should be like %s", rows[i].name, base->id, rows[i].like);
        }
        told += base != NULL;
    }
    print_message("%u of %zu known names state their model\n", told, count);
    assert_true(told >= 150);
}

static void the_bound_is_wider(void **state)
{
    (void)state;
    kvb_problems_init(&problems);
    assert_int_equal(kvb_model_load("some-lab/Llama-3-Dream-8B", NULL, &model, &source, &problems), KVB_OK);
    assert_string_equal(
        problems.items[0].text,
        "model 'some-lab/Llama-3-Dream-8B' is not built in: planned as "
        "meta-llama/Meta-Llama-3-8B-Instruct, of which its name says it is a fine-tune; its weights "
        "may be 5 % smaller or larger; where its shape differs, give its config: --model ./config.json");
    assert_int_equal(model.assumed_low_ppm, 50000);
    assert_int_equal(model.assumed_high_ppm, 50000);
    assert_int_equal(source.weights_basis, KVB_BASIS_ASSUMED);
    assert_string_equal(model.name, "some-lab/Llama-3-Dream-8B");
    kvb_problems_init(&problems);
    assert_int_equal(kvb_model_load("some-lab/Llama-3-Dream-8B-FP8", NULL, &model, &source, &problems), KVB_OK);
    assert_int_equal(model.assumed_high_ppm, 80000 + 50000);
    assert_non_null(strstr(problems.items[0].text, "may be 7 % smaller or 13 % larger"));
    kvb_problems_init(&problems);
    assert_int_not_equal(kvb_model_load("Llama-3-Dream-8B", NULL, &model, &source, &problems), KVB_OK);
}

KVB_TEST_MAIN(cmocka_unit_test(names_state_their_model), cmocka_unit_test(known_fine_tunes_agree),
              cmocka_unit_test(the_bound_is_wider))
