// Every built-in model put to one GPU: what starts there, and what just misses and why.
#include <kvbudget/models.h>

#include <string.h>

#include "answer/left_to_host.h"
#include "answer/models_sort.h"
#include "base/checked.h"
#include "base/memory.h"
#include "base/room.h"
#include "base/text.h"
#include "catalogue/builtin.h"
#include "engines/flags.h"
#include "engines/table.h"

static const struct kvb_place nowhere = {NULL, 0, 0};

// What is needed to answer one model after the other; too large for a small stack.
struct desk {
    struct kvb_deployment deployment;
    struct kvb_plan plan;
    struct kvb_model draft;
    struct kvb_model_source source;
    struct kvb_budget budget;
    struct kvb_problems problems;
    bool length_is_given; // by --max-model-len
    bool picks_formats;   // the engine takes GGUF files, and no format was said
};

static bool is_wished(const struct kvb_models_wish *wish, const char *id)
{
    char family[KVB_NAME_CAPACITY];
    kvb_model_family(id, family);
    return wish->family == NULL || kvb_contains_ignoring_case(id, wish->family) ||
           kvb_contains_ignoring_case(family, wish->family);
}

static bool is_licensed(const struct kvb_models_wish *wish, const char *id, struct kvb_models *models)
{
    const char *licence = wish->licence != NULL ? kvb_model_licence(id) : NULL;
    models->licence_unknown += wish->licence != NULL && licence == NULL;
    return wish->licence == NULL || (licence != NULL && kvb_contains_ignoring_case(licence, wish->licence));
}

static uint64_t length_for(const struct desk *desk, const struct kvb_models_wish *wish)
{
    const struct kvb_setting_value *given = &desk->deployment.settings.values[KVB_SET_MAX_MODEL_LEN];
    if (desk->length_is_given && given->number != KVB_AUTO) {
        return given->number;
    }
    return wish->length_tokens > 0 ? wish->length_tokens : kvb_min(KVB_MODELS_LENGTH, desk->plan.model.context_tokens);
}

// The model's heads over as many of the GPUs as they can be split over.
static bool plan_on(struct desk *desk, uint64_t gpus, bool split_is_given)
{
    struct kvb_setting_value *split = &desk->plan.settings.values[KVB_SET_TENSOR_PARALLEL_SIZE];
    for (uint64_t count = gpus; count > 0; count--) {
        if (!split_is_given) {
            *split = (struct kvb_setting_value){.number = count, .set = 1, .origin = KVB_ORIGIN_FLAG};
        }
        kvb_problems_init(&desk->problems);
        if (kvb_budget_compute(&desk->plan, &desk->budget, &desk->problems) != KVB_OK) {
            return false;
        }
        if (!desk->budget.uncounted || split_is_given) {
            return true;
        }
    }
    return true;
}

static bool starts_whole(struct desk *desk)
{
    kvb_problems_init(&desk->problems);
    const struct kvb_engine_rows *rules = kvb_engine_of(&desk->plan);
    bool answered = rules->is_whole != NULL
                        ? rules->is_whole(&desk->plan, &desk->budget)
                        : rules->compute(&desk->plan, &desk->budget, &desk->problems, true) == KVB_OK;
    return answered && desk->budget.verdict != KVB_DOES_NOT_FIT && !kvb_is_left_to_host(&desk->plan, &desk->budget);
}

// The largest of the formats people download that starts without layers on the CPU; the usual one when none does.
// What is published in MXFP4 stays so.
static void pick_format(struct desk *desk, uint64_t gpus)
{
    static const char *const formats[] = {"q8_0", "q6_k", "q5_k_m", "q4_k_m"};
    struct kvb_setting_value *type = &desk->plan.settings.values[KVB_SET_GGUF_TYPE];
    struct kvb_setting_value *split = &desk->plan.settings.values[KVB_SET_TENSOR_PARALLEL_SIZE];
    *type = (struct kvb_setting_value){0};
    if (desk->plan.model.quantisation.method == KVB_QUANT_MXFP4) {
        return;
    }
    if (!split->set) {
        *split = (struct kvb_setting_value){.number = gpus, .set = 1, .origin = KVB_ORIGIN_FLAG};
    }
    for (size_t i = 0; i < sizeof formats / sizeof formats[0]; i++) {
        char why[256];
        *type = (struct kvb_setting_value){.set = 1, .origin = KVB_ORIGIN_FLAG};
        if (kvb_setting_parse(KVB_SET_GGUF_TYPE, formats[i], &type->number, why) && starts_whole(desk)) {
            return;
        }
    }
}

// What the GPU would have to have more: for the cache, for the request to be free, for the weights and their first run.
static uint64_t lacking(const struct kvb_budget *budget)
{
    int64_t free_bytes = (int64_t)budget->free_bytes;
    int64_t loading = budget->items[KVB_ITEM_WEIGHTS].bytes + budget->items[KVB_ITEM_ACTIVATION].bytes +
                      budget->items[KVB_ITEM_NON_TORCH].bytes + (int64_t)budget->released_bytes - free_bytes;
    int64_t most = (int64_t)budget->requested_bytes - free_bytes;
    most = loading > most ? loading : most;
    most = -budget->balance_bytes > most ? -budget->balance_bytes : most;
    return most > 0 ? (uint64_t)most : 0;
}

static void judge(const struct desk *desk, struct kvb_models_row *row)
{
    const struct kvb_budget *budget = &desk->budget;
    bool fits = budget->verdict != KVB_DOES_NOT_FIT;
    uint64_t lacks = budget->uncounted || budget->refusal != NULL ? 0 : lacking(budget);
    row->refusal = budget->refusal;
    row->lacks_bytes = fits ? 0 : lacks;
    row->gpu_layers = kvb_layers_on_gpu(&desk->plan, budget, &row->layers);
    row->miss = fits && kvb_is_left_to_host(&desk->plan, budget) ? KVB_MISS_HOST : KVB_MISS_NONE;
    if (!fits && row->length_tokens > row->context_tokens) {
        row->miss = KVB_MISS_LIMIT;
    } else if (!fits) {
        row->miss = lacks > 0 ? KVB_MISS_MEMORY : KVB_MISS_RULE;
    }
}

static void take_row(const struct desk *desk, struct kvb_models_row *row)
{
    const struct kvb_budget *budget = &desk->budget;
    const struct kvb_model *model = &desk->plan.model;
    (void)kvb_copy(row->name, sizeof row->name, model->name);
    kvb_model_family(model->name, row->family);
    kvb_model_format(model, row->format);
    if (budget->settings.values[KVB_SET_DTYPE].number != KVB_DTYPE_WORD_FP32 && strcmp(row->format, "32 bit") == 0) {
        (void)kvb_copy(row->format, sizeof row->format, "16 bit"); // as it is loaded
    }
    const struct kvb_setting_value *type = &desk->plan.settings.values[KVB_SET_GGUF_TYPE];
    if (type->set) { // whatever it is published in
        char word[48];
        (void)kvb_copy(row->format, sizeof row->format, kvb_setting_format(word, KVB_SET_GGUF_TYPE, type->number));
    }
    row->task = kvb_model_task(model);
    row->licence = kvb_model_licence(model->name);
    row->parameters = budget->parameters;
    row->context_tokens = model->context_tokens;
    row->verdict = budget->verdict;
    row->tensor_parallel_size = budget->settings.values[KVB_SET_TENSOR_PARALLEL_SIZE].number;
    row->weights_bytes = (uint64_t)budget->items[KVB_ITEM_WEIGHTS].bytes;
    row->kv_cache_bytes = budget->items[KVB_ITEM_KV_CACHE].bytes;
    row->balance_bytes = budget->balance_bytes;
    row->slack_bytes = budget->slack_bytes;
    row->tokens = budget->kv.tokens;
    row->max_model_len_that_fits = budget->kv.max_model_len_that_fits;
    row->max_concurrency_hundredths = budget->kv.max_concurrency_hundredths;
    judge(desk, row);
}

// False: the wish leaves this model out, or nothing can be said of it.
static bool answer_model(struct desk *desk, const char *id, const struct kvb_models_wish *wish,
                         struct kvb_models *models)
{
    struct kvb_models_row *row = &models->rows[models->count];
    kvb_problems_init(&desk->problems);
    if (kvb_model_load(id, NULL, &desk->plan.model, &desk->source, &desk->problems) != KVB_OK ||
        (wish->one_task && kvb_model_task(&desk->plan.model) != wish->task)) {
        return false;
    }
    memset(row, 0, sizeof *row);
    row->length_tokens = length_for(desk, wish);
    desk->plan.settings.values[KVB_SET_MAX_MODEL_LEN] =
        (struct kvb_setting_value){.number = row->length_tokens, .set = 1, .origin = KVB_ORIGIN_FLAG};
    desk->plan.need = (struct kvb_need){0};
    if (wish->concurrency_hundredths > 0) {
        desk->plan.need = (struct kvb_need){row->length_tokens, wish->concurrency_hundredths};
    }
    bool split_is_given = desk->deployment.settings.values[KVB_SET_TENSOR_PARALLEL_SIZE].set != 0;
    enum kvb_quantisation_method method = desk->plan.model.quantisation.method;
    if (desk->picks_formats && method != KVB_QUANT_NONE && method != KVB_QUANT_MXFP4) {
        return false; // a copy for other engines
    }
    if (desk->picks_formats) {
        pick_format(desk, models->gpu_count);
    }
    if (!plan_on(desk, models->gpu_count, split_is_given)) {
        return false;
    }
    take_row(desk, row);
    models->memory_bytes = desk->budget.memory_bytes;
    models->free_bytes = desk->budget.free_bytes;
    return row->parameters >= wish->minimum_parameters;
}

static void count_row(const struct kvb_models_row *row, struct kvb_models *models)
{
    models->starting += row->miss == KVB_MISS_NONE;
    models->on_host += row->miss == KVB_MISS_HOST;
    models->missing_memory += row->miss == KVB_MISS_MEMORY;
    models->refused += row->miss == KVB_MISS_RULE;
    models->too_short += row->miss == KVB_MISS_LIMIT;
    models->asked++;
    models->count++;
}

static void answer_all(struct desk *desk, const struct kvb_models_wish *wish, struct kvb_models *models)
{
    size_t count;
    const struct kvb_builtin *builtins = kvb_builtins_of(KVB_PROFILE_MODEL, &count);
    for (size_t i = 0; i < count; i++) {
        models->known++;
        if (is_wished(wish, builtins[i].id) && is_licensed(wish, builtins[i].id, models) &&
            answer_model(desk, builtins[i].id, wish, models)) {
            count_row(&models->rows[models->count], models);
        }
    }
}

// The GPU, the release and the settings are the same for all: resolved once, with the first model.
static enum kvb_status resolve(struct desk *desk, struct kvb_models *models, const struct kvb_models_wish *wish,
                               struct kvb_problems *problems)
{
    size_t count;
    (void)kvb_copy(desk->deployment.model, sizeof desk->deployment.model,
                   kvb_builtins_of(KVB_PROFILE_MODEL, &count)->id);
    enum kvb_status status =
        kvb_deployment_resolve(&desk->deployment, &desk->plan, &desk->draft, &desk->source, problems);
    if (status != KVB_OK) {
        return status;
    }
    const struct kvb_setting_value *split = &desk->plan.settings.values[KVB_SET_TENSOR_PARALLEL_SIZE];
    uint32_t since, until;
    desk->picks_formats = kvb_engine_has(kvb_engine_of(&desk->plan), KVB_SET_GGUF_TYPE, &since, &until) &&
                          !desk->plan.settings.values[KVB_SET_GGUF_TYPE].set;
    models->gpu = desk->plan.gpu;
    models->memory_bytes = desk->plan.gpu.memory_bytes;
    models->engine = desk->plan.engine;
    models->gpu_count = wish->gpu_count > 0 ? wish->gpu_count : split->set ? split->number : 1;
    const struct kvb_setting_value *length = &desk->deployment.settings.values[KVB_SET_MAX_MODEL_LEN];
    models->length_tokens = wish->length_tokens;
    if (desk->length_is_given && length->number != KVB_AUTO) {
        models->length_tokens = length->number;
    }
    models->concurrency_hundredths = wish->concurrency_hundredths;
    return KVB_OK;
}

static struct kvb_models *make_room(struct kvb_problems *problems)
{
    size_t count;
    (void)kvb_builtins_of(KVB_PROFILE_MODEL, &count);
    struct kvb_models *models = kvb_room(sizeof *models + (count + 1) * sizeof models->rows[0], problems);
    if (models != NULL) {
        models->rows = (struct kvb_models_row *)(models + 1);
    }
    return models;
}

enum kvb_status kvb_models_find(const struct kvb_deployment *deployment, const struct kvb_models_wish *wish,
                                struct kvb_models **out, struct kvb_problems *problems)
{
    *out = NULL;
    struct desk *desk = kvb_room(sizeof *desk, problems);
    struct kvb_models *models = desk != NULL ? make_room(problems) : NULL;
    enum kvb_status status = KVB_NO_MEMORY;
    if (models != NULL) {
        desk->deployment = *deployment;
        desk->deployment.inline_model = false;
        desk->deployment.model[0] = '\0';
        desk->deployment.draft_model[0] = '\0';
        desk->length_is_given = deployment->settings.values[KVB_SET_MAX_MODEL_LEN].set != 0;
        status = resolve(desk, models, wish, problems);
    }
    if (status == KVB_OK) {
        answer_all(desk, wish, models);
        kvb_models_sort(models);
        *out = models;
        models = NULL;
    }
    kvb_free(models);
    kvb_free(desk);
    return status;
}

void kvb_models_free(struct kvb_models *models)
{
    kvb_free(models);
}

static uint64_t free_of(const struct kvb_device *device)
{
    return device->free_bytes.known ? device->free_bytes.value : device->gpu.memory_bytes;
}

static bool may_be_taken(const struct kvb_machine_choice *choice, uint32_t device)
{
    return choice->pool[device] && kvb_device_usable(&choice->machine.devices[device]);
}

// Like the best one, whole GPUs both, and nearly as free.
static bool is_beside(const struct kvb_device *best, const struct kvb_device *other)
{
    return !best->is_slice && !other->is_slice && strcmp(best->name, other->name) == 0 &&
           free_of(other) >= free_of(best) / 10 * 9;
}

enum kvb_status kvb_models_use_machine(const struct kvb_machine_choice *choice, struct kvb_deployment *deployment,
                                       uint64_t *gpu_count, struct kvb_problems *problems)
{
    const struct kvb_device *devices = choice->machine.devices;
    uint32_t best = KVB_DEVICES_MAX;
    for (uint32_t i = 0; i < choice->machine.count; i++) {
        if (may_be_taken(choice, i) && (best == KVB_DEVICES_MAX || free_of(&devices[i]) > free_of(&devices[best]))) {
            best = i;
        }
    }
    if (best == KVB_DEVICES_MAX) {
        return kvb_problem_add(problems, KVB_ERROR, KVB_MISSING_KEY, nowhere,
                               "no GPU here can be used and says how much memory it has; name a card with --gpu");
    }
    struct kvb_rank deciding = {.device = best}; // the fullest of those taken
    *gpu_count = 1;
    for (uint32_t i = 0; i < choice->machine.count; i++) {
        if (i != best && may_be_taken(choice, i) && is_beside(&devices[best], &devices[i])) {
            ++*gpu_count;
            deciding.device = free_of(&devices[i]) < free_of(&devices[deciding.device]) ? i : deciding.device;
        }
    }
    deployment->gpu[0] = '\0';
    deployment->inline_gpu = true;
    kvb_machine_use(choice, &deciding, deployment);
    return KVB_OK;
}
