// Reads the other residents, puts them in order and asks who starts and what a training step holds.
#include <kvbudget/answer.h>

#include <stdio.h>
#include <string.h>

#include "base/memory.h"
#include "base/model_copy.h"
#include "base/text.h"
#include "engines/table.h"

#define DEFAULT_SEQUENCES 8
#define DEFAULT_TOKENS 1024

static const struct kvb_place nowhere = {NULL, 0, 0};

struct neighbour {
    struct kvb_plan plan; // engines; of trainers only the model
    struct kvb_model draft;
};

struct residents {
    struct kvb_placed report; // first: what the caller holds
    uint32_t count;
    struct kvb_resident_entry entries[KVB_RESIDENTS_MAX];
    struct neighbour neighbours[KVB_RESIDENTS_MAX];
    struct kvb_plan own_plan; // before anybody holds anything
    struct kvb_plan tried;    // and its answer: other ways to run the rollout
    struct kvb_budget budget;
    uint64_t used_bytes; // --reserve, and what --gpu-free leaves out: before all of them
    struct kvb_resident rows[KVB_RESIDENTS_MAX + 2];
    struct kvb_side_by_side side;
    struct kvb_training training;
    struct kvb_alternative alternatives[KVB_ALTERNATIVES_MAX];
};

static enum kvb_status read_with(const struct kvb_question *question, struct residents *residents,
                                 struct kvb_problems *problems)
{
    enum kvb_status status = KVB_OK;
    for (uint32_t i = 0; i < question->with_count && status == KVB_OK; i++) {
        if (residents->count == KVB_RESIDENTS_MAX) {
            return kvb_problem_add(problems, KVB_ERROR, KVB_BAD_ARGUMENT, nowhere,
                                   "at most %d other residents share a GPU", KVB_RESIDENTS_MAX);
        }
        struct kvb_resident_entry *entry = &residents->entries[residents->count++];
        memset(entry, 0, sizeof *entry);
        entry->kind = KVB_RESIDENT_ENGINE;
        entry->after = true;
        status = kvb_deployment_load(question->with[i], &entry->deployment, problems);
        const char *name = entry->deployment.name[0] != '\0' ? entry->deployment.name : question->with[i];
        (void)kvb_copy(entry->name, sizeof entry->name, name);
    }
    return status;
}

static enum kvb_status read_all(const struct kvb_question *question, struct residents *residents,
                                struct kvb_problems *problems)
{
    enum kvb_status status = KVB_OK;
    residents->count = question->entry_count < KVB_RESIDENTS_MAX ? question->entry_count : KVB_RESIDENTS_MAX;
    if (residents->count > 0) {
        memcpy(residents->entries, question->entries, residents->count * sizeof residents->entries[0]);
    } else if (question->deployment.resident_count > 0 && question->profile != NULL) {
        status = kvb_residents_load(question->profile, residents->entries, &residents->count, problems);
    }
    return status == KVB_OK ? read_with(question, residents, problems) : status;
}

// What the trainer's own configuration says of the engine counts where the deployment says nothing.
static void take_rollout_settings(const struct residents *residents, struct kvb_settings *settings)
{
    for (uint32_t i = 0; i < residents->count; i++) {
        for (unsigned s = 0; s < KVB_SETTING_COUNT; s++) {
            const struct kvb_setting_value *value = &residents->entries[i].rollout.values[s];
            if (value->set && !settings->values[s].set) {
                settings->values[s] = *value;
            }
        }
    }
}

static enum kvb_status resolve_one(struct kvb_resident_entry *entry, struct neighbour *neighbour,
                                   const struct kvb_plan *own, struct kvb_problems *problems)
{
    struct kvb_model_source source;
    bool needs_model = entry->kind == KVB_RESIDENT_TRAINER || entry->kind == KVB_RESIDENT_TRANSFORMERS;
    memset(neighbour, 0, sizeof *neighbour);
    if (entry->kind == KVB_RESIDENT_ENGINE) {
        return kvb_deployment_resolve(&entry->deployment, &neighbour->plan, &neighbour->draft, &source, problems);
    }
    neighbour->plan.model = own->model;
    return needs_model && entry->has_model
               ? kvb_model_load(entry->deployment.model, NULL, &neighbour->plan.model, &source, problems)
               : KVB_OK;
}

static void add_row(struct residents *residents, uint32_t i, struct kvb_resident *row)
{
    const struct kvb_resident_entry *entry = &residents->entries[i];
    const struct kvb_plan *plan = &residents->neighbours[i].plan;
    *row = (struct kvb_resident){.kind = entry->kind,
                                 .name = entry->name,
                                 .plan = plan,
                                 .trainer = &entry->trainer,
                                 .model = &plan->model,
                                 .rollout = &entry->transformers,
                                 .bytes = entry->bytes};
}

// What the deployment's own plan says of others is there for every engine.
static void take_used(struct residents *residents)
{
    struct kvb_plan *own = &residents->own_plan;
    uint64_t memory_bytes = own->gpu.memory_bytes;
    if (own->gpu_free_stated && own->gpu_free_bytes < memory_bytes) {
        residents->used_bytes = memory_bytes - own->gpu_free_bytes; // --reserve is part of it
    }
    for (uint32_t i = 0; i < own->reserve_count && !own->gpu_free_stated; i++) {
        residents->used_bytes += own->reserves[i].bytes; // each at most 2^53
    }
    own->gpu_free_stated = false;
    own->reserve_count = 0;
}

// Those before, the deployment itself, those after. Returns how many.
static uint32_t put_in_order(struct residents *residents, const char *own_name)
{
    uint32_t at = 0;
    if (residents->used_bytes > 0) {
        residents->rows[at++] =
            (struct kvb_resident){.kind = KVB_RESIDENT_FIXED, .name = "in use already", .bytes = residents->used_bytes};
    }
    for (unsigned after = 0; after < 2; after++) {
        if (after == 1) {
            residents->report.own = at;
            residents->rows[at++] =
                (struct kvb_resident){.kind = KVB_RESIDENT_ENGINE, .name = own_name, .plan = &residents->own_plan};
        }
        for (uint32_t i = 0; i < residents->count; i++) {
            if (residents->entries[i].after == (after == 1)) {
                add_row(residents, i, &residents->rows[at++]);
            }
        }
    }
    return at;
}

static struct kvb_resident_entry *find_trainer(struct residents *residents)
{
    for (uint32_t i = 0; i < residents->count; i++) {
        if (residents->entries[i].kind == KVB_RESIDENT_TRAINER) {
            return &residents->entries[i];
        }
    }
    return NULL;
}

static void add_parallel(struct residents *residents, const struct kvb_plan *plan, uint64_t tp, bool own)
{
    struct kvb_plan *tried = &residents->tried;
    const struct kvb_budget *budget = &residents->budget;
    memcpy(tried, plan, sizeof *tried);
    tried->settings.values[KVB_SET_TENSOR_PARALLEL_SIZE] =
        (struct kvb_setting_value){.number = tp, .set = 1, .origin = KVB_ORIGIN_FLAG};
    if (residents->report.alternative_count == KVB_ALTERNATIVES_MAX ||
        kvb_budget_compute(tried, &residents->budget, NULL) != KVB_OK || budget->uncounted) {
        return;
    }
    struct kvb_alternative *row = &residents->alternatives[residents->report.alternative_count++];
    (void)snprintf(row->name, sizeof row->name, own ? "%s, TP %u (as asked)" : "%s, TP %u, its GPUs together",
                   plan->engine.name, (unsigned)tp);
    row->tp = tp;
    row->weights_bytes = (uint64_t)budget->items[KVB_ITEM_WEIGHTS].bytes;
    row->cache_bytes = budget->items[KVB_ITEM_KV_CACHE].bytes;
    row->passing_bytes = (uint64_t)budget->items[KVB_ITEM_ACTIVATION].bytes;
    row->tokens = budget->kv.tokens;
    row->starts = budget->starts;
}

static void add_generate(struct residents *residents, const struct kvb_plan *plan, const char *name,
                         const struct kvb_transformers *rollout)
{
    struct kvb_transformers_answer answer;
    if (residents->report.alternative_count == KVB_ALTERNATIVES_MAX) {
        return;
    }
    kvb_transformers_compute(&plan->model, rollout, &answer);
    struct kvb_alternative *row = &residents->alternatives[residents->report.alternative_count++];
    const uint64_t *parts = residents->training.parts[KVB_TRAIN_ROLLOUT];
    uint64_t taken = residents->training.totals[KVB_TRAIN_ROLLOUT] - parts[KVB_TRAIN_ENGINE];
    (void)kvb_copy(row->name, sizeof row->name, name);
    row->weights_bytes = answer.weights_bytes;
    row->cache_bytes = (int64_t)answer.cache_bytes;
    row->passing_bytes = answer.total_bytes - answer.weights_bytes - answer.cache_bytes;
    row->tokens = rollout->sequences * (rollout->prompt_tokens + rollout->answer_tokens);
    row->starts = taken + answer.total_bytes <= residents->training.memory_bytes;
}

static uint64_t or_else(uint64_t said, uint64_t usual)
{
    return said > 0 ? said : usual;
}

static void add_alternatives(struct residents *residents, const struct kvb_plan *plan,
                             const struct kvb_trainer *trainer)
{
    static const struct {
        const char *name;
        enum kvb_hf_cache cache;
        bool eager;
    } ways[] = {{"transformers, dynamic cache", KVB_HF_CACHE_DYNAMIC, false},
                {"transformers, eager attention", KVB_HF_CACHE_DYNAMIC, true},
                {"transformers, eager, no cache", KVB_HF_CACHE_NONE, true}};
    const struct kvb_setting_value *asked = &plan->settings.values[KVB_SET_TENSOR_PARALLEL_SIZE];
    uint64_t own = asked->set ? asked->number : 1;
    add_parallel(residents, plan, own, true);
    for (uint64_t tp = 1; tp <= 4; tp *= 2) {
        if (tp != own && trainer->gpus % tp == 0) {
            add_parallel(residents, plan, tp, false);
        }
    }
    struct kvb_placed *report = &residents->report;
    report->sequences = or_else(trainer->sequences, DEFAULT_SEQUENCES);
    report->prompt_tokens = or_else(trainer->prompt_tokens, DEFAULT_TOKENS);
    report->answer_tokens = or_else(trainer->answer_tokens, DEFAULT_TOKENS);
    for (size_t i = 0; i < sizeof ways / sizeof ways[0]; i++) {
        const struct kvb_transformers rollout = {ways[i].cache,     ways[i].eager,         false,
                                                 report->sequences, report->prompt_tokens, report->answer_tokens};
        add_generate(residents, plan, ways[i].name, &rollout);
    }
}

static enum kvb_status train(struct residents *residents, const struct kvb_plan *plan, struct kvb_problems *problems)
{
    struct kvb_resident_entry *entry = find_trainer(residents);
    uint64_t others = 0;
    if (entry == NULL) {
        return KVB_OK;
    }
    for (uint32_t i = 0; i < residents->side.count; i++) {
        bool is_trainer = residents->rows[i].kind == KVB_RESIDENT_TRAINER;
        others += i == residents->report.own || is_trainer ? 0 : residents->side.rows[i].held_bytes;
    }
    const struct kvb_engine_rows *engine = kvb_engine_of(plan);
    struct kvb_release_facts facts = {.drops_weights = true};
    if (engine->facts != NULL) {
        engine->facts(plan->engine.release, KVB_GENERATION_NONE, &facts);
    }
    if (entry->trainer.framework == KVB_FRAMEWORK_VERL && entry->trainer.sleep_level == 2 && !facts.drops_weights) {
        entry->trainer.sleep_level = 1;
    }
    enum kvb_status status = kvb_training_compute(&entry->trainer, plan, others, &residents->training, problems);
    if (status == KVB_OK) {
        residents->report.trainer = &entry->trainer;
        residents->report.training = &residents->training;
        add_alternatives(residents, plan, &entry->trainer);
    }
    return status;
}

static enum kvb_status place(struct kvb_question *question, struct kvb_plan *plan, struct residents *residents,
                             struct kvb_problems *problems)
{
    enum kvb_status status = KVB_OK;
    take_rollout_settings(residents, &question->deployment.settings);
    take_rollout_settings(residents, &plan->settings);
    for (uint32_t i = 0; i < residents->count && status == KVB_OK; i++) {
        status = resolve_one(&residents->entries[i], &residents->neighbours[i], plan, problems);
    }
    if (status != KVB_OK) {
        return status;
    }
    kvb_plan_copy(&residents->own_plan, plan);
    take_used(residents);
    uint32_t count =
        put_in_order(residents, question->deployment.name[0] != '\0' ? question->deployment.name : plan->model.name);
    status = kvb_side_by_side_compute(&plan->gpu, residents->rows, count, &residents->side, problems);
    if (status != KVB_OK) {
        return status;
    }
    uint64_t before_bytes = residents->side.rows[residents->report.own].held_before_bytes;
    kvb_plan_hold(plan, "residents", before_bytes - residents->used_bytes);
    status = train(residents, plan, problems);
    residents->report.residents = residents->rows;
    residents->report.side = &residents->side;
    residents->report.alternatives = residents->alternatives;
    return status;
}

enum kvb_status kvb_residents_place(struct kvb_question *question, struct kvb_plan *plan, struct kvb_placed **placed,
                                    struct kvb_problems *problems)
{
    *placed = NULL;
    if (question->deployment.resident_count == 0 && question->entry_count == 0 && question->with_count == 0) {
        return KVB_OK;
    }
    struct residents *made = kvb_reallocate(NULL, sizeof *made);
    if (made == NULL) {
        return kvb_problem_add(problems, KVB_ERROR, KVB_NO_MEMORY, nowhere, "out of memory");
    }
    memset(made, 0, sizeof *made);
    enum kvb_status status = read_all(question, made, problems);
    if (status == KVB_OK && made->count > 0) {
        status = place(question, plan, made, problems);
    }
    if (status == KVB_OK && made->count > 0) {
        *placed = &made->report;
    } else {
        kvb_free(made);
    }
    return status;
}

void kvb_placed_free(struct kvb_placed *placed)
{
    kvb_free(placed);
}

bool kvb_placed_fit(const struct kvb_placed *placed)
{
    bool step = placed->training == NULL || placed->training->fits;
    return placed->side->all_start && !placed->side->crowded && step;
}
