// What --fit decides: nothing when every GPU keeps its margin; else a shorter context when none was said; else layers,
// and of models with experts first those, to the host's memory when nothing was said of them.
// Source: common/fit.cpp, common_params_fit_impl (src/llama.cpp, llama_params_fit_impl, from b7407 on).
#include "engines/llamacpp/overrides.h"
#include "engines/llamacpp/start.h"

#include <string.h>

#include "base/checked.h"
#include "budget/shapes.h"

#define ROUND 256U

static bool has_experts(const struct kvb_model *model)
{
    return kvb_model_has_experts(model);
}

static uint64_t sum_used(const struct kvb_llama_start *start, const struct kvb_llama_buffers *buffers)
{
    uint64_t sum = 0;
    for (uint32_t i = 0; i < start->run.devices; i++) {
        sum = kvb_add(sum, kvb_add(kvb_llama_used(buffers, i), kvb_llama_beside_used(start, i)));
    }
    return sum;
}

static bool keeps_margins(const struct kvb_llama_start *start, const struct kvb_llama_buffers *buffers)
{
    uint32_t device;
    return kvb_add(kvb_llama_fullest(start, buffers, &device), start->margin_bytes) <= start->free_bytes;
}

// Between what the shortest and the trained length take, in a straight line. True: that settles it.
static bool reduce_context(struct kvb_llama_start *start, uint64_t used)
{
    struct kvb_llama_run *run = &start->run;
    struct kvb_llama_buffers least;
    uint64_t streams = run->unified ? 1 : run->sequences;
    uint64_t shortest = kvb_mul(start->shortest_tokens, streams), longest = kvb_mul(run->context_tokens, streams);
    uint64_t target = kvb_mul(run->devices, kvb_less(start->free_bytes, start->margin_bytes));
    uint64_t model = 0;
    if (start->context_said || longest <= shortest || used <= target) { // the last: another split is enough
        return false;
    }
    for (uint32_t i = 0; i < run->devices; i++) {
        model = kvb_add(model, start->buffers.places[i].model_bytes);
    }
    if (run->devices > 1) {
        uint64_t layer = model / (run->gpu_layers > 0 ? kvb_min(run->gpu_layers, run->model->layer_count) : 1);
        uint64_t waste = kvb_mul(run->devices + 1, layer) / (has_experts(run->model) ? 6 : 2);
        target = kvb_less(target, waste);
    }
    run->context_tokens = shortest;
    kvb_llama_measure(start, &least);
    uint64_t low = sum_used(start, &least);
    start->decision = KVB_LLAMA_CONTEXT_REDUCED;
    if (target <= low) { // used is more than the target was
        return false;
    }
    uint64_t tokens = shortest + kvb_mul(longest - shortest, target - low) / (used - low);
    tokens -= tokens % (ROUND * streams);
    run->context_tokens = kvb_min(kvb_max(tokens, shortest), longest);
    return run->devices <= 1;
}

// Weights and cache alone are too much: the graph need not be looked at.
static bool is_beyond(const struct kvb_llama_start *start, uint64_t free_bytes)
{
    struct kvb_llama_buffers lasting;
    uint32_t device;
    kvb_llama_lasting_buffers(&start->run, &lasting);
    return start->beside.contexts == 0 && kvb_llama_fullest(start, &lasting, &device) > free_bytes;
}

static bool is_beyond_margins(const struct kvb_llama_start *start)
{
    return start->free_bytes < start->margin_bytes || is_beyond(start, start->free_bytes - start->margin_bytes);
}

// start->buffers are those of the run as it stands.
static void is_measured(struct kvb_llama_start *start)
{
    start->measured = start->beside.contexts == 0;
}

static bool fits_with(struct kvb_llama_start *start, uint32_t layers, uint32_t experts)
{
    struct kvb_llama_buffers buffers;
    start->run.gpu_layers = layers;
    start->run.cpu_experts = experts;
    if (is_beyond_margins(start)) {
        return false;
    }
    kvb_llama_measure(start, &buffers);
    bool fits = keeps_margins(start, &buffers);
    if (fits) { // the last one that fits is the one that starts
        start->buffers = buffers;
        is_measured(start);
    }
    return fits;
}

// The largest count of layers that fits, 0 when none does.
static uint32_t most_layers(struct kvb_llama_start *start, uint32_t experts)
{
    uint32_t low = 0, high = start->run.model->layer_count + 1;
    while (low < high) {
        uint32_t middle = low + (high - low + 1) / 2; // same: any above low, up to high
        if (fits_with(start, middle, experts)) {
            low = middle;
        } else {
            high = middle - 1;
        }
    }
    return low;
}

static uint32_t fewest_experts(struct kvb_llama_start *start, uint32_t layers)
{
    uint32_t low = 0, high = start->run.model->layer_count;
    while (low < high) {
        uint32_t middle = low + (high - low) / 2;
        if (fits_with(start, layers, middle)) {
            high = middle;
        } else {
            low = middle + 1;
        }
    }
    return low;
}

// The card is given so many layers: whether it keeps its margin.
static bool holds(struct kvb_llama_start *start, uint32_t card, uint32_t layers)
{
    struct kvb_llama_buffers buffers;
    struct kvb_llama_run *run = &start->run;
    run->gpu_layers = run->gpu_layers - (uint32_t)run->share[card] + layers;
    run->share[card] = layers;
    kvb_llama_measure(start, &buffers);
    uint64_t used = kvb_add(kvb_llama_used(&buffers, card), kvb_llama_beside_used(start, card));
    return kvb_add(used, start->margin_bytes) <= start->free_bytes;
}

// Several cards share the layers of a dense model out anew: from the last card on each takes as many as it holds.
static void fill_cards(struct kvb_llama_start *start)
{
    uint32_t left = start->run.model->layer_count + 1;
    start->run.gpu_layers = 0;
    memset(start->run.share, 0, sizeof start->run.share);
    for (uint32_t card = start->run.devices; card-- > 0;) {
        uint32_t low = 0, high = left;
        while (low < high) {
            uint32_t middle = high == left ? left : low + (high - low + 1) / 2; // all of them first
            if (holds(start, card, middle)) {
                low = middle;
            } else {
                high = middle - 1;
            }
        }
        (void)holds(start, card, low);
        left -= low;
    }
    if (left > 0) {
        bool both = start->decision == KVB_LLAMA_CONTEXT_REDUCED && !start->whole_or_not;
        start->decision = both ? KVB_LLAMA_BOTH : KVB_LLAMA_LAYERS_MOVED;
    }
}

static void move_layers(struct kvb_llama_start *start)
{
    uint32_t all = start->run.model->layer_count;
    bool experts = has_experts(start->run.model);
    if (start->run.devices > 1 && !experts) {
        fill_cards(start);
        return;
    }
    if (start->whole_or_not) { // how many is not asked
        start->decision = KVB_LLAMA_LAYERS_MOVED;
        return;
    }
    kvb_llama_sums_begin(&start->run);
    uint32_t layers = most_layers(start, experts ? all : 0);
    uint32_t left = experts && layers == all + 1 ? fewest_experts(start, layers) : experts ? all : 0;
    kvb_llama_sums_end(&start->run);
    start->run.gpu_layers = layers;
    start->run.cpu_experts = left;
    start->decision = start->decision == KVB_LLAMA_CONTEXT_REDUCED ? KVB_LLAMA_BOTH : KVB_LLAMA_LAYERS_MOVED;
}

// True: that settles it.
static bool fits_whole(struct kvb_llama_start *start)
{
    if (start->context_said && is_beyond_margins(start)) {
        return false;
    }
    kvb_llama_measure(start, &start->buffers);
    if (keeps_margins(start, &start->buffers)) {
        is_measured(start);
        return true;
    }
    return reduce_context(start, sum_used(start, &start->buffers));
}

void kvb_llama_fit(struct kvb_llama_start *start)
{
    struct kvb_llama_buffers buffers;
    if (fits_whole(start)) {
        return;
    }
    if (start->run.devices > 1) {
        kvb_llama_measure(start, &buffers);
        if (keeps_margins(start, &buffers)) {
            return;
        }
    }
    if (start->layers_said || start->split_said) {
        start->decision = start->decision == KVB_LLAMA_UNCHANGED ? KVB_LLAMA_LEFT_TO_THE_USER : start->decision;
        return;
    }
    move_layers(start);
}

// Compute buffers at two lengths between which the longest lies: with all layers on one GPU they nearly always grow
// with it, which is taken for granted and then looked at; else copies and gaps between blocks may make a shorter
// context's the larger.
struct between {
    bool grows, misses_known;
    struct kvb_llama_buffers fits, misses;
};

static bool is_within(const struct kvb_llama_start *start, struct kvb_llama_buffers *lasting,
                      const struct kvb_llama_buffers *known, uint64_t free_bytes)
{
    uint32_t device;
    for (uint32_t i = 0; i < KVB_LLAMA_PLACES; i++) {
        lasting->places[i].compute_bytes = known->places[i].compute_bytes;
    }
    return kvb_llama_fullest(start, lasting, &device) <= free_bytes;
}

// The graph is looked at where the buffers known by now do not say it.
static bool fits_at(struct kvb_llama_start *start, uint64_t tokens, uint64_t free_bytes, struct between *between)
{
    struct kvb_llama_buffers buffers;
    uint32_t device;
    start->run.context_tokens = tokens;
    if (start->beside.contexts == 0) {
        kvb_llama_lasting_buffers(&start->run, &buffers);
        if (!is_within(start, &buffers, &between->fits, free_bytes)) {
            return false;
        }
        if (between->misses_known && is_within(start, &buffers, &between->misses, free_bytes)) {
            return true;
        }
    }
    kvb_llama_measure(start, &buffers);
    bool fits = kvb_llama_fullest(start, &buffers, &device) <= free_bytes;
    if (between->grows) {
        between->misses_known = between->misses_known || !fits;
        *(fits ? &between->fits : &between->misses) = buffers;
    }
    return fits;
}

static bool is_whole_on_one(const struct kvb_llama_run *run)
{
    return run->devices == 1 && run->gpu_layers > run->model->layer_count && run->cpu_experts == 0 &&
           !run->keep_cache_on_host && !kvb_llama_overrides_any(run);
}

// The most steps of a context up to `high` that fit.
static uint64_t search(struct kvb_llama_start *tried, uint64_t high, uint64_t free_bytes, struct between *between)
{
    uint64_t low = 0;
    while (low < high) {
        uint64_t middle = low + (high - low + 1) / 2; // same: any above low, up to high
        if (fits_at(tried, middle * ROUND, free_bytes, between)) {
            low = middle;
        } else {
            high = middle - 1;
        }
    }
    return low;
}

uint64_t kvb_llama_longest(const struct kvb_llama_start *start, bool measured, uint64_t free_bytes,
                           uint64_t limit_tokens)
{
    struct kvb_llama_start tried = *start;
    uint32_t device;
    struct between between = {.grows = is_whole_on_one(&start->run)}, nothing = {.grows = false};
    if (measured && between.grows) {
        between.misses_known = kvb_llama_fullest(start, &start->buffers, &device) > free_bytes;
        *(between.misses_known ? &between.misses : &between.fits) = start->buffers;
    }
    kvb_llama_sums_begin(&tried.run);
    uint64_t tokens = limit_tokens;
    if (!fits_at(&tried, limit_tokens, free_bytes, &between)) {
        uint64_t steps = search(&tried, limit_tokens / ROUND, free_bytes, &between);
        bool holds = steps == 0 || !between.grows || fits_at(&tried, steps * ROUND, free_bytes, &nothing);
        tokens = ROUND * (holds ? steps : search(&tried, steps, free_bytes, &nothing));
    }
    kvb_llama_sums_end(&tried.run);
    return tokens;
}
