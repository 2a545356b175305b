// The order in which a Vulkan device runs a split of the graph: operations that wait for nothing are drawn forward, so
// that several run at once, views after them; what the device fuses stays together.
// Source: ggml/src/ggml-vulkan/ggml-vulkan.cpp, ggml_vk_graph_optimize, at b9010 and b10472; batches as long as those a
// start reserves are sorted since b7166.
#include <stddef.h>

#include "base/checked.h"
#include "engines/llamacpp/allocate.h"

#define LOOK_AHEAD 20
#define FURTHER 15 // from a node that was found: what is fused with it
#define ROPE_FURTHER 10
#define SET_MAX 64 // what is looked at, and two that are fused with each: 58 at most
#define SORTED_SINCE 7166
#define ADDS_SINCE 7496    // additions behind each other
#define CONV_SINCE 9194    // convolution and what follows it
#define SIGMOID_SINCE 7600 // routers with a sigmoid

bool kvb_llama_sorts(const struct kvb_llama_run *run)
{
    return run->backend == KVB_LLAMA_VULKAN && run->devices > 0 && run->build >= SORTED_SINCE;
}

struct sorting {
    struct kvb_llama_graph *graph;
    const kvb_llama_node *list; // the split's nodes as they were built
    uint32_t count, first, set_count;
    uint32_t set[SET_MAX];
};

static struct kvb_llama_tensor_node *at(const struct sorting *sorting, uint32_t place)
{
    return &sorting->graph->nodes[sorting->list[place]];
}

static bool done(const struct sorting *sorting, uint32_t place)
{
    return (at(sorting, place)->flags & KVB_LLAMA_DONE) != 0;
}

static bool is_empty(const struct kvb_llama_tensor_node *node)
{
    return node->kind <= KVB_LLAMA_OP_PERMUTE;
}

static uint32_t end_of(const struct sorting *sorting, uint32_t from, uint32_t length)
{
    return (uint32_t)kvb_min(from + length, sorting->count);
}

// ---- Patterns of a router, which are never torn apart

static const uint8_t soft_max_norm[] = {
    KVB_LLAMA_OP_SOFT_MAX, KVB_LLAMA_OP_RESHAPE,  KVB_LLAMA_OP_ARGSORT, KVB_LLAMA_OP_VIEW, KVB_LLAMA_OP_GET_ROWS,
    KVB_LLAMA_OP_RESHAPE,  KVB_LLAMA_OP_SUM_ROWS, KVB_LLAMA_OP_CLAMP,   KVB_LLAMA_OP_DIV,  KVB_LLAMA_OP_RESHAPE};
static const uint8_t sigmoid_norm[] = {KVB_LLAMA_OP_UNARY,   KVB_LLAMA_OP_RESHAPE,  KVB_LLAMA_OP_ADD,
                                       KVB_LLAMA_OP_ARGSORT, KVB_LLAMA_OP_VIEW,     KVB_LLAMA_OP_GET_ROWS,
                                       KVB_LLAMA_OP_RESHAPE, KVB_LLAMA_OP_SUM_ROWS, KVB_LLAMA_OP_CLAMP,
                                       KVB_LLAMA_OP_DIV,     KVB_LLAMA_OP_RESHAPE};
static const uint8_t soft_max[] = {KVB_LLAMA_OP_SOFT_MAX, KVB_LLAMA_OP_RESHAPE, KVB_LLAMA_OP_ARGSORT, KVB_LLAMA_OP_VIEW,
                                   KVB_LLAMA_OP_GET_ROWS};
static const uint8_t late_soft_max[] = {KVB_LLAMA_OP_ARGSORT, KVB_LLAMA_OP_VIEW,     KVB_LLAMA_OP_GET_ROWS,
                                        KVB_LLAMA_OP_RESHAPE, KVB_LLAMA_OP_SOFT_MAX, KVB_LLAMA_OP_RESHAPE};
static const struct {
    const uint8_t *kinds;
    uint32_t length, since;
} patterns[] = {
    {soft_max_norm, sizeof soft_max_norm, 0},
    {sigmoid_norm, sizeof sigmoid_norm, SIGMOID_SINCE},
    {soft_max, sizeof soft_max, 0},
    {late_soft_max, sizeof late_soft_max, 0},
};

// How long a pattern that begins here is; 0: none does.
static uint32_t pattern_at(const struct sorting *sorting, uint32_t place)
{
    for (size_t i = 0; i < sizeof patterns / sizeof patterns[0]; i++) {
        bool same = place + patterns[i].length <= sorting->count && sorting->graph->run->build >= patterns[i].since;
        for (uint32_t j = 0; same && j < patterns[i].length; j++) {
            same = at(sorting, place + j)->kind == patterns[i].kinds[j] && !done(sorting, place + j);
        }
        if (same) {
            return patterns[i].length;
        }
    }
    return 0;
}

// ---- Who waits for whom

static kvb_llama_node base_of(const struct sorting *sorting, uint32_t place)
{
    kvb_llama_node root = at(sorting, place)->root;
    return root != 0 ? root : sorting->list[place];
}

static bool waits_for(const struct sorting *sorting, uint32_t place, uint32_t other)
{
    const struct kvb_llama_tensor_node *node = at(sorting, place);
    kvb_llama_node id = sorting->list[other];
    for (uint32_t i = 0; i < KVB_LLAMA_SOURCES; i++) {
        if (node->source[i] == id) {
            return true;
        }
    }
    return base_of(sorting, place) == base_of(sorting, other); // views of one tensor
}

// The node right behind the last one of the set, fused with it.
static bool fuses(const struct sorting *sorting, uint32_t before, uint32_t place)
{
    static const struct {
        uint8_t before, after;
        uint16_t since;
    } pairs[] = {
        {KVB_LLAMA_OP_RMS_NORM, KVB_LLAMA_OP_MUL, 0},
        {KVB_LLAMA_OP_MUL_MAT, KVB_LLAMA_OP_ADD, 0},
        {KVB_LLAMA_OP_MUL_MAT_ID, KVB_LLAMA_OP_ADD_ID, 0},
        {KVB_LLAMA_OP_MUL_MAT_ID, KVB_LLAMA_OP_MUL, 0},
        {KVB_LLAMA_OP_ADD, KVB_LLAMA_OP_ADD, ADDS_SINCE},
        {KVB_LLAMA_OP_SSM_CONV, KVB_LLAMA_OP_ADD, CONV_SINCE},
        {KVB_LLAMA_OP_SSM_CONV, KVB_LLAMA_OP_UNARY, CONV_SINCE},
    };
    bool found = false;
    for (size_t i = 0; i < sizeof pairs / sizeof pairs[0]; i++) {
        found = found || (at(sorting, before)->kind == pairs[i].before && at(sorting, place)->kind == pairs[i].after &&
                          sorting->graph->run->build >= pairs[i].since);
    }
    return found && place == before + 1 && sorting->set[sorting->set_count - 1] == before;
}

static bool in_set(const struct sorting *sorting, uint32_t place)
{
    for (uint32_t i = 0; i < sorting->set_count; i++) {
        if (sorting->set[i] == place) {
            return true;
        }
    }
    return false;
}

static bool is_free(const struct sorting *sorting, uint32_t place, bool view)
{
    for (uint32_t other = sorting->first; other < place; other++) {
        bool held = !done(sorting, other) && waits_for(sorting, place, other);
        if (held && !(view ? in_set(sorting, other) : fuses(sorting, other, place))) {
            return false;
        }
    }
    return true;
}

// ---- Sets

static void put(struct sorting *sorting, uint32_t place)
{
    sorting->set[sorting->set_count++] = place;
}

static void draw(struct sorting *sorting, uint32_t place)
{
    put(sorting, place);
    at(sorting, place)->flags |= KVB_LLAMA_DONE;
}

static bool is_leaf(const struct sorting *sorting, kvb_llama_node node)
{
    return node == 0 || sorting->graph->nodes[node].kind == KVB_LLAMA_OP_NONE;
}

// Whether the node reads this one first, and else nothing that is still to come.
static bool follows(const struct sorting *sorting, uint32_t place, uint32_t other, bool leaf)
{
    const struct kvb_llama_tensor_node *node = at(sorting, place);
    kvb_llama_node second = node->source[1];
    bool ready = is_leaf(sorting, second) || (!leaf && (sorting->graph->nodes[second].flags & KVB_LLAMA_DONE) != 0);
    return node->source[0] == sorting->list[other] && ready;
}

// The rotation behind a norm, and rows of it that go to the cache.
static void draw_rope(struct sorting *sorting, uint32_t place)
{
    uint32_t rope = place;
    if (at(sorting, place)->kind == KVB_LLAMA_OP_MUL && at(sorting, place - 1)->kind == KVB_LLAMA_OP_RMS_NORM) {
        for (uint32_t i = place + 1; i < end_of(sorting, place, FURTHER); i++) {
            if (at(sorting, i)->kind == KVB_LLAMA_OP_ROPE && follows(sorting, i, place, true)) {
                rope = i;
                draw(sorting, i);
                break;
            }
        }
    }
    uint32_t view = 0;
    for (uint32_t i = rope + 1; at(sorting, rope)->kind == KVB_LLAMA_OP_ROPE && i < end_of(sorting, rope, ROPE_FURTHER);
         i++) {
        const struct kvb_llama_tensor_node *node = at(sorting, i);
        if (view == 0 && node->kind == KVB_LLAMA_OP_VIEW && node->source[0] == sorting->list[rope]) {
            view = i;
        } else if (view != 0 && node->kind == KVB_LLAMA_OP_SET_ROWS && node->source[0] == sorting->list[view]) {
            draw(sorting, view);
            draw(sorting, i);
            break;
        }
    }
}

// What is fused with two that stand behind each other.
static void draw_third(struct sorting *sorting, uint32_t place, uint8_t before, uint8_t kind, uint8_t third, bool any)
{
    if (at(sorting, place)->kind != kind || at(sorting, place - 1)->kind != before) {
        return;
    }
    for (uint32_t i = place + 1; i < end_of(sorting, place, FURTHER); i++) {
        bool reads = at(sorting, i)->source[0] == sorting->list[place];
        if (at(sorting, i)->kind == third && (any ? reads : follows(sorting, i, place, false))) {
            draw(sorting, i);
            return;
        }
    }
}

static void gather_ops(struct sorting *sorting)
{
    uint32_t build = sorting->graph->run->build;
    for (uint32_t i = sorting->first + 1U; i < end_of(sorting, sorting->first, LOOK_AHEAD); i++) {
        if (done(sorting, i) || is_empty(at(sorting, i)) || pattern_at(sorting, i) > 0 || !is_free(sorting, i, false)) {
            continue;
        }
        put(sorting, i);
        draw_rope(sorting, i);
        draw_third(sorting, i, KVB_LLAMA_OP_MUL_MAT_ID, KVB_LLAMA_OP_ADD_ID, KVB_LLAMA_OP_MUL, false);
        draw_third(sorting, i, KVB_LLAMA_OP_MUL_MAT, KVB_LLAMA_OP_ADD, KVB_LLAMA_OP_ADD, false);
        if (build >= CONV_SINCE) {
            draw_third(sorting, i, KVB_LLAMA_OP_SSM_CONV, KVB_LLAMA_OP_ADD, KVB_LLAMA_OP_UNARY, true);
        }
    }
}

static void gather_views(struct sorting *sorting)
{
    if (at(sorting, sorting->set[sorting->set_count - 1])->kind == KVB_LLAMA_OP_ADD) {
        return;
    }
    for (uint32_t i = sorting->first + 1U; i < end_of(sorting, sorting->first, LOOK_AHEAD); i++) {
        if (!done(sorting, i) && is_empty(at(sorting, i)) && is_free(sorting, i, true)) {
            put(sorting, i);
        }
    }
}

static void gather_set(struct sorting *sorting)
{
    uint32_t length = pattern_at(sorting, sorting->first);
    sorting->set_count = 0;
    for (uint32_t i = 0; i < length; i++) {
        put(sorting, sorting->first + i);
    }
    if (length == 0) {
        put(sorting, sorting->first);
        gather_ops(sorting);
        gather_views(sorting);
    }
}

void kvb_llama_sort(struct kvb_llama_graph *graph, uint32_t from, uint32_t to)
{
    struct sorting sorting = {.graph = graph, .list = graph->order + from, .count = to - from};
    while (sorting.first < sorting.count) {
        gather_set(&sorting);
        for (uint32_t i = 0; i < sorting.set_count; i++) {
            at(&sorting, sorting.set[i])->flags |= KVB_LLAMA_DONE;
            kvb_llama_runs_next(graph, sorting.list[sorting.set[i]]);
        }
        while (sorting.first < sorting.count && done(&sorting, sorting.first)) {
            sorting.first++;
        }
    }
}
