// Random deployments of built-in models, GPUs and releases: no part of an answer contradicts another.
// KVB_RANDOM_COUNT asks for more of them than a usual run takes (scripts/properties).
#include <inttypes.h>
#include <stdlib.h>
#include <string.h>

#include "base/buffer.h"
#include "report/plan_report.h"
#include "unit/random_deployment.h"
#include "unit/test.h"

#define MOST 200000
#define WORDS_MAX 256

static struct kvb_question question;
static struct kvb_answer answer, other;
static struct kvb_plan changed;
static struct kvb_budget again;
static struct kvb_problems problems;
static unsigned long violations;
static unsigned skipped_rules;

// One line that shows it when it is pasted.
static void must(bool holds, const char *what)
{
    static const struct kvb_advice nothing;
    if (holds) {
        return;
    }
    violations++;
    char *line = kvb_serve_line(&question, &answer.plan, &nothing);
    print_error("%s: kvbudget plan --gpu %s --engine %s", what, question.deployment.gpu, question.deployment.engine);
    if (question.deployment.gpu_free_stated) {
        print_error(" --gpu-free %" PRIu64 "GiB", question.deployment.gpu_free_bytes / RANDOM_GIB);
    }
    if (question.deployment.reserve_count > 0) {
        print_error(" --reserve other=%" PRIu64 "GiB", question.deployment.reserves[0].bytes / RANDOM_GIB);
    }
    print_error(" -- %s\n", line != NULL ? line : "(no line)");
    free(line);
}

static bool compute_again(void)
{
    kvb_problems_init(&problems);
    return kvb_budget_compute(&changed, &again, &problems) == KVB_OK;
}

static void put(enum kvb_setting setting, uint64_t number, bool removed)
{
    changed.settings.values[setting] = (struct kvb_setting_value){number, !removed, KVB_ORIGIN_FLAG};
}

static bool again_is_sound(void)
{
    return again.starts && again.verdict != KVB_DOES_NOT_FIT && again.slack_bytes >= 0;
}

// ---- Verdict, start, error, headline, JSON

static bool says(const char *text, const char *word)
{
    return text != NULL && strstr(text, word) != NULL;
}

static void check_words(const char *text, const char *json)
{
    static const char *const words[] = {
        [KVB_FITS] = " FITS\n", [KVB_TIGHT] = " TIGHT\n", [KVB_DOES_NOT_FIT] = "DOES NOT FIT\n"};
    static const char *const sentences[] = {
        [KVB_FITS] = "\nIt fits. ", [KVB_TIGHT] = "\nIt is tight: ", [KVB_DOES_NOT_FIT] = "\nIt "};
    char member[64];
    enum kvb_verdict verdict = answer.budget.verdict;
    must(says(text, words[verdict]), "headline");
    must(says(text, sentences[verdict]), "sentence below the headline");
    must(verdict != KVB_DOES_NOT_FIT || !says(text, "\nIt fits. "), "fits in words");
    (void)snprintf(member, sizeof member, "\"verdict\": \"%s\"", kvb_verdict_name(verdict));
    must(says(json, member), "verdict in JSON");
    must(says(json, answer.budget.starts ? "\"starts\": true" : "\"starts\": false"), "start in JSON");
    (void)snprintf(member, sizeof member, "\"balance_bytes\": %" PRId64 ",", answer.budget.balance_bytes);
    must(says(json, member), "balance in JSON");
}

// The balance that the text states is the one of the JSON.
static void check_balance_in_words(const char *text)
{
    char gib[32], said[64];
    int64_t balance = answer.budget.balance_bytes;
    bool laid_out = answer.budget.needed_bytes > 0 && answer.budget.refusal == NULL && text != NULL;
    if (laid_out && balance < 0) {
        (void)snprintf(said, sizeof said, "(balance %s", kvb_format_gib(gib, balance, 2));
        must(strstr(text, said) != NULL || strstr(text, "(balance\n") != NULL || strstr(text, "are missing\n") != NULL,
             "balance in words");
    } else if (laid_out) {
        must(strstr(text, "are missing (balance") == NULL, "a positive balance is called missing");
    }
}

// Rows of the section "Together", numbered from 1.
static unsigned rows_together(const char *text)
{
    const char *section = text != NULL ? strstr(text, "\nTogether\n") : NULL;
    unsigned rows = 0;
    for (const char *line = section; line != NULL;) {
        char number[16];
        (void)snprintf(number, sizeof number, "\n  %u  ", rows + 1);
        const char *found = strstr(line, number);
        const char *end = strstr(line + 1, "\n\n");
        if (found == NULL || (end != NULL && found > end)) {
            break;
        }
        rows++;
        line = found + 1;
    }
    return rows;
}

static void check_together(const char *text)
{
    bool builds = false;
    for (uint32_t i = 0; i < answer.advice.apply_count; i++) {
        builds = builds || answer.advice.changes[answer.advice.apply[i]].together;
    }
    must(!builds || rows_together(text) == answer.advice.apply_count, "a step is missing in Together");
}

static void check_report(void)
{
    struct kvb_buffer text, json;
    struct kvb_plan_report report = {.plan = &answer.plan,
                                     .source = &answer.source,
                                     .budget = &answer.budget,
                                     .advice = &answer.advice,
                                     .problems = &problems};
    char *line = kvb_serve_line(&question, &answer.plan, &answer.advice);
    bool advised = answer.budget.verdict != KVB_DOES_NOT_FIT || answer.advice.apply_count > 0;
    report.command = advised ? line : NULL;
    kvb_buffer_init(&text);
    kvb_buffer_init(&json);
    kvb_render_plan_text(&text, &report);
    kvb_render_plan_json(&json, &report);
    check_words(text.data, json.data);
    check_balance_in_words(text.data);
    check_together(text.data);
    must(answer.budget.error[0] == '\0' || answer.budget.starts == false, "an error beside a start");
    kvb_buffer_free(&text);
    kvb_buffer_free(&json);
    free(line);
}

// ---- Advice

static bool is_used(uint32_t index)
{
    for (uint32_t i = 0; i < answer.advice.apply_count; i++) {
        if (answer.advice.apply[i] == index) {
            return true;
        }
    }
    return false;
}

// A row of its own claims what that change alone does.
static void check_alone(const struct kvb_change *change)
{
    changed = answer.plan;
    put(change->setting, change->to, change->removes_setting);
    if (!compute_again()) {
        must(false, "listed and cannot be computed");
        return;
    }
    must(again.balance_bytes == change->balance_bytes, change->useless ? "balance of what would not help" : "balance");
    must(change->frees_bytes == again.balance_bytes - answer.budget.balance_bytes,
         change->useless ? "gain of what would not help" : "gain");
    must(!change->useless || again.verdict == KVB_DOES_NOT_FIT, "what would not help suffices");
    must(!change->fits || (again.starts && again.verdict != KVB_DOES_NOT_FIT), "suffices and does not start");
}

static void check_useless(const struct kvb_change *useless)
{
    for (uint32_t i = 0; i < answer.advice.change_count; i++) {
        const struct kvb_change *change = &answer.advice.changes[i];
        must(change->useless || change->setting != useless->setting ||
                 (change->to < change->from) != (useless->to < useless->from),
             "useless in one place and advised in another");
    }
}

// The steps in order: each claims what it does on top of those before it, the last one starts.
static void check_steps(void)
{
    const struct kvb_advice *advice = &answer.advice;
    int64_t balance = answer.budget.balance_bytes;
    changed = answer.plan;
    for (uint32_t i = 0; i < advice->apply_count; i++) {
        const struct kvb_change *change = &advice->changes[advice->apply[i]];
        must(!change->useless, "applied and useless");
        put(change->setting, change->to, change->removes_setting);
        must(compute_again(), "a step cannot be computed");
        if (advice->apply_count > 1 || change->together) {
            must(again.balance_bytes == change->balance_bytes, "balance of a step");
            must(again.balance_bytes - balance == change->frees_bytes, "gain of a step");
        }
        balance = again.balance_bytes;
    }
    if (advice->apply_count > 0) {
        must(again_is_sound(), "advised and does not start with slack");
    }
}

static void check_pair(void)
{
    const struct kvb_advice *advice = &answer.advice;
    changed = answer.plan;
    if (advice->has_utilization && advice->has_max_model_len && answer.budget.refusal == NULL) {
        put(KVB_SET_GPU_MEMORY_UTILIZATION, advice->gpu_memory_utilization_ppm, false);
        put(KVB_SET_MAX_MODEL_LEN, advice->max_model_len, false);
        must(compute_again() && again_is_sound(), "recommended pair");
    }
}

static void check_longest(void)
{
    uint64_t fits = answer.budget.kv.max_model_len_that_fits;
    if (fits == 0 || answer.budget.refusal != NULL || answer.budget.items[KVB_ITEM_KV_CACHE].bytes <= 0) {
        return;
    }
    changed = answer.plan;
    put(KVB_SET_MAX_MODEL_LEN, fits, false);
    bool holds = compute_again() && again.balance_bytes >= 0;
    // what refused it for another reason still does
    bool otherwise = !answer.budget.starts && strstr(again.error, "max seq len") == NULL;
    must(holds && (again.starts || otherwise), "the longest length that fits");
}

static void check_advice(void)
{
    for (uint32_t i = 0; i < answer.advice.change_count; i++) {
        const struct kvb_change *change = &answer.advice.changes[i];
        if (!change->together) {
            check_alone(change);
        } else {
            must(is_used(i), "a step that is not taken is listed");
        }
        if (change->useless) {
            check_useless(change);
        }
    }
    check_steps();
    check_pair();
    check_longest();
}

// ---- The line to paste

static int split(char *line, const char *words[WORDS_MAX])
{
    int count = 0;
    char *out = line, *in = line;
    while (*in != '\0' && count < WORDS_MAX) {
        bool quoted = false;
        words[count++] = out;
        for (; *in != '\0' && (quoted || *in != ' '); in++) {
            if (*in == '\'') {
                quoted = !quoted;
            } else {
                *out++ = *in;
            }
        }
        bool more = *in != '\0';
        *out++ = '\0';
        in += more ? 1 : 0;
    }
    return count;
}

// What a line of llama-server cannot say: its build's backend, how many GPUs there are, and which model a file was made
// from, whose name may be another's.
static void say_beside_the_line(struct kvb_deployment *pasted)
{
    if (strncmp(question.deployment.engine, "llama.cpp", strlen("llama.cpp")) != 0) {
        return;
    }
    memcpy(pasted->model, question.deployment.model, sizeof pasted->model);
    pasted->settings.values[KVB_SET_GGUF_TYPE] = question.deployment.settings.values[KVB_SET_GGUF_TYPE];
    pasted->settings.values[KVB_SET_GGML_BACKEND] = question.deployment.settings.values[KVB_SET_GGML_BACKEND];
    for (uint32_t i = 0; i < answer.advice.apply_count; i++) {
        const struct kvb_change *change = &answer.advice.changes[answer.advice.apply[i]];
        if (change->setting == KVB_SET_TENSOR_PARALLEL_SIZE) {
            kvb_settings_set(&pasted->settings, change->setting, change->to, KVB_ORIGIN_FLAG);
        }
    }
}

// What is printed for pasting starts when it is read again as a serve command of that release.
static void check_line(void)
{
    const char *words[WORDS_MAX];
    static struct kvb_deployment pasted;
    if (answer.budget.verdict == KVB_DOES_NOT_FIT && answer.advice.apply_count == 0) {
        return;
    }
    char *line = kvb_serve_line(&question, &answer.plan, &answer.advice);
    if (line == NULL) {
        must(false, "no line");
        return;
    }
    kvb_deployment_init(&pasted);
    memcpy(pasted.gpu, question.deployment.gpu, sizeof pasted.gpu);
    memcpy(pasted.engine, question.deployment.engine, sizeof pasted.engine);
    pasted.gpu_free_stated = question.deployment.gpu_free_stated;
    pasted.gpu_free_bytes = question.deployment.gpu_free_bytes;
    pasted.reserve_count = question.deployment.reserve_count;
    pasted.reserves[0] = question.deployment.reserves[0];
    kvb_problems_init(&problems);
    int count = split(line, words);
    bool read = kvb_serve_command_read(count, words, &pasted, &problems) == KVB_OK;
    say_beside_the_line(&pasted);
    read = read && kvb_answer_deployment(&pasted, &other, &problems) == KVB_OK;
    must(read, "the line to paste cannot be read");
    must(!read || (other.budget.starts && other.budget.verdict != KVB_DOES_NOT_FIT), "the line to paste is refused");
    must(!read || answer.advice.apply_count == 0 || other.budget.slack_bytes >= 0, "the line to paste lacks room");
    free(line);
}

// ---- More room, smaller need

// A rule of the release by which a larger card or a shorter length asks for more: the defaults of
// max_num_batched_tokens and max_num_seqs by the card's memory (arg_utils.py get_batch_defaults), chunked prefill of
// V0 above 32,768 tokens (arg_utils.py of 0.5.3 to 0.10.2), the backend and block size that go with them; with layers
// on the host llama.cpp's graph has copies, and the gaps between its blocks (ggml-alloc.c, best fit) may make the
// compute buffer of a shorter context the larger.
static bool has_larger_gaps(void)
{
    const struct kvb_term *more = &again.items[KVB_ITEM_ACTIVATION];
    bool drawn = strncmp(question.deployment.engine, "llama.cpp", strlen("llama.cpp")) == 0;
    return drawn && more->basis == KVB_BASIS_MODELLED && more->bytes > answer.budget.items[KVB_ITEM_ACTIVATION].bytes;
}

static bool release_asks_for_more(void)
{
    if (has_larger_gaps()) {
        skipped_rules++;
        return true;
    }
    static const enum kvb_setting by_rule[] = {KVB_SET_MAX_NUM_BATCHED_TOKENS, KVB_SET_MAX_NUM_SEQS,
                                               KVB_SET_ENABLE_CHUNKED_PREFILL};
    for (size_t i = 0; i < sizeof by_rule / sizeof by_rule[0]; i++) {
        if (again.settings.values[by_rule[i]].number != answer.budget.settings.values[by_rule[i]].number) {
            skipped_rules++;
            return true;
        }
    }
    return false;
}

static void must_start_still(const char *what)
{
    bool computed = compute_again();
    must(computed && (again.starts || release_asks_for_more()), what);
}

static void check_room(void)
{
    if (!answer.budget.starts) {
        return;
    }
    changed = answer.plan;
    changed.gpu.memory_bytes += 8 * RANDOM_GIB;
    changed.gpu.memory_low_bytes += 8 * RANDOM_GIB;
    changed.gpu.memory_high_bytes += 8 * RANDOM_GIB;
    changed.gpu_free_bytes += changed.gpu_free_stated ? 8 * RANDOM_GIB : 0;
    must_start_still("more memory and no start");
    changed = answer.plan;
    if (changed.gpu_free_stated) {
        changed.gpu_free_bytes += 4 * RANDOM_GIB;
        must_start_still("more free memory and no start");
    }
    changed = answer.plan;
    changed.reserve_count = 0;
    must_start_still("nobody else on the card and no start");
}

static void check_smaller_need(void)
{
    if (!answer.budget.starts) {
        return;
    }
    changed = answer.plan;
    put(KVB_SET_MAX_MODEL_LEN, kvb_request_length(&answer.budget) / 2 + 1, false);
    must_start_still("a shorter length and no start");
    changed = answer.plan;
    put(KVB_SET_MAX_NUM_SEQS, answer.budget.settings.values[KVB_SET_MAX_NUM_SEQS].number / 2 + 1, false);
    must_start_still("fewer sequences and no start");
}

static void check_all(void)
{
    must(answer.budget.starts || answer.budget.verdict == KVB_DOES_NOT_FIT, "verdict without a start");
    must(answer.budget.starts == (answer.budget.error[0] == '\0'), "start and error");
    must(answer.budget.refusal == NULL || !answer.budget.starts, "refused and starts");
    check_report();
    check_advice();
    check_line();
    check_room();
    check_smaller_need();
}

// One of `in` of those that a usual run takes; as many as are asked for when they are.
static void ask_many(void (*draw)(struct kvb_deployment *), unsigned long in)
{
    const char *text = getenv("KVB_RANDOM_COUNT");
    unsigned long asked = text != NULL ? strtoul(text, NULL, 10) : KVB_USUAL_COUNT / in;
    unsigned long answered = 0;
    violations = skipped_rules = 0;
    asked = asked < MOST ? asked : MOST;
    for (unsigned long i = 0; i < asked; i++) {
        memset(&question, 0, sizeof question);
        question.serve_model = -1;
        draw(&question.deployment);
        kvb_problems_init(&problems);
        if (kvb_answer_deployment(&question.deployment, &answer, &problems) == KVB_OK) {
            answered++;
            check_all();
        }
    }
    print_message("%lu asked, %lu answered, %u asked for more by a rule of the release, %lu violations\n", asked,
                  answered, skipped_rules, violations);
    assert_true(answered >= asked / 2);
    assert_int_equal(violations, 0);
}

static void answers_never_contradict_themselves(void **state)
{
    (void)state;
    ask_many(random_deployment, 1);
}

static void answers_for_sglang_neither(void **state)
{
    (void)state;
    ask_many(random_sglang, 1);
}

static void answers_for_llamacpp_neither(void **state)
{
    (void)state;
    ask_many(random_llamacpp, 5); // each of its plans walks the graph
}

// Found among 20,000: whole prompts leave less for the cache the longer they are, and from some length on fewer blocks
// than 1,024 sequences have states. The longest that is named starts, one token more does not.
static void states_bound_the_longest(void **state)
{
    (void)state;
    memset(&question, 0, sizeof question);
    question.serve_model = -1;
    struct kvb_deployment *deployment = &question.deployment;
    (void)strcpy(deployment->model, "Qwen/Qwen3-Next-80B-A3B-Instruct");
    (void)strcpy(deployment->gpu, "b300");
    (void)strcpy(deployment->engine, "vllm@0.27.1");
    kvb_settings_set(&deployment->settings, KVB_SET_GPU_MEMORY_UTILIZATION, 680000, KVB_ORIGIN_FLAG);
    kvb_settings_set(&deployment->settings, KVB_SET_MAX_MODEL_LEN, 23743, KVB_ORIGIN_FLAG);
    kvb_settings_set(&deployment->settings, KVB_SET_ENABLE_CHUNKED_PREFILL, 0, KVB_ORIGIN_FLAG);
    kvb_problems_init(&problems);
    assert_int_equal(kvb_answer_deployment(&question.deployment, &answer, &problems), KVB_OK);
    uint64_t longest = answer.budget.kv.max_model_len_that_fits;
    assert_true(longest > 23743 && longest < answer.plan.model.context_tokens);
    changed = answer.plan;
    put(KVB_SET_MAX_MODEL_LEN, longest, false);
    assert_true(compute_again() && again.starts);
    put(KVB_SET_MAX_MODEL_LEN, longest + 1, false);
    assert_true(compute_again() && !again.starts);
    assert_non_null(strstr(again.error, "exceeds available Mamba cache blocks"));
}

// The longest length that starts is a fact of everything else: a plan of 33,000 tokens names the one that a plan of
// 131,072 names. A block of a state layer is as long as the asked length here, so that pools are cut differently at
// each of them.
static void the_longest_does_not_hang_on_what_is_asked(void **state)
{
    (void)state;
    static const uint64_t asked[] = {1000, 4096, 33000, 70000, 131072};
    memset(&question, 0, sizeof question);
    question.serve_model = -1;
    struct kvb_deployment *deployment = &question.deployment;
    (void)strcpy(deployment->model, "ibm-granite/granite-4.0-h-micro");
    (void)strcpy(deployment->gpu, "t4");
    (void)strcpy(deployment->engine, "vllm@0.13.0");
    kvb_settings_set(&deployment->settings, KVB_SET_GPU_MEMORY_UTILIZATION, 500000, KVB_ORIGIN_FLAG);
    kvb_problems_init(&problems);
    assert_int_equal(kvb_answer_deployment(&question.deployment, &answer, &problems), KVB_OK);
    changed = answer.plan;
    uint64_t first = 0;
    for (size_t i = 0; i < sizeof asked / sizeof asked[0]; i++) {
        put(KVB_SET_MAX_MODEL_LEN, asked[i], false);
        assert_true(compute_again());
        first = i == 0 ? again.kv.max_model_len_that_fits : first;
        assert_int_equal(again.kv.max_model_len_that_fits, first);
    }
    assert_true(first > 0 && first < answer.plan.model.context_tokens);
}

KVB_TEST_MAIN(cmocka_unit_test(the_longest_does_not_hang_on_what_is_asked), cmocka_unit_test(states_bound_the_longest),
              cmocka_unit_test(answers_never_contradict_themselves), cmocka_unit_test(answers_for_sglang_neither),
              cmocka_unit_test(answers_for_llamacpp_neither))
