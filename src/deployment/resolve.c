// From what was said to the plan: names become values, and platform and overrides are applied.
#include <stdio.h>
#include <string.h>

#include <kvbudget/units.h>

#include "base/memory.h"
#include "base/model_copy.h"
#include "base/room.h"
#include "base/text.h"
#include "budget/shapes.h"
#include "deployment/adapters.h"
#include "deployment/engine.h"
#include "engines/table.h"
#include "model/draft_heads.h"
#include "model/own_blocks.h"
#include "model/projector.h"
#include "text/file.h"

// "NAME@REVISION"; main is what a name without one means.
static void name_with_revision(const struct kvb_deployment *deployment, char out[KVB_PATH_CAPACITY])
{
    size_t length = strlen(deployment->model);
    bool said = deployment->revision[0] != '\0' && strcmp(deployment->revision, "main") != 0 &&
                strpbrk(deployment->model, "@:") == NULL && strchr("/.~", deployment->model[0]) == NULL;
    (void)kvb_copy(out, KVB_PATH_CAPACITY, deployment->model);
    if (said && length + 1 < KVB_PATH_CAPACITY) {
        out[length] = '@';
        (void)kvb_copy(out + length + 1, KVB_PATH_CAPACITY - length - 1, deployment->revision);
    }
}

static enum kvb_status resolve_model(const struct kvb_deployment *deployment, struct kvb_plan *plan,
                                     struct kvb_model_source *source, struct kvb_problems *problems)
{
    if (deployment->inline_model) {
        kvb_model_copy(&plan->model, &deployment->model_value);
        bool counted = kvb_model_counts_headers(&plan->model);
        *source = (struct kvb_model_source){.text = "deployment profile",
                                            .weights_basis = counted ? KVB_BASIS_CHECKPOINT : KVB_BASIS_CONFIG};
        return KVB_OK;
    }
    if (deployment->model[0] == '\0') {
        return kvb_problem_add(problems, KVB_ERROR, KVB_BAD_ARGUMENT, (struct kvb_place){0},
                               "no model is named; say which with --model NAME or PATH");
    }
    const char *overrides = deployment->overrides[0] ? deployment->overrides : NULL;
    char name[KVB_PATH_CAPACITY];
    name_with_revision(deployment, name);
    enum kvb_status status = kvb_model_load(name, overrides, &plan->model, source, problems);
    if (status == KVB_OK && kvb_model_only_drafts(&plan->model)) {
        return kvb_problem_add(
            problems, KVB_ERROR, KVB_UNKNOWN_KIND, (struct kvb_place){0},
            "'%.120s' is a head that drafts for another model: serve that model and name the head as "
            "\"model\" in --speculative-config",
            name);
    }
    if (status == KVB_OK && deployment->served_name[0] != '\0') {
        (void)kvb_copy(plan->model.name, sizeof plan->model.name, deployment->served_name);
    }
    return status;
}

static void set_memory(struct kvb_gpu *gpu, uint64_t bytes, enum kvb_basis basis)
{
    gpu->memory_bytes = bytes;
    gpu->memory_low_bytes = bytes;
    gpu->memory_high_bytes = bytes;
    gpu->memory_basis = basis;
}

static enum kvb_status resolve_gpu(const struct kvb_deployment *deployment, struct kvb_plan *plan,
                                   struct kvb_problems *problems)
{
    enum kvb_status status = KVB_OK;
    if (deployment->inline_gpu) {
        plan->gpu = deployment->gpu_value;
    } else if (deployment->gpu[0] != '\0') {
        status = kvb_gpu_load(deployment->gpu, &plan->gpu, problems);
    } else if (deployment->gpu_memory_bytes > 0) {
        kvb_gpu_from_memory(deployment->gpu_memory_bytes, &plan->gpu);
    }
    if (status != KVB_OK) {
        return status;
    }
    if (deployment->gpu_memory_bytes > 0) {
        set_memory(&plan->gpu, deployment->gpu_memory_bytes, KVB_BASIS_STATED);
    } else if (plan->platform != KVB_PLATFORM_LINUX && plan->gpu.device_bytes > 0) {
        // Under WDDM the driver's reserve is part of the total and missing from what is free.
        set_memory(&plan->gpu, plan->gpu.device_bytes, KVB_BASIS_MEASURED);
    }
    return KVB_OK;
}

// More free than there is: another card is meant, or another unit. A driver's own reserve is not looked at so closely.
static void judge_free(const struct kvb_plan *plan, struct kvb_problems *problems)
{
    uint64_t total = plan->gpu.memory_bytes;
    char free_text[32], total_text[32];
    if (plan->gpu_free_stated && total > 0 && plan->gpu_free_bytes > total + total / 20) {
        (void)kvb_problem_add(problems, KVB_WARNING, KVB_CONTRADICTION, (struct kvb_place){0},
                              "%s GiB are said to be free of a GPU with %s GiB; all of it counts as free",
                              kvb_format_gib(free_text, (int64_t)plan->gpu_free_bytes, 2),
                              kvb_format_gib(total_text, (int64_t)total, 2));
    }
}

// "2xH100" and --tensor-parallel-size 4: the engine says what one machine makes of it, here where else they may be.
static void judge_count(const struct kvb_deployment *deployment, struct kvb_problems *problems)
{
    uint64_t used = kvb_gpu_count(&deployment->settings);
    if (deployment->gpus_stated > 0 && used > deployment->gpus_stated) {
        (void)kvb_problem_add(problems, KVB_WARNING, KVB_CONTRADICTION, (struct kvb_place){0},
                              "it runs on %llu GPUs and %u are stated: the others have to be on further machines",
                              (unsigned long long)used, (unsigned)deployment->gpus_stated);
    }
}

// An own model that drafts: not ngram, and not the layers of the served checkpoint itself.
static bool has_draft(const struct kvb_deployment *deployment)
{
    const struct kvb_setting_value *method = &deployment->settings.values[KVB_SET_SPECULATIVE_METHOD];
    bool itself = kvb_equal_ignoring_case(deployment->draft_model, deployment->model);
    return deployment->draft_model[0] != '\0' && !itself && method->number != KVB_SPECULATIVE_NGRAM;
}

static bool is_dspark(const struct kvb_deployment *deployment)
{
    const struct kvb_setting_value *method = &deployment->settings.values[KVB_SET_SPECULATIVE_METHOD];
    return method->set && method->number == KVB_SPECULATIVE_DSPARK;
}

// DFlash and DSpark always draft with layers of their own, which may lie in the served checkpoint: what nobody can look
// at is not nothing.
static void own_blocks(const struct kvb_deployment *deployment, struct kvb_plan *plan, struct kvb_model *draft,
                       struct kvb_problems *problems)
{
    const struct kvb_setting_value *method = &deployment->settings.values[KVB_SET_SPECULATIVE_METHOD];
    if (!is_dspark(deployment) && (!method->set || method->number != KVB_SPECULATIVE_DFLASH)) {
        return;
    }
    if (is_dspark(deployment) && kvb_own_blocks(&plan->model, draft)) {
        plan->draft = draft;
        return;
    }
    plan->draft_unknown = true;
    (void)kvb_problem_add(problems, KVB_WARNING, KVB_ASSUMED, (struct kvb_place){0},
                          "the layers that draft are not known: the smallest and the largest they can be are in the "
                          "bound, and the answer is tight at best; give the folder of their config.json as \"model\" "
                          "in --speculative-config");
}

// A draft model nobody knows is no reason to answer nothing: its weights are then left out, said aloud.
static enum kvb_status resolve_draft(const struct kvb_deployment *deployment, struct kvb_plan *plan,
                                     struct kvb_model *draft, struct kvb_problems *problems)
{
    struct kvb_model_source source;
    if (!has_draft(deployment)) {
        own_blocks(deployment, plan, draft, problems);
        return KVB_OK;
    }
    struct kvb_problems *own = kvb_room(sizeof *own, problems);
    if (own == NULL) {
        return KVB_NO_MEMORY;
    }
    bool here = kvb_path_exists(deployment->draft_model); // what lies there says more than its name
    enum kvb_status status = here ? KVB_UNKNOWN_NAME : kvb_draft_head_load(deployment->draft_model, draft, own);
    if (status == KVB_UNKNOWN_NAME) {
        status = kvb_model_load(deployment->draft_model, NULL, draft, &source, own);
    }
    if (status == KVB_NO_MEMORY) {
        (void)kvb_problem_add(problems, KVB_ERROR, status, (struct kvb_place){0}, "not enough memory to read it");
    } else if (status == KVB_OK) {
        plan->draft = draft;
        (void)(is_dspark(deployment) && kvb_own_blocks(draft, draft));
    } else {
        plan->draft_unknown = true;
        bool file = kvb_ends_with(deployment->draft_model, ".gguf");
        uint64_t method = deployment->settings.values[KVB_SET_SPECULATIVE_METHOD].number;
        bool head = method == KVB_SPECULATIVE_EAGLE || method == KVB_SPECULATIVE_DFLASH;
        (void)kvb_problem_add(
            problems, KVB_WARNING, KVB_ASSUMED, (struct kvb_place){0},
            file && head
                ? "the draft model '%.120s' is not here: the most that such a head can be is in the bound, and "
                  "the answer is tight at best; give the path of its file"
            : file
                ? "the draft model '%.120s' is not here and its name is not known: it is not counted, and the answer "
                  "is "
                  "tight at best; give the path of its file"
                : "the draft model '%.120s' is not known: the smallest and the largest it can be are in the bound, and "
                  "the answer is tight at best; give the folder of its config.json as \"model\" in "
                  "--speculative-config",
            deployment->draft_model);
        status = KVB_OK;
    }
    kvb_free(own);
    return status;
}

// A projector whose file is not here is counted from the model's own encoder; one that a repository brings, too.
static enum kvb_status resolve_projector(const struct kvb_deployment *deployment, struct kvb_plan *plan,
                                         struct kvb_problems *problems)
{
    bool named = deployment->projector[0] != '\0';
    if (deployment->projector_refused || (!named && !deployment->projector_implied)) {
        return KVB_OK;
    }
    if (named && kvb_path_exists(deployment->projector)) {
        return kvb_projector_load(deployment->projector, &plan->projector, problems);
    }
    kvb_projector_of_model(&plan->model, &plan->projector);
    if (!named) {
        plan->projector.named = plan->projector.known;
        return KVB_OK;
    }
    if (plan->projector.known) {
        (void)kvb_problem_add(problems, KVB_NOTICE, KVB_ASSUMED, (struct kvb_place){0},
                              "the projector '%.120s' is not here: it is counted as the model's own encoder in 16 bits",
                              deployment->projector);
    } else {
        (void)kvb_problem_add(problems, KVB_WARNING, KVB_ASSUMED, (struct kvb_place){0},
                              "the projector '%.120s' is not here and the model's config describes none: it is not "
                              "counted, and the answer is tight at best",
                              deployment->projector);
    }
    return KVB_OK;
}

// What was said of a name since `before` gets the place where a file has it.
static void place_problems(struct kvb_problems *problems, uint32_t before, const struct kvb_place *place)
{
    for (uint32_t i = before; problems != NULL && i < problems->count; i++) {
        struct kvb_problem *problem = &problems->items[i];
        bool unplaced = problem->severity == KVB_ERROR && problem->file[0] == '\0' && problem->line == 0;
        if (unplaced) {
            (void)kvb_copy(problem->file, sizeof problem->file, place->file != NULL ? place->file : "");
            kvb_make_printable(problem->file);
            problem->line = place->line;
            problem->column = place->column;
        }
    }
}

static uint32_t count_of(const struct kvb_problems *problems)
{
    return problems != NULL ? problems->count : 0;
}

// Each engine has its own flag for keys over config.json; vLLM's stands for all until the engine is known.
static void name_overrides(const struct kvb_plan *plan, struct kvb_problems *problems, uint32_t from)
{
    const struct kvb_engine_rows *rules = kvb_engine_of(plan);
    for (unsigned row = 0; problems != NULL && rules->flag(row) != NULL; row++) {
        const struct kvb_serve_flag *flag = rules->flag(row);
        for (uint32_t i = from; flag->kind == KVB_SERVE_OVERRIDES && i < problems->count; i++) {
            struct kvb_problem *problem = &problems->items[i];
            if (strcmp(problem->file, "--hf-overrides") == 0) {
                (void)snprintf(problem->file, sizeof problem->file, "--%s", flag->name);
            }
        }
    }
}

static void copy_answers(const struct kvb_deployment *deployment, struct kvb_plan *plan)
{
    plan->gpu_free_bytes = deployment->gpu_free_bytes;
    plan->gpu_free_stated = deployment->gpu_free_stated || deployment->gpu_free_bytes > 0;
    plan->gpus_stated = deployment->gpus_stated;
    plan->settings = deployment->settings;
    plan->graph_sizes = deployment->graph_sizes;
    plan->environment = deployment->environment;
    plan->usage = deployment->usage_set ? deployment->usage : KVB_USAGE_SERVE;
    plan->platform = deployment->platform_set ? deployment->platform : KVB_PLATFORM_LINUX;
    plan->compile_cache = deployment->compile_cache;
    for (unsigned i = 0; i < KVB_SETTING_COUNT; i++) {
        const struct kvb_setting_value *said = &deployment->environment.settings.values[i];
        plan->settings.values[i] = plan->settings.values[i].set ? plan->settings.values[i] : *said;
    }
    memcpy(plan->stated, deployment->stated, sizeof plan->stated);
    plan->reserve_count = deployment->reserve_count;
    memcpy(plan->reserves, deployment->reserves, sizeof plan->reserves);
    plan->need = deployment->need;
    plan->request = deployment->request;
    memcpy(plan->tensor_overrides, deployment->tensor_overrides, sizeof plan->tensor_overrides);
}

// SGLang makes its slots as wide as the widest adapter it loads, when no rank is given (lora_manager.py, init_state).
static void judge_adapters(const struct kvb_deployment *deployment, struct kvb_plan *plan,
                           const struct kvb_engine_rows *rules, struct kvb_problems *problems)
{
    const struct kvb_setting_value *said = &deployment->settings.values[KVB_SET_MAX_LORA_RANK];
    if (!rules->rank_of_adapters || said->set) {
        kvb_adapters_judge(deployment, problems);
        return;
    }
    uint64_t rank = kvb_adapters_rank(deployment);
    if (rank > 0) {
        kvb_settings_set(&plan->settings, KVB_SET_MAX_LORA_RANK, rank, KVB_ORIGIN_DEFAULT);
    }
}

enum kvb_status kvb_deployment_resolve(const struct kvb_deployment *deployment, struct kvb_plan *plan,
                                       struct kvb_model *draft, struct kvb_model_source *source,
                                       struct kvb_problems *problems)
{
    struct kvb_plan *made = kvb_bare_room(sizeof *made, problems);
    if (made == NULL) {
        return KVB_NO_MEMORY;
    }
    kvb_plan_clear(made);
    copy_answers(deployment, made);
    uint32_t before = count_of(problems);
    enum kvb_status engine =
        kvb_engine_load_with_terms(deployment->engine, &made->engine, &made->settings, made->stated, problems);
    place_problems(problems, before, &deployment->engine_at);
    before = count_of(problems);
    enum kvb_status gpu = resolve_gpu(deployment, made, problems);
    place_problems(problems, before, &deployment->gpu_at);
    before = count_of(problems);
    enum kvb_status status = resolve_model(deployment, made, source, problems);
    if (engine == KVB_OK) {
        name_overrides(made, problems, before);
    }
    place_problems(problems, before, &deployment->model_at);
    status = status == KVB_OK ? gpu : status;
    status = status == KVB_OK ? engine : status;
    if (status == KVB_OK) {
        status = resolve_draft(deployment, made, draft, problems);
    }
    status = status == KVB_OK ? resolve_projector(deployment, made, problems) : status;
    const struct kvb_engine_rows *rules = status == KVB_OK ? kvb_engine_of(made) : NULL;
    if (rules != NULL && rules->judge != NULL) {
        rules->judge(deployment, &made->engine, made->command_error);
    }
    if (rules != NULL && rules->plain_flags != NULL) {
        rules->plain_flags(deployment, made);
    }
    if (status == KVB_OK) {
        judge_free(made, problems);
        judge_count(deployment, problems);
        judge_adapters(deployment, made, rules, problems);
        kvb_plan_copy(plan, made);
    }
    kvb_free(made);
    return status;
}
