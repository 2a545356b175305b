// Every combination planned on all cores: names are resolved once, workers take stretches of rows and hand them on in
// order, and each keeps what does not change from one plan to the next.
#include <kvbudget/sweep.h>

#include <pthread.h>
#include <stdio.h>
#include <string.h>
#include <unistd.h>

#include "base/memory.h"
#include "base/room.h"
#include "base/text.h"
#include "budget/reuse.h"
#include "engines/table.h"

#define STRETCH 512U
#define THREADS_MAX 64U

struct named {
    struct kvb_model model; // axis of models
    struct kvb_gpu gpu;     // of GPUs, with how many of it
    uint64_t gpu_count;
    uint32_t gpus_stated;
    struct kvb_engine engine; // of releases
};

struct crew {
    const struct kvb_sweep *sweep;
    struct kvb_plan base;
    struct kvb_model draft;
    struct named *named[KVB_SWEEP_AXES_MAX]; // by axis and value; NULL for settings
    bool split_is_said;                      // by the deployment or an axis: "2xh100" does not split then
    bool naive;
    kvb_sweep_taker *take;
    void *context;
    uint64_t total, stretches;
    pthread_mutex_t lock;
    pthread_cond_t turned;
    uint64_t next; // stretch that nobody has taken yet
    uint64_t turn; // stretch that is handed on next
    bool stopped;
};

struct worker {
    struct crew *crew;
    pthread_t thread;
    struct kvb_plan plan;
    struct kvb_budget budget;
    struct kvb_reuse reuse;
    struct kvb_known_length lengths[KVB_KNOWN_LENGTHS];
    uint32_t digits[KVB_SWEEP_AXES_MAX];
    struct kvb_sweep_row rows[STRETCH];
};

static void forget(struct worker *worker)
{
    kvb_reuse_clear(&worker->reuse);
    worker->reuse.lengths = worker->lengths; // these are told apart by their rows: they stay
}

static void apply(struct worker *worker, uint32_t at, uint32_t digit)
{
    const struct crew *crew = worker->crew;
    const struct kvb_sweep_axis *axis = &crew->sweep->axes[at];
    struct kvb_plan *plan = &worker->plan;
    struct kvb_setting_value *split = &plan->settings.values[KVB_SET_TENSOR_PARALLEL_SIZE];
    switch (axis->kind) {
    case KVB_SWEEP_MODEL:
        plan->model = crew->named[at][digit].model;
        forget(worker);
        break;
    case KVB_SWEEP_ENGINE:
        plan->engine = crew->named[at][digit].engine;
        break;
    case KVB_SWEEP_GPU:
        plan->gpu = crew->named[at][digit].gpu;
        plan->gpus_stated = crew->named[at][digit].gpus_stated;
        if (!crew->split_is_said) {
            uint64_t count = crew->named[at][digit].gpu_count;
            *split = crew->base.settings.values[KVB_SET_TENSOR_PARALLEL_SIZE];
            if (count > 0) {
                *split = (struct kvb_setting_value){count, 1, KVB_ORIGIN_FLAG};
            }
        }
        break;
    case KVB_SWEEP_SETTING:
        plan->settings.values[axis->setting] =
            (struct kvb_setting_value){axis->values[digit].number, 1, KVB_ORIGIN_FLAG};
        break;
    }
}

// Only what differs from the row before is set anew.
static void turn_to(struct worker *worker, uint64_t index)
{
    const struct kvb_sweep *sweep = worker->crew->sweep;
    uint64_t rest = 0, stride = 1;
    for (uint32_t i = sweep->axis_count; i-- > 0;) {
        const struct kvb_sweep_axis *axis = &sweep->axes[i];
        uint32_t digit = (uint32_t)(index % axis->count);
        index /= axis->count;
        if (worker->digits[i] != digit) {
            worker->digits[i] = digit;
            apply(worker, i, digit);
        }
        if (axis->kind != KVB_SWEEP_SETTING || axis->setting != KVB_SET_MAX_MODEL_LEN) {
            rest += digit * stride;
            stride *= axis->count;
        }
    }
    worker->reuse.apart_from_length = rest + 1;
}

static void plan_row(struct worker *worker, uint64_t index, struct kvb_sweep_row *row)
{
    const struct kvb_budget *budget = &worker->budget;
    turn_to(worker, index);
    enum kvb_status status = kvb_engine_of(&worker->plan)->compute(&worker->plan, &worker->budget, NULL, true);
    const struct kvb_kv_cache *kv = &worker->budget.kv;
    if (status == KVB_OK && kv->tokens > 0 && kv->max_model_len_that_fits == 0) { // looked for where it is not quiet
        status = kvb_engine_of(&worker->plan)->compute(&worker->plan, &worker->budget, NULL, false);
    }
    *row = (struct kvb_sweep_row){
        .index = index,
        .planned = status == KVB_OK,
        .starts = status == KVB_OK && budget->starts,
        .verdict = status == KVB_OK ? budget->verdict : KVB_DOES_NOT_FIT,
        .refusal = budget->refusal,
        .gpus = kvb_gpu_count(&budget->settings),
        .max_model_len = budget->settings.values[KVB_SET_MAX_MODEL_LEN].number,
        .weights_bytes = (uint64_t)budget->items[KVB_ITEM_WEIGHTS].bytes,
        .requested_bytes = budget->requested_bytes,
        .tokens = budget->kv.tokens,
        .max_model_len_that_fits = budget->kv.max_model_len_that_fits,
        .max_concurrency_hundredths = budget->kv.max_concurrency_hundredths,
        .kv_cache_bytes = budget->items[KVB_ITEM_KV_CACHE].bytes,
        .balance_bytes = budget->balance_bytes,
        .slack_bytes = budget->slack_bytes,
    };
}

// The next stretch that nobody has; false: there is none, or the taker wants no more.
static bool take_stretch(struct crew *crew, uint64_t *stretch)
{
    (void)pthread_mutex_lock(&crew->lock);
    bool has = !crew->stopped && crew->next < crew->stretches;
    *stretch = crew->next;
    crew->next += has;
    (void)pthread_mutex_unlock(&crew->lock);
    return has;
}

static void hand_on(struct crew *crew, uint64_t stretch, const struct kvb_sweep_row *rows, uint32_t count)
{
    (void)pthread_mutex_lock(&crew->lock);
    while (crew->turn != stretch && !crew->stopped) {
        (void)pthread_cond_wait(&crew->turned, &crew->lock);
    }
    if (!crew->stopped) {
        crew->stopped = !crew->take(crew->context, rows, count);
    }
    crew->turn++;
    (void)pthread_cond_broadcast(&crew->turned);
    (void)pthread_mutex_unlock(&crew->lock);
}

static void *work(void *argument)
{
    struct worker *worker = argument;
    struct crew *crew = worker->crew;
    uint64_t stretch;
    while (take_stretch(crew, &stretch)) {
        uint64_t first = stretch * STRETCH;
        uint32_t count = crew->total - first < STRETCH ? (uint32_t)(crew->total - first) : STRETCH;
        for (uint32_t i = 0; i < count; i++) {
            plan_row(worker, first + i, &worker->rows[i]);
        }
        hand_on(crew, stretch, worker->rows, count);
    }
    return NULL;
}

static struct worker *make_worker(struct crew *crew)
{
    struct worker *worker = kvb_reallocate(NULL, sizeof *worker);
    if (worker != NULL) {
        worker->crew = crew;
        worker->plan = crew->base;
        worker->plan.draft = crew->base.draft != NULL ? &crew->draft : NULL;
        worker->plan.reuse = crew->naive ? NULL : &worker->reuse;
        memset(worker->lengths, 0, sizeof worker->lengths);
        forget(worker);
        memset(worker->digits, 0xFF, sizeof worker->digits); // no value: all are set with the first row
    }
    return worker;
}

// As many workers as can be had; this thread is the first of them.
static enum kvb_status run_all(struct crew *crew, uint32_t threads, struct kvb_problems *problems)
{
    struct worker *workers[THREADS_MAX] = {NULL};
    uint32_t started = 0;
    workers[0] = make_worker(crew);
    if (workers[0] == NULL) {
        return kvb_problem_add(problems, KVB_ERROR, KVB_NO_MEMORY, (struct kvb_place){0}, "out of memory");
    }
    for (uint32_t i = 1; i < threads && i < crew->stretches; i++) {
        workers[i] = make_worker(crew);
        if (workers[i] == NULL || pthread_create(&workers[i]->thread, NULL, work, workers[i]) != 0) {
            kvb_free(workers[i]);
            break;
        }
        started = i;
    }
    (void)work(workers[0]);
    for (uint32_t i = 1; i <= started; i++) {
        (void)pthread_join(workers[i]->thread, NULL);
        kvb_free(workers[i]);
    }
    kvb_free(workers[0]);
    return KVB_OK;
}

// One value of an axis of names, resolved as plan resolves it.
static enum kvb_status resolve_value(const struct kvb_sweep *sweep, uint32_t at, uint32_t digit,
                                     struct kvb_deployment *deployment, struct kvb_plan *plan, struct kvb_model *draft,
                                     struct kvb_problems *problems)
{
    struct kvb_model_source *source = kvb_room(sizeof *source, problems);
    const char *text = sweep->axes[at].values[digit].text;
    if (source == NULL) {
        return KVB_NO_MEMORY;
    }
    if (sweep->axes[at].kind == KVB_SWEEP_MODEL) {
        deployment->inline_model = false;
        (void)kvb_copy(deployment->model, sizeof deployment->model, text);
    } else if (sweep->axes[at].kind == KVB_SWEEP_ENGINE) {
        (void)kvb_copy(deployment->engine, sizeof deployment->engine, text);
    } else {
        deployment->inline_gpu = false;
        deployment->gpus_stated = 0;
        (void)kvb_copy(deployment->gpu, sizeof deployment->gpu, text);
        kvb_deployment_take_gpu_count(deployment);
    }
    enum kvb_status status = kvb_deployment_resolve(deployment, plan, draft, source, problems);
    kvb_free(source);
    return status;
}

// The first value of every axis of names, and then each of the others in its place.
static enum kvb_status resolve_axis(struct crew *crew, uint32_t at, const struct kvb_deployment *first,
                                    struct kvb_problems *problems)
{
    static const enum kvb_setting splits[] = {KVB_SET_TENSOR_PARALLEL_SIZE, KVB_SET_PIPELINE_PARALLEL_SIZE,
                                              KVB_SET_DATA_PARALLEL_SIZE};
    const struct kvb_sweep_axis *axis = &crew->sweep->axes[at];
    struct kvb_deployment *deployment = kvb_room(sizeof *deployment, problems);
    struct kvb_plan *plan = kvb_room(sizeof *plan, problems);
    struct kvb_model *draft = kvb_room(sizeof *draft, problems);
    crew->named[at] = kvb_room(axis->count * sizeof *crew->named[at], problems);
    enum kvb_status status =
        deployment != NULL && plan != NULL && draft != NULL && crew->named[at] != NULL ? KVB_OK : KVB_NO_MEMORY;
    for (uint32_t i = 0; i < axis->count && status == KVB_OK; i++) {
        *deployment = *first;
        for (size_t s = 0; s < sizeof splits / sizeof splits[0]; s++) { // so that "2xh100" says its count
            deployment->settings.values[splits[s]].set = 0;
        }
        status = resolve_value(crew->sweep, at, i, deployment, plan, draft, problems);
        const struct kvb_setting_value *split = &deployment->settings.values[KVB_SET_TENSOR_PARALLEL_SIZE];
        struct named *named = &crew->named[at][i];
        named->model = plan->model;
        named->gpu = plan->gpu;
        named->gpus_stated = plan->gpus_stated;
        named->gpu_count = split->set ? split->number : 0;
        named->engine = plan->engine;
    }
    kvb_free(deployment);
    kvb_free(plan);
    kvb_free(draft);
    return status;
}

static bool says_split(const struct kvb_sweep *sweep)
{
    const struct kvb_setting_value *values = sweep->deployment.settings.values;
    bool said = values[KVB_SET_TENSOR_PARALLEL_SIZE].set || values[KVB_SET_PIPELINE_PARALLEL_SIZE].set ||
                values[KVB_SET_DATA_PARALLEL_SIZE].set;
    for (uint32_t i = 0; i < sweep->axis_count; i++) {
        enum kvb_setting setting = sweep->axes[i].setting;
        said = said || (sweep->axes[i].kind == KVB_SWEEP_SETTING &&
                        (setting == KVB_SET_TENSOR_PARALLEL_SIZE || setting == KVB_SET_PIPELINE_PARALLEL_SIZE ||
                         setting == KVB_SET_DATA_PARALLEL_SIZE));
    }
    return said;
}

static enum kvb_status resolve_all(struct crew *crew, struct kvb_problems *problems)
{
    const struct kvb_sweep *sweep = crew->sweep;
    struct kvb_deployment *first = kvb_room(sizeof *first, problems);
    struct kvb_model_source *source = kvb_room(sizeof *source, problems);
    enum kvb_status status = first != NULL && source != NULL ? KVB_OK : KVB_NO_MEMORY;
    if (status == KVB_OK) {
        *first = sweep->deployment;
        for (uint32_t i = 0; i < sweep->axis_count; i++) {
            const struct kvb_sweep_axis *axis = &sweep->axes[i];
            const char *text = axis->values[0].text;
            if (axis->kind == KVB_SWEEP_MODEL) {
                (void)kvb_copy(first->model, sizeof first->model, text);
            } else if (axis->kind == KVB_SWEEP_ENGINE) {
                (void)kvb_copy(first->engine, sizeof first->engine, text);
            } else if (axis->kind == KVB_SWEEP_GPU) {
                const char *name = text;
                struct kvb_setting_value kept = first->settings.values[KVB_SET_TENSOR_PARALLEL_SIZE];
                (void)kvb_copy(first->gpu, sizeof first->gpu, name);
                kvb_deployment_take_gpu_count(first);
                first->settings.values[KVB_SET_TENSOR_PARALLEL_SIZE] = kept;
            }
        }
        status = kvb_deployment_resolve(first, &crew->base, &crew->draft, source, problems);
    }
    for (uint32_t i = 0; i < sweep->axis_count && status == KVB_OK; i++) {
        status = sweep->axes[i].kind == KVB_SWEEP_SETTING ? KVB_OK : resolve_axis(crew, i, first, problems);
    }
    kvb_free(first);
    kvb_free(source);
    return status;
}

static uint32_t cores(void)
{
    long count = sysconf(_SC_NPROCESSORS_ONLN);
    return count < 1 ? 1 : count > (long)THREADS_MAX ? THREADS_MAX : (uint32_t)count;
}

enum kvb_status kvb_sweep_run(const struct kvb_sweep *sweep, uint32_t threads, bool naive, kvb_sweep_taker *take,
                              void *context, struct kvb_problems *problems)
{
    struct crew *crew = kvb_room(sizeof *crew, problems);
    if (crew == NULL) {
        return KVB_NO_MEMORY;
    }
    crew->sweep = sweep;
    crew->naive = naive;
    crew->take = take;
    crew->context = context;
    crew->split_is_said = says_split(sweep);
    crew->total = kvb_sweep_count(sweep);
    crew->stretches = (crew->total + STRETCH - 1) / STRETCH;
    (void)pthread_mutex_init(&crew->lock, NULL);
    (void)pthread_cond_init(&crew->turned, NULL);
    enum kvb_status status = resolve_all(crew, problems);
    if (status == KVB_OK) {
        threads = threads == 0 ? cores() : threads < THREADS_MAX ? threads : THREADS_MAX;
        status = run_all(crew, threads, problems);
    }
    for (uint32_t i = 0; i < KVB_SWEEP_AXES_MAX; i++) {
        kvb_free(crew->named[i]);
    }
    (void)pthread_cond_destroy(&crew->turned);
    (void)pthread_mutex_destroy(&crew->lock);
    kvb_free(crew);
    return status;
}
