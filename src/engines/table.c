// One row per engine.
#include "engines/table.h"

#include <string.h>

#include <kvbudget/problem.h>

#include "base/text.h"
#include "engines/generic/engine.h"
#include "engines/llamacpp/engine.h"
#include "engines/sglang/engine.h"
#include "engines/vllm/engine.h"

static const struct kvb_engine_rows *const engines[] = {&kvb_vllm_engine, &kvb_sglang_engine, &kvb_generic_engine,
                                                        &kvb_llamacpp_engine, &kvb_ollama_engine};

#define ENGINE_COUNT (sizeof engines / sizeof engines[0])

const struct kvb_engine_rows *const *kvb_engines(size_t *count)
{
    *count = ENGINE_COUNT;
    return engines;
}

const struct kvb_engine_rows *kvb_engine_find(const char *name)
{
    for (size_t i = 0; i < ENGINE_COUNT; i++) {
        if (strcmp(engines[i]->name, name) == 0) {
            return engines[i];
        }
    }
    return NULL;
}

static char *join(char out[KVB_ENGINE_NAMES_CAPACITY], bool titles)
{
    size_t left = 0, used = 0;
    for (size_t i = 0; i < ENGINE_COUNT; i++) {
        left += !titles || engines[i]->programs != NULL;
    }
    out[0] = '\0';
    for (size_t i = 0; i < ENGINE_COUNT; i++) {
        if (titles && engines[i]->programs == NULL) {
            continue;
        }
        left--;
        (void)kvb_copy(out + used, KVB_ENGINE_NAMES_CAPACITY - used, used == 0 ? "" : left == 0 ? " or " : ", ");
        used += strlen(out + used);
        (void)kvb_copy(out + used, KVB_ENGINE_NAMES_CAPACITY - used, titles ? engines[i]->title : engines[i]->name);
        used += strlen(out + used);
    }
    return out;
}

char *kvb_engine_names(char out[KVB_ENGINE_NAMES_CAPACITY])
{
    return join(out, false);
}

char *kvb_engine_titles(char out[KVB_ENGINE_NAMES_CAPACITY])
{
    return join(out, true);
}

const struct kvb_engine_rows *kvb_engine_said(const char *said)
{
    size_t length = strcspn(said, "@ ");
    for (size_t i = 0; i < ENGINE_COUNT; i++) {
        if (strlen(engines[i]->name) == length && strncmp(engines[i]->name, said, length) == 0) {
            return engines[i];
        }
    }
    return engines[0];
}

const struct kvb_engine_rows *kvb_engine_of(const struct kvb_plan *plan)
{
    const struct kvb_engine_rows *found = kvb_engine_find(plan->engine.name);
    return found != NULL ? found : engines[0];
}

enum kvb_status kvb_budget_compute(const struct kvb_plan *plan, struct kvb_budget *budget,
                                   struct kvb_problems *problems)
{
    return kvb_engine_of(plan)->compute(plan, budget, problems, false);
}

bool kvb_budget_quietly(const struct kvb_plan *plan, struct kvb_budget *budget)
{
    return kvb_engine_of(plan)->compute(plan, budget, NULL, true) == KVB_OK && !budget->uncounted;
}

void kvb_budget_formulas(const struct kvb_plan *plan, struct kvb_budget *budget)
{
    const struct kvb_engine_rows *engine = kvb_engine_of(plan);
    if (engine->formulas != NULL) {
        engine->formulas(plan, budget);
    }
}

const char *kvb_engine_label(const struct kvb_engine_rows *engine, enum kvb_item item)
{
    bool own = engine->labels != NULL && engine->labels[item] != NULL;
    return own ? engine->labels[item] : kvb_item_row_of(item)->label;
}
