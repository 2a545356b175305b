// Which engines there are, and the way from a plan to its own.
#ifndef KVB_ENGINES_TABLE_H
#define KVB_ENGINES_TABLE_H

#include "budget/engine.h"

// The engine of a plan by its name; a plan that names none is the first engine's.
const struct kvb_engine_rows *kvb_engine_of(const struct kvb_plan *plan);

// By name; NULL when there is none.
const struct kvb_engine_rows *kvb_engine_find(const char *name);
const struct kvb_engine_rows *const *kvb_engines(size_t *count);
// What the engine calls an item of its budget in text.
const char *kvb_engine_label(const struct kvb_engine_rows *engine, enum kvb_item item);
// "vllm, sglang or generic", and in sentences those that write logs and take commands: "vLLM or SGLang".
#define KVB_ENGINE_NAMES_CAPACITY 128
char *kvb_engine_names(char out[KVB_ENGINE_NAMES_CAPACITY]);
char *kvb_engine_titles(char out[KVB_ENGINE_NAMES_CAPACITY]);
// The engine of "vllm@0.11.0" or "vllm 0.11.0"; of "", a path or a name nobody knows the first.
const struct kvb_engine_rows *kvb_engine_said(const char *said);

// kvb_budget_compute without problems: for searches. False, with KVB_DOES_NOT_FIT, when the numbers cannot work.
bool kvb_budget_quietly(const struct kvb_plan *plan, struct kvb_budget *budget);
// Steps that a budget leaves out until they are shown.
void kvb_budget_formulas(const struct kvb_plan *plan, struct kvb_budget *budget);

#endif
