// Words of number formats in names, beside one another and at the length where words end: what each name says, by what
// its owner publishes, and what unheard-of names do not say.
#include <stdio.h>
#include <string.h>

#include "base/memory.h"
#include "catalogue/builtin.h"
#include "model/names/name.h"
#include "unit/test.h"

#define TEN "xxxxxxxxxx"
#define FORTY TEN TEN TEN TEN

enum flag { DYNAMIC = 1, BLOCK = 2, ACTIVATIONS = 4, ALONE = 8 };

static const struct {
    const char *owner, *name, *rest;
    enum kvb_name_method method;
    uint32_t bits, group;
    unsigned flags;
} rows[] = {
    // A later word of the same kind, or of a weaker one, changes no method.
    {"", "A-8B-w8a8-int8", "A-8B", KVB_NAME_INT8, 8, 0, ACTIVATIONS},
    {"", "A-8B-w8a8-GPTQ", "A-8B", KVB_NAME_GPTQ, 8, 0, ACTIVATIONS},
    {"", "A-8B-BF16-AWQ", "A-8B", KVB_NAME_AWQ, 0, 0, 0},
    {"", "A-8B-NVFP4-AWQ", "A-8B", KVB_NAME_NVFP4, 0, 0, 0},
    {"", "A-8B-nvfp4a16-nvfp4", "A-8B", KVB_NAME_NVFP4, 0, 0, ALONE},
    {"", "A-8B-FP8-int4", "A-8B", KVB_NAME_FP8, 4, 0, 0},
    // Widths in two words, and sizes that look like them.
    {"", "A-7B-GPTQ-4b", "A-7B", KVB_NAME_GPTQ, 4, 0, 0},
    {"", "A-7B-GPTQ-8b", "A-7B", KVB_NAME_GPTQ, 8, 0, 0},
    {"", "A-GPTQ-7b", "A-7b", KVB_NAME_GPTQ, 0, 0, 0},
    {"", "A-8b-4-Bit", "A-8b", KVB_NAME_INTEGER, 4, 0, 0},
    {"", "A-8b-4-bits", "A-8b", KVB_NAME_INTEGER, 4, 0, 0},
    {"", "A-8b-4-Big", "A-8b-4-Big", KVB_NAME_UNSAID, 0, 0, 0},
    // What stands before a format belongs to it; before another word it is the name's own.
    {"", "A-Channel-NVFP4", "A", KVB_NAME_NVFP4, 0, 0, 0},
    {"", "A-block-FP8", "A", KVB_NAME_FP8, 0, 0, BLOCK},
    {"", "A-channel-nvfp4a16", "A", KVB_NAME_NVFP4, 0, 0, ALONE},
    {"", "A-tensor-w8a8", "A", KVB_NAME_INT8, 8, 0, ACTIVATIONS},
    // mradermacher's files made with an importance matrix; float32 is served at 16 bits (config/model.py, 0.20.0)
    {"", "A-7B-i1-GGUF", "A-7B", KVB_NAME_GGUF, 0, 0, 0},
    {"", "A-7B-imatrix-GGUF", "A-7B", KVB_NAME_GGUF, 0, 0, 0},
    {"", "A-i1", "A-i1", KVB_NAME_UNSAID, 0, 0, 0},
    {"", "A-2B-sft-fp32", "A-2B-sft", KVB_NAME_PLAIN, 0, 0, 0},
    {"", "A-8B-MTP", "A-8B-MTP", KVB_NAME_UNSAID, 0, 0, 0},
    {"", "A-channel-g128", "A-channel", KVB_NAME_UNSAID, 0, 128, 0},
    {"", "A-block-8B", "A-block-8B", KVB_NAME_UNSAID, 0, 0, 0},
    {"", "A-Channel--INT8", "A-Channel-", KVB_NAME_INTEGER, 8, 0, 0},
    {"", "A-block-" FORTY, "A-block-" FORTY, KVB_NAME_UNSAID, 0, 0, 0},
    {"", "A-unsloth-unsloth-bnb-4bit", "A", KVB_NAME_BNB, 4, 0, DYNAMIC},
    // Owners whose repositories are all of one kind; what the name says stands above it.
    {"cyankiwi", "A-AWQ", "A", KVB_NAME_PACKED, 4, 32, 0},
    {"cyankiwi", "A-AWQ-8bit-g64", "A", KVB_NAME_PACKED, 8, 64, 0},
    {"Unsloth", "A-4bit", "A", KVB_NAME_BNB, 4, 0, DYNAMIC},
    {"Unsloth", "A-unsloth-4bit", "A", KVB_NAME_BNB, 4, 0, DYNAMIC},
    {"mlx-community", "A-bf16", "A", KVB_NAME_FOREIGN, 0, 0, 0},
    {"mlx-community", "A", "A", KVB_NAME_UNSAID, 0, 0, 0},
    {"Qwen", "A-AWQ", "A", KVB_NAME_AWQ, 0, 0, 0},
};

static void each_name(void **state)
{
    (void)state;
    for (size_t i = 0; i < sizeof rows / sizeof rows[0]; i++) {
        struct kvb_name name = {0};
        struct kvb_name_scheme scheme;
        char rest[KVB_NAME_PART];
        (void)snprintf(name.owner, sizeof name.owner, "%s", rows[i].owner);
        (void)snprintf(name.name, sizeof name.name, "%s", rows[i].name);
        kvb_name_take_words(&name, rest, &scheme);
        unsigned flags = (scheme.dynamic ? DYNAMIC : 0) | (scheme.block ? BLOCK : 0) |
                         (scheme.activations ? ACTIVATIONS : 0) | (scheme.weights_alone ? ALONE : 0);
        if (strcmp(rest, rows[i].rest) != 0 || scheme.method != rows[i].method || scheme.bits != rows[i].bits ||
            scheme.group != rows[i].group || flags != rows[i].flags) {
            fail_msg("%s: '%s' method %d, %u bits, groups of %u, flags %u", rows[i].name, rest, (int)scheme.method,
                     scheme.bits, scheme.group, flags);
        }
    }
}

// A scheme that nobody stated is a format of its own; one of other programs has their name, where it has any.
static void no_scheme(void **state)
{
    (void)state;
    struct kvb_name_scheme scheme = {0};
    char text[64] = "x";
    kvb_name_scheme_text(text, sizeof text, &scheme);
    assert_string_equal(text, "in its own format");
    scheme.method = KVB_NAME_FOREIGN;
    kvb_name_scheme_text(text, sizeof text, &scheme);
    assert_string_equal(text, "");
    scheme.word = "EXL2";
    kvb_name_scheme_text(text, sizeof text, &scheme);
    assert_string_equal(text, "EXL2");
}

// Names as long as a name can be, of one word, of as many as fit, of digits alone: nothing is known by them, and
// nothing is written beyond its room.
static void unheard_of(void **state)
{
    (void)state;
    static const char *const units[] = {"x",   "x-", "7b-", "a.1-",      "7-",   "1.",
                                        "_1_", "-",  "e9",  "instruct-", "4bit", "awq-"};
    for (size_t i = 0; i < sizeof units / sizeof units[0]; i++) {
        struct kvb_name name = {0};
        struct kvb_name_answer answer;
        struct kvb_name_scheme scheme;
        const struct kvb_builtin *nearest[KVB_NAME_NEAREST_MAX], *formats[2];
        char rest[KVB_NAME_PART], folded[KVB_NAME_PART];
        for (size_t used = 0; used + strlen(units[i]) < sizeof name.name; used += strlen(units[i])) {
            strcpy(name.name + used, units[i]);
        }
        strcpy(name.owner, "nobody");
        kvb_name_take_words(&name, rest, &scheme);
        assert_true(strlen(rest) <= strlen(name.name));
        kvb_name_fold(folded, sizeof folded, name.name);
        assert_true(strlen(folded) < sizeof folded);
        assert_null(kvb_name_stated(name.name));
        kvb_name_find(&name, &answer);
        assert_null(answer.base);
        assert_true(kvb_name_nearest(&name, nearest) <= KVB_NAME_NEAREST_MAX);
        assert_int_equal(kvb_name_formats(name.name, formats, 2), 0);
        assert_null(kvb_name_smaller(name.name));
    }
}

// What is said of a name that several models have, of one in a format of other programs, and of one that cannot be a
// repository's.
static void refusals(void **state)
{
    (void)state;
    static struct kvb_problems problems;
    size_t count;
    const struct kvb_builtin *models = kvb_builtins_of(KVB_PROFILE_MODEL, &count);
    struct kvb_name name = {.name = "twins"};
    struct kvb_name_answer answer = {.match = KVB_MATCH_SEVERAL, .candidates = {models, models + 1, models + 2}};
    char expected[512];
    answer.candidate_count = 3;
    kvb_problems_init(&problems);
    assert_int_equal(kvb_name_refuse("twins", &name, &answer, &problems), KVB_AMBIGUOUS_NAME);
    (void)snprintf(expected, sizeof expected,
                   "several models are called 'twins': write `--model %s`, `--model %s` or `--model %s`", models[0].id,
                   models[1].id, models[2].id);
    assert_string_equal(problems.items[0].text, expected);
    kvb_problems_init(&problems);
    assert_int_equal(kvb_model_load("org/a;b", NULL, NULL, NULL, &problems), KVB_UNKNOWN_NAME);
    assert_non_null(strstr(problems.items[0].text, "model 'org/a;b' cannot be a repository's name, which is OWNER/NAME "
                                                   "in letters, digits, '-', '_' and '.'"));
    kvb_problems_init(&problems);
    assert_int_equal(kvb_model_load("", NULL, NULL, NULL, &problems), KVB_UNKNOWN_NAME);
    assert_non_null(strstr(problems.items[0].text, "model '' cannot be a repository's name"));
}

KVB_TEST_MAIN(cmocka_unit_test(each_name), cmocka_unit_test(no_scheme), cmocka_unit_test(unheard_of),
              cmocka_unit_test(refusals))
