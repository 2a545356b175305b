// A log's run put to the budget: the same model, release and settings, with the pool that was logged.
#include <kvbudget/answer.h>

#include <stdio.h>
#include <string.h>

#include <kvbudget/units.h>

#include "base/memory.h"
#include "base/room.h"
#include "base/text.h"
#include "engines/table.h"

#define PRINTED_HALF_BYTES (KVB_GIB / 200 + 1) // half of the last printed digit of "0.01 GiB"

// Large structs, kept off the stack.
struct question {
    struct kvb_deployment deployment;
    struct kvb_plan plan;
    struct kvb_model draft;
    struct kvb_model_source source;
    struct kvb_budget budget;
    struct kvb_problems ignored;
};

static bool is_set(const struct kvb_log_report *log, enum kvb_observation what)
{
    return log->observed[what].set;
}

static int64_t get(const struct kvb_log_report *log, enum kvb_observation what)
{
    return log->observed[what].value;
}

// The log's own settings fill what the command line leaves open.
static void merge_settings(const struct kvb_log_report *log, struct kvb_deployment *deployment)
{
    for (unsigned i = 0; i < KVB_SETTING_COUNT; i++) {
        const struct kvb_setting_value *value = &log->settings.values[i];
        if (value->set && !deployment->settings.values[i].set) {
            kvb_settings_set(&deployment->settings, (enum kvb_setting)i, value->number, KVB_ORIGIN_COMMAND);
        }
    }
    bool has_length = deployment->settings.values[KVB_SET_MAX_MODEL_LEN].set;
    enum kvb_observation length =
        is_set(log, KVB_OBS_NEEDED_FOR_LEN) ? KVB_OBS_NEEDED_FOR_LEN : KVB_OBS_CONCURRENCY_LEN;
    if (!has_length && is_set(log, length) && get(log, length) > 0) {
        kvb_settings_set(&deployment->settings, KVB_SET_MAX_MODEL_LEN, (uint64_t)get(log, length), KVB_ORIGIN_COMMAND);
    }
}

static void fill_names(const struct kvb_log_report *log, struct kvb_deployment *deployment)
{
    const struct kvb_engine_rows *engine = kvb_engine_find(kvb_log_engine_name(log->engine));
    char version[32];
    if (deployment->model[0] == '\0' && !deployment->inline_model) {
        (void)kvb_copy(deployment->model, sizeof deployment->model, log->model);
    }
    if (deployment->engine[0] == '\0' && log->release != 0 && engine != NULL) {
        (void)snprintf(deployment->engine, sizeof deployment->engine, "%s@%s", engine->name,
                       kvb_release_format(version, log->release));
    }
    bool has_gpu = deployment->gpu[0] != '\0' || deployment->inline_gpu || deployment->gpu_memory_bytes != 0;
    if (!has_gpu) {
        deployment->gpu_memory_bytes = is_set(log, KVB_OBS_GPU_MEMORY) && get(log, KVB_OBS_GPU_MEMORY) > 0
                                           ? (uint64_t)get(log, KVB_OBS_GPU_MEMORY)
                                           : UINT64_C(1024) * KVB_GIB;
    }
}

// A path in a log is a path on another machine: only names are looked up.
static bool is_name(const char *model)
{
    return model[0] != '\0' && model[0] != '/' && model[0] != '.' && model[0] != '~';
}

static bool compute(struct question *question, uint64_t pool_bytes)
{
    struct kvb_setting_value *pool = &question->plan.settings.values[KVB_SET_KV_CACHE_MEMORY_BYTES];
    *pool = (struct kvb_setting_value){.number = pool_bytes, .set = 1, .origin = KVB_ORIGIN_FLAG};
    kvb_problems_init(&question->ignored);
    return kvb_budget_compute(&question->plan, &question->budget, &question->ignored) == KVB_OK &&
           !question->budget.uncounted;
}

static bool resolve(struct question *question, const struct kvb_deployment *deployment,
                    const struct kvb_log_report *log)
{
    bool known_engine = kvb_engine_find(kvb_log_engine_name(log->engine)) != NULL || deployment->engine[0] != '\0';
    question->deployment = *deployment;
    kvb_problems_init(&question->ignored);
    fill_names(log, &question->deployment);
    merge_settings(log, &question->deployment);
    bool askable = known_engine &&
                   (deployment->model[0] != '\0' || deployment->inline_model || is_name(question->deployment.model));
    return askable && question->deployment.engine[0] != '\0' &&
           kvb_deployment_resolve(&question->deployment, &question->plan, &question->draft, &question->source,
                                  &question->ignored) == KVB_OK;
}

// ---- What the flags say

static void given_model(const struct kvb_deployment *deployment, const struct kvb_log_report *log,
                        struct kvb_log_given *given)
{
    struct question *question = kvb_reallocate(NULL, sizeof *question);
    if (question == NULL) {
        return;
    }
    memset(question, 0, sizeof *question);
    if (resolve(question, deployment, log)) {
        given->model_known = true;
        given->has_encoder = question->plan.model.encoder.family != KVB_ENCODER_NONE;
        given->context_tokens = question->plan.model.context_tokens;
        given->vocabulary_size = question->plan.model.vocabulary_size;
        if (compute(question, UINT64_C(64) * KVB_GIB)) {
            const struct kvb_kv_cache *kv = &question->budget.kv;
            bool plain = kv->group_count == 1 && kv->groups[0].kind == KVB_ATTENTION_FULL && kv->block_tokens != 0;
            given->bytes_per_token = plain ? kv->bytes_per_block / kv->block_tokens : 0;
        }
    }
    kvb_free(question);
}

static enum kvb_status given_gpu(const struct kvb_deployment *deployment, struct kvb_log_given *given,
                                 struct kvb_problems *problems)
{
    given->gpu_free_bytes = deployment->gpu_free_bytes;
    given->gpu_memory_bytes = deployment->gpu_memory_bytes;
    if (deployment->gpu[0] == '\0' || deployment->gpu_memory_bytes != 0) {
        return KVB_OK;
    }
    struct kvb_gpu gpu;
    enum kvb_status status = kvb_gpu_load(deployment->gpu, &gpu, problems);
    if (status == KVB_OK) {
        bool spills = deployment->platform_set && deployment->platform != KVB_PLATFORM_LINUX;
        given->gpu_memory_bytes = spills && gpu.device_bytes != 0 ? gpu.device_bytes : gpu.memory_bytes;
    }
    return status;
}

// A path that cannot be read is refused; a name that is not built in only costs some checks.
static enum kvb_status try_model(const char *name, struct kvb_problems *problems)
{
    struct question *question = kvb_reallocate(NULL, sizeof *question);
    if (question == NULL) {
        return kvb_problem_add(problems, KVB_ERROR, KVB_NO_MEMORY, (struct kvb_place){0},
                               "not enough memory for a model");
    }
    kvb_problems_init(&question->ignored);
    enum kvb_status status = kvb_model_load(name, NULL, &question->draft, &question->source, &question->ignored);
    if (status == KVB_UNKNOWN_NAME) {
        (void)kvb_problem_add(problems, KVB_WARNING, status, (struct kvb_place){0},
                              "model '%.120s' is not built in: checks that need its shape are left out", name);
        status = KVB_OK;
    } else if (status != KVB_OK) {
        status = kvb_model_load(name, NULL, &question->draft, &question->source, problems);
    }
    kvb_free(question);
    return status;
}

enum kvb_status kvb_log_given_by(const struct kvb_deployment *deployment, const struct kvb_log_report *log,
                                 struct kvb_log_given *given, struct kvb_problems *problems)
{
    kvb_log_given_init(given);
    given->settings = deployment->settings;
    given->platform_set = deployment->platform_set;
    given->platform = deployment->platform;
    given->model = deployment->model[0] != '\0' ? deployment->model : NULL;
    enum kvb_status status = given_gpu(deployment, given, problems);
    if (status == KVB_OK && deployment->engine[0] != '\0') {
        struct kvb_engine engine;
        struct kvb_settings settings;
        memset(&settings, 0, sizeof settings);
        status = kvb_engine_load(deployment->engine, &engine, &settings, problems);
        given->release = status == KVB_OK ? engine.release : 0;
    }
    if (status == KVB_OK && deployment->model[0] != '\0') {
        status = try_model(deployment->model, problems);
    }
    if (status == KVB_OK) {
        given_model(deployment, log, given);
    }
    return status;
}

// ---- Checks

static void add_range_check(struct kvb_log_report *log, const char *what, enum kvb_log_unit unit, int64_t logged,
                            uint64_t computed, bool agrees)
{
    struct kvb_check check = {.unit = unit,
                              .has_logged = true,
                              .has_computed = true,
                              .has_agrees = true,
                              .agrees = agrees,
                              .logged = logged,
                              .computed = (int64_t)computed};
    (void)kvb_copy(check.what, sizeof check.what, what);
    (void)kvb_log_add_check(log, &check);
}

// The pool is printed with two decimals: every pool that prints alike is allowed.
static void check_tokens(struct question *question, struct kvb_log_report *log)
{
    int64_t pool = get(log, KVB_OBS_KV_CACHE);
    if (!is_set(log, KVB_OBS_KV_CACHE) || !is_set(log, KVB_OBS_KV_TOKENS) || pool <= (int64_t)PRINTED_HALF_BYTES) {
        return;
    }
    uint64_t least = compute(question, (uint64_t)pool - PRINTED_HALF_BYTES) ? question->budget.kv.tokens : 0;
    uint64_t most = compute(question, (uint64_t)pool + PRINTED_HALF_BYTES) ? question->budget.kv.tokens : 0;
    if (least != 0 && most != 0 && compute(question, (uint64_t)pool)) {
        uint64_t logged = (uint64_t)get(log, KVB_OBS_KV_TOKENS);
        add_range_check(log, "tokens from this pool and this model", KVB_LOG_TOKENS, get(log, KVB_OBS_KV_TOKENS),
                        question->budget.kv.tokens, least <= logged && logged <= most);
    }
}

static void check_need(struct question *question, struct kvb_log_report *log)
{
    if (!is_set(log, KVB_OBS_NEEDED) || !compute(question, UINT64_C(64) * KVB_GIB)) {
        return;
    }
    int64_t logged = get(log, KVB_OBS_NEEDED);
    int64_t computed = (int64_t)question->budget.needed_bytes;
    int64_t difference = computed > logged ? computed - logged : logged - computed;
    add_range_check(log, "KV cache one request needs, from its length and this model", KVB_LOG_BYTES, logged,
                    question->budget.needed_bytes, difference <= (int64_t)PRINTED_HALF_BYTES);
}

void kvb_log_check_budget(const struct kvb_deployment *deployment, struct kvb_log_report *log,
                          const struct kvb_log_given *given)
{
    struct question *question = given->model_known ? kvb_reallocate(NULL, sizeof *question) : NULL;
    if (question == NULL) {
        return;
    }
    memset(question, 0, sizeof *question);
    if (resolve(question, deployment, log)) {
        check_tokens(question, log);
        check_need(question, log);
    }
    kvb_free(question);
}

// ---- The plan for the next start

// What the run measured outranks the plan: no longer than the engine's own estimate, and nothing is offered where the
// pool came out well below the computed one.
static bool heed_log(const struct kvb_log_report *log, const struct kvb_budget *budget, struct kvb_advice *advice)
{
    bool capped = false;
    for (uint32_t i = 0; i < advice->apply_count && is_set(log, KVB_OBS_ESTIMATED_MAX_MODEL_LEN); i++) {
        struct kvb_change *change = &advice->changes[advice->apply[i]];
        uint64_t most = (uint64_t)get(log, KVB_OBS_ESTIMATED_MAX_MODEL_LEN);
        if (change->setting == KVB_SET_MAX_MODEL_LEN && most > 0) {
            change->to = change->to < most ? change->to : most;
            capped = true;
        }
    }
    int64_t optimistic = is_set(log, KVB_OBS_KV_CACHE)
                             ? (int64_t)budget->needed_bytes + budget->balance_bytes - get(log, KVB_OBS_KV_CACHE)
                             : 0;
    return capped || optimistic < (int64_t)KVB_GIB / 4;
}

bool kvb_log_plan(const struct kvb_question *asked, const struct kvb_log_report *log, const struct kvb_log_given *given,
                  struct kvb_log_next *next)
{
    bool named = asked->deployment.gpu[0] != '\0' || asked->deployment.inline_gpu ||
                 asked->deployment.gpu_memory_bytes != 0 || is_set(log, KVB_OBS_GPU_MEMORY);
    bool memory = log->verdict == KVB_LOG_FAILED && log->failure.about_memory == KVB_LOG_YES;
    *next = (struct kvb_log_next){0};
    if (!named || !memory || kvb_engine_find(kvb_log_engine_name(log->engine)) == NULL || !given->model_known ||
        (log->release == 0 && asked->deployment.engine[0] == '\0')) {
        return false;
    }
    struct start {
        struct kvb_question question;
        struct kvb_answer answer;
        struct kvb_problems ignored;
    } *start = kvb_room(sizeof *start, NULL);
    if (start == NULL) {
        return false;
    }
    start->question = *asked;
    fill_names(log, &start->question.deployment);
    merge_settings(log, &start->question.deployment);
    if (kvb_answer_deployment(&start->question.deployment, &start->answer, &start->ignored) == KVB_OK) {
        next->answered = true;
        next->now = start->answer.budget.verdict;
        if (start->answer.advice.apply_count > 0 && heed_log(log, &start->answer.budget, &start->answer.advice)) {
            next->line = kvb_serve_line(&start->question, &start->answer.plan, &start->answer.advice);
        }
    }
    kvb_free(start);
    return next->answered;
}
