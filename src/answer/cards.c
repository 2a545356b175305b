// A plan without a GPU: what is needed, and the smallest built-in cards that start.
#include <kvbudget/answer.h>

#include <string.h>

#include <kvbudget/units.h>

#include "base/checked.h"
#include "base/memory.h"
#include "base/text.h"

// Any size will do to resolve the rest of the question.
#define STAND_IN_BYTES (80 * KVB_GIB)

static const uint32_t counts[] = {1, 2, 4, 8};

struct search {
    struct kvb_answer *answer; // of the card being tried
    struct kvb_answer *best;   // of the first card in the list
    struct kvb_problems *scratch;
    bool split_given; // the user chose the tensor parallel size
    struct kvb_cards *cards;
};

static bool is_smaller(const struct kvb_card *a, const struct kvb_card *b)
{
    uint64_t total_a = kvb_mul(a->memory_bytes, a->count);
    uint64_t total_b = kvb_mul(b->memory_bytes, b->count);
    return total_a != total_b ? total_a < total_b : a->count < b->count;
}

// Keeps the list sorted and short.
static void insert(struct search *search, const struct kvb_card *card)
{
    struct kvb_cards *cards = search->cards;
    uint32_t at = cards->count;
    while (at > 0 && is_smaller(card, &cards->rows[at - 1])) {
        at--;
    }
    cards->starting++;
    if (at == KVB_CARDS_MAX) {
        return;
    }
    uint32_t kept = cards->count < KVB_CARDS_MAX ? cards->count : KVB_CARDS_MAX - 1;
    memmove(&cards->rows[at + 1], &cards->rows[at], (kept - at) * sizeof cards->rows[0]);
    cards->rows[at] = *card;
    cards->count = kept + 1;
    if (at == 0) {
        kvb_answer_copy(search->best, search->answer);
    }
}

static void use_gpu(struct kvb_plan *plan, const struct kvb_gpu *gpu)
{
    plan->gpu = *gpu;
    if (plan->platform != KVB_PLATFORM_LINUX && gpu->device_bytes > 0) {
        plan->gpu.memory_bytes = gpu->device_bytes;
    }
}

// Tries one card in growing numbers until it starts and leaves room for what lives outside the request.
static void try_card(struct search *search, const char *id, const struct kvb_gpu *gpu)
{
    struct kvb_plan *plan = &search->answer->plan;
    use_gpu(plan, gpu);
    for (size_t i = 0; i < (search->split_given ? 1 : sizeof counts / sizeof counts[0]); i++) {
        struct kvb_setting_value *split = &plan->settings.values[KVB_SET_TENSOR_PARALLEL_SIZE];
        if (!search->split_given) {
            *split = (struct kvb_setting_value){.number = counts[i], .set = 1, .origin = KVB_ORIGIN_FLAG};
        }
        kvb_problems_init(search->scratch);
        if (kvb_budget_compute(plan, &search->answer->budget, search->scratch) != KVB_OK) {
            continue;
        }
        const struct kvb_budget *budget = &search->answer->budget;
        if (budget->verdict != KVB_DOES_NOT_FIT && budget->slack_bytes >= 0) {
            struct kvb_card card = {.memory_bytes = budget->memory_bytes,
                                    .count = split->set ? split->number : 1,
                                    .verdict = budget->verdict,
                                    .kv_cache_bytes = budget->items[KVB_ITEM_KV_CACHE].bytes,
                                    .balance_bytes = budget->balance_bytes,
                                    .tokens = budget->kv.tokens};
            (void)kvb_copy(card.id, sizeof card.id, id);
            (void)kvb_copy(card.name, sizeof card.name, gpu->name);
            insert(search, &card);
            return;
        }
    }
}

static void try_catalogue(struct search *search)
{
    size_t count;
    const struct kvb_builtin *builtins = kvb_builtins(&count);
    for (size_t i = 0; i < count; i++) {
        struct kvb_gpu gpu;
        if (builtins[i].kind != KVB_PROFILE_GPU) {
            continue;
        }
        kvb_problems_init(search->scratch);
        if (kvb_gpu_load(builtins[i].id, &gpu, search->scratch) == KVB_OK) {
            try_card(search, builtins[i].id, &gpu);
        }
    }
}

static enum kvb_status search_all(struct kvb_deployment *deployment, struct search *search,
                                  struct kvb_problems *problems)
{
    deployment->gpu_memory_bytes = STAND_IN_BYTES;
    enum kvb_status status = kvb_deployment_resolve(deployment, &search->answer->plan, &search->answer->draft,
                                                    &search->answer->source, problems);
    if (status != KVB_OK) {
        return status;
    }
    kvb_answer_copy(search->best, search->answer);
    search->split_given = deployment->settings.values[KVB_SET_TENSOR_PARALLEL_SIZE].set != 0;
    try_catalogue(search);
    if (search->cards->count == 0) {
        (void)kvb_problem_add(problems, KVB_WARNING, KVB_UNKNOWN_NAME, (struct kvb_place){0},
                              "no built-in GPU starts this, alone or in groups of up to 8; name one with --gpu to see "
                              "what is missing");
    } else { // when it was not asked for, the tensor parallel size is part of the recommendation
        kvb_settings_set(&deployment->settings, KVB_SET_TENSOR_PARALLEL_SIZE, search->cards->rows[0].count,
                         KVB_ORIGIN_FLAG);
    }
    return kvb_answer_plan(search->best, problems);
}

enum kvb_status kvb_answer_cards(struct kvb_deployment *deployment, struct kvb_cards *cards, struct kvb_answer *best,
                                 struct kvb_problems *problems)
{
    struct kvb_answer *answer = kvb_reallocate(NULL, sizeof *answer);
    struct kvb_problems *scratch = kvb_reallocate(NULL, sizeof *scratch);
    struct search search = {.answer = answer, .best = best, .scratch = scratch, .cards = cards};
    enum kvb_status status = KVB_NO_MEMORY;
    memset(cards, 0, sizeof *cards);
    if (answer != NULL && scratch != NULL) {
        status = search_all(deployment, &search, problems);
    } else {
        (void)kvb_problem_add(problems, KVB_ERROR, KVB_NO_MEMORY, (struct kvb_place){0}, "out of memory");
    }
    kvb_free(answer);
    kvb_free(scratch);
    return status;
}
