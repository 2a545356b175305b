// Cards without a card: each count is the smallest that plan says starts, and none is more than a machine has.
#include <stdlib.h>
#include <string.h>

#include <kvbudget/kvbudget.h>

#include "answer/card_rows.h"
#include "unit/test.h"

static struct kvb_deployment deployment;
static struct kvb_cards cards;
static struct kvb_answer answer;
static struct kvb_problems problems;

// What plan says of so many of the card.
static bool starts(const char *model, const char *gpu, const char *engine, uint64_t count)
{
    static struct kvb_deployment one;
    static struct kvb_answer own;
    kvb_deployment_init(&one);
    (void)strcpy(one.model, model);
    (void)strcpy(one.gpu, gpu);
    (void)strcpy(one.engine, engine);
    kvb_settings_set(&one.settings, KVB_SET_TENSOR_PARALLEL_SIZE, count, KVB_ORIGIN_FLAG);
    kvb_problems_init(&problems);
    assert_int_equal(kvb_deployment_resolve(&one, &own.plan, &own.draft, &own.source, &problems), KVB_OK);
    if (kvb_answer_plan(&own, &problems) != KVB_OK || own.budget.verdict == KVB_DOES_NOT_FIT) {
        return false;
    }
    return own.budget.slack_bytes >= 0 || own.advice.has_utilization;
}

static void ask(const char *model, const char *engine)
{
    kvb_deployment_init(&deployment);
    (void)strcpy(deployment.model, model);
    (void)strcpy(deployment.engine, engine);
    kvb_problems_init(&problems);
    assert_int_equal(kvb_answer_cards(&deployment, &cards, &answer, &problems), KVB_OK);
    assert_true(cards.line_count > 20 && cards.line_count < KVB_CARD_LINES_MAX);
}

static void check_line(const struct kvb_card_line *line, uint32_t format, const char *engine)
{
    const char *model = cards.formats[format].model;
    uint64_t count = line->counts[format];
    assert_true(count <= line->most);
    for (uint64_t tried = 1; tried <= line->most && (count == 0 || tried <= count); tried *= 2) {
        assert_int_equal(starts(model, line->id, engine, tried), tried == count);
    }
}

static void counts_are_those_of_plan(void **state)
{
    (void)state;
    static const char *const questions[][2] = {{"Qwen/Qwen3-8B", "vllm"},
                                               {"meta-llama/Llama-3.3-70B-Instruct", "vllm@0.10.2"},
                                               {"openai/gpt-oss-20b", "vllm"}};
    for (size_t i = 0; i < sizeof questions / sizeof questions[0]; i++) {
        ask(questions[i][0], questions[i][1]);
        for (uint32_t line = (uint32_t)i; line < cards.line_count; line += 3) {
            for (uint32_t format = 0; format < KVB_CARD_FORMATS; format++) {
                if (cards.formats[format].known) {
                    check_line(&cards.lines[line], format, questions[i][1]);
                }
            }
        }
    }
}

// A machine with one GPU is never offered eight-fold; what only an old release runs on is not offered with a new one.
static void real_counts(void **state)
{
    (void)state;
    struct kvb_gpu gpu;
    static const struct {
        const char *id;
        uint32_t most;
    } rows[] = {{"gb10", 1},    {"strix-halo", 1},          {"rtx4070-laptop", 1},  {"jetson-thor", 1}, {"gh200-96", 1},
                {"rtx4090", 4}, {"rtx-a6000", 4},           {"rtx-pro-6000-ws", 4}, {"gb200", 4},       {"h100-sxm", 8},
                {"l4", 8},      {"rtx-pro-6000-server", 8}, {"mi300x", 8}};
    for (size_t i = 0; i < sizeof rows / sizeof rows[0]; i++) {
        kvb_problems_init(&problems);
        assert_int_equal(kvb_gpu_load(rows[i].id, &gpu, &problems), KVB_OK);
        assert_int_equal(kvb_card_most(rows[i].id, &gpu), rows[i].most);
    }
    assert_false(kvb_card_runs("gaudi3"));
    assert_true(kvb_card_runs("mi300x"));
}

// A size behind a card's name has its unit or not; a letter of the name is none.
static void sizes_in_names(void **state)
{
    (void)state;
    static const struct {
        const char *word, *name;
    } rows[] = {{"a100-80", "NVIDIA A100-SXM4-80GB"},
                {"a100-80gb", "NVIDIA A100-SXM4-80GB"},
                {"A100_40GiB", "NVIDIA A100-SXM4-40GB"},
                {"h100-80", "NVIDIA H100 80GB HBM3"},
                {"l4-24", "NVIDIA L4"},
                {"4090 24GB", "NVIDIA GeForce RTX 4090"},
                {"a10g", "NVIDIA A10G"},
                {"a10", "NVIDIA A10"}};
    for (size_t i = 0; i < sizeof rows / sizeof rows[0]; i++) {
        struct kvb_gpu gpu;
        kvb_problems_init(&problems);
        assert_int_equal(kvb_gpu_load(rows[i].word, &gpu, &problems), KVB_OK);
        assert_string_equal(gpu.name, rows[i].name);
    }
}

// By the size on the box, whatever of it CUDA sees.
static void classes(void **state)
{
    (void)state;
    static const struct {
        const char *id;
        uint32_t gigabytes;
    } rows[] = {{"rtx4060", 8},   {"rtx3080-10", 12}, {"rtx2080ti", 12},   {"t4", 16},      {"rtx-a4500", 24},
                {"rtx4090", 24},  {"rtx5090", 32},    {"a100-sxm-40", 48}, {"l40s", 48},    {"mi210", 80},
                {"h100-sxm", 80}, {"h100-nvl", 96},   {"gb10", 141},       {"h200", 141},   {"gh200-144", 141},
                {"b200", 180},    {"gb200", 180},     {"mi300x", 192},     {"mi325x", 288}, {"b300", 288}};
    for (size_t i = 0; i < sizeof rows / sizeof rows[0]; i++) {
        struct kvb_gpu gpu;
        kvb_problems_init(&problems);
        assert_int_equal(kvb_gpu_load(rows[i].id, &gpu, &problems), KVB_OK);
        assert_int_equal(kvb_card_class(gpu.memory_bytes), rows[i].gigabytes);
    }
}

// Every common card is a card.
static void common_cards_exist(void **state)
{
    (void)state;
    size_t count;
    uint32_t common = 0;
    const struct kvb_builtin *rows = kvb_builtins(&count);
    for (size_t i = 0; i < count; i++) {
        common += rows[i].kind == KVB_PROFILE_GPU && kvb_card_rank(rows[i].id) < kvb_card_rank("");
    }
    assert_int_equal(common, kvb_card_rank(""));
}

KVB_TEST_MAIN(cmocka_unit_test(counts_are_those_of_plan), cmocka_unit_test(real_counts), cmocka_unit_test(classes),
              cmocka_unit_test(sizes_in_names), cmocka_unit_test(common_cards_exist))
