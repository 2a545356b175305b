// A question answered whole through the library alone: as the tool asks, without its arguments and its printing.
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include <kvbudget/kvbudget.h>

#include "unit/test.h"

static struct kvb_question question;
static struct kvb_answer answer, best;
static struct kvb_problems problems;

static void ask(const char *model, const char *gpu)
{
    memset(&question, 0, sizeof question);
    question.serve_model = -1;
    kvb_deployment_init(&question.deployment);
    (void)strcpy(question.deployment.model, model);
    (void)strcpy(question.deployment.gpu, gpu);
    kvb_problems_init(&problems);
}

static void set(enum kvb_setting setting, uint64_t number)
{
    kvb_settings_set(&question.deployment.settings, setting, number, KVB_ORIGIN_FLAG);
}

// The line to paste: what was typed stays as typed, the environment stands in front, a name is quoted.
static void line_keeps_what_was_typed(void **state)
{
    (void)state;
    ask("Qwen/Qwen3-0.6B", "l4");
    set(KVB_SET_MAX_MODEL_LEN, 4096);
    set(KVB_SET_ENFORCE_EAGER, 1);
    set(KVB_SET_LIMIT_IMAGES, 0);
    kvb_question_keep(&question, "env", "VLLM_USE_V1=1");
    kvb_question_keep(&question, "limit-mm-per-prompt", "{\"image\": 0}");
    assert_string_equal(kvb_question_typed(&question, "env"), "VLLM_USE_V1=1");
    assert_null(kvb_question_typed(&question, "hf-overrides"));
    assert_int_equal(kvb_answer_deployment(&question.deployment, &answer, &problems), KVB_OK);
    assert_int_equal(answer.budget.verdict, KVB_FITS);
    memset(&answer.advice, 0, sizeof answer.advice);
    char *line = kvb_serve_line(&question, &answer.plan, &answer.advice);
    assert_non_null(line);
    assert_string_equal(line, "VLLM_USE_V1=1 vllm serve Qwen/Qwen3-0.6B --max-model-len 4096 --enforce-eager "
                              "--limit-mm-per-prompt '{\"image\": 0}'");
    free(line);
}

// A serve command that was given is kept word for word but for what changes.
static void command_is_kept(void **state)
{
    (void)state;
    static const char *const words[] = {
        "A=b c", "vllm", "serve", "Qwen/Qwen3-0.6B", "--max_model_len=8192", "--port", "8000", "--seed=1", "-tp", "1"};
    ask("Qwen/Qwen3-0.6B", "l4");
    question.serve_words = words;
    question.serve_count = 10;
    question.serve_model = 3;
    set(KVB_SET_MAX_MODEL_LEN, 2048);
    assert_int_equal(kvb_answer_deployment(&question.deployment, &answer, &problems), KVB_OK);
    memset(&answer.advice, 0, sizeof answer.advice);
    char *line = kvb_serve_line(&question, &answer.plan, &answer.advice);
    assert_non_null(line);
    assert_string_equal(line, "A='b c' vllm serve Qwen/Qwen3-0.6B --port 8000 --seed=1 -tp 1 --max-model-len 2048");
    free(line);
}

// Stages of a plan that names no executor run on V1, which 0.8.3 to 0.9.0 do with Ray alone (arg_utils.py v0.8.5:1480).
static void line_names_the_executor(void **state)
{
    (void)state;
    static const struct {
        const char *engine;
        uint64_t stages;
        uint8_t use_v1;
        bool ray;
    } rows[] = {
        {"vllm@0.8.2", 2, KVB_UNSET, false}, {"vllm@0.8.3", 2, KVB_UNSET, true}, {"vllm@0.9.0", 2, KVB_YES, true},
        {"vllm@0.9.0", 1, KVB_UNSET, false}, {"vllm@0.8.5", 2, KVB_NO, false},   {"vllm@0.9.1", 2, KVB_UNSET, false},
    };
    for (size_t i = 0; i < sizeof rows / sizeof rows[0]; i++) {
        ask("Qwen/Qwen3-0.6B", "l4");
        (void)snprintf(question.deployment.engine, sizeof question.deployment.engine, "%s", rows[i].engine);
        question.deployment.environment.use_v1 = rows[i].use_v1;
        set(KVB_SET_PIPELINE_PARALLEL_SIZE, rows[i].stages);
        assert_int_equal(kvb_answer_deployment(&question.deployment, &answer, &problems), KVB_OK);
        memset(&answer.advice, 0, sizeof answer.advice);
        char *line = kvb_serve_line(&question, &answer.plan, &answer.advice);
        assert_non_null(line);
        assert_int_equal(strstr(line, " --distributed-executor-backend ray") != NULL, rows[i].ray);
        free(line);
    }
}

// An engine without a command of its own has no line.
static void generic_has_no_line(void **state)
{
    (void)state;
    ask("Qwen/Qwen3-0.6B", "l4");
    (void)strcpy(question.deployment.engine, "generic");
    assert_int_equal(kvb_answer_deployment(&question.deployment, &answer, &problems), KVB_OK);
    assert_null(kvb_serve_line(&question, &answer.plan, &answer.advice));
}

// Without a GPU: the smallest cards first, and the best answer is that of the first of them.
static void cards_are_sorted(void **state)
{
    (void)state;
    static struct kvb_cards cards;
    ask("Qwen/Qwen3-32B", "");
    set(KVB_SET_MAX_MODEL_LEN, 16384);
    assert_false(kvb_names_gpu(&question.deployment));
    assert_int_equal(kvb_answer_cards(&question.deployment, &cards, &best, &problems), KVB_OK);
    assert_true(cards.count > 1 && cards.starting >= cards.count);
    for (uint32_t i = 1; i < cards.count; i++) {
        assert_true(cards.rows[i - 1].class_gigabytes * cards.rows[i - 1].count <=
                    cards.rows[i].class_gigabytes * cards.rows[i].count);
    }
    assert_int_equal(best.budget.memory_bytes, cards.rows[0].memory_bytes);
    assert_true(best.budget.slack_bytes >= 0 && best.budget.verdict != KVB_DOES_NOT_FIT);
}

// Residents of a profile and of --with, in order; those before hold what the plan then finds taken.
static void residents_are_placed(void **state)
{
    (void)state;
    struct kvb_placed *placed = NULL;
    ask("", "");
    question.profile = KVB_SOURCE_DIR "/tests/fixtures/residents/verl.yaml";
    assert_int_equal(kvb_deployment_load(question.profile, &question.deployment, &problems), KVB_OK);
    assert_int_equal(
        kvb_deployment_resolve(&question.deployment, &answer.plan, &answer.draft, &answer.source, &problems), KVB_OK);
    assert_int_equal(kvb_residents_place(&question, &answer.plan, &placed, &problems), KVB_OK);
    assert_non_null(placed);
    assert_non_null(placed->training);
    assert_true(placed->side->count >= 2);
    assert_true(placed->alternative_count >= 4);
    (void)kvb_placed_fit(placed);
    kvb_placed_free(placed);
}

// Beside the split that was asked for those of 1, 2 and 4 that divide the trainer's GPUs; then the ways of
// transformers.
static void rollouts_beside_it(void **state)
{
    (void)state;
    static const struct {
        uint32_t gpus;
        unsigned splits[4]; // 0 ends them
    } rows[] = {{8, {2, 1, 4, 0}}, {6, {2, 1, 0, 0}}, {4, {2, 1, 4, 0}}, {2, {2, 1, 0, 0}}};
    for (size_t i = 0; i < sizeof rows / sizeof rows[0]; i++) {
        struct kvb_placed *placed = NULL;
        static struct kvb_resident_entry entry;
        ask("Qwen/Qwen3-0.6B", "h100-sxm");
        set(KVB_SET_TENSOR_PARALLEL_SIZE, 2);
        memset(&entry, 0, sizeof entry);
        entry.kind = KVB_RESIDENT_TRAINER;
        (void)strcpy(entry.name, "trainer");
        kvb_trainer_init(&entry.trainer);
        entry.trainer.gpus = rows[i].gpus;
        question.entries = &entry;
        question.entry_count = 1;
        assert_int_equal(
            kvb_deployment_resolve(&question.deployment, &answer.plan, &answer.draft, &answer.source, &problems),
            KVB_OK);
        assert_int_equal(kvb_residents_place(&question, &answer.plan, &placed, &problems), KVB_OK);
        unsigned count = 0;
        for (; rows[i].splits[count] > 0; count++) {
            assert_int_equal(placed->alternatives[count].tp, rows[i].splits[count]);
            assert_int_equal(strstr(placed->alternatives[count].name, "(as asked)") != NULL, count == 0);
        }
        assert_int_equal(placed->alternative_count, count + 3);
        assert_int_equal(placed->alternatives[count].tp, 0);
        assert_int_equal(placed->alternatives[count].tokens,
                         placed->sequences * (placed->prompt_tokens + placed->answer_tokens));
        kvb_placed_free(placed);
    }
}

// What is taken of the card already stands before all others: 80 of which 50 are free leave 30.
static void taken_already(void **state)
{
    (void)state;
    struct kvb_placed *placed = NULL;
    static struct kvb_resident_entry entries[2];
    ask("Qwen/Qwen3-0.6B", "");
    memset(entries, 0, sizeof entries);
    for (unsigned i = 0; i < 2; i++) {
        entries[i].kind = KVB_RESIDENT_FIXED;
        entries[i].bytes = (uint64_t)(i + 1) << 30;
        entries[i].after = i == 0;
        (void)strcpy(entries[i].name, i == 0 ? "after" : "before");
    }
    question.entries = entries;
    question.entry_count = 2;
    question.deployment.gpu_memory_bytes = UINT64_C(80) << 30;
    question.deployment.gpu_free_stated = true;
    question.deployment.gpu_free_bytes = UINT64_C(50) << 30;
    assert_int_equal(
        kvb_deployment_resolve(&question.deployment, &answer.plan, &answer.draft, &answer.source, &problems), KVB_OK);
    assert_int_equal(kvb_residents_place(&question, &answer.plan, &placed, &problems), KVB_OK);
    assert_int_equal(placed->side->count, 4);
    assert_string_equal(placed->residents[0].name, "in use already");
    assert_int_equal(placed->residents[0].bytes, UINT64_C(30) << 30);
    assert_string_equal(placed->residents[1].name, "before");
    assert_int_equal(placed->own, 2);
    assert_string_equal(placed->residents[3].name, "after");
    kvb_placed_free(placed);
}

// A machine's GPUs from pasted output: one is named, taken, and the deployment is put on it.
static void machine_is_chosen_from(void **state)
{
    (void)state;
    static struct kvb_machine_choice choice;
    ask("Qwen/Qwen2.5-0.5B-Instruct", "");
    question.gpu_state = KVB_SOURCE_DIR "/tests/fixtures/smi/shared-node-535.txt";
    assert_true(kvb_machine_is_asked(&question));
    assert_int_equal(kvb_machine_take(&question, NULL, &choice, &problems), KVB_OK);
    assert_int_equal(kvb_machine_choose(&question.deployment, &choice, &problems), KVB_OK);
    const struct kvb_rank *rank = kvb_ranking_deciding(&choice.ranking);
    assert_non_null(rank);
    kvb_machine_use(&choice, rank, &question.deployment);
    assert_true(question.deployment.gpu_value.memory_bytes > 0);
}

KVB_TEST_MAIN(cmocka_unit_test(line_keeps_what_was_typed), cmocka_unit_test(command_is_kept),
              cmocka_unit_test(line_names_the_executor), cmocka_unit_test(generic_has_no_line),
              cmocka_unit_test(cards_are_sorted), cmocka_unit_test(residents_are_placed),
              cmocka_unit_test(rollouts_beside_it), cmocka_unit_test(taken_already),
              cmocka_unit_test(machine_is_chosen_from))
