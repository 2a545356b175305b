// Random deployments of llama.cpp and Ollama: headline, JSON, verdict, advice and the line to paste agree.
// KVB_RANDOM_COUNT asks for more of them than a usual run takes.
#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/buffer.h"
#include "report/plan_report.h"
#include "unit/random_deployment.h"
#include "unit/test.h"

#define WORDS_MAX 64

static struct kvb_question question;
static struct kvb_answer answer, other;
static struct kvb_problems problems;
static unsigned violations;

static void must(bool holds, const char *what)
{
    static const struct kvb_advice nothing;
    if (holds) {
        return;
    }
    violations++;
    char *line = kvb_serve_line(&question, &answer.plan, &nothing);
    print_error("%s: --gpu %s --engine %s --model %s -- %s\n", what, question.deployment.gpu,
                question.deployment.engine, question.deployment.model, line != NULL ? line : "");
    free(line);
}

static const struct random_setting settings[] = {
    {KVB_SET_MAX_MODEL_LEN, 2, 512, 64, 2048}, {KVB_SET_MAX_NUM_SEQS, 3, 1, 8, 1},
    {KVB_SET_UBATCH_SIZE, 5, 128, 8, 128},     {KVB_SET_CACHE_TYPE_K, 4, 0, 9, 1},
    {KVB_SET_CACHE_TYPE_V, 4, 0, 9, 1},        {KVB_SET_FLASH_ATTENTION, 4, 0, 2, 1},
    {KVB_SET_GPU_LAYERS, 4, 0, 90, 1},         {KVB_SET_TENSOR_PARALLEL_SIZE, 5, 1, 4, 1},
    {KVB_SET_GGUF_TYPE, 2, 3, 13, 1},
};

// An engine takes what it has a flag for.
static void draw(void)
{
    static const char *const engines[] = {"llama.cpp",       "llama.cpp@b7600", "llama.cpp@b5200",
                                          "llama.cpp@b9200", "ollama",          "ollama@0.31.0"};
    memset(&question, 0, sizeof question);
    question.serve_model = -1;
    kvb_deployment_init(&question.deployment);
    struct kvb_deployment *deployment = &question.deployment;
    (void)snprintf(deployment->engine, sizeof deployment->engine, "%s", engines[random_below(6)]);
    (void)snprintf(deployment->gpu, sizeof deployment->gpu, "%s", random_id(KVB_PROFILE_GPU));
    (void)snprintf(deployment->model, sizeof deployment->model, "%s", random_id(KVB_PROFILE_MODEL));
    bool ollama = deployment->engine[0] == 'o';
    for (size_t i = 0; i < sizeof settings / sizeof settings[0]; i++) {
        bool has = !ollama || settings[i].setting != KVB_SET_CACHE_TYPE_V;
        if (has && random_below(settings[i].one_in) == 0) {
            uint64_t number = settings[i].least + random_below(settings[i].count) * settings[i].step;
            kvb_settings_set(&deployment->settings, settings[i].setting, number, KVB_ORIGIN_FLAG);
        }
    }
    if (random_below(6) == 0) {
        deployment->need = (struct kvb_need){512 + random_below(16384), (uint32_t)random_below(6) * 100};
    }
    kvb_deployment_take_gpu_count(deployment);
}

static void check_arithmetic(void)
{
    const struct kvb_budget *budget = &answer.budget;
    int64_t sum = 0, high = 0;
    for (uint32_t i = 0; i < KVB_ITEM_COUNT; i++) {
        sum += budget->items[i].bytes;
        high += budget->items[i].high_bytes;
        must(budget->items[i].low_bytes <= budget->items[i].bytes &&
                 budget->items[i].bytes <= budget->items[i].high_bytes,
             "a term lies outside its bound");
    }
    must(sum == (int64_t)budget->requested_bytes, "the terms are not the sum");
    must(budget->starts == (budget->error[0] == '\0'), "an error of a start that runs");
    must(budget->starts || budget->verdict == KVB_DOES_NOT_FIT, "fits without starting");
    must(budget->verdict != KVB_FITS || high <= (int64_t)budget->free_bytes, "fits beyond the card");
    bool balanced = budget->balance_bytes >= 0 || budget->refusal != NULL;
    must(balanced == (budget->verdict != KVB_DOES_NOT_FIT) || budget->refusal != NULL, "balance against verdict");
}

static void check_report(void)
{
    static const char *const words[] = {
        [KVB_FITS] = " FITS\n", [KVB_TIGHT] = " TIGHT\n", [KVB_DOES_NOT_FIT] = "DOES NOT FIT\n"};
    struct kvb_buffer text, json;
    struct kvb_plan_report report = {.plan = &answer.plan,
                                     .source = &answer.source,
                                     .budget = &answer.budget,
                                     .advice = &answer.advice,
                                     .problems = &problems};
    char member[64];
    kvb_buffer_init(&text);
    kvb_buffer_init(&json);
    kvb_render_plan_text(&text, &report);
    kvb_render_plan_json(&json, &report);
    must(text.data != NULL && strstr(text.data, words[answer.budget.verdict]) != NULL, "headline");
    (void)snprintf(member, sizeof member, "\"verdict\": \"%s\"", kvb_verdict_name(answer.budget.verdict));
    must(json.data != NULL && strstr(json.data, member) != NULL, "verdict in JSON");
    (void)snprintf(member, sizeof member, "\"starts\": %s", answer.budget.starts ? "true" : "false");
    must(json.data != NULL && strstr(json.data, member) != NULL, "start in JSON");
    kvb_buffer_free(&text);
    kvb_buffer_free(&json);
}

// A change that is said to suffice does.
static void check_advice(void)
{
    for (uint32_t i = 0; i < answer.advice.change_count; i++) {
        const struct kvb_change *change = &answer.advice.changes[i];
        if (!change->fits || change->together) {
            continue;
        }
        struct kvb_deployment *deployment = &question.deployment;
        struct kvb_setting_value before = deployment->settings.values[change->setting];
        deployment->settings.values[change->setting] =
            (struct kvb_setting_value){change->to, !change->removes_setting, KVB_ORIGIN_FLAG};
        kvb_problems_init(&problems);
        bool solved = kvb_answer_deployment(deployment, &other, &problems) == KVB_OK;
        deployment->settings.values[change->setting] = before;
        must(solved && other.budget.verdict != KVB_DOES_NOT_FIT, "advice that does not suffice");
    }
}

// The line means what was asked, where it is words of the engine alone.
static void check_line(void)
{
    static const struct kvb_advice nothing;
    static struct kvb_deployment read;
    const char *words[WORDS_MAX];
    int count = 0;
    char *line = kvb_serve_line(&question, &answer.plan, &nothing);
    must(line != NULL, "no line");
    bool made = line != NULL && strchr(line, '\'') != NULL; // makes a Modelfile
    for (char *word = line != NULL && !made ? strtok(line, " ") : NULL; word != NULL && count < WORDS_MAX;
         word = strtok(NULL, " ")) {
        words[count++] = word;
    }
    kvb_deployment_init(&read);
    kvb_problems_init(&problems);
    if (count > 0) {
        bool understood = kvb_serve_command_read(count, words, &read, &problems) == KVB_OK;
        must(understood, problems.count > 0 ? problems.items[0].text : "a line that is not read");
        memcpy(read.gpu, question.deployment.gpu, sizeof read.gpu);
        memcpy(read.model, question.deployment.model, sizeof read.model);
        memcpy(read.engine, question.deployment.engine, sizeof read.engine);
        const enum kvb_setting unsaid[] = {KVB_SET_GGUF_TYPE, KVB_SET_TENSOR_PARALLEL_SIZE}; // kvbudget's own
        for (size_t i = 0; i < 2; i++) {
            read.settings.values[unsaid[i]] = question.deployment.settings.values[unsaid[i]];
        }
        read.need = question.deployment.need;
        kvb_deployment_take_gpu_count(&read);
        bool solved = understood && kvb_answer_deployment(&read, &other, &problems) == KVB_OK;
        must(!understood || solved, "a line that is not answered");
        must(!solved || other.budget.requested_bytes == answer.budget.requested_bytes,
             "the line asks for something else");
        must(!solved || other.budget.verdict == answer.budget.verdict, "the line's verdict");
    }
    free(line);
}

static void nothing_contradicts(void **state)
{
    const char *asked = getenv("KVB_RANDOM_COUNT");
    unsigned long count = asked != NULL ? strtoul(asked, NULL, 10) : 16, answered = 0;
    (void)state;
    for (unsigned long i = 0; i < count && violations < 10; i++) {
        draw();
        kvb_problems_init(&problems);
        if (kvb_answer_deployment(&question.deployment, &answer, &problems) != KVB_OK) {
            continue; // what llama.cpp keeps for it is not known
        }
        answered++;
        check_arithmetic();
        check_report();
        check_line();
        check_advice();
    }
    print_message("%lu of %lu were answered\n", answered, count);
    assert_int_equal(violations, 0);
    assert_true(answered * 2 > count);
}

KVB_TEST_MAIN(cmocka_unit_test(nothing_contradicts))
