// One row per engine.
#include "engines/table.h"

#include <string.h>

#include <kvbudget/problem.h>

#include "engines/generic/engine.h"
#include "engines/vllm/engine.h"

static const struct kvb_engine_rows *const engines[] = {&kvb_vllm_engine, &kvb_generic_engine};

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
