// A plan without a GPU: what is needed, and on which built-in cards, how many of each, in which number format it
// starts.
#include <kvbudget/answer.h>

#include <stdlib.h>
#include <string.h>

#include <kvbudget/models.h>
#include <kvbudget/units.h>

#include "answer/card_rows.h"
#include "answer/left_to_host.h"
#include "base/checked.h"
#include "base/memory.h"
#include "base/model_copy.h"
#include "base/room.h"
#include "base/text.h"
#include "budget/utilization.h"
#include "engines/flags.h"
#include "engines/table.h"

// Any size will do to resolve the rest of the question.
#define STAND_IN_BYTES (80 * KVB_GIB)

static const uint32_t counts[] = {1, 2, 4, 8};
static const uint32_t widths[KVB_CARD_FORMATS] = {16, 8, 4};

struct search {
    struct kvb_answer *best; // of the first card in the list
    struct kvb_cards *cards;
    bool split_given;                        // the user chose the tensor parallel size
    uint32_t own;                            // which format is the one asked for
    struct kvb_plan plans[KVB_CARD_FORMATS]; // by format
    struct kvb_budget budget, lower;
    struct kvb_problems scratch;
};

static uint64_t total_of(const struct kvb_card *card)
{
    return kvb_mul(card->class_gigabytes, card->count);
}

// By the size they are sold as and how many; then the common before the rare.
static bool is_smaller(const struct kvb_card *a, const struct kvb_card *b)
{
    if (total_of(a) != total_of(b)) {
        return total_of(a) < total_of(b);
    }
    if (a->count != b->count) {
        return a->count < b->count;
    }
    return a->rank != b->rank ? a->rank < b->rank : a->memory_bytes < b->memory_bytes;
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
        search->best->plan.gpu = search->plans[search->own].gpu;
        search->best->plan.settings = search->plans[search->own].settings;
    }
}

static void use_gpu(struct kvb_plan *plan, const struct kvb_gpu *gpu)
{
    plan->gpu = *gpu;
    if (plan->platform != KVB_PLATFORM_LINUX && gpu->device_bytes > 0) {
        plan->gpu.memory_bytes = gpu->device_bytes;
    }
}

// It starts, and what lives outside the request finds room, at this utilization or at a lower one.
static bool leaves_room(struct search *search, struct kvb_plan *plan)
{
    const struct kvb_budget *budget = &search->budget;
    struct kvb_setting_value *share = &plan->settings.values[KVB_SET_GPU_MEMORY_UTILIZATION];
    struct kvb_setting_value before = *share;
    if (kvb_is_left_to_host(plan, budget)) {
        return false;
    }
    if (budget->verdict == KVB_DOES_NOT_FIT || budget->slack_bytes >= 0) {
        return budget->verdict != KVB_DOES_NOT_FIT;
    }
    *share = (struct kvb_setting_value){kvb_highest_utilization(budget), 1, KVB_ORIGIN_FLAG};
    bool works = share->number > 0 && kvb_budget_quietly(plan, &search->lower);
    *share = before;
    return works && search->lower.verdict != KVB_DOES_NOT_FIT && search->lower.slack_bytes >= 0;
}

// The card in growing numbers until it starts and leaves room for what lives outside the request; 0: it does not.
static uint64_t try_format(struct search *search, uint32_t format, const struct kvb_gpu *gpu, uint32_t most)
{
    struct kvb_plan *plan = &search->plans[format];
    struct kvb_setting_value *split = &plan->settings.values[KVB_SET_TENSOR_PARALLEL_SIZE];
    use_gpu(plan, gpu);
    for (size_t i = 0; i < (search->split_given ? 1 : sizeof counts / sizeof counts[0]); i++) {
        if (!search->split_given && counts[i] > most) {
            return 0;
        }
        if (!search->split_given) {
            *split = (struct kvb_setting_value){.number = counts[i], .set = 1, .origin = KVB_ORIGIN_FLAG};
        }
        if (kvb_budget_quietly(plan, &search->budget) && leaves_room(search, plan)) {
            return split->set ? split->number : 1;
        }
    }
    return 0;
}

static void take_own(struct search *search, const struct kvb_card_line *line)
{
    const struct kvb_budget *budget = &search->budget;
    struct kvb_card card = {.memory_bytes = budget->memory_bytes,
                            .count = line->counts[search->own],
                            .class_gigabytes = line->class_gigabytes,
                            .rank = line->rank,
                            .verdict = budget->verdict,
                            .kv_cache_bytes = budget->items[KVB_ITEM_KV_CACHE].bytes,
                            .balance_bytes = budget->balance_bytes,
                            .tokens = budget->kv.tokens};
    (void)kvb_copy(card.id, sizeof card.id, line->id);
    (void)kvb_copy(card.name, sizeof card.name, line->name);
    insert(search, &card);
}

static void try_card(struct search *search, const char *id, const struct kvb_gpu *gpu)
{
    struct kvb_cards *cards = search->cards;
    struct kvb_card_line *line = &cards->lines[cards->line_count];
    if (cards->line_count == KVB_CARD_LINES_MAX || !kvb_card_runs(id)) {
        return;
    }
    *line = (struct kvb_card_line){.memory_bytes = gpu->memory_bytes,
                                   .class_gigabytes = kvb_card_class(gpu->memory_bytes),
                                   .rank = kvb_card_rank(id),
                                   .most = kvb_card_most(id, gpu)};
    (void)kvb_copy(line->id, sizeof line->id, id);
    (void)kvb_copy(line->name, sizeof line->name, gpu->name);
    bool refused = true; // whatever the memory
    for (uint32_t format = 0; format < KVB_CARD_FORMATS; format++) {
        line->verdicts[format] = KVB_DOES_NOT_FIT;
        if (!cards->formats[format].known) {
            continue;
        }
        line->counts[format] = try_format(search, format, gpu, line->most);
        refused = refused && search->budget.refusal != NULL;
        if (line->counts[format] > 0) {
            line->verdicts[format] = search->budget.slack_bytes < 0 ? KVB_TIGHT : search->budget.verdict;
        }
        if (line->counts[format] > 0 && format == search->own) {
            take_own(search, line);
        }
    }
    cards->line_count += !refused;
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
        kvb_problems_init(&search->scratch);
        if (kvb_gpu_load(builtins[i].id, &gpu, &search->scratch) == KVB_OK) {
            try_card(search, builtins[i].id, &gpu);
        }
    }
}

// The engine loads files of a format of their own, whatever the model is published in.
static bool by_file_type(const struct kvb_plan *plan)
{
    uint32_t since, until;
    return kvb_engine_has(kvb_engine_of(plan), KVB_SET_GGUF_TYPE, &since, &until);
}

// The formats beside the model's own: where it is known by name and its number format is left to it.
static void take_formats(const struct kvb_deployment *deployment, const struct kvb_plan *plan, struct search *search)
{
    uint32_t bits = kvb_model_format_bits(&plan->model);
    bool alone = deployment->inline_model || kvb_starts_with(deployment->model, "/") ||
                 kvb_starts_with(deployment->model, ".") || deployment->served_name[0] != '\0' ||
                 deployment->settings.values[KVB_SET_QUANTIZATION].set || deployment->overrides[0] != '\0' ||
                 deployment->draft_model[0] != '\0' || by_file_type(plan);
    search->own = bits >= 16 ? 0 : bits >= 8 ? 1 : 2;
    for (uint32_t i = 0; i < KVB_CARD_FORMATS; i++) {
        struct kvb_card_format *format = &search->cards->formats[i];
        kvb_plan_copy(&search->plans[i], plan);
        format->own = i == search->own;
        format->known = format->own;
        if (!format->own && !alone) { // nobody makes a finer format of a coarser one
            format->known =
                kvb_model_in_format(plan->model.name, widths[i], &search->plans[i].model, &format->assumed) &&
                (!format->assumed || widths[i] < bits);
        }
        if (format->known) {
            (void)kvb_copy(format->model, sizeof format->model, search->plans[i].model.name);
            kvb_model_format(&search->plans[i].model, format->format);
        }
        if (format->known && by_file_type(plan)) {
            (void)kvb_copy(format->format, sizeof format->format, "number");
        }
    }
}

static int by_class(const void *left, const void *right)
{
    const struct kvb_card_line *a = left, *b = right;
    if (a->class_gigabytes != b->class_gigabytes) {
        return a->class_gigabytes < b->class_gigabytes ? -1 : 1;
    }
    if (a->rank != b->rank) {
        return a->rank < b->rank ? -1 : 1;
    }
    return strcmp(a->id, b->id);
}

static enum kvb_status search_all(struct kvb_deployment *deployment, struct search *search,
                                  struct kvb_problems *problems)
{
    struct kvb_answer *best = search->best;
    deployment->gpu_memory_bytes = STAND_IN_BYTES;
    enum kvb_status status = kvb_deployment_resolve(deployment, &best->plan, &best->draft, &best->source, problems);
    if (status != KVB_OK) {
        return status;
    }
    search->split_given = deployment->settings.values[KVB_SET_TENSOR_PARALLEL_SIZE].set != 0;
    take_formats(deployment, &best->plan, search);
    try_catalogue(search);
    qsort(search->cards->lines, search->cards->line_count, sizeof search->cards->lines[0], by_class);
    if (search->cards->count == 0) {
        (void)kvb_problem_add(problems, KVB_WARNING, KVB_UNKNOWN_NAME, (struct kvb_place){0},
                              "no built-in GPU starts this, alone or in groups of up to 8; name one with --gpu to see "
                              "what is missing");
    } else { // when it was not asked for, the tensor parallel size is part of the recommendation
        kvb_settings_set(&deployment->settings, KVB_SET_TENSOR_PARALLEL_SIZE, search->cards->rows[0].count,
                         KVB_ORIGIN_FLAG);
    }
    return kvb_answer_plan(best, problems);
}

enum kvb_status kvb_answer_cards(struct kvb_deployment *deployment, struct kvb_cards *cards, struct kvb_answer *best,
                                 struct kvb_problems *problems)
{
    memset(cards, 0, sizeof *cards);
    struct search *search = kvb_room(sizeof *search, problems);
    if (search == NULL) {
        return KVB_NO_MEMORY;
    }
    search->best = best;
    search->cards = cards;
    enum kvb_status status = search_all(deployment, search, problems);
    kvb_free(search);
    return status;
}

// ---- cards that were named

bool kvb_names_gpus(const struct kvb_deployment *deployment)
{
    const char *gpu = deployment->gpu;
    return !deployment->inline_gpu && strchr(gpu, ',') != NULL && strchr(gpu, '/') == NULL && strchr(gpu, ':') == NULL;
}

static enum kvb_status answer_card(const struct kvb_deployment *asked, const char *name, struct kvb_deployment *copy,
                                   struct kvb_answer *answer, struct kvb_card *card, struct kvb_problems *problems)
{
    *copy = *asked;
    (void)kvb_copy(copy->gpu, sizeof copy->gpu, name);
    kvb_deployment_take_gpu_count(copy);
    enum kvb_status status = kvb_answer_deployment(copy, answer, problems);
    const struct kvb_budget *budget = &answer->budget;
    *card = (struct kvb_card){.memory_bytes = budget->memory_bytes,
                              .count = kvb_gpu_count(&budget->settings),
                              .verdict = budget->verdict,
                              .kv_cache_bytes = budget->items[KVB_ITEM_KV_CACHE].bytes,
                              .balance_bytes = budget->balance_bytes,
                              .tokens = budget->kv.tokens};
    (void)kvb_copy(card->id, sizeof card->id, copy->gpu);
    (void)kvb_copy(card->name, sizeof card->name, answer->plan.gpu.name);
    return status;
}

// The next name without the blanks around it, into as much room as the list has; false at the end.
static bool next_name(const char **at, char *out)
{
    *at += strspn(*at, ", ");
    size_t length = strcspn(*at, ",");
    if (length == 0) {
        return false;
    }
    memcpy(out, *at, length);
    *at += length;
    while (out[length - 1] == ' ') { // behind a name, which begins with none
        length--;
    }
    out[length] = '\0';
    return true;
}

enum kvb_status kvb_answer_named_cards(const struct kvb_deployment *deployment, struct kvb_cards *cards,
                                       struct kvb_answer *best, struct kvb_problems *problems)
{
    struct room {
        struct kvb_deployment copy;
        struct kvb_answer answer;
        struct kvb_problems notes; // of further cards: the same again
    } *room = kvb_room(sizeof *room, problems);
    char name[sizeof deployment->gpu];
    const char *at = deployment->gpu;
    enum kvb_status status = room != NULL ? KVB_OK : KVB_NO_MEMORY;
    memset(cards, 0, sizeof *cards);
    cards->named = true;
    while (status == KVB_OK && next_name(&at, name)) {
        if (cards->count == KVB_CARDS_MAX) {
            status = kvb_problem_add(problems, KVB_ERROR, KVB_TOO_LARGE, (struct kvb_place){0},
                                     "at most %d GPUs are laid side by side", KVB_CARDS_MAX);
            break;
        }
        struct kvb_card *card = &cards->rows[cards->count];
        struct kvb_answer *answer = cards->count == 0 ? best : &room->answer;
        struct kvb_problems *own = cards->count == 0 ? problems : &room->notes;
        status = answer_card(deployment, name, &room->copy, answer, card, own);
        if (status != KVB_OK && own != problems) {
            status = answer_card(deployment, name, &room->copy, answer, card, problems);
        }
        cards->starting += card->verdict != KVB_DOES_NOT_FIT ? 1 : 0;
        cards->count++;
    }
    kvb_free(room);
    if (status == KVB_OK && cards->count == 0) {
        status = kvb_problem_add(problems, KVB_ERROR, KVB_UNKNOWN_NAME, (struct kvb_place){0},
                                 "'%.60s' names no GPU; expected names with commas between, such as l4,h100",
                                 deployment->gpu);
    }
    return status;
}
