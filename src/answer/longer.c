// Requests longer than the model's own length: YaRN as the model's own card names it, and what it costs.
#include <kvbudget/answer.h>

#include <stdio.h>
#include <string.h>

#include <kvbudget/models.h>

#include "base/memory.h"
#include "base/room.h"
#include "base/text.h"
#include "engines/table.h"

// By the section "Processing Long Texts" of each card (huggingface.co/OWNER/NAME); the rotary base by its config.json.
// Their number formats are the same model.
static const struct stretch_row {
    const char *name;
    uint32_t factor;
    uint64_t original_tokens, base;
} rows[] = {
    {"Qwen/QwQ-32B", 4, 32768, 1000000},
    {"Qwen/Qwen2-7B-Instruct", 4, 32768, 1000000},
    {"Qwen/Qwen2-72B-Instruct", 4, 32768, 1000000},
    {"Qwen/Qwen2.5-7B-Instruct", 4, 32768, 1000000},
    {"Qwen/Qwen2.5-14B-Instruct", 4, 32768, 1000000},
    {"Qwen/Qwen2.5-32B-Instruct", 4, 32768, 1000000},
    {"Qwen/Qwen2.5-72B-Instruct", 4, 32768, 1000000},
    {"Qwen/Qwen2.5-Coder-7B-Instruct", 4, 32768, 1000000},
    {"Qwen/Qwen2.5-Coder-14B-Instruct", 4, 32768, 1000000},
    {"Qwen/Qwen2.5-Coder-32B-Instruct", 4, 32768, 1000000},
    {"Qwen/Qwen3-4B", 4, 32768, 1000000},
    {"Qwen/Qwen3-8B", 4, 32768, 1000000},
    {"Qwen/Qwen3-14B", 4, 32768, 1000000},
    {"Qwen/Qwen3-32B", 4, 32768, 1000000},
    {"Qwen/Qwen3-30B-A3B", 4, 32768, 1000000},
    {"Qwen/Qwen3-235B-A22B", 4, 32768, 1000000},
    {"Qwen/Qwen3-Next-80B-A3B-Instruct", 4, 262144, 10000000},
};

static const struct stretch_row *row_of(const char *name)
{
    for (size_t i = 0; i < sizeof rows / sizeof rows[0]; i++) {
        if (strcmp(rows[i].name, name) == 0 || kvb_models_are_siblings(rows[i].name, name)) {
            return &rows[i];
        }
    }
    return NULL;
}

static const char *flag_of(const struct kvb_plan *plan)
{
    const struct kvb_stretch_flag *flag = kvb_engine_of(plan)->stretch;
    uint32_t release = plan->engine.release;
    for (; flag != NULL && flag->flag != NULL; flag++) {
        if (release >= flag->since && (flag->until == 0 || release <= flag->until)) {
            return flag->flag;
        }
    }
    return NULL;
}

// The flag with the model's numbers in it.
static bool write_flag(char out[KVB_LONGER_FLAG_CAPACITY], const char *flag, const struct stretch_row *row)
{
    size_t used = 0;
    for (; *flag != '\0' && used + 24 < KVB_LONGER_FLAG_CAPACITY; flag++) {
        unsigned long long number = flag[1] == 'F' ? row->factor : flag[1] == 'O' ? row->original_tokens : row->base;
        if (*flag != '@') {
            out[used++] = *flag;
            continue;
        }
        used += (size_t)snprintf(out + used, KVB_LONGER_FLAG_CAPACITY - used, "%llu", number);
        flag++;
    }
    out[used] = '\0';
    return *flag == '\0';
}

struct longer_room {
    struct kvb_deployment deployment;
    struct kvb_answer answer;
    struct kvb_problems problems;
};

// The same question with the model stretched; the flag's own form plays no part in what it costs.
static bool stretch(struct longer_room *room, const struct kvb_deployment *deployment, const struct stretch_row *row)
{
    room->deployment = *deployment;
    kvb_problems_init(&room->problems);
    (void)snprintf(room->deployment.overrides, sizeof room->deployment.overrides,
                   "{\"rope_scaling\": {\"rope_type\": \"yarn\", \"factor\": %u, "
                   "\"original_max_position_embeddings\": %llu}}",
                   (unsigned)row->factor, (unsigned long long)row->original_tokens);
    struct kvb_answer *answer = &room->answer;
    return kvb_deployment_resolve(&room->deployment, &answer->plan, &answer->draft, &answer->source, &room->problems) ==
               KVB_OK &&
           kvb_budget_compute(&answer->plan, &answer->budget, &room->problems) == KVB_OK && !answer->budget.uncounted;
}

static void take(const struct longer_room *room, const struct kvb_answer *answer, struct kvb_longer *longer)
{
    const struct kvb_budget *budget = &room->answer.budget;
    longer->known = true;
    longer->verdict = budget->verdict;
    longer->needed_bytes = budget->needed_bytes;
    longer->balance_bytes = budget->balance_bytes;
    longer->weights_bytes = budget->items[KVB_ITEM_WEIGHTS].bytes - answer->budget.items[KVB_ITEM_WEIGHTS].bytes;
}

enum kvb_status kvb_answer_longer(const struct kvb_deployment *deployment, const struct kvb_answer *answer,
                                  struct kvb_longer *longer, struct kvb_problems *problems)
{
    const struct kvb_plan *plan = &answer->plan;
    uint64_t length = plan->settings.values[KVB_SET_MAX_MODEL_LEN].number;
    memset(longer, 0, sizeof *longer);
    longer->own_tokens = plan->model.context_tokens;
    longer->asked = plan->settings.values[KVB_SET_MAX_MODEL_LEN].set && length != KVB_AUTO && longer->own_tokens > 0 &&
                    length > longer->own_tokens && deployment->overrides[0] == '\0';
    const struct stretch_row *row = longer->asked ? row_of(plan->model.name) : NULL;
    const char *flag = flag_of(plan);
    if (row == NULL || flag == NULL || length > row->factor * row->original_tokens ||
        !write_flag(longer->flag, flag, row)) {
        return KVB_OK;
    }
    longer->to_tokens = row->factor * row->original_tokens;
    struct longer_room *room = kvb_room(sizeof *room, problems);
    if (room == NULL) {
        return KVB_NO_MEMORY;
    }
    if (stretch(room, deployment, row)) {
        take(room, answer, longer);
    }
    kvb_free(room);
    return KVB_OK;
}
